"""Which loops run their iterations again in the reverse sweep, in place of a tape of everything inside.

The tape plan is made without that first. It tells, for each outermost loop, the bytes that one iteration leaves on the
tape with the loops inside; those bytes are written, go out of the caches, and come back. Against that stands the work
of one iteration. Loops where it pays, and of which nothing is known that speaks against it, have their body made a
function (:mod:`enzyme.gradient.iterations`), and the derivative is made once more. Where a call of that function
turns out not to be replayed (:mod:`enzyme.gradient.replay`), or the forward sweep has to make it after all and the work
is more than was gained, the loop stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import counter
from enzyme.gradient.at_once import also, sums_of, why_no_loop_at_once
from enzyme.gradient.call_costs import CallCosts, all_trips, is_called_apart, rounds_of, trips
from enzyme.gradient.edge_accesses import edge_accesses, is_plain
from enzyme.gradient.engine import Engine
from enzyme.gradient.iterations import SMALL_LOOP, Iteration, make_iteration, why_no_iteration
from enzyme.gradient.loop_costs import (
    IN_CACHE,
    LEAST_GAIN,
    PER_ITERATION,
    PER_OPERATION,
    PRAGMA,
    BodyWish,
    Key,
    LoopChoice,
)
from enzyme.gradient.loop_pragmas import KEEP, RECOMPUTE, loop_pragma
from enzyme.gradient.neighbour_calls import has_neighbour_calls
from enzyme.gradient.places import loop_place
from enzyme.gradient.plan import LoopTape, TapePlan
from enzyme.gradient.primal import PrimalCopy
from enzyme.gradient.registrations import LOOPS, marks
from enzyme.gradient.replay import is_marked, is_scratch, why_effects, why_once
from enzyme.gradient.step_choice import choose_steps
from enzyme.gradient.straightened import may_straighten
from enzyme.gradient.together import LANES, WIDE_LOOP, take_together
from enzyme.ir.module import Module
from enzyme.ir.values import Branch, CallBase, Function, Load, Store
from enzyme.rules.names import callee_math_name
from enzyme.support.config import Config
from enzyme.support.diagnostics import EnzymeError

_ROUNDS = 4
_SCATTERED, _EACH_SUM = 18, 8
"""Operations of an iteration, and for each sum in memory that it adds to, from which on it pays to run several."""
_GATHERED, _EACH_NUMBER = 16, 6
"""The same for each number that it looks up, to the adjoint of which the reverse sweep adds."""
_OF_RECORDS = _OF_WAYS = 40
"""The same for iterations that go by records, or different ways."""
_MANY = 4 * LANES
"""Iterations, where that is known, from which on those that go different ways run so."""
_WITH_PARTNERS = ("sin", "cos")
"""Functions that are computed together with their derivatives where both are called beside each other."""
_OF_THREAD = 4096
"""Bytes of tape that may lie on the stack of a GPU's thread, all loops of a nest together."""
_NO_OTHER = "no other way is looked for"


@dataclass(frozen=True)
class Asking:
    """A loop with a pragma: the loops around it, innermost first, and what it leaves on the tape of the first plan."""

    around: tuple[Key, ...]
    choice: LoopChoice


@dataclass
class Attempt:
    """What is found out from one making of the derivatives to the next."""

    asking: dict[Key, Asking]
    wanted: dict[Key, LoopChoice] = field(default_factory=dict)
    settled: dict[Key, LoopChoice] = field(default_factory=dict)  # that keep their tape
    narrow: set[Key] = field(default_factory=set)  # that run one iteration at a time

    def is_turn(self, key: Key, around: Sequence[Key]) -> bool:
        """Whether a loop with these loops around it is to be weighed now: outermost ones first, those inside where all
        around keep their tapes, and loops with pragmas in front of those around them that have none."""
        if key in self.wanted or key in self.settled or any(each in self.wanted for each in around):
            return False
        if key in self.asking:
            return all(each in self.settled or each not in self.asking for each in around)
        inside = (each for each, asking in self.asking.items() if key in asking.around)
        if any(each not in self.settled and self.asking[each].choice.wish != KEEP for each in inside):
            return False
        return all(each in self.settled for each in around)

    def wish(self, key: Key) -> BodyWish:
        """How the body of a wanted loop is to be made."""
        choice = self.wanted[key]
        return BodyWish(choice.sums if choice.at_once else (), key in self.narrow, choice.guarded)

    @property
    def once(self) -> set[Key]:
        """Those that are to be reversed at once."""
        return {key for key, choice in self.wanted.items() if choice.at_once}

    @property
    def state(self) -> tuple[frozenset[Key], ...]:
        """What an engine is made with."""
        return frozenset(self.wanted), frozenset(self.narrow & set(self.wanted)), frozenset(self.once)

    def as_asked(self, key: Key, config: Config) -> LoopChoice:
        """What is said in the end of a loop with a pragma that never was weighed."""
        choice = self.asking[key].choice
        if choice.wish == KEEP:
            return replace(choice, reason=_NO_OTHER)
        if not config.iterations:
            return replace(choice, reason="running iterations again is turned off")
        if any(each in self.wanted for each in self.asking[key].around):
            return replace(choice, reason="a loop around it runs its iterations again, and this loop with them")
        return replace(choice, reason="no way was found" if choice.bytes else "nothing in it is kept")


