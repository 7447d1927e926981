"""What instructions read and write: accesses of each instruction, and summaries of defined functions.

An :class:`Access` is one of

    location   the bytes of a :class:`MemoryLocation`
    escaped    any memory that code outside the function can reach: not constant, not an uncaptured local object
    errno      the C library's errno
    stack      dynamic stack storage (``llvm.stackrestore`` gives it back)

Facts about a call are intersected: ``memory(...)`` attributes, parameter attributes, the injected table of known
callees, and the summary of a defined callee. Summaries are the least fixed point over the call graph (the lattice is a
record of growing sets); a function that may be replaced at link time has none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from enzyme.analysis.memory_objects import (
    KnownEffect,
    MemoryObject,
    argument_attributes,
    is_constant_size,
)
from enzyme.analysis.pointer_alias import (
    KnownTable,
    MemoryLocation,
    PointerAnalysis,
    is_exact_definition,
    no_known_callee,
)
from enzyme.analysis.solver import solve
from enzyme.analysis.tbaa import ScopeTree, TypeTree
from enzyme.ir.barriers import is_barrier
from enzyme.ir.types import METADATA, ArrayType, FloatType, IntType, PointerType, StructType, Type
from enzyme.ir.values import (
    Argument,
    AtomicRMW,
    CallBase,
    CompareExchange,
    Fence,
    Function,
    GlobalVariable,
    Instruction,
    Load,
    OtherInstruction,
    Store,
)
from enzyme.support.graphs import successors_first

if TYPE_CHECKING:
    from enzyme.ir.module import Module

READ, WRITE = 1, 2


@dataclass(frozen=True)
class Access:
    """One way in which an instruction touches memory; ``cause`` marks a release (``free``) or a lifetime marker."""

    kind: str
    location: MemoryLocation | None
    reason: str
    cause: str = ""


@dataclass(frozen=True)
class Effect:
    """All accesses of an instruction."""

    reads: tuple[Access, ...] = ()
    writes: tuple[Access, ...] = ()


NOTHING = Effect()


@dataclass(frozen=True)
class FunctionSummary:
    """What a call of a function does to memory that exists before the call. Numbers are argument positions.

    ``*_args``: any byte of what the argument points into; ``*_other``: any other reachable memory; ``captures``: kept
    after the call; ``returns``: the result may point into it.
    """

    reads_args: frozenset[int] = frozenset()
    writes_args: frozenset[int] = frozenset()
    frees_args: frozenset[int] = frozenset()
    reads_globals: frozenset[GlobalVariable] = frozenset()
    writes_globals: frozenset[GlobalVariable] = frozenset()
    reads_other: bool = False
    writes_other: bool = False
    frees_other: bool = False
    errno: bool = False
    captures: frozenset[int] = frozenset()
    returns: frozenset[int] = frozenset()


SummaryOf = Callable[[Function], FunctionSummary | None]


def memory_attribute(words: frozenset[str]) -> tuple[int, int, int]:
    """(argument memory, other memory, errno) as READ/WRITE bits allowed by all ``memory(...)`` attributes."""
    result = [READ | WRITE] * 3
    for word in words:
        if not word.startswith("memory("):
            continue
        default = 0
        given: dict[str, int] = {}
        for part in word[len("memory(") : -1].split(","):
            place, _, what = part.strip().rpartition(":")
            bits = {"none": 0, "read": READ, "write": WRITE, "readwrite": READ | WRITE}.get(what.strip(), READ | WRITE)
            if place:
                given[place.strip()] = bits
            else:
                default = bits
        for i, place in enumerate(("argmem", "other", "errnomem")):
            result[i] &= given.get(place, default)
    return result[0], result[1], result[2]


_LIFETIME = ("llvm.lifetime.start", "llvm.lifetime.end")
_SILENT = (
    "llvm.assume", "llvm.dbg.", "llvm.experimental.noalias.scope.decl", "llvm.donothing", "llvm.sideeffect",
    "llvm.pseudoprobe", "llvm.invariant.", "llvm.stacksave", "llvm.prefetch", "llvm.var.annotation", "llvm.fake.use",
)  # fmt: skip
_TRANSFERS = ("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")


class EffectReader:
    """Accesses of the instructions of one function, remembered per instruction."""

    def __init__(self, pointers: PointerAnalysis, summary_of: SummaryOf) -> None:
        self.pointers = pointers
        self._summary_of = summary_of
        self._cache: dict[Instruction, Effect] = {}

    def effect(self, inst: Instruction) -> Effect:
        found = self._cache.get(inst)
        if found is None:
            found = self._cache[inst] = self._read(inst)
        return found

    def _read(self, inst: Instruction) -> Effect:
        if isinstance(inst, Load):
            own = (Access("location", self.pointers.location(inst), "load"),)
            return _with_order(Effect(reads=own), inst.ordering, inst)
        if isinstance(inst, Store):
            own = (Access("location", self.pointers.location(inst), "store"),)
            return _with_order(Effect(writes=own), inst.ordering, inst)
        if isinstance(inst, (AtomicRMW, CompareExchange)):
            kind = inst.operands[1].type
            place = MemoryLocation(inst.operands[0], self.pointers.size_of(kind), inst.metadata.get("tbaa"), inst)
            own = (Access("location", place, "atomic update"),)
            return _with_order(Effect(own, own), inst.tail, inst)
        if isinstance(inst, Fence):
            outside = (Access("escaped", None, "fence"),)
            return Effect(outside, outside)
        if isinstance(inst, CallBase):
            return self._call(inst)
        if isinstance(inst, OtherInstruction) and inst.opcode not in ("landingpad", "resume", "indirectbr"):
            outside = (Access("escaped", None, inst.opcode),)
            touched = tuple(
                Access("location", MemoryLocation(v, None, None, inst, whole=True), inst.opcode)
                for v in inst.operands
                if isinstance(v.type, PointerType)
            )
            return Effect(outside + touched, outside + touched)
        return NOTHING

    # --- calls

    def _call(self, call: CallBase) -> Effect:
        name = call.callee_name or ""
        if name.startswith("llvm."):
            special = self._intrinsic(call, name)
            if special is not None:
                return special
        pointers = self.pointers
        attributes = pointers.module.fn_attributes(call)
        arg_bits, other_bits, errno_bits = memory_attribute(attributes)
        if call.bundles and name != "llvm.assume":
            arg_bits = other_bits = READ | WRITE  # bundles may read and write whatever they name
        known = pointers.known_of(call)
        reads: list[Access] = []
        writes: list[Access] = []
        table: KnownEffect | None = known.effect if known is not None and not known.effect.unknown else None
        callee = call.callee
        summary = self._summary_of(callee) if isinstance(callee, Function) else None
        label = f"call of {name}" if name else "indirect call"
        if table is not None:
            other_bits = 0
            errno_bits &= (READ | WRITE) if table.errno else 0
        if summary is not None:
            other_bits &= (READ * summary.reads_other) | (WRITE * (summary.writes_other or summary.frees_other))
            errno_bits &= (READ | WRITE) if summary.errno else 0
        freed = known.free if known is not None else None
        for index, arg in enumerate(call.args):
            if not may_hold_pointer(arg.type):
                continue
            bits = arg_bits & _parameter_bits(argument_attributes(call, index))
            free_only = False
            if table is not None:
                bits &= _table_bits(table, index, len(call.callee_type.params))
                free_only = index == freed
            if summary is not None:
                summarised = (READ * (index in summary.reads_args)) | (WRITE * (index in summary.writes_args))
                if index in summary.frees_args and not summarised & WRITE:
                    summarised |= WRITE
                    free_only = True
                bits &= summarised
            place = self._argument_location(call, index, known)
            if bits & READ:
                reads.append(Access("location", place, label))
            if bits & WRITE:
                writes.append(Access("location", place, label, "free" if free_only else ""))
        if other_bits & READ:
            reads.append(Access("escaped", None, label))
        if other_bits & WRITE:
            only_frees = summary is not None and not summary.writes_other
            writes.append(Access("escaped", None, label, "free" if only_frees else ""))
        if errno_bits & WRITE and not other_bits & WRITE:
            writes.append(Access("errno", None, f"{label} may set errno"))
        if summary is not None:
            for held, into, bit in ((summary.reads_globals, reads, READ), (summary.writes_globals, writes, WRITE)):
                if memory_attribute(attributes)[1] & bit:
                    into.extend(
                        Access("location", MemoryLocation(g, None, None, call, whole=True), label) for g in held
                    )
        return Effect(tuple(reads), tuple(writes))

    def _argument_location(self, call: CallBase, index: int, known: object) -> MemoryLocation:
        """What a callee may touch through an argument: the bytes of a block transfer, else the whole object."""
        pointer = call.args[index]
        transfer = getattr(known, "transfer", None)
        if transfer is not None and index in (transfer.destination, transfer.source):
            return MemoryLocation(pointer, is_constant_size(call.args[transfer.length]), None, call)
        return MemoryLocation(pointer, None, None, call, whole=True)

    def _intrinsic(self, call: CallBase, name: str) -> Effect | None:
        """Intrinsics that are read more exactly than by their attributes; None for the others."""
        if name.startswith(_SILENT):
            return NOTHING
        if is_barrier(call):
            others = (Access("threads", None, "what other threads did before the barrier"),)
            return Effect(others, others)
        if name.startswith(_LIFETIME):
            place = MemoryLocation(call.args[-1], None, None, call, whole=True)
            return Effect(writes=(Access("location", place, "lifetime marker", "lifetime"),))
        if name.startswith("llvm.stackrestore"):
            return Effect(writes=(Access("stack", None, "stackrestore"),))
        tag = call.metadata.get("tbaa")
        if name.startswith(_TRANSFERS):
            size = is_constant_size(call.args[2])
            target = Access("location", MemoryLocation(call.args[0], size, tag, call), name.split(".")[1])
            if name.startswith("llvm.memset."):
                return Effect(writes=(target,))
            source = Access("location", MemoryLocation(call.args[1], size, tag, call), name.split(".")[1])
            return Effect((source,), (target,))
        if name.startswith("llvm.masked.load."):
            size = self.pointers.size_of(call.type)
            return Effect(reads=(Access("location", MemoryLocation(call.args[0], size, tag, call), "masked load"),))
        if name.startswith("llvm.masked.store."):
            size = self.pointers.size_of(call.args[0].type)
            return Effect(writes=(Access("location", MemoryLocation(call.args[1], size, tag, call), "masked store"),))
        return None


def _with_order(effect: Effect, ordering: str, inst: Instruction) -> Effect:
    """Synchronising atomics let other threads' writes through."""
    if not any(word in ordering for word in ("acquire", "release", "acq_rel", "seq_cst")):
        return effect
    outside = (Access("escaped", None, f"atomic {inst.opcode}"),)
    return Effect(effect.reads + outside, effect.writes + outside)


