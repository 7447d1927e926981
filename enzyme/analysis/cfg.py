"""The control-flow graph: graph algorithms on adjacency lists, and a thin adapter over a function's blocks.

The algorithms know nothing of IR. A graph is a list of successor lists over nodes ``0 .. n-1``; a successor may be
listed twice. Everything is linear in nodes and edges except :func:`reachability`, whose rows are bit sets (Python
integers), so that a row costs n/64 word operations per edge of the condensed graph.
"""

from __future__ import annotations

from functools import cached_property

from enzyme.ir.values import Block, Function, Instruction, Return
from enzyme.support.graphs import Graph, strong_components

# --- algorithms on adjacency lists -----------------------------------------------------------------------------------


def postorder(successors: Graph, entry: int) -> list[int]:
    """Nodes reachable from ``entry`` in depth-first postorder; iterative."""
    seen = [False] * len(successors)
    seen[entry] = True
    order: list[int] = []
    stack = [(entry, iter(successors[entry]))]
    while stack:
        node, rest = stack[-1]
        for following in rest:
            if not seen[following]:
                seen[following] = True
                stack.append((following, iter(successors[following])))
                break
        else:
            order.append(node)
            stack.pop()
    return order


def reverse_postorder(successors: Graph, entry: int) -> list[int]:
    """Nodes reachable from ``entry``; every edge that is not a retreating edge goes forward in this order."""
    return postorder(successors, entry)[::-1]


def transpose(successors: Graph) -> list[list[int]]:
    """The predecessor lists, without duplicates, in order of the source node."""
    predecessors: list[list[int]] = [[] for _ in successors]
    for node, following in enumerate(successors):
        for other in dict.fromkeys(following):
            predecessors[other].append(node)
    return predecessors


def reachability(successors: Graph) -> list[int]:
    """For each node the bit set of nodes reached from it by a path of one edge or more."""
    rows = [0] * len(successors)
    for component in strong_components(successors):
        members = 0
        for node in component:
            members |= 1 << node
        row = 0
        for node in component:
            for other in successors[node]:
                if (members >> other) & 1:
                    row |= members  # an edge inside the component makes it a cycle
                else:
                    row |= rows[other] | (1 << other)
        for node in component:
            rows[node] = row
    return rows


# --- the adapter -----------------------------------------------------------------------------------------------------


class ControlFlowGraph:
    """The blocks of ``function`` that its entry reaches, in reverse postorder.

    A snapshot: it holds until a block or a terminator of the function is changed.
    """

    def __init__(self, function: Function) -> None:
        self.function = function
        every = function.blocks
        number = {block: i for i, block in enumerate(every)}
        raw = [[number[s] for s in dict.fromkeys(block.successors)] for block in every]
        order = reverse_postorder(raw, 0) if every else []
        self.blocks: list[Block] = [every[i] for i in order]
        self.index: dict[Block, int] = {block: i for i, block in enumerate(self.blocks)}
        renumber = {old: new for new, old in enumerate(order)}
        self.graph: list[list[int]] = [[renumber[s] for s in raw[old]] for old in order]
        self.reverse_graph: list[list[int]] = transpose(self.graph)
        self._reach: list[int] | None = None
        self._positions: dict[Block, dict[Instruction, int]] = {}

    @property
    def entry(self) -> Block:
        return self.blocks[0]

    def successors(self, block: Block) -> list[Block]:
        """Successors, each once, in operand order."""
        return [self.blocks[i] for i in self.graph[self.index[block]]]

    def predecessors(self, block: Block) -> list[Block]:
        """Reachable predecessors, each once, in reverse postorder."""
        return [self.blocks[i] for i in self.reverse_graph[self.index[block]]]

    def is_reachable(self, block: Block) -> bool:
        """Whether the function's entry leads to ``block``."""
        return block in self.index

    @property
    def reach(self) -> list[int]:
        """Row i: bit set of block indices reached from block i by one edge or more."""
        if self._reach is None:
            self._reach = reachability(self.graph)
        return self._reach

    def leads_to(self, source: Block, target: Block) -> bool:
        """Whether a path of one edge or more goes from ``source`` to ``target``."""
        return bool((self.reach[self.index[source]] >> self.index[target]) & 1)

    def in_cycle(self, block: Block) -> bool:
        """Whether ``block`` can be executed more than once in one call of the function."""
        return self.leads_to(block, block)

    @cached_property
    def returning(self) -> frozenset[Block]:
        """Blocks from which the function may return; from the others it throws, ends the program or runs for ever."""
        found = {i for i, block in enumerate(self.blocks) if isinstance(block.terminator, Return)}
        work = list(found)
        while work:
            new = [i for i in self.reverse_graph[work.pop()] if i not in found]
            found.update(new)
            work += new
        return frozenset(self.blocks[i] for i in found)

    @property
    def exit_blocks(self) -> list[Block]:
        """Blocks without successors (return, unreachable, resume)."""
        return [block for block, out in zip(self.blocks, self.graph, strict=True) if not out]

    def position(self, instruction: Instruction) -> int:
        """The place of ``instruction`` in its block."""
        block = instruction.block
        assert block is not None
        table = self._positions.get(block)
        if table is None:
            table = self._positions[block] = {inst: i for i, inst in enumerate(block.instructions)}
        return table[instruction]


def block_label(block: Block) -> str:
    """The block's name for a dump: its own, else its place in the function."""
    if block.name:
        return block.name
    return f"block{block.function.blocks.index(block)}" if block.function else "block?"


def dump(function: Function) -> str:
    """The graph as text, one block a line, in reverse postorder."""
    cfg = ControlFlowGraph(function)
    lines = [f"cfg of {function.name}: {len(cfg.blocks)} blocks, {sum(map(len, cfg.graph))} edges"]
    for block in cfg.blocks:
        targets = ", ".join(block_label(s) for s in cfg.successors(block)) or "(leaves)"
        lines.append(f"  {block_label(block)} -> {targets}")
    lost = [b for b in function.blocks if not cfg.is_reachable(b)]
    if lost:
        lines.append("  unreachable: " + ", ".join(map(block_label, lost)))
    return "\n".join(lines)
