"""Pointers that are read from text: ``sscanf(text, "%p", &pointer)``. Nobody knows what they lead to."""

from __future__ import annotations

import re

from enzyme.ir.values import CallBase, ConstantString, GlobalVariable

_SCANNERS = re.compile(r"(__isoc(99|23)_)?v?[sf]?scanf")
_POINTER = re.compile(r"%\d*p")


def reads_pointer(call: CallBase) -> bool:
    """Whether the format of a call of the ``scanf`` family asks for a pointer. One that is not constant is taken for
    one of numbers and words."""
    if not _SCANNERS.fullmatch(call.callee_name or ""):
        return False
    for argument in call.args[:2]:
        text = argument.initializer if isinstance(argument, GlobalVariable) and argument.is_constant else None
        if isinstance(text, ConstantString) and _POINTER.search(text.text.replace("%%", "")):
            return True
    return False
