"""Every program of this folder, through ``enzyme cc`` at every level, checks its own derivatives.

The programs are compiled in worker processes, one for each core, all of them submitted when the first test asks; a test
waits for its own. A worker calls the command's main function, so that the interpreter starts once and not 400 times.
Under pytest-xdist, whose workers each see the whole collection, work is submitted as tests ask for it.
"""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
PROGRAMS = sorted(path.stem for path in HERE.glob("*.c"))
LEVELS = (0, 1, 2, 3)
COMPILE_SECONDS = 60
RUN_SECONDS = 20


def run_program(executable: Path) -> str:
    """Empty when the program found nothing wrong, else what it said."""
    try:
        done = subprocess.run(
            [executable], capture_output=True, text=True, errors="replace", timeout=RUN_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"still running after {RUN_SECONDS} s"
    if done.returncode == 0 and done.stdout.startswith("ok "):
        return ""
    return f"exit status {done.returncode}\n{done.stdout}{done.stderr}"


def with_engine(name: str, level: int) -> str:
    """Compile by ``enzyme cc`` and run; empty when all is well."""
    from enzyme.cli import main

    def late(*_: object) -> None:
        raise TimeoutError(f"not compiled after {COMPILE_SECONDS} s")

    said = io.StringIO()
    with tempfile.TemporaryDirectory(prefix="enzyme-programs-") as folder:
        executable = Path(folder) / name
        signal.signal(signal.SIGALRM, late)
        signal.alarm(COMPILE_SECONDS)
        try:
            with redirect_stdout(said), redirect_stderr(said):
                status = main(["cc", f"-O{level}", "-w", str(HERE / f"{name}.c"), "-o", str(executable), "-lm"])
        finally:
            signal.alarm(0)
        if status != 0:
            return f"enzyme cc ended with {status}\n{said.getvalue()}"
        return run_program(executable)


def without_engine(name: str) -> str:
    """Compile with differences in the place of derivatives: the program's own expectations, checked by themselves."""
    with tempfile.TemporaryDirectory(prefix="enzyme-programs-") as folder:
        executable = Path(folder) / name
        command = [sys.executable, "-m", "ziglang", "cc", "-O1", "-w", "-DREFERENCE", "-fno-stack-protector"]
        command += [
            "-fsanitize=undefined",
            "-fsanitize-trap=undefined",
            f"{HERE / name}.c",
            "-o",
            str(executable),
            "-lm",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return run_program(executable) if done.returncode == 0 else done.stderr


class Batch:
    """The work of all collected tests, submitted at once and fetched one by one."""

    def __init__(self, items: list[pytest.Item]) -> None:
        distributed = "PYTEST_XDIST_WORKER" in os.environ
        self.pool = ProcessPoolExecutor(1 if distributed else os.cpu_count(), mp_context=get_context("spawn"))
        self.futures: dict[tuple[str, int | None], Future[str]] = {}
        for item in [] if distributed else items:
            values: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
            if Path(item.path) != Path(__file__) or "program" not in values:
                continue
            self.submit(values["program"], values.get("level"))

    def submit(self, name: str, level: int | None) -> Future[str]:
        work = self.pool.submit(without_engine, name) if level is None else self.pool.submit(with_engine, name, level)
        self.futures[name, level] = work
        return work

    def result(self, name: str, level: int | None) -> str:
        return (self.futures.get((name, level)) or self.submit(name, level)).result()


@pytest.fixture(scope="module")
def batch(request: pytest.FixtureRequest) -> Iterator[Batch]:
    made = Batch(request.session.items)
    yield made
    made.pool.shutdown(wait=True, cancel_futures=True)


@pytest.mark.parametrize("program", PROGRAMS)
def test_program_is_right_by_itself(program: str, batch: Batch) -> None:
    assert not batch.result(program, None)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_derivatives(program: str, level: int, batch: Batch) -> None:
    assert not batch.result(program, level)
