"""The fast Fourier transform: cases, inputs, and the objective by numpy's own transform."""

from __future__ import annotations

import numpy as np

from adbench.workloads.base import Array, Case, Inputs
from adbench.workloads.scalar import Dimensions, ScalarWorkload, by_size


def pairs(values: Array) -> Array:
    """Complex numbers as real and imaginary parts in turn."""
    return np.stack([values.real, values.imag], axis=-1).ravel()


def power(x: Array, weights: Array) -> float:
    """The objective of real x."""
    transform = np.fft.fft(x[0::2] + 1j * x[1::2])
    return float((weights * np.abs(transform) ** 2).sum() / (2 * len(weights)))


class Fft(ScalarWorkload):
    """Weighted power of the transform of n complex numbers; x holds real and imaginary parts in turn."""

    name = "fft"
    title = "fast Fourier transform, recursive and iterative"
    integers = ("n", "recursive")
    arrays = ("twiddles", "weights")
    sizes = by_size(
        small=[{"n": 1024, "recursive": flag} for flag in (1, 0)],
        medium=[{"n": n, "recursive": flag} for n in (128, 8192, 65536) for flag in (1, 0)],
        full=[{"n": 1 << 20, "recursive": flag} for flag in (1, 0)],
    )

    def case_name(self, dimensions: Dimensions) -> str:
        return f"{self.panel_name(dimensions)}_n{dimensions['n']}"

    @staticmethod
    def panel_name(dimensions: Dimensions) -> str:
        return "recursive" if dimensions["recursive"] else "iterative"

    def panel(self, case: Case) -> str:
        return self.panel_name(case.dimensions)

    def make_inputs(self, dimensions: Dimensions, random: np.random.Generator) -> Inputs:
        n = dimensions["n"]
        return {
            "x": random.standard_normal(2 * n),
            "twiddles": pairs(np.exp(-2j * np.pi * np.arange(n // 2) / n)),
            "weights": random.random(n),
        }

    def objective(self, inputs: Inputs) -> Array:
        x, weights = inputs["x"], inputs["weights"]
        value = power(x.real, weights)
        if not np.iscomplexobj(x):
            return np.asarray(value)
        # The objective is a quadratic form q; along the imaginary part it is q(a + i b) = q(a) - q(b) + 2 i q(a, b).
        length = max(float(np.abs(x.imag).max()), np.finfo(float).tiny)
        other = x.imag / length
        mixed = 0.25 * (power(x.real + other, weights) - power(x.real - other, weights))
        return np.asarray(value - length**2 * power(other, weights) + 2j * length * mixed)

    def problem_size(self, case: Case) -> int:
        return 2 * case.dimensions["n"]
