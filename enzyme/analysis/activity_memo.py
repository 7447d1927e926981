"""Memoised functions that call themselves: summaries of recursive call graphs by fixed point.

``RecursiveMemo`` computes ``compute(key)`` for keys that may ask for each other. A key asked for while it is being
computed answers with its current assumption, first ``bottom(key)``. The first key of a cycle, its head, is computed
again, and with it the whole cycle, until a round changes no assumption. ``compute`` must be monotone in the answers it
gets and values must form a lattice without infinite ascending chains (Cousot and Cousot 1977); then the results are the
least fixed point above bottom.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class RecursiveMemo(Generic[K, V]):
    def __init__(self, compute: Callable[[K], V], bottom: Callable[[K], V]) -> None:
        self._compute, self._bottom = compute, bottom
        self._done: dict[K, V] = {}
        self._assumed: dict[K, V] = {}
        self._depth: dict[K, int] = {}  # keys being computed
        self._leans: list[int] = []  # for each of them, the least depth that its value depends on so far
        self._provisional: dict[K, int] = {}  # members of open cycles, computed this round, and what they lean on
        self._updates = 0

    def get(self, key: K) -> V:
        if key in self._done:
            return self._done[key]
        if key in self._provisional:
            self._lean(self._provisional[key])
            return self._assumed[key]
        if key in self._depth:
            self._lean(self._depth[key])
            return self._assumed[key]
        depth = self._depth[key] = len(self._leans)
        self._assumed.setdefault(key, self._bottom(key))
        started = len(self._provisional)
        try:
            lowest = self._settle(key, depth, started)
        finally:
            del self._depth[key]
        if lowest < depth:  # a member of a cycle whose head is still open, and with it all that leans on it
            for member in self._since(started):
                self._provisional[member] = min(self._provisional[member], lowest)
            self._provisional[key] = lowest
            self._lean(lowest)
            return self._assumed[key]
        for member in [*self._since(started), key]:
            self._provisional.pop(member, None)
            self._done[member] = self._assumed.pop(member)
        return self._done[key]

    def _settle(self, key: K, depth: int, started: int) -> int:
        while True:
            before = self._updates
            self._leans.append(depth + 1)
            try:
                value = self._compute(key)
            finally:
                lowest = self._leans.pop()
            if value != self._assumed[key]:
                self._assumed[key] = value
                self._updates += 1
            if lowest != depth or self._updates == before:
                return lowest
            for member in self._since(started):
                del self._provisional[member]

    def _since(self, started: int) -> list[K]:
        return list(self._provisional)[started:]

    def _lean(self, depth: int) -> None:
        if self._leans:
            self._leans[-1] = min(self._leans[-1], depth)
