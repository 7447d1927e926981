"""Storage for what the plan keeps, and lookup of forward values in the reverse sweep.

A kept value outside loops is a *field*: written once in the forward sweep, read in the reverse sweep. In a combined
derivative a field is a stack slot (SROA makes it a register); in a split one it lies in a heap frame, the tape, that
the augmented primal returns.

A loop's tape has one array per kept value. Entry ``start + counter`` belongs to the current iteration, where ``start``
is the number of iterations the loop has run before in this call (it runs again for each iteration of the loops around
it). The reverse sweep moves ``start`` back as it enters the loop's reversal, so neither unknown nor varying trip
counts need a tape of their own, and the innermost loop's entries are contiguous.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from enzyme.analysis.loops import Loop
from enzyme.analysis.symbolic import Sym, emit_sym
from enzyme.gradient.adjoints import entry_slot
from enzyme.gradient.frames import Field, Frame, HeldLocal
from enzyme.gradient.kept_loads import beside_its_load
from enzyme.gradient.plan import LoopTape, Origins, TapePlan
from enzyme.gradient.primal import PrimalCopy, builder_after, first_builder
from enzyme.gradient.replay import calls_itself, is_marked
from enzyme.gradient.runtime_arrays import CALLED, LEAST_ROOM
from enzyme.gradient.scopes import TapeScopes
from enzyme.gradient.shared_bytes import byte_of, decision, last_of
from enzyme.gradient.snapshots import Snapshot
from enzyme.gradient.tape_bits import BitArray, bytes_of
from enzyme.gradient.tape_count import TapeCounter
from enzyme.ir.builder import Builder
from enzyme.ir.intrinsics import MEMCPY
from enzyme.ir.types import I1, I8, I32, I64, PTR, ArrayType, StructType, Type
from enzyme.ir.values import (
    Alloca,
    Block,
    ConstantInt,
    ConstantToken,
    GetElementPtr,
    GlobalVariable,
    Instruction,
    Load,
    Phi,
    Store,
    Value,
    zero,
)
from enzyme.llvm.block_lists import OF_DERIVATIVE
from enzyme.llvm.kept_blocks import OF_TAPE

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine

SCRATCH_ROOM = 64 * 1024
"""Bytes on the stack for the tape of one iteration that is run again."""
THREAD_ROOM = 1024
"""The same for the tape of a thread of a GPU, whose ``malloc`` is slow."""
GROWING_ROOM = 2048
"""Bytes on the stack in which the arrays of a loop begin that grow, where at least ``FEWEST`` entries fit."""
FEWEST = 8
IN_A_BLOCK = 16
"""How many arrays that grow share a block: where one of them does, pointers to all of them are loaded again."""


Key = Type | Value
"""What the arrays of a block have in common."""


def stored_type(type: Type) -> Type:
    """The type a value has in memory: booleans take a byte, where they are no bits of an array (tape_bits.py)."""
    return I8 if type is I1 else type


class Arrays:
    """Forward and reverse state of one loop's tape."""

    def __init__(self, plan: LoopTape) -> None:
        self.plan = plan
        self.fields: dict[Value, Field] = {}
        self.bases: dict[Value, Value] = {}  # array pointers as SSA values valid in the loop
        self.start_field: Field | None = None
        self.position: Value | None = None
        self.reverse_bases: dict[Value, Value] = {}
        self.reverse_start: Value | None = None  # stack slot
        self.step: Value | None = None  # entries of each run of the loop that owns them, where they are shared
        self.step_field: Field | None = None
        self.reverse_step: Value | None = None
        self.on_stack: dict[Value, Alloca] = {}
        self.places: dict[Value, Alloca] = {}  # where arrays that grow are at first
        self.slots: dict[Value, Value] = {}  # of pointers to arrays that others' growth may move
        self.entries: dict[Value, tuple[Type, int]] = {}  # of arrays that several values share: an entry, a place in it
        self.length: Value | None = None
        self.stride: Value | None = None  # bytes of an entry that is a copy of an array
        self.stride_field: Field | None = None
        self.reverse_stride: Value | None = None


