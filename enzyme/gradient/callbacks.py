"""A function that is given functions to call gets a copy for each of them.

``each(&tree, sum, &total)`` and ``each(&tree, release, &count)`` share one body, which calls through a pointer and
hands on what is behind ``void *``. Seen once for both, the body would call either function with either context: numbers
of the one where the other has integers. In a copy that names the function, the call is direct, and what it is given is
its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from enzyme.gradient.candidates import indirect_callee
from enzyme.gradient.moved_bodies import call_copy, callee_of, calls_inside, copy_function
from enzyme.ir.module import Module
from enzyme.ir.values import Argument, CallBase, Function, Value

Named = tuple[tuple[int, Function], ...]

MOST_COPIES = 8
"""Of one function."""
LARGEST = 4000
"""Instructions of all copies together."""


def copy_for_callbacks(module: Module, functions: Iterable[Function]) -> list[Function]:
    """Make the copies that calls in ``functions``, all with a body, ask for, and call them; the copies."""
    return _Copies(module, list(functions)).made


class _Copies:
    def __init__(self, module: Module, functions: list[Function]) -> None:
        self.module = module
        self.made: list[Function] = []
        self._by_key: dict[tuple[Function, Named], Function] = {}
        self._count: dict[Function, int] = {}
        self._room = LARGEST
        calls = [call for function in functions for call in calls_inside(function)]
        self._shared = _shared(_given(functions, calls))
        while calls and self._shared:
            call = calls.pop()
            callee = callee_of(call)
            named = tuple(
                (parameter.index, value)
                for parameter, value in zip(callee.args, call.args, strict=False)
                if parameter in self._shared and isinstance(value, Function)
            )
            made = self._copy(callee, named) if named else None
            if made is not None:
                call_copy(call, made)
                if made not in self.made:
                    self.made.append(made)
                    calls += calls_inside(made)

    def _copy(self, function: Function, named: Named) -> Function | None:
        found = self._by_key.get((function, named))
        if found is not None:
            return found
        size = sum(len(block.instructions) for block in function.blocks)
        words = self.module.fn_attributes(function)
        ruled = any("enzyme" in word for word in words)
        if ruled or function.function_type.vararg or size > self._room or self._count.get(function, 0) >= MOST_COPIES:
            return None
        self._count[function] = self._count.get(function, 0) + 1
        self._room -= size
        name = f"{function.name}.with.{'.'.join(value.name or '' for _, value in named)}"
        made = copy_function(self.module, function, name)
        self._by_key[function, named] = made
        for index, value in named:
            made.args[index].replace_all_uses_with(value)
        return made


def _given(functions: list[Function], calls: list[CallBase]) -> dict[Argument, set[Value]]:
    """What ``calls`` pass for parameters that are called, or handed on to parameters that are."""
    called: list[Value] = []
    for function in functions:
        callees = (indirect_callee(inst) for inst in function.instructions())
        called += dict.fromkeys(callee for callee in callees if isinstance(callee, Argument))
    given: dict[Argument, set[Value]] = {}
    passed: dict[Argument, set[Value]] = {}
    for call in calls if called else ():
        for parameter, value in zip(callee_of(call).args, call.args, strict=False):
            passed.setdefault(parameter, set()).add(value)
    while called:
        each = called.pop()
        if isinstance(each, Argument) and each not in given:
            given[each] = {value for value in passed.get(each, ()) if value is not each}
            called += given[each]
    return given


def _shared(given: dict[Argument, set[Value]]) -> set[Argument]:
    """The parameters that may be several things."""
    shared = {parameter for parameter, values in given.items() if len(values) > 1}
    grown = True
    while grown:
        further = {parameter for parameter, values in given.items() if not shared.isdisjoint(values)} - shared
        grown = bool(further)
        shared |= further
    return shared
