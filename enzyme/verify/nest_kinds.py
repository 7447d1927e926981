"""Nests of loops of many kinds, a few statements each: :mod:`enzyme.verify.nests` makes functions of them."""

from __future__ import annotations

from collections.abc import Callable

from enzyme.verify.nest_place import KINDS, Place, loop
from enzyme.verify.program import Line, Loop, Statement


def _entry(place: Place, matrix: str, i: str, j: str, width: str = "c", height: str = "r") -> str:
    """An element of a matrix, which lies by rows, seldom by columns."""
    pick = place.random.random()
    if pick < 0.6:
        return f"{matrix}[{i} * {width} + {j}]"
    return f"({matrix} + {i} * {width})[{j}]" if pick < 0.75 else f"{matrix}[{i} + {j} * {height}]"


# --- matrices and vectors --------------------------------------------------------------------------------------------


def product(place: Place) -> tuple[Statement, ...]:
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
            loop(i, "0", rows, f"double {s} = {start};", loop(j, "0", cols, f"{s} += {element};", down=down),
                 place.store(f"{target}[{i}]", result)),
        )  # fmt: skip
    scaled = f"0.9 / {cols} * sin({element})" if source == target else f"0.4 / {cols} * ({element})"
    before: Statement = loop(i, "0", rows, f"{target}[{i}] = {place.random.choice(('0', f'0.2 * {target}[{i}]'))};")
    if place.random.random() < 0.2:
        before = Line(f"memset({target}, 0, sizeof(double) * {rows});")
    step = f"{target}[{i}] = sin({target}[{i}] + {scaled});"
    if place.random.random() < 0.6:
        step = f"{target}[{i}] += {scaled.replace('(', 'tanh(', 1) if 'sin' not in scaled else scaled};"
    if place.random.random() < 0.5:
        return before, loop(j, "0", cols, loop(i, "0", rows, step, down=down))
    return before, loop(i, "0", rows, loop(j, "0", cols, step), down=down)


def outer(place: Place) -> tuple[Statement, ...]:
    """A matrix changed by something of each row and column."""
    i, j = place.name("i"), place.name("j")
    matrix, other = place.two("M")
    u, v = place.array("R"), place.array("C")
    a, b = _entry(place, matrix, i, j), _entry(place, other, i, j)
    value = place.value(f"{u}[{i}]", f"{v}[{j}]", b, limit=1.0)
    step = place.store(a, value)
    if place.random.random() < 0.5:
        return (loop(i, "0", "r", loop(j, "0", "c", step)),)
    return (loop(j, "0", "c", loop(i, "0", "r", step)),)


def matrix_product(place: Place) -> tuple[Statement, ...]:
    """Rows times rows, or rows times a square, in any order of the loops."""
    i, j, k, s = (place.name(letter) for letter in "ijks")
    a, b, q = place.array("M"), place.array("M"), place.target("Q")
    element = f"{a}[{i} * c + {k}] * {b}[{j} * c + {k}]"
    start, end = place.random.choice((("0", "r"), ("0", f"{i} + 1"), (i, "r")))
    if place.random.random() < 0.5:
        result = place.store(f"{q}[{i} * r + {j}]", place.bounded(s))
        inner = (f"double {s} = 0;", loop(k, "0", "c", f"{s} += {element};"), result)
        return (loop(i, "0", "r", loop(j, start, end, *inner)),)
    clear = loop(i, "0", "r * r", f"{q}[{i}] *= 0.2;")
    step = f"{q}[{i} * r + {j}] += 0.4 / c * tanh({element});"
    loops = {i: ("0", "r"), j: ("0", "r"), k: ("0", "c")}
    order = list(loops)
    place.random.shuffle(order)
    nest: str | Loop = step
    for name in reversed(order):
        nest = loop(name, *loops[name], nest)
    assert isinstance(nest, Loop)
    return clear, nest


