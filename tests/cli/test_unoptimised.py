"""Programs in which optimisation has wiped out the types: their derivatives are made before it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import enzyme
import enzyme.gradient.lower as engine
from enzyme.cli import main
from enzyme.support.diagnostics import EnzymeError, SourceLocation, TypeUnknownError, UsageError

PROGRAM = """double __enzyme_autodiff(void *, ...);
static double f(double x) { return x * x * x; }
double slope(double x) { return __enzyme_autodiff((void *)f, x); }
int main(void) { return slope(2) != 12; }
"""
LOST = TypeUnknownError("cannot tell", function="f", location=SourceLocation("demo.c", 2, 5))


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> list[Exception]:
    """What the engine raises at its next tries, beginning with the last."""
    errors: list[Exception] = [LOST]
    real = engine.lower

    def lower(*words: object, **named: object) -> object:
        if errors:
            raise errors.pop()
        return real(*words, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(engine, "lower", lower)
    monkeypatch.setenv("ENZYME_CACHE", "off")
    return errors


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "demo.c"
    path.write_text(PROGRAM)
    return str(path)


def test_a_compile_goes_on_with_the_program_as_it_was(
    refused: list[Exception], program: str, capfd: pytest.CaptureFixture[str]
) -> None:
    made = str(Path(program).with_suffix(".exe"))
    assert main(["cc", "-O2", program, "-o", made]) == 0
    assert "demo.c:2:5: warning: cannot tell: the derivative is made before optimisation" in capfd.readouterr().err
    assert subprocess.run([made], check=False).returncode == 0


def test_the_warning_may_be_an_error(refused: list[Exception], program: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["cc", "-O2", "-c", "-Werror=enzyme-types", program, "-o", "/dev/null"]) == 1
    assert "error: cannot tell" in capfd.readouterr().err


@pytest.mark.parametrize("words", [["-O0"], ["-O2", "--enzyme-pipeline=pre"]])
def test_what_was_not_optimised_is_not_tried_again(refused: list[Exception], program: str, words: list[str]) -> None:
    assert main(["cc", *words, "-c", program, "-o", "/dev/null"]) == 1
    assert not refused


def test_where_both_are_refused_the_first_refusal_counts(refused: list[Exception]) -> None:
    refused.insert(0, UsageError("another"))
    with pytest.raises(TypeUnknownError, match="cannot tell"):
        enzyme.compile(PROGRAM)
    assert not refused


def test_what_is_refused_for_other_reasons_is_not_tried_again(refused: list[Exception]) -> None:
    refused.append(UsageError("another"))
    with pytest.raises(EnzymeError, match="another"):
        enzyme.compile(PROGRAM)
    assert refused == [LOST]


def test_a_module_says_by_which_pipeline_it_is(refused: list[Exception]) -> None:
    module = enzyme.compile(PROGRAM)
    assert module.pipeline == "pre"
    assert module.slope(2.0) == 12


def test_a_report_is_on_the_program_that_is_differentiated(
    refused: list[Exception], program: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", program]) == 0
    assert "-O2, pre" in capfd.readouterr().out


def test_markers_that_are_static(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source, made = tmp_path / "static.c", str(tmp_path / "static")
    source.write_text("""
static int enzyme_const, enzyme_out, enzyme_dup;
double __enzyme_autodiff(void *, ...);
double f(int n, double x, const double *y) { return n * x * y[0]; }
int main(void) {
  double y = 2, dy = 0;
  double dx = __enzyme_autodiff((void *)f, enzyme_const, 3, enzyme_out, 5.0, enzyme_dup, &y, &dy);
  return dx != 6 || dy != 15;
}
""")
    assert main(["cc", "-O2", str(source), "-o", made]) == 0
    assert "the derivative is made before optimisation" in capfd.readouterr().err
    assert subprocess.run([made], check=False).returncode == 0
