"""Dominator and postdominator trees.

Immediate dominators by Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001), on adjacency lists;
queries by preorder intervals of the tree, in constant time. A block dominates itself.

Postdominators use a virtual exit. Blocks that cannot leave the function (endless loops) are each given an edge to the
virtual exit, so that inside an endless loop nothing postdominates anything but itself: conservative.
"""

from __future__ import annotations

from enzyme.analysis.cfg import ControlFlowGraph, block_label, postorder, transpose
from enzyme.ir.values import Block, Function, Instruction, Invoke, Phi, Value
from enzyme.support.graphs import Graph, strong_components


def immediate_dominators(successors: Graph, entry: int) -> list[int]:
    """The immediate dominator of each node; ``entry`` maps to itself and unreachable nodes to -1."""
    post = postorder(successors, entry)
    number = [-1] * len(successors)
    for i, node in enumerate(post):
        number[node] = i
    predecessors = transpose(successors)
    idom = [-1] * len(successors)
    idom[entry] = entry
    order = post[-2::-1] if len(post) > 1 else []
    changed = True
    while changed:
        changed = False
        for node in order:
            new = -1
            for other in predecessors[node]:
                if idom[other] < 0:
                    continue
                if new < 0:
                    new = other
                    continue
                left, right = other, new
                while left != right:
                    while number[left] < number[right]:
                        left = idom[left]
                    while number[right] < number[left]:
                        right = idom[right]
                new = left
            if idom[node] != new:
                idom[node] = new
                changed = True
    return idom


def tree_intervals(idom: list[int], root: int) -> tuple[list[list[int]], list[int], list[int]]:
    """Children lists and the preorder interval ``[first, last]`` of each node's subtree (-1 where not in the tree)."""
    children: list[list[int]] = [[] for _ in idom]
    for node, parent in enumerate(idom):
        if parent >= 0 and node != root:
            children[parent].append(node)
    first, last = [-1] * len(idom), [-1] * len(idom)
    clock = 0
    first[root] = clock
    stack = [(root, iter(children[root]))]
    while stack:
        node, rest = stack[-1]
        child = next(rest, None)
        if child is None:
            last[node] = clock
            stack.pop()
        else:
            clock += 1
            first[child] = clock
            stack.append((child, iter(children[child])))
    return children, first, last


def dominance_frontiers(successors: Graph, idom: list[int]) -> list[set[int]]:
    """For each node the nodes where its dominance ends (Cytron et al. 1991, computed as in Cooper et al. 2001)."""
    frontiers: list[set[int]] = [set() for _ in successors]
    for node, before in enumerate(transpose(successors)):
        if idom[node] < 0:
            continue
        for runner in before:
            # the entry is its own idom: when it is a loop header the walk ends after the entry itself
            while idom[runner] >= 0 and (runner != idom[node] or node == idom[node]):
                frontiers[runner].add(node)
                if runner == idom[runner]:
                    break
                runner = idom[runner]
    return frontiers


