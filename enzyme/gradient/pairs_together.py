"""Loops over complex numbers do two iterations at once, where a register holds two such numbers.

What complex_pairs.py leaves to LLVM's SLP vectoriser comes out of it as a loop over vectors of two, one complex number
each. Registers of 32 bytes have room for two: the numbers of two iterations side by side. Numbers that lie in a row are
then loaded and stored as four; those that lie apart, as the roots of unity of a Fourier transform do, are loaded as two
pairs; and what is computed with them takes half the instructions. Each number is computed as it was.

Two iterations at once move what the second one reads in front of what the first one writes. That is right where the two
never touch the same bytes: what is known of the pointers tells, or the distance of their addresses, or the running
program is asked in front of the loop, which stays as it was for arrays that overlap, for fewer than four iterations,
and for the last of an odd number of them.

It is done when all else is, to the loops that the engine marked, if they stand in no others. LLVM does not unroll the
marked ones: they are often short, and what an unrolled loop leaves is run one by one.
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme.analysis.alias import AliasAnalysis, ModuleSummaries
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop, analyse_loops
from enzyme.analysis.pointer_alias import PointerAnalysis
from enzyme.analysis.polynomials import Polynomial, counter
from enzyme.analysis.symbolic import Sym, emit_sym
from enzyme.analysis.tripcount import backedge_count
from enzyme.gradient.complex_pairs import TOGETHER
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.ir.types import DOUBLE, I64, IntType, PointerType, Type, VectorType
from enzyme.ir.values import (
    BinaryOp,
    Block,
    Branch,
    Cast,
    Compare,
    ConstantInt,
    ConstantToken,
    DebugRecord,
    ExtractElement,
    Function,
    GetElementPtr,
    InsertElement,
    Instruction,
    Load,
    Phi,
    Select,
    ShuffleVector,
    Store,
    UnaryOp,
    Value,
)
from enzyme.rules.known import known_callee

_PAIR, _FOUR = VectorType(2, DOUBLE), VectorType(4, DOUBLE)
_BYTES = 16
"""Of a complex number."""
_LEAST = 4
"""Iterations of a loop that is to run two at once: fewer are over before the question is answered."""
_MOST_CHECKS = 8
_KEPT = ("tbaa", "alias.scope", "noalias", "dbg")
"""What is said of an access, and holds for those of two iterations if it is said of each."""
_WHOLE = (IntType, PointerType)
_Place = tuple[Value, Polynomial]


def with_pairs_together(text: str) -> str:
    """An optimised program with such loops changed."""
    if TOGETHER not in text:
        return text
    module = parse_module(text)
    summaries = ModuleSummaries(module, known_callee)
    changed = False
    # Which ones is asked first: the text of a body is gone as soon as it is read, as that of another's callee may be.
    pairs = [each for each in module.functions.values() if "<2 x double>" in (each.body_text or "")]
    for function in pairs:
        loops = [loop for loop in analyse_loops(function).loops if _is_marked(module, loop)]
        pointers = AliasAnalysis(function, module, known_callee, summaries).pointers if loops else None
        for loop in loops:
            assert pointers is not None
            found = _Reader(module, loop, pointers).read()
            if found is not None:
                _Together(function, found).emit()
                changed = True
    return print_module(module) if changed else text


def _is_marked(module: Module, loop: Loop) -> bool:
    """Whether a loop is one of those, and stands in no other: one that is entered again and again, often for a few
    iterations, loses as much by what is asked in front of it as it gains."""
    end = loop.header.terminator
    if loop.parent is not None or loop.blocks != {loop.header} or end is None:
        return False
    return any(TOGETHER in module.metadata_text(each) for each in module.loop_metadata(end))


@dataclass(frozen=True)
class _Access:
    """A load or store of a loop, ``form`` bytes behind ``base``; ``step``: from one iteration to the next, if known."""

    inst: Load | Store
    size: int
    base: Value
    form: Polynomial
    step: int | None

    @property
    def place(self) -> _Place:
        return self.base, self.form


@dataclass(frozen=True)
class _Questions:
    """What the program is to ask in front of a loop: the accesses that are at the same distance in each iteration,
    which two iterations must not bridge, and those whose ranges must not meet; ``apart``: accesses that are apart."""

    distances: list[tuple[_Access, _Access]]
    ranges: list[tuple[_Access, _Access]]
    apart: set[frozenset[Instruction]]


@dataclass(frozen=True)
class _Pairs:
    """A loop that may run two iterations at once: ``rising``, whether what lies in a row is reached upwards; ``parts``,
    the loads of parts that are loaded as pairs, each with the one that comes first, the one at the lower place, and
    which part it is."""

    loop: Loop
    count: Sym
    rising: bool
    accesses: dict[Instruction, _Access]
    parts: dict[Instruction, tuple[Load, Load, int]]
    questions: _Questions


class _Reader:
    def __init__(self, module: Module, loop: Loop, pointers: PointerAnalysis) -> None:
        self.module, self.loop, self.pointers = module, loop, pointers
        self.body = loop.header
        assert loop.forest is not None
        self.dominators: DominatorTree = loop.forest.domtree
        self.forms = FunctionForms(self.dominators, loop.forest, module.datalayout)

    def read(self) -> _Pairs | None:
        loop, body = self.loop, self.body
        count = backedge_count(loop, self.dominators)
        sources = [each for each in body.predecessors if each is not body]
        if count is None or len(sources) != 1 or not isinstance(body.terminator, Branch):
            return None
        if any(not self._is_known(inst) for inst in body.instructions) or not self._is_closed():
            return None
        accesses: dict[Instruction, _Access] = {}
        accesses |= {inst: self._access(inst) for inst in body.instructions if isinstance(inst, (Load, Store))}
        if any(self._needs_load(each.inst.pointer) for each in accesses.values()):
            return None
        rows = {a.step for a in accesses.values() if a.size == _BYTES and a.step in (_BYTES, -_BYTES)}
        if len(rows) != 1:
            return None
        questions = self._questions(list(accesses.values()))
        if questions is None:
            return None
        parts = self._parts([a for a in accesses.values() if isinstance(a.inst, Load) and a.inst.type is DOUBLE])
        return _Pairs(loop, count, rows == {_BYTES}, accesses, parts, questions)

    def _is_known(self, inst: Instruction) -> bool:
        """Whether an instruction is one that can be done for two iterations."""
        if isinstance(inst, (Load, Store)):
            kind = inst.accessed
            return not inst.ordering and "volatile" not in inst.flags and kind in (_PAIR, DOUBLE)
        if isinstance(inst, ShuffleVector):
            return inst.type == _PAIR and inst.operands[0].type == _PAIR and inst.lanes is not None
        if isinstance(inst, InsertElement):
            return inst.type == _PAIR and isinstance(inst.operands[2], ConstantInt)
        if isinstance(inst, ExtractElement):
            return inst.operands[0].type == _PAIR and isinstance(inst.operands[1], ConstantInt)
        if isinstance(inst, (BinaryOp, UnaryOp)):
            return inst.type in (_PAIR, DOUBLE) or isinstance(inst.type, _WHOLE)
        if isinstance(inst, (Phi, Cast, Select)):
            return isinstance(inst.type, _WHOLE)
        return isinstance(inst, (DebugRecord, GetElementPtr, Compare, Branch))

    def _is_closed(self) -> bool:
        """Whether nothing that an iteration computes is used behind the loop."""
        return not any(
            not isinstance(user, Instruction) or user.block is not self.body
            for inst in self.body.instructions
            for user in inst.users
        )

    def _needs_load(self, value: Value, depth: int = 16) -> bool:
        """Whether a value is computed from what the iteration has loaded."""
        if not isinstance(value, Instruction) or value.block is not self.body or isinstance(value, Phi):
            return False
        if isinstance(value, (Load, ExtractElement)) or not depth:
            return True
        return any(self._needs_load(each, depth - 1) for each in value.operands)

    def _access(self, inst: Load | Store) -> _Access:
        kind: Type = inst.accessed
        base, form = self.forms.from_base(inst.pointer)
        step = form.stride(counter(self.loop)) if self._is_regular(base, form) else None
        return _Access(inst, _BYTES if kind == _PAIR else _BYTES // 2, base, form, step)

    def _questions(self, accesses: list[_Access]) -> _Questions | None:
        """What the program must ask for an access of the second iteration to come in front of later ones of the first.
        None where they meet."""
        distances: dict[frozenset[_Place], tuple[_Access, _Access]] = {}
        ranges, apart = dict(distances), set[frozenset[Instruction]]()
        for place, early in enumerate(accesses):
            for late in accesses[place + 1 :]:
                if isinstance(early.inst, Load) and isinstance(late.inst, Load):
                    continue
                both = frozenset((early.inst, late.inst))
                here, there = (self.pointers.location(each.inst) for each in (early, late))
                if self.pointers.apart_at_any_offset(here, there):
                    apart.add(both)
                    continue
                if early.step is None or early.step != late.step:
                    if any(not self._is_straight(each) for each in (early, late)):
                        return None
                    ranges[frozenset((early.place, late.place))] = early, late
                    apart.add(both)
                    continue
                known = early.form.minus(late.form).constant if early.base is late.base else None
                if known is None:
                    distances[frozenset((early.place, late.place))] = early, late
                    apart.add(both)
                elif -early.size < known + early.step < late.size:
                    return None
        if len(distances) + len(ranges) > _MOST_CHECKS:
            return None
        return _Questions(list(distances.values()), list(ranges.values()), apart)

    def _is_regular(self, base: Value, form: Polynomial) -> bool:
        """Whether nothing in an address differs from one iteration to the next but the counter."""
        values = (what for what, _ in form.variables if isinstance(what, Value))
        return self.loop.is_invariant(base) and all(map(self.loop.is_invariant, values))

    def _is_straight(self, access: _Access) -> bool:
        """Whether an access moves by the same number in each iteration, which can be computed in front of the loop."""
        number = counter(self.loop)
        if not self._is_regular(access.base, access.form) or access.form.degree(number) > 1:
            return False
        return all(isinstance(what, Value) for what, _ in access.form.factor(number).variables)

    def _parts(self, loads: list[_Access]) -> dict[Instruction, tuple[Load, Load, int]]:
        """Loads of both parts of a number, each of which is then put into both lanes: where the number can be loaded
        at once."""
        found: dict[Instruction, tuple[Load, Load, int]] = {}
        order = {inst: place for place, inst in enumerate(self.body.instructions)}
        stores = [order[inst] for inst in order if isinstance(inst, Store)]
        for one in loads:
            for other in loads:
                if one.base is not other.base or other.form.minus(one.form).constant != _BYTES // 2:
                    continue
                low, high = one.inst, other.inst
                first, last = sorted((order[low], order[high]))
                if low in found or high in found or any(first < each < last for each in stores):
                    continue
                assert isinstance(low, Load) and isinstance(high, Load)
                if _is_spread(low) and _is_spread(high):
                    leader = low if order[low] == first else high
                    found[low], found[high] = (leader, low, 0), (leader, low, 1)
        return found


def _is_spread(value: Value) -> bool:
    """Whether a number is put into both lanes of vectors, and not used otherwise."""
    return all(
        isinstance(user, InsertElement)
        and user.operands[1] is value
        and _spread(user) is value
        and all(isinstance(each, ShuffleVector) and _number_of(each) is value for each in user.users)
        for user in value.users
    )


def _spread(inst: Value) -> Value | None:
    """The number that a vector has in its first lane, and nothing in the other."""
    if not isinstance(inst, InsertElement):
        return None
    vector, element, place = inst.operands
    nothing = isinstance(vector, ConstantToken) and vector.keyword in ("poison", "undef")
    return element if nothing and isinstance(place, ConstantInt) and place.value == 0 else None


def _number_of(shuffle: ShuffleVector) -> Value | None:
    """The number that a shuffle has in both lanes, as it was put into the first one of a vector."""
    return _spread(shuffle.operands[0]) if shuffle.lanes == [0, 0] else None


class _Together:
    def __init__(self, function: Function, pairs: _Pairs) -> None:
        self.function, self.pairs = function, pairs
        self.body = pairs.loop.header
        (self.source,) = (each for each in self.body.predecessors if each is not self.body)
        names = ("ask", "checks", "two", "rest")
        self.ask, self.checks, self.two, self.rest = (function.append_block(Block(f"pairs.{name}")) for name in names)
        self.started = {phi: phi.value_from(self.source) for phi in self.body.phis}
        self.order = (0, 1) if pairs.rising else (1, 0)
        """The iterations whose numbers are in the lower and in the upper half of a vector."""
        self.made: tuple[dict[Value, Value], dict[Value, Value]] = ({}, {})
        self.wide: dict[Value, Value] = {}
        self.held: dict[_Place, tuple[Instruction, Value]] = {}
        """What lies in memory, and the load or store that tells so."""

    def emit(self) -> None:
        pairs, body = self.pairs, self.body
        end = self.source.terminator
        assert end is not None and body.terminator is not None
        (out,) = (each for each in body.terminator.operands[1:] if each is not body)
        assert isinstance(out, Block)
        left = {phi: phi.value_from(body) for phi in out.phis}
        for slot, operand in enumerate(end.operands):
            if operand is body:
                end.set_operand(slot, self.ask)
        build = Builder(self.ask)
        last = emit_sym(pairs.count, build)
        last = last if last.type is I64 else build.zext(last, I64)
        number = build.add(last, ConstantInt(I64, 1))
        build.cond_br(build.icmp("uge", number, ConstantInt(I64, _LEAST)), self.checks, body)
        self.front = build = Builder(self.checks)
        good = self._conditions(build, last)
        twos = build.lshr(number, ConstantInt(I64, 1))
        after = self._two(twos)
        if good is None:
            build.br(self.two)
        else:
            build.cond_br(good, self.two, body)
        build = Builder(self.rest)
        odd = build.icmp("ne", build.and_(number, ConstantInt(I64, 1)), ConstantInt(I64, 0))
        build.cond_br(odd, body, out)
        for phi in body.phis:
            for slot, operand in enumerate(phi.operands):
                if operand is self.source:
                    phi.set_operand(slot, self.ask)
            if good is not None:
                phi.add_incoming(self.started[phi], self.checks)
            phi.add_incoming(after[phi], self.rest)
        for phi, value in left.items():
            phi.add_incoming(value, self.rest)

    def _conditions(self, build: Builder, last: Value) -> Value | None:
        """What must be so for two iterations to run at once."""
        start: dict[Value, Value] = {phi: value for phi, value in self.started.items()}  # noqa: C416
        places: dict[Value, Value] = {}
        good: Value | None = None

        def place(access: _Access) -> Value:
            pointer = access.inst.pointer
            if pointer not in places:
                places[pointer] = build.cast("ptrtoint", self._copy(build, pointer, start), I64)
            return places[pointer]

        def span(access: _Access) -> tuple[Value, Value]:
            first = place(access)
            step = access.form.factor(counter(self.pairs.loop)).emit(build)
            end = build.add(first, build.mul(last, step))
            rises = build.icmp("ult", first, end)
            low, high = build.select(rises, first, end), build.select(rises, end, first)
            return low, build.add(high, ConstantInt(I64, access.size))

        conditions = []
        for one, other in self.pairs.questions.distances:
            assert one.step is not None
            reach = abs(one.step) + max(one.size, other.size)
            distance = build.add(build.sub(place(one), place(other)), ConstantInt(I64, reach - 1))
            conditions.append(build.icmp("ugt", distance, ConstantInt(I64, 2 * reach - 2)))
        for one, other in self.pairs.questions.ranges:
            (low, end), (low_b, end_b) = span(one), span(other)
            conditions.append(build.or_(build.icmp("ule", end, low_b), build.icmp("ule", end_b, low)))
        for condition in conditions:
            good = condition if good is None else build.and_(good, condition)
        return good

    def _copy(self, build: Builder, value: Value, made: dict[Value, Value]) -> Value:
        """A number or an address of one iteration, computed once more from those in ``made``."""
        if not isinstance(value, Instruction) or value.block is not self.body:
            return value
        if value not in made:
            copied = value.clone([self._copy(build, each, made) for each in value.operands])
            copied.name = None
            made[value] = build.insert(copied)
        return made[value]

    def _two(self, twos: Value) -> dict[Phi, Value]:
        """The loop that runs two iterations at once, ``twos`` times; what the phis of the loop are behind it."""
        self.build = build = Builder(self.two)
        left = build.phi(I64, [(twos, self.checks)])
        moved: dict[Phi, Phi] = {}
        for phi, value in self.started.items():
            self.made[0][phi] = moved[phi] = build.phi(phi.type, [(value, self.checks)])
        for inst in self.body.instructions:
            if isinstance(inst, Load):
                self._load(inst)
            elif isinstance(inst, Store):
                self._store(inst)
        after: dict[Phi, Value] = {}
        for phi, now in moved.items():
            after[phi] = self.scalar(1, phi.value_from(self.body))
            now.add_incoming(after[phi], self.two)
        fewer = build.sub(left, ConstantInt(I64, 1))
        left.add_incoming(fewer, self.two)
        build.cond_br(build.icmp("eq", fewer, ConstantInt(I64, 0)), self.rest, self.two)
        return after

    def scalar(self, iteration: int, value: Value) -> Value:
        """A number or an address in one of the two iterations."""
        if not isinstance(value, Instruction) or value.block is not self.body:
            return value
        made = self.made[iteration]
        if value not in made:
            if isinstance(value, Phi):
                made[value] = self.scalar(0, value.value_from(self.body))
            elif isinstance(value, ExtractElement):
                lane = value.operands[1]
                assert isinstance(lane, ConstantInt)
                vector = self.vector(value.operands[0])
                made[value] = self.build.extract_element(vector, lane.value + 2 * self.order.index(iteration))
            else:
                copied = value.clone([self.scalar(iteration, each) for each in value.operands])
                copied.name = None
                made[value] = self.build.insert(copied)
        return made[value]

    def vector(self, value: Value) -> Value:
        """The vector of four that has those of both iterations."""
        if value not in self.wide:
            self.wide[value] = self._vector(value)
        return self.wide[value]

    def _vector(self, value: Value) -> Value:
        build = self.build
        if isinstance(value, ConstantToken):
            return ConstantToken(_FOUR, value.keyword)
        if not isinstance(value, Instruction) or value.block is not self.body:
            return self.front.shuffle(value, (0, 1, 0, 1))
        if isinstance(value, InsertElement):
            vector, element, lane = value.operands
            assert isinstance(lane, ConstantInt)
            made = self.vector(vector)
            for half, iteration in enumerate(self.order):
                made = build.insert_element(made, self.scalar(iteration, element), lane.value + 2 * half)
            return made
        if isinstance(value, ShuffleVector):
            number = _number_of(value)
            part = self.pairs.parts.get(number) if isinstance(number, Instruction) else None
            if part is not None:
                leader, _, at = part
                return build.shuffle(self.wide[leader], (at, at, 2 + at, 2 + at))
            lanes = value.lanes
            assert lanes is not None
            first, second = self.vector(value.operands[0]), self.vector(value.operands[1])
            # Where any lane will do, the first one does.
            return build.shuffle(first, [self._lane(each or 0, half) for half in (0, 1) for each in lanes], second)
        if isinstance(value, BinaryOp):
            left, right = (self.vector(each) for each in value.operands)
            return build.insert(BinaryOp(value.opcode, left, right, flags=value.flags, metadata=_said(value)))
        assert isinstance(value, UnaryOp), value
        return build.insert(
            UnaryOp(value.opcode, self.vector(value.operands[0]), flags=value.flags, metadata=_said(value))
        )

    @staticmethod
    def _lane(lane: int, half: int) -> int:
        """Where a lane of two vectors of two is in those of four."""
        return lane % 2 + 2 * half + 4 * (lane // 2)

    def _load(self, inst: Load) -> None:
        part = self.pairs.parts.get(inst)
        if part is not None:
            leader, low, _ = part
            if leader is inst:
                self.wide[inst] = self._numbers(low, inst, self.pairs.accesses[low].step)
        elif inst.type is DOUBLE:
            for iteration in (0, 1):
                self.scalar(iteration, inst)
        else:
            access = self.pairs.accesses[inst]
            held = self.held.get(access.place)
            self.wide[inst] = held[1] if held is not None else self._numbers(inst, inst, access.step)
            self.held[access.place] = inst, self.wide[inst]

    def _numbers(self, place: Load, said: Load, step: int | None) -> Value:
        """The two numbers that two iterations load from where ``place`` does."""
        build = self.build
        low, high = (self.scalar(iteration, place.pointer) for iteration in self.order)
        if step in (_BYTES, -_BYTES):
            return build.insert(Load(_FOUR, low, place.align, metadata=_said(said)))
        first, second = (build.insert(Load(_PAIR, each, place.align, metadata=_said(said))) for each in (low, high))
        return build.shuffle(first, range(4), second)

    def _store(self, inst: Store) -> None:
        build = self.build
        apart = self.pairs.questions.apart
        self.held = {place: each for place, each in self.held.items() if frozenset((inst, each[0])) in apart}
        if inst.value.type is DOUBLE:
            for iteration in (0, 1):
                copied = inst.clone([self.scalar(iteration, each) for each in inst.operands])
                build.insert(copied)
            return
        value = self.vector(inst.value)
        self.held[self.pairs.accesses[inst].place] = inst, value
        if self.pairs.accesses[inst].step in (_BYTES, -_BYTES):
            low = self.scalar(self.order[0], inst.pointer)
            build.insert(Store(value, low, inst.align, metadata=_said(inst)))
            return
        for iteration in (0, 1):
            half = 2 * self.order.index(iteration)
            pair = build.shuffle(value, (half, half + 1))
            build.insert(Store(pair, self.scalar(iteration, inst.pointer), inst.align, metadata=_said(inst)))


def _said(inst: Instruction) -> dict[str, str]:
    return {kind: text for kind, text in inst.metadata.items() if kind in _KEPT}
