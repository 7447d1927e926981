"""Bodies of functions that the C++ library keeps to itself although they work on the program's own data.

libc++ declares sorting of plain numbers as compiled elsewhere, parts of its reference counts and ``call_once``: what a
derivative needs of them, their code, is here. A definition replaces the declaration, in the program that asks for
derivatives.
"""

from __future__ import annotations

import re

_SORT = """\
define internal void @enzyme.library.sift.{T}(ptr %a, i64 %start, i64 %count) {{
entry:
  %start.at = getelementptr inbounds {T}, ptr %a, i64 %start
  %value = load {T}, ptr %start.at, align 4
  br label %loop
loop:
  %root = phi i64 [ %start, %entry ], [ %child, %move ]
  %twice = shl nuw nsw i64 %root, 1
  %left = add nuw nsw i64 %twice, 1
  %inside = icmp slt i64 %left, %count
  br i1 %inside, label %pick, label %done
pick:
  %right = add nuw nsw i64 %twice, 2
  %two = icmp slt i64 %right, %count
  br i1 %two, label %compare, label %picked
compare:
  %left.at = getelementptr inbounds {T}, ptr %a, i64 %left
  %left.value = load {T}, ptr %left.at, align 4
  %right.at = getelementptr inbounds {T}, ptr %a, i64 %right
  %right.value = load {T}, ptr %right.at, align 4
  %smaller = fcmp olt {T} %left.value, %right.value
  %larger = select i1 %smaller, i64 %right, i64 %left
  br label %picked
picked:
  %child = phi i64 [ %larger, %compare ], [ %left, %pick ]
  %child.at = getelementptr inbounds {T}, ptr %a, i64 %child
  %child.value = load {T}, ptr %child.at, align 4
  %below = fcmp olt {T} %value, %child.value
  br i1 %below, label %move, label %done
move:
  %up = getelementptr inbounds {T}, ptr %a, i64 %root
  store {T} %child.value, ptr %up, align 4
  br label %loop
done:
  %place = phi i64 [ %root, %loop ], [ %root, %picked ]
  %place.at = getelementptr inbounds {T}, ptr %a, i64 %place
  store {T} %value, ptr %place.at, align 4
  ret void
}}

define internal void @{name}(ptr %first, ptr %last, ptr %less) {{
entry:
  %end = ptrtoint ptr %last to i64
  %begin = ptrtoint ptr %first to i64
  %bytes = sub i64 %end, %begin
  %count = sdiv exact i64 %bytes, {size}
  %half = sdiv i64 %count, 2
  br label %heap
heap:
  %i = phi i64 [ %half, %entry ], [ %i.next, %sink ]
  %more = icmp sgt i64 %i, 0
  br i1 %more, label %sink, label %take
sink:
  %i.next = add nsw i64 %i, -1
  call void @enzyme.library.sift.{T}(ptr %first, i64 %i.next, i64 %count)
  br label %heap
take:
  %n = phi i64 [ %count, %heap ], [ %n.next, %swap ]
  %left = icmp sgt i64 %n, 1
  br i1 %left, label %swap, label %done
swap:
  %n.next = add nsw i64 %n, -1
  %last.at = getelementptr inbounds {T}, ptr %first, i64 %n.next
  %top = load {T}, ptr %first, align 4
  %bottom = load {T}, ptr %last.at, align 4
  store {T} %bottom, ptr %first, align 4
  store {T} %top, ptr %last.at, align 4
  call void @enzyme.library.sift.{T}(ptr %first, i64 0, i64 %n.next)
  br label %take
done:
  ret void
}}
"""

# The object of a shared_ptr has: virtual table, owners - 1, weak owners - 1 (shared owners together count as one). The
# fifth entry of the table frees it.
_RELEASE_WEAK = """\
define internal void @{name}(ptr %this) {{
entry:
  %weak = getelementptr inbounds i8, ptr %this, i64 16
  %old = atomicrmw add ptr %weak, i64 -1 acq_rel, align 8
  %last = icmp eq i64 %old, 0
  br i1 %last, label %free, label %done
free:
  %table = load ptr, ptr %this, align 8
  %entry.at = getelementptr inbounds i8, ptr %table, i64 32
  %method = load ptr, ptr %entry.at, align 8
  call void %method(ptr %this)
  br label %done
done:
  ret void
}}
"""

_LOCK = """\
define internal ptr @{name}(ptr %this) {{
entry:
  %owners = getelementptr inbounds i8, ptr %this, i64 8
  %first = load atomic i64, ptr %owners monotonic, align 8
  br label %loop
loop:
  %seen = phi i64 [ %first, %entry ], [ %now, %try ]
  %gone = icmp eq i64 %seen, -1
  br i1 %gone, label %none, label %try
try:
  %more = add nsw i64 %seen, 1
  %pair = cmpxchg ptr %owners, i64 %seen, i64 %more monotonic monotonic, align 8
  %now = extractvalue {{ i64, i1 }} %pair, 0
  %won = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %won, label %found, label %loop
found:
  ret ptr %this
none:
  ret ptr null
}}
"""

_NOTHING = """\
define internal void @{name}(ptr %this) {{
entry:
  ret void
}}
"""

# A flag is 0 at first, 1 while the function runs, and -1 when it has.
_ONCE = """\
define internal void @{name}(ptr %flag, ptr %data, ptr %function){personality} {{
entry:
  br label %try
try:
  %pair = cmpxchg ptr %flag, i64 0, i64 1 acq_rel acquire, align 8
  %seen = extractvalue {{ i64, i1 }} %pair, 0
  %first = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %first, label %run, label %wait
wait:
  %over = icmp eq i64 %seen, -1
  br i1 %over, label %done, label %try
run:
  {call}
ran:
  store atomic i64 -1, ptr %flag release, align 8
  br label %done
done:
  ret void{thrown}
}}
"""
_PLAIN = ("", "call void %function(ptr %data)\n  br label %ran", "")
_CAREFUL = (
    " personality ptr @__gxx_personality_v0",
    "invoke void %function(ptr %data) to label %ran unwind label %thrown",
    """
thrown:
  %exception = landingpad { ptr, i32 } cleanup
  store atomic i64 0, ptr %flag release, align 8
  resume { ptr, i32 } %exception""",
)

_BODIES = {
    "_ZNSt3__111__call_onceERVmPvPFvS2_E": _ONCE,
    "_ZNSt3__16__sortIRNS_6__lessIddEEPdEEvT0_S5_T_": _SORT.replace("{T}", "double").replace("{size}", "8"),
    "_ZNSt3__16__sortIRNS_6__lessIffEEPfEEvT0_S5_T_": _SORT.replace("{T}", "float").replace("{size}", "4"),
    "_ZNSt3__119__shared_weak_count14__release_weakEv": _RELEASE_WEAK,
    "_ZNSt3__119__shared_weak_count4lockEv": _LOCK,
    "_ZNSt3__114__shared_countD2Ev": _NOTHING,
    "_ZNSt3__119__shared_weak_countD2Ev": _NOTHING,
}
_DECLARED = re.compile(rf"^declare [^@\n]*@({'|'.join(_BODIES)})\(.*$", re.MULTILINE)


def with_bodies(text: str) -> str:
    """The program with definitions in place of the declarations of such functions."""
    if "@_ZNSt3__1" not in text:
        return text
    personality, call, thrown = _CAREFUL if "@__gxx_personality_v0(" in text else _PLAIN
    return _DECLARED.sub(
        lambda found: _BODIES[found[1]].format(name=found[1], personality=personality, call=call, thrown=thrown), text
    )
