"""Chains of loops, one behind the other, that may run as one (fused_loops.py): what they are, and what makes them so.

Each loop of a chain, a *stage*, is one block of arithmetic and plain accesses, and each of its accesses goes on by one
element from iteration to iteration. Iterations of one stage do not depend on each other, but for sums that may be made
in any order. What stands between the stages is run in front of the fused loop or behind it, where it touches nothing
that the loop does.

Accesses of the same *row*, numbers side by side in memory, are told apart by their place in it: in iteration j a stage
touches the element j plus a constant. The fused loop counts time: in the time t, each stage is in the iteration t minus
its *shift*, or, where the loops are run from their ends, in the iteration shift minus t. An element is written before
it is read, and by the stages in their order, if shifts are great enough; an element that a stage reads one unit of time
after it was written, or before a later stage writes it, is handed on in a register (``Source``).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import Polynomial, Variable
from enzyme.analysis.tbaa import declares_scope
from enzyme.gradient.row_nests import Memory, is_pure_call
from enzyme.gradient.sums import is_arithmetic
from enzyme.ir.types import FloatType, Type
from enzyme.ir.values import (
    Block,
    CallBase,
    DebugRecord,
    Instruction,
    Load,
    Phi,
    Store,
    Value,
    is_speculatable,
)

_LEAST = 2
"""Iterations, and those that not all stages have: fewer are run as they were."""


@dataclass(eq=False)
class Row:
    """Numbers side by side: element e is ``form`` plus ``origin`` plus e times ``size`` bytes behind ``base``."""

    base: Value
    form: Polynomial
    origin: int
    type: Type
    size: int
    touches: list[Touch] = field(default_factory=list)

    @property
    def writes(self) -> list[Touch]:
        return [each for each in self.touches if isinstance(each.inst, Store)]


@dataclass(eq=False)
class Touch:
    """An access: of element j + ``at`` in iteration j of a stage."""

    stage: Stage
    inst: Load | Store
    row: Row
    at: int


@dataclass(eq=False)
class Stage:
    """``number``: its place in the chain; ``rounds``: how many iterations it has; ``reflected``: iteration j is the one
    that comes j-th from the end, so that addresses rise with j."""

    loop: Loop
    rounds: Polynomial
    number: int
    reflected: bool = False
    touches: list[Touch] = field(default_factory=list)

    @property
    def body(self) -> Block:
        return self.loop.header

    @property
    def sums(self) -> dict[Phi, Value]:
        """What is summed up in registers, in any order, and what it is behind an iteration."""
        return {each: each.value_from(self.body) for each in self.body.phis if isinstance(each.type, FloatType)}


@dataclass
class Way:
    """From one stage to the next: the blocks, and what must be true, or false, for them to be the way."""

    blocks: list[Block] = field(default_factory=list)
    guards: list[tuple[Value, bool]] = field(default_factory=list)


@dataclass(frozen=True)
class Source:
    """Where the number that a load wants is found in the fused loop: what ``write`` stores, or what is loaded from
    element t + ``place`` (mirrored where loops are run from their ends) of what is there in front of the chain;
    ``delayed``: one unit of time ago."""

    row: Row
    write: Touch | None
    place: int
    delayed: bool


@dataclass(frozen=True)
class Spot:
    """What an access between stages touches: ``form`` bytes behind ``base``."""

    base: Value
    form: Polynomial
    size: int


@dataclass
class Chain:
    """``ways``: from each stage to the next; ``more``: how many iterations each stage has more than the first one;
    ``late``: what stands between stages and is to be run behind the fused loop; ``apart``: what must not overlap;
    ``dead``: stores that need not be made in the fused loop."""

    stages: list[Stage]
    ways: list[Way]
    rows: list[Row]
    forward: bool
    shifts: list[int]
    more: list[int]
    sources: dict[Load, Source]
    dead: set[Store]
    forms: ChainForms
    late: set[Instruction] = field(default_factory=set)
    apart: list[tuple[Row | Spot, Row | Spot]] = field(default_factory=list)

    def behind(self, stage: Stage) -> int:
        """How far a stage is in front of the counter q of the fused loop: it is in the iteration q plus this."""
        shift = self.shifts[stage.number]
        return -shift if self.forward else shift

    @property
    def low(self) -> int:
        """The least q in which each stage has an iteration."""
        return max(-self.behind(each) for each in self.stages)

    @property
    def high(self) -> int:
        """The q behind the greatest one, less the iterations of the first stage."""
        return min(more - self.behind(each) for each, more in zip(self.stages, self.more, strict=True))

    @property
    def least(self) -> int:
        """How many iterations the first stage has at least: then each stage has one in the fused loop, and what they
        touch of a row is in one piece."""
        spread = max(max(t.at for t in row.touches) - min(t.at for t in row.touches) for row in self.rows)
        return self.low - self.high + spread + max(self.more) - min(self.more) + _LEAST

    def beside(self, stage: Stage) -> tuple[int, int]:
        """How many iterations are below those of the fused loop, and above them."""
        place = self.behind(stage)
        return self.low + place, self.more[stage.number] - place - self.high

    def time(self, touch: Touch) -> int:
        """The place of what is touched in time t, less t."""
        return (touch.at if self.forward else -touch.at) - self.shifts[touch.stage.number]

    @property
    def replaces(self) -> bool:
        """Whether nothing is to be asked before the chain may be fused, and all stages have the same iterations."""
        asked = bool(self.apart) or any(way.guards for way in self.ways)
        return not asked and not any(sum(self.beside(each)) for each in self.stages)

    @property
    def accesses(self) -> int:
        """How many accesses to memory the fused loop has."""
        loads = {(each.row, each.place) for each in self.sources.values() if each.write is None}
        return len(loads) + sum(len(row.writes) for row in self.rows) - len(self.dead)

    @property
    def blocks(self) -> list[Block]:
        """Those of the stages, and those between them."""
        return [*(each.body for each in self.stages), *(block for way in self.ways for block in way.blocks)]

    @property
    def region(self) -> set[Block]:
        return set(self.blocks)


class ChainForms(FunctionForms):
    """Integers and addresses as polynomials in the numbers of the iterations of some loops."""

    stages: set[Loop]

    def counter(self, phi: Phi) -> tuple[Loop, Variable] | None:
        found = super().counter(phi)
        return found if found is not None and found[0] in self.stages else None

    def _walk(self, phi: Phi) -> tuple[Value, int, Loop] | None:
        found = super()._walk(phi)
        return found if found is not None and found[2] in self.stages else None


def is_pure(inst: Instruction, memory: Memory) -> bool:
    """Whether an instruction computes a number, an address or a condition and may be computed anywhere."""
    if isinstance(inst, CallBase):
        return is_pure_call(inst, memory.module) or is_arithmetic(inst)
    return is_speculatable(inst)


def is_remark(inst: Instruction) -> bool:
    """What only tells something: debug records, and which pointers are apart from here on."""
    return isinstance(inst, DebugRecord) or declares_scope(inst)


def uses(inst: Instruction, user: Instruction) -> list[Block]:
    """Where a value is used by an instruction: by a phi, in the blocks that it comes from."""
    if isinstance(user, Phi):
        return [source for value, source in user.incoming if value is inst]
    return [user.block] if user.block is not None else []


def incoming_on(chain: Chain, phi: Phi) -> Value:
    """What a phi between the stages of a chain is on the way through it."""
    for stage, way in zip(chain.stages, chain.ways, strict=False):
        if phi.block in way.blocks:
            place = way.blocks.index(phi.block)
            return phi.value_from(way.blocks[place - 1] if place else stage.body)
    raise AssertionError(phi)