def may_hold_pointer(type: Type) -> bool:
    """Whether a value of this type has pointers in it."""
    if isinstance(type, ArrayType):
        return may_hold_pointer(type.element)
    if isinstance(type, StructType):
        return type.elements is None or any(map(may_hold_pointer, type.elements))
    return not isinstance(type.scalar, (IntType, FloatType)) and type is not METADATA


def _parameter_bits(attributes: tuple[str, ...]) -> int:
    bits = READ | WRITE
    for word in attributes:
        if word == "readonly" or word.startswith("byval"):
            bits &= READ
        elif word == "writeonly":
            bits &= WRITE
        elif word == "readnone":
            bits = 0
    return bits


def _table_bits(table: KnownEffect, index: int, fixed: int) -> int:
    if index >= fixed:
        return (READ * ("r" in table.variadic)) | (WRITE * ("w" in table.variadic))
    return (READ * (index in table.reads)) | (WRITE * (index in table.writes))


# --- summaries -------------------------------------------------------------------------------------------------------


@dataclass
class _Growing:
    sets: dict[str, set[int]] = field(default_factory=dict)
    globals: dict[str, set[GlobalVariable]] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)


class ModuleSummaries:
    """Mod/ref and capture summaries of a module's functions, made on demand, bottom up over the call graph."""

    LIMIT = 1000

    def __init__(self, module: Module, known: KnownTable = no_known_callee) -> None:
        self.module, self.known = module, known
        self.trees = TypeTree(module.metadata_text), ScopeTree(module.metadata_text)
        self._done: dict[Function, FunctionSummary | None] = {}

    def summary(self, function: Function) -> FunctionSummary | None:
        """The function's summary; None for declarations and replaceable definitions."""
        if function not in self._done:
            self._compute(function)
        return self._done[function]

    def _compute(self, root: Function) -> None:
        if not is_exact_definition(root):
            self._done[root] = None
            return
        callees: dict[Function, list[Function]] = {}
        work = [root]
        while work:
            function = work.pop()
            if function in callees:
                continue
            called = {inst.callee for inst in function.instructions() if isinstance(inst, CallBase)}
            callees[function] = [c for c in called if isinstance(c, Function) and self._is_open(c)]
            work.extend(callees[function])
            if len(callees) > self.LIMIT:
                self._done[root] = None
                return
        callers: dict[Function, list[Function]] = {f: [] for f in callees}
        for function, called_functions in callees.items():
            for callee in called_functions:
                callers[callee].append(function)
        state = solve(successors_first(callees), lambda f: FunctionSummary(), self._transfer, lambda f: callers[f])
        self._done.update(state)

    def _is_open(self, function: Function) -> bool:
        return is_exact_definition(function) and function not in self._done

    def _transfer(self, function: Function, state: Mapping[Function, FunctionSummary]) -> FunctionSummary:
        def summary_of(callee: Function) -> FunctionSummary | None:
            return state[callee] if callee in state else self._done.get(callee)

        pointers = PointerAnalysis(
            function, self.module, self.known, parameter_captures_from(summary_of), trees=self.trees
        )
        reader = EffectReader(pointers, summary_of)
        grown = _Growing()
        for block in pointers.cfg.blocks:
            for inst in block.instructions:
                effect = reader.effect(inst)
                for access in effect.reads:
                    _absorb(grown, pointers, access, "reads")
                for access in effect.writes:
                    if access.cause != "lifetime":
                        _absorb(grown, pointers, access, "frees" if access.cause == "free" else "writes")
        self._absorb_captures(grown, pointers, function)
        return _freeze(grown)

    def _absorb_captures(self, grown: _Growing, pointers: PointerAnalysis, function: Function) -> None:
        for arg in function.args:
            if not isinstance(arg.type, PointerType):
                continue
            found = pointers.value_captures(arg)
            if found.captured:
                grown.sets.setdefault("captures", set()).add(arg.index)
            if found.returned:
                grown.sets.setdefault("returns", set()).add(arg.index)


