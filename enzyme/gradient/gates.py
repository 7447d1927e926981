"""One way into every reversed loop.

A loop with several exits is entered at several places when it is reversed: at the reversal of each block that it was
left from. Such control flow is irreducible; LLVM does little with it, and it could not be differentiated again. So
every loop of that kind gets a gate: a block in front of its reversal through which all entries go, and each further
round, with a note of where to go from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from enzyme.analysis.loops import Loop
from enzyme.gradient.adjoints import entry_slot
from enzyme.gradient.subject import Subject
from enzyme.ir.builder import Builder
from enzyme.ir.types import I32
from enzyme.ir.values import Block, ConstantInt, Function, Switch, Value


@dataclass
class _Gate:
    slot: Value
    block: Block
    targets: list[Block]  # reversed blocks of the subject, or the gates of loops inside


class Gates:
    """The gates of one reverse sweep, whose reversed blocks are ``blocks``."""

    def __init__(self, subject: Subject, function: Function, slots_block: Block, blocks: dict[Block, Block]) -> None:
        self.subject, self.blocks = subject, blocks
        self._gates: dict[Loop, _Gate] = {}
        for loop in subject.loops.loops:
            left_from = {inside for inside, outside in loop.exits if inside in blocks and outside in blocks}
            if len(left_from) > 1:
                slot = entry_slot(slots_block, I32, None, "enter.at")
                self._gates[loop] = _Gate(slot, function.append_block("gate.r"), [])

    def enter(self, build: Builder, source: Block, loops: Sequence[Loop]) -> None:
        """Go to the reversal of ``source`` where that enters ``loops``, or begins a further round of one."""
        target = self.blocks[source]
        for loop in sorted(loops, key=lambda each: -each.depth):
            gate = self._gates.get(loop)
            if gate is not None:
                if target not in gate.targets:
                    gate.targets.append(target)
                build.store(ConstantInt(I32, gate.targets.index(target)), gate.slot)
                target = gate.block
        build.br(target)

    def close(self) -> None:
        """When all edges are there: what the gates do."""
        for gate in self._gates.values():
            build = Builder(gate.block)
            cases = [(ConstantInt(I32, index), target) for index, target in enumerate(gate.targets)]
            build.insert(Switch(build.load(I32, gate.slot), cases[0][1], cases[1:]))
