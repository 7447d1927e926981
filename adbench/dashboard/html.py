"""HTML by function calls: whatever is not ``Markup`` is escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import TypeAlias


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Content: TypeAlias = "Markup | str | float | Iterable[Content] | None"
VOID = frozenset({"meta", "link", "input", "br", "path", "line", "circle", "rect"})


def text(content: Content) -> str:
    """The HTML of some content."""
    if content is None:
        return ""
    if isinstance(content, Markup):
        return content
    if isinstance(content, str | int | float):
        return html.escape(str(content))
    return "".join(text(part) for part in content)


def tag(name: str, /, *content: Content, **attributes: object) -> Markup:
    """An element. ``class_`` is class, ``aria_label`` aria-label; True is an attribute alone, None and False none."""
    words = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        attribute = key.rstrip("_").replace("_", "-")
        words.append(attribute if value is True else f'{attribute}="{html.escape(str(value))}"')
    opening = " ".join(words)
    # Closed at once: SVG inside HTML has no elements without an end.
    return Markup(f"<{opening}/>" if name in VOID and not content else f"<{opening}>{text(content)}</{name}>")


def link(href: str, *content: Content, **attributes: object) -> Markup:
    return tag("a", *content, href=href, **attributes)


NUMBER = '<td class="number"'


def table(headings: Iterable[Content], rows: Iterable[Iterable[Content]], **attributes: object) -> Markup:
    """A table that scrolls sideways in a box of its own. Cells that are elements already (td, th) stay as they are.

    A heading stands over its column as the column's numbers or words stand.
    """
    lines = [[_cell(cell, "td") for cell in row] for row in rows]
    numeric = [cell.startswith(NUMBER) for cell in lines[0]] if lines else []
    head = [
        _cell(heading, "th", scope="col", class_="number" if numeric[index : index + 1] == [True] else None)
        for index, heading in enumerate(headings)
    ]
    body = [tag("tr", line) for line in lines]
    made = tag("table", tag("thead", tag("tr", head)), tag("tbody", body), **attributes)
    # A box that scrolls must be reachable by keyboard.
    return tag("div", made, class_="scroll", tabindex="0", role="region", aria_label="table")


def _cell(content: Content, name: str, **attributes: object) -> Markup:
    if isinstance(content, Markup) and content.startswith(("<td", "<th")):
        return content
    return tag(name, content, **attributes)


def number(content: Content, sort: float | None = None, **attributes: object) -> Markup:
    """A table's cell with a number, set to the right; ``sort`` is what it is sorted by."""
    return tag("td", content, class_="number", data_sort=sort, **attributes)
