"""The Fourier transform in autograd, by its own."""

from __future__ import annotations

from typing import Any

import autograd.numpy as np


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Weighted power of the transform."""
    x = np.reshape(parameters["x"], (-1, 2))
    transform = np.fft.fft(x[:, 0] + 1j * x[:, 1])
    power = np.real(transform) ** 2 + np.imag(transform) ** 2
    return 0.5 * np.sum(data["weights"] * power) / data["n"]
