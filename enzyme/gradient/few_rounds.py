"""Versions of a derivative for one, two, three and four components, for some more, and for many.

A system of a few equations is often written for any number of them: ``for (step) { for (i < n) ... }``. The state then
goes through memory from step to step, and so do adjoints in the reverse sweep: a number is stored in one inner loop and
loaded again in the next, which takes longer than what is computed with it, and the inner loops are entered and left for
a round or two.

Where all loops inside of another run as often as a parameter says, and that says nothing of the loop around them, the
derivative is made once more for each of the least values of the parameter, with the value in its place, and a function
of the derivative's name asks which it is. LLVM does the rest: a step becomes straight code, and what goes from step to
step stays in registers. The operations are the same; where LLVM may choose the order of a sum of adjoints, or which
product becomes one operation with a sum, it may choose another. It is for loops that write the same places in each of
their rounds, a state of some numbers; where every round has places of its own, as a sum over points, or the state is a
table, little is gained. How large the versions may become limits them.

With some more components loops remain, and LLVM makes vectors of their rounds. Where a loop reads what another has just
written, but not in the fours and eights in which it was written, as neighbours are or rows that begin one later each
time, the processor cannot hand it on from the stores that are under way, and waits until they are in the cache. For
some components that is most of what a step takes; for many, the stores are long done. Such derivatives have a version
without vectors for a few more values of the parameter.

Where derivatives are compiled for halves of registers because their loops may be short (half_vectors.py), and such a
parameter says how often they run, there is a version for large values of it, which works in whole registers.
"""

from __future__ import annotations

import re

from enzyme.analysis.loops import Loop, analyse_loops
from enzyme.analysis.polynomials import OUTER, NestForms
from enzyme.analysis.symbolic import is_extremum, sym_values
from enzyme.analysis.tripcount import backedge_count, known_rounds
from enzyme.gradient.half_vectors import HALF, SHORT, whole
from enzyme.gradient.moved_bodies import call_version, copy_function, hands_on, move_body
from enzyme.ir.builder import Builder
from enzyme.ir.layout import DataLayout
from enzyme.ir.module import Module, in_order
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.ir.types import IntType
from enzyme.ir.values import (
    Argument,
    BinaryOp,
    Block,
    CallBase,
    Cast,
    ConstantInt,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Store,
    Switch,
    Value,
)

MOST = 4
"""Components of the largest version."""
LARGEST = 1600
"""Instructions of the forward sweep's nests in the largest version, without any loop inside."""
MANY = 80
"""From how many components on whole registers are used. On Zen 5, halves took 0.82 to 0.99 of the time up to 64
components, and 0.98 to 1.16 with 96 and 128 (rk4 and ode of the harness)."""
MANY_ON_INTEL = 40
"""The same for CPUs on which LLVM itself prefers halves. On a Xeon (Granite Rapids), whole registers took 0.95 and 1.02
of the time with 24 components, 0.93 and 0.98 with 40, 0.91 and 0.90 with 64, 0.87 with 72."""
SHIFTED, TRIANGLE = 20, 7
"""Up to how many components no vectors are made where neighbours are read, and where each row begins one later. On a
Xeon with AMX that took 0.63 to 0.93 of the time up to 20 (rk4), and 0.83 to 0.91 up to 7 (nbody); with 24 and 8 of
them 1.08 and 1.02, and up to 1.5 times as long with 32. On Zen 4, 0.67 to 0.86 up to 20 and 1.07 with 24; but 1.10 to
1.23 where rows begin later, so that there this is for Intel's alone."""
FUSED = SHIFTED + 1
"""From how many components on whole registers are used where the loops of a step are one (fused_loops.py). On Zen 4,
that took 0.76 of the time with 1000 components, 0.78 with 100 and 0.82 with 50 (ode)."""
LONGEST = 3500
"""Instructions of a function that is made twice for it: compiling what is longer takes a second and more."""
_DIVISION = 8
"""Instructions that take as long as a division or a root."""
_SLOW = re.compile(r"llvm\.sqrt\.|^(?!llvm\.)")
_DERIVED = re.compile(r"%iteration\b")
_OF_VERSIONS = ("noinline", "noimplicitfloat")
"""Of straight code LLVM makes pairs and fours where numbers are computed alike, and takes them apart again in each
step, which is up to half of the time. It makes none in functions that use vector registers only where the program
computes with numbers."""
_NAME = "enzyme.few"
_SAID = '"enzyme-few"'
_MANY = '"enzyme-many"'
_SOME = '"enzyme-some"'
_FUSED = '"enzyme-fused"'
_STEPS = (BinaryOp, Cast, GetElementPtr)


