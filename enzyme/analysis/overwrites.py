"""Which writes may change a location after an instruction has read it, and the proof that none does.

"After" means anything control flow can reach from the instruction and from which the function may return: later in its
block, other blocks, and in a cycle everything in the cycle again. What a function does on its way to an exception that
leaves it, or to the end of the program, changes nothing for a reverse sweep, for there is none then. A write in the
same cycle is compared for any two iterations, not for one. A loop whose later writes run away from the location
(``a[i + 1] = f(a[i])``) is recognised by its constant distance, a triangle whose inner loop reads in front of them by
nest_distance.py.

Where steps have blocks of their own (``h[t + 1] = malloc(...)``, filled from ``h[t]``), a later write goes to a block
that was allocated when the address of what is read had been found: no such address is that of a block made later. Nor
is one that is loaded behind the allocation from memory that nothing has written since.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from enzyme.analysis.addresses import Address
from enzyme.analysis.cfg import reachability
from enzyme.analysis.dependences import Access as Touch
from enzyme.analysis.dependences import Dependences
from enzyme.analysis.loops import Loop
from enzyme.analysis.memory_objects import LOCAL, MemoryObject
from enzyme.analysis.modref import Access, EffectReader
from enzyme.analysis.nest_distance import NestDistance
from enzyme.analysis.pointer_alias import AliasResult, MemoryLocation, PointerAnalysis
from enzyme.analysis.symbolic import Sym, constant_value, expand, operation, signed, split_offset, sym_values
from enzyme.analysis.tripcount import affine_of
from enzyme.analysis.write_index import WriteIndex
from enzyme.ir.containers import Block
from enzyme.ir.types import FloatType
from enzyme.ir.values import Alloca, CallBase, GetElementPtr, GlobalVariable, Instruction, Load, Value


@dataclass(frozen=True)
class Write:
    """A write that may change the location: ``verdict`` is "may" or "must"."""

    instruction: Instruction
    verdict: str
    reason: str


@dataclass(frozen=True)
class OverwriteProof:
    """``ok``: no write executed after the load may touch what it read, so that the bytes can be read again.

    ``considered`` lists each write looked at with the reason why it does not touch them (up to the conflict, if there
    is one). ``fresh_each_iteration``: the bytes lie in an object that is allocated inside a loop: every iteration has
    its own, and reading it again needs that iteration's pointer.
    """

    ok: bool
    considered: tuple[tuple[Instruction, str], ...]
    conflict: Instruction | None
    reason: str
    fresh_each_iteration: bool


_NO_ESCAPED = AliasResult("no", "not reachable from outside the function")
_NO_ERRNO_OBJECT = AliasResult("no", "errno is another object")
_NO_ERRNO_ARRAY = AliasResult("no", "errno is no array")
_NO_ERRNO_SIZE = AliasResult("no", "errno is an int")
_NO_STACK = AliasResult("no", "no dynamic stack storage")
_NO_LIFETIME = AliasResult("no", "lifetime marker that runs once")
_NO_DISTANCE = AliasResult("no", "later iterations write elsewhere (constant distance)")
_NO_ROW = AliasResult("no", "later iterations write other rows or columns")
_NO_FRESH = AliasResult("no", "later runs write the object of another iteration")
_NO_LATER = AliasResult("no", "what is written is another block")
_SLOW_STEP = 256


def goes_through(loop: Loop, address: GetElementPtr) -> bool:
    """Whether an address inside of a loop is that of another entry of an array in each iteration."""
    return "inbounds" in address.flags and not all(loop.is_invariant(index) for index in address.indices)


class OverwriteFinder:
    """Overwrite questions about one function; writers are collected once."""

    def __init__(self, pointers: PointerAnalysis, effects: EffectReader, dependences: bool = False) -> None:
        self.pointers, self.effects = pointers, effects
        self.dependences = Dependences(pointers) if dependences else None
        cfg = pointers.cfg
        self._writers: list[list[tuple[int, Instruction, tuple[Access, ...]]]] = []
        self._writing_blocks = 0
        self._index: WriteIndex | None = None
        self._first: list[int] = []  # number of the first writer of each block
        self._number: list[tuple[int, int, Instruction, tuple[Access, ...]]] = []  # block and place of each writer
        self._without: dict[Instruction, list[int]] = {}
        self._reached_count: dict[int, int] = {}
        self._stale: dict[tuple[CallBase, Load], bool] = {}
        self._ahead: dict[tuple[Loop, Block], set[Block]] = {}  # what runs later in the same iteration
        returning = cfg.returning or frozenset(cfg.blocks)  # of a function that never does, all
        for index, block in enumerate(cfg.blocks):
            found = []
            for position, inst in enumerate(block.instructions if block in returning else ()):
                accesses = effects.effect(inst).writes
                if accesses:
                    found.append((position, inst, accesses))
            if found:
                self._writing_blocks |= 1 << index
            self._writers.append(found)

    def later_writers(self, inst: Instruction) -> Iterator[tuple[Instruction, tuple[Access, ...]]]:
        """Instructions with write accesses that may be executed after ``inst``, in block order."""
        cfg = self.pointers.cfg
        assert inst.block is not None
        own = cfg.index.get(inst.block)
        if own is None:
            return
        reach = cfg.reach[own] & self._writing_blocks
        if not (reach >> own) & 1:
            place = cfg.position(inst)
            for position, writer, accesses in self._writers[own]:
                if position > place:
                    yield writer, accesses
        while reach:
            low = reach & -reach
            reach ^= low
            for _, writer, accesses in self._writers[low.bit_length() - 1]:
                yield writer, accesses

    def later_count(self, inst: Instruction) -> int:
        """How many instructions with write accesses may be executed after ``inst``."""
        cfg = self.pointers.cfg
        own = cfg.index.get(inst.block) if inst.block is not None else None
        if own is None:
            return 0
        total = self._reached_count.get(own)
        if total is None:
            total, reach = 0, cfg.reach[own] & self._writing_blocks
            while reach:
                low = reach & -reach
                reach ^= low
                total += len(self._writers[low.bit_length() - 1])
            self._reached_count[own] = total
        if not (cfg.reach[own] >> own) & 1:
            place = cfg.position(inst)
            total += len(self._writers[own]) - bisect_right(self._writers[own], place, key=lambda each: each[0])
        return total

    def touches(
        self,
        writer: Instruction,
        access: Access,
        location: MemoryLocation,
        same_iteration: bool,
        count_free: bool = False,
    ) -> AliasResult:
        """Whether one access of an instruction may touch the location."""
        pointers = self.pointers
        if access.cause == "free" and not count_free:
            return AliasResult("no", "releases are delayed")
        # a marker that runs once is dropped with the storage kept; one in a cycle ends an iteration's content
        if access.cause == "lifetime" and (writer.block is None or not pointers.cfg.in_cycle(writer.block)):
            return _NO_LIFETIME
        if access.kind == "location":
            assert access.location is not None
            return pointers.alias(location, access.location, same_iteration)
        objects = pointers.underlying_objects(location.pointer)
        if access.kind == "stack":
            dynamic = any(o.kind == "unknown" or _is_dynamic(o) for o in objects)
            return AliasResult("may", "dynamic stack storage is given back") if dynamic else _NO_STACK
        if access.kind == "errno":
            return self._errno(location, objects)
        for obj in objects:
            if access.kind == "threads" and obj.kind not in ("alloca", "null"):
                return AliasResult("may", f"{access.reason} may have changed {obj}")
            if self._reachable_from_outside(obj, writer):
                return AliasResult("may", f"{access.reason} may touch {obj}")
        return _NO_ESCAPED

    def _reachable_from_outside(self, obj: MemoryObject, at: Instruction) -> bool:
        if obj.kind == "null":
            return False
        return obj.kind not in LOCAL or self.pointers.captured_before(obj, at)

    def _errno(self, location: MemoryLocation, objects: frozenset[MemoryObject]) -> AliasResult:
        """errno is an int object of the C library: no object of the program, not wider than an int, and not the array
        that a loop goes through."""
        if all(o.kind in LOCAL or o.kind == "null" or _is_defined_global(o) for o in objects):
            return _NO_ERRNO_OBJECT
        if location.size is not None and location.size > 4:
            return _NO_ERRNO_SIZE
        if location.type is not None and isinstance(location.type.scalar, FloatType):
            return _NO_ERRNO_SIZE
        if self._is_entry(location.pointer):
            return _NO_ERRNO_ARRAY
        tags = self.pointers.module.metadata.get("llvm.errno.tbaa")
        if tags and location.tbaa is not None:
            listed = self.pointers.scopes.scopes(tags)
            if listed and not any(self.pointers.types.may_alias(tag, location.tbaa) for tag in listed):
                return AliasResult("no", "errno's type cannot overlap (tbaa)")
        return AliasResult("may", "may be errno")

    def _is_entry(self, pointer: Value) -> bool:
        """Whether an address is that of another entry of an array in each iteration of a loop."""
        while isinstance(pointer, GetElementPtr):
            loop = self.pointers.forest.loop_of(pointer.block) if pointer.block is not None else None
            if loop is not None and goes_through(loop, pointer):
                return True
            pointer = pointer.operands[0]
        return False

    # --- the questions

    def conflict(
        self, inst: Instruction, location: MemoryLocation, count_free: bool, harmless: Callable[[Instruction], bool]
    ) -> Write | None:
        """The first write after ``inst`` that may touch the location and is not ``harmless``; None when there is
        none. Finds what :meth:`writes_after` lists, without looking at every write of the function."""
        if isinstance(inst, Load) and ("volatile" in inst.flags or inst.ordering):
            if not harmless(inst):
                return Write(inst, "may", "volatile or atomic load")
        elif self.pointers.is_constant_memory(location):
            return None
        cfg = self.pointers.cfg
        own = cfg.index.get(inst.block) if inst.block is not None else None
        if own is None:
            return None
        if self._index is None:
            self._number = [(b, *writer) for b, found in enumerate(self._writers) for writer in found]
            self._index = WriteIndex(self.pointers, ((writer, accesses) for _, _, writer, accesses in self._number))
            self._first = list(accumulate(map(len, self._writers), initial=0))
        reach = cfg.reach[own]
        start = 0
        if not (reach >> own) & 1:  # what runs later stands later: blocks are in reverse postorder
            place = cfg.position(inst)
            start = self._first[own] + bisect_right(self._writers[own], place, key=lambda each: each[0])
            reach |= 1 << own
        apart = [
            kind
            for kind, (writer, access) in self._index.samples.items()
            if self.touches(writer, access, location, False, count_free).kind == "no"
        ]
        last = -1
        for number in self._index.candidates(location, start, apart):
            if number == last:
                continue
            last = number
            block, _, writer, accesses = self._number[number]
            if (reach >> block) & 1:
                worst = self._worst(inst, location, writer, accesses, count_free)
                if worst.kind != "no" and not harmless(writer):
                    return Write(writer, worst.kind, worst.reason)
        return None

    def writes_after(self, inst: Instruction, location: MemoryLocation, count_free: bool = False) -> list[Write]:
        """All instructions that may execute after ``inst`` and write the location."""
        found = []
        if isinstance(inst, Load) and ("volatile" in inst.flags or inst.ordering):
            found.append(Write(inst, "may", "volatile or atomic load"))  # what another thread or device writes
        elif self.pointers.is_constant_memory(location):
            return found
        for writer, accesses in self.later_writers(inst):
            worst = self._worst(inst, location, writer, accesses, count_free)
            if worst.kind != "no":
                found.append(Write(writer, worst.kind, worst.reason))
        return found

    def prove(self, inst: Instruction, location: MemoryLocation, count_free: bool = False) -> OverwriteProof:
        """The proof, or the first conflict, for reading ``location`` again at the end of the function."""
        fresh = self._fresh(location)
        if isinstance(inst, Load) and ("volatile" in inst.flags or inst.ordering):
            return OverwriteProof(False, (), inst, "volatile or atomic load", fresh)
        if self.pointers.is_constant_memory(location):
            return OverwriteProof(True, (), None, "constant memory", fresh)
        considered: list[tuple[Instruction, str]] = []
        for writer, accesses in self.later_writers(inst):
            worst = self._worst(inst, location, writer, accesses, count_free)
            if worst.kind != "no":
                return OverwriteProof(False, tuple(considered), writer, worst.reason, fresh)
            considered.append((writer, worst.reason))
        return OverwriteProof(True, tuple(considered), None, "no later write may touch it", fresh)

    def _worst(
        self,
        inst: Instruction,
        location: MemoryLocation,
        writer: Instruction,
        accesses: tuple[Access, ...],
        count_free: bool,
    ) -> AliasResult:
        worst = _NO_ESCAPED
        for access in accesses:
            answer = self.touches(writer, access, location, False, count_free)
            if answer.kind != "no" and access.kind == "location":
                answer = self._later_only(inst, location, writer, access) or answer
            if answer.kind == "must":
                return answer
            if worst.kind == "no":
                worst = answer
        return worst

    def _later_only(
        self, inst: Instruction, location: MemoryLocation, writer: Instruction, access: Access
    ) -> AliasResult | None:
        """A "no" that holds because the writer runs after the instruction, not before it."""
        assert access.location is not None
        base = self.pointers.address(location.pointer).base
        if base is self.pointers.address(access.location.pointer).base and self.pointers.is_allocation(base):
            assert isinstance(base, Instruction)
            if base.block in self.pointers.cfg.index and not self._follows_without(base, inst, writer):
                return _NO_FRESH
        if self._is_made_later(inst, location, writer, self.pointers.address(access.location.pointer).base):
            return _NO_LATER
        if self._runs_away(inst, location, writer, access.location):
            return _NO_DISTANCE
        return _NO_ROW if self._in_other_rows(inst, location, writer, access.location) else None

    def _is_made_later(self, inst: Instruction, location: MemoryLocation, writer: Instruction, made: Value) -> bool:
        """Whether the block that an instruction writes, the one that ``made`` gave last, is none that ``inst`` read: it
        was allocated between both, or is newer than the address of the location."""
        if not self._is_new_block(made):
            return False
        assert isinstance(made, CallBase)
        return not self._follows_without(made, inst, writer) or self._is_newer(location, writer, made)

    def writes_newer_blocks(self, read: Load, writer: Instruction, loop: Loop) -> bool:
        """Whether what an instruction writes in a run of a loop lies in blocks that are newer than the address at which
        another one reads there, found in front of the loop."""
        place = self.pointers.location(read)
        found = self.pointers.address(place.pointer).base
        if not isinstance(found, Instruction) or found.block in loop.blocks:
            return False
        for access in self.effects.effect(writer).writes:
            if self.touches(writer, access, place, same_iteration=False).kind == "no":
                continue
            made = self.pointers.address(access.location.pointer).base if access.location is not None else None
            if made is None or not self._is_new_block(made) or not self._is_newer(place, writer, made):
                return False
        return True

    def _is_new_block(self, made: Value) -> bool:
        """Whether a value is a call that gives a block of memory that was nobody's before, and such are looked for."""
        pointers = self.pointers
        if self.dependences is None:
            return False
        known = pointers.known_of(made) if isinstance(made, CallBase) else None
        if known is None or known.allocation is None or known.allocation.reallocates is not None:
            return False
        assert isinstance(made, CallBase)
        mine = known.allocation.stored_in is None and pointers.is_allocation(made)
        return mine and made.block in pointers.cfg.index

    def _is_newer(self, location: MemoryLocation, writer: Instruction, made: Value) -> bool:
        """Whether the block that ``made`` has given last when an instruction writes to it was allocated since the
        address of a location had been found, or since that which the address was loaded from had been written."""
        found = self.pointers.address(location.pointer).base
        if not isinstance(found, Instruction) or found.block not in self.pointers.cfg.index:
            return False
        assert isinstance(made, CallBase)
        if not self._follows_without(made, found, writer):
            return True
        if not isinstance(found, Load) or found.ordering:
            return False
        if (made, found) not in self._stale:
            self._stale[made, found] = self._is_stale(made, found)
        return self._stale[made, found]

    def _is_stale(self, made: CallBase, found: Load) -> bool:
        """Whether nothing writes what ``found`` loads between a block being ``made`` and that: what is loaded was there
        before the block, and is not its address."""
        pointers = self.pointers
        assert made.block is not None
        if pointers.forest.irreducible_edges:
            return False
        place = pointers.location(found)
        for writer, accesses in self.later_writers(made):
            if not self._follows_without(made, writer, found):
                continue
            # Made and loaded in one iteration, for no way leads to the load past what makes the block.
            loop = pointers.forest.common_loop(writer.block, found.block)  # type: ignore[arg-type]
            around = loop is None or made.block in loop.blocks
            same = around and pointers.domtree.instruction_dominates(made, found)
            if any(self.touches(writer, access, place, same, True).kind != "no" for access in accesses):
                return False
        return True

    def _follows_without(self, allocation: Instruction, first: Instruction, second: Instruction) -> bool:
        """Whether ``second`` may run after ``first`` before the allocation runs again."""
        cfg = self.pointers.cfg
        rows = self._without.get(allocation)
        assert allocation.block is not None and first.block is not None and second.block is not None
        if first.block is allocation.block and cfg.position(first) < cfg.position(allocation):
            return first.block is second.block and cfg.position(first) < cfg.position(second) < cfg.position(allocation)
        if rows is None:
            barrier = cfg.index[allocation.block]
            rows = reachability([[s for s in out if s != barrier] for out in cfg.graph])
            self._without[allocation] = rows
        if (rows[cfg.index[first.block]] >> cfg.index[second.block]) & 1:
            return True
        return first.block is second.block and cfg.position(first) < cfg.position(second)

    def _fresh(self, location: MemoryLocation) -> bool:
        for obj in self.pointers.underlying_objects(location.pointer):
            made = obj.value.block if isinstance(obj.value, Instruction) else None
            local = obj.kind in ("alloca", "allocation") and made is not None
            if local and made in self.pointers.cfg.index and self.pointers.cfg.in_cycle(made):
                return True
        return False

    def stays_apart(self, read: Load, writer: Instruction, loop: Loop) -> bool:
        """Whether nothing that an instruction writes in a run of a loop is what a load reads in that run."""
        source = self.pointers.location(read)
        if self.dependences is None or source.size is None or self.pointers.forest.irreducible_edges:
            return False
        mine = Touch(read, source.pointer, source.size)
        for access in self.effects.effect(writer).writes:
            target = access.location
            if self.touches(writer, access, source, same_iteration=False).kind == "no":
                continue
            if access.kind != "location" or target is None or target.whole or target.size is None:
                return False
            read_of, written = (self.pointers.address(each.pointer).base for each in (source, target))
            if self.pointers.take_turns(read_of, written, frozenset(loop.ancestors()[1:])):
                continue
            if not self.dependences.stays_apart(mine, Touch(writer, target.pointer, target.size), loop):
                return False
        return True

    def is_passed(self, store: Instruction, stored: MemoryLocation, load: Instruction) -> bool:
        """Whether in a run of the innermost loop around both no load that is made after a store, in the same iteration
        or a later one, reads what that has ``stored``: loads have gone on by then, or never come there."""
        read = self.pointers.location(load)
        if self.pointers.alias(stored, read, same_iteration=False).kind == "no":
            return True
        assert store.block is not None and load.block is not None
        loop = self.pointers.forest.common_loop(store.block, load.block)
        if loop is None:
            return False
        if self._runs_away(store, stored, load, read, frozenset(loop.ancestors()[1:])):
            return True
        if self.dependences is None or stored.whole or read.whole or stored.size is None or read.size is None:
            return False
        first, then = Touch(store, stored.pointer, stored.size), Touch(load, read.pointer, read.size)
        return self.dependences.is_passed(first, then, loop, self.may_follow(loop, store, load))

    def _in_other_rows(
        self, inst: Instruction, location: MemoryLocation, writer: Instruction, target: MemoryLocation
    ) -> bool:
        """Whether no write made later meets what was read, by the bounds of the loops around both."""
        if self.dependences is None or target.whole or location.whole or target.size is None or location.size is None:
            return False
        if inst.block is None or writer.block is None or inst.block not in self.pointers.cfg.index:
            return False
        read, write = Touch(inst, location.pointer, location.size), Touch(writer, target.pointer, target.size)
        common = self.pointers.forest.common_loop(inst.block, writer.block)
        follows = common is None or self.may_follow(common, inst, writer)
        return self.dependences.stays_clear(read, write, follows)

    # --- constant distance in one loop

    def _runs_away(
        self,
        inst: Instruction,
        location: MemoryLocation,
        writer: Instruction,
        target: MemoryLocation | None,
        in_step: frozenset[Loop] = frozenset(),
    ) -> bool:
        """Whether in the one loop around both, but for those ``in_step``, every write not before the read lands beside
        the bytes read."""
        if target is None or target.whole or location.whole or target.size is None or location.size is None:
            return False
        pointers = self.pointers
        if pointers.forest.irreducible_edges or inst.block is None or writer.block is None:
            return False
        read, written = pointers.address(location.pointer), pointers.address(target.pointer)
        if read.base is not written.base or not (read.exact and written.exact):
            return False
        common = pointers.forest.common_loop(inst.block, writer.block)
        outer = pointers.loops_in_step(read.base, inst, writer, same_iteration=False)
        if common is None or outer is None:
            return False
        outer |= in_step
        moving = [loop for loop in common.ancestors() if loop not in outer]
        if len(moving) != 1 or not pointers.is_same(read.base, outer):
            return False
        loop = moving[0]
        first = 0 if self.may_follow(loop, inst, writer) else 1
        a = self._linear(loop, read, outer)
        b = self._linear(loop, written, outer)
        if a is not None and b is not None and a[1:] == b[1:] and a[1] != 0:
            stride = a[1]
            nearest = b[0] - a[0] + stride * first
            return nearest >= location.size if stride > 0 else -nearest >= target.size
        inner = [pointers.forest.loop_of(each.block) for each in (inst, writer)]
        assert inner[0] is not None and inner[1] is not None
        places = (inner[0], read, location.size), (inner[1], written, target.size)
        return NestDistance(loop, pointers.module.datalayout).stays_clear(*places, first)

    def _linear(
        self, loop: Loop, address: Address, outer: frozenset[Loop]
    ) -> tuple[int, int, frozenset[tuple[Sym, int]]] | None:
        """The address as (constant, stride per iteration, invariant terms), relative to its base."""
        constant_part, stride = address.offset, 0
        invariant: dict[Sym, int] = {}
        for term in address.terms:
            if term.cast == "iteration":
                if term.value not in loop.header.phis:
                    return None
                stride += term.scale
                continue
            found = affine_of(loop, term.value)
            start: Sym
            if found is None:
                fixed = expand(term.value, lambda v: self.pointers.is_same(v, outer))
                if fixed is None:
                    return None
                start = _widened(fixed, term.cast)
            else:
                step = constant_value(found.step)
                if step is None:
                    return None
                step = signed(step, found.bits)
                flagged = {"sext": found.nsw, "zext": found.nuw, "": found.nsw or found.nuw}[term.cast]
                # A 64-bit counter in small steps without flags would need centuries to wrap.
                if not flagged and not (term.cast == "" and abs(step) <= _SLOW_STEP):
                    return None
                if term.cast == "zext" and step < 0 and not found.down:
                    return None
                if not all(self.pointers.is_same(v, outer) for v in sym_values(found.start)):
                    return None
                stride += term.scale * (-step if found.down else step)
                start = _widened(found.start, term.cast)
            base, offset = _constant_split(start)
            constant_part += term.scale * offset
            if base is not None:
                invariant[base] = invariant.get(base, 0) + term.scale
        return constant_part, stride, frozenset((s, k) for s, k in invariant.items() if k)

    def may_follow(self, loop: Loop, inst: Instruction, writer: Instruction) -> bool:
        """Whether the writer may run after the instruction without a new iteration of the loop."""
        cfg = self.pointers.cfg
        assert inst.block is not None and writer.block is not None
        inner = self.pointers.forest.loop_of(inst.block)
        if inst.block is writer.block and inner is loop:
            return cfg.position(writer) > cfg.position(inst)
        if self.pointers.domtree.strictly_dominates(writer.block, inst.block):
            return False
        if (loop, inst.block) not in self._ahead:
            reached: set[Block] = set()
            work = [inst.block]
            while work:
                below = [s for s in work.pop().successors if s in loop.blocks and s is not loop.header]
                work += [s for s in below if s not in reached]
                reached.update(below)
            self._ahead[loop, inst.block] = reached
        return writer.block is inst.block or writer.block in self._ahead[loop, inst.block]


def _widened(sym: Sym, cast: str) -> Sym:
    return operation(cast, sym, bits=64) if cast in ("sext", "zext") else sym


def _constant_split(sym: Sym) -> tuple[Sym | None, int]:
    """``sym`` as an opaque part and an integer that is exact in 64 bits."""
    number = constant_value(sym)
    if number is not None:
        return None, signed(number, 64)
    base, offset = split_offset(sym)
    return base, signed(offset, 64)


def _is_defined_global(obj: MemoryObject) -> bool:
    """Whether the object is a variable that this module defines: a mere declaration could name errno itself."""
    return isinstance(obj.value, GlobalVariable) and obj.value.initializer is not None


def _is_dynamic(obj: MemoryObject) -> bool:
    """Whether the object is stack storage made outside the entry block."""
    alloca = obj.value
    if not isinstance(alloca, Alloca) or alloca.block is None or alloca.block.function is None:
        return False
    return alloca.block is not alloca.block.function.entry
