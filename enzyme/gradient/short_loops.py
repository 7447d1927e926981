"""Loops that run a few times, as many as is known, and what asks LLVM to unroll them."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.loops import Loop, LoopForest
from enzyme.analysis.tripcount import known_rounds
from enzyme.ir.module import Module
from enzyme.ir.values import Function, Instruction

ROUNDS = 64
"""How often the innermost body of a nest of such loops is there when they are unrolled, at most."""
CODE = 1200
"""Instructions that a nest makes then, at most."""
_LENGTHS = (1, 2, 3, 4, 5, 6, 7, 9)
_UNROLL = '"llvm.loop.unroll.full"'
_SPOKEN = ("llvm.loop.unroll", "llvm.loop.vectorize", "llvm.loop.interleave", "llvm.loop.pipeline")


class ShortLoops:
    """Those of one function."""

    def __init__(self, module: Module, function: Function) -> None:
        self.module = module
        self.forest = LoopForest(cfg := ControlFlowGraph(function), DominatorTree(cfg))
        self._rounds: dict[Loop, int | None] = {}

    def length(self, loop: Loop) -> int | None:
        """How often a loop runs, if that is known and few, and the program does not say itself what is to be done
        with it."""
        if loop not in self._rounds:
            self._rounds[loop] = self._counted(loop)
        return self._rounds[loop]

    def nest(self, loop: Loop) -> list[Loop] | None:
        """A loop and those inside of it, if all are short, and unrolled make not too much code."""
        nest = [loop, *loop.inside()]
        if any(self.length(each) is None for each in nest):
            return None
        for each in nest:
            times = prod(self.length(one) or 0 for one in each.ancestors() if loop.contains(one))
            size = sum(len(block.instructions) for block in each.order)
            if times > ROUNDS or (not each.children and times * size > CODE):
                return None
        return nest

    def unroll(self, loops: Iterable[Loop]) -> None:
        """Ask LLVM to unroll loops."""
        for loop in loops:
            ask_to_unroll(self.module, loop.latches[0].terminator)

    def _counted(self, loop: Loop) -> int | None:
        latch = loop.latch
        if latch is None or not loop.is_simple or is_spoken_of(self.module, loop):
            return None
        rounds = known_rounds(loop, self.forest.domtree)
        return rounds if rounds in _LENGTHS else None


def is_spoken_of(module: Module, loop: Loop) -> bool:
    """Whether the program says what is to be done with a loop."""
    ends = (latch.terminator for latch in loop.latches)
    said = (module.metadata_text(each) for end in ends for each in module.loop_metadata(end))
    return any(word in each for each in said for word in _SPOKEN)


def ask_to_unroll(module: Module, end: Instruction | None) -> None:
    """Ask LLVM to unroll the loop that a branch ends."""
    assert end is not None
    end.metadata["llvm.loop"] = module.add_loop_metadata(*module.loop_metadata(end), _UNROLL)
