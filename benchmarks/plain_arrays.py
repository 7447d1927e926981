"""What it saves to ask whether arrays are apart (``arrays_apart``): ``python -m benchmarks.plain_arrays``.

C that promises nothing of its arrays is differentiated with the question and without, and, where its arrays are
parameters, with ``restrict`` before each of them; for each the gradient's time, in primals of the same build, and the
memory that it added to the process, least of three runs in turn. The gradients are compared.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.programs import compare

SOURCE = Path(__file__).parent / "sources" / "plain_arrays.c"
NAMES = ("dense", "columns", "outer", "filter", "heat", "turned", "layer")
CASES = tuple((name, size) for name in NAMES for size in (100, 1000))
BUILDS = {"asked": [], "not asked": ["--enzyme-off=arrays_apart"], "restrict": ["-DPROMISED=restrict"]}
TOLERANCE = 1e-9


def main() -> int:
    return compare(SOURCE, BUILDS, CASES, TOLERANCE)


if __name__ == "__main__":
    sys.exit(main())
