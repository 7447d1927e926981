"""Functions that a program says are like others: known by what they are like, not by their bodies."""

from __future__ import annotations

from enzyme.gradient.registrations import marks
from enzyme.ir.module import Module
from enzyme.ir.values import Function
from enzyme.rules.like import allocator_name, deallocator_name, like_name


def rename_likes(module: Module) -> None:
    """Give such functions of a prepared module names that say what they are like, and take their bodies away."""
    for name, function in list(module.functions.items()):
        found = marks(module, function)
        if "enzyme_math" in found:
            _rename(function, like_name(name, found["enzyme_math"]))
        elif "enzyme_allocator" in found:
            made = allocator_name(name, int(found["enzyme_allocator"]), found.get("enzyme_deallocator", "free"))
            _rename(function, made)
        elif "enzyme_deallocates" in found:
            _rename(function, deallocator_name(name))


def _rename(function: Function, name: str) -> None:
    function.name = name  # bodies that are still text find it under its old name
    function.forget_body()