def solve(place: Place) -> tuple[Statement, ...]:
    """A triangular system: forward or backward, by rows or by columns."""
    i, j, s = place.name("i"), place.name("j"), place.name("s")
    q, u = place.array("Q"), place.target("R")
    diagonal = f"(2 + {q}[{i} * r + {i}] * {q}[{i} * r + {i}])"
    at = place.random.choice((f"{q}[{i} * r + {j}]", f"{q}[{j} * r + {i}]"))
    back = place.random.random() < 0.5
    start, end = (f"{i} + 1", "r") if back else ("0", i)
    if place.random.random() < 0.5:
        return (
            loop(i, "0", "r", f"double {s} = {u}[{i}];", loop(j, start, end, f"{s} -= 0.8 / r * {at} * {u}[{j}];"),
                 f"{u}[{i}] = {s} / {diagonal};", down=back),
        )  # fmt: skip
    start, end = ("0", i) if back else (f"{i} + 1", "r")
    return (
        loop(i, "0", "r", f"{u}[{i}] /= {diagonal};",
             loop(j, start, end, f"{u}[{j}] -= 0.8 / r * {at} * {u}[{i}];"), down=back),
    )  # fmt: skip


# --- vectors ---------------------------------------------------------------------------------------------------------


def elementwise(place: Place) -> tuple[Statement, ...]:
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
    return (loop(i, "0", KINDS[kind], *steps, down=down),)


def stencil(place: Place) -> tuple[Statement, ...]:
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
    sweep = loop(i, start, end, place.store(f"{target}[{i}]", value), down=place.random.random() < 0.2)
    back: tuple[Statement, ...] = ()
    if source != target and place.random.random() < 0.5:
        place.written.add(source)
        j = place.name("j")
        back = (
            (loop(j, "0", n, f"{source}[{j}] = {target}[{j}];"),)
            if place.random.random() < 0.7
            else (Line(f"memcpy({source}, {target}, sizeof(double) * {n});"),)
        )
    return (sweep, *back)


def convolution(place: Place) -> tuple[Statement, ...]:
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
        inner: Loop = loop(a, "0", rows, loop(t, "0", k, f"{s} += {pick(('', f'(1 + {a}) * '))}{taps}[{t}] * {term};"))
        value = place.store(f"{target}[{i} * c + {j}]", place.bounded(s))
        step = loop(j, "0", f"c - {k} + 1", f"double {s} = {place.value(depth=0)};", inner, value)
        return count, loop(i, "0", f"r - {rows} + 1", step, down=place.random.random() < 0.2)
    n = KINDS[kind]
    term = pick((f"{taps}[{t}] * {source}[{i} + {at}]", f"{taps}[{t}] * {source}[{i} + {at}] * {source}[{i}]",
                 f"{source}[{i} + {at}] / (1.2 + {taps}[{t}] * {taps}[{t}])"))  # fmt: skip
    inner = loop(t, "0", k, f"{s} {pick(('+=', '-='))} {term};")
    begins = f"double {s} = {place.value(depth=0)};"
    put = place.store(f"{target}[{i}]", place.bounded(s))
    return count, loop(i, "0", f"{n} - {k} + 1", begins, inner, put, down=place.random.random() < 0.2)


def grid(place: Place) -> tuple[Statement, ...]:
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
        return (loop(i, *bounds[0], loop(j, *bounds[1], step)),)
    return (loop(j, *bounds[1], loop(i, *bounds[0], step)),)


