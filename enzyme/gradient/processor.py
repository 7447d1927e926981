"""Intrinsics of x86, and assembly of one of its arithmetic instructions, as the portable code that does the same.

Minimum and maximum are a comparison and a choice (the second operand where the two are equal or one is NaN), horizontal
sums are shuffles and sums, masks are truth values. The code generator makes the instruction of it again. What is not
listed here stays a call, which is refused where it is active. Source: Intel 64 and IA-32 Architectures Software
Developer's Manual, volume 2, the pages of the instructions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from enzyme.gradient.masked import keep_place
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I1, I64, PTR, FloatType, FunctionType, IntType, Type, VectorType
from enzyme.ir.values import (
    CallBase,
    ConstantAggregate,
    ConstantInt,
    ConstantToken,
    InlineAsm,
    Value,
    zero,
)
from enzyme.rules.emit import mangle

_INTRINSIC = re.compile(r"llvm\.x86\.(?:sse|sse2|sse3|sse41|avx|avx2|avx512|fma)\.(?P<rest>.+)$")
_ASSEMBLY = re.compile(r'^asm (?:[a-z]+ )*"\s*(v?)(add|sub|mul|div|min|max)p[sd] ([^"]*?)\s*", "([^"]*)"$')
_PREDICATES = "oeq olt ole uno une uge ugt ord ueq ult ule false one oge ogt true".split()
_ROUNDINGS = ("roundeven", "floor", "ceil", "trunc")
_CURRENT_ROUNDING = 4


def plain_processor(module: Module) -> None:
    """Rewrite such calls in every function."""
    names = {name: kind for name in module.functions if (kind := _kind(name)) is not None}
    for function in list(module.functions.values()):
        for inst in list(function.instructions()) if not function.is_declaration else ():
            if not isinstance(inst, CallBase):
                continue
            assert inst.block is not None
            start = inst.block.position(inst)
            if isinstance(inst.callee, InlineAsm):
                result = _assembly(inst, inst.callee.spelling)
            elif inst.callee_name in names:
                maker, form = names[inst.callee_name]
                result = maker(_Call(module, inst, form))
            else:
                continue
            if result is not None:
                keep_place(inst, start)
                if not inst.type.is_void:
                    inst.replace_all_uses_with(result)
                inst.erase()


class _Call:
    """A call being rewritten: where code goes, and the form of the instruction (ps, pd, ss, sd)."""

    def __init__(self, module: Module, call: CallBase, form: str) -> None:
        assert call.block is not None
        self.module, self.form, self.args, self.type = module, form, call.args, call.type
        self.build = Builder(call.block, before=call)

    @property
    def single(self) -> bool:
        """Whether the instruction works on the lowest lane only; the others are those of the first operand."""
        return self.form.startswith("s")

    def number(self, index: int) -> int | None:
        """An immediate operand."""
        value = self.args[index]
        return value.value if isinstance(value, ConstantInt) else None

    def lanes(self, work: Callable[[Sequence[Value]], Value], *values: Value) -> Value:
        """``work`` on whole vectors, or on the lowest lanes."""
        if not self.single:
            return work(values)
        lowest = [self.build.extract_element(value, 0) for value in values]
        return self.build.insert_element(self.args[0], work(lowest), 0)

    def intrinsic(self, name: str, values: Sequence[Value]) -> Value:
        """A portable intrinsic of numbers, all of one type."""
        type = values[0].type
        declared = self.module.declare_function(
            f"llvm.{name}.{mangle(type)}", FunctionType(type, (type,) * len(values))
        )
        return self.build.call(declared, list(values))


def _bits(type: Type) -> int:
    assert isinstance(type, (IntType, FloatType))
    return type.bits


def _vector(value: Value) -> VectorType:
    assert isinstance(value.type, VectorType)
    return value.type


def _bool_lanes(count: int, on: Callable[[int], bool]) -> Value:
    return ConstantAggregate(VectorType(count, I1), [ConstantInt(I1, on(lane)) for lane in range(count)])


def _halves(type: VectorType) -> Iterable[tuple[int, int]]:
    """First lane and number of lanes of each 128 bits."""
    per = 128 // _bits(type.element)
    return ((start, per) for start in range(0, type.count, per))


def _sign_set(build: Builder, mask: Value) -> Value:
    """Which lanes of a mask have the highest bit set."""
    type = _vector(mask)
    whole = VectorType(type.count, IntType(_bits(type.element)))
    return build.icmp("slt", build.bitcast(mask, whole), zero(whole))


def _choice(build: Builder, predicate: str, values: Sequence[Value]) -> Value:
    left, right = values
    return build.select(build.fcmp(predicate, left, right, ()), left, right)


# --- the instructions ------------------------------------------------------------------------------------------------


def _minimum(call: _Call) -> Value:
    return call.lanes(lambda v: _choice(call.build, "olt", v), *call.args[:2])


def _maximum(call: _Call) -> Value:
    return call.lanes(lambda v: _choice(call.build, "ogt", v), *call.args[:2])


def _arithmetic(opcode: str) -> Callable[[_Call], Value | None]:
    def make(call: _Call) -> Value | None:
        if call.number(2) != _CURRENT_ROUNDING:
            return None
        operation: Callable[[Value, Value], Value] = getattr(call.build, opcode)
        return operation(call.args[0], call.args[1])

    return make


def _compare(call: _Call) -> Value | None:
    predicate = call.number(2)
    if predicate is None:
        return None

    def work(values: Sequence[Value]) -> Value:
        truth = call.build.fcmp(_PREDICATES[predicate & 15], values[0], values[1], ())
        number = values[0].type
        lane = IntType(_bits(number.scalar))
        bits = call.build.sext(truth, VectorType(number.count, lane) if isinstance(number, VectorType) else lane)
        return call.build.bitcast(bits, number)

    return call.lanes(work, *call.args[:2])


def _round(call: _Call) -> Value | None:
    how = call.number(2 if call.single else 1)
    if how is None:
        return None
    name = "rint" if how & 4 else _ROUNDINGS[how & 3]
    if call.single:
        lowest = call.intrinsic(name, [call.build.extract_element(call.args[1], 0)])
        return call.build.insert_element(call.args[0], lowest, 0)
    return call.intrinsic(name, [call.args[0]])


def _horizontal(opcode: str) -> Callable[[_Call], Value]:
    def make(call: _Call) -> Value:
        left, right = call.args
        type = _vector(left)
        first: list[int] = []
        for start, per in _halves(type):
            for base in (start, type.count + start):
                first += range(base, base + per, 2)
        operation: Callable[[Value, Value], Value] = getattr(call.build, opcode)
        second = [lane + 1 for lane in first]
        return operation(call.build.shuffle(left, first, right), call.build.shuffle(left, second, right))

    return make


def _alternating(call: _Call) -> Value:
    left, right = call.args
    odd = _bool_lanes(_vector(left).count, lambda lane: lane % 2 == 1)
    return call.build.select(odd, call.build.fadd(left, right), call.build.fsub(left, right))


def _alternating_fma(call: _Call) -> Value:
    left, right, added = call.args
    odd = _bool_lanes(_vector(left).count, lambda lane: lane % 2 == 1)
    return call.intrinsic("fma", [left, right, call.build.select(odd, added, call.build.fneg(added))])


def _dot(call: _Call) -> Value | None:
    which = call.number(2)
    if which is None:
        return None
    build, (left, right) = call.build, call.args[:2]
    result: Value = zero(call.type)
    product = build.fmul(left, right)
    for start, per in _halves(_vector(left)):
        none = zero(call.type.scalar)
        terms = [build.extract_element(product, start + i) if which >> (4 + i) & 1 else none for i in range(per)]
        while len(terms) > 1:
            terms = [build.fadd(terms[i], terms[i + 1]) for i in range(0, len(terms), 2)]
        for lane in range(per):
            if which >> lane & 1:
                result = build.insert_element(result, terms[0], start + lane)
    return result


def _blend(call: _Call) -> Value:
    left, right, mask = call.args
    return call.build.select(_sign_set(call.build, mask), right, left)


def _narrow(call: _Call) -> Value:
    build, value = call.build, call.args[0]
    count, to = _vector(value).count, call.type
    assert isinstance(to, VectorType)
    made = build.float_cast(value, VectorType(count, to.element))
    return made if count == to.count else build.shuffle(made, range(to.count), zero(made.type))


def _narrow_lowest(call: _Call) -> Value:
    lowest = call.build.float_cast(call.build.extract_element(call.args[1], 0), call.type.scalar)
    return call.build.insert_element(call.args[0], lowest, 0)


def _insert(call: _Call) -> Value | None:
    how = call.number(2)
    if how is None:
        return None
    build, (into, source) = call.build, call.args[:2]
    result: Value = build.insert_element(into, build.extract_element(source, how >> 6 & 3), how >> 4 & 3)
    for lane in range(4):
        if how >> lane & 1:
            result = build.insert_element(result, zero(call.type.scalar), lane)
    return result


def _permute(call: _Call) -> Value:
    """Lanes picked by numbers that the program computes: any of the vector's, or, by vpermilvar, of 128 bits."""
    build, (value, picks) = call.build, call.args
    type = _vector(value)
    result: Value = zero(call.type)
    within = call.form == "within"
    per = 128 // _bits(type.element) if within else type.count
    for lane in range(type.count):
        pick = build.extract_element(picks, lane)
        if within and per == 2:
            pick = build.lshr(pick, ConstantInt(pick.type, 1))  # of doubles the second bit counts
        pick = build.and_(pick, ConstantInt(pick.type, per - 1))
        pick = build.add(pick, ConstantInt(pick.type, lane - lane % per))
        result = build.insert_element(result, build.extract_element(value, pick), lane)
    return result


