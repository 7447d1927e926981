"""What tests of activity share: a program's declarations, the analysis of one function, what it found by names."""

from __future__ import annotations

from enzyme.analysis.activity import ActivityResult, analyze_activity
from enzyme.analysis.types_analysis import TypeAnalysis
from enzyme.ir.parser import parse_module
from enzyme.ir.values import Function, Instruction, Store, Value
from enzyme.rules.known import known_callee

DECLARATIONS = """
declare double @sin(double)
declare double @mystery(double)
declare void @mystery_fill(ptr)
declare void @log_value(double)
declare double @peek()
declare i32 @count(ptr) memory(argmem: read)
declare i32 @printf(ptr, ...)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @abort() noreturn
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"""


def analyse(
    text: str,
    activity: list[str],
    ret: bool = True,
    name: str = "f",
    shadowed: frozenset[str] = frozenset(),
    typed: bool = True,
) -> ActivityResult:
    module = parse_module(DECLARATIONS + text)
    function = module.get_function(name)
    types = TypeAnalysis(module, known_callee).analyze(function) if typed else None
    return analyze_activity(
        function, module, activity, ret, types, known_callee, lambda call: False, shadowed_globals=shadowed
    )


def value(result: ActivityResult, name: str) -> Value:
    function: Function = result.function
    for found in [*function.args, *function.instructions()]:
        if found.name == name:
            return found
    raise KeyError(name)


def active(result: ActivityResult) -> set[str]:
    """Names of active values."""
    function = result.function
    return {v.name for v in [*function.args, *function.instructions()] if v.name and result.active_value(v)}


def stores(result: ActivityResult) -> list[Instruction]:
    return [i for i in result.function.instructions() if isinstance(i, Store)]


def kinds(result: ActivityResult) -> list[str]:
    return [p.kind for p in result.problems]
