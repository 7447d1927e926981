"""Blocks of memory in an optimised program, as LLVM prints it, that are known from allocation to end.

That is within one function, where nothing but loads, stores and functions that neither keep nor free it get the address
of a block.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

NAME = r'%(?:[-\w.$]+|"[^"]*")'
_NAME = re.compile(NAME)
GROUP = re.compile(r"#\d+")
_RESULT = re.compile(rf"  ({NAME}) = (.*)")
_ASKED = re.compile(r"(?:tail |notail )?call [^@%]*@(malloc|calloc|_Znwm|_Znam)\((.*?)\)")
_CALL = re.compile(r'(?:tail |notail )?call [^@%"]*@([-\w.$]+|"[^"]*")\(')
_GIVEN_BACK = ("free", "_ZdlPv", "_ZdaPv")
GIVEN_BACK_WITH_SIZE = ("_ZdlPvm", "_ZdaPvm")
OF_BLOCKS = ("malloc", "calloc", "_Znwm", "_Znam", *_GIVEN_BACK, *GIVEN_BACK_WITH_SIZE)
_KNOWS_BLOCKS = ("malloc_usable_size", "malloc_size", "_msize", "realloc", "reallocf", "reallocarray")
_MEMORY = ("memcpy.", "memmove.", "memset.", "masked.load", "masked.gather", "lifetime.", "assume", "prefetch")
_MEMORY_BEHIND_DATA = ("masked.store", "masked.scatter")
_NUMBERS = frozenset(
    "add sub mul and or xor shl lshr ashr udiv urem icmp zext trunc freeze select phi insertelement extractelement "
    "shufflevector".split()
)
_ADDRESSES = frozenset("getelementptr phi select freeze insertelement extractelement shufflevector".split())
EMPTY = ("null", "undef", "poison")


class Attributes:
    """What is said of functions and their parameters."""

    def __init__(self, text: str) -> None:
        text = f"\n{text}\n"  # a search for what begins with a line feed is quick, one for beginnings of lines is not
        self.groups = dict(re.findall(r"\nattributes (#\d+) = \{(.*)\}(?=\n)", text))
        self.heads: dict[str, str] = {}
        self.defined: set[str] = set()
        for line in re.findall(r"\n((?:define|declare) .*)", text):
            named = re.search(r'@([-\w.$]+|"[^"]*")\(', line)
            if named is not None:
                self.heads[named[1]] = line[named.end() :]
                if line.startswith("define "):
                    self.defined.add(named[1])

    def sanitised(self, head: str) -> bool:
        return any("sanitize_" in said for said in (head, *(self.groups.get(each, "") for each in GROUP.findall(head))))

    def leave_alone(self, callee: str, call: str, name: str) -> bool:
        """Whether a call neither keeps nor frees what ``name``, among its arguments, points to."""
        if callee in _KNOWS_BLOCKS:
            return False
        head = self.heads.get(callee, "")
        parameters, behind_head = split_arguments(head)
        args, behind = split_arguments(call)
        nofree = any("nofree" in self.groups.get(group, "") for group in GROUP.findall(behind_head + behind))
        for index, arg in enumerate(args):
            if name not in _NAME.findall(arg):
                continue
            said = arg + (" " + parameters[index] if index < len(parameters) else "")
            if "captures(none)" not in said or not (nofree or re.search(r"\b(nofree|readonly|readnone)\b", said)):
                return False
        return name not in _NAME.findall(behind)


def split_arguments(text: str) -> tuple[list[str], str]:
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
class Block:
    """A block allocated in a line, by its name. ``freed``: the lines that give it back, and as which pointer.
    ``addresses``: names of pointers into it."""

    line: int
    name: str
    freed: list[tuple[int, str]] = field(default_factory=list)
    addresses: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Bases:
    """``names``: of the beginnings of blocks, by the names of pointers. ``freed``: the lines that give blocks back, and
    as which pointers. ``beside``: phis of beginnings, by the lines of phis of such pointers."""

    names: dict[str, str]
    freed: list[tuple[int, str]]
    beside: dict[int, str]

    def given_back(self, line: str, name: str) -> str:
        """A line that gives a pointer back, for the block's beginning, which may be none."""
        line = re.sub(r"\b(?:nonnull|dereferenceable\(\d+\)) ", "", line)
        return re.sub(rf"{re.escape(name)}(?![-\w.$])", self.names[name].replace("\\", r"\\"), line, count=1)


