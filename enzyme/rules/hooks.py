"""Functions with more than one result: through pointers (sincos, modf, frexp, remquo, lgamma_r) or as a struct
(llvm.sincos, llvm.modf, llvm.frexp), and vector reductions. They need a driver that knows memory or lanes; the tables
only say which result has which partials.
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme.rules.expr import ONE, ZERO, Cost, Expr, Named, R, Result, X, cmp, fn, select, simplify


@dataclass(frozen=True)
class HookResult:
    """One result of a call.

    ``place`` says where it is: ``return`` (the call's value), ``pointer`` (stored through argument ``index``) or
    ``field`` (field ``index`` of the returned struct or array). ``element`` is ``float`` (the function's own format) or
    ``int``; an integer result carries no derivative and has no shadow. ``partials`` has one entry per call argument.

    A ``float`` result behind a pointer overwrites what was there: in reverse, take the shadow's value, store zero,
    then distribute what was taken by the partials (all ``None``: the shadow is only cleared). No partial of a pointer
    result reads the stored value.
    """

    place: str
    index: int
    element: str
    partials: tuple[Expr | None, ...]


@dataclass(frozen=True)
class MemoryHook:
    """A library function or intrinsic with several results. In the partials ``Result(k)`` is field ``k`` of a returned
    struct, and ``R`` the returned scalar. ``shape`` as in :class:`enzyme.rules.rule.ScalarRule`, with the result before
    a colon: ``v`` void, ``f`` the format, ``s`` a struct."""

    name: str
    shape: str
    results: tuple[HookResult, ...]
    cost: Cost
    source: str
    singular: bool = False


@dataclass(frozen=True)
class ReductionHook:
    """``llvm.vector.reduce.*`` over floating-point lanes, scalar result R.

    ``lane`` is the partial in one lane of the vector, with ``X(0)`` the lane's value; ``start`` the partial in the
    start value (fadd and fmul have one as their first argument, else None). ``first_only``: where several lanes satisfy
    the condition only the first takes the derivative. ``products``: a product reduction, whose lane partial is the
    product of start and all *other* lanes (R / lane fails at zero); the driver builds it from prefix and suffix
    products.
    """

    name: str
    lane: Expr | None
    start: Expr | None
    first_only: bool = False
    products: bool = False
    source: str = ""


x, PI = X(0), Named("pi")
_HOOKS: dict[str, MemoryHook] = {}


def add_hook(name: str, shape: str, *results: HookResult, cost: Cost, source: str, singular: bool = False) -> None:
    _HOOKS[name] = MemoryHook(name, shape, results, cost, source, singular)


def hook_result(place: str, index: int, *partials: Expr | None, element: str = "float") -> HookResult:
    return HookResult(place, index, element, tuple(None if p is None else simplify(p) for p in partials))


def _int(place: str, index: int, arguments: int) -> HookResult:
    return HookResult(place, index, "int", (None,) * arguments)


_mantissa = select(cmp("oeq", R, ZERO), 1.0, R / x)
_quotient = fn("rint", (x - R) / X(1))
_TRIG = "sin' = cos, cos' = -sin"

add_hook(
    "sincos", "v:fpp",
    hook_result("pointer", 1, fn("cos", x), None, None), hook_result("pointer", 2, -fn("sin", x), None, None),
    cost=Cost.TRANSCENDENTAL, source=_TRIG,
)  # fmt: skip
add_hook(
    "sincospi", "v:fpp",
    hook_result("pointer", 1, PI * fn("cospi", x), None, None),
    hook_result("pointer", 2, -(PI * fn("sinpi", x)), None, None),
    cost=Cost.TRANSCENDENTAL, source="sinpi' = pi cospi, cospi' = -pi sinpi",
)  # fmt: skip
add_hook(
    "modf", "f:fp", hook_result("return", 0, ONE, None), hook_result("pointer", 1, None, None),
    cost=Cost.CHEAP, source="x = fraction + integer: the fraction moves with x, the integer is locally constant",
)  # fmt: skip
add_hook(
    "frexp", "f:fp", hook_result("return", 0, _mantissa, None), _int("pointer", 1, 2),
    cost=Cost.CHEAP, source="x = m 2^e with e locally constant: dm/dx = m/x, 1 at 0",
)  # fmt: skip
add_hook(
    "remquo", "f:ffp", hook_result("return", 0, ONE, -_quotient, None), _int("pointer", 2, 3),
    cost=Cost.DIVISION, source="as remainder; the quotient is an integer", singular=True,
)  # fmt: skip
add_hook(
    "lgamma_r", "f:fp", hook_result("return", 0, fn("digamma", x), None), _int("pointer", 1, 2),
    cost=Cost.TRANSCENDENTAL, source="(ln |Gamma|)' = psi; the sign is an integer", singular=True,
)  # fmt: skip
add_hook(
    "llvm.sincos", "s:f", hook_result("field", 0, Result(1)), hook_result("field", 1, -Result(0)),
    cost=Cost.TRANSCENDENTAL, source=_TRIG,
)  # fmt: skip
add_hook(
    "llvm.sincospi", "s:f", hook_result("field", 0, PI * Result(1)), hook_result("field", 1, -(PI * Result(0))),
    cost=Cost.TRANSCENDENTAL, source="sinpi' = pi cospi, cospi' = -pi sinpi",
)  # fmt: skip
add_hook(
    "llvm.modf", "s:f", hook_result("field", 0, ONE), hook_result("field", 1, None),
    cost=Cost.CHEAP, source="as modf",
)  # fmt: skip
add_hook(
    "llvm.frexp", "s:f", hook_result("field", 0, _mantissa), _int("field", 1, 1),
    cost=Cost.CHEAP, source="as frexp",
)  # fmt: skip

# Complex multiplication and division as compiler-rt functions: (a + ib)(c + id) and (a + ib)/(c + id).
_a, _b, _c, _d = X(0), X(1), X(2), X(3)
add_hook(
    "muldc3", "s:ffff", hook_result("field", 0, _c, -_d, _a, -_b), hook_result("field", 1, _d, _c, _b, _a),
    cost=Cost.CHEAP, source="d(z w) = w dz + z dw",
)  # fmt: skip
_over = 1.0 / (_c * _c + _d * _d)
_re, _im = _c * _over, _d * _over  # 1/w = re - i im; dq = (dz - q dw)/w
_re_c, _im_c = -(Result(0) * _re + Result(1) * _im), Result(0) * _im - Result(1) * _re
add_hook(
    "divdc3", "s:ffff",
    hook_result("field", 0, _re, _im, _re_c, -_im_c),
    hook_result("field", 1, -_im, _re, _im_c, _re_c),
    cost=Cost.DIVISION, source="d(z/w) = (dz - (z/w) dw)/w", singular=True,
)  # fmt: skip

_REDUCTIONS: dict[str, ReductionHook] = {
    hook.name: hook
    for hook in (
        ReductionHook("llvm.vector.reduce.fadd", ONE, ONE, source="a sum: 1 in every lane"),
        ReductionHook("llvm.vector.reduce.fmul", None, None, products=True, source="the product of the others"),
        *(
            ReductionHook(
                f"llvm.vector.reduce.{kind}", select(cmp("oeq", x, R), 1.0, 0.0), None,
                first_only=True, source="1 in the first lane that is the result",
            )  # fmt: skip
            for kind in ("fmin", "fmax", "fminimum", "fmaximum")
        ),
    )
}  # fmt: skip


def memory_hooks() -> dict[str, MemoryHook]:
    """All hooks by canonical name."""
    return dict(_HOOKS)


def reduction_hooks() -> dict[str, ReductionHook]:
    return dict(_REDUCTIONS)