def windowed(place: Place) -> tuple[Statement, ...]:
    """What is around each element, as far as the array goes: all of it, or its mirror image beyond the ends."""
    pick, kind = place.random.choice, place.random.choice("RRCM")
    n, i, j, s = KINDS[kind], place.name("i"), place.name("j"), place.name("s")
    target, source = place.two(kind)
    before, behind = place.random.randint(0, 4), place.random.randint(0, 4)
    down = place.random.random() < 0.2
    if place.random.random() < 0.3:
        left, right = f"{source}[abs({i} - {before})]", f"{source}[{n} - 1 - abs({n} - 1 - {i} - {behind})]"
        put = place.store(f"{target}[{i}]", place.value(left, right, f"{source}[{i}]", limit=1.0))
        return (Loop(f"if ({n} > 4) {{", (loop(i, "0", n, put, down=down),), "}", f"if ({n} > 4) {{"),)
    start, end = _window(place, i, before, behind, n)
    terms = (
        f"{source}[{j}]",
        f"{source}[{j}] * {source}[{i}]",
        place.value(f"{source}[{j}]", f"{source}[{i}]", limit=1.0),
    )
    inner = loop(j, start, end, f"{s} {pick(('+=', '-='))} {pick(terms)};", down=place.random.random() < 0.1)
    mean = f"{s} / ({end} - {start})" if before + behind else s
    put = place.store(f"{target}[{i}]", pick((place.bounded(s), place.bounded(mean))))
    return (loop(i, "0", n, f"double {s} = {place.value(depth=0)};", inner, put, down=down),)


def _window(place: Place, i: str, before: int, behind: int, n: str) -> tuple[str, str]:
    """From where and up to where elements are around one."""
    starts = (f"({i} > {before} ? {i} - {before} : 0)", f"({i} - {before} < 0 ? 0 : {i} - {before})")
    ends = (
        f"({i} + {behind + 1} < {n} ? {i} + {behind + 1} : {n})",
        f"({i} + {behind} >= {n} ? {n} : {i} + {behind + 1})",
    )
    return place.random.choice(starts) if before else i, place.random.choice(ends) if behind else f"{i} + 1"


def edged(place: Place) -> tuple[Statement, ...]:
    """The same in a matrix: boxes, and neighbours that are left out beyond its edges."""
    pick = place.random.choice
    i, j, a, b, s = (place.name(letter) for letter in "ijabs")
    target, source = place.two("M")
    here = f"{target}[{i} * c + {j}]"
    if place.random.random() < 0.5:
        rows = _window(place, i, pick((0, 1, 2)), pick((0, 1, 2)), "r")
        cols = _window(place, j, pick((0, 1, 2)), pick((0, 1, 2)), "c")
        box = loop(a, *rows, loop(b, *cols, f"{s} += 0.5 * {source}[{a} * c + {b}];"))
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
    return (loop(i, "0", "r", loop(j, "0", "c", *steps, down=down), down=place.random.random() < 0.2),)


def choosing(place: Place) -> tuple[Statement, ...]:
    """Iterations that go different ways, over numbers or records of two or three, and store behind them or on each."""
    pick, kind, members = place.random.choice, place.random.choice("RCMM"), place.random.choice((1, 1, 2, 3))
    i, a, b, v = (place.name(letter) for letter in "iabv")
    target, source = place.two(kind)

    def member(array: str, number: int, by: int = 0) -> str:
        return f"{array}[{members} * ({i} + {by}) + {number}]"

    asked = (f"{a} > {place.writer.constant(0.9)}", f"{a} * {b} > 0.1", f"{a} < {b}", f"{i} % 3 == 1", f"{i} > 2")
    apart = place.random.random() < 0.4

    def way(depth: int) -> str:
        if depth and place.random.random() < 0.6:
            if place.random.random() < 0.3:
                return f"if (fabs({a}) > 0.4) {{ {end(f'tanh({b} / {a})')} }} else {{ {way(depth - 1)} }}"
            return f"if ({pick(asked)}) {{ {way(depth - 1)} }} else {{ {way(depth - 1)} }}"
        return end(place.value(a, b, limit=1.0))

    def end(value: str) -> str:
        if not apart:
            return f"{v} = {value};"
        return " ".join(f"{member(target, k)} = {value if not k else f'{value} * {a}'};" for k in range(members))

    near, last = member(source, members - 1, pick((-1, 0, 1))), f"({KINDS[kind]}) / {members} - 1"
    head = f"double {a} = {member(source, 0)}, {b} = squash({near} + {place.value(a, depth=1)}), {v} = 0.1 * {b};"
    stores = "" if apart else " ".join(place.store(member(target, k), f"{v} * {pick((a, b))}") for k in range(members))
    extra = f"{pick(place.sums)} += {v} * {a};" if place.sums and place.random.random() < 0.2 else ""
    return (loop(i, "1", last, head, f"{way(2)}", stores, extra, down=place.random.random() < 0.2),)


