"""Loops that an optimiser lets be left from several places, by the same test in each, are left from one again.

In ``for (t = 0; t < steps; t++) { for (i = 0; i < n; i++) ...; for (i = 0; i < n; i++) ... }`` no loop over i runs
where n is zero. An optimiser knows that behind the first of them (jump threading), goes from there past all that
follows in the iteration, and so makes a second end of it, with a ``t++`` and a test of its own. Such a loop has two
exits: how often it runs is then not known in front of it, its tape grows as it runs, and nothing else that is made
for loops (iterations that run again, checkpoints, sums at once) is made for it.

Here the ends are joined: they all go to the latch, which makes the test. It may hold the counter's step, where the
ends ask the counter as it was, or where their steps have become one (joined_counters.py). What they would have handed
on to what comes behind the loop goes through phis of the latch. Where they led to different places, those are told
apart behind the loop: by the loop's branch that led to the ends, where it asks what is the same in all iterations, and
else by a phi.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.loops import Loop, LoopForest
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I1, IntType, PointerType
from enzyme.ir.values import (
    BinaryOp,
    Block,
    Branch,
    Cast,
    Compare,
    Constant,
    ConstantInt,
    DebugRecord,
    Function,
    Instruction,
    Phi,
    Value,
    is_speculatable,
    zero,
)

_DEPTH = 6
"""How many operations, one behind the other, a test is made of at most."""


def leave_once(module: Module) -> bool:
    """In every function of a prepared module; whether there was such a loop."""
    changed = False
    for function in module.functions.values():
        if not function.is_declaration:
            changed |= _join(function)
    return changed


def _join(function: Function) -> bool:
    changed = _without_empty_ends(function)
    while True:
        dominators = DominatorTree(cfg := ControlFlowGraph(function))
        ends = next(filter(None, map(_ends, LoopForest(cfg, dominators).loops)), None)
        if ends is None:
            return changed
        _Joined(function, ends, dominators).emit()
        changed = True


def _without_empty_ends(function: Function) -> bool:
    """Programs that may throw have no critical edges (prepare): the way back of a loop, from the test at its end to its
    head, leads through a block with nothing in it, and so do those of several ends to where they meet. Here they are
    gone again: the block that makes the test is the loop's latch."""
    changed = False
    forest = LoopForest(cfg := ControlFlowGraph(function), DominatorTree(cfg))
    for loop in forest.loops:
        for block in (*loop.latches, *(each for latch in loop.latches for each in latch.predecessors)):
            end = block.terminator
            if block not in loop.blocks or not isinstance(end, Branch) or _does_something(block) or block.phis:
                continue
            if end.is_conditional or end.operands[0] not in (loop.header, *loop.latches):
                continue
            sources = [forest.loop_of(each) for each in block.predecessors]  # from a loop inside, it is that one's exit
            changed |= sources == [loop] and _lead_past(block)
    return changed


def _does_something(block: Block) -> bool:
    """Whether a block has more than phis, a branch, and what only a debugger reads."""
    return not all(isinstance(inst, (Phi, Branch, DebugRecord)) for inst in block.instructions)


def _may_run_once_more(inst: Instruction) -> bool:
    """Whether nobody sees that it is run where the loop is left, too: a number with a derivative could be infinite
    there."""
    if isinstance(inst, (Phi, Branch, DebugRecord)):
        return True
    return isinstance(inst.type, (IntType, PointerType)) and is_speculatable(inst)


def _lead_past(block: Block) -> bool:
    """Let the only predecessor of an empty block go to what follows it; whether that can be."""
    (before,), end = block.predecessors, block.terminator
    asks = before.terminator
    assert end is not None
    following = end.operands[0]
    if not isinstance(asks, Branch) or not isinstance(following, Block) or following in asks.operands:
        return False
    for phi in following.phis:
        phi.replace_operand(block, before)
    if "llvm.loop" in end.metadata:
        asks.metadata["llvm.loop"] = end.metadata["llvm.loop"]
    asks.replace_operand(block, following)
    for inst in list(block.instructions):
        inst.erase()
    function = block.function
    assert function is not None
    function.blocks.remove(block)
    return True


