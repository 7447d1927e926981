"""The body of a loop as a function of its own, so that the reverse sweep can run one iteration again.

A loop becomes one block: it calls the function for the iteration, and keeps what leads from one iteration to the next
(counters, sums) and the test that ends it. What the iteration makes and the loop uses is returned, or written to locals
of the loop's function where it is more than one value.

Branches inside on what does not change in the loop (is an array empty? is there a second element?) are taken for
settled: in front of the loop it is asked whether all of them go the way that leads to more of the loops inside, and
where they do not, the loop as it was runs instead. So what an iteration writes before it reads it can be told, and what
a compiler hands from one iteration to the next only for the other cases is not handed on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from enzyme.analysis.alias import AliasAnalysis, ModuleSummaries
from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop, LoopForest
from enzyme.analysis.memory_objects import MemoryObject
from enzyme.analysis.overwrites import goes_through
from enzyme.analysis.symbolic import Sym, emit_sym
from enzyme.analysis.tripcount import backedge_count
from enzyme.gradient.edge_accesses import (
    EdgeAccesses,
    edge_accesses,
    is_plain,
    is_product_added,
    read_before,
)
from enzyme.gradient.exceptions import forget_edge
from enzyme.gradient.handed_loads import load_again
from enzyme.gradient.lines import attach_lines
from enzyme.gradient.primal import KEPT_METADATA, REPLAYED, is_dropped
from enzyme.gradient.replay import ARRAY, AT_ONCE, is_scratch
from enzyme.gradient.sums import summands
from enzyme.gradient.whole_blocks import WRITTEN_FIRST, begins_anew
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I1, I32, I64, PTR, VOID, FunctionType
from enzyme.ir.values import (
    Alloca,
    Argument,
    Block,
    Branch,
    CallBase,
    Cast,
    Constant,
    ConstantInt,
    DebugRecord,
    Freeze,
    Function,
    GetElementPtr,
    Instruction,
    Invoke,
    MetadataValue,
    Phi,
    Store,
    Switch,
    Value,
)
from enzyme.rules.known import known_callee
from enzyme.rules.scalar import lookup_instruction

_LINKS = 4
"""Additions to one sum in an iteration that are seen as such."""
SMALL_LOOP = ".iterations"
"""Behind the name of a loop's header: the block that calls the function for one iteration after the other."""


@dataclass(frozen=True)
class Iteration:
    """A loop whose body has been made a function."""

    function: str
    header: str
    made: Function
    settled: int
    """How many conditions are taken for settled."""
    at_once: bool = False
    """Whether it is to be reversed in the forward sweep (at_once.py)."""
    together: Function | None = None
    """The function for several iterations at once (together.py)."""

    @property
    def key(self) -> tuple[str, str]:
        return self.function, self.header


def why_no_iteration(loop: Loop) -> str:
    """Why the body of a loop cannot be made a function, by its shape; "" if it can."""
    latch = loop.latch
    if latch is not None and loop.exiting_blocks == [loop.header] != [latch]:
        return "its test stands at its head, as loops have it without optimisation"
    if not loop.is_simple or latch is None or loop.exiting_blocks != [latch]:
        return "it can be left from several places"
    if not isinstance(latch.terminator, Branch) or not latch.terminator.is_conditional:
        return "its end is no plain test"
    if loop.header.name is None:
        return "it has no name"
    for block in loop.blocks:
        if not isinstance(block.terminator, (Branch, Switch)):
            return f"it has a '{block.terminator.opcode if block.terminator else '?'}' inside"
        for inst in block.instructions:
            if isinstance(inst, (Alloca, Invoke)) or (inst.opcode == "landingpad"):
                return f"it has '{inst.opcode}' inside"
            for user in inst.users:
                if user.block not in loop.blocks and not (isinstance(user, Phi) and user.block in loop.exit_blocks):
                    return "what it makes is used far behind it"
    return ""


