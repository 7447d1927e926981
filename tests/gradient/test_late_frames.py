"""Frames of derivatives in two functions: where they are allocated, which ways parameters tell, blocks of arrays."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import enzyme
from enzyme.cli import main

SOURCE = """
#include <math.h>
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
static __attribute__((noinline)) double f(double *x, long n, const long *at) { BODY }
static double all(double *x, long n, const long *at) {
  double s = f(x, n, at);
  for (long i = 0; i < n; i++) s += x[i] * x[i];
  return s;
}
double primal(double *x, long n, const long *at) { return all(x, n, at); }
void gradient(double *x, double *dx, long n, const long *at) {
  __enzyme_autodiff((void *)all, enzyme_dup, x, dx, enzyme_const, n, enzyme_const, at);
}
"""
HALVES = """
  if (n <= 0) return 0;
  LEAF
  double s = f(x, n / 2, at) * f(x + n / 2, n - n / 2, at);
  for (long i = 0; i < n / 2; i++) {
    double a = x[i], b = x[i + n / 2];
    x[i] = a + 0.3 * b, x[i + n / 2] = a - 0.3 * b;
  }
  return s;
"""
LATE = {
    "the end does nothing but add": HALVES.replace("LEAF", "if (n == 1) { x[0] *= 2; return 1; }"),
    "two ends": HALVES.replace(
        "LEAF", "if (n == 1) { x[0] *= 2; return 1; } if (n == 2) { x[1] += 0.5 * x[0]; return 1; }"
    ),
    "an end with a loop": HALVES.replace(
        "LEAF", "if (n < 4) { for (long i = 0; i < n; i++) x[i] = 0.5 * x[i] + 1; return 0.5; }"
    ),
}
KEEPS = {"the end keeps a number": HALVES.replace("LEAF", "if (n == 1) { x[0] = sin(x[0]); return x[0]; }")}
AT_ONCE = {
    "memory tells the way": HALVES.replace("LEAF", "if (n == 1 || at[n]) { x[0] *= 2; return 1; }"),
    "a number tells the way": HALVES.replace("LEAF", "if (n == 1 || x[0] > 1.5) { x[0] *= 2; return 1; }"),
}
ROWS = """
  if (n <= 0) return 1;
  double s = 0, sign = 1;
  for (long i = 0; i < n; i++) {
    double y = x[i];
    s += sign * y * f(x, n - 1, at);
    x[i] = 0.9 * y + 0.05 * s;
    sign = -sign;
  }
  return s;
"""


def augmented(body: str, **settings: bool) -> tuple[enzyme.Module, str]:
    module = enzyme.compile(SOURCE.replace("BODY", body), config=enzyme.Config(**settings))  # type: ignore[arg-type]
    text = module.ir("differentiated")
    found = re.findall(r"^define [^\n]*@(f\.augmented[\w.]*)\([^\n]*\n(.*?)^}", text, re.M | re.S)
    (own,) = (made for name, made in found if f"@{name}(" in made)  # other calls keep what is in the frame themselves
    return module, own


def check(module: enzyme.Module, n: int) -> None:
    random, at = np.random.default_rng(n), np.arange(2 * n + 2) % 3 == 2
    x, v, places = random.normal(size=max(n, 1)), random.normal(size=max(n, 1)), at.astype(np.int64)
    dx = np.zeros_like(x)
    module["gradient"](x.copy(), dx, n, places)
    up, down = (module["primal"](x + sign * 1e-6 * v, n, places) for sign in (1, -1))
    assert dx @ v == pytest.approx((up - down) / 2e-6, rel=1e-5, abs=1e-6)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", [*LATE, *KEEPS, *AT_ONCE])
def test_frames(name: str) -> None:
    """At the beginning, or behind the question whether there is anything to do, or where the function calls itself."""
    body = (LATE | KEEPS | AT_ONCE)[name]
    module, text = augmented(body)
    (place,) = (number for number, block in enumerate(text.split("\n\n")) if "%tape = call ptr @malloc(" in block)
    assert (place == 0) == (name in AT_ONCE)
    assert ("@f.augmented" in text.split("\n\n")[place]) == (name in LATE)
    assert (" = phi i8 " in text) == (name in AT_ONCE)
    plain, text = augmented(body, late_frames=False)
    assert "%tape = call ptr @malloc(" in text.partition("\n\n")[0]
    for each in (module, plain):
        for n in (0, 1, 2, 3, 5, 8, 13):
            check(each, n)


def test_arrays_share_a_block() -> None:
    """A number, a sign, what the call gave and its frame: one block for them all, and one for the frame."""
    module, text = augmented(ROWS)
    plain, several = augmented(ROWS, one_block=False)
    assert text.count("@malloc(") == 2 < several.count("@malloc(")
    for n in range(6):
        check(module, n)
        check(plain, n)


LOCALS = """
  if (n <= 0) return 1;
  double own[2] = {0.5 * x[0], x[n - 1]};
  double s = f(own, n / 2 > 2 ? 2 : n / 2, at);
  x[0] = s * own[1];
  own[0] = 0;
  return s * sin(own[1]) + own[0];
"""


def test_locals_lie_in_the_frame() -> None:
    """An array that the call inside is given, and its shadow: one block for both and the tape, at ends none."""
    module, text = augmented(LOCALS)
    plain, several = augmented(LOCALS, late_frames=False)
    assert text.count("@malloc(") == 1 < several.count("@malloc(")
    assert "@malloc(" not in text.partition("\n\n")[0]
    for n in range(6):
        check(module, n)
        check(plain, n)


def test_explain_of_locals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Locals in frames are no blocks that are kept."""
    (tmp_path / "locals.c").write_text(SOURCE.replace("BODY", LOCALS))
    assert main(["explain", str(tmp_path / "locals.c")]) == 0
    said = capsys.readouterr().out
    assert "keep" in said and "malloc" not in said