def may_have_few(text: str, few: bool = True) -> bool:
    """Whether a derivative may have such loops."""
    return (few or SHORT in text) and _DERIVED.search(text) is not None


def name_few(text: str, few: bool = True, triangles: bool = True) -> str | None:
    """The program with derivatives named that are to have such versions, which stay functions of their own as yet; None
    where there are none. ``few``: for one to four components; the version for many is made where function attributes
    ask for it. ``triangles``: for some more, too, where rows begin later."""
    module = parse_module(text)
    changed = False
    for function in list(module.functions.values()):
        body = function.body_text
        if body is None or not _DERIVED.search(body) or not any(map(_counts, function.args)):
            continue
        words = module.fn_attributes(function)
        if {"alwaysinline", "noinline"} & words or not (few or SHORT in words) or not hands_on(function):
            continue
        nests = _forward_nests(function)
        parameter = _common_parameter(nests)
        if parameter is None:
            continue
        said = [_SAID] if few and _are_small(nests, parameter) else []
        if _is_short(function):
            said += [_MANY] if SHORT in words else []
            some = _most_without_vectors(nests, parameter, module.datalayout, triangles) if few else 0
            said += [f'{_SOME}="{some}"'] if some else []
        if said:
            parameter.name = _NAME
            function.attrs = (*function.attrs, "noinline", *said)
            changed = True
    return print_module(module) if changed else None


def in_whole_registers(module: Module, function: Function) -> None:
    """Have a function with fused loops, where it is compiled for halves of registers, made in whole ones: all of it or,
    if it has versions, that for many components, which it gets for it."""
    words = module.fn_attributes(function)
    if HALF not in words:
        return
    named = _SAID in words or any(each.startswith(_SOME) for each in words)
    function.attrs = in_order({*words - {_MANY}, _FUSED} if named else {*whole(words), "noinline"})


def with_few(text: str, many: int = MANY) -> str:
    """The program with the versions of what was named; that for many components runs from ``many`` on."""
    if not any(each in text for each in (_SAID, _MANY, _SOME, _FUSED)):
        return text
    module = parse_module(text)
    for function in list(module.functions.values()):
        words = module.fn_attributes(function)
        some = next((each for each in words if each.startswith(_SOME)), None)
        if some is not None or words & {_SAID, _MANY}:
            least = FUSED if _FUSED in words else many if _MANY in words else None
            function.attrs = in_order(words - {"noinline", _SAID, _MANY, _FUSED, SHORT, some})
            _ = function.blocks  # read, so that uses are there
            parameter = next((each for each in function.args if each.name == _NAME and each.users), None)
            if parameter is not None:
                most = int(some[len(_SOME) + 2 : -1]) if some is not None else 0
                _choose(module, function, parameter, _SAID in words, most, least)
    return print_module(module)


def _counts(argument: Argument) -> bool:
    return isinstance(argument.type, IntType) and argument.type.bits >= 8


def _is_short(function: Function) -> bool:
    return sum(len(block.instructions) for block in function.blocks) <= LONGEST


def _forward_nests(function: Function) -> list[Loop]:
    """The nests of the forward sweep; none where the reverse sweep is elsewhere, or has no nests."""
    around = [loop for loop in analyse_loops(function).top_level if loop.children]
    nests = [loop for loop in around if not _is_reversed(loop)]
    return nests if len(nests) < len(around) else []


def _common_parameter(nests: list[Loop]) -> Argument | None:
    """The parameter that says how often inner loops run, in all nests."""
    parameters = {loop: _parameter(loop) for loop in nests}
    parameter = next((each for each in parameters.values() if each is not None), None)
    if parameter is None or any(
        each is not parameter and not _is_all_of(loop, parameter) for loop, each in parameters.items()
    ):
        return None
    return parameter


def _are_small(nests: list[Loop], parameter: Argument) -> bool:
    """Whether versions for its least values are worth it."""
    if not any(_has_state(loop) for loop in nests if _parameter(loop) is parameter):
        return False
    return sum(_size(each, MOST) for each in nests) <= LARGEST


