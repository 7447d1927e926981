"""``python -m enzyme opt``: the bare transformation on a module of LLVM IR."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from enzyme.commands import tracing
from enzyme.commands.files import read_input, write_output
from enzyme.commands.parser import Parser
from enzyme.frontends.ir import is_optimised, load_ir
from enzyme.support.config import Config, config_from_environment, read_bytes, switches, turned_off
from enzyme.support.diagnostics import EnzymeError, UsageError

ANALYSES = ("types", "activity", "alias", "loops", "tripcount", "plan")


def run(words: Sequence[str]) -> int:
    """The command. Returns the exit status."""
    from enzyme.cli import command_line

    parser = Parser(
        prog="python -m enzyme opt",
        description="Replace __enzyme_autodiff and __enzyme_fwddiff calls in LLVM IR by derivatives.",
    )
    parser.add_argument("input", metavar="IN", help="text or bitcode; - for standard input")
    parser.add_argument("-S", dest="text", action="store_true", help="write text, not bitcode")
    parser.add_argument("-o", dest="output", metavar="OUT", default="-", help="default - : standard output")
    parser.add_argument("-O", dest="level", type=int, choices=(0, 1, 2, 3), help="optimise afterwards (0; 3 for PTX)")
    parser.add_argument("--ptx", metavar="CPU", help="write PTX for a GPU of NVIDIA, for instance sm_90")
    parser.add_argument("--libdevice", metavar="FILE", type=Path, help="CUDA's libdevice.10.bc; found in CUDA_HOME")
    parser.add_argument("--check-plan", action="store_true", help="code that checks the tape plan as it runs")
    parser.add_argument("--strong-zero", action="store_true", help="zero times infinity is zero in derivatives")
    parser.add_argument(
        "--runtime-activity", action="store_true", help="a shadow equal to its primal is inactive memory at run time"
    )
    parser.add_argument("--off", metavar="NAME,...", default="", help=f"turn off: {', '.join(switches())} or all")
    parser.add_argument("--tape-limit", metavar="BYTES", default="", help="loops stay under so much tape, e.g. 64MiB")
    parser.add_argument("--verify-each", action="store_true", help="verify the IR after every synthesis")
    parser.add_argument("--print-analysis", metavar="|".join(ANALYSES), choices=ANALYSES, help="print it and stop")
    parser.add_argument("--function", metavar="F", help="the function whose analysis to print")
    parser.add_argument("--mode", choices=("reverse", "forward"), default="reverse", help="for activity and plan")
    parser.add_argument("--activity", metavar="A,...", help="for the same: const, dup, dupnoneed or out per parameter")
    tracing.add_arguments(parser)
    options = parser.parse_args(list(words))
    with command_line():
        asked = tracing.from_arguments(options)
        config = turned_off(config_from_environment(), options.off)
        if options.tape_limit:
            config = replace(config, tape_limit=read_bytes(options.tape_limit))
    config = replace(
        config,
        check_plan=config.check_plan or options.check_plan,
        strong_zero=options.strong_zero,
        runtime_activity=options.runtime_activity,
        verify_each=config.verify_each or options.verify_each,
        cpu=options.ptx or config.cpu,
        trace=asked.trace(),
    )
    with command_line():
        if options.print_analysis is None and options.function is not None:
            raise UsageError("--function goes with --print-analysis")
        if options.libdevice is not None and options.ptx is None:
            raise UsageError("--libdevice goes with --ptx")
        if options.ptx is not None:
            from enzyme.llvm.ptx import check_processor

            check_processor(options.ptx)
        textual = options.text or options.ptx is not None
        if options.print_analysis is None and not textual and options.output == "-" and sys.stdout.isatty():
            raise UsageError("bitcode is not written to a terminal", hint="add -S for text, or -o FILE")
    data = read_input(options.input)
    if not data.strip() and options.input == "-":
        raise EnzymeError(
            "standard input is empty",
            why="whatever was to write a module into the pipe wrote none",
            hint="zig's compiler driver takes '-o -' for a file named '-': write to a file instead, or let "
            "python -m enzyme cc -flto -c -o - FILE.c write the bitcode",
        )
    text = load_ir(data, "<stdin>" if options.input == "-" else options.input)
    if options.print_analysis is not None:
        from enzyme.commands.analyses import print_analysis

        activity = options.activity.split(",") if options.activity else None
        print(print_analysis(text, options.print_analysis, options.function, activity, options.mode, config))
        return 0
    try:
        level = options.level if options.level is not None else 3 if options.ptx is not None else 0
        made = transform(text, textual, level, config)
        if options.ptx is not None:
            from enzyme.llvm.ptx import emit_ptx

            made = emit_ptx(made.decode(), options.ptx, options.libdevice, level).encode()
        write_output(options.output, made)
    finally:
        tracing.report(config.trace)
    return 0


def transform(text: str, as_text: bool, level: int, config: Config) -> bytes:
    """Differentiate a module; bitcode, or text as LLVM prints it."""
    from enzyme.gradient.lower import lower_module
    from enzyme.llvm.context import canonical, to_bitcode
    from enzyme.markers import settle_markers
    from enzyme.optimise import optimise_program
    from enzyme.relaxed import as_configured

    made = settle_markers(lower_module(as_configured(text, config), config, optimised=is_optimised(text)))
    # LLVM reads back what the engine wrote before anyone else has to.
    with config.trace.step("optimise"):
        made = optimise_program(made, level, "post", config) if level else canonical(made)
    config.trace.program("optimise", made)
    if not as_text:
        return to_bitcode(made)
    header = text.partition("\n")[0]
    if header.startswith("; ModuleID = ") and made.startswith("; ModuleID = "):
        made = f"{header}\n{made.partition(chr(10))[2]}"
    return made.encode("utf-8", errors="surrogateescape")
