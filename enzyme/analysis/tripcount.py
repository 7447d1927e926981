"""Symbolic trip counts: how often a loop's back edge is taken, as a tree over loop-invariant values.

Number the iterations k = 0, 1, ... An exit test in a block that dominates every latch is made once per iteration, on
``A(k) = a + k*s`` (an affine function of a header phi, modulo 2**bits) against an invariant ``b``. The back edge is
taken as often as the test says "stay" before it first says "leave"; it does not matter where in the iteration the
test stands. With the stay predicates and ``d`` the difference in the direction of the step:

    ne   s = +-odd * 2**t        ((b - a) >> t) * odd**-1    modulo 2**(bits - t)
    eq   s != 0                  1 if a == b else 0
    lt   s > 0                   0 if a >= b else (b - a - 1) / s + 1        and mirrored for gt and s < 0
    le   s > 0                   0 if a > b else (b - a) / s + 1             and mirrored for ge and s < 0

The order predicates need that A does not wrap before the test fails. That holds for a unit step with lt and gt, when
the increment carries the wrap flag of the predicate's signedness (a wrapped value would be poison, and branching on
poison is undefined), or when a constant bound leaves room for the last step. Otherwise there is no answer.

``count`` is the count of a loop that is entered; where it is not entered the tree may give any number (``n - 1`` for
n = 0). ``guarded`` is the tree to evaluate where the loop may yet turn out not to be entered: it equals ``count`` if
the loop is entered, else it is 0 or the count the loop would have had.

``count`` further assumes what every derivative assumes: that a loop which is entered is left. It is given only when
the loop has one exit. ``maximum`` is an upper bound that does not rest on this assumption; any exit may give it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from enzyme.analysis.cfg import block_label
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.guards import INVERSE, deepen, facts_at, implies_order
from enzyme.analysis.loops import Loop, analyse_loops
from enzyme.analysis.symbolic import (
    Sym,
    SymConst,
    SymOp,
    SymValue,
    constant,
    constant_value,
    emit_sym,
    evaluate_sym,
    expand,
    hoist_sym,
    is_extremum,
    operation,
    signed,
    sym_invariant_in,
    sym_values,
)
from enzyme.ir.types import FloatType, IntType, PointerType
from enzyme.ir.values import (
    BinaryOp,
    Block,
    Branch,
    Cast,
    Compare,
    ConstantInt,
    Function,
    GetElementPtr,
    Phi,
    Select,
    Value,
)

__all__ = [
    "Sym", "SymConst", "SymOp", "SymValue", "TripCount", "backedge_count", "canonical_counter", "constant_value",
    "dump", "emit_sym", "evaluate_sym", "hoist_count", "hoist_sym", "known_rounds", "max_backedge_count",
    "sym_invariant_in", "sym_values", "trip_count",
]  # fmt: skip


@dataclass(frozen=True)
class TripCount:
    """``count``: exact number of back edges taken; ``maximum``: an upper bound; both i64 trees over invariant values.

    ``reason`` says why ``count`` is missing, or how it was found. ``guarded``: see the module docstring.
    """

    count: Sym | None
    maximum: Sym | None
    reason: str
    guarded: Sym | None = None


@dataclass(frozen=True)
class Affine:
    """``start + k * step`` in iteration k. ``nsw``/``nuw``: no signed/unsigned wrap in any iteration that is observed.

    ``step`` is a residue; with ``down`` the value falls by ``step`` instead (only used where a ``sub nuw`` says so).
    """

    start: Sym
    step: Sym
    nsw: bool
    nuw: bool
    down: bool = False

    @property
    def bits(self) -> int:
        return self.start.bits


_WAYS = 4
_SWAPPED = {
    "eq": "eq", "ne": "ne", "slt": "sgt", "sgt": "slt", "sle": "sge", "sge": "sle",
    "ult": "ugt", "ugt": "ult", "ule": "uge", "uge": "ule",
}  # fmt: skip


# --- affine values ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Offset:
    """A value as header phi + ``delta``, with what is known of wrapping on the way."""

    phi: Phi
    delta: Sym
    nsw: bool
    nuw: bool
    down: bool = False  # the value is phi - delta, and ``nuw`` speaks of that subtraction


def _invariant(loop: Loop, value: Value) -> Sym | None:
    return expand(value, loop.is_invariant)


def _pointer_step(loop: Loop, gep: GetElementPtr) -> tuple[Value, Sym] | None:
    """Base and byte offset of a gep with one invariant index."""
    if len(gep.indices) != 1 or not isinstance(gep.type, PointerType):
        return None
    index = _invariant(loop, gep.indices[0])
    size = _element_size(gep)
    if index is None or size is None or index.bits > 64:
        return None
    return gep.base, operation("mul", operation("sext", index, bits=64), constant(size, 64))


def _element_size(gep: GetElementPtr) -> int | None:
    kind = gep.source_type
    if isinstance(kind, IntType) and kind.bits in (8, 16, 32, 64):
        return kind.bits // 8
    if isinstance(kind, FloatType) and kind.bits in (16, 32, 64):
        return kind.bits // 8
    function = gep.function
    if function is None or function.module is None:
        return None
    return function.module.datalayout.alloc_size(kind)


def _as_offset(loop: Loop, value: Value, depth: int = 8) -> _Offset | None:
    """``value`` as a phi of the loop's header plus an invariant, through add, sub, disjoint or, and byte geps."""
    if isinstance(value, Phi):
        if value.block is loop.header and isinstance(value.type, (IntType, PointerType)):
            bits = value.type.bits if isinstance(value.type, IntType) else 64
            return _Offset(value, constant(0, bits), True, True)
        return _merged(loop, value, depth) if depth > 0 and value.block in loop.blocks else None
    if depth == 0:
        return None
    base: Value
    amount: Sym | None
    if isinstance(value, GetElementPtr):
        found = _pointer_step(loop, value)
        if found is None:
            return None
        base, amount = found
        inner = _as_offset(loop, base, depth - 1)
        if inner is None or inner.down:
            return None
        plain = constant_value(amount)
        rises = plain is not None and signed(plain, 64) >= 0
        # inbounds and nusw: the address as an unsigned number plus the signed offset does not wrap
        nuw = rises and ("nuw" in value.flags or "inbounds" in value.flags or "nusw" in value.flags)
        return _Offset(inner.phi, operation("add", inner.delta, amount), False, inner.nuw and nuw)
    if not isinstance(value, BinaryOp):
        return None
    left, right = value.operands
    if value.opcode == "or" and "disjoint" not in value.flags:
        return None
    if value.opcode not in ("add", "sub", "or"):
        return None
    inner = _as_offset(loop, left, depth - 1)
    amount = _invariant(loop, right) if inner is not None else None
    if inner is None and value.opcode != "sub":
        inner, amount = _as_offset(loop, right, depth - 1), _invariant(loop, left)
    if inner is None or amount is None:
        return None
    nsw = "nsw" in value.flags or value.opcode == "or"
    nuw = "nuw" in value.flags or value.opcode == "or"
    plain_phi = inner.delta == constant(0, amount.bits)
    # ``delta`` is a residue: it must also be the true sum for the signed flag to speak of it
    nsw = nsw and (plain_phi or _adds_exactly(inner.delta, amount, value.opcode == "sub"))
    if value.opcode == "sub" and plain_phi:
        return _Offset(inner.phi, amount, nsw, nuw, down=True)
    inner = _upward(inner)
    step = amount if value.opcode != "sub" else operation("sub", constant(0, amount.bits), amount)
    # a subtraction is no addition of the negated amount where unsigned wrap is concerned
    return _Offset(
        inner.phi, operation("add", inner.delta, step), inner.nsw and nsw, inner.nuw and nuw and value.opcode != "sub"
    )


