"""Short nests that have nothing to do where no number that they read moves.

A product of two small matrices is computed for each bone of a hand, and its tangents for each group of lanes; but a
lane's parameter moves the bones below one joint, and nothing else. Where all that a nest reads lies at places that are
known in front of it, few enough to look at, a group looks at the tangents there: if all of them are zero, so is every
tangent that the nest writes, and the group takes a version that does nothing but write zeros. As elsewhere, zero times
an infinite or NaN factor counts as zero (group_loops.py).

Only places that the nest is sure to read are looked at, for others may be outside of what there is: those of loads that
are run in each round of loops with constant numbers of rounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from enzyme.analysis.activity import ActivityResult
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import Polynomial, Variable, counter
from enzyme.analysis.tripcount import constant_value
from enzyme.gradient.apply import active_partials
from enzyme.gradient.idle_factors import Idle, Read
from enzyme.gradient.interleaved import Interleaved
from enzyme.gradient.subject import Subject
from enzyme.ir.types import FloatType
from enzyme.ir.values import Instruction, Load, Phi, Store, Value
from enzyme.rules.scalar import lookup_instruction

_MOST = 64
"""Numbers that are looked at."""
_TERMS = 2
"""Terms of tangents for each of them, at least."""
_PLAIN = ("float", "double")


def find_idle_nest(subject: Subject, activity: ActivityResult, interleaved: Interleaved, loop: Loop) -> Idle | None:
    """What a loop reads that may all be idle; None where that is not known, or not worth looking."""
    rounds = _rounds(subject, loop)
    if rounds is None:
        return None
    forms = FunctionForms(subject.dominators, subject.loops, subject.module.datalayout, loop)
    factors: dict[Value, None] = {}
    reads: dict[Read, None] = {}
    values: set[Value] = set()
    terms = 0
    for block in loop.order:
        around = [each for each in rounds if each.contains(block)]
        times = 1
        for each in around:
            times *= rounds[each]
        for inst in block.instructions:
            if isinstance(inst, Store):
                if activity.needs_shadow(inst.pointer) and inst.pointer not in interleaved:
                    return None
            elif isinstance(inst, Load) and activity.active_value(inst):
                certain = all(subject.dominators.dominates(block, each.latch) for each in around)  # type: ignore[arg-type]
                if not certain or inst.pointer not in interleaved or len(reads) > _MOST:
                    return None
                found = _reads(forms, loop, inst, rounds)
                if found is None:
                    return None
                reads.update(dict.fromkeys(found))
                values.add(inst)
            elif activity.active_value(inst):
                for operand in inst.operands:
                    if activity.active_value(operand) and not (
                        isinstance(operand, Instruction) and loop.contains(operand)
                    ):
                        factors[operand] = None
                rule = lookup_instruction(inst) if not isinstance(inst, Phi) else None
                if rule is not None:
                    terms += times * len(active_partials(rule, inst, activity.active_value))
                values.add(inst)
    if not reads or not len(reads) <= _MOST or terms < _TERMS * len(reads):
        return None
    return Idle(tuple(factors), frozenset({*values, *factors}), tuple(reads))


def _rounds(subject: Subject, loop: Loop) -> dict[Loop, int] | None:
    """How often each loop of a nest is run, where that is known and all are left at their ends."""
    found: dict[Loop, int] = {}
    for each in _nest(loop):
        count = subject.backedge_count(each)
        number = constant_value(count) if count is not None else None
        latch = each.latch
        if number is None or latch is None or each.exiting_blocks != [latch] or number >= _MOST:
            return None
        if each.parent is not None and each is not loop:
            above = each.parent.latch
            if above is None or not subject.dominators.dominates(each.header, above):
                return None
        found[each] = number + 1
    return found


def _nest(loop: Loop) -> Iterator[Loop]:
    yield loop
    for child in loop.children:
        yield from _nest(child)


def _reads(forms: FunctionForms, nest: Loop, load: Load, rounds: dict[Loop, int]) -> list[Read] | None:
    """The places that a load reads in all rounds, as distances from pointers in front of a nest."""
    base, form = forms.from_base(load.pointer)
    if isinstance(base, Instruction) and nest.contains(base):
        return None
    if not isinstance(load.type, FloatType) or load.type.kind not in _PLAIN:
        return None
    counters = {counter(loop): count for loop, count in rounds.items()}
    if not all(each in counters for each in form.variables):
        return None
    used = sorted(form.variables, key=list(counters).index)
    total = 1
    for each in used:
        total *= counters[each]
    if total > _MOST:
        return None
    ways = product(*(range(counters[each]) for each in used))
    return [Read(base, _value(form, dict(zip(used, way, strict=True))), load.type) for way in ways]


def _value(form: Polynomial, of: dict[Variable, int]) -> int:
    total = 0
    for variables, factor in form.terms:
        for each in variables:
            factor *= of[each]
        total += factor
    return total