def scan(place: Place) -> tuple[Statement, ...]:
    """Each element from the one before."""
    i, s = place.name("i"), place.name("s")
    target, other = place.two("R")
    value = place.value(f"{other}[{i}]", depth=1, limit=1.0)
    if place.random.random() < 0.5:
        return (loop(i, "1", "r", f"{target}[{i}] = 0.4 * {target}[{i} - 1] + {value};"),)
    step = f"{s} = 0.5 * {s} + {place.value(s, f'{other}[{i}]', limit=1.0)};"
    return (Line(f"double {s} = {place.value(depth=1)};"), loop(i, "0", "r", step, f"{target}[{i}] = {s};"))


def stages(place: Place) -> tuple[Statement, ...]:
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
        made.append(loop(i, "0", n, f"{name}[{i}] = {slope};"))
        made.append(loop(i, "0", n, f"{names[0]}t[{i}] = 0.8 * {state}[{i}] + 0.1 * {name}[{i}];"))
        source = f"{names[0]}t"
    total = " + ".join(f"{name}[{i}]" for name in names)
    made.append(loop(i, "0", n, f"{state}[{i}] = 0.5 * {state}[{i}] + 0.2 * ({total});"))
    return (Loop("{", tuple(made), "}", "{"),)


def gathered(place: Place) -> tuple[Statement, ...]:
    """Elements that an index names, read or added to."""
    i = place.name("i")
    target, other = place.two("R")
    at = f"{other}[index[{i}] % r]"
    if place.random.random() < 0.4:
        return (loop(i, "0", "r", place.store(f"{target}[{i}]", place.value(at, f"{target}[{i}]", limit=1.0))),)
    added = place.value(f"{other}[{i}]", depth=1, limit=1.0)
    return (
        loop(i, "0", "r", f"{target}[index[{i}] % r] += 0.9 / r * ({added});"),
        loop(i, "0", "r", f"{target}[{i}] = {place.bounded(f'{target}[{i}]')};"),
    )


def short_rows(place: Place) -> tuple[Statement, ...]:
    """Two or three short rows of one table, or of two, that an index names: the same row at times, or windows which
    overlap by some elements."""
    pick, chance = place.random.choice, place.random.random
    kind, width = pick("MMQR"), pick((4, 5, 8, 8, 12, 16))
    n, i, k, s = KINDS[kind], place.name("i"), place.name("k"), place.name("s")
    rows = [place.name("u") for _ in range(pick((2, 2, 3)))]
    tables = [place.array(kind)] * len(rows)
    if chance() < 0.2:
        tables[-1] = place.array(kind)
    numbers = (f"index[{i}]", f"index[{i}]", f"index[({i} + 1) % r]", f"(3 * index[{i}] + {i})", i, f"(r - 1 - {i})")
    begins = f"{width} * ({{}} % ({n} / {width}))" if chance() < 0.5 else f"{{}} % ({n} - {width} + 1)"
    down = chance() < 0.2
    terms = [f"{row}[{k}]" for row in rows]
    if chance() < 0.2:
        place.written.add(tables[0])
        inner = loop(k, "0", f"{width}", place.store(terms[0], place.value(*terms, limit=1.0)), down=down)
        end: tuple[str | Statement, ...] = (inner,)
    else:
        difference = f"({terms[0]} - {terms[1]})"
        element = pick((" * ".join(terms), " * ".join(terms), f"{difference} * {difference}", place.value(*terms),
                        f"{terms[0]} * ({terms[-1]} + 0.1 * {k}) * {terms[1]}"))  # fmt: skip
        step = pick((f"{s} += {element};", f"{s} += {element};", f"{s} = 0.5 * {s} + 0.2 * ({element});"))
        use = place.store(f"{place.target('R')}[{i}]", place.bounded(s))
        if chance() < 0.3:
            place.written.add(tables[-1])
            use = f"{rows[-1]}[{pick(('0', f'{width} - 1'))}] = {place.bounded(s)};"
        end = (f"double {s} = {place.value(depth=0)};", loop(k, "0", f"{width}", step, down=down), use)
    made = [
        f"{'' if table in place.written else 'const '}double *{row} = {table} + {begins.format(pick(numbers))};"
        for row, table in zip(rows, tables, strict=True)
    ]
    body = loop(i, "0", "r", *made, *end, down=chance() < 0.2)
    return (Loop(f"if ({n} >= {width}) {{", (body,), "}", f"if ({n} >= {width}) {{"),)


