"""Derivatives of the harness's workloads under one configuration each, bound to an input: what benchmarks time."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, cast

import enzyme
from adbench.measuring import Batch
from adbench.native.problem import NativeProblem
from adbench.native.timing import NativeTimer
from adbench.process.server import peak_memory, reset_peak_memory, return_memory
from adbench.tools.native_runner import ENTRY_POINTS, native_outputs
from adbench.workloads import get_workload
from adbench.workloads.base import Case, Function, Outputs, Size, Workload
from benchmarks.matrix_loops import LOOPS as MATRIX_LOOPS
from benchmarks.matrix_loops import MatrixLoop
from benchmarks.step_loops import LOOPS as STEP_LOOPS
from benchmarks.step_loops import StepLoop
from enzyme.optimise import optimise_program
from enzyme.support.config import Config

CASES = (
    "gmm/d10_K25_n1000", "lstm/l2_c1024", "ba/n49_m7776_p31843", "ht/complicated_small_c100", "ode/n100_s100",
    "kmeans/n1000_k10_d8", "llsq/n1024_m64", "lse/n10000", "rk4/n40_steps200", "euler/n8_steps1000",
    "fft/iterative_n1024", "nbody/n20_steps50", "network/16-16-16-10_n64",
    "brusselator/n32_steps50", "descent/n20_steps100", "det/ell7", "norm/n1024", "particle/rr_rate10",
    "relax/n16_sweeps20", "relu3/n1000", "saddle/rr", *(f"matrix/{loop}" for loop in MATRIX_LOOPS),
    *(f"steps/{loop}" for loop in STEP_LOOPS),
)  # fmt: skip
"""One case of each workload, of a size that takes micro- to milliseconds, and loops over matrices and steps."""
OWN: dict[str, type[MatrixLoop | StepLoop]] = {each.name: each for each in (MatrixLoop, StepLoop)}
"""Workloads that are only here, by name."""


def find_case(name: str) -> tuple[Workload, Case]:
    workload_name, _, case_name = name.partition("/")
    workload = OWN[workload_name](case_name) if workload_name in OWN else get_workload(workload_name)
    cases = {case.name: case for size in Size for case in workload.cases(size)}
    if case_name and case_name not in cases:
        raise SystemExit(f"{workload_name} has no case {case_name}: {', '.join(cases)}")
    return workload, cases[case_name] if case_name else workload.cases(Size.SMALL)[-1]


class _Watched:
    """A configuration that remembers what of it is read."""

    def __init__(self, config: Config) -> None:
        self.config, self.read = config, set[str]()

    def __getattr__(self, name: str) -> Any:
        self.read.add(name)
        return getattr(self.config, name)


class Variant:
    """The derivative under one configuration, bound to one input.

    Those that are compared take the arrays of one of them, ``like``: where arrays lie is worth up to 15 % by itself."""

    def __init__(
        self,
        workload: Workload,
        inputs: Any,
        config: Config,
        timer: NativeTimer,
        pipeline: str,
        like: Variant | None = None,
    ) -> None:
        source = workload.native.source("enzyme")
        assert source is not None, f"{workload.name} has no source for our engine"
        flags = workload.flags if isinstance(workload, tuple(OWN.values())) else ()
        folder = workload.native.folder
        module = enzyme.compile(source, config=config, pipeline=pipeline, cflags=flags, include_dirs=[folder])
        self.config, self.pipeline = config, pipeline
        self.problem = NativeProblem(workload, inputs) if like is None else like.problem
        self._module, self._timer = module, timer
        self.best = float("inf")

    def same_code(self, other: Variant, off: str) -> bool:
        """Whether the one without the optimisation ``off`` is the other; only where that is open, LLVM is asked."""
        same = self._module.ir("differentiated") == other._module.ir("differentiated")
        return (same and off not in other.optimiser_reads) or self._module.ir() == other._module.ir()

    @cached_property
    def optimiser_reads(self) -> frozenset[str]:
        """Settings that are looked at after differentiation."""
        watched = _Watched(self.config)
        optimise_program(self._module.ir("differentiated"), 2, self.pipeline, cast(Config, watched))
        return frozenset(watched.read)

    def batch(self, function: Function) -> Batch:
        entry = self._module[ENTRY_POINTS[function]]
        return self._timer.batch(entry.address, self.problem.address, self.problem, entry)

    def call(self, function: Function) -> Callable[[], None]:
        """The entry point as Python calls it, with as little around it as there can be."""
        entry = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._module[ENTRY_POINTS[function]].address)
        return partial(entry, self.problem.address)

    def outputs(self) -> Outputs:
        self.batch(Function.JACOBIAN)(1, 1)
        return native_outputs(Function.JACOBIAN, self.problem)

    def memory(self) -> int:
        """Bytes that one call takes at its peak."""
        batch = self.batch(Function.JACOBIAN)
        return_memory()
        reset_peak_memory()
        before = peak_memory()
        batch(1, 1)
        return max(0, peak_memory() - before)


def measure_in_turns(variants: Sequence[Variant], seconds: float) -> float:
    """Short measurements of each, in turns, until each had its ``seconds``; the least is kept in ``best``. Returned is
    the primal's, measured alike."""
    batches = [variant.batch(Function.JACOBIAN) for variant in variants]
    first = max(batch(1, 1)[0] for batch in batches)
    inner = max(1, round(2e6 / max(first, 1)))
    primal, least = variants[0].batch(Function.OBJECTIVE), float("inf")
    end = time.perf_counter() + seconds * len(variants)
    turns = 0
    while turns < 5 or time.perf_counter() < end:
        least = min(least, primal(inner, 1)[0] / 1e9)
        for variant, batch in zip(variants, batches, strict=True):
            variant.best = min(variant.best, batch(inner, 1)[0] / 1e9)
        turns += 1
    return least
