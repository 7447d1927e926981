"""Loops that run their iterations again in the reverse sweep, several of them at once.

The body of such a loop is a function (iterations.py). Where all of its branches go the same way in each iteration, a
function for :data:`LANES` iterations at once (wide_bodies.py) runs in a loop in front, and the plain one only for what
is left. Both are differentiated, and replayed, like any other. So short inner loops, which make poor vectors, need not
make any, and what is the same in all iterations, matrices above all, is loaded once for several. What the reverse sweep
adds to the derivative of such a number is summed over the lanes first, in any order: :attr:`Config.reassociate`.

The numbers that an iteration writes to scratch are its own, so scratch is made :data:`LANES` times as large; nothing
else may look at it. What iterations hand on is handed on, and added, in the order of the program.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from enzyme.analysis.alias import AliasAnalysis, ModuleSummaries
from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.covered import CoveredReads
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop, LoopForest
from enzyme.analysis.memory_objects import MemoryObject
from enzyme.analysis.pointer_alias import MemoryLocation
from enzyme.analysis.symbolic import Sym, emit_sym
from enzyme.analysis.tripcount import backedge_count, constant_step
from enzyme.analysis.uniform import varying_values
from enzyme.gradient.edge_accesses import is_copy_of_scratch
from enzyme.gradient.iterations import SMALL_LOOP, Iteration
from enzyme.gradient.lines import attach_lines
from enzyme.gradient.neighbour_calls import neighbour_calls
from enzyme.gradient.packed_rows import Row, find_rows
from enzyme.gradient.primal import KEPT_METADATA, REPLAYED, is_static_alloca
from enzyme.gradient.replay import is_scratch
from enzyme.gradient.shadows import heap_function
from enzyme.gradient.straightened import straighten
from enzyme.gradient.whole_blocks import WRITTEN_FIRST, fills_block
from enzyme.gradient.wide_bodies import Body, Widening, is_scalar_call, means_nothing
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I1, I64, PTR, VOID, ArrayType, FunctionType, IntType, Type, VectorType
from enzyme.ir.values import (
    Alloca,
    BinaryOp,
    Block,
    CallBase,
    ConstantInt,
    ConstantToken,
    Function,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Value,
)
from enzyme.llvm.kept_blocks import OF_TAPE
from enzyme.rules.known import known_call, known_callee
from enzyme.support.config import Config

LANES = 8
TOGETHER = ".together"
"""Names of functions for several iterations end with this."""
WIDE_LOOP = f"{SMALL_LOOP}{TOGETHER}"
"""Behind the name of a loop's header: the block that calls the function for several iterations."""
_ON_STACK = 1 << 12
"""Bytes of a local that may become so many times as large."""
_ALIGNED = 2048
"""Bytes from which on blocks begin with a line of the cache (llvm/aligned_blocks.py), as vectors should."""
_IN_CACHE = 1 << 18
"""Bytes of scratch, so many times as large, up to which it pays."""


ROOM = "all.iterations"
"""Begins the names of locals and sizes that have become larger, and of memory for rows: what ``explain`` states."""


def take_together(module: Module, iteration: Iteration, config: Config) -> Function | None:
    """Let a loop run several iterations at once; returned is the function that does, None where that is not right. By
    the ``config``, rows that they read are laid side by side first (packed_rows.py), what they call with the same
    numbers as their neighbours is called once (neighbour_calls.py), the bounds of loops are asked whether they read
    what others store, and they may go different ways (straightened.py)."""
    function = module.get_function(iteration.function)
    assert function is not None
    found = _Finder(module, function, iteration, config)
    if not found.look():
        return None
    assert found.body is not None and found.forms is not None and found.rounds is not None
    once = found.loop.parent is None  # memory of an allocation in a loop may be kept until the reverse sweep
    rows = find_rows(found.body, found.forms) if config.packed_rows and once else []
    shared = neighbour_calls(found.body, found.forms, LANES) if config.neighbour_calls else {}
    made = _make(module, iteration.made, found.body, rows, shared)
    blocks = [_enlarge(memory) for memory in found.scratch]
    rooms = [each for each in blocks if each is not None]
    given = [found.call.args[index] for index in found.given]
    front = _Front(module, found.loop, found.call, made, found.rounds, rooms, rows, given, found.taken_as())
    front.put()
    return made


