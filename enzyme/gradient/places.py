"""Where a loop is in the source: its statement's line, which clang notes beside the branch back."""

from __future__ import annotations

from enzyme.analysis.loops import Loop
from enzyme.gradient.lines import is_location
from enzyme.gradient.subject import Subject
from enzyme.ir.values import Instruction
from enzyme.support.diagnostics import SourceLocation


def loop_location(subject: Subject, loop: Loop) -> str | None:
    """The debug location of a loop's statement, as a metadata reference."""
    module = subject.module
    for latch in loop.latches:
        for each in module.loop_metadata(latch.terminator):
            if is_location(module, each):
                return str(each)
    ends = [block.terminator for block in (*loop.latches, loop.header)]
    own = [end.metadata["dbg"] for end in ends if end is not None and "dbg" in end.metadata]
    first = next((inst.metadata["dbg"] for inst in loop.header.instructions if "dbg" in inst.metadata), None)
    return own[0] if own else first


def loop_place(subject: Subject, loop: Loop) -> SourceLocation | None:
    """Where a loop's statement is, or the nearest place that is known."""
    location = loop_location(subject, loop)
    if location is not None:
        marker = Instruction("br", loop.header.type, metadata={"dbg": location})
        found = subject.module.debug_location(marker)
        if found is not None and found.line:
            return found
    return subject.module.place_of(loop.header.terminator, subject.function)
