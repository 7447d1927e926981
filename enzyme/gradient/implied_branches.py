"""Branches that earlier branches decide, taken before a function is differentiated.

An optimiser that knows ``2 * n * n > 0`` to be false copies a program's loops for that case (jump threading), and does
not see that the loops ``for (i = 0; i < n; i++)`` in the copy have no rounds. The copy never does anything; but it
would be differentiated, have a tape, and touch the arrays of the loops that do run, which then are not theirs alone
(snapshots.py).

What is known at a block are integers above zero, and integers that are not, by the branches whose one edge dominates
it. A product that does not wrap is above zero where all of its factors are; so a number is not above zero where it
would make such a product positive which is not. Branching on a product that did wrap would have been undefined before.
A fact about an instruction is about its last run: to run it again without passing the branch, control would have to
come to the block past that edge, which dominates it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree
from enzyme.ir.module import Module
from enzyme.ir.types import I1
from enzyme.ir.values import BinaryOp, Block, Branch, Cast, Compare, ConstantInt, Function, Value

_DEPTH = 6


def take_implied_branches(module: Module) -> bool:
    """In every function of a prepared module; whether there were any. Blocks that are left out by that still stand."""
    changed = False
    for function in module.functions.values():
        if not function.is_declaration and sum(_question(block) is not None for block in function.blocks) > 1:
            changed |= _take(function)
    return changed


@dataclass(frozen=True)
class _Question:
    """The conditional branch at the end of a block, which asks whether a value is above zero."""

    end: Branch
    value: Value
    above: Block
    otherwise: Block


@dataclass(frozen=True)
class _Facts:
    above: frozenset[Value] = frozenset()
    not_above: frozenset[Value] = frozenset()

    def answer(self, value: Value) -> bool | None:
        if value in self.not_above:
            return False
        if _is_above(value, self.above):
            return True
        return False if any(_is_above(each, self.above | {value}) for each in self.not_above) else None


def _take(function: Function) -> bool:
    cfg = ControlFlowGraph(function)
    dominators = DominatorTree(cfg)
    known: dict[Block, _Facts] = {}
    taken = [
        (question, answer)
        for block, question in _questions(cfg)
        if (answer := _facts(block, cfg, dominators, known).answer(question.value)) is not None
    ]
    for question, answer in taken:
        first = question.end.operands[1] is question.above
        question.end.set_operand(0, ConstantInt(I1, int(answer is first)))
    return bool(taken)


def _questions(cfg: ControlFlowGraph) -> Iterator[tuple[Block, _Question]]:
    for block in cfg.blocks:  # in reverse postorder: what dominates a block stands in front of it
        question = _question(block)
        if question is not None:
            yield block, question


def _facts(block: Block, cfg: ControlFlowGraph, dominators: DominatorTree, known: dict[Block, _Facts]) -> _Facts:
    """What is known at a block; of those above it the answers are kept in ``known``."""
    chain: list[Block] = []
    at: Block | None = block
    while at is not None and at not in known:
        chain.append(at)
        at = dominators.idom(at)
    found = known[at] if at is not None else _Facts()
    for each in reversed(chain):
        above = dominators.idom(each)
        question = _question(above) if above is not None and cfg.predecessors(each) == [above] else None
        if question is not None and question.above is each:
            found = _Facts(found.above | {question.value}, found.not_above)
        elif question is not None:
            found = _Facts(found.above, found.not_above | {question.value})
        known[each] = found
    return found


def _question(block: Block) -> _Question | None:
    end = block.terminator
    if not isinstance(end, Branch) or not end.is_conditional or end.operands[1] is end.operands[2]:
        return None
    test = end.operands[0]
    if not isinstance(test, Compare) or test.opcode != "icmp":
        return None
    value, limit = test.operands
    if not isinstance(limit, ConstantInt) or limit.type is I1:  # where "above zero" has no meaning
        return None
    above = {("sgt", 0): True, ("sge", 1): True, ("slt", 1): False, ("sle", 0): False}
    says = above.get((test.predicate, limit.value))
    if says is None:
        return None
    on_true, on_false = end.operands[1:]
    assert isinstance(on_true, Block) and isinstance(on_false, Block)
    return _Question(end, _plain(value), *((on_true, on_false) if says else (on_false, on_true)))


def _plain(value: Value) -> Value:
    """What is above zero where ``value`` is, and only there."""
    while _keeps_sign(value):
        value = value.operands[0]  # type: ignore[attr-defined]
    return value


def _keeps_sign(value: Value) -> bool:
    if isinstance(value, Cast):
        return value.opcode == "sext"
    if not isinstance(value, BinaryOp) or "nsw" not in value.flags:
        return False
    by = value.operands[1]
    return isinstance(by, ConstantInt) and (value.opcode == "shl" or (value.opcode == "mul" and by.value > 0))


def _is_above(value: Value, above: frozenset[Value], depth: int = _DEPTH) -> bool:
    value = _plain(value)
    if value in above:
        return True
    if isinstance(value, ConstantInt):
        return value.value > 0
    if depth and isinstance(value, BinaryOp) and value.opcode == "mul" and "nsw" in value.flags:
        return all(_is_above(each, above, depth - 1) for each in value.operands)
    return False
