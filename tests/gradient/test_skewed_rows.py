"""Rows one round behind each other: which nests run so, and that every number is what it was."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import enzyme
from enzyme.gradient.skewed_values import Handed, hand_on
from enzyme.support.config import Config

Array = npt.NDArray[np.float64]

HEAD = """
#include <math.h>
#include <stdlib.h>
#include <string.h>
extern int enzyme_dup, enzyme_const;
double __enzyme_autodiff(void *, ...);
"""
TAIL = """
double g(double *u, double *du, const double *f, double *df, int n, int m, int w, int times) {
    return __enzyme_autodiff((void *)h, enzyme_dup, u, du, enzyme_dup, f, df, enzyme_const, n, enzyme_const, m,
                             enzyme_const, w, enzyme_const, times);
}
"""
OPEN = "double h(double *u, const double *f, int n, int m, int w, int times) {\n"
SUM = "double s = 0; for (int i = 0; i < (n + 2) * w; i++) s += u[i] * u[i]; return s;\n}\n"
ROWS = "for (int t = 0; t < times; t++) for (int i = 1; i <= n; i++) for (int j = 1; j <= m; j++) "
HERE = "{ double *x = u + i * w + j; *x = BODY; }"


def nest(body: str, rows: str = ROWS) -> str:
    return HEAD + OPEN + rows + HERE.replace("BODY", body) + SUM + TAIL


SWEEP = "0.25 * (x[-w] + x[w] + x[-1] + x[1] + f[i * w + j] - 0.1 * *x * *x * *x)"
KERNELS = {
    "sweep": nest(SWEEP),
    "forward_only": nest("0.3 * x[-w] + sin(f[j]) * x[-1] + f[i] / (1 + x[-1] * x[-1])"),
    "corner": nest("0.2 * (x[-w - 1] + x[-1] + x[w + 1]) * x[1] + f[i * w + j] * x[-1]"),
    "corner_ahead": nest("0.2 * (x[-w + 1] + x[-1] + x[w - 1]) + f[i * w + j] * x[-1] * x[-1]"),
    "far_ahead": nest("0.2 * (x[-w + 3] + x[-1]) + f[i * w + j] * x[-1] * x[-1]"),
    "least": nest("fmin(fmin(x[-w] + f[j], x[-1] + f[i]), x[-w - 1] + f[i] * f[j])"),
    "two_numbers": HEAD
    + OPEN
    + """for (int t = 0; t < times; t++) for (int i = 1; i <= n; i++) {
        double a = f[i], b = u[i * w];
        for (int j = 1; j <= m; j++) {
            double c = 0.5 * a + f[j] * b * b;
            b = 0.3 * b + 0.2 * a * u[(i - 1) * w + j];
            a = c;
            u[i * w + j] = a + b * f[i * w + j];
        }
        u[i * w] = a - b;
    }
    """
    + SUM
    + TAIL,
    "backwards": nest(
        "0.25 * (x[-w] + x[w] + x[1] * x[1] + f[i * w + j])",
        "for (int t = 0; t < times; t++) for (int i = n; i >= 1; i--) for (int j = m; j >= 1; j--) ",
    ),
    "mixed_directions": nest(
        "0.25 * (x[-w] + x[w] + x[-1] * x[-1] + f[i * w + j])",
        "for (int t = 0; t < times; t++) for (int i = n; i >= 1; i--) for (int j = 1; j <= m; j++) ",
    ),
    "steps_of_two": nest(
        "0.25 * (x[-w] + x[w] + x[-2] * x[-2] + f[i * w + j])",
        "for (int t = 0; t < times; t++) for (int i = 1; i <= n; i++) for (int j = 2; j <= m; j += 2) ",
    ),
    "written_twice": HEAD
    + OPEN
    + ROWS
    + """{
        double *x = u + i * w + j;
        x[1] = 0.5 * x[1] + 0.1 * x[-1] * f[i * w + j];
        x[-w] += 0.3 * x[0] * x[-1];
        *x = 0.2 * (x[-w] + x[1]) * x[-1] + x[0];
        x[w - 1] = 0.9 * x[w - 1] + 0.1 * x[0];
        *x = *x * 0.9 + x[w] * 0.1;
    }
    """
    + SUM
    + TAIL,
    "ahead_of_itself": nest("0.25 * (x[-w] + x[2] + x[-1] * x[-1] + x[w + 2] + x[w - 1] + f[i * w + j])"),
    "another_row": nest("0.25 * (u[w + j] + x[-1] * x[-1] + f[i * w + j])"),  # one row of all, read by all
    "one_place": nest("0.25 * (u[n * w + m] + x[-1] * x[-1] + f[i * w + j])"),
}
APPLIES = {"sweep", "forward_only", "corner", "least", "two_numbers", "backwards", "mixed_directions"}
"""Kernels of which the running program finds at times that they may run so."""


def compiled(name: str, **settings: Any) -> enzyme.Module:
    return enzyme.compile(KERNELS[name], config=Config(**settings))


def results(module: enzyme.Module, n: int, m: int, w: int, times: int, shared: int = 0) -> list[Any]:
    rng = np.random.default_rng(7)
    size = (n + 4) * max(w, m + 4) + m + 8
    memory = rng.uniform(-1, 1, 2 * size)
    u, f = memory[4 : 4 + size], memory[4 + shared : 4 + shared + size] if shared else rng.uniform(-1, 1, size)
    du, df = np.zeros(size), np.zeros(size)
    value = module["g"](u, du, f, df, n, m, w, times)
    return [value, memory, du, df]


@pytest.mark.parametrize("name", KERNELS)
def test_same_numbers(name: str) -> None:
    modules = [compiled(name, skewed_rows=on) for on in (True, False)]
    for n, m in ((0, 3), (1, 9), (2, 20), (3, 7), (4, 7), (5, 8), (8, 9), (11, 30), (13, 1), (9, 0)):
        for w in (m + 2, m + 3, m + 1, m, max(m - 3, 0), 1, 0):  # rows that overlap, in the end all of them
            for times in (1, 3):
                found = [results(module, n, m, w, times) for module in modules]
                for one, other in zip(*found, strict=True):
                    np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-15, err_msg=f"{n} {m} {w} {times}")


@pytest.mark.parametrize("name", sorted(APPLIES))
def test_arrays_that_overlap(name: str) -> None:
    modules = [compiled(name, skewed_rows=on) for on in (True, False)]
    for shared in (1, 12, 13, 14, 15, 40):
        found = [results(module, 7, 11, 13, 2, shared) for module in modules]
        for one, other in zip(*found, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-15)


@pytest.mark.thinned(6)
@pytest.mark.parametrize("name", KERNELS)
def test_where_rows_run_so(name: str) -> None:
    assert (compiled(name).ir() != compiled(name, skewed_rows=False).ir()) or name not in APPLIES


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", sorted(APPLIES - {"forward_only", "two_numbers"}))
def test_what_is_handed_on(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows take numbers from each other without memory, and it shows in what the optimiser is given."""
    handed: list[Handed] = []

    def spy(*args: Any) -> Handed:
        handed.append(hand_on(*args))
        return handed[-1]

    monkeypatch.setattr("enzyme.gradient.skewed_nests.hand_on", spy)
    compiled(name, cache=None).ir()
    assert any(any(before for _, before in each.loads.values()) for each in handed)
    assert any(each.dead for each in handed) or name == "least"


def test_primal_keeps_its_bits() -> None:
    values, states = zip(
        *(results(compiled("sweep", skewed_rows=on), 23, 40, 42, 5)[:2] for on in (True, False)), strict=True
    )
    assert values[0] == values[1] and np.array_equal(*states)


def test_gradient_against_differences() -> None:
    module = compiled("sweep")
    n, m, w, times = 9, 17, 19, 3
    du = results(module, n, m, w, times)[2]
    direction, step, found = np.random.default_rng(3).uniform(-1, 1, du.shape), 1e-5, []
    for sign in (1, -1):
        rng = np.random.default_rng(7)
        memory = rng.uniform(-1, 1, 2 * du.size)
        u, f = memory[4 : 4 + du.size] + sign * step * direction, rng.uniform(-1, 1, du.size)
        found.append(module["h"](u, f, n, m, w, times))
    assert abs((found[0] - found[1]) / (2 * step) - du @ direction) < 1e-6 * max(1, abs(du @ direction))
