"""Whether a function reads only such bytes behind a pointer parameter as it has written itself before.

Then the memory is scratch: what it held when the function was called does not matter, and to run the function again
gives the same results whatever has happened to that memory in between.

A read is covered by a write in front of it: by a store or a fill that dominates it, or by a loop in each of whose
rounds a store writes the next element, and that has been run to its end, or is around the read and has had some rounds.
Addresses are polynomials in the counters of loops and in values that do not change between the write and the read; that
the read lies between the ends of what is written is shown by the signs of what is left when they are subtracted, or,
for small arrays, by what they are in each round of the loops around the read. All are residues modulo 2**64.
A loop's counter is at least 0, the number of its rounds at least 1, and no program gets to count to 2**50.

A function that is called reads and writes where its own forms say, with what it is given in place of its parameters:
what it has written on all ways to its return covers what is read behind the call.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from enzyme.analysis.alias import AliasAnalysis
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop, LoopForest
from enzyme.analysis.polynomials import DEPTH, Polynomial, counter
from enzyme.analysis.round_totals import each_round
from enzyme.analysis.symbolic import Sym, constant_value
from enzyme.analysis.tripcount import backedge_count
from enzyme.ir.layout import DataLayout
from enzyme.ir.types import X86_FP80
from enzyme.ir.values import (
    Argument,
    Block,
    Branch,
    Call,
    CallBase,
    Compare,
    Function,
    Instruction,
    Load,
    Return,
    Store,
    Value,
)

_NOT_MORE = {"sgt": (1, 0), "sge": (1, 1), "slt": (-1, 0), "sle": (-1, 1)}
"""If the comparison does not hold: the sign of the difference that is then less than the second number, plus one."""
_INVERSE = {"sgt": "sle", "sge": "slt", "slt": "sge", "sle": "sgt", "eq": "ne", "ne": "eq"}
_PIECES = 64
"""Of memory, that are looked at for one read."""
_DEPTH_OF_FILLS = 2
"""Calls inside of calls of which it is asked whether all of the memory has been written in front of them."""
_FEW = 8
"""Rounds of a loop that are looked at one by one for what each writes."""
_BYTES = 64
"""Of such a read."""
_SMALL = 1 << 12  # sum of the factors of counters in a form whose sign is told


@dataclass(frozen=True)
class Written:
    """Bytes from ``first`` on, ``length`` of them, complete once ``block`` has been left at ``instruction`` or, where
    there is a ``loop``, once that has ended; or, where that is not always entered, in the block ``past`` it. All that
    is so if the numbers ``given`` are above 0. ``within`` a loop, what its rounds so far have written."""

    instruction: Instruction
    loop: Loop | None
    first: Polynomial
    length: Polynomial
    past: Block | None = None
    given: tuple[Polynomial, ...] = ()
    within: Loop | None = None


_Piece = tuple[Polynomial, Polynomial, tuple[Loop, ...]]
_Touched = tuple[Polynomial | None, Polynomial | None]
"""Where something is read and how many bytes, where that is known."""
Called: TypeAlias = "Callable[[Function], CoveredReads | None]"


class CoveredReads(FunctionForms):
    """The answer for each pointer parameter of one function; ``called`` has those of defined functions that it calls,
    none of which calls itself."""

    def __init__(
        self,
        alias: AliasAnalysis,
        dominators: DominatorTree,
        loops: LoopForest,
        layout: DataLayout,
        called: Called | None = None,
    ) -> None:
        super().__init__(dominators, loops, layout)
        self.alias, self.called = alias, called
        self._open: dict[Argument, list[_Touched]] = {}
        self._always: dict[Argument, list[tuple[Polynomial, Polynomial, tuple[Polynomial, ...]]]] = {}

    def exposed(self, argument: Argument, fills: Callable[[Polynomial], bool] | None = None) -> Instruction | None:
        """An instruction that may read what was behind the parameter when the function was called; None if none.

        ``fills`` tells which lengths are all of the memory that begins there, beyond which nothing reads."""
        return next((inst for inst, _ in self._exposed(argument, fills)), None)

    def open_reads(
        self, argument: Argument, fills: Callable[[Polynomial], bool] | None, depth: int
    ) -> Iterable[_Touched]:
        """Where the function may read what was behind the parameter, as ``depth`` calls lead to it."""
        found = self._open.get(argument)
        if found is None:
            found = self._open[argument] = [touched for _, touched in self._exposed(argument, None, depth)]
        if not found or fills is None:
            return found
        return (touched for _, touched in self._exposed(argument, fills, depth))

    def _exposed(
        self, argument: Argument, fills: Callable[[Polynomial], bool] | None = None, depth: int = 0
    ) -> Iterator[tuple[Instruction, _Touched]]:
        """The instructions that may, and where."""
        writes: list[Written] | None = None
        for inst in self._instructions():
            for touched in self._reads(inst, argument, fills, depth):
                if writes is None:
                    writes = list(self.writes(argument))
                if fills is not None and self._fills(inst, writes, fills):
                    continue
                first, length = touched
                if first is None or length is None or not self._is_covered(inst, first, length, writes):
                    yield inst, touched

    def is_covered(self, load: Load, argument: Value, writes: Sequence[Written]) -> bool:
        """Whether one of ``writes`` covers all that a load reads."""
        first = self.address(load.pointer, argument)
        size = Polynomial.number(self.layout.size_of(load.type))
        return first is not None and self._is_covered(load, first, size, writes)

    def _instructions(self) -> Iterator[Instruction]:
        for block in self.dominators.cfg.blocks:
            yield from block.instructions

    def _reads(
        self, inst: Instruction, argument: Argument, fills: Callable[[Polynomial], bool] | None, depth: int
    ) -> Iterable[_Touched]:
        """What an instruction may read behind the parameter."""
        if isinstance(inst, Load):
            if not self.alias.points_into(inst.pointer, argument):
                return ()
            return ((self.address(inst.pointer, argument), Polynomial.number(self.layout.size_of(inst.type))),)
        if isinstance(inst, Store):
            return ()
        if isinstance(inst, CallBase):
            name = inst.callee_name or ""
            inside = [i for i, a in enumerate(inst.args) if a.type.is_pointer and self.alias.points_into(a, argument)]
            if not inside or name.startswith(("llvm.lifetime.", "llvm.memset.", "llvm.assume", "llvm.experimental.")):
                return ()
            if name.startswith("llvm.memcpy."):
                return ((self.address(inst.args[1], argument), self.integer(inst.args[2])),) if 1 in inside else ()
            callee = self._callee(inst)
            if callee is not None:
                whole = fills if depth < _DEPTH_OF_FILLS else None
                return [each for at in inside for each in self._read_by(inst, at, callee, argument, whole, depth)]
            return ((None, None),)
        return ((None, None),) if self.alias.effect(inst).reads else ()

    def _callee(self, inst: CallBase) -> CoveredReads | None:
        """The function that a call leads to."""
        callee = inst.callee
        if self.called is None or not isinstance(callee, Function) or callee.is_declaration:
            return None
        alike = callee.function_type is inst.callee_type and not callee.function_type.vararg
        return self.called(callee) if alike else None

    def _read_by(
        self,
        call: CallBase,
        at: int,
        callee: CoveredReads,
        argument: Argument,
        fills: Callable[[Polynomial], bool] | None,
        depth: int,
    ) -> Iterator[_Touched]:
        """What a called function reads of what an argument of it leads to, and has not written itself."""
        base = self.address(call.args[at], argument)

        def fills_all(length: Polynomial) -> bool:
            given = self.of_called(length, call)
            return given is not None and fills is not None and fills(given)

        whole = fills_all if fills is not None and base is not None and base.constant == 0 else None
        for first, length in callee.open_reads(callee.parameters[at], whole, depth + 1):
            first = self.of_called(first, call) if first is not None else None
            length = self.of_called(length, call) if length is not None else None
            yield (base.plus(first) if base is not None and first is not None else None, length)

    @property
    def parameters(self) -> list[Argument]:
        """Of the function."""
        return self.dominators.cfg.function.args

    def writes(self, argument: Value, of: Collection[Instruction] | None = None) -> Iterator[Written]:
        """What is written behind a pointer, by these instructions or all."""
        inside: dict[Loop, list[Written]] = {}

        def add(loop: Loop | None, written: Written) -> Written:
            if loop is not None:
                inside.setdefault(loop, []).append(written)
            return written

        for inst in self._instructions() if of is None else of:
            for written in self._written(inst, argument):
                yield add(self.loops.loop_of(inst.block), written)
        for loop in sorted(self.loops.loops, key=lambda each: -each.depth):
            yield from self._so_far(loop, inside.get(loop, ()))
            for written in self._by_rounds(loop, inside.get(loop, ())):
                yield add(loop.parent, written)

    def _so_far(self, loop: Loop, inside: Sequence[Written]) -> Iterator[Written]:
        """What the rounds of a loop that have ended have written, where each writes what follows, upwards or downwards,
        that of the round before."""
        number = Polynomial.variable(counter(loop))
        for each in inside:
            start, step, steady = self._in_steps(each, loop)
            if not steady or not self._ends_rounds(each, loop):
                continue
            length = each.length.times(number)
            if each.length.minus(step).constant == 0:
                yield Written(each.instruction, None, start, length, given=each.given, within=loop)
            elif each.length.plus(step).constant == 0:
                first = start.plus(each.length).minus(length)
                yield Written(each.instruction, None, first, length, given=each.given, within=loop)

    def _in_steps(self, written: Written, loop: Loop) -> tuple[Polynomial, Polynomial, bool]:
        """What the first round of a loop writes, how far the next one is, and whether all are as far apart."""
        start, step = written.first.without(counter(loop)), written.first.factor(counter(loop))
        steady = all(self._is_steady(form, loop) for form in (start, step, written.length, *written.given))
        return start, step, steady and written.first.degree(counter(loop)) == 1

    def _by_rounds(self, loop: Loop, inside: Sequence[Written]) -> Iterator[Written]:
        """What a loop has written when it ends, where each round writes what follows that of the round before."""
        rounds = self.rounds(loop) if inside else None
        past = self._past(loop, rounds) if rounds is not None else None
        steps: list[tuple[Written, Polynomial, Polynomial]] = []
        """Of each round: what the first one writes, its bytes, and how far the next one is."""
        for each in inside if rounds is not None else ():
            start, step, steady = self._in_steps(each, loop)
            if steady and self._every_round(each, loop):
                steps.append((replace(each, first=start), each.length, step))
            elif rounds is not None and rounds.constant is not None and rounds.constant <= _FEW:
                yield from self._each_round(loop, each, rounds.constant)
        for each, length, step in steps:
            if rounds is not None and length.plus(step).constant == 0:  # downwards
                size = length.times(rounds)
                made = replace(each, loop=loop, first=each.first.plus(length).minus(size), length=size)
                yield made
                if past is not None:
                    yield replace(made, past=past, given=(rounds, *each.given))
            for _ in steps:
                if length.minus(step).constant == 0:
                    assert rounds is not None
                    made = Written(each.instruction, loop, each.first, step.times(rounds), given=each.given)
                    yield made
                    if past is not None:
                        yield replace(made, past=past, given=(rounds, *each.given))
                    break
                end = each.first.plus(length)
                more = (
                    (other, size)
                    for other, size, by in steps
                    if by == step and other.first.minus(end).constant == 0 and other.given == each.given
                )
                following = next(more, None)
                if following is None:
                    break
                length = length.plus(following[1])

    def _each_round(self, loop: Loop, written: Written, rounds: int) -> Iterator[Written]:
        """What each of a few rounds has written, when the loop ends."""
        if not self._every_round(written, loop):
            return
        for number in range(rounds):
            first, length, *given = (
                form.at(counter(loop), number) for form in (written.first, written.length, *written.given)
            )
            open = tuple(form for form in given if not _is_above_0(form))
            if all(self._is_steady(form, loop) for form in (first, length, *open)):
                yield Written(written.instruction, loop, first, length, given=open)

    def _written(self, inst: Instruction, argument: Value) -> Iterator[Written]:
        """What an instruction writes whenever it is run."""
        if isinstance(inst, Store):
            first = self.address(inst.pointer, argument)
            if first is not None and inst.value.type.scalar is not X86_FP80:
                yield Written(inst, None, first, Polynomial.number(self.layout.size_of(inst.value.type)))
        elif isinstance(inst, CallBase) and (inst.callee_name or "").startswith(("llvm.memset.", "llvm.memcpy.")):
            first, length = self.address(inst.args[0], argument), self.integer(inst.args[2])
            if first is not None and length is not None:
                yield Written(inst, None, first, length)
        elif isinstance(inst, Call) and (callee := self._callee(inst)) is not None:
            for at, actual in enumerate(inst.args):
                first = self.address(actual, argument) if actual.type.is_pointer else None
                for start, length, given in callee.always_written(callee.parameters[at]) if first is not None else ():
                    forms = [self.of_called(each, inst) for each in (start, length, *given)]
                    known = [each for each in forms if each is not None]
                    if first is not None and len(known) == len(forms):
                        open = tuple(each for each in known[2:] if not _is_above_0(each))
                        yield Written(inst, None, first.plus(known[0]), known[1], given=open)

    def always_written(self, argument: Argument) -> Iterator[tuple[Polynomial, Polynomial, tuple[Polynomial, ...]]]:
        """What has been written behind a parameter whenever the function returns: where it begins, how many bytes, and
        what has to be above 0 for that."""
        if argument not in self._always:
            self._always[argument] = list(self._find_always(argument))
        yield from self._always[argument]

    def _find_always(self, argument: Argument) -> Iterator[tuple[Polynomial, Polynomial, tuple[Polynomial, ...]]]:
        ends = [block.terminator for block in self.dominators.cfg.blocks if isinstance(block.terminator, Return)]
        if len(ends) != 1 or ends[0] is None or ends[0].block is None:
            return
        writes = list(self.writes(argument))
        ways = [each.terminator for each in ends[0].block.predecessors]  # two, where a function asks for its version
        found = dict.fromkeys(self._pieces(ends[0], writes))
        of_ways = [self._pieces(way, writes) for way in ways if way is not None]
        for piece in of_ways[0] if of_ways else ():
            if all(piece in others for others in of_ways):
                found[piece] = None
        for start, end in found:
            yield start, end.minus(start), ()
        for each in writes:
            if each.given and self._is_there(ends[0], each):
                yield each.first, each.length, each.given

    def _pieces(self, inst: Instruction, writes: Sequence[Written]) -> list[tuple[Polynomial, Polynomial]]:
        """Where what has been written in front of an instruction begins and ends."""
        return [(start, end) for start, end, _ in _joined(list(self._complete(inst, writes)))]

    def _every_round(self, written: Written, loop: Loop) -> bool:
        """Whether the loop is left only behind what writes, at its latch."""
        return loop.latch is not None and loop.exiting_blocks == [loop.latch] and self._ends_rounds(written, loop)

    def _ends_rounds(self, written: Written, loop: Loop) -> bool:
        """Whether no round of a loop ends without having written that."""
        block = written.loop.header if written.loop is not None else written.instruction.block
        block = written.past or block
        assert block is not None
        return loop.latch is not None and self.dominators.dominates(block, loop.latch)

    def _past(self, loop: Loop, rounds: Polynomial) -> Block | None:
        """The block where the way around a loop, taken where it would have no rounds, meets the way through it."""
        before = loop.preheader
        ends = loop.exit_blocks
        if before is None or len(before.predecessors) != 1 or len(ends) != 1:
            return None
        (asked,) = before.predecessors
        branch = asked.terminator
        if not isinstance(branch, Branch) or not branch.is_conditional:
            return None
        condition, on_true, on_false = branch.operands
        past = on_false if on_true is before else on_true
        assert isinstance(past, Block)
        behind = past is ends[0] or list(ends[0].successors) == [past]
        behind = behind and self.dominators.dominates(asked, past)
        return past if behind and self.no_rounds(condition, on_true is before, rounds) else None

    def _is_steady(self, form: Polynomial, loop: Loop) -> bool:
        """Whether a form is the same in every round of the loop."""
        for what, _ in form.variables:
            if isinstance(what, Loop):
                if loop.contains(what):
                    return False
            elif isinstance(what, Instruction) and what.block in loop.blocks:
                return False
        return True

    def _is_covered(self, inst: Instruction, first: Polynomial, length: Polynomial, writes: Sequence[Written]) -> bool:
        last = first.plus(length)
        pieces = _joined(list(self._complete(inst, writes)))
        for start, end, loops in pieces:
            below, above = first.minus(start), end.minus(last)
            around = self.loops.loop_of(inst.block)
            entered = [*loops, *(around.ancestors() if around is not None else [])]
            if all(self._never_negative(form, entered, inst) for form in (below, above)):
                return True
        return self._is_covered_by_bytes(inst, first, length, pieces)

    def _is_covered_by_bytes(
        self, inst: Instruction, first: Polynomial, length: Polynomial, pieces: Sequence[_Piece]
    ) -> bool:
        """The same for what is read at a few known places, for each round of the loops around the read."""
        size = length.constant
        if size is None or size > _BYTES or not all(isinstance(what, Loop) for what, _ in first.variables):
            return False
        try:
            return all(self._is_written_at(at, first, size, pieces) for at in self._rounds_around(first, inst))
        except LookupError:
            return False

    def _is_written_at(self, at: Mapping[Loop, int], first: Polynomial, size: int, pieces: Sequence[_Piece]) -> bool:
        """Whether pieces cover the bytes that are read in one round of the loops around."""
        place = _number(first, at)
        if place is None:
            return False
        last = place + size
        ends = [(_number(start, at), _number(end, at)) for start, end, _ in pieces]
        for start, end in sorted((start, end) for start, end in ends if start is not None and end is not None):
            if start <= place < end:
                place = end
        return place >= last

    def _rounds_around(self, form: Polynomial, inst: Instruction) -> Iterator[Mapping[Loop, int]]:
        """The rounds of the loops around an instruction, from the outermost to the innermost one that a form hangs on.
        Raises LookupError where they cannot be told."""
        wanted = {what for what, _ in form.variables}
        around = self.loops.loop_of(inst.block)
        loops = around.ancestors() if around is not None else []
        while loops and loops[0] not in wanted:
            loops = loops[1:]
        if not wanted <= set(loops):
            raise LookupError
        while loops and loops[-1] not in wanted and not self._is_constant(loops[-1]):
            loops = loops[:-1]
        return each_round(loops[::-1], self._count) if loops else iter(({},))

    def _count(self, loop: Loop) -> Sym | None:
        return backedge_count(loop, self.dominators)

    def _is_constant(self, loop: Loop) -> bool:
        count = self._count(loop)
        return count is not None and constant_value(count) is not None

    def _complete(self, inst: Instruction, writes: Sequence[Written]) -> Iterator[_Piece]:
        """Where what has been written in front of an instruction begins and ends, and the loops that wrote it."""
        for each in writes:
            if all(self._is_positive(form, inst) for form in each.given) and self._is_there(inst, each):
                loops = (each.loop,) if each.loop is not None and each.past is None else ()
                yield each.first, each.first.plus(each.length), loops

    def _is_there(self, inst: Instruction, written: Written) -> bool:
        """Whether it is complete in front of an instruction, and says the same there."""
        if not self._is_behind(inst, written):
            return False
        shared = self.loops.common_loop(written.instruction.block, inst.block)  # type: ignore[arg-type]
        return all(self._same_round(form, shared) for form in (written.first, written.length, *written.given))

    def _is_positive(self, form: Polynomial, inst: Instruction) -> bool:
        """Whether a number is above 0 wherever an instruction runs: it is the rounds of a loop around that."""
        if _is_above_0(form):
            return True
        loop = self.loops.loop_of(inst.block)
        for each in loop.ancestors() if loop is not None else ():
            rounds = self.rounds(each)
            more = form.minus(rounds).constant if rounds is not None else None
            if more is not None and more >= 0:
                return True
        return False

    def _fills(self, inst: Instruction, writes: Sequence[Written], fills: Callable[[Polynomial], bool]) -> bool:
        """Whether all of the memory has been written in front of an instruction."""
        behind = [
            each
            for each in writes
            if self._is_behind(inst, each) and all(self._is_positive(form, inst) for form in each.given)
        ]
        if any(each.first.constant == 0 and fills(each.length) for each in behind):
            return True
        return any(start.constant == 0 and fills(end) for start, end, _ in _joined(list(self._complete(inst, behind))))

    def _is_behind(self, inst: Instruction, written: Written) -> bool:
        at, place = inst.block, written.instruction.block
        assert at is not None and place is not None
        if written.within is not None:
            return at in written.within.blocks
        if written.past is not None:
            return self.dominators.dominates(written.past, at)
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
        if not isinstance(condition, Compare) or not condition.operands[0].type.is_int:
            return False
        predicate = condition.predicate if held else _INVERSE.get(condition.predicate)
        left, right = (self.integer(each) for each in condition.operands)
        if left is None or right is None:
            return False
        if predicate == "ne":
            return any(at_most(rounds.plus(left.minus(right), -sign), 0) for sign in (1, -1))
        if predicate not in _NOT_MORE:
            return False
        sign, bound = _NOT_MORE[predicate]
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


def _is_above_0(form: Polynomial) -> bool:
    return form.constant is not None and form.constant > 0


def at_most(form: Polynomial, bound: int) -> bool:
    """Whether a form is a number that is not above ``bound``."""
    return form.constant is not None and form.constant <= bound


def _number(form: Polynomial, at: Mapping[Loop, int]) -> int | None:
    """A form as a number, with these counters."""
    for loop, number in at.items():
        form = form.at(counter(loop), number)
    return form.constant


def _counters(form: Polynomial) -> list[Loop]:
    return [what for what, _ in form.variables if isinstance(what, Loop)]
