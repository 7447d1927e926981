"""Loop forests against a naive reading of the definition, on random graphs and on hand-made nests."""

from __future__ import annotations

import pytest

from enzyme.analysis.cfg import reverse_postorder
from enzyme.analysis.loops import analyse_loops, dump
from tests.analysis.test_cfg_graphs import random_graph
from tests.analysis.test_dominators import function_of, reaches_avoiding


def natural_loops(graph: list[list[int]]) -> tuple[dict[int, set[int]], set[tuple[int, int]]]:
    """Header -> members by definition, for nodes numbered in reverse postorder; and the irreducible edges."""
    loops: dict[int, set[int]] = {}
    irreducible = set()
    for node, out in enumerate(graph):
        for target in set(out):
            dominated = target == node or not reaches_avoiding(graph, 0, node, target)
            if target <= node and not dominated:
                irreducible.add((node, target))
            if not dominated:
                continue
            members = {target} | {
                m for m in range(len(graph)) if m == node or (m != target and reaches_avoiding(graph, m, node, target))
            }
            loops.setdefault(target, set()).update(members)
    return loops, irreducible


@pytest.mark.parametrize("seed", range(300))
def test_loops_match_the_definition(seed: int) -> None:
    raw = random_graph(seed)
    order = reverse_postorder(raw, 0)
    place = {node: i for i, node in enumerate(order)}
    function = function_of(raw)
    forest = analyse_loops(function)
    # number by the analysis's own reverse postorder: any one is valid
    number = {block: i for i, block in enumerate(forest.cfg.blocks)}
    graph = forest.cfg.graph
    assert len(place) == len(number)
    expected, irreducible = natural_loops(graph)
    assert {number[lp.header]: {number[b] for b in lp.blocks} for lp in forest.loops} == expected
    assert {(number[a], number[b]) for a, b in forest.irreducible_edges} == irreducible
    for index, loop in enumerate(forest.loops):
        around = [o for o in forest.loops if o is not loop and o.header is not loop.header and loop.header in o.blocks]
        assert loop.depth == 1 + len(around)
        assert (loop.parent is None) == (not around)
        if loop.parent:
            assert loop.blocks < loop.parent.blocks and loop in loop.parent.children
            assert forest.loops.index(loop.parent) < index
            assert loop.parent.depth == loop.depth - 1
        for block in forest.cfg.blocks:
            assert loop.contains(block) == (number[block] in expected[number[loop.header]])
        assert {(number[a], number[b]) for a, b in loop.exits} == {
            (a, b) for a in expected[number[loop.header]] for b in graph[a] if b not in expected[number[loop.header]]
        }
    for block in forest.cfg.blocks:
        own = forest.loop_of(block)
        around = [lp for lp in forest.loops if block in lp.blocks]
        assert own is (max(around, key=lambda lp: lp.depth) if around else None)
        assert forest.depth_of(block) == len(around)


def test_a_nest_in_simplified_form() -> None:
    # 0 -> 1(outer header) -> 2(inner preheader) -> 3(inner) -> 3 | 4 -> 1 | 5
    function = function_of([[1], [2], [3], [3, 4], [1, 5], []])
    blocks = function.blocks
    forest = analyse_loops(function)
    outer, inner = forest.loops
    assert outer.header is blocks[1] and outer.preheader is blocks[0] and outer.latch is blocks[4]
    assert inner.header is blocks[3] and inner.preheader is blocks[2] and inner.latches == [blocks[3]]
    assert inner.parent is outer and outer.children == [inner] and inner.depth == 2
    assert inner.exits == [(blocks[3], blocks[4])] and outer.exits == [(blocks[4], blocks[5])]
    assert outer.is_simple and inner.is_simple
    assert inner.ancestors() == [inner, outer]
    assert inner.is_invariant(blocks[2].instructions[0]) and not outer.is_invariant(blocks[2].instructions[0])
    assert inner.is_invariant(function.args[1])
    assert forest.common_loop(blocks[3], blocks[4]) is outer and forest.common_loop(blocks[3], blocks[5]) is None
    assert forest.is_header(blocks[3]) and not forest.is_header(blocks[4])
    assert outer.contains(inner) and not inner.contains(outer)
    assert "depth 2" in dump(function)


def test_no_preheader_when_it_has_another_successor() -> None:
    forest = analyse_loops(function_of([[1, 2], [1, 2], []]))
    (loop,) = forest.loops
    assert loop.preheader is None and not loop.is_simple


def test_two_latches_are_one_loop() -> None:
    forest = analyse_loops(function_of([[1], [2, 3], [1, 4], [1], []]))
    (loop,) = forest.loops
    assert len(loop.latches) == 2 and loop.latch is None


def test_irreducible_cycle_is_no_loop_but_is_reported() -> None:
    function = function_of([[1, 2], [2, 3], [1], []])
    forest = analyse_loops(function)
    assert forest.loops == [] and len(forest.irreducible_edges) == 1
    assert forest.cfg.in_cycle(function.blocks[1]) and forest.cfg.in_cycle(function.blocks[2])
    assert not forest.cfg.in_cycle(function.blocks[0])
    assert "irreducible" in dump(function)
