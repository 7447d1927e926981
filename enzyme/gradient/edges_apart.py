"""The first and the last iterations of a loop apart from those between, where they alone are special.

Programs with periodic boundaries write ``u[(i + n - 1) % n]``, which is ``u[i - 1]`` in all but the first few and the
last few iterations. Left as it is, each iteration divides, and neither sweep runs in vectors, for where a remainder
leads nobody can tell. Conditions that hold at the ends alone (``i > 0``), as optimisers make them of some remainders,
are known between them as well; by themselves they are no reason: loops over whole arrays are seen as such.

So a loop that is in no other, or the innermost of a nest, becomes three of the same iterations in the same order: the
first ``p``, those between, in which remainders and conditions are replaced by what they are there, and the last ``q``.
That is for loops that run as often as a difference of numbers says that do not change in the nest. What a remainder or
a condition is, is told from polynomials in the loop's counter; they are right if nothing wraps, so the running program
asks in front of the nest whether all numbers in them are small, and the loop long enough. Else the nest runs as it was.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.loops import Loop, LoopForest
from enzyme.analysis.polynomials import Polynomial, Variable, combined, counter, in_program_order
from enzyme.gradient.asked_ahead import Question
from enzyme.gradient.exceptions import forget_edge
from enzyme.gradient.held_pointers import is_ahead
from enzyme.gradient.jumps import read_prepared
from enzyme.gradient.loop_versions import add_version, copied, leaves_by_phis
from enzyme.ir.builder import Builder
from enzyme.ir.printer import print_module
from enzyme.ir.types import I1, I64, FloatType, IntType
from enzyme.ir.values import (
    BinaryOp,
    Block,
    Branch,
    Cast,
    Compare,
    ConstantInt,
    Function,
    Instruction,
    Phi,
    Select,
    Value,
)
from enzyme.llvm.pipelines import shaped, simplified

_LONGEST = 1000
"""Instructions of a nest that gets another version."""
_LONGEST_LOOP = 400
"""The same of a loop that becomes three."""
_MOST_NESTS = 8
"""Nests of a function that get one."""
_EDGE = 8
"""Iterations at either end that may be special."""
_BETWEEN = 8
"""Iterations between them that make it worth it."""
_SMALL = 1 << 26
"""Numbers below that are small."""
_FACTORS = 4
"""What the factors before them come to at most in a sum, and"""
_STEP = 2
"""the factor before the counter: such a sum fits into 32 bits."""
_DEPTH = 12
_NARROWEST = 32
_REMAINDERS = ("srem", "urem")
_LESS = {"slt": 1, "sle": 0, "ult": 1, "ule": 0}
_GREATER = {"sgt": "slt", "sge": "sle", "ugt": "ult", "uge": "ule"}


def with_edges_apart(text: str) -> str | None:
    """Optimised functions, their loops with special iterations apart; None if none has any."""
    module = read_prepared(text)
    changed = [function.name or "" for function in list(module.functions.values()) if _divide(function)]
    if not changed:
        return None
    return shaped(simplified(print_module(module), changed))


def _divide(function: Function) -> bool:
    if function.is_declaration or not _may_have(function):
        return False
    cfg = ControlFlowGraph(function)
    forest = LoopForest(cfg, DominatorTree(cfg))
    if forest.irreducible_edges:
        return False
    made = 0
    for nest in [loop for loop in forest.loops if loop.parent is None]:
        if made < _MOST_NESTS and _fits(nest):
            innermost = [loop for loop in (nest, *nest.inside()) if not loop.children]
            plans = [plan for plan in (_planned(nest, loop) for loop in innermost) if plan is not None]
            if plans:
                _Division(function, nest, plans).make()
                made += 1
    return made > 0


def _may_have(function: Function) -> bool:
    """Whether there are remainders."""
    return any(isinstance(inst, BinaryOp) and inst.opcode in _REMAINDERS for inst in function.instructions())


def _fits(nest: Loop) -> bool:
    front = nest.preheader
    if front is None or not nest.is_simple or not isinstance(front.terminator, Branch):
        return False
    size = sum(len(block.instructions) for block in nest.order)
    numbers = any(isinstance(inst.type.scalar, FloatType) for block in nest.order for inst in block.instructions)
    return size <= _LONGEST and numbers and not front.terminator.is_conditional and leaves_by_phis(nest)


class _Forms:
    """Integers of one loop as polynomials in its counter, if nothing wraps: ``rooms`` must not be negative then, and
    all small that a number is made of."""

    def __init__(self, loop: Loop) -> None:
        self.loop, self.counter = loop, counter(loop)
        self.rooms: dict[Polynomial, None] = {}
        self.known: dict[Value, Polynomial] = {}
        """What remainders are, away from the ends."""
        self.settled: dict[Value, bool] = {}
        """The same of conditions."""
        self.leaves: dict[Value, frozenset[Variable]] = {}
        """What a number is made of, also where that has no part in it."""
        self._made: dict[Value, Polynomial | None] = {}

    def of(self, value: Value, depth: int = _DEPTH) -> Polynomial | None:
        if value in self.known:
            return self.known[value]
        if not isinstance(value.type, IntType) or not _NARROWEST <= value.type.bits <= 64:
            return None
        if isinstance(value, ConstantInt):
            return Polynomial.number(value.value) if abs(value.value) < _SMALL else None
        if value not in self._made:
            found = self._opened(value, depth) if depth else None
            if found is not None and not self._fits(found):
                found = None
            if found is None and self.loop.is_invariant(value):
                found = Polynomial.variable((value, "sext"))
                self.leaves[value] = frozenset({(value, "sext")})
            self._made[value] = found
        return self._made[value]

    def _fits(self, form: Polynomial) -> bool:
        """Whether a form is small where its variables are."""
        factors = {product: abs(factor) for product, factor in form.varying}
        step = factors.pop((self.counter,), 0)
        degree = max(map(len, factors), default=1)
        return degree == 1 and step <= _STEP and sum(factors.values()) <= _FACTORS and abs(form.offset) < _SMALL

    def _parts(self, value: Instruction, parts: Iterable[Value], depth: int) -> list[Polynomial] | None:
        found: list[Polynomial] = []
        made_of: frozenset[Variable] = frozenset()
        for part in parts:
            form = self.of(part, depth - 1)
            if form is None:
                return None
            found.append(form)
            made_of |= self.leaves.get(part, frozenset())
        self.leaves[value] = made_of
        return found

    def _opened(self, value: Value, depth: int) -> Polynomial | None:
        if isinstance(value, Cast) and value.opcode in ("sext", "zext", "trunc"):
            parts = self._parts(value, value.operands, depth)
            if parts is not None and value.opcode == "zext" and "nneg" not in value.flags:
                if parts[0].degree(self.counter):
                    return None
                self.rooms[parts[0]] = None
            return parts[0] if parts is not None else None
        if isinstance(value, BinaryOp):
            if value.opcode not in ("add", "sub", "mul", "shl") and "disjoint" not in value.flags:
                return None
            parts = self._parts(value, value.operands, depth)
            if parts is None or (value.opcode == "mul" and all(part.constant is None for part in parts)):
                return None
            return combined("add" if value.opcode == "or" else value.opcode, *parts)
        if isinstance(value, Select) and value.operands[0] in self.settled:
            parts = self._parts(value, [value.operands[1 if self.settled[value.operands[0]] else 2]], depth)
            return parts[0] if parts is not None else None
        return self._counted(value, depth) if isinstance(value, Phi) else None

    def _counted(self, phi: Phi, depth: int) -> Polynomial | None:
        """A phi at the head of the loop that moves by the same in every iteration."""
        latch = self.loop.latch
        if phi.block is not self.loop.header or latch is None or len(phi.incoming) != 2:
            return None
        following = phi.value_from(latch)
        (first,) = (value for value, source in phi.incoming if source is not latch)
        if not isinstance(following, BinaryOp) or following.opcode != "add" or following.operands[0] is not phi:
            return None
        by, parts = following.operands[1], self._parts(phi, [first], depth)
        if parts is None or not isinstance(by, ConstantInt):
            return None
        return parts[0].plus(Polynomial.variable(self.counter), by.value)

    def rounds(self) -> Polynomial | None:
        """How often the loop runs, which asks at its end: if that is one or more."""
        latch = self.loop.latch
        end = latch.terminator if latch is not None else None
        asked = end.operands[0] if isinstance(end, Branch) and end.is_conditional else None
        if end is None or not isinstance(asked, Compare) or asked.opcode != "icmp":
            return None
        stays = end.operands[1] is self.loop.header
        difference = self.difference(asked)
        step = difference.stride(self.counter) if difference is not None else None
        if difference is None or step is None or abs(step) != 1:
            return None
        at_first = difference.at(self.counter, 0)
        if asked.predicate == ("ne" if stays else "eq"):
            return at_first.times(Polynomial.number(-step)).plus(Polynomial.number(1))
        # It goes on while the difference is negative, or at most zero; or stops when it is not.
        predicate = _GREATER.get(asked.predicate, asked.predicate)
        if predicate not in _LESS or not stays or step != 1 or predicate[0] == "u":
            return None
        return at_first.times(Polynomial.number(-1)).plus(Polynomial.number(2 - _LESS[predicate]))

    def made_of(self, values: Iterable[Value]) -> set[Variable]:
        return {leaf for value in values for leaf in self.leaves.get(value, ())}

    def difference(self, compare: Compare) -> Polynomial | None:
        """Left less right; or right less left, where the comparison is whether the left one is greater."""
        left, right = (self.of(each) for each in compare.operands)
        if left is None or right is None:
            return None
        return right.minus(left) if compare.predicate in _GREATER else left.minus(right)


@dataclass
class _Plan:
    """A loop that becomes three."""

    loop: Loop
    rounds: Polynomial
    forms: _Forms
    leaves: set[Variable]
    """What must be small for all of this to be right."""
    first: int = 0
    last: int = 1

    def room(self, form: Polynomial) -> tuple[int, int] | None:
        """How many iterations at either end are special, if a form is not negative in all others."""
        step = form.stride(self.forms.counter)
        if step is None:
            return None
        if step == 0:
            least = form.constant
            return (0, 0) if least is not None and least >= 0 else None
        end = Polynomial.number(0) if step > 0 else self.rounds.minus(Polynomial.number(1))
        least = form.replaced(self.forms.counter, end).constant
        if least is None:
            return None
        special = max(0, -(least // abs(step)))
        return None if special > _EDGE else (special, 0) if step > 0 else (0, special)

    def both(self, *forms: Polynomial) -> tuple[int, int] | None:
        """The same of several."""
        found = [self.room(form) for form in forms]
        if any(each is None for each in found):
            return None
        return max(each[0] for each in found if each), max(each[1] for each in found if each)

    def take(self, ends: tuple[int, int]) -> None:
        self.first, self.last = max(self.first, ends[0]), max(self.last, ends[1])


def _planned(nest: Loop, loop: Loop) -> _Plan | None:
    """How a loop becomes three; None if it does not."""
    latch = loop.latch
    if latch is None or loop.preheader is None or [inside for inside, _ in loop.exits] != [latch]:
        return None
    if not loop.is_simple or not leaves_by_phis(loop):
        return None
    instructions = [inst for block in loop.order for inst in block.instructions]
    if len(instructions) > _LONGEST_LOOP or not any(isinstance(inst.type.scalar, FloatType) for inst in instructions):
        return None
    forms = _Forms(loop)
    rounds, end = forms.rounds(), latch.instructions[-1].operands[0]
    if rounds is None or not _is_plain(rounds, nest) or rounds.constant is not None:
        return None
    assert isinstance(end, Instruction)
    plan = _Plan(loop, rounds, forms, forms.made_of(end.operands))
    for inst in instructions:
        if isinstance(inst, BinaryOp) and inst.opcode in _REMAINDERS:
            _note_remainder(plan, inst, nest)
        elif isinstance(inst, Compare) and inst.opcode == "icmp" and inst is not end:
            _note_condition(plan, inst)
    there = all(isinstance(what, Value) and is_ahead(what, nest.is_invariant) for what, _ in plan.leaves)
    return plan if forms.known and there and all(_is_plain(room, nest) for room in forms.rooms) else None


def _note_remainder(plan: _Plan, inst: BinaryOp, nest: Loop) -> None:
    """What a remainder is between the ends, if that can be told."""
    forms = plan.forms
    number, by = (forms.of(each) for each in inst.operands)
    if number is None or by is None or by.degree(forms.counter) or not _is_plain(by, nest):
        return
    one = Polynomial.number(1)
    for times in (0, 1):
        rest = number.plus(by, -times)
        ends = plan.both(rest, by.minus(one).minus(rest))
        if ends is not None:
            plan.take(ends)
            forms.rooms[by.minus(one)] = None
            forms.known[inst] = rest
            plan.leaves |= forms.made_of(inst.operands)
            forms.leaves[inst] = frozenset(forms.made_of(inst.operands))
            return


def _note_condition(plan: _Plan, inst: Compare) -> None:
    """The same of a condition that somebody goes by."""
    forms = plan.forms
    if not any(isinstance(user, (Select, Branch)) for user in inst.users):
        return
    if inst.predicate[0] == "u" and "samesign" not in inst.flags:
        return
    difference = forms.difference(inst)
    if difference is None:
        return
    one, minus = Polynomial.number(1), difference.times(Polynomial.number(-1))
    if inst.predicate in ("eq", "ne"):
        ways = [(difference.minus(one), inst.predicate == "ne"), (minus.minus(one), inst.predicate == "ne")]
    else:
        less = _LESS[_GREATER.get(inst.predicate, inst.predicate)]
        ways = [(minus.minus(Polynomial.number(less)), True), (difference.minus(Polynomial.number(1 - less)), False)]
    for form, holds in ways:
        ends = plan.both(form)
        if ends is not None:
            plan.take(ends)
            forms.settled[inst] = holds
            plan.leaves |= forms.made_of(inst.operands)
            return


def _is_plain(form: Polynomial, nest: Loop) -> bool:
    """Whether a form is a short sum of what is known in front of the nest."""
    return (
        abs(form.offset) < _SMALL
        and all(len(product) == 1 for product, _ in form.varying)
        and sum(abs(factor) for _, factor in form.varying) <= _FACTORS
        and all(isinstance(what, Value) and is_ahead(what, nest.is_invariant) for what, _ in form.variables)
    )


class _Division:
    """The version of a nest in which loops are three, and what asks whether it may run."""

    def __init__(self, function: Function, nest: Loop, plans: list[_Plan]) -> None:
        self.function, self.nest, self.plans = function, nest, plans
        assert nest.preheader is not None
        self.front = nest.preheader
        self.question = Question(Builder(self.front, before=self.front.terminator), nest.is_invariant)

    def make(self) -> None:
        condition = self._asked()
        limits = [self.question.emit(plan.rounds.minus(Polynomial.number(plan.last))) for plan in self.plans]
        copies = add_version(self.function, self.nest, self.front, condition)
        for plan, limit in zip(self.plans, limits, strict=True):
            self._divide(plan, copies, limit)

    def _asked(self) -> Value:
        """Whether all is small, and the loops are long enough."""
        leaves = Polynomial.of({(leaf,): 1 for plan in self.plans for leaf in plan.leaves})
        rooms: dict[Polynomial, None] = {}
        for plan in self.plans:
            rooms[plan.rounds.minus(Polynomial.number(plan.first + plan.last + _BETWEEN))] = None
            rooms.update(plan.forms.rooms)
        return self.question.holds(rooms, ((leaf, _SMALL) for (leaf,), _ in in_program_order(leaves.varying)))

    def _divide(self, plan: _Plan, copies: dict[Value, Value], limit: Value) -> None:
        def block_of(block: Block | None) -> Block:
            assert block is not None
            found = copies.get(block, block)
            assert isinstance(found, Block)
            return found

        loop = plan.loop
        outside = block_of(loop.exits[0][1])
        header, latch = block_of(loop.header), block_of(loop.latch)
        entry = self.front if loop is self.nest else block_of(loop.preheader)
        order = [block_of(block) for block in loop.order]
        phis = [(phi, phi.value_from(entry), phi.value_from(latch)) for phi in header.phis]
        between: dict[Value, Value] = {}
        ends = copied(self.function, order)
        parts = [(between, plan.first, limit, False), (ends, 0, ConstantInt(I64, plan.last), plan.last == 1)]
        if plan.first:
            begins = copied(self.function, order)
            parts.insert(0, (begins, 0, ConstantInt(I64, plan.first), plan.first == 1))
        for phi in outside.phis:
            value = phi.value_from(latch)
            phi.add_incoming(ends.get(value, value), _block(ends, latch))
        forget_edge(outside, latch)
        assert entry.terminator is not None
        entry.terminator.replace_operand(header, _block(parts[0][0], header))
        values = [first for _, first, _ in phis]
        rounds: list[Value] = []
        for number, (made, start, stop, once) in enumerate(parts):
            is_last = number == len(parts) - 1
            behind = outside if is_last else self.function.append_block(Block("edge"))
            here, end = _block(made, header), _block(made, latch)
            following = [made.get(each, each) for _, _, each in phis]
            for (phi, _, _), value, again in zip(phis, values, following, strict=True):
                own = made.get(phi, phi)
                assert isinstance(own, Phi)
                own.drop_operands()
                own.add_incoming(value, entry)
                if not once:
                    own.add_incoming(again, end)
            rounds.append(_runs(here, end, entry, start, stop, behind, once))
            if not is_last:
                begin = _block(parts[number + 1][0], header)
                Builder(behind).br(begin)
            values, entry = following, behind
        self._specialise(plan, copies, rounds[-2])

    def _specialise(self, plan: _Plan, copies: dict[Value, Value], round: Value) -> None:
        """Remainders, conditions and widened indices are what they are between the ends."""
        forms = plan.forms
        for condition, holds in forms.settled.items():
            copies[condition].replace_all_uses_with(ConstantInt(I1, holds))
        for block in plan.loop.order:
            for inst in block.instructions:
                known = inst in forms.known
                if not known and not (isinstance(inst, Cast) and inst.opcode in ("sext", "zext") and inst.type is I64):
                    continue
                form, copy = forms.of(inst), copies[inst]
                if form is None or not form.degree(forms.counter) or not (known or self._is_told(plan, inst)):
                    continue
                assert isinstance(copy, Instruction) and copy.block is not None
                build = Builder(copy.block, before=copy)
                value = form.emit(build, lambda leaf: round if leaf == forms.counter else self.question.of(leaf))
                if copy.type is not I64:
                    value = build.insert(Cast("trunc", value, copy.type, flags=("nuw", "nsw")))
                copy.replace_all_uses_with(value)

    def _is_told(self, plan: _Plan, inst: Instruction) -> bool:
        """Whether all is known to be small that a number is made of."""
        return plan.forms.leaves.get(inst, frozenset()) <= plan.leaves


def _block(made: dict[Value, Value], block: Block) -> Block:
    found = made.get(block, block)
    assert isinstance(found, Block)
    return found


def _runs(header: Block, latch: Block, entry: Block, start: int, stop: Value, behind: Block, once: bool) -> Value:
    """Have a loop run from one number to another, and give its counter."""
    end = latch.terminator
    assert end is not None
    build, number = Builder(latch, before=end), ConstantInt(I64, start)
    if once:
        build.br(behind)
        end.erase()
        return number
    phi = Builder(header, before=header.instructions[0]).phi(I64, [(number, entry)], "round")
    following = build.add(phi, ConstantInt(I64, 1), ("nuw", "nsw"))
    phi.add_incoming(following, latch)
    asked = build.icmp("eq", following, stop)
    build.cond_br(asked, behind, header).metadata = end.metadata
    end.erase()
    return phi
