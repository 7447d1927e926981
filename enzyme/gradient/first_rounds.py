"""Header phis of two constants as functions of the iteration's number.

A phi that is one constant in the first iteration of a loop and another in every later one depends on nothing but the
number of the iteration. Optimisers write the flag of a loop of two rounds that way (``phi [true], [false]``: whether to
stay), and what it counts as well (``phi [0], [1]``). Said with a counter, both are known when the reverse sweep asks:
the trip count is found, and no tape keeps which way was taken.
"""

from __future__ import annotations

from enzyme.analysis.loops import Loop, analyse_loops
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I64, IntType
from enzyme.ir.values import Branch, ConstantInt, Function, Phi, Value


def count_rounds(module: Module) -> None:
    """In every function of the module."""
    for function in module.functions.values():
        if not function.is_declaration and any(_of_constants(phi) for block in function.blocks for phi in block.phis):
            _rewrite(function)


def _of_constants(phi: Phi) -> bool:
    values = [value for value, _ in phi.incoming]
    return isinstance(phi.type, IntType) and len(values) == 2 and all(isinstance(v, ConstantInt) for v in values)


def _rewrite(function: Function) -> None:
    for loop in analyse_loops(function).loops:
        phis = [(phi, *found) for phi in loop.header.phis if (found := _rounds(loop, phi)) is not None]
        if phis:
            _count(loop, phis)


def _rounds(loop: Loop, phi: Phi) -> tuple[int, int] | None:
    """The header phi's values in the first iteration and in every later one."""
    if loop.latch is None or not _of_constants(phi):
        return None
    by_side = {source in loop.blocks: value for value, source in phi.incoming}
    first, later = by_side.get(False), by_side.get(True)
    if not isinstance(first, ConstantInt) or not isinstance(later, ConstantInt) or first.value == later.value:
        return None
    return first.value, later.value


def _count(loop: Loop, phis: list[tuple[Phi, int, int]]) -> None:
    header, latch = loop.header, loop.latch
    assert latch is not None
    place = header.instructions[len(header.phis)]
    counter = Phi(I64, (), name="round")
    header.insert(0, counter)
    following = Builder(latch, before=latch.terminator).add(
        counter, ConstantInt(I64, 1), ("nuw", "nsw"), name="round.next"
    )
    for _, source in phis[0][0].incoming:
        counter.add_incoming(following if source in loop.blocks else ConstantInt(I64, 0), source)
    build = Builder(header, before=place)
    two_rounds = any(_stays_once(loop, phi, first) for phi, first, _ in phis)
    is_first: Value = build.icmp("eq", counter, ConstantInt(I64, 0), name="first.round")
    for phi, first, later in phis:
        assert isinstance(phi.type, IntType)
        bits = phi.type.bits
        made: Value
        if bits == 1:
            made = is_first if first else build.icmp("ne", counter, ConstantInt(I64, 0), name=phi.name)
        elif two_rounds and bits <= 64:
            # Linear between the only two values that it has.
            number = counter if bits == 64 else build.trunc(counter, phi.type)
            scaled = number if later - first == 1 else build.mul(number, ConstantInt(phi.type, later - first))
            made = scaled if first == 0 else build.add(scaled, ConstantInt(phi.type, first), name=phi.name)
        else:
            made = build.select(is_first, ConstantInt(phi.type, first), ConstantInt(phi.type, later), name=phi.name)
        phi.replace_all_uses_with(made)
        phi.erase()


def _stays_once(loop: Loop, phi: Phi, first: int) -> bool:
    """Whether the loop's latch stays in the first iteration and leaves in the second, as this flag says."""
    assert loop.latch is not None
    end = loop.latch.terminator
    if not isinstance(end, Branch) or not end.is_conditional or end.operands[0] is not phi:
        return False
    return (end.operands[1] is loop.header) == bool(first) and end.operands[1] is not end.operands[2]
