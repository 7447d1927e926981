"""Loops over matrices as workloads of the benchmarks: where the order of reversed loops decides."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from adbench.workloads.base import Array, Case, CType, Inputs, NativeField, NativeInterface, Role, Size, Workload

SOURCES = Path(__file__).parent / "sources"
SEED = "seed"

LOOPS: dict[str, tuple[int, Callable[[Array, Array], Array]]] = {
    "mv_row": (256, lambda a, x: a @ x),
    "mv_col": (256, lambda a, x: a.T @ x),
    "mv_colgood": (256, lambda a, x: a.T @ x),
    "tri_low": (256, lambda a, x: np.tril(a) @ x),
    "tri_lowcol": (256, lambda a, x: np.triu(a).T @ x),
    "tri_upcol": (256, lambda a, x: np.tril(a).T @ x),
    "solve_row": (256, lambda a, x: np.linalg.solve(np.tril(a), x)),
    "solve_col": (256, lambda a, x: np.linalg.solve(np.triu(a).T, x)),
    "back_col": (256, lambda a, x: np.linalg.solve(np.tril(a).T, x)),
    "rank1_row": (256, lambda a, x: a + np.outer(x, x)),
    "rank1_col": (256, lambda a, x: a + np.outer(x, x)),
    "mm_ijk": (64, lambda a, x: a @ x),
}
"""By the names in ``sources/matrix_loops.h``: how many rows, and what is computed."""


class MatrixLoop(Workload):
    """y = f(A, x) by one loop; the derivative is that of y along a seed."""

    name = "matrix"
    title = "Loops over matrices"
    parameters = ("A", "x")

    def __init__(self, loop: str, rows: int = 0) -> None:
        self.loop = loop
        self.rows, self._function = rows or LOOPS[loop][0], LOOPS[loop][1]
        fields = (
            NativeField("n", CType.INT, Role.INPUT, "n"),
            NativeField("A", CType.POINTER, Role.INPUT, "A"),
            NativeField("x", CType.POINTER, Role.INPUT, "x"),
            NativeField("y", CType.POINTER, Role.OBJECTIVE, "objective"),
            NativeField("dy", CType.POINTER, Role.INPUT, "dy"),
            NativeField("seed", CType.POINTER, Role.INPUT, SEED),
            NativeField("dA", CType.POINTER, Role.JACOBIAN, "A"),
            NativeField("dx", CType.POINTER, Role.JACOBIAN, "x"),
        )
        self.native = NativeInterface(fields, SOURCES, {"enzyme": "matrix_loop.c"})

    @property
    def flags(self) -> tuple[str, ...]:
        """For the C compiler: which loop, and what is a matrix."""
        x, y = (int(length > self.rows) for length in (self._length_of_x, self._length_of_y))
        return f"-DLOOP={self.loop}", f"-DX_IS_MATRIX={x}", f"-DY_IS_MATRIX={y}"

    @property
    def _length_of_x(self) -> int:
        return self.rows * (self.rows if self.loop.startswith("mm") else 1)

    @property
    def _length_of_y(self) -> int:
        return self.rows * (self.rows if self.loop.startswith(("mm", "rank1")) else 1)

    def cases(self, size: Size) -> list[Case]:
        return [Case(self.loop, {"n": self.rows})]

    def generate(self, case: Case, seed: int) -> Inputs:
        random, n = np.random.default_rng(seed), self.rows
        x: Any = random.normal(size=self._length_of_x)
        return {
            "n": n,
            "A": random.normal(size=(n, n)) / n + 2.0 * np.eye(n),
            "x": x.reshape(n, n) if self._length_of_x > n else x,
            SEED: random.normal(size=self._length_of_y),
            "dy": np.zeros(self._length_of_y),
        }

    def objective(self, inputs: Inputs) -> Array:
        return self._function(inputs["A"], inputs["x"]).ravel()

    def objective_shape(self, inputs: Inputs) -> tuple[int, ...]:
        return (self._length_of_y,)

    def problem_size(self, case: Case) -> int:
        return self.rows
