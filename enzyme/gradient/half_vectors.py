"""Vectors of half a register, where a processor works on halves.

AMD's Zen 4 has the registers of AVX-512 and units of half their width: an instruction on a whole register is carried
out as two. Vectors of whole registers save few instructions in long loops, and in short ones they leave more to be run
one by one. The short loops of a program are in its derivative two or three times. So derivatives, and the functions
that ask for them, of which they become part, are compiled for halves, unless the program says how wide its vectors are
to be (``-mprefer-vector-width=512``).
"""

from __future__ import annotations

from collections.abc import Iterable

from enzyme.ir.module import Module
from enzyme.ir.values import Function
from enzyme.llvm.codegen import works_on_halves
from enzyme.support.config import Config

_SAID = '"prefer-vector-width"='
HALF = f'{_SAID}"256"'


def prefer_halves(module: Module, config: Config, functions: Iterable[Function | None]) -> None:
    """Say so of ``functions``, which are part of the module."""
    if not config.half_vectors or not works_on_halves(config.cpu, module.triple):
        return
    for function in functions:
        if function is not None and not function.is_declaration:
            if not any(word.startswith(_SAID) for word in module.fn_attributes(function)):
                function.attrs = (*function.attrs, HALF)