def _merged(loop: Loop, phi: Phi, depth: int) -> _Offset | None:
    """A phi that is the same sum whichever way it is reached: optimisers make them of a sum that one way had before."""
    if len(phi.incoming) > _WAYS:
        return None
    found = [_as_offset(loop, value, min(depth, _WAYS) - 1) for value, _ in phi.incoming]
    first = found[0]
    if first is None or any(
        each is None or (each.phi, each.delta, each.down) != (first.phi, first.delta, first.down) for each in found
    ):
        return None
    nsw, nuw = (all(getattr(each, flag) for each in found) for flag in ("nsw", "nuw"))
    return replace(first, nsw=nsw, nuw=nuw)


def _adds_exactly(left: Sym, right: Sym, subtract: bool) -> bool:
    """Whether two constants have a signed sum (difference) without wrap."""
    x, y = constant_value(left), constant_value(right)
    if x is None or y is None:
        return False
    total = signed(x, left.bits) + (-signed(y, left.bits) if subtract else signed(y, left.bits))
    return -(1 << (left.bits - 1)) <= total < 1 << (left.bits - 1)


def _upward(offset: _Offset) -> _Offset:
    """The same value with an added delta; the unsigned flag of a subtraction is lost."""
    if not offset.down:
        return offset
    negated = operation("sub", constant(0, offset.delta.bits), offset.delta)
    # phi - SMIN is not phi + SMIN where signed wrap is concerned: keep the flag for other constants only
    plain = constant_value(offset.delta)
    safe = plain is not None and plain != 1 << (offset.delta.bits - 1)
    return _Offset(offset.phi, negated, offset.nsw and safe, False)


