"""What threads of a warp hand to one another (``__shfl_sync``): each takes a number from another lane or itself.

In the reverse sweep adjoints go back to the lanes that the numbers came from. Where the lanes are known when the
program is compiled, that is a shuffle again: back where it went on, across where it went across, and a sum of the warp
where all had the number of one lane. Else each lane looks at all 32, at who took from it.

The processor has such instructions for 32 bits. Compilers hand a double on in two halves: these are one call here
(:func:`whole_shuffles`), and become two again when the derivative has been made (:func:`halved`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from enzyme.gradient.runtime_gpu import halved_text
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.shuffles import MODES, WHOLE, shuffled_number, shuffled_word
from enzyme.ir.types import DOUBLE, FLOAT, I32, I64, FunctionType, Type
from enzyme.ir.values import BinaryOp, CallBase, Cast, ConstantInt, Function, Instruction, Value, zero
from enzyme.support.devices import is_gpu

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine

_LANES = 32
_LAST = 31
"""Of shuffles down, across and by number in a whole warp; of those up it is 0."""


def _name(mode: str, type: Type) -> str:
    return f"llvm.nvvm.shfl.sync.{mode}.f32" if type is FLOAT else f"{WHOLE}.{mode}.f64"


def _shuffle(module: Module, build: Builder, mode: str, mask: Value, number: Value, lane: Value, last: Value) -> Value:
    type = number.type
    callee = module.declare_function(_name(mode, type), FunctionType(type, (I32, type, I32, I32)))
    made = build.call(callee, [mask, number, lane, last])
    assert isinstance(made, CallBase)
    made.attrs = ("convergent", "nounwind", "memory(none)")
    return made


# doubles, handed on in halves


def whole_shuffles(module: Module) -> None:
    """Numbers whose bits are handed on become numbers that are."""
    if not is_gpu(module.triple):
        return
    for function in list(module.functions.values()):
        for inst in list(function.instructions()) if not function.is_declaration else ():
            if isinstance(inst, Cast) and inst.opcode == "bitcast" and inst.type in (DOUBLE, FLOAT):
                found = _halves(inst.operands[0]) if inst.type is DOUBLE else _bits(inst.operands[0])
                if found is not None:
                    first, number = found
                    mask, _, lane, last = first.args
                    mode = shuffled_word(first)
                    assert mode is not None and inst.block is not None
                    build = Builder(inst.block, before=inst)
                    inst.replace_all_uses_with(_shuffle(module, build, mode, mask, number, lane, last))
                    _drop(inst)


def _bits(value: Value) -> tuple[CallBase, Value] | None:
    """The call that hands the bits of a float on, and the float."""
    if not isinstance(value, CallBase) or shuffled_word(value) is None:
        return None
    given = value.args[1]
    if isinstance(given, Cast) and given.opcode == "bitcast" and given.operands[0].type is FLOAT:
        return value, given.operands[0]
    return None


def _halves(value: Value) -> tuple[CallBase, Value] | None:
    """One of the two calls that hand the halves of a double on, and the double."""
    if not isinstance(value, BinaryOp) or value.opcode not in ("or", "add", "xor"):
        return None
    one, other = value.operands
    for low, high in ((one, other), (other, one)):
        below, above = _widened(low), _shifted(high, ("shl",))
        above = _widened(above) if above is not None else None
        if below is None or above is None or not _alike(below, above):
            continue
        first, second = below.args[1], above.args[1]
        if not (isinstance(first, Cast) and first.opcode == "trunc" and first.operands[0].type is I64):
            continue
        bits = first.operands[0]
        if not (isinstance(second, Cast) and second.opcode == "trunc"):
            continue
        whole = _shifted(second.operands[0], ("lshr", "ashr"))
        if whole is bits and isinstance(bits, Cast) and bits.opcode == "bitcast" and bits.operands[0].type is DOUBLE:
            return below, bits.operands[0]
    return None


def _widened(value: Value | None) -> CallBase | None:
    if isinstance(value, Cast) and value.opcode == "zext" and isinstance(value.operands[0], CallBase):
        call = value.operands[0]
        return call if shuffled_word(call) is not None else None
    return None


def _shifted(value: Value, opcodes: Sequence[str]) -> Value | None:
    """What is shifted by 32 bits."""
    if isinstance(value, BinaryOp) and value.opcode in opcodes:
        by = value.operands[1]
        return value.operands[0] if isinstance(by, ConstantInt) and by.value == _LANES else None
    return None


def _alike(one: CallBase, other: CallBase) -> bool:
    pairs = zip((one.args[0], *one.args[2:]), (other.args[0], *other.args[2:]), strict=True)
    return one.callee is other.callee and all(map(_same, *zip(*pairs, strict=True)))


def _same(one: Value, other: Value) -> bool:
    constants = isinstance(one, ConstantInt) and isinstance(other, ConstantInt)
    return one is other or (constants and one.value == other.value)  # type: ignore[attr-defined]


def _drop(inst: Instruction) -> None:
    """Take an instruction out that nobody uses, and those that only it used."""
    operands = list(inst.operands)
    inst.erase()
    for each in operands:
        calls = isinstance(each, CallBase) and shuffled_word(each) is None
        if isinstance(each, (Cast, BinaryOp, CallBase)) and not calls and not each.users and each.block is not None:
            _drop(each)


def halved(engine: Engine, made: Sequence[Function]) -> None:
    """Doubles are handed on in halves in what has been made."""
    names = {f"{WHOLE}.{mode}.f64": mode for mode in MODES}
    for function in list(made):
        for inst in list(function.instructions()):
            mode = names.get(inst.callee_name or "") if isinstance(inst, CallBase) else None
            if mode is not None:
                inst.callee = engine.define(f"enzyme.rt.shfl.{mode}", halved_text(mode))  # type: ignore[attr-defined]
                inst.attrs = ("convergent",)  # type: ignore[attr-defined]


# derivatives


def handed_on(module: Module, build: Builder, call: CallBase, number: Value, args: Sequence[Value]) -> Value:
    """A tangent goes where the number goes. ``args`` are those of the call, where it is made."""
    mode = shuffled_number(call)
    assert mode is not None
    return _shuffle(module, build, mode, args[0], number, args[2], args[3])


def given_back(engine: Engine, build: Builder, call: CallBase, adjoint: Value, args: Sequence[Value]) -> Value:
    """What the lanes that took this one's number have as adjoints of theirs."""
    module, type = engine.module, adjoint.type
    mode, mask, lane, last = shuffled_number(call), args[0], args[2], args[3]
    whole = all(isinstance(each, ConstantInt) for each in (mask, lane, last)) and mask.value in (-1, 0xFFFFFFFF)  # type: ignore[attr-defined]
    whole = whole and last.value == (0 if mode == "up" else _LAST)  # type: ignore[attr-defined]
    if not whole or not 0 <= lane.value < _LANES:  # type: ignore[attr-defined]
        short = "float" if type is FLOAT else "double"
        back = engine.define(f"enzyme.rt.shfl.back.{mode}.{short}", back_text(str(mode), short))
        made = build.call(back, [mask, adjoint, lane, last])
        assert isinstance(made, CallBase)
        made.attrs = ("convergent",)
        return made
    distance: int = lane.value  # type: ignore[attr-defined]
    none = zero(type)
    if mode == "bfly":
        return _shuffle(module, build, "bfly", mask, adjoint, lane, last)
    here = build.call(module.declare_function(_LANE, FunctionType(I32, ())), [])
    if mode == "idx":
        total = adjoint
        for step in (16, 8, 4, 2, 1):
            other = _shuffle(module, build, "bfly", mask, total, ConstantInt(I32, step), ConstantInt(I32, _LAST))
            total = build.fadd(total, other, ("nsz",))
        return build.select(build.icmp("eq", here, lane), total, none)
    if distance == 0:
        return adjoint
    # Down: lane j was read by lane j - distance, and the last ones by themselves. Up is the same from the other end.
    down = mode == "down"
    end = ConstantInt(I32, 0 if down else _LAST)
    others = _shuffle(module, build, "up" if down else "down", mask, adjoint, lane, end)
    first = build.icmp("sge", here, lane) if down else build.icmp("slt", here, ConstantInt(I32, _LANES - distance))
    alone = build.icmp("sgt", here, ConstantInt(I32, _LAST - distance)) if down else build.icmp("slt", here, lane)
    return build.fadd(build.select(first, others, none), build.select(alone, adjoint, none), ("nsz",))


