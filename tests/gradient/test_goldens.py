"""The plan of each typical loop, as reviewed. ``python -m tests.gradient.goldens`` writes them anew."""

from __future__ import annotations

import pytest

from tests.gradient.goldens import FOLDER, NAMES, golden, path


@pytest.mark.parametrize("name", NAMES)
def test_golden(name: str) -> None:
    assert golden(name) == path(name).read_text(encoding="utf-8"), "python -m tests.gradient.goldens writes it anew"


def test_every_golden_is_tested() -> None:
    assert {each.stem for each in FOLDER.glob("*.txt")} == set(NAMES)
