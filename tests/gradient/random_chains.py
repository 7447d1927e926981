"""Random programs of loops one behind the other, as LLVM's IR: each loop is one block and steps by one element.

A program is ``void f(double *a0, double *a1, double *a2, long n, long steps)`` with scratch of its own, for n of seven
and more. Between the loops stand single elements that are set or read.
"""

from __future__ import annotations

import random

import llvmlite.binding as llvm

ARRAYS = ("%a0", "%a1", "%a2")
MARGIN = 8
"""How many elements in front of an array, and behind its n elements, a program may touch, at most."""
FEWEST = 7
"""Elements, so that each loop runs."""
_SCRATCH = ("%p0", "%p1")
_FACTORS = ("0.5", "0.25", "-0.75")
_DECLARED = """declare noalias ptr @calloc(i64, i64) allockind("alloc,zeroed") allocsize(0,1) "alloc-family"="malloc"
declare void @free(ptr) allockind("free") "alloc-family"="malloc"
"""


def random_chain(seed: int) -> str:
    """The program of a seed."""
    return _Program(random.Random(seed)).text()


class _Program:
    """``scalars``: numbers that what follows may take; ``last``: the array that the loop before has written."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.lines, self.names = rng, list[str](), 0
        self.scalars, self.last = list(_FACTORS), ARRAYS[0]
        self.starts = rng.choice([(0,), (0, 1), (0, 1, 2), (1,), (0, 3)])
        self.ends = rng.choice([(0,), (0, -1), (0, -1, -2), (-1,), (0, 1)])
        """Behind n."""
        self.downwards = rng.choice([0, 0, 0.3, 1])
        """How many of the loops run from their ends."""

    def text(self) -> str:
        parameters = ", ".join(f"ptr {each}" for each in ARRAYS)
        self.lines += [f'target triple = "{llvm.get_process_triple()}"', _DECLARED]
        self.lines += [f"define void @f({parameters}, i64 %n, i64 %steps) {{", "entry:"]
        size = self.value(f"add i64 %n, {2 * MARGIN}")
        blocks = [self.value(f"call noalias ptr @calloc(i64 8, i64 {size})") for _ in _SCRATCH]
        for name, block in zip(_SCRATCH, blocks, strict=True):
            self.line(f"{name} = getelementptr i8, ptr {block}, i64 {8 * MARGIN}")
        self.line("%mid = lshr i64 %n, 1")
        self.line("br label %head")
        self.lines.append("head:")
        self.line("%iteration = phi i64 [ 0, %entry ], [ %iteration.next, %tail ]")
        for number in range(self.rng.choice([2, 3, 4, 5, 6])):
            self.loop(number)
            for _ in range(self.rng.choice([0, 0, 1, 1, 2])):
                self.single_element()
        self.line("br label %tail")
        self.lines.append("tail:")
        for scalar in self.scalars[len(_FACTORS) :][:2]:
            self.line(f"store double {scalar}, ptr {self.address(ARRAYS[0], '0', -3)}")
        if self.rng.random() < 0.3:
            found = self.value(f"load double, ptr {self.address(self.rng.choice(_SCRATCH), *self.element())}")
            self.line(f"store double {found}, ptr {self.address(ARRAYS[0], '0', -4)}")
        self.line("%iteration.next = add nsw i64 %iteration, 1")
        self.line("%done = icmp eq i64 %iteration.next, %steps")
        self.line("br i1 %done, label %end, label %head")
        self.lines.append("end:")
        for block in blocks:
            self.line(f"call void @free(ptr {block})")
        self.line("ret void")
        return "\n".join([*self.lines, "}", ""])

    def line(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def value(self, text: str) -> str:
        self.names += 1
        self.line(f"%v{self.names} = {text}")
        return f"%v{self.names}"

    def address(self, array: str, index: str, offset: int) -> str:
        pointer = self.value(f"getelementptr double, ptr {array}, i64 {index}")
        return self.value(f"getelementptr i8, ptr {pointer}, i64 {8 * offset}") if offset else pointer

    def element(self) -> tuple[str, int]:
        """An index, and how far behind it."""
        places = [("0", 0), ("0", 1), ("0", 2), ("0", -1), ("%n", 0), ("%n", -1), ("%n", -2), ("%mid", 0)]
        return self.rng.choice(places)

    def single_element(self) -> None:
        place = self.address(self.rng.choice(ARRAYS + _SCRATCH), *self.element())
        if self.rng.random() < 0.6:
            self.line(f"store double {self.rng.choice(self.scalars)}, ptr {place}")
        else:
            found = self.value(f"load double, ptr {place}")
            self.scalars.append(self.value(f"fmul double {found}, 0.5"))

    def loop(self, number: int) -> None:
        rng = self.rng
        end = self.value(f"add nsw i64 %n, {rng.choice(self.ends)}")
        last, start, step = self.value(f"add nsw i64 {end}, -1"), str(rng.choice(self.starts)), 1
        if rng.random() < self.downwards:
            start, last, step = last, start, -1
        before, body, behind = f"before{number}", f"body{number}", f"behind{number}"
        self.line(f"br label %{before}")
        self.lines.append(f"{before}:")
        self.line(f"br label %{body}")
        self.lines.append(f"{body}:")
        i, following = f"%i{number}", f"%following{number}"
        self.line(f"{i} = phi i64 [ {start}, %{before} ], [ {following}, %{body} ]")
        self.body(i)
        self.line(f"{following} = add nsw i64 {i}, {step}")
        at_end = self.value(f"icmp eq i64 {i}, {last}")
        self.line(f"br i1 {at_end}, label %{behind}, label %{body}")
        self.lines.append(f"{behind}:")

    def body(self, i: str) -> None:
        """One or two stores of what is made of up to four elements near the i-th ones and of i."""
        rng, pool = self.rng, ARRAYS + _SCRATCH
        written, place = rng.choice(pool), rng.choice([0, 0, 0, 0, -1, 1])
        reads = [
            (rng.choice(pool) if rng.random() < 0.6 else self.last, rng.choice([0, 0, 0, -1, 1, -1, 1, 2, -2]))
            for _ in range(rng.choice([1, 2, 2, 3]))
        ]
        if rng.random() < 0.4:
            reads.append((written, place))
        if rng.random() < 0.9:  # no iteration depends on another
            reads = [(array, place if array == written else offset) for array, offset in reads]
        result, *others = [self.value(f"load double, ptr {self.address(array, i, at)}") for array, at in reads]
        for other in others:
            result = self.value(f"{rng.choice(['fadd', 'fsub', 'fmul'])} double {result}, {other}")
        product = self.value(f"fmul double {result}, {rng.choice(self.scalars)}")
        share = self.value(f"fmul double {self.value(f'sitofp i64 {i} to double')}, 0.01")
        total = self.value(f"fadd double {product}, {share}")
        self.line(f"store double {total}, ptr {self.address(written, i, place)}")
        self.last = written
        other = rng.choice(pool)
        if rng.random() < 0.25 and other != written:
            self.line(f"store double {product}, ptr {self.address(other, i, rng.choice([0, 0, 1, -1]))}")