def _is_nonnegative(sym: Sym) -> bool:
    if isinstance(sym, SymConst):
        return signed(sym.value, sym.bits) >= 0
    return isinstance(sym, SymOp) and sym.op == "zext" and sym.args[0].bits < sym.bits


def constant_step(loop: Loop, value: Value) -> int | None:
    """By how much a counter of a loop with one latch grows in each iteration, if that is one number."""
    if not isinstance(value, Phi) or value.block is not loop.header or loop.latch is None:
        return None
    following = value.value_from(loop.latch)
    if not isinstance(following, BinaryOp) or following.opcode != "add" or following.operands[0] is not value:
        return None
    step = following.operands[1]
    return step.value if isinstance(step, ConstantInt) else None


def affine_of(loop: Loop, value: Value) -> Affine | None:
    """``value`` as an affine function of the iteration number, or None."""
    if isinstance(value, Cast) and value.opcode in ("sext", "zext", "trunc") and isinstance(value.type, IntType):
        inner = affine_of(loop, value.operands[0])
        return _cast_affine(inner, value.opcode, value.type.bits) if inner is not None else None
    offset = _as_offset(loop, value)
    if offset is None:
        return None
    phi = offset.phi
    starts = {v for v, source in phi.incoming if source not in loop.blocks}
    nexts = {v for v, source in phi.incoming if source in loop.blocks}
    if not starts or not nexts:
        return None
    first, *others = (_invariant(loop, v) for v in starts)
    if first is None or any(o != first for o in others):
        return None
    steps = [_as_offset(loop, v) for v in nexts]
    step = steps[0]
    if step is None or any(s != step for s in steps) or step.phi is not phi:
        step = _once(loop, phi, first, nexts)
    if step is None:
        return None
    start: Sym = first
    if step.down and offset.down is False and offset.delta == constant(0, offset.delta.bits):
        return Affine(start, step.delta, step.nsw, step.nuw, down=True)
    if step.down and offset == step:
        return Affine(operation("sub", start, step.delta), step.delta, step.nsw, step.nuw, down=True)
    step, offset = _upward(step), _upward(offset)
    nsw, nuw = step.nsw and offset.nsw, step.nuw and offset.nuw
    start = operation("add", start, offset.delta)
    plain = constant_value(step.delta)
    if nsw and plain is not None and signed(plain, step.delta.bits) >= 0 and _is_nonnegative(start):
        nuw = True  # rises from a non-negative value without signed wrap
    return Affine(start, step.delta, nsw, nuw)


def _once(loop: Loop, phi: Phi, first: Sym, nexts: set[Value]) -> _Offset | None:
    """The step of a phi that has one integer in the first and another in the second iteration of a loop that has no
    more, as optimisers make them of counters."""
    if len(nexts) != 1 or not isinstance(phi.type, IntType) or phi.type.bits == 1 or not _has_two_rounds(loop):
        return None
    second = _invariant(loop, *nexts)
    if second is None:
        return None
    low, high = constant_value(first), constant_value(second)
    step = operation("sub", second, first)
    if low == 0:
        return _Offset(phi, step, True, True)
    if low is None or high is None:
        return _Offset(phi, step, False, False)
    exact = signed(high, first.bits) - signed(low, first.bits) == signed((high - low) % (1 << first.bits), first.bits)
    return _Offset(phi, step, exact, high >= low)


