"""Numbers that threads of a warp hand to one another."""

from __future__ import annotations

import re

from enzyme.ir.instructions import CallBase, Instruction

MODES = ("down", "up", "bfly", "idx")
"""From a lane so much further on, further back, across, or from a lane of that number."""
WHOLE = "enzyme.shfl.sync"
"""What begins the name of such a function for doubles; the processor has it for 32 bits."""

_NUMBER = re.compile(rf"(?:llvm\.nvvm\.shfl\.sync|{re.escape(WHOLE)})\.(down|up|bfly|idx)\.(?:f32|f64)")
_WORD = re.compile(r"llvm\.nvvm\.shfl\.sync\.(down|up|bfly|idx)\.i32")


def shuffled_number(inst: Instruction) -> str | None:
    """The mode in which a call hands a number on; None if it is none. Its arguments are the mask of the threads that
    take part, the number, the lane or distance, and a word with the last lane and the width of groups."""
    found = _NUMBER.fullmatch(inst.callee_name or "") if isinstance(inst, CallBase) else None
    return found[1] if found is not None else None


def shuffled_word(inst: Instruction) -> str | None:
    """The same of 32 bits of whatever."""
    found = _WORD.fullmatch(inst.callee_name or "") if isinstance(inst, CallBase) else None
    return found[1] if found is not None else None
