"""ADBench's formats of BA, LSTM and HT: what is written is read back, and faults are named with line and column."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from adbench.errors import DataFileError
from adbench.workloads import get_workload
from adbench.workloads.ba import workload as ba
from adbench.workloads.ba.files import read_ba, write_ba
from adbench.workloads.base import Inputs, Size
from adbench.workloads.ht import workload as ht
from adbench.workloads.ht.files import read_ht, read_model, write_ht, write_model
from adbench.workloads.lstm import workload as lstm
from adbench.workloads.lstm.files import read_lstm, write_lstm

BA_FILE = "2 3 4\n0 0 0 1 1 1 5 0 0 0.1 0.2\n1 2 3\n1\n0.5 0.25\n"
LSTM_FILE = "1 2 1\n\n1 2 3 4\n5 6 7 8\n\n1\n2\n3\n\n1\n2\n\n0\n1\n"


def same(first: Inputs, second: Inputs) -> bool:
    return first.keys() == second.keys() and all(np.array_equal(first[key], second[key]) for key in first)


def write_hand(folder: Path, complicated: bool = False, count: int = 6) -> tuple[Path, Inputs]:
    inputs = get_workload("ht").generate(ht.make_case(count, complicated, 100), seed=3)
    path = folder / f"hand1_t26_c{count}.txt"
    folder.mkdir(parents=True, exist_ok=True)
    write_model(folder / "model", inputs)
    write_ht(path, inputs)
    return path, inputs


def test_ba_repeats_one_of_each(tmp_path: Path) -> None:
    path = tmp_path / "ba1_n2_m3_p4.txt"
    path.write_text(BA_FILE, encoding="ascii")
    inputs = read_ba(path)
    assert inputs["cams"].shape == (2, 11) and inputs["X"].shape == (3, 3) and inputs["feats"].shape == (4, 2)
    assert np.array_equal(inputs["obs"], [[0, 0], [1, 1], [0, 2], [1, 0]])
    again = tmp_path / "again.txt"
    write_ba(again, inputs)
    assert same(read_ba(again), inputs)
    assert [case.name for case in ba.BA().data_cases(tmp_path, None)] == ["n2_m3_p4"]
    assert ba.BA().data_cases(tmp_path, Size.SMALL) == []


def test_lstm_round_trip(tmp_path: Path) -> None:
    workload = get_workload("lstm")
    inputs = workload.generate(lstm.make_case(2, 5), seed=9)
    path = tmp_path / "lstm_l2_c5.txt"
    write_lstm(path, inputs)
    assert same(read_lstm(path), inputs)
    one_line = tmp_path / "lstm_one_line.txt"
    one_line.write_text(" ".join(path.read_text(encoding="ascii").split()), encoding="ascii")
    assert same(read_lstm(one_line), inputs)
    names = [case.name for case in workload.data_cases(tmp_path, None)]
    assert names == ["l2_c5@lstm_l2_c5", "l2_c5@lstm_one_line"]


@pytest.mark.parametrize("complicated", [False, True])
def test_hand_round_trip(tmp_path: Path, complicated: bool) -> None:
    path, inputs = write_hand(tmp_path / "hands", complicated)
    assert same(read_ht(path), inputs)
    kind = "complicated" if complicated else "simple"
    (case,) = get_workload("ht").data_cases(tmp_path, None)
    assert case.name == f"{kind}_v100_c6"
    assert same(get_workload("ht").inputs(case, seed=1), inputs)


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        (BA_FILE.replace("0.1 0.2", "0.1 x"), ":2:23", "the camera, found 'x'"),
        (BA_FILE.replace("2 3 4", "2 3"), ":2:1", "expected an integer of at least 1 for n m p, found '0'"),
        (BA_FILE.replace("2 3 4", "2 0 4"), ":1:3", "at least 1"),
        (BA_FILE.replace("0.5 0.25\n", "0.5\n"), ":6:1", "the file ends where the feature should follow: 1 of 2"),
        (BA_FILE + "7\n", ":6:1", "end of the file"),
        (BA_FILE.replace("0.25\n", "0.25 8\n"), ":5:10", "end of the file"),
        (BA_FILE.replace("1 2 3\n", "1 inf 3\n"), ":3:3", "finite number for the point, found 'inf'"),
    ],
)
def test_faults_of_ba_files(tmp_path: Path, text: str, place: str, what: str) -> None:
    path = tmp_path / "ba1.txt"
    path.write_text(text, encoding="ascii")
    with pytest.raises(DataFileError) as caught:
        read_ba(path)
    assert str(caught.value).startswith(f"{path}{place}: ") and what in str(caught.value)


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        (LSTM_FILE.replace("5 6 7 8", "5 6 z 8"), ":4:5", "main parameters, found 'z'"),
        (LSTM_FILE.replace("1 2 1\n", "1 1 1\n"), ":1:1", "at least 2 characters"),
        (LSTM_FILE.replace("\n0\n1\n", "\n0\n"), ":14:1", "the sequence should follow: 1 of 2"),
        (LSTM_FILE + "\n3\n", ":16:1", "end of the file"),
    ],
)
def test_faults_of_lstm_files(tmp_path: Path, text: str, place: str, what: str) -> None:
    path = tmp_path / "lstm_l1_c2.txt"
    path.write_text(text, encoding="ascii")
    with pytest.raises(DataFileError) as caught:
        read_lstm(path)
    assert str(caught.value).startswith(f"{path}{place}: ") and what in str(caught.value)


def change_field(path: Path, line: int, field: int, text: str | None, separator: str = ":") -> None:
    """Replace one field of one line, or cut the line before it."""
    lines = path.read_text(encoding="ascii").splitlines()
    fields = lines[line - 1].split(separator)
    fields = fields[:field] if text is None else [*fields[:field], text, *fields[field + 1 :]]
    lines[line - 1] = separator.join(fields)
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


@pytest.mark.parametrize(
    ("name", "line", "field", "text", "what"),
    [
        ("bones", 2, 1, "1", "expected an integer from -1 to 0 for the parent"),
        ("bones", 3, 7, "x", "expected a number for the bone's two matrices, found 'x'"),
        ("bones", 3, 33, None, "the line ends where"),
        ("vertices", 5, 1, "nan", "finite"),
        ("vertices", 5, 9, "22", "from 0 to 21 for a bone"),
        ("vertices", 5, 8, "7", "the line ends where"),
        ("triangles", 4, 2, "100", "from 0 to 99 for a vertex"),
        ("triangles", 4, 2, "1:5", "end of the line"),
    ],
)
def test_faults_of_models(tmp_path: Path, name: str, line: int, field: int, text: str | None, what: str) -> None:
    write_hand(tmp_path)
    path = tmp_path / "model" / f"{name}.txt"
    change_field(path, line, field, text)
    with pytest.raises(DataFileError) as caught:
        read_model(path.parent)
    assert str(caught.value).startswith(f"{path}:{line}:") and what in str(caught.value)
    changed = path.read_text(encoding="ascii").splitlines()[line - 1]
    column = int(str(caught.value).removeprefix(f"{path}:{line}:").partition(":")[0])
    if text is not None and "ends" not in what and "end of" not in what:
        assert changed[column - 1 :].startswith(text)


def test_a_model_with_too_few_bones_is_refused(tmp_path: Path) -> None:
    write_hand(tmp_path)
    path = tmp_path / "model" / "bones.txt"
    path.write_text("\n".join(path.read_text(encoding="ascii").splitlines()[:21]) + "\n", encoding="ascii")
    with pytest.raises(DataFileError, match="at least 22 bones, found 21"):
        read_model(path.parent)


def test_faults_of_hand_files(tmp_path: Path) -> None:
    path, _ = write_hand(tmp_path)
    good = path.read_text(encoding="ascii")
    change_field(path, 3, 0, "100", " ")
    with pytest.raises(DataFileError, match=r"hand1_t26_c6\.txt:3:1: .*from 0 to 99 for the vertex of point 2"):
        read_ht(path)
    path.write_text(good, encoding="ascii")
    change_field(path, 4, 2, "q", " ")
    with pytest.raises(DataFileError, match=r"hand1_t26_c6\.txt:4:\d+: .*point 3 of 6, found 'q'"):
        read_ht(path)
    path.write_text(good + "1\n", encoding="ascii")
    with pytest.raises(DataFileError, match=r":1:1: expected 50 \(simple\) or 62 \(complicated\) numbers"):
        read_ht(path)
    path.write_text(good.replace("6 26", "6 25", 1), encoding="ascii")
    with pytest.raises(DataFileError, match="expected 26 parameters, found 25"):
        read_ht(path)


def test_a_folder_of_all_kinds_gives_each_workload_its_own(tmp_path: Path) -> None:
    write_hand(tmp_path / "hand" / "simple_small")
    write_hand(tmp_path / "hand" / "complicated_small", complicated=True)
    (tmp_path / "ba1.txt").write_text(BA_FILE, encoding="ascii")
    (tmp_path / "lstm_l1_c2.txt").write_text(LSTM_FILE, encoding="ascii")
    found = {name: len(get_workload(name).data_cases(tmp_path, None)) for name in ("ba", "lstm", "ht", "gmm")}
    assert found == {"ba": 1, "lstm": 1, "ht": 2, "gmm": 0}


def test_a_hand_without_its_model_is_a_row_of_its_own(tmp_path: Path) -> None:
    path, _ = write_hand(tmp_path)
    (tmp_path / "model" / "vertices.txt").unlink()
    workload = get_workload("ht")
    (case,) = workload.data_cases(tmp_path, None)
    assert case.path == path and workload.panel(case) and workload.problem_size(case) == 0
    with pytest.raises(DataFileError, match=r"vertices\.txt: cannot read the file"):
        workload.inputs(case, seed=1)
