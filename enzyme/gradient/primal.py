"""The forward sweep: a copy of the primal, with shadows beside pointers, counters in loops, and notes of the way taken.

The copy has the same blocks and edges as the subject, so every analysis result of the subject holds for the copy
through ``values`` and ``blocks``. What is added is ordinary IR: after this step everything the reverse sweep can need
is a value of the copy, and the tape plan speaks about nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from enzyme.analysis.activity import ActivityResult
from enzyme.analysis.loops import Loop
from enzyme.gradient.lanes import Lanes
from enzyme.gradient.request import Request
from enzyme.gradient.subject import Subject
from enzyme.ir.builder import Builder
from enzyme.ir.types import I1, I8, I32, I64, PTR, FunctionType, Type
from enzyme.ir.values import (
    Alloca,
    Argument,
    Block,
    CallBase,
    Constant,
    ConstantAggregate,
    ConstantExpr,
    ConstantInt,
    DebugRecord,
    Function,
    Instruction,
    Invoke,
    MetadataValue,
    Phi,
    Return,
    Value,
)
from enzyme.llvm.block_lists import OF_DERIVATIVE

KEPT_METADATA = frozenset(
    "tbaa tbaa.struct alias.scope noalias range nonnull align dereferenceable fpmath noundef dbg".split()
)
DROPPED_CALLS = (
    "llvm.lifetime.", "llvm.stacksave", "llvm.stackrestore", "llvm.dbg.",
    "llvm.invariant.", "llvm.assume", "llvm.var.annotation", "llvm.donothing", "llvm.prefetch", "llvm.sideeffect",
    "llvm.pseudoprobe",
)  # fmt: skip


REPLAYED = "enzyme_iteration"
"""The attribute of functions that calls of are to be replayed where that is right (replay.py)."""
TIME_LOOP = "enzyme_time_loop"
"""The attribute of functions that run a loop's steps (:mod:`enzyme.gradient.time_loops`): the reverse sweep works on
the memory that they are given."""


@dataclass
class PrimalCopy:
    """The forward sweep under construction.

    ``target`` is the function that holds it. ``values`` and ``blocks`` map the subject to the copy; ``origin`` maps
    copied instructions back. ``counters`` gives each loop's counter (0 in the first iteration), ``exit_counters`` the
    counter's value on leaving a loop as seen in the exit block, ``arrivals`` the index of the predecessor by which a
    merge block was entered. ``callees`` names the derivatives that calls of the subject are replaced by. ``lanes``
    are the lanes of the derivative; ``shadow_args`` gives the shadow (or tangent) of a parameter in each.
    """

    subject: Subject
    request: Request
    activity: ActivityResult
    target: Function
    values: dict[Value, Value] = field(default_factory=dict)
    blocks: dict[Block, Block] = field(default_factory=dict)
    back: dict[Block, Block] = field(default_factory=dict)
    origin: dict[Value, Instruction] = field(default_factory=dict)
    counters: dict[Loop, Phi] = field(default_factory=dict)
    exit_counters: dict[tuple[Block, Loop], Phi] = field(default_factory=dict)
    arrivals: dict[Block, Phi] = field(default_factory=dict)
    shadow_args: dict[Argument, tuple[Argument, ...]] = field(default_factory=dict)
    return_block: Block | None = None
    heap_allocas: list[Instruction] = field(default_factory=list)
    shadow_origin: dict[Value, Instruction] = field(default_factory=dict)
    callees: dict[Instruction, str] = field(default_factory=dict)
    at_once: set[Instruction] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.lanes = Lanes(self.request.width)

    def shadow_argument(self, argument: Argument) -> Argument | None:
        """The parameter that holds the shadow (or tangent) of a parameter of the subject in the selected lane."""
        found = self.shadow_args.get(argument)
        return found[self.lanes.current] if found is not None else None

    @property
    def shadowed_globals(self) -> frozenset[str]:
        """Mutable globals that have a shadow in this derivative and in those nested in it."""
        return self.request.globals if self.request.nested else self.activity.mutable_globals

    @property
    def leading_globals(self) -> frozenset[str]:
        """Those of them in which pointers to memory with a shadow are stored."""
        return self.request.leading if self.request.nested else self.activity.leading_globals

    @property
    def inert_globals(self) -> frozenset[str]:
        """Those of the leading ones that nothing active gets behind."""
        return self.request.inert if self.request.nested else self.activity.inert_globals

    def of(self, value: Value) -> Value:
        """The copy's value for a value of the subject."""
        found = self.values.get(value)
        if found is not None:
            return found
        if isinstance(value, MetadataValue):
            return MetadataValue(self.of(value.inner))
        assert isinstance(value, Constant), f"{value!r} was not copied"
        return value

    def puts_off(self, inst: Instruction) -> bool:
        """Whether a call of ``free`` is put off until the reverse sweep is over. One that frees memory without a shadow
        that comes from elsewhere stays where it is, and counts as a write to that memory."""
        pointer = self.subject.freed_pointer(inst)
        if pointer is None or self.request.mode == "forward":
            return False
        if self.request.mode == "reverse" or self.activity.needs_shadow(pointer):
            return True
        objects = self.subject.alias.underlying_objects(pointer)
        return all(memory.kind in ("allocation", "null") for memory in objects)

    def unstable_pointer(self, pointer: Value) -> bool:
        """Whether memory behind a pointer of the subject may change before the reverse sweep, or be gone by then."""
        return bool(self.unstable_reason_of(pointer))

    def unstable_reason(self, load: Instruction) -> str:
        """Why the memory a load of the subject reads may have changed after the function returned; "" if it cannot."""
        return self.unstable_reason_of(load.operands[0])

    def unstable_reason_of(self, pointer: Value) -> str:
        """The same of all memory behind a pointer of the subject."""
        if self.request.mode != "split":
            return ""
        for memory in self.subject.alias.underlying_objects(pointer):
            root = memory.value
            if isinstance(root, Alloca):
                if root not in self.heap_allocas:
                    return "stack memory is gone when the reverse sweep runs"
            elif isinstance(root, Argument):
                if root.index in self.request.overwritten:
                    return f"the caller may overwrite what parameter {root.index + 1} points to"
            elif isinstance(root, CallBase) and memory.kind == "allocation":
                given = self.subject.alias.captures(memory)
                if given.captured or given.returned:
                    return "the caller may overwrite this memory, whose address it is given"
            elif not self.request.stable_memory:
                return "the caller may overwrite this memory"
        return ""

    def loop_of(self, block: Block) -> Loop | None:
        """The innermost loop around a block of the copy."""
        return self.subject.loops.loop_of(self.back[block])


