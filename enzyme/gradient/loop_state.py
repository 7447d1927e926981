"""The state of a loop whose steps lead from one state to the next: the memory that its steps write.

A step may be run again from a state that was kept where all that it writes is memory of known extent: locals, blocks
that the function allocates in front of the loop, global variables, and of what a parameter points to the elements from
the first to the last one that every step is sure to write. The extent of the latter is never guessed: bytes that belong
to something else must not be kept, for they would be put back.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from enzyme.analysis.alias import AliasAnalysis, ModuleSummaries
from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.covered import CoveredReads
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.loops import Loop, LoopForest
from enzyme.analysis.memory_objects import MemoryObject
from enzyme.analysis.polynomials import Polynomial
from enzyme.gradient.primal import is_dropped, is_static_alloca
from enzyme.gradient.replay import is_scratch, why_once
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I64, ArrayType, StructType
from enzyme.ir.values import (
    Alloca,
    Argument,
    Block,
    Branch,
    CallBase,
    Compare,
    ConstantInt,
    DebugRecord,
    Function,
    GlobalVariable,
    Instruction,
    Invoke,
    Load,
    Store,
    Value,
)
from enzyme.rules.known import known_call, known_callee

_LOOSE = frozenset(("fast", "reassoc", "contract"))
Guards = tuple[tuple[Value, bool], ...]


@dataclass(frozen=True)
class Piece:
    """Memory of the state: from ``start`` bytes behind ``base``; ``size`` times all ``factors``, plus ``spans`` (sizes
    that are sums of values), if all ``guards`` hold."""

    base: Value
    size: int
    factors: tuple[Value, ...] = ()
    start: Polynomial = field(default_factory=lambda: Polynomial(()))
    span: Polynomial | None = None
    guards: Guards = ()

    @property
    def fixed(self) -> int | None:
        """Its bytes, where they are a number."""
        return None if self.factors or self.span is not None or self.guards else self.size

    def emit(self, build: Builder) -> tuple[Value, Value | None]:
        """Its address and, where they are no number, its bytes, in front of the loop."""
        base = self.base
        if self.start.terms:
            base = build.offset(base, self.start.emit(build))
        if self.fixed is not None:
            return base, None
        total: Value = ConstantInt(I64, self.size)
        if self.span is not None:
            total = self.span.emit(build)
        for factor in self.factors:
            total = build.mul(total, factor if factor.type is I64 else build.zext(factor, I64))
        for condition, way in self.guards:
            if isinstance(condition, Compare) and condition.opcode == "icmp":
                left, right = condition.operands
                condition = build.icmp(condition.predicate, left, right)
            zero = ConstantInt(I64, 0)
            total = build.select(condition, total, zero) if way else build.select(condition, zero, total)
        return base, total

    def shown(self) -> str:
        words = [f"%{f.name}" if f.name else "a value" for f in self.factors]
        if self.span is not None:
            words = [
                " * ".join([str(factor), *(f"%{getattr(what, 'name', None) or '?'}" for what, _ in product)])
                for product, factor in self.span.varying
            ]
            return " + ".join([*words, *([str(self.span.offset)] if self.span.offset else [])])
        return " * ".join([*([str(self.size)] if self.size != 1 or not words else []), *words])


@dataclass
class State:
    """What a loop's steps write."""

    alias: AliasAnalysis
    pieces: list[Piece] = field(default_factory=list)
    whole: set[MemoryObject] = field(default_factory=set)

    def reaches_only(self, pointer: Value) -> bool:
        """Whether a pointer leads to nothing but memory all of which belongs to the state."""
        return self.alias.underlying_objects(pointer) <= self.whole


