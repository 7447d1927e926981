"""Hessians and their products from Python."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme
from enzyme.support.diagnostics import UsageError

SOURCE = """
#include <math.h>
double f(const double *x, double scale, int n) {
  double s = 0;
  for (int i = 0; i + 1 < n; i++) s += scale * sin(x[i]) * x[i + 1] * x[i + 1];
  return s;
}
double g(const double *x) { double a = x[0], s = 1; while (a < 9) { s *= a * x[1]; a *= 1.5; } return s; }
double h(double x) { return x; }
double taken(double *x, double scale, int n) {
  double s = f(x, scale, n);
  for (int i = 0; i < n; i++) x[i] = scale + 2 * x[i] * x[i];
  return s;
}
void v(double *x) { *x = 1; }
"""


@pytest.fixture(scope="module", params=[("post", 2), ("pre", 1), ("post", 0)], ids=str)
def module(request: pytest.FixtureRequest) -> enzyme.Module:
    pipeline, level = request.param
    return enzyme.compile(SOURCE, pipeline=pipeline, opt_level=level)


def closed(x: np.ndarray, scale: float) -> np.ndarray:
    n = len(x)
    made = np.zeros((n, n))
    for i in range(n - 1):
        made[i, i] -= scale * np.sin(x[i]) * x[i + 1] ** 2
        made[i + 1, i + 1] += scale * 2 * np.sin(x[i])
        made[i, i + 1] += scale * 2 * np.cos(x[i]) * x[i + 1]
        made[i + 1, i] += scale * 2 * np.cos(x[i]) * x[i + 1]
    return made


def test_hessian(module: enzyme.Module) -> None:
    for n in (1, 3, 4, 7):
        x = np.linspace(0.3, 1.9, n)
        np.testing.assert_allclose(module.hessian("f")(x, 1.7, n), closed(x, 1.7), rtol=1e-12, atol=1e-14)


def test_product(module: enzyme.Module) -> None:
    x, v = np.linspace(0.3, 1.9, 6), np.cos(np.arange(6.0))
    product = module.hvp("f")
    np.testing.assert_allclose(product(x, 1.7, 6, v), closed(x, 1.7) @ v, rtol=1e-12)
    np.testing.assert_allclose(product(x, 0.5, 6, v), closed(x, 0.5) @ v, rtol=1e-12)


def test_a_function_that_overwrites_its_argument(module: enzyme.Module) -> None:
    x, v = np.linspace(0.3, 1.9, 11), np.cos(np.arange(11.0))
    given, direction = x.copy(), v.copy()
    np.testing.assert_allclose(module.hessian("taken")(given, 0.7, 11), closed(x, 0.7), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(given, 0.7 + 2 * x * x)  # once, as the function does
    np.testing.assert_allclose(module.hvp("taken")(x.copy(), 0.7, 11, direction), closed(x, 0.7) @ v, rtol=1e-12)
    np.testing.assert_array_equal(direction, v)


def test_trip_count_that_depends_on_the_argument(module: enzyme.Module) -> None:
    x = np.array([0.7, 1.3])
    gradient = module.gradient("g")
    columns = [(gradient(x + d) - gradient(x - d)) / 2e-5 for d in 1e-5 * np.eye(2)]
    np.testing.assert_allclose(module.hessian("g")(x), np.array(columns), rtol=1e-6)


def test_wrong_uses(module: enzyme.Module) -> None:
    x = np.ones(3)
    with pytest.raises(UsageError, match="is not an array"):
        module.hvp("h")
    with pytest.raises(UsageError, match="no Hessian"):
        module.hvp("v")
    with pytest.raises(UsageError, match="has no argument 3"):
        module.hvp("f", wrt=3)
    with pytest.raises(UsageError, match="the direction is"):
        module.hvp("f")(x, 1.0, 3, np.ones(4))
    with pytest.raises(UsageError, match="takes 3 arguments, 2 were given"):
        module.hessian("f")(x, 1.0)
    with pytest.raises(UsageError, match="not an array of floats"):
        module.hessian("f")([1.0], 1.0, 1)


def test_hessian_where_the_adjoint_is_zero() -> None:
    source = "#include <math.h>\ndouble z(double *x) { double r = sqrt(*x) - 2; return r * r; }\n"
    module = enzyme.compile(source)
    np.testing.assert_allclose(module.hessian("z")(np.array([4.0])), [[0.125]], rtol=1e-12)
