"""Short loops that add to several rows run once for each row where they may, and nowhere else."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import enzyme
from enzyme import Config
from enzyme.gradient.kept_loads import REVERSED
from enzyme.gradient.parted_sums import with_parted_sums
from enzyme.ir.parser import parse_module
from enzyme.ir.values import Block, GetElementPtr, Store

PRODUCTS = """
#include <math.h>
double f(const double *x, const double *y, const int *of, int pairs) {
    double s = 0;
    for (int r = 0; r < pairs; r++) {
        const double *u = x + K * of[2 * r], *v = y + K * of[2 * r + 1];
        double p = 0;
        for (int k = 0; k < K; k++) p += TERM;
        s += (p - r) * (p - r);
    }
    return s;
}
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;
void slope(const double *x, double *dx, const double *y, double *dy, const int *of, int pairs) {
    __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, of, pairs);
}
double along(const double *x, const double *v, const double *y, const double *w, const int *of, int pairs) {
    return __enzyme_fwddiff((void *)f, enzyme_dup, x, v, enzyme_dup, y, w, enzyme_const, of, pairs);
}
"""


@cache
def _module(length: int, term: str = "u[k] * v[k]", **options: bool) -> enzyme.Module:
    source = PRODUCTS.replace("TERM", term).replace("K", str(length))
    return enzyme.compile(source, config=Config(**options))


def _slopes(module: enzyme.Module, length: int, apart: bool) -> np.ndarray:
    """Checked against forward mode; ``apart``: there are two tables, else one, which is given twice."""
    rng = np.random.default_rng(length)
    x, v = (rng.uniform(-1, 1, 8 * length) for _ in range(2))
    y, w = (rng.uniform(-1, 1, 8 * length) for _ in range(2)) if apart else (x, v)
    of = rng.integers(0, 8, 40).astype(np.int32)
    of[4:8] = 3  # twice a row with itself
    dx = np.zeros_like(x)
    dy = np.zeros_like(x) if apart else dx
    module["slope"](x, dx, y, dy, of, 20)
    found = dx @ v + (dy @ w if apart else 0)
    assert found == pytest.approx(module["along"](x, v, y, w, of, 20), rel=1e-11)
    return np.concatenate((dx, dy))


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize("length", [3, 4, 7, 16, 20, 32, 33])
def test_products_of_rows(length: int, apart: bool) -> None:
    found = []
    for on in (True, False):
        module = _module(length, parted_sums=on)
        found.append(_slopes(module, length, apart))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12, atol=1e-14)


def _parts(length: int, term: str = "u[k] * v[k]", **options: bool) -> int:
    """How many loops were put in front of others, before the optimiser goes over them."""
    from enzyme.gradient import parted_sums

    made = []
    part = parted_sums._part

    def counted(function, loop, parts):  # type: ignore[no-untyped-def]
        made.append(len(parts) - 1)
        part(function, loop, parts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parted_sums, "_part", counted)
        source = PRODUCTS.replace("TERM", term).replace("K", str(length))
        enzyme.compile(source, config=Config(**options)).ir()
    return sum(made)


def test_where_it_is_done() -> None:
    assert _parts(16) == 1
    assert _parts(16, "u[k] * v[k] * u[k + 1]") >= 1
    assert _parts(3) == 0  # unrolled before
    assert _parts(33) == 0  # LLVM compares addresses
    assert _parts(16, "u[k] * u[k]") == 0  # one row
    assert _parts(16, "u[k] / v[k]") == 0  # would divide for each row
    assert _parts(16, parted_sums=False) == 0
    assert _parts(16, reassociate=False) == 0


def test_order_of_the_program() -> None:
    """What the program itself adds to rows that may be one keeps its order, and so its bits."""
    source = """
    void __enzyme_autodiff(void *, ...);
    extern int enzyme_dup, enzyme_const;
    double f(const double *restrict x, double *restrict y, int a, int b, int n) {
        double s = 0;
        for (int r = 0; r < n; r++) {
            for (int k = 0; k < 16; k++) {
                y[a + k] += x[k] * 9007199254740992.0;
                y[b + k] += x[k + r];
            }
        }
        for (int k = 0; k < 40; k++) s += y[k] * y[k];
        return s;
    }
    void slope(const double *x, double *dx, double *y, double *dy, int a, int b, int n) {
        __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, a, b, n);
    }
    """
    rng = np.random.default_rng(1)
    x, given = rng.uniform(-1, 1, 24), rng.uniform(-1, 1, 40)
    for a, b in ((0, 20), (0, 0), (0, 3), (5, 1)):
        wanted = given.copy()
        for r in range(3):
            for k in range(16):
                wanted[a + k] += x[k] * 9007199254740992.0
                wanted[b + k] += x[k + r]
        y = given.copy()
        module = enzyme.compile(source)
        module["slope"](x, np.zeros_like(x), y, np.ones_like(y), a, b, 3)
        np.testing.assert_array_equal(y, wanted)


LOOP = """
define void @f(ptr noalias %x, ptr noalias %y, ptr %a, ptr %b, ptr %of, i1 %c) {
start:
  br label %loop
loop:
  %COUNTER = phi i64 [ 0, %start ], [ %next, %latch ]
  %px = getelementptr double, ptr %x, i64 %COUNTER
  %amount = load double, ptr %px
BODY
  br label %latch
latch:
  %next = add nuw nsw i64 %COUNTER, 1
  %done = icmp eq i64 %next, 16
  br i1 %done, label %end, label %loop END
end:
  ret void
}
declare void @g()
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
""".replace("COUNTER", f"{REVERSED}i")


def _sum(row: str, amount: str = "%amount", type: str = "double", index: str = f"%{REVERSED}i") -> str:
    """``row[index] += amount``."""
    name = f"%{row}{type}{index.strip('%')}".replace(".", "_")
    return f"""
  {name}.p = getelementptr {type}, ptr %{row}, i64 {index}
  {name}.l = load {type}, ptr {name}.p
  {name}.s = fadd {type} {name}.l, {amount}
  store {type} {name}.s, ptr {name}.p"""


BOTH = _sum("a") + _sum("b")
NEXT = f"  %n = add i64 %{REVERSED}i, 1"
TWICE = f"  %n = shl i64 %{REVERSED}i, 1"
READ = "  %read = load double, ptr %of"


def _loops(body: str, end: str = "") -> list[str]:
    """The stores of each loop there is once sums are parted, by the rows they go to."""
    text = LOOP.replace("BODY", body).replace("END", end)
    if "%branch" not in body:  # one block
        text = text.replace("  br label %latch\nlatch:\n", "").replace("%next, %latch", "%next, %loop")
    made = with_parted_sums(text)
    function = parse_module(made).functions["f"] if made else None
    return sorted(rows for block in function.blocks if (rows := " ".join(_rows(block)))) if function else []


def _rows(block: Block) -> list[str]:
    stores = [each for each in block.instructions if isinstance(each, Store)]
    return [each.pointer.operands[0].name or "" for each in stores if isinstance(each.pointer, GetElementPtr)]


def test_rows_of_a_loop() -> None:
    assert _loops(BOTH) == ["a", "b"]
    assert _loops(NEXT + BOTH + _sum("a", index="%n")) == ["a", "a", "b"]  # the next one may be this one, later
    assert _loops(_sum("y") + BOTH) == ["b", "y a"]  # y is apart from both
    assert _loops(BOTH + _sum("y")) == ["a y", "b"]


@pytest.mark.parametrize(
    "body",
    [
        _sum("a") + _sum("y"),
        _sum("a") + _sum("b", type="float", amount="1.0"),
        BOTH + "\n  store double %amount, ptr %of",
        BOTH + "\n  call void @g()",
        BOTH.replace("store", "store volatile"),
        TWICE + _sum("a") + _sum("b", index="%n"),
        READ + _sum("a", "%read") + _sum("b"),
        "  %row = load ptr, ptr %px" + _sum("a") + _sum("row"),
        BOTH + "\n  br i1 %c, label %branch, label %latch\nbranch:",
    ],
    ids=[
        "apart", "types", "a store", "a call", "volatile", "stride", "a read", "rows change", "a branch"
    ],
)  # fmt: skip
def test_loops_that_stay_as_they_are(body: str) -> None:
    assert _loops(body) == []


def test_what_the_program_says_of_a_loop() -> None:
    assert _loops(BOTH, ", !llvm.loop !0") == []


def test_loops_of_the_program_itself() -> None:
    """Those of no reverse sweep, in a function with numbers of one."""
    ours = LOOP.replace("BODY", BOTH).replace("END", "").replace("br label %latch\nlatch:", "").replace("latch", "loop")
    theirs = ours.replace(REVERSED, "own").replace("amount", REVERSED)
    assert with_parted_sums(ours)
    assert with_parted_sums(theirs) is None
