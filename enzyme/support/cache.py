"""A folder of results that are expensive to make, each under a key that is a digest of all it was made from.

What is stored is never changed: another result has another key. An entry is written to a temporary file and renamed, so
that a reader sees a whole entry or none, whoever else writes. It carries a digest of itself: one that was cut short or
altered is reported, removed and made anew. A folder that cannot be written is read; one that cannot be read holds
nothing. When the folder has grown beyond its limit, what was not used for the longest time goes.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from enzyme.support.diagnostics import UsageError

LIMIT = 1 << 30
"""Bytes that a cache may grow to where nothing else is said."""

_MAGIC = b"enzyme cache 1\n"
_SUFFIX, _UNFINISHED = ".entry", ".tmp"
_FILL = 0.8
"""How full the folder is after entries were thrown out: not every later one shall have to throw out another."""
_LOOKS = 64
"""Entries are counted whenever a process has written this part of the limit, and when it writes its first."""
_ABANDONED = 3600.0
"""Seconds after which a temporary file is one that its writer will not come back to."""
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


@dataclass(frozen=True)
class Entry:
    """A result: bytes, and facts about them that JSON can hold."""

    data: bytes = b""
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class _Written:
    """Bytes that this process wrote since entries were last counted; None before the first."""

    since: int | None = None


@dataclass(frozen=True)
class Cache:
    """``folder`` may not exist yet; ``limit`` is in bytes."""

    folder: Path
    limit: int = LIMIT
    _written: _Written = field(default_factory=_Written, compare=False, repr=False)

    def get(self, key: str) -> Entry | None:
        """The entry of this key, or None where there is none that is whole."""
        path = self._path(key)
        try:
            raw = path.read_bytes()
        except OSError:
            return None
        entry = _unpacked(raw)
        if entry is None:
            print(f"note: {path} is damaged: what it held is made again", file=sys.stderr)
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        with contextlib.suppress(OSError):  # marks it as used
            os.utime(path)
        return entry

    def put(self, key: str, entry: Entry) -> None:
        """Store an entry. Where that is not possible nothing is stored, and nobody needs to know."""
        packed = _packed(entry)
        if len(packed) > self.limit:
            return
        temporary = ""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(suffix=_UNFINISHED, dir=self.folder)
            with os.fdopen(descriptor, "wb") as file:
                file.write(packed)
            os.replace(temporary, self._path(key))
        except OSError:
            if temporary:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)
            return
        written = self._written
        if written.since is None or written.since + len(packed) >= self.limit // _LOOKS:
            written.since = 0
            self._shrink()
        else:
            written.since += len(packed)

    def size(self) -> tuple[int, int]:
        """How many entries there are, and their bytes."""
        found = self._files(_SUFFIX)
        return len(found), sum(size for _, size, _ in found)

    def clear(self) -> int:
        """Remove all entries; how many were removed."""
        removed = 0
        for _, _, path in [*self._files(_SUFFIX), *self._files(_UNFINISHED)]:
            with contextlib.suppress(OSError):
                os.unlink(path)
                removed += path.endswith(_SUFFIX)
        return removed

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{_SUFFIX}"

    def _files(self, suffix: str) -> list[tuple[float, int, str]]:
        """When each file was last used, its bytes and its path."""
        found = []
        with contextlib.suppress(OSError), os.scandir(self.folder) as files:
            for each in files:
                if each.name.endswith(suffix):
                    with contextlib.suppress(OSError):  # another process may just have removed it
                        status = each.stat()
                        found.append((status.st_mtime, status.st_size, each.path))
        return found

    def _shrink(self) -> None:
        entries = self._files(_SUFFIX)
        total = sum(size for _, size, _ in entries)
        if total > self.limit:
            for _, size, path in sorted(entries):
                if total <= _FILL * self.limit:
                    break
                with contextlib.suppress(OSError):
                    os.unlink(path)
                total -= size
        for used, _, path in self._files(_UNFINISHED):
            if used < time.time() - _ABANDONED:
                with contextlib.suppress(OSError):
                    os.unlink(path)


def digest(parts: Iterable[str | bytes]) -> str:
    """A digest of a sequence, in which it matters where one part ends."""
    made = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", errors="surrogateescape") if isinstance(part, str) else part
        made.update(b"%d:" % len(raw))
        made.update(raw)
    return made.hexdigest()


def cache_from_environment(environment: Mapping[str, str] | None = None) -> Cache | None:
    """What ``ENZYME_CACHE`` (a folder, or "off") and ``ENZYME_CACHE_LIMIT`` (bytes; k, M or G may follow) say.

    By default it is ``enzyme`` in the user's folder for such things, with a limit of 1 GiB."""
    env = os.environ if environment is None else environment
    named = env.get("ENZYME_CACHE", "").strip()
    if named.lower() in ("off", "0", "no", "false"):
        return None
    home = os.path.expanduser("~")
    base = env.get("XDG_CACHE_HOME") or (os.path.join(home, ".cache") if os.path.isabs(home) else "")
    if not named and not base:
        return None
    said = env.get("ENZYME_CACHE_LIMIT", "").strip()
    limit = re.fullmatch(r"(\d+) *([kmg]?)i?b?", said.lower()) if said else None
    if said and limit is None:
        raise UsageError(f"ENZYME_CACHE_LIMIT={said} is no size", hint="write bytes, or 500M, or 2G")
    folder = Path(named) if named else Path(base) / "enzyme"
    return Cache(folder.absolute(), int(limit[1]) * _UNITS[limit[2]] if limit else LIMIT)


def _packed(entry: Entry) -> bytes:
    facts = json.dumps(dict(entry.facts)).encode("ascii")
    body = b"%d\n%s%s" % (len(facts), facts, entry.data)
    return _MAGIC + hashlib.sha256(body).digest() + body


def _unpacked(raw: bytes) -> Entry | None:
    start = len(_MAGIC) + hashlib.sha256().digest_size
    body = raw[start:]
    if not raw.startswith(_MAGIC) or hashlib.sha256(body).digest() != raw[len(_MAGIC) : start]:
        return None
    length, _, rest = body.partition(b"\n")
    return Entry(rest[int(length) :], json.loads(rest[: int(length)]))
