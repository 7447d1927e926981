"""Small blocks of memory lie on the stack.

A call of a function that takes a microsecond, or less, has its tape, its shadows and its scratch from the allocator and
gives them back: that is 10 to 20 nanoseconds for each block. How large a block is only the running program knows, as a
rule. So there is room on the stack for a small one, and the allocator is asked for a larger one.

It is for blocks that are known from allocation to end (blocks.py), in functions that do not call themselves, directly
or by way of others: a deep recursion would take a stack of its own size. In a loop, the next iteration has the same
room: no pointer into a block may be handed on to it. A function has at most eight rooms, those in loops first.

Where a nest of loops runs between allocation and end, a block costs nothing in comparison, and is better off where the
allocator puts it: where the stack is hangs on how the process was started, and loops over short rows took up to one and
a half times as long in some processes.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property

from enzyme.llvm.blocks import (
    GROUP,
    NAME,
    OF_BLOCKS,
    Attributes,
    Block,
    FunctionText,
    asks,
    derived,
    functions,
    may_move,
    with_declared,
)
from enzyme.llvm.codegen import triple_of
from enzyme.llvm.loop_depths import LABEL, loop_depths
from enzyme.support.devices import is_gpu

_ROOM = 2048
"""Bytes of a room. A block that has less is small."""
_SPACE = 320
"""Bytes between rooms: at distances of a power of two, stores to one would seem to meet loads from another."""
_ON_GPU = 512
"""Bytes of a room of a GPU's thread: there are hundreds of thousands of them, and each has a stack."""
_MOST = 8
_ALIGNED = 16
"""Where a room begins, as a block of the allocator's does. Multiples of 64 gained nothing in blocks so small."""
_MARK = "small"
_INCOMING = re.compile(rf", ({NAME}) \]")
_TAIL = re.compile(r"(?<![a-z])tail call ")
_GLOBAL = re.compile(r'@([-\w.$]+|"[^"]*")')
_CALL = re.compile(r"(?<= )(?:call|invoke) ")
_CALLED = re.compile(r'(?<= )(?:call|invoke) [^@%"\n]*@([-\w.$]+|"[^"]*")\(')
_MEMSET = "llvm.memset.p0.i64"


def with_small_blocks(text: str) -> str:
    """An optimised program, as LLVM prints it, with such blocks."""
    attributes = Attributes(text)
    if not may_move(text, attributes):
        return text
    calls = _Calls(functions(text), attributes)
    room = _ON_GPU if is_gpu(triple_of(text)) else _ROOM
    made = "".join(_rewritten(each, attributes, calls, room) for each in calls.pieces)
    return with_declared(made, _MEMSET, f"declare void @{_MEMSET}(ptr, i8, i64, i1)")


class _Calls:
    """Which functions of a program may call themselves."""

    def __init__(self, pieces: list[str], attributes: Attributes) -> None:
        self.pieces, self.attributes = pieces, attributes
        self._known: dict[str, set[str]] = {}

    @cached_property
    def bodies(self) -> dict[str, str]:
        return dict(_parts(each)[:2] for each in self.pieces if each.startswith("define "))

    @cached_property
    def taken(self) -> set[str]:
        """Functions whose address somebody may have."""
        found = {name for each in self.pieces for name in _GLOBAL.findall(_parts(each)[2])}
        for body in self.bodies.values():
            named, called = Counter(_GLOBAL.findall(body)), Counter(_CALLED.findall(body))
            found |= {name for name, times in named.items() if times > called[name]}
        return found & set(self.bodies)

    def recursive(self, name: str) -> bool:
        """Whether the function may be called while it runs."""
        seen, work = set[str](), [name]
        while work:
            for callee in self._callees(work.pop()):
                if callee == name:
                    return True
                if callee not in seen:
                    seen.add(callee)
                    work.append(callee)
        return False

    def _callees(self, name: str) -> set[str]:
        found = self._known.get(name)
        if found is None:
            body = self.bodies[name]
            called = _CALLED.findall(body)
            found = set(called) & set(self.bodies)
            if len(called) < len(_CALL.findall(body)) or any(self._calls_back(each) for each in set(called) - found):
                found |= self.taken
            self._known[name] = found
        return found

    def _calls_back(self, name: str) -> bool:
        """Whether a function that is only declared may call one of the program's."""
        return not name.startswith("llvm.") and name not in OF_BLOCKS and "nocallback" not in self._said(name)

    def returns_twice(self, name: str) -> bool:
        """Whether the function may find its stack as it was some time before (``setjmp``)."""
        return any("returns_twice" in self._said(callee) for callee in set(_CALLED.findall(self.bodies[name])))

    def _said(self, name: str) -> str:
        head = self.attributes.heads.get(name, "")
        return " ".join([head, *(self.attributes.groups.get(group, "") for group in GROUP.findall(head))])


def _parts(piece: str) -> tuple[str, str, str]:
    """Name and body of a function, and what is no part of it."""
    if not piece.startswith("define "):
        return "", "", piece
    head, _, rest = piece.partition("\n")
    body, _, behind = rest.partition("\n}\n")
    name = _GLOBAL.search(head)
    assert name is not None
    return name[1], body, behind


