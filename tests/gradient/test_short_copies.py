"""Snapshots of short arrays are taken number by number, on CPUs where that is asked for, and are the same."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import enzyme
from enzyme.gradient.short_copies import LONGEST, with_short_copies

PROGRAM = """
#include <stdlib.h>
#include <math.h>
void __enzyme_autodiff(void *, ...);
extern int enzyme_const, enzyme_dup;
static TYPE f(const TYPE *x, int n, int steps) {
  TYPE *y = malloc(n * sizeof(TYPE)), *v = calloc(n, sizeof(TYPE)), s = 0;
  for (int i = 0; i < n; i++) y[i] = x[i];
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++) {
        TYPE d = y[j] - y[i], r = d * d + (TYPE)0.1, pull = (TYPE)0.01 / (r * sqrt(r));
        v[i] += d * pull;
        v[j] -= d * pull;
      }
    for (int i = 0; i < n; i++) y[i] += (TYPE)0.02 * v[i];
  }
  for (int i = 0; i < n; i++) s += y[i] * y[i] * (i + 1);
  free(y), free(v);
  return s;
}
void reverse(TYPE *x, TYPE *dx, int n, int steps) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n, enzyme_const, steps);
}
"""


@cache
def program(type: str, **options: bool) -> enzyme.Module:
    return enzyme.compile(PROGRAM.replace("TYPE", type), config=enzyme.Config(cache=None, **options))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a CPU of which LLVM prefers halves of its registers."""
    monkeypatch.setattr("enzyme.llvm.codegen.works_on_whole", lambda *_: True)
    monkeypatch.setattr("enzyme.llvm.codegen.makes_whole_vectors", lambda *_: False)


@pytest.mark.usefixtures("asked")
def test_which() -> None:
    assert "copy.number" in program("double").ir()
    assert "copy.number" not in program("double", snapshots=False).ir()


def test_not_elsewhere() -> None:
    for cpu in ("znver4", "znver5", "haswell"):
        text = enzyme.compile(PROGRAM.replace("TYPE", "double"), config=enzyme.Config(cache=None, cpu=cpu)).ir()
        assert "%snapshot" in text and "copy.number" not in text


@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize(("type", "dtype", "tolerance"), [("double", "f8", 1e-11), ("float", "f4", 2e-3)])
def test_values(type: str, dtype: str, tolerance: float) -> None:
    """No number, one, as many as are copied one by one, and more; floats whose bytes are no multiple of eight."""
    most = LONGEST // np.dtype(dtype).itemsize
    for n in (0, 1, 2, 5, 7, most - 1, most, most + 1, most + 3):
        x = (np.arange(n) + np.random.default_rng(n).uniform(-0.2, 0.2, n)).astype(dtype)
        found = []
        for module in (program(type), program(type, snapshots=False)):
            shadow = np.zeros_like(x)
            module["reverse"](x, shadow, n, 3)
            found.append(shadow)
        np.testing.assert_allclose(found[0], found[1], rtol=tolerance, atol=tolerance)
        assert n == 0 or found[0].any()


def test_a_constant_length_stays() -> None:
    text = (
        "define void @f(ptr %snapshot, ptr %x) {\n"
        "  call void @llvm.memcpy.p0.p0.i64(ptr %snapshot, ptr %x, i64 64, i1 false)\n  ret void\n}\n"
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
    )
    assert "copy.number" not in with_short_copies(text)
    assert "copy.number" in with_short_copies(text.replace("i64 64,", "i64 %n,").replace("ptr %x)", "ptr %x, i64 %n)"))
