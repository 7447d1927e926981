"""Sums over the lanes of vectors, added to neighbouring numbers, are made four at a time.

What several iterations at once (together.py) add to the derivative of a number that is the same in all of them is a sum
over lanes: half the vector is added to the other half, and so on, until one number is left, which is added to memory. A
loop that has been unrolled does so for neighbouring elements of an array, one after the other. Here four of these
vectors become one, whose lanes are the four sums: with the first steps taken lane by lane, and the others for all four
at once, that is half the work; and the four numbers are loaded, added to and stored as one vector.

That moves loads down and stores down to the last of the four, which is right where nothing in between touches the four
numbers. Where LLVM has made one vector of the four sums itself, element by element, only that is replaced. Additions
over lanes may be made in any order (:attr:`Config.reassociate`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from enzyme.analysis.alias import AliasAnalysis, ModuleSummaries
from enzyme.analysis.pointer_alias import MemoryLocation
from enzyme.analysis.polynomials import IntegerForms, Polynomial
from enzyme.gradient.sums import Sum, find_sums
from enzyme.ir.builder import Builder
from enzyme.ir.layout import DataLayout
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.ir.types import VectorType
from enzyme.ir.values import (
    Block,
    CallBase,
    ConstantFloat,
    ConstantInt,
    InsertElement,
    Instruction,
    Store,
    Value,
)
from enzyme.rules.known import known_callee

_ABREAST = 4
"""Sums that become one vector."""
REDUCE = "llvm.vector.reduce.fadd."
_KEPT = ("tbaa", "alias.scope", "noalias")
"""What is said of a load or a store, and holds for four of them if it is said of each."""


def with_lane_sums(text: str) -> str:
    """An optimised program with such sums side by side."""
    if f"@{REDUCE}" not in text:
        return text
    module = parse_module(text)
    summaries = ModuleSummaries(module, known_callee)
    changed = False
    chosen = [each for each in module.functions.values() if each.body_text is not None and _has_many(each.body_text)]
    for function in chosen:  # what is asked of memory reads other functions, which have no text from then on
        made = sum([_as_vectors(block) for block in function.blocks])
        found = [sums for block in function.blocks if len(sums := list(_sums(block, module.datalayout))) >= _ABREAST]
        if found:
            alias = AliasAnalysis(function, module, known_callee, summaries)
            made += sum([_abreast(alias, sums, module.datalayout) for sums in found])
        if made:
            function.body_text = None
            changed = True
    return print_module(module) if changed else text


def _has_many(body: str) -> bool:
    """Whether one of the blocks of a function has enough sums over lanes."""
    count = 0
    for line in body.splitlines():
        if line and not line.startswith(" "):  # a label
            count = 0
        elif f"@{REDUCE}" in line:
            count += 1
            if count == _ABREAST:
                return True
    return False


@dataclass(frozen=True)
class _Sum(Sum):
    """A sum whose amount, ``reduce``, is one over lanes, in memory ``offset`` bytes behind ``base``."""

    reduce: CallBase
    base: Value
    offset: Polynomial

    @property
    def vector(self) -> Value:
        return self.reduce.args[1]

    @property
    def parts(self) -> tuple[Instruction, ...]:
        return self.reduce, self.load, self.add, self.store


def _sums(block: Block, layout: DataLayout) -> Iterator[_Sum]:
    """The sums of a block, by their stores."""
    forms = IntegerForms(layout)
    for each in find_sums(block):
        reduce, load, store = each.amount, each.load, each.store
        if each.add.opcode != "fadd" or not is_lane_sum(reduce) or reduce.block is not block or len(reduce.users) != 1:
            continue
        if not (store.ordering or load.ordering or "volatile" in (*store.flags, *load.flags)):
            yield _Sum(load, each.add, store, reduce, *forms.from_base(store.pointer))


def is_lane_sum(value: Value) -> TypeGuard[CallBase]:
    """Whether a value is a sum over lanes in any order, and of nothing else."""
    if not isinstance(value, CallBase) or not (value.callee_name or "").startswith(REDUCE):
        return False
    start, vector = value.args[0], value.args[1].type
    assert isinstance(vector, VectorType)
    lanes = not vector.scalable and vector.count >= _ABREAST and vector.count & (vector.count - 1) == 0
    if not lanes or "reassoc" not in value.flags or not isinstance(start, ConstantFloat) or start.value != 0:
        return False
    return "nsz" in value.flags or math.copysign(1, start.value) < 0


def _as_vectors(block: Block) -> int:
    """Make what is put together of sums element by element, four or eight of them, at once; how often that was done."""
    count = 0
    for inst in list(block.instructions):
        sums = _elements(inst) if isinstance(inst, InsertElement) else []
        if not sums or any(each.args[1].type != sums[0].args[1].type for each in sums):
            continue
        build = Builder(block, before=inst)
        parts = [_four(build, sums[at : at + _ABREAST]) for at in range(0, len(sums), _ABREAST)]
        inst.replace_all_uses_with(parts[0] if len(parts) == 1 else build.shuffle(parts[0], range(len(sums)), parts[1]))
        link: Value = inst
        while isinstance(link, InsertElement):
            before = link.operands[0]
            link.erase()
            link = before
        for each in sums:
            each.erase()
        count += 1
    return count


def _elements(last: InsertElement) -> list[CallBase]:
    """The sums over lanes that are the elements of a vector, each for itself; none where others are among them."""
    type, link = last.type, last
    assert isinstance(type, VectorType)
    found: dict[int, CallBase] = {}
    while True:
        element, at = link.operands[1:]
        if not is_lane_sum(element) or len(element.users) != 1 or not isinstance(at, ConstantInt) or at.value in found:
            return []
        found[at.value] = element
        before = link.operands[0]
        if not isinstance(before, InsertElement):
            break
        if len(before.users) != 1 or before.block is not last.block:
            return []
        link = before
    whole = len(found) == type.count and type.count in (_ABREAST, 2 * _ABREAST)
    return [found[lane] for lane in range(type.count)] if whole else []


def _abreast(alias: AliasAnalysis, sums: list[_Sum], layout: DataLayout) -> int:
    """Make the sums of a block four at a time, as far as they lie side by side; how often that was done."""
    count, at = 0, 0
    while at + _ABREAST <= len(sums):
        group = sorted(sums[at : at + _ABREAST], key=lambda each: each.offset.minus(sums[at].offset).offset)
        if _are_neighbours(group, layout) and _may_move(alias, sums[at : at + _ABREAST], group[0], layout):
            _emit(group, sums[at + _ABREAST - 1].store)
            count, at = count + 1, at + _ABREAST
        else:
            at += 1
    return count


def _are_neighbours(group: list[_Sum], layout: DataLayout) -> bool:
    """Whether the sums are of one type and go to numbers that lie one behind the other."""
    first = group[0]
    size = layout.size_of(first.add.type)
    return all(
        each.base is first.base
        and each.vector.type == first.vector.type
        and each.offset.minus(first.offset).constant == number * size
        for number, each in enumerate(group)
    )


def _may_move(alias: AliasAnalysis, sums: list[_Sum], lowest: _Sum, layout: DataLayout) -> bool:
    """Whether nothing between the first load and the last store touches the numbers."""
    block = lowest.store.block
    assert block is not None
    own = {each for sum in sums for each in sum.parts}
    first = min(block.position(each.load) for each in sums)
    last = block.position(sums[-1].store)
    size = layout.size_of(lowest.add.type)
    for inst in block.instructions[first:last]:
        if inst in own:
            continue
        for each in sums:
            place = MemoryLocation(each.store.pointer, size, instruction=each.store, type=each.add.type)
            found = alias.mod_ref(inst, place)
            if found.may_write or found.may_read:
                return False
    return True


def _emit(group: list[_Sum], last: Store) -> None:
    """The vector of the sums, in the order of the numbers, and its addition, in place of the ``last`` store."""
    assert last.block is not None
    build, lowest = Builder(last.block, before=last), group[0]
    total = _four(build, [each.reduce for each in group])
    before = build.load(total.type, lowest.store.pointer, lowest.load.align)
    flags = _shared_flags([each.add for each in group])
    stored = build.store(build.fadd(before, total, flags), lowest.store.pointer, lowest.store.align)
    for made, ones in ((before, [each.load for each in group]), (stored, [each.store for each in group])):
        assert isinstance(made, Instruction)
        for key in _KEPT:
            said = {one.metadata.get(key) for one in ones}
            if len(said) == 1 and None not in said:
                made.metadata[key] = ones[0].metadata[key]
        if "dbg" in ones[0].metadata:
            made.metadata["dbg"] = ones[0].metadata["dbg"]
    for each in group:
        for inst in reversed(each.parts):
            inst.erase()


def _four(build: Builder, sums: list[CallBase]) -> Value:
    """Four sums over lanes as a vector."""
    flags = _shared_flags(sums)
    parts = [_folded(build, each.args[1], flags) for each in sums]
    a, b = (
        build.fadd(build.shuffle(left, (0, 4, 2, 6), right), build.shuffle(left, (1, 5, 3, 7), right), flags)
        for left, right in zip(parts[::2], parts[1::2], strict=True)
    )
    return build.fadd(build.shuffle(a, (0, 1, 4, 5), b), build.shuffle(a, (2, 3, 6, 7), b), flags)


def _shared_flags(operations: Sequence[Instruction]) -> tuple[str, ...]:
    return tuple(word for word in operations[0].flags if all(word in each.flags for each in operations))


def _folded(build: Builder, vector: Value, flags: tuple[str, ...]) -> Value:
    """The halves of a vector added to each other until it has four lanes."""
    while isinstance(vector.type, VectorType) and vector.type.count > _ABREAST:
        half = vector.type.count // 2
        low, high = build.shuffle(vector, range(half)), build.shuffle(vector, range(half, 2 * half))
        vector = build.fadd(low, high, flags)
    return vector
