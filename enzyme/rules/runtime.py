"""Functions that derivatives need and the C library lacks: digamma and polygamma, as LLVM IR text.

``digamma(x)`` is the logarithmic derivative of the gamma function, ``polygamma(n, x)`` its n-th derivative, n >= 1.

- x is raised above a bound by the recurrence psi_n(x) = psi_n(x+1) - (-1)^n n!/x^(n+1), then the asymptotic series
  with Bernoulli numbers is summed (NIST DLMF 5.5.2, 5.11.2, 5.15.8).
- Far below zero the reflection formula is used in a form that needs no derivatives of the cotangent: as
  pi cot(pi x) has period 1, psi_n(x) - (-1)^n psi_n(1-x) is the same at x and at f = x - floor(x).
- At a pole (0, -1, -2, ...) the value is an infinity.

Accuracy: a few units in the last place of the largest term of the sum, so a relative error of about 1e-15 in double
away from the zeros of digamma (1.4616..., and one in each interval between poles), and that absolute error near them.

There is one version per format: double, x86_fp80, fp128. Narrower formats are computed in double by the emitter.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb, factorial
from typing import TYPE_CHECKING

from enzyme.ir.types import FloatType, Type
from enzyme.ir.values import Function
from enzyme.rules.literals import literal
from enzyme.support.diagnostics import UnsupportedError

if TYPE_CHECKING:
    from enzyme.ir.module import Module

# format: (bound above which the series is used, its number of terms, the intrinsic's suffix).
# The first term left out is below half a unit: |B_2k| / (2k bound^2k) for k = terms + 1.
FORMATS: dict[str, tuple[int, int, str]] = {
    "double": (10, 8, "f64"),
    "x86_fp80": (16, 10, "f80"),
    "fp128": (32, 15, "f128"),
}
_REFLECT_BELOW = -20  # the recurrence still takes fewer steps than three evaluations up to here
_ATTRIBUTES = "noinline nounwind willreturn memory(none)"
_NAMES = ("digamma", "polygamma")


@lru_cache(maxsize=1)
def bernoulli() -> tuple[Fraction, ...]:
    """B_0 ... B_40 (with B_1 = -1/2)."""
    numbers: list[Fraction] = []
    for m in range(41):
        total = sum((comb(m + 1, k) * numbers[k] for k in range(m)), Fraction(0))
        numbers.append(Fraction(1) if m == 0 else -total / (m + 1))
    return tuple(numbers)


def symbol(name: str, kind: str) -> str:
    """The runtime function's symbol, e.g. ``__enzyme_digamma`` and ``__enzyme_digamma_fp128``."""
    return f"__enzyme_{name}" if kind == "double" else f"__enzyme_{name}_{kind}"


def definition(name: str, kind: str) -> str:
    """Declarations and definitions, as LLVM IR text, that make up runtime function ``name`` in format ``kind``."""
    if name not in _NAMES or kind not in FORMATS:
        raise UnsupportedError(
            f"there is no '{name}' for {kind}", why="the derivative of a gamma function needs it", hint="use double"
        )
    return _digamma(kind) if name == "digamma" else _polygamma(kind)


