"""GradBench both ways: an eval drives our tools through every module, and our harness drives a foreign tool."""

from __future__ import annotations

import io
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adbench.checking import COMPLEX_STEP, check_directions
from adbench.errors import BenchError, UsageError
from adbench.gradbench.client import gradbench_tool
from adbench.gradbench.module import Fields
from adbench.gradbench.modules import all_modules
from adbench.gradbench.server import GradbenchServer, serve
from adbench.process.messages import Exchange
from adbench.run.session import run
from adbench.run.settings import Settings
from adbench.store import ResultStore, Row, Status, make_header, read_results
from adbench.tools.registry import get_tool
from adbench.workloads import get_workload
from adbench.workloads.base import Array, Function, Inputs
from adbench.workloads.gmm.workload import make_case
from adbench.workloads.ht import workload as ht
from adbench.workloads.ode.workload import solve
from tests.adbench.fakes import QUICK, Memory
from tests.adbench.test_cli import adbench, environment

SCRIPT = Path(__file__).with_name("fake_gradbench_tool.py")
RANDOM = np.random.default_rng(7)
GMM = get_workload("gmm").generate(make_case(2, 3, 5), seed=4)
LSTM = {
    "main_params": RANDOM.standard_normal((2, 8)),
    "extra_params": RANDOM.standard_normal((3, 2)),
    "state": RANDOM.standard_normal((2, 2)),
    "sequence": RANDOM.integers(0, 2, (4, 2)).astype(float),
}
HANDS = [get_workload("ht").generate(ht.make_case(3, complicated, 90), seed=4) for complicated in (False, True)]
X = RANDOM.standard_normal(4)
MATRIX = RANDOM.standard_normal((3, 3))
POINTS = RANDOM.standard_normal((12, 2))
CENTROIDS = POINTS[:3] + 0.01
BA = {
    "n": 2,
    "m": 3,
    "p": 4,
    "cam": [0.1, -0.2, 0.3, 0.5, 0.1, -0.2, 500.0, 3.0, -2.0, 0.05, -0.04],
    "x": [0.3, -0.4, 8.0],
    "w": 1.1,
    "feat": [30.0, -20.0],
}


def steps(name: str, inputs: Inputs, parameter: str) -> Array:
    """The gradient by one parameter, by complex steps through the numpy objective."""
    flat = inputs[parameter].astype(complex).ravel()
    found = np.zeros(flat.size)
    for index in range(flat.size):
        moved = flat.copy()
        moved[index] += 1j * COMPLEX_STEP
        value = get_workload(name).objective({**inputs, parameter: moved.reshape(inputs[parameter].shape)})
        found[index] = float(np.imag(value) / COMPLEX_STEP)
    return found


def hand_rows(inputs: Inputs) -> Array:
    """The Jacobian of a hand in rows of columns: those of the points' own parameters, then theta's."""
    workload = get_workload("ht")
    columns = []
    own = range(2) if inputs["complicated"] else ()
    for side in own:
        step = np.zeros((3, 2), dtype=complex)
        step[:, side] = 1j * COMPLEX_STEP
        columns.append(np.imag(workload.objective({**inputs, "us": inputs["us"] + step})).ravel())
    for index in range(26):
        moved = inputs["theta"].astype(complex)
        moved[index] += 1j * COMPLEX_STEP
        columns.append(np.imag(workload.objective({**inputs, "theta": moved})).ravel())
    return np.array(columns).T / COMPLEX_STEP


def hand_questions() -> list[tuple[str, str, Any, Any]]:
    found: list[tuple[str, str, Any, Any]] = []
    for inputs in HANDS:
        message = json.loads(Exchange(None, "").dumps(all_modules()["ht"].write(inputs)))
        found.append(("ht", "objective", message, get_workload("ht").objective(inputs).ravel()))
        found.append(("ht", "jacobian", message, hand_rows(inputs)))
    # The same matrices the other way round.
    model = message["data"]["model"]
    turned = {name: np.transpose(model[name]).tolist() for name in ("base_positions", "weights")}
    found.append(
        ("ht", "jacobian", {**message, "data": {**message["data"], "model": {**model, **turned}}}, found[-1][3])
    )
    return found


