"""Runs wherever they lie: results files, folders of them, pytest-benchmark's JSON; or named by a commit."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adbench import SCHEMA_VERSION
from adbench.errors import StoreError, UsageError
from adbench.identity import machine_key
from adbench.schema import run_name
from adbench.store import FILE_NAME, Results, Row, Status, read_results

RUN_FOLDERS = (Path("results"), Path("adbench-results"))
"""Where runs are looked for that are named by a commit."""

PYTEST_BENCHMARK = "pytest-benchmark"
"""The tool and the source of what was imported from there."""


@dataclass(frozen=True)
class Run:
    """One stored run. Of a file with several headers (a resumed run) the last one tells machine and commit."""

    path: Path
    results: Results

    @property
    def header(self) -> Mapping[str, Any]:
        return self.results.headers[-1]

    @property
    def name(self) -> str:
        return str(self.results.headers[0].get("run") or self.path)

    @property
    def time(self) -> str:
        """When it began, in ISO format."""
        return str(self.results.headers[0].get("time") or "")

    @property
    def machine(self) -> Mapping[str, Any]:
        return self.header.get("machine") or {}

    @property
    def machine_key(self) -> tuple[object, ...]:
        return machine_key(self.machine)

    @property
    def commit(self) -> str:
        return str((self.header.get("commit") or {}).get("id") or "")

    @property
    def title(self) -> str:
        """The commit, or the run's name where it has none."""
        changed = " with changes" if (self.header.get("commit") or {}).get("dirty") else ""
        return self.commit[:10] + changed if self.commit else self.name

    @property
    def rows(self) -> Sequence[Row]:
        return self.results.rows


def load_run(path: Path) -> Run:
    """A run from its folder, its results file, or a JSON file that pytest-benchmark wrote."""
    if path.suffix == ".json":
        return Run(path, read_pytest_benchmark(path))
    return Run(path / FILE_NAME if path.is_dir() else path, read_results(path))


def find_run(name: str, folders: Iterable[Path] = RUN_FOLDERS) -> Run:
    """The run that a path or the beginning of a commit's name means; of several runs of one commit the newest."""
    path = Path(name)
    if path.exists():
        return load_run(path)
    candidates = [run for run in load_all(folder for folder in folders if folder.is_dir()) if run.commit]
    found = [run for run in candidates if len(name) >= 4 and run.commit.startswith(name.lower())]
    if not found:
        known = ", ".join(sorted({run.commit[:10] for run in candidates})) or "none"
        raise UsageError(
            f"there is no run {name!r}",
            why=f"it is no file or folder, and no run of such a commit is under {' or '.join(map(str, folders))}",
            hint=f"commits that have runs: {known}; to run two commits now, add --interleave",
        )
    return max(found, key=lambda run: run.time)


def load_all(paths: Iterable[Path]) -> list[Run]:
    """Every run at or below the paths, oldest first. Two files that hold the same run count once."""
    files: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            found = [*path.rglob(FILE_NAME), *(file for file in path.rglob("*.json") if is_pytest_benchmark(file))]
            files |= dict.fromkeys(sorted(found))
        else:
            files[path] = None
    runs = [load_run(file) for file in files]
    return sorted({run.name: run for run in runs}.values(), key=lambda run: (run.time, run.name))


def is_pytest_benchmark(path: Path) -> bool:
    """Whether a JSON file is one of pytest-benchmark's, so that others in a folder do no harm."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(value, dict) and {"benchmarks", "machine_info"} <= value.keys()


def read_pytest_benchmark(path: Path) -> Results:
    """The results in a file that ``pytest --benchmark-json`` or ``--benchmark-autosave`` wrote.

    A benchmark becomes the row of a tool named "pytest-benchmark": the workload is the file it is in, the case the rest
    of its name. Its raw samples are there if it was saved with ``--benchmark-save-data``.
    """
    try:
        value = json.loads(path.read_bytes())
    except OSError as error:
        raise StoreError("cannot read results", where=str(path), why=error.strerror) from error
    except ValueError as error:
        raise StoreError("not a JSON file", where=str(path), why=str(error)) from error
    if not isinstance(value, dict) or not {"benchmarks", "machine_info"} <= value.keys():
        raise StoreError("not a file of pytest-benchmark's", where=str(path), why="it has no list of benchmarks")
    try:
        header = _header(value)
        rows = tuple(_row(item, header["time"]) for item in value["benchmarks"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        why = f"{type(error).__name__}: {error}"
        raise StoreError("not a file of pytest-benchmark's", where=str(path), why=why) from error
    return Results((header,), rows)


def _header(value: Mapping[str, Any]) -> dict[str, Any]:
    info = value["machine_info"]
    cpu = info.get("cpu") or {}
    commit = value.get("commit_info") or {}
    header = {
        "kind": "header",
        "schema": SCHEMA_VERSION,
        "source": PYTEST_BENCHMARK,
        "time": str(value.get("datetime") or commit.get("time") or ""),
        "machine": {
            "cpu": cpu.get("brand_raw") or info.get("processor") or info.get("machine"),
            "architecture": info.get("machine"),
            "cores": cpu.get("count"),
            "affinity": None,
            "memory_bytes": None,
            "governor": None,
            "system": info.get("system"),
            "kernel": info.get("release"),
            "container": None,
            "python": info.get("python_version"),
            "cpu_flags": sorted(cpu.get("flags") or ()),
        },
        "packages": {PYTEST_BENCHMARK: value.get("version")},
        "commit": {
            "id": commit.get("id"),
            "time": commit.get("time"),
            "subject": None,
            "dirty": commit.get("dirty"),
        },
        "command": "pytest --benchmark-only",
        "settings": {"tools": [PYTEST_BENCHMARK], "seed": None},
    }
    return {**header, "run": run_name({**header, "names": [item["fullname"] for item in value["benchmarks"]]})}


def _row(item: Mapping[str, Any], time: str) -> Row:
    stats = item["stats"]
    file, _, rest = str(item["fullname"]).partition("::")
    least, median = float(stats["min"]), float(stats["median"])
    if not (0.0 < least < math.inf and 0.0 < median < math.inf):
        raise ValueError(f"{item['fullname']}: its times are {least!r} and {median!r}")
    data = [max(1, round(float(sample) * 1e9)) for sample in stats.get("data") or []]
    return Row(
        workload=os.path.splitext(os.path.basename(file))[0],
        case=rest or str(item["name"]),
        tool=PYTEST_BENCHMARK,
        device="cpu",
        status=Status.OK,
        derivative_seconds=least,
        derivative_median_seconds=median,
        samples={"derivative": data},
        panel=str(item.get("group") or ""),
        time=time,
    )
