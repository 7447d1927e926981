"""Stores of what an iteration was handed, made behind what it hands on.

``v[i] = f(u[i - 1], u[i], u[i + 1])``: one load serves three iterations, the next two by way of phis at the head of the
loop. The vectoriser of LLVM knows such phis (fixed-order recurrences) and makes vectors of neighbours of them, if all
that uses one can stand behind what the next iteration is handed. A store cannot, it says, for it moves none. What a
forward sweep keeps of ``u[i]`` is stored where it is first had, in front of the load of ``u[i + 1]``, and what a
reversed stencil puts into a strip in front of what it hands on: both kept all of the loop in scalars.

Here such stores are moved down in loops of one block, where nothing between touches what they write.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from enzyme.analysis.alias import AliasAnalysis, ModuleSummaries
from enzyme.gradient.kept_loads import has_reversed_loops
from enzyme.gradient.read_once import read_once
from enzyme.gradient.sums import is_simple_access
from enzyme.ir.printer import print_module
from enzyme.ir.types import FloatType
from enzyme.ir.values import Block, CallBase, Instruction, Load, Phi, Store, Value
from enzyme.rules.known import known_callee


def with_late_stores(text: str) -> str | None:
    """The program with such stores moved; None where there are none. The text must have been optimised, with its loops
    simplified."""
    program = read_once(text)
    summaries = ModuleSummaries(program.module, known_callee)
    changed = False
    for function, body in program.bodies:
        if not has_reversed_loops(body):
            continue
        memory = cache(partial(AliasAnalysis, function, program.module, known_callee, summaries))
        blocks = [loop.header for loop in program.loops(function).loops if loop.blocks == {loop.header}]
        phis = [(block, phi) for block in blocks for phi in block.phis if isinstance(phi.type, FloatType)]
        moved = [_behind(block, phi, memory) for block, phi in phis]
        if any(moved):
            function.body_text, changed = None, True
    return print_module(program.module) if changed else None


def _behind(block: Block, phi: Phi, memory: Callable[[], AliasAnalysis]) -> bool:
    """Move the stores of what is computed from a phi behind what it is in the next iteration."""
    following = phi.value_from(block)
    if not isinstance(following, Instruction) or isinstance(following, Phi) or following.block is not block:
        return False
    order = block.instructions
    end = order.index(following)
    after: set[Value] = {phi}
    stores: list[Store] = []
    for inst in order[:end]:
        if not isinstance(inst, Phi) and any(each in after for each in inst.operands):
            after.add(inst)
            if isinstance(inst, Store):
                stores.append(inst)
            elif not _only_computes(inst):
                return False
    if not stores or any(each in after for each in following.operands):
        return False
    for store in stores:
        between = [each for each in order[order.index(store) + 1 : end + 1] if each not in stores]
        if not is_simple_access(store) or not all(_leaves(memory(), each, store) for each in between):
            return False
    place = order[end + 1]
    for store in stores:
        block.remove(store)
        block.insert_before(place, store)
    return True


def _only_computes(inst: Instruction) -> bool:
    return not isinstance(inst, (Load, CallBase)) or (
        isinstance(inst, CallBase) and (inst.callee_name or "").startswith("llvm.") and inst.type.is_float
    )


def _leaves(memory: AliasAnalysis, inst: Instruction, store: Store) -> bool:
    """Whether an instruction neither reads nor writes what a store writes."""
    if not isinstance(inst, (Load, Store, CallBase)):
        return True
    touched = memory.mod_ref(inst, memory.location(store))
    return not (touched.may_write or touched.may_read)
