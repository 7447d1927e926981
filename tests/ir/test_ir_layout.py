"""Sizes, alignments and offsets against LLVM's own TargetData."""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enzyme.ir.layout import DataLayout
from enzyme.ir.types import ArrayType, FloatType, IntType, PointerType, StructType, Type, VectorType
from enzyme.ir.values import ConstantInt, Value
from enzyme.support.diagnostics import UnsupportedError

LAYOUTS = {
    "default": "",
    "x86-64": "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
    "i386": "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128",
    "aarch64": "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32",
    "nvptx": "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64",
    "amdgpu": "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48"
    "-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048"
    "-n32:64-S32-A5-G1-ni:7:8:9",
    "s390x": "E-S64-m:e-i1:8:16-i8:8:16-i64:64-f128:64-v128:64-a:8:16-n32:64",
}

SCALARS: list[Type] = [
    *(IntType(bits) for bits in (1, 7, 8, 16, 24, 32, 48, 64, 65, 128, 200, 512)),
    *(FloatType(kind) for kind in FloatType.BITS),
    PointerType(0),
    PointerType(3),
    PointerType(5),
    PointerType(271),
]


def composed(inner: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    return st.one_of(
        st.builds(ArrayType, st.integers(0, 7), inner),
        st.builds(
            lambda parts, packed: StructType.literal(tuple(parts), packed), st.lists(inner, max_size=5), st.booleans()
        ),
    )


VECTORS = st.builds(VectorType, st.integers(1, 9), st.sampled_from([s for s in SCALARS if s.text != "ppc_fp128"]))
TYPES = st.recursive(st.one_of(st.sampled_from(SCALARS), VECTORS), composed, max_leaves=8)


@pytest.mark.parametrize("name", LAYOUTS)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(type=TYPES)
def test_against_llvm(name: str, type: Type) -> None:
    ours, theirs = DataLayout(LAYOUTS[name]), llvm.create_target_data(LAYOUTS[name])
    module = llvm.parse_assembly(f"@g = external global {type}", llvm.create_context())
    other = module.get_global_variable("g").global_value_type
    assert ours.alloc_size(type) == theirs.get_abi_size(other)
    assert ours.abi_align(type) == theirs.get_abi_alignment(other)
    if isinstance(type, StructType) and type.elements:
        offsets = tuple(theirs.get_element_offset(other, i) for i in range(len(type.elements)))
        assert ours.struct_offsets(type) == offsets


def test_store_size_is_not_rounded_to_the_alignment() -> None:
    layout = DataLayout(LAYOUTS["x86-64"])
    long_double = FloatType("x86_fp80")
    assert (layout.size_of(long_double), layout.alloc_size(long_double)) == (10, 16)
    assert layout.size_of(VectorType(3, IntType(1))) == 1
    assert layout.size_of(VectorType(3, IntType(32))) == 12


def test_pointer_widths() -> None:
    layout = DataLayout(LAYOUTS["amdgpu"])
    assert [layout.pointer_bits(space) for space in (0, 3, 7, 99)] == [64, 32, 160, 64]
    assert layout.index_bits(7) == 32
    assert (layout.alloca_addrspace, layout.global_addrspace, layout.big_endian) == (5, 1, False)
    assert DataLayout(LAYOUTS["s390x"]).big_endian


def test_gep_offsets() -> None:
    layout = DataLayout(LAYOUTS["x86-64"])
    inner = StructType.literal((IntType(8), FloatType("double")))
    outer = StructType.literal((IntType(32), ArrayType(4, inner)))

    def index(value: int) -> ConstantInt:
        return ConstantInt(IntType(64), value)

    assert layout.gep_offset(outer, [index(2), index(1), index(3), index(1)]) == 2 * 72 + 8 + 3 * 16 + 8
    assert layout.gep_offset(IntType(8), [index(-5)]) == -5
    assert layout.gep_offset(inner, [0, 1]) == 8
    assert layout.gep_offset(outer, [index(0), Value(IntType(64))]) is None


def test_what_has_no_size_is_refused() -> None:
    layout = DataLayout()
    opaque = StructType.named("%opaque")
    for type in (VectorType(4, IntType(32), scalable=True), opaque, ArrayType(3, opaque)):
        with pytest.raises(UnsupportedError, match="no size"):
            layout.size_of(type)
    with pytest.raises(UnsupportedError, match="opaque"):
        layout.struct_offsets(opaque)
