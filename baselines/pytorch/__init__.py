"""PyTorch's reverse mode on a vectorised objective."""

from __future__ import annotations

from dataclasses import replace

from adbench.tools.base import Tool
from adbench.tools.requirements import Program

EAGER = Tool(
    name="pytorch",
    title="PyTorch autograd, vectorised",
    runner="baselines.pytorch.runner:TorchRunner",
    requires=("torch",),
    install="pip install torch",
)

TOOLS = (
    EAGER,
    replace(EAGER, name="pytorch-threads", title="PyTorch autograd, all threads", all_threads=True),
    replace(
        EAGER,
        name="pytorch-compile",
        title="PyTorch, torch.compile",
        requires=("torch", Program("g++")),
        install="pip install torch, and g++ (apt-get install g++)",
        options={"compile": "yes"},
    ),
)
