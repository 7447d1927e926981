"""The body of a loop for several of its iterations at once, side by side in vectors.

What is the same in all iterations (analysis/uniform.py) is computed once, as it was. Of the other values, numbers
become vectors with a *lane* for each iteration, and integers and addresses are computed lane by lane. All branches have
to go the same way in every iteration.

Each iteration has scratch of its own: the number that it finds at some offset is the vector at that offset times the
number of lanes, and its lane there; where each iteration looks elsewhere, that is read and written lane by lane. What
is only read is read once where the address is the same, else lane by lane. Mathematical functions
are called for vectors where LLVM has such, else lane by lane: both give what the plain call gives. What iterations call
with the same numbers as their neighbours may be called once (neighbour_calls.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from enzyme.analysis.alias import AliasAnalysis
from enzyme.analysis.tbaa import declares_scope
from enzyme.gradient.alignment import place_align
from enzyme.gradient.calls import defined_callee
from enzyme.gradient.primal import KEPT_METADATA, is_dropped
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import (
    DOUBLE,
    FLOAT,
    I1,
    I32,
    I64,
    ArrayType,
    FloatType,
    FunctionType,
    IntType,
    PointerType,
    Type,
    VectorType,
)
from enzyme.ir.values import (
    Argument,
    BinaryOp,
    Block,
    Branch,
    CallBase,
    Cast,
    Compare,
    Constant,
    ConstantAggregate,
    ConstantInt,
    ConstantToken,
    DebugRecord,
    Freeze,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    MetadataValue,
    Phi,
    Return,
    Select,
    Store,
    Switch,
    UnaryOp,
    Value,
    zero,
)
from enzyme.rules.emit import vector_intrinsic
from enzyme.rules.names import callee_math_name
from enzyme.rules.scalar import lookup_instruction

_LANEWISE = (BinaryOp, UnaryOp, Cast, Compare, Select, Freeze, Phi, GetElementPtr, Load, CallBase)
_NUMBERS = (DOUBLE, FLOAT)
_OF_INTEGERS = ("llvm.smax.i", "llvm.smin.i", "llvm.umax.i", "llvm.umin.i", "llvm.abs.i")
_IN_BLOCK = 64
"""Numbers that are cleared or copied one by one."""


@dataclass
class Body:
    """A function for one iteration. ``varying``: what differs from iteration to iteration; ``steps``: by how much its
    parameters do; ``scratch``: the parameters behind which it writes; ``given``: those of which each iteration is given
    its own number."""

    module: Module
    function: Function
    alias: AliasAnalysis
    varying: set[Value]
    steps: Mapping[Argument, int]
    scratch: set[Argument]
    given: Sequence[Argument] = ()

    def fits(self) -> bool:
        """Whether it can be made for several iterations at once."""
        types = {argument: self.type_of(argument) for argument in self.scratch}
        result = self.function.result_type
        if not (result in _NUMBERS or result.is_void) or not all(types.values()):
            return False
        if not all(each.type in _NUMBERS or isinstance(each.type, IntType) for each in self.given):
            return False
        return all(self._fits(inst) for inst in self.function.instructions())

    def array(self, pointer: Value) -> Argument | None:
        """The scratch that an address lies in."""
        objects = self.alias.underlying_objects(pointer)
        found = next(iter(objects)).value if len(objects) == 1 else None
        return found if isinstance(found, Argument) and found in self.scratch else None

    def type_of(self, argument: Argument) -> Type | None:
        """The type of all numbers in scratch, or of the one index that is stored there; None if there are several, or
        others."""
        found: set[Type] = set()
        indices = True
        for inst in self.function.instructions():
            if isinstance(inst, (Load, Store)) and self.alias.points_into(inst.pointer, argument):
                found.add(inst.value.type if isinstance(inst, Store) else inst.type)
                indices = indices and isinstance(inst, Store) and inst.pointer is argument and is_index(inst.value)
        type = found.pop() if len(found) == 1 else None
        return type if type in _NUMBERS or (indices and type in (I32, I64)) else None

    def _fits(self, inst: Instruction) -> bool:
        if means_nothing(inst):
            return True
        if is_block_call(inst):
            return self.in_block(inst) is not None
        if inst.is_terminator:
            return isinstance(inst, (Branch, Switch, Return))
        if isinstance(inst, (Load, Store)):
            return self._fits_access(inst)
        if any(each.type.is_pointer and self.array(each) is not None for each in inst.operands):
            one_step = isinstance(inst, GetElementPtr) and len(inst.indices) == 1
            if not one_step and not (isinstance(inst, (Phi, Select)) and self.array(inst) is not None):
                return False
        if isinstance(inst, CallBase):
            scalar = is_scalar_call(inst)
            if not scalar or any(each.type not in _NUMBERS and not each.type.is_int for each in (inst, *inst.args)):
                return False
        if inst not in self.varying:
            return True
        plain = all(isinstance(each.type, (FloatType, IntType, PointerType)) for each in (inst, *_values_of(inst)))
        numbers = all(each.type in _NUMBERS for each in (inst, *_values_of(inst)) if each.type.is_float)
        return isinstance(inst, _LANEWISE) and plain and numbers

    def in_block(self, inst: Instruction) -> tuple[Type, int] | None:
        """The type of the numbers that a call clears or copies in scratch, and how many; None where that is no few
        numbers at a place that all iterations have, or they come from who knows where."""
        assert isinstance(inst, CallBase)
        to, what, length, volatile = inst.args[:4]
        scratch, number = self.array(to), length.value if isinstance(length, ConstantInt) else None
        type = self.type_of(scratch) if scratch is not None and to not in self.varying else None
        if type is None or number is None or not isinstance(volatile, ConstantInt) or volatile.value:
            return None
        count, rest = divmod(number, self.module.datalayout.size_of(type))
        if rest or count > _IN_BLOCK:
            return None
        if not what.type.is_pointer:
            return (type, count) if isinstance(what, ConstantInt) and not what.value else None
        source = self.array(what)
        if source is not None:
            return (type, count) if self.type_of(source) is type and what not in self.varying else None
        objects = self.alias.underlying_objects(what)
        known = not any(each.kind == "unknown" or each.value in self.scratch for each in objects)
        return (type, count) if known else None

    def _fits_access(self, inst: Load | Store) -> bool:
        if inst.ordering or "volatile" in inst.flags:
            return False
        if self.array(inst.pointer) is not None:
            return True
        if isinstance(inst, Store):
            return False
        objects = self.alias.underlying_objects(inst.pointer)
        if any(each.kind == "unknown" or each.value in self.scratch for each in objects):
            return False
        plain = inst.type in _NUMBERS or isinstance(inst.type, (IntType, PointerType))
        return inst not in self.varying or (inst.pointer in self.varying and plain)


def is_block_call(inst: Instruction) -> bool:
    """Whether an instruction clears or copies a block of memory."""
    return isinstance(inst, CallBase) and (inst.callee_name or "").startswith(("llvm.memcpy.", "llvm.memset."))


def is_index(value: Value, inside: bool = False, depth: int = 8) -> bool:
    """Whether an integer is computed as such, from numbers, counters and other integers: no word that holds a number,
    which would be moved, or have its bits changed. ``inside``: it is a part of such a computation."""
    if isinstance(value, ConstantInt):
        return True
    if isinstance(value, Argument):
        return inside
    if depth == 0 or not value.type.is_int:
        return False
    match value:
        case Cast(opcode="fptosi" | "fptoui"):
            return True
        case Cast(opcode="zext" | "sext" | "trunc"):
            parts = value.operands
        case BinaryOp(opcode="add" | "sub" | "mul" | "shl" | "sdiv" | "udiv" | "srem" | "urem"):
            parts, inside = value.operands, True
        case Select():
            parts = value.operands[1:]
        case CallBase() if is_of_integers(value):
            parts = [each for each in value.args if each.type is value.type]
        case _:
            return False
    return all(is_index(each, inside, depth - 1) for each in parts)


def is_of_integers(call: CallBase) -> bool:
    """Whether a call gives the greater or the lesser of two integers, or its amount."""
    return (call.callee_name or "").startswith(_OF_INTEGERS)


def is_scalar_call(call: CallBase) -> bool:
    """Whether a call makes a number, or an integer, of others, and nothing else."""
    return is_of_integers(call) or (lookup_instruction(call) is not None and defined_callee(call) is None)


def means_nothing(inst: Instruction) -> bool:
    """Debug records, lifetimes, declarations of scopes and the like."""
    if not isinstance(inst, CallBase):
        return isinstance(inst, DebugRecord)
    return is_dropped(inst) or declares_scope(inst)


def _values_of(inst: Instruction) -> list[Value]:
    """The operands that are no functions or places in the program."""
    if isinstance(inst, CallBase):
        return list(inst.args)
    return [each for each in inst.operands if not isinstance(each, Block)]


@dataclass
class Widening:
    """Makes the function for ``count`` iterations."""

    body: Body
    count: int
    made: Function
    blocks: dict[Block, Block] = field(default_factory=dict)
    values: dict[Value, Value] = field(default_factory=dict)  # what is the same in all lanes
    vectors: dict[Value, Value] = field(default_factory=dict)
    lanes: dict[Value, list[Value]] = field(default_factory=dict)
    packed: Mapping[Load, Value] = field(default_factory=dict)
    """Loads of what lies side by side for all iterations, one vector for each index, and where (packed_rows.py)."""
    shared: Mapping[CallBase, tuple[CallBase, int]] = field(default_factory=dict)
    """Calls that give what other iterations' calls in front of them do (neighbour_calls.py)."""
    _spread: dict[Value, Value] = field(default_factory=dict)

    def fill(self, order: Sequence[Block]) -> None:
        """Make the blocks, in an ``order`` in which values come before their uses."""
        function = self.body.function
        self.blocks = {block: self.made.append_block(block.name) for block in function.blocks}
        start = Builder(self.blocks[function.entry])
        for argument, twin in zip(function.args, self.made.args, strict=False):
            self.values[argument] = twin
            if argument in self.body.given and argument.type in _NUMBERS:
                self.vectors[argument] = twin
            elif argument in self.body.given:
                self.lanes[argument] = [start.extract_element(twin, lane) for lane in range(self.count)]
            elif argument in self.body.steps:
                step, type = self.body.steps[argument], argument.type
                moved = [start.add(twin, ConstantInt(type, lane * step)) for lane in range(1, self.count)]
                self.lanes[argument] = [twin, *moved]
        for block in order:
            build = Builder(self.blocks[block])
            for inst in block.instructions:
                if not means_nothing(inst):
                    self._translate(build, inst)
        for block in order:
            for phi in block.phis:
                self._complete(phi)

    def vector(self, type: Type) -> VectorType:
        return VectorType(self.count, type)

    # one instruction

    def _translate(self, build: Builder, inst: Instruction) -> None:
        last = build.block.instructions[-1] if build.block.instructions else None
        if isinstance(inst, Return):
            build.ret(self.spread(build, inst.operands[0]) if inst.operands else None)
        elif isinstance(inst, Store):
            self._store(build, inst)
        elif is_block_call(inst):
            self._fill(build, inst)
        elif isinstance(inst, Load) and self.body.array(inst.pointer) is not None and not self._varies(inst.pointer):
            self.vectors[inst] = build.load(self.vector(inst.type), self.values[inst.pointer], self._align(inst))
        elif inst not in self.body.varying:
            self._once(build, inst)
        elif _is_number(inst):
            self._widen(build, inst)
        else:
            self._each(build, inst)
        kept = {key: node for key, node in inst.metadata.items() if key in KEPT_METADATA}
        line = {key: node for key, node in kept.items() if key == "dbg"}
        for made in build.block.instructions[build.block.position(last) + 1 if last is not None else 0 :]:
            made.metadata.update(kept if isinstance(made, type(inst)) else line)

    def _once(self, build: Builder, inst: Instruction) -> None:
        """The same for all iterations: as it was, but for steps in scratch."""
        if isinstance(inst, Phi):
            self.values[inst] = build.insert(Phi(inst.type, (), name=inst.name, flags=inst.flags))
            return
        self.values[inst] = build.insert(self._copy(inst, [self._twin(operand) for operand in inst.operands]))

    def _copy(self, inst: Instruction, operands: list[Value]) -> Instruction:
        """The instruction with other operands; steps in scratch are from vector to vector."""
        made = inst.clone(operands)
        if isinstance(made, GetElementPtr) and self.body.array(inst.operands[0]) is not None:
            type = made.source_type
            made.source_type = self.vector(type) if type in _NUMBERS else ArrayType(self.count, type)
        return made

    def _store(self, build: Builder, inst: Store) -> None:
        """A number in scratch: a vector, or lane by lane where each goes elsewhere."""
        if not self._varies(inst.pointer):
            build.store(
                self.spread(build, inst.value),
                self.values[inst.pointer],
                self._align(inst),
            )
            return
        for lane in range(self.count):
            place = self._place(build, inst.pointer, inst.value.type, lane)
            build.store(self.lane(build, inst.value, lane), place, inst.align)

    def _align(self, inst: Load | Store) -> int:
        return place_align(self.body.module.datalayout, inst)

    def _fill(self, build: Builder, inst: Instruction) -> None:
        """Numbers in scratch that are cleared, or copied from there or elsewhere: vector by vector."""
        found = self.body.in_block(inst)
        assert isinstance(inst, CallBase) and found is not None
        (type, count), what = found, inst.args[1]
        to, size = self.vector(type), self.body.module.datalayout.size_of(type)
        for index in range(count):
            at = [ConstantInt(I64, index)]
            place = build.gep(to, self.values[inst.args[0]], at)
            if not what.type.is_pointer:
                number = self.spread(build, zero(type))
            elif self.body.array(what) is not None:
                number = build.load(to, build.gep(to, self.values[what], at), size)
            elif not self._varies(what):
                number = build.splat(build.load(type, build.gep(type, self._twin(what), at), 1), to)
            else:
                number = ConstantToken(to, "poison")
                for lane in range(self.count):
                    part = build.load(type, build.gep(type, self.lane(build, what, lane), at), 1)
                    number = build.insert_element(number, part, lane)
            build.store(number, place, size)

    def _place(self, build: Builder, pointer: Value, type: Type, lane: int) -> Value:
        """Where the number of one iteration lies in memory, scratch or not."""
        place = self.lane(build, pointer, lane)
        if self.body.array(pointer) is None or not lane:
            return place
        return build.gep(type, place, [ConstantInt(I64, lane)], flags=("inbounds",))

    def _twin(self, value: Value) -> Value:
        if isinstance(value, Block):
            return self.blocks[value]
        if isinstance(value, MetadataValue):
            return MetadataValue(self._twin(value.inner))
        return self.values.get(value, value)

    def _widen(self, build: Builder, inst: Instruction) -> None:
        """A number, or the result of a comparison of numbers: a vector."""
        to = self.vector(inst.type)

        def all_lanes(index: int) -> Value:
            return self.spread(build, inst.operands[index])

        made: Value
        match inst:
            case Phi():
                made = build.insert(Phi(to, (), name=inst.name, flags=inst.flags))
            case Load() if inst in self.packed:
                assert isinstance(inst.pointer, GetElementPtr)
                place = build.gep(to, self.packed[inst], [self._twin(inst.pointer.indices[0])])
                made = build.load(to, place, self._align(inst))
            case Load():
                made = self._gathered(build, inst, to)
            case CallBase():
                made = self._called(build, inst, to)
            case Select():
                varies = self._varies(inst.operands[0])
                condition = all_lanes(0) if varies else self._twin(inst.operands[0])
                made = build.insert(Select(condition, all_lanes(1), all_lanes(2), flags=inst.flags))
            case Cast():
                made = build.insert(Cast(inst.opcode, all_lanes(0), to, flags=inst.flags))
            case Compare():
                made = build.insert(Compare(inst.opcode, inst.predicate, all_lanes(0), all_lanes(1), flags=inst.flags))
            case _:
                made = inst.clone([all_lanes(index) for index in range(len(inst.operands))])
                made.type = to
                made = build.insert(made)
        self.vectors[inst] = made

    def _each(self, build: Builder, inst: Instruction) -> None:
        """An integer or an address: lane by lane."""
        if isinstance(inst, Phi):
            made: list[Value] = [build.insert(Phi(inst.type, (), flags=inst.flags)) for _ in range(self.count)]
        else:
            made = []
            for lane in range(self.count):
                operands = [self.lane(build, operand, lane) for operand in inst.operands]
                made.append(build.insert(self._copy(inst, operands)))
        self.lanes[inst] = made

    def _gathered(self, build: Builder, inst: Load, to: VectorType) -> Value:
        whole: Value = ConstantToken(to, "poison")
        for lane in range(self.count):
            part = inst.clone([self._place(build, inst.pointer, inst.type, lane)])
            whole = build.insert_element(whole, build.insert(part), lane)
        return whole

    def _called(self, build: Builder, inst: CallBase, to: VectorType) -> Value:
        if inst in self.shared:
            before, by = self.shared[inst]
            own = [lane for lane in range(self.count) if not 0 <= lane + by < self.count]
            lanes = [min(max(lane + by, 0), self.count - 1) for lane in range(self.count)]
            whole = build.shuffle(self.vectors[before], lanes)
            return self._called_in(build, inst, whole, own)
        name = vector_intrinsic(callee_math_name(inst), to) if all(a.type is inst.type for a in inst.args) else None
        if name is not None:
            type = FunctionType(to, (to,) * len(inst.args))
            function = self.body.module.declare_function(name, type)
            return build.call(function, [self.spread(build, each) for each in inst.args], flags=inst.flags)
        return self._called_in(build, inst, ConstantToken(to, "poison"), range(self.count))

    def _called_in(self, build: Builder, inst: CallBase, whole: Value, lanes: Iterable[int]) -> Value:
        """A vector of which some lanes are what a call gives."""
        for lane in lanes:
            parts = [self.lane(build, each, lane) for each in inst.args]
            whole = build.insert_element(whole, build.insert(inst.clone([*parts, *inst.operands[len(parts) :]])), lane)
        return whole

    def _complete(self, phi: Phi) -> None:
        for value, source in phi.incoming:
            block = self.blocks[source]
            build = Builder(block, before=block.terminator)
            if phi in self.vectors:
                self.vectors[phi].add_incoming(self.spread(build, value), block)  # type: ignore[attr-defined]
            elif phi in self.lanes:
                for lane, made in enumerate(self.lanes[phi]):
                    made.add_incoming(self.lane(build, value, lane), block)  # type: ignore[attr-defined]
            else:
                self.values[phi].add_incoming(self._twin(value), block)  # type: ignore[attr-defined]

    # values

    def _varies(self, value: Value) -> bool:
        return value in self.vectors or value in self.lanes

    def spread(self, build: Builder, value: Value) -> Value:
        """A value in all lanes."""
        if value in self.vectors:
            return self.vectors[value]
        if value in self.lanes:
            whole: Value = ConstantToken(self.vector(value.type), "poison")
            for lane, part in enumerate(self.lanes[value]):
                whole = build.insert_element(whole, part, lane)
            return whole
        to = self.vector(value.type)
        if isinstance(value, ConstantToken):
            return ConstantToken(to, value.keyword)
        if isinstance(value, Constant):
            return ConstantAggregate(to, [value], splat=True)
        if value not in self._spread:
            self._spread[value] = _behind(self.values[value], self.made).splat(self.values[value], to)
        return self._spread[value]

    def lane(self, build: Builder, value: Value, lane: int) -> Value:
        """A value in one lane."""
        if value in self.lanes:
            return self.lanes[value][lane]
        if value in self.vectors:
            return build.extract_element(self.vectors[value], lane)
        return self._twin(value)


def _is_number(inst: Instruction) -> bool:
    """Whether a value that varies becomes a vector."""
    if isinstance(inst.type, FloatType):
        return True
    return inst.type is I1 and (inst.opcode == "fcmp" or isinstance(inst, (BinaryOp, Select, Freeze, Phi)))


def _behind(value: Value, function: Function) -> Builder:
    """A builder right behind the place where a value is made."""
    if not isinstance(value, Instruction):
        return Builder(function.entry, before=function.entry.instructions[0] if function.entry.instructions else None)
    block = value.block
    assert block is not None
    at = len(block.phis) if isinstance(value, Phi) else block.position(value) + 1
    return Builder(block, before=block.instructions[at] if at < len(block.instructions) else None)