@dataclass
class _Ends:
    """Where the iterations of a loop end, ``blocks`` of it that ask the same question: they go on to ``latch``, or to
    the place behind the loop that ``targets`` has for each. ``leaving``: which of a branch's two targets that is."""

    loop: Loop
    latch: Block
    blocks: list[Block]
    targets: dict[Block, Block]
    leaving: int


def _ends(loop: Loop) -> _Ends | None:
    latch = loop.latch
    if latch is None or not loop.is_simple or len(loop.exits) < 2 or _is_conditional(latch):
        return None
    blocks = loop.exiting_blocks
    if len(blocks) != len(loop.exits) or set(latch.predecessors) != set(blocks):
        return None
    if latch is loop.header or not all(map(_may_run_once_more, latch.instructions)):
        return None
    leaving = {1 if block.terminator.operands[2] is latch else 2 for block in blocks if _is_conditional(block)}  # type: ignore[union-attr]
    if len(leaving) != 1 or not all(map(_is_conditional, blocks)):
        return None
    first, *others = (block.terminator.operands[0] for block in blocks)  # type: ignore[union-attr]
    if not all(_same(loop, first, other) for other in others):
        return None
    return _Ends(loop, latch, blocks, dict(loop.exits), leaving.pop())


def _is_conditional(block: Block) -> bool:
    return isinstance(block.terminator, Branch) and block.terminator.is_conditional


def _same(loop: Loop, one: Value, other: Value, depth: int = _DEPTH) -> bool:
    """Whether two values are computed alike in an iteration, of the same."""
    if one is other:
        return True
    if isinstance(one, Constant) and isinstance(other, Constant):
        return one.type == other.type and one.text == other.text
    if not depth or not isinstance(one, Instruction) or not isinstance(other, Instruction):
        return False
    if one.block not in loop.blocks or other.block not in loop.blocks:
        return False
    if not isinstance(one, (BinaryOp, Compare, Cast)) or type(one) is not type(other) or one.opcode != other.opcode:
        return False
    if one.type != other.type or one.flags != other.flags:
        return False
    if isinstance(one, Compare) and isinstance(other, Compare) and one.predicate != other.predicate:
        return False
    return all(_same(loop, a, b, depth - 1) for a, b in zip(one.operands, other.operands, strict=True))


