"""What a limit on the tape costs and saves: ``python -m benchmarks.tape_limit``.

Long time loops are differentiated without a limit and under several; for each the gradient's time, in primals, and the
memory that it added to the process, least of three runs in turn. The gradients are compared.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.programs import least
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
        primal, gradient, total, memory = least(program, name, steps, runs=2)
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
