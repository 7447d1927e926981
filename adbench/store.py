"""The results file: append-only JSON lines, a header first, one line per cell after it.

A later line of a cell replaces an earlier one. Whatever happens while a line is written, the lines before it stay.
"""

from __future__ import annotations

import datetime
import errno
import fcntl
import json
import math
import os
import shlex
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

from adbench import SCHEMA_VERSION
from adbench.errors import StoreError
from adbench.identity import commit, load, machine, machine_difference, package_versions
from adbench.schema import run_name, schema_of, upgrade_header, upgrade_row

FILE_NAME = "results.jsonl"
LOCK_NAME = ".lock"

CellKey: TypeAlias = tuple[str, str, str, str]


class Status(StrEnum):
    OK = "ok"
    WRONG = "wrong"
    ERROR = "error"
    TIMEOUT = "timeout"
    SKIPPED = "skipped"


DONE = frozenset({Status.OK, Status.TIMEOUT})
"""What ``--resume`` does not measure again; wrong, failed and skipped cells may have been mended since."""


@dataclass(frozen=True)
class Row:
    """One cell's result. Times are in seconds and minima over ``samples``, which are in ns per call."""

    workload: str
    case: str
    tool: str
    device: str
    status: Status
    primal_seconds: float | None = None
    derivative_seconds: float | None = None
    ratio: float | None = None
    max_error: float | None = None
    samples: Mapping[str, list[int]] = field(default_factory=dict)
    compile_seconds: float | None = None
    peak_bytes: int | None = None
    message: str = ""
    primal_median_seconds: float | None = None
    derivative_median_seconds: float | None = None
    tolerance: float | None = None
    reference: str = ""
    dimensions: Mapping[str, int] = field(default_factory=dict)
    problem_size: int | None = None
    panel: str = ""
    version: str = ""
    flags: str = ""
    conditions: Mapping[str, str] = field(default_factory=dict)
    """Under what it was measured: threads, math, CPU target, precision."""
    data_file: str | None = None
    time: str = ""
    primal_peak_bytes: int | None = None
    """As ``peak_bytes``, which is of the evaluation of the derivative, but of that of the objective before it."""
    tape_bytes: int | None = None
    """The most bytes that the derivative's tapes took, counted by the program itself; None where a tool cannot."""
    untried_after: str = ""
    """The smaller case whose time-out made this one a time-out without a try."""

    @property
    def key(self) -> CellKey:
        return (self.workload, self.case, self.tool, self.device)


ROW_FIELDS = frozenset(item.name for item in fields(Row))


@dataclass(frozen=True)
class Results:
    """What a results file holds: its headers, the last row of every cell, and what had to be mended to read it."""

    headers: tuple[dict[str, Any], ...]
    rows: tuple[Row, ...]
    notices: tuple[str, ...] = ()
    good_bytes: int = 0


def now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def make_header(settings: Mapping[str, Any], requires: Iterable[str] = ()) -> dict[str, Any]:
    """The header line of a run with these settings, made here and now; ``requires`` are what its tools import."""
    header = {
        "kind": "header",
        "schema": SCHEMA_VERSION,
        "source": "adbench",
        "time": now(),
        "machine": machine(),
        "load": load(),
        "packages": package_versions(requires),
        "commit": commit(),
        "command": shlex.join(["python", "-m", "adbench", *sys.argv[1:]]),
        "settings": dict(settings),
    }
    return {**header, "run": run_name({**header, "process": os.getpid()})}


def encode(value: Mapping[str, Any]) -> str:
    """One JSON line; what JSON cannot say (inf, nan) becomes null, and the row's message tells it."""

    def plain(item: Any) -> Any:
        if isinstance(item, float) and not math.isfinite(item):
            return None
        if isinstance(item, Mapping):
            return {key: plain(part) for key, part in item.items()}
        return item

    return json.dumps(plain(value), separators=(", ", ": "), allow_nan=False)


def read_results(path: Path) -> Results:
    """Read a results file. A last line cut short is left out with a notice; any other bad line is an error."""
    file = path / FILE_NAME if path.is_dir() else path
    try:
        data = file.read_bytes()
    except OSError as error:
        hint = "run `python -m adbench run` first, or name the folder of a run"
        raise StoreError("cannot read results", where=str(file), why=error.strerror, hint=hint) from error
    headers: list[dict[str, Any]] = []
    rows: dict[CellKey, Row] = {}
    notices: list[str] = []
    position = 0
    for number, line in enumerate(data.split(b"\n")[:-1], start=1):
        _take_line(file, number, line, headers, rows)
        position += len(line) + 1
    if position < len(data):
        notices.append(f"{file}: the last line was cut short ({len(data) - position} bytes) and is left out")
    if not headers:
        raise StoreError("not a results file", where=str(file), why="its first line is not a header")
    return Results(tuple(headers), tuple(rows.values()), tuple(notices), position)


