"""``qsort`` and ``bsearch`` as functions that can be differentiated.

A call of the library's ``qsort`` becomes a call of a merge sort in IR, which calls the same comparator and moves
elements with block copies of their size; there is one for each constant size, and one for sizes that only the running
program knows, as containers of anything keep them. Like the library's, it is stable. Its derivative is that of any
function: what was decided is kept, and the reverse sweep moves the adjoints back. ``bsearch`` finds the place that the
library's finds, whose shadow is at the same place of the shadow of what was searched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from enzyme.gradient.exceptions import replace_call
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.types import I32, I64, PTR, FunctionType
from enzyme.ir.values import CallBase, ConstantInt, Function, Value

SORT = "qsort"
SEARCH = "bsearch"
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

_SEARCH_TEXT = """
target datalayout = "{LAYOUT}"
define internal ptr @enzyme.bsearch(ptr %key, ptr %base, i64 %n, i64 %size, ptr %compare) {{
entry:
  br label %loop
loop:
  %low = phi i64 [ 0, %entry ], [ %low, %left ], [ %after, %right ]
  %high = phi i64 [ %n, %entry ], [ %middle, %left ], [ %high, %right ]
  %some = icmp ult i64 %low, %high
  br i1 %some, label %look, label %none
look:
  %both = add i64 %low, %high
  %middle = lshr i64 %both, 1
  %bytes = mul i64 %middle, %size
  %at = getelementptr inbounds i8, ptr %base, i64 %bytes
  %order = call i32 %compare(ptr %key, ptr %at)
  %same = icmp eq i32 %order, 0
  br i1 %same, label %found, label %other
other:
  %before = icmp slt i32 %order, 0
  br i1 %before, label %left, label %right
left:
  br label %loop
right:
  %after = add i64 %middle, 1
  br label %loop
found:
  ret ptr %at
none:
  ret ptr null
}}
"""


def calls_sort(text: str) -> bool:
    """Whether a body mentions the library's sort or search, which call through their last argument."""
    return f"@{SORT}(" in text or f"@{SEARCH}(" in text


def replace_sorts(module: Module, adopt: Callable[[Function], None]) -> None:
    """Rewrite the calls of ``qsort`` and ``bsearch`` in a prepared module; ``adopt`` takes a function into it."""
    found = [f for name in (SORT, SEARCH) if (f := module.get_function(name)) is not None and f.is_declaration]
    if not found:
        return
    for function in [f for f in module.functions.values() if not f.is_declaration]:
        if calls_sort(function.body_text or ""):
            function.blocks  # noqa: B018  (read, so that the uses are there)
    for library in found:
        for call in [user for user in library.users if isinstance(user, CallBase) and user.callee is library]:
            _rewrite(module, call, adopt)


def _rewrite(module: Module, call: CallBase, adopt: Callable[[Function], None]) -> None:
    if call.callee_name == SEARCH:
        if [a.type for a in call.args] == [PTR, PTR, I64, I64, PTR]:
            _replace(call, _made(module, "enzyme.bsearch", _SEARCH_TEXT, adopt), call.args)
        return
    if [a.type for a in call.args] != [PTR, I64, I64, PTR]:
        return
    base, count, size, compare = call.args
    if not isinstance(size, ConstantInt):
        text = _TEXT.replace("qsort.{S}(", "qsort.any(i64 %size, ").replace("{S}", "%size")
        _replace(call, _made(module, "enzyme.qsort.any", text, adopt), (size, base, count, compare))
    elif 0 < size.value <= 512:
        text = _TEXT.replace("{S}", str(size.value))
        _replace(call, _made(module, f"enzyme.qsort.{size.value}", text, adopt), (base, count, compare))


def _made(module: Module, name: str, text: str, adopt: Callable[[Function], None]) -> Function:
    found = module.get_function(name)
    if found is None:
        from enzyme.llvm.pipelines import prepare

        made = parse_module(prepare(text.format(LAYOUT=module.datalayout.text)))
        for function in made.functions.values():
            if function.is_declaration:
                module.declare_function(function.name or "", function.function_type)
        body = made.functions[name]
        body.blocks  # noqa: B018  (read where its names are known)
        adopt(body)
        found = module.get_function(name)
        assert found is not None
    return found


def _replace(call: CallBase, body: Function, arguments: Sequence[Value]) -> None:
    made, _ = replace_call(call, body, list(arguments))
    made.metadata = {k: v for k, v in call.metadata.items() if k == "dbg"}
    made.name = call.name
    call.replace_all_uses_with(made)
    call.erase()
