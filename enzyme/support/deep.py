"""Room for deep recursion: what is done for a function is done for what it calls first, however long the chain.

Python's limit on nested calls and the stack of the thread are both sized for programs that recurse little. For a
program with many functions the work is done in a thread of its own with a stack that its call chains fit in.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")

_BASE = 1_000
_FRAMES = 100
"""Python calls nested for one level of the program's call chain, with a margin."""
_HERE = 60
"""Chains up to this length fit any thread's stack."""
_BYTES = 64 << 10
"""Stack for one level: what Python's own C code takes for the calls that go through it, with a margin."""


def deeply(levels: int, work: Callable[[], T]) -> T:
    """``work()``, with room for a recursion over ``levels`` functions that call one another in turn."""
    # Raised and not lowered again: another thread may be at work.
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _BASE + _FRAMES * levels))
    if levels <= _HERE:
        return work()
    done: list[T] = []
    failed: list[BaseException] = []
    context = copy_context()

    def run() -> None:
        try:
            done.append(context.run(work))
        except BaseException as error:
            failed.append(error)

    before = threading.stack_size(min(max(_BYTES * levels, 16 << 20), 1 << 30))
    try:
        thread = threading.Thread(target=run, name="enzyme", daemon=True)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    if failed:
        raise failed[0]
    return done[0]
