"""The module as users of the layer see it: looking up, adding, attributes, metadata, debug info."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_function, print_module
from enzyme.ir.types import DOUBLE, I32, I64, PTR, VOID, ArrayType, FunctionType, StructType
from enzyme.ir.values import (
    Call,
    ConstantAggregate,
    ConstantExpr,
    ConstantFloat,
    ConstantInt,
    ConstantString,
    ConstantToken,
    Function,
    GlobalVariable,
)
from enzyme.support.diagnostics import ParseError, SourceLocation

TEXT = """; ModuleID = 'demo'
source_filename = "demo.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%struct.node = type { ptr, %struct.pair }
%struct.pair = type { double, double }

@text = private constant [3 x i8] c"ab\\00"
@limit = external global i32
@start = internal global %struct.pair { double 1.000000e+00, double 0.000000e+00 }, align 8
@inside = global ptr getelementptr inbounds (i8, ptr @start, i64 8)
@second = alias ptr, ptr @inside

; Function Attrs: nounwind
define double @f(ptr noundef readonly %p, i32 %0) #0 !dbg !4 {
  %2 = load double, ptr %p, align 8, !dbg !6
  %x = call double @g(double %2) #2, !dbg !8
  ret double %x
}

declare double @g(double) #1

attributes #0 = { nounwind "frame-pointer"="all" }
attributes #1 = { willreturn memory(read) }
attributes #2 = { nounwind memory(none) }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, producer: "p", isOptimized: true, emissionKind: FullDebug)
!1 = !DIFile(filename: "de\\20mo.c", directory: "/home")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = distinct !DILexicalBlock(scope: !4, file: !1, line: 2, column: 1)
!6 = !DILocation(line: 3, column: 9, scope: !5)
!7 = distinct !DISubprogram(name: "h", scope: !9, file: !9, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!8 = !DILocation(line: 40, scope: !7, inlinedAt: !6)
!9 = !DIFile(filename: "inlined.h", directory: "/home")
"""


@pytest.fixture
def module() -> Module:
    return parse_module(TEXT)


def test_head(module: Module) -> None:
    assert (module.name, module.source_filename, module.triple) == ("demo", "demo.c", "x86_64-unknown-linux-gnu")
    assert module.datalayout.pointer_bits() == 64
    assert list(module.functions) == ["f", "g"]
    assert list(module.globals) == ["text", "limit", "start", "inside"]
    assert list(module.aliases) == ["second"]


def test_named_types_are_one_object_each(module: Module) -> None:
    node, pair = module.named_types["%struct.node"], module.named_types["%struct.pair"]
    assert node.elements == (PTR, pair)
    assert pair.elements == (DOUBLE, DOUBLE)
    assert module.globals["start"].value_type is pair
    other = parse_module(TEXT).named_types["%struct.pair"]
    assert other is not pair
    added = module.add_type("%tape", [pair, I64])
    assert "%tape = type { %struct.pair, i64 }" in print_module(module)
    with pytest.raises(ValueError, match="already has a type"):
        module.add_type("%tape", [])
    assert module.type_named("%tape") is added


def test_globals_are_read_on_demand(module: Module) -> None:
    text, start, inside = (module.globals[n] for n in ("text", "start", "inside"))
    assert isinstance(text.initializer, ConstantString) and text.is_constant and text.linkage == "private"
    assert isinstance(start.initializer, ConstantAggregate)
    assert isinstance(inside.initializer, ConstantExpr)
    assert inside.initializer.args[0] is start
    assert module.globals["limit"].initializer is None
    assert module.aliases["second"].aliasee is inside


def test_setting_an_initializer_changes_what_is_printed(module: Module, canonical: Callable[[str], str]) -> None:
    start = module.globals["start"]
    start.initializer = ConstantToken(start.value_type, "zeroinitializer")
    assert "@start = internal global %struct.pair zeroinitializer\n" in canonical(print_module(module))


def test_bodies_are_read_on_demand(module: Module) -> None:
    f = module.functions["f"]
    assert not f.is_loaded and not f.is_declaration
    assert print_module(module).count("load double") == 1
    assert not f.is_loaded
    assert [i.opcode for i in f.instructions()] == ["load", "call", "ret"]
    assert f.is_loaded
    assert f.args[0].has_attr("readonly") and f.args[1].name is None
    assert module.functions["g"].is_declaration


def test_a_body_that_cannot_be_read_fails_every_time() -> None:
    module = parse_module("define void @broken() {\n  %x = frobnicate i32 1\n  ret void\n}\n")
    for _ in range(2):
        with pytest.raises(ParseError, match="frobnicate") as caught:
            module.functions["broken"].blocks  # noqa: B018
        assert caught.value.function == "broken"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("  %x = add i32 %y, 1\n  ret void", "%y is used but not defined"),
        ("  %x = add i32 1, 1\n  %x = add i32 1, 1\n  ret void", "%x is defined twice"),
        ("  %x = add i32 1 1\n  ret void", "expected ','"),
        ("  %x = load i32, ptr @nowhere\n  ret void", "@nowhere is used but not defined"),
        ("  %x = alloca %nothing\n  ret void", "%nothing is used but not defined"),
        ("  %x = add i32 1, 1 nonsense\n  ret void", "more follows"),
        ("  br label %a\na:\n  %b = phi i32 [ %c, %a ]\n  %c = fadd double 1.0, 2.0\n  br label %a", "used as i32"),
        ("  %x = add ptr 3, 4\n  ret void", "cannot have the type ptr"),
    ],
)
def test_reading_errors_name_the_fault(body: str, message: str) -> None:
    module = parse_module(f"define void @f() {{\n{body}\n}}\n")
    with pytest.raises(ParseError, match=message):
        module.functions["f"].blocks  # noqa: B018


@pytest.mark.parametrize(
    "text",
    ["define void @f() {\n  ret void\n", "nonsense\n", "attributes #0 = nounwind\n", "%t = kind { i32 }\n", "@g = 3\n"],
)
def test_text_that_is_no_module(text: str) -> None:
    with pytest.raises(ParseError):
        parse_module(text)


def test_attribute_groups(module: Module) -> None:
    f, g = module.functions["f"], module.functions["g"]
    assert module.fn_attributes(f) == {"nounwind", '"frame-pointer"="all"'}
    call = next(i for i in f.instructions() if isinstance(i, Call))
    assert module.fn_attributes(call) == {"nounwind", "memory(none)", "willreturn", "memory(read)"}
    assert module.fn_attributes(g) == {"willreturn", "memory(read)"}


def test_debug_locations(module: Module) -> None:
    load, call, ret = module.functions["f"].instructions()
    assert module.debug_location(load) == SourceLocation("de mo.c", 3, 9)
    assert module.debug_location(call) == SourceLocation("inlined.h", 40, 0)
    assert module.debug_location(ret) is None
    assert module.function_location(module.functions["f"]) == SourceLocation("de mo.c", 1)
    assert module.function_location(module.functions["g"]) is None


def test_lines_that_lead_to_headers(module: Module) -> None:
    f = module.functions["f"]
    load, call, ret = f.instructions()
    assert module.reached_from(load, f) is None
    assert module.reached_from(call, f) == module.reached_from(ret, f) == SourceLocation("de mo.c", 3, 9)
    path = 'filename: "/home/de\\20mo.c", directory: "/tmp"'  # a file of several names
    other = parse_module(TEXT.replace("file: !1, producer", "file: !10, producer") + f"!10 = !DIFile({path})\n")
    load, call, _ = other.functions["f"].instructions()
    assert other.reached_from(load, other.functions["f"]) is None
    assert other.reached_from(call, other.functions["f"]) == SourceLocation("de mo.c", 3, 9)


def test_lines_of_callers(module: Module) -> None:
    """A function of a header that is not inlined: the line of the call that leads to it."""
    text = (
        TEXT.replace("!dbg !8", "!dbg !6").replace(
            "declare double @g(double) #1",
            """
define double @g(double %y) #1 !dbg !7 {
  %z = call double @h(double %y), !dbg !11
  ret double %z
}
define double @h(double %y) {
  ret double %y, !dbg !11
}""",
        )
        + "!11 = !DILocation(line: 5, scope: !7)\n"
    )
    module = parse_module(text)
    h = module.functions["h"]
    list(module.functions["f"].instructions()), list(module.functions["g"].instructions())
    (ret,) = h.instructions()
    assert module.place_of(ret, h) == SourceLocation("inlined.h", 5)
    assert module.reached_from(ret, h) == SourceLocation("de mo.c", 3, 9)


def test_declaring_reuses(module: Module) -> None:
    type = FunctionType(DOUBLE, (DOUBLE,))
    assert module.declare_function("g", type) is module.functions["g"]
    made = module.declare_function("exp", type, ["nounwind", "memory(none)"])
    assert made.module is module
    assert print_function(made) == "declare double @exp(double) nounwind memory(none)\n"
    assert module.get_function("exp") is made
    assert module.get_function("absent") is None


def test_adding_and_removing(module: Module, canonical: Callable[[str], str]) -> None:
    table = module.add_global("table", ArrayType(2, I32), ConstantToken(ArrayType(2, I32), "zeroinitializer"), align=16)
    outside = module.add_global("outside", I32, None)
    function = Function("made", FunctionType(VOID, ()))
    module.add_function(function)
    text = canonical(print_module(module))
    assert "@table = internal global [2 x i32] zeroinitializer, align 16" in text
    assert "@outside = external global i32" in text
    assert "declare void @made()" in text
    for name in ("table", "f", "second"):
        with pytest.raises(ValueError, match="already has a global"):
            module.add_global(name, I32, None)
    with pytest.raises(ValueError, match="already has a global"):
        module.add_function(Function("limit", FunctionType(VOID, ())))
    for value in (table, outside, function):
        module.remove(value)
    assert canonical(print_module(module)) == canonical(TEXT)


def test_unique_names(module: Module) -> None:
    assert module.unique_name("new") == "new"
    assert module.unique_name("f") == "f.1"
    module.declare_function("f.1", FunctionType(VOID, ()))
    assert module.unique_name("f") == "f.2"


def test_new_metadata(module: Module, canonical: Callable[[str], str]) -> None:
    domain = module.add_metadata("distinct !{{self}}")
    scope = module.add_metadata(f"distinct !{{{{self}}, {domain}}}")
    both = module.add_metadata(f"!{{{scope}}}")
    assert (domain, scope, both) == ("!10", "!11", "!12")
    assert module.metadata["11"] == "distinct !{!11, !10}"
    next(module.functions["f"].instructions()).metadata["noalias"] = both
    assert "!noalias" in canonical(print_module(module))


def test_names_of_digits_are_not_numbers() -> None:
    module = parse_module('@0 = global i32 1\n@"0" = global i32 2\n@1 = global ptr @"0"\n@2 = global ptr @0\n')
    assert list(module.globals) == ["0", "\\30", "1", "2"]
    assert module.globals["1"].initializer is module.globals["\\30"]
    assert module.globals["2"].initializer is module.globals["0"]
    assert [g.text for g in module.globals.values()] == ["@0", '@"\\30"', "@1", "@2"]


def test_constants_keep_their_spelling_and_value() -> None:
    module = parse_module(
        "@a = global float 0x3FB99999A0000000\n@b = global x86_fp80 0xK3FFF8000000000000000\n"
        "@c = global i8 -1\n@d = global i1 true\n@e = global half 0xH3E00\n"
        "@f = global <2 x double> splat (double 2.5)\n"
    )

    def initial(name: str) -> object:
        return module.globals[name].initializer

    a, b, c, d, e, f = map(initial, "abcdef")
    assert isinstance(a, ConstantFloat) and a.value == pytest.approx(0.1, rel=1e-7)
    assert isinstance(b, ConstantFloat) and b.value == 1.0
    assert isinstance(c, ConstantInt) and c.value == -1
    assert isinstance(d, ConstantInt) and d.text == "true"
    assert isinstance(e, ConstantFloat) and e.value == 1.5
    assert isinstance(f, ConstantAggregate) and f.splat and f.text == "splat (double 2.5)"


def test_struct_types_print_by_name() -> None:
    module = parse_module('%"a b" = type <{ i8, i32 }>\n@g = external global %"a b"\n')
    assert isinstance(module.globals["g"], GlobalVariable)
    type = module.globals["g"].value_type
    assert isinstance(type, StructType) and type.packed and str(type) == '%"a b"'
