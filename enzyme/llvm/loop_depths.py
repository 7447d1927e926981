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
        if "label %" in lines[number]:
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
    depths = dict.fromkeys(next_to, 0)
    into: dict[str, list[str]] = {label: [] for label in next_to}
    for label, ends in next_to.items():
        for end in ends:
            into[end].append(label)
    work: list[tuple[list[str], Collection[str]]] = [([*next_to], ())]  # blocks, those without edges to them
    while work:
        labels, entered = work.pop()
        numbers = {label: number for number, label in enumerate(labels)}
        graph = [[numbers[end] for end in next_to[label] if end in numbers and end not in entered] for label in labels]
        for component in strong_components(graph):
            if len(component) == 1 and component[0] not in graph[component[0]]:
                continue
            part = {labels[number]: None for number in component}
            for label in part:
                depths[label] += 1
            entries = {label for label in part if any(each not in part for each in into[label])}
            if entries:
                work.append(([*part], entries))
    return depths
