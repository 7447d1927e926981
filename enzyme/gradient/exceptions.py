"""Exceptions in derivatives: invokes and landing pads are copied like any other control flow.

What is thrown in inactive code may be caught in the differentiated function: the reverse sweep goes back over the
unwind edge as over any other. An exception that leaves an *active* call has cut short a forward sweep that is then
missing from the tape: where it would be caught inside the function, the program is stopped with a message. One that
leaves the function is the caller's, in derivative code as in the primal.
"""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

from enzyme.gradient.primal import first_builder
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I1, PTR
from enzyme.ir.values import (
    Block,
    Branch,
    Call,
    CallBase,
    ConstantInt,
    ConstantToken,
    Function,
    Instruction,
    Invoke,
    OtherInstruction,
    Phi,
    Value,
)
from enzyme.rules.known import known_callee
from enzyme.support.demangle import demangle

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine
    from enzyme.gradient.primal import PrimalCopy


def plain_call(inst: CallBase) -> Call:
    """An unattached call like ``inst``, which may be an invoke."""
    if isinstance(inst, Call):
        made = inst.clone()
        assert isinstance(made, Call)
        return made
    return Call(
        inst.callee,
        inst.args,
        inst.callee_type,
        cc=inst.cc,
        result_attrs=inst.result_attrs,
        arg_attrs=inst.arg_attrs,
        attrs=inst.attrs,
        bundles=inst.bundles,
        bundle_operands=inst.bundle_operands,
        name=inst.name,
        metadata=dict(inst.metadata),
    )


def forget_edge(target: Block, source: Block) -> None:
    """Take the values that came along one removed edge out of a block's phis."""
    for phi in target.phis:
        pairs = [(v, b) for v, b in phi.incoming if b is not source]
        phi.drop_operands()
        for value, block in pairs:
            phi.add_incoming(value, block)
        if not pairs:
            phi.replace_all_uses_with(ConstantToken(phi.type, "poison"))
            phi.erase()


def calls_of_invokes(module: Module, function: Function) -> None:
    """Invokes of functions that are known not to throw become calls: mathematical functions have to be instructions
    that can be computed anywhere, and allocators stand in straight-line code."""
    for block in function.blocks:
        inst = block.terminator
        if isinstance(inst, Invoke) and _cannot_throw(module, inst):
            made = plain_call(inst)
            Builder(block, before=inst).insert(made)
            inst.replace_all_uses_with(made)
            end_invoke(inst)


def end_invoke(inst: Invoke) -> None:
    """Take out an invoke that nothing uses: its block goes on where it returns to."""
    (normal, unwind), block = inst.operands[-2:], inst.block
    assert isinstance(unwind, Block) and block is not None
    forget_edge(unwind, block)
    inst.erase()
    block.append(Branch(normal))


def _cannot_throw(module: Module, inst: Invoke) -> bool:
    if "nounwind" in module.fn_attributes(inst):
        return True
    callee = inst.callee
    if not isinstance(callee, Function) or not callee.is_declaration or callee.name is None:
        return False
    known = known_callee(callee.name, inst.callee_type)
    return known is not None and (known.math is not None or known.free is not None)


def replace_call(old: CallBase, callee: Function, operands: list[Value]) -> tuple[CallBase, Builder]:
    """Put a call of another function in the place of ``old``, an invoke where it was one. ``old`` stays, unattached,
    until its uses are gone; code that uses the new result goes to the builder."""
    block = old.block
    assert block is not None
    if isinstance(old, Invoke):
        normal, unwind = old.operands[-2:]
        made = Invoke(callee, operands, callee.function_type, normal, unwind)  # type: ignore[arg-type]
        block.instructions[block.instructions.index(old)] = made
        made.block, old.block = block, None
        old.set_operand(len(old.operands) - 2, ConstantInt(I1, 0))  # no edge any more
        old.set_operand(len(old.operands) - 1, ConstantInt(I1, 0))
        return made, first_builder(normal)  # type: ignore[arg-type]
    build = Builder(block, before=old)
    called = build.call(callee, operands)
    assert isinstance(called, CallBase)
    block.instructions.remove(old)
    old.block = None
    following = block.instructions[block.instructions.index(called) + 1 :]
    return called, Builder(block, before=following[0] if following else None)


def erase_call(call: CallBase) -> None:
    """Take a call whose value is not used out of the program; where it is an invoke, it goes on as usual."""
    block = call.block
    assert block is not None
    if isinstance(call, Invoke):
        normal, unwind = call.operands[-2:]
        forget_edge(unwind, block)  # type: ignore[arg-type]
        block.append(Branch(normal))
    call.erase()


def own_normal_edge(inst: CallBase) -> None:
    """Give an invoke a normal successor of its own, where code that uses its result can stand."""
    if not isinstance(inst, Invoke):
        return
    source, normal = inst.block, inst.operands[-2]
    assert source is not None and source.function is not None and isinstance(normal, Block)
    if len(normal.predecessors) == 1:
        return
    between = source.function.append_block("after")
    between.append(Branch(normal))
    inst.set_operand(len(inst.operands) - 2, between)
    for phi in normal.phis:
        pairs = [(v, between if b is source else b) for v, b in phi.incoming]
        phi.drop_operands()
        for value, block in pairs:
            phi.add_incoming(value, block)


def landing_pad(block: Block) -> Instruction | None:
    """The landing pad a block begins with."""
    for inst in block.instructions:
        if not isinstance(inst, Phi):
            return inst if isinstance(inst, OtherInstruction) and inst.opcode == "landingpad" else None
    return None


def _cut_short(copy: PrimalCopy, call: Instruction) -> str:
    place = copy.subject.module.place_of(call, copy.subject.function)
    name = demangle(copy.subject.function.name or "")
    return (
        f"enzyme: caught what an active call threw: not differentiated, call at {place or 'an unknown line'} in "
        f"function '{name}' (let it say by its result that it failed, or catch outside of what is differentiated)"
    )


def guard_landing_pads(engine: Engine, copy: PrimalCopy, active: Container[Instruction | None]) -> None:
    """Stop the program where an exception from one of the calls ``active`` would be caught in a reverse derivative."""
    live = set(copy.subject.live_blocks)
    for block in copy.subject.cfg.blocks:
        pad = landing_pad(block)
        if pad is None or block not in live:
            continue
        into = copy.blocks[block]
        calls = [b.terminator for b in copy.subject.cfg.predecessors(block)]
        if not any(call in active for call in calls):
            continue
        texts: list[tuple[Value, Block]] = []
        for call in calls:
            assert call is not None and call.block is not None
            text = engine.message(_cut_short(copy, call)) if call in active else ConstantToken(PTR, "null")
            texts.append((text, copy.blocks[call.block]))
        phi = Phi(PTR, texts, name="cut.short")
        into.insert(0, phi)
        first_builder(into).call(engine.runtime("caught"), [phi])


def personality(function: Function) -> str:
    """The part of a function's header that names the unwinder's personality routine."""
    words = function.suffix.split()
    if "personality" not in words:
        return ""
    return " ".join(words[words.index("personality") : words.index("personality") + 3])
