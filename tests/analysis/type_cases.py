"""Small IR functions and what type analysis says of them."""

from __future__ import annotations

from enzyme.analysis.types_analysis import TypeAnalysis, TypeResult
from enzyme.ir.parser import parse_module
from enzyme.ir.values import Value
from enzyme.rules.known import known_callee

DECLARATIONS = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @llvm.smax.i64(i64, i64)
declare ptr @malloc(i64)
declare i64 @strlen(ptr)
"""


def analyse(text: str, name: str = "f") -> TypeResult:
    module = parse_module(DECLARATIONS + text)
    return TypeAnalysis(module, known_callee).analyze(module.get_function(name))


def value(result: TypeResult, name: str) -> Value:
    for found in [*result.function.args, *result.function.instructions()]:
        if found.name == name:
            return found
    raise KeyError(name)


def kinds(result: TypeResult, pointer: str, size: int) -> list[str]:
    return [str(segment) for segment in result.memory_kinds(value(result, pointer), size)]
