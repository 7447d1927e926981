"""Other names of a program's functions and variables.

``alias`` gives what is defined a second name: a constructor that is no header's has two (the complete object's and the
base's), and ``__attribute__((alias))`` makes more. Every use of such a name becomes one of the definition's, so that
nobody who follows names or compares memory has to know: what is called is found, and two names of one variable are one
memory. A ``weak`` name may turn out to be another file's definition and stays; what is defined as ``weak`` becomes such
a name of a definition that has a name of its own. Calls by it ask, when the program runs, whether it is that definition
(:mod:`enzyme.gradient.dispatch`): a derivative of another file's function is not at hand.
"""

from __future__ import annotations

import re

from enzyme.ir.module import Module
from enzyme.ir.values import ConstantExpr, Function, GlobalAlias

_NAME = r'@(?:"[^"]*"|[-\w$.]+)'
_ALIAS = re.compile(rf"^({_NAME}) = ([^=\n]*?)\balias [^\n]*, ptr ({_NAME})$", re.MULTILINE)
_WEAK = re.compile(r"\b(?:weak|linkonce)\b")
_WORD = re.compile(rf'{_NAME}|"[^"]*"')
_DEFINED_WEAK = re.compile(rf"^define (?:weak|linkonce) (?![^\n]* comdat\b)(.*?)({_NAME})(?=\()", re.MULTILINE)
_OF_NAME = re.compile(r"\b(?:dso_local|dso_preemptable|default|hidden|protected|dllimport|dllexport|unnamed_addr)\b ?")
_OWN = ".own"
_ATTRIBUTE = '"enzyme-weak"='
_KEEPS_NAME = re.compile(r"^@(?:llvm\.(?:compiler\.)?used|[^\n]* alias )")


def by_definition(text: str) -> str:
    """The program with what is defined called by its own name; the same text where nothing has two."""
    text = _weak_apart(text)
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


def _weak_apart(text: str) -> str:
    """Every weak definition of a function under a name of its own, with the weak name beside it."""
    names: list[str] = []

    def apart(found: re.Match[str]) -> str:
        words, name = found[1], found[2]
        own = f'{name[:-1]}{_OWN}"' if name.endswith('"') else name + _OWN
        visible = "".join(f"{word.strip()} " for word in _OF_NAME.findall(words))
        names.append(f"{name} = weak {visible}alias void (), ptr {own}")
        return f"define internal {_OF_NAME.sub('', words)}{own}"

    made = _DEFINED_WEAK.sub(apart, text)
    return made + "\n" + "\n".join(names) + "\n" if names else text


def definition_of(alias: GlobalAlias) -> str:
    """The name of the function that a weak name was defined as; of anything else, nothing."""
    value = alias.aliasee
    while isinstance(value, (GlobalAlias, ConstantExpr)):
        value = value.aliasee if isinstance(value, GlobalAlias) else value.args[0]
    return value.name or "" if isinstance(value, Function) else ""


def weak_attribute(definition: Function) -> str:
    """What the declaration of a weak name says of its definition."""
    return f'{_ATTRIBUTE}"{definition.name}"'


def weakly_named(function: Function, module: Module) -> Function | None:
    """The definition in ``module`` of a weak name."""
    for word in module.resolve_attributes(function.attrs) if function.is_declaration else ():
        if word.startswith(_ATTRIBUTE):
            return module.functions.get(word.removeprefix(_ATTRIBUTE).strip('"'))
    return None
