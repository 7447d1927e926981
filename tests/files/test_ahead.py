"""Derivatives made ahead of time in the unit that defines a function, and found by name in the others."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.files.build import answer, archive, compiler, write

HEADER = """#include <enzyme/enzyme.h>
double energy(const double *x, int n, double k);
void advance(double *u, const double *w, double dt, int n);
double *squares(const double *x, int n) __attribute__((malloc));
ENZYME_AHEAD(energy);
ENZYME_AHEAD(advance);
ENZYME_AHEAD_AS(advance, "dup const out const");
ENZYME_AHEAD(squares);
"""
MODEL = """#include <math.h>
#include <stdlib.h>
#include "model.h"
double energy(const double *x, int n, double k) {
  double s = 0;
  for (int i = 0; i < n; i++) s += k * sin(x[i]) * x[i];
  return s;
}
void advance(double *u, const double *w, double dt, int n) {
  for (int i = 0; i < n; i++) u[i] += dt * u[i] * w[i];
}
double *squares(const double *x, int n) {
  double *y = malloc(n * sizeof *y);
  for (int i = 0; i < n; i++) y[i] = x[i] * x[i];
  return y;
}
"""
USER = """#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "model.h"
static double run(const double *x, const double *fixed, double k, int n) {
  double u[3], s = 0;
  double *c = squares(x, n);
  for (int i = 0; i < n; i++) u[i] = x[i];
  for (int t = 0; t < 4; t++) advance(u, c, 0.1 * k, n);
  advance(u, fixed, 0.2, n);
  for (int i = 0; i < n; i++) s += c[i];
  free(c);
  return energy(u, n, k) * k + s;
}
int main(void) {
  double x[3] = {0.5, 1, -0.3}, w[3] = {1, 2, 3}, dx[3] = {0}, v[3] = {1, 2, 3}, p[3], m[3], h = 1e-6;
  double dk = __enzyme_autodiff((void *)run, x, dx, enzyme_const, w, 1.5, 3);
  double forward = __enzyme_fwddiff((void *)run, x, v, enzyme_const, w, 1.5, 0.7, 3);
  for (int i = 0; i < 3; i++) p[i] = x[i] + h * v[i], m[i] = x[i] - h * v[i];
  double expected = (run(p, w, 1.5 + h * 0.7, 3) - run(m, w, 1.5 - h * 0.7, 3)) / (2 * h);
  double reverse = dx[0] + 2 * dx[1] + 3 * dx[2] + 0.7 * dk, y[3] = {1, 2, 3}, dy[3] = {0};
  __enzyme_autodiff((void *)energy, y, dy, 3, 2.0);
  printf("%d %d %d", fabs(forward - expected) < 1e-7, fabs(reverse - expected) < 1e-7,
         fabs(dy[1] - 2 * (sin(2) + 2 * cos(2))) < 1e-12);
  return 0;
}
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    write(tmp_path, model_h=HEADER, model_c=MODEL, user_c=USER)
    return tmp_path


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("level", "pipeline"), [("-O0", "post"), ("-O1", "post"), ("-O2", "pre"), ("-O3", "post")])
def test_units_compiled_apart(model: Path, level: str, pipeline: str) -> None:
    for name in ("model.c", "user.c"):
        compiler("cc", level, f"--enzyme-pipeline={pipeline}", "-c", name, cwd=model)
    compiler("cc", "model.o", "user.o", "-o", "prog", cwd=model)
    assert answer(model / "prog") == "1 1 1"


def test_units_of_different_levels_and_a_library(model: Path) -> None:
    compiler("cc", "-O3", "-c", "model.c", cwd=model)
    compiler("cc", "-O0", "-c", "user.c", cwd=model)
    archive("libmodel.a", "model.o", cwd=model)
    compiler("cc", "user.o", "-L.", "-lmodel", "-o", "prog", cwd=model)
    assert answer(model / "prog") == "1 1 1"


def test_the_same_sources_as_one_program(model: Path) -> None:
    compiler("cc", "-O2", "model.c", "user.c", "-o", "prog", cwd=model)
    assert answer(model / "prog") == "1 1 1"


def test_a_shared_library_has_its_derivatives(model: Path) -> None:
    compiler("cc", "-O2", "-fPIC", "-shared", "model.c", "-o", "libmodel.so", cwd=model)
    compiler("cc", "-O2", "user.c", "./libmodel.so", "-Wl,-rpath,.", "-o", "prog", cwd=model)
    done = subprocess.run(["./prog"], cwd=model, capture_output=True, text=True, check=True)
    assert done.stdout == "1 1 1"


def test_functions_of_cpp_go_by_their_own_names(tmp_path: Path) -> None:
    write(
        tmp_path,
        model_h="#include <enzyme/enzyme.h>\nnamespace model { double f(double); }\n"
        "using model::f;\nENZYME_AHEAD(f);\n",
        model_cpp='#include "model.h"\ndouble model::f(double x) { return x * x * x; }\n',
        main_cpp='#include <cstdio>\n#include "model.h"\nstatic double g(double x) { return f(x) * x; }\n'
        'int main() { std::printf("%g", __enzyme_autodiff<double>((void *)g, 2.0)); }\n',
    )
    compiler("c++", "-O2", "-c", "model.cpp", "main.cpp", cwd=tmp_path)
    compiler("c++", "model.o", "main.o", "-o", "prog", cwd=tmp_path)
    assert answer(tmp_path / "prog") == "32"


def test_other_activities_are_refused_with_what_to_write(model: Path) -> None:
    (model / "model.h").write_text(HEADER.replace('ENZYME_AHEAD_AS(advance, "dup const out const");\n', ""))
    message = compiler("cc", "-O0", "-c", "user.c", cwd=model, fails=True)
    assert 'ENZYME_AHEAD_AS(advance, "dup const out const")' in message


def test_activities_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    write(
        tmp_path,
        a_c='#include <enzyme/enzyme.h>\ndouble f(double *x, int n);\nENZYME_AHEAD_AS(f, "out const");\n'
        "double f(double *x, int n) { return x[n]; }\n",
        b_c="#include <enzyme/enzyme.h>\nstatic double f(double x) { return x; }\nENZYME_AHEAD(f);\n",
    )
    assert "expected, in order: dup or const, const" in compiler("cc", "-c", "a.c", cwd=tmp_path, fails=True)
    assert "'f', which is static" in compiler("cc", "-c", "b.c", cwd=tmp_path, fails=True)


def test_a_derivative_that_nobody_has_made_is_the_linkers_affair(model: Path) -> None:
    (model / "model.c").write_text(MODEL.replace('#include "model.h"\n', ""))
    compiler("cc", "-O1", "-c", "model.c", "user.c", cwd=model)
    assert "enzyme.ahead." in compiler("cc", "model.o", "user.o", "-o", "prog", cwd=model, fails=True)
