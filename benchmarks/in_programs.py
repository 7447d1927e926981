"""What optimisations gain in programs of their own: ``python -m benchmarks.in_programs [PROGRAM ...]``.

What the allocator does depends on the process: one that has had large blocks back, as Python's has, holds on to more
than one that has not. Each program in ``sources`` is built as it is and without some optimisations, and the builds are
run in turns, once for each case; each run prints the seconds of a primal and of a derivative, least of several, and a
sum of what was found. The sums are compared.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path

from enzyme.cli import main as enzyme_main

SOURCES = Path(__file__).parent / "sources"
PROGRAMS = {"unknown_length": ("entries_together,one_block", "large_pages"), "tangents": ("shadow_scopes",)}
"""Programs, and the optimisations that are turned off, one list after the other."""
TURNS = 3
TOLERANCE = 1e-9


def build(program: str, off: str, target: Path) -> None:
    words = ["cc", "-O2", "-march=native", str(SOURCES / f"{program}.c"), "-o", str(target), "-lm", "-Wno-enzyme"]
    if enzyme_main([*words, *([f"--enzyme-off={off}"] if off else [])]):
        raise SystemExit(1)


def run(program: Path, number: int, best: dict[str, list[float]]) -> str | None:
    """Keeps the least primal and derivative of a case, and the sum; gives the case's name, None behind the last."""
    said = subprocess.run([program, str(number)], capture_output=True, text=True, check=True).stdout
    if not said:
        return None
    case, *numbers = said.split()
    primal, derivative, total = map(float, numbers)
    if case in best:
        primal, derivative = min(primal, best[case][0]), min(derivative, best[case][1])
    best[case] = [primal, derivative, total]
    return case


def compare(program: str, without: tuple[str, ...], folder: Path) -> None:
    builds = {off: folder / f"{program}-{number}" for number, off in enumerate(("", *without))}
    found: dict[str, dict[str, list[float]]] = {off: {} for off in builds}
    for off, target in builds.items():
        build(program, off, target)
    print(f"{program}: derivative / primal, and how many times as long it takes without")
    print(f"{'':34}" + "".join(f"{off:>30}" for off in without))
    for number in count():
        case = None
        for _ in range(TURNS):
            for off, target in builds.items():
                case = run(target, number, found[off])
        if case is None:
            return
        primal, derivative, total = found[""][case]
        ratios = []
        for off in without:
            _, longer, other = found[off][case]
            if abs(other - total) > TOLERANCE * abs(total):
                raise SystemExit(f"{case} without {off}: the derivative sums up to {other}, not {total}")
            ratios.append(longer / derivative)
        print(f"{case:24}{derivative / primal:10.2f}" + "".join(f"{ratio:30.2f}" for ratio in ratios), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.in_programs", description=__doc__)
    parser.add_argument(
        "programs", nargs="*", metavar="PROGRAM", help=f"of {', '.join(PROGRAMS)}; all if none is named"
    )
    names = parser.parse_args().programs or list(PROGRAMS)
    for name in names:
        if name not in PROGRAMS:
            parser.error(f"there is no program {name!r}: {', '.join(PROGRAMS)}")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            compare(name, PROGRAMS[name], Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
