"""The inner loops of eight rows beside each other, where each adds up numbers in its order.

``for i: s = 0; for j: s += A[i][j] * x[j]; y[i] = s`` waits for one addition after the other: strict code may not add
in another order, so no vector helps. But the rows do not wait for each other. Eight of them at once, each with a
sum of its own: every sum is what it was, bit for bit, and processors add several at a time. What the rows share,
such as ``x[j]``, is loaded once.

What stands in front of the inner loop is run for all of the rows first, then the inner loops beside each other, then
what stands behind them, row by row. That is right where no row writes what another one reads in between (the running
program compares the addresses in front of the nest), and where nothing that one row finds out is needed in front of the
next one. A barrier behind each addition keeps LLVM from gathering the rows' elements into vectors, which takes longer
than to add them one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from enzyme.analysis.alias import AliasAnalysis, ModuleSummaries
from enzyme.analysis.loops import Loop, analyse_loops
from enzyme.analysis.pointer_alias import PointerAnalysis
from enzyme.analysis.polynomials import INNER, OUTER, NestForms, Polynomial
from enzyme.analysis.symbolic import Sym, emit_sym
from enzyme.analysis.tbaa import declares_scope
from enzyme.analysis.tripcount import backedge_count, constant_value
from enzyme.gradient.nest_checks import NestChecks
from enzyme.gradient.nest_shapes import NestShape
from enzyme.gradient.nests import Access, Nest
from enzyme.gradient.sums import is_arithmetic, is_fused
from enzyme.gradient.together import TOGETHER
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.ir.types import I1, I64, FloatType, FunctionType, VectorType
from enzyme.ir.values import (
    BinaryOp,
    Block,
    Branch,
    CallBase,
    Cast,
    Compare,
    ConstantInt,
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
from enzyme.rules.emit import mangle
from enzyme.rules.known import known_callee

ROWS = 8
"""At once, as long as there are as many."""
_MOST_SUMS = 2
"""Of one row."""
_MOST_COPIES = 160
"""Instructions of the body for all rows."""
_SHORT = 8
"""Inner loops that are known to have fewer rounds are unrolled instead."""
_MOST_PAIRS = 24
_DERIVED = re.compile(r"%iteration\b")
_LABEL = re.compile(r'^("[^"]*"|[\w.$-]+):')
_SUM = re.compile(r"^  (%\S+) = phi (?:half|bfloat|float|double) ")
_ADDS = re.compile(r"= (?:(?:tail )?call .*@llvm\.fm(?:a|uladd)\.|f(?:add|sub) )")


@dataclass
class RowNest:
    """Rows that may run beside each other where ``nest`` says so. ``ahead`` and ``behind``: the blocks around the body,
    in order; ``varying``: what differs from row to row; ``sums``: what each row adds up, and the instruction that adds;
    ``needed``: what one row hands to the next in front of the inner loop; ``guards``: what must be true, or false, for
    the inner loop to be run, the same for all rows; ``scoped``: whether pointers are said to be apart while one row
    runs."""

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


def may_have_rows(text: str) -> bool:
    """Whether a derivative may have sums in order."""
    return _DERIVED.search(text) is not None and _has_sums(text)


def _has_sums(text: str) -> bool:
    """Whether a block that may follow itself adds to a number that it began with, in order."""
    label, sums, adds = "", set[str](), False
    for line in text.splitlines():
        if not line.startswith(" "):
            found = _LABEL.match(line)
            if found is not None:
                label, sums, adds = found[1], set(), False
            continue
        if sums or " = phi " in line:
            phi = _SUM.match(line)
            if phi is not None:
                sums.add(phi[1])
            elif not adds and "reassoc" not in line and "fast" not in line and _ADDS.search(line) is not None:
                adds = not sums.isdisjoint(re.findall(r"%[^\s,)]+", line))
            elif adds and line.startswith("  br ") and f"label %{label}," in f"{line},":
                return True
    return False


def with_rows_beside(text: str) -> str | None:
    """The program with such nests changed; None where there are none. The text must have been optimised and its loops
    simplified."""
    module = parse_module(text)
    summaries = ModuleSummaries(module, known_callee)
    # Where iterations run eight at once, what is left of them has few rows, and more code beside them costs time.
    rest = tuple(f"{name.rpartition('.iteration')[0]}." for name in module.functions if name.endswith(TOGETHER))
    changed = False
    for function in list(module.functions.values()):
        body = function.body_text
        if body is None or (function.name or "").startswith(rest) or not _DERIVED.search(body) or not _has_sums(body):
            continue
        memory = _Memory(function, module, summaries)
        for rows in list(find_rows(analyse_loops(function).loops, memory)):
            _Beside(module, function, rows).emit()
            function.body_text = None
            changed = True
    return print_module(module) if changed else None


class _Memory:
    """What is known of a function's memory, when it is asked for."""

    def __init__(self, function: Function, module: Module, summaries: ModuleSummaries) -> None:
        self.function, self.module, self.summaries = function, module, summaries

    @cached_property
    def pointers(self) -> PointerAnalysis:
        return AliasAnalysis(self.function, self.module, known_callee, self.summaries).pointers


