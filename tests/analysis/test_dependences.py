"""What loops' bounds say about writes after reads, against programs that are run; linear conditions, counted out."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass, field

import pytest

from enzyme.analysis.alias import AliasAnalysis
from enzyme.analysis.inequalities import impossible
from enzyme.analysis.polynomials import Polynomial, Variable
from enzyme.ir.parser import parse_module
from enzyme.ir.values import Load, Store
from enzyme.rules.known import known_callee

NAMES: list[Variable] = [(None, name) for name in "xyz"]
SIZES = [(n, m) for n in (1, 2, 3, 5) for m in (1, 2, 4)]


@pytest.mark.parametrize("seed", range(6))
def test_what_is_impossible_has_no_solution(seed: int) -> None:
    """Random conditions on three numbers between -4 and 4."""
    draw = random.Random(seed)
    proved = 0
    for _ in range(150):
        rows = [([draw.randint(-3, 3) for _ in NAMES], draw.randint(-6, 6)) for _ in range(draw.randint(1, 4))]
        equations = [([draw.randint(-3, 3) for _ in NAMES], draw.randint(-6, 6)) for _ in range(draw.randint(0, 2))]
        bounds = [([int(k == j) * sign for j in range(3)], 4) for k in range(3) for sign in (1, -1)]
        found = impossible([_form(row) for row in (*rows, *bounds)], [_form(row) for row in equations])
        exists = any(
            all(_at(row, point) >= 0 for row in rows) and all(_at(row, point) == 0 for row in equations)
            for point in itertools.product(range(-4, 5), repeat=3)
        )
        assert not (found and exists), (rows, equations)
        proved += found
    assert proved > 20


def _form(row: tuple[list[int], int]) -> Polynomial:
    return Polynomial.of({**{(name,): factor for name, factor in zip(NAMES, row[0], strict=True)}, (): row[1]})


def _at(row: tuple[list[int], int], point: tuple[int, ...]) -> int:
    return sum(a * b for a, b in zip(row[0], point, strict=True)) + row[1]


# --- random nests: each is written as IR, and run by counting


@dataclass
class Loop:
    """A counter from ``first`` by ``step`` while it is below, or above, ``end``; ``rotated``: tested at the end, behind
    a test in front. The forms are factors of the counters around it, of n, of m, and a number."""

    first: list[int]
    end: list[int]
    step: int
    rotated: bool
    body: list[Loop | Touch] = field(default_factory=list)
    head: str = ""


@dataclass
class Touch:
    """A load (or store) of ``row * stride + column``, if ``only`` is above zero, or is not zero (``other``)."""

    is_load: bool
    row: list[int]
    column: list[int]
    stride: int
    only: list[int] | None
    other: bool = False

    def happens(self, only: int) -> bool:
        return only != 0 if self.other else only > 0


class Program:
    """Two nests, or one, with one load and one store."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.top: list[Loop | Touch] = [self._loop(0) for _ in range(self.draw.choice((1, 1, 2)))]
        places = [(body, depth) for body, depth in self._bodies(self.top, 0) if depth]
        strides = self.draw.choice(((0, 0), (0, 0), (1, 1), (2, 2), (3, 3), (0, 1)))
        for is_load, stride in zip((True, False), strides, strict=True):
            body, depth = self.draw.choice(places)
            row, column = self._index(depth), self._index(depth)
            only = self._form(depth) if self.draw.random() < 0.3 else None
            if seed % 2 and depth > 1 and self.draw.random() < 0.5:  # i != k, or nearly so
                one, two = self.draw.sample(range(depth), 2)
                only = [int(k == one) - int(k == two) for k in range(depth + 2)] + [self.draw.choice((0, 0, 0, 1))]
            touch = Touch(is_load, row, column, stride, only, bool(seed % 2))
            body.insert(self.draw.randint(0, len(body)), touch)

    def _loop(self, depth: int) -> Loop:
        step = self.draw.choice((1, 1, 1, -1))
        low, high = self._bound(depth, True), self._bound(depth, False)
        made = Loop(low if step > 0 else high, high if step > 0 else low, step, self.draw.random() < 0.6)
        if step < 0:
            made.first[-1] -= 1
            made.end[-1] -= 1
        inner = 0 if depth == 2 else self.draw.choice((0, 1, 1, 2) if depth == 0 else (0, 0, 1))
        made.body = [self._loop(depth + 1) for _ in range(inner)]
        return made

    def _bound(self, depth: int, low: bool) -> list[int]:
        form = [0] * (depth + 3)
        if depth and self.draw.random() < (0.5 if low else 0.3):
            form[self.draw.randrange(depth)] = 1
            form[-1] = self.draw.choice((0, 1, 1, 2))
        elif low:
            form[-1] = self.draw.choice((0, 0, 1))
        else:
            form[depth + (self.draw.random() < 0.3)] = 1
            form[-1] = self.draw.choice((0, 0, 0, 1, -1))
        return form

    def _form(self, depth: int) -> list[int]:
        return [self.draw.choice((0, 0, 1, -1)) for _ in range(depth + 2)] + [self.draw.choice((0, 0, 1, -1))]

    def _index(self, depth: int) -> list[int]:
        form = [0] * (depth + 3)
        form[self.draw.randrange(depth)] = 1
        if self.draw.random() < 0.15:
            form[self.draw.randrange(depth + 2)] += self.draw.choice((1, -1))
        form[-1] = self.draw.choice((0, 0, 0, 0, 1, -1))
        return form

    def _bodies(self, body: list[Loop | Touch], depth: int) -> list[tuple[list[Loop | Touch], int]]:
        found = [(body, depth)]
        for each in body:
            if isinstance(each, Loop):
                found += self._bodies(each.body, depth + 1)
        return found

    # run it

    def meets(self, n: int, m: int, within: Loop | None = None) -> bool:
        """Whether a store touches what a load before it has read, or touches it at all in one run of a loop."""
        read: set[int] = set()
        written: set[int] = set()

        def value(form: list[int], counters: list[int]) -> int:
            return sum(a * b for a, b in zip(form, [*counters, n, m, 1], strict=True))

        def run(body: list[Loop | Touch], counters: list[int]) -> bool:
            for each in body:
                if isinstance(each, Loop):
                    if each is within:
                        read.clear()
                        written.clear()
                    at, end = value(each.first, counters), value(each.end, counters)
                    while at < end if each.step > 0 else at > end:
                        if run(each.body, [*counters, at]):
                            return True
                        at += each.step
                elif each.only is None or each.happens(value(each.only, counters)):
                    stride = (n, m, n + 1, 3)[each.stride]
                    place = value(each.row, counters) * stride + value(each.column, counters)
                    if each.is_load:
                        read.add(place)
                    elif place in read:
                        return True
                    else:
                        written.add(place)
                    if within is not None and each.is_load and place in written:
                        return True
            return False

        return run(self.top, [])

    # write it

    def text(self) -> str:
        self.lines, self.count = [], 0
        self.block = "entry"
        self._write(self.top, [])
        return (
            "define void @f(ptr %a, i64 %n, i64 %m) {\nentry:\n  %n1 = add nsw i64 %n, 1\n"
            + "\n".join(self.lines)
            + "\n  ret void\n}\n"
        )

    def _name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def _label(self, name: str) -> None:
        self.lines.append(f"{name}:")
        self.block = name

    def _value(self, form: list[int], counters: list[str]) -> str:
        total = str(form[-1])
        for factor, what in zip(form, [*counters, "%n", "%m"], strict=False):
            if factor:
                part = what
                if factor != 1:
                    part = f"%{self._name()}"
                    self.lines.append(f"  {part} = mul nsw i64 {what}, {factor}")
                name = f"%{self._name()}"
                self.lines.append(f"  {name} = add nsw i64 {part}, {total}")
                total = name
        return total

    def _write(self, body: list[Loop | Touch], counters: list[str]) -> None:
        for each in body:
            if isinstance(each, Loop):
                self._write_loop(each, counters)
            else:
                self._write_touch(each, counters)

    def _write_loop(self, loop: Loop, counters: list[str]) -> None:
        first, end = self._value(loop.first, counters), self._value(loop.end, counters)
        head, inside, latch, out = (self._name() for _ in range(4))
        loop.head = head
        test = "slt" if loop.step > 0 else "sgt"
        counter, following, asked = f"%{self._name()}", f"%{self._name()}", f"%{self._name()}"
        if loop.rotated:
            enters = f"%{self._name()}"
            self.lines += [
                f"  {enters} = icmp {test} i64 {first}, {end}",
                f"  br i1 {enters}, label %{latch}.p, label %{out}",
            ]
            self._label(f"{latch}.p")
        before = self.block
        self.lines.append(f"  br label %{head}")
        self._label(head)
        place = len(self.lines)
        if not loop.rotated:
            self.lines += [
                f"  {asked} = icmp {test} i64 {counter}, {end}",
                f"  br i1 {asked}, label %{inside}, label %{out}",
            ]
            self._label(inside)
        self._write(loop.body, [*counters, counter])
        self.lines.append(f"  br label %{latch}")
        self._label(latch)
        self.lines.append(f"  {following} = add nsw i64 {counter}, {loop.step}")
        self.lines.insert(place, f"  {counter} = phi i64 [ {first}, %{before} ], [ {following}, %{latch} ]")
        if loop.rotated:
            self.lines += [
                f"  {asked} = icmp {test} i64 {following}, {end}",
                f"  br i1 {asked}, label %{head}, label %{out}",
            ]
        else:
            self.lines.append(f"  br label %{head}")
        self._label(out)

    def _write_touch(self, touch: Touch, counters: list[str]) -> None:
        behind = self._name()
        if touch.only is not None:
            asked, inside = f"%{self._name()}", self._name()
            self.lines += [
                f"  {asked} = icmp {'ne' if touch.other else 'sgt'} i64 {self._value(touch.only, counters)}, 0",
                f"  br i1 {asked}, label %{inside}, label %{behind}",
            ]
            self._label(inside)
        row, column = self._value(touch.row, counters), self._value(touch.column, counters)
        stride = ("%n", "%m", "%n1", "3")[touch.stride]
        product, place, at = (f"%{self._name()}" for _ in range(3))
        self.lines += [
            f"  {product} = mul nsw i64 {row}, {stride}",
            f"  {place} = add nsw i64 {product}, {column}",
            f"  {at} = getelementptr inbounds double, ptr %a, i64 {place}",
            f"  {at}.x = load double, ptr {at}" if touch.is_load else f"  store double 1.0, ptr {at}",
            f"  br label %{behind}",
        ]
        self._label(behind)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("part", range(8))
