"""The tape plan: for every value the reverse sweep needs, keep it, recompute it, or reload it from primal memory.

The plan is data, made before any code is emitted. Its input is the primal copy and the set of values the reverse
sweep looks up; its output says which values are kept, in which loop's tape, and how each tape is sized.

Keep or recompute is a minimum cut (Ford and Fulkerson): a value that cannot be recomputed hangs on the source, a value
the sweep looks up hangs on the sink, an edge leads from each operand to what is recomputed from it, and cutting
through a value costs the bytes it would take on the tape, weighted by how often its loop runs. Divisions outside of
loops cost something, too. Values nearest to the sink win ties, so that least is recomputed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from enzyme.analysis.loops import Loop
from enzyme.analysis.modref import FunctionSummary
from enzyme.analysis.round_totals import total_rounds
from enzyme.analysis.symbolic import Sym, SymConst, constant_value, sym_values
from enzyme.gradient.frame_places import places_of
from enzyme.gradient.handed_loads import HandedLoad
from enzyme.gradient.primal import PrimalCopy, is_static_alloca
from enzyme.gradient.registrations import RECOMPUTED
from enzyme.gradient.repeated import Repeated
from enzyme.gradient.replay import is_marked
from enzyme.gradient.shared_bytes import shared
from enzyme.gradient.snapshots import GUESSED, Snapshot, Snapshots, offer_snapshots
from enzyme.ir.types import I1, IntType
from enzyme.ir.values import (
    Alloca,
    Argument,
    BinaryOp,
    Branch,
    CallBase,
    Cast,
    Compare,
    Constant,
    ConstantInt,
    ExtractElement,
    ExtractValue,
    Function,
    GetElementPtr,
    InsertElement,
    InsertValue,
    Instruction,
    Load,
    Phi,
    Select,
    ShuffleVector,
    UnaryOp,
    Value,
)
from enzyme.rules.expr import Cost
from enzyme.rules.scalar import lookup_instruction
from enzyme.support.config import Config
from enzyme.support.minimum_cut import sink_side

Source = Literal["free", "recompute", "reload", "snapshot", "affine", "count", "keep"]
Sizing = Literal["constant", "exact", "grow per entry", "grow per iteration"]
_PURE = (
    BinaryOp,
    UnaryOp,
    Cast,
    Compare,
    Select,
    GetElementPtr,
    ExtractValue,
    InsertValue,
    ExtractElement,
    InsertElement,
    ShuffleVector,
)
GUESSED_TRIPS = GUESSED
_STACK_LIMIT = 4 * 1024
_COPIED, _WRITTEN = 6, 3
"""What a byte of a snapshot costs, in quarters of one that is kept where it is loaded: copying is a pass of its own,
but takes less than a second store to memory that no cache holds; what is written straight into the snapshot is not
written elsewhere."""
_MISSED = 4
_PASSING = 20
"""What such a byte costs where the numbers could be kept by a loop that runs so many instructions for each of them:
stores to the tape hide behind those, and not in a loop that does nothing but write the array."""
_DIVIDED = 16
"""What it costs to divide again, in bytes kept, where these are in registers or on the stack."""
_READ, _SOUGHT = 1, 5
"""What it costs to read a number of a snapshot, in bytes kept: in order, and where it has to be looked for."""


@dataclass(frozen=True)
class Origin:
    """How a value can be had in the reverse sweep without keeping it.

    ``inputs`` are the values it is made of; ``reason`` says why it can, or why it must be kept.
    """

    source: Source
    inputs: tuple[Value, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class LoopTape:
    """The tape of one loop: one array per kept value, indexed by the loop's running iteration count.

    ``around``: the outermost of the loops around it whose iterations share their entries (repeated.py), if any.
    ``snapshot``: the array of which each entry is a copy (snapshots.py), if it is one; then there is one value.
    """

    loop: Loop
    values: tuple[Value, ...]
    sizing: Sizing
    counts: tuple[
        Sym | None, ...
    ]  # back-edge counts of this loop and those around it that have entries, innermost first
    total: int | None  # entries per array where constant
    around: Loop | None = None
    snapshot: Snapshot | None = None

    @property
    def owner(self) -> Loop:
        """The loop with each run of which new entries begin."""
        return self.around or self.loop


@dataclass(frozen=True)
class TapePlan:
    """What is kept (``scalars`` once per call, ``tapes`` per loop) and where everything else comes from."""

    scalars: tuple[Value, ...]
    tapes: tuple[LoopTape, ...]
    origins: dict[Value, Origin]
    sizes: dict[Value, int]
    kept: frozenset[Value]
    checked: frozenset[Value]  # stored only to be compared with what is recomputed (Config.check_plan)
    bits: frozenset[Value] = frozenset()  # decisions of which eight iterations share a byte
    shared: dict[Value, tuple[Value, ...]] = field(default_factory=dict)  # decisions in a byte, by the first of them
    places: dict[Value, Value] = field(default_factory=dict)  # scalars at the place of others (frame_places.py)

    def without(self, values: Iterable[Value]) -> TapePlan:
        """The plan without values that turned out to need no place of their own."""
        gone = set(values)
        return replace(
            self,
            scalars=tuple(value for value in self.scalars if value not in gone),
            origins={value: origin for value, origin in self.origins.items() if value not in gone},
            kept=self.kept - gone,
            checked=self.checked - gone,
        )

    def bytes_per_iteration(self, tape: LoopTape) -> int:
        """What one iteration of a loop leaves on its own tape; a bit counts as a byte."""
        return sum(self.sizes[value] for value in tape.values)

    def report(self, describe: Callable[[Value], str]) -> str:
        """The plan in words."""
        lines = [
            f"tape plan: {len(self.kept)} kept, {sum(v not in self.kept for v in self.origins)} recomputed or reloaded"
        ]
        if self.scalars:
            lines.append(f"  once per call ({sum(self.sizes[v] for v in self.scalars)} bytes):")
            lines += [f"    keep {describe(v)}  [{self.sizes[v]} bytes] {self._why_kept(v)}" for v in self.scalars]
        for tape in self.tapes:
            per = self.bytes_per_iteration(tape)
            lines.append(
                f"  loop at {tape.loop.header.name or '?'}, depth {tape.loop.depth} "
                f"({per} bytes per iteration, {tape.sizing}):"
            )
            for first in tape.values:
                lines.append(f"    keep {describe(first)}  [{self.sizes[first]} bytes] {self._why_kept(first)}")
                others = self.shared.get(first, ())[1:]
                lines += [f"    keep {describe(v)}  [a bit of that byte] {self._why_kept(v)}" for v in others]
        for value, origin in self.origins.items():
            if value not in self.kept and origin.source != "free":
                lines.append(f"  {origin.source} {describe(value)} {origin.reason}".rstrip())
        return "\n".join(lines)

    def _why_kept(self, value: Value) -> str:
        if value in self.checked:
            return "only to be compared with what is computed again"
        again = "takes less time than another division" if value in self.scalars and _divides(value) else None
        return self.origins[value].reason or again or "takes fewer bytes than what it is computed from"


class Origins:
    """Answers, for values of one primal copy, how each can be had in the reverse sweep."""

    def __init__(self, copy: PrimalCopy, config: Config) -> None:
        self.copy = copy
        self.config = config
        self.snapshots = Snapshots()
        self._known: dict[Value, Origin] = {}
        self._exact: dict[Value, bool] = {}
        self._exit_counts = {phi: key for key, phi in copy.exit_counters.items()}
        self._counters = {phi: loop for loop, phi in copy.counters.items()}
        apart = copy.request.apart
        self._given_again = {each for lanes in copy.shadow_args.values() for each in lanes} if apart else set()
        self._repeated = Repeated(copy.subject.alias)
        self._around: dict[Value, Loop | None] = {}

    def around(self, value: Value) -> Loop | None:
        """The loop around that of a value, in all iterations of which it is the same, if it can be kept so."""
        if value not in self._around:
            found: Loop | None = None
            original = self.copy.origin.get(value) if isinstance(value, Instruction) else None
            loop = self.copy.loop_of(value.block) if isinstance(original, Instruction) and value.block else None  # type: ignore[attr-defined]
            if self.config.keep_once and loop is not None and isinstance(original, Instruction):
                if _sizing(self, loop, self.copy.subject.module.datalayout.alloc_size(value.type))[0] == "exact":
                    found = self._repeated.around(original, loop)
            self._around[value] = found
        return self._around[value]

    def of(self, value: Value) -> Origin:
        found = self._known.get(value)
        if found is None:
            found = self._known[value] = self._find(value)
        return found

    def count(self, loop: Loop) -> Sym | None:
        """The loop's symbolic back-edge count over values of the subject."""
        return self.copy.subject.backedge_count(loop)

    def exited_loop(self, value: Value) -> Loop:
        """The loop whose exit counter a phi is."""
        assert isinstance(value, Phi)
        return self._exit_counts[value][1]

    def counter_loop(self, value: Value) -> Loop | None:
        return self._counters.get(value) if isinstance(value, Phi) else None

    def _find(self, value: Value) -> Origin:
        if isinstance(value, (Constant, Argument)) or value in self._counters:
            return Origin("free")
        assert isinstance(value, Instruction), value
        if value in self.snapshots.taken:
            return Origin("keep", reason="a copy of an array that is overwritten")
        if isinstance(value, Alloca):
            return Origin("free") if is_static_alloca(value) else Origin("keep", reason="allocated inside a loop")
        if not self.config.recompute and not self.is_never_kept(value):
            return Origin("keep", reason="recomputing is turned off")
        if isinstance(value, Phi):
            return self._phi(value)
        if isinstance(value, Load):
            return self._load(value)
        if isinstance(value, _PURE):
            if _rounds_off(value) and not all(map(self.exact, value.operands)):
                return Origin(
                    "keep", reason="a decision on numbers that may be rounded differently when computed again"
                )
            return Origin("recompute", tuple(value.operands))
        if isinstance(value, CallBase) and isinstance(value.callee, Function):
            rule = lookup_instruction(value)
            if rule is not None and rule.cost <= Cost.DIVISION:
                return Origin("recompute", tuple(value.args))
            if self._asked_again(value, value.callee):
                return Origin("recompute", tuple(value.args))
            return Origin("keep", reason=f"result of a call to {value.callee_name}")
        return Origin("keep", reason=f"'{value.opcode}' cannot be repeated")

    def is_never_kept(self, value: Value) -> bool:
        """Whether a value is an address in a shadow that the reverse half of a split derivative is given anew: what is
        kept of it would be an address in the shadow that the first half was given. Where all that can be is kept, that
        goes for addresses in what arguments point to: what is dense is not in memory (dense.py), and an address in it
        leads nowhere once it has been kept."""
        if not value.type.is_pointer or self.config.recompute and not self._given_again:
            return False
        return any(
            each in self._given_again or isinstance(each, Argument) and not self.config.recompute
            for each in self._bases(value)
        )

    def _bases(self, value: Value) -> Iterator[Value]:
        """A value and, if it is an address, those that it was made of by going further."""
        while True:
            yield value
            if isinstance(value, GetElementPtr):
                value = value.base
            elif isinstance(value, Phi) and value.type.is_pointer and (step := self.affine(value)) is not None:
                value = step[0]
            else:
                return

    def _asked_again(self, call: CallBase, callee: Function) -> bool:
        """Whether the program asks for the function to be called again, and that gives the same result."""
        subject = self.copy.subject
        if f'"{RECOMPUTED}"' not in subject.module.fn_attributes(call) or callee.is_declaration:
            return False
        does = subject.summaries.summary(callee)
        return does is not None and does == FunctionSummary(returns=does.returns)

    def exact(self, value: Value) -> bool:
        """Whether computing the value again in the reverse sweep gives the same bits: not so where LLVM may fuse or
        reassociate (fmuladd, fast-math flags), once this way and once that."""
        found = self._exact.get(value)
        if found is not None:
            return found
        work = [value]  # operands before what is made of them: expressions may be thousands deep
        while work:
            value = work[-1]
            waiting: list[Value] = []
            if value not in self._exact:
                inputs: Sequence[Value] = ()
                if isinstance(value, _PURE) and _rounds_off(value):
                    inputs = value.operands  # its origin hangs on whether they are exact
                elif self.of(value).source == "recompute":
                    inputs = self.of(value).inputs
                waiting = [each for each in inputs if each not in self._exact]
            if waiting:
                work += waiting
                continue
            work.pop()
            if value not in self._exact:
                origin = self.of(value)
                self._exact[value] = origin.source != "recompute" or (
                    not _inexact(value) and all(self._exact[each] for each in origin.inputs)
                )
        return self._exact[value]

    def _phi(self, phi: Phi) -> Origin:
        if phi in self._exit_counts:
            _, loop = self._exit_counts[phi]
            count = self.count(loop)
            if count is None:
                return Origin("keep", reason="trip count of the loop is unknown")
            return Origin("count", tuple(self.copy.of(v) for v in sym_values(count)))
        step = self.affine(phi)
        if step is not None:
            return Origin("affine", step)
        return self._copied(phi) or self._handed(phi) or Origin("keep", reason="depends on the way taken")

    def handed(self, phi: Phi) -> HandedLoad | None:
        """What an iteration was handed, in place of loading it."""
        original = self.copy.origin.get(phi)
        loop = self.copy.loop_of(phi.block) if phi.block is not None else None
        if loop is None or not isinstance(original, Phi) or original.block is not loop.header:
            return None
        return self.copy.subject.handed_loads(loop).get(original)

    def _handed(self, phi: Phi) -> Origin | None:
        """The origin of that: it can be read where it was loaded, if nothing overwrites it there."""
        handed = self.handed(phi) if self.config.reload and self.config.handed_loads else None
        if handed is None:
            return None
        load, first = self.copy.of(handed.load), self.copy.of(handed.first)
        origin = self.of(load)
        if origin.source != "reload" or self.of(first).source != "reload":
            return None
        return Origin("reload", origin.inputs, "loaded by an iteration before, and not overwritten")

    def _copied(self, value: Value) -> Origin | None:
        """The origin of what can be had from a copy of an array."""
        read = self.snapshots.reads.get(value)
        return Origin("snapshot", read[:1], "read from a copy of its array") if read is not None else None

    def affine(self, phi: Phi) -> tuple[Value, Value] | None:
        """Start and step of a header phi that advances by the same amount each iteration, else None."""
        block = phi.block
        assert block is not None
        loop = self.copy.loop_of(block)
        if loop is None or self.copy.blocks[loop.header] is not block or len(phi.operands) != 4:
            return None
        latch = self.copy.blocks[next(iter(loop.latches))]
        (start,) = (
            (v for v, b in phi.incoming if b is not latch) if phi.incoming[0][1] is not phi.incoming[1][1] else (None,)
        )
        following = one_sum(phi.value_from(latch))
        if start is None:
            return None
        if isinstance(following, BinaryOp) and following.opcode in ("add", "sub") and isinstance(phi.type, IntType):
            left, right = following.operands
            if left is phi and self._invariant(right, loop):
                return start, right
            if right is phi and following.opcode == "add" and self._invariant(left, loop):
                return start, left
        if isinstance(following, GetElementPtr) and following.base is phi and len(following.indices) == 1:
            if self._invariant(following.indices[0], loop) and following.indices[0].type.is_int:
                return start, following.indices[0]
        return None

    def _invariant(self, value: Value, loop: Loop) -> bool:
        if isinstance(value, (Constant, Argument)):
            return True
        return (
            isinstance(value, Instruction)
            and value.block is not None
            and not loop.contains(self.copy.back[value.block])
        )

    def _load(self, load: Load) -> Origin:
        if not self.config.reload:
            return Origin("keep", reason="reloading is turned off")
        original = self.copy.origin.get(load)
        if original is None:  # a shadow's load: its memory is written exactly where the primal's is
            original = self.copy.shadow_origin.get(load)
        if original is None or load.ordering or "volatile" in load.flags:
            return Origin("keep", reason="volatile, atomic or made by the engine")
        subject = self.copy.subject
        overwritten, considered = subject.overwrites(subject.alias.location(original), self.copy.puts_off)
        if overwritten:
            return self._copied(load) or Origin("keep", reason=f"overwritten: {overwritten}")
        unstable = self.copy.unstable_reason(original)
        if unstable:
            return Origin("keep", reason=unstable)
        return Origin("reload", (load.pointer,), f"not overwritten ({considered} writes considered)")


