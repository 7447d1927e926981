"""The messages between harness and tool: GradBench's JSON lines, with large arrays in files beside them.

A request is ``{"id", "kind": "start" | "define" | "evaluate" | "analysis", ...}``; every request gets one response with
its ``id``. Timings are ``[{"name", "nanoseconds"}, ...]``. An array is a (nested) list of numbers, or, between our own
processes, ``{"npy": PATH}``.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

Message: TypeAlias = dict[str, Any]

INLINE_NUMBERS = 64
"""Arrays up to this many numbers travel inside the message."""


class Exchange:
    """Encoder and decoder of messages; ``folder`` is where large arrays are put, None for never."""

    def __init__(self, folder: Path | None, prefix: str) -> None:
        self.folder = folder
        self._prefix = prefix
        self._numbers = itertools.count()

    def dumps(self, message: Message) -> str:
        return json.dumps(message, default=self._encode)

    def loads(self, line: str) -> Message:
        message = json.loads(line)
        if not isinstance(message, dict):
            raise ValueError("a message is a JSON object")
        return message

    def _encode(self, value: object) -> object:
        if isinstance(value, np.generic):
            return value.item()
        if not isinstance(value, np.ndarray):
            raise TypeError(f"{type(value).__name__} has no place in a message")
        # Lists cannot tell the shape of an empty matrix.
        told = value.size > 0 or value.ndim <= 1
        if self.folder is None or (told and value.size <= INLINE_NUMBERS):
            return value.tolist()
        path = self.folder / f"{self._prefix}{next(self._numbers)}.npy"
        np.save(path, value)
        return {"npy": str(path)}


def as_array(value: object) -> np.ndarray[Any, Any]:
    """The array that a decoded message holds: a number, nested lists or a reference to a file."""
    if isinstance(value, dict) and "npy" in value:
        return np.asarray(np.load(value["npy"]))
    return np.asarray(value)


def as_inputs(value: dict[str, Any]) -> dict[str, Any]:
    """The inputs in an ``evaluate`` request: arrays as float64, numbers and nested directions kept."""
    inputs: dict[str, Any] = {}
    for key, item in value.items():
        if isinstance(item, dict) and "npy" not in item:
            inputs[key] = as_inputs(item)
        elif isinstance(item, (dict, list)):
            array = as_array(item)
            inputs[key] = array if array.dtype.kind in "iu" else array.astype(np.float64, copy=False)
        else:
            inputs[key] = item
    return inputs
