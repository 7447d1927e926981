"""Warnings of a compile for what will cost much when the program runs: ``-Wenzyme`` and what is under it."""

from __future__ import annotations

from collections.abc import Sequence

from enzyme.analysis.dispatched import is_dispatch, is_rest
from enzyme.explain.choice import Warning
from enzyme.gradient.arrays_apart import OTHERWISE, version_of
from enzyme.gradient.engine import Engine
from enzyme.gradient.loop_costs import StepChoice
from enzyme.gradient.places import loop_place
from enzyme.gradient.plan import TapePlan
from enzyme.gradient.preconditions import mixed_places
from enzyme.gradient.primal import PrimalCopy
from enzyme.ir.values import CallBase, ConstantInt, Function, Instruction
from enzyme.rules.known import known_callee
from enzyme.support.demangle import demangle

MANY_BYTES = 32
"""Bytes per iteration from which a tape that grows is worth a word."""


def costs(engines: Sequence[Engine]) -> list[Warning]:
    """What is worth a word in the derivatives of a program, each once."""
    found: dict[Warning, None] = {}
    for engine in engines:
        for choice in engine.choices:
            if version_of(choice.key[0])[1] == OTHERWISE:
                continue  # the version that is to run says what there is to say
            if isinstance(choice, StepChoice):
                if choice.reason:
                    found[Warning("limit", f"this loop {choice}", _shown(choice.key[0]), choice.place)] = None
            elif choice.unmet:
                what = f"the pragma of this loop asks for '{choice.wish}', but {choice.unmet}"
                found[Warning("loop", what, _shown(choice.key[0]), choice.place)] = None
        for name, copy in engine.copies.items():
            if version_of(copy.subject.function.name or "")[1] == OTHERWISE:
                continue
            plan = engine.plans[name][0] if name in engine.plans else None
            for each in (*(_tapes(copy, plan) if plan is not None else ()), *_calls(copy), *_mixed(copy)):
                found[each] = None
    return sorted(found, key=lambda each: (each.place.file, each.place.line) if each.place else ("", 0))


def _shown(name: str) -> str:
    return demangle(version_of(name)[0])


def _warning(group: str, what: str, copy: PrimalCopy, inst: Instruction | None) -> Warning:
    function = copy.subject.function
    return Warning(group, what, _shown(function.name or ""), copy.subject.module.place_of(inst, function))


def _tapes(copy: PrimalCopy, plan: TapePlan) -> list[Warning]:
    found = []
    for tape in plan.tapes:
        size = sum(plan.sizes[value] for value in tape.values)
        if tape.sizing.startswith("grow") and size >= MANY_BYTES:
            what = f"the derivative of this loop keeps {size} bytes per iteration of a number not known before it"
            name = _shown(copy.subject.function.name or "")
            found.append(Warning("tape", what, name, loop_place(copy.subject, tape.loop)))
    return found


def _mixed(copy: PrimalCopy) -> list[Warning]:
    if not copy.request.mixed:
        return []
    found = mixed_places(copy.activity, copy.request)
    return [_warning("mixed", f"{each.what}: the program finds out which", copy, each.instruction) for each in found]


def _calls(copy: PrimalCopy) -> list[Warning]:
    found = []
    for inst in copy.subject.function.instructions():
        if not isinstance(inst, CallBase) or not copy.activity.active_instruction(inst):
            continue
        if is_rest(inst) and is_dispatch(copy.subject.function):
            continue  # said at the calls of it
        if is_dispatch(inst.callee) or (inst.callee_name is None and not isinstance(inst.callee, Function)):
            what = "active data goes through a call of a function pointer: each function it may call is differentiated"
            if is_rest(inst):
                what = "the program takes the address of no function of this pointer's type: the derivative stops here"
            found.append(_warning("indirect", what, copy, inst))
            continue
        known = known_callee(inst.callee_name, inst.callee_type) if inst.callee_name else None
        if known is not None and known.transfer is not None and known.transfer.source is not None:
            length = inst.args[known.transfer.length]
            if not isinstance(length, ConstantInt) and copy.request.mode != "forward":
                what = "a block of unknown length is copied: its derivative moves as many bytes of the shadow"
                found.append(_warning("copy", what, copy, inst))
    return found
