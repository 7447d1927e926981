"""Loops over steps as workloads of the benchmarks: each step waits for the one before, and so does its reversal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from adbench.workloads.base import Array, Case, CType, Inputs, NativeField, NativeInterface, Role, Size, Workload
from benchmarks.matrix_loops import SOURCES

STEPS = 10000


def _newton(p: Sequence[float]) -> float:
    x = p[0]
    for _ in p:
        x -= 1e-4 * (x**3 - p[1] * x - p[2]) / (3.0 * x * x - p[1] + 10.0)
    return x


def _orbit(p: Sequence[float]) -> float:
    x, y, u, v = p[:4]
    for _ in p:
        pull = 1e-4 / (x * x + y * y) ** 1.5
        u, v = u - x * pull, v - y * pull
        x, y = x + 1e-4 * u, y + 1e-4 * v
    return x * x + 2.0 * y


def _inputs(p: Sequence[float]) -> float:
    x = p[0]
    for each in p:
        x += 1e-3 * x * (1.0 - x * x / (2.0 + each)) + 1e-3 * each
    return x * x


def _lorenz(p: Sequence[float]) -> float:
    state, h = np.array(p[:3]), 1e-4

    def slope(s: Array) -> Array:
        return np.array([p[3] * (s[1] - s[0]), s[0] * (p[4] - s[2]) - s[1], s[0] * s[1] - p[5] * s[2]])

    for _ in p:
        a = slope(state)
        b = slope(state + h / 2 * a)
        c = slope(state + h / 2 * b)
        state = state + h / 6 * (a + 2 * b + 2 * c + slope(state + h * c))
    return float(state[0] ** 2 + state[2])


LOOPS: dict[str, Callable[[Sequence[float]], float]] = {
    "newton": _newton,
    "orbit": _orbit,
    "inputs": _inputs,
    "lorenz": _lorenz,
}
"""By the names in ``sources/step_loop.c``: what is computed of as many numbers as there are steps."""


class StepLoop(Workload):
    """y = f(x) by one loop."""

    name = "steps"
    title = "Loops over steps"
    parameters = ("x",)

    def __init__(self, loop: str, steps: int = STEPS) -> None:
        self.loop, self.steps = loop, steps
        fields = (
            NativeField("n", CType.INT, Role.INPUT, "n"),
            NativeField("x", CType.POINTER, Role.INPUT, "x"),
            NativeField("y", CType.POINTER, Role.OBJECTIVE, "objective"),
            NativeField("dx", CType.POINTER, Role.JACOBIAN, "x"),
        )
        self.native = NativeInterface(fields, SOURCES, {"enzyme": "step_loop.c"})

    @property
    def flags(self) -> tuple[str, ...]:
        """For the C compiler: which loop."""
        return (f"-DLOOP={self.loop}",)

    def cases(self, size: Size) -> list[Case]:
        return [Case(self.loop, {"n": self.steps})]

    def generate(self, case: Case, seed: int) -> Inputs:
        return {"n": self.steps, "x": np.random.default_rng(seed).uniform(0.5, 1.5, self.steps)}

    def objective(self, inputs: Inputs) -> Array:
        return np.array([LOOPS[self.loop](inputs["x"].tolist())])

    def objective_shape(self, inputs: Inputs) -> tuple[int, ...]:
        return (1,)

    def problem_size(self, case: Case) -> int:
        return self.steps