def questions() -> list[tuple[str, str, Any, Any]]:
    """(module, function, input, what the eval expects) for every function of every module."""
    means = np.zeros((3, 2))
    nearest = np.square(POINTS[:, None] - CENTROIDS[None]).sum(2)
    for centroid in range(3):
        means[centroid] = POINTS[nearest.argmin(1) == centroid].mean(0)
    t = np.linspace(-1.0, 1.0, 6)
    residual = np.sign(t) - np.vander(t, 4, increasing=True) @ X
    softmax = np.exp(X) / np.exp(X).sum()
    gradients = {name: steps("gmm", GMM, name) for name in ("alphas", "means", "icf")}
    icf = gradients["icf"].reshape(3, 3)
    plain = {name: np.asarray(value).tolist() for name, value in GMM.items()}
    newer = {name: plain[name] for name in ("d", "k", "n", "x", "gamma", "m")} | {
        "alpha": plain["alphas"],
        "mu": plain["means"],
        "q": GMM["icf"][:, :2].tolist(),
        "l": GMM["icf"][:, 2:].tolist(),
    }
    by_name = {
        "alpha": gradients["alphas"].tolist(),
        "mu": gradients["means"].reshape(3, 2).tolist(),
        "q": icf[:, :2].tolist(),
        "l": icf[:, 2:].tolist(),
    }
    lstm = {"l": 1, "c": 4, "b": 2, **LSTM}
    lstm_message = {name: values.tolist() for name, values in LSTM.items()}
    lstm_gradient = np.concatenate([steps("lstm", lstm, name) for name in ("main_params", "extra_params")])
    cofactors = np.linalg.det(MATRIX) * np.linalg.inv(MATRIX).T
    value, flat = float(get_workload("gmm").objective(GMM)), np.concatenate(list(gradients.values()))
    return [
        ("hello", "square", 3.5, 12.25),
        ("hello", "double", 3.5, 7.0),
        ("gmm", "objective", newer, value),
        ("gmm", "jacobian", newer, by_name),
        ("gmm", "objective", plain, value),
        ("gmm", "jacobian", plain, flat),
        ("lstm", "objective", lstm_message, float(get_workload("lstm").objective(lstm))),
        ("lstm", "jacobian", lstm_message, lstm_gradient),
        *hand_questions(),
        ("ode", "primal", {"x": X.tolist(), "s": 5}, solve(X, 5)),
        ("ode", "gradient", {"x": X.tolist(), "s": 5}, steps("ode", {"n": 4, "s": 5, "x": X}, "x")),
        ("det", "primal", {"A": MATRIX.ravel().tolist(), "ell": 3}, np.linalg.det(MATRIX)),
        ("det", "gradient", {"A": MATRIX.ravel().tolist(), "ell": 3}, cofactors.ravel()),
        ("kmeans", "cost", {"points": POINTS.tolist(), "centroids": CENTROIDS.tolist()}, nearest.min(1).sum()),
        ("kmeans", "dir", {"points": POINTS.tolist(), "centroids": CENTROIDS.tolist()}, CENTROIDS - means),
        ("llsq", "primal", {"x": X.tolist(), "n": 6}, 0.5 * (residual**2).sum()),
        ("llsq", "gradient", {"x": X.tolist(), "n": 6}, -(np.vander(t, 4, increasing=True).T @ residual)),
        ("lse", "primal", {"x": X.tolist()}, np.log(np.exp(X).sum())),
        ("lse", "gradient", {"x": X.tolist()}, softmax),
        # What Siskind and Pearlmutter's programs print.
        *(("particle", name, {"w0": 0.0}, 0.207191874648) for name in ("ff", "fr", "rf", "rr")),
        *(("saddle", name, {"start": [1.0, 1.0]}, [8.2463248e-06] * 4) for name in ("ff", "fr", "rf", "rr")),
    ]


