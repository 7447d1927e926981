"""What ``Config.check_plan`` adds to a reverse sweep: values not kept are compared with the same kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from enzyme.ir.builder import Builder
from enzyme.ir.types import FloatType, IntType
from enzyme.ir.values import Value

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine


def emit_check(engine: Engine, build: Builder, made: Value, kept: Value, what: str, exact: bool) -> None:
    """Compare, at run time, a value that was recomputed with the same value kept (``Config.check_plan``): bit by
    bit, or to a few roundings where LLVM may have fused the one computation and not the other."""
    if exact:
        differs = _differs(build, made, kept, engine.module.datalayout.size_of(made.type))
    else:
        differs = _differs_much(build, made, kept)
    if differs is None:
        return
    build.call(engine.runtime("check"), [differs, engine.message(what)])


def _differs(build: Builder, made: Value, kept: Value, size: int) -> Value | None:
    type = made.type
    if isinstance(type, IntType) or type.is_pointer:
        return build.icmp("ne", made, kept)
    if isinstance(type, FloatType) and type.kind in ("float", "double", "half", "bfloat"):
        bits = IntType(type.bits)
        return build.icmp("ne", build.bitcast(made, bits), build.bitcast(kept, bits))
    if type.is_vector and not type.scalar.is_pointer:
        bits = IntType(size * 8)
        return build.icmp("ne", build.bitcast(made, bits), build.bitcast(kept, bits))
    return None


def _differs_much(build: Builder, made: Value, kept: Value) -> Value | None:
    type = made.type
    if not isinstance(type, FloatType) or type.kind not in ("float", "double"):
        return None
    gap = build.fsub(made, kept, ())
    size = build.fadd(build.fmul(made, made, ()), build.fmul(kept, kept, ()), ())
    tolerance = 1e-8 if type.kind == "float" else 1e-20  # of the squares: 1e-4 and 1e-10 relative
    return build.fcmp("ogt", build.fmul(gap, gap, ()), build.fmul(size, build.const_float(type, tolerance), ()), ())
