"""Names and types of LLVM's intrinsics that are called in several places: what ``Module.declare_function`` takes."""

from __future__ import annotations

from enzyme.ir.types import I1, I8, I64, PTR, VOID, FunctionType

MEMCPY = "llvm.memcpy.p0.p0.i64", FunctionType(VOID, (PTR, PTR, I64, I1))
MEMMOVE = "llvm.memmove.p0.p0.i64", FunctionType(VOID, (PTR, PTR, I64, I1))
MEMSET = "llvm.memset.p0.i64", FunctionType(VOID, (PTR, I8, I64, I1))
