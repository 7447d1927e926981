"""A tool of the GMM workload for tests, in its own process: ``fake_tool.py BEHAVIOUR``."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Any

import numpy as np

from adbench.process.messages import as_inputs
from adbench.workloads import get_workload

STEP = 1e-30
MEASURED: list[bool] = []
"""Of each evaluation so far, whether it was measured."""


def gradient(inputs: dict[str, Any]) -> dict[str, Any]:
    """Every partial derivative by a complex step through the numpy objective."""
    workload = get_workload("gmm")
    result = {}
    for name in workload.parameters:
        flat = np.zeros(inputs[name].size)
        for index in range(flat.size):
            moved = inputs[name].astype(complex)
            moved.flat[index] += 1j * STEP
            flat[index] = float(np.imag(workload.objective({**inputs, name: moved})) / STEP)
        result[name] = flat.reshape(inputs[name].shape).tolist()
    return result


def answer(request: dict[str, Any], behaviour: str) -> dict[str, Any]:
    kind = request["kind"]
    if kind == "start":
        return {"tool": behaviour, "version": "fake 1"}
    if kind == "define":
        return {"success": True, "timings": [{"name": "compile", "nanoseconds": 1000}]}
    measured = request["input"].get("min_runs") is not None
    MEASURED.append(measured)
    inputs = as_inputs({k: v for k, v in request["input"].items() if not k.startswith(("min_", "max_"))})
    if behaviour == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if behaviour == "killed-while-measured" and measured:
        os.kill(os.getpid(), signal.SIGKILL)
    if behaviour == "hangs" or (behaviour == "hangs-at-2" and len(inputs["alphas"]) == 2):
        time.sleep(600)
    if behaviour == "hangs-in-round-2" and sum(MEASURED) == 3:
        time.sleep(600)
    if behaviour == "hangs-in-round-1" and sum(MEASURED) == 2:
        time.sleep(600)
    if behaviour == "refuses":
        return {"success": False, "error": "no rule for llvm.fake"}
    response: dict[str, Any] = {"success": True, "timings": [{"name": "evaluate", "nanoseconds": 1000}] * 3}
    if request["function"] == "objective":
        response["output"] = float(get_workload("gmm").objective(inputs))
    else:
        response["output"] = gradient(inputs)
        if behaviour == "wrong":
            response["output"]["means"][0][0] += 1e-3
        if behaviour == "not-a-number":
            response["output"]["means"][0][0] = float("nan")
    return response


def main() -> None:
    behaviour = sys.argv[1]
    for line in sys.stdin:
        if behaviour == "chatters":
            print("hello, I am not JSON", flush=True)
            continue
        request = json.loads(line)
        print(json.dumps({"id": request["id"], **answer(request, behaviour)}), flush=True)


if __name__ == "__main__":
    main()
