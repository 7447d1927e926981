"""Comparing derivatives: the error metric and the independent references."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from adbench.workloads.base import Array, Inputs, Outputs, Workload

COMPLEX_STEP = 1e-30
"""Step of complex differences; there is no subtraction, so it can be far below rounding."""


SMALLEST = 1e-3
"""Least scale of a derivative: rounding of objectives of order one is far below it, at any tolerance."""


@dataclass(frozen=True)
class Verdict:
    """The result of one check: the largest scaled error, where it is, and whether it is within ``tolerance``."""

    max_error: float
    tolerance: float
    place: str

    @property
    def correct(self) -> bool:
        # Written so that a NaN is wrong.
        return self.max_error <= self.tolerance

    @property
    def message(self) -> str:
        if self.correct:
            return ""
        return f"error {self.max_error:.2e} at {self.place}, tolerance {self.tolerance:.0e}"


def scaled_errors(actual: Array, expected: Array, scale: float = 1.0) -> Array:
    """|x - y| / max(scale, |x| + |y|), element by element; infinite where either is not finite."""
    with np.errstate(invalid="ignore"):
        errors = np.abs(actual - expected) / np.maximum(scale, np.abs(actual) + np.abs(expected))
    return np.where(np.isfinite(actual) & np.isfinite(expected), errors, np.inf)


def compare(actual: Mapping[str, Array], expected: Mapping[str, Array], tolerance: float) -> Verdict:
    """The worst scaled error over all arrays; a missing or misshapen array is infinitely wrong.

    The scale is the largest element expected in any of them, between ``SMALLEST`` and 1: a derivative that is small
    throughout is held to as many digits as another, and one that is zero but for rounding is not.
    """
    worst, place = 0.0, ""
    largest = max((float(np.max(np.abs(each), initial=0.0)) for each in expected.values()), default=0.0)
    scale = min(1.0, max(SMALLEST, largest))
    for name, reference in expected.items():
        reference = np.asarray(reference)
        if name not in actual:
            return Verdict(np.inf, tolerance, f"{name} (missing)")
        values = np.asarray(actual[name])
        if values.shape != reference.shape:
            return Verdict(np.inf, tolerance, f"{name} (shape {values.shape}, expected {reference.shape})")
        if values.size == 0:
            continue
        errors = scaled_errors(values, reference, scale)
        index = np.unravel_index(int(np.argmax(errors)), errors.shape)
        if errors[index] > worst:
            worst = float(errors[index])
            position = "".join(f"[{int(i)}]" for i in index)
            place = f"{name}{position} ({values[index]:.10g}, expected {reference[index]:.10g})"
    return Verdict(worst, tolerance, place)


def random_direction(workload: Workload, inputs: Inputs, seed: int) -> Outputs:
    """A direction in parameter space: standard normal, scaled to length one."""
    random = np.random.default_rng([seed, 0xD1EC])
    direction = {name: random.standard_normal(np.shape(inputs[name])) for name in workload.parameters}
    length = float(np.sqrt(sum(float(np.sum(values * values)) for values in direction.values())))
    return {name: values / length for name, values in direction.items()}


def directional_derivative(workload: Workload, inputs: Inputs, direction: Outputs) -> Array:
    """d/dt objective(parameters + t direction) at t = 0, by a complex step through the numpy objective."""
    moved = dict(inputs)
    for name in workload.parameters:
        moved[name] = inputs[name] + 1j * COMPLEX_STEP * direction[name]
    return np.asarray(np.imag(workload.objective(moved)) / COMPLEX_STEP)


def check_directions(
    workload: Workload, inputs: Inputs, derivative: Outputs, tolerance: float, seed: int, count: int = 3
) -> Verdict:
    """A derivative against complex-step derivatives of the objective in ``count`` random directions.

    The numpy objective shares no code with any tool; a wrong entry changes the derivative in almost every direction.
    """
    for name, shape in workload.jacobian_shapes(inputs).items():
        if name not in derivative or derivative[name].shape != shape:
            return Verdict(np.inf, tolerance, f"{name} (missing or misshapen)")
    directions = [random_direction(workload, inputs, seed + index) for index in range(count)]
    expected = np.array([directional_derivative(workload, inputs, direction) for direction in directions])
    actual = np.array([workload.jvp(inputs, derivative, direction) for direction in directions])
    return compare({"direction": actual}, {"direction": expected}, tolerance)
