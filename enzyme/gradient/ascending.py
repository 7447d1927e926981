"""Reversed loops that run their iterations in the order of the primal.

A reversed loop walks down its arrays. LLVM turns the numbers of each vector around then, and most of that goes away
again, since all numbers are turned alike. Not so where an iteration decides something: the mask of a masked access is
wanted one way, and the same mask in a choice the other. A partial that may be infinite is such a decision. Where
iterations are independent, the loop runs up instead, and there is nothing to turn around. Nor is there where iterations
hand on a window of a shadow, of which LLVM makes vectors whose numbers move on by one: turned around they would have to
be turned for that, and turned back.

Where one loop runs up, those beside it do, too, where that is legal. One loop reads what another has just added up or
set; a vector that is loaded while its numbers wait in the parts of two vectors that were stored has to wait until they
have reached memory. Where both loops begin at the same end, they cut the array into the same vectors. And where
all loops of the function, or all in a loop around them, may run up, and there are several, they do: the primal's loops
have cut the arrays from that end, too.

Legal for an innermost loop that is left at its latch only, so that all iterations are whole, where no adjoint of one
iteration comes from another:

- An active value that iterations hand on is a sum that they add to and do nothing else with. Its adjoint is the same
  number in all of them, and stays so on its way from the first reversed iteration to the last, whichever these are.
- No other active value of the loop is used behind it: its adjoint would belong to the iteration that was the last.
- What a store of the loop overwrites, and clears the shadow of, is touched by no other iteration: the two addresses
  move alike and never meet, or they are apart.
- Windows are of reads only. What comes to an iteration from the one before is a sum, or an element of a window.
- What the loop does apart from that is to add: to shadows and to adjoints of values from outside. An element of the
  shadow to which a single address leads gets its additions from one iteration; where two iterations may add to one
  place, as for two arrays with one shadow, and for values from outside, they do so in another order. So this is done
  only where what the iterations add to one place may be added in any order (``Config(reassociate=True)``).

Values of the primal are had by the number of the iteration, whichever way they are had, and the primal's memory is only
read. Where shadows are set in place of being added to (last_reads.py), each element is by one iteration.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import TYPE_CHECKING, Any

from enzyme.analysis.loops import Loop
from enzyme.gradient.apply import is_singular, operand_values
from enzyme.gradient.sums import is_fused
from enzyme.gradient.windows import LoopAccesses
from enzyme.ir.types import FloatType
from enzyme.ir.values import (
    BinaryOp,
    Branch,
    CallBase,
    DebugRecord,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Switch,
    Value,
)
from enzyme.rules.scalar import lookup_instruction

if TYPE_CHECKING:
    from enzyme.gradient.reverse import ReverseSweep

_MOST = 16
"""Accesses of a loop: each is compared with each."""


def loops_that_run_up(sweep: ReverseSweep) -> list[Loop]:
    """The loops whose reversal is to begin with the first iteration, and may."""
    request = sweep.request
    if not sweep.engine.config.ascending or request.keep_tape or request.renewable or request.behind:
        return []
    if sweep.lanes.width > 1 or request.at_run_time:
        return []
    loops = sweep.subject.loops.loops
    may = cache(lambda loop: _may(sweep, loop))
    found = {loop for loop in loops if _wants(sweep, loop) and may(loop)}
    around = {loop.parent for loop in found}
    found |= {loop for loop in loops if loop.parent in around and may(loop)}
    for family in _families(sweep):
        if len(family) > 1 and all(map(may, family)):
            found.update(family)
    return [loop for loop in loops if loop in found]


def _families(sweep: ReverseSweep) -> Collection[list[Loop]]:
    """The innermost loops that are reversed, of each loop around some and of the function."""
    found: dict[Loop | None, list[Loop]] = {}
    active = sweep.activity.active_instruction
    for loop in sweep.subject.loops.loops:
        if loop.children or not any(active(inst) for block in loop.blocks for inst in block.instructions):
            continue
        around = loop.parent
        while around is not None:
            found.setdefault(around, []).append(loop)
            around = around.parent
        found.setdefault(None, []).append(loop)
    return found.values()


def _wants(sweep: ReverseSweep, loop: Loop) -> bool:
    """Whether LLVM does better with the loop when it runs up."""
    return loop in sweep.windows.of_loop or _decides(loop) or _guards(sweep, loop)


def _may(sweep: ReverseSweep, loop: Loop) -> bool:
    """Whether the loop may run up."""
    if loop in sweep.choices or loop in sweep.kept_choices:
        return False
    return sweep.any_order(loop) and _hands_sums_on(sweep, loop) and _touches_apart(sweep, loop)


def _decides(loop: Loop) -> bool:
    """Whether iterations differ in what they do."""
    for block in loop.blocks:
        end = block.terminator
        if isinstance(end, (Branch, Switch)) and block is not loop.latch and len(set(block.successors)) > 1:
            if not loop.is_invariant(end.operands[0]):
                return True
        for inst in block.instructions:
            if isinstance(inst, Select) and inst.type.is_float and not loop.is_invariant(inst.operands[0]):
                return True
    return False


def _guards(sweep: ReverseSweep, loop: Loop) -> bool:
    """Whether the derivative of an iteration decides something: a partial may be infinite where nothing comes in."""
    for block in loop.blocks:
        for inst in block.instructions:
            if sweep.activity.active_value(inst):
                rule = lookup_instruction(inst)
                if rule is not None and is_singular(rule, operand_values(inst)):
                    return True
    return False


def _hands_sums_on(sweep: ReverseSweep, loop: Loop) -> bool:
    """Whether active values go from one iteration to the next, or behind the loop, as sums only."""
    latch = loop.latch
    if latch is None:
        return False
    totals: set[Value] = set()
    for phi in loop.header.phis:
        if not sweep.activity.active_value(phi) or sweep.windows.is_handed(phi):
            continue
        total = phi.value_from(latch)
        if not isinstance(phi.type, FloatType) or not is_sum(loop, phi, total):
            return False
        totals.add(total)
    for block in loop.blocks:
        for inst in block.instructions:
            if inst in totals or not sweep.activity.active_value(inst):
                continue
            if any(isinstance(user, Instruction) and user.block not in loop.blocks for user in inst.users):
                return False
    return True


def is_sum(loop: Loop, phi: Phi, total: Value) -> bool:
    """Whether ``total`` is the phi and what is added to it on the way, whatever the way, and nothing in the loop looks
    at the sum in between."""
    found: set[Value] = {phi}
    work: list[Value] = [phi]
    while work:
        value = work.pop()
        for user in value.users:
            if not isinstance(user, Instruction):
                return False
            if isinstance(user, DebugRecord) or user is phi or user.block not in loop.blocks:
                continue
            if user not in found:
                found.add(user)
                work.append(user)
    return total in found and all(value is phi or _adds(value, found, phi) for value in found)


def _adds(value: Value, found: set[Value], phi: Phi) -> bool:
    """Whether an instruction hands exactly one of the sums ``found`` on, with a factor of one."""
    match value:
        case BinaryOp(opcode="fadd"):
            return sum(each in found for each in value.operands) == 1
        case BinaryOp(opcode="fsub"):
            return value.operands[0] in found and value.operands[1] not in found
        case Phi():
            return value.block is not phi.block and all(each in found for each, _ in value.incoming)
        case Select():
            return all(each in found for each in value.operands[1:])
        case CallBase() if is_fused(value):
            return value.args[2] in found and not any(each in found for each in value.args[:2])
    return False


def _touches_apart(sweep: ReverseSweep, loop: Loop) -> bool:
    """Whether what iterations touch in shadows lets them run in any order."""
    reader = LoopAccesses(sweep, loop)
    accesses = reader.accesses()
    if not accesses or len(accesses) > _MOST:
        return False
    places: list[tuple[Load | Store, Any, int, int, int]] = []
    for inst in accesses:
        type = inst.accessed
        if sweep.windows.only_adds(inst):
            continue  # nothing else touches what is in the window
        if not isinstance(type, FloatType) or inst.flags:
            return False
        key, offset, stride = reader.position(inst)
        size = sweep.subject.module.datalayout.size_of(type)
        if key is None or abs(stride) < size:
            return False
        places.append((inst, key, offset, stride, size))
    return all(_apart(reader, left, right) for index, left in enumerate(places) for right in places[index + 1 :])


def _apart(reader: LoopAccesses, left: Any, right: Any) -> bool:
    """Whether two accesses never meet in different iterations, or only add where they do."""
    (here, key, offset, stride, size), (there, other_key, other_offset, _, other_size) = left, right
    if key == other_key:
        return bool(abs(offset - other_offset) + max(size, other_size) <= abs(stride))
    if not isinstance(here, Store) and not isinstance(there, Store):
        return True
    pointers = reader.pointers
    return pointers.alias(pointers.location(here), pointers.location(there), same_iteration=False).disjoint
