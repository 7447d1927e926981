"""The inner loops of several rows beside each other, where each adds up numbers in its order.

``for i: s = 0; for j: s += A[i][j] * x[j]; y[i] = s`` waits for one addition after the other: strict code may not add
in another order. But the rows do not wait for each other. Sixteen of them at once, each with a sum of its own: every
sum is what it was, bit for bit, and processors add several at a time. What the rows share, such as ``x[j]``, is loaded
once. Where numbers lie side by side in each row, four rows are one vector (row_vectors.py). Elsewhere there are eight
rows, and a barrier behind each addition keeps LLVM from gathering their elements, from eight places, into vectors: that
takes longer than to add them one by one.

What stands in front of the inner loop is run for all of the rows first, then the inner loops beside each other, then
what stands behind them, row by row. That is right where no row writes what another one reads in between (the running
program compares the addresses in front of the nest), and where nothing that one row finds out is needed in front of the
next one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from enzyme.analysis.alias import ModuleSummaries
from enzyme.analysis.loops import analyse_loops
from enzyme.analysis.polynomials import Polynomial
from enzyme.analysis.symbolic import emit_sym
from enzyme.analysis.tbaa import declares_scope
from enzyme.gradient.nest_checks import NestChecks
from enzyme.gradient.row_nests import ROWS, SHORT, Memory, RowNest, find_rows
from enzyme.gradient.row_updates import RowUpdates
from enzyme.gradient.row_vectors import RowVectors
from enzyme.gradient.together import TOGETHER
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.ir.types import I1, I64, FunctionType
from enzyme.ir.values import (
    Block,
    Branch,
    ConstantInt,
    ConstantToken,
    DebugRecord,
    Function,
    Instruction,
    Load,
    Phi,
    Store,
    Value,
)
from enzyme.rules.emit import mangle
from enzyme.rules.known import known_callee

_UPDATES = 4
"""Rows that change what lies along them, at once."""
_DERIVED = re.compile(r"%iteration\b")
_LABEL = re.compile(r'^("[^"]*"|[\w.$-]+):')
_SUM = re.compile(r"^  (%\S+) = phi (?:half|bfloat|float|double) ")
_ADDS = re.compile(r"= (?:(?:tail )?call .*@llvm\.fm(?:a|uladd)\.|f(?:add|sub) )")


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


def with_rows_beside(text: str, updates: bool = False) -> str | None:
    """The program with such nests changed; None where there are none. The text must have been optimised and its loops
    simplified."""
    module = parse_module(text)
    summaries = ModuleSummaries(module, known_callee)
    # Where iterations run eight at once, what is left of them has few rows, and more code beside them costs time.
    rest = tuple(f"{name.rpartition('.iteration')[0]}." for name in module.functions if name.endswith(TOGETHER))
    changed = False
    chosen = [
        function
        for function in module.functions.values()
        if (body := function.body_text) is not None
        and not (function.name or "").startswith(rest)
        and _DERIVED.search(body) is not None
        and (updates or _has_sums(body))
    ]
    for function in chosen:  # what is asked of memory reads other functions, which have no text from then on
        memory = Memory(function, module, summaries)
        for rows in list(find_rows(analyse_loops(function).loops, memory, updates)):
            _Beside(module, function, rows).emit()
            function.body_text = None
            changed = True
    return print_module(module) if changed else None


class _Beside:
    def __init__(self, module: Module, function: Function, rows: RowNest) -> None:
        self.module, self.function, self.rows = module, function, rows
        self._numbers: dict[Polynomial, Value] = {}

    def emit(self) -> None:
        rows, outer = self.rows, self.rows.outer
        preheader, head, out = outer.preheader, outer.header, self.rows.nest.shape.exit
        assert preheader is not None and preheader.terminator is not None
        values: dict[Phi, Value] = {phi: phi.value_from(preheader) for phi in head.phis}
        preheader.remove(preheader.terminator)
        build = Builder(preheader)
        last = emit_sym(rows.nest.outer_count, build)
        sizes = [ROWS]
        if rows.wide:
            sizes = [2 * ROWS, ROWS, ROWS // 2] if len(rows.sums) == 1 else [ROWS, ROWS // 2]
        if rows.updates:
            sizes = [_UPDATES]
        checks = self.function.append_block(Block("rows.checks"))
        enough = build.icmp("uge", last, ConstantInt(I64, sizes[-1] - 1))
        self.round = self._numbers[rows.nest.length] = rows.nest.length.emit(build)
        if rows.updates:
            enough = build.and_(enough, build.icmp("uge", self.round, ConstantInt(I64, SHORT)))
        build.cond_br(enough, checks, head)
        for phi in head.phis:
            phi.add_incoming(values[phi], checks)
        self.entry = build = Builder(checks)
        good = NestChecks(rows.nest, build, self.number, last).all()
        for condition, enters in rows.guards:
            good = build.and_(good, condition if enters else build.xor(condition, ConstantInt(I1, 1)))
        left: Value = build.add(last, ConstantInt(I64, 1))
        state = _State(left, values, {phi: ConstantToken(phi.type, "poison") for phi in out.phis})
        source = self.function.append_block(Block("rows.test"))
        build.cond_br(good, source, head)
        for size in sizes:
            state, source = _Group(self, size).emit(source, state)
        build = Builder(source)
        build.cond_br(build.icmp("eq", state.left, ConstantInt(I64, 0)), out, head)
        for phi, value in state.results.items():
            phi.add_incoming(value, source)
        for phi in head.phis:
            phi.add_incoming(state.values[phi], source)

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


@dataclass
class _State:
    """Between groups: how many rows are ``left``, ``values`` of the outer loop's phis, and the ``results``: those of
    the phis behind the nest where no row is left."""

    left: Value
    values: dict[Phi, Value]
    results: dict[Phi, Value]


class _Group:
    """A loop over groups of ``count`` rows, as long as there are as many left."""

    def __init__(self, beside: _Beside, count: int) -> None:
        self.beside, self.rows, self.count = beside, beside.rows, count
        names = ("ahead", "body", "behind", "next")
        blocks = [beside.function.append_block(Block(f"rows.{name}")) for name in names]
        self.ahead, self.body, self.behind, self.following = blocks
        self.build = Builder(self.ahead)
        self.made: list[dict[Value, Value]] = [{} for _ in range(count)]
        self.shared: dict[Value, Value] = {}

    def emit(self, test: Block, state: _State) -> tuple[_State, Block]:
        """From what there is in the block in front to what there is in the one behind."""
        rows, build, limit = self.rows, self.build, ConstantInt(I64, self.count)
        front = Builder(test)
        front.cond_br(front.icmp("uge", state.left, limit), self.ahead, self.following)
        rest = build.phi(I64, [(state.left, test)])
        firsts = {phi: build.phi(phi.type, [(value, test)]) for phi, value in state.values.items()}
        self.made[0].update(firsts.items())
        for row in range(self.count):
            for phi in rows.needed:
                self.made[row][phi] = self.value(row, phi)
            for block in rows.ahead:
                self._copy(row, block)
        if rows.wide or rows.updates:
            self._vectors()
        else:
            build.br(self.body)
            self._body()
        self.build = build = Builder(self.behind)
        for row in range(self.count):
            for block in rows.behind:
                self._copy(row, block)
        now = build.sub(rest, limit)
        rest.add_incoming(now, self.behind)
        latch = rows.behind[-1]
        following = {phi: self.value(self.count - 1, phi.value_from(latch)) for phi in firsts}
        for phi, first in firsts.items():
            first.add_incoming(following[phi], self.behind)
        results = {phi: self.value(self.count - 1, phi.value_from(latch)) for phi in state.results}
        build.cond_br(build.icmp("uge", now, limit), self.ahead, self.following)
        build = Builder(self.following)

        def either(before: Value, after: Value) -> Value:
            return build.phi(before.type, [(before, test), (after, self.behind)])

        made = _State(
            either(state.left, now),
            {phi: either(state.values[phi], following[phi]) for phi in firsts},
            {phi: either(state.results[phi], results[phi]) for phi in results},
        )
        return made, self.following

    def _vectors(self) -> None:
        """The body in vectors."""
        middle, single = (self.beside.function.append_block(Block(f"rows.{name}")) for name in ("middle", "single"))
        kind = RowUpdates if self.rows.updates else RowVectors
        vectors = kind(self.beside.module, self.rows, self.count, self.value, self.beside.round)
        vectors.emit(self.ahead, self.body, middle, single, self.behind)
        self.shared = vectors.shared
        for made, sums in zip(self.made, vectors.made, strict=True):
            made.update(sums)

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
        return self.rows.insert(self.build, inst.clone([self.value(row, each) for each in inst.operands]))

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
            for row in range(self.count) if phi in rows.varying else (0,):
                started = build.phi(phi.type, [(self.value(row, phi.value_from(source)), self.ahead)])
                (self.made[row] if phi in rows.varying else self.shared)[phi] = started
                phis.append((phi, started, row))
        added = set(rows.sums.values())
        terminator = rows.body.terminator
        assert isinstance(terminator, Branch)
        for inst in rows.body.instructions:
            if isinstance(inst, (Phi, DebugRecord)) or inst is terminator or declares_scope(inst):
                continue
            if inst not in rows.varying:
                self.shared[inst] = self._clone(0, inst)
                continue
            for row in range(self.count):
                made: Value = self._clone(row, inst)
                self.made[row][inst] = self.beside.barrier(build, made) if inst in added else made
        for phi, started, row in phis:
            started.add_incoming(self.value(row, phi.value_from(rows.body)), self.body)
        targets = [self.body if each is rows.body else self.behind for each in terminator.operands[1:]]
        build.cond_br(self.value(0, terminator.operands[0]), *targets)
