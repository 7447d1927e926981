"""Numbers of the literature that ours are drawn beside, and where they are from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from adbench.run.reporting import speedups
from adbench.statistics import geometric_mean
from adbench.store import Row, Status
from adbench.tools.registry import ENZYME, ENZYME_PRE

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

FAR = 10.0
"""A measured value that is so many times as large as the published one, or as small, is not of its order."""

RATIO = "derivative over objective"


@dataclass(frozen=True)
class Published:
    """A published value, or the range of several, and which of our cells it is about.

    It is a ratio of times: of the derivative to the same tool's objective or, where ``base`` names a tool, of that
    tool's derivative to this tool's.
    """

    workload: str
    tool: str
    low: float
    high: float
    source: str
    base: str = ""
    dimensions: Mapping[str, tuple[int, ...]] = field(default_factory=dict, hash=False)
    """Which cases of the workload: the sizes that a dimension may have; any where it is not named."""

    @property
    def quantity(self) -> str:
        return f"speed, {self.base} = 1" if self.base else RATIO

    def covers(self, row: Row) -> bool:
        return row.workload == self.workload and all(
            row.dimensions.get(name) in sizes for name, sizes in self.dimensions.items()
        )


@dataclass(frozen=True)
class Beside:
    """A published value and what a run measured: the geometric mean of its cells, or what kept it from having any."""

    published: Published
    values: tuple[float, ...]
    why_not: str = ""

    @property
    def measured(self) -> float | None:
        return geometric_mean(self.values) if self.values else None

    @property
    def factor(self) -> float | None:
        """The measured value over the published one, or over the nearest of a range."""
        if self.measured is None:
            return None
        return self.measured / min(max(self.measured, self.published.low), self.published.high)

    @property
    def far(self) -> bool:
        """Whether they are not of one order of magnitude."""
        return self.factor is not None and not 1.0 / FAR <= self.factor <= FAR


def beside(rows: Sequence[Row], published: Iterable[Published]) -> list[Beside]:
    """Each published value with what the rows say of it."""
    found = []
    for value in published:
        covered = [row for row in rows if value.covers(row)]
        if value.base:
            values = list(speedups(covered, value.tool, value.base).values())
        else:
            values = [row.ratio for row in covered if _is_right(row, value.tool) and row.ratio]
        why_not = "" if values else _why_not([row for row in covered if row.tool in {value.tool, value.base}])
        found.append(Beside(value, tuple(values), why_not))
    return found


def _is_right(row: Row, tool: str) -> bool:
    return row.tool == tool and row.status is Status.OK


def _why_not(rows: Iterable[Row]) -> str:
    counts = Counter(f"{row.tool} {row.status.value}" for row in rows if row.status is not Status.OK)
    return ", ".join(counts) or "not in the run"


_CASES: Mapping[str, Mapping[str, tuple[int, ...]]] = {
    "gmm": {"n": (1000,), "d": (10, 32), "k": (25,)},
    "lstm": {"l": (2, 4), "c": (1024,)},
    "ba": {},
    "ht": {"complicated": (1,)},
    "ode": {"n": (1000,)},
}

_GRADBENCH: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "manual": {"gmm": (2.4, 3.8), "lstm": (5.9, 5.9), "ba": (4.6, 5.0), "ht": (4.0, 4.0)},
    "original": {"gmm": (7.5, 32.0), "lstm": (3.8, 3.8), "ba": (10.3, 10.3), "ht": (37.0, 37.0), "ode": (11.0, 11.0)},
    "tapenade": {"gmm": (4.2, 4.2), "lstm": (3.9, 3.9), "ba": (13.0, 13.0), "ht": (71.0, 71.0)},
    "codipack": {"gmm": (31.0, 31.0), "lstm": (3.5, 3.5), "ba": (43.0, 43.0), "ht": (39.0, 39.0), "ode": (18.0, 18.0)},
    "adept": {"gmm": (99.0, 99.0), "lstm": (8.8, 8.8), "ba": (47.0, 47.0), "ht": (131.0, 131.0), "ode": (200.0, 200.0)},
}

RATIOS: Sequence[Published] = tuple(
    Published(workload, tool, low, high, "GradBench's sources and inputs", dimensions=_CASES[workload])
    for tool, by_workload in _GRADBENCH.items()
    for workload, (low, high) in by_workload.items()
)
"""Derivative over objective with GradBench's sources and inputs, on one thread of a machine with AVX-512. Of Enzyme and
of what is written by hand on GMM, the range reaches to the values of GradBench's public runners."""

RELATIVE: Sequence[Published] = tuple(
    Published(workload, tool, speed, speed, SOURCE, base=ENZYME if tool == ENZYME_PRE else "original")
    for tool, by_workload in SPEEDS.items()
    for workload, value in by_workload.items()
    for speed in [value / SPEEDS[ENZYME][workload]]
    if tool != ENZYME
)
"""The paper's speeds over that of its Enzyme, which is our tool ``original``; AD before optimisation, a variant of this
engine, is compared with this engine."""