class _Finder:
    """Finds out whether it is right, and what is needed for it."""

    def __init__(self, module: Module, function: Function, iteration: Iteration, config: Config) -> None:
        self.module, self.function, self.made, self.config = module, function, iteration.made, config
        self.summaries = ModuleSummaries(module, known_callee)
        self.alias = AliasAnalysis(function, module, known_callee, self.summaries, config.dependences)
        self.cfg = ControlFlowGraph(function)
        self.dominators = DominatorTree(self.cfg)
        self.forest = LoopForest(self.cfg, self.dominators)
        name = f"{iteration.header}{SMALL_LOOP}"
        self.loop = next(each for each in self.forest.loops if each.header.name == name)
        calls = (i for i in self.loop.header.instructions if isinstance(i, CallBase) and i.callee is self.made)
        self.call = next(calls)
        self.scratch: list[MemoryObject] = []
        self.given: list[int] = []
        """The places of parameters for numbers that the loop reads for the iteration."""
        self.taken: list[Load | CallBase] = []
        """By which the loop takes what its call has written to locals: loads, and copies to elsewhere."""
        self.body: Body | None = None
        self.forms: FunctionForms | None = None
        self.rounds: Sym | None = None

    def look(self) -> bool:
        steps = self._steps()
        if steps is None or len(self.loop.blocks) != 1 or not self._others_keep_clear():
            return False
        self.rounds = backedge_count(self.loop, self.dominators)
        if self.rounds is None:
            return False
        summary = self.summaries.summary(self.made)
        if summary is None or summary.writes_other or summary.writes_globals:
            return False
        written = [self.made.args[index] for index in sorted(summary.writes_args)]
        if not all("noalias" in each.attrs and self._is_own(self.call.args[each.index]) for each in written):
            return False
        if self._fits(self.made, steps, summary.writes_args):
            return True
        straight = straighten(self.module, self.made) if self.config.ways_together else None
        return straight is not None and self._fits(straight, steps, summary.writes_args)

    def _fits(self, shape: Function, steps: Mapping[int, int], writes: Collection[int]) -> bool:
        """Whether a function that does what the iteration does can be made for several: then it is the ``body``."""
        inner = AliasAnalysis(shape, self.module, known_callee, self.summaries)
        dominators, layout = DominatorTree(ControlFlowGraph(shape)), self.module.datalayout
        self.forms = covered = CoveredReads(inner, dominators, LoopForest(dominators.cfg, dominators), layout)
        outer = FunctionForms(self.dominators, self.forest, layout)
        written = {argument for argument in shape.args if argument.index in writes}
        for each in written:
            if covered.exposed(each, fills_block(outer, self.call, each.index)) is not None:
                return False  # an iteration may read what an earlier one has written
        varying = varying_values(shape, inner, {*steps, *self.given}, writes, _is_scalar)
        if varying is None:
            return False
        moving = {shape.args[index]: step for index, step in steps.items()}
        given = [shape.args[index] for index in self.given]
        self.body = Body(self.module, shape, inner, varying, moving, written, given)
        return self.body.fits() and all(self._is_whole(inst, covered) for inst in self.taken)

    def taken_as(self) -> dict[Instruction, Type]:
        """What the loop takes out of locals, and as numbers of which type."""
        return {inst: type for inst in self.taken if (type := self._taken_as(inst)) is not None}

    def _taken_as(self, inst: Load | CallBase) -> Type | None:
        assert self.body is not None
        local = inst.pointer if isinstance(inst, Load) else inst.args[1]
        return self.body.type_of(self.body.function.args[self.call.args.index(local)])

    def _is_whole(self, inst: Load | CallBase, covered: CoveredReads) -> bool:
        """Whether what is taken is numbers of one type, all of which the call has written: others are of the iteration
        before."""
        type = self._taken_as(inst)
        if isinstance(inst, Load) or type is None:
            return inst.type is type
        length = inst.args[2]
        assert isinstance(length, ConstantInt)
        if length.value % self.module.datalayout.size_of(type):
            return False
        assert self.body is not None
        argument = self.body.function.args[self.call.args.index(inst.args[1])]
        always = covered.always_written(argument)
        spans = [(start.constant, size.constant) for start, size, given in always if not given]
        end = 0
        for start, size in sorted((start, size) for start, size in spans if start is not None and size is not None):
            end = max(end, start + size) if start <= end else end
        return end >= length.value

    def _steps(self) -> dict[int, int] | None:
        """The places of parameters that differ from iteration to iteration, and by how much; None where one does
        otherwise."""
        found: dict[int, int] = {}
        for index, actual in enumerate(self.call.args):
            if self.loop.is_invariant(actual):
                continue
            step = constant_step(self.loop, actual)
            if step is not None:
                found[index] = step
            elif isinstance(actual, Load) and self._is_ahead(actual, set()):
                self.given.append(index)
            else:
                return None
        return found

    def _is_ahead(self, value: Value, seen: set[Value]) -> bool:
        """Whether a value of later iterations can be had before the call: nothing that it is made of comes from it."""
        if not isinstance(value, Instruction) or value.block is not self.loop.header or value in seen:
            return True
        if value is self.call or (isinstance(value, Load) and not self._is_in_front(value)):
            return False
        seen.add(value)
        operands = [value.value_from(value.block)] if isinstance(value, Phi) else value.operands
        return all(self._is_ahead(operand, seen) for operand in operands)

    def _is_in_front(self, inst: Instruction) -> bool:
        return self.cfg.position(inst) < self.cfg.position(self.call)

    def _others_keep_clear(self) -> bool:
        """Whether what the loop itself reads in front of its call, and stores behind it, may be read in front of
        several, and stored behind them: calls read nothing that is stored, and what is stored is not read later."""
        loads: list[Load] = []
        sums: list[Load] = []  # that it adds to behind its call, one iteration after the other
        stores: list[tuple[Instruction, MemoryLocation]] = []
        for inst in self.loop.header.instructions:
            effect = self.alias.effect(inst)
            if inst is self.call or means_nothing(inst) or not (effect.reads or effect.writes):
                continue
            if isinstance(inst, Load) and self._is_in_front(inst):
                loads.append(inst)
            elif isinstance(inst, Store) and not self._is_in_front(inst):
                stores.append((inst, self.alias.location(inst)))
            elif self._copies(inst):
                (written,) = effect.writes
                assert written.location is not None and isinstance(inst, CallBase)
                stores.append((inst, written.location))
                self.taken.append(inst)
            elif isinstance(inst, Load) and self._takes(inst):
                self.taken.append(inst)
            elif isinstance(inst, Load):
                sums.append(inst)
            else:
                return False
        for load in (*loads, *sums):
            if self.alias.mod_ref(self.call, self.alias.location(load), same_iteration=False).may_write:
                return False
        for _, place in stores:
            touched = self.alias.mod_ref(self.call, place, same_iteration=False)
            if touched.may_write or touched.may_read:
                return False
        passed = self.alias.overwrites.is_passed
        return all(passed(store, place, load) for store, place in stores for load in loads)

    def _takes(self, load: Load) -> bool:
        """Whether a load takes all of a local that the call is given."""
        local = load.pointer
        return isinstance(local, Alloca) and local in self.call.args and load.type is local.allocated_type

    def _copies(self, inst: Instruction) -> bool:
        """Whether an instruction copies what the call has written to a local, from its beginning on, to elsewhere."""
        if not isinstance(inst, CallBase) or self._is_in_front(inst) or not is_copy_of_scratch(self.alias, inst):
            return False
        return inst.args[1] in self.call.args

    def _is_own(self, pointer: Value) -> bool:
        """Whether what a pointer leads to is scratch of the loop alone, and may be made larger."""
        objects = self.alias.underlying_objects(pointer)
        memory = next(iter(objects)) if len(objects) == 1 else None
        if memory is None or not is_scratch(self.alias, memory) or not self._can_grow(memory):
            return False
        place = MemoryLocation(pointer, None, None, self.call, whole=True)
        start = self.cfg.reach[self.cfg.index[self.loop.header]]
        for block in self.cfg.blocks:
            if not start >> self.cfg.index[block] & 1 and block is not self.loop.header:
                continue
            for inst in block.instructions:
                if inst is self.call or means_nothing(inst) or inst in self.taken:
                    continue
                known = known_call(inst) if isinstance(inst, CallBase) else None
                if known is not None and known.free is not None and known.allocation is None:
                    assert isinstance(inst, CallBase)
                    if len(inst.args) > 1 and self.alias.mod_ref(inst, place).may_write:
                        return False  # the size that is given back is that of the program
                    continue
                if self.alias.mod_ref(inst, place).may_read:
                    return False
        self.scratch.append(memory)
        return True

    def _can_grow(self, memory: MemoryObject) -> bool:
        block = memory.value
        if isinstance(block, Alloca):
            size = self.module.datalayout.size_of(block.allocated_type)
            one = isinstance(block.operands[0], ConstantInt) and block.operands[0].value == 1
            return is_static_alloca(block) and one and size <= _ON_STACK
        known = known_call(block) if isinstance(block, CallBase) else None
        if known is None or known.allocation is None or not isinstance(block, CallBase) or block.block is None:
            return False
        made = known.allocation
        numbers = all(block.args[at].type is I64 for at in made.sizes)
        return made.is_plain and numbers and self.dominators.dominates(block.block, self.loop.header)


