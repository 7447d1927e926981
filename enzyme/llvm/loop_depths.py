"""How many loops are around each block of a function, as LLVM prints it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from enzyme.llvm.blocks import NAME
from enzyme.support.graphs import strong_components

LABEL = re.compile(r'([-\w.$]+|"[^"]*"):')
_TARGET = re.compile(rf"\blabel ({NAME})")


def loop_depths(lines: Sequence[str]) -> tuple[dict[int, str], dict[str, int]]:
    """By the number of a line, the label of its block, and by that label, how many loops are around it."""
    labels = _labels(lines)
    next_to: dict[str, set[str]] = {label: set() for label in labels.values()}
    for number, label in labels.items():
        next_to[label].update(_TARGET.findall(lines[number]))
    return labels, _depths(next_to)


def _labels(lines: Sequence[str]) -> dict[int, str]:
    """By the number of a line, the label of its block."""
    label = f"%{len(re.findall(r' %[0-9]+(?=[,)])', lines[0]))}"  # the number of an entry without a name
    found: dict[int, str] = {}
    for number, line in enumerate(lines[1:], 1):
        named = LABEL.match(line)
        if named is not None:
            label = f"%{named[1]}"
        found[number] = label
    return found


def _depths(next_to: Mapping[str, Collection[str]]) -> dict[str, int]:
    """By the label of a block, how many loops are around it: strongly connected parts, then those of each part without
    the edges back to where it is entered."""
    numbers = {label: number for number, label in enumerate(next_to)}
    whole = [[numbers[each] for each in ends] for ends in next_to.values()]
    depths, work = [0] * len(whole), [whole]
    while work:
        graph = work.pop()
        for part in map(set, strong_components(graph)):
            if len(part) == 1 and not part.intersection(*(graph[node] for node in part)):
                continue
            entries = {end for node, ends in enumerate(whole) if node not in part for end in ends} & part
            for node in part:
                depths[node] += 1
            if entries:
                stay = part - entries
                work.append(
                    [[end for end in ends if end in stay] if node in part else [] for node, ends in enumerate(graph)]
                )
    return dict(zip(next_to, depths, strict=True))
