"""Runs: what is right is measured, what is wrong is shown as wrong, and no tool takes the run down."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from adbench.run.pool import ToolPool
from adbench.run.reporting import seconds, speedup, speedup_line, speedups
from adbench.run.session import run
from adbench.run.settings import Settings
from adbench.run.timeouts import is_larger
from adbench.store import ResultStore, Row, Status, make_header, read_results
from adbench.tools.base import Tool
from adbench.tools.registry import all_tools, get_tool
from adbench.workloads import get_workload
from adbench.workloads.base import Size
from enzyme.support.config import switches
from tests.adbench.fakes import Memory, fake, settings, start, write_cases


def do(chosen: Settings) -> Memory:
    memory = Memory()
    with ResultStore(chosen.out, make_header(chosen.record()), chosen.resume) as store:
        run(chosen, store, memory, start)
    return memory


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_cases(tmp_path_factory.mktemp("data"))


BEHAVIOURS = {
    "ok": (Status.OK, ""),
    "wrong": (Status.WRONG, "at means[0][0]"),
    "not-a-number": (Status.WRONG, "means[0][0]"),
    "killed": (Status.ERROR, "signal 9 (SIGKILL)"),
    "killed-while-measured": (Status.ERROR, "signal 9 (SIGKILL)"),
    "refuses": (Status.ERROR, "no rule for llvm.fake"),
    "chatters": (Status.ERROR, "not a message"),
}


@pytest.fixture(scope="module")
def eventful(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Row]:
    """One run with every kind of tool; its rows by case and tool."""
    out = tmp_path_factory.mktemp("out")
    do(settings(data, out, (get_tool("manual"), *(fake(name) for name in BEHAVIOURS))))
    return {(row.case, row.tool): row for row in read_results(out).rows}


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_each_kind_of_tool_gets_its_row_in_every_case(eventful: dict[tuple[str, str], Row], behaviour: str) -> None:
    status, message = BEHAVIOURS[behaviour]
    for case in ("d2_K1_n8", "d2_K2_n8"):
        row = eventful[case, f"fake-{behaviour}"]
        assert row.status is status
        assert message in row.message
        assert (row.ratio is not None) == (status is Status.OK)


def test_what_is_wrong_is_not_timed(eventful: dict[tuple[str, str], Row]) -> None:
    row = eventful["d2_K1_n8", "fake-wrong"]
    assert row.derivative_seconds is None
    assert row.samples == {"primal": [], "derivative": []}
    assert row.max_error is not None
    assert row.max_error > 1e-6


def test_the_reference_tool_is_checked_by_complex_steps_and_checks_the_others(
    eventful: dict[tuple[str, str], Row],
) -> None:
    manual, other = (eventful["d2_K2_n8", tool] for tool in ("manual", "fake-ok"))
    assert manual.status is Status.OK
    assert manual.reference == "complex-step directions"
    assert other.reference == "manual"
    for row in (manual, other):
        assert row.max_error is not None
        assert row.max_error < 1e-12


def test_times_are_minima_of_the_samples(eventful: dict[tuple[str, str], Row]) -> None:
    row = eventful["d2_K2_n8", "manual"]
    assert row.primal_seconds == min(row.samples["primal"]) / 1e9
    assert row.derivative_seconds == min(row.samples["derivative"]) / 1e9
    assert row.ratio == pytest.approx(row.derivative_seconds / row.primal_seconds)
    assert row.compile_seconds is not None
    assert row.compile_seconds > 0.0
    assert row.peak_bytes is not None
    assert row.peak_bytes > 1_000_000


def test_a_tool_that_hangs_times_out(data: Path, tmp_path: Path) -> None:
    memory = do(settings(data, tmp_path, (fake("hangs"),), timeout=0.5))
    assert {row.status for row in memory.rows} == {Status.TIMEOUT}
    assert "0.5 s" in memory.rows[0].message


def test_a_tool_that_is_slow_when_measured_keeps_what_it_has(tmp_path: Path) -> None:
    data = write_cases(tmp_path / "data", (1,))
    tools = (fake("hangs-in-round-1"), fake("hangs-in-round-2"))
    none, some = do(settings(data, tmp_path / "out", tools, timeout=2.0)).rows
    assert none.status is Status.TIMEOUT
    assert none.primal_seconds is None and none.samples["primal"] and not none.samples["derivative"]
    assert some.status is Status.OK
    assert some.ratio == pytest.approx(1.0) and len(some.samples["derivative"]) == 3
    assert some.message == "fewer samples than asked for: not done within 2 s"


def test_cases_larger_than_one_that_timed_out_are_not_tried(tmp_path: Path) -> None:
    data = write_cases(tmp_path / "data", (1, 2, 3))
    tools = (fake("hangs-at-2"), fake("ok"))
    rows = do(settings(data, tmp_path / "out", tools, timeout=2.0)).rows
    found = {row.case: row for row in rows if row.tool == "fake-hangs-at-2"}
    assert [row.status for row in found.values()] == [Status.OK, Status.TIMEOUT, Status.TIMEOUT]
    assert [row.untried_after for row in found.values()] == ["", "", "d2_K2_n8"]
    assert "not tried: the smaller case d2_K2_n8 took too long (not done within 2 s)" in found["d2_K3_n8"].message
    assert {row.status for row in rows if row.tool == "fake-ok"} == {Status.OK}
    resumed = settings(data, tmp_path / "out", tools, timeout=2.0, resume=True)
    assert do(resumed).rows == []
    forced = do(replace(resumed, try_all=True)).rows
    assert [(row.case, row.status, row.untried_after) for row in forced] == [("d2_K3_n8", Status.OK, "")]


def test_some_cases_of_each_panel_are_spread_over_its_sizes(tmp_path: Path) -> None:
    chosen = Settings((), (), Size.MEDIUM, most_cases=3)
    gmm, fft, particle = (get_workload(name) for name in ("gmm", "fft", "particle"))
    assert [case.name for case in chosen.cases(gmm)] == [
        "d2_K5_n1000",
        "d2_K5_n10000",
        "d20_K25_n1000",
        "d20_K10_n10000",
        "d32_K200_n1000",
        "d32_K25_n10000",
    ]
    names = [case.name for case in chosen.cases(fft)]
    assert len(names) == 6 and {"recursive_n128", "recursive_n65536"} <= set(names)
    assert len(replace(chosen, most_cases=1).cases(particle)) == 4
    assert replace(chosen, most_cases=100).cases(gmm) == gmm.cases(Size.MEDIUM)


def test_a_case_is_larger_where_nothing_is_smaller_and_something_is_larger() -> None:
    assert is_larger({"d": 2, "n": 9}, {"d": 2, "n": 8})
    assert not is_larger({"d": 2, "n": 8}, {"d": 2, "n": 8})
    assert not is_larger({"d": 1, "n": 9}, {"d": 2, "n": 8})
    assert not is_larger({"n": 9}, {"d": 2, "n": 8})
    assert not is_larger({}, {})


def test_a_tool_that_is_not_installed_is_skipped_with_the_way_to_get_it(data: Path, tmp_path: Path) -> None:
    tool = Tool("absent", "", "x:Y", requires=("no_such_package",), install="pip install no-such-package")
    memory = do(settings(data, tmp_path, (tool,)))
    assert [row.status for row in memory.rows] == [Status.SKIPPED] * 2
    assert "pip install no-such-package" in memory.rows[0].message


def test_a_data_file_with_a_letter_in_it_is_one_cells_error(tmp_path: Path) -> None:
    data = write_cases(tmp_path / "data")
    bad = data / "gmm_d2_K1.txt"
    bad.write_text(bad.read_text(encoding="ascii").replace("2 1 8\n", "2 1 8\nq", 1), encoding="ascii")
    memory = do(settings(data, tmp_path / "out", (fake("ok"),)))
    rows = {row.case: row for row in memory.rows}
    assert rows["d2_K1_n8"].status is Status.ERROR
    assert f"{bad}:2:1: expected a number" in rows["d2_K1_n8"].message
    assert rows["d2_K2_n8"].status is Status.OK


def test_resume_does_what_is_open_and_nothing_else(data: Path, tmp_path: Path) -> None:
    do(settings(data, tmp_path, (fake("ok"), fake("refuses"))))
    path = tmp_path / "results.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    # As after a kill: one row gone, another cut in the middle.
    path.write_bytes(b"".join(lines[:-2]) + lines[-2][:40])
    memory = do(settings(data, tmp_path, (fake("ok"), fake("refuses")), resume=True))
    assert memory.done == 1
    assert any("cut short" in text for text in memory.notices)
    rows = {(row.case, row.tool): row.status for row in read_results(path).rows}
    assert rows == {
        (case, tool): status
        for case in ("d2_K1_n8", "d2_K2_n8")
        for tool, status in (("fake-ok", Status.OK), ("fake-refuses", Status.ERROR))
    }


def test_a_tool_runs_only_on_its_devices(data: Path, tmp_path: Path) -> None:
    chosen = settings(data, tmp_path, (fake("ok"),))
    memory = do(Settings(**{**vars(chosen), "device": "cuda"}))
    assert {row.status for row in memory.rows} == {Status.SKIPPED}
    assert "cpu only, not on cuda" in memory.rows[0].message


def test_a_tool_killed_while_it_waits_is_started_anew_with_a_notice() -> None:
    notices: list[str] = []
    workload = get_workload("gmm")
    with ToolPool(start, notices.append) as pool:
        first = pool.get(fake("ok"), workload, 20.0)
        os.kill(first.process.pid, signal.SIGKILL)
        while first.process.alive:
            time.sleep(0.01)
        second = pool.get(fake("ok"), workload, 20.0)
        assert second.process.pid != first.process.pid
        assert second.module == "gmm"
    assert len(notices) == 1
    assert "SIGKILL" in notices[0]


def test_every_baseline_is_registered() -> None:
    names = list(all_tools())
    assert names[:4] == ["enzyme", "enzyme-pre", "enzyme-forward", "enzyme-vector"]
    assert {"manual", "finite", "pytorch", "jax"} <= set(names)
    assert {f"enzyme-no-{name.replace('_', '-')}" for name in switches()} <= set(names)


def timed(case: str, tool: str, derivative: float, status: Status = Status.OK) -> Row:
    return Row("gmm", case, tool, "cpu", status, 1.0, derivative, derivative)


def test_speedup_counts_only_cases_where_both_are_right() -> None:
    rows = [
        *(timed("a", tool, time) for tool, time in (("enzyme", 1.0), ("enzyme-pre", 4.0), ("manual", 0.1))),
        *(timed("b", tool, time) for tool, time in (("enzyme", 1.0), ("enzyme-pre", 9.0))),
        timed("c", "enzyme", 1.0),
        timed("d", "enzyme", 1.0),
        timed("d", "enzyme-pre", 100.0, Status.WRONG),
    ]
    assert speedups(rows, "enzyme", "enzyme-pre") == {"gmm a cpu": 4.0, "gmm b cpu": 9.0}
    estimate = speedup(rows)
    assert estimate is not None
    assert estimate.value == pytest.approx(6.0)
    assert estimate.count == 2
    line = speedup_line(rows)
    assert "6.00 times" in line
    assert "95 % interval 4.00 to 9.00" in line
    assert "2 cases" in line
    assert "no case" in speedup_line(rows[-1:])


@pytest.mark.parametrize(
    ("value", "text"), [(None, "-"), (2.5, "2.5 s"), (1.234e-3, "1.23 ms"), (4.5e-6, "4.5 µs"), (7e-9, "7 ns")]
)
def test_times_in_words(value: float | None, text: str) -> None:
    assert seconds(value) == text
