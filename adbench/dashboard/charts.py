"""Charts as SVG: curves over problem size, the history of one cell, and a small one for tables.

Each is made twice, for wide and for narrow screens, because text in a picture that is only scaled down cannot be read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from adbench.dashboard.html import Content, Markup, tag
from adbench.looks import Look
from adbench.run.reporting import seconds

WIDE, NARROW = (860, 380), (390, 330)


@dataclass(frozen=True)
class Curve:
    """One tool's points (size, value), with what a pointer over each says."""

    name: str
    look: Look
    points: Sequence[tuple[float, float, str]]
    failures: Sequence[tuple[float, str]] = ()
    """Sizes at which the tool failed."""


@dataclass(frozen=True)
class Dot:
    """One run in the history of a cell. ``value`` is None where it failed."""

    value: float | None
    title: str
    level: float | None = None
    machine: int = 0
    alarm: bool = False


@dataclass(frozen=True)
class Plot:
    """The plane of a chart: pixels for numbers, and what is drawn on it."""

    width: int
    height: int
    left: float = 66
    right: float = 14
    top: float = 16
    bottom: float = 40
    parts: list[Content] = field(default_factory=list)

    @property
    def inner_width(self) -> float:
        return self.width - self.left - self.right

    @property
    def inner_height(self) -> float:
        return self.height - self.top - self.bottom

    def add(self, name: str, *content: Content, **attributes: object) -> None:
        rounded = {key: round(value, 1) if isinstance(value, float) else value for key, value in attributes.items()}
        self.parts.append(tag(name, *content, **rounded))

    def svg(self, label: str, class_: str) -> Markup:
        return tag(
            "svg", self.parts, viewBox=f"0 0 {self.width} {self.height}", role="img", aria_label=label, class_=class_
        )


def both(draw: Callable[[int, int, str], Markup]) -> Markup:
    """The chart for wide and the one for narrow screens; the style sheet shows one of them."""
    return tag("div", draw(*WIDE, "wide"), draw(*NARROW, "narrow"), class_="chart")


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers for a logarithmic axis: 1, 2, 5 of each decade where few decades are shown, else powers of ten."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    grids: tuple[tuple[float, ...], ...] = ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1,))
    for steps in grids:
        found = [10.0**decade * step for decade in range(first, last + 1) for step in steps]
        found = [tick for tick in found if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]
        if len(found) <= most:
            return found
    return found[:: math.ceil(len(found) / most)]


def fine_ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers for a short range, evenly spaced."""
    raw = (high - low) / most
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= raw)
    first = math.ceil(low / step - 1e-9)
    return [step * number for number in range(first, math.floor(high / step + 1e-9) + 1)]


def short(value: float) -> str:
    """A count with few characters: 1,000 is 1k."""
    for limit, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:g}{suffix}"
    return f"{value:g}"


def precise_seconds(value: float, step: float) -> str:
    """A time with as many digits as neighbouring ticks need to differ."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if value >= scale or unit == "ns":
            digits = max(0, -math.floor(math.log10(step / scale) + 1e-9))
            return f"{value / scale:.{digits}f} {unit}"
    raise AssertionError("ns is the last unit")


def marker(shape: str, x: float, y: float, size: float = 4.5, **attributes: object) -> Markup:
    """A marker in matplotlib's words, centred at (x, y)."""
    if shape == "o":
        return tag("circle", cx=round(x, 1), cy=round(y, 1), r=size, **attributes)
    return tag("path", d=outline(shape, x, y, size * 1.05), **attributes)


def outline(shape: str, x: float, y: float, s: float) -> str:
    """The marker's outline as an SVG path."""
    polygons: dict[str, list[tuple[float, float]]] = {
        "s": [(-1, -1), (1, -1), (1, 1), (-1, 1)],
        "D": [(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)],
        "d": [(0, -1.4), (0.85, 0), (0, 1.4), (-0.85, 0)],
        "^": [(0, -1.2), (1.15, 1), (-1.15, 1)],
        "v": [(0, 1.2), (1.15, -1), (-1.15, -1)],
        "<": [(-1.2, 0), (1, -1.15), (1, 1.15)],
        ">": [(1.2, 0), (-1, -1.15), (-1, 1.15)],
        "P": _cross(0.0),
        "X": _cross(math.pi / 4),
        "*": _star(5, 0.45),
        "h": _star(3, 1.0),
        "p": [(1.2 * math.sin(k * 0.4 * math.pi), -1.2 * math.cos(k * 0.4 * math.pi)) for k in range(5)],
    }
    points = polygons.get(shape, polygons["s"])
    return "M" + "L".join(f"{x + s * px:.1f} {y + s * py:.1f}" for px, py in points) + "Z"


