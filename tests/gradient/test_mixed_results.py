"""Functions whose results are moved to memory are still IR that LLVM reads."""

from __future__ import annotations

from enzyme.gradient.mixed_results import results_to_memory
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.llvm.context import parse

TEXT = """
define internal { ptr, double } @pair(ptr %p, double %w) unnamed_addr #0 {
  %a = insertvalue { ptr, double } poison, ptr %p, 0
  %b = insertvalue { ptr, double } %a, double %w, 1
  ret { ptr, double } %b
}
define double @user(ptr %p) {
  %r = call { ptr, double } @pair(ptr %p, double 2.0) #1
  %q = extractvalue { ptr, double } %r, 0
  %v = load double, ptr %q
  ret double %v
}
attributes #0 = { mustprogress noinline nounwind memory(none) "no-trapping-math"="true" }
attributes #1 = { nounwind }
"""


def test_results_in_memory_of_functions_whose_address_nobody_takes() -> None:
    module = parse_module(TEXT)
    results_to_memory(module)
    text = print_module(module)
    parse(text).verify()
    assert "call void @pair.memory" in text and "memory(none)" not in text.split("@pair.memory")[1].split("\n")[0]
