"""Alias and mod/ref analysis of one function: the questions that the gradient asks, in one place.

Soundness: every answer "no" holds for all executions that have no undefined behaviour; what is not understood is "may".
The parts are :mod:`memory_objects` (what a pointer points into, capture), :mod:`pointer_alias` (may two
locations overlap), :mod:`addresses` (offsets), :mod:`tbaa` (metadata), :mod:`modref` (what instructions and functions
touch) and :mod:`overwrites` (what may change a location later). Two things are left to the caller, because they are the
engine's to arrange: memory is freed only after the last use (``count_free=False``), and lifetime markers that run once
are dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from enzyme.analysis.memory_objects import Captures, MemoryObject
from enzyme.analysis.modref import (
    Access,
    Effect,
    EffectReader,
    FunctionSummary,
    ModuleSummaries,
    parameter_captures_from,
)
from enzyme.analysis.overwrites import OverwriteFinder, OverwriteProof, Write
from enzyme.analysis.pointer_alias import (
    AliasResult,
    KnownTable,
    MemoryLocation,
    PointerAnalysis,
    no_known_callee,
)
from enzyme.ir.values import Function, Instruction, Load, Store, Value

if TYPE_CHECKING:
    from enzyme.ir.module import Module

__all__ = [
    "Access", "AliasAnalysis", "AliasResult", "Captures", "Effect", "FunctionSummary", "MemoryLocation", "MemoryObject",
    "ModRef", "ModuleSummaries", "OverwriteProof", "Write", "dump",
]  # fmt: skip


class ModRef(NamedTuple):
    """Whether an instruction may write and may read a location."""

    may_write: bool
    may_read: bool
    reason: str


class AliasAnalysis:
    """A snapshot of one function: it holds until the function (or a function it calls) is changed.

    ``known`` answers ``(name, function type)`` for functions that the module does not define, e.g.
    :func:`enzyme.rules.known.known_callee`. Pass one ``summaries`` object for all functions of a module to share
    what is learnt of callees. ``dependences``: whether loops' bounds are asked what is overwritten (dependences.py).
    """

    def __init__(
        self,
        function: Function,
        module: Module,
        known: KnownTable = no_known_callee,
        summaries: ModuleSummaries | None = None,
        dependences: bool = False,
    ) -> None:
        self.function, self.module, self._asks_loops = function, module, dependences
        self.summaries = summaries or ModuleSummaries(module, known)
        self.pointers = PointerAnalysis(
            function, module, known, parameter_captures_from(self.summaries.summary), trees=self.summaries.trees
        )
        self.effects = EffectReader(self.pointers, self.summaries.summary)
        self._overwrites: OverwriteFinder | None = None

    @property
    def overwrites(self) -> OverwriteFinder:
        if self._overwrites is None:
            self._overwrites = OverwriteFinder(self.pointers, self.effects, self._asks_loops)
        return self._overwrites

    # --- pointers

    def underlying_objects(self, pointer: Value) -> frozenset[MemoryObject]:
        """The objects that ``pointer`` may point into; ``unknown`` among them stands for any object."""
        return self.pointers.underlying_objects(pointer)

    def points_into(self, pointer: Value, argument: Value) -> bool:
        """Whether a pointer may point into what a parameter points to."""
        return any(each.value is argument or each.kind == "unknown" for each in self.underlying_objects(pointer))

    def escapes(self, obj: MemoryObject) -> bool:
        """Whether a pointer that is not derived from the object in this function may reach it while it runs."""
        return self.pointers.escapes(obj)

    def captures(self, obj: MemoryObject) -> Captures:
        """Where the address of a local object (alloca, allocation, noalias argument) is given away, and why."""
        return self.pointers.captures(obj)

    def location(self, instruction: Instruction) -> MemoryLocation:
        """The location of a load or store."""
        return self.pointers.location(instruction)

    def alias(self, a: MemoryLocation, b: MemoryLocation, same_iteration: bool = True) -> AliasResult:
        """Whether the locations may overlap; see :meth:`PointerAnalysis.alias`."""
        return self.pointers.alias(a, b, same_iteration)

    # --- instructions

    def effect(self, instruction: Instruction) -> Effect:
        """Every access of an instruction."""
        return self.effects.effect(instruction)

    def mod_ref(self, instruction: Instruction, location: MemoryLocation, same_iteration: bool = True) -> ModRef:
        """Whether the instruction may write or read the location (releases and lifetime markers count as writes)."""
        effect = self.effects.effect(instruction)
        why: list[str] = []

        def any_touches(accesses: tuple[Access, ...]) -> bool:
            for access in accesses:
                answer = self.overwrites.touches(instruction, access, location, same_iteration, count_free=True)
                if answer.kind != "no":
                    why.append(f"{access.reason}: {answer.reason}")
                    return True
                why.append(answer.reason)
            return False

        writes = any_touches(effect.writes)
        if writes and self.pointers.is_constant_memory(location):
            writes = False
            why.append("constant memory")
        reads = any_touches(effect.reads)
        return ModRef(writes, reads, "; ".join(dict.fromkeys(why)) or "touches no memory")

    # --- overwrites

    def writes_after(
        self, what: Instruction | MemoryLocation, count_free: bool = False, location: MemoryLocation | None = None
    ) -> list[Write]:
        """Writes that may execute after ``what`` (a load or store, or a location with its instruction) and touch it."""
        inst, place = self._point(what, location)
        return self.overwrites.writes_after(inst, place, count_free)

    def overwritten(
        self, location: MemoryLocation, count_free: bool, harmless: Callable[[Instruction], bool]
    ) -> Write | None:
        """The first write after the location's instruction that may touch it and is not ``harmless``."""
        assert location.instruction is not None, "the location must name the instruction to start from"
        return self.overwrites.conflict(location.instruction, location, count_free, harmless)

    def overwrite_proof(
        self, what: Instruction | MemoryLocation, count_free: bool = False, location: MemoryLocation | None = None
    ) -> OverwriteProof:
        """Whether what ``what`` touches keeps its bytes until the function returns, with the writes considered."""
        inst, place = self._point(what, location)
        return self.overwrites.prove(inst, place, count_free)

    def _point(
        self, what: Instruction | MemoryLocation, location: MemoryLocation | None
    ) -> tuple[Instruction, MemoryLocation]:
        if isinstance(what, MemoryLocation):
            assert what.instruction is not None, "the location must name the instruction to start from"
            return what.instruction, what
        return what, location or self.location(what)


