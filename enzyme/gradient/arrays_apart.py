"""Functions whose array parameters may overlap, as far as anyone can tell, get a second version for when they do not.

In C, ``y[i] = ...`` may change what ``A[...]`` found before, unless a ``restrict`` says otherwise: the reverse sweep
must not read ``A`` again, and keeps on the tape what each iteration has read. Most programs do not say ``restrict``,
and hand over arrays that are apart all the same. So the running program is asked, when the function is called: where
all that it may touch through one parameter, from the least to the greatest address, lies apart from what it touches
through each other, a version runs whose parameters are ``noalias``; else the function as it was.

This is done to the program, before derivatives are made of it: each version has derivatives of its own, whatever mode
they are of, and a call in the end of a function is reversed at once (at_once.py), so that the choice costs no tape. Of
shadows nothing is said: ``noalias`` of a parameter says nothing of that of its shadow (scopes.py).

A function qualifies where everything that it touches is what its parameters point to, or pointers that it finds there
at known places (the arrays of a struct, the elements of a ``std::vector``), its own memory, or constants. Each address
is such a pointer plus a form that is linear in each loop's counter (analysis/function_forms.py), over parameters and
integers found behind them. Such a form is least and greatest where the counters are; a counter's ends may be linear in
those of the loops around it. Numbers that are multiplied there must be small enough for the products to be right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from enzyme.analysis.alias import AliasAnalysis, ModuleSummaries
from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dispatched import is_dispatch
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop, LoopForest
from enzyme.analysis.modref import Access
from enzyme.analysis.polynomials import Monomial, Polynomial, Variable, counter, in_program_order, widened
from enzyme.analysis.symbolic import Sym, SymOp, constant_value, emit_sym, sym_values
from enzyme.analysis.tripcount import backedge_count, max_backedge_count
from enzyme.gradient.exceptions import forget_edge
from enzyme.gradient.held_pointers import HELD, NOTHING, HeldPointers, ahead, is_ahead
from enzyme.gradient.jumps import read_prepared
from enzyme.gradient.lines import attach_lines, complete_lines, subprogram
from enzyme.gradient.loop_versions import VERSION
from enzyme.gradient.matrix_steps import MatrixArgument, is_matrix_step, matrices_of
from enzyme.gradient.moved_bodies import call_version, hands_on, move_body
from enzyme.gradient.registrations import LOOPS, marks, rule_of
from enzyme.gradient.slices import SLICE, Ends, Slice, find_slices, overlapping, read_slices, take_slices
from enzyme.gradient.windows import CLOSEST
from enzyme.ir.builder import Builder
from enzyme.ir.layout import DataLayout
from enzyme.ir.module import Module
from enzyme.ir.printer import print_module
from enzyme.ir.types import I1, I64, FloatType, IntType, PointerType
from enzyme.ir.values import (
    Argument,
    Block,
    Branch,
    CallBase,
    ConstantInt,
    Freeze,
    Function,
    GlobalVariable,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Value,
)
from enzyme.llvm.pipelines import shaped, simplified
from enzyme.rules.known import known_callee

APART, OTHERWISE = "apart", "otherwise"
"""What is put to the name of a function for its versions."""
_VERSION = re.compile(rf"(.+)\.({APART}|{OTHERWISE})(?:\.\d+)?$")
LONGEST = 2000
"""Instructions of a function that gets another version."""
_MOST_ARRAYS = 8
_MOST_CORNERS = 160
"""Ends of forms that are compared in one call."""
_SEVERAL = 3
"""Numbers that loops read of arrays that are not written, of which copies would be kept."""
_LARGE = 1 << 20
"""Bytes of all arrays from which on that takes longer than to read them again."""
_DEGREE = 4
_ROOM = 48
"""Bits of a product of numbers in a form; factors before it have at most :data:`_FACTOR`."""
_FACTOR = 1 << 10
_ASKED = 24
"""Instructions, one behind another, of what is asked in front of a nest."""
_LEAST = re.compile(r"llvm\.([su])min\.")
_LAST = "last"
"""Of a loop: the number of its last iteration, as a variable."""
_NUMBERED = re.compile(r"\.\d+$")


def with_arrays_apart(text: str, optimised: bool, slices: bool = True) -> tuple[str, list[str]] | None:
    """Prepared functions, those that qualify with their other version, and the names of what was made; None if none
    does. ``optimised``: an optimiser has been over them, and goes over what it now knows more of. ``slices``: look at
    those of what a parameter points to as well (slices.py)."""
    module = read_prepared(text)
    made = _separate(module, slices)
    if not made:
        return None
    text = print_module(module)
    if optimised:
        text = shaped(simplified(text, [name for name in made if version_of(name)[1] == APART]))
    return text, made


def version_of(name: str) -> tuple[str, str]:
    """The function that a name stands for a version of, and which: :data:`APART`, :data:`OTHERWISE`, or "" for a name
    of the program's own."""
    found = _VERSION.match(name)
    return (found[1], found[2]) if found else (name, "")