def make_iteration(
    module: Module,
    function: Function,
    header: str,
    sums: Sequence[int] = (),
    at_edge: bool = False,
    in_memory: bool = False,
    least: int = 0,
    handed: bool = True,
) -> Iteration | None:
    """Make the body of the loop with this header a function; None where the loop is not there or has another shape.
    One that is to be reversed at once has ``sums``, the places of their phis in the header: it returns what is added to
    one of them, or the sum, and writes what else the loop uses. ``at_edge``: the loop reads and stores for it what it
    can (edge_accesses.py), and if ``in_memory``, adds to numbers there. Where it has fewer than ``least`` iterations,
    it runs as it was. What iterations are ``handed`` of what others loaded, they load again."""
    cfg = ControlFlowGraph(function)
    dominators = DominatorTree(cfg)
    loops = LoopForest(cfg, dominators)
    loop = next((each for each in loops.loops if each.header.name == header), None)
    if loop is None or why_no_iteration(loop):
        return None
    _part_products(value for phi in loop.header.phis for value in _products_added_to(phi, loop))
    summaries = ModuleSummaries(module, known_callee)
    alias = AliasAnalysis(function, module, known_callee, summaries)
    if handed and load_again(alias, FunctionForms(dominators, loops, module.datalayout), loop):
        alias = AliasAnalysis(function, module, known_callee, summaries)
    edge = edge_accesses(alias, loop, in_memory) if at_edge else EdgeAccesses()
    if edge.steps and _simplify_sums(alias, loop, edge):
        alias = AliasAnalysis(function, module, known_callee, summaries)
        edge = edge_accesses(alias, loop, in_memory)
    region = _Region(loop, dominators, edge)
    region.settle()
    region.divide()
    rounds = backedge_count(loop, dominators) if least else None
    return _Rewriting(module, function, region, sums, alias, (rounds, least) if rounds is not None else None).run()


def _products_added_to(phi: Phi, loop: Loop) -> Iterator[CallBase]:
    """Products that are added up from iteration to iteration."""
    for value, source in phi.incoming:
        if source in loop.blocks:
            yield from (each for each in _additions(value, phi) if is_product_added(each))


def _additions(value: Value, phi: Phi, depth: int = _LINKS) -> list[Instruction]:
    """How a value is a phi and what is added to it, from the last addition on; empty if it is none."""
    for part in summands(value) if depth and value.type.is_float else ():
        found = _additions(part, phi, depth - 1)
        if part is phi or found:
            assert isinstance(value, Instruction)
            return [value, *found]
    return []


def _simplify_sums(alias: AliasAnalysis, loop: Loop, edge: EdgeAccesses) -> bool:
    """Read an entry of a table once in each iteration, where sums in memory go by it, and part products that are added
    to such sums; whether there was anything to do."""
    again = read_before(alias, loop) if edge.scattered else {}
    for load, earlier in again.items():
        load.replace_all_uses_with(earlier)
        load.erase()
    steps = [each for block in loop.order for each in block.instructions if each in edge.steps]
    products = [each for each in steps if is_product_added(each)]
    _part_products(products)
    return bool(again or products)


def _part_products(products: Iterable[CallBase]) -> None:
    """Products that are added to a sum get an instruction of their own, where the two may be one or not: the sum stays
    in the loop, which then asks nothing of the iteration but that number."""
    for value in list(products):
        assert value.block is not None
        build = Builder(value.block, value.flags, before=value)
        total = build.fadd(build.fmul(value.args[0], value.args[1]), value.args[2])
        assert isinstance(total, Instruction)
        total.metadata = {key: node for key, node in value.metadata.items() if key == "dbg"}
        value.replace_all_uses_with(total)
        value.erase()