def one_sum(value: Value) -> Value:
    """Of a phi of sums that are all the same, one of these: optimisers make such phis."""
    if not isinstance(value, Phi):
        return value
    sums = [each for each, _ in value.incoming]
    first = sums[0]
    same = isinstance(first, BinaryOp) and all(
        isinstance(each, BinaryOp) and each.opcode == first.opcode and all(map(_same, each.operands, first.operands))
        for each in sums
    )
    return first if same else value


def _same(left: Value, right: Value) -> bool:
    constants = isinstance(left, ConstantInt) and isinstance(right, ConstantInt) and left.type is right.type
    return left is right or (constants and left.value == right.value)  # type: ignore[attr-defined]


def _rounds_off(value: Instruction) -> bool:
    """Instructions that turn numbers into decisions or integers: there, another rounding is another result."""
    return value.opcode in ("fcmp", "fptosi", "fptoui") or (value.opcode == "bitcast" and value.type.scalar.is_int)


def _inexact(value: Value) -> bool:
    if isinstance(value, CallBase):
        return (value.callee_name or "").startswith("llvm.fmuladd") or bool(value.fast_math)
    return isinstance(value, Instruction) and bool({"fast", "contract", "reassoc", "arcp", "afn"} & set(value.flags))


def offered(copy: PrimalCopy, origins: Origins) -> Snapshots:
    """Copies of arrays that the plan may choose: where it is known in front how many there will be."""
    config = origins.config
    if not (config.snapshots and config.recompute and config.reload):
        return Snapshots()
    return offer_snapshots(copy, origins.count, lambda loop: _sizing(origins, loop, _STACK_LIMIT + 1)[0] == "exact")


