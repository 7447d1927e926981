"""The Fourier transform in torch, by its own."""

from __future__ import annotations

from typing import Any

import torch


def objective(inputs: dict[str, Any]) -> torch.Tensor:
    """Weighted power of the transform."""
    transform = torch.fft.fft(torch.view_as_complex(inputs["x"].reshape(-1, 2)))
    power = torch.view_as_real(transform).square().sum(1)
    return 0.5 * (inputs["weights"] * power).sum() / len(transform)