def _has_two_rounds(loop: Loop) -> bool:
    """Whether a flag leaves a loop in its second iteration at the latest."""
    if len(loop.latches) != 1:
        return False
    end = loop.latches[0].terminator
    if not isinstance(end, Branch) or not end.is_conditional:
        return False
    condition, if_true, if_false = end.operands
    leaves = if_true not in loop.blocks or if_false not in loop.blocks
    return leaves and _count_flag(loop, condition, if_true in loop.blocks) is not None


def _cast_affine(inner: Affine, opcode: str, bits: int) -> Affine | None:
    if opcode == "trunc":
        start, step = operation("trunc", inner.start, bits=bits), operation("trunc", inner.step, bits=bits)
        return Affine(start, step, False, False, inner.down)
    if opcode == "sext" and inner.nsw:
        start, step = operation("sext", inner.start, bits=bits), operation("sext", inner.step, bits=bits)
        return Affine(start, step, True, False, inner.down)
    if opcode == "zext" and inner.nuw:
        # without unsigned wrap the step, too, is an unsigned amount
        start, step = operation("zext", inner.start, bits=bits), operation("zext", inner.step, bits=bits)
        return Affine(start, step, True, not inner.down, inner.down)
    return None


# --- one exit test ---------------------------------------------------------------------------------------------------


def _scaled(count: Sym, bits: int = 64) -> Sym:
    return operation("zext", count, bits=bits)


def _count_ne(iv: Affine, bound: Sym, strict: bool) -> Sym | None:
    """Smallest k with start + k*step = bound (modulo)."""
    plain = constant_value(iv.step)
    if plain is None or plain == 0:
        return None
    bits = iv.bits
    step = -signed(plain, bits) if iv.down else signed(plain, bits)
    distance = operation("sub", bound, iv.start) if step > 0 else operation("sub", iv.start, bound)
    step = abs(step)
    shift = (step & -step).bit_length() - 1
    if strict and shift:
        return None
    odd, left = step >> shift, bits - shift
    count = operation("lshr", distance, constant(shift, bits)) if shift else distance
    if odd != 1:
        count = operation("mul", count, constant(pow(odd, -1, 1 << left), bits))
        if shift:
            count = operation("and", count, constant((1 << left) - 1, bits))
    return _scaled(count)


def _order_room(bound: Sym, step: int, rises: bool, is_signed: bool, slack: int) -> bool:
    """Whether a constant bound leaves room for the value that first fails the test."""
    plain = constant_value(bound)
    if plain is None:
        return False
    bits = bound.bits
    limit = signed(plain, bits) if is_signed else plain
    low = -(1 << (bits - 1)) if is_signed else 0
    high = (1 << (bits - 1)) - 1 if is_signed else (1 << bits) - 1
    return limit + step - slack <= high if rises else limit - step + slack >= low


def _guarded_ne(loop: Loop, iv: Affine, bound: Sym, count: Sym) -> Sym | None:
    """``count`` where the branches before the loop let it be entered, else 0; None when no branch says anything."""
    plain = constant_value(iv.step)
    assert plain is not None
    falls = (signed(plain, iv.bits) < 0) != iv.down
    low, high = (bound, iv.start) if falls else (iv.start, bound)
    zero = constant(0, 64)
    for predicate in ("sle", "ule"):
        if implies_order(loop, predicate, low, high):
            return operation("select", operation(f"icmp.{predicate}", low, high), count, zero)
    values = set(sym_values(deepen(count)))
    condition: Sym | None = None
    for predicate, left, right in facts_at(loop):
        if values.intersection(sym_values(left)) or values.intersection(sym_values(right)):
            fact = operation(f"icmp.{predicate}", left, right)
            condition = fact if condition is None else operation("and", condition, fact)
    return None if condition is None else operation("select", condition, count, zero)


