"""Integers and addresses in a nest of two loops as polynomials in the numbers of their iterations.

The variables are :data:`OUTER` and :data:`INNER`, the numbers of the iterations (from 0 on), and values from in front
of the nest, widened to 64 bits with or without their sign. Polynomials are residues modulo 2**64. Integers of less than
64 bits are opened only where no operation wraps, so that what stands for them is the number itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from enzyme.analysis.loops import Loop
from enzyme.analysis.symbolic import Sym, SymConst, SymValue, signed
from enzyme.analysis.tripcount import affine_of
from enzyme.ir.builder import Builder
from enzyme.ir.layout import DataLayout
from enzyme.ir.types import I64, PTR, ArrayType, IntType, StructType, Type
from enzyme.ir.values import (
    BinaryOp,
    CallBase,
    Cast,
    Compare,
    ConstantInt,
    GetElementPtr,
    Instruction,
    Phi,
    Select,
    Value,
)

Variable: TypeAlias = tuple[Value | None, str]
Monomial: TypeAlias = tuple[Variable, ...]

OUTER: Variable = (None, "outer")
INNER: Variable = (None, "inner")
_WORD = 1 << 64
_TERMS = 12
_DEPTH = 12


def _order(variable: Variable) -> tuple[int, str]:
    return id(variable[0]), variable[1]


@dataclass(frozen=True)
class Polynomial:
    """The sum of ``factor`` times the product of the variables, for each of ``terms``."""

    terms: tuple[tuple[Monomial, int], ...]

    @staticmethod
    def of(terms: dict[Monomial, int]) -> Polynomial:
        kept = {each: signed(factor % _WORD, 64) for each, factor in terms.items() if factor % _WORD}
        return Polynomial(tuple(sorted(kept.items(), key=lambda each: [_order(v) for v in each[0]])))

    @staticmethod
    def number(value: int) -> Polynomial:
        return Polynomial.of({(): value})

    @staticmethod
    def variable(variable: Variable) -> Polynomial:
        return Polynomial.of({(variable,): 1})

    def plus(self, other: Polynomial, times: int = 1) -> Polynomial:
        terms = dict(self.terms)
        for each, factor in other.terms:
            terms[each] = terms.get(each, 0) + times * factor
        return Polynomial.of(terms)

    def minus(self, other: Polynomial) -> Polynomial:
        return self.plus(other, -1)

    def times(self, other: Polynomial) -> Polynomial:
        terms: dict[Monomial, int] = {}
        for left, a in self.terms:
            for right, b in other.terms:
                both = tuple(sorted((*left, *right), key=_order))
                terms[both] = terms.get(both, 0) + a * b
        return Polynomial.of(terms)

    @property
    def constant(self) -> int | None:
        """The number that this is; None where it has variables."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    def degree(self, *variables: Variable) -> int:
        """The highest degree in ``variables`` together."""
        return max((sum(each in variables for each in product) for product, _ in self.terms), default=0)

    def factor(self, variable: Variable) -> Polynomial:
        """What stands before ``variable``, where that is of degree one."""
        found = {
            tuple(v for v in product if v != variable): factor for product, factor in self.terms if variable in product
        }
        return Polynomial.of(found)

    def without(self, *variables: Variable) -> Polynomial:
        """The terms that have none of the variables."""
        return Polynomial.of({p: factor for p, factor in self.terms if not any(v in p for v in variables)})

    def replaced(self, variable: Variable, by: Polynomial) -> Polynomial:
        """With something else for a variable of degree one."""
        return self.without(variable).plus(self.factor(variable).times(by))

    def emit(self, build: Builder) -> Value:
        """The polynomial as an i64; there may be no counters in it."""
        total: Value = ConstantInt(I64, 0)
        for product, factor in self.terms:
            part: Value = ConstantInt(I64, factor)
            for value, cast in product:
                assert value is not None
                wide = value if value.type is I64 else build.cast(cast, value, I64)
                part = wide if isinstance(part, ConstantInt) and part.value == 1 else build.mul(wide, part)
            total = build.add(part, total)
        return total


