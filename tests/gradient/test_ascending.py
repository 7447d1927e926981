"""Which reversed loops run up, and that what they compute is right either way."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

import enzyme

PROGRAM = """
#include <math.h>
#include <stdlib.h>
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_const, enzyme_dup;
static double f(PARAMETERS, const int *p, int n) {
  double s = 0.3, t = 0.2, a = x[0];
  LOOP
  return s * t;
}
void reverse(double *x, double *dx, double *y, double *dy, int *p, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, p, enzyme_const, n);
}
double forward(double *x, double *dx, double *y, double *dy, int *p, int n) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, p, enzyme_const, n);
}
"""
APART = "double *restrict x, double *restrict y"
EACH = "for (int i = 0; i < n; i++) "
UP = {
    "sum": EACH + "if (x[i] > 0) s += x[i] * x[i] * p[i];",
    "two sums": EACH + "{ if (x[i] > 0) s -= x[i] * y[i]; else { t += sin(x[i]); s += 2 * y[i]; } }",
    "stores": EACH + "y[i] = x[i] > 0 ? sin(x[i]) * y[i] : 0.5 * y[i] * x[i];",
    "stores under a condition": EACH + "if (y[i] > 0) y[i] *= y[i] * x[i];",
    "clears": EACH + "{ if (x[i] > 0) { s += y[i] * x[i]; y[i] = 0; } }",
    "several a round": EACH + "if (x[2 * i] > 0) { s += x[2 * i] * x[2 * i + 1]; y[2 * i + 1] = x[2 * i]; }",
    "something from outside": EACH + "if (x[i] > 0) s += sin(a * x[i]);",
    "downwards": "for (int i = n - 1; i >= 0; i--) if (x[i] > 0) { s += x[i] * x[i]; y[i] *= x[i]; }",
    "partials that may be infinite": EACH + "s += y[i] / a;",
    "what is set and left": "double *o = malloc(8 * n); " + EACH + "o[i] = sqrt(2 + sin(x[i])) / a; "
    "for (int i = n - 1; i >= 0; i--) s += o[i] * y[i]; free(o);",
    "what is set": "double *o = malloc(8 * n); " + EACH + "o[i] = x[i] * y[i]; "
    "double b = 0; for (int i = n - 1; i >= 0; i--) b += sqrt(2 + exp(o[i])); s += b; free(o);",
    "an unknown end": "int i = 0; do { if (x[i] > 0) s += x[i] * x[i]; } while (p[i++] != 5);",
}
DOWN = {
    "nothing decided": EACH + "s += x[i] * x[i];",
    "a sum that is looked at": EACH + "{ if (x[i] > 0) s += x[i] * x[i]; y[i] = s * x[i]; }",
    "a sum before the last": "double b = 0; " + EACH + "{ b = s; if (x[i] > 0) s += x[i] * x[i]; } t += b * b;",
    "the last one": EACH + "t = x[i] > 0 ? sin(x[i]) : x[i] * y[i];",
    "a product": EACH + "if (x[i] > 0) s *= x[i];",
    "a sum that shrinks": EACH + "{ if (x[i] > 0) s += x[i]; s *= 0.5; }",
    "a sum that begins anew": EACH + "{ if (x[i] > 0) s += x[i] * x[i]; else s = 0.1; }",
    "a sum taken from": EACH + "{ if (x[i] > 0) s = x[i] - s; }",
    "a sum twice": EACH + "{ if (x[i] > 0) s += x[i]; s += s; }",
    "a minimum": EACH + "s = x[i] < s ? x[i] : s;",
    "a partial that may be infinite, and a chain": EACH + "y[i + 1] = y[i] / a;",
    "a chain": EACH + "if (x[i] > 0) y[i + 1] = y[i] * x[i];",
    "a chain upwards": EACH + "if (x[i] > 0) y[i] = y[i + 1] * x[i];",
    "one place": EACH + "if (x[i] > 0) y[0] = x[i] * x[i];",
    "places from memory": EACH + "if (x[i] > 0) y[p[i]] = x[i] * y[i];",
    "half the way": EACH + "{ if (x[i] > 0) y[i] *= y[n - i]; }",
    "neighbours": EACH + "{ if (x[i] > 0) s += x[i] * x[i + 1]; }",
    "left in its midst": EACH + "{ if (x[i] > 0) s += x[i] * x[i]; if (p[i] == 5) break; t += x[i] * y[i]; }",
}
DECIDES = EACH + "if (x[i] > 0) s += x[i] * x[i]; "
ROUNDS = "for (int k = 0; k < 2; k++) "
BESIDE = {
    "products behind": (DECIDES + EACH + "y[i] *= x[i];", 2),
    "products in front": (EACH + "y[i] *= x[i]; " + DECIDES, 2),
    "a chain": (DECIDES + EACH + "y[i + 1] = y[i] * x[i];", 1),
    "rounds of one": (DECIDES + ROUNDS + EACH + "y[i] *= x[i];", 2),
    "products, and rounds of a chain": (
        DECIDES + EACH + "y[i] *= x[i]; " + ROUNDS + EACH + "y[i + 1] = y[i] * x[i];",
        2,
    ),
    "rounds of products and a chain": (
        DECIDES + ROUNDS + "{ " + EACH + "y[i] *= x[i]; " + EACH + "y[i + 1] = y[i] * x[i]; }",
        1,
    ),
    "rounds of both": (ROUNDS + "{ " + DECIDES + EACH + "y[i] *= x[i]; }", 2),
}
"""What stands beside a loop that runs up, and how many of the two then do."""
LOOPS = {**UP, **DOWN, **{f"beside: {name}": loop for name, (loop, _) in BESIDE.items()}}


@cache
def program(loop: str, parameters: str = APART, pipeline: str = "post", **settings: bool) -> enzyme.Module:
    text = PROGRAM.replace("LOOP", loop).replace("PARAMETERS", parameters)
    return enzyme.compile(text, pipeline=pipeline, config=enzyme.Config(**settings))  # type: ignore[arg-type]


def runs_up(module: enzyme.Module) -> bool:
    return "%last.r" in module.ir("differentiated")


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", {**UP, **DOWN})
def test_which(name: str) -> None:
    made = program(LOOPS[name])
    assert runs_up(made) == (name in UP)


@pytest.mark.parametrize("name", BESIDE)
def test_beside(name: str) -> None:
    loop, count = BESIDE[name]
    assert running_up(program(loop)) == count


@pytest.mark.parametrize("name", BESIDE)
def test_all_or_none_without_a_reason(name: str) -> None:
    """Where no loop has one, all of them run up if all may."""
    loop, _ = BESIDE[name]
    assert running_up(program(loop.replace("if (x[i] > 0) ", ""))) == (0 if "chain" in name else 2)


def running_up(module: enzyme.Module) -> int:
    return len(re.findall(r"%last\.r(?:\.\d+)? = alloca", module.ir("differentiated")))


def test_what_may_overlap_runs_down() -> None:
    assert not runs_up(program(UP["stores"], "double *x, double *y", arrays_apart=False))
    # Sums alone may be added in another order.
    assert runs_up(program(UP["two sums"], "double *x, double *y", arrays_apart=False))


@pytest.mark.parametrize("off", ["ascending", "reassociate"])
def test_off(off: str) -> None:
    assert not runs_up(program(UP["sum"], **{off: False}))


@pytest.mark.thinned(8)
@pytest.mark.parametrize("pipeline", ["post", "pre"])
@pytest.mark.parametrize("name", LOOPS)
def test_values(name: str, pipeline: str) -> None:
    """Against forward mode: seeds times (Jacobian times tangents), taken from both sides."""
    made = program(LOOPS[name], pipeline=pipeline)
    for n in (1, 2, 5, 37):
        random = np.random.default_rng(n)
        x, y, dx, dy, seed = random.standard_normal((5, 2 * n + 6))
        p = random.permutation(n).astype(np.int32)
        p[-1] = 5
        p[: n - 1][p[: n - 1] == 5] = 0
        tangent = dy.copy()
        of_result = made["forward"](x.copy(), dx, y.copy(), tangent, p, n)
        back, seeded = np.zeros_like(x), seed.copy()
        made["reverse"](x.copy(), back, y.copy(), seeded, p, n)
        np.testing.assert_allclose(back @ dx + seeded @ dy, of_result + seed @ tangent, rtol=1e-10, atol=1e-12)


def test_one_shadow_for_two_arrays() -> None:
    """Both derivatives go there, wherever they meet."""
    made = program(EACH + "if (x[i] > 0) s += x[i] * y[n - 1 - i];", "const double *x, const double *y")
    x = np.random.default_rng(1).standard_normal(40)
    shadow, dx, dy, p = np.zeros(40), np.zeros(40), np.zeros(40), np.zeros(40, np.int32)
    made["reverse"](x, shadow, x, shadow, p, 40)
    made["reverse"](x, dx, x.copy(), dy, p, 40)
    np.testing.assert_allclose(shadow, dx + dy, rtol=1e-12, atol=1e-13)
