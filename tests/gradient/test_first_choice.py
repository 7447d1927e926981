"""What a choosing loop begins with is passed over in the reverse sweep where an iteration was taken."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme

SOURCE = """
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
static double distance(const double *a, long d) {
  double sum = 0;
  for (long i = 0; i < d; i++) sum += a[i] * a[i];
  return sum;
}
static double nearest(const double *x, long k, long d) {
  double least = distance(x, d);
  for (long c = 1; c < k; c++) {
    double apart = distance(x + c * d, d);
    if (apart < least) least = apart;
  }
  return least;
}
void gradient(const double *x, double *dx, long k, long d) {
  __enzyme_autodiff((void *)nearest, enzyme_dup, x, dx, enzyme_const, k, enzyme_const, d);
}
"""


@pytest.mark.parametrize("off", [None, "skip_unchosen", "last_choice"])
def test_of_the_first_nothing_is_computed(off: str | None) -> None:
    """Zero times what is infinite in it would be no number."""
    module = enzyme.compile(SOURCE, config=enzyme.Config(**({off: False} if off else {})))  # type: ignore[arg-type]
    x, dx = np.array([[np.inf, 1.0], [2.0, 3.0], [0.5, 0.25]]), np.zeros((3, 2))
    module["gradient"](x, dx, 3, 2)
    assert np.array_equal(dx[1:], [[0, 0], [1, 0.5]])
    assert np.array_equal(dx[0], [0, 0]) if off is None else np.isnan(dx[0, 0])
    x[0] = 0.125
    dx[:] = 0
    module["gradient"](x, dx, 3, 2)
    assert np.array_equal(dx, [[0.25, 0.25], [0, 0], [0, 0]])
