"""Active numbers that functions store in constant memory, which only the running program sees."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import enzyme

SOURCE = """
#include <math.h>
#include <string.h>
extern int enzyme_dup, enzyme_const, enzyme_runtime_activity;
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
struct q { const double *x; double *buf; double *other; int n; };
__attribute__((noinline)) static void store(struct q *q, double by) {
  for (int i = 0; i < q->n; i++)
    BODY;
}
__attribute__((noinline)) static double sum(struct q *q) {
  double s = 0;
  for (int i = 0; i < q->n; i++) s += q->buf[i] + 3 * q->other[i];
  return s;
}
double f(const double *x, double *buf, double *other, int n) {
  struct q q = {x, buf, other, n};
  store(&q, 2.0);
  return sum(&q);
}
void reverse(const double *x, double *dx, double *buf, double *other, double *dother, int n) {
  __enzyme_autodiff((void *)f, FLAG enzyme_dup, x, dx, enzyme_const, buf, enzyme_dup, other, dother, enzyme_const, n);
}
double forward(const double *x, double *dx, double *buf, double *other, double *dother, int n) {
  return __enzyme_fwddiff((void *)f, FLAG enzyme_dup, x, dx, enzyme_const, buf, enzyme_dup, other, dother,
                          enzyme_const, n);
}
"""
RUN = """
import sys, numpy as np, enzyme
mode, level, source = sys.argv[1:]
made = enzyme.compile(source, opt_level=int(level))
x, dx, buf, other, dother = np.arange(1.0, 4.0), np.ones(3), np.ones(3), np.full(3, 2.0), np.zeros(3)
made[mode](x, dx, buf, other, dother, 3)
print("went on", list(dx))
"""


def source(body: str, flag: str = "") -> str:
    return SOURCE.replace("BODY", body).replace("FLAG", flag)


def run(text: str, mode: str, level: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", RUN, mode, str(level), text]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.thinned(8)
@pytest.mark.parametrize("level", [0, 1, 2, 3])
@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize(
    "body",
    [
        "q->buf[i] = by * q->x[i] * q->x[i]",
        "if (i) q->buf[i] = sqrt(q->x[i]) + q->buf[i]",
        "memcpy(q->buf + i, q->x + i, sizeof(double))",
        "if (i == 1) memcpy(q->buf, q->x, sizeof(double) * q->n)",
    ],
)
def test_what_is_lost_stops_the_program(body: str, mode: str, level: int) -> None:
    done = run(source(body), mode, level)
    assert done.returncode < 0 and "went on" not in done.stdout
    assert "active data is stored in memory that is declared constant" in done.stderr
    assert "source.c:10" in done.stderr or "source.c:11" in done.stderr, done.stderr


@pytest.mark.thinned(4)
@pytest.mark.parametrize("level", [1, 2, 3])  # before, the address is loaded in the loop
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_numbers_are_followed_through_loops(mode: str, level: int) -> None:
    done = run(source("{ double t = by; for (int k = 0; k <= i; k++) t += q->x[k] * t; q->buf[i] = t; }"), mode, level)
    assert done.returncode < 0 and "active data is stored in memory that is declared constant" in done.stderr


@pytest.mark.thinned(6)
@pytest.mark.parametrize("level", [0, 1, 2, 3])
@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize(
    ("body", "slope"),
    [
        ("q->buf[i] = by * q->buf[i], q->other[i] = q->x[i] * q->buf[i]", [6, 6, 6]),  # constant memory from itself
        ("q->other[i] = q->x[i] * q->x[i] + q->buf[i]", [6, 12, 18]),
        ("q->buf[i] = by + i, q->other[i] += by * q->x[i]", [6, 6, 6]),
        ("memcpy(q->other + i, q->x + i, sizeof(double)), memcpy(q->buf + i, q->buf, sizeof(double))", [3, 3, 3]),
        ("if (q->x[i] < 0) q->buf[i] = q->x[i]; else q->other[i] = 5 * q->x[i]", [15, 15, 15]),  # does not happen
    ],
)
def test_what_is_not_lost_goes_on(body: str, slope: list[float], mode: str, level: int) -> None:
    made = enzyme.compile(source(body), opt_level=level)
    x, dx, buf, other, dother = np.arange(1.0, 4.0), np.zeros(3), np.ones(3), np.full(3, 2.0), np.zeros(3)
    if mode == "reverse":
        made["reverse"](x, dx, buf, other, dother, 3)
        np.testing.assert_allclose(dx, slope)
    else:
        dx[:] = 1, 10, 100
        assert made["forward"](x, dx, buf, other, dother, 3) == pytest.approx(np.dot(slope, dx))


def test_with_runtime_activity_it_is_the_programs_decision() -> None:
    made = enzyme.compile(source("q->buf[i] = by * q->x[i] * q->x[i]", "enzyme_runtime_activity,"))
    x, dx, buf, other, dother = np.arange(1.0, 4.0), np.zeros(3), np.ones(3), np.full(3, 2.0), np.zeros(3)
    made["reverse"](x, dx, buf, other, dother, 3)
    assert not dx.any()
