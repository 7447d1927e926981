"""Random C functions of the numerical kind: nests of loops over matrices and vectors, time steps around them.

What optimisations of derivatives look for is here in all its variants: products and solves by rows and by columns,
stencils and rings, windows that stop at the edge, sums, softmax and choices, pairs of bodies, small matrices, stages of
a step, gathered elements, in arrays that are parameters (``restrict`` or not), slices of one block, or scratch. Sizes
are ``rows`` and ``cols``, two numbers that no compiler knows, from one to more than any register holds.

Values stay within the generator's limit, as in :mod:`enzyme.verify.generator`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from enzyme.verify.expressions import LIMIT, Expression, Scope, Writer, closed, strip
from enzyme.verify.program import FuzzFunction, Helper, Line, Loop, Statement

SHAPES = ((7, 5), (1, 2), (16, 9), (33, 4), (2, 35))
"""The numbers of rows and columns a function is run with."""
KINDS = {"R": "r", "C": "c", "M": "r * c", "Q": "r * r"}
"""Kinds of arrays, and their lengths: a number for each row, for each column, for each pair of both, of two rows."""


def length(rows: int, cols: int) -> int:
    """How many numbers ``x`` and ``y`` have: one array of each kind lies in each of them."""
    return rows * cols + rows * rows + rows + cols


class Arithmetic(Writer):
    """Expressions of the operations that loops over arrays are made of."""

    def expression(self, scope: Scope, depth: int) -> Expression:
        random = self.random
        if depth <= 0 or random.random() < 0.1:
            return self._term(scope)
        a = self.expression(scope, depth - 1)
        if random.random() < 0.3:
            text, bound = random.choice(_UNARY)
            a = self.limited(a, 3.0)
            return Expression(f"({text.format(closed(a.text))})", bound(a.bound))
        b = self.limited(self.expression(scope, depth - 1), 2.5)
        a = self.limited(a, 4.0)
        text, both = random.choice(_BINARY)
        return Expression(f"({text.format(closed(a.text), closed(b.text))})", both(a.bound, b.bound))

    def _term(self, scope: Scope) -> Expression:
        if self.random.random() < 0.12:
            return Expression(f"({self.constant(1.5)})", 1.5)
        return Expression(self.random.choice(scope.scalars), LIMIT)


_UNARY: tuple[tuple[str, Callable[[float], float]], ...] = (
    ("sin({})", lambda b: 1.0),
    ("tanh({})", lambda b: 1.0),
    ("exp(0.3 * {})", lambda b: 2.7182818 ** (0.3 * b)),
    ("log(1.5 + {0} * {0})", lambda b: 0.5 + b),
    ("sqrt(1.0 + {0} * {0})", lambda b: 1 + b),
    ("{0} * {0}", lambda b: b * b),
    ("{0} * {0}", lambda b: b * b),
    ("1.0 / (1.3 + {0} * {0})", lambda b: 0.77),
    ("fmax({}, 0.05)", lambda b: max(b, 0.05)),
    ("fabs({} + 0.77)", lambda b: b + 0.77),
    ("-{}", lambda b: b),
)
_BINARY: tuple[tuple[str, Callable[[float, float], float]], ...] = (
    ("{} + {}", lambda a, b: a + b),
    ("{} - {}", lambda a, b: a + b),
    ("{} * {}", lambda a, b: a * b),
    ("{} * {}", lambda a, b: a * b),
    ("{0} / (1.5 + {1} * {1})", lambda a, b: a / 1.5),
)


@dataclass
class _Place:
    """Where a nest is put: the arrays there are by kind, the numbers that may be read, and a random stream."""

    writer: Arithmetic
    arrays: dict[str, list[str]]
    scalars: list[str]
    sums: list[str] = field(default_factory=list)
    """Numbers that nests may add to."""
    used: list[int] = field(default_factory=lambda: [0])
    written: set[str] = field(default_factory=set)

    @property
    def random(self) -> Random:
        return self.writer.random

    def name(self, letter: str) -> str:
        self.used[0] += 1
        return f"{letter}{self.used[0]}"

    def array(self, kind: str) -> str:
        return self.random.choice(self.arrays[kind])

    def target(self, kind: str) -> str:
        """An array that is written."""
        found = self.array(kind)
        self.written.add(found)
        return found

    def two(self, kind: str) -> tuple[str, str]:
        """Two arrays, the first of them written; the same one at times, or where there is no other."""
        first = self.target(kind)
        others = [a for a in self.arrays[kind] if a != first]
        return first, self.random.choice(others) if others and self.random.random() < 0.85 else first

    def value(self, *terms: str, depth: int | None = None, limit: float = LIMIT) -> str:
        """An expression of these numbers and of those that may be read anyway."""
        depth = self.random.choice((1, 1, 2, 2, 3)) if depth is None else depth
        scope = Scope(scalars=[*terms, *terms, *terms, *self.scalars])
        return strip(self.writer.limited(self.writer.expression(scope, depth), limit).text)

    def bounded(self, text: str) -> str:
        """A sum that may be large, within the limit."""
        return self.random.choice(("sin({})", "tanh({})", "squash({})", "2 * squash({})")).format(text)

    def store(self, place: str, value: str) -> str:
        """``value`` of a size of at most one goes to ``place``, which may be read before."""
        return self.random.choice(
            (f"{place} = {value};", f"{place} = {value};", f"{place} = 0.5 * {place} + {value};",
             f"{place} = {value} - 0.4 * {place};", f"{place} *= {value};")
        )  # fmt: skip


def _for(name: str, start: str, end: str, *body: str | Statement, down: bool = False) -> Loop:
    """``start <= name < end``, up or down."""
    made = tuple(Line(part) if isinstance(part, str) else part for part in body)
    once = f"if ({start} < {end}) {{ int {name} = {start};"
    if down:
        return Loop(f"for (int {name} = {end} - 1; {name} >= {start}; {name}--) {{", made, "}", once)
    return Loop(f"for (int {name} = {start}; {name} < {end}; {name}++) {{", made, "}", once)


def _entry(place: _Place, matrix: str, i: str, j: str, width: str = "c", height: str = "r") -> str:
    """An element of a matrix, which lies by rows, seldom by columns."""
    pick = place.random.random()
    if pick < 0.6:
        return f"{matrix}[{i} * {width} + {j}]"
    return f"({matrix} + {i} * {width})[{j}]" if pick < 0.75 else f"{matrix}[{i} + {j} * {height}]"


# --- matrices and vectors --------------------------------------------------------------------------------------------


def product(place: _Place) -> tuple[Statement, ...]:
    """A matrix times a vector, or something like it: either way round, by rows or by columns, summed up or in place."""
    i, j, s = place.name("i"), place.name("j"), place.name("s")
    kinds = place.random.choice(("RC", "CR"))
    target, source, matrix = place.target(kinds[0]), place.array(kinds[1]), place.array("M")
    a = _entry(place, matrix, i, j) if kinds == "RC" else _entry(place, matrix, j, i)
    rows, cols = KINDS[kinds[0]], KINDS[kinds[1]]
    element = place.random.choice(
        (f"{a} * {source}[{j}]", f"{a} * {source}[{j}]", place.value(a, f"{source}[{j}]"),
         f"({a} - {source}[{j}]) * ({a} - {source}[{j}])", f"sin({a}) * {source}[{j}] * {target}[{i}]")
    )  # fmt: skip
    down = place.random.random() < 0.2
    if place.random.random() < 0.6:
        result = place.bounded(place.random.choice((s, f"{s} / {cols}", f"{s} - 0.5 * {target}[{i}]")))
        start = place.random.choice(("0", place.value(f"{target}[{i}]", depth=1)))
        return (
            _for(i, "0", rows, f"double {s} = {start};", _for(j, "0", cols, f"{s} += {element};", down=down),
                 place.store(f"{target}[{i}]", result)),
        )  # fmt: skip
    scaled = f"0.9 / {cols} * sin({element})" if source == target else f"0.4 / {cols} * ({element})"
    before: Statement = _for(i, "0", rows, f"{target}[{i}] = {place.random.choice(('0', f'0.2 * {target}[{i}]'))};")
    if place.random.random() < 0.2:
        before = Line(f"memset({target}, 0, sizeof(double) * {rows});")
    step = f"{target}[{i}] = sin({target}[{i}] + {scaled});"
    if place.random.random() < 0.6:
        step = f"{target}[{i}] += {scaled.replace('(', 'tanh(', 1) if 'sin' not in scaled else scaled};"
    if place.random.random() < 0.5:
        return before, _for(j, "0", cols, _for(i, "0", rows, step, down=down))
    return before, _for(i, "0", rows, _for(j, "0", cols, step), down=down)


def outer(place: _Place) -> tuple[Statement, ...]:
    """A matrix changed by something of each row and column."""
    i, j = place.name("i"), place.name("j")
    matrix, other = place.two("M")
    u, v = place.array("R"), place.array("C")
    a, b = _entry(place, matrix, i, j), _entry(place, other, i, j)
    value = place.value(f"{u}[{i}]", f"{v}[{j}]", b, limit=1.0)
    step = place.store(a, value)
    if place.random.random() < 0.5:
        return (_for(i, "0", "r", _for(j, "0", "c", step)),)
    return (_for(j, "0", "c", _for(i, "0", "r", step)),)


def matrix_product(place: _Place) -> tuple[Statement, ...]:
    """Rows times rows, or rows times a square, in any order of the loops."""
    i, j, k, s = (place.name(letter) for letter in "ijks")
    a, b, q = place.array("M"), place.array("M"), place.target("Q")
    element = f"{a}[{i} * c + {k}] * {b}[{j} * c + {k}]"
    start, end = place.random.choice((("0", "r"), ("0", f"{i} + 1"), (i, "r")))
    if place.random.random() < 0.5:
        result = place.store(f"{q}[{i} * r + {j}]", place.bounded(s))
        inner = (f"double {s} = 0;", _for(k, "0", "c", f"{s} += {element};"), result)
        return (_for(i, "0", "r", _for(j, start, end, *inner)),)
    clear = _for(i, "0", "r * r", f"{q}[{i}] *= 0.2;")
    step = f"{q}[{i} * r + {j}] += 0.4 / c * tanh({element});"
    loops = {i: ("0", "r"), j: ("0", "r"), k: ("0", "c")}
    order = list(loops)
    place.random.shuffle(order)
    nest: str | Loop = step
    for name in reversed(order):
        nest = _for(name, *loops[name], nest)
    assert isinstance(nest, Loop)
    return clear, nest


def solve(place: _Place) -> tuple[Statement, ...]:
    """A triangular system: forward or backward, by rows or by columns."""
    i, j, s = place.name("i"), place.name("j"), place.name("s")
    q, u = place.array("Q"), place.target("R")
    diagonal = f"(2 + {q}[{i} * r + {i}] * {q}[{i} * r + {i}])"
    at = place.random.choice((f"{q}[{i} * r + {j}]", f"{q}[{j} * r + {i}]"))
    back = place.random.random() < 0.5
    start, end = (f"{i} + 1", "r") if back else ("0", i)
    if place.random.random() < 0.5:
        return (
            _for(i, "0", "r", f"double {s} = {u}[{i}];", _for(j, start, end, f"{s} -= 0.8 / r * {at} * {u}[{j}];"),
                 f"{u}[{i}] = {s} / {diagonal};", down=back),
        )  # fmt: skip
    start, end = ("0", i) if back else (f"{i} + 1", "r")
    return (
        _for(i, "0", "r", f"{u}[{i}] /= {diagonal};",
             _for(j, start, end, f"{u}[{j}] -= 0.8 / r * {at} * {u}[{i}];"), down=back),
    )  # fmt: skip


# --- vectors ---------------------------------------------------------------------------------------------------------


def elementwise(place: _Place) -> tuple[Statement, ...]:
    kind = place.random.choice(("R", "R", "C", "M"))
    i = place.name("i")
    target, other = place.two(kind)
    third = place.array(kind)
    value = place.value(f"{other}[{i}]", f"{third}[{i}]", f"(0.01 * {i})", limit=1.0)
    step = place.store(f"{target}[{i}]", value)
    if place.random.random() < 0.25:
        condition = f"{other}[{i}] {place.random.choice('<>')} {place.writer.constant(0.9)}"
        step = f"if ({condition}) {step}"
        if place.random.random() < 0.5:
            step += f" else {target}[{i}] *= {place.value(f'{third}[{i}]', depth=1, limit=1.0)};"
    down = place.random.random() < 0.2
    extra = f"{place.random.choice(place.sums)} += {place.value(f'{target}[{i}]', depth=1)};" if place.sums else ""
    steps = [step, *([extra] if extra and place.random.random() < 0.3 else [])]
    return (_for(i, "0", KINDS[kind], *steps, down=down),)


def stencil(place: _Place) -> tuple[Statement, ...]:
    """Neighbours in a vector: in place or not, a ring or with borders, and the way back."""
    kind = place.random.choice("RRC")
    n, i = KINDS[kind], place.name("i")
    target, source = place.two(kind)
    left, right, start, end = f"{source}[{i} - 1]", f"{source}[{i} + 1]", "1", f"{n} - 1"
    match place.random.randrange(5):
        case 0:
            left, right, start, end = f"{source}[({i} + {n} - 1) % {n}]", f"{source}[({i} + 1) % {n}]", "0", n
        case 1:
            left = f"{source}[{i} == 0 ? {n} - 1 : {i} - 1]"
            right, start, end = f"{source}[{i} == {n} - 1 ? 0 : {i} + 1]", "0", n
        case 2:
            left = f"({i} > 0 ? {source}[{i} - 1] : 0.3)"
            right, start, end = f"({i} + 1 < {n} ? {source}[{i} + 1] : 0)", "0", n
        case _:
            pass
    terms = place.random.choice(((left, right), (left, right, f"{source}[{i}]"), (left,), (right, f"{target}[{i}]")))
    linear = f"0.5 * {source}[{i}] + 0.2 * ({left} + {right})"
    value = place.random.choice((linear, place.value(*terms, limit=1.0), place.value(*terms, limit=1.0)))
    sweep = _for(i, start, end, place.store(f"{target}[{i}]", value), down=place.random.random() < 0.2)
    back: tuple[Statement, ...] = ()
    if source != target and place.random.random() < 0.5:
        place.written.add(source)
        j = place.name("j")
        back = (
            (_for(j, "0", n, f"{source}[{j}] = {target}[{j}];"),)
            if place.random.random() < 0.7
            else (Line(f"memcpy({source}, {target}, sizeof(double) * {n});"),)
        )
    return (sweep, *back)


def convolution(place: _Place) -> tuple[Statement, ...]:
    """A few taps along a vector or along the rows of a matrix, from front or back, in place at times."""
    pick = place.random.choice
    i, j, a, t, k, s = (place.name(letter) for letter in "ijatks")
    kind = pick("MMMQR")
    target, source = place.two(kind)
    taps, most = place.array("C"), pick((2, 3, 5))
    count = Line(f"const int {k} = c < {most} ? c : {most};")
    at = pick((t, t, f"{k} - 1 - {t}"))
    if kind == "M" and place.random.random() < 0.5:
        rows = pick(("1", "2"))
        term = f"{source}[({i} + {a}) * c + {j} + {at}]"
        inner: Loop = _for(a, "0", rows, _for(t, "0", k, f"{s} += {pick(('', f'(1 + {a}) * '))}{taps}[{t}] * {term};"))
        value = place.store(f"{target}[{i} * c + {j}]", place.bounded(s))
        step = _for(j, "0", f"c - {k} + 1", f"double {s} = {place.value(depth=0)};", inner, value)
        return count, _for(i, "0", f"r - {rows} + 1", step, down=place.random.random() < 0.2)
    n = KINDS[kind]
    term = pick((f"{taps}[{t}] * {source}[{i} + {at}]", f"{taps}[{t}] * {source}[{i} + {at}] * {source}[{i}]",
                 f"{source}[{i} + {at}] / (1.2 + {taps}[{t}] * {taps}[{t}])"))  # fmt: skip
    inner = _for(t, "0", k, f"{s} {pick(('+=', '-='))} {term};")
    begins = f"double {s} = {place.value(depth=0)};"
    put = place.store(f"{target}[{i}]", place.bounded(s))
    return count, _for(i, "0", f"{n} - {k} + 1", begins, inner, put, down=place.random.random() < 0.2)


def grid(place: _Place) -> tuple[Statement, ...]:
    """Neighbours in a matrix."""
    i, j = place.name("i"), place.name("j")
    target, source = place.two("M")
    ring = place.random.random() < 0.3

    def at(array: str, di: int, dj: int) -> str:
        if ring:
            return f"{array}[({i} + {di} + r) % r * c + ({j} + {dj} + c) % c]"
        return f"{array}[({i} + {di}) * c + {j} + {dj}]"

    near = [at(source, di, dj) for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0), (0, 0))]
    linear = f"0.3 * {near[4]} + 0.15 * ({' + '.join(near[:4])})"
    value = place.random.choice((linear, place.value(*near, limit=1.0)))
    step = place.store(f"{target}[{i} * c + {j}]", value)
    bounds = (("0", "r"), ("0", "c")) if ring else (("1", "r - 1"), ("1", "c - 1"))
    if place.random.random() < 0.7:
        return (_for(i, *bounds[0], _for(j, *bounds[1], step)),)
    return (_for(j, *bounds[1], _for(i, *bounds[0], step)),)


def windowed(place: _Place) -> tuple[Statement, ...]:
    """What is around each element, as far as the array goes: all of it, or its mirror image beyond the ends."""
    pick, kind = place.random.choice, place.random.choice("RRCM")
    n, i, j, s = KINDS[kind], place.name("i"), place.name("j"), place.name("s")
    target, source = place.two(kind)
    before, behind = place.random.randint(0, 4), place.random.randint(0, 4)
    down = place.random.random() < 0.2
    if place.random.random() < 0.3:
        left, right = f"{source}[abs({i} - {before})]", f"{source}[{n} - 1 - abs({n} - 1 - {i} - {behind})]"
        put = place.store(f"{target}[{i}]", place.value(left, right, f"{source}[{i}]", limit=1.0))
        return (Loop(f"if ({n} > 4) {{", (_for(i, "0", n, put, down=down),), "}", f"if ({n} > 4) {{"),)
    start, end = _window(place, i, before, behind, n)
    terms = (
        f"{source}[{j}]",
        f"{source}[{j}] * {source}[{i}]",
        place.value(f"{source}[{j}]", f"{source}[{i}]", limit=1.0),
    )
    inner = _for(j, start, end, f"{s} {pick(('+=', '-='))} {pick(terms)};", down=place.random.random() < 0.1)
    mean = f"{s} / ({end} - {start})" if before + behind else s
    put = place.store(f"{target}[{i}]", pick((place.bounded(s), place.bounded(mean))))
    return (_for(i, "0", n, f"double {s} = {place.value(depth=0)};", inner, put, down=down),)


def _window(place: _Place, i: str, before: int, behind: int, n: str) -> tuple[str, str]:
    """From where and up to where elements are around one."""
    starts = (f"({i} > {before} ? {i} - {before} : 0)", f"({i} - {before} < 0 ? 0 : {i} - {before})")
    ends = (
        f"({i} + {behind + 1} < {n} ? {i} + {behind + 1} : {n})",
        f"({i} + {behind} >= {n} ? {n} : {i} + {behind + 1})",
    )
    return place.random.choice(starts) if before else i, place.random.choice(ends) if behind else f"{i} + 1"


def edged(place: _Place) -> tuple[Statement, ...]:
    """The same in a matrix: boxes, and neighbours that are left out beyond its edges."""
    pick = place.random.choice
    i, j, a, b, s = (place.name(letter) for letter in "ijabs")
    target, source = place.two("M")
    here = f"{target}[{i} * c + {j}]"
    if place.random.random() < 0.5:
        rows = _window(place, i, pick((0, 1, 2)), pick((0, 1, 2)), "r")
        cols = _window(place, j, pick((0, 1, 2)), pick((0, 1, 2)), "c")
        box = _for(a, *rows, _for(b, *cols, f"{s} += 0.5 * {source}[{a} * c + {b}];"))
        steps: tuple[str | Statement, ...] = (f"double {s} = 0;", box, place.store(here, place.bounded(s)))
    else:
        k = pick((1, 1, 2))
        beside = [
            f"({i} + {k} < r ? {source}[({i} + {k}) * c + {j}] - {source}[{i} * c + {j}] : 0.2)",
            f"({j} >= {k} ? {source}[{i} * c + {j} - {k}] : {pick(('0', f'{source}[{i} * c + {j}]'))})",
            f"({i} > 0 && {j} + 1 < c ? {source}[({i} - 1) * c + {j} + 1] : 0)",
        ]
        put = place.store(here, place.value(*beside, f"{source}[{i} * c + {j}]", limit=1.0))
        steps = (f"if ({i} > 0) {put}" if place.random.random() < 0.2 else put,)
    down = place.random.random() < 0.2
    return (_for(i, "0", "r", _for(j, "0", "c", *steps, down=down), down=place.random.random() < 0.2),)


def scan(place: _Place) -> tuple[Statement, ...]:
    """Each element from the one before."""
    i, s = place.name("i"), place.name("s")
    target, other = place.two("R")
    value = place.value(f"{other}[{i}]", depth=1, limit=1.0)
    if place.random.random() < 0.5:
        return (_for(i, "1", "r", f"{target}[{i}] = 0.4 * {target}[{i} - 1] + {value};"),)
    step = f"{s} = 0.5 * {s} + {place.value(s, f'{other}[{i}]', limit=1.0)};"
    return (Line(f"double {s} = {place.value(depth=1)};"), _for(i, "0", "r", step, f"{target}[{i}] = {s};"))


def stages(place: _Place) -> tuple[Statement, ...]:
    """A step of several stages, each an array of its own, as Runge and Kutta have them."""
    n, i = "r", place.name("i")
    state, other = place.two("R")
    names = [place.name("k") for _ in range(place.random.randint(2, 4))]
    made: list[Statement] = [Line(f"double {', '.join(f'{name}[r]' for name in names)}, {names[0]}t[r];")]
    source = state
    for name in names:
        ring = place.random.random() < 0.3
        beside = f"{source}[({i} + 1) % {n}]" if ring else f"{other}[{i}]"
        slope = place.value(f"{source}[{i}]", beside, limit=1.0)
        made.append(_for(i, "0", n, f"{name}[{i}] = {slope};"))
        made.append(_for(i, "0", n, f"{names[0]}t[{i}] = 0.8 * {state}[{i}] + 0.1 * {name}[{i}];"))
        source = f"{names[0]}t"
    total = " + ".join(f"{name}[{i}]" for name in names)
    made.append(_for(i, "0", n, f"{state}[{i}] = 0.5 * {state}[{i}] + 0.2 * ({total});"))
    return (Loop("{", tuple(made), "}", "{"),)


def gathered(place: _Place) -> tuple[Statement, ...]:
    """Elements that an index names, read or added to."""
    i = place.name("i")
    target, other = place.two("R")
    at = f"{other}[index[{i}] % r]"
    if place.random.random() < 0.4:
        return (_for(i, "0", "r", place.store(f"{target}[{i}]", place.value(at, f"{target}[{i}]", limit=1.0))),)
    added = place.value(f"{other}[{i}]", depth=1, limit=1.0)
    return (
        _for(i, "0", "r", f"{target}[index[{i}] % r] += 0.9 / r * ({added});"),
        _for(i, "0", "r", f"{target}[{i}] = {place.bounded(f'{target}[{i}]')};"),
    )


# --- sums and choices ------------------------------------------------------------------------------------------------


def summed(place: _Place) -> tuple[Statement, ...]:
    """A sum over a nest, used at once."""
    i, j, s = place.name("i"), place.name("j"), place.name("s")
    u, v, matrix = place.array("R"), place.array("C"), place.array("M")
    target = place.target("R")
    value = place.value(f"{u}[{i}]", f"{v}[{j}]", _entry(place, matrix, i, j))
    inner = _for(j, "0", "c", f"{s} += {value};")
    if place.random.random() < 0.3:
        inner = _for(j, "0", "c", f"if ({v}[{j}] > {place.writer.constant(0.9)}) {s} += {value};")
    use = place.random.choice(
        (f"{target}[0] = {place.bounded(s)};", f"{target}[r - 1] *= {place.bounded(s)};",
         *(f"{name} += {place.bounded(f'{s} / (r * c)')};" for name in place.sums))
    )  # fmt: skip
    return (Line(f"double {s} = 0;"), _for(i, "0", "r", inner), Line(use))


def softmax(place: _Place) -> tuple[Statement, ...]:
    """The logarithm of a sum of exponentials, or its shares, for each row."""
    i, j, s, m = (place.name(letter) for letter in "ijsm")
    matrix, v, u = place.array("M"), place.array("C"), place.target("R")
    a = f"{matrix}[{i} * c + {j}]"
    body: list[str | Statement] = [
        f"double {m} = {matrix}[{i} * c] + {v}[0], {s} = 0;",
        _for(j, "1", "c", f"if ({a} + {v}[{j}] > {m}) {m} = {a} + {v}[{j}];"),
        _for(j, "0", "c", f"{s} += exp({a} + {v}[{j}] - {m});"),
    ]
    if place.random.random() < 0.5:
        body.append(place.store(f"{u}[{i}]", f"0.2 * ({m} + log({s}))"))
    else:
        place.written.add(matrix)
        body.append(_for(j, "0", "c", f"{a} = exp({a} + {v}[{j}] - {m}) / {s};"))
    return (_for(i, "0", "r", *body),)


def nearest(place: _Place) -> tuple[Statement, ...]:
    """The least of some distances, and what belongs to it."""
    i, j, best, at = (place.name(letter) for letter in "ijba")
    matrix, v, target = place.array("M"), place.array("C"), place.target("R")
    distance = f"({matrix}[{i} * c + {j}] - 1.7 * {v}[{j}])"
    body = (
        f"double {best} = 1e30; int {at} = 0;",
        _for(j, "0", "c", f"double d = {distance} * {distance}; if (d < {best}) {{ {best} = d; {at} = {j}; }}"),
    )
    use = place.random.choice((place.bounded(best), f"0.5 * {v}[{at}]", f"squash({best} * {v}[{at}])"))
    return (_for(i, "0", "r", *body, place.store(f"{target}[{i}]", use)),)


def pairs(place: _Place) -> tuple[Statement, ...]:
    """Forces between bodies: each pair once or twice."""
    i, j, s = place.name("i"), place.name("j"), place.name("s")
    target, source = place.two("R")
    mass = place.array("R")
    force = place.random.choice(
        ("{m} * {d} / (0.5 + {d} * {d})", "{d} * {m} / sqrt(0.3 + {d} * {d})", "tanh({d}) * {m}")
    ).format(d=f"({source}[{j}] - {source}[{i}])", m=f"{mass}[{j}]")
    if place.random.random() < 0.5:
        skip = place.random.choice((f"if ({j} == {i}) continue;", f"if ({j} != {i})", ""))
        return (
            _for(i, "0", "r", f"double {s} = 0;", _for(j, "0", "r", f"{skip} {s} += {force};"),
                 place.store(f"{target}[{i}]", place.bounded(f"{s} / r"))),
        )  # fmt: skip
    h = place.name("h")
    return (
        Loop("{", (
            Line(f"double {h}[r]; for (int {i} = 0; {i} < r; {i}++) {h}[{i}] = 0;"),
            _for(i, "0", "r", _for(j, "0", i, f"double f = {force}; {h}[{i}] += f; {h}[{j}] -= f;")),
            _for(i, "0", "r", f"{target}[{i}] = {place.bounded(f'{target}[{i}] + {h}[{i}] / r')};"),
        ), "}", "{"),
    )  # fmt: skip


# --- little work at each point ---------------------------------------------------------------------------------------


def small(place: _Place) -> tuple[Statement, ...]:
    """A product of small matrices for each row."""
    i, a, b, k, m = (place.name(letter) for letter in "iabkm")
    n = place.random.choice((2, 3, 4))
    target, u = place.two("R")
    v = place.array("C")
    fill = place.value(f"{u}[{i}]", f"{v}[0]", f"(0.1 * {a})", f"(0.2 * {b})", limit=1.0)
    line = f"{m}t[{a}] += {m}[{a}][{b}] * {m}v[{b}];"
    body: list[str | Statement] = [
        f"double {m}[{n}][{n}], {m}v[{n}], {m}t[{n}];",
        _for(a, "0", f"{n}", f"{m}v[{a}] = {place.value(f'{u}[{i}]', f'(0.3 * {a})', depth=1)}; {m}t[{a}] = 0;"),
        _for(a, "0", f"{n}", _for(b, "0", f"{n}", f"{m}[{a}][{b}] = {fill};")),
    ]
    if place.random.random() < 0.5:
        body.append(f"{m}[0][1] = 0; {m}[1][0] = 1;")
    if place.random.random() < 0.5:
        body.append(_for(a, "0", f"{n}", _for(b, "0", f"{n}", line)))
    else:
        body.append(_for(b, "0", f"{n}", _for(a, "0", f"{n}", line)))
    if place.random.random() < 0.4:
        again = _for(a, "0", f"{n}", f"{m}v[{a}] = sin({m}t[{a}]); {m}t[{a}] *= {m}v[0];")
        body.append(_for(k, "0", "3", again))
    body.append(place.store(f"{target}[{i}]", place.bounded(" + ".join(f"{m}t[{e}]" for e in range(n)))))
    return (_for(i, "0", "r", *body),)


def root(place: _Place) -> tuple[Statement, ...]:
    """A few steps of Newton's method for each element."""
    i, z, k = place.name("i"), place.name("z"), place.name("k")
    target, u = place.two("R")
    step = f"{z} -= ({z} * {z} * {z} + {z} - {u}[{i}]) / (3 * {z} * {z} + 1);"
    rounds = _for(k, "0", place.random.choice(("2", "3", "1 + c % 3")), step)
    if place.random.random() < 0.3:
        rounds = _for(k, "0", "6", step, f"if (fabs({z}) < 0.4) break;")
    return (_for(i, "0", "r", f"double {z} = 0.5 * {u}[{i}];", rounds, f"{target}[{i}] = {z};"),)


