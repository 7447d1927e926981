"""What both kinds of vectors of rows are made with: lanes that are rows (row_vectors.py), and lanes that are rounds of
the inner loop (row_updates.py)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from enzyme.gradient.row_nests import RowNest
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import DOUBLE, FunctionType, Type, VectorType
from enzyme.ir.values import Block, CallBase, Constant, Instruction, Value
from enzyme.rules.emit import mangle

LANES = 4
FOUR = VectorType(LANES, DOUBLE)


class RowLanes(ABC):
    """The body for ``count`` rows; ``row`` gives what is in front of the body for a row, ``last`` the number of the
    last round."""

    def __init__(
        self, module: Module, rows: RowNest, count: int, row: Callable[[int, Value], Value], last: Value
    ) -> None:
        self.module, self.rows, self.count, self.row, self.last = module, rows, count, row, last
        self.shared: dict[Value, Value] = {}
        """Behind the body: what it computes for all rows alike."""
        self.made: list[dict[Value, Value]] = [{} for _ in range(count)]
        """Behind the body: the sums of each row."""

    @abstractmethod
    def emit(self, ahead: Block, body: Block, middle: Block, single: Block, behind: Block) -> None:
        """From the block ``ahead`` to the block ``behind``: in ``body`` several rounds at a time, in ``single`` what is
        left, one by one, with ``middle`` between them."""

    def inside(self, value: Value) -> bool:
        return isinstance(value, Instruction) and value.block is self.rows.body

    def alike(self, step: dict[Value, Value], value: Value) -> Value:
        """A value that is the same for all rows, in a round."""
        return step[value] if self.inside(value) else self.row(0, value)

    def taken(self) -> list[tuple[int, Value]]:
        """What the body takes from in front of it, for each row: made there, not in it."""
        operands = [each for inst in self.rows.body.instructions for each in inst.operands]
        outside = dict.fromkeys(each for each in operands if not self.inside(each) and not isinstance(each, Constant))
        return [
            (row, self.row(row, each)) for each in outside if not isinstance(each, Block) for row in range(self.count)
        ]

    def computed(self, build: Builder, inst: Instruction, operands: list[Value], type: Type) -> Instruction:
        """An arithmetic instruction for numbers or vectors."""
        if isinstance(inst, CallBase):
            assert inst.callee_name is not None
            name = inst.callee_name.removesuffix(mangle(DOUBLE)) + mangle(type)
            function = self.module.declare_function(name, FunctionType(type, (type,) * len(operands)))
            called = build.call(function, operands, flags=inst.flags)
            called.metadata.update(inst.metadata)
            return called
        made = inst.clone(operands)
        made.type = type
        return self.rows.insert(build, made)

    def ends(self, end: Instruction) -> None:
        """Said of the branch back of a loop of vectors: it has as much to do as registers allow."""
        said = ('"llvm.loop.unroll.disable"', '"llvm.loop.vectorize.enable", i1 false')
        end.metadata["llvm.loop"] = self.module.add_loop_metadata(*said)
