"""Products of matrices and triangular solves whose derivatives are products and solves."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import enzyme
from enzyme import Config
from enzyme.cli import main
from enzyme.gradient.blas import with_routines
from enzyme.gradient.lapack import with_factorisations
from enzyme.gradient.products import finished_text, with_small_products
from enzyme.gradient.solves import finished_text as finished_solve
from enzyme.gradient.solves import with_steps
from enzyme.llvm.context import canonical

DECLARED = """
#include <stdlib.h>
typedef const char *flag;
typedef const int *size;
typedef const double *numbers;
void dgemm_(flag, flag, size, size, size, numbers, numbers, size, numbers, size, numbers, double *, size);
void dtrsm_(flag, flag, flag, flag, size, size, numbers, numbers, size, double *, size);
void dpotrf_(flag, size, double *, size, int *);
static const double one = 1, zero = 0;
"""
PRODUCT = (
    DECLARED
    + """
double f(double *a, double *b, int n, int k) {
  double *c = malloc(n * n * sizeof(double)), s = 0;
  dgemm_("N", "T", &n, &n, &k, &one, a, &n, b, &n, &zero, c, &n);
  CHANGE;
  for (int i = 0; i < n * n; i++) s += c[i] * c[i] * (1 + i % 3);
  free(c);
  return s;
}
"""
)
SOLVE = (
    DECLARED
    + """
