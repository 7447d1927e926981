"""Counters of a loop that are always as far apart become one.

In ``for (int i = 0; i + 1 < n; i++) s += f(x[i], x[i + 1])`` an optimiser counts ``i`` and ``i + 1`` by themselves,
from 0 and from 1 on. That ``x[i]`` and ``x[i + 1]`` are neighbours (windows.py), or that an iteration goes by one
number (together.py), is seen where there is one counter, and what is added to it.
"""

from __future__ import annotations

from collections import defaultdict

from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop, LoopForest
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I64
from enzyme.ir.values import BinaryOp, ConstantInt, Phi, Value


def join_counters(module: Module) -> bool:
    """In every function of a prepared module; whether there were any."""
    changed = False
    for function in module.functions.values():
        if function.is_declaration:
            continue
        dominators = DominatorTree(cfg := ControlFlowGraph(function))
        loops = LoopForest(cfg, dominators)
        for loop in loops.loops:
            counters = _counters(loop)
            if len(counters) > 1:
                forms = FunctionForms(dominators, loops, module.datalayout)
                changed |= _join(loop, forms, counters)
    return changed


def _counters(loop: Loop) -> list[tuple[Phi, Value, BinaryOp]]:
    """Phis that grow or shrink by a number in each iteration, what they begin with, and what makes the next."""
    latch, ahead = loop.latch, loop.preheader
    found = []
    for phi in loop.header.phis:
        if latch is None or ahead is None or phi.type is not I64:
            continue
        following = phi.value_from(latch)
        if isinstance(following, BinaryOp) and following.opcode == "add" and following.operands[0] is phi:
            step = following.operands[1]
            if isinstance(step, ConstantInt) and step.value:
                found.append((phi, phi.value_from(ahead), following))
    return found


def _join(loop: Loop, forms: FunctionForms, counters: list[tuple[Phi, Value, BinaryOp]]) -> bool:
    """The one that stays is behind all others: it has not gone too far as long as any of them has not."""
    alike: defaultdict[tuple[object, int], list[tuple[int, int, Phi, Value, BinaryOp]]] = defaultdict(list)
    for index, (phi, start, following) in enumerate(counters):
        form, step = forms.integer(start), following.operands[1]
        if form is not None and isinstance(step, ConstantInt):
            ahead = form.offset if step.value > 0 else -form.offset
            alike[form.varying, step.value].append((ahead, index, phi, start, following))
    changed = False
    build = Builder(loop.header, before=next(i for i in loop.header.instructions if not isinstance(i, Phi)))
    for (_, number), group in alike.items():
        (least, _, kept, start, counted), *others = sorted(group, key=lambda each: each[:2])
        others = [each for each in others if each[0] - least < 1 << 63]
        flags: tuple[str, ...] = ()
        if others:
            counted.flags = tuple(word for word in counted.flags if all(word in each[4].flags for each in others))
            changed = True
        if isinstance(start, ConstantInt) and all(isinstance(each[3], ConstantInt) for each in others):
            flags = tuple(word for word in counted.flags if word == "nsw" or (number > 0 and start.value >= 0))
        for ahead, _, other, _, _ in others:
            apart = ConstantInt(I64, (ahead - least) * (1 if number > 0 else -1))
            name, other.name = other.name, None
            other.replace_all_uses_with(build.add(kept, apart, flags, name=name))
            other.erase()
    return changed
