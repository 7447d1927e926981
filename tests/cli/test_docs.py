"""The documents do what they say: every example of the tutorial is run, every row of the table of errors refused."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

import enzyme
from enzyme.support.diagnostics import EnzymeError

DOCS = Path(__file__).resolve().parents[2] / "docs"
_BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| `(.+)` \| (.+?) \| .+? \|$", re.MULTILINE)


@pytest.mark.parametrize(("page", "least"), [("tutorial", 9), ("custom-rules", 3), ("several-files", 10)])
def test_pages_on_the_command_line(page: str, least: int, tmp_path: Path) -> None:
    ran = 0
    for language, name, text in _BLOCK.findall((DOCS / f"{page}.md").read_text()):
        if language == "c":
            (tmp_path / name).write_text(text)
        elif language == "console":
            for step in text.split("$ ")[1:]:
                command, _, expected = step.partition("\n")
                command = command.replace("python -m enzyme", f"{sys.executable} -m enzyme")
                done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
                assert done.stderr + done.stdout == expected, command
                ran += 1
    assert ran >= least


def test_tutorial_in_python() -> None:
    text = "\n".join(
        block for language, _, block in _BLOCK.findall((DOCS / "tutorial.md").read_text()) if language == "pycon"
    )
    test = doctest.DocTestParser().get_doctest(text, {}, "tutorial", "tutorial.md", 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    result = runner.run(test)
    assert result.attempted > 10
    assert result.failed == 0


ROWS = _ROW.findall((DOCS / "errors.md").read_text())


@pytest.mark.parametrize(("program", "what"), ROWS, ids=[what for _, what in ROWS])
def test_every_error_of_the_table(program: str, what: str) -> None:
    with pytest.raises(EnzymeError) as caught:
        enzyme.compile(f"#include <enzyme/enzyme.h>\n{program}\n", opt_level=1).autodiff("f")
    assert caught.value.what == what


def test_the_table_of_errors_is_read() -> None:
    assert len(ROWS) > 12


@pytest.mark.parametrize("level", (pytest.param(0, marks=pytest.mark.slow), 2))
def test_programs_of_the_calling_convention(level: int, tmp_path: Path) -> None:
    text = (DOCS / "calling-convention.md").read_text()
    programs = [(name, body) for language, name, body in _BLOCK.findall(text) if language == "c"]
    assert len(programs) > 12
    for name, body in programs:
        source, program = tmp_path / name, tmp_path / "program"
        source.write_text(body)
        done = subprocess.run(
            [sys.executable, "-m", "enzyme", "cc", f"-O{level}", source, "-o", program],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{name}: {done.stderr}"
        done = subprocess.run([program], capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{name}: {done.stderr}"
