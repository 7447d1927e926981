"""Which stores of fused loops nothing reads (loop_chains.py, fused_loops.py).

The stages of a fused loop hand numbers on in registers. What one of them stores is still wanted where a later one does
not overwrite it. Arrays that a step needs for itself alone, as that of the slopes, are wanted nowhere: what the chain
reads of them, it has written before, in each of its runs, and nothing else reads them. The iterations in front of the
fused loop and behind it do store, as they go by memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import Polynomial
from enzyme.gradient.loop_chains import Chain, Row, Spot, Touch
from enzyme.gradient.row_nests import Memory
from enzyme.ir.values import Block, Branch, CallBase, Compare, GetElementPtr, Instruction, Load, Phi, Store, Value


def find_unneeded(chain: Chain, memory: Memory) -> set[Store]:
    """Stores that need not be made in the fused loop."""
    return _Unneeded(chain, memory).find()


class _Unneeded:
    def __init__(self, chain: Chain, memory: Memory) -> None:
        self.chain, self.memory, self.region = chain, memory, chain.region

    def find(self) -> set[Store]:
        found: set[Store] = set()
        for row in self.chain.rows:
            writes = row.writes
            left = [each for each in writes if each.inst not in self.chain.dead]
            if not left or not self._goes_by_sources(row):
                continue
            if self._is_private(row, left):
                found.update(each.inst for each in left if isinstance(each.inst, Store))
                continue
            for one, other in pairwise(writes):
                if self._is_overwritten(one, other):
                    assert isinstance(one.inst, Store)
                    found.add(one.inst)
        return found

    def _goes_by_sources(self, row: Row) -> bool:
        """Whether behind the fused loop, too, each stage reads what its source has written, which is put back in memory
        where it is of the last iteration; not what is older, as the source has fewer iterations."""
        for touch in row.touches:
            source = self.chain.sources[touch.inst] if isinstance(touch.inst, Load) else None
            if source is not None and source.write is not None:
                if self._behind(touch) - source.delayed > self._behind(source.write):
                    return False
        return True

    def _behind(self, touch: Touch) -> int:
        """How many iterations a stage has behind the fused loop."""
        return self.chain.beside(touch.stage)[1 if self.chain.forward else 0]

    def _is_overwritten(self, one: Touch, other: Touch) -> bool:
        """Whether the next stage that stores to a row stores to the same place in the next iteration, the last one
        included."""
        chain = self.chain
        if chain.time(one) - chain.time(other) != 1 or not self._behind(other):
            return False
        late = [inst for inst in chain.late if isinstance(inst, (Load, Store))]
        pointers = self.memory.pointers
        return all(pointers.apart_at_any_offset(pointers.location(each), pointers.location(one.inst)) for each in late)

    def _is_private(self, row: Row, writes: list[Touch]) -> bool:
        """Whether nothing reads what is stored in the fused loop, but the stages."""
        chain = self.chain
        if any(other is not row and other.base is row.base for other in chain.rows):
            return False
        if not self.memory.pointers.is_allocation(row.base) or not self._runs_alike(row):
            return False
        low = min(chain.low + chain.behind(each.stage) + each.at for each in writes)
        high = max(chain.high + chain.behind(each.stage) + each.at for each in writes)
        written: list[Touch] = []
        for touch in row.touches:
            if isinstance(touch.inst, Store):
                written.append(touch)
            elif not written or not self._is_covered(touch, written, low, high):
                return False
        return self._is_read_here(row, low, high)

    def _is_covered(self, read: Touch, written: list[Touch], low: int, high: int) -> bool:
        """Whether a stage reads what earlier ones have written, as far as that is not stored in the fused loop: the
        elements from ``low`` on up to ``high`` plus the number of iterations."""
        more = self.chain.more
        first = min(each.at for each in written)
        end = max(each.at + more[each.stage.number] for each in written)
        below = read.at >= first or first <= low
        return below and (read.at + more[read.stage.number] <= end or end >= high)

    def _is_read_here(self, row: Row, low: int, high: int) -> bool:
        """Whether nothing but the stages reads these elements of an array."""
        mine = {each.inst for each in row.touches}
        work: list[Value] = [row.base]
        while work:
            pointer = work.pop()
            for user in pointer.users:
                if isinstance(user, GetElementPtr) and user.base is pointer:
                    work.append(user)
                elif isinstance(user, Store):
                    if user.value is pointer:
                        return False
                elif isinstance(user, Load):
                    if user not in mine and not self._is_beside(user, row, low, high):
                        return False
                elif isinstance(user, CallBase):
                    name = user.callee_name or ""
                    if name != "free" and not name.startswith("llvm.memset."):
                        return False
                elif not isinstance(user, Compare):
                    return False
        return True

    def _is_beside(self, load: Load, row: Row, low: int, high: int) -> bool:
        """Whether a load is of another element."""
        chain = self.chain
        base, form = chain.forms.from_base(load.pointer)
        if base is not row.base:
            return False
        spot = Spot(base, form, self.memory.module.datalayout.size_of(load.type))
        between = form.minus(row.form).minus(Polynomial.number(row.origin))
        ahead = between.constant
        if ahead is not None and ahead + spot.size <= low * row.size:
            return True
        behind = between.minus(Polynomial.number(high * row.size).plus(chain.stages[0].rounds, row.size)).constant
        return behind is not None and behind >= 0

    def _runs_alike(self, row: Row) -> bool:
        """Whether the chain is the same for one array each time that it is run, and run as a whole."""
        chain = self.chain
        if not all(self._is_never(source) for block in self.region for source in block.predecessors):
            return False
        home = row.base.block if isinstance(row.base, Instruction) else None
        parent = chain.stages[0].loop.parent
        around = [loop for loop in (parent.ancestors() if parent is not None else []) if not _is_in(home, loop)]
        if not around:
            return True
        outer = around[-1]
        forms = [row.form, *(each.rounds for each in chain.stages)]
        needed: Iterable[Value | Loop | None] = (what for form in forms for what, _ in form.variables)
        guards = [condition for way in chain.ways for condition, _ in way.guards]
        return all(isinstance(each, Value) and self._is_fixed(each, outer) for each in (*needed, *guards))

    def _is_never(self, block: Block) -> bool:
        """Whether control comes to a block only from the chain, or where what must hold for the chain does not."""
        chain = self.chain
        front, guards = chain.stages[0].loop.preheader, {guard for way in chain.ways for guard in way.guards}
        parent = chain.stages[0].loop.parent
        seen, work = set[Block](), [block]
        while work:
            at = work.pop()
            if at in seen or at in self.region or at is front:
                continue
            seen.add(at)
            if not at.predecessors or parent is not None and at is parent.header:
                return False
            work += [each for each in at.predecessors if not _is_other_way(each, at, guards)]
        return True

    def _is_fixed(self, value: Value, loop: Loop, depth: int = 8) -> bool:
        """Whether a value is the same in all iterations of a loop."""
        if loop.is_invariant(value):
            return True
        assert isinstance(value, Instruction)
        if depth == 0 or isinstance(value, (Phi, Load, CallBase)):
            return False
        return all(self._is_fixed(each, loop, depth - 1) for each in value.operands)


def _is_other_way(block: Block, to: Block, guards: set[tuple[Value, bool]]) -> bool:
    """Whether control goes from one block to another only where one of ``guards`` does not hold."""
    end = block.terminator
    if not isinstance(end, Branch) or not end.is_conditional or end.operands[1] is end.operands[2]:
        return False
    return (end.operands[0], end.operands[2] is to) in guards


def _is_in(block: Block | None, loop: Loop) -> bool:
    return block in loop.blocks
