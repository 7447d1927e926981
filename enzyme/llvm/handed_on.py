"""Numbers that a loop hands on while it calls a function stay in one place of the stack.

On x86-64 a call leaves no vector register as it was, so the sum in ``for (i) sum += exp(x[i])`` goes to the stack and
back in each iteration. LLVM often takes it there twice, by way of another register: the loop is then as slow as two
trips to memory and an addition one after the other, and much slower than the calls. With the sum in a place of its own,
read just before it is added to and written just behind, there is one trip. The accesses are ``volatile``, so that
nothing puts it back into registers. It is for loops of one block, as such loops are once optimised.
"""

from __future__ import annotations

import re

from enzyme.llvm.blocks import functions

_NAME = r"%[-\w.$]+"
_PHI = re.compile(
    rf"  ({_NAME}) = phi (?:\w+ )*?(double|float) \[ ([^,\]]+), ({_NAME}) \], \[ ([^,\]]+), ({_NAME}) \](?:, !.*)?$"
)
_LABEL = re.compile(r"([-\w.$]+):")
_LOOPS = re.compile(rf"  br i1 [^,]+, label ({_NAME}), label ({_NAME})")
_CALL = re.compile(r"  (?:%\S+ = )?(?:tail |notail )?call .*?[@%]([^\s(]+)\(")
_CALLED_MATH = re.compile(r"llvm\.(exp|exp2|exp10|log|log2|log10|a?(sin|cos|tan)h?|atan2|pow|sincos)\.")
_RECORD = "    #dbg_"


def with_slots(text: str) -> str:
    """An optimised program with such numbers on the stack."""
    head = text[:2000]
    if 'target triple = "x86_64' not in head or "windows" in head:
        return text
    return "".join(_function(each) for each in functions(text))


def _function(text: str) -> str:
    if " call " not in text or " = phi " not in text:
        return text
    lines = text.split("\n")
    blocks = _blocks(lines)
    edits: dict[int, list[str]] = {}  # by the number of a line, what goes in front of it
    gone: set[int] = set()
    slots: list[str] = []
    renamed: dict[str, str] = {}
    prefix = "%handed.on"
    while prefix in text:
        prefix += ".beside"
    for label, (begin, end) in blocks.items():
        test = _LOOPS.match(lines[end])
        if test is None or f"%{label}" not in test.groups():
            continue
        calls = [number for number in range(begin, end) if _is_called(lines[number])]
        if not calls:
            continue
        for number in range(begin, calls[0]):
            found = _PHI.match(lines[number])
            if found is None:
                continue
            handed = _handed_on(lines, blocks, label, found, calls[0])
            if handed is None:
                continue
            use, made, entering, first = handed
            name, type = found[1], found[2]
            slot, value = f"{prefix}.{len(slots)}", f"{prefix}.{len(slots)}.now"
            next = lines[made].split(" = ")[0].strip()
            slots.append(f"  {slot} = alloca {type}, align 8")
            gone.add(number)
            renamed[name] = value
            edits.setdefault(use, []).append(f"  {value} = load volatile {type}, ptr {slot}, align 8")
            edits.setdefault(made + 1, []).append(f"  store volatile {type} {next}, ptr {slot}, align 8")
            edits.setdefault(entering, []).append(f"  store volatile {type} {first}, ptr {slot}, align 8")
    return _edited(lines, edits, gone, slots, renamed) if slots else text


def _blocks(lines: list[str]) -> dict[str, tuple[int, int]]:
    """The blocks that have plain names: their first line and that of their branch."""
    found: dict[str, tuple[int, int]] = {}
    label, begin = None, 0
    for number, line in enumerate(lines):
        named = _LABEL.match(line)
        if named is not None:
            label, begin = named[1], number + 1
        elif line.startswith("  br ") and label is not None:
            found[label] = begin, number
            label = None
    return found


def _is_called(line: str) -> bool:
    call = _CALL.match(line)
    if call is None or " asm " in line:
        return False
    return not call[1].startswith("llvm.") or _CALLED_MATH.match(call[1]) is not None


def _handed_on(
    lines: list[str], blocks: dict[str, tuple[int, int]], label: str, phi: re.Match[str], call: int
) -> tuple[int, int, int, str] | None:
    """Where a number is used and made again, both behind the call, the branch that enters the loop, and what it is
    there; None where it is used elsewhere."""
    name, _, one, source, other, second = phi.groups()
    if second != f"%{label}":
        one, source, other, second = other, second, one, source
    entering = blocks.get(source[1:])
    if second != f"%{label}" or source == second or entering is None:
        return None
    end = blocks[label][1]
    token = _token(name)
    places = [n for n, line in enumerate(lines) if name in line and token.search(line) and not line.startswith(_RECORD)]
    uses = [number for number in places if call < number < end]
    makes = [number for number in range(call + 1, end) if lines[number].startswith(f"  {other} = ")]
    if len(places) != 2 or len(uses) != 1 or len(makes) != 1 or makes[0] < uses[0]:
        return None
    return uses[0], makes[0], entering[1], one


def _token(name: str) -> re.Pattern[str]:
    """The name and no longer one."""
    return re.compile(rf"(?<![-\w.$]){re.escape(name)}(?![-\w.$])")


def _edited(
    lines: list[str], edits: dict[int, list[str]], gone: set[int], slots: list[str], renamed: dict[str, str]
) -> str:
    made: list[str] = []
    tokens = {name: _token(name) for name in renamed}
    first = 2 if len(lines) > 1 and _LABEL.match(lines[1]) else 1
    for number, line in enumerate(lines):
        if number == first:
            made += slots
        made += edits.get(number, ())
        if number in gone:
            continue
        for name, token in tokens.items():
            if name in line:
                line = token.sub("poison" if line.startswith(_RECORD) else renamed[name], line)
        made.append(line)
    return "\n".join(made)
