"""Vectors of half a register, where they are the better ones.

AMD's Zen 4 has the registers of AVX-512 and units of half their width: an instruction on a whole register is carried
out as two. Vectors of whole registers save few instructions in long loops, and in short ones they leave more to be run
one by one. The short loops of a program are in its derivative two or three times. So derivatives, and the functions
that ask for them, of which they become part, are compiled for halves, unless the program says how wide its vectors are
to be (``-mprefer-vector-width=512``).

Zen 5 has units for whole registers, and what they leave is the same. There, derivatives are compiled for halves where
they have loops inside of loops, which may be short, or none at all: of straight code, too, LLVM makes something better
in halves. A loop that is in no other is taken to be a long one, and derivatives that are made of whole registers stay
so. Where a parameter says how often all inner loops run, few_rounds.py makes a version in whole registers for large
values of it.

For Intel's, LLVM prefers halves. From Sapphire Rapids on, the version for large values is in whole registers there,
too, and loops of which it is known that they gain by it (short_chains.py). Others stay as LLVM makes them: while
instructions on whole registers are under way, one of three units has nothing to do, and where arrays begin anywhere,
each access goes over the end of a line of the cache.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from enzyme.analysis.loops import Loop, analyse_loops
from enzyme.analysis.symbolic import Sym, constant_value
from enzyme.analysis.tripcount import backedge_count
from enzyme.ir.module import Module
from enzyme.ir.types import FloatType, VectorType
from enzyme.ir.values import CallBase, Function
from enzyme.llvm.codegen import works_on_halves, works_on_whole
from enzyme.support.config import Config

_SAID = '"prefer-vector-width"='
HALF = f'{_SAID}"256"'
WHOLE = f'{_SAID}"512"'
SHORT = '"short-loops"'
"""Of functions that are compiled for halves because their loops may be short. (Not called ``enzyme...``, as what gives
functions rules is: they may be differentiated.)"""
WHOLE_BITS = 512


def prefer_halves(
    module: Module, config: Config, made: Collection[Function], asking: Collection[Function], optimised: bool = True
) -> None:
    """Say so of derivatives and of the functions that ask for them, which are part of the module. ``optimised``: an
    optimiser has been over the program."""
    if not config.half_vectors:
        return
    if works_on_halves(config.cpu, module.triple):
        for function in (*made, *asking):
            _say(module, function, HALF)
    elif optimised and works_on_whole(config.cpu, module.triple):
        short = {each for each in made if not each.is_declaration and not _is_wide(each) and not _is_long(each)}
        for function in _with_callers(short, asking):
            _say(module, function, HALF, SHORT)


def _with_callers(functions: set[Function], among: Collection[Function]) -> set[Function]:
    """With those ``among`` others that call them, also through others."""
    calls = {
        each: {inst.callee for inst in each.instructions() if isinstance(inst, CallBase)}
        for each in among
        if not each.is_declaration
    }
    more = functions
    while more:
        functions = functions | more
        more = {each for each, called in calls.items() if each not in functions and not called.isdisjoint(functions)}
    return functions


def _is_wide(function: Function) -> bool:
    """Whether it has vectors that fill registers, which the engine made."""
    types = {inst.type for inst in function.instructions() if isinstance(inst.type, VectorType)}
    return any(isinstance(each.element, FloatType) and each.count * each.element.bits >= WHOLE_BITS for each in types)


def _is_long(function: Function) -> bool:
    """Whether its loops are taken to be long ones, of which vectors can be made: it is known when they begin how often
    they run, and none is inside of another, but for those that run as often as a constant says."""
    loops = analyse_loops(function).loops
    # How often those of the reverse sweep run is in memory as yet; it has the loops that the forward sweep has.
    counts = {loop: _count(loop) for loop in loops if loop.header.phis}
    varying = [loop for loop, count in counts.items() if count is None or constant_value(count) is None]
    return any(counts[loop] is not None for loop in varying) and all(loop.parent is None for loop in varying)


def _count(loop: Loop) -> Sym | None:
    assert loop.forest is not None
    return backedge_count(loop, loop.forest.domtree)


def _say(module: Module, function: Function, *words: str) -> None:
    if not function.is_declaration and not any(word.startswith(_SAID) for word in module.fn_attributes(function)):
        function.attrs = (*function.attrs, *words)


def whole(attrs: Iterable[str]) -> tuple[str, ...]:
    """Attributes of a function, with whole registers in the place of halves."""
    return tuple(WHOLE if word == HALF else word for word in attrs if word != SHORT)
