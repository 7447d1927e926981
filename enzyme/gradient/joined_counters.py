"""Counters of a loop that are always as far apart become one.

In ``for (int i = 0; i + 1 < n; i++) s += f(x[i], x[i + 1])`` an optimiser counts ``i`` and ``i + 1`` by themselves,
from 0 and from 1 on. That ``x[i]`` and ``x[i + 1]`` are neighbours (windows.py), or that an iteration goes by one
number (together.py), is seen where there is one counter, and what is added to it.

Where the way through an iteration forks, an optimiser that needs ``i + 1`` on one way computes it on both, and a phi
behind them is what the counter goes on by: nobody sees that it is a counter then. The same goes for ``n - 1``. They are
computed once again.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop, LoopForest
from enzyme.analysis.tripcount import constant_step
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I64, IntType
from enzyme.ir.values import Argument, BinaryOp, Block, Cast, ConstantInt, Instruction, Phi, Value


@dataclass
class _Counter:
    """``begins``: the part of its ``start`` that is a number; ``following``: what it is in the next iteration."""

    phi: Phi
    start: Value
    begins: int
    step: int
    following: BinaryOp


def join_counters(module: Module) -> bool:
    """In every function of a prepared module; whether there were any."""
    changed = False
    for function in module.functions.values():
        if not any(sum(phi.type is I64 for phi in block.phis) > 1 for block in function.blocks):
            continue
        dominators = DominatorTree(cfg := ControlFlowGraph(function))
        loops = LoopForest(cfg, dominators)
        for loop in loops.loops:
            alike = _alike(loop, FunctionForms(dominators, loops, module.datalayout))
            for counters in alike:
                _join(loop, counters)
            changed |= bool(alike)
    return changed


def join_steps(module: Module) -> bool:
    """One number in place of a phi of several that are the same; whether there were any."""
    changed = False
    for function in module.functions.values():
        for block in function.blocks:
            for phi in block.phis:
                changed |= _computed_once(block, phi)
    return changed


def _computed_once(block: Block, phi: Phi) -> bool:
    """Where all ways to a phi compute the same of a counter that goes on by the phi, or of arguments and numbers."""
    same = [each for each in phi.operands if isinstance(each, (BinaryOp, Cast))]
    if not isinstance(phi.type, IntType) or len(same) < 2 or len(same) < len(phi.incoming):
        return False
    first, *others = same
    if not all(_is_same(each, first) for each in others):
        return False
    for part in first.operands:
        if not isinstance(part, (Argument, ConstantInt)) and not (isinstance(part, Phi) and phi in part.operands):
            return False
    once = first.clone()
    once.flags = tuple(flag for flag in first.flags if all(flag in each.flags for each in same))
    Builder(block, before=next(each for each in block.instructions if not isinstance(each, Phi))).insert(once)
    phi.replace_all_uses_with(once)
    phi.erase()
    return True


def _is_same(one: Instruction, other: Instruction) -> bool:
    return one.opcode == other.opcode and one.operands == other.operands


def _alike(loop: Loop, forms: FunctionForms) -> list[list[_Counter]]:
    """Counters that go on by the same number and begin a number apart, two and more of them, whose
    distances are numbers of 64 bits with a sign."""
    found: defaultdict[object, list[_Counter]] = defaultdict(list)
    for phi in loop.header.phis:
        step = constant_step(loop, phi) if phi.type is I64 and loop.preheader is not None else None
        if step:
            assert loop.latch is not None and loop.preheader is not None
            start, following = phi.value_from(loop.preheader), phi.value_from(loop.latch)
            form = forms.integer(start)
            assert form is not None and isinstance(following, BinaryOp)
            found[form.varying, step].append(_Counter(phi, start, form.offset, step, following))
    return [counters for counters in found.values() if len(counters) > 1 and _spread(counters) < 1 << 63]


def _spread(counters: list[_Counter]) -> int:
    places = [each.begins for each in counters]
    return max(places) - min(places)


def _join(loop: Loop, counters: list[_Counter]) -> None:
    """The one that stays is behind all others: it has not gone too far as long as any of them has not."""
    kept, *others = sorted(counters, key=lambda each: each.begins if each.step > 0 else -each.begins)
    words = tuple(word for word in kept.following.flags if all(word in each.following.flags for each in others))
    kept.following.flags = words
    known = all(isinstance(each.start, ConstantInt) for each in (kept, *others))
    flags = tuple(word for word in words if known and (word == "nsw" or (kept.step > 0 and kept.begins >= 0)))
    build = Builder(loop.header, before=next(i for i in loop.header.instructions if not isinstance(i, Phi)))
    for each in others:
        name, each.phi.name = each.phi.name, None
        apart = ConstantInt(I64, each.begins - kept.begins)
        each.phi.replace_all_uses_with(build.add(kept.phi, apart, flags, name=name))
        each.phi.erase()
