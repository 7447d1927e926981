"""ADBench's text format of LSTM problems.

``l c b``; 2 l lines of 4 b numbers (main parameters); 3 lines of b (extra parameters); 2 l lines of b (state); c lines
of b (sequence), with blank lines between the parts. Numbers are read wherever lines end.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from adbench.workloads.base import Array, Inputs
from adbench.workloads.textfile import TextReader

PARTS = {
    "main_params": "main parameters",
    "extra_params": "extra parameters",
    "state": "the state",
    "sequence": "the sequence",
}


def shapes(l: int, c: int, b: int) -> dict[str, tuple[int, int]]:  # noqa: E741  ADBench's name
    """Shapes of the arrays, in the order of the file."""
    return {"main_params": (2 * l, 4 * b), "extra_params": (3, b), "state": (2 * l, b), "sequence": (c, b)}


def _dimensions(reader: TextReader) -> tuple[int, int, int]:
    number = reader.line_number
    layers, length, width = reader.whole(3, "l c b", least=1)
    if length < 2:
        raise reader.fault("expected a sequence of at least 2 characters", number, 1)
    return layers, length, width


def read_dimensions(path: Path) -> tuple[int, int, int]:
    """(l, c, b) from the first line."""
    return _dimensions(TextReader(path, only_lines=1))


def read_lstm(path: Path) -> Inputs:
    """The inputs in the file."""
    reader = TextReader(path)
    l, c, b = _dimensions(reader)  # noqa: E741
    inputs: Inputs = {"l": l, "c": c, "b": b}
    for name, shape in shapes(l, c, b).items():
        inputs[name] = reader.numbers(shape[0] * shape[1], PARTS[name]).reshape(shape)
    reader.end()
    return inputs


def write_lstm(path: Path, inputs: Inputs) -> None:
    """Write a problem so that reading it gives the same bits."""

    def block(values: Array) -> str:
        return "\n".join(" ".join(repr(float(value)) for value in row) for row in np.atleast_2d(values))

    parts = [f"{inputs['l']} {inputs['c']} {inputs['b']}", *(block(inputs[name]) for name in PARTS)]
    path.write_text("\n\n".join(parts) + "\n", encoding="ascii")
