"""What calls leave on the tape, and the work that they are, for the choice of loops whose iterations run again.

A function that is called has its derivative in two parts: the first leaves a frame, the arrays of its loops, its local
memory that has a shadow, and what its own calls leave, until the second comes. All that stays for each iteration of a
loop that calls, as the loop's own arrays do.
"""

from __future__ import annotations

from itertools import takewhile
from math import prod

from enzyme.analysis.loops import Loop
from enzyme.analysis.symbolic import constant_value
from enzyme.gradient.engine import Engine
from enzyme.gradient.plan import GUESSED_TRIPS
from enzyme.gradient.primal import PrimalCopy, is_dropped
from enzyme.gradient.subject import Subject
from enzyme.ir.values import Alloca, CallBase, ConstantInt, DebugRecord, Function, Instruction, Load, Phi, Store
from enzyme.rules.expr import Cost
from enzyme.rules.scalar import lookup_instruction

_WEIGHTS = {Cost.CHEAP: 1, Cost.DIVISION: 8, Cost.TRANSCENDENTAL: 30}
_LIBRARY = 50
"""Operations of a call whose function is not at hand."""
_POINTER = 8
_AROUND_BLOCK = 16
"""Bytes that an allocation takes beside what is asked for."""


class CallCosts:
    """What the calls in an engine's derivatives cost. Each number is for one call; of calls that come back to a
    function in which they are made, one alone counts."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._kept: dict[str, int] = {}
        self._work: dict[Function, int] = {}

    def kept_by(self, copy: PrimalCopy, inst: Instruction) -> int:
        """Bytes that a call in a derivative leaves until its reversal."""
        name = copy.callees.get(inst, "")
        if inst in copy.at_once or name not in self.engine.plans:
            return 0
        if self.engine.plans[name][1].request.mode != "split":
            return 0
        if name not in self._kept:
            self._kept[name] = 0
            self._kept[name] = self._of_split(name)
        return self._kept[name]

    def work(self, inst: Instruction) -> int:
        """Operations of an instruction, with those of what it calls."""
        if isinstance(inst, (Phi, DebugRecord)) or (isinstance(inst, CallBase) and is_dropped(inst)):
            return 0
        if isinstance(inst, (Load, Store)):
            return 1
        rule = lookup_instruction(inst)
        if rule is not None:
            return _WEIGHTS[rule.cost]
        callee = inst.callee if isinstance(inst, CallBase) else None
        if isinstance(callee, Function) and not callee.is_declaration:
            return self._of_function(callee)
        return _LIBRARY if isinstance(inst, CallBase) else 1

    def _of_function(self, function: Function) -> int:
        if function not in self._work:
            self._work[function] = _LIBRARY
            subject = self.engine.subject(function.name or "")
            found = 0
            for block in subject.live_blocks:
                loop = subject.loops.loop_of(block)
                times = trips(subject, loop) if loop is not None else 1
                found += times * sum(self.work(inst) for inst in block.instructions)
            self._work[function] = found
        return self._work[function]

    def _of_split(self, name: str) -> int:
        plan, copy = self.engine.plans[name]
        loops = copy.subject.loops
        found = 0  # what is in values, the caller keeps itself
        if not self.engine.is_in_values(name):
            found = sum(plan.sizes[value] for value in plan.scalars) + _AROUND_BLOCK
        for tape in plan.tapes:
            found += plan.bytes_per_iteration(tape) * trips(copy.subject, tape.loop)
            found += (_POINTER + _AROUND_BLOCK) * len(tape.values)
        for inst in copy.heap_allocas:
            found += self._local(copy, inst) * (1 + copy.request.width) if isinstance(inst, Alloca) else 0
        for inst in copy.callees:
            inner = loops.loop_of(inst.block) if inst.block is not None else None
            found += self.kept_by(copy, inst) * (trips(copy.subject, inner) if inner is not None else 1)
        return found

    def _local(self, copy: PrimalCopy, inst: Alloca) -> int:
        count = inst.operands[0]
        times = count.value if isinstance(count, ConstantInt) else GUESSED_TRIPS
        return times * copy.subject.module.datalayout.alloc_size(inst.allocated_type) + _AROUND_BLOCK


def trips(subject: Subject, loop: Loop, outer: Loop | None = None) -> int:
    """How often a loop's body runs in one iteration of ``outer``, or in one call, as far as that is known."""
    around = takewhile(lambda each: each is not outer, loop.ancestors())
    return prod(_rounds(subject, each) or GUESSED_TRIPS for each in around)


def all_trips(subject: Subject, loop: Loop) -> int | None:
    """How often a loop's body runs in one call, where that is a constant."""
    known = [rounds for each in loop.ancestors() if (rounds := _rounds(subject, each)) is not None]
    return prod(known) if len(known) == len(loop.ancestors()) else None


def _rounds(subject: Subject, loop: Loop) -> int | None:
    """How often the body runs when the loop is entered, where that is a constant; once at least."""
    count = subject.backedge_count(loop)
    constant = constant_value(count) if count is not None else None
    return constant + 1 if constant is not None else None
