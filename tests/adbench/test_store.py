"""The results file: what was written stays, whatever happens to the line after it."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from adbench import SCHEMA_VERSION
from adbench.errors import StoreError
from adbench.identity import machine_difference, package_versions
from adbench.schema import UPGRADES, run_name
from adbench.store import ResultStore, Row, Status, make_header, read_results

FIELDS = (
    "workload case tool device status primal_seconds derivative_seconds ratio max_error samples compile_seconds"
    " peak_bytes message"
).split()


def header(seed: int = 1) -> dict[str, Any]:
    return make_header({"seed": seed})


def row(case: str = "c1", status: Status = Status.OK, **more: Any) -> Row:
    return Row("gmm", case, "manual", "cpu", status, **more)


def filled(folder: Path, *cases: str) -> Path:
    with ResultStore(folder, header(), resume=False) as store:
        for case in cases:
            store.append(row(case))
    return folder / "results.jsonl"


def test_lines_have_the_fields_of_the_contract(tmp_path: Path) -> None:
    lines = filled(tmp_path, "a").read_text(encoding="utf-8").splitlines()
    first, second = map(json.loads, lines)
    assert first["schema"] == SCHEMA_VERSION
    assert {"machine", "packages", "commit", "time", "command"} <= first.keys()
    assert set(FIELDS) <= second.keys()


def test_round_trip(tmp_path: Path) -> None:
    samples = {"primal": [3, 4], "derivative": [8]}
    written = row("a", primal_seconds=3e-9, derivative_seconds=8e-9, ratio=8 / 3, samples=samples, message="µ ok")
    with ResultStore(tmp_path, header(), resume=False) as store:
        store.append(written)
    assert read_results(tmp_path).rows == (written,)


def test_infinite_errors_become_null(tmp_path: Path) -> None:
    with ResultStore(tmp_path, header(), resume=False) as store:
        store.append(row("a", Status.WRONG, max_error=float("inf")))
    assert read_results(tmp_path).rows[0].max_error is None


def test_a_later_row_replaces_an_earlier_one(tmp_path: Path) -> None:
    with ResultStore(tmp_path, header(), resume=False) as store:
        store.append(row("a", Status.ERROR))
        store.append(row("b"))
        store.append(row("a", Status.OK))
    assert [(r.case, r.status) for r in read_results(tmp_path).rows] == [("b", Status.OK), ("a", Status.OK)]


def test_a_second_run_is_refused_without_resume(tmp_path: Path) -> None:
    path = filled(tmp_path, "a")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="--resume"):
        ResultStore(tmp_path, header(), resume=False)
    assert path.read_bytes() == before


def test_resume_knows_what_is_done(tmp_path: Path) -> None:
    with ResultStore(tmp_path, header(), resume=False) as store:
        for status in Status:
            store.append(row(status.value, status))
    with ResultStore(tmp_path, header(), resume=True) as store:
        done = {status for status in Status if store.done(row(status.value).key)}
        assert done == {Status.OK, Status.TIMEOUT}
        store.append(row("new"))
    assert len(read_results(tmp_path).rows) == 6


@pytest.mark.parametrize("cut", [1, 2, 20])
def test_a_truncated_last_line_is_repaired_with_a_notice(tmp_path: Path, cut: int) -> None:
    path = filled(tmp_path, "a", "b")
    data = path.read_bytes()
    path.write_bytes(data[:-cut])
    assert [r.case for r in read_results(tmp_path).rows] == ["a"]
    assert "cut short" in read_results(tmp_path).notices[0]
    with ResultStore(tmp_path, header(), resume=True) as store:
        assert "removed" in store.notices[0]
        assert not store.done(row("b").key)
        store.append(row("b"))
    assert [r.case for r in read_results(tmp_path).rows] == ["a", "b"]
    assert not read_results(tmp_path).notices


def test_a_truncated_header_begins_anew(tmp_path: Path) -> None:
    path = filled(tmp_path)
    path.write_bytes(path.read_bytes()[:30])
    with ResultStore(tmp_path, header(), resume=True) as store:
        store.append(row("a"))
    assert [r.case for r in read_results(tmp_path).rows] == ["a"]


def test_two_runs_into_one_folder_are_refused(tmp_path: Path) -> None:
    with ResultStore(tmp_path, header(), resume=False) as store:
        with pytest.raises(StoreError, match="another run is writing here") as caught:
            ResultStore(tmp_path, header(), resume=True)
        assert str(os.getpid()) in str(caught.value)
        store.append(row("a"))
    assert len(read_results(tmp_path).rows) == 1


def test_a_full_disk_keeps_what_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.pwrite

    def full(file: int, data: bytes, position: int) -> int:
        if len(data) > 10:
            return real(file, data[:10], position)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with ResultStore(tmp_path, header(), resume=False) as store:
        store.append(row("a"))
        before = store.path.read_bytes()
        with monkeypatch.context() as patch:
            patch.setattr(os, "pwrite", full)
            with pytest.raises(StoreError, match="the disk is full") as caught:
                store.append(row("b"))
        assert "1 rows written before are kept" in str(caught.value)
        assert "results.jsonl" in str(caught.value)
        assert store.path.read_bytes() == before
        store.append(row("c"))
    assert [r.case for r in read_results(tmp_path).rows] == ["a", "c"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_device_without_space_is_a_full_disk(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").symlink_to("/dev/full")
    with pytest.raises(StoreError, match="the disk is full"):
        ResultStore(tmp_path, header(), resume=False)


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    path = filled(tmp_path, "a")
    path.write_text(
        path.read_text(encoding="utf-8").replace(f'"schema": {SCHEMA_VERSION}', '"schema": 999'), encoding="utf-8"
    )
    with pytest.raises(StoreError, match="999"):
        read_results(path)


def test_unknown_fields_of_rows_do_not_matter(tmp_path: Path) -> None:
    path = filled(tmp_path)
    line = {"workload": "gmm", "case": "a", "tool": "t", "device": "cpu", "status": "ok", "later_field": 1}
    path.write_text(path.read_text(encoding="utf-8") + json.dumps(line) + "\n", encoding="utf-8")
    assert read_results(path).rows[0].case == "a"


@pytest.mark.parametrize(
    ("line", "what"), [("{broken", "not a line of JSON"), ("[1]", "JSON object"), ('{"case": "a"}', "not a row")]
)
def test_a_bad_line_is_named_with_its_number(tmp_path: Path, line: str, what: str) -> None:
    path = filled(tmp_path, "a")
    path.write_text(path.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    with pytest.raises(StoreError, match=what) as caught:
        read_results(path)
    assert f"{path}:3" in str(caught.value)


@pytest.mark.parametrize("text", ["", "not results\n", '{"workload": "gmm"}\n'])
def test_what_is_no_results_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "results.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(StoreError):
        read_results(tmp_path)


def test_another_machine_or_seed_is_refused(tmp_path: Path) -> None:
    filled(tmp_path, "a")
    other = header()
    other["machine"] = {**other["machine"], "cpu": "another"}
    with pytest.raises(StoreError, match="another machine"):
        ResultStore(tmp_path, other, resume=True)
    with pytest.raises(StoreError, match="seed 1"):
        ResultStore(tmp_path, header(seed=2), resume=True)


def test_other_packages_get_a_second_header(tmp_path: Path) -> None:
    filled(tmp_path, "a")
    other = header()
    other["packages"] = {**other["packages"], "numpy": "0.0"}
    with ResultStore(tmp_path, other, resume=True) as store:
        assert store.notices
    results = read_results(tmp_path)
    assert len(results.headers) == 2
    assert len(results.rows) == 1


def as_version_1(path: Path) -> None:
    """Rewrite a file as version 1 of the schema had it."""
    first, *others = path.read_text(encoding="utf-8").splitlines()
    header = json.loads(first)
    for name in ("run", "source", "load"):
        del header[name]
    for name in ("time", "subject"):
        del header["commit"][name]
    del header["machine"]["affinity"]
    header |= {"schema": 1, "machine": {**header["machine"], "container": True}}
    path.write_text("\n".join([json.dumps(header), *others, ""]), encoding="utf-8")


def test_every_older_version_has_an_upgrade() -> None:
    assert set(UPGRADES) == set(range(1, SCHEMA_VERSION))


def test_an_older_file_is_read_as_a_new_one(tmp_path: Path) -> None:
    path = filled(tmp_path, "a")
    as_version_1(path)
    results = read_results(path)
    (upgraded,) = results.headers
    assert (upgraded["schema"], upgraded["written_as"]) == (SCHEMA_VERSION, 1)
    assert upgraded["run"].endswith(run_name(json.loads(path.read_text(encoding="utf-8").splitlines()[0]))[-6:])
    assert upgraded["machine"]["container"] == "unknown kind"
    assert upgraded["commit"].keys() >= {"id", "dirty", "time", "subject"}
    assert [r.case for r in results.rows] == ["a"]


def test_an_older_file_goes_on_under_a_header_of_today(tmp_path: Path) -> None:
    path = filled(tmp_path, "a")
    as_version_1(path)
    older = read_results(path).headers[0]
    today = header()
    today |= {"commit": older["commit"], "packages": older["packages"]}
    with ResultStore(tmp_path, today, resume=True) as store:
        assert any("schema version" in text for text in store.notices)
        store.append(row("b"))
    assert [line["schema"] for line in map(json.loads, path.read_text().splitlines()) if "schema" in line] == [1, 2]
    assert [r.case for r in read_results(path).rows] == ["a", "b"]


@pytest.mark.parametrize("schema", [None, "2", 0, True])
def test_a_header_without_a_version_is_refused(tmp_path: Path, schema: object) -> None:
    path = filled(tmp_path)
    path.write_text(json.dumps({**header(), "schema": schema}) + "\n", encoding="utf-8")
    with pytest.raises(StoreError, match="schema version"):
        read_results(path)


def test_the_committed_reference_run_loads() -> None:
    results = read_results(Path(__file__).resolve().parents[2] / "results" / "gmm-small")
    assert results.headers[0]["written_as"] == 1
    assert {row.status for row in results.rows} == {Status.OK}


def test_two_runs_of_one_second_have_two_names() -> None:
    assert make_header({"seed": 1})["run"] != make_header({"seed": 2})["run"]


def test_machines_that_differ_in_features_alone_differ() -> None:
    one = {"cpu": "a processor", "cores": 2, "cpu_flags": ["avx2"]}
    two = {**one, "cpu_flags": ["avx2", "avx512f"]}
    assert machine_difference(one, one) == ""
    # What another source of such lists spells otherwise, or lists besides, is no difference.
    three = {**one, "cpu_flags": ["avx2", "avx512_vnni"]}
    assert machine_difference(three, {**one, "cpu_flags": ["avx2", "avx512vnni", "avx512_vnni", "rdrnd"]}) == ""
    assert "avx512f" in machine_difference(one, two)


def test_versions_of_what_the_tools_import_are_recorded() -> None:
    versions = package_versions(["hypothesis", "no_such_module"])
    assert versions["hypothesis"]
    assert versions["numpy"]
