"""PyTorch's reverse mode on a vectorised objective."""

from __future__ import annotations

from adbench.tools.base import Tool

TOOLS = (
    Tool(
        name="pytorch",
        title="PyTorch autograd, vectorised",
        runner="baselines.pytorch.runner:TorchRunner",
        requires=("torch",),
        install="pip install torch",
    ),
)
