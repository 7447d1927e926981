"""A colour and a marker for each tool, the same in figures and on the dashboard, told apart by colour-blind readers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    """A colour on white and on dark ground (after Okabe and Ito's palette), and a marker in matplotlib's words."""

    colour: str
    dark: str
    marker: str


LOOKS = {
    "enzyme": Look("#D55E00", "#FF8A3D", "o"),
    "enzyme-pre": Look("#B8860B", "#F0C04A", "s"),
    "manual": Look("#222222", "#F2F2F2", "D"),
    "finite": Look("#8A8A8A", "#A8A8A8", "v"),
    "pytorch": Look("#B0588E", "#E79CC6", "^"),
    "jax": Look("#0072B2", "#58B4F0", "P"),
}

_COLOURS = (
    ("#00805E", "#3CCBA0"),
    ("#3A9AD9", "#8FD0FF"),
    ("#7A5195", "#BE96DC"),
    ("#8C6D31", "#D9B874"),
    ("#A23B3B", "#F08C8C"),
    ("#4B4FB5", "#A3A7FF"),
    ("#5F7F1F", "#B5D65C"),
    ("#006D77", "#5FC7D1"),
    ("#56697F", "#A9BDD4"),
)
_MORE_COLOURS = (
    ("#C2185B", "#FF8FB5"),
    ("#5D4037", "#C4A99F"),
    ("#283593", "#9FA8DA"),
    ("#827717", "#DCE775"),
)
"""For a figure with more tools than anyone has drawn yet: each switch of the engine makes one."""
_MARKERS = ("X", "<", ">", "*", "h", "d", "p"), ("^", "v", "s", "D", "P"), ("o",)
"""Those that no tool named above has, and the others; our own tool's last."""
SPARE = tuple(
    # Colours and markers change together; their numbers have no common factor, so that pairs repeat late.
    Look(*colours[number % len(colours)], markers[number % len(markers)])
    for colours in (_COLOURS, _MORE_COLOURS)
    for markers in _MARKERS
    for number in range(len(colours) * len(markers))
)


def look_of(tool: str, others: Sequence[str]) -> Look:
    """The tool's look; tools not named above take the spare ones in the order of ``others``."""
    if tool in LOOKS:
        return LOOKS[tool]
    unnamed = [name for name in others if name not in LOOKS]
    return SPARE[unnamed.index(tool) % len(SPARE)]