class NestForms:
    """The polynomials of the integers and addresses in a nest.

    With ``assume``, the greater of two numbers is taken to be the first; ``assumed`` tells what must not be negative
    where a value is made, for that to be so.
    """

    def __init__(self, outer: Loop, inner: Loop, layout: DataLayout, assume: bool = False) -> None:
        self.outer, self.inner, self.layout, self.assume = outer, inner, layout, assume
        self.assumed: list[tuple[Instruction, Polynomial]] = []
        self._known: dict[Value, Polynomial | None] = {}

    def integer(self, value: Value, depth: int = _DEPTH) -> Polynomial | None:
        """An integer, as a signed number."""
        if not isinstance(value.type, IntType) or not 1 < value.type.bits <= 64:
            return None
        if isinstance(value, ConstantInt):
            return Polynomial.number(value.value)
        if value in self._known:
            return self._known[value]
        if self.outer.is_invariant(value):
            found = self._known[value] = self._in_front(value, depth) or Polynomial.variable((value, "sext"))
            return found
        opened = self._opened(value, depth) if depth > 0 else None
        if opened is not None and len(opened.terms) > _TERMS:
            opened = None
        self._known[value] = opened
        return opened

    def _in_front(self, value: Value, depth: int) -> Polynomial | None:
        """A value from in front of the nest, opened as far as that makes it comparable to others."""
        if depth > 0 and isinstance(value, Cast):
            if value.opcode == "sext" or (value.opcode == "zext" and "nneg" in value.flags):
                return self.integer(value.operands[0], depth - 1)
        if depth > 0 and isinstance(value, BinaryOp) and value.opcode in ("add", "sub"):
            return self._operation(value, depth)
        return None

    def _opened(self, value: Value, depth: int) -> Polynomial | None:
        if isinstance(value, Phi):
            return self._counter(value, depth)
        if isinstance(value, Cast):
            source = value.operands[0]
            if value.opcode == "sext" or (value.opcode == "zext" and "nneg" in value.flags):
                return self.integer(source, depth - 1)
            if value.opcode == "trunc" and "nsw" in value.flags:
                return self.integer(source, depth - 1)
            if value.opcode == "zext" and self.outer.is_invariant(source):
                return Polynomial.variable((source, "zext"))
            found = self.integer(source, depth - 1) if value.opcode == "zext" and self.assume else None
            return self._assuming(value, found, found)
        if isinstance(value, BinaryOp):
            return self._operation(value, depth)
        return self._greater(value, depth) if self.assume else None

    def _assuming(self, at: Instruction, value: Polynomial | None, what: Polynomial | None) -> Polynomial | None:
        """``value``, if ``what`` is not negative."""
        if value is not None and what is not None:
            self.assumed.append((at, what))
            return value
        return None

    def _greater(self, value: Value, depth: int) -> Polynomial | None:
        """The greater of two numbers, written as a choice or not."""
        if isinstance(value, CallBase) and (value.callee_name or "").startswith("llvm.smax."):
            first, second = (self.integer(each, depth - 1) for each in value.args)
            if first is not None and first.constant is not None:
                first, second = second, first
            return (
                self._assuming(value, first, first.minus(second)) if first is not None and second is not None else None
            )
        if not isinstance(value, Select) or not isinstance(value.operands[0], Compare):
            return None
        compare = value.operands[0]
        found = [self.integer(each, depth - 1) for each in (*value.operands[1:], *compare.operands)]
        first, second, left, right = found
        if first is None or second is None or left is None or right is None or compare.opcode != "icmp":
            return None
        more = {"slt": right.minus(left), "sgt": left.minus(right)}.get(compare.predicate)
        return self._assuming(value, first, more) if more == first.minus(second) else None

    def _operation(self, value: BinaryOp, depth: int) -> Polynomial | None:
        left, right = (self.integer(each, depth - 1) for each in value.operands)
        if left is None or right is None:
            return None
        number = right.constant
        if value.opcode == "xor":
            return Polynomial.number(-1).minus(left) if number == -1 else None
        if value.opcode == "or":
            return left.plus(right) if "disjoint" in value.flags else None
        if value.type is not I64 and "nsw" not in value.flags:
            return None
        if value.opcode in ("add", "sub"):
            return left.plus(right, 1 if value.opcode == "add" else -1)
        if value.opcode == "mul":
            return left.times(right)
        if value.opcode == "shl" and number is not None and 0 <= number < 32:
            return left.times(Polynomial.number(1 << number))
        return None

    def _counter(self, phi: Phi, depth: int) -> Polynomial | None:
        loop = self.outer if phi.block is self.outer.header else self.inner if phi.block is self.inner.header else None
        affine = affine_of(loop, phi) if loop is not None else None
        if affine is None or not (affine.nsw or phi.type is I64):
            return None
        start, step = (self.of_sym(each, depth - 1) for each in (affine.start, affine.step))
        if start is None or step is None or step.degree(OUTER, INNER):
            return None
        number = Polynomial.variable(OUTER if loop is self.outer else INNER)
        return start.plus(step.times(number), -1 if affine.down else 1)

    def of_sym(self, sym: Sym, depth: int = _DEPTH) -> Polynomial | None:
        """A tree as a signed number."""
        if isinstance(sym, SymConst):
            return Polynomial.number(signed(sym.value, sym.bits))
        if isinstance(sym, SymValue):
            return self.integer(sym.value, depth)
        if sym.bits == 64 and sym.op in ("add", "sub", "mul"):
            left, right = (self.of_sym(each, depth - 1) for each in sym.args)
            if left is None or right is None:
                return None
            return left.times(right) if sym.op == "mul" else left.plus(right, 1 if sym.op == "add" else -1)
        if sym.bits == 64 and sym.op == "sext" and isinstance(sym.args[0], SymValue):
            return self.integer(sym.args[0].value, depth)
        if sym.bits == 64 and sym.op == "zext" and isinstance(sym.args[0], SymValue):
            value = sym.args[0].value
            return Polynomial.variable((value, "zext")) if self.outer.is_invariant(value) else None
        return None

    def address(self, pointer: Value) -> tuple[Value, Polynomial] | None:
        """A pointer as one from in front of the nest, and the bytes behind it."""
        total = Polynomial(())
        for _ in range(_DEPTH):
            if self.outer.is_invariant(pointer):
                return pointer, total
            if not isinstance(pointer, GetElementPtr) or pointer.type is not PTR:
                return None
            step = self._step(pointer)
            if step is None:
                return None
            total, pointer = total.plus(step), pointer.base
        return None

    def _step(self, gep: GetElementPtr) -> Polynomial | None:
        total, type = Polynomial(()), gep.source_type
        for position, index in enumerate(gep.indices):
            if position and isinstance(type, StructType):
                if not isinstance(index, ConstantInt) or type.elements is None:
                    return None
                total = total.plus(Polynomial.number(self.layout.struct_offsets(type)[index.value]))
                type = type.elements[index.value]
                continue
            inner: Type | None = type if not position else type.element if isinstance(type, ArrayType) else None
            form = self.integer(index)
            if inner is None or form is None:
                return None
            type = inner
            total = total.plus(form, self.layout.alloc_size(type))
        return total

    def varies(self, value: Value) -> bool:
        """Whether a value is made in the nest."""
        return isinstance(value, Instruction) and value.block in self.outer.blocks
