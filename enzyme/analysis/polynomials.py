"""Integers and addresses as polynomials in values and in the numbers of loops' iterations.

The variables are values, widened to 64 bits with or without their sign, and numbers of iterations (from 0 on): of any
loop, or :data:`OUTER` and :data:`INNER` in a nest of two. Polynomials are residues modulo 2**64. Integers of less than
64 bits are opened only where no operation wraps, so that what stands for them is the number itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from enzyme.analysis.loops import Loop
from enzyme.analysis.symbolic import Sym, SymConst, SymValue, signed
from enzyme.analysis.tripcount import affine_of
from enzyme.ir.builder import Builder
from enzyme.ir.layout import DataLayout
from enzyme.ir.types import I64, PTR, IntType
from enzyme.ir.values import (
    Argument,
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

Variable: TypeAlias = tuple[Value | Loop | None, str]
Monomial: TypeAlias = tuple[Variable, ...]

OUTER: Variable = (None, "outer")
INNER: Variable = (None, "inner")
_WORD = 1 << 64
_TERMS = 12
DEPTH = 12
"""Values, pointers and loops are opened so far, one below the other."""
_NO_WRAP = {"sext": "nsw", "zext": "nuw"}


def counter(loop: Loop) -> Variable:
    """The number of a loop's iterations so far."""
    return loop, "counter"


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

    @property
    def offset(self) -> int:
        """The term without variables."""
        return dict(self.terms).get((), 0)

    @property
    def varying(self) -> tuple[tuple[Monomial, int], ...]:
        """The terms with variables."""
        return tuple(term for term in self.terms if term[0])

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset(each for product, _ in self.terms for each in product)

    def stride(self, variable: Variable) -> int | None:
        """By how much it grows with a variable, if by the same everywhere."""
        return self.factor(variable).constant if self.degree(variable) <= 1 else None

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

    def at(self, variable: Variable, number: int) -> Polynomial:
        """With a number for a variable."""
        terms: dict[Monomial, int] = {}
        for product, factor in self.terms:
            rest = tuple(each for each in product if each != variable)
            terms[rest] = terms.get(rest, 0) + factor * number ** (len(product) - len(rest))
        return Polynomial.of(terms)

    def renamed(self, name: Callable[[Variable], Variable]) -> Polynomial:
        """With other variables in place of these."""
        terms: dict[Monomial, int] = {}
        for product, factor in self.terms:
            named = tuple(sorted(map(name, product), key=_order))
            terms[named] = terms.get(named, 0) + factor
        return Polynomial.of(terms)

    def emit(self, build: Builder, of: Callable[[Variable], Value] | None = None) -> Value:
        """The polynomial as an i64; ``of`` gives its variables, where they are not values that are there."""
        total: Value = ConstantInt(I64, self.offset)
        for product, factor in in_program_order(self.varying):
            part: Value = ConstantInt(I64, factor)
            for each in product:
                value = of(each) if of is not None else widened(build, *each)
                part = value if isinstance(part, ConstantInt) and part.value == 1 else build.mul(part, value)
            total = build.add(total, part)
        return total


def combined(opcode: str, left: Polynomial, right: Polynomial) -> Polynomial | None:
    """What an operation gives if it does not wrap."""
    match opcode:
        case "add":
            return left.plus(right)
        case "sub":
            return left.minus(right)
        case "mul":
            return left.times(right)
        case "shl" if right.constant is not None and 0 <= right.constant < 32:
            return left.times(Polynomial.number(1 << right.constant))
    return None


def in_program_order(terms: Iterable[tuple[Monomial, int]]) -> list[tuple[Monomial, int]]:
    """Terms, and the variables of each, as they stand in the program: a polynomial has them as they lie in memory,
    which is not the same in every run."""
    listed = [(tuple(sorted(product, key=_standing)), factor) for product, factor in terms]
    return sorted(listed, key=lambda term: [_standing(variable) for variable in term[0]])


def _standing(variable: Variable) -> tuple[int, int, int, str]:
    value, how = variable
    if isinstance(value, Loop):
        value = value.header.instructions[0]
    if isinstance(value, Argument):
        return 0, value.index, 0, how
    if isinstance(value, Instruction) and value.block is not None and value.block.function is not None:
        return 1, value.block.function.blocks.index(value.block), value.block.position(value), how
    return 2, 0, 0, how


def widened(build: Builder, value: Value | Loop | None, how: str) -> Value:
    """A variable that is no counter, as an i64."""
    assert isinstance(value, Value)
    return value if value.type is I64 else build.cast(how, value, I64)


