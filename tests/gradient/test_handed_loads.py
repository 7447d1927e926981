"""What an iteration is handed of what others loaded is read again, where nothing has overwritten it."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme
from enzyme import Config

_HEAD = """
#include <math.h>
extern double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
"""
_CALL = """
void gradient(double *x, double *dx, int n) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n); }
double value(double *x, int n) { return f(x, n); }
"""
AGAIN = {
    "two": "for (int i = 0; i < n - 1; i++) { double a = x[i + 1] - x[i] * x[i], b = 1 - x[i]; s += a * a + b * b; }",
    "three": "for (int i = 1; i < n - 1; i++) { double d = x[i + 1] - 2 * x[i] + x[i - 1]; s += d * d * x[i - 1]; }",
    "downwards": "for (int i = n - 1; i > 0; i--) s += x[i] * x[i] * x[i - 1] * x[i - 1] * x[i - 1];",
    "of an array": "double last = x[0]; for (int i = 1; i < n; i++) { s += sin(last * x[i]); last = x[i]; }",
}
KEPT = {
    "begins with another number": "double l = x[n]; for (int i = 0; i < n; i++) { s += sin(l * x[i]); l = x[i]; }",
    "overwritten in the loop": "double l = x[0]; for (int i = 1; i < n; i++) { s += sin(l * x[i]); l = x[i];"
    " x[i] = s; }",
    "overwritten behind it": "double l = x[0]; for (int i = 1; i < n; i++) { s += sin(l * x[i]); l = x[i]; }"
    " for (int i = 0; i < n; i++) x[i] = s;",
    "overwritten in front of it": "double l = x[0]; x[0] = 2 * x[n]; for (int i = 1; i < n; i++)"
    " { s += sin(l * x[i]); l = x[i]; }",
}


def _compiled(body: str, handed_loads: bool = True) -> enzyme.Module:
    function = f"static double f(double *x, int n) {{ double s = 0; {body} return s; }}"
    return enzyme.compile(_HEAD + function + _CALL, opt_level=2, config=Config(handed_loads=handed_loads))


def _keeps(module: enzyme.Module) -> bool:
    return "tape" in module.ir("differentiated")


@pytest.mark.parametrize("name", AGAIN)
def test_no_tape(name: str) -> None:
    assert not _keeps(_compiled(AGAIN[name]))


def test_a_tape_without_it() -> None:
    assert any(_keeps(_compiled(body, handed_loads=False)) for body in AGAIN.values())


@pytest.mark.parametrize("name", KEPT)
def test_a_tape(name: str) -> None:
    assert _keeps(_compiled(KEPT[name]))


@pytest.mark.thinned(4)
@pytest.mark.parametrize("body", [*AGAIN.values(), *KEPT.values()])
def test_same_numbers(body: str) -> None:
    modules = [_compiled(body, handed_loads) for handed_loads in (True, False)]
    for n in (1, 2, 3, 10, 33):
        x = np.random.default_rng(n).uniform(0.2, 0.8, n + 1)
        results = []
        for module in modules:
            dx, at = np.full(n + 1, 0.25), x.copy()
            module["gradient"](at, dx, n)
            results.append(dx)
        np.testing.assert_allclose(*results, rtol=1e-13, atol=1e-14)
        step = 1e-6
        along = np.linspace(-1, 1, n + 1)
        ahead, before = (modules[0]["value"](x + sign * step * along, n) for sign in (1, -1))
        if "x[i] = s" not in body and "x[0] = 2" not in body:
            assert (results[0] - 0.25) @ along == pytest.approx((ahead - before) / (2 * step), rel=1e-7, abs=1e-8)
