"""Types that a program states by calls, in derivatives that are asked for in Python."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme
from enzyme import Config

SOURCE = """
#include <string.h>
void __enzyme_double(void *, long);
static void copy(void *to, void *from, long bytes) {
  __enzyme_double(from, bytes);
  memcpy(to, from, bytes);
}
double f(double *x, void *kept, long n) {
  copy(kept, x, n * sizeof(double));
  return n;
}
double three(double *x, void *kept) {
  copy(kept, x, 3 * sizeof(double));
  return 0;
}
"""


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_stated(level: int) -> None:
    module = enzyme.compile(SOURCE, opt_level=level, config=Config(cache=None))
    for name, rest in (("f", (3,)), ("three", ())):
        x, dx, kept, dkept = np.ones(3), np.zeros(3), np.zeros(3), np.arange(3.0)
        derivative = module.autodiff(name, ["dup", "dup", *["const"] * len(rest)])
        derivative((x, dx), (kept, dkept), *rest)
        assert dx.tolist() == [0, 1, 2]
        assert dkept.tolist() == [0, 0, 0]
        assert kept.tolist() == [1, 1, 1]
    assert "@__enzyme_double" not in module.ir()
    assert "@__enzyme_double" not in module.ir("differentiated")
