"""Undefined values are zero before differentiation."""

from __future__ import annotations

import pytest

from enzyme.gradient.undefined import define_undefined
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.ir.verifier import verify_function


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("%m = and i64 %w, -256\n  %v = or i64 %m, 0", "ptr null"),
        ("%m = and i64 %w, -256\n  %v = or i64 %m, %w", "ptr null"),
        ("%v = or i64 %w, 0", "ptr null"),
        ("%v = or i64 %w, 8", "inttoptr i64 8"),  # something was written
        ("%v = or i64 %w, %n", "or i64 0, %n"),
    ],
)
def test_addresses_that_nobody_wrote_lead_nowhere(words: str, expected: str) -> None:
    for nothing in ("undef", "poison"):
        module = parse_module(
            f"""
define ptr @f(i64 %n, ptr %p) {{
  %w = ptrtoint ptr {nothing} to i64
  {words}
  %r = inttoptr i64 %v to ptr
  ret ptr %r
}}"""
        )
        define_undefined(module)
        verify_function(module.functions["f"])
        text = print_module(module)
        assert expected in text and "ptrtoint" not in text


def test_addresses_that_were_written_stay() -> None:
    module = parse_module("define i64 @f(ptr %p) {\n  %w = ptrtoint ptr %p to i64\n  ret i64 %w\n}\n")
    define_undefined(module)
    assert "ptrtoint ptr %p" in print_module(module)
