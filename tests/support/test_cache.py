"""The folder of kept results by itself."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from enzyme.support.cache import LIMIT, Cache, Entry, cache_from_environment, digest
from enzyme.support.diagnostics import UsageError


def test_what_is_put_is_got(tmp_path: Path) -> None:
    store = Cache(tmp_path / "new" / "folder")
    assert store.get("a") is None
    entry = Entry(b"\x00\n12\n{}", {"name": "d\u00e9riv\u00e9e", "list": [1, None]})
    store.put("a", entry)
    store.put("b", Entry())
    assert store.get("a") == entry
    assert store.get("b") == Entry()
    assert store.size()[0] == 2
    assert os.stat(store.folder).st_mode & 0o077 == 0
    assert store.clear() == 2
    assert store.get("a") is None and store.size() == (0, 0)


def test_digest_knows_where_parts_end() -> None:
    keys = [digest(parts) for parts in (["ab"], ["a", "b"], ["", "ab"], ["ab", ""], [b"ab", "c"], [])]
    assert len(set(keys)) == len(keys)
    assert digest(["ab"]) == digest([b"ab"])


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "longer", "other"])
def test_damaged_entry_is_no_entry(tmp_path: Path, damage: str, capsys: pytest.CaptureFixture[str]) -> None:
    store = Cache(tmp_path)
    store.put("key", Entry(b"machine code" * 100, {"n": 1}))
    path = tmp_path / "key.entry"
    raw = path.read_bytes()
    changed = raw[:-5] + bytes([raw[-5] ^ 1]) + raw[-4:]
    other = {"cut": raw[:300], "changed": changed, "empty": b"", "longer": raw + b"x", "other": b"something else"}
    path.write_bytes(other[damage])
    assert store.get("key") is None
    assert f"note: {path} is damaged: what it held is made again" in capsys.readouterr().err
    assert not path.exists()
    store.put("key", Entry(b"again"))
    assert store.get("key") == Entry(b"again")


def test_what_was_not_used_for_longest_goes(tmp_path: Path) -> None:
    store = Cache(tmp_path, limit=10_000)
    for number in range(9):
        store.put(f"k{number}", Entry(b"x" * 1000))
        os.utime(tmp_path / f"k{number}.entry", (1000 + number, 1000 + number))
    assert store.get("k0") is not None  # used now
    for number in range(9, 14):
        store.put(f"k{number}", Entry(b"x" * 1000))
        assert store.size()[1] <= store.limit
    assert store.get("k0") is not None
    assert store.get("k1") is None
    assert store.get("k13") is not None
    store.put("whale", Entry(b"x" * 20_000))
    assert store.get("whale") is None and store.get("k0") is not None


def test_abandoned_files_go_and_those_being_written_stay(tmp_path: Path) -> None:
    old, new = tmp_path / "old.tmp", tmp_path / "new.tmp"
    old.write_bytes(b"1")
    new.write_bytes(b"2")
    os.utime(old, (time.time() - 7200,) * 2)
    Cache(tmp_path).put("key", Entry(b"3"))
    assert not old.exists() and new.exists()


def test_folder_that_cannot_be_used(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("a file, no folder")
    store = Cache(place / "below")
    store.put("key", Entry(b"1"))
    assert store.get("key") is None and store.size() == (0, 0) and store.clear() == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_folder_that_cannot_be_written(tmp_path: Path) -> None:
    store = Cache(tmp_path / "cache")
    store.put("key", Entry(b"1"))
    store.folder.chmod(0o500)
    try:
        store.put("other", Entry(b"2"))
        assert store.get("other") is None
        assert store.get("key") == Entry(b"1")
    finally:
        store.folder.chmod(0o700)


def test_a_full_disk_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    store = Cache(tmp_path)
    monkeypatch.setattr(os, "replace", full)
    store.put("key", Entry(b"1"))
    assert list(tmp_path.iterdir()) == []


_WRITER = """
import sys
from pathlib import Path
from enzyme.support.cache import Cache, Entry
store = Cache(Path(sys.argv[1]), limit=300_000)
for turn in range(200):
    key = f"k{turn % 20}"
    found = store.get(key)
    assert found is None or found.data == key.encode() * 4000, key
    store.put(key, Entry(key.encode() * 4000, {"turn": turn}))
"""


def test_processes_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _WRITER, str(tmp_path)]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    for process in running:
        said = process.communicate()[1]
        assert process.returncode == 0, said
        assert "damaged" not in said
    assert not list(tmp_path.glob("*.tmp"))


def test_environment(tmp_path: Path) -> None:
    assert cache_from_environment({"ENZYME_CACHE": "off"}) is None
    named = cache_from_environment({"ENZYME_CACHE": str(tmp_path), "ENZYME_CACHE_LIMIT": "20M"})
    assert named == Cache(tmp_path, 20 << 20)
    assert cache_from_environment({"XDG_CACHE_HOME": "/x"}) == Cache(Path("/x/enzyme"), LIMIT)
    with pytest.raises(UsageError, match="ENZYME_CACHE_LIMIT=much is no size"):
        cache_from_environment({"ENZYME_CACHE_LIMIT": "much"})
