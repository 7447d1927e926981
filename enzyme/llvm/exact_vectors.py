"""Vector versions of mathematical functions that give the C library's very bits.

glibc for x86-64 with fused multiply-adds computes ``exp``, ``log``, ``expm1`` and ``tanh`` with tables and polynomials
and no branch that vectors could not take as a choice. The functions made here do the same operations in the same order
(:mod:`enzyme.llvm.exact_formulas`) for 2, 4 or 8 numbers at once, so strict code may call them. Where a lane is out of
the common range (infinities, what is not a number, overflow: whatever sets ``errno``), the library itself is called.

Whether the library of this machine computes that way is asked, not assumed: :func:`exact_functions` compares what it
gives at some thousand points. Another library, or a later version with other formulas, keeps its scalar calls.
"""

from __future__ import annotations

import ctypes
import hashlib
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from enzyme.llvm import exact_formulas
from enzyme.llvm.exact_formulas import EXP_TABLE, LOG_TABLE, Lanes, bits, log_numbers, log_table, power_table
from enzyme.llvm.pipelines import always_inlined

WIDTHS = (2, 4, 8)
EXACT = "enzyme.exact"
"""Names of versions begin with this."""
_CALL = re.compile(rf"@{re.escape(EXACT)}\.([a-z0-9]+)\.(\d+)\(")
_TABLES = {"exp": (EXP_TABLE, power_table), "log": (LOG_TABLE, log_table)}


@dataclass
class Function:
    """How one function is made, for which bits (of ``x``, or of its magnitude) without asking the library, and a digest
    of what the library gives at the points of :func:`_points`."""

    made: Callable[[Lanes, str, str], str]
    lowest: int
    beyond: int
    digest: str
    signed: bool = True
    ready: Callable[[], object] = lambda: True


FUNCTIONS = {
    "exp": Function(exact_formulas.exp, 0, bits(512.0), "d531895238938b89"),
    "expm1": Function(exact_formulas.expm1, 0, bits(700.0), "28253c6d74210c3a"),
    "tanh": Function(exact_formulas.tanh, 0, bits(float("inf")) + 1, "36806b8eb92d588e"),
    "log": Function(exact_formulas.log, bits(2.0**-1022), bits(float("inf")), "7395170902cac336", False, log_numbers),
}


def _points(signed: bool) -> list[float]:
    """Small and large arguments, the same ones everywhere; not ``signed``: positive ones, many near 1."""
    found = []
    for number in range(2048):
        share = (number * 2654435761 % 2**32) / 2.0**32 - 0.5
        point = share * 2.0 ** (number % 11 - 2)
        found.append(point if signed else abs(point) if number % 2 else 1 + share / 4)
    return found


@cache
def exact_functions() -> frozenset[str]:
    """The functions that this process's mathematics library computes as those here do."""
    try:
        library = ctypes.CDLL(None)
        if not hasattr(library, "exp"):
            library = ctypes.CDLL("libm.so.6")
    except OSError:
        return frozenset()
    points = {signed: _points(signed) for signed in (True, False)}
    return frozenset(
        name
        for name, function in FUNCTIONS.items()
        if function.ready() is not None and _digest(library, name, points[function.signed]) == function.digest
    )


def _digest(library: ctypes.CDLL, name: str, points: list[float]) -> str:
    scalar = getattr(library, name)
    scalar.restype, scalar.argtypes = ctypes.c_double, (ctypes.c_double,)
    given = struct.pack(f"<{len(points)}d", *map(scalar, points))
    return hashlib.sha256(given).hexdigest()[:16]


def exact_name(name: str, lanes: int) -> str:
    """What the version for some lanes is called."""
    return f"{EXACT}.{name}.{lanes}"


def declaration(name: str, lanes: int) -> str:
    """Of that version: what optimisation sees of it."""
    vector = f"<{lanes} x double>"
    return f"declare {vector} @{exact_name(name, lanes)}({vector}) nounwind willreturn memory(none)"


def may_call_versions(text: str) -> bool:
    """Whether calls of these functions can be in a program, or come into it when loops are made vectors."""
    return f"@{EXACT}." in text


def with_versions(text: str) -> str:
    """An optimised program with these functions in the place of their calls."""
    called = sorted({(name, int(lanes)) for name, lanes in _CALL.findall(text)})
    if not called:
        return text
    text = re.sub(rf"(?m)^declare [^@\n]*@{re.escape(EXACT)}\.[^\n]*\n", "", text)
    parts = [text.rstrip("\n"), ""]
    for name in sorted({name for name, _ in called}):
        if re.search(rf"(?m)^declare [^@\n]*@{name}\(", text) is None:
            parts.append(f"declare double @{name}(double)")
        if name in _TABLES:
            table, made = _TABLES[name]
            entries = made()
            listed = ", ".join(f"i64 {entry}" for entry in entries)
            parts.append(f"{table} = internal unnamed_addr constant [{len(entries)} x i64] [{listed}], align 64")
    for name, lanes in called:
        parts += _definition(name, lanes)
    return always_inlined("\n".join(parts))


def _definition(name: str, lanes: int) -> list[str]:
    """The version itself. Its lanes are frozen: loops in vectors compute some that no iteration has."""
    function, v = FUNCTIONS[name], Lanes(lanes)
    x = v.add_line(f"freeze {v.double} %x")
    words = v.words(x)
    asked = v.magnitude(words) if function.signed else words
    if function.lowest:
        asked = v.on_words("sub", asked, v.integer(function.lowest))
    odd = v.compare("uge", asked, v.integer(function.beyond - function.lowest))
    mask = v.add_line(f"bitcast {v.truth} {odd} to i{lanes}")
    some = v.add_line(f"icmp ne i{lanes} {mask}, 0")
    checked = len(v.lines)
    result = function.made(v, x, words)
    slot, rest = f"[{lanes} x double]", f"@{exact_name(name, lanes)}.rest"
    made = [
        f"define internal {v.double} @{exact_name(name, lanes)}({v.double} %x) alwaysinline nounwind {{",
        "entry:",
        f"  %slot = alloca {slot}, align 8",
        *v.lines[:checked],
        f'  br i1 {some}, label %rest, label %all, !prof !{{!"branch_weights", i32 1, i32 1048576}}',
        "all:",
        *v.lines[checked:],
        "  br label %end",
        "rest:",
        f"  store {v.double} {x}, ptr %slot, align 8",
        f"  call void {rest}(ptr %slot)",
        f"  %asked = load {v.double}, ptr %slot, align 8",
        "  br label %end",
        "end:",
        f"  %result = phi {v.double} [ {result}, %all ], [ %asked, %rest ]",
        f"  ret {v.double} %result",
        "}",
        "",
        f"define internal void {rest}(ptr %slot) noinline cold nounwind {{",
        "entry:",
    ]
    for lane in range(lanes):
        made += [
            f"  %at{lane} = getelementptr double, ptr %slot, i64 {lane}",
            f"  %given{lane} = load double, ptr %at{lane}, align 8",
            f"  %made{lane} = call double @{name}(double %given{lane})",
            f"  store double %made{lane}, ptr %at{lane}, align 8",
        ]
    return [*made, "  ret void", "}", ""]
