"""One of our tools as a GradBench tool: answers the messages of an eval, one line each."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any, TextIO

from adbench.errors import BenchError
from adbench.gradbench.module import MEASURING, Fields, MessageError, Module
from adbench.gradbench.modules import all_modules
from adbench.measuring import repeat
from adbench.process.messages import Message
from adbench.process.server import NOTHING, run_plan
from adbench.tools.base import Runner, Tool, load_runner


class GradbenchServer:
    """A tool between an eval's messages: its runner, made when first needed, and the module defined last."""

    def __init__(self, tool: Tool, folder: Path) -> None:
        self.tool = tool
        self.folder = folder
        self.ended = False
        self._runner: Runner | None = None
        self._defined: str | None = None

    def close(self) -> None:
        if self._runner is not None:
            self._runner.close()

    def answer(self, line: str) -> str:
        """The response to one message. Whatever goes wrong is told in it; nothing is raised."""
        identifier: object = None
        try:
            message = json.loads(line)
            if not isinstance(message, dict):
                raise MessageError("a message is a JSON object")
            identifier = message.get("id")
            response = self._dispatch(message)
            return json.dumps({"id": identifier, **response}, allow_nan=False)
        except MemoryError:
            text = "out of memory"
        except BenchError as error:
            text = str(error)
        except Exception as error:  # a fault of the tool is its answer to this message, not the end of the session
            text = f"{type(error).__name__}: {error}"
        return json.dumps({"id": identifier, "success": False, "error": text})

    def _dispatch(self, message: Message) -> Message:
        kind = message.get("kind")
        if kind == "start":
            return {"tool": self.tool.name}
        if kind == "define":
            return self._define(str(message.get("module")))
        if kind == "evaluate":
            return self._evaluate(message)
        # "analysis" tells what the eval thinks of an answer, "end" that it is done; kinds of later versions are
        # acknowledged in the same way.
        self.ended = kind == "end"
        return {}

    def _module(self, name: str) -> Module:
        modules = all_modules()
        if name not in modules:
            raise MessageError(f"there is no module {name!r}", hint=f"known modules: {', '.join(modules)}")
        return modules[name]

    def _define(self, name: str) -> Message:
        module = self._module(name)
        if self._runner is None:
            self._runner = load_runner(self.tool, self.folder)
        self._defined = None
        nanoseconds = self._runner.define(module.workload)
        self._defined = name
        return {"success": True, "timings": [{"name": "compile", "nanoseconds": nanoseconds}]}

    def _evaluate(self, message: Message) -> Message:
        name = str(message.get("module"))
        module = self._module(name)
        if name != self._defined:
            self._define(name)
        assert self._runner is not None
        called = str(message.get("function"))
        if called not in module.functions:
            known = ", ".join(module.functions)
            raise MessageError(f"module {name} has no function {called!r}", hint=f"its functions: {known}")
        function = module.functions[called]
        fields = Fields(message.get("input"), name)
        inputs = module.read(called, fields)
        prepared = self._runner.prepare(function, inputs)
        plan = run_plan({key: fields.values.get(key) for key in (*MEASURING, "max_seconds")})
        samples = [prepared.first_ns] if plan == NOTHING else repeat(prepared.batch, plan)
        timings: list[dict[str, Any]] = [{"name": "evaluate", "nanoseconds": sample} for sample in samples]
        if prepared.compile_ns:
            timings.append({"name": "compile", "nanoseconds": prepared.compile_ns})
        output = module.answer(function, fields, inputs, prepared.outputs)
        return {"success": True, "output": output, "timings": timings}


def serve(tool: Tool, requests: TextIO, responses: TextIO) -> None:
    """Answer messages until the input ends or an eval says that it is done."""
    with tempfile.TemporaryDirectory(prefix="adbench-") as folder:
        server = GradbenchServer(tool, Path(folder))
        try:
            for line in requests:
                if line.strip():
                    print(server.answer(line), file=responses, flush=True)
                if server.ended:
                    break
        finally:
            server.close()
