"""Spellings of mathematical functions, and what must not be taken for one."""

from __future__ import annotations

import pytest

from enzyme.ir.module import Module
from enzyme.ir.types import (
    DOUBLE,
    FLOAT,
    FP128,
    HALF,
    I32,
    I64,
    METADATA,
    PTR,
    VOID,
    X86_FP80,
    FunctionType,
    StructType,
    Type,
    VectorType,
)
from enzyme.ir.values import BinaryOp, Call, Cast, Function, UnaryOp, zero
from enzyme.rules.names import callee_math_name, canonical, intrinsic_base
from enzyme.rules.scalar import lookup_instruction, lookup_memory_hook, lookup_reduction

V4D, V4F = VectorType(4, DOUBLE), VectorType(4, FLOAT)
PAIR = StructType.literal((DOUBLE, DOUBLE))


def f(result: Type, *params: Type, vararg: bool = False) -> FunctionType:
    return FunctionType(result, params, vararg)


SPELLINGS = [
    ("sin", f(DOUBLE, DOUBLE), "sin", "double"),
    ("sinf", f(FLOAT, FLOAT), "sin", "float"),
    ("sinl", f(X86_FP80, X86_FP80), "sin", "x86_fp80"),
    ("sinl", f(FP128, FP128), "sin", "fp128"),
    ("sinf128", f(FP128, FP128), "sin", "fp128"),
    ("sinq", f(FP128, FP128), "sin", "fp128"),
    ("sinf16", f(HALF, HALF), "sin", "half"),
    ("sinf64", f(DOUBLE, DOUBLE), "sin", "double"),
    ("__sin_finite", f(DOUBLE, DOUBLE), "sin", "double"),
    ("__powf_finite", f(FLOAT, FLOAT, FLOAT), "pow", "float"),
    ("llvm.sin.f32", f(FLOAT, FLOAT), "sin", "float"),
    ("llvm.sin.v4f64", f(V4D, V4D), "sin", "double"),
    ("llvm.sin.bf16", f(HALF, HALF), "sin", "half"),
    ("llvm.exp10.f64", f(DOUBLE, DOUBLE), "exp10", "double"),
    ("llvm.atan2.v4f32", f(V4F, V4F, V4F), "atan2", "float"),
    ("llvm.powi.f64.i32", f(DOUBLE, DOUBLE, I32), "powi", "double"),
    ("llvm.ldexp.v4f32.v4i32", f(V4F, V4F, VectorType(4, I32)), "ldexp", "float"),
    ("llvm.minnum.f64", f(DOUBLE, DOUBLE, DOUBLE), "fmin", "double"),
    ("llvm.maximum.f64", f(DOUBLE, DOUBLE, DOUBLE), "fmaximum", "double"),
    ("llvm.minimumnum.f32", f(FLOAT, FLOAT, FLOAT), "fminimum_num", "float"),
    ("llvm.fmuladd.f32", f(FLOAT, FLOAT, FLOAT, FLOAT), "fmuladd", "float"),
    ("llvm.arithmetic.fence.f64", f(DOUBLE, DOUBLE), "arithmetic.fence", "double"),
    ("llvm.fptrunc.round.f32.f64", f(FLOAT, DOUBLE, METADATA), "fptrunc", "float"),
    ("llvm.sincos.f64", f(PAIR, DOUBLE), "llvm.sincos", "double"),
    ("llvm.frexp.f64.i32", f(StructType.literal((DOUBLE, I32)), DOUBLE), "llvm.frexp", "double"),
    ("llvm.experimental.constrained.fadd.f64", f(DOUBLE, DOUBLE, DOUBLE, METADATA, METADATA), "fadd", "double"),
    ("llvm.experimental.constrained.sin.f64", f(DOUBLE, DOUBLE, METADATA, METADATA), "sin", "double"),
    ("llvm.experimental.constrained.sitofp.f64.i32", f(DOUBLE, I32, METADATA, METADATA), "sitofp", "double"),
    ("llvm.experimental.constrained.maxnum.f64", f(DOUBLE, DOUBLE, DOUBLE, METADATA), "fmax", "double"),
    ("__nv_sin", f(DOUBLE, DOUBLE), "sin", "double"),
    ("__nv_sinf", f(FLOAT, FLOAT), "sin", "float"),
    ("__nv_fast_expf", f(FLOAT, FLOAT), "exp", "float"),
    ("__nv_dadd_rn", f(DOUBLE, DOUBLE, DOUBLE), "fadd", "double"),
    ("__nv_fsqrt_rz", f(FLOAT, FLOAT), "sqrt", "float"),
    ("__nv_fmaf_rn", f(FLOAT, FLOAT, FLOAT, FLOAT), "fma", "float"),
    ("__nv_fma_rn", f(DOUBLE, DOUBLE, DOUBLE, DOUBLE), "fma", "double"),
    ("__nv_normcdf", f(DOUBLE, DOUBLE), "normcdf", "double"),
    ("__nv_powi", f(DOUBLE, DOUBLE, I32), "powi", "double"),
    ("__ocml_exp_f32", f(FLOAT, FLOAT), "exp", "float"),
    ("_ZSt3sinf", f(FLOAT, FLOAT), "sin", "float"),
    ("_ZSt3powee", f(X86_FP80, X86_FP80, X86_FP80), "pow", "x86_fp80"),
    ("_ZSt5hypotff", f(FLOAT, FLOAT, FLOAT), "hypot", "float"),
    ("_ZSt3absd", f(DOUBLE, DOUBLE), "fabs", "double"),
    ("_ZGVdN4v_sin", f(V4D, V4D), "sin", "double"),
    ("_ZGVbN4vv_powf", f(V4F, V4F, V4F), "pow", "float"),
    ("__fd_sin_1", f(DOUBLE, DOUBLE), "sin", "double"),
    ("__ps_pow_1", f(FLOAT, FLOAT, FLOAT), "pow", "float"),
    ("_FortranAFPow8i", f(DOUBLE, DOUBLE, I32), "powi", "double"),
    ("_FortranAModReal8", f(DOUBLE, DOUBLE, DOUBLE, PTR, I32), "fmod", "double"),
    ("_FortranAErfcScaled4", f(FLOAT, FLOAT), "erfcx", "float"),
    ("julia_log1p_1234", f(DOUBLE, DOUBLE), "log1p", "double"),
    ("__powidf2", f(DOUBLE, DOUBLE, I32), "powi", "double"),
    ("__muldc3", f(PAIR, DOUBLE, DOUBLE, DOUBLE, DOUBLE), "muldc3", "double"),
    ("lgammaf_r", f(FLOAT, FLOAT, PTR), "lgamma_r", "float"),
    ("sincosf", f(VOID, FLOAT, PTR, PTR), "sincos", "float"),
    ("remquo", f(DOUBLE, DOUBLE, DOUBLE, PTR), "remquo", "double"),
    ("modff", f(FLOAT, FLOAT, PTR), "modf", "float"),
    ("erf", f(DOUBLE, DOUBLE), "erf", "double"),
    ("erff", f(FLOAT, FLOAT), "erf", "float"),
    ("jn", f(DOUBLE, I32, DOUBLE), "jn", "double"),
    ("scalbln", f(DOUBLE, DOUBLE, I64), "scalbln", "double"),
    ("nexttowardf", f(FLOAT, FLOAT, X86_FP80), "nexttoward", "float"),
    ("drem", f(DOUBLE, DOUBLE, DOUBLE), "remainder", "double"),
    ("_hypot", f(DOUBLE, DOUBLE, DOUBLE), "hypot", "double"),
    ("__enzyme_digamma", f(DOUBLE, DOUBLE), "digamma", "double"),
    ("__enzyme_polygamma_x86_fp80", f(X86_FP80, I32, X86_FP80), "polygamma", "x86_fp80"),
]


