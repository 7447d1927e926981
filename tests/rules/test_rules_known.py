"""Facts about functions that are not defined in the module."""

from __future__ import annotations

import pytest

from enzyme.ir.types import (
    DOUBLE,
    FLOAT,
    I1,
    I8,
    I32,
    I64,
    METADATA,
    PTR,
    VOID,
    FunctionType,
    StructType,
    Type,
    VectorType,
)
from enzyme.ir.values import Call, Function, zero
from enzyme.rules.known import Allocation, KnownCallee, Transfer, known_call, known_callee, shape_matches
from enzyme.rules.known_intrinsics import ROWS as INTRINSICS
from enzyme.rules.known_libc import ROWS as LIBC


def f(result: Type, *params: Type, vararg: bool = False) -> FunctionType:
    return FunctionType(result, params, vararg)


def known(name: str, type: FunctionType) -> KnownCallee:
    found = known_callee(name, type)
    assert found is not None, name
    return found


@pytest.mark.parametrize(
    ("name", "type", "expected"),
    [
        ("malloc", f(PTR, I64), Allocation((0,))),
        ("malloc", f(PTR, I32), Allocation((0,))),
        ("calloc", f(PTR, I64, I64), Allocation((0, 1), zeroed=True)),
        ("realloc", f(PTR, PTR, I64), Allocation((1,), reallocates=0)),
        ("aligned_alloc", f(PTR, I64, I64), Allocation((1,), alignment=0)),
        ("posix_memalign", f(I32, PTR, I64, I64), Allocation((2,), alignment=1, stored_in=0)),
        ("strdup", f(PTR, PTR), Allocation(())),
        ("_Znwm", f(PTR, I64), Allocation((0,), deallocator="_ZdlPv")),
        ("_Znam", f(PTR, I64), Allocation((0,), deallocator="_ZdaPv")),
        ("_ZnwmRKSt9nothrow_t", f(PTR, I64, PTR), Allocation((0,), deallocator="_ZdlPv")),
        (
            "_ZnwmSt11align_val_t", f(PTR, I64, I64),
            Allocation((0,), alignment=1, deallocator="_ZdlPvSt11align_val_t"),
        ),
        ("__rust_alloc", f(PTR, I64, I64), Allocation((0,), alignment=1, deallocator="__rust_dealloc")),
        (
            "_RNvCsihCVnSHxTKs_7___rustc12___rust_alloc", f(PTR, I64, I64),
            Allocation((0,), alignment=1, deallocator="__rust_dealloc"),
        ),
    ],
)  # fmt: skip
def test_allocations(name: str, type: FunctionType, expected: Allocation) -> None:
    found = known(name, type)
    assert found.allocation == expected and not found.effect.unknown and found.free is None


@pytest.mark.parametrize(
    ("name", "type"),
    [
        ("free", f(VOID, PTR)), ("cfree", f(VOID, PTR)), ("_ZdlPv", f(VOID, PTR)), ("_ZdlPvm", f(VOID, PTR, I64)),
        ("_ZdaPv", f(VOID, PTR)), ("_ZdlPvSt11align_val_t", f(VOID, PTR, I64)),
        ("_ZdlPvmSt11align_val_t", f(VOID, PTR, I64, I64)), ("__rust_dealloc", f(VOID, PTR, I64, I64)),
    ],
)  # fmt: skip
def test_frees(name: str, type: FunctionType) -> None:
    assert known(name, type).free == 0


def test_every_deallocator_is_known() -> None:
    for row in LIBC.values():
        if row.callee.allocation is not None and row.callee.name != "swift_allocObject":
            assert LIBC[row.callee.allocation.deallocator].callee.free == 0


