"""Functions of one number that the program calls side by side, as sine and cosine: each is in the other's derivative.

The partial of ``sin(x)`` is ``cos(x)``. Where the program calls that itself for the same ``x``, the reverse sweep takes
its value, which the plan keeps or computes again, in place of another call of the mathematical library.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from enzyme.gradient.subject import Subject
from enzyme.ir.values import CallBase, Constant, Instruction, Invoke, Value
from enzyme.rules.expr import Expr, Fn, Operand, children
from enzyme.rules.names import callee_math_name

_FAMILIES = frozenset({"libm", "llvm"})


def partners(
    subject: Subject, inst: Instruction, operands: Sequence[Value], partials: Iterable[Expr]
) -> dict[Expr, CallBase]:
    """Calls in the subject that have the values of functions in the partials of ``inst`` by its ``operands``."""
    found: dict[Expr, CallBase] = {}
    work = list(partials)
    while work:
        node = work.pop()
        call = next(_calls(subject, inst, operands, node), None) if isinstance(node, Fn) else None
        if call is not None:
            found[node] = call
        else:
            work += children(node)
    return found


def _calls(subject: Subject, inst: Instruction, operands: Sequence[Value], node: Fn) -> Iterator[CallBase]:
    args = [operands[arg.index] for arg in node.args if isinstance(arg, Operand)]
    if len(args) < len(node.args) or isinstance(args[0], Constant):
        return
    for user in args[0].users:
        if not isinstance(user, CallBase) or isinstance(user, Invoke) or user is inst:
            continue
        if user.type is not inst.type or list(user.args) != args:
            continue
        math = callee_math_name(user)
        if math is not None and math.name == node.name and math.family in _FAMILIES:
            if set(user.fast_math) <= set(inst.fast_math) and _runs_with(subject, user, inst):
                yield user


def _runs_with(subject: Subject, call: CallBase, inst: Instruction) -> bool:
    """Whether a call has run, in the same iteration, whenever the reverse sweep comes to ``inst``."""
    if call.block is None or inst.block is None or call.block is inst.block:
        return call.block is not None
    same_loop = subject.loops.loop_of(call.block) is subject.loops.loop_of(inst.block)
    return same_loop and subject.dominators.dominates(call.block, inst.block)
