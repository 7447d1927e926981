"""The program that the tests of operations share, and what its functions are in terms of numpy's own functions."""

from __future__ import annotations

from typing import Any

SOURCE = """
#include <math.h>
static double factor = 1;
void set_factor(double f) { factor = f; }
double waves(const double *x, int n, double a) {
  double s = 0;
  for (int i = 0; i < n; i++) s += factor * a * x[i] * x[(i + 1) % n] * sin(x[i]);
  return s;
}
void cubes(const double *x, double *y, int n) { for (int i = 0; i < n; i++) y[i] = x[i] * x[i] * x[(i + 1) % n]; }
double mixed(double *x, int n, double *w, const int *k, const double *y) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    x[i] *= x[i] * y[k[i]];
    w[i] = sin(x[i]);
    x[i] = x[i] * w[i];
    s += x[i] * w[i];
  }
  return s;
}
float single(const float *x, int n, float a) {
  float s = 0;
  for (int i = 0; i < n; i++) s += a * x[i] * x[i];
  return s;
}
"""


def waves(np: Any, x: Any, a: Any) -> Any:
    return (a * x * np.roll(x, -1) * np.sin(x)).sum()


def cubes(np: Any, x: Any) -> Any:
    return x * x * np.roll(x, -1)


def mixed(np: Any, x: Any, k: Any, y: Any) -> tuple[Any, Any, Any]:
    """The sum, the array in place, and the output."""
    x = x * x * y[k]
    w = np.sin(x)
    x = x * w
    return (x * w).sum(), x, w
