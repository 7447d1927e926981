"""One call that says whether derivatives are right, for tests and for users alike.

Three claims are checked, each against something that does not share its code:

- ``jvp`` against central differences along random directions,
- ``vjp`` (or ``gradient``) against central differences: <w, J v> for random w and v,
- ``vjp`` against ``jvp``: <w, J v> = <J' w, v>, which holds to rounding and needs no differences.

Differences are Richardson-extrapolated (Griewank and Walther, section 3.1, on why plain ones lose half of the digits);
the last extrapolation step estimates their error, and the comparison never asks more of them than that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from enzyme.support.diagnostics import UsageError

Vector = NDArray[np.float64]


class DerivativeMismatch(AssertionError):
    """A derivative that is not what it should be; ``comparisons`` holds all that were made."""

    def __init__(self, comparisons: list[Comparison]) -> None:
        self.comparisons = comparisons
        wrong = [c for c in comparisons if not c.agrees]
        super().__init__("\n".join([f"{len(wrong)} of {len(comparisons)} comparisons differ:", *map(str, wrong[:10])]))


@dataclass(frozen=True)
class Comparison:
    """Two numbers that should be equal. ``scale`` is the size of what was summed to get them."""

    what: str
    direction: int
    got: float
    expected: float
    tolerance: float
    scale: float

    @property
    def error(self) -> float:
        """|got - expected| / scale."""
        return abs(self.got - self.expected) / self.scale

    @property
    def agrees(self) -> bool:
        return self.error <= self.tolerance  # False for nan

    def __str__(self) -> str:
        return (
            f"  {self.what}, direction {self.direction}: got {self.got:.15g}, expected {self.expected:.15g} "
            f"(error {self.error:.2g}, allowed {self.tolerance:.2g})"
        )


def directional_difference(
    f: Callable[[Vector], Vector], x: Vector, v: Vector, step: float | None = None
) -> tuple[Vector, Vector]:
    """The derivative of f at x along v by central differences with two Richardson steps, and its estimated error.

    f takes and gives vectors; ``step`` is the longest of the three steps, by default 1e-3 of the larger of 1 and |x|.
    """
    length = float(np.max(np.abs(v), initial=0.0))
    if length == 0.0:
        zero = np.zeros_like(f(x))
        return zero, zero
    if step is None:
        step = 1e-3 * max(1.0, float(np.max(np.abs(x), initial=0.0))) / length
    a, b, c = ((f(x + h * v) - f(x - h * v)) / (2 * h) for h in (step, step / 2, step / 4))
    first, second = b + (b - a) / 3, c + (c - b) / 3
    best = second + (second - first) / 15
    return best, np.abs(best - second) + 1e-15 * np.abs(f(x)) / step


def check_gradients(
    primal: Callable[[Vector], ArrayLike],
    x: ArrayLike,
    *,
    gradient: Callable[[Vector], ArrayLike] | None = None,
    vjp: Callable[[Vector, Vector], ArrayLike] | None = None,
    jvp: Callable[[Vector, Vector], ArrayLike] | None = None,
    directions: int = 3,
    seed: int = 0,
    relative: float = 1e-6,
    exact: float = 1e-9,
) -> list[Comparison]:
    """Check derivatives of ``primal`` at ``x``; raises :class:`DerivativeMismatch` where they differ.

    ``primal`` maps an array of the shape of x to a number or an array, and leaves its argument alone. Give any of

    - ``gradient(x)``, of the shape of x, for a primal that gives a number,
    - ``vjp(x, w)``: J'w of the shape of x, for w of the shape of the result,
    - ``jvp(x, v)``: Jv of the shape of the result, for v of the shape of x.

    ``relative`` is the tolerance against differences (their own error estimate is added), ``exact`` that of VJP against
    JVP; both are relative to the sum of the absolute terms of the inner product. Gives the comparisons made.
    """
    start: Vector = np.array(x, dtype=np.float64)
    if gradient is None and vjp is None and jvp is None:
        raise UsageError("check_gradients has nothing to check", hint="give gradient=, vjp= or jvp=")
    result = np.asarray(primal(start.copy()), dtype=np.float64)
    if gradient is not None and result.size != 1:
        raise UsageError(
            "gradient= needs a primal that gives one number",
            why=f"it gives an array of shape {result.shape}",
            hint="give vjp= in its place",
        )

    def flat(z: Vector) -> Vector:
        return np.array(primal(z.reshape(start.shape).copy()), dtype=np.float64).reshape(-1)

    reverse: list[tuple[str, Callable[[Vector, Vector], ArrayLike]]] = []
    if vjp is not None:
        reverse.append(("vjp", vjp))
    if gradient is not None:
        ask = gradient
        reverse.append(("gradient", lambda z, w: np.asarray(ask(z)) * w.reshape(-1)[0]))

    random = np.random.default_rng(seed)
    made: list[Comparison] = []
    for number in range(directions):
        v = random.uniform(-1.0, 1.0, start.shape)
        w = random.uniform(-1.0, 1.0, result.shape)
        slope, doubt = directional_difference(flat, start.reshape(-1), v.reshape(-1))
        weights = w.reshape(-1)
        expected, uncertain = float(weights @ slope), float(np.abs(weights) @ doubt)
        size = float(np.abs(weights) @ np.abs(slope))
        along: float | None = None
        if jvp is not None:
            pushed = _shaped(jvp(start.copy(), v.copy()), result.shape, "jvp").reshape(-1)
            along = float(weights @ pushed)
            made.append(_compare("jvp against differences", number, along, expected, relative, size, uncertain))
        for name, function in reverse:
            pulled = _shaped(function(start.copy(), w.copy()), start.shape, name).reshape(-1)
            inner, terms = float(pulled @ v.reshape(-1)), float(np.abs(pulled) @ np.abs(v.reshape(-1)))
            made.append(
                _compare(f"{name} against differences", number, inner, expected, relative, max(size, terms), uncertain)
            )
            if along is not None:
                made.append(_compare(f"{name} against jvp", number, inner, along, exact, max(size, terms), 0.0))
    if not all(c.agrees for c in made):
        raise DerivativeMismatch(made)
    return made


def _shaped(value: ArrayLike, shape: tuple[int, ...], what: str) -> Vector:
    array = np.asarray(value, dtype=np.float64)
    if array.size != int(np.prod(shape)):
        raise UsageError(f"{what} gives an array of shape {array.shape}", why=f"{shape} was expected")
    return array


def _compare(
    what: str, direction: int, got: float, expected: float, tolerance: float, size: float, uncertain: float
) -> Comparison:
    scale = max(size, 1e-12)
    return Comparison(what, direction, got, expected, tolerance + 10 * uncertain / scale, scale)
