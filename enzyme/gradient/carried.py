"""Which floating-point data a value or a block of memory carries, as the derivative code needs to know it.

Where bytes move as integers or as a block, type analysis says what they are. Where it does not know and the answer
matters, that is an error naming the instruction; never a guess.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from enzyme.analysis.activity_callees import BLOCK_SIZE
from enzyme.analysis.integers import LARGEST
from enzyme.analysis.type_tree import FLOAT_BYTES, FRAGMENT, Kind, Segment
from enzyme.gradient import words
from enzyme.gradient.apply import is_float
from enzyme.gradient.subject import Subject
from enzyme.ir.builder import Builder
from enzyme.ir.types import DOUBLE, I8, I64, PTR, X86_FP80, ArrayType, IntType, StructType, Type, VectorType
from enzyme.ir.values import (
    Alloca,
    BinaryOp,
    CallBase,
    Cast,
    Compare,
    ConstantInt,
    DebugRecord,
    Freeze,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Value,
)
from enzyme.rules.known import known_call
from enzyme.support.diagnostics import TypeUnknownError

_LARGE = 512  # bytes up to which a block copy is looked at byte by byte
_PADDING = 8  # unknown bytes of a struct that are fewer than this, beside known ones, are padding


if TYPE_CHECKING:
    from enzyme.analysis.activity_result import ActivityResult
    from enzyme.gradient.engine import Engine


@dataclass(frozen=True)
class Part:
    """Floating-point data at a byte offset of a value: its type, and the path to it in the adjoint (a lane of a
    vector). ``either``: a pointer at other times (:mod:`enzyme.gradient.words`)."""

    offset: int
    type: Type
    path: tuple[int, ...]
    either: bool = False


def read_part(build: Builder, whole: Value, part: Part) -> Value:
    """The adjoint of a part, out of that of the whole value."""
    if isinstance(whole.type, VectorType) and part.path:
        return build.extract_element(whole, part.path[0])
    return build.extract_value(whole, *part.path)


def write_part(build: Builder, whole: Value, piece: Value, part: Part) -> Value:
    """The adjoint of the whole value with that of a part set."""
    if isinstance(whole.type, VectorType) and part.path:
        return build.insert_element(whole, piece, part.path[0])
    return build.insert_value(whole, piece, *part.path)


@dataclass(frozen=True)
class MovedPart:
    """A piece of a block that is copied: a number, a pointer, neither, or one or the other
    (:mod:`enzyme.gradient.words`)."""

    offset: int
    type: Type
    float: bool
    pointer: bool

    @property
    def either(self) -> bool:
        return self.float and self.pointer


def adjoint_type(subject: Subject, value: Value) -> Type:
    """The type of a value's adjoint: its own, or the floating-point type that an integer carries."""
    type = value.type
    if not isinstance(type.scalar, IntType):
        return type
    return _carried(subject, value, [*_value_segments(subject, value)])


def same_bits(build: Builder, value: Value, type: Type) -> Value:
    """An adjoint in the form its receiver knows: numbers in an integer are a vector of them on one side only."""
    return value if value.type is type else build.bitcast(value, type)


def _value_segments(subject: Subject, value: Value) -> list[Segment]:
    size = subject.module.datalayout.size_of(value.type)
    segments: list[Segment] = []
    offset = 0
    while offset < size:
        kind = subject.types.kind_of(value, offset)
        width = _width(subject, kind) or 1
        segments.append(Segment(offset, width, kind))
        offset += width
    conflict = any(segment.kind.is_conflict for segment in segments)
    if conflict:
        segments = subject.types.segments(value)
    if isinstance(value, Load) and conflict:
        settled = subject.types.memory_kinds(value.pointer, size)  # what is declared, or known of the class, decides
        if not any(s.kind.is_conflict or s.kind.is_unknown or s.kind.may_be_pointer for s in settled):
            return settled
    return segments


def _width(subject: Subject, kind: Kind) -> int:
    type = kind.float_type
    if type is not None:
        return subject.module.datalayout.size_of(type)
    return subject.module.datalayout.pointer_bits() // 8 if kind == Kind.POINTER else 1


