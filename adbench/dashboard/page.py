"""What all pages share: the frame, names of files, links to cells and runs, words for times and changes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from adbench.dashboard.html import Content, Markup, link, number, tag
from adbench.history import BAD, History
from adbench.run.reporting import seconds
from adbench.sources import Run
from adbench.store import CellKey, Row, Status

NAVIGATION = (
    ("index.html", "Overview"),
    ("workloads.html", "Workloads"),
    ("history.html", "History"),
    ("runs.html", "Runs"),
    ("compare.html", "Compare"),
    ("data.html", "Data"),
)
SIGNS = {Status.WRONG: "✗ wrong", Status.ERROR: "✗ error", Status.TIMEOUT: "◷ time-out", Status.SKIPPED: "not run"}


@dataclass(frozen=True)
class Page:
    """One file of the site: its path from the site's root, its title, and what is in it."""

    path: str
    title: str
    body: Content

    @property
    def root(self) -> str:
        return "../" * self.path.count("/")

    def render(self, footer: str) -> str:
        here = "workloads.html" if self.path.startswith("workload/") else self.path
        here = {"cell": "history.html", "run": "runs.html"}.get(here.split("/")[0], here)
        items = [
            tag("li", link(self.root + path, name, aria_current="page" if path == here else None))
            for path, name in NAVIGATION
        ]
        theme = tag("button", "Light / dark", id="theme", type="button", hidden=True)
        header = tag(
            "header",
            link("#main", "Skip to the content", class_="skip"),
            tag("a", "adbench", href=f"{self.root}index.html", class_="brand"),
            tag("nav", tag("ul", items), aria_label="Pages"),
            theme,
        )
        head = tag(
            "head",
            tag("meta", charset="utf-8"),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="color-scheme", content="light dark"),
            tag("title", f"{self.title} - adbench"),
            tag("link", rel="icon", href="data:,"),
            tag("link", rel="stylesheet", href=f"{self.root}style.css"),
            tag("script", src=f"{self.root}script.js", defer=True),
        )
        main = tag("main", tag("h1", self.title), self.body, id="main")
        body = tag("body", header, main, tag("footer", footer))
        return "<!doctype html>\n" + tag("html", head, body, lang="en") + "\n"


def slug(*words: str) -> str:
    """A file name made of words; a few digits keep names apart that would be the same."""
    joined = "-".join(words)
    plain = re.sub(r"[^A-Za-z0-9.]+", "-", joined).strip("-.")[:80] or "x"
    if plain == joined:
        return plain
    return f"{plain}-{hashlib.sha256(chr(0).join(words).encode()).hexdigest()[:6]}"


def cell_path(key: CellKey) -> str:
    return f"cell/{slug(*key)}.html"


def workload_path(workload: str) -> str:
    return f"workload/{slug(workload)}.html"


def run_path(run: Run) -> str:
    return f"run/{slug(run.name)}.html"


def cell_name(key: CellKey) -> str:
    workload, case, tool, device = key
    return f"{workload} {case}, {tool}" + ("" if device == "cpu" else f" on {device}")


def run_link(run: Run, root: str) -> Markup:
    return link(root + run_path(run), run.title)


def day(run: Run) -> str:
    """The day and the minute a run began, in UTC."""
    return run.time[:16].replace("T", " ")


def outcome(row: Row, root: str = "", value: float | None = None) -> Markup:
    """A row's time (``value`` where that is another than the minimum), or what went wrong; links to the history."""
    if row.status is Status.OK and row.derivative_seconds:
        shown = value or row.derivative_seconds
        return number(link(root + cell_path(row.key), seconds(shown)), shown)
    kind = "bad" if row.status in BAD else "quiet"
    words = tag("span", SIGNS.get(row.status, "no time"), class_=kind, title=row.message or None)
    return number(link(root + cell_path(row.key), words), None)


def change(ratio: float | None, noise: bool = False) -> Markup:
    """A ratio of times in words, coloured where it is more than noise."""
    if ratio is None:
        return tag("span", "-", class_="quiet")
    kind = "" if noise else "bad" if ratio > 1 else "good"
    return tag("span", f"{ratio - 1:+.1%}", class_=kind)


def alert_list(history: History, root: str) -> Markup:
    """The alerts as a list, or a line that says there are none."""
    if not history.alerts:
        if len(history.runs) == 1:
            return tag("p", "There is one run; regressions can be seen when there are more.", class_="note")
        return tag("p", f"No regression in {len(history.cells):,} cells over {len(history.runs)} runs.", class_="calm")
    items = []
    for alert in history.alerts:
        since, previous = history.runs[alert.since], history.runs[alert.previous]
        new = tag("strong", "new ", class_="new") if alert.new else ""
        numbers: Sequence[Content] = [alert.message]
        if alert.ratio is not None:
            numbers = [
                tag("b", f"{alert.ratio - 1:+.1%}", class_="bad"),
                f" ({seconds(alert.before)} to {seconds(alert.after)})",
            ]
        items.append(
            tag(
                "li",
                new,
                link(root + cell_path(alert.key), cell_name(alert.key)),
                ": ",
                numbers,
                " since ",
                run_link(since, root),
                f" of {day(since)}; before it ",
                run_link(previous, root),
                class_="alert",
            )
        )
    return tag("ul", items, class_="alerts")