def rotated(place: _Place) -> tuple[Statement, ...]:
    """Pairs of numbers turned, as in a butterfly."""
    i, h, re, im = (place.name(letter) for letter in "ihac")
    kind = place.random.choice("RM")
    u = place.target(kind)
    angle = place.random.choice((f"0.3 * {i}", "p"))
    first, second = place.random.choice(((f"{u}[2 * {i}]", f"{u}[2 * {i} + 1]"), (f"{u}[{i}]", f"{u}[{h} + {i}]")))
    return (
        Line(f"int {h} = {KINDS[kind]} / 2;"),
        _for(i, "0", h, f"double {re} = cos({angle}) * {first} - sin({angle}) * {second};",
             f"double {im} = sin({angle}) * {first} + cos({angle}) * {second};",
             f"{first} = 0.7 * ({re} + {im}); {second} = 0.7 * ({re} - {im});"),
    )  # fmt: skip


def gates(place: _Place) -> tuple[Statement, ...]:
    """Gates of a recurrent network: what is forgotten, what is taken in, what is shown."""
    i, f, g, o = (place.name(letter) for letter in "ifgo")
    cell, hidden = place.two("R")
    place.written.add(hidden)
    w = place.array("R")
    return (
        _for(i, "0", "r", f"double {f} = 1 / (1 + exp(-({hidden}[{i}] + {w}[{i}])));",
             f"double {g} = tanh({hidden}[{i}] * {w}[{i}] + {place.value(depth=0)});",
             f"double {o} = 1 / (1 + exp(-{hidden}[{i}]));",
             f"{cell}[{i}] = 0.9 * {cell}[{i}] * {f} + {g} * {f} * 0.1; {hidden}[{i}] = {o} * tanh({cell}[{i}]);"),
    )  # fmt: skip