def find_rows(loops: Iterable[Loop], memory: _Memory) -> Iterator[RowNest]:
    """Nests whose rows may run beside each other."""
    for outer in loops:
        if len(outer.children) == 1:
            found = _Reader(outer, outer.children[0], memory).read()
            if found is not None:
                yield found


class _Reader:
    def __init__(self, outer: Loop, inner: Loop, memory: _Memory) -> None:
        self.outer, self.inner, self.memory = outer, inner, memory
        self.layout = memory.module.datalayout
        self.body = inner.header
        self.varying: set[Instruction] = set()
        self.scoped = False

    def read(self) -> RowNest | None:
        outer, body = self.outer, self.body
        latch = outer.latch
        if latch is None or self.inner.blocks != {body} or not outer.is_simple or len(outer.exits) != 1:
            return None
        if outer.exits[0][0] is not latch or latch is body:
            return None
        path = self._path(latch)
        if path is None:
            return None
        ahead, behind, guards = path
        assert outer.forest is not None
        counts = [backedge_count(each, outer.forest.domtree) for each in (outer, self.inner)]
        if counts[0] is None or counts[1] is None or not all(self._known(block) for block in outer.blocks):
            return None
        short = constant_value(counts[1])
        if short is not None and short + 1 < _SHORT:
            return None
        self._find_varying(ahead, behind)
        sums = self._sums()
        needed = self._needed(ahead, behind)
        if not sums or needed is None or not self._is_shared_otherwise():
            return None
        nest = self._nest(counts[0], counts[1], ahead, behind)
        if nest is None:
            return None
        out = outer.exits[0][1]
        if any(
            not isinstance(user, Instruction) or user.block not in outer.blocks and user not in out.phis
            for block in outer.blocks
            for inst in block.instructions
            for user in inst.users
        ):
            return None
        return RowNest(nest, outer, ahead, body, behind, self.varying, sums, needed, guards, self.scoped)

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
        """Whether all of a block is arithmetic and plain accesses."""
        for inst in block.instructions:
            if isinstance(inst, (Load, Store)):
                kind = inst.type if isinstance(inst, Load) else inst.value.type
                if inst.ordering or "volatile" in inst.flags or isinstance(kind, VectorType):
                    return False
            elif isinstance(inst, CallBase):
                if declares_scope(inst):
                    self.scoped = True
                elif not is_arithmetic(inst) and (block is self.body or not self._is_pure(inst)):
                    return False
            elif not isinstance(
                inst, (Phi, DebugRecord, BinaryOp, Cast, Compare, Freeze, GetElementPtr, Select, UnaryOp, Branch)
            ):
                return False
        return True

    def _is_pure(self, call: CallBase) -> bool:
        """Whether a call, such as one of a mathematical function, is said to do no more than to compute a number."""
        said = self.memory.module.fn_attributes(call)
        return isinstance(call.type, FloatType) and {"memory(none)", "nounwind", "willreturn"} <= said

    def _find_varying(self, ahead: list[Block], behind: list[Block]) -> None:
        """All of the outer loop's blocks but what the body computes from the same values in each row."""
        varying = self.varying
        for block in (*ahead, *behind):
            varying.update(block.instructions)
        self.varying -= {inst for block in ahead for inst in block.instructions if self._is_invariant(inst)}
        changed = True
        while changed:
            changed = False
            for inst in self.body.instructions:
                if inst not in varying and any(
                    each in varying for each in inst.operands if isinstance(each, Instruction)
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
        """What each row adds up in its order; None where a row adds up in any order, which vectors do better."""
        sums: dict[Phi, Instruction] = {}
        for phi in self.body.phis:
            if phi not in self.varying or not isinstance(phi.type, FloatType):
                continue
            add = phi.value_from(self.body)
            if not isinstance(add, Instruction) or add.block is not self.body or {"reassoc", "fast"} & set(add.flags):
                return None
            if is_fused(add):
                if add.args[2] is not phi or phi in add.args[:2]:
                    return None
            elif not isinstance(add, BinaryOp) or add.opcode not in ("fadd", "fsub") or phi not in add.operands:
                return None
            sums[phi] = add
        copies = sum(inst in self.varying for inst in self.body.instructions) * ROWS
        return sums if len(sums) <= _MOST_SUMS and copies <= _MOST_COPIES else None

    def _is_shared_otherwise(self) -> bool:
        """Whether all rows have as many rounds, and write nothing in the body but the same to the same place."""
        terminator = self.body.terminator
        for inst in self.body.instructions:
            if inst in self.varying and (isinstance(inst, Store) or inst is terminator):
                return False
        return True

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

    def _nest(self, outer_count: Sym, inner_count: Sym, ahead: list[Block], behind: list[Block]) -> Nest | None:
        """What the running program must ask."""
        forms = NestForms(self.outer, self.inner, self.layout, assume=True)
        length = forms.of_sym(inner_count)
        if length is None or length.degree(OUTER, INNER):
            return None
        apart: dict[tuple[Value, Value], tuple[Access, Access]] = {}
        for a, b in self._pairs(ahead, behind):
            if a.pointer is b.pointer:
                return None
            if (a.pointer, b.pointer) in apart or self._are_apart(a, b):
                continue
            places = [self._access(each, forms) for each in (a, b)]
            if places[0] is None or places[1] is None or places[0].same_place(places[1]) or len(apart) == _MOST_PAIRS:
                return None
            apart[a.pointer, b.pointer] = places[0], places[1]
        shape = NestShape(ahead[0], None, self.body, None, behind[-1], self.outer.exits[0][1], False, None)
        nest = Nest(shape, self.outer, outer_count, length, 0, forms, [], {}, [], [], [])
        forms.assume = False
        for at, what in forms.assumed:
            if what.degree(INNER) or what.degree(OUTER) > 1:
                return None
            kept = nest.assumed if at.block is self.body else nest.ordered
            if what not in kept:
                kept.append(what)
        nest.apart = list(apart.values())
        return nest

    def _pairs(self, ahead: list[Block], behind: list[Block]) -> Iterator[tuple[Load | Store, Load | Store]]:
        """Accesses, of which one writes, whose order is no longer that of the rows."""
        first, inside, last = (
            [inst for block in blocks for inst in block.instructions if isinstance(inst, (Load, Store))]
            for blocks in (ahead, [self.body], behind)
        )
        for one, other in ((first, inside), (first, last), (inside, last)):
            yield from ((a, b) for a in one for b in other if isinstance(a, Store) or isinstance(b, Store))
        yield from ((a, b) for a in inside for b in inside if isinstance(a, Store) and isinstance(b, Load))

    def _access(self, inst: Load | Store, forms: NestForms) -> Access | None:
        """What the running program can compare: an address that is linear in both counters."""
        address = forms.address(inst.pointer)
        if address is None or address[1].degree(OUTER, INNER) > 1:
            return None
        if inst.block is not self.body and address[1].degree(INNER):
            return None
        kind = inst.type if isinstance(inst, Load) else inst.value.type
        return Access(inst, *address, self.layout.size_of(kind))

    def _are_apart(self, a: Load | Store, b: Load | Store) -> bool:
        """Whether it is known that no two rows touch one place by these."""
        pointers = self.memory.pointers
        if pointers.apart_in(self.outer, a, b):
            return True
        return pointers.apart_at_any_offset(pointers.location(a), pointers.location(b))


class _Beside:
    def __init__(self, module: Module, function: Function, rows: RowNest) -> None:
        self.module, self.function, self.rows = module, function, rows
        self._numbers: dict[Polynomial, Value] = {}

    def emit(self) -> None:
        rows, outer = self.rows, self.rows.outer
        preheader, head = outer.preheader, outer.header
        assert preheader is not None and preheader.terminator is not None
        values = {phi: phi.value_from(preheader) for phi in head.phis}
        preheader.remove(preheader.terminator)
        build = Builder(preheader)
        last = emit_sym(rows.nest.outer_count, build)
        checks, test = (self.function.append_block(Block(f"rows.{name}")) for name in ("checks", "test"))
        build.cond_br(build.icmp("uge", last, ConstantInt(I64, ROWS - 1)), checks, head)
        self.entry = build = Builder(checks)
        good = NestChecks(rows.nest, build, self.number, last).all()
        for condition, enters in rows.guards:
            good = build.and_(good, condition if enters else build.xor(condition, ConstantInt(I1, 1)))
        left = build.add(last, ConstantInt(I64, 1))
        build.cond_br(good, test, head)
        for phi in head.phis:
            phi.add_incoming(values[phi], checks)
        group = _Group(self)
        test, left, values = group.emit(test, left, values)
        build, out = Builder(test), rows.nest.shape.exit
        build.cond_br(build.icmp("eq", left, ConstantInt(I64, 0)), out, head)
        for phi, value in group.results.items():
            phi.add_incoming(value, test)
        for phi in head.phis:
            phi.add_incoming(values[phi], test)

    def number(self, form: Polynomial) -> Value:
        """A form without counters, made in front of the nest."""
        found = self._numbers.get(form)
        if found is None:
            found = self._numbers[form] = form.emit(self.entry)
        return found

    def barrier(self, build: Builder, value: Value) -> Value:
        """The same number, behind what LLVM takes for an obstacle and makes no instruction of."""
        name = f"llvm.arithmetic.fence.{mangle(value.type)}"
        return build.call(self.module.declare_function(name, FunctionType(value.type, (value.type,))), [value])


class _Group:
    """A loop over groups of rows, as long as there are as many left."""

    def __init__(self, beside: _Beside) -> None:
        self.beside, self.rows = beside, beside.rows
        names = ("ahead", "body", "behind", "next")
        blocks = [beside.function.append_block(Block(f"rows.{name}")) for name in names]
        self.ahead, self.body, self.behind, self.following = blocks
        self.build = Builder(self.ahead)
        self.made: list[dict[Value, Value]] = [{} for _ in range(ROWS)]
        self.shared: dict[Value, Value] = {}
        self.results: dict[Phi, Value] = {}
        """Of the phis behind the nest, where no row is left."""

    def emit(self, test: Block, left: Value, values: dict[Phi, Value]) -> tuple[Block, Value, dict[Phi, Value]]:
        """From the block in front, the rows that are left (one group at least) and the values of the outer loop's phis
        to those behind."""
        rows, build, limit = self.rows, self.build, ConstantInt(I64, ROWS)
        Builder(test).br(self.ahead)
        rest = build.phi(I64, [(left, test)])
        for phi, value in values.items():
            self.made[0][phi] = build.phi(phi.type, [(value, test)])
        for row in range(ROWS):
            for phi in rows.needed:
                self.made[row][phi] = self.value(row, phi)
            for block in rows.ahead:
                self._copy(row, block)
        build.br(self.body)
        self._body()
        self.build = build = Builder(self.behind)
        for row in range(ROWS):
            for block in rows.behind:
                self._copy(row, block)
        now = build.sub(rest, limit)
        rest.add_incoming(now, self.behind)
        following: dict[Phi, Value] = {}
        latch = rows.behind[-1]
        for phi in values:
            following[phi] = value = self.value(ROWS - 1, phi.value_from(latch))
            first = self.made[0][phi]
            assert isinstance(first, Phi)
            first.add_incoming(value, self.behind)
        self.results = {phi: self.value(ROWS - 1, phi.value_from(latch)) for phi in rows.nest.shape.exit.phis}
        build.cond_br(build.icmp("uge", now, limit), self.ahead, self.following)
        return self.following, now, following

    def value(self, row: int, value: Value) -> Value:
        rows = self.rows
        if not isinstance(value, Instruction) or value.block not in rows.outer.blocks:
            return value
        if value.block is rows.body and value not in rows.varying:
            return self.shared[value]
        made = self.made[row]
        found = made.get(value)
        if found is None:
            if isinstance(value, Phi) and value.block is rows.outer.header:
                found = self.value(row - 1, value.value_from(rows.behind[-1]))
            elif isinstance(value, Phi):
                found = self.value(row, value.value_from(self._before(value)))
            else:
                assert not isinstance(value, (Load, Store)) and value.block is not rows.body, value
                found = self._clone(row, value)
            made[value] = found
        return found

    def _before(self, phi: Phi) -> Block:
        """The block from which a row comes to that of a phi around the body."""
        way = [*self.rows.ahead, self.rows.body, *self.rows.behind]
        assert phi.block is not None
        return way[way.index(phi.block) - 1]

    def _clone(self, row: int, inst: Instruction) -> Instruction:
        made = inst.clone([self.value(row, each) for each in inst.operands])
        made.name = None
        if self.rows.scoped:  # they held for one row
            for key in ("alias.scope", "noalias"):
                made.metadata.pop(key, None)
        return self.build.insert(made)

    def _copy(self, row: int, block: Block) -> None:
        made = self.made[row]
        for inst in block.instructions:
            if not isinstance(inst, (Phi, DebugRecord, Branch)) and not declares_scope(inst) and inst not in made:
                made[inst] = self._clone(row, inst)

    def _body(self) -> None:
        rows = self.rows
        self.build = build = Builder(self.body)
        source = rows.ahead[-1]
        phis: list[tuple[Phi, Phi, int]] = []
        for phi in rows.body.phis:
            for row in range(ROWS) if phi in rows.varying else (0,):
                started = build.phi(phi.type, [(self.value(row, phi.value_from(source)), self.ahead)])
                (self.made[row] if phi in rows.varying else self.shared)[phi] = started
                phis.append((phi, started, row))
        added = set(rows.sums.values())
        terminator = rows.body.terminator
        assert isinstance(terminator, Branch)
        for inst in rows.body.instructions:
            if isinstance(inst, (Phi, DebugRecord)) or inst is terminator:
                continue
            if inst not in rows.varying:
                self.shared[inst] = self._clone(0, inst)
                continue
            for row in range(ROWS):
                made: Value = self._clone(row, inst)
                self.made[row][inst] = self.beside.barrier(build, made) if inst in added else made
        for phi, started, row in phis:
            started.add_incoming(self.value(row, phi.value_from(rows.body)), self.body)
        targets = [self.body if each is rows.body else self.behind for each in terminator.operands[1:]]
        build.cond_br(self.value(0, terminator.operands[0]), *targets)
