"""What it saves to reverse calls and iterations at once (``at_once``): ``python -m benchmarks.added_up``.

Functions that add up what calls and loops return are differentiated with it and without; for each the gradient's time,
in primals, and the memory that it added to the process, least of three runs in turn. The gradients are compared.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.programs import least
from enzyme.cli import main as enzyme_main

SOURCE = Path(__file__).parent / "sources" / "added_up.c"
CASES = (("paths", 1_000), ("paths", 100_000), ("determinant", 6), ("determinant", 9), ("integral", 7), ("tree", 16))
TOLERANCE = 1e-9


def measure(programs: dict[str, Path], name: str, size: int) -> None:
    """One line with it and without."""
    sums: list[float] = []
    words = [f"{name} {size}"]
    for what, program in programs.items():
        primal, gradient, total, memory = least(program, name, size, runs=3)
        sums.append(total)
        words.append(f"{what}: {gradient / primal:6.2f} primals {memory / 2**20:8.2f} MiB")
    if abs(sums[0] - sums[1]) > TOLERANCE * abs(sums[1]):
        raise SystemExit(f"{name} {size}: the gradient sums up to {sums[0]} at once, and to {sums[1]} else")
    print("   ".join([f"{words[0]:16}", *words[1:]]), flush=True)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        programs = {what: Path(folder) / what.replace(" ", "-") for what in ("at once", "kept")}
        for what, program in programs.items():
            off = ["--enzyme-off=at_once"] if what == "kept" else []
            if enzyme_main(["cc", "-O3", "-march=native", *off, str(SOURCE), "-o", str(program), "-lm"]):
                return 1
        for name, size in CASES:
            measure(programs, name, size)
    return 0


if __name__ == "__main__":
    sys.exit(main())