def in_place(place: _Place) -> tuple[Statement, ...]:
    """A matrix that is worked on row by row, as an elimination does: rows that are done with stay as they are, or do
    not, with a pivot at times."""
    pick = place.random.choice
    k, i, j, p, f, t = (place.name(letter) for letter in "kijpft")
    q = place.target("Q")
    by_rows = place.random.random() < 0.75

    def at(row: str, column: str) -> str:
        return f"{q}[{row} * r + {column}]" if by_rows else f"{q}[{row} + {column} * r]"

    row = k
    before: list[str | Statement] = []
    if place.random.random() < 0.3:
        row = pick((k, p))
        better = f"if (fabs({at(i, k)}) > 1.3 * fabs({at(p, k)}) + 0.01) {p} = {i};"
        before = [f"int {p} = {k};", _for(i, pick((f"{k} + 1", f"{k} + 1", "0")), "r", better)]
        swapped = f"double {t} = {at(k, j)}; {at(k, j)} = {at(p, j)}; {at(p, j)} = {t};"
        before += [_for(j, pick((k, "0")), "r", swapped)] if place.random.random() < 0.7 else []
    factor = pick((f"{at(i, k)} / (1.2 + {at(row, k)} * {at(row, k)})", at(i, k), place.value(at(i, k), at(row, k))))
    result = pick((f"sin({at(i, j)} - 0.4 * {f} * {at(row, j)})", f"squash({at(i, j)} + {f} * {at(row, j)})",
                   f"0.6 * {at(i, j)} - 0.3 * tanh({f} * {at(row, j)})"))  # fmt: skip
    columns = pick((f"{k} + 1", f"{k} + 1", k, "0")), pick(("r", "r", "r - 1", f"{i} + 1"))
    inner = _for(j, *columns, f"{at(i, j)} = {result};", down=place.random.random() < 0.15)
    rows = pick((f"{k} + 1", f"{k} + 1", k, "0"))
    but: list[str] = []
    if place.random.random() < 0.3:  # every row but one, which is the one that is read, or not
        left_out = pick((k, k, row, f"{k} + 1", f"{k} || {i} == {row}"))
        rows, but = "0", [f"if ({i} == {left_out}) continue;"]
    each: tuple[str | Statement, ...] = (*but, f"double {f} = squash({factor});", inner)
    body = (*before, _for(i, rows, "r", *each, down=place.random.random() < 0.2))
    return (_for(k, "0", "r", *body, down=place.random.random() < 0.2),)


