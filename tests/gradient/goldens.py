"""Tape plans and derivatives of small IR functions, as text: ``python -m tests.gradient.goldens`` writes them anew.

A golden that changed is reviewed as a diff; the numbers are checked elsewhere.
"""

from __future__ import annotations

import re
from pathlib import Path

from enzyme.gradient.engine import Engine
from enzyme.gradient.request import Request
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_function
from enzyme.ir.values import Function, Instruction, Value
from enzyme.llvm.context import parse
from enzyme.llvm.pipelines import prepare
from enzyme.support.config import Config

FOLDER = Path(__file__).with_name("goldens")
TEXT = (FOLDER / "functions.ll").read_text(encoding="utf-8")
NAMES = tuple(name for name in re.findall(r"^define .*@(\w+)\(", TEXT, re.MULTILINE) if name != "callee")
PRINTED = ("square", "overwrite", "choose", "sum_of_squares")


def describe(value: Value) -> str:
    opcode = value.opcode if isinstance(value, Instruction) else type(value).__name__
    return f"{opcode} %{value.name}" if value.name else opcode


def activity(function: Function) -> tuple[str, ...]:
    return tuple("dup" if a.type.is_pointer else "out" if a.type.is_float else "const" for a in function.args)


def golden(name: str) -> str:
    """The plans made for the reverse derivative of one function, and the derivative where it is short."""
    from enzyme.gradient.extract import extract

    whole = parse_module(TEXT)
    names = [name, "callee"] if name == "caller" else [name]
    module = parse_module(prepare(extract(whole, names)))
    function = module.functions[name]
    engine = Engine(module, Config(shadow_scopes=False))  # metadata is the module's, and only a function is printed
    request = Request(name, "reverse", activity(function), "active" if function.result_type.is_float else "const")
    made = engine.derivative(request)
    lines = [f"; {each}\n{plan.report(describe)}\n" for each, (plan, _) in engine.plans.items()]
    if name in PRINTED:
        lines.append(parsed_again(print_function(made)))
    return "\n".join(lines)


def parsed_again(text: str) -> str:
    """Checked by LLVM, in LLVM's own print: names and numbers are then those that a reader sees everywhere."""
    layout = next(line for line in TEXT.split("\n") if line.startswith("target datalayout"))
    declared = f"{layout}\ndeclare double @llvm.sin.f64(double)\ndeclare double @llvm.cos.f64(double)\n"
    printed = str(parse(declared + text))
    return printed[printed.index("define") :].split("\n}\n")[0] + "\n}\n"


def path(name: str) -> Path:
    return FOLDER / f"{name}.txt"


if __name__ == "__main__":
    for each in NAMES:
        path(each).write_text(golden(each), encoding="utf-8")
