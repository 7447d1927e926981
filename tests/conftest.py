"""What all tests share."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Test files import one another as `tests.<layer>.<file>`. The project's root goes to the end of the path, so that under
# tox it is the installed package that is tested and not the working tree.
ROOT = str(Path(__file__).resolve().parent.parent)
if ROOT not in sys.path:
    sys.path.append(ROOT)

# Nothing is kept from one run of the tests to the next: what is tested is the engine, not what it said before.
os.environ["ENZYME_CACHE"] = "off"
