"""Forward mode of several lanes, with the tangents of a number in vectors.

Lanes are taken in groups, each as wide as a vector register (half of one of 64 bytes, where idle groups are skipped).
The tangent of a scalar is one vector a group, so that what is computed for a group is one instruction. Where
a function's active memory is its own (interleaved.py), a group's tangents are loaded and stored whole. Memory that the
program sees has its lanes apart, as it was given them: there lanes are gathered and taken out one by one, as they are
where a derivative is called or returns.

Only functions all of whose active values are floating-point scalars are made this way, and only where most accesses to
active memory are to memory of their own: LLVM's loop vectoriser takes no loop that has vectors in it, and a loop over
arrays of the program's is better vectorised over its iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from enzyme.analysis.activity import ActivityResult
from enzyme.analysis.loops import Loop
from enzyme.gradient.apply import Shared
from enzyme.gradient.calls import defined_callee, facts
from enzyme.gradient.carried import constant_factor
from enzyme.gradient.column_strips import with_column_strips
from enzyme.gradient.exceptions import plain_call
from enzyme.gradient.forward import Forward
from enzyme.gradient.group_loops import emit_group_loop, group_loops
from enzyme.gradient.interleaved import ALIGNMENT, Interleaved, find_interleaved
from enzyme.gradient.late_clears import LateClear, find_late_clears
from enzyme.gradient.primal import builder_after, first_builder
from enzyme.gradient.request import Request
from enzyme.gradient.subject import Subject
from enzyme.ir.builder import Builder
from enzyme.ir.intrinsics import MEMCPY, MEMMOVE
from enzyme.ir.layout import constant_index
from enzyme.ir.types import I1, I64, PTR, ArrayType, FloatType, FunctionType, StructType, Type, VectorType
from enzyme.ir.values import (
    Alloca,
    Argument,
    BinaryOp,
    Block,
    CallBase,
    Cast,
    ConstantInt,
    ConstantToken,
    Freeze,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Value,
    zero,
)
from enzyme.llvm.codegen import works_on_halves
from enzyme.rules.expr import Const, Expr
from enzyme.rules.known import Transfer
from enzyme.rules.rule import ScalarRule
from enzyme.rules.scalar import lookup_instruction
from enzyme.support.config import Config

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine

_SKIPPED = 32
"""Bytes of a group's vector, where groups leave out what does not move in them: of smaller groups more are idle.
Halves again took longer; where nothing is left out, whole registers are as good or better."""


def lane_groups(engine: Engine, subject: Subject, request: Request) -> tuple[Interleaved, int] | None:
    """The memory to interleave in a forward derivative, and how many lanes go into a vector; None where lanes are
    better, or can only be, kept apart."""
    if request.width == 1 or request.at_run_time or not engine.config.interleave:
        return None
    activity = subject.activity(request)
    for inst in subject.function.instructions():
        if activity.active_value(inst) and not _is_vectorised(inst):
            return None
    found = find_interleaved(subject, activity)
    inside = outside = 0
    for block in subject.cfg.blocks:
        weight = 8 ** subject.loops.depth_of(block)
        for inst in block.instructions:
            if isinstance(inst, (Load, Store)) and activity.active_instruction(inst):
                inside += weight * (inst.pointer in found)
                outside += weight * (inst.pointer not in found)
    if inside == 0 or inside < outside:
        return None
    size = max(subject.module.datalayout.size_of(format) for format in found.formats.values())
    wide, most = engine.config.lane_group, engine.vector_bytes
    if not wide:
        wide = most // size
        if most > _SKIPPED and request.width > wide and _skips(subject, activity, found, engine.config):
            wide = _SKIPPED // size
    return found, max(wide, 2)


def _skips(subject: Subject, activity: ActivityResult, found: Interleaved, config: Config) -> bool:
    """Whether groups that have nothing to do leave something out, where there are several."""
    plan = group_loops(subject, activity, found, True, config) if config.group_loops else []
    return any(each.adding or (each.idle is not None and not each.idle.reads) for each in plan)


def _is_vectorised(inst: Instruction) -> bool:
    """Whether the tangent of an active instruction can be computed for several lanes at once, or is the result of a
    derivative called."""
    if not isinstance(inst.type, FloatType):
        return False
    if isinstance(inst, (Load, Phi, Select, Freeze)) or lookup_instruction(inst) is not None:
        return not isinstance(inst, Load) or not inst.ordering
    if isinstance(inst, Cast):
        return inst.opcode in ("fpext", "fptrunc")
    return isinstance(inst, CallBase) and defined_callee(inst) is not None


def build_forward(engine: Engine, subject: Subject, request: Request, function: Function) -> None:
    """Fill ``function`` with the forward derivative of the subject."""
    groups = lane_groups(engine, subject, request)
    made: Forward
    if groups is None:
        made = Forward(engine, subject, request, function)
    else:
        made = ForwardLanes(engine, subject, request, function, *groups)
    made.run()
    made.attach_scopes()
    if engine.config.column_strips and not engine.again:
        halves = works_on_halves(engine.config.cpu, engine.module.triple)
        with_column_strips(function, engine.module, engine.summaries, halves)


@dataclass(frozen=True)
class Group:
    """Lanes whose tangents share a vector."""

    number: int
    lanes: range

    def type(self, scalar: Type) -> VectorType:
        return VectorType(len(self.lanes), scalar)


class ForwardLanes(Forward):
    """One forward derivative of several lanes being made, in groups."""

    def __init__(
        self,
        engine: Engine,
        subject: Subject,
        request: Request,
        function: Function,
        interleaved: Interleaved,
        size: int,
    ) -> None:
        super().__init__(engine, subject, request, function)
        self.interleaved = interleaved
        starts = range(0, request.width, size)
        self.groups = [Group(n, range(s, min(s + size, request.width))) for n, s in enumerate(starts)]
        self._vectors: list[dict[Value, Value]] = [{} for _ in self.groups]
        self._places: list[dict[Value, Value]] = [{} for _ in self.groups]
        # by allocation: the block that holds the shadows of all groups, and how much of it a lane takes
        self._blocks: dict[Value, tuple[Instruction, Instruction]] = {}
        self._open: list[tuple[Phi, Phi, Group]] = []
        several, config = len(self.groups) > 1, engine.config
        plan = group_loops(subject, self.activity, interleaved, several, config) if config.group_loops else []
        self._plan = plan
        self._idle: frozenset[Value] = frozenset()
        self._again = {block for found in plan for block in found.loop.blocks}  # blocks run again for each group
        late = find_late_clears(subject, interleaved, plan) if config.column_strips and not engine.again else []
        self._late: dict[Value, LateClear] = {each.call: each for each in late}

    def run(self) -> None:
        blocks = [block for block in self.subject.cfg.blocks if block not in self._again]
        for group in self.groups:
            self._add_phis(blocks, group)
        self.visit_blocks()
        self._late = {call: each for call, each in self._late.items() if each.sizes}
        for late in self._late.values():
            late.reach(self)
        for found in self._plan:
            emit_group_loop(self, found)
        for group in self.groups:
            self._fill_phis(blocks, group)
        for late in self._late.values():
            late.leave(self)

    def clear_late(self, loop: Loop, build: Builder, group: Group) -> None:
        """Clear what a group is to find cleared in front of a loop."""
        for late in self._late.values():
            if late.loop is loop:
                late.clear(self, build, group, late.sizes[-1])

    def _add_phis(self, blocks: Sequence[Block], group: Group) -> None:
        for block in blocks:
            for phi in block.phis:
                if self.activity.active_value(phi):
                    self._vectors[group.number][phi] = self._new_phi(phi, group.type(phi.type), "tangent")

    def _fill_phis(self, blocks: Sequence[Block], group: Group) -> None:
        """The operands of phis of a group: of tangents, and of addresses asked for since."""
        for block in blocks:
            for phi in block.phis:
                if self.activity.active_value(phi):
                    self._fill(phi, self._vectors[group.number][phi], group, self.vector)
        inside = set(blocks)
        while found := next((o for o in self._open if o[0].block in inside and o[2] is group), None):
            self._open.remove(found)
            self._fill(found[0], found[1], group, self.place)

    def _new_phi(self, phi: Phi, type: Type, what: str) -> Phi:
        made = Phi(type, (), name=f"{phi.name}.{what}" if phi.name else None)
        twin = self.copy.of(phi)  # of the loop that is run again, where one is; what is in front of it is there once
        assert isinstance(twin, Instruction) and twin.block is not None
        into = twin.block
        into.insert(len(into.phis), made)
        return made

    def _fill(self, phi: Phi, made: Value, group: Group, of: Callable[[Value, Group], Value]) -> None:
        assert isinstance(made, Phi)
        for value, source in phi.incoming:
            if source in self.copy.blocks:
                made.add_incoming(of(value, group), self.copy.blocks[source])

    # tangents

    def vector(self, value: Value, group: Group) -> Value:
        """The tangents of a value of the subject in the lanes of a group."""
        if not self.moves(value):
            return zero(group.type(value.type))
        known = self._vectors[group.number]
        if value not in known:
            lanes = [super(ForwardLanes, self).tangent(value) for _ in self.select(group)]
            last = lanes[-1]
            inside = isinstance(last, Instruction)
            build = builder_after(last) if isinstance(last, Instruction) else first_builder(self.copy.target.blocks[0])
            known[value] = (
                _gathered(build, lanes) if inside or isinstance(value, Argument) else zero(group.type(value.type))
            )
        return known[value]

    def tangent(self, value: Value) -> Value:
        """The tangent in the selected lane, taken out of its vector where that is made."""
        if not isinstance(value, Argument) and self.activity.active_value(value) and value not in self.tangents:
            group = next(g for g in self.groups if self.lanes.current in g.lanes)
            vector = self.vector(value, group)
            self.tangents[value] = (
                builder_after(vector).extract_element(vector, self.lanes.current - group.lanes.start)
                if isinstance(vector, Instruction)
                else zero(value.type)
            )
        return super().tangent(value)

    def _visit(self, inst: Instruction) -> None:
        if inst.block in self._again:
            return
        if isinstance(inst, Store) and inst.pointer in self.interleaved:  # whatever it stores: memory begins unwritten
            for group in self.groups:
                self._store_group(inst, group, self._after(inst))
        else:
            super()._visit(inst)

    @contextmanager
    def again(self, loop: Loop, made: Mapping[Value, Value]) -> Iterator[None]:
        """Let ``made``, by the copy's value, stand for the copy of a loop and of the block in front of it."""
        copy, blocks = self.copy, [loop.preheader, *loop.order]
        inside = [value for block in loop.order for value in (block, *block.instructions) if value in copy.values]
        values = {value: copy.values[value] for value in inside}
        places = {block: copy.blocks[block] for block in blocks if block is not None}
        copy.values.update({value: made[was] for value, was in values.items() if was in made})
        copy.blocks.update({block: made[was] for block, was in places.items()})  # type: ignore[misc]
        try:
            yield
        finally:
            copy.values.update(values)
            copy.blocks.update(places)

    def moves(self, value: Value) -> bool:
        return value not in self._idle and super().moves(value)

    def terms(self, inst: Instruction, rule: ScalarRule) -> list[tuple[int, Value, Expr]]:
        """What is only added comes first, so that products are added to it by multiply-adds; of sums that a loop hands
        on it comes last, where the others do not wait for it."""
        return sorted(super().terms(inst, rule), key=lambda each: each[2] != Const(1.0) or isinstance(each[1], Phi))

    @contextmanager
    def without(self, idle: frozenset[Value]) -> Iterator[None]:
        """Take the tangents of some values to be zero."""
        self._idle = idle
        try:
            yield
        finally:
            self._idle = frozenset()

    def visit_group(self, loop: Loop, group: Group) -> None:
        """The tangents in a loop, in one group."""
        self._add_phis(loop.order, group)
        for block in loop.order:
            for inst in block.instructions:
                if isinstance(inst, Store):
                    if inst.pointer in self.interleaved or self.activity.needs_shadow(inst.pointer):
                        self._store_group(inst, group, self._after(inst))
                elif self.moves(inst) and not isinstance(inst, Phi):
                    self._vectors[group.number][inst] = self._vector_of(inst, group, self._after(inst), Shared())
        self._fill_phis(loop.order, group)
        places = self._places[group.number]
        for pointer in [each for each in places if isinstance(each, Instruction) and loop.contains(each)]:
            del places[pointer]  # the loop may be copied for the group once more

    def select(self, group: Group) -> Iterator[int]:
        """Select each lane of a group in turn."""
        for lane in group.lanes:
            yield from self.lanes.at(lane)

    def _tangents_of(self, inst: Instruction) -> None:
        build, shared = self._after(inst), Shared()
        for group in self.groups:
            self._vectors[group.number][inst] = self._vector_of(inst, group, build, shared)

    def _vector_of(self, inst: Instruction, group: Group, build: Builder, shared: Shared) -> Value:
        type = group.type(inst.type)
        if isinstance(inst, Load):
            if inst.pointer not in self.interleaved:
                return _gathered(build, [self._value(inst, build, shared) for _ in self.select(group)])
            made = build.load(type, self.place(inst.pointer, group), self._alignment(inst, inst.type, group))
            assert isinstance(made, Load)
            made.metadata = {k: v for k, v in inst.metadata.items() if k == "tbaa"}
            self.reaches_tangents(made, inst)
            return made
        rule = lookup_instruction(inst)
        if rule is not None:
            return self._rule(inst, rule, build, shared, lambda value: self.vector(value, group), group.type)
        if isinstance(inst, Select):
            condition, left, right = inst.operands
            return build.select(self.copy.of(condition), self.vector(left, group), self.vector(right, group))
        vector = self.vector(inst.operands[0], group)
        return build.cast(inst.opcode, vector, type) if isinstance(inst, Cast) else vector

    def _alignment(self, inst: Load | Store, type: Type, group: Group) -> int:
        """Of an access to interleaved memory, whose blocks begin at multiples of :data:`ALIGNMENT`."""
        number = min(inst.align or 1, self.subject.module.datalayout.size_of(type))
        count = len(group.lanes)
        aligned = _is_aligned(self.interleaved.owners[inst.pointer])
        return min(number * (count & -count), ALIGNMENT) if aligned else number

    # addresses in interleaved memory

    def place(self, pointer: Value, group: Group) -> Value:
        """Where a group's tangents are of what a pointer to interleaved memory points to."""
        known = self._places[group.number]
        if pointer not in known:
            if isinstance(pointer, Phi):
                known[pointer] = made = self._new_phi(pointer, PTR, "lanes")
                self._open.append((pointer, made, group))
            else:
                known[pointer] = self._place(pointer, group)
        return known[pointer]

    def _place(self, pointer: Value, group: Group) -> Value:
        primal = self.copy.of(pointer)
        assert isinstance(primal, Instruction)
        if isinstance(pointer, Alloca):
            return self._stack(pointer, primal, group)
        if isinstance(pointer, CallBase):
            return self._heap(pointer, group)
        if isinstance(pointer, Select):
            condition, left, right = pointer.operands
            ends = self.place(left, group), self.place(right, group)
            return builder_after(primal).select(self.copy.of(condition), *ends)
        if isinstance(pointer, Freeze):
            return self.place(pointer.operands[0], group)
        assert isinstance(pointer, GetElementPtr)
        at = self.place(pointer.base, group)
        return self._stepped(builder_after(primal), pointer, at, len(group.lanes))

    def _stepped(self, build: Builder, step: GetElementPtr, at: Value, count: int) -> Value:
        """``count`` times as far as an address step, one index after the other."""
        layout, type = self.subject.module.datalayout, step.source_type
        fixed = layout.gep_offset(type, step.indices)
        if fixed is not None:
            return build.offset(at, count * fixed)
        flags = step.flags if "inbounds" in step.flags else ()
        for number, index in enumerate(step.indices):
            if number and isinstance(type, StructType):
                field = constant_index(index)
                assert field is not None and type.elements is not None
                at = build.offset(at, count * layout.struct_offsets(type)[field])
                type = type.elements[field]
                continue
            if number:
                assert isinstance(type, (ArrayType, VectorType))
                type = type.element
            at = build.gep(ArrayType(count, type), at, [self.copy.of(index)], flags)
        return at

    def _stack(self, value: Alloca, primal: Instruction, group: Group) -> Value:
        build, count = builder_after(primal), self.copy.of(value.operands[0])
        made = build.alloca(ArrayType(len(group.lanes), value.allocated_type), count, ALIGNMENT)
        size = len(group.lanes) * self.subject.module.datalayout.alloc_size(value.allocated_type)
        self.engine.memset_zero(build, made, build.mul(build.zext(count, I64), ConstantInt(I64, size)), ALIGNMENT)
        return made

    def _heap(self, value: CallBase, group: Group) -> Value:
        """One zeroed block holds the shadows of all groups, one after the other: an allocator that is asked for few
        large blocks gives the same ones again."""
        block, size = self._blocks[value]
        if not group.number:
            return block
        build = builder_after(block)
        return build.offset(block, build.mul(size, ConstantInt(I64, group.lanes.start)))

    def _allocated(self, value: CallBase, primal: CallBase) -> tuple[Instruction, Instruction]:
        """The block, and how much of it a lane takes. What is not written is not read: every write of the primal is
        known, and is followed by one of tangents."""
        known = facts(value)
        assert known is not None and known.allocation is not None
        build = builder_after(primal)
        asked = self.engine.allocation_size(build, known, [self.copy.of(a) for a in value.args])
        assert asked is not None
        up = build.add(asked, ConstantInt(I64, ALIGNMENT - 1))
        size = build.insert(BinaryOp("and", up, ConstantInt(I64, -ALIGNMENT)))
        total = build.mul(size, ConstantInt(I64, self.request.width))
        made: Instruction
        if known.allocation.deallocator == "free":
            aligned = FunctionType(PTR, (I64, I64))
            called = self.subject.module.declare_function("aligned_alloc", aligned)
            made = build.call(called, [ConstantInt(I64, ALIGNMENT), total])
        else:
            made = plain_call(primal)
            for number, position in enumerate(known.allocation.sizes):
                type = made.operands[position].type
                made.set_operand(position, ConstantInt(type, 1) if number else build.cast("trunc", total, type))
            build.insert(made)
        if known.allocation.zeroed:
            self.engine.memset_zero(build, made, total, ALIGNMENT if _is_aligned(value) else 1)
        return made, size

    # memory

    def _store_group(self, inst: Store, group: Group, build: Builder) -> None:
        if inst.pointer not in self.interleaved:
            for _ in self.select(group):
                super()._store(inst, build)
            return
        align = self._alignment(inst, inst.value.type, group)
        made = build.store(self.vector(inst.value, group), self.place(inst.pointer, group), align)
        made.metadata = {k: v for k, v in inst.metadata.items() if k == "tbaa"}
        self.reaches_tangents(made, inst)

    def _call(self, inst: CallBase) -> None:
        known = facts(inst)
        if known is not None and known.free is not None and inst.args[known.free] in self.interleaved:
            call = self.copy.of(inst)
            assert isinstance(call, CallBase)
            made = plain_call(call)
            made.set_operand(known.free, self._blocks[inst.args[known.free]][0])
            self._after(inst).insert(made)
            return
        transfer = known.transfer if known is not None else None
        if transfer is not None and inst.args[transfer.destination] in self.interleaved:
            self._transfer_groups(inst, transfer)
            return
        if inst in self.interleaved:
            primal = self.copy.of(inst)
            assert isinstance(primal, CallBase)
            self._blocks[inst] = self._allocated(inst, primal)
        super()._call(inst)

    def _transfer_groups(self, inst: CallBase, transfer: Transfer) -> None:
        build, destination = self._after(inst), inst.args[transfer.destination]
        length = build.zext(self.copy.of(inst.args[transfer.length]), I64)
        format = self.interleaved.formats[self.interleaved.owners[destination]]
        unit = self.subject.module.datalayout.alloc_size(format)
        if constant_factor(inst.args[transfer.length]) % unit:  # bytes of one lane would go to another
            build.call(self.engine.runtime("whole"), [length, ConstantInt(I64, unit)])
        if inst in self._late:
            self._late[inst].sizes.append(length)
            return
        for group in self.groups:
            to, size = self.place(destination, group), build.mul(length, ConstantInt(I64, len(group.lanes)))
            if transfer.source is None or inst.args[transfer.source] not in self.interleaved:
                self.engine.memset_zero(build, to, size, 1)
                continue
            moved = self.subject.module.declare_function(*(MEMCPY if transfer.kind == "copy" else MEMMOVE))
            build.call(moved, [to, self.place(inst.args[transfer.source], group), size, ConstantInt(I1, 0)])


def _is_aligned(allocation: Instruction) -> bool:
    """Whether the shadows of an allocation begin at a multiple of :data:`ALIGNMENT`."""
    known = facts(allocation) if isinstance(allocation, CallBase) else None
    return known is None or (known.allocation is not None and known.allocation.deallocator == "free")


def _gathered(build: Builder, lanes: Sequence[Value]) -> Value:
    """One vector of the lanes."""
    made: Value = ConstantToken(VectorType(len(lanes), lanes[0].type), "poison")
    for number, lane in enumerate(lanes):
        made = build.insert_element(made, lane, number)
    return made