def _is_reversed(loop: Loop) -> bool:
    """Whether it is a loop of the reverse sweep, whose counter is in memory as yet."""
    return not loop.header.phis


def _parameter(loop: Loop) -> Argument | None:
    """What alone says how often the loops inside of one run, where that says nothing of the loop itself."""
    inner = list(loop.inside())
    found: set[Value] = set()
    for each in inner:
        values = _counted_by(each)
        if values is None:
            return None
        found |= values
    parameter = next(iter(found), None)
    if len(found) != 1 or not isinstance(parameter, Argument) or not _counts(parameter):
        return None
    return parameter if parameter not in (_counted_by(loop) or ()) else None


def _is_all_of(nest: Loop, parameter: Argument) -> bool:
    """Whether a parameter says of all loops of a nest how often they run."""
    return all(_counted_by(loop) == {parameter} for loop in (nest, *nest.inside()))


def _counted_by(loop: Loop) -> set[Value] | None:
    """The values that say how often a loop runs; counters of the loops around it by what counts those."""
    assert loop.forest is not None
    count = backedge_count(loop, loop.forest.domtree)
    if count is None:
        return None
    found: set[Value] = set()
    work = sym_values(count)
    while work:
        value = work.pop()
        if isinstance(value, Phi):
            around = next((each for each in loop.ancestors()[1:] if each.header is value.block), None)
            values = _counted_by(around) if around is not None else None
            if values is None:
                return None
            found |= values
        elif isinstance(value, (BinaryOp, Cast)):
            work += value.operands
        elif isinstance(value, CallBase) and is_extremum(value):
            work += value.args
        elif not isinstance(value, ConstantInt):
            found.add(value)
    return found


def _most_without_vectors(nests: list[Loop], parameter: Argument, layout: DataLayout, triangles: bool) -> int:
    """For how many components it is better not to make vectors; 0 where it never is."""
    found = set()
    for nest in nests:
        if _parameter(nest) is parameter and _has_state(nest, triangles=True):
            for loop in nest.inside():
                if _begins_later(loop, nest):
                    found.add(TRIANGLE if triangles else 0)
                elif not loop.children and _reads_neighbours(loop, layout):
                    found.add(SHIFTED)
    return min(found, default=0)


def _begins_later(loop: Loop, nest: Loop) -> bool:
    """Whether a loop begins where another one inside of ``nest`` is."""
    return any(
        _follows(nest, start)
        for phi in loop.header.phis
        for start, source in phi.incoming
        if source not in loop.blocks and isinstance(phi.type, IntType)
    )


def _follows(nest: Loop, value: Value) -> bool:
    """Whether a value is the counter of a loop inside of ``nest``, or some numbers further on."""
    while isinstance(value, Cast) or (isinstance(value, BinaryOp) and value.opcode in ("add", "sub")):
        if isinstance(value, BinaryOp) and not isinstance(value.operands[1], ConstantInt):
            return False
        value = value.operands[0]
    return (
        isinstance(value, Phi)
        and isinstance(value.type, IntType)
        and any(each.header is value.block for each in nest.inside())
    )


def _reads_neighbours(loop: Loop, layout: DataLayout) -> bool:
    """Whether a loop reads, of one array, what lies a round and more apart; or has kept what it read a round before."""
    for phi in loop.header.phis:
        if phi.type.is_float and any(isinstance(each, Load) for each in phi.operands):
            return True
    forms = NestForms(loop, loop, layout)
    seen: dict[tuple[Value, tuple[object, ...]], set[int]] = {}
    for block in loop.blocks:
        for inst in block.instructions:
            if isinstance(inst, Load):
                base, bytes = forms.from_base(inst.pointer)
                stride = abs(bytes.stride(OUTER) or 0)
                others = seen.setdefault((base, bytes.varying), set())
                if stride and any(abs(bytes.offset - each) >= stride for each in others):
                    return True
                others.add(bytes.offset)
    return False


def _size(loop: Loop, few: int) -> int:
    """How many instructions a round of a loop takes, where the loops inside it run so often."""
    own = loop.blocks.difference(*(child.blocks for child in loop.children))
    inside = sum(_rounds(child, few) * _size(child, few) for child in loop.children)
    return sum(_DIVISION if _is_slow(inst) else 1 for block in own for inst in block.instructions) + inside


