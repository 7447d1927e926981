"""Finds chains of loops (loop_chains.py) in a function, and whether they may be fused."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from enzyme.analysis.loops import Loop, LoopForest
from enzyme.analysis.polynomials import Polynomial, counter
from enzyme.analysis.symbolic import SymConst
from enzyme.analysis.tripcount import affine_of
from enzyme.gradient.loop_chains import (
    Chain,
    ChainForms,
    Row,
    Source,
    Spot,
    Stage,
    Touch,
    Way,
    incoming_on,
    is_pure,
    is_remark,
    uses,
)
from enzyme.gradient.row_nests import Memory
from enzyme.gradient.sums import adds_in_any_order, is_simple_access
from enzyme.gradient.unneeded_stores import find_unneeded
from enzyme.ir.types import FloatType, IntType
from enzyme.ir.values import Block, Branch, Instruction, Load, Phi, Store, Value

_MOST_STAGES = 16
_MOST_BLOCKS = 8
"""From one stage to the next."""
_MOST_ROWS = 20
_MOST_PAIRS = 40
_MOST_BESIDE = 4
"""Iterations of one stage in front of the fused loop, or behind it."""
_LEFT = 2 / 3
"""Accesses to memory that are left, at most. Two loops that hand on one number, of nineteen, took 1.28 of the time."""
_LARGEST = 300
"""Instructions of all stages."""


def find_chain(forest: LoopForest, memory: Memory, seen: set[Block]) -> Chain | None:
    """The first chain without loops that are ``seen``, to which those are added that were asked."""
    if forest.irreducible_edges:
        return None
    reader = _Reader(forest, memory)
    for first in reader.rounds:
        if first.header not in seen:
            seen.add(first.header)
            chain = reader.longest(first, seen)
            if chain is not None:
                seen.update(each.body for each in chain.stages)
                return chain
    return None


class _Reader:
    def __init__(self, forest: LoopForest, memory: Memory) -> None:
        self.forest, self.memory = forest, memory
        self.forms = ChainForms(forest.domtree, forest, memory.module.datalayout)
        candidates = [loop for loop in forest.loops if self._is_plain(loop)]
        self.forms.stages = set(candidates)
        self.rounds: dict[Loop, Polynomial] = {}
        self.heads: dict[Block, Loop] = {}
        """Loops by the block in front of them."""
        for loop in sorted(candidates, key=lambda each: forest.cfg.index[each.header]):
            rounds = self.forms.rounds(loop)
            if rounds is not None and not any(isinstance(what, Loop) for what, _ in rounds.variables):
                assert loop.preheader is not None
                self.rounds[loop], self.heads[loop.preheader] = rounds, loop

    def _is_plain(self, loop: Loop) -> bool:
        """Whether a loop is one block that computes numbers from what it loads."""
        body = loop.header
        if loop.blocks != {body} or loop.preheader is None or not loop.is_simple or len(loop.exits) != 1:
            return False
        return all(self._may_be_in(inst, loop) for inst in body.instructions)

    def _may_be_in(self, inst: Instruction, loop: Loop) -> bool:
        if isinstance(inst, Phi) and isinstance(inst.type, FloatType):
            return adds_in_any_order(inst, loop, loop.header) and isinstance(inst.value_from(loop.header), Instruction)
        if isinstance(inst, Phi):
            affine = affine_of(loop, inst) if isinstance(inst.type, IntType) else None
            return affine is not None and isinstance(affine.step, SymConst)
        if isinstance(inst, (Load, Store)):
            return is_simple_access(inst) and isinstance(inst.accessed, (FloatType, IntType))
        return inst.is_terminator or is_remark(inst) or is_pure(inst, self.memory)

    # the way

    def longest(self, first: Loop, taken: set[Block]) -> Chain | None:
        """The longest chain that begins with a loop and has none of those that are ``taken``."""
        loops, ways = [first], list[Way]()
        while len(loops) < _MOST_STAGES:
            found = self._next(loops[-1])
            if found is None or found[1] in loops or found[1].header in taken:
                break
            ways.append(found[0])
            loops.append(found[1])
        while len(loops) > 1:
            stages = [Stage(loop, self.rounds[loop], number) for number, loop in enumerate(loops)]
            rows = self._rows(stages)
            chains = [self._read(stages, ways, rows, each) for each in (True, False)] if rows else []
            fit = [each for each in chains if each is not None]
            if fit:
                return min(fit, key=_cost)
            loops.pop()
            ways.pop()
        return None

    def _next(self, loop: Loop) -> tuple[Way, Loop] | None:
        """The loop behind one, and the way there: where it divides, the one with more loops."""
        ((_, block),) = loop.exits
        way = Way()
        while len(way.blocks) < _MOST_BLOCKS and block not in way.blocks:
            if self.forest.loop_of(block) is not loop.parent:
                return None
            way.blocks.append(block)
            if block in self.heads:
                return way, self.heads[block]
            end = block.terminator
            if not isinstance(end, Branch):
                return None
            if end.is_conditional:
                condition, *both = end.operands
                assert all(isinstance(each, Block) for each in both)
                reached = [self._first_behind(each, loop) for each in both if isinstance(each, Block)]
                if reached[0] == reached[1]:
                    return None
                taken = reached[0] < reached[1]
                way.guards.append((condition, taken))
                found = both[0 if taken else 1]
                assert isinstance(found, Block)
                block = found
            else:
                block = block.successors[0]
        return None

    def _first_behind(self, block: Block, loop: Loop) -> int:
        """The first of the loops beside one that are reached from a block: its place in the function."""
        places = self.forest.cfg.index
        best = len(places)
        work, seen = [block], set[Block]()
        while work and len(seen) < 2 * _MOST_BLOCKS:
            at = work.pop()
            if at in seen or places[at] < places[block]:
                continue
            seen.add(at)
            if self.forest.loop_of(at) is not loop.parent:
                if loop.parent is None or loop.parent.contains(at):
                    best = min(best, places[at])
            elif at in self.heads:
                best = min(best, places[at])
            else:
                work += at.successors
        return best

    # the chain

    def _read(self, stages: list[Stage], ways: list[Way], rows: list[Row], forward: bool) -> Chain | None:
        more = [each.rounds.minus(stages[0].rounds).constant for each in stages]
        counts = [each for each in more if each is not None]
        shifts = _shifts(stages, forward)
        if shifts is None or len(counts) < len(more):
            return None
        chain = Chain(list(stages), list(ways), rows, forward, shifts, counts, {}, set(), self.forms)
        if not _find_sources(chain) or any(max(chain.beside(each)) > _MOST_BESIDE for each in stages):
            return None
        if not self._is_linked(chain) or not _Placement(chain, self.memory).run():
            return None
        chain.dead |= find_unneeded(chain, self.memory)
        return chain if chain.accesses <= _LEFT * sum(len(each.touches) for each in stages) else None

    def _rows(self, stages: list[Stage]) -> list[Row] | None:
        """The rows that stages touch; None where an access is not of a row, or where there are too many."""
        if sum(len(each.body.instructions) for each in stages) > _LARGEST:
            return None
        layout = self.memory.module.datalayout
        rows: dict[tuple[Value, Polynomial], Row] = {}
        for stage in stages:
            variable = counter(stage.loop)
            found: list[tuple[Load | Store, Value, Polynomial]] = []
            for inst in stage.body.instructions:
                if isinstance(inst, (Load, Store)):
                    base, form = self.forms.from_base(inst.pointer)
                    found.append((inst, base, form))
            steps = {form.stride(variable) for _, _, form in found}
            sizes = {layout.size_of(inst.accessed) for inst, _, _ in found}
            (step, *others) = steps or {None}
            if others or step is None or any(abs(step) != size for size in sizes):
                return None
            stage.reflected = step < 0
            if stage.reflected:
                last = stage.rounds.minus(Polynomial.number(1)).minus(Polynomial.variable(variable))
                found = [(inst, base, form.replaced(variable, last)) for inst, base, form in found]
            for inst, base, form in found:
                rest = form.without(variable)
                place = Polynomial.of(dict(rest.varying))
                if any(isinstance(what, Loop) for what, _ in place.variables):
                    return None
                key = base, place
                row = rows.get(key)
                if row is None:
                    row = rows[key] = Row(base, place, rest.offset, inst.accessed, abs(step))
                at, odd = divmod(rest.offset - row.origin, row.size)
                if odd or row.type is not inst.accessed:
                    return None
                touch = Touch(stage, inst, row, at)
                row.touches.append(touch)
                stage.touches.append(touch)
        return list(rows.values()) if len(rows) <= _MOST_ROWS else None

    def _is_linked(self, chain: Chain) -> bool:
        """Whether each stage but the first one takes a number from an earlier one in a register."""
        for stage in chain.stages[1:]:
            sources = [chain.sources[each.inst] for each in stage.touches if isinstance(each.inst, Load)]
            if not any(each.write is not None and each.write.stage is not stage for each in sources):
                return False
        return True


def _cost(chain: Chain) -> tuple[int, int]:
    """Accesses to memory and numbers from the iteration before, and iterations beside the fused loop."""
    delayed = sum(each.delayed for each in set(chain.sources.values()))
    return chain.accesses + delayed, sum(sum(chain.beside(each)) for each in chain.stages)


def _shifts(stages: list[Stage], forward: bool) -> list[int] | None:
    """The least shifts with which all is read and written in its order; None where a stage has nothing to do with
    earlier ones, or depends on itself."""
    sign = 1 if forward else -1
    shifts: list[int] = []
    places: dict[Row, list[tuple[Touch, int]]] = {}  # by time, of earlier stages
    for stage in stages:
        bounds: list[int] = []
        for touch in stage.touches:
            mine = [other for other in stage.touches if other.row is touch.row]
            if any(isinstance(other.inst, Store) and other.at != touch.at for other in mine):
                return None
            is_write, at = isinstance(touch.inst, Store), sign * touch.at
            earlier = places.get(touch.row, [])
            written = [place for other, place in earlier if isinstance(other.inst, Store)]
            if is_write:
                bounds += [at - place for place in written]
                if not written:  # what was there before is handed on for one unit of time
                    bounds += [at - place - 1 for _, place in earlier]
            elif written and not any(isinstance(o.inst, Store) and _is_ahead(o, touch) for o in mine):
                bounds.append(at - written[-1])
        if shifts and not bounds:
            return None
        shifts.append(max(bounds, default=0))
        for touch in stage.touches:
            places.setdefault(touch.row, []).append((touch, sign * touch.at - shifts[-1]))
    return shifts


def _is_ahead(a: Touch, b: Touch) -> bool:
    body = a.stage.body
    return body.position(a.inst) < body.position(b.inst)


def _find_sources(chain: Chain) -> bool:
    """Where each load finds its number, and which stores are overwritten at once; False where one is too far away."""
    for row in chain.rows:
        writes = row.writes
        furthest = max((chain.time(each) for each in writes), default=None)
        last: Touch | None = None
        for touch in row.touches:
            if isinstance(touch.inst, Store):
                last = touch
                continue
            place = chain.time(touch)
            if last is None and (furthest is None or place >= furthest):
                chain.sources[touch.inst] = Source(row, None, place, False)
                continue
            at = chain.time(last) if last is not None else furthest
            assert at is not None
            if not 0 <= at - place <= 1:
                return False
            chain.sources[touch.inst] = Source(row, last, at, at > place)
        for one, other in pairwise(writes):
            if chain.time(one) == chain.time(other):
                assert isinstance(one.inst, Store)
                chain.dead.add(one.inst)
    return True


class _Placement:
    """What stands between the stages: in front of the fused loop, or behind it."""

    def __init__(self, chain: Chain, memory: Memory) -> None:
        self.chain, self.memory, self.forms = chain, memory, chain.forms
        self.region = chain.region
        self.sums = {made for stage in chain.stages for made in stage.sums.values()}
        chain.late, chain.apart = set(), []

    def run(self) -> bool:
        chain = self.chain
        self._compare_rows()
        kept: list[tuple[Instruction, Spot]] = []  # late accesses to memory
        for number, way in enumerate(chain.ways):
            for block in way.blocks:
                for inst in block.instructions:
                    if is_remark(inst) or isinstance(inst, (Branch, Phi)):
                        continue
                    if isinstance(inst, (Load, Store)):
                        if not self._place(number, inst, kept):
                            return False
                    elif not is_pure(inst, self.memory):
                        return False
                    elif self._is_late(inst):
                        chain.late.add(inst)
        return self._is_ready() and len(chain.apart) <= _MOST_PAIRS

    def _is_late(self, inst: Instruction) -> bool:
        return any(self._comes_late(each) for each in inst.operands)

    def _comes_late(self, value: Value) -> bool:
        if isinstance(value, Phi) and value.block in self.region and value.block not in self._bodies():
            return self._comes_late(self.incoming(value))
        return value in self.chain.late or value in self.sums

    def _bodies(self) -> set[Block]:
        return {each.body for each in self.chain.stages}

    def incoming(self, phi: Phi) -> Value:
        """What a phi between the stages is on this way."""
        return incoming_on(self.chain, phi)

    def _place(self, number: int, inst: Load | Store, kept: list[tuple[Instruction, Spot]]) -> bool:
        if not is_simple_access(inst):
            return False
        base, form = self.forms.from_base(inst.pointer)
        spot = Spot(base, form, self.memory.module.datalayout.size_of(inst.accessed))
        if any(isinstance(what, Loop) for what, _ in form.variables):
            return False
        for late in (False, True):
            if not late and (self._is_late(inst) or any(self._meet(inst, spot, *other) for other in kept)):
                continue
            apart = self._against(number, inst, spot, late)
            if apart is not None:
                self.chain.apart += [each for each in apart if each not in self.chain.apart]
                if late:
                    self.chain.late.add(inst)
                    kept.append((inst, spot))
                return True
        return False

    def _meet(self, a: Load | Store, spot: Spot, b: Instruction, other: Spot) -> bool:
        """Whether two accesses between stages may be of the same memory, and one writes."""
        if not isinstance(a, Store) and not isinstance(b, Store):
            return False
        pointers = self.memory.pointers
        if pointers.apart_at_any_offset(pointers.location(a), pointers.location(b)):
            return False
        between = other.form.minus(spot.form).constant if spot.base is other.base else None
        return between is None or not (between >= spot.size or -between >= other.size)

    def _against(self, number: int, inst: Load | Store, spot: Spot, late: bool) -> list[tuple[Row | Spot, Row]] | None:
        """What must be apart for an access behind stage ``number`` to be run in front of the fused loop, or behind it
        (``late``); None if it cannot be."""
        chain = self.chain
        asked: list[tuple[Row | Spot, Row]] = []
        for row in chain.rows:
            touches = [each for each in row.touches if (each.stage.number > number) == late]
            touches = [each for each in touches if isinstance(inst, Store) or isinstance(each.inst, Store)]
            if not touches or self._are_apart(inst, touches):
                continue
            if spot.base is not row.base:
                asked.append((spot, row))
                continue
            if not all(self._passes(spot, each, late) for each in touches):
                return None
        return asked

    def _bytes(self, row: Row, element: int, from_end: bool) -> Polynomial:
        """Where an element begins, behind the form of a row; counted from the number of iterations (``from_end``)."""
        plain = Polynomial.number(row.origin + row.size * element)
        return plain.plus(self.chain.stages[0].rounds, row.size) if from_end else plain

    def _passes(self, spot: Spot, touch: Touch, late: bool) -> bool:
        """Whether an access is not of what a stage touches in the fused loop, nor behind it (in front of it, where it
        is ``late``)."""
        chain, row = self.chain, touch.row
        place = chain.behind(touch.stage) + touch.at
        delayed = isinstance(touch.inst, Load) and chain.sources[touch.inst].delayed
        between = spot.form.minus(row.form)
        above = chain.forward != late  # the elements that must not be met are those from one on
        if above:
            first = chain.low + place - (1 if late and delayed else 0)
            room = self._bytes(row, first, False).minus(between).minus(Polynomial.number(spot.size))
        else:
            end = chain.high + place + (1 if late and delayed else 0)
            room = between.minus(self._bytes(row, end, True))
        known = room.constant
        return known is not None and known >= 0

    def _are_apart(self, inst: Load | Store, touches: Iterable[Touch]) -> bool:
        return all(self._never_meet(inst, each.inst) for each in touches)

    def _never_meet(self, a: Load | Store, b: Load | Store) -> bool:
        pointers, parent = self.memory.pointers, self.chain.stages[0].loop.parent
        if pointers.apart_at_any_offset(pointers.location(a), pointers.location(b)):
            return True
        return parent is not None and pointers.apart_in(parent, a, b)

    def _compare_rows(self) -> None:
        rows = self.chain.rows
        for number, one in enumerate(rows):
            for other in rows[:number]:
                pairs = [
                    (a.inst, b.inst)
                    for a in one.touches
                    for b in other.touches
                    if isinstance(a.inst, Store) or isinstance(b.inst, Store)
                ]
                if pairs and not all(self._never_meet(a, b) for a, b in pairs):
                    self.chain.apart.append((one, other))

    def _is_ready(self) -> bool:
        """Whether all that is needed in front of the chain, in it and behind it can be had there."""
        chain, region = self.chain, self.region
        early: list[Value] = [condition for way in chain.ways for condition, _ in way.guards]
        rounds = [each.rounds for each in chain.stages]
        forms = [*rounds, *(each.form for each in chain.rows)]
        early += [each.base for each in chain.rows]
        for a, b in chain.apart:
            early += [a.base, b.base]
            forms += [a.form, b.form]
        early += [what for form in forms for what, _ in form.variables if isinstance(what, Value)]
        if not all(self._is_early(each) for each in early):
            return False
        for stage in chain.stages:
            for inst in stage.body.instructions:
                if any(self._comes_late(each) for each in inst.operands if self._is_outside(each, stage)):
                    return False
                used = any(user.block is not stage.body for user in inst.users)
                if used and inst not in self.sums and not self._is_known(inst, stage):
                    return False
        return self._leaves_well(region)

    def _is_outside(self, value: Value, stage: Stage) -> bool:
        return isinstance(value, Instruction) and value.block is not stage.body

    def _is_early(self, value: Value, depth: int = 16) -> bool:
        """Whether a value is there in front of the chain, or can be computed there."""
        if not isinstance(value, Instruction) or value.block not in self.region:
            return True
        stage = next((each for each in self.chain.stages if each.body is value.block), None)
        if depth == 0:
            return False
        if stage is not None:
            return self._is_known(value, stage, depth)
        if isinstance(value, Phi):
            return self._is_early(self.incoming(value), depth - 1)
        pure = is_pure(value, self.memory)
        return pure and all(self._is_early(each, depth - 1) for each in value.operands)

    def _is_known(self, inst: Instruction, stage: Stage, depth: int = 16) -> bool:
        """Whether it is known what a value of a stage is in the last iteration."""
        form = self.forms.integer(inst)
        if form is None or form.degree(counter(stage.loop)) > 1:
            return False
        others = [what for what, _ in form.variables if what is not stage.loop]
        return all(isinstance(each, Value) and self._is_early(each, depth - 1) for each in others)

    def _leaves_well(self, region: set[Block]) -> bool:
        """Whether what the chain computes is used behind it only where the chain has been run."""
        chain, tree = self.chain, self.chain.forms.dominators
        ((_, end),) = chain.stages[-1].loop.exits
        start = chain.stages[0].loop.preheader
        reached, work = set[Block](), [end]
        while work:
            block = work.pop()
            if block not in reached and block is not start:
                reached.add(block)
                work += block.successors
        for inst in (inst for block in region for inst in block.instructions):
            for place in (place for user in inst.users for place in uses(inst, user)):
                if place not in region and place in reached and not tree.dominates(end, place):
                    return False
        return True
