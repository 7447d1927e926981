"""Natural loops and their nesting.

A loop is a header and all blocks that reach one of its latches (sources of edges to the header that the header
dominates) without passing the header. Loops with one header are one loop with several latches. A retreating edge
whose target does not dominate its source belongs to no loop: it is reported as irreducible, and whoever relies on
loops for correctness must look at ``irreducible_edges`` (or ask the control-flow graph about cycles instead).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from enzyme.analysis.cfg import ControlFlowGraph, block_label
from enzyme.analysis.dominators import DominatorTree
from enzyme.ir.values import Block, Function, Instruction, MetadataValue, Value
from enzyme.support.graphs import Graph


@dataclass(frozen=True)
class GraphLoop:
    """A loop of an adjacency-list graph: ``parent`` is an index into the list it stands in."""

    header: int
    latches: tuple[int, ...]
    nodes: frozenset[int]
    parent: int | None


def find_loops(
    successors: Graph, predecessors: Graph, dominates: list[tuple[int, int]]
) -> tuple[list[GraphLoop], list[tuple[int, int]], list[int]]:
    """Loops (outer first), irreducible edges, and each node's innermost loop (-1: none).

    Nodes must be numbered in reverse postorder from node 0; ``dominates[n]`` is n's preorder interval in the dominator
    tree. Linear in the size of the graph times the nesting depth.
    """
    latches: dict[int, list[int]] = {}
    irreducible: list[tuple[int, int]] = []
    for node, following in enumerate(successors):
        for target in following:
            if target <= node:  # retreating in reverse postorder
                first, last = dominates[target]
                if first <= dominates[node][0] <= last:
                    latches.setdefault(target, []).append(node)
                else:
                    irreducible.append((node, target))
    innermost: dict[int, int] = {}  # node -> header of its innermost loop
    parent: dict[int, int] = {}  # header -> header of the loop around it
    for header in sorted(latches, reverse=True):  # inner headers come later in reverse postorder
        work = list(latches[header])
        while work:
            node = work.pop()
            inner = innermost.get(node)
            if inner is None:
                innermost[node] = header
                if node != header:
                    work.extend(predecessors[node])
                continue
            while inner in parent:
                inner = parent[inner]
            if inner != header:
                parent[inner] = header
                work.extend(p for p in predecessors[inner] if innermost.get(p) != inner)
    headers = sorted(latches)
    place = {header: i for i, header in enumerate(headers)}
    members: dict[int, set[int]] = {header: set() for header in headers}
    for node, header in innermost.items():
        walk: int | None = header
        while walk is not None:
            members[walk].add(node)
            walk = parent.get(walk)
    loops = [
        GraphLoop(h, tuple(latches[h]), frozenset(members[h]), place[parent[h]] if h in parent else None)
        for h in headers
    ]
    owner = [place[innermost[n]] if n in innermost else -1 for n in range(len(successors))]
    return loops, irreducible, owner


@dataclass(eq=False)
class Loop:
    """One natural loop; equality is identity.

    ``exits`` are the edges (exiting block inside, exit block outside), each once. ``preheader`` is the only
    predecessor of the header outside the loop, when the header is that block's only successor. ``depth`` is 1 for an
    outermost loop.
    """

    header: Block
    blocks: set[Block]
    latches: list[Block]
    preheader: Block | None
    exits: list[tuple[Block, Block]]
    order: list[Block]  # the blocks in reverse postorder
    parent: Loop | None = None
    children: list[Loop] = field(default_factory=list)
    depth: int = 1
    forest: LoopForest | None = None  # the forest it belongs to; set by LoopForest

    @property
    def latch(self) -> Block | None:
        """The only latch, or None."""
        return self.latches[0] if len(self.latches) == 1 else None

    @property
    def exiting_blocks(self) -> list[Block]:
        return list(dict.fromkeys(inside for inside, _ in self.exits))

    @property
    def exit_blocks(self) -> list[Block]:
        return list(dict.fromkeys(outside for _, outside in self.exits))

    @property
    def is_simple(self) -> bool:
        """Preheader, one latch and dedicated exits: LLVM's loop-simplify form."""
        return (
            self.preheader is not None
            and len(self.latches) == 1
            and all(p in self.blocks for _, out in self.exits for p in out.predecessors)
        )

    def contains(self, what: Block | Instruction | Loop) -> bool:
        """Whether a block, an instruction or a whole loop (itself included) lies in this loop."""
        if isinstance(what, Loop):
            return what.header in self.blocks
        if isinstance(what, Instruction):
            return what.block in self.blocks
        return what in self.blocks

    def is_invariant(self, value: Value) -> bool:
        """Whether ``value`` is one and the same SSA value in every iteration: it is not defined inside."""
        if isinstance(value, MetadataValue):
            value = value.inner
        return not isinstance(value, Instruction) or value.block not in self.blocks

    def inside(self) -> Iterator[Loop]:
        """The loops inside of this one, each in front of those inside of it."""
        for child in self.children:
            yield child
            yield from child.inside()

    def ancestors(self) -> list[Loop]:
        """This loop and those around it, innermost first."""
        found: list[Loop] = []
        walk: Loop | None = self
        while walk is not None:
            found.append(walk)
            walk = walk.parent
        return found

    def __repr__(self) -> str:
        return f"<Loop {block_label(self.header)} depth {self.depth}>"


