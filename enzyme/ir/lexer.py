"""Tokens of LLVM's textual IR, and how to put them together again.

One compiled expression does all the work; a token is a plain string whose first character tells its kind:

==========  =======================================================
``%`` ``@``  local and global names (also ``%"quoted name"``)
``!``       metadata names and numbers; a bare ``!`` stands before ``{``
``#``       attribute groups and debug records
``"``       strings; ``c"`` character-array constants
``;``       comments
others      words, numbers, punctuation (one character each)
==========  =======================================================

LLVM never prints a raw quote or line feed inside a string, so strings need no look at escapes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

TOKEN = re.compile(r'[\w.$+-]+(?!")|c?"[^"]*"|[%@!$#^](?:[-\w$.\\]+|"[^"]*")|;.*|\S')
"""Words first, because they are the most frequent; ``(?!")`` leaves ``c"..."`` to the second alternative."""

END = ""
"""What the reader sees behind the last token of a line."""

_NO_SPACE_AFTER = frozenset("([!")
_NO_SPACE_BEFORE = frozenset(",)]:")


def tokenize(line: str) -> list[str]:
    """The tokens of one statement without comments, closed by ``END``."""
    tokens = TOKEN.findall(line)
    if ";" in line:
        tokens = [t for t in tokens if t[0] != ";"]
    tokens.append(END)
    return tokens


def join_tokens(tokens: Sequence[str]) -> str:
    """Tokens as text, spaced so that LLVM reads them as the same tokens again.

    An opening parenthesis is glued to a word before it: ``memory(none)`` and ``splat (`` read alike.
    """
    parts: list[str] = []
    previous = ""
    for token in tokens:
        if previous and not (
            previous in _NO_SPACE_AFTER
            or token in _NO_SPACE_BEFORE
            or previous == "="
            or token == "="
            or (token == "(" and previous not in (",", "=", "x", "to"))
        ):
            parts.append(" ")
        parts.append(token)
        previous = token
    return "".join(parts)


def matching_close(tokens: Sequence[str], at: int) -> int:
    """The index of the bracket that closes the one at ``at``; brackets of all kinds nest."""
    depth = 0
    for index in range(at, len(tokens)):
        token = tokens[index]
        if token in ("(", "[", "{"):
            depth += 1
        elif token in (")", "]", "}"):
            depth -= 1
            if not depth:
                return index
    raise IndexError("unbalanced brackets")


_ALIGN_WORDS = frozenset({"align", "alignstack", "cc"})


def read_attribute(tokens: Sequence[str], at: int) -> tuple[str, int]:
    """One attribute that starts at ``at`` as the word LLVM prints, and the index behind it.

    ``noundef``, ``align 8``, ``memory(argmem: read)``, ``byval(%struct.S)``, ``"key"="value"``, ``align=4``, ``#3``.
    """
    first = tokens[at]
    following = tokens[at + 1]
    if following == "(":
        close = matching_close(tokens, at + 1)
        return join_tokens(tokens[at : close + 1]), close + 1
    if following == "=":
        return f"{first}={tokens[at + 2]}", at + 3
    if first in _ALIGN_WORDS and following.isdigit():
        return f"{first} {following}", at + 2
    return first, at + 1


def split_attributes(text: str) -> tuple[str, ...]:
    """The words of an attribute list, e.g. the inside of ``attributes #0 = { ... }``."""
    tokens = tokenize(text)
    words: list[str] = []
    at = 0
    while tokens[at] != END:
        word, at = read_attribute(tokens, at)
        words.append(word)
    return tuple(words)


def plain_name(token: str) -> str:
    """The name in a token such as ``%x``, ``@"a b"`` or ``!n``: no sigil, no quotes, escapes kept.

    A quoted name of digits only gets its first digit escaped, because bare digits are the number of an unnamed value.
    """
    if token[1] != '"':
        return token[1:]
    name = token[2:-1]
    return f"\\{ord(name[0]):02X}{name[1:]}" if name.isdigit() else name
