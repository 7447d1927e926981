"""``python -m enzyme explain``: activity, types, calls and tape plans, beside the lines of the program."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from enzyme.commands import tracing
from enzyme.commands.cc_line import SOURCES
from enzyme.commands.files import read_input
from enzyme.commands.parser import Parser
from enzyme.explain.collect import collect, read_sources, refusal
from enzyme.explain.model import Report
from enzyme.frontends.foreign import compile_foreign, foreign_language
from enzyme.frontends.ir import as_optimised, is_optimised, load_ir
from enzyme.support.config import Config, config_from_environment, read_bytes
from enzyme.support.demangle import demangle
from enzyme.support.diagnostics import EnzymeError, TypeUnknownError, UsageError
from enzyme.support.trace import Trace
from enzyme.unoptimised import or_unoptimised

if TYPE_CHECKING:
    from enzyme.gradient.lower import Lowering, Prepare

_KINDS = ("const", "dup", "dupnoneed", "out")


def run(words: Sequence[str]) -> int:
    """The command. Returns the exit status: 1 when something was refused."""
    from enzyme.cli import command_line

    parser = Parser(
        prog="python -m enzyme explain",
        description="What is active and why, how calls are treated, and what the tape keeps, line by line. Without "
        "--function: for every call of __enzyme_autodiff and the like in FILE. Flags after -- go to the compiler.",
    )
    parser.add_argument("input", metavar="FILE", help="C, C++, LLVM IR as text or bitcode")
    parser.add_argument(
        "--function", metavar="F", help="differentiate this function (C++: mangled, or a part of its name)"
    )
    parser.add_argument("--mode", choices=("reverse", "forward"), default="reverse")
    parser.add_argument(
        "--args", metavar="A,...", help="const, dup, dupnoneed or out for each parameter (default: by type)"
    )
    parser.add_argument(
        "-O", dest="level", type=int, choices=(0, 1, 2, 3), default=2, help="of the front end (default 2)"
    )
    parser.add_argument("--pipeline", choices=("post", "pre"), default="post")
    parser.add_argument("--html", metavar="OUT", help="write a page instead of text (- for standard output)")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="with chains of reasons, and what is computed again"
    )
    parser.add_argument("--tape-limit", metavar="BYTES", default="", help="loops stay under so much tape, e.g. 64MiB")
    parser.add_argument(
        "--sizes", metavar="N=9,...", default="", help="numbers for the names in the tape's size, to have it in bytes"
    )
    parser.add_argument("--cc", metavar="CMD", help="the clang to use")
    parser.add_argument("-I", dest="includes", action="append", default=[], metavar="DIR")
    parser.add_argument("-D", dest="defines", action="append", default=[], metavar="NAME")
    parser.add_argument("-std", "--std", dest="standard", metavar="STD")
    tracing.add_arguments(parser)
    given = list(words)
    flags: list[str] = []
    if "--" in given:
        flags = given[given.index("--") + 1 :]
        given = given[: given.index("--")]
    options = parser.parse_args(given)
    with command_line():
        asked = tracing.from_arguments(options)
        activities = _activities(options.args)
        sizes = _sizes(options.sizes)
        if options.function is None and (activities is not None or options.mode == "forward"):
            raise UsageError("--args and --mode go with --function", hint="the program's calls say it themselves")
    flags += [f"-I{folder}" for folder in options.includes] + [f"-D{name}" for name in options.defines]
    flags += [f"-std={options.standard}"] if options.standard else []
    config = replace(config_from_environment(), trace=asked.trace())
    config = replace(config, cc=options.cc or config.cc)
    if options.tape_limit:
        with command_line():
            config = replace(config, tape_limit=read_bytes(options.tape_limit))

    def report_on(pipeline: str, whole: bool) -> Report:
        text = _read(options.input, options.level, pipeline, flags, config)
        setting = f"-O{options.level}, {pipeline}"
        named = options.function, options.mode, activities
        optimised = pipeline == "post" and options.level > 0 and (is_source or is_optimised(text))
        return explain(text, options.input, *named, setting, config, sizes, whole, optimised)

    is_source = Path(options.input).suffix in SOURCES
    try:
        report = _report(report_on, options.pipeline, options.pipeline == "post" and options.level > 0)
    finally:
        tracing.report(config.trace)
    _write(report, options.html, options.verbose)
    return 1 if report.refusals else 0


def _report(report_on: Callable[[str, bool], Report], pipeline: str, is_optimised: bool) -> Report:
    """The report on the program that a compile makes derivatives of: not optimised, where types are lost by that."""
    try:
        again = (lambda: report_on("pre", True)) if is_optimised else None
        return or_unoptimised(lambda: report_on(pipeline, True), again)[0]
    except TypeUnknownError:
        return report_on(pipeline, False)


def _activities(words: str | None) -> tuple[str, ...] | None:
    if words is None:
        return None
    found = tuple(word.strip().removeprefix("enzyme_") for word in words.split(",") if word.strip())
    for each in found:
        if each not in _KINDS:
            raise UsageError(f"there is no activity '{each}'", hint=f"use {', '.join(_KINDS)}")
    return found


def _sizes(words: str) -> dict[str, int]:
    found = {}
    for word in filter(None, (each.strip() for each in words.split(","))):
        name, _, number = word.partition("=")
        if not name or not re.fullmatch(r"-?\d+", number.strip()):
            raise UsageError(f"'{word}' is no size", hint="write NAME=NUMBER, as in --sizes n=1000,line12=64")
        found[name.strip().lstrip("%")] = int(number)
    return found


def _read(path: str, level: int, pipeline: str, flags: list[str], config: Config) -> str:
    language = SOURCES.get(Path(path).suffix)
    foreign = foreign_language(Path(path), None)
    if foreign is not None:
        with config.trace.step("front-end"):
            text = compile_foreign(Path(path), foreign, level, pipeline, None, flags)
        return as_optimised(text, level, pipeline)[0]
    if language is None:
        return as_optimised(load_ir(read_input(path), path), level, pipeline)[0]
    from enzyme.frontends.clang import run_front_end

    with config.trace.step("front-end"):
        done = run_front_end(Path(path), language, level, pipeline, config.cc, flags)
    if done.warnings:
        print(done.warnings, file=sys.stderr)
    config.trace.program("front-end", done.ir)
    return load_ir(done.ir, path) if config.cc else done.ir


def explain(
    text: str,
    path: str,
    function: str | None,
    mode: str,
    activities: tuple[str, ...] | None,
    setting: str,
    config: Config,
    sizes: Mapping[str, int] = MappingProxyType({}),
    whole: bool = False,
    optimised: bool = False,
) -> Report:
    """The report on a program given as IR. ``whole``: types that are not known are an error, not a part of it;
    ``optimised`` as in :func:`lower`."""
    from enzyme.gradient.lower import Lowering, lower
    from enzyme.llvm.pipelines import prepare, run_passes

    def named(prepared: str, keep: Collection[str]) -> str:
        return run_passes(prepare(prepared, keep, optimised), ("instruction_namer",))

    config = replace(config, pure_math=False)  # which takes instructions out of derivatives after the plan is made
    done = Lowering("")
    refusals = []
    wanted: list[str] = []
    try:
        if function is None:
            lower(text, config, named, done, optimised)
            if not done.engines:
                raise EnzymeError(
                    f"'{path}' asks for no derivative",
                    why="it has no call of __enzyme_autodiff or the like",
                    hint="name a function with --function",
                )
        else:
            wanted = _differentiate(text, function, mode, activities, named, config, done, optimised)
    except EnzymeError as error:
        if not done.engines or (whole and isinstance(error, TypeUnknownError)):
            raise
        refusals.append(refusal(error))
    derivatives = tuple(collect(done, wanted, sizes))
    sources = read_sources(derivatives, path)
    return Report(f"{path}", setting, derivatives, tuple(refusals), sources)


def _differentiate(
    text: str,
    function: str,
    mode: str,
    activities: tuple[str, ...] | None,
    prepare: Prepare,
    config: Config,
    done: Lowering,
    optimised: bool,
) -> list[str]:
    """Make the derivative of one function; the name the engine gives it."""
    from enzyme.derivatives import default_activity
    from enzyme.gradient.apply import is_float
    from enzyme.gradient.lower import lower, synthesize
    from enzyme.ir.parser import parse_module

    try:
        text = lower(
            text, replace(config, trace=Trace()), prepare, optimised=optimised
        ).text  # it may itself ask for derivatives
    except EnzymeError:
        pass  # what the rest of the program asks for is not the question here
    module = parse_module(text)
    name = _find(function, [n for n, each in module.functions.items() if not each.is_declaration])
    subject = module.functions[name]
    chosen = activities or tuple(default_activity(subject, mode))
    ret = "active" if is_float(subject.result_type) else "const"
    _, made = synthesize(
        text, name, mode, chosen, ret, config, prepare, activities is None, done=done, optimised=optimised
    )
    return [made]


def _find(asked: str, names: list[str]) -> str:
    """The function of that name: exactly, as spelled in C++, or as a part that fits one function only."""
    if asked in names:
        return asked
    plain = {name: demangle(name) for name in names}
    for fits in (
        [name for name, text in plain.items() if text == asked or text.partition("(")[0] == asked],
        [name for name, text in plain.items() if re.search(rf"\b{re.escape(asked)}\b", text.partition("(")[0])],
    ):
        if len(fits) == 1:
            return fits[0]
        if fits:
            raise UsageError(
                f"'{asked}' is the name of {len(fits)} functions",
                why=", ".join(plain[name] for name in fits[:8]),
                hint="write the parameters too, or the mangled name",
            )
    raise UsageError(
        f"there is no function '{asked}' in this program",
        why=f"it defines {', '.join(sorted(plain.values())[:12]) or 'none'}",
        hint="check the name; at -O2 unused static functions are gone",
    )


def _write(report: Report, html: str | None, verbose: bool) -> None:
    if html is not None:
        from enzyme.commands.files import write_output
        from enzyme.explain.page import page

        write_output(html, page(report).encode("utf-8", errors="replace"))
        return
    from rich.console import Console

    from enzyme.explain.text import show

    show(report, Console(highlight=False, emoji=False, markup=False), verbose)
