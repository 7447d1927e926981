"""Why an instruction or a call has no derivative: the errors that both modes of derivatives raise."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from enzyme.analysis.activity import ActivityResult
from enzyme.analysis.dispatched import is_dispatch, is_rest
from enzyme.gradient.calls import defined_callee, facts
from enzyme.gradient.candidates import one_of
from enzyme.ir.values import CallBase, GlobalVariable, Instruction, Load, Value
from enzyme.rules.known import KnownCallee
from enzyme.rules.known_text import is_text
from enzyme.rules.scalar import lookup_instruction, lookup_memory_hook, lookup_reduction
from enzyme.rules.unsupported import lookup_unsupported
from enzyme.support.diagnostics import ActivityError, EnzymeError

if TYPE_CHECKING:
    from enzyme.gradient.subject import Subject

WAY_OUT = (
    "rewrite the computation with floating-point operations, "
    "or pass what it feeds as enzyme_const if no derivative should flow through it"
)

_ENDS = 4  # lines of a chain of reasons that are shown at either end


def refuse_value(subject: Subject, activity: ActivityResult, inst: Instruction) -> Exception:
    """The error for an instruction whose result carries a derivative and that has no rule."""
    return subject.refuse(
        inst,
        f"cannot differentiate '{inst.opcode}'",
        f"there is no rule for it, and {_brief(activity.reason_chain(inst))}",
        WAY_OUT,
    )


def _brief(chain: str) -> str:
    """The ends of a long chain of reasons."""
    plain = re.sub(r"(?:, ![\w.]+ !\d+)+", "", chain)
    lines = [line if len(line) <= 150 else f"{line[:147]}..." for line in plain.split("\n")]
    if len(lines) > 2 * _ENDS:
        lines[_ENDS:-_ENDS] = ["    ..."]
    return "\n".join(lines)


def refuse_atomic(subject: Subject, inst: Instruction) -> Exception:
    """The error for an atomic update of active memory."""
    return subject.refuse(
        inst,
        f"cannot differentiate '{inst.opcode}' of active memory",
        "the order of atomic updates is not known to the derivative",
        "use an ordinary load and store",
    )


def refuse_unknown_write(subject: Subject, activity: ActivityResult, inst: CallBase, known: KnownCallee) -> None:
    """Refuse a library call that overwrites active memory with data of its own (fread, sscanf): the shadow of what it
    overwrites would have to be cleared, and how much that is is not known."""
    if not known.inactive or known.free is not None or known.allocation is not None or known.own:
        return
    for index, actual in enumerate(inst.args):
        fixed = index < len(inst.callee_type.params)
        writes = index in known.effect.writes or known.effect.unknown or (not fixed and "w" in known.effect.variadic)
        if writes and actual.type.is_pointer and activity.touches_active_memory(actual):
            if is_text(inst.callee_name or "", index) and not _only_numbers(subject, actual):
                continue  # characters beside numbers, or where numbers are written again before they are read
            raise subject.refuse(
                inst,
                f"cannot differentiate a call to '{inst.callee_name}' that writes to active memory",
                "it overwrites numbers with new data, and how many is not known",
                "let it write to a local buffer, and copy from there",
            )


def _only_numbers(subject: Subject, pointer: Value) -> bool:
    """Whether numbers are known to be where a pointer leads, and nothing else."""
    if not subject.types.memory_carries_float(pointer):
        return False
    return not subject.types.memory_kinds(pointer, 1)[0].kind.is_conflict


def refuse_call(subject: Subject, inst: CallBase) -> EnzymeError:
    """The error for a call that takes or returns active data and cannot be differentiated."""
    name = inst.callee_name
    if name is None:
        what, why = "a function pointer", "it is not known which function is called"
    else:
        what, why = (
            f"'{name}'",
            "it takes or returns active data, and neither a definition nor a derivative rule is at hand",
        )
    hint = "define the function in the same program, or pass what it works on as enzyme_const"
    row = lookup_unsupported(name) if name is not None else None
    if row is not None:
        why, hint = row.why, row.hint
    return subject.refuse(inst, f"cannot differentiate a call to {what}", why, hint)


def refuse_rest(subject: Subject, inst: CallBase) -> EnzymeError:
    """The error for a call through a pointer when none of the functions it may lead to is meant."""
    what = "cannot differentiate a call through a pointer"
    if is_dispatch(subject.function):
        return subject.refuse(inst, what, "a function pointer leads to a function that was not part of the program", "")
    return subject.refuse(
        inst,
        what,
        "it is not known which function is called: the program takes the address of no function of this type",
        "define the functions it may lead to in the same program, or pass what it works on as enzyme_const",
        ActivityError,
    )


def stops_there(subject: Subject, inst: CallBase) -> bool:
    """Whether the program stops at a call that has no derivative, in place of being refused: a case of a dispatch, or a
    call through a pointer that the program holds in memory while it takes the address of no such function. Mostly that
    is null there, a callback that nobody has set, and not called."""
    return is_dispatch(subject.function) or (is_rest(inst) and _from_memory(inst.callee))


def _from_memory(pointer: Value) -> bool:
    """Whether a pointer is loaded, on all ways that it may come by."""
    found = list(one_of(pointer))
    return all(isinstance(each, Load) and not isinstance(each.pointer, GlobalVariable) for each in found)


def library_refusal(subject: Subject, activity: ActivityResult, inst: CallBase) -> EnzymeError | None:
    """Why the active call of a library function in a dispatch has no derivative; None where it has one."""
    if defined_callee(inst) is not None or not is_dispatch(subject.function) or not activity.active_instruction(inst):
        return None
    name, known = inst.callee_name or "", facts(inst)
    if lookup_instruction(inst) is not None or lookup_reduction(name) is not None:
        return None
    if lookup_memory_hook(name, inst.callee_type) is not None:
        return None
    if known is None:
        return refuse_call(subject, inst)
    try:
        refuse_unknown_write(subject, activity, inst, known)
    except EnzymeError as error:
        return error
    return None


def refuse_long_copy(subject: Subject, inst: CallBase) -> EnzymeError:
    """The error for a block copy whose activity cannot be looked at piece by piece when the program runs."""
    return subject.refuse(
        inst,
        "cannot look at the activity of this block copy at run time",
        "it moves numbers and pointers, and how many is not known",
        "copy the elements in a loop, or leave enzyme_runtime_activity out",
    )


def raise_if_hopeless(subject: Subject, errors: dict[CallBase, EnzymeError]) -> None:
    """Refuse a dispatch that has a derivative in no case."""
    calls = [inst for inst in subject.function.instructions() if isinstance(inst, CallBase)]
    if errors and len(errors) == len(calls) and is_dispatch(subject.function):
        raise next((error for inst, error in errors.items() if not is_rest(inst)), errors[calls[-1]])


def stop_message(inst: CallBase, error: EnzymeError) -> str:
    """What a program says that reaches a case of a dispatch which has no derivative."""
    place = f" ({error.location})" if error.location is not None else ""
    if error.reached_from is not None:
        place += f", reached from {error.reached_from}"
    if is_rest(inst):
        return f"enzyme: {error.why}{place}"
    way_out = f"; {error.hint}" if error.hint else ""
    missing = f"no derivative of '{inst.callee_name}', reached through a pointer"
    return f"enzyme: {missing}: {error.what}; {error.why}{place}{way_out}"
