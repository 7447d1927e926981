"""Minimum cuts against networkx, on random graphs."""

from __future__ import annotations

import networkx
from hypothesis import given
from hypothesis import strategies as st

from enzyme.support.minimum_cut import sink_side

NODES = 9
edges = st.lists(
    st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1), st.integers(0, 7)).filter(lambda e: e[0] != e[1]),
    max_size=40,
    unique_by=lambda e: (e[0], e[1]),
)


@given(edges)
def test_it_is_the_minimum_cut_nearest_to_the_sink(made: list[tuple[int, int, int]]) -> None:
    source, sink = 0, NODES - 1
    side = sink_side(NODES, made, source, sink)
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(NODES))
    for start, end, capacity in made:
        graph.add_edge(start, end, capacity=capacity)
    value, _ = networkx.minimum_cut(graph, source, sink)
    assert sum(c for a, b, c in made if a not in side and b in side) == value
    assert sink in side and source not in side
    residual = networkx.algorithms.flow.edmonds_karp(graph, source, sink)
    left = networkx.DiGraph((a, b) for a, b, e in residual.edges(data=True) if e["flow"] < e["capacity"])
    left.add_node(sink)
    assert side == networkx.ancestors(left, sink) | {sink}


def test_a_long_chain_needs_no_recursion() -> None:
    count = 50_000
    chain = [(i, i + 1, 2 if i == 40_000 else 3) for i in range(count)]
    assert len(sink_side(count + 1, chain, 0, count)) == count - 40_000