def agrees(output: Any, expected: Any) -> bool:
    if isinstance(expected, dict):
        return output.keys() == expected.keys() and all(agrees(output[key], expected[key]) for key in expected)
    return np.shape(output) == np.shape(expected) and bool(np.allclose(output, expected, rtol=1e-9, atol=1e-12))


class Eval:
    """A small eval: defines each module before its first question, and remembers what was not right."""

    def __init__(self, ask: Any) -> None:
        self.ask = ask
        self.identifier = 0
        self.faults: list[str] = []

    def message(self, kind: str, **more: Any) -> dict[str, Any]:
        self.identifier += 1
        answer = self.ask(json.dumps({"id": self.identifier, "kind": kind, **more}))
        decoded: dict[str, Any] = json.loads(answer, parse_constant=lambda text: pytest.fail(f"{text} is not JSON"))
        assert decoded["id"] == self.identifier
        return decoded

    def conduct(self, asked: list[tuple[str, str, Any, Any]]) -> None:
        assert isinstance(self.message("start", eval="test")["tool"], str)
        defined: set[str] = set()
        for module, function, value, expected in asked:
            if module not in defined:
                answer = self.message("define", module=module)
                assert answer["success"] is True, answer
                defined.add(module)
            measuring = {"min_runs": 2, "min_seconds": 0.0} if isinstance(value, dict) else {}
            value = {**value, **measuring} if measuring else value
            answer = self.message("evaluate", module=module, function=function, input=value, description="x")
            valid = answer.get("success") is True and agrees(answer["output"], expected)
            valid = valid and sum(item["name"] == "evaluate" for item in answer["timings"]) >= (2 if measuring else 1)
            valid = valid and all(isinstance(item["nanoseconds"], int) for item in answer["timings"])
            if not valid:
                self.faults.append(f"{module}::{function}: {str(answer)[:300]}, expected {str(expected)[:200]}")
            assert self.message("analysis", of=self.identifier, valid=valid) == {"id": self.identifier}


def test_every_function_is_asked_for() -> None:
    asked = {(module, function) for module, function, _, _ in questions()}
    known = {(name, function) for name, module in all_modules().items() for function in module.functions}
    assert known - asked <= {("ba", "objective"), ("ba", "jacobian")}


@pytest.mark.parametrize("inputs", HANDS)
def test_a_foreign_hand_is_read_by_rows_or_by_columns(inputs: Inputs) -> None:
    module, workload, exact = all_modules()["ht"], get_workload("ht"), hand_rows(inputs)
    for output in (exact.tolist(), exact.T.ravel().tolist()):
        jacobian = module.parse(Function.JACOBIAN, inputs, output)
        assert {name: part.shape for name, part in jacobian.items()} == workload.jacobian_shapes(inputs)
        assert check_directions(workload, inputs, jacobian, 1e-12, seed=1).correct
    value = workload.objective(inputs)
    assert np.array_equal(module.parse(Function.OBJECTIVE, inputs, value.ravel().tolist()), value)
    with pytest.raises(BenchError, match="numbers in place of"):
        module.parse(Function.JACOBIAN, inputs, exact[1:].tolist())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"correspondences": [0, 1, 90]}, "'correspondences' of module ht are not numbers from 0 to 89"),
        ({"correspondences": [0, 1, 0.5]}, "'correspondences' of module ht are not integers"),
        ({"points": [1.0, 2.0]}, "'points' of module ht has 2 numbers, which are no 3 rows"),
        ({"model": {"parents": [0] * 22}}, "'parents' of module ht are not 22 bones or more"),
        ({"model": {"triangles": [[0, 1, 90]]}}, "'triangles' of module ht name vertices"),
    ],
)
def test_a_hand_that_makes_no_sense_is_refused(change: dict[str, Any], message: str) -> None:
    module = all_modules()["ht"]
    good = json.loads(Exchange(None, "").dumps(module.write(HANDS[0])))
    model = {**good["data"]["model"], **change.get("model", {})}
    data = {**good["data"], **change, "model": model}
    with pytest.raises(BenchError, match=message):
        module.read("objective", Fields({**good, "data": data}, "ht"))