# --- sums and choices ------------------------------------------------------------------------------------------------


def summed(place: Place) -> tuple[Statement, ...]:
    """A sum over a nest, used at once."""
    i, j, s = place.name("i"), place.name("j"), place.name("s")
    u, v, matrix = place.array("R"), place.array("C"), place.array("M")
    target = place.target("R")
    value = place.value(f"{u}[{i}]", f"{v}[{j}]", _entry(place, matrix, i, j))
    inner = loop(j, "0", "c", f"{s} += {value};")
    if place.random.random() < 0.3:
        inner = loop(j, "0", "c", f"if ({v}[{j}] > {place.writer.constant(0.9)}) {s} += {value};")
    use = place.random.choice(
        (f"{target}[0] = {place.bounded(s)};", f"{target}[r - 1] *= {place.bounded(s)};",
         *(f"{name} += {place.bounded(f'{s} / (r * c)')};" for name in place.sums))
    )  # fmt: skip
    return (Line(f"double {s} = 0;"), loop(i, "0", "r", inner), Line(use))


def softmax(place: Place) -> tuple[Statement, ...]:
    """The logarithm of a sum of exponentials, or its shares, for each row."""
    i, j, s, m = (place.name(letter) for letter in "ijsm")
    matrix, v, u = place.array("M"), place.array("C"), place.target("R")
    a = f"{matrix}[{i} * c + {j}]"
    body: list[str | Statement] = [
        f"double {m} = {matrix}[{i} * c] + {v}[0], {s} = 0;",
        loop(j, "1", "c", f"if ({a} + {v}[{j}] > {m}) {m} = {a} + {v}[{j}];"),
        loop(j, "0", "c", f"{s} += exp({a} + {v}[{j}] - {m});"),
    ]
    if place.random.random() < 0.5:
        body.append(place.store(f"{u}[{i}]", f"0.2 * ({m} + log({s}))"))
    else:
        place.written.add(matrix)
        body.append(loop(j, "0", "c", f"{a} = exp({a} + {v}[{j}] - {m}) / {s};"))
    return (loop(i, "0", "r", *body),)


def nearest(place: Place) -> tuple[Statement, ...]:
    """The least of some distances, and what belongs to it."""
    i, j, best, at = (place.name(letter) for letter in "ijba")
    matrix, v, target = place.array("M"), place.array("C"), place.target("R")
    distance = f"({matrix}[{i} * c + {j}] - 1.7 * {v}[{j}])"
    body = (
        f"double {best} = 1e30; int {at} = 0;",
        loop(j, "0", "c", f"double d = {distance} * {distance}; if (d < {best}) {{ {best} = d; {at} = {j}; }}"),
    )
    use = place.random.choice((place.bounded(best), f"0.5 * {v}[{at}]", f"squash({best} * {v}[{at}])"))
    return (loop(i, "0", "r", *body, place.store(f"{target}[{i}]", use)),)


