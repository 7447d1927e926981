"""The reverse sweep: control flow inverted block by block, forward values looked up through the plan.

For each block of the primal that can reach the return there is a reversed block. It undoes the block's instructions
last to first, then goes to the reversal of the predecessor the block was entered from:

- the one predecessor;
- for a loop header, the latch while the reversed counter is above zero, then the preheader;
- otherwise as the condition of the branch that decided tells, or as noted on the way (``arrivals``).

Entering a loop's reversal (from the reversal of one of its exits) sets its counter to the value it had on leaving.
Values of outer loops used in inner ones are fetched there, once, into slots (``hoisted``).

The sweep is emitted twice: first into a scratch function with a recorder in place of the tape, which yields the set of
values it needs, then for good. So the plan cannot know less than the emission uses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop
from enzyme.analysis.rows import Rows
from enzyme.analysis.symbolic import emit_sym, sym_invariant_in
from enzyme.gradient.adjoints import Adjoints, Taken, entry_slot
from enzyme.gradient.ascending import loops_that_run_up
from enzyme.gradient.complex_pairs import keep_pairs
from enzyme.gradient.gates import Gates
from enzyme.gradient.handed_loads import read_behind
from enzyme.gradient.idle_loops import find_idle
from enzyme.gradient.kept_loads import REVERSED
from enzyme.gradient.lane_vectors import lanes_together
from enzyme.gradient.last_choices import KeptChoice, LastChoice
from enzyme.gradient.last_reads import LastReads
from enzyme.gradient.lines import mark
from enzyme.gradient.plan import Origins, one_sum
from enzyme.gradient.plan_check import emit_check
from enzyme.gradient.primal import PrimalCopy, arrival
from enzyme.gradient.scopes import RowScopes, ShadowScope
from enzyme.gradient.shadows import Shadows
from enzyme.gradient.strip_loops import NEAR
from enzyme.gradient.tape import Tape
from enzyme.gradient.unchosen import Unchosen
from enzyme.gradient.ways import Way, Ways, told_by_parameters
from enzyme.gradient.windows import Windows
from enzyme.ir.builder import Builder
from enzyme.ir.types import I1, I8, I64, IntType, Type
from enzyme.ir.values import (
    Alloca,
    Argument,
    BinaryOp,
    Block,
    Branch,
    Constant,
    ConstantInt,
    ConstantToken,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Switch,
    Value,
)
from enzyme.rules.expr import Cost
from enzyme.rules.scalar import lookup_instruction

if TYPE_CHECKING:
    from enzyme.gradient.augmentation import Augmentation
    from enzyme.gradient.behind import Sums
    from enzyme.gradient.engine import Engine


@dataclass
class Site:
    """A place in the reverse sweep: where code goes, the loop it is in, what has been looked up there."""

    build: Builder
    loop: Loop | None
    cache: dict[Value, Value] = field(default_factory=dict)


@dataclass
class _LoopState:
    counter: Value  # stack slot of the reversed counter
    last: Value | None = None
    """Slot of the number of the last iteration, in loops that run up (ascending.py)."""
    entries: list[Site] = field(default_factory=list)
    hoisted: dict[Value, Value] = field(default_factory=dict)
    entering: list[Callable[[Site], None]] = field(default_factory=list)
    """What is to be done in front of the reversed loop; ``leaving``: behind it."""
    leaving: list[Callable[[Builder], None]] = field(default_factory=list)


_Arriving: TypeAlias = tuple[Phi, Taken]
"""A phi, and its adjoints."""


class ReverseSweep:
    """One emission of the reverse sweep into ``function``.

    ``arguments`` maps the forward function's parameters to values here. Without a ``tape`` this is the dry run that
    fills ``needed``.
    """

    def __init__(
        self,
        engine: Engine,
        copy: PrimalCopy,
        shadows: Shadows,
        origins: Origins,
        function: Function,
        slots_block: Block,
        arguments: dict[Value, Value],
        tape: Tape | None,
        adjoint_type: Callable[[Value], Type],
        undo: Callable[[ReverseSweep, Instruction, Site], None],
        choices: Sequence[LastChoice] = (),
        kept_choices: Sequence[KeptChoice] = (),
    ) -> None:
        self.engine, self.copy, self.shadows, self.origins = engine, copy, shadows, origins
        self.function, self.slots_block, self.arguments, self.tape = function, slots_block, arguments, tape
        self.subject, self.activity, self.request = copy.subject, copy.activity, copy.request
        self.undo = undo
        self.lanes = copy.lanes
        together = engine.config.lane_vectors and not engine.again
        together = together and lanes_together(self.subject, self.activity, self.lanes.width)
        layout = self.subject.module.datalayout if together else None
        self.adjoints = Adjoints(slots_block, adjoint_type, self.lanes, self.any_order, layout)
        self.needed: dict[Value, None] = {}
        self.blocks: dict[Block, Block] = {}
        self.loops: dict[Loop, _LoopState] = {}
        self.leave = Block("reverse.done")
        self.augmentation: Augmentation | None = None
        self.sums: Sums | None = None
        """What is left to the last iteration of a loop around the function."""
        self.windows = Windows(self)
        self.choices = {choice.loop: choice for choice in choices}
        """Loops that are reversed by the iteration they chose last."""
        self.unchosen = Unchosen(self)
        self.adjoints.followed = self.unchosen.followed
        self.kept_choices = {choice.loop: choice for choice in kept_choices if choice.loop not in self.windows.of_loop}
        """Loops whose reversal ends at the iteration that was chosen last."""
        self.passing = {*self.unchosen.results, *self.choices, *self.kept_choices}
        """Loops of which the reverse sweep may pass iterations over."""
        self.idle = find_idle(self)
        """Loops that the reverse sweep passes by, and the block in front of each."""
        self._choosing = {choice.select: choice for choice in choices}
        self._last_slots: dict[Loop, Value] = {}
        self.last_reads = LastReads(self)
        self._in_any_order: dict[Loop, bool] = {}
        self.scope: ShadowScope | None = None
        """Where LLVM is told that shadows and the primal's memory are apart."""
        if tape is not None and engine.config.shadow_scopes and not self.request.at_run_time:
            self.scope = ShadowScope(engine.module)
        self.paired: dict[Loop, bool] = {}
        """Loops whose reversals LLVM should not make vectors of over iterations (see ``paired_loops``)."""
        self.rows: RowScopes | None = None
        """Where LLVM is told which rows of one shadow are apart."""
        if tape is not None and engine.config.row_scopes and not self.request.at_run_time and self.lanes.width == 1:
            subject = self.subject
            forms = FunctionForms(subject.dominators, subject.loops, subject.module.datalayout)
            self.rows = RowScopes(engine.module, Rows(forms), subject.alias.pointers)

    def chosen(self, site: Site, select: Select) -> Value:
        """The condition of a select of the subject."""
        choice = self._choosing.get(select)
        if choice is None:
            return self.primal(site, select.operands[0])
        counter = site.build.load(I64, self.loops[choice.loop].counter)
        return choice.condition(site.build, counter, site.build.load(I64, self._last(choice)))

    def _last(self, choice: LastChoice) -> Value:
        """The slot of the iteration that a loop chose last."""
        found = self._last_slots.get(choice.loop)
        if found is None:
            found = self._last_slots[choice.loop] = entry_slot(self.slots_block, I64, None, "chosen.r")
        return found

    def reaches_shadow(self, access: Value, of: Load | Store | None = None) -> None:
        """This access reaches numbers in shadows; ``of``: there where that of the primal reaches them in its memory."""
        if self.scope is not None:
            self.scope.shadows[access] = None
        if self.rows is not None and of is not None:
            self.rows.mark(access, of)

    # values

    def primal(self, site: Site, value: Value) -> Value:
        """A value of the subject, as it was in the iteration being reversed."""
        return self.lookup(site, self.copy.of(value))

    def computes_for_this(self, site: Site, inst: Instruction) -> bool:
        """Whether nothing has looked up what ``inst`` made, and it would be computed again from its operands here."""
        value = self.copy.of(inst)
        if self.tape is None or not isinstance(value, Instruction) or value in site.cache:
            return False
        plan, home = self.tape.plan, self.copy.loop_of(value.block)  # type: ignore[arg-type]
        if site.loop is not home or value in plan.kept or value in plan.checked:
            return False
        return value not in self.origins.snapshots.reads and self.origins.of(value).source == "recompute"

    def shadow(self, site: Site, value: Value) -> Value:
        """The shadow of a pointer of the subject, in the selected lane."""
        return self.lookup(site, self.shadows.of(value))

    def shadow_address(self, site: Site, inst: Instruction, pointer: Value, dummy: str) -> Value:
        """Where ``inst`` finds the shadow of what ``pointer`` points to (see ``Shadows.address``)."""
        return self.lookup(site, self.shadows.address(inst, pointer, dummy))

    def lookup(self, site: Site, value: Value) -> Value:
        """A value of the primal copy."""
        if isinstance(value, Argument):
            return self.arguments[value]
        if isinstance(value, Constant):
            return value
        if self.tape is None:
            self.needed[value] = None
            return ConstantToken(value.type, "poison")
        found = site.cache.get(value)
        return found if found is not None else self._fetch_all(site, value)

    def _fetch_all(self, site: Site, value: Value) -> Value:
        """Fetch a value, and before it what it is made of: without recursion, as expressions may be thousands deep."""
        cache, work = site.cache, [value]
        while work:
            value = work[-1]
            waiting = [each for each in self._made_of(site, value) if each not in cache] if value not in cache else ()
            if waiting:
                work += reversed(waiting)
            else:
                work.pop()
                if value not in cache:
                    cache[value] = self._fetch(site, value)
        return cache[value]

    def _made_of(self, site: Site, value: Value) -> list[Value]:
        """The values a recomputed value is made of in the same loop."""
        assert isinstance(value, Instruction) and value.block is not None and self.tape is not None
        if isinstance(value, (Alloca, Phi)) or value in self.tape.plan.kept or value in self.origins.snapshots.reads:
            return []
        if site.loop is not self.copy.loop_of(value.block):
            return []
        return [op for op in value.operands if not isinstance(op, (Argument, Constant))]

    def _fetch(self, site: Site, value: Value) -> Value:
        assert isinstance(value, Instruction) and value.block is not None and self.tape is not None
        build = site.build
        of_loop = self.origins.counter_loop(value)
        if of_loop is not None:
            return build.load(I64, self.loops[of_loop].counter)
        if isinstance(value, Alloca):
            return ConstantToken(value.type, "null") if self.tape.frame.split else value
        home = self.copy.loop_of(value.block)
        if site.loop is not home:
            state = self.loops[self._child_towards(home, site.loop, value)]
            slot = state.hoisted.get(value)
            if slot is None:
                slot = state.hoisted[value] = entry_slot(self.slots_block, value.type, None, value.name)
            return build.load(value.type, slot)
        if value in self.tape.plan.kept:
            return self._kept(site, value, home)
        made = self._remake(site, value)
        if value in self.tape.plan.checked:
            emit_check(
                self.engine,
                build,
                made,
                self._kept(site, value, home),
                self._describe(value),
                self.origins.exact(value),
            )
        return made

    def _kept(self, site: Site, value: Value, home: Loop | None) -> Value:
        assert self.tape is not None
        counter = self.lookup(site, self.copy.counters[home]) if home is not None else None
        return self.tape.load(site.build, value, counter)

    def _describe(self, value: Instruction) -> str:
        origin = self.copy.origin.get(value)
        place = self.subject.module.debug_location(origin) if origin is not None else None
        words = [f"{self.subject.function.name}: {value.opcode}", value.name or "", f"at {place}" if place else ""]
        return " ".join(word for word in words if word)

    def _child_towards(self, home: Loop | None, inner: Loop | None, value: Value) -> Loop:
        """The loop directly inside ``home`` on the way to ``inner``."""
        at = inner
        while at is not None and at.parent is not home:
            at = at.parent
        assert at is not None, f"{value!r} of another loop is used in the reverse sweep of {self.subject.function.name}"
        return at

    def _remake(self, site: Site, value: Instruction) -> Value:
        origin = self.origins.of(value)
        build = site.build
        if origin.source == "affine":
            assert isinstance(value, Phi)
            return self._affine(site, value, *origin.inputs)
        if origin.source == "count":
            sym = self.origins.count(self.origins.exited_loop(value))
            assert sym is not None
            return emit_sym(sym, build, lambda v: self.primal(site, v))
        if origin.source == "snapshot":
            return self._copied(site, value)
        assert origin.source in ("recompute", "reload"), (origin, value)
        if isinstance(value, Phi):
            return self._handed(site, value)
        made = value.clone([self.lookup(site, op) for op in value.operands])
        if isinstance(made, Load):
            self._note_read(made)
        return build.insert(made)

    def _note_read(self, made: Load) -> None:
        made.metadata = {k: v for k, v in made.metadata.items() if k in ("tbaa", "dbg")}
        if self.scope is not None:
            self.scope.primal[made] = None

    def _handed(self, site: Site, phi: Phi) -> Value:
        """What an iteration was handed, read from where an iteration before loaded it."""
        handed = self.origins.handed(phi)
        assert handed is not None
        load, build = self.copy.of(handed.load), site.build
        assert isinstance(load, Load)
        place = build.gep(I8, self.lookup(site, load.pointer), [ConstantInt(I64, handed.offset)])
        made = read_behind(handed, place, self.subject.module.datalayout)
        made.name = phi.name
        self._note_read(made)
        return build.insert(made)

    def _copied(self, site: Site, value: Value) -> Value:
        """What a load found, of a copy of its array."""
        assert self.tape is not None
        address, snapshot = self.origins.snapshots.reads[value]
        align = self.subject.module.datalayout.abi_align(value.type)
        made = site.build.load(value.type, self.lookup(site, address), align)
        assert isinstance(made, Instruction)
        self.tape.scopes.mark(made, snapshot)
        return made

    def _affine(self, site: Site, phi: Phi, start: Value, step: Value) -> Value:
        build = site.build
        home = self.copy.loop_of(phi.block)  # type: ignore[arg-type]
        assert home is not None
        first, by = self.lookup(site, start), self.lookup(site, step)
        counter = self.lookup(site, self.copy.counters[home])
        following = one_sum(phi.value_from(self.copy.blocks[next(iter(home.latches))]))
        if isinstance(following, GetElementPtr):
            wide = build.sext(by, I64)
            return build.gep(following.source_type, first, [build.mul(wide, counter)])
        assert isinstance(following, BinaryOp) and isinstance(phi.type, IntType)
        if phi.type.bits < 64:
            counter = build.trunc(counter, phi.type)
        elif phi.type.bits > 64:
            counter = build.zext(counter, phi.type)
        moved = build.mul(by, counter)
        return build.sub(first, moved) if following.opcode == "sub" else build.add(first, moved)

    # control flow

    def emit(self, entry: Block) -> None:
        """Emit the whole sweep; ``entry`` gets the branch into it, ``self.leave`` is where it ends."""
        passed = {block for loop in self.idle for block in loop.blocks}
        live = [block for block in self.subject.live_blocks if block not in passed]
        for block in live:
            self.blocks[block] = self.function.append_block(f"{block.name}.r" if block.name else None)
        self.function.append_block(self.leave)
        self.gates = Gates(self.subject, self.function, self.slots_block, self.blocks)
        for loop in self.subject.loops.loops:
            name = NEAR if loop in self.windows.near else REVERSED
            self.loops[loop] = _LoopState(entry_slot(self.slots_block, I64, None, name))
        for loop in loops_that_run_up(self):
            self.loops[loop].last = entry_slot(self.slots_block, I64, None, "last.r")
            self.windows.run_up(loop)
        returning = self.copy.back[self.copy.return_block]  # type: ignore[index]
        Builder(entry).br(self.blocks[returning])
        for block in reversed(live):
            self._emit_block(block)
        self.gates.close()
        for loop in sorted(self.loops, key=lambda each: -each.depth):
            self._emit_hoisted(self.loops[loop])

    def _emit_hoisted(self, state: _LoopState) -> None:
        for enter in state.entering:
            for site in state.entries:
                site.build.before = site.build.block.terminator
                enter(site)
        done: set[Value] = set()
        while len(done) < len(state.hoisted):
            for value, slot in list(state.hoisted.items()):
                if value not in done:
                    done.add(value)
                    for site in state.entries:
                        site.build.before = site.build.block.terminator
                        site.build.store(self.lookup(site, value), slot)

    def _emit_block(self, block: Block) -> None:
        site = Site(Builder(self.blocks[block]), self.subject.loops.loop_of(block))
        self.adjoints.loop = site.loop
        if site.loop in self.windows.of_loop and block is site.loop.latch:
            self.windows.begin(site.loop, site)
        for inst in reversed(block.instructions):
            if not isinstance(inst, Phi):
                self._undo(inst, site)
        arriving: list[_Arriving] = []
        for phi in block.phis:
            if self.activity.active_value(phi):
                if self.windows.is_handed(phi):
                    self.windows.take_handed(phi, site.build)
                else:
                    arriving.append((phi, self.adjoints.take_all(site.build, phi)))
        loop = self.subject.loops.loop_of(block)
        sources = self.subject.cfg.predecessors(block)
        if not sources:
            site.build.br(self.leave)
            return
        if loop is not None and loop.header is block and len(sources) > 1:
            self._loop_header(loop, site, arriving)
            return
        edges = {source: self._edge(source, block, site, arriving) for source in sources}
        if len(sources) == 1:
            site.build.br(edges[sources[0]])
        else:
            self._merge(block, site, sources, edges)

    def _undo(self, inst: Instruction, site: Site) -> None:
        """Undo one instruction; what that adds has its source line."""
        location = inst.metadata.get("dbg")
        first, count, start = site.build.block, len(self.function.blocks), len(site.build.block.instructions)
        self.undo(self, inst, site)
        if location is not None and self.tape is not None:
            mark([first, *self.function.blocks[count:]], {first: start}, location)

    def any_order(self, loop: Loop) -> bool:
        """Whether what the iterations of a loop add to one place may be added in any order. A loop that runs now this
        often and now that is short half of the time, and then slower when vectorised, unless an iteration is long."""
        if not self.engine.config.reassociate:
            return False
        if loop not in self._in_any_order:
            count = self.subject.backedge_count(loop) if loop.parent is not None else None
            same = loop.parent is None or (count is not None and sym_invariant_in(count, loop.parent))
            self._in_any_order[loop] = same or _divides(loop)
        return self._in_any_order[loop]

    def _pass_on(self, build: Builder, source: Block, arriving: list[_Arriving]) -> None:
        """Adjoints of phis go to what came from ``source``."""
        for phi, adjoints in arriving:
            value = phi.value_from(source)
            if self.activity.active_value(value):
                self.adjoints.add_all(build, value, adjoints, phi.fast_math)

    def _edge(self, source: Block, block: Block, site: Site, arriving: list[_Arriving]) -> Block:
        """The reversed edge block -> source: adjoints of phis go to what came along it, counters of loops are set."""
        first = self.function.append_block("edge.r")
        here = Site(Builder(first), site.loop)
        self._pass_on(here.build, source, arriving)
        home = self.subject.loops.loop_of(block)
        again = [home] if home is not None and home.header is block and source in home.blocks else []
        exited = self.subject.exited_loops(source, block)
        for number, loop in enumerate(exited):
            if loop in self.idle:
                self.gates.enter(here.build, self.idle[loop], [*exited[:number], *again])
                return first
            counter = self.lookup(here, self.copy.exit_counters[block, loop])
            state = self.loops[loop]
            begin = counter
            choice = self.choices.get(loop)
            if choice is not None:
                last = self.lookup(here, choice.last)
                here.build.store(last, self._last(choice))
                begin = choice.entered_at(here.build, last)
            if state.last is not None:
                here.build.store(begin, state.last)
                begin = ConstantInt(I64, 0)
            here.build.store(begin, state.counter)
            if self.tape is not None:
                self.tape.enter_reversed_loop(here.build, loop, counter)
            entered = self.function.append_block("enter.r")
            around = self.unchosen.around(loop) if len(exited) == 1 else None
            if around is None:
                here.build.br(entered)
            else:
                here.build.cond_br(self.unchosen.chosen(here.build, loop), entered, around)
            place = Site(Builder(entered), loop.parent)
            state.entries.append(place)
            after = self.function.append_block("edge.r")
            place.build.br(after)
            # the exit counters of further loops are values of the exit block, seen from its own loop
            here = Site(Builder(after), site.loop)
            if loop in self.windows.of_loop:
                filled = Site(here.build, loop)
                self.windows.enter(loop, filled)
        self.gates.enter(here.build, source, [*exited, *again])
        return first

    def _loop_header(self, loop: Loop, site: Site, arriving: list[_Arriving]) -> None:
        build, state = site.build, self.loops[loop]
        (latch,) = loop.latches
        (outside,) = (b for b in self.subject.cfg.predecessors(loop.header) if b is not latch)
        early = self._early(loop, latch, arriving)
        edges = {
            outside: self._edge(outside, loop.header, site, arriving),
            latch: self._edge(latch, loop.header, site, arriving if early is None else []),
        }
        if early is not None:
            self._pass_on(build, latch, arriving)
            left = Builder(edges[outside], before=edges[outside].instructions[0])
            for _ in self.lanes:
                for value in early:
                    self.adjoints.clear(left, value)
        behind = Builder(edges[outside], before=edges[outside].instructions[0])
        for leave in state.leaving:
            leave(behind)
        if loop in self.windows.of_loop:
            past = Site(Builder(edges[outside], before=edges[outside].instructions[0]), loop)
            if loop not in self.choices:  # an address of the loop's own would have to be handed out of it
                last = ConstantInt(I64, 0) if state.last is None else past.build.load(I64, state.last)
                past.build.store(last, state.counter)
            self.windows.advance(loop, site, past)
        if loop in self.choices:
            build.cond_br(ConstantInt(I1, 1), edges[outside], edges[latch])
            return
        choice = self.kept_choices.get(loop)
        found: Value | None = None
        if choice is not None:  # of this iteration: the counter goes on to the one before
            taken = self.primal(site, choice.select.operands[0])
            found = taken if choice.first else build.xor(taken, ConstantInt(I1, 1))
        counter = build.load(I64, state.counter)
        one, end = ConstantInt(I64, 1), ConstantInt(I64, 0) if state.last is None else build.load(I64, state.last)
        build.store(build.sub(counter, one) if state.last is None else build.add(counter, one), state.counter)
        over = build.icmp("eq", counter, end)
        if found is not None:
            over = build.or_(over, found)
        back = build.cond_br(over, edges[outside], edges[latch])
        if loop in self.paired:
            together = self.engine.pairs_together and self.paired[loop]
            keep_pairs(self.engine.module, together, back, edges[latch].terminator)

    def _early(self, loop: Loop, latch: Block, arriving: list[_Arriving]) -> list[Value] | None:
        """The values whose adjoints get something on the way to the iteration before, if that may be done in front of
        the test whether there is one: all of them belong to iterations, so nothing is lost by clearing them behind the
        loop. Then nothing stands between the test and the next reversed iteration, which the vectoriser wants so."""
        values = dict.fromkeys(phi.value_from(latch) for phi, _ in arriving)
        active = [value for value in values if self.activity.active_value(value)]
        return None if loop.children or any(loop.is_invariant(value) for value in active) else active

    def _merge(self, block: Block, site: Site, sources: list[Block], edges: dict[Block, Block]) -> None:
        decided = self._deciding_branch(block, sources)
        if decided is not None:
            condition, if_true, if_false = decided
            site.build.cond_br(self.primal(site, condition), edges[if_true], edges[if_false])
            return
        ways = told_by_parameters(self.subject, block, sources) if self.engine.config.late_frames else None
        if ways is not None:
            self._tell(site, ways, edges)
            return
        phi = arrival(self.copy, self.copy.blocks[block])
        order = [self.copy.back[b] for b in self.copy.blocks[block].predecessors]
        index = self.lookup(site, phi)
        if len(sources) == 2:
            first = site.build.icmp("eq", index, ConstantInt(phi.type, 0))
            site.build.cond_br(first, edges[order[0]], edges[order[1]])
            return
        cases = [(ConstantInt(phi.type, i), edges[source]) for i, source in enumerate(order)]
        site.build.insert(Switch(index, cases[0][1], cases[1:]))

    def _tell(self, site: Site, ways: Ways, edges: dict[Block, Block]) -> None:
        """Go back the way that parameters tell."""

        def target(way: Way) -> Block:
            if isinstance(way, Block):
                return edges[way]
            further = self.function.append_block("way.r")
            self._tell(Site(Builder(further), site.loop), way, edges)
            return further

        cases = [(number, target(way)) for number, way in ways.cases]
        site.build.insert(Switch(self.primal(site, ways.value), target(ways.other), cases))

    def _deciding_branch(self, block: Block, sources: list[Block]) -> tuple[Value, Block, Block] | None:
        """Condition that tells by which of two predecessors a block was entered, with the predecessor of each case."""
        if len(sources) != 2:
            return None
        decider = self.subject.dominators.idom(block)
        end = decider.terminator if decider is not None else None
        if not isinstance(end, Branch) or not end.is_conditional or self._loop_between(decider, block):
            return None
        condition, on_true, on_false = end.operands
        if on_true is on_false:
            return None
        sides = []
        for source in sources:
            sides.append(
                [
                    side
                    for side, target in enumerate((on_true, on_false))
                    if (source is decider and target is block)
                    or (
                        target is not block
                        and len(self.subject.cfg.predecessors(target)) == 1  # type: ignore[arg-type]
                        and self.subject.dominators.dominates(target, source)  # type: ignore[arg-type]
                    )
                ]
            )
        if [0] in sides and [1] in sides:
            return condition, sources[sides.index([0])], sources[sides.index([1])]
        return None

    def _loop_between(self, decider: Block | None, block: Block) -> bool:
        """The condition must belong to the same iteration as the merge."""
        return decider is None or self.subject.loops.loop_of(decider) is not self.subject.loops.loop_of(block)


def _divides(loop: Loop) -> bool:
    """Whether an iteration of an innermost loop divides or takes a root, which vectors do for several at once."""
    rules = (lookup_instruction(inst) for block in loop.blocks for inst in block.instructions if inst.type.is_float)
    return not loop.children and any(rule is not None and rule.cost is Cost.DIVISION for rule in rules)
