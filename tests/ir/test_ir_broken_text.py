"""Text that LLVM would not print is read or refused by name; it never ends in another exception."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from enzyme.ir.lexer import TOKEN
from enzyme.ir.parser import parse_module
from enzyme.ir.values import Function, GlobalVariable, Value
from enzyme.support.diagnostics import ParseError

TEXT = (Path(__file__).parent / "corners.ll").read_text()
SPANS = [found.span() for found in TOKEN.finditer(TEXT)]
SPAN = st.sampled_from(SPANS)


def check(text: str) -> None:
    """Read all of ``text``; a refusal leaves no use behind in the globals."""
    try:
        module = parse_module(text)
    except ParseError:
        return
    readable: set[Value] = set()
    for function in module.functions.values():
        try:
            readable.update(function.instructions())
        except ParseError:
            continue
    for variable in module.globals.values():
        try:
            variable.initializer  # noqa: B018
        except ParseError:
            continue
    tracked: list[Function | GlobalVariable] = [*module.functions.values(), *module.globals.values()]
    assert all(user in readable for value in tracked for user in value.users)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(at=SPAN, other=SPAN)
def test_one_token_replaced(at: tuple[int, int], other: tuple[int, int]) -> None:
    check(TEXT[: at[0]] + TEXT[slice(*other)] + TEXT[at[1] :])


@settings(max_examples=150, deadline=None, derandomize=True)
@given(at=SPAN)
def test_one_token_lost(at: tuple[int, int]) -> None:
    check(TEXT[: at[0]] + TEXT[at[1] :])


@settings(max_examples=50, deadline=None, derandomize=True)
@given(at=SPAN)
def test_cut_short(at: tuple[int, int]) -> None:
    check(TEXT[: at[0]])
