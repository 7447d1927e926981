"""The programs of this folder: where they are, what they ask for, how they are compiled and run.

A program is a C or C++ file in one of the folders named after what it tests. It checks its own derivatives, prints a
line that begins with ``ok`` and ends with status 0. Lines ``// key: value`` in its first twenty lines say what is
special about it:

``flags``        further words of the command line, for the compiler and the linker
``engine``       further words for the engine alone, which a compiler would not know
``with``         other files, relative to the program's own folder, that are compiled with it (in folders below)
``needs``        what has to be installed, by the names of :data:`NEEDS`; skipped with a reason elsewhere
``heavy``        why it takes a compiler nine seconds and more: the plain run has one in three of these, at level 2
``skip-levels``  levels that make no sense, and why: ``// skip-levels: 0 (the tail call is only one when optimised)``
``refused``      the compiler must decline, with this text among what it says
``aborts``       the program must end by a signal or with a status other than 0, with this text among what it says
``reference``    ``none (reason)``: there is nothing to check without derivatives
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDERS = (
    "control", "memory", "calls", "cpp", "numbers", "convention", "second_order", "custom", "files", "diagnostics",
)  # fmt: skip
KEYS = ("flags", "engine", "with", "needs", "heavy", "skip-levels", "refused", "aborts", "reference")
COMPILE_SECONDS = 120
RUN_SECONDS = 20

_DIRECTIVE = re.compile(r"^// ([a-z-]+): *(.*?) *$")


@dataclass(frozen=True, order=True)
class Setting:
    """How a program is compiled. At level 0 the two pipelines are one: nothing is optimised before or after."""

    level: int
    pipeline: str

    def __str__(self) -> str:
        return f"O{self.level}-{self.pipeline}"


SETTINGS = tuple(Setting(level, "post") for level in range(4)) + tuple(Setting(level, "pre") for level in range(1, 4))
USUAL = Setting(2, "post")
OTHERS = 1 / 2
"""Of the programs, those that the plain run compiles with another setting than the usual one."""
UNOPTIMISED = 1 / 2
"""Of those, the ones at level 0; the other settings share what is left. ``-m slow`` runs all that the plain run does
not."""
HEAVY = 1 / 3
"""Of the heavy programs, those that the plain run has at all."""
ALONE = 1 / 12
"""Of the programs, those that the plain run compiles without the engine too: it shows that the program is sound."""


@dataclass(frozen=True)
class Program:
    """One program; ``name`` is ``folder/stem``."""

    path: Path

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def driver(self) -> str:
        return "cc" if self.path.suffix == ".c" else "c++"

    @cached_property
    def directives(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for line in self.path.read_text(encoding="utf-8").split("\n")[:20]:
            if match := _DIRECTIVE.match(line):
                found[match[1]] = match[2]
        return found

    @property
    def sources(self) -> list[str]:
        return [str(self.path), *(str(self.path.parent / each) for each in self.directives.get("with", "").split())]

    @property
    def flags(self) -> list[str]:
        """What every compiler of the program is given before the sources."""
        needed = [flag for need in self.directives.get("needs", "").split() for flag in NEEDS[need]() or []]
        return ["-w", f"-I{HERE}", *needed, *shlex.split(self.directives.get("flags", ""))]

    @property
    def missing(self) -> str:
        """What it needs and this machine does not have; empty when all is there."""
        return ", ".join(need for need in self.directives.get("needs", "").split() if NEEDS[need]() is None)

    @property
    def settings(self) -> list[Setting]:
        words = self.directives.get("skip-levels", "").partition("(")[0]
        left_out = {int(word) for word in words.replace(",", " ").split()}
        return [setting for setting in SETTINGS if setting.level not in left_out]

    def plain_setting(self) -> Setting | None:
        """The one that is not left to the slow run: each program is compiled with one, drawn by its name, so that over
        the suite all of them are run. Heavy programs have the usual one, or none."""
        if self.is_heavy:
            return USUAL if self._draw("heavy") < HEAVY and USUAL in self.settings else None
        others = [setting for setting in self.settings if setting != USUAL]
        if not others or (USUAL in self.settings and self._draw("other") >= OTHERS):
            return USUAL
        if others[0].level == 0 and self._draw("level") < UNOPTIMISED:
            return others[0]
        return min(others, key=lambda setting: (setting.level == 0, self._draw(str(setting))))

    def _draw(self, what: str) -> float:
        """A number from 0 on, below 1."""
        number = hashlib.sha256(f"{self.name} {what}".encode()).digest()[:4]
        return int.from_bytes(number) / 2**32

    @property
    def is_heavy(self) -> bool:
        """Whether it takes long to compile, as do Eigen's headers."""
        return "heavy" in self.directives or "eigen" in self.directives.get("needs", "")

    @property
    def is_plain_alone(self) -> bool:
        """Whether the plain run compiles it without the engine."""
        return self._draw("alone") < ALONE


