"""Derivatives of the floating-point instructions, and of rounding, sign, minimum, remainder and scaling functions.

Decisions at points where the derivative does not exist:
- fmin, fmax and their kin: the partials are 1 for the operand that was returned and 0 for the other, so their sum is
  always 1; on a tie the first is taken. A NaN operand that the function ignores gets 0.
- fabs at 0: the sign of the zero, +1 or -1 (a subgradient).
- fdim: 1 and -1 where x > y, 0 where x <= y.
- floor, ceil, trunc, round, rint, logb: 0, also at the jumps.
- fmod, remainder: the quotient is held constant. It is recovered from the result, rint((x - R) / y), because x / y
  itself may round up to the next integer.
- copysign: +-1 in the magnitude, 0 in the sign.
"""

from __future__ import annotations

from enzyme.rules.expr import ONE, Cost, Expr, I, R, X, cmp, fn, select
from enzyme.rules.rule import RuleTable

INSTRUCTIONS = RuleTable()
TABLE = RuleTable()
x, y, z = X(0), X(1), X(2)

# instructions (and their constrained intrinsics)
INSTRUCTIONS.row("fneg", "f", -ONE, cost=Cost.CHEAP, source="(-x)' = -1")
INSTRUCTIONS.row("fadd", "ff", ONE, ONE, cost=Cost.CHEAP, source="d(x + y) = dx + dy")
INSTRUCTIONS.row("fsub", "ff", ONE, -ONE, cost=Cost.CHEAP, source="d(x - y) = dx - dy")
INSTRUCTIONS.row("fmul", "ff", y, x, cost=Cost.CHEAP, source="d(x y) = y dx + x dy")
_reciprocal = 1.0 / y  # shared by both partials: one division
INSTRUCTIONS.row(
    "fdiv", "ff", _reciprocal, -(R * _reciprocal),
    cost=Cost.DIVISION, source="d(x/y) = dx/y - (x/y) dy/y", singular=True,
)  # fmt: skip
_quotient = fn("rint", (x - R) / y)
_REMAINDER = "R = x - n y with n locally constant: dR = dx - n dy, n = rint((x - R)/y)"
INSTRUCTIONS.row("frem", "ff", ONE, -_quotient, cost=Cost.DIVISION, source=_REMAINDER, singular=True)
INSTRUCTIONS.row("fptrunc", "f", ONE, cost=Cost.CHEAP, source="conversion: the tangent is converted likewise")
INSTRUCTIONS.row("fpext", "f", ONE, cost=Cost.CHEAP, source="conversion: the tangent is converted likewise")
INSTRUCTIONS.row("sitofp", "i", None, cost=Cost.CHEAP, source="integers carry no derivative")
INSTRUCTIONS.row("uitofp", "i", None, cost=Cost.CHEAP, source="integers carry no derivative")

# the remainders of the library
for _name in ("fmod", "remainder"):
    TABLE.row(_name, "ff", ONE, -_quotient, cost=Cost.DIVISION, source=_REMAINDER, singular=True)

# fused multiply-add
for _name in ("fma", "fmuladd"):
    TABLE.row(_name, "fff", y, x, ONE, cost=Cost.CHEAP, source="d(x y + z) = y dx + x dy + dz")

# sign
TABLE.row("fabs", "f", fn("copysign", 1.0, x), cost=Cost.CHEAP, source="|x|' = sign x")
TABLE.row(
    "copysign", "ff", fn("copysign", 1.0, x) * fn("copysign", 1.0, y), None,
    cost=Cost.CHEAP, source="d copysign(x, y) = sign x sign y dx",
)  # fmt: skip

# minimum and maximum
_first = cmp("oeq", x, R)
for _name in "fmin fmax fminimum fmaximum fminimum_num fmaximum_num".split():
    TABLE.row(
        _name, "ff", select(_first, 1.0, 0.0), select(_first, 0.0, 1.0),
        cost=Cost.CHEAP, source="1 for the operand returned, first on a tie",
    )  # fmt: skip
_below = cmp("ole", x, y)
TABLE.row(
    "fdim", "ff", select(_below, 0.0, 1.0), select(_below, 0.0, -1.0),
    cost=Cost.CHEAP, source="x > y: dx - dy, else 0",
)  # fmt: skip

# steps: piecewise constant
for _name in "floor ceil trunc round roundeven rint nearbyint".split():
    TABLE.row(_name, "f", None, cost=Cost.CHEAP, source="piecewise constant")
TABLE.row("logb", "f", None, cost=Cost.TRANSCENDENTAL, source="piecewise constant")

# the identity but for rounding
for _name in "canonicalize arithmetic.fence nextup nextdown".split():
    TABLE.row(_name, "f", ONE, cost=Cost.CHEAP, source="the identity but for rounding")
TABLE.row("nextafter", "ff", ONE, None, cost=Cost.CHEAP, source="x plus a locally constant spacing")
TABLE.row("nexttoward", "fl", ONE, None, cost=Cost.CHEAP, source="x plus a locally constant spacing")


# scaling by powers of two
def _scaling(name: str) -> Expr:
    return fn(name, ONE, I(1))


for _name in ("ldexp", "scalbn", "scalbln"):
    TABLE.row(_name, "fi", _scaling(_name), None, cost=Cost.CHEAP, source="d(x 2^n) = 2^n dx")

# elementary operations under a library name (libdevice's __nv_dadd_rn and the like)
for _name in ("fadd", "fsub", "fmul", "fdiv", "fneg"):
    _instruction = INSTRUCTIONS.rows[_name]
    TABLE.row(
        _name, _instruction.shape, *_instruction.partials,
        cost=_instruction.cost, source=_instruction.source, singular=_instruction.singular,
    )  # fmt: skip
