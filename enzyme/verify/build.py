"""From a C program to an executable, with the engine or without it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from enzyme.frontends.clang import compile_to_ir
from enzyme.frontends.compiler import find_compiler, run_compiler
from enzyme.gradient.lower import lower_module
from enzyme.llvm.codegen import emit_object
from enzyme.optimise import optimise_program
from enzyme.support.collection import without_collection
from enzyme.support.config import Config


class Toolchain(Protocol):
    """What the oracle needs of a compiler; ``label`` names it in reports."""

    @property
    def label(self) -> str: ...

    @property
    def reference(self) -> bool:
        """True where no derivative is taken, so that the program must not call the engine."""
        ...

    def build(self, source: str, output: Path) -> None:
        """Make an executable. Raises :class:`EnzymeError`."""
        ...


@dataclass(frozen=True)
class EngineToolchain:
    """The engine as a user gets it: front end at ``level``, derivative, optimisation at ``level``, code, link."""

    level: int
    pipeline: str = "post"
    config: Config = field(default_factory=Config)

    @property
    def label(self) -> str:
        return f"-O{self.level} {self.pipeline}"

    @property
    def reference(self) -> bool:
        return False

    @without_collection()
    def build(self, source: str, output: Path) -> None:
        ir = compile_to_ir(source, "c", self.level, self.pipeline, self.config.cc, debug=False)
        text = optimise_program(
            lower_module(ir, self.config, optimised=self.pipeline == "post" and self.level > 0),
            self.level,
            self.pipeline,
            self.config,
        )
        compiled = output.with_suffix(".o")
        compiled.write_bytes(emit_object(text, self.level, self.config.cpu))
        link(compiled, output, self.config.cc)


@dataclass(frozen=True)
class PlainToolchain:
    """The C compiler alone: shows that a program is sound before any derivative is taken of it."""

    level: int = 1
    cc: str | None = None
    sanitize: bool = False

    @property
    def label(self) -> str:
        return f"-O{self.level} without the engine"

    @property
    def reference(self) -> bool:
        return True

    def build(self, source: str, output: Path) -> None:
        path = output.with_suffix(".c")
        path.write_text(source, encoding="utf-8")
        compiler = find_compiler(self.cc)
        checks = ["-fsanitize=undefined", "-fsanitize-trap=undefined"] if self.sanitize else ["-fno-sanitize=undefined"]
        flags = [f"-O{self.level}", "-w", *checks, "-fno-stack-protector"]
        run_compiler(
            [*compiler.for_language("c"), *flags, str(path), "-o", str(output), "-lm"], "the program did not compile"
        )


def link(compiled: Path, output: Path, cc: str | None = None) -> None:
    """An executable of one object file."""
    compiler = find_compiler(cc)
    run_compiler([*compiler.for_language("c"), str(compiled), "-o", str(output), "-lm"], "the program did not link")
