"""The rivals: what they need is found or named, those that are here answer rightly, and adding one is one folder."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from adbench.checking import check_directions
from adbench.native.build import FLAGS
from adbench.run.session import reason_to_skip
from adbench.store import Status, read_results
from adbench.tools.base import Unsupported, load_runner
from adbench.tools.registry import all_tools, get_tool
from adbench.tools.requirements import Headers, Package, Program, missing
from adbench.workloads import get_workload
from adbench.workloads.base import Function, Size
from tests.adbench.test_cli import QUICK, ROOT, environment
from tests.adbench.test_docs import BLOCK

DOCUMENT = (ROOT / "docs" / "rivals.md").read_text(encoding="utf-8")
OVERLOADING = ("adolc", "sacado", "adept", "codipack", "cppad", "complexstep")
LIGHT = ("autograd", "casadi", *OVERLOADING)
"""Tools that start within a second; the others' answers are checked by the slow tests."""
HEAVY = ("tensorflow", "original", "original-forward", "tapenade", "clad")
HARD_TO_EXPRESS = ("gmm", "relu3", "kmeans", "ba", "lstm")


@pytest.mark.parametrize(
    "name,workload",
    [
        *((name, "relu3") for name in LIGHT),
        *(pytest.param(name, workload, marks=pytest.mark.slow) for name in HEAVY for workload in HARD_TO_EXPRESS),
        *(pytest.param(name, workload, marks=pytest.mark.slow) for name in LIGHT for workload in HARD_TO_EXPRESS),
    ],
)
def test_a_rival_that_is_here_answers_rightly(name: str, workload: str, tmp_path: Path) -> None:
    tool = get_tool(name)
    if tool.missing():
        pytest.skip(reason_to_skip(tool, "cpu"))
    if (name, workload) == ("original", "lstm"):
        pytest.skip("enzyme-ad 0.0.16 answers wrongly, which its README says")
    runner, problem = load_runner(tool, tmp_path), get_workload(workload)
    try:
        runner.define(problem)
        inputs = problem.generate(problem.cases(Size.SMALL)[0], 1)
        found = runner.prepare(Function.JACOBIAN, inputs).outputs
    except Unsupported:
        assert workload in {"kmeans", "ba"}
        return
    verdict = check_directions(problem, inputs, found, tool.tolerance, 1)
    assert verdict.correct, verdict.message
    assert runner.conditions()["precision"] == "float64"