class IntegerForms:
    """The polynomials of integers and of steps of addresses. What cannot be opened is a variable itself."""

    def __init__(self, layout: DataLayout) -> None:
        self.layout = layout
        self._known: dict[tuple[Value, str], Polynomial | None] = {}

    def counter(self, phi: Phi) -> tuple[Loop, Variable] | None:
        """The loop that a phi stands at the head of, and the variable that counts its iterations; None if none does."""
        return None

    def opens(self, value: Value) -> bool:
        """Whether to look at what a value is made of."""
        return True

    def leaf(self, value: Value, widened: str) -> Polynomial | None:
        """What stands for a value that is not opened."""
        return Polynomial.variable((value, widened))

    def integer(self, value: Value, widened: str = "sext", depth: int = DEPTH) -> Polynomial | None:
        """An integer of 2 to 64 bits as a signed number or, with ``zext``, as an unsigned one."""
        if not isinstance(value.type, IntType) or not 1 < value.type.bits <= 64:
            return None
        if value.type.bits == 64:
            widened = "sext"
        if isinstance(value, ConstantInt):
            return Polynomial.number(value.value if widened == "sext" else value.value % (1 << value.type.bits))
        key = value, widened
        if key not in self._known:
            found = self.opened(value, widened, depth) if depth > 0 and self.opens(value) else None
            if found is None or len(found.terms) > _TERMS:
                found = self.leaf(value, widened)
            self._known[key] = found
        return self._known[key]

    def opened(self, value: Value, widened: str, depth: int) -> Polynomial | None:
        if isinstance(value, Phi):
            return self._counted(value, widened, depth)
        if isinstance(value, Cast):
            return self._cast(value, widened, depth)
        return self._operation(value, widened, depth) if isinstance(value, BinaryOp) else None

    def _cast(self, value: Cast, widened: str, depth: int) -> Polynomial | None:
        source = value.operands[0]
        if value.opcode == "sext":
            plain = widened == "sext"  # an unsigned reading of what has a sign
            return self.integer(source, "sext", depth - 1) if plain else None
        if value.opcode == "zext":
            return self.integer(source, "sext" if "nneg" in value.flags else "zext", depth - 1)
        if value.opcode == "trunc" and _NO_WRAP[widened] in value.flags:
            return self.integer(source, widened, depth - 1)
        return None

    def _operation(self, value: BinaryOp, widened: str, depth: int) -> Polynomial | None:
        left, right = (self.integer(each, widened, depth - 1) for each in value.operands)
        if left is None or right is None:
            return None
        if value.opcode == "xor":
            all_ones = isinstance(value.operands[1], ConstantInt) and value.operands[1].value == -1
            return right.minus(left) if all_ones else None
        if value.opcode == "or":
            return left.plus(right) if "disjoint" in value.flags else None
        if value.type is not I64 and _NO_WRAP[widened] not in value.flags:
            return None
        return combined(value.opcode, left, right)

    def _counted(self, phi: Phi, widened: str, depth: int) -> Polynomial | None:
        """A phi at the head of a loop that moves by the same in every iteration."""
        found = self.counter(phi)
        affine = affine_of(found[0], phi) if found is not None else None
        if found is None or affine is None:
            return None
        if phi.type is not I64 and not (affine.nsw if widened == "sext" else affine.nuw):
            return None
        loop, number = found
        first = next(value for value, source in phi.incoming if source not in loop.blocks)
        start, step = self.integer(first, widened, depth - 1), self.of_sym(affine.step, widened, depth - 1)
        if start is None or step is None or any(not isinstance(what, Value) for what, _ in step.variables):
            return None
        return start.plus(step.times(Polynomial.variable(number)), -1 if affine.down else 1)

    def of_sym(self, sym: Sym, widened: str = "sext", depth: int = DEPTH) -> Polynomial | None:
        """A tree as a number."""
        if isinstance(sym, SymConst):
            return Polynomial.number(signed(sym.value, sym.bits) if widened == "sext" or sym.bits == 64 else sym.value)
        if isinstance(sym, SymValue):
            return self.integer(sym.value, widened, depth)
        if sym.bits == 64 and sym.op in ("add", "sub", "mul"):
            left, right = (self.of_sym(each, depth=depth - 1) for each in sym.args)
            if left is None or right is None:
                return None
            return left.times(right) if sym.op == "mul" else left.plus(right, 1 if sym.op == "add" else -1)
        if sym.bits == 64 and sym.op in ("sext", "zext") and isinstance(sym.args[0], SymValue):
            return self.integer(sym.args[0].value, sym.op, depth)
        return None

    def step(self, gep: GetElementPtr) -> Polynomial | None:
        """The bytes that a getelementptr adds."""
        parts = self.layout.gep_parts(gep.source_type, gep.indices)
        if parts is None:
            return None
        total = Polynomial.number(parts.offset)
        for index, size in parts.steps:
            form = self.integer(index)
            if form is None:
                return None
            total = total.plus(form, size)
        return total

    def from_base(self, pointer: Value) -> tuple[Value, Polynomial]:
        """The pointer that another one was made of, as far as that can be followed, and the bytes between them."""
        total = Polynomial(())
        for _ in range(DEPTH):
            found = self._behind(pointer)
            if found is None:
                break
            pointer, total = found[0], total.plus(found[1])
        return pointer, total

    def _behind(self, pointer: Value) -> tuple[Value, Polynomial] | None:
        """What a pointer is made of, and how many bytes it lies behind that."""
        if not isinstance(pointer, GetElementPtr):
            return None
        step = self.step(pointer)
        return (pointer.base, step) if step is not None else None


