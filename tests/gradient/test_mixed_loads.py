"""A number that is an address in another case is loaded as both."""

from __future__ import annotations

from enzyme.gradient.mixed_loads import separate_mixed_loads
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.llvm.context import parse

TEXT = """
define double @f(ptr %u, i1 %text) {
start:
  %x = load KIND, ptr %u
  br i1 %text, label %words, label %number
words:
  %bits = bitcast double %x to i64
  %p = inttoptr i64 %bits to ptr
  %y = load double, ptr %p
  ret double %y
number:
  ret double %x
}
"""


def _separated(kind: str) -> str:
    module = parse_module(TEXT.replace("KIND", kind))
    separate_mixed_loads(module)
    text = print_module(module)
    parse(text)
    return text


def test_loaded_as_both() -> None:
    made = _separated("double")
    assert "load ptr, ptr %u" in made and "%x = load double, ptr %u" in made
    assert "inttoptr" not in made and "bitcast" not in made


def test_volatile_loads_stay() -> None:
    assert "inttoptr" in _separated("volatile double")
