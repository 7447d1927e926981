"""Calls whose functions have nothing in common are differentiated one after the other."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme
from enzyme.frontends.clang import run_front_end
from enzyme.gradient.lower import Lowering, lower
from enzyme.support.config import Config
from enzyme.support.diagnostics import UnsupportedError

SOURCE = """
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup;
double sin(double), exp(double);
#define OWN __attribute__((noinline)) static double
OWN shared(double x) { return x * sin(x); }
OWN a(double *x) { return shared(*x) * *x; }
OWN b(double *x) { double s = 1; for (int i = 0; i < 9; i++) s = exp(-s * *x); return s; }
OWN c(double *x) { return shared(*x + 1); }
OWN d(double *x) { return *x / (1 + *x * *x); }
OWN second(double *x) { double dx = 0; __enzyme_autodiff((void *)d, enzyme_dup, x, &dx); return dx; }
void all(double *x, double *dx) {
  __enzyme_autodiff((void *)a, enzyme_dup, x, dx);
  __enzyme_autodiff((void *)b, enzyme_dup, x, dx + 1);
  __enzyme_autodiff((void *)c, enzyme_dup, x, dx + 2);
  __enzyme_autodiff((void *)d, enzyme_dup, x, dx + 3);
  double one = 1;
  dx[4] = __enzyme_fwddiff((void *)a, enzyme_dup, x, &one);
  __enzyme_autodiff((void *)second, enzyme_dup, x, dx + 5);
}
"""


def front(source: str) -> str:
    return run_front_end(source, "c", 2, "post", None, (), ()).ir


def test_what_reaches_one_function_is_made_together() -> None:
    done = lower(front(SOURCE), Config(cache=None), optimised=True)
    made = [{name.split(".")[0] for name in (f.name or "" for f in engine.made)} for engine in done.engines]
    own = [names & {"a", "b", "c", "d", "second"} for names in made]
    assert {"a", "c"} in own and {"b"} in own and {"d"} in own
    assert [each.caller for each in done.asked].count("all") == 6


def test_their_derivatives() -> None:
    x, dx = np.array([0.7]), np.zeros(6)
    enzyme.compile(SOURCE)["all"](x, dx)
    functions = enzyme.compile(SOURCE.replace("static double", "double"))
    h = 1e-5
    for k, name in enumerate("abcd"):
        up, down = (functions[name](np.array([0.7 + step])) for step in (h, -h))
        assert dx[k] == pytest.approx((up - down) / (2 * h), rel=1e-8)
    assert dx[4] == pytest.approx(dx[0], rel=1e-14)
    y = 0.7
    assert dx[5] == pytest.approx(2 * y * (y * y - 3) / (1 + y * y) ** 3, rel=1e-12)


def test_a_refusal_leaves_nothing_behind() -> None:
    refused = SOURCE.replace(
        "OWN second", "double from_file(double *); OWN e(double *x) { return from_file(x); } OWN second"
    )
    refused = refused.replace("  double one = 1;", "  double one = 1; __enzyme_autodiff((void *)e, enzyme_dup, x, dx);")
    done = Lowering("")
    with pytest.raises(UnsupportedError, match="from_file"):
        lower(front(refused), Config(cache=None), done=done)
    assert not done.asked and not done.derivatives
