"""Programs that measure themselves: NAME SIZE prints the seconds of primal and gradient, its sum, and bytes."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from enzyme.cli import main as enzyme_main


def compare(source: Path, builds: dict[str, list[str]], cases: Sequence[tuple[str, int]], tolerance: float) -> int:
    """A line for each case: what each build, by its name and flags, takes for it, in turns. Raises SystemExit where the
    gradients differ. Returns the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        programs = {what: Path(folder) / what.replace(" ", "-") for what in builds}
        for what, program in programs.items():
            if enzyme_main(["cc", "-O3", "-march=native", *builds[what], str(source), "-o", str(program), "-lm"]):
                return 1
        for name, size in cases:
            sums: list[float] = []
            words = [f"{name} {size}".ljust(16)]
            for what, program in programs.items():
                primal, gradient, total, memory = least(program, name, size, runs=3)
                sums.append(total)
                taken = f"{1e6 * gradient:9.1f} us {gradient / primal:6.2f} primals {memory / 2**20:8.2f} MiB"
                words.append(f"{what}: {taken}")
            if any(abs(total - sums[-1]) > tolerance * abs(sums[-1]) for total in sums):
                raise SystemExit(f"{name} {size}: the gradients sum up to {sums}")
            print("   ".join(words), flush=True)
    return 0


def least(program: Path, name: str, size: int, runs: int) -> tuple[float, float, float, float]:
    """What a program prints, of the run with the fastest gradient."""
    found = []
    for _ in range(runs):
        said = subprocess.run([program, name, str(size)], capture_output=True, text=True, check=True).stdout
        primal, gradient, total, memory = (float(word) for word in said.split())
        found.append((primal, gradient, total, memory))
    return min(found, key=lambda each: each[1])
