"""Tool processes: messages, crashes, time-outs, and the server's own answers."""

from __future__ import annotations

import io
import json
import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from adbench.errors import ToolCrash, ToolError, ToolTimeout
from adbench.process import client
from adbench.process.client import Skipped, ToolProcess, describe_end
from adbench.process.messages import Exchange, as_array, as_inputs
from adbench.process.server import ToolServer, serve
from adbench.tools.registry import get_tool
from adbench.workloads import get_workload
from adbench.workloads.gmm.workload import make_case
from tests.adbench.fakes import start


def test_small_arrays_travel_inside_and_large_ones_beside_the_message(tmp_path: Path) -> None:
    exchange = Exchange(tmp_path, "t")
    small, large = np.arange(6.0).reshape(2, 3) / 7, np.arange(1000.0) / 7
    message = exchange.loads(exchange.dumps({"small": small, "large": large, "direction": {"x": large}, "n": 3}))
    assert isinstance(message["small"], list)
    assert set(message["large"]) == {"npy"}
    inputs = as_inputs(message)
    assert np.array_equal(inputs["small"], small)
    assert np.array_equal(inputs["large"], large)
    assert np.array_equal(inputs["direction"]["x"], large)
    assert inputs["n"] == 3


def test_an_empty_matrix_keeps_its_shape(tmp_path: Path) -> None:
    exchange = Exchange(tmp_path, "t")
    message = exchange.loads(exchange.dumps({"empty": np.zeros((2, 0, 3)), "row": np.zeros(0)}))
    assert as_array(message["empty"]).shape == (2, 0, 3) and as_inputs(message)["row"].shape == (0,)


def test_without_a_folder_all_arrays_travel_inside() -> None:
    exchange = Exchange(None, "t")
    values = np.random.default_rng(1).standard_normal(200)
    assert np.array_equal(as_array(exchange.loads(exchange.dumps({"a": values}))["a"]), values)


def test_a_killed_tool_is_reported_with_its_signal() -> None:
    with ToolProcess("manual") as process:
        assert process.start()["tool"] == "manual"
        os.kill(process.pid, signal.SIGKILL)
        with pytest.raises(ToolCrash, match=r"manual was killed by signal 9 \(SIGKILL\)"):
            process.define("gmm", 60.0)
        assert not process.alive


def test_a_tool_that_hangs_is_ended() -> None:
    with start("fake-hangs") as process:
        process.start()
        with pytest.raises(ToolTimeout, match="did not answer within"):
            process.evaluate({"module": "gmm", "function": "objective", "input": {}}, 0.3)
        assert not process.alive


def test_a_tool_that_takes_the_memory_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    with start("fake-hangs") as process:
        process.start()
        monkeypatch.setattr(client, "machine_memory", lambda: (10_000_000, 1_000))
        with pytest.raises(ToolCrash, match=r"fake-hangs was ended when it had taken 0\.\d GiB, for memory ran short"):
            process.evaluate({"module": "gmm", "function": "objective", "input": {}}, 20.0)
        assert not process.alive


def test_memory_is_short_where_one_process_took_it() -> None:
    assert client.memory_is_short(taken=20, total=24, available=1)
    assert not client.memory_is_short(taken=20, total=24, available=2)
    assert not client.memory_is_short(taken=2, total=24, available=1)
    assert not client.memory_is_short(taken=0, total=0, available=0)
    total, available = client.machine_memory()
    assert 0 < available < total
    assert 2**20 < client.resident_bytes(os.getpid()) < total


def test_a_tool_that_chatters_is_named() -> None:
    with start("fake-chatters") as process, pytest.raises(ToolError, match="not a message"):
        process.start()


def test_last_words_of_a_crashing_tool_are_kept() -> None:
    script = "import sys; sys.stdin.readline(); sys.exit('the library is broken')"
    with ToolProcess("broken", [sys.executable, "-c", script]) as process:
        with pytest.raises(ToolCrash, match="exit status 1") as caught:
            process.start()
        assert "the library is broken" in str(caught.value)


def test_a_command_that_does_not_exist_is_named() -> None:
    with pytest.raises(ToolCrash, match="no-such-program"):
        ToolProcess("tool", ["/no-such-program"])


def test_no_process_is_left_behind() -> None:
    process = start("fake-ok")
    process.start()
    process.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


@pytest.mark.parametrize(
    ("code", "text"), [(3, "exit status 3"), (-11, "SIGSEGV"), (-9, "memory runs out"), (-99, "unknown")]
)
def test_ends_in_words(code: int, text: str) -> None:
    assert text in describe_end("tool", code)


def gradbench_requests() -> list[dict[str, object]]:
    inputs = get_workload("gmm").generate(make_case(2, 3, 4), seed=1)
    plain = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in inputs.items()}
    evaluate = {"kind": "evaluate", "module": "gmm", "input": {**plain, "min_runs": 2, "min_seconds": 0.0}}
    return [
        {"id": 0, "kind": "start", "eval": "gmm"},
        {"id": 1, "kind": "define", "module": "gmm"},
        {"id": 2, "function": "objective", **evaluate},
        {"id": 3, "kind": "analysis", "of": 2, "valid": True},
        {"id": 4, "function": "jacobian", **evaluate},
        {"id": 5, "function": "nonsense", **evaluate},
        {"id": 6, "kind": "define", "module": "no-such-workload"},
        {"id": 7, "function": "tangent", **evaluate},
    ]


def test_the_server_speaks_gradbenchs_protocol() -> None:
    requests = io.StringIO("".join(json.dumps(request) + "\n" for request in gradbench_requests()))
    responses = io.StringIO()
    assert serve("manual", requests, responses) == 0
    answers = [json.loads(line) for line in responses.getvalue().splitlines()]
    assert [answer["id"] for answer in answers] == list(range(8))
    assert answers[0]["tool"] == "manual"
    assert answers[1]["success"]
    assert answers[1]["timings"][0]["name"] == "compile"
    inputs = get_workload("gmm").generate(make_case(2, 3, 4), seed=1)
    assert answers[2]["output"] == pytest.approx(float(get_workload("gmm").objective(inputs)))
    assert len(answers[2]["timings"]) >= 2
    assert all(timing["nanoseconds"] > 0 for timing in answers[2]["timings"])
    assert answers[3] == {"id": 3}
    assert np.shape(answers[4]["output"]["icf"]) == (3, 3)
    assert not answers[5]["success"]
    assert "nonsense" in answers[5]["error"]
    assert not answers[6]["success"]
    assert "no-such-workload" in answers[6]["error"]
    assert answers[7]["status"] in {"skipped", "error"}


def test_a_line_that_is_no_message_gets_an_answer(tmp_path: Path) -> None:
    answer = json.loads(ToolServer(get_tool("manual"), tmp_path).answer("{nonsense"))
    assert not answer["success"]


def test_skipped_is_not_an_error() -> None:
    with ToolProcess("manual") as process:
        process.start()
        process.define("gmm", 60.0)
        inputs = get_workload("gmm").generate(make_case(2, 3, 4), seed=1)
        with pytest.raises(Skipped, match="tangent"):
            process.evaluate({"module": "gmm", "function": "tangent", "input": {**inputs, "direction": {}}}, 60.0)


MEMORY = """
import resource
import numpy as np
from adbench.process.server import keep_memory, return_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        np.ones(1_000_000)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

without = faults()
keep_memory()
np.ones(1_000_000)
kept = faults()
return_memory()
np.ones(10)
print(without, kept)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc")
def test_freed_memory_stays_with_a_tool() -> None:
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True, timeout=60)
    without, kept = map(int, done.stdout.split())
    assert kept < without / 5
