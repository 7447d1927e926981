"""The expression language: questions, simplification, evaluation, emission."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from enzyme.rules.expr import (
    Binary,
    Const,
    Cost,
    Expr,
    Fn,
    I,
    IntConst,
    IntOffset,
    IntOperand,
    IntX,
    Leaf,
    Named,
    Neg,
    Operand,
    R,
    Result,
    Select,
    X,
    cmp,
    compare,
    cost,
    emit,
    evaluate,
    fn,
    functions,
    leaves,
    needs_result,
    operand_indices,
    select,
    simplify,
)
from enzyme.rules.literals import literal

constants = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, 0.1, -7.25, math.inf])
leaf_trees: st.SearchStrategy[Expr] = st.one_of(
    constants.map(Const), st.sampled_from([X(0), X(1), R, Named("ln2"), IntX(2)])
)


def _grow(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    predicates = st.sampled_from(["oeq", "olt", "oge", "uno", "une"])
    return st.one_of(
        st.builds(Binary, st.sampled_from(["add", "sub", "mul", "div"]), inner, inner),
        inner.map(Neg),
        st.builds(lambda p, a, b, t, f: Select(cmp(p, a, b), t, f), predicates, inner, inner, inner, inner),
        inner.map(lambda a: Fn("fabs", (a,))),
    )


trees = st.recursive(leaf_trees, _grow, max_leaves=12)
numbers = st.floats(allow_nan=False, width=32, min_value=-1e6, max_value=1e6)


@given(trees, numbers, numbers, numbers, st.integers(-5, 5))
def test_simplify_keeps_values(tree: Expr, x: float, y: float, r: float, n: int) -> None:
    """Equal numbers. Only the sign of a zero may differ, which a division turns into the sign of an infinity."""
    before, after = evaluate(tree, (x, y, n), r), evaluate(simplify(tree), (x, y, n), r)
    text = str(tree)
    if "/" not in text:
        assert before == after or (math.isnan(before) and math.isnan(after))
    elif "?" not in text and math.isfinite(before) and math.isfinite(after):
        assert before == after


@given(trees)
def test_simplify_is_idempotent_and_never_grows(tree: Expr) -> None:
    once = simplify(tree)
    assert simplify(once) == once
    assert leaves(once) <= leaves(tree) and cost(once) <= cost(tree)
    assert len(str(once)) <= len(str(tree)) + 2


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (X(0) * 1, X(0)),
        (-(-X(0) - X(1)), X(1) + X(0)),
        (1 * X(0), X(0)),
        (X(0) * -1, -X(0)),
        (0 + X(0), X(0)),
        (X(0) - 0, X(0)),
        (0 - X(0), -X(0)),
        (Neg(Neg(X(0))), X(0)),
        (X(0) / 1, X(0)),
        (X(0) + -X(1), X(0) - X(1)),
        (X(0) - -X(1), X(0) + X(1)),
        (-(X(0) - X(1)), X(1) - X(0)),
        (-X(0) * -X(1), X(0) * X(1)),
        (Const(2.0) * 3.0, Const(6.0)),
        (Const(1.0) / 3.0, Const(1.0) / 3.0),  # not exact: kept
        (X(0) * 0, X(0) * 0),  # not zero for infinities
        (select(cmp("olt", X(0), X(1)), R, R), R),
        (IntOffset(IntOffset(I(0), 1), -1), I(0)),
        (IntOffset(IntConst(1), 1), IntConst(2)),
    ],
)
def test_simplify(tree: Expr, expected: Expr) -> None:
    assert simplify(tree) == expected


def test_questions() -> None:
    tree = X(1) * fn("pow", X(0), X(1) - 1) + R / IntX(2)
    assert leaves(tree) == {Operand(0), Operand(1), Result(0), IntOperand(2)}
    assert operand_indices(tree) == {0, 1, 2} and needs_result(tree)
    assert functions(tree) == {"pow"}
    assert cost(tree) == Cost.TRANSCENDENTAL
    assert cost(R / X(0)) == cost(fn("sqrt", X(0))) == Cost.DIVISION
    assert cost(X(0) * R) == cost(fn("copysign", 1, X(0))) == Cost.CHEAP


def test_constants_compare_by_bits() -> None:
    assert Const(0.0) != Const(-0.0) and hash(Const(1.0)) == hash(Const(1.0))
    assert Const(math.nan) == Const(math.nan)


@pytest.mark.parametrize("predicate", "oeq ogt oge olt ole one ueq ugt uge ult ule une ord uno true false".split())
def test_comparisons_follow_llvm(predicate: str) -> None:
    for a in (0.0, 1.0, math.nan):
        for b in (0.0, 1.0, math.nan):
            unordered = math.isnan(a) or math.isnan(b)
            base = {"eq": a == b, "ne": a != b, "gt": a > b, "ge": a >= b, "lt": a < b, "le": a <= b}.get(predicate[1:])
            if base is None:
                expected = {"ord": not unordered, "uno": unordered, "true": True, "false": False}[predicate]
            else:
                expected = (predicate[0] == "u") if unordered else base
            assert compare(predicate, a, b) == expected


class Recorder:
    """A maker of 'code' that is a list of lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def _new(self, text: str) -> str:
        self.lines.append(text)
        return f"t{len(self.lines) - 1}"

    def const(self, value: float | Fraction, type: str) -> str:
        return f"{type} {float(value):g}"

    def int_const(self, value: int) -> str:
        return str(value)

    def add(self, left: str, right: str) -> str:
        return self._new(f"add {left}, {right}")

    def sub(self, left: str, right: str) -> str:
        return self._new(f"sub {left}, {right}")

    def mul(self, left: str, right: str) -> str:
        return self._new(f"mul {left}, {right}")

    def div(self, left: str, right: str) -> str:
        return self._new(f"div {left}, {right}")

    def neg(self, value: str) -> str:
        return self._new(f"neg {value}")

    def fn(self, name: str, args: Sequence[str], type: str) -> str:
        return self._new(f"{name} {', '.join(args)}")

    def cmp(self, predicate: str, left: str, right: str) -> str:
        return self._new(f"cmp {predicate} {left}, {right}")

    def select(self, condition: str, if_true: str, if_false: str) -> str:
        return self._new(f"select {condition}, {if_true}, {if_false}")

    def int_to_float(self, value: str, type: str) -> str:
        return self._new(f"float {value}")

    def int_add(self, value: str, amount: int) -> str:
        return self._new(f"iadd {value}, {amount}")


