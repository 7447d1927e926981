"""Reversed loops that may be run inside of the loops that stand in them (see sunk_loops.py).

Such a loop goes along memory, one element further in each iteration, and has loops in it that go the same way in every
iteration: as many rounds, the same branches. Inside of them, memory is added to or read; around them may be what takes
an adjoint and clears its shadow. Each block is then run for many iterations of the loop at once, one block after the
other, so what is moved over one another must be apart, or be additions, which may be made in any order.

What is apart is seen from objects, types and scopes, or asked in front of the loop: an address is linear in the number
of each loop's iteration, so the least and the greatest one are sums of the least and the greatest of each part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop
from enzyme.analysis.pointer_alias import PointerAnalysis
from enzyme.analysis.polynomials import Polynomial, Variable, counter
from enzyme.analysis.symbolic import Sym, constant_value
from enzyme.analysis.tripcount import Affine, affine_of, backedge_count, hoist_count
from enzyme.gradient.nests import COUNTER
from enzyme.gradient.nests import find_nests as find_exchanged
from enzyme.gradient.sums import Sum, find_sums, is_plain
from enzyme.ir.layout import DataLayout
from enzyme.ir.types import I64, FloatType
from enzyme.ir.values import (
    Block,
    Branch,
    Instruction,
    Load,
    Phi,
    Store,
    Value,
)

LEAST = 12
"""Loops with fewer iterations than these are left as they are."""
SHORT = 32
"""Inner loops that go along memory themselves are made vectors of, if they have as many rounds as these."""
_MOST_BLOCKS, _MOST_KEPT, _MOST_SUMS, _MOST_ACCESSES, _MOST_ASKED = 24, 8, 64, 128, 400
_MOST_IN_REGISTERS, _MOST_WALKED = 8, 4


@dataclass(frozen=True)
class Access:
    """What a block touches: ``form`` bytes behind ``root`` (None where that is not known). ``moves``: it does not stay
    where it is among what its block does, being the same in all iterations."""

    inst: Load | Store
    block: Block
    size: int
    writes: bool
    adds: bool
    moves: bool
    root: Value
    form: Polynomial | None


@dataclass
class Nest:
    """A loop to be run inside of those in it, where what ``apart`` asks for is found to hold."""

    loop: Loop
    count: Sym
    counters: dict[Phi, Affine]
    """The loop's own integers."""
    carried: dict[Phi, Block]
    """Numbers that are handed to the next iteration, and the only block that uses each of them."""
    varying: set[Instruction]
    """What is not the same in all of its iterations."""
    kept: dict[Instruction, None]
    """Numbers that other blocks than their own use."""
    sums: dict[Block, list[Sum]]
    groups: dict[Block, list[list[Sum]]]
    """What is added by one loop each, in the blocks of inner loops."""
    rises: bool
    """Whether addresses rise from one iteration to the next."""
    inner: dict[Loop, Sym]
    """How often the back edges of the inner loops are taken."""
    apart: list[tuple[Access, Access]] = field(default_factory=list)
    short: list[Sym] = field(default_factory=list)
    """How often the back edges of loops are taken that must be found to be short."""

    def is_inside(self, block: Block) -> bool:
        """Whether a block is one of an inner loop."""
        return any(block in loop.blocks for loop in self.inner)


class _Forms(FunctionForms):
    """Addresses in the numbers of the loop's iterations, and of those in it; all else is from in front of it."""

    def counter(self, phi: Phi) -> tuple[Loop, Variable] | None:
        assert self.nest is not None
        return super().counter(phi) if self.nest.contains(phi) else None

    def opens(self, value: Value) -> bool:
        assert self.nest is not None
        return not self.nest.is_invariant(value)