def dump(function: Function, known: KnownTable = no_known_callee) -> str:
    """Objects, captures and overwrites of a function as text."""
    from enzyme.ir.printer import print_instruction

    assert function.module is not None
    analysis = AliasAnalysis(function, function.module, known)
    lines = [f"alias analysis of {function.name}"]
    shown: set[MemoryObject] = set()
    for inst in function.instructions():
        if not isinstance(inst, (Load, Store)):
            continue
        objects = analysis.underlying_objects(inst.pointer)
        for obj in sorted(objects - shown, key=str):
            shown.add(obj)
            if obj.kind in ("alloca", "allocation", "noalias_argument"):
                found = analysis.captures(obj)
                lines.append(f"  {obj}: {'captured, ' + found.reason if found.captured else 'not captured'}")
        lines.append(f"  {print_instruction(inst).strip()}  ; {{{', '.join(sorted(map(str, objects)))}}}")
        if isinstance(inst, Load):
            proof = analysis.overwrite_proof(inst)
            if proof.ok:
                fresh = ", own object each iteration" if proof.fresh_each_iteration else ""
                lines.append(f"    kept: {len(proof.considered)} later writes excluded{fresh}")
            else:
                by = print_instruction(proof.conflict).strip() if proof.conflict is not None else "?"
                lines.append(f"    overwritten: {by} ({proof.reason})")
    return "\n".join(lines)
