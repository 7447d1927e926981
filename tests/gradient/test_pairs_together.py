"""Loops over complex numbers whose iterations run two at once: which, and that arrays that meet are found out."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme
from enzyme.gradient.complex_pairs import TOGETHER
from enzyme.gradient.pairs_together import with_pairs_together

SOURCE = """
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
static double f(double *x, const double *w, long n, long off, long step, const long *at) {
  for (long k = FIRST; MORE; NEXT) { BODY }
  double s = 0;
  for (long k = 0; k < 120; k++) s += (1 + 0.01 * k) * x[k] * x[k];
  return s;
}
double primal(double *x, const double *w, long n, long off, long step, const long *at) {
  return f(x, w, n, off, step, at);
}
void gradient(double *x, double *dx, const double *w, long n, long off, long step, const long *at) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, w, enzyme_const, n, enzyme_const, off,
                    enzyme_const, step, enzyme_const, at);
}
"""
BUTTERFLY = """
    double *a = x + 40 + 2 * k, *b = x + 40 + PLACE;
    const double *c = w + 2 * k * step;
    double re = b[0] * c[0] - b[1] * c[1], im = b[0] * c[1] + b[1] * c[0];
    b[0] = a[0] - re, b[1] = a[1] - im, a[0] += re, a[1] += im;
"""
TURNED = """
    double *a = x + 40 + 2 * k;
    const double *c = w + 2 * k * step;
    double re = a[0] * c[0] - a[1] * c[1], im = a[0] * c[1] + a[1] * c[0];
    a[0] = re, a[1] = im;
"""
CHAINED = """
    double *a = x + 40 + 2 * k, *b = x + 38 + 2 * k;
    const double *c = w + 2 * k * step;
    double re = b[0] * c[0] - b[1] * c[1], im = b[0] * c[1] + b[1] * c[0];
    a[0] = re, a[1] = im;
"""
UP = "0", "k < n", "k++"
DOWN = "n - 1", "k >= 0", "k--"
TWO = "pairs.two"


def made(body: str, way: tuple[str, str, str] = UP, **settings: bool) -> enzyme.Module:
    text = SOURCE.replace("BODY", body)
    for name, what in zip(("FIRST", "MORE", "NEXT"), way, strict=True):
        text = text.replace(name, what)
    return enzyme.compile(text, config=enzyme.Config(vector_bytes=32, **settings))  # type: ignore[arg-type]


def gradient(module: enzyme.Module, n: int, off: int, step: int) -> tuple[np.ndarray, np.ndarray]:
    """What the program leaves in x, and the gradient."""
    random = np.random.default_rng(n)
    x, w, dx = random.normal(size=120), random.normal(size=240), np.zeros(120)
    module["gradient"](x, dx, w, n, off, step, (np.arange(40) * 7) % 19)
    return x, dx


@pytest.mark.thinned(2)
@pytest.mark.parametrize("way", [UP, DOWN])
@pytest.mark.parametrize(
    "body", [BUTTERFLY.replace("PLACE", "2 * (k + off)"), BUTTERFLY.replace("PLACE", "2 * k + off")]
)
def test_arrays_that_meet(body: str, way: tuple[str, str, str]) -> None:
    """Rows that lie on one another, next to each other, half a number apart, and behind each other."""
    together, plain = made(body, way), made(body, way, pairs_together=False)
    assert TWO in together.ir() and TWO not in plain.ir()
    for n in (0, 1, 2, 3, 4, 5, 8, 9, 17):
        for off in (*range(-5, 6), -17, 17, 18):
            for step in (0, 1, 3):
                for mine, theirs in zip(gradient(together, n, off, step), gradient(plain, n, off, step), strict=True):
                    assert mine == pytest.approx(theirs, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("way", [UP, DOWN])
def test_numbers_that_meet_no_other(way: tuple[str, str, str]) -> None:
    together, plain = made(TURNED, way), made(TURNED, way, pairs_together=False)
    assert TWO in together.ir()
    for n in (0, 1, 4, 7, 16):
        for mine, theirs in zip(gradient(together, n, 0, 2), gradient(plain, n, 0, 2), strict=True):
            assert mine == pytest.approx(theirs, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize(
    "body",
    [
        CHAINED,  # the next iteration reads what this one writes
        BUTTERFLY.replace("PLACE", "2 * at[k]"),  # places that nothing is known of
        "for (long j = 0; j < 3; j++) {" + TURNED.replace("2 * k", "6 * k + 2 * j") + "}",  # entered again and again
    ],
)
def test_not(body: str) -> None:
    together, plain = made(body), made(body, pairs_together=False)
    assert TWO not in together.ir()
    for mine, theirs in zip(gradient(together, 9, 0, 2), gradient(plain, 9, 0, 2), strict=True):
        assert mine == pytest.approx(theirs, rel=1e-13, abs=1e-13)


def test_not_where_a_register_holds_one_number() -> None:
    text = SOURCE.replace("BODY", TURNED)
    for name, what in zip(("FIRST", "MORE", "NEXT"), UP, strict=True):
        text = text.replace(name, what)
    assert TWO not in enzyme.compile(text, config=enzyme.Config(vector_bytes=16)).ir()


def test_loops_whose_length_is_known_may_be_taken_apart() -> None:
    text = made(TURNED, ("0", "k < 3", "k++")).ir("differentiated")
    assert "llvm.loop.vectorize.enable" in text and TOGETHER not in text
    assert TOGETHER in made(TURNED).ir("differentiated")


def test_what_is_not_marked_stays() -> None:
    text = made(TURNED, pairs_together=False).ir()
    assert with_pairs_together(text) is text
