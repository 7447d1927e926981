"""Reversed loop nests whose loops may be exchanged.

The nest is an outer loop of three blocks: ``before`` the inner loop, the inner loop's only block, and ``after`` it. The
inner loop reads arrays and adds to others; what one iteration adds does not depend on what another one has added. Then
the iterations may be run in any order, as far as that order is the order of additions, if no array that is read
overlaps one that is added to. Whether that is so, the running program finds out in front of the nest: each address
grows or falls steadily with both counters, so it has its least and its greatest value at the ends.

What stands before and after the inner loop is run for many outer iterations at once, in their order; it may touch
nothing that the inner loop adds to, and change nothing that it reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from enzyme.analysis.addresses import decompose
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.loops import Loop
from enzyme.analysis.symbolic import Sym, SymConst, sym_invariant_in
from enzyme.analysis.tripcount import Affine, affine_of, backedge_count
from enzyme.ir.layout import DataLayout
from enzyme.ir.types import PTR, FloatType, IntType
from enzyme.ir.values import (
    BinaryOp,
    Block,
    Branch,
    CallBase,
    Cast,
    Compare,
    DebugRecord,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    UnaryOp,
    Value,
)

COUNTER = re.compile(r"iteration\.r(?:\.|$)")
"""Names of counters of reversed loops: only there are sums the derivative's own."""
_STEADY = ("add", "sub", "mul", "shl")
_PLAIN_INTEGER = (*_STEADY, "and", "or", "xor")
_PURE_CALLS = ("llvm.fmuladd.", "llvm.fma.", "llvm.fabs.", "llvm.copysign.")


@dataclass(frozen=True)
class Access:
    """A number in memory that every iteration touches; ``outer``, ``inner``: the address depends on that counter."""

    inst: Load | Store
    outer: bool
    inner: bool

    @property
    def pointer(self) -> Value:
        return self.inst.pointer


@dataclass(frozen=True)
class Sum:
    """``load + amount`` written back to where the load was; nothing else is written in between."""

    load: Load
    add: BinaryOp
    store: Store

    @property
    def amount(self) -> Value:
        left, right = self.add.operands
        return right if left is self.load else left


@dataclass
class Nest:
    """A nest that may be exchanged where the addresses of ``apart`` are found to be apart."""

    outer: Loop
    inner: Loop
    before: Block
    body: Block
    after: Block
    exit: Block
    outer_count: Sym
    inner_count: Sym
    counters: dict[Phi, Affine]
    sums: list[Sum]
    apart: list[tuple[Access, Access]]
    of_outer: set[Value]
    """Values that depend on the outer counter; ``of_inner``: on the inner one."""
    of_inner: set[Value]


def find_nests(loops: Iterable[Loop], layout: DataLayout) -> Iterator[Nest]:
    """Nests that may be exchanged and are better for it, of loops in simplified form."""
    for outer in loops:
        if len(outer.children) == 1 and len(outer.blocks) == 3:
            nest = _Reader(outer, outer.children[0], layout).read()
            if nest is not None:
                yield nest


