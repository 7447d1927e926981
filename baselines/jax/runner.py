"""Runner of JAX: jitted, float64; compiling is timed apart from running."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # the setting above is read when it is imported
import numpy as np

from adbench.identity import available_cores
from adbench.tools.base import Tool, Unsupported
from adbench.tools.python_runner import PythonRunner
from adbench.workloads.base import Function, Inputs, Outputs

Traced: TypeAlias = Callable[[dict[str, Any], dict[str, Any]], Any]


def with_numbers(function: Traced, numbers: dict[str, Any]) -> Traced:
    """The function with numbers, which are static, among its data."""
    return lambda parameters, arrays: function(parameters, {**arrays, **numbers})


class JaxRunner(PythonRunner):
    """Parameters and points are arguments of the jitted function, so that nothing is folded at compile time.

    A version that defines ``jacobian(parameters, data)``, which gives the derivative's arrays by name, is derived by
    that instead of ``jax.grad``.
    """

    module = "jax_version"

    def __init__(self, tool: Tool, folder: Path) -> None:
        super().__init__(tool, folder)
        if not tool.all_threads:
            # Read when the first array is made.
            os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
        jax.config.update("jax_enable_x64", True)

    def version(self) -> str:
        return f"jax {jax.__version__}"

    def flags(self) -> str:
        return f"jit, float64, {available_cores()} threads"

    def bind(self, function: Function, inputs: Inputs) -> tuple[Callable[[], object], Callable[[object], Outputs], int]:
        names = self.workload.parameters
        parameters = {name: jax.numpy.asarray(inputs[name]) for name in names}
        arrays = {
            key: jax.numpy.asarray(value)
            for key, value in inputs.items()
            if isinstance(value, np.ndarray) and key not in names
        }
        numbers = {key: value for key, value in inputs.items() if isinstance(value, (int, float))}

        objective = with_numbers(self.version_module.objective, numbers)
        if function not in {Function.OBJECTIVE, Function.JACOBIAN}:
            raise Unsupported("jax computes whole derivatives only")
        chosen = objective
        if function is Function.JACOBIAN:
            derivative = getattr(self.version_module, "jacobian", None)
            chosen = jax.grad(objective) if derivative is None else with_numbers(derivative, numbers)
        start = time.perf_counter_ns()
        compiled = jax.jit(chosen).lower(parameters, arrays).compile()
        compile_ns = time.perf_counter_ns() - start

        def convert(result: Any) -> Outputs:
            if function is Function.OBJECTIVE:
                return {"objective": np.asarray(result)}
            return {name: np.asarray(part) for name, part in result.items()}

        return lambda: jax.block_until_ready(compiled(parameters, arrays)), convert, compile_ns
