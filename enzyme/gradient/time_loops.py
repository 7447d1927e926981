"""A loop whose steps lead from one state to the next as two functions: the step, and the driver that runs all steps.

What goes from one step to the next in registers is kept in locals of the loop's function, as is what is used behind the
loop; so the state is memory, and all that the driver is told of it are addresses and sizes. In the driver's derivative
(:mod:`enzyme.gradient.checkpoints`) the steps are run again from states that were kept. The driver returns by which way
the loop was left, the step 0 where it was not.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from enzyme.analysis.alias import AliasAnalysis, ModuleSummaries
from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.loops import Loop, LoopForest
from enzyme.analysis.symbolic import constant_value, emit_sym
from enzyme.analysis.tripcount import backedge_count
from enzyme.gradient.lines import attach_lines
from enzyme.gradient.loop_state import Piece, State, find_state, is_unneeded
from enzyme.gradient.primal import KEPT_METADATA, TIME_LOOP, is_dropped
from enzyme.gradient.replay import is_scratch
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I32, I64, ArrayType, FunctionType, StructType, Type
from enzyme.ir.values import (
    Alloca,
    Argument,
    Block,
    Branch,
    CallBase,
    ConstantInt,
    DebugRecord,
    Function,
    GlobalVariable,
    Instruction,
    MetadataValue,
    Phi,
    Switch,
    Unreachable,
    Value,
)
from enzyme.rules.known import known_callee

_AGGREGATES = (StructType, ArrayType)


@dataclass(frozen=True)
class TimeLoop:
    """A loop that has been made a driver and a step. Numbers are positions of the driver's parameters, of which the
    first are those of the step."""

    function: str
    header: str
    driver: Function
    step: Function
    pieces: tuple[tuple[int, int | None, int], ...]
    """The state: an address, and its size in bytes as a parameter, or else as a number."""
    restored: frozenset[int]
    """Addresses through which nothing but the state is reached."""
    released: frozenset[int]
    """Addresses of the state that may be of memory that is freed some day."""
    covered: frozenset[str]
    """Global variables that belong to the state."""
    steps: int | None
    """How many steps there are, where that is known in front of the loop."""
    open: str
    """Bytes of the state that only the running program knows, in words; "" where there are none."""
    bytes: int
    """All others."""
    count: int | None
    """How many steps there are, where that is a constant."""


def make_time_loop(module: Module, function: Function, header: str) -> TimeLoop | str:
    """Make a loop of a prepared module a driver and a step, or say why it cannot be made them."""
    cfg = ControlFlowGraph(function)
    dominators = DominatorTree(cfg)
    loops = LoopForest(cfg, dominators)
    loop = next((each for each in loops.loops if each.header.name == header), None)
    if loop is None:
        return "it is not there"
    reason = _why_no_shape(loop)
    if reason:
        return reason
    alias = AliasAnalysis(function, module, known_callee, ModuleSummaries(module, known_callee))
    found = find_state(module, alias, dominators, loops, loop)
    if isinstance(found, str):
        return found
    return _Outlining(module, function, loop, dominators, alias, found).run()


def _why_no_shape(loop: Loop) -> str:
    if not loop.is_simple or loop.latch is None or loop.preheader is None:
        return "it has no plain shape"
    if not loop.exits:
        return "it never ends"
    for phi in loop.header.phis:
        if phi.type.scalar.is_pointer or isinstance(phi.type, _AGGREGATES):
            return "it hands a pointer on from one step to the next"
    for block in loop.blocks:
        if not isinstance(block.terminator, (Branch, Switch, Unreachable)):
            return f"it has '{block.terminator.opcode if block.terminator else '?'}' inside"
        for inst in block.instructions:
            for user in inst.users:
                if user.block not in loop.blocks and not isinstance(user, DebugRecord):
                    if not isinstance(user, Phi) or user.block not in loop.exit_blocks:
                        return "what it makes is used far behind it"
                    if inst.type.scalar.is_pointer or isinstance(inst.type, _AGGREGATES):
                        return "what is used behind it is a pointer"
    return ""


@dataclass
class _Outlining:
    """Makes the two functions, and calls the driver in the loop's place."""

    module: Module
    function: Function
    loop: Loop
    dominators: DominatorTree
    alias: AliasAnalysis
    state: State
    slots: dict[Value, Alloca] = field(default_factory=dict)  # header phis, numbers from outside, phis behind the loop

    def run(self) -> TimeLoop | str:
        loop = self.loop
        latch, before = loop.latch, loop.preheader
        assert latch is not None and before is not None and before.terminator is not None
        inputs = self._inputs()
        if any(isinstance(value.type, _AGGREGATES) for value in inputs):
            return "it takes a structure from outside"
        exits = list(dict.fromkeys(loop.exits))
        numbers = [value for value in inputs if value.type.scalar.is_float]
        given = [value for value in inputs if not value.type.scalar.is_float]
        carried = list(loop.header.phis)
        out = [
            phi
            for target in loop.exit_blocks
            for phi in target.phis
            if any(source in loop.blocks and self._is_inside(value) for value, source in phi.incoming)
        ]
        for value in (*carried, *numbers, *out):
            self.slots[value] = self._slot(value.type, value.name)
        actuals: list[Value] = [*given, *self.slots.values()]
        step = self._make_step(given, actuals, exits)
        given_as = dict(zip(actuals, step.args, strict=True))
        scratch = [
            piece.base
            for piece in self.state.pieces
            if piece.base in given_as
            and is_unneeded(self.module, self.alias, loop, piece.base, step, given_as[piece.base])
        ]
        layout = self.module.datalayout
        pieces = [piece for piece in self.state.pieces if piece.base not in scratch]
        pieces += [Piece(self.slots[value], layout.alloc_size(value.type)) for value in (*carried, *numbers)]
        restored = {
            index for index, value in enumerate(given) if value.type.is_pointer and self.state.reaches_only(value)
        }
        restored |= set(range(len(given), len(actuals)))
        build = Builder(before, before=before.terminator)
        sized: list[tuple[int, int | None, int]] = []
        released: set[int] = set()
        for piece in pieces:
            base, size = piece.emit(build)
            if base not in actuals:
                actuals.append(base)
            where = actuals.index(base)
            if not isinstance(piece.base, (Alloca, GlobalVariable)):
                released.add(where)
            sized.append((where, None if size is None else len(actuals), piece.size))
            actuals += [size] if size is not None else []
        count = backedge_count(loop, self.dominators)
        steps: int | None = None
        if count is not None:
            steps = len(actuals)
            actuals.append(build.add(emit_sym(count, build), ConstantInt(I64, 1)))
        driver = self._make_driver(step, [value.type for value in actuals])
        for value in (*carried, *numbers):
            start = value.value_from(before) if isinstance(value, Phi) and value.block is loop.header else value
            build.store(start, self.slots[value])
        covered = frozenset(m.value.name or "" for m in self.state.whole if isinstance(m.value, GlobalVariable))
        constant = constant_value(count) if count is not None else None
        sizes = [piece.fixed for piece in pieces]
        self._call(build, driver, actuals, exits)
        return TimeLoop(
            self.function.name or "",
            loop.header.name or "",
            driver,
            step,
            tuple(sized),
            frozenset(restored),
            frozenset(released),
            covered,
            steps,
            " + ".join(dict.fromkeys(piece.shown() for piece in pieces if piece.fixed is None)),
            sum(size for size in sizes if size is not None),
            constant + 1 if constant is not None else None,
        )

    def _is_inside(self, value: Value) -> bool:
        return isinstance(value, Instruction) and value.block in self.loop.blocks

    def _inputs(self) -> list[Value]:
        """What the step takes from outside."""
        found: dict[Value, None] = {}
        for block in self.loop.order:
            for inst in block.instructions:
                if isinstance(inst, DebugRecord) or _is_left_out(inst):
                    continue
                values = inst.operands
                if isinstance(inst, Phi) and block is self.loop.header:
                    assert self.loop.latch is not None
                    values = [inst.value_from(self.loop.latch)]
                for operand in values:
                    value = operand.inner if isinstance(operand, MetadataValue) else operand
                    if isinstance(value, Argument) or (isinstance(value, Instruction) and not self._is_inside(value)):
                        found[value] = None
        for source, target in self.loop.exits:
            for phi in target.phis:
                if any(self._is_inside(value) for value, at in phi.incoming if at in self.loop.blocks):
                    value = phi.value_from(source)
                    if isinstance(value, Argument) or (isinstance(value, Instruction) and not self._is_inside(value)):
                        found[value] = None
        return list(found)

    def _slot(self, type: Type, name: str | None) -> Alloca:
        made = Alloca(type, ConstantInt(I32, 1), name=f"{name or 'carried'}.kept")
        self.function.entry.insert(0, made)
        return made

    def _attributes(self, value: Value, actuals: list[Value]) -> tuple[str, ...]:
        """``noalias`` for an address that nothing else given to the step shares memory with."""
        if not value.type.is_pointer:
            return ()
        if value in self.slots.values():
            return ("noalias",)
        objects = self.alias.underlying_objects(value)
        apart = all(m.kind == "noalias_argument" or is_scratch(self.alias, m) for m in objects)
        for other in actuals:
            if other is not value and other.type.is_pointer and other not in self.slots.values():
                apart = apart and not objects & self.alias.underlying_objects(other)
        return ("noalias",) if apart and objects else ()

    def _make_step(self, given: list[Value], actuals: list[Value], exits: list[tuple[Block, Block]]) -> Function:
        loop, latch = self.loop, self.loop.latch
        assert latch is not None
        names = [value.name for value in actuals]
        step = Function(
            self.module.unique_name(f"{self.function.name}.step"),
            FunctionType(I32, tuple(v.type for v in actuals)),
            names,
        )
        step.prefix, step.attrs = ("internal",), self.module.target_attributes(self.function)
        for argument, actual in zip(step.args, actuals, strict=True):
            argument.attrs = self._attributes(actual, actuals)
        values: dict[Value, Value] = dict(zip(actuals, step.args, strict=True))
        place = {value: values[slot] for value, slot in self.slots.items()}
        entry = step.append_block("entry")
        build = Builder(entry)
        for value in self.slots:
            if not (isinstance(value, Phi) and value.block in loop.exit_blocks):
                values[value] = build.load(value.type, place[value], name=value.name)
        blocks = {block: step.append_block(block.name) for block in loop.order}
        build.br(blocks[loop.header])
        again = step.append_block("again")
        ways = {edge: step.append_block("way") for edge in exits}
        phis: list[tuple[Phi, Phi]] = []
        for block in loop.order:
            for inst in block.instructions:
                if isinstance(inst, DebugRecord) or _is_left_out(inst) or inst in self.slots:
                    continue
                if isinstance(inst, Phi):
                    made: Instruction = Phi(inst.type, (), name=inst.name, flags=inst.flags)
                    assert isinstance(made, Phi)
                    phis.append((inst, made))
                else:
                    made = inst.clone()
                made.metadata = {k: v for k, v in inst.metadata.items() if k in KEPT_METADATA}
                values[inst] = blocks[block].append(made)

        def twin(operand: Value, source: Block) -> Value:
            if isinstance(operand, MetadataValue):
                return MetadataValue(twin(operand.inner, source))
            if isinstance(operand, Block):
                return again if operand is loop.header else blocks.get(operand) or ways[source, operand]
            return values.get(operand, operand)

        for block, made_block in blocks.items():
            for inst in made_block.instructions:
                for index, operand in enumerate(inst.operands):
                    inst.set_operand(index, twin(operand, block))
        for inst, made_phi in phis:
            for value, source in inst.incoming:
                made_phi.add_incoming(values.get(value, value), blocks[source])
        build = Builder(again)
        for phi in loop.header.phis:
            value = phi.value_from(latch)
            build.store(values.get(value, value), place[phi])
        last = step.append_block("done")
        build.br(last)
        code = Builder(last).phi(I32, [(ConstantInt(I32, 0), again)], name="way")
        for number, ((source, target), way) in enumerate(ways.items()):
            build = Builder(way)
            for phi in target.phis:
                if phi in place:
                    value = phi.value_from(source)
                    build.store(values.get(value, value), place[phi])
            build.br(last)
            code.add_incoming(ConstantInt(I32, number + 1), way)
        Builder(last).ret(code)
        self.module.add_function(step)
        attach_lines(self.module, self.function, step)
        return step

    def _make_driver(self, step: Function, types: list[Type]) -> Function:
        driver = Function(
            self.module.unique_name(f"{self.function.name}.steps"), FunctionType(I32, tuple(types)), [None] * len(types)
        )
        driver.prefix, driver.attrs = ("internal",), (*self.module.target_attributes(self.function), f'"{TIME_LOOP}"')
        around, done = driver.append_block("entry"), driver.append_block("steps")
        last = driver.append_block("done")
        Builder(around).br(done)
        build = Builder(done)
        way = build.call(step, list(driver.args[: len(step.args)]), name="way")
        build.cond_br(build.icmp("eq", way, ConstantInt(I32, 0)), done, last)
        Builder(last).ret(way)
        self.module.add_function(driver)
        attach_lines(self.module, self.function, driver)
        return driver

    def _call(self, build: Builder, driver: Function, actuals: list[Value], exits: list[tuple[Block, Block]]) -> None:
        loop, before = self.loop, self.loop.preheader
        assert before is not None and before.terminator is not None
        call = build.call(driver, actuals, name="way")
        place = next((i.metadata["dbg"] for i in loop.header.instructions if "dbg" in i.metadata), None)
        if place is not None:
            call.metadata["dbg"] = place
        stubs = [self.function.append_block(f"{loop.header.name}.left{number}") for number in range(len(exits))]
        ends: list[tuple[Phi, Value, Block]] = []
        for stub, (source, target) in zip(stubs, exits, strict=True):
            leave = Builder(stub)
            for phi in target.phis:
                value: Value = leave.load(phi.type, self.slots[phi]) if phi in self.slots else phi.value_from(source)
                ends.append((phi, value, stub))
            leave.br(target)
        before.terminator.erase()
        if len(stubs) == 1:
            Builder(before).br(stubs[0])
        else:
            cases = [(ConstantInt(I32, number + 1), stub) for number, stub in enumerate(stubs[:-1])]
            before.append(Switch(call, stubs[-1], cases))
        for target in loop.exit_blocks:
            for phi in list(target.phis):
                _forget(phi, loop)
        for phi, value, stub in ends:
            phi.add_incoming(value, stub)
        for block in loop.blocks:
            for inst in block.instructions:
                inst.drop_operands()
        for block in loop.blocks:
            self.function.blocks.remove(block)


def _is_left_out(inst: Instruction) -> bool:
    return isinstance(inst, CallBase) and is_dropped(inst)


def _forget(phi: Phi, loop: Loop) -> None:
    """Take the ways out of the loop from a phi behind it."""
    kept = [(value, source) for value, source in phi.incoming if source not in loop.blocks]
    phi.drop_operands()
    for value, source in kept:
        phi.add_incoming(value, source)
