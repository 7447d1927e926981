"""A foreign tool in our harness: a command that speaks GradBench's protocol, asked in GradBench's words."""

from __future__ import annotations

import shlex

from adbench.errors import ToolError, UsageError
from adbench.gradbench.module import MEASURING, Module
from adbench.gradbench.modules import all_modules
from adbench.process.client import START_TIMEOUT, Skipped, ToolProcess
from adbench.process.messages import Exchange, Message, as_inputs
from adbench.tools.base import Tool, Unsupported
from adbench.workloads.base import Function

TOLERANCE = 1e-9
"""Of a foreign tool's scaled error, of which nothing else is known."""


def gradbench_tool(name: str, command: str) -> Tool:
    """The tool that ``--tool NAME=COMMAND`` names."""
    if not name or not command.strip():
        raise UsageError(f"--tool {name}={command} names no tool", hint="write --tool NAME='COMMAND ARGUMENTS'")
    return Tool(
        name=name,
        title=f"GradBench tool: {command}",
        runner="",
        tolerance=TOLERANCE,
        command=tuple(shlex.split(command)),
    )


class GradbenchProcess(ToolProcess):
    """A foreign tool's process, with the questions of our harness translated."""

    def __init__(self, tool: Tool) -> None:
        super().__init__(tool.name, tool.command)
        # Other programs know nothing of files beside the messages.
        self._exchange = Exchange(None, "in")
        self._module: Module | None = None

    def start(self, timeout: float = START_TIMEOUT) -> Message:
        answer = self.ask({"kind": "start", "eval": "adbench"}, timeout)
        return {"version": str(answer.get("tool", self.name)), "flags": shlex.join(self.command)}

    def define(self, module: str, timeout: float) -> Message:
        self._module = all_modules().get(module)
        if self._module is None or not self._module.asks:
            raise Skipped(f"GradBench has no module for the derivative of workload {module}")
        answer = self.ask({"kind": "define", "module": module}, timeout)
        if not answer.get("success"):
            reason = answer.get("error") or "it gave no reason"
            raise Skipped(f"{self.name} does not define module {module}: {reason}")
        return answer

    def evaluate(self, request: Message, timeout: float) -> Message:
        module, function = self._module, Function(request["function"])
        if module is None or function not in module.asks:
            raise Skipped(f"GradBench has no {function.value} of module {request['module']}")
        message = dict(request["input"])
        measuring = {key: message.pop(key, None) for key in (*MEASURING, "max_seconds")}
        inputs = as_inputs(message)
        try:
            written = module.write(inputs)
        except Unsupported as error:
            raise Skipped(str(error)) from None
        if isinstance(written, dict):
            written |= {key: measuring[key] or (1 if key == "min_runs" else 0.0) for key in MEASURING}
        question = {"module": module.name, "function": module.asks[function], "input": written}
        answer = super().evaluate(question, timeout)
        timings = answer.get("timings") or []
        if measuring["min_runs"] is not None and not any(item.get("name") == "evaluate" for item in timings):
            raise ToolError(f"{self.name} answered without a timing named 'evaluate'")
        if request.get("want_output", True):
            try:
                answer["output"] = module.parse(function, inputs, answer.get("output"))
            except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
                raise ToolError(
                    f"{self.name}: the output of {module.name}::{question['function']} is not what GradBench defines",
                    why=f"{type(error).__name__}: {error}",
                ) from None
        return answer
