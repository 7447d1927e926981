"""Programs as people write them, against Enzyme's own package: ``python -m benchmarks.everyday [NAME ...]``.

The workloads of the harness are loops that have been written for speed. ``sources/everyday.c`` and ``everyday.cpp`` are
not: solvers, networks in structs and vectors, small matrices, meshes, rays, lists, shapes with virtual functions, none
of which promises anything. For each: the function's least time, the gradient's in primals of the same build, and, where
asked, what the same takes without some optimisations (``--off A,B``, which can be given several times) and by
``enzyme-ad`` (``--original``; C only). All run in one process, in turns. Gradients are held against differences, and a
tool whose gradient differs is marked. ``--large`` takes sizes that leave the nearest cache.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from enzyme.cli import main as enzyme_main

SOURCES = Path(__file__).parent / "sources"
C = {
    "cg": (1000, 100000),
    "mlp": (64, 512),
    "gpt": (16, 128),
    "conv": (32, 128),
    "lj": (1000, 10000),
    "wave": (64, 512),
    "kalman": (200, 5000),
    "gp": (64, 300),
    "lu": (48, 200),
    "hmm": (100, 2000),
    "dtw": (100, 1000),
    "pend": (100, 2000),
    "options": (1000, 100000),
    "table": (1000, 100000),
    "mesh": (1000, 100000),
    "rays": (32, 128),
    "spectrum": (1024, 65536),
    "kepler": (1000, 100000),
    "seidel": (32, 256),
    "list": (1000, 100000),
    "diffusion": (500, 20000),
    "gru": (50, 1000),
    "expm": (24, 100),
    "chamfer": (200, 1500),
    "pairs": (300, 3000),
    "edges": (1000, 100000),
    "logistic": (1000, 50000),
    "qr": (32, 150),
    "rows": (48, 200),
    "implicit": (1000, 20000),
    "align": (64, 500),
    "inverse": (40, 150),
    "jacobi": (16, 60),
    "filter": (1000, 100000),
    "depthwise": (32, 256),
    "arm": (20, 1000),
    "elements": (300, 50000),
    "machine": (300, 50000),
    "triangles": (300, 50000),
    "camera": (300, 50000),
    "search": (300, 50000),
    "orbits": (300, 50000),
    "solves": (300, 50000),
    "states": (100, 5000),
    "harmonics": (200, 20000),
    "fluxes": (300, 50000),
    "rubber": (300, 50000),
    "weno": (200, 20000),
    "malik": (32, 200),
    "torus": (32, 200),
    "taps": (200, 20000),
    "kernel": (32, 200),
    "noise": (32, 200),
    "valley": (1000, 100000),
    "polyline": (500, 50000),
    "springs": (1000, 100000),
    "trapezoid": (200, 20000),
    "around": (300, 30000),
    "blur": (24, 300),
    "bilateral": (300, 30000),
    "gas": (300, 20000),
    "traffic": (300, 20000),
    "ratings": (200, 10000),
    "water": (24, 200),
    "margins": (200, 10000),
    "swapped": (300, 20000),
}
CPP = {
    "vmlp": (48, 300),
    "cloth": (20, 100),
    "volume": (1000, 100000),
    "dft": (100, 1000),
    "shapes": (200, 20000),
    "chain": (24, 128),
    "stats": (1000, 100000),
    "lorenz": (200, 800),
    "joints": (50, 5000),
    "roots": (300, 50000),
    "curve": (1000, 30000),
    "knots": (1000, 30000),
    "checked": (100, 5000),
    "distances": (300, 20000),
}
"""Programs with a size and a large one."""
ENDS = ("gru",)
"""Programs of which the gradient by enzyme-ad 0.0.16 ends the process: it frees what it has freed, or never had."""
OWN = "enzyme"
ORIGINAL = "original"
ROUNDS = 2

Tool = Callable[[str, int, float], list[float]]


def built(source: Path, folder: Path, off: str) -> Tool:
    """The programs of a source by this engine, without the optimisations ``off``."""
    target = folder / f"{source.suffix[1:]}-{off or 'all'}.so"
    compiler = ["c++", "-std=c++17"] if source.suffix == ".cpp" else ["cc"]
    words = [*compiler, "-O3", "-march=native", "-shared", "-fPIC", "-Wno-enzyme", str(source), "-o", str(target)]
    if enzyme_main([*words, "-lm", *([f"--enzyme-off={off}"] if off else [])]):
        raise SystemExit(1)
    library = ctypes.CDLL(str(target))
    return tool(ctypes.cast(library.everyday_measure, ctypes.c_void_p).value or 0, library)


def by_original(source: Path) -> Tool:
    """The same by enzyme-ad, whose compiler is inside of an operation of JAX."""
    from baselines.original.runner import compiled, flags, headers

    (address,), held = compiled(source, ["everyday_measure"], [*flags(), *headers(), "-DEVERYDAY_INLINE"])
    return tool(address, held)


def tool(address: int, held: object) -> Tool:
    prototype = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_double, ctypes.POINTER(ctypes.c_double)
    )
    function = prototype(address)

    def measure(name: str, size: int, seconds: float) -> list[float]:
        out = (ctypes.c_double * 5)()
        if function(name.encode(), size, seconds, out):
            raise SystemExit(f"there is no program '{name}' in {SOURCES}")
        return list(out)

    measure.held = held  # type: ignore[attr-defined]
    return measure


def agrees(found: list[float]) -> bool:
    """Whether a gradient is what a central difference says, which steps over a few kinks of large programs."""
    return abs(found[2] - found[3]) <= 1e-3 * max(abs(found[2]), abs(found[3])) + 1e-7


def compare(tools: dict[str, Tool], name: str, size: int, seconds: float) -> dict[str, float]:
    """Prints a line; gives how many times as long as this engine's each other gradient takes."""
    best: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for what, measure in tools.items():
            found = measure(name, size, seconds)
            before = best.get(what, found)
            best[what] = [min(before[0], found[0]), min(before[1], found[1]), *found[2:]]
    own = best[OWN]
    if not agrees(own):
        raise SystemExit(f"{name} {size}: the gradient is {own[2]} along a direction, and a difference {own[3]}")
    words = [f"{name:10}{size:7}{1e6 * own[0]:11.1f} us {own[1] / own[0]:6.2f} primals"]
    ratios = {what: found[1] / own[1] for what, found in best.items() if what != OWN}
    for what, ratio in ratios.items():
        wrong = "" if agrees(best[what]) else " (wrong)"
        words.append(f"{what} {best[what][1] / best[what][0]:6.2f} primals, {ratio:.2f} of the time{wrong}")
    print("   ".join(words), flush=True)
    return ratios


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.everyday", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join((*C, *CPP))} (default: all)")
    parser.add_argument("--off", action="append", default=[], metavar="A,B", help="also without these optimisations")
    parser.add_argument("--original", action="store_true", help="also by enzyme-ad (C only)")
    parser.add_argument("--large", action="store_true", help="sizes that leave the nearest cache")
    parser.add_argument("--seconds", type=float, default=0.3, help="that each measurement takes (default 0.3)")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in C and name not in CPP]
    if unknown:
        parser.error(f"there is no program '{unknown[0]}': choose from {', '.join((*C, *CPP))}")
    logarithms: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for source, programs in (("everyday.c", C), ("everyday.cpp", CPP)):
            asked = [name for name in programs if not options.names or name in options.names]
            if not asked:
                continue
            tools = {off or OWN: built(SOURCES / source, Path(folder), off) for off in ("", *options.off)}
            if options.original and programs is C:
                tools[ORIGINAL] = by_original(SOURCES / source)
            for name in asked:
                fit = {what: each for what, each in tools.items() if what != ORIGINAL or name not in ENDS}
                ratios = compare(fit, name, programs[name][options.large], options.seconds)
                for what, ratio in ratios.items():
                    logarithms.setdefault(what, []).append(math.log(ratio))
    for what, found in logarithms.items():
        print(f"{what}: {math.exp(sum(found) / len(found)):.2f} times as long, geometric mean of {len(found)} programs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
