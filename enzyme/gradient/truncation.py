"""Functions computed with fewer bits: ``__enzyme_truncate_op_func(f, 64, 32)`` and its kin, replaced in the program.

What is asked for is a copy of ``f``, and of all that it calls, in which every operation on numbers of the source
format rounds what it is given, and its result, to the nearest number of the target format, ties to even. Numbers stay
where they were, in their format: only their values are those of the other one. A native format (half, float) is
computed in itself; a format of the program's own (bits of exponent and mantissa) in the source format and rounded
after, which is the same for sums, products, quotients and square roots where the target has less than half of the
source's bits. Mathematical functions are computed in the source format and rounded.

``mem`` copies do the same, and round the constants that they store, pass and return, and those they read from tables,
so that numbers in memory are numbers of the target format, but for constants that are copied in blocks;
``__enzyme_truncate_mem_value`` rounds a number on its way in, and ``__enzyme_expand_mem_value`` gives it as it is. What
the program may see of it is the value, never how it is kept.

A function of which not all is seen (calls through pointers, derivatives, atomic updates, vector intrinsics) is refused:
a part in full precision would look like the rest. Other functions without a body get and give numbers as they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from enzyme.gradient.convention import calls_to, constant_of, entry_point, function_of
from enzyme.gradient.moved_bodies import call_copy, copy_function
from enzyme.gradient.replace import remove_call
from enzyme.gradient.sums import is_fused
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.printer import print_instruction
from enzyme.ir.types import DOUBLE, FLOAT, FloatType, FunctionType, Type, VectorType
from enzyme.ir.values import (
    AtomicRMW,
    BinaryOp,
    Block,
    CallBase,
    Cast,
    Compare,
    ConstantAggregate,
    ConstantExpr,
    ConstantFloat,
    Function,
    GetElementPtr,
    GlobalVariable,
    InlineAsm,
    Instruction,
    Load,
    Phi,
    UnaryOp,
    Value,
)
from enzyme.rules.emit import mangle
from enzyme.rules.names import callee_math_name
from enzyme.support.diagnostics import UsageError

WORD = "__enzyme_truncate"
EXPAND = "__enzyme_expand_mem_value"
_KINDS = (f"{WORD}_op_func", f"{WORD}_mem_func", f"{WORD}_mem_value", EXPAND)
_NATIVE = {(5, 10): FloatType("half"), (8, 23): FLOAT, (11, 52): DOUBLE}
_BY_BITS = {16: FloatType("half"), 32: FLOAT, 64: DOUBLE}
_HELPER = "enzyme.rt.round"
_WHOLE = ("llvm.vector.reduce.f", "llvm.experimental.constrained.", "llvm.x86.", "llvm.matrix.", "llvm.vp.")
"""Intrinsics of several operations, or whose rounding is not ours to choose."""

_ROUND = """
define internal double @{name}(double %x) memory(none) nounwind "enzyme_custom" "enzyme_augment"="{name}.up" \
"enzyme_gradient"="{name}.back" "enzyme_derivative"="{name}.along" {{
  %bits = bitcast double %x to i64
  %size = and i64 %bits, 9223372036854775807
  %sign = xor i64 %bits, %size
  %special = icmp uge i64 %size, 9218868437227405312
  %small = icmp ult i64 %size, {smallest}
  %shifted = lshr i64 %size, {dropped}
  %odd = and i64 %shifted, {ties}
  %half = add i64 %odd, {half}
  %sum = add i64 %size, %half
  %cut = and i64 %sum, {mask}
  %large = icmp uge i64 %cut, {largest}
  %normal = select i1 %large, i64 9218868437227405312, i64 %cut
  %abs = bitcast i64 %size to double
  %up = fadd double %abs, {grid}
  %down = fsub double %up, {grid}
  %subnormal = bitcast double %down to i64
  %finite = select i1 %small, i64 %subnormal, i64 %normal
  %rounded = select i1 %special, i64 %size, i64 %finite
  %signed = or i64 %rounded, %sign
  %result = bitcast i64 %signed to double
  ret double %result
}}
define internal double @{name}.up(double %x) nounwind {{
  %result = call double @{name}(double %x)
  ret double %result
}}
define internal double @{name}.back(double %x, double %seed) nounwind {{
  ret double %seed
}}
define internal double @{name}.along(double %x, double %dx) nounwind {{
  ret double %dx
}}
"""


@dataclass(frozen=True)
class Format:
    """From which numbers, to how many bits of exponent and mantissa (the leading one not counted)."""

    source: FloatType
    exponent: int
    mantissa: int

    @property
    def native(self) -> FloatType | None:
        return _NATIVE.get((self.exponent, self.mantissa))

    @property
    def helper(self) -> str:
        return f"{_HELPER}.{self.exponent}.{self.mantissa}"

    def text(self) -> str:
        """The function that rounds doubles to this format. Below the smallest normal number the grid is even: adding
        and taking away a number whose last bit is the grid's rounds to it."""
        dropped = 52 - self.mantissa
        bias = 2 ** (self.exponent - 1) - 1
        grid = 1 - bias - self.mantissa + 52
        return _ROUND.format(
            name=self.helper,
            smallest=(1 - bias + 1023) << 52,
            largest=(bias + 1 + 1023) << 52,
            dropped=dropped,
            ties=int(dropped > 0),
            half=(1 << dropped - 1) - 1 if dropped else 0,
            mask=(1 << 64) - (1 << dropped) if dropped else -1,
            grid=f"0x{(grid + 1023) << 52:016X}",
        )


