"""Several iterations of a loop over short vectors, computed at once in vectors as wide as a register.

A group of lanes may take half a register or a quarter (forward_lanes.py): of smaller groups, more have nothing to do.
In a loop of one block that works on such groups,

    for v: out[v][0..3] += w[v] * (a[0..3] * x[v] + b[0..3] * y[v])

the groups of neighbouring iterations are neighbours in memory. So two iterations (four) make one: what a group loads
and stores becomes one load and one store of twice the width, what does not change is laid in twice, and numbers that
lanes share are loaded as a pair and spread, each over its half. What remains of an odd number of iterations is left to
the loop as it was.

Instructions keep their order, so that each runs for all of the iterations before the next one runs for any. That is
right in loops that only add (group_loops.py), up to the order of sums, and where iterations are apart in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from enzyme.analysis.activity import ActivityResult
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop
from enzyme.analysis.rows import Rows
from enzyme.gradient.alignment import place_align
from enzyme.gradient.interleaved import Interleaved
from enzyme.gradient.primal import is_dropped
from enzyme.gradient.subject import Subject
from enzyme.ir.builder import Builder
from enzyme.ir.layout import DataLayout
from enzyme.ir.module import Module
from enzyme.ir.types import FloatType, FunctionType, IntType, Type, VectorType
from enzyme.ir.values import (
    INT_DIVISIONS,
    BinaryOp,
    Block,
    Branch,
    Call,
    CallBase,
    Cast,
    Compare,
    ConstantAggregate,
    ConstantInt,
    ConstantToken,
    Freeze,
    Function,
    GetElementPtr,
    InsertElement,
    Instruction,
    Load,
    Phi,
    Select,
    ShuffleVector,
    Store,
    UnaryOp,
    Value,
    zero,
)
from enzyme.rules.emit import mangle

_SCALAR = (BinaryOp, Cast, Compare, Freeze, GetElementPtr, Load, Select, UnaryOp)
_PLAIN = ("llvm.fmuladd.", "llvm.fma.", "llvm.fabs.", "llvm.copysign.", "llvm.smax.", "llvm.smin.", "llvm.umax.")
_KEPT = ("tbaa", "alias.scope", "noalias")


def pack_iterations(module: Module, block: Block, lanes: int, times: int) -> None:
    """Let a loop of one block, if it is one that can be packed, run ``times`` iterations at once, a power of two;
    ``lanes``: of its vectors."""
    found = _recognised(module.datalayout, block, lanes)
    if found is not None:
        _Packing(module, found, lanes, times).run()


def are_apart(subject: Subject, activity: ActivityResult, interleaved: Interleaved, loop: Loop) -> bool:
    """Whether no iteration of a loop of one block finds tangents in memory that another one leaves there, nor leaves
    any where another one does."""
    found = [inst for inst in loop.header.instructions if isinstance(inst, (Load, Store))]
    stores = [inst for inst in found if isinstance(inst, Store) and activity.needs_shadow(inst.pointer)]
    loads = [inst for inst in found if isinstance(inst, Load) and activity.active_value(inst)]
    moved: list[Load | Store] = [*stores, *loads]
    if len(loop.blocks) != 1 or not all(inst.pointer in interleaved for inst in moved):
        return False
    alias, rows = subject.alias, Rows(FunctionForms(subject.dominators, subject.loops, subject.module.datalayout))
    along = {inst: rows.of(loop, inst) for inst in moved}
    for store in stores:
        for other in moved:
            one, two = along[store], along[other]
            if one is None or two is None:
                return False
            if one != two and not one.is_apart(two) and not alias.pointers.apart_in(loop, store, other):
                if alias.mod_ref(store, alias.location(other), same_iteration=False).may_write:
                    return False
    return True


# what is packed


@dataclass
class _Counted:
    """A loop of one block that is entered from ``before`` and left to ``after`` when ``counter``, in steps of one, is
    ``bound``. ``steps``: how far integers and addresses (in bytes) are from one iteration to the next, where that is
    known and always the same; ``needed``: what stores in it need, and those."""

    block: Block
    before: Block
    after: Block
    counter: Phi
    bound: Value
    steps: dict[Value, int] = field(default_factory=dict)
    needed: list[Instruction] = field(default_factory=list)

    def step(self, value: Value) -> int | None:
        inside = isinstance(value, Instruction) and value.block is self.block
        return self.steps.get(value) if inside else 0


def _recognised(layout: DataLayout, block: Block, lanes: int) -> _Counted | None:
    loop = _counted(block)
    if loop is None:
        return None
    for inst in block.instructions:
        step = _step_of(inst, block) if isinstance(inst, Phi) else _moved(layout, loop, inst)
        if step is not None:
            loop.steps[inst] = step
    loop.needed = _needed(block)
    return loop if loop.needed and all(_is_packed(layout, loop, inst, lanes) for inst in loop.needed) else None


def _needed(block: Block) -> list[Instruction]:
    needed: set[Value] = set()
    for inst in reversed(block.instructions):
        writes = isinstance(inst, CallBase) and not is_dropped(inst) and not is_plain_call(inst)
        if inst in needed or isinstance(inst, Store) or writes:
            needed.add(inst)
            needed.update(operand for operand in inst.operands if _is_inside(operand, block))
    return [inst for inst in block.instructions if inst in needed]


def is_plain_call(inst: CallBase) -> bool:
    """Whether a call is a few instructions on numbers."""
    return isinstance(inst, Call) and (inst.callee_name or "").startswith(_PLAIN) and not inst.bundles


def _counted(block: Block) -> _Counted | None:
    jump = block.terminator
    before = [each for each in block.predecessors if each is not block]
    if not isinstance(jump, Branch) or len(before) != 1 or len(block.predecessors) != 2:
        return None
    if len(block.successors) != 2 or block.successors[0] is block.successors[1]:
        return None
    test = jump.operands[0]
    (after,) = (each for each in block.successors if each is not block)
    if not isinstance(test, Compare) or test.block is not block:
        return None
    if test.predicate != ("eq" if block.successors[0] is after else "ne"):
        return None
    for next, bound in (test.operands, test.operands[::-1]):
        for phi in block.phis:
            if phi.value_from(block) is next and _step_of(phi, block) == 1 and not _is_inside(bound, block):
                break
        else:
            continue
        leaves = any(user.block is not block for inst in block.instructions for user in inst.users)
        return None if leaves else _Counted(block, before[0], after, phi, bound)
    return None


def _is_inside(value: Value, block: Block) -> bool:
    return isinstance(value, Instruction) and value.block is block


def _step_of(phi: Phi, block: Block) -> int | None:
    """What is added to an integer from one iteration to the next."""
    following = phi.value_from(block)
    if not isinstance(following, BinaryOp) or following.opcode != "add" or not isinstance(phi.type, IntType):
        return None
    one, other = following.operands
    if other is phi:
        one, other = other, one
    return other.value if one is phi and isinstance(other, ConstantInt) else None


def _moved(layout: DataLayout, loop: _Counted, inst: Instruction) -> int | None:
    """The step of an integer of 64 bits, where sums wrap as those of addresses do, or of an address."""
    if isinstance(inst, GetElementPtr) and inst.type.is_pointer:
        parts, total = layout.gep_parts(inst.source_type, inst.indices), loop.step(inst.base)
        if parts is None or total is None:
            return None
        for index, size in parts.steps:
            step = loop.step(index)
            if step is None or (step and (not isinstance(index.type, IntType) or index.type.bits != 64)):
                return None
            total += size * step
        return total
    if not isinstance(inst, BinaryOp) or not isinstance(inst.type, IntType):
        return None
    left, right = (loop.step(operand) for operand in inst.operands)
    if left is None or right is None:
        return None
    factor = inst.operands[1].value if isinstance(inst.operands[1], ConstantInt) else None
    if inst.opcode == "add":
        return left + right
    if inst.opcode == "sub":
        return left - right
    if inst.opcode == "mul" and factor is not None:
        return left * factor
    if inst.opcode == "shl" and factor is not None and 0 <= factor < inst.type.bits:
        return left << factor
    return 0 if left == right == 0 and inst.opcode not in INT_DIVISIONS else None


def _is_packed(layout: DataLayout, loop: _Counted, inst: Instruction, lanes: int) -> bool:
    if isinstance(inst, Phi):
        return inst in loop.steps
    if isinstance(inst, (Load, Store)):
        if inst.ordering or "volatile" in inst.flags:
            return False
        type = inst.value.type if isinstance(inst, Store) else inst.type
        if isinstance(type, VectorType):
            return _is_group(type, lanes) and loop.step(inst.pointer) == layout.size_of(type)
        return isinstance(inst, Load) and isinstance(type, (IntType, FloatType))
    if isinstance(inst.type, VectorType):
        if not _is_group(inst.type, lanes):
            return False
        if isinstance(inst, ShuffleVector):
            return spread(inst) is not None
        if isinstance(inst, InsertElement):
            return all(isinstance(user, ShuffleVector) and spread(user) is not None for user in inst.users)
        if isinstance(inst, Call):
            return is_plain_call(inst)
        return isinstance(inst, (BinaryOp, UnaryOp)) and _is_number(inst.type.element)
    if isinstance(inst, Call):
        return is_plain_call(inst)
    plain = not any(isinstance(operand.type, VectorType) for operand in inst.operands)
    return isinstance(inst, _SCALAR) and plain


def _is_group(type: VectorType, lanes: int) -> bool:
    return type.count == lanes and not type.scalable and _is_number(type.element)


def _is_number(type: Type) -> bool:
    return isinstance(type, FloatType) and type.bits in (32, 64)


def spread(inst: ShuffleVector) -> Value | None:
    """The number that a shuffle puts in all lanes, if it is one that does."""
    first = inst.operands[0]
    if not isinstance(first, InsertElement) or inst.lanes is None or any(inst.lanes):
        return None
    base, number, place = first.operands
    unset = isinstance(base, ConstantToken) and base.keyword in ("poison", "undef")
    return number if unset and isinstance(place, ConstantInt) and place.value == 0 else None


# packing it


class _Packing:
    """A loop being packed."""

    def __init__(self, module: Module, loop: _Counted, lanes: int, times: int) -> None:
        self.module, self.loop, self.lanes, self.times = module, loop, lanes, times
        function = loop.block.function
        assert isinstance(function, Function)
        self.front, self.body, self.behind = (function.append_block("packed") for _ in range(3))
        self.before = Builder(self.front)
        self.build = Builder(self.body)
        self.scalars: list[dict[Value, Value]] = [{} for _ in range(times)]
        self.rows: dict[Value, Value] = {}
        self.wide: dict[Value, Value] = {}

    def run(self) -> None:
        loop, build = self.loop, self.build
        start = loop.counter.value_from(loop.before)
        count = self.before.sub(loop.bound, start)
        whole = self.before.and_(count, ConstantInt(count.type, -self.times))
        done = build.phi(count.type)
        for inst in loop.needed:
            if isinstance(inst, Phi):
                self.scalars[0][inst] = build.phi(inst.type)
            elif isinstance(inst.type, VectorType) or isinstance(inst, Store):
                self._pack(inst)
            elif isinstance(inst, Load):
                self.row(inst)
        following = build.add(done, ConstantInt(count.type, self.times))
        for value, source in ((ConstantInt(count.type, 0), self.front), (following, self.body)):
            done.add_incoming(value, source)
        ends = [self._advance(phi, whole) for phi in loop.block.phis]
        build.cond_br(build.icmp("eq", following, whole), self.behind, self.body)
        self.before.cond_br(self.before.icmp("eq", whole, ConstantInt(count.type, 0)), loop.block, self.body)
        Builder(self.behind).cond_br(Builder(self.behind).icmp("eq", whole, count), loop.after, loop.block)
        for phi, end in zip(loop.block.phis, ends, strict=True):
            phi.replace_operand(loop.before, self.front)
            phi.add_incoming(end, self.behind)
        for phi in loop.after.phis:
            phi.add_incoming(phi.value_from(loop.block), self.behind)
        jump = loop.before.terminator
        assert jump is not None
        jump.replace_operand(loop.block, self.front)

    def _advance(self, phi: Phi, whole: Value) -> Value:
        """Let an integer run through the packed iterations; what it is behind them."""
        step = self.loop.steps.get(phi)
        if step is None:  # the primal's, and no longer needed
            return zero(phi.type)
        start = phi.value_from(self.loop.before)
        made = self.scalars[0].get(phi)
        if isinstance(made, Phi):
            made.add_incoming(start, self.front)
            made.add_incoming(self.build.add(made, ConstantInt(phi.type, step * self.times)), self.body)
        assert isinstance(whole.type, IntType) and isinstance(phi.type, IntType)
        wider = whole.type.bits > phi.type.bits
        count = self.before.cast("trunc" if wider else "zext", whole, phi.type)
        return self.before.add(start, self.before.mul(count, ConstantInt(phi.type, step)))

    # numbers of one iteration

    def scalar(self, value: Value, number: int) -> Value:
        """A number or an address in one of the iterations that are packed."""
        if not _is_inside(value, self.loop.block):
            return value
        known = self.scalars[number]
        if value not in known:
            known[value] = self._scalar(value, number)
        return known[value]

    def _scalar(self, value: Value, number: int) -> Value:
        if isinstance(value, Phi):
            return self.build.add(self.scalar(value, 0), ConstantInt(value.type, number * self.loop.steps[value]))
        if self._is_row(value):
            return self.build.extract_element(self.row(value), number)
        assert isinstance(value, Instruction)
        return self.build.insert(value.clone([self.scalar(operand, number) for operand in value.operands]))

    # the numbers of all iterations

    def _is_row(self, value: Value) -> bool:
        """Whether a number of all iterations is loaded, or computed, at once."""
        if isinstance(value, Load):
            return self.loop.step(value.pointer) == self.module.datalayout.size_of(value.type)
        return _is_number(value.type) and isinstance(value, (BinaryOp, UnaryOp, Call))

    def row(self, value: Value) -> Value:
        """A number in all of the iterations that are packed, side by side."""
        if value not in self.rows:
            self.rows[value] = self._row(value)
        return self.rows[value]

    def _row(self, value: Value) -> Value:
        type = VectorType(self.times, value.type)
        if not _is_inside(value, self.loop.block):
            return self.before.splat(value, type)
        if isinstance(value, Instruction) and self._is_row(value):
            return self._wider(value, type, self.row)
        made: Value = ConstantToken(type, "poison")
        for number in range(self.times):
            made = self.build.insert_element(made, self.scalar(value, number), number)
        return made

    # groups

    def vector(self, value: Value) -> Value:
        """The groups of all iterations, side by side."""
        if value not in self.wide:
            assert not _is_inside(value, self.loop.block), "packed before it is used"
            self.wide[value] = self._laid_in(value)
        return self.wide[value]

    def _laid_in(self, value: Value) -> Value:
        assert isinstance(value.type, VectorType)
        type = VectorType(self.lanes * self.times, value.type.element)
        if isinstance(value, ConstantAggregate) and value.splat:
            return ConstantAggregate(type, value.elements, splat=True)
        if isinstance(value, ConstantToken):
            return ConstantToken(type, value.keyword)
        return self.before.shuffle(value, list(range(self.lanes)) * self.times)

    def _pack(self, inst: Instruction) -> None:
        if isinstance(inst, Store):
            align = place_align(self.module.datalayout, inst)
            made = self.build.store(self.vector(inst.value), self.scalar(inst.pointer, 0), align)
            made.metadata = {key: value for key, value in inst.metadata.items() if key in _KEPT}
        elif isinstance(inst, ShuffleVector):
            number = spread(inst)
            assert number is not None
            lanes = [each for each in range(self.times) for _ in range(self.lanes)]
            self.wide[inst] = self.build.shuffle(self.row(number), lanes)
        elif not isinstance(inst, InsertElement):
            assert isinstance(inst.type, VectorType)
            type = VectorType(self.lanes * self.times, inst.type.element)
            self.wide[inst] = self._wider(inst, type, self.vector)

    def _wider(self, inst: Instruction, type: VectorType, of: Callable[[Value], Value]) -> Value:
        """An instruction on more numbers at once."""
        if isinstance(inst, Load):
            made = self.build.load(type, self.scalar(inst.pointer, 0), place_align(self.module.datalayout, inst))
            assert isinstance(made, Load)
            made.metadata = {key: value for key, value in inst.metadata.items() if key in _KEPT}
            return made
        if isinstance(inst, Call):
            name = (inst.callee_name or "").rsplit(".", 1)[0]
            args = [of(arg) for arg in inst.args]
            called = FunctionType(type, tuple(arg.type for arg in args))
            callee = self.module.declare_function(f"{name}.{mangle(type)}", called)
            return self.build.call(callee, args, flags=inst.fast_math)
        left, *right = (of(operand) for operand in inst.operands)
        if isinstance(inst, UnaryOp):
            return self.build.insert(UnaryOp(inst.opcode, left, flags=inst.flags))
        return self.build.insert(BinaryOp(inst.opcode, left, *right, flags=inst.flags))