def _count_order(loop: Loop, predicate: str, iv: Affine, bound: Sym, strict: bool, guarded: bool = False) -> Sym | None:
    """Count for slt, sle, ult, ule (rising) and sgt, sge, ugt, uge (falling)."""
    is_signed, rises, inclusive = predicate[0] == "s", predicate[1] == "l", predicate[2] == "e"
    bits = iv.bits
    no_wrap = iv.nsw if is_signed else iv.nuw
    plain = constant_value(iv.step)
    step: Sym
    if plain is not None:
        as_signed = signed(plain, bits)
        amount = -as_signed if iv.down else as_signed
        if not is_signed and no_wrap:
            amount = -plain if iv.down else plain  # under nuw the step is an unsigned amount
        if amount == 0 or (amount > 0) != rises:
            return None
        size = abs(amount)
        # a unit step meets an exclusive bound exactly; an inclusive one only if the bound is not the last value, and if
        # it is, the loop is endless
        exact_hit = size == 1 and (not inclusive or not strict)
        if not (no_wrap or exact_hit or _order_room(bound, size, rises, is_signed, 0 if inclusive else 1)):
            return None
        step = constant(size, 64)
    else:
        # An unknown step must have the right sign if the loop is entered and left; nothing is known without leaving.
        if strict or not no_wrap or (not is_signed and iv.down == rises):
            return None
        raw = iv.step if iv.down != rises else operation("sub", constant(0, bits), iv.step)
        zero = constant(0, bits)
        step = _scaled(operation("select", operation("icmp.eq", raw, zero), constant(1, bits), raw))
    low, high = (iv.start, bound) if rises else (bound, iv.start)
    distance = _scaled(operation("sub", high, low))
    one = constant(1, 64)
    if inclusive:
        count = operation("add", operation("udiv", distance, step), one)
    elif constant_value(step) == 1:
        count = distance
    else:
        count = operation("add", operation("udiv", operation("sub", distance, one), step), one)
    kind = "s" if is_signed else "u"
    if not guarded and implies_order(loop, kind + "le", low, high):
        if inclusive or constant_value(step) == 1:
            return count
        if implies_order(loop, kind + "lt", low, high):
            return count
    stays = operation(f"icmp.{kind}{'le' if inclusive else 'lt'}", low, high)
    return operation("select", stays, count, constant(0, 64))


def _count_test(loop: Loop, compare: Compare, stays_if: bool, strict: bool, guarded: bool = False) -> Sym | None:
    """How often ``compare`` (made once per iteration) equals ``stays_if`` before it first does not."""
    if compare.opcode != "icmp":
        return None
    predicate = compare.predicate if stays_if else INVERSE[compare.predicate]
    left, right = compare.operands
    iv, bound = affine_of(loop, left), _invariant(loop, right)
    if iv is None or bound is None:
        iv, bound = affine_of(loop, right), _invariant(loop, left)
        predicate = _SWAPPED[predicate]
    if iv is None or bound is None or iv.bits != bound.bits or iv.bits > 64:
        return None
    if predicate == "ne":
        count = _count_ne(iv, bound, strict)
        return _guarded_ne(loop, iv, bound, count) if guarded and count is not None else count
    if predicate == "eq":
        if (constant_value(iv.step) or 0) == 0:
            return None
        return _scaled(operation("icmp.eq", iv.start, bound))
    return _count_order(loop, predicate, iv, bound, strict, guarded)


def _conjuncts(condition: Value, stays_if: bool) -> list[tuple[Compare, bool]]:
    """Comparisons of which each must have its value for the loop to stay."""
    found: list[tuple[Compare, bool]] = []
    work = [(condition, stays_if)]
    while work and len(found) < 8:
        value, wanted = work.pop()
        if isinstance(value, Compare):
            found.append((value, wanted))
        elif isinstance(value, BinaryOp) and value.opcode == ("and" if wanted else "or"):
            work.extend((op, wanted) for op in value.operands)
        elif isinstance(value, BinaryOp) and value.opcode == "xor":
            other = value.operands[1]
            if isinstance(other, ConstantInt) and other.value == 1:
                work.append((value.operands[0], not wanted))
        elif isinstance(value, Select) and isinstance(value.operands[2 if wanted else 1], ConstantInt):
            # select(c, x, false) stays only if c and x; select(c, true, x) leaves unless neither
            fixed = value.operands[2 if wanted else 1]
            if isinstance(fixed, ConstantInt) and bool(fixed.value) != wanted:
                work.extend(((value.operands[0], wanted), (value.operands[1 if wanted else 2], wanted)))
    return found


