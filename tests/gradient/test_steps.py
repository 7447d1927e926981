"""Steps from pointers that may be null, by integers that may be addresses."""

from __future__ import annotations

import pytest

from enzyme.gradient.steps import steps_that_may_be
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.types import I1, VOID, FunctionType
from enzyme.ir.values import Select

TEXT = """
@table = internal global [8 x i64] zeroinitializer

define double @f(ptr %base, i64 %n) {{
entry:
  %at = load i64, ptr @table, align 8
  %p = inttoptr i64 %at to ptr
  %first = load double, ptr %p, align 8
  %cell = getelementptr i64, ptr @table, i64 %n
  %word = load i64, ptr %cell, align 8
  %less = sub i64 %word, %n
  %index = add i64 %less, 1
  store i64 %index, ptr @table, align 8
  %q = getelementptr {element}, ptr %base, i64 %index
  %second = load double, ptr %q, align 8
  %sum = fadd double %first, %second
  %kept = ptrtoint ptr %base to i64
  store i64 %kept, ptr @table, align 8
  ret double %sum
}}
"""


@pytest.mark.parametrize(("element", "chosen"), [("i8", True), ("double", False)])
def test_an_address_times_the_size_of_elements_is_none(element: str, chosen: bool) -> None:
    """Counts lie in one block with addresses here, and look like them: from null, so many elements lead nowhere."""
    module: Module = parse_module(TEXT.format(element=element))
    stops = []

    def insist():  # type: ignore[no-untyped-def]
        stops.append(module.declare_function("insist", FunctionType(VOID, (I1,))))
        return stops[0]

    steps_that_may_be(module, insist)
    made = [i for i in module.functions["f"].instructions() if isinstance(i, Select)]
    assert (len(made), len(stops)) == ((1, 0) if chosen else (0, 1))
