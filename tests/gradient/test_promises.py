"""What the synthesis promises, each promise tried by a program that would show it broken."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import enzyme
from enzyme.cli import main

HERE = Path(__file__).resolve().parent

SOURCE = """
#include <math.h>
#include <string.h>
typedef struct { double v[40]; } Block;
/* a store clears the shadow of what it overwrites, also when what is stored is constant */
void overwritten(const double *x, double *y) { y[0] = x[0] * x[0]; y[0] = x[1]; }
void cleared(const double *x, double *y, int n) { memset(y, 0, n * sizeof *y); y[0] += x[0]; }
void constant(double *y) { y[0] = 3; y[1] = y[0] * y[2]; }
void copied(const double *x, double *y, int n) { memcpy(y, x, n * sizeof *x); y[n] = 2 * x[n]; }
/* one value used many times, one address read many times, two names for one address */
double twice(double *x) { double t = x[0]; return t * t + t * x[0] + x[0] * 1.5; }
double aliased(double *a, double *b) { double s = a[0] * b[0]; b[0] = s * a[1]; return a[0] + s; }
void onto_itself(Block *b, int i, int j) { b[i] = b[j]; }
void moved(double *x, int n) { x[0] *= 2; memmove(x + 1, x, n * sizeof *x); }
/* what is asked about memory that both calls share */
double in_place(double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) { x[i] = sin(x[i]); s += x[i]; }
  return s;
}
double sums(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * x[i] * x[i]; return s; }
"""


@pytest.fixture(scope="module", params=[0, 2])
def program(request: pytest.FixtureRequest) -> enzyme.Module:
    return enzyme.compile(SOURCE, opt_level=request.param)


def reverse(program: enzyme.Module, name: str, *args: object) -> object:
    return program.autodiff(name)(*args)


def test_a_store_clears_the_shadow(program: enzyme.Module) -> None:
    x, dx, y, dy = np.array([2.0, 3.0]), np.zeros(2), np.zeros(2), np.array([5.0, 7.0])
    reverse(program, "overwritten", (x, dx), (y, dy))
    np.testing.assert_array_equal(dx, [0, 5])
    np.testing.assert_array_equal(dy, [0, 7])
    dx, dy = np.zeros(2), np.array([5.0, 7.0])
    reverse(program, "cleared", (x, dx), (y, dy), 2)
    np.testing.assert_array_equal(dx, [5, 0])
    np.testing.assert_array_equal(dy, [0, 0])
    y, dy = np.array([1.0, 2.0, 4.0]), np.array([1.0, 10.0, 100.0])
    reverse(program, "constant", (y, dy))
    np.testing.assert_array_equal(dy, [0, 0, 130])


def test_a_copy_hands_its_shadow_over_once(program: enzyme.Module) -> None:
    x, dx, y, dy = np.ones(5), np.ones(5), np.zeros(5), np.arange(5.0)
    reverse(program, "copied", (x, dx), (y, dy), 4)
    np.testing.assert_array_equal(dx, [1, 2, 3, 4, 9])
    np.testing.assert_array_equal(dy, [0, 0, 0, 0, 0])
    x, dx = np.ones(6), np.arange(6.0)
    reverse(program, "moved", (x, dx), 4)
    np.testing.assert_array_equal(dx, [2, 2, 3, 4, 0, 5])


@pytest.mark.parametrize("i,j", [(0, 1), (1, 1)])
def test_a_block_copied_onto_itself(program: enzyme.Module, i: int, j: int) -> None:
    b, db = np.ones(80), np.arange(1.0, 81.0)
    expected = db.reshape(2, 40).copy()
    if i != j:
        expected[j] += expected[i]
        expected[i] = 0
    reverse(program, "onto_itself", (b, db), i, j)
    np.testing.assert_array_equal(db, expected.reshape(-1))


def test_nothing_is_accumulated_twice(program: enzyme.Module) -> None:
    x, dx = np.array([3.0]), np.array([100.0])
    reverse(program, "twice", (x, dx))
    assert dx[0] == 100 + 4 * 3 + 1.5
    a, da = np.array([2.0, 5.0]), np.zeros(2)
    program.autodiff("aliased")((a, da), (a, da))  # s = a0*a0, a0 = s*a1, result a0 + s
    np.testing.assert_array_equal(da, [2 * 2 * 5 + 2 * 2, 4])


def test_shadows_are_added_to(program: enzyme.Module) -> None:
    x, dx = np.linspace(0, 1, 9), np.zeros(9)
    for _ in range(3):
        reverse(program, "sums", (x, dx), 9)
    np.testing.assert_allclose(dx, 9 * x * x, rtol=1e-15)


def test_the_primal_leaves_what_it_leaves(program: enzyme.Module) -> None:
    x, dx = np.linspace(0, 1, 9), np.zeros(9)
    reverse(program, "in_place", (x, dx), 9)
    np.testing.assert_allclose(x, np.sin(np.linspace(0, 1, 9)), rtol=1e-15)
    np.testing.assert_allclose(dx, np.cos(np.linspace(0, 1, 9)), rtol=1e-15)


# --- the plan checker -----------------------------------------------------------------------------------------------

UNSOUND = """
import sys
import numpy as np
import enzyme
from enzyme.gradient.subject import Subject
from enzyme.support.config import Config
if sys.argv[1] == "unsound":
    Subject.overwrites = lambda self, *_: ("", 0)
