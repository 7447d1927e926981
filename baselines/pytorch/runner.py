"""Runner of PyTorch: eager, float64, one thread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from adbench.tools.base import Tool, Unsupported
from adbench.tools.python_runner import PythonRunner
from adbench.workloads.base import Function, Inputs, Outputs


class TorchRunner(PythonRunner):
    """The objective without gradients is the primal; forward and backward together are the derivative.

    A version that defines ``jacobian(inputs)``, which gives the derivative's arrays by name, is derived by
    that instead.
    """

    module = "torch_version"

    def __init__(self, tool: Tool, folder: Path) -> None:
        super().__init__(tool, folder)
        torch.set_num_threads(1)

    def version(self) -> str:
        return f"torch {torch.__version__}"

    def flags(self) -> str:
        return "eager, float64, 1 thread"

    def bind(self, function: Function, inputs: Inputs) -> tuple[Callable[[], object], Callable[[object], Outputs], int]:
        names = self.workload.parameters
        values: dict[str, Any] = {
            key: torch.tensor(value) if isinstance(value, np.ndarray) else value for key, value in inputs.items()
        }
        if function is Function.OBJECTIVE:

            def primal() -> object:
                with torch.no_grad():
                    return self.version_module.objective(values)

            return primal, lambda result: {"objective": np.asarray(result)}, 0
        if function is not Function.JACOBIAN:
            raise Unsupported("pytorch computes whole derivatives only")
        derivative = getattr(self.version_module, "jacobian", None)
        if derivative is not None:

            def convert_jacobian(result: Any) -> Outputs:
                return {name: part.detach().numpy() for name, part in result.items()}

            return lambda: derivative(values), convert_jacobian, 0
        leaves = [values[name].requires_grad_() for name in names]

        def gradient() -> object:
            return torch.autograd.grad(self.version_module.objective(values), leaves)

        def convert(result: Any) -> Outputs:
            return {name: part.numpy() for name, part in zip(names, result, strict=True)}

        return gradient, convert, 0
