"""Runner of autograd: numpy traced anew in each call, float64."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from typing import Any

import autograd
import numpy as np

from adbench.tools.base import Unsupported
from adbench.tools.python_runner import PythonRunner
from adbench.workloads.base import Function, Inputs, Outputs


class AutogradRunner(PythonRunner):
    """Versions define ``objective(parameters, data)``, and ``jacobian`` where ``autograd.grad`` does not do."""

    module = "autograd_version"

    def version(self) -> str:
        return f"autograd {importlib.metadata.version('autograd')}, numpy {np.__version__}"

    def flags(self) -> str:
        return "float64"

    def bind(self, function: Function, inputs: Inputs) -> tuple[Callable[[], object], Callable[[object], Outputs], int]:
        parameters = {name: inputs[name] for name in self.workload.parameters}
        data = {name: value for name, value in inputs.items() if name not in parameters}
        objective = self.version_module.objective
        if function is Function.OBJECTIVE:
            return lambda: objective(parameters, data), lambda value: {"objective": np.asarray(value)}, 0
        if function is not Function.JACOBIAN:
            raise Unsupported("autograd computes whole derivatives only")
        chosen = getattr(self.version_module, "jacobian", None) or autograd.grad(objective)

        def convert(result: Any) -> Outputs:
            return {name: np.asarray(part) for name, part in result.items()}

        return lambda: chosen(parameters, data), convert, 0
