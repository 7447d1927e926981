"""Strongly connected components of a graph: a list of successor lists over nodes ``0 .. n-1``."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

Graph = Sequence[Sequence[int]]
Node = TypeVar("Node", bound=Hashable)


def strong_components(successors: Graph) -> list[list[int]]:
    """Strongly connected components, each before the components that lead to it (Tarjan 1972, iterative)."""
    count = len(successors)
    number = [-1] * count
    low = [0] * count
    on_stack = [False] * count
    stack: list[int] = []
    components: list[list[int]] = []
    clock = 0
    for root in range(count):
        if number[root] >= 0:
            continue
        number[root] = low[root] = clock
        clock += 1
        stack.append(root)
        on_stack[root] = True
        work = [(root, iter(successors[root]))]
        while work:
            node, rest = work[-1]
            for other in rest:
                if number[other] < 0:
                    number[other] = low[other] = clock
                    clock += 1
                    stack.append(other)
                    on_stack[other] = True
                    work.append((other, iter(successors[other])))
                    break
                if on_stack[other]:
                    low[node] = min(low[node], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    component: list[int] = []
                    while True:
                        member = stack.pop()
                        on_stack[member] = False
                        component.append(member)
                        if member == node:
                            break
                    components.append(component)
    return components


def successors_first(successors: Mapping[Node, Sequence[Node]]) -> list[Node]:
    """The nodes of a graph, each behind all that it leads to, but where they lead to one another."""
    order = list(successors)
    number = {node: index for index, node in enumerate(order)}
    components = strong_components([[number[other] for other in found] for found in successors.values()])
    return [order[index] for component in components for index in component]
