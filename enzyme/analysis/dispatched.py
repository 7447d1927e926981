"""How the functions made for calls through pointers are recognised; see :mod:`enzyme.gradient.dispatch`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from enzyme.ir.values import CallBase, Function, Value

DISPATCH = "enzyme.dispatch."
_NAME = re.compile(r"enzyme\.dispatch\.[\d.]+(?:addressed[\d.]*)?(?:memory[\d.]*)?")
REST = '"enzyme-rest"'
"""Attribute of the call through the pointer that is left when no known function is meant."""

CODE = '"enzyme-code"'
"""Attribute of parameters that are given functions by every caller."""


def is_dispatch(function: Value | None) -> bool:
    """Whether a function chooses the target of a call through a pointer; its first parameter is the pointer. Its
    derivatives, whose names begin with its name, are functions like any other."""
    return isinstance(function, Function) and _NAME.fullmatch(function.name or "") is not None


def is_rest(call: CallBase) -> bool:
    """Whether it is the call through the pointer, for targets that are not known."""
    return REST in call.attrs


def data_arguments(call: CallBase) -> Sequence[Value]:
    """The arguments without the pointer that a dispatch is given."""
    return call.args[1:] if is_dispatch(call.callee) else call.args