def make_plan(
    copy: PrimalCopy,
    origins: Origins,
    needed: Iterable[Value],
    also_keep: Iterable[Value] = (),
    in_frame: bool = False,
) -> TapePlan:
    """Choose what to keep so that every value in ``needed`` can be had. ``in_frame``: what is kept once per call lies
    in a frame, where numbers may share a place."""
    needed = list(dict.fromkeys(v for v in needed if origins.of(v).source != "free"))
    order: list[Value] = []
    seen: set[Value] = set()
    work = list(needed)
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        order.append(value)
        work += [v for v in origins.of(value).inputs if origins.of(v).source != "free"]
    taken = origins.snapshots.taken
    size = {v: taken[v].guess if v in taken else _bytes(copy, v) for v in order}
    cost = {v: size[v] * _frequency(copy, origins, v) for v in order}
    busy = {v for v in order if v in taken and _is_read_in_passing(origins, v, needed, cost)}
    cost |= {
        v: cost[v] * (_COPIED if taken[v].writer is None else _MISSED if v in busy else _WRITTEN) // 4
        for v in order
        if v in taken
    }
    cost |= dict.fromkeys(filter(origins.is_never_kept, order), sum(cost.values()) + 1)
    kept = _minimum_cut(order, needed, origins, cost)
    used = _reached(needed, kept, origins)
    checked = {v for v in also_keep if origins.of(v).source != "free" and v not in kept}
    scalars: list[Value] = []
    by_loop: dict[tuple[Loop, Loop | None, Snapshot | None], list[Value]] = {}
    for value in used:
        if value in kept or value in checked:
            loop = copy.loop_of(value.block)  # type: ignore[attr-defined]
            if loop is None:
                scalars.append(value)
            else:
                by_loop.setdefault((loop, origins.around(value), taken.get(value)), []).append(value)
    tapes = tuple(_loop_tape(origins, *loops, tuple(values), size) for loops, values in by_loop.items())
    packs = origins.config.bits and not is_marked(copy.subject, copy.subject.function)  # not what is scratch
    exact = (value for tape in tapes if packs and tape.sizing == "exact" for value in tape.values)
    bits = frozenset(value for value in exact if value.type is I1)
    groups: dict[Value, tuple[Value, ...]] = {}
    if origins.config.share_bytes:
        for tape in tapes:
            groups |= shared(value for value in tape.values if value not in bits)
        others = {value for group in groups.values() for value in group[1:]}
        size |= dict.fromkeys(others, 0)
        tapes = tuple(replace(tape, values=tuple(v for v in tape.values if v not in others)) for tape in tapes)
    places = places_of(copy, scalars) if in_frame else {}
    size |= dict.fromkeys(places, 0)
    return TapePlan(tuple(scalars), tapes, used, size, frozenset(kept), frozenset(checked), bits, groups, places)


