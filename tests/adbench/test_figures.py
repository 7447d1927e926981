"""Figures from stored results: which are drawn, what their numbers are, and that they are legible images."""

from __future__ import annotations

import csv
from pathlib import Path

import matplotlib.image
import pytest

from adbench.errors import BenchError
from adbench.figures import draw_all
from adbench.figures.ablation import MOST_BARS, draw_ablation
from adbench.figures.memory import draw_memory
from adbench.figures.norm import draw_norm
from adbench.figures.relative import belongs
from adbench.figures.style import figure_style
from adbench.looks import LOOKS, look_of
from adbench.published import BENCHMARKS
from adbench.store import Results, Row, Status
from adbench.tools.registry import all_tools

NAMES = ("gmm_absolute", "gmm_relative", "relative_speed", "ablation")
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


def test_every_figure_has_four_files(drawn: list[Path]) -> None:
    assert [path.name for path in drawn] == [f"{name}.png" for name in NAMES]
    for path in drawn:
        image = matplotlib.image.imread(path)
        assert image.shape[0] > 300
        assert image.shape[1] > 600
        assert image.min() < 0.3 < image.max()
        assert path.with_suffix(".svg").read_text(encoding="utf-8").startswith("<?xml")
        assert path.with_suffix(".pdf").read_bytes().startswith(b"%PDF-")


def test_numbers_beside_the_figures_are_the_stored_ones(drawn: list[Path]) -> None:
    folder = drawn[0].parent
    with (folder / "gmm_absolute.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * 2 * len(TIMES)
    assert all(float(row["ratio"]) == TIMES[row["tool"]] for row in rows)
    with (folder / "ablation.csv").open(encoding="utf-8") as file:
        speedups = {row["case"]: float(row["speedup"]) for row in csv.DictReader(file)}
    assert speedups.pop("geometric mean") == pytest.approx(2.0)
    assert speedups.pop("paper") == 4.2
    assert len(speedups) == 6 + 2
    assert set(speedups.values()) == {2.0}


def test_the_same_numbers_give_the_same_files(drawn: list[Path], tmp_path: Path) -> None:
    with figure_style():
        again = draw_ablation(results(), tmp_path)[0]
    for suffix in (".svg", ".pdf", ".png", ".csv"):
        assert again.with_suffix(suffix).read_bytes() == drawn[-1].with_suffix(suffix).read_bytes()


def test_without_both_pipelines_there_is_no_ablation(tmp_path: Path) -> None:
    whole = results()
    part = Results(whole.headers, tuple(row for row in whole.rows if row.tool != "enzyme-pre"))
    assert draw_ablation(part, tmp_path) == []


def test_nothing_right_is_nothing_to_draw(tmp_path: Path) -> None:
    row = Row("gmm", "c", "manual", "cpu", Status.WRONG)
    with pytest.raises(BenchError, match="nothing to draw"):
        draw_all(Results(({},), (row,)), tmp_path)


def test_one_case_alone_can_be_drawn(tmp_path: Path) -> None:
    assert len(draw_all(results(sizes=(30,)), tmp_path)) == len(NAMES)


def test_every_tool_has_its_own_look() -> None:
    names = [*all_tools(), *(f"another-{number}" for number in range(6))]
    looks = [look_of(name, names) for name in names]
    assert len({(look.colour, look.marker) for look in looks}) == len(names)
    assert set(LOOKS) <= set(all_tools())


def table(path: Path) -> list[dict[str, str]]:
    with path.with_suffix(".csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_relative_speeds_stand_beside_the_published_ones(drawn: list[Path]) -> None:
    rows = {
        (row["benchmark"], row["tool"], row["series"]): row for row in table(drawn[0].parent / "relative_speed.png")
    }
    # "later" takes 3, enzyme 4: references by hand and by differences are not in it.
    assert float(rows["gmm", "enzyme", "measured"]["relative_speed"]) == pytest.approx(3 / 4)
    assert rows["gmm", "enzyme", "measured"]["count"] == "6"
    assert float(rows["geometric mean", "later", "measured"]["relative_speed"]) == pytest.approx(1.0)
    assert not any(tool in {"manual", "finite"} for _, tool, _ in rows)
    published = [float(rows[name, "adept", "published"]["relative_speed"]) for name in BENCHMARKS]
    assert published == [0.309, 0.182, 0.048, 0.024, 0.534, 0.072, 0.053]
    assert ("euler", "tapenade", "published") not in rows


def test_many_cases_become_one_bar_a_workload(tmp_path: Path) -> None:
    rows = [
        Row(f"w{index % 3}", f"c{index}", tool, "cpu", Status.OK, derivative_seconds=seconds)
        for index in range(MOST_BARS + 2)
        for tool, seconds in (("enzyme", 1.0), ("enzyme-pre", 2.0 + index % 3))
    ]
    with figure_style():
        (path,) = draw_ablation(Results(({},), tuple(rows)), tmp_path)
    assert len(table(path)) == MOST_BARS + 2 + 4
    assert matplotlib.image.imread(path).shape[0] < 700


def test_growth_of_the_norm_is_measured(tmp_path: Path) -> None:
    rows = [
        Row("norm", f"n{n}", tool, "cpu", Status.OK, derivative_seconds=1e-9 * n**power, problem_size=n)
        for n in (16, 256, 4096)
        for tool, power in (("enzyme", 1), ("enzyme-pre", 2))
    ]
    with figure_style():
        (path,) = draw_norm(Results(({},), tuple(rows)), tmp_path)
        assert draw_norm(Results(({},), tuple(rows[:2])), tmp_path) == []
    exponents = {row["tool"]: float(row["exponent"]) for row in table(path)}
    assert exponents == {"enzyme": pytest.approx(1.0), "enzyme-pre": pytest.approx(2.0)}


def test_memory_is_that_of_the_largest_case(tmp_path: Path) -> None:
    rows = [
        Row(
            "w",
            f"n{n}",
            tool,
            "cpu",
            Status.OK,
            problem_size=n,
            peak_bytes=n << 20,
            primal_peak_bytes=primal << 20,
            tape_bytes=tape,
        )
        for n in (90, 100)
        for tool, primal, tape in (("enzyme", 60, 8 * n), ("enzyme-pre", n, 0), ("manual", n, None))
    ]
    with figure_style():
        memory, beyond, tape = draw_memory(Results(({},), tuple(rows)), tmp_path)
        assert draw_memory(Results(({},), (Row("w", "c", "t", "cpu", Status.OK),)), tmp_path) == []
    assert [(row["case"], row["tool"], int(row["bytes"]) >> 20) for row in table(memory)] == [
        ("n100", "enzyme", 100),
        ("n100", "enzyme-pre", 100),
        ("n100", "manual", 100),
    ]
    # What resident memory cannot resolve is not drawn.
    assert [(row["tool"], int(row["bytes"]) >> 20) for row in table(beyond)] == [("enzyme", 40)]
    assert [(row["tool"], int(row["bytes"])) for row in table(tape)] == [("enzyme", 800)]


@pytest.mark.parametrize(
    ("tool", "shown"),
    [("enzyme", True), ("enzyme-pre", True), ("enzyme-forward", False), ("jax", True), ("jax-threads", False)],
)
def test_who_is_in_the_figure_of_the_paper(tool: str, shown: bool) -> None:
    assert belongs(tool) is shown
