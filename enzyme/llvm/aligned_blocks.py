"""Blocks of memory that begin with a line of the cache.

``malloc`` gives addresses that are multiples of 16, and large blocks always begin 16 bytes behind a page. In such a
block each vector of 64 bytes lies in two lines, and so does every other one of 32: loops over tapes and shadows, and
over what the program itself allocates, take up to one and a half times as long. So a bit more is asked for, and the
block's part in use begins at the next multiple of 64.

That is done where a block is known from its allocation to its end: within one function, once optimised, where nothing
but loads, stores and functions that neither keep nor free it get its address. What is freed then is the block itself.
A program that has an allocator of its own under one of these names is left alone: its memory may be full to the byte.
Arrays of numbers on the stack begin with a line, too, if they are no small ones.
"""

from __future__ import annotations

import re

from enzyme.llvm.blocks import (
    GIVEN_BACK_WITH_SIZE,
    Attributes,
    Bases,
    Block,
    FunctionText,
    asks,
    derived,
    functions,
    may_move,
    with_declared,
)
from enzyme.llvm.loop_depths import loop_depths

_LINE = 64
_LEAST = 2048
"""Bytes of a block, below which it stays where it is: allocators have small ones at hand in certain sizes."""
_LEAST_AROUND_NESTS = 256
"""The same in functions that allocate outside of loops and have nests of loops, which take longer than that."""
_LEAST_ON_STACK = 256
_ARRAY = re.compile(r"(?m)^(  \S+ = alloca \[(\d+) x (double|float)\], align )(\d+)")
_MARK = "aligned"
"""What added names have in them."""


def with_aligned_blocks(text: str) -> str:
    """An optimised program, as LLVM prints it, with such blocks."""
    attributes = Attributes(text)
    if not may_move(text, attributes):
        return text
    made = "".join(_rewritten(each, attributes) for each in functions(text))
    for name, declared in _DECLARED.items():
        made = with_declared(made, name, declared)
    return made


_DECLARED = {
    "llvm.ptrmask.p0.i64": "declare ptr @llvm.ptrmask.p0.i64(ptr, i64)",
    "llvm.uadd.sat.i64": "declare i64 @llvm.uadd.sat.i64(i64, i64)",
}


def _rewritten(text: str, attributes: Attributes) -> str:
    """A function, or what stands in front of the first one."""
    if not text.startswith("define ") or attributes.sanitised(text.split("\n", 1)[0]):
        return text
    if asks(text):
        function = FunctionText(text, attributes)
        if not function.has_names_with(_MARK):
            least = _least(function)
            blocks = function.staying(lambda allocator, args: _larger(allocator, args, "", least) is not None)
            text = _edited(function, blocks, least) if blocks else text
    return _ARRAY.sub(_on_stack, text) if " = alloca [" in text else text


def _least(function: FunctionText) -> int:
    """How many bytes a block of a function has at least, if it is to begin with a line."""
    labels, depths = loop_depths(function.lines)
    if max(depths.values()) < 2:
        return _LEAST
    in_loop = any(depths[label] and asks(function.lines[number]) for number, label in labels.items())
    return _LEAST if in_loop else _LEAST_AROUND_NESTS


def _on_stack(array: re.Match[str]) -> str:
    bytes = int(array[2]) * (8 if array[3] == "double" else 4)
    return f"{array[1]}{_LINE}" if bytes >= _LEAST_ON_STACK and int(array[4]) < _LINE else array[0]


def _edited(function: FunctionText, blocks: list[Block], least: int) -> str:
    lines, bases = list(function.lines), function.bases(blocks, f"{_MARK}.block")
    for number, name in bases.freed:
        lines[number] = _given_back(bases, lines[number], name, number, least)
    for number, beside in bases.beside.items():
        lines[number] = f"{lines[number]}\n{beside}"
    for each in blocks:
        name, call, asked = function.allocation(each.line)
        larger = _larger(asked[1], asked[2], name, least)
        assert larger is not None
        before, args, more, mask = larger
        begin, end = asked.span(2)
        above, block = _derived(name, "above"), bases.names[name]
        lines[each.line] = "\n".join(
            [
                *before,
                f"  {block} = {call[:begin]}{args}{call[end:]}",
                f"  {above} = getelementptr i8, ptr {block}, i64 {more}",
                f"  {name} = call ptr @llvm.ptrmask.p0.i64(ptr {above}, i64 {mask})",
            ]
        )
    return "\n".join(lines)


def _derived(name: str, what: str) -> str:
    return derived(name, f"{_MARK}.{what}")


def _given_back(bases: Bases, line: str, name: str, number: int, least: int) -> str:
    """A line that gives a pointer back, for the block's address; its size, where it is given, is the larger one."""
    line = bases.given_back(line, name)
    if not any(f"@{each}(" in line for each in GIVEN_BACK_WITH_SIZE):
        return line
    size = re.search(r", i64 (?:[a-z]\w* )*([^ ,()]+)\)", line)
    assert size is not None
    name, (begin, end) = f"%given.back.{number}", size.span(1)
    if size[1].isdecimal():
        return f"{line[:begin]}{int(size[1]) + (_LINE - 1 if int(size[1]) >= least else 0)}{line[end:]}"
    more = "\n".join(_sum(size[1], 1, name, least))
    return f"{more}\n{line[:begin]}{_derived(name, 'size')}{line[end:]}"


def _larger(callee: str, args: str, name: str, least: int) -> tuple[list[str], str, str, str] | None:
    """Lines that compute how much is asked for then, by names derived from one, the arguments of the call, how many
    bytes more these are at least, and what the address behind that many is masked with; None where nothing is to be
    gained."""
    parts = [each.strip() for each in args.split(",")]
    sizes = [each.rsplit(" ", 1)[-1] for each in parts]
    if any(not each.startswith("i64 ") for each in parts) or len(parts) != (2 if callee == "calloc" else 1):
        return None
    each, place = 1, 0
    if callee == "calloc":
        known = next((index for index in (0, 1) if sizes[index].isdecimal()), None)
        if known is None or not 0 < int(sizes[known]) < _LINE:
            return None
        each, place = int(sizes[known]), 1 - known
        parts[known] = f"i64 {each}"
    if sizes[place].isdecimal():
        parts[place] = f"i64 {int(sizes[place]) - (-(_LINE - 1) // each)}"
        return ([], ", ".join(parts), str(_LINE - 1), f"-{_LINE}") if int(sizes[place]) * each >= least else None
    parts[place] = f"i64 {_derived(name, 'size')}"
    lines = _sum(sizes[place], each, name, least)
    mask = _derived(name, "mask")
    lines.append(f"  {mask} = select i1 {_derived(name, 'small')}, i64 -1, i64 -{_LINE}")
    return lines, ", ".join(parts), _derived(name, "more"), mask


def _sum(count: str, each: int, name: str, least: int) -> list[str]:
    """Lines that compute how many elements of a size are asked for, where a program asks for ``count``."""
    small, more, elements, size = (_derived(name, what) for what in ("small", "more", "count", "size"))
    return [
        f"  {small} = icmp ult i64 {count}, {-(-least // each)}",
        f"  {more} = select i1 {small}, i64 0, i64 {_LINE - 1}",
        f"  {elements} = select i1 {small}, i64 0, i64 {-(-(_LINE - 1) // each)}",
        f"  {size} = call i64 @llvm.uadd.sat.i64(i64 {count}, i64 {elements})",
    ]