def find_state(
    module: Module, alias: AliasAnalysis, dominators: DominatorTree, loops: LoopForest, loop: Loop
) -> State | str:
    """The state of a loop, or why it cannot be told or a step must not be run again."""
    reason = _why_once(loop) or _why_undecided(loop)
    if reason:
        return reason
    finder = _Finder(module, alias, dominators, loops, loop)
    for block in loop.order:
        for inst in block.instructions:
            if isinstance(inst, DebugRecord) or (isinstance(inst, CallBase) and is_dropped(inst)):
                continue
            for access in alias.effect(inst).writes:
                if access.kind == "errno":
                    continue
                if access.location is None:
                    return f"a step may write memory that cannot be told ({access.reason})"
                reason = finder.add(inst, access.location.pointer)
                if reason:
                    return reason
    finder.add_reads()
    return finder.state


def is_unneeded(
    module: Module, alias: AliasAnalysis, loop: Loop, base: Value, step: Function, argument: Argument
) -> bool:
    """Whether a piece of the state is scratch: of the function's own, used by the loop alone, and written by each step
    before it reads it."""
    if not isinstance(base, Instruction) or not all(is_scratch(alias, m) for m in alias.underlying_objects(base)):
        return False
    for user in base.users:
        freed = isinstance(user, CallBase) and (is_dropped(user) or _frees(user))
        if user.block not in loop.blocks and not freed and not isinstance(user, DebugRecord):
            return False
    inner = AliasAnalysis(step, module, known_callee, ModuleSummaries(module, known_callee))
    dominators = DominatorTree(ControlFlowGraph(step))
    forest = LoopForest(dominators.cfg, dominators)
    return CoveredReads(inner, dominators, forest, module.datalayout).exposed(argument) is None


def _frees(call: CallBase) -> bool:
    known = known_call(call)
    return known is not None and known.free is not None


def _why_once(loop: Loop) -> str:
    """What speaks against running a step again: effects beside memory, in it and in all that it calls."""
    seen: set[Function] = set()
    work: list[Block] = list(loop.order)
    while work:
        for inst in work.pop().instructions:
            if isinstance(inst, DebugRecord):
                continue
            reason = why_once(inst)
            if isinstance(inst, Store) and isinstance(inst.value.type, (StructType, ArrayType)):
                reason = reason or "it stores a structure"
            if isinstance(inst, Alloca) and inst.block in loop.blocks:
                reason = reason or "it has stack memory of its own in each step"
            if isinstance(inst, Invoke):
                reason = reason or "it has 'invoke' inside"
            if reason:
                return reason
            called = inst.callee if isinstance(inst, CallBase) else None
            if isinstance(called, Function) and not called.is_declaration and called not in seen:
                seen.add(called)
                work += called.blocks
    return ""


def _why_undecided(loop: Loop) -> str:
    """Whether the end of the loop hangs on numbers that may be rounded otherwise when a step is differentiated."""
    if not any(_LOOSE & set(inst.flags) for block in loop.blocks for inst in block.instructions):
        return ""
    work: list[Value] = [block.terminator for block in loop.exiting_blocks if block.terminator is not None]
    seen: set[Value] = set()
    while work:
        value = work.pop()
        if value in seen or not isinstance(value, Instruction) or value.block not in loop.blocks:
            continue
        seen.add(value)
        if any(operand.type.scalar.is_float for operand in value.operands):
            return "when it ends hangs on numbers that the program's flags allow to be rounded either way"
        work += value.operands
    return ""


