"""The tape that a plan states, against the bytes that the running program counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from adbench.tools.base import load_runner
from adbench.tools.registry import get_tool
from adbench.workloads import get_workload
from adbench.workloads.base import Function
from benchmarks.peak_memory import Peak, Plan, counted, sizes_of
from benchmarks.variants import find_case

CASES = [
    "gmm/d10_K25_n1000",
    "ba/n49_m7776_p31843",
    "lstm/l2_c1024",
    pytest.param("ht/simple_small_c100", marks=pytest.mark.slow),
    "rk4/n40_steps200",
    "nbody/n20_steps50",
    pytest.param("ode/n100_s100", marks=pytest.mark.slow),
    pytest.param("fft/iterative_n1024", marks=pytest.mark.slow),
]


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", CASES)
def test_the_tape_is_what_the_plan_says(name: str) -> None:
    workload, case = find_case(name)
    source = workload.native.source("enzyme")
    assert source is not None
    inputs = workload.inputs(case, 1)
    plan = Plan.of(source, workload, sizes_of(workload, case.dimensions, inputs))
    assert not plan.missing
    assert Peak(name, 0, 0, plan.bytes, counted(source, workload, inputs), 0, 0, 0).told


def test_scratch_for_several_iterations_is_stated() -> None:
    workload, case = find_case("network/8-8-8-3_n32")
    source = workload.native.source("enzyme")
    assert source is not None
    plan = Plan.of(source, workload, sizes_of(workload, case.dimensions, workload.inputs(case, 1)))
    # two layers of 8 numbers, 3 scores and their shadows, in blocks of 2048 bytes, and 8 rows of 8 numbers of the data
    assert plan.room == 2 * (2048 - 64) * 2 + 2 * (2048 - 24) + 8 * 64
    peak = Peak("a", primal=10_000, gradient=31_000, stated=1000, counted=1000, left=0, heap=0, stack=0)
    assert not peak.right and replace(peak, room=plan.room).right


def test_what_is_judged_of_a_gradient() -> None:
    fine = Peak("a", primal=100_000, gradient=300_000, stated=100_000, counted=109_000, left=0, heap=0, stack=0)
    assert fine.right and fine.verdict == "as stated"
    more = Peak("a", primal=100_000, gradient=305_000, stated=100_000, counted=112_000, left=8, heap=0, stack=0)
    assert not more.right
    assert more.verdict == "takes 1.02 times what it may; the tape is 1.12 times what is stated; 8 bytes are still held"
    lanes = Peak("a", primal=100_000, gradient=305_000, stated=0, counted=0, left=0, heap=0, stack=0, lanes=3)
    assert lanes.right
    unknown = Peak("a", 1000, 1000, None, 99, 0, 0, 0, missing="a recursion")
    assert unknown.right and unknown.verdict == "not stated: a recursion"


@pytest.mark.slow
def test_a_run_counts_them(tmp_path: Path) -> None:
    problem = get_workload("gmm")
    case = problem.cases("small")[0]
    runner = load_runner(get_tool("enzyme"), tmp_path)
    runner.define(problem)
    prepared = runner.prepare(Function.JACOBIAN, problem.inputs(case, 1))
    assert prepared.tape is not None
    first = prepared.tape()
    assert 500 < first < 10_000
    assert prepared.tape() == first  # the most of one derivative, not of all so far
