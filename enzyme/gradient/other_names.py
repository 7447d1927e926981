"""Other names of a program's functions and variables.

``alias`` gives what is defined a second name: a constructor that is no header's has two (the complete object's and the
base's), and ``__attribute__((alias))`` makes more. Every use of such a name becomes one of the definition's, so that
nobody who follows names or compares memory has to know: what is called is found, and two names of one variable are one
memory. A ``weak`` name may turn out to be another file's definition and stays.
"""

from __future__ import annotations

import re

_NAME = r'@(?:"[^"]*"|[-\w$.]+)'
_ALIAS = re.compile(rf"^({_NAME}) = ([^=\n]*?)\balias [^\n]*, ptr ({_NAME})$", re.MULTILINE)
_WEAK = re.compile(r"\b(?:weak|linkonce)\b")
_WORD = re.compile(rf'{_NAME}|"[^"]*"')
_KEEPS_NAME = re.compile(r"^@(?:llvm\.(?:compiler\.)?used|[^\n]* alias )")


def by_definition(text: str) -> str:
    """The program with what is defined called by its own name; the same text where nothing has two."""
    if " alias " not in text:
        return text
    named = {name: target for name, linkage, target in _ALIAS.findall(text) if not _WEAK.search(linkage)}
    if not named:
        return text

    def own(found: re.Match[str]) -> str:
        word, passed = found[0], {found[0]}
        while (word := named.get(word, word)) not in passed:
            passed.add(word)
        return word

    found = re.compile("|".join(sorted(map(re.escape, named), key=len, reverse=True)))
    return "\n".join(
        _WORD.sub(own, line) if found.search(line) and not _KEEPS_NAME.match(line) else line
        for line in text.split("\n")
    )
