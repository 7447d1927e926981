"""Symbolic integers: small immutable expression trees over SSA values, in modular arithmetic of a stated width.

A tree denotes an unsigned residue modulo ``2**bits``; no operation carries wrap flags, so a tree is never poison where
its leaves are not. Operations:

    add sub mul and or xor shl lshr ashr      both operands and the result have the same width
    udiv sdiv                                 the divisor is never zero where the tree is evaluated
    zext sext trunc                           one operand of another width
    icmp.PRED                                 two operands of one width, the result has width 1
    select                                    a width-1 condition, two operands of the result's width
    ptrtoint                                  one :class:`SymValue` of pointer type, the result has width 64
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from enzyme.analysis.loops import Loop
from enzyme.ir.builder import Builder
from enzyme.ir.types import I64, IntType, PointerType
from enzyme.ir.values import BinaryOp, Call, Cast, Compare, ConstantInt, Instruction, Phi, Select, Value


@dataclass(frozen=True)
class SymConst:
    """The residue ``value`` (always in ``0 .. 2**bits - 1``)."""

    value: int
    bits: int

    def __str__(self) -> str:
        return str(signed(self.value, self.bits))


@dataclass(frozen=True)
class SymValue:
    """An SSA value (an integer; a pointer only below ``ptrtoint``)."""

    value: Value

    @property
    def bits(self) -> int:
        kind = self.value.type
        return kind.bits if isinstance(kind, IntType) else 64

    def __str__(self) -> str:
        constant = self.value.name
        return f"%{constant}" if constant else f"%<{type(self.value).__name__.lower()}>"


@dataclass(frozen=True)
class SymOp:
    """An operation; see the module docstring."""

    op: str
    args: tuple[Sym, ...]
    bits: int

    def __str__(self) -> str:
        infix = {"add": "+", "sub": "-", "mul": "*", "udiv": "/u", "sdiv": "/s"}.get(self.op)
        if infix:
            return f"({self.args[0]} {infix} {self.args[1]})"
        if self.op in ("zext", "sext", "trunc", "ptrtoint"):
            return f"{self.op}{self.bits}({self.args[0]})"
        return f"{self.op}({', '.join(map(str, self.args))})"


Sym = SymConst | SymValue | SymOp

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
}  # fmt: skip
_MIN_MAX = {"umin": "ult", "umax": "ugt", "smin": "slt", "smax": "sgt"}


def signed(value: int, bits: int) -> int:
    """The residue ``value`` as a two's-complement number."""
    return value - (1 << bits) if value >> (bits - 1) else value


def compare(predicate: str, left: int, right: int, bits: int) -> bool:
    """``icmp predicate`` on residues."""
    if predicate[0] == "s":
        left, right = signed(left, bits), signed(right, bits)
    return _COMPARE[predicate if predicate in ("eq", "ne") else predicate[1:]](left, right)


def constant(value: int, bits: int) -> SymConst:
    return SymConst(value & ((1 << bits) - 1), bits)