def with_choices(
    make_with: Callable[[Mapping[Key, BodyWish], Iterable[Key]], Engine],
    derive: Callable[[Engine], None],
    config: Config,
    whole: str = "",
) -> Engine:
    """An engine that has derived, with the loops it has chosen. ``make_with`` gives one in which the bodies of some
    loops are functions, and others keep states in place of a tape; ``derive`` lets it make the derivatives; the last
    engine is the one that counts. ``whole`` says why loops keep whole tapes whatever the limit, if they do."""
    engine, stepping, steps = choose_steps(lambda keys: make_with({}, keys), derive, config, whole)
    attempt = Attempt(_asking(engine))
    if not config.iterations:
        engine.choices = (*steps, *(attempt.as_asked(key, config) for key in attempt.asking))
        return engine

    def make() -> Engine:
        return make_with({key: attempt.wish(key) for key in attempt.wanted}, stepping)

    engines = {attempt.state: engine}
    for _ in range(_ROUNDS):
        while more := _worthwhile(engine, attempt):
            for choice in more:
                (attempt.settled if choice.reason else attempt.wanted)[choice.key] = choice
        made = {each.key for each in engine.iterations}
        wide = {each.key for each in engine.iterations if each.together is not None}
        once = {each.key for each in engine.iterations if each.at_once}
        if made == set(attempt.wanted) and once == attempt.once and not wide & attempt.narrow:
            break
        following = make()
        try:
            derive(following)
        except EnzymeError as error:
            _take_back(following, attempt, set(attempt.wanted) - made, error)
            continue
        engine = engines[attempt.state] = following
        _judge(engine, attempt)
    engine = engines[attempt.state] if attempt.state in engines else make()
    derive(engine)  # what has been made is made; what it is called has to be that of this engine
    for key in attempt.asking.keys() - attempt.wanted.keys() - attempt.settled.keys():
        attempt.settled[key] = attempt.as_asked(key, config)
    settled = (choice for choice in attempt.settled.values() if not choice.because)
    engine.choices = (*steps, *attempt.wanted.values(), *settled)
    return engine


def _least_operations(engine: Engine, copy: PrimalCopy, loop: Loop) -> tuple[int, str] | None:
    """The operations from which on it pays to run several iterations at once, and why: because they add to, or look up,
    numbers where a table says, go different ways, or read what other iterations' records hold; else None."""
    config = engine.config
    edge = edge_accesses(copy.subject.alias, loop, True)
    every = [inst for block in loop.order for inst in block.instructions]
    numbers = [each for each in every if isinstance(each, Load) and each.type.scalar.is_float]
    active = [each for each in numbers if each not in edge.steps and copy.activity.active_value(each)]
    looked_up = sum(not is_plain(loop, each.pointer) for each in active)
    if edge.scattered or looked_up:
        found = _SCATTERED + _EACH_SUM * len(edge.last) if edge.scattered else 0
        least = max(found, _GATHERED + _EACH_NUMBER * looked_up), "a table says where its numbers are"
        return least if config.scattered_sums and _goes_straight(loop) else None
    if not _goes_straight(loop):
        return _OF_WAYS, "they go different ways"
    if config.records_together and _reads_neighbours(copy, loop, numbers):
        return _OF_RECORDS, "they read the records of others"
    return None


def _reads_neighbours(copy: PrimalCopy, loop: Loop, numbers: Sequence[Load]) -> bool:
    """Whether an iteration reads a member of its own record and of another iteration's."""
    forms, layout = copy.subject.forms, copy.subject.module.datalayout
    seen: dict[object, int] = {}
    for load in numbers:
        base, form = forms.from_base(load.pointer)
        step = form.stride(counter(loop))
        if step is None or abs(step) <= layout.size_of(load.type):
            continue
        key = base, form.varying, form.offset % step
        if seen.setdefault(key, form.offset) != form.offset:
            return True
    return False


