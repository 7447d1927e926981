"""Partials as compiled code: every row in double and float against 40 digits, every format through LLVM's verifier."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import llvmlite.binding as llvm
import mpmath as mp
import pytest

from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.printer import print_module
from enzyme.ir.types import (
    DOUBLE,
    FLOAT,
    FP128,
    HALF,
    I32,
    X86_FP80,
    FloatType,
    FunctionType,
    IntType,
    Type,
    VectorType,
)
from enzyme.ir.values import Function
from enzyme.rules import runtime
from enzyme.rules.emit import IRExprBuilder, mangle
from enzyme.rules.expr import I, IntConst, Leaf, Result, X, emit, evaluate, fn, functions
from enzyme.rules.scalar import FUNCTIONS
from enzyme.support.diagnostics import UnsupportedError

# Not in every C library: emitted only where the primal itself calls its sister.
NOT_EVERYWHERE = {"sinpi", "cospi", "cyl_bessel_i0", "cyl_bessel_i1"}
ACTIVE = [(r, i) for r in FUNCTIONS.values() for i, e in enumerate(r.partials) if e is not None]


def build_partial(module: Module, name: str, shape: str, expr: Any, type: Type, **options: Any) -> Function:
    """``type name(operands..., result)`` that returns ``expr``."""
    integer = options.pop("integer", I32)
    params = tuple(integer if letter == "i" else type for letter in shape) + (type,)
    function = Function(name, FunctionType(type, params))
    module.add_function(function)
    builder = Builder(function.append_block("entry"), **options.pop("builder", {}))

    def leaf(node: Leaf) -> Any:
        return function.args[-1 if isinstance(node, Result) else node.index]

    builder.ret(emit(expr, IRExprBuilder(builder, module, **options), leaf, type))
    return function


def compile_text(text: str, names: list[str]) -> Any:
    """A library of the functions ``names``, with the C library of this process behind it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.parse_assembly(text).verify()
    builder = llvm.JITLibraryBuilder().add_ir(text).add_current_process()
    for name in names:
        builder.export_symbol(name)
    return builder.link(llvm.create_lljit_compiler(), f"test{id(text)}")


def host_module() -> Module:
    module = Module()
    module.triple = llvm.get_process_triple()
    return module


@pytest.fixture(scope="module")
def compiled() -> Any:
    """Every partial in double and float, compiled."""
    module = host_module()
    signatures: dict[str, Any] = {}
    for type, c_type in ((DOUBLE, ctypes.c_double), (FLOAT, ctypes.c_float)):
        for rule, index in ACTIVE:
            expr = rule.partials[index]
            assert expr is not None
            if functions(expr) & NOT_EVERYWHERE:
                continue
            name = f"{rule.name}.{index}.{type}"
            build_partial(module, name, rule.shape, expr, type)
            c_params = [ctypes.c_int if letter == "i" else c_type for letter in rule.shape]
            signatures[name] = ctypes.CFUNCTYPE(c_type, *c_params, c_type)
    library = compile_text(print_module(module), list(signatures))
    yield {name: make(library[name]) for name, make in signatures.items()}


@pytest.mark.parametrize(("rule", "index"), ACTIVE, ids=lambda v: getattr(v, "name", v))
def test_compiled_partials(rule: Any, index: int, compiled: Any, primal: Any, points: Any) -> None:
    for type, tolerance in (("double", 1e-13), ("float", 3e-5)):
        call = compiled.get(f"{rule.name}.{index}.{type}")
        if call is None:
            assert functions(rule.partials[index]) & NOT_EVERYWHERE
            continue
        for point in points(rule.name):
            held = [ctypes.c_float(p).value if type == "float" and isinstance(p, float) else p for p in point]
            exact = [mp.mpf(p) if isinstance(p, float) else p for p in held]
            result = primal[rule.name](*exact)
            expected = evaluate(rule.partials[index], exact, result, primal, mp.mpf)
            got = call(*held, float(result))
            assert abs(got - expected) <= tolerance * max(abs(expected), abs(result) * 0.01, 1e-3), (
                point,
                got,
                expected,
            )


ALL_FORMATS = [
    HALF,
    FloatType("bfloat"),
    FLOAT,
    DOUBLE,
    X86_FP80,
    FP128,
    VectorType(4, FLOAT),
    VectorType(2, DOUBLE),
    VectorType(2, HALF),
]


