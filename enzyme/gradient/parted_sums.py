"""Short loops that add to several rows of shadows, which may be the same one, run once for each row.

What a product of two rows of a table, ``for (k) s += x[i][k] * x[j][k]``, hands back goes to both rows of the shadow:
``dx[i][k] += d * x[j][k]`` and ``dx[j][k] += d * x[i][k]``. Nothing says that i and j differ, or that rows do not
overlap. Of a long loop LLVM makes vectors all the same, and compares addresses in front of it. But a loop of which it
is known that it runs a few times is unrolled before, and what has been unrolled stays as it is, number by number, where
any store may change what the next load gives.

Sums may be made in any order (:attr:`Config.reassociate`), so that one row may have all it gets before the other one
has any of it, also where both are the same. Here such a loop runs once for each row: that makes loops of one sum each,
of which LLVM makes vectors before or after it unrolls them. It is done where a loop changes nothing but sums, and reads
nothing else that one of them may change.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from enzyme.analysis.alias import AliasAnalysis, ModuleSummaries
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop
from enzyme.analysis.pointer_alias import MemoryLocation
from enzyme.analysis.polynomials import counter
from enzyme.analysis.tripcount import known_rounds
from enzyme.gradient.kept_loads import has_reversed_loops, is_reversed
from enzyme.gradient.loop_versions import copied
from enzyme.gradient.read_once import read_once
from enzyme.gradient.short_loops import is_spoken_of
from enzyme.gradient.sums import Sum, find_sums, is_fused, is_plain
from enzyme.ir.builder import Builder
from enzyme.ir.layout import DataLayout
from enzyme.ir.module import Module
from enzyme.ir.printer import print_module
from enzyme.ir.values import BinaryOp, Block, CallBase, Function, Instruction, Load, Store
from enzyme.rules.known import known_callee

_ROUNDS = range(4, 33)
"""How often such loops run: those that LLVM may unroll."""
_MOST = 8
"""Sums of one loop."""


def with_parted_sums(text: str) -> str | None:
    """The program with such loops run once for each row; None where there are none. The text must have been optimised,
    with its loops simplified and in LCSSA form."""
    program = read_once(text)
    module, changed = program.module, False
    summaries = ModuleSummaries(module, known_callee)
    for function, body in program.bodies:
        if not has_reversed_loops(body):
            continue
        forest = program.loops(function)
        forms = FunctionForms(forest.domtree, forest, module.datalayout)
        found = [(loop, sums) for loop in forest.loops if (sums := _sums(loop, forms, module))]
        if not found:
            continue
        alias = AliasAnalysis(function, module, known_callee, summaries)
        parted = [(loop, parts) for loop, sums in found if len(parts := _parts(loop, sums, alias)) > 1]
        for loop, parts in parted:
            _part(function, loop, parts)
        if parted:
            function.body_text = None
            changed = True
    return print_module(module) if changed else None


def _sums(loop: Loop, forms: FunctionForms, module: Module) -> list[Sum]:
    """The sums of a short reversed loop that goes along the rows it adds to, if it changes nothing else. (The order of
    sums that the program makes itself is not ours to choose.)"""
    body = loop.header
    if not is_reversed(loop) or loop.blocks != {body} or not loop.is_simple or not is_plain(body):
        return []
    stores = [inst for inst in body.instructions if isinstance(inst, Store)]
    if not 2 <= len(stores) <= _MOST or is_spoken_of(module, loop) or any(map(_is_dear, body.instructions)):
        return []
    sums = list(find_sums(body))
    if len(sums) < len(stores) or len({each.store.accessed for each in sums}) > 1:
        return []
    if not all(_goes_along(each, loop, forms, module.datalayout) for each in sums):
        return []
    return sums if known_rounds(loop, forms.dominators) in _ROUNDS else []


def _is_dear(inst: Instruction) -> bool:
    """Whether an operation takes too long to be done for each of the rows."""
    divides = isinstance(inst, BinaryOp) and inst.opcode in ("fdiv", "frem", "sdiv", "udiv", "srem", "urem")
    return divides or (isinstance(inst, CallBase) and not is_fused(inst))


def _goes_along(each: Sum, loop: Loop, forms: FunctionForms, layout: DataLayout) -> bool:
    """Whether iterations add to neighbouring numbers, one after the other."""
    base, place = forms.from_base(each.store.pointer)
    size = layout.size_of(each.store.accessed)
    return place.stride(counter(loop)) in (size, -size) and loop.is_invariant(base)


def _parts(loop: Loop, sums: Sequence[Sum], alias: AliasAnalysis) -> list[list[Sum]]:
    """The sums that may stay together, as they are apart from one another, in the order of the loop; none if the loop
    reads what they change."""
    places = {each: alias.location(each.store) for each in sums}

    def is_apart(a: MemoryLocation, b: MemoryLocation) -> bool:
        return alias.alias(a, b, same_iteration=False).disjoint

    own = {each.load for each in sums}
    others = [alias.location(inst) for inst in loop.header.instructions if isinstance(inst, Load) and inst not in own]
    if not all(is_apart(read, place) for read in others for place in places.values()):
        return []
    parts: list[list[Sum]] = []
    for each in sums:
        fitting = (part for part in parts if all(is_apart(places[each], places[other]) for other in part))
        if (part := next(fitting, None)) is None:
            parts.append(part := [])
        part.append(each)
    return parts


def _part(function: Function, loop: Loop, parts: Sequence[Sequence[Sum]]) -> None:
    """Put a loop for each part but the last in front of the loop, which keeps that one and all that it hands on."""
    body = loop.header
    for part in parts[:-1]:
        ahead = next(each for each in body.predecessors if each is not body)
        copies = copied(function, [body])
        first, behind = copies[body], function.append_block(Block("parted"))
        assert isinstance(first, Block) and ahead.terminator is not None and first.terminator is not None
        Builder(behind).br(body)
        for phi in body.phis:
            phi.replace_operand(ahead, behind)
        ahead.terminator.replace_operand(body, first)
        first.terminator.replace_operand(loop.exit_blocks[0], behind)
        for each in chain.from_iterable(other for other in parts if other is not part):
            store = copies[each.store]
            assert isinstance(store, Store)
            store.erase()
    for each in chain.from_iterable(parts[:-1]):
        each.store.erase()
