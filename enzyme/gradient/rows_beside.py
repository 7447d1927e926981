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

from enzyme.analysis.alias import ModuleSummaries
from enzyme.analysis.tbaa import declares_scope
from enzyme.gradient.read_once import read_once
from enzyme.gradient.row_groups import Group, RowGroups
from enzyme.gradient.row_lanes import RowLanes
from enzyme.gradient.row_nests import ROWS, SHORT, Memory, RowNest, find_rows
from enzyme.gradient.row_updates import RowUpdates
from enzyme.gradient.row_vectors import RowVectors
from enzyme.gradient.together import TOGETHER
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.printer import print_module
from enzyme.ir.types import FunctionType
from enzyme.ir.values import (
    Block,
    Branch,
    DebugRecord,
    Function,
    Phi,
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
    program = read_once(text)
    module, changed = program.module, False
    summaries = ModuleSummaries(module, known_callee)
    # Where iterations run eight at once, what is left of them has few rows, and more code beside them costs time.
    rest = tuple(f"{name.rpartition('.iteration')[0]}." for name in module.functions if name.endswith(TOGETHER))
    for function, body in program.bodies:
        if (function.name or "").startswith(rest) or _DERIVED.search(body) is None or not (updates or _has_sums(body)):
            continue
        memory = Memory(function, module, summaries)
        for rows in list(find_rows(program.loops(function).loops, memory, updates)):
            Beside(module, function, rows).emit()
            function.body_text = None
            changed = True
    return print_module(module) if changed else None


class Beside(RowGroups):
    """Rows that run beside each other, in vectors where they can."""

    def __init__(self, module: Module, function: Function, rows: RowNest) -> None:
        sizes = [ROWS]
        if rows.wide:
            sizes = [2 * ROWS, ROWS, ROWS // 2] if len(rows.sums) == 1 else [ROWS, ROWS // 2]
        if rows.updates:
            sizes = [_UPDATES]
        super().__init__(module, function, rows, sizes, SHORT if rows.updates else 0)

    def run(self, group: Group) -> None:
        if self.rows.wide or self.rows.updates:
            self._vectors(group)
        else:
            group.build.br(group.body)
            self._body(group)

    def _vectors(self, group: Group) -> None:
        """The body in vectors."""
        middle, single = (self.function.append_block(Block(f"rows.{name}")) for name in ("middle", "single"))
        kind = RowUpdates if self.rows.updates else RowVectors
        vectors = kind(self.module, self.rows, group.count, group.value, self.round)
        self.prepare(vectors)
        vectors.emit(group.ahead, group.body, middle, single, group.behind)
        group.shared = vectors.shared
        for made, sums in zip(group.made, vectors.made, strict=True):
            made.update(sums)

    def prepare(self, vectors: RowLanes) -> None:
        """Say what is not as it is in the body."""

    def _body(self, group: Group) -> None:
        rows = self.rows
        group.build = build = Builder(group.body)
        source = rows.ahead[-1]
        phis: list[tuple[Phi, Phi, int]] = []
        for phi in rows.body.phis:
            for row in range(group.count) if phi in rows.varying else (0,):
                started = build.phi(phi.type, [(group.value(row, phi.value_from(source)), group.ahead)])
                (group.made[row] if phi in rows.varying else group.shared)[phi] = started
                phis.append((phi, started, row))
        added = set(rows.sums.values())
        terminator = rows.body.terminator
        assert isinstance(terminator, Branch)
        for inst in rows.body.instructions:
            if isinstance(inst, (Phi, DebugRecord)) or inst is terminator or declares_scope(inst):
                continue
            if inst not in rows.varying:
                group.shared[inst] = group.clone(0, inst)
                continue
            for row in range(group.count):
                made: Value = group.clone(row, inst)
                group.made[row][inst] = self._barrier(build, made) if inst in added else made
        for phi, started, row in phis:
            started.add_incoming(group.value(row, phi.value_from(rows.body)), group.body)
        targets = [group.body if each is rows.body else group.behind for each in terminator.operands[1:]]
        build.cond_br(group.value(0, terminator.operands[0]), *targets)

    def _barrier(self, build: Builder, value: Value) -> Value:
        """The same number, behind what LLVM takes for an obstacle and makes no instruction of."""
        name = f"llvm.arithmetic.fence.{mangle(value.type)}"
        return build.call(self.module.declare_function(name, FunctionType(value.type, (value.type,))), [value])
