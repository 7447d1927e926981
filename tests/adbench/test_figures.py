"""Figures from stored results: which are drawn, what their numbers are, and that they are legible images."""

from __future__ import annotations

import csv
from pathlib import Path

import matplotlib.image
import pytest

from adbench.errors import BenchError
from adbench.figures import draw_all
from adbench.figures.ablation import draw_ablation
from adbench.figures.style import figure_style
from adbench.looks import LOOKS, look_of
from adbench.store import Results, Row, Status
from adbench.tools.registry import all_tools

TIMES = {"enzyme": 4.0, "enzyme-pre": 8.0, "manual": 2.0, "finite": 100.0, "later": 3.0}


def results(sizes: tuple[int, ...] = (30, 300, 3000)) -> Results:
    rows = [
        Row(
            "gmm",
            f"case{size}_{panel}",
            tool,
            "cpu",
            Status.OK,
            primal_seconds=size * 1e-6,
            derivative_seconds=size * 1e-6 * factor,
            ratio=factor,
            problem_size=size,
            panel=f"{panel:,} points",
        )
        for size in sizes
        for panel in (1_000, 10_000)
        for tool, factor in TIMES.items()
    ]
    rows.append(Row("gmm", "case9_1000", "finite", "cpu", Status.TIMEOUT, problem_size=9, panel="1,000 points"))
    header = {
        "machine": {"cpu": "a processor", "cores": 2},
        "commit": {"id": "0123456789abcdef", "dirty": True},
        "time": "2026-01-02T03:04:05+00:00",
        "settings": {"tools": list(TIMES)},
    }
    return Results((header,), tuple(rows))


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return draw_all(results(), tmp_path_factory.mktemp("figures"))


def test_every_figure_has_three_files(drawn: list[Path]) -> None:
    assert [path.name for path in drawn] == ["gmm_absolute.png", "gmm_relative.png", "ablation.png"]
    for path in drawn:
        image = matplotlib.image.imread(path)
        assert image.shape[0] > 300
        assert image.shape[1] > 600
        assert image.min() < 0.3 < image.max()
        assert path.with_suffix(".svg").read_text(encoding="utf-8").startswith("<?xml")


def test_numbers_beside_the_figures_are_the_stored_ones(drawn: list[Path]) -> None:
    folder = drawn[0].parent
    with (folder / "gmm_absolute.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * 2 * len(TIMES)
    assert all(float(row["ratio"]) == TIMES[row["tool"]] for row in rows)
    with (folder / "ablation.csv").open(encoding="utf-8") as file:
        speedups = {row["case"]: float(row["speedup"]) for row in csv.DictReader(file)}
    assert speedups.pop("geometric mean") == pytest.approx(2.0)
    assert len(speedups) == 6 + 2
    assert set(speedups.values()) == {2.0}


def test_drawing_twice_gives_the_same_svg(drawn: list[Path], tmp_path: Path) -> None:
    with figure_style():
        again = draw_ablation(results(), tmp_path)[0].with_suffix(".svg")
    assert again.read_bytes() == drawn[-1].with_suffix(".svg").read_bytes()


def test_without_both_pipelines_there_is_no_ablation(tmp_path: Path) -> None:
    whole = results()
    part = Results(whole.headers, tuple(row for row in whole.rows if row.tool != "enzyme-pre"))
    assert draw_ablation(part, tmp_path) == []


def test_nothing_right_is_nothing_to_draw(tmp_path: Path) -> None:
    row = Row("gmm", "c", "manual", "cpu", Status.WRONG)
    with pytest.raises(BenchError, match="nothing to draw"):
        draw_all(Results(({},), (row,)), tmp_path)


def test_one_case_alone_can_be_drawn(tmp_path: Path) -> None:
    assert len(draw_all(results(sizes=(30,)), tmp_path)) == 3


def test_every_tool_has_its_own_look() -> None:
    names = [*all_tools(), *(f"another-{number}" for number in range(12))]
    looks = [look_of(name, names) for name in names]
    assert len({(look.colour, look.marker) for look in looks}) == len(names)
    assert set(LOOKS) <= set(all_tools())
