"""Loops over short rows that are looked up, which are to run one row after the other.

An embedding, a factor, a node of a graph: ``for (k < 24) d[k] = h[at[i]][k] - t[to[i]][k]``. LLVM unrolls the loop
along the row, and then finds a loop over i without others inside. Of that it would run several iterations at once,
with a gather for each number of each row, while numbers that lie beside one another fit into vectors as they are. A
program that adds up what it finds keeps LLVM from it, as the order of its sum is given; a forward sweep that only
keeps what the reverse sweep needs does not. Here loops of derivatives are told not to become vectors themselves where
their rows are long enough.
"""

from __future__ import annotations

from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import counter
from enzyme.analysis.tripcount import known_rounds
from enzyme.gradient.kept_loads import has_reversed_loops
from enzyme.gradient.read_once import read_once
from enzyme.gradient.short_loops import is_spoken_of
from enzyme.ir.module import Module
from enzyme.ir.printer import print_module
from enzyme.ir.types import FloatType
from enzyme.ir.values import Instruction, Load, Value

_ROUNDS = range(8, 65)
"""How long such rows are: vectors of numbers that lie beside one another, of which LLVM makes no loop."""
_APART = '"llvm.loop.vectorize.enable", i1 false'


def with_rows_in_turn(text: str) -> str | None:
    """The program with such loops told; None where there are none. The text must have been optimised, with its loops
    simplified."""
    program = read_once(text)
    module: Module = program.module
    changed = False
    for function, body in program.bodies:
        if not has_reversed_loops(body):
            continue
        forest = program.loops(function)
        forms = FunctionForms(forest.domtree, forest, module.datalayout)
        for loop in forest.loops:
            if loop.is_simple and not is_spoken_of(module, loop) and _looks_up(loop, forms, module):
                (latch,) = loop.latches
                assert latch.terminator is not None
                said = module.loop_metadata(latch.terminator)
                latch.terminator.metadata["llvm.loop"] = module.add_loop_metadata(*said, _APART)
                function.body_text, changed = None, True
    return print_module(module) if changed else None


def _looks_up(loop: Loop, forms: FunctionForms, module: Module) -> bool:
    """Whether all loops in a loop run as often as is known, and one of them goes along a row that the loop looks up."""
    rounds = {each: known_rounds(each, forms.dominators) for each in loop.children}
    if any(each.children or known is None for each, known in rounds.items()):
        return False
    rows = (each for each, known in rounds.items() if known in _ROUNDS)
    return any(_is_row(inst, each, loop, forms, module) for each in rows for inst in _loads(each))


def _loads(loop: Loop) -> list[Load]:
    insts = (inst for block in loop.order for inst in block.instructions)
    return [inst for inst in insts if isinstance(inst, Load) and isinstance(inst.type, FloatType)]


def _is_row(load: Load, inner: Loop, loop: Loop, forms: FunctionForms, module: Module) -> bool:
    base, form = forms.from_base(load.pointer)
    step = form.stride(counter(inner))
    if step is None or abs(step) != module.datalayout.size_of(load.type):
        return False
    made_of: list[object] = [base, *(what for what, _ in form.without(counter(inner)).variables)]
    return any(isinstance(each, Instruction) and _is_looked_up(each, loop) for each in made_of)


def _is_looked_up(value: Value, loop: Loop, depth: int = 4) -> bool:
    if not isinstance(value, Instruction) or not loop.contains(value) or not depth:
        return False
    if isinstance(value, Load):
        return True
    return value.type.is_int and any(_is_looked_up(each, loop, depth - 1) for each in value.operands)
