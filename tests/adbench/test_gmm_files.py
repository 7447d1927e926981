"""ADBench's text format: what is written is read back, and faults are named with file, line and column."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from adbench.errors import DataFileError
from adbench.workloads import get_workload
from adbench.workloads.base import Size
from adbench.workloads.gmm.files import read_dimensions, read_gmm, write_gmm
from adbench.workloads.gmm.workload import make_case

WORKLOAD = get_workload("gmm")
GOOD = "2 1 3\n0.5\n1 2\n0.1 0.2 0.3\n1 1\n2 2\n3 3\n1 0\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "gmm_d2_K1.txt"
    path.write_text(text, encoding="ascii")
    return path


def test_round_trip_keeps_every_bit(tmp_path: Path) -> None:
    inputs = {**WORKLOAD.generate(make_case(4, 3, 11), seed=9), "m": 2, "gamma": 0.3}
    path = tmp_path / "gmm_d4_K3.txt"
    write_gmm(path, inputs)
    back = read_gmm(path)
    assert back.keys() == inputs.keys()
    assert all(np.array_equal(back[key], inputs[key]) for key in inputs)
    assert read_dimensions(path) == (4, 3, 11)


def test_a_replicated_point_is_repeated(tmp_path: Path) -> None:
    inputs = WORKLOAD.generate(make_case(2, 5, 1_000), seed=9)
    path = tmp_path / "gmm_d2_K5.txt"
    write_gmm(path, inputs, replicate=True)
    x = read_gmm(path)["x"]
    assert x.shape == (1_000, 2)
    assert np.array_equal(x, np.tile(inputs["x"][0], (1_000, 1)))


def test_windows_line_ends_and_blank_lines_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "gmm_d2_K1.txt"
    path.write_bytes(GOOD.replace("\n", "\r\n").encode() + b"\r\n\n")
    assert read_gmm(path)["x"].shape == (3, 2)


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        (GOOD.replace("0.2", "0.2q"), ":4:5", "found '0.2q'"),
        (GOOD.replace("2 2\n", "2 x\n"), ":6:3", "point 2 of 3, found 'x'"),
        (GOOD.replace("2 1 3", "2 a 3"), ":1:3", "found 'a'"),
        (GOOD.replace("2 1 3", "2 1.5 3"), ":1:3", "expected an integer"),
        (GOOD.replace("2 1 3", "2 0 3"), ":1:3", "at least 1"),
        (GOOD.replace("0.1 0.2 0.3", "0.1 0.2"), ":4:8", "expected 3 numbers"),
        (GOOD.replace("0.1 0.2 0.3", "0.1 0.2 0.3 0.4"), ":4:13", "found 4"),
        (GOOD.replace("0.5", "nan"), ":2:1", "finite"),
        (GOOD.replace("1 0\n", ""), ":8:1", "the file ends"),
        (GOOD.replace("1 0\n", "1 0.5\n"), ":8:1", "integer m"),
        (GOOD.replace("1 0\n", "0 0\n"), ":8:1", "positive gamma"),
        (GOOD + "7\n", ":9:1", "end of the file"),
        ("", ":1:1", "the file ends"),
    ],
)
def test_faults_name_file_line_and_column(tmp_path: Path, text: str, place: str, what: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(DataFileError) as caught:
        read_gmm(path)
    assert str(caught.value).startswith(f"{path}{place}: ")
    assert what in str(caught.value)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="nothing_here"):
        read_gmm(tmp_path / "nothing_here.txt")


def test_a_huge_count_in_the_header_costs_no_memory(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="gmm_d2_K1"):
        read_gmm(written(tmp_path, GOOD.replace("2 1 3", "2 1 3000000000000")))


def test_files_of_equal_dimensions_are_told_apart(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        write_gmm(tmp_path / folder / "gmm_d2_K5.txt", WORKLOAD.generate(make_case(2, 5, 3), seed=1))
    names = [case.name for case in WORKLOAD.data_cases(tmp_path, None)]
    assert names == ["d2_K5_n3@a/gmm_d2_K5", "d2_K5_n3@b/gmm_d2_K5"]


def test_folders_are_searched(tmp_path: Path) -> None:
    for folder, n in (("1k", 1_000), ("10k", 10_000)):
        (tmp_path / "gmm" / folder).mkdir(parents=True)
        inputs = WORKLOAD.generate(make_case(2, 5, 1), seed=1)
        write_gmm(tmp_path / "gmm" / folder / "gmm_d2_K5.txt", {**inputs, "n": n})
    (tmp_path / "readme.txt").write_text("not data", encoding="ascii")
    assert [case.name for case in WORKLOAD.data_cases(tmp_path, None)] == ["d2_K5_n1000", "d2_K5_n10000"]
    assert [case.name for case in WORKLOAD.data_cases(tmp_path, Size.SMALL)] == ["d2_K5_n1000"]
