"""Stores of what is handed from one iteration to the next do not keep LLVM from making vectors."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme
from enzyme import Config
from enzyme.gradient.kept_loads import REVERSED
from enzyme.gradient.late_stores import with_late_stores
from enzyme.llvm.codegen import vector_bytes

SOURCE = """
double f(double *x, double *w, int n) {
  double *u = x, *v = w, s = 0;
  for (int t = 0; t < 5; t++) {
    for (int i = 1; i < n - 1; i++) v[i] = u[i] + 0.2 * (u[i - 1] - 2 * u[i] + u[i + 1]) / (1 + u[i] * u[i]);
    v[0] = u[0], v[n - 1] = u[n - 1];
    double *other = u;
    u = v, v = other;
  }
  for (int i = 0; i < n; i++) s += u[i] * u[i];
  return s;
}
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;
void slope(double *x, double *dx, double *w, double *dw, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, w, dw, enzyme_const, n);
}
double along(double *x, double *v, double *w, double *dw, int n) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, x, v, enzyme_dup, w, dw, enzyme_const, n);
}
"""


@pytest.mark.parametrize("n", [2, 3, 4, 9, 40, 203])
def test_steps_between_two_buffers(n: int) -> None:
    rng = np.random.default_rng(n)
    x, v = rng.uniform(-1, 1, (2, n))
    found = []
    for on in (True, False):
        module = enzyme.compile(SOURCE, config=Config(late_stores=on))
        dx = np.zeros(n)
        module["slope"](x.copy(), dx, np.zeros(n), np.zeros(n), n)
        tangent = module["along"](x.copy(), v.copy(), np.zeros(n), np.zeros(n), n)
        assert dx @ v == pytest.approx(tangent, rel=1e-11)
        found.append(dx)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12, atol=1e-13)


@pytest.mark.skipif(vector_bytes("", "") < 16, reason="no vectors here")
def test_quotients_are_in_vectors() -> None:
    quotients = [enzyme.compile(SOURCE, config=Config(late_stores=on)).ir().count("fdiv <") for on in (True, False)]
    assert quotients[0] > quotients[1]


LOOP = """
define void @f(ptr noalias %kept, ptr %u, ptr %v, i64 %n) {
start:
  %second = getelementptr i8, ptr %u, i64 8
  %given = load double, ptr %second
  br label %loop
loop:
  %COUNTER = phi i64 [ 1, %start ], [ %next, %loop ]
  %here = phi double [ %given, %start ], [ %there, %loop ]
  %at = getelementptr double, ptr KEPT, i64 %COUNTER
  FIRST
  %p = getelementptr double, ptr %u, i64 %COUNTER
  %before = getelementptr i8, ptr %p, i64 -8
  %left = load double, ptr %before
  %next = add nuw nsw i64 %COUNTER, 1
  %behind = getelementptr double, ptr %u, i64 %next
  %there = HANDED
  %both = fadd double %left, %there
  %all = fadd double %both, %here
  %to = getelementptr double, ptr %v, i64 %COUNTER
  store double %all, ptr %to
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  ret void
}
declare double @unknown(double)
"""


def _moved(
    kept: str = "%kept",
    first: str = "store double %here, ptr %at",
    handed: str = "load double, ptr %behind",
    name: str = REVERSED,
) -> bool:
    text = LOOP.replace("KEPT", kept).replace("FIRST", first).replace("HANDED", handed).replace("COUNTER", f"{name}i")
    made = with_late_stores(text)
    if made is None:
        return False
    lines = [line.strip() for line in made.splitlines()]
    handed_on = next(at for at, line in enumerate(lines) if line.startswith("%there ="))
    stores = [at for at, line in enumerate(lines) if line.startswith("store")]
    assert all(at > handed_on for at in stores)
    return True


def test_which_stores_are_moved() -> None:
    assert _moved()
    assert _moved(first="%twice = fmul double %here, 2.0\n  store double %twice, ptr %at")
    assert not _moved(kept="%v")  # which may be where the next number is read
    assert not _moved(first="store volatile double %here, ptr %at")
    assert not _moved(first="%g = call double @unknown(double %here)\n  store double %g, ptr %at")
    assert not _moved(handed="fadd double %left, %here")  # a sum
    assert not _moved(first="store double 1.0, ptr %at")  # nothing of what was handed on
    assert not _moved(name="own")  # the program's own loop


def test_stores_stay_in_order() -> None:
    first = "%twice = fmul double %here, 2.0\n  store double %here, ptr %at\n  store double %twice, ptr %at"
    text = LOOP.replace("KEPT", "%kept").replace("FIRST", first).replace("HANDED", "load double, ptr %behind")
    made = with_late_stores(text.replace("COUNTER", f"{REVERSED}i")) or ""
    assert 0 < made.index("%there =") < made.index("store double %here") < made.index("store double %twice")
