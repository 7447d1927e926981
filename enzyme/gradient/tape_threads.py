"""The tape of a thread of a GPU, where it does not lie on the thread's stack.

A GPU's ``malloc`` takes microseconds, and threads that write to blocks of their own write far apart. So the threads of
a warp that are at one place get one block (runtime_threads.py), in which what they keep lies side by side: entry ``i``
of an array is at ``i`` times the number of these threads, and each thread's array begins at its own place in the first
row. Where an array turns out to have room on the stack, the same code finds it there, as an array of one thread.
"""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING

from enzyme.gradient.adjoints import entry_slot
from enzyme.gradient.frames import Field
from enzyme.gradient.plan import LoopTape
from enzyme.gradient.replay import calls_itself
from enzyme.gradient.runtime_threads import GIVE, GIVE_NEAR, TAKE, TAKE_NEAR, grow_name, grow_text, kind_of
from enzyme.gradient.tape import THREAD_ROOM, Arrays, Key, Tape
from enzyme.gradient.threads import architecture
from enzyme.ir.builder import Builder
from enzyme.ir.types import I32, I64, PTR, ArrayType, IntType, Type
from enzyme.ir.values import Alloca, Block, ConstantInt, ConstantToken, Value

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine
    from enzyme.gradient.frames import Frame
    from enzyme.gradient.plan import Origins, TapePlan
    from enzyme.gradient.primal import PrimalCopy

_ASKS = 70
"""The first architecture whose threads can ask which of their warp are at the same place."""


def tape_of(engine: Engine, copy: PrimalCopy, plan: TapePlan, origins: Origins, frame: Frame) -> Tape:
    """The storage of a plan, as the target has it. Blocks of several threads could not be differentiated."""
    wanted = engine.on_gpu and engine.config.warp_tapes and not engine.again
    shares = wanted and architecture(engine, copy.subject.function) >= _ASKS
    return (ThreadTape if shares else Tape)(engine, copy, plan, origins, frame)


class ThreadTape(Tape):
    """The plan's storage, in blocks that threads share."""

    def __init__(self, engine: Engine, copy: PrimalCopy, plan: TapePlan, origins: Origins, frame: Frame) -> None:
        super().__init__(engine, copy, plan, origins, frame)
        self._shares: dict[Value, tuple[Value, Value, Field]] = {}  # by block: whose place it is, of how many
        self._spacing: dict[Value, Value] = {}  # entries from one of the thread's to its next, in the forward sweep
        self._spacing_fields: dict[Value, Field] = {}
        self._reverse_spacing: dict[Value, Value] = {}
        self._grown: dict[LoopTape, tuple[Value, Value]] = {}

    def _key(self, value: Value, kind: Type) -> Key:
        """Arrays of a block have entries of one size: threads may need different numbers of them."""
        return IntType(8 * self._stride(value).value)

    def _block(self, build: Builder, kind: Type, size: Value) -> tuple[Value, Value | None]:
        assert isinstance(kind, IntType)
        room: Alloca | None = None
        which = ConstantInt(I32, kind_of([kind.bits // 8]))
        if self.frame.split or calls_itself(self.copy.subject.function):
            found = build.call(self.engine.define("enzyme.rt.take", TAKE), [size, which], name="tape.taken")
        else:
            room = Alloca(ArrayType(THREAD_ROOM // 8, I64), ConstantInt(I32, 1), align=64, name="tape.room")
            self.frame.forward_entry.insert(0, room)
            near = self.engine.define("enzyme.rt.take.near", TAKE_NEAR)
            found = build.call(near, [room, ConstantInt(I64, THREAD_ROOM), size, which], name="tape.taken")
        block, rank, many = (build.extract_value(found, place) for place in range(3))
        field = self.frame.field(I64, ConstantInt(I64, 1))
        field.write(self.frame, build, many)
        self._shares[block] = rank, many, field
        return block, room

    def _padded(self, build: Builder, value: Value, bytes: Value, unit: int) -> Value:
        """Whole entries: other threads' arrays may begin in between, and go on in the columns of their own."""
        whole = ConstantInt(I64, lcm(unit, self._stride(value).value))
        return build.mul(build.udiv(build.add(bytes, ConstantInt(I64, whole.value - 1)), whole), whole)

    def _array(self, build: Builder, value: Value, block: Value, offset: Value) -> Value:
        rank, many, field = self._shares[block]
        self._spacing[value], self._spacing_fields[value] = many, field
        row, place = build.mul(offset, many), build.mul(rank, self._stride(value))
        return build.offset(block, build.add(row, place), name="tape.array")

    def _at(self, build: Builder, state: Arrays, value: Value, base: Value, position: Value) -> Value:
        spacing = self._reverse_spacing.get(value) or self._spacing.get(value)
        return super()._at(build, state, value, base, build.mul(position, spacing) if spacing is not None else position)

    def _prepare_growth(self) -> None:
        entry = self.frame.forward_entry
        for tape in self.plan.tapes:
            if tape.sizing.startswith("grow"):
                self.growing[tape] = self._growth(tape)
                spacing = entry_slot(entry, I64, ConstantInt(I64, 1), "tape.spacing")
                self._grown[tape] = spacing, entry_slot(entry, PTR, ConstantToken(PTR, "null"), "tape.block")

    def _emit_growth(self, tape: LoopTape, state: Arrays, preheader: Builder, header: Builder, start: Value) -> None:
        growth, (spacing, block) = self.growing[tape], self._grown[tape]
        build, need = self._need(tape, state, preheader, header, start)
        sizes = [self._entry_size(group).value for group in growth.groups]
        grow = self.engine.define(grow_name(sizes), grow_text(sizes))
        build.call(grow, [growth.room, need, spacing, block, *growth.slots])
        now = build.load(I64, spacing)
        spacing_field, block_field = self.frame.field(I64), self.frame.field(PTR, ConstantToken(PTR, "null"))
        self._at_forward_end(self._handover(spacing_field, spacing))
        self._at_forward_end(self._handover(block_field, block))
        self.blocks.append((block_field, None))
        for number, group in enumerate(growth.groups):
            field = self.frame.field(PTR)
            self._at_forward_end(self._handover(field, growth.slots[number]))
            base = build.load(PTR, growth.slots[number], name="tape.array")
            for place, value in enumerate(group):
                state.bases[value], state.fields[value] = base, field
                self._spacing[value], self._spacing_fields[value] = now, spacing_field
                if len(group) > 1:
                    state.entries[value] = self._entry(group), place

    def emit_reverse_entry(self, build: Builder, entry: Block) -> None:
        super().emit_reverse_entry(build, entry)
        read = {field: field.read(self.frame, build) for field in dict.fromkeys(self._spacing_fields.values())}
        self._reverse_spacing.update({value: read[field] for value, field in self._spacing_fields.items()})

    def _give_back(self, build: Builder, block: Value, room: Value | None) -> None:
        if room is None:
            build.call(self.engine.define("enzyme.rt.give", GIVE), [block])
        else:
            build.call(self.engine.define("enzyme.rt.give.near", GIVE_NEAR), [block, room])

    def _give_grown(self, build: Builder, state: Arrays) -> None:
        """They are parts of blocks."""