class LoopForest:
    """All natural loops of a function. ``loops`` lists outer loops before the loops inside them."""

    def __init__(self, cfg: ControlFlowGraph, domtree: DominatorTree) -> None:
        self.cfg = cfg
        self.domtree = domtree
        intervals = list(zip(domtree._first, domtree._last, strict=True))
        found, irreducible, owner = find_loops(cfg.graph, cfg.reverse_graph, intervals)
        self.irreducible_edges: list[tuple[Block, Block]] = [(cfg.blocks[a], cfg.blocks[b]) for a, b in irreducible]
        self.loops: list[Loop] = []
        for raw in found:
            loop = self._make(raw)
            if raw.parent is not None:
                loop.parent = self.loops[raw.parent]
                loop.parent.children.append(loop)
                loop.depth = loop.parent.depth + 1
            self.loops.append(loop)
        self._owner = {cfg.blocks[i]: self.loops[k] for i, k in enumerate(owner) if k >= 0}

    def _make(self, raw: GraphLoop) -> Loop:
        cfg = self.cfg
        order = sorted(raw.nodes)
        outside = [p for p in cfg.reverse_graph[raw.header] if p not in raw.nodes]
        preheader = outside[0] if len(outside) == 1 and cfg.graph[outside[0]] == [raw.header] else None
        return Loop(
            header=cfg.blocks[raw.header],
            blocks={cfg.blocks[i] for i in order},
            latches=[cfg.blocks[i] for i in raw.latches],
            preheader=None if preheader is None else cfg.blocks[preheader],
            exits=[(cfg.blocks[i], cfg.blocks[s]) for i in order for s in cfg.graph[i] if s not in raw.nodes],
            order=[cfg.blocks[i] for i in order],
            forest=self,
        )

    @property
    def top_level(self) -> list[Loop]:
        return [loop for loop in self.loops if loop.parent is None]

    def loop_of(self, block: Block | None) -> Loop | None:
        """The innermost loop around ``block``."""
        return self._owner.get(block) if block is not None else None

    def depth_of(self, block: Block) -> int:
        """How many loops are around ``block``."""
        loop = self._owner.get(block)
        return loop.depth if loop else 0

    def is_header(self, block: Block) -> bool:
        loop = self._owner.get(block)
        return loop is not None and loop.header is block

    def common_loop(self, a: Block, b: Block) -> Loop | None:
        """The innermost loop around both blocks."""
        loop = self.loop_of(a)
        while loop is not None and b not in loop.blocks:
            loop = loop.parent
        return loop


def analyse_loops(function: Function) -> LoopForest:
    """The loop forest of ``function`` from scratch."""
    cfg = ControlFlowGraph(function)
    return LoopForest(cfg, DominatorTree(cfg))


def dump(function: Function) -> str:
    """The loop nest as indented text."""
    forest = analyse_loops(function)
    lines = [f"loops of {function.name}: {len(forest.loops)}"]

    def show(loop: Loop) -> None:
        exits = ", ".join(f"{block_label(a)}->{block_label(b)}" for a, b in loop.exits) or "none"
        lines.append(
            "  " * loop.depth
            + f"{block_label(loop.header)}: depth {loop.depth}, {len(loop.blocks)} blocks, "
            + f"preheader {block_label(loop.preheader) if loop.preheader else 'none'}, "
            + f"latches {', '.join(map(block_label, loop.latches))}, exits {exits}"
        )
        for child in loop.children:
            show(child)

    for loop in forest.top_level:
        show(loop)
    for source, target in forest.irreducible_edges:
        lines.append(f"  irreducible edge {block_label(source)} -> {block_label(target)}")
    return "\n".join(lines)