def number_lanes(subject: Subject, value: Value) -> list[tuple[int, Type]] | None:
    """(byte offset, format) of the numbers in an integer, all of one format at multiples of its size and with nothing
    but integers and padding between them; None when that is not what it holds."""
    return _lanes(subject, value, _value_segments(subject, value))


def _lanes(subject: Subject, value: Value, segments: list[Segment]) -> list[tuple[int, Type]] | None:
    layout = subject.module.datalayout
    segments = _as_numbers(segments)
    formats = {s.kind.float_type for s in segments if s.kind.float_type is not None}
    if not formats:
        return None if any(s.kind.may_be_float for s in segments) else []
    if len(formats) > 1:
        return None
    (format,) = formats
    assert format is not None
    width, size = layout.size_of(format), layout.size_of(value.type)
    if size % width:
        return None
    found: list[tuple[int, Type]] = []
    for start in range(0, size, width):
        inside = [s for s in segments if s.offset < start + width and start < s.offset + s.size]
        if len(inside) == 1 and inside[0].kind.float_type is format and inside[0].size >= width:
            if (start - inside[0].offset) % width:
                return None
            found.append((start, format))
        elif any(s.kind.may_be_float and not s.kind.is_unknown for s in inside) or all(
            s.kind.is_unknown for s in inside
        ):
            return None
    return found


def _as_numbers(segments: list[Segment]) -> list[Segment]:
    """Numbers where there are integers at other times, or for other callers, as what they are when they are numbers:
    the shadow of an integer is zero, and may be moved as a number is. Likewise where there are pointers at other times,
    which stay marked."""
    return [
        replace(s, kind=Kind.DOUBLE)
        if s.either
        else replace(s, kind=s.kind & ~Kind.INT)
        if s.size == FLOAT_BYTES.get(int(s.kind & ~Kind.INT))
        else s
        for s in segments
    ]


def _carried(subject: Subject, value: Value, segments: list[Segment]) -> Type:
    size = subject.module.datalayout.size_of(value.type)
    lanes = _lanes(subject, value, segments)
    if lanes:
        format = lanes[0][1]
        count = size // subject.module.datalayout.size_of(format)
        return format if count == 1 else VectorType(count, format)
    mixed = _mixed(subject, segments)
    if mixed is not None and not isinstance(value.type, VectorType):
        return mixed
    inst = value if isinstance(value, Instruction) else None
    shown = ", ".join(str(s) for s in _merged(segments))
    hint = "copy the data as floating-point numbers, or compile with optimisation so that type metadata (TBAA) is there"
    if isinstance(value, Load) and isinstance(value.type, IntType):
        hint += "; an integer that is in one block of memory with numbers: allocate integers and numbers apart"
    if any(s.kind & FRAGMENT for s in segments):
        hint = (
            "an integer computed from the bits of a number is taken for a number: compute it by floating-point "
            "operations (ldexp for powers of two), or, where it is a first guess that needs no derivative, in a "
            "function that is declared inactive (enzyme_inactive)"
        )
    raise subject.refuse(
        inst,
        f"cannot tell what numbers this {value.type} carries",
        f"its bytes are: {shown}" + "".join(f"; {s.reason}" for s in segments if s.reason),
        hint,
        TypeUnknownError,
    )


