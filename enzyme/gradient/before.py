"""What globals hold when a derivative begins: pointers that somebody stored before.

The twin of a global is cleared then, and so it leads nowhere. Where the analysis knows that a pointer may lead into a
global with a twin, which its initialiser says, the pointer in the twin is set to lead there, too. A pointer into active
memory of a global that the analysis knows nothing of would be read as if that were constant: the program stops. Where
pointers are compared with their shadows when the program runs, others are their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from enzyme.gradient.carried import MovedPart
from enzyme.gradient.primal import PrimalCopy
from enzyme.gradient.runtime import STOP
from enzyme.gradient.struct_copies import pointer_mover
from enzyme.ir.builder import Builder
from enzyme.ir.types import I64, PTR, ArrayType, StructType, Type
from enzyme.ir.values import ConstantInt, GlobalVariable, Value, zero

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine

_MOST_PARTS = 64

_BEFORE = (
    STOP
    + """
define internal void @enzyme.rt.before(ptr %from, i64 %bytes, ptr %to, ptr %active, i64 %size, ptr %twin, ptr %m) {
entry:
  %first = ptrtoint ptr %active to i64
  %lost = icmp eq ptr %to, null
  br label %test
test:
  %at = phi i64 [ 0, %entry ], [ %end, %next ]
  %end = add i64 %at, 8
  %more = icmp ule i64 %end, %bytes
  br i1 %more, label %look, label %done
look:
  %place = getelementptr i8, ptr %from, i64 %at
  %word = load i64, ptr %place, align 1
  %far = sub i64 %word, %first
  %inside = icmp ult i64 %far, %size
  br i1 %inside, label %found, label %next
found:
  br i1 %lost, label %bad, label %set
bad:
  call void @enzyme.rt.stop(ptr %m)
  unreachable
set:
  %shadow = getelementptr i8, ptr %to, i64 %at
  %led = getelementptr i8, ptr %twin, i64 %far
  store ptr %led, ptr %shadow, align 1
  br label %next
next:
  br label %test
done:
  ret void
}
"""
)


def begin_pointers(engine: Engine, build: Builder, copy: PrimalCopy) -> None:
    """Make the cleared twins of a derivative's globals lead where the globals do, in the selected lane."""
    layout, known, activity = engine.module.datalayout, engine.globals, copy.activity
    shadowed, lane = copy.shadowed_globals - copy.inert_globals, copy.lanes.current
    points_to = activity.graph.points_to
    variables = [
        (o, o.value)
        for o in points_to.objects
        if o.kind == "global" and isinstance(o.value, GlobalVariable) and known.may_change(o.value)
    ]
    if copy.request.at_run_time:
        for _, holder in variables:
            if holder.name in (shadowed & known.twinned) - copy.leading_globals:
                _own_pointers(engine, build, copy, holder)
    for obj, holder in variables:
        if layout.alloc_size(holder.value_type) < layout.alloc_size(PTR):
            continue
        behind, held = points_to.find("deref", holder), points_to.contents(obj)
        unknown = behind is not None and behind not in activity.shadowed
        for active, variable in variables:
            twin: Value = zero(PTR)
            to = twin
            if active in held and active in activity.active_objects and holder.name in shadowed & known.twinned:
                to, twin = (known.address(build, known.of(each, lane)) for each in (holder, variable))
            elif active in held or active not in activity.varied or variable.name in known.ignored or not unknown:
                continue
            text = f"enzyme: global '{holder.name}' led to '{variable.name}', which is active, before the derivative"
            operands = [
                known.address(build, holder),
                ConstantInt(I64, layout.alloc_size(holder.value_type)),
                to,
                known.address(build, variable),
                ConstantInt(I64, layout.alloc_size(variable.value_type)),
                twin,
                engine.message(text),
            ]
            build.call(engine.define("enzyme.rt.before", _BEFORE), operands)


def _own_pointers(engine: Engine, build: Builder, copy: PrimalCopy, variable: GlobalVariable) -> None:
    layout, type = engine.module.datalayout, variable.value_type
    size = layout.alloc_size(type)
    while isinstance(type, ArrayType) and type.count:
        type = type.element
    parts = [MovedPart(offset, PTR, False, True) for offset in _pointers(engine, type)]
    if parts and len(parts) <= _MOST_PARTS:
        mover = pointer_mover(engine, layout.alloc_size(type), parts)
        known = engine.globals
        twin = known.address(build, known.of(variable, copy.lanes.current))
        build.call(mover, [twin, known.address(build, variable), ConstantInt(I64, size)])


def _pointers(engine: Engine, type: Type) -> list[int]:
    """Offsets of the pointers in a type."""
    layout = engine.module.datalayout
    if type.is_pointer:
        return [0]
    if isinstance(type, StructType):
        offsets = layout.struct_offsets(type)
        return [o + p for o, e in zip(offsets, type.elements or (), strict=True) for p in _pointers(engine, e)]
    if isinstance(type, ArrayType):
        inner = _pointers(engine, type.element)
        step = layout.alloc_size(type.element)
        return [i * step + p for i in range(min(type.count, _MOST_PARTS + 1)) for p in inner]
    return []
