"""Which nests are run for strips of columns, and what the running program is asked first."""

from __future__ import annotations

import pytest

from enzyme.analysis.alias import ModuleSummaries
from enzyme.gradient.column_nests import CACHED, CACHED_VECTORS, MULTIPLE, ColumnNest, find_column_nests
from enzyme.gradient.column_strips import with_column_strips
from enzyme.gradient.engine import Engine
from enzyme.gradient.request import Request
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_function, print_module
from enzyme.ir.verifier import verify_function
from enzyme.llvm.pipelines import optimise
from enzyme.rules.known import known_callee
from enzyme.support.config import Config

LAYOUT = 'target datalayout = "e-p:64:64-i64:64-f80:128-n8:16:32:64-S128"\ntarget triple = "x86_64-unknown-linux-gnu"\n'
NEST = (
    LAYOUT
    + """
declare double @llvm.fabs.f64(double)
declare double @taken(double)
define void @f(ptr OUT %out, ptr noalias %w, ptr noalias %c, i64 %n, i64 %pitch, i64 %bones) {
entry:
  br label %bone
bone:
  %b = phi i64 [ 0, %entry ], [ %b.next, %bone.end ]
  %factor = getelementptr inbounds double, ptr %c, i64 %b
  %a = load double, ptr %factor, align 8
  AHEAD
  br label %row
row:
  %r = phi i64 [ 0, %bone ], [ %r.next, %row.end ]
  %start = mul nsw i64 %r, PITCH
  %to = getelementptr inbounds double, ptr %out, i64 %start
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %ahead, label %row.end
ahead:
  br label %column
column:
  %v = phi i64 [ 0, %ahead ], [ %v.next, %column ]
  %from = getelementptr inbounds double, ptr %w, i64 %v
  %x = load double, ptr %from, align 8
  %place = getelementptr inbounds double, ptr %to, i64 %v
  %was = load double, ptr %place, align 8
  %more = fmul double %a, %x
  %sum = fadd double %was, %more
  store double %sum, ptr %place, align 8
  INSIDE
  %v.next = add nuw nsw i64 %v, 1
  %done = icmp eq i64 %v.next, %n
  br i1 %done, label %column.end, label %column
column.end:
  br label %row.end
row.end:
  %r.next = add nuw nsw i64 %r, 1
  %rows = icmp eq i64 %r.next, 3
  br i1 %rows, label %bone.end, label %row
bone.end:
  %b.next = add nuw nsw i64 %b, 1
  %last = icmp eq i64 %b.next, %bones
  br i1 %last, label %end, label %bone
end:
  ret void
}
"""
)


def program(ahead: str = "", inside: str = "", out: str = "noalias", pitch: str = "%n", **others: str) -> str:
    text = NEST.replace("AHEAD", ahead).replace("INSIDE", inside).replace("OUT", out).replace("PITCH", pitch)
    for old, new in others.items():
        assert old in text
        text = text.replace(old, new)
    return text


def nests(text: str) -> list[ColumnNest]:
    module = parse_module(text)
    return find_column_nests(module.functions["f"], module, ModuleSummaries(module, known_callee))


def tiled(text: str) -> str:
    module: Module = parse_module(text)
    function = module.functions["f"]
    assert with_column_strips(function, module, ModuleSummaries(module, known_callee))
    verify_function(function)
    function.body_text = None
    made = print_module(module)
    optimise(made, 3)  # LLVM's verifier sees it, too
    return print_function(function)


def test_a_nest_over_columns() -> None:
    (nest,) = nests(program())
    assert not nest.apart and not nest.lengths, "rows are as long as columns are many, and nothing overlaps"
    assert nest.strip % MULTIPLE == 0 and nest.strip * 4 * 8 <= CACHED
    text = tiled(program())
    assert text.count("fadd") == 1, "nothing is made twice"


def test_strips_of_vectors_are_longer_on_processors_that_work_on_halves() -> None:
    text = program(**{"double, ptr %w, i64 %v": "<4 x double>, ptr %w, i64 %v"})
    for old, new in {
        "double, ptr %to, i64 %v": "<4 x double>, ptr %to, i64 %v",
        "%x = load double, ptr %from": "%x = load <4 x double>, ptr %from",
        "%was = load double": "%was = load <4 x double>",
        "%more = fmul double %a, %x": "%more = fmul <4 x double> %x, %x",
        "%sum = fadd double": "%sum = fadd <4 x double>",
        "store double %sum": "store <4 x double> %sum",
        "%to = getelementptr inbounds double": "%to = getelementptr inbounds <4 x double>",
    }.items():
        assert old in text
        text = text.replace(old, new)
    strips = []
    for each in (text, program()):
        module = parse_module(each)
        summaries = ModuleSummaries(module, known_callee)
        found = [find_column_nests(module.functions["f"], module, summaries, halves) for halves in (False, True)]
        strips.append([nest.strip for (nest,) in found])
    (short, long), (same, too) = strips
    assert short * 4 * 32 <= CACHED and long * 4 * 32 <= CACHED_VECTORS and long >= 7 * short
    assert same == too, "nothing but vectors"


def test_the_length_of_rows_is_asked() -> None:
    (nest,) = nests(program(pitch="%pitch"))
    assert len(nest.lengths) == 1 and not nest.apart
    (nest,) = nests(program(pitch="5000"))
    assert [length.constant for length in nest.lengths] == [5000]
    assert not nests(program(pitch="20")), "no strip is as short as that"


