"""The programs under valgrind and under AddressSanitizer: no invalid access, nothing used before it is set, no leak, in
derivative code either.

Valgrind computes long double with 64 bits, so that a program may find numbers wrong there: what valgrind says counts.
It knows no AVX-512.
"""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from tests.programs.suite import Program, compile_with_engine, programs, scratch

PROGRAMS = [p for p in programs() if not {"refused", "aborts"} & p.directives.keys()]
FOUND = 99
SECONDS = 240

pytestmark = pytest.mark.slow


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_valgrind_finds_nothing(program: Program) -> None:
    if program.missing:
        pytest.skip(f"{program.missing} is not installed")
    if "avx512" in program.directives.get("needs", ""):
        pytest.skip("valgrind does not know these instructions")
    with scratch() as folder:
        status, said = compile_with_engine(program, ["-O1"], folder / "program")
        assert status == 0, said
        command = ["valgrind", "-q", "--leak-check=full", "--errors-for-leak-kinds=definite,possible"]
        command += [f"--error-exitcode={FOUND}", str(folder / "program")]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False)
        assert done.returncode in (0, 1), done.stderr[-4000:]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="the runtime library of AddressSanitizer is GCC's")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_address_sanitizer_finds_nothing(program: Program) -> None:
    if program.missing:
        pytest.skip(f"{program.missing} is not installed")
    with scratch() as folder:
        status, said = compile_with_engine(program, ["-O2", "-fsanitize=address"], folder / "program")
        assert status == 0, said
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1"}
        done = subprocess.run(
            [folder / "program"], capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False,
            env=environment,
        )  # fmt: skip
        assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
        assert done.stdout.startswith("ok ")
