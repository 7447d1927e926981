"""The BA objective in plain numpy: shares no code with the C source, and accepts complex parameters."""

from __future__ import annotations

import numpy as np

from adbench.workloads.base import Array, Inputs

CHUNK = 1 << 18
"""Observations taken at a time, so that memory stays small for ADBench's files of nine million."""


def rotate(rotation: Array, points: Array) -> Array:
    """Each row of ``points`` turned by the axis times angle in the same row of ``rotation``; both (p, 3)."""
    square = (rotation * rotation).sum(axis=1, keepdims=True)
    turns = square != 0
    angle = np.sqrt(np.where(turns, square, 1.0))
    axis = rotation / angle
    cosine, sine = np.where(turns, np.cos(angle), 1.0), np.where(turns, np.sin(angle), angle)
    along = (axis * points).sum(axis=1, keepdims=True)
    return np.asarray(points * cosine + np.cross(axis, points) * sine + axis * along * (1.0 - cosine))


def project(cameras: Array, points: Array) -> Array:
    """Images (p, 2) of points (p, 3), each seen by the camera (p, 11) in the same row."""
    rotation, centre, focal, principal, radial = np.split(cameras, (3, 6, 7, 9), axis=1)
    seen = rotate(rotation, points - centre)
    image = seen[:, :2] / seen[:, 2:]
    square = (image * image).sum(axis=1, keepdims=True)
    return np.asarray(image * (1.0 + radial[:, :1] * square + radial[:, 1:] * square**2) * focal + principal)


def ba_objective(inputs: Inputs) -> Array:
    """The 2 p residuals, observation after observation, and then the p errors of weights; shape (3 p,)."""
    cams, points, w = (np.asarray(inputs[name]) for name in ("cams", "X", "w"))
    obs, feats = inputs["obs"], inputs["feats"]
    p = len(w)
    value = np.empty(3 * p, dtype=np.result_type(cams, points, w))
    for start in range(0, p, CHUNK):
        part = slice(start, min(p, start + CHUNK))
        images = project(cams[obs[part, 0]], points[obs[part, 1]])
        value[2 * part.start : 2 * part.stop] = (w[part, None] * (images - feats[part])).ravel()
    value[2 * p :] = 1.0 - w * w
    return value