def _absorb(grown: _Growing, pointers: PointerAnalysis, access: Access, verb: str) -> None:
    """Say an access in terms of the caller's memory; storage made by the function itself is nobody else's."""
    if access.kind == "errno":
        grown.flags.add("errno")
    elif access.kind in ("escaped", "threads"):
        grown.flags.add(f"{verb}_other")
    elif access.kind == "location":
        assert access.location is not None
        for obj in pointers.underlying_objects(access.location.pointer):
            _absorb_object(grown, obj, verb)


def _absorb_object(grown: _Growing, obj: MemoryObject, verb: str) -> None:
    if obj.kind in ("alloca", "allocation", "null"):
        return
    if isinstance(obj.value, Argument):
        grown.sets.setdefault(f"{verb}_args", set()).add(obj.value.index)
    elif isinstance(obj.value, GlobalVariable) and verb != "frees":
        grown.globals.setdefault(verb, set()).add(obj.value)
    elif not isinstance(obj.value, Function):
        grown.flags.add(f"{verb}_other")


def _freeze(grown: _Growing) -> FunctionSummary:
    sets = {name: frozenset(found) for name, found in grown.sets.items()}
    captures = sets.get("captures", frozenset())
    other_read, other_write = "reads_other" in grown.flags, "writes_other" in grown.flags
    # an argument that was stored somewhere may be what a loaded pointer leads to
    return FunctionSummary(
        reads_args=sets.get("reads_args", frozenset()) | (captures if other_read else frozenset()),
        writes_args=sets.get("writes_args", frozenset()) | (captures if other_write else frozenset()),
        frees_args=sets.get("frees_args", frozenset()) | (captures if "frees_other" in grown.flags else frozenset()),
        reads_globals=frozenset(grown.globals.get("reads", ())),
        writes_globals=frozenset(grown.globals.get("writes", ())),
        reads_other=other_read,
        writes_other=other_write,
        frees_other="frees_other" in grown.flags,
        errno="errno" in grown.flags,
        captures=captures,
        returns=sets.get("returns", frozenset()),
    )


