"""What preparation leaves of the functions that headers define."""

from __future__ import annotations

import re

from enzyme.llvm.inlining import COPIES
from enzyme.llvm.pipelines import prepare

TEXT = """
$small = comdat any
$asked = comdat any
@table = internal constant ptr @pointed
define double @root(double %x) {
  %y = call double @small(double %x)
  %z = call double @pointed(double %y)
  %w = call double @asked(double %z)
  ret double %w
}
define linkonce_odr double @small(double %x) comdat {
  %y = call double @inner(double %x)
  ret double %y
}
define linkonce_odr double @inner(double %x) {
  %y = fmul double %x, %x
  ret double %y
}
define linkonce_odr double @pointed(double %x) {
  ret double %x
}
define linkonce_odr double @asked(double %x) comdat {
  ret double %x
}
"""


def _defined(text: str) -> set[str]:
    return set(re.findall(r"^define [^@]*@(\w+)", text, re.MULTILINE))


def test_what_went_into_all_its_callers_is_dropped() -> None:
    made = prepare(TEXT, {"root", "asked"})
    assert _defined(made) == {"root", "pointed", "asked"}
    assert "call" not in made


def test_all_are_kept_when_nobody_says_what_is_asked() -> None:
    assert _defined(prepare(TEXT)) == {"root", "small", "inner", "pointed", "asked"}


def _chain(levels: int, calls: int, lines: int) -> str:
    """Header functions of which each calls the one before it several times; ``main`` calls the last."""
    text = ["define linkonce_odr double @f0(double %x) {"]
    text += [f"  %s{index} = fadd double %{f's{index - 1}' if index else 'x'}, 1.0" for index in range(lines)]
    text += [f"  ret double %s{lines - 1}", "}"]
    for level in range(1, levels):
        text.append(f"define linkonce_odr double @f{level}(double %x) {{")
        for index in range(calls):
            before = f"c{index - 1}" if index else "x"
            text.append(f"  %c{index} = call double @f{level - 1}(double %{before})")
        text += [f"  ret double %c{calls - 1}", "}"]
    text += [
        "define double @main(double %x) {",
        f"  %r = call double @f{levels - 1}(double %x)",
        "  ret double %r",
        "}",
    ]
    return "\n".join(text) + "\n"


def test_what_goes_into_a_header_function_counts_as_part_of_it() -> None:
    whole = prepare(_chain(8, 4, 50), {"main"}, optimised=True)  # 4 ** 7 times 50 lines
    assert whole.count("\n") < 3 * COPIES
    assert "@f0" not in whole
    assert "call double @f" in whole


def test_header_functions_that_call_one_another_are_measured() -> None:
    text = """define linkonce_odr double @a(double %x) {
  %r = call double @b(double %x)
  ret double %r
}
define linkonce_odr double @b(double %x) {
  %r = call double @a(double %x)
  ret double %r
}
define double @main(double %x) {
  %r = call double @a(double %x)
  ret double %r
}
"""
    assert "define double @main(" in prepare(text, {"main"}, optimised=True)


def test_a_long_chain_of_header_functions_goes_into_its_caller() -> None:
    whole = prepare(_chain(3000, 1, 5), {"main"}, optimised=True)
    assert "call" not in whole