def _masked_load(call: _Call) -> Value:
    pointer, mask = call.args
    on = _sign_set(call.build, mask)
    type = FunctionType(call.type, (PTR, on.type, call.type))
    declared = call.module.declare_function(f"llvm.masked.load.{mangle(call.type)}.p0", type)
    return call.build.call(declared, [pointer, on, zero(call.type)])


def _masked_store(call: _Call) -> Value:
    pointer, mask, value = call.args
    on = _sign_set(call.build, mask)
    type = FunctionType(call.type, (value.type, PTR, on.type))
    declared = call.module.declare_function(f"llvm.masked.store.{mangle(value.type)}.p0", type)
    return call.build.call(declared, [value, pointer, on])


def _gather(call: _Call) -> Value | None:
    otherwise, base, picks, mask, _ = call.args
    scale, type = call.number(4), call.type
    if scale is None or not isinstance(type, VectorType) or _vector(picks).count < type.count:
        return None
    build = call.build
    addresses: Value = ConstantToken(VectorType(type.count, PTR), "poison")
    for lane in range(type.count):
        pick = build.sext(build.extract_element(picks, lane), I64)
        address = build.offset(base, build.mul(pick, ConstantInt(I64, scale)))
        addresses = build.insert_element(addresses, address, lane)
    on = _sign_set(build, mask)
    declared = call.module.declare_function(
        f"llvm.masked.gather.{mangle(type)}.v{type.count}p0", FunctionType(type, (addresses.type, on.type, type))
    )
    return build.call(declared, [addresses, on, otherwise])


