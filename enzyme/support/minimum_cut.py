"""Minimum cuts of directed graphs: blocking flows in layers (Dinic 1970), in plain Python.

Graphs of tape plans are small and sparse, and loading a library for sparse matrices takes longer than most derivatives.
"""

from __future__ import annotations

from collections.abc import Iterable


def sink_side(nodes: int, edges: Iterable[tuple[int, int, int]], source: int, sink: int) -> set[int]:
    """The nodes that reach ``sink`` once a maximum flow has saturated the minimum cut nearest to it.

    ``edges`` are (from, to, capacity) with capacities of at least zero between nodes numbered from 0 to ``nodes`` - 1;
    ``source`` itself is never in the result.
    """
    graph = _Graph(nodes, edges)
    while graph.layer(source, sink):
        graph.block(source, sink)
    return graph.reaching(sink)


class _Graph:
    """Residual graph: edge ``e`` and its reverse ``e ^ 1`` stand beside each other."""

    def __init__(self, nodes: int, edges: Iterable[tuple[int, int, int]]) -> None:
        self.leaving: list[list[int]] = [[] for _ in range(nodes)]
        self.target: list[int] = []
        self.left: list[int] = []
        self.level: list[int] = []
        for start, end, capacity in edges:
            self.leaving[start].append(len(self.target))
            self.leaving[end].append(len(self.target) + 1)
            self.target += (end, start)
            self.left += (capacity, 0)

    def layer(self, source: int, sink: int) -> bool:
        """Distances from the source over edges with capacity left; whether the sink has one."""
        self.level = level = [-1] * len(self.leaving)
        level[source] = 0
        queue = [source]
        for node in queue:
            for edge in self.leaving[node]:
                end = self.target[edge]
                if self.left[edge] and level[end] < 0:
                    level[end] = level[node] + 1
                    queue.append(end)
        return level[sink] >= 0

    def block(self, source: int, sink: int) -> None:
        """Send flow along shortest paths until none is left: depth first, each edge given up once."""
        following = [0] * len(self.leaving)
        path: list[int] = []
        node = source
        while True:
            if node == sink:
                amount = min(self.left[edge] for edge in path)
                for edge in path:
                    self.left[edge] -= amount
                    self.left[edge ^ 1] += amount
                first = next(i for i, edge in enumerate(path) if not self.left[edge])
                node = self.target[path[first] ^ 1]
                del path[first:]
                continue
            edges, position = self.leaving[node], following[node]
            while position < len(edges):
                edge = edges[position]
                if self.left[edge] and self.level[self.target[edge]] == self.level[node] + 1:
                    break
                position += 1
            following[node] = position
            if position < len(edges):
                path.append(edges[position])
                node = self.target[edges[position]]
            elif path:
                last = path.pop()
                node = self.target[last ^ 1]
                following[node] += 1
            else:
                return

    def reaching(self, sink: int) -> set[int]:
        found = {sink}
        queue = [sink]
        for node in queue:
            for edge in self.leaving[node]:
                start = self.target[edge]
                if self.left[edge ^ 1] and start not in found:
                    found.add(start)
                    queue.append(start)
        return found
