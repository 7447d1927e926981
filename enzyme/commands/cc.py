"""``python -m enzyme cc`` and ``c++``: compile, differentiate, optimise, link.

Objects are for the CPU that -march or -mcpu names, by default the target's generic one, as with any compiler.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path

from enzyme.commands.cc_line import CompilerLine, Input, read_line, take_ours
from enzyme.commands.files import read_input, write_output
from enzyme.commands.tracing import report
from enzyme.commands.whole import (
    Parts,
    WholeProgram,
    assemble,
    read_parts,
    read_stamps,
    rest_of_archive,
    stamped,
)
from enzyme.explain.choice import Warning, read_warning
from enzyme.frontends.address import instrumented, runtime, without_address
from enzyme.frontends.compiler import clean_messages, environment, find_compiler, run_compiler, spelled
from enzyme.frontends.flags import COMMON, ZIG_BASELINE, chooses_target, include_dir
from enzyme.frontends.ir import as_optimised, is_optimised, load_ir
from enzyme.frontends.named_cpu import with_target
from enzyme.gradient.registrations import SAVED_LINKAGE
from enzyme.kept import kept
from enzyme.support.cache import Entry
from enzyme.support.collection import without_collection
from enzyme.support.config import Config, config_from_environment, turned_off
from enzyme.support.diagnostics import CompileError
from enzyme.unoptimised import or_unoptimised

_READS_FILES = re.compile(r"\.inc(?:bin|lude)\b")


def run(words: Sequence[str], driver: str) -> int:
    """The command; ``driver`` is ``cc`` or ``c++``. Returns the exit status."""
    from enzyme.cli import command_line

    with command_line():
        line = read_line(words, driver)
    environment_config = config_from_environment()
    line.cc = line.cc or environment_config.cc
    if line.pass_on:
        return _pass_on(line, words, driver)
    config = turned_off(environment_config, line.off)
    config = replace(
        config,
        cpu=line.cpu,
        vector_bytes=line.vector_bytes or environment_config.vector_bytes,
        # -lm finds them in glibc; a named target is linked with what zig knows of its C library, and that is not all.
        vector_math=config.vector_math and not any("-target" in flag for flag in line.front),
        exact_vectors=config.exact_vectors and not any("-target" in flag for flag in line.front),
        check_plan=environment_config.check_plan or line.check_plan,
        bits=environment_config.bits or line.bits,
        warp_tapes=environment_config.warp_tapes or line.warp_tapes,
        count_tape=environment_config.count_tape or line.count_tape,
        strong_zero=line.strong_zero,
        runtime_activity=line.runtime_activity,
        verify_each=environment_config.verify_each or line.verify,
        tape_limit=environment_config.tape_limit if line.tape_limit is None else line.tape_limit,
        trace=line.tracing.trace(),
    )
    try:
        return _Job(line, config, driver).run()
    finally:
        report(config.trace)


def _pass_on(line: CompilerLine, words: Sequence[str], driver: str) -> int:
    queue, rest = list(words), []
    while queue:
        word = queue.pop(0)
        if not take_ours(CompilerLine(), word, queue):
            rest.append(word)
    command = find_compiler(line.cc).for_language("c++" if driver == "c++" else "c")
    status = 0
    with tempfile.TemporaryDirectory(prefix="enzyme-zig-") as local:
        for job in _jobs(line, rest, str(Path(local) / "checked.ll")):
            done = subprocess.run(
                spelled([*command, *job, f"-I{include_dir()}"]),
                env=environment(local),
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
            messages = clean_messages(done.stderr, {})
            if messages:
                print(messages, file=sys.stderr)
            status = status or done.returncode
    return status


def _jobs(line: CompilerLine, words: list[str], somewhere: str) -> list[list[str]]:
    """What the compiler is called with. The one of the ziglang package looks for the object file of every source, also
    with ``-fsyntax-only``: each is compiled to ``somewhere``, then."""
    paths = [each.path for each in line.inputs]
    if "-fsyntax-only" not in words or not paths:
        return [words]
    flags = [word for word in words if word != "-fsyntax-only" and word not in paths]
    return [[*flags, "-S", "-emit-llvm", path, "-o", somewhere] for path in paths]


class _Job:
    """One command line being carried out."""

    def __init__(self, line: CompilerLine, config: Config, driver: str) -> None:
        self.line, self.config, self.driver = line, config, driver
        line.front, address = without_address(line.front)
        line.link, also = without_address(line.link)
        self.address = address or also
        """Every access of memory is to be checked, in derivatives too."""
        self.warned: set[str] = set()
        self.read: dict[str, str] = {}
        """Files of IR, which standard input can be."""

    def run(self) -> int:
        line = self.line
        for each in line.inputs:
            _refuse_missing(each.path)
        if line.output == "program":
            return self._program()
        compiled = [each for each in line.inputs if each.kind != "link"]
        rest = [each.path for each in line.inputs if each.kind == "link"]
        if line.lto and line.output == "object":
            # Left for the link step, where whole programs are differentiated.
            for each in compiled:
                text = stamped(self._ir(each, untouched=True), line.opt_level, line.cpu)
                self._write(self._bitcode(text), line.name or f"{each.stem}.o")
        else:
            for each in compiled:
                data = self._compiled(self._ir(each), each.path, self._unoptimised(each))
                self._write(data, line.name or f"{each.stem}{self._suffix()}")
        if rest:
            return self._by_the_compiler(rest)
        return 0

    def _by_the_compiler(self, rest: list[str]) -> int:
        """Assembly and the like: nothing to differentiate."""
        assembly = [path for path in rest if Path(path).suffix in (".s", ".S", ".asm")]
        for path in rest:
            if path not in assembly:
                print(f"warning: {path}: linker input not used because nothing is linked", file=sys.stderr)
        if assembly and self.line.output == "object":
            for path in assembly:
                output = self.line.name or f"{Path(path).stem}.o"
                command = find_compiler(self.line.cc).for_language("c")
                run_compiler([*command, *self.line.front, "-c", path, "-o", output], f"{path} did not assemble")
        return 0

    # --- one input

    def _ir(self, given: Input, untouched: bool = False, again: bool = False) -> str:
        """IR of an input as the front end gives it; ``untouched``: before any optimisation; ``again``: once more."""
        if given.kind == "ir":
            if given.path not in self.read:
                self.read[given.path] = load_ir(read_input(given.path), given.path)
            text = self.read[given.path]
            return text if untouched else as_optimised(text, self.line.opt_level, self.line.pipeline)[0]
        from enzyme.frontends.clang import run_front_end

        line = self.line
        source = self._standard_input if given.path == "-" else Path(given.path)
        with self.config.trace.step("front-end"):
            done = run_front_end(
                source, given.kind, line.opt_level, line.pipeline, line.cc, line.front, untouched=untouched
            )
        if not again:
            if done.warnings:
                print(done.warnings, file=sys.stderr)
            self._write_dependencies(given)
        self.config.trace.program("front-end", done.ir)
        return load_ir(done.ir, given.path) if line.cc else done.ir

    @cached_property
    def _standard_input(self) -> str:
        return read_input("-").decode("utf-8", errors="surrogateescape") + "\n"

    def _unoptimised(self, given: Input) -> Callable[[], str] | None:
        """How to have a program before any optimisation, where it is optimised before derivatives are made."""
        if given.kind == "ir" and is_optimised(self._ir(given, untouched=True)):
            return None
        return lambda: self._ir(given, untouched=True, again=True)

    def _write_dependencies(self, given: Input) -> None:
        """What -MD and -MMD ask for, in a run of its own: zig's driver writes no IR when it has to make one."""
        line = self.line
        if line.dependencies is None or given.path == "-":
            return
        output = line.name if line.output != "program" and line.name else f"{given.stem}.o"
        flags = list(line.dependency_flags)
        if "-MF" not in flags:
            flags += ["-MF", str(Path(output).with_suffix(".d"))]
        if "-MT" not in flags and "-MQ" not in flags:
            flags += ["-MT", output]
        command = find_compiler(line.cc).for_language(given.kind)
        run_compiler(
            [*command, line.dependencies, *flags, *line.front, f"-I{include_dir()}", given.path],
            f"dependencies of {given.path} could not be found",
        )

    def _compiled(self, text: str, path: str, unoptimised: Callable[[], str] | None) -> bytes:
        """What the output holds for a program; ``unoptimised`` gives it as it was before optimisation."""
        line = self.line

        def again() -> Entry:
            assert unoptimised is not None
            return self._unit(unoptimised(), path, "pre", False)

        optimised = line.pipeline == "post" and line.opt_level > 0
        may_wait = optimised and unoptimised is not None
        found, lost = or_unoptimised(
            lambda: self._unit(text, path, line.pipeline, optimised and (may_wait or is_optimised(text))),
            again if may_wait else None,
        )
        warnings = [read_warning(facts) for facts in found.facts["warnings"]]
        if lost is not None:
            what = f"{lost.what}: the derivative is made before optimisation, and may be slower"
            warnings.insert(0, Warning("types", what, lost.function or "", lost.location))
        self._warn(warnings)
        return found.data

    def _unit(self, text: str, path: str, pipeline: str, optimised: bool) -> Entry:
        """The output, from the cache where it is there, and what is worth a warning."""
        from enzyme.relaxed import as_configured

        text = as_configured(text, self.config)
        line, asks = self.line, "__enzyme_" in text or SAVED_LINKAGE in text
        if asks:
            _refuse_sanitizers(line.front, path)

        @without_collection()
        def make() -> Entry:
            made, warnings = self._differentiated(text, asks, pipeline, optimised)
            return Entry(self._encoded(made), {"warnings": [asdict(each) for each in warnings]})

        # Another compiler's runtime, and files that assembly names, are in no key.
        known = self.config if not self.address and not _READS_FILES.search(text) else replace(self.config, cache=None)
        settings = (self._suffix(), line.opt_level, pipeline, line.pic, bool(line.warnings.on), optimised)
        return kept(known, "unit", [text, *map(str, settings)], make)[0]

    def _differentiated(self, text: str, asks: bool, pipeline: str, optimised: bool) -> tuple[str, list[Warning]]:
        """A program with derivatives in the place of its calls, optimised, and what is worth a warning."""
        from enzyme.markers import settle_markers
        from enzyme.optimise import optimise_program

        found: list[Warning] = []
        # Most files of a program ask for no derivative: the engine is not even loaded.
        if asks:
            from enzyme.gradient.lower import lower

            done = lower(text, self.config, optimised=optimised)
            text = done.text
            if self.line.warnings.on:
                from enzyme.explain.costs import costs

                found = costs(done.engines)
        text = settle_markers(text)
        with self.config.trace.step("optimise"):
            text = optimise_program(text, self.line.opt_level, pipeline, self.config)
        self.config.trace.program("optimise", text)
        return text, found

    def _warn(self, found: Sequence[Warning]) -> None:
        chosen = self.line.warnings
        for each in found:
            said = str(each)
            if said in self.warned or each.group not in chosen.on:
                continue
            self.warned.add(said)
            if each.group in chosen.errors:
                raise CompileError(
                    each.what,
                    function=each.function,
                    location=each.place,
                    why=f"-Werror=enzyme-{each.group} makes an error of it",
                    hint=f"change the loop or the call, or leave the flag out (-Wno-enzyme-{each.group} says nothing)",
                )
            print(said, file=sys.stderr)

    # --- outputs

    def _suffix(self) -> str:
        if self.line.output == "assembly":
            return ".ll" if self.line.emit_llvm else ".s"
        return ".bc" if self.line.emit_llvm else ".o"

    def _bitcode(self, text: str) -> bytes:
        from enzyme.llvm.context import to_bitcode

        return to_bitcode(text)

    def _encoded(self, text: str) -> bytes:
        from enzyme.llvm.codegen import emit_assembly

        if self.line.output == "assembly":
            if self.address and not self.line.emit_llvm:
                return instrumented(text, find_compiler(self.line.cc), "-S", self.line.pic, self.config.cpu)
            named = with_target(text, self.config.cpu) if self.line.emit_llvm else ""
            made = named or emit_assembly(text, self._codegen_level(), self.config.cpu)
            return made.encode("utf-8", errors="surrogateescape")
        return self._bitcode(with_target(text, self.config.cpu)) if self.line.emit_llvm else self._object(text)

    def _object(self, text: str) -> bytes:
        from enzyme.llvm.codegen import emit_object

        with self.config.trace.step("code-generation"):
            if self.address:
                return instrumented(text, find_compiler(self.line.cc), "-c", self.line.pic, self.config.cpu)
            return emit_object(text, self._codegen_level(), self.config.cpu, self.line.pic)

    def _codegen_level(self) -> int:
        return self.line.opt_level

    def _write(self, data: bytes, name: str) -> None:
        write_output(name, data)

    # --- linking

    def _program(self) -> int:
        line = self.line
        language = "c++" if self.driver == "c++" or any(each.kind == "c++" for each in line.inputs) else "c"
        with tempfile.TemporaryDirectory(prefix="enzyme-link-") as folder:
            words = self._objects(Path(folder))
            compiler = find_compiler(line.cc)
            flags = [flag for flag in COMMON if flag not in ("-S", "-emit-llvm")]
            if compiler.zig and not chooses_target(line.front):
                flags.append(ZIG_BASELINE)
            output = line.name or "a.out"
            checks = runtime(compiler) if self.address else []
            command = [*compiler.for_language(language), *flags, *checks, *words, "-lm", "-o", output]
            rename = {f"{folder}/{index}-": "" for index, _ in enumerate(line.link)}
            with self.config.trace.step("link"):
                done = run_compiler(command, f"{output} could not be linked", rename=rename)
        if done.messages:
            print(done.messages, file=sys.stderr)
        return 0

    def _objects(self, folder: Path) -> list[str]:
        """The linker's words, sources replaced by objects made in ``folder``."""
        line, parts = self.line, read_parts(self.line)
        together = bool(line.lto) or parts.has_bitcode
        if together or (len(parts.compiled) > 1 and line.lto is None):
            whole = assemble(line, parts, lambda each: self._ir(each, untouched=True))
            if together or whole.asks_for_derivatives:
                return self._as_one(folder, parts, whole)
            texts = {each: self._first(text) for each, text in zip(parts.compiled, whole.texts, strict=True)}
        else:
            texts = {each: self._ir(each) for each in parts.compiled}
        words: list[str] = []
        for index, word in enumerate(line.link):
            if isinstance(word, str):
                words.append(word)
            elif word in texts:
                words.append(self._object_file(folder, index, texts[word], word.path, self._unoptimised(word)))
            else:
                words.append(word.path)
        return words

    def _as_one(self, folder: Path, parts: Parts, whole: WholeProgram) -> list[str]:
        """One object for all that is differentiated together, in the place of the first of its files."""
        line, objects = self.line, []
        if whole.texts:
            text = whole.linked()
            stamp = read_stamps(text)
            if stamp is not None and not line.level_given:
                line.opt_level = stamp[0]
            if stamp is not None and not line.cpu:
                self.config = replace(self.config, cpu=stamp[1])
            objects = [self._object_file(folder, 0, self._first(text), whole.names[0], lambda: text)]
        words: list[str] = []
        for index, word in enumerate(line.link):
            members = parts.archives.get(index)
            if members is not None:
                rest = rest_of_archive(members, folder, index)
                words += [*(objects if not parts.compiled and not parts.bitcode else []), *([rest] if rest else [])]
                objects = objects if parts.compiled or parts.bitcode else []
            elif isinstance(word, str):
                words.append(word)
            elif word in parts.compiled or word in parts.bitcode:
                words += objects
                objects = []
            else:
                words.append(word.path)
        return words

    def _first(self, text: str) -> str:
        """A program as its front end gave it, optimised as it is before derivatives are made."""
        from enzyme.frontends.clang import optimise_first

        if self.line.pipeline == "pre" or self.line.opt_level == 0:
            return text
        with self.config.trace.step("optimise-first"):
            return optimise_first(text, self.line.opt_level)

    def _object_file(
        self, folder: Path, index: int, text: str, path: str, unoptimised: Callable[[], str] | None
    ) -> str:
        made = folder / f"{index}-{Path(path).stem}.o"
        made.write_bytes(self._compiled(text, path, unoptimised))
        return str(made)


def _refuse_missing(path: str) -> None:
    if path == "-":
        return
    if Path(path).is_dir():
        raise CompileError(f"'{path}' is a directory", hint="name its files one by one")
    if not Path(path).exists():
        raise CompileError(f"there is no file '{path}'")


def _refuse_sanitizers(flags: Sequence[str], path: str) -> None:
    for flag in flags:
        kinds = flag.removeprefix("-fsanitize=").split(",") if flag.startswith("-fsanitize=") else []
        found = [kind for kind in kinds if kind in ("hwaddress", "memory", "thread")]
        if found:
            raise CompileError(
                f"{path} asks for derivatives and cannot be compiled with -fsanitize={found[0]}",
                why="its checks would be differentiated along with the program",
                hint="leave the flag out for this file, or use -fsanitize=address: its checks are put in afterwards",
            )