def find_nests(
    pointers: Callable[[], PointerAnalysis], loops: list[Loop], layout: DataLayout, exchange: bool
) -> Iterator[Nest]:
    """Loops in LCSSA form that are better run inside; none of them in another one, nor such as are to be exchanged
    (interchange.py), if any are. Of few programs ``pointers`` is asked."""
    taken: list[Loop] = []
    for loop in loops:
        if loop.children and not any(each.contains(loop) for each in taken):
            nest = _Reader(pointers, loop, layout).read()
            if nest is not None and not (exchange and any(find_exchanged([loop], layout))):
                taken.append(loop)
                yield nest


class _Reader:
    def __init__(self, pointers: Callable[[], PointerAnalysis], loop: Loop, layout: DataLayout) -> None:
        self.pointers, self.loop, self.layout = pointers, loop, layout
        assert loop.forest is not None
        self.forest = loop.forest
        self.forms = _Forms(loop.forest.domtree, loop.forest, layout, loop)
        self.varying: set[Instruction] = set()

    def read(self) -> Nest | None:
        loop = self.loop
        latch, ahead = loop.latch, loop.preheader
        if latch is None or ahead is None or len(loop.exits) != 1 or loop.exits[0][0] is not latch:
            return None
        if not loop.is_simple or len(loop.blocks) > _MOST_BLOCKS or latch is loop.header:
            return None
        if not any(COUNTER.match(phi.name or "") for phi in loop.header.phis):
            return None
        if not all(isinstance(block.terminator, Branch) and is_plain(block) for block in loop.order):
            return None
        counters, carried = self._phis()
        if counters is None:
            return None
        self._find_varying()
        count = backedge_count(loop, self.forest.domtree)
        inner = {each: hoist_count(each, loop, self.forest.domtree) for each in loop.inside()}
        known = {each: found for each, found in inner.items() if found is not None}
        if count is None or len(known) < len(inner) or not self._goes_alike() or not self._stays_inside(carried):
            return None
        fixed = constant_value(count)
        if fixed is not None and fixed + 1 < LEAST:
            return None
        sums = {block: list(find_sums(block)) for block in loop.order}
        walking = self._walking(sums)
        if walking is None:
            return None
        kept = self._kept()
        groups = self._groups(sums)
        if kept is None or groups is None:
            return None
        nest = Nest(loop, count, counters, carried, self.varying, kept, sums, groups, walking, known)
        if not self._pays(nest) or not self._find_apart(nest):
            return None
        return nest

    def _phis(self) -> tuple[dict[Phi, Affine] | None, dict[Phi, Block]]:
        counters: dict[Phi, Affine] = {}
        carried: dict[Phi, Block] = {}
        latch = self.loop.latch
        assert latch is not None
        for phi in self.loop.header.phis:
            affine = affine_of(self.loop, phi) if phi.type is I64 else None
            if affine is not None and constant_value(affine.step) is not None and not affine.down:
                counters[phi] = affine
                continue
            following = phi.value_from(latch)
            block = following.block if isinstance(following, Instruction) and not isinstance(following, Phi) else None
            if not isinstance(phi.type, FloatType) or block is None or self.forest.loop_of(block) is not self.loop:
                return None, {}
            if any(user.block is not block for user in phi.users if isinstance(user, Instruction)):
                return None, {}
            if not self.forest.domtree.dominates(block, latch):
                return None, {}
            carried[phi] = block
        return counters, carried

    def _find_varying(self) -> None:
        """What is made of the loop's counters."""
        work: list[Instruction] = list(self.loop.header.phis)
        while work:
            inst = work.pop()
            if inst not in self.varying:
                self.varying.add(inst)
                work += [user for user in inst.users if isinstance(user, Instruction) and self.loop.contains(user)]

    def _goes_alike(self) -> bool:
        """Whether all iterations take the same way."""
        for block in self.loop.order:
            end = block.terminator
            assert end is not None
            if end in self.varying and block is not self.loop.latch:
                return False
            if block is not self.loop.header and any(phi in self.varying for phi in block.phis):
                return False
        return True

    def _stays_inside(self, carried: dict[Phi, Block]) -> bool:
        """Whether nothing else is used behind the loop than what it hands on in the end."""
        latch = self.loop.latch
        assert latch is not None
        last = {phi.value_from(latch) for phi in carried}
        for block in self.loop.order:
            for inst in block.instructions:
                for user in inst.users:
                    inside = isinstance(user, Instruction) and self.loop.contains(user)
                    if not inside and (not isinstance(user, Phi) or inst not in last):
                        return False
        return True

    def _inside(self, block: Block) -> bool:
        """Whether a block is one of an inner loop."""
        return self.forest.loop_of(block) is not self.loop

    def _form(self, pointer: Value) -> tuple[Value, Polynomial | None]:
        """What an address is made of, and how far it lies behind that; None where this has no bounds."""
        root, form = self.forms.from_base(pointer)
        if not self.loop.is_invariant(root):
            return root, None
        for variable in form.variables:
            what, how = variable
            if isinstance(what, Instruction) and self.loop.contains(what):
                return root, None
            if how == "counter" and (form.degree(variable) > 1 or self._counts(form.factor(variable))):
                return root, None
        return root, form

    @staticmethod
    def _counts(form: Polynomial) -> bool:
        return any(how == "counter" for _, how in form.variables)

    def _stride(self, pointer: Value) -> int | None:
        """By how many bytes an address goes on in each iteration of the loop."""
        if pointer not in self.varying:
            return 0
        root, form = self.forms.from_base(pointer)
        if root in self.varying or any(what in self.varying for what, _ in form.variables):
            return None
        return form.stride(counter(self.loop))

    def _walking(self, sums: dict[Block, list[Sum]]) -> bool | None:
        """Whether the addresses of the inner blocks rise; None where they do not all go on by one element."""
        rises: set[bool] = set()
        parts = {part for found in sums.values() for each in found for part in (each.load, each.store)}
        walks = False
        for block in self.loop.order:
            if not self._inside(block):
                continue
            for inst in block.instructions:
                if isinstance(inst, Store) and inst not in parts:
                    return None
                if not isinstance(inst, (Load, Store)) or inst.pointer not in self.varying:
                    continue
                stride = self._stride(inst.pointer)
                if stride is None or abs(stride) != self.layout.size_of(inst.accessed):
                    return None
                rises.add(stride > 0)
                walks = walks or isinstance(inst, Store)
        return rises.pop() if walks and len(rises) == 1 else None

    def _kept(self) -> dict[Instruction, None] | None:
        """Numbers that are used in other blocks than their own; None where others are than those that can be kept."""
        kept: dict[Instruction, None] = {}
        for block in self.loop.order:
            for inst in block.instructions:
                if inst not in self.varying or isinstance(inst, Phi):
                    continue
                if all(user.block is block or isinstance(user, Phi) for user in inst.users if self.loop.contains(user)):
                    continue
                if isinstance(inst.type, FloatType):
                    kept[inst] = None
                elif not self._is_counted(inst):
                    return None
        return kept if len(kept) <= _MOST_KEPT else None

    def _is_counted(self, value: Value) -> bool:
        """Whether a value is made of the loop's counters, and of what is the same in all iterations."""
        if not isinstance(value, Instruction) or value not in self.varying:
            return True
        if isinstance(value, Phi):
            return value.type is I64
        if isinstance(value, (Load, Store)) or isinstance(value.type, FloatType):
            return False
        return all(map(self._is_counted, value.operands))

    def _groups(self, sums: dict[Block, list[Sum]]) -> dict[Block, list[list[Sum]]] | None:
        """The sums of each inner block by the loops that make them: in one of these no two walk over one array."""
        if sum(map(len, sums.values())) > _MOST_SUMS:
            return None
        found: dict[Block, list[list[Sum]]] = {}
        for block, listed in sums.items():
            if any(not {"nsz", "fast"} & set(each.add.fast_math) for each in listed):
                return None  # a sum of the program's own
            if not listed or not self._inside(block):
                continue
            groups: list[list[Sum]] = []
            places: list[list[tuple[Value, Polynomial]]] = []
            fixed = [each for each in listed if each.store.pointer not in self.varying]
            for each in listed:
                if each in fixed:
                    continue
                place = self.forms.from_base(each.store.pointer)
                free = next((at for at, known in enumerate(places) if _has_room(known, place)), len(groups))
                if free == len(groups):
                    groups.append([])
                    places.append([])
                groups[free].append(each)
                places[free].append(place)
            groups = groups or [[]]
            for at, each in enumerate(fixed):
                groups[at * len(groups) // len(fixed)].append(each)
            if any(sum(each in fixed for each in group) > _MOST_IN_REGISTERS for group in groups):
                return None
            found[block] = groups
        return found

    def _pays(self, nest: Nest) -> bool:
        """Whether the inner loops make no good vectors of their own: note those that must be found to be short."""
        for loop, count in nest.inner.items():
            if loop.children or not any(nest.sums[block] for block in loop.blocks):
                continue
            fixed = constant_value(count)
            if any(len(nest.groups[block]) > 1 for block in loop.blocks if block in nest.groups):
                continue
            steps: set[int | None] = set()
            for block in loop.blocks:
                for each in nest.sums[block]:
                    _, form = self._form(each.store.pointer)
                    size = self.layout.size_of(each.add.type)
                    step = form.stride(counter(loop)) if form is not None else None
                    steps.add(abs(step) // size if step is not None and step % size == 0 else None)
            if steps <= {0, 1}:
                if fixed is not None and fixed >= SHORT:
                    return False
                if fixed is None:
                    nest.short.append(count)
        return True

    # what is apart

    def _find_apart(self, nest: Nest) -> bool:
        """Note what must be found to be apart; whether that can be asked."""
        accesses = list(self._accesses(nest.sums))
        if len(accesses) > _MOST_ACCESSES:
            return False
        pointers = self.pointers()
        where = {access: pointers.location(access.inst) for access in accesses}
        for place, a in enumerate(accesses):
            for b in accesses[place:]:
                if not (a.writes or b.writes) or (a.adds and b.adds and a.inst.accessed == b.inst.accessed):
                    continue
                if not self._inside(a.block) and self._stays_in_order(a, b):
                    continue
                if pointers.apart_at_any_offset(where[a], where[b]):
                    continue
                if a.form is None or b.form is None or a.root is b.root and a.form == b.form:
                    return False
                nest.apart.append((a, b))
        return len(nest.apart) <= _MOST_ASKED

    def _stays_in_order(self, a: Access, b: Access) -> bool:
        """Whether two accesses around the inner loops are made in the order they were made in, where they meet."""
        if a.moves or b.moves or self._inside(b.block):
            return False
        if a.block is b.block:
            return True
        stride = self._stride(a.inst.pointer)
        same = a.root is b.root and a.form == b.form and a.form is not None and a.size == b.size
        return same and stride is not None and abs(stride) >= a.size

    def _accesses(self, sums: dict[Block, list[Sum]]) -> Iterator[Access]:
        for block in self.loop.order:
            loads = {each.load for each in sums[block]}
            stores = {each.store for each in sums[block]}
            for inst in block.instructions:
                if not isinstance(inst, (Load, Store)) or inst in loads:
                    continue
                root, form = self._form(inst.pointer)
                size, adds = self.layout.size_of(inst.accessed), inst in stores
                moves = inst.pointer not in self.varying and (isinstance(inst, Load) or adds)
                yield Access(inst, block, size, isinstance(inst, Store), adds, moves, root, form)


def _has_room(known: list[tuple[Value, Polynomial]], place: tuple[Value, Polynomial]) -> bool:
    """Whether a loop may walk over one more row: not where it is near another one, in the same array."""
    near = any(root is place[0] and form.minus(place[1]).constant is not None for root, form in known)
    return not near and len(known) < _MOST_WALKED