def _cross(angle: float) -> list[tuple[float, float]]:
    arm, half = 1.3, 0.45
    corners = [(half, -arm), (half, -half), (arm, -half), (arm, half), (half, half), (half, arm)]
    corners += [(-x, -y) for x, y in corners]
    return [(x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle)) for x, y in corners]


def _star(points: int, inner: float) -> list[tuple[float, float]]:
    radii = [1.35 if k % 2 == 0 else 1.35 * inner for k in range(2 * points)]
    return [(r * math.sin(k * math.pi / points), -r * math.cos(k * math.pi / points)) for k, r in enumerate(radii)]


def _logarithmic(low: float, high: float, start: float, length: float) -> Callable[[float], float]:
    bottom, span = math.log(low), math.log(high / low)
    return lambda value: start + (math.log(value) - bottom) / span * length


def widened(values: Sequence[float], share: float) -> tuple[float, float]:
    """The range of positive values with room on both sides, in proportion to its logarithm."""
    low, high = min(values), max(values)
    room = max(share * math.log(high / low), 0.02)
    return low * math.exp(-room), high * math.exp(room)


def curves(drawn: Sequence[Curve], x_label: str, time: bool, label: str) -> Markup:
    """Curves over problem size, both axes logarithmic; failures as crosses along the upper edge."""
    sizes = [point[0] for curve in drawn for point in curve.points]
    sizes += [failure[0] for curve in drawn for failure in curve.failures]
    values = [y for curve in drawn for _, y, _ in curve.points]
    if not values:
        return tag("p", "No tool was right here.", class_="quiet")
    x_low, x_high = widened(sizes, 0.04)
    y_low, y_high = widened(values, 0.07)

    def draw(width: int, height: int, class_: str) -> Markup:
        plot = Plot(width, height, top=30 if any(curve.failures for curve in drawn) else 16)
        to_x = _logarithmic(x_low, x_high, plot.left, plot.inner_width)
        to_y = _logarithmic(y_low, y_high, plot.top + plot.inner_height, -plot.inner_height)
        for tick in ticks(y_low, y_high, 7):
            _row(plot, to_y(tick), seconds(tick) if time else f"{tick:g}")
        for tick in ticks(x_low, x_high, 8 if width > 500 else 5):
            plot.add("text", short(tick), x=to_x(tick), y=plot.height - plot.bottom + 18, class_="tick x")
        plot.add("text", x_label, x=plot.left + plot.inner_width / 2, y=height - 6.0, class_="axis")
        for curve in drawn:
            style = f"--light:{curve.look.colour};--dark:{curve.look.dark}"
            path = "M" + "L".join(f"{to_x(x):.1f} {to_y(y):.1f}" for x, y, _ in curve.points)
            inside: list[Content] = [tag("path", d=path, class_="curve")] if len(curve.points) > 1 else []
            for x, y, title in curve.points:
                inside.append(tag("g", tag("title", title), marker(curve.look.marker, to_x(x), to_y(y))))
            for x, title in curve.failures:
                cross = tag("path", d=outline("X", to_x(x), 14, 5), class_="failure")
                inside.append(tag("g", tag("title", title), cross))
            plot.add("g", inside, style=style, class_="tool")
        return plot.svg(label, class_)

    return both(draw)


def _row(plot: Plot, y: float, name: str) -> None:
    plot.add("line", x1=plot.left, x2=plot.width - plot.right, y1=y, y2=y, class_="grid")
    plot.add("text", name, x=plot.left - 8, y=y + 4, class_="tick y")


