"""What one iteration of a loop loads and a later one is handed.

In ``for (i) s += x[i] * x[i + 1]`` an optimiser loads each number once: ``x[i + 1]`` is ``x[i]`` of the next iteration,
and handed on to it. The number is in memory all the same, a step behind what is loaded: the reverse sweep may read it
there again (plan.py), and its adjoint may go to that element (windows.py). Iterations that run again have nothing
handed on to them that way: they load it (iterations.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme.analysis.alias import AliasAnalysis
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import Polynomial, counter
from enzyme.ir.builder import Builder
from enzyme.ir.layout import DataLayout
from enzyme.ir.types import I8, I64
from enzyme.ir.values import (
    INT_DIVISIONS,
    BinaryOp,
    Cast,
    ConstantInt,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Value,
)


@dataclass(frozen=True)
class HandedLoad:
    """A number that an iteration was handed: it lies ``offset`` bytes from what the same iteration loads by ``load``,
    which found it some iterations before. ``first`` found it in front of the first iteration."""

    load: Load
    offset: int
    first: Load


def handed_loads(forms: FunctionForms, loop: Loop) -> dict[Phi, HandedLoad]:
    """Those of a loop that has one latch; what each iteration loads, if it comes to its end, is at addresses that go on
    by the same number of bytes. Whether anything overwrites them is not asked."""
    latch, ahead = loop.latch, loop.preheader
    if latch is None or ahead is None or loop.forest is None:
        return {}
    dominates = loop.forest.domtree.dominates
    places: dict[Value, tuple[Load, Value, Polynomial, int]] = {}
    found: dict[Phi, HandedLoad] = {}
    phis = list(loop.header.phis)
    while phis:
        rest: list[Phi] = []
        for phi in phis:
            value, first = phi.value_from(latch), phi.value_from(ahead)
            block = value.block if isinstance(value, Load) and value not in places else None
            if block is not None and loop.forest.loop_of(block) is loop:
                assert isinstance(value, Load)
                base, form = forms.from_base(value.pointer)
                stride = form.stride(counter(loop))
                ends = [latch, *(inside for inside, _ in loop.exits)]
                if stride and loop.is_invariant(base) and all(dominates(block, end) for end in ends):
                    places[value] = value, base, form.without(counter(loop)), stride
            if value not in places:
                if isinstance(value, Phi):
                    rest.append(phi)
                continue
            load, base, form, stride = places[value]
            form = form.plus(Polynomial.number(-stride))
            if not isinstance(first, Load) or first.type is not load.type or loop.contains(first):
                continue
            if forms.from_base(first.pointer) == (base, form):
                places[phi] = load, base, form, stride
                before = found[value].offset if isinstance(value, Phi) else 0
                found[phi] = HandedLoad(load, before - stride, first)
        if len(rest) == len(phis):
            break
        phis = rest
    return found


def stays(alias: AliasAnalysis, loop: Loop, load: Load) -> bool:
    """Whether a load is in front of a loop, nothing but single steps between, and finds what stays to its end."""
    assert loop.forest is not None
    inside = [inst for block in loop.order for inst in block.instructions]
    block = loop.preheader
    while block is not None and block is not load.block:
        inside += block.instructions
        sources = loop.forest.domtree.cfg.predecessors(block)
        block = sources[0] if len(sources) == 1 else None
        if block is not None and loop.forest.loop_of(block) is not loop.parent:
            return False
    if block is None or load.flags or load.ordering:
        return False
    inside += block.instructions[block.position(load) + 1 :]
    there = alias.location(load)
    return not any(alias.mod_ref(inst, there, same_iteration=False).may_write for inst in inside)


def load_again(alias: AliasAnalysis, forms: FunctionForms, loop: Loop) -> bool:
    """Load what iterations are handed, if nothing overwrites it meanwhile; whether there was anything of that."""
    found = handed_loads(forms, loop)
    for phi, handed in list(found.items()):
        inside = [inst for block in loop.order for inst in block.instructions]
        there = alias.location(handed.load)
        written = any(alias.mod_ref(inst, there, same_iteration=False).may_write for inst in inside)
        plain = not (handed.load.flags or handed.load.ordering) and _may_go_ahead(loop, handed.load.pointer)
        if written or not plain or not stays(alias, loop, handed.first):
            del found[phi]
    for phi, handed in found.items():
        build = Builder(loop.header, before=next(i for i in loop.header.instructions if not isinstance(i, Phi)))
        pointer = _ahead(build, loop, handed.load.pointer)
        place = build.gep(I8, pointer, [ConstantInt(I64, handed.offset)])
        phi.replace_all_uses_with(build.insert(read_behind(handed, place, forms.layout)))
        phi.erase()
    return bool(found)


def read_behind(handed: HandedLoad, place: Value, layout: DataLayout) -> Load:
    """The load of what an iteration is handed, where it lies."""
    load, first = handed.load, handed.first
    made = load.clone([place])
    assert isinstance(made, Load)
    natural = layout.abi_align(load.type)
    made.name, made.align = None, min(each.align or natural for each in (load, first))
    same = load.metadata.get("tbaa") == first.metadata.get("tbaa")
    made.metadata = {k: v for k, v in load.metadata.items() if k == "dbg" or (k == "tbaa" and same)}
    return made


def _may_go_ahead(loop: Loop, value: Value, depth: int = 12) -> bool:
    """Whether an address can be computed where an iteration begins."""
    if loop.is_invariant(value) or (isinstance(value, Phi) and value.block is loop.header):
        return True
    if not depth or not isinstance(value, (BinaryOp, Cast, GetElementPtr)) or value.opcode in INT_DIVISIONS:
        return False
    return all(_may_go_ahead(loop, each, depth - 1) for each in value.operands)


def _ahead(build: Builder, loop: Loop, value: Value) -> Value:
    if loop.is_invariant(value) or isinstance(value, Phi):
        return value
    assert isinstance(value, Instruction)
    copied = value.clone([_ahead(build, loop, each) for each in value.operands])
    copied.name = None
    return build.insert(copied)
