"""Completeness: every LLVM 22 instruction and portable intrinsic has a rule, a fact, a driver or a refusal."""

from __future__ import annotations

from pathlib import Path

import llvmlite.binding as llvm
import pytest

from enzyme.ir.parser import parse_module
from enzyme.rules.coverage import OPCODES, Handling, intrinsic_coverage
from enzyme.rules.known import known_callee
from enzyme.rules.names import canonical, intrinsic_base
from enzyme.rules.scalar import FUNCTIONS, INSTRUCTIONS, lookup_memory_hook, lookup_reduction, rule_for
from enzyme.rules.unsupported import lookup_unsupported

# llvm/include/llvm/IR/Instruction.def, release 22
LLVM_OPCODES = (
    "ret br switch indirectbr invoke resume unreachable cleanupret catchret catchswitch callbr fneg add fadd sub fsub "
    "mul fmul udiv sdiv fdiv urem srem frem shl lshr ashr and or xor alloca load store getelementptr fence cmpxchg "
    "atomicrmw trunc zext sext fptoui fptosi uitofp sitofp fptrunc fpext ptrtoint ptrtoaddr inttoptr bitcast "
    "addrspacecast cleanuppad catchpad icmp fcmp phi call select va_arg extractelement insertelement shufflevector "
    "extractvalue insertvalue landingpad freeze"
).split()

# Mathematical intrinsics with a declaration that LLVM must accept: result, parameters.
_UNARY = (
    "sqrt sin cos tan asin acos atan sinh cosh tanh exp exp2 exp10 log log2 log10 fabs floor ceil trunc rint nearbyint "
    "round roundeven canonicalize arithmetic.fence"
).split()
PIECEWISE_CONSTANT = frozenset("floor ceil trunc rint nearbyint round roundeven".split())
_BINARY = "pow atan2 copysign minnum maxnum minimum maximum minimumnum maximumnum".split()
MATH: dict[str, str] = {
    **{
        f"llvm.{n}.{m}": f"{t} ({t})"
        for n in _UNARY
        for m, t in (("f64", "double"), ("f32", "float"), ("v4f32", "<4 x float>"))
    },
    **{f"llvm.{n}.{m}": f"{t} ({t}, {t})" for n in _BINARY for m, t in (("f64", "double"), ("v2f64", "<2 x double>"))},
    "llvm.fma.f64": "double (double, double, double)",
    "llvm.fmuladd.f32": "float (float, float, float)",
    "llvm.powi.f64.i32": "double (double, i32)",
    "llvm.ldexp.f64.i32": "double (double, i32)",
    "llvm.fptrunc.round.f32.f64": "float (double, metadata)",
    "llvm.sincos.f64": "{ double, double } (double)",
    "llvm.sincospi.f64": "{ double, double } (double)",
    "llvm.modf.f64": "{ double, double } (double)",
    "llvm.frexp.f64.i32": "{ double, i32 } (double)",
    "llvm.sin.f16": "half (half)",
    "llvm.sin.bf16": "bfloat (bfloat)",
    "llvm.sin.f80": "x86_fp80 (x86_fp80)",
    "llvm.sin.f128": "fp128 (fp128)",
    "llvm.sin.nxv2f64": "<vscale x 2 x double> (<vscale x 2 x double>)",
    "llvm.vector.reduce.fadd.v4f64": "double (double, <4 x double>)",
    "llvm.vector.reduce.fmul.v4f64": "double (double, <4 x double>)",
    **{f"llvm.vector.reduce.{n}.v4f64": "double (<4 x double>)" for n in "fmin fmax fminimum fmaximum".split()},
}
_M = ", metadata"
_CONSTRAINED_UNARY = "sqrt sin cos tan asin acos atan sinh cosh tanh exp exp2 log log2 log10 rint nearbyint".split()
CONSTRAINED: dict[str, str] = {
    **{n: f"double (double{_M}{_M})" for n in _CONSTRAINED_UNARY},
    **{n: f"double (double{_M})" for n in "floor ceil trunc round roundeven".split()},
    **{n: f"double (double, double{_M}{_M})" for n in "fadd fsub fmul fdiv frem pow atan2".split()},
    **{n: f"double (double, double{_M})" for n in "minnum maxnum minimum maximum".split()},
    **{n: f"double (double, double, double{_M}{_M})" for n in "fma fmuladd".split()},
    **{n: f"double (double, i32{_M}{_M})" for n in "powi ldexp".split()},
    **{n: f"double (i32{_M}{_M})" for n in "sitofp uitofp".split()},
    "fptrunc": f"float (double{_M}{_M})",
    "fpext": f"double (float{_M})",
}
CONSTRAINED_INTEGER = "fptosi fptoui fcmp fcmps lrint llrint lround llround".split()

