"""What the loops of a function and its branches say about integers.

``BoundedForms`` are polynomials (polynomials.py) in which a counter that is truncated is the same number, if the bounds
of its loop say so. ``LoopBounds`` gives linear conditions that hold where a block runs: what the counters of the loops
around it are at least and at most, what branches have compared on the way, and between what the numbers lie that were
chosen by comparisons, such as a pivot's row. Nothing is said of numbers that wrap: what is found are integers.
"""

from __future__ import annotations

from collections.abc import Sequence

from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.guards import INVERSE
from enzyme.analysis.inequalities import impossible
from enzyme.analysis.loops import Loop, LoopForest
from enzyme.analysis.polynomials import Polynomial, Variable, combined, counter, in_program_order
from enzyme.analysis.symbolic import Sym, SymConst, SymOp, SymValue, is_extremum, signed, sym_values
from enzyme.analysis.tripcount import trip_count
from enzyme.ir.containers import Block
from enzyme.ir.layout import DataLayout
from enzyme.ir.types import I32, I64, IntType
from enzyme.ir.values import (
    BinaryOp,
    Branch,
    Call,
    Cast,
    Compare,
    ConstantInt,
    Instruction,
    Phi,
    Select,
    Value,
)

_ABOVE = 48
"""Dominators of a block whose conditions are looked at."""
_PARTS = 8
"""Values that a choice is made from, at most."""
_INNER = 4
"""Loops whose counters are taken out of a bound."""
_ONE = Polynomial.number(1)