def _leaf(leaf: Leaf) -> str:
    return str(leaf)


def test_emit_shares_equal_subtrees() -> None:
    build, shared = Recorder(), dict[Expr, str]()
    reciprocal = 1.0 / X(1)
    first = emit(reciprocal, build, _leaf, "double", shared)
    second = emit(-(R * reciprocal), build, _leaf, "double", shared)
    assert build.lines == ["div double 1, x1", f"mul r, {first}", "neg t1"] and second == "t2"


def test_emit_every_node() -> None:
    build = Recorder()
    tree = (
        select(cmp("oeq", IntX(1), 0.0), Named("ln2"), fn("powi", X(0), IntOffset(I(1), -1)) - -R) + fn("jn", X(0)) * 2
    )
    emit(tree, build, _leaf, "f")
    assert build.lines == [
        "float n1", "cmp oeq t0, f 0", "iadd n1, -1", "powi x0, t2", "neg r", "sub t3, t4",
        "select t1, f 0.693147, t5", "jn x0", "mul t7, f 2", "add t6, t8",
    ]  # fmt: skip


# --- literals --------------------------------------------------------------------------------------------------------


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_literals_of_doubles_are_exact(value: float) -> None:
    import struct

    bits = struct.unpack("<Q", struct.pack("<d", value if value else 0.0))[0]
    assert literal(Fraction(value), "double") == f"0x{bits:016X}"


@given(st.fractions(min_value=-(10**30), max_value=10**30))
def test_literals_round_as_python_does(value: Fraction) -> None:
    from enzyme.ir.types import FloatType
    from enzyme.ir.values import ConstantFloat

    nearest = value.numerator / value.denominator
    assert literal(value, "double") == literal(Fraction(nearest), "double")
    for kind, bits in (("half", 11), ("bfloat", 8), ("float", 24), ("x86_fp80", 64), ("fp128", 113)):
        if kind == "half" and abs(value) > 60000:
            continue
        read = ConstantFloat(FloatType(kind), literal(value, kind)).value
        tiny = {"half": 2.0**-24, "bfloat": 1e-40, "float": 1e-45, "x86_fp80": 0.0, "fp128": 0.0}[kind]
        assert abs(read - nearest) <= abs(nearest) * 2.0 ** -min(bits, 52) + tiny


def test_named_constants() -> None:
    for name, value in (("pi", math.pi), ("ln2", math.log(2)), ("ln10", math.log(10)), ("1/ln2", 1 / math.log(2)),
                        ("1/ln10", 1 / math.log(10)), ("2/sqrt(pi)", 2 / math.sqrt(math.pi)), ("1/pi", 1 / math.pi),
                        ("pi/180", math.pi / 180)):  # fmt: skip
        assert float(Named(name).exact) == pytest.approx(value, rel=1e-15)
    assert literal(Named("pi").exact, "x86_fp80") == "0xK4000C90FDAA22168C235"