@dataclass
class _Region:
    """What becomes of the instructions of a loop."""

    loop: Loop
    dominators: DominatorTree
    edge: EdgeAccesses
    settled: dict[Value, bool] = field(default_factory=dict)
    live: list[Block] = field(default_factory=list)  # blocks that are reached when the conditions hold, in order
    mine: dict[Instruction, None] = field(default_factory=dict)  # stays in the loop
    outs: dict[Instruction, None] = field(default_factory=dict)  # what the iteration hands to the loop
    carried: dict[Phi, None] = field(default_factory=dict)  # phis of the header that are needed
    inner: set[Instruction] = field(default_factory=set)  # what the iteration consists of
    read: dict[Instruction, None] = field(default_factory=dict)  # what the loop reads for the iteration

    @property
    def latch(self) -> Block:
        found = self.loop.latch
        assert found is not None
        return found

    # which way the settled branches go

    def settle(self) -> None:
        for block in self.loop.order:
            end = block.terminator
            if block is self.latch or not isinstance(end, Branch) or not end.is_conditional:
                continue
            condition, on_true, on_false = end.operands
            if isinstance(condition, Constant) or not self.loop.is_invariant(condition) or condition in self.settled:
                continue
            gain = self._loops_behind(block, on_true) - self._loops_behind(block, on_false)
            if gain:
                self.settled[condition] = gain > 0
        self.live = self._reached()
        asked = {b.terminator.operands[0] for b in self.live if isinstance(b.terminator, Branch)}
        self.settled = {c: way for c, way in self.settled.items() if c in asked}

    def _loops_behind(self, source: Block, target: Value) -> int:
        assert isinstance(target, Block)
        if target.predecessors != [source]:
            return 0
        forest = self.loop.forest
        assert forest is not None
        inside = (b for b in self.loop.order if forest.depth_of(b) > self.loop.depth)
        return sum(self.dominators.dominates(target, b) for b in inside)

    def successors(self, block: Block) -> list[Block]:
        """Where a block goes to when the conditions hold, inside the loop and within one iteration."""
        if block is self.latch:
            return []
        end = block.terminator
        if isinstance(end, Branch) and end.is_conditional and end.operands[0] in self.settled:
            taken = end.operands[1 if self.settled[end.operands[0]] else 2]
            assert isinstance(taken, Block)
            return [taken]
        return list(block.successors)

    def _reached(self) -> list[Block]:
        seen = {self.loop.header}
        work = [self.loop.header]
        while work:
            for target in self.successors(work.pop()):
                if target not in seen:
                    seen.add(target)
                    work.append(target)
        return [block for block in self.loop.order if block in seen]

    # what stays in the loop

    def divide(self) -> None:
        end = self.latch.terminator
        assert end is not None
        self._want(end.operands[0])
        for target in self.loop.exit_blocks:
            for phi in target.phis:
                self._want(phi.value_from(self.latch))
        for store in self.edge.last:
            for operand in store.operands:
                self._want(operand)
            self.mine[store] = None
        known = -1
        while known != len(self.carried) + len(self.outs) + len(self.read):  # what is handed on needs more, ...
            known = len(self.carried) + len(self.outs) + len(self.read)
            self._mark_inner()
            for load in list(self.read):
                self._want(load.operands[0])
            for phi in list(self.carried):  # ... which needs more phis
                self._want(phi.value_from(self.latch))

    def _want(self, value: Value) -> None:
        if not isinstance(value, Instruction) or value.block not in self.loop.blocks:
            return
        if isinstance(value, Phi) and value.block is self.loop.header:
            self.carried[value] = None
        elif value in self.mine or value in self.outs:
            return
        elif value in self.edge.first:
            self.read[value] = self.mine[value] = None
        elif value in self.edge.steps or is_plain(self.loop, value) or self._adds_up(value):
            for operand in value.operands:
                self._want(operand)
            self.mine[value] = None
        else:
            self.outs[value] = None

    def _adds_up(self, value: Instruction) -> bool:
        """Whether a value is a header phi and what is added to it."""
        return any(_additions(value, phi) for phi in self.loop.header.phis)

    def _mark_inner(self) -> None:
        """What the iteration consists of: what has an effect or is handed on, and what that is made of."""
        live = set(self.live)
        work: list[Instruction] = list(self.outs)
        for block in self.live:
            for inst in block.instructions:
                if inst.is_terminator:
                    decides = inst is not self.latch.terminator and len(self.successors(block)) > 1
                    if decides:
                        work.append(inst)
                elif not isinstance(inst, (DebugRecord, Phi)) and not is_dropped(inst) and _has_effect(inst):
                    if inst not in self.edge.last:
                        work.append(inst)
        while work:
            inst = work.pop()
            if inst in self.inner:
                continue
            if isinstance(inst, Phi) and inst.block is self.loop.header:
                self.carried[inst] = None
                continue
            if inst in self.edge.first:
                self.read[inst] = self.mine[inst] = None
                continue
            self.inner.add(inst)
            operands = self.incoming(inst, live) if isinstance(inst, Phi) else inst.operands
            for operand in operands:
                if isinstance(operand, Instruction) and operand.block in self.loop.blocks:
                    work.append(operand)

    def incoming(self, phi: Phi, live: set[Block]) -> list[Value]:
        return [value for value, source in phi.incoming if self.is_edge(source, phi.block, live)]

    def is_edge(self, source: Block, target: Block | None, live: set[Block]) -> bool:
        return source in live and target in self.successors(source)