def table(place: _Place) -> tuple[Statement, ...]:
    """Each number of a matrix made of its neighbours in the row before and in its own."""
    i, j = place.name("i"), place.name("j")
    m = place.target("M")
    above, left, corner = f"{m}[({i} - 1) * c + {j}]", f"{m}[{i} * c + {j} - 1]", f"{m}[({i} - 1) * c + {j} - 1]"
    parts = place.random.sample([above, left, corner, f"{m}[{i} * c + {j}]"], place.random.randint(2, 4))
    made = place.bounded(place.value(*parts, depth=2))
    first, last = place.random.choice((("1", "c"), ("1", "c"), ("1", "c - 1"), (f"({i} < c ? {i} : c)", "c")))
    return (_for(i, "1", "r", _for(j, first, last, place.store(f"{m}[{i} * c + {j}]", made))),)


NESTS: tuple[Callable[[_Place], tuple[Statement, ...]], ...] = (
    product, product, product, outer, matrix_product, solve, elementwise, elementwise, elementwise, stencil, stencil,
    grid, scan, stages, gathered, summed, summed, softmax, nearest, pairs, small, root, rotated, gates,
    in_place, in_place, table, convolution, convolution, windowed, windowed, edged,
)  # fmt: skip


# --- whole functions -------------------------------------------------------------------------------------------------


