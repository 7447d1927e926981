"""Printing from objects: numbering, names, changed bodies, single instructions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_function, print_instruction, print_module
from enzyme.ir.types import DOUBLE, I1, I32, I64, PTR, VOID, FunctionType
from enzyme.ir.values import (
    BinaryOp,
    Block,
    Call,
    ConstantFloat,
    ConstantInt,
    DebugRecord,
    Function,
    MetadataValue,
    Value,
)
from enzyme.ir.verifier import verify_function

LOOP = """define double @f(ptr %0, i64 %n) {
  br label %2

2:                                                ; preds = %2, %1
  %3 = phi i64 [ 0, %1 ], [ %7, %2 ]
  %4 = phi double [ 0.000000e+00, %1 ], [ %6, %2 ]
  %5 = load double, ptr %0, align 8
  %6 = fadd fast double %4, %5
  %7 = add nuw i64 %3, 1
  %8 = icmp eq i64 %7, %n
  br i1 %8, label %9, label %2

9:                                                ; preds = %2
  ret double %6
}
"""


def first(module: Module, opcode: str) -> Value:
    return next(i for f in module.functions.values() for i in f.instructions() if i.opcode == opcode)


def test_unchanged_body_keeps_its_numbers() -> None:
    module = parse_module(LOOP)
    assert "\n  %6 = fadd fast double %4, %5\n" in print_function(module.functions["f"])
    for inst in module.functions["f"].instructions():
        if inst.type is not VOID:
            assert print_instruction(inst) in LOOP


def test_unnamed_values_are_renumbered(canonical: Callable[[str], str]) -> None:
    module = parse_module(LOOP)
    f = module.functions["f"]
    load = next(i for i in f.instructions() if i.opcode == "load")
    assert load.block is not None
    scaled = BinaryOp("fmul", load, ConstantFloat.of(DOUBLE, 2.0))
    load.replace_all_uses_with(scaled)
    scaled.set_operand(0, load)
    load.block.insert(load.block.instructions.index(load) + 1, scaled)
    verify_function(f)
    text = canonical(print_module(module))
    assert "%6 = fmul double %5, 2.000000e+00" in text
    assert "%7 = fadd fast double %4, %6" in text
    assert "br i1 %9, label %10, label %2" in text


def test_equal_names_are_told_apart(canonical: Callable[[str], str]) -> None:
    module = Module()
    f = Function("f", FunctionType(DOUBLE, (DOUBLE, I1)), ["x", "x.1"])
    module.add_function(f)
    entry, other = f.append_block("x"), f.append_block("7")
    build = Builder(entry)
    product = build.fmul(f.args[0], f.args[0], name="x")
    build.cond_br(f.args[1], other, other)
    build = Builder(other)
    build.ret(build.fadd(product, f.args[0], name='with "quotes"'.replace('"', "\\22")))
    verify_function(f)
    text = print_function(f)
    assert "define double @f(double %x, i1 %x.1) {\nx.2:\n  %x.3 = fmul double %x, %x\n" in text
    assert '"7":' in text
    canonical(print_module(module))


def test_unattached_instructions_print() -> None:
    x = BinaryOp("fadd", ConstantFloat.of(DOUBLE, 1.0), ConstantFloat.of(DOUBLE, 2.0))
    named = BinaryOp("fadd", x, x, name="y", flags=["nnan", "nsz"], metadata={"dbg": "!3"})
    assert print_instruction(x) == "%? = fadd double 0x3FF0000000000000, 0x4000000000000000"
    assert print_instruction(named) == "%y = fadd nnan nsz double %?, %?, !dbg !3"


def test_calls_print_all_their_parts() -> None:
    callee = Function("g", FunctionType(I32, (PTR,), True))
    p = Value(PTR, "p")
    call = Call(
        callee, [p, ConstantInt(I64, 3)], name="r", tail="tail", cc="fastcc",
        result_attrs=["noundef", "range(i32 0, 4)"], arg_attrs=[["nonnull", "align 8"], []], attrs=["#3", "nounwind"],
        bundles='[ "align"({0}, i64 8) ]',
        bundle_operands=[p], metadata={"prof": "!4"},
    )  # fmt: skip
    assert print_instruction(call) == (
        "%r = tail call fastcc noundef range(i32 0, 4) i32 (ptr, ...) @g(ptr nonnull align 8 %p, i64 3) #3 "
        'nounwind [ "align"(ptr %p, i64 8) ], !prof !4'
    )
    assert call.args == [p, call.operands[1]] and call.bundle_operands == [p] and call.callee is callee
    assert p.users == {call: 2}


def test_bundle_operands_follow_replacement() -> None:
    module = parse_module(
        "define void @f(ptr %p, ptr %q) {\n"
        '  call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 16), "nonnull"(ptr %p) ]\n  ret void\n}\n'
        "declare void @llvm.assume(i1)\n"
    )
    f = module.functions["f"]
    f.blocks[0].instructions[0].operands[1].replace_all_uses_with(f.args[1])
    assert '[ "align"(ptr %q, i64 16), "nonnull"(ptr %q) ]' in print_function(f)
    assert not f.args[0].users


def test_metadata_operands_follow_replacement() -> None:
    module = parse_module(
        "define void @f(i32 %a, i32 %b) {\n    #dbg_value(!DIArgList(i32 %a, i32 %b), !1, !DIExpression(), !2)\n"
        "    #dbg_value(i32 %a, !1, !DIExpression(), !2)\n  call void @g(metadata i32 %a)\n  ret void\n}\n"
        "declare void @g(metadata)\n"
    )
    f = module.functions["f"]
    listed, single, call = f.blocks[0].instructions[:3]
    assert isinstance(listed, DebugRecord) and listed.operands == [f.args[0], f.args[1]]
    assert isinstance(call.operands[0], MetadataValue)
    f.args[0].replace_all_uses_with(f.args[1])
    verify_function(f)
    text = print_function(f)
    assert "    #dbg_value(!DIArgList(i32 %b, i32 %b), !1, !DIExpression(), !2)\n" in text
    assert "    #dbg_value(i32 %b, !1" in text and "@g(metadata i32 %b)" in text
    assert single.operands == [f.args[1]]


def test_blocks_with_taken_addresses_survive_renumbering(canonical: Callable[[str], str]) -> None:
    module = parse_module(
        "@t = constant [1 x ptr] [ptr blockaddress(@f, %3)]\n"
        "define i32 @f(ptr %0) {\n  %2 = load ptr, ptr %0, align 8\n"
        "  indirectbr ptr %2, [label %3]\n\n3:\n  ret i32 1\n}\n"
    )
    f = module.functions["f"]
    entry = f.blocks[0]
    entry.insert(0, BinaryOp("add", ConstantInt(I32, 1), ConstantInt(I32, 2)))
    text = canonical(print_module(module))
    label = "address_taken.3"
    assert f"blockaddress(@f, %{label})" in text and f"\n{label}:" in text


def test_definition_from_declaration_moves_its_metadata(canonical: Callable[[str], str]) -> None:
    module = parse_module("declare !note !0 void @f(i32 noundef) #0\nattributes #0 = { nounwind }\n!0 = !{}\n")
    f = module.functions["f"]
    assert print_function(f) == "declare !note !0 void @f(i32 noundef) #0\n"
    Builder(f.append_block(Block())).ret()
    assert print_function(f) == "define void @f(i32 noundef %0) #0 !note !0 {\n  ret void\n}\n"
    canonical(print_module(module))


def test_names_that_llvm_quotes() -> None:
    text = """define i32 @"f$1"(i32 %"a$b", i32 %"c d") {
"x y":
  %"s$" = add i32 %"a$b", %"c d"
  br label %"l:1"

"l:1":
  ret i32 %"s$"
}
"""
    module = parse_module(text)
    f = module.functions["f$1"]
    assert [a.name for a in f.args] == ["a$b", "c d"]
    assert [b.name for b in f.blocks] == ["x y", "l:1"]
    assert print_function(f) == text


def test_what_is_printed_is_read_again_as_it_stands() -> None:
    """The printer's own text needs no visit to LLVM before it is parsed."""
    text = (Path(__file__).parent / "corners.ll").read_text()
    module = parse_module(text)
    for function in module.functions.values():
        function.blocks  # noqa: B018
    once = print_module(module)
    again = parse_module(once)
    for function in again.functions.values():
        function.blocks  # noqa: B018
    assert print_module(again) == once
