"""Integer divisions in branches of loops, by what does not change there, made in front of the loop.

``x[k % n]`` in a branch of a loop: LLVM leaves the division where it is, because n may be zero where the branch is not
taken. Its vectoriser (22.1, for processors with AVX-512) then takes the address for one that all lanes share, and
divides only where the *first* lane takes the branch: the other lanes read from an address that is garbage. So what the
vectoriser gets has no such division: it stands in front of the loop, with a divisor made 1 where the division would
stop the program. Only runs in which the branch is taken use the result, and those divide as before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from enzyme.analysis.loops import Loop, analyse_loops
from enzyme.ir.builder import Builder
from enzyme.ir.instructions import Freeze
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.ir.types import IntType
from enzyme.ir.values import BinaryOp, ConstantInt, Value

_OPCODES = frozenset(("udiv", "urem", "sdiv", "srem"))
_BY_VARIABLE = re.compile(r"= [us](?:div|rem) (?:exact )?i\d+ \S+, %")


def may_divide(text: str) -> bool:
    """Whether any integer is divided by what is no constant."""
    return _BY_VARIABLE.search(text) is not None


def with_hoisted_divisions(text: str) -> str | None:
    """The program with such divisions in front of their loops; None where there are none. The text must have been
    optimised (what is divided in every iteration is then in front of its loop already) and its loops simplified."""
    module = parse_module(text)
    changed = False
    for function in module.functions.values():
        if function.body_text is None or not may_divide(function.body_text):
            continue
        for loop in analyse_loops(function).loops:
            while not loop.children and (division := next(_divisions(loop), None)) is not None:
                _hoist(division, loop)
                function.body_text = None
                changed = True
    return print_module(module) if changed else None


def _divisions(loop: Loop) -> Iterator[BinaryOp]:
    """Those of a loop that do not change there."""
    if loop.preheader is None:
        return
    for block in loop.order:
        for each in block.instructions:
            if isinstance(each, BinaryOp) and each.opcode in _OPCODES and isinstance(each.type, IntType):
                dividend, divisor = each.operands
                if not isinstance(divisor, ConstantInt) and loop.is_invariant(dividend) and loop.is_invariant(divisor):
                    yield each


def _hoist(division: BinaryOp, loop: Loop) -> None:
    assert loop.preheader is not None and division.block is not None
    build = Builder(loop.preheader, before=loop.preheader.instructions[-1])
    dividend, divisor = division.operands
    divisor = build.insert(Freeze(divisor))
    stops: Value = build.icmp("eq", divisor, ConstantInt(division.type, 0))
    if division.opcode in ("sdiv", "srem"):
        dividend = build.insert(Freeze(dividend))
        assert isinstance(division.type, IntType)
        least = ConstantInt(division.type, -(1 << (division.type.bits - 1)))
        leaves = build.icmp("eq", divisor, ConstantInt(division.type, -1))
        stops = build.or_(stops, build.and_(leaves, build.icmp("eq", dividend, least)))
    safe = build.select(stops, ConstantInt(division.type, 1), divisor)
    division.replace_all_uses_with(build.insert(BinaryOp(division.opcode, dividend, safe, flags=division.flags)))
    division.erase()
