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
from collections.abc import Iterator
from dataclasses import dataclass, field

_LINE = 64
_LEAST = 2048
"""Bytes of a block, below which it stays where it is: allocators have small ones at hand in certain sizes."""
_LEAST_ON_STACK = 256
_ARRAY = re.compile(r"(?m)^(  \S+ = alloca \[(\d+) x (double|float)\], align )(\d+)")
_NAME = re.compile(r'%(?:[-\w.$]+|"[^"]*")')
_GROUP = re.compile(r"#\d+")
_RESULT = re.compile(r'  (%(?:[-\w.$]+|"[^"]*")) = (.*)')
_ASKED = re.compile(r"(?:tail |notail )?call [^@%]*@(malloc|calloc|_Znwm|_Znam)\((.*?)\)")
_CALL = re.compile(r'(?:tail |notail )?call [^@%"]*@([-\w.$]+|"[^"]*")\(')
_GIVEN_BACK = ("free", "_ZdlPv", "_ZdaPv")
_GIVEN_BACK_WITH_SIZE = ("_ZdlPvm", "_ZdaPvm")
_KNOWS_BLOCKS = ("malloc_usable_size", "malloc_size", "_msize", "realloc", "reallocf", "reallocarray")
_MEMORY = ("memcpy.", "memmove.", "memset.", "masked.load", "masked.gather", "lifetime.", "assume", "prefetch")
_MEMORY_BEHIND_DATA = ("masked.store", "masked.scatter")
_NUMBERS = frozenset(
    "add sub mul and or xor shl lshr ashr udiv urem icmp zext trunc freeze select phi insertelement extractelement "
    "shufflevector".split()
)
_ADDRESSES = frozenset("getelementptr phi select freeze insertelement extractelement shufflevector".split())
_MARK = "aligned"
"""What added names have in them."""
_EMPTY = ("null", "undef", "poison")


def with_aligned_blocks(text: str) -> str:
    """An optimised program, as LLVM prints it, with such blocks."""
    head = text[:2000]
    if 'target triple = "x86_64' not in head and 'target triple = "aarch64' not in head:
        return text
    attributes = _Attributes(text)
    if attributes.defined & {"malloc", "calloc", "_Znwm", "_Znam", *_GIVEN_BACK, *_GIVEN_BACK_WITH_SIZE}:
        return text
    made = "".join(_rewritten(each, attributes) for each in re.split(r"(?m)^(?=define )", text))
    for name, declared in _DECLARED.items():
        if f"@{name}(" in made and f"{declared}\n" not in made and not re.search(rf"(?m)^declare .*@{name}\(", made):
            made += f"\n{declared}\n"
    return made


_DECLARED = {
    "llvm.ptrmask.p0.i64": "declare ptr @llvm.ptrmask.p0.i64(ptr, i64)",
    "llvm.uadd.sat.i64": "declare i64 @llvm.uadd.sat.i64(i64, i64)",
}


def _rewritten(text: str, attributes: _Attributes) -> str:
    """A function, or what stands in front of the first one."""
    if not text.startswith("define ") or attributes.sanitised(text.split("\n", 1)[0]):
        return text
    if _ASKED.search(text):
        text = _Function(text, attributes).rewritten()
    return _ARRAY.sub(_on_stack, text)


def _on_stack(array: re.Match[str]) -> str:
    bytes = int(array[2]) * (8 if array[3] == "double" else 4)
    return f"{array[1]}{_LINE}" if bytes >= _LEAST_ON_STACK and int(array[4]) < _LINE else array[0]


class _Attributes:
    """What is said of functions and their parameters."""

    def __init__(self, text: str) -> None:
        self.groups = dict(re.findall(r"(?m)^attributes (#\d+) = \{(.*)\}$", text))
        self.heads: dict[str, str] = {}
        self.defined: set[str] = set()
        for line in re.findall(r"(?m)^(?:define|declare) .*$", text):
            named = re.search(r'@([-\w.$]+|"[^"]*")\(', line)
            if named is not None:
                self.heads[named[1]] = line[named.end() :]
                if line.startswith("define "):
                    self.defined.add(named[1])

    def sanitised(self, head: str) -> bool:
        return any(
            "sanitize_" in said for said in (head, *(self.groups.get(each, "") for each in _GROUP.findall(head)))
        )

    def leave_alone(self, callee: str, call: str, name: str) -> bool:
        """Whether a call neither keeps nor frees what ``name``, among its arguments, points to."""
        if callee in _KNOWS_BLOCKS:
            return False
        head = self.heads.get(callee, "")
        parameters, behind_head = _split(head)
        args, behind = _split(call)
        nofree = any("nofree" in self.groups.get(group, "") for group in _GROUP.findall(behind_head + behind))
        for index, arg in enumerate(args):
            if name not in _NAME.findall(arg):
                continue
            said = arg + (" " + parameters[index] if index < len(parameters) else "")
            if "captures(none)" not in said or not (nofree or re.search(r"\b(nofree|readonly|readnone)\b", said)):
                return False
        return name not in _NAME.findall(behind)


