"""Transfer functions of type analysis: what each instruction says about bytes.

Evidence comes in three strengths. *Hard* facts hold whatever else is found: typed floating-point and pointer accesses,
TBAA floating-point tags, declared floating-point and pointer members. *Flows* move facts: copies between memory and
values (both ways), bit operations (forward only). *Weak* evidence that bytes are integers (arithmetic, indices, TBAA
integer tags, declared integer members) counts only where the hard facts and flows found neither number nor pointer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd

from enzyme.analysis.activity_callees import Callees
from enzyme.analysis.folds import round_up
from enzyme.analysis.index_bounds import least, reach
from enzyme.analysis.integers import Integers
from enzyme.analysis.multiples import Multiples
from enzyme.analysis.type_tree import BY_FORMAT, FLOATISH, FRAGMENT, INT, MANTISSA, POINTER
from enzyme.analysis.types_reasons import Reason, inside
from enzyme.analysis.types_regions import Place, Region, Regions
from enzyme.analysis.types_tbaa import Field, TypeMetadata
from enzyme.analysis.types_views import Views
from enzyme.ir.layout import DataLayout
from enzyme.ir.types import I8, ArrayType, FloatType, IntType, PointerType, StructType, Type, VectorType
from enzyme.ir.values import (
    Block,
    Constant,
    ConstantAggregate,
    ConstantExpr,
    ConstantInt,
    ConstantString,
    ConstantToken,
    Function,
    GetElementPtr,
    GlobalAlias,
    GlobalVariable,
    Instruction,
    Value,
)


@dataclass(frozen=True)
class Steps:
    """The variable steps on the way to an address: the least offset at which one was made, their greatest common
    divisor, and, of the last one, the step and the declared array (its first offset and its end) that it stays in."""

    start: int
    divisor: int
    last: int
    array: tuple[int, int] | None

    def and_then(self, offset: int, stride: int, array: tuple[int, int] | None) -> Steps:
        return Steps(min(self.start, offset), gcd(self.divisor, stride), stride, array)

    def kept(self, offset: int) -> int:
        """Where a constant step to ``offset`` leads."""
        if offset < self.start:
            offset += -((offset - self.start) // self.divisor) * self.divisor
        if self.array is not None and offset >= self.array[0]:  # as early in it as can be: a vector fits in behind
            offset = self.array[0] + (offset - self.array[0]) % self.last
        return offset


_FILLING = frozenset((1, 2, 3, 5, 6, 7))
"""Lengths of byte arrays with which clang fills packed structs up; four bytes could be storage for a float."""
LONGEST_COPY = 1024  # bytes of a block copy that are followed one by one; longer ones unify source and destination


@dataclass(frozen=True)
class Move:
    """``size`` bytes go between two places; ``both`` ways unless the right one is only computed from the left.

    ``integer``: the access itself says that it is one of an integer, which counts where pointers and numbers meet at
    one offset: objects of several classes are behind the pointer then. ``address``: the value is no number, so pointers
    alone go across. ``cleared``: before these come so many bytes that are zero on the right; with them they are a
    number that is rounded, where they are a number."""

    left: Place
    right: Place
    size: int
    both: bool
    note: Reason
    integer: bool = False
    address: bool = False
    cleared: int = 0


@dataclass(frozen=True)
class Derived:
    """An integer ``result`` computed from ``sources`` by arithmetic: pieces of numbers stay pieces of numbers."""

    result: Place
    size: int
    sources: tuple[tuple[Place, int], ...]
    drops_mantissa: int | None  # shift distance of a logical right shift
    note: Reason
    loaded: Mapping[Place, Place]  # of sources that are loads, where from


@dataclass
class Facts:
    """Everything collected about one whole analysis, to be solved by :mod:`enzyme.analysis.types_analysis`."""

    layout: DataLayout
    metadata: TypeMetadata
    callees: Callees
    integers: Integers
    multiples: Multiples
    regions: Regions
    views: Views
    moves: list[Move] = field(default_factory=list)
    derived: list[Derived] = field(default_factory=list)
    weak: list[tuple[Place, int, Reason]] = field(default_factory=list)
    declared: list[tuple[Place, int, Reason]] = field(default_factory=list)
    global_memory: dict[Value, Region] = field(default_factory=dict)


class ValueTypes:
    """The places of one instance of a function: bytes of its values and the memory its pointers point to."""

    def __init__(self, facts: Facts, function: Function) -> None:
        self.facts, self.function = facts, function
        self.layout, self.regions = facts.layout, facts.regions
        self.integers = facts.integers.of(function)
        self.addresses = facts.integers.addresses(function)
        self._registers: dict[Value, Region] = {}
        self._memory: dict[Value, Place] = {}
        self._steps: dict[Value, Steps | None] = {}

    # --- where values live -----------------------------------------------------------------------------------------

    def size(self, type: Type) -> int:
        return self.layout.size_of(type)

    def register(self, value: Value) -> Place:
        """The bytes of a value; constants get fresh ones each time."""
        found = self._registers.get(value)
        if found is None:
            found = Region()
            if value in self.integers:  # a fresh one each time: nothing flows from one use to the next
                self.regions.add_int((found, 0), self.size(value.type), "made of integers alone")
                return found, 0
            if not isinstance(value, Constant):
                self._registers[value] = found
            if value in self.addresses:
                self.facts.weak.append(((found, 0), self.size(value.type), "an integer or an address"))
            if isinstance(value, Constant):
                self._constant((found, 0), value)
            elif isinstance(value.type, PointerType):
                self.regions.add_pointer((found, 0), self.address(value), "a pointer by its type")
            else:
                self.hard_type((found, 0), value.type, "by its type")
        return found, 0

    def address(self, value: Value) -> Place:
        """The place that a pointer points to."""
        found = self._memory.get(value)
        if found is None:
            found = self._constant_address(value) if isinstance(value, Constant) else self._derive(value)
            self._memory[value] = found
        return found

    def _derive(self, value: Value) -> Place:
        if isinstance(value, Instruction):
            if value.opcode in ("bitcast", "addrspacecast") and value.operands[0].type.scalar.is_pointer:
                return self.address(value.operands[0])
            if isinstance(value, GetElementPtr):
                place, self._steps[value] = self._walk(value.base, value.source_type, value.indices, value.block)
                return place
        return Region(), 0

    def _constant_address(self, value: Constant) -> Place:
        while isinstance(value, GlobalAlias) and isinstance(value.aliasee, Constant):
            value = value.aliasee
        if isinstance(value, (GlobalVariable, Function)):
            region = self.facts.global_memory.get(value)
            if region is None:
                region = self.facts.global_memory[value] = Region()
                if isinstance(value, GlobalVariable):
                    self._global(region, value)
            return region, 0
        if isinstance(value, ConstantExpr) and value.opcode == "getelementptr" and value.source_type is not None:
            return self._walk(value.args[0], value.source_type, value.args[1:])[0]
        if isinstance(value, ConstantExpr) and value.args and value.args[0].type.is_pointer:
            return self.address(value.args[0])
        return Region(), 0

    def _global(self, region: Region, value: GlobalVariable) -> None:
        note = f"declared type of @{value.name}"
        self.hard_type((region, 0), value.value_type, note)
        self.declared_type((region, 0), value.value_type, note)
        if value.initializer is not None and not isinstance(value.initializer, ConstantToken):
            self._constant((region, 0), value.initializer)

    def _walk(
        self, base: Value, source_type: Type, indices: Sequence[Value], at: Block | None = None
    ) -> tuple[Place, Steps | None]:
        """Address arithmetic: constant steps add up, variable steps fold what they range over. A constant step behind a
        variable one stays inside what the variable one ranges over: it does not lead to before where that began
        (``a[n - 1]``), nor out of the declared array that it began in (``a[n + 16]``, in a loop over blocks)."""
        region, offset = self.address(base)
        steps = self._steps.get(base)
        type: Type | None = None
        for index in indices:
            length: int | None = None
            if type is None:
                stride, type = self.layout.alloc_size(source_type), source_type
            elif isinstance(type, StructType):
                number = index.value if isinstance(index, ConstantInt) else 0
                offset += self.layout.struct_offsets(type)[number]
                assert type.elements is not None
                type = type.elements[number]
                continue
            elif isinstance(type, (ArrayType, VectorType)):
                stride, length, type = self.layout.alloc_size(type.element), type.count, type.element
            else:
                break
            if isinstance(index, ConstantInt):
                offset += stride * index.value
            elif stride:
                unit = stride
                if stride == 1 and length is None:
                    stride = self.facts.multiples.divisor(index, at)
                    if not stride:
                        continue
                end = stride * length if length and length > 1 else reach(index, unit, stride)
                first = self.regions.into_array((region, offset), round_up(unit * least(index), stride), end)
                array = self.regions.index((region, offset + first), stride, None if end is None else end - first)
                steps = Steps(offset, stride, stride, array) if steps is None else steps.and_then(offset, stride, array)
                offset += first
        return (region, steps.kept(offset) if steps is not None else offset), steps

    # --- types as evidence -----------------------------------------------------------------------------------------

    def hard_type(self, place: Place, type: Type, note: Reason) -> None:
        """Floating-point and pointer parts of a type."""
        region, base = place
        for offset, leaf in self._leaves(place, type):
            if isinstance(leaf, FloatType):
                self.regions.add_kind((region, base + offset), BY_FORMAT[leaf.kind], note)
            elif isinstance(leaf, PointerType):
                self.regions.add_kind((region, base + offset), POINTER, note)

    def _leaves(self, place: Place, type: Type) -> Iterator[tuple[int, Type]]:
        """Scalar parts with their offsets; long arrays are folded at ``place`` and give their first element."""
        if isinstance(type, StructType):
            if type.elements is not None and interesting(type):
                for offset, part in zip(self.layout.struct_offsets(type), type.elements, strict=True):
                    for inner, leaf in self._leaves((place[0], place[1] + offset), part):
                        yield offset + inner, leaf
        elif isinstance(type, (ArrayType, VectorType)):
            if type.count and interesting(type):
                vector = isinstance(type, VectorType)
                stride = self.size(type.element) if vector else self.layout.alloc_size(type.element)
                repeat = type.count if vector and type.count <= 4 else 1
                if repeat < type.count:
                    self.regions.fold(place, stride, stride * type.count, declared=True)
                for number in range(repeat):
                    for inner, leaf in self._leaves((place[0], place[1] + number * stride), type.element):
                        yield number * stride + inner, leaf
        else:
            yield 0, type

    def declared_type(self, place: Place, type: Type, note: Reason, followed: bool = False) -> None:
        """Integer members and padding of declared structs (not unions) as the weakest evidence. ``followed``: another
        member of a struct is behind."""
        region, base = place
        if isinstance(type, ArrayType) and isinstance(type.element, StructType):
            self.declared_type(place, type.element, note)
        if not isinstance(type, StructType) or type.elements is None or type.name is None or "union" in type.name:
            return
        end, members = 0, list(zip(self.layout.struct_offsets(type), type.elements, strict=True))
        last = max((offset for offset, part in members if not self._fills(type, offset, part)), default=0)
        for offset, part in members:
            if offset > end:
                self.facts.declared.append(((region, base + end), offset - end, f"padding of {type}"))
            end = offset + self.size(part)
            if isinstance(part, IntType):
                member = inside("{}: " + f"{part} member of {type}", note)
                self.facts.declared.append(((region, base + offset), self.size(part), member))
            elif isinstance(part, ArrayType) and self._fills(type, offset, part):
                self.facts.declared.append(((region, base + offset), part.count, f"padding of {type}"))
            elif isinstance(part, (StructType, ArrayType)):
                behind = followed or offset < last
                self._member_array((region, base + offset), part, behind)
                self.declared_type((region, base + offset), part, note, behind)
        if self.layout.alloc_size(type) > end:
            self.facts.declared.append(((region, base + end), self.layout.alloc_size(type) - end, f"padding of {type}"))

    def _fills(self, type: StructType, offset: int, part: Type) -> bool:
        """Whether bytes that are a member of a struct are padding that was spelled out. Four of them may be storage of
        the program's, but not behind half a word at the end of a struct that is packed and whole words long: there
        clang fills up a class whose last word a derived class may use."""
        if not isinstance(part, ArrayType) or part.element is not I8:
            return False
        if part.count in _FILLING:
            return True
        size = self.layout.alloc_size(type)
        return part.count == 4 and type.packed and offset + 4 == size and size % 8 == 0

    def _member_array(self, place: Place, type: Type, followed: bool) -> None:
        """Indices into an array of integers, a member of a struct, stay in it: what comes behind is not folded with it.
        Bytes may be storage for anything. An array of one element, of whatever, may be one of unknown length at the end
        of a struct, but not where other members follow."""
        count, element = 1, type
        while isinstance(element, ArrayType):
            count, element = count * element.count, element.element
        if element is type or element == I8:
            return
        if (count == 1 and followed) or (count > 1 and isinstance(element, IntType)):
            stride = self.layout.alloc_size(element)
            self.regions.fold(place, stride, stride * count, declared=True)

    def fields(self, place: Place, fields: list[Field], note: Reason) -> None:
        """Evidence from TBAA metadata."""
        region, base = place
        for offset, kind, size in fields:
            at = (region, base + offset)
            if kind == INT:
                self.facts.weak.append((at, size, note))
            elif kind:
                self.regions.add_kind(at, kind, note)

    # --- values in places ------------------------------------------------------------------------------------------

    def seen(self, value: Value) -> Place:
        """The place that a pointer points to, for what may point elsewhere, too: an object with virtual methods is seen
        through a view, and so are objects of other classes."""
        place = self.address(value)
        if not self.regions.tables(place):
            return place
        view = (Region(), 0)
        self.facts.views.add(view, place)
        return view

    def link(self, place: Place, value: Value, note: Reason, integer: bool = False) -> None:
        """The bytes at ``place`` are those of ``value``."""
        type = value.type
        if value in self.integers:
            self.facts.weak.append((place, self.size(type), note))
        elif isinstance(value, Constant) and not isinstance(type, PointerType):
            self._constant(place, value)
        elif isinstance(type, PointerType):
            self.regions.add_kind(place, POINTER, note)
            if not isinstance(value, ConstantToken):
                self.regions.set_target(place, self.address(value))
        elif only_floats(type):
            self.hard_type(place, type, note)
        elif not (isinstance(type, IntType) and type.bits < 8):
            self.hard_type(place, type, note)
            address = value in self.addresses
            self.facts.moves.append(Move(place, self.register(value), self.size(type), True, note, integer, address))

    def _constant(self, place: Place, value: Value) -> None:
        region, base = place
        type = value.type
        if isinstance(type, PointerType):
            self.regions.add_kind(place, POINTER, "a pointer constant")
            if not isinstance(value, ConstantToken):
                self.regions.set_target(place, self.address(value))
        elif isinstance(value, ConstantInt):
            if 0 < abs(value.value) <= 4096 and value.value != -1 and isinstance(type, IntType) and type.bits <= 64:
                self.facts.weak.append((place, self.size(type), f"a small integer constant ({value.value})"))
        elif isinstance(value, ConstantAggregate):
            offsets: tuple[int, ...] | list[int]
            if isinstance(type, StructType):
                offsets = self.layout.struct_offsets(type)
            elif isinstance(type, ArrayType):
                stride = self.layout.alloc_size(type.element)
                offsets = [stride * i for i in range(type.count)]
                if len(value.elements) > 4:
                    self.regions.fold(place, stride, stride * type.count)
            else:
                assert isinstance(type, VectorType)
                offsets = [self.size(type.element) * i for i in range(type.count)]
            for offset, element in zip(offsets, value.elements, strict=False):
                self._constant((region, base + offset), element)
        elif isinstance(value, ConstantString):
            self.facts.weak.append((place, min(self.size(type), 64), "a string constant"))
        else:
            self.hard_type(place, type, "type of a constant")

    def same(self, left: Value, right: Value, note: Reason) -> None:
        """Two values with the same bits (``left`` is no constant)."""
        if isinstance(left.type, PointerType) and isinstance(right.type, PointerType):
            if not isinstance(right, ConstantToken):
                self.regions.unify(self.address(left), self.address(right))
        elif not only_floats(left.type) or not only_floats(right.type):
            if self._is_small(left.type) or left in self.integers:
                return
            self.link(self.register(left), right, note)

    @staticmethod
    def _is_small(type: Type) -> bool:
        return isinstance(type.scalar, IntType) and type.scalar.bits < 8

    def weak_int(self, value: Value, note: Reason) -> None:
        """``value`` is used the way integers are."""
        if isinstance(value, Constant) or self._is_small(value.type):
            return
        if isinstance(value.type.scalar, IntType):
            self.facts.weak.append((self.register(value), self.size(value.type), note))


def interesting(type: Type) -> bool:
    """Whether a type has a floating-point or pointer part."""
    if isinstance(type, (ArrayType, VectorType)):
        return interesting(type.element)
    if isinstance(type, StructType):
        return any(map(interesting, type.elements or ()))
    return isinstance(type, (FloatType, PointerType))


def only_floats(type: Type) -> bool:
    """Whether a type consists of floating-point parts alone."""
    if isinstance(type, (ArrayType, VectorType)):
        return only_floats(type.element)
    if isinstance(type, StructType):
        return bool(type.elements) and all(map(only_floats, type.elements or ()))
    return isinstance(type, FloatType)


def derive(facts: Facts, rule: Derived) -> None:
    """Run one arithmetic rule: taint by pieces of numbers."""
    regions = facts.regions
    kinds = 0
    for place, size in rule.sources:
        if not _ends_mantissa(regions, rule, place, size):
            for kind in regions.bytes_kind(place, size):
                kinds |= kind
    if not kinds & FLOATISH:
        return
    if rule.drops_mantissa is not None and not kinds & FRAGMENT:
        mantissa = max((m for bit, m in MANTISSA.items() if kinds & bit), default=1 << 30)
        if rule.drops_mantissa >= mantissa:
            return
    regions.add_kind(rule.result, FRAGMENT, rule.note)


def derive_int(facts: Facts, rule: Derived) -> None:
    """Arithmetic on integers gives an integer (run only once the hard facts are complete)."""
    regions = facts.regions
    result = regions.bytes_kind(rule.result, rule.size)
    if any(k & ~INT for k in result) or all(result):
        return
    if all(
        _ends_mantissa(regions, rule, place, size) or all(k == INT for k in regions.bytes_kind(place, size))
        for place, size in rule.sources
    ):
        regions.add_int(rule.result, rule.size, rule.note)


def _ends_mantissa(regions: Regions, rule: Derived, place: Place, size: int) -> bool:
    loaded = rule.loaded.get(place)
    return loaded is not None and regions.ends_mantissa(loaded, size)
