"""Derivatives of loops over matrices beside adjoints written by hand in their own good loop order.

``python -m benchmarks.linear_algebra`` prints, for each loop, the time of both and of the primal;
``--off interchange,inner_checks,reassociate`` without these optimisations. In each run, the derivatives are compared.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).parent / "sources" / "linear_algebra.c"


def build(target: Path, off: str) -> None:
    """The program, with the engine's derivatives, for this machine."""
    flags = ["-O3", "-march=native", "-w", *([f"--enzyme-off={off}"] if off else [])]
    command = [sys.executable, "-m", "enzyme", "cc", *flags, str(SOURCE), "-o", str(target), "-lm"]
    subprocess.run(command, check=True)


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--off", default="", metavar="NAME,...", help="optimisations to turn off")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="linear-algebra-") as folder:
        program = Path(folder) / "loops"
        build(program, asked.off)
        subprocess.run([str(program)], check=True)


if __name__ == "__main__":
    main()
