"""Floating-point constants of every format against LLVM's own conversions."""

from __future__ import annotations

import math
import struct

import llvmlite.binding as llvm
import pytest

from enzyme.ir.parser import parse_module
from enzyme.ir.types import DOUBLE, FloatType
from enzyme.ir.values import ConstantFloat

VALUES = [
    0.0, -0.0, 1.0, -1.5, 0.1, 1 / 3, 65504.0, 65520.0, 1e-7, 6e-8, 1e30, -3.4028235e38, 1e39, 1e-45, 1e-40, 5e-324,
    2.2250738585072014e-308, 1e-310, 1.7976931348623157e308, math.pi, math.inf, -math.inf, 2.0**-24, 3.0 * 2**-25,
    1 + 2**-9, 1 + 3 * 2**-9,
]  # fmt: skip


def rounded_by_llvm(value: float, kind: str) -> str:
    """The constant LLVM folds a conversion of the double ``value`` to."""
    (bits,) = struct.unpack("<Q", struct.pack("<d", value))
    source = f"0x{bits:016X}"
    if kind == "double":
        return source
    opcode = "fptrunc" if kind in ("half", "bfloat", "float") else "fpext"
    text = f"define {kind} @f() {{\n  %x = {opcode} double {source} to {kind}\n  ret {kind} %x\n}}\n"
    module = llvm.parse_assembly(text, llvm.create_context())
    llvm.initialize_native_target()
    machine = llvm.Target.from_triple(llvm.get_default_triple()).create_target_machine()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(0))
    passes = llvm.create_new_module_pass_manager()
    passes.add_instruction_combine_pass()
    passes.run(module, builder)
    folded = parse_module(str(module)).functions["f"].blocks[0].instructions[0].operands[0]
    assert isinstance(folded, ConstantFloat)
    return folded.spelling


def canonical_spelling(kind: str, spelling: str) -> str:
    module = llvm.parse_assembly(f"@g = global {kind} {spelling}", llvm.create_context())
    constant = parse_module(str(module)).globals["g"].initializer
    assert isinstance(constant, ConstantFloat)
    return constant.spelling


@pytest.mark.parametrize("kind", [k for k in FloatType.BITS if k != "ppc_fp128"])
def test_rounding(kind: str) -> None:
    for value in VALUES:
        ours = ConstantFloat.of(FloatType(kind), value)
        expected = rounded_by_llvm(value, kind)
        assert canonical_spelling(kind, ours.spelling) == canonical_spelling(kind, expected), value


@pytest.mark.parametrize("kind", FloatType.BITS)
def test_value_of_what_llvm_prints(kind: str) -> None:
    """Reading the printed constant back gives the double it came from, if the format can hold it."""
    for value in (0.0, -0.0, 1.0, -1.5, 0.25, 3.0, -112.0, 2.0**-10):
        spelling = canonical_spelling(kind, ConstantFloat.of(FloatType(kind), value).spelling)
        read = ConstantFloat(FloatType(kind), spelling).value
        assert read == value and math.copysign(1, read) == math.copysign(1, value), spelling


def test_nan() -> None:
    for kind in FloatType.BITS:
        spelling = canonical_spelling(kind, ConstantFloat.of(FloatType(kind), math.nan).spelling)
        assert math.isnan(ConstantFloat(FloatType(kind), spelling).value), kind


def test_decimal_spelling() -> None:
    assert ConstantFloat(DOUBLE, "1.500000e+00").value == 1.5
    assert ConstantFloat(DOUBLE, "0x3FB999999999999A").value == 0.1
    assert ConstantFloat(FloatType("half"), "0xH7C00").value == math.inf
    assert ConstantFloat(FloatType("x86_fp80"), "0xK4000C90FDAA22168C235").value == math.pi
