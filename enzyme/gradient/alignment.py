"""What is known of the alignment of shadows.

An access of the primal may be aligned because the program looked at the address: a loop over vector registers begins at
the first element that lies right for them. The shadow of that memory lies elsewhere. It is aligned as the type of its
elements demands, and as its allocation says where that is in view, which LLVM finds out by itself.
"""

from __future__ import annotations

from enzyme.ir.layout import DataLayout
from enzyme.ir.types import Type
from enzyme.ir.values import CallBase, Instruction, Load, Store


def shadow_align(layout: DataLayout, type: Type, align: int) -> int:
    """The alignment of the shadow of a value of this type, which the primal accesses with ``align``."""
    natural = layout.abi_align(type.scalar)
    return min(align, natural) if align else natural


def place_align(layout: DataLayout, access: Load | Store) -> int:
    """The alignment that an access has, said or not. One of more numbers at the same place is to say so: where nothing
    is said, a vector is aligned as all of its bytes, and a block that was allocated need not be."""
    type = access.value.type if isinstance(access, Store) else access.type
    return access.align or layout.abi_align(type)


def loosen_access(layout: DataLayout, access: Instruction) -> None:
    """A load or store made of one of the primal, which goes to the shadow."""
    assert isinstance(access, (Load, Store))
    type = access.value.type if isinstance(access, Store) else access.type
    access.align = shadow_align(layout, type, access.align)


def loosen_block(call: Instruction) -> None:
    """A copy of a block made of one of the primal, which goes to the shadow."""
    assert isinstance(call, CallBase)
    call.arg_attrs = tuple(tuple(word for word in words if not word.startswith("align ")) for words in call.arg_attrs)
