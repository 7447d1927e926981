"""Gradients of functions of Numba, beside those that JAX makes: ``python -m benchmarks.numba_programs [NAME ...]``.

Each program is written as its tool has it best: loops and slices for Numba, array expressions and ``scan`` for JAX
(64-bit numbers; one thread where the process is held to one core, as by ``taskset -c 0``; left out where JAX is not
installed). For each: the function's least time in Numba, the gradient's in such times, JAX's gradient's in Enzyme's,
and what the first call of the gradient took. Gradients are compared; all run in turns, in one process.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

import enzyme
from benchmarks.clock import least_seconds

RANDOM = np.random.default_rng(0)
PROGRAMS: dict[str, tuple[Any, Callable[[Any, Any], Any], tuple[Any, ...]]] = {}
"""The function in Numba, the one in JAX (given ``jax`` and its numpy), arguments; the gradient is by the
first."""


def _program(*args: Any, jax: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    def add(function: Any) -> Any:
        PROGRAMS[function.__name__] = numba.njit(function), jax, args
        return function

    return add


@_program(
    RANDOM.standard_normal(20),
    RANDOM.standard_normal((5000, 20)),
    RANDOM.integers(0, 2, 5000).astype(float),
    jax=lambda jax, np: lambda w, x, y: np.mean(np.log1p(np.exp(-(x @ w))) + (1 - y) * (x @ w)),
)
def logistic(w, x, y):
    loss = 0.0
    for i in range(x.shape[0]):
        z = 0.0
        for j in range(x.shape[1]):
            z += x[i, j] * w[j]
        loss += math.log1p(math.exp(-z)) + (1 - y[i]) * z
    return loss / x.shape[0]


def _mlp_in_jax(jax: Any, np: Any) -> Any:
    return lambda w, x, b, v: np.sum((np.tanh(x @ w + b) @ v) ** 2)


@_program(
    RANDOM.standard_normal((32, 64)) / 6,
    RANDOM.standard_normal((256, 32)),
    RANDOM.standard_normal(64),
    RANDOM.standard_normal(64) / 8,
    jax=_mlp_in_jax,
)
def layers(w, x, b, v):
    return np.sum((np.tanh(x @ w + b) @ v) ** 2)


def _heat_in_jax(jax: Any, np: Any) -> Any:
    def step(u: Any, _: Any) -> Any:
        return u.at[1:-1].add(0.2 * (u[:-2] - 2 * u[1:-1] + u[2:]) - 0.01 * u[1:-1] ** 3), None

    return lambda u, steps: np.sum(jax.lax.scan(step, u, None, 100)[0] ** 2)


@_program(RANDOM.random(1000), 100, jax=_heat_in_jax)
def heat(start, steps):
    u = start.copy()
    for _ in range(steps):
        new = u.copy()
        for i in range(1, len(u) - 1):
            new[i] = u[i] + 0.2 * (u[i - 1] - 2 * u[i] + u[i + 1]) - 0.01 * u[i] ** 3
        u = new
    return np.sum(u * u)


@_program(RANDOM.random(1000), 100, jax=_heat_in_jax)
def heat_by_slices(start, steps):
    u = start.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + 0.2 * (u[:-2] - 2 * u[1:-1] + u[2:]) - 0.01 * u[1:-1] ** 3
    return np.sum(u * u)


def _bodies_in_jax(jax: Any, np: Any) -> Any:
    def energy(p: Any) -> Any:
        d = p[:, None, :] - p[None, :, :]
        near = np.sum(d * d, axis=2) + 1e-3
        return -np.sum(np.triu(1 / np.sqrt(near), 1))

    return energy


@_program(RANDOM.random((200, 3)), jax=_bodies_in_jax)
def bodies(p):
    energy = 0.0
    for i in range(p.shape[0]):
        for j in range(i + 1, p.shape[0]):
            near = 1e-3
            for k in range(3):
                near += (p[i, k] - p[j, k]) ** 2
            energy -= 1 / math.sqrt(near)
    return energy


def _lorenz_in_jax(jax: Any, np: Any) -> Any:
    def right(y: Any) -> Any:
        return np.array([10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]])

    def step(y: Any, _: Any) -> Any:
        k1 = right(y)
        k2 = right(y + 0.0005 * k1)
        k3 = right(y + 0.0005 * k2)
        return y + 0.001 / 6 * (k1 + 2 * k2 + 2 * k3 + right(y + 0.001 * k3)), None

    return lambda y, steps: jax.lax.scan(step, y, None, 1000)[0][0]


@numba.njit
def _right(y):
    return np.array([10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]])


@_program(np.array([1.0, 2.0, 3.0]), 1000, jax=_lorenz_in_jax)
def lorenz(y, steps):
    for _ in range(steps):
        k1 = _right(y)
        k2 = _right(y + 0.0005 * k1)
        k3 = _right(y + 0.0005 * k2)
        y = y + 0.001 / 6 * (k1 + 2 * k2 + 2 * k3 + _right(y + 0.001 * k3))
    return y[0]


def _nearest_in_jax(jax: Any, np: Any) -> Any:
    return lambda c, p: np.sum(np.min(np.sum((p[:, None, :] - c[None, :, :]) ** 2, axis=2), axis=1))


@_program(RANDOM.random((10, 2)), RANDOM.random((5000, 2)), jax=_nearest_in_jax)
def nearest(centres, points):
    total = 0.0
    for i in range(points.shape[0]):
        best = np.inf
        for k in range(centres.shape[0]):
            best = min(best, (points[i, 0] - centres[k, 0]) ** 2 + (points[i, 1] - centres[k, 1]) ** 2)
        total += best
    return total


def _likelihood_in_jax(jax: Any, np: Any) -> Any:
    def value(theta: Any, x: Any, y: Any) -> Any:
        near = np.exp(-(((x[:, None] - x[None, :]) / theta[0]) ** 2)) * theta[1]
        lower = np.linalg.cholesky(near + theta[2] * np.eye(x.size))
        z = np.linalg.solve(lower, y)
        return np.sum(np.log(np.diag(lower))) + z @ z / 2

    return value


@_program(np.array([0.3, 1.0, 0.1]), np.linspace(0, 1, 80), RANDOM.random(80), jax=_likelihood_in_jax)
def likelihood(theta, x, y):
    n = x.size
    near = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            near[i, j] = math.exp(-(((x[i] - x[j]) / theta[0]) ** 2)) * theta[1]
        near[i, i] += theta[2]
    lower = np.linalg.cholesky(near)
    z = np.linalg.solve(lower, y)
    return np.sum(np.log(np.diag(lower))) + z @ z / 2


def _option_in_jax(jax: Any, np: Any) -> Any:
    def price(s: Any) -> Any:
        early = 0.0002
        values = np.maximum(100 - s * np.exp(0.02 * (2 * np.arange(301) - 300)), 0)

        def step(values: Any, i: Any) -> Any:
            now = np.maximum(100 - s * np.exp(0.02 * (2 * np.arange(300) - i)), 0)
            made = np.maximum(now, (1 - early) * (0.51 * values[1:] + 0.49 * values[:-1]))
            return np.append(made, 0.0), None

        return jax.lax.scan(step, values, np.arange(299, -1, -1))[0][0]

    return price


@_program(95.0, jax=_option_in_jax)
def option(s):
    n, early = 300, 0.0002
    values = np.empty(n + 1)
    for j in range(n + 1):
        values[j] = max(100 - s * math.exp(0.02 * (2 * j - n)), 0.0)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            now = max(100 - s * math.exp(0.02 * (2 * j - i)), 0.0)
            values[j] = max(now, (1 - early) * (0.51 * values[j + 1] + 0.49 * values[j]))
    return values[0]


def _jax() -> Any:
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
    try:
        import jax
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_platforms", "cpu")
    return jax


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PROGRAMS)}; default: all")
    parser.add_argument("--seconds", type=float, default=0.3, help="for each measurement")
    asked = parser.parse_args()
    unknown = sorted(set(asked.names) - set(PROGRAMS))
    if unknown:
        parser.error(f"there is no program {', '.join(unknown)}; there are {', '.join(PROGRAMS)}")
    jax = _jax()
    print(f"{'program':16}{'function':>12}{'gradient':>12}{'JAX / Enzyme':>14}{'first call':>12}")
    print(f"{'':16}{'us':>12}{'functions':>12}{'':>14}{'s':>12}")
    ratios, against = [], []
    for name in asked.names or PROGRAMS:
        function, other, args = PROGRAMS[name]
        start = time.perf_counter()
        gradient = enzyme.grad(function)
        found = gradient(*args)
        first = time.perf_counter() - start
        calls = [lambda f=function, a=args: f(*a), lambda g=gradient, a=args: g(*a)]
        agrees = ""
        if jax is not None:
            made = jax.jit(jax.grad(other(jax, jax.numpy)))
            given = [jax.numpy.asarray(each) if isinstance(each, np.ndarray) else each for each in args]
            if not np.allclose(found, made(*given), rtol=1e-6, atol=1e-9):
                agrees = "  (gradients differ)"
            calls.append(lambda m=made, g=given: m(*g).block_until_ready())
        least = least_seconds(calls, asked.seconds)
        ratios.append(least[1] / least[0])
        rival = f"{least[2] / least[1]:14.2f}" if jax is not None else f"{'-':>14}"
        against += [least[2] / least[1]] if jax is not None and not agrees else []
        print(f"{name:16}{least[0] * 1e6:12.1f}{ratios[-1]:12.2f}{rival}{first:12.1f}{agrees}", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    text = f"geometric mean: the gradient takes {mean:.2f} times as long as the function"
    if against:
        text += f", JAX's {math.exp(sum(map(math.log, against)) / len(against)):.2f} times as long as Enzyme's"
    print(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
