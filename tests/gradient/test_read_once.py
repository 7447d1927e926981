"""Passes that find nothing to do share what they have read."""

from __future__ import annotations

from enzyme.gradient.read_once import read_once

_TEXT = """define double @f(double %x) {
  %y = fmul double %x, %x
  ret double %y
}

declare double @g(double)
"""


def test_what_has_been_read_is_there_for_the_next_pass() -> None:
    program = read_once(_TEXT)
    ((function, body),) = program.bodies
    forest = program.loops(function)
    assert function.body_text is None  # it has been read
    again = read_once(program)
    assert again is program and again.module is function.module
    assert again.bodies == [(function, body)] and "fmul" in body
    assert again.loops(function) is forest


def test_another_text_is_read_by_itself() -> None:
    program = read_once(_TEXT)
    other = read_once(str(program))
    assert other == program and other.module is not program.module
