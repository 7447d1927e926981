"""How long the iterations of an innermost loop wait for one another, in cycles of a present processor.

What a loop carries from one iteration to the next are the phis of its header. Each of them is made of some of the
others, by operations that take their time one after the other: a cycle through phis that takes L cycles and goes round
in k iterations holds the loop to L / k cycles for each. What is in no such cycle can be computed ahead, by a processor
that looks far enough ahead; there the number of operations counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from enzyme.analysis.loops import Loop
from enzyme.gradient.sums import is_arithmetic, is_fused
from enzyme.ir.types import FloatType, VectorType
from enzyme.ir.values import (
    BinaryOp,
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
    UnaryOp,
    Value,
)
from enzyme.support.graphs import strong_components

ADD = 4
"""Of a sum, a product, or both in one."""
_DIVIDE, _ROOT, _LOAD, _COMPARE, _CALL = 13, 20, 5, 3, 40
_BUSY = 5
"""Cycles after which a division or a root can follow another, as many as so many other operations take."""
WIDTH = 4
"""Operations that begin in one cycle."""
Lengths = Mapping[Phi, int]
"""The cycles from each phi of the header to a value, for those that it is made of."""


def latency(inst: Instruction) -> int:
    """Cycles until the result of an instruction can be used."""
    if isinstance(inst, BinaryOp):
        if inst.opcode in ("fdiv", "frem"):
            return _DIVIDE
        return ADD if _is_float(inst) else 1
    if isinstance(inst, Compare):
        return _COMPARE if _is_float(inst.operands[0]) else 1
    if isinstance(inst, CallBase):
        if is_fused(inst):
            return ADD
        return _ROOT if _is_root(inst) else 2 if is_arithmetic(inst) else _CALL
    if isinstance(inst, Load):
        return _LOAD
    if isinstance(inst, Cast):
        return 1 if not _is_float(inst) and not _is_float(inst.operands[0]) else ADD
    return 0 if isinstance(inst, (Phi, GetElementPtr, DebugRecord)) else 1


def work(inst: Instruction) -> int:
    """How many operations an instruction stands for."""
    if isinstance(inst, (Phi, DebugRecord, GetElementPtr, Branch)):
        return 0
    if isinstance(inst, BinaryOp) and inst.opcode in ("fdiv", "frem"):
        return _BUSY
    if isinstance(inst, CallBase):
        return 1 if is_arithmetic(inst) and not _is_root(inst) else _BUSY if _is_root(inst) else _CALL
    return 1 if isinstance(inst, (BinaryOp, UnaryOp, Compare, Select, Load, Cast)) or not inst.users else 0


def _is_root(inst: CallBase) -> bool:
    return (inst.callee_name or "").startswith("llvm.sqrt.")


def _is_float(value: Value) -> bool:
    kind = value.type
    return isinstance(kind.element if isinstance(kind, VectorType) else kind, FloatType)


def lengths_in(loop: Loop) -> dict[Value, dict[Phi, int]]:
    """For what an innermost loop computes of the phis in its header: how long after those it is there."""
    found: dict[Value, dict[Phi, int]] = {phi: {phi: 0} for phi in loop.header.phis}
    for block in loop.order:
        for inst in block.instructions:
            if inst not in found and (made := longest(found.get(each) for each in inst.operands)):
                found[inst] = later(made, latency(inst))
    return found


def longest(several: Iterable[Lengths | None]) -> dict[Phi, int]:
    """How long after each phi the last of several values is there."""
    made: dict[Phi, int] = {}
    for each in several:
        for phi, cycles in each.items() if each else ():
            made[phi] = max(cycles, made.get(phi, 0))
    return made


def later(lengths: Lengths, cycles: int) -> dict[Phi, int]:
    return {phi: each + cycles for phi, each in lengths.items()}


def cycles_between_iterations(made: Mapping[Phi, Lengths]) -> float:
    """How many cycles pass from one iteration to the next, at least; ``made``: for each phi how long after the phis of
    an iteration it is there for the next one. The largest mean length of a cycle (Karp 1978)."""
    phis = list(made)
    number = {phi: index for index, phi in enumerate(phis)}
    sources = [[number[each] for each in made[phi] if each in number] for phi in phis]
    best = 0.0
    for part in strong_components(sources):
        if len(part) == 1 and part[0] not in sources[part[0]]:
            continue
        inside = set(part)
        edges = [(s, t, made[phis[t]][phis[s]]) for t in part for s in sources[t] if s in inside]
        best = max(best, _largest_mean(part, edges))
    return best


def _largest_mean(nodes: list[int], edges: list[tuple[int, int, int]]) -> float:
    none = float("-inf")
    walks = [{node: 0.0 if node == nodes[0] else none for node in nodes}]
    for _ in nodes:
        walk = dict.fromkeys(nodes, none)
        for source, target, cycles in edges:
            walk[target] = max(walk[target], walks[-1][source] + cycles)
        walks.append(walk)
    count = len(nodes)
    means = [
        min((walks[count][n] - walks[k][n]) / (count - k) for k in range(count) if walks[k][n] > none)
        for n in nodes
        if walks[count][n] > none
    ]
    return max(means, default=0.0)
