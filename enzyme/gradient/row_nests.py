"""Nests of loops whose rows may run beside each other (rows_beside.py): what they are, and what makes them so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from enzyme.analysis.alias import AliasAnalysis, ModuleSummaries
from enzyme.analysis.loops import Loop
from enzyme.analysis.pointer_alias import PointerAnalysis
from enzyme.analysis.polynomials import INNER, OUTER, NestForms, Polynomial
from enzyme.analysis.symbolic import Sym
from enzyme.analysis.tbaa import declares_scope
from enzyme.analysis.tripcount import backedge_count, constant_value
from enzyme.gradient.loop_versions import leaves_by_phis
from enzyme.gradient.nest_shapes import NestShape
from enzyme.gradient.nests import Access, Nest
from enzyme.gradient.sums import is_arithmetic, is_fused, is_simple_access
from enzyme.ir.builder import Builder
from enzyme.ir.layout import DataLayout
from enzyme.ir.module import Module
from enzyme.ir.types import DOUBLE, FloatType, VectorType
from enzyme.ir.values import (
    BinaryOp,
    Block,
    Branch,
    CallBase,
    Cast,
    Compare,
    DebugRecord,
    Freeze,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    UnaryOp,
    Value,
)
from enzyme.rules.known import known_callee

ROWS = 8
"""At once, at least where numbers are computed one by one."""
_MOST_SUMS = 2
"""Of one row."""
_MOST_COPIES = 160
"""Instructions of the body for all rows."""
SHORT = 8
"""Inner loops that are known to have fewer rounds are unrolled instead; rows that change what lies along them have
more."""
_MOST_PAIRS = 24


@dataclass
class RowNest:
    """Rows that may run beside each other where ``nest`` says so. ``ahead`` and ``behind``: the blocks around the body,
    in order; ``varying``: what differs from row to row; ``sums``: what each row adds up, and the instruction that adds;
    ``needed``: what one row hands to the next in front of the inner loop; ``guards``: what must be true, or false, for
    the inner loop to be run, the same for all rows; ``scoped``: whether pointers are said to be apart while one row
    runs; ``wide``: whether numbers of several rows may be computed in vectors (row_vectors.py);
    ``updates``: the rows add to, or change, what lies along them (row_updates.py)."""

    nest: Nest
    outer: Loop
    ahead: list[Block]
    body: Block
    behind: list[Block]
    varying: set[Instruction]
    sums: dict[Phi, Instruction]
    needed: list[Phi]
    guards: list[tuple[Value, bool]]
    scoped: bool
    wide: bool
    updates: bool

    def insert(self, build: Builder, made: Instruction) -> Instruction:
        """A copy of an instruction of a row."""
        made.name = None
        if self.scoped:  # they held for one row
            for key in ("alias.scope", "noalias"):
                made.metadata.pop(key, None)
        return build.insert(made)


@dataclass(frozen=True)
class Frame:
    """The blocks around the body of a nest, as :class:`RowNest` has them, and how often control goes back in both
    loops."""

    ahead: list[Block]
    behind: list[Block]
    guards: list[tuple[Value, bool]]
    outer_count: Sym
    inner_count: Sym


class Memory:
    """What is known of a function's memory, when it is asked for."""

    def __init__(self, function: Function, module: Module, summaries: ModuleSummaries) -> None:
        self.function, self.module, self.summaries = function, module, summaries

    @cached_property
    def pointers(self) -> PointerAnalysis:
        return AliasAnalysis(self.function, self.module, known_callee, self.summaries).pointers


def is_pure_call(call: CallBase, module: Module) -> bool:
    """Whether a call, such as one of a mathematical function, is said to do no more than to compute a number."""
    return isinstance(call.type, FloatType) and {"memory(none)", "nounwind", "willreturn"} <= module.fn_attributes(call)