def dump(function: Function, known: KnownTable = no_known_callee) -> str:
    """Accesses of every instruction, and the function's summary, as text."""
    from enzyme.ir.printer import print_instruction

    assert function.module is not None
    summaries = ModuleSummaries(function.module, known)
    pointers = PointerAnalysis(
        function, function.module, known, parameter_captures_from(summaries.summary), trees=summaries.trees
    )
    reader = EffectReader(pointers, summaries.summary)
    lines = [f"mod/ref of {function.name}"]
    for inst in function.instructions():
        effect = reader.effect(inst)
        for verb, accesses in (("reads", effect.reads), ("writes", effect.writes)):
            for access in accesses:
                where = access.kind
                if access.location is not None:
                    objects = pointers.underlying_objects(access.location.pointer)
                    size = "any bytes" if access.location.size is None else f"{access.location.size} bytes"
                    where = f"{size} of {{{', '.join(sorted(map(str, objects)))}}}"
                mark = f" [{access.cause}]" if access.cause else ""
                lines.append(f"  {print_instruction(inst).strip()}  ; {verb} {where}{mark}")
    found = summaries.summary(function)
    if found is None:
        lines.append("  no summary: not an exact definition")
        return "\n".join(lines)
    for name in ("reads_args", "writes_args", "frees_args", "captures", "returns"):
        positions = sorted(getattr(found, name))
        if positions:
            lines.append(f"  {name}: {positions}")
    for name in ("reads_globals", "writes_globals"):
        names = sorted(str(g.name) for g in getattr(found, name))
        if names:
            lines.append(f"  {name}: {names}")
    flags = [n for n in ("reads_other", "writes_other", "frees_other", "errno") if getattr(found, n)]
    lines.append(f"  other: {', '.join(flags) or 'nothing'}")
    return "\n".join(lines)


def parameter_captures_from(summary_of: SummaryOf) -> Callable[[CallBase, int], str | None]:
    """Capture facts of calls of defined functions, from their summaries."""

    def answer(call: CallBase, index: int) -> str | None:
        callee = call.callee
        if not isinstance(callee, Function) or index >= len(callee.args):
            return None
        summary = summary_of(callee)
        if summary is None or index in summary.captures:
            return None
        return "return" if index in summary.returns else "none"

    return answer