source = '''
#include <math.h>
double f(double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double value = x[i];
    x[i] = sin(value) * s;
    s += value * value;
  }
  return s;
}'''
program = enzyme.compile(source, opt_level=int(sys.argv[2]), config=Config(check_plan=True))
x, dx = np.linspace(0.5, 1, 4), np.ones(4)
program.autodiff("f")((x, dx), 4)
print("gradient", *dx)
"""


def run_checked(kind: str, level: int) -> subprocess.CompletedProcess[str]:
    root = Path(enzyme.__file__).resolve().parents[1]
    path = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-c", UNSOUND, kind, str(level)]
    return subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)


def test_the_plan_checker_passes_a_sound_plan() -> None:
    done = run_checked("sound", 2)
    assert done.returncode == 0 and done.stdout.startswith("gradient"), done.stdout + done.stderr


@pytest.mark.parametrize("level", [0, 2])
def test_the_plan_checker_catches_an_unsound_plan(level: int) -> None:
    done = run_checked("unsound", level)
    assert done.returncode < 0, "the program was not aborted"
    assert "a recomputed value differs from the one kept for\nf: load at" in done.stdout, done.stdout
    assert "source.c:6:20" in done.stdout, done.stdout


# --- memory ---------------------------------------------------------------------------------------------------------


@pytest.mark.thinned(2)
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
@pytest.mark.parametrize("checked", [False, True], ids=["plain", "check_plan"])
def test_memory_is_given_back_on_every_path(
    checked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """No leak, no access to memory that is gone or was never written, the same gradients at both levels."""
    if checked:
        monkeypatch.setenv("ENZYME_CHECK_PLAN", "1")
    printed, off = [], ["--enzyme-off=block_lists"]  # what is on the lists can be reached for good
    for level in (0, 2):
        executable = tmp_path / f"memory{level}"
        source = str(HERE / "memory.c")
        assert main(["cc", f"-O{level}", "-g", "-w", "-march=x86_64", source, "-o", str(executable), "-lm", *off]) == 0
        command = ["valgrind", "-q", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=all"]
        command += ["--errors-for-leak-kinds=all", str(executable)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:4000]
        printed.append([line.split() for line in done.stdout.splitlines()])
    assert len(printed[0]) == 10
    for (name, first), (_, second) in zip(*printed, strict=True):
        assert float(first) == pytest.approx(float(second), rel=1e-9), name
