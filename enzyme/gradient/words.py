"""Words that hold a pointer at some times and a number at others: members of unions, and what type analysis joined.

Where such a word is copied as an integer or in a block, nobody knows at compile time whether a shadow pointer is to be
moved in the forward sweep or an adjoint in the reverse sweep. The shadow itself tells: read as a double, an address is
less than the smallest normal number. So a word of a shadow below that is an address (or nothing), any other a number.
What this takes for nothing, adjoints and tangents less than 2.3e-308, is less than any rounding error. Whole numbers
have no derivative: small ones are moved as addresses are, which nobody follows, the shadow of others is zero.

``put`` is the forward sweep: what leads to a shadow is stored, and what led elsewhere before is forgotten; a number in
the shadow stays. ``take`` and ``give`` are the reverse sweep: an adjoint is taken out of the destination's shadow,
which leaves zero there, and added to what is in the source's; addresses stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from enzyme.analysis.activity_bits import uses_mantissa
from enzyme.analysis.type_tree import FLOATISH, Kind
from enzyme.gradient.chosen import choices_of, fine_or_left_out, last_of
from enzyme.gradient.primal import PrimalCopy, builder_after
from enzyme.gradient.subject import Subject
from enzyme.ir.builder import Builder
from enzyme.ir.types import DOUBLE, I32, I64, Type
from enzyme.ir.values import AtomicRMW, Cast, ConstantInt, Freeze, Instruction, Load, Phi, Select, Store, Value, zero
from enzyme.support.diagnostics import TypeUnknownError, UnsupportedError

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine

_LEAST = 1 << 52
"""The smallest normal double, as bits; no user's address on 64-bit machines has as many, but for tagged ones."""

_NO_ADDRESS = 4096
"""Nothing is in the first page."""
_MOVED = "enzyme: a pointer is moved as a number, so that its shadow is not known (compile with another -O): {where}"
_LARGEST: dict[Type, int] = {I32: (1 << 22) - 1, I64: (1 << 51) - 1}
"""Of the integers that are told from numbers: the bits of NaN that processors make are the integer -2^51, or -2^22."""
_LITTLE = 4096
"""What counts are updated by is less."""
_WHOLE: dict[Type, Kind] = {I32: Kind.FLOAT, I64: Kind.DOUBLE}
_COUNTED = "enzyme: the bits of a number are used as an integer, by '{opcode}': {where}"

_PUT = f"""
define internal void @enzyme.rt.word.put(ptr %to, i64 %word) nounwind alwaysinline {{
entry:
  %old = load i64, ptr %to, align 1
  %below = icmp ult i64 %word, {_LEAST}
  %some = icmp ne i64 %word, 0
  %leads = and i1 %below, %some
  %led = icmp ult i64 %old, {_LEAST}
  %kept = select i1 %led, i64 0, i64 %old
  %new = select i1 %leads, i64 %word, i64 %kept
  store i64 %new, ptr %to, align 1
  ret void
}}
"""

_TAKE = f"""
define internal double @enzyme.rt.word.take(ptr %from) nounwind alwaysinline {{
entry:
  %old = load i64, ptr %from, align 1
  %leads = icmp ult i64 %old, {_LEAST}
  %kept = select i1 %leads, i64 %old, i64 0
  store i64 %kept, ptr %from, align 1
  %taken = select i1 %leads, i64 0, i64 %old
  %number = bitcast i64 %taken to double
  ret double %number
}}
"""

_GIVE = f"""
define internal void @enzyme.rt.word.give(ptr %to, double %amount) nounwind alwaysinline {{
entry:
  %old = load i64, ptr %to, align 1
  %leads = icmp ult i64 %old, {_LEAST}
  %before = select i1 %leads, i64 0, i64 %old
  %number = bitcast i64 %before to double
  %sum = fadd double %number, %amount
  %bits = bitcast double %sum to i64
  %given = bitcast double %amount to i64
  %nothing = icmp ult i64 %given, {_LEAST}
  %new = select i1 %nothing, i64 %old, i64 %bits
  store i64 %new, ptr %to, align 1
  ret void
}}
"""


TEXTS = {"put": _PUT, "take": _TAKE, "give": _GIVE}


def put(engine: Engine, build: Builder, to: Value, word: Value) -> None:
    """The forward sweep: ``word``, of a shadow or of the primal, is stored in the shadow if it leads anywhere."""
    build.call(engine.define("enzyme.rt.word.put", _PUT), [to, word])


def take(engine: Engine, build: Builder, source: Value) -> Value:
    """The adjoint in a word of a shadow, which is zero afterwards."""
    return build.call(engine.define("enzyme.rt.word.take", _TAKE), [source])


def give(engine: Engine, build: Builder, to: Value, amount: Value) -> None:
    """An adjoint is added to what is in a word of a shadow."""
    if engine.on_gpu:
        raise UnsupportedError(
            "words that hold a number at some times and an address at others are not differentiated on a GPU",
            why="threads add to their shadows at the same time, and such a word is not added to in one step",
            hint="keep numbers and addresses in members of their own, with their types",
        )
    build.call(engine.define("enzyme.rt.word.give", _GIVE), [to, amount])


