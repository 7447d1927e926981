"""Loops that add to numbers in memory where a table says, or look up numbers, and run several iterations at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import enzyme
from enzyme.cli import main
from enzyme.support.config import Config

WORK = "double p = x[{0}] + 2, q = sqrt(1 + p * p) / (2 + p), r = 1 / (p + q + 3) + q / (1 + p * p);"
HERE = WORK.format("i")
THERE = WORK.format("k[i]")


def explained(path: Path, capsys: pytest.CaptureFixture[str], body: str, restrict: str = "restrict") -> str:
    path.write_text(f"""
#include <math.h>
void f(double *{restrict} x, double *{restrict} y, int *{restrict} k, int n) {{
    for (int i = 0; i < n; i++) {{ {body} }}
}}
""")
    assert main(["explain", str(path), "--function", "f", "--args", "dup,dup,const,const"]) == 0
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "body",
    [
        f"{HERE} y[k[i]] += r;",
        f"{HERE} y[k[i]] -= r * q;",
        f"{THERE} y[k[i]] += r, y[k[n + i]] -= r * p;",  # errno might be in the table, but that is one number
        f"{THERE} y[k[i]] += r, y[k[i] + 1] = y[k[i] + 1] + p * r - q;",
        f"{HERE} y[k[k[i]]] += r;",
        f"{HERE} y[(k[i] + 1) % n] += r * p;",
        f"{HERE} int at = k[i] < 0 ? 0 : k[i] > 9 ? 9 : k[i]; y[at] += r * q;",
        f"{HERE} y[(int)p] += r, y[(int)p + 1] += q * p;",
        f"{HERE} y[k[i]] += r, y[i] += p * q;",
    ],
)
def test_several_at_once(body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "runs its iterations in the reverse sweep, 8 at once" in explained(tmp_path / "f.c", capsys, body)


@pytest.mark.parametrize(
    "body",
    [
        f"{HERE} double s = y[k[i]] + r; y[k[i]] = s; y[n + i] = s * q;",  # the sum itself is used
        f"{HERE} y[k[i]] *= r;",
        f"{HERE} y[k[i]] += r * y[0];",
        f"{HERE} y[k[i]] = r - y[k[i]];",
        f"{HERE} k[n + k[i]]++, y[k[i]] += r * q;",  # counts might be in the table
        f"{HERE} k[i + 1] += k[i]; y[k[i]] += r * p;",  # the next iteration's table
        f"{HERE} *(volatile double *)(y + k[i]) += r;",
        f"{HERE} if (q > r) y[k[i]] += r;",
        f"{HERE} ((double **)y)[i][k[i]] += r * q;",  # the iteration would hand on where the row is
        "y[k[i]] += x[i];",  # too little work
    ],
)
def test_loops_that_keep_their_tapes(body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "8 at once" not in explained(tmp_path / "f.c", capsys, body)


@pytest.mark.parametrize(
    ("body", "at_once"),
    [
        (f"{THERE} s += r * q;", True),
        (f"{THERE} s += r, s -= x[k[n + i]] * q;", True),
        (f"{HERE} s += r * q;", False),  # nothing is looked up: LLVM makes vectors of it
        ("s += x[k[i]] * y[i];", False),
        (f"{THERE} if (q > r) s += r * log(p); else s -= q / r;", False),
        (f"{THERE} s += r * q; if (s > 40) break;", False),
    ],
)
def test_numbers_that_are_looked_up(
    body: str, at_once: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "f.c"
    path.write_text(f"""
#include <math.h>
double f(double *restrict x, double *restrict y, int *restrict k, int n) {{
    double s = 0;
    for (int i = 0; i < n; i++) {{ {body} }}
    return s;
}}
""")
    assert main(["explain", str(path), "--function", "f", "--args", "dup,dup,const,const"]) == 0
    assert ("8 at once" in " ".join(capsys.readouterr().out.split())) == at_once


@pytest.mark.parametrize(("first", "end", "at_once"), [("k[i]", "k[i + 1]", True), ("0", "9", True), ("0", "7", False)])
def test_rows(first: str, end: str, at_once: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.c"
    path.write_text(f"""
#include <math.h>
double f(double *restrict x, double *restrict y, int *restrict k, int n) {{
    double s = 0;
    for (int i = 0; i < n; i++)
        for (int j = {first}; j < {end}; j++) {{ {WORK.format("k[n + 9 * i + j]")} s += r * q * y[i]; }}
    return s;
}}
""")
    assert main(["explain", str(path), "--function", "f", "--args", "dup,dup,const,const"]) == 0
    assert ("8 at once" in capsys.readouterr().out) == at_once


@pytest.mark.parametrize("rounds", [0, 1, 7, 8, 9, 17])
def test_short_rows_run_as_they_were(rounds: int) -> None:
    """Rows of so many entries, the last of one less or more."""
    text = f"""
#include <math.h>
double f(double *restrict x, double *restrict y, int *restrict k, int n) {{
    double s = 0;
    for (int i = 0; i < n; i++)
        for (int j = k[i]; j < k[i + 1]; j++) {{ {WORK.format("k[n + 1 + j]")} s += r * q * y[i]; }}
    return s;
}}
"""
    rows = np.array([0, rounds, 2 * rounds, 2 * rounds, 3 * rounds, 4 * rounds + 1], dtype=np.int32)
    table = np.concatenate([rows, np.arange(rows[-1], dtype=np.int32) * 5 % 7]).astype(np.int32)
    found = []
    for config in (Config(), Config(scattered_sums=False)):
        x, y = np.linspace(0.2, 1.4, 7), np.linspace(1, 2, 5)
        shadows = np.zeros(7), np.zeros(5)
        gradient = enzyme.compile(text, config=config).autodiff("f", ["dup", "dup", "const", "const"])
        gradient((x, shadows[0]), (y, shadows[1]), table, 5)
        found.append(np.concatenate(shadows))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)
    assert found[0].any()


def test_an_array_that_is_read_and_added_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = f"{THERE} x[k[i]] += r * q;"
    assert "8 at once" not in explained(tmp_path / "f.c", capsys, body)
    body = f"{THERE} y[k[i]] += r * q;"
    assert "8 at once" not in explained(tmp_path / "f.c", capsys, body, restrict="")


def test_numbers_in_structs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = "struct { double v, s; } *y2 = (void *)y;" + WORK.format("i").replace("x[i]", "y2[k[i]].v")
    assert "8 at once" in explained(tmp_path / "f.c", capsys, f"{body} y2[k[i]].s += r * q;")
    assert "8 at once" not in explained(tmp_path / "f.c", capsys, f"{body} y2[k[i]].v += r * q;")


@pytest.mark.parametrize("off", ["scattered_sums", "stored_results", "iterations_together", "reassociate"])
def test_it_can_be_turned_off(
    off: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f.c"
    assert "8 at once" in explained(path, capsys, f"{HERE} y[k[i]] += r;")
    monkeypatch.setenv("ENZYME_OFF", off)
    assert "8 at once" not in explained(path, capsys, f"{HERE} y[k[i]] += r;")
