"""The page on workloads: every workload is in its table, and its example, added as it stands, runs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from adbench.gradbench.modules import all_modules
from adbench.store import Status, read_results
from adbench.workloads import all_workloads
from tests.adbench.test_cli import QUICK, ROOT, environment

BLOCK = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WORKLOADS = (ROOT / "docs" / "workloads.md").read_text(encoding="utf-8")
GRADBENCH = (ROOT / "docs" / "gradbench.md").read_text(encoding="utf-8")


def test_every_workload_and_module_is_in_its_table() -> None:
    row = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)
    assert set(row.findall(WORKLOADS)) == set(all_workloads())
    assert set(row.findall(GRADBENCH)) == set(all_modules())


def test_functions_of_modules_are_in_the_table() -> None:
    for line in GRADBENCH.splitlines():
        found = re.match(r"\| `(\w+)` \| (.*?) \|", line)
        if found:
            assert set(re.findall(r"`(\w+)`", found[2])) == set(all_modules()[found[1]].functions), line


def test_the_example_of_a_tool_answers() -> None:
    message = re.search(r"echo '(.*)' \|", GRADBENCH)
    assert message is not None
    done = subprocess.run(
        [sys.executable, "-m", "adbench", "tool", "manual"],
        input=message[1] + "\n",
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["output"] == pytest.approx([4.0, -3.0, -2.0, 1.0])


def test_the_example_is_a_workload_once_its_folder_is_there(tmp_path: Path) -> None:
    for package in ("adbench", "baselines"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    files = dict(BLOCK.findall(WORKLOADS))
    assert {"objective.hpp", "workload.py", "__init__.py", "manual.cpp", "torch_version.py"} == files.keys()
    folder = tmp_path / "adbench" / "workloads" / "springs"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    tools = ("enzyme", "enzyme-pre", "manual", "finite", "pytorch")
    command = [sys.executable, "-m", "adbench", "run", "--workload", "springs", "--out", "out", "--quiet", *QUICK]
    done = subprocess.run(
        [*command, *(f"--tool={tool}" for tool in tools)],
        cwd=tmp_path,
        env={**environment(), "PYTHONPATH": f"{tmp_path}:{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {row.tool: row.status for row in read_results(tmp_path / "out").rows}
    assert {rows[tool] for tool in tools[:4]} == {Status.OK}
    assert rows["pytorch"] in {Status.OK, Status.SKIPPED}