class _Joined:
    """One loop whose ends are joined."""

    def __init__(self, function: Function, ends: _Ends, dominators: DominatorTree) -> None:
        self.function, self.ends, self.dominators = function, ends, dominators
        self.latch = ends.latch
        self.targets = list(dict.fromkeys(ends.targets.values()))
        self.computed: dict[Value, Value] = {}

    def emit(self) -> None:
        ends, latch, end = self.ends, self.latch, self.latch.terminator
        assert end is not None
        branches = {block: block.terminator for block in ends.blocks}
        choices = self._choices()
        handed = [(phi, target, self._handed_on(phi)) for target in self.targets for phi in target.phis]
        test = next(iter(branches.values())).operands[0]  # type: ignore[union-attr]
        build = Builder(latch, before=end)
        again = self._in_latch(build, test)
        self._drop_copies()
        behind = self.function.append_block(Block("exit"))
        header = ends.loop.header
        made = build.cond_br(again, *((behind, header) if ends.leaving == 1 else (header, behind)))
        made.metadata = dict(end.metadata)
        end.erase()
        for block, branch in branches.items():
            assert branch is not None
            if "dbg" in branch.metadata:
                made.metadata.setdefault("dbg", branch.metadata["dbg"])
            Builder(block, before=branch).br(latch)
            branch.erase()
        self._lead_on(behind, choices, handed)

    def _choices(self) -> list[Value]:
        """In the latch, for each place behind the loop but the last, whether the loop is left to it."""
        if len(self.targets) == 2 and (asked := self._invariant_choice()) is not None:
            return [asked]
        found: list[Value] = []
        for target in self.targets[:-1]:
            told = [(ConstantInt(I1, int(self.ends.targets[block] is target)), block) for block in self.ends.blocks]
            found.append(self._phi(Phi(I1, told, name="left.to")))
        return found

    def _invariant_choice(self) -> Value | None:
        """What a branch of the loop asks behind whose one edge all ends are that lead to the first place, and behind
        the other all those that lead to the second; it is the same in all iterations."""
        loop, at = self.ends.loop, self.dominators.idom(self.latch)
        while at is not None and at in loop.blocks:
            end = at.terminator
            if isinstance(end, Branch) and end.is_conditional and loop.is_invariant(end.operands[0]):
                ways = end.operands[1:]
                if all(isinstance(way, Block) and way.predecessors == [at] for way in ways):
                    sides = {block: self._side(block, ways) for block in self.ends.blocks}
                    wanted = {block: self.targets.index(target) for block, target in self.ends.targets.items()}
                    if sides == wanted:
                        return end.operands[0]
            at = self.dominators.idom(at)
        return None

    def _side(self, block: Block, ways: Sequence[Value]) -> int | None:
        found = [n for n, way in enumerate(ways) if isinstance(way, Block) and self.dominators.dominates(way, block)]
        return found[0] if len(found) == 1 else None

    def _handed_on(self, phi: Phi) -> Value:
        """In the latch, the value for a phi behind the loop."""
        values = {block: value for value, block in phi.incoming}
        first = next(iter(values.values()))
        if all(value is first for value in values.values()) and self._is_there(first):
            return first
        nothing = zero(phi.type)
        return self._phi(Phi(phi.type, [(values.get(block, nothing), block) for block in self.ends.blocks]))

    def _phi(self, phi: Phi) -> Phi:
        self.latch.insert(0, phi)
        return phi

    def _is_there(self, value: Value) -> bool:
        """Whether the value has been computed by whichever way the latch is reached."""
        if not isinstance(value, Instruction):
            return True
        return value.block is not None and self.dominators.dominates(value.block, self.latch)

    def _in_latch(self, build: Builder, value: Value) -> Value:
        """A part of the test, computed in the latch."""
        if self._is_there(value):
            return value
        if value not in self.computed:
            assert isinstance(value, Instruction)
            copy = value.clone([self._in_latch(build, operand) for operand in value.operands])
            copy.name = None
            self.computed[value] = build.insert(copy)
        return self.computed[value]

    def _drop_copies(self) -> None:
        """What the ends have each computed alike, as the next value of the counter, is the one that is tested."""
        for phi in list(self.latch.phis):
            values = [value for value, _ in phi.incoming]
            known = next((value for value in values if value in self.computed), None)
            if known is not None and all(_same(self.ends.loop, known, value) for value in values):
                phi.replace_all_uses_with(self.computed[known])
                phi.erase()

    def _lead_on(self, at: Block, choices: list[Value], handed: list[tuple[Phi, Block, Value]]) -> None:
        """From ``at``, the only place to which the loop is left, to those to which it was."""
        outside: dict[Value, Value] = {}

        def seen(value: Value) -> Value:
            if isinstance(value, Instruction) and value.block in self.ends.loop.blocks and value not in outside:
                outside[value] = Phi(value.type, [(value, self.latch)])
                at.insert(0, outside[value])  # type: ignore[arg-type]
            return outside.get(value, value)

        values = [(phi, target, seen(value)) for phi, target, value in handed]
        source = at
        for place, target in enumerate(self.targets):
            last = place == len(self.targets) - 1
            following = source if last else self.function.append_block(Block("exit"))
            if last:
                Builder(source).br(target)
            else:
                Builder(source).cond_br(seen(choices[place]), target, following)
            for phi, where, value in values:
                if where is target:
                    made = Phi(phi.type, [(value, source)], name=phi.name, metadata=phi.metadata)
                    target.insert(target.instructions.index(phi), made)
                    phi.replace_all_uses_with(made)
                    phi.erase()
            source = following