@pytest.mark.slow
def test_relaxed_tools_say_so_and_answer_rightly(tmp_path: Path) -> None:
    tools = [name for name in all_tools() if name.endswith("-relaxed") and not get_tool(name).missing()]
    assert {"enzyme-relaxed", "manual-relaxed"} <= set(tools)
    command = [sys.executable, "-m", "adbench", "run", "--out", "out", "--quiet", "--size=small", "--cases=1", *QUICK]
    chosen = [f"--tool={name}" for name in ("enzyme", "manual", *tools)]
    done = subprocess.run(
        [*command, *chosen, "--workload=lse", "--workload=network"],
        cwd=tmp_path,
        env={**environment(), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = read_results(tmp_path / "out").rows
    assert {row.tool for row in rows} == {"enzyme", "manual", *tools}
    for row in rows:
        assert row.status is Status.OK, row
        relaxed = row.tool.endswith("-relaxed")
        assert row.conditions["math"].startswith("reassociated" if relaxed else "IEEE")
        assert ("relaxed" in row.flags or "reassociate" in row.flags or "associative" in row.flags) == relaxed


def test_every_tool_says_how_it_is_made_ready_and_has_a_page() -> None:
    rows = "\n".join(line for line in DOCUMENT.splitlines() if line.startswith("| `"))
    for tool in all_tools().values():
        assert tool.install
        if not tool.name.startswith("enzyme-no-"):
            assert f"`{tool.name}`" in rows
    for folder in (ROOT / "baselines").iterdir():
        if (folder / "__init__.py").is_file():
            text = (folder / "README.md").read_text(encoding="utf-8")
            assert {"## Version", "## Flags", "## What it cannot express"} <= set(text.splitlines()), folder.name


def test_the_example_is_a_rival_once_its_folder_is_there(tmp_path: Path) -> None:
    for package in ("adbench", "baselines"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    files = dict(BLOCK.findall(DOCUMENT))
    assert files.keys() == {"__init__.py", "tool.hpp"}
    folder = tmp_path / "baselines" / "dual"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "adbench", "run", "--out", "out", "--quiet", "--tool=dual", *QUICK]
    done = subprocess.run(
        [*command, "--workload=relu3", "--workload=norm", "--workload=ht"],
        cwd=tmp_path,
        env={**environment(), "PYTHONPATH": f"{tmp_path}:{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = read_results(tmp_path / "out").rows
    assert len(rows) > 4 and {row.status for row in rows} == {Status.OK}
    assert {row.flags for row in rows} == {" ".join(FLAGS)}
    assert rows[0].conditions["threads"] == "1" and rows[0].conditions["cpu"] == "native"


def test_headers_are_found_by_their_variable_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    headers = Headers("codi.hpp", "CODIPACK_HOME", libraries=("codi",))
    monkeypatch.setenv("CODIPACK_HOME", str(tmp_path))
    assert headers.flags() is None and not headers.present()
    assert missing([headers, "numpy"]) == ["header codi.hpp"]
    for folder in ("include", "lib"):
        (tmp_path / folder).mkdir()
    (tmp_path / "include" / "codi.hpp").touch()
    assert headers.flags() == (
        f"-isystem{tmp_path}/include",
        f"-L{tmp_path}/lib",
        f"-Wl,-rpath,{tmp_path}/lib",
        "-lcodi",
    )


def test_headers_are_found_by_pkg_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "pkg-config"
    script.write_text('#!/bin/sh\ncase "$*" in --modversion*) echo 2.1;; *) echo -I/opt/adept -L/opt/lib;; esac\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    monkeypatch.delenv("ADEPT_TEST_HOME", raising=False)
    headers = Headers("adept_test.h", "ADEPT_TEST_HOME", package="adept-of-this-test", libraries=("adept",))
    assert headers.flags() == ("-I/opt/adept", "-L/opt/lib", "-ladept")
    assert headers.version() == "2.1"


def test_programs_are_found_by_their_variable_and_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TAPENADE_TEST", raising=False)
    program = Program("adbench-no-such-program", "TAPENADE_TEST", "bin/tapenade")
    assert not program.present() and program.name == "adbench-no-such-program"
    script = tmp_path / "bin" / "tapenade"
    script.parent.mkdir()
    script.touch()
    monkeypatch.setenv("TAPENADE_TEST", str(tmp_path))
    assert program.path() is None, "it cannot be run"
    script.chmod(0o755)
    assert program.path() == script
    assert Program("sh").present()
    assert not Package("adbench_no_such_package").present()
    plugin = Program(variable="CLAD_TEST", plugin=True)
    assert plugin.name == "$CLAD_TEST" and not plugin.present()
    monkeypatch.setenv("CLAD_TEST", str(ROOT / "LICENSE"))
    assert plugin.path() == ROOT / "LICENSE"


FAKE_TAPENADE = """#!/bin/sh
# Answers as the program does, with a derivative of weights alone.
[ "$1" = -version ] && { echo "Tapenade 0.0 (a fake)"; exit 0; }
while [ $# -gt 1 ]; do
  case "$1" in -O) folder=$2;; -o) name=$2;; -head) head=$2;; esac
  shift
done
grep -q "ba_reprojection" "$1" && ! grep -q "static\\|restrict" "$1" || exit 3
[ "$head" = "ba_reprojection(err)/(camera point weight) ba_weight_error(ba_weight_error)/(weight)" ] || exit 4
cat > "$folder/${name}_b.c" <<'END'
#include "adStack.h"
void ba_reprojection_b(const double *camera, double *camerab, const double *point, double *pointb, const double *weight,
                       double *weightb, const double *feat, double *err, double *errb) { *weightb += errb[0]; }
void ba_weight_error_b(double weight, double *weightb, double b) { *weightb += -2.0 * weight * b * adStackOne(); }
END
"""


def test_tapenade_is_run_compiled_and_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "tapenade"
    for folder in ("bin", "ADFirstAidKit"):
        (home / folder).mkdir(parents=True)
    (home / "bin" / "tapenade").write_text(FAKE_TAPENADE)
    (home / "bin" / "tapenade").chmod(0o755)
    (home / "ADFirstAidKit" / "adStack.h").write_text("double adStackOne(void);\n")
    (home / "ADFirstAidKit" / "adStack.c").write_text("double adStackOne(void) { return 1.0; }\n")
    monkeypatch.setenv("TAPENADE_HOME", str(home))
    tool = get_tool("tapenade")
    assert not tool.missing()
    runner, problem = load_runner(tool, tmp_path), get_workload("ba")
    assert runner.version().startswith("Tapenade 0.0 (a fake)")
    runner.define(problem)
    inputs = problem.generate(problem.cases(Size.SMALL)[0], 1)
    found = runner.prepare(Function.JACOBIAN, inputs).outputs
    assert found["weight"] == pytest.approx(-2.0 * inputs["w"])
    assert found["reprojection"][:, 0, 14] == pytest.approx(1.0) and not found["reprojection"][:, 1].any()
    with pytest.raises(Unsupported, match=re.escape("its objective is C++")):
        runner.define(get_workload("relu3"))


def test_what_clad_needs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLAD_CLANG", "CLAD_PLUGIN", "CLAD_HOME"):
        monkeypatch.delenv(name, raising=False)
    text = reason_to_skip(get_tool("clad"), "cpu")
    assert "$CLAD_CLANG, $CLAD_PLUGIN" in text and "set CLAD_CLANG to a clang++" in text
