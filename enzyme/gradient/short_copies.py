"""Snapshots of short arrays are taken number by number.

A loop over steps takes a snapshot of an array that it has just written, a number or a few at a time, and goes on with
it. A call of ``memcpy`` has the caller put away what it has in registers, and loads 64 bytes at once; a processor that
hands stored numbers on before they are in the cache cannot hand on several stores to one load. For some numbers that
takes longer than to copy each of them by itself.

What is longer than :data:`LONGEST`, which only the running program knows, is copied by the call, as before. It is done
when all else is, as LLVM would make a call of such a loop.
"""

from __future__ import annotations

import re

from enzyme.gradient.loop_versions import split_at
from enzyme.ir.builder import Builder
from enzyme.ir.intrinsics import MEMCPY
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.ir.types import I8, I64
from enzyme.ir.values import Block, CallBase, ConstantInt, Function, Instruction

LONGEST = 256
"""Bytes of an array that is copied number by number."""
_SIZE = 8
_COPY = re.compile(r"@llvm\.memcpy\.p0\.p0\.i64\(ptr [^%]*%snapshot\b")


def with_short_copies(text: str) -> str:
    """An optimised program with such snapshots."""
    if not _COPY.search(text):
        return text
    module = parse_module(text)
    for function in module.functions.values():
        if function.body_text is not None and _COPY.search(function.body_text):
            for inst in [inst for inst in function.instructions() if _takes_snapshot(inst)]:
                _choose(function, inst)
            function.body_text = None
    return print_module(module)


def _takes_snapshot(inst: Instruction) -> bool:
    if not isinstance(inst, CallBase) or inst.callee_name != MEMCPY[0]:
        return False
    into, length, volatile = inst.args[0], inst.args[2], inst.args[3]
    is_plain = isinstance(volatile, ConstantInt) and volatile.value == 0
    return is_plain and (into.name or "").startswith("snapshot") and not isinstance(length, ConstantInt)


def _choose(function: Function, copy: Instruction) -> None:
    """Have the array copied by a loop where it is short."""
    assert isinstance(copy, CallBase) and copy.block is not None
    into, source, length = copy.args[:3]
    rest = split_at(function, copy, "copied")
    block = copy.block
    block.remove(copy)
    whole = function.append_block(Block("copy.whole"))
    whole.append(copy)
    Builder(whole).br(rest)
    build = Builder(block)
    zero, one, size = (ConstantInt(I64, each) for each in (0, 1, _SIZE))
    some = build.icmp("ult", build.sub(length, one), ConstantInt(I64, LONGEST))
    even = build.icmp("eq", build.and_(length, ConstantInt(I64, _SIZE - 1)), zero)
    number = function.append_block(Block("copy.number"))
    build.cond_br(build.and_(some, even), number, whole)
    build = Builder(number)
    offset = build.phi(I64, [(zero, block)])
    value = build.load(I64, build.gep(I8, source, [offset]), align=1)
    build.store(value, build.gep(I8, into, [offset]), align=1)
    following = build.add(offset, size)
    offset.add_incoming(following, number)
    build.cond_br(build.icmp("eq", following, length), rest, number)