def _is_read_in_passing(origins: Origins, snapshot: Value, needed: list[Value], cost: dict[Value, int]) -> bool:
    """Whether what is needed of an array that is written straight into its snapshot is read once, in order, by one loop
    that does much else, and more than the one that writes it."""
    reads = [v for v in needed if origins.snapshots.reads.get(v, (v, v))[1] is snapshot]
    loops = {origins.copy.loop_of(v.block) for v in reads if isinstance(v, Instruction) and v.block is not None}
    if len(loops) != 1 or not all(v in origins.snapshots.in_order for v in reads):
        return False
    (loop,) = loops
    work = sum(not isinstance(i, (Phi, Branch)) for block in loop.order for i in block.instructions) if loop else 0
    return sum(cost[v] for v in reads) <= cost[snapshot] and work >= _PASSING * len(reads)


def _reached(needed: list[Value], kept: set[Value], origins: Origins) -> dict[Value, Origin]:
    """The values that are kept or computed, from the needed ones inward."""
    found: dict[Value, Origin] = {}
    work = list(reversed(needed))
    while work:
        value = work.pop()
        origin = origins.of(value)
        if value in found or origin.source == "free":
            continue
        found[value] = origin
        if value not in kept:
            work += reversed(origin.inputs)
    return found


def _bytes(copy: PrimalCopy, value: Value) -> int:
    return 1 if value.type is I1 else copy.subject.module.datalayout.alloc_size(value.type)


