"""Integers and addresses of one function as polynomials in the counters of its loops."""

from __future__ import annotations

from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.loops import Loop, LoopForest
from enzyme.analysis.polynomials import IntegerForms, Polynomial, Variable, counter
from enzyme.analysis.tripcount import backedge_count
from enzyme.ir.layout import DataLayout
from enzyme.ir.values import GetElementPtr, Phi, Value

DEPTH = 12
"""Pointers and loops are opened so far, one below the other."""


class FunctionForms(IntegerForms):
    """The polynomials of the integers, addresses and loops of one function."""

    def __init__(self, dominators: DominatorTree, loops: LoopForest, layout: DataLayout) -> None:
        super().__init__(layout)
        self.dominators, self.loops = dominators, loops
        self._rounds: dict[Loop, Polynomial | None] = {}

    def counter(self, phi: Phi) -> tuple[Loop, Variable] | None:
        loop = self.loops.loop_of(phi.block)
        return (loop, counter(loop)) if loop is not None and loop.header is phi.block else None

    def rounds(self, loop: Loop) -> Polynomial | None:
        """How often the body of a loop runs when it is entered."""
        if loop not in self._rounds:
            count = backedge_count(loop, self.dominators)
            found = self.of_sym(count) if count is not None else None
            self._rounds[loop] = found.plus(Polynomial.number(1)) if found is not None else None
        return self._rounds[loop]

    def from_base(self, pointer: Value) -> tuple[Value, Polynomial]:
        """The pointer that another one was made of, as far as that can be followed, and the bytes between them."""
        total = Polynomial(())
        for _ in range(DEPTH):
            found = self._behind(pointer)
            if found is None:
                break
            pointer, total = found[0], total.plus(found[1])
        return pointer, total

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
        if isinstance(pointer, GetElementPtr):
            step = self.step(pointer)
            return (pointer.base, step) if step is not None else None
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