class LoopBounds:
    """Bounds in one function.

    With ``certain`` bounds beside it, integers of 32 bits that are not made in an innermost loop are taken not to wrap
    in indices and in the ends of loops; ``forms.assumed`` says which, and how they are widened. What branches compare,
    and what numbers are chosen from, is read as ``exact`` forms: there, words of 64 bits may wrap as well, as random
    numbers and checks for overflow do, and what seems to be a contradiction would prove anything.
    """

    def __init__(
        self, dominators: DominatorTree, loops: LoopForest, layout: DataLayout, certain: LoopBounds | None = None
    ) -> None:
        self.domtree, self.forest = dominators, loops
        self.forms = BoundedForms(self, layout, trusting=certain is not None)
        self.exact: BoundedForms = certain.exact if certain is not None else BoundedForms(self, layout, exact=True)
        self._conditions: dict[Block, list[Polynomial]] = {}
        self._unequal: dict[Block, list[Polynomial]] = {}
        self._upper: dict[Loop, list[Polynomial]] = {}
        self._counts: dict[Loop, Sym] = {}
        self._bounds: dict[Variable, list[Polynomial]] = {}

    def conditions(self, block: Block) -> list[Polynomial]:
        """What is not negative where a block runs: of the counters of the loops around it, and of what branches on the
        way to it have compared."""
        if block not in self._conditions:
            self._conditions[block] = found = []
            loop = self.forest.loop_of(block)
            around = loop.ancestors() if loop is not None else []
            for each in around:
                number = Polynomial.variable(counter(each))
                found += [number, *(bound.minus(number) for bound in self._last(each))]
            found += self._compared(block, around)
            found += self._unwrapped(block)
        return self._conditions[block]

    def _unwrapped(self, block: Block) -> list[Polynomial]:
        """Sums and differences of 32 bits in the conditions of a block that do not wrap if these hold, as n - 2 where n
        is found to be at least 4, are the numbers that they look like."""
        found: list[Polynomial] = []
        for (variable,), _ in in_program_order([((each,), 1) for each in _variables(self._conditions[block])]):
            value, how = variable
            if not isinstance(value, BinaryOp) or value.type is not I32 or how != "sext":
                continue
            parts = [self.exact.integer(each) for each in value.operands] if value.opcode in ("add", "sub") else []
            form = combined(value.opcode, *parts) if parts and None not in parts else None  # type: ignore[arg-type]
            if form is not None and self.fits(form, block, *_range(32, how)):
                apart = Polynomial.variable(variable).minus(self.with_signs(form, block))
                found += [apart, Polynomial(()).minus(apart)]
        return found

    def unequal(self, block: Block) -> list[Polynomial]:
        """What is not zero where a block runs, by what branches on the way to it have compared."""
        if block not in self._unequal:
            loop = self.forest.loop_of(block)
            self._unequal[block] = self._compared(block, loop.ancestors() if loop is not None else [], unequal=True)
        return self._unequal[block]

    def ends(self) -> list[Value]:
        """What the counts of loops that were asked for are computed from."""
        return [value for tree in self._counts.values() for value in sym_values(tree)]

    def _last(self, loop: Loop) -> list[Polynomial]:
        """What the number of a loop's iteration is at most, in what there is in front of the loop."""
        if loop not in self._upper:
            self._upper[loop] = []
            count = trip_count(loop, self.domtree)
            tree = count.count if count.count is not None else count.maximum
            if tree is None:
                return []
            self._counts[loop] = tree
            found = self._most(tree, loop)
            self._upper[loop] = [form for form in found if self.is_made(form, loop.header, loop)]
        return self._upper[loop]

    def _most(self, tree: Sym, loop: Loop) -> list[Polynomial]:
        """Forms that a count is not above: both of the lesser of two numbers, and what is none below zero instead."""
        front = loop.preheader or self.domtree.idom(loop.header)
        if front is None:
            return []
        if isinstance(tree, SymOp) and tree.op == "select":
            asked, first, second = tree.args
            if isinstance(asked, SymOp) and asked.op in ("icmp.ult", "icmp.slt") and asked.args == (first, second):
                return [*self._most(first, loop), *self._most(second, loop)]
            if second == SymConst(0, tree.bits):
                return [form for form in self._most(first, loop) if self.fits(form, front, 0, None)]
            return []
        form = self._exact(tree, front)
        return [form] if form is not None else []

    def _exact(self, tree: Sym, front: Block) -> Polynomial | None:
        """A tree as the number that it is if nothing in it wraps, where that is certain."""
        found: Polynomial | None = None
        widened, bits = "sext", 64
        match tree:
            case SymConst():
                return Polynomial.number(signed(tree.value, tree.bits))
            case SymValue():
                found = self.forms.integer(tree.value)
            case SymOp(op="add" | "sub"):
                left, right = (self._exact(each, front) for each in tree.args)
                if left is not None and right is not None:
                    found, bits = combined(tree.op, left, right), tree.bits
            case SymOp(op="zext", args=(SymValue() as inner,)):
                found = self.forms.integer(inner.value, "zext")
            case SymOp(op="sext" | "zext" | "trunc"):
                found, widened, bits = self._exact(tree.args[0], front), tree.op, min(tree.bits, tree.args[0].bits)
        if found is None or not self.is_made(found, front):
            return None
        found = self.with_signs(found, front)
        return found if bits == 64 or self.fits(found, front, *_range(bits, widened)) else None

    def _compared(self, block: Block, around: Sequence[Loop], unequal: bool = False) -> list[Polynomial]:
        """What is not negative, or is ``unequal`` to zero, by the branches on the way to a block."""
        said = self._said_unequal if unequal else self._said
        found: list[Polynomial] = []
        at: Block | None = block
        for _ in range(_ABOVE):
            below, at = at, self.domtree.idom(at) if at is not None else None
            if at is None or below is None:
                break
            end = at.terminator
            if not isinstance(end, Branch) or not end.is_conditional or end.operands[1] is end.operands[2]:
                continue
            loop = self.forest.loop_of(at)
            if loop is not None and loop not in around:
                continue
            for target, truth in ((end.operands[1], True), (end.operands[2], False)):
                assert isinstance(target, Block)
                if target.predecessors == [at] and self.domtree.dominates(target, block):
                    found += [form for form in said(end.operands[0], truth, at) if self.is_made(form, at)]
        return found

    def _said(self, condition: Value, truth: bool, at: Block) -> list[Polynomial]:
        """What is not negative where a condition holds, or does not."""
        return [form for part in _parts_of(condition, truth) for form in self._of_compare(part, truth, at)]

    def _said_unequal(self, condition: Value, truth: bool, at: Block) -> list[Polynomial]:
        """What is not zero where a condition holds, or does not."""
        found: list[Polynomial] = []
        for part in _parts_of(condition, truth):
            left, right = (self.exact.integer(each) for each in part.operands)
            if part.predicate == ("ne" if truth else "eq") and left is not None and right is not None:
                found.append(self.with_signs(left, at).minus(self.with_signs(right, at)))
        return found

    def _of_compare(self, condition: Compare, truth: bool, at: Block) -> list[Polynomial]:
        predicate = condition.predicate if truth else INVERSE[condition.predicate]
        left, right = (self.exact.integer(each) for each in condition.operands)
        if left is None or right is None or predicate == "ne":
            return []
        left, right = self.with_signs(left, at), self.with_signs(right, at)
        greater = condition.operands[1]
        if predicate[1:] in ("gt", "ge"):
            left, right, greater = right, left, condition.operands[0]
        more = right.minus(left).minus(Polynomial.number(int(predicate[1:] in ("lt", "gt"))))
        if predicate == "eq":
            return [more, Polynomial(()).minus(more)]
        if predicate[0] == "u" and "samesign" not in condition.flags:
            # what is below a number without a sign has none itself
            return [more, left] if isinstance(greater, Cast) and greater.opcode == "zext" else []
        return [more]

    def bounds(self, variable: Variable) -> list[Polynomial]:
        """What is not negative by what a value is."""
        value, how = variable
        if not isinstance(value, Value) or not isinstance(value.type, IntType) or value.type.bits == 1:
            return []
        if variable not in self._bounds:
            self._bounds[variable] = found = []
            form, bits = Polynomial.variable(variable), value.type.bits
            if bits < 64:
                low, high = _range(bits, how)
                found += [form.minus(Polynomial.number(low)), Polynomial.number(high).minus(form)]
            if isinstance(value, Call) and is_extremum(value, ("smax", "smin")) and how == "sext":
                sign = 1 if "smax" in (value.callee_name or "") else -1
                for part in map(self.exact.integer, value.args):
                    if part is not None and value.block is not None and self.is_made(part, value.block):
                        found.append(Polynomial(()).plus(form.minus(self.with_signs(part, value.block)), sign))
            elif isinstance(value, (Phi, Select)) and how == "sext":
                self._bounds[variable] = found + self._chosen(value, form)
        return self._bounds[variable]

    def _chosen(self, value: Instruction, form: Polynomial) -> list[Polynomial]:
        """Bounds of one of several numbers."""
        parts, carried = self._parts(value)
        outer = self._around(value, carried)
        if not parts:
            return []
        ends: list[tuple[Polynomial, Block, tuple[Polynomial | None, Polynomial | None]]] = []
        for part, block in parts:
            number = self.exact.integer(part)
            if number is None or not self.is_made(number, block):
                return []
            number = self.with_signs(number, block)
            ends.append((number, block, (self._end(number, outer, 1), self._end(number, outer, -1))))
        found = []
        for sign, which in ((1, 0), (-1, 1)):
            for end in dict.fromkeys(each[which] for _, _, each in ends):
                if end is not None and all(self._is_beyond(number, block, end, sign) for number, block, _ in ends):
                    found.append(Polynomial(()).plus(form.minus(end), sign))
        return found

    def fits(self, form: Polynomial, block: Block, low: int, high: int | None) -> bool:
        """Whether a form is not below one number, and not above another, where a block runs."""
        if not self.is_made(form, block):
            return False
        form, known = self.with_signs(form, block), self.conditions(block)
        known = [*known, *self._plain_bounds([form, *known])]
        return impossible([*known, Polynomial.number(low - 1).minus(form)]) and (
            high is None or impossible([*known, form.minus(Polynomial.number(high + 1))])
        )

    def _parts(self, value: Instruction) -> tuple[list[tuple[Value, Block]], list[Loop]]:
        """What a value is chosen from, with the blocks where that is so, and the loops that hand it on from one
        iteration to the next; nothing where these are too many."""
        parts: dict[tuple[Value, Block], None] = {}
        carried: list[Loop] = []
        seen: set[Value] = set()
        work: list[tuple[Value, Block]] = [(value, value.block)] if value.block is not None else []
        while work and len(seen) <= 2 * _PARTS:
            each, block = work.pop()
            if each in seen:
                continue
            if isinstance(each, Phi) and each.block is not None:
                seen.add(each)
                loop = self.forest.loop_of(each.block)
                if loop is not None and loop.header is each.block:
                    form = self.exact.integer(each)
                    if form is not None and (each, "sext") not in form.variables:
                        parts[each, block] = None  # a counter
                        continue
                    carried.append(loop)
                work += each.incoming
            elif isinstance(each, Select) and each.block is not None:
                seen.add(each)
                work += [(operand, each.block) for operand in each.operands[1:]]
            else:
                parts[each, block] = None
        return ([], []) if work or len(parts) > _PARTS else (list(parts), carried)

    def _around(self, value: Instruction, carried: list[Loop]) -> frozenset[Loop]:
        """The loops around a value but those that hand it on, and those inside of these."""
        home = self.home(value)
        around = home.ancestors()[::-1] if home is not None else []
        first = next((level for level, loop in enumerate(around) if loop in carried), len(around))
        return frozenset(around[:first])

    def _end(self, form: Polynomial, outer: frozenset[Loop], sign: int) -> Polynomial | None:
        """What a form is at least (``sign`` 1) or at most, whatever the iterations of loops that are not ``outer``."""
        for _ in range(_INNER):
            inner = [what for what, _ in form.variables if isinstance(what, Loop) and what not in outer]
            if not inner:
                break
            loop = max(inner, key=lambda each: each.depth)
            factor = form.stride(counter(loop))
            if factor is None:
                return None
            if factor * sign > 0:
                form = form.without(counter(loop))
            else:
                last = self._last(loop)
                if not last:
                    return None
                form = form.replaced(counter(loop), last[0])
        homes = [self.home(what) for what, _ in form.variables]
        fixed = all(home is None or home in outer for home in homes)
        return form if fixed and form.degree(*form.variables) <= 1 else None

    def _is_beyond(self, number: Polynomial, block: Block, end: Polynomial, sign: int) -> bool:
        """Whether a number is not below an end (``sign`` 1), or not above, where a block runs."""
        if number == end:
            return True
        known = self.conditions(block)
        short = Polynomial(()).plus(end.minus(number), sign).minus(_ONE)
        return impossible([*known, short, *self._plain_bounds([number, end, *known])])

    def _plain_bounds(self, forms: Sequence[Polynomial]) -> list[Polynomial]:
        """The bounds of variables by their types alone: those of choices ask for what is being found out."""
        found: list[Polynomial] = []
        for (variable,), _ in in_program_order([((each,), 1) for each in _variables(forms)]):
            assert isinstance(variable[0], Value)
            if not isinstance(variable[0], (Phi, Select)):
                found += self.bounds(variable)
        return found

    # --- variables

    def home(self, value: Value | Loop | None) -> Loop | None:
        """The loop that a value is made in, or a counter counts."""
        if isinstance(value, Loop):
            return value
        return self.forest.loop_of(value.block) if isinstance(value, Instruction) and value.block else None

    def is_made(self, form: Polynomial, block: Block, outside: Loop | None = None) -> bool:
        """Whether all that a form is made of belongs to the iterations that a block runs in (those around
        ``outside``)."""
        loop = self.forest.loop_of(block) if outside is None else outside.parent
        around = loop.ancestors() if loop is not None else []
        homes = [self.home(what) for what, _ in form.variables]
        return all(home is None or home in around for home in homes)

    def with_signs(self, form: Polynomial, block: Block) -> Polynomial:
        """With numbers that are known not to be negative widened with their sign, as others are."""

        def signed_too(variable: Variable) -> Variable:
            value, how = variable
            if how != "zext" or not isinstance(value, Value):
                return variable
            least = self.exact.at_least(value, block)
            return (value, "sext") if least is not None and least >= 0 else variable

        return form.renamed(signed_too)


