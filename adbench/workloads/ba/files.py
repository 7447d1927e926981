"""ADBench's text format of BA problems.

``n m p``; one camera (11 numbers), which all n have; one point (3), which all m have; one weight, which all p have; one
feature (2), which all p have. Observation i is of point i mod m by camera i mod n.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from adbench.workloads.ba.sparse import CAMERA, POINT
from adbench.workloads.base import Array, Inputs
from adbench.workloads.textfile import TextReader


def observations(n: int, m: int, p: int) -> Array:
    """ADBench's pairs (camera, point), shape (p, 2)."""
    index = np.arange(p)
    return np.stack([index % n, index % m], axis=1).astype(np.int32)


def read_dimensions(path: Path) -> tuple[int, int, int]:
    """(n, m, p) from the first line."""
    n, m, p = TextReader(path, only_lines=1).whole(3, "n m p", least=1)
    return n, m, p


def read_ba(path: Path) -> Inputs:
    """The inputs in the file, its camera, point, weight and feature repeated."""
    reader = TextReader(path)
    n, m, p = reader.whole(3, "n m p", least=1)
    camera = reader.numbers(CAMERA, "the camera")
    point = reader.numbers(POINT, "the point")
    weight = reader.numbers(1, "the weight")
    feature = reader.numbers(2, "the feature")
    reader.end()
    return {
        "n": n,
        "m": m,
        "p": p,
        "cams": np.tile(camera, (n, 1)),
        "X": np.tile(point, (m, 1)),
        "w": np.tile(weight, p),
        "obs": observations(n, m, p),
        "feats": np.tile(feature, (p, 1)),
    }


def write_ba(path: Path, inputs: Inputs) -> None:
    """Write the first camera, point, weight and feature of a problem, as the format has room for no more."""
    lines = [f"{inputs['n']} {inputs['m']} {inputs['p']}"]
    for name in ("cams", "X", "w", "feats"):
        lines.append(" ".join(repr(float(value)) for value in np.atleast_1d(inputs[name][0])))
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