class _Finder:
    def __init__(
        self, module: Module, alias: AliasAnalysis, dominators: DominatorTree, loops: LoopForest, loop: Loop
    ) -> None:
        self.module, self.alias, self.dominators, self.loop = module, alias, dominators, loop
        self.forms = CoveredReads(alias, dominators, loops, module.datalayout)
        self.loops = loops
        self.state = State(alias)
        assert loop.preheader is not None
        self.before = loop.preheader

    def add(self, inst: Instruction, pointer: Value) -> str:
        """Take what an instruction writes through a pointer into the state, or say why that is not known."""
        objects = self.alias.underlying_objects(pointer)
        for memory in objects:
            if memory.kind == "null" or memory in self.state.whole:
                continue
            if memory.kind in ("argument", "noalias_argument") and len(objects) == 1:
                piece = self._range(inst, pointer, memory.value)
                if isinstance(piece, str):
                    return piece
                self.state.pieces = _merged(self.state.pieces, piece)
                continue
            found = self._whole(memory)
            if isinstance(found, str):
                return found
            self.state.pieces.append(found)
            self.state.whole.add(memory)
        return ""

    def add_reads(self) -> None:
        """Take what is read beside it behind a parameter into the state, where all of that is known: it may be
        overwritten before a step is run again."""
        for argument in dict.fromkeys(piece.base for piece in self.state.pieces if isinstance(piece.base, Argument)):
            pieces = self._with_reads(argument)
            if pieces is not None:
                self.state.pieces = pieces
                self.state.whole |= self.alias.underlying_objects(argument)

    def _with_reads(self, argument: Value) -> list[Piece] | None:
        pieces = self.state.pieces
        for block in self.loop.order:
            for inst in block.instructions:
                if isinstance(inst, DebugRecord) or (isinstance(inst, CallBase) and is_dropped(inst)):
                    continue
                for access in self.alias.effect(inst).reads:
                    if access.location is None:
                        continue  # memory that it may not be told of: see the function's summary
                    pointer = access.location.pointer
                    objects = self.alias.underlying_objects(pointer)
                    if all(memory.value is not argument for memory in objects):
                        continue
                    piece = self._range(inst, pointer, argument) if len(objects) == 1 else ""
                    if isinstance(piece, str):
                        return None
                    pieces = _merged(pieces, piece)
        return pieces

    def _whole(self, memory: MemoryObject) -> Piece | str:
        value = memory.value
        layout = self.module.datalayout
        if isinstance(value, GlobalVariable) and memory.kind == "global":
            size = layout.alloc_size(value.value_type)
            return Piece(value, size) if size else f"the size of the global variable '{value.name}' is not known"
        if isinstance(value, Alloca) and is_static_alloca(value):
            count = value.operands[0]
            assert isinstance(count, ConstantInt)
            return Piece(value, layout.alloc_size(value.allocated_type) * count.value)
        shown = f"'%{value.name}'" if value is not None and value.name else f"memory ({memory.kind})"
        if isinstance(value, CallBase) and memory.kind == "allocation":
            known = known_call(value)
            given = known.allocation if known is not None else None
            if given is None or not given.is_plain:
                return f"the size of {shown}, which it writes, is not known"
            assert value.block is not None
            if not self.dominators.dominates(value.block, self.before):
                return f"{shown}, which it writes, is not always allocated in front of it"
            if self._may_be_freed(memory):
                return f"{shown}, which it writes, may have been freed in front of it"
            size, factors = 1, []
            for position in given.sizes:
                operand = value.args[position]
                if isinstance(operand, ConstantInt):
                    size *= operand.value
                else:
                    factors.append(operand)
            return Piece(value, size, tuple(factors))
        return f"it writes {shown}, whose size is not known"

    def _may_be_freed(self, memory: MemoryObject) -> bool:
        cfg = self.dominators.cfg
        for block in cfg.blocks:
            if block in self.loop.blocks or not (block is self.before or cfg.leads_to(block, self.before)):
                continue
            for inst in block.instructions:
                if isinstance(inst, CallBase) and not is_dropped(inst):
                    for access in self.alias.effect(inst).writes:
                        if access.cause != "free":
                            continue
                        if access.location is None or memory in self.alias.underlying_objects(access.location.pointer):
                            return True
        return False

    def _range(self, inst: Instruction, pointer: Value, argument: Value | None) -> Piece | str:
        """The elements behind a parameter that an instruction writes in every step."""
        assert isinstance(argument, Argument)
        place = f"what parameter '%{argument.name or argument.index + 1}' points to"
        if not isinstance(inst, (Load, Store, CallBase)):
            return f"it writes {place} by '{inst.opcode}'"
        if not isinstance(inst, CallBase):
            moved = inst.value.type if isinstance(inst, Store) else inst.type
            length: Polynomial | None = Polynomial.number(self.module.datalayout.size_of(moved))
        else:
            block_copy = (inst.callee_name or "").startswith(("llvm.memset.", "llvm.memcpy.", "llvm.memmove."))
            length = self.forms.integer(inst.args[2]) if block_copy else None
            if not block_copy:
                return f"it writes {place} in a call, and how much of it is not known"
        first = self.forms.address(pointer, argument)
        if first is None or length is None:
            return f"which elements it writes of {place} is not known"
        guards = self._guards(inst)
        if guards is None:
            return f"not every step is sure to write {place}"
        start, span = first, length
        for variable in first.variables:
            what = variable[0]
            if not isinstance(what, Loop):
                continue
            rounds, stride = self.forms.rounds(what), first.stride(variable)
            if what is self.loop or not self.loop.contains(what) or rounds is None or stride is None:
                return f"which elements it writes of {place} changes from step to step, or is not known"
            last = rounds.minus(Polynomial.number(1))
            start = start.replaced(variable, last if stride < 0 else Polynomial(()))
            span = span.plus(last, abs(stride))
        for form in (start, span):
            if any(not isinstance(what, Value) or not self.loop.is_invariant(what) for what, _ in form.variables):
                return f"which elements it writes of {place} changes from step to step"
        if span.constant is not None:
            return Piece(argument, span.constant, (), start, span if guards else None, guards)
        return Piece(argument, 0, (), start, span, guards)

    def _guards(self, inst: Instruction) -> Guards | None:
        """The conditions, the same in all steps, on which every step executes an instruction, in all rounds of the
        loops around it; None where that is not so."""
        at = inst.block
        assert at is not None
        found: list[tuple[Value, bool]] = []
        inner = self.loops.loop_of(at)
        while inner is not None:
            latch = inner.latch
            if latch is None or (inner is not self.loop and inner.exiting_blocks != [latch]):
                return None
            while not self._is_sure(at, inner):
                asked = self._asked(at, inner)
                if asked is None:
                    return None
                condition, way, at = asked
                found += [(condition, way)] if condition is not None else []
            if inner is self.loop:
                return tuple(dict.fromkeys(found))
            if inner.preheader is None:
                return None
            at, inner = inner.preheader, inner.parent
        return None

    def _is_sure(self, block: Block, loop: Loop) -> bool:
        ends = [*loop.latches, *loop.exiting_blocks]
        return all(self.dominators.dominates(block, end) for end in ends)

    def _asked(self, block: Block, loop: Loop) -> tuple[Value | None, bool, Block] | None:
        """The condition on which the only block in front of a block goes there, and that block."""
        sources = self.dominators.cfg.predecessors(block)
        if len(sources) != 1 or sources[0] not in loop.blocks or block is loop.header:
            return None
        end = sources[0].terminator
        if not isinstance(end, Branch):
            return None
        if not end.is_conditional:
            return None, True, sources[0]
        condition, first, second = end.operands
        if first is second:
            return None
        outside = self.loop.is_invariant(condition)
        plain = isinstance(condition, Compare) and condition.opcode == "icmp"
        if not outside and not (plain and all(map(self.loop.is_invariant, condition.operands))):  # type: ignore[attr-defined]
            return None
        return condition, first is block, sources[0]


def _merged(pieces: list[Piece], piece: Piece) -> list[Piece]:
    """The pieces with one more; two that differ by numbers in where they begin and end become one."""
    for index, each in enumerate(pieces):
        if each.base is not piece.base or each.guards != piece.guards or not isinstance(each.base, Argument):
            continue
        ends = [
            one.start.plus(one.span if one.span is not None else Polynomial.number(one.size)) for one in (each, piece)
        ]
        if each.start.varying == piece.start.varying and ends[0].varying == ends[1].varying:
            start = min(each.start, piece.start, key=lambda form: form.offset)
            span = max(ends, key=lambda form: form.offset).minus(start)
            size = span.constant or 0
            whole = Piece(piece.base, size, (), start, span if span.varying or piece.guards else None, piece.guards)
            return _merged(pieces[:index] + pieces[index + 1 :], whole)
    return [*pieces, piece]
