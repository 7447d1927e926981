"""What the branches that dominate a loop say about invariant integers.

Only facts that hold whenever the loop's header is entered from outside are used: conditions of branches one of whose
edges every path to the header takes. A "no" means "not proved".
"""

from __future__ import annotations

from enzyme.analysis.loops import Loop
from enzyme.analysis.symbolic import (
    Sym,
    SymConst,
    SymOp,
    expand,
    is_extremum,
    leaf,
    operation,
    signed,
    split_offset,
    substitute,
)
from enzyme.ir.types import IntType, PointerType
from enzyme.ir.values import BinaryOp, Block, Branch, Cast, Compare, Select, Value

Fact = tuple[str, Sym, Sym]

INVERSE = {
    "eq": "ne", "ne": "eq", "slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt",
    "ult": "uge", "uge": "ult", "ugt": "ule", "ule": "ugt",
}  # fmt: skip
"""What holds where a comparison does not."""


def _terminal(value: Value) -> bool:
    if isinstance(value, BinaryOp):
        return value.opcode not in ("add", "sub", "lshr")
    if is_extremum(value, ("smax", "umax")):
        return False
    return not (isinstance(value, Cast) and value.opcode in ("zext", "sext"))


def deepen(sym: Sym) -> Sym:
    """The tree with additions and extensions among its values opened, so that equal things look equal."""
    opened = substitute(sym, lambda value: expand(value, _terminal) or leaf(value))
    return sym if opened is None else opened


def facts_at(loop: Loop) -> list[Fact]:
    """Comparisons known to hold when the loop is entered: ``(predicate, left, right)`` with lt, le, eq or ne."""
    assert loop.forest is not None
    cfg, domtree = loop.forest.cfg, loop.forest.domtree
    found: list[Fact] = []
    block = domtree.idom(loop.header)
    steps = 0
    while block is not None and steps < 64:
        steps += 1
        end = block.terminator
        if isinstance(end, Branch) and end.is_conditional and end.operands[1] is not end.operands[2]:
            for target, truth in ((end.operands[1], True), (end.operands[2], False)):
                assert isinstance(target, Block)
                if cfg.predecessors(target) == [block] and domtree.dominates(target, loop.header):
                    _collect(end.operands[0], truth, found)
        block = domtree.idom(block)
    return found


def _collect(condition: Value, truth: bool, found: list[Fact], depth: int = 6) -> None:
    if depth == 0:
        return
    if isinstance(condition, Compare) and condition.opcode == "icmp":
        left, right = condition.operands
        if not isinstance(left.type, (IntType, PointerType)):
            return
        predicate = condition.predicate if truth else INVERSE[condition.predicate]
        x, y = deepen(leaf(left)), deepen(leaf(right))
        if predicate[1:] in ("gt", "ge"):
            predicate, x, y = predicate[0] + ("lt" if predicate[1:] == "gt" else "le"), y, x
        found.append((predicate, x, y))
    elif isinstance(condition, BinaryOp) and condition.opcode == ("and" if truth else "or"):
        for operand in condition.operands:
            _collect(operand, truth, found, depth - 1)
    elif isinstance(condition, Select):
        fixed = condition.operands[2 if truth else 1]
        value = leaf(fixed) if isinstance(fixed.type, IntType) else None
        if isinstance(value, SymConst) and bool(value.value) != truth:
            _collect(condition.operands[0], truth, found, depth - 1)
            _collect(condition.operands[1 if truth else 2], truth, found, depth - 1)


def _number(sym: SymConst, is_signed: bool) -> int:
    return signed(sym.value, sym.bits) if is_signed else sym.value


