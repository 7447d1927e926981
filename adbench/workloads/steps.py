"""The classical Runge-Kutta method for the Python versions of the ODE workloads, whatever their arrays are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

Slope: TypeAlias = Callable[[Any, Any], Any]
"""The derivative at a time of a state, arrays of any framework."""


def runge_kutta_step(slope: Slope, t: Any, y: Any, h: float) -> Any:
    """y one step of length h later."""
    first = slope(t, y)
    second = slope(t + 0.5 * h, y + 0.5 * h * first)
    third = slope(t + 0.5 * h, y + 0.5 * h * second)
    fourth = slope(t + h, y + h * third)
    return y + h / 6.0 * (first + 2.0 * second + 2.0 * third + fourth)


def runge_kutta(slope: Slope, y: Any, steps: int, h: float) -> Any:
    """y after ``steps`` steps from time 0."""
    for step in range(steps):
        y = runge_kutta_step(slope, step * h, y, h)
    return y
