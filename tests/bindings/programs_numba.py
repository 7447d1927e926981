"""Programs as people write them for Numba, with arguments: what the tests of its derivatives go through."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

_RANDOM = np.random.default_rng(0)
PROGRAMS: dict[str, tuple[Any, tuple[Any, ...]]] = {}
"""Function and arguments by name."""
SECOND: list[str] = []
"""Those whose second derivatives are tested, too."""


def _program(*args: Any, second: bool = False, **options: Any) -> Callable[[Any], Any]:
    def add(function: Any) -> Any:
        made = numba.njit(**options)(function)
        PROGRAMS[function.__name__] = made, args
        if second:
            SECOND.append(function.__name__)
        return made

    return add


_x = _RANDOM.random(40) + 0.5
_a, _b, _v = _RANDOM.random((6, 6)), _RANDOM.random((6, 6)), _RANDOM.random(6)
_good = _a @ _a.T + 6 * np.eye(6)
_design, _labels, _weights = (
    _RANDOM.standard_normal((30, 5)),
    _RANDOM.integers(0, 2, 30).astype(float),
    _RANDOM.standard_normal(5),
)
_table = np.array([0.3, 1.0, -2.0])


@_program(_x, 0.3, second=True)
def array_expressions(x, a):
    return np.sum(np.exp(-a * x) * np.sin(x)) / x.size


@_program(_design, _labels, _weights, second=True)
def logistic(design, labels, weights):
    z = design @ weights
    return np.mean(np.log1p(np.exp(-z)) + (1 - labels) * z)


@_program(_x, 7, second=True)
def heat_by_copies(start, steps):
    u = start.copy()
    for _ in range(steps):
        new = u.copy()
        for i in range(1, len(u) - 1):
            new[i] = u[i] + 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1])
        u = new
    return np.sum(u * u * u)


@_program(_x, 7)
def heat_by_slices(start, steps):
    u = start.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + 0.1 * (u[:-2] - 2 * u[1:-1] + u[2:])
    return (u**3).sum()


@_program(_a, _b, second=True)
def product_of_matrices(a, b):
    c = a @ b
    return np.sum(c * c) + np.dot(a[0], b[1])


@_program(_good, _v)
def solve(a, b):
    return np.sum(np.linalg.solve(a, b) ** 2)


@_program(_RANDOM.random((40, 30)) / 6, _RANDOM.random((30, 20)), second=True)
def large_products(a, b):
    c = np.sin(a @ b)
    return np.sum((c.T @ a) ** 2)


@_program(_good, _v)
def likelihood(a, b):
    covariance = a @ a.T + 3 * np.eye(a.shape[0])
    lower = np.linalg.cholesky(covariance)
    return np.sum(np.log(np.diag(lower))) + np.sum(b * np.linalg.solve(covariance, b))


@_program(_good)
def determinant_and_inverse(a):
    return np.linalg.slogdet(a)[1] + np.trace(np.linalg.inv(a)) + np.linalg.norm(a)


@_program(_good, _v)
def cholesky(a, b):
    lower = np.linalg.cholesky(a)
    return np.sum(np.log(np.diag(lower))) + np.sum(lower @ b)


@_program(_RANDOM.random((7, 3)), second=True)
def pairs_of_rows(p):
    energy = 0.0
    for i in range(p.shape[0]):
        for j in range(i + 1, p.shape[0]):
            d = p[i] - p[j]
            energy -= 1 / np.sqrt(np.sum(d * d) + 1e-3)
    return energy


@numba.njit
def _right(y, k):
    return np.array([k * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]])


@_program(np.array([1.0, 2.0, 3.0]), 1.3, 20)
def runge_kutta(start, k, steps):
    y, h = start, 0.01
    for _ in range(steps):
        k1 = _right(y, k)
        k2 = _right(y + h / 2 * k1, k)
        k3 = _right(y + h / 2 * k2, k)
        k4 = _right(y + h * k3, k)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y[0]


@_program(2.0, 3.0, second=True)
def numbers_alone(a, b):
    if a > b:
        return a * b
    return math.sin(a) * b**2 + a**b + math.atan2(a, b) + math.gamma(a) + math.hypot(a, b) + math.erf(a) + a**5


@_program(_x)
def lists(x):
    found = []
    for each in x:
        if each > 0.7:
            found.append(each * each)
    total = 0.0
    for each in found:
        total += each * each
    return total


@_program(_x)
def lists_of_arrays(x):
    row = x * 2
    rows = [row]
    for i in range(3):
        row = row * x[i]
        rows.append(row)
    total = 0.0
    for row in rows:
        total += row.sum()
    return total


@_program((_x, 2.0, (_RANDOM.random(5), 3)))
def tuples(t):
    x, a, (b, n) = t
    return np.sum(x) * a + np.prod(b) * n


@_program(_x, _RANDOM.integers(0, 40, 90))
def gathered(x, index):
    total = 0.0
    for i in index:
        total += x[i] * x[(i * 7) % 40]
    return total + np.sum(x[index] ** 2)


@_program(_x)
def reductions(x):
    return x.max() + np.min(x) + np.argmax(x) * x[3] + np.std(x) + np.var(x) + np.median(x) + np.prod(x)


@_program(np.linspace(3, 1, 9) ** 2)
def sorted_and_summed(x):
    y = np.sort(x)
    return np.sum(y * np.arange(len(y))) + np.sum(np.cumsum(x) ** 2) + np.sum(np.diff(x) ** 3)


@_program(_RANDOM.random((5, 7)), second=True)
def axes(x):
    return np.sum(np.sum(x, axis=0) ** 2) + np.sum(x.T[3] ** 3) + np.exp(x).mean() + x.reshape(7, 5)[2, 3] ** 2


@_program(
    _RANDOM.standard_normal((8, 4)), _RANDOM.standard_normal((4, 6)), _RANDOM.standard_normal(6), _RANDOM.random((6, 1))
)
def layers(x, w1, b1, w2):
    hidden = np.tanh(x @ w1 + b1)
    out = np.maximum(hidden @ w2, 0.0)
    return np.sum(out * out)


@_program(_x.astype(np.float32), np.float32(0.5))
def single_precision(x, a):
    return np.sum(x * x * x) * a


@_program(_RANDOM.standard_normal(9), 3.0, second=True)
def complex_inside(x, a):
    total = 0j
    for i in range(len(x)):
        total += np.exp(1j * a * x[i]) * x[i]
    z = np.array([1 + 2j, 0.5j]) * a
    return abs(total) + np.sum(np.abs(z) ** 2) + np.dot(z, z).real


@_program(_x + 0.1j * _x[::-1])
def complex_argument(z):
    return np.sum((z * z).real) + abs(np.vdot(z, z * 2j + z[0]))


@_program(_x)
def choices(x):
    y = np.where(x > 0.7, x * x, np.sqrt(x))
    y[y > 0.9] *= 2.0
    return y.sum() + y[x < 0.8].sum()


@_program(_x, 5)
def leaves_early(x, k):
    total = 0.0
    for i in range(len(x)):
        if i % k == 0:
            continue
        if x[i] > 1.45:
            break
        total += x[i] ** k
    i = 0
    while total > 1.0 and i < 30:
        total = total * 0.7 + x[i] * 0.01
        i += 1
    return total


@numba.njit
def _power(x, n):
    if n == 0:
        return 1.0
    return x * _power(x, n - 1) + math.sin(x)


@_program(1.1, 6, second=True)
def recursion(x, n):
    return _power(x, n)


@_program(_x, fastmath=True)
def fast(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * math.exp(-x[i])
    return total


@_program(_x, parallel=True)
def in_parallel(x):
    total = 0.0
    for i in numba.prange(len(x)):
        total += x[i] * math.exp(-x[i])
    return total


@_program(_x, boundscheck=True, error_model="numpy")
def checked(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += x[i] / x[i + 1]
    return total


@_program(_RANDOM.random((9, 2)), _RANDOM.random((4, 2)))
def nearest(points, centres):
    total = 0.0
    for point in points:
        best = np.inf
        for centre in centres:
            best = min(best, np.sum((point - centre) ** 2))
        total += best
    return total


@_program(_x)
def joined(x):
    y = np.concatenate((x[:10] * 2, x[20:30]))
    z = np.empty((2, 20))
    z[0] = y
    z[1] = y[::-1]
    w = np.zeros(20)
    for i, each in enumerate(z[0] * z[1]):
        w[i] = each
    return np.sum(w) + np.dot(y, y) + sum([a * b for a, b in zip(x[:3], x[2:5])])  # noqa: B905 (Numba has no strict)


@_program(_x, "cubes")
def text(x, kind):
    if kind == "cubes":
        return np.sum(x**3)
    return np.sum(x)


@_program(_x, second=True)
def written_in_place(x):
    for i in range(1, len(x)):
        x[i] = x[i - 1] * 0.5 + np.sin(x[i])
    return x[-1] ** 2 + x[0]


@_program(_x, 0.5)
def global_table(x, a):
    total = a
    for i in range(len(x)):
        total += _table[i % 3] * x[i] * a
    return total


@_program(np.asfortranarray(_a), _RANDOM.random((12, 12))[::2, ::3], second=True)
def strided(f, s):
    return np.sum(f[:, :4] * s) + np.sum(f * f) * s[1, 2] ** 2


@_program(np.array([0.2, 0.4, 0.9]), 0)
def no_rounds(x, n):
    total = x[0] * 2
    for i in range(n):
        total += x[i]
    return total + np.zeros(0).sum()
