"""Active numbers that a program stores in constant memory, where only the running program knows that it does.

A function that is given a structure with pointers to active data and pointers to constant memory is differentiated once
for all of them: the shadow of a pointer to constant memory is the pointer itself, and the derivative compares the two
(``Request.mixed``). Which of the pointers it stores through, the analysis of the caller does not see. What is stored
has its derivative lost where the pointer turns out to lead to constant memory and the number was made of active data.
A program of which that is seen beforehand is refused, so here it is stopped: where a number that came out of memory
with a shadow, or out of an active parameter, by arithmetic alone, goes to memory without one.

Numbers that went through a call, or that came in a loop out of memory whose address was loaded there, are not followed,
and with ``runtime_activity`` to lose them is the program's own decision.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from enzyme.gradient import words
from enzyme.gradient.carried import moved_parts
from enzyme.gradient.primal import PrimalCopy
from enzyme.gradient.shadows import Shadows
from enzyme.ir.builder import Builder
from enzyme.ir.types import I1
from enzyme.ir.values import Argument, CallBase, ConstantInt, Instruction, Load, Phi, Store, Value, without_steps
from enzyme.rules.known import Transfer
from enzyme.rules.scalar import lookup_instruction

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine

_MOST = 64
"""Instructions that a number is followed through."""
_LOST = (
    "enzyme: active data is stored in memory that is declared constant, so that its derivative is lost: {where} "
    "(declare that memory enzyme_dup and give it a shadow, or write enzyme_runtime_activity if no result depends on it)"
)


def stop_lost(engine: Engine, copy: PrimalCopy, shadows: Shadows, inst: Store, build: Builder) -> None:
    """Have the program stop where ``inst`` stores a number that was made of active data in constant memory; ``build``
    is behind it."""
    if not _may_lose(copy, inst.pointer) or inst.value.type.is_pointer or inst.value not in copy.activity.varied:
        return
    for _ in copy.lanes.at(0):  # memory is constant in all of them, or in none
        kept: Value | None = None
        for source in _sources(copy, inst):
            if isinstance(source, Argument):
                kept = ConstantInt(I1, 0)
                break
            quiet = shadows.inactive(*source)
            kept = quiet if kept is None else build.and_(kept, quiet)
        if kept is not None:
            _stop(engine, copy, shadows, inst, inst.pointer, kept, build)


def stop_lost_copy(
    engine: Engine, copy: PrimalCopy, shadows: Shadows, inst: CallBase, transfer: Transfer, build: Builder
) -> None:
    """The same for a block of numbers that is copied."""
    if transfer.source is None:
        return
    destination, source = inst.args[transfer.destination], inst.args[transfer.source]
    activity = copy.activity
    if not _may_lose(copy, destination) or not activity.needs_shadow(source):
        return
    if any(each in activity.varied for each in activity.graph.points_to.pts(source)):
        moved = moved_parts(copy.subject, inst, source, destination, inst.args[transfer.length])
        if moved.floats and not moved.pointers:
            for _ in copy.lanes.at(0):
                _stop(engine, copy, shadows, inst, destination, shadows.inactive(inst, source), build)


def _may_lose(copy: PrimalCopy, pointer: Value) -> bool:
    request = copy.request
    return request.mixed and not request.runtime_activity and copy.activity.needs_shadow(pointer)


def _stop(
    engine: Engine, copy: PrimalCopy, shadows: Shadows, inst: Instruction, to: Value, kept: Value, build: Builder
) -> None:
    """Unless what comes from is ``kept`` because it is constant, or memory with a shadow is written."""
    fine = build.or_(build.xor(shadows.inactive(inst, to), ConstantInt(I1, 1)), kept)
    words.insist(engine, copy.subject, build, inst, fine, _LOST)


def _sources(copy: PrimalCopy, store: Store) -> Iterator[Argument | tuple[Instruction, Value]]:
    """What the number that is stored is made of by arithmetic: active parameters, and loads from memory with a shadow,
    each as a pointer there and the instruction in front of which it is to be looked at."""
    dominators = copy.subject.dominators
    seen, work, bases = {store.value}, [store.value], set()
    while work and len(seen) < _MOST:
        at = work.pop()
        if at not in copy.activity.varied:
            continue
        if isinstance(at, Argument):
            yield at
        elif isinstance(at, Load):
            base = without_steps(at.pointer)  # its shadow has made the same
            if base in bases or not copy.activity.needs_shadow(at.pointer):
                continue
            if not isinstance(base, Instruction) or dominators.instruction_dominates(base, store):
                bases.add(base)
                yield store, base
            elif dominators.instruction_dominates(at, store):
                yield at, at.pointer
        elif isinstance(at, Instruction) and (isinstance(at, Phi) or lookup_instruction(at) is not None):
            operands = at.args if isinstance(at, CallBase) else at.operands
            work += [each for each in operands if each not in seen]
            seen.update(operands)
