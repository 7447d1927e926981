"""Programs as people write them in Fortran: what they call of flang's library has bodies that are differentiated."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import enzyme
from enzyme import Config
from enzyme.frontends.fortran import with_runtime
from enzyme.support.diagnostics import ActivityError, CompileError, UnsupportedError, UsageError

SOURCES = Path(__file__).parent / "sources"
SAMPLE = SOURCES / "sample.ll"
SIZES = {
    "norm": 40, "logistic": 8 + 9 * 7, "mlp": 184, "mixture": 24 + 60, "heat": 30, "image": 9 + 64, "bodies": 35,
    "pendulum": 5, "roots": 20, "cholesky": 36, "shapes": 20, "list": 20, "tree": 20, "product_of": 50, "warping": 24,
    "spectrum": 32, "integral": 8, "elementwise": 30, "solve": 30, "tabled": 30, "singles": 20, "shifts": 12,
    "packed": 30, "spreads": 9, "partial_sums": 43, "matrices": 25, "layers": 64, "copies": 10, "powers": 9,
    "printing": 10, "grown": 13, "zmat": 12, "sections": 24, "optionals": 3, "reversed": 11, "picked": 20, "texts": 3,
    "series": 9, "shifted": 6, "turned": 6, "copied": 13, "constructed": 5,
}  # fmt: skip
IN_SAMPLE = ("heat", "list", "packed", "layers", "copies", "grown", "shifted")
SINGLE = "singles"
"""Numbers of 32 bits."""
WAYS = {"-O2": (2, "post"), "-O1": (1, "post"), "-O0": (0, "post"), "not optimised first": (2, "pre")}


def _check(module: enzyme.Module, name: str) -> None:
    """Reverse mode against forward mode and differences."""
    n = SIZES[name]
    rng = np.random.default_rng(n)
    x, v = rng.uniform(0.1, 0.9, (2, n))
    gradient = module.gradient(name)(x, n)
    tangent = module.autodiff(name, ["dup", "const"], mode="forward")((x, v), n)
    single = name == SINGLE
    assert gradient @ v == pytest.approx(tangent, rel=1e-5 if single else 1e-9, abs=1e-12)
    h = 1e-2 if single else 1e-6
    slope = (module[name](x + h * v, n) - module[name](x - h * v, n)) / (2 * h)
    assert tangent == pytest.approx(slope, rel=1e-3 if single else 1e-5, abs=1e-6)


@pytest.fixture(scope="module")
def sample() -> enzyme.Module:
    return enzyme.compile(SAMPLE, config=Config(cache=None))


@pytest.mark.parametrize("name", IN_SAMPLE)
def test_sample(name: str, sample: enzyme.Module) -> None:
    _check(sample, name)


@pytest.mark.parametrize(("level", "pipeline"), [(0, "post"), (1, "post"), (3, "post"), (2, "pre")])
def test_sample_at_levels(level: int, pipeline: str) -> None:
    module = enzyme.compile(SAMPLE, opt_level=level, pipeline=pipeline, config=Config(cache=None))
    for name in ("heat", "copies", "grown"):
        _check(module, name)


def test_only_what_fits_is_linked() -> None:
    """A function of another signature, or of a program whose types have finalisers, keeps flang's own body."""
    text = SAMPLE.read_text(encoding="utf-8")
    assert "define internal void @_FortranAAssign(" in with_runtime(text)
    other = text.replace("@_FortranAAssign(ptr, ptr, ptr, i32)", "@_FortranAAssign(ptr, ptr, ptr, i64)")
    assert other != text
    assert "define internal void @_FortranAAssign(" not in with_runtime(other)
    table = re.compile(r"(?m)^(@_QMsampleEXdtXnode = .*), i32 0, i8 0, i8 0, i8 1, i8 1, i8 1, (\[3 x i8\] undef .*)$")
    final, count = table.subn(r"\1, i32 512, i8 0, i8 0, i8 0, i8 0, i8 1, \2", text)
    assert count == 1
    assert "define internal void @_FortranAAssign(" not in with_runtime(final)
    assert "define internal void @_FortranAPack(" in with_runtime(final)
    assert with_runtime("define void @f() {\n  ret void\n}\n") == "define void @f() {\n  ret void\n}\n"


def test_refusals_say_where(tmp_path: Path) -> None:
    path = tmp_path / "f.ll"
    path.write_text(
        "define double @f(ptr %x) {\n  %y = alloca double\n"
        "  call void @_FortranARandomNumber(ptr %y, ptr null, i32 1)\n"
        "  %v = load double, ptr %y\n  %u = load double, ptr %x\n  %w = fmul double %u, %v\n  ret double %w\n}\n"
        "declare void @_FortranARandomNumber(ptr, ptr, i32)\n"
    )
    with pytest.raises((ActivityError, UsageError), match="_FortranARandomNumber"):
        enzyme.compile(path, config=Config(cache=None)).gradient("f")(np.ones(1))


