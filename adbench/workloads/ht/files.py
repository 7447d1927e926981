"""ADBench's text formats of hand tracking: a folder ``model`` with the hand, and beside it files of measured points.

``bones.txt`` has a line for each bone, its fields separated by colons: name, parent (-1 for none), the 16 numbers of
its place in its parent's frame and the 16 of the inverse of its place at rest, row after row. ``vertices.txt`` has a
line for each vertex: place (3), normal (3) and texture (2), of which only the place is used, the number of bones that
move it, and for each of them bone and weight. ``triangles.txt`` has three vertices a line.

A file of points has ``n t``; n lines with a vertex (or triangle) and a point; in the complicated case n lines of two
more parameters; and t parameters. Its numbers are read wherever lines end.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from adbench.errors import DataFileError
from adbench.workloads.base import Array, Inputs
from adbench.workloads.ht.reference import LEAST_BONES, THETA
from adbench.workloads.textfile import TextReader, integer_limits

MODEL = "model"


def read_dimensions(path: Path) -> tuple[int, bool, int]:
    """(n, whether complicated, vertices) of a file of points and the model beside it."""
    reader = TextReader(path)
    count, complicated = _header(reader)
    return count, complicated, TextReader(path.parent / MODEL / "vertices.txt").remaining_lines()


def _header(reader: TextReader) -> tuple[int, bool]:
    count, parameters = reader.whole(2, "n t", least=1)
    if parameters != THETA:
        raise reader.fault(f"expected {THETA} parameters, found {parameters}", 1, 1)
    left = reader.tokens_left()
    if left not in (4 * count + THETA, 6 * count + THETA):
        what = (
            f"expected {4 * count + THETA} (simple) or {6 * count + THETA} (complicated) numbers after n = {count}"
            f" and t = {THETA}, found {left}"
        )
        raise reader.fault(what, 1, 1)
    return count, left == 6 * count + THETA


def read_ht(path: Path) -> Inputs:
    """The inputs in a file of points and in the folder ``model`` beside it."""
    reader = TextReader(path)
    count, complicated = _header(reader)
    model = read_model(path.parent / MODEL)
    corresponding = "triangle" if complicated else "vertex"
    limit = len(model["triangles"]) if complicated else model["vertices"]
    correspondences, points = np.empty(count, dtype=np.int32), np.empty((count, 3))
    for index in range(count):
        meaning = f"the {corresponding} of point {index + 1} of {count}"
        correspondences[index] = reader.whole(1, meaning, below=limit)[0]
        points[index] = reader.numbers(3, f"point {index + 1} of {count}")
    us = reader.numbers(2 * count, "the points' own parameters") if complicated else np.zeros(0)
    theta = reader.numbers(THETA, "the parameters")
    reader.end()
    return {
        "n": count,
        "complicated": int(complicated),
        **model,
        "correspondences": correspondences,
        "points": points,
        "theta": theta,
        "us": us.reshape(-1, 2),
    }


def read_model(folder: Path) -> Inputs:
    """The model in a folder."""
    parents, relatives, inverses = _bones(folder / "bones.txt")
    rest, weights = _vertices(folder / "vertices.txt", len(parents))
    triangles = _triangles(folder / "triangles.txt", len(rest))
    return {
        "bones": len(parents),
        "vertices": len(rest),
        "mirrored": 0,
        "parents": parents,
        "relatives": relatives,
        "inverses": inverses,
        "rest": np.concatenate([rest.T, np.ones((1, len(rest)))]),
        "weights": weights,
        "triangles": triangles,
    }


class Line:
    """The fields of one line, separated by colons, each with its column."""

    def __init__(self, reader: TextReader, number: int, text: str) -> None:
        self._reader = reader
        self._number = number
        self._fields: list[tuple[int, str]] = []
        column = 1
        for field in text.split(":"):
            self._fields.append((column + len(field) - len(field.lstrip()), field.strip()))
            column += len(field) + 1
        self._length = column

    def __len__(self) -> int:
        return len(self._fields)

    def fault(self, index: int, what: str) -> DataFileError:
        column = self._fields[index][0] if index < len(self._fields) else self._length
        return self._reader.fault(what, self._number, column)

    def numbers(self, start: int, count: int, meaning: str) -> list[float]:
        found = []
        for index in range(start, start + count):
            if index >= len(self._fields):
                raise self.fault(index, f"the line ends where {meaning} should follow")
            text = self._fields[index][1]
            try:
                value = float(text)
            except ValueError:
                raise self.fault(index, f"expected a number for {meaning}, found {text!r}") from None
            if not np.isfinite(value):
                raise self.fault(index, f"expected a finite number for {meaning}, found {text!r}")
            found.append(value)
        return found

    def whole(self, index: int, least: int, below: int | None, meaning: str) -> int:
        value = self.numbers(index, 1, meaning)[0]
        if value != int(value) or value < least or (below is not None and value >= below):
            text = self._fields[index][1]
            raise self.fault(index, f"expected an integer {integer_limits(least, below)} for {meaning}, found {text!r}")
        return int(value)

    def end(self, index: int) -> None:
        if index < len(self._fields):
            raise self.fault(index, f"expected the end of the line after {index} fields")


def _fields(path: Path) -> list[Line]:
    reader = TextReader(path)
    lines = [Line(reader, number, text) for number, text in reader.texts()]
    if not lines:
        raise reader.fault("the file is empty", 1, 1)
    return lines


def _bones(path: Path) -> tuple[Array, Array, Array]:
    parents, matrices = [], []
    lines = _fields(path)
    for bone, line in enumerate(lines):
        parents.append(line.whole(1, -1, bone, "the parent, a bone above or -1,"))
        matrices.append(line.numbers(2, 32, "the bone's two matrices"))
        line.end(34)
    if len(lines) < LEAST_BONES:
        raise lines[-1].fault(0, f"expected at least {LEAST_BONES} bones, found {len(lines)}")
    both = np.array(matrices).reshape(-1, 2, 4, 4)
    return np.array(parents, dtype=np.int32), both[:, 0].copy(), both[:, 1].copy()


def _vertices(path: Path, bones: int) -> tuple[Array, Array]:
    lines = _fields(path)
    rest, weights = np.empty((len(lines), 3)), np.zeros((bones, len(lines)))
    for vertex, line in enumerate(lines):
        rest[vertex] = line.numbers(0, 8, "the vertex's place, normal and texture")[:3]
        count = line.whole(8, 0, None, "the number of bones")
        for index in range(9, 9 + 2 * count, 2):
            weights[line.whole(index, 0, bones, "a bone"), vertex] = line.numbers(index + 1, 1, "a weight")[0]
        line.end(9 + 2 * count)
    return rest, weights


def _triangles(path: Path, vertices: int) -> Array:
    found = []
    for line in _fields(path):
        found.append([line.whole(index, 0, vertices, "a vertex") for index in range(3)])
        line.end(3)
    return np.array(found, dtype=np.int32)


def write_model(folder: Path, inputs: Inputs) -> None:
    """Write a model so that reading it gives the same bits; normals and textures, which nothing uses, are zero."""

    def joined(values: Any) -> str:
        return ":".join(repr(value) for value in values)

    folder.mkdir(parents=True, exist_ok=True)
    parents = [int(parent) for parent in inputs["parents"]]
    bones = [
        f"bone{bone}:{parent}:{joined(inputs['relatives'][bone].ravel().tolist())}"
        f":{joined(inputs['inverses'][bone].ravel().tolist())}"
        for bone, parent in enumerate(parents)
    ]
    vertices = []
    for place, weights in zip(inputs["rest"][:3].T.tolist(), inputs["weights"].T, strict=True):
        moving = np.flatnonzero(weights)
        pairs = "".join(f":{bone}:{weights[bone].item()!r}" for bone in moving)
        vertices.append(f"{joined(place)}:0:0:0:0:0:{len(moving)}{pairs}")
    triangles = [joined(triangle) for triangle in inputs["triangles"].tolist()]
    for name, lines in (("bones", bones), ("vertices", vertices), ("triangles", triangles)):
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="ascii")


def write_ht(path: Path, inputs: Inputs) -> None:
    """Write a file of points; the model is written by ``write_model`` into the folder ``model`` beside it."""

    def row(values: Array) -> str:
        return " ".join(repr(value) for value in values.tolist())

    lines = [f"{inputs['n']} {THETA}"]
    lines += [
        f"{int(which)} {row(point)}" for which, point in zip(inputs["correspondences"], inputs["points"], strict=True)
    ]
    lines += [row(pair) for pair in inputs["us"]]
    lines += [repr(value) for value in inputs["theta"].tolist()]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
