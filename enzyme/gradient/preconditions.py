"""What must hold of a function and a request before a derivative is made."""

from __future__ import annotations

from collections.abc import Iterator

from enzyme.analysis.activity import ActivityResult
from enzyme.analysis.activity_result import Problem
from enzyme.gradient.request import Request
from enzyme.gradient.subject import Subject
from enzyme.ir.values import CallBase, Return
from enzyme.rules.unsupported import lookup_unsupported
from enzyme.support.config import Config
from enzyme.support.diagnostics import ActivityError, TypeUnknownError, UsageError

_MIXED = ("mixed-pointer", "mixed-structure", "constant-structure")


def checked_activity(config: Config, subject: Subject, request: Request) -> ActivityResult:
    if subject.loops.irreducible_edges:
        raise subject.refuse(
            subject.loops.irreducible_edges[0][0].terminator,
            f"cannot differentiate '{request.function}': its control flow is irreducible",
            "a loop is entered at two places (goto into a loop)",
            "restructure the jump, so that the loop has one entry",
        )
    for loop in subject.loops.loops:
        if not loop.is_simple and any(b in subject.live_blocks for b in loop.blocks):
            raise subject.refuse(
                loop.header.terminator,
                f"cannot differentiate '{request.function}': a loop has no simple form",
                "a computed jump (indirect goto) enters or leaves it",
                "use ordinary loops and branches",
            )
    for inst in subject.function.instructions():
        if isinstance(inst, CallBase) and "returns_twice" in subject.module.fn_attributes(inst):
            raise subject.refuse(
                inst,
                f"cannot differentiate '{request.function}': it calls '{inst.callee_name}'",
                "control may come back to this call a second time, by a way the reverse sweep cannot go",
                "return error codes instead of jumping",
            )
    with config.trace.step("types"):
        assert subject.types is not None
    with config.trace.step("activity"):
        activity = subject.activity(request)
    for problem in _problems(activity, request):
        if problem.kind not in _MIXED or not request.mixed:
            why, hint = _reasons(problem)
            error = TypeUnknownError if problem.kind == "stray-pointer" else ActivityError
            raise subject.refuse(problem.instruction, problem.what, why, hint, error)
    return activity


def _reasons(problem: Problem) -> tuple[str, str]:
    """Why, and what to do; of functions that are known to have no derivative more can be said."""
    call = problem.instruction
    if problem.kind == "unknown-callee" and isinstance(call, CallBase) and call.callee_name is not None:
        row = lookup_unsupported(call.callee_name)
        if row is not None:
            return row.why, row.hint
    return problem.why, problem.hint


def mixed_places(activity: ActivityResult, request: Request) -> list[Problem]:
    """Where pointers lead to memory with a shadow or to memory without one, so that the program has to look."""
    return [problem for problem in _problems(activity, request) if problem.kind in _MIXED]


def _problems(activity: ActivityResult, request: Request) -> Iterator[Problem]:
    for problem in activity.problems:
        if request.nested and problem.kind == "inactive-global":
            continue  # the outermost function has found that nothing active goes through this global
        if request.nested and problem.kind == "constant-structure":
            continue  # likewise: it has looked at what every argument leads to
        if request.nested and not request.strict and problem.kind == "constant-memory":
            continue  # the caller's analysis, which saw this store, has found that nothing depends on it
        yield problem


def refuse_hidden_numbers(subject: Subject, request: Request, inferred: tuple[int, ...], quiet: bool = False) -> None:
    """Refuse a request that would drop numbers an ABI packs into integers: parameters of integer type that were
    taken for constants (``inferred``), and a result that gets no seed without being said to (``quiet``)."""
    for index in inferred:
        argument = subject.function.args[index]
        if subject.types.value_carries_float(argument):
            raise UsageError(
                f"parameter {index + 1} of '{request.function}' is an integer that carries numbers",
                function=request.function,
                why="a small struct passed by value is packed into an integer; its derivative would be dropped",
                hint="write enzyme_const or enzyme_out before the argument, or pass the struct by pointer",
            )
    for block in () if quiet else subject.live_blocks:
        end = block.terminator
        if request.ret == "const" and isinstance(end, Return) and end.operands:
            value = end.operands[0]
            if not value.type.is_pointer and value in subject.activity(request).varied:
                raise UsageError(
                    f"'{request.function}' returns {value.type}, numbers that depend on active inputs",
                    function=request.function,
                    why="a derivative needs one number to start from; it does not know what to do with a struct",
                    hint="return the number to differentiate, or write the results through a pointer (enzyme_dup)",
                )
