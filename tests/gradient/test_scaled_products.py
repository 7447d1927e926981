"""Sums over lanes of products with very small factors: where they are scaled, and that they are the same sums."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import enzyme
from enzyme.gradient.scaled_products import may_scale, with_scaled_products
from enzyme.llvm.codegen import is_slow_with_subnormals
from enzyme.llvm.context import parse

LANES = 8
LOOP = """
define void @f(ptr noalias %x, ptr noalias %a, ptr noalias %b, i64 %n, ptr %steps) {
entry:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %ahead, label %done
ahead:
  %last = sub i64 %n, 1
  %c = load TYPE, ptr %b, align 8
  br label %loop
loop:
  %iteration.r = phi i64 [ %last, %ahead ], [ %next, %loop ]
  %at.a = getelementptr TYPE, ptr %a, i64 %iteration.r
  %left = load TYPE, ptr %at.a, align 8
  %at.b = getelementptr TYPE, ptr %b, i64 %iteration.r
  %right = load TYPE, ptr %at.b, align 8
  %product = fmul contract TYPE %left, OTHER
  %total = call reassoc nsz ELEMENT @llvm.vector.reduce.fadd.NAME(ELEMENT -0.0, TYPE %product)
  %at.x = getelementptr ELEMENT, ptr %x, i64 %iteration.r
  %old = load ELEMENT, ptr %at.x, align 8
  %new = OPERATION nsz contract ELEMENT %old, %total
  store ELEMENT %new, ptr %at.x, align 8
  %next = add i64 %iteration.r, -1
  %end = icmp eq i64 %iteration.r, 0
  br i1 %end, label %left.loop, label %loop
left.loop:
  br label %done
done:
  ret void
}
declare ELEMENT @llvm.vector.reduce.fadd.NAME(ELEMENT, TYPE)
declare double @exp(double)
"""


def program(other: str = "%right", element: str = "double", operation: str = "fadd") -> str:
    name = f"v{LANES}{'f64' if element == 'double' else 'f32'}"
    spelled = {"OTHER": other, "TYPE": f"<{LANES} x {element}>", "NAME": name, "OPERATION": operation}
    text = LOOP
    for word, meaning in {**spelled, "ELEMENT": element}.items():
        text = text.replace(word, meaning)
    return text


def scaled(text: str) -> str:
    made = with_scaled_products(text)
    assert made is not None
    parse(made).verify()
    return made


def spread(rng: np.random.Generator, shape: tuple[int, ...], low: float, high: float, type: type) -> np.ndarray:
    """Numbers of both signs, their binary exponents spread evenly."""
    sign = rng.choice([-1.0, 1.0], shape)
    with np.errstate(under="ignore"):
        return (sign * np.ldexp(rng.uniform(1, 2, shape), rng.integers(int(low), int(high), shape))).astype(type)


def exact(old: float, left: np.ndarray, right: np.ndarray) -> tuple[Fraction, Fraction]:
    """The sum, and the sum of magnitudes."""
    terms = [Fraction(float(a)) * Fraction(float(b)) for a, b in zip(left, right, strict=True)]
    return Fraction(float(old)) + sum(terms), abs(Fraction(float(old))) + sum(map(abs, terms))


@pytest.mark.parametrize(("element", "operation"), [("double", "fadd"), ("double", "fsub"), ("float", "fadd")])
@pytest.mark.parametrize("other", ["%right", "%c"])
@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 30])
def test_sums_of_small_products(element: str, operation: str, other: str, n: int, tmp_path: Path) -> None:
    type, low, ulp, least = (
        (np.float64, -1080, 2.0**-52, Fraction(1, 2**1074))
        if element == "double"
        else (np.float32, -152, 2.0**-23, Fraction(1, 2**149))
    )
    (tmp_path / "f.ll").write_text(scaled(program(other, element, operation)))
    compiled = enzyme.compile(tmp_path / "f.ll")["f"]
    rng = np.random.default_rng(n)
    for high in (low // 2, 10):
        a = spread(rng, (max(n, 1), LANES), low, high, type)
        a[rng.random(a.shape) < 0.1] = 0
        b = spread(rng, a.shape, -10, 10, type)
        for first, second in ((a, b), (b, a)):
            x = spread(rng, (max(n, 1),), low, 5, type)
            found = x.copy()
            compiled(found, first, second, n, x)
            for row in range(n):
                factors = second[0 if other == "%c" else row]
                factors = -factors if operation == "fsub" else factors
                whole, size = exact(x[row], first[row], factors)
                assert abs(Fraction(float(found[row])) - whole) <= 12 * (size * Fraction(ulp) + least)
            assert np.array_equal(found[n:], x[n:])


def test_infinite_and_missing_numbers(tmp_path: Path) -> None:
    """They are where they would be without scaling, and nothing else becomes one."""
    (tmp_path / "plain.ll").write_text(program())
    (tmp_path / "scaled.ll").write_text(scaled(program()))
    plain, other = (enzyme.compile(tmp_path / f"{name}.ll")["f"] for name in ("plain", "scaled"))
    special = [0.0, -0.0, 5e-324, -1e-310, 2.0**-981, 2.0**-980, 1e-200, 1.0, 1e300, math.inf, -math.inf, math.nan]
    rng = np.random.default_rng(3)
    with np.errstate(all="ignore"):
        for _ in range(300):
            a, b = (rng.choice(special, (12, LANES)) for _ in range(2))
            a[-1, 0] = 5e-324  # the first iteration is the last row
            x = rng.choice(special, 12)
            first, second = x.copy(), x.copy()
            plain(first, a, b, 12, x)
            other(second, a, b, 12, x)
            np.testing.assert_array_equal(np.isnan(first), np.isnan(second))
            np.testing.assert_allclose(second, first, rtol=1e-15, atol=1e-322)


def test_only_loops_that_can_be_asked() -> None:
    assert with_scaled_products(program().replace("iteration.r", "i")) is None  # not of a reverse sweep
    assert with_scaled_products(program().replace("call reassoc nsz", "call nsz")) is None  # in their order
    assert with_scaled_products(program().replace("fmul contract", "fadd contract")) is None
    assert with_scaled_products(program().replace("[ %last, %ahead ]", "[ 4, %ahead ]")) is None  # few
    volatile = program("%left").replace("%left = load", "%left = load volatile")
    assert with_scaled_products(volatile) is None
    assert may_scale(program()) and not may_scale(program().replace("@exp", "@sin"))


def test_of_which_processors() -> None:
    x86 = "x86_64-unknown-linux-gnu"
    slow = [
        is_slow_with_subnormals(cpu, x86) for cpu in ("haswell", "sapphirerapids", "x86-64-v3", "znver5", "nehalem", "")
    ]
    assert slow == [True, True, True, False, False, False]
    assert not is_slow_with_subnormals("neoverse-n1", "aarch64-unknown-linux-gnu")


SOURCE = """
#include <math.h>
#include <stdlib.h>
double f(const double *restrict m, const double *restrict q, const double *restrict p, int d, int n) {
    double *c = malloc(sizeof(double) * d), *y = malloc(sizeof(double) * d), s = 0;
    for (int i = 0; i < n; i++) {
        double r = 0, largest = -1e300;
        for (int j = 0; j < d; j++) c[j] = p[i * d + j] - m[j];
        for (int j = 0; j < d; j++) y[j] = 300 * q[j * d + j] * c[j];
        for (int j = 0; j < d; j++) for (int l = j + 1; l < d; l++) y[l] += q[j * d + l] * c[j];
        for (int j = 0; j < d; j++) largest = y[j] > largest ? y[j] : largest;
        for (int j = 0; j < d; j++) r += exp(y[j] - largest);
        s += log(r) + largest;
    }
    free(c), free(y);
    return s;
}
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
void gradient(const double *m, double *dm, const double *q, double *dq, const double *p, int d, int n) {
    __enzyme_autodiff((void *)f, enzyme_dup, m, dm, enzyme_dup, q, dq, enzyme_const, p, d, n);
}
"""


def test_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights from 1 down to nothing, in whole derivatives."""
    monkeypatch.setattr("enzyme.llvm.codegen.is_slow_with_subnormals", lambda *_: True)
    monkeypatch.setenv("ENZYME_CACHE", "off")
    d, n, rng = 20, 50, np.random.default_rng(5)
    m, q, p = rng.uniform(-1, 1, d), rng.uniform(-1, 1, (d, d)), rng.uniform(-1, 1, (n, d))
    found = []
    for on in (True, False):
        module = enzyme.compile(SOURCE, config=enzyme.Config(scaled_products=on))
        shadows = [np.zeros_like(m), np.zeros_like(q)]
        module["gradient"](m, shadows[0], q, shadows[1], p, d, n)
        found.append(shadows)
        assert (f"double 0x{(1023 - 128) << 52:016X}" in module.ir()) == on  # 1 / S
    for one, other in zip(*found, strict=True):
        assert np.all(np.isfinite(one)) and np.any(one)
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-18)
