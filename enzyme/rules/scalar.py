"""The derivative table: one :class:`ScalarRule` per function and floating-point instruction, and how to find it.

Rows live in :mod:`arithmetic`, :mod:`elementary` and :mod:`special`; functions with several results in :mod:`hooks`.
``lookup_instruction`` answers for instructions and calls alike; what it does not know it answers with None, and the
driver then asks :mod:`enzyme.rules.known`, for a definition, or gives up with a named error.
"""

from __future__ import annotations

from enzyme.ir.types import FunctionType
from enzyme.ir.values import CallBase, Instruction
from enzyme.rules import arithmetic, complex_functions, elementary, special
from enzyme.rules.hooks import MemoryHook, ReductionHook, memory_hooks, reduction_hooks
from enzyme.rules.names import MathName, callee_math_name, canonical, intrinsic_base
from enzyme.rules.rule import ScalarRule

INSTRUCTIONS: dict[str, ScalarRule] = arithmetic.INSTRUCTIONS.rows
FUNCTIONS: dict[str, ScalarRule] = {
    **arithmetic.TABLE.rows,
    **elementary.TABLE.rows,
    **special.TABLE.rows,
    **complex_functions.TABLE.rows,
}
_HOOKS = memory_hooks()
_REDUCTIONS = reduction_hooks()


def rule_for(math: MathName) -> ScalarRule | None:
    """The row of a canonical function; None when it has several results."""
    if math.family == "constrained" and math.name in INSTRUCTIONS:
        return INSTRUCTIONS[math.name]
    return FUNCTIONS.get(math.name) or INSTRUCTIONS.get(math.name)


def lookup_instruction(inst: Instruction) -> ScalarRule | None:
    """The rule of a floating-point instruction, or of a call to a known mathematical function or intrinsic.

    ``partials`` has one entry per operand of the instruction, or per argument of the call. None for everything else,
    for calls to functions that the module defines, and for functions with several results (see the hooks).
    """
    if not isinstance(inst, CallBase):
        return INSTRUCTIONS.get(inst.opcode)
    math = callee_math_name(inst)
    rule = rule_for(math) if math is not None else None
    return rule.padded(len(inst.args)) if rule is not None else None


def lookup_memory_hook(name: str, function_type: FunctionType) -> MemoryHook | None:
    """The hook of a function with several results, by its name as spelled and its type. The caller makes sure that the
    module does not define the function."""
    math = canonical(name, function_type)
    return _HOOKS.get(math.name) if math is not None else None


def has_rule(call: CallBase) -> bool:
    """Whether a derivative flows through ``call`` by a rule or a hook of these tables."""
    rule = lookup_instruction(call)
    if rule is not None:
        return not rule.inactive
    math = callee_math_name(call)
    if math is not None:
        return math.name in _HOOKS
    return call.callee_name is not None and lookup_reduction(call.callee_name) is not None


def lookup_reduction(name: str) -> ReductionHook | None:
    """The hook of a floating-point ``llvm.vector.reduce`` intrinsic."""
    return _REDUCTIONS.get(intrinsic_base(name))