def _frequency(copy: PrimalCopy, origins: Origins, value: Value) -> int:
    loop = copy.loop_of(value.block)  # type: ignore[attr-defined]
    around = origins.around(value)
    times = 1
    while loop is not None:
        count = origins.count(loop)
        constant = constant_value(count) if count is not None else None
        times *= min(constant + 1, 1024) if constant is not None else GUESSED_TRIPS
        loop = (around or loop).parent
        around = None
    return min(times, 1 << 20)


def _minimum_cut(order: list[Value], needed: list[Value], origins: Origins, cost: dict[Value, int]) -> set[Value]:
    if not order:
        return set()
    index = {v: i for i, v in enumerate(order)}
    source, sink = 2 * len(order), 2 * len(order) + 1
    unbounded = sum(cost.values()) + 1
    edges: dict[tuple[int, int], int] = {}
    for value, i in index.items():
        edges[2 * i, 2 * i + 1] = cost[value]
        origin = origins.of(value)
        if origin.source == "keep":
            edges[source, 2 * i] = unbounded
        elif origin.source == "snapshot":  # to be paid where it is not kept itself
            read = _READ if value in origins.snapshots.in_order else _SOUGHT
            edges[source, 2 * i] = read * cost[value] // _bytes(origins.copy, value)
        elif _divides(value) and _is_at_hand(origins.copy, value):
            edges[source, 2 * i] = _DIVIDED
        for operand in origin.inputs:
            if operand in index:
                edges[2 * index[operand] + 1, 2 * i] = unbounded
    for value in needed:
        edges[2 * index[value] + 1, sink] = unbounded
    reaches_sink = sink_side(sink + 1, ((*edge, capacity) for edge, capacity in edges.items()), source, sink)
    return {v for v, i in index.items() if 2 * i not in reaches_sink and 2 * i + 1 in reaches_sink}


