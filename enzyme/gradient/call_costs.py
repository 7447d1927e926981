"""What calls leave on the tape, and the work that they are, for the choice of loops whose iterations run again.

A function that is called has its derivative in two parts: the first leaves a frame, the arrays of its loops, its local
memory that has a shadow, blocks that it allocates, and what its own calls leave, until the second comes. All that stays
for each iteration of a loop that calls, as the loop's own arrays do.
"""

from __future__ import annotations

from itertools import takewhile
from math import prod

from enzyme.analysis.loops import Loop
from enzyme.analysis.symbolic import constant_value, evaluate_sym, signed
from enzyme.analysis.tripcount import affine_of
from enzyme.gradient.engine import Engine
from enzyme.gradient.plan import GUESSED_TRIPS
from enzyme.gradient.primal import PrimalCopy, is_dropped
from enzyme.gradient.subject import Subject
from enzyme.ir.types import DOUBLE
from enzyme.ir.values import Alloca, CallBase, ConstantInt, DebugRecord, Function, Instruction, Load, Phi, Store, Value
from enzyme.llvm.exact_vectors import FUNCTIONS
from enzyme.rules.expr import Cost
from enzyme.rules.known import known_call
from enzyme.rules.names import callee_math_name
from enzyme.rules.scalar import lookup_instruction

_WEIGHTS = {Cost.CHEAP: 1, Cost.DIVISION: 8, Cost.TRANSCENDENTAL: 30}
_LIBRARY = 50
"""Operations of a call whose function is not at hand."""
_POINTER = _DOUBLE = 8
_AROUND_BLOCK = 64
"""Bytes that an allocation takes beside what is asked for: its size, and the lines of the cache where it ends."""


def work_alone(inst: Instruction) -> int:
    """Operations of an instruction, if it calls nothing of the program's own."""
    if isinstance(inst, (Phi, DebugRecord)) or (isinstance(inst, CallBase) and is_dropped(inst)):
        return 0
    if isinstance(inst, (Load, Store)):
        return 1
    rule = lookup_instruction(inst)
    if rule is not None:
        return _WEIGHTS[rule.cost]
    return _LIBRARY if isinstance(inst, CallBase) else 1


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
        callee = inst.callee if isinstance(inst, CallBase) and lookup_instruction(inst) is None else None
        if isinstance(callee, Function) and not callee.is_declaration and not is_dropped(inst):
            return self._of_function(callee)
        return work_alone(inst)

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
        for inst in copy.subject.function.instructions():
            found += self._block(copy, inst) * (1 + copy.request.width)
        for inst in copy.callees:
            inner = loops.loop_of(inst.block) if inst.block is not None else None
            found += self.kept_by(copy, inst) * (trips(copy.subject, inner) if inner is not None else 1)
        return found

    def _block(self, copy: PrimalCopy, inst: Instruction) -> int:
        """Bytes of a block that a function allocates, and that is not freed before its reversal."""
        known = known_call(inst) if isinstance(inst, CallBase) else None
        if known is None or known.allocation is None or not isinstance(inst, CallBase):
            return 0
        sizes = (inst.args[index] for index in known.allocation.sizes)
        likely = (each.value if isinstance(each, ConstantInt) else _DOUBLE * GUESSED_TRIPS for each in sizes)
        return prod(likely) + _AROUND_BLOCK

    def _local(self, copy: PrimalCopy, inst: Alloca) -> int:
        count = inst.operands[0]
        times = count.value if isinstance(count, ConstantInt) else GUESSED_TRIPS
        return times * copy.subject.module.datalayout.alloc_size(inst.allocated_type) + _AROUND_BLOCK


def is_called_apart(inst: Instruction) -> bool:
    """Whether an instruction calls a function of mathematics that has no version for several numbers."""
    rule = lookup_instruction(inst)
    if rule is None or rule.cost is not Cost.TRANSCENDENTAL or "fast" in inst.flags or "afn" in inst.flags:
        return False
    math = callee_math_name(inst) if isinstance(inst, CallBase) else None
    return math is None or math.name not in FUNCTIONS or inst.type is not DOUBLE


def trips(subject: Subject, loop: Loop, outer: Loop | None = None) -> int:
    """How often a loop's body runs in one iteration of ``outer``, or in one call, as far as that can be told."""
    around = takewhile(lambda each: each is not outer, loop.ancestors())
    return prod(_likely_rounds(subject, each) for each in around)


def all_trips(subject: Subject, loop: Loop) -> int | None:
    """How often a loop's body runs in one call, where that is a constant."""
    known = [rounds for each in loop.ancestors() if (rounds := rounds_of(subject, each)) is not None]
    return prod(known) if len(known) == len(loop.ancestors()) else None


def rounds_of(subject: Subject, loop: Loop) -> int | None:
    """How often the body runs when the loop is entered, where that is a constant; once at least."""
    count = subject.backedge_count(loop)
    constant = constant_value(count) if count is not None else None
    return constant + 1 if constant is not None else None


def _likely_rounds(subject: Subject, loop: Loop) -> int:
    """The same where it hangs on the counters of loops around it: as often as with those half way."""
    count = subject.backedge_count(loop)
    if count is None:
        return GUESSED_TRIPS

    def half_way(value: Value) -> int:
        for each in loop.ancestors()[1:]:
            form = affine_of(each, value)
            step = constant_value(form.step) if form is not None else None
            if form is not None and step:
                moved = signed(step, form.bits) * (_likely_rounds(subject, each) // 2)
                return evaluate_sym(form.start, half_way) + (-moved if form.down else moved)
        raise LookupError

    try:
        found = signed(evaluate_sym(count, half_way), count.bits)
    except (LookupError, ArithmeticError):
        return GUESSED_TRIPS
    return max(found, 0) + 1
