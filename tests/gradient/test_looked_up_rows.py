"""Loops over short rows that are looked up do not gather the elements of several rows."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme
from enzyme import Config
from enzyme.gradient.kept_loads import REVERSED
from enzyme.gradient.looked_up_rows import with_rows_in_turn

SOURCE = """
#include <math.h>
double f(const double *x, const int *of, int n) {
    double s = 0;
    for (int r = 0; r < n; r++) {
        const double *h = x + K * of[3 * r], *t = x + K * of[3 * r + 1], *u = x + K * of[3 * r + 2];
        double a = 0.1, b = 0.1;
        for (int k = 0; k < K; k++) a += (h[k] - t[k]) * (h[k] - t[k]);
        for (int k = 0; k < K; k++) b += (h[k] - u[k]) * (h[k] - u[k]);
        double m = 0.2 + sqrt(a) - sqrt(b);
        if (m > 0) s += m;
    }
    return s;
}
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;
void slope(const double *x, double *dx, const int *of, int n) {
    __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, of, n);
}
double along(const double *x, const double *v, const int *of, int n) {
    return __enzyme_fwddiff((void *)f, enzyme_dup, x, v, enzyme_const, of, n);
}
"""


@pytest.mark.parametrize("length", [7, 8, 24, 33])
def test_margins_of_rows(length: int) -> None:
    rng = np.random.default_rng(length)
    x, v = rng.uniform(-1, 1, (2, 9 * length))
    of = rng.integers(0, 9, 60).astype(np.int32)
    found = []
    for on in (True, False):
        module = enzyme.compile(SOURCE.replace("K", str(length)), config=Config(rows_in_turn=on))
        dx = np.zeros_like(x)
        module["slope"](x, dx, of, 20)
        assert dx @ v == pytest.approx(module["along"](x, v, of, 20), rel=1e-11)
        found.append(dx)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12, atol=1e-13)


LOOP = """
define void @f(ptr %x, ptr %of, ptr %y, i64 %n) {
start:
  br label %rows
rows:
  %COUNTER = phi i64 [ 0, %start ], [ %next, %behind ]
  %at = getelementptr i64, ptr %of, i64 %COUNTER
  %looked.up = load i64, ptr %at
  %first = mul nsw i64 WHICH, 24
  %row = getelementptr double, ptr %x, i64 %first
  br label %along
along:
  %k = phi i64 [ 0, %rows ], [ %more, %along ]
  %s = phi double [ 0.0, %rows ], [ %t, %along ]
  %p = getelementptr double, ptr %row, i64 STEP
  %v = load double, ptr %p
  %t = fadd double %s, %v
  %more = add nuw nsw i64 %k, 1
  %end = icmp eq i64 %more, ROUNDS
  br i1 %end, label %behind, label %along
behind:
  %sum = phi double [ %t, %along ]
  %q = getelementptr double, ptr %y, i64 %COUNTER
  store double %sum, ptr %q
  %next = add nuw nsw i64 %COUNTER, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %rowsSAID
out:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
"""


def _told(
    which: str = "%looked.up", rounds: str = "24", step: str = "%k", name: str = REVERSED, said: str = ""
) -> bool:
    text = LOOP.replace("COUNTER", f"{name}i").replace("WHICH", which.replace("COUNTER", f"{name}i"))
    text = text.replace("ROUNDS", rounds).replace("STEP", step).replace("SAID", said)
    made = with_rows_in_turn(text)
    assert made is None or made.count("llvm.loop.vectorize.enable") == 1
    return made is not None


def test_which_loops_are_told() -> None:
    assert _told()
    assert _told(rounds="8")
    assert not _told(rounds="7")
    assert not _told(rounds="65")  # LLVM makes a loop of vectors of it
    assert not _told(rounds="%n")
    assert not _told("%COUNTER")  # rows that lie one behind the other
    assert not _told("%n")
    assert not _told(step="%first")  # not along the row
    assert not _told(name="own")  # the program's own loop
    assert not _told(said=", !llvm.loop !0")
