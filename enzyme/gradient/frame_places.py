"""Numbers of ways that exclude each other lie at one place of a frame.

A function that is called keeps what its reversal needs in a frame, with a place for each number that is kept once per
call. A recursion into a tree goes left or right: of what each way keeps, one call fills half. Where no call can make
both of two numbers of one type, the second lies where the first does. The reversal of a block runs where the block has
run, and only there looks at what that has kept.
"""

from __future__ import annotations

from collections.abc import Iterable

from enzyme.gradient.primal import PrimalCopy
from enzyme.ir.values import Block, Instruction, Value


def places_of(copy: PrimalCopy, kept: Iterable[Value]) -> dict[Value, Value]:
    """For some of the values, which are kept once per call, the one at whose place they lie."""
    cfg = copy.subject.cfg
    found: dict[Value, Value] = {}
    shared: list[list[tuple[Value, Block]]] = []

    def excluded(one: Block, other: Block) -> bool:
        there, back = cfg.reach[cfg.index[one]] >> cfg.index[other], cfg.reach[cfg.index[other]] >> cfg.index[one]
        return one is not other and not (there | back) & 1

    for value in kept:
        block = copy.back.get(value.block) if isinstance(value, Instruction) and value.block is not None else None
        if block is None or value.is_terminator:  # type: ignore[attr-defined]
            continue
        for group in shared:
            if group[0][0].type is value.type and all(excluded(block, other) for _, other in group):
                found[value] = group[0][0]
                group.append((value, block))
                break
        else:
            shared.append([(value, block)])
    return found