def _digamma(kind: str) -> str:
    bound, terms, suffix = FORMATS[kind]
    this = symbol("digamma", kind)

    def c(value: int | Fraction) -> str:
        return literal(Fraction(value), kind)

    series: list[str] = []
    previous = c(bernoulli()[2 * terms] / (2 * terms))
    for k in range(terms - 1, 0, -1):
        series.append(f"  %p{k} = fmul {kind} {previous if k == terms - 1 else f'%h{k + 1}'}, %i2")
        series.append(f"  %h{k} = fadd {kind} %p{k}, {c(bernoulli()[2 * k] / (2 * k))}")
    body = "\n".join(series)
    return f"""
declare {kind} @llvm.floor.{suffix}({kind})

declare {kind} @llvm.log.{suffix}({kind})

define internal {kind} @{this}({kind} %x) {_ATTRIBUTES} {{
entry:
  %far = fcmp olt {kind} %x, {c(_REFLECT_BELOW)}
  br i1 %far, label %reflect, label %shift

reflect:
  %mirror = fsub {kind} {c(1)}, %x
  %a = call {kind} @{this}({kind} %mirror)
  %whole = call {kind} @llvm.floor.{suffix}({kind} %x)
  %f = fsub {kind} %x, %whole
  %b = call {kind} @{this}({kind} %f)
  %g = fsub {kind} {c(1)}, %f
  %d = call {kind} @{this}({kind} %g)
  %bd = fsub {kind} %b, %d
  %reflected = fadd {kind} %a, %bd
  ret {kind} %reflected

shift:
  %y = phi {kind} [ %x, %entry ], [ %y1, %step ]
  %s = phi {kind} [ {c(0)}, %entry ], [ %s1, %step ]
  %small = fcmp olt {kind} %y, {c(bound)}
  br i1 %small, label %step, label %sum

step:
  %q = fdiv {kind} {c(1)}, %y
  %s1 = fadd {kind} %s, %q
  %y1 = fadd {kind} %y, {c(1)}
  br label %shift

sum:
  %l = call {kind} @llvm.log.{suffix}({kind} %y)
  %i = fdiv {kind} {c(1)}, %y
  %i2 = fmul {kind} %i, %i
{body}
  %tail = fmul {kind} %i2, %h1
  %half = fmul {kind} {c(Fraction(1, 2))}, %i
  %small.terms = fadd {kind} %half, %tail
  %t = fsub {kind} %l, %small.terms
  %r = fsub {kind} %t, %s
  ret {kind} %r
}}
"""


