"""Programs in C++ that need its runtime, called from Python: vectors, exceptions that are caught."""

from __future__ import annotations

import ctypes.util
import subprocess
import sys

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


STATIC = """
#include <string>
#include <vector>
static std::vector<double> table(3, 2.0);
static std::string label = "a text that is too long to be kept in the object itself";
static const std::vector<double> &weights() {
  static const std::vector<double> kept = {1.0, 2.0, 3.0};
  return kept;
}
extern "C" void set(int i, double v) { table[i] = v; }
extern "C" double f(double x, int i) { return x * x * table[i] * weights()[i]; }
extern "C" int length() { return label.size(); }
"""


@pytest.mark.parametrize("level", [1, 2, 3])
def test_static_objects_with_destructors(level: int) -> None:
    module = enzyme.compile(STATIC, language="c++", opt_level=level)
    assert module.f(3.0, 1) == 36.0
    assert module.gradient("f")(3.0, 2) == 36.0
    module.set(2, 5.0)  # the derivative has the program's objects, and none of its own
    assert module.gradient("f")(3.0, 2) == 90.0
    assert module.length() == 55


def test_a_process_ends_when_its_static_objects_are_gone() -> None:
    program = (
        f"import enzyme, gc\nm = enzyme.compile({STATIC!r}, language='c++')\nprint(m.f(3.0, 1))\ndel m\ngc.collect()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stdout) == (0, "36.0\n"), done.stderr
