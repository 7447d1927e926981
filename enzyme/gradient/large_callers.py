"""Functions that ask for many derivatives call them, and do not become all of them.

LLVM takes a function that one place calls into that place, up to some thousand instructions each, however many are
there already: a driver that takes fifty derivatives, or a test of them, became one function of tens of thousands of
instructions. Vectorising, unrolling and finding registers take more than in proportion for it, and what one derivative
wants registers for is weighed against all others. A derivative has loops; what its call costs is nothing beside them.
So a function is given derivatives of up to :data:`ALTOGETHER` instructions, the smallest first, which gain most where
constants and arrays known to be apart come to them, and calls the others. One that has derivatives inside it counts
with them where it is called itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Set

from enzyme.ir.module import Module
from enzyme.ir.values import CallBase, Function
from enzyme.support.devices import is_gpu

ALTOGETHER = 4000
"""Instructions of all derivatives together, as they are made, that may become part of one function."""


def keep_calls(module: Module, asking: Set[Function], derivatives: Collection[str]) -> None:
    """Have functions ``asking`` for derivatives, directly or through others, call those that are too much for them. One
    derivative alone is LLVM's to weigh, and on GPUs a call costs more than code."""
    if is_gpu(module.triple):
        return
    made = {module.functions[name]: None for name in derivatives if name in module.functions}
    askers = {each: None for each in module.functions.values() if each in asking and each not in made}
    callees = {each: list(_calls(each)) for each in _reached([*askers, *made])}
    uses = Counter(call.callee for calls in callees.values() for call in calls)
    sizes: dict[Function, int] = {}
    for function in _callees_first(callees):
        once = [call for call in callees[function] if uses[call.callee] == 1 and not _says(module, call, "noinline")]
        inside = {call: sizes.get(_callee(call), 0) for call in once}
        if function in askers:
            inside = {call: size for call, size in inside.items() if size and _callee(call) in (askers | made)}
            for call in _beyond({call: size for call, size in inside.items() if _is_llvms_choice(module, call)}):
                call.attrs = (*call.attrs, "noinline")
                del inside[call]
        if inside or function not in askers:
            sizes[function] = sum(1 for _ in function.instructions()) + sum(inside.values())


def _beyond(sizes: dict[CallBase, int]) -> list[CallBase]:
    """The calls, with the instructions of what they call, that are too much; not the only one."""
    if len(sizes) < 2:
        return []
    total, found = 0, list[CallBase]()
    for call in sorted(sizes, key=lambda call: sizes[call]):  # of two alike, that which is written first
        total += sizes[call]
        if total > ALTOGETHER:
            found.append(call)
    return found


def _callee(call: CallBase) -> Function:
    assert isinstance(call.callee, Function)
    return call.callee


def _calls(function: Function) -> Iterator[CallBase]:
    """Direct calls of functions that have a body."""
    for inst in function.instructions():
        if isinstance(inst, CallBase) and isinstance(inst.callee, Function) and not inst.callee.is_declaration:
            yield inst


def _is_llvms_choice(module: Module, call: CallBase) -> bool:
    """Whether LLVM takes what is called into its only caller if it likes to."""
    return "internal" in _callee(call).prefix and not _says(module, call, "alwaysinline")


def _says(module: Module, call: CallBase, word: str) -> bool:
    return word in module.fn_attributes(call)


def _reached(functions: Collection[Function]) -> dict[Function, None]:
    """``functions`` that have a body, and what they call, directly or through others."""
    found: dict[Function, None] = {}
    work = [each for each in functions if not each.is_declaration]
    while work:
        function = work.pop()
        if function not in found:
            found[function] = None
            work += map(_callee, _calls(function))
    return found


def _callees_first(callees: dict[Function, list[CallBase]]) -> list[Function]:
    """Functions after all that they call, but where calls go in circles."""
    order: dict[Function, None] = {}
    entered: set[Function] = set()
    for root in callees:
        stack = [root]
        while stack:
            function = stack[-1]
            if function not in entered:
                entered.add(function)
                stack += [each for each in map(_callee, callees[function]) if each not in entered]
                continue
            stack.pop()
            order.setdefault(function)
    return list(order)
