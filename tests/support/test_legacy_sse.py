"""Instructions of the old encoding stay out of code with AVX, where each costs a hundred others."""

from __future__ import annotations

import re

import pytest

from enzyme.frontends.named_cpu import with_target
from enzyme.llvm.codegen import emit_assembly

SHUFFLE = """target triple = "x86_64-unknown-linux-gnu"
define <16 x i8> @f(<16 x i8> %a) ATTRIBUTES {
  %b = add <16 x i8> %a, %a
  %c = shufflevector <16 x i8> %b, <16 x i8> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 0, REST>
  ret <16 x i8> %c
}
""".replace("REST", ", ".join(["i32 poison"] * 12))
BY_NAME = """
declare <2 x i64> @llvm.x86.sse4a.insertqi(<2 x i64>, <2 x i64>, i8, i8)
define <2 x i64> @g(<2 x i64> %a) ATTRIBUTES {
  %b = call <2 x i64> @llvm.x86.sse4a.insertqi(<2 x i64> %a, <2 x i64> %a, i8 8, i8 24)
  ret <2 x i64> %b
}
"""
FEATURES = '"target-cpu"="znver3" "target-features"="+avx,+avx2,+sse2,+sse3,+sse4a,+ssse3"'


def says(text: str, attributes: str = "") -> str:
    return text.replace("ATTRIBUTES", attributes)


@pytest.mark.parametrize("cpu", ["znver1", "znver3", "znver5", "bdver2"])
def test_not_beside_avx(cpu: str) -> None:
    made = emit_assembly(says(SHUFFLE), cpu=cpu)
    assert "vpaddb" in made
    assert "insertq" not in made


def test_where_functions_say_what_they_have() -> None:
    assert "insertq" not in emit_assembly(says(SHUFFLE, FEATURES))


def test_without_avx() -> None:
    assert "insertq" in emit_assembly(says(SHUFFLE), cpu="amdfam10")


@pytest.mark.parametrize(("attributes", "cpu"), [("", "znver3"), (FEATURES, "")])
def test_asked_for_by_name(attributes: str, cpu: str) -> None:
    assert "insertq" in emit_assembly(says(SHUFFLE + BY_NAME, attributes), cpu=cpu)


def test_compilers_that_go_on_are_told() -> None:
    told = re.search(r'"target-features"="([^"]*)"', with_target(says(SHUFFLE), "znver3"))
    assert told is not None and "-sse4a" in told[1].split(",")
    assert "-sse4a" not in with_target(says(SHUFFLE + BY_NAME), "znver3")
    assert "sse4a" not in with_target(says(SHUFFLE), "x86-64-v3")