def history(dots: Sequence[Dot], band: tuple[float, float] | None, first: str, last: str, label: str) -> Markup:
    """A cell over the runs: dots, the levels between steps, the noise band of the newest level, machines as breaks."""
    values = [dot.value for dot in dots if dot.value is not None]
    if not values:
        return tag("p", "This cell was never right.", class_="quiet")
    low, high = widened([*values, *(band or ())], 0.12)

    def draw(width: int, height: int, class_: str) -> Markup:
        plot = Plot(width, height, top=30)
        step = plot.inner_width / max(1, len(dots))

        def to_x(index: float) -> float:
            return plot.left + (index + 0.5) * step

        to_y = _logarithmic(low, high, plot.top + plot.inner_height, -plot.inner_height)
        marks = fine_ticks(low, high, 6) if high / low < 3 else ticks(low, high, 7)
        for tick in marks:
            _row(plot, to_y(tick), precise_seconds(tick, marks[1] - marks[0]) if len(marks) > 1 else seconds(tick))
        start = _last_level(dots)
        if band is not None and start is not None:
            height_of = to_y(band[0]) - to_y(band[1])
            plot.add("rect", x=to_x(start - 0.5), y=to_y(band[1]), width=to_x(len(dots) - 0.5) - to_x(start - 0.5),
                     height=height_of, class_="band")  # fmt: skip
        _levels(plot, dots, to_x, to_y)
        for index, dot in enumerate(dots):
            title = tag("title", dot.title)
            if dot.value is None:
                plot.add("g", title, tag("path", d=outline("X", to_x(index), 14, 5), class_="failure"))
            else:
                size = min(4.5, max(2.0, step / 3))
                circle = tag("circle", cx=round(to_x(index), 1), cy=round(to_y(dot.value), 1), r=round(size, 1))
                plot.add("g", title, circle, class_="dot alarm" if dot.alarm else "dot")
        plot.add("text", first, x=plot.left, y=height - 14.0, class_="tick start")
        plot.add("text", last, x=width - plot.right, y=height - 14.0, class_="tick end")
        return plot.svg(label, class_)

    return both(draw)


def _last_level(dots: Sequence[Dot]) -> int | None:
    """Where the newest level begins: its first dot among those that follow each other on one machine."""
    start = None
    for index in range(len(dots) - 1, -1, -1):
        dot = dots[index]
        if dot.value is None:
            continue
        if start is not None and (dot.level != dots[start].level or dot.machine != dots[start].machine):
            break
        start = index
    return start


def _levels(plot: Plot, dots: Sequence[Dot], to_x: Callable[[float], float], to_y: Callable[[float], float]) -> None:
    """Level lines, their steps, and the breaks between machines."""
    right = [(index, dot) for index, dot in enumerate(dots) if dot.value is not None and dot.level is not None]
    start = 0
    for place in range(1, len(right) + 1):
        ended = place == len(right)
        before, dot = right[place - 1]
        if not ended and (right[place][1].level, right[place][1].machine) == (dot.level, dot.machine):
            continue
        assert dot.level is not None
        left_edge, right_edge = to_x(right[start][0] - 0.5), to_x(before + 0.5)
        plot.add("line", x1=left_edge, x2=right_edge, y1=to_y(dot.level), y2=to_y(dot.level), class_="level")
        if not ended:
            after, next_dot = right[place]
            edge = to_x((before + after) / 2)
            if next_dot.machine == dot.machine and next_dot.level is not None:
                plot.add("line", x1=edge, x2=edge, y1=to_y(dot.level), y2=to_y(next_dot.level), class_="step")
                plot.add(
                    "text", f"{next_dot.level / dot.level - 1:+.1%}", x=edge, y=plot.top - 4.0, class_="tick x mark"
                )
        start = place
    for index in range(1, len(dots)):
        if dots[index].machine != dots[index - 1].machine:
            edge = to_x(index - 0.5)
            plot.add("line", x1=edge, x2=edge, y1=plot.top, y2=plot.top + plot.inner_height, class_="break")
            plot.add("text", "other machine", x=edge, y=plot.top - 4.0, class_="tick x")


def spark(values: Sequence[float | None], alarm: bool) -> Markup:
    """A history of a few pixels, for a table; gaps where there is no value."""
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return tag("span", "-", class_="quiet")
    low, high = widened(known, 0.1)
    to_y = _logarithmic(low, high, 20, -18)
    width = 90.0
    pieces, pen = [], "M"
    for index, value in enumerate(values):
        if value is None:
            pen = "M"
            continue
        pieces.append(f"{pen}{2 + index / (len(values) - 1) * (width - 4):.1f} {to_y(value):.1f}")
        pen = "L"
    line = tag("path", d="".join(pieces))
    return tag("svg", line, viewBox=f"0 0 {width:g} 22", class_="spark alarm" if alarm else "spark", aria_hidden="true")