def asked_of(function: Function) -> list[str]:
    """The parameters of which a function asks whether what they lead to is apart; none if it has no versions."""
    for inst in function.instructions():
        callee = inst.callee if isinstance(inst, CallBase) else None
        if isinstance(callee, Function) and version_of(callee.name or "") == (function.name, APART):
            pairs = zip(function.args, callee.args, strict=False)
            changed = [mine for mine, theirs in pairs if theirs.has_attr("noalias") and not mine.has_attr("noalias")]
            further = [each.name or "" for each in callee.args[len(function.args) :] if each.type.is_pointer]
            holders = dict.fromkeys(map(_spoken, further))
            return [*(each.name or f"parameter {each.index + 1}" for each in changed), *holders]
    return []


def _spoken(name: str) -> str:
    """What a further parameter is, in words."""
    for prefix, words in ((SLICE, "slices of"), (HELD, "pointers in")):
        if name.startswith(prefix):
            return f"{words} {_spoken(name.removeprefix(prefix))}"
    return _NUMBERED.sub("", name)


def _separate(module: Module, sliced: bool) -> list[str]:
    """Give the functions of a prepared module that qualify their other version; the names of those that were made."""
    made: list[str] = []
    summaries = ModuleSummaries(module, known_callee)  # a function does the same with versions as before
    for function in list(module.functions.values()):
        if not function.is_declaration and _may_gain(module, function):
            held = HeldPointers(module, function, summaries)
            slices = find_slices(held) if sliced else []
            found, fewer = _divided(module, function, held, slices, summaries)
            while not found and fewer is not None:
                found, fewer = _divided(module, function, held, fewer, summaries)
            made += found
    return made


def _divided(
    module: Module, function: Function, held: HeldPointers, slices: Sequence[Slice], summaries: ModuleSummaries
) -> tuple[list[str], list[Slice] | None]:
    """Give a function its versions, if it qualifies, one of which is given the ``slices``: their names. Where it does
    not: the slices without which it may."""
    version, places = held.version(f"{function.name}.{APART}", [each.parameter for each in slices])
    take_slices(slices, version, places)
    arrays = _Arrays(module, version, summaries)
    known = arrays.are_known()
    if not known and (asked := _settle(version)):
        arrays = _Arrays(module, version, summaries, asked)
        known = arrays.are_known()
    fewer: list[Slice] | None = [] if slices else None
    if (
        known
        and arrays.is_worth_it(held.is_read_in_loops(arrays.loops, places), len(slices))
        and _is_sure(held, arrays, places)
    ):
        touched = {base: (each.ends, each.written) for base, each in arrays.ranges.items()}
        parts = overlapping(slices, held, version, touched)
        if not parts:
            return [each.name or "" for each in _divide(module, function, version, held, slices, arrays)], None
        fewer = [each for each in slices if each not in parts]
    for inst in version.instructions():
        inst.drop_operands()
    module.remove(version)
    return [], fewer


