"""Sums over rows that are made in order run four elements at a time.

No vectors can be made of a sum whose order the program fixed, ``for (j) sum += a[j] * b[j]``; LLVM unrolls such a loop
eight times, and leaves up to seven elements to a loop that takes one after the other. Inside of other loops, rows are
often no longer than that: then each sum is made by the loop that was meant for the rest. How fast that one is depends
on where it happens to lie in the code, up to a third of the time of a whole derivative.

In derivatives, the innermost of several loops is unrolled four times where it makes such a sum and LLVM does not know
how often it runs, and what is left is run without a loop (an option of LLVM's that :mod:`enzyme.optimise` sets for
programs with such loops). The sum itself is the same, one addition after the other.
"""

from __future__ import annotations

from collections.abc import Iterable

from enzyme.analysis.loops import Loop, analyse_loops
from enzyme.analysis.symbolic import constant_value
from enzyme.analysis.tripcount import backedge_count
from enzyme.gradient.sums import is_arithmetic, is_fused
from enzyme.ir.module import Module
from enzyme.ir.types import FloatType
from enzyme.ir.values import BinaryOp, Block, CallBase, Function, Instruction, Phi, Value

TIMES = 4
_MARK = '!"enzyme.loop.short"'
_LONGEST = 40
"""Instructions of a loop: what is longer is not worth four copies and three more."""
_DEPTH = 8


def may_have_sums(text: str) -> bool:
    """Whether a program has loops that were found here."""
    return _MARK in text


def unroll_sums(module: Module, functions: Iterable[Function]) -> None:
    """Say of the loops of ``functions``, which are part of the module, how often they are to be unrolled."""
    for function in functions:
        if not function.is_declaration:
            for loop in analyse_loops(function).loops:
                if loop.parent is not None and loop.blocks == {loop.header} and _is_sum(loop):
                    _say(module, loop)


def _is_sum(loop: Loop) -> bool:
    body = loop.header
    if loop.forest is None or len(body.instructions) > _LONGEST or not all(map(_is_plain, body.instructions)):
        return False
    count = backedge_count(loop, loop.forest.domtree)
    return count is not None and constant_value(count) is None and any(_in_order(phi, body) for phi in body.phis)


def _is_plain(inst: Instruction) -> bool:
    return not isinstance(inst, CallBase) or is_arithmetic(inst)


def _in_order(phi: Phi, body: Block) -> bool:
    """Whether an iteration adds to what the one before it handed on, and not in any order."""
    if not isinstance(phi.type, FloatType):
        return False
    work: list[tuple[Value, int]] = [(phi.value_from(body), _DEPTH)]
    while work:
        value, depth = work.pop()
        if value is phi:
            return True
        adds = isinstance(value, BinaryOp) and value.opcode in ("fadd", "fsub")
        if depth and (adds or is_fused(value)) and isinstance(value, Instruction) and value.block is body:
            if not {"reassoc", "fast"} & set(value.fast_math):
                work += [(each, depth - 1) for each in value.operands]
    return False


def _say(module: Module, loop: Loop) -> None:
    end = loop.header.terminator
    assert end is not None
    others = module.loop_metadata(end)
    if any('"llvm.loop.unroll' in module.metadata_text(each) for each in others):
        return  # the program says so itself, or it has been said
    mark = module.add_metadata(f"!{{{_MARK}}}")
    node = module.add_loop_metadata(*others, f'"llvm.loop.unroll.count", i32 {TIMES}', mark)
    end.metadata["llvm.loop"] = node
