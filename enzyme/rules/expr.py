"""The language in which a derivative rule states its partials: small immutable expression trees.

A tree talks about one call or instruction: ``X(i)`` is its floating-point operand ``i``, ``I(i)`` its integer operand
``i`` (still an integer; ``IntX(i)`` is that integer converted to floating point), ``R`` its primal result
(``Result(k)`` field ``k`` of a result that is a struct). Nothing in a tree depends on the floating-point format or on
vectors: the one row ``exp: (R,)`` serves half, float, double, long double and vectors of each.

Trees are hashable and compare by structure, so a driver may share the code of equal subtrees. ``emit`` walks a tree
over an :class:`ExprBuilder`, ``evaluate`` walks it over plain numbers (float or mpmath) for tests.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from typing import Any, ClassVar, Protocol, TypeVar

V = TypeVar("V")
T_contra = TypeVar("T_contra", contravariant=True)
T = TypeVar("T")


class Cost(IntEnum):
    """What an operation costs, in three classes; the tape planner weighs recomputing against keeping with it."""

    CHEAP = 1  # add, multiply, compare, select, sign and rounding operations
    DIVISION = 2  # division, remainder of a division, square root
    TRANSCENDENTAL = 3  # a call into the mathematical library


class Expr:
    """Base of all trees. Arithmetic operators build trees; Python numbers become :class:`Const`."""

    __slots__ = ()

    def __add__(self, other: Expr | float) -> Expr:
        return Binary("add", self, as_expr(other))

    def __radd__(self, other: Expr | float) -> Expr:
        return Binary("add", as_expr(other), self)

    def __sub__(self, other: Expr | float) -> Expr:
        return Binary("sub", self, as_expr(other))

    def __rsub__(self, other: Expr | float) -> Expr:
        return Binary("sub", as_expr(other), self)

    def __mul__(self, other: Expr | float) -> Expr:
        return Binary("mul", self, as_expr(other))

    def __rmul__(self, other: Expr | float) -> Expr:
        return Binary("mul", as_expr(other), self)

    def __truediv__(self, other: Expr | float) -> Expr:
        return Binary("div", self, as_expr(other))

    def __rtruediv__(self, other: Expr | float) -> Expr:
        return Binary("div", as_expr(other), self)

    def __neg__(self) -> Expr:
        return Neg(self)


# --- leaves ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Operand(Expr):
    """Floating-point operand ``index`` of the instruction, or argument ``index`` of the call."""

    index: int

    def __str__(self) -> str:
        return f"x{self.index}"


@dataclass(frozen=True, slots=True)
class Result(Expr):
    """The primal result; ``index`` picks a field when the result is a struct."""

    index: int = 0

    def __str__(self) -> str:
        return f"r{self.index or ''}"


@dataclass(frozen=True, slots=True)
class IntOperand(Expr):
    """Integer operand ``index``, as an integer: only for integer parameters of functions and :class:`ToFloat`."""

    index: int

    def __str__(self) -> str:
        return f"n{self.index}"


@dataclass(frozen=True, slots=True, eq=False)
class Const(Expr):
    """A floating-point constant that is exact in double. Compares by bits, so that 0.0 and -0.0 differ."""

    value: float

    def _bits(self) -> bytes:
        return struct.pack("<d", self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Const) and self._bits() == other._bits()

    def __hash__(self) -> int:
        return hash(self._bits())

    def __str__(self) -> str:
        return f"{self.value:g}"


@dataclass(frozen=True, slots=True)
class Named(Expr):
    """An irrational constant by name, known to more digits than any format holds."""

    name: str
    DIGITS: ClassVar[dict[str, str]] = {
        "pi": "3.14159265358979323846264338327950288419716939937510582097",
        "ln2": "0.693147180559945309417232121458176568075500134360255254121",
        "ln10": "2.30258509299404568401799145468436420760110148862877297604",
        "1/ln2": "1.44269504088896340735992468100189213742664595415298593414",
        "1/ln10": "0.434294481903251827651128918916605082294397005803666566115",
        "2/sqrt(pi)": "1.12837916709551257389615890312154517168810125865799771368",
        "1/pi": "0.318309886183790671537767526745028724068919291480912897495",
        "pi/180": "0.0174532925199432957692369076848861271344287188854172545610",
    }

    @property
    def exact(self) -> Fraction:
        return Fraction(self.DIGITS[self.name])

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class IntConst(Expr):
    """An integer constant, for integer parameters of functions."""

    value: int

    def __str__(self) -> str:
        return str(self.value)


# --- inner nodes -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Binary(Expr):
    """``op`` is one of add, sub, mul, div."""

    op: str
    left: Expr
    right: Expr

    def __str__(self) -> str:
        return f"({self.left} {'+-*/'[('add', 'sub', 'mul', 'div').index(self.op)]} {self.right})"


@dataclass(frozen=True, slots=True)
class Neg(Expr):
    arg: Expr

    def __str__(self) -> str:
        return f"-{self.arg}"


@dataclass(frozen=True, slots=True)
class Fn(Expr):
    """A mathematical function by canonical name (see :mod:`enzyme.rules.names`)."""

    name: str
    args: tuple[Expr, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.args))})"


@dataclass(frozen=True, slots=True)
class Cmp(Expr):
    """A comparison with an LLVM ``fcmp`` predicate; stands only as the condition of :class:`Select`."""

    predicate: str
    left: Expr
    right: Expr

    def __str__(self) -> str:
        return f"({self.left} {self.predicate} {self.right})"


@dataclass(frozen=True, slots=True)
class Select(Expr):
    """``if_true`` where ``condition`` holds, else ``if_false``. Both are computed."""

    condition: Expr
    if_true: Expr
    if_false: Expr

    def __str__(self) -> str:
        return f"({self.condition} ? {self.if_true} : {self.if_false})"


@dataclass(frozen=True, slots=True)
class ToFloat(Expr):
    """A signed integer converted to the floating-point format of the result."""

    arg: Expr

    def __str__(self) -> str:
        return f"float({self.arg})"


@dataclass(frozen=True, slots=True)
class IntOffset(Expr):
    """An integer plus a constant."""

    arg: Expr
    amount: int

    def __str__(self) -> str:
        return f"({self.arg} {'+' if self.amount >= 0 else '-'} {abs(self.amount)})"


X = Operand
I = IntOperand  # noqa: E741  (the letter the tables read best with)
R = Result()
ONE, ZERO = Const(1.0), Const(0.0)
Leaf = Operand | Result | IntOperand


def IntX(index: int) -> Expr:  # noqa: N802  (reads as a node of the language)
    """Integer operand ``index`` converted to floating point."""
    return ToFloat(IntOperand(index))


def as_expr(value: Expr | float) -> Expr:
    return value if isinstance(value, Expr) else Const(float(value))


def fn(name: str, *args: Expr | float) -> Expr:
    return Fn(name, tuple(as_expr(a) for a in args))


def cmp(predicate: str, left: Expr | float, right: Expr | float) -> Expr:
    return Cmp(predicate, as_expr(left), as_expr(right))


def select(condition: Expr, if_true: Expr | float, if_false: Expr | float) -> Expr:
    return Select(condition, as_expr(if_true), as_expr(if_false))


# --- questions about a tree ------------------------------------------------------------------------------------------


def children(expr: Expr) -> tuple[Expr, ...]:
    match expr:
        case Binary(_, left, right) | Cmp(_, left, right):
            return (left, right)
        case Neg(arg) | ToFloat(arg) | IntOffset(arg, _):
            return (arg,)
        case Fn(_, args):
            return args
        case Select(condition, if_true, if_false):
            return (condition, if_true, if_false)
    return ()


def leaves(expr: Expr) -> frozenset[Leaf]:
    """The operands and results that the value of ``expr`` depends on."""
    if isinstance(expr, (Operand, Result, IntOperand)):
        return frozenset((expr,))
    return frozenset().union(*(leaves(c) for c in children(expr)))


def operand_indices(expr: Expr) -> frozenset[int]:
    """Positions of the operands (floating-point and integer) that ``expr`` needs."""
    return frozenset(leaf.index for leaf in leaves(expr) if not isinstance(leaf, Result))


def needs_result(expr: Expr) -> bool:
    return any(isinstance(leaf, Result) for leaf in leaves(expr))


def functions(expr: Expr) -> frozenset[str]:
    """Canonical names of the functions that ``expr`` calls."""
    inner = frozenset().union(*(functions(c) for c in children(expr)))
    return inner | {expr.name} if isinstance(expr, Fn) else inner


_CHEAP_FUNCTIONS = frozenset(
    "fabs copysign floor ceil trunc rint nearbyint round roundeven fma fmuladd fmin fmax ldexp".split()
)


def cost(expr: Expr) -> Cost:
    """The class of the most expensive operation in ``expr``."""
    if isinstance(expr, Fn) and expr.name not in _CHEAP_FUNCTIONS:
        own = Cost.DIVISION if expr.name in ("sqrt", "fmod") else Cost.TRANSCENDENTAL
    else:
        own = Cost.DIVISION if isinstance(expr, Binary) and expr.op == "div" else Cost.CHEAP
    return max((own, *(cost(c) for c in children(expr))))


# --- simplification --------------------------------------------------------------------------------------------------


def _fold_constants(op: str, a: float, b: float) -> Expr | None:
    """The constant ``a op b`` when double holds it exactly (a wider format must not inherit double's rounding)."""
    if not (math.isfinite(a) and math.isfinite(b)) or (op == "div" and b == 0.0):
        return None
    left, right = Fraction(a), Fraction(b)
    exact = {"add": left + right, "sub": left - right, "mul": left * right}.get(op)
    exact = left / right if exact is None else exact
    if exact == 0:
        return None  # the sign of zero is the operation's business
    try:
        value = float(exact)
    except OverflowError:
        return None
    return Const(value) if Fraction(value) == exact else None


def _simplify_binary(op: str, a: Expr, b: Expr) -> Expr:
    if isinstance(a, Const) and isinstance(b, Const):
        folded = _fold_constants(op, a.value, b.value)
        if folded is not None:
            return folded
    if op == "add":
        if isinstance(a, Const) and a.value == 0.0:
            return b
        if isinstance(b, Const) and b.value == 0.0:
            return a
        if isinstance(b, Neg):
            return Binary("sub", a, b.arg)
        if isinstance(a, Neg):
            return Binary("sub", b, a.arg)
    elif op == "sub":
        if isinstance(b, Const) and b.value == 0.0:
            return a
        if isinstance(a, Const) and a.value == 0.0:
            return simplify_node(Neg(b))
        if isinstance(b, Neg):
            return _simplify_binary("add", a, b.arg)
    elif op == "mul":
        for this, other in ((a, b), (b, a)):
            if isinstance(this, Const) and this.value in (1.0, -1.0):
                return other if this.value == 1.0 else simplify_node(Neg(other))
        if isinstance(a, Neg) and isinstance(b, Neg):
            return Binary("mul", a.arg, b.arg)
    elif op == "div":
        if isinstance(b, Const) and b.value in (1.0, -1.0):
            return a if b.value == 1.0 else simplify_node(Neg(a))
        if isinstance(a, Neg) and isinstance(b, Neg):
            return Binary("div", a.arg, b.arg)
    return Binary(op, a, b)


def simplify_node(expr: Expr) -> Expr:
    """One step at the root; children are taken as simplified."""
    match expr:
        case Binary(op, left, right):
            return _simplify_binary(op, left, right)
        case Neg(Neg(inner)):
            return inner
        case Neg(Const(value)):
            return Const(-value)
        case Neg(Binary("sub", left, right)):
            return _simplify_binary("sub", right, left)
        case Select(_, if_true, if_false) if if_true == if_false:
            return if_true
        case IntOffset(arg, 0):
            return arg
        case IntOffset(IntConst(value), amount):
            return IntConst(value + amount)
        case IntOffset(IntOffset(arg, first), second):
            return simplify_node(IntOffset(arg, first + second))
        case ToFloat(IntConst(value)) if abs(value) < 2**53:
            return Const(float(value))
    return expr


def simplify(expr: Expr) -> Expr:
    """An equal tree without neutral elements and double negations, constants folded where that is exact.

    Values are unchanged except for the sign of zero. ``x * 0`` stays: it is not 0 for infinities, and a partial that is
    zero is written ``None`` in the tables.
    """
    match expr:
        case Binary(op, left, right):
            return simplify_node(Binary(op, simplify(left), simplify(right)))
        case Neg(arg):
            return simplify_node(Neg(simplify(arg)))
        case Fn(name, args):
            return Fn(name, tuple(simplify(a) for a in args))
        case Cmp(predicate, left, right):
            return Cmp(predicate, simplify(left), simplify(right))
        case Select(condition, if_true, if_false):
            return simplify_node(Select(simplify(condition), simplify(if_true), simplify(if_false)))
        case ToFloat(arg):
            return simplify_node(ToFloat(simplify(arg)))
        case IntOffset(arg, amount):
            return simplify_node(IntOffset(simplify(arg), amount))
    return expr


# --- evaluation on numbers -------------------------------------------------------------------------------------------


def compare(predicate: str, a: Any, b: Any) -> bool:
    """LLVM's ``fcmp`` on Python numbers; NaN is what differs from itself."""
    unordered = bool(a != a or b != b)
    if predicate in ("true", "false"):
        return predicate == "true"
    if predicate in ("ord", "uno"):
        return unordered == (predicate == "uno")
    if unordered:
        return predicate[0] == "u"
    match predicate[1:]:
        case "eq":
            return bool(a == b)
        case "ne":
            return bool(a != b)
        case "lt":
            return bool(a < b)
        case "le":
            return bool(a <= b)
        case "gt":
            return bool(a > b)
        case "ge":
            return bool(a >= b)
    raise ValueError(f"unknown fcmp predicate {predicate!r}")


def _divide(a: Any, b: Any) -> Any:
    if b != 0:
        return a / b
    if a != a or a == 0:
        return math.nan
    return math.copysign(math.inf, float(a)) * math.copysign(1.0, float(b))


def evaluate(
    expr: Expr,
    operands: Sequence[Any],
    result: Any = None,
    functions: Mapping[str, Callable[..., Any]] | None = None,
    constant: Callable[[str], Any] = float,
) -> Any:
    """The value of ``expr`` on numbers.

    ``operands`` are the call's operands by position, ``result`` the primal result (a sequence when it is a struct).
    ``functions`` maps canonical names to callables (default: the ``math`` module's functions); ``constant`` makes a
    number from decimal digits (``mpmath.mpf`` for high precision).
    """
    table: Mapping[str, Callable[..., Any]] = vars(math) if functions is None else functions

    def walk(node: Expr) -> Any:
        match node:
            case Operand(index) | IntOperand(index):
                return operands[index]
            case Result(index):
                return result[index] if isinstance(result, (tuple, list)) else result
            case Const(value) | IntConst(value):
                return value
            case Named(name):
                return constant(Named.DIGITS[name])
            case Binary("add", left, right):
                return walk(left) + walk(right)
            case Binary("sub", left, right):
                return walk(left) - walk(right)
            case Binary("mul", left, right):
                return walk(left) * walk(right)
            case Binary("div", left, right):
                return _divide(walk(left), walk(right))
            case Neg(arg):
                return -walk(arg)
            case Fn(name, args):
                return table[name](*(walk(a) for a in args))
            case Cmp(predicate, left, right):
                return compare(predicate, walk(left), walk(right))
            case Select(condition, if_true, if_false):
                return walk(if_true) if walk(condition) else walk(if_false)
            case ToFloat(arg):
                return constant(str(walk(arg)))
            case IntOffset(arg, amount):
                return walk(arg) + amount
        raise TypeError(f"not an expression: {node!r}")

    return walk(expr)


# --- emission --------------------------------------------------------------------------------------------------------


class ExprBuilder(Protocol[V, T_contra]):
    """What :func:`emit` needs from a maker of code: values of type ``V``, floating-point types of type ``T``."""

    def const(self, value: float | Fraction, type: T_contra) -> V: ...
    def int_const(self, value: int) -> V: ...
    def add(self, left: V, right: V) -> V: ...
    def sub(self, left: V, right: V) -> V: ...
    def mul(self, left: V, right: V) -> V: ...
    def div(self, left: V, right: V) -> V: ...
    def neg(self, value: V) -> V: ...
    def fn(self, name: str, args: Sequence[V], type: T_contra) -> V: ...
    def cmp(self, predicate: str, left: V, right: V) -> V: ...
    def select(self, condition: V, if_true: V, if_false: V) -> V: ...
    def int_to_float(self, value: V, type: T_contra) -> V: ...
    def int_add(self, value: V, amount: int) -> V: ...


def emit(
    expr: Expr, build: ExprBuilder[V, T], leaf: Callable[[Leaf], V], type: T, shared: dict[Expr, V] | None = None
) -> V:
    """Build code for ``expr`` with ``leaf`` giving the values of operands and results, in floating-point type ``type``.

    Equal subtrees are built once; pass the same ``shared`` dictionary for several trees of one instruction, at one
    place in the code, to share between them too.
    """
    memo: dict[Expr, V] = {} if shared is None else shared

    def walk(node: Expr) -> V:
        found = memo.get(node)
        if found is None:
            found = memo[node] = make(node)
        return found

    def make(node: Expr) -> V:
        match node:
            case Operand() | Result() | IntOperand():
                return leaf(node)
            case Const(value):
                return build.const(value, type)
            case Named():
                return build.const(node.exact, type)
            case IntConst(number):
                return build.int_const(number)
            case Binary(op, left, right):
                make_op = {"add": build.add, "sub": build.sub, "mul": build.mul, "div": build.div}[op]
                return make_op(walk(left), walk(right))
            case Neg(arg):
                return build.neg(walk(arg))
            case Fn(name, args):
                return build.fn(name, [walk(a) for a in args], type)
            case Cmp(predicate, left, right):
                return build.cmp(predicate, walk(left), walk(right))
            case Select(condition, if_true, if_false):
                return build.select(walk(condition), walk(if_true), walk(if_false))
            case ToFloat(arg):
                return build.int_to_float(walk(arg), type)
            case IntOffset(arg, amount):
                return build.int_add(walk(arg), amount)
        raise TypeError(f"not an expression: {node!r}")

    return walk(expr)
