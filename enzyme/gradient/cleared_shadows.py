"""Shadows that the program clears right in front of a derivative: set, and not cleared and then added to.

``memset(dx, 0, n * sizeof(double)); __enzyme_autodiff(f, x, dx, n)`` writes zeros to all of dx, and the reverse sweep
then loads each of them, adds to it and stores it. Where a loop of the sweep is the first to touch that memory, and adds
to each of its elements once, what it loads are those zeros: a second version of the loop stores what the first one
would add, and where that version is to run the zeros are not written at all.

Which version it is, is asked in front of the memset: whether the loop begins where the memset does and has as many
elements, and whether all branches between the two lead to the loop. What these questions are made of may stand behind
the memset (``dx`` and ``n`` are members of a struct, loaded again): it is copied to the front, and the program also
asks whether the memset would leave what is loaded there alone. All that lies between the memset and the loop, and what
else the loop does, must be apart from what the loop stores to (again the program asks where that is not known); since
that is all that the memset clears, it is apart from that, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from itertools import pairwise

from enzyme.analysis.alias import AliasAnalysis, ModuleSummaries
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop, LoopForest, analyse_loops
from enzyme.analysis.polynomials import Polynomial, Variable, counter, widened
from enzyme.gradient.early import EarlyCopies, is_clearing, written
from enzyme.gradient.kept_loads import has_reversed_loops
from enzyme.gradient.loop_versions import add_version, leaves_by_phis, split_at
from enzyme.gradient.read_once import read_once
from enzyme.gradient.sums import is_simple_access
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.printer import print_module
from enzyme.ir.types import I1, I64, PTR, X86_FP80, FloatType
from enzyme.ir.values import (
    Block,
    Branch,
    CallBase,
    Compare,
    ConstantInt,
    DebugRecord,
    Function,
    Instruction,
    Load,
    Phi,
    Store,
    Value,
    zero,
)
from enzyme.rules.known import known_callee

_DERIVED = re.compile(r"%iteration\b")
_CLEARS = re.compile(r"call void @llvm\.memset\.[\w.]+\(ptr [^,]*, i8 0, ")
_REGION = 64
"""Blocks between a memset and a loop that are looked at."""
_MOST = 8
"""Loops of one function that get a second version."""
_SHORT = 256
"""Constant numbers of bytes from which on it pays: LLVM keeps less in registers, or sees itself what is cleared."""
_HALF = 1 << 31
"""Rounds, and steps of addresses, are to be less than this."""


def may_clear(text: str) -> bool:
    """Whether a program with reversed loops, as they have been made, clears any memory."""
    return has_reversed_loops(text) and _CLEARS.search(text) is not None


def with_cleared_shadows(text: str) -> str | None:
    """The program with such versions of its loops; None where there are none. The text must have been optimised, with
    derivatives where they are called, and its loops simplified and in LCSSA form."""
    program = read_once(text)
    module, changed = program.module, False
    summaries = ModuleSummaries(module, known_callee)
    for function, body in program.bodies:
        if not _DERIVED.search(body) or not _CLEARS.search(body):
            continue
        for _ in range(_MOST):
            found = next(_Finder(function, module, summaries).find(), None)
            if found is None:
                break
            _Version(function, found).emit()
            function.body_text = None
            changed = True
    return print_module(module) if changed else None


@dataclass(frozen=True)
class _Sum:
    """Elements that are added to, by a load and a store each, in each round of ``loop``, and of the loops inside, if
    there are any: ``length`` bytes in all, from ``low`` bytes behind ``base`` on."""

    loop: Loop
    loads: tuple[Load, ...]
    stores: tuple[Store, ...]
    base: Value
    low: Polynomial
    length: Polynomial


_Turn = list[tuple[Value, bool]]
"""Conditions, and whether they hold."""


@dataclass(frozen=True)
class _Access:
    """A load or store that may touch what is added up: ``size`` bytes, ``form`` behind ``base``, in ``loops``."""

    base: Value
    form: Polynomial
    size: Polynomial
    loops: tuple[tuple[Loop, Polynomial], ...]


@dataclass
class _Cleared:
    """What one loop adds up, each behind the fill that clears it, and what is to be asked in front of the first."""

    sums: list[tuple[CallBase, _Sum]]
    early: EarlyCopies
    turns: list[_Turn] = field(default_factory=list)
    """For the branches between the first fill and the loop: one condition of each is to be so."""
    apart: list[tuple[CallBase, _Access]] = field(default_factory=list)
    counters: dict[Loop, Phi] = field(default_factory=dict)
    """Of loops around all this."""


class _Finder:
    def __init__(self, function: Function, module: Module, summaries: ModuleSummaries) -> None:
        self.function, self.module = function, module
        self.loops: LoopForest = analyse_loops(function)
        self.dominators = self.loops.domtree
        self.forms = FunctionForms(self.dominators, self.loops, module.datalayout)
        self.alias = AliasAnalysis(function, module, known_callee, summaries)

    def find(self) -> Iterator[_Cleared]:
        fills = [inst for block in self.loops.cfg.blocks for inst in block.instructions if is_clearing(inst)]
        for loop in self.loops.loops if fills else ():
            near = [each for each in fills if isinstance(each, CallBase) and self._leads_to(each, loop)]
            sums = [(fill, each) for each in self._sums(loop) for fill in near if self._is_of(fill, each)]
            # A version sets all that it can, or else the one whose fill comes last.
            for chosen in (sums, sums[-1:]):
                cleared = self._cleared(sorted(chosen, key=lambda each: near.index(each[0]))) if chosen else None
                if cleared is not None:
                    yield cleared

    def _leads_to(self, fill: Instruction, loop: Loop) -> bool:
        assert fill.block is not None
        ahead = loop.preheader
        return (
            ahead is not None
            and self.loops.loop_of(fill.block) is loop.parent
            and self.dominators.dominates(fill.block, ahead)
        )

    # the loop

    def _sums(self, loop: Loop) -> Iterator[_Sum]:
        """The sums that a loop adds up in memory, each element once."""
        nest = self._nest(loop)
        if nest[-1].children or not all(map(self._is_plain, nest)) or not leaves_by_phis(loop):
            return
        beside: dict[tuple[Value, Polynomial], list[tuple[int, Load, Store]]] = {}
        for block in nest[-1].order:
            for inst in block.instructions:
                load = self._loaded(inst) if isinstance(inst, Store) else None
                if load is not None and all(self._every_round(inst, each) for each in nest):
                    base, form = self.forms.from_base(load.pointer)
                    form = self._plain(form)
                    key = base, form.minus(Polynomial.number(form.offset))
                    beside.setdefault(key, []).append((form.offset, load, inst))  # type: ignore[arg-type]
        for (base, form), elements in beside.items():
            found = self._sum(nest, base, form, sorted(elements, key=lambda each: each[0]))
            if found is not None:
                yield found

    def _nest(self, loop: Loop) -> list[Loop]:
        """A loop, the one inside, and so on."""
        found = [loop]
        while len(found[-1].children) == 1:
            found.append(found[-1].children[0])
        return found

    def _is_plain(self, loop: Loop) -> bool:
        return loop.is_simple and loop.exiting_blocks == [loop.latch] and len(loop.exits) == 1

    def _sum(
        self, nest: list[Loop], base: Value, form: Polynomial, elements: list[tuple[int, Load, Store]]
    ) -> _Sum | None:
        """What is added up by stores side by side, if all rounds together leave nothing out."""
        layout = self.module.datalayout
        first = end = elements[0][0]
        for offset, load, _ in elements:
            if offset != end:
                return None
            end += layout.size_of(load.type)
        form, size = form.plus(Polynomial.number(first)), Polynomial.number(end - first)
        for each in reversed(nest):  # each loop goes on where the one inside ends
            rounds = self.forms.rounds(each)
            rounds = self._plain(rounds) if rounds is not None else None
            step, start = form.factor(counter(each)), form.without(counter(each))
            if rounds is None or form.degree(counter(each)) != 1:
                return None
            if step == Polynomial(()).minus(size):
                start = start.plus(size).minus(size.times(rounds))
            elif step != size:
                return None
            form, size = start, size.times(rounds)
        loads, stores = zip(*(each[1:] for each in elements), strict=True)
        return _Sum(nest[0], loads, stores, base, form, size)

    def _plain(self, form: Polynomial) -> Polynomial:
        """The same without numbers that are merged of what is one number."""
        for what, how in form.variables:
            one = self._one(what) if isinstance(what, Phi) else None
            if one is not None and form.degree((what, how)) == 1:
                form = form.replaced((what, how), one)
        return form

    def _one(self, phi: Phi) -> Polynomial | None:
        """What a phi always is: all that it merges is the same, or a constant that it equals there."""
        merged = [(self.forms.integer(value), source) for value, source in phi.incoming]
        varying = {form for form, _ in merged if form is not None and form.constant is None}
        if len(varying) != 1 or any(form is None for form, _ in merged) or phi.type is not I64:
            return None
        (one,) = varying
        equal = all(form == one or self._equals(one.minus(form), source, phi) for form, source in merged if form)
        return one if equal and not any(what is phi for what, _ in one.variables) else None

    def _equals(self, difference: Polynomial, source: Block, phi: Phi) -> bool:
        """Whether a difference is nothing where control goes from a block to a phi: the branch there has asked that."""
        end, target = source.terminator, phi.block
        if not isinstance(end, Branch) or not end.is_conditional or end.operands[1] is end.operands[2]:
            return False
        test = end.operands[0]
        if not isinstance(test, Compare) or test.predicate != ("eq" if end.operands[1] is target else "ne"):
            return False
        left, right = (self.forms.integer(each) for each in test.operands)
        if left is None or right is None:
            return False
        return left.minus(right) in (difference, Polynomial(()).minus(difference))

    def _loaded(self, store: Store) -> Load | None:
        """What stood at the place of a store of a number, loaded in front of it in the same round."""
        type, loop = store.value.type, self.loops.loop_of(store.block)
        if not isinstance(type, FloatType) or type is X86_FP80 or not is_simple_access(store):
            return None
        for user in store.pointer.users:
            if (
                isinstance(user, Load)
                and user.type is type
                and is_simple_access(user)
                and self.loops.loop_of(user.block) is loop
                and self.dominators.instruction_dominates(user, store)
            ):
                return user
        return None

    def _every_round(self, inst: Instruction, loop: Loop) -> bool:
        assert inst.block is not None and loop.latch is not None
        return self.dominators.dominates(inst.block, loop.latch)

    # which fill is whose

    def _is_of(self, fill: CallBase, found: _Sum) -> bool:
        """Whether a fill looks like it clears what is added up, and nothing else: that is so if all that is loaded
        twice is the same twice."""
        base, form = self.forms.from_base(fill.args[0])
        length = self.forms.integer(fill.args[2], "zext")
        return (
            fill.args[0].type is PTR
            and length is not None
            and (length.constant is None or length.constant >= _SHORT)
            and self._key(base) == self._key(found.base)
            and self._form_key(form) == self._form_key(found.low)
            and self._form_key(length) == self._form_key(found.length)
        )

    def _key(self, value: Value, depth: int = 4) -> object:
        """The same for two values of which one is loaded again from where the other was."""
        if isinstance(value, Load) and depth > 0:
            base, form = self.forms.from_base(value.pointer)
            return value.type, self._key(base, depth - 1), self._form_key(form, depth - 1)
        return value

    def _form_key(self, form: Polynomial, depth: int = 4) -> object:
        found: Counter[object] = Counter()
        for product, factor in form.terms:
            keys = Counter(self._key(value, depth) if isinstance(value, Value) else value for value, _ in product)
            found[frozenset(keys.items())] += factor
        return frozenset(found.items())

    # the way there

    def _cleared(self, sums: list[tuple[CallBase, _Sum]]) -> _Cleared | None:
        first, loop = sums[0][0], sums[0][1].loop
        if len({fill for fill, _ in sums}) < len(sums):
            return None
        cleared = _Cleared(sums, EarlyCopies(first, self.dominators, self.alias))
        passed = self._way(first, loop, cleared)
        if passed is None or not all(cleared.early.can(each) for fill, _ in sums for each in fill.args[:3]):
            return None
        for fill, each in sums:
            if not self._has(cleared, each.base, each.low, each.length):
                return None
            instructions = [inst for block in (*passed, *loop.order) for inst in block.instructions]
            for inst in instructions:
                if inst in each.loads or inst in each.stores or is_clearing(inst) or self._is_ahead(inst, first):
                    continue
                if not self._apart(inst, fill, each, cleared):
                    return None
        return cleared

    def _is_ahead(self, inst: Instruction, fill: CallBase) -> bool:
        return inst.block is fill.block and self.dominators.instruction_dominates(inst, fill)

    def _way(self, fill: CallBase, loop: Loop, cleared: _Cleared) -> set[Block] | None:
        """The blocks between a fill and a loop; None where it cannot be told in front whether the way leads there."""
        start, way = fill.block, [loop.preheader]
        assert start is not None
        while way[-1] is not start:
            above = self.dominators.idom(way[-1]) if way[-1] is not None else None
            if above is None or len(way) > _REGION:
                return None
            way.append(above)
        passed: set[Block] = {start}
        for block, following in pairwise(reversed(way)):
            assert block is not None and following is not None
            within = self._within(block, following)
            passed |= {*within, following}
            if len(passed) > _REGION:
                return None
            for each in (block, *within):
                turn = self._turn(each, block, passed, start)
                if turn is None or not all(cleared.early.can(condition) for condition, _ in turn):
                    return None
                cleared.turns += [turn] if turn else []
        return passed

    def _within(self, block: Block, following: Block) -> list[Block]:
        """The blocks that lead from one to the other, which it dominates."""
        found: list[Block] = []
        work = [each for each in following.predecessors if not self.dominators.dominates(following, each)]
        while work and len(found) <= _REGION:
            each = work.pop()
            if each is not block and each not in found and each in self.loops.cfg.index:
                found.append(each)
                work += each.predecessors
        for each in (block, *found):  # and what is run again and again there
            loop = self.loops.loop_of(each)
            while loop is not None and following not in loop.blocks:
                found += [inside for inside in loop.order if inside is not block and inside not in found]
                loop = loop.parent
        return found

    def _turn(self, block: Block, from_: Block, passed: set[Block], start: Block) -> _Turn | None:
        """What must hold for a block to lead on: one of these conditions, where it has any. None: that is not known.

        The block is passed only if all branches above it lead to it: one of them does not, or it leads on itself.
        """
        end = block.terminator
        away = [each for each in block.successors if each not in passed or each is start]
        if not isinstance(end, Branch) or len(away) == len(block.successors):
            return None
        if not away:
            return []
        condition, on_true, _ = end.operands
        turn = [(condition, on_true is not away[0])]
        while block is not from_ and (above := self.dominators.idom(block)) is not None:
            test = above.terminator
            if isinstance(test, Branch) and test.is_conditional and block.predecessors == [above]:
                turn.append((test.operands[0], test.operands[1] is not block))
            block = above
        return turn

    def _apart(self, inst: Instruction, fill: CallBase, found: _Sum, cleared: _Cleared) -> bool:
        """Whether an instruction does not touch what is added up, perhaps by what the program is asked."""
        if isinstance(inst, (Phi, DebugRecord, Branch)):
            return True
        answers = [self.alias.mod_ref(inst, self.alias.location(each), same_iteration=False) for each in found.stores]
        if not any(answer.may_read or answer.may_write for answer in answers):
            return True
        for pointer, size in self._touched(inst):
            access = self._access(inst, pointer, size, found.loop.parent)
            if access is None:
                return False
            loops, rounds = zip(*access.loops, strict=True) if access.loops else ((), ())
            still = access.form.without(*map(counter, loops))
            steps = (access.form.factor(counter(each)) for each in loops)
            if not self._has(cleared, access.base, still, access.size, *steps, *rounds):
                return False
            cleared.apart.append((fill, access))
        return bool(self._touched(inst))

    def _touched(self, inst: Instruction) -> list[tuple[Value, Polynomial]]:
        """The pointers and bytes of a load, store or block copy; none for what is unknown."""
        layout = self.module.datalayout
        if isinstance(inst, (Load, Store)) and is_simple_access(inst):
            type = inst.accessed
            return [(inst.pointer, Polynomial.number(layout.size_of(type)))]
        place = written(inst, layout) if isinstance(inst, CallBase) else None
        size = self.forms.integer(place[1], "zext") if place is not None else None
        if place is None or size is None or not isinstance(inst, CallBase):
            return []
        return [(each, size) for each in inst.args[:2] if each.type.is_pointer]

    def _access(self, inst: Instruction, pointer: Value, size: Polynomial, around: Loop | None) -> _Access | None:
        """Where something lies that moves by the same in each round of the loops it is in."""
        base, form = self.forms.from_base(pointer)
        loops: list[tuple[Loop, Polynomial]] = []
        loop = self.loops.loop_of(inst.block)
        while loop is not None and loop is not around:
            rounds = self.forms.rounds(loop)
            if form.degree(counter(loop)):
                if rounds is None or form.degree(counter(loop)) > 1:
                    return None
                loops.append((loop, rounds))
            loop = loop.parent
        if form.degree(*(counter(each) for each, _ in loops)) > 1:
            return None
        return _Access(base, form, size, tuple(loops))

    def _has(self, cleared: _Cleared, base: Value, *forms: Polynomial) -> bool:
        """Whether a pointer and what forms have can be had in front. Of the loops around all this, the counters can."""
        found: set[Value] = {base}
        for what, _ in (each for form in forms for each in form.variables):
            if isinstance(what, Loop):
                around = what.contains(cleared.sums[0][1].loop) and what is not cleared.sums[0][1].loop
                phi = self._counting(what) if around else None
                if phi is None:
                    return False
                cleared.counters[what] = phi
            elif isinstance(what, Value):
                found.add(what)
        return base.type is PTR and all(map(cleared.early.can, found))

    def _counting(self, loop: Loop) -> Phi | None:
        """What counts the rounds of a loop."""
        number = Polynomial.variable(counter(loop))
        return next((phi for phi in loop.header.phis if phi.type is I64 and self.forms.integer(phi) == number), None)


class _Version:
    """The change itself."""

    def __init__(self, function: Function, found: _Cleared) -> None:
        self.function, self.found = function, found
        first = found.sums[0][0]
        assert first.block is not None
        self.build = Builder(first.block, before=first)
        self.early = found.early.emit(self.build)
        self.conditions: list[Value] = []

    def emit(self) -> None:
        build, found = self.build, self.found
        for fill, each in found.sums:
            start, end = self._range(fill)
            first = build.add(build.cast("ptrtoint", self.early(each.base), I64), self._number(each.low))
            self.conditions.append(build.icmp("eq", first, start))
            self.conditions.append(build.icmp("eq", build.add(start, self._number(each.length)), end))
        for turn in found.turns:
            leads = [(self.early(each), holds) for each, holds in turn]
            ways = [each if holds else build.xor(each, ConstantInt(I1, 1)) for each, holds in leads]
            self.conditions.append(reduce(build.or_, ways))
        for fill, access in found.apart:
            self._ask(fill, access)
        self.conditions += found.early.checks(build)
        good = reduce(build.and_, dict.fromkeys(self.conditions))
        loop = found.sums[0][1].loop
        ahead = loop.preheader
        assert ahead is not None
        for fill, _ in found.sums:
            block = fill.block
            assert block is not None
            rest = split_at(self.function, fill, "cleared.rest")
            ahead = rest if ahead is block else ahead
            clear = self.function.append_block(Block("cleared.fill"))
            block.remove(fill)
            clear.append(fill)
            Builder(clear).br(rest)
            Builder(block).cond_br(good, rest, clear)
        copies = add_version(self.function, loop, ahead, good)
        for _, each in found.sums:
            for load in map(copies.__getitem__, each.loads):
                load.replace_all_uses_with(zero(load.type))
                assert isinstance(load, Instruction)
                load.erase()

    def _number(self, form: Polynomial) -> Value:
        def of(variable: Variable) -> Value:
            value, how = variable
            if isinstance(value, Loop):
                return self.found.counters[value]
            assert isinstance(value, Value)
            return widened(self.build, self.early(value), how)

        return form.emit(self.build, of)

    def _range(self, fill: CallBase) -> tuple[Value, Value]:
        build = self.build
        start, length = build.cast("ptrtoint", self.early(fill.args[0]), I64), self.early(fill.args[2])
        return start, build.add(start, length if length.type is I64 else build.cast("zext", length, I64))

    def _ask(self, fill: CallBase, access: _Access) -> None:
        """Whether all that an access may touch is apart from what is cleared."""
        build, nothing = self.build, ConstantInt(I64, 0)
        low = self._number(access.form.without(*(counter(loop) for loop, _ in access.loops)))
        low = high = build.add(build.cast("ptrtoint", self.early(access.base), I64), low)
        for loop, rounds in access.loops:
            step = access.form.factor(counter(loop))
            last = self._number(rounds.minus(Polynomial.number(1)))
            by = self._number(step)
            for value in (last, by):  # then the product does not wrap
                if not isinstance(value, ConstantInt):
                    moved = build.add(value, ConstantInt(I64, _HALF))
                    self.conditions.append(build.icmp("ult", moved, ConstantInt(I64, 2 * _HALF)))
            far = build.mul(last, by)
            down = build.icmp("slt", far, nothing)
            low = build.add(low, build.select(down, far, nothing))
            high = build.add(high, build.select(down, nothing, far))
        start, end = self._range(fill)
        high = build.add(high, self._number(access.size))
        self.conditions.append(build.or_(build.icmp("ule", high, start), build.icmp("ule", end, low)))
