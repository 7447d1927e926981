"""Integers and addresses of one function as polynomials in the counters of its loops."""

from __future__ import annotations

from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.loops import Loop, LoopForest
from enzyme.analysis.polynomials import DEPTH, IntegerForms, Polynomial, Variable, counter
from enzyme.analysis.tripcount import backedge_count
from enzyme.ir.layout import DataLayout
from enzyme.ir.types import IntType
from enzyme.ir.values import (
    Argument,
    BinaryOp,
    Block,
    Branch,
    CallBase,
    Compare,
    ConstantInt,
    GetElementPtr,
    Instruction,
    Phi,
    Value,
)

_ABOVE = 32
"""Dominators of a block that are looked at."""
_BOUNDS = {"sgt": (0, 1), "sge": (0, 0), "sle": (1, 1), "slt": (1, 0)}
"""Comparisons with a constant: the way, if it holds or if not, on which the number is at least that constant, plus one
or zero."""


class FunctionForms(IntegerForms):
    """The polynomials of the integers, addresses and loops of one function; ``nest``: addresses are followed no further
    than to what is in front of that loop."""

    def __init__(
        self, dominators: DominatorTree, loops: LoopForest, layout: DataLayout, nest: Loop | None = None
    ) -> None:
        super().__init__(layout)
        self.dominators, self.loops, self.nest = dominators, loops, nest
        self._rounds: dict[Loop, Polynomial | None] = {}

    def counter(self, phi: Phi) -> tuple[Loop, Variable] | None:
        loop = self.loops.loop_of(phi.block)
        return (loop, counter(loop)) if loop is not None and loop.header is phi.block else None

    def opened(self, value: Value, widened: str, depth: int) -> Polynomial | None:
        """As anywhere; a number that is lowered after a comparison said that it is large enough for that, ``n - 1``
        where ``n > 0``, does not wrap, whether the addition has a flag that says so or has lost it. Where ways meet, a
        number is what it is on all of them, if that is one form; behind a loop, what its last iteration made."""
        if isinstance(value, Phi) and self._is_joined(value):
            found = self.integer(value.incoming[0][0], widened, depth - 1)
            same = all(self.integer(each, widened, depth - 1) == found for each, _ in value.incoming[1:])
            return found if same else None
        if isinstance(value, Phi) and len(value.incoming) == 1:
            return self._left(value, widened, depth)
        found = super().opened(value, widened, depth)
        if found is not None or widened != "sext" or not isinstance(value, BinaryOp) or value.opcode != "add":
            return found
        number, by = value.operands
        if not isinstance(by, ConstantInt) or by.value >= 0 or not isinstance(value.type, IntType):
            return None
        least = self.at_least(number, value.block)
        if least is None or least + by.value < -(1 << (value.type.bits - 1)):
            return None
        form = self.integer(number, widened, depth - 1)
        return form.plus(Polynomial.number(by.value)) if form is not None else None

    def _is_joined(self, phi: Phi) -> bool:
        """Whether a phi is of what one iteration of the loop around it makes, on several ways."""
        loop = self.loops.loop_of(phi.block)
        at_head = loop is not None and loop.header is phi.block
        return not at_head and all(self.loops.loop_of(source) is loop for _, source in phi.incoming)

    def _left(self, phi: Phi, widened: str, depth: int) -> Polynomial | None:
        """What a number is behind a loop: what its last iteration made."""
        ((value, source),) = phi.incoming
        loop = self.loops.loop_of(source)
        if loop is None or loop.parent is not self.loops.loop_of(phi.block) or loop.exiting_blocks != [loop.latch]:
            return None
        form, rounds = self.integer(value, widened, depth - 1), self.rounds(loop)
        if form is None or rounds is None:
            return None
        form = form.replaced(counter(loop), rounds.minus(Polynomial.number(1)))
        return None if any(_is_inside(loop, what) for what, _ in form.variables) else form

    def at_least(self, number: Value, block: Block | None) -> int | None:
        """What a number is at least, by the last comparison with a constant on the way to a block."""
        at = block if block in self.dominators.cfg.index else None
        for _ in range(_ABOVE):
            above = self.dominators.idom(at) if at is not None else None
            if above is None:
                return None
            end = above.terminator
            compare = end.operands[0] if isinstance(end, Branch) and end.is_conditional else None
            if isinstance(compare, Compare):
                assert end is not None
                found = _BOUNDS.get(compare.predicate)
                bound = compare.operands[1]
                if found is not None and compare.operands[0] is number and isinstance(bound, ConstantInt):
                    side, more = found
                    taken = end.operands[1 + side]
                    assert isinstance(taken, Block) and block is not None
                    if taken.predecessors == [above] and self.dominators.dominates(taken, block):
                        return bound.value + more
            at = above
        return None

    def of_called(self, form: Polynomial, call: CallBase) -> Polynomial | None:
        """A form over the parameters of another function that a call leads to, over what the call gives it."""
        for variable in form.variables:
            what, widened = variable
            if not isinstance(what, Argument) or what.index >= len(call.args):
                return None
            actual = self.integer(call.args[what.index], widened)
            if actual is None or (actual.constant is None and form.degree(variable) != 1):
                return None
            known = actual.constant
            form = form.at(variable, known) if known is not None else form.replaced(variable, actual)
        return form

    def rounds(self, loop: Loop) -> Polynomial | None:
        """How often the body of a loop runs when it is entered."""
        if loop not in self._rounds:
            count = backedge_count(loop, self.dominators)
            found = self.of_sym(count) if count is not None else None
            self._rounds[loop] = found.plus(Polynomial.number(1)) if found is not None else None
        return self._rounds[loop]

    def address(self, pointer: Value, argument: Value) -> Polynomial | None:
        """The distance of a pointer from the parameter, or other pointer, that it was made of, in bytes."""
        total = Polynomial(())
        for _ in range(DEPTH):
            if pointer is argument:
                return total
            found = self._behind(pointer)
            if found is None:
                return None
            pointer, total = found[0], total.plus(found[1])
        return None

    def _behind(self, pointer: Value) -> tuple[Value, Polynomial] | None:
        """What a pointer is made of, and how many bytes it lies behind that."""
        if self.nest is not None and not (isinstance(pointer, Instruction) and self.nest.contains(pointer)):
            return None
        found = super()._behind(pointer)
        if found is not None:
            return found
        walk = self._walk(pointer) if isinstance(pointer, Phi) else None
        if walk is None:
            return None
        start, by, loop = walk
        return start, Polynomial(()).plus(Polynomial.variable(counter(loop)), by)

    def _walk(self, phi: Phi) -> tuple[Value, int, Loop] | None:
        """Start and step of a pointer that is moved by the same distance in every round."""
        loop = self.loops.loop_of(phi.block)
        latch = loop.latch if loop is not None else None
        if loop is None or latch is None or loop.header is not phi.block or len(phi.incoming) != 2:
            return None
        (start,) = (value for value, source in phi.incoming if source is not latch)
        following = phi.value_from(latch)
        if isinstance(following, GetElementPtr) and following.base is phi:
            step = self.step(following)
            if step is not None and step.constant is not None:
                return start, step.constant, loop
        return None


def _is_inside(loop: Loop, what: Value | Loop | None) -> bool:
    """Whether a number is one of a loop's own: a value that it makes, or how often one in it has run."""
    return isinstance(what, (Instruction, Loop)) and loop.contains(what)