def _settle(version: Function) -> list[Value]:
    """Take the ways to versions of nests (loop_versions.py) that are taken on conditions which can be asked in front of
    the function, whatever these are: the conditions."""
    found: list[Value] = []
    for block in version.blocks:
        end = block.terminator
        if not isinstance(end, Branch) or not end.is_conditional:
            continue
        condition, way, other = end.operands
        assert isinstance(way, Block) and isinstance(other, Block)
        enters = [(each.name or "").startswith(VERSION) for each in (way, other)] == [True, False]
        if enters and is_ahead(condition, depth=_ASKED):
            found.append(condition)
            end.erase()
            Builder(block).br(way)
            forget_edge(other, block)
    return found


def _may_gain(module: Module, function: Function) -> bool:
    """A first look: pointers, a loop, and a store (or a product of matrices)."""
    if not any(each.type.is_pointer for each in function.args) or not hands_on(function) or is_dispatch(function):
        return False
    if not (function.result_type.is_void or isinstance(function.result_type, (IntType, FloatType, PointerType))):
        return False
    if rule_of(module, function) is not None or marks(module, function).keys() - {LOOPS}:
        return False
    instructions = list(function.instructions())
    return (
        len(instructions) <= LONGEST
        and any(isinstance(inst, Store) or _is_step(inst) for inst in instructions)
        and bool(LoopForest(*_graph(function)).loops)
    )


def _is_step(inst: Instruction) -> bool:
    return isinstance(inst, CallBase) and is_matrix_step(inst.callee_name or "")


def _graph(function: Function) -> tuple[ControlFlowGraph, DominatorTree]:
    cfg = ControlFlowGraph(function)
    return cfg, DominatorTree(cfg)


def _is_nest(loop: Loop) -> bool:
    """Whether a loop has loops inside, all of which run as often as can be told when they are entered."""
    return bool(loop.children) and all(backedge_count(each) is not None for each in loop.inside())


@dataclass
class _Range:
    """What is touched behind one pointer: the ends of forms, each with what is added to it at least and at most (the
    length of the access included)."""

    written: bool = False
    depth: int = 0
    """Of the innermost loop that reads numbers there, or of loops inside it, to which they go."""
    loads: int = 0
    """Of numbers, in loops."""
    ends: Ends = field(default_factory=dict)

    def add(self, form: Polynomial, length: int) -> None:
        low, high = form.offset, form.offset + length
        found = self.ends.get(form.varying, (low, high))
        self.ends[form.varying] = min(low, found[0]), max(high, found[1])


