"""The first and the last iterations of a loop apart from those between, where they alone are special.

Programs with periodic boundaries write ``u[(i + n - 1) % n]``, which is ``u[i - 1]`` in all but the first few and the
last few iterations; others stop at the edge, ``u[max(i - 1, 0)]``, or leave out what is beyond, ``if (i + 1 < n)``.
Left as it is, each iteration divides or asks, and neither sweep runs in vectors, for where an index leads nobody can
tell. Conditions that hold in one iteration (``i == 0``) are known between the ends as well; by themselves they are no
reason: strips.py and ring_loads.py see such loops as rows. Windows of neighbours that stop at the edge, loops from
``max(i - 2, 0)`` to ``min(i + 2, n - 1)``, run as often as one another between the ends: there they are unrolled.
Conditions on the counter of an outer loop that an inner one goes by keep that from running in vectors.

So a loop that is in no other, the innermost of a nest, or one around such windows or conditions becomes three of the
same iterations in the same order: the first ``p``, those between, in which remainders, extrema and conditions are
replaced by what they are there, and the last ``q``. That is for loops that run as often as a difference of numbers says
that do not change in the nest. What numbers are, is told from polynomials in the loop's counter (edge_forms.py); they
are right if nothing wraps, so the running program asks in front of the nest whether all numbers in them are small, and
the loop long enough. Else the nest runs as it was.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.loops import Loop, LoopForest
from enzyme.analysis.polynomials import Polynomial, Variable, widened
from enzyme.analysis.symbolic import is_extremum
from enzyme.gradient.asked_ahead import Question
from enzyme.gradient.edge_forms import (
    AMOUNT,
    EXTREMA,
    GREATER,
    LESS,
    REMAINDERS,
    UNSIGNED,
    Forms,
    Sizes,
    all_of,
    is_narrowed,
    is_plain,
    ordered,
)
from enzyme.gradient.exceptions import forget_edge
from enzyme.gradient.held_pointers import is_ahead
from enzyme.gradient.jumps import read_prepared
from enzyme.gradient.loop_versions import add_version, copied, leaves_by_phis
from enzyme.gradient.short_loops import CODE, ask_to_unroll, is_spoken_of
from enzyme.gradient.short_taps import asks_for_edges, mark_taps
from enzyme.gradient.wide_indices import WideIndices, may_wrap
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.printer import print_module
from enzyme.ir.types import I1, I64, FloatType, IntType
from enzyme.ir.values import (
    BinaryOp,
    Block,
    Branch,
    CallBase,
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
_WINDOW = 9
"""Rounds of a loop inside of one that becomes three, which are written out between the ends."""


def with_edges_apart(text: str, edges: bool = True, wide: bool = True) -> str | None:
    """Optimised functions, their loops with special iterations apart (``edges``), and their indices in 64 bits
    (``wide``); None if there are none of either."""
    whole: set[str] = set()
    while True:
        module = read_prepared(text)
        names = mark_taps(module, whole) if edges else []
        if names:
            module = read_prepared(shaped(simplified(print_module(module), names)))
        functions = [each for each in module.functions.values() if not each.is_declaration]
        asked = [each for each in functions if _may_have(each, edges, wide)]
        divided = {each.name or "": _divide(module, each, edges, wide) for each in asked}
        if whole.issuperset(lost := {name for name in names if not divided.get(name)}):
            break
        whole |= lost
    changed = [name for name, loops in divided.items() if loops is not None]
    return shaped(simplified(print_module(module), changed)) if changed else None


def _divide(module: Module, function: Function, edges: bool, wide: bool) -> int | None:
    """How many loops have become three; None where no nest has another version."""
    cfg = ControlFlowGraph(function)
    forest = LoopForest(cfg, DominatorTree(cfg))
    if forest.irreducible_edges:
        return None
    made = loops = 0
    for nest in [loop for loop in forest.loops if loop.parent is None]:
        if made < _MOST_NESTS and _fits(nest):
            plans = _plans(module, nest) if edges else []
            indices = WideIndices(nest) if wide else None
            if plans or (indices is not None and indices.found):
                _Division(module, function, nest, plans, indices).make()
                made, loops = made + 1, loops + len(plans)
    return loops if made else None


def _plans(module: Module, nest: Loop) -> list[_Plan]:
    """How loops of a nest become three, each behind those inside of it."""
    found: list[_Plan] = []
    for loop in sorted((nest, *nest.inside()), key=lambda each: -each.depth):
        plan = _planned(module, nest, loop, [plan for plan in found if loop.contains(plan.loop)])
        found += [plan] if plan is not None else []
    return found


def _may_have(function: Function, edges: bool, wide: bool) -> bool:
    """Whether there is anything for which three loops are better than one, or an index that may wrap."""
    return any((edges and asks_for_edges(inst)) or (wide and may_wrap(inst)) for inst in function.instructions())


def _fits(nest: Loop) -> bool:
    front = nest.preheader
    if front is None or not nest.is_simple or not isinstance(front.terminator, Branch):
        return False
    size = sum(len(block.instructions) for block in nest.order)
    numbers = any(isinstance(inst.type.scalar, FloatType) for block in nest.order for inst in block.instructions)
    return size <= _LONGEST and numbers and not front.terminator.is_conditional and leaves_by_phis(nest)


@dataclass
class _Plan:
    """A loop that becomes three."""

    loop: Loop
    rounds: Polynomial
    forms: Forms
    sizes: Sizes
    leaves: set[Variable]
    """What must be small for all of this to be right."""
    first: int = 0
    last: int = 1
    pays: bool = False
    """Whether there is something for which three loops are better than one."""
    told: set[Instruction] = field(default_factory=set)
    """Widened indices that are what their forms say."""
    short: list[Loop] = field(default_factory=list)
    """Loops inside that run a few times, as many as is known between the ends."""
    size: int = 0
    """Instructions that are there when the loop has become three."""

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

    @property
    def between(self) -> int:
        """Iterations between the ends that make it worth it: of rows one is enough."""
        return 1 if any(each not in self.short for each in self.loop.children) else _BETWEEN

    def is_asked_inside(self, condition: Value) -> bool:
        """Whether loops inside go by a condition for which three loops are better than one."""
        return (
            isinstance(condition, Compare)
            and asks_for_edges(condition)
            and any(
                isinstance(user, (Select, Branch)) and any(each.contains(user) for each in self.loop.children)
                for user in condition.users
            )
        )

    def take(self, ends: tuple[int, int]) -> None:
        self.first, self.last = max(self.first, ends[0]), max(self.last, ends[1])


def _planned(module: Module, nest: Loop, loop: Loop, inside: list[_Plan]) -> _Plan | None:
    """How a loop becomes three, with those ``inside`` that do; None if it does not."""
    latch = loop.latch
    if latch is None or loop.preheader is None or [inside for inside, _ in loop.exits] != [latch]:
        return None
    if not loop.is_simple or not leaves_by_phis(loop):
        return None
    instructions = [inst for block in loop.order for inst in block.instructions]
    direct = [plan for plan in inside if not any(each is not plan and each.loop.contains(plan.loop) for each in inside)]
    size = 3 * (len(instructions) + sum(each.size - each.size // 3 for each in direct))
    if size > 3 * _LONGEST_LOOP or not any(isinstance(inst.type.scalar, FloatType) for inst in instructions):
        return None
    forms = Forms(loop)
    rounds, end = forms.rounds(), latch.instructions[-1].operands[0]
    if rounds is None or not is_plain(rounds, nest) or rounds.constant is not None:
        return None
    plan = _Plan(loop, rounds, forms, Sizes(nest), set(forms.made_of(forms.compared())), size=size)
    for inst in instructions:
        if isinstance(inst, BinaryOp) and inst.opcode in REMAINDERS:
            _note_remainder(plan, inst, nest)
        elif isinstance(inst, CallBase) and is_extremum(inst, EXTREMA):
            _note_extremum(plan, inst)
        elif isinstance(inst, CallBase) and is_extremum(inst, AMOUNT):
            _note_amount(plan, inst)
        elif isinstance(inst, Compare) and inst.opcode == "icmp" and inst is not end:
            _note_condition(plan, inst)
    if loop.children:  # what changes with the outer counter alone is worked out once for all inner iterations
        if not inside:  # boxes in two dimensions are no faster where both loops are unrolled
            _note_windows(module, plan)
        plan.pays = bool(plan.short) or any(map(plan.is_asked_inside, forms.settled))
    if not plan.pays or not all(map(plan.sizes.take, ordered(plan.leaves))):
        return None
    if not all(is_plain(room, nest) for room in forms.rooms):
        return None
    plan.told = {inst for inst in instructions if _is_index(inst) and _can_be_told(plan, inst)}
    return plan


def _note_windows(module: Module, plan: _Plan) -> None:
    """Loops inside that run a few times, as many as is known, where what they run to is special at the ends."""
    for loop in [each for each in plan.loop.inside() if not each.children and not is_spoken_of(module, each)]:
        rounds = _rounds_between(plan, loop)
        size = sum(len(block.instructions) for block in loop.order)
        if rounds in range(1, _WINDOW + 1) and size * (rounds or 0) <= CODE:
            plan.short.append(loop)


def _rounds_between(plan: _Plan, loop: Loop) -> int | None:
    """How often a loop inside runs, if that is not known but between the ends. (That it is unrolled would be right all
    the same: LLVM looks itself.)"""
    rounds = Forms(loop).rounds()
    if rounds is None or rounds.constant is not None:
        return None
    for variable in ordered(rounds.variables):
        value, _ = variable
        form = plan.forms.of(value) if isinstance(value, Value) else None
        if form is None:
            return None
        rounds = rounds.replaced(variable, form)
    return rounds.constant


def _is_index(inst: Instruction) -> bool:
    """Whether an index is widened."""
    return inst.type is I64 and ((isinstance(inst, Cast) and inst.opcode in ("sext", "zext")) or is_narrowed(inst))


def _can_be_told(plan: _Plan, inst: Instruction) -> bool:
    """Whether an index is what its form says: if what that needs can be asked, it is."""
    forms, sizes = plan.forms, plan.sizes
    form = forms.of(inst)
    if form is None or not form.degree(forms.counter):
        return False
    signs: set[Variable] = set()
    for each in forms.bare[inst]:
        later = each.replaced(forms.counter, Polynomial.variable(forms.counter).plus(Polynomial.number(plan.first)))
        if any(factor < 0 for _, factor in later.terms):
            return False
        signs |= later.variables - {forms.counter}
    needed = forms.unsure[inst] - plan.leaves
    if not all(map(sizes.is_known, needed)) or not all(map(sizes.is_never_negative, signs)):
        return False
    for leaf in ordered(needed):
        sizes.take(leaf)
    for leaf in ordered(signs):
        sizes.take(leaf, with_sign=True)
    plan.leaves |= needed
    return True


def _note_remainder(plan: _Plan, inst: BinaryOp, nest: Loop) -> None:
    """What a remainder is between the ends, if that can be told."""
    forms = plan.forms
    number, by = (forms.of(each) for each in inst.operands)
    if number is None or by is None or by.degree(forms.counter) or not is_plain(by, nest):
        return
    if _is_bare(plan, inst.operands):
        return
    one = Polynomial.number(1)
    for times in (0, 1):
        rest = number.plus(by, -times)
        ends = plan.both(rest, by.minus(one).minus(rest))
        if ends is not None:
            plan.take(ends)
            forms.rooms[by.minus(one)] = None
            _know(plan, inst, rest)
            return


def _note_extremum(plan: _Plan, inst: CallBase) -> None:
    """The same of the lesser or the greater of two numbers, and of a difference that stops at zero."""
    forms = plan.forms
    left, right = (forms.of(each) for each in inst.args[:2])
    if left is None or right is None or _is_bare(plan, inst.args) or not isinstance(inst.type, IntType):
        return
    saturates, least = is_extremum(inst, ("usub",)), is_extremum(inst, ("smin", "umin"))
    for less, greater in ((right, left), (left, right)):
        # Without signs, numbers are what they seem to be if the lesser one is not negative.
        signs = (less,) if is_extremum(inst, UNSIGNED) else ()
        ends = plan.both(greater.minus(less), *signs)
        if ends is not None and not (saturates and less is left):
            plan.take(ends)
            _know(plan, inst, greater.minus(less) if saturates else less if least else greater)
            return


def _note_amount(plan: _Plan, inst: CallBase) -> None:
    """The same of a number without its sign."""
    form = plan.forms.of(inst.args[0])
    if form is None or _is_bare(plan, inst.args[:1]):
        return
    for times in (1, -1):
        amount = form.times(Polynomial.number(times))
        ends = plan.room(amount)
        if ends is not None:
            plan.take(ends)
            _know(plan, inst, amount)
            return


def _know(plan: _Plan, inst: Instruction, form: Polynomial) -> None:
    forms, parts = plan.forms, inst.args if isinstance(inst, CallBase) else inst.operands
    forms.known[inst] = form
    forms.leaves[inst] = forms.made_of(parts)
    forms.unsure[inst], forms.bare[inst] = frozenset(), frozenset()
    plan.leaves |= forms.leaves[inst]
    plan.pays = True


def _is_bare(plan: _Plan, values: Iterable[Value]) -> bool:
    """Whether it would have to be known that some number is not negative."""
    return bool(all_of(plan.forms.bare, values))


def _note_condition(plan: _Plan, inst: Compare) -> None:
    """The same of a condition that somebody goes by."""
    forms = plan.forms
    if not any(isinstance(user, (Select, Branch, Cast)) for user in inst.users):
        return
    signs: list[Polynomial] = []
    if inst.predicate[0] == "u" and "samesign" not in inst.flags:
        signs = [form for each in inst.operands if (form := forms.of(each)) is not None]
    difference = forms.difference(inst)
    if difference is None or _is_bare(plan, inst.operands):
        return
    one, minus = Polynomial.number(1), difference.times(Polynomial.number(-1))
    if inst.predicate in ("eq", "ne"):
        ways = [(difference.minus(one), inst.predicate == "ne"), (minus.minus(one), inst.predicate == "ne")]
    else:
        less = LESS[GREATER.get(inst.predicate, inst.predicate)]
        ways = [(minus.minus(Polynomial.number(less)), True), (difference.minus(Polynomial.number(1 - less)), False)]
    asked = [form for form in signs if not form.degree(forms.counter) and form.constant is None]
    if not all(is_plain(form, plan.sizes.nest) for form in asked):
        return
    for form, holds in ways:
        ends = plan.both(form, *(each for each in signs if each not in asked))
        if ends is not None:
            plan.take(ends)
            forms.rooms.update(dict.fromkeys(asked))
            forms.settled[inst] = holds
            plan.leaves |= forms.made_of(inst.operands)
            plan.pays |= asks_for_edges(inst)
            return


class _Division:
    """The version of a nest in which loops are three, or ``wide`` indices are, and what asks whether it may run."""

    def __init__(
        self, module: Module, function: Function, nest: Loop, plans: list[_Plan], wide: WideIndices | None
    ) -> None:
        self.module, self.function, self.nest, self.plans, self.wide = module, function, nest, plans, wide
        assert nest.preheader is not None
        self.front = nest.preheader
        self.question = Question(Builder(self.front, before=self.front.terminator), nest.is_invariant)
        self.more: defaultdict[Loop, list[Block]] = defaultdict(list)
        """Blocks of loops of the version that came with those inside which have become three."""

    def make(self) -> None:
        condition = self._asked()
        limits = [self.question.emit(plan.rounds.minus(Polynomial.number(plan.last))) for plan in self.plans]
        copies = add_version(self.function, self.nest, self.front, condition)
        if self.wide is not None:
            self.wide.widen(copies, {inst for plan in self.plans for inst in plan.told})
        for plan, limit in zip(self.plans, limits, strict=True):
            self._divide(plan, copies, limit)

    def _asked(self) -> Value:
        """Whether all is small, and the loops are long enough."""
        small: dict[Variable, int] = {}
        rooms: dict[Polynomial, None] = {}
        for plan in self.plans:
            rooms[plan.rounds.minus(Polynomial.number(plan.first + plan.last + plan.between))] = None
            rooms.update(plan.forms.rooms)
        for sizes in (*(plan.sizes for plan in self.plans), *([self.wide.sizes] if self.wide is not None else [])):
            rooms.update(sizes.rooms)
            for leaf, limit in sizes.small.items():
                small[leaf] = min(limit, small.get(leaf, limit))
        return self.question.holds(rooms, ((leaf, small[leaf]) for leaf in ordered(small)))

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
        order = [*map(block_of, loop.order), *self.more[loop]]
        before = len(self.function.blocks)
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
        for each in loop.ancestors()[1:]:
            self.more[each] += self.function.blocks[before:]
        self._specialise(plan, copies, rounds[-2])
        for each in plan.short:
            ask_to_unroll(self.module, block_of(each.latch).terminator)

    def _specialise(self, plan: _Plan, copies: dict[Value, Value], round: Value) -> None:
        """Remainders, conditions and widened indices are what they are between the ends."""
        forms = plan.forms
        for condition, holds in forms.settled.items():
            copies[condition].replace_all_uses_with(ConstantInt(I1, holds))
        for block in plan.loop.order:
            for inst in block.instructions:
                if inst in plan.told or (inst in forms.known and forms.known[inst].degree(forms.counter)):
                    form, copy = forms.of(inst), copies[inst]
                    assert form is not None and isinstance(copy, Instruction) and copy.block is not None
                    build = Builder(copy.block, before=copy)
                    variables = ordered(form.variables - {forms.counter})
                    leaves = {leaf: self._leaf(build, copies, leaf) for leaf in variables}
                    value = form.emit(build, {**leaves, forms.counter: round}.__getitem__)
                    if copy.type is not I64:
                        value = build.insert(Cast("trunc", value, copy.type, flags=("nuw", "nsw")))
                    copy.replace_all_uses_with(value)

    def _leaf(self, build: Builder, copies: dict[Value, Value], leaf: Variable) -> Value:
        """What a form is made of, as a number of 64 bits."""
        value, how = leaf
        assert isinstance(value, Value)
        if is_ahead(value, self.nest.is_invariant):
            return self.question.of(leaf)
        return widened(build, copies.get(value, value), how)


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
