"""Versions of the results file, and how lines of older ones become lines of today's.

Version 1 is the first. Since version 2 a header names its ``run`` and its ``source``, ``machine.container`` is the kind
of container instead of a truth value, ``machine.affinity`` lists the processors that may be used, and ``commit`` has
its ``time`` and ``subject``.

A field that is only added to rows needs no version: it has a default. The version is raised when a field's meaning
changes or when readers would otherwise have to guess.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from adbench import SCHEMA_VERSION
from adbench.errors import StoreError

Line: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Upgrade:
    """How a header and a row of one version become those of the next. Both are pure."""

    header: Callable[[Line], Line]
    row: Callable[[Line], Line]


def _same(line: Line) -> Line:
    return line


def _header_2(header: Line) -> Line:
    machine = dict(header.get("machine") or {})
    machine["container"] = "unknown kind" if machine.get("container") else None
    machine.setdefault("affinity", None)
    commit = {"time": None, "subject": None, **(header.get("commit") or {})}
    return {**header, "run": run_name(header), "source": "adbench", "machine": machine, "commit": commit}


UPGRADES: Mapping[int, Upgrade] = {1: Upgrade(_header_2, _same)}
"""By the version that is left behind. Every version below ``SCHEMA_VERSION`` is here."""


def run_name(header: Line) -> str:
    """A name that a run keeps: its start time and a few digits of its header, so that runs of one second differ."""
    digest = hashlib.sha256(json.dumps(header, sort_keys=True, default=str).encode()).hexdigest()[:6]
    time = "".join(letter for letter in str(header.get("time", ""))[:19] if letter.isdigit() or letter == "T")
    return f"{time or 'undated'}-{digest}"


def schema_of(header: Line, where: str) -> int:
    """The version that a header states, refused where this program cannot read it."""
    schema = header.get("schema")
    if isinstance(schema, bool) or not isinstance(schema, int) or schema < 1:
        raise StoreError("not a results file", where=where, why=f"its header states schema version {schema!r}")
    if schema > SCHEMA_VERSION:
        raise StoreError(
            "written by a newer program",
            where=where,
            why=f"its schema version is {schema}, this program knows up to {SCHEMA_VERSION}",
            hint="update adbench",
        )
    return schema


def upgrade_header(header: Line, schema: int) -> Line:
    """Today's form of a header of version ``schema``; ``written_as`` keeps the version it had."""
    for version in range(schema, SCHEMA_VERSION):
        header = UPGRADES[version].header(header)
    return {**header, "schema": SCHEMA_VERSION, "written_as": schema}


def upgrade_row(row: Line, schema: int) -> Line:
    """Today's form of a row that follows a header of version ``schema``."""
    for version in range(schema, SCHEMA_VERSION):
        row = UPGRADES[version].row(row)
    return row
