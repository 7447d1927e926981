"""``python -m adbench``."""

from __future__ import annotations

from adbench.cli import app

if __name__ == "__main__":
    app(prog_name="python -m adbench")
