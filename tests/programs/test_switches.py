"""The programs of these folders with optimisations of the engine turned off, one by one and all together.

Each program runs at one level and in one pipeline, drawn from its settings anew for each optimisation. The plain run
takes a share; ``pytest -m slow tests/programs/test_switches.py`` takes all, and ``ENZYME_OFF=NAME pytest tests`` runs
the whole test suite that way.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import pytest

from enzyme.support.config import switches
from tests.programs.suite import Program, Setting, programs, with_engine

SHARE = 0.001
"""Of the programs, for each optimisation, in the plain run."""


def _drawn(program: Program, off: str) -> tuple[Setting, bool]:
    """The setting of a program for this optimisation, and whether it belongs to the plain run."""
    number = zlib.crc32(f"{program.name} without {off}".encode())
    return program.settings[number % len(program.settings)], number / 2**32 < SHARE and not program.is_heavy


def _grid() -> Iterator[Any]:
    for off in (*switches(), "all"):
        for program in programs():
            setting, plain = _drawn(program, off)
            marks = () if plain else (pytest.mark.slow,)
            yield pytest.param(program, setting, off, id=f"{program.name}-{setting}-{off}", marks=marks)


@pytest.mark.parametrize(("program", "setting", "off"), list(_grid()))
def test_derivatives_without(program: Program, setting: Setting, off: str) -> None:
    if program.missing:
        pytest.skip(f"{program.missing} is not installed")
    assert not with_engine(program, setting, off)
