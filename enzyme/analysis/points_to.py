"""Points-to analysis of one function: which abstract objects a value may point into, and which an object may hold.

Inclusion based (Andersen 1994), insensitive to flow and fields, over the objects of
:mod:`enzyme.analysis.points_to_objects`; calls of defined functions use a summary of the callee, found by fixed point
where the call graph is recursive. Sets are kept as bit masks and only grow.

Soundness: integers carry pointers like pointers do, unless type analysis proves them integers. Memory that two pointer
arguments reach is assumed to be told apart by the caller (a ``dup`` and a ``const`` argument do not overlap); an
argument and a global likewise. Everything else not known is the ``unknown`` object, which holds what escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from enzyme.analysis.activity_callees import OPAQUE, Callees, CallFacts, KnownTable
from enzyme.analysis.activity_memo import RecursiveMemo
from enzyme.analysis.dispatched import CODE
from enzyme.analysis.points_to_objects import (
    CATCH,
    CHARACTERS,
    IN_FLIGHT,
    STREAMS,
    THROW,
    Obj,
    bits_of,
    has_pointer,
    is_code_table,
    is_distance,
    is_kept,
    leads_to_memory,
    may_hold_pointer,
)
from enzyme.analysis.text_pointers import reads_pointer
from enzyme.ir.module import Module
from enzyme.ir.types import IntType
from enzyme.ir.values import (
    Alloca,
    Argument,
    AtomicRMW,
    BinaryOp,
    CallBase,
    Cast,
    CompareExchange,
    Constant,
    ConstantAggregate,
    ConstantExpr,
    ConstantInt,
    Function,
    GetElementPtr,
    GlobalAlias,
    GlobalVariable,
    Instruction,
    Load,
    OpaqueConstant,
    OtherInstruction,
    Phi,
    Return,
    Select,
    Store,
    Value,
)

__all__ = ["OWN", "Obj", "Place", "PointsTo", "PointsToSummaries", "PointsToSummary"]

Place = tuple[str, int | GlobalVariable | Function | None]
"""Where a summary's pointer lives or points, seen from a caller: ("arg", i), ("deref", i), ("global", g),
("global deref", g), ("function", f), ("fresh", None) for memory the call allocates, ("unknown", None)."""

OWN: Place = ("own", None)
"""The callee's own memory, where it matters that a pointer may point there too."""


_NEVER_MAPPED = 1 << 16
"""No hosted system lends addresses below this one: what goes there faults, as it does at null. Optimisers make such
addresses of an element of a container that is empty on a path."""

MASKED_STORES = ("llvm.masked.store", "llvm.masked.scatter", "llvm.masked.compressstore")


class IntegerTypes(Protocol):
    """What is asked of type analysis: False only on proof that the value, or the object behind it, holds no pointer."""

    def value_may_carry_pointer(self, value: Value) -> bool: ...
    def object_may_hold_pointer(self, pointer: Value) -> bool: ...


@dataclass(frozen=True)
class PointsToSummary:
    """What a call may do to pointers: ``holds`` are (holder, held) pairs, ``returns`` what the result may point to.

    ``mixes`` are sets of places that one pointer inside the callee may point to: the callee cannot tell them apart.
    ``OWN`` among them stands for memory of the callee's own.
    ``stray`` is a pointer, used in the callee or in what it calls, that is made of an integer of unknown origin.
    ``distances`` are pairs of sets of places between which the callee keeps the distance in bytes.
    """

    holds: frozenset[tuple[Place, Place]] = frozenset()
    returns: frozenset[Place] = frozenset()
    mixes: frozenset[frozenset[Place]] = frozenset()
    stray: Instruction | None = None
    distances: frozenset[tuple[frozenset[Place], frozenset[Place]]] = frozenset()


class PointsToSummaries:
    """Points-to results of the defined functions of a module, shared between their callers."""

    def __init__(
        self,
        module: Module | None,
        known: KnownTable | None = None,
        types_of: Callable[[Function], IntegerTypes | None] | None = None,
    ) -> None:
        self.callees = Callees(module, known)
        self._types_of = types_of
        self._analyses: dict[Function, PointsTo] = {}
        self._memo: RecursiveMemo[Function, PointsToSummary] = RecursiveMemo(self._compute, lambda _: PointsToSummary())

    def summary(self, function: Function) -> PointsToSummary:
        return self._memo.get(function)

    def of(self, function: Function) -> PointsTo:
        """The analysis of ``function`` itself, made once its callees' summaries are final."""
        self.summary(function)
        return self._analyses[function]

    def _compute(self, function: Function) -> PointsToSummary:
        types = self._types_of(function) if self._types_of is not None else None
        analysis = self._analyses[function] = PointsTo(function, self.callees.module, types, summaries=self)
        return analysis.summarise()


