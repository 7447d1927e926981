"""Loops that store results, read for iterations what is overwritten later, and run these again, several at once."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pytest

import enzyme
from enzyme.analysis.alias import AliasAnalysis, ModuleSummaries
from enzyme.analysis.loops import LoopForest
from enzyme.cli import main
from enzyme.gradient.edge_accesses import edge_accesses
from enzyme.ir.parser import parse_module
from enzyme.rules.known import known_callee
from enzyme.support.config import Config

Array: TypeAlias = npt.NDArray[np.float64]

STEPS = "for (int t = 0; t < 40; t++) { double r = 1 / (a * a + b * b + 1); a += 0.1 * b * r, b -= 0.1 * a * r; }"
UNTIL = "while (fabs(a * a * a - b) > 1e-9) a -= (a * a * a - b) / (3 * a * a + 0.1);"
SINES = "for (int t = 0; t < 40; t++) a = 0.5 * a + b * sin(a);"


def source(body: str, restrict: str = "restrict", ask: str = "", count: str = "i < n") -> str:
    mark = f'__attribute__((annotate("enzyme_loops={ask}"))) ' if ask else ""
    return f"""
#include <math.h>
{mark}void f(double *{restrict} x, double *{restrict} y, int n) {{
    for (int i = 0; {count}; i++) {{ {body} }}
}}
"""


def explained(path: Path, capsys: pytest.CaptureFixture[str], text: str) -> str:
    path.write_text(text)
    assert main(["explain", str(path), "--function", "f", "--args", "dup,dup,const"]) == 0
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("body", "at_once"),
    [
        (f"double a = x[i], b = 1; {STEPS} y[i] = a;", True),
        (f"double a = x[2 * i], b = x[2 * i + 1]; {STEPS} y[2 * i] = a, y[2 * i + 1] = b;", True),
        (f"double a = y[i], b = 1; {STEPS} y[i] = a;", True),
        (f"double a = y[i + 3], b = 1; {STEPS} y[i] = a;", True),
        (f"double a = y[2 * i + 1], b = y[2 * i]; {STEPS} y[2 * i] = a, y[2 * i + 1] = b;", True),
        (f"double a = y[i], b = 1; {STEPS} y[i + 3] = a;", False),  # read by one that would run at the same time
        (f"double a = y[i], b = y[n - i]; {STEPS} y[i] = a;", False),
        (f"double a = y[0], b = x[i]; {STEPS} y[0] = a;", False),
    ],
)
def test_several_at_once_where_none_reads_what_another_stores(
    body: str, at_once: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = explained(tmp_path / "f.c", capsys, source(body, ask="recompute"))
    assert "runs its iterations in the reverse sweep" in text
    assert ("in the reverse sweep, 8 at once" in text) == at_once


@pytest.mark.parametrize(
    "body",
    [
        f"double a = x[i], b = 1; {STEPS} if (i % 3) y[i] = a;",
        f"double a = x[i], b = 1; {STEPS} y[i] = a; for (int j = 0; j < i; j++) b += y[j] * a; y[n + i] = b;",
        f"double a = x[i], b = 1; {STEPS} y[(int)x[i]] = a;",
        f"double a = x[i], b = 1; {STEPS} *(volatile double *)(y + i) = a;",
    ],
)
def test_loops_that_cannot_store_for_their_iterations(
    body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = explained(tmp_path / "f.c", capsys, source(body, ask="recompute"))
    assert "loop at line 4 keeps its tape, though the function asks for 'recompute'" in text


@pytest.mark.parametrize(
    ("body", "runs"),
    [
        (f"double a = x[i], b = 1; {STEPS} y[i] = a;", True),
        (f"double a = x[i], b = 1; {UNTIL} y[i] = a;", False),  # one at a time, waiting for divisions
        (f"double a = x[i], b = 1; {SINES} y[i] = a;", False),  # most of the time is one sine after another
    ],
)
def test_iterations_run_twice_where_that_pays(
    body: str, runs: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = explained(tmp_path / "f.c", capsys, source(body))
    assert ("runs its iterations in the reverse sweep, 8 at once" in text) == runs
    assert ("to run the iterations once more costs more" in text) != runs


def test_arrays_are_asked_whether_they_are_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    body = f"double a = x[i], b = 1; {STEPS} y[i] = a;"
    text = explained(tmp_path / "f.c", capsys, source(body, restrict=""))
    assert "whether the arrays that x and y lead to are apart" in text
    assert text.count("in the reverse sweep, 8 at once") == 1
    assert "apart" not in explained(tmp_path / "f.c", capsys, source(body.replace(STEPS, UNTIL), restrict=""))
    monkeypatch.setenv("ENZYME_OFF", "stored_results")
    assert "it writes memory that is seen elsewhere" in explained(tmp_path / "f.c", capsys, source(body))


@pytest.mark.thinned(4)
@pytest.mark.parametrize("pipeline", ["pre", "post"])
@pytest.mark.parametrize("at", [0, 3, 8, 40])
def test_overlapping_arrays(at: int, pipeline: str) -> None:
    """One array, ``y`` a part of it that begins so many elements behind ``x``."""
    text = source(f"double a = x[i], b = 1; {STEPS} y[i] = a + 0.1 * b;", restrict="", ask="recompute")
    configs = (Config(), Config(check_plan=True, count_tape=True), Config(stored_results=False))
    found: list[Array] = []
    for config in configs:
        module = enzyme.compile(text, config=config, pipeline=pipeline)
        x, shadow = np.linspace(0.2, 1.4, 80), np.linspace(1, 2, 80)
        module.autodiff("f", ["dup", "dup", "const"])((x, shadow), (x[at:], shadow[at:]), 27)
        found.append(shadow)
    for each in found[:-1]:
        np.testing.assert_allclose(each, found[-1], rtol=1e-12)


LOOP = """
define void @f(ptr noalias %x, ptr %y, ptr %z, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %px = getelementptr double, ptr %x, i64 %i
  %py = getelementptr double, ptr %y, i64 %i
  %pz = getelementptr double, ptr %z, i64 %i
  BODY
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
declare void @other()
"""


@pytest.mark.parametrize(
    ("body", "first", "last"),
    [
        ("%a = load double, ptr %px\n store double %a, ptr %py", [], ["py"]),  # nothing overwrites x
        ("%a = load double, ptr %pz\n store double %a, ptr %py", ["pz"], ["py"]),
        ("store double 1.0, ptr %py\n %a = load double, ptr %pz\n store double %a, ptr %px", [], ["px"]),
        ("store double 1.0, ptr %py\n %a = load double, ptr %px\n store double %a, ptr %px", ["px"], ["py", "px"]),
        ("store double 1.0, ptr %py\n store double 2.0, ptr %pz", [], ["py", "pz"]),  # in their order
        ("store double 1.0, ptr %py\n call void @other()\n store double 2.0, ptr %px", [], ["px"]),
        ("call void @other()\n %a = load double, ptr %px\n store double %a, ptr %px", [], ["px"]),
        ("%a = load ptr, ptr %pz\n store ptr %a, ptr %py", [], []),
        ("%a = load volatile double, ptr %pz\n store atomic double %a, ptr %py unordered, align 8", [], []),
    ],
)
def test_what_a_loop_reads_and_stores(body: str, first: list[str], last: list[str]) -> None:
    module = parse_module(LOOP.replace("BODY", body))
    function = module.functions["f"]
    alias = AliasAnalysis(function, module, known_callee, ModuleSummaries(module, known_callee))
    found = edge_accesses(alias, LoopForest(alias.pointers.cfg, alias.pointers.domtree).loops[0])
    assert [load.pointer.name for load in found.first] == first
    assert [store.pointer.name for store in found.last] == last
