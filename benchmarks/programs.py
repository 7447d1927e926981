"""Programs that measure themselves: NAME SIZE prints the seconds of primal and gradient, its sum, and bytes."""

from __future__ import annotations

import subprocess
from pathlib import Path


def least(program: Path, name: str, size: int, runs: int) -> tuple[float, float, float, float]:
    """What a program prints, of the run with the fastest gradient."""
    found = []
    for _ in range(runs):
        said = subprocess.run([program, name, str(size)], capture_output=True, text=True, check=True).stdout
        primal, gradient, total, memory = (float(word) for word in said.split())
        found.append((primal, gradient, total, memory))
    return min(found, key=lambda each: each[1])
