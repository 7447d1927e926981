"""Linear maps of the reverse sweep that are applied once, behind a loop, to a sum of what they are given.

A loop that runs its iterations again in the reverse sweep calls one function for each (replay.py). Let that function
compute ``out = Q (x - m)`` with a matrix and a vector that are the same in all iterations, as a Gaussian mixture does
for each point. Its reversal computes ``Q^T y`` from the adjoint ``y`` of ``out`` and takes it off the shadow of ``m``.
Nothing else reads either, so the sum of ``Q^T y`` over the iterations is wanted, which is ``Q^T`` of the sum of ``y``.

So there are two derivatives of the function. One adds ``y`` to a *room* of sums, and leaves out the product with
``Q^T``. The other one, called for the iteration that is reversed last, takes ``y`` plus the sums. Which products may be
left to it, of a multiplication ``u = c * v``, is found here:

- All branches of the function go the same way in each iteration, and ``c`` is the same (analysis/uniform.py).
- From ``v`` the adjoint goes on through sums and products with such factors, and through scratch memory at addresses
  that are the same in each iteration, to nothing but shadows of what the function only reads, or to parameters. That is
  one linear map for all iterations, and nobody looks at its results before the last one is done. Scratch is read only
  where the same call has written it (covered.py), so nothing of it is left over for the next iteration.
- The adjoint of ``u`` is what one store, its *home*, takes: either ``u`` is what is stored there, or an inner loop sums
  it up for that, or it is added to what is there, in nests whose reversal does not change the shadow. What the home
  takes in each of its executions has its own place in the room.

It pays where the multiplication is deeper in loops than its home. Where in the end nothing is left that adds to the
shadow of a scratch array, its stores have nothing to take but in the last iteration.

What changes is rounding, and where ``c`` is infinite or a product overflows, what infinities of either sign add up to:
so it is one of the things that :attr:`Config.reassociate` allows, and it is not done under ``strong_zero``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from enzyme.analysis.activity_result import ActivityResult
from enzyme.analysis.covered import CoveredReads
from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import Polynomial
from enzyme.analysis.tbaa import declares_scope
from enzyme.analysis.uniform import varying_values
from enzyme.gradient.calls import defined_callee
from enzyme.gradient.primal import is_dropped
from enzyme.gradient.request import Request
from enzyme.gradient.subject import Subject, has_rule
from enzyme.gradient.sums import is_fused
from enzyme.ir.types import DOUBLE, FLOAT, FloatType, Type
from enzyme.ir.values import (
    Argument,
    BinaryOp,
    CallBase,
    Cast,
    DebugRecord,
    ExtractElement,
    InsertElement,
    Instruction,
    Load,
    Phi,
    ShuffleVector,
    Store,
    UnaryOp,
    Value,
)

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine
    from enzyme.gradient.primal import PrimalCopy

NOTHING = Polynomial(())


@dataclass(frozen=True)
class Home:
    """A store, what it takes in each of its executions, and where that has its place in the room: the loops around it,
    outermost first, and how often each of them runs."""

    store: Store
    loops: tuple[Loop, ...]
    rounds: tuple[Polynomial, ...]

    @property
    def type(self) -> Type:
        return self.store.value.type


@dataclass(frozen=True)
class Edge:
    """A product whose adjoint is, but for the ``sign``, what ``home`` takes: in the same execution of the loops around
    it, or, for one that is added to what is stored ``at`` an address, where home has stored at that address; home
    begins ``first`` bytes behind ``array`` in each run of its loop."""

    home: Home
    sign: int = 1
    at: Value | None = None
    array: Argument | None = None
    first: Polynomial = NOTHING


@dataclass
class LinearMaps:
    """What is left to the last iteration: products by instruction and operand."""

    edges: dict[tuple[Instruction, int], Edge] = field(default_factory=dict)
    silent: set[Instruction] = field(default_factory=set)
    """Stores that take nothing in the other iterations."""

    @property
    def homes(self) -> list[Home]:
        return list(dict.fromkeys(edge.home for edge in self.edges.values()))

    def words(self, subject: Subject) -> str:
        """What is left to the last iteration and what that takes, for people."""

        def lines(found: Iterable[Instruction]) -> str:
            places = (subject.module.place_of(inst, subject.function) for inst in found)
            numbers = sorted({place.line for place in places if place is not None})
            return f" at line {', '.join(map(str, numbers))}" if numbers else ""

        products, stores = lines(inst for inst, _ in self.edges), lines(home.store for home in self.homes)
        return f"; products{products} are left to the last one, with a sum for each number that one stores{stores}"


def linear_maps(engine: Engine, subject: Subject, request: Request) -> LinearMaps | None:
    """The maps of a function that is called once in each iteration of a loop, where the parameters ``request.varying``
    differ from iteration to iteration; None if there are none, or not in a derivative like this."""
    config = engine.config
    if not (config.linear_maps and config.reassociate):
        return None
    if request.at_run_time or request.strong_zero or request.keep_tape or request.renewable or request.width > 1:
        return None
    summary = engine.effects_of(subject.function)
    if summary is None or summary.writes_other or summary.writes_globals:
        return None
    return _Finder(subject, subject.activity(request), request.varying, summary.writes_args).find()


def varying_parameters(copy: PrimalCopy, call: CallBase) -> frozenset[int] | None:
    """The parameters of a call that are not the same in all iterations of the loop around it; None if an iteration
    writes to memory but by this call."""
    loop = copy.subject.loops.loop_of(call.block) if call.block is not None else None
    if loop is None or loop.children or len(loop.blocks) != 1:
        return None
    alias = copy.subject.alias
    for inst in loop.header.instructions:
        if inst is not call and not isinstance(inst, DebugRecord):
            if not (isinstance(inst, CallBase) and is_dropped(inst)) and alias.effect(inst).writes:
                return None
    return frozenset(index for index, actual in enumerate(call.args) if not loop.is_invariant(actual))


class _Finder:
    def __init__(
        self, subject: Subject, activity: ActivityResult, varying: frozenset[int], written: frozenset[int]
    ) -> None:
        self.subject, self.activity, self.written = subject, activity, written
        self.varying_parameters = varying
        self.loops, self.dominators = subject.loops, subject.dominators
        self.live = set(subject.live_blocks)
        self.covered = CoveredReads(subject.alias, subject.dominators, subject.loops, subject.module.datalayout)
        self.touched: dict[Argument, list[Load | Store]] = {}
        """Scratch of which all accesses are known."""
        self.varying: set[Value] = set()
        self._homes: dict[Store, Home | None] = {}
        self._stored: dict[Argument, tuple[Home, Polynomial] | None] = {}
        self._passing: dict[Value, bool] = {}

    def find(self) -> LinearMaps | None:
        function = self.subject.function
        varying = varying_values(function, self.subject.alias, self.varying_parameters, self.written, _is_scalar)
        if varying is None or self.loops.irreducible_edges:
            return None
        self.varying = varying
        if not self._read_accesses():
            return None
        candidates: dict[tuple[Instruction, int], Edge] = {}
        for block in self.subject.live_blocks:
            for inst in block.instructions:
                for index in self._products(inst):
                    edge = self._edge(inst)
                    if edge is not None:
                        candidates[inst, index] = edge
        found = LinearMaps({key: edge for key, edge in candidates.items() if self._pays(key[0], edge)})
        if not found.edges:
            return None
        for array in self.touched:
            self._silence(array, candidates, found)
        return found

    # memory

    def _read_accesses(self) -> bool:
        """Note who touches scratch; False where somebody may touch anything."""
        unclear: set[Value | None] = set()
        for inst in self.subject.function.instructions():
            if isinstance(inst, (Load, Store)):
                objects = self.subject.alias.underlying_objects(inst.pointer)
                if any(each.kind == "unknown" for each in objects):
                    return False
                known = [each.value for each in objects if isinstance(each.value, Argument)]
                if len(objects) != 1 or any(each.kind != "noalias_argument" for each in objects):
                    unclear.update(known)  # others may lead there, too
                elif known[0].index in self.written:
                    self.touched.setdefault(known[0], []).append(inst)
            elif isinstance(inst, CallBase) and not is_dropped(inst) and not declares_scope(inst):
                if not _is_scalar(inst):
                    return False
        for array, accesses in list(self.touched.items()):
            kinds = {_kind(each) for each in accesses}
            same = len(kinds) == 1 and all(kind.scalar in (FLOAT, DOUBLE) for kind in kinds)
            if array in unclear or not same or any(each.pointer in self.varying for each in accesses):
                del self.touched[array]
        return True

    def _array(self, pointer: Value) -> Argument | None:
        """The scratch that a pointer points into, if all accesses to it are known, at uniform addresses."""
        for each in self.subject.alias.underlying_objects(pointer):
            if isinstance(each.value, Argument) and each.value in self.touched:
                return each.value
        return None

    # where adjoints go

    def _products(self, inst: Instruction) -> Iterator[int]:
        """The operands of a product that its adjoint may be handed to in the last iteration for all."""
        product = isinstance(inst, BinaryOp) and inst.opcode == "fmul"
        fused = is_fused(inst)
        if (product or fused) and isinstance(inst.type.scalar, FloatType) and self.activity.active_value(inst):
            for index in (0, 1):
                value, factor = inst.operands[index], inst.operands[1 - index]
                if self.activity.active_value(value) and factor not in self.varying and self._passes(value):
                    yield index

    def _passes(self, value: Value) -> bool:
        """Whether a value's adjoint goes on by a uniform linear map to where it is only added."""
        found = self._passing.get(value)
        if found is None:
            self._passing[value] = True  # what leads back here adds nothing new
            known = dict(self._passing)
            found = self._goes_on(value)
            if not found:  # what has been found on the way may have relied on this
                self._passing = {each: good for each, good in known.items() if not good}
            self._passing[value] = found
        return found

    def _goes_on(self, value: Value) -> bool:
        if not self.activity.active_value(value):
            return True
        if not isinstance(value.type.scalar, FloatType):
            return False
        if isinstance(value, Argument):
            return value.index not in self.varying_parameters
        if isinstance(value, Load):
            if value.pointer in self.varying or value.ordering or "volatile" in value.flags:
                return False
            array = self._array(value.pointer)
            if array is not None:
                stores = (each for each in self.touched[array] if isinstance(each, Store))
                return all(self._passes(each.value) for each in stores)
            objects = self.subject.alias.underlying_objects(value.pointer)
            return all(isinstance(o.value, Argument) and o.value.index not in self.written for o in objects)
        if isinstance(value, BinaryOp):
            left, right = value.operands
            if value.opcode in ("fadd", "fsub"):
                return self._passes(left) and self._passes(right)
            if value.opcode == "fmul" and self._is_factor(left):
                return self._passes(right)
            return value.opcode in ("fmul", "fdiv") and self._is_factor(right) and self._passes(left)
        if is_fused(value):
            left, right, addend = value.args
            by_right = self._is_factor(right) and self._passes(left)
            return (by_right or self._is_factor(left) and self._passes(right)) and self._passes(addend)
        if isinstance(value, (InsertElement, ShuffleVector, ExtractElement)):
            return all(self._passes(each) for each in value.operands[:2])
        if isinstance(value, UnaryOp):
            return value.opcode == "fneg" and self._passes(value.operands[0])
        return isinstance(value, Cast) and value.opcode == "fpext" and self._passes(value.operands[0])

    def _is_factor(self, value: Value) -> bool:
        return value not in self.varying and not self.activity.active_value(value)

    # where adjoints come from

    def _edge(self, inst: Instruction) -> Edge | None:
        """Where the adjoint of a product is taken."""
        summed = self._summed_up(inst)
        if summed is not None:
            return summed
        value, sign = inst, 1
        load = inst.operands[2] if isinstance(inst, CallBase) else None
        user = self._only_user(value)
        if load is None and isinstance(user, BinaryOp) and user.opcode in ("fadd", "fsub") and user.type is inst.type:
            left, right = user.operands
            if user.opcode == "fadd" or value is right:
                load, sign = (left if value is right else right), (1 if user.opcode == "fadd" else -1)
                value, user = user, self._only_user(user)
        if not isinstance(user, Store) or user.value is not value or user.block is not inst.block:
            return None
        if isinstance(load, Load) and self._in_place(load, user):
            array = self._array(user.pointer)
            assert array is not None
            stored = self._stored_at_home(array)
            return Edge(stored[0], sign, user.pointer, array, stored[1]) if stored is not None else None
        home = self._home(user) if value is inst else None
        return Edge(home) if home is not None else None

    def _summed_up(self, inst: Instruction) -> Edge | None:
        """Where that is, for a product that an inner loop sums up in a register: behind the loop the sum is stored."""
        loop = self.loops.loop_of(inst.block)
        latch = loop.latch if loop is not None else None
        if loop is None or latch is None:
            return None
        value, sign = inst, 1
        start = inst.operands[2] if isinstance(inst, CallBase) else None
        if start is None:
            user = self._only_user(inst)
            if not isinstance(user, BinaryOp) or user.opcode not in ("fadd", "fsub") or user.block not in loop.blocks:
                return None
            left, right = user.operands
            if user.opcode == "fsub" and inst is left:
                return None
            start, sign = (left if inst is right else right), (1 if user.opcode == "fadd" else -1)
            value = user
        if not isinstance(start, Phi) or start.block is not loop.header or start.value_from(latch) is not value:
            return None
        if self._only_user(start) is not value:
            return None
        users = [user for user in value.users if user is not start and not isinstance(user, DebugRecord)]
        behind: Value | None = value
        user = users[0] if len(users) == 1 else None
        while isinstance(user, Phi) and len(user.incoming) == 1:
            behind, user = user, self._only_user(user)
        if not isinstance(user, Store) or user.value is not behind or user.block not in self.live:
            return None
        if self.loops.loop_of(user.block) is not loop.parent:
            return None
        home = self._home(user)
        return Edge(home, sign) if home is not None else None

    def _only_user(self, value: Value) -> Instruction | None:
        users = [user for user in value.users if not isinstance(user, DebugRecord)]
        found = users[0] if len(users) == 1 else None
        return found if isinstance(found, Instruction) and found.block in self.live else None

    def _in_place(self, load: Load, store: Store) -> bool:
        """Whether something is added to what is in scratch, and the shadow there stays as it is when that is undone."""
        array = self._array(store.pointer)
        if load.pointer is not store.pointer or load.block is not store.block or array is None:
            return False
        if self._only_user(load) is None or not self.activity.active_value(load):
            return False
        block = load.block
        assert block is not None
        first, last = block.position(load), block.position(store)
        others = (each for each in self.touched[array] if each.block is block and each not in (load, store))
        return first < last and not any(first < block.position(each) < last for each in others)

    def _home(self, store: Store) -> Home | None:
        if store not in self._homes:
            around = self.loops.loop_of(store.block)
            loops = tuple(reversed(around.ancestors())) if around is not None else ()
            rounds = tuple(form for loop in loops if (form := self.covered.rounds(loop)) is not None)
            known = len(rounds) == len(loops) and all(_of_parameters(form) for form in rounds)
            array = self._array(store.pointer)
            self._homes[store] = Home(store, loops, rounds) if known and array is not None else None
        return self._homes[store]

    def _stored_at_home(self, array: Argument) -> tuple[Home, Polynomial] | None:
        """The one store that fills scratch, element by element, in front of nests that add to what is there; and where
        it begins."""
        if array not in self._stored:
            self._stored[array] = self._find_home(array)
        return self._stored[array]

    def _find_home(self, array: Argument) -> tuple[Home, Polynomial] | None:
        accesses = self.touched[array]
        pairs = {store: load for store in accesses for load in self._added_to(store)}
        stores = [each for each in accesses if isinstance(each, Store) and each not in pairs]
        written = [each for each in self.covered.writes(array) if each.loop is not None and each.instruction in stores]
        if len(stores) != 1 or len(written) != 1:
            return None
        home, loop = self._home(stores[0]), written[0].loop
        assert loop is not None
        if home is None or loop is not home.loops[-1] or not _of_parameters(written[0].first, home.loops[:-1]):
            return None
        nests: list[Loop] = []
        for store, added in pairs.items():
            nest = self.loops.loop_of(store.block)
            while nest is not None and nest.parent is not loop.parent:
                nest = nest.parent
            if nest is None or nest is loop or not self.covered.is_covered(added, array, written):
                return None
            nests.append(nest)
        for load in accesses:
            if isinstance(load, Load) and load not in pairs.values() and load.block in self.live:
                if any(load.block in nest.blocks for nest in nests):
                    return None
                if not all(self.dominators.dominates(nest.header, load.block) for nest in nests):
                    return None
        return home, written[0].first

    def _added_to(self, store: Load | Store) -> Iterator[Load]:
        """The load that a store adds something to, in place."""
        value = store.value if isinstance(store, Store) else None
        if is_fused(value):
            parts = [value.operands[2]]
        elif isinstance(value, BinaryOp) and value.opcode in ("fadd", "fsub"):
            parts = list(value.operands if value.opcode == "fadd" else value.operands[:1])
        else:
            return
        assert isinstance(store, Store)
        if self._only_user(value) is store:
            yield from [each for each in parts if isinstance(each, Load) and self._in_place(each, store)][:1]

    # what is worth it

    def _pays(self, inst: Instruction, edge: Edge) -> bool:
        loop = self.loops.loop_of(inst.block)
        return loop is not None and loop.depth > len(edge.home.loops)

    def _silence(self, array: Argument, candidates: dict[tuple[Instruction, int], Edge], found: LinearMaps) -> None:
        """Where all that is added to the shadow of scratch may be left to the last iteration, and some of it is."""
        loads = [each for each in self.touched[array] if isinstance(each, Load) and self.activity.active_value(each)]
        uses = [
            (user, index)
            for load in loads
            for user in dict.fromkeys(load.users)
            if isinstance(user, Instruction) and user.block in self.live and self._hands_on(user)
            for index, operand in enumerate(user.operands)
            if operand is load
        ]
        if any(use in found.edges for use in uses) and all(use in candidates for use in uses):
            found.edges.update({use: candidates[use] for use in uses})
            found.silent.update(each for each in self.touched[array] if isinstance(each, Store))

    def _hands_on(self, user: Instruction) -> bool:
        return user.is_terminator or self.activity.active_instruction(user) or self.activity.active_value(user)


def _kind(access: Load | Store) -> Type:
    return access.value.type if isinstance(access, Store) else access.type


def _is_scalar(call: CallBase) -> bool:
    """Whether a call takes numbers and gives one, by a rule."""
    given = any(each.type.is_pointer for each in call.args)
    return not given and defined_callee(call) is None and has_rule(call)


def _of_parameters(form: Polynomial, counted: tuple[Loop, ...] = ()) -> bool:
    """Whether a form is made of parameters, and counters of the loops ``counted``, alone."""
    return all(what in counted if isinstance(what, Loop) else isinstance(what, Argument) for what, _ in form.variables)