@dataclass
class _Growth:
    """Arrays of a loop that grow, one for each group of values: ``room`` has the number of entries that there is room
    for, ``slots`` where they are, ``places`` where they begin on the stack. ``block``: what holds those of a nest,
    ``sharing`` the loops whose arrays these are, and ``first`` the number of the first array among all of them."""

    groups: list[list[Value]]
    room: Value
    slots: list[Value]
    places: list[Alloca]
    block: Value | None = None
    first: int = 0
    sharing: Sequence[_Growth] = ()
    used: GlobalVariable | None = None  # how many entries the last call used


class Tape:
    """The plan's storage, set up in the primal copy."""

    def __init__(self, engine: Engine, copy: PrimalCopy, plan: TapePlan, origins: Origins, frame: Frame) -> None:
        self.engine, self.copy, self.plan, self.origins, self.frame = engine, copy, plan, origins, frame
        self.scalars: dict[Value, Field] = {}
        self.held: dict[Value, HeldLocal] = {}
        self.arrays: dict[LoopTape, Arrays] = {}
        self.array_of: dict[Value, Arrays] = {}
        self.layout = engine.module.datalayout
        self.blocks: list[tuple[Field, Value | None]] = []  # memory shared by the arrays of a nest, room on the stack
        self.scopes = TapeScopes(engine.module)
        self.count = TapeCounter(engine)
        self.growing: dict[LoopTape, _Growth] = {}
        self.in_rooms: list[Field] = []  # bytes of those of them that are on the stack, where they are counted
        self._forward_end: list[Callable[[Builder], object]] = []
        self._bit_of = {v: (first, bit) for first, group in plan.shared.items() for bit, v in enumerate(group)}

    # forward sweep

    def emit_forward(self) -> None:
        self.held = {each.address: each for each in self.frame.locals}
        for value in self.plan.scalars:
            if value in self.held:
                continue
            beside = self.scalars.get(self.plan.places.get(value, value))
            field = self.scalars[value] = beside or self.frame.field(stored_type(value.type))
            assert isinstance(value, Instruction)
            build = builder_after(value)
            field.write(self.frame, build, self._packed(build, value))
        for tape in self.plan.tapes:
            state = self.arrays[tape] = Arrays(tape)
            for value in tape.values:
                self.array_of[value] = state
        self._allocate_exact()
        self._prepare_growth()
        for tape in self.plan.tapes:
            self._emit_loop(tape)

    def _allocate_exact(self) -> None:
        """One allocation for all arrays of a nest whose sizes are known in front of it and that have elements of one
        kind: memory of mixed kinds could not be differentiated, and so pointers to frames of several calls have theirs
        apart where that is going to happen. In functions that are called, and whose derivatives are not differentiated,
        there is one for all kinds, and arrays lie closely: such nests are short, and there are many calls. An
        allocation for each array would do, too, but an allocator that returns memory to the system whenever much is
        freed at once would do so in every call."""
        together = self.frame.split and self.engine.config.one_block and not self.engine.again
        unit = 16 if together else 64
        nests: dict[Loop, list[LoopTape]] = {}
        for tape in self.plan.tapes:
            if tape.sizing == "exact" or (tape.sizing == "constant" and self.frame.split):
                nests.setdefault(tape.loop.ancestors()[-1], []).append(tape)
        for outermost, tapes in nests.items():
            build = self._preheader(outermost)
            offsets: list[tuple[Value, Key, Value]] = []
            sizes: dict[Key, Value] = {}
            for tape in tapes:
                total: Value = ConstantInt(I64, 1)
                for place, count in enumerate(tape.counts):
                    assert count is not None
                    rounds = build.add(self._sym(count, build), ConstantInt(I64, 1))
                    total = build.mul(total, rounds)
                    if place == 0 and tape.around not in (None, outermost):
                        self._step(build, self.arrays[tape], rounds)
                if tape.snapshot is not None:
                    self._size_of_copy(build, self.arrays[tape], tape.snapshot)
                for value in tape.values:
                    kind = tape.snapshot.type if tape.snapshot is not None else stored_type(value.type.scalar)
                    kind = I1 if value in self.plan.bits else kind
                    key = I64 if together and kind is not I1 else self._key(value, kind)
                    size = sizes.get(key, ConstantInt(I64, 0))
                    offsets.append((value, key, size))
                    stride = self.arrays[tape].stride or self._stride(value)
                    bytes = bytes_of(build, total) if kind is I1 else build.mul(total, stride)
                    sizes[key] = build.add(size, self._padded(build, value, bytes, unit))
            blocks: dict[Key, Value] = {}
            for key, size in sizes.items():
                block, room = self._block(build, key if isinstance(key, Type) else PTR, size)
                blocks[key] = block
                field = self.frame.field(PTR, ConstantToken(PTR, "null"))
                field.write(self.frame, build, block)
                self.blocks.append((field, room))
            for value, key, offset in offsets:
                state = self.array_of[value]
                array = state.bases[value] = self._array(build, value, blocks[key], offset)
                field = state.fields[value] = self.frame.field(PTR, ConstantToken(PTR, "null"))
                field.write(self.frame, build, array)

    def _key(self, value: Value, kind: Type) -> Key:
        return value if kind is PTR and self.engine.again else kind

    def _padded(self, build: Builder, value: Value, bytes: Value, unit: int) -> Value:
        """The bytes of an array up to where the next one may begin."""
        return build.and_(build.add(bytes, ConstantInt(I64, unit - 1)), ConstantInt(I64, -unit))

    def _array(self, build: Builder, value: Value, block: Value, offset: Value) -> Value:
        """Where the array of a value begins in its block."""
        return build.offset(block, offset, name="tape.array")

    def _step(self, build: Builder, state: Arrays, rounds: Value) -> None:
        """Entries of one run of the loop that owns them, for both sweeps."""
        state.step = rounds
        state.step_field = self.frame.field(I64, ConstantInt(I64, 0))
        state.step_field.write(self.frame, build, rounds)

    def _size_of_copy(self, build: Builder, state: Arrays, snapshot: Snapshot) -> None:
        """Bytes from one copy of an array to the next, for both sweeps."""
        size: Value = ConstantInt(I64, snapshot.size)
        for each in snapshot.factors:
            size = build.mul(size, build.zext(self.copy.of(each), I64))
        state.length = size
        state.stride = build.and_(build.add(size, ConstantInt(I64, 15)), ConstantInt(I64, -16))
        state.stride_field = self.frame.field(I64, ConstantInt(I64, 0))
        state.stride_field.write(self.frame, build, state.stride)

    def _copy_array(self, build: Builder, state: Arrays, value: Value, snapshot: Snapshot) -> None:
        """Take a snapshot, or have the forward sweep write and read it in place of the array."""
        assert state.position is not None and state.stride is not None and state.length is not None
        assert isinstance(value, GetElementPtr)
        place = Builder(build.block, before=value).mul(state.position, state.stride)
        value.set_operand(0, state.bases[value])
        value.set_operand(1, place)
        if snapshot.writer is None:
            memcpy = self.engine.module.declare_function(*MEMCPY)
            copied = build.call(memcpy, [value, self.copy.of(snapshot.home), state.length, ConstantInt(I1, 0)])
            assert isinstance(copied, Instruction)
            self.scopes.mark_copy(copied, value)
            return
        offered = self.origins.snapshots
        pointers = {self.copy.of(load): offered.reads[self.copy.of(load)][0] for load in snapshot.readers}
        pointers[self.copy.of(snapshot.writer)] = offered.writes[value]
        for access, address in pointers.items():
            assert isinstance(access, (Load, Store))
            access.set_operand(0 if isinstance(access, Load) else 1, address)
            access.align = min(access.align, self.layout.abi_align(snapshot.type))
            self.scopes.mark(access, value)

    def _block(self, build: Builder, kind: Type, size: Value) -> tuple[Value, Value | None]:
        """Memory for arrays, and the room on the stack that it may be: a derivative that is called for each iteration
        of a loop has some, for to allocate and free each time would cost more than to fill a small tape."""
        if kind is I1:
            block = build.call(
                self.engine.heap("calloc"), [size, ConstantInt(I64, 1)], name="tape.bits", attrs=(OF_TAPE,)
            )
            self.count.take(build, block)
            return block, None
        function = self.copy.subject.function
        small = self.engine.on_gpu or is_marked(self.copy.subject, function)
        if self.frame.split or not small or calls_itself(function):
            block = build.call(self.engine.heap("malloc"), [size], name="tape.arrays", attrs=(OF_TAPE,))
            if self._asks_for_pages:
                build.call(self.engine.runtime("pages"), [block, size])
            self.count.take(build, block)
            return block, None
        most = THREAD_ROOM if self.engine.on_gpu else SCRATCH_ROOM
        count = most // self.layout.alloc_size(kind)
        room = Alloca(ArrayType(count, kind), ConstantInt(I32, 1), align=64, name="tape.room")
        self.frame.forward_entry.insert(0, room)
        have = ConstantInt(I64, count * self.layout.alloc_size(kind))
        if self.count.on:
            self.in_rooms.append(self.frame.field(I64, ConstantInt(I64, 0)))
            self.in_rooms[-1].write(self.frame, build, size)
        return build.call(self.engine.runtime("scratch"), [room, have, size], name="tape.arrays"), room

    def _packed(self, build: Builder, value: Value) -> Value:
        return build.zext(value, I8) if value.type is I1 else value

    def _unpacked(self, build: Builder, value: Value, type: Type) -> Value:
        return build.trunc(value, I1) if type is I1 else value

    def _stride(self, value: Value) -> ConstantInt:
        return ConstantInt(I64, self.layout.alloc_size(stored_type(value.type)))

    def _preheader(self, loop: Loop) -> Builder:
        assert loop.preheader is not None
        block = self.copy.blocks[loop.preheader]
        return Builder(block, before=block.terminator)

    def _sym(self, sym: Sym, build: Builder) -> Value:
        return emit_sym(sym, build, self.copy.of)

    def _emit_loop(self, tape: LoopTape) -> None:
        state = self.arrays[tape]
        entry = self.frame.forward_entry
        preheader = self._preheader(tape.owner)
        start: Value = ConstantInt(I64, 0)
        start_slot: Value | None = None
        if tape.owner.parent is not None:  # a nested loop runs many times in one call
            start_slot = entry_slot(entry, I64, ConstantInt(I64, 0), "tape.start")
            start = preheader.load(I64, start_slot, name="tape.start")
        header = self.copy.blocks[tape.loop.header]
        counter = self.copy.counters[tape.loop]
        build = first_builder(header)
        state.position = build.add(start, counter, name="tape.at")
        if tape.sizing == "constant" and not self.frame.split:
            assert tape.total is not None
            for value in tape.values:
                slot = Alloca(ArrayType(tape.total, stored_type(value.type)), ConstantInt(I32, 1), align=16)
                entry.insert(0, slot)
                state.bases[value] = state.on_stack[value] = slot
        elif tape.sizing.startswith("grow"):
            self._emit_growth(tape, state, preheader, build, start)
        for value in tape.values:
            assert isinstance(value, Instruction)
            if tape.snapshot is not None:
                self._copy_array(builder_after(value), state, value, tape.snapshot)
                continue
            group = self.plan.shared.get(value)
            last = value if group is None else last_of(group)
            at = builder_after(last) if last.block is not header or not isinstance(last, Phi) else None
            if at is None:  # phis of the header: after the position has been computed
                assert isinstance(state.position, Instruction) or state.position is counter
                at = build
            if value in self.plan.bits:
                BitArray(state.bases[value], value, self.scopes).write(at, state.position, value)
                continue
            packed = self._packed(at, value) if group is None else byte_of(at, group)
            if self.engine.config.keep_beside and group is None:
                packed = beside_its_load(at, packed)
            moved = state.slots.get(value)
            base = state.bases[value] if moved is None else at.load(PTR, moved, name="tape.array")
            address = self._at(at, state, value, base, state.position)
            self.scopes.mark(at.store(packed, address, self._align(value)), value)
        if start_slot is not None:
            for target, leave in self._behind(tape.owner):
                ran = state.step
                if ran is None:
                    ran = leave.add(self.copy.exit_counters[target, tape.loop], ConstantInt(I64, 1))
                leave.store(leave.add(start, ran), start_slot)
            state.start_field = self.frame.field(I64)
            self._at_forward_end(self._handover(state.start_field, start_slot))
        growth = self.growing.get(tape)
        if growth is None or growth.used is None:
            return
        used, function = growth.used, self.engine.runtime(f"used.{CALLED}" if self.frame.split else "used")
        if start_slot is not None:
            self._at_forward_end(lambda build: build.call(function, [used, build.load(I64, start_slot)]))
        else:
            for target, leave in self._behind(tape.owner):
                ran = leave.add(self.copy.exit_counters[target, tape.loop], ConstantInt(I64, 1))
                leave.call(function, [used, ran])

    def _behind(self, loop: Loop) -> list[tuple[Block, Builder]]:
        """The blocks to which a loop is left, and where code can stand that runs as it is."""
        targets = [target for target in dict.fromkeys(t for _, t in loop.exits) if target in self.copy.blocks]
        return [(target, first_builder(self.copy.blocks[target])) for target in targets]

    def _align(self, value: Value) -> int:
        return min(self.layout.abi_align(stored_type(value.type)), 8)

    def _at_forward_end(self, emit: Callable[[Builder], object]) -> None:
        self._forward_end.append(emit)

    def close_forward(self, build: Builder) -> None:
        """What is written to the frame at the end of the forward sweep."""
        for emit in self._forward_end:
            emit(build)
        self._forward_end.clear()

    @property
    def _asks_for_pages(self) -> bool:
        """Whether large arrays ask the system for large pages."""
        return self.engine.config.large_pages and "linux" in (self.engine.module.triple or "")

    def _prepare_growth(self) -> None:
        """The arrays that grow, by tape; those of a nest share one block where there are several of them."""
        nests: dict[Loop, list[_Growth]] = {}
        for tape in self.plan.tapes:
            if tape.sizing.startswith("grow"):
                made = self.growing[tape] = self._growth(tape)
                nests.setdefault(tape.loop.ancestors()[-1], []).append(made)
        if self.engine.again or not self.engine.config.one_block:
            return  # memory of mixed kinds could not be differentiated
        for members in nests.values():
            while members:
                several = [members.pop(0)]
                while members and sum(len(each.groups) for each in (*several, members[0])) <= IN_A_BLOCK:
                    several.append(members.pop(0))
                if sum(len(each.groups) for each in several) > 1:
                    self._share_block(several)

    def _growth(self, tape: LoopTape) -> _Growth:
        entry = self.frame.forward_entry
        groups = self._groups(tape)
        places = self._places(groups)
        have = places[0].allocated_type.count if places else 0  # type: ignore[attr-defined]
        room = entry_slot(entry, I64, ConstantInt(I64, have), "tape.capacity")
        begins: list[Value] = [*places] if places else [ConstantToken(PTR, "null") for _ in groups]
        slots = [entry_slot(entry, PTR, begin, "tape.slot") for begin in begins]
        for each in places:
            entry.insert(0, each)
        return _Growth(groups, room, slots, places, used=self._remembered())

    def _remembered(self) -> GlobalVariable | None:
        """A number that the program keeps from one call to the next: arrays that grow begin with room for what the
        last call used. It is only a guess. Calls of recursions are too different."""
        engine, module = self.engine, self.engine.module
        if not engine.config.remember_rooms or engine.again or self.count.on:
            return None
        if calls_itself(self.copy.subject.function):
            return None
        own = f"enzyme.used.{self.copy.target.name}"
        name = next(name for number in itertools.count() if not module.has_symbol(name := f"{own}.{number}"))
        return module.add_global(name, I64, ConstantInt(I64, 0))

    def _share_block(self, members: list[_Growth]) -> None:
        """One block for several arrays: an allocator that gives memory back whenever much is freed at once holds on to
        one large block, and gave back several."""
        slots = [slot for each in members for slot in each.slots]
        block = entry_slot(self.frame.forward_entry, ArrayType(2 + 2 * len(slots), I64), None, "tape.block")
        self.frame.forward_entry.insert(1, Store(zero(ArrayType(2 + 2 * len(slots), I64)), block))
        first = 0
        for each in members:
            each.block, each.first, each.sharing = block, first, members
            first += len(each.slots)
        field = self.frame.field(PTR, ConstantToken(PTR, "null"))
        self._at_forward_end(self._handover(field, block))
        self.blocks.append((field, None))

    def _need(
        self, tape: LoopTape, state: Arrays, preheader: Builder, header: Builder, start: Value
    ) -> tuple[Builder, Value]:
        """Where arrays are given more room, and how many entries they need there."""
        if tape.sizing == "grow per entry":
            count = tape.counts[0]
            assert count is not None
            rounds = preheader.add(start, self._sym(count, preheader))
            return preheader, preheader.add(rounds, ConstantInt(I64, 1))
        assert state.position is not None
        return header, header.add(state.position, ConstantInt(I64, 1))

    def _emit_growth(self, tape: LoopTape, state: Arrays, preheader: Builder, header: Builder, start: Value) -> None:
        growth = self.growing[tape]
        build, need = self._need(tape, state, preheader, header, start)
        kind = "together" if growth.block is not None else "outgrow" if growth.places else "grow"
        words, given = [kind, str(len(growth.groups))], self._given(growth)
        if growth.block is not None:
            slots = [slot for each in growth.sharing for slot in each.slots]
            words = [kind, str(len(slots)), str(growth.first), str(len(growth.groups))]
            asked = [growth] if growth.used is None else growth.sharing
            given = [growth.block, *(each for one in asked for each in self._given(one)), *slots]
        pages = ["paged"] if self._asks_for_pages else []
        more, called = [*pages, *self.count.words], [CALLED] if self.frame.split else []
        if pages:
            self.engine.runtime("pages")
        if growth.used is not None:
            words.append("remembered")
            if growth.block is not None:
                arrays = "-".join(str(len(each.groups)) for each in growth.sharing)
                self.engine.runtime(".".join(["reserve", arrays, *pages, *called]))
                given += [it for each in growth.sharing if each.used is not None for it in (each.room, each.used)]
                words.append(arrays)
            given.insert(0, growth.used)
        if growth.block is not None:
            self.engine.runtime(".".join(["room", *more]))
        build.call(self.engine.runtime(".".join([*words, *more, *called])), [growth.room, need, *given])
        for number, group in enumerate(growth.groups):
            slot, field = growth.slots[number], self.frame.field(PTR)
            self._at_forward_end(self._handover(field, slot))
            base = build.load(PTR, slot, name="tape.array")
            for place, value in enumerate(group):
                state.bases[value], state.fields[value] = base, field
                if growth.block is not None:
                    state.slots[value] = slot
                elif growth.places:
                    state.places[value] = growth.places[number]
                if len(group) > 1:
                    state.entries[value] = self._entry(group), place

    def _given(self, growth: _Growth) -> list[Value]:
        """What functions that give more room are told of each array."""
        found: list[Value] = []
        for number, group in enumerate(growth.groups):
            place = growth.places[number] if growth.places else ConstantToken(PTR, "null")
            found += [growth.slots[number]] if growth.block is None else []
            found += [self._entry_size(group), *([place] if growth.block is not None or growth.places else [])]
        return found

    def _groups(self, tape: LoopTape) -> list[list[Value]]:
        """The values of a loop by the array that grows for them. What is kept in each iteration lies side by side: an
        allocator that gives memory back whenever much is freed at once has one large block to free, which it keeps.
        Memory of mixed kinds could not be differentiated; and of one size there is nothing between them."""
        if tape.sizing != "grow per iteration" or not self.engine.config.entries_together:
            return [[value] for value in tape.values]
        found: dict[tuple[int, Type | Value | None], list[Value]] = {}
        for value in tape.values:
            kind = stored_type(value.type)
            apart = None if not self.engine.again else value if kind is PTR else kind
            found.setdefault((self.layout.alloc_size(kind), apart), []).append(value)
        return list(found.values())

    def _entry(self, group: list[Value]) -> Type:
        """What a group keeps in one iteration."""
        kinds = [stored_type(value.type) for value in group]
        return kinds[0] if len(kinds) == 1 else StructType.literal(tuple(kinds))

    def _entry_size(self, group: list[Value]) -> ConstantInt:
        return ConstantInt(I64, self.layout.alloc_size(self._entry(group)))

    def _at(self, build: Builder, state: Arrays, value: Value, base: Value, position: Value) -> Value:
        """Where the value of an iteration is."""
        if value not in state.entries:
            return build.gep(stored_type(value.type), base, [position], ("inbounds",))
        entry, place = state.entries[value]
        return build.gep(entry, base, [position, ConstantInt(I32, place)], ("inbounds",))

    def _places(self, groups: list[list[Value]]) -> list[Alloca]:
        """Room on the stack for the first entries of arrays that grow: short loops then allocate nothing."""
        if self.frame.split or self.count.on or not self.engine.config.stack_rooms:
            return []
        entries = [self._entry(group) for group in groups]
        count = min(LEAST_ROOM, GROWING_ROOM // sum(map(self.layout.alloc_size, entries)))
        if count < FEWEST:
            return []
        return [Alloca(ArrayType(count, entry), ConstantInt(I32, 1), align=16, name="tape.place") for entry in entries]

    def _handover(self, field: Field, slot: Value) -> Callable[[Builder], object]:
        """Write what a forward slot holds at the end to its field."""
        return lambda build: field.write(self.frame, build, build.load(field.type, slot))

    # reverse sweep

    def emit_reverse_entry(self, build: Builder, entry: Block) -> None:
        """Pointers to all arrays, and the running starts, at the head of the reverse sweep."""
        self._count_stack(build, 1)
        for state in self.arrays.values():
            for value, slot in state.on_stack.items():
                state.reverse_bases[value] = slot
            read = {field: field.read(self.frame, build) for field in dict.fromkeys(state.fields.values())}
            state.reverse_bases.update({value: read[field] for value, field in state.fields.items()})
            if state.start_field is not None:
                state.reverse_start = entry_slot(entry, I64, None, "tape.start")
                build.store(state.start_field.read(self.frame, build), state.reverse_start)
            if state.stride_field is not None:
                state.reverse_stride = state.stride_field.read(self.frame, build)
            if state.step_field is not None:
                state.reverse_step = state.step_field.read(self.frame, build)

    def initialise_fields(self) -> None:
        """Fields that have an initial value get it at the forward entry (array pointers of loops never reached)."""
        if not self.frame.split:
            return
        assert self.frame.allocation is not None
        build = builder_after(self.frame.allocation)
        for field, _ in self.blocks:
            field.write(self.frame, build, ConstantToken(PTR, "null"))
        for state in self.arrays.values():
            for field in dict.fromkeys(state.fields.values()):
                if field.initial is not None:
                    field.write(self.frame, build, field.initial)

    def enter_reversed_loop(self, build: Builder, loop: Loop, counter: Value) -> None:
        """On entry to a loop's reversal, with the counter at its last value: step back over this run's entries."""
        for state in self.arrays.values():
            if state.plan.owner is loop and state.reverse_start is not None:
                start = build.load(I64, state.reverse_start)
                ran = state.reverse_step or build.add(counter, ConstantInt(I64, 1))
                build.store(build.sub(start, ran), state.reverse_start)

    def load(self, build: Builder, value: Value, counter: Value | None) -> Value:
        """The kept value, for the iteration ``counter`` of its loop; of a snapshot its address."""
        if value in self.held:
            assert self.frame.reverse_tape is not None
            return self.held[value].look(build, self.frame.reverse_tape)
        field = self.scalars.get(value)
        if field is not None:
            return self._unpacked(build, field.read(self.frame, build), value.type)
        first, bit = self._bit_of.get(value, (value, None))
        state = self.array_of[first]
        assert counter is not None
        position = counter
        if state.reverse_start is not None:
            position = build.add(build.load(I64, state.reverse_start), counter)
        if state.reverse_stride is not None:
            return build.gep(I8, state.reverse_bases[value], [build.mul(position, state.reverse_stride)], ("inbounds",))
        if value in self.plan.bits:
            return BitArray(state.reverse_bases[value], value, self.scopes).read(build, position)
        type = stored_type(value.type)
        address = self._at(build, state, first, state.reverse_bases[first], position)
        loaded = build.load(type, address, self._align(value))
        assert isinstance(loaded, Instruction)
        self.scopes.mark(loaded, first)
        return self._unpacked(build, loaded, value.type) if bit is None else decision(build, loaded, bit)

    def _count_stack(self, build: Builder, sign: int) -> None:
        arrays = (slot.allocated_type for state in self.arrays.values() for slot in state.on_stack.values())
        values = 0 if self.frame.split else sum(self.plan.sizes[value] for value in self.scalars)
        self.count.move(build, values + sum(map(self.layout.alloc_size, arrays)), sign)
        for field in self.in_rooms:
            self.count.move(build, field.read(self.frame, build), sign)

    def release(self, build: Builder) -> None:
        """Free all arrays, and the frame, at the end of the reverse sweep."""
        free = self.engine.heap("free")
        self._count_stack(build, -1)
        for field, room in self.blocks:
            self._give_back(build, field.read(self.frame, build), room)
        for state in self.arrays.values():
            if state.plan.sizing.startswith("grow") and not state.slots:  # not in a block of the nest
                self._give_grown(build, state)
        if self.frame.split and self.frame.size:
            assert self.frame.reverse_tape is not None
            self.count.give(build, self.frame.reverse_tape)
            build.call(free, [self.frame.reverse_tape], attrs=(OF_DERIVATIVE,))

    def _give_back(self, build: Builder, block: Value, room: Value | None) -> None:
        """A block is done with, which may be room on the stack."""
        if room is not None:
            build.call(self.engine.runtime("unscratch"), [block, room])
            return
        self.count.give(build, block)
        build.call(self.engine.heap("free"), [block], attrs=(OF_TAPE,))

    def _give_grown(self, build: Builder, state: Arrays) -> None:
        """The arrays of a loop that grow are done with."""
        firsts = {field: value for value, field in reversed(state.fields.items())}
        for value in reversed(firsts.values()):
            self._give_back(build, state.reverse_bases[value], state.places.get(value))
