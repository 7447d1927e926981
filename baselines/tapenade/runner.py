"""Runner of Tapenade: the C objective, preprocessed, differentiated by the program, compiled and timed.

Each workload that is C has a source here, which says what is to be differentiated and calls what Tapenade makes of it.
"""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

from adbench.errors import BuildError
from adbench.measuring import Batch
from adbench.native.build import NATIVE, Library, build_library, compiler, compiler_version
from adbench.native.problem import NativeProblem
from adbench.tools.base import Unsupported
from adbench.tools.native_runner import ENTRY_POINTS, NativeRunner
from adbench.workloads.base import Function, Workload
from baselines.tapenade import TAPENADE

HERE = Path(__file__).parent
COMMAND = re.compile(r"^ \* tapenade: (?P<mode>-\w+) -head \"(?P<head>[^\"]+)\"$", re.MULTILINE)
"""The line of a workload's source that says how it is differentiated."""

SUFFIXES = {"-reverse": "_b.c", "-tangent": "_d.c"}
SECONDS = 300.0


def program() -> Path:
    path = TAPENADE.path()
    if path is None:
        raise BuildError("tapenade is neither on PATH nor in TAPENADE_HOME")
    return path


def first_aid() -> Path:
    """Tapenade's own stack, which its reverse mode calls: beside the program, as it is unpacked."""
    for root in program().resolve().parents:
        if (root / "ADFirstAidKit" / "adStack.c").is_file():
            return root / "ADFirstAidKit"
    raise BuildError("Tapenade's ADFirstAidKit was not found", hint="set TAPENADE_HOME to the folder that has it")


class TapenadeRunner(NativeRunner):
    """Derivatives of the workloads that are C."""

    library: Library

    def version(self) -> str:
        asked = [str(program()), "-version"]
        done = subprocess.run(asked, capture_output=True, text=True, errors="replace", check=False)
        lines = (done.stdout + done.stderr).strip().splitlines()
        return f"{lines[0] if lines else 'Tapenade, which tells no version'}, {compiler_version()}"

    def define(self, workload: Workload) -> int:
        source = HERE / f"{workload.name}.c"
        if not source.is_file():
            raise Unsupported(f"tapenade has no version of workload {workload.name}: its objective is C++")
        kit = first_aid()
        start = time.perf_counter_ns()
        plain = self._preprocess(workload)
        derived = self._differentiate(source, plain)
        spent = time.perf_counter_ns() - start
        self.library = build_library(
            [source, derived, kit / "adStack.c"],
            self.folder / f"{workload.name}.so",
            include=[self.folder, workload.native.folder, NATIVE, kit],
        )
        self.workload = workload
        return spent + self.library.build_ns

    def _preprocess(self, workload: Workload) -> Path:
        """The objective alone, without macros and without what the C library's headers have."""
        plain = self.folder / f"{workload.name}_plain.c"
        # What is made of static functions is called from another file.
        flags = ["-E", "-P", "-nostdinc", f"-I{HERE / 'headers'}", "-D__restrict=", "-Dstatic=", "-x", "c"]
        command = [*compiler(), *flags, str(workload.native.folder / f"{workload.name}.c"), "-o", str(plain)]
        self._run(command, f"{workload.name}.c is not preprocessed")
        return plain

    def _differentiate(self, source: Path, plain: Path) -> Path:
        """The file that Tapenade writes: ``WORKLOAD_derived_b.c``, or ``_d.c`` in tangent mode."""
        found = COMMAND.search(source.read_text(encoding="utf-8"))
        if found is None:
            raise BuildError(f"{source.name} does not say what Tapenade is to differentiate")
        name = f"{source.stem}_derived"
        options = [found["mode"], "-head", found["head"], "-o", name, "-O", str(self.folder), str(plain)]
        self._run([str(program()), *options], f"Tapenade does not differentiate {source.stem}")
        made = self.folder / f"{name}{SUFFIXES[found['mode']]}"
        if not made.is_file():
            raise BuildError(f"Tapenade did not write {made.name}")
        return made

    def _run(self, command: list[str], failure: str) -> None:
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False, cwd=self.folder
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise BuildError(failure, why=str(error)) from None
        if done.returncode != 0:
            lines = (done.stderr or done.stdout).strip().splitlines()
            raise BuildError(failure, why="\n       ".join(lines[-8:]))

    def batch(self, function: Function, problem: NativeProblem) -> Batch:
        if function not in {Function.OBJECTIVE, Function.JACOBIAN}:
            raise Unsupported("tapenade computes whole derivatives only")
        return self.timer.batch(self.library.address(ENTRY_POINTS[function]), problem.address, problem)