# Every other target-independent intrinsic of the release, without types.
OTHERS = """
abs addressofreturnaddress adjust.trampoline alloc.token.id allow.runtime.check allow.sanitize.address
allow.sanitize.hwaddress allow.sanitize.memory allow.sanitize.thread allow.ubsan.check annotation asan.check.memaccess
assume bitreverse bswap call.preallocated.arg call.preallocated.setup call.preallocated.teardown callbr.landingpad
clear_cache clmul codeview.annotation convert.from.fp16 convert.to.fp16 coro.align coro.alloc coro.alloca.alloc
coro.alloca.free coro.alloca.get coro.async.context.alloc coro.async.context.dealloc coro.async.resume
coro.async.size.replace coro.await.suspend.bool coro.await.suspend.handle coro.await.suspend.void coro.begin
coro.begin.custom.abi coro.destroy coro.done coro.end coro.end.async coro.end.results coro.frame coro.free coro.id
coro.id.async coro.id.retcon coro.id.retcon.once coro.is_in_ramp coro.noop coro.prepare.async coro.prepare.retcon
coro.promise coro.resume coro.save coro.size coro.subfn.addr coro.suspend coro.suspend.async coro.suspend.retcon ctlz
ctpop cttz dbg.assign dbg.declare dbg.label dbg.value debugtrap donothing eh.dwarf.cfa eh.exceptioncode
eh.exceptionpointer eh.recoverfp eh.return.i32 eh.return.i64 eh.sjlj.callsite eh.sjlj.functioncontext eh.sjlj.longjmp
eh.sjlj.lsda eh.sjlj.setjmp eh.sjlj.setup.dispatch eh.typeid.for eh.unwind.init expect expect.with.probability
experimental.convergence.anchor experimental.convergence.entry experimental.convergence.loop experimental.cttz.elts
experimental.deoptimize experimental.gc.get.pointer.base experimental.gc.get.pointer.offset experimental.gc.relocate
experimental.gc.result experimental.gc.statepoint experimental.get.vector.length experimental.guard
experimental.memset.pattern experimental.noalias.scope.decl experimental.patchpoint experimental.patchpoint.void
experimental.stackmap experimental.vector.compress experimental.vector.extract.last.active
experimental.vector.histogram.add experimental.vector.histogram.uadd.sat experimental.vector.histogram.umax
experimental.vector.histogram.umin experimental.vector.match experimental.vp.reverse experimental.vp.splice
experimental.vp.strided.load experimental.vp.strided.store experimental.widenable.condition fake.use fptosi.sat
fptoui.sat frameaddress fshl fshr gcread gcroot gcwrite get.active.lane.mask get.dynamic.area.offset get.fpenv
get.fpmode get.rounding hwasan.check.memaccess icall.branch.funnel init.trampoline instrprof.callsite instrprof.cover
instrprof.increment instrprof.increment.step instrprof.mcdc.parameters instrprof.mcdc.tvbitmap.update
instrprof.timestamp instrprof.value.profile invariant.end invariant.start is.constant is.fpclass
launder.invariant.group lifetime.end lifetime.start llrint llround load.relative localaddress localescape localrecover
loop.decrement loop.decrement.reg loop.dependence.raw.mask loop.dependence.war.mask lrint lround masked.compressstore
masked.expandload masked.gather masked.load masked.scatter masked.store matrix.column.major.load
matrix.column.major.store matrix.multiply matrix.transpose memcpy memcpy.element.unordered.atomic memcpy.inline
memmove memmove.element.unordered.atomic memset memset.element.unordered.atomic memset.inline objc.autorelease
objc.release objc.retain objc.storeStrong objectsize pcmarker prefetch preserve.array.access.index
preserve.static.offset preserve.struct.access.index preserve.union.access.index protected.field.ptr pseudoprobe
ptr.annotation ptrauth.auth ptrauth.blend ptrauth.resign ptrauth.sign ptrauth.sign.generic ptrauth.strip ptrmask
public.type.test read_register read_volatile_register readcyclecounter readsteadycounter reloc.none reset.fpenv
reset.fpmode returnaddress sadd.sat sadd.with.overflow scmp sdiv.fix sdiv.fix.sat seh.scope.begin seh.scope.end
seh.try.begin seh.try.end set.fpenv set.fpmode set.loop.iterations set.rounding sideeffect smax smin smul.fix
smul.fix.sat smul.with.overflow sponentry ssa.copy sshl.sat ssub.sat ssub.with.overflow stackaddress stackguard
stackprotector stackrestore stacksave start.loop.iterations stepvector strip.invariant.group swift.async.context.addr
test.set.loop.iterations test.start.loop.iterations thread.pointer threadlocal.address trap type.checked.load
type.checked.load.relative type.test uadd.sat uadd.with.overflow ubsantrap ucmp udiv.fix udiv.fix.sat umax umin
umul.fix umul.fix.sat umul.with.overflow ushl.sat usub.sat usub.with.overflow va_copy va_end va_start var.annotation
vector.deinterleave2 vector.deinterleave3 vector.deinterleave4 vector.deinterleave5 vector.deinterleave6
vector.deinterleave7 vector.deinterleave8 vector.extract vector.insert vector.interleave2 vector.interleave3
vector.interleave4 vector.interleave5 vector.interleave6 vector.interleave7 vector.interleave8
vector.partial.reduce.add vector.partial.reduce.fadd vector.reduce.add vector.reduce.and vector.reduce.mul
vector.reduce.or vector.reduce.smax vector.reduce.smin vector.reduce.umax vector.reduce.umin vector.reduce.xor
vector.reverse vector.splice.left vector.splice.right vp.fadd vp.fmul vp.load vp.select vp.sqrt vp.store vscale
write_register xray.customevent xray.typedevent x86.avx2.gather.d.pd aarch64.neon.fmax nvvm.barrier0 amdgcn.s.barrier
""".split()