def truncated(module: Module) -> str:
    """Answer all calls of this kind in a module; further text for the program."""
    names = [name for name in module.functions if any(kind in name for kind in _KINDS)]
    copies = _Copies(module)
    for caller, call in calls_to(module, names):
        name = call.callee_name or ""
        format = _format(module, caller, call)
        assert call.block is not None
        result: Value
        if EXPAND in name:
            result = call.args[0]
        elif f"{WORD}_mem_value" in name:
            result = copies.rounded(Builder(call.block, before=call), call.args[0], format)
        else:
            function = function_of(call.args[0])
            if function is None or function.is_declaration or not call.type.is_pointer:
                raise _wrong(
                    module,
                    caller,
                    call,
                    f"the first argument of {_word(name)} must be a function of this program",
                    "its code is copied",
                )
            result = copies.of(function, format, "_mem_" in name)
        call.replace_all_uses_with(result)
        remove_call(call)
    for name in names:
        declared = module.functions[name]
        if declared.is_declaration and not declared.users:
            module.remove(declared)
    return "".join(format.text() for format in copies.helpers.values())


def with_truncated(text: str) -> str:
    """A program with truncated copies in the place of calls that ask for them."""
    from enzyme.ir.parser import parse_module
    from enzyme.ir.printer import print_module
    from enzyme.llvm.context import canonical

    module = parse_module(text)
    further = truncated(module)
    made = re.sub(rf"(?m)^declare [^\n]*@{re.escape(_HELPER)}\.[^\n]*\n", "", print_module(module))
    return canonical(made + "\n" + further)


def _word(name: str) -> str:
    return next(kind for kind in _KINDS if kind in name)


def _wrong(module: Module, function: Function, at: Instruction, what: str, why: str, hint: str = "") -> UsageError:
    return UsageError(
        what,
        function=function.name,
        instruction=print_instruction(at),
        location=module.place_of(at, function),
        why=why,
        hint=hint or f"{WORD}_op_func(f, 64, 32), or (f, 64, bits of the exponent, bits of the mantissa)",
    )


def _format(module: Module, caller: Function, call: CallBase) -> Format:
    numbers = [constant_of(value) for value in call.args[1:]]
    word = _word(call.callee_name or "")
    if len(numbers) not in (2, 3) or None in numbers:
        raise _wrong(module, caller, call, f"{word} takes two or three constants", "they say which formats are meant")
    bits, *to = [number for number in numbers if number is not None]
    source = _BY_BITS.get(bits)
    if len(to) == 1:
        native = _BY_BITS.get(to[0])
        exponent, mantissa = next((key for key, type in _NATIVE.items() if type is native), (0, 0))
    else:
        exponent, mantissa = to
    if source is None or bits == 16 or not (2 <= exponent <= 11 and 1 <= mantissa <= 52):
        raise _wrong(
            module,
            caller,
            call,
            f"{word} does not know the formats {', '.join(map(str, numbers))}",
            "known are numbers of 32 and 64 bits, made 16, 32, or 2 to 11 bits of exponent and 1 to 52 of mantissa",
        )
    if call.args and word in _KINDS[2:] and call.args[0].type is not source:
        raise _wrong(module, caller, call, f"{word} is given {call.args[0].type}", f"numbers of {bits} bits are meant")
    return Format(source, exponent, mantissa)


