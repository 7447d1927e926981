"""Reversed loops whose iterations wait for one another, made to wait for less.

The reverse sweep of a time step hands the adjoints of the state from one iteration to the next. Each goes through all
partials of the step one after the other, and until it has, neither the next iteration nor most of the processor has
anything to do. But adjoints are linear: what a step makes of those it is handed is their product with a small matrix,
its Jacobian, which comes from the tape and does not depend on them. So the matrices of :data:`STRIP` iterations are
computed first, in a loop that runs in vectors, and kept on the stack; what is left for each iteration to wait for is a
product and a sum or two.

That takes more operations, and is done where counting cycles says that they take less time than what the loop waits
for (latencies.py). Factors that are multiplied with one another first can overflow where the adjoints themselves would
not have, and what derivatives leave out where an adjoint is zero (a partial that may be infinite) is not left out of a
matrix (linear_forms.py). So where a matrix of the strip is not finite, the loop goes on from there as it was written.
The last iterations, up to a strip of them, run so in any case.

It is for innermost loops that run a number of times which is known in front of them, take what else they need from
counters and from memory, also what branches hang on, and write only what is linear in the adjoints, in each iteration,
as they add to shadows, to memory that is known to be apart from what they read. Loops inside of others are unrolled if
that makes such a loop. Sums of products are then rounded otherwise, as with ``reassociate``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log2

from enzyme.analysis.loops import Loop
from enzyme.analysis.pointer_alias import PointerAnalysis
from enzyme.analysis.symbolic import Sym, constant_value, emit_sym
from enzyme.analysis.tripcount import backedge_count
from enzyme.gradient.adjoints import entry_slot
from enzyme.gradient.half_vectors import WHOLE_BITS
from enzyme.gradient.kept_loads import has_reversed_loops, is_reversed
from enzyme.gradient.latencies import ADD, WIDTH, cycles_between_iterations, lengths_in, work
from enzyme.gradient.linear_forms import FLAGS, ONE, Emitter, Form, LinearForms, Node, nodes_under
from enzyme.gradient.read_once import read_once
from enzyme.gradient.sums import Sum, find_sums, is_arithmetic, is_simple_access
from enzyme.ir.builder import Builder
from enzyme.ir.printer import print_module
from enzyme.ir.types import I64, ArrayType, FloatType
from enzyme.ir.values import (
    Alloca,
    BinaryOp,
    Block,
    Branch,
    CallBase,
    ConstantInt,
    DebugRecord,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Store,
    Switch,
    Value,
)

STRIP = 64
"""Iterations whose matrices are computed at a time."""
_LEAST = 12
"""Cycles: loops that wait for no more are left as they are."""
_GAIN = 0.95
"""What is left of the cycles of an iteration, at most, for it to pay."""
_LANES = 3
"""Iterations that vectors are reckoned to run at once: what goes into them and comes out again takes time, too."""
_LARGEST = 1000
"""Instructions of a loop that is looked at."""
_MOST_FACTORS = 48
_LARGE = 100
"""Operations that make the matrices of one iteration, from which on they fill whole registers on CPUs of which LLVM
prefers halves. While instructions on whole registers are under way, Intel's have one unit less for all others."""
_ROUNDS = 8
"""Rounds of loops inside of others that may be unrolled."""


def with_short_chains(text: str, whole: bool = False) -> str | None:
    """The program with such loops changed; None where there are none. The text must have been optimised, and its
    loops be in simplified form. Loops inside of which LLVM knows that they run a few times are unrolled first.
    ``whole``: have large matrices computed in vectors of whole registers, which LLVM does not choose by itself."""
    text = read_once(text)
    names = _with_known_rounds(text)
    if names:
        from enzyme.llvm.pipelines import LOOP_FORMS, run_passes, unrolled

        changed = _changed(run_passes(unrolled(text, names), LOOP_FORMS), whole)
        if changed is not None:
            return changed
    return _changed(text, whole)


