"""The fixed point of summaries that ask for each other, against plain iteration over the whole graph."""

from __future__ import annotations

import random

from hypothesis import example, given
from hypothesis import strategies as st

from enzyme.analysis.activity_memo import RecursiveMemo

Graph = dict[int, tuple[list[int], frozenset[str]]]


def by_iteration(graph: Graph) -> dict[int, frozenset[str]]:
    values = {node: frozenset[str]() for node in graph}
    while True:
        new = {n: frozenset(own.union(*(values[c] for c in callees))) for n, (callees, own) in graph.items()}
        if new == values:
            return values
        values = new


def by_memo(graph: Graph, order: list[int]) -> tuple[dict[int, frozenset[str]], int]:
    computed = 0

    def compute(node: int) -> frozenset[str]:
        nonlocal computed
        computed += 1
        callees, own = graph[node]
        return frozenset(own.union(*(memo.get(c) for c in callees)))

    memo: RecursiveMemo[int, frozenset[str]] = RecursiveMemo(compute, lambda _: frozenset())
    return {node: memo.get(node) for node in order}, computed


@given(st.integers(1, 9), st.integers(0, 1 << 30), st.floats(0.05, 0.6))
@example(7, 124, 0.25)  # a head closes inside a larger cycle, and what leaned on it is asked for again
def test_random_call_graphs(count: int, seed: int, density: float) -> None:
    rng = random.Random(seed)
    graph: Graph = {
        n: ([c for c in range(count) if rng.random() < density], frozenset({f"f{n}"} if rng.random() < 0.5 else ()))
        for n in range(count)
    }
    order = rng.sample(range(count), count)
    assert by_memo(graph, order)[0] == by_iteration(graph)


def test_large_cycles_take_few_rounds() -> None:
    count = 40
    graph: Graph = {n: ([c for c in range(count) if c != n], frozenset({f"f{n}"})) for n in range(count)}
    values, computed = by_memo(graph, list(range(count)))
    assert values == by_iteration(graph)
    assert computed <= 4 * count
