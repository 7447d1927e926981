"""What a function finds behind its parameters at known places, read in front of it (arrays_apart.py)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from enzyme.analysis.alias import AliasAnalysis, ModuleSummaries
from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.loops import LoopForest
from enzyme.analysis.polynomials import IntegerForms
from enzyme.analysis.symbolic import is_extremum
from enzyme.gradient.moved_bodies import copy_function
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import IntType, PointerType, Type
from enzyme.ir.values import (
    INT_DIVISIONS,
    Argument,
    BinaryOp,
    Block,
    Branch,
    CallBase,
    Cast,
    Compare,
    Constant,
    ConstantInt,
    DebugRecord,
    Freeze,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Return,
    Select,
    Store,
    Value,
    zero,
)
from enzyme.rules.known import known_callee

_MOST_HELD = 16
_DEPTH = 8
"""Instructions, one behind another, that are computed again in front of the function."""
_PROMISED = re.compile(r"dereferenceable\((\d+)\)$")
HELD = "held.by."
"""What the parameter of a version is named that takes over a pointer which is found behind one of the function's."""
NOTHING = ("llvm.lifetime.", "llvm.dbg.", "llvm.assume", "llvm.experimental.noalias.scope.decl")


Place: TypeAlias = tuple[Argument, int, Type]
"""Behind a parameter, so many bytes, what of this type is there."""


class HeldPointers:
    """Pointers and integers that a function finds behind its parameters at known places: the members of a struct, say.
    They are read in front of the function, and given to the version that runs where nothing changes them.

    What is read in front must be there to be read. The program promises that of references; else the function itself
    must read as far: at its beginning, or, once some ``guards`` have been passed that can be asked in front of it, on a
    way that has no other end. Each place is read behind as many of the guards as that takes."""

    def __init__(self, module: Module, function: Function, summaries: ModuleSummaries) -> None:
        self.module, self.function = module, function
        self.layout = module.datalayout
        self.blocks = ControlFlowGraph(function).blocks
        self.alias = AliasAnalysis(function, module, known_callee, summaries)
        self.forms = IntegerForms(self.layout)
        self.places: dict[Place, list[Load]] = {}
        """The loads of each."""
        self.writers: dict[Argument, dict[Instruction, None]] = {}
        """What may change what is found behind a parameter, as far as anyone can tell."""
        self.guards: list[tuple[Value, bool]] = []
        """Conditions, and what each must be."""
        self.read_to: dict[Argument, list[tuple[int, int]]] = {}
        """How many guards a parameter is read behind, and up to which byte."""
        for block in self.blocks:
            for inst in block.instructions:
                place = self._place(inst)
                if place is not None:
                    self.places.setdefault(place, []).append(inst)  # type: ignore[arg-type]
        for place in list(self.places):
            self._note(place)
        self._follow()
        self.places = {place: loads for place, loads in self.places.items() if self.level(place) is not None}
        for base in list(self.writers):
            if all(place[0] is not base for place in self.places):
                del self.writers[base]

    def _place(self, inst: Value) -> Place | None:
        """Where an integer or a pointer is loaded, if that is a known place."""
        if not isinstance(inst, Load) or inst.flags or inst.ordering or not is_plain(inst):
            return None
        base, form = self.forms.from_base(inst.pointer)
        offset = form.constant
        return (base, offset, inst.type) if isinstance(base, Argument) and offset is not None and offset >= 0 else None

    def _note(self, place: Place) -> None:
        if len(self.places) > _MOST_HELD:
            del self.places[place]
            return
        at = replace(self.alias.location(self.places[place][0]), instruction=None)
        writers = [
            inst
            for block in self.blocks
            for inst in block.instructions
            if self.alias.mod_ref(inst, at, same_iteration=False).may_write
        ]
        if all(isinstance(inst, Store) for inst in writers):
            self.writers.setdefault(place[0], {}).update(dict.fromkeys(writers))
        else:
            del self.places[place]

    def _follow(self) -> None:
        """Go along the way from the beginning on that is certain behind the guards, to where it is no more."""
        for argument in self.function.args:
            for word in argument.attrs:
                promised = _PROMISED.match(word)
                if promised is not None:
                    self.read_to.setdefault(argument, []).append((0, int(promised[1])))
        block: Block | None = self.function.entry
        seen: set[Block] = set()
        stored = False
        while block is not None and block not in seen:
            seen.add(block)
            for inst in block.instructions:
                if isinstance(inst, CallBase) and not (inst.callee_name or "").startswith(NOTHING):
                    return  # it may not come back
                if isinstance(inst, Load):
                    base, form = self.forms.from_base(inst.pointer)
                    offset = form.constant
                    if isinstance(base, Argument) and offset is not None and offset >= 0:
                        end = offset + self.layout.size_of(inst.type)
                        self.read_to.setdefault(base, []).append((len(self.guards), end))
                stored = stored or isinstance(inst, Store)  # what a guard asks behind that may be something else
            last = block.terminator
            if stored and isinstance(last, Branch) and last.is_conditional:
                return
            block = self._next(last)

    def _next(self, end: Instruction | None) -> Block | None:
        """The block behind a branch, where the loops are."""
        if not isinstance(end, Branch):
            return None
        if not end.is_conditional:
            return end.operands[0]  # type: ignore[return-value]
        condition, *ways = end.operands
        further = [way for way in ways if isinstance(way, Block) and not isinstance(way.terminator, Return)]
        if len(further) != 1 or not is_ahead(condition, self._is_read):
            return None
        self.guards.append((condition, further[0] is ways[0]))
        return further[0]

    def _is_read(self, value: Value) -> bool:
        """Whether a value is read in front of the function, behind no more than the guards so far."""
        place = self._place(value)
        level = self.level(place) if place is not None and place in self.places else None
        return level is not None and level <= len(self.guards)

    def level(self, place: Place) -> int | None:
        """Behind how many guards a place can be read; None if behind none."""
        base, offset, type = place
        end = offset + self.layout.size_of(type)
        return min((level for level, known in self.read_to.get(base, ()) if known >= end), default=None)

    def version(
        self, name: str, also: Sequence[tuple[str, Type]] = ()
    ) -> tuple[Function, dict[Instruction, Instruction]]:
        """A copy of the function, by another name, that is given what is held, and ``also`` these parameters, and the
        copy of each instruction."""
        further = [*((f"{HELD}{base.name}", type) for base, _, type in self.places), *also]
        places: dict[Instruction, Instruction] = {}
        made = copy_function(self.module, self.function, name, further=further, places=places)
        for argument, loads in zip(made.args[len(self.function.args) :], self.places.values(), strict=False):
            for load in loads:
                places[load].replace_all_uses_with(argument)
        return made, places

    def is_read_in_loops(self, loops: LoopForest, places: dict[Instruction, Instruction]) -> bool:
        """Whether a loop of the version reads again what it is given."""
        return any(loops.loop_of(places[load].block) is not None for loads in self.places.values() for load in loads)

    def read(self, head: Block) -> tuple[list[Value], list[Block]]:
        """What the version is given beside the parameters, and the blocks in which that is read, the last of which goes
        on."""
        found: dict[Place, Value] = {}
        made: dict[Value, Value] = {}
        levels = {place: self.level(place) or 0 for place in self.places}
        blocks, end = [head], Block("read")
        for level in range(max(levels.values(), default=0) + 1):
            build = Builder(blocks[-1])
            for place in (each for each, of in levels.items() if of == level):
                found[place] = self._load(build, place)
                made.update(dict.fromkeys(self.places[place], found[place]))
            if level < max(levels.values(), default=0):
                condition, wanted = self.guards[level]
                behind = Block("behind")
                ways = (behind, end) if wanted else (end, behind)
                build.cond_br(ahead(build, condition, made), *ways)
                blocks.append(behind)
        if len(blocks) == 1:
            return list(found.values()), blocks
        Builder(blocks[-1]).br(end)
        given: list[Value] = []
        for place in self.places:
            parts = [found[place] if levels[place] <= level else zero(place[2]) for level in range(len(blocks))]
            given.append(end.append(Phi(place[2], list(zip(parts, blocks, strict=True)))))
        return given, [*blocks, end]

    def _load(self, build: Builder, place: Place) -> Value:
        base, offset, type = place
        loads = self.places[place]
        made = build.load(type, build.offset(base, offset), min(load.align for load in loads))
        if len({load.metadata.get("tbaa") for load in loads}) == 1 and "tbaa" in loads[0].metadata:
            assert isinstance(made, Instruction)
            made.metadata["tbaa"] = loads[0].metadata["tbaa"]
        return made


