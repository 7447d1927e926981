"""The command line as its users meet it: exit statuses, messages, interruption."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from adbench.store import Status, read_results
from tests.adbench.fakes import write_cases

ROOT = Path(__file__).resolve().parents[2]
COMPILED = tuple(f"--tool={name}" for name in ("enzyme", "enzyme-pre", "manual", "finite"))
QUICK = ("--min-seconds", "0.001", "--min-runs", "1")


def environment(**more: str) -> dict[str, str]:
    path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH", ""), str(ROOT)]))
    return {**os.environ, "PYTHONPATH": path, **more}


def adbench(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "adbench", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment(**variables), capture_output=True, text=True, timeout=300, check=False
    )


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_cases(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def finished(data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A run of the compiled tools on tiny data files."""
    folder = tmp_path_factory.mktemp("run")
    return folder, adbench(folder, "run", "--data", str(data), "--out", "out", *COMPILED, *QUICK)


def test_run_ends_with_the_speedup_and_exit_status_zero(
    finished: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, done = finished
    assert done.returncode == 0, done.stdout + done.stderr
    assert "enzyme is " in done.stdout.splitlines()[-1]
    assert "95 % interval" in done.stdout.splitlines()[-1]
    assert "2 cases" in done.stdout.splitlines()[-1]
    rows = {(row.case, row.tool): row for row in read_results(folder / "out").rows}
    for tool in ("enzyme", "enzyme-pre", "manual", "finite"):
        assert rows["d2_K2_n8", tool].status is Status.OK


def test_run_draws_figures(finished: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, _ = finished
    names = {path.stem for path in (folder / "out" / "figures").iterdir()}
    assert names >= {"gmm_absolute", "gmm_relative", "ablation", "relative_speed"}


def test_figures_draws_again_from_what_is_stored(finished: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, _ = finished
    done = adbench(folder, "figures", "out", "--out", "again")
    assert done.returncode == 0, done.stderr
    assert (folder / "again" / "ablation.svg").stat().st_size > 1_000


def test_quiet_says_little(data: Path, tmp_path: Path) -> None:
    done = adbench(tmp_path, "run", "--data", str(data), "--out", "out", "--tool", "manual", "--quiet", *QUICK)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 1


def test_without_a_folder_runs_go_to_one_of_their_own(data: Path, tmp_path: Path) -> None:
    done = adbench(tmp_path, "run", "--data", str(data), "--tool", "manual", "--quiet", *QUICK)
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.glob("adbench-results/*/results.jsonl"))) == 1
    assert adbench(tmp_path, "figures").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tool", "nonsense"], "there is no tool 'nonsense'"),
        (["--workload", "nonsense"], "there is no workload 'nonsense'"),
        (["--size", "huge"], "huge"),
        (["--device", "abacus"], "abacus"),
        (["--timeout", "-1"], "--timeout"),
        (["--data", "no-such-folder"], "no-such-folder"),
    ],
)
def test_nonsense_is_refused(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = adbench(tmp_path, "run", "--out", "out", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_an_empty_data_folder_is_refused(tmp_path: Path) -> None:
    done = adbench(tmp_path, "run", "--out", "out", "--data", str(tmp_path))
    assert done.returncode == 2
    assert "no data file" in done.stderr


def test_a_data_file_with_a_letter_in_it_is_named_and_the_rest_runs(tmp_path: Path) -> None:
    data = write_cases(tmp_path / "data")
    bad = data / "gmm_d2_K1.txt"
    bad.write_text("2 x 8\n", encoding="ascii")
    done = adbench(tmp_path, "run", "--data", "data", "--out", "out", "--tool", "manual", "--quiet", *QUICK)
    assert done.returncode == 1
    assert "gmm_d2_K1.txt:1:3: expected a number for d k n, found 'x'" in done.stdout
    assert {row.status for row in read_results(tmp_path / "out").rows} == {Status.ERROR, Status.OK}


def test_a_compiler_that_fails_is_reported_and_the_run_goes_on(data: Path, tmp_path: Path) -> None:
    arguments = ["run", "--data", str(data), "--out", "out", "--tool", "manual", "--tool", "finite", "--quiet", *QUICK]
    done = adbench(tmp_path, *arguments, ENZYME_CC="false")
    assert done.returncode == 1
    assert "did not compile" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert {row.status for row in read_results(tmp_path / "out").rows} == {Status.ERROR}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_reported(data: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "results.jsonl").symlink_to("/dev/full")
    done = adbench(tmp_path, "run", "--data", str(data), "--out", "out", "--tool", "manual", *QUICK)
    assert done.returncode == 2
    assert "the disk is full" in done.stderr
    assert "Traceback" not in done.stderr


def test_results_that_are_there_already_are_not_touched(
    finished: tuple[Path, subprocess.CompletedProcess[str]], data: Path
) -> None:
    folder, _ = finished
    before = (folder / "out" / "results.jsonl").read_bytes()
    done = adbench(folder, "run", "--data", str(data), "--out", "out", *QUICK)
    assert done.returncode == 2
    assert "--resume" in done.stderr
    assert (folder / "out" / "results.jsonl").read_bytes() == before


def test_resume_of_a_finished_run_measures_nothing_again(
    finished: tuple[Path, subprocess.CompletedProcess[str]], data: Path
) -> None:
    folder, _ = finished
    before = {row.key: row.samples for row in read_results(folder / "out").rows if row.status is Status.OK}
    done = adbench(folder, "run", "--data", str(data), "--out", "out", "--resume", "--quiet", *COMPILED, *QUICK)
    assert done.returncode == 0, done.stderr
    after = {row.key: row.samples for row in read_results(folder / "out").rows if row.status is Status.OK}
    assert after == before


def test_a_device_that_no_tool_has_is_said_clearly(data: Path, tmp_path: Path) -> None:
    done = adbench(tmp_path, "run", "--data", str(data), "--out", "out", "--device", "cuda", "--quiet", *QUICK)
    assert done.returncode == 0, done.stderr
    assert "nothing was measured; every cell was skipped" in done.stdout
    assert "not on cuda" in done.stdout


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    write_cases(folder / "data", components=(1, 2, 3, 4))
    done = adbench(folder, "run", "--data", "data", "--out", "out", "--tool", "manual", "--quiet", *QUICK)
    assert done.returncode == 0, done.stderr
    return folder / "out"


def table(run: Path) -> list[tuple[object, ...]]:
    """What a run says besides times, in the order in which it says it."""
    return [
        (row.key, row.status, row.max_error, row.reference, row.problem_size, row.panel, row.flags, row.message)
        for row in read_results(run).rows
    ]


@pytest.mark.thinned(3)
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_run_keeps_its_rows_and_resumes(
    tmp_path: Path, how: signal.Signals, uninterrupted: Path
) -> None:
    data = write_cases(tmp_path / "data", components=(1, 2, 3, 4))
    arguments = ["run", "--data", "data", "--out", "out", "--tool", "manual", "--min-seconds", "0.15", "--quiet"]
    command = [sys.executable, "-m", "adbench", *arguments]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # tests that a shell runs in the background inherit an ignored SIGINT, and so would the command
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    path = tmp_path / "out" / "results.jsonl"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (not path.exists() or path.read_bytes().count(b"\n") < 2):
        time.sleep(0.02)
    process.send_signal(how)
    _, errors = process.communicate(timeout=30)
    kept = {row.key: row.time for row in read_results(path).rows}
    assert 1 <= len(kept) < 4
    if how is signal.SIGKILL:
        assert process.returncode == -9
    else:
        assert process.returncode == 130
        assert "--resume" in errors
        assert "Traceback" not in errors
    done = adbench(tmp_path, *arguments, "--resume")
    assert done.returncode == 0, done.stderr
    rows = read_results(path).rows
    assert len(rows) == 4
    assert {row.status for row in rows} == {Status.OK}
    assert all(row.time == kept[row.key] for row in rows if row.key in kept)
    assert len(list(data.iterdir())) == 4
    assert table(path) == table(uninterrupted)


def test_list_and_doctor(tmp_path: Path) -> None:
    done = adbench(tmp_path, "list")
    assert done.returncode == 0
    assert "d10_K25_n1000" in done.stdout
    assert "enzyme-pre" in done.stdout
    done = adbench(tmp_path, "doctor")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ready" in done.stdout


def test_verify_compares_forward_reverse_and_differences(data: Path, tmp_path: Path) -> None:
    done = adbench(tmp_path, "verify", "--data", str(data), "--tool", "enzyme", "--tool", "enzyme-pre")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "20 checks passed, 0 failed" in done.stdout
    assert "JVP.VJP" in done.stdout


def test_figures_without_results_are_refused(tmp_path: Path) -> None:
    for arguments in ([], ["nowhere"]):
        done = adbench(tmp_path, "figures", *arguments)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
