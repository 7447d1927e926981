"""A worklist without duplicates, first in first out or by priority."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class Worklist(Generic[T]):
    """A queue that holds each item at most once; an item may come back after it was popped."""

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._queue: deque[T] = deque()
        self._inside: set[T] = set()
        self.extend(items)

    def push(self, item: T) -> bool:
        """Add ``item``; False when it already waits."""
        if item in self._inside:
            return False
        self._inside.add(item)
        self._queue.append(item)
        return True

    def extend(self, items: Iterable[T]) -> None:
        for item in items:
            self.push(item)

    def pop(self) -> T:
        item = self._queue.popleft()
        self._inside.discard(item)
        return item

    def __bool__(self) -> bool:
        return bool(self._queue)

    def __len__(self) -> int:
        return len(self._queue)


class PriorityWorklist(Generic[T]):
    """A worklist that hands out the item of least ``priority`` first, e.g. reverse postorder for forward problems."""

    def __init__(self, priority: Callable[[T], int], items: Iterable[T] = ()) -> None:
        self._priority = priority
        self._heap: list[tuple[int, int, T]] = []
        self._inside: set[T] = set()
        self._serial = 0
        for item in items:
            self.push(item)

    def push(self, item: T) -> bool:
        """Add ``item``; False when it already waits."""
        if item in self._inside:
            return False
        self._inside.add(item)
        heapq.heappush(self._heap, (self._priority(item), self._serial, item))
        self._serial += 1
        return True

    def pop(self) -> T:
        item = heapq.heappop(self._heap)[2]
        self._inside.discard(item)
        return item

    def __bool__(self) -> bool:
        return bool(self._heap)

    def __len__(self) -> int:
        return len(self._heap)
