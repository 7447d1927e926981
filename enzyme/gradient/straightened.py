"""The body of a loop without its choices: both ways of each are computed, and what was not asked for is left.

Several iterations run at once (together.py) where all branches go the same way in each. A limiter of slopes or an
upwind flux chooses by numbers, which no two iterations have in common: its ways, which only compute, are then computed
one after the other, for all iterations, and where ways meet, each takes what its own way has made.

That changes neither values nor derivatives. A way that would not have been gone may divide by nothing or take the root
of less; what it makes is not chosen, and its adjoint is zero, but zero times an infinite factor is NaN. So a way that
does more than add and choose is given 1.0 in place of each number from outside where it would not have been gone, by a
``select``, whose reversal takes nothing from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree, PostDominatorTree
from enzyme.analysis.loops import LoopForest
from enzyme.gradient.call_costs import work_alone
from enzyme.gradient.lines import attach_lines
from enzyme.gradient.wide_bodies import is_scalar_call, means_nothing
from enzyme.ir.builder import Builder
from enzyme.ir.instructions import is_speculatable
from enzyme.ir.module import Module
from enzyme.ir.types import I1
from enzyme.ir.values import (
    Block,
    Branch,
    CallBase,
    ConstantFloat,
    ConstantInt,
    Function,
    Instruction,
    Phi,
    Return,
    Select,
    Switch,
    Value,
)
from enzyme.rules.names import callee_math_name

STRAIGHT = ".straight"
"""Names of functions without choices end with this."""
_BLOCKS = 64
_AT_MOST = 2.5
"""How many times the operations of the shortest way all of them may be."""
_LINEAR = ("fadd", "fsub", "fneg", "fpext", "fptrunc", "select", "fcmp", "icmp", "freeze")
_LINEAR_CALLS = ("fabs", "fmin", "fmax", "copysign")


def may_straighten(blocks: Sequence[Block], end: Block, dominators: DominatorTree, given: int = 0) -> bool:
    """Whether the ways through some blocks only compute, and all of them not much more than the shortest. The
    ``blocks`` have no loops, what leads to one stands in front of it, and all ways lead to ``end``. ``given`` numbers
    have been read before."""
    if not 3 <= len(blocks) <= _BLOCKS:
        return False
    total = given
    shortest: dict[Block, int] = {}
    for block in blocks:
        work = sum(work_alone(inst) for inst in block.instructions)
        before = (shortest[each] for each in block.predecessors if each in shortest)
        shortest[block] = work + min(before, default=given)
        total += work
        aside = not dominators.dominates(block, end)
        if aside and not all(_only_computes(inst) for inst in block.instructions):
            return False
    return total <= _AT_MOST * shortest[end]


def _only_computes(inst: Instruction) -> bool:
    if isinstance(inst, (Phi, Branch, Switch)) or means_nothing(inst):
        return True
    return is_scalar_call(inst) if isinstance(inst, CallBase) else is_speculatable(inst)


def straighten(module: Module, function: Function) -> Function | None:
    """A function that does what another does without a branch, and is not part of the module; None where that is not
    right."""
    cfg = ControlFlowGraph(function)
    dominators = DominatorTree(cfg)
    ends = [block for block in cfg.blocks if isinstance(block.terminator, Return)]
    if len(ends) != 1 or LoopForest(cfg, dominators).loops:
        return None
    if not may_straighten(cfg.blocks, ends[0], dominators, len(function.args)):
        return None
    names = [argument.name for argument in function.args]
    made = Function(module.unique_name(f"{function.name}{STRAIGHT}"), function.function_type, names)
    made.prefix, made.attrs, made.result_attrs = function.prefix, function.attrs, function.result_attrs
    for mine, theirs in zip(made.args, function.args, strict=True):
        mine.attrs = theirs.attrs
    _Straightening(cfg, dominators, PostDominatorTree(cfg), made).fill(function)
    attach_lines(module, function, made)
    return made


def _adds(inst: Instruction) -> bool:
    """Whether all derivatives of an instruction are numbers between -1 and 1, whatever it is given."""
    if isinstance(inst, (Phi, Branch, Switch, Select)) or means_nothing(inst):
        return True
    if isinstance(inst, CallBase):
        found = callee_math_name(inst)
        return found is not None and found.name in _LINEAR_CALLS
    return inst.opcode in _LINEAR or not inst.type.scalar.is_float


@dataclass
class _Straightening:
    cfg: ControlFlowGraph
    dominators: DominatorTree
    behind: PostDominatorTree
    made: Function
    values: dict[Value, Value] = field(default_factory=dict)
    asked: dict[Block, Value | None] = field(default_factory=dict)
    """Whether a block is come to: None where it always is."""
    ways: dict[tuple[Block, Block], Value] = field(default_factory=dict)
    """Whether a block is come to from another."""
    _guarded: dict[tuple[Value, Block], Value] = field(default_factory=dict)

    def fill(self, function: Function) -> None:
        self.values.update(zip(function.args, self.made.args, strict=True))
        build = Builder(self.made.append_block("entry"))
        for block in self.cfg.blocks:  # what leads to a block stands in front of it
            self._enter(build, block)
            harmless = all(_adds(inst) for inst in block.instructions)
            for inst in block.instructions:
                if isinstance(inst, Phi):
                    self.values[inst] = self._met(inst, build)
                elif isinstance(inst, Return):
                    build.ret(self._twin(inst.operands[0]) if inst.operands else None)
                elif not inst.is_terminator and not means_nothing(inst):
                    operands = [self._operand(build, block, each, harmless) for each in inst.operands]
                    self.values[inst] = build.insert(inst.clone(operands))

    def _enter(self, build: Builder, block: Block) -> None:
        above = self.dominators.idom(block)
        sources = self.cfg.predecessors(block)
        for source in sources:
            self.ways[source, block] = self._way(build, source, block)
        if above is None:
            self.asked[block] = None
        elif self.behind.dominates(block, above):
            self.asked[block] = self.asked[above]
        else:
            first, *others = (self.ways[source, block] for source in sources)
            for each in others:
                first = build.or_(first, each)
            self.asked[block] = first

    def _way(self, build: Builder, source: Block, block: Block) -> Value:
        taken, before = self._taken(build, source.terminator, block), self.asked[source]
        if taken is None:
            return before if before is not None else ConstantInt(I1, 1)
        if before is None:
            return taken
        return build.insert(Select(before, taken, ConstantInt(I1, 0)))  # what is not come to may be poison

    def _taken(self, build: Builder, end: Instruction | None, block: Block) -> Value | None:
        """Whether a branch leads to a block; None where it always does."""
        assert end is not None
        first, *targets = [each for each in end.operands if isinstance(each, Block)]
        if first is block and all(each is block for each in targets):
            return None
        condition = self._twin(end.operands[0])
        if isinstance(end, Branch):
            return condition if first is block else build.xor(condition, ConstantInt(I1, 1))
        assert isinstance(end, Switch)
        elsewhere = first is block  # as it is in the default case
        found: Value = ConstantInt(I1, 0)
        for number, target in end.cases:
            if (target is block) != elsewhere:
                found = build.or_(found, build.icmp("eq", condition, self._twin(number)))
        return build.xor(found, ConstantInt(I1, 1)) if elsewhere else found

    def _met(self, phi: Phi, build: Builder) -> Value:
        """What the way that was gone has made."""
        assert phi.block is not None
        ways = {source: self._twin(value) for value, source in phi.incoming}
        *others, found = ways.values()
        for source, value in reversed(list(zip(ways, others, strict=False))):
            found = build.insert(Select(self.ways[source, phi.block], value, found))
        return found

    def _operand(self, build: Builder, block: Block, value: Value, harmless: bool) -> Value:
        """A number from outside of a way that may not have been gone is 1.0 where it was not."""
        twin, asked = self._twin(value), self.asked[block]
        inside = isinstance(value, Instruction) and value.block is block
        if asked is None or harmless or inside or not value.type.is_float or isinstance(twin, ConstantFloat):
            return twin
        if (value, block) not in self._guarded:
            self._guarded[value, block] = build.insert(Select(asked, twin, ConstantFloat.of(value.type, 1.0)))
        return self._guarded[value, block]

    def _twin(self, value: Value) -> Value:
        return self.values.get(value, value)
