"""Block copies of run-time length of arrays of structs: their fields are moved one by one, by a made function.

``struct.pointers`` moves the pointers of each element from one shadow to the other, ``struct.numbers`` undoes the copy:
what the destination's shadow received goes to the source's, and is cleared. Both go through the elements in the order
that lets blocks overlap, as memmove does. A length that is no multiple of the struct's stops the program.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from enzyme.gradient import words
from enzyme.gradient.carried import Moved, MovedPart
from enzyme.gradient.runtime import STOP, ZEROS
from enzyme.ir.builder import Builder
from enzyme.ir.types import I64, PTR
from enzyme.ir.values import ConstantInt, Function, Value, zero

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine

_LOOP = """
@enzyme.rt.part.message = internal constant [51 x i8] c"enzyme: a block copy ends in the midst of a struct\\00"
define internal void @{NAME}(ptr %to, ptr %from, i64 %bytes) nounwind {{
entry:
  %rest = urem i64 %bytes, {PERIOD}
  %whole = icmp eq i64 %rest, 0
  br i1 %whole, label %fits, label %bad
bad:
  call void @enzyme.rt.stop(ptr @enzyme.rt.part.message)
  unreachable
fits:
  %none = icmp eq i64 %bytes, 0
  %same = icmp eq ptr %to, %from
  %nothing = or i1 %none, %same
  br i1 %nothing, label %done, label %which
which:
  %up = icmp {FIRST} ptr %to, %from
  %last = sub i64 %bytes, {PERIOD}
  %begin = select i1 %up, i64 0, i64 %last
  %step = select i1 %up, i64 {PERIOD}, i64 -{PERIOD}
  br label %loop
loop:
  %left = phi i64 [ %bytes, %which ], [ %left.next, %loop ]
  %at = phi i64 [ %begin, %which ], [ %at.next, %loop ]
  %t = getelementptr i8, ptr %to, i64 %at
  %f = getelementptr i8, ptr %from, i64 %at
{BODY}
  %at.next = add i64 %at, %step
  %left.next = sub i64 %left, {PERIOD}
  %end = icmp eq i64 %left.next, 0
  br i1 %end, label %done, label %loop
done:
  ret void
}}
"""


Block = tuple[int, Sequence[MovedPart], Value, Value, Value]
"""The period of an array, what each element holds, its two addresses and its length in bytes."""


def move_pointers(engine: Engine, build: Builder, moved: Moved, to: Value, origin: Value, length: Value) -> None:
    """The pointers among what a block copy moves go from one shadow to the other."""
    if moved.period is not None:
        for period, parts, *operands in _blocks(build, moved, to, origin, build.zext(length, I64), "ult"):
            if any(part.pointer for part in parts):
                build.call(pointer_mover(engine, period, parts), operands)
        return
    pointers = [part for part in moved.parts if part.pointer]
    loaded = [build.load(I64 if part.either else part.type, build.offset(origin, part.offset), 1) for part in pointers]
    for part, value in zip(pointers, loaded, strict=True):
        if part.either:
            words.put(engine, build, build.offset(to, part.offset), value)
        else:
            build.store(value, build.offset(to, part.offset), 1)


def return_numbers(engine: Engine, build: Builder, moved: Moved, to: Value, origin: Value, bytes: Value) -> None:
    """The adjoints of the numbers that a block copy moved go from one shadow to the other."""
    for period, parts, *operands in _blocks(build, moved, to, origin, bytes, "uge"):
        if any(part.float for part in parts):
            build.call(number_returner(engine, period, parts), operands)


def clear_numbers(engine: Engine, build: Builder, moved: Moved, to: Value, bytes: Value) -> None:
    """The adjoints of the numbers that a block copy moved are cleared."""
    for period, parts, *operands in _blocks(build, moved, to, zero(PTR), bytes, "ult"):
        if any(part.float for part in parts):
            build.call(number_clearer(engine, period, parts), operands)


def _blocks(build: Builder, moved: Moved, to: Value, origin: Value, bytes: Value, first: str) -> list[Block]:
    """The arrays that make up a block, in the order that lets blocks overlap."""
    assert moved.period is not None
    none = zero(I64)
    if moved.words:  # from the first whole word on
        skipped = build.and_(build.sub(none, build.cast("ptrtoint", to, I64)), ConstantInt(I64, moved.period - 1))
        skipped = build.select(build.icmp("ult", skipped, bytes), skipped, bytes)
        to, origin, bytes = build.offset(to, skipped), build.offset(origin, skipped), build.sub(bytes, skipped)
    head = ConstantInt(I64, moved.head)
    short = build.icmp("ult", bytes, head)
    rest = build.select(short, none, build.sub(bytes, head))
    if moved.has_rest:
        period = ConstantInt(I64, moved.period)
        rest = build.mul(build.udiv(rest, period), period)
    if not moved.head:
        return [(moved.period, moved.parts, to, origin, rest)]
    front = build.select(short, none if moved.has_rest else bytes, head)  # a part of it stops the program
    array = (moved.period, moved.parts, build.offset(to, head), build.offset(origin, head), rest)
    if not moved.head_parts:
        return [array]
    up = build.icmp(first, to, origin)
    early, late = build.select(up, front, none), build.select(up, none, front)
    return [
        (moved.head, moved.head_parts, to, origin, early),
        array,
        (moved.head, moved.head_parts, to, origin, late),
    ]


def pointer_mover(engine: Engine, period: int, parts: Sequence[MovedPart]) -> Function:
    """``f(to, from, bytes)``: the pointers of an array of structs go from one block to the other."""
    lines: list[str] = []
    for part in parts:
        if part.either:
            lines += _addresses(part)
            lines += [
                f"  %v{part.offset} = load i64, ptr %f{part.offset}, align 1",
                f"  call void @enzyme.rt.word.put(ptr %t{part.offset}, i64 %v{part.offset})",
            ]
        elif part.pointer:
            lines += _addresses(part)
            lines += [
                f"  %v{part.offset} = load ptr, ptr %f{part.offset}, align 1",
                f"  store ptr %v{part.offset}, ptr %t{part.offset}, align 1",
            ]
    return _define(engine, "pointers", period, lines, "ult")


def number_clearer(engine: Engine, period: int, parts: Sequence[MovedPart]) -> Function:
    """``f(to, null, bytes)``: the adjoints of the numbers in ``to`` are cleared."""
    lines: list[str] = []
    for part in parts:
        if part.float:
            lines += [*_addresses(part), *_taken(part)]
    return _define(engine, "cleared", period, lines, "ult")


def number_returner(engine: Engine, period: int, parts: Sequence[MovedPart]) -> Function:
    """``f(to, from, bytes)``: the adjoints of the numbers in ``to`` are added to those in ``from``, and cleared."""
    taken: list[str] = []
    added: list[str] = []
    for part in parts:
        if part.float:
            name, type = part.offset, part.type
            taken += [*_addresses(part), *_taken(part)]
            if part.either:
                added.append(f"  call void @enzyme.rt.word.give(ptr %f{name}, double %v{name})")
                continue
            added += [
                f"  %o{name} = load {type}, ptr %f{name}, align 1",
                f"  %s{name} = fadd {type} %o{name}, %v{name}",
                f"  store {type} %s{name}, ptr %f{name}, align 1",
            ]
    return _define(engine, "numbers", period, taken + added, "uge")


def _taken(part: MovedPart) -> list[str]:
    name, type = part.offset, part.type
    if part.either:
        return [f"  %v{name} = call double @enzyme.rt.word.take(ptr %t{name})"]
    return [
        f"  %v{name} = load {type}, ptr %t{name}, align 1",
        f"  store {type} {ZEROS[str(type)]}, ptr %t{name}, align 1",
    ]


def _addresses(part: MovedPart) -> list[str]:
    return [f"  %{side}{part.offset} = getelementptr i8, ptr %{side}, i64 {part.offset}" for side in "tf"]


def _define(engine: Engine, what: str, period: int, lines: list[str], first: str) -> Function:
    body = "\n".join(lines)
    name = f"enzyme.rt.struct.{what}.{period}.{zlib.crc32(body.encode()):x}"
    used = "".join(text for rule, text in words.TEXTS.items() if f"@enzyme.rt.word.{rule}(" in body)
    return engine.define(name, STOP + used + _LOOP.format(NAME=name, PERIOD=period, BODY=body, FIRST=first))