class _Arrays:
    """What a function touches, by parameter or global variable, if what is ``asked`` in front of it holds."""

    def __init__(
        self, module: Module, function: Function, summaries: ModuleSummaries, asked: Sequence[Value] = ()
    ) -> None:
        self.function, self.asked = function, asked
        self.layout: DataLayout = module.datalayout
        cfg = ControlFlowGraph(function)
        dominators = DominatorTree(cfg)
        self.blocks = cfg.blocks
        self.loops = LoopForest(cfg, dominators)
        self.alias = AliasAnalysis(function, module, known_callee, summaries)
        self.forms = FunctionForms(dominators, self.loops, self.layout)
        self.ranges: dict[Value, _Range] = {}
        self.counts: dict[Loop, Sym] = {}
        """How often at most the ends of loops are passed that are no forms."""
        self.positive: list[Polynomial] = []
        """What must not be negative."""
        self.neighbours: set[tuple[Value, Loop]] = set()
        """Where innermost loops read neighbouring elements, whose adjoints can stay in registers."""
        self.stored: dict[Loop, set[Value]] = {}
        """Where loops store numbers."""
        self._read: dict[tuple[Value, Loop, tuple[tuple[Monomial, int], ...]], set[int]] = {}
        self.if_large = False
        """Whether it is worth it for large arrays only."""

    def are_known(self) -> bool:
        """Whether the ends of all that is touched can be told in front of the function."""
        if self.loops.irreducible_edges or not self.loops.loops:
            return False
        return all(self._note(inst) for block in self.blocks for inst in block.instructions)

    def is_worth_it(self, held: bool, slices: int) -> bool:
        """Whether loops read numbers in one array, and another one, of which nothing is promised, is written; loops in
        loops, whose tape would be larger than the arrays are, or such as are given what is ``held``; of others those
        that read neighbours in an array that is not written, beside what they store, and where arrays are large, those
        that read several numbers in each iteration."""
        if (
            len(self.ranges) > _MOST_ARRAYS + slices
            or sum(len(each.ends) for each in self.ranges.values()) > _MOST_CORNERS
        ):
            return False
        open = [each for each in self.ranges if isinstance(each, Argument) and not each.has_attr("noalias")]
        written = [each for each in open if self.ranges[each].written]

        def is_read(depth: int) -> bool:
            read = [each for each in open if self.ranges[each].depth >= depth]
            return any(other is not each for each in written for other in read)

        if is_read(1 if held else 2):
            return True
        kept = (loop for base, loop in self.neighbours if base in open and base not in written)
        if any(self.stored.get(loop, set()).intersection(written) for loop in kept):
            return True
        fixed = not any(varying for each in open for varying in self.ranges[each].ends)
        self.if_large = sum(self.ranges[each].loads for each in open if each not in written) >= _SEVERAL
        return self.if_large and not fixed and is_read(1)

    def _note(self, inst: Instruction) -> bool:
        if isinstance(inst, Load):
            return self._touch(inst, inst.pointer, self.layout.size_of(inst.type), False)
        if isinstance(inst, Store):
            return self._touch(inst, inst.pointer, self.layout.size_of(inst.value.type), True)
        effect = self.alias.effect(inst)
        if not effect.reads and not effect.writes:
            return True
        if not isinstance(inst, CallBase):
            return False
        name = inst.callee_name or ""
        if is_matrix_step(name):
            return all(self._touch_matrix(inst, *each) for each in matrices_of(inst))
        if name.startswith(NOTHING):
            return True
        if name.startswith(("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")):
            pointers = inst.args[:1] if name.startswith("llvm.memset.") else inst.args[:2]
            return all(self._touch_block(inst, each, inst.args[2], each is inst.args[0]) for each in pointers)
        return all(map(self._is_own, (*effect.reads, *effect.writes)))

    def _is_own(self, access: Access) -> bool:
        """Whether an access is to ``errno``, or to memory that the function made."""
        if access.kind in ("errno", "stack"):
            return True
        return access.kind == "location" and access.location is not None and self._is_mine(access.location.pointer)

    def _is_mine(self, pointer: Value) -> bool:
        return all(
            each.kind in ("alloca", "allocation") or (isinstance(each.value, GlobalVariable) and each.value.is_constant)
            for each in self.alias.underlying_objects(pointer)
        )

    def _touch_block(self, inst: CallBase, pointer: Value, length: Value, written: bool) -> bool:
        if self._is_mine(pointer):
            return True
        number = self.forms.integer(length)
        if number is None:
            return False
        # From the first byte to the first one behind: both ends of it are noted, whatever lies between them.
        return self._touch(inst, pointer, 0, written) and self._touch(inst, pointer, 0, written, number)

    def _touch_matrix(self, inst: CallBase, matrix: MatrixArgument, length: int) -> bool:
        """Note the first and the last element of a matrix of numbers of some length, as far as it is one."""
        if self._is_mine(matrix.base):
            return True
        end = Polynomial.number(0)
        for size, stride in matrix.sides:
            many, step = self.forms.integer(size), self.forms.integer(stride)
            if many is None or step is None:
                return False
            end = end.plus(many.minus(Polynomial.number(1)).times(step))
        further = end.times(Polynomial.number(length))
        written = matrix.written
        if not (
            self._touch(inst, matrix.base, length, written) and self._touch(inst, matrix.base, length, written, further)
        ):
            return False
        loop = self.loops.loop_of(inst.block)
        for base, _ in self.origins(matrix.base) or ():
            self.ranges[base].depth = max(self.ranges[base].depth, 2 + (loop.depth if loop is not None else 0))
        return True

    def _touch(
        self, inst: Instruction, pointer: Value, length: int, written: bool, further: Polynomial | None = None
    ) -> bool:
        if self._is_mine(pointer):
            return True
        origins = self.origins(pointer)
        loop = self.loops.loop_of(inst.block)
        for base, form in origins or ():
            found = self.ranges.setdefault(base, _Range())
            found.written = found.written or written
            if loop is not None and isinstance(inst, Load) and isinstance(inst.type.scalar, FloatType):
                found.depth = max(found.depth, loop.depth + _is_nest(loop))
                found.loads += 1
                self._look_near(base, form, loop)
            if loop is not None and isinstance(inst, Store) and isinstance(inst.value.type.scalar, FloatType):
                self.stored.setdefault(loop, set()).add(base)
            for end in self._corners(form if further is None else form.plus(further), loop):
                if end is None:
                    return False
                found.add(end, length)
        return origins is not None

    def _look_near(self, base: Value, form: Polynomial, loop: Loop) -> None:
        """Note whether an innermost loop reads elements that are the next ones, or those behind them, of others that it
        reads."""
        stride = form.stride(counter(loop))
        if not stride or loop.children:
            return
        seen = self._read.setdefault((base, loop, form.varying), set())
        steps = {abs(form.offset - each) // abs(stride) for each in seen if not (form.offset - each) % stride}
        if steps.intersection(range(1, CLOSEST + 1)):
            self.neighbours.add((base, loop))
        seen.add(form.offset)

    def origins(self, pointer: Value) -> list[tuple[Value, Polynomial]] | None:
        """What a pointer may have been made of, with the bytes between them: several, where it is one of several, such
        as buffers that take turns; those of the function's own left out. None where that cannot be told."""
        base, form = self.forms.from_base(pointer)
        if not isinstance(base, (Phi, Select)):
            return [(base, form)] if isinstance(base, (Argument, GlobalVariable)) else None
        found: list[tuple[Value, Polynomial]] = []
        seen: set[Value] = set()
        work: list[Value] = [base]
        while work:
            each = work.pop()
            if each in seen:
                continue
            seen.add(each)
            if isinstance(each, (Phi, Select)):
                work += [part for part, _ in each.incoming] if isinstance(each, Phi) else each.operands[1:]
                continue
            origin, behind = self.forms.from_base(each)
            if isinstance(origin, (Argument, GlobalVariable)) and len(found) < _MOST_ARRAYS:
                found.append((origin, form.plus(behind)))
            elif not self._is_mine(each):
                return None
        return found

    def _corners(self, form: Polynomial, loop: Loop | None) -> Iterator[Polynomial | None]:
        """A form with the first and the last number of each counter in its place; None where it has no such ends."""
        while loop is not None and not form.degree(counter(loop)):
            loop = loop.parent
        if loop is None:
            yield form if self._is_plain(form) else None
            return
        last = self._last(loop)
        if last is None or form.degree(counter(loop)) > 1:
            yield None
            return
        for end in (Polynomial(()), last):
            yield from self._corners(form.replaced(counter(loop), end), loop.parent)

    def _last(self, loop: Loop) -> Polynomial | None:
        """The number of a loop's last iteration, at most."""
        rounds = self.forms.rounds(loop)
        if rounds is not None:
            return self._at_most(rounds.minus(Polynomial.number(1)))
        most = max_backedge_count(loop)
        if most is None:
            return None
        form = self.forms.of_sym(most)
        if form is not None:
            return self._at_most(form)
        self.counts[loop] = most
        known = _is_total(most) and all(map(is_ahead, sym_values(most)))
        return Polynomial.variable((loop, _LAST)) if known else None

    def _at_most(self, form: Polynomial) -> Polynomial:
        """A number that is not less, without the least of two where one of them can be had in front of the function."""
        for variable in (each for product, _ in in_program_order(form.varying) for each in product):
            value, how = variable
            found = _LEAST.match(value.callee_name or "") if isinstance(value, CallBase) else None
            if found is None or form.stride(variable) != 1 or (found[1] == "s" and how != "sext"):
                continue
            assert isinstance(value, CallBase)
            for each in value.args:
                part = self.forms.integer(each, "zext" if found[1] == "u" else "sext")
                if part is not None and self._is_plain(part):
                    if found[1] == "u" and each.type is I64:
                        self.positive.append(part)  # else it is the other that is the least
                    return form.replaced(variable, part)
        return form

    def _is_plain(self, form: Polynomial) -> bool:
        """Whether a form is made of what can be had in front of the function, and of products that are small."""
        return all(
            len(product) <= _DEGREE
            and (not product or abs(factor) <= _FACTOR)
            and all(how == _LAST or (isinstance(what, Value) and is_ahead(what)) for what, how in product)
            for product, factor in form.terms
        )


def _is_total(sym: Sym) -> bool:
    """Whether a tree can be evaluated whatever its values are."""
    if not isinstance(sym, SymOp):
        return True
    divides = sym.op not in ("udiv", "sdiv") or (constant_value(sym.args[1]) or 0) > 0
    return divides and all(map(_is_total, sym.args))


def _divide(
    module: Module,
    function: Function,
    apart: Function,
    held: HeldPointers,
    slices: Sequence[Slice],
    arrays: _Arrays,
) -> tuple[Function, Function]:
    """Make the other version, too; the function chooses between them."""
    further, heads = held.read(Block("entry"))
    further += read_slices(Builder(heads[-1]), slices, held, further)
    condition = _Question(Builder(heads[-1]), arrays, [*function.args, *further]).all()
    for argument in apart.args:
        if argument in arrays.ranges and not argument.has_attr("noalias"):
            argument.attrs = (*argument.attrs, "noalias")
    attach_lines(module, function, apart)
    described = subprogram(function)
    names = [argument.name for argument in function.args]
    otherwise = move_body(module, function, OTHERWISE, function.function_type, names)
    given: dict[Value, Value] = dict(zip(function.args, otherwise.args, strict=True))
    for old, new in zip(function.args, otherwise.args, strict=True):
        new.attrs = old.attrs
    for inst in otherwise.instructions():
        for index, operand in enumerate(inst.operands):
            if operand in given:
                inst.set_operand(index, given[operand])
    function.suffix = f"!dbg {described}" if described is not None else ""
    attach_lines(module, function, otherwise)
    for block in heads:
        function.append_block(block)
    ways = [function.append_block(word) for word in (APART, OTHERWISE)]
    end = function.append_block("end")
    Builder(heads[-1]).cond_br(condition, *ways)
    results: list[Value] = []
    for way, version, more in zip(ways, (apart, otherwise), (further, []), strict=True):
        build = Builder(way)
        results.append(call_version(build, version, [*function.args, *more]))
        build.br(end)
    build = Builder(end)
    if function.result_type.is_void:
        build.ret(None)
    else:
        build.ret(end.append(Phi(function.result_type, list(zip(results, ways, strict=True)))))
    complete_lines(module, function)
    return apart, otherwise


def _is_sure(held: HeldPointers, arrays: _Arrays, places: dict[Instruction, Instruction]) -> bool:
    """Whether nothing changes what is held where arrays are apart: all that may is written by way of other pointers
    than what is held. (By the first write, all addresses are as they were computed in front.)"""
    for base, writers in held.writers.items():
        mine = arrays.function.args[base.index]
        for writer in writers:
            copied = places[writer]
            if copied.block not in arrays.blocks:
                continue  # it has been settled that this is passed by
            assert isinstance(copied, Store)
            origins = arrays.origins(copied.pointer)
            if origins is None or any(base is mine for base, _ in origins):
                return False
    return True


class _Question:
    """Whether what a function touches through each of its parameters is apart, as instructions."""

    def __init__(self, build: Builder, arrays: _Arrays, given: list[Value]) -> None:
        self.build, self.arrays = build, arrays
        self._made: dict[Value, Value] = dict(zip(arrays.function.args, given, strict=True))
        self._small: set[tuple[Variable, int]] = set()
        self.conditions: list[Value] = []

    def all(self) -> Value:
        build = self.build
        ranges = {base: (self._ends(base, found), found.written) for base, found in self.arrays.ranges.items()}
        listed = list(ranges.values())
        for number, ((low, high), written) in enumerate(listed):
            for (other_low, other_high), other_written in listed[number + 1 :]:
                if written or other_written:
                    before, behind = build.icmp("ule", high, other_low), build.icmp("ule", other_high, low)
                    self.conditions.append(build.or_(before, behind))
        if self.arrays.if_large:
            size: Value = ConstantInt(I64, 0)
            for (low, high), _ in listed:
                size = build.add(size, build.sub(high, low))
            self.conditions.append(build.icmp("uge", size, ConstantInt(I64, _LARGE)))
        for form in self.arrays.positive:
            total = build.add(self._number(form.varying), ConstantInt(I64, form.offset))
            self.conditions.append(build.icmp("sge", total, ConstantInt(I64, 0)))
        self.conditions += map(self.there, self.arrays.asked)
        result: Value = ConstantInt(I1, 1)
        for condition in self.conditions:
            result = build.and_(condition, result)
        return build.insert(Freeze(result))  # what is computed ahead of its guards may be poison

    def _ends(self, base: Value, found: _Range) -> tuple[Value, Value]:
        build = self.build
        low: Value | None = None
        high: Value | None = None
        for varying, (least, greatest) in found.ends.items():
            form = self._number(varying)
            first, last = (build.add(form, ConstantInt(I64, end)) for end in (least, greatest))
            low = first if low is None else build.select(build.icmp("slt", first, low), first, low)
            high = last if high is None else build.select(build.icmp("sgt", last, high), last, high)
        assert low is not None and high is not None
        origin = build.cast("ptrtoint", self.there(base), I64)
        return build.add(origin, low), build.add(origin, high)

    def _number(self, terms: tuple[tuple[Monomial, int], ...]) -> Value:
        """A sum of products of numbers that are asked to be small."""
        for product, _ in in_program_order(terms):
            for variable in product:
                self._is_small(variable, len(product))
        return Polynomial(terms).emit(self.build, self._of)

    def _is_small(self, variable: Variable, degree: int) -> None:
        """Ask that so many of a number, multiplied, stay far from where words end."""
        if (variable, degree) not in self._small:
            self._small.add((variable, degree))
            half = 1 << (_ROOM // degree)
            shifted = self.build.add(self._of(variable), ConstantInt(I64, half))
            self.conditions.append(self.build.icmp("ult", shifted, ConstantInt(I64, 2 * half)))

    def _of(self, variable: Variable) -> Value:
        value, how = variable
        if isinstance(value, Loop):
            return emit_sym(self.arrays.counts[value], self.build, self.there)
        assert isinstance(value, Value)
        return widened(self.build, self.there(value), how)

    def there(self, value: Value) -> Value:
        """A value of the version, computed in front of it."""
        return ahead(self.build, value, self._made)