_LANE = "llvm.nvvm.read.ptx.sreg.laneid"

# Where each lane takes from, as the manual of PTX has it: %source, if %in says that it is within its group.
_SOURCES = {
    "down": "%source = add i32 %here, %lane\n  %in = icmp sle i32 %source, %bound",
    "up": "%source = sub i32 %here, %lane\n  %in = icmp sge i32 %source, %bound",
    "bfly": "%source = xor i32 %here, %lane\n  %in = icmp sle i32 %source, %bound",
    "idx": "%rest = xor i32 %group, -1\n  %part = and i32 %lane, %rest\n  %begin = and i32 %here, %group\n"
    "  %source = or i32 %begin, %part\n  %in = icmp sle i32 %source, %bound",
}

_BACK = """
define internal {T} @enzyme.rt.shfl.back.{MODE}.{T}(i32 %mask, {T} %adjoint, i32 %given, i32 %last) convergent {{
entry:
  %here = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %lane = and i32 %given, 31
  %high = lshr i32 %last, 8
  %group = and i32 %high, 31
  %clamp = and i32 %last, 31
  %others = xor i32 %group, -1
  %mine = and i32 %here, %group
  %free = and i32 %clamp, %others
  %bound = or i32 %mine, %free
  {SOURCE}
  %from = select i1 %in, i32 %source, i32 %here
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi {T} [ {Z}, %entry ], [ %more, %loop ]
  %its = call {T} @{SHUFFLE}(i32 %mask, {T} %adjoint, i32 %k, i32 31)
  %its.from = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %mask, i32 %from, i32 %k, i32 31)
  %bit = shl i32 1, %k
  %part.of = and i32 %mask, %bit
  %there = icmp ne i32 %part.of, 0
  %took = icmp eq i32 %its.from, %here
  %counts = and i1 %there, %took
  %added = fadd nsz {T} %sum, %its
  %more = select i1 %counts, {T} %added, {T} %sum
  %next = add nuw nsw i32 %k, 1
  %end = icmp eq i32 %next, 32
  br i1 %end, label %done, label %loop
done:
  ret {T} %more
}}
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
"""


def back_text(mode: str, type: str) -> str:
    """The function that looks at all lanes."""
    name = "llvm.nvvm.shfl.sync.idx.f32" if type == "float" else "enzyme.rt.shfl.idx"
    text = _BACK.format(MODE=mode, T=type, Z="0.0", SOURCE=_SOURCES[mode], SHUFFLE=name)
    if type == "float":
        return text + "declare float @llvm.nvvm.shfl.sync.idx.f32(i32, float, i32, i32)\n"
    return halved_text("idx") + text.replace("declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)\n", "")
