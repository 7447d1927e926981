"""Relaxed mathematics: what changes, by whose leave, and that nothing changes without it."""

from __future__ import annotations

from pathlib import Path

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


VECTORS = """
define <8 x double> @f(<8 x double> %x, <8 x double> %y, <8 x float> %z) {
  %1 = call afn <8 x double> @llvm.exp.v8f64(<8 x double> noundef nofpclass(nan) %x)
  %"a b" = tail call reassoc afn <8 x double> @llvm.pow.v8f64(<8 x double> %1, <8 x double> splat (double 2.5)), !tag !0
  %c = call fast <8 x float> @llvm.sin.v8f32(<8 x float> %z)
  %d = fpext <8 x float> %c to <8 x double>
  %e = call afn <8 x double> @llvm.sqrt.v8f64(<8 x double> %"a b")
  %g = call <8 x double> @llvm.exp.v8f64(<8 x double> %y)
  %h = call afn <7 x double> @llvm.exp.v7f64(<7 x double> splat (double 0.5))
  %s = fadd <8 x double> %e, %d
  %t = fadd <8 x double> %s, %g
  ret <8 x double> %t
}
declare <8 x double> @llvm.exp.v8f64(<8 x double>)
declare <7 x double> @llvm.exp.v7f64(<7 x double>)
declare <8 x double> @llvm.pow.v8f64(<8 x double>, <8 x double>)
declare <8 x float> @llvm.sin.v8f32(<8 x float>)
declare <8 x double> @llvm.sqrt.v8f64(<8 x double>)
!0 = !{}
define void @run(ptr %x, ptr %y, ptr %z) {
  %a = load <8 x double>, ptr %x, align 8
  %b = load <8 x double>, ptr %y, align 8
  %c = load <8 x float>, ptr %z, align 4
  %d = call <8 x double> @f(<8 x double> %a, <8 x double> %b, <8 x float> %c)
  store <8 x double> %d, ptr %x, align 8
  ret void
}
"""


@needs_library
@pytest.mark.parametrize(
    ("cpu", "exponential", "sine"),
    [("", "_ZGVbN2v_exp", "_ZGVbN4v_sinf"), ("haswell", "_ZGVdN4v_exp", "_ZGVdN8v_sinf")],
)
def test_intrinsics_for_vectors(cpu: str, exponential: str, sine: str, tmp_path: Path) -> None:
    text = without_leftovers(with_vector_functions(VECTORS, cpu, exact=False))
    assert f"@{exponential}(" in text and f"@{sine}(" in text and "vv_pow(" in text
    assert text.count("@llvm.sqrt.v8f64") == 2 and text.count("@llvm.exp.v8f64") == 2  # that of %g, which says nothing
    assert text.count("@llvm.exp.v7f64") == 2
    path = tmp_path / "f.ll"
    path.write_text(text)
    x, y, z = np.linspace(-1, 1, 8), np.linspace(0, 1, 8), np.linspace(0, 3, 8).astype(np.float32)
    expected = np.sqrt(np.exp(x) ** 2.5) + np.sin(z) + np.exp(y)
    enzyme.compile(path)["run"](x, y, z)
    np.testing.assert_allclose(x, expected, rtol=1e-6)
    strict = VECTORS.replace("afn ", "").replace("fast ", "")
    assert with_vector_functions(strict, cpu, exact=False) == strict


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
