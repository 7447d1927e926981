"""Zeros that need not be stored, where a loop has put each number in a place of its own.

``out[place[i]] = x[i]`` is reversed by ``t = dout[place[i]]; dout[place[i]] = 0; dx[i] += t``: the zero is there for an
earlier iteration that stored in the same place. Where dout belongs to the function alone and nobody reads it behind
the loop, and all places are different, nobody ever reads those zeros. That costs little, but for one kind of order,
that of a Fourier transform's bit reversal and of other permutations of powers of two: the places of many iterations,
one after the other, are a power of two apart, and so share one set of the first cache. What the loads of the
iterations have brought there is gone when a store comes to it, and stores wait for each other, as loads do not: with
the zeros such a loop takes six times as long.

Whether the places are different is asked of the running program, in front of the loop, by a loop that makes the
addresses only and sets one bit for each. That takes as long as a loop over places in any other order could gain, so
the first iterations are looked at before it goes on: whether their addresses are equal in the bits that choose the set.
Blocks that are not much larger than the first cache are not asked about at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from math import gcd

from enzyme.analysis.alias import AliasAnalysis, MemoryLocation, ModuleSummaries
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop, LoopForest, analyse_loops
from enzyme.analysis.polynomials import Polynomial
from enzyme.gradient.kept_loads import has_reversed_loops
from enzyme.gradient.loop_versions import add_version, leaves_by_phis
from enzyme.gradient.read_once import read_once
from enzyme.gradient.shadows import heap_function
from enzyme.gradient.sums import is_simple_access
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.printer import print_module
from enzyme.ir.types import I1, I64, PTR, VOID, FunctionType
from enzyme.ir.values import (
    Alloca,
    BinaryOp,
    Block,
    Branch,
    CallBase,
    Cast,
    Compare,
    ConstantInt,
    ConstantToken,
    DebugRecord,
    Freeze,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Switch,
    UnaryOp,
    Value,
    is_zero,
)
from enzyme.rules.known import known_callee

_CLEARED = re.compile(
    r"^  store (?:float|double|<[^>]*>) (?:0x0+|0\.0\S*|zeroinitializer), ptr (%[^\s,]+)", re.MULTILINE
)
_MADE = re.compile(r"^  (%[^\s,]+) = (\w+) (.*)$", re.MULTILINE)
_NAME = re.compile(r"%[^\s,()]+")
_SLOT = re.compile(r"i\d+, ptr (%[^\s,]+)")
_CARRIES = frozenset("getelementptr sext zext trunc add sub shl mul freeze".split())
_UNKNOWN = frozenset("and or xor lshr ashr urem srem udiv sdiv load".split())
_LEAVES = ("ret", "resume")
_DEPTH = 8
_MOST = 8
"""Loops of one function that get a second version."""
_WIDE = 64
"""Bytes that the places of one iteration may lie within."""
_LONG = 40
"""Instructions that the places of one iteration may take."""
_LARGE = 1 << 16
"""Bytes of a block from which on it is asked about: sets of a first cache of 32 or 48 KiB hold less."""
_LOOKED_AT = 16
"""Iterations whose places are looked at first: more than a set of a first cache has lines."""
_SET = 0xFC0
"""The bits of an address that choose the set: caches that are looked up before addresses are translated can have no
others but those within a page, without those within a line."""


def may_scatter(text: str) -> bool:
    """Whether a program with reversed loops, as they have been made, clears numbers whose places it had to look up."""
    return any(_scatters(body) for body in text.split("\ndefine ")[1:] if has_reversed_loops(body))


def _scatters(body: str) -> bool:
    cleared = dict.fromkeys(match[1] for match in _CLEARED.finditer(body))
    if not cleared:
        return False
    made = {match[1]: (match[2], match[3]) for match in _MADE.finditer(body)}

    def is_unknown(name: str, depth: int = _DEPTH) -> bool:
        opcode, operands = made.get(name, ("", ""))
        if opcode == "load" and (slot := _SLOT.match(operands)) is not None:
            return made.get(slot[1], ("", ""))[0] != "alloca"  # the number of an iteration lies in one
        if opcode in _UNKNOWN:
            return operands.startswith("i")
        if opcode not in _CARRIES or depth == 0:
            return False
        return any(is_unknown(each, depth - 1) for each in _NAME.findall(operands))

    return any(map(is_unknown, cleared))


def with_scattered_once(text: str) -> str | None:
    """The program with such versions of its loops; None where there are none. The text must have been optimised, with
    its loops simplified and in LCSSA form."""
    program = read_once(text)
    module, changed = program.module, False
    for name, type in (("calloc", FunctionType(PTR, (I64, I64))), ("free", FunctionType(VOID, (PTR,)))):
        there = module.get_function(name)
        if there is not None and (not there.is_declaration or there.function_type is not type):
            return None
    summaries = ModuleSummaries(module, known_callee)
    for function, body in program.bodies:
        if not has_reversed_loops(body) or _CLEARED.search(body) is None:
            continue
        done: set[Instruction] = set()
        for _ in range(_MOST):
            found = next(_Finder(function, module, summaries, done).find(), None)
            if found is None:
                break
            done.update(found.stores)
            _Version(function, module, found).emit()
            function.body_text = None
            changed = True
    return print_module(module) if changed else None


@dataclass
class _Places:
    """What one loop reads and clears of an array: the bytes from ``low`` to ``high`` behind what varies."""

    home: Instruction
    varying: Polynomial
    block: Block
    low: int
    high: int
    lowest: Value
    """The pointer to the first of these bytes."""
    accesses: list[Load | Store] = field(default_factory=list)

    @property
    def stride(self) -> int:
        """What all distances between the places of two iterations are multiples of."""
        return reduce(gcd, (abs(factor) for _, factor in self.varying.terms))

    @property
    def span(self) -> int:
        return self.high - self.low

    @property
    def stores(self) -> list[Store]:
        return [each for each in self.accesses if isinstance(each, Store)]


@dataclass
class _Scatter:
    """Arrays that a loop reads and clears at the same places, and what makes those: ``slice``."""

    loop: Loop
    arrays: list[_Places]
    slice: set[Instruction]

    @property
    def stores(self) -> list[Store]:
        return [store for each in self.arrays for store in each.stores]

    @property
    def unit(self) -> int:
        """Bytes of a place: what two iterations do is apart where their places are different multiples of that."""
        widest, stride = max(each.span for each in self.arrays), self.arrays[0].stride
        return stride if stride >= widest else 1 << (widest - 1).bit_length()

    @property
    def is_even(self) -> bool:
        """Whether any two places are a multiple of their bytes apart."""
        return self.arrays[0].stride % self.unit == 0


class _Finder:
    def __init__(self, function: Function, module: Module, summaries: ModuleSummaries, done: set[Instruction]) -> None:
        self.module, self.done = module, done
        self.loops: LoopForest = analyse_loops(function)
        self.forms = FunctionForms(self.loops.domtree, self.loops, module.datalayout)
        self.alias = AliasAnalysis(function, module, known_callee, summaries)

    def find(self) -> Iterator[_Scatter]:
        for loop in self.loops.loops:
            if loop.is_simple and not loop.children and leaves_by_phis(loop):
                found = self._scatter(loop)
                if found is not None:
                    yield found

    def _scatter(self, loop: Loop) -> _Scatter | None:
        arrays = [each for each in self._arrays(loop) if self._is_last(loop, each) and self._is_alone(loop, each)]
        slices: dict[Polynomial, tuple[_Places, set[Instruction]]] = {}
        for each in arrays:
            if each.varying not in slices:
                slice = self._slice(loop, each.lowest)
                if slice is not None:
                    slices[each.varying] = each, slice
        for varying, (first, slice) in slices.items():
            return _Scatter(loop, [e for e in arrays if e.varying == varying and e.block is first.block], slice)
        return None

    # what is cleared

    def _arrays(self, loop: Loop) -> list[_Places]:
        """Arrays of the function's own that numbers are cleared in, at places that are looked up."""
        found: dict[Value, _Places | None] = {}
        for block in loop.order:
            for inst in block.instructions:
                if isinstance(inst, (Load, Store)):
                    self._add(inst, loop, found)
        return [
            each
            for each in found.values()
            if each is not None and each.stores and each.span <= _WIDE and self._in_order(each)
        ]

    def _add(self, inst: Load | Store, loop: Loop, found: dict[Value, _Places | None]) -> None:
        home, form = self.forms.from_base(inst.pointer)
        if home in found and found[home] is None:
            return
        places = found.get(home)
        found[home] = None
        block = inst.block
        if not is_simple_access(inst) or not isinstance(home, Instruction) or block is None:
            return
        if isinstance(inst, Store) and (not is_zero(inst.value) or inst in self.done):
            return
        varying = form.minus(Polynomial.number(form.offset))
        low = form.offset
        high = low + self._size(inst)
        if places is None:
            if not self._is_own(home, loop) or not self._is_unknown(varying, loop):
                return
            places = _Places(home, varying, block, low, high, inst.pointer)
        if places.varying != varying or places.block is not block:
            return
        if low < places.low:
            places.low, places.lowest = low, inst.pointer
        places.high = max(places.high, high)
        places.accesses.append(inst)
        found[home] = places

    def _size(self, inst: Load | Store) -> int:
        return self.module.datalayout.size_of(inst.accessed)

    def _is_own(self, home: Instruction, loop: Loop) -> bool:
        """Whether it is a local or a block of a known size, made in front of the loop."""
        objects = self.alias.underlying_objects(home)
        if loop.contains(home) or not all(each.value is home for each in objects):
            return False
        return isinstance(home, Alloca) or bool(_sizes(home))

    def _is_unknown(self, form: Polynomial, loop: Loop, depth: int = _DEPTH) -> bool:
        """Whether it takes more than the number of an iteration to say where a place is."""
        for what, _ in form.variables:
            if isinstance(what, Value) and not loop.is_invariant(what):
                moved = self._moved(what)
                inner = self.forms.integer(moved) if moved is not None and depth > 0 else None
                if inner is None or self._is_unknown(inner, loop, depth - 1):
                    return True
        return False

    def _moved(self, value: Value) -> Value | None:
        """What a value is the same bits of, shifted or of another length."""
        if isinstance(value, Cast) and value.opcode in ("sext", "zext", "trunc"):
            return value.operands[0]
        if not isinstance(value, BinaryOp) or value.opcode not in ("shl", "ashr"):
            return None
        return value.operands[0] if isinstance(value.operands[1], ConstantInt) else None

    def _in_order(self, places: _Places) -> bool:
        """Whether what is cleared has been read before in the same iteration, and nothing is cleared twice."""
        spans = [(start, start + self._size(each), each) for each in places.accesses for start in [self._offset(each)]]
        for index, (start, end, each) in enumerate(spans):
            if isinstance(each, Store) and any(first < end and start < last for first, last, _ in spans[index + 1 :]):
                return False
        return True

    def _offset(self, inst: Load | Store) -> int:
        return self.forms.from_base(inst.pointer)[1].offset

    def _is_alone(self, loop: Loop, places: _Places) -> bool:
        """Whether nothing else in the loop touches the array."""
        whole = _whole(places)
        for block in loop.order:
            for inst in block.instructions:
                if inst in places.accesses or isinstance(inst, (Phi, DebugRecord, Branch)):
                    continue
                answer = self.alias.mod_ref(inst, whole, same_iteration=False)
                if answer.may_read or answer.may_write:
                    return False
        return True

    def _is_last(self, loop: Loop, places: _Places) -> bool:
        """Whether nothing reads the array behind the loop."""
        whole, home = _whole(places), places.home
        work = list(loop.exit_blocks)
        seen = set(work)
        while work:
            block = work.pop()
            following = block.successors
            for inst in block.instructions:
                if isinstance(inst, (Phi, DebugRecord, Branch)):
                    continue
                if _ends(inst, home):
                    following = []
                    break
                if inst is home or (inst.opcode in _LEAVES and self._may_be_kept(home)):
                    return False
                if self.alias.mod_ref(inst, whole, same_iteration=False).may_read:
                    return False
            for each in following:
                if each not in seen:
                    seen.add(each)
                    work.append(each)
        return True

    def _may_be_kept(self, home: Instruction) -> bool:
        """Whether somebody may have an array that has not been given back by its own name when the function ends."""
        captures = [self.alias.captures(each) for each in self.alias.underlying_objects(home)]
        return not isinstance(home, Alloca) and any(each.captured or each.returned for each in captures)

    # the places

    def _slice(self, loop: Loop, pointer: Value) -> set[Instruction] | None:
        """What makes a pointer in each iteration, and decides how often there is one; None where that cannot be run in
        front of the loop."""
        found: set[Instruction] = set()
        work = [pointer]
        for block in loop.order:
            end = block.terminator
            if not isinstance(end, (Branch, Switch)) or not all(map(self._is_quiet, block.instructions)):
                return None
            work += end.operands
        while work:
            value = work.pop()
            if not isinstance(value, Instruction) or value.block not in loop.blocks or value in found:
                continue
            if len(found) == _LONG or not self._can_run_ahead(value, loop):
                return None
            found.add(value)
            work += value.operands
        return found

    def _is_quiet(self, inst: Instruction) -> bool:
        """Whether control surely comes behind it, and nothing that it writes is out of sight."""
        if not isinstance(inst, CallBase):
            return not isinstance(inst, (Load, Store)) or is_simple_access(inst)
        effect = self.alias.effect(inst)
        return (inst.callee_name or "").startswith("llvm.") and not effect.reads and not effect.writes

    def _can_run_ahead(self, inst: Instruction, loop: Loop) -> bool:
        if isinstance(inst, Load):
            place = self.alias.location(inst)
            return not any(
                self.alias.mod_ref(each, place, same_iteration=False).may_write
                for block in loop.order
                for each in block.instructions
                if isinstance(each, Store)
            )
        plain = (Phi, BinaryOp, UnaryOp, Cast, Compare, Select, GetElementPtr, Freeze)
        return isinstance(inst, plain) or (isinstance(inst, CallBase) and self._is_quiet(inst))


