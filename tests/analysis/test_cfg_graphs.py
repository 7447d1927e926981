"""The graph algorithms against networkx and naive versions, on random adjacency lists."""

from __future__ import annotations

import random

import networkx
import pytest

from enzyme.analysis.cfg import postorder, reachability, reverse_postorder, transpose
from enzyme.analysis.solver import solve
from enzyme.support.graphs import strong_components
from enzyme.support.worklist import PriorityWorklist, Worklist


def random_graph(seed: int) -> list[list[int]]:
    rng = random.Random(seed)
    count = rng.randint(1, 14)
    return [[rng.randrange(count) for _ in range(rng.choice((0, 1, 1, 2, 2, 3)))] for _ in range(count)]


def as_networkx(graph: list[list[int]]) -> networkx.DiGraph:
    made = networkx.DiGraph()
    made.add_nodes_from(range(len(graph)))
    made.add_edges_from((a, b) for a, out in enumerate(graph) for b in out)
    return made


SEEDS = range(300)


@pytest.mark.parametrize("seed", SEEDS)
def test_reverse_postorder_puts_forward_edges_forward(seed: int) -> None:
    graph = random_graph(seed)
    order = reverse_postorder(graph, 0)
    reference = as_networkx(graph)
    assert order[0] == 0
    assert set(order) == networkx.descendants(reference, 0) | {0}
    assert len(order) == len(set(order))
    place = {node: i for i, node in enumerate(order)}
    # edges between different strongly connected components always go forward
    owner = {n: i for i, c in enumerate(networkx.strongly_connected_components(reference)) for n in c}
    for node in order:
        for other in graph[node]:
            if owner[node] != owner[other]:
                assert place[node] < place[other]


@pytest.mark.parametrize("seed", SEEDS)
def test_strong_components_and_reachability(seed: int) -> None:
    graph = random_graph(seed)
    reference = as_networkx(graph)
    found = strong_components(graph)
    assert {frozenset(c) for c in found} == {frozenset(c) for c in networkx.strongly_connected_components(reference)}
    place = {n: i for i, c in enumerate(found) for n in c}
    assert all(place[b] <= place[a] for a, out in enumerate(graph) for b in out)
    rows = reachability(graph)
    for node in range(len(graph)):
        expected: set[int] = set()
        for other in graph[node]:
            expected |= networkx.descendants(reference, other) | {other}
        assert {i for i in range(len(graph)) if rows[node] >> i & 1} == expected


def test_transpose_drops_duplicates() -> None:
    assert transpose([[1, 1, 0], [0]]) == [[0, 1], [0]]


def test_postorder_is_iterative() -> None:
    chain = [[i + 1] for i in range(50_000)] + [[]]
    assert postorder(chain, 0) == list(range(50_000, -1, -1))
    assert len(strong_components(chain)) == 50_001


def test_worklists_hold_each_item_once() -> None:
    work = Worklist([3, 1, 3])
    assert len(work) == 2 and not work.push(1)
    assert [work.pop(), work.pop()] == [3, 1] and not work
    heap = PriorityWorklist(lambda n: -n, [1, 5, 3, 5])
    assert len(heap) == 3
    assert [heap.pop() for _ in range(3)] == [5, 3, 1]
    assert heap.push(5)


@pytest.mark.parametrize("seed", range(50))
def test_solver_reaches_the_least_fixed_point(seed: int) -> None:
    graph = random_graph(seed)
    before = transpose(graph)
    state = solve(
        range(len(graph)),
        lambda n: frozenset[int](),
        lambda n, s: frozenset(o for o in graph[n]) | frozenset(x for o in graph[n] for x in s[o]),
        lambda n: before[n],
    )
    rows = reachability(graph)
    assert state == {n: frozenset(i for i in range(len(graph)) if rows[n] >> i & 1) for n in range(len(graph))}