def _goes_straight(loop: Loop) -> bool:
    """Whether all iterations of a loop go the same way."""
    ends = [block.terminator for block in loop.blocks if block is not loop.latch]
    return all(isinstance(end, Branch) and not end.is_conditional for end in ends)


def _runs_together(engine: Engine, copy: PrimalCopy, loop: Loop) -> bool:
    """Whether a loop has no loops and no choices inside, or such that can be computed both ways, and it is known before
    it how often it runs, often enough for several at once."""
    if why_no_iteration(loop) or loop.children or copy.subject.backedge_count(loop) is None:
        return False
    least = LANES
    if not _goes_straight(loop):
        assert loop.latch is not None
        least = _MANY
        if not engine.config.ways_together or not may_straighten(loop.order, loop.latch, copy.subject.dominators):
            return False
    rounds = rounds_of(copy.subject, loop)
    return rounds is None or rounds >= least


def _asking(engine: Engine) -> dict[Key, Asking]:
    """The loops of which pragmas ask something, in what an engine has derived."""
    found: dict[Key, Asking] = {}
    costs = CallCosts(engine)
    for plan, copy in engine.plans.values():
        subject = copy.subject
        for loop in subject.loops.loops:
            wish = loop_pragma(subject.module, loop)
            if wish:
                choice = replace(_measured(plan, copy, loop, costs), asked=PRAGMA, wish=wish)
                if choice.key not in found or choice.bytes > found[choice.key].choice.bytes:
                    found[choice.key] = Asking(_around(copy, loop), choice)
    return found


def make_iterations(module: Module, bodies: Mapping[Key, BodyWish], config: Config) -> tuple[Iteration, ...]:
    """Make the bodies of loops of a prepared module functions."""
    found = []
    for (name, header), wish in bodies.items():
        function = module.get_function(name)
        if function is None:
            continue
        at_edge = config.stored_results and not wish.sums
        several = config.iterations_together and config.reassociate and not (wish.sums or wish.narrow)
        least = LANES if wish.guarded and several else 0
        made = make_iteration(
            module, function, header, wish.sums, at_edge, config.scattered_sums, least, config.handed_loads
        )
        if made is not None and several:
            wide = take_together(module, made, config)
            made = replace(made, together=wide)
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


def _take_back(engine: Engine, attempt: Attempt, new: set[Key], error: EnzymeError) -> None:
    """With these new loops there are no derivatives: they run one iteration at a time, or keep their tapes."""
    wide = {each.key for each in engine.iterations if each.together is not None} & new
    attempt.narrow |= wide
    for key in new - wide:
        attempt.settled[key] = replace(attempt.wanted.pop(key), reason=f"as a function: {error.what}")


def _judge(engine: Engine, attempt: Attempt) -> None:
    """Take back the loops that are not replayed everywhere, or whose iterations cost more than their tape; what they do
    is tried at once, where that may be right."""
    turned: set[Key] = set()
    names = {each.made.name or "": each.key for each in engine.iterations}
    together = {each.together.name or "": each.key for each in engine.iterations if each.together is not None}
    attempt.narrow |= {together[callee] for (_, callee), why in engine.replayed.items() if why and callee in together}
    for key in set(attempt.wanted) - set(names.values()):
        attempt.settled[key] = replace(attempt.wanted.pop(key), reason="its body cannot be made a function")
    for (derivative, callee), reason in engine.replayed.items():
        found = names.get(callee)
        if found is None or found not in attempt.wanted or found in turned:
            continue
        maps = engine.maps.get((derivative, callee))
        choice = replace(
            attempt.wanted[found],
            dropped=(derivative, callee) in engine.dropped,
            at_once=(derivative, callee) in engine.at_once,
            together=LANES if found in together.values() else 1,
            behind=maps.words(engine.subject(callee)) if maps is not None else "",
            reason=reason,
        )
        twice = not reason and not choice.dropped and not choice.at_once
        if choice.instead == "" and (reason or (twice and choice.together == 1)):
            attempt.wanted[found] = replace(choice, at_once=True, instead=None, reason="")
            turned.add(found)
            continue
        if twice and not choice.gains_twice and not choice.asked:
            choice = replace(choice, reason="to run the iterations once more costs more")
        if choice.reason and choice.instead:
            choice = replace(choice, reason=also(choice.reason, choice.instead))
        if choice.reason:
            del attempt.wanted[found]
            attempt.settled[found] = choice
        else:
            attempt.wanted[found] = choice