def copy_primal(subject: Subject, request: Request, activity: ActivityResult, target: Function) -> PrimalCopy:
    """Copy the subject's body into ``target``, whose parameters begin with the subject's and their shadows."""
    copy = PrimalCopy(subject, request, activity, target)
    position = 0
    for argument, duplicated in zip(subject.function.args, request.duplicated, strict=True):
        copy.values[argument] = target.args[position]
        position += 1
        if duplicated:
            copy.shadow_args[argument] = tuple(target.args[position : position + request.width])
            position += request.width
    for block in subject.cfg.blocks:
        twin = target.append_block(block.name)
        copy.blocks[block] = copy.values[block] = twin
        copy.back[twin] = block
    phis: list[tuple[Phi, Phi]] = []
    for block in subject.cfg.blocks:
        into = copy.blocks[block]
        for inst in block.instructions:
            if isinstance(inst, DebugRecord) or (is_dropped(inst) and not _stack_mark(inst, request)):
                continue
            if isinstance(inst, Return):
                copy.return_block = into
                continue
            made: Instruction
            if isinstance(inst, Alloca) and _moves_to_heap(copy, inst):
                made = _heap_alloca(copy, inst, into)
            elif isinstance(inst, Phi):
                made = phi = Phi(inst.type, (), name=inst.name, flags=inst.flags)
                phis.append((inst, phi))
            else:
                made = inst.clone([copy.of(op) for op in inst.operands])
                made.metadata = {k: v for k, v in inst.metadata.items() if k in KEPT_METADATA}
                if isinstance(made, CallBase):
                    made.tail = ""
                    if made.callee_name in ("malloc", "calloc") and request.mode != "forward":
                        made.attrs = (*made.attrs, OF_DERIVATIVE)
            if made.block is None:
                into.append(made)
            copy.values[inst] = made
            copy.origin[made] = inst
    reachable = copy.blocks
    for original, phi in phis:
        for value, source in original.incoming:
            if source in reachable:
                phi.add_incoming(copy.of(value), reachable[source])
    _add_counters(copy)
    _add_exit_counters(copy)
    return copy


def _moves_to_heap(copy: PrimalCopy, inst: Alloca) -> bool:
    """Stack memory that the reverse sweep may look at after its stack frame or its scope has gone."""
    if not is_static_alloca(inst):
        return copy.request.mode != "forward"
    return copy.request.mode == "split" and (copy.activity.needs_shadow(inst) or _is_state(copy, inst))


def _is_state(copy: PrimalCopy, inst: Alloca) -> bool:
    """Whether stack memory is given to a loop whose steps, or iterations, are run again in the reverse sweep."""
    called = (user.callee for user in inst.users if isinstance(user, CallBase))
    given = [copy.subject.module.fn_attributes(each) for each in called if isinstance(each, Function)]
    return any(f'"{mark}"' in attributes for attributes in given for mark in (TIME_LOOP, REPLAYED))


def _heap_alloca(copy: PrimalCopy, inst: Alloca, into: Block) -> Instruction:
    build = Builder(into)
    count = copy.of(inst.operands[0])
    wide = build.zext(count, I64)
    size = build.mul(wide, ConstantInt(I64, copy.subject.module.datalayout.alloc_size(inst.allocated_type)))
    copy.heap_allocas.append(inst)
    if inst.align <= 16:
        malloc = copy.subject.module.declare_function("malloc", FunctionType(PTR, (I64,)))
        return build.call(malloc, [size], name=inst.name, attrs=(OF_DERIVATIVE,))
    rounded = build.and_(build.add(size, ConstantInt(I64, inst.align - 1)), ConstantInt(I64, -inst.align))
    aligned = copy.subject.module.declare_function("aligned_alloc", FunctionType(PTR, (I64, I64)))
    return build.call(aligned, [ConstantInt(I64, inst.align), rounded], name=inst.name)


