"""Products of complex numbers: where they are taken apart and kept from vectors over iterations, and where not."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme

SOURCE = """
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
static double f(REAL *__restrict x, const REAL *__restrict w, long n, long step, const long *at) {
  for (long k = 0; k < n; k++) { BODY }
  double s = 0;
  for (long k = 0; k < 4 * n; k++) s += x[k] * x[k];
  return s;
}
double primal(REAL *x, const REAL *w, long n, long step, const long *at) { return f(x, w, n, step, at); }
void gradient(REAL *x, REAL *dx, const REAL *w, long n, long step, const long *at) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, w, enzyme_const, n, enzyme_const, step,
                    enzyme_const, at);
}
"""
BUTTERFLY = """
    REAL *a = x + 2 * k, *b = x + 2 * n + 2 * k;
    const REAL *c = w + PLACE;
    REAL re = b[0] * c[0] - b[1] * c[1], im = b[0] * c[1] + b[1] * c[0];
    b[0] = a[0] - re, b[1] = a[1] - im, a[0] += re, a[1] += im;
"""
CONJUGATE = BUTTERFLY.replace("- b[1] * c[1]", "+ b[1] * c[1]").replace("b[0] * c[1] + b[1]", "-b[0] * c[1] + b[1]")
SQUARE = """
    REAL *a = x + 2 * k * step, re = a[0] * a[0] - a[1] * a[1], im = a[0] * a[1] + a[1] * a[0];
    a[0] = re, a[1] = im;
"""
APART = {"steps": BUTTERFLY.replace("PLACE", "2 * k * step"), "conjugate": CONJUGATE.replace("PLACE", "2 * k * step")}
IN_A_ROW = {
    "all in a row": BUTTERFLY.replace("PLACE", "2 * k"),
    "one for all": BUTTERFLY.replace("PLACE", "2 * step"),
    "a number beside": BUTTERFLY.replace("PLACE", "2 * k * step") + "a[0] *= w[k];",
    "more blocks": BUTTERFLY.replace("PLACE", "2 * k * step") + "if (at[k]) a[0] = a[1] = 1 / a[0];",
}
NONE = {
    "only the real part": "x[k] = x[k] * w[2 * k * step] - x[2 * n + k] * w[2 * k * step + 1];",
    "other numbers": """
    REAL *a = x + 2 * k, *b = x + 2 * n + 2 * k;
    const REAL *c = w + 2 * k * step;
    REAL re = b[0] * c[0] - b[1] * c[1], im = b[0] * c[0] + a[1] * c[1];
    b[0] = a[0] - re, b[1] = a[1] - im, a[0] += re, a[1] += im;
""",
    "two sums": BUTTERFLY.replace("- b[1] * c[1]", "+ b[1] * c[1]").replace("PLACE", "2 * k * step"),
}
MARK = '!"llvm.loop.vectorize.enable", i1 false'


def made(body: str, real: str = "double", **settings: bool) -> tuple[enzyme.Module, str]:
    """The program, and the text of its derivative."""
    text = SOURCE.replace("BODY", body).replace("REAL", real)
    module = enzyme.compile(text, config=enzyme.Config(**settings))  # type: ignore[arg-type]
    derivative = module.ir("differentiated").partition("@f.reverse")[2]
    assert derivative
    return module, derivative


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", [*APART, *IN_A_ROW, *NONE])
def test_where(name: str) -> None:
    body = (APART | IN_A_ROW | NONE)[name]
    module, text = made(body)
    # The one of the sum behind the loop stays.
    assert (text.count("@llvm.fmuladd.f64(") > 2) == (name in NONE)
    assert (MARK in text) == (name in APART)
    plain, without = made(body, complex_pairs=False)
    assert without.count("@llvm.fmuladd.f64(") > 2 and MARK not in without
    for n in (0, 1, 2, 5, 8, 33):
        random = np.random.default_rng(n)
        step, at = 3, np.arange(n + 1) % 2
        x, w = random.normal(size=4 * n), random.normal(size=6 * n + 8)
        found = []
        for each in (module, plain):
            dx = np.zeros(4 * n)
            each["gradient"](x.copy(), dx, w, n, step, at)
            found.append(dx)
        assert found[0] == pytest.approx(found[1], rel=1e-13, abs=1e-13)
        v = random.normal(size=4 * n)
        up, down = (module["primal"](x + sign * 1e-6 * v, w, n, step, at) for sign in (1, -1))
        assert found[0] @ v == pytest.approx((up - down) / 2e-6, rel=1e-5, abs=1e-5)


def test_places_that_depend_on_another_counter() -> None:
    """A square of what lies apart itself; and every number of a place that an array tells is LLVM's to decide."""
    assert MARK in made(SQUARE)[1]
    assert MARK not in made(BUTTERFLY.replace("PLACE", "2 * at[k]"))[1]


def test_not_for_floats() -> None:
    """A register has four of them, so that pairs would waste a half."""
    _, text = made(APART["steps"], "float")
    assert MARK not in text
    assert text.count("@llvm.fmuladd.f32(") >= 2


def test_only_what_may_be_contracted() -> None:
    """What the program may not fuse has no flag that says so; the loop is left to pairs all the same."""
    module = enzyme.compile(
        SOURCE.replace("BODY", APART["steps"]).replace("REAL", "double"), cflags=["-ffp-contract=off"]
    )
    text = module.ir("differentiated").partition("@f.reverse")[2]
    assert MARK in text
    assert "contract" not in text
