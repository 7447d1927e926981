"""Runner of TensorFlow: objective and gradient each one ``tf.function``, float64."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np
import tensorflow as tf  # the settings above are read when it is imported

from adbench.identity import available_cores
from adbench.tools.base import Tool, Unsupported
from adbench.tools.python_runner import PythonRunner
from adbench.workloads.base import Function, Inputs, Outputs


class TensorflowRunner(PythonRunner):
    """Versions define ``objective(parameters, data)``, and ``jacobian`` likewise where one tape's gradient does not do.

    Parameters and arrays are arguments of the graph, so that nothing is folded; numbers and indices are part of it.
    """

    module = "tensorflow_version"

    def __init__(self, tool: Tool, folder: Path) -> None:
        super().__init__(tool, folder)
        for configure in (
            tf.config.threading.set_intra_op_parallelism_threads,
            tf.config.threading.set_inter_op_parallelism_threads,
        ):
            configure(available_cores())

    def version(self) -> str:
        return f"tensorflow {tf.__version__}"

    def flags(self) -> str:
        return f"tf.function, float64, {available_cores()} threads"

    def bind(self, function: Function, inputs: Inputs) -> tuple[Callable[[], object], Callable[[object], Outputs], int]:
        if function not in {Function.OBJECTIVE, Function.JACOBIAN}:
            raise Unsupported("tensorflow computes whole derivatives only")
        parameters = {name: tf.constant(inputs[name]) for name in self.workload.parameters}
        others = {name: value for name, value in inputs.items() if name not in parameters}
        arrays = {
            name: tf.constant(value)
            for name, value in others.items()
            if isinstance(value, np.ndarray) and value.dtype.kind == "f"
        }
        numbers = {name: value for name, value in others.items() if name not in arrays}
        version = self.version_module

        def objective(parameters: Any, arrays: Any) -> Any:
            return version.objective(parameters, {**arrays, **numbers})

        def derivative(parameters: Any, arrays: Any) -> Any:
            if hasattr(version, "jacobian"):
                return version.jacobian(parameters, {**arrays, **numbers})
            with tf.GradientTape() as tape:
                tape.watch(parameters)
                value = objective(parameters, arrays)
            return tape.gradient(value, parameters)

        traced = tf.function(objective if function is Function.OBJECTIVE else derivative)
        start = time.perf_counter_ns()
        compiled = traced.get_concrete_function(parameters, arrays)
        compile_ns = time.perf_counter_ns() - start

        def call() -> Any:
            # An eager result is there when the call returns: on a CPU nothing is put off.
            return compiled(parameters, arrays)

        def convert(result: Any) -> Outputs:
            if function is Function.OBJECTIVE:
                return {"objective": result.numpy()}
            return {name: part.numpy() for name, part in result.items()}

        return call, convert, compile_ns