def either(build: Builder, tangent: Value, shadow: Value) -> Value:
    """What forward mode stores in the shadow for a value that has both: the ``tangent`` where it is one."""
    least = ConstantInt(I64, _LEAST)
    number = build.icmp("uge", tangent, least)
    leads = build.icmp("ult", shadow, least)
    return build.select(number, tangent, build.select(leads, shadow, zero(I64)))


def may_hide_pointer(subject: Subject, inst: Store) -> bool:
    """Whether a word that is only moved from memory, on its way a double, may be a pointer: LLVM moves a union as a
    double where the program took it for one."""
    if inst.value.type not in (DOUBLE, I64):
        return False
    seen: set[Value] = set()
    work: list[Value] = [inst.value]
    while work:
        value = work.pop()
        if value not in seen:
            seen.add(value)
            if isinstance(value, (Phi, Select, Freeze)):
                work += value.operands
            elif isinstance(value, Cast) and value.opcode == "bitcast":
                work.append(value.operands[0])
    loads = [value for value in seen if isinstance(value, Load) and value.type is DOUBLE]
    places = [*(load.pointer for load in loads), *([inst.pointer] if loads else [])]
    return any(segment.kind & Kind.POINTER for place in places for segment in subject.types.memory_kinds(place, 8))


def stop_pointer(engine: Engine, subject: Subject, build: Builder, inst: Instruction, number: Value) -> None:
    """Stop the program where ``number`` is an address: its shadow has not been followed."""
    least = ConstantInt(I64, _NO_ADDRESS)
    bits = number if number.type is I64 else build.bitcast(number, I64)
    fine = build.icmp("uge", build.sub(bits, least), ConstantInt(I64, _LEAST - _NO_ADDRESS))
    insist(engine, subject, build, inst, fine, _MOVED)


def stop_number(engine: Engine, copy: PrimalCopy, inst: Instruction) -> None:
    """Stop the program where a word that is computed with as an integer (:mod:`enzyme.analysis.counted`) is a number:
    behind a word that may be one, of an instruction whose result counts."""
    varied, subject = copy.activity.varied, copy.subject
    if isinstance(inst, Cast) and not uses_mantissa(inst.operands[0], subject.types.float_bits):
        return  # integers are known to be there, too
    counted = [word for word in inst.operands if word in varied and inst in copy.activity.useful]
    halves = [each for word in counted if word.type == I32 for each in subject.types.segments(word)]
    if any(each.kind & FLOATISH & ~Kind.FLOAT for each in halves):
        raise subject.refuse(
            inst,
            "cannot tell what numbers this i32 carries",
            "type analysis finds a double there: half of one may be as small as any integer",
            "allocate integers and numbers apart, or compile with another -O",
            TypeUnknownError,
        )
    _insist_integers(engine, copy, inst, counted)


def finds_numbers(subject: Subject, inst: AtomicRMW) -> bool | None:
    """Whether types know of nothing but numbers where an atomic update is done; None where that is no way of counting:
    they are not as large as what is updated, or more than a little is added (2^52 doubles a double)."""
    kinds = {s.kind for s in subject.types.memory_kinds(inst.operands[0], subject.module.datalayout.size_of(inst.type))}
    if not all(kind.is_float for kind in kinds):
        return False
    amount = inst.operands[1]
    little = isinstance(amount, ConstantInt) and abs(amount.value) < _LITTLE
    return True if little and kinds == {_WHOLE.get(inst.type)} else None


def stop_atomic(engine: Engine, copy: PrimalCopy, inst: AtomicRMW) -> None:
    """Stop the program where an atomic sum or difference of integers finds a number."""
    if inst.operation in ("add", "sub") and copy.activity.active_instruction(inst):
        if finds_numbers(copy.subject, inst):
            _insist_integers(engine, copy, inst, [inst])


def _insist_integers(engine: Engine, copy: PrimalCopy, inst: Instruction, words: Sequence[Value]) -> None:
    if not words:
        return
    choices = choices_of(inst) if not isinstance(inst, AtomicRMW) else []
    made = copy.of(last_of(choices, inst))
    assert isinstance(made, Instruction)
    build = builder_after(made)
    fine: Value | None = None
    for word in map(copy.of, words):
        largest = _LARGEST[word.type]
        near = build.add(word, ConstantInt(word.type, largest))
        small = build.icmp("ult", near, ConstantInt(word.type, 2 * largest))
        fine = small if fine is None else build.and_(fine, small)
    assert fine is not None
    insist(engine, copy.subject, build, inst, fine_or_left_out(build, fine, choices, copy.of), _COUNTED)


def insist(engine: Engine, subject: Subject, build: Builder, inst: Instruction, fine: Value, text: str) -> None:
    """Stop the program with a text, unless all is ``fine``."""
    where = subject.module.line_of(inst, subject.function)
    build.call(engine.runtime("insist"), [fine, engine.message(text.format(where=where, opcode=inst.opcode))])
