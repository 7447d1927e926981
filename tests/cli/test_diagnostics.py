"""Debug info of derivatives, names in messages, faults of the engine, times and prints of steps."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from enzyme import cli
from enzyme.gradient import synthesis
from enzyme.support.demangle import demangle
from enzyme.support.diagnostics import EnzymeError
from enzyme.support.trace import Trace

PROGRAM = """\
#include <math.h>
double __enzyme_autodiff(void *, ...);
extern int enzyme_const;
static double inner(double x) {
  return x > 0 ? log(x) : 0;
}
__attribute__((noinline)) double body(double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double t = a[i] * s;
    s += inner(t + 2) * a[i];
    a[i] = s;
  }
  return s;
}
double f(double *a, int n) { return body(a, n) * body(a, n); }
int main(void) {
  double a[5] = {1, 2, 3, 4, 5}, d[5] = {0};
  __enzyme_autodiff((void *)f, a, d, enzyme_const, 5);
  return d[0] > 9736 && d[0] < 9737 ? 0 : 1;
}
"""


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "model.c"
    path.write_text(PROGRAM)
    return path


@pytest.mark.parametrize("level", "0123")
@pytest.mark.parametrize("pipeline", ["pre", "post"])
@pytest.mark.parametrize("debug", ["-g", "-g0"])
def test_debug_info_is_valid(
    source: Path, level: str, pipeline: str, debug: str, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["cc", debug, f"-O{level}", f"--enzyme-pipeline={pipeline}", str(source), "-o", "model"]
    assert cli.main(words) == 0
    assert capfd.readouterr().err == ""  # LLVM says there that it drops debug info that is not valid
    assert subprocess.run(["./model"], check=False).returncode == 0


def test_every_instruction_of_a_derivative_has_a_line(source: Path) -> None:
    assert cli.main(["cc", "-S", "-emit-llvm", str(source), "-o", "model.ll"]) == 0
    text = Path("model.ll").read_text()
    bodies = re.findall(r"^define [^\n]*@((?:f|body|inner)\.[\w.]+)\([^\n]*(!dbg !\d+) \{\n(.*?)^\}", text, re.M | re.S)
    assert len(bodies) >= 5
    for name, _, body in bodies:
        lines = [line for line in body.split("\n") if line.startswith("  ") and " = phi " not in line]
        assert lines and all("!dbg" in line for line in lines if "]" not in line or "switch" not in line), name


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not here")
def test_backtraces_show_the_lines_of_the_program(source: Path) -> None:
    assert cli.main(["cc", "-g", str(source), "-o", "model"]) == 0
    commands = ["break log", "run", "bt", "delete", "tbreak body.reverse.dcr", "continue", "bt"]
    words = [word for command in commands for word in ("-ex", command)]
    done = subprocess.run(["gdb", "-nx", "-batch", *words, "./model"], capture_output=True, text=True, check=False)
    if "Breakpoint 1" not in done.stdout or "#0" not in done.stdout:
        pytest.skip("gdb cannot run programs here")
    for frame in (
        r"inner\.augmented.* at .*model\.c:5",
        r"body\.augmented.* at .*model\.c:11",
        r"f\.reverse.* at .*model\.c:16",
    ):
        assert re.search(frame, done.stdout), done.stdout
    assert re.search(r"body\.reverse.* at .*model\.c:\d+", done.stdout)


def test_names_in_messages_are_those_of_the_source() -> None:
    assert demangle("_ZN5shape4areaEd") == "shape::area(double)"
    assert demangle("_ZN5shape4areaEd.reverse.o") == "shape::area(double).reverse.o"
    assert demangle("area") == "area"
    assert "'shape::area(double)'" in str(EnzymeError("refused", function="_ZN5shape4areaEd"))


def test_a_fault_is_one_message(
    source: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("slot")

    monkeypatch.setattr(synthesis, "make_plan", broken)
    monkeypatch.delenv("ENZYME_DEBUG", raising=False)
    assert cli.main(["cc", "-c", str(source), "-o", "model.o"]) == 70
    said = capsys.readouterr().err
    assert said.startswith("error: internal fault: KeyError: 'slot'\n  in function '")
    assert "report" in said and "Traceback" not in said
    monkeypatch.setenv("ENZYME_DEBUG", "1")
    assert cli.main(["cc", "-c", str(source), "-o", "model.o"]) == 70
    assert "Traceback" in capsys.readouterr().err


def test_refusals_name_the_line(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source.write_text(
        "double __enzyme_autodiff(void *, ...);\n\ndouble ext(double);\ndouble f(double x) {\n  return ext(x) * x; }\n"
        "double g(double x) { return __enzyme_autodiff((void *)f, x); }\n"
    )
    assert cli.main(["cc", "-c", "-O2", str(source), "-o", "model.o"]) == 1
    assert "model.c:5:" in capsys.readouterr().err


def test_steps_are_timed_and_printed(source: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["cc", "-c", str(source), "-o", "model.o", "--time-passes", "--print-after=prepare,derivative"]
    assert cli.main([*words, "--print-functions", "inner"]) == 0
    said = capfd.readouterr().err
    for step in ("front-end", "parse", "types", "activity", "plan", "derivative", "code-generation", "the engine"):
        assert re.search(rf"^{step} +\d+\.\d+", said, re.M), step
    assert said.count("; --- after prepare: inner ---") == 1
    assert "; --- after derivative: inner.reverse.or ---" in said
    assert "body" not in re.sub(r"call [^\n]*", "", said.partition("step  ")[0]).replace("body.", "")
    assert cli.main([*words[:-1], "--print-after=nothing"]) == 2
    assert "there is no step 'nothing'" in capfd.readouterr().err


def test_time_of_a_step_is_its_own() -> None:
    trace = Trace(timing=True)
    with trace.step("derivative"), trace.step("plan"):
        pass
    assert set(trace.seconds) == {"derivative", "plan"} and trace.table().count("\n") == 4
    silent = Trace()
    with silent.step("plan"):
        pass
    assert not silent.seconds
