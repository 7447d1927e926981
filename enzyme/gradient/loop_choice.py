"""Which loops run their iterations again in the reverse sweep, in place of a tape of everything inside.

The tape plan is made without that first. It tells, for each outermost loop, the bytes that one iteration leaves on the
tape with the loops inside; those bytes are written, go out of the caches, and come back. Against that stands the work
of one iteration. Loops where it pays, and of which nothing is known that speaks against it, have their body made a
function (:mod:`enzyme.gradient.iterations`), and the derivative is made once more. Where a call of that function
turns out not to be replayed (:mod:`enzyme.gradient.replay`), or the forward sweep has to make it after all and the work
is more than was gained, the loop stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from enzyme.analysis.loops import Loop
from enzyme.analysis.symbolic import constant_value
from enzyme.gradient.engine import Engine
from enzyme.gradient.iterations import SMALL_LOOP, Iteration, make_iteration, why_no_iteration
from enzyme.gradient.loop_costs import IN_CACHE, LEAST_GAIN, PER_ITERATION, PER_OPERATION, Key, LoopChoice
from enzyme.gradient.places import loop_place
from enzyme.gradient.plan import GUESSED_TRIPS, Origins, TapePlan
from enzyme.gradient.primal import PrimalCopy, is_dropped
from enzyme.gradient.registrations import LOOPS, marks
from enzyme.gradient.replay import is_marked, is_scratch, why_effects, why_once
from enzyme.ir.module import Module
from enzyme.ir.values import CallBase, DebugRecord, Function, Load, Phi, Store
from enzyme.rules.expr import Cost
from enzyme.rules.scalar import lookup_instruction
from enzyme.support.config import Config
from enzyme.support.diagnostics import EnzymeError

_WEIGHTS = {Cost.CHEAP: 1, Cost.DIVISION: 8, Cost.TRANSCENDENTAL: 30}
_ROUNDS = 4


@dataclass
class Attempt:
    """What is found out from one making of the derivatives to the next."""

    wanted: dict[Key, LoopChoice] = field(default_factory=dict)
    settled: dict[Key, LoopChoice] = field(default_factory=dict)  # that keep their tape


def with_choices(make: Callable[[Iterable[Key]], Engine], derive: Callable[[Engine], None], config: Config) -> Engine:
    """An engine that has derived, with the loops it has chosen. ``make`` gives one in which the bodies of some loops
    are functions, ``derive`` lets it make the derivatives; the last engine is the one that counts."""
    engine = make(())
    derive(engine)
    if not config.iterations:
        return engine
    engines = {frozenset[Key](): engine}
    attempt = Attempt()
    for _ in range(_ROUNDS):
        while more := _worthwhile(engine, attempt):
            for choice in more:
                (attempt.settled if choice.reason else attempt.wanted)[choice.key] = choice
        made = {(each.function, each.header) for each in engine.iterations}
        if made == set(attempt.wanted):
            break
        following = make(attempt.wanted)
        try:
            derive(following)
        except EnzymeError as error:
            for key in set(attempt.wanted) - made:
                attempt.settled[key] = replace(attempt.wanted.pop(key), reason=f"as a function: {error.what}")
            continue
        engine = engines[frozenset(attempt.wanted)] = following
        _judge(engine, attempt)
    wanted = frozenset(attempt.wanted)
    engine = engines[wanted] if wanted in engines else make(wanted)
    derive(engine)  # what has been made is made; what it is called has to be that of this engine
    engine.choices = (*attempt.wanted.values(), *attempt.settled.values())
    return engine


def make_iterations(module: Module, keys: Iterable[Key]) -> tuple[Iteration, ...]:
    """Make the bodies of loops of a prepared module functions."""
    found = []
    for name, header in keys:
        function = module.get_function(name)
        made = make_iteration(module, function, header) if function is not None else None
        if made is not None:
            found.append(made)
    return tuple(found)


def name_blocks(module: Module) -> None:
    """Give a name to every block that has none, the same each time the same text is read: loops go by their headers."""
    for function in module.functions.values():
        used = {block.name for block in function.blocks} if not function.is_declaration else set()
        if None not in used and "" not in used:
            continue
        for index, block in enumerate(function.blocks):
            if not block.name:
                name = f"block{index}"
                while name in used:
                    name += "."
                used.add(name)
                block.name = name


def _judge(engine: Engine, attempt: Attempt) -> None:
    """Take back the loops that are not replayed everywhere, or whose iterations cost more than their tape."""
    names = {each.made.name or "": (each.function, each.header) for each in engine.iterations}
    for key in set(attempt.wanted) - set(names.values()):
        attempt.settled[key] = replace(attempt.wanted.pop(key), reason="its body cannot be made a function")
    for (derivative, callee), reason in engine.replayed.items():
        found = names.get(callee)
        if found is None or found not in attempt.wanted:
            continue
        choice = replace(attempt.wanted[found], dropped=(derivative, callee) in engine.dropped, reason=reason)
        if not reason and choice.again_ns > choice.tape_ns and not choice.asked:
            choice = replace(choice, reason="to run the iterations once more costs more")
        if choice.reason:
            del attempt.wanted[found]
            attempt.settled[found] = choice
        else:
            attempt.wanted[found] = choice


def _worthwhile(engine: Engine, attempt: Attempt) -> list[LoopChoice]:
    """Further loops that the plans of an engine keep much for: outermost ones, and those in loops that keep theirs."""
    found: dict[Key, LoopChoice] = {}
    for plan, copy in engine.plans.values():
        subject = copy.subject
        if is_marked(subject, subject.function):
            continue
        done = {f"{each.header}{SMALL_LOOP}" for each in engine.iterations if each.function == subject.function.name}
        origins = Origins(copy, engine.config)
        for loop in subject.loops.loops:
            key = (subject.function.name or "", loop.header.name or "")
            if loop.parent is not None and (key[0], loop.parent.header.name or "") not in attempt.settled:
                continue
            if loop.header.name and key not in attempt.wanted and key not in attempt.settled and key[1] not in done:
                choice = _weigh(engine, plan, copy, origins, loop)
                if choice is not None and choice.bytes > found.get(choice.key, choice).bytes - 1:
                    found[choice.key] = choice
    return list(found.values())


def _weigh(engine: Engine, plan: TapePlan, copy: PrimalCopy, origins: Origins, loop: Loop) -> LoopChoice | None:
    tapes = [tape for tape in plan.tapes if loop.contains(tape.loop)]
    inside = [tape for tape in tapes if tape.loop is not loop]
    subject = copy.subject
    plan_asked = marks(subject.module, subject.function).get(LOOPS)
    asked = "the function" if plan_asked not in (None, "auto") else ""
    if not plan_asked and engine.config.loops == "recompute":
        plan_asked, asked = "recompute", "the configuration"
    forced = bool(asked)
    if not (tapes if forced else inside):
        return None
    totals = [tape.total * plan.bytes_per_iteration(tape) for tape in tapes if tape.total is not None]
    if len(totals) == len(tapes) and sum(totals) <= IN_CACHE and not forced:
        return None
    size = sum(plan.bytes_per_iteration(tape) * _trips(origins, tape.loop, loop) for tape in tapes)
    work = 0
    for block in loop.blocks:
        inner = subject.loops.loop_of(block)
        assert inner is not None
        work += _trips(origins, inner, loop) * sum(_work(inst) for inst in block.instructions)
    key = (subject.function.name or "", loop.header.name or "")
    choice = LoopChoice(key, size, work, place=loop_place(subject, loop), asked=asked)
    if plan_asked == "keep":
        return replace(choice, reason="no other way is looked for")
    if not forced and choice.tape_ns < PER_ITERATION + LEAST_GAIN * work * PER_OPERATION:
        return None
    return replace(choice, reason=why_no_iteration(loop) or _why_not(engine, copy, loop))


def _why_not(engine: Engine, copy: PrimalCopy, loop: Loop) -> str:
    """What already speaks against making a call of the iteration again."""
    alias = copy.subject.alias
    for block in loop.blocks:
        for inst in block.instructions:
            found = why_once(inst)
            if isinstance(inst, Store) and not found:
                if not all(is_scratch(alias, memory) for memory in alias.underlying_objects(inst.pointer)):
                    found = "it writes memory that is seen elsewhere"
            callee = inst.callee if isinstance(inst, CallBase) else None
            if isinstance(callee, Function) and not callee.is_declaration:
                found = found or why_effects(engine, callee, copy.subject.function)
            if found:
                return found
    return ""


def _trips(origins: Origins, loop: Loop, outer: Loop) -> int:
    """How often a loop's body runs in one iteration of ``outer``, as far as that is known."""
    times = 1
    at: Loop | None = loop
    while at is not None and at is not outer:
        count = origins.count(at)
        constant = constant_value(count) if count is not None else None
        times *= constant + 1 if constant is not None else GUESSED_TRIPS
        at = at.parent
    return times


def _work(inst: object) -> int:
    if isinstance(inst, (Phi, DebugRecord)) or (isinstance(inst, CallBase) and is_dropped(inst)):
        return 0
    if isinstance(inst, (Load, Store)):
        return 1
    rule = lookup_instruction(inst)  # type: ignore[arg-type]
    if rule is not None:
        return _WEIGHTS[rule.cost]
    return 50 if isinstance(inst, CallBase) else 1
