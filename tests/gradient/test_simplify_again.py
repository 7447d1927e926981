"""What small derivatives have become part of is optimised once more before it is differentiated."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme
from enzyme.gradient import lower
from enzyme.llvm.pipelines import with_derivatives_inside
from enzyme.support.diagnostics import TypeUnknownError

IR = """
define internal double @slope(double %x, double %t) {
  %r = call double @llvm.sqrt.f64(double %x)
  %p = fdiv double 5.0e-1, %r
  %d = fmul double %p, %t
  ret double %d
}
define double @both(double %x, double %t) {
  %a = call double @slope(double %x, double 1.0)
  %b = call double @slope(double %x, double %t)
  %s = fadd double %a, %b
  ret double %s
}
define double @above(double %x) {
  %a = call double @both(double %x, double 2.0)
  %b = fadd double %x, 1.0
  %c = fadd double %x, 1.0
  %m = fmul double %b, %c
  %s = fadd double %a, %m
  ret double %s
}
define double @other(double %x) {
  %b = fadd double %x, 1.0
  %c = fadd double %x, 1.0
  %m = fmul double %b, %c
  ret double %m
}
declare double @llvm.sqrt.f64(double)
"""


def test_only_what_derivatives_went_into() -> None:
    before = with_derivatives_inside(IR, ["slope"])
    after = with_derivatives_inside(IR, ["slope"], again=True)
    assert before.count("call double @llvm.sqrt") == 2
    assert after.count("call double @llvm.sqrt") == 1, "two derivatives share their root"
    other = after[after.index("@other(") :]
    assert other[: other.index("}")].count("fadd") == 2, "left alone"
    assert "call double @both" in after, "nothing else is inlined"


SOURCE = """
double sqrt(double);
double __enzyme_fwddiff(void *, const double *, const double *);
void __enzyme_autodiff(void *, const double *, double *, int);
static double length(const double *p) { return 1.0 / sqrt(p[0] * p[0] + p[1] * p[1]); }
double path(const double *start, int steps) {
  const double along[2] = {1.0, 0.0}, across[2] = {0.0, 1.0};
  double p[2] = {start[0], start[1]};
  while (p[0] * p[0] + p[1] * p[1] < steps) {
    double a = __enzyme_fwddiff((void *)length, p, along), b = __enzyme_fwddiff((void *)length, p, across);
    p[0] -= a;
    p[1] -= b * p[0];
  }
  return p[0] * p[1];
}
void gradient(const double *start, double *out, int steps) { __enzyme_autodiff((void *)path, start, out, steps); }
"""


@pytest.mark.parametrize("pipeline", ["post", "pre"])
def test_values(pipeline: str) -> None:
    start, found = np.array([0.7, 0.4]), []
    for again in (True, False):
        module = enzyme.compile(SOURCE, pipeline=pipeline, config=enzyme.Config(simplify_again=again))
        out = np.zeros(2)
        module["gradient"](start, out, 9)
        found.append(out)
        for i, step in enumerate(np.eye(2) * 1e-6):
            central = (module["path"](start + step, 9) - module["path"](start - step, 9)) / 2e-6
            assert out[i] == pytest.approx(central, rel=1e-6)
    assert np.allclose(*found, rtol=1e-13)


def test_what_is_not_optimised_stays_so() -> None:
    texts = [
        enzyme.compile(SOURCE, pipeline="pre", config=enzyme.Config(simplify_again=again)).ir()
        for again in (True, False)
    ]
    assert texts[0] == texts[1]


def test_where_that_hides_the_types_it_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[bool] = []
    real = lower.Engine.__init__

    def refuse_once(*words: object, **named: object) -> None:
        tries.append(True)
        if len(tries) == 2:  # the second round's
            raise TypeUnknownError("cannot tell what this moves")
        real(*words, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(lower.Engine, "__init__", refuse_once)
    found = enzyme.compile(SOURCE, config=enzyme.Config(cache=None))
    assert len(tries) == 3
    monkeypatch.undo()
    assert found.ir() == enzyme.compile(SOURCE, config=enzyme.Config(cache=None, simplify_again=False)).ir()