def pairs(place: Place) -> tuple[Statement, ...]:
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
            loop(i, "0", "r", f"double {s} = 0;", loop(j, "0", "r", f"{skip} {s} += {force};"),
                 place.store(f"{target}[{i}]", place.bounded(f"{s} / r"))),
        )  # fmt: skip
    h = place.name("h")
    return (
        Loop("{", (
            Line(f"double {h}[r]; for (int {i} = 0; {i} < r; {i}++) {h}[{i}] = 0;"),
            loop(i, "0", "r", loop(j, "0", i, f"double f = {force}; {h}[{i}] += f; {h}[{j}] -= f;")),
            loop(i, "0", "r", f"{target}[{i}] = {place.bounded(f'{target}[{i}] + {h}[{i}] / r')};"),
        ), "}", "{"),
    )  # fmt: skip


# --- little work at each point ---------------------------------------------------------------------------------------


def small(place: Place) -> tuple[Statement, ...]:
    """A product of small matrices for each row."""
    i, a, b, k, m = (place.name(letter) for letter in "iabkm")
    n = place.random.choice((2, 3, 4))
    target, u = place.two("R")
    v = place.array("C")
    fill = place.value(f"{u}[{i}]", f"{v}[0]", f"(0.1 * {a})", f"(0.2 * {b})", limit=1.0)
    line = f"{m}t[{a}] += {m}[{a}][{b}] * {m}v[{b}];"
    body: list[str | Statement] = [
        f"double {m}[{n}][{n}], {m}v[{n}], {m}t[{n}];",
        loop(a, "0", f"{n}", f"{m}v[{a}] = {place.value(f'{u}[{i}]', f'(0.3 * {a})', depth=1)}; {m}t[{a}] = 0;"),
        loop(a, "0", f"{n}", loop(b, "0", f"{n}", f"{m}[{a}][{b}] = {fill};")),
    ]
    if place.random.random() < 0.5:
        body.append(f"{m}[0][1] = 0; {m}[1][0] = 1;")
    if place.random.random() < 0.5:
        body.append(loop(a, "0", f"{n}", loop(b, "0", f"{n}", line)))
    else:
        body.append(loop(b, "0", f"{n}", loop(a, "0", f"{n}", line)))
    if place.random.random() < 0.4:
        again = loop(a, "0", f"{n}", f"{m}v[{a}] = sin({m}t[{a}]); {m}t[{a}] *= {m}v[0];")
        body.append(loop(k, "0", "3", again))
    body.append(place.store(f"{target}[{i}]", place.bounded(" + ".join(f"{m}t[{e}]" for e in range(n)))))
    return (loop(i, "0", "r", *body),)


def root(place: Place) -> tuple[Statement, ...]:
    """A few steps of Newton's method for each element."""
    i, z, k = place.name("i"), place.name("z"), place.name("k")
    target, u = place.two("R")
    step = f"{z} -= ({z} * {z} * {z} + {z} - {u}[{i}]) / (3 * {z} * {z} + 1);"
    rounds = loop(k, "0", place.random.choice(("2", "3", "1 + c % 3")), step)
    if place.random.random() < 0.3:
        rounds = loop(k, "0", "6", step, f"if (fabs({z}) < 0.4) break;")
    return (loop(i, "0", "r", f"double {z} = 0.5 * {u}[{i}];", rounds, f"{target}[{i}] = {z};"),)


def rotated(place: Place) -> tuple[Statement, ...]:
    """Pairs of numbers turned, as in a butterfly."""
    i, h, re, im = (place.name(letter) for letter in "ihac")
    kind = place.random.choice("RM")
    u = place.target(kind)
    angle = place.random.choice((f"0.3 * {i}", "p"))
    first, second = place.random.choice(((f"{u}[2 * {i}]", f"{u}[2 * {i} + 1]"), (f"{u}[{i}]", f"{u}[{h} + {i}]")))
    return (
        Line(f"int {h} = {KINDS[kind]} / 2;"),
        loop(i, "0", h, f"double {re} = cos({angle}) * {first} - sin({angle}) * {second};",
             f"double {im} = sin({angle}) * {first} + cos({angle}) * {second};",
             f"{first} = 0.7 * ({re} + {im}); {second} = 0.7 * ({re} - {im});"),
    )  # fmt: skip