def lower_bound(sym: Sym, is_signed: bool, facts: list[Fact], depth: int = 6) -> int:
    """A number that ``sym``, read as signed or unsigned, is never below."""
    if isinstance(sym, SymConst):
        return _number(sym, is_signed)
    low = -(1 << (sym.bits - 1)) if is_signed else 0
    if depth == 0:
        return low
    if isinstance(sym, SymOp):
        low = max(low, _structural(sym, is_signed, facts, depth))
    kind = "s" if is_signed else "u"
    for predicate, left, right in facts:
        if right == sym and isinstance(left, SymConst) and predicate in (kind + "lt", kind + "le"):
            low = max(low, _number(left, is_signed) + (predicate[1:] == "lt"))
        elif predicate == "eq" and sym in (left, right):
            other = left if right == sym else right
            if isinstance(other, SymConst):
                low = max(low, _number(other, is_signed))
    for predicate, left, right in facts:
        if predicate == "ne" and sym in (left, right):
            other = left if right == sym else right
            if isinstance(other, SymConst) and _number(other, is_signed) == low:
                low += 1
    if not is_signed:  # a number that is not negative is the same number unsigned
        low = max(low, lower_bound(sym, True, facts, depth - 1))
    return low


def _structural(sym: SymOp, is_signed: bool, facts: list[Fact], depth: int) -> int:
    """The bound that follows from the operation; very negative where nothing does."""
    nothing = -(1 << sym.bits)
    if sym.op == "zext" and sym.args[0].bits < sym.bits:
        return lower_bound(sym.args[0], False, facts, depth - 1)
    if sym.op == "sext":
        inner = lower_bound(sym.args[0], True, facts, depth - 1)
        return inner if is_signed or inner >= 0 else nothing
    if sym.op == "lshr" and isinstance(sym.args[1], SymConst) and 0 < sym.args[1].value < sym.bits:
        return lower_bound(sym.args[0], False, facts, depth - 1) >> sym.args[1].value
    if sym.op == "select":
        asked, first, second = sym.args
        if (
            isinstance(asked, SymOp)
            and asked.op == f"icmp.{'s' if is_signed else 'u'}gt"
            and asked.args == (first, second)
        ):
            return max(lower_bound(each, is_signed, facts, depth - 1) for each in (first, second))
    base, offset = split_offset(sym)
    if base is not None and offset:
        fall = signed(offset, sym.bits)
        if fall < 0:
            under = lower_bound(base, is_signed, facts, depth - 1) + fall
            if under >= (-(1 << (sym.bits - 1)) if is_signed else 0):
                return under
    return nothing


def implies_order(loop: Loop, predicate: str, low: Sym, high: Sym) -> bool:
    """Whether ``low predicate high`` (slt, sle, ult, ule) is proved to hold when the loop is entered."""
    if isinstance(low, SymConst) and isinstance(high, SymConst):
        x, y = _number(low, predicate[0] == "s"), _number(high, predicate[0] == "s")
        return x < y or (x == y and predicate[1:] == "le")
    return _implied(predicate, deepen(low), deepen(high), facts_at(loop))


def _implied(predicate: str, low: Sym, high: Sym, facts: list[Fact]) -> bool:
    is_signed, strict = predicate[0] == "s", predicate[1:] == "lt"
    if low == high:
        return not strict
    if isinstance(low, SymConst) and lower_bound(high, is_signed, facts) >= _number(low, is_signed) + strict:
        return True
    for known, left, right in facts:
        if right != high or known[0] != predicate[0] or known in ("eq", "ne"):
            continue
        if left == low and (known == predicate or not strict):
            return True
        # left < right, so left + 1 does not wrap and is at most right
        if known[1:] == "lt" and not strict and operation("add", left, SymConst(1, left.bits)) == low:
            return True
    if isinstance(low, SymOp) and isinstance(high, SymOp) and low.op == high.op and low.op in ("sext", "zext"):
        x, y = low.args[0], high.args[0]
        if x.bits == y.bits < low.bits:  # sext keeps both orders apart; zext maps the unsigned order to both
            inner = ("s" if is_signed else "u") if low.op == "sext" else "u"
            return _implied(inner + predicate[1:], x, y, facts)
    return False
