"""Calls of native entry points in the timing loop of ``timer.c``."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np

from adbench.measuring import Batch
from adbench.native.build import Library, build_library

TIMER = Path(__file__).with_name("timer.c")


class NativeTimer:
    """The compiled timing loop."""

    def __init__(self, folder: Path) -> None:
        self.library: Library = build_library([TIMER], folder / "timer.so")
        self._measure = self.library.handle.adbench_measure
        self._measure.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
        self._measure.restype = None

    def batch(self, function: int, argument: int, *alive: object) -> Batch:
        """Samples of ``function(argument)``, both addresses; ``alive`` are the owners of what lies there."""

        def run(inner: int, count: int) -> list[int]:
            assert all(owner is not None for owner in alive)
            samples = np.zeros(count, dtype=np.int64)
            self._measure(function, argument, inner, count, samples.ctypes.data)
            return [int(sample) // inner for sample in samples]

        return run
