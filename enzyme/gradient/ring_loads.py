"""Neighbours on a ring are loaded by themselves, not by gathers.

A stencil on a ring asks in each iteration where its neighbour is: ``left = j == 0 ? n - 1 : j - 1``. To LLVM, such an
address is no row of numbers. It runs the first iteration by itself, and gathers, number by number, what the last one
has elsewhere, in all others: of eight iterations, four then run in vectors. Here such a load becomes two. What is read
in the one iteration in which the comparison holds is loaded in front of the loop; where it does not hold, all others
load from their row, which is a load with a mask to the vectoriser. So iterations are alike, and none runs by itself.

It is for innermost loops of functions with reversed loops, without calls and left at their end only, which load from an
address with one such choice in each iteration. Whether the comparison holds in an iteration that there is, is asked in
front of the loop; so is whether the loop stores to what it loads in that iteration, where that may be: then it runs as
it was. A loop that adds up numbers in their order, or hands on others, does not run in vectors and stays as it is; so
do loops that store to addresses with choices (strips.py), and all loops for processors without masked loads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from enzyme.analysis.loops import Loop
from enzyme.analysis.pointer_alias import PointerAnalysis
from enzyme.analysis.symbolic import Sym, constant_value, emit_sym
from enzyme.analysis.tripcount import backedge_count, constant_step
from enzyme.gradient.kept_loads import AUGMENTED, has_reversed_loops
from enzyme.gradient.loop_versions import add_version, leaves_by_phis, split_at
from enzyme.gradient.read_once import read_once
from enzyme.gradient.strip_loops import Forms, StripLoop
from enzyme.gradient.strips import Place
from enzyme.gradient.sums import adds_in_any_order, is_arithmetic
from enzyme.ir.builder import Builder
from enzyme.ir.instructions import Freeze
from enzyme.ir.layout import DataLayout
from enzyme.ir.module import Module
from enzyme.ir.printer import print_module
from enzyme.ir.types import I1, I64, FloatType
from enzyme.ir.values import (
    Block,
    CallBase,
    Compare,
    ConstantInt,
    DebugRecord,
    Function,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Value,
    zero,
)

_CHOICE = re.compile(r" = select i1 %\S+, i(?:32|64) ")
_SAID = re.compile(r'"llvm\.loop\.(?:unroll|interleave)\.')
_FEW = 18
"""Loops that are known to have no more iterations than these may be unrolled by LLVM."""
_MOST = 400
"""Instructions of a loop, at most."""
_MOST_ASKED = 16
"""Questions in front of it."""


def may_have_rings(text: str) -> bool:
    """Whether any function with a reverse sweep chooses between indices."""
    return has_reversed_loops(text) and _CHOICE.search(text) is not None


def with_ring_loads(text: str) -> str | None:
    """The program with such loads; None where there are none. The text must have been optimised and its loops be in
    simplified form."""
    program = read_once(text)
    module, changed = program.module, False
    for function, body in program.bodies:
        augmented = AUGMENTED in (function.name or "")
        if not (augmented or has_reversed_loops(body)) or _CHOICE.search(body) is None:
            continue
        pointers = PointerAnalysis(function, module)
        loops = [loop for loop in program.loops(function).loops if not loop.children]
        for found in [each for loop in loops if (each := _read(pointers, loop)) is not None]:
            _emit(module, function, found)
            function.body_text = None
            changed = True
    return print_module(module) if changed else None


@dataclass(frozen=True)
class _Ring:
    """A loop, and its loads by block and by the comparison that tells where they are from."""

    strip: StripLoop
    loads: dict[tuple[Block, Compare], list[Load]]
    near: list[tuple[Load, Compare, Store, int]]
    """Loads, the comparisons that hold where they are by themselves, stores which may be found to go there, and by how
    much these go on."""


def _read(pointers: PointerAnalysis, loop: Loop) -> _Ring | None:
    ahead, latch = loop.preheader, loop.latch
    if ahead is None or latch is None or loop.forest is None or loop.exiting_blocks != [latch]:
        return None
    insts = [inst for block in loop.order for inst in block.instructions]
    if len(insts) > _MOST or not any(isinstance(inst, Select) for inst in insts) or not all(map(_is_plain, insts)):
        return None
    if loop.forest.irreducible_edges or not all(adds_in_any_order(phi, loop, latch) for phi in loop.header.phis):
        return None
    count = backedge_count(loop, loop.forest.domtree)
    if count is None or ((known := constant_value(count)) is not None and known <= _FEW):
        return None
    found = (_read_by(pointers, loop, insts, count, *counter) for counter in _counters(loop))
    return next((ring for ring in found if ring is not None), None)


def _read_by(
    pointers: PointerAnalysis, loop: Loop, insts: list[Instruction], count: Sym, phi: Phi, step: int
) -> _Ring | None:
    """The loads whose addresses are made of one of the loop's counters."""
    latch = loop.latch
    assert latch is not None and loop.forest is not None
    forms = Forms(loop, phi, step, pointers.layout)
    strip = StripLoop(loop, loop.header, phi, step, count, [], [], [], forms.special, forms.narrow)
    stores = [inst for inst in insts if isinstance(inst, Store)]
    if any(_choices(forms, each.pointer) for each in stores):
        return None
    askable = leaves_by_phis(loop)
    loads: dict[tuple[Block, Compare], list[Load]] = {}
    near: list[tuple[Load, Compare, Store, int]] = []
    places = {each: pointers.location(each) for each in stores}
    for inst in insts:
        if not isinstance(inst, Load) or not isinstance(inst.type, FloatType) or inst.block is None:
            continue
        choices = _choices(forms, inst.pointer)
        if choices is None or len(choices) != 1:
            continue
        (choice,) = choices
        stride = forms.stride(inst.pointer)
        if stride is None or abs(stride) != pointers.layout.size_of(inst.type):
            continue
        if not loop.forest.domtree.dominates(inst.block, latch) or not _is_fixed_at(forms, inst.pointer, choice):
            continue
        here = pointers.location(inst)
        others = [each for each in stores if not pointers.apart_at_any_offset(here, places[each])]
        asked = [
            (inst, choice, each, by) for each in others if (by := _elsewhere(forms, inst, each)) is not None and askable
        ]
        if len(asked) == len(others):
            loads.setdefault((inst.block, choice), []).append(inst)
            near += asked
    return _Ring(strip, loads, near) if loads and len(near) <= _MOST_ASKED else None


