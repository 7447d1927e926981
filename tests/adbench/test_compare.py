"""Comparing two runs: verdicts, refusals, exit statuses, commits, and two revisions measured in turn."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from adbench.comparing import Verdict, compare_runs, verdict_of
from adbench.errors import StoreError, UsageError
from adbench.interleaving import merge_rows
from adbench.sources import Run, find_run, is_pytest_benchmark, load_all, load_run, read_pytest_benchmark
from adbench.statistics import Estimate
from adbench.store import Row, Status, read_results
from tests.adbench.histories import MACHINE, header, timed_row, write_run
from tests.adbench.test_cli import adbench

CHANGES = {"slow": 1.2, "fast": 0.8, "same": 1.0, "little": 1.02}


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Run, Run]:
    """Two runs of cells that became slower, faster and neither; one that broke, one mended, one new, one skipped."""
    random = np.random.default_rng(1)

    def rows(changes: dict[str, float]) -> list[Row]:
        return [timed_row("w", case, "enzyme", 1e-3 * change, random) for case, change in changes.items()]

    before, after = rows(dict.fromkeys(CHANGES, 1.0)), rows(CHANGES)
    right = timed_row("w", "x", "enzyme", 1e-3, random)
    wrong = Row("w", "x", "enzyme", "cpu", Status.WRONG, message="0.1 off at x[3]")
    skipped = Row("w", "x", "enzyme", "cpu", Status.SKIPPED, message="not installed")
    before += [replace(right, case="broke"), replace(wrong, case="mended"), replace(right, case="gone")]
    after += [replace(wrong, case="broke"), replace(right, case="mended"), replace(skipped, case="gone")]
    after += [replace(right, case="new")]
    return write_run(tmp_path / "a", header(0), before), write_run(tmp_path / "b", header(1), after)


def test_each_cell_has_its_verdict(pair: tuple[Run, Run]) -> None:
    comparison = compare_runs(*pair)
    verdicts = {cell.key[1]: cell.verdict.value for cell in comparison.cells}
    assert verdicts == {
        "slow": "slower",
        "fast": "faster",
        "same": "same",
        "little": "same",
        **dict.fromkeys(("broke", "mended", "gone", "new"), "unknown"),
    }
    why = {cell.key[1]: cell.why for cell in comparison.cells}
    assert why["broke"] == "wrong after: 0.1 off at x[3]"
    assert why["mended"].startswith("wrong before")
    assert why["gone"] == "skipped after: not installed"
    assert why["new"] == "not in the run before"
    assert {cell.key[1] for cell in comparison.worse} == {"slow", "broke"}
    assert comparison.mean is not None
    assert comparison.mean.count == 4
    assert comparison.mean.value == pytest.approx((1.2 * 0.8 * 1.02) ** 0.25, rel=0.01)
    for cell in comparison.cells:
        if cell.ratio is not None:
            assert cell.ratio.low <= CHANGES[cell.key[1]] * 1.005
            assert cell.ratio.high >= CHANGES[cell.key[1]] * 0.995


def test_a_run_against_itself_is_the_same(pair: tuple[Run, Run]) -> None:
    comparison = compare_runs(pair[0], pair[0])
    assert comparison.worse == []
    assert {cell.verdict for cell in comparison.cells if cell.ratio} == {Verdict.SAME}


def test_without_samples_there_is_no_verdict_but_a_ratio(pair: tuple[Run, Run], tmp_path: Path) -> None:
    bare = [replace(row, samples={}) for row in pair[1].rows]
    comparison = compare_runs(pair[0], write_run(tmp_path / "bare", header(2), bare))
    cell = next(cell for cell in comparison.cells if cell.key[1] == "slow")
    assert (cell.verdict, cell.ratio) == (Verdict.UNKNOWN, None)
    assert cell.minima == pytest.approx(1.2, rel=0.05)
    assert "0 samples" in cell.why


@pytest.mark.parametrize(
    ("ratio", "minima", "p_value", "verdict"),
    [
        (Estimate(1.2, 1.1, 1.3, 9), 1.2, 0.001, Verdict.SLOWER),
        (Estimate(0.8, 0.7, 0.9, 9), 0.8, 0.001, Verdict.FASTER),
        (Estimate(1.2, 1.1, 1.3, 9), 1.2, 0.2, Verdict.UNKNOWN),
        (Estimate(1.2, 1.1, 1.3, 9), 1.01, 0.001, Verdict.UNKNOWN),
        (Estimate(0.8, 0.7, 0.9, 9), 0.99, 0.001, Verdict.UNKNOWN),
        (Estimate(1.2, 0.9, 1.5, 9), 1.2, 0.001, Verdict.UNKNOWN),
        (Estimate(1.04, 1.035, 1.045, 9), 1.04, 1e-9, Verdict.SAME),
        (Estimate(1.0, 0.8, 1.25, 9), 1.0, 0.9, Verdict.UNKNOWN),
    ],
)
def test_verdicts(ratio: Estimate, minima: float, p_value: float, verdict: Verdict) -> None:
    found, why = verdict_of(ratio, minima, p_value, 0.05)
    assert found is verdict
    assert bool(why) == (verdict is Verdict.UNKNOWN)


def test_noise_alone_has_no_verdict(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    runs = [
        write_run(
            tmp_path / name,
            header(day),
            [timed_row("w", f"c{cell}", "t", 1e-3, random, noise=0.1) for cell in range(300)],
        )
        for day, name in enumerate("ab")
    ]
    counts = compare_runs(*runs).counts
    assert counts[Verdict.SLOWER] + counts[Verdict.FASTER] == 0


def test_machines_are_not_mixed_unless_asked(pair: tuple[Run, Run], tmp_path: Path) -> None:
    other = write_run(tmp_path / "c", header(3, machine={**MACHINE, "cpu": "another"}), pair[1].rows)
    with pytest.raises(UsageError, match="different machines"):
        compare_runs(pair[0], other)
    assert "another" in compare_runs(pair[0], other, across_machines=True).machines
    refused = adbench(tmp_path, "compare", "a", "c")
    assert refused.returncode == 2
    assert "--across-machines" in refused.stderr
    done = adbench(tmp_path, "compare", "a", "c", "--across-machines")
    assert done.returncode == 1
    assert "different machines" in done.stdout


def test_the_command_prints_writes_and_exits(pair: tuple[Run, Run], tmp_path: Path) -> None:
    done = adbench(tmp_path, "compare", "a", "b", "--json", "out.json")
    assert done.returncode == 1, done.stderr
    assert "1 faster, 1 slower, 2 same, 4 unknown" in done.stdout
    assert "geometric mean" in done.stdout
    record = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert record["counts"]["slower"] == 1
    assert {cell["case"]: cell["verdict"] for cell in record["cells"]}["fast"] == "faster"
    assert adbench(tmp_path, "compare", "a", "a").returncode == 0
    lost = adbench(tmp_path, "compare", "a", "nowhere")
    assert lost.returncode == 2
    assert "--interleave" in lost.stderr


def test_a_commit_names_its_newest_run(tmp_path: Path) -> None:
    same = header(0)["commit"]
    old = write_run(tmp_path / "old", header(0, commit={**same, "id": "abcdef0123"}), [])
    new = write_run(tmp_path / "new", header(5, commit={**same, "id": "abcdef0123"}), [])
    assert old.name != new.name
    assert find_run("ABCDEF", [tmp_path]).name == new.name
    assert find_run(str(tmp_path / "old"), []).name == old.name
    with pytest.raises(UsageError, match="no run 'abc'"):
        find_run("abc", [tmp_path])


PYTEST = {
    "machine_info": {
        "machine": "x86_64",
        "system": "Linux",
        "release": "6.1",
        "python_version": "3.11.7",
        "cpu": {"brand_raw": "a processor", "count": 2, "flags": ["fma", "avx2"]},
    },
    "commit_info": {"id": "12345678", "time": "2026-01-01T00:00:00+00:00", "dirty": True},
    "benchmarks": [
        {
            "group": "parsing",
            "name": "bench_read[large]",
            "fullname": "benchmarks/bench_parse.py::bench_read[large]",
            "stats": {"min": 0.002, "median": 0.0025, "data": [0.002, 0.0025, 0.003]},
        }
    ],
    "datetime": "2026-01-02T03:04:05+00:00",
    "version": "5.0.0",
}


def test_pytest_benchmarks_file_becomes_a_run(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text(json.dumps(PYTEST), encoding="utf-8")
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    done = adbench(tmp_path, "import", "b.json", "--out", "imported")
    assert done.returncode == 0, done.stderr
    (row,) = read_results(tmp_path / "imported").rows
    assert (row.workload, row.case, row.tool) == ("bench_parse", "bench_read[large]", "pytest-benchmark")
    assert (row.derivative_seconds, row.derivative_median_seconds) == (0.002, 0.0025)
    assert row.samples["derivative"] == [2_000_000, 2_500_000, 3_000_000]
    # The same run, read from the one file and from the other, counts once.
    (run,) = load_all([tmp_path])
    assert run.machine["cores"] == 2
    assert run.title == "12345678 with changes"
    assert load_run(tmp_path / "b.json").machine_key == run.machine_key
    assert adbench(tmp_path, "import", "other.json").returncode == 2


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"benchmarks": [], "machine_info": 3}', '{"benchmarks": [{}], "machine_info": {}}']
)
def test_other_json_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    with pytest.raises(StoreError):
        read_pytest_benchmark(tmp_path / "x.json")
    assert not is_pytest_benchmark(tmp_path / "missing.json")


def test_rounds_of_a_cell_become_one_row() -> None:
    random = np.random.default_rng(2)
    rows = [timed_row("w", "c", "t", seconds, random) for seconds in (2e-3, 1e-3)]
    merged = merge_rows(rows)
    assert merged.samples["derivative"] == rows[0].samples["derivative"] + rows[1].samples["derivative"]
    assert merged.derivative_seconds == rows[1].derivative_seconds
    failed = replace(rows[1], status=Status.ERROR, message="crashed")
    assert merge_rows([rows[0], failed]) == failed


HARNESS = """
import pathlib, shutil, sys
with open("LOG", "a") as log:
    log.write("NAME")