class NestForms(IntegerForms):
    """The polynomials of the integers and addresses in a nest, in values from in front of it.

    With ``assume``, the greater of two numbers is taken to be the first, and narrow results of which LLVM does not say
    so are taken not to wrap; ``assumed`` tells what must not be negative where a value is made, for that to be so.
    """

    def __init__(self, outer: Loop, inner: Loop, layout: DataLayout, assume: bool = False) -> None:
        super().__init__(layout)
        self.outer, self.inner, self.assume = outer, inner, assume
        self.assumed: list[tuple[Instruction, Polynomial]] = []

    def counter(self, phi: Phi) -> tuple[Loop, Variable] | None:
        for loop, number in ((self.outer, OUTER), (self.inner, INNER)):
            if phi.block is loop.header:
                return loop, number
        return None

    def opens(self, value: Value) -> bool:
        """What is from in front of the nest is opened as far as that makes it comparable to others."""
        if self.varies(value) or isinstance(value, Cast):
            return True
        if not isinstance(value, BinaryOp):
            return False
        scales = value.opcode in ("mul", "shl") and isinstance(value.operands[1], ConstantInt)
        return scales or value.opcode in ("add", "sub")

    def leaf(self, value: Value, widened: str) -> Polynomial | None:
        return None if self.varies(value) else super().leaf(value, widened)

    def opened(self, value: Value, widened: str, depth: int) -> Polynomial | None:
        found = super().opened(value, widened, depth)
        if found is not None or not self.assume or not self.varies(value):
            return found
        narrow = self._narrow(value, widened, depth)
        if narrow is not None or widened != "sext":
            return narrow
        if isinstance(value, Cast) and value.opcode == "zext":
            found = self.integer(value.operands[0], depth=depth - 1)
            return self._assuming(value, found, found)
        return self._greater(value, depth)

    def _assuming(self, at: Value, value: Polynomial | None, what: Polynomial | None) -> Polynomial | None:
        """``value``, if ``what`` is not negative."""
        if value is not None and what is not None:
            assert isinstance(at, Instruction)
            self.assumed.append((at, what))
            return value
        return None

    def _narrow(self, value: Value, widened: str, depth: int) -> Polynomial | None:
        """What is left of a number when it is truncated, or the sum, difference or product of narrow ones, where that
        lies in the lower half of what its bits can tell."""
        if isinstance(value, Cast) and value.opcode == "trunc":
            found = self.integer(value.operands[0], depth=depth - 1)
        elif isinstance(value, BinaryOp) and value.opcode in ("add", "sub", "mul") and value.type is not I64:
            left, right = (self.integer(each, widened, depth - 1) for each in value.operands)
            if left is None or right is None:
                return None
            found = combined(value.opcode, left, right)
        else:
            return None
        if found is None or found.degree(INNER) or found.degree(OUTER) > 1:
            return None
        assert isinstance(value.type, IntType)
        most = Polynomial.number((1 << (value.type.bits - 1)) - 1)
        self._assuming(value, found, most.minus(found))
        return self._assuming(value, found, found)

    def _greater(self, value: Value, depth: int) -> Polynomial | None:
        """The greater of two numbers, written as a choice or not."""
        if isinstance(value, CallBase) and (value.callee_name or "").startswith("llvm.smax."):
            first, second = (self.integer(each, depth=depth - 1) for each in value.args)
            if first is not None and first.constant is not None:
                first, second = second, first
            more = first.minus(second) if first is not None and second is not None else None
            return self._assuming(value, first, more)
        if not isinstance(value, Select) or not isinstance(value.operands[0], Compare):
            return None
        compare = value.operands[0]
        found = [self.integer(each, depth=depth - 1) for each in (*value.operands[1:], *compare.operands)]
        first, second, left, right = found
        if first is None or second is None or left is None or right is None or compare.opcode != "icmp":
            return None
        rise = {"slt": right.minus(left), "sgt": left.minus(right)}.get(compare.predicate)
        return self._assuming(value, first, rise) if rise == first.minus(second) else None

    def address(self, pointer: Value) -> tuple[Value, Polynomial] | None:
        """A pointer as one from in front of the nest, and the bytes behind it."""
        total = Polynomial(())
        for _ in range(DEPTH):
            if not self.varies(pointer):
                return pointer, total
            if not isinstance(pointer, GetElementPtr) or pointer.type is not PTR:
                return None
            step = self.step(pointer)
            if step is None:
                return None
            total, pointer = total.plus(step), pointer.base
        return None

    def varies(self, value: Value) -> bool:
        """Whether a value is made in the nest."""
        return not self.outer.is_invariant(value)