class _Copies:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.helpers: dict[str, Format] = {}
        self._made: dict[tuple[Function, Format, bool], Function] = {}

    def of(self, function: Function, format: Format, stored: bool) -> Function:
        """The copy of a function in another format; ``stored``: its constants are rounded wherever they go."""
        key = function, format, stored
        if key not in self._made:
            kind = "mem" if stored else "op"
            name = f"{function.name}.{kind}.{format.source.bits}.{format.exponent}.{format.mantissa}"
            made = self._made[key] = copy_function(self.module, function, name)
            for inst in [inst for block in made.blocks for inst in block.instructions]:
                self._change(function, inst, format, stored)
        return self._made[key]

    # --- numbers

    def rounded(self, build: Builder, value: Value, format: Format) -> Value:
        native = format.native
        if native is not None:
            return self._up(build, self._down(build, value, format), format)
        self.helpers[format.helper] = format
        if isinstance(value.type, VectorType):
            result: Value = value
            for lane in range(value.type.count):
                each = self.rounded(build, build.extract_element(value, lane), format)
                result = build.insert_element(result, each, lane)
            return result
        helper = self.module.declare_function(format.helper, FunctionType(DOUBLE, (DOUBLE,)))
        wide = build.float_cast(value, DOUBLE)
        return build.float_cast(build.call(helper, [wide]), format.source)

    def _down(self, build: Builder, value: Value, format: Format) -> Value:
        """Rounded, in the format that operations are done in."""
        if format.native is None:
            return self.rounded(build, value, format)
        if format.native.bits >= format.source.bits:
            return value
        return build.float_cast(value, _like(value.type, format.native))

    def _up(self, build: Builder, value: Value, format: Format) -> Value:
        """The result of an operation, in the source format."""
        if format.native is None:
            return self.rounded(build, value, format)
        return build.float_cast(value, _like(value.type, format.source))

    # --- instructions

    def _change(self, function: Function, inst: Instruction, format: Format, stored: bool) -> None:
        assert inst.block is not None
        build = Builder(inst.block, before=inst)
        source = format.source
        mine = [index for index, operand in enumerate(inst.operands) if operand.type.scalar is source]
        if isinstance(inst, (BinaryOp, UnaryOp)) and mine:
            self._replace(build, inst, format, mine)
        elif isinstance(inst, Compare) and mine:
            for index in mine:
                inst.set_operand(index, self._down(build, inst.operands[index], format))
        elif isinstance(inst, Cast) and inst.opcode in ("sitofp", "uitofp") and inst.type.scalar is source:
            self._replace(build, inst, format, [])
        elif isinstance(inst, Cast) and inst.opcode in ("fptrunc", "fpext", "fptosi", "fptoui"):
            for index in mine:
                inst.set_operand(index, self.rounded(build, inst.operands[index], format))
            if inst.type.scalar is source:
                self._after(inst, format)
        elif isinstance(inst, CallBase):
            self._call(function, build, inst, format, stored, mine)
        elif isinstance(inst, AtomicRMW) and mine:
            raise self._refused(function, inst, "an atomic update rounds once, in memory")
        if stored:
            if isinstance(inst, Load) and inst.type.scalar is source and _is_constant(inst.pointer):
                self._after(inst, format)
            self._constants(inst, format)
        for operand in inst.operands:
            is_callee = isinstance(inst, CallBase) and operand is inst.callee
            if isinstance(operand, Function) and not operand.is_declaration and not is_callee:
                raise self._refused(
                    function, inst, f"what calls '{operand.name}' by its address would not be truncated"
                )

    def _replace(self, build: Builder, inst: Instruction, format: Format, mine: list[int]) -> None:
        """The operation on rounded operands, in the narrower format where that is one of the machine's."""
        made = inst.clone()
        for index in mine:
            made.set_operand(index, self._down(build, inst.operands[index], format))
        if format.native is not None and format.native.bits < format.source.bits:
            made.type = _like(inst.type, format.native)
        build.insert(made)
        inst.replace_all_uses_with(self._up(build, made, format))
        inst.erase()

    def _after(self, inst: Instruction, format: Format) -> None:
        """Let all that use a result use it rounded."""
        assert inst.block is not None
        users = list(inst.users)
        if not users:
            return
        following = inst.block.instructions[inst.block.position(inst) + 1]
        rounded = self.rounded(Builder(inst.block, before=following), inst, format)
        for user in users:
            user.replace_operand(inst, rounded)

    def _call(
        self, function: Function, build: Builder, inst: CallBase, format: Format, stored: bool, mine: list[int]
    ) -> None:
        callee, name = inst.callee, inst.callee_name or ""
        numbers = bool(mine) or inst.type.scalar is format.source
        if isinstance(callee, InlineAsm):
            if numbers:
                raise self._refused(function, inst, "it is not known what assembly does with numbers")
        elif not isinstance(callee, Function):
            raise self._refused(function, inst, "it is not known which function is called")
        elif entry_point(name) is not None or WORD in name:
            raise self._refused(function, inst, "derivatives are made later: take the derivative of what is truncated")
        elif not callee.is_declaration:
            call_copy(inst, self.of(callee, format, stored))
        elif numbers and name.startswith(_WHOLE):
            raise self._refused(function, inst, "it does several operations, or rounds in its own way")
        elif is_fused(inst) and numbers:
            self._fused(build, inst, format)
        elif callee_math_name(inst) is not None and numbers:
            if inst.is_terminator:
                raise self._refused(function, inst, "its result is needed behind a call that may throw")
            for index in mine:
                inst.set_operand(index, self.rounded(build, inst.operands[index], format))
            if inst.type.scalar is format.source:
                self._after(inst, format)

    def _fused(self, build: Builder, inst: CallBase, format: Format) -> None:
        values = [self._down(build, value, format) for value in inst.args]
        name, type = inst.callee_name or "", values[0].type
        if type is not inst.type:
            name = f"{name.rsplit('.', 1)[0]}.{mangle(type)}"
        declared = self.module.declare_function(name, FunctionType(type, (type,) * 3))
        made = build.call(declared, values, flags=inst.flags)
        inst.replace_all_uses_with(self._up(build, made, format))
        inst.erase()

    def _constants(self, inst: Instruction, format: Format) -> None:
        """In memory, too, there are only numbers of the format: constants on their way there are rounded."""
        if inst.block is None:
            return
        found: dict[tuple[Block, Value], Value] = {}  # a phi has one value for each block
        for index, operand in enumerate(inst.operands):
            if not isinstance(operand, (ConstantFloat, ConstantAggregate)) or operand.type.scalar is not format.source:
                continue
            before: Instruction | None = inst
            block = inst.block
            if isinstance(inst, Phi):
                source = inst.operands[index + 1]
                assert isinstance(source, Block)
                block, before = source, source.terminator
            if (block, operand) not in found:
                found[block, operand] = self.rounded(Builder(block, before=before), operand, format)
            inst.set_operand(index, found[block, operand])

    def _refused(self, function: Function, inst: Instruction, why: str) -> UsageError:
        return _wrong(
            self.module,
            function,
            inst,
            f"cannot truncate '{function.name}'",
            why,
            "truncate functions that call others by name, and only arithmetic",
        )


def _is_constant(address: Value) -> bool:
    """Whether it leads into a table of the program's that nobody writes."""
    while isinstance(address, GetElementPtr) or (isinstance(address, ConstantExpr) and address.args):
        address = address.operands[0] if isinstance(address, GetElementPtr) else address.args[0]
    return isinstance(address, GlobalVariable) and address.is_constant


def _like(type: Type, scalar: Type) -> Type:
    return VectorType(type.count, scalar) if isinstance(type, VectorType) else scalar
