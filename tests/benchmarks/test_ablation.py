"""What the ablation keeps, and that the notes know every optimisation."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import ablation
from benchmarks.ablation import Gain, Kept
from benchmarks.variants import CASES, find_case
from enzyme.support.config import switches

NOTE = Path(__file__).resolve().parents[2] / "docs" / "optimisations.md"
ABOUT = {"machine": ablation.machine(), "made": "2026-01-01"}


def test_measurements_of_single_optimisations_add_up(tmp_path: Path) -> None:
    file = tmp_path / "gains.json"
    first, second = switches()[:2]
    Kept.read(file).add(Gain(first, "a/1", 1.0, 2.0, 0, 0, 0.5), ABOUT)
    Kept.read(file).add(Gain(second, "a/1", 1.0), {**ABOUT, "made": "2026-01-02"})
    Kept.read(file).add(Gain(first, "a/1", 1.0, 3.0, 0, 2**21, 0.5), ABOUT)
    kept = Kept.read(file)
    assert [(each.optimisation, each.factor) for each in kept.gains.values()] == [(first, 3.0), (second, 1.0)]
    assert kept.dates == ["2026-01-01", "2026-01-02"]
    found = list(kept.gains.values())
    assert ablation.table(found).splitlines()[2] == "| a/1 | 2.00 | 3.00 (+2.0 MiB) |"
    assert ablation.summary(found).splitlines()[2:] == [
        f"| `{first}` | 1 of 1 | 3.00 | 3.00 a/1 | 3.00 a/1 |",
        f"| `{second}` | none of 1 | | | |",
    ]


def test_numbers_of_another_machine_are_not_mixed(tmp_path: Path) -> None:
    file = tmp_path / "gains.json"
    elsewhere = {**ABOUT, "machine": {**ablation.machine(), "cpu": "another"}}
    Kept.read(file).add(Gain(switches()[0], "a/1", 1.0), elsewhere)
    with pytest.raises(SystemExit, match="another machine"):
        Kept.read(file)


def test_an_optimisation_that_is_gone_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "gains.json"
    Kept.read(file).add(Gain("once", "a/1", 1.0), ABOUT)
    assert not Kept.read(file).gains


def test_every_case_is_there() -> None:
    for name in CASES:
        assert "/".join((find_case(name)[0].name, find_case(name)[1].name)) == name


@pytest.mark.parametrize("name", switches())
def test_the_note_says_something_of_every_optimisation(name: str) -> None:
    assert f"`{name}`" in NOTE.read_text(encoding="utf-8")
