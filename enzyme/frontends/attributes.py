"""Attributes that Enzyme's own compiler plugin adds to C and C++, in words that any clang keeps.

``__attribute__((enzyme_inactive))`` is unknown to a plain clang, which drops it with a warning at most: the program
would mean something else. Its spelling in the IR of a plain clang is an annotation, so the files that use such
attributes are shown to the compiler with annotations in their places (a line stays a line), under their own names.
"""

from __future__ import annotations

import json
import os.path
import re
from collections.abc import Sequence
from pathlib import Path

from enzyme.gradient.loop_pragmas import source_pragma

_PARENTHESES = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_TOKENS = re.compile(
    r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/'  # passed over
    rf"|(?P<gnu>__attribute(?:__)?\s*{_PARENTHESES})|(?P<brackets>\[\[[^\[\]]*\]\])",
    re.DOTALL,
)
_PLAIN = re.compile(r"(?<![\w\":])(?:__)?(?:enzyme_|enzyme::)(inactive|nofree|shouldrecompute)(?:__)?(?![\w\"])")
_LIKE = re.compile(r"(?<![\w\":])(?:enzyme_|enzyme::)function_like\s*\(\s*(\"[^\"\n]*\")\s*\)")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+enzyme\b(.*?)[ \t]*(?://.*|/\*.*)?$", re.MULTILINE)
_OPERATOR = re.compile(r'\b_Pragma\s*\(\s*"\s*enzyme\b([^"\n]*)"\s*\)')
_WORTH_A_LOOK = re.compile(r"enzyme(?:_|::)(?:inactive|nofree|shouldrecompute|function_like)\b")


def with_annotations(text: str) -> str:
    """A source text whose attributes of Enzyme's are annotations, and its pragmas ones that clang knows."""
    if "enzyme" not in text:
        return text  # most headers of a library
    text = _PRAGMA.sub(lambda found: f"#pragma {source_pragma(found[1])}", text)
    text = _OPERATOR.sub(lambda found: f"_Pragma({json.dumps(source_pragma(found[1]))})", text)
    if _WORTH_A_LOOK.search(text) is None:
        return text
    return _TOKENS.sub(_rewritten, text)


def _rewritten(token: re.Match[str]) -> str:
    if token["gnu"]:
        return _annotated(token[0], "annotate")
    return _annotated(token[0], "clang::annotate") if token["brackets"] else token[0]


def _annotated(attribute: str, word: str) -> str:
    attribute = _PLAIN.sub(rf'{word}("enzyme_\1")', attribute)
    return _LIKE.sub(rf'{word}("enzyme_math=" \1)', attribute)


def overlay_flags(source: Path, include_dirs: Sequence[Path], folder: Path) -> list[str]:
    """Flags that show the compiler the annotated texts of a source and of the files it includes by name. Empty where
    there is nothing to show."""
    shown: list[dict[str, str]] = []
    for path, text in _reached(source, include_dirs).items():
        changed = with_annotations(text)
        if changed == text:
            continue
        copy = folder / f"annotated{len(shown)}{path.suffix}"
        copy.write_text(changed, encoding="utf-8", errors="surrogateescape")
        shown.append({"name": str(path), "type": "file", "external-contents": str(copy)})
    if not shown:
        return []
    table = folder / "annotated.yaml"
    table.write_text(json.dumps({"version": 0, "use-external-names": False, "roots": shown}), encoding="utf-8")
    return ["-Xclang", "-ivfsoverlay", "-Xclang", str(table)]


def _reached(source: Path, include_dirs: Sequence[Path]) -> dict[Path, str]:
    """The texts of a source and of what it includes in quotes, or from the folders, found as a compiler finds it."""
    found: dict[Path, str] = {}
    waiting = [source]
    while waiting:
        path = Path(os.path.abspath(waiting.pop()))
        if path in found or not path.is_file():
            continue
        found[path] = text = path.read_text(encoding="utf-8", errors="surrogateescape")
        for quoted, other in _INCLUDE.findall(text):
            folders = (path.parent, *include_dirs) if quoted else include_dirs
            places = [folder / (quoted or other) for folder in folders]
            waiting += [place for place in places if place.is_file()][:1]
    return found
