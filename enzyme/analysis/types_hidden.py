"""Memory that nobody but the analysed functions sees.

Bytes of it that none of them takes for a number or a pointer are none to the derivative: members that nobody reads,
padding, what is left of an array. Block copies move them along, and to know what they are would change nothing. Memory
that others may look at is what leads from the arguments and results of the function asked about, from globals, and from
arguments of functions whose body is not at hand or whose derivative the program gives. Where the analysis keeps places
apart that are one memory (cases of a dispatch, views through which anything is accessed), facts about one need not have
come to the other: they count as seen. A view of which nothing is known, of a pointer that is only freed, say, is seen
where one of its places is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from enzyme.analysis.activity_callees import CUSTOM
from enzyme.analysis.types_regions import Place, Region
from enzyme.ir.types import PointerType
from enzyme.ir.values import CallBase, Constant, Value

if TYPE_CHECKING:
    from enzyme.analysis.types_instructions import InstructionTypes
    from enzyme.analysis.types_transfer import Facts


def seen_by_others(
    facts: Facts, root: InstructionTypes, instances: Sequence[InstructionTypes], apart: Iterable[Place]
) -> set[Region]:
    """The regions that others may look at; ``apart``: places that are kept apart from others that they are one with."""
    regions = facts.regions
    work = [(region, 0) for region in facts.global_memory.values()] + [*apart]
    one: dict[Region, list[Place]] = {}
    for view, place in facts.views.edges():
        here, there = regions.find(view)[0], regions.find(place)[0]
        one.setdefault(here, []).append(place)
        one.setdefault(there, []).append(view)
        if here.cells:
            work += [view, place]
    for value in (*root.function.args, *root.returned):
        work += _places(root, value)
    for instance in instances:
        for inst in instance.function.instructions():
            if isinstance(inst, CallBase) and not _is_followed(facts, inst):
                work += [place for argument in inst.args for place in _places(instance, argument)]
    found: set[Region] = set()
    while work:
        region = regions.find(work.pop())[0]
        if region not in found:
            found.add(region)
            work += [cell.target for cell in region.cells.values() if cell.target is not None]
            work += one.get(region, [])
    return found


def _places(instance: InstructionTypes, value: Value) -> Iterator[Place]:
    if isinstance(value.type, PointerType):
        yield instance.address(value)
    elif not isinstance(value, Constant):
        yield instance.register(value)


def _is_followed(facts: Facts, call: CallBase) -> bool:
    """Whether the analysis sees all that a call does with the memory it is given."""
    known = facts.callees.facts(call)
    if known.status == "unknown" or known.callee is None:
        return False
    if known.status == "known":
        return not known.captures
    alike = all(p.type is a.type for p, a in zip(known.callee.args, call.args, strict=False))
    return alike and len(known.callee.args) == len(call.args) and not facts.callees.attributes(call) & {CUSTOM}
