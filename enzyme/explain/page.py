"""A report as one page of HTML that needs nothing else: no network, no fonts, and no script but for one button.

The listing is the program's own. A line with notes is a ``details`` element: the keyboard opens it, and so does a
search in the page in browsers that look into closed ones. The bar at the left shows how many bytes the line keeps.
"""

from __future__ import annotations

import math
from html import escape
from importlib import resources

from enzyme.explain.model import KINDS, Derivative, Note, Refusal, Report
from enzyme.explain.text import headline

_AROUND = 2  # lines without notes shown around those that have some
_CHIPS = ("refused", "unknown", "cost", "loop", "keep", "reload", "recompute", "call", "memory", "active", "inactive")


def page(report: Report) -> str:
    """The whole page."""
    css = resources.files("enzyme.explain").joinpath("page.css").read_text(encoding="utf-8")
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{escape(report.title)}: derivatives explained</title>",
        f"<style>{css}</style></head><body>",
        f"<header><h1>{escape(report.title)}</h1><p>{escape(report.setting)}</p></header>",
        _contents(report),
        "<main>",
        *(_refusal(report, each) for each in report.refusals),
        *(_derivative(report, each, index) for index, each in enumerate(report.derivatives)),
        "</main>",
        _legend(),
        _SCRIPT,
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


_SCRIPT = """\
<script>
for (const button of document.querySelectorAll("button.all")) {
  button.hidden = false;
  button.onclick = () => {
    const lines = button.closest("section").querySelectorAll("details.line");
    const open = button.getAttribute("aria-pressed") !== "true";
    for (const line of lines) line.open = open;
    button.setAttribute("aria-pressed", open);
    button.textContent = open ? "Close all lines" : "Open all lines";
  };
}
</script>"""


def _contents(report: Report) -> str:
    if len(report.derivatives) < 2:
        return ""
    links = []
    for index, each in enumerate(report.derivatives):
        kept = sum(loop.bytes for loop in each.loops)
        note = f"{kept} B per iteration" if kept else f"{each.once_bytes} B" if each.once_bytes else "no tape"
        links.append(f'<li><a href="#d{index}">{escape(each.title)}</a> <small>{note}</small></li>')
    return f'<nav aria-label="Derivatives"><ol>{"".join(links)}</ol></nav>'


def _refusal(report: Report, each: Refusal) -> str:
    place = " ".join(word for word in (str(each.place) if each.place else "", each.where) if word)
    rows = [("where", place), ("why", each.why), ("help", each.hint)]
    listed = "".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in rows if text)
    source = ""
    if each.place is not None:
        lines = report.sources.get(each.place.file, ())
        if 0 < each.place.line <= len(lines):
            source = f"<pre><code>{escape(lines[each.place.line - 1])}</code></pre>"
    return f'<section class="refusal"><h2>Refused: {escape(each.what)}</h2>{source}<dl>{listed}</dl></section>'


def _derivative(report: Report, each: Derivative, index: int) -> str:
    place = f" &middot; {escape(str(each.place))}" if each.place else ""
    parts = [
        f'<section id="d{index}"><h2>{escape(each.title)}</h2>',
        f'<p class="name"><code>{escape(each.name)}</code>{place}</p>',
        *(f"<p>{escape(text)}</p>" for text in each.asked),
        f'<ul class="facts">{"".join(f"<li>{escape(text)}</li>" for text in headline(each))}</ul>',
        '<p><button class="all" type="button" hidden>Open all lines</button></p>',
    ]
    most = max((note.bytes for notes in each.lines.values() for note in notes if note.kind == "keep"), default=0)
    for file in dict.fromkeys(name for name, _ in each.lines):
        parts.append(_listing(report, each, file, most))
    if each.nowhere:
        parts.append(f'<h3>Without a source line</h3><ul class="notes">{"".join(map(_note, each.nowhere))}</ul>')
    parts.append("</section>")
    return "\n".join(parts)


def _listing(report: Report, each: Derivative, file: str, most: int) -> str:
    lines = report.sources.get(file, ())
    noted = [number for name, number in each.lines if name == file]
    shown: set[int] = set()
    for number in noted:
        shown |= set(range(number - _AROUND, number + _AROUND + 1))
    if noted and max(noted) - min(noted) < 120:
        shown |= set(range(min(noted), max(noted) + 1))
    parts = [f"<h3>{escape(file)}</h3>", '<div class="listing">']
    last = 0
    for number in sorted(n for n in shown if n > 0 and (n <= len(lines) or n in noted)):
        if last and number > last + 1:
            parts.append('<div class="gap" aria-hidden="true">&#8942;</div>')
        last = number
        text = lines[number - 1] if number <= len(lines) else ""
        notes = each.lines.get((file, number), ())
        code = f'<span class="no">{number}</span><code>{escape(text) or " "}</code>'
        if notes:
            parts.append(_line(code, notes, most))
        else:
            parts.append(f'<div class="line plain">{code}</div>')
    parts.append("</div>")
    return "\n".join(parts)


def _line(code: str, notes: tuple[Note, ...], most: int) -> str:
    kept = sum(note.bytes for note in notes if note.kind == "keep")
    heat = math.ceil(4 * kept / most) if most and kept else 0
    chips = []
    for kind in _CHIPS:
        count = sum(note.kind == kind for note in notes)
        if count:
            text = f"keep {kept} B" if kind == "keep" else kind if count == 1 else f"{kind} {count}"
            chips.append(f'<span class="chip {kind}">{text}</span>')
    head = f'<summary>{code}<span class="chips">{"".join(chips)}</span></summary>'
    return (
        f'<details class="line heat{min(heat, 4)}">{head}<ul class="notes">{"".join(map(_note, notes))}</ul></details>'
    )


def _note(note: Note) -> str:
    text = f'<span class="chip {note.kind}">{note.kind}</span> {escape(note.text)}'
    if not note.why:
        return f"<li>{text}</li>"
    why = "\n".join(escape(line) for line in note.why)
    return f"<li><details><summary>{text}</summary><pre>{why}</pre></details></li>"


def _legend() -> str:
    rows = "".join(f'<li><span class="chip {kind}">{kind}</span> {escape(text)}</li>' for kind, text in KINDS.items())
    return f'<footer><h2>What the words mean</h2><ul class="legend">{rows}</ul></footer>'