def generate_nests(seed: int, index: int, features: frozenset[str]) -> FuzzFunction:
    """The function number ``index`` of a seed; ``features`` may have ``width``, ``wide`` and ``second``."""
    random = Random(f"enzyme-nests-{seed}-{index}")
    writer = Arithmetic(random)
    lines = [
        "const int r = rows, c = cols;",
        "double *xm = x, *xq = x + r * c, *xr = xq + r * r, *xc = xr + r;",
        "double *ym = y, *yq = y + r * c, *yr = yq + r * r, *yc = yr + r;",
    ]
    arrays = {"R": ["xr", "yr"], "C": ["xc", "yc"], "M": ["xm", "ym"], "Q": ["xq", "yq"]}
    cleanup: list[str] = []
    for kind, size in KINDS.items():
        pick = random.random()
        name = f"h{kind.lower()}"
        if pick < 0.25:
            lines.append(f"double *{name} = calloc({size}, sizeof(double));")
        elif pick < 0.4:
            lines.append(f"double *{name} = malloc(sizeof(double) * {size});")
            lines.append(f"for (int i = 0; i < {size}; i++) {name}[i] = 0.01 * i / r;")
        elif pick < 0.5:
            lines.append(f"double {name}[{size}]; for (int i = 0; i < {size}; i++) {name}[i] = p;")
        else:
            continue
        arrays[kind].append(name)
        cleanup += [f"free({name});"] if pick < 0.4 else []
    sums = ["e0", "e1"][: random.randint(0, 2)]
    lines += [f"double {name} = 0;" for name in sums]
    place = _Place(writer, arrays, ["p"], sums)
    helpers: list[Helper] = []
    body: list[Statement] = []
    for _ in range(random.choice((1, 2, 2, 3))):
        if random.random() < 0.6:
            helper, call = _kernel(place, len(helpers))
            helpers.append(helper)
            part: tuple[Statement, ...] = (Line(call),)
        else:
            part = _nests(place, random.choice((1, 1, 2, 3)))
        if random.random() < 0.45:
            part = (_steps(place, part),)
        body += part
    result = " + ".join(
        [*(f"sin({name})" for name in sums)]
        + [f"0.3 * total({a}, {KINDS[k]}) / ({KINDS[k]})" for k, some in arrays.items() for a in some if a[0] == "h"]
        + [random.choice(("xr[0] * yr[0]", "xm[r * c - 1] * p", "xc[0] * xc[0]"))]
    )
    shares = {"width": 0.1, "wide": 0.2, "second": 0.1}
    checks = tuple(check for check, share in shares.items() if random.random() < share and check in features)
    return FuzzFunction(
        f"f{index}", seed, tuple(helpers), tuple(lines), tuple(body), tuple(cleanup), result, False, checks, True
    )