@pytest.mark.parametrize(
    ("name", "type", "expected"),
    [
        ("memcpy", f(PTR, PTR, PTR, I64), Transfer("copy", 0, 1, None, 2)),
        ("memmove", f(PTR, PTR, PTR, I64), Transfer("move", 0, 1, None, 2)),
        ("memset", f(PTR, PTR, I32, I64), Transfer("set", 0, None, 1, 2)),
        ("bcopy", f(VOID, PTR, PTR, I64), Transfer("move", 1, 0, None, 2)),
        ("bzero", f(VOID, PTR, I64), Transfer("set", 0, None, None, 1)),
        ("__memcpy_chk", f(PTR, PTR, PTR, I64, I64), Transfer("copy", 0, 1, None, 2)),
        ("llvm.memcpy.p0.p0.i64", f(VOID, PTR, PTR, I64, I1), Transfer("copy", 0, 1, None, 2)),
        ("llvm.memmove.p0.p0.i32", f(VOID, PTR, PTR, I32, I1), Transfer("move", 0, 1, None, 2)),
        ("llvm.memset.p0.i64", f(VOID, PTR, I8, I64, I1), Transfer("set", 0, None, 1, 2)),
        ("llvm.memcpy.inline.p0.p0.i64", f(VOID, PTR, PTR, I64, I1), Transfer("copy", 0, 1, None, 2)),
    ],
)
def test_transfers(name: str, type: FunctionType, expected: Transfer) -> None:
    found = known(name, type)
    assert found.transfer == expected and not found.inactive
    assert found.effect.writes == (expected.destination,)
    assert found.effect.reads == (() if expected.source is None else (expected.source,))
    assert found.returns_argument == (0 if type.result is PTR else None)


@pytest.mark.parametrize(
    ("name", "type"),
    [
        ("printf", f(I32, PTR, vararg=True)), ("puts", f(I32, PTR)), ("clock", f(I64)), ("time", f(I64, PTR)),
        ("rand", f(I32)), ("strlen", f(I64, PTR)), ("memcmp", f(I32, PTR, PTR, I64)), ("abort", f(VOID)),
        ("exit", f(VOID, I32)), ("__assert_fail", f(VOID, PTR, PTR, I32, PTR)), ("lround", f(I64, DOUBLE)),
        ("lrintf", f(I64, FLOAT)), ("ilogb", f(I32, DOUBLE)), ("__isnan", f(I32, DOUBLE)), ("fesetround", f(I32, I32)),
        ("llvm.dbg.value", f(VOID, METADATA, METADATA, METADATA)), ("llvm.assume", f(VOID, I1)),
        ("llvm.lifetime.start.p0", f(VOID, PTR)), ("llvm.expect.i64", f(I64, I64, I64)),
        ("llvm.prefetch.p0", f(VOID, PTR, I32, I32, I32)), ("llvm.ctpop.i32", f(I32, I32)),
        ("llvm.umax.v4i32", f(VectorType(4, I32), VectorType(4, I32), VectorType(4, I32))),
        ("llvm.smul.with.overflow.i64", f(StructType.literal((I64, I1)), I64, I64)),
        ("llvm.lrint.i64.f64", f(I64, DOUBLE)), ("llvm.is.fpclass.f64", f(I1, DOUBLE, I32)),
        ("llvm.experimental.noalias.scope.decl", f(VOID, METADATA)), ("llvm.fptosi.sat.i32.f64", f(I32, DOUBLE)),
        ("_ZSt20__throw_length_errorPKc", f(VOID, PTR)), ("_ZNSolsEd", f(PTR, PTR, DOUBLE)),
        ("_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE", f(VOID, I64, I64, PTR)),
        ("_FortranAioOutputReal64", f(I1, PTR, DOUBLE)), ("omp_get_thread_num", f(I32)),
        ("_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEd", f(PTR, PTR, DOUBLE)),
        ("_ZNSt3__16chrono12steady_clock3nowEv", f(I64)), ("__cxa_guard_acquire", f(I32, PTR)),
        ("llvm.nvvm.read.ptx.sreg.tid.x", f(I32)),
    ],
)  # fmt: skip
def test_inactive(name: str, type: FunctionType) -> None:
    assert known(name, type).inactive


def test_never_returning() -> None:
    for name, type in (
        ("abort", f(VOID)),
        ("exit", f(VOID, I32)),
        ("llvm.trap", f(VOID)),
        ("_ZSt9terminatev", f(VOID)),
    ):
        assert known(name, type).noreturn
    assert not known("printf", f(I32, PTR, vararg=True)).noreturn


