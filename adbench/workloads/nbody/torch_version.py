"""Gravitating bodies in torch: all pairs at once, a loop in Python over steps."""

from __future__ import annotations

from typing import Any

import torch

from adbench.workloads.nbody.workload import SOFTENING


def objective(inputs: dict[str, Any]) -> torch.Tensor:
    """A weighted sum of the last places."""
    place, speed = inputs["x"].reshape(2, -1, 3)
    for _ in range(int(inputs["steps"])):
        apart = place[None, :, :] - place[:, None, :]
        square = apart.square().sum(2) + SOFTENING
        speed = speed + inputs["h"] * (inputs["masses"] * square.pow(-1.5))[:, :, None].mul(apart).sum(1)
        place = place + inputs["h"] * speed
    return (inputs["weights"] * place.flatten()).sum()