def programs() -> list[Program]:
    found = [*HERE.glob("*/*.c"), *HERE.glob("*/*.cpp")]
    return sorted((Program(path) for path in found), key=lambda program: program.name)


def _eigen() -> list[str] | None:
    for folder in (os.environ.get("EIGEN_INCLUDE", ""), "/usr/include/eigen3", "/usr/local/include/eigen3"):
        if folder and (Path(folder) / "Eigen" / "Core").exists():
            return [f"-isystem{folder}"]
    return None


def _processor(feature: str) -> Callable[[], list[str] | None]:
    """Finds out whether this machine runs what the compiler makes with this feature."""

    def find() -> list[str] | None:
        try:
            return [] if feature in Path("/proc/cpuinfo").read_text(encoding="utf-8").split() else None
        except OSError:
            return None

    return find


NEEDS: dict[str, Callable[[], list[str] | None]] = {
    "eigen": _eigen,
    "sse4": _processor("sse4_1"),
    "avx2": _processor("avx2"),
    "avx512": _processor("avx512dq"),
}
"""Flags for what a program may need, None where it is not installed."""


# --- compiling and running -------------------------------------------------------------------------------------------


@contextmanager
def scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="enzyme-programs-") as folder:
        yield Path(folder)


def compile_with_engine(program: Program, words: list[str], output: Path) -> tuple[int, str]:
    """``enzyme cc`` or ``c++`` in this process: status and what it said. The time that counts is this process's own,
    which others on the machine do not make longer; the clock ends what waits for a compiler for ever."""
    from enzyme.cli import main

    def late(*_: object) -> None:
        raise TimeoutError(f"not compiled after {COMPILE_SECONDS} s")

    said = io.StringIO()
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, late)
    signal.setitimer(signal.ITIMER_PROF, COMPILE_SECONDS)
    signal.alarm(10 * COMPILE_SECONDS)
    try:
        with redirect_stdout(said), redirect_stderr(said):
            more = shlex.split(program.directives.get("engine", ""))
            command = [program.driver, *words, *more, *program.flags, *program.sources, "-o", str(output), "-lm"]
            status = main(command)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
    return status, said.getvalue()


def run_program(command: list[str], aborts: str | None = None, seconds: float = RUN_SECONDS) -> str:
    """Empty when the program did what it should, else what it said."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return f"still running after {seconds:g} s"
    said = done.stdout + done.stderr
    if aborts is not None:
        good = done.returncode != 0 and aborts in said
    else:
        good = done.returncode == 0 and done.stdout.startswith("ok ")
    return "" if good else f"exit status {done.returncode}\n{said}"


def with_engine(program: Program, setting: Setting, off: str = "") -> str:
    """Compile by the engine and run, with the optimisations named in ``off`` turned off; empty when all is well."""
    with scratch() as folder:
        words = [
            f"-O{setting.level}",
            f"--enzyme-pipeline={setting.pipeline}",
            "-Werror=enzyme-types",  # by that pipeline and no other
            *([f"--enzyme-off={off}"] if off else []),
        ]
        status, said = compile_with_engine(program, words, folder / "program")
        refused = program.directives.get("refused")
        if refused is not None:
            return "" if status != 0 and refused in said else f"not refused with '{refused}': {status}\n{said}"
        if status != 0:
            return f"enzyme {program.driver} ended with {status}\n{said}"
        return run_program([str(folder / "program")], program.directives.get("aborts"))


def without_engine(program: Program) -> str:
    """Compile with differences in the place of derivatives: the program's own expectations, checked by themselves."""
    from enzyme.frontends.compiler import find_compiler
    from enzyme.frontends.flags import include_dir

    with scratch() as folder:
        compiler = find_compiler().for_language("c++" if program.driver == "c++" else "c")
        level = program.settings[0].level  # the lowest: most programs are run in less time than optimising them takes
        checked = ["-fsanitize=undefined", "-fsanitize-trap=undefined", "-fno-stack-protector", f"-I{include_dir()}"]
        objects = [str(folder / f"{number}.o") for number in range(len(program.sources))]
        # Linked as the engine links, or zig would make another library of C++ for the other flags, for a minute.
        commands = [
            [*compiler, f"-O{level}", "-DREFERENCE", *checked, *program.flags, "-c", source, "-o", made]
            for source, made in zip(program.sources, objects, strict=True)
        ]
        commands.append([*compiler, "-fno-sanitize=undefined", *objects, "-o", str(folder / "program"), "-lm"])
        for command in commands:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                return done.stderr
        return run_program([str(folder / "program")])