def _has_effect(inst: Instruction) -> bool:
    if isinstance(inst, CallBase):
        if lookup_instruction(inst) is not None:
            return False
        known = known_callee(inst.callee_name, inst.callee_type) if inst.callee_name else None
        return known is None or not known.effect.none
    return isinstance(inst, Store) or inst.opcode in ("atomicrmw", "cmpxchg", "fence") or "volatile" in inst.flags


def _widening(value: Value) -> tuple[object, ...] | None:
    """What tells a number that has been widened or narrowed; None for other values."""
    if not isinstance(value, Cast):
        return None
    return value.opcode, value.operands[0], value.type, value.flags


def _ways_out(region: _Region, sums: Sequence[int]) -> tuple[Instruction | None, list[Instruction]]:
    """What an iteration returns, and what it writes to locals of the loop's function."""
    outs = list(region.outs)
    if len(outs) == 1:
        return outs[0], []
    phis = list(region.loop.header.phis)
    if not sums and region.edge.last:
        first = next((out for out in outs if out.type.is_float), None)
        return first, [each for each in outs if each is not first]
    for index in sums:
        total = phis[index].value_from(region.latch)
        added = [total, *(total.operands if total in region.mine and isinstance(total, Instruction) else ())]
        for out in outs:
            if any(out is each for each in added):
                return out, [each for each in outs if each is not out]
    return None, outs


