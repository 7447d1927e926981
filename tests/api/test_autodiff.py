"""Derivatives as Python callables, against derivatives known in closed form."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme
from enzyme.support.diagnostics import UsageError

SOURCE = """
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;
static double factor = 2;
static int calls;
void set_factor(double f) { factor = f; }
int count(void) { return calls; }
double wave(double x, double y, int k) { calls++; return factor * sin(x) * y * k; }
double total(const double *restrict x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * exp(x[i]);
  return s;
}
void squares(const double *x, double *y, int n) { for (int i = 0; i < n; i++) y[i] = x[i] * x[i]; }
double weighted(const double *x, const int *which, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[which[i]] * (i + 1);
  return s;
}
float single(float a) { return a * a; }
static double cube(double x) { return x * x * x; }
double dcube(double x) { return __enzyme_autodiff((void *)cube, x); }
double tcube(double x) { return __enzyme_fwddiff((void *)cube, x, 2.0); }
void dtotal(double *x, double *dx, int n) { __enzyme_autodiff((void *)total, enzyme_dup, x, dx, enzyme_const, n); }
"""


@pytest.fixture(scope="module", params=[(2, "post"), (2, "pre"), (0, "post")], ids=str)
def program(request: pytest.FixtureRequest) -> enzyme.Module:
    level, pipeline = request.param
    return enzyme.compile(SOURCE, opt_level=level, pipeline=pipeline)


def slope(x: np.ndarray) -> np.ndarray:
    return np.asarray((1 + x) * np.exp(x))


def test_calls_inside_the_program(program: enzyme.Module) -> None:
    assert program.dcube(3.0) == pytest.approx(27.0)
    assert program.tcube(3.0) == pytest.approx(54.0)
    x, dx = np.linspace(0, 1, 5), np.zeros(5)
    program.dtotal(x, dx, 5)
    np.testing.assert_allclose(dx, slope(x), rtol=1e-14)


def test_reverse_of_numbers(program: enzyme.Module) -> None:
    program.set_factor(2.0)
    derivative = program.autodiff("wave")
    assert derivative.activity == ("out", "out", "const")
    assert derivative(0.5, 2.0, 3) == pytest.approx((12 * np.cos(0.5), 6 * np.sin(0.5)))
    assert derivative(0.5, 2.0, 3, seed=10.0) == pytest.approx((120 * np.cos(0.5), 60 * np.sin(0.5)))
    assert program.autodiff("wave") is derivative


def test_derivatives_share_the_programs_variables(program: enzyme.Module) -> None:
    derivative = program.autodiff("wave", ["out", "const", "const"])
    program.set_factor(4.0)
    before = program.count()
    assert derivative(0.5, 1.0, 1) == pytest.approx(4 * np.cos(0.5))
    assert program.count() == before + 1


def test_forward_of_numbers(program: enzyme.Module) -> None:
    program.set_factor(2.0)
    derivative = program.autodiff("wave", mode="forward")
    assert derivative.activity == ("dup", "dup", "const")
    assert derivative((0.5, 1.0), (2.0, 0.25), 3) == pytest.approx(12 * np.cos(0.5) + 1.5 * np.sin(0.5))


def test_reverse_adds_to_shadows(program: enzyme.Module) -> None:
    x, dx = np.linspace(0, 1, 7), np.ones(7)
    assert program.autodiff("total")((x, dx), 7) is None
    np.testing.assert_allclose(dx, 1 + slope(x), rtol=1e-14)


def test_reverse_of_a_function_that_writes_arrays(program: enzyme.Module) -> None:
    x, y, dx, dy = np.arange(4.0), np.zeros(4), np.zeros(4), np.ones(4)
    program.autodiff("squares")((x, dx), (y, dy), 4)
    np.testing.assert_array_equal(dx, 2 * x)
    np.testing.assert_array_equal(dy, np.zeros(4))


def test_forward_of_a_function_that_writes_arrays(program: enzyme.Module) -> None:
    x, y, dx, dy = np.arange(4.0), np.zeros(4), np.ones(4), np.zeros(4)
    program.autodiff("squares", mode="forward")((x, dx), (y, dy), 4)
    np.testing.assert_array_equal(y, x * x)
    np.testing.assert_array_equal(dy, 2 * x)


def test_gradient_makes_fresh_arrays(program: enzyme.Module) -> None:
    x = np.linspace(0, 1, 5)
    gradient = program.gradient("total")
    for _ in range(2):
        np.testing.assert_allclose(gradient(x, 5), slope(x), rtol=1e-14)
    assert program.gradient("single")(3.0) == 6.0
    which = np.array([2, 0, 2], dtype=np.int32)
    np.testing.assert_array_equal(program.gradient("weighted")(np.ones(3), which, 3), [2.0, 0.0, 4.0])


def test_gradient_with_respect_to_some(program: enzyme.Module) -> None:
    program.set_factor(1.0)
    assert program.gradient("wave", wrt=[1])(0.5, 2.0, 1) == pytest.approx(np.sin(0.5))
    assert len(program.gradient("wave")(0.5, 2.0, 1)) == 2
    with pytest.raises(UsageError, match="is an integer"):
        program.gradient("wave", wrt=[2])(0.5, 2.0, 1)
    with pytest.raises(UsageError, match="has no argument 5"):
        program.gradient("wave", wrt=[5])


def test_the_value_comes_with_the_derivative(program: enzyme.Module) -> None:
    program.set_factor(2.0)
    x, dx = np.linspace(0, 1, 5), np.zeros(5)
    total = float(np.sum(x * np.exp(x)))
    value, gradient = program.value_and_gradient("total")(x, 5)
    assert value == pytest.approx(total, rel=1e-14)
    np.testing.assert_allclose(gradient, slope(x), rtol=1e-14)
    calls = program.count()
    value, gradient = program.value_and_gradient("wave", wrt=1)(0.5, 3.0, 2)
    assert (value, gradient) == pytest.approx((12 * np.sin(0.5), 4 * np.sin(0.5)))
    assert program.count() == calls + 1  # one run gives both
    assert program.value_and_gradient("single")(3.0) == (9.0, 6.0)
    assert program.autodiff("total", with_value=True)((x, dx), 5) == pytest.approx(total)
    np.testing.assert_allclose(dx, slope(x), rtol=1e-14)
    assert program.autodiff("total")((x, np.zeros(5)), 5) is None


def test_the_value_comes_with_tangents_and_with_lanes(program: enzyme.Module) -> None:
    x, ones, first = np.linspace(0, 1, 5), np.ones(5), np.eye(5)[0]
    total = float(np.sum(x * np.exp(x)))
    value, tangent = program.autodiff("total", mode="forward", with_value=True)((x, ones), 5)
    assert (value, tangent) == pytest.approx((total, float(slope(x).sum())))
    value, tangents = program.autodiff("total", mode="forward", width=2, with_value=True)((x, ones, first), 5)
    assert (value, *tangents) == pytest.approx((total, float(slope(x).sum()), 1.0))
    value, slopes = program.autodiff("single", width=2, with_value=True)(3.0, seed=(1.0, 0.5))
    assert (value, *slopes) == (9.0, 6.0, 3.0)
    with pytest.raises(UsageError, match="so there is no value beside its derivative"):
        program.autodiff("squares", with_value=True)


def test_derivatives_are_measured_too(program: enzyme.Module) -> None:
    x, dx = np.ones(100), np.zeros(100)
    samples = program.autodiff("total").measure((x, dx), 100, min_runs=3, min_seconds=0.0)
    assert len(samples) >= 3 and min(samples) > 0


def test_calls_that_make_no_sense(program: enzyme.Module) -> None:
    x, dx = np.ones(3), np.zeros(3)
    derivative = program.autodiff("total")
    with pytest.raises(UsageError, match="takes a pair"):
        derivative(x, 3)
    with pytest.raises(UsageError, match="shares memory"):
        derivative((x, x), 3)
    with pytest.raises(UsageError, match="the shadow is an array of float64 and shape"):
        derivative((x, dx[:2]), 3)
    with pytest.raises(UsageError, match="takes 2 arguments, 1 were given"):
        derivative((x, dx))
    with pytest.raises(UsageError, match="takes no shadow"):
        derivative((x, dx), (3, 3))
    with pytest.raises(UsageError, match="takes no seed"):
        program.autodiff("squares")((x, dx), (np.ones(3), np.ones(3)), 3, seed=2.0)


def test_requests_that_make_no_sense(program: enzyme.Module) -> None:
    for activity, message in (
        (["dup"], "takes 2 arguments, 1 activities"),
        (["out", "const"], "cannot be enzyme_out"),
        (["dup", "maybe"], "no activity 'maybe'"),
        ("dup", "is a list"),
    ):
        with pytest.raises(UsageError, match=message):
            program.autodiff("total", activity)
    with pytest.raises(UsageError, match="no mode"):
        program.autodiff("total", mode="sideways")
    with pytest.raises(UsageError, match="no function"):
        program.autodiff("nothing")
    with pytest.raises(UsageError, match="no single gradient"):
        program.gradient("squares")


def test_numbers_packed_into_an_integer_are_not_dropped() -> None:
    """The C ABI passes a struct of a float and an int as one i64; taken for a constant its derivative would be lost."""
    module = enzyme.compile(
        "struct item { float weight; int count; };\n"
        "double cost(struct item it, const double *x) { return it.weight * x[0] * it.count; }\n"
    )
    with pytest.raises(UsageError, match="integer that carries numbers"):
        module.autodiff("cost")
    gradient = module.autodiff("cost", ["const", "dup"])
    assert gradient is not None


def test_products_of_complex_numbers() -> None:
    """What the compiler's own library multiplies them by is found in this process."""
    program = enzyme.compile(
        "double f(double a, double b) { double _Complex z = __builtin_complex(a, b);"
        " for (int i = 0; i < 3; i++) z = z * z * 0.5 + 0.1 / z; return __real__ z - __imag__ z; }"
    )

    def f(a: float, b: float) -> float:
        z = complex(a, b)
        for _ in range(3):
            z = z * z * 0.5 + 0.1 / z
        return z.real - z.imag

    h = 1e-6
    expected = [(f(0.7 + h, 0.4) - f(0.7 - h, 0.4)) / (2 * h), (f(0.7, 0.4 + h) - f(0.7, 0.4 - h)) / (2 * h)]
    assert program.autodiff("f")(0.7, 0.4) == pytest.approx(expected, rel=1e-7)
