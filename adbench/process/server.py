"""The tool's side: reads requests on standard input, answers on standard output, one line each."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import sys
import tempfile
from pathlib import Path
from typing import TextIO

from adbench.errors import BenchError
from adbench.identity import available_cores
from adbench.measuring import RunPlan, repeat
from adbench.process.messages import Exchange, Message, as_inputs
from adbench.tools.base import Prepared, Runner, Tool, Unsupported, load_runner
from adbench.tools.registry import get_tool
from adbench.workloads import get_workload
from adbench.workloads.base import Function

PR_SET_PDEATHSIG = 1
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4
NOTHING = RunPlan(min_runs=0, min_seconds=0.0, max_seconds=0.0)
"""Evaluate once for the outputs, measure nothing."""


def serve(tool_name: str, requests: TextIO, responses: TextIO) -> int:
    """Answer requests until the input ends; the process's exit status."""
    with tempfile.TemporaryDirectory(prefix="adbench-") as folder:
        server = ToolServer(get_tool(tool_name), Path(folder))
        for line in requests:
            if not line.strip():
                continue
            print(server.answer(line), file=responses, flush=True)
        server.close()
    return 0


class ToolServer:
    """One tool and what it keeps between requests: its runner and the functions already prepared."""

    def __init__(self, tool: Tool, folder: Path) -> None:
        self.tool = tool
        self.folder = folder
        self.exchange = Exchange(None, "out")
        self.runner: Runner | None = None
        self.module: str | None = None
        self._input = ""
        self._prepared: dict[Function, Prepared] = {}
        self._measured: set[Function] = set()

    def close(self) -> None:
        if self.runner is not None:
            self.runner.close()

    def answer(self, line: str) -> str:
        """The response to one request. Errors of the tool become ``success: false``; nothing is raised."""
        identifier: object = None
        try:
            request = self.exchange.loads(line)
            identifier = request.get("id")
            response = self._dispatch(request)
        except Unsupported as error:
            response = {"success": False, "status": "skipped", "error": str(error)}
        except BenchError as error:
            response = {"success": False, "status": "error", "error": str(error)}
        except MemoryError:
            response = {"success": False, "status": "error", "error": "out of memory"}
        except Exception as error:  # whatever a tool raises is that tool's result, not the harness's end
            text = str(error) or "no message"
            response = {"success": False, "status": "error", "error": f"{type(error).__name__}: {text}"}
        return self.exchange.dumps({"id": identifier, **response})

    def _dispatch(self, request: Message) -> Message:
        kind = request.get("kind")
        if kind == "start":
            return self._start(request)
        if kind == "define":
            return self._define(request)
        if kind == "evaluate":
            return self._evaluate(request)
        # "analysis" and whatever a later protocol adds need no more than an acknowledgement.
        return {}

    def _start(self, request: Message) -> Message:
        folder = request.get("config", {}).get("exchange")
        self.exchange = Exchange(Path(folder) if folder else None, "out")
        self.runner = load_runner(self.tool, self.folder)
        return {
            "tool": self.tool.name,
            "version": self.runner.version(),
            "flags": self.runner.flags(),
            "conditions": {"threads": str(available_cores()), **self.runner.conditions()},
        }

    def _runner(self) -> Runner:
        if self.runner is None:
            self.runner = load_runner(self.tool, self.folder)
        return self.runner

    def _define(self, request: Message) -> Message:
        name = str(request["module"])
        self._forget("")
        nanoseconds = self._runner().define(get_workload(name))
        self.module = name
        return {"success": True, "timings": [{"name": "compile", "nanoseconds": nanoseconds}]}

    def _evaluate(self, request: Message) -> Message:
        if self.module is None or request.get("module") != self.module:
            raise BenchError(f"evaluate of module {request.get('module')!r}, which was not defined")
        function = Function(request["function"])
        message_input = dict(request["input"])
        measuring = {key: message_input.pop(key, None) for key in ("min_runs", "min_seconds", "max_seconds")}
        reset_peak_memory()
        key = self.exchange.dumps(message_input)
        if key != self._input:
            # Dropped first: two problems in memory at once would show in the peak.
            self._forget(key)
        fresh = function not in self._prepared
        if fresh:
            self._prepared[function] = self._runner().prepare(function, as_inputs(message_input))
        prepared = self._prepared[function]
        response: Message = {"success": True}
        if request.get("want_output", True):
            outputs = prepared.outputs
            response["output"] = outputs[function.value] if function is not Function.JACOBIAN else outputs
        plan = run_plan(measuring)
        samples = [] if plan == NOTHING else self._samples(function, prepared, plan)
        response["timings"] = [{"name": "evaluate", "nanoseconds": sample} for sample in samples]
        if fresh and prepared.compile_ns:
            response["timings"].append({"name": "compile", "nanoseconds": prepared.compile_ns})
        response["peak_bytes"] = peak_memory()
        if fresh and prepared.tape is not None:
            response["tape_bytes"] = prepared.tape()  # last: counting is in neither the times nor the peak
        return response

    def _samples(self, function: Function, prepared: Prepared, plan: RunPlan) -> list[int]:
        slow = prepared.first_ns >= plan.max_seconds * 1e9
        if slow and function not in self._measured:
            # The call that gave the outputs was a whole measurement's worth; it need not be made twice.
            self._measured.add(function)
            return [prepared.first_ns]
        return repeat(prepared.batch, plan)

    def _forget(self, key: str) -> None:
        self._input = key
        self._prepared.clear()
        self._measured.clear()
        return_memory()


def run_plan(measuring: Message) -> RunPlan:
    """The plan in a request; GradBench sends no ``max_seconds``, which then is no limit."""
    if measuring["min_runs"] is None and measuring["min_seconds"] is None:
        return NOTHING
    longest = measuring["max_seconds"]
    return RunPlan(
        int(measuring["min_runs"] or 1), float(measuring["min_seconds"] or 0.0), 1e9 if longest is None else longest
    )


def reset_peak_memory() -> None:
    """Start a new peak of resident memory where Linux allows it; otherwise the peak is the process's."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def keep_memory() -> None:
    """Let memory that was freed stay with the process, where the C library is glibc.

    By its defaults it gives blocks of some megabytes back at each ``free``, and the kernel clears their pages anew at
    the next ``malloc``. Whether that happens depends on the number and order of a tool's arrays, and it takes longer
    than many of the derivatives measured here: all tools alike are spared it.
    """
    with contextlib.suppress(AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_TRIM_THRESHOLD, 2**31 - 1)
        mallopt(M_MMAP_MAX, 0)


def return_memory() -> None:
    """Give freed memory back, so that one problem's does not count in the peak of the next."""
    if "enzyme" in sys.modules:
        sys.modules["enzyme"].free_tapes()
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def peak_memory() -> int:
    """Peak resident memory in bytes since the last reset."""
    try:
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def main(tool_name: str) -> int:
    """Run as the tool's process: private standard output, its cores, and no life beyond the parent's."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        # A harness that is killed outright must not leave a tool computing.
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        with contextlib.suppress(OSError):
            # Where memory runs out, the kernel shall end the tool that took it and not the harness.
            Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
        if not get_tool(tool_name).all_threads:
            os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        keep_memory()
    return serve(tool_name, sys.stdin, private_output())


def private_output() -> TextIO:
    """Standard output for the protocol alone; what libraries print there goes to standard error."""
    responses = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return responses
