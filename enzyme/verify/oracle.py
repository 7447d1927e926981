"""Runs generated functions under a toolchain and says of each whether its derivatives are right."""

from __future__ import annotations

import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from enzyme.support.diagnostics import CompileError, EnzymeError, ParseError, VerificationError
from enzyme.verify.build import Toolchain
from enzyme.verify.driver import source
from enzyme.verify.program import FuzzFunction, reductions, size

TIME_LIMIT = 20.0
"""Seconds a program of one batch may run; it needs milliseconds."""


@dataclass(frozen=True)
class Outcome:
    """What became of one function.

    ``kind``: ok; soft (right, though differences were inaccurate at some point); wrong (a number differs); crash;
    timeout; refused (the engine declined, with a named error); broken (the C compiler declined, or the engine failed
    in a way that is no :class:`EnzymeError`).
    """

    function: FuzzFunction
    kind: str
    message: str = ""

    @property
    def passed(self) -> bool:
        return self.kind in ("ok", "soft")


def examine(functions: Sequence[FuzzFunction], toolchain: Toolchain) -> list[Outcome]:
    """One outcome for each function, in order.

    Functions that cannot be built are left out and judged alone: those that the message names, or, when it names none,
    those that halving the batch finds.
    """
    if not functions:
        return []
    with tempfile.TemporaryDirectory(prefix="enzyme-verify-") as folder:
        program = Path(folder) / "program"
        try:
            toolchain.build(source(functions, toolchain.reference), program)
        except Exception as error:  # the engine's own faults are findings too
            if len(functions) == 1:
                return [_refusal(functions[0], error)]
            suspects = [f for f in functions if re.search(rf"\b{f.name}(?=_|\b)", _words(error))]
            if suspects and len(suspects) < len(functions):
                alone = {f.name: examine([f], toolchain)[0] for f in suspects}
                others = examine([f for f in functions if f.name not in alone], toolchain)
                alone |= {o.function.name: o for o in others}
                return [alone[f.name] for f in functions]
            half = len(functions) // 2
            return examine(functions[:half], toolchain) + examine(functions[half:], toolchain)
        if len(functions) == 1:
            return [_run_one(program, functions[0], None)]
        finished, lines, _ = _execute(program, None)
        outcomes = {f.name: _read(f, lines) for f in functions}
        if finished:
            return [outcomes[f.name] for f in functions]
        return [_run_one(program, f, f.name) for f in functions]


def _words(error: Exception) -> str:
    """What an error says, with where in the program it says it."""
    return " ".join((str(error), *(str(getattr(error, part, "")) for part in ("function", "instruction", "asked_in"))))


def _refusal(function: FuzzFunction, error: Exception) -> Outcome:
    text = str(error).strip()
    if isinstance(error, (CompileError, ParseError, VerificationError)):  # the last two: the engine's own text
        return Outcome(function, "broken", text)
    if isinstance(error, EnzymeError):
        return Outcome(function, "refused", f"{type(error).__name__}: {text}")
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f" ({Path(place.tb_frame.f_code.co_filename).name}:{place.tb_lineno})" if place else ""
    return Outcome(function, "broken", f"{type(error).__name__}: {text}{where}")


def _run_one(program: Path, function: FuzzFunction, name: str | None) -> Outcome:
    finished, lines, reason = _execute(program, name)
    outcome = _read(function, lines)
    if finished or outcome.kind == "wrong":
        return outcome
    return Outcome(function, "timeout" if reason == "time" else "crash", reason)


def _execute(program: Path, name: str | None) -> tuple[bool, list[str], str]:
    """Run it: whether it ended by itself, its lines, and how it died."""
    command = [str(program), *([name] if name else [])]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=TIME_LIMIT, check=False
        )
    except subprocess.TimeoutExpired as error:
        text = error.stdout or b""
        return False, (text.decode(errors="replace") if isinstance(text, bytes) else text).split("\n"), "time"
    lines = done.stdout.split("\n")
    if done.returncode in (0, 1):
        return True, lines, ""
    cause = (
        f"signal {signal.Signals(-done.returncode).name}" if done.returncode < 0 else f"exit status {done.returncode}"
    )
    tail = done.stderr.strip().split("\n")[-1]
    return False, lines, f"{cause}{': ' if tail else ''}{tail}"


def _read(function: FuzzFunction, lines: list[str]) -> Outcome:
    mine = [line.split(" ", 2) for line in lines if f" {function.name} " in f"{line} "]
    failed = [words[2] for words in mine if words[0] == "fail"]
    if failed:
        return Outcome(function, "wrong", f"{failed[0]} ({len(failed)} of its comparisons)")
    if not any(words[0] == "end" for words in mine):
        return Outcome(function, "crash", "did not come to its end")
    return Outcome(function, "soft" if any(words[0] == "soft" for words in mine) else "ok")


def shrink(
    outcome: Outcome,
    toolchain: Toolchain,
    seconds: float = 60.0,
    judge: Callable[[Sequence[FuzzFunction], Toolchain], list[Outcome]] = examine,
) -> Outcome:
    """A smaller function with the same kind of outcome, found by dropping statements as long as time allows."""
    end = time.monotonic() + seconds
    signature = _signature(outcome)
    smaller = True
    while smaller:
        smaller = False
        for candidate in reductions(outcome.function):
            if time.monotonic() > end:
                return outcome
            if size(candidate) > size(outcome.function):
                continue
            found = judge([candidate], toolchain)[0]
            if _signature(found) == signature:
                outcome, smaller = found, True
                break
    return outcome


def _signature(outcome: Outcome) -> tuple[str, str]:
    """What has to stay the same while shrinking: the kind, and of refusals and faults the first words as well."""
    detail = ""
    if outcome.kind in ("refused", "broken"):
        detail = " ".join(outcome.message.split("\n")[0].split("'")[0].split()[:8])
    return outcome.kind, detail
