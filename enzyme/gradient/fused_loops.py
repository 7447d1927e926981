"""Loops one behind the other run as one, and hand numbers on in registers.

A step of a Runge-Kutta method is a chain of loops over the components: a slope, what it adds to the state, a slope
again. Each of them reads what the one before has stored, and reversed, all of that stands once more, with more arrays.
Such loops are bound by loads and stores, and where the arrays are long, by the caches. Here they become one loop, in
which each stage takes what an earlier one has made of an element from a register: in the same iteration, or, for the
element next to it, from the iteration before. What a later stage stores to the same place in the same iteration need
not be stored, and what is read by several stages is loaded once.

A stage that wants what an earlier one makes of the next element runs one iteration behind it, or all of them run from
their ends: whichever needs less of that. The few iterations that not all stages have are run in front of the loop and
behind it. So is what stands between the stages, as ``slope[0] = x[0]`` (loop_chains.py). Each number is computed from
the same numbers as before by the same operations: results keep their bits, but for sums in registers that may be made
in any order.

The loops as they were are run where there are few iterations, or where arrays overlap, for which the running program
compares addresses in front of the chain. Where nothing has to be asked, and all stages have the same iterations, there
is the fused loop alone.
"""

from __future__ import annotations

import re

from enzyme.analysis.alias import ModuleSummaries
from enzyme.analysis.loops import analyse_loops
from enzyme.analysis.polynomials import Polynomial, Variable, counter, widened
from enzyme.analysis.symbolic import SymConst, signed
from enzyme.analysis.tripcount import affine_of
from enzyme.gradient.chain_reader import find_chain
from enzyme.gradient.few_rounds import in_whole_registers
from enzyme.gradient.loop_chains import (
    Chain,
    Row,
    Source,
    Spot,
    Stage,
    Touch,
    incoming_on,
    is_remark,
    uses,
)
from enzyme.gradient.read_once import read_once
from enzyme.gradient.row_nests import Memory
from enzyme.gradient.scopes import ScopeLists, declare_scopes
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.printer import print_module
from enzyme.ir.types import I1, I8, I64
from enzyme.ir.values import (
    Block,
    ConstantInt,
    Freeze,
    Function,
    Instruction,
    Load,
    Phi,
    Store,
    Value,
)
from enzyme.llvm.pipelines import run_passes
from enzyme.rules.known import known_callee

_DERIVED = re.compile(r"%iteration\b")
_BELOW = 1 << 40
"""There are fewer iterations than these."""


def with_fused_loops(text: str) -> str | None:
    """The program with such chains changed; None where there are none. The text must have been optimised, with its
    loops simplified and in LCSSA form."""
    program = read_once(text)
    module, changed, replaced = program.module, False, False
    summaries = ModuleSummaries(module, known_callee)
    for function, body in program.bodies:
        if _DERIVED.search(body) is None:
            continue
        seen: set[Block] = set()
        fused: dict[Block, Chain] = {}
        forest = program.loops(function)
        while chain := find_chain(forest, Memory(function, module, summaries), seen):
            fusion = _Fusion(module, function, chain)
            fusion.emit()
            replaced = replaced or chain.replaces
            seen.add(fusion.loop)
            fused[fusion.loop] = chain
            forest = analyse_loops(function)
        if fused:
            if _are_most(function, fused):
                in_whole_registers(module, function)
            function.body_text = None
            changed = True
    if replaced:  # the loops as they were are not run
        return run_passes(print_module(module), ("simplify_cfg",))
    return print_module(module) if changed else None


def _are_most(function: Function, fused: dict[Block, Chain]) -> bool:
    """Whether most of what is done in the innermost loops of a function is done in fused ones."""
    stages = {stage.body for chain in fused.values() for stage in chain.stages}
    loops = [each for each in analyse_loops(function).loops if not each.children and each.header not in fused]
    depth = max(each.depth for each in loops if each.header in stages)
    work = {each.header: sum(len(block.instructions) for block in each.blocks) for each in loops if each.depth >= depth}
    return 2 * sum(size for header, size in work.items() if header in stages) > sum(work.values())