def _worthwhile(engine: Engine, attempt: Attempt) -> list[LoopChoice]:
    """Further loops that the plans of an engine keep much for: outermost ones, and those in loops that keep theirs."""
    found: dict[Key, LoopChoice] = {}
    costs = CallCosts(engine)
    for plan, copy in engine.plans.values():
        subject = copy.subject
        if is_marked(subject, subject.function):
            continue
        done = _made_loops(engine, subject.function)
        for loop in subject.loops.loops:
            key = _key(copy, loop)
            if loop.header.name and key[1] not in done and attempt.is_turn(key, _around(copy, loop)):
                choice = _weigh(engine, plan, copy, loop, costs)
                if choice is not None and choice.bytes > found.get(choice.key, choice).bytes - 1:
                    found[choice.key] = choice
    return list(found.values()) or _several_at_once(engine, attempt, costs)


def _made_loops(engine: Engine, function: Function) -> set[str]:
    """The headers of loops that call iterations."""
    mine = [each for each in engine.iterations if each.function == function.name]
    return {f"{each.header}{kind}" for each in mine for kind in (SMALL_LOOP, WIDE_LOOP)}


def _several_at_once(engine: Engine, attempt: Attempt, costs: CallCosts) -> list[LoopChoice]:
    """Innermost loops that add to numbers in memory where a table says, or look up numbers, to whose adjoints the
    reverse sweep adds: no compiler makes vectors of that, as two of the numbers may be one. Nor of iterations that go
    different ways, and seldom of those that go by records. Several of their iterations may be run at once, whatever is
    on the tape."""
    config = engine.config
    if not (config.stored_results and config.iterations_together and config.reassociate):
        return []
    found: dict[Key, LoopChoice] = {}
    for plan, copy in engine.plans.values():
        subject = copy.subject
        if is_marked(subject, subject.function):
            continue
        done = _made_loops(engine, subject.function)
        for loop in subject.loops.loops:
            key = _key(copy, loop)
            tried = key[1] in done or key in attempt.wanted or key in attempt.settled or key in found
            within = any(each in attempt.wanted for each in _around(copy, loop))
            if tried or within or not (loop.header.name and _runs_together(engine, copy, loop)):
                continue
            least = _least_operations(engine, copy, loop)
            if least is not None and not _why_not(engine, copy, loop):
                operations, why = least
                few = loop.parent is not None and rounds_of(subject, loop) is None
                choice = replace(_measured(plan, copy, loop, costs), because=why, guarded=few)
                if choice.operations - choice.apart >= operations and not _wish(engine, copy, loop)[0]:
                    found[key] = choice
    return list(found.values())


def _weigh(engine: Engine, plan: TapePlan, copy: PrimalCopy, loop: Loop, costs: CallCosts) -> LoopChoice | None:
    tapes = [tape for tape in plan.tapes if loop.contains(tape.loop)]
    inside = [tape for tape in tapes if tape.loop is not loop or tape.snapshot is not None]
    wish, asked = _wish(engine, copy, loop)
    if not asked and engine.on_gpu and not _is_on_stack(plan, tapes):
        wish, asked = RECOMPUTE, "the GPU"  # whose heap takes microseconds for each block
    forced = bool(asked)
    calls = any(inst.block in loop.blocks for inst in copy.at_once)
    kept = any(costs.kept_by(copy, inst) for block in loop.blocks for inst in block.instructions)
    alone = not (inside or kept or forced or calls or loop.children)
    neighbours = alone and _has_neighbour_calls(engine, copy, loop)
    shares = neighbours or (alone and bool(tapes) and _shares_calls(copy, loop))
    if not (tapes if forced or calls else inside) and not kept and not shares:
        return None
    choice = replace(_measured(plan, copy, loop, costs), asked=asked, wish=wish, shares=shares)
    if kept:  # what calls leave is in no array whose entries are known
        rounds = all_trips(copy.subject, loop)
        sizes = [rounds * choice.bytes if rounds is not None else None]
    else:
        sizes = [t.total * plan.bytes_per_iteration(t) if t.total is not None else None for t in tapes]
    known = [size for size in sizes if size is not None]
    if len(known) == len(sizes) and sum(known) <= IN_CACHE and not (forced or neighbours):
        return None
    if wish == KEEP:
        return replace(choice, reason=_NO_OTHER)
    worth = PER_ITERATION + LEAST_GAIN * choice.operations * PER_OPERATION
    if not (forced or calls or shares) and choice.tape_ns < worth:
        return None
    shape = why_no_iteration(loop)
    if shape:
        return replace(choice, reason=shape)
    reason = _why_not(engine, copy, loop)
    if not engine.config.at_once or (neighbours and not tapes):
        return replace(choice, reason=reason)
    instead = why_no_loop_at_once(engine, copy, loop)
    choice = replace(choice, sums=sums_of(copy, loop))
    if reason:
        return replace(choice, reason=also(reason, instead), at_once=not instead)
    return replace(choice, instead=instead)