class PointsTo:
    """Points-to sets of the values of ``function``."""

    def __init__(
        self,
        function: Function,
        module: Module | None,
        types: IntegerTypes | None = None,
        known: KnownTable | None = None,
        summaries: PointsToSummaries | None = None,
    ) -> None:
        self.function = function
        self._null_is_valid = module is not None and "null_pointer_is_valid" in module.fn_attributes(function)
        self._types = types
        self._summaries = summaries if summaries is not None else PointsToSummaries(module, known)
        self.callees = self._summaries.callees
        self.objects: list[Obj] = []
        self._index: dict[tuple[str, Value | None], int] = {}
        self._contents: list[int] = []
        self._stored: list[int] = []
        """Of what objects may hold, what is stored there, here or by a call, be it there before or not."""
        self._values: dict[Value, int] = {}
        self._changed = False
        self._orphans: set[Value] = set()  # inttoptr of integers with no known pointer in them
        self.unknown = self.objects[self._object("unknown", None)]
        self._solve()

    # --- questions -------------------------------------------------------------------------------------------------

    def pts(self, value: Value) -> frozenset[Obj]:
        """Objects that ``value`` may point into; empty for null, undef and values that are no pointers."""
        return self._set(self.mask(value))

    def contents(self, obj: Obj) -> frozenset[Obj]:
        """Objects that pointers stored in ``obj`` may point into."""
        return self._set(self._contents[self._index[(obj.kind, obj.value)]])

    def stored_in(self, variable: GlobalVariable) -> frozenset[Obj]:
        """Objects that pointers stored in a global here, or by what is called here, point into."""
        initial = self.mask(variable.initializer) if variable.initializer is not None else 0
        behind = self._index.get(("deref", variable))
        held = self._contents[self._object("global", variable)]
        return self._set(held & ~(initial | (1 << behind if behind is not None else 0)))

    def reach(self, objects: Iterable[Obj]) -> frozenset[Obj]:
        """``objects`` and everything their contents lead to."""
        return self._set(self._closure(sum(1 << self._index[(o.kind, o.value)] for o in set(objects))))

    def find(self, kind: str, value: Value | None) -> Obj | None:
        """The object of this kind that stems from ``value``, when the function has it."""
        index = self._index.get((kind, value))
        return self.objects[index] if index is not None else None

    def place_objects(self, call: CallBase, place: Place) -> frozenset[Obj]:
        """The objects of this function that a place of the callee's summary stands for at ``call``."""
        return self._set(self._translate(call, place))

    def places_of(self, obj: Obj) -> Place | None:
        """How callers see ``obj``; None for memory that dies with the function or that nothing leads out to."""
        match obj.kind:
            case "arg" | "deref" if isinstance(obj.value, Argument):
                return (obj.kind, obj.value.index)
            case "deref" if isinstance(obj.value, GlobalVariable):
                return ("global deref", obj.value)
            case "global" if isinstance(obj.value, GlobalVariable):
                return ("global", obj.value)
            case "function" if isinstance(obj.value, Argument):
                return ("arg", obj.value.index)
            case "function" if isinstance(obj.value, (Function, GlobalVariable)):
                return ("function", obj.value)
            case "unknown":
                return ("unknown", None)
        return ("fresh", None)

    def dump(self) -> str:
        lines = [f"points-to of @{self.function.name}"]
        for value in [*self.function.args, *self.function.instructions()]:
            mask = self.mask(value)
            if mask and value.name:
                lines.append(f"  %{value.name} -> {{{', '.join(o.label for o in self._ordered(mask))}}}")
        for index, obj in enumerate(self.objects):
            if self._contents[index]:
                held = ", ".join(o.label for o in self._ordered(self._contents[index]))
                lines.append(f"  {obj.label} holds {{{held}}}")
        return "\n".join(lines)

    def summarise(self) -> PointsToSummary:
        """What callers need: only objects that live on or that the caller can see take part."""
        returned = 0
        for inst in self.function.instructions():
            if isinstance(inst, Return) and inst.operands:
                returned |= self.mask(inst.operands[0])
        outside = sum(1 << i for i, o in enumerate(self.objects) if not o.is_local and o.kind != "function")
        visible = self._closure(returned | outside)
        holds = set()
        for index in bits_of(visible):
            holder = self.places_of(self.objects[index])
            for held_index in bits_of(self._contents[index]):
                held = self.places_of(self.objects[held_index])
                if holder is None or held is None:
                    continue
                if self._stored[index] >> held_index & 1 or not _known_before(holder, held):
                    holds.add((holder, held))
        returns = {p for o in self._ordered(returned) if (p := self.places_of(o)) is not None}
        return PointsToSummary(frozenset(holds), frozenset(returns), self._mixes(), self._stray(), self._distances())

    def _distances(self) -> frozenset[tuple[frozenset[Place], frozenset[Place]]]:
        found = set()
        for inst in self.function.instructions():
            for left, right in self.distances_at(inst):
                ends = tuple(frozenset(OWN if o.is_local else self.places_of(o) for o in end) for end in (left, right))
                places = [frozenset(place for place in end if place is not None) for end in ends]
                if all(place != OWN for end in places for place in end):
                    found.add((places[0], places[1]))
        return frozenset(found)

    def distances_at(self, inst: Instruction) -> list[tuple[frozenset[Obj], frozenset[Obj]]]:
        """Pairs of what the ends point to of a distance that is kept here, or in what is called here: with other
        objects than one there is no distance between their shadows."""
        if isinstance(inst, BinaryOp):
            if not is_distance(inst) or not is_kept(inst):
                return []
            left, right = (self.pts(op.operands[0]) for op in inst.operands if isinstance(op, Cast))
            return [(left, right)] if left.isdisjoint(right) else []
        facts = self.callees.facts(inst) if isinstance(inst, CallBase) else None
        if facts is None or facts.status != "defined" or facts.callee is None or facts.ignored:
            return []
        assert isinstance(inst, CallBase)
        found = []
        for ends in self._summaries.summary(facts.callee).distances:
            left, right = (frozenset(o for p in end for o in self.place_objects(inst, p)) for end in ends)
            found += [(left, right)] if left.isdisjoint(right) else []
        return found

    def _stray(self) -> Instruction | None:
        for inst in self.function.instructions():
            found = self.stray_at(inst)
            if found is not None:
                return found
        return None

    def stray_at(self, inst: Instruction) -> Instruction | None:
        """The pointer made here, or in what is called here, of an integer that no address can be followed into, or of
        text."""
        if inst in self._orphans:
            return inst if leads_to_memory(inst) else None
        if isinstance(inst, CallBase) and reads_pointer(inst):
            return inst
        facts = self.callees.facts(inst) if isinstance(inst, CallBase) else None
        if facts is None or facts.status != "defined" or facts.callee is None or facts.ignored:
            return None
        return self._summaries.summary(facts.callee).stray

    def _mixes(self) -> frozenset[frozenset[Place]]:
        found = {self._group(self._ordered(mask), False) for mask in set(self._values.values())}
        for inst in self.function.instructions():
            if isinstance(inst, CallBase):
                found |= {self._group(objects, OWN in places) for places, objects in self.mixed_at(inst)}
        return frozenset(group for group in found if len(group) > 1)

    def _group(self, objects: Iterable[Obj], own: bool) -> frozenset[Place]:
        """What one pointer may point to, as callers see it; code does not count."""
        data = [o for o in objects if o.kind != "function"]
        places = {p for o in data if not o.is_local and (p := self.places_of(o)) is not None}
        return frozenset(places | {OWN}) if own or any(o.is_local for o in data) else frozenset(places)

    def mixed_at(self, call: CallBase) -> list[tuple[frozenset[Place], frozenset[Obj]]]:
        """Sets of places that the callee of ``call`` reaches through one pointer without telling them apart, and the
        objects of this function that they are."""
        facts = self.callees.facts(call)
        if facts.status != "defined" or facts.callee is None:
            return []
        groups = []
        for places in self._summaries.summary(facts.callee).mixes:
            mask = 0
            for place in places:
                mask |= self._translate(call, place)
            groups.append((places, self._set(mask)))
        return groups

    # --- bit sets --------------------------------------------------------------------------------------------------

    def _set(self, mask: int) -> frozenset[Obj]:
        return frozenset(self.objects[i] for i in bits_of(mask))

    def _ordered(self, mask: int) -> list[Obj]:
        return [self.objects[i] for i in bits_of(mask)]

    def _object(self, kind: str, value: Value | None) -> int:
        key = (kind, value)
        index = self._index.get(key)
        if index is None:
            index = self._index[key] = len(self.objects)
            self.objects.append(Obj(kind, value))  # type: ignore[arg-type]
            self._contents.append(0)
            self._stored.append(0)
            self._contents[index] = self._initial_contents(kind, value, index)
        return index

    def _initial_contents(self, kind: str, value: Value | None, index: int) -> int:
        if kind == "unknown":
            return 1 << index
        if kind == "deref":
            return 1 << index
        if kind == "arg":
            assert value is not None
            flat = value.type.is_pointer and self._types is not None and not self._types.object_may_hold_pointer(value)
            return 0 if flat else 1 << self._object("deref", value)
        if kind == "global" and isinstance(value, GlobalVariable):
            if value.initializer is None and value.name in STREAMS:
                return 0
            held = self.mask(value.initializer) if value.initializer is not None else 0
            filled_elsewhere = not value.is_constant and may_hold_pointer(value.value_type)
            if value.initializer is None or filled_elsewhere:
                held |= 1 << self._object("deref", value)
            return held
        if kind == "function" and isinstance(value, GlobalVariable):
            held = self.mask(value.initializer) if value.initializer is not None else 0
            return held & ~self._unknown_bit  # the offsets in a virtual table are no addresses
        return 0

    def _closure(self, mask: int) -> int:
        seen, work = 0, mask
        while work:
            low = work & -work
            work ^= low
            seen |= low
            work |= self._contents[low.bit_length() - 1] & ~seen
        return seen

    def mask(self, value: Value) -> int:
        found = self._values.get(value)
        if found is not None:
            return found
        if isinstance(value, Constant):
            return self._constant_mask(value)
        return 0

    def _constant_mask(self, value: Constant) -> int:
        if isinstance(value, GlobalVariable):
            return 1 << self._object("function" if is_code_table(value) else "global", value)
        if isinstance(value, Function):
            return 1 << self._object("function", value)
        if isinstance(value, GlobalAlias):
            return self.mask(value.aliasee) if value.aliasee is not None else self._unknown_bit
        if isinstance(value, ConstantExpr) and value.opcode == "inttoptr" and isinstance(value.args[0], ConstantInt):
            address = value.args[0].value
            fault = 0 <= address < _NEVER_MAPPED and not (address and self._null_is_valid)
            return 0 if fault else self._unknown_bit
        if isinstance(value, ConstantExpr):
            operands = value.args[:1] if value.opcode == "getelementptr" else value.args
            return self._union(operands)
        if isinstance(value, ConstantAggregate):
            return self._union(value.elements)
        return self._unknown_bit if isinstance(value, OpaqueConstant) else 0

    @property
    def _unknown_bit(self) -> int:
        return 1 << self._index[("unknown", None)]

    def _union(self, values: Iterable[Value]) -> int:
        mask = 0
        for value in values:
            mask |= self.mask(value)
        return mask

    def _grow(self, value: Value, mask: int) -> None:
        old = self._values.get(value, 0)
        if mask & ~old:
            self._values[value] = old | mask
            self._changed = True

    def _fill(self, holders: int, held: int) -> None:
        """Every object of ``holders`` may hold pointers to ``held``."""
        for index in bits_of(holders):
            self._stored[index] |= held
            if held & ~self._contents[index]:
                self._contents[index] |= held
                self._changed = True

    def _held(self, holders: int) -> int:
        mask = 0
        for index in bits_of(holders):
            mask |= self._contents[index]
        return mask

    # --- constraints -----------------------------------------------------------------------------------------------

    def _solve(self) -> None:
        for argument in self.function.args:
            if has_pointer(argument.type):
                kind = "function" if CODE in argument.attrs else "arg"
                self._values[argument] = 1 << self._object(kind, argument)
        for inst in self.function.instructions():  # what unknown code may touch includes every global mentioned here
            self._union(operand for operand in inst.operands if isinstance(operand, Constant))
        relevant = [i for i in self.function.instructions() if self._is_relevant(i)]
        while True:
            self._changed = True
            while self._changed:
                self._changed = False
                for inst in relevant:
                    self._visit(inst)
            orphans = {i for i in relevant if i.opcode == "inttoptr" and i not in self._orphans and not self.mask(i)}
            orphans = {i for i in orphans if not isinstance(i.operands[0], ConstantInt)}
            if not orphans:
                return
            self._orphans |= orphans

    @staticmethod
    def _is_relevant(inst: Instruction) -> bool:
        if isinstance(inst, (Store, CallBase, AtomicRMW, CompareExchange)):
            return True
        return may_hold_pointer(inst.type) and inst.opcode not in ("icmp", "fcmp", "fptosi", "fptoui")

    def _carries(self, value: Value) -> bool:
        """Whether the bits of ``value`` may be a pointer's."""
        if not may_hold_pointer(value.type):
            return False
        if has_pointer(value.type) or self._types is None:
            return True
        return self._types.value_may_carry_pointer(value)

    def _visit(self, inst: Instruction) -> None:
        match inst:
            case Alloca():
                self._grow(inst, 1 << self._object("alloca", inst))
            case GetElementPtr():
                self._grow(inst, self.mask(inst.operands[0]))
            case Load():
                if self._carries(inst):
                    self._grow(inst, self._held(self.mask(inst.pointer)))
            case Store():
                if self._carries(inst.value):
                    self._fill(self.mask(inst.pointer), self.mask(inst.value))
            case Phi():
                self._grow(inst, self._union(value for value, _ in inst.incoming))
            case Select():
                self._grow(inst, self._union(inst.operands[1:]))
            case AtomicRMW():
                pointers = self.mask(inst.operands[0])
                self._fill(pointers, self.mask(inst.operands[1]))
                self._grow(inst, self._held(pointers))
            case CompareExchange():
                pointers = self.mask(inst.operands[0])
                self._fill(pointers, self.mask(inst.operands[2]))
                self._grow(inst, self._held(pointers))
            case CallBase():
                self._call(inst)
            case BinaryOp():
                if isinstance(inst.type.scalar, IntType) and self._carries(inst) and not is_distance(inst):
                    self._grow(inst, self._union(inst.operands))
            case Cast():
                mask = self.mask(inst.operands[0]) if self._carries(inst) else 0
                self._grow(inst, mask | (self._unknown_bit if inst in self._orphans else 0))
            case OtherInstruction():
                self._grow(inst, self._union(inst.operands) | self._unknown_bit)
            case _:  # freeze, extract and insert, shuffles
                if self._carries(inst):
                    self._grow(inst, self._union(inst.operands))

    # --- calls -----------------------------------------------------------------------------------------------------

    def _call(self, call: CallBase) -> None:
        facts = self.callees.facts(call)
        if facts.status == "defined" and facts.callee is not None:
            self._defined_call(call, self._summaries.summary(facts.callee))
            return
        if call.callee_name == THROW:
            self._fill(1 << self._object("global", IN_FLIGHT), self._held(self.mask(call.args[0])))
            return
        if call.callee_name in CATCH:
            self._grow(call, 1 << self._object("global", IN_FLIGHT))
            return
        if facts.text:
            if has_pointer(call.type):
                self._grow(call, 1 << self._object("global", CHARACTERS))
            return
        if facts.own:
            if has_pointer(call.type):
                self._grow(call, self.mask(call.args[0]))
            return
        result = 0
        if facts.transfer is not None:
            self._transfer(call, facts)
        if facts.fresh or facts.fresh_stored_in is not None:
            fresh = 1 << self._object("heap", call)
            if facts.fresh_stored_in is not None:
                self._fill(self.mask(call.args[facts.fresh_stored_in]), fresh)
            else:
                result |= fresh
            if facts.reallocates is not None:
                old = self.mask(call.args[facts.reallocates])
                self._fill(fresh, self._held(old))
                result |= old
            if facts.status == "unknown" and (facts.reads_other or facts.writes_other):
                self._fill(fresh, self._unknown_bit)
            elif facts.status == "unknown":  # it can have put there only what it finds behind its arguments
                self._fill(fresh, fresh | self._held(self._closure(self._union(call.args))))
        if facts.returns_argument is not None:
            result |= self.mask(call.args[facts.returns_argument])
        elif facts.transfer is not None:
            result |= self.mask(call.args[facts.transfer.destination])
        elif not facts.fresh and has_pointer(call.type):
            result |= self._returned_pointer(call, facts)
        if facts.callee is not None and (facts.callee.name or "").startswith(MASKED_STORES):
            self._fill(self.mask(call.args[1]), self.mask(call.args[0]))
        stores_none = facts.callee is not None and (facts.callee.name or "").startswith(OPAQUE)
        if not stores_none and (facts.status == "unknown" or facts.captures or facts.writes_other):
            self._escape(call, facts)
        if may_hold_pointer(call.type):
            if not has_pointer(call.type) and facts.status == "known":
                return
            self._grow(call, result)

    def _transfer(self, call: CallBase, facts: CallFacts) -> None:
        transfer = facts.transfer
        assert transfer is not None
        if transfer.source is not None and self._may_hold_pointer(call.args[transfer.source]):
            held = self._held(self.mask(call.args[transfer.source]))
            self._fill(self.mask(call.args[transfer.destination]), held)

    def _may_hold_pointer(self, pointer: Value) -> bool:
        """Whether the memory behind a pointer may hold another one."""
        return self._types is None or self._types.object_may_hold_pointer(pointer)

    def _returned_pointer(self, call: CallBase, facts: CallFacts) -> int:
        """What a pointer returned by a function without a definition may point to."""
        reach = self._closure(self._union(call.args))
        if facts.reads_other or facts.writes_other or facts.status == "unknown":
            reach |= self._closure(self._unknown_bit)
        return reach

    def _escape(self, call: CallBase, facts: CallFacts) -> None:
        """A call of a function without a definition may store what it is given in what it can write."""
        given = [a for i, a in enumerate(call.args) if i in facts.captures or not has_pointer(a.type)]
        captured = self._closure(self._union(given))
        written = self._closure(self._union(call.args[i] for i in facts.writes))
        if not facts.writes and not facts.writes_other:
            return
        # A pointer that is not captured is stored nowhere, but what its memory holds may be.
        sources = captured | self._closure(self._held(self._union(call.args)))
        if facts.reads_other or facts.writes_other:
            sources |= self._unknown_bit
        if facts.status == "unknown":
            self._fill(written, sources)
        if facts.writes_other:
            self._fill(self._unknown_bit | self._globals_mask(), captured)

    def _globals_mask(self) -> int:
        mask = 0
        for index, obj in enumerate(self.objects):
            if obj.kind == "global" and isinstance(obj.value, GlobalVariable) and not obj.value.is_constant:
                mask |= 1 << index
        return mask

    def _defined_call(self, call: CallBase, summary: PointsToSummary) -> None:
        for holder, held in summary.holds:
            self._fill(self._translate(call, holder), self._translate(call, held))
        if may_hold_pointer(call.type):
            mask = 0
            for place in summary.returns:
                mask |= self._translate(call, place)
            self._grow(call, mask)

    def _translate(self, call: CallBase, place: Place) -> int:
        kind, what = place
        if kind in ("arg", "deref") and isinstance(what, int):
            if what >= len(call.args):
                return self._unknown_bit
            pointers = self.mask(call.args[what])
            return pointers if kind == "arg" else self._closure(self._held(pointers))
        if kind == "fresh":
            return 1 << self._object("heap", call)
        if kind == "unknown":
            return self._closure(self._unknown_bit)
        if place == OWN:
            return 0
        if kind == "global deref" and isinstance(what, GlobalVariable):  # what this function stored there, too
            holder = 1 << self._object("global", what)
            return self._closure(self._held(holder) | 1 << self._object("deref", what))
        assert isinstance(what, (GlobalVariable, Function))
        return 1 << self._object(kind, what)


def _known_before(holder: Place, held: Place) -> bool:
    """Facts that hold for any caller without the call, if the callee stores nothing of the kind: what it reaches
    through pointers it is given are several objects, and it may have put a pointer from one of them into another."""
    if holder[0] in ("arg", "deref") and held == ("deref", holder[1]):
        return True
    return holder == held and holder[0] in ("unknown", "global deref")
