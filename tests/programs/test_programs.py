"""Every program of these folders, through ``enzyme cc`` or ``c++`` at every level and in both pipelines, checks its own
derivatives. What a program can ask for is said in ``suite.py``.

The programs are compiled in worker processes, one for each core, all of them submitted when the first test asks; a test
waits for its own. A worker calls the command's main function, so that the interpreter starts once and not 2000 times.
Under pytest-xdist, whose workers each see the whole collection, work is submitted as tests ask for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from tests.programs.suite import FOLDERS, KEYS, NEEDS, Program, Setting, programs, with_engine, without_engine

PROGRAMS = programs()


class Batch:
    """The work of all collected tests, submitted at once and fetched one by one."""

    def __init__(self, items: list[pytest.Item]) -> None:
        distributed = "PYTEST_XDIST_WORKER" in os.environ
        self.pool = ProcessPoolExecutor(1 if distributed else os.cpu_count(), mp_context=get_context("spawn"))
        self.futures: dict[tuple[str, Setting | None], Future[str]] = {}
        for item in [] if distributed else items:
            values: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
            if Path(item.path) != Path(__file__) or "program" not in values or values["program"].missing:
                continue
            self.submit(values["program"], values.get("setting"))

    def submit(self, program: Program, setting: Setting | None) -> Future[str]:
        if setting is None:
            work = self.pool.submit(without_engine, program)
        else:
            work = self.pool.submit(with_engine, program, setting)
        self.futures[program.name, setting] = work
        return work

    def result(self, program: Program, setting: Setting | None) -> str:
        return (self.futures.get((program.name, setting)) or self.submit(program, setting)).result()


@pytest.fixture(scope="module")
def batch(request: pytest.FixtureRequest) -> Iterator[Batch]:
    made = Batch(request.session.items)
    yield made
    made.pool.shutdown(wait=True, cancel_futures=True)


def _grid() -> Iterator[Any]:
    for program in PROGRAMS:
        plain = program.plain_setting()
        for setting in program.settings:
            marks = () if setting == plain else (pytest.mark.slow,)
            yield pytest.param(program, setting, id=f"{program.name}-{setting}", marks=marks)


SELF_CHECKED = [p for p in PROGRAMS if not {"refused", "aborts", "reference"} & p.directives.keys()]


def _skip_without_needs(program: Program) -> None:
    if program.missing:
        pytest.skip(f"{program.missing} is not installed")


def test_programs_are_well_placed() -> None:
    """A folder for each heading, names that occur once, and no word of a program's head that nobody reads."""
    stems = [program.path.stem for program in PROGRAMS]
    assert sorted(stems) == sorted(set(stems))
    assert {program.path.parent.name for program in PROGRAMS} <= set(FOLDERS)
    for program in PROGRAMS:
        assert set(program.directives) <= set(KEYS), program.name
        assert set(program.directives.get("needs", "").split()) <= set(NEEDS), program.name


def _alone() -> Iterator[Any]:
    for program in SELF_CHECKED:
        yield pytest.param(program, id=program.name, marks=() if program.is_plain_alone else (pytest.mark.slow,))


@pytest.mark.parametrize("program", list(_alone()))
def test_program_is_right_by_itself(program: Program, batch: Batch) -> None:
    _skip_without_needs(program)
    assert not batch.result(program, None)


@pytest.mark.parametrize(("program", "setting"), list(_grid()))
def test_derivatives(program: Program, setting: Setting, batch: Batch) -> None:
    _skip_without_needs(program)
    assert not batch.result(program, setting)