def gates(place: Place) -> tuple[Statement, ...]:
    """Gates of a recurrent network: what is forgotten, what is taken in, what is shown."""
    i, f, g, o = (place.name(letter) for letter in "ifgo")
    cell, hidden = place.two("R")
    place.written.add(hidden)
    w = place.array("R")
    return (
        loop(i, "0", "r", f"double {f} = 1 / (1 + exp(-({hidden}[{i}] + {w}[{i}])));",
             f"double {g} = tanh({hidden}[{i}] * {w}[{i}] + {place.value(depth=0)});",
             f"double {o} = 1 / (1 + exp(-{hidden}[{i}]));",
             f"{cell}[{i}] = 0.9 * {cell}[{i}] * {f} + {g} * {f} * 0.1; {hidden}[{i}] = {o} * tanh({cell}[{i}]);"),
    )  # fmt: skip


def in_place(place: Place) -> tuple[Statement, ...]:
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
        before = [f"int {p} = {k};", loop(i, pick((f"{k} + 1", f"{k} + 1", "0")), "r", better)]
        swapped = f"double {t} = {at(k, j)}; {at(k, j)} = {at(p, j)}; {at(p, j)} = {t};"
        before += [loop(j, pick((k, "0")), "r", swapped)] if place.random.random() < 0.7 else []
    factor = pick((f"{at(i, k)} / (1.2 + {at(row, k)} * {at(row, k)})", at(i, k), place.value(at(i, k), at(row, k))))
    result = pick((f"sin({at(i, j)} - 0.4 * {f} * {at(row, j)})", f"squash({at(i, j)} + {f} * {at(row, j)})",
                   f"0.6 * {at(i, j)} - 0.3 * tanh({f} * {at(row, j)})"))  # fmt: skip
    columns = pick((f"{k} + 1", f"{k} + 1", k, "0")), pick(("r", "r", "r - 1", f"{i} + 1"))
    inner = loop(j, *columns, f"{at(i, j)} = {result};", down=place.random.random() < 0.15)
    rows = pick((f"{k} + 1", f"{k} + 1", k, "0"))
    but: list[str] = []
    if place.random.random() < 0.3:  # every row but one, which is the one that is read, or not
        left_out = pick((k, k, row, f"{k} + 1", f"{k} || {i} == {row}"))
        rows, but = "0", [f"if ({i} == {left_out}) continue;"]
    each: tuple[str | Statement, ...] = (*but, f"double {f} = squash({factor});", inner)
    body = (*before, loop(i, rows, "r", *each, down=place.random.random() < 0.2))
    return (loop(k, "0", "r", *body, down=place.random.random() < 0.2),)


def table(place: Place) -> tuple[Statement, ...]:
    """Each number of a matrix made of its neighbours in the row before and in its own."""
    i, j = place.name("i"), place.name("j")
    m = place.target("M")
    above, left, corner = f"{m}[({i} - 1) * c + {j}]", f"{m}[{i} * c + {j} - 1]", f"{m}[({i} - 1) * c + {j} - 1]"
    parts = place.random.sample([above, left, corner, f"{m}[{i} * c + {j}]"], place.random.randint(2, 4))
    made = place.bounded(place.value(*parts, depth=2))
    first, last = place.random.choice((("1", "c"), ("1", "c"), ("1", "c - 1"), (f"({i} < c ? {i} : c)", "c")))
    return (loop(i, "1", "r", loop(j, first, last, place.store(f"{m}[{i} * c + {j}]", made))),)


NESTS: tuple[Callable[[Place], tuple[Statement, ...]], ...] = (
    product, product, product, outer, matrix_product, solve, elementwise, elementwise, elementwise, stencil, stencil,
    grid, scan, stages, gathered, summed, summed, softmax, nearest, pairs, small, root, rotated, gates,
    in_place, in_place, table, convolution, convolution, windowed, windowed, edged, choosing, choosing,
    short_rows, short_rows,
)  # fmt: skip