@pytest.mark.parametrize("type", ALL_FORMATS, ids=str)
def test_every_row_in_every_format_is_valid_ir(type: Type) -> None:
    module = host_module()
    for rule, index in ACTIVE:
        build_partial(module, f"{rule.name}.{index}", rule.shape, rule.partials[index], type)
    llvm.parse_assembly(print_module(module)).verify()


def text_of(expr: Any, shape: str, type: Type, **options: Any) -> str:
    module = options.pop("module", None) or host_module()
    build_partial(module, "f", shape, expr, type, **options)
    return print_module(module)


def test_intrinsics_first_then_the_library() -> None:
    assert "@llvm.cos.f64(" in text_of(fn("cos", X(0)), "f", DOUBLE)
    assert "@llvm.exp.v4f32(" in text_of(fn("exp", X(0)), "f", VectorType(4, FLOAT))
    assert "@erff(" in text_of(fn("erf", X(0)), "f", FLOAT)
    assert "@erfl(" in text_of(fn("erf", X(0)), "f", X86_FP80)
    assert text_of(fn("erf", X(0)), "f", VectorType(4, FLOAT)).count("call float @erff(") == 4
    half = text_of(fn("erf", X(0)), "f", HALF)
    assert "fpext half" in half and "@erff(" in half and "fptrunc float" in half
    assert "@llvm.copysign.f16(" in text_of(fn("copysign", 1.0, X(0)), "f", HALF)


def test_quadruple_precision_names_depend_on_the_target() -> None:
    module = host_module()
    module.triple = "aarch64-unknown-linux-gnu"
    assert "@erfl(" in text_of(fn("erf", X(0)), "f", FP128, module=module)
    module = host_module()
    module.triple = "x86_64-unknown-linux-gnu"
    assert "@erff128(" in text_of(fn("erf", X(0)), "f", FP128, module=module)


def test_integer_exponents() -> None:
    assert "@llvm.powi.f64.i32(" in text_of(fn("powi", X(0), IntConst(3)), "f", DOUBLE)
    assert "@llvm.pow.f64(" in text_of(fn("powi", X(0), IntConst(1023)), "f", DOUBLE)
    assert "sitofp i32" in text_of(fn("powi", X(0), I(1)), "fi", DOUBLE)
    assert "@__nv_powi(" in text_of(fn("powi", X(0), I(1)), "fi", DOUBLE, family="libdevice")
    wide = text_of(fn("powi", X(0), I(1)), "fi", DOUBLE, integer=IntType(64))
    assert "sitofp i64" in wide and "@llvm.pow.f64(" in wide
    assert "@scalbln(" in text_of(fn("scalbln", X(0), I(1)), "fi", DOUBLE, integer=IntType(64))
    assert "@llvm.ldexp.f32.i32(" in text_of(fn("scalbn", X(0), I(1)), "fi", FLOAT)


def test_gpu_functions_come_from_libdevice() -> None:
    kernel = text_of(fn("cos", fn("sqrt", X(0))), "f", FLOAT, family="libdevice")
    assert "@__nv_cosf(" in kernel and "@llvm.sqrt.f32(" in kernel
    with pytest.raises(UnsupportedError, match="libdevice"):
        text_of(fn("cos", X(0)), "f", FP128, family="libdevice")


def test_flags_and_attributes_reach_the_calls() -> None:
    text = text_of(
        fn("erf", fn("exp", X(0) * X(0))), "f", DOUBLE,
        builder={"flags": ("fast",)}, call_attributes=lambda name, type: ('"called"',),
    )  # fmt: skip
    assert "fmul fast" in text and "call fast double @llvm.exp.f64" in text and text.count('"called"') == 2


def test_library_calls_have_no_side_effects() -> None:
    llvm_module = llvm.parse_assembly(text_of(fn("erf", X(0)), "f", DOUBLE))
    llvm_module.verify()
    assert "memory(none)" in str(llvm_module)


# --- digamma and polygamma -------------------------------------------------------------------------------------------


def compile_runtime(text: str, names: list[str]) -> Any:
    seen: set[str] = set()
    lines = []
    for line in text.replace("define internal", "define").splitlines():
        if line.startswith("declare") and line in seen:
            continue
        seen.add(line)
        lines.append(line)
    return compile_text("\n".join(lines), names)


GAMMA_POINTS = [
    *(10.0**k for k in range(-12, 13)), *(-(10.0**k) * 1.0307 for k in range(-12, 4)),
    0.5, 1.0, 1.5, 2.0, 3.25, 9.999, 10.0, 19.5,
    -0.25, -0.5, -1.75, -4.999999, -19.5, -20.5, -33.3, -1234.5678, 171.6, 1.7e308,
]  # fmt: skip