def test_memory_of_mathematical_functions() -> None:
    assert known("llvm.exp.f64", f(DOUBLE, DOUBLE)).effect.none
    assert known("exp", f(DOUBLE, DOUBLE)).effect.only_errno and not known("exp", f(DOUBLE, DOUBLE)).effect.none
    assert known("floor", f(DOUBLE, DOUBLE)).effect.none
    assert known("__nv_exp", f(DOUBLE, DOUBLE)).effect.none
    assert known("lgamma", f(DOUBLE, DOUBLE)).effect.inaccessible  # signgam
    assert known("sincos", f(VOID, DOUBLE, PTR, PTR)).effect.writes == (1, 2)
    assert known("frexp", f(DOUBLE, DOUBLE, PTR)).effect.writes == (1,)
    assert known("__enzyme_digamma", f(DOUBLE, DOUBLE)).effect.none
    assert not known("exp", f(DOUBLE, DOUBLE)).inactive and known("exp", f(DOUBLE, DOUBLE)).math is not None


def test_memory_of_others() -> None:
    assert known("strlen", f(I64, PTR)).effect.reads == (0,)
    assert known("fread", f(I64, PTR, I64, I64, PTR)).effect.writes == (0, 3)
    assert known("snprintf", f(I32, PTR, I64, PTR, vararg=True)).effect.variadic == "r"
    assert known(
        "llvm.masked.store.v4f64.p0", f(VOID, VectorType(4, DOUBLE), PTR, VectorType(4, I1))
    ).effect.writes == (1,)
    assert known("llvm.vector.reduce.fadd.v4f64", f(DOUBLE, DOUBLE, VectorType(4, DOUBLE))).effect.none


def test_returned_arguments() -> None:
    copy = known("strcpy", f(PTR, PTR, PTR))
    assert copy.returns_argument == 0 and not copy.returns_inside
    found = known("strchr", f(PTR, PTR, I32))
    assert found.returns_argument == 0 and found.returns_inside
    assert known("llvm.launder.invariant.group.p0", f(PTR, PTR)).returns_argument == 0
    assert known("llvm.ptrmask.p0.i64", f(PTR, PTR, I64)).returns_inside


@pytest.mark.parametrize(
    ("name", "type"),
    [
        ("foo", f(VOID)),
        ("malloc", f(PTR, PTR)),  # a user's own
        ("malloc", f(DOUBLE, I64)),
        ("free", f(VOID, PTR, PTR)),
        ("time", f(DOUBLE, DOUBLE)),
        ("read", f(DOUBLE, PTR)),
        ("rand", f(DOUBLE, PTR)),
        ("llvm.x86.sse2.clflush", f(VOID)),
        ("exit", f(VOID)),
    ],
)
def test_unknown(name: str, type: FunctionType) -> None:
    assert known_callee(name, type) is None


def test_a_definition_is_not_the_library_function() -> None:
    function = Function("malloc", f(PTR, I64))
    call = Call(function, [zero(I64)])
    assert known_call(call) is not None
    function.append_block("entry")
    assert known_call(call) is None


def test_shapes() -> None:
    assert shape_matches("p:pi", f(PTR, PTR, I64)) and not shape_matches("p:pi", f(PTR, PTR))
    assert shape_matches("i:p.", f(I32, PTR, vararg=True)) and shape_matches("i:p.", f(I32, PTR, DOUBLE))
    assert not shape_matches("i:p", f(I32, PTR, vararg=True)) and shape_matches("", f(DOUBLE, FLOAT))


def test_positions_lie_within_the_shapes() -> None:
    for row in [*LIBC.values(), *INTRINSICS.values()]:
        letters = row.shape.partition(":")[2].rstrip(".")
        callee = row.callee
        if not letters:
            continue
        pointers = [*callee.effect.reads, *callee.effect.writes]
        if callee.free is not None:
            pointers.append(callee.free)
        assert all(letters[p] in "p*" for p in pointers), callee.name
        if callee.allocation is not None:
            assert all(letters[s] == "i" for s in callee.allocation.sizes), callee.name
        if callee.transfer is not None:
            assert letters[callee.transfer.destination] == "p" and letters[callee.transfer.length] == "i"
