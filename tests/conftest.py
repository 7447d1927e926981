"""What all tests share."""

from __future__ import annotations

import sys
from pathlib import Path

# Test files import one another as `tests.<layer>.<file>`. The project's root goes to the end of the path, so that under
# tox it is the installed package that is tested and not the working tree.
ROOT = str(Path(__file__).resolve().parent.parent)
if ROOT not in sys.path:
    sys.path.append(ROOT)
