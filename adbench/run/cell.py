"""One cell at work: a tool on a case, checked once and then measured in rounds."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from adbench.checking import Verdict, check_directions, compare
from adbench.errors import BenchError, ToolTimeout
from adbench.measuring import RunPlan
from adbench.process.client import Skipped
from adbench.process.messages import Message, as_array
from adbench.run.pool import LiveTool, ToolPool
from adbench.statistics import minimum_and_median
from adbench.store import Row, Status, now
from adbench.tools.base import Tool
from adbench.workloads.base import Array, Case, Function, Inputs, Outputs, Workload

OBJECTIVE_TOLERANCE = 1e-10
DIRECTIONS = "complex-step directions"


@dataclass
class CaseData:
    """A case with its inputs, the numpy objective's value, and the reference derivative once there is one."""

    workload: Workload
    case: Case
    inputs: Inputs
    message: Message
    """The inputs as they travel to tools."""
    objective: Array
    seed: int
    reference: Outputs | None = None
    reference_name: str = DIRECTIONS

    def check(self, derivative: Outputs, tool: Tool) -> Verdict:
        """A derivative against the reference; the reference tool itself, and all without one, by directions."""
        if self.reference is None or tool.name == self.reference_name:
            return check_directions(self.workload, self.inputs, derivative, tool.tolerance, self.seed)
        return compare(derivative, self.reference, tool.tolerance)

    def reference_of(self, tool: Tool) -> str:
        return DIRECTIONS if self.reference is None or tool.name == self.reference_name else self.reference_name


@dataclass
class Cell:
    """A tool on a case. ``failure`` ends it; otherwise rounds of measuring add samples."""

    tool: Tool
    data: CaseData
    device: str
    timeout: float
    samples: dict[str, list[int]] = field(default_factory=lambda: {"primal": [], "derivative": []})
    status: Status = Status.OK
    message: str = ""
    verdict: Verdict | None = None
    compile_seconds: float = 0.0
    peak_bytes: int | None = None
    primal_peak_bytes: int | None = None
    tape_bytes: int | None = None
    version: str = ""
    flags: str = ""
    conditions: dict[str, str] = field(default_factory=dict)
    used: float = 0.0

    @property
    def alive(self) -> bool:
        return self.status is Status.OK

    @property
    def _complete(self) -> bool:
        """Whether there is a time of either function."""
        return all(self.samples.values())

    def check(self, pool: ToolPool) -> Outputs:
        """Evaluate once and compare; nothing is measured before this has succeeded. Gives the derivative if it has one.

        It is not kept: those of all tools together can be larger than what the tools themselves need.
        """
        try:
            live = self._define(pool)
            objective = self._ask(live, Function.OBJECTIVE, None)
            answer = self._ask(live, Function.JACOBIAN, None)
        except BenchError as error:
            self._fail(error)
            return {}
        derivative = outputs_of(answer["output"])
        self.primal_peak_bytes, self.peak_bytes = (said.get("peak_bytes") for said in (objective, answer))
        self.tape_bytes = answer.get("tape_bytes")
        self.verdict = self.data.check(derivative, self.tool)
        primal = compare(
            {"objective": as_array(objective["output"])}, {"objective": self.data.objective}, OBJECTIVE_TOLERANCE
        )
        wrong = next((verdict for verdict in (primal, self.verdict) if not verdict.correct), None)
        if wrong is not None:
            self.status, self.message = Status.WRONG, wrong.message
        return derivative

    def measure(self, pool: ToolPool, plan: RunPlan) -> None:
        """One round: samples of the objective and of its derivative. Where time runs out, earlier rounds stay."""
        if self._complete and self.used >= self.timeout:
            return
        try:
            live = self._define(pool)
            for name, function in (("primal", Function.OBJECTIVE), ("derivative", Function.JACOBIAN)):
                samples = self.samples[name]
                # A function so slow that one round took the whole cell's time is not called again.
                if samples and sum(samples) / 1e9 >= 3 * plan.max_seconds:
                    continue
                samples += evaluate_timings(self._ask(live, function, plan))
        except BenchError as error:
            if isinstance(error, ToolTimeout) and self._complete:
                self.message = f"fewer samples than asked for: {error}"
            else:
                self._fail(error)

    def row(self) -> Row:
        """The cell's row as it stands."""
        case = self.data.case
        times: dict[str, float | None] = {}
        for name, samples in self.samples.items():
            least, median = minimum_and_median(samples) if samples and self.alive else (None, None)
            times[f"{name}_seconds"] = None if least is None else least / 1e9
            times[f"{name}_median_seconds"] = None if median is None else median / 1e9
        primal, derivative = times["primal_seconds"], times["derivative_seconds"]
        return Row(
            workload=self.data.workload.name,
            case=case.name,
            tool=self.tool.name,
            device=self.device,
            status=self.status,
            primal_seconds=primal,
            derivative_seconds=derivative,
            ratio=derivative / primal if primal and derivative else None,
            max_error=None if self.verdict is None else self.verdict.max_error,
            samples=dict(self.samples),
            compile_seconds=self.compile_seconds or None,
            peak_bytes=self.peak_bytes,
            primal_peak_bytes=self.primal_peak_bytes,
            tape_bytes=self.tape_bytes,
            message=self.message,
            primal_median_seconds=times["primal_median_seconds"],
            derivative_median_seconds=times["derivative_median_seconds"],
            tolerance=self.tool.tolerance,
            reference=self.data.reference_of(self.tool) if self.verdict else "",
            dimensions=dict(case.dimensions),
            problem_size=self.data.workload.problem_size(case),
            panel=self.data.workload.panel(case),
            version=self.version,
            flags=self.flags,
            conditions=dict(self.conditions),
            data_file=None if case.path is None else str(case.path),
            time=now(),
        )

    def _define(self, pool: ToolPool) -> LiveTool:
        # Compiling is not part of the cell's time, but it must end some time too.
        live = pool.get(self.tool, self.data.workload, max(self.timeout, 120.0))
        self.version, self.flags, self.conditions = live.version, live.flags, live.conditions
        self.compile_seconds = max(self.compile_seconds, live.compile_seconds)
        return live

    def _ask(self, live: LiveTool, function: Function, plan: RunPlan | None) -> Message:
        request: Message = {
            "module": self.data.workload.name,
            "function": function.value,
            "input": dict(self.data.message),
            "description": self.data.case.name,
            "want_output": plan is None,
        }
        if plan is not None:
            request["input"] |= {
                "min_runs": plan.min_runs,
                "min_seconds": plan.min_seconds,
                "max_seconds": plan.max_seconds,
            }
        start = time.monotonic()
        try:
            answer = live.process.evaluate(request, max(0.1, self.timeout - self.used))
        except ToolTimeout as error:
            raise ToolTimeout(f"not done within {self.timeout:g} s") from error
        finally:
            self.used += time.monotonic() - start
        compiled = [item["nanoseconds"] for item in answer.get("timings", []) if item["name"] == "compile"]
        self.compile_seconds += sum(compiled) / 1e9
        return answer

    def _fail(self, error: BenchError) -> None:
        if isinstance(error, Skipped):
            self.status = Status.SKIPPED
        else:
            self.status = Status.TIMEOUT if isinstance(error, ToolTimeout) else Status.ERROR
        self.message = str(error)


def evaluate_timings(answer: Message) -> list[int]:
    return [int(item["nanoseconds"]) for item in answer.get("timings", []) if item["name"] == "evaluate"]


def outputs_of(message: Mapping[str, object]) -> Outputs:
    return {name: as_array(value) for name, value in message.items()}