shutil.copytree("RUN", pathlib.Path(sys.argv[sys.argv.index("--out") + 1]))
"""


def test_two_commits_are_run_in_turn(tmp_path: Path) -> None:
    """Each commit of a repository holds a harness of its own; here one that makes its times up."""

    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=n", "-c", "user.email=e", *arguments]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q")
    log = tmp_path / "log"
    commits = []
    for name, time in (("a", 1e-3), ("b", 2e-3)):
        (tmp_path / "adbench").mkdir(exist_ok=True)
        (tmp_path / "adbench" / "__init__.py").touch()  # an installed harness would come before a namespace
        run = write_run(tmp_path / name, header(0), [timed_row("w", "c", "t", time, np.random.default_rng(0))])
        text = HARNESS.replace("RUN", str(run.path.parent)).replace("LOG", str(log)).replace("NAME", name)
        (tmp_path / "adbench" / "__main__.py").write_text(text, encoding="utf-8")
        git("add", "adbench")
        git("commit", "-q", "-m", name)
        commits.append(git("rev-parse", "HEAD"))
    inside = tmp_path / "inside"  # where python finds the real harness, and not the one of the working tree
    inside.mkdir()
    done = adbench(inside, "compare", "--interleave", "HEAD~1", "HEAD", "--out", "turns", "--rounds", "3")
    assert done.returncode == 1, done.stdout + done.stderr
    assert log.read_text(encoding="utf-8") == "abbaab"
    assert "1 slower" in done.stdout
    runs = [load_run(inside / "turns" / side) for side in ("before", "after")]
    assert [run.commit for run in runs] == commits
    assert [len(run.rows[0].samples["derivative"]) for run in runs] == [60, 60]
    assert git("status", "--porcelain", "--untracked-files=no") == ""
    again = adbench(inside, "compare", "--interleave", "HEAD~1", "HEAD", "--out", "turns")
    assert again.returncode == 2
    unknown = adbench(inside, "compare", "--interleave", "nonsense", "HEAD", "--out", "other")
    assert unknown.returncode == 2
    assert "nonsense" in unknown.stderr
