"""What it saves to reverse calls and iterations at once (``at_once``): ``python -m benchmarks.added_up``.

Functions that add up what calls and loops return are differentiated with it and without; for each the gradient's time,
in primals, and the memory that it added to the process, least of three runs in turn. The gradients are compared.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.programs import compare

SOURCE = Path(__file__).parent / "sources" / "added_up.c"
CASES = (("paths", 1_000), ("paths", 100_000), ("determinant", 6), ("determinant", 9), ("integral", 7), ("tree", 16))
BUILDS = {"at once": [], "kept": ["--enzyme-off=at_once"]}
TOLERANCE = 1e-9


def main() -> int:
    return compare(SOURCE, BUILDS, CASES, TOLERANCE)


if __name__ == "__main__":
    sys.exit(main())
