"""A tool of GradBench for tests, in its own process: ``fake_gradbench_tool.py BEHAVIOUR``; it has gmm, lse and ode."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import numpy as np

from adbench.workloads import get_workload
from tests.adbench.fake_tool import gradient


def lse(function: str, message: dict[str, Any]) -> Any:
    largest = max(message["x"])
    total = sum(math.exp(x - largest) for x in message["x"])
    if function == "primal":
        return largest + math.log(total)
    return [math.exp(x - largest) / total for x in message["x"]]


def ode(function: str, message: dict[str, Any]) -> Any:
    """The primal is the whole state; only its last component matters to our harness."""
    workload = get_workload("ode")
    x = np.array(message["x"])
    inputs = {"n": len(x), "s": message["s"], "x": x}
    if function == "primal":
        return [0.0] * (len(x) - 1) + [float(workload.objective(inputs))]
    steps = np.eye(len(x)) * 1e-30j
    return [float(np.imag(workload.objective({**inputs, "x": x + step})) / 1e-30) for step in steps]


def gmm(function: str, message: dict[str, Any]) -> Any:
    """Asked in the newer vocabulary, with parameters and derivative by name."""
    arrays = {"alphas": np.array(message["alpha"]), "means": np.array(message["mu"]), "x": np.array(message["x"])}
    q, ltri = np.array(message["q"]), np.array(message["l"])
    inputs = {**arrays, "icf": np.concatenate([q, ltri], axis=1), "gamma": message["gamma"], "m": message["m"]}
    if function == "objective":
        return float(get_workload("gmm").objective(inputs))
    found = {name: np.array(values) for name, values in gradient(inputs).items()}
    d = q.shape[1]
    parts = {"alpha": found["alphas"], "mu": found["means"], "q": found["icf"][:, :d], "l": found["icf"][:, d:]}
    return {name: values.tolist() for name, values in parts.items()}


MODULES = {"gmm": gmm, "lse": lse, "ode": ode}


def answer(message: dict[str, Any], behaviour: str) -> dict[str, Any]:
    kind = message["kind"]
    if kind == "start":
        return {"tool": f"fake {behaviour}"}
    if kind == "define":
        if message["module"] in MODULES:
            return {"success": True}
        return {"success": False, "error": "not implemented"}
    output = MODULES[message["module"]](message["function"], message["input"])
    if behaviour == "wrong" and isinstance(output, list):
        output[0] += 1e-3
    if behaviour == "strange":
        output = {"unheard": "of"}
    runs = [{"name": "evaluate", "nanoseconds": 1000}] * max(1, message["input"]["min_runs"])
    return {"success": True, "output": output, "timings": [] if behaviour == "timeless" else runs}


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        print(json.dumps({"id": message["id"], **answer(message, sys.argv[1])}), flush=True)


if __name__ == "__main__":
    main()
