"""Dominators against networkx and the definition, on random graphs; the adapters on built functions."""

from __future__ import annotations

import networkx
import pytest

from enzyme.analysis.cfg import ControlFlowGraph, reverse_postorder
from enzyme.analysis.dominators import (
    DominatorTree,
    PostDominatorTree,
    dominance_frontiers,
    dump,
    immediate_dominators,
    tree_intervals,
)
from enzyme.ir.types import I1, I32, FunctionType
from enzyme.ir.values import BinaryOp, Block, Branch, ConstantInt, Function, Phi, Return, Switch
from tests.analysis.test_cfg_graphs import as_networkx, random_graph


def function_of(graph: list[list[int]]) -> Function:
    """A function whose blocks have the successors of ``graph``; block i is ``bi`` and holds one add."""
    function = Function("f", FunctionType(I32, (I1, I32)), ("c", "n"))
    blocks = [function.append_block(f"b{i}") for i in range(len(graph))]
    for block, out in zip(blocks, graph, strict=True):
        block.append(BinaryOp("add", function.args[1], ConstantInt(I32, 1), name=f"v_{block.name}"))
        targets = [blocks[s] for s in out]
        if not targets:
            block.append(Return(function.args[1]))
        elif len(targets) == 1:
            block.append(Branch(targets[0]))
        elif len(targets) == 2:
            block.append(Branch(function.args[0], *targets))
        else:
            cases = [(ConstantInt(I32, i), target) for i, target in enumerate(targets[1:])]
            block.append(Switch(function.args[1], targets[0], cases))
    return function


def reaches_avoiding(graph: list[list[int]], start: int, goal: int, avoided: int) -> bool:
    if start == avoided:
        return False
    seen, work = {start}, [start]
    while work:
        node = work.pop()
        if node == goal:
            return True
        for other in graph[node]:
            if other != avoided and other not in seen:
                seen.add(other)
                work.append(other)
    return False


@pytest.mark.parametrize("seed", range(300))
def test_immediate_dominators_match_networkx(seed: int) -> None:
    graph = random_graph(seed)
    found = immediate_dominators(graph, 0)
    expected = {n: d for n, d in networkx.immediate_dominators(as_networkx(graph), 0).items() if n != 0}
    assert {n: d for n, d in enumerate(found) if d >= 0 and n != 0} == expected
    assert found[0] == 0
    frontiers = networkx.dominance_frontiers(as_networkx(graph), 0)
    mine = dominance_frontiers(graph, found)
    for node, where in frontiers.items():
        assert mine[node] - {0} == set(where) - {0}


@pytest.mark.parametrize("seed", range(150))
def test_dominance_matches_its_definition(seed: int) -> None:
    graph = random_graph(seed)
    idom = immediate_dominators(graph, 0)
    _, first, last = tree_intervals(idom, 0)
    live = set(reverse_postorder(graph, 0))
    for a in live:
        for b in live:
            by_tree = first[a] <= first[b] <= last[a]
            assert by_tree == (a == b or not reaches_avoiding(graph, 0, b, a))


@pytest.mark.parametrize("seed", range(100))
def test_trees_on_functions(seed: int) -> None:
    graph = random_graph(seed)
    function = function_of(graph)
    cfg = ControlFlowGraph(function)
    live = reverse_postorder(graph, 0)
    assert {b.name for b in cfg.blocks} == {f"b{i}" for i in live}
    tree, post = DominatorTree(cfg), PostDominatorTree(cfg)
    number = {function.blocks[i]: i for i in range(len(graph))}
    leaves = [i for i in live if not graph[i]]
    can_leave = {i for i in live if any(i == x or reaches_avoiding(graph, i, x, -1) for x in leaves)}
    for a in cfg.blocks:
        for b in cfg.blocks:
            i, j = number[a], number[b]
            assert tree.dominates(a, b) == (i == j or not reaches_avoiding(graph, 0, j, i))
            if can_leave == set(live):
                expected = i == j or not any(reaches_avoiding(graph, j, x, i) for x in leaves)
                assert post.dominates(a, b) == expected
            elif post.dominates(a, b) and i != j and j in can_leave:
                assert not any(reaches_avoiding(graph, j, x, i) for x in leaves)
            common = tree.nearest_common(a, b)
            assert common is not None and tree.dominates(common, a) and tree.dominates(common, b)
    assert dump(function).startswith("dominator tree of f")


def test_instruction_dominance() -> None:
    function = function_of([[1, 2], [3], [3], []])
    top, left, right, bottom = function.blocks
    tree = DominatorTree(ControlFlowGraph(function))
    first, branch = top.instructions
    assert tree.instruction_dominates(first, branch)
    assert not tree.instruction_dominates(branch, first)
    assert not tree.instruction_dominates(first, first)
    assert tree.instruction_dominates(first, bottom.instructions[0])
    assert not tree.instruction_dominates(left.instructions[0], bottom.instructions[0])
    phi = bottom.insert(0, Phi(I32, [(left.instructions[0], left), (right.instructions[0], right)]))
    assert tree.dominates_use(left.instructions[0], phi, 0)
    assert not tree.dominates_use(left.instructions[0], phi, 2)
    assert tree.available_at(function.args[0], first) and not tree.available_at(branch, first)


def test_unreachable_blocks_dominate_nothing() -> None:
    function = function_of([[1], [], [1]])
    cfg = ControlFlowGraph(function)
    tree = DominatorTree(cfg)
    lost = function.blocks[2]
    assert not cfg.is_reachable(lost)
    assert not tree.dominates(lost, function.blocks[1]) and not tree.dominates(function.blocks[0], lost)
    assert cfg.predecessors(function.blocks[1]) == [function.blocks[0]]


def test_duplicate_edges_count_once() -> None:
    function = function_of([[1, 1, 2], [], []])
    cfg = ControlFlowGraph(function)
    entry = function.blocks[0]
    assert [b.name for b in cfg.successors(entry)] == ["b1", "b2"]
    assert isinstance(function.blocks[1], Block) and cfg.predecessors(function.blocks[1]) == [entry]