def _mixed(subject: Subject, segments: list[Segment]) -> Type | None:
    """A packed struct for bytes that are whole numbers of several formats, and integers."""
    parts: list[Type] = []
    for segment in _merged(_as_numbers(segments)):
        number = segment.kind.float_type
        if number is not None:
            width = subject.module.datalayout.size_of(number)
            if segment.size % width:
                return None
            parts += [number] * (segment.size // width)
        elif segment.kind.is_unknown or segment.kind.may_be_float or segment.kind.may_be_pointer:
            return None
        else:
            parts.append(ArrayType(segment.size, I8))
    return StructType.literal(tuple(parts), packed=True)


def _merged(segments: list[Segment]) -> list[Segment]:
    """Neighbours of one kind as one segment, for a message."""
    made: list[Segment] = []
    for each in segments:
        last = made[-1] if made else None
        if last is not None and last.kind == each.kind and last.offset + last.size == each.offset:
            made[-1] = Segment(last.offset, last.size + each.size, last.kind, last.reason)
        else:
            made.append(each)
    return made


def is_count(value: Value) -> bool:
    """Whether an integer is one more or less (or so) than another: no pointer to numbers moves by an odd distance, but
    to be marked by the bits that it does not need."""
    if not isinstance(value, BinaryOp) or value.opcode not in ("add", "sub"):
        return False
    base, step = value.operands
    marked = isinstance(base, Cast) and base.opcode == "ptrtoint"
    return isinstance(step, ConstantInt) and step.value % 2 == 1 and not marked


def stores_pointer(subject: Subject, activity: ActivityResult, inst: Store) -> bool:
    """Whether a store puts a pointer, or an integer that is one, where the shadow of that pointer is to be found."""
    type = inst.value.type
    if type.scalar.is_pointer:
        return True
    if is_float(type):
        return False
    if isinstance(type, IntType) and type.bits == subject.module.datalayout.pointer_bits():
        kind = subject.types.memory_kinds(inst.pointer, type.bits // 8)[0].kind
        if kind & Kind.POINTER and not kind.may_be_float:
            return True
    return not is_count(inst.value) and (is_either(subject, inst) or activity.needs_shadow(inst.value))


def is_either(subject: Subject, inst: Store) -> bool:
    """Whether a store puts an integer where pointers are at some times, and numbers at others."""
    type = inst.value.type
    if not isinstance(type, IntType) or type.bits != 64 or isinstance(inst.value, ConstantInt):
        return False
    return _value_segments(subject, inst.value)[0].either or subject.types.memory_kinds(inst.pointer, 8)[0].either


def carried_parts(subject: Subject, inst: Instruction, value: Value, active: bool = True) -> list[Part]:
    """The floating-point parts of a value that is loaded or stored by ``inst``; empty when it has none. For a value
    that is not ``active`` they are what has to be cleared: bytes of which nobody knows what they are, too."""
    type = value.type
    if is_float(type):
        return [Part(0, type, ())]
    if isinstance(type, (StructType, ArrayType)):
        return _aggregate_parts(subject, type, 0, ())
    if not isinstance(type.scalar, IntType):
        return []
    if not active and _over_number(subject, inst, value):
        return [Part(0, type, ())]
    if isinstance(value, ConstantInt) and 0 < abs(value.value) <= LARGEST:
        return []
    segments = _value_segments(subject, value)
    if isinstance(inst, (Load, Store)) and any(s.kind.is_unknown for s in segments):
        size = subject.module.datalayout.size_of(type)
        segments = subject.types.memory_kinds(inst.pointer, size)
        if subject.types.is_mixed_integer(inst, size):
            return []
    if not any(s.kind.may_be_float for s in segments):
        return []
    if is_count(value) and any(s.kind.is_conflict for s in segments):
        return []
    lanes = _lanes(subject, value, segments)
    if lanes is None and not active:
        return [Part(0, type, ())]
    whole = _carried(subject, value, segments)
    either = {s.offset for s in segments if s.either}
    if isinstance(whole, StructType):
        return [replace(p, either=p.offset in either) for p in _aggregate_parts(subject, whole, 0, ())]
    if not isinstance(whole, VectorType):
        return [Part(0, whole, (), bool(either))]
    if not either and len(lanes or ()) == whole.count:
        return [Part(0, whole, ())]
    width = subject.module.datalayout.size_of(whole.element)
    return [Part(offset, format, (offset // width,), offset in either) for offset, format in lanes or ()]


def _over_number(subject: Subject, inst: Instruction, value: Value) -> bool:
    """Whether an integer is stored where nothing but numbers are, and not only over the end of a mantissa, which rounds
    the number."""
    if not isinstance(inst, Store):
        return False
    size = subject.module.datalayout.size_of(value.type)
    if isinstance(value.type, IntType) and subject.types.rounds_number(inst.pointer, size):
        return False
    return all(s.kind.is_float for s in subject.types.memory_kinds(inst.pointer, size))


def _aggregate_parts(subject: Subject, type: Type, base: int, path: tuple[int, ...]) -> list[Part]:
    layout = subject.module.datalayout
    if is_float(type):
        return [Part(base, type, path)]
    if isinstance(type, StructType):
        offsets = layout.struct_offsets(type)
        return [
            p
            for i, e in enumerate(type.elements or ())
            for p in _aggregate_parts(subject, e, base + offsets[i], (*path, i))
        ]
    if isinstance(type, ArrayType):
        step = layout.alloc_size(type.element)
        return [
            p for i in range(type.count) for p in _aggregate_parts(subject, type.element, base + i * step, (*path, i))
        ]
    return []


@dataclass(frozen=True)
class Moved:
    """What a block copy moves: an array of numbers of one format, or ``parts``, once or in every ``period`` bytes.
    ``has_rest``: the length is the allocator's, which is no multiple of the period; what is behind the last whole one
    is nobody's. ``head``: so many bytes come before the array, with ``head_parts`` in them. ``words``: the periods are
    those of the address, not of the block."""

    parts: list[MovedPart]
    period: int | None = None
    format: Type | None = None
    has_rest: bool = False
    head: int = 0
    head_parts: tuple[MovedPart, ...] = ()
    words: bool = False

    @property
    def pointers(self) -> bool:
        return any(p.pointer for p in (*self.parts, *self.head_parts))

    @property
    def floats(self) -> bool:
        return self.format is not None or any(p.float for p in (*self.parts, *self.head_parts))


def moved_parts(subject: Subject, inst: Instruction, source: Value | None, destination: Value, length: Value) -> Moved:
    """What a block copy or fill of ``length`` bytes moves."""
    size = length.value if isinstance(length, ConstantInt) else None
    if size is None or size > _LARGE:
        kind = _repeated(subject, source, destination, length)
        if kind is not None:
            if kind.float_type is not None:
                return Moved([], format=kind.float_type)
            return Moved([MovedPart(0, PTR, False, True)] if kind == Kind.POINTER else [])
        if size is None:
            found = _periodic(subject, inst, source, destination, length)
            found = found if found is not None else _headed(subject, inst, source, destination)
            if found is None and source is not None and any(map(subject.types.are_words, (destination, source))):
                return Moved([MovedPart(0, DOUBLE, True, True)], 8, has_rest=_is_block_size(length))
            return found if found is not None else _unknown_length(subject, inst, source, destination)
    return Moved(_parts(subject, inst, source, _segments(subject, source, destination, size, inst)))


def _periodic(
    subject: Subject, inst: Instruction, source: Value | None, destination: Value, length: Value
) -> Moved | None:
    """The fields of the structs that a block is an array of: by how its memory is walked, or by what its length is a
    multiple of."""
    periods = {p: None for each in (destination, source) if each is not None for p in subject.types.periods(each)}
    periods[constant_factor(length)] = None
    for period in periods:
        if not 1 < period <= _LARGE:
            continue
        segments = _segments(subject, source, destination, period, inst)
        if not any(s.kind.is_conflict or (s.kind.is_unknown and s.size >= _PADDING) for s in segments):
            known = [s for s in segments if not s.kind.is_unknown]
            if any(s.kind.float_type is not None and s.size % _width(subject, s.kind) for s in known):
                continue
            return Moved(_parts(subject, inst, source, known), period, has_rest=_is_block_size(length))
    return None


def _headed(subject: Subject, inst: Instruction, source: Value | None, destination: Value) -> Moved | None:
    """Members of a struct and the array without end that follows them, as far as they are known."""
    layout = next((f for p in (destination, source) if p is not None and (f := subject.types.array_behind(p))), None)
    if layout is None or max(layout) > _LARGE:
        return None
    head, period = layout
    before: list[Segment] = []
    behind: list[Segment] = []
    for each in _segments(subject, source, destination, head + period, inst):
        inside = head - each.offset
        if each.kind.is_conflict and not each.either or (each.kind.is_unknown and each.size >= _PADDING):
            return None
        if each.kind.is_unknown:
            continue
        if 0 < inside < each.size and each.kind != Kind.INT:
            return None
        if inside > 0:
            before.append(replace(each, size=min(inside, each.size)))
        if inside < each.size:
            behind.append(replace(each, offset=max(-inside, 0), size=each.size - max(inside, 0)))
    for each in (*before, *behind):
        if each.kind.float_type is not None and each.size % _width(subject, each.kind):
            return None
    head_parts = tuple(_parts(subject, inst, source, before))
    return Moved(_parts(subject, inst, source, behind), period, head=head, head_parts=head_parts)


def _stays_here(subject: Subject, inst: Instruction) -> bool:
    """Whether what a block copy fills are locals that this function alone works on, by accesses of its own."""
    known = known_call(inst) if isinstance(inst, CallBase) else None
    if not isinstance(inst, CallBase) or known is None or known.transfer is None:
        return False
    memories = subject.alias.underlying_objects(inst.args[known.transfer.destination])
    return all(isinstance(m.value, Alloca) and _only_accessed(m.value) for m in memories)


def _only_accessed(local: Alloca) -> bool:
    seen: set[Value] = set()
    work: list[Value] = [local]
    while work:
        at = work.pop()
        if at in seen:
            continue
        seen.add(at)
        for user in at.users:
            if isinstance(user, (GetElementPtr, Phi, Select, Freeze)):
                work.append(user)
            elif isinstance(user, Store):
                if user.value is at:
                    return False
            elif isinstance(user, CallBase):
                if not (user.callee_name or "").startswith(("llvm.mem", "llvm.lifetime.")):
                    return False
            elif not isinstance(user, (Load, Compare, DebugRecord)):
                return False
    return True


def _parts(subject: Subject, inst: Instruction, source: Value | None, segments: list[Segment]) -> list[MovedPart]:
    parts: list[MovedPart] = []
    if _no_room(segments):
        return parts
    for segment in _without_padding(segments):
        float_type = segment.kind.float_type
        if segment.kind.is_unknown or (segment.kind.may_be_float and float_type is None):
            if source is None:  # a fill: what is there is overwritten, whatever it is
                parts.append(MovedPart(segment.offset, PTR, False, False))
                continue
            if segment.kind.is_unknown and _stays_here(subject, inst):
                continue  # every access of the copy is in view, and none is to these bytes
            raise subject.refuse(
                inst,
                "cannot tell what this block copy moves",
                f"bytes {segment.offset} to {segment.offset + segment.size - 1} of it are {segment.kind.label()}: "
                f"{segment.reason or 'nothing tells their type'}",
                "copy element by element, or compile with optimisation so that type metadata (TBAA) is there",
                TypeUnknownError,
            )
        width = _width(subject, segment.kind)
        step = subject.module.datalayout.alloc_size(float_type) if float_type is not None else width
        if float_type is not None and segment.size % step not in (0, width % step):
            if source is None:
                parts.append(MovedPart(segment.offset, PTR, False, False))
                continue
            raise subject.refuse(
                inst,
                "cannot differentiate a block copy of a part of a number",
                f"bytes {segment.offset} to {segment.offset + segment.size - 1} of it are a piece of a {float_type}",
                "copy whole numbers",
            )
        for offset in range(segment.offset, segment.offset + segment.size, step):
            if float_type is not None:
                parts.append(MovedPart(offset, float_type, True, segment.either))
            elif segment.kind == Kind.POINTER:
                parts.append(MovedPart(offset, PTR, False, True))
    return parts


def _no_room(segments: list[Segment]) -> bool:
    """Whether four bytes or less are copied where pointers and doubles meet: neither fits, so there is an integer, as
    in loads of that size."""
    mixed = Kind.POINTER | Kind.DOUBLE
    allowed = mixed | Kind.INT | Kind.FRAGMENT
    return sum(s.size for s in segments) <= 4 and all(
        s.kind & mixed == mixed and not s.kind & ~allowed for s in segments
    )


def _without_padding(segments: list[Segment]) -> list[Segment]:
    """Without the six bytes that follow the ten of an x86_fp80, whatever they were taken for."""
    found: list[Segment] = []
    padding = 0
    for segment in segments:
        inside = min(padding - segment.offset, segment.size)
        if inside > 0 and (segment.kind.is_unknown or not segment.kind.may_be_pointer):
            if inside == segment.size:
                continue
            segment = replace(segment, offset=segment.offset + inside, size=segment.size - inside)
        found.append(segment)
        if segment.kind.float_type is X86_FP80:
            padding = segment.offset + (segment.size + 15) // 16 * 16
    return found


def clear(subject: Subject, build: Builder, engine: Engine, destination: Value, shadow: Value, size: Value) -> None:
    """Clear the shadow of a block that constant data is written to, whatever it holds, but for pointers: those of the
    user's own structures should lead where they led."""
    constant = size.value if isinstance(size, ConstantInt) else None
    if constant is None or constant > _LARGE:
        if _repeated(subject, None, destination, size) != Kind.POINTER:
            engine.memset_zero(build, shadow, size, 1)
        return
    begin = 0
    segments = subject.types.memory_kinds(destination, constant)
    for each in (*(s for s in segments if s.kind == Kind.POINTER or s.either), Segment(constant, 0, Kind.UNKNOWN)):
        if each.offset > begin:
            engine.memset_zero(build, build.offset(shadow, begin), ConstantInt(I64, each.offset - begin), 1)
        if each.either:
            words.take(engine, build, build.offset(shadow, each.offset))
        begin = each.offset + each.size


def _unknown_length(subject: Subject, inst: Instruction, source: Value | None, destination: Value) -> Moved:
    if source is None and not subject.types.memory_may_carry_float(destination, None):
        return Moved([])
    if source is None and subject.types.is_all_known(destination):
        return Moved([MovedPart(0, DOUBLE, True, True)], 8, has_rest=True, words=True)
    beginning = ", ".join(str(s) for s in _merged(_segments(subject, source, destination, 16)))
    raise subject.refuse(
        inst,
        "cannot tell what this block copy of unknown length moves"
        if source is not None
        else "cannot tell what this fill of unknown length overwrites",
        f"the block is not known to be an array of one kind; it begins with {beginning}",
        "copy the elements in a loop; text, in a function that is declared inactive (enzyme_inactive)",
        TypeUnknownError,
    )


def _repeated(subject: Subject, source: Value | None, destination: Value, length: Value) -> Kind | None:
    """The one kind of number, pointer or integer that a block is an array of: by all that is known of its memory, or
    because it begins with that kind and its length is a multiple of that size (an array inside a structure)."""
    unit = constant_factor(length)
    for pointer in (destination, source):
        if pointer is None:
            continue
        found = subject.types.element_kind(pointer)
        if found is not None and not found[0].is_unknown:
            return found[0]
        segments = subject.types.memory_kinds(pointer, unit) if unit in (2, 4, 8, 16) else []
        first = _as_numbers(segments)[0].kind if segments else Kind.UNKNOWN
        if segments and segments[0].either:
            continue
        if not first.is_unknown and not first.is_conflict and _width(subject, first) == unit:
            return first
    return None


def _is_block_size(length: Value) -> bool:
    """Whether a length is made of what the allocator gave for a block."""
    if isinstance(length, CallBase):
        name = length.callee_name or ""
        return name == BLOCK_SIZE or (name.startswith("llvm.umin.") and any(map(_is_block_size, length.args)))
    return isinstance(length, BinaryOp) and length.opcode == "sub" and any(map(_is_block_size, length.operands))


def constant_factor(length: Value) -> int:
    """A constant that a byte count is known to be a multiple of: 8 for n * sizeof(double)."""
    if isinstance(length, ConstantInt):
        return length.value
    if isinstance(length, Cast) and length.opcode in ("zext", "sext"):
        return constant_factor(length.operands[0])
    if isinstance(length, BinaryOp) and isinstance(length.operands[1], ConstantInt):
        if length.opcode == "mul":
            return abs(length.operands[1].value)
        if length.opcode == "shl":
            return 1 << length.operands[1].value
    if isinstance(length, BinaryOp) and length.opcode == "add" and isinstance(length.operands[1], ConstantInt):
        factor = constant_factor(length.operands[0])
        return factor if factor and length.operands[1].value % factor == 0 else 1
    return 1


def _segments(
    subject: Subject, source: Value | None, destination: Value, size: int, copy: Instruction | None = None
) -> list[Segment]:
    """Segments by the destination's memory, completed by the source's."""
    found = _as_numbers(subject.types.memory_kinds(destination, size, copy))
    if source is None or not any(s.kind.is_unknown or s.kind.is_conflict for s in found):
        return found
    other = _as_numbers(subject.types.memory_kinds(source, size, copy))
    return other if not any(s.kind.is_unknown or s.kind.is_conflict for s in other) else found
