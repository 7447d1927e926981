"""A reader of numbers that knows the line and column of each, for ADBench's data files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from adbench.errors import DataFileError
from adbench.workloads.base import Array

TOKEN = re.compile(r"\S+")


def integer_limits(least: int, below: int | None) -> str:
    """The range of an integer, for messages."""
    return f"of at least {least}" if below is None else f"from {least} to {below - 1}"


class TextReader:
    """Lines of numbers, one after the other. Blank lines are skipped; every fault names file, line and column.

    ``line``, ``integers`` and ``block`` take whole lines, as formats do whose lines have a meaning; ``numbers`` takes
    the next numbers wherever lines end, as formats do that are read by ``>>`` or ``fscanf``.
    """

    def __init__(self, path: Path, only_lines: int | None = None) -> None:
        """Read ``path``, or its first ``only_lines`` lines."""
        self.path = path
        try:
            with path.open(encoding="ascii", errors="replace") as file:
                self._lines = [line.rstrip("\n") for line in islice(file, only_lines)]
        except OSError as error:
            raise DataFileError("cannot read the file", where=str(path), why=error.strerror) from error
        self._next = 0
        self._used = 0  # tokens of the next line that ``numbers`` has taken already
        self._skip_blank()

    def _skip_blank(self) -> None:
        while self._next < len(self._lines) and not self._lines[self._next].strip():
            self._next += 1

    def fault(self, what: str, line: int, column: int) -> DataFileError:
        return DataFileError(
            what,
            where=f"{self.path}:{line}:{column}",
            hint="compare the file with ADBench's data format, or run without --data to use generated inputs",
        )

    @property
    def at_end(self) -> bool:
        return self._next >= len(self._lines)

    @property
    def line_number(self) -> int:
        """Number of the next line, from 1."""
        return self._next + 1

    def remaining_lines(self) -> int:
        """Lines left that are not blank."""
        return sum(1 for line in self._lines[self._next :] if line.strip())

    def texts(self) -> Iterator[tuple[int, str]]:
        """Number and text of each line left that is not blank, for formats that are not numbers alone."""
        while not self.at_end:
            yield self.line_number, self._lines[self._next]
            self._advance()

    def line(self, count: int, meaning: str) -> Array:
        """The next line as ``count`` float64 numbers."""
        if self.at_end:
            raise self.fault(f"the file ends where {meaning} should follow", len(self._lines) + 1, 1)
        text, number = self._lines[self._next], self._next + 1
        tokens = text.split()
        if len(tokens) != count:
            matches = list(TOKEN.finditer(text))
            column = matches[count].start() + 1 if len(tokens) > count else len(text.rstrip()) + 1
            raise self.fault(f"expected {count} numbers for {meaning}, found {len(tokens)}", number, column)
        values = self._parsed(tokens, 0, meaning)
        self._advance()
        return values

    def numbers(self, count: int, meaning: str) -> Array:
        """The next ``count`` float64 numbers, wherever the lines end."""
        parts: list[Array] = []
        missing = count
        while missing:
            if self.at_end:
                what = f"the file ends where {meaning} should follow: {count - missing} of {count} numbers are there"
                raise self.fault(what, len(self._lines) + 1, 1)
            tokens = self._lines[self._next].split()
            chosen = slice(self._used, min(len(tokens), self._used + missing))
            parts.append(self._parsed(tokens[chosen], chosen.start, meaning))
            missing -= len(parts[-1])
            self._used = chosen.stop
            if self._used == len(tokens):
                self._advance()
        return np.concatenate(parts) if parts else np.zeros(0)

    def whole(self, count: int, meaning: str, least: int = 0, below: int | None = None) -> list[int]:
        """The next ``count`` integers, none below ``least`` and all below ``below``, wherever the lines end."""
        found = []
        for index in range(count):
            number, used = self._next, self._used
            value = float(self.numbers(1, meaning if count == 1 else f"{meaning} ({index + 1} of {count})")[0])
            if value != int(value) or value < least or (below is not None and value >= below):
                match = list(TOKEN.finditer(self._lines[number]))[used]
                limits = integer_limits(least, below)
                what = f"expected an integer {limits} for {meaning}, found {match.group()!r}"
                raise self.fault(what, number + 1, match.start() + 1)
            found.append(int(value))
        return found

    def tokens_left(self) -> int:
        """How many numbers, or what stands in their place, are left."""
        return sum(len(line.split()) for line in self._lines[self._next :]) - self._used

    def _parsed(self, tokens: list[str], first: int, meaning: str) -> Array:
        """Tokens of the next line, from number ``first`` on, as finite numbers."""
        try:
            values = np.array(tokens, dtype=np.float64)
        except ValueError:
            raise self._bad_token(self._lines[self._next], self._next + 1, meaning, first) from None
        if not np.isfinite(values).all():
            bad = int(np.argmin(np.isfinite(values)))
            start = list(TOKEN.finditer(self._lines[self._next]))[first + bad].start()
            raise self.fault(
                f"expected a finite number for {meaning}, found {tokens[bad]!r}", self._next + 1, start + 1
            )
        return values

    def _advance(self) -> None:
        self._next += 1
        self._used = 0
        self._skip_blank()

    def integers(self, count: int, meaning: str, least: int = 0) -> list[int]:
        """The next line as ``count`` integers, none below ``least``."""
        number, text = self._next + 1, "" if self.at_end else self._lines[self._next]
        values = self.line(count, meaning)
        for value, match in zip(values, TOKEN.finditer(text), strict=True):
            if value != int(value) or value < least:
                what = f"expected an integer of at least {least} for {meaning}, found {match.group()!r}"
                raise self.fault(what, number, match.start() + 1)
        return [int(value) for value in values]

    def block(self, lines: int, count: int, meaning: str) -> Array:
        """The next ``lines`` lines of ``count`` numbers each, shape (lines, count)."""
        rows = [self.line(count, f"{meaning} {index + 1} of {lines}") for index in range(lines)]
        return np.array(rows).reshape(lines, count)

    def end(self) -> None:
        if not self.at_end:
            left = list(TOKEN.finditer(self._lines[self._next]))[self._used]
            raise self.fault("expected the end of the file", self._next + 1, left.start() + 1)

    def _bad_token(self, text: str, number: int, meaning: str, first: int) -> DataFileError:
        for match in list(TOKEN.finditer(text))[first:]:
            try:
                float(match.group())
            except ValueError:
                what = f"expected a number for {meaning}, found {match.group()!r}"
                return self.fault(what, number, match.start() + 1)
        return self.fault(f"expected numbers for {meaning}", number, 1)
