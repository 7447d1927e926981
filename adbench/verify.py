"""Correctness without timing: derivatives against references, and against forward mode and differences.

For a direction v, forward mode gives J v, and the tool's derivative (reverse mode's gradient g, or a Jacobian J) gives
g . v or J v as a product. Both are compared with the complex-step derivative of the numpy objective, and with one
another: for a gradient that is the VJP.JVP identity.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.text import Text

from adbench.checking import Verdict, check_directions, compare, directional_derivative, random_direction
from adbench.errors import BenchError
from adbench.process.client import Skipped
from adbench.process.messages import Exchange, as_array
from adbench.run.cell import OBJECTIVE_TOLERANCE, CaseData, outputs_of
from adbench.run.pool import ToolPool
from adbench.run.session import Plan, load_case, reason_to_skip
from adbench.run.settings import Settings
from adbench.tools.base import Tool
from adbench.tools.registry import reference_tool
from adbench.workloads.base import Function, Outputs

DIRECTIONS = 3


@dataclass(frozen=True)
class Check:
    """One comparison of one tool on one case; ``problem`` says why there is no verdict."""

    case: str
    tool: str
    name: str
    verdict: Verdict | None = None
    problem: str = ""
    skipped: bool = False

    @property
    def passed(self) -> bool:
        return self.skipped or (self.verdict is not None and self.verdict.correct)


class Verifier:
    """Asks tools for values and compares them; keeps nothing but the answers' arrays."""

    def __init__(self, settings: Settings, pool: ToolPool, folder: Path) -> None:
        self.settings = settings
        self.pool = pool
        self.exchange = Exchange(folder, "direction")

    def checks(self, tool: Tool, data: CaseData) -> list[Check]:
        """Every check of one tool on one case."""
        reason = reason_to_skip(tool, "cpu")
        if reason:
            return [Check(label(data), tool.name, "", problem=reason, skipped=True)]
        try:
            found = [self._objective(tool, data)]
            gradient = self._gradient(tool, data)
        except BenchError as error:
            return [self._failed(tool, data, "gradient", error)]
        if data.reference is not None and tool.name != data.reference_name:
            verdict = compare(gradient, data.reference, tool.tolerance)
            found.append(Check(label(data), tool.name, f"gradient against {data.reference_name}", verdict))
        found.append(self._directions(tool, data, gradient))
        try:
            found += self._tangents(tool, data, gradient)
        except Skipped:
            pass
        except BenchError as error:
            found.append(self._failed(tool, data, "forward mode", error))
        return found

    def reference(self, data: CaseData) -> None:
        """Give the case its reference derivative, if the reference tool is here and right."""
        tool = reference_tool()
        if tool is None or reason_to_skip(tool, "cpu"):
            return
        try:
            gradient = self._gradient(tool, data)
        except BenchError:
            # The tool's own line tells it; the others are checked by directions.
            return
        if self._directions(tool, data, gradient).passed:
            data.reference, data.reference_name = gradient, tool.name

    def _failed(self, tool: Tool, data: CaseData, name: str, error: BenchError) -> Check:
        return Check(label(data), tool.name, name, problem=str(error), skipped=isinstance(error, Skipped))

    def _ask(self, tool: Tool, data: CaseData, function: Function, extra: dict[str, object] | None = None) -> object:
        live = self.pool.get(tool, data.workload, max(self.settings.timeout, 120.0))
        request = {
            "module": data.workload.name,
            "function": function.value,
            "input": {**data.message, **(extra or {})},
        }
        return live.process.evaluate(request, self.settings.timeout)["output"]

    def _objective(self, tool: Tool, data: CaseData) -> Check:
        value = as_array(self._ask(tool, data, Function.OBJECTIVE))
        verdict = compare({"objective": value}, {"objective": data.objective}, OBJECTIVE_TOLERANCE)
        return Check(label(data), tool.name, "objective against numpy", verdict)

    def _gradient(self, tool: Tool, data: CaseData) -> Outputs:
        answer = self._ask(tool, data, Function.JACOBIAN)
        return outputs_of(answer) if isinstance(answer, dict) else {}

    def _directions(self, tool: Tool, data: CaseData, gradient: Outputs) -> Check:
        verdict = check_directions(data.workload, data.inputs, gradient, tool.tolerance, data.seed, DIRECTIONS)
        return Check(label(data), tool.name, "gradient along directions", verdict)

    def _tangents(self, tool: Tool, data: CaseData, gradient: Outputs) -> list[Check]:
        forward, product, exact = [], [], []
        for index in range(DIRECTIONS):
            direction = random_direction(data.workload, data.inputs, data.seed + index)
            shared = self.exchange.loads(self.exchange.dumps(direction))
            forward.append(as_array(self._ask(tool, data, Function.TANGENT, {"direction": shared})))
            product.append(data.workload.jvp(data.inputs, gradient, direction))
            exact.append(directional_derivative(data.workload, data.inputs, direction))
        against = "reverse (JVP.VJP)" if data.objective.ndim == 0 else "the Jacobian"
        pairs = (("forward mode along directions", exact), (f"forward mode against {against}", product))
        actual = {"direction": np.array(forward)}
        return [
            Check(label(data), tool.name, name, compare(actual, {"direction": np.array(values)}, tool.tolerance))
            for name, values in pairs
        ]


def label(data: CaseData) -> str:
    return f"{data.workload.name} {data.case.name}"


def verify_all(settings: Settings, screen: Console) -> bool:
    """Check every tool on every case, print a line per check; whether all passed."""
    passed, failed, skips = 0, 0, set()
    with tempfile.TemporaryDirectory(prefix="adbench-") as folder, ToolPool() as pool:
        verifier = Verifier(settings, pool, Path(folder))
        for workload in settings.workloads:
            for case in settings.cases(workload):
                try:
                    data = load_case(settings, Plan(workload, case, settings.tools), Path(folder))
                except BenchError as error:
                    failed += 1
                    screen.print(Text(f"FAILED {workload.name} {case.name}: {error}", style="red"), soft_wrap=True)
                    continue
                verifier.reference(data)
                for tool in settings.tools:
                    for check in verifier.checks(tool, data):
                        if check.skipped:
                            if (tool.name, check.problem) not in skips:
                                skips.add((tool.name, check.problem))
                                screen.print(Text(f"skipped {tool.name}: {check.problem}", style="dim"), soft_wrap=True)
                            continue
                        passed, failed = passed + check.passed, failed + (not check.passed)
                        screen.print(check_line(check), soft_wrap=True)
                pool.remove_files()
                for path in Path(folder).glob("*.npy"):
                    path.unlink(missing_ok=True)
    screen.print(f"{passed} checks passed, {failed} failed")
    return failed == 0 and passed > 0


def check_line(check: Check) -> Text:
    label = "ok    " if check.passed else "FAILED"
    line = Text(label, style="green" if check.passed else "bold red")
    line.append(f" {check.case:<28} {check.tool:<18} {check.name:<40}", style="default")
    if check.verdict is not None:
        line.append(f" {check.verdict.max_error:.1e} (tolerance {check.verdict.tolerance:.0e})", style="default")
        if not check.passed:
            line.append(f"  {check.verdict.message}", style="default")
    else:
        line.append(f" {check.problem}", style="default")
    return line
