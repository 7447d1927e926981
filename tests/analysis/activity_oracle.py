"""A dynamic oracle for activity analysis: run the function, and see what really varies and what really matters.

The function's values are recorded (bit patterns, all executions folded into one word) and can be scaled one at a time:

- *varied*: when the inputs are perturbed, a value that the analysis calls not varied must keep its bits, every time;
- *useful*: when a value that the analysis calls not useful is scaled, the result must keep its bits.

Perturbations are tiny, so that comparisons and roundings keep their outcome; a finding must show under two of them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from enzyme.analysis.activity import ActivityResult, analyze_activity
from enzyme.analysis.types_analysis import TypeAnalysis
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_instruction, print_module
from enzyme.ir.types import DOUBLE, FLOAT, I64, ArrayType, FloatType, IntType
from enzyme.ir.values import (
    BinaryOp,
    CallBase,
    Cast,
    ConstantInt,
    Function,
    GetElementPtr,
    GlobalVariable,
    Instruction,
    Load,
    Phi,
    Store,
    Value,
)
from enzyme.llvm.jit import JITModule, emit_for_jit
from enzyme.rules.known import known_callee

ACTIVE_GLOBAL = "enzyme_"


@dataclass(frozen=True)
class RequestSeen:
    """One ``__enzyme_autodiff`` call of a program: who is differentiated, and the activity of the parameters."""

    caller: str
    target: str
    activity: tuple[str, ...]


def requests(module: Module) -> list[RequestSeen]:
    """Derivative calls of a module, with activity as the markers or the types say.

    A caller that differentiates one function several times, by one argument each, counts once with all of them active.
    """
    found: dict[tuple[str, str], RequestSeen] = {}
    for function in list(module.functions.values()):
        if function.is_declaration or "__enzyme" not in (function.body_text or "__enzyme"):
            continue
        for inst in function.instructions():
            if isinstance(inst, CallBase) and (inst.callee_name or "").startswith("__enzyme_autodiff"):
                target = inst.args[0]
                if isinstance(target, Function) and not target.is_declaration:
                    key = (function.name or "", target.name or "")
                    activity = _activity(target, inst.args[1:])
                    if key in found:
                        pairs = zip(found[key].activity, activity, strict=True)
                        activity = tuple(new if old == "const" else old for old, new in pairs)
                    found[key] = RequestSeen(*key, activity)
    return list(found.values())


def _activity(target: Function, given: list[Value]) -> tuple[str, ...]:
    activity, at = [], 0
    for parameter in target.function_type.params:
        mark = "dup" if parameter.is_pointer else "out" if parameter.is_float else "const"
        marker = given[at] if at < len(given) else None
        if isinstance(marker, Load) and isinstance(marker.pointer, GlobalVariable):
            name = marker.pointer.name or ""
            if name.startswith(ACTIVE_GLOBAL):
                mark, at = name.removeprefix(ACTIVE_GLOBAL), at + 1
        activity.append(mark)
        at += 2 if mark in ("dup", "dupnoneed") else 1
    return tuple(activity)


class Recorder:
    """``function`` of the module, instrumented; ``entry`` is a ``double (const double *)`` that runs it."""

    def __init__(
        self, text: str, function: str, activity: Sequence[str], entry: str, has_rule: Callable[[CallBase], bool]
    ):
        module = parse_module(text)
        target = module.get_function(function)
        types = TypeAnalysis(module, known_callee).analyze(target)
        self.result: ActivityResult = analyze_activity(
            target, module, activity, target.result_type.is_float, types, known_callee, has_rule
        )
        self.values = [i for i in target.instructions() if _recordable(i)]
        self.shown = [print_instruction(i).strip() for i in self.values]
        count = max(len(self.values), 1)
        record = module.add_global("oracle.record", ArrayType(count, I64), None, linkage="external")
        scale = module.add_global("oracle.scale", ArrayType(count, DOUBLE), None, linkage="external")
        for index, inst in enumerate(list(self.values)):
            _instrument(inst, index, record, scale)
        self._record = (ctypes.c_uint64 * count)()
        self._scale = (ctypes.c_double * count)(*[1.0] * count)
        stubbed = _stub_derivatives(print_module(module), entry)
        addresses = {
            "oracle.record": ctypes.addressof(self._record),
            "oracle.scale": ctypes.addressof(self._scale),
        }
        self._jit = JITModule(emit_for_jit(stubbed, level=1))
        address = self._jit.load([entry], addresses)[entry]
        self._call = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.POINTER(ctypes.c_double))(address)

    def run(self, inputs: Sequence[float], scaled: int | None = None, factor: float = 1.0) -> tuple[bytes, list[int]]:
        """Bits of the result, and the record of every value."""
        for index in range(len(self._record)):
            self._record[index] = 0
        if scaled is not None:
            self._scale[scaled] = factor
        buffer = (ctypes.c_double * max(256, len(inputs)))(*inputs)
        result = self._call(buffer)
        if scaled is not None:
            self._scale[scaled] = 1.0
        return bytes(ctypes.c_double(result)), list(self._record)

    def findings(self, inputs: Sequence[float]) -> list[str]:
        """Values of which the analysis says something that a run disproves."""
        found = []
        _, base = self.run(inputs)
        _, again = self.run(inputs)
        stable = [a == b for a, b in zip(base, again, strict=True)]  # static counters in the program are not
        changed = [self.run([x * (1 + h) + h for x in inputs])[1] for h in (1e-9, -1e-9)]
        result, _ = self.run(inputs)
        for index, inst in enumerate(self.values):
            if (
                stable[index]
                and inst not in self.result.varied
                and all(base[index] != record[index] for record in changed)
            ):
                found.append(f"varies, but is called constant: {self.shown[index]}")
            if inst not in self.result.useful and isinstance(inst.type, FloatType):
                scaled = [self.run(inputs, index, factor)[0] for factor in (1 + 1e-7, 1 - 1e-7)]
                if all(bits != result for bits in scaled):
                    found.append(f"matters, but is called useless: {self.shown[index]}")
        return found


def _recordable(inst: Instruction) -> bool:
    if inst.type in (DOUBLE, FLOAT):
        return True
    return isinstance(inst.type, IntType) and 8 <= inst.type.bits <= 64


def _instrument(inst: Instruction, index: int, record: Value, scale: Value) -> None:
    block = inst.block
    assert block is not None
    at = block.instructions.index(inst) + 1
    if isinstance(inst, Phi):
        at = len(block.phis)
    made: list[Instruction] = []

    def emit(new: Instruction) -> Instruction:
        made.append(new)
        return new

    number = ConstantInt(I64, index)
    shown: Value = inst
    if isinstance(inst.type, FloatType):
        slot = emit(GetElementPtr(DOUBLE, scale, [number]))
        factor: Value = emit(Load(DOUBLE, slot, 8))
        if inst.type is FLOAT:
            factor = emit(Cast("fptrunc", factor, FLOAT))
        scaled = emit(BinaryOp("fmul", inst, factor))
        users = [(u, i) for u in inst.users for i, o in enumerate(u.operands) if o is inst and u is not scaled]
        for user, position in users:
            user.set_operand(position, scaled)
        shown = emit(Cast("bitcast", scaled, IntType(inst.type.bits)))
    if isinstance(shown.type, IntType) and shown.type.bits < 64:
        shown = emit(Cast("zext", shown, I64))
    slot = emit(GetElementPtr(I64, record, [number]))
    old = emit(Load(I64, slot, 8))
    mixed = emit(BinaryOp("mul", old, ConstantInt(I64, 1099511628211)))
    emit(Store(emit(BinaryOp("add", mixed, shown)), slot, 8))
    for offset, new in enumerate(made):
        block.insert(at + offset, new)


def _stub_derivatives(text: str, entry: str) -> str:
    """The module with derivative calls that return zero, and the entry visible."""
    lines = []
    for line in text.split("\n"):
        if line.startswith("declare") and "@__enzyme_" in line:
            result = line.removeprefix("declare ").split(" @__enzyme_")[0]
            body = "ret void" if result == "void" else f"ret {result} zeroinitializer"
            line = line.replace("declare", "define", 1).split(" #")[0] + " {\n  " + body + "\n}"
        elif line.startswith("@enzyme_") and " external " in line:
            line = line.replace(" external ", " ", 1).replace("i32,", "i32 0,")
        elif line.startswith("define internal ") and f"@{entry}(" in line:
            line = line.replace("define internal ", "define ", 1)
        lines.append(line)
    return "\n".join(lines)
