"""The harness's side of a tool process: start it, ask, wait no longer than allowed, survive its death."""

from __future__ import annotations

import contextlib
import itertools
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from adbench.errors import ToolCrash, ToolError, ToolTimeout
from adbench.identity import available_cores
from adbench.process.messages import Exchange, Message
from adbench.tools.registry import all_tools

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)

START_TIMEOUT = 120.0
STDERR_TAIL = 4_000
LOOK_SECONDS = 0.2
"""How often a tool that is waited for is looked at: it must not take the memory that the others need."""


def thread_variables(name: str) -> dict[str, str]:
    """The environment that lets a tool compute on as many threads as it is registered for."""
    tool = all_tools().get(name)
    count = available_cores() if tool is not None and tool.all_threads else 1
    return dict.fromkeys(THREAD_VARIABLES, str(count))


class Skipped(ToolError):
    """The tool answered that it has no version of what was asked."""


class ToolProcess:
    """A running tool. Any error leaves it either alive and answering, or dead and to be started anew."""

    def __init__(self, name: str, command: Sequence[str] | None = None) -> None:
        self.name = name
        self.command = list(command or [sys.executable, "-m", "adbench", "tool-process", name])
        self._folder = tempfile.TemporaryDirectory(prefix="adbench-")
        self._exchange = Exchange(Path(self._folder.name), "in")
        self._stderr = (Path(self._folder.name) / "stderr").open("w+b")
        self._identifiers = itertools.count()
        self._pending = b""
        self.known_dead = False
        """Whether an error has told already that the process ended."""
        environment = dict(os.environ, **thread_variables(name), PYTHONUNBUFFERED="1")
        # The tool must find these packages as its parent did, from whatever folder it is started in.
        environment["PYTHONPATH"] = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
        try:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            self._stderr.close()
            self._folder.cleanup()
            raise ToolCrash(f"cannot start {name}", why=f"{self.command[0]}: {error.strerror}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def start(self, timeout: float = START_TIMEOUT) -> Message:
        return self.ask({"kind": "start", "config": {"exchange": self._folder.name}}, timeout)

    def define(self, module: str, timeout: float) -> Message:
        return self._succeed(self.ask({"kind": "define", "module": module}, timeout))

    def evaluate(self, request: Message, timeout: float) -> Message:
        return self._succeed(self.ask({"kind": "evaluate", **request}, timeout))

    def ask(self, request: Message, timeout: float) -> Message:
        """Send one request and wait for its response; kills the process when ``timeout`` seconds have passed."""
        identifier = next(self._identifiers)
        line = self._exchange.dumps({"id": identifier, **request}) + "\n"
        stdin = self._process.stdin
        assert stdin is not None
        try:
            stdin.write(line.encode())
            stdin.flush()
        except (BrokenPipeError, ValueError):
            raise self._crash() from None
        return self._receive(identifier, timeout)

    @property
    def end(self) -> str:
        """How the process ended, in words."""
        return describe_end(self.name, self._process.wait())

    def kill(self) -> None:
        """End the process and whatever it started, at once."""
        self.known_dead = True
        if self.alive:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except ProcessLookupError:
                self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End the process: first by closing its input, then by force."""
        if self.alive and self._process.stdin is not None:
            try:
                self._process.stdin.close()
                self._process.wait(timeout=2.0)
            except (subprocess.TimeoutExpired, OSError):
                pass
        self.kill()
        for stream in (self._process.stdin, self._process.stdout, self._stderr):
            if stream is not None and not stream.closed:
                with contextlib.suppress(OSError):
                    stream.close()
        self._folder.cleanup()

    def remove_files(self) -> None:
        """Delete arrays of answered requests; call between cases."""
        for path in Path(self._folder.name).glob("*.npy"):
            path.unlink(missing_ok=True)

    def _receive(self, identifier: int, timeout: float) -> Message:
        deadline = time.monotonic() + timeout
        stdout = self._process.stdout
        assert stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while b"\n" not in self._pending:
                left = deadline - time.monotonic()
                if left <= 0:
                    self.kill()
                    raise ToolTimeout(f"{self.name} did not answer within {timeout:g} s and was ended")
                if not selector.select(min(left, LOOK_SECONDS)):
                    self._end_if_memory_is_short()
                    continue
                chunk = os.read(stdout.fileno(), 1 << 16)
                if not chunk:
                    raise self._crash()
                self._pending += chunk
        line, _, self._pending = self._pending.partition(b"\n")
        try:
            response = self._exchange.loads(line.decode())
        except ValueError:
            self.kill()
            raise ToolError(f"{self.name} answered with something that is not a message: {line[:200]!r}") from None
        if response.get("id") != identifier:
            self.kill()
            raise ToolError(f"{self.name} answered request {response.get('id')!r} in place of {identifier}")
        return response

    def _end_if_memory_is_short(self) -> None:
        taken = resident_bytes(self._process.pid)
        if memory_is_short(taken, *machine_memory()):
            self.kill()
            raise ToolCrash(f"{self.name} was ended when it had taken {taken / 2**30:.1f} GiB, for memory ran short")

    def _succeed(self, response: Message) -> Message:
        if response.get("success"):
            return response
        text = str(response.get("error", "the tool gave no reason"))
        if response.get("status") == "skipped":
            raise Skipped(text)
        raise ToolError(text)

    def _crash(self) -> ToolCrash:
        try:
            self._process.wait(timeout=10.0)
        except subprocess.TimeoutExpired:
            self.kill()
        self.known_dead = True
        return ToolCrash(self.end, why=self._last_words())

    def _last_words(self) -> str | None:
        self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, self._stderr.tell() - STDERR_TAIL))
        lines = self._stderr.read().decode(errors="replace").strip().splitlines()
        return "\n       ".join(lines[-6:]) or None


def machine_memory() -> tuple[int, int]:
    """Total and available memory in bytes; zeros where the system does not tell."""
    sizes = {"MemTotal": 0, "MemAvailable": 0}
    with contextlib.suppress(OSError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            name, _, rest = line.partition(":")
            if name in sizes:
                sizes[name] = int(rest.split()[0]) * 1024
    return sizes["MemTotal"], sizes["MemAvailable"]


def resident_bytes(pid: int) -> int:
    """What a process has in memory; zero where the system does not tell or it is gone."""
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def memory_is_short(taken: int, total: int, available: int) -> bool:
    """Whether little memory is left, and a process that has taken so much is what it went to."""
    return 8 * taken > total > 16 * available


def describe_end(name: str, code: int) -> str:
    """How a process ended, in words."""
    if code >= 0:
        return f"{name} ended with exit status {code}"
    try:
        label = signal.Signals(-code).name
    except ValueError:
        label = "unknown"
    text = f"{name} was killed by signal {-code} ({label})"
    if -code == signal.SIGKILL:
        text += "; the kernel does that when memory runs out"
    return text
