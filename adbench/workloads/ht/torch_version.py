"""The HT objective in torch, vectorised over bones, vertices and points; its Jacobian by forward mode."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from adbench.workloads.ht.reference import FINGER_BONES, FINGERS, FIRST_BONE, SHARED, SMALLEST_ANGLE


def turn(axis: int, angles: Tensor) -> Tensor:
    """4 x 4 matrices (k, 4, 4) that turn about coordinate axis 0 (x) or 2 (z)."""
    cosine, sine, zero, one = angles.cos(), angles.sin(), torch.zeros_like(angles), torch.ones_like(angles)
    if axis == 0:
        rows = [one, zero, zero, zero, zero, cosine, -sine, zero, zero, sine, cosine, zero, zero, zero, zero, one]
    else:
        rows = [cosine, -sine, zero, zero, sine, cosine, zero, zero, zero, zero, one, zero, zero, zero, zero, one]
    return torch.stack(rows, -1).reshape(-1, 4, 4)


def rotation(vector: Tensor) -> Tensor:
    """The rotation by the angle |vector| about it; none where the angle is tiny."""
    square = vector.square().sum()
    turns = square >= SMALLEST_ANGLE**2
    angle = torch.where(turns, square, torch.ones_like(square)).sqrt()
    axis = vector / angle
    zero = torch.zeros_like(angle)
    cross = torch.stack([zero, -axis[2], axis[1], axis[2], zero, -axis[0], -axis[1], axis[0], zero]).reshape(3, 3)
    unit = torch.eye(3, dtype=vector.dtype)
    return torch.where(turns, unit + angle.sin() * cross + (1.0 - angle.cos()) * (cross @ cross), unit)


def residuals(theta: Tensor, us: Tensor, inputs: dict[str, Any]) -> Tensor:
    """The residuals (n, 3)."""
    fingers = theta[SHARED:].reshape(FINGERS, 4)
    about_x = turn(0, torch.cat([fingers[:, 0], fingers[:, 2], fingers[:, 3]])).reshape(3, FINGERS, 4, 4)
    turns = [turn(2, fingers[:, 1]) @ about_x[0], about_x[1], about_x[2]]
    places: list[Tensor] = []
    for bone, parent in enumerate(inputs["parents"].tolist()):
        place = inputs["relatives"][bone]
        finger, joint = divmod(bone - FIRST_BONE, FINGER_BONES)
        if 0 <= finger < FINGERS and joint < len(turns):
            place = place @ turns[joint][finger]
        places.append(place if parent < 0 else places[parent] @ place)
    transforms = torch.stack(places) @ inputs["inverses"]
    posed = torch.einsum("bv,biv->vi", inputs["weights"], transforms[:, :3] @ inputs["rest"])
    if inputs["mirrored"]:
        posed = posed * torch.tensor([-1.0, 1.0, 1.0], dtype=posed.dtype)
    posed = posed @ rotation(theta[:3]).T + theta[3:SHARED]
    which = inputs["correspondences"].long()
    if not inputs["complicated"]:
        return inputs["points"] - posed[which]
    shares = torch.cat([us, 1.0 - us.sum(1, keepdim=True)], 1)
    corners = posed[inputs["triangles"].long()[which]]
    return inputs["points"] - torch.einsum("nc,nci->ni", shares, corners)


def objective(inputs: dict[str, Any]) -> Tensor:
    """The residuals (n, 3)."""
    return residuals(inputs["theta"], inputs["us"], inputs)


def jacobian(inputs: dict[str, Any]) -> dict[str, Tensor]:
    """The columns (26, n, 3) of theta, and (2, n, 3) of the points' own parameters (none in the simple case)."""
    theta, us = inputs["theta"], inputs["us"]
    shared = torch.func.jacfwd(lambda moved: residuals(moved, us, inputs))(theta)
    columns = {"theta": shared.permute(2, 0, 1).contiguous(), "us": torch.zeros((2, len(us), 3), dtype=theta.dtype)}
    if inputs["complicated"]:
        seeds = torch.eye(2, dtype=theta.dtype)[:, None, :].expand(2, len(us), 2)

        def along(seed: Tensor) -> Any:
            return torch.func.jvp(lambda moved: residuals(theta, moved, inputs), (us,), (seed,))[1]

        columns["us"] = torch.func.vmap(along)(seeds)
    return columns
