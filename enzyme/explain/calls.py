"""How a call is treated by a derivative, in words."""

from __future__ import annotations

from enzyme.gradient.at_once import is_last
from enzyme.gradient.calls import defined_callee, facts
from enzyme.gradient.primal import PrimalCopy, is_dropped
from enzyme.ir.values import CallBase, Function
from enzyme.rules.scalar import lookup_instruction, lookup_memory_hook, lookup_reduction
from enzyme.support.demangle import demangle


def describe_call(copy: PrimalCopy, call: CallBase) -> tuple[str, str] | None:
    """(kind of note, text); None for calls that mean nothing."""
    if is_dropped(call):
        return None
    active = copy.activity.active_instruction(call)
    callee = defined_callee(call)
    name = demangle(call.callee_name or "")
    forward = copy.request.mode == "forward"
    if callee is not None:
        if call in copy.callees:
            how = "replaced by its forward derivative"
            if call in copy.at_once:
                how = "reversed in the forward sweep, where its adjoint is known already"
                if is_last(copy.subject, call):
                    how = "reversed where it is called, as nothing is left to be done behind it"
            elif not forward:
                how = "replaced by its augmented primal and its reverse"
            return "call", f"{name}: {how} ({demangle(copy.callees[call])})"
        return "call", f"{name}: called as it is, nothing active goes in or comes out"
    rule = lookup_instruction(call)
    if rule is not None:
        if not copy.activity.active_value(call):
            return "call", f"{rule.name}: inactive here"
        return "call", f"{rule.name}: derivative rule ({rule.source})"
    if call.callee_name is None or not isinstance(call.callee, Function):
        if active:
            return "unknown", "a call through a pointer: which function it calls is known when the program runs"
        return "call", "a call through a pointer: nothing active goes in or comes out"
    hook = lookup_memory_hook(call.callee_name, call.callee_type)
    if hook is not None:
        return "call", f"{hook.name}: derivative rule ({hook.source})" if active else f"{hook.name}: inactive here"
    reduction = lookup_reduction(call.callee_name)
    if reduction is not None:
        return "call", f"{name}: derivative rule ({reduction.source})" if active else f"{name}: inactive here"
    return _known(copy, call, name, active)


def _known(copy: PrimalCopy, call: CallBase, name: str, active: bool) -> tuple[str, str]:
    known = facts(call)
    forward = copy.request.mode == "forward"
    if known is None:
        if active:
            return "unknown", f"{name}: nothing is known of it, and active data goes in or comes out"
        return "call", f"{name}: nothing is known of it; nothing active goes in or comes out"
    if known.allocation is not None:
        shadow = copy.activity.needs_shadow(call)
        return "call", f"{name}: allocates; {'a zeroed shadow of the same size beside it' if shadow else 'no shadow'}"
    if known.free is not None:
        if forward:
            return "call", f"{name}: frees, and frees the shadow" if active else f"{name}: frees"
        return "call", f"{name}: frees" + (", put off until the reverse sweep is over" if copy.puts_off(call) else "")
    if known.transfer is not None:
        if not active:
            return "call", f"{name}: moves constant data"
        if known.transfer.source is None:
            return "call", f"{name}: fills memory; its shadow is cleared"
        back = "the shadow is copied too" if forward else "in reverse the destination's shadow goes to the source's"
        return "call", f"{name}: copies memory; {back}"
    if known.noreturn:
        return "call", f"{name}: does not return"
    return "call", f"{name}: known to be inactive"
