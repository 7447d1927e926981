"""How many loops are around a block: by the definition, for graphs of all shapes."""

from __future__ import annotations

import random

from enzyme.llvm.loop_depths import loop_depths

TEXT = """define void @f(i1 %c, i64 %n) {
entry:
  br label %outer
outer:
  br i1 %c, label %inner, label %latch
inner:
  switch i64 %n, label %latch [
    i64 1, label %inner
    i64 2, label %"a block"
  ]
"a block":
  br label %inner
latch:
  br i1 %c, label %outer, label %out
out:
  ret void
}"""


def _reached(edges: dict[int, set[int]], nodes: set[int], start: int) -> set[int]:
    seen: set[int] = set()
    work = [start]
    while work:
        new = (edges[work.pop()] & nodes) - seen
        seen |= new
        work += new
    return seen


def _depths(edges: dict[int, set[int]], whole: dict[int, set[int]], nodes: set[int]) -> dict[int, int]:
    """The blocks of a part all reach each other; then without the edges to those where it is entered."""
    depths = dict.fromkeys(nodes, 0)
    reached = {node: _reached(edges, nodes, node) for node in nodes}
    for part in {frozenset(b for b in reached[a] if a in reached[b]) for a in nodes if a in reached[a]}:
        entries = {b for a in whole if a not in part for b in whole[a] & part}
        inner = {a: edges[a] & part - entries for a in part}
        deeper = _depths(inner, whole, set(part)) if entries else dict.fromkeys(part, 0)
        for node in part:
            depths[node] += 1 + deeper[node]
    return depths


def test_nested_loops() -> None:
    _, depths = loop_depths(TEXT.splitlines())
    assert depths == {"%entry": 0, "%outer": 1, "%inner": 2, '%"a block"': 2, "%latch": 1, "%out": 0}


def test_graphs_of_all_shapes() -> None:
    """Loops with several entries, too."""
    rng = random.Random(5)
    for _ in range(500):
        count = rng.randint(1, 9)
        edges = {a: set(rng.sample(range(count), min(count, rng.choice((0, 1, 1, 2))))) for a in range(count)}
        lines = ["define void @f() {"]
        for a, ends in edges.items():
            lines += [f"b{a}:", f"  switch i64 0, {', '.join(f'label %b{b}' for b in ends)}"]
        _, depths = loop_depths(lines)
        assert [depths[f"%b{a}"] for a in range(count)] == [*_depths(edges, edges, set(edges)).values()]
