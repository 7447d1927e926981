"""The shared monotone solver: a fixed point of equations ``state[n] = transfer(n, state)``.

Soundness and termination are the caller's lattice: ``transfer`` must be monotone in the states it reads and the
lattice must have no infinite ascending chain (Kildall 1973; Kam and Ullman 1977). The order in which nodes are
visited changes the time, never the result.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

from enzyme.support.worklist import PriorityWorklist

N = TypeVar("N", bound=Hashable)
L = TypeVar("L")


def solve(
    nodes: Iterable[N],
    bottom: Callable[[N], L],
    transfer: Callable[[N, Mapping[N, L]], L],
    dependents: Callable[[N], Iterable[N]],
) -> dict[N, L]:
    """The least fixed point above ``bottom``.

    Every node is evaluated at least once, in the order given; when a node's state changes (by ``!=``), its
    ``dependents`` are evaluated again. Dependents that are not among ``nodes`` are ignored.
    """
    order = {node: index for index, node in enumerate(nodes)}
    state: dict[N, L] = {node: bottom(node) for node in order}
    work = PriorityWorklist(order.__getitem__, order)
    while work:
        node = work.pop()
        new = transfer(node, state)
        if new != state[node]:
            state[node] = new
            for other in dependents(node):
                if other in order:
                    work.push(other)
    return state
