"""Functions of C's complex numbers: two numbers in, two out (or one: modulus and angle).

A function with a complex derivative ``u + iv`` has the real partials ``[[u, -v], [v, u]]``. Results are used where that
saves work, and for the inverse functions because it settles the branch: ``asin' = 1 / cos(asin z)``.
"""

from __future__ import annotations

from enzyme.rules.expr import ONE, Const, Cost, Expr, R, Result, X, fn
from enzyme.rules.hooks import add_hook, hook_result
from enzyme.rules.rule import RuleTable

TABLE = RuleTable()

Pair = tuple[Expr, Expr]
_z: Pair = (X(0), X(1))
_r: Pair = (Result(0), Result(1))


def _times(p: Pair, q: Pair) -> Pair:
    return p[0] * q[0] - p[1] * q[1], p[0] * q[1] + p[1] * q[0]


def _inverse(q: Pair) -> Pair:
    size = q[0] * q[0] + q[1] * q[1]
    return q[0] / size, -(q[1] / size)


def _sin(z: Pair) -> Pair:
    return fn("sin", z[0]) * fn("cosh", z[1]), fn("cos", z[0]) * fn("sinh", z[1])


def _cos(z: Pair) -> Pair:
    return fn("cos", z[0]) * fn("cosh", z[1]), -(fn("sin", z[0]) * fn("sinh", z[1]))


def _sinh(z: Pair) -> Pair:
    return fn("sinh", z[0]) * fn("cos", z[1]), fn("cosh", z[0]) * fn("sin", z[1])


def _cosh(z: Pair) -> Pair:
    return fn("cosh", z[0]) * fn("cos", z[1]), fn("sinh", z[0]) * fn("sin", z[1])


def _negative(q: Pair) -> Pair:
    return -q[0], -q[1]


def _one_plus(q: Pair, sign: float) -> Pair:
    """1 + q or 1 - q."""
    return (1.0 + q[0], q[1]) if sign > 0 else (1.0 - q[0], -q[1])


def _holomorphic(name: str, derivative: Pair, source: str, singular: bool = False) -> None:
    u, v = derivative
    add_hook(
        name, "s:ff", hook_result("field", 0, u, -v), hook_result("field", 1, v, u),
        cost=Cost.TRANSCENDENTAL, source=source, singular=singular,
    )  # fmt: skip


_holomorphic("cexp", _r, "exp' = exp")
_holomorphic("clog", _inverse(_z), "log' = 1/z", singular=True)
_holomorphic("csqrt", _inverse((2.0 * _r[0], 2.0 * _r[1])), "sqrt' = 1/(2 sqrt z)", singular=True)
_holomorphic("csin", _cos(_z), "sin' = cos")
_holomorphic("ccos", _negative(_sin(_z)), "cos' = -sin")
_holomorphic("ctan", _one_plus(_times(_r, _r), 1), "tan' = 1 + tan^2")
_holomorphic("csinh", _cosh(_z), "sinh' = cosh")
_holomorphic("ccosh", _sinh(_z), "cosh' = sinh")
_holomorphic("ctanh", _one_plus(_times(_r, _r), -1), "tanh' = 1 - tanh^2")
_holomorphic("casin", _inverse(_cos(_r)), "asin' = 1/cos(asin z)", singular=True)
_holomorphic("cacos", _negative(_inverse(_sin(_r))), "acos' = -1/sin(acos z)", singular=True)
_holomorphic("catan", _inverse(_one_plus(_times(_z, _z), 1)), "atan' = 1/(1 + z^2)", singular=True)
_holomorphic("casinh", _inverse(_cosh(_r)), "asinh' = 1/cosh(asinh z)", singular=True)
_holomorphic("cacosh", _inverse(_sinh(_r)), "acosh' = 1/sinh(acosh z)", singular=True)
_holomorphic("catanh", _inverse(_one_plus(_times(_z, _z), -1)), "atanh' = 1/(1 - z^2)", singular=True)

_w: Pair = (X(2), X(3))
_by_base = _times(_times(_r, _w), _inverse(_z))
_by_exponent = _times(_r, (fn("log", fn("hypot", *_z)), fn("atan2", _z[1], _z[0])))
add_hook(
    "cpow", "s:ffff",
    hook_result("field", 0, _by_base[0], -_by_base[1], _by_exponent[0], -_by_exponent[1]),
    hook_result("field", 1, _by_base[1], _by_base[0], _by_exponent[1], _by_exponent[0]),
    cost=Cost.TRANSCENDENTAL, source="d(z^w) = z^w (w/z dz + log z dw)", singular=True,
)  # fmt: skip
for _name, _sign, _source in (("conj", -1.0, "the sign of the imaginary part"), ("cproj", 1.0, "the identity")):
    add_hook(
        _name, "s:ff", hook_result("field", 0, ONE, None), hook_result("field", 1, None, Const(_sign)),
        cost=Cost.CHEAP, source=_source,
    )  # fmt: skip

_size = X(0) * X(0) + X(1) * X(1)
TABLE.row("cabs", "ff", X(0) / R, X(1) / R, cost=Cost.TRANSCENDENTAL, source="d|z| = (x dx + y dy)/|z|",
          singular=True)  # fmt: skip
TABLE.row("carg", "ff", -(X(1) / _size), X(0) / _size, cost=Cost.TRANSCENDENTAL,
          source="d arg z = (x dy - y dx)/|z|^2", singular=True)  # fmt: skip
