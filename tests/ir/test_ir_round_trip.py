"""Text -> objects -> text is the identity: LLVM reads back the same module, over real compiler output."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.ir.values import OtherInstruction
from enzyme.ir.verifier import verify_module

Text = Callable[[str], str]
CORNERS = Path(__file__).parent / "corners.ll"


def load_everything(module: Module) -> int:
    """Read every body and initialiser; gives the number of instructions."""
    for variable in module.globals.values():
        variable.initializer  # noqa: B018
    for alias in module.aliases.values():
        assert alias.aliasee is not None
    return sum(1 for function in module.functions.values() for _ in function.instructions())


def print_with_numbered_blocks(module: Module) -> str:
    """The module's text with the blocks that were named because their address is taken numbered again."""
    for function in module.functions.values():
        for block in function.blocks if function.name in module.address_taken else ():
            if block.name and block.name.startswith("address_taken."):
                block.name = None
    return print_module(module).replace("%address_taken.", "%")


def check_identity(text: str, canonical: Text) -> Module:
    """Print unread, then fully read: both times LLVM must see the same module."""
    start = canonical(text)
    unread = parse_module(start)
    if not unread.address_taken:
        assert canonical(print_module(unread)) == start
    module = parse_module(start)
    load_everything(module)
    verify_module(module)
    printed = canonical(print_module(module))
    assert canonical(print_with_numbered_blocks(module)) == start
    again = parse_module(printed)
    load_everything(again)
    assert canonical(print_module(again)) == printed
    return module


C_FLAGS = [
    "-O0 -g0",
    "-O1 -g0",
    "-O2 -g",
    "-O3 -g0 -mcpu=haswell",
    "-O2 -g0 -ffast-math -fno-unroll-loops",
    "-Os -fPIC -g0",
]


@pytest.mark.parametrize("flags", C_FLAGS)
def test_c(flags: str, compile_source: Callable[..., str], canonical: Text) -> None:
    check_identity(compile_source("basics.c", *flags.split()), canonical)


@pytest.mark.parametrize("flags", C_FLAGS[:3])
def test_same_machine_code(flags: str, compile_source: Callable[..., str], canonical: Text, machine_code: Text) -> None:
    """Named instead of numbered blocks leave the generated code as it was."""
    start = canonical(compile_source("basics.c", *flags.split()))
    module = parse_module(start)
    assert machine_code(print_module(module)) == machine_code(start)
    load_everything(module)
    assert machine_code(print_module(module)) == machine_code(start)


@pytest.mark.parametrize("flags", ["-O0 -g", "-O1 -g0", "-O2 -g", "-O3 -g0", "-O1 -g0 -Xclang -disable-llvm-passes"])
def test_cpp(flags: str, compile_source: Callable[..., str], canonical: Text) -> None:
    check_identity(compile_source("basics.cpp", *flags.split()), canonical)


@pytest.mark.parametrize("flags", ["-O0 -g", "-O2 -g0"])
def test_cpp_library(flags: str, compile_source: Callable[..., str], canonical: Text) -> None:
    check_identity(compile_source("library.cpp", *flags.split()), canonical)


@pytest.mark.parametrize("target", ["aarch64-linux-gnu", "x86_64-windows-gnu", "wasm32-wasi", "arm-linux-gnueabihf"])
def test_other_targets(target: str, compile_source: Callable[..., str], canonical: Text) -> None:
    """Other data layouts, calling conventions, exception models and attribute words."""
    text = compile_source("portable.cpp", "-O2", "-g0", "-target", target, "-fexceptions")
    check_identity(text, canonical)


def test_scalable_vectors(compile_source: Callable[..., str], canonical: Text) -> None:
    text = compile_source("portable.cpp", "-O3", "-g0", "-target", "aarch64-linux-gnu", "-mcpu=neoverse_v1")
    assert "vscale x" in text
    check_identity(text, canonical)


@pytest.mark.slow
@pytest.mark.parametrize("flags", ["-O0 -g", "-O1 -g", "-O2 -g", "-O3 -g -mcpu=haswell"])
def test_large_cpp(flags: str, compile_source: Callable[..., str], canonical: Text) -> None:
    """A C++ translation unit of far more than 25,000 lines of IR."""
    text = compile_source("large.cpp", *flags.split())
    assert text.count("\n") > 25_000
    check_identity(text, canonical)


@pytest.mark.parametrize("level", ["0", "3"])
def test_rust(level: str, rustc: str, tmp_path: Path, canonical: Text) -> None:
    source, output = Path(__file__).parent / "sources" / "basics.rs", tmp_path / "out.ll"
    command = [
        rustc,
        "--crate-type=lib",
        "--emit=llvm-ir",
        f"-Copt-level={level}",
        "-g",
        str(source),
        "-o",
        str(output),
    ]
    subprocess.run(command, check=True, capture_output=True)
    check_identity(output.read_text(), canonical)


def test_corners(canonical: Text) -> None:
    """Every spelling that compilers of C rarely print."""
    module = check_identity(CORNERS.read_text(), canonical)
    seen = {inst.opcode for function in module.functions.values() for inst in function.instructions()}
    others = "landingpad catchswitch catchpad cleanuppad catchret cleanupret resume va_arg indirectbr callbr fence"
    assert set(others.split()) <= seen
    assert any(isinstance(i, OtherInstruction) for i in module.functions["windows"].instructions())
