"""Runner of Enzyme's own package: the sources that this engine compiles, compiled by the clang that is inside of it.

The package compiles C++ on behalf of JAX and runs it as an operation there. Here that operation is run once, and what
it computes are the addresses of the entry points that were compiled along with it. They are then entered and timed as
those of any compiled tool are, without JAX on the way.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # the setting above is read when it is imported
import numpy as np
from enzyme_ad.jax import cpp_call

from adbench.errors import BuildError
from adbench.measuring import Batch
from adbench.native.build import NATIVE, build_library, has_vector_math
from adbench.native.columns import columns_request
from adbench.native.problem import NativeProblem
from adbench.tools.base import Unsupported
from adbench.tools.native_runner import ENTRY_POINTS, NativeRunner
from adbench.workloads.base import Function, Workload
from baselines.original.processor import target

STYLES = {Function.JACOBIAN: "enzyme", Function.TANGENT: "tangent"}

RELAXED = ("-mreassociate", "-freciprocal-math", "-fno-signed-zeros", "-fapprox-func", "-ffp-contract=fast")
"""What ``adbench.native.build.RELAXED`` says to the compiler's driver, said to the compiler itself."""

KERNEL = """\
#define ADBENCH_DOUBLE
#include "{source}"

template <std::size_t n>
void adbench_addresses(enzyme::tensor<double, {count}> &out, const enzyme::tensor<double, n> &) {{
  void *const found[] = {{{names}}};
  // Halves of 32 bits are exact as doubles.
  for (int i = 0; i < {count} / 2; i++) {{
    out[2 * i] = (double)((unsigned long)found[i] & 0xffffffffUL);
    out[2 * i + 1] = (double)((unsigned long)found[i] >> 32);
  }}
}}
"""


def headers() -> list[str]:
    """The compiler's own headers, which the package comes without: gcc's do."""
    asked = subprocess.run(["gcc", "-print-file-name=include"], capture_output=True, text=True, check=True)
    return ["-isystem", asked.stdout.strip()]


def compiled(source: Path, names: Sequence[str], arguments: Sequence[str]) -> tuple[list[int], object]:
    """The addresses of functions of a source, and what their code lives as long as. Raises BuildError."""
    jax.config.update("jax_enable_x64", True)
    text = KERNEL.format(source=source, count=2 * len(names), names=", ".join(f"(void *){name}" for name in names))
    shapes = [jax.core.ShapedArray((2 * len(names),), np.float64)]

    def addresses(anything: Any) -> Any:
        return cpp_call(anything, out_shapes=shapes, source=text, fn="adbench_addresses<1>", argv=tuple(arguments))[0]

    try:
        made = jax.jit(addresses).lower(np.zeros(1)).compile()
    except (RuntimeError, ValueError) as error:
        why = str(error).splitlines()[0]
        raise BuildError(f"enzyme-ad does not compile {source.name}", why=why) from None
    halves = [int(half) for half in np.asarray(made(np.zeros(1)))]
    return [low | high << 32 for low, high in zip(halves[::2], halves[1::2], strict=True)], made


def flags() -> list[str]:
    """What its compiler is told: it has no driver that would know. glibc's inline functions, which __OPTIMIZE__ brings,
    are written for another compiler."""
    return ["-O3", *target(), "-std=c++17", "-w", "-U__OPTIMIZE__"]


class OriginalRunner(NativeRunner):
    """Reverse mode, or what else the workload's ``enzyme`` source asks for."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._flags = tuple(flags())
        self._headers = headers()
        if self.relaxed:
            self._flags = (*self._flags, *RELAXED, *(["-fveclib=libmvec"] if has_vector_math() else []))
        self._modules: dict[Function, tuple[dict[Function, int], object]] = {}

    def version(self) -> str:
        return f"enzyme-ad {importlib.metadata.version('enzyme-ad')}, jax {jax.__version__}"

    def flags(self) -> str:
        return " ".join(self._flags)

    def define(self, workload: Workload) -> int:
        self._modules.clear()
        self.workload = workload
        start = time.perf_counter_ns()
        self.entry(Function.JACOBIAN)
        return time.perf_counter_ns() - start

    def entry(self, function: Function) -> int:
        """The address of a function's entry point; its source is compiled when first asked for."""
        asked = Function.JACOBIAN if function is Function.OBJECTIVE else function
        if asked not in self._modules:
            assert self.workload is not None
            source = self.workload.native.source(STYLES.get(asked, ""))
            if source is None:
                raise Unsupported(f"{self.tool.name} has no source for {asked.value} of workload {self.workload.name}")
            self._modules[asked] = self._compile(source, (Function.OBJECTIVE, asked))
        return self._modules[asked][0][function]

    def _compile(self, source: Path, functions: tuple[Function, ...]) -> tuple[dict[Function, int], object]:
        assert self.workload is not None
        names = [ENTRY_POINTS[function] for function in functions]
        arguments = (*self._flags, *self._headers, "-I", str(self.workload.native.folder))
        found, held = compiled(source, names, arguments)
        return dict(zip(functions, found, strict=True)), held

    def batch(self, function: Function, problem: NativeProblem) -> Batch:
        return self.timer.batch(self.entry(function), problem.address, problem, self._modules)


class OriginalForwardRunner(OriginalRunner):
    """Whole derivatives by scalar forward mode: one tangent for each column."""

    def define(self, workload: Workload) -> int:
        self._modules.clear()
        self.workload = workload
        self._columns = build_library([NATIVE / "forward.c"], self.folder / "forward.so")
        start = time.perf_counter_ns()
        self.entry(Function.OBJECTIVE)
        return time.perf_counter_ns() - start

    def entry(self, function: Function) -> int:
        if Function.TANGENT not in self._modules:
            super().entry(Function.TANGENT)
        return self._modules[Function.TANGENT][0][function]

    def batch(self, function: Function, problem: NativeProblem) -> Batch:
        if function is not Function.JACOBIAN:
            return super().batch(function, problem)
        found = columns_request(problem, self.entry(Function.TANGENT), problem.direction, problem.tangent)
        if found is None:
            raise Unsupported(f"tangents do not give the derivative of workload {problem.workload.name}")
        request, owners = found
        address = self._columns.address("forward_columns")
        return self.timer.batch(address, ctypes.addressof(request), request, owners, self._modules)
