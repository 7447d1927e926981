"""Which loops set a shadow that the program has cleared, and that what they compute is right, whatever is cleared."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest

import enzyme
from enzyme.gradient.cleared_shadows import with_cleared_shadows

PROGRAM = """
#include <math.h>
#include <string.h>
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_const, enzyme_dup;
static double f(const double *x, const double *y, int n) { double s = 0; LOOP return s; }
struct at { int n; double *x, *dx, *y, *dy; };
void reverse(struct at *p) {
  CLEAR
  __enzyme_autodiff((void *)f, enzyme_dup, p->x, p->dx, enzyme_dup, p->y, p->dy, enzyme_const, p->n);
}
/* The bytes of one block, in which the struct may lie itself. */
void inside(double *block, int at, int x, int dx, int y, int dy, int n) {
  struct at *p = (struct at *)(block + at);
  p->n = n, p->x = block + x, p->dx = block + dx, p->y = block + y, p->dy = block + dy;
  reverse(p);
}
double forward(double *x, double *tx, double *y, double *ty, int n) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, x, tx, enzyme_dup, y, ty, enzyme_const, n);
}
"""
X, Y = (f"memset(p->{each}, 0, sizeof(double) * p->n);" for each in ("dx", "dy"))
SQUARE = "memset(p->dx, 0, sizeof(double) * p->n * p->n);"
LONGER = "memset(p->dx, 0, sizeof(double) * (p->n + 2));"
EACH = "for (int i = 0; i < n; i++) "
PRODUCTS = EACH + "s += x[i] * y[i] * x[i];"
MATRIX = EACH + "for (int j = 0; j < n; j++) s += x[i * (long)n + j] * y[i] * y[j];"
SET = {
    "a sum": (PRODUCTS, X),
    "two shadows": (PRODUCTS, X + Y),
    "the other way around": (PRODUCTS, Y + X),
    "one of two": (PRODUCTS, Y),
    "downwards": ("for (int i = n - 1; i >= 0; i--) s += x[i] * x[i] * y[i];", X),
    "decisions": (EACH + "s += (x[i] > 0 ? x[i] * x[i] * x[i] : 0.0) * y[i];", X),
    "once more": (EACH + "s += x[i] * x[i]; s *= s;" + EACH + "s += sqrt(1 + x[i] * x[i]) * y[i];", X + Y),
    "one element more": (PRODUCTS + "if (n > 3) s += x[3] * x[3];", X),
    "rows": (MATRIX, SQUARE + Y),
    "behind a loop that adds": (PRODUCTS, X + "for (int i = 0; i < p->n; i++) p->dx[i] += 3;"),
    "pairs": (EACH + "s += x[2 * i] * x[2 * i + 1] * y[i];", X.replace("p->n", "2 * p->n")),
    "threes": (EACH + "s += x[3 * i] * x[3 * i] * x[3 * i + 1] + x[3 * i + 2] * y[i];", X.replace("p->n", "3 * p->n")),
    "behind a shorter loop": (
        "double m = 1; for (int i = 1; i < n; i++) m += y[i] * y[i - 1];"
        + EACH
        + "s += x[i] * x[i] * sqrt(1 + m * m);",
        X,
    ),
    "behind a search": (
        "int k = 0; while (k < n && y[k] < 1.5) k++;" + EACH + "s += x[i] * x[i] * y[i]; s *= 1 + k;",
        X,
    ),
    "behind a decision": ("double m = y[0] > 0 ? 2 : y[0];" + EACH + "s += x[i] * x[i] * m;", X),
    "behind a copy": (PRODUCTS, X + "memcpy(p->y, p->x, sizeof(double) * p->n);"),
    "behind a store": (PRODUCTS, X + "p->y[0] = 2;"),
}
NOT = {
    "more is cleared": (PRODUCTS, LONGER),
    "every second": ("for (int i = 0; i < n / 2; i++) s += x[2 * i] * x[2 * i] * y[i];", X),
    "two of three": (EACH + "s += x[3 * i] * x[3 * i + 2] * y[i];", X.replace("p->n", "3 * p->n")),
    "without the first": ("for (int i = 1; i < n; i++) s += x[i] * x[i] * y[i];", X),
    "some": (EACH + "if (y[i] > 0) s += x[i] * x[i] * x[i];", X),
    "two neighbours": ("for (int i = 0; i < n - 1; i++) s += x[i] * x[i + 1];", X),
    "a branch that no one can tell": ("if (y[0] > 0) " + PRODUCTS, X),
    "set behind": (PRODUCTS, X + "for (int i = 0; i < p->n; i++) p->dx[i] = 3;"),
    "ones": (PRODUCTS, X.replace(", 0,", ", 1,")),
    "a few": ("for (int i = 0; i < 3; i++) s += x[i] * x[i] * y[i];", "memset(p->dx, 0, sizeof(double) * 3);"),
}
ALL = {**SET, **NOT}


@cache
def program(name: str, pipeline: str = "post", on: bool = True) -> enzyme.Module:
    loop, clear = ALL[name]
    text = PROGRAM.replace("LOOP", loop).replace("CLEAR", clear)
    config = enzyme.Config(cleared_shadows=on, fused_loops=False)  # two loops that add are two here
    return enzyme.compile(text, pipeline=pipeline, config=config)


def sets(module: enzyme.Module) -> bool:
    return "cleared." in module.ir("optimised")


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", ALL)
def test_which(name: str) -> None:
    assert sets(program(name)) == (name in SET)
    assert not sets(program(name, on=False))


ROWS = """
#include <string.h>
void __enzyme_autodiff(void *, ...);
extern int enzyme_const, enzyme_dup;
static double f(const double *x, const double *y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i] * y[i];
  return s;
}
void rows(double *x, double *y, double *d, int m, int n) {
  for (int r = 0; r < m; r++) {
    memset(d + r * (long)n, 0, sizeof(double) * n);
    __enzyme_autodiff((void *)f, enzyme_dup, x + r, d + r * (long)n, enzyme_const, y, enzyme_const, n);
  }
}
"""


def test_rows_of_a_jacobian(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memset, and the loop behind it, in a loop."""
    changed: list[str | None] = []

    def spy(text: str) -> str | None:
        changed.append(with_cleared_shadows(text))
        return changed[-1]

    monkeypatch.setattr("enzyme.gradient.cleared_shadows.with_cleared_shadows", spy)
    made = enzyme.compile(ROWS)
    made.ir()
    assert "cleared.fill" in (changed[-1] or "")
    for m, n in ((0, 5), (1, 1), (3, 17), (40, 9)):
        x, y, d = np.random.default_rng(n).standard_normal((3, m * n + m + n + 5))
        end = d[m * n :].copy()
        made["rows"](x, y, d, m, n)
        expected = [2 * x[r + i] * y[i] for r in range(m) for i in range(n)]
        np.testing.assert_allclose(d[: m * n], expected, rtol=1e-13)
        np.testing.assert_array_equal(d[m * n :], end)