def _nests(place: _Place, count: int) -> tuple[Statement, ...]:
    made: list[Statement] = []
    for _ in range(count):
        made += place.random.choice(NESTS)(place)
    return tuple(made)


def _steps(place: _Place, part: tuple[Statement, ...]) -> Loop:
    """Time steps around nests: numbers of their own are declared within."""
    t = place.name("t")
    count = place.random.choice(("2", "3", "c", "1 + r % 4", "cols % 3"))
    extra: tuple[Statement, ...] = ()
    if place.random.random() < 0.25:
        target = place.target("R")
        extra = (Line(f"{target}[{t} % r] = 0.6 * {target}[{t} % r] + 0.1 * {t} / (1 + {t});"),)
    return _for(t, "0", count, *part, *extra)


def _kernel(place: _Place, number: int) -> tuple[Helper, str]:
    """A function of its own for some nests, and a call of it."""
    random = place.random
    kinds = {kind: random.randint(1, min(2, len(some))) for kind, some in place.arrays.items()}
    apart = random.random() < 0.6
    inside: dict[str, list[str]] = {}
    given: list[tuple[str, str]] = []
    for kind, count in kinds.items():
        inside[kind] = [f"{kind.lower()}{e}" for e in range(count)]
        chosen = random.sample(place.arrays[kind], count) if apart else random.choices(place.arrays[kind], k=count)
        given += zip(inside[kind], chosen, strict=True)
    sums = ["e"] if random.random() < 0.4 else []
    inner = _Place(place.writer, inside, ["p"], sums, place.used)
    body = _nests(inner, random.choice((1, 1, 2, 3)))
    if random.random() < 0.25:
        body = (_steps(inner, body),)
    qualifier = " restrict" if apart and random.random() < 0.75 else ""
    parameters = ", ".join(
        f"{'' if name in inner.written else 'const '}double *{qualifier.strip()}{' ' if qualifier else ''}{name}"
        for name, _ in given
    )
    linkage = random.choice(("static NOINLINE", "static NOINLINE", "static"))
    result = "double" if sums else "void"
    name = f"@P_k{number}"
    head = f"{linkage} {result} {name}(int r, int c, const int *index, {parameters}, double p) {{"
    head += " double e = 0;" if sums else ""
    call = f"{name}(r, c, index, {', '.join(array for _, array in given)}, {place.value(depth=0)});"
    if sums:
        where = random.choice((*place.sums, ""))
        target = place.target("R")
        call = f"{where} += squash({call[:-1]});" if where else f"{target}[0] = squash({call[:-1]});"
    return Helper(name, head, body, "return e;" if sums else ""), call