class _Tree:
    """Queries shared by both trees; nodes beyond the block count are virtual."""

    def __init__(self, cfg: ControlFlowGraph, graph: Graph, root: int) -> None:
        self.cfg = cfg
        self._graph = graph
        self._root = root
        self._idom = immediate_dominators(graph, root) if graph else []
        self._children, self._first, self._last = tree_intervals(self._idom, root) if graph else ([], [], [])
        self._frontiers: list[set[int]] | None = None

    def idom(self, block: Block) -> Block | None:
        """The immediate (post)dominator; None for a root."""
        node = self.cfg.index[block]
        parent = self._idom[node]
        return None if parent == node or not 0 <= parent < len(self.cfg.blocks) else self.cfg.blocks[parent]

    def dominates(self, a: Block, b: Block) -> bool:
        """Whether ``a`` (post)dominates ``b``; both must be reachable blocks, else the answer is False."""
        x, y = self.cfg.index.get(a, -1), self.cfg.index.get(b, -1)
        if x < 0 or y < 0 or self._first[x] < 0 or self._first[y] < 0:
            return False
        return self._first[x] <= self._first[y] <= self._last[x]

    def strictly_dominates(self, a: Block, b: Block) -> bool:
        return a is not b and self.dominates(a, b)

    def children(self, block: Block) -> list[Block]:
        """Blocks whose immediate (post)dominator is ``block``."""
        return [self.cfg.blocks[i] for i in self._children[self.cfg.index[block]]]

    def frontier(self, block: Block) -> list[Block]:
        """The (post)dominance frontier of ``block``, in reverse postorder of the control-flow graph."""
        if self._frontiers is None:
            self._frontiers = dominance_frontiers(self._graph, self._idom)
        count = len(self.cfg.blocks)
        return [self.cfg.blocks[i] for i in sorted(self._frontiers[self.cfg.index[block]]) if i < count]

    def nearest_common(self, a: Block, b: Block) -> Block | None:
        """The nearest block that (post)dominates both; None when only the virtual exit does."""
        walk: Block | None = a
        while walk is not None and not self.dominates(walk, b):
            walk = self.idom(walk)
        return walk


class DominatorTree(_Tree):
    """Dominators of the reachable blocks."""

    def __init__(self, cfg: ControlFlowGraph) -> None:
        super().__init__(cfg, cfg.graph, 0)

    @property
    def root(self) -> Block:
        return self.cfg.entry

    def instruction_dominates(self, a: Instruction, b: Instruction) -> bool:
        """Whether ``a`` was executed (and its result is defined) whenever ``b`` starts; False for ``a is b``."""
        if a.block is None or b.block is None or a is b:
            return False
        if isinstance(a, Invoke):
            normal = a.operands[-2]
            assert isinstance(normal, Block)
            return self.cfg.predecessors(normal) == [a.block] and self.dominates(normal, b.block)
        if a.block is b.block:
            return self.cfg.is_reachable(a.block) and self.cfg.position(a) < self.cfg.position(b)
        return self.dominates(a.block, b.block)

    def available_at(self, value: Value, instruction: Instruction) -> bool:
        """Whether SSA lets ``instruction`` use ``value``: constants and arguments always, else dominance."""
        return not isinstance(value, Instruction) or self.instruction_dominates(value, instruction)

    def dominates_use(self, value: Instruction, user: Instruction, operand: int) -> bool:
        """Like ``instruction_dominates``, but a phi uses its operand at the end of the incoming block."""
        if isinstance(user, Phi):
            source = user.operands[operand + 1]
            assert isinstance(source, Block) and value.block is not None
            return self.dominates(value.block, source)
        return self.instruction_dominates(value, user)


class PostDominatorTree(_Tree):
    """Postdominators of the reachable blocks; ``idom`` is the immediate postdominator."""

    def __init__(self, cfg: ControlFlowGraph) -> None:
        count = len(cfg.blocks)
        leaving: list[int] = []
        for component in strong_components(cfg.graph):
            members = set(component)
            if all(s in members for node in component for s in cfg.graph[node]):
                leaving.extend(component)
        reverse = [list(p) for p in cfg.reverse_graph] + [sorted(leaving)]
        super().__init__(cfg, reverse, count)


def dump(function: Function) -> str:
    """Both trees as indented text."""
    cfg = ControlFlowGraph(function)
    lines: list[str] = []
    tree = DominatorTree(cfg)
    lines.append(f"dominator tree of {function.name}")
    stack = [(cfg.entry, 1)]
    while stack:
        block, depth = stack.pop()
        lines.append("  " * depth + block_label(block))
        stack.extend((child, depth + 1) for child in reversed(tree.children(block)))
    post = PostDominatorTree(cfg)
    lines.append(f"immediate postdominators of {function.name}")
    for block in cfg.blocks:
        parent = post.idom(block)
        lines.append(f"  {block_label(block)}: {block_label(parent) if parent else '(exit)'}")
    return "\n".join(lines)
