"""The pages on results and methodology: their commands run, their links lead somewhere, and what they state is so."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from adbench.comparing import LEAST_SAMPLES, SIGNIFICANCE, THRESHOLD
from adbench.history import FALSE_ALARMS
from adbench.history import THRESHOLD as ALARM_THRESHOLD
from adbench.measuring import LEAST_SAMPLE_NS
from adbench.run.settings import ROUNDS
from tests.adbench.test_cli import QUICK, ROOT, environment

DOCS = ROOT / "docs"
RESULTS = (DOCS / "results.md").read_text(encoding="utf-8")
METHODOLOGY = (DOCS / "methodology.md").read_text(encoding="utf-8")
BENCHMARK = "def bench_sum(benchmark):\n    benchmark(sum, range(100))\n"


def shell(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    words = shlex.split(line)
    assert words[:2] == ["python", "-m"]
    words[0] = sys.executable
    if words[2:4] == ["adbench", "run"]:
        words += QUICK
    if words[2] == "pytest":
        words += ["-c", "bench.ini", "-p", "no:cacheprovider"]
    # A benchmark that is started by a worker of pytest-xdist is none of its tests.
    variables = {name: value for name, value in environment().items() if not name.startswith("PYTEST_XDIST")}
    return subprocess.run(words, cwd=folder, env=variables, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.slow
def test_the_commands_and_the_program_run(tmp_path: Path) -> None:
    (tmp_path / "bench_own.py").write_text(BENCHMARK, encoding="utf-8")
    names = "[pytest]\npython_files = bench_*.py\npython_functions = bench_*\n"
    (tmp_path / "bench.ini").write_text(names, encoding="utf-8")
    lines = re.findall(r"^\$ (.*)$", RESULTS, re.MULTILINE)
    assert len(lines) == 7
    for line in lines:
        done = shell(tmp_path, line)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    assert json.loads((tmp_path / "comparison.json").read_text(encoding="utf-8"))["counts"]["slower"] == 0
    assert (tmp_path / "site" / "index.html").exists()
    drawn = {path.stem for path in (tmp_path / "runs" / "monday" / "figures").glob("*.csv")}
    assert {"norm_absolute", "norm_relative", "ablation", "norm_growth"} <= drawn
    program = re.search(r"```python\n(.*?)```", RESULTS, re.DOTALL)
    assert program is not None
    done = subprocess.run(
        [sys.executable, "-c", program[1]],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "norm n64 manual ok True" in done.stdout


@pytest.mark.parametrize("page", ["results.md", "methodology.md"])
def test_links_lead_somewhere(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    for target, anchor in re.findall(r"\]\(([\w./-]*)(?:#([\w-]+))?\)", text):
        aim = DOCS / (target or page)
        assert aim.is_file(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", aim.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_files_and_numbers_that_the_pages_state() -> None:
    for name in re.findall(r"`((?:adbench|notebooks|tests)/[\w/.]+)`", RESULTS + METHODOLOGY):
        assert (ROOT / name).exists() or name.endswith("NAME"), name
    assert f"more than {THRESHOLD:.0%}".replace("%", " %") in RESULTS
    assert f"p < {SIGNIFICANCE:g}" in RESULTS
    assert f"more than {ALARM_THRESHOLD:.0%}".replace("%", " %") in RESULTS
    assert f"fewer than {FALSE_ALARMS:.0%}".replace("%", " %") in RESULTS
    assert f"at least {LEAST_SAMPLE_NS // 1000} µs" in METHODOLOGY
    assert (ROUNDS, "three rounds" in METHODOLOGY) == (3, True)
    assert LEAST_SAMPLES == 5