def _shift(opcode: str) -> Callable[[_Call], Value | None]:
    """Shifts of every lane by an immediate; by its width or more nothing is left, or the sign."""

    def make(call: _Call) -> Value | None:
        distance, width = call.number(1), _bits(call.type.scalar)
        if distance is None or distance < 0:
            return None
        if distance >= width and opcode != "ashr":
            return zero(call.type)
        by = call.build.const_int(call.type, min(distance, width - 1))
        return call.build._int(opcode, call.args[0], by, (), None)

    return make


def _approximate(name: str) -> Callable[[_Call], Value]:
    """The approximation in the lowest lane is that of all lanes."""

    def make(call: _Call) -> Value:
        packed = call.module.declare_function(f"llvm.x86.sse.{name}.ps", FunctionType(call.type, (call.type,)))
        every = call.build.call(packed, [call.args[0]])
        return call.build.insert_element(call.args[0], call.build.extract_element(every, 0), 0)

    return make


Maker = Callable[[_Call], "Value | None"]
_F = r"(?P<form>[ps][sd])"
_WIDTH = r"(?:\.(?:128|256|512))?"
_MAKERS: tuple[tuple[re.Pattern[str], Maker], ...] = tuple(
    (re.compile(pattern + "$"), maker)
    for pattern, maker in (
        (rf"min\.{_F}{_WIDTH}", _minimum),
        (rf"max\.{_F}{_WIDTH}", _maximum),
        (r"add\.(?P<form>p[sd])\.512", _arithmetic("fadd")),
        (r"sub\.(?P<form>p[sd])\.512", _arithmetic("fsub")),
        (r"mul\.(?P<form>p[sd])\.512", _arithmetic("fmul")),
        (r"div\.(?P<form>p[sd])\.512", _arithmetic("fdiv")),
        (rf"cmp\.{_F}{_WIDTH}", _compare),
        (rf"round\.{_F}{_WIDTH}", _round),
        (rf"hadd\.{_F}{_WIDTH}", _horizontal("fadd")),
        (rf"hsub\.{_F}{_WIDTH}", _horizontal("fsub")),
        (rf"addsub\.{_F}{_WIDTH}", _alternating),
        (rf"vfmaddsub\.{_F}{_WIDTH}", _alternating_fma),
        (r"dp\.?(?P<form>p[sd])(?:\.256)?", _dot),
        (r"blendv\.?(?P<form>p[sd])(?:\.256)?", _blend),
        (r"cvt(?:pd2ps|\.pd2\.ps\.256)", _narrow),
        (r"cvtsd2ss", _narrow_lowest),
        (r"insertps", _insert),
        (r"perm(?:ps|d)", _permute),
        (rf"vpermilvar\.(?P<form>p[sd]){_WIDTH}", _permute),
        (rf"maskload\.(?P<form>p[sd]|[dq]){_WIDTH}", _masked_load),
        (rf"maskstore\.(?P<form>p[sd]|[dq]){_WIDTH}", _masked_store),
        (rf"gather\.[dq]\.(?P<form>p[sd]|[dq]){_WIDTH}", _gather),
        (r"psrli\.[wdq]", _shift("lshr")),
        (r"pslli\.[wdq]", _shift("shl")),
        (r"psrai\.[wd]", _shift("ashr")),
        (r"rcp\.ss", _approximate("rcp")),
        (r"rsqrt\.ss", _approximate("rsqrt")),
    )
)


