"""``python -m enzyme opt``: the bare transformation on a module of LLVM IR."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace

from enzyme.commands.files import read_input, write_output
from enzyme.frontends.ir import load_ir
from enzyme.support.config import Config, config_from_environment
from enzyme.support.diagnostics import UsageError

ANALYSES = ("types", "activity", "alias", "loops", "plan")


def run(words: Sequence[str]) -> int:
    """The command. Returns the exit status."""
    from enzyme.cli import command_line

    parser = argparse.ArgumentParser(
        prog="python -m enzyme opt",
        description="Replace __enzyme_autodiff and __enzyme_fwddiff calls in LLVM IR by derivatives.",
    )
    parser.add_argument("input", metavar="IN", help="text or bitcode; - for standard input")
    parser.add_argument("-S", dest="text", action="store_true", help="write text, not bitcode")
    parser.add_argument("-o", dest="output", metavar="OUT", default="-", help="default - : standard output")
    parser.add_argument("-O", dest="level", type=int, choices=(0, 1, 2, 3), default=0, help="optimise afterwards")
    parser.add_argument("--check-plan", action="store_true", help="code that checks the tape plan as it runs")
    parser.add_argument("--verify-each", action="store_true", help="verify the IR after every synthesis")
    parser.add_argument("--print-analysis", metavar="|".join(ANALYSES), choices=ANALYSES, help="print it and stop")
    parser.add_argument("--function", metavar="F", help="the function whose analysis to print")
    parser.add_argument("--mode", choices=("reverse", "forward"), default="reverse", help="for activity and plan")
    parser.add_argument("--activity", metavar="A,...", help="for the same: const, dup, dupnoneed or out per parameter")
    options = parser.parse_args(list(words))
    config = config_from_environment()
    config = replace(
        config,
        check_plan=config.check_plan or options.check_plan,
        verify_each=config.verify_each or options.verify_each,
    )
    with command_line():
        if options.print_analysis is None and options.function is not None:
            raise UsageError("--function goes with --print-analysis")
        if options.print_analysis is None and not options.text and options.output == "-" and sys.stdout.isatty():
            raise UsageError("bitcode is not written to a terminal", hint="add -S for text, or -o FILE")
    text = load_ir(read_input(options.input), options.input)
    if options.print_analysis is not None:
        activity = options.activity.split(",") if options.activity else None
        print(print_analysis(text, options.print_analysis, options.function, activity, options.mode, config))
        return 0
    write_output(options.output, transform(text, options.text, options.level, config))
    return 0


def transform(text: str, as_text: bool, level: int, config: Config) -> bytes:
    """Differentiate a module; bitcode, or text as LLVM prints it."""
    from enzyme.gradient.lower import lower_module
    from enzyme.jit import optimise_program
    from enzyme.llvm.context import canonical, to_bitcode
    from enzyme.markers import settle_markers

    made = settle_markers(lower_module(text, config))
    # LLVM reads back what the engine wrote before anyone else has to.
    made = optimise_program(made, level, "post", config.cpu) if level else canonical(made)
    return made.encode("utf-8", errors="surrogateescape") if as_text else to_bitcode(made)


def print_analysis(
    text: str, what: str, function: str | None, activity: list[str] | None, mode: str, config: Config
) -> str:
    """What an analysis knows about one function (or every function of the module), as text."""
    from enzyme.gradient.extract import extract, reachable_functions
    from enzyme.ir.parser import parse_module
    from enzyme.llvm.pipelines import prepare

    module = parse_module(text)
    defined = [name for name, each in module.functions.items() if not each.is_declaration]
    if function is not None and function not in defined:
        raise UsageError(
            f"there is no function '{function}' in this module",
            why=f"it defines {', '.join(defined[:12]) or 'none'}",
            hint="check the name; C++ names are mangled",
        )
    names = [function] if function is not None else defined
    prepared = parse_module(prepare(extract(module, reachable_functions(module, names))))
    return "\n\n".join(_one(what, prepared, name, activity, mode, config) for name in names)


def _one(what: str, module: object, name: str, activity: list[str] | None, mode: str, config: Config) -> str:
    from enzyme.ir.module import Module

    assert isinstance(module, Module)
    subject = module.functions[name]
    if what == "loops":
        from enzyme.analysis import loops, tripcount

        return f"{loops.dump(subject)}\n{tripcount.dump(subject)}"
    from enzyme.rules.known import known_callee

    if what == "alias":
        from enzyme.analysis import alias

        return alias.dump(subject, known_callee)
    if what == "types":
        from enzyme.analysis.types_analysis import TypeAnalysis

        return TypeAnalysis(module, known=known_callee).dump(subject)
    from enzyme.derivatives import default_activity
    from enzyme.gradient.engine import Engine
    from enzyme.gradient.request import Request

    chosen = tuple(activity or default_activity(subject, mode))
    if len(chosen) != len(subject.args):
        raise UsageError(f"'{name}' takes {len(subject.args)} arguments, {len(chosen)} activities were given")
    returned = "active" if subject.result_type.scalar.is_float else "const"
    request = Request(name, "forward" if mode == "forward" else "reverse", chosen, returned)
    engine = Engine(module, config)
    if what == "activity":
        return engine.subject(name).activity(request).dump()
    engine.derivative(request)
    return (
        "\n".join(f"{made}\n{plan.report(_shown)}" for made, (plan, _) in engine.plans.items())
        or f"{name}: no tape plan (forward mode keeps nothing)"
    )


def _shown(value: object) -> str:
    from enzyme.ir.printer import print_instruction
    from enzyme.ir.values import Instruction

    return print_instruction(value).strip() if isinstance(value, Instruction) else str(value)