def _is_at_hand(copy: PrimalCopy, value: Value) -> bool:
    """Whether a value, if it is kept, is in a register, or on the stack, of one function."""
    return copy.request.mode == "reverse" and copy.loop_of(value.block) is None  # type: ignore[attr-defined]


def _divides(value: Value) -> bool:
    """Whether a value is a quotient or a square root."""
    if isinstance(value, CallBase):
        rule = lookup_instruction(value)
        return rule is not None and rule.cost == Cost.DIVISION
    return isinstance(value, BinaryOp) and value.opcode in ("fdiv", "frem")


def _loop_tape(
    origins: Origins,
    loop: Loop,
    around: Loop | None,
    snapshot: Snapshot | None,
    values: tuple[Value, ...],
    size: dict[Value, int],
) -> LoopTape:
    largest = _STACK_LIMIT + 1 if snapshot is not None else max(size[v] for v in values)
    sizing, counts, total = _sizing(origins, loop, largest, around)
    return LoopTape(loop, values, sizing, counts, None if snapshot is not None else total, around, snapshot)


def _sizing(
    origins: Origins, loop: Loop, largest: int, around: Loop | None = None
) -> tuple[Sizing, tuple[Sym | None, ...], int | None]:
    """How the tape of a loop is sized, its counts, and its entries where constant; ``largest`` is the most bytes that
    one of its values has."""
    chain = loop.ancestors()
    outermost = chain[-1]
    if around is not None:
        chain = [loop, *around.ancestors()[1:]]
    counts = tuple(origins.count(each) for each in chain)
    total: int | None = 1
    for count in counts:
        constant = constant_value(count) if count is not None else None
        total = None if total is None or constant is None else total * (constant + 1)
    if total is None and around is None and largest <= _STACK_LIMIT:
        total = total_rounds(loop, origins.count, _STACK_LIMIT // largest)
        if total is not None:
            total = max(total, 1)
            return "constant", (SymConst(total - 1, 64),), total
    hoisted = tuple(origins.copy.subject.hoist_count(each, outermost) for each in chain)
    exact = all(c is not None for c in hoisted)
    sizing: Sizing
    if total is not None and total * largest <= _STACK_LIMIT and around is None:
        sizing = "constant"
    elif exact:
        sizing = "exact"
    elif counts[0] is not None:
        sizing = "grow per entry"
    else:
        sizing = "grow per iteration"
    return sizing, hoisted if sizing in ("constant", "exact") else counts, total
