"""Which shadows of scratch are not filled with zeros, because each element is set before anything asks for it."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme

SOURCE = """
#include <math.h>
#include <stdlib.h>
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
static double f(const double *x, long n, long m) {
  double *a = malloc(sizeof(double) * n), s = 0;
  BODY
  free(a);
  return s;
}
double primal(const double *x, long n, long m) { return f(x, n, m); }
void gradient(const double *x, double *dx, long n, long m) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n, enzyme_const, m);
}
"""
WRITE = "for (long i = 0; i < n; i++) a[i] = x[i] * x[i]; "
UNFILLED = {
    "all is read": "for (long i = 0; i < n; i++) s += a[i] * x[n - 1 - i];",
    "all is read downward": "for (long i = n - 1; i >= 0; i--) s += sin(a[i]);",
    "more is done with the sum": "for (long i = 0; i < n; i++) s += sin(a[i]); s = 2 * s + 1;",
    "what is set is added to": "for (long i = 0; i < n; i++) s += sin(a[i]); "
    "for (long i = 0; i < n; i++) s += a[i] * a[i] * x[0];",
}
FILLED = {
    "some is read": "for (long i = 1; i < n; i++) s += a[i] * x[n - 1 - i];",
    "read once, and some again": "for (long i = 0; i < n; i++) s += sin(a[i]); "
    "for (long i = 0; i + 1 < n; i++) s += a[i] * a[i];",
    "perhaps all is": "for (long i = 0; i < m; i++) s += a[i] * x[n - 1 - i];",
    "not always read": "if (m > 2) for (long i = 0; i < n; i++) s += sin(a[i]);",
    "not always chosen": "for (long i = 0; i < n; i++) s += sin(a[i]); s = s < 1.5 ? s : x[0];",
    "by a condition": "for (long i = 0; i < n; i++) if (x[i] > 0) s += sin(a[i]);",
    "by another step": "for (long i = 0; i < n; i += 2) s += sin(a[i]);",
    "read where it is written": "for (long i = 0; i < n; i++) a[i] *= a[i]; s = a[n - 1];",
}


def fills(module: enzyme.Module) -> int:
    return module.ir("differentiated").count("call void @llvm.memset.")


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", [*UNFILLED, *FILLED])
def test_fills(name: str) -> None:
    text = SOURCE.replace("BODY", WRITE + (UNFILLED | FILLED)[name])
    module = enzyme.compile(text)
    assert fills(module) == (name in FILLED)
    assert fills(enzyme.compile(text, config=enzyme.Config(last_reads=False))) == 1
    for n in (1, 2, 3, 5, 16, 33):
        for m in (0, n):
            x = np.random.default_rng(n).normal(size=n)
            for _ in range(2):  # the second time, the stack has been used
                dx = np.zeros(n)
                module["gradient"](x, dx, n, m)
            for i in range(n):
                step = np.eye(n)[i] * 1e-6
                difference = (module["primal"](x + step, n, m) - module["primal"](x - step, n, m)) / 2e-6
                assert dx[i] == pytest.approx(difference, rel=1e-5, abs=1e-5)
