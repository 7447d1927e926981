"""Relaxed mathematics: what changes, by whose leave, and that nothing changes without it."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme
from enzyme import Config
from enzyme.llvm.pipelines import optimise
from enzyme.llvm.vector_math import library_path, with_vector_functions, without_leftovers
from enzyme.relaxed import relaxed
from enzyme.support.config import config_from_environment
from enzyme.support.diagnostics import UsageError

SUM = """
#include <math.h>
double total(const double *x, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += exp(x[i]) * sin(x[i]);
    return s;
}
void __enzyme_autodiff(void *, ...);
void slope(const double *x, double *dx, int n) { __enzyme_autodiff((void *)total, x, dx, n); }
"""
needs_library = pytest.mark.skipif(library_path() is None, reason="libmvec.so.1 is not on this machine")


def _gradient(module: enzyme.Module, x: np.ndarray) -> tuple[np.ndarray, str]:
    dx = np.zeros_like(x)
    module["slope"](x, dx, len(x))
    return dx, module.ir()


@needs_library
@pytest.mark.parametrize("by", ["config", "flags"])
def test_vector_functions_where_the_user_allows_approximations(by: str) -> None:
    config, flags = (Config(math="relaxed"), []) if by == "config" else (Config(), ["-ffast-math"])
    x = np.linspace(-2, 2, 203)
    dx, ir = _gradient(enzyme.compile(SUM, config=config, cflags=flags), x)
    assert "@_ZGV" in ir
    assert "llvm.compiler.used" not in ir
    np.testing.assert_allclose(dx, np.exp(x) * (np.sin(x) + np.cos(x)), rtol=1e-12, atol=1e-14)


def test_strict_programs_call_none() -> None:
    _, ir = _gradient(enzyme.compile(SUM), np.linspace(-2, 2, 203))
    assert "@_ZGV" not in ir
    assert "reassoc" not in ir


def test_the_switch() -> None:
    config = Config(vector_math=False)
    _, ir = _gradient(enzyme.compile(SUM, config=config, cflags=["-ffast-math"]), np.linspace(-2, 2, 203))
    assert "@_ZGV" not in ir


def test_settings_are_checked() -> None:
    assert config_from_environment({"ENZYME_MATH": "relaxed"}).math == "relaxed"
    with pytest.raises(UsageError, match="no kind of mathematics 'fast'"):
        Config(math="fast")


def test_what_is_relaxed() -> None:
    text = """
  %a = fadd double %x, %y
  %b = fmul nnan afn <2 x float> %u, %v
  %c = tail call double @exp(double noundef %x) #3, !dbg !4
  %d = call double @mine(double %x)
  %e = fcmp olt double %x, %y
  %f = call fast double @llvm.exp.f64(double %x)
  %g = add i64 %i, 1
"""
    assert relaxed(text).splitlines()[1:] == [
        "  %a = fadd reassoc nsz arcp contract afn double %x, %y",
        "  %b = fmul reassoc nnan nsz arcp contract afn <2 x float> %u, %v",
        "  %c = tail call reassoc nsz arcp contract afn double @exp(double noundef %x) #3, !dbg !4",
        "  %d = call double @mine(double %x)",
        "  %e = fcmp olt double %x, %y",
        "  %f = call fast double @llvm.exp.f64(double %x)",
        "  %g = add i64 %i, 1",
    ]


@needs_library
def test_lists_of_what_a_program_keeps_stay_its_own() -> None:
    text = """
target triple = "x86_64-unknown-linux-gnu"
@kept = internal global i32 1
@llvm.compiler.used = appending global [1 x ptr] [ptr @kept], section "llvm.metadata"
declare double @exp(double)
define double @f(double %x) {
  %y = call afn double @exp(double %x)
  ret double %y
}
"""
    made = with_vector_functions(text, "")
    assert "[2 x ptr] [ptr @kept, ptr @_ZGVbN2v_exp]" in made
    assert '"vector-function-abi-variant"="_ZGVbN2v_exp(_ZGVbN2v_exp)"' in made
    assert "[1 x ptr] [ptr @kept]" in without_leftovers(optimise(made, cpu=""))


@needs_library
def test_a_function_of_the_program_is_not_the_library_s() -> None:
    text = """
target triple = "x86_64-unknown-linux-gnu"
define double @exp(double %x) {
  ret double %x
}
define double @f(double %x) {
  %y = call afn double @exp(double %x)
  ret double %y
}
"""
    assert with_vector_functions(text, "native") == text
    elsewhere = text.replace("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu").replace("@exp", "@llvm.exp.f64")
    assert with_vector_functions(elsewhere, "") == elsewhere
