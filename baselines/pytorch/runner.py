"""Runner of PyTorch in float64: eager, or compiled by ``torch.compile``."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from adbench.identity import available_cores
from adbench.tools.base import Tool, Unsupported
from adbench.tools.python_runner import PythonRunner
from adbench.workloads.base import Function, Inputs, Outputs, Workload


class TorchRunner(PythonRunner):
    """The objective without gradients is the primal; forward and backward together are the derivative.

    A version that defines ``jacobian(inputs)``, which gives the derivative's arrays by name, is derived by
    that instead.
    """

    module = "torch_version"

    def __init__(self, tool: Tool, folder: Path) -> None:
        super().__init__(tool, folder)
        torch.set_num_threads(available_cores())
        self._compiled = bool(tool.options.get("compile"))
        self._ready = not self._compiled

    def define(self, workload: Workload) -> int:
        nanoseconds = super().define(workload)
        if not self._ready:
            self._make_ready()
        return nanoseconds

    def _make_ready(self) -> None:
        """Do what compiling does once in a process and not once for a case: imports, and headers compiled ahead.

        What it keeps on disk is this process's own, so that no case finds what an earlier run has compiled.
        """
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(self.folder / "inductor")
        import torch._inductor.config

        # On one core processes that compile beside this one only cost.
        torch._inductor.config.compile_threads = 1
        one = torch.ones(8, dtype=torch.float64, requires_grad=True)
        torch.autograd.grad(torch.compile(lambda x: x.square().sum().sqrt())(one), [one])
        self._ready = True

    def version(self) -> str:
        return f"torch {torch.__version__}"

    def flags(self) -> str:
        return f"{'torch.compile' if self._compiled else 'eager'}, float64, {torch.get_num_threads()} threads"

    def _built(self, function: Callable[..., Any], *arguments: Any) -> tuple[Callable[..., Any], int]:
        """The function, compiled where that is this tool's way, and how long its first call took, which compiles."""
        if not self._compiled:
            return function, 0
        torch.compiler.reset()
        compiled = torch.compile(function, dynamic=False)
        start = time.perf_counter_ns()
        try:
            compiled(*arguments)
        except RuntimeError as error:
            if "double backward" in str(error):
                raise Unsupported("torch.compile has no second derivatives") from error
            raise
        return compiled, time.perf_counter_ns() - start

    def bind(self, function: Function, inputs: Inputs) -> tuple[Callable[[], object], Callable[[object], Outputs], int]:
        names = self.workload.parameters
        values: dict[str, Any] = {
            key: torch.tensor(value) if isinstance(value, np.ndarray) else value for key, value in inputs.items()
        }
        if function is Function.OBJECTIVE:
            with torch.no_grad():
                objective, compile_ns = self._built(self.version_module.objective, values)

            def primal() -> object:
                with torch.no_grad():
                    return objective(values)

            return primal, lambda result: {"objective": np.asarray(result)}, compile_ns
        if function is not Function.JACOBIAN:
            raise Unsupported("pytorch computes whole derivatives only")
        derivative = getattr(self.version_module, "jacobian", None)
        if derivative is not None:

            def convert_jacobian(result: Any) -> Outputs:
                return {name: part.detach().numpy() for name, part in result.items()}

            jacobian, compile_ns = self._built(derivative, values)
            return lambda: jacobian(values), convert_jacobian, compile_ns
        leaves = [values[name].requires_grad_() for name in names]
        objective, compile_ns = self._built(self.version_module.objective, values)
        start = time.perf_counter_ns()

        def gradient() -> object:
            return torch.autograd.grad(objective(values), leaves)

        if self._compiled:
            # The way back is compiled when it is first gone.
            gradient()
            compile_ns += time.perf_counter_ns() - start

        def convert(result: Any) -> Outputs:
            return {name: part.numpy() for name, part in zip(names, result, strict=True)}

        return gradient, convert, compile_ns
