"""The tape that a plan states, against the bytes that the running program counts."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import pytest

import enzyme
from adbench.native.problem import NativeProblem
from adbench.tools.base import load_runner
from adbench.tools.registry import get_tool
from adbench.workloads import get_workload
from adbench.workloads.base import Function
from enzyme.cli import main
from enzyme.support.config import Config

READ = "{0} long enzyme_tape_peak; {0} long tape_bytes(void); long tape_bytes(void) {{ return enzyme_tape_peak; }}\n"

CASES = [
    ("gmm", "d10_K25_n1000", "enzyme", "d=10,k=25,n=1000"),
    ("ba", "n49_m7776_p31843", "enzyme", ""),
    ("lstm", "l2_c1024", "enzyme", "l=2,c=1024,b=14"),
    pytest.param("ht", "simple_small_c100", "enzyme", "", marks=pytest.mark.slow),
    ("rk4", "n40_steps200", "enzyme", "n=40,steps=200,i=40"),
    pytest.param("ode", "n100_s100", "enzyme", "n=100,s=100", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("name", "case", "style", "sizes"), CASES)
def test_the_tape_is_what_the_plan_says(
    name: str, case: str, style: str, sizes: str, capsys: pytest.CaptureFixture[str]
) -> None:
    workload = get_workload(name)
    source = workload.native.source(style)
    assert source is not None
    planned = _planned(source, workload.native.folder, sizes, capsys)
    problem = NativeProblem(workload, workload.inputs(next(c for c in workload.cases("medium") if c.name == case), 1))
    is_c = source.suffix == ".c"
    module = enzyme.compile(
        READ.format("extern" if is_c else 'extern "C"') + f'#include "{source.resolve()}"\n',
        language="c" if is_c else "c++",
        include_dirs=[workload.native.folder],
        config=Config(count_tape=True),
    )
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(module["adbench_derivative"].address)(problem.address)
    measured = ctypes.CFUNCTYPE(ctypes.c_long)(module["tape_bytes"].address)()
    assert abs(measured - planned) <= 0.1 * max(measured, planned)


def _planned(source: Path, folder: Path, sizes: str, capsys: pytest.CaptureFixture[str]) -> int:
    """The most that a derivative the program asks for takes, by ``explain``; tangents have no tape."""
    assert main(["explain", str(source), "-I", str(folder), "--sizes", sizes]) == 0
    found = 0
    for report in re.split(r"^(?=gradient of )", capsys.readouterr().out, flags=re.MULTILINE)[1:]:
        if "asked for in" in report:
            line = next(line for line in report.split("\n") if "tape at its largest" in line)
            found = max(found, int(re.findall(r"(\d+) bytes$", line)[0]))
    return found


def test_a_run_counts_them(tmp_path: Path) -> None:
    problem = get_workload("gmm")
    case = problem.cases("small")[0]
    runner = load_runner(get_tool("enzyme"), tmp_path)
    runner.define(problem)
    prepared = runner.prepare(Function.JACOBIAN, problem.inputs(case, 1))
    assert prepared.tape is not None
    first = prepared.tape()
    assert 500 < first < 4000
    assert prepared.tape() == first  # the most of one derivative, not of all so far