# --- the loop --------------------------------------------------------------------------------------------------------


def _minimum(left: Sym | None, right: Sym | None) -> Sym | None:
    if left is None or right is None:
        return right if left is None else left
    return left if left == right else operation("select", operation("icmp.ult", left, right), left, right)


def trip_count(loop: Loop, domtree: DominatorTree | None = None) -> TripCount:
    """The loop's exact back-edge count and an upper bound, where they can be proved."""
    if domtree is None:
        assert loop.forest is not None
        domtree = loop.forest.domtree
    exiting = loop.exiting_blocks
    if not exiting:
        return TripCount(None, None, "the loop has no exit")
    count: Sym | None = None
    guarded: Sym | None = None
    maximum: Sym | None = None
    reason = f"{len(loop.exits)} exits" if len(loop.exits) > 1 else ""
    for block in exiting:
        where = block_label(block)
        end = block.terminator
        if not all(domtree.dominates(block, latch) for latch in loop.latches):
            reason = reason or f"the exit test in {where} is not made in every iteration"
            continue
        if _in_inner_loop(loop, block):
            reason = reason or f"the exit in {where} leaves an inner loop as well"
            continue
        if not isinstance(end, Branch) or not end.is_conditional:
            reason = reason or f"the exit in {where} is no conditional branch"
            continue
        condition, if_true, _ = end.operands
        stays_if = if_true in loop.blocks
        for compare, wanted in _conjuncts(condition, stays_if):
            maximum = _minimum(maximum, _count_test(loop, compare, wanted, strict=True))
        twice = _count_flag(loop, condition, stays_if)
        if twice is not None:
            maximum = _minimum(maximum, twice)
            if len(loop.exits) == 1:
                count = guarded = twice
        elif len(loop.exits) == 1 and isinstance(condition, Compare):
            count = _count_test(loop, condition, stays_if, strict=False)
            guarded = _count_test(loop, condition, stays_if, strict=False, guarded=True)
        if count is None:
            reason = reason or f"the test in {where} does not compare an affine counter with an invariant bound"
    if count is not None:
        return TripCount(count, maximum if maximum is not None else count, "affine exit test", guarded)
    return TripCount(None, maximum, reason)


def _count_flag(loop: Loop, condition: Value, stays_if: bool) -> Sym | None:
    """Of a loop that asks a flag which is one thing in the first iteration and another in all others, as optimisers
    have loops of two rounds ask."""
    if not isinstance(condition, Phi) or condition.block is not loop.header or len(condition.incoming) != 2:
        return None
    known = {source in loop.blocks: value for value, source in condition.incoming}
    first, later = known.get(False), known.get(True)
    if not isinstance(first, ConstantInt) or not isinstance(later, ConstantInt):
        return None
    if bool(first.value) is not stays_if:
        return constant(0, 64)
    return constant(1, 64) if bool(later.value) is not stays_if else None


def _in_inner_loop(loop: Loop, block: Block) -> bool:
    assert loop.forest is not None
    if loop.forest.loop_of(block) is not loop:
        return True
    # an irreducible cycle inside the loop is no Loop, but may repeat the test all the same
    return bool(loop.forest.irreducible_edges) and any(
        source in loop.blocks and target in loop.blocks for source, target in loop.forest.irreducible_edges
    )


def backedge_count(loop: Loop, domtree: DominatorTree | None = None) -> Sym | None:
    """How often the back edge is taken (iterations minus one for a rotated loop), as an i64 tree; None if unknown."""
    return trip_count(loop, domtree).count


def known_rounds(loop: Loop, domtree: DominatorTree | None = None) -> int | None:
    """How often the body of a rotated loop runs when it is entered, where that is a constant."""
    count = backedge_count(loop, domtree)
    number = constant_value(count) if count is not None else None
    return number + 1 if number is not None else None


