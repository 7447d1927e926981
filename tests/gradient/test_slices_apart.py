"""Slices of one block are asked for as arrays are: whether they are apart, where they look like it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import enzyme
from enzyme import Config
from enzyme.cli import main

_HEAD = """
#include <math.h>
extern double __enzyme_autodiff(void *, ...);
extern double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;
extern long enzyme_tape_peak;
"""
STEPS = """
void f(double *w, int n, int m, long gap) {
    double *u = w, *v = w + GAP, *next = w + 2 * GAP;
    for (int step = 0; step < 4; step++) {
        for (int i = 1; i + 1 < n; i++)
            for (int j = 1; j + 1 < m; j++) {
                int o = i * m + j;
                next[o] = u[o - 1] * v[o + 1] + u[o + m] / (2 + v[o - m] * v[o - m]);
            }
        for (int i = 1; i + 1 < n; i++)
            for (int j = 1; j + 1 < m; j++) v[i * m + j] = 0.5 * next[i * m + j];
    }
}
"""
CALL = """
void gradient(double *w, double *dw, int n, int m, long gap) {
    __enzyme_autodiff((void *)f, enzyme_dup, w, dw, n, m, gap);
}
void along(double *w, double *dw, int n, int m, long gap) {
    __enzyme_fwddiff((void *)f, enzyme_dup, w, dw, n, m, gap);
}
long peak(void) { return enzyme_tape_peak; }
"""
SIZES = STEPS.replace("GAP", "(long)n * m")
GIVEN = STEPS.replace("GAP", "gap")


def _versions(body: str, **settings: object) -> set[str]:
    """The names of the versions that derivatives are made of."""
    config = Config(**settings)  # type: ignore[arg-type]
    text = enzyme.compile(_HEAD + body + CALL.replace("return enzyme_tape_peak", "return 0"), config=config)
    ir = text.ir("differentiated")
    return {version for version in ("apart", "otherwise") if f"@f.{version}.reverse" in ir}


@pytest.mark.parametrize(
    ("body", "made"),
    [
        (SIZES, True),
        (GIVEN, True),
        (SIZES.replace("double *w", "double *restrict w"), True),
        (SIZES.replace("w + 2 * (long)n * m", "w - (long)n * m"), True),
        (SIZES.replace("n * m", "n"), False),  # whatever the sizes are, they overlap
        (SIZES.replace("(long)n * m", "1000"), False),  # known
        (SIZES.replace("double *v", "w[gap] = w[2 * gap]; double *v"), True),
    ],
    ids=["sizes", "given", "restrict", "before", "overlapping", "known", "elements"],
)
def test_which_are_asked_for(body: str, made: bool) -> None:
    assert bool(_versions(body)) is made
    assert _versions(body, slices_apart=False) == set()
    assert _versions(body, arrays_apart=False) == set()


@pytest.mark.thinned(2)
@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("body", [SIZES, GIVEN], ids=["sizes", "given"])
def test_tape_and_gradient(body: str, level: int) -> None:
    """Apart, what is not overwritten is read again, also where nothing is known of the sizes; gradients are right in
    any case."""
    n, m, rng = 12, 9, np.random.default_rng(level)
    peaks = []
    for config in (Config(count_tape=True), Config(count_tape=True, slices_apart=False)):
        module = enzyme.compile(_HEAD + body + CALL, opt_level=level, config=config)
        for gap in (n * m, n * m - 30, 3, 0, 2 * n * m):
            w, v, seed = rng.uniform(0.2, 0.8, (3, 6 * n * m))
            tangent, shadow = v.copy(), seed.copy()
            module["along"](w.copy(), tangent, n, m, gap)
            module["gradient"](w.copy(), shadow, n, m, gap)
            assert shadow @ v == pytest.approx(seed @ tangent, rel=1e-12)
            if gap == n * m:
                peaks.append(module["peak"]())
    assert peaks[0] < (0.7 if body == GIVEN else 1.02) * peaks[1]  # blocks begin with a line, wherever the stack is


def test_what_is_held_and_shifted_by_the_program_itself() -> None:
    """Slices of a member of a struct; sizes that are shifts by other sizes, which are tried as numbers, too."""
    held = """
    struct room { double *w; int n, m; long gap; };
    void f(struct room *r) {
        double *u = r->w, *v = r->w + r->gap;
        for (int i = 0; i < r->n; i++)
            for (int j = 0; j < r->m; j++) v[i] = 0.7 * v[i] + 0.1 * u[j] * u[i] * v[j];
    }
    void gradient(struct room *r, struct room *d) { __enzyme_autodiff((void *)f, enzyme_dup, r, d); }
    """
    assert "@f.apart.reverse" in enzyme.compile(_HEAD + held).ir("differentiated")
    assert _versions(GIVEN.replace("2 * gap", "2 * (gap << (m - 40))"))


def test_explain_names_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "steps.c"
    source.write_text(_HEAD + SIZES + CALL.replace("return enzyme_tape_peak", "return 0"))
    assert main(["explain", "-O2", str(source)]) == 0
    assert "slices of w" in capsys.readouterr().out
