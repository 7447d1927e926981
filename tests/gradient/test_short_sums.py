"""Which loops of derivatives are unrolled four times, and that their sums are the same."""

from __future__ import annotations

import re

import numpy as np
import pytest

import enzyme
from enzyme.gradient.short_sums import may_have_sums, unroll_sums
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module

SOURCE = """
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
extern double fabs(double), exp(double);
static double f(const double *x, const double *a, long n, long m) {
  double all = 0;
  BODY
  return all;
}
double primal(const double *x, const double *a, long n, long m) { return f(x, a, n, m); }
void gradient(const double *x, double *dx, const double *a, long n, long m) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, a, enzyme_const, n, enzyme_const, m);
}
"""
ROWS = "for (long i = 0; i < n; i++) { double s = 0; INNER all += s * s; }"
INNER = "for (long j = 0; j < m; j++) s += a[i * m + j] * x[j];"


def compiled(body: str, **settings: bool) -> enzyme.Module:
    return enzyme.compile(SOURCE.replace("BODY", body), config=enzyme.Config(**settings))  # type: ignore[arg-type]


def unrolled(text: str) -> int:
    """How many loops say that they are to be unrolled."""
    counts = re.findall(r'^!(\d+) = !\{!"llvm.loop.unroll.count", i32 4\}', text, re.MULTILINE)
    return len([each for each in counts if re.search(rf"^!\d+ = distinct !\{{.*!{each}\b", text, re.MULTILINE)])


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (ROWS.replace("INNER", INNER), True),
        (ROWS.replace("INNER", "for (long j = 0; j < m; j++) { double d = x[j] - a[j]; s -= d * d; }"), True),
        ("for (long j = 0; j < m; j++) all += a[j] * x[j];", False),  # by itself
        (ROWS.replace("INNER", INNER.replace("j < m", "j < 6")), False),  # LLVM knows how often
        (ROWS.replace("INNER", "{ _Pragma(\"clang fp reassociate(on)\") " + INNER + " }"), False),
        (ROWS.replace("INNER", INNER.replace("x[j]", "exp(x[j])")), False),
        (ROWS.replace("INNER", "for (long j = 0; j < m; j++) s = a[i * m + j] * x[j];"), False),
    ],
)  # fmt: skip
def test_which(body: str, found: bool) -> None:
    text = compiled(body).ir("differentiated")
    assert (unrolled(text) > 0) == found == may_have_sums(text)
    assert not may_have_sums(compiled(body, short_sums=False).ir("differentiated"))


@pytest.mark.parametrize("m", range(12))
def test_sums_stay_as_they_are(m: int) -> None:
    """To the last bit, whatever is left behind the unrolled loop."""
    n, random = 5, np.random.default_rng(m)
    x, a = random.normal(size=max(m, 1)), random.normal(size=n * max(m, 1))
    found = []
    for on in (True, False):
        dx = np.zeros_like(x)
        module = compiled(ROWS.replace("INNER", INNER), short_sums=on)
        module["gradient"](x, dx, a, n, m)
        found.append(dx)
    assert np.array_equal(*found)
    rows = a[: n * m].reshape(n, m)
    assert found[0][:m] == pytest.approx(2 * rows.T @ (rows @ x[:m]), rel=1e-12, abs=1e-12)


NEST = """
define double @f(ptr %a, i64 %n) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %after ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %sum = phi double [ 0.0, %outer ], [ %more, %inner ]
  %at = getelementptr double, ptr %a, i64 %j
  %value = load double, ptr %at
  %more = fadd double %sum, %value
  %j.next = add nuw nsw i64 %j, 1
  %last = icmp eq i64 %j.next, %n
  br i1 %last, label %after, label %inner, !llvm.loop !0
after:
  %i.next = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %i.next, %n
  br i1 %end, label %out, label %outer
out:
  ret double %more
}
!0 = distinct !{!0, !1}
!1 = !{SAYS}
"""


@pytest.mark.parametrize(
    ("says", "hinted"), [('!"llvm.loop.mustprogress"', True), ('!"llvm.loop.unroll.count", i32 2', False)]
)
def test_what_is_said_of_a_loop_stays(says: str, hinted: bool) -> None:
    module = parse_module(NEST.replace("SAYS", says))
    for _ in range(2):  # the second time it has been said
        unroll_sums(module, module.functions.values())
    text = print_module(module)
    assert says in text and unrolled(text) == hinted
    assert (re.search(r"^!\d+ = distinct !\{!\d+, !1, !\d+, !\d+\}", text, re.MULTILINE) is not None) == hinted