def hoist_count(loop: Loop, outer: Loop, domtree: DominatorTree | None = None) -> Sym | None:
    """The back-edge count of ``loop`` as a tree to evaluate in front of ``outer``, a loop around it (or itself).

    None when it changes from one iteration of ``outer`` to the next, or when nothing keeps the tree from garbage in
    case the inner loop is never entered.
    """
    found = trip_count(loop, domtree)
    if found.count is None or loop is outer:
        return found.count
    assert loop.forest is not None and outer.contains(loop)
    inner, always = loop, True
    while inner is not outer:
        around = inner.parent
        assert around is not None
        passed = (*around.latches, *around.exiting_blocks)
        always = always and all(loop.forest.domtree.dominates(inner.header, block) for block in passed)
        inner = around
    if always:
        return hoist_sym(found.count, outer)
    tree = hoist_sym(found.guarded, outer) if found.guarded is not None else None
    return _where_entered(loop, outer, tree) if tree is not None else None


def _where_entered(loop: Loop, outer: Loop, tree: Sym) -> Sym:
    """``tree`` where the conditions hold under which ``loop`` is entered, as far as they can be asked in front of
    ``outer``; else 0. Where they do not, a number that the loop takes for positive may be none: widened to 64 bits
    without its sign it is a count of billions."""
    known = facts_at(outer)
    numbers = _made_of(sym_values(tree))
    for predicate, left, right in facts_at(loop):
        values = [*sym_values(left), *sym_values(right)]
        if (predicate, left, right) in known or not numbers.intersection(values):
            continue
        condition = hoist_sym(operation(f"icmp.{predicate}", left, right), outer)
        if condition is not None and all(isinstance(value.type, IntType) for value in values):
            tree = operation("select", condition, tree, constant(0, 64))
    return tree


def _made_of(values: list[Value], depth: int = 6) -> set[Value]:
    """The integers that some are computed from, and they themselves."""
    found: set[Value] = set()
    for _ in range(depth):
        values = [value for value in values if isinstance(value.type, IntType) and value not in found]
        found.update(values)
        computed = (v for v in values if isinstance(v, (BinaryOp, Cast, Select)) or is_extremum(v))
        values = [operand for value in computed for operand in value.operands]  # type: ignore[attr-defined]
    return found


def max_backedge_count(loop: Loop, domtree: DominatorTree | None = None) -> Sym | None:
    """An upper bound of the back-edge count; None if none is known."""
    return trip_count(loop, domtree).maximum


def canonical_counter(loop: Loop) -> Phi | None:
    """A header phi that is 0 in the first iteration and one more in each next; i64 if there is one, else i32.

    An i32 phi counts only if it cannot wrap: its increment carries a wrap flag, or the loop's count fits.
    """
    narrow: Phi | None = None
    for phi in loop.header.phis:
        if not isinstance(phi.type, IntType) or phi.type.bits not in (32, 64):
            continue
        iv = affine_of(loop, phi)
        if iv is None or iv.down or constant_value(iv.start) != 0 or constant_value(iv.step) != 1:
            continue
        if phi.type.bits == 64:
            return phi
        if narrow is None and (iv.nsw or iv.nuw or _fits_32(loop)):
            narrow = phi
    return narrow


def _fits_32(loop: Loop) -> bool:
    """Whether the loop's back-edge count is below 2**32, by its shape."""

    def fits(sym: Sym) -> bool:
        if isinstance(sym, SymConst):
            return sym.value < 1 << 32
        if isinstance(sym, SymOp) and sym.op == "select":
            return fits(sym.args[1]) and fits(sym.args[2])
        return isinstance(sym, SymOp) and sym.op == "zext" and sym.args[0].bits <= 32

    count = max_backedge_count(loop)
    return count is not None and fits(count)


def dump(function: Function) -> str:
    """One line per loop: count, bound, reason."""
    lines = [f"trip counts of {function.name}"]
    for loop in analyse_loops(function).loops:
        found = trip_count(loop)
        counter = canonical_counter(loop)
        text = f"back edges = {found.count}" if found.count is not None else f"unknown ({found.reason})"
        if found.count is None and found.maximum is not None:
            text += f", at most {found.maximum}"
        if counter is not None:
            text += f", counter %{counter.name or '?'}"
        lines.append("  " * loop.depth + f"{block_label(loop.header)}: {text}")
    return "\n".join(lines)