def _fold(op: str, values: list[int], widths: list[int], bits: int) -> int | None:
    """The operation on residues; None where it is undefined."""
    a = values[0]
    b = values[1] if len(values) > 1 else 0
    mask = (1 << bits) - 1
    if op.startswith("icmp."):
        return int(compare(op[5:], a, b, widths[0]))
    if op in ("shl", "lshr", "ashr") and b >= bits:
        return None
    if (op in ("udiv", "sdiv") and b == 0) or (op == "doubled" and a == 0):
        return None
    if op == "sdiv":
        x, y = signed(a, bits), signed(b, bits)
        quotient = abs(x) // abs(y)
        return (quotient if (x < 0) == (y < 0) else -quotient) & mask
    table: dict[str, Callable[[], int]] = {
        "add": lambda: a + b, "sub": lambda: a - b, "mul": lambda: a * b, "and": lambda: a & b, "or": lambda: a | b,
        "xor": lambda: a ^ b, "shl": lambda: a << b, "lshr": lambda: a >> b, "ashr": lambda: signed(a, bits) >> b,
        "udiv": lambda: a // b, "zext": lambda: a, "sext": lambda: signed(a, widths[0]), "trunc": lambda: a,
        "select": lambda: values[1] if a else values[2], "doubled": lambda: a << max(0, -(-b // a) - 1).bit_length(),
    }  # fmt: skip
    return table[op]() & mask if op in table else None


def split_offset(sym: Sym) -> tuple[Sym | None, int]:
    """``sym`` as base + constant modulo ``2**bits``; the base is None for a constant."""
    if isinstance(sym, SymConst):
        return None, sym.value
    if isinstance(sym, SymOp) and sym.op == "add" and isinstance(sym.args[1], SymConst):
        return sym.args[0], sym.args[1].value
    return sym, 0


def operation(op: str, *args: Sym, bits: int | None = None) -> Sym:
    """``SymOp`` after folding of constants and of constant offsets. ``bits`` is needed for casts only."""
    width = bits if bits is not None else 1 if op.startswith("icmp.") else args[-1].bits
    if all(isinstance(a, SymConst) for a in args):
        folded = _fold(op, [a.value for a in args if isinstance(a, SymConst)], [a.bits for a in args], width)
        if folded is not None:
            return SymConst(folded, width)
    if op in ("zext", "sext", "trunc") and args[0].bits == width:
        return args[0]
    if op == "select" and isinstance(args[0], SymConst):
        return args[1] if args[0].value else args[2]
    if op in ("add", "sub"):
        (left, x), (right, y) = split_offset(args[0]), split_offset(args[1])
        if op == "sub" and left == right:
            return constant(x - y, width)
        if left is None and op == "add":
            left, right = right, left
        if right is None:
            offset = constant(x + y if op == "add" else x - y, width)
            assert left is not None
            return left if offset.value == 0 else SymOp("add", (left, offset), width)
        if left is not None and (x or y):
            offset = constant(x + y if op == "add" else x - y, width)
            inner = SymOp(op, (left, right), width)
            return inner if offset.value == 0 else SymOp("add", (inner, offset), width)
    if op in ("mul", "udiv") and isinstance(args[1], SymConst) and args[1].value == 1:
        return args[0]
    if op == "mul" and any(isinstance(a, SymConst) and a.value == 0 for a in args):
        return constant(0, width)
    if op in ("shl", "lshr", "ashr") and isinstance(args[1], SymConst) and args[1].value == 0:
        return args[0]
    return SymOp(op, args, width)


def leaf(value: Value) -> Sym:
    """A value as it is: a constant integer becomes a :class:`SymConst`."""
    if isinstance(value, ConstantInt):
        assert isinstance(value.type, IntType)
        return constant(value.value, value.type.bits)
    if isinstance(value.type, PointerType):
        return SymOp("ptrtoint", (SymValue(value),), 64)
    return SymValue(value)


_PURE = frozenset(("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr"))


def expand(value: Value, is_leaf: Callable[[Value], bool], depth: int = 8) -> Sym | None:
    """``value`` as a tree whose leaves all satisfy ``is_leaf``, through pure integer instructions; else None.

    Divisions are followed only for a divisor that is a constant other than 0 and -1: the tree may be evaluated where
    the instruction was not.
    """
    if isinstance(value, ConstantInt) or (not isinstance(value, Instruction) and _is_scalar(value)):
        return leaf(value)
    if not _is_scalar(value):
        return None
    alike = _alike(value) if depth else None
    if alike is not None:
        assert isinstance(value.type, IntType)
        source = expand(alike.operands[0], is_leaf, depth - 1)
        return operation(alike.opcode, source, bits=value.type.bits) if source is not None else None
    if is_leaf(value):
        return leaf(value)
    if depth == 0 or not isinstance(value, Instruction) or isinstance(value.type, PointerType):
        return None

    def inner(operand: Value) -> Sym | None:
        return expand(operand, is_leaf, depth - 1)

    if isinstance(value, BinaryOp):
        divisor = value.operands[1]
        safe = isinstance(divisor, ConstantInt) and divisor.value not in (0, -1)
        if value.opcode in _PURE or (value.opcode in ("udiv", "sdiv") and safe):
            left, right = inner(value.operands[0]), inner(divisor)
            return operation(value.opcode, left, right) if left is not None and right is not None else None
        return None
    if isinstance(value, Cast) and value.opcode in ("zext", "sext", "trunc"):
        assert isinstance(value.type, IntType)
        source = inner(value.operands[0])
        return operation(value.opcode, source, bits=value.type.bits) if source is not None else None
    if isinstance(value, Compare) and value.opcode == "icmp" and isinstance(value.operands[0].type, IntType):
        left, right = inner(value.operands[0]), inner(value.operands[1])
        return operation(f"icmp.{value.predicate}", left, right) if left is not None and right is not None else None
    if isinstance(value, Select):
        parts = [inner(operand) for operand in value.operands]
        found = [p for p in parts if p is not None]
        return operation("select", *found) if len(found) == 3 else None
    if isinstance(value, Call) and is_extremum(value):
        left, right = inner(value.args[0]), inner(value.args[1])
        if left is None or right is None:
            return None
        predicate = _MIN_MAX[(value.callee_name or "").split(".")[1]]
        return operation("select", operation(f"icmp.{predicate}", left, right), left, right)
    return None


def _alike(value: Value) -> Cast | None:
    """One of the values of a phi all of which are the same cast of the same integer: an optimiser that has such a cast
    on each way to a place computes it no more, and makes a phi of what there is."""
    if not isinstance(value, Phi) or not value.incoming:
        return None
    first = value.incoming[0][0]
    if not isinstance(first, Cast) or first.opcode not in ("zext", "sext", "trunc") or first.operands[0] is value:
        return None
    for other, _ in value.incoming[1:]:
        if not isinstance(other, Cast) or other.opcode != first.opcode or other.operands[0] is not first.operands[0]:
            return None
    return first


def is_extremum(value: Value, names: Collection[str] = tuple(_MIN_MAX)) -> bool:
    """Whether a value is the lesser or the greater of two integers (of ``names``)."""
    if not isinstance(value, Call):
        return False
    words = (value.callee_name or "").split(".")
    return words[0] == "llvm" and len(words) > 1 and words[1] in names


def _is_scalar(value: Value) -> bool:
    return isinstance(value.type, (IntType, PointerType))


def sym_values(sym: Sym) -> list[Value]:
    """The SSA values a tree reads, each once, in order of first appearance."""
    found: dict[Value, None] = {}
    work = [sym]
    while work:
        top = work.pop()
        if isinstance(top, SymValue):
            found[top.value] = None
        elif isinstance(top, SymOp):
            work.extend(reversed(top.args))
    return list(found)


def constant_value(sym: Sym) -> int | None:
    """The residue of a constant tree."""
    return sym.value if isinstance(sym, SymConst) else None


def sym_invariant_in(sym: Sym, loop: Loop) -> bool:
    """Whether every value the tree reads is defined outside ``loop``."""
    return all(loop.is_invariant(value) for value in sym_values(sym))


def substitute(sym: Sym, replace: Callable[[Value], Sym | None]) -> Sym | None:
    """The tree with each value leaf replaced; None when ``replace`` gives None for one of them."""
    if isinstance(sym, SymConst):
        return sym
    if isinstance(sym, SymValue):
        return replace(sym.value)
    if sym.op == "ptrtoint":
        inner = sym.args[0]
        return replace(inner.value) if isinstance(inner, SymValue) else None
    parts: list[Sym] = []
    for arg in sym.args:
        part = substitute(arg, replace)
        if part is None:
            return None
        parts.append(part)
    return operation(sym.op, *parts, bits=sym.bits)


def hoist_sym(sym: Sym, loop: Loop) -> Sym | None:
    """An equal tree over values defined outside ``loop``, expanding pure integer instructions inside it; else None."""
    return substitute(sym, lambda value: expand(value, loop.is_invariant))


def evaluate_sym(sym: Sym, lookup: Callable[[Value], int]) -> int:
    """The residue of a tree, given the residues of its values. Raises ZeroDivisionError where it is undefined."""
    if isinstance(sym, SymConst):
        return sym.value
    if isinstance(sym, SymValue):
        return lookup(sym.value) & ((1 << sym.bits) - 1)
    if sym.op == "ptrtoint":
        return evaluate_sym(sym.args[0], lookup)
    result = _fold(sym.op, [evaluate_sym(a, lookup) for a in sym.args], [a.bits for a in sym.args], sym.bits)
    if result is None:
        raise ZeroDivisionError(str(sym))
    return result


def emit_sym(sym: Sym, builder: Builder, value_map: Callable[[Value], Value] | None = None) -> Value:
    """Emit the tree at the builder's place, zero-extended to i64; ``value_map`` renames its values (for clones)."""
    done: dict[Sym, Value] = {}

    def emit(node: Sym) -> Value:
        found = done.get(node)
        if found is None:
            found = done[node] = _emit_node(node, builder, value_map, emit)
        return found

    result = emit(sym)
    return result if result.type is I64 else builder.zext(result, I64)


def _emit_node(
    node: Sym, builder: Builder, value_map: Callable[[Value], Value] | None, emit: Callable[[Sym], Value]
) -> Value:
    if isinstance(node, SymConst):
        return builder.const_int(IntType(node.bits), node.value)
    if isinstance(node, SymValue):
        return value_map(node.value) if value_map else node.value
    args = [emit(a) for a in node.args]
    if node.op.startswith("icmp."):
        return builder.icmp(node.op[5:], args[0], args[1])
    if node.op == "select":
        return builder.select(args[0], args[1], args[2])
    if node.op in ("zext", "sext", "trunc", "ptrtoint"):
        return builder.cast(node.op, args[0], IntType(node.bits))
    return builder.insert(BinaryOp(node.op, args[0], args[1])) if node.op == "ashr" else _binary(node.op, builder, args)


def _binary(op: str, builder: Builder, args: list[Value]) -> Value:
    method: Callable[[Value, Value], Value] = getattr(builder, op + "_" if op in ("and", "or") else op)
    return method(args[0], args[1])
