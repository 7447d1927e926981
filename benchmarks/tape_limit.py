"""What a limit on the tape costs and saves: ``python -m benchmarks.tape_limit``.

Long time loops are differentiated without a limit and under several; for each the gradient's time, in primals, and the
memory that it added to the process, least of three runs in turn. The gradients are compared.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from enzyme.cli import main as enzyme_main
from enzyme.support.config import read_bytes

SOURCE = Path(__file__).parent / "sources" / "time_loops.c"
LIMITS = ("0", "8MiB", "1MiB", "128KiB")
CASES = (("heat", 4_000), ("brusselator", 200_000), ("recurrent", 1_000))
TOLERANCE = 1e-12


def measure(programs: dict[str, Path], name: str, steps: int) -> None:
    """One line for each limit."""
    first: float | None = None
    for limit, program in programs.items():
        best: list[float] | None = None
        for _ in range(2):
            said = subprocess.run([program, name, str(steps)], capture_output=True, text=True, check=True).stdout
            found = [float(word) for word in said.split()]
            if best is None or found[1] < best[1]:
                best = found
        assert best is not None
        primal, gradient, total, memory = best
        first = total if first is None else first
        if abs(total - first) > TOLERANCE * abs(first):
            raise SystemExit(f"{name} under {limit}: the gradient sums up to {total}, not {first}")
        asked = "no limit" if not read_bytes(limit) else limit
        cost = f"{gradient / primal:8.1f} primals  {memory / 2**20:9.2f} MiB"
        print(f"{name:12} {steps:8} steps  {asked:8}  {cost}", flush=True)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        programs = {limit: Path(folder) / f"limit-{limit}" for limit in LIMITS}
        for limit, program in programs.items():
            words = ["cc", "-O2", "-march=native", f"--tape-limit={limit}", str(SOURCE), "-o", str(program), "-lm"]
            if enzyme_main(words):
                return 1
        for name, steps in CASES:
            measure(programs, name, steps)
    return 0


if __name__ == "__main__":
    sys.exit(main())
