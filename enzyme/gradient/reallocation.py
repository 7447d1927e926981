"""``realloc`` of memory that has a shadow.

Reverse: the new block is fresh memory with a copy of what the old one held, and the old one is freed when the reverse
sweep is over. The shadow block moves likewise; its tail is zero. To undo the move, the bytes that were copied go back
from the new shadow to the old one as they are: nobody has added to the old shadow since, and what it held was copied,
so no types are needed. How many bytes a block holds is asked of the allocator; shadows made by the engine are zeroed to
their very end where a program reallocates (:func:`reallocates`), since an allocator may give more than was asked for.

Forward: the shadow is reallocated too, and what is new of it is zero.

Where activity is a matter of run time, a block that is its own shadow has moved with the primal, and nothing of it is
undone or freed a second time; a block that is new gets a shadow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from enzyme.gradient.deferred import DeferredFrees
from enzyme.gradient.primal import PrimalCopy, builder_after
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I64, PTR, FunctionType
from enzyme.ir.values import CallBase, ConstantToken, Function, Instruction, Value, zero
from enzyme.rules.known import KnownCallee, known_callee

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine
    from enzyme.gradient.reverse import ReverseSweep, Site
    from enzyme.gradient.shadows import Shadows


def is_active_reallocation(copy: PrimalCopy, inst: CallBase, known: KnownCallee | None) -> bool:
    """Whether a call moves a block that has a shadow."""
    return (
        known is not None
        and known.allocation is not None
        and known.allocation.reallocates is not None
        and copy.activity.needs_shadow(inst)
    )


def _old(known: KnownCallee, inst: CallBase) -> Value:
    assert known.allocation is not None and known.allocation.reallocates is not None
    return inst.args[known.allocation.reallocates]


def _check(copy: PrimalCopy, inst: CallBase, known: KnownCallee) -> None:
    assert known.allocation is not None
    if known.allocation.deallocator != "free":
        raise copy.subject.refuse(
            inst,
            f"cannot differentiate '{inst.callee_name}' of active memory",
            f"its blocks are freed by '{known.allocation.deallocator}'; only the C library's own are moved",
            "allocate a new block, copy, and free the old one",
        )


def _shadow_of_old(copy: PrimalCopy, shadows: Shadows, old: Value) -> Value:
    return shadows.of(old) if copy.activity.needs_shadow(old) else ConstantToken(PTR, "null")


def augment_reallocation(
    engine: Engine, copy: PrimalCopy, shadows: Shadows, deferred: DeferredFrees, inst: CallBase, known: KnownCallee
) -> None:
    """Replace the call in the forward sweep of a reverse derivative."""
    _check(copy, inst, known)
    old = _old(known, inst)
    call = copy.of(inst)
    assert isinstance(call, Instruction) and call.block is not None
    build = Builder(call.block, before=call)
    size = engine.allocation_size(build, known, [copy.of(a) for a in inst.args])
    assert size is not None
    made = build.call(engine.runtime("move"), [copy.of(old), size], name=inst.name)
    call.replace_all_uses_with(made)
    copy.values[inst] = made
    copy.origin[made] = inst
    at_run_time = shadows.at_run_time and copy.activity.needs_shadow(old)
    for _ in copy.lanes:
        shadow_old = _shadow_of_old(copy, shadows, old)
        if at_run_time:
            there = build.icmp("ne", copy.of(old), ConstantToken(PTR, "null"))
            inactive = build.and_(there, shadows.inactive(inst, old))
            shadow = build.call(engine.runtime("move.at_run_time"), [shadow_old, size, inactive, made])
        else:
            shadow = build.call(engine.runtime("move.shadow"), [shadow_old, size])
        shadow.name = f"{inst.name}.shadow" if inst.name else None
        shadows.made[inst] = shadow
    deferred.put_off(build, old, inst if at_run_time else None)
    call.erase()


def undo_reallocation(sweep: ReverseSweep, inst: CallBase, known: KnownCallee, site: Site) -> None:
    """The adjoint of the move."""
    old = _old(known, inst)
    if not sweep.activity.needs_shadow(old):
        return
    build = site.build
    size = sweep.engine.allocation_size(build, known, [sweep.primal(site, a) for a in inst.args])
    assert size is not None
    for _ in sweep.lanes:
        back = size
        if sweep.request.at_run_time:
            back = build.select(sweep.lookup(site, sweep.shadows.inactive(inst, old)), zero(I64), size)
        build.call(sweep.engine.runtime("move.back"), [sweep.shadow(site, old), sweep.shadow(site, inst), back])


def forward_reallocation(
    engine: Engine, copy: PrimalCopy, shadows: Shadows, inst: CallBase, known: KnownCallee
) -> None:
    """Reallocate the shadow beside the primal in forward mode."""
    _check(copy, inst, known)
    call = copy.of(inst)
    assert isinstance(call, Instruction)
    build, before = builder_after(call), Builder(call.block, before=call)  # type: ignore[arg-type]
    size = engine.allocation_size(build, known, [copy.of(a) for a in inst.args])
    assert size is not None
    old = copy.of(_old(known, inst))
    for _ in copy.lanes:
        shadow_old = _shadow_of_old(copy, shadows, _old(known, inst))
        if copy.request.at_run_time:
            there = before.icmp("ne", old, ConstantToken(PTR, "null"))
            inactive = before.and_(there, before.icmp("eq", shadow_old, old))
            made = build.call(engine.runtime("realloc.at_run_time"), [shadow_old, size, inactive, call])
        else:
            made = build.call(engine.runtime("realloc.tangent"), [shadow_old, size])
        made.name = f"{inst.name}.shadow" if inst.name else None
        shadows.made[inst] = made


def bound_size(engine: Engine, copy: PrimalCopy, shadows: Shadows, inst: CallBase, callee: Function) -> None:
    """A derivative's question for the size of a block, met by a derivative of it: the least of the block's and its
    shadows'. Allocators round sizes up, and not always alike: what fits into a block need not fit into its shadow."""
    call = copy.of(inst)
    assert isinstance(call, Instruction)
    users = list(dict.fromkeys(call.users))
    build = builder_after(call)
    least: Value = call
    umin = engine.module.declare_function("llvm.umin.i64", FunctionType(I64, (I64, I64)))
    for _ in copy.lanes:
        made = build.call(umin, [least, build.call(callee, [shadows.of(inst.args[0])])])
        copy.origin[made] = inst
        least = made
    for user in users:
        for index, operand in enumerate(user.operands):
            if operand is call:
                user.set_operand(index, least)
    copy.values[inst] = least


def reallocates(module: Module) -> bool:
    """Whether a program may reallocate memory: then shadows are zeroed to the end of what the allocator gave."""
    for function in module.functions.values():
        if function.is_declaration and function.name and not function.name.startswith("llvm."):
            known = known_callee(function.name, function.function_type)
            if known is not None and known.allocation is not None and known.allocation.reallocates is not None:
                return True
    return False
