"""Tools of the IR tests: the compiler, and LLVM itself as the judge of what text means."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import llvmlite.binding as llvm
import pytest

SOURCES = Path(__file__).parent / "sources"


@pytest.fixture(scope="session")
def canonical() -> Callable[[str], str]:
    """Text -> what LLVM prints after reading and verifying it, without the module identifier."""

    def canonical_text(text: str) -> str:
        module = llvm.parse_assembly(text, llvm.create_context())
        module.verify()
        return str(module).split("\n", 1)[1]

    return canonical_text


@pytest.fixture(scope="session")
def machine_code() -> Callable[[str], str]:
    """Text -> optimised assembly for this machine."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    target = llvm.Target.from_triple(llvm.get_default_triple()).create_target_machine(opt=2)

    def assembly(text: str) -> str:
        return str(target.emit_assembly(llvm.parse_assembly(text, llvm.create_context())))

    return assembly


@pytest.fixture(scope="session")
def compile_source(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Source name under ``sources/`` (or a path) and flags -> LLVM IR as the C or C++ compiler prints it."""
    folder = tmp_path_factory.mktemp("ir")
    made: dict[tuple[str, ...], str] = {}

    def compiled(source: str | Path, *flags: str) -> str:
        key = (str(source), *flags)
        if key not in made:
            path = SOURCES / source
            output = folder / f"{len(made)}.ll"
            driver = "cc" if path.suffix == ".c" else "c++"
            command = [sys.executable, "-m", "ziglang", driver, "-S", "-emit-llvm", "-w"]
            command += ["-fno-sanitize=undefined", "-fno-stack-protector", *flags, str(path), "-o", str(output)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr[-2000:]
            made[key] = output.read_text()
        return made[key]

    return compiled