def test_an_eval_is_content_with_the_hand_written_derivatives(tmp_path: Path) -> None:
    server = GradbenchServer(get_tool("manual"), tmp_path)
    asked = [
        item
        for item in questions()
        if item[0] not in {"particle", "saddle"} and (item[0], item[1]) != ("ode", "primal")
    ]
    evaluation = Eval(server.answer)
    evaluation.conduct(asked)
    assert not evaluation.faults


@pytest.mark.slow
def test_an_eval_drives_the_command_to_the_end_with_every_answer_valid() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "adbench", "tool"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as process:
        stdin, stdout = process.stdin, process.stdout
        assert stdin is not None and stdout is not None

        def ask(line: str) -> str:
            print(line, file=stdin, flush=True)
            return stdout.readline()

        evaluation = Eval(ask)
        evaluation.conduct(questions())
        assert evaluation.message("end") == {"id": evaluation.identifier}
        assert process.wait(timeout=30) == 0
    assert not evaluation.faults


def test_bundle_adjustment_is_a_sparse_matrix(tmp_path: Path) -> None:
    server = GradbenchServer(get_tool("manual"), tmp_path)

    def ask(function: str) -> Any:
        message = {"id": 1, "kind": "evaluate", "module": "ba", "function": function, "input": {**BA, "min_runs": 1}}
        return json.loads(server.answer(json.dumps(message)))["output"]

    module = all_modules()["ba"]
    errors, matrix = ask("objective"), ask("jacobian")["BASparseMat"]
    assert errors["reproj_error"]["repeated"] == errors["w_err"]["repeated"] == 4
    assert errors["w_err"]["element"] == pytest.approx(1.0 - 1.1**2)
    assert len(matrix["rows"]) == 3 * 4 + 1
    assert matrix["rows"][-1] == len(matrix["cols"]) == len(matrix["vals"]) == 4 * 31
    assert matrix["vals"][-1] == pytest.approx(-2.0 * 1.1)
    assert max(matrix["cols"]) == 2 * 11 + 3 * 3 + 4 - 1
    assert module.workload.name == "ba"


