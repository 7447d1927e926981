"""Which loops keep some of their states in place of a tape, so that the tape stays under a limit on request.

The tape plan is made without that first. An outermost loop whose tape is larger than the limit, or whose size is not
known before the program runs, has its step made a function (:mod:`enzyme.gradient.time_loops`), and the derivatives are
made once more. Where that cannot be, the loop keeps its whole tape, and what was decided says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from enzyme.gradient.checkpoint_runtime import repetitions
from enzyme.gradient.engine import Engine
from enzyme.gradient.loop_costs import Key, StepChoice
from enzyme.gradient.loop_pragmas import KEEP, loop_pragma
from enzyme.gradient.places import loop_place
from enzyme.gradient.replay import is_marked
from enzyme.gradient.time_loops import TimeLoop, make_time_loop
from enzyme.ir.module import Module
from enzyme.support.config import Config
from enzyme.support.diagnostics import EnzymeError


def make_time_loops(module: Module, keys: Iterable[Key]) -> tuple[tuple[TimeLoop, ...], dict[Key, str]]:
    """Make loops of a prepared module drivers and steps; which cannot be made them, and why."""
    made: list[TimeLoop] = []
    refused: dict[Key, str] = {}
    for key in keys:
        function = module.get_function(key[0])
        found = make_time_loop(module, function, key[1]) if function is not None else "it is not there"
        if isinstance(found, str):
            refused[key] = found
        else:
            made.append(found)
    return tuple(made), refused


def choose_steps(
    make: Callable[[Iterable[Key]], Engine], derive: Callable[[Engine], None], config: Config, whole: str
) -> tuple[Engine, tuple[Key, ...], tuple[StepChoice, ...]]:
    """An engine that has derived, the loops that keep states in it, and what was decided. ``make`` gives one in which
    some loops are drivers, ``derive`` lets it make the derivatives; ``whole``: why all keep whole tapes, if they do."""
    engine = make(())
    derive(engine)
    if not config.tape_limit:
        return engine, (), ()
    choices = _over_limit(engine, config.tape_limit)
    if whole:
        choices = {key: replace(choice, reason=choice.reason or whole) for key, choice in choices.items()}
    first = engine
    while wanted := tuple(key for key, choice in choices.items() if not choice.reason):
        engine = make(wanted)
        reasons = dict(engine.whole)
        if not reasons:
            try:
                derive(engine)
            except EnzymeError as error:
                reasons = dict.fromkeys(wanted, f"with its step as a function: {error.what}")
            else:
                names = {each.driver.name or "": (each.function, each.header) for each in engine.time_loops}
                reasons = {names[driver]: reason for driver, reason in engine.checkpoints.refused.items()}
        if not reasons:
            break
        for key, reason in reasons.items():
            choices[key] = replace(choices[key], reason=reason)
    else:
        derive(first)  # what has been made is made; what it is called has to be that of this engine
        return first, (), tuple(choices.values())
    for each in engine.time_loops:
        key = (each.function, each.header)
        choices[key] = _with_numbers(choices[key], each, engine.checkpoints.limits[each.driver.name or ""])
    return engine, wanted, tuple(choices.values())


def _over_limit(engine: Engine, limit: int) -> dict[Key, StepChoice]:
    """Outermost loops whose tape may exceed the limit."""
    found: dict[Key, StepChoice] = {}
    for plan, copy in engine.plans.values():
        subject = copy.subject
        if is_marked(subject, subject.function):
            continue
        for loop in subject.loops.top_level:
            tapes = [tape for tape in plan.tapes if loop.contains(tape.loop)]
            calls = any(inst.block in loop.blocks for inst in copy.callees if inst not in copy.at_once)
            if not tapes and not calls:
                continue
            totals = [tape.total * plan.bytes_per_iteration(tape) for tape in tapes if tape.total is not None]
            if len(totals) == len(tapes) and sum(totals) <= limit and not calls:
                continue
            wish = loop_pragma(subject.module, loop)
            if wish and wish != KEEP:
                continue  # it leaves no tape where that is right
            key = (subject.function.name or "", loop.header.name or "")
            known = sum(totals) if len(totals) == len(tapes) and not calls else None
            reason = "its pragma asks for that" if wish else ""
            found[key] = StepChoice(key, limit, known, loop_place(subject, loop), reason)
    return found


def _with_numbers(choice: StepChoice, loop: TimeLoop, limit: int) -> StepChoice:
    """The choice with what is known of the state before the program runs."""
    choice = replace(choice, limit=limit, state=loop.bytes, open=loop.open, steps=loop.count)
    if loop.open:
        return choice
    places = max(limit // (loop.bytes + 48) - 1, 1)
    if loop.count is None:
        return replace(choice, places=places)
    places = min(places, loop.count + 1)
    return replace(choice, places=places, runs=repetitions(loop.count + 1, places))
