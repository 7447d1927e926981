"""Memoised functions that call themselves: summaries of recursive call graphs by fixed point.

``RecursiveMemo`` computes ``compute(key)`` for keys that may ask for each other. A key asked for while it is being
computed answers with its current assumption, first ``bottom(key)``; the head of the cycle is computed again until its
value equals what was assumed. ``compute`` must be monotone in the answers it gets and values must form a lattice
without infinite ascending chains (Cousot and Cousot 1977); then the result is the least fixed point above bottom.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class RecursiveMemo(Generic[K, V]):
    """``limit`` bounds the rounds of one cycle; when it is hit, ``top(key)`` is the answer."""

    def __init__(
        self, compute: Callable[[K], V], bottom: Callable[[K], V], top: Callable[[K], V], limit: int = 12
    ) -> None:
        self._compute, self._bottom, self._top, self._limit = compute, bottom, top, limit
        self._done: dict[K, V] = {}
        self._assumed: dict[K, V] = {}
        self._depth: dict[K, int] = {}
        self._lowest: list[int] = []  # per key being computed, the least depth its computation leant on

    def get(self, key: K) -> V:
        if key in self._done:
            return self._done[key]
        if key in self._depth:
            self._lowest[-1] = min(self._lowest[-1], self._depth[key])
            return self._assumed[key]
        depth = len(self._lowest)
        self._depth[key] = depth
        self._assumed.setdefault(key, self._bottom(key))
        try:
            value, lowest = self._fixed_point(key, depth)
        finally:
            del self._depth[key]
        if lowest >= depth:
            self._done[key] = value
            self._assumed.pop(key, None)
        else:
            # Part of a cycle whose head is still open: a better start for the next round, not yet an answer.
            self._assumed[key] = value
            self._lowest[-1] = min(self._lowest[-1], lowest)
        return value

    def _fixed_point(self, key: K, depth: int) -> tuple[V, int]:
        for _ in range(self._limit):
            self._lowest.append(depth + 1)
            try:
                value = self._compute(key)
            finally:
                lowest = self._lowest.pop()
            if lowest > depth or value == self._assumed[key]:
                return value, lowest
            self._assumed[key] = value
        return self._top(key), lowest