def _rewritten(text: str, attributes: Attributes, calls: _Calls, room: int) -> str:
    """A function, or what stands in front of the first one."""
    if not text.startswith("define ") or not asks(text):
        return text
    head = text.split("\n", 1)[0]
    function = FunctionText(text, attributes)
    if attributes.sanitised(head) or function.has_names_with(_MARK):
        return text
    rooms, name = _Rooms(function, room), _parts(text)[0]
    return text if not rooms.blocks or calls.returns_twice(name) or calls.recursive(name) else rooms.edited()


class _Rooms:
    """The blocks of a function that get room on the stack, of so many bytes where a block's size is not known."""

    def __init__(self, function: FunctionText, room: int) -> None:
        self.room = room
        self.function, self.lines = function, function.lines
        self.labels, self.depths = loop_depths(self.lines)
        blocks = function.staying(lambda allocator, args: _size(allocator, args, room) is not None)
        fit = sorted((each for each in blocks if self._fits(each)), key=lambda each: not self._repeated(each))
        self.blocks = sorted(function.together(fit[:_MOST]), key=lambda each: each.line)

    def _fits(self, block: Block) -> bool:
        uses = [self.lines[number] for name in block.addresses for number in self.function.uses[name]]
        if any("musttail " in line for line in uses):
            return False
        if max(self.depths.values()) > self.depths[self.labels[block.line]] + 1:
            return False
        phis = any(f"  {name} = phi " in line for name in block.addresses for line in uses)
        return not (phis and self._repeated(block))

    def _repeated(self, block: Block) -> bool:
        """Whether the allocation is in a loop."""
        return self.depths[self.labels[block.line]] > 0

    def edited(self) -> str:
        lines, bases = list(self.lines), self.function.bases(self.blocks, f"{_MARK}.block")
        for number, name in bases.freed:
            lines[number] = bases.given_back(lines[number], name)
        for number, beside in bases.beside.items():
            lines[number] = f"{lines[number]}\n{beside}"
        for number in {n for each in self.blocks for name in each.addresses for n in self.function.uses[name]}:
            lines[number] = _TAIL.sub("call ", lines[number])  # such a call would leave the caller's stack alone
        ends = {self.labels[each.line]: derived(each.name, f"{_MARK}.had") for each in self.blocks}
        for number, line in enumerate(lines):
            if " = phi " in line:
                lines[number] = _INCOMING.sub(lambda found: f", {ends.get(found[1], found[1])} ]", line)
        for each in self.blocks:
            lines[each.line] = self._asked(each, bases.names[each.name])
        begin = next(number for number, line in enumerate(lines) if number and line.strip())
        begin += LABEL.match(lines[begin]) is not None
        rooms = [f"  {derived(each.name, f'{_MARK}.room')} = {self._room(each)}" for each in self.blocks]
        return "\n".join([*lines[:begin], *rooms, *lines[begin:]])

    def _size(self, block: Block) -> tuple[str, int]:
        _, _, asked = self.function.allocation(block.line)
        size = _size(asked[1], asked[2], self.room)
        assert size is not None
        return size

    def _room(self, block: Block) -> str:
        count, unit = self._size(block)
        bytes = int(count) * unit if count.isdecimal() else self.room + _SPACE
        return f"alloca [{bytes} x i8], align {_ALIGNED}"

    def _asked(self, block: Block, base: str) -> str:
        """In place of an allocation: room on the stack, or the allocation."""
        name, call, asked = self.function.allocation(block.line)
        count, unit = self._size(block)
        room, little, near, ask, large, had, bytes = (
            derived(name, f"{_MARK}.{what}") for what in ("room", "little", "near", "ask", "large", "had", "bytes")
        )
        cleared = [
            f"  {bytes} = mul i64 {count}, {unit}",
            f"  call void @{_MEMSET}(ptr align {_ALIGNED} {room}, i8 0, i64 {bytes}, i1 false)",
        ]
        return "\n".join(
            [
                f"  {little} = icmp ult i64 {count}, {-(-self.room // unit)}",
                f"  br i1 {little}, label {near}, label {ask}",
                f"{near[1:]}:",
                *(cleared if asked[1] == "calloc" else ()),
                f"  br label {had}",
                f"{ask[1:]}:",
                f"  {large} = {call}",
                f"  br label {had}",
                f"{had[1:]}:",
                f"  {name} = phi ptr [ {room}, {near} ], [ {large}, {ask} ]",
                f"  {base} = phi ptr [ null, {near} ], [ {large}, {ask} ]",
            ]
        )


def _size(allocator: str, args: str, room: int) -> tuple[str, int] | None:
    """How many elements of how many bytes are asked for, if that may be little."""
    parts = [each.strip() for each in args.split(",")]
    sizes = [each.rsplit(" ", 1)[-1] for each in parts]
    if any(not each.startswith("i64 ") for each in parts) or len(parts) != (2 if allocator == "calloc" else 1):
        return None
    unit = 1
    if allocator == "calloc":
        known = next((index for index in (0, 1) if sizes[index].isdecimal()), None)
        if known is None or not 0 < int(sizes[known]) < room:
            return None
        unit = int(sizes[known])
        sizes = [sizes[1 - known]]
    return None if sizes[0].isdecimal() and int(sizes[0]) * unit >= room else (sizes[0], unit)
