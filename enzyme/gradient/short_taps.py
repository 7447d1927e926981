"""Short loops over the neighbours of an element, where some of these are beyond an edge.

A convolution goes over its weights in a loop of a few rounds, and asks in each of them whether ``i + b`` is inside of
the array, takes the nearest that is, or goes around. What is special there is special in the first and the last few
iterations of the loop over ``i``, and that loop can be divided (edges_apart.py) once the one over ``b`` is unrolled.
"""

from __future__ import annotations

from collections.abc import Container
from math import prod

from enzyme.analysis.loops import Loop
from enzyme.analysis.symbolic import is_extremum
from enzyme.gradient.edge_forms import AMOUNT, EXTREMA, REMAINDERS
from enzyme.gradient.short_loops import CODE, ROUNDS, ShortLoops
from enzyme.ir.layout import DataLayout
from enzyme.ir.module import Module
from enzyme.ir.types import FloatType, IntType
from enzyme.ir.values import (
    BinaryOp,
    Branch,
    CallBase,
    Cast,
    Compare,
    ConstantInt,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Value,
)

MOST = 9
"""Rounds of a nest of loops over neighbours that are written out: three each way in two dimensions."""
_DEPTH = 8
_SPECIAL = (*EXTREMA, *AMOUNT)


def mark_taps(module: Module, without: Container[str]) -> list[str]:
    """Ask LLVM to unroll such loops in a prepared module. Returns the functions that have some; those whose names are
    in ``without`` are passed by."""
    found: list[str] = []
    for function in module.functions.values():
        if function.is_declaration or (function.name or "") in without:
            continue
        if any(map(asks_for_edges, function.instructions())):
            short = ShortLoops(module, function)
            loops = [each for loop in short.forest.loops for each in _taps(short, loop)]
            short.unroll(loops)
            if loops:
                found.append(function.name or "")
    return found


def mark_stencils(module: Module) -> list[str]:
    """Ask LLVM to unroll short loops that read what other iterations of the loop around them read as well: elements
    that lie as far apart as those that two iterations begin at. Returns the functions that have some."""
    found: list[str] = []
    for function in module.functions.values():
        if function.is_declaration or not any(isinstance(each, Load) for each in function.instructions()):
            continue
        short = ShortLoops(module, function)
        steps = _Steps(module.datalayout)
        loops = [each for loop in short.forest.loops for each in _nests(short, loop, MOST) if _is_stencil(steps, loop)]
        short.unroll(loops)
        if loops:
            found.append(function.name or "")
    return found


def _is_stencil(steps: _Steps, loop: Loop) -> bool:
    """Whether all numbers that the loops inside of another one read lie at addresses that go on by the same with either
    counter. Loops over weights as well are left as they are: their sums are made faster so (sunk_loops.py)."""
    outer = [phi for phi in loop.header.phis if isinstance(phi.type, IntType)]
    found = False
    for child in loop.inside():
        inner = [phi for phi in child.header.phis if isinstance(phi.type, IntType)]
        for inst in (inst for block in child.order for inst in block.instructions):
            if isinstance(inst, Load) and isinstance(inst.type, FloatType):
                far, near = ({abs(steps.of(inst.pointer, phi) or 0) for phi in phis} - {0} for phis in (outer, inner))
                if near and not far:
                    return False
                found = found or bool(far & near)
    return found


class _Steps:
    """By how much integers and addresses grow if a counter is one more and nothing wraps."""

    def __init__(self, layout: DataLayout) -> None:
        self.layout = layout

    def of(self, value: Value, phi: Phi, depth: int = _DEPTH) -> int | None:
        """None where that is no fixed number, or cannot be told."""
        if value is phi:
            return 1
        if not depth or isinstance(value, (Phi, Load)) or not isinstance(value, Instruction):
            return 0
        parts: list[tuple[Value, int]] = [(each, 1) for each in value.operands]
        if isinstance(value, GetElementPtr):
            found = self.layout.gep_parts(value.source_type, value.indices)
            if found is None:
                return None
            parts = [(value.base, 1), *found.steps]
        elif value.opcode == "sub":
            parts[1] = value.operands[1], -1
        elif value.opcode in ("mul", "shl"):
            by = value.operands[1]
            if isinstance(by, ConstantInt):
                parts = [(value.operands[0], by.value if value.opcode == "mul" else 1 << by.value)]
        elif not isinstance(value, Cast) and value.opcode not in ("add", "or"):
            parts = []
        known = [(self.of(part, phi, depth - 1), times) for part, times in parts]
        if any(step is None for step, _ in known):
            return None
        if len(parts) > 1 and value.opcode in ("mul", "shl"):
            return None if any(step for step, _ in known) else 0
        return sum(step * times for step, times in known if step)


def asks_for_edges(inst: Instruction) -> bool:
    """Whether an instruction may be special in some iterations: conditions that hold in one alone are not meant."""
    if isinstance(inst, Compare):
        return inst.opcode == "icmp" and inst.predicate not in ("eq", "ne")
    return inst.opcode in REMAINDERS or is_extremum(inst, _SPECIAL)


def _nests(short: ShortLoops, loop: Loop, most: int = ROUNDS) -> list[Loop]:
    """The loops in another one, if all of them are short, and it is not."""
    if not loop.children or short.length(loop) is not None:
        return []
    found: list[Loop] = []
    size = rounds = 0
    for child in loop.children:
        nest = short.nest(child)
        if nest is None:
            return []
        found += nest
        rounds += prod(short.length(each) or 0 for each in nest)
        size += sum(len(block.instructions) for block in child.order)
    return found if size <= CODE and rounds <= most else []


def _taps(short: ShortLoops, loop: Loop) -> list[Loop]:
    """The loops in another one, if all of them are short, and something in them hangs on both's counters."""
    found = _nests(short, loop)
    ends = {latch.terminator.operands[0] for each in found for latch in each.latches if latch.terminator}
    for child in loop.children:
        for inst in (inst for block in child.order for inst in block.instructions):
            if asks_for_edges(inst) and inst not in ends and _is_used(inst):
                heads = {phi.block for phi in _counters(inst, _DEPTH)}
                if loop.header in heads and any(each.header in heads for each in found):
                    return found
    return []


def _is_used(inst: Instruction) -> bool:
    return not isinstance(inst, Compare) or any(isinstance(user, (Select, Branch, BinaryOp)) for user in inst.users)


def _counters(value: Value, depth: int) -> set[Phi]:
    """The phis that an integer is made of."""
    if isinstance(value, Phi):
        return {value}
    if not depth or not isinstance(value, (BinaryOp, Cast, Compare, Select, CallBase)):
        return set()
    parts = value.args if isinstance(value, CallBase) else value.operands
    return {phi for part in parts for phi in _counters(part, depth - 1)}