def _changed(text: str, whole: bool) -> str | None:
    program = read_once(text)
    module, changed = program.module, False
    for function, body in program.bodies:
        if not has_reversed_loops(body):
            continue
        pointers = PointerAnalysis(function, module)
        rooms: list[Value] = []
        chains = [read_chain(loop, pointers) for loop in program.loops(function).loops]
        for found in chains:
            if found is not None:
                end = _Strips(function, found, rooms).emit()
                if whole and found.size >= _LARGE:
                    said = f'"llvm.loop.vectorize.width", i32 {found.lanes}'
                    end.metadata["llvm.loop"] = module.add_loop_metadata(said)
                function.body_text = None
                changed = True
    return print_module(module) if changed else None


def _with_known_rounds(text: str) -> set[str]:
    """Functions with reversed loops inside of which others run a few times, as many as is known."""
    names, program = set(), read_once(text)
    for function, body in program.bodies:
        if has_reversed_loops(body):
            loops = program.loops(function).loops
            if any(is_reversed(loop) and any(map(_is_short, loop.children)) for loop in loops):
                names.add(function.name or "")
    return names


def _is_short(loop: Loop) -> bool:
    """Whether a loop is known to run a few times; those in it may hang on its counter."""
    assert loop.forest is not None
    count = backedge_count(loop, loop.forest.domtree)
    known = constant_value(count) if count is not None else None
    return known is not None and known < _ROUNDS


@dataclass(frozen=True)
class Write:
    """A store of what is linear in the adjoints, or (``sum``) one that adds that to what is there."""

    store: Store
    sum: Sum | None

    @property
    def amount(self) -> Value:
        return self.sum.amount if self.sum is not None else self.store.value


@dataclass(frozen=True)
class Chain:
    """A loop that is to be changed: ``count``, how often it comes back; the adjoints that it hands on, and the counters
    that go along; what it writes, in order; the forms of what it makes of the adjoints."""

    loop: Loop
    count: Sym
    adjoints: list[Phi]
    steps: list[Phi]
    writes: list[Write]
    forms: dict[Value, Form]

    @property
    def factors(self) -> list[Node]:
        """All factors but one and those that are the same in all iterations, each once."""
        nodes = dict.fromkeys(node for form in self.forms.values() for node in form.values())
        return [node for node in nodes if not self.is_fixed(node)]

    @property
    def size(self) -> int:
        """Operations that make the matrices of one iteration."""
        nodes = nodes_under(self.factors)
        return len(nodes) + len(_inside(self.loop, nodes))

    @property
    def lanes(self) -> int:
        """Numbers in the largest register."""
        kind = self.adjoints[0].type
        assert isinstance(kind, FloatType)
        return WHOLE_BITS // kind.bits

    def is_fixed(self, node: Node) -> bool:
        if node is ONE:
            return True
        (first, *_) = node.parts
        return node.op == "value" and isinstance(first, Value) and self.loop.is_invariant(first)


def read_chain(loop: Loop, pointers: PointerAnalysis) -> Chain | None:
    """What is to be changed of a loop, if it pays."""
    latch, instructions = loop.latch, [inst for block in loop.order for inst in block.instructions]
    if loop.children or not loop.is_simple or latch is None or loop.exiting_blocks != [latch]:
        return None
    if len(instructions) > _LARGEST or not is_reversed(loop) or not all(map(_is_known, instructions)):
        return None
    made = {phi: phi.value_from(latch) for phi in loop.header.phis}
    lengths = lengths_in(loop)
    waits = cycles_between_iterations({phi: lengths.get(value, {}) for phi, value in made.items()})
    adjoints = [phi for phi in made if isinstance(phi.type, FloatType)]
    if waits < _LEAST or len({phi.type for phi in adjoints}) != 1:
        return None
    linear = LinearForms(loop, adjoints)
    steps = [phi for phi in made if not isinstance(phi.type, FloatType)]
    sums = {each.store: each for block in loop.order for each in find_sums(block)}
    writes = [Write(inst, sums.get(inst)) for inst in instructions if isinstance(inst, Store)]
    forms: dict[Value, Form] = {}
    for value in (*(made[phi] for phi in adjoints), *(write.amount for write in writes)):
        form = linear.of(value)
        if form is None or value.type is not adjoints[0].type:
            return None
        forms[value] = form
    assert loop.forest is not None
    count = backedge_count(loop, loop.forest.domtree)
    known = constant_value(count) if count is not None else None
    if count is None or (known is not None and known < STRIP):
        return None
    if not all(_is_step(loop, phi, made[phi]) for phi in steps):
        return None
    if any(each in linear.forms for each in (*_conditions(loop), *(write.store.pointer for write in writes))):
        return None
    if not _are_always(loop, latch, writes) or not _are_apart(instructions, writes, pointers):
        return None
    before = max(waits, sum(map(work, instructions)) / WIDTH)
    after = _reckoned(loop, {phi: forms[made[phi]] for phi in adjoints}, forms, len(writes))
    found = Chain(loop, count, adjoints, steps, writes, forms)
    return found if after <= _GAIN * before and len(found.factors) <= _MOST_FACTORS else None