def test_memory_that_may_overlap_is_asked() -> None:
    (nest,) = nests(program(out="", **{"ptr noalias %w, ptr noalias %c": "ptr %w, ptr %c"}))
    assert len(nest.apart) == 2
    tiled(program(out="", **{"ptr noalias %w, ptr noalias %c": "ptr %w, ptr %c"}))


@pytest.mark.parametrize(
    "inside",
    [
        "%near = getelementptr inbounds i8, ptr %place, i64 -8\n  %o = load double, ptr %near, align 8",
        "%near = getelementptr inbounds i8, ptr %place, i64 4\n  store double 0.0, ptr %near, align 4",
        "store double 0.0, ptr %out, align 8",
        "%o = load double, ptr %to, align 8",
        "%o = load volatile double, ptr %from, align 8",
        "%o = call double @taken(double %x)",
        "store double 0.0, ptr %factor, align 8",
    ],
)
def test_columns_that_others_notice(inside: str) -> None:
    found = nests(program(inside=inside))
    assert not found or found[0].apart, "what lies in the first row of what is written never turns out to be apart"


@pytest.mark.parametrize(
    "ahead",
    [
        "%o = load double, ptr %out, align 8",
        "store double 0.0, ptr %factor, align 8",
        "%o = freeze double %a",
        "%o = call double @taken(double %a)",
    ],
)
def test_what_may_not_be_run_again(ahead: str) -> None:
    found = nests(program(ahead=ahead))
    assert not found or found[0].apart, "a load may turn out to be of other memory"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[ 0, %ahead ]", "[ 1, %ahead ]"),
        ("%v.next = add nuw nsw i64 %v, 1", "%v.next = add nuw nsw i64 %v, 2"),
        ("%done = icmp eq i64 %v.next, %n", "%done = icmp eq i64 %v.next, %b"),
        ("%last = icmp eq i64 %b.next, %bones", "%last = icmp eq i64 %v.last, %bones"),
        ("%last = icmp eq i64 %b.next, %bones", "%last = fcmp oeq double %a, 0.0"),
    ],
)
def test_loops_of_other_shapes(old: str, new: str) -> None:
    text = program().replace(old, new)
    if "%v.last" in new:
        text = text.replace("column.end:\n  br", "column.end:\n  %v.end = phi i64 [ %v.next, %column ]\n  br")
        text = text.replace("row.end:\n", "row.end:\n  %v.last = phi i64 [ %v.end, %column.end ], [ 0, %row ]\n")
    assert not nests(text)


def test_few_columns_fit_into_the_cache() -> None:
    assert not nests(program(**{"%v.next, %n": "%v.next, 300"}))
    assert nests(program(pitch="5000", **{"%v.next, %n": "%v.next, 4000"}))


def cleared(size: str, pointer: str = "%out", behind: str = "", **others: str) -> str:
    call = f"call void @llvm.memset.p0.i64(ptr {pointer}, i8 0, i64 %size, i1 false)"
    front = f"entry:\n  %first = getelementptr inbounds double, ptr %out, i64 1\n  {size}\n  {call}\n  {behind}\n"
    text = program(**others).replace("entry:\n", front, 1)
    return text.replace(
        "declare double @taken", "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\ndeclare double @taken"
    )


WHOLE = "%size = mul i64 %n, 24"


def test_rows_are_cleared_strip_by_strip() -> None:
    (nest,) = nests(cleared(WHOLE))
    assert [(each.rows, each.stride) for each in nest.cleared] == [(3, 8)]
    text = tiled(cleared(WHOLE))
    assert text.count("call void @llvm.memset") == 4, "of each row a strip, and all of it where that is not the same"
    (nest,) = nests(cleared("%size = mul i64 %pitch, 24"))
    assert nest.cleared, "how much is cleared is asked"
    (nest,) = nests(cleared(WHOLE, pitch="%pitch"))
    assert nest.cleared and nest.cleared[0].length is not None, "and how long rows are"


@pytest.mark.parametrize(
    ("pointer", "behind", "others"),
    [
        ("%first", "", {}),
        ("%w", "", {}),
        ("%c", "", {}),
        ("%out", "%seen = load double, ptr %w, align 8", {}),
        ("%out", "store double 1.0, ptr %first, align 8", {}),
        ("%out", "%o = call double @taken(double 1.0)", {}),
        ("%out", "", {"out": ""}),
    ],
)
def test_what_is_not_cleared_strip_by_strip(pointer: str, behind: str, others: dict[str, str]) -> None:
    text = cleared(WHOLE, pointer, behind, **others)
    if others:
        text = text.replace("ptr noalias %w, ptr noalias %c", "ptr %w, ptr %c")
    assert not any(nest.cleared for nest in nests(text))


def test_only_zeros_are_cleared() -> None:
    assert not any(nest.cleared for nest in nests(cleared(WHOLE).replace("i8 0, i64 %size", "i8 1, i64 %size")))
    assert not any(nest.cleared for nest in nests(cleared(WHOLE).replace("%size, i1 false", "%size, i1 true")))


def test_switch() -> None:
    text = program(out="", **{"ptr noalias %w, ptr noalias %c": "ptr %w, ptr %c"})
    for on in (True, False):
        engine = Engine(parse_module(text), Config(column_strips=on))
        made = engine.derivative(Request("f", "forward", ("dup", "const", "dup", "const", "const", "const"), "const"))
        assert ("columns" in print_function(made)) is on


def test_what_is_derived_again_is_left_as_it_is() -> None:
    engine = Engine(parse_module(program()), Config(), again=True)
    made = engine.derivative(Request("f", "forward", ("dup", "const", "dup", "const", "const", "const"), "const"))
    assert "columns" not in print_function(made)
