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


def test_tutorial_on_the_command_line(tmp_path: Path) -> None:
    ran = 0
    for language, name, text in _BLOCK.findall((DOCS / "tutorial.md").read_text()):
        if language == "c":
            (tmp_path / name).write_text(text)
        elif language == "console":
            for step in text.split("$ ")[1:]:
                command, _, expected = step.partition("\n")
                command = command.replace("python -m enzyme", f"{sys.executable} -m enzyme")
                done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
                assert done.stderr + done.stdout == expected, command
                ran += 1
    assert ran > 8


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
