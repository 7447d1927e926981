"""Text of functions in IR: what bodies of library routines are written with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


class Body:
    """The text of a function that computes with numbers of one ``type``, integers of 64 bits and flags; ``flags``: of
    arithmetic with numbers."""

    def __init__(self, type: str, flags: str = "reassoc") -> None:
        self.type, self.flags = type, flags
        self._locals: list[str] = []
        self._lines: list[str] = []
        self._label = "entry"
        self._count = 0

    def finished(self, end: str) -> list[str]:
        return ["entry:", *self._locals, *self._lines, f"  {end}"]

    def _new(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    def value(self, text: str) -> str:
        name = self._new("%t")
        self._lines.append(f"  {name} = {text}")
        return name

    def wide(self, type: str, value: str) -> str:
        return value if type == "i64" else self.value(f"sext {type} {value} to i64")

    # integers and flags

    def plus(self, a: str, b: str) -> str:
        return self.value(f"add nsw i64 {a}, {b}")

    def minus(self, a: str, b: str) -> str:
        return self.value(f"sub nsw i64 {a}, {b}")

    def times(self, a: str, b: str) -> str:
        return b if a == "1" else a if b == "1" else self.value(f"mul nsw i64 {a}, {b}")

    def pick(self, flag: str, yes: str, no: str) -> str:
        return yes if yes == no else self.value(f"select i1 {flag}, i64 {yes}, i64 {no}")

    def differ(self, a: str, b: str) -> str:
        return self.value(f"xor i1 {a}, {b}")

    def both(self, a: str, b: str) -> str:
        return self.value(f"and i1 {a}, {b}")

    def equal(self, a: str, b: str) -> str:
        return self.value(f"icmp eq i64 {a}, {b}")

    def reaches(self, a: str, b: str) -> str:
        """Whether a >= b."""
        return self.value(f"icmp sge i64 {a}, {b}")

    # numbers

    def arithmetic(self, opcode: str, a: str, b: str) -> str:
        return self.value(f"{opcode} {self.flags} {self.type} {a}, {b}")

    def choose(self, flag: str, yes: str, no: str) -> str:
        return self.value(f"select i1 {flag}, {self.type} {yes}, {self.type} {no}")

    def call(self, name: str, a: str) -> str:
        suffix = "f64" if self.type == "double" else "f32"
        return self.value(f"call {self.type} @llvm.{name}.{suffix}({self.type} {a})")

    def local(self, start: str) -> str:
        name = self._new("%sum")
        self._locals.append(f"  {name} = alloca {self.type}")
        self.store(start, name)
        return name

    def room(self, type: str, value: str) -> str:
        """A local that holds a value, to be passed by address."""
        name = self._new("%given")
        self._locals.append(f"  {name} = alloca {type}")
        self.put(f"store {type} {value}, ptr {name}")
        return name

    def block(self, rows: str, columns: str) -> str:
        """Memory for a matrix, to be given back (:meth:`free`)."""
        size = self.times(self.times(rows, columns), "8" if self.type == "double" else "4")
        return self.value(f"call ptr @malloc(i64 {size})")

    def free(self, block: str) -> None:
        self.put(f"call void @free(ptr {block})")

    def least(self, a: str, b: str) -> str:
        return self.pick(self.value(f"icmp slt i64 {a}, {b}"), a, b)

    def integer(self, start: str) -> str:
        """A local for an integer of 64 bits."""
        name = self._new("%count")
        self._locals.append(f"  {name} = alloca i64")
        self.write(start, name)
        return name

    def read(self, address: str) -> str:
        return self.value(f"load i64, ptr {address}")

    def write(self, value: str, address: str) -> None:
        self.put(f"store i64 {value}, ptr {address}")

    def put(self, instruction: str) -> None:
        self._lines.append(f"  {instruction}")

    def load(self, address: str) -> str:
        return self.value(f"load {self.type}, ptr {address}")

    def store(self, value: str, address: str) -> None:
        self.put(f"store {self.type} {value}, ptr {address}")

    def increase(self, address: str, by: str) -> None:
        self.store(self.arithmetic("fadd", self.load(address), by), address)

    # control

    @contextmanager
    def loop(self, count: str) -> Iterator[str]:
        """Runs ``count`` times; gives the counter."""
        name = self._new("loop")
        before, counter = self._label, f"%i.{name}"
        self._lines += [f"  br label %{name}", f"{name}:", ""]
        place = len(self._lines) - 1
        more = self.value(f"icmp slt i64 {counter}, {count}")
        self._lines += [f"  br i1 {more}, label %{name}.body, label %{name}.done", f"{name}.body:"]
        self._label = f"{name}.body"
        yield counter
        following = self.plus(counter, "1")
        self._lines[place] = f"  {counter} = phi i64 [ 0, %{before} ], [ {following}, %{self._label} ]"
        self._lines += [f"  br label %{name}", f"{name}.done:"]
        self._label = f"{name}.done"

    def either(self, flag: str, yes: Callable[[], None], no: Callable[[], None]) -> None:
        name = self._new("case")
        self._lines += [f"  br i1 {flag}, label %{name}.yes, label %{name}.no"]
        for label, code in (("yes", yes), ("no", no)):
            self._lines.append(f"{name}.{label}:")
            self._label = f"{name}.{label}"
            code()
            self._lines.append(f"  br label %{name}.done")
        self._lines.append(f"{name}.done:")
        self._label = f"{name}.done"


@dataclass(frozen=True)
class Matrix:
    """Elements at ``row`` and ``column`` strides behind an address; the column stride of a vector is not used."""

    body: Body
    base: str
    row: str
    column: str

    def at(self, i: str, j: str = "0") -> str:
        """The address of an element."""
        body = self.body
        offset = body.times(i, self.row)
        if j != "0":
            offset = body.plus(offset, body.times(j, self.column))
        return body.value(f"getelementptr inbounds {body.type}, ptr {self.base}, i64 {offset}")

    def get(self, i: str, j: str = "0") -> str:
        return self.body.load(self.at(i, j))

    def clear(self, rows: str, columns: str) -> None:
        with self.body.loop(columns) as j, self.body.loop(rows) as i:
            self.body.store("0.0", self.at(i, j))

    def from_on(self, i: str, j: str) -> Matrix:
        """What of the matrix begins with an element."""
        return Matrix(self.body, self.at(i, j), self.row, self.column)

    @property
    def transposed(self) -> Matrix:
        return Matrix(self.body, self.base, self.column, self.row)

    def transposed_where(self, flag: str) -> Matrix:
        row = self.body.pick(flag, self.column, self.row)
        return Matrix(self.body, self.base, row, self.body.pick(flag, self.row, self.column))


STRIP = 32
"""Columns of a triangle that are worked on together."""


@contextmanager
def strips(body: Body, n: str, width: int = STRIP) -> Iterator[tuple[str, str, str]]:
    """Some columns of n at a time: the first, how many, and how many are behind them."""
    with body.loop(body.value(f"sdiv i64 {body.plus(n, str(width - 1))}, {width}")) as strip:
        first = body.times(strip, str(width))
        left = body.minus(n, first)
        count = body.least(left, str(width))
        yield first, count, body.minus(left, count)