def _whole(places: _Places) -> MemoryLocation:
    return MemoryLocation(places.home, None, whole=True)  # without scopes, which say something of single elements only


def _sizes(home: Instruction) -> list[Value]:
    """The numbers whose product is the size of a block."""
    if not isinstance(home, CallBase):
        return []
    known = known_callee(home.callee_name or "", home.callee_type)
    allocation = known.allocation if known is not None else None
    sizes = [home.args[each] for each in allocation.sizes] if allocation is not None and allocation.is_plain else []
    return sizes if all(each.type is I64 for each in sizes) else []


def _ends(inst: Instruction, home: Instruction) -> bool:
    """Whether an instruction gives an array back."""
    if not isinstance(inst, CallBase) or home not in inst.args:
        return False
    name = inst.callee_name or ""
    known = known_callee(name, inst.callee_type)
    freed = known is not None and known.allocation is None and known.free is not None and inst.args[known.free] is home
    return freed or name.startswith("llvm.lifetime.end")


_Noting = Callable[[Builder, Value], Builder]
"""Does something with the pointer to a place, and says where to go on."""


class _Version:
    """The change itself: in front of the loop it is asked whether there is anything to gain, and whether all places are
    different; where that is so, a version without the zeros runs."""

    def __init__(self, function: Function, module: Module, found: _Scatter) -> None:
        self.function, self.module, self.found = function, module, found
        self.first = found.arrays[0]
        self.answers: list[tuple[Value, Block]] = []
        entry = Builder(function.blocks[0], before=function.blocks[0].instructions[0])
        self.seen, self.mixed, self.start = (entry.alloca(I64, align=8) for _ in range(3))
        self.look, self.judge, self.ask, self.repeated, self.different, self.asked, self.decided = (
            function.append_block(Block(f"scattered.{name}"))
            for name in ("look", "judge", "ask", "repeated", "different", "asked", "decided")
        )

    def emit(self) -> None:
        loop, function = self.found.loop, self.function
        ahead = loop.preheader
        assert ahead is not None and ahead.terminator is not None
        end = ahead.terminator
        build = Builder(ahead, before=end)
        size = self._size(build)
        build.cond_br(build.icmp("uge", size, _number(_LARGE)), self.look, self.decided)
        end.erase()
        self._look()
        self._ask(size)
        decided = Builder(self.decided)
        no = ConstantInt(I1, 0)
        good = decided.phi(I1, [(no, ahead), (no, self.judge), (no, self.ask), (self.answer, self.asked)])
        decided.br(loop.header)
        for phi in loop.header.phis:
            phi.replace_operand(ahead, self.decided)
        copies = add_version(function, loop, self.decided, good)
        for store in self.found.stores:
            copy = copies[store]
            assert isinstance(copy, Instruction)
            copy.erase()

    def _size(self, build: Builder) -> Value:
        home, layout = self.first.home, self.module.datalayout
        if isinstance(home, Alloca):
            count = build.cast("zext", home.operands[0], I64)
            return build.mul(_number(layout.alloc_size(home.allocated_type)), count)
        return reduce(build.mul, _sizes(home))

    def _look(self) -> None:
        """Whether the first places share a set of the first cache."""
        build = Builder(self.look)
        for slot in (self.seen, self.mixed, self.start):
            build.store(_number(0), slot, 8)
        build.br(self._slice(self.look, self.judge, self._compare))
        build = Builder(self.judge)
        # A place that does not begin where others do by multiples of its bytes may overlap with one.
        same = _SET if self.found.is_even else _SET | (self.found.unit - 1)
        alike = build.icmp("eq", build.and_(build.load(I64, self.mixed, 8), _number(same)), _number(0))
        enough = build.icmp("eq", build.load(I64, self.seen, 8), _number(_LOOKED_AT))
        build.cond_br(build.and_(alike, enough), self.ask, self.decided)

    def _compare(self, build: Builder, pointer: Value) -> Builder:
        address = build.cast("ptrtoint", pointer, I64)
        seen, mixed = build.load(I64, self.seen, 8), build.load(I64, self.mixed, 8)
        start = build.load(I64, self.start, 8)
        start = build.select(build.icmp("eq", seen, _number(0)), address, start)
        mixed = build.or_(mixed, build.xor(address, start))
        seen = build.add(seen, _number(1))
        for value, slot in ((seen, self.seen), (mixed, self.mixed), (start, self.start)):
            build.store(value, slot, 8)
        return self._go_on(build, build.icmp("ne", seen, _number(_LOOKED_AT)), self.judge)

    def _ask(self, size: Value) -> None:
        """Whether all places are different."""
        build = Builder(self.ask)
        # One place more than there can be: the first may begin within one.
        self.count = build.add(build.udiv(size, _number(self.found.unit)), _number(1))
        words = build.add(build.lshr(self.count, _number(6)), _number(1))
        self.bits = build.call(heap_function(self.module, "calloc"), [words, _number(8)])
        self.base = build.cast("ptrtoint", self.first.home, I64)
        self.begin = build.load(I64, self.start, 8)
        header = self._slice(self.ask, self.different, self._set)
        build.cond_br(build.icmp("eq", self.bits, ConstantToken(PTR, "null")), self.decided, header)
        for block in (self.repeated, self.different):
            Builder(block).br(self.asked)
        build = Builder(self.asked)
        self.answer = build.phi(I1, [(ConstantInt(I1, 0), self.repeated), (ConstantInt(I1, 1), self.different)])
        build.call(heap_function(self.module, "free"), [self.bits])
        build.br(self.decided)

    def _set(self, build: Builder, pointer: Value) -> Builder:
        """Set the bit of a place, unless that is too far away or has been there."""
        address, unit = build.cast("ptrtoint", pointer, I64), self.found.unit
        if not self.found.is_even:
            rest = build.and_(build.xor(address, self.begin), _number(unit - 1))
            build = self._go_on(build, build.icmp("eq", rest, _number(0)), self.repeated)
        place = build.udiv(build.sub(address, self.base), _number(unit))
        build = self._go_on(build, build.icmp("ult", place, self.count), self.repeated)
        word = build.gep(I64, self.bits, [build.lshr(place, _number(6))])
        bit = build.shl(_number(1), build.and_(place, _number(63)))
        before = build.load(I64, word, 8)
        build = self._go_on(build, build.icmp("eq", build.and_(before, bit), _number(0)), self.repeated)
        build.store(build.or_(before, bit), word, 8)
        return build

    def _go_on(self, build: Builder, condition: Value, other: Block) -> Builder:
        following = self.function.append_block(Block("scattered.on"))
        build.cond_br(condition, following, other)
        return Builder(following)

    def _slice(self, ahead: Block, behind: Block, note: _Noting) -> Block:
        """The head of a loop between two blocks that makes the pointers to the places, and nothing else."""
        found, loop = self.found, self.found.loop
        first: dict[Value, Block] = {each: self.function.append_block(Block("scattered.places")) for each in loop.order}
        last: dict[Value, Block] = dict(first)
        values: dict[Value, Value] = {}
        for block in loop.order:
            for inst in block.instructions:
                if inst in found.slice:
                    made = inst.clone()
                    made.name = None
                    values[inst] = first[block].append(made)
            if block is self.first.block:
                pointer = self.first.lowest
                last[block] = note(Builder(first[block]), values.get(pointer, pointer)).block
        copies = list(values.values())
        for block in loop.order:
            assert block.terminator is not None
            end = block.terminator.clone()
            end.metadata.pop("llvm.loop", None)
            copies.append(last[block].append(end))
        places: dict[Value, Value] = {**values, **first, **dict.fromkeys(loop.exit_blocks, behind)}
        for copy in copies:
            assert isinstance(copy, Instruction)
            for index, operand in enumerate(copy.operands):
                if isinstance(copy, Phi) and isinstance(operand, Block):
                    copy.set_operand(index, last.get(operand, ahead))
                elif operand in places:
                    copy.set_operand(index, places[operand])
        return first[loop.header]


def _number(value: int) -> ConstantInt:
    return ConstantInt(I64, value)