def _is_slow(inst: Instruction) -> bool:
    if isinstance(inst, CallBase):
        return _SLOW.match(inst.callee_name or "") is not None
    return isinstance(inst, BinaryOp) and inst.opcode in ("fdiv", "frem")


def _rounds(loop: Loop, few: int) -> int:
    assert loop.forest is not None
    rounds = known_rounds(loop, loop.forest.domtree)
    return few if rounds is None else rounds


def _has_state(loop: Loop, triangles: bool = False) -> bool:
    """Whether loops inside of one write where they have written in the round before, in a row of numbers; a table of
    them is more than registers hold. ``triangles``: a loop that begins where another is may write in that one's row."""
    found = False
    for each in loop.inside():
        for block in each.blocks.difference(*(child.blocks for child in each.children)):
            for inst in block.instructions:
                if isinstance(inst, Store):
                    moving = _moving(loop, inst.pointer, triangles)
                    if moving is not None and len(moving) > 1:
                        return False
                    found |= moving is not None
    return found


def _moving(loop: Loop, value: Value, triangles: bool) -> set[Loop] | None:
    """The loops inside of one of whose rounds an address hangs; None where it hangs on the loop's own, or may."""
    if not isinstance(value, Instruction) or value.block not in loop.blocks:
        return set()
    found: set[Loop] = set()
    parts = value.operands
    if isinstance(value, Phi):
        inner = next((each for each in loop.inside() if each.header is value.block), None)
        if inner is None:
            return None
        found.add(inner)
        parts = [start for start, source in value.incoming if source not in inner.blocks]
        parts = [each for each in parts if not (triangles and _follows(loop, each))]
    elif not isinstance(value, _STEPS):
        return None
    for each in parts:
        moving = _moving(loop, each, triangles)
        if moving is None:
            return None
        found |= moving
    return found


def _choose(module: Module, function: Function, parameter: Argument, few: bool, some: int, many: int | None) -> None:
    """Make the versions, and one of any count, of which the function chooses one. ``some``: up to how many components
    one without vectors is for."""
    type = parameter.type
    assert isinstance(type, IntType)
    suffix = function.suffix
    versions = []
    for count in range(1, MOST + 1) if few else ():
        made = _copy(module, function, f"few.{count}")
        made.args[parameter.index].replace_all_uses_with(ConstantInt(type, count))
        made.attrs = (*made.attrs, *_OF_VERSIONS)
        versions.append(made)
    scalar = _copy(module, function, "some") if some else None
    if scalar is not None:
        scalar.attrs = (*scalar.attrs, *_OF_VERSIONS)
    wide = _copy(module, function, "many") if many is not None else None
    if wide is not None:
        wide.attrs = (*whole(wide.attrs), "noinline")  # what it becomes part of is for halves
    others = move_body(module, function, "others", function.function_type, [each.name for each in function.args])
    others.suffix = suffix
    for mine, theirs in zip(others.args, function.args, strict=True):
        mine.attrs = theirs.attrs
        theirs.replace_all_uses_with(mine)
    entry = function.append_block("entry")
    blocks = [_calling(function, each) for each in (*versions, others)]
    rest, chosen_by = blocks[-1], function.args[parameter.index]
    for version, compare, bound in ((wide, "sge", many), (scalar, "sle", some)):
        if version is not None and bound is not None:
            build = Builder(function.append_block("rest"))
            build.cond_br(build.icmp(compare, chosen_by, ConstantInt(type, bound)), _calling(function, version), rest)
            rest = build.block
    cases = [(ConstantInt(type, each), block) for each, block in enumerate(blocks[:-1], 1)]
    entry.append(Switch(chosen_by, rest, cases))


def _copy(module: Module, function: Function, word: str) -> Function:
    made = copy_function(module, function, f"{function.name}.{word}")
    for inst in made.instructions():
        inst.metadata.pop("dbg", None)  # belongs to the function that was copied
    return made


def _calling(function: Function, version: Function) -> Block:
    """A block that does what a version does."""
    build = Builder(function.append_block("few"))
    call = call_version(build, version, function.args)
    build.ret(None if function.result_type.is_void else call)
    return build.block
