"""Small functions in IR that derivative code calls; LLVM inlines them. Only those used are put into a module."""

from __future__ import annotations

_CAPACITY = """
define internal i64 @enzyme.rt.capacity(i64 %have, i64 %need) nounwind alwaysinline {
entry:
  %enough = icmp ule i64 %need, %have
  br i1 %enough, label %done, label %more
more:
  %twice = shl i64 %have, 1
  %larger = call i64 @llvm.umax.i64(i64 %twice, i64 %need)
  %least = call i64 @llvm.umax.i64(i64 %larger, i64 64)
  br label %done
done:
  %result = phi i64 [ %have, %entry ], [ %least, %more ]
  ret i64 %result
}
declare i64 @llvm.umax.i64(i64, i64)
"""

_GROW = """
define internal ptr @enzyme.rt.grow(ptr %array, i64 %have, i64 %need) nounwind alwaysinline {
entry:
  %same = icmp eq i64 %have, %need
  br i1 %same, label %done, label %more
more:
  %grown = call ptr @realloc(ptr %array, i64 %need)
  br label %done
done:
  %result = phi ptr [ %array, %entry ], [ %grown, %more ]
  ret ptr %result
}
declare ptr @realloc(ptr, i64)
"""

_CHECK = """
@enzyme.rt.plan.message = internal constant [57 x i8] c"enzyme: a recomputed value differs from the one kept for\\00"
define internal void @enzyme.rt.check(i1 %differs, ptr %name) nounwind {
entry:
  br i1 %differs, label %bad, label %done
bad:
  %first = call i32 @puts(ptr @enzyme.rt.plan.message)
  %second = call i32 @puts(ptr %name)
  %flushed = call i32 @fflush(ptr null)
  call void @abort()
  unreachable
done:
  ret void
}
declare i32 @puts(ptr)
declare i32 @fflush(ptr)
declare void @abort()
"""

# Blocks the primal frees live on until the reverse sweep is over: a list of what to free then.
_DEFER = """
define internal ptr @enzyme.rt.defer(ptr %list, ptr %block) nounwind {
entry:
  %node = call ptr @malloc(i64 16)
  store ptr %block, ptr %node, align 8
  %link = getelementptr inbounds i8, ptr %node, i64 8
  store ptr %list, ptr %link, align 8
  ret ptr %node
}
declare ptr @malloc(i64)
"""

_RELEASE = """
define internal void @enzyme.rt.release(ptr %list) nounwind {
entry:
  br label %test
test:
  %node = phi ptr [ %list, %entry ], [ %next, %one ]
  %end = icmp eq ptr %node, null
  br i1 %end, label %done, label %one
one:
  %block = load ptr, ptr %node, align 8
  %link = getelementptr inbounds i8, ptr %node, i64 8
  %next = load ptr, ptr %link, align 8
  call void @free(ptr %block)
  call void @free(ptr %node)
  br label %test
done:
  ret void
}
declare void @free(ptr)
"""

# The adjoint of a copy of n numbers: what the copy received goes to where it came from, and is cleared. A struct may be
# assigned to itself, and only then do the two overlap: nothing is done, so that "noalias" holds for what is.
_ACCUMULATE = """
define internal void @enzyme.rt.accumulate.{T}(ptr noalias %to, ptr noalias %from, i64 %count) nounwind alwaysinline {{
entry:
  %empty = icmp eq i64 %count, 0
  %same = icmp eq ptr %to, %from
  %none = or i1 %empty, %same
  br i1 %none, label %done, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds {T}, ptr %to, i64 %i
  %source = getelementptr inbounds {T}, ptr %from, i64 %i
  %adjoint = load {T}, ptr %at, align {A}
  store {T} {Z}, ptr %at, align {A}
  %old = load {T}, ptr %source, align {A}
  %sum = fadd {T} %old, %adjoint
  store {T} %sum, ptr %source, align {A}
  %next = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %next, %count
  br i1 %end, label %done, label %loop
done:
  ret void
}}
"""

# The same for ranges that may overlap (memmove): each element is read before the sums reach it.
_ACCUMULATE_MOVE = """
define internal void @enzyme.rt.accumulatemove.{T}(ptr %to, ptr %from, i64 %count) nounwind {{
entry:
  %none = icmp eq i64 %count, 0
  br i1 %none, label %done, label %which
which:
  %up = icmp uge ptr %to, %from
  %last = sub i64 %count, 1
  %begin = select i1 %up, i64 0, i64 %last
  %step = select i1 %up, i64 1, i64 -1
  br label %loop
loop:
  %n = phi i64 [ 0, %which ], [ %n.next, %loop ]
  %i = phi i64 [ %begin, %which ], [ %i.next, %loop ]
  %at = getelementptr inbounds {T}, ptr %to, i64 %i
  %source = getelementptr inbounds {T}, ptr %from, i64 %i
  %adjoint = load {T}, ptr %at, align {A}
  store {T} {Z}, ptr %at, align {A}
  %old = load {T}, ptr %source, align {A}
  %sum = fadd {T} %old, %adjoint
  store {T} %sum, ptr %source, align {A}
  %n.next = add nuw nsw i64 %n, 1
  %i.next = add nsw i64 %i, %step
  %end = icmp eq i64 %n.next, %count
  br i1 %end, label %done, label %loop
done:
  ret void
}}
"""

_ZEROS = {
    "float": "0.0",
    "double": "0.0",
    "half": "0xH0000",
    "bfloat": "0xR0000",
    "x86_fp80": "0xK" + "0" * 20,
    "fp128": "0xL" + "0" * 32,
}


def runtime_text(name: str) -> str:
    """The IR text that defines ``enzyme.rt.<name>``."""
    fixed = {"capacity": _CAPACITY, "grow": _GROW, "check": _CHECK, "defer": _DEFER, "release": _RELEASE}
    if name in fixed:
        return fixed[name]
    kind, _, type = name.partition(".")
    template = {"accumulate": _ACCUMULATE, "accumulatemove": _ACCUMULATE_MOVE}[kind]
    return template.format(T=type, A=1, Z=_ZEROS[type])
