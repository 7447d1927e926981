"""Who answers for each LLVM instruction and intrinsic: the map that the completeness test holds complete."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from enzyme.rules.hooks import memory_hooks
from enzyme.rules.known import intrinsic_row
from enzyme.rules.names import intrinsic_base, spelling_candidates
from enzyme.rules.scalar import FUNCTIONS, INSTRUCTIONS, lookup_reduction
from enzyme.rules.unsupported import lookup_unsupported


class Handling(Enum):
    """RULE: a row of the scalar tables. HOOK: several results, or lanes. KNOWN: inactive, or a memory operation with
    known arguments. DRIVER: the gradient drivers' own business (control flow, memory, aggregates). UNSUPPORTED: a named
    refusal."""

    RULE = "rule"
    HOOK = "hook"
    KNOWN = "known"
    DRIVER = "driver"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True)
class Coverage:
    handling: Handling
    why: str = ""
    hint: str = ""


OPCODES: dict[str, Coverage] = {opcode: Coverage(Handling.RULE) for opcode in INSTRUCTIONS}


def _cover(opcodes: str, handling: Handling, why: str, hint: str = "") -> None:
    for opcode in opcodes.split():
        assert opcode not in OPCODES, opcode
        OPCODES[opcode] = Coverage(handling, why, hint)


_cover(
    "add sub mul udiv sdiv urem srem shl lshr ashr and or xor icmp fcmp fptoui fptosi trunc zext sext",
    Handling.KNOWN, "integer results carry no derivative; the type analysis objects where the bits are a float's",
)  # fmt: skip
_cover("ptrtoint ptrtoaddr", Handling.KNOWN, "an address is no number to differentiate")
_cover("ret br switch unreachable phi select call", Handling.DRIVER, "control flow is inverted block by block")
_cover("alloca load store getelementptr addrspacecast inttoptr bitcast", Handling.DRIVER, "memory has shadows")
_cover(
    "extractvalue insertvalue extractelement insertelement shufflevector freeze",
    Handling.DRIVER,
    "linear data movement",
)
_cover("atomicrmw fence", Handling.DRIVER, "atomic accumulation")
_cover("invoke landingpad resume", Handling.DRIVER, "copied; exceptions that carry active numbers are refused")
_WINDOWS = "exceptions cannot carry derivatives"
_cover(
    "cleanupret catchret catchswitch cleanuppad catchpad", Handling.UNSUPPORTED, _WINDOWS,
    "compile with -fno-exceptions, or keep the throwing path inactive",
)  # fmt: skip
_cover(
    "indirectbr callbr", Handling.UNSUPPORTED, "the target of a computed jump is data",
    "use switch instead of computed goto, and no assembly goto",
)  # fmt: skip
_cover("cmpxchg", Handling.UNSUPPORTED, "a compare-and-swap loop hides an atomic update", "use an atomic addition")
_cover("va_arg", Handling.UNSUPPORTED, "variable arguments have no shadows", "pass an array")


def intrinsic_coverage(name: str) -> Coverage | None:
    """Who answers for an intrinsic, by its name with or without types; None when nobody does."""
    base = intrinsic_base(name)
    for canonical_name, _, family in spelling_candidates(base):
        if canonical_name in memory_hooks():
            return Coverage(Handling.HOOK)
        if canonical_name in FUNCTIONS or (family in ("constrained", "llvm") and canonical_name in INSTRUCTIONS):
            return Coverage(Handling.RULE)
    if lookup_reduction(base) is not None:
        return Coverage(Handling.HOOK)
    unsupported = lookup_unsupported(base)
    row = intrinsic_row(base)
    if row is not None and (unsupported is None or row.callee.inactive):
        return Coverage(Handling.KNOWN if row.callee.inactive or row.callee.transfer else Handling.DRIVER)
    if unsupported is not None:
        return Coverage(Handling.UNSUPPORTED, unsupported.why, unsupported.hint)
    return None
