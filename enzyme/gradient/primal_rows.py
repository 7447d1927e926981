"""Rows of a nest that only adds, taken at once in the loop itself as they are for its tangents (jam.py).

The numbers themselves are not to change by a bit, so what is added to one of them must come in the order of the
program: each row is a part of memory of its own, just as long as what is added to it, and what other numbers the rows
read is written nowhere in the nest. Nor may the nest declare scopes of aliases, which hold for one row at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.polynomials import Polynomial, counter
from enzyme.analysis.tbaa import declares_scope
from enzyme.gradient.jam import Rows, emit_rows
from enzyme.gradient.subject import Subject
from enzyme.ir.values import Block, DebugRecord, Instruction, Load, Store

if TYPE_CHECKING:
    from enzyme.gradient.forward_lanes import ForwardLanes


def emit_primal_rows(forward: ForwardLanes, rows: Rows) -> None:
    """Take the rows of a nest at once in the copy of the primal, where they are known to be apart."""
    if not _are_apart(forward.subject, rows):
        return
    copy = forward.copy
    blocks = {block: copy.blocks[block] for block in rows.loop.order}
    for block in blocks.values():
        for inst in list(block.instructions):
            if isinstance(inst, DebugRecord):
                inst.erase()
    shared = [inst for block in blocks.values() for inst in block.instructions]
    emit_rows(rows, blocks, copy.blocks[cast(Block, rows.loop.preheader)], shared)


def _are_apart(subject: Subject, rows: Rows) -> bool:
    """Whether what is added to each row lies in front of the next row, and nothing else that is read is written."""
    block, alias = rows.inner.header, subject.alias
    instructions = [inst for each in rows.loop.order for inst in each.instructions]
    stores = [inst for inst in instructions if isinstance(inst, Store)]
    if len(stores) != 1 or stores[0].block is not block or any(map(declares_scope, instructions)):
        return False
    (store,) = stores
    for inst in instructions:
        if isinstance(inst, Load) and not (inst.block is block and inst.pointer is store.pointer):
            if alias.mod_ref(store, alias.location(inst), same_iteration=False).may_write:
                return False
    forms = FunctionForms(subject.dominators, subject.loops, subject.module.datalayout, rows.loop)
    size = subject.module.datalayout.size_of(store.value.type)
    base, form = forms.from_base(store.pointer)
    row, column, rounds = counter(rows.loop), counter(rows.inner), forms.rounds(rows.inner)
    if rounds is None or form.stride(column) != size or (isinstance(base, Instruction) and rows.loop.contains(base)):
        return False
    return form.degree(row) == 1 and form.factor(row) == Polynomial(()).plus(rounds, size)
