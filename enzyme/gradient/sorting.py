"""``qsort`` as a function that can be differentiated.

A call of the library's ``qsort`` with a constant element size becomes a call of a merge sort in IR, which calls the
same comparator and moves elements with block copies of that size. Like the library's, it is stable. Its derivative is
that of any function: what was decided is kept, and the reverse sweep moves the adjoints back.
"""

from __future__ import annotations

from collections.abc import Callable

from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.types import I32, PTR, FunctionType
from enzyme.ir.values import Call, CallBase, ConstantInt, Function

SORT = "qsort"
COMPARATOR = FunctionType(I32, (PTR, PTR))

_TEXT = """
target datalayout = "{LAYOUT}"
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define internal void @enzyme.qsort.{S}(ptr %base, i64 %n, ptr %compare) {{
entry:
  %few = icmp ult i64 %n, 2
  br i1 %few, label %done, label %start
start:
  %bytes = mul nuw nsw i64 %n, {S}
  %temp = call ptr @malloc(i64 %bytes)
  br label %widths
widths:
  %width = phi i64 [ 1, %start ], [ %wider, %copied ]
  br label %runs
runs:
  %low = phi i64 [ 0, %widths ], [ %high, %merged ]
  %middle.full = add i64 %low, %width
  %middle.over = icmp ugt i64 %middle.full, %n
  %middle = select i1 %middle.over, i64 %n, i64 %middle.full
  %high.full = add i64 %middle, %width
  %high.over = icmp ugt i64 %high.full, %n
  %high = select i1 %high.over, i64 %n, i64 %high.full
  br label %merge
merge:
  %k = phi i64 [ %low, %runs ], [ %k.next, %take ]
  %i = phi i64 [ %low, %runs ], [ %i.next, %take ]
  %j = phi i64 [ %middle, %runs ], [ %j.next, %take ]
  %has.left = icmp ult i64 %i, %middle
  br i1 %has.left, label %second, label %take
second:
  %has.right = icmp ult i64 %j, %high
  br i1 %has.right, label %compared, label %take
compared:
  %left.at = mul nuw nsw i64 %i, {S}
  %left = getelementptr inbounds i8, ptr %base, i64 %left.at
  %right.at = mul nuw nsw i64 %j, {S}
  %right = getelementptr inbounds i8, ptr %base, i64 %right.at
  %order = call i32 %compare(ptr %left, ptr %right)
  %in.order = icmp sle i32 %order, 0
  br label %take
take:
  %takes.left = phi i1 [ false, %merge ], [ true, %second ], [ %in.order, %compared ]
  %from = select i1 %takes.left, i64 %i, i64 %j
  %from.at = mul nuw nsw i64 %from, {S}
  %source = getelementptr inbounds i8, ptr %base, i64 %from.at
  %to.at = mul nuw nsw i64 %k, {S}
  %to = getelementptr inbounds i8, ptr %temp, i64 %to.at
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %source, i64 {S}, i1 false)
  %left.step = zext i1 %takes.left to i64
  %i.next = add i64 %i, %left.step
  %right.step = sub i64 1, %left.step
  %j.next = add i64 %j, %right.step
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %high
  br i1 %more, label %merge, label %merged
merged:
  %again = icmp ult i64 %high, %n
  br i1 %again, label %runs, label %copies
copies:
  br label %back
back:
  %e = phi i64 [ 0, %copies ], [ %e.next, %back ]
  %e.at = mul nuw nsw i64 %e, {S}
  %home = getelementptr inbounds i8, ptr %base, i64 %e.at
  %kept = getelementptr inbounds i8, ptr %temp, i64 %e.at
  call void @llvm.memcpy.p0.p0.i64(ptr %home, ptr %kept, i64 {S}, i1 false)
  %e.next = add i64 %e, 1
  %e.more = icmp ult i64 %e.next, %n
  br i1 %e.more, label %back, label %copied
copied:
  %wider = shl i64 %width, 1
  %unsorted = icmp ult i64 %wider, %n
  br i1 %unsorted, label %widths, label %finish
finish:
  call void @free(ptr %temp)
  br label %done
done:
  ret void
}}
"""


def calls_sort(text: str) -> bool:
    """Whether a body mentions the library's sort, which calls through its last argument."""
    return f"@{SORT}(" in text


def replace_sorts(module: Module, adopt: Callable[[Function], None]) -> None:
    """Rewrite the calls of ``qsort`` in a prepared module; ``adopt`` takes a function into it."""
    library = module.get_function(SORT)
    if library is None or not library.is_declaration:
        return
    for function in [f for f in module.functions.values() if not f.is_declaration]:
        if calls_sort(function.body_text or ""):
            function.blocks  # noqa: B018  (read, so that the uses are there)
    for call in [user for user in library.users if isinstance(user, Call) and user.callee is library]:
        size = call.args[2] if len(call.args) == 4 else None
        if isinstance(size, ConstantInt) and 0 < size.value <= 512:
            _replace(call, _sort(module, size.value, adopt))


def _sort(module: Module, size: int, adopt: Callable[[Function], None]) -> Function:
    name = f"enzyme.qsort.{size}"
    found = module.get_function(name)
    if found is None:
        from enzyme.llvm.pipelines import prepare

        made = parse_module(prepare(_TEXT.format(S=size, LAYOUT=module.datalayout.text)))
        for function in made.functions.values():
            if function.is_declaration:
                module.declare_function(function.name or "", function.function_type)
        sort = made.functions[name]
        sort.blocks  # noqa: B018  (read where its names are known)
        adopt(sort)
        found = module.get_function(name)
        assert found is not None
    return found


def _replace(call: CallBase, sort: Function) -> None:
    assert call.block is not None
    base, count, _, compare = call.args
    made = Builder(call.block, before=call).call(sort, [base, count, compare])
    made.metadata = {k: v for k, v in call.metadata.items() if k == "dbg"}
    call.erase()
