"""The collector of cyclic garbage, held back while a program is at work on.

A module's instructions and values all refer to one another, so that each run of Python's collector walks through the
whole program, finds nothing to free, and comes again after a quarter more has been made. So it is held back until
what was made is out of use: a run then finds all of it, and frees it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collection() -> Iterator[None]:
    """No collection of cyclic garbage inside, if there would be any; what became garbage is collected afterwards."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