def _split(text: str) -> tuple[list[str], str]:
    """Arguments up to the parenthesis that ends them, and what comes behind it."""
    parts: list[str] = []
    depth = begin = 0
    for index, letter in enumerate(text):
        if letter in "([{<":
            depth += 1
        elif letter == ")" and depth == 0:
            return [*parts, text[begin:index]], text[index + 1 :]
        elif letter in ")]}>":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[begin:index])
            begin = index + 1
    return [], text


@dataclass
class _Block:
    """A block allocated in a line, by its name. ``freed``: the lines that give it back, and as which pointer."""

    line: int
    name: str
    freed: list[tuple[int, str]] = field(default_factory=list)


class _Function:
    def __init__(self, text: str, attributes: _Attributes) -> None:
        self.lines, self.attributes = text.split("\n"), attributes
        self.uses: dict[str, list[int]] = {}
        for number, line in enumerate(self.lines[1:], 1):
            if not line.startswith("    #dbg_"):
                for name in dict.fromkeys(_NAME.findall(line)):
                    self.uses.setdefault(name, []).append(number)

    def rewritten(self) -> str:
        if any(f".{_MARK}." in name for name in self.uses):
            return "\n".join(self.lines)
        blocks = [each for each in self._allocated() if self._stays(each)]
        while True:
            known = {each.name for each in blocks}
            rest = [each for each in blocks if all(self._is_base(name, known, set()) for _, name in each.freed)]
            if len(rest) == len(blocks):
                break
            blocks = rest
        return self._edited(blocks) if blocks else "\n".join(self.lines)

    # which blocks

    def _allocated(self) -> Iterator[_Block]:
        for number, line in enumerate(self.lines):
            made = _RESULT.match(line) if "alloc(" in line or "@_Zn" in line else None
            asked = _ASKED.match(made[2]) if made is not None else None
            if made is not None and asked is not None and _larger(asked[1], asked[2], "") is not None:
                yield _Block(number, made[1])

    def _stays(self, block: _Block) -> bool:
        """Whether all that the function does with the block's address is known and leaves the block alone."""
        addresses, numbers, work = {block.name}, set[str](), [block.name]
        while work:
            name = work.pop()
            for number in self.uses.get(name, ()):
                made = _RESULT.match(self.lines[number])
                result, body = (made[1], made[2]) if made is not None else (None, self.lines[number].strip())
                if result == name:
                    continue
                found = self._as_number(body) if name in numbers else self._as_address(block, number, name, body)
                if found is None:
                    return False
                if found and result is not None and result not in addresses | numbers:
                    (numbers if found == "number" else addresses).add(result)
                    work.append(result)
        return True

    def _as_number(self, body: str) -> str | None:
        opcode = body.split(" ", 1)[0]
        if opcode in _NUMBERS:
            return "" if opcode == "icmp" else "number"
        called = _CALL.match(body)
        if called is not None and called[1] in _GIVEN_BACK_WITH_SIZE:
            return ""
        return "number" if called is not None and called[1].startswith(("llvm.umin.", "llvm.umax.")) else None

    def _as_address(self, block: _Block, number: int, name: str, body: str) -> str | None:
        """What the result of an instruction that uses an address is: an address, a number, or nothing of that; None
        where the address is lost from sight."""
        opcode = body.split(" ", 1)[0]
        if opcode in _ADDRESSES:
            return "address"
        if opcode == "ptrtoint":
            return "number"
        if opcode in ("load", "icmp"):
            return ""
        if opcode == "store":
            stored = body.rsplit(", ptr ", 1)[0]
            return "" if name not in _NAME.findall(stored) else None
        called = _CALL.match(body)
        if called is None:
            return None
        callee = called[1]
        args, behind = _split(body[called.end() :])
        if callee in _GIVEN_BACK or callee in _GIVEN_BACK_WITH_SIZE:
            if len(args) != (2 if callee in _GIVEN_BACK_WITH_SIZE else 1) or _NAME.findall(args[0]) != [name]:
                return None
            block.freed.append((number, name))
            return "" if "[" not in behind else None
        if callee.startswith("llvm."):
            what = callee.removeprefix("llvm.")
            data = what.startswith(_MEMORY_BEHIND_DATA) and args and name not in _NAME.findall(args[0])
            return "" if data or what.startswith(_MEMORY) else None
        return "" if self.attributes.leave_alone(callee, body[called.end() :], name) else None

    def _is_base(self, name: str, known: set[str], seen: set[str]) -> bool:
        """Whether a pointer is the address of a block that is known, or none."""
        if name in known or name in seen or name in _EMPTY:
            return True
        line = next((self.lines[number] for number in self.uses.get(name, ()) if self._makes(number, name)), "")
        seen.add(name)
        values = _incoming(line)
        return bool(values) and all(self._is_base(value, known, seen) for value in values)

    def _makes(self, number: int, name: str) -> bool:
        return self.lines[number].startswith(f"  {name} = ")

    # moving them

    def _edited(self, blocks: list[_Block]) -> str:
        lines, bases = list(self.lines), {each.name: _derived(each.name, "block") for each in blocks}
        freed = dict.fromkeys(place for each in blocks for place in each.freed)  # one phi may lead to several blocks
        work = [name for _, name in freed]
        phis: dict[int, str] = {}
        while work:
            name = work.pop()
            if name in bases or name in _EMPTY:
                continue
            bases[name] = _derived(name, "block")
            number = next(number for number in self.uses[name] if self._makes(number, name))
            phis[number] = name
            work += _incoming(lines[number])
        for number, name in freed:
            lines[number] = _given_back(lines[number], name, bases[name], number)
        for number, name in phis.items():
            copied = lines[number].replace(f"  {name} = ", f"  {bases[name]} = ", 1)
            copied = re.sub(
                r"\[ ([^,\]]+), ", lambda found: f"[ {bases.get(found[1], found[1])}, ", copied.split(", !", 1)[0]
            )
            lines[number] = f"{lines[number]}\n{copied}"
        for each in blocks:
            made = _RESULT.match(lines[each.line])
            asked = _ASKED.match(made[2]) if made is not None else None
            assert made is not None and asked is not None
            larger = _larger(asked[1], asked[2], each.name)
            assert larger is not None
            before, args, more, mask = larger
            begin, end = asked.span(2)
            above, block = _derived(each.name, "above"), bases[each.name]
            lines[each.line] = "\n".join(
                [
                    *before,
                    f"  {block} = {made[2][:begin]}{args}{made[2][end:]}",
                    f"  {above} = getelementptr i8, ptr {block}, i64 {more}",
                    f"  {each.name} = call ptr @llvm.ptrmask.p0.i64(ptr {above}, i64 {mask})",
                ]
            )
        return "\n".join(lines)