def find_rows(loops: Iterable[Loop], memory: Memory, updates: bool) -> Iterator[RowNest]:
    """Nests whose rows may run beside each other."""
    for outer in loops:
        if len(outer.children) == 1:
            found = Reader(outer, outer.children[0], memory).read(updates)
            if found is not None:
                yield found


class Reader:
    """Reads one nest."""

    def __init__(self, outer: Loop, inner: Loop, memory: Memory) -> None:
        self.outer, self.inner, self.memory = outer, inner, memory
        self.layout = memory.module.datalayout
        self.body = inner.header
        self.varying: set[Instruction] = set()
        self.sums: dict[Phi, Instruction] = {}
        self.scoped = self.wide = self.updates = False

    def read(self, updates: bool) -> RowNest | None:
        outer, body = self.outer, self.body
        frame = self._frame()
        if frame is None:
            return None
        ahead, behind, guards = frame.ahead, frame.behind, frame.guards
        short = constant_value(frame.inner_count)
        if short is not None and short + 1 < SHORT:
            return None
        self._find_varying(ahead, behind)
        sums = self._sums()
        if sums is None:
            return None
        self.sums = sums
        needed = self._needed(ahead, behind)
        self.updates = any(isinstance(inst, Store) and inst in self.varying for inst in body.instructions)
        free = [bool({"reassoc", "fast"} & set(add.flags)) for add in sums.values()]
        if self.updates != updates:
            return None
        if self.updates:
            if not all(free) or not self._updates_along():
                return None
        elif not free or any(free):  # LLVM makes vectors of sums in any order
            return None
        if needed is None or body.terminator in self.varying:
            return None
        nest = self._nest(frame)
        if nest is None or not leaves_by_phis(outer):
            return None
        return RowNest(
            nest, outer, ahead, body, behind, self.varying, sums, needed, guards, self.scoped, self.wide, self.updates
        )

    def _frame(self) -> Frame | None:
        """What stands around the body and how often both loops run, where all of the nest is known to be harmless."""
        outer, latch = self.outer, self.outer.latch
        if latch is None or self.inner.blocks != {self.body} or not outer.is_simple or len(outer.exits) != 1:
            return None
        if outer.exits[0][0] is not latch or latch is self.body:
            return None
        path = self._path(latch)
        assert outer.forest is not None
        counts = [backedge_count(each, outer.forest.domtree) for each in (outer, self.inner)]
        if path is None or counts[0] is None or counts[1] is None or not all(map(self._known, outer.blocks)):
            return None
        return Frame(*path, counts[0], counts[1])

    def _path(self, latch: Block) -> tuple[list[Block], list[Block], list[tuple[Value, bool]]] | None:
        """The blocks in front of the body and behind it, where there is one way through them that enters it, and what
        makes a row go that way."""
        ahead: list[Block] = []
        guards: list[tuple[Value, bool]] = []
        around: dict[Block, list[Block]] = {}  # blocks behind the body by those that leave it out
        block = self.outer.header
        while block is not self.body:
            branch = block.terminator
            if not isinstance(branch, Branch) or len(ahead) > 8 or ahead and block.predecessors != ahead[-1:]:
                return None
            ahead.append(block)
            targets = list(dict.fromkeys(block.successors))
            if len(targets) == 2:
                condition = branch.operands[0]
                into = [each for each in targets if self._leads_in(each)]
                if len(into) != 1 or not self.outer.is_invariant(condition):
                    return None
                guards.append((condition, branch.operands[1] is into[0]))
                (other,) = (each for each in targets if each is not into[0])
                around.setdefault(other, []).append(block)
                targets = into
            (block,) = targets
        (after,) = [each for each in self.body.successors if each is not self.body] or (self.body,)
        behind: list[Block] = []
        block, before = after, self.body
        while True:
            if block in behind or block not in self.outer.blocks or len(behind) > 8:
                return None
            if {*block.predecessors} != {before, *around.pop(block, [])} or not isinstance(block.terminator, Branch):
                return None
            behind.append(block)
            if block is latch:
                break
            if len(block.successors) != 1:
                return None
            before, block = block, block.successors[0]
        if around or self.outer.blocks != {*ahead, self.body, *behind}:
            return None
        return ahead, behind, guards

    def _leads_in(self, block: Block) -> bool:
        """Whether a block leads to the body, and nowhere else."""
        for _ in range(4):
            if block is self.body:
                return True
            if len(block.successors) != 1 or block not in self.outer.blocks or block is self.outer.header:
                return False
            (block,) = block.successors
        return False

    def _known(self, block: Block) -> bool:
        """Whether all of a block is arithmetic and accesses that may be made for several rows."""
        for inst in block.instructions:
            if isinstance(inst, (Load, Store)):
                if not self._may_access(inst):
                    return False
            elif isinstance(inst, CallBase):
                if declares_scope(inst):
                    self.scoped = True
                elif not is_arithmetic(inst) and not self._may_call(inst):
                    return False
            elif not isinstance(
                inst, (Phi, DebugRecord, BinaryOp, Cast, Compare, Freeze, GetElementPtr, Select, UnaryOp, Branch)
            ):
                return False
        return True

    def _may_access(self, inst: Load | Store) -> bool:
        kind = inst.accessed
        return is_simple_access(inst) and not isinstance(kind, VectorType)

    def _may_call(self, call: CallBase) -> bool:
        return call.block is not self.body and self._is_pure(call)

    def _is_pure(self, call: CallBase) -> bool:
        return is_pure_call(call, self.memory.module)

    def _find_varying(self, ahead: list[Block], behind: list[Block]) -> None:
        """All of the outer loop's blocks but what the body computes from the same values in each row."""
        varying = self.varying
        for block in (*ahead, *behind):
            varying.update(block.instructions)
        self.varying -= {inst for block in ahead for inst in block.instructions if self._is_invariant(inst)}
        changed = True
        while changed:
            changed = False
            changing = {inst.pointer for inst in self.body.instructions if isinstance(inst, Store) and inst in varying}
            for inst in self.body.instructions:
                if inst not in varying and (
                    any(each in varying for each in inst.operands if isinstance(each, Instruction))
                    or isinstance(inst, Load)
                    and inst.pointer in changing
                ):
                    varying.add(inst)
                    changed = True

    def _is_invariant(self, inst: Instruction, depth: int = 8) -> bool:
        """Whether a value in front of the body is computed from others from in front of the nest."""
        if isinstance(inst, (Phi, Load, Store, Branch)) or not depth:
            return False
        return all(
            not isinstance(each, Instruction)
            or each.block not in self.outer.blocks
            or self._is_invariant(each, depth - 1)
            for each in inst.operands
        )

    def _sums(self) -> dict[Phi, Instruction] | None:
        """What each row adds up; None where it hands on other numbers from round to round."""
        sums: dict[Phi, Instruction] = {}
        for phi in self.body.phis:
            if phi not in self.varying or not isinstance(phi.type, FloatType):
                continue
            add = phi.value_from(self.body)
            if not isinstance(add, Instruction) or add.block is not self.body:
                return None
            if is_fused(add):
                if add.args[2] is not phi or phi in add.args[:2]:
                    return None
            elif not isinstance(add, BinaryOp) or add.opcode not in ("fadd", "fsub") or phi not in add.operands:
                return None
            sums[phi] = add
        copies = sum(inst in self.varying for inst in self.body.instructions) * ROWS
        return sums if len(sums) <= _MOST_SUMS and copies <= _MOST_COPIES else None

    def _needed(self, ahead: list[Block], behind: list[Block]) -> list[Phi] | None:
        """What one row hands to the next up to the end of the body; None where that is made behind the body."""
        latch, late = behind[-1], {*behind, self.body}
        needed: list[Phi] = []
        seen: set[Value] = set()
        work = [
            operand
            for block in (*ahead, self.body)
            for inst in block.instructions
            if not (isinstance(inst, Phi) and block is self.outer.header)
            for operand in inst.operands
        ]
        while work:
            value = work.pop()
            if value in seen or not isinstance(value, Instruction) or value.block not in self.outer.blocks:
                continue
            seen.add(value)
            if isinstance(value, Phi) and value.block is self.outer.header:
                following = value.value_from(latch)
                if not self._is_early(following, late):
                    return None
                needed.append(value)
                work.append(following)
            else:
                work += value.operands
        return needed

    def _is_early(self, value: Value, late: set[Block], depth: int = 12) -> bool:
        if not isinstance(value, Instruction) or value.block not in late:
            return True
        if value.block is self.body or isinstance(value, (Load, Phi, Store)) or not depth:
            return False
        return all(self._is_early(each, late, depth - 1) for each in value.operands)

    def _bare(self, frame: Frame, length: Polynomial, forms: NestForms) -> Nest:
        """A nest of which nothing is asked."""
        outer, latch = self.outer, frame.behind[-1]
        shape = NestShape(frame.ahead[0], None, self.body, None, latch, outer.exits[0][1], False, None)
        return Nest(shape, outer, frame.outer_count, length, 0, forms, [], {}, [], [], [])

    def _nest(self, frame: Frame) -> Nest | None:
        """What the running program must ask."""
        forms = NestForms(self.outer, self.inner, self.layout, assume=True)
        length = forms.of_sym(frame.inner_count)
        if length is None or length.degree(OUTER, INNER):
            return None
        apart: dict[tuple[Value, Value], tuple[Access, Access]] = {}
        apart_rows: dict[Value, Access] = {}
        for a, b in self._pairs(frame.ahead, frame.behind):
            if a.pointer is b.pointer:
                if a is b and a not in self.varying:
                    continue
                if not self.updates or a.block is not b.block or not {a, b} <= self.varying:
                    return None
                if a.pointer in self.varying and a.pointer not in apart_rows:
                    place = self._access(a, forms)
                    if place is None or len(apart_rows) == _MOST_PAIRS:
                        return None
                    apart_rows[a.pointer] = place
                continue
            if (a.pointer, b.pointer) in apart or self._are_apart(a, b):
                continue
            places = [self._access(each, forms) for each in (a, b)]
            if places[0] is None or places[1] is None or places[0].same_place(places[1]) or len(apart) == _MOST_PAIRS:
                return None
            apart[a.pointer, b.pointer] = places[0], places[1]
        self.wide = not self.updates and self._is_wide()
        nest = self._bare(frame, length, forms)
        if not settle(nest, self.body):
            return None
        nest.apart, nest.apart_rows = list(apart.values()), list(apart_rows.values())
        return nest

    def _is_wide(self) -> bool:
        """Whether all that differs from row to row in the body is arithmetic on numbers that lie side by side from one
        round to the next, and addresses, and behind it nothing but the sums is used of that."""
        forms = NestForms(self.inner, self.inner, self.layout)  # of one row: what differs from row to row is a number
        for inst in self.body.instructions:
            if inst not in self.varying:
                continue
            if isinstance(inst, Load):
                found = forms.address(inst.pointer) if inst.type is DOUBLE else None
                if found is None or found[1].stride(OUTER) != self.layout.size_of(DOUBLE):
                    return False
            elif inst.type.is_float:
                plain = isinstance(inst, (Phi, BinaryOp, UnaryOp)) or is_fused(inst)
                if not plain or any(each.type is not DOUBLE for each in (inst, *numbers_of(inst))):
                    return False
            elif not isinstance(inst, (GetElementPtr, BinaryOp, Cast)):
                return False
            leaves = any(isinstance(user, Instruction) and user.block is not self.body for user in inst.users)
            if leaves and inst not in self.sums.values():
                return False
        return True

    def _updates_along(self) -> bool:
        """Whether the body does arithmetic on numbers that lie side by side from one round to the next, in each row,
        and writes such; behind it nothing but sums is used."""
        forms = NestForms(self.inner, self.inner, self.layout)
        for inst in self.body.instructions:
            if isinstance(inst, (Load, Store)):
                kind = inst.accessed
                found = forms.address(inst.pointer) if kind is DOUBLE else None
                stride = found[1].stride(OUTER) if found is not None else None
                inside = isinstance(inst.pointer, Instruction) and inst.pointer.block is self.body
                same = stride == 0 and isinstance(inst, Load) and inst not in self.varying and not inside
                if stride != self.layout.size_of(DOUBLE) and not same:
                    return False
            elif inst.type.is_float:
                plain = isinstance(inst, (BinaryOp, UnaryOp)) or is_fused(inst) or inst in self.sums
                if not plain or any(each.type is not DOUBLE for each in (inst, *numbers_of(inst))):
                    return False
            elif isinstance(inst, Phi) and inst in self.varying:
                return False
            elif not isinstance(inst, (GetElementPtr, BinaryOp, Cast, Phi, Branch, Compare, DebugRecord)):
                if not declares_scope(inst):
                    return False
            if inst not in self.sums.values() and any(self._is_read_behind(user) for user in inst.users):
                return False
        return True

    def _is_read_behind(self, user: object) -> bool:
        if not isinstance(user, Instruction) or user.block is self.body:
            return False
        return not isinstance(user, Phi) or bool(user.users)

    def _pairs(self, ahead: list[Block], behind: list[Block]) -> Iterator[tuple[Load | Store, Load | Store]]:
        """Accesses, of which one writes, whose order is no longer that of the rows."""
        first, inside, last = (
            [inst for block in blocks for inst in block.instructions if isinstance(inst, (Load, Store))]
            for blocks in (ahead, [self.body], behind)
        )
        for one, other in ((first, inside), (first, last), (inside, last)):
            yield from ((a, b) for a in one for b in other if isinstance(a, Store) or isinstance(b, Store))
        yield from ((a, b) for a in inside for b in inside if isinstance(a, Store) and isinstance(b, Load))
        if self.updates:
            stores = [inst for inst in inside if isinstance(inst, Store)]
            yield from ((a, b) for at, a in enumerate(stores) for b in stores[at:])

    def _access(self, inst: Load | Store, forms: NestForms) -> Access | None:
        return place_of(inst, forms, self.body, self.layout)

    def _are_apart(self, a: Load | Store, b: Load | Store) -> bool:
        """Whether it is known that no two rows touch one place by these."""
        pointers = self.memory.pointers
        if pointers.apart_in(self.outer, a, b):
            return True
        return pointers.apart_at_any_offset(pointers.location(a), pointers.location(b))


def place_of(inst: Load | Store, forms: NestForms, body: Block, layout: DataLayout) -> Access | None:
    """What the running program can compare: an address that is linear in both counters."""
    address = forms.address(inst.pointer)
    if address is None or address[1].degree(OUTER, INNER) > 1:
        return None
    if inst.block is not body and address[1].degree(INNER):
        return None
    kind = inst.accessed
    return Access(inst, *address, layout.size_of(kind))


def settle(nest: Nest, body: Block) -> bool:
    """Have the nest ask for what its forms rest on; whether it can."""
    nest.forms.assume = False
    for at, what in nest.forms.assumed:
        if what.degree(INNER) or what.degree(OUTER) > 1:
            return False
        kept = nest.assumed if at.block is body else nest.ordered
        if what not in kept:
            kept.append(what)
    return True


def numbers_of(inst: Instruction) -> list[Value]:
    """What an instruction computes a number from."""
    return list(inst.args) if isinstance(inst, CallBase) else [each for each in inst.operands if each.type.is_float]
