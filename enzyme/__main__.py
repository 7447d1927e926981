"""``python -m enzyme``."""

from __future__ import annotations

import sys

from enzyme.cli import main

if __name__ == "__main__":
    sys.exit(main())
