"""Functions in IR that find the largest or the smallest of some numbers, and where it stands (found_choices.py)."""

from __future__ import annotations

from collections.abc import Callable

# Which of ``count`` numbers a loop chose last that goes on with one where it is beyond (``{P}``) all so far, which
# began with ``begin``; -1 for none. Lanes find the number in any order, and it was chosen where it stands first: that
# an equal one follows, or a zero of the other sign, does not choose again. A NaN is beyond nothing, nothing is beyond a
# NaN. The last few numbers, which no vector has, are looked at as the loop does.
_CHOSEN = """
define internal i64 @enzyme.rt.chosen.{P}.{T}(ptr captures(none) %x, i64 %count, {T} %begin) {ATTRIBUTES} {{
entry:
  %whole = and i64 %count, -16
  %some = icmp ne i64 %whole, 0
  br i1 %some, label %ready, label %single
ready:
  %one = insertelement <4 x {T}> poison, {T} %begin, i64 0
  %all = shufflevector <4 x {T}> %one, <4 x {T}> poison, <4 x i32> zeroinitializer
  br label %several
several:
  %i = phi i64 [ 0, %ready ], [ %i.next, %several ]
{PHIS}
  %at.0 = getelementptr inbounds {T}, ptr %x, i64 %i
{STEPS}
  %i.next = add nuw nsw i64 %i, 16
  %over = icmp eq i64 %i.next, %whole
  br i1 %over, label %together, label %several
together:
{MERGED}
  br label %single
single:
  %j = phi i64 [ 0, %entry ], [ %whole, %together ], [ %j.next, %rest ]
  %most = phi {T} [ %begin, %entry ], [ %of.lanes, %together ], [ %most.next, %rest ]
  %where = phi i64 [ -1, %entry ], [ -1, %together ], [ %where.next, %rest ]
  %ended = icmp eq i64 %j, %count
  br i1 %ended, label %found, label %rest
rest:
  %at = getelementptr inbounds {T}, ptr %x, i64 %j
  %number = load {T}, ptr %at, align {A}
  %beyond = fcmp {P} {T} %number, %most
  %most.next = select i1 %beyond, {T} %number, {T} %most
  %where.next = select i1 %beyond, i64 %j, i64 %where
  %j.next = add nuw nsw i64 %j, 1
  br label %single
found:
  %none = fcmp ueq {T} %most, %begin
  %known = icmp sge i64 %where, 0
  %over.all = or i1 %known, %none
  br i1 %over.all, label %done, label %look
look:
  %this = insertelement <4 x {T}> poison, {T} %most, i64 0
  %these = shufflevector <4 x {T}> %this, <4 x {T}> poison, <4 x i32> zeroinitializer
  br label %block
block:
  %k = phi i64 [ 0, %look ], [ %k.next, %passed ]
  %last = icmp eq i64 %k, %whole
  br i1 %last, label %near, label %compare
compare:
  %seen.0 = getelementptr inbounds {T}, ptr %x, i64 %k
{COMPARED}
  %bits = bitcast <4 x i1> %any to i4
  %here = icmp ne i4 %bits, 0
  br i1 %here, label %near, label %passed
passed:
  %k.next = add nuw nsw i64 %k, 16
  br label %block
near:
  br label %try
try:
  %n = phi i64 [ %k, %near ], [ %n.next, %other ]
  %there = getelementptr inbounds {T}, ptr %x, i64 %n
  %each = load {T}, ptr %there, align {A}
  %equal = fcmp oeq {T} %each, %most
  br i1 %equal, label %done, label %other
other:
  %n.next = add nuw nsw i64 %n, 1
  %behind = icmp eq i64 %n.next, %count
  br i1 %behind, label %done, label %try
done:
  %result = phi i64 [ %where, %found ], [ %n, %try ], [ -1, %other ]
  ret i64 %result
}}
"""

# The number that such a loop ends with.
_CHOSEN_OF = """
define internal {T} @enzyme.rt.chosenof.{T}(ptr captures(none) %x, i64 %last, {T} %begin) alwaysinline {ATTRIBUTES} {{
entry:
  %none = icmp slt i64 %last, 0
  br i1 %none, label %done, label %one
one:
  %at = getelementptr inbounds {T}, ptr %x, i64 %last
  %number = load {T}, ptr %at, align {A}
  br label %done
done:
  %result = phi {T} [ %begin, %entry ], [ %number, %one ]
  ret {T} %result
}}
"""
_ALIGN = {"double": 8, "float": 4}
_READS = "nofree norecurse nounwind willreturn memory(argmem: read)"


def _chosen(name: str) -> str:
    beyond, _, type = name.partition(".")
    align = _ALIGN[type]
    vector = f"<4 x {type}>"

    def loads(at: str, into: str) -> list[str]:
        places = [f"  %{at}.{k} = getelementptr inbounds {type}, ptr %{at}.0, i64 {4 * k}" for k in range(1, 4)]
        return places + [f"  %{into}.{k} = load {vector}, ptr %{at}.{k}, align {align}" for k in range(4)]

    phis = [f"  %m.{k} = phi {vector} [ %all, %ready ], [ %m.next.{k}, %several ]" for k in range(4)]
    steps = loads("at", "x")
    for k in range(4):
        steps.append(f"  %c.{k} = fcmp {beyond} {vector} %x.{k}, %m.{k}")
        steps.append(f"  %m.next.{k} = select <4 x i1> %c.{k}, {vector} %x.{k}, {vector} %m.{k}")
    merged: list[str] = []

    def merge(name: str, left: str, right: str, kind: str, mask: str) -> None:
        merged.append(f"  %{name}.c = fcmp {beyond} {kind} %{right}, %{left}")
        merged.append(f"  %{name} = select {mask} %{name}.c, {kind} %{right}, {kind} %{left}")

    merge("v.0", "m.next.0", "m.next.1", vector, "<4 x i1>")
    merge("v.1", "m.next.2", "m.next.3", vector, "<4 x i1>")
    merge("v", "v.0", "v.1", vector, "<4 x i1>")
    merged += [f"  %lane.{k} = extractelement {vector} %v, i64 {k}" for k in range(4)]
    merge("half.0", "lane.0", "lane.1", type, "i1")
    merge("half.1", "lane.2", "lane.3", type, "i1")
    merge("of.lanes", "half.0", "half.1", type, "i1")
    compared = loads("seen", "y")
    compared += [f"  %e.{k} = fcmp oeq {vector} %y.{k}, %these" for k in range(4)]
    compared += [
        "  %a.0 = or <4 x i1> %e.0, %e.1",
        "  %a.1 = or <4 x i1> %e.2, %e.3",
        "  %any = or <4 x i1> %a.0, %a.1",
    ]
    lines = {"PHIS": phis, "STEPS": steps, "MERGED": merged, "COMPARED": compared}
    text = {name: "\n".join(each) for name, each in lines.items()}
    return _CHOSEN.format(T=type, P=beyond, A=align, ATTRIBUTES=_READS, **text)


def _chosen_of(type: str) -> str:
    return _CHOSEN_OF.format(T=type, A=_ALIGN[type], ATTRIBUTES=_READS)


CHOSEN: dict[str, Callable[[str], str]] = {"chosen": _chosen, "chosenof": _chosen_of}
"""Text of ``enzyme.rt.chosen.PREDICATE.TYPE`` and ``enzyme.rt.chosenof.TYPE`` by what is behind the first word."""
