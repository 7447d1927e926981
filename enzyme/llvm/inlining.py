"""Small functions of C++ headers, and small derivatives, are taken apart into their callers before anything is
differentiated.

Code that no optimiser has seen calls a function for every step of an iterator and every access to a container. Each of
them would get a derivative of its own, and what the bytes are that it moves is known only where it is called from.
``linkonce_odr`` marks what a header defines; a program's own functions stay as they are. What the standard library
makes for a type that only one file or function knows is internal, and told by its name. A function that has gone into
all its callers is dropped: it would be prepared, with all that it calls inside it, and never looked at again.
What goes into a function counts as part of it when it is asked whether that goes into its own callers: the pieces of a
sorting algorithm are short, but each calls several of the others, and all of them in each place would be many times the
code that was written.

A derivative that is differentiated once more was made after the optimiser had seen the program. As a function of its
own it would keep its tape in a frame on the heap for each call, and be given its seeds as if they were unknown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection

LONGEST = 300
"""Lines of IR of a function that is inlined."""
ALTOGETHER = 1000
"""Lines of all the places together that a longer function is inlined at. What is differentiated knows there which
arrays are apart and how often loops run."""
COPIES = 3000
"""Lines of all the places together that a function is inlined at, with what has gone into it, where that is more than
:data:`LONGEST`. There is no other bound to how a program grows. It is wide, because the derivative of a call allocates.
Code that no optimiser has seen has none: it is told by its callers what the bytes are that it moves."""

_DERIVATIVE = re.compile(r"define internal .*@(\S+?)\(")
_GROUP = re.compile(r"^attributes #(\d+) = \{ (.*) \}$", re.MULTILINE)
_REFERENCE = re.compile(r" #(\d+)(?= |$)")
_HEADER = "define linkonce_odr "
_OWN_INSTANCE = re.compile(r'define internal .*@"?_ZN?K?(?:S[tabsiod]|9__gnu_cxx)')
"""A function of namespace ``std`` for a type of an unnamed namespace or of a function, in Itanium's mangling."""
_COMDAT = re.compile(r" comdat(?:\(\$[^)]*\))?")
_NAME = re.compile(r'@("[^"]*"|[-\w$.]+)\(')
_NAMES = re.compile(r'@("[^"]*"|[-\w$.]+)')
_AGAINST = re.compile(r"\b(?:optnone|noinline|alwaysinline|inlinehint)\b ?")


def mark_small(text: str, keep: Collection[str] | None = None, optimised: bool = False) -> str | None:
    """The program with such functions of headers marked to be inlined everywhere; None when there are none. Once
    nothing calls them, the inliner drops all but those in ``keep``; None keeps all. ``optimised``: what an optimiser
    has left as calls is inlined within the bound :data:`COPIES`."""

    def is_header(line: str) -> bool:
        if line.startswith(_HEADER):
            return True
        own = _OWN_INSTANCE.match(line) is not None
        return own and keep is not None and _NAME.findall(line)[0].strip('"') not in keep

    return _marked(text, is_header, keep, optimised) if _HEADER in text else None


def mark_derivatives(text: str, names: Collection[str]) -> str | None:
    """The program with small derivatives among ``names`` marked to be inlined everywhere; None when there are none."""
    return _marked(text, lambda line: (found := _DERIVATIVE.match(line)) is not None and found[1].strip('"') in names)


def users_of_functions(text: str, names: Collection[str]) -> set[str]:
    """The functions that mention functions among ``names``, or functions that do."""
    uses: dict[str, set[str]] = {}
    at: set[str] = set()
    for line in text.split("\n"):
        mentioned = {name.strip('"') for name in _NAMES.findall(line)} if "@" in line else set()
        if line.startswith("define "):
            at = uses[_NAME.findall(line)[0].strip('"')] = set()
        elif line == "}":
            at = set()
        at |= mentioned
    found, wanted = set[str](), set(names)
    while wanted:
        found |= wanted
        wanted = {name for name, mentioned in uses.items() if mentioned & wanted} - found
    return found


def _marked(
    text: str, chosen: Callable[[str], bool], keep: Collection[str] | None = None, bounded: bool = False
) -> str | None:
    groups = dict(_GROUP.findall(text))
    uses = Counter(_NAMES.findall(text))
    lines = text.split("\n")
    start, short = -1, dict[str, tuple[int, int]]()
    for index, line in enumerate(lines):
        if line.startswith("define "):
            start = index if chosen(line) else -1
        elif line == "}" and start >= 0:
            name = _NAME.findall(lines[start])[0]
            longest = max(LONGEST, ALTOGETHER // max(1, uses[name] - 1))
            if index - start <= longest and not _has_rule(lines[start], groups):
                short[name] = start, index
            start = -1
    marked = _few_copies(lines, short, uses) if bounded else list(short)
    for name in marked:
        start, _ = short[name]
        lines[start] = _inlined(lines[start], groups, keep is None or name.strip('"') in keep)
    return "\n".join(lines) if marked else None


def _few_copies(lines: list[str], short: dict[str, tuple[int, int]], uses: Counter[str]) -> list[str]:
    """Those of the functions ``short``, given by first and last line, that :data:`COPIES` allows to be inlined."""
    calls = {
        name: [each for line in lines[start + 1 : end] if "@" in line for each in _NAMES.findall(line) if each in short]
        for name, (start, end) in short.items()
    }
    sizes: dict[str, int] = {}
    marked: dict[str, bool] = {}
    for root in short:
        stack = [root]
        while stack:
            name = stack[-1]
            if name not in sizes:
                # Known from here on by its own lines: for what it calls that calls it again, and where a chain met it.
                sizes[name] = short[name][1] - short[name][0]
                stack.extend(each for each in calls[name] if each not in sizes)
                continue
            stack.pop()
            if name not in marked:
                sizes[name] += sum(sizes[each] for each in calls[name] if marked.get(each, False))
                places = uses[name] - 1
                marked[name] = places <= 1 or sizes[name] <= LONGEST or sizes[name] * places <= COPIES
    return [name for name in short if marked[name]]


def _has_rule(header: str, groups: dict[str, str]) -> bool:
    """Whether the program says something of the function's derivative: then it stays a call."""
    return '"enzyme' in header or any('"enzyme' in groups.get(number, "") for number in _REFERENCE.findall(header))


def _inlined(header: str, groups: dict[str, str], kept: bool) -> str:
    if kept:
        header = header.replace(_HEADER, "define weak_odr ", 1)
    else:
        header = _COMDAT.sub("", header)  # those of a group are dropped at the end only, when all has gone into them
    close = header.rindex(")")
    head, tail = header[:close], header[close:]
    found = _REFERENCE.search(tail)
    if found is None:
        return f"{head}) alwaysinline{tail[1:]}"
    words = _AGAINST.sub("", groups.get(found[1], "")).strip()
    return f"{head}{tail[: found.start()]} alwaysinline {words}{tail[found.end() :]}"