class _Rewriting:
    """Makes the function, and the loop that calls it."""

    def __init__(
        self,
        module: Module,
        function: Function,
        region: _Region,
        sums: Sequence[int],
        alias: AliasAnalysis,
        least: tuple[Sym, int] | None,
    ) -> None:
        self.module, self.function, self.region, self.at_once = module, function, region, bool(sums)
        self.returned, self.written = _ways_out(region, sums)
        self.loop, self.header, self.latch = region.loop, region.loop.header, region.latch
        self.alias, self.least = alias, least
        self.same: dict[Value, Value] = {}
        """What is taken from outside, and which of it is given for it: each of the loops inside has a widened count of
        its own, where they are often the same number."""
        self.places: dict[GetElementPtr, None] = {}
        """Addresses, made in front of the loop, that the iteration makes of what they are places in."""

    def run(self) -> Iteration:
        inputs = self._inputs()
        attributes = [self._attributes(value, inputs) for value in inputs]
        made = self._make(inputs, attributes)
        self._call(made, inputs)
        name, header = self.function.name or "", self.header.name or ""
        self.module.add_function(made)
        attach_lines(self.module, self.function, made)
        return Iteration(name, header, made, len(self.region.settled), self.at_once)

    def _inputs(self) -> list[Value]:
        """What the iteration takes from outside: header phis, and values from in front of the loop."""
        region = self.region
        live = set(region.live)
        found: dict[Value, None] = {}
        for block in region.live:
            for inst in block.instructions:
                if inst not in region.inner:
                    continue
                for operand in region.incoming(inst, live) if isinstance(inst, Phi) else inst.operands:
                    value = operand.inner if isinstance(operand, MetadataValue) else operand
                    outside = isinstance(value, Instruction) and value.block not in self.loop.blocks
                    if outside or isinstance(value, Argument) or self._is_carried(value) or value in region.read:
                        found[value] = None
        for value in region.outs:
            assert value in region.inner
        found = self._of_whole(found)
        given: dict[object, Value] = {}
        for value in found:
            self.same[value] = given.setdefault(_widening(value) or value, value)
        return [value for value, first in self.same.items() if value is first]

    def _of_whole(self, found: dict[Value, None]) -> dict[Value, None]:
        """The same, where several places of one array are taken that is scratch: that array, from which the iteration
        finds them, so that no two of its parameters lead to the same memory."""
        by_base: dict[Value, list[Value]] = {}
        for value in found:
            if value.type is PTR and all(is_scratch(self.alias, m) for m in self.alias.underlying_objects(value)):
                by_base.setdefault(self._base(value), []).append(value)
        taken: dict[Value, None] = {}
        for value in found:
            base = self._base(value)
            if value is base or len(by_base.get(base, ())) < 2:
                taken[value] = None
                continue
            steps: list[GetElementPtr] = []
            while value is not base:
                assert isinstance(value, GetElementPtr)
                steps.append(value)
                value = value.operands[0]
            for step in reversed(steps):
                self.places[step] = None
                taken.update(dict.fromkeys(each for each in step.operands[1:] if not isinstance(each, Constant)))
            taken[base] = None
        return taken

    def _base(self, value: Value) -> Value:
        """What an address is a place in, as far as it is told in front of the loop."""
        while isinstance(value, GetElementPtr) and value.type is PTR and value.block not in self.loop.blocks:
            value = value.operands[0]
        return value

    def _is_carried(self, value: Value) -> bool:
        return isinstance(value, Phi) and value.block is self.header

    def _attributes(self, value: Value, inputs: list[Value]) -> tuple[str, ...]:
        """``noalias`` for a pointer that nothing else given to the iteration shares memory with, and what says that
        the iteration reads nothing behind it that an earlier one has left there."""
        if not value.type.is_pointer:
            return ()
        own = ("readonly",) if isinstance(value, Argument) and "readonly" in value.attrs else ()
        steps = [each for each in value.users if isinstance(each, GetElementPtr) and each.block in self.loop.blocks]
        if any(goes_through(self.loop, each) for each in steps):
            own = (*own, ARRAY)
        objects = self.alias.underlying_objects(value)
        promised = [m for m in objects if m.kind == "noalias_argument" and not self.alias.captures(m).captured]
        apart = all(m in promised or is_scratch(self.alias, m) for m in objects)
        for other in inputs:
            if other is not value and other.type.is_pointer:
                apart = apart and not objects & self.alias.underlying_objects(other)
        fresh = objects and all(self._is_fresh(each) for each in objects)
        return (*(("noalias",) if apart and objects else ()), *((WRITTEN_FIRST,) if fresh else ()), *own)

    def _is_fresh(self, memory: MemoryObject) -> bool:
        """Whether a local holds nothing that an earlier iteration has left."""
        return is_scratch(self.alias, memory) and begins_anew(self.loop, self.region.dominators, memory.value)

    def _make(self, inputs: list[Value], attributes: list[tuple[str, ...]]) -> Function:
        region = self.region
        result = self.returned.type if self.returned is not None else VOID
        extra = [PTR] * len(self.written)
        types = (*(value.type for value in inputs), *extra)
        names = [*(value.name for value in inputs), *(f"out{i}" for i in range(len(extra)))]
        name = self.module.unique_name(f"{self.function.name}.iteration")
        made = Function(name, FunctionType(result, types), names)
        made.prefix = ("internal",)
        once = (f'"{AT_ONCE}"',) if self.at_once else ()
        made.attrs = (*self.module.target_attributes(self.function), f'"{REPLAYED}"', *once)
        for argument, given in zip(made.args, (*attributes, *[("noalias", "writeonly")] * len(extra)), strict=True):
            argument.attrs = given
        values: dict[Value, Value] = dict(zip(inputs, made.args[: len(inputs)], strict=True))
        values.update({value: values[first] for value, first in self.same.items()})
        blocks = {block: made.append_block(block.name) for block in region.live}
        for address in self.places:
            values[address] = blocks[self.header].append(_clone(address, values, {}))
        self._fill(blocks, values)
        end = Builder(blocks[self.latch])
        for out, place in zip(self.written, made.args[len(inputs) :], strict=True):
            end.store(values[out], place)
        end.ret(values[self.returned] if self.returned is not None else None)
        return made

    def _fill(self, blocks: dict[Block, Block], values: dict[Value, Value]) -> None:
        region, live = self.region, set(self.region.live)
        phis: list[tuple[Phi, Phi]] = []
        for block, twin in blocks.items():
            for inst in block.instructions:
                if inst.is_terminator:
                    self._terminate(block, twin, blocks, values)
                elif inst in region.inner and isinstance(inst, Phi):
                    made = Phi(inst.type, (), name=inst.name, flags=inst.flags)
                    made.metadata = {k: v for k, v in inst.metadata.items() if k in KEPT_METADATA}
                    phis.append((inst, made))
                    values[inst] = twin.append(made)
                elif inst in region.inner:
                    values[inst] = twin.append(_clone(inst, values, blocks))
        for inst, made in phis:
            for value, source in inst.incoming:
                if region.is_edge(source, inst.block, live):
                    made.add_incoming(values.get(value, value), blocks[source])

    def _terminate(self, block: Block, twin: Block, blocks: dict[Block, Block], values: dict[Value, Value]) -> None:
        end = block.terminator
        if block is self.latch or end is None:
            return
        targets = self.region.successors(block)
        if len(targets) == 1:
            made: Instruction = Branch(blocks[targets[0]])
            made.metadata = {k: v for k, v in end.metadata.items() if k == "dbg"}
            twin.append(made)
        else:
            twin.append(_clone(end, values, blocks))

    def _call(self, made: Function, inputs: list[Value]) -> None:
        """Put the loop that calls the function in front of, or in place of, the loop as it was."""
        function, region, loop = self.function, self.region, self.loop
        before = loop.preheader
        assert before is not None and before.terminator is not None
        (after,) = loop.exit_blocks
        around = function.append_block(f"{self.header.name}{SMALL_LOOP}")
        leave = function.append_block(f"{self.header.name}.done")
        values = self._small_loop(made, inputs, before, around, leave)
        ends: dict[Phi, Value] = {}
        for phi in after.phis:
            value = phi.value_from(self.latch)
            ends[phi] = leave.append(Phi(phi.type, [(values.get(value, value), around)], name=phi.name))
        Builder(leave).br(after)
        entry = function.append_block(f"{self.header.name}.before")
        Builder(entry).br(around)
        for phi in around.phis:
            phi.replace_operand(before, entry)
        end = before.terminator
        if not region.settled and self.least is None:
            end.erase()
            Builder(before).br(entry)
            for phi in after.phis:
                phi.add_incoming(ends[phi], leave)
            forget_edge(after, self.latch)
            self._remove_loop()
            return
        other = function.append_block(f"{self.header.name}.otherwise")
        last = function.append_block(f"{self.header.name}.left")
        build = Builder(before, before=end)
        all_hold: Value | None = None
        if self.least is not None:
            rounds, least = self.least
            all_hold = build.icmp("uge", emit_sym(rounds, build), ConstantInt(I64, least - 1))
        for condition, way in region.settled.items():
            holds = build.insert(Freeze(condition, name="settled"))
            asked = holds if way else build.xor(holds, ConstantInt(I1, 1))
            all_hold = asked if all_hold is None else build.and_(all_hold, asked)
        assert all_hold is not None
        end.erase()
        Builder(before).cond_br(all_hold, entry, other)
        Builder(other).br(self.header)
        for phi in self.header.phis:
            phi.replace_operand(before, other)
        for phi in after.phis:
            value = phi.value_from(self.latch)
            phi.add_incoming(last.append(Phi(phi.type, [(value, self.latch)], name=phi.name)), last)
            phi.add_incoming(ends[phi], leave)
        forget_edge(after, self.latch)
        Builder(last).br(after)
        branch = self.latch.terminator
        assert branch is not None
        branch.replace_operand(after, last)

    def _small_loop(
        self, made: Function, inputs: list[Value], before: Block, around: Block, leave: Block
    ) -> dict[Value, Value]:
        region = self.region
        values: dict[Value, Value] = {}
        for phi in self.header.phis:
            if phi in region.carried:
                twin = Phi(phi.type, [(phi.value_from(before), before)], name=phi.name, flags=phi.flags)
                values[phi] = around.append(twin)
        read_first = self._for_reading()
        for inst in read_first:
            values[inst] = around.append(_clone(inst, values, {}))
        build = Builder(around)
        slots: list[Value] = []
        for out in self.written:
            slots.append(self.function.entry.insert(0, Alloca(out.type, ConstantInt(I32, 1), name="out")))
        call = build.call(made, [*(values.get(value, value) for value in inputs), *slots])
        assert isinstance(call, Instruction)
        place = next((i.metadata["dbg"] for i in self.header.instructions if "dbg" in i.metadata), None)
        if place is not None:
            call.metadata["dbg"] = place
        if self.returned is not None:
            call.name = "iteration"
            values[self.returned] = call
        for out, slot in zip(self.written, slots, strict=True):
            values[out] = build.load(out.type, slot)
        for block in self.loop.order:
            for inst in block.instructions:
                if inst in region.mine and inst not in read_first:
                    values[inst] = around.append(_clone(inst, values, {}))
        for phi in region.carried:
            twin_phi = values[phi]
            assert isinstance(twin_phi, Phi)
            value = phi.value_from(self.latch)
            twin_phi.add_incoming(values.get(value, value), around)
        end = self.latch.terminator
        assert end is not None
        condition, on_true, _ = end.operands
        again = on_true is self.header
        build = Builder(around)
        build.cond_br(values.get(condition, condition), around if again else leave, leave if again else around)
        return values

    def _for_reading(self) -> list[Instruction]:
        """What the loop reads for the iteration, and what the addresses are made of, in order."""
        wanted: set[Value] = set()
        work: list[Value] = list(self.region.read)
        while work:
            value = work.pop()
            if value in self.region.mine and value not in wanted:
                wanted.add(value)
                assert isinstance(value, Instruction)
                work += value.operands
        return [inst for block in self.loop.order for inst in block.instructions if inst in wanted]

    def _remove_loop(self) -> None:
        for block in self.loop.blocks:
            for inst in block.instructions:
                inst.drop_operands()
        for block in self.loop.blocks:
            self.function.blocks.remove(block)


def _clone(inst: Instruction, values: dict[Value, Value], blocks: dict[Block, Block]) -> Instruction:
    def twin(operand: Value) -> Value:
        if isinstance(operand, MetadataValue):
            return MetadataValue(twin(operand.inner))
        if isinstance(operand, Block):
            return blocks[operand]
        return values.get(operand, operand)

    made = inst.clone([twin(operand) for operand in inst.operands])
    made.metadata = {k: v for k, v in inst.metadata.items() if k in KEPT_METADATA}
    return made
