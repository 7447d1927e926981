"""Counting, in the running program, of the bytes that tapes take: ``Config(count_tape=True)``.

``enzyme_tape_now`` and ``enzyme_tape_peak`` are numbers of 64 bits that the program may declare as ``extern long`` and
read: the bytes of all tapes that there are, as the allocator gave them, and the most there were. Arrays and single
values on the stack count from the end of the forward sweep to the end of the reverse sweep.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from enzyme.ir.builder import Builder
from enzyme.ir.types import I64
from enzyme.ir.values import ConstantInt, Value

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine

COUNTERS = ("enzyme_tape_now", "enzyme_tape_peak")


class TapeCounter:
    """Emits the calls that count, or nothing."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.on = engine, engine.config.count_tape

    def take(self, build: Builder, block: Value) -> Value | None:
        """A block of the allocator's has been had; null is none."""
        return build.call(self.engine.runtime("tape.take"), [block]) if self.on else None

    def give(self, build: Builder, block: Value) -> None:
        """It is about to be given back."""
        if self.on:
            build.call(self.engine.runtime("tape.give"), [block])

    @property
    def words(self) -> list[str]:
        """What the name of a runtime function that allocates says of counting what the allocator gives."""
        if self.on:
            self.engine.runtime("tape.take"), self.engine.runtime("tape.give")
        return ["counted"] if self.on else []

    def move(self, build: Builder, bytes: Value | int, sign: int) -> None:
        """Bytes on the stack come into use (1) or are done with (-1)."""
        if self.on and bytes != 0:
            amount = ConstantInt(I64, bytes) if isinstance(bytes, int) else bytes
            amount = amount if sign > 0 else build.sub(ConstantInt(I64, 0), amount)
            build.call(self.engine.runtime("tape.move"), [amount])


def with_counters(text: str) -> str:
    """A program that defines the counters; it may have declared them."""
    for name in COUNTERS:
        definition = f"@{name} = weak global i64 0, align 8"
        text, declared = re.subn(rf"^@{name} = external .*$", definition, text, count=1, flags=re.MULTILINE)
        if not declared and f"@{name} = " not in text:
            text += f"\n{definition}\n"
    return text
