"""Frames: what a derivative carries from the forward to the reverse sweep once per call.

In a combined derivative a field of a frame is a slot on the stack. In one of two functions all fields lie in a block of
memory that the first function returns; in recursions, locals that the second function looks at lie there as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from enzyme.gradient.adjoints import entry_slot
from enzyme.gradient.primal import is_static_alloca
from enzyme.gradient.tape_count import TapeCounter
from enzyme.ir.builder import Builder
from enzyme.ir.types import I8, I64, Type
from enzyme.ir.values import Alloca, Block, ConstantInt, Instruction, Value
from enzyme.llvm.block_lists import OF_DERIVATIVE

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine

FRAME_ALIGN = 16
"""Bytes by which frames are aligned: they come from ``malloc``."""
LARGEST_LOCAL = 1024
"""Bytes of the largest local that lies in a frame."""


class Frame:
    """Fields that carry values from the forward to the reverse sweep.

    ``forward_entry`` and ``reverse_entry`` are the blocks where slots and frame pointers are set up. In a combined
    derivative (``split`` False) a field is a slot in the forward entry.
    """

    def __init__(self, engine: Engine, split: bool, forward_entry: Block, holds_locals: bool = False) -> None:
        self.engine = engine
        self.split = split
        self.forward_entry = forward_entry
        self.reverse_tape: Value | None = None
        self.size = 0
        self.fields: list[Field] = []  # of a split derivative
        self.allocation: Instruction | None = None
        if split:
            build = Builder(forward_entry, before=forward_entry.instructions[0] if forward_entry.instructions else None)
            self.allocation = build.call(
                engine.heap("malloc"), [ConstantInt(I64, 0)], name="tape", attrs=(OF_DERIVATIVE,)
            )
            self.counted = TapeCounter(engine).take(build, self.allocation)
        self.holds_locals = holds_locals
        """Whether locals of the function, which the reverse sweep looks at, lie in the frame."""
        self.locals: list[HeldLocal] = []

    def hold(self, local: Instruction, block: Instruction, fill: Instruction | None) -> bool:
        """Take the memory of a local into the frame, if it is for frames: a block of its own so far, which ``fill``
        clears."""
        if not (self.holds_locals and isinstance(local, Alloca) and is_static_alloca(local)):
            return False
        count, unit = local.operands[0], self.engine.module.datalayout.alloc_size(local.allocated_type)
        assert isinstance(count, ConstantInt)
        size = count.value * unit
        if size > LARGEST_LOCAL or local.align > FRAME_ALIGN:
            return False
        self.size = -(-self.size // FRAME_ALIGN) * FRAME_ALIGN
        self.locals.append(HeldLocal(block, self.size, fill))
        self.size += size
        return True

    def field(self, type: Type, initial: Value | None = None) -> Field:
        if not self.split:
            return Field(type, entry_slot(self.forward_entry, type, initial), 0)
        layout = self.engine.module.datalayout
        align = max(min(layout.abi_align(type), FRAME_ALIGN), 1)
        self.size = (self.size + align - 1) // align * align
        offset = self.size
        self.size += layout.alloc_size(type)
        made = Field(type, None, offset, initial)
        self.fields.append(made)
        return made

    def finish(self) -> None:
        """Now the size is known."""
        if self.allocation is not None:
            for each in self.locals:
                each.place(self.allocation)
            if self.size:
                self.allocation.set_operand(0, ConstantInt(I64, self.size))
            else:
                if isinstance(self.counted, Instruction):
                    self.counted.erase()
                self.allocation.erase()


class HeldLocal:
    """A local in a frame: a call that asks for a block until the frame is finished, its address in the frame then."""

    def __init__(self, block: Instruction, offset: int, fill: Instruction | None) -> None:
        self.address, self.offset, self.fill = block, offset, fill
        self.looks: list[Instruction] = []
        """Its addresses in the reverse sweep."""

    def _at(self, build: Builder, frame: Value) -> Instruction:
        """Never the frame itself, also where the offset is 0: each of the two may move."""
        made = build.gep(I8, frame, [ConstantInt(I64, self.offset)], ("inbounds",))
        assert isinstance(made, Instruction)
        return made

    def look(self, build: Builder, frame: Value) -> Instruction:
        self.looks.append(self._at(build, frame))
        return self.looks[-1]

    def place(self, frame: Instruction) -> None:
        assert self.address.block is not None
        made = self._at(Builder(self.address.block, before=self.address), frame)
        self.address.replace_all_uses_with(made)
        self.address.erase()
        self.address = made


class Field:
    """One field of a frame."""

    def __init__(self, type: Type, slot: Value | None, offset: int, initial: Value | None = None) -> None:
        self.type, self.slot, self.offset, self.initial = type, slot, offset, initial

    def align(self, frame: Frame) -> int:
        """Frames come from malloc: wide vectors are not aligned there."""
        return min(frame.engine.module.datalayout.abi_align(self.type), FRAME_ALIGN)

    def write(self, frame: Frame, build: Builder, value: Value) -> None:
        if self.slot is None:
            assert frame.allocation is not None
            build.store(value, build.offset(frame.allocation, self.offset), self.align(frame))
        else:
            build.store(value, self.slot)

    def read(self, frame: Frame, build: Builder) -> Value:
        if self.slot is None:
            assert frame.reverse_tape is not None
            return build.load(self.type, build.offset(frame.reverse_tape, self.offset), self.align(frame))
        return build.load(self.type, self.slot)
