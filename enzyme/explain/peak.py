"""How many bytes of tape a derivative has at its largest, as the plan says."""

from __future__ import annotations

from enzyme.analysis.symbolic import Sym, constant, operation
from enzyme.gradient.plan import LoopTape, TapePlan


def peak(plan: TapePlan) -> str:
    """The bytes of all kept values, in words. Arrays that grow are given room for up to twice as many."""
    fixed = sum(plan.sizes[value] for value in plan.scalars)
    open_ended: list[str] = []
    for tape in plan.tapes:
        size = plan.bytes_per_iteration(tape)
        if tape.total is not None:
            fixed += size * tape.total
        else:
            open_ended.append(f"{size} * {_rounds(tape)}")
    words = [f"{fixed} bytes"] if fixed or not open_ended else []
    return " + ".join([*words, *open_ended]) + (" bytes" if open_ended else "")


def _rounds(tape: LoopTape) -> str:
    """How often a loop's body runs in all."""
    if tape.sizing.startswith("grow"):
        return "the iterations of the loop"
    return " * ".join(_count(count) for count in tape.counts)


def _count(count: Sym | None) -> str:
    assert count is not None
    return str(operation("add", count, constant(1, count.bits)))