def _is_plain(inst: Instruction) -> bool:
    if isinstance(inst, (Load, Store)):
        return inst.ordering in ("", "unordered") and "volatile" not in inst.flags
    return not isinstance(inst, CallBase) or isinstance(inst, DebugRecord) or is_arithmetic(inst)


def _counters(loop: Loop) -> Iterable[tuple[Phi, int]]:
    """Numbers that go on by one or minus one."""
    for phi in loop.header.phis:
        by = constant_step(loop, phi) if phi.type is I64 else None
        if by is not None and abs(by) == 1:
            yield phi, by


def _choices(forms: Forms, pointer: Value) -> set[Compare] | None:
    """The comparisons that an address depends on, each of which holds (``eq``) or fails (``ne``) in one iteration; None
    where it is made of anything but the counter and what is the same in all iterations."""
    forms.of(pointer)
    found: set[Compare] = set()
    for inst in _parts(forms, pointer):
        if isinstance(inst, Select):
            condition = inst.operands[0]
            if not isinstance(condition, Compare) or condition not in forms.special:
                return None
            found.add(condition)
        elif isinstance(inst, (Phi, Load, CallBase, Freeze)) and inst is not forms.counter:
            return None
    return found


def _elsewhere(forms: Forms, load: Load, store: Store) -> int | None:
    """By how much the address of what is stored goes on in each iteration, if it is worth asking whether that is what
    is loaded: it is where both are a known distance apart. None where it is not made of the counter."""
    pointer = store.pointer
    if forms.of(pointer).parts == forms.of(load.pointer).parts or _choices(forms, pointer) is None:
        return None
    return forms.stride(pointer) or None  # one place, written in each iteration, is not asked about


def _parts(forms: Forms, value: Value, held: Compare | None = None) -> set[Instruction]:
    """What a value is made of in one iteration, without what is compared; where ``held`` is given, in the one in which
    that comparison is not what it is in the others."""
    seen: set[Instruction] = set()
    work = [value]
    while work:
        value = work.pop()
        if isinstance(value, Instruction) and value not in seen and not forms.loop.is_invariant(value):
            seen.add(value)
            if isinstance(value, Select):
                taken = value.operands[1 if held is not None and held.predicate == "eq" else 2]
                work += value.operands[1:] if held is None else [taken]
            elif not isinstance(value, (Phi, Load)):
                work += value.operands
    return seen


def _is_fixed_at(forms: Forms, pointer: Value, choice: Compare) -> bool:
    """Whether the address in the one iteration is made in the same way, whichever it is."""
    return forms.counter not in _parts(forms, pointer, choice)


