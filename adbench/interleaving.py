"""Two revisions measured in turn on this machine: A, B, B, A, ... so that what drifts meets both alike."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from adbench.errors import BenchError, UsageError
from adbench.sources import Run, load_run
from adbench.statistics import minimum_and_median
from adbench.store import FILE_NAME, ResultStore, Row, Status

WORKING_TREE = "."
"""Names the files as they are instead of a commit."""


@dataclass(frozen=True)
class Side:
    """One of the two revisions, as a tree of files that can be run."""

    name: str
    tree: Path
    commit: dict[str, Any] | None
    """None where the run finds out itself, in a working tree."""


def git(folder: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)
    except OSError as error:
        raise UsageError("git is needed to run two commits", why=error.strerror) from error
    if done.returncode:
        raise UsageError(f"git {arguments[0]} failed", why=done.stderr.decode(errors="replace").strip())
    return done.stdout


def lay_out(revision: str, repository: Path, folder: Path) -> Side:
    """The files of a revision in a folder of their own; the repository and its working tree stay as they are."""
    if revision == WORKING_TREE:
        return Side(revision, repository, None)
    words = git(repository, "log", "-1", "--format=%H%n%cI%n%s", revision, "--").decode().rstrip("\n").split("\n", 2)
    if len(words) != 3:
        raise UsageError(f"there is no commit {revision!r}")
    identity, time, subject = words
    tree = folder / identity
    if not tree.exists():
        tree.mkdir()
        archive = git(repository, "archive", "--format=tar", identity)
        subprocess.run(["tar", "-x", "-C", str(tree)], input=archive, check=True)
    return Side(revision, tree, {"id": identity, "time": time, "subject": subject, "dirty": False})


def measure_in_turn(
    revisions: tuple[str, str], options: Sequence[str], out: Path, rounds: int, tell: Callable[[str], None]
) -> tuple[Run, Run]:
    """Run both revisions ``rounds`` times with the same options of ``run``, and store one result of each below ``out``.

    Each revision runs its own harness. The order changes with each round.
    """
    repository = Path(git(Path.cwd(), "rev-parse", "--show-toplevel").decode().strip())
    targets = [out / "before", out / "after"]
    for target in targets:
        if target.exists():
            raise UsageError("there are results here already", where=str(target), hint="name another folder with --out")
    with tempfile.TemporaryDirectory(prefix="adbench-turns-") as name:
        folder = Path(name)
        sides = [lay_out(revision, repository, folder) for revision in revisions]
        parts: list[list[Run]] = [[], []]
        for number in range(rounds):
            for index in (0, 1) if number % 2 == 0 else (1, 0):
                tell(f"round {number + 1} of {rounds}: {sides[index].name}")
                parts[index].append(_run_once(sides[index], options, folder / f"{number}-{index}"))
        first, second = (_merge(side, runs, target) for side, runs, target in zip(sides, parts, targets, strict=True))
    return first, second


def _run_once(side: Side, options: Sequence[str], out: Path) -> Run:
    command = [sys.executable, "-m", "adbench", "run", "--quiet", "--out", str(out), *options]
    environment = {**os.environ, "PYTHONPATH": str(side.tree)}
    done = subprocess.run(command, cwd=side.tree, env=environment, capture_output=True, text=True, check=False)
    # Exit status 1 alone: a cell was wrong, which its row tells.
    if done.returncode not in {0, 1} or not (out / FILE_NAME).exists():
        words = done.stderr.strip().splitlines()[-5:] or [f"exit status {done.returncode}"]
        raise BenchError(f"the run of {side.name} failed", why="\n".join(words))
    return load_run(out)


def _merge(side: Side, runs: Sequence[Run], target: Path) -> Run:
    """All rounds of one side as one run."""
    header = dict(runs[0].header)
    header["settings"] = {**header.get("settings", {}), "turns": len(runs)}
    if side.commit is not None:
        header["commit"] = side.commit
    cells: dict[Any, list[Row]] = {}
    for run in runs:
        for row in run.rows:
            cells.setdefault(row.key, []).append(row)
    try:
        with ResultStore(target, header, resume=False) as store:
            for rows in cells.values():
                store.append(merge_rows(rows))
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise
    return load_run(target)


def merge_rows(rows: Sequence[Row]) -> Row:
    """One cell's rows of several rounds as one: all samples, or the first failure."""
    failed = next((row for row in rows if row.status is not Status.OK), None)
    if failed is not None:
        return failed
    samples: dict[str, list[int]] = {}
    for row in rows:
        for name, values in row.samples.items():
            samples.setdefault(name, []).extend(values)
    times: dict[str, Any] = {}
    for name, values in samples.items():
        if values:
            least, median = minimum_and_median(values)
            times |= {f"{name}_seconds": least / 1e9, f"{name}_median_seconds": median / 1e9}
    primal, derivative = times.get("primal_seconds"), times.get("derivative_seconds")
    return replace(rows[0], samples=samples, ratio=derivative / primal if primal and derivative else None, **times)
