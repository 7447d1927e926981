"""Runner of CasADi: the objective as an MX graph, its gradient by ``casadi.gradient``, run by its virtual machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import casadi
import numpy as np

from adbench.tools.base import Unsupported
from adbench.tools.python_runner import PythonRunner
from adbench.workloads.base import Function, Inputs, Outputs


def dense(value: Any) -> Any:
    """A numpy array of one or two dimensions as a matrix; vectors are columns."""
    if np.ndim(value) > 2:
        raise Unsupported("casadi has matrices only, no arrays of more dimensions")
    return casadi.DM(np.asarray(value, dtype=np.float64))


class CasadiRunner(PythonRunner):
    """Versions define ``objective(parameters, data)`` on symbols, and where ``casadi.gradient`` does not do,
    ``jacobian(parameters, data)`` and ``shaped(results, inputs)``, which gives its results the harness's shapes.

    Arrays are symbols as parameters are, so that nothing is folded; integers come as they are, for loops and indices.
    """

    module = "casadi_version"

    def version(self) -> str:
        return f"casadi {casadi.CasadiMeta.version()}"

    def flags(self) -> str:
        return "MX virtual machine, float64"

    def bind(self, function: Function, inputs: Inputs) -> tuple[Callable[[], object], Callable[[object], Outputs], int]:
        if function not in {Function.OBJECTIVE, Function.JACOBIAN}:
            raise Unsupported("casadi computes whole derivatives only")
        version, names = self.version_module, self.workload.parameters
        start = time.perf_counter_ns()
        real = {
            name: dense(value)
            for name, value in inputs.items()
            if isinstance(value, np.ndarray) and value.dtype.kind == "f"
        }
        symbols = {name: casadi.MX.sym(name, *value.shape) for name, value in real.items()}
        others = {name: value for name, value in inputs.items() if name not in real}
        parameters = {name: symbols[name] for name in names}
        data = {**{name: symbol for name, symbol in symbols.items() if name not in names}, **others}
        own = function is Function.JACOBIAN and hasattr(version, "jacobian")
        if own:
            results = version.jacobian(parameters, data)
        else:
            results = {"objective": version.objective(parameters, data)}
            if function is Function.JACOBIAN:
                value = results["objective"]
                results = {name: casadi.gradient(value, symbol) for name, symbol in parameters.items()}
        made = casadi.Function("made", list(symbols.values()), list(results.values()))
        arguments = list(real.values())
        compile_ns = time.perf_counter_ns() - start

        def convert(found: Any) -> Outputs:
            outputs = {name: np.array(part.full()) for name, part in zip(results, found, strict=True)}
            if own:
                return dict(version.shaped(outputs, inputs))
            shapes = self.workload.jacobian_shapes(inputs) | {"objective": self.workload.objective_shape(inputs)}
            # A gradient is shaped like its symbol; vectors are columns there.
            return {name: part.reshape(shapes[name]) for name, part in outputs.items()}

        return lambda: made.call(arguments), convert, compile_ns
