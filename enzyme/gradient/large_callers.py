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
from collections.abc import Collection, Iterable, Sequence

from enzyme.gradient.moved_bodies import callee_of, calls_inside
from enzyme.ir.module import Module
from enzyme.ir.values import CallBase, Function
from enzyme.support.devices import is_gpu
from enzyme.support.graphs import successors_first

ALTOGETHER = 4000
"""Instructions of all derivatives together, as they are made, that may become part of one function."""


def keep_calls(module: Module, asking: Sequence[Function], derivatives: Collection[str]) -> None:
    """Have functions ``asking`` for derivatives, directly or through others, call those that are too much for them. One
    derivative alone is LLVM's to weigh, and on GPUs a call costs more than code."""
    if is_gpu(module.triple):
        return
    made = [module.functions[name] for name in derivatives if name in module.functions]
    askers = set(asking).difference(made)
    holding = askers.union(made)
    calls = _called_by([*asking, *made])
    uses = Counter(call.callee for found in calls.values() for call in found)
    sizes: dict[Function, int] = {}
    """Of what may become part of a caller; what goes around in a circle of calls counts as nothing there."""
    for function in successors_first({each: list(map(callee_of, found)) for each, found in calls.items()}):
        once = [call for call in calls[function] if uses[call.callee] == 1 and not _says(module, call, "noinline")]
        inside = {call: sizes.get(callee_of(call), 0) for call in once}
        if function in askers:
            inside = {call: size for call, size in inside.items() if size and callee_of(call) in holding}
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


def _is_llvms_choice(module: Module, call: CallBase) -> bool:
    """Whether LLVM takes what is called into its only caller if it likes to."""
    return "internal" in callee_of(call).prefix and not _says(module, call, "alwaysinline")


def _says(module: Module, call: CallBase, word: str) -> bool:
    return word in module.fn_attributes(call)


def _called_by(functions: Iterable[Function]) -> dict[Function, list[CallBase]]:
    """The calls in ``functions`` that have a body, and in what they call, directly or through others."""
    found: dict[Function, list[CallBase]] = {}
    work = [each for each in functions if not each.is_declaration]
    while work:
        function = work.pop()
        if function not in found:
            found[function] = calls_inside(function)
            work += map(callee_of, found[function])
    return found
