"""What ``opt --print-analysis`` prints: every analysis of the engine, alone, on one function.

Values without a name are named first, metadata is left out, and source lines are written beside instructions that
have them: the dumps are for people.
"""

from __future__ import annotations

import re

from enzyme.ir.module import Module
from enzyme.ir.values import Function
from enzyme.support.config import Config
from enzyme.support.diagnostics import EnzymeError, UsageError

ANALYSES = ("types", "activity", "alias", "loops", "tripcount", "plan")

_DEBUG = re.compile(r", !dbg (!\d+)")
_METADATA = re.compile(r", !(?!dbg\b)[A-Za-z][\w.]* !(?:\d+|\{\})")
_BYTES = re.compile(r"\[0\]:(int|\w+)((?:, \[\d+\]:\1)+)(?=[,}])")


def print_analysis(
    text: str, what: str, function: str | None, activity: list[str] | None, mode: str, config: Config
) -> str:
    """What an analysis knows about one function (or every function of the module), as text."""
    from enzyme.gradient.extract import extract, reachable_functions
    from enzyme.gradient.jumps import number_labels, read_prepared
    from enzyme.ir.parser import parse_module
    from enzyme.llvm.pipelines import prepare, run_passes

    module = parse_module(number_labels(text))
    defined = [name for name, each in module.functions.items() if not each.is_declaration]
    if function is not None and function not in defined:
        raise UsageError(
            f"there is no function '{function}' in this module",
            why=f"it defines {', '.join(defined[:12]) or 'none'}",
            hint="check the name; C++ names are mangled",
        )
    names = [function] if function is not None else defined
    reached = extract(module, reachable_functions(module, names))
    named = read_prepared(run_passes(prepare(reached), ("instruction_namer",)))
    parts = []
    for name in names:
        try:
            part = _one(what, named, name, activity, mode, config)
        except EnzymeError as error:
            if function is not None:
                raise
            part = f"{name}: {error}"  # of a whole module, the other functions are still of interest
        parts.append(_readable(part, named, named.functions[name]))
    return "\n\n".join(parts)


def _one(what: str, module: Module, name: str, activity: list[str] | None, mode: str, config: Config) -> str:
    subject = module.functions[name]
    if what == "loops":
        from enzyme.analysis import loops

        return loops.dump(subject)
    if what == "tripcount":
        from enzyme.analysis import tripcount

        return tripcount.dump(subject)
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

    chosen = tuple(each.removeprefix("enzyme_") for each in activity or default_activity(subject, mode))
    if len(chosen) != len(subject.args):
        raise UsageError(f"'{name}' takes {len(subject.args)} arguments, {len(chosen)} activities were given")
    for each in chosen:
        if each not in ("const", "dup", "dupnoneed", "out"):
            raise UsageError(f"there is no activity '{each}'", hint="use const, dup, dupnoneed or out")
    returned = "active" if subject.result_type.scalar.is_float else "const"
    request = Request(name, "forward" if mode == "forward" else "reverse", chosen, returned)
    engine = Engine(module, config)
    if what == "activity":
        legend = "  v varied: depends on an input, u useful: a result depends on it, A active: has a derivative,"
        return f"{engine.subject(name).activity(request).dump()}\n{legend} S needs a shadow"
    engine.derivative(request)
    return (
        "\n".join(f"{made}\n{plan.report(_shown)}" for made, (plan, _) in engine.plans.items())
        or f"{name}: no tape plan (forward mode keeps nothing)"
    )


def _shown(value: object) -> str:
    from enzyme.ir.printer import print_instruction
    from enzyme.ir.values import Instruction

    return print_instruction(value).strip() if isinstance(value, Instruction) else str(value)


def _readable(text: str, module: Module, function: Function) -> str:
    places: dict[str, str] = {}
    for instruction in function.instructions():
        node = instruction.metadata.get("dbg", "")
        place = module.debug_location(instruction) if node and node not in places else None
        if place is not None:
            places[node] = f"  ; {place}"
    lines = []
    for line in text.split("\n"):
        line = _METADATA.sub("", line)
        found = _DEBUG.search(line)
        line = _BYTES.sub(_together, _DEBUG.sub("", line))
        lines.append(line + places.get(found[1], "") if found else line)
    return "\n".join(lines)


def _together(found: re.Match[str]) -> str:
    """Eight bytes of one kind as ``[0..7]:int``, where they follow one another."""
    offsets = [int(each) for each in re.findall(r"\[(\d+)\]", found[0])]
    consecutive = offsets == list(range(len(offsets)))
    return f"[0..{offsets[-1]}]:{found[1]}" if consecutive else found[0]