class FunctionText:
    """A function as LLVM prints it, line by line."""

    def __init__(self, text: str, attributes: Attributes) -> None:
        self.lines, self.attributes = text.split("\n"), attributes
        self.uses: dict[str, list[int]] = defaultdict(list)
        for number, line in enumerate(self.lines[1:], 1):
            if "%" in line and not line.startswith("    #dbg_"):
                for name in set(_NAME.findall(line)):
                    self.uses[name].append(number)

    def has_names_with(self, mark: str) -> bool:
        return any(f".{mark}." in name for name in self.uses)

    def staying(self, wanted: Callable[[str, str], bool]) -> list[Block]:
        """Blocks that stay in sight, of those whose allocator and its arguments are ``wanted``."""
        return self.together([each for each in self._allocated(wanted) if self._stays(each)])

    def together(self, blocks: list[Block]) -> list[Block]:
        """Those of some blocks that are given back as themselves, or as a choice between such."""
        while True:
            known = {each.name for each in blocks}
            rest = [each for each in blocks if all(self._is_base(name, known, set()) for _, name in each.freed)]
            if len(rest) == len(blocks):
                return blocks
            blocks = rest

    def allocation(self, number: int) -> tuple[str, str, re.Match[str]]:
        """Of the line of an allocation: the block's name, the call, and the call's parts: allocator and arguments."""
        made = _RESULT.match(self.lines[number])
        asked = _ASKED.match(made[2]) if made is not None else None
        assert made is not None and asked is not None
        return made[1], made[2], asked

    def bases(self, blocks: Sequence[Block], what: str) -> Bases:
        """Names for the beginnings of blocks, of which ``what`` is a part."""
        names = {each.name: derived(each.name, what) for each in blocks}
        freed = dict.fromkeys(place for each in blocks for place in each.freed)  # one phi may lead to several blocks
        work, phis = [name for _, name in freed], dict[int, str]()
        while work:
            name = work.pop()
            if name in names or name in EMPTY:
                continue
            names[name] = derived(name, what)
            number = next(number for number in self.uses[name] if self._makes(number, name))
            phis[number] = name
            work += _incoming(self.lines[number])
        beside = {number: self._beside(number, name, names) for number, name in phis.items()}
        return Bases(names, list(freed), beside)

    def _beside(self, number: int, name: str, names: Mapping[str, str]) -> str:
        """The phi of a pointer, once more, of beginnings of blocks."""
        copied = self.lines[number].replace(f"  {name} = ", f"  {names[name]} = ", 1).split(", !", 1)[0]
        return re.sub(r"\[ ([^,\]]+), ", lambda found: f"[ {names.get(found[1], found[1])}, ", copied)

    def _allocated(self, wanted: Callable[[str, str], bool]) -> Iterator[Block]:
        for number, line in enumerate(self.lines):
            made = _RESULT.match(line) if "alloc(" in line or "@_Zn" in line else None
            asked = _ASKED.match(made[2]) if made is not None else None
            if made is not None and asked is not None and wanted(asked[1], asked[2]):
                yield Block(number, made[1])

    def _stays(self, block: Block) -> bool:
        """Whether all that the function does with the block's address is known and leaves the block alone."""
        addresses, numbers, work = block.addresses, set[str](), [block.name]
        addresses.add(block.name)
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
        if called is not None and called[1] in GIVEN_BACK_WITH_SIZE:
            return ""
        return "number" if called is not None and called[1].startswith(("llvm.umin.", "llvm.umax.")) else None

    def _as_address(self, block: Block, number: int, name: str, body: str) -> str | None:
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
        args, behind = split_arguments(body[called.end() :])
        if callee in _GIVEN_BACK or callee in GIVEN_BACK_WITH_SIZE:
            if len(args) != (2 if callee in GIVEN_BACK_WITH_SIZE else 1) or _NAME.findall(args[0]) != [name]:
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
        if name in known or name in seen or name in EMPTY:
            return True
        line = next((self.lines[number] for number in self.uses.get(name, ()) if self._makes(number, name)), "")
        seen.add(name)
        values = _incoming(line)
        return bool(values) and all(self._is_base(value, known, seen) for value in values)

    def _makes(self, number: int, name: str) -> bool:
        return self.lines[number].startswith(f"  {name} = ")


def _incoming(line: str) -> list[str]:
    """The values of a phi of pointers."""
    return re.findall(r"\[ ([^,\]]+), %", line) if " = phi ptr " in line else []


def derived(name: str, what: str) -> str:
    """A name made of another one."""
    plain = name[1:].strip('"')
    return f'%"{plain}.{what}"'


def functions(text: str) -> list[str]:
    """A module in pieces: each function with what comes behind it, and what stands in front of the first one."""
    begin = "define "
    first, *rest = f"\n{text}".split(f"\n{begin}")
    pieces = [first, *(f"{begin}{each}" for each in rest)]
    pieces = [*(f"{each}\n" for each in pieces[:-1]), pieces[-1]]
    return [pieces[0][1:], *pieces[1:]]


def may_move(text: str, attributes: Attributes) -> bool:
    """Whether blocks of a program may be had in another way: not if it has an allocator of its own under one of these
    names, and not on other machines."""
    if re.search(r'target triple = "(x86_64|aarch64|nvptx)', text[:2000]) is None:
        return False
    return not attributes.defined.intersection(OF_BLOCKS)


def asks(text: str) -> bool:
    """Whether a function asks for blocks."""
    return _ASKED.search(text) is not None


def with_declared(text: str, name: str, declaration: str) -> str:
    """With a declaration of an intrinsic, if it is called and not declared yet."""
    if f"@{name}(" not in text or re.search(rf"(?m)^declare .*@{re.escape(name)}\(", text):
        return text
    return f"{text}\n{declaration}\n"