@pytest.mark.parametrize(("name", "type", "expected", "precision"), SPELLINGS, ids=lambda v: str(v))
def test_spelling(name: str, type: FunctionType, expected: str, precision: str) -> None:
    found = canonical(name, type)
    assert found is not None and (found.name, found.precision) == (expected, precision)


@pytest.mark.parametrize(
    ("name", "type"),
    [
        ("gamma", f(DOUBLE, DOUBLE, I32)),
        ("gamma", f(DOUBLE, DOUBLE)),  # lgamma on one system, tgamma on another
        ("sin", f(FLOAT, FLOAT)),
        ("sinf", f(DOUBLE, DOUBLE)),
        ("sin", f(DOUBLE, DOUBLE, DOUBLE)),
        ("sin", f(DOUBLE, DOUBLE, vararg=True)),
        ("sin", f(VOID, DOUBLE)),
        ("sin", f(V4D, V4D)),
        ("pow", f(DOUBLE, DOUBLE, I32)),
        ("remainder", f(DOUBLE, DOUBLE, I32)),
        ("modf", f(DOUBLE, DOUBLE, I32)),
        ("fadd", f(DOUBLE, DOUBLE, DOUBLE)),
        ("rcp", f(DOUBLE, DOUBLE)),
        ("digamma", f(DOUBLE, DOUBLE)),
        ("mysin", f(DOUBLE, DOUBLE)),
        ("_Z3sind", f(DOUBLE, DOUBLE)),  # a user's own C++ function
        ("_ZSt7mystuffd", f(DOUBLE, DOUBLE)),
        ("__enzyme_autodiff", f(DOUBLE, PTR)),
        ("llvm.vector.reduce.fadd.v4f64", f(DOUBLE, DOUBLE, V4D)),
        ("llvm.x86.sse2.sqrt.pd", f(V4D, V4D)),
        ("llvm.sinh.extra.f64", f(DOUBLE, DOUBLE)),
    ],
)
def test_not_a_known_function(name: str, type: FunctionType) -> None:
    assert canonical(name, type) is None


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("llvm.sin.f64", "llvm.sin"),
        ("llvm.memcpy.p0.p0.i64", "llvm.memcpy"),
        ("llvm.memcpy.p1.p0.i64", "llvm.memcpy"),
        ("llvm.vector.reduce.fadd.v4f64", "llvm.vector.reduce.fadd"),
        ("llvm.fma.nxv2f64", "llvm.fma"),
        ("llvm.is.fpclass.f32", "llvm.is.fpclass"),
        ("llvm.fptosi.sat.i32.f64", "llvm.fptosi.sat"),
        ("llvm.exp2.ppcf128", "llvm.exp2"),
        ("llvm.lifetime.start.p0", "llvm.lifetime.start"),
        ("llvm.dbg.value", "llvm.dbg.value"),
        ("llvm.masked.gather.v4f64.v4p0", "llvm.masked.gather"),
        ("llvm.sincos.f64", "llvm.sincos"),
    ],
)
def test_intrinsic_base(name: str, base: str) -> None:
    assert intrinsic_base(name) == base