def _derived(name: str, what: str) -> str:
    plain = name[1:].strip('"')
    return f'%"{plain}.{_MARK}.{what}"'


def _given_back(line: str, name: str, new: str, number: int) -> str:
    """A line that gives a pointer back, for the block's address; its size, where it is given, is the larger one."""
    line = re.sub(rf"{re.escape(name)}(?![-\w.$])", new.replace("\\", r"\\"), line, count=1)
    if not any(f"@{each}(" in line for each in _GIVEN_BACK_WITH_SIZE):
        return line
    size = re.search(r", i64 (?:[a-z]\w* )*([^ ,()]+)\)", line)
    assert size is not None
    name, (begin, end) = f"%given.back.{number}", size.span(1)
    if size[1].isdecimal():
        return f"{line[:begin]}{int(size[1]) + (_LINE - 1 if int(size[1]) >= _LEAST else 0)}{line[end:]}"
    more = "\n".join(_sum(size[1], 1, name))
    return f"{more}\n{line[:begin]}{_derived(name, 'size')}{line[end:]}"


def _incoming(line: str) -> list[str]:
    """The values of a phi of pointers."""
    return re.findall(r"\[ ([^,\]]+), %", line) if " = phi ptr " in line else []


def _larger(callee: str, args: str, name: str) -> tuple[list[str], str, str, str] | None:
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
        return ([], ", ".join(parts), str(_LINE - 1), f"-{_LINE}") if int(sizes[place]) * each >= _LEAST else None
    parts[place] = f"i64 {_derived(name, 'size')}"
    lines = _sum(sizes[place], each, name)
    mask = _derived(name, "mask")
    lines.append(f"  {mask} = select i1 {_derived(name, 'small')}, i64 -1, i64 -{_LINE}")
    return lines, ", ".join(parts), _derived(name, "more"), mask


def _sum(count: str, each: int, name: str) -> list[str]:
    """Lines that compute how many elements of a size are asked for, where a program asks for ``count``."""
    small, more, elements, size = (_derived(name, what) for what in ("small", "more", "count", "size"))
    return [
        f"  {small} = icmp ult i64 {count}, {-(-_LEAST // each)}",
        f"  {more} = select i1 {small}, i64 0, i64 {_LINE - 1}",
        f"  {elements} = select i1 {small}, i64 0, i64 {-(-(_LINE - 1) // each)}",
        f"  {size} = call i64 @llvm.uadd.sat.i64(i64 {count}, i64 {elements})",
    ]
