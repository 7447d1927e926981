"""Published values beside measured ones: which cells they are about, how far apart they are, what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from adbench.cli import app
from adbench.published import RATIOS, RELATIVE, Published, beside
from adbench.store import ResultStore, Row, Status, make_header
from adbench.tools.registry import all_tools
from adbench.workloads import all_workloads
from adbench.workloads.base import Size


def timed(case: str, tool: str, derivative: float, size: int = 1, status: Status = Status.OK) -> Row:
    """A cell of GMM whose objective takes a second."""
    return Row("gmm", case, tool, "cpu", status, 1.0, derivative, derivative, dimensions={"n": size})


ROWS = [
    timed("a", "manual", 2.0),
    timed("b", "manual", 8.0),
    timed("c", "manual", 500.0, size=9),
    timed("a", "adept", 40.0),
    timed("b", "adept", 1.0, status=Status.WRONG),
]


def ratio(low: float, high: float, tool: str = "manual") -> Published:
    return Published("gmm", tool, low, high, "a paper", dimensions={"n": (1,)})


def test_a_measured_value_is_the_mean_of_the_cells_that_the_published_one_is_about() -> None:
    (found,) = beside(ROWS, [ratio(3.0, 3.0)])
    assert found.measured == pytest.approx(4.0)
    assert len(found.values) == 2
    assert found.factor == pytest.approx(4.0 / 3.0)
    assert not found.far


@pytest.mark.parametrize(
    "low,high,factor,far",
    [(3.0, 5.0, 1.0, False), (8.0, 16.0, 0.5, False), (41.0, 50.0, 4.0 / 41.0, True), (0.1, 0.39, 4.0 / 0.39, True)],
)
def test_a_range_is_as_far_as_its_nearest_end(low: float, high: float, factor: float, far: bool) -> None:
    (found,) = beside(ROWS, [ratio(low, high)])
    assert found.factor == pytest.approx(factor)
    assert found.far is far


def test_speeds_relative_to_a_tool_stand_on_the_cases_of_both() -> None:
    (found,) = beside(ROWS, [Published("gmm", "adept", 0.4, 0.4, "a paper", base="manual")])
    assert found.values == (0.05,)
    assert found.factor == pytest.approx(0.125)


def test_what_was_not_measured_says_why() -> None:
    absent, wrong = beside(ROWS[3:], [ratio(1.0, 1.0), Published("gmm", "adept", 1.0, 1.0, "", base="manual")])
    assert absent.measured is None and absent.factor is None and not absent.far
    assert absent.why_not == "not in the run"
    assert wrong.why_not == "adept wrong"


def test_published_values_are_about_cases_and_tools_that_there_are() -> None:
    for value in (*RATIOS, *RELATIVE):
        assert {value.tool, value.base or value.tool} <= all_tools().keys()
        workload = all_workloads()[value.workload]
        cases = workload.cases(Size.MEDIUM)
        assert any(
            value.covers(Row(workload.name, case.name, value.tool, "cpu", Status.OK, dimensions=case.dimensions))
            for case in cases
        ), value
        assert 0.0 < value.low <= value.high


def test_the_command_marks_what_is_far(tmp_path: Path) -> None:
    cells = {"d10_K25_n1000": {"n": 1000, "d": 10, "k": 25}}
    with ResultStore(tmp_path, make_header({}), resume=False) as store:
        for case, dimensions in cells.items():
            for tool, time in (("manual", 2.5), ("original", 900.0)):
                store.append(Row("gmm", case, tool, "cpu", Status.OK, 1.0, time, time, dimensions=dimensions))
    done = CliRunner().invoke(app, ["published", str(tmp_path)], env={"COLUMNS": "160"})
    assert done.exit_code == 0, done.output
    lines = {tuple(line.split("│")[2:4]): line for line in done.output.splitlines() if "over objective │" in line}
    marked = {tuple(word.strip() for word in key) for key, line in lines.items() if "10 times apart" in line}
    assert marked == {("gmm", "original")}
    assert "1 of 2 values" in done.output
