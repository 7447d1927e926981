"""Shadows of neighbouring elements stay in registers from one iteration to the next.

A loop that reads ``y[i-2]``, ``y[i-1]`` and ``y[i+1]`` adds to the same elements of the shadow again and again when it
is reversed: what one iteration stores, the next one loads. The processor waits for such stores, and long so where an
optimiser has made one wide load of what two stores wrote. Here the elements between the first and the last one that an
iteration touches are a *window*, kept in slots that LLVM promotes to registers. Each iteration stores the element that
leaves the window and loads the one that enters it; what is added, and in which order, does not change.

Of records, ``p[i].x``, ``p[i].y`` and those of ``p[i + 1]``, each number has a window of its own.

An optimiser has ``y[i]`` handed on by the iteration before, which loaded it as ``y[i+1]``. Where that is an element of
the window, the adjoint of what is handed on goes there, and not to the load of the other iteration: then iterations
hand nothing on but the window, and may run in either order (:mod:`enzyme.gradient.ascending`).

Legal where in an innermost loop all accesses of the window are made in every iteration, and nothing else that the
reversed loop touches can be in their shadow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from math import gcd
from typing import TYPE_CHECKING, Any

from enzyme.analysis.addresses import Address, Term
from enzyme.analysis.loops import Loop
from enzyme.gradient.adjoints import add_adjoint, entry_slot
from enzyme.gradient.handed_loads import stays
from enzyme.gradient.scopes import OWN
from enzyme.gradient.subject import has_rule
from enzyme.ir.builder import Builder
from enzyme.ir.types import FloatType, Type
from enzyme.ir.values import (
    BinaryOp,
    Block,
    CallBase,
    Cast,
    Compare,
    ConstantInt,
    DebugRecord,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Value,
)

if TYPE_CHECKING:
    from enzyme.gradient.reverse import ReverseSweep, Site

_SLOT = "shadow.window"
WIDEST = 8
"""Elements of a window: more would not fit into registers."""
CLOSEST = 3
"""Where the nearest two elements are farther apart, several iterations can be done at once, by vectors."""
_WHOLE_DOUBLES = frozenset(("x86_64", "aarch64", "arm64", "riscv64", "powerpc64le"))
"""Processors to which an unordered atomic access of a double is an ordinary one."""


def may_have_windows(text: str) -> bool:
    """Whether any reverse sweep, not optimised yet, keeps elements so."""
    return f"%{_SLOT}" in text


@dataclass
class Window:
    """Accesses of one loop to ``width`` neighbouring elements, ``step`` bytes apart; ``places``: which one each of
    them touches. ``first`` is an access of the element with the least address. ``rises``: the address grows from one
    iteration of the primal to the next. ``up``: the reversed loop runs its iterations in that order, too."""

    loop: Loop
    type: Type
    step: int
    rises: bool
    first: Load | Store
    places: dict[Load | Store, int]
    width: int
    align: int
    metadata: dict[str, Any]
    handed: dict[Phi, int] = field(default_factory=dict)
    """Elements of the window that the iteration before has loaded: their places in the iteration they come to."""
    slots: list[Value] = field(default_factory=list)
    up: bool = False

    @property
    def closest(self) -> int:
        """How far the nearest two elements are apart that an iteration touches."""
        return min(after - before for before, after in pairwise(sorted(set(self.places.values()))))

    @property
    def gapless(self) -> bool:
        """Whether each iteration touches every element of the window."""
        return len(set(self.places.values())) == self.width

    @property
    def order(self) -> list[int]:
        """The places, the one first that leaves first when the loop is reversed; the last one enters last."""
        return list(range(self.width))[:: 1 if self.rises is self.up else -1]

    def slot(self, block: Block, place: int) -> Value:
        """The slot of an element; ``block`` gets the slots."""
        if not self.slots:
            self.slots = [entry_slot(block, self.type, None, _SLOT) for _ in range(self.width)]
        return self.slots[place]


class Windows:
    """The windows of one reverse sweep."""

    def __init__(self, sweep: ReverseSweep) -> None:
        self.sweep = sweep
        self.of_loop: dict[Loop, list[Window]] = {}
        self._of: dict[Value, Window] = {}
        self._single: set[Instruction] = set()
        self.near: set[Loop] = set()
        """Loops that add to neighbouring elements which are not kept in registers."""
        request, config = sweep.request, sweep.engine.config
        strips = config.strips and config.reassociate and self._has_whole_doubles()
        if request.at_run_time or request.keep_tape or sweep.lanes.width > 1 or not (config.windows or strips):
            return
        for loop in sweep.subject.loops.loops:
            finder = _Finder(sweep, loop, strips)
            found = list(finder.windows())
            if not config.windows:
                finder.single.update(inst for window in found for inst in window.places)
                found = []
            self._single |= finder.single
            if strips and (finder.single or (not found and finder.chooses())):
                self.near.add(loop)
            if found:
                self.of_loop[loop] = found
                self._of.update((inst, window) for window in found for inst in (*window.places, *window.handed))

    def run_up(self, loop: Loop) -> None:
        """The loop is to be reversed from its first iteration on."""
        for window in self.of_loop.get(loop, ()):
            window.up = True

    def slot(self, inst: Instruction) -> Value | None:
        """Where the shadow of what ``inst`` touches is kept; None where it is in memory."""
        window = self._of.get(inst)
        if window is None or not isinstance(inst, (Load, Store)):
            return None
        return window.slot(self.sweep.slots_block, window.places[inst])

    def only_adds(self, inst: Instruction) -> bool:
        """Whether ``inst`` is of a window of which all are reads."""
        window = self._of.get(inst)
        return window is not None and all(isinstance(each, Load) for each in window.places)

    def is_handed(self, phi: Phi) -> bool:
        """Whether what an iteration was handed is an element of a window."""
        return phi in self._of

    def take_handed(self, phi: Phi, build: Builder) -> None:
        """Add the adjoint of what an iteration was handed to that element."""
        window = self._of[phi]
        slot = window.slot(self.sweep.slots_block, window.handed[phi])
        amount, flags = self.sweep.adjoints.take(build, phi), self.sweep.engine.extra_flags(self.sweep.subject)
        build.store(add_adjoint(build, build.load(window.type, slot), amount, flags), slot)

    def manner(self, inst: Instruction, align: int) -> dict[str, Any]:
        """How the shadow of what ``inst`` touches is read and written.

        Where neighbours cannot be kept in registers, they are at least not read together: an unordered atomic access
        is an ordinary one for the processor, and no optimiser makes one wide load of two.
        """
        module = self.sweep.subject.module
        if inst not in self._single or not self._has_whole_doubles():
            return {}
        type = inst.value.type if isinstance(inst, Store) else inst.type
        return {"flags": ("atomic",), "ordering": "unordered"} if align >= module.datalayout.size_of(type) else {}

    def _has_whole_doubles(self) -> bool:
        return (self.sweep.subject.module.triple or "x86_64").partition("-")[0] in _WHOLE_DOUBLES

    def enter(self, loop: Loop, site: Site) -> None:
        """In front of the iteration reversed first: fill the windows, but for the element that each loads itself."""
        for window in self.of_loop.get(loop, ()):
            start = self.sweep.shadow(site, window.first.pointer)
            for place in window.order[:-1]:
                self._load(window, site.build, start, place)

    def begin(self, loop: Loop, site: Site) -> None:
        """At the start of a reversed iteration. A load on the way from one iteration to the next would have an address
        that no optimiser sees through, and make the loop one that leaves in its middle."""
        for window in self.of_loop.get(loop, ()):
            self._load(window, site.build, self.sweep.shadow(site, window.first.pointer), window.order[-1])

    def advance(self, loop: Loop, site: Site, behind: Site) -> None:
        """At the end of a reversed iteration, which goes on to ``behind`` the loop, where the counter is that of the
        iteration reversed last, or to another iteration."""
        over = behind.build
        for window in self.of_loop.get(loop, ()):
            start = self.sweep.shadow(site, window.first.pointer)
            self._store(window, site.build, start, window.order[0])
            start = self.sweep.shadow(behind, window.first.pointer)
            for place, other in pairwise(window.order):
                slot = window.slot(self.sweep.slots_block, place)
                value = site.build.load(window.type, window.slot(self.sweep.slots_block, other))
                site.build.store(value, slot)
                self._store(window, over, start, other, slot)

    def _load(self, window: Window, build: Builder, start: Value, place: int) -> None:
        address = build.offset(start, place * window.step)
        value = build.load(window.type, address, window.align, metadata=dict(window.metadata))
        self.sweep.reaches_shadow(value)
        build.store(value, window.slot(self.sweep.slots_block, place))

    def _store(self, window: Window, build: Builder, start: Value, place: int, slot: Value | None = None) -> None:
        value = build.load(window.type, slot or window.slot(self.sweep.slots_block, place))
        address = build.offset(start, place * window.step)
        self.sweep.reaches_shadow(build.store(value, address, window.align, metadata=dict(window.metadata)))


class LoopAccesses:
    """What an innermost loop touches when it is reversed, and how its addresses move."""

    def __init__(self, sweep: ReverseSweep, loop: Loop) -> None:
        self.sweep, self.subject, self.loop = sweep, sweep.subject, loop
        self.pointers = sweep.subject.alias.pointers

    def accesses(self) -> list[Load | Store] | None:
        """What touches shadows when the loop is reversed; None for loops that are not of the right form."""
        loop, live = self.loop, set(self.subject.live_blocks)
        latch = loop.latch
        left_from = {inside for inside, outside in loop.exits if inside in live and outside in live}
        if loop.children or latch is None or left_from != {latch} or loop.preheader is None:
            return None
        found: list[Load | Store] = []
        for block in loop.order:
            for inst in block.instructions:
                if isinstance(inst, DebugRecord) or not self.sweep.activity.active_instruction(inst):
                    continue
                if isinstance(inst, (Load, Store)):
                    found.append(inst)
                elif inst.opcode in ("atomicrmw", "cmpxchg") or (isinstance(inst, CallBase) and not has_rule(inst)):
                    return None
        return found

    def position(self, inst: Load | Store) -> tuple[Any, int, int]:
        """What accesses have in common that lie a fixed distance apart, the offset in bytes, and the bytes from one
        iteration to the next; (None, 0, 0) where the address is not one that moves so."""
        address: Address = self.pointers.address(inst.pointer)
        moving = [term for term in address.terms if not self.loop.is_invariant(term.value)]
        if len(moving) != 1 or not self.loop.is_invariant(address.base):
            return None, 0, 0
        stride = self._stride(moving[0])
        if not stride:
            return None, 0, 0
        fixed = frozenset(term for term in address.terms if term is not moving[0])
        return (address.base, fixed | {moving[0]}), address.offset, stride

    def _stride(self, term: Term) -> int | None:
        """Bytes from one iteration to the next."""
        phi = term.value
        if not isinstance(phi, Phi) or phi.block is not self.loop.header:
            return None
        if term.cast == "iteration":
            return term.scale
        assert self.loop.latch is not None
        following = phi.value_from(self.loop.latch)
        if not isinstance(following, BinaryOp) or following.opcode != "add" or following.operands[0] is not phi:
            return None
        by = following.operands[1]
        if not isinstance(by, ConstantInt) or {"sext": "nsw", "zext": "nuw", "": "add"}[term.cast] not in (
            "add",
            *following.flags,
        ):
            return None
        return by.value * term.scale


class _Finder(LoopAccesses):
    """The windows of one loop. ``strips``: whether loops may make their sums in strips."""

    def __init__(self, sweep: ReverseSweep, loop: Loop, strips: bool) -> None:
        super().__init__(sweep, loop)
        self.strips, self.touched = strips, self.accesses()
        always, latch = self.subject.dominators.dominates, loop.latch
        self.stored = {
            each.pointer
            for each in self.touched or ()
            if isinstance(each, Store) and each.block is not None and latch is not None and always(each.block, latch)
        }
        """Where every iteration stores."""
        self.single: set[Instruction] = set()
        """Accesses of what would be windows, were it known that nothing else touches them."""

    def windows(self) -> Iterator[Window]:
        if self.touched is None:
            return
        groups: dict[Any, list[tuple[Load | Store, int]]] = {}
        for inst in self.touched:
            key, offset = self._position(inst)
            if key is not None:
                groups.setdefault(key, []).append((inst, offset))
        for (_, _, stride, type), all_members in groups.items():
            beside = {inst for inst, _ in all_members}
            others = [inst for inst in self.touched if inst not in beside]
            for members in self._parted(all_members, abs(stride), self.subject.module.datalayout.size_of(type)):
                yield from self._windows_of(members, stride, others)

    def _parted(
        self, members: list[tuple[Load | Store, int]], step: int, size: int
    ) -> list[list[tuple[Load | Store, int]]]:
        """Members by where they lie in a step: the numbers of a record, which have nothing to do with each other."""
        parts: dict[int, list[tuple[Load | Store, int]]] = {}
        for inst, offset in members:
            parts.setdefault(offset % step, []).append((inst, offset))
        places = sorted(parts)
        room = min((b - a for a, b in pairwise([*places, places[0] + step])), default=0)
        return list(parts.values()) if room >= size else [members]

    def _windows_of(
        self, members: list[tuple[Load | Store, int]], stride: int, others: list[Load | Store]
    ) -> Iterator[Window]:
        made = self._window(members, stride)
        if made is not None and all(self._apart(made, inst) for inst in others):
            self._find_handed(made)
            yield made
            return
        if self.strips and self._are_near(members, abs(stride)):
            self.single.update(inst for inst, _ in members if isinstance(inst, Load))
        if made is not None and made.closest == 1 and made.step == self.subject.module.datalayout.size_of(made.type):
            self.single.update(made.places)

    def chooses(self) -> bool:
        """Whether the loop reads neighbours of which comparisons tell where they are, as on a ring."""
        loads = [
            inst for inst in self.touched or () if isinstance(inst, Load) and self.sweep.activity.active_value(inst)
        ]
        bases = {place[0] for inst in loads if (place := self.position(inst)[0]) is not None}
        return any(
            address.base in bases and any(self._is_chosen(term.value) for term in address.terms)
            for address in (self.pointers.address(inst.pointer) for inst in loads)
        )

    def _is_chosen(self, value: Value, depth: int = 4) -> bool:
        if not depth or not isinstance(value, Instruction) or self.loop.is_invariant(value):
            return False
        if isinstance(value, Select):
            condition = value.operands[0]
            return isinstance(condition, Compare) and condition.opcode == "icmp" and condition.predicate in ("eq", "ne")
        return isinstance(value, (BinaryOp, Cast)) and any(self._is_chosen(each, depth - 1) for each in value.operands)

    def _position(self, inst: Load | Store) -> tuple[Any, int]:
        """What accesses of one window have in common, and the offset in bytes; (None, 0) where it cannot be in one."""
        value = inst if isinstance(inst, Load) else inst.value
        latch = self.loop.latch
        assert latch is not None and inst.block is not None
        if not isinstance(value.type, FloatType) or value.type.kind not in ("float", "double"):
            return None, 0
        if not self.subject.dominators.dominates(inst.block, latch) or inst.flags:
            return None, 0
        if not self.sweep.activity.active_value(value):
            return None, 0
        place, offset, stride = self.position(inst)
        return (None, 0) if place is None else ((*place, stride, value.type), offset)

    def _are_near(self, members: list[tuple[Load | Store, int]], step: int) -> bool:
        """Whether some of the elements that are read are neighbours, though others may not be: rows of a grid."""
        offsets = sorted(offset for inst, offset in members if isinstance(inst, Load))
        sizes = {self.subject.module.datalayout.size_of(inst.type) for inst, _ in members if isinstance(inst, Load)}
        return sizes == {step} and any(0 < b - a <= WIDEST * step for a, b in pairwise(offsets))

    def _window(self, members: list[tuple[Load | Store, int]], stride: int) -> Window | None:
        lowest = min(offset for _, offset in members)
        step = abs(stride)
        if any((offset - lowest) % step for _, offset in members):
            return None
        places = {inst: (offset - lowest) // step for inst, offset in members}
        width = max(places.values()) + 1
        first = min(members, key=lambda member: member[1])[0]
        type = first.accessed
        size = self.subject.module.datalayout.size_of(type)
        if not 1 < width <= WIDEST or step < size:
            return None
        tags = {inst.metadata.get("tbaa") for inst in places}
        (tag,) = tags if len(tags) == 1 else (None,)
        align = gcd(step, size, *(inst.align for inst in places)) if all(inst.align for inst in places) else 1
        metadata = {} if tag is None else {"tbaa": tag}
        made = Window(self.loop, type, step, stride > 0, first, places, width, align, metadata)
        return made if made.closest <= CLOSEST else None

    def _find_handed(self, window: Window) -> None:
        """What iterations hand on of a window: what a load of it found, or an iteration before was handed, if in the
        first iteration the same element was loaded in front of the loop and nothing has overwritten it since."""
        latch, active, alias = self.loop.latch, self.sweep.activity.active_value, self.subject.alias
        assert latch is not None
        for phi, handed in self.subject.handed_loads(self.loop).items():
            value = phi.value_from(latch)
            if not (active(phi) and active(handed.first)) or not (value in window.places or value in window.handed):
                continue
            place = window.places.get(handed.load, 0) + handed.offset // window.step
            if phi.type is window.type and 0 <= place < window.width and stays(alias, self.loop, handed.first):
                window.handed[phi] = place

    def _is_written(self, inst: Load | Store) -> bool:
        """Whether it is stored there, always where it was loaded: the shadow is of no number that is only read."""
        return isinstance(inst, Store) or inst.pointer in self.stored

    def _apart(self, window: Window, other: Load | Store) -> bool:
        """Whether an access touches no shadow of the window in any iteration."""
        pointers = self.pointers
        there = pointers.location(other)
        for inst in window.places:
            here = pointers.location(inst)
            if not pointers.alias(here, there, same_iteration=False).disjoint:
                return False
            if window.gapless and (self._is_written(inst) or self._is_written(other)):
                continue
            # Two arguments that are only read may have been given one shadow, which then gets both derivatives. And a
            # promise (restrict) is about what is touched, not about the elements between.
            kinds = [{o.kind for o in pointers.underlying_objects(each.pointer)} for each in (inst, other)]
            if not any(each <= OWN for each in kinds):
                return False
            if not window.gapless and not pointers.apart_as_objects(here, there):
                return False
        return True
