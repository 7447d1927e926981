"""Copies of whole arrays in place of what single loads found in them.

A time step reads its state many times, at neighbouring elements or for each pair of bodies, and overwrites it. What is
loaded in each place, or computed of it, would go to the tape; a copy of the array, taken once between the write in
front of the loads and those, does for all of them: in the reverse sweep they read the copy. The plan's minimum cut
decides (the copy is one more value that can be kept, and the loads can be had from it).

An array is a local or a block that the function allocates, once, and whose address stays in it (own_arrays.py). What a
load finds is named by the last write in front of it or, where several lead there, by the block in which they meet, as
in memory SSA; on the way out of a loop what was written in there gets a new name. Loads that find the same are a group,
as far as they are in the innermost loop around that name. The copy is taken in each iteration of that loop, in a block
that dominates the group and is in no loop further inside.

Where an optimiser keeps neighbouring elements in registers, a phi at the head of a loop is what a load found in the
iteration before, and in the first iteration what stands one step in front of that: then it is read from the copy, too.

Offered to the plan is a copy only where the array's size is a product of what the numbers of iterations are made of,
which are then guessed alike: an array of which the loops read a small part would cost more than it gains.

Where all that is found in an array was written by loops of one store each, in the same iteration of the loop around
them, each store writes to the snapshot itself, and the loads read it there, in the forward sweep, too: then there is
nothing to copy, and the array is not used at all.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TypeAlias

from enzyme.analysis.covered import CoveredReads
from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import Polynomial, counter
from enzyme.analysis.symbolic import Sym, constant, expand, leaf, operation, sym_values
from enzyme.gradient.own_arrays import homes, plain_number, touching
from enzyme.gradient.primal import PrimalCopy, first_builder, is_static_alloca
from enzyme.ir.builder import Builder
from enzyme.ir.types import I8, I64, FloatType
from enzyme.ir.values import (
    Alloca,
    Argument,
    BinaryOp,
    Block,
    Branch,
    CallBase,
    Cast,
    Constant,
    ConstantInt,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Value,
)
from enzyme.rules.known import known_call

GUESSED = 16
"""What stands for numbers that only the program knows, in sizes as in numbers of iterations (plan.py)."""
_DEPTH = 8

Version: TypeAlias = "Instruction | Block"
"""The write that a place sees, or the block in which several meet; the allocation: none yet."""


@dataclass(frozen=True)
class Snapshot:
    """A copy of an array: ``size`` times all ``factors`` bytes, all of them numbers of one type."""

    home: Instruction
    type: FloatType
    size: int
    factors: tuple[Value, ...]
    guess: int
    writer: Store | None = None
    """Of what is written straight into the snapshot: the only store; nothing is copied then."""
    readers: tuple[Load, ...] = ()

    @property
    def extent(self) -> Sym:
        """Its bytes, over parameters of the function where that is possible."""
        total: Sym = constant(self.size, 64)
        for each in self.factors:
            opened = expand(each, lambda value: isinstance(value, Argument))
            total = operation("mul", total, opened if opened is not None else leaf(each))
        return total


@dataclass
class Snapshots:
    """Those of one copy of the primal: for what stands for each, and for each load or phi of the copy that can be had
    of one, the address in it. All of these are instructions of the copy without an effect."""

    taken: dict[Value, Snapshot] = field(default_factory=dict)
    reads: dict[Value, tuple[Value, Value]] = field(default_factory=dict)
    """Of a load or phi: the address, and the snapshot."""
    writes: dict[Value, Value] = field(default_factory=dict)
    """Of a snapshot that is written straight into: the address that the store has there."""
    in_order: set[Value] = field(default_factory=set)
    """What is read at addresses that go on by the same step in its innermost loop."""
    made: list[Instruction] = field(default_factory=list)

    def drop_unused(self, used: Container[Value]) -> None:
        """Erase what the plan has no use for."""
        direct = {snapshot for snapshot in self.writes if snapshot in used}
        written = {self.writes[each] for each in direct} | {
            address for address, of in self.reads.values() if of in direct
        }
        for inst in reversed(self.made):
            if inst not in used and inst not in written and not inst.users:
                inst.erase()


def offer_snapshots(
    copy: PrimalCopy, count: Callable[[Loop], Sym | None], is_known: Callable[[Loop], bool]
) -> Snapshots:
    """All that the plan may choose from; ``count`` gives a loop's back-edge count, ``is_known`` whether it is known in
    front of all loops how often it runs in all."""
    found = Snapshots()
    if copy.subject.loops.loops:
        finder = _Finder(copy, found, count, is_known)
        for home in homes(copy.subject):
            finder.look_at(home)
    return found


@dataclass
class _Versions:
    """What is found in an array: at the head of each block that the allocation dominates, and by the ``last`` write of
    a block behind it. ``whole`` gives the loop that wrote all of a version, ``stores`` the store of such a loop."""

    home: Instruction
    touched: set[Instruction]
    at_head: dict[Block, Version] = field(default_factory=dict)
    last: dict[Block, Version] = field(default_factory=dict)
    whole: dict[Version, Loop] = field(default_factory=dict)
    stores: dict[Loop, Store] = field(default_factory=dict)

    def behind(self, block: Block) -> Version | None:
        return self.last.get(block, self.at_head.get(block))


class _Finder:
    def __init__(
        self,
        copy: PrimalCopy,
        found: Snapshots,
        count: Callable[[Loop], Sym | None],
        is_known: Callable[[Loop], bool],
    ) -> None:
        self.copy, self.found, self.subject = copy, found, copy.subject
        self.count, self.is_known = count, is_known
        self.loops, self.dominators = self.subject.loops, self.subject.dominators
        self.layout = self.subject.module.datalayout
        self.live = set(self.subject.live_blocks)
        self.forms = CoveredReads(self.subject.alias, self.dominators, self.loops, self.layout)

    def look_at(self, home: Instruction) -> None:
        touched = touching(self.subject, home, self.live)
        if touched is None:
            return
        kinds = {plain_number(inst) for inst in touched if not isinstance(inst, CallBase)}
        type = next(iter(kinds), None)
        extent = self._extent(home)
        if len(kinds) != 1 or type is None or extent is None:
            return
        versions = self._versions(home, touched)
        total = self._bytes(*extent)
        guess = sum(factor * GUESSED ** len(product) for product, factor in total.terms) if total is not None else 0
        if total is None or guess <= 0:
            return
        self._find_writers(versions, total)
        for key, loads in self._groups(versions).items():
            around = key.parent if isinstance(key, Loop) else self._loop(key)
            if around is not None and self.is_known(around) and self._is_read_in_whole(total, loads, around):
                writer = versions.stores[key] if isinstance(key, Loop) else None
                self._take(Snapshot(home, type, *extent, guess, writer, tuple(loads)), around)

    def _loop(self, version: Version) -> Loop | None:
        return self.loops.loop_of(version if isinstance(version, Block) else version.block)

    # what a load finds

    def _groups(self, found: _Versions) -> dict[Version | Loop, list[Load]]:
        """Loads that find the same, in the loop in which that was written: by what wrote it."""
        groups: dict[Version | Loop, list[Load]] = {}
        for block in self.subject.live_blocks:
            version = found.at_head.get(block)
            for inst in block.instructions:
                if inst not in found.touched:
                    continue
                if not isinstance(inst, Load):
                    version = inst
                elif version is not None and version is not found.home:
                    loop = self._loop(version)
                    if loop is not None and loop.contains(inst):
                        groups.setdefault(found.whole.get(version, version), []).append(inst)
        return groups

    def _versions(self, home: Instruction, touched: set[Instruction]) -> _Versions:
        found = _Versions(home, touched)
        for block in self.live:
            for inst in block.instructions:
                if inst is home or (inst in touched and not isinstance(inst, Load)):
                    found.last[block] = inst
        merges: set[Block] = set()
        work = list(found.last)
        while work:
            block = work.pop()
            inner = self.loops.loop_of(block)
            behind = [out for loop in (inner.ancestors() if inner is not None else ()) for out in loop.exit_blocks]
            for each in (*self.dominators.frontier(block), *behind):
                if each in self.live and each not in merges:
                    merges.add(each)
                    work.append(each)
        for block in self.subject.live_blocks:
            above = self.dominators.idom(block)
            if block in merges:
                found.at_head[block] = block
            elif above is not None and (version := found.behind(above)) is not None:
                found.at_head[block] = version
        return found

    # loops that write all of an array

    def _find_writers(self, found: _Versions, extent: Polynomial) -> None:
        """Versions that are all written by one loop, where all loads find such: those can be written elsewhere.

        A loop that is left out only where it would have no rounds is taken to have run: the array would have no bytes.
        """
        if any(isinstance(inst, CallBase) for inst in found.touched):
            return
        whole: dict[Version, Loop] = {}
        for each in self.forms.writes(found.home, found.touched):
            loop = each.loop
            if loop is None or loop.parent is None or each.first.terms or each.length.minus(extent).terms:
                continue
            alone = sum(inst.block in loop.blocks for inst in found.touched) == 1
            (behind, *others) = loop.exit_blocks
            if loop.is_simple and alone and not others and self.loops.loop_of(behind) is loop.parent:
                assert isinstance(each.instruction, Store)
                whole[behind] = loop
                found.stores[loop] = each.instruction
        for block in self.subject.live_blocks:
            if found.at_head.get(block) is block and block not in whole:
                loop = self._only_writer(block, found, whole)
                if loop is not None:
                    whole[block] = loop
        found.whole = whole
        grouped = [load for key, loads in self._groups(found).items() if isinstance(key, Loop) for load in loads]
        if len(grouped) < sum(isinstance(inst, Load) for inst in found.touched):
            found.whole = {}

    def _only_writer(self, block: Block, found: _Versions, whole: dict[Version, Loop]) -> Loop | None:
        """The loop that wrote all of what is found at the head of a block, whichever way that was reached."""
        sources = [each for each in block.predecessors if each in self.live]
        wrote = [whole.get(version) if (version := found.behind(each)) is not None else None for each in sources]
        for loop in wrote:
            if loop is not None and self.loops.loop_of(block) is loop.parent:
                if all(
                    it is loop or self._is_empty(each, block, loop) for each, it in zip(sources, wrote, strict=True)
                ):
                    return loop
        return None

    def _is_empty(self, source: Block, target: Block, loop: Loop) -> bool:
        """Whether an edge is taken only where a loop would have no rounds."""
        end, rounds = source.terminator, self.forms.rounds(loop)
        if not isinstance(end, Branch) or not end.is_conditional or rounds is None:
            return False
        condition, on_true, on_false = end.operands
        return on_true is not on_false and self.forms.no_rounds(condition, on_false is target, rounds)

    # whether a copy is worth offering

    def _extent(self, home: Instruction) -> tuple[int, tuple[Value, ...]] | None:
        """The bytes of an array: a number, and what it is multiplied by."""
        if isinstance(home, Alloca):
            if not is_static_alloca(home):
                return None
            count = home.operands[0]
            assert isinstance(count, ConstantInt)
            return self.layout.alloc_size(home.allocated_type) * count.value, ()
        known = known_call(home) if isinstance(home, CallBase) else None
        given = known.allocation if known is not None else None
        if given is None or not given.is_plain:
            return None
        assert isinstance(home, CallBase)
        parts = [home.args[position] for position in given.sizes]
        fixed = prod(each.value for each in parts if isinstance(each, ConstantInt))
        return fixed, tuple(each for each in parts if not isinstance(each, ConstantInt))

    def _bytes(self, size: int, factors: Sequence[Value]) -> Polynomial | None:
        total = Polynomial.number(size)
        for each in factors:
            form = self.forms.integer(each, "zext")
            if form is None:
                return None
            total = total.times(form)
        return total if total.terms else None

    def _is_read_in_whole(self, total: Polynomial, loads: Sequence[Load], around: Loop) -> bool:
        """Whether the size is made of what the numbers of iterations are made of."""
        known = {root for load in loads for loop in self._inside(load, around) for root in self._rounds(loop)}
        return all(_roots(value) <= known for value, _ in total.variables if isinstance(value, Value))

    def _inside(self, load: Load, around: Loop) -> Iterator[Loop]:
        loop = self.loops.loop_of(load.block)
        while loop is not None and loop is not around:
            yield loop
            loop = loop.parent

    def _rounds(self, loop: Loop) -> set[Value]:
        count = self.count(loop)
        return {root for value in sym_values(count) for root in _roots(value)} if count is not None else set()

    # the copy, and the addresses in it

    def _take(self, snapshot: Snapshot, around: Loop) -> None:
        loads = snapshot.readers
        if snapshot.writer is not None:
            head = first_builder(self.copy.blocks[around.header])
            self._offer(snapshot, around, head)
            return
        block = loads[0].block
        assert block is not None
        for load in loads[1:]:
            common = self.dominators.nearest_common(block, load.block)  # type: ignore[arg-type]
            assert common is not None
            block = common
        while (loop := self.loops.loop_of(block)) is not around:
            assert loop is not None
            if loop.preheader is None:
                return
            block = loop.preheader
        if self._may_be_freed(snapshot.home, block):
            return
        before = next((self.copy.of(load) for load in block.instructions if load in loads), None)
        place = self.copy.blocks[block]
        self._offer(
            snapshot, around, Builder(place, before=before if isinstance(before, Instruction) else place.terminator)
        )

    def _offer(self, snapshot: Snapshot, around: Loop, build: Builder) -> None:
        """Put the snapshot, and the addresses in it, into the copy of the primal."""
        taken = build.gep(I8, self.copy.of(snapshot.home), [ConstantInt(I64, 0)], name="snapshot")
        self._note(taken)
        self.found.taken[taken] = snapshot
        for load in snapshot.readers:
            self.found.reads[self.copy.of(load)] = self._address(load, snapshot.home, taken), taken
            loop = self.loops.loop_of(load.block)
            first = self.forms.address(load.pointer, snapshot.home)
            if loop is not None and first is not None and not any(_varies(first.without(counter(loop)), loop)):
                self.found.in_order.add(self.copy.of(load))
        if snapshot.writer is not None:
            self.found.writes[taken] = self._address(snapshot.writer, snapshot.home, taken)
        self._phis(snapshot, taken, around)

    def _note(self, made: Value) -> Value:
        assert isinstance(made, Instruction)
        self.found.made.append(made)
        return made

    def _may_be_freed(self, home: Instruction, place: Block) -> bool:
        """Whether control may come to a place behind a call that frees the array."""
        work = [
            user.block for user in home.users if self.subject.freed_pointer(user) is home and user.block in self.live
        ]
        seen: set[Block] = set()
        while work:
            block = work.pop()
            if block is place:
                return True
            if block is not None and block not in seen:
                seen.add(block)
                work += block.successors
        return False

    def _address(self, access: Load | Store, home: Instruction, base: Value) -> Value:
        """The address in the copy of an array that is that of an access to the array."""
        made = self.copy.of(access)
        assert isinstance(made, (Load, Store)) and made.block is not None
        build = Builder(made.block, before=made)
        steps: list[GetElementPtr] = []
        pointer = access.pointer
        while pointer is not home:
            assert isinstance(pointer, GetElementPtr)
            steps.append(pointer)
            pointer = pointer.base
        for step in reversed(steps):
            there = self.copy.of(step)
            assert isinstance(there, GetElementPtr)
            base = self._note(build.insert(there.clone([base, *there.indices])))
        return base

    # elements in registers

    def _phis(self, snapshot: Snapshot, taken: Value, around: Loop) -> None:
        """Phis that hold what a load found in the iteration before, in loops in which nothing writes the array."""
        group = set(snapshot.readers)
        for load in snapshot.readers:
            loop = self.loops.loop_of(load.block)
            if loop is None or loop is around or loop.latch is None or loop.exiting_blocks != [loop.latch]:
                continue
            if not self.dominators.dominates(load.block, loop.latch):  # type: ignore[arg-type]
                continue
            first = self.forms.address(load.pointer, snapshot.home)
            step = first.stride(counter(loop)) if first is not None else None
            if first is None or step is None or any(_varies(first.without(counter(loop)), loop)):
                continue
            held: Value = load
            made = self.copy.of(load)
            assert isinstance(made, Load)
            for back in range(1, _DEPTH):
                phi = self._next(loop, held)
                if phi is None or phi.type is not load.type:
                    break
                begin = next(value for value, source in phi.incoming if source is not loop.latch)
                there = self.forms.address(begin.pointer, snapshot.home) if isinstance(begin, Load) else None
                start = first.replaced(counter(loop), Polynomial.number(-back))
                if begin not in group or there is None or there.minus(start).terms:
                    break
                address, _ = self.found.reads[made]
                build = Builder(made.block, before=made)  # type: ignore[arg-type]
                moved = self._note(build.gep(I8, address, [ConstantInt(I64, -back * step)]))
                self.found.reads[self.copy.of(phi)] = moved, taken
                self.found.in_order.add(self.copy.of(phi))
                held = phi

    def _next(self, loop: Loop, held: Value) -> Phi | None:
        """The phi at the head of a loop that is what ``held`` was in the iteration before."""
        assert loop.latch is not None
        for phi in loop.header.phis:
            if len(phi.incoming) == 2 and phi.value_from(loop.latch) is held:
                return phi
        return None


def _varies(form: Polynomial, loop: Loop) -> Iterator[bool]:
    for what, _ in form.variables:
        inside = isinstance(what, Instruction) and what.block in loop.blocks
        yield inside or (isinstance(what, Loop) and loop.contains(what))


def _roots(value: Value, depth: int = _DEPTH) -> set[Value]:
    """What an integer is made of."""
    if isinstance(value, Constant):
        return set()
    arithmetic = isinstance(value, (Cast, BinaryOp, Select)) or (
        isinstance(value, CallBase) and (value.callee_name or "").startswith(("llvm.smax", "llvm.umax", "llvm.smin"))
    )
    if not arithmetic or depth == 0:
        return {value}
    operands = value.args if isinstance(value, CallBase) else value.operands  # type: ignore[attr-defined]
    return {root for each in operands if each.type.is_int for root in _roots(each, depth - 1)}
