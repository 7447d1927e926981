"""Made-up runs for tests of what reads results: rows with noise, headers with commits, histories with a step."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from adbench import SCHEMA_VERSION
from adbench.sources import Run, load_run
from adbench.store import Row, Status, encode

START = datetime.datetime(2026, 1, 1, 12, tzinfo=datetime.UTC)
MACHINE = {
    "cpu": "a processor",
    "architecture": "x86_64",
    "cores": 2,
    "memory_bytes": 24 * 2**30,
    "system": "Linux",
    "kernel": "6.1",
    "governor": "performance",
    "container": "docker",
    "affinity": [0, 1],
    "python": "3.11.7",
    "cpu_flags": ["avx2", "fma"],
}


def timed_row(
    workload: str,
    case: str,
    tool: str,
    seconds: float,
    random: np.random.Generator,
    noise: float = 0.01,
    samples: int = 20,
    **more: Any,
) -> Row:
    """A row that is right, whose samples scatter about ``seconds``."""
    drawn = [max(1, round(seconds * 1e9 * float(np.exp(noise * random.standard_normal())))) for _ in range(samples)]
    return Row(
        workload,
        case,
        tool,
        "cpu",
        Status.OK,
        primal_seconds=seconds / 3,
        derivative_seconds=min(drawn) / 1e9,
        derivative_median_seconds=float(np.median(drawn)) / 1e9,
        ratio=3.0,
        max_error=1e-14,
        samples={"primal": [], "derivative": drawn},
        **more,
    )


def header(day: int, **more: Any) -> dict[str, Any]:
    """The header of the run of a day."""
    time = START + datetime.timedelta(days=day)
    commit = {
        "id": hashlib.sha1(bytes([day])).hexdigest(),
        "time": time.isoformat(),
        "subject": f"change <{day}>",
        "dirty": False,
    }
    return {
        "kind": "header",
        "schema": SCHEMA_VERSION,
        "run": f"day-{day:03d}",
        "source": "adbench",
        "time": time.isoformat(),
        "machine": MACHINE,
        "load": [0.1, 0.1, 0.1],
        "packages": {"numpy": "2.0", "jax": None},
        "commit": commit,
        "command": "python -m adbench run",
        "settings": {"tools": ["enzyme", "enzyme-pre", "manual"], "size": "small", "seed": 1},
        **more,
    }


def write_run(folder: Path, head: dict[str, Any], rows: Sequence[Row]) -> Run:
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(head), *(encode(asdict(row)) for row in rows)]
    (folder / "results.jsonl").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return load_run(folder)


def write_history(
    folder: Path,
    days: int,
    cells: int,
    noise: float,
    planted: tuple[int, int, float] | None = None,
    seed: int = 0,
    samples: int = 5,
    between: float = 0.0,
) -> list[Run]:
    """Runs of ``cells`` cells on ``days`` days; ``planted`` is (cell, day, factor) of a change that stays.

    ``noise`` is that of the samples, ``between`` that of whole runs.
    """
    random = np.random.default_rng(seed)
    runs = []
    for day in range(days):
        rows = []
        for cell in range(cells):
            seconds = 1e-4 * (1 + cell % 7) * float(np.exp(between * random.standard_normal()))
            if planted is not None and cell == planted[0] and day >= planted[1]:
                seconds *= planted[2]
            size = 10 ** (1 + cell // 4 % 5)
            workload, tool = f"w{cell // 20}", ("enzyme", "enzyme-pre", "manual", "jax")[cell % 4]
            case = f"n{size}"
            rows.append(timed_row(workload, case, tool, seconds, random, noise, samples, problem_size=size))
        runs.append(write_run(folder / f"day-{day:03d}", header(day), rows))
    return runs