def call_of(name: str, type: FunctionType, defined: bool = False) -> Call:
    function = Function(name, type)
    if defined:
        function.append_block("entry")
    args = [zero(p) for p in type.params]
    return Call(function, args)


def test_a_definition_is_differentiated_as_what_it_is() -> None:
    type = f(DOUBLE, DOUBLE)
    assert callee_math_name(call_of("sin", type)) is not None
    assert callee_math_name(call_of("sin", type, defined=True)) is None
    assert callee_math_name(call_of("__enzyme_digamma", type, defined=True)) is not None
    assert lookup_instruction(call_of("sin", type, defined=True)) is None


def test_lookup_of_calls() -> None:
    rule = lookup_instruction(call_of("pow", f(DOUBLE, DOUBLE, DOUBLE)))
    assert rule is not None and rule.name == "pow" and len(rule.partials) == 2
    constrained = f(DOUBLE, DOUBLE, DOUBLE, METADATA, METADATA)
    module = Module()
    callee = module.declare_function("llvm.experimental.constrained.fmul.f64", constrained)
    rule = lookup_instruction(Call(callee, [zero(DOUBLE)] * 2 + [zero(METADATA)] * 2))
    assert rule is not None and rule.name == "fmul" and len(rule.partials) == 4 and rule.partials[2:] == (None, None)
    assert lookup_instruction(call_of("foo", f(DOUBLE, DOUBLE))) is None
    assert lookup_instruction(call_of("sincos", f(VOID, DOUBLE, PTR, PTR))) is None


def test_lookup_of_instructions() -> None:
    one = zero(DOUBLE)
    for inst, partials in (
        (BinaryOp("fmul", one, one), 2),
        (UnaryOp("fneg", one), 1),
        (Cast("fptrunc", one, FLOAT), 1),
    ):
        rule = lookup_instruction(inst)
        assert rule is not None and rule.name == inst.opcode and len(rule.partials) == partials
    assert lookup_instruction(BinaryOp("add", zero(I32), zero(I32))) is None


def test_lookup_of_hooks() -> None:
    assert lookup_memory_hook("sincosf", f(VOID, FLOAT, PTR, PTR)) is not None
    assert lookup_memory_hook("sincosf", f(VOID, DOUBLE, PTR, PTR)) is None
    assert lookup_memory_hook("llvm.modf.f64", f(PAIR, DOUBLE)) is not None
    assert lookup_memory_hook("sin", f(DOUBLE, DOUBLE)) is None
    assert lookup_reduction("llvm.vector.reduce.fmax.v8f32") is not None
    assert lookup_reduction("llvm.vector.reduce.add.v8i32") is None
