"""The clock of what compiles: seconds of the processor, which a busy machine does not change much."""

from __future__ import annotations

import resource


def processor_seconds() -> float:
    """Of this process and of those that it has waited for, such as clang."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