double f(double *a, int n) {
  double *u = malloc(n * n * sizeof(double)), *w = malloc(n * n * sizeof(double)), s = 0;
  int info;
  for (int i = 0; i < n * n; i++) u[i] = a[i] * a[i], w[i] = a[i];
  dpotrf_("U", &n, w, &n, &info);
  dtrsm_("R", "U", "N", "N", &n, &n, &one, w, &n, u, &n);
  for (int i = 0; i < n * n; i++) s += u[i] * u[i] * (1 + i % 3);
  free(u), free(w);
  return s + info;
}
"""
)


def _ir(source: str, args: list[str], **switches: bool) -> str:
    module = enzyme.compile(source, config=Config(cache=None, **switches))
    return module.autodiff("f", args).native._program.ir()


@pytest.mark.parametrize("change", ["", "a[3] = c[1]", "b[n] *= c[2]"])
def test_only_what_is_overwritten_is_kept(change: str) -> None:
    pytest.importorskip("scipy")
    _libraries()
    args = ["dup", "dup", "const", "const"]
    plain, ir = (_ir(PRODUCT.replace("CHANGE", each), args, block_lists=False) for each in ("", change))
    assert "@enzyme.matrix_product.double.dgemm_.i32" in ir
    assert "@enzyme.product." not in ir
    assert (ir.count("@malloc(") > plain.count("@malloc(")) is bool(change)


def test_off_they_are_loops() -> None:
    pytest.importorskip("scipy")
    _libraries()
    ir = _ir(PRODUCT.replace("CHANGE", ""), ["dup", "dup", "const", "const"], matrix_steps=False)
    assert "enzyme.matrix_product" not in ir


def _libraries() -> None:
    from enzyme.frontends.numba import register_libraries

    register_libraries()


@pytest.mark.parametrize("n", [2, 5, 40])
@pytest.mark.parametrize("change", ["", "a[3] = c[1]"])
def test_derivatives_of_derivatives_of_products(n: int, change: str) -> None:
    pytest.importorskip("scipy")
    _libraries()
    module = enzyme.compile(PRODUCT.replace("CHANGE", change), config=Config(cache=None))
    random = np.random.default_rng(n)
    a, b = random.standard_normal((2, n, n)) / n
    v = random.standard_normal((n, n))

    def gradient(at: np.ndarray) -> np.ndarray:
        found = np.zeros((n, n))
        module.autodiff("f", ["dup", "const", "const", "const"])((at.copy(), found), b.copy(), n, n)
        return found

    def value(at: np.ndarray) -> float:
        return float(module.f(at.copy(), b.copy(), n, n))

    h = 1e-5
    along = (value(a + h * v) - value(a - h * v)) / (2 * h)
    assert np.sum(gradient(a) * v) == pytest.approx(along, rel=1e-6)
    second = (gradient(a + h * v) - gradient(a - h * v)) / (2 * h)
    product = module.hvp("f")
    found = product(a.copy(), b.copy(), n, n, v)
    assert np.allclose(found, second, rtol=1e-6, atol=1e-6 * np.max(np.abs(second)))
    if n == 5:  # many directions at once
        found = (product.hessian(a.copy(), b.copy(), n, n) @ v.ravel()).reshape(n, n)
        assert np.allclose(found, second, rtol=1e-6, atol=1e-6 * np.max(np.abs(second)))


@pytest.mark.parametrize("n", [3, 40, 70])
def test_factorisations_and_solves(n: int) -> None:
    """In this process there is a dtrsm, of which the program has only the declaration that the engine adds."""
    pytest.importorskip("scipy")
    _libraries()
    module = enzyme.compile(SOLVE, config=Config(cache=None))
    random = np.random.default_rng(n)
    a, v = random.standard_normal((n, n)) / n + 2 * np.eye(n), random.standard_normal((n, n))
    found = np.zeros((n, n))
    module.autodiff("f", ["dup", "const"])((a.copy(), found), n)
    h = 1e-5
    along = (module.f(a + h * v, n) - module.f(a - h * v, n)) / (2 * h)
    assert np.sum(found * v) == pytest.approx(along, rel=1e-6)


COUNTED = """
#include <stdio.h>
#include "parts/plain_blas.h"
extern double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
static double f(double *a, double *c, int n) {
  double s = 0;
  cblas_dgemm(ColMajor, NoTrans, NoTrans, n, n, n, 1.0, a, n, a + n * n, n, 0.0, c, n);
  for (int i = 0; i < n * n; i++) s += c[i] * c[i];
  return s;
}
int main(void) {
  static double a[800], da[800], c[400], dc[400];
  for (int n = 5; n <= 20; n += 15) {
    for (int i = 0; i < 800; i++) a[i] = 1.0 / (i + 1), da[i] = 0;
    plain_calls = 0;
    __enzyme_autodiff((void *)f, enzyme_dup, a, da, enzyme_dup, c, dc, enzyme_const, n);
    printf("%d\\n", plain_calls);
  }
  return 0;
}
"""


@pytest.mark.parametrize(("off", "calls"), [("", ["0", "3"]), ("matrix_steps", ["0", "0"])])
def test_large_products_go_to_the_library(tmp_path: Path, off: str, calls: list[str]) -> None:
    source, program = tmp_path / "counted.c", tmp_path / "counted"
    source.write_text(COUNTED)
    folder = Path(__file__).parents[1] / "programs" / "calls"
    words = [
        "cc",
        "-O2",
        f"-I{folder}",
        str(source),
        "-o",
        str(program),
        "-lm",
        *([f"--enzyme-off={off}"] if off else []),
    ]
    assert main(words) == 0
    assert subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.split() == calls


STEPS = """
#include <stdio.h>
#include "parts/plain_blas.h"
extern double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
extern long enzyme_tape_peak;
static double f(double *restrict a, double *restrict h, double *restrict t, int n) {
  double s = 0;
  for (int k = 0; k < 10; k++) {
    cblas_dgemm(ColMajor, NoTrans, NoTrans, n, n, n, 1.0, a, n, h, n, 0.0, t, n);
    for (int i = 0; i < n * n; i++) h[i] = 0.5 * t[i];
  }
  for (int i = 0; i < n * n; i++) s += h[i] * h[i];
  return s;
}
int main(void) {
  static double a[400], da[400], h[400], dh[400], t[400], dt[400];
  for (int i = 0; i < 400; i++) a[i] = h[i] = 1.0 / (i + 1);
  __enzyme_autodiff((void *)f, enzyme_dup, a, da, enzyme_dup, h, dh, enzyme_dup, t, dt, enzyme_const, 20);
  printf("%ld\\n", enzyme_tape_peak);
  return 0;
}
"""


def test_explain_states_what_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, program = tmp_path / "steps.c", tmp_path / "steps"
    source.write_text(STEPS)
    words = ["-O2", f"-I{Path(__file__).parents[1] / 'programs' / 'calls'}", str(source)]
    assert main(["explain", *words, "--sizes", "n=20"]) == 0
    stated = re.search(r"tape at its largest: .* = (\d+) bytes", capsys.readouterr().out)
    assert stated is not None
    assert main(["cc", *words, "-o", str(program), "-lm", "--enzyme-count-tape"]) == 0
    counted = int(subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout)
    assert counted >= 10 * 20 * 20 * 8  # a copy of h for each step
    assert counted == pytest.approx(int(stated[1]), rel=0.1)


def test_all_routines_have_bodies_that_llvm_takes() -> None:
    """By both conventions, with integers of both lengths and with what Fortran compilers pass at the end."""
    number = "double"
    c = f"declare void @cblas_dgemm(i32, i32, i32, i64, i64, i64, {number}, ptr, i64, ptr, i64, {number}, ptr, i64)\n"
    fortran = f"declare void @dtrsm_({', '.join(['ptr'] * 11 + ['i64'] * 4)})\n"
    wide = f"declare void @sgemm_64_({', '.join(['ptr'] * 13)})\n"
    lapack = "declare i64 @LAPACKE_dpotrf_64(i32, i8, i64, ptr, i64)\n"
    text = with_steps(with_factorisations(with_routines(c + fortran + wide + lapack)))
    canonical(text)
    names = re.findall(r"define available_externally void @(enzyme\.(?:product|solve)\.\S+?)\(", text)
    assert set(names) == {
        "enzyme.product.double.cblas_dgemm.i64",
        "enzyme.solve.double.dtrsm_.i32.i64",
        "enzyme.product.float.sgemm_64_.i64",
    }
    for name in names:
        canonical((finished_solve if "solve" in name else finished_text)(name))


def test_products_known_to_be_small_are_part_of_the_code() -> None:
    call = "call void @enzyme.product.double(i64 {0}, i64 3, i64 3, double 1.0, ptr %a, i64 1, i64 3, ptr %a, i64 1, "
    call += "i64 3, ptr %b, i64 1, i64 3)\n"
    assert with_small_products(call.format("%n")) is None
    assert with_small_products(call.format(300)) is None
    assert "call void @enzyme.small_product.double(i64 3" in (with_small_products(call.format(3)) or "")