def _stack_mark(inst: Instruction, request: Request) -> bool:
    """Forward mode keeps the scopes of variable-size stack arrays; a reverse derivative has none on the stack. What was
    saved stays a value there, too: a phi may hand it on to where it is restored."""
    name = (inst.callee_name if isinstance(inst, CallBase) else None) or ""
    return name.startswith("llvm.stacksave") or (request.mode == "forward" and name.startswith("llvm.stackrestore"))


def is_dropped(inst: Instruction) -> bool:
    """Calls that mean nothing to a derivative: lifetimes, assumptions, debug intrinsics."""
    name = inst.callee_name if isinstance(inst, CallBase) else None
    return name is not None and name.startswith(DROPPED_CALLS)


def _add_counters(copy: PrimalCopy) -> None:
    for loop in copy.subject.loops.loops:
        header = copy.blocks[loop.header]
        counter = Phi(I64, (), name="iteration")
        header.insert(0, counter)
        (latch,) = (copy.blocks[b] for b in loop.latches)
        step = Builder(latch, before=latch.terminator).add(
            counter, ConstantInt(I64, 1), ("nuw", "nsw"), name="iteration.next"
        )
        for source in incoming_edges(header):
            counter.add_incoming(step if source is latch else ConstantInt(I64, 0), source)
        copy.counters[loop] = counter


def _add_exit_counters(copy: PrimalCopy) -> None:
    for loop in copy.subject.loops.loops:
        for _, target in loop.exits:
            key = (target, loop)
            if key in copy.exit_counters or target not in copy.blocks:
                continue
            block = copy.blocks[target]
            counter = copy.counters[loop]
            copy.exit_counters[key] = _insert_phi(block, [(counter, p) for p in incoming_edges(block)], "left.at")


def arrival(copy: PrimalCopy, block: Block) -> Phi:
    """The phi that tells by which predecessor a merge block of the copy was entered (index in ``predecessors``)."""
    found = copy.arrivals.get(block)
    if found is None:
        order = {source: i for i, source in enumerate(block.predecessors)}
        type = I1 if len(order) == 2 else I8 if len(order) < 128 else I32
        found = _insert_phi(block, [(ConstantInt(type, order[p]), p) for p in incoming_edges(block)], "from", type)
        copy.arrivals[block] = found
    return found


def incoming_edges(block: Block) -> list[Block]:
    """The predecessor of every edge into a block: one that a switch reaches by two cases is there twice."""
    return [source for source in block.predecessors for target in source.successors if target is block]


def _insert_phi(block: Block, incoming: list[tuple[Value, Block]], name: str, type: Type = I64) -> Phi:
    made = Phi(type, incoming, name=name)
    block.insert(0, made)
    return made


def insert_after(value: Value, instruction: Instruction) -> Instruction:
    """Put ``instruction`` right after a definition (after the phis of its block when that is a phi)."""
    assert isinstance(value, Instruction)
    block, index = _place_after(value)
    return block.insert(index, instruction)


def _first_place(block: Block) -> int:
    index = len(block.phis)
    pad = index < len(block.instructions) and block.instructions[index].opcode == "landingpad"
    return index + 1 if pad else index


def _place_after(value: Instruction) -> tuple[Block, int]:
    """Block and index of the place right behind a definition; an invoke's result exists behind its normal edge."""
    block = value.block
    assert block is not None
    if isinstance(value, Phi):
        return block, _first_place(block)
    if isinstance(value, Invoke):
        normal = value.operands[-2]
        assert isinstance(normal, Block)
        return normal, _first_place(normal)
    return block, block.position(value) + 1


def builder_after(value: Instruction) -> Builder:
    """A builder right after a definition."""
    block, index = _place_after(value)
    if index == len(block.instructions):
        return Builder(block)
    return Builder(block, before=block.instructions[index])


def first_builder(block: Block) -> Builder:
    """A builder at the first place after the phis, and the landing pad, of a block."""
    index = _first_place(block)
    return Builder(block, before=block.instructions[index]) if index < len(block.instructions) else Builder(block)


def rebuild_constant(constant: Constant, operands: list[Value]) -> Constant:
    """A constant expression or aggregate with other operands."""
    if isinstance(constant, ConstantExpr):
        return ConstantExpr(constant.type, constant.opcode, operands, constant.flags, constant.source_type)
    assert isinstance(constant, ConstantAggregate)
    return ConstantAggregate(constant.type, operands, constant.splat)


def is_static_alloca(inst: Instruction) -> bool:
    """An alloca of constant size in the entry block."""
    return (
        isinstance(inst, Alloca)
        and isinstance(inst.operands[0], ConstantInt)
        and inst.block is not None
        and inst.function is not None
        and inst.block is inst.function.entry
    )
