"""Gradients of programs that leave matrices to a library: ``python -m benchmarks.blas_programs [NAME ...]``.

``sources/blas.c`` calls BLAS and LAPACK by the names that Fortran gives them. For each program and size: the function's
least time, the gradient's in such times, and how many times as long it takes without some optimisations (``--off``,
``matrix_steps`` where none is named). The library is OpenBLAS (Debian: ``libopenblas0``) or the one that ``--library``
names; one thread. All run in one process, in turns. Gradients are held against differences.
"""

from __future__ import annotations

import argparse
import ctypes
import ctypes.util
import math
import os
import sys
import tempfile
from pathlib import Path

from benchmarks import everyday

PROGRAMS = {
    "product": (32, 512),
    "layers": (32, 512),
    "recurrent": (64, 1000),
    "gram": (32, 512),
    "triangle": (32, 512),
    "process": (64, 512),
    "equations": (64, 512),
}
"""Programs with a size and a large one."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.blas_programs", description=(__doc__ or "").split(":")[0]
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PROGRAMS)} (default: all)")
    parser.add_argument("--off", action="append", metavar="A,B", help="without these (default matrix_steps)")
    parser.add_argument("--library", default=ctypes.util.find_library("openblas"), help="a shared library with both")
    parser.add_argument("--sizes", type=int, nargs="+", metavar="N", help="in place of each program's two")
    parser.add_argument("--seconds", type=float, default=0.3, help="that each measurement takes (default 0.3)")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in PROGRAMS]
    if unknown:
        parser.error(f"there is no program '{unknown[0]}': choose from {', '.join(PROGRAMS)}")
    if options.library is None:
        parser.error(
            "there is no OpenBLAS (Debian: libopenblas0); --library names another library with BLAS and LAPACK"
        )
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    library = ctypes.CDLL(options.library, mode=ctypes.RTLD_GLOBAL)
    for routine in ("dgemm_", "dgesv_"):
        if not hasattr(library, routine):
            parser.error(f"{options.library} has no '{routine}'; --library names one that has BLAS and LAPACK")
    source = everyday.SOURCES / "blas.c"
    logarithms: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        off = options.off or ["matrix_steps"]
        tools = {each or everyday.OWN: everyday.built(source, Path(folder), each) for each in ("", *off)}
        for name in options.names or PROGRAMS:
            for size in options.sizes or PROGRAMS[name]:
                for what, ratio in everyday.compare(tools, name, size, options.seconds).items():
                    logarithms.setdefault(what, []).append(math.log(ratio))
    for what, found in logarithms.items():
        print(f"{what}: {math.exp(sum(found) / len(found)):.2f} times as long, geometric mean of {len(found)} cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
