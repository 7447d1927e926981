"""The reference of the engine's own benchmarks: what is written of a run, and what is said of two."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adbench.identity import machine
from adbench.sources import load_run
from benchmarks import reference

MINE = {"architecture": "x86_64", "system": "Linux", "python": "3.11.7", "cpu": "A", "cores": 2, "cpu_flags": ["avx2"]}


def raw(times: dict[str, float], **more: Any) -> dict[str, Any]:
    """A report as pytest-benchmark writes it."""
    return {
        "machine_info": {"node": "my-machine"},
        "commit_info": {"id": "ab" * 20, "time": "2026-01-01", "dirty": False, "project": "folder", "branch": "mine"},
        "datetime": "2026-01-01T00:00:00+00:00",
        "version": "5",
        "benchmarks": [
            {
                "group": None,
                "name": name,
                "fullname": f"benchmarks/bench_some.py::{name}",
                "params": {"path": "/home/me"},
                "extra_info": {"derivative_over_primal": 2.0, "where": "/home/me"} | more,
                "stats": {"min": time, "median": time, "rounds": 3, "data": [time] * 1000},
            }
            for name, time in times.items()
        ],
    }


def report(**times: float) -> reference.Report:
    return reference.reduced(raw(times), MINE)


def test_what_is_written_is_small_and_names_no_place(tmp_path: Path) -> None:
    text = json.dumps(report(bench_a=0.123456789))
    for word in ("my-machine", "folder", "mine", "/home", "data"):
        assert word not in text
    assert len(text) < 1000 and "0.1235" in text
    file = tmp_path / "benchmarks.json"
    file.write_text(text, encoding="utf-8")
    run = load_run(file)  # as adbench's own commands read it
    assert [(row.workload, row.case, row.derivative_seconds) for row in run.rows] == [("bench_some", "bench_a", 0.1235)]
    assert reference.machine_difference(run.machine, MINE) == ""
    assert "processor" in reference.machine_difference(run.machine, {**MINE, "cpu": "B"})


def test_changes_stand_side_by_side() -> None:
    found = reference.changes(report(bench_a=1.0, bench_b=1.0, bench_gone=1.0), report(bench_a=1.3, bench_b=0.5, new=1))
    assert [(each.name, each.factor) for each in found] == [
        ("bench_some.py::bench_a", 1.3),
        ("bench_some.py::bench_b", 0.5),
        ("bench_some.py::new", None),
    ]
    assert [reference.verdict(each, 0.25) for each in found] == ["slower", "faster", "new"]
    assert [each.name for each in reference.slower(found, 0.25)] == ["bench_some.py::bench_a"]
    assert not reference.slower(found, 0.4)


def test_the_least_of_several_runs_counts() -> None:
    best = reference.least([report(bench_a=2.0, bench_b=1.0), report(bench_a=1.0)])
    assert [each["stats"]["min"] for each in best["benchmarks"]] == [1.0, 1.0]


def test_part_of_a_reference_is_replaced() -> None:
    whole = reference.replaced(report(bench_a=1.0, bench_b=1.0), report(bench_b=2.0))
    assert [each["stats"]["min"] for each in whole["benchmarks"]] == [1.0, 2.0]


@pytest.mark.parametrize("elsewhere", [False, True])
def test_compare_measures_again_and_judges_on_one_machine_only(
    elsewhere: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = {**machine(), "cpu": "another"} if elsewhere else machine()
    file = tmp_path / "benchmarks.json"
    file.write_text(json.dumps(reference.reduced(raw({"bench_a[1]": 1.0, "bench_b[1]": 1.0}), here)), encoding="utf-8")
    asked = []

    def measured(chosen: list[str], pick: str) -> reference.Report:
        asked.append(list(chosen))
        times = {"bench_a[1]": 2.0, "bench_b[1]": 2.0 if not chosen else 1.1}
        return reference.reduced(raw(times), machine())

    monkeypatch.setattr(reference, "measured", measured)
    monkeypatch.setattr("sys.argv", ["reference", "compare", "--file", str(file), "--again", "1"])
    status = reference.main()
    said = capsys.readouterr()
    assert "bench_a[1]" in said.out and "2.00" in said.out
    if elsewhere:
        assert status == 0 and asked == [[]] and "another machine" in said.err
    else:
        assert status == 1 and asked[1:] == [[f"benchmarks/bench_some.py::bench_{x}[1]" for x in "ab"]]
        assert said.err == "slower: bench_some.py::bench_a[1]\n"
