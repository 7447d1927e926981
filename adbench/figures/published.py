"""Numbers of the literature that ours are drawn beside, and where they are from."""

from __future__ import annotations

from collections.abc import Mapping

SOURCE = "Moses and Churavy, NeurIPS 2020, main figure (read off)"

BENCHMARKS: Mapping[str, str] = {
    "lstm": "LSTM",
    "ba": "BA",
    "gmm": "GMM",
    "euler": "Euler",
    "rk4": "RK4",
    "fft": "FFT",
    "brusselator": "Bruss",
}
"""The paper's benchmarks in its order, by the names of our workloads."""

_SPEEDS: Mapping[str, tuple[float | None, ...]] = {
    "enzyme": (1.0, 1.0, 1.0, 1.0, 1.0, 0.998, 1.0),
    "enzyme-pre": (0.529, 0.545, 0.159, 0.0048, 0.145, 1.0, 0.993),
    "tapenade": (0.582, 0.624, 0.589, None, None, None, 0.349),
    "adept": (0.309, 0.182, 0.048, 0.024, 0.534, 0.072, 0.053),
}

SPEEDS: Mapping[str, Mapping[str, float]] = {
    tool: {name: speed for name, speed in zip(BENCHMARKS, speeds, strict=True) if speed is not None}
    for tool, speeds in _SPEEDS.items()
}
"""Relative speed (the fastest is 1) by our names of tool and workload; "enzyme-pre" is the paper's "Ref"."""

POST_OVER_PRE = 4.2
"""The paper's geometric mean: how many times as fast AD after optimisation is as AD before it."""
