"""A report for a terminal: plain when piped, coloured where colours are shown."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from enzyme.explain.model import Derivative, Note, Report

_STYLES = {
    "active": "green",
    "inactive": "dim",
    "memory": "cyan",
    "call": "blue",
    "keep": "bold yellow",
    "recompute": "dim cyan",
    "reload": "cyan",
    "loop": "bold magenta",
    "cost": "bold yellow",
    "unknown": "bold red",
    "refused": "bold red",
}


def show(report: Report, console: Console, verbose: bool = False) -> None:
    """Write the report. ``verbose``: with the chains of reasons, and every value that is computed again."""
    console.print(Text(report.title, style="bold"))
    console.print(Text(report.setting, style="dim"))
    for each in report.derivatives:
        console.print()
        _derivative(report, each, console, verbose)
    for refused in report.refusals:
        console.print()
        console.print(Text(f"refused: {refused.what}", style="bold red"))
        place = " ".join(word for word in (str(refused.place) if refused.place else "", refused.where) if word)
        for label, text in (("at", place), ("why", refused.why), ("help", refused.hint)):
            if text:
                console.print(Text(f"  {label}: {text}"), soft_wrap=True)
        if refused.place is not None:
            text = _source(report, refused.place.file, refused.place.line)
            if text:
                console.print(Text(f"  {refused.place.line:5} | {text}"), soft_wrap=True)


def _source(report: Report, file: str, line: int) -> str:
    lines = report.sources.get(file, ())
    return lines[line - 1] if 0 < line <= len(lines) else ""


def headline(each: Derivative) -> list[str]:
    """What is said of a derivative as a whole."""
    lines = [f"{p.name}: {p.activity}, {p.type}{f' to {p.contents}' if p.contents else ''}" for p in each.parameters]
    lines.append(f"result: {each.result}")
    if each.mode != "forward":
        counts = each.counts
        once = f", {each.once_bytes} bytes once per call" if each.once_bytes else ""
        lines.append(
            f"tape: {counts.get('kept', 0)} values kept, {counts.get('recomputed', 0)} computed again, "
            f"{counts.get('reloaded', 0)} read again{once}"
        )
        for loop in each.loops:
            place = f" at line {loop.place.line}" if loop.place else ""
            total = f", {loop.bytes * loop.total} bytes in all" if loop.total is not None else ""
            lines.append(f"loop{place} (depth {loop.depth}): {loop.bytes} bytes per iteration{total}; {loop.sizing}")
        lines += each.choices
        if each.peak:
            plain = each.peak_bytes is None or each.peak == f"{each.peak_bytes} bytes"
            exact = "" if plain else f" = {each.peak_bytes} bytes"
            needs = f"; no size is given for {', '.join(each.peak_missing)}" if each.peak_missing else ""
            lines.append(f"tape at its largest: {each.peak}{exact}{needs}")
        if each.room:
            exact = f" = {each.room_bytes} bytes" if each.room_bytes is not None else ""
            lines.append(f"scratch for several iterations at once, beside that: {each.room}{exact}")
    else:
        lines.append("tape: none, tangents are computed beside the values")
    if each.callees:
        from enzyme.support.demangle import demangle

        lines.append(f"calls: {', '.join(map(demangle, each.callees))}")
    return lines


def _derivative(report: Report, each: Derivative, console: Console, verbose: bool) -> None:
    place = f"  {each.place}" if each.place else ""
    console.print(Text.assemble((each.title, "bold underline"), (f"  {each.name}{place}", "dim")), soft_wrap=True)
    for text in (*each.asked, *headline(each)):
        console.print(Text(f"  {text}"), soft_wrap=True)
    file = None
    for (name, number), notes in each.lines.items():
        shown = notes if verbose else tuple(note for note in notes if note.kind not in ("recompute", "inactive"))
        if not shown:
            continue
        if name != file:
            file = name
            console.print(Text(f"  {name}", style="italic"), soft_wrap=True)
        console.print(Text(f"  {number:5} | {_source(report, name, number)}"), soft_wrap=True)
        for note in shown:
            _note(note, console, verbose)
    for note in each.nowhere:
        _note(note, console, verbose)


def _note(note: Note, console: Console, verbose: bool) -> None:
    line = Text.assemble(f"{'':8}| ", (f"{note.kind:9} ", _STYLES[note.kind]), note.text)
    console.print(line, soft_wrap=True)
    if verbose:
        for why in note.why:
            console.print(Text(f"{'':8}|           {why}", style="dim"), soft_wrap=True)