def _take_line(file: Path, number: int, line: bytes, headers: list[dict[str, Any]], rows: dict[CellKey, Row]) -> None:
    place = f"{file}:{number}"
    try:
        value = json.loads(line)
    except ValueError as error:
        raise StoreError("not a line of JSON", where=place, why=str(error)) from error
    if not isinstance(value, dict):
        raise StoreError("expected a JSON object", where=place)
    if value.get("kind") == "header":
        headers.append(upgrade_header(value, schema_of(value, place)))
        return
    if not headers:
        raise StoreError("not a results file", where=place, why="its first line is not a header")
    try:
        value = upgrade_row(value, headers[-1]["written_as"])
        known = {key: item for key, item in value.items() if key in ROW_FIELDS}
        row = Row(**{**known, "status": Status(known["status"])})
    except (KeyError, TypeError, ValueError) as error:
        raise StoreError("not a row of results", where=place, why=f"{type(error).__name__}: {error}") from error
    # Moved to the end, so that the order is that of measuring.
    rows.pop(row.key, None)
    rows[row.key] = row


class ResultStore:
    """A results file open for appending, locked against a second run."""

    def __init__(self, directory: Path, header: dict[str, Any], resume: bool) -> None:
        self.path = directory / FILE_NAME
        self.notices: list[str] = []
        self.rows: dict[CellKey, Row] = {}
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(directory / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StoreError("cannot open the output folder", where=str(directory), why=error.strerror) from error
        try:
            self._take_lock(directory)
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            os.close(self._lock)
            raise StoreError("cannot open the results file", where=str(self.path), why=error.strerror) from error
        except StoreError:
            os.close(self._lock)
            raise
        try:
            self._open(header, resume)
        except BaseException:
            self.close()
            raise

    def _take_lock(self, directory: Path) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(self._lock, 32, 0).decode(errors="replace").strip()
            raise StoreError(
                "another run is writing here",
                where=str(directory),
                why=f"process {holder or 'unknown'} holds {LOCK_NAME}",
                hint="wait for it, or name another folder with --out",
            ) from None
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, f"{os.getpid()}\n".encode(), 0)

    def _open(self, header: dict[str, Any], resume: bool) -> None:
        size = os.fstat(self._file).st_size
        self._end = 0
        if size == 0:
            self._append(encode(header))
            return
        if not resume:
            hint = "add --resume to go on with it, or name another folder with --out"
            raise StoreError("there are results here already", where=str(self.path), hint=hint)
        if b"\n" not in os.pread(self._file, size, 0):
            # Not even the header was finished: nothing is lost by beginning again.
            self.notices.append(f"{self.path}: the header was cut short; the file begins anew")
            os.ftruncate(self._file, 0)
            self._append(encode(header))
            return
        results = read_results(self.path)
        self._refuse_other(results.headers[-1], header)
        self._end = results.good_bytes
        if results.notices:
            os.ftruncate(self._file, self._end)
            self.notices.append(f"{self.path}: the last line was cut short; it was removed and its cell runs again")
        self.rows = {row.key: row for row in results.rows}
        previous = results.headers[-1]
        if any(previous.get(key) != header[key] for key in ("commit", "packages", "settings")):
            text = "commit, packages or settings differ from the run that is resumed; a second header says so"
            self.notices.append(text)
            self._append(encode(header))
        elif previous["written_as"] != SCHEMA_VERSION:
            # Rows follow a header of their own version; the older ones stay as they are.
            self.notices.append(f"the file goes on in schema version {SCHEMA_VERSION}; a second header says so")
            self._append(encode(header))

    def _refuse_other(self, previous: dict[str, Any], header: dict[str, Any]) -> None:
        difference = machine_difference(previous["machine"], header["machine"])
        if difference:
            raise StoreError(
                "these results are from another machine",
                where=str(self.path),
                why=difference,
                hint="name another folder with --out; compare the two runs afterwards",
            )
        before, after = previous.get("settings", {}).get("seed"), header["settings"].get("seed")
        if before != after:
            hint = f"add --seed {before}, or name another folder with --out"
            raise StoreError(f"these results were made with seed {before}", where=str(self.path), hint=hint)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        os.close(self._file)
        os.close(self._lock)

    def done(self, key: CellKey) -> bool:
        """Whether ``--resume`` leaves this cell as it is."""
        return key in self.rows and self.rows[key].status in DONE

    def append(self, row: Row) -> None:
        """Write one row and have it on disk before returning."""
        self._append(encode(asdict(row)))
        self.rows[row.key] = row

    def _append(self, line: str) -> None:
        data = line.encode() + b"\n"
        try:
            written = 0
            while written < len(data):
                written += os.pwrite(self._file, data[written:], self._end + written)
            self._sync()
        except OSError as error:
            self._cut()
            kept = len(self.rows)
            raise StoreError(
                "the disk is full" if error.errno in {errno.ENOSPC, errno.EDQUOT} else "cannot write results",
                where=str(self.path),
                why=error.strerror,
                hint=f"the {kept} rows written before are kept; make room and go on with --resume",
            ) from error
        self._end += len(data)

    def _sync(self) -> None:
        try:
            os.fsync(self._file)
        except OSError as error:
            # Pipes and devices cannot be synchronised, and need not be.
            if error.errno not in {errno.EINVAL, errno.ENOTSUP}:
                raise

    def _cut(self) -> None:
        """Take back a line that was written in part."""
        try:
            os.ftruncate(self._file, self._end)
        except OSError:
            # A device file cannot be cut; the next reader leaves the unfinished line out.
            return
