"""Type analysis: what the bytes of values and memory are (integer, pointer, floating point of which format).

Lattice: sets of kinds per byte offset, ordered by inclusion (:mod:`enzyme.analysis.type_tree`); direction: both, facts
flow along copies and unifications; the solution is the least fixed point of the hard facts and flows, then of the weak
integer evidence added where nothing else was found, then of declared integer members. Calls of defined functions are
analysed in the context of each call site, by instances of the callee's facts, up to a budget; recursive calls share the
instance of the call they recurse to.

Soundness: a byte is called an integer only when no typed floating-point access, tag or declaration reached by any copy
the analysis can see says otherwise. Bytes nobody accesses with a type are *unknown*, and unknown may be floating point.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from enzyme.analysis.activity_callees import Callees, KnownTable
from enzyme.analysis.dispatched import is_dispatch
from enzyme.analysis.integers import Integers
from enzyme.analysis.multiples import Multiples
from enzyme.analysis.type_tree import FLOATISH, FLOATS, FRAGMENT, INT, POINTER, Kind, Segment, TypeTree, agreed
from enzyme.analysis.types_classes import Classes, this_of
from enzyme.analysis.types_declared import decide
from enzyme.analysis.types_hidden import seen_by_others
from enzyme.analysis.types_instructions import InstructionTypes
from enzyme.analysis.types_reasons import Note, Reason
from enzyme.analysis.types_regions import Place, Region, Regions, are_mixed
from enzyme.analysis.types_tbaa import TypeMetadata
from enzyme.analysis.types_transfer import Facts, derive, derive_int
from enzyme.analysis.types_unfolded import Unfolding
from enzyme.analysis.types_views import Span, Views
from enzyme.ir.layout import DataLayout
from enzyme.ir.module import Module
from enzyme.ir.printer import print_instruction
from enzyme.ir.types import FloatType, IntType, PointerType, Type
from enzyme.ir.values import BinaryOp, CallBase, Cast, Constant, ConstantInt, Function, Instruction, Load, Store, Value

__all__ = ["Kind", "Segment", "TypeAnalysis", "TypeResult", "TypeTree"]

_LOOK = 256  # bytes in which functions called through one pointer are compared

_ROUNDS = 50  # of the solver, before what takes from each other is unified

CONTEXT_BUDGET = 4000  # instructions analysed once per call site; callees beyond it are analysed once for all calls
SMALL = 100
"""Instructions of functions that are analysed once per call site up to :data:`SMALL_BUDGET`: what counts references, or
frees, is called for memory of all kinds."""
SMALL_BUDGET = 20000
APART_BUDGET = 40000
"""Instructions analysed once more beyond that, where one analysis for all calls would mix up members of an object: a
function is called for two of them."""


class TypeAnalysis:
    """Types of the functions of a module. ``shared`` keeps what other analyses derive from the same module.

    ``entries`` names the functions that are called from elsewhere (None: all of them). Another function with one call
    in the whole module is analysed with its caller, once: its types are those that it has there. The entries are looked
    at before anything else, because what another function is given is known when all that call it have been seen.
    """

    def __init__(self, module: Module, known: KnownTable | None = None, entries: Iterable[str] | None = None) -> None:
        self.module = module
        self.entries = frozenset(entries) if entries is not None else None
        self._called_once: frozenset[Function] | None = None
        self._inner: dict[Function, tuple[Regions, InstructionTypes]] = {}
        self.callees = Callees(module, known)
        self.shared: dict[Any, Any] = {}
        self._results: dict[tuple[Function, tuple[TypeTree | None, ...] | None], TypeResult] = {}
        self.classes = Classes(module, lambda function: self.analyze(function, (None,) * len(function.args)))
        self._contexts: dict[Function, set[tuple[TypeTree, ...]]] = {}
        self._unseen = sorted(self.entries or ())

    def analyze(self, function: Function, arg_trees: Sequence[TypeTree | None] | None = None) -> TypeResult:
        """The types in ``function``; ``arg_trees`` are facts about its arguments from a call site.

        Without them, the facts of all calls that were met while its callers were analysed are put together; of an entry
        nothing is known but what it does itself.
        """
        while self._unseen:
            entry = self.module.get_function(self._unseen.pop())
            if entry is not None and not entry.is_declaration:
                self.analyze(entry)
        key = (function, tuple(arg_trees) if arg_trees is not None else None)
        found = self._results.get(key)
        if found is None:
            found = self._results[key] = TypeResult(self, function, key[1])
        return found

    def inner(self, function: Function) -> tuple[Regions, InstructionTypes] | None:
        """The types of a function that is called once, if they were found with those of its caller."""
        return self._inner.get(function)

    def keep_inner(self, instances: Iterable[InstructionTypes], regions: Regions) -> None:
        """Remember the instances of functions that are called once."""
        if self.entries is None:
            return
        if self._called_once is None:
            uses = Counter(
                operand
                for function in self.module.functions.values()
                for inst in function.instructions()
                for operand in inst.operands
                if isinstance(operand, Function)
            )
            self._called_once = frozenset(f for f, times in uses.items() if times == 1 and f.name not in self.entries)
        for instance in instances:
            if instance.function in self._called_once:
                self._inner[instance.function] = (regions, instance)

    def add_context(self, function: Function, trees: tuple[TypeTree, ...]) -> None:
        """The argument trees of a call of ``function``."""
        self._contexts.setdefault(function, set()).add(trees)

    def context(self, function: Function) -> list[list[TypeTree]]:
        """What the calls of ``function`` say of each of its arguments; nothing of those that others may call."""
        if self.entries is not None and function.name in self.entries:
            return []
        return [agreed(trees) for trees in zip(*self._contexts.get(function, ()), strict=True)]

    def dump(self, function: Function) -> str:
        """Every named value with its tree."""
        return self.analyze(function).dump()


class _Program:
    """All instances that belong to the analysis of one root function."""

    def __init__(self, owner: TypeAnalysis) -> None:
        module = owner.module
        layout: DataLayout = module.datalayout
        windows = "windows" in (module.triple or "")
        pointer_bytes = layout.pointer_bits() // 8
        metadata = TypeMetadata(module, 4 if windows else pointer_bytes, _long_double(module.triple or ""))
        integers = owner.shared.setdefault("integers", Integers(metadata, owner.callees, layout.pointer_bits()))
        multiples = owner.shared.setdefault("multiples", Multiples(layout))
        regions = Regions(pointer_bytes)
        self.facts = Facts(layout, metadata, owner.callees, integers, multiples, regions, Views(regions))
        self._shared: dict[Function, list[InstructionTypes]] = {}
        self._stack: list[InstructionTypes] = []
        self.instances: list[InstructionTypes] = []
        self._late: list[tuple[InstructionTypes, InstructionTypes, CallBase]] = []
        self._spent = self._spent_apart = 0
        self._cases: dict[InstructionTypes, list[tuple[InstructionTypes, CallBase]]] = {}
        self._absorbed: list[tuple[Place, Place]] = []
        self._methods: list[tuple[Place, list[tuple[Function, Place]]]] = []
        self._asked = 0
        self._classes = owner.classes
        self._seen: set[Region] | None = None

    def root(self, function: Function) -> InstructionTypes:
        """The instance of the function asked about, of which nothing has been read."""
        return self._make(function)

    def _known(self, caller: InstructionTypes, call: CallBase, function: Function) -> InstructionTypes | None:
        """An instance that a call shares with others."""
        for outer in self._stack:
            if outer.function is function:
                return outer
        shared = self._shared.get(function, [])
        found = next((each for each in shared if not self._mixes(each, caller, call)), None)
        if found is None and shared:
            self._spent_apart += sum(len(block.instructions) for block in function.blocks)
            found = shared[0] if self._spent_apart > APART_BUDGET else None
        return found

    def _mixes(self, shared: InstructionTypes, caller: InstructionTypes, call: CallBase) -> bool:
        """Whether a call would make two places of one memory the same, by where others have led to."""
        pairs: list[tuple[Place, Place]] = [
            (shared.address(parameter), caller.address(argument))
            for parameter, argument in zip(shared.function.args, call.args, strict=False)
            if isinstance(parameter.type, PointerType) and parameter.type is argument.type
        ]
        return self.facts.regions.would_fold(pairs)

    def _make(self, function: Function) -> InstructionTypes:
        made = InstructionTypes(self.facts, function, self._connect)
        self.instances.append(made)
        size = sum(len(block.instructions) for block in function.blocks)
        self._spent += size
        if self._spent > (SMALL_BUDGET if size <= SMALL else CONTEXT_BUDGET):
            self._shared.setdefault(function, []).append(made)
        return made

    def read(self, instance: InstructionTypes) -> None:
        """The facts of the body of an instance."""
        self._stack.append(instance)
        instance.read_body()
        if is_dispatch(instance.function):
            self._join_cases(instance)
        self._stack.pop()

    def _join_cases(self, dispatch: InstructionTypes) -> None:
        """A dispatch gives one pointer to functions that may see different things behind it (members of different
        classes, say). Where they do, what each of them knows becomes known outside, but not to the others."""
        cases = self._cases.pop(dispatch, [])
        for parameter in dispatch.function.args[1:]:
            inner = [inside.function.args[parameter.index - 1] for inside, _ in cases]
            if isinstance(parameter.type, PointerType):
                places = [inside.address(own) for (inside, _), own in zip(cases, inner, strict=True)]
                functions = [inside.function for inside, _ in cases]
                outside = dispatch.address(parameter)
                if all(self._classes.tables(f) and this_of(f) is own for f, own in zip(functions, inner, strict=True)):
                    self._methods.append((outside, list(zip(functions, places, strict=True))))
                else:
                    self._join_places(outside, places)
            else:
                for (inside, call), own in zip(cases, inner, strict=True):
                    _join(inside, own, dispatch, parameter, Note(call))
        for inside, call in cases:
            if not isinstance(call.type, PointerType):
                for value in inside.returned:
                    _join_result(inside, value, dispatch, call, Note(call))
                if inside in self._stack:
                    self._late.append((inside, dispatch, call))
                continue
            for value in inside.returned:
                if not (isinstance(value, Constant) and _is_null(value)):
                    self._absorbed.append((dispatch.address(call), inside.address(value)))

    def _join_methods(self) -> None:
        """Give each virtual method that is called the objects whose table it stands in."""
        regions = self.facts.regions
        for index, (outside, methods) in enumerate(self._methods):
            leaves = self.facts.views.leaves(outside)
            if leaves is None:
                self._methods[index] = outside, []
                self._join_places(outside, [place for _, place in methods])
            for leaf in leaves or ():
                own = self._classes.made(regions.tables(leaf))
                for function, place in methods if own else ():
                    if own & self._classes.tables(function):
                        regions.unify(leaf, place)

    def _join_unknown(self) -> None:
        """What is not known to be an object of some class may be one of any: a view of all."""
        for outside, methods in self._methods[self._asked :]:
            for leaf in self.facts.views.leaves(outside) or ():
                if not self.facts.regions.tables(leaf):
                    for _, place in methods:
                        self.facts.views.add(leaf, place)
                    self.facts.regions.version += 1
        self._asked = len(self._methods)

    def _join_places(self, outside: Place, places: list[Place]) -> None:
        regions = self.facts.regions
        views = [regions.bytes_kind(place, _LOOK) for place in places]
        for place, view in zip(places, views, strict=True):
            root, base = regions.find(place)
            for weak, size, _ in (*self.facts.weak, *self.facts.declared):
                at, offset = regions.find(weak)
                if at is root and 0 <= offset - base < _LOOK:
                    for byte in range(offset - base, min(offset - base + size, _LOOK)):
                        view[byte] = view[byte] or INT
        kinds: list[int] = []
        for each in zip(*views, strict=True):
            kinds.append(len({kind for kind in each if kind}))
        if all(count < 2 for count in kinds):
            for place in places:
                regions.unify(place, outside)
            return
        self._absorbed += [(outside, place) for place in places]

    def _connect(self, caller: InstructionTypes, call: CallBase, callee: Function) -> None:
        known = self._known(caller, call, callee)
        inside = known if known is not None else self._make(callee)
        if is_dispatch(caller.function):
            if known is None:
                self.read(inside)
            self._cases.setdefault(caller, []).append((inside, call))
            return
        note = Note(call)
        for parameter, argument in zip(callee.args, call.args, strict=False):
            if parameter.type is argument.type:
                _join(inside, parameter, caller, argument, note)
        if known is None:  # now it knows the variables of its caller that its parameters point to
            self.read(inside)
        if call.type is callee.result_type:
            for value in inside.returned:
                _join_result(inside, value, caller, call, note)
            if inside in self._stack:
                self._late.append((inside, caller, call))

    def finish(self) -> None:
        """Results of recursive calls, whose returns were not all known when they were met."""
        for inside, caller, call in self._late:
            for value in inside.returned:
                _join_result(inside, value, caller, call, Note(call))

    def solve(self) -> None:
        self._flow(weak=False)
        for evidence in (self.facts.weak, self.facts.declared):
            accepted = [
                (place, size, note)
                for place, size, note in evidence
                if not any(kind & ~INT for kind in self.facts.regions.bytes_kind(place, size))
            ]
            for place, size, note in accepted:
                self.facts.regions.add_int(place, size, note)
            self._flow(weak=True)
        self.facts.regions.is_hidden = self._is_hidden

    def _is_hidden(self, place: Place) -> bool:
        if self._seen is None:
            apart = [each for pair in self._absorbed for each in pair]
            apart += [place for _, methods in self._methods for _, place in methods]
            self._seen = seen_by_others(self.facts, self.instances[0], self.instances, apart)
        return self.facts.regions.find(place)[0] not in self._seen

    def _spans(self) -> Iterator[Span]:
        """What facts speak of, beside accesses."""
        for move in self.facts.moves:
            yield move.left, move.size
            yield move.right, move.size
        for place, size, _ in (*self.facts.weak, *self.facts.declared):
            yield place, size

    def _flow(self, weak: bool) -> None:
        """To the fixed point. What speaks of regions without a new fact since it was last looked at is passed over."""
        regions = self.facts.regions
        before, rounds = -1, 0
        moves, rules = self.facts.moves, self.facts.derived
        moved, derived = [-1] * len(moves), [-1] * len(rules)
        while before != regions.version:
            before = regions.version
            rounds += 1
            if rounds > _ROUNDS:  # places that take from each other in a circle, at other offsets each time
                for to, source in self._absorbed:
                    regions.unify(to, source)
            self.facts.views.flow(self._spans())
            self._join_methods()
            for index, move in enumerate(moves):
                if max(regions.touched(move.left), regions.touched(move.right)) > moved[index]:
                    moved[index] = regions.version
                    if move.cleared and regions.copy_rounded(move.left, move.right, move.cleared, move.size):
                        continue
                    regions.copy(move.left, move.right, move.size, move.both, move.note, move.integer, move.address)
            for to, source in self._absorbed:
                regions.absorb(to, source, weak)
            for index, rule in enumerate(rules):
                if max(map(regions.touched, (rule.result, *(place for place, _ in rule.sources)))) > derived[index]:
                    derived[index] = regions.version
                    derive(self.facts, rule)
                    if weak:
                        derive_int(self.facts, rule)
            if before == regions.version:
                self._join_unknown()


def _join(inside: InstructionTypes, parameter: Value, caller: InstructionTypes, argument: Value, note: Reason) -> None:
    if isinstance(parameter.type, PointerType):
        if not (isinstance(argument, Constant) and argument.type.is_pointer and _is_null(argument)):
            inside.regions.unify(inside.address(parameter), caller.address(argument))
    elif isinstance(parameter.type.scalar, IntType) and parameter.type.scalar.bits < 8:
        return
    else:
        caller.link(inside.register(parameter), argument, note)


def _join_result(
    inside: InstructionTypes, value: Value, caller: InstructionTypes, call: CallBase, note: Reason
) -> None:
    if isinstance(call.type, PointerType):
        if not (isinstance(value, Constant) and _is_null(value)):
            inside.regions.unify(inside.seen(value), caller.address(call))
    elif not (isinstance(call.type.scalar, IntType) and call.type.scalar.bits < 8):
        inside.link(caller.register(call), value, note)


def _is_null(value: Value) -> bool:
    return getattr(value, "keyword", None) is not None


def _long_double(triple: str) -> str | None:
    if triple.startswith(("x86_64", "i686", "i386")):
        return "double" if "msvc" in triple else "x86_fp80"
    return "fp128" if triple.startswith(("aarch64", "riscv64")) and "apple" not in triple else None


class TypeResult:
    """Types of the values of one function, in one context."""

    def __init__(self, owner: TypeAnalysis, function: Function, arg_trees: tuple[TypeTree | None, ...] | None) -> None:
        self.owner, self.function = owner, function
        inner = owner.inner(function) if arg_trees is None else None
        if inner is not None:
            self._regions, self._values = inner
            self._instances: list[InstructionTypes] = []
            return
        program = _Program(owner)
        self._regions = program.facts.regions
        self._values = program.root(function)
        self._instances = program.instances
        if arg_trees is None:
            context = owner.context(function)
        else:
            context = [[tree] if tree is not None else [] for tree in arg_trees]
        for argument, trees in zip(function.args, context, strict=False):
            for tree in trees:
                self._regions.plant_declared(self._values.register(argument), tree)
        program.read(self._values)
        program.finish()
        for argument, trees in zip(function.args, context, strict=False):
            for tree in trees:
                self._regions.plant(self._values.register(argument), tree, f"argument {argument.index} of a call")
        program.solve()
        if arg_trees is None:
            owner.keep_inner(program.instances[1:], self._regions)
        unfolding = Unfolding(self._regions)
        for instance in program.instances[1:]:
            parameters = (unfolding.tree(instance.register(a)) for a in instance.function.args)
            owner.add_context(instance.function, tuple(parameters))

    # --- values ----------------------------------------------------------------------------------------------------

    def of(self, value: Value) -> TypeTree:
        """What the bytes of ``value`` are, and the memory behind pointers in it."""
        return Unfolding(self._regions).tree(self._values.register(value), size=self._size(value.type))

    def kind_of(self, value: Value, byte_offset: int = 0) -> Kind:
        """The kind of one byte of ``value``."""
        kinds = self._bytes(value)
        return Kind(kinds[byte_offset]) if byte_offset < len(kinds) else Kind.UNKNOWN

    def segments(self, value: Value) -> list[Segment]:
        """The bytes of a value (an integer that carries a number, say), cut where their kind changes."""
        if self._ends_mantissa(value):
            return [Segment(0, self._size(value.type), Kind(INT))]
        found = self._regions.segments(self._values.register(value), self._size(value.type))
        if any(each.kind & FRAGMENT for each in found) and self._is_declared(value):
            return [Segment(0, self._size(value.type), Kind(INT))]
        return found

    def value_may_carry_float(self, value: Value) -> bool:
        """False only when no byte of ``value`` can be (part of) a floating-point number."""
        if isinstance(value, Constant) or self._is_small(value.type):
            return False
        return any(not kind or kind & FLOATISH for kind in self._bytes(value))

    def value_carries_float(self, value: Value) -> bool:
        """True only when some bytes of ``value`` are known to be a whole floating-point number."""
        return any(kind & FLOATS for kind in self._bytes(value))

    def float_bits(self, value: Value) -> FloatType | None:
        """The format when the bytes of ``value`` are one floating-point number and nothing else."""
        segments = self.segments(value)
        return segments[0].kind.float_type if len(segments) == 1 else None

    def value_may_carry_pointer(self, value: Value) -> bool:
        """False only when no byte of ``value`` can be (part of) a pointer."""
        if self._is_small(value.type):
            return False
        return any(not kind or kind & POINTER for kind in self._bytes(value))

    def value_is_pointer(self, value: Value) -> bool:
        """Whether there is evidence for a pointer in ``value``, and none for a number at the same place."""
        return any(kind & POINTER and not kind & FLOATISH for kind in self._bytes(value))

    # --- memory ----------------------------------------------------------------------------------------------------

    def memory_kinds(self, pointer: Value, size: int, copy: Instruction | None = None) -> list[Segment]:
        """What the ``size`` bytes behind ``pointer`` are. Unknown bytes are named as such, conflicts too. ``copy`` is
        the instruction that copies them."""
        segments = self._regions.segments(self._values.address(pointer), size)
        tag = copy.metadata.get("tbaa.struct") if copy is not None else None
        fields = list(self._values.facts.metadata.copied(tag)[0]) if tag is not None else []
        if any(segment.kind.is_conflict for segment in segments):
            fields += self.owner.classes.fields(self.function, pointer, size)
        if isinstance(copy, CallBase) and any(segment.kind.is_unknown for segment in segments):
            segments = self._looked_at(copy, segments)
        return decide(self.owner.module.datalayout, pointer, segments, fields)

    def rounds_number(self, pointer: Value, size: int) -> bool:
        """Whether a store of so many bytes changes the end of a mantissa alone."""
        return self._regions.ends_mantissa(self._values.address(pointer), size)

    def _looked_at(self, copy: CallBase, segments: list[Segment]) -> list[Segment]:
        """``segments`` of a block copy; bytes that nobody takes for a number or a pointer are none, where nobody else
        sees where they are copied to."""
        if not self._regions.is_hidden(self._values.address(copy.args[0])):
            return segments
        return [replace(each, kind=Kind(INT)) if each.kind.is_unknown else each for each in segments]

    def memory_at(self, pointer: Value, offset: int, size: int) -> list[Segment]:
        """The ``size`` bytes that lie ``offset`` bytes behind ``pointer``, by accesses alone."""
        region, base = self._values.address(pointer)
        return self._regions.segments((region, base + offset), size)

    def memory_may_carry_float(self, pointer: Value, size: int | None) -> bool:
        """False only when none of the ``size`` bytes (None: from there on) can be floating point."""
        place = self._values.address(pointer)
        if size is not None and size <= 65536:
            return any(not kind or kind & FLOATISH for kind in self._regions.bytes_kind(place, size))
        return not self._regions.is_known_throughout(place) or bool(self._regions.kinds_from(place) & FLOATISH)

    def memory_carries_float(self, pointer: Value) -> bool:
        """True only when (a part of) a number is known to be where ``pointer`` points."""
        return bool(self._regions.bytes_kind(self._values.address(pointer), 1)[0] & FLOATISH)

    def object_may_hold_pointer(self, pointer: Value) -> bool:
        """False only when the memory object behind ``pointer`` is all one array without pointers in it."""
        return Kind(self._regions.object_kinds(self._values.address(pointer))).may_be_pointer

    def object_may_hold_float(self, pointer: Value) -> bool:
        """False only when the memory object behind ``pointer`` is all one array without floating-point data in it."""
        return Kind(self._regions.object_kinds(self._values.address(pointer))).may_be_float

    def is_mixed_integer(self, inst: Load | Store, size: int) -> bool:
        """Whether ``inst`` accesses an integer where pointers and numbers meet, objects of several classes that is."""
        value = inst.value if isinstance(inst, Store) else inst
        kinds = self._regions.bytes_kind(self._values.address(inst.pointer), size)
        return are_mixed(kinds) and self._values.is_integer_access(inst.pointer, value.type, inst)

    def periods(self, pointer: Value) -> list[int]:
        """Strides of the arrays that ``pointer`` points into, outer ones first."""
        return self._regions.strides(self._values.address(pointer))

    def element_kind(self, pointer: Value) -> tuple[Kind, int] | None:
        """(kind, bytes) when the memory from ``pointer`` on is an endless array of one kind, as a copy whose length is
        not known needs; None otherwise. Where there are pointers and integers (text, say, and arrays behind one member
        of a union) they are moved as pointers are: what moves with the integers is nothing to the derivative."""
        place = self._values.address(pointer)
        kinds = Kind(self._regions.kinds_from(place))
        if kinds == Kind.INT | Kind.POINTER:
            kinds = Kind.POINTER
        if kinds.is_conflict or not self._regions.is_known_throughout(place):
            return None
        segments = self._regions.segments(place, 16)
        return (kinds, segments[0].size) if segments else None

    def array_behind(self, pointer: Value) -> tuple[int, int] | None:
        """(bytes before it, bytes of an element) of the array without end that begins behind ``pointer``: a struct with
        an array at its end. Where nobody else sees the memory, there is nothing behind what is known of it."""
        place = self._values.address(pointer)
        found = self._regions.array_behind(place)
        if found is None and self._regions.is_hidden(place):
            known = self._regions.known_bytes(place)
            found = (known, 1) if known is not None else None
        return found

    def is_all_known(self, pointer: Value) -> bool:
        """Whether all that lies behind ``pointer`` is an array without end, of members of which something is known."""
        return bool(self._regions.is_known_throughout(self._values.address(pointer)))

    def are_words(self, pointer: Value) -> bool:
        """Whether the memory from ``pointer`` on is an endless array of words, doubles, pointers and integers, which
        only the running program can tell apart."""
        return self._regions.are_words(self._values.address(pointer))

    def callees(self) -> Iterator[TypeResult]:
        """What was found in the functions that were analysed with this one, in each as often as it was."""
        for instance in self._instances[1:]:
            found = object.__new__(TypeResult)
            found.owner, found.function, found._instances = self.owner, instance.function, []
            found._regions, found._values = self._regions, instance
            yield found

    # --- contexts and printing -------------------------------------------------------------------------------------

    def arg_trees(self, call: CallBase) -> tuple[TypeTree | None, ...]:
        """The context in which this call sees its callee, for ``TypeAnalysis.analyze(callee, trees)``."""
        return tuple(None if isinstance(a, Constant) and not a.type.is_pointer else self.of(a) for a in call.args)

    def dump(self) -> str:
        lines = [f"types of @{self.function.name}"]
        for value in [*self.function.args, *self.function.instructions()]:
            tree = self.of(value) if str(value.type) != "void" and not self._is_small(value.type) else TypeTree()
            if tree.cells:
                shown = print_instruction(value).strip() if isinstance(value, Instruction) else f"%{value.name}"
                lines.append(f"  {tree} {shown}")
        return "\n".join(lines)

    def _ends_mantissa(self, value: Value) -> bool:
        """Whether it is an integer that is the end of a number's mantissa, by itself: words of flags in an array of
        numbers, or the lower word of a number that is rounded. The rest of the number has its derivative."""
        seen: set[Value] = set()
        work = [value]
        while work:
            each = work.pop()
            if each in seen or isinstance(each, Constant):
                continue
            seen.add(each)
            if isinstance(each, Load) and isinstance(each.type, IntType) and not self._is_small(each.type):
                if not self.rounds_number(each.pointer, self._size(each.type)):
                    return False
            elif isinstance(each, BinaryOp):
                work += each.operands
            else:
                return False
        return bool(seen)

    def _bytes(self, value: Value) -> list[int]:
        if self._ends_mantissa(value):
            return [INT] * self._size(value.type)
        found = self._regions.bytes_kind(self._values.register(value), self._size(value.type))
        if any(kind & FRAGMENT for kind in found) and self._is_declared(value):
            return [INT] * self._size(value.type)
        return found

    def _is_declared(self, value: Value) -> bool:
        """Whether an integer is made of integers alone, among them members that are declared so where objects of other
        classes have numbers: a member of a few bits that is set beside others, say."""
        seen: set[Value] = set()
        work = [value]
        while work:
            each = work.pop()
            if each in seen or isinstance(each, ConstantInt):
                continue
            seen.add(each)
            if isinstance(each, Load):
                if any(s.kind != INT for s in self.memory_kinds(each.pointer, self._size(each.type))):
                    return False
            elif isinstance(each, (BinaryOp, Cast)) and isinstance(each.operands[0].type, IntType):
                work += each.operands
            elif any(k != INT for k in self._regions.bytes_kind(self._values.register(each), self._size(each.type))):
                return False
        return True

    def _size(self, type: Type) -> int:
        return self._values.size(type) if str(type) != "void" else 0

    @staticmethod
    def _is_small(type: Type) -> bool:
        return isinstance(type.scalar, IntType) and type.scalar.bits < 8
