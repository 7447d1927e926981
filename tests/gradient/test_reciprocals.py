"""Where derivatives multiply by a reciprocal in place of dividing."""

from __future__ import annotations

import re

import numpy as np
import pytest

import enzyme

SOURCE = """
extern int enzyme_dup, enzyme_dupv, enzyme_const, enzyme_width;
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
static double f(double *x, long n) { BODY }
void reverse(double *x, double *dx, long n) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n); }
static double along(double *x, double *tx, long n) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, x, tx, enzyme_const, n);
}
void forward(double *x, double *tx, long n) { *tx = along(x, tx, n); }
"""


def divisions(body: str, name: str = "reverse", **settings: bool) -> int:
    """How many numbers are divided."""
    source = SOURCE.replace("BODY", body)
    module = enzyme.compile(source, config=enzyme.Config(**settings))  # type: ignore[arg-type]
    pieces = re.findall(rf"(?ms)^define [^\n]*@(?:f|{name})\b.*?^}}", module.ir())
    lanes = (re.findall(r"\bfdiv (?:[a-z]+ )*?(?:<(\d+) x )?(?:double|float)\b", piece) for piece in pieces)
    return sum(int(count or 1) for found in lanes for count in found)


@pytest.mark.parametrize(
    ("body", "less"),
    [
        ("return x[0] / x[2] * (x[1] / x[2]);", True),
        ("double r = 1 / x[1]; return x[0] / x[1] * x[2] * r;", True),
        ("double r = sqrt(x[0]); return (1 / r) * x[1] + r;", True),
        ("double r = sqrt(x[0]); return x[1] / r;", True),
        ("double r = sqrt(x[0]); return x[1] / r + x[2] / r;", True),
        ("double r = sqrt(n); return x[1] / r;", False),
        ("return x[0] / x[1];", False),
    ],
)
def test_where_the_divisor_serves_several(body: str, less: bool) -> None:
    with_them, without = (divisions("extern double sqrt(double); " + body, reciprocals=on) for on in (True, False))
    assert with_them < without if less else with_them == without


def test_the_divisor_of_a_loop() -> None:
    body = "double s = 0, d = x[0]; for (long i = 1; i < n; i++) { double q = x[i] / d; s += q * q; } return s;"
    source = SOURCE.replace("BODY", body)
    module = enzyme.compile(source)
    x, dx = np.array([2.0, 3.0, 5.0, -7.0]), np.zeros(4)
    module["reverse"](x, dx, 4)
    assert dx == pytest.approx([-2 * (9 + 25 + 49) / 8, 6 / 4, 10 / 4, -14 / 4], rel=1e-14)


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("step", "around"),
    [
        ("x[i] = (x[i] - 0.5 * x[i - 1]) / (x[n + i] + 2);", True),
        ("x[i] = x[i] / (x[n + i] - 0.1 * x[i - 1]);", True),
        ("s = (s + x[i]) / (x[n + i] + 2);", True),
        ("s = x[i] / (s + 2);", True),
        ("x[0] = x[0] / (x[i] + 2);", True),
        ("x[i] = x[i] / (x[i] * x[i] + 2);", False),  # each element's own
        ("s += x[i] / (x[n + i] + 2);", False),  # of the sum the next one is made, of the quotient it is not
        ("double q = sin(x[i]) / (x[n + i] + 2); s = s * 0.5 + q * q;", False),
    ],
)
def test_quotients_that_the_next_iteration_is_made_of(step: str, around: bool) -> None:
    body = f"double s = 1; for (long i = 1; i < n; i++) {{ {step} }} for (long i = 1; i < n; i++) s += x[i]; return s;"
    source = SOURCE.replace("BODY", "extern double sin(double); " + body)
    with_them, without = (enzyme.compile(source, config=enzyme.Config(reciprocals=on)) for on in (True, False))
    one = re.compile(r"fdiv .*double 0x3FF0000000000000,")
    inverted = [len(one.findall(each.ir("differentiated"))) for each in (with_them, without)]
    assert (inverted[0] > inverted[1]) == around
    x, n = np.random.default_rng(4).uniform(0.5, 2, 200), 99
    of_x, expected = np.zeros(200), np.zeros(200)
    with_them["reverse"](x.copy(), of_x, n)
    without["reverse"](x.copy(), expected, n)
    np.testing.assert_allclose(of_x, expected, rtol=1e-12)


def test_quotients_that_only_the_divisor_asks_for() -> None:
    """One division in front of the loop is all."""
    body = "double s = 0, d = x[0]; for (long i = 1; i < n; i++) s += WHAT; return s;"
    assert divisions(body.replace("WHAT", "x[i] / d")) == 1
    assert divisions(body.replace("WHAT", "x[i] / d"), reciprocals=False) > 1
    # What the program asks for is the program's quotient.
    assert divisions(body.replace("WHAT", "x[i] / d * (x[i] / d)")) > 1
    module = enzyme.compile(SOURCE.replace("BODY", body.replace("WHAT", "x[i] / d")))
    for divisor, dividend in ((3.0, 5.0), (1e-300, 1e-300), (1e300, 1e300), (1e-300, 1e-310), (np.inf, 1.0)):
        x, dx = np.array([divisor, dividend, 2 * dividend, 0.0]), np.zeros(4)
        with np.errstate(over="ignore"):
            expected = [-3 * (dividend / divisor) / divisor, *3 * [1 / divisor]]
        module["reverse"](x, dx, 4)
        assert dx == pytest.approx(expected, rel=1e-14, abs=1e-307)


@pytest.mark.parametrize("smallest", [1e-300, 1e300])
def test_the_ends_of_the_range(smallest: float) -> None:
    module = enzyme.compile(SOURCE.replace("BODY", "return x[0] / x[2] + x[1] / x[2];"))
    x, dx = np.array([smallest, 2 * smallest, smallest]), np.zeros(3)
    module["reverse"](x, dx, 3)
    assert dx == pytest.approx([1 / smallest, 1 / smallest, -3 / smallest], rel=1e-14)


def test_a_tangent_is_divided() -> None:
    """It comes with its divisor: behind the reciprocal, a product would come later."""
    body = "return x[0] / x[2] * (x[1] / x[2]);"
    assert divisions(body, "forward") == divisions(body, "forward", reciprocals=False)


def test_quotients_by_roots() -> None:
    """One division for the adjoints of what is divided and of the root, and none to have the quotient again."""
    body = "double s = 0; for (long i = 1; i < n; i++) s += x[i] / sqrt(x[i] * x[0] + 1); return s;"
    source = SOURCE.replace("BODY", "extern double sqrt(double); " + body)
    x, expected = np.array([2.0, 3.0, 5.0, 0.7]), np.zeros(4)
    for i in range(1, 4):
        r = np.sqrt(x[i] * x[0] + 1)
        expected[i] += 1 / r - x[i] * x[0] / (2 * r**3)
        expected[0] -= x[i] * x[i] / (2 * r**3)
    for settings in ({}, {"reciprocals": False}):
        dx = np.zeros(4)
        enzyme.compile(source, config=enzyme.Config(**settings))["reverse"](x, dx, 4)
        assert dx == pytest.approx(expected, rel=1e-14)
    without = divisions("extern double sqrt(double); " + body, reciprocals=False, few_rounds=False)
    assert divisions("extern double sqrt(double); " + body, few_rounds=False) < without