@pytest.mark.thinned(8)
@pytest.mark.parametrize("pipeline", ["post", "pre"])
@pytest.mark.parametrize("name", ALL)
def test_values(name: str, pipeline: str) -> None:
    """In one block: what is cleared is garbage before, what is not stays; against the same without versions."""
    for n in (0, 1, 2, 3, 5, 8, 17, 64, 101):
        found = [_run(program(name, pipeline, on), n, *_apart(n)) for on in (True, False)]
        np.testing.assert_array_equal(np.isnan(found[0]), np.isnan(found[1]))
        np.testing.assert_allclose(*found, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", SET)
def test_against_forward_mode(name: str) -> None:
    n, made = 37, program(name)
    size = n * n + 3 * n
    at, x, dx, y, dy = _apart(n)
    block = _block(n)
    values = [block[each : each + size].copy() for each in (x, y)]
    if name == "behind a loop that adds":
        pytest.skip("its shadow begins with three")
    if name == "behind a copy":
        values[1][:n] = values[0][:n]
    if name == "behind a store":
        values[1][0] = 2
    tangents = np.random.default_rng(3).standard_normal((2, size))
    expected = made["forward"](values[0], tangents[0], values[1], tangents[1], n)
    block[dy : dy + size] = block[dx : dx + size] = 0
    made["inside"](block.view(np.int32), at, x, dx, y, dy, n)
    got = sum(block[each : each + size] @ tangent for each, tangent in zip((dx, dy), tangents, strict=True))
    np.testing.assert_allclose(got, expected, rtol=1e-10)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", SET)
def test_overlaps(name: str) -> None:
    """Shadows that are one, or overlap each other, or the number of elements, which is then zero."""
    n = 12
    for dx, dy in product((600, 603, 612, 700, 788, 789), (600, 603, 611, 700, 789)):
        found = [_run(program(name, on=on), n, 800, 200, dx, 400, dy) for on in (True, False)]
        np.testing.assert_array_equal(*found)


def _apart(n: int) -> tuple[int, int, int, int, int]:
    size = n * n + 3 * n + 8
    return 8, 16 + size, 16 + 3 * size, 16 + 5 * size, 16 + 7 * size


def _block(n: int) -> np.ndarray:
    return np.random.default_rng(n).standard_normal(max(1000, 16 + 9 * (n * n + 3 * n + 8)))


def _run(module: enzyme.Module, n: int, *places: int) -> np.ndarray:
    block = _block(n)
    module["inside"](block.view(np.int32), *places, n)
    block[places[0] : places[0] + 5] = 0  # holds addresses
    return block