@pytest.fixture(scope="module")
def gamma_engine() -> Any:
    text = runtime.definition("digamma", "double") + runtime.definition("polygamma", "double")
    return compile_runtime(text, ["__enzyme_digamma", "__enzyme_polygamma"])


def test_digamma_in_double(gamma_engine: Any) -> None:
    digamma = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(gamma_engine["__enzyme_digamma"])
    for x in GAMMA_POINTS:
        expected = mp.digamma(x)
        condition = abs(x * mp.psi(1, x)) if x < 1e30 else 0  # moving x by half a unit moves the value by this much
        assert abs(digamma(x) - expected) <= 1e-14 * max(1, abs(expected)) + 1e-16 * condition, x
    assert digamma(math.inf) == math.inf and math.isnan(digamma(math.nan))
    assert math.isinf(digamma(0.0)) and math.isinf(digamma(-3.0))


@pytest.mark.parametrize("order", [1, 2, 3, 6])
def test_polygamma_in_double(gamma_engine: Any, order: int) -> None:
    address = gamma_engine["__enzyme_polygamma"]
    polygamma = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int, ctypes.c_double)(address)
    for x in (p for p in GAMMA_POINTS if p < 1e30):
        expected = mp.psi(order, x)
        if not 1e-290 < abs(expected) < 1e290:
            continue
        condition = abs(x * mp.psi(order + 1, x))
        assert abs(polygamma(order, x) - expected) <= 2e-14 * abs(expected) + 3e-16 * condition, x


def test_digamma_in_long_double() -> None:
    """Checked in two halves: what double can hold of the value, and the rest."""
    if not llvm.get_process_triple().startswith(("x86_64", "i686")):
        pytest.skip("long double is another format here")
    halves = """
define double @high(double %x) {
  %w = fpext double %x to x86_fp80
  %r = call x86_fp80 @__enzyme_digamma_x86_fp80(x86_fp80 %w)
  %h = fptrunc x86_fp80 %r to double
  ret double %h
}

define double @low(double %x) {
  %w = fpext double %x to x86_fp80
  %r = call x86_fp80 @__enzyme_digamma_x86_fp80(x86_fp80 %w)
  %h = call double @high(double %x)
  %hw = fpext double %h to x86_fp80
  %d = fsub x86_fp80 %r, %hw
  %l = fptrunc x86_fp80 %d to double
  ret double %l
}
"""
    library = compile_runtime(runtime.definition("digamma", "x86_fp80") + halves, ["high", "low"])
    signature = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)
    high, low = (signature(library[n]) for n in ("high", "low"))
    for x in (0.1, 0.75, 2.5, 7.125, 30.0, 1e6, -0.625, -25.125):
        expected = mp.digamma(x)
        got = mp.mpf(high(x)) + mp.mpf(low(x))
        assert abs(got - expected) <= 1e-17 * max(1, abs(expected)), x


@pytest.mark.parametrize("kind", ["double", "x86_fp80", "fp128"])
@pytest.mark.parametrize("name", ["digamma", "polygamma"])
def test_runtime_definitions_verify(name: str, kind: str) -> None:
    llvm.parse_assembly(runtime.definition(name, kind)).verify()


def test_runtime_is_refused_where_it_has_no_version() -> None:
    with pytest.raises(UnsupportedError, match="digamma"):
        runtime.definition("digamma", "ppc_fp128")


def test_ensure_defines_once_and_adopts_a_declaration() -> None:
    module = host_module()
    declared = module.declare_function("__enzyme_digamma", FunctionType(DOUBLE, (DOUBLE,)))
    first = runtime.ensure(module, "digamma", DOUBLE)
    assert first is not declared and not first.is_declaration
    assert runtime.ensure(module, "digamma", DOUBLE) is first
    runtime.ensure(module, "polygamma", DOUBLE)
    llvm.parse_assembly(print_module(module)).verify()


def test_mangling() -> None:
    assert [mangle(t) for t in (HALF, FloatType("bfloat"), FLOAT, DOUBLE, X86_FP80, FP128, IntType(64))] == [
        "f16", "bf16", "f32", "f64", "f80", "f128", "i64",
    ]  # fmt: skip
    assert mangle(VectorType(2, DOUBLE, scalable=True)) == "nxv2f64"