def _is_scalar(call: CallBase) -> bool:
    given = any(each.type.is_pointer for each in call.args)
    return means_nothing(call) or (not given and is_scalar_call(call))


def _make(
    module: Module, plain: Function, body: Body, rows: list[Row], shared: dict[CallBase, tuple[CallBase, int]]
) -> Function:
    """The function for several iterations, whose last parameters are where to put ``rows``, and how long they are;
    ``shared``: calls that give what calls of other iterations do."""
    name = module.unique_name(f"{plain.name}{TOGETHER}")
    shape = body.function
    own = (VectorType(LANES, a.type) if a in body.given else a.type for a in shape.args)
    types = (*own, *(each for _ in rows for each in (PTR, I64)))
    names = [*(argument.name for argument in plain.args), *(each for _ in rows for each in ("row", "count"))]
    result = VectorType(LANES, plain.result_type) if not plain.result_type.is_void else VOID
    made = Function(name, FunctionType(result, types), names)
    made.prefix, made.attrs = plain.prefix, plain.attrs
    assert any(REPLAYED in word for word in made.attrs)
    for argument, shaped, twin in zip(plain.args, shape.args, made.args, strict=False):
        if shaped in body.scratch:
            argument.attrs = (*argument.attrs, WRITTEN_FIRST)  # the block will be larger than the program has it
        twin.attrs = argument.attrs
    places = list(zip(rows, made.args[len(plain.args) :: 2], made.args[len(plain.args) + 1 :: 2], strict=True))
    before = made.append_block("rows") if rows else None
    packed = {load: place for row, place, _ in places for load in row.loads}
    wide = Widening(body, LANES, made, packed=packed, shared=shared)
    wide.fill(ControlFlowGraph(shape).blocks)
    if before is not None:
        for row, place, count in places:
            place.attrs = ("noalias", WRITTEN_FIRST)
            before = row.emit_packing(wide, before, place, count)
        Builder(before).br(wide.blocks[shape.entry])
    module.add_function(made)
    attach_lines(module, plain, made)
    return made