BAD = [
    ("{nonsense", "JSONDecodeError"),
    ("[1]", "JSON object"),
    ('{"id": 1, "kind": "define", "module": "alchemy"}', "there is no module 'alchemy'"),
    ('{"id": 1, "kind": "evaluate", "module": "lse", "function": "root", "input": {"x": [1]}}', "no function 'root'"),
    ('{"id": 1, "kind": "evaluate", "module": "lse", "function": "primal", "input": {"y": [1]}}', "no field 'x'"),
    (
        '{"id": 1, "kind": "evaluate", "module": "lse", "function": "primal", "input": {"x": "abc"}}',
        "not (-1,) numbers",
    ),
    ('{"id": 1, "kind": "evaluate", "module": "det", "function": "primal", "input": {"A": [1, 2], "ell": 2}}', "'A'"),
    ('{"id": 1, "kind": "evaluate", "module": "lse", "function": "primal", "input": {"x": [NaN]}}', "Out of range"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> GradbenchServer:
    return GradbenchServer(get_tool("manual"), tmp_path_factory.mktemp("server"))


@pytest.mark.parametrize(("line", "text"), BAD)
def test_bad_messages_get_an_answer(server: GradbenchServer, line: str, text: str) -> None:
    answer = json.loads(server.answer(line))
    assert answer["success"] is False
    assert text in answer["error"]


def test_what_is_missing_in_a_tool_is_said(server: GradbenchServer) -> None:
    message = {"id": 1, "kind": "evaluate", "module": "saddle", "function": "rr", "input": {"start": [1, 1]}}
    assert "no hand-written" in json.loads(server.answer(json.dumps(message)))["error"]


def test_a_session_ends_with_its_messages() -> None:
    requests = io.StringIO('{"id": 0, "kind": "start"}\n\n{"id": 1, "kind": "end"}\n{"id": 2, "kind": "start"}\n')
    responses = io.StringIO()
    serve(get_tool("manual"), requests, responses)
    assert [json.loads(line) for line in responses.getvalue().splitlines()] == [{"id": 0, "tool": "manual"}, {"id": 1}]


def command(behaviour: str) -> str:
    return shlex.join([sys.executable, str(SCRIPT), behaviour])


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Row]:
    """A run of foreign tools on the modules that they know and one that they do not; rows by workload and tool."""
    out = tmp_path_factory.mktemp("out")
    names = ("ok", "wrong", "strange", "timeless")
    tools = (get_tool("manual"), *(gradbench_tool(name, command(name)) for name in names))
    small = {"lse": {"n": 5}, "ode": {"n": 4, "s": 3}, "llsq": {"n": 5, "m": 3}, "norm": {"n": 4}}
    workloads = tuple(get_workload(name) for name in small)

    class Tiny(Settings):
        def cases(self, workload: Any) -> list[Any]:
            return [workload.make_case(small[workload.name])]

    settings = Tiny(workloads, tools, out=out, plan=QUICK, timeout=60.0)
    with ResultStore(out, make_header(settings.record()), resume=False) as store:
        run(settings, store, Memory())
    results = read_results(out)
    assert results.headers[0]["settings"]["commands"]["ok"] == command("ok")
    return {(row.workload, row.tool): row for row in results.rows}


def test_a_foreign_tool_is_a_rival(rows: dict[tuple[str, str], Row]) -> None:
    for workload in ("lse", "ode"):
        row = rows[workload, "ok"]
        assert (row.status, row.message) == (Status.OK, "")
        assert row.derivative_seconds == pytest.approx(1e-6)
        assert row.version == "fake ok"
        assert row.flags == command("ok")


@pytest.mark.parametrize(
    ("workload", "tool", "status", "message"),
    [
        ("lse", "wrong", Status.WRONG, "x[0]"),
        ("ode", "wrong", Status.WRONG, "x[0]"),
        ("lse", "strange", Status.ERROR, "is not what GradBench defines"),
        ("lse", "timeless", Status.ERROR, "without a timing"),
        ("llsq", "ok", Status.SKIPPED, "does not define module llsq: not implemented"),
        ("norm", "ok", Status.SKIPPED, "GradBench has no module"),
    ],
)
def test_what_is_wrong_with_a_foreign_tool_is_said(
    rows: dict[tuple[str, str], Row], workload: str, tool: str, status: Status, message: str
) -> None:
    row = rows[workload, tool]
    assert row.status is status
    assert message in row.message


def test_a_foreign_tool_by_command_line(tmp_path: Path) -> None:
    arguments = ["--workload", "lse", "--tool", "manual", "--tool", f"other={command('ok')}", "--quiet"]
    done = adbench(tmp_path, "run", "--out", "out", *arguments, "--min-seconds", "0.001", "--min-runs", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    found = {(row.case, row.tool): row for row in read_results(tmp_path / "out").rows}
    assert found["n100", "other"].status is Status.OK
    assert found["n100", "other"].reference == "manual"


@pytest.mark.parametrize("text", ["manual=cat", "=cat", "name=", "name= "])
def test_commands_that_make_no_tool_are_refused(tmp_path: Path, text: str) -> None:
    done = adbench(tmp_path, "run", "--out", "out", "--tool", text)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_name_and_a_command_make_a_tool() -> None:
    assert gradbench_tool("a", "docker run 'my image'").command == ("docker", "run", "my image")
    with pytest.raises(UsageError):
        gradbench_tool("a", "")
