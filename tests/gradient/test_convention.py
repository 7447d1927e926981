"""The calling convention on IR: markers as other front ends write them, and names."""

from __future__ import annotations

import re

import pytest

from enzyme.gradient.convention import ALL_MARKERS, entry_point
from enzyme.gradient.lower import lower_module
from enzyme.markers import settle_markers
from enzyme.support.config import Config
from enzyme.support.diagnostics import UsageError

F = "define double @f(double %x, double %y) {\n  %r = fmul double %x, %y\n  ret double %r\n}\n"


def test_metadata_markers() -> None:
    call = 'call double (ptr, ...) @__enzyme_autodiff(ptr @f, metadata !"enzyme_const", double %x, double %y)'
    text = f"{F}define double @g(double %x, double %y) {{\n  %r = {call}\n  ret double %r\n}}\n"
    made = lower_module(text + "declare double @__enzyme_autodiff(ptr, ...)\n", Config())
    assert re.search(r"call double @f\.reverse\.cor\(double %\w+, double %\w+, double 0x3FF0", made)


@pytest.mark.parametrize(
    "name",
    ["_ZL10enzyme_dup", "_ZN6enzyme10enzyme_dupE", "_ZN4mine12_GLOBAL__N_110enzyme_dupE", "enzyme_dup.7", "enzyme_dup"],
)
def test_mangled_markers(name: str) -> None:
    call = f"call double (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr @{name}, double %x, double 1.0, i32 %m, double %y)"
    text = f"""{F}@{name} = internal global i32 0
@enzyme_const = external global i32
define double @g(double %x, double %y) {{
  %m = load i32, ptr @enzyme_const
  %r = {call}
  ret double %r
}}
declare double @__enzyme_fwddiff(ptr, ...)
"""
    made = lower_module(text, Config())
    assert re.search(r"call double @f\.forward\.dcr\(double %\w+, double 1\.0\S*, double %\w+\)", made)


def test_other_globals_are_no_markers() -> None:
    text = f"""{F}@my_enzyme_dup = internal global double 0.0
define double @g(double %y) {{
  %m = load double, ptr @my_enzyme_dup
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %m, double 1.0, double %y, double 2.0)
  ret double %r
}}
declare double @__enzyme_fwddiff(ptr, ...)
"""
    assert re.search(r"call double @f\.forward\.ddr\(double %\w+, double 1\.0", lower_module(text, Config()))


def test_names_of_entry_points() -> None:
    assert entry_point("_Z17__enzyme_autodiffIdJPFddEEEvT0_") == "autodiff"
    assert entry_point("__enzyme_virtualreverse") == "virtualreverse"
    assert entry_point("__enzyme_augmentsize1") == "augmentsize"
    assert entry_point("enzyme_autodiff") is None


def test_every_marker_gets_a_definition() -> None:
    for name in ALL_MARKERS:
        assert f"@{name} = weak global i32 0" in settle_markers(f"@{name} = external global i32, align 4")


def test_what_never_ends_is_refused_with_both_names() -> None:
    text = """define double @f(double %x) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %r
}
declare double @__enzyme_autodiff(ptr, ...)
"""
    with pytest.raises(UsageError, match="the derivative of 'f' is made of itself"):
        lower_module(text, Config())