def test_no_write_that_stays_clear_meets_what_was_read(part: int) -> None:
    """Random nests, and all small sizes: what is said to stay clear never meets."""
    said = 0
    for seed in range(part * 100, part * 100 + 100):
        program = Program(seed)
        module = parse_module(program.text())
        function = module.functions["f"]
        alias = AliasAnalysis(function, module, known_callee, dependences=True)
        (load,) = (inst for inst in function.instructions() if isinstance(inst, Load))
        assert any(isinstance(inst, Store) for inst in function.instructions())
        if not alias.writes_after(load):
            said += 1
            for n, m in SIZES:
                assert not program.meets(n, m), (seed, n, m, program.text())
    assert said > 10


def _around_both(body: list[Loop | Touch]) -> list[Loop]:
    """The loops that the load and the store are both in."""
    for each in body:
        if isinstance(each, Loop):
            inside = _touches(each.body)
            if len(inside) == 2:
                return [each, *_around_both(each.body)]
    return []


def _touches(body: list[Loop | Touch]) -> list[Touch]:
    return [it for each in body for it in (_touches(each.body) if isinstance(each, Loop) else [each])]


@pytest.mark.thinned(4)
@pytest.mark.parametrize("part", range(8))
def test_no_run_of_a_loop_in_which_they_stay_apart_has_them_meet(part: int) -> None:
    """The same for what all runs of an inner loop may share."""
    said = 0
    for seed in range(1000 + part * 100, 1100 + part * 100):
        program = Program(seed)
        module = parse_module(program.text())
        function = module.functions["f"]
        alias = AliasAnalysis(function, module, known_callee, dependences=True)
        (load,) = (inst for inst in function.instructions() if isinstance(inst, Load))
        (store,) = (inst for inst in function.instructions() if isinstance(inst, Store))
        for within in _around_both(program.top):
            loop = next(each for each in alias.pointers.forest.loops if each.header.name == within.head)
            if alias.overwrites.stays_apart(load, store, loop):
                said += 1
                for n, m in SIZES:
                    assert not program.meets(n, m, within), (seed, n, m, within.head, program.text())
    assert said > 10