def test_no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for language, variable in (("fortran", "ENZYME_FC"), ("rust", "ENZYME_RUSTC")):
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.delenv(variable, raising=False)
        with pytest.raises(CompileError, match=variable):
            enzyme.compile("subroutine f\nend\n", language=language)
        monkeypatch.setenv(variable, str(tmp_path / "none"))
        with pytest.raises(CompileError, match="cannot start"):
            enzyme.compile("subroutine f\nend\n", language=language)
    for version, match in (
        ("flang version 22.1", r"no file 'none.f90'"),
        ("flang version 99.0", "too new"),
        ("cc", "no flang"),
    ):
        fake = tmp_path / "fake"
        fake.write_text(f"#!/bin/sh\necho {version}\n")
        fake.chmod(0o755)
        renamed = fake.rename(tmp_path / version.replace(" ", "-"))  # what a command says of itself is asked once
        monkeypatch.setenv("ENZYME_FC", str(renamed))
        with pytest.raises((CompileError, UsageError), match=match):
            enzyme.compile("none.f90")


# --- with flang -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def modules(flang: str) -> dict[str, enzyme.Module]:
    return {
        name: enzyme.compile(SOURCES / "everyday.f90", opt_level=level, pipeline=pipeline, config=Config(cache=None))
        for name, (level, pipeline) in WAYS.items()
    }


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("name", SIZES)
def test_gradients(name: str, how: str, modules: dict[str, enzyme.Module]) -> None:
    if name == "integral" and how == "-O0":
        pytest.skip("a trampoline hides which function is integrated")
    _check(modules[how], name)


def test_values_are_flangs(flang: str, modules: dict[str, enzyme.Module], tmp_path: Path) -> None:
    """What our bodies compute is what the library computes."""
    library = tmp_path / "everyday.so"
    command = [flang, "-shared", "-fPIC", "-O2", "-module-dir", str(tmp_path), str(SOURCES / "everyday.f90")]
    subprocess.run([*command, "-o", str(library)], check=True, capture_output=True)
    theirs = ctypes.CDLL(str(library))
    for name, n in SIZES.items():
        x = np.random.default_rng(n).uniform(0.1, 0.9, n)
        function = theirs[name]
        function.restype, function.argtypes = ctypes.c_double, [ctypes.c_void_p, ctypes.c_int]
        wanted = pytest.approx(function(x.ctypes.data, n), rel=1e-5 if name == SINGLE else 1e-12)
        assert modules["-O2"][name](x, n) == wanted, name


def test_text_errors_and_lines(flang: str) -> None:
    module = enzyme.compile(
        "real(8) function f(x) bind(c)\n  real(8), value :: x\n  f = sin(x)\nend function\n", language="fortran"
    )
    assert module.gradient("f")(0.5) == pytest.approx(np.cos(0.5))
    with pytest.raises(CompileError, match=r"source.f90:2:"):
        enzyme.compile("real(8) function f(x)\n  x = = 3\nend\n", language="fortran")
    reads = "real(8) function f(x) bind(c)\n  real(8), value :: x\n  f = x\n  read(*,*) f\nend function\n"
    with pytest.raises((UnsupportedError, ActivityError), match=r"source.f90:4"):
        enzyme.compile(reads, language="fortran").gradient("f")(1.0)


FIXED_FORM = """\
      SUBROUTINE RESID(N, X, F)
      INTEGER N, I
      DOUBLE PRECISION X(*), F, W(100), ALPHA, BETA
      COMMON /PARAMS/ ALPHA, BETA
      ALPHA = X(1)
      BETA = 2D0
      DO 10 I = 1, N
         W(I) = ALPHA*X(I)**2 + BETA
         IF (W(I) .GT. 2.5D0) GOTO 20
   10 CONTINUE
      F = 0D0
      GOTO 30
   20 F = 1D0
      CALL MORE(N, X, W)
   30 DO 40 I = 1, N
   40 F = F + DSIN(W(I))*X(I)*ALPHA
      END
      SUBROUTINE MORE(N, X, W)
      INTEGER N, I
      DOUBLE PRECISION X(N), W(N), ALPHA, BETA
      COMMON /PARAMS/ ALPHA, BETA
      DO 10 I = 1, N
   10 W(I) = ALPHA*BETA + X(I)
      ALPHA = ALPHA*X(N)
      END
"""


@pytest.mark.parametrize("level", [0, 2])
def test_fixed_form(level: int, flang: str, tmp_path: Path) -> None:
    """FORTRAN 77: common blocks, labels, arguments by address."""
    path = tmp_path / "resid.f"
    path.write_text(FIXED_FORM)
    module = enzyme.compile(path, opt_level=level, config=Config(cache=None))
    n = np.array([4], dtype=np.int32)

    def f(x: np.ndarray) -> float:
        out = np.zeros(1)
        module["resid_"](n, x, out)
        return float(out[0])

    for x in (np.array([0.3, 0.2, 0.4, 0.1]), np.array([1.0, 2.0, 0.5, 0.7])):
        dx, out, dout = np.zeros(4), np.zeros(1), np.ones(1)
        module.autodiff("resid_", ["const", "dup", "dup"])(n, (x, dx), (out, dout))
        slopes = [(f(x + 1e-6 * e) - f(x - 1e-6 * e)) / 2e-6 for e in np.eye(4)]
        assert dx == pytest.approx(slopes, rel=1e-6, abs=1e-8)


def test_explain_and_cc(flang: str, tmp_path: Path) -> None:
    path = tmp_path / "f.f90"
    path.write_text("real(8) function f(x) bind(c)\n  real(8), value :: x\n  f = sin(x)\nend function\n")
    command = [sys.executable, "-m", "enzyme"]
    done = subprocess.run(
        [*command, "explain", str(path), "--function", "f"], capture_output=True, text=True, check=True
    )
    assert "f = sin(x)" in done.stdout
    done = subprocess.run([*command, "cc", str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "is a program in Fortran" in done.stderr