def _shares_calls(copy: PrimalCopy, loop: Loop) -> bool:
    """Whether a loop calls, for one number at a time, functions whose partials are had in the same call."""
    return any(
        math.name in _WITH_PARTNERS
        for inst in _called_apart(copy, loop)
        if (math := callee_math_name(inst)) is not None
    )


def _has_neighbour_calls(engine: Engine, copy: PrimalCopy, loop: Loop) -> bool:
    """Whether it calls functions, for one number at a time, with what other iterations call them with."""
    config = engine.config
    if not (config.iterations_together and config.neighbour_calls and config.reassociate) or engine.on_gpu:
        return False
    calls = set(_called_apart(copy, loop))
    return len(calls) > 1 and has_neighbour_calls(loop, copy.subject.forms, calls)


def _called_apart(copy: PrimalCopy, loop: Loop) -> Iterator[CallBase]:
    for block in loop.order:
        for inst in block.instructions:
            if isinstance(inst, CallBase) and is_called_apart(inst) and copy.activity.active_value(inst):
                yield inst


def _is_on_stack(plan: TapePlan, tapes: Sequence[LoopTape]) -> bool:
    """Whether tapes of loops lie on the stack of a GPU's thread, and are small enough to."""
    sizes = [t.total * plan.bytes_per_iteration(t) if t.sizing == "constant" and t.total else None for t in tapes]
    return None not in sizes and sum(size for size in sizes if size is not None) <= _OF_THREAD


def _wish(engine: Engine, copy: PrimalCopy, loop: Loop) -> tuple[str, str]:
    """What is asked of a loop, and who asks: its pragma before its function, and that before the configuration."""
    module, function = copy.subject.module, copy.subject.function
    pragma = loop_pragma(module, loop)
    if pragma:
        return pragma, PRAGMA
    said = marks(module, function).get(LOOPS)
    if said:
        return (said, "the function") if said != "auto" else ("", "")
    return (RECOMPUTE, "the configuration") if engine.config.loops == RECOMPUTE else ("", "")


def _key(copy: PrimalCopy, loop: Loop) -> Key:
    return copy.subject.function.name or "", loop.header.name or ""


def _around(copy: PrimalCopy, loop: Loop) -> tuple[Key, ...]:
    """The loops around a loop, innermost first."""
    return tuple(_key(copy, each) for each in loop.ancestors()[1:])


def _measured(plan: TapePlan, copy: PrimalCopy, loop: Loop, costs: CallCosts) -> LoopChoice:
    """The numbers of one iteration of a loop: the tape it leaves with the loops inside and the calls, and its
    operations."""
    subject = copy.subject
    tapes = (tape for tape in plan.tapes if loop.contains(tape.loop))
    size = sum(plan.bytes_per_iteration(tape) * trips(subject, tape.loop, loop) for tape in tapes)
    frames = work = apart = 0
    for block in loop.blocks:
        inner = subject.loops.loop_of(block)
        assert inner is not None
        times = trips(subject, inner, loop)
        frames += times * sum(costs.kept_by(copy, inst) for inst in block.instructions)
        work += times * sum(costs.work(inst) for inst in block.instructions)
        apart += times * sum(costs.work(inst) for inst in block.instructions if is_called_apart(inst))
    key, place = _key(copy, loop), loop_place(subject, loop)
    return LoopChoice(key, size + frames, work, place=place, frames=frames, apart=apart)


def _why_not(engine: Engine, copy: PrimalCopy, loop: Loop) -> str:
    """What already speaks against making a call of the iteration again."""
    alias = copy.subject.alias
    stored = edge_accesses(alias, loop, engine.config.scattered_sums).last if engine.config.stored_results else ()
    for block in loop.blocks:
        for inst in block.instructions:
            if inst in stored:
                continue
            found = why_once(inst, own_blocks=True)
            if isinstance(inst, Store) and not found:
                if not all(is_scratch(alias, memory) for memory in alias.underlying_objects(inst.pointer)):
                    found = "it writes memory that is seen elsewhere"
            callee = inst.callee if isinstance(inst, CallBase) else None
            if isinstance(callee, Function) and not callee.is_declaration:
                found = found or why_effects(engine, callee, copy.subject.function)
            if found:
                return found
    return ""