class _Reader:
    def __init__(self, outer: Loop, inner: Loop, layout: DataLayout) -> None:
        self.outer, self.inner, self.layout = outer, inner, layout
        self.of_outer: set[Value] = set()
        self.of_inner: set[Value] = set()
        self.accesses: dict[Block, list[Access]] = {}

    def read(self) -> Nest | None:
        outer, inner = self.outer, self.inner
        before, body, after = outer.header, inner.header, outer.latch
        if after is None or len(inner.blocks) != 1 or len({before, body, after}) != 3 or not outer.is_simple:
            return None
        if before.successors != [body] or set(body.successors) != {body, after} or after.phis:
            return None
        if len(outer.exits) != 1 or outer.exits[0][0] is not after:
            return None
        exit = outer.exits[0][1]
        if exit.phis or not isinstance(after.terminator, Branch) or not isinstance(body.terminator, Branch):
            return None
        counts, counters = self._counts(), self._counters(before.phis, body.phis)
        if counts is None or counters is None:
            return None
        if not all(self._known(block) for block in (before, body, after)) or not self._stays_inside():
            return None
        sums = self._sums(body)
        if sums is None or not self._is_better(body):
            return None
        apart = self._apart(before, body, after, sums)
        if apart is None:
            return None
        return Nest(
            outer, inner, before, body, after, exit, *counts, counters, sums, apart, self.of_outer, self.of_inner
        )

    def _counts(self) -> tuple[Sym, Sym] | None:
        assert self.outer.forest is not None
        domtree: DominatorTree = self.outer.forest.domtree
        outer, inner = backedge_count(self.outer, domtree), backedge_count(self.inner, domtree)
        if outer is None or inner is None or not sym_invariant_in(inner, self.outer):
            return None
        return outer, inner

    def _counters(self, outer: list[Phi], inner: list[Phi]) -> dict[Phi, Affine] | None:
        found: dict[Phi, Affine] = {}
        for loop, phis in ((self.outer, outer), (self.inner, inner)):
            if not any(COUNTER.match(phi.name or "") for phi in phis):
                return None
            for phi in phis:
                if not isinstance(phi.type, IntType) or phi.type.bits > 64:
                    return None
                affine = affine_of(loop, phi)
                if affine is None or not (affine.nsw or phi.type.bits == 64):
                    return None
                if not all(sym_invariant_in(each, self.outer) for each in (affine.start, affine.step)):
                    return None
                found[phi] = affine
        self.of_outer.update(outer)
        self.of_inner.update(inner)
        return found

    def _known(self, block: Block) -> bool:
        """Whether all of a block is arithmetic and plain accesses of numbers."""
        accesses = self.accesses[block] = []
        for inst in block.instructions:
            if isinstance(inst, (Phi, DebugRecord)) or inst is block.terminator:
                continue
            on_outer = any(op in self.of_outer for op in inst.operands)
            on_inner = any(op in self.of_inner for op in inst.operands)
            if on_outer:
                self.of_outer.add(inst)
            if on_inner:
                self.of_inner.add(inst)
            if isinstance(inst, (Load, Store)):
                kind = inst.type if isinstance(inst, Load) else inst.value.type
                if not isinstance(kind, FloatType) or inst.ordering or "volatile" in inst.flags:
                    return False
                pointer = inst.pointer
                if self._degree(pointer) is None:
                    return False
                accesses.append(Access(inst, pointer in self.of_outer, pointer in self.of_inner))
                if block is not self.inner.header and pointer in self.of_inner:
                    return False
                if isinstance(inst, Load) and block is not self.inner.header:
                    self.of_outer.add(inst)  # what stands there may change from one outer iteration to the next
            elif isinstance(inst, CallBase):
                if not (inst.callee_name or "").startswith(_PURE_CALLS):
                    return False
            elif isinstance(inst, BinaryOp):
                if not isinstance(inst.type, FloatType) and inst.opcode not in _PLAIN_INTEGER:
                    return False
            elif not isinstance(inst, (Cast, Compare, GetElementPtr, Select, UnaryOp)):
                return False
        return True

    def _degree(self, value: Value) -> tuple[int, int] | None:
        """The degrees of an address or index in the counters; None where it is not known to grow or fall steadily.

        Products of the two counters are steady in each of them, so the extremes are still at the ends.
        """
        if not isinstance(value, Instruction) or value.block not in self.outer.blocks:
            return 0, 0
        if isinstance(value, Phi):
            return int(value in self.of_outer), int(value in self.of_inner)
        if isinstance(value, Cast):
            source = value.operands[0]
            narrow = isinstance(source, BinaryOp) and "nsw" in source.flags
            if not (value.opcode == "sext" or (value.opcode == "zext" and "nneg" in value.flags)) or not narrow:
                return None
        elif isinstance(value, BinaryOp):
            exact = "nsw" in value.flags or (isinstance(value.type, IntType) and value.type.bits == 64)
            if value.opcode not in _STEADY or not exact:
                return None
        elif not isinstance(value, GetElementPtr) or value.type is not PTR:
            return None
        degrees = [self._degree(op) for op in value.operands]
        if any(each is None for each in degrees):
            return None
        known = [each for each in degrees if each is not None]
        if isinstance(value, BinaryOp) and value.opcode == "shl" and known[1] != (0, 0):
            return None
        if isinstance(value, BinaryOp) and value.opcode == "mul":
            outer, inner = (sum(pair) for pair in zip(*known, strict=True))
        else:
            outer, inner = (max(pair) for pair in zip(*known, strict=True))
        return (outer, inner) if outer <= 1 and inner <= 1 else None

    def _stays_inside(self) -> bool:
        """Whether no value of the nest is used behind it, and none of the inner loop after it."""
        (exit,) = self.outer.exit_blocks
        for block in self.outer.blocks:
            for inst in block.instructions:
                for user in inst.users:
                    if not isinstance(user, Instruction) or user.block not in self.outer.blocks:
                        return False
                    if user.block is block:
                        continue
                    if block is self.inner.header:
                        return False
                    if block is self.outer.header and not self._handed_on(inst):
                        return False
        return exit not in self.outer.blocks

    def _handed_on(self, value: Instruction) -> bool:
        """Whether the inner loop can have a value of the block before it: a number is kept, an index made again."""
        return isinstance(value.type, FloatType) or self._degree(value) is not None

    def _sums(self, body: Block) -> list[Sum] | None:
        found: list[Sum] = []
        places = {inst: place for place, inst in enumerate(body.instructions)}
        stores = [access.inst for access in self.accesses[body] if isinstance(access.inst, Store)]
        for store in stores:
            add = store.value
            if not isinstance(add, BinaryOp) or add.opcode != "fadd" or len(add.users) != 1 or add.block is not body:
                return None
            loads = [op for op in add.operands if isinstance(op, Load) and op.pointer is store.pointer]
            loads = [load for load in loads if load.block is body and len(load.users) == 1]
            if not loads or add.operands[0] is add.operands[1]:
                return None
            load = loads[0]
            if any(places[load] < places[other] < places[store] for other in stores):
                return None
            found.append(Sum(load, add, store))
        return found or None

    def _apart(self, before: Block, body: Block, after: Block, sums: list[Sum]) -> list[tuple[Access, Access]] | None:
        """What must not overlap."""
        of_sums = {part for each in sums for part in (each.load, each.store)}
        added = [access for access in self.accesses[body] if access.inst in {each.store for each in sums}]
        read = [access for access in self.accesses[body] if access.inst not in of_sums]
        around = [*self.accesses[before], *self.accesses[after]]
        pairs = [(a, b) for a in added for b in (*read, *around)]
        pairs += [(a, b) for a in around if isinstance(a.inst, Store) for b in read]
        ahead, behind = self.accesses[before], self.accesses[after]
        pairs += [(a, b) for a in ahead for b in behind if isinstance(a.inst, Store) or isinstance(b.inst, Store)]
        distinct: dict[tuple[Value, Value], tuple[Access, Access]] = {}
        for a, b in pairs:
            if a.pointer is b.pointer:
                return None
            distinct.setdefault((a.pointer, b.pointer), (a, b))
        return list(distinct.values()) if len(distinct) <= 24 else None

    def _is_better(self, body: Block) -> bool:
        """Whether there are elements side by side that only the outer counter walks, and none the other way."""
        both = [access for access in self.accesses[body] if access.outer and access.inner]
        return bool(both) and all(
            self._walks(access, self.outer) and not self._walks(access, self.inner) for access in both
        )

    def _walks(self, access: Access, loop: Loop) -> bool:
        """Whether neighbouring iterations of ``loop`` touch neighbouring numbers."""
        inst = access.inst
        size = self.layout.size_of(inst.type if isinstance(inst, Load) else inst.value.type)
        mine = self.of_outer if loop is self.outer else self.of_inner
        terms = [term for term in decompose(access.pointer, self.layout).terms if term.value in mine]
        if len(terms) != 1 or abs(terms[0].scale) != size:
            return False
        affine = affine_of(loop, terms[0].value)
        step = affine.step if affine is not None else None
        return isinstance(step, SymConst) and step.value in (1, (1 << step.bits) - 1)
