"""Which loops load neighbours on a ring by themselves, and that what they compute is right either way."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import enzyme
from enzyme.gradient import ring_loads
from enzyme.llvm.codegen import vector_bytes

PROGRAM = """
#include <math.h>
#include <stdlib.h>
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_const, enzyme_dup;
static double f(const double *restrict x, const long *restrict p, double *restrict z, int n) {
  double s = 0.3, a = x[0], *u = malloc(sizeof(double) * (n + 1)), *y = malloc(sizeof(double) * (n + 1));
  for (int i = 0; i <= n; i++) u[i] = sin(x[i]), y[i] = 0;
  LOOP
  for (int i = 0; i < n; i++) s += sin(y[i]) * y[i];
  free(u), free(y);
  return s;
}
void reverse(double *x, double *dx, long *p, double *z, double *dz, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, p, enzyme_dup, z, dz, enzyme_const, n);
}
double forward(double *x, double *dx, long *p, double *z, double *dz, int n) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, x, dx, enzyme_const, p, enzyme_dup, z, dz, enzyme_const, n);
}
"""
RING = "for (int i = 0; i < n; i++) { int l = i == 0 ? n - 1 : i - 1, r = i == n - 1 ? 0 : i + 1; "
RINGS = {
    "a ring": RING + "y[i] = u[l] * u[r] - u[i] * a; }",
    "indices of 64 bits": "for (long i = 0; i < n; i++) { long r = i + 1 == n ? 0 : i + 1; y[i] = u[r] * u[i]; }",
    "one that is not equal": "for (long i = 0; i < n; i++) { long r = i != n - 1 ? i + 1 : 0; y[i] = u[r] * u[i]; }",
    "a ring downwards": "for (int i = n - 1; i >= 0; i--) { int l = i == 0 ? n - 1 : i - 1; y[i] = u[l] * u[l]; }",
    "elsewhere": "long at = p[0], q = p[1]; for (long i = 0; i < n; i++) y[i] = u[i] * u[i == at ? q : i + 1];",
    "two rows": "int m = n / 2; for (int k = 0; k < 2; k++) for (int i = 0; i < m; i++) "
    "y[k * m + i] = u[k * m + (i == 0 ? m - 1 : i - 1)] * u[(1 - k) * m + (i == m - 1 ? 0 : i + 1)];",
    "a branch": RING + "double v = u[l] * u[r]; if (p[0] > 3) v += u[i] * sqrt(v * v + 1); y[i] = v; }",
    "both in one": "for (int i = 0; i < n; i++) { int l = i == 0 ? n - 1 : i - 1; y[i] = u[l] * x[l]; z[i] = u[l]; }",
}
NOT = {
    "no choice": "for (int i = 0; i < n; i++) y[i] = u[i] * u[i + 1];",
    "written in place": RING + "u[i] = u[l] * u[r] * 0.5 + a; y[i] = u[i]; }",
    "a sum in order": RING + "s += u[l] * u[r] * u[i]; y[i] = s; }",
    "now and then": RING + "if (p[i] > 0) y[i] = u[l] * u[r]; }",
    "in steps of two": "for (int i = 0; i < n / 2; i++) { int l = i == 0 ? n - 1 : 2 * i; y[i] = u[l] * u[l]; }",
    "another place each time": "for (int i = 0; i < n; i++) { int l = p[i] ? i : n - 1 - i; y[i] = u[l] * u[l]; }",
    "a known few": "for (int i = 0; i < 8; i++) { int l = i == 0 ? 7 : i - 1; y[i] = u[l] * u[l]; }",
}
LOOPS = {**RINGS, **NOT}
pytestmark = pytest.mark.skipif(vector_bytes("native") < 32, reason="no masked loads")


def compiled(loop: str, pipeline: str = "post", **settings: bool) -> enzyme.Module:
    config = enzyme.Config(**settings)  # type: ignore[arg-type]
    return enzyme.compile(PROGRAM.replace("LOOP", loop), pipeline=pipeline, config=config)


program = cache(compiled)


def seen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What comes of the programs that are looked at from here on."""
    made: list[str] = []
    original = ring_loads.with_ring_loads

    def spy(text: str) -> str | None:
        changed = original(text)
        made.append(changed or "")
        return changed

    monkeypatch.setattr(ring_loads, "with_ring_loads", spy)
    return made


def rings_of(loop: str, monkeypatch: pytest.MonkeyPatch, **settings: object) -> int:
    """How many loops were made to load so."""
    made = seen(monkeypatch)
    compiled(loop, cache=None, **settings).ir("optimised")  # type: ignore[arg-type]
    return sum(text.count("\nring.row") for text in made)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", LOOPS)