def _kind(name: str) -> tuple[Maker, str] | None:
    found = _INTRINSIC.match(name)
    if found is None:
        return None
    for pattern, maker in _MAKERS:
        match = pattern.match(found["rest"])
        if match is not None:
            form = match.groupdict().get("form") or "ps"
            return maker, "within" if found["rest"].startswith("vpermilvar") else form
    return None


def _assembly(call: CallBase, spelling: str) -> Value | None:
    """``op source, target`` or ``op second, first, target`` on registers: target = first op second."""
    found = _ASSEMBLY.search(spelling)
    if found is None or call.type is not call.args[0].type:
        return None
    wide, operation, words, constraints = found.groups()
    inputs = [part for part in constraints.split(",") if not part.startswith("~")]
    if not inputs or not inputs[0].startswith("=") or len(inputs) != len(call.args) + 1:
        return None
    named: dict[int, Value] = {i + 1: argument for i, argument in enumerate(call.args)}
    for index, constraint in enumerate(inputs[1:]):
        if constraint == "0":
            named[0] = call.args[index]
        elif constraint != "x":
            return None
    operands = [part.strip() for part in words.split(",")]
    if not all(re.fullmatch(r"\$\d", part) for part in operands) or len(operands) != (3 if wide else 2):
        return None
    if operands[-1] != "$0":
        return None
    second, first = named.get(int(operands[0][1])), named.get(int(operands[1][1]))
    if first is None or second is None:
        return None
    assert call.block is not None
    build = Builder(call.block, before=call)
    if operation in ("min", "max"):
        return _choice(build, "olt" if operation == "min" else "ogt", (first, second))
    make: Callable[[Value, Value], Value] = getattr(build, f"f{operation}")
    return make(first, second)


__all__ = ["plain_processor"]