def _enlarge(memory: MemoryObject) -> _Room | None:
    """Make scratch larger, if it stays in a cache that is near; None where that is known before the program runs. What
    another version of the loop works in has been made larger."""
    block = memory.value
    if isinstance(block, Alloca):
        if (block.name or "").startswith(ROOM):
            return None
        block.allocated_type = ArrayType(LANES, block.allocated_type)
        block.name = f"{ROOM}.{block.name or 'local'}"
        return None
    assert isinstance(block, CallBase) and block.block is not None
    known = known_call(block)
    assert known is not None and known.allocation is not None
    factors = [block.args[each] for each in known.allocation.sizes]
    build, least = Builder(block.block, before=block), ConstantInt(I64, _ALIGNED)
    enlarged = factors[0]
    if isinstance(enlarged, Select) and (enlarged.name or "").startswith(ROOM):
        size = enlarged.operands[2]
        for factor in factors[1:]:
            size = build.mul(size, factor)
        return _Room(enlarged.operands[0], size)
    most: Value = ConstantInt(I64, _IN_CACHE // LANES)
    size, fits = enlarged, build.icmp("ule", enlarged, most)
    for factor in factors[1:]:
        fits = build.and_(fits, build.icmp("ule", factor, most))
        size = build.mul(size, factor)
    if len(factors) > 1:
        fits = build.and_(fits, build.icmp("ule", size, most))
    larger = build.mul(enlarged, ConstantInt(I64, LANES))
    if len(factors) == 1 and known.allocation.alignment is None:
        larger = build.select(build.icmp("ult", larger, least), least, larger)
    block.set_operand(known.allocation.sizes[0], build.select(fits, larger, enlarged, name=ROOM))
    block.result_attrs = tuple(word for word in block.result_attrs if not word.startswith("dereferenceable"))
    return _Room(fits, size)


@dataclass(frozen=True)
class _Room:
    """Scratch of a ``size``, in bytes, that has been made larger where it ``fits``."""

    fits: Value
    size: Value


@dataclass(frozen=True)
class _Front:
    """The loop over several iterations, which stands in front of the plain one."""

    module: Module
    loop: Loop
    call: CallBase
    made: Function
    rounds: Sym
    rooms: list[_Room]
    rows: list[Row]
    given: list[Value]
    """What the loop reads for an iteration."""
    taken: dict[Instruction, Type]
    """And by which it takes what that has written to locals, where those of all iterations stand side by side now."""

    def put(self) -> None:
        """Put it there. The plain loop is left out where nothing is left."""
        around, function = self.loop.header, self.loop.header.function
        assert function is not None and around.name is not None
        (entry,) = (block for block in around.predecessors if block is not around)
        (leave,) = (block for block in around.successors if block is not around)
        (after,) = leave.successors
        name = f"{around.name.removesuffix(SMALL_LOOP)}{WIDE_LOOP}"
        asked, enter, wide, done, rest, whole, plain = (
            function.append_block(f"{name}{part}")
            for part in (".asked", ".enter", "", ".done", ".rest", ".whole", ".plain")
        )
        assert entry.terminator is not None
        entry.terminator.replace_operand(around, asked)
        build = Builder(asked)
        number = build.add(emit_sym(self.rounds, build), ConstantInt(I64, 1), name="iterations")
        times = build.udiv(number, ConstantInt(I64, LANES))
        few = build.icmp("eq", times, ConstantInt(I64, 0))
        counts = [row.emit_count(build, self.call) for row in self.rows]
        build.cond_br(self._too_large(build, few, counts), plain, enter)
        build = Builder(enter)
        places = [self._place(build, row, count) for row, count in zip(self.rows, counts, strict=True)]
        build.br(wide)
        more = [each for pair in zip(places, counts, strict=True) for each in pair]
        values = self._wide_loop(around, more, times, (entry, enter, wide, done))

        def behind(value: Value) -> Value:
            return done.append(Phi(value.type, [(value, wide)])) if isinstance(value, Instruction) else value

        ends = {phi: behind(values.get(each := phi.value_from(around), each)) for phi in leave.phis}
        handed = {phi: behind(values.get(each := phi.value_from(around), each)) for phi in around.phis}
        build = Builder(done)
        for place in places:
            build.call(heap_function(self.module, "free"), [place], attrs=(OF_TAPE,))
        left = build.insert(BinaryOp("urem", number, ConstantInt(I64, LANES)))
        build.cond_br(build.icmp("eq", left, ConstantInt(I64, 0)), whole, rest)
        Builder(rest).br(plain)
        Builder(whole).br(after)
        for phi in after.phis:
            value = phi.value_from(leave)
            phi.add_incoming(ends[value] if isinstance(value, Phi) and value in ends else value, whole)
        for phi in around.phis:
            merged = plain.append(Phi(phi.type, [(phi.value_from(entry), asked), (handed[phi], rest)], name=phi.name))
            pairs = [(merged, plain), (phi.value_from(around), around)]
            phi.drop_operands()
            for value, source in pairs:
                phi.add_incoming(value, source)
        Builder(plain).br(around)

    def _place(self, build: Builder, row: Row, count: Value) -> Value:
        """Memory for the numbers of a row in all iterations."""
        size = build.mul(count, ConstantInt(I64, LANES * self.module.datalayout.size_of(row.type)))
        return build.call(heap_function(self.module, "malloc"), [size], name=f"{ROOM}.row", attrs=(OF_TAPE,))

    def _too_large(self, build: Builder, few: Value, counts: list[Value]) -> Value:
        """Whether there are ``few`` iterations, scratch or rows would be large, or scratch is not as large as several
        iterations need it."""
        for row, count in zip(self.rows, counts, strict=True):
            most = ConstantInt(I64, row.most(LANES, self.module.datalayout))
            few = build.or_(few, build.icmp("ugt", count, most))
        if not self.rooms:
            return few
        fits, total = self.rooms[0].fits, self.rooms[0].size
        for room in self.rooms[1:]:
            fits, total = build.and_(fits, room.fits), build.add(total, room.size)
        enough = build.icmp("ule", total, ConstantInt(I64, _IN_CACHE // LANES))
        return build.or_(few, build.xor(build.and_(fits, enough), ConstantInt(I1, 1)))

    def _wide_loop(
        self, around: Block, more: list[Value], times: Value, places: tuple[Block, Block, Block, Block]
    ) -> dict[Value, Value]:
        """The loop over several iterations, whose function takes ``more`` as well; returned is what becomes of the
        values of the last of them."""
        call, (entry, enter, wide, done) = self.call, places
        phis = {phi: Phi(phi.type, [(phi.value_from(entry), enter)], name=phi.name) for phi in around.phis}
        counter = Phi(I64, [(ConstantInt(I64, 0), enter)], name="together")
        for twin in (counter, *phis.values()):
            wide.append(twin)
        build = Builder(wide)
        ahead: list[dict[Value, Value]] = [{} for _ in range(LANES)]

        def copied(inst: Instruction, operands: list[Value]) -> Value:
            again = inst.clone(operands)
            again.metadata = {key: node for key, node in inst.metadata.items() if key in KEPT_METADATA}
            return build.insert(again)

        def early(value: Value, lane: int) -> Value:
            """A value of one of the iterations, before they are run."""
            if isinstance(value, Phi) and value in phis:
                return early(value.value_from(around), lane - 1) if lane else phis[value]
            if not isinstance(value, Instruction) or value.block is not around:
                return value
            if value not in ahead[lane]:
                ahead[lane][value] = copied(value, [early(operand, lane) for operand in value.operands])
            return ahead[lane][value]

        def actual(value: Value) -> Value:
            if value not in self.given:
                return phis[value] if isinstance(value, Phi) and value in phis else value
            whole: Value = ConstantToken(VectorType(LANES, value.type), "poison")
            for lane, part in enumerate([early(value, lane) for lane in range(LANES)]):
                whole = build.insert_element(whole, part, lane)
            return whole

        values: dict[Value, Value] = dict(phis.items())
        name = "iterations" if not call.type.is_void else None
        numbers = build.call(self.made, [*(actual(each) for each in call.args), *more], name=name)
        numbers.metadata = {key: node for key, node in call.metadata.items() if key == "dbg"}
        for lane in range(LANES):
            if lane:
                values |= {phi: values.get(each := phi.value_from(around), each) for phi in phis}
            for inst in around.instructions:
                if inst is call and call.type.is_void:
                    continue
                if inst is call:
                    values[inst] = build.extract_element(numbers, lane)
                elif inst in ahead[lane]:
                    values[inst] = ahead[lane][inst]
                elif isinstance(inst, Load) and inst in self.taken:
                    place = build.gep(inst.type, inst.pointer, [ConstantInt(I64, lane)], flags=("inbounds",))
                    values[inst] = copied(inst, [place])
                elif isinstance(inst, CallBase) and inst in self.taken:
                    self._copy_lane(build, inst, lane, values.get(inst.args[0], inst.args[0]))
                elif not (isinstance(inst, Phi) or inst.is_terminator or means_nothing(inst)):
                    values[inst] = copied(inst, [values.get(operand, operand) for operand in inst.operands])
        for phi, twin in phis.items():
            following = phi.value_from(around)
            if following in values and (step := constant_step(self.loop, phi)) is not None:  # all steps in one
                assert isinstance(following, BinaryOp) and isinstance(phi.type, IntType)
                fits = 0 < LANES * step < 1 << (phi.type.bits - 1)  # as a number with a sign or without
                flags = following.flags if fits else ()
                values[following] = build.add(twin, ConstantInt(phi.type, LANES * step), flags)
            twin.add_incoming(values.get(following, following), wide)
        following_count = build.add(counter, ConstantInt(I64, 1), ("nuw", "nsw"))
        counter.add_incoming(following_count, wide)
        build.cond_br(build.icmp("eq", following_count, times), done, wide)
        return values

    def _copy_lane(self, build: Builder, copy: CallBase, lane: int, to: Value) -> None:
        """Copy number by number what one of the iterations has written to a local."""
        type, length = self.taken[copy], copy.args[2]
        assert isinstance(length, ConstantInt)
        size = self.module.datalayout.size_of(type)
        for index in range(length.value // size):
            place = build.gep(type, copy.args[1], [ConstantInt(I64, index * LANES + lane)], flags=("inbounds",))
            aim = build.gep(type, to, [ConstantInt(I64, index)], flags=("inbounds",))
            for made in (number := build.load(type, place, size), build.store(number, aim, 1)):
                if isinstance(made, Instruction):
                    made.metadata = {key: node for key, node in copy.metadata.items() if key == "dbg"}