def _emit(module: Module, function: Function, ring: _Ring) -> None:
    strip = ring.strip
    loop = strip.loop
    ahead = loop.preheader
    assert ahead is not None and loop.latch is not None
    start, end = strip.counter.value_from(ahead), loop.latch.terminator
    assert end is not None and ahead.terminator is not None
    if ring.near:
        condition = _hits(Builder(ahead, before=ahead.terminator), ring, start, module.datalayout)
        rest = split_at(function, condition, "ring.asked")
        Builder(ahead).br(rest)
        add_version(function, loop, rest, condition)
        ahead = rest
    for (_, choice), loads in ring.loads.items():
        firsts = _loaded_ahead(function, strip, start, choice, loads)
        _loaded_inside(function, strip, choice, loads, firsts)
    said = [each for each in module.loop_metadata(end) if not _SAID.search(module.metadata_text(each))]
    said += ['"llvm.loop.unroll.disable"', '"llvm.loop.interleave.count", i32 1']  # see above, and rows may be short
    end.metadata["llvm.loop"] = module.add_loop_metadata(*said)


def _hits(build: Builder, ring: _Ring, start: Value, layout: DataLayout) -> Instruction:
    """Whether the loop may store to what is to be loaded in front of it."""
    strip = ring.strip
    count = emit_sym(strip.count, build)
    last = build.add(start, count) if strip.step > 0 else build.sub(start, count)
    places = [Place(strip, build, each, bare=True) for each in (start, last)]
    held: dict[Compare, Place] = {}
    known: set[tuple[Value, Value]] = set()
    result: Value = ConstantInt(I1, 0)
    for load, choice, store, stride in ring.near:
        there = held.setdefault(choice, Place(strip, build, start, bare=True, held=[choice])).value(load.pointer)
        if (there, store.pointer) in known:
            continue
        known.add((there, store.pointer))
        first, end = (build.cast("ptrtoint", place.value(store.pointer), I64) for place in places)
        moved = build.icmp("ne", build.sub(end, first), build.mul(count, ConstantInt(I64, stride)))
        low, high = (first, end) if stride > 0 else (end, first)
        number = build.cast("ptrtoint", there, I64)
        behind = build.add(number, ConstantInt(I64, layout.size_of(load.type)))
        beyond = build.add(high, ConstantInt(I64, layout.size_of(store.value.type)))
        inside = build.and_(build.icmp("ugt", behind, low), build.icmp("ult", number, beyond))
        result = build.or_(result, build.or_(moved, inside))
    return build.insert(Freeze(result))


def _loaded_ahead(
    function: Function, strip: StripLoop, start: Value, choice: Compare, loads: Iterable[Load]
) -> dict[Load, Value]:
    """What the one iteration loads, if it is among those of the loop."""
    (ahead,) = (block for _, block in strip.counter.incoming if block not in strip.loop.blocks)
    end = ahead.terminator
    assert end is not None
    build = Builder(ahead, before=end)
    special = strip.special[choice]
    zeroth = Place(strip, build, start, bare=True)
    begin, fixed = zeroth.value(special.moving), zeroth.value(special.fixed)
    at = build.sub(fixed, begin) if special.up else build.sub(begin, fixed)
    at = build.zext(at, I64) if at.type is not I64 else at
    occurs = build.icmp("ule", at, emit_sym(strip.count, build))
    assert isinstance(occurs, Instruction)
    rest = split_at(function, occurs, "ring.ahead")
    there = function.append_block(Block("ring.end"))
    Builder(ahead).cond_br(occurs, there, rest)
    build = Builder(there)
    place = Place(strip, build, start, bare=True, held=[choice])
    made = {each: build.load(each.type, place.value(each.pointer), each.align) for each in loads}
    build.br(rest)
    phis = {each: Phi(each.type, [(value, there), (zero(each.type), ahead)]) for each, value in made.items()}
    rest.prepend(list(phis.values()))
    return dict(phis)


def _loaded_inside(
    function: Function, strip: StripLoop, choice: Compare, loads: list[Load], firsts: dict[Load, Value]
) -> None:
    """The loads of a block in all other iterations, all of them where the first one is."""
    first = loads[0]
    home = first.block
    assert home is not None
    build = Builder(home, before=first)
    place = Place(strip, build, strip.counter)
    left, right = map(place.value, choice.operands)
    marker = build.icmp(choice.predicate, left, right)
    assert isinstance(marker, Instruction)
    rest = split_at(function, marker, "ring.rest")
    row = function.append_block(Block("ring.row"))
    strip.loop.blocks.update((rest, row))
    to = (rest, row) if choice.predicate == "eq" else (row, rest)
    Builder(home).cond_br(marker, *to)
    build = Builder(row)
    place = Place(strip, build, strip.counter)
    made: list[tuple[Load, Value]] = []
    for each in loads:
        inside = each.clone([place.value(each.pointer)])
        inside.name = None
        made.append((each, build.insert(inside)))
    build.br(rest)
    for each, value in made:
        phi = Phi(each.type, [(value, row), (firsts[each], home)])
        rest.prepend([phi])
        each.replace_all_uses_with(phi)
        each.erase()