class BoundedForms(FunctionForms):
    """Polynomials of integers, with what the bounds of loops say: a counter that is truncated is the same number, and a
    choice between 0, where i is 0, and i * n is i * n.

    ``trusting``: integers of 32 bits that are not made in an innermost loop are taken not to wrap (fewer bits are often
    meant to); ``assumed`` says which, and how they are widened. ``exact``: nothing is opened that may wrap.
    """

    def __init__(self, asked: LoopBounds, layout: DataLayout, trusting: bool = False, exact: bool = False) -> None:
        super().__init__(asked.domtree, asked.forest, layout)
        self.asked, self.trusting, self.exact = asked, trusting, exact
        self.assumed: set[tuple[Instruction, str]] = set()
        self._proving: set[Value] = set()

    def opened(self, value: Value, widened: str, depth: int) -> Polynomial | None:
        found = super().opened(value, widened, depth)
        if found is not None or not isinstance(value, (Phi, BinaryOp, Cast, Call)) or value.block is None:
            return found
        match value:
            case Call():
                return self._greatest(value, depth) if widened == "sext" and is_extremum(value, ("smax",)) else None
            case Phi():
                return self._joined(value, widened, depth)
            case Cast(opcode="trunc"):
                found = self.integer(value.operands[0], "sext", depth - 1)
                assert isinstance(value.type, IntType)
                if found is not None and self._is_whole(value, found, widened, value.type.bits):
                    return found
            case BinaryOp(opcode="ashr"):
                return self._cut(value, depth)
            case BinaryOp(opcode="and"):
                return self._low_half(value, depth)
            case BinaryOp(opcode="add" | "sub" | "mul" | "shl") if self.trusting:
                left, right = (self.integer(each, "sext", depth - 1) for each in value.operands)
                if left is not None and right is not None:
                    found = combined(value.opcode, left, right)
        if found is None or value.type is not I32 or not self._is_trusted(value):
            return None
        self.assumed.add((value, widened))
        return found

    def _is_trusted(self, value: Instruction) -> bool:
        loop = self.loops.loop_of(value.block)
        return self.trusting and (loop is None or bool(loop.children))

    def _low_half(self, value: BinaryOp, depth: int) -> Polynomial | None:
        """The low 32 bits of a number: what is left of an index that was truncated and widened again."""
        source, mask = value.operands
        if value.type is not I64 or not isinstance(mask, ConstantInt) or mask.value != (1 << 32) - 1:
            return None
        found = self.integer(source, "sext", depth - 1)
        if found is None:
            return None
        above = (found.offset + (1 << 31)) >> 32  # of n - 1 an optimiser makes the low half of n + 2^32 - 1
        found = found.minus(Polynomial.number(above << 32))
        if self._is_whole(value, found, "zext", 32):
            return found
        if above or not self._is_trusted(value):
            return None
        self.assumed.add((value, "sext"))
        return found

    def _operation(self, value: BinaryOp, widened: str, depth: int) -> Polynomial | None:
        if self.exact and value.opcode in ("add", "sub", "mul", "shl") and "nsw" not in value.flags:
            if value.type is I64:
                return None
        return super()._operation(value, widened, depth)

    def _cut(self, value: BinaryOp, depth: int) -> Polynomial | None:
        """A number shifted up, and back by less: multiplied, if it had room for that."""
        (source, back), kind = value.operands, value.type
        if not isinstance(source, BinaryOp) or source.opcode != "shl" or not isinstance(kind, IntType):
            return None
        by, back = source.operands[1], value.operands[1]
        if (
            not isinstance(by, ConstantInt)
            or not isinstance(back, ConstantInt)
            or not back.value <= by.value < kind.bits
        ):
            return None
        form = self.integer(source.operands[0], "sext", depth - 1)
        if form is None or not self._is_whole(value, form, "sext", kind.bits - by.value):
            return None
        return form.times(Polynomial.number(1 << (by.value - back.value)))

    def _is_whole(self, value: Instruction, form: Polynomial, widened: str, bits: int) -> bool:
        """Whether a number has no more bits than those that are left of it."""
        if value in self._proving or value.block is None:
            return False
        self._proving.add(value)
        fits = self.asked.fits(form, value.block, *_range(bits, widened))
        self._proving.discard(value)
        return fits

    def _greatest(self, value: Call, depth: int) -> Polynomial | None:
        """The one of two numbers that is the greater wherever the greater one is asked for."""
        left, right = (self.integer(each, "sext", depth - 1) for each in value.args)
        if left is None or right is None or value in self._proving or value.block is None:
            return None
        self._proving.add(value)
        ways = ((left, left.minus(right)), (right, right.minus(left)))
        found = next((form for form, more in ways if self.asked.fits(more, value.block, 0, None)), None)
        self._proving.discard(value)
        return found

    def _joined(self, phi: Phi, widened: str, depth: int) -> Polynomial | None:
        """What all that a phi may be is, where one of them is what the others are for the numbers that led there."""
        if phi.block is None or len(phi.incoming) > _PARTS or self.loops.is_header(phi.block):
            return None
        forms = [(self.integer(part, widened, depth - 1), source) for part, source in phi.incoming]
        for general, _ in forms:
            if general is None or not all(self._is_there(what, phi.block) for what, _ in general.variables):
                continue
            if all(each is not None and self._alike(each, general, source, phi.block) for each, source in forms):
                return general
        return None

    def _alike(self, form: Polynomial, other: Polynomial, source: Block, block: Block) -> bool:
        return form == other or self._led(form, source, block) == self._led(other, source, block)

    def _is_there(self, what: Value | Loop | None, block: Block) -> bool:
        if isinstance(what, Loop):
            return what.contains(block)
        if not isinstance(what, Instruction) or what.block is None:
            return not isinstance(what, Instruction)
        return self.dominators.dominates(what.block, block)

    def _led(self, form: Polynomial, source: Block, block: Block) -> Polynomial:
        """A form where a branch has gone from one block to another."""
        end = source.terminator
        compare = end.operands[0] if isinstance(end, Branch) and end.is_conditional else None
        if not isinstance(compare, Compare) or end is None or compare.predicate not in ("eq", "ne"):
            return form
        way = end.operands[1] if compare.predicate == "eq" else end.operands[2]
        number, bound = (self.integer(each) for each in compare.operands)
        if way is not block or end.operands[1] is end.operands[2] or number is None or bound is None:
            return form
        if bound.constant is None or len(number.varying) != 1:
            return form
        (product, factor), rest = number.varying[0], bound.minus(Polynomial.number(number.offset)).constant
        return (
            form.at(product[0], rest * factor) if len(product) == 1 and abs(factor) == 1 and rest is not None else form
        )


def _variables(forms: Sequence[Polynomial]) -> set[Variable]:
    """The values in some forms."""
    return {variable for form in forms for variable in form.variables if isinstance(variable[0], Value)}


def _parts_of(condition: Value, truth: bool, depth: int = 4) -> list[Compare]:
    """Comparisons that hold where a condition does, or do not where it does not."""
    if isinstance(condition, BinaryOp) and condition.opcode == ("and" if truth else "or") and depth:
        return [each for part in condition.operands for each in _parts_of(part, truth, depth - 1)]
    return [condition] if isinstance(condition, Compare) and condition.opcode == "icmp" else []


def _range(bits: int, widened: str) -> tuple[int, int]:
    """What so many bits can tell."""
    return (0, (1 << bits) - 1) if widened == "zext" else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