def _is_known(inst: Instruction) -> bool:
    """Whether an instruction may stand in such a loop."""
    if isinstance(inst, CallBase):
        return is_arithmetic(inst)
    if isinstance(inst, (Load, Store)):
        return is_simple_access(inst)
    return isinstance(inst, (DebugRecord, Branch, Switch)) or bool(inst.users)


def _conditions(loop: Loop) -> list[Value]:
    """What branches inside of an iteration hang on."""
    ends = [block.terminator for block in loop.order if block is not loop.latch]
    return [each for end in ends if end is not None for each in end.operands if not isinstance(each, Block)]


def _are_always(loop: Loop, latch: Block, writes: Sequence[Write]) -> bool:
    """Whether each iteration writes all that it may write, to places that it can say without a branch."""
    assert loop.forest is not None
    places = _behind(loop, [write.store.pointer for write in writes])
    once = [*places, *(write.store for write in writes)]
    return all(
        inst.block is not None and loop.forest.domtree.dominates(inst.block, latch) for inst in once
    ) and not any(isinstance(inst, Phi) for inst in places)


def _are_apart(body: Sequence[Instruction], writes: Sequence[Write], pointers: PointerAnalysis) -> bool:
    """Whether what a loop writes is apart from all that it reads, but for what it adds to: that is read where it is
    written."""
    added = {write.sum.load for write in writes if write.sum is not None}
    loads = [inst for inst in body if isinstance(inst, Load) and inst not in added]
    places = {inst: pointers.location(inst) for inst in (*loads, *(write.store for write in writes))}
    return all(pointers.apart_at_any_offset(places[load], places[write.store]) for load in loads for write in writes)


def _is_step(loop: Loop, phi: Phi, made: Value) -> bool:
    """Whether a phi goes on by the same in each iteration."""
    if isinstance(made, BinaryOp) and made.opcode in ("add", "sub"):
        return made.operands[0] is phi and loop.is_invariant(made.operands[1])
    return isinstance(made, GetElementPtr) and made.base is phi and all(map(loop.is_invariant, made.operands[1:]))


def _reckoned(loop: Loop, handed: Mapping[Phi, Form], forms: Mapping[Value, Form], writes: int) -> float:
    """The cycles of an iteration whose matrix is computed ahead."""
    nodes = nodes_under(node for form in forms.values() for node in form.values())
    ahead = sum(map(work, _inside(loop, nodes))) + sum(node.op not in ("one", "value") for node in nodes)
    factors = len({node for form in forms.values() for node in form.values() if node is not ONE})
    terms = sum(map(len, forms.values()))
    waits = cycles_between_iterations(
        {
            phi: {each: ADD * (1 + ceil(log2(len(form)))) for each in form if each is not None}
            for phi, form in handed.items()
            if form
        }
    )
    return (ahead + 2 * factors) / (WIDTH * _LANES) + max(waits, (terms + factors + 3 * writes) / WIDTH)


def _inside(loop: Loop, nodes: Sequence[Node]) -> list[Instruction]:
    """The instructions of the loop that nodes are made of, but for phis of the header, in order."""
    ends = [each for node in nodes for each in node.parts if isinstance(each, Instruction)]
    return _behind(loop, [*ends, *_conditions(loop)])


