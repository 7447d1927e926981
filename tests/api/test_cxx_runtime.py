"""Programs in C++ that need its runtime, called from Python: vectors, exceptions that are caught."""

from __future__ import annotations

import ctypes.util

import numpy as np
import pytest

import enzyme

pytestmark = pytest.mark.skipif(ctypes.util.find_library("stdc++") is None, reason="no library of C++ here")

SOURCE = """
#include <stdexcept>
#include <vector>
static double positive(double v) {
  if (v < 0) throw std::range_error("negative");
  return v * v;
}
extern "C" double f(const double *x, int n) {
  std::vector<double> all(x, x + n);
  double s = 0;
  for (int i = 0; i < n; i++) {
    try {
      std::vector<double> a(n);
      a[i] = positive(all[i]);
      s += a[i] * all.at(0);
    } catch (const std::range_error &) {
      s += 0.5 * x[i];
    }
  }
  return s;
}
"""


@pytest.mark.parametrize("level", [1, 2, 3])  # at -O0 functions of libc++ are called
def test_vectors_and_exceptions(level: int) -> None:
    module = enzyme.compile(SOURCE, language="c++", opt_level=level)
    x = np.array([2.0, -1.0, 3.0, 0.5])
    assert module.f(x, 4) == pytest.approx((4 + 9 + 0.25) * 2 - 0.5)
    expected = [8 + 4 + 9 + 0.25, 0.5, 12, 2]
    np.testing.assert_allclose(module.gradient("f")(x, 4), expected)
