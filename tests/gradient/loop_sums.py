"""Functions that add up ``s`` in loops over ``x``, and their gradients."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import enzyme
from enzyme import Config

_SOURCE = """
#include <math.h>
extern double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
static double f(double *x, int n) { double s = 0; BODY return s; }
void gradient(double *x, double *dx, int n) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n); }
"""


def compiled(body: str, **settings: object) -> enzyme.Module:
    config = Config(**settings)  # type: ignore[arg-type]
    return enzyme.compile(_SOURCE.replace("BODY", body), opt_level=2, config=config)


def gradient(module: enzyme.Module, n: int) -> npt.NDArray[np.float64]:
    """Of ``n`` numbers, with four more behind them."""
    x = np.random.default_rng(n).uniform(0.2, 0.8, n + 4)
    dx = np.zeros_like(x)
    module["gradient"](x, dx, n)
    return dx


def same_gradients(one: enzyme.Module, other: enzyme.Module, lengths: tuple[int, ...]) -> None:
    for n in lengths:
        np.testing.assert_allclose(gradient(one, n), gradient(other, n), rtol=1e-13, atol=1e-15)