def _number(value: int) -> ConstantInt:
    return ConstantInt(I64, value)


class _Fusion:
    """``made``: values of the chain made again, in front of the fused loop or behind it; ``line``: where they are made
    now."""

    def __init__(self, module: Module, function: Function, chain: Chain) -> None:
        self.module, self.function, self.chain = module, function, chain
        self.region = chain.region
        self.stage_of = {each.body: each for each in chain.stages}
        self.order: dict[Value, int] = {
            each: place for place, each in enumerate([*function.args, *function.instructions()])
        }
        self.made: dict[Value, Value] = {}
        self.pointers: dict[tuple[Row, int], Value] = {}
        self.starts: dict[Source, Value] = {}
        """What is handed to the first iteration of the fused loop."""
        self.sums: dict[Phi, Value] = {}
        """What has been summed up so far."""

    def emit(self) -> None:
        chain, function = self.chain, self.function
        front = chain.stages[0].loop.preheader
        ((_, out),) = chain.stages[-1].loop.exits
        assert front is not None and front.terminator is not None
        self.ahead, self.loop, self.behind = (
            function.append_block(Block(f"fused{n}")) for n in (".ahead", "", ".behind")
        )
        self.line = Builder(front, before=front.terminator)
        condition = self._condition()
        front.terminator.erase()
        Builder(front).cond_br(condition, self.ahead, chain.stages[0].body)

        self.line = Builder(self.ahead)
        self._run_ahead()
        self._run_fused()
        self.line = Builder(self.behind)
        self._run_behind()
        self._leave(out)
        self.line.br(out)

    # values of the chain

    def _value(self, value: Value) -> Value:
        """A value of the chain, or from in front of it, where the line is."""
        if not isinstance(value, Instruction) or value.block not in self.region:
            return value
        if value not in self.made:
            stage = self.stage_of.get(value.block)
            if stage is not None:
                sums = [self.sums[phi] for phi, made in stage.sums.items() if made is value]
                self.made[value] = sums[0] if sums else self._last(stage, value)
            elif isinstance(value, Phi):
                self.made[value] = self._value(incoming_on(self.chain, value))
            else:
                self._copy(value)
        return self.made[value]

    def _copy(self, value: Instruction) -> None:
        self.made[value] = _insert(self.line, value, [self._value(each) for each in value.operands])

    def _last(self, stage: Stage, value: Instruction) -> Value:
        """What an integer of a stage is in its last iteration."""
        form = self.chain.forms.integer(value)
        assert form is not None
        last = stage.rounds.minus(Polynomial.number(1))
        made = self._form(form.replaced(counter(stage.loop), last))
        return made if value.type is I64 else self.line.trunc(made, value.type)

    def _form(self, form: Polynomial) -> Value:
        def of(variable: Variable) -> Value:
            value, how = variable
            assert isinstance(value, Value)
            return widened(self.line, self._value(value), how)

        terms = [(tuple(sorted(product, key=self._rank)), factor) for product, factor in form.terms]
        return Polynomial(tuple(sorted(terms, key=lambda term: [self._rank(each) for each in term[0]]))).emit(
            self.line, of
        )

    def _rank(self, variable: Variable) -> tuple[int, str]:
        """Polynomials are made in the order of the program, the same in each run."""
        value, how = variable
        return self.order.get(value, -1) if isinstance(value, Value) else -1, how

    # whether it may be run

    def _condition(self) -> Value:
        build, chain = self.line, self.chain
        self.rounds = self._form(chain.stages[0].rounds)
        if chain.replaces:
            return ConstantInt(I1, 1)
        result = build.icmp("ult", build.sub(self.rounds, _number(chain.least)), _number(_BELOW))
        for value, holds in (guard for way in chain.ways for guard in way.guards):
            made = self._certain(self._value(value))
            result = build.and_(result, made if holds else build.xor(made, ConstantInt(I1, 1)))
        for a, b in chain.apart:
            result = build.and_(result, self._certain(self._are_apart(a, b)))
        return result

    def _certain(self, value: Value) -> Value:
        """A condition that may be asked where the program would not have come to it."""
        return self.line.insert(Freeze(value))

    def _are_apart(self, a: Row | Spot, b: Row | Spot) -> Value:
        """Whether what lies at two places does not overlap."""
        build, same = self.line, a.base is b.base
        ranges = []
        for each in (a, b):
            first, length = self._range(each)
            start = self._form(each.form.plus(Polynomial.number(first)))
            if not same:
                start = build.add(build.cast("ptrtoint", self._value(each.base), I64), start)
            ranges.append((start, build.add(start, length)))
        (low, end), (other, other_end) = ranges
        how = "sle" if same else "ule"
        return build.or_(build.icmp(how, end, other), build.icmp(how, other_end, low))

    def _range(self, place: Row | Spot) -> tuple[int, Value]:
        """How far behind a place's form is what is touched there, and how many bytes."""
        if isinstance(place, Spot):
            return 0, _number(place.size)
        first = min(each.at for each in place.touches)
        last = max(each.at + self.chain.more[each.stage.number] for each in place.touches)
        elements = self.line.add(self.rounds, _number(last - first))
        return place.origin + place.size * first, self.line.mul(elements, _number(place.size))

    # in front of the fused loop, and behind it

    def _run_ahead(self) -> None:
        chain = self.chain
        for number, stage in enumerate(chain.stages):
            for touch in stage.touches:
                source = chain.sources[touch.inst] if isinstance(touch.inst, Load) else None
                if source is not None and source.delayed and source not in self.starts:
                    place = touch.at + chain.behind(stage)
                    q = _number(chain.low) if chain.forward else self._from_end(chain.high - 1)
                    self.starts[source] = self._load(touch, place, q)
            assert stage.loop.preheader is not None
            self.sums.update({phi: self._value(phi.value_from(stage.loop.preheader)) for phi in stage.sums})
            low, high = chain.beside(stage)
            self._iterations(stage, not chain.forward, high if not chain.forward else low)
            self._between(number, late=False)

    def _run_behind(self) -> None:
        chain = self.chain
        for number, stage in enumerate(chain.stages):
            low, high = chain.beside(stage)
            count = high if chain.forward else low
            restored = self._put_back(stage) if count else []
            self._iterations(stage, chain.forward, count)
            for old, touch, pointer in restored:
                self.line.store(old, pointer, touch.inst.align)
            self._between(number, late=True)

    def _from_end(self, more: int) -> Value:
        return self.line.add(self.rounds, _number(more))

    def _iterations(self, stage: Stage, at_end: bool, count: int) -> None:
        """The first or the last iterations of a stage."""
        for each in range(count):
            more = self.chain.more[stage.number] - count + each
            self._iteration(stage, self._from_end(more) if at_end else _number(each))

    def _iteration(self, stage: Stage, j: Value) -> None:
        number = self._reflected(self.line, stage, j)
        made: dict[Value, Value] = {}
        for inst in stage.body.instructions:
            if isinstance(inst, Phi):
                made[inst] = self.sums[inst] if inst in self.sums else self._counted(self.line, stage, inst, number)
            elif not inst.is_terminator and not is_remark(inst):
                operands = [made[each] if each in made else self._value(each) for each in inst.operands]
                made[inst] = _insert(self.line, inst, operands)
        self.sums.update({phi: made[value] for phi, value in stage.sums.items()})

    def _reflected(self, build: Builder, stage: Stage, j: Value) -> Value:
        """The number of an iteration that is the j-th in the order of addresses."""
        if not stage.reflected:
            return j
        last = self.chain.more[stage.number] - 1
        return build.sub(build.add(self.rounds, _number(last)), j)

    def _counted(self, build: Builder, stage: Stage, phi: Phi, number: Value) -> Value:
        """What counts in a stage, in an iteration."""
        affine = affine_of(stage.loop, phi)
        assert affine is not None and isinstance(affine.step, SymConst) and stage.loop.preheader is not None
        start = self._value(phi.value_from(stage.loop.preheader))
        step = signed(affine.step.value, affine.step.bits)
        by = build.mul(number, _number(-step if affine.down else step)) if affine.down or step != 1 else number
        return build.add(start, by if phi.type is I64 else build.trunc(by, phi.type))

    def _between(self, number: int, late: bool) -> None:
        """What touches memory between a stage and the next, if it is to be done now; all else is made when needed."""
        for block in self.chain.ways[number].blocks if number < len(self.chain.ways) else ():
            for inst in block.instructions:
                if isinstance(inst, (Load, Store)) and (inst in self.chain.late) == late:
                    self._copy(inst)

    def _put_back(self, stage: Stage) -> list[tuple[Value, Touch, Value]]:
        """Store what a stage reads in its next iteration, where the fused loop has not stored it, or something else
        since: what lay there, with where that was, to be put back if the stage does not overwrite it."""
        chain = self.chain
        found: dict[Source, tuple[Value, Touch, Value]] = {}
        written = {each.row for each in stage.touches if isinstance(each.inst, Store)}
        for touch in stage.touches:
            source = chain.sources[touch.inst] if isinstance(touch.inst, Load) else None
            if source is None or not source.delayed or source in found:
                continue
            q = self._from_end(chain.high) if chain.forward else _number(chain.low - 1)
            pointer = self._address(self.line, touch.row, touch.at + chain.behind(stage), q)
            old = self.line.load(touch.inst.accessed, pointer, touch.inst.align)
            found[source] = old, touch, pointer
            self.line.store(self.handed[source], pointer, touch.inst.align)
        return [each for each in found.values() if each[1].row not in written]

    def _load(self, touch: Touch, place: int, q: Value) -> Value:
        return self.line.load(touch.inst.accessed, self._address(self.line, touch.row, place, q), touch.inst.align)

    def _address(self, build: Builder, row: Row, place: int, q: Value) -> Value:
        """Where element q + ``place`` of a row is."""
        key = row, place
        if key not in self.pointers:
            base = self._value(row.base)
            form = row.form.plus(Polynomial.number(row.origin + row.size * place))
            self.pointers[key] = self.line.gep(I8, base, [self._form(form)])
        return build.gep(row.type, self.pointers[key], [q])

    # the fused loop

    def _here(self, row: Row, place: int) -> Value:
        """Where element q + ``place`` of a row is in the fused loop."""
        key = row, place
        if key not in self.places:
            self.places[key] = self._address(self.build, row, place, self.q)
        return self.places[key]

    def _run_fused(self) -> None:
        chain, line = self.chain, self.line
        for touch in (touch for row in chain.rows for touch in row.touches):
            self._address(line, touch.row, chain.behind(touch.stage) + touch.at, _number(0))
        for source in dict.fromkeys(chain.sources.values()):
            if source.write is None:
                self._address(line, source.row, source.place if chain.forward else -source.place, _number(0))
        step = 1 if chain.forward else -1
        low, high = _number(chain.low), self._from_end(chain.high)
        first = low if chain.forward else line.add(high, _number(-1))
        end = high if chain.forward else _number(chain.low - 1)
        self.build = build = Builder(self.loop)
        self.q = q = build.phi(I64, [(first, self.ahead)], name="iteration.fused")
        self.values: dict[Value, Value] = {}
        self.numbers: dict[tuple[Row, int], Load] = {}
        self.places: dict[tuple[Row, int], Value] = {}
        self.phis = phis = {
            source: build.phi(start.type, [(start, self.ahead)]) for source, start in self.starts.items()
        }
        totals = {phi: build.phi(phi.type, [(start, self.ahead)]) for phi, start in self.sums.items()}
        self.values.update(totals.items())
        stores: list[tuple[Touch, Value]] = []
        for stage in chain.stages:
            for touch in stage.touches:
                inst = touch.inst
                if isinstance(inst, Store):
                    value = self._inside(stage, inst.value)
                    if inst not in chain.dead:
                        stores.append((touch, value))
        self.sums = {phi: self._inside(stage, made) for stage in chain.stages for phi, made in stage.sums.items()}
        self.handed = {source: self._now(source) for source in phis}
        made: list[tuple[Touch, Instruction]] = []
        for touch, value in stores:
            store = touch.inst.clone([value, self._here(touch.row, touch.at + chain.behind(touch.stage))])
            made.append((touch, build.insert(store)))
        following = build.add(q, _number(step), flags=("nsw",))
        q.add_incoming(following, self.loop)
        for source, phi in phis.items():
            phi.add_incoming(self.handed[source], self.loop)
        for phi, total in totals.items():
            total.add_incoming(self.sums[phi], self.loop)
        build.cond_br(build.icmp("eq", following, end), self.behind, self.loop)
        self._tell_apart(made)
        line.br(self.loop)

    def _inside(self, stage: Stage, value: Value) -> Value:
        """A value of a stage in the fused loop."""
        if not isinstance(value, Instruction) or value.block is not stage.body:
            return self._value(value)
        if value not in self.values:
            if isinstance(value, Phi):
                j = self.build.add(self.q, _number(self.chain.behind(stage)))
                made: Value = self._counted(self.build, stage, value, self._reflected(self.build, stage, j))
            elif isinstance(value, Load):
                source = self.chain.sources[value]
                made = self.phis[source] if source.delayed else self._now(source)
            else:
                made = _insert(self.build, value, [self._inside(stage, each) for each in value.operands])
            self.values[value] = made
        return self.values[value]

    def _now(self, source: Source) -> Value:
        """The number of a source, of this iteration."""
        if source.write is not None:
            assert isinstance(source.write.inst, Store)
            return self._inside(source.write.stage, source.write.inst.value)
        key = source.row, source.place
        if key not in self.numbers:
            place = source.place if self.chain.forward else -source.place
            pointer = self._here(source.row, place)
            like = source.row.touches[0].inst
            align = min(each.inst.align for each in source.row.touches)
            load = self.build.load(source.row.type, pointer, align)
            assert isinstance(load, Load)
            load.metadata.update({key: text for key, text in like.metadata.items() if key == "tbaa"})
            self.numbers[key] = load
        return self.numbers[key]

    def _tell_apart(self, stores: list[tuple[Touch, Instruction]]) -> None:
        """Say that no two rows overlap."""
        accesses: list[tuple[Row, Instruction]] = [(touch.row, inst) for touch, inst in stores]
        accesses += [(row, load) for (row, _), load in self.numbers.items()]
        rows = list(dict.fromkeys(row for row, _ in accesses))
        lists = ScopeLists(self.module)
        domain = lists.domain("fused")
        scopes = {row: lists.scope(domain) for row in rows}
        own = {row: lists.make([scope]) for row, scope in scopes.items()}
        for row, inst in accesses:
            others = [scope for other, scope in scopes.items() if other is not row]
            inst.metadata["alias.scope"] = own[row]
            inst.metadata.pop("noalias", None)
            if others:
                inst.metadata["noalias"] = lists.make(others)
        declare_scopes(self.module, self.ahead, list(own.values()))

    # behind it

    def _leave(self, out: Block) -> None:
        chain = self.chain
        last = chain.stages[-1].body
        tree = chain.forms.dominators
        for phi in out.phis:
            phi.add_incoming(self._value(phi.value_from(last)), self.behind)
        known = set(out.phis)
        for inst in [inst for block in chain.blocks for inst in block.instructions]:
            users = [
                user
                for user in dict.fromkeys(inst.users)
                if user not in known
                and user.block not in self.region
                and any(place not in self.region and tree.dominates(out, place) for place in uses(inst, user))
            ]
            if not users:
                continue
            merged = Phi(inst.type, [(inst, last), (self._value(inst), self.behind)])
            out.prepend([merged])
            known.add(merged)
            for user in users:
                if not isinstance(user, Phi):
                    user.replace_operand(inst, merged)
                    continue
                for index in range(0, len(user.operands), 2):
                    source = user.operands[index + 1]
                    assert isinstance(source, Block)
                    if user.operands[index] is inst and source not in self.region and tree.dominates(out, source):
                        user.set_operand(index, merged)


def _insert(build: Builder, inst: Instruction, operands: list[Value]) -> Instruction:
    """A copy of an instruction, without what was said of pointers being apart where it was."""
    made = inst.clone(operands)
    made.name = None
    for key in ("alias.scope", "noalias"):
        made.metadata.pop(key, None)
    return build.insert(made)
