"""Names of the calling convention: entry points, markers, and what a call argument stands for."""

from __future__ import annotations

from enzyme.ir.values import ConstantExpr, Function, GlobalVariable, Load, Value

ENTRY_POINTS = {"__enzyme_autodiff": "reverse", "__enzyme_fwddiff": "forward"}
RESERVED = (
    "__enzyme_fwdsplit",
    "__enzyme_augmentfwd",
    "__enzyme_reverse",
    "__enzyme_augmentsize",
    "__enzyme_virtualreverse",
    "__enzyme_batch",
    "__enzyme_truncate",
    "__enzyme_todense",
)
MARKERS = {"enzyme_const": "const", "enzyme_dup": "dup", "enzyme_dupnoneed": "dupnoneed", "enzyme_out": "out"}
OTHER_MARKERS = (
    "enzyme_width",
    "enzyme_dupv",
    "enzyme_dupnoneedv",
    "enzyme_tape",
    "enzyme_allocated",
    "enzyme_nofree",
    "enzyme_primal_return",
    "enzyme_noret",
    "enzyme_runtime_activity",
    "enzyme_strong_zero",
    "enzyme_interleave",
    "enzyme_byref",
)


def function_of(value: Value) -> Function | None:
    while isinstance(value, ConstantExpr) and value.opcode in ("bitcast", "addrspacecast"):
        value = value.args[0]
    return value if isinstance(value, Function) else None


def marker(value: Value) -> str | None:
    """The marker a call argument stands for: a load of ``enzyme_dup`` and the like, or its address."""
    if isinstance(value, Load):
        value = value.pointer
    if isinstance(value, GlobalVariable):
        name = value.name or ""
        for known in sorted((*MARKERS, *OTHER_MARKERS), key=len, reverse=True):
            if name == known or f"L{len(known)}{known}" in name or name.endswith(known):
                return known
    return None
