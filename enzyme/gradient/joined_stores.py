"""A store that all ways make in the end is made once, where they meet.

``if (a) y[i] = p; else if (b) y[i] = q; else y[i] = r;`` an optimiser leaves with a store at the end of each way, and
where it has unrolled a short loop around that, with several. That an iteration stores one result, where its counter
says (edge_accesses.py), is seen behind the place where the ways meet.
"""

from __future__ import annotations

from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree
from enzyme.gradient.wide_bodies import is_scalar_call
from enzyme.ir.builder import Builder
from enzyme.ir.instructions import is_speculatable
from enzyme.ir.module import Module
from enzyme.ir.values import (
    INT_DIVISIONS,
    Block,
    Branch,
    CallBase,
    DebugRecord,
    GetElementPtr,
    Instruction,
    Phi,
    Store,
    Value,
)

_MOST = 16
"""Ways that meet."""


def join_stores(module: Module) -> bool:
    """In every function of a prepared module; whether there were any."""
    changed = False
    for function in module.functions.values():
        dominators: DominatorTree | None = None
        for block in function.blocks:
            while stores := _alike(block):
                dominators = dominators or DominatorTree(ControlFlowGraph(function))
                if not _join(block, stores, dominators):
                    break
                changed = True
    return changed


def _alike(block: Block) -> list[Store]:
    """The last store of each way to a block, where all of them go to the same place."""
    ways = block.predecessors
    if not 2 <= len(ways) <= _MOST:
        return []
    if not all(isinstance(way.terminator, Branch) and len(way.successors) == 1 for way in ways):
        return []
    stores = [store for way in ways if (store := _last(way)) is not None]
    return stores if len(stores) == len(ways) and all(_is_alike(each, stores[0]) for each in stores) else []


def _join(block: Block, stores: list[Store], dominators: DominatorTree) -> bool:
    """Take the last stores of all ways to a block there, if that is right."""
    first, ways = stores[0], block.predecessors
    if any(dominators.dominates(block, way) for way in ways):
        return False  # a loop begins there

    def is_there(value: Value) -> bool:
        if not isinstance(value, Instruction):
            return True
        return value.block is not None and dominators.dominates(value.block, block)

    pointer = first.pointer
    if not is_there(pointer):
        if not isinstance(pointer, GetElementPtr) or not all(map(is_there, pointer.operands)):
            return False
    values = [each.value for each in stores]
    build = Builder(block, before=next(each for each in block.instructions if not isinstance(each, Phi)))
    value: Value = values[0]
    if any(each is not value for each in values) or not is_there(value):
        value = build.phi(values[0].type, list(zip(values, ways, strict=True)))
    if isinstance(pointer, GetElementPtr) and not is_there(pointer):
        pointer = build.insert(pointer.clone())
    made = first.clone([value, pointer])
    for each in stores:
        for key in set(made.metadata) - {"dbg"}:
            if each.metadata.get(key) != made.metadata[key]:
                del made.metadata[key]
        each.erase()
    build.insert(made)
    return True


def _last(block: Block) -> Store | None:
    """The plain store behind which a block touches no memory and calls nothing."""
    for inst in reversed(block.instructions):
        if isinstance(inst, Store):
            plain = not inst.ordering and "volatile" not in inst.flags
            return inst if plain else None
        pure = isinstance(inst, CallBase) and is_scalar_call(inst) and (inst.callee_name or "").startswith("llvm.")
        computes = isinstance(inst, (Phi, Branch, DebugRecord)) or inst.opcode in INT_DIVISIONS or is_speculatable(inst)
        if not (pure or computes):
            return None
    return None


def _is_alike(one: Store, other: Store) -> bool:
    """Whether two stores of two ways go to the same place."""
    if one.value.type is not other.value.type or one.align != other.align:
        return False
    here, there = one.pointer, other.pointer
    if here is there or not isinstance(here, GetElementPtr) or not isinstance(there, GetElementPtr):
        return here is there
    return here.source_type is there.source_type and here.operands == there.operands and here.flags == there.flags
