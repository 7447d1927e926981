"""What it saves to ask whether arrays are apart (``arrays_apart``): ``python -m benchmarks.plain_arrays``.

C that promises nothing of its arrays is differentiated with the question and without, and, where its arrays are
parameters, with ``restrict`` before each of them; for each the gradient's time, in primals of the same build, and the
memory that it added to the process, least of three runs in turn. The gradients are compared.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.programs import least
from enzyme.cli import main as enzyme_main

SOURCE = Path(__file__).parent / "sources" / "plain_arrays.c"
CASES = tuple((name, size) for name in ("dense", "columns", "outer", "filter", "heat", "layer") for size in (100, 1000))
BUILDS = {"asked": [], "not asked": ["--enzyme-off=arrays_apart"], "restrict": ["-DPROMISED=restrict"]}
TOLERANCE = 1e-9


def measure(programs: dict[str, Path], name: str, size: int) -> None:
    """One line for all builds."""
    sums: list[float] = []
    words = [f"{name} {size}"]
    for what, program in programs.items():
        primal, gradient, total, memory = least(program, name, size, runs=3)
        sums.append(total)
        words.append(f"{what}: {1e6 * gradient:9.1f} us {gradient / primal:5.2f} primals {memory / 2**20:6.2f} MiB")
    if any(abs(total - sums[0]) > TOLERANCE * abs(sums[0]) for total in sums):
        raise SystemExit(f"{name} {size}: the gradients sum up to {sums}")
    print("   ".join([f"{words[0]:13}", *words[1:]]), flush=True)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        programs = {what: Path(folder) / what.replace(" ", "-") for what in BUILDS}
        for what, program in programs.items():
            if enzyme_main(["cc", "-O3", "-march=native", *BUILDS[what], str(SOURCE), "-o", str(program), "-lm"]):
                return 1
        for name, size in CASES:
            measure(programs, name, size)
    return 0


if __name__ == "__main__":
    sys.exit(main())
