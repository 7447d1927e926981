"""One package per rival tool: its registration in ``__init__`` and its runner, imported only in the tool's process."""
