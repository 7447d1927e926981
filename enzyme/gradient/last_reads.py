"""What is read for the last time gets its adjoint set, and what is set before it is read need not be cleared.

The reversal of a load adds to a shadow, and that of a store takes what is there and leaves zero. Where a loop reads
elements of a scratch array that are all overwritten before anything reads them again, or never read again, their
shadow is zero when the loop is reversed: the adjoint is stored, and not added to what would have to be loaded. Where
all that a loop stores had been read so before, behind any other access in front of the loop, the zero that its
reversal would leave is overwritten unseen, and is not stored. Where each element is set before anything asks for its
shadow, that need not be zero to begin with.

An array is a local or a block that the function allocates, once, and whose address stays in this function. What loops
touch of it is a range of bytes, first and end in values that are the same throughout the call; a loop with loops
inside is one of them where these leave the array alone. From a loop on a range is followed through the control flow,
and what is overwritten (or, backward, set) is taken off its ends; nothing else is ever concluded from the ends of two
ranges than what their constant difference says. So a range may be taken for longer than it is, never for shorter. A
loop that runs only if a comparison says that it has rounds is followed as if it always ran: without rounds it has an
empty range.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from enzyme.analysis.covered import CoveredReads, at_most
from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import Polynomial, counter
from enzyme.gradient.own_arrays import homes, plain_number, touching
from enzyme.ir.values import (
    Argument,
    Block,
    Branch,
    CallBase,
    Instruction,
    Load,
    Store,
)

if TYPE_CHECKING:
    from enzyme.gradient.reverse import ReverseSweep

_STEPS = 400
"""Blocks looked at for one range."""


@dataclass(frozen=True)
class _Range:
    """Bytes of an array from ``first`` on, up to ``end``; none where the end does not lie behind."""

    first: Polynomial
    end: Polynomial

    def without(self, other: _Range) -> _Range | None:
        """What is left when ``other`` is taken off an end of it; None: nothing."""
        front = at_most(other.first.minus(self.first), 0)
        back = at_most(self.end.minus(other.end), 0)
        if front and back:
            return None
        left = _Range(other.end, self.end) if front else _Range(self.first, other.first) if back else self
        return None if at_most(left.end.minus(left.first), 0) else left

    def apart(self, other: _Range | None) -> bool:
        if other is None:
            return False
        return at_most(self.end.minus(other.first), 0) or at_most(other.end.minus(self.first), 0)


_Step = tuple[bool, _Range | None, Sequence[Block]]


@dataclass(frozen=True)
class _Access:
    """``every``: it is made in every round of its loop, or wherever its block is passed."""

    instruction: Instruction
    range: _Range | None
    every: bool

    @property
    def reads(self) -> bool:
        return not isinstance(self.instruction, Store)


@dataclass
class _Array:
    home: Instruction
    outer: set[Loop] = field(default_factory=set)
    """Loops with loops inside that do not touch it, and that go through it element by element themselves."""
    of_block: dict[Block, list[_Access]] = field(default_factory=dict)
    loops: dict[Loop, list[_Access]] = field(default_factory=dict)
    """Loops that touch it, are left at their latch only, and have no loop inside that does."""
    needless: set[tuple[Block, Block]] = field(default_factory=set)
    """Edges around one of them, taken where it would have no rounds."""

    def accesses(self) -> Iterator[_Access]:
        for found in self.of_block.values():
            yield from found


class LastReads:
    """The loads of one reverse sweep that set a shadow, and the stores that leave it as it is."""

    def __init__(self, sweep: ReverseSweep) -> None:
        self.sweep, self.subject = sweep, sweep.subject
        self.set: set[Instruction] = set()
        self.left: set[Instruction] = set()
        self.unfilled: set[Instruction] = set()
        """Arrays whose shadows may begin with anything."""
        request = sweep.request
        if not sweep.engine.config.last_reads or request.at_run_time or request.keep_tape or request.renewable:
            return
        if sweep.lanes.width > 1 or not self.subject.loops.loops:
            return
        self.live = set(self.subject.live_blocks)
        self.layout = self.subject.module.datalayout
        self.forms = CoveredReads(self.subject.alias, self.subject.dominators, self.subject.loops, self.layout)
        for home in homes(self.subject):
            array = self._array(home)
            if array is None:
                continue
            self._find_loads(array)
            if any(each.instruction in self.set for each in array.accesses()):
                self._find_stores(array)
                if all(self._is_set_after(each, array) for each in array.accesses()):
                    self.unfilled.add(home)

    # arrays

    def _array(self, home: Instruction) -> _Array | None:
        """An array of which all accesses are known, of numbers of one size; None if it is not one."""
        touched = touching(self.subject, home, self.live)
        if touched is None or not any(isinstance(inst, Load) for inst in touched):
            return None
        sizes = {self.layout.size_of(t) for inst in touched for t in (plain_number(inst),) if t is not None}
        if len(sizes) != 1 or any(plain_number(inst) is None for inst in touched if isinstance(inst, (Load, Store))):
            return None
        array = _Array(home)
        array.outer = {loop for loop in self.subject.loops.loops if self._goes_along(loop, home, touched)}
        for block in self.subject.live_blocks:
            found = [self._access(inst, array) for inst in block.instructions if inst in touched]
            if found:
                array.of_block[block] = found
        for loop in self.subject.loops.loops:
            found = [each for block in loop.order for each in array.of_block.get(block, ())]
            if found and self._is_sweep(loop, array):
                array.loops[loop] = found
        for loop in array.loops:
            array.needless |= set(self._needless(loop, array))
        return array

    def _goes_along(self, loop: Loop, home: Instruction, touched: Container[Instruction]) -> bool:
        """Whether a loop with loops inside touches an array, other elements in each iteration, where these do not."""
        if not loop.children or not self._leaves_at_latch(loop):
            return False
        mine = [inst for block in loop.order if block in self.live for inst in block.instructions if inst in touched]
        return bool(mine) and all(self.subject.loops.loop_of(i.block) is loop and self._moves(i, home) for i in mine)

    def _moves(self, inst: Instruction, home: Instruction) -> bool:
        form = self.forms.address(inst.pointer, home) if isinstance(inst, (Load, Store)) else None
        return form is not None and not self._steady(form)

    def _access(self, inst: Instruction, array: _Array) -> _Access:
        pointer = inst.pointer if isinstance(inst, (Load, Store)) else None
        first = self.forms.address(pointer, array.home) if pointer is not None else None
        if first is None:
            return _Access(inst, None, False)
        assert inst.block is not None
        type = plain_number(inst)
        assert type is not None
        size = self.layout.size_of(type)
        loop = self.subject.loops.loop_of(inst.block)
        if self._steady(first):
            # A loop's range is to be empty where it has no rounds.
            always = loop is None or not self._is_sweep(loop, array)
            return _Access(inst, _Range(first, first.plus(Polynomial.number(size))), always)
        rounds = self.forms.rounds(loop) if loop is not None and self._is_sweep(loop, array) else None
        if loop is None or rounds is None:
            return _Access(inst, None, False)
        step, start = first.stride(counter(loop)), first.without(counter(loop))
        whole = Polynomial(()).plus(rounds, size)
        if step is None or abs(step) != size or not self._steady(start) or not self._steady(rounds):
            return _Access(inst, None, False)
        if step < 0:
            start = start.plus(Polynomial.number(size)).minus(whole)
        assert loop.latch is not None
        every = self.subject.dominators.dominates(inst.block, loop.latch)
        return _Access(inst, _Range(start, start.plus(whole)), every)

    def _steady(self, form: Polynomial) -> bool:
        """Whether a form is the same throughout a call of the function."""
        for value, _ in form.variables:
            if not isinstance(value, (Argument, Instruction)):  # a loop: its counter
                return False
            if isinstance(value, Instruction):
                assert value.block is not None
                if self.subject.loops.loop_of(value.block) is not None:
                    return False
        return True

    def _is_sweep(self, loop: Loop, array: _Array) -> bool:
        return loop in array.outer if loop.children else self._leaves_at_latch(loop)

    @staticmethod
    def _leaves_at_latch(loop: Loop) -> bool:
        return loop.is_simple and loop.exiting_blocks == [loop.latch] and len(loop.exits) == 1

    def _needless(self, loop: Loop, array: _Array) -> Iterator[tuple[Block, Block]]:
        """The edge past a loop, behind a comparison that says that it would have no rounds, where nothing else that
        touches the array lies between."""
        rounds = self.forms.rounds(loop)
        before: Block | None = loop.preheader
        behind = self._reached(loop.exits[0][1], array)
        chain: list[Block] = []
        while rounds is not None and before is not None and before not in chain and self._silent(before, array):
            chain.append(before)
            sources = before.predecessors
            if len(sources) != 1:
                return
            (guard,) = sources
            end = guard.terminator
            if isinstance(end, Branch) and end.is_conditional:
                condition, on_true, on_false = end.operands
                past = on_false if on_true is before else on_true
                assert isinstance(past, Block)
                held = on_true is before
                if past is not before and past in behind and self.forms.no_rounds(condition, held, rounds):
                    yield guard, past
                return
            before = guard

    def _reached(self, block: Block, array: _Array) -> list[Block]:
        """Where control goes from here, whatever happens, up to and with the first block that touches the array."""
        found = [block]
        while self._silent(block, array) and len(block.successors) == 1 and block.successors[0] not in found:
            block = block.successors[0]
            found.append(block)
        return found

    def _silent(self, block: Block, array: _Array) -> bool:
        return all(isinstance(each.instruction, CallBase) for each in array.of_block.get(block, ()))

    # loads

    def _find_loads(self, array: _Array) -> None:
        for loop, accesses in array.loops.items():
            (only, *more) = accesses
            load = only.instruction
            if more or not isinstance(load, Load) or only.range is None or self._steady_address(load, array):
                continue
            active = self.sweep.activity.active_instruction(load) and self.sweep.activity.active_value(load)
            if active and self.sweep.windows.slot(load) is None and self._is_last(loop, only.range, array):
                self.set.add(load)

    def _steady_address(self, inst: Load | Store, array: _Array) -> bool:
        """Whether all rounds of a loop touch the same element."""
        form = self.forms.address(inst.pointer, array.home)
        return form is None or self._steady(form)

    def _is_last(self, loop: Loop, whole: _Range, array: _Array) -> bool:
        """Whether nothing reads the range behind the loop before it is overwritten."""

        def step(block: Block, rest: _Range) -> _Step:
            inner = self._headed(block, array)
            if inner is None:
                fine, left = self._overwritten(array.of_block.get(block, []), rest)
                return fine, left, [each for each in block.successors if (block, each) not in array.needless]
            fine, left = self._overwritten(sorted(array.loops[inner], key=lambda each: not each.reads), rest)
            return fine, left, [inner.exits[0][1]]

        return self._everywhere(loop.exits[0][1], whole, step)

    def _everywhere(self, block: Block, whole: _Range, step: Callable[[Block, _Range], _Step]) -> bool:
        """Whether all is in order on every way from a block on. ``step`` is given a block and what is left of the range
        there, and says whether that is in order, what is left behind it, and where the ways lead."""
        work = [(block, whole)]
        seen = set(work)
        while work:
            fine, left, following = step(*work.pop())
            if not fine:
                return False
            for each in following if left is not None else ():
                assert left is not None
                if each in self.live and (each, left) not in seen:
                    seen.add((each, left))
                    work.append((each, left))
            if len(seen) > _STEPS:
                return False
        return True

    def _headed(self, block: Block, array: _Array) -> Loop | None:
        loop = self.subject.loops.loop_of(block)
        return loop if loop in array.loops and loop.header is block else None

    def _overwritten(self, accesses: list[_Access], rest: _Range | None) -> tuple[bool, _Range | None]:
        """Whether nothing reads a range before it is overwritten, and what is left of it then."""
        for each in accesses:
            if rest is None:
                break
            if each.reads:
                if not rest.apart(each.range):
                    return False, rest
            elif each.range is not None and each.every and self.sweep.activity.active_instruction(each.instruction):
                rest = rest.without(each.range)
        return True, rest

    # stores

    def _find_stores(self, array: _Array) -> None:
        for loop, accesses in array.loops.items():
            (only, *more) = accesses
            store = only.instruction
            if more or not isinstance(store, Store) or only.range is None or self._steady_address(store, array):
                continue
            active = self.sweep.activity.active_instruction(store) and self.sweep.activity.active_value(store.value)
            if active and self.sweep.windows.slot(store) is None and self._is_set_before(loop, only.range, array):
                self.left.add(store)

    def _is_set_before(self, loop: Loop, whole: _Range, array: _Array) -> bool:
        """Whether in front of the loop the range has been read by loads that set its shadow, behind all else that
        touched it; where no load touches it at all, its shadow is zero for ever."""

        def step(block: Block, rest: _Range) -> _Step:
            inner = self.subject.loops.loop_of(block)
            if inner is not None and inner in array.loops:
                assert inner.preheader is not None
                accesses, sources = array.loops[inner], [inner.preheader]
            else:
                accesses = array.of_block.get(block, [])
                sources = [each for each in block.predecessors if (each, block) not in array.needless]
            fine, left = self._set(accesses[::-1], rest, array)
            return fine, left, sources if block is not array.home.block else []

        assert loop.preheader is not None
        return self._everywhere(loop.preheader, whole, step)

    def _set(self, accesses: list[_Access], rest: _Range | None, array: _Array) -> tuple[bool, _Range | None]:
        """Whether nothing asks for a range's shadow before it is set, and what is left of it then."""
        for each in accesses:
            if rest is None:
                break
            if self._surely_sets(each):
                assert each.range is not None
                rest = rest.without(each.range)
            elif not rest.apart(each.range):
                return self._never_read(rest, array), None
        return True, rest

    # fills

    def _is_set_after(self, access: _Access, array: _Array) -> bool:
        """Whether what asks for a shadow in the reverse sweep finds it set: on every way from the access on something
        sets all of its range."""
        if access.instruction in self.set:
            return True
        block, whole = access.instruction.block, access.range
        if whole is None or block is None:
            return False
        loop = self.subject.loops.loop_of(block)
        if loop is not None and loop in array.loops:
            return self._everywhere(loop.exits[0][1], whole, lambda at, rest: self._setting(at, rest, array))
        # From the block's end on, without what is set behind the access in the block itself.
        return all(
            self._everywhere(each, whole, lambda at, rest: self._setting(at, rest, array))
            for each in block.successors
            if each in self.live
        ) and bool(block.successors)

    def _setting(self, block: Block, rest: _Range, array: _Array) -> _Step:
        inner = self._headed(block, array)
        left: _Range | None = rest
        for each in array.of_block.get(block, []) if inner is None else array.loops[inner]:
            if left is not None and self._surely_sets(each):
                assert each.range is not None
                left = left.without(each.range)
        following = [inner.exits[0][1]] if inner is not None else block.successors
        return bool(following) or left is None, left, [e for e in following if (block, e) not in array.needless]

    def _surely_sets(self, access: _Access) -> bool:
        return access.instruction in self.set and access.every and not self._may_be_left_out(access.instruction)

    def _never_read(self, rest: _Range, array: _Array) -> bool:
        return all(rest.apart(each.range) for each in array.accesses() if each.reads)

    def _may_be_left_out(self, inst: Instruction) -> bool:
        """Whether the reverse sweep may pass it over, in some iterations or altogether."""
        sweep = self.sweep
        some = {*sweep.choices, *sweep.kept_choices}
        around = (loop for loop in sweep.passing if loop.contains(inst))
        return any(loop in some or not sweep.unchosen.is_chosen(loop) for loop in around)