def test_opcodes_are_those_of_llvm() -> None:
    assert set(OPCODES) == set(LLVM_OPCODES)
    for opcode, coverage in OPCODES.items():
        assert (coverage.handling is Handling.RULE) == (opcode in INSTRUCTIONS)
        if coverage.handling is not Handling.RULE:
            assert coverage.why, opcode
        if coverage.handling is Handling.UNSUPPORTED:
            assert coverage.hint, opcode


def _declaration(name: str, signature: str) -> str:
    result, _, parameters = signature.rpartition(" (")
    return f"declare {result} @{name}({parameters}\n"


@pytest.mark.parametrize(("name", "signature"), MATH.items())
def test_mathematical_intrinsics(name: str, signature: str) -> None:
    text = str(llvm.parse_assembly(_declaration(name, signature)))
    function = parse_module(text).functions[name]
    coverage = intrinsic_coverage(name)
    assert coverage is not None and coverage.handling in (Handling.RULE, Handling.HOOK)
    math = canonical(name, function.function_type)
    if coverage.handling is Handling.RULE:
        assert math is not None and rule_for(math) is not None
    else:
        assert lookup_reduction(name) or lookup_memory_hook(name, function.function_type)
    known = known_callee(name, function.function_type)
    assert known is not None and known.effect.none
    assert known.inactive == (math is not None and name.split(".")[1] in PIECEWISE_CONSTANT)


@pytest.mark.parametrize(("name", "signature"), CONSTRAINED.items())
def test_constrained_intrinsics(name: str, signature: str) -> None:
    types = {
        "sitofp": ".f64.i32",
        "uitofp": ".f64.i32",
        "fptrunc": ".f32.f64",
        "fpext": ".f64.f32",
        "powi": ".f64",
        "ldexp": ".f64.i32",
    }
    full = f"llvm.experimental.constrained.{name}{types.get(name, '.f64')}"
    function = parse_module(str(llvm.parse_assembly(_declaration(full, signature)))).functions[full]
    math = canonical(full, function.function_type)
    assert math is not None and math.family == "constrained" and rule_for(math) is not None


def test_mathematical_declarations_verify() -> None:
    llvm.parse_assembly("".join(_declaration(*item) for item in MATH.items())).verify()


@pytest.mark.parametrize("name", OTHERS)
def test_every_other_intrinsic_is_answered(name: str) -> None:
    coverage = intrinsic_coverage("llvm." + name)
    assert coverage is not None
    assert coverage.handling in (Handling.KNOWN, Handling.DRIVER, Handling.UNSUPPORTED)
    if coverage.handling is Handling.UNSUPPORTED:
        assert coverage.why and coverage.hint


@pytest.mark.parametrize("name", CONSTRAINED_INTEGER)
def test_constrained_integer_results(name: str) -> None:
    coverage = intrinsic_coverage("llvm.experimental.constrained." + name)
    assert coverage is not None and coverage.handling is Handling.KNOWN


def test_names_that_are_no_intrinsics() -> None:
    assert intrinsic_coverage("llvm.nothing.of.the.kind") is None
    assert intrinsic_base("sin") == "sin"


def test_refusals_name_reason_and_way_out() -> None:
    for name in (
        "llvm.vp.fadd.v4f64",
        "llvm.x86.sse2.sqrt.pd",
        "llvm.coro.begin",
        "qsort",
        "dgemm_",
        "cblas_ddot",
    ):
        row = lookup_unsupported(name)
        assert row is not None and row.why and row.hint
    assert lookup_unsupported("sin") is None and lookup_unsupported("llvm.sin.f64") is None


def test_no_name_has_two_answers() -> None:
    for name in FUNCTIONS:
        assert lookup_unsupported(name) is None and lookup_unsupported("llvm." + name) is None


def test_the_table_prints(capsys: pytest.CaptureFixture[str]) -> None:
    from enzyme.rules.__main__ import main

    assert main([]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 2 * len(FUNCTIONS)
    assert main(["llvm.exp.f64", "__nv_powf", "sincos"]) == 0
    out = capsys.readouterr().out
    assert "exp(f)" in out and "d/dx1 = ((r oeq 0) ? 0 : (r * log(x0)))" in out and "pointer 1" in out
    assert main(["nosuch"]) == 1 and "nosuch" in capsys.readouterr().err


def test_the_page_of_rules_is_up_to_date() -> None:
    from enzyme.rules.page import page

    assert (Path(__file__).resolve().parents[2] / "docs" / "rules.md").read_text(encoding="utf-8") == page()
