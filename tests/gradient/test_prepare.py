"""What preparation leaves of the functions that headers define."""

from __future__ import annotations

import re

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