def _behind(loop: Loop, ends: Iterable[Value]) -> list[Instruction]:
    """The instructions of the loop that values are made of, but for phis of the header, in order."""
    wanted = set(ends)
    found = []
    for block in reversed(loop.order):
        for inst in reversed(block.instructions):
            if inst in wanted and not (isinstance(inst, Phi) and block is loop.header):
                found.append(inst)
                wanted.update(inst.operands)
    return found[::-1]


class _Strips:
    """The blocks in front of a loop that run all strips but the last: ``head``, where one begins; ``ahead``, the head
    of the loop over its matrices; ``check``; ``chain``, the loop over its products; ``next``."""

    def __init__(self, function: Function, found: Chain, rooms: list[Value]) -> None:
        self.function, self.found, self.rooms = function, found, rooms
        self.body, self.kind = found.loop.header, found.adjoints[0].type
        front = found.loop.preheader
        assert front is not None and front.terminator is not None
        self.front = front
        names = ("head", "ahead", "check", "chain", "next")
        blocks = [function.append_block(Block(f"chain.{name}")) for name in names]
        self.head, self.ahead, self.check, self.chain, self.next = blocks
        latch = found.loop.latch
        assert latch is not None
        self.made = {phi: phi.value_from(latch) for phi in self.body.phis}

    def emit(self) -> Instruction:
        """Returned is the branch back of the loop over matrices."""
        found, body = self.found, self.body
        phis = list(self.made)
        end = self.front.terminator
        assert end is not None
        build = Builder(self.front, before=end)
        strips = build.udiv(emit_sym(found.count, build), ConstantInt(I64, STRIP))
        build.cond_br(build.icmp("eq", strips, ConstantInt(I64, 0)), body, self.head)
        end.erase()

        build = Builder(self.head)
        left = build.phi(I64, [(strips, self.front)])
        state = {phi: build.phi(phi.type, [(phi.value_from(self.front), self.front)]) for phi in phis}
        build.br(self.ahead)

        rooms, good, after, back = self._matrices(state)
        build = Builder(self.check)
        build.cond_br(good, self.chain, body)
        after |= self._products(state, rooms)

        build = Builder(self.next)
        fewer = build.sub(left, ConstantInt(I64, 1))
        build.cond_br(build.icmp("eq", fewer, ConstantInt(I64, 0)), body, self.head)
        left.add_incoming(fewer, self.next)
        for phi in phis:
            state[phi].add_incoming(after[phi], self.next)
            phi.add_incoming(state[phi], self.check)
            phi.add_incoming(after[phi], self.next)
        return back

    def _matrices(self, state: Mapping[Phi, Phi]) -> tuple[dict[Node, Value], Value, dict[Phi, Value], Instruction]:
        """The loop over the matrices of a strip: where they are, whether all are finite, the counters behind it, and
        its branch back."""
        found = self.found
        loop = found.loop
        build = Builder(self.ahead)
        zero, one = ConstantInt(I64, 0), ConstantInt(I64, 1)
        number = build.phi(I64, [(zero, self.head)])
        wild = build.phi(I64, [(zero, self.head)])
        made = self._counters(build, state, self.head)
        nodes = nodes_under(found.factors)
        wanted = set(_inside(loop, nodes))
        made[loop.header] = self.ahead
        made |= {block: self.function.append_block(Block("chain.ahead")) for block in loop.order if block not in made}
        emitter = Emitter(build, self.kind, made)
        for block in loop.order:
            into = made[block]
            assert isinstance(into, Block)
            emitter.build = build = Builder(into)
            self._copy(build, [inst for inst in block.instructions if inst in wanted], made)
            for node in sorted((each for each in nodes if each.block is block), key=lambda each: each.number):
                emitter.value(node)
            if block is not loop.latch:
                assert block.terminator is not None
                self._copy(build, [block.terminator], made)
        rooms: dict[Node, Value] = {}
        nothing: list[Value] = []
        none = build.const_float(self.kind, 0.0)
        for node in found.factors:
            value = emitter.value(node)
            rooms[node] = self._room(len(rooms))
            build.store(value, build.gep(self.kind, rooms[node], [number]))
            nothing.append(build.fmul(value, none, ()))
        is_wild = build.zext(build.fcmp("uno", _total(build, nothing, ()), none, ()), I64) if nothing else zero
        more = build.or_(wild, is_wild)
        following = build.add(number, one)
        number.add_incoming(following, build.block)
        wild.add_incoming(more, build.block)
        after = self._advance(build, made)
        back = build.cond_br(build.icmp("eq", following, ConstantInt(I64, STRIP)), self.check, self.ahead)
        return rooms, Builder(self.check).icmp("eq", more, zero), after, back

    def _room(self, index: int) -> Value:
        """One of the arrays on the stack, which the loops of a function share."""
        type = ArrayType(STRIP, self.kind)
        fitting: list[Value] = [room for room in self.rooms if isinstance(room, Alloca) and room.allocated_type == type]
        if index == len(fitting):
            fitting.append(entry_slot(self.function.entry, type, None, "chain"))
            self.rooms.append(fitting[-1])
        return fitting[index]

    def _products(self, state: Mapping[Phi, Phi], rooms: Mapping[Node, Value]) -> dict[Phi, Value]:
        """The loop over the products of a strip, which also writes: the adjoints behind it."""
        found = self.found
        build = Builder(self.chain)
        number = build.phi(I64, [(ConstantInt(I64, 0), self.check)])
        now = {phi: build.phi(self.kind, [(state[phi], self.check)]) for phi in found.adjoints}
        made = self._counters(build, state, self.check) if found.writes else {}
        factors = {node: build.load(self.kind, build.gep(self.kind, room, [number])) for node, room in rooms.items()}
        emitter = Emitter(build, self.kind, {})

        def value(form: Form) -> Value:
            terms: list[Value] = []
            for root, node in form.items():
                factor = factors.get(node) or emitter.value(node)
                if root is None:  # what does not wait comes first
                    terms.insert(0, factor)
                else:
                    terms.append(now[root] if node is ONE else build.fmul(factor, now[root], FLAGS))
            return _total(build, terms, FLAGS) if terms else build.const_float(self.kind, 0.0)

        self._copy(build, _behind(found.loop, [write.store.pointer for write in found.writes]), made)
        for write in found.writes:
            pointer, amount = made.get(write.store.pointer, write.store.pointer), value(found.forms[write.amount])
            if write.sum is not None:
                write.sum.emit(build, pointer, amount)
            else:
                build.insert(write.store.clone([amount, pointer]))
        after = {phi: value(found.forms[self.made[phi]]) for phi in found.adjoints}
        if found.writes:
            self._advance(build, made)
        following = build.add(number, ConstantInt(I64, 1))
        number.add_incoming(following, self.chain)
        for phi, each in after.items():
            now[phi].add_incoming(each, self.chain)
        build.cond_br(build.icmp("eq", following, ConstantInt(I64, STRIP)), self.next, self.chain)
        return after

    def _counters(self, build: Builder, state: Mapping[Phi, Phi], source: Block) -> dict[Value, Value]:
        """The counters of a loop over a strip."""
        return {phi: build.phi(phi.type, [(state[phi], source)]) for phi in self.found.steps}

    def _advance(self, build: Builder, made: dict[Value, Value]) -> dict[Phi, Value]:
        """Have them go on: what they are behind the iteration."""
        ends = {phi: self.made[phi] for phi in self.found.steps}
        self._copy(build, [each for each in ends.values() if isinstance(each, Instruction)], made)
        for phi, end in ends.items():
            counter = made[phi]
            assert isinstance(counter, Phi)
            counter.add_incoming(made[end], build.block)
        return {phi: made[end] for phi, end in ends.items()}

    @staticmethod
    def _copy(build: Builder, instructions: Iterable[Instruction], made: dict[Value, Value]) -> None:
        for inst in instructions:
            if inst not in made:
                copy = inst.clone([made.get(each, each) for each in inst.operands])
                copy.name = None
                made[inst] = build.insert(copy)


def _total(build: Builder, terms: list[Value], flags: Sequence[str]) -> Value:
    """A sum in pairs."""
    while len(terms) > 1:
        pairs = [build.fadd(one, other, flags) for one, other in zip(terms[::2], terms[1::2], strict=False)]
        terms = pairs + (terms[-1:] if len(terms) % 2 else [])
    return terms[0]
