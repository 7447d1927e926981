"""Whether a function reads only such bytes behind a pointer parameter as it has written itself before.

Then the memory is scratch: what it held when the function was called does not matter, and to run the function again
gives the same results whatever has happened to that memory in between.

A read is covered by a write in front of it: by a store or a fill that dominates it, or by a loop that is run to its end
in front of it and in each of whose rounds a store writes the next element. Addresses are polynomials in the counters
of loops and in values that do not change between the write and the read; that the read lies between the ends of what
is written is shown by the signs of what is left when they are subtracted. All are residues modulo 2**64.
A loop's counter is at least 0, the number of its rounds at least 1, and no program gets to count to 2**50.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from enzyme.analysis.alias import AliasAnalysis
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop, LoopForest
from enzyme.analysis.polynomials import DEPTH, Polynomial, counter
from enzyme.ir.layout import DataLayout
from enzyme.ir.types import X86_FP80
from enzyme.ir.values import (
    Argument,
    CallBase,
    Compare,
    Instruction,
    Load,
    Store,
    Value,
)

_NOT_MORE = {"sgt": (1, 0), "sge": (1, 1), "slt": (-1, 0), "sle": (-1, 1)}
"""If the comparison does not hold: the sign of the difference that is then less than the second number, plus one."""
_PIECES = 64
"""Of memory, that are looked at for one read."""
_SMALL = 1 << 12  # sum of the factors of counters in a form whose sign is told


@dataclass(frozen=True)
class Written:
    """Bytes from ``first`` on, ``length`` of them, complete once ``block`` has been left at ``instruction`` or, where
    there is a ``loop``, once that has ended."""

    instruction: Instruction
    loop: Loop | None
    first: Polynomial
    length: Polynomial


_Piece = tuple[Polynomial, Polynomial, tuple[Loop, ...]]


class CoveredReads(FunctionForms):
    """The answer for each pointer parameter of one function."""

    def __init__(self, alias: AliasAnalysis, dominators: DominatorTree, loops: LoopForest, layout: DataLayout) -> None:
        super().__init__(dominators, loops, layout)
        self.alias = alias

    def exposed(self, argument: Argument, fills: Callable[[Polynomial], bool] | None = None) -> Instruction | None:
        """An instruction that may read what was behind the parameter when the function was called; None if none.

        ``fills`` tells which lengths are all of the memory that begins there, beyond which nothing reads."""
        writes: list[Written] | None = None
        for inst in self._instructions():
            touched = self._reads(inst, argument)
            if touched is None:
                continue
            if writes is None:
                writes = list(self.writes(argument))
            if fills is not None and any(self._fills(inst, each, fills) for each in writes):
                continue
            pointer, length = touched
            if pointer is None or length is None or not self._is_covered(inst, argument, pointer, length, writes):
                return inst
        return None

    def is_covered(self, load: Load, argument: Value, writes: Sequence[Written]) -> bool:
        """Whether one of ``writes`` covers all that a load reads."""
        return self._is_covered(load, argument, load.pointer, Polynomial.number(self.layout.size_of(load.type)), writes)

    def _instructions(self) -> Iterator[Instruction]:
        for block in self.dominators.cfg.blocks:
            yield from block.instructions

    def _reads(self, inst: Instruction, argument: Argument) -> tuple[Value | None, Polynomial | None] | None:
        """Where an instruction may read behind the parameter, and how many bytes; None if it does not."""
        if isinstance(inst, Load):
            if not self.alias.points_into(inst.pointer, argument):
                return None
            return inst.pointer, Polynomial.number(self.layout.size_of(inst.type))
        if isinstance(inst, Store):
            return None
        if isinstance(inst, CallBase):
            name = inst.callee_name or ""
            inside = [i for i, a in enumerate(inst.args) if a.type.is_pointer and self.alias.points_into(a, argument)]
            if not inside or name.startswith(("llvm.lifetime.", "llvm.memset.", "llvm.assume", "llvm.experimental.")):
                return None
            if name.startswith("llvm.memcpy."):
                return (inst.args[1], self.integer(inst.args[2])) if 1 in inside else None
            return None, None
        effect = self.alias.effect(inst)
        return (None, None) if effect.reads else None

    def writes(self, argument: Value, of: Collection[Instruction] | None = None) -> Iterator[Written]:
        """What is written behind a pointer, by these instructions or all."""
        for inst in self._instructions() if of is None else of:
            if isinstance(inst, Store):
                first = self.address(inst.pointer, argument)
                if first is None or inst.value.type.scalar is X86_FP80:
                    continue
                size = self.layout.size_of(inst.value.type)
                yield Written(inst, None, first, Polynomial.number(size))
                loop = self.loops.loop_of(inst.block)
                rounds = self.rounds(loop) if loop is not None else None
                if loop is None or rounds is None or not self._every_round(inst, loop):
                    continue
                start = first.without(counter(loop))
                if first.stride(counter(loop)) == size and self._is_steady(start, loop):
                    yield Written(inst, loop, start, Polynomial(()).plus(rounds, size))
            elif isinstance(inst, CallBase) and (inst.callee_name or "").startswith(("llvm.memset.", "llvm.memcpy.")):
                first, length = self.address(inst.args[0], argument), self.integer(inst.args[2])
                if first is not None and length is not None:
                    yield Written(inst, None, first, length)

    def _every_round(self, inst: Instruction, loop: Loop) -> bool:
        """Whether the loop is left only behind the instruction, at its latch."""
        latch = loop.latch
        assert inst.block is not None
        return latch is not None and loop.exiting_blocks == [latch] and self.dominators.dominates(inst.block, latch)

    def _is_steady(self, form: Polynomial, loop: Loop) -> bool:
        """Whether a form is the same in every round of the loop."""
        for what, _ in form.variables:
            if isinstance(what, Loop):
                if loop.contains(what):
                    return False
            elif isinstance(what, Instruction) and what.block in loop.blocks:
                return False
        return True

    def _is_covered(
        self, inst: Instruction, argument: Value, pointer: Value, length: Polynomial, writes: Sequence[Written]
    ) -> bool:
        first = self.address(pointer, argument)
        if first is None:
            return False
        last = first.plus(length)
        for start, end, loops in _joined(list(self._complete(inst, writes))):
            below, above = first.minus(start), end.minus(last)
            around = self.loops.loop_of(inst.block)
            entered = [*loops, *(around.ancestors() if around is not None else [])]
            if all(self._never_negative(form, entered, inst) for form in (below, above)):
                return True
        return False

    def _complete(self, inst: Instruction, writes: Sequence[Written]) -> Iterator[_Piece]:
        """Where what has been written in front of an instruction begins and ends, and the loops that wrote it."""
        for each in writes:
            if self._is_behind(inst, each):
                shared = self.loops.common_loop(each.instruction.block, inst.block)  # type: ignore[arg-type]
                if self._same_round(each.first, shared) and self._same_round(each.length, shared):
                    loops = (each.loop,) if each.loop is not None else ()
                    yield each.first, each.first.plus(each.length), loops

    def _fills(self, inst: Instruction, written: Written, fills: Callable[[Polynomial], bool]) -> bool:
        """Whether all of the memory has been written in front of an instruction."""
        return written.first.constant == 0 and self._is_behind(inst, written) and fills(written.length)

    def _is_behind(self, inst: Instruction, written: Written) -> bool:
        at, place = inst.block, written.instruction.block
        assert at is not None and place is not None
        if written.loop is not None:
            return at not in written.loop.blocks and self.dominators.dominates(written.loop.header, at)
        if at is place:
            return at.position(written.instruction) < at.position(inst)
        return self.dominators.dominates(place, at)

    def _same_round(self, form: Polynomial, shared: Loop | None) -> bool:
        """Whether what a form speaks of is the same at the write and at a read behind it in the same round of the
        loops around both: counters of those loops, and values from in front of all other loops around the write."""
        for what, _ in form.variables:
            if isinstance(what, Loop):
                if shared is None or not what.contains(shared):
                    return False
            elif isinstance(what, Instruction):
                home = self.loops.loop_of(what.block)
                if home is not None and (shared is None or not home.contains(shared)):
                    return False
        return True

    def _never_negative(self, form: Polynomial, entered: list[Loop], inst: Instruction) -> bool:
        """Whether a form is at least 0 at ``inst`` whatever the counters in it are. The loops ``entered`` have run."""
        if any(isinstance(what, Loop) and not what.contains(inst) for what, _ in form.variables):
            return False
        for _ in range(DEPTH):
            falling = [what for what in _counters(form) if (form.stride(counter(what)) or -1) < 0]
            if not falling:
                break
            loop = max(falling, key=lambda each: each.depth)
            rounds = self.rounds(loop)
            if rounds is None or form.stride(counter(loop)) is None:
                return False
            # the counter is at most rounds - 1, where the form is least
            form = form.replaced(counter(loop), rounds.minus(Polynomial.number(1)))
        for loop in entered:
            rounds = self.rounds(loop)
            if rounds is not None and rounds.varying and form.varying:
                product, factor = rounds.varying[0]
                times, rest = divmod(dict(form.terms).get(product, 0), factor)
                if times > 0 and not rest and not _counters(rounds):  # so many rounds at least
                    less = form.plus(rounds, -times).plus(Polynomial.number(times))
                    if len(less.varying) < len(form.varying):
                        form = less
        small = sum(abs(factor) for _, factor in form.varying) <= _SMALL
        rising = all(f >= 0 and len(product) == 1 and isinstance(product[0][0], Loop) for product, f in form.varying)
        return small and rising and form.offset >= 0

    def no_rounds(self, condition: Value, held: bool, rounds: Polynomial) -> bool:
        """Whether a loop that is entered where a comparison ``held`` has no rounds where it does not."""
        if not isinstance(condition, Compare) or not held or not condition.operands[0].type.is_int:
            return False
        left, right = (self.integer(each) for each in condition.operands)
        if left is None or right is None:
            return False
        if condition.predicate == "ne":
            return any(at_most(rounds.plus(left.minus(right), -sign), 0) for sign in (1, -1))
        if condition.predicate not in _NOT_MORE:
            return False
        sign, bound = _NOT_MORE[condition.predicate]
        return at_most(rounds.plus(left.minus(right), -sign), bound)


def _joined(pieces: list[_Piece]) -> list[_Piece]:
    """Pieces of memory, and those that they make together where one begins where another ends."""
    found = list(pieces)
    for start, end, loops in pieces:
        grown = True
        while grown and len(found) < _PIECES:
            grown = False
            for first, last, others in pieces:
                # it begins in the piece or right behind it, and ends beyond it, or ends who knows where
                if at_most(first.minus(end), 0) and at_most(start.minus(first), 0) and not at_most(last.minus(end), 0):
                    end, loops, grown = last, (*loops, *others), True
                    found.append((start, end, loops))
                    break
    return found


def at_most(form: Polynomial, bound: int) -> bool:
    """Whether a form is a number that is not above ``bound``."""
    return form.constant is not None and form.constant <= bound


def _counters(form: Polynomial) -> list[Loop]:
    return [what for what, _ in form.variables if isinstance(what, Loop)]
