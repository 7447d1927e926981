"""Frames of functions that are called: what excludes each other has one place, and what nobody needs is not kept."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import enzyme
from enzyme.cli import main
from enzyme.support.config import Config

INSERT = """
#include <stdlib.h>
struct node { double value; struct node *left, *right; };
static __attribute__((noinline)) struct node *insert(struct node *at, double v) {
  if (!at) {
    struct node *made = (struct node *)malloc(sizeof *made);
    made->value = v, made->left = made->right = NULL;
    return made;
  }
  if (v < at->value) at->left = insert(at->left, v);
  else at->right = insert(at->right, v);
  return at;
}
static __attribute__((noinline)) double sum(const struct node *at, double factor) {
  return at ? factor * at->value + sum(at->left, factor * 0.5) - sum(at->right, factor * 0.25) * at->value : 0;
}
static __attribute__((noinline)) void gone(struct node *at) { if (at) gone(at->left), gone(at->right), free(at); }
double f(const double *x, int n) {
  struct node *root = NULL;
  for (int i = 0; i < n; i++) root = insert(root, x[i]);
  double s = sum(root, 1);
  gone(root);
  return s;
}
"""
MEET = """
static __attribute__((noinline)) double ways(double *x, int n) {
  double s;
  if (n & 1) s = x[0] * x[1], x[0] = s * x[2];
  else s = x[2] * x[3], x[2] = s * x[0];
  x[4] = s * x[4];
  if (n & 2) s += x[4] * x[5], x[4] = x[5] * s;
  else s -= x[5] * x[6], x[5] = x[6] * s;
  return n > 0 ? s + 0.3 * ways(x, n - 1) * x[7] : s;
}
double f(double *x, int n) { return ways(x, n) + x[0] * x[2] + x[4] * x[5]; }
"""


SWAP = """
static __attribute__((noinline)) double swap(double *a, double *b, int n) {
  if (n == 0) return a[0] * b[0];
  a[n % 3] = a[n % 3] * b[(n + 1) % 3] + 0.1;
  return swap(b, a, n - 1) + a[0];
}
double f(double *x, int n) { return swap(x, x + 3, n) * x[1]; }
"""


CALLS = """
extern int enzyme_dup, enzyme_const, enzyme_width;
void __enzyme_autodiff(void *, ...);
void gradient(double *x, double *dx, int n) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n); }
void wide(double *x, double *dx, double *dy, int n) {
  __enzyme_autodiff((void *)f, enzyme_width, 2, enzyme_dup, x, dx, dy, enzyme_const, n);
}
"""


def _frames(module: enzyme.Module, name: str) -> list[int]:
    """Bytes of the frames of the derivatives of a function."""
    text = module.ir("differentiated")
    bodies = re.findall(rf"^define [^\n]*@{name}\.augmented[^\n]*\n(.*?)^}}", text, re.M | re.S)
    return [int(each) for body in bodies for each in re.findall(r"%tape = call ptr @malloc\(i64 (\d+)\)", body)]


def _check(module: enzyme.Module, n: int) -> None:
    """The gradient against differences, and in two lanes."""
    random = np.random.default_rng(n)
    x, v = random.uniform(0.4, 1.6, 24), random.normal(size=24)
    shadow, one, other = np.zeros(24), np.zeros(24), np.zeros(24)
    module["gradient"](x.copy(), shadow, n)
    up, down = (module["f"](x + sign * 1e-6 * v, n) for sign in (1, -1))
    assert shadow @ v == pytest.approx((up - down) / 2e-6, rel=1e-5, abs=1e-7)
    module["wide"](x.copy(), one, other, n)
    np.testing.assert_allclose([one, other], [shadow, shadow], rtol=1e-12)


@pytest.mark.parametrize(
    ("source", "name", "large"),
    [(INSERT, "insert", True), (MEET, "ways", True), (SWAP, "swap", False)],
)
def test_frames_are_smaller(source: str, name: str, large: bool) -> None:
    """In a swap nothing excludes anything, and all is used."""
    with_it = enzyme.compile(source + CALLS)
    without = enzyme.compile(source + CALLS, config=Config(small_frames=False))
    assert (sum(_frames(with_it, name)) < sum(_frames(without, name))) is large
    for each in (with_it, without):
        for n in (1, 2, 5, 12):
            _check(each, n)


def test_what_shares_a_place_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.c"
    path.write_text(INSERT)
    assert main(["explain", str(path), "--function", "f", "--args", "dup,const"]) == 0
    assert "at the place of %call.shadow, which no call makes as well" in " ".join(capsys.readouterr().out.split())