def test_which(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (rings_of(LOOPS[name], monkeypatch) > 0) == (name in RINGS)


def test_off(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rings_of(RINGS["a ring"], monkeypatch, ring_loads=False) == 0
    assert rings_of(RINGS["a ring"], monkeypatch, cpu="x86-64") == 0


OVERLAP = """
#include <math.h>
void __enzyme_autodiff(void *, ...);
extern int enzyme_const, enzyme_dup;
static __attribute__((noinline)) void step(int n, const REAL *u, REAL *v) { LOOP }
static double f(const REAL *x, REAL *w, int n, int by) {
  for (int i = 0; i < 3 * n; i++) w[i] = x[i % n] * (1 + 0.01f * i);
  step(n, w + n, w + n + by), step(n, w + n + by, w + n);
  double s = 0;
  for (int i = 0; i < 3 * n; i++) s += w[i] * w[i] * (i + 1);
  return s;
}
double value(const REAL *x, REAL *w, int n, int by) { return f(x, w, n, by); }
void reverse(const REAL *x, REAL *dx, REAL *w, REAL *dw, int n, int by) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, w, dw, enzyme_const, n, enzyme_const, by);
}
"""
OVERLAPPING = {
    "forwards": RING + "v[i] = 0.5f * u[i] + 0.2f * u[l] * u[r]; }",
    "backwards": "for (long i = n - 1; i >= 0; i--) { long l = i == 0 ? n - 1 : i - 1; v[i] = u[l] - u[i] * u[l]; }",
    "every second one": RING + "if (i < n / 2) v[2 * i] = u[l] * u[r]; }",
}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("name", OVERLAPPING)
def test_arrays_that_may_overlap(name: str, real: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a store goes to what is loaded in front of the loop is asked, and the loop runs as it was if one does."""
    texts = seen(monkeypatch)
    source = OVERLAP.replace("LOOP", OVERLAPPING[name]).replace("REAL", real)
    made = enzyme.compile(source, config=enzyme.Config(arrays_apart=False, cache=None))
    assert made.ir("optimised") and (name == "every second one") == ("\nring.asked" not in "".join(texts))
    plain = enzyme.compile(source, config=enzyme.Config(ring_loads=False))
    kind = np.float64 if real == "double" else np.float32
    for n in (3, 9, 16, 33):
        for by in (0, 1, -1, 2, n - 1, 1 - n, n, -n):
            x = np.random.default_rng(n).uniform(0.2, 0.9, n).astype(kind)
            found = []
            for each in (made, plain):
                w, dw, dx = np.zeros(3 * n, kind), np.zeros(3 * n, kind), np.zeros(n, kind)
                each["reverse"](x, dx, w, dw, n, by)
                found.append((dx, each["value"](x, w, n, by)))
            np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-12 if real == "double" else 1e-4, atol=1e-4)
            assert found[0][1] == pytest.approx(found[1][1])


LENGTHS = (2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 64, 100)


@pytest.mark.thinned(8)
@pytest.mark.parametrize("pipeline", ["post", "pre"])
@pytest.mark.parametrize("name", LOOPS)
def test_values(name: str, pipeline: str) -> None:
    """Against forward mode, which has no reversed loops, and the same without."""
    made, plain = program(LOOPS[name], pipeline), program(LOOPS[name], pipeline, ring_loads=False)
    for n in LENGTHS:
        n = max(n, 8) if name == "a known few" else n
        for at in (0, n - 1, n // 2, n + 3, -1):
            random = np.random.default_rng(n)
            x, dx, seed = random.standard_normal((3, n + 1))
            p = np.where(random.permutation(n + 2) % 2, 7, 0).astype(np.int64)
            p[:2] = at, 1 if at < n else 1 << 40  # what no iteration has may be nowhere
            if at == -1:
                p[1] = -(1 << 40)
            tangent, seeded = np.zeros(n + 1), seed.copy()
            of_result = made["forward"](x.copy(), dx, p, np.zeros(n + 1), tangent, n)
            back, other = np.zeros(n + 1), np.zeros(n + 1)
            made["reverse"](x.copy(), back, p, np.zeros(n + 1), seeded, n)
            np.testing.assert_allclose(back @ dx, of_result + (seed @ tangent), rtol=1e-9, atol=1e-10)
            plain["reverse"](x.copy(), other, p, np.zeros(n + 1), seed.copy(), n)
            np.testing.assert_allclose(back, other, rtol=1e-12, atol=1e-13)
