"""Loops that run their iterations again: the choice, what it is told by, and the same numbers either way."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pytest

import enzyme
from enzyme.cli import main
from enzyme.gradient.lower import Lowering, synthesize
from enzyme.support.config import Config
from enzyme.support.diagnostics import UsageError

Array: TypeAlias = npt.NDArray[np.float64]

BODY = """
    double s = 0, w[64];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 64; j++) w[j] = x[j] * x[i % 64];
        for (int j = 0; j < 64; j++) s += w[j] * w[j] * x[j];
    }
    return s;
"""


def gradient(config: Config, asked: str = "") -> Array:
    """The gradient by an engine of this configuration."""
    mark = f'__attribute__((annotate("enzyme_loops={asked}"))) ' if asked else ""
    module = enzyme.compile(f"{mark}double f(const double *x, int n) {{ {BODY} }}", config=config)
    x = np.linspace(0.1, 1.3, 64)
    shadow = np.zeros(64)
    module.autodiff("f", ["dup", "const"])((x, shadow), 40)
    return shadow


@pytest.mark.thinned(2)
@pytest.mark.parametrize("asked", ["", "keep", "recompute"])
@pytest.mark.parametrize("config", [Config(), Config(fuse=False), Config(iterations=False), Config(check_plan=True)])
def test_numbers_are_the_same(config: Config, asked: str) -> None:
    expected = gradient(Config(iterations=False))
    np.testing.assert_allclose(gradient(config, asked), expected, rtol=1e-13)


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ("", "which the forward sweep leaves out"),
        ("recompute", "as the function asks: 512 bytes of tape"),
        ("keep", "keeps its tape as the function asks"),
    ],
)
def test_explain_tells_what_was_compared(
    mark: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "f.c"
    asked = f'__attribute__((annotate("enzyme_loops={mark}"))) ' if mark else ""
    path.write_text(f"{asked}double f(const double *x, int n) {{ {BODY} }}\n")
    assert main(["explain", str(path), "--function", "f", "--args", "dup,const"]) == 0
    assert said in " ".join(capsys.readouterr().out.split())


def test_sums_of_squares_ask_nothing_of_the_forward_sweep(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "squares.c"
    path.write_text("""double f(const double *x, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) {
        double t = 0.01 * i, r = -t, power = 1;
        for (int j = 0; j < 64; j++) r += x[j] * power, power *= t;
        s += r * r;
    }
    return s;
}
""")
    assert main(["explain", str(path), "--function", "f", "--args", "dup,const"]) == 0
    assert "which the forward sweep leaves out" in " ".join(capsys.readouterr().out.split())
    x = np.cos(np.arange(64))
    powers = (0.01 * np.arange(30))[:, None] ** np.arange(64)
    shadow = np.zeros(64)
    enzyme.compile(path).autodiff("f", ["dup", "const"])((x, shadow), 30)
    np.testing.assert_allclose(shadow, 2 * (powers @ x - 0.01 * np.arange(30)) @ powers, rtol=1e-12)


def test_blocks_without_names() -> None:
    """Loops are found again where the program does not name its blocks."""
    text = """define double @f(ptr noalias readonly %x, i64 %n) {
  %w = alloca [64 x double]
  br label %1
1:
  %i = phi i64 [ 0, %0 ], [ %i1, %5 ]
  %s = phi double [ 0.0, %0 ], [ %s2, %5 ]
  %q = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %q
  br label %2
2:
  %j = phi i64 [ 0, %1 ], [ %j1, %2 ]
  %p = getelementptr double, ptr %w, i64 %j
  %r = getelementptr double, ptr %x, i64 %j
  %u = load double, ptr %r
  %m = fmul double %u, %v
  store double %m, ptr %p
  %j1 = add nuw nsw i64 %j, 1
  %e = icmp eq i64 %j1, 64
  br i1 %e, label %3, label %2
3:
  br label %4
4:
  %k = phi i64 [ 0, %3 ], [ %k1, %4 ]
  %s1 = phi double [ %s, %3 ], [ %s2, %4 ]
  %o = getelementptr double, ptr %w, i64 %k
  %l = load double, ptr %o
  %t = fmul double %l, %l
  %s2 = fadd double %s1, %t
  %k1 = add nuw nsw i64 %k, 1
  %f = icmp eq i64 %k1, 64
  br i1 %f, label %5, label %4
5:
  %i1 = add nuw nsw i64 %i, 1
  %g = icmp eq i64 %i1, %n
  br i1 %g, label %6, label %1
6:
  ret double %s2
}
"""
    done = Lowering("")
    synthesize(text, "f", "reverse", ("dup", "const"), "active", Config(), done=done)
    assert [each.function for each in done.engines[-1].iterations] == ["f"]
    assert done.engines[-1].dropped


def test_unknown_words_are_refused() -> None:
    with pytest.raises(UsageError, match="kept"):
        gradient(Config(), "kept")


PRAGMAS = """
#include <enzyme/utils>
double f(double *x, int n) {
    double s = 0, w[64];
    #pragma enzyme loop ASKED
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 64; j++) w[j] = x[j] * x[i % 64];
        for (int j = 0; j < 64; j++) s += w[j] * w[j] * x[j];
        WRITES
    }
    return s;
}
void g(double *x, double *d, int n) { __enzyme_autodiff((void *)f, x, d, n); }
"""


def _pragma(tmp_path: Path, asked: str, writes: str = "") -> Path:
    path = tmp_path / "f.c"
    path.write_text(PRAGMAS.replace("ASKED", asked).replace("WRITES", writes))
    return path


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("keep  // here", "keeps its tape as its pragma asks"),
        ("recompute", "runs its iterations in the reverse sweep as its pragma asks"),
        ("fuse /* here */", "runs its iterations in the reverse sweep as its pragma asks"),
    ],
)
def test_pragmas_are_shown(asked: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(_pragma(tmp_path, asked))]) == 0
    assert said in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(("asked", "lines"), [("keep", 0), ("recompute", 1), ("fuse", 1)])
def test_what_a_pragma_cannot_have_is_said(
    asked: str, lines: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _pragma(tmp_path, asked, "x[0] *= s;")
    assert main(["cc", "-O2", "-c", str(path), "-o", str(tmp_path / "f.o")]) == 0
    said = capsys.readouterr().err
    assert said.count("[-Wenzyme-loop]") == lines
    assert lines == 0 or f"f.c:6:5: warning: the pragma of this loop asks for '{asked}', but it keeps its tape" in said


def test_fuse_is_said_to_be_missed_where_iterations_run_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _pragma(tmp_path, "fuse")
    assert main(["cc", "-O2", "-c", "--enzyme-off=fuse,at_once", str(path), "-o", str(tmp_path / "f.o")]) == 0
    assert "its iterations run in the forward sweep too" in capsys.readouterr().err


def test_a_pragma_of_other_words_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cc", "-O2", "-c", str(_pragma(tmp_path, "kept")), "-o", str(tmp_path / "f.o")]) != 0
    assert "#pragma enzyme takes" in capsys.readouterr().err


CALLS = """
__attribute__((noinline)) static void ways(const double *p, double *out) {
    for (int i = 0; i < 12; i++) out[i] = sin(p[i] * p[0]);
    for (int k = 0; k < 6; k++)
        for (int i = 1; i < 12; i++) out[i] = 0.5 * out[i] * out[i - 1] + 0.4 * out[(i + k) % 12];
}
__attribute__((noinline)) static double allocates(const double *p, int m) {
    double *a = (double *)malloc(m * sizeof(double)), s = 0;
    for (int i = 0; i < m; i++) a[i] = sin(p[i % 3]) * p[1];
    for (int k = 0; k < 6; k++) for (int i = 1; i < m; i++) a[i] = a[i] * a[i - 1] + 0.5;
    for (int i = 0; i < m; i++) s += a[i] * a[i];
    free(a);
    return s;
}
"""


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("declared", "made", "said"),
    [
        ("", "double a[12]; ways(x + i, a); t = sin(a[3]) + a[5];", "which the forward sweep leaves out"),
        ("double r = 0;", "double a[12]; ways(x + i, a); r = sin(r * a[3]); t = r;", "in the reverse sweep"),
        ("", "t = sin(allocates(x + i, 12 + i % 3));", "which the forward sweep leaves out"),
        ("double a[12] = {0};", "ways(x + i, a); a[i % 12] = 1; t = a[5] * a[4];", ""),
    ],
)
def test_what_calls_keep_is_counted(
    declared: str, made: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A loop that leaves little itself runs its iterations again where the functions that it calls leave much."""
    path = tmp_path / "f.c"
    path.write_text(f"""#include <math.h>
#include <stdlib.h>
{CALLS}
double f(const double *x, int n) {{
    double s = 0; {declared}
    for (int i = 0; i < n; i++) {{ double t; {made} s += t; }}
    return s;
}}
""")
    assert main(["explain", str(path), "--function", "f", "--args", "dup,const"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert said in shown
    module = enzyme.compile(path.read_text())
    x, step = 0.6 + 0.3 * np.cos(np.arange(60.0)), 1e-6
    shadow = np.zeros(60)
    module.autodiff("f", ["dup", "const"])((x, shadow), 40)
    moved = [module["f"](x + sign * step * np.sin(np.arange(60.0)), 40) for sign in (1, -1)]
    np.testing.assert_allclose(shadow @ np.sin(np.arange(60.0)), (moved[0] - moved[1]) / (2 * step), rtol=1e-6)


@pytest.mark.parametrize(
    ("body", "left_out"),
    [
        ("s += 0.5 * (x[i + 1] - x[i]) * (sin(x[i + 1]) + sin(x[i]));", True),
        ("s += x[i] * cos(x[i] * x[i]);", True),
        ("s += x[i] * exp(x[i] * x[i]);", False),  # which is its own derivative
        ("s = sin(s * x[i]);", False),
    ],
)
def test_a_sine_is_computed_beside_its_cosine(
    body: str, left_out: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the forward sweep would only keep the one for the reverse sweep, which computes the other."""
    path = tmp_path / "angles.c"
    function = (
        f"double f(const double *x, int n) {{ double s = 0; for (int i = 0; i < n; i++) {{ {body} }} return s; }}"
    )
    path.write_text("#include <math.h>\n" + function)
    assert main(["explain", str(path), "--function", "f", "--args", "dup,const"]) == 0
    assert ("which the forward sweep leaves out" in " ".join(capsys.readouterr().out.split())) is left_out
