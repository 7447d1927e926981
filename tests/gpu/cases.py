"""The kernels of this folder, what they are run with, and how their derivatives are checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Arrays = tuple[Numbers, Numbers, Numbers, Numbers]


class Kernels(Protocol):
    """Kernels of (x, dx, y, dy, n) that have been compiled for some machine."""

    def launch(self, name: str, grid: int, block: int, arrays: Arrays, n: int) -> None:
        """Run a kernel in place."""


@dataclass(frozen=True)
class Case:
    """A kernel: numbers in x and y, the last argument, blocks, and threads of a block; the step of differences, how
    near they come, and how near tangents and adjoints are."""

    file: str
    name: str
    x: int
    y: int
    n: int
    grid: int = 3
    block: int = 16
    step: float = 1e-5
    near: float = 1e-7
    same: float = 1e-12


CASES = (
    Case("reads", "scaled", 40, 40, 40),
    Case("reads", "stencil", 40, 40, 40),
    Case("reads", "product", 12 * 13, 12, 12, 1),
    Case("reads", "looked_up", 40, 40, 40),
    Case("reads", "narrow", 40, 40, 40, step=1e-2, near=3e-3, same=1e-5),
    Case("reads", "copied", 160, 160, 40),
    Case("reads", "pairs", 80, 80, 40),
    Case("loops", "squared", 40, 2, 40),
    Case("loops", "newton", 40, 40, 40),
    Case("loops", "many", 40, 40, 40, 2, 20, near=1e-6),
    Case("loops", "own", 40, 40, 40),
    Case("loops", "powers", 40, 40, 40),
    Case("loops", "mixture", 5 + 2 * 5 * 4 + 40 * 4, 40, 40),
    Case("loops", "small_mixture", 20 + 40 * 4, 40, 40),
    Case("tapes", "widths", 40, 40, 40, 2, 20, step=1e-4, near=1e-3, same=1e-7),
    Case("tapes", "distance", 40, 40, 40, 2, 20),
    Case("tapes", "nested", 70, 70, 70, 2, 35),
    Case("tapes", "walks", 40, 40, 40, 1, 40),
    Case("blocks", "halves", 45, 3, 45),
    Case("blocks", "multiplied", 45, 3, 45),
    Case("blocks", "rod", 48, 48, 11),
    Case("blocks", "turned", 48, 48, 48),
    Case("blocks", "tiles", 128, 64, 8, 4),
    Case("blocks", "normalised", 48, 48, 48),
    Case("blocks", "shifted", 48, 51, 48),
    Case("blocks", "shifted_in_place", 17, 16, 16, 1),
    Case("blocks", "bodies", 192, 192, 48),
    Case("blocks", "any_memory", 48, 48, 48),
    Case("sums", "gathered", 40, 4, 40),
    Case("sums", "bins", 40, 4, 40),
    Case("sums", "shared_sum", 16, 1, 16, 1),
    Case("sums", "energy", 40, 1, 40),
    Case("warps", "warp_sum", 64, 2, 64, 2, 32),
    Case("warps", "warp_all", 32, 32, 32, 1, 32),
    Case("warps", "scan", 32, 32, 32, 1, 32),
    Case("warps", "spread", 32, 32, 32, 1, 32),
    Case("warps", "groups", 32, 32, 31, 1, 32),
    Case("warps", "groups", 32, 32, 32, 1, 32),
    Case("warps", "floats", 32, 32, 32, 1, 32, step=1e-2, near=3e-3, same=1e-5),
    Case("warps", "block_sum", 64, 1, 64, 1, 64),
)
FILES = tuple(dict.fromkeys(case.file for case in CASES))


def _run(kernels: Kernels, case: Case, kind: str, arrays: Arrays) -> Numbers:
    """What a kernel makes of x and y, or of their shadows."""
    x, dx, y, dy = copies = tuple(each.copy() for each in arrays)  # type: ignore[misc]
    kernels.launch(f"{kind}_{case.name}", case.grid, case.block, copies, case.n)  # type: ignore[arg-type]
    return np.concatenate([x, y] if kind == "primal" else [dx, dy])


def disagreements(kernels: Kernels, case: Case) -> tuple[float, float]:
    """How far adjoints, and differences, are from tangents, as parts of what is allowed."""
    random = np.random.default_rng(len(case.name))
    x, y = random.uniform(0.5, 1.5, case.x), random.uniform(0.5, 1.5, case.y)
    dx, dy = random.normal(size=case.x), random.normal(size=case.y)
    wx, wy = random.normal(size=case.x), random.normal(size=case.y)
    weights = np.concatenate([wx, wy])
    tangent = float(weights @ _run(kernels, case, "forward", (x, dx, y, dy)))
    adjoint = float(_run(kernels, case, "reverse", (x, wx, y, wy)) @ np.concatenate([dx, dy]))
    h = case.step
    up = _run(kernels, case, "primal", (x + h * dx, dx, y + h * dy, dy))
    down = _run(kernels, case, "primal", (x - h * dx, dx, y - h * dy, dy))
    difference = float(weights @ (up - down)) / (2 * h)
    scale = 1 + abs(tangent)
    return abs(adjoint - tangent) / (case.same * scale), abs(difference - tangent) / (case.near * scale)