def _polygamma(kind: str) -> str:
    bound, terms, suffix = FORMATS[kind]
    this = symbol("polygamma", kind)
    power = symbol("power", kind)

    def c(value: int | Fraction) -> str:
        return literal(Fraction(value), kind)

    # bracket = 1 + n/(2y) + sum over k of B_2k/(2k)! * n(n+1)...(n+2k-1) / y^2k, built term by term
    series: list[str] = []
    for k in range(1, terms + 1):
        rising = "%i.n" if k == 1 else f"%w{k - 1}"
        series += [
            f"  %j{k}a = fadd {kind} %n.f, {c(2 * k - 2)}",
            f"  %j{k}b = fadd {kind} %n.f, {c(2 * k - 1)}",
            f"  %u{k}a = fmul {kind} %j{k}a, %i",
            f"  %u{k}b = fmul {kind} %j{k}b, %i",
            f"  %v{k} = fmul {kind} {c(1) if k == 1 else rising}, %u{k}a",
            f"  %w{k} = fmul {kind} %v{k}, %u{k}b",
            f"  %t{k} = fmul {kind} %w{k}, {c(bernoulli()[2 * k] / factorial(2 * k))}",
            f"  %z{k} = fadd {kind} {'%bracket0' if k == 1 else f'%z{k - 1}'}, %t{k}",
        ]
    body = "\n".join(series)
    return f"""
declare {kind} @llvm.floor.{suffix}({kind})

define internal {kind} @{power}({kind} %x, i32 %n) {_ATTRIBUTES} {{
entry:
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %step ]
  %p = phi {kind} [ {c(1)}, %entry ], [ %p1, %step ]
  %more = icmp slt i32 %k, %n
  br i1 %more, label %step, label %done

step:
  %p1 = fmul {kind} %p, %x
  %k1 = add i32 %k, 1
  br label %loop

done:
  ret {kind} %p
}}

define internal {kind} @{this}(i32 %n, {kind} %x) {_ATTRIBUTES} {{
entry:
  %odd = and i32 %n, 1
  %is.odd = icmp eq i32 %odd, 1
  %sign = select i1 %is.odd, {kind} {c(1)}, {kind} {c(-1)}
  %n.f = sitofp i32 %n to {kind}
  %n.one = add i32 %n, 1
  %far = fcmp olt {kind} %x, {c(_REFLECT_BELOW)}
  br i1 %far, label %reflect, label %factorial

reflect:
  %mirror = fsub {kind} {c(1)}, %x
  %a = call {kind} @{this}(i32 %n, {kind} %mirror)
  %whole = call {kind} @llvm.floor.{suffix}({kind} %x)
  %f = fsub {kind} %x, %whole
  %b = call {kind} @{this}(i32 %n, {kind} %f)
  %g = fsub {kind} {c(1)}, %f
  %d = call {kind} @{this}(i32 %n, {kind} %g)
  %ad = fsub {kind} %a, %d
  %ad.signed = fmul {kind} %sign, %ad
  %reflected = fsub {kind} %b, %ad.signed
  ret {kind} %reflected

factorial:
  %m = phi i32 [ 1, %entry ], [ %m1, %multiply ]
  %fact = phi {kind} [ {c(1)}, %entry ], [ %fact1, %multiply ]
  %more = icmp slt i32 %m, %n
  br i1 %more, label %multiply, label %start

multiply:
  %m.f = sitofp i32 %m to {kind}
  %fact1 = fmul {kind} %fact, %m.f
  %m1 = add i32 %m, 1
  br label %factorial

start:
  %limit = fadd {kind} %n.f, {c(bound)}
  br label %shift

shift:
  %y = phi {kind} [ %x, %start ], [ %y1, %step ]
  %s = phi {kind} [ {c(0)}, %start ], [ %s1, %step ]
  %small = fcmp olt {kind} %y, %limit
  br i1 %small, label %step, label %sum

step:
  %yp = call {kind} @{power}({kind} %y, i32 %n.one)
  %q = fdiv {kind} %n.f, %yp
  %s1 = fadd {kind} %s, %q
  %y1 = fadd {kind} %y, {c(1)}
  br label %shift

sum:
  %i = fdiv {kind} {c(1)}, %y
  %i.n = call {kind} @{power}({kind} %i, i32 %n)
  %i.half = fmul {kind} {c(Fraction(1, 2))}, %i
  %second = fmul {kind} %n.f, %i.half
  %bracket0 = fadd {kind} {c(1)}, %second
{body}
  %asymptotic = fmul {kind} %i.n, %z{terms}
  %both = fadd {kind} %asymptotic, %s
  %scaled = fmul {kind} %both, %fact
  %r = fmul {kind} %sign, %scaled
  ret {kind} %r
}}
"""


def ensure(module: Module, name: str, type: Type) -> Function:
    """The runtime function in ``module``, defined there now if it is not yet."""
    assert isinstance(type, FloatType)
    found = module.get_function(symbol(name, type.kind))
    if found is not None and not found.is_declaration:
        return found
    from enzyme.ir.parser import parse_module  # only modules that use gamma functions need the parser here

    source = parse_module(definition(name, type.kind))
    defined = [f for f in source.functions.values() if not f.is_declaration]
    local = {f: _import_function(module, f) for f in source.functions.values()}
    for function in defined:
        for instruction in function.instructions():
            for index, operand in enumerate(instruction.operands):
                if isinstance(operand, Function):
                    instruction.set_operand(index, local[operand])
    return local[source.functions[symbol(name, type.kind)]]


def _import_function(module: Module, function: Function) -> Function:
    """``function`` moved into ``module`` when it is a definition, else its declaration there."""
    if function.is_declaration:
        return module.declare_function(function.name or "", function.function_type)
    found = module.get_function(function.name or "")
    if found is not None and not found.is_declaration:
        return found
    assert function.blocks
    if found is not None:  # declared by text that was stripped of the definition
        found.replace_all_uses_with(function)
        module.remove(found)
    return module.add_function(function)