def is_ahead(value: Value, is_known: Callable[[Value], bool] = lambda _: False, depth: int = _DEPTH) -> bool:
    """Whether an integer can be computed in front of the function, of parameters and of what ``is_known`` there."""
    if isinstance(value, (Argument, Constant)) or is_known(value):
        return True
    if depth == 0 or not isinstance(value.type, IntType):
        return False
    if isinstance(value, CallBase):
        chosen = is_extremum(value)
        return chosen and all(is_ahead(each, is_known, depth - 1) for each in value.args)
    if not isinstance(value, (BinaryOp, Cast, Select, Compare, Freeze)):
        return False
    if value.opcode in INT_DIVISIONS and not _divides(value.operands[1]):
        return False
    return all(is_ahead(each, is_known, depth - 1) for each in value.operands)


def ahead(
    build: Builder, value: Value, made: dict[Value, Value], is_known: Callable[[Value], bool] = lambda _: False
) -> Value:
    """Such an integer, computed there, of what is ``made`` already, or known there."""
    if value not in made and isinstance(value, Instruction) and not is_known(value):
        copied = value.clone([ahead(build, operand, made, is_known) for operand in value.operands])
        copied.flags, copied.metadata = (), {}
        made[value] = build.insert(copied)
    return made.get(value, value)


def is_plain(load: Load) -> bool:
    """Whether a load finds a pointer, or an integer that is only counted with, so that it is no number's bits."""
    if isinstance(load.type, IntType):
        return all(
            isinstance(user, (BinaryOp, Compare, GetElementPtr, DebugRecord))
            or (isinstance(user, Cast) and user.opcode in ("sext", "zext", "trunc", "sitofp", "uitofp"))
            for user in load.users
        )
    return isinstance(load.type, PointerType)


def _divides(value: Value) -> bool:
    return isinstance(value, ConstantInt) and value.value not in (0, -1)
