"""Solves with triangular matrices as single steps of a program, as products are (:mod:`enzyme.gradient.products`).

``enzyme.solve.<library>`` stands for B = A^-1 B, with m rows and n columns of B. Of A only one triangle is looked at,
and not its diagonal where that is said to be of ones. In the finished program large ones go to the library, others run
in loops along neighbouring numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from enzyme.gradient.body_text import Body, Matrix, strips
from enzyme.gradient.products import LARGE, LIBRARY, NOT_TURNED, Library, call_product, declared_product, with_products

PREFIX = "enzyme.solve."
_DONE = "enzyme.triangular_solve."
PARAMETERS = "m n lower ones a arow acolumn b brow bcolumn".split()
_STRIP = 64
"""Columns of a triangle that are worked on together."""
_NAME = re.compile(rf"{re.escape(PREFIX)}{LIBRARY}")
_NAMED = re.compile(rf"@{_NAME.pattern}\(")


def is_step(name: str) -> bool:
    """Whether a function of this name stands for a solve."""
    return _NAME.fullmatch(name) is not None


def library_of(name: str) -> Library:
    """What computes the solve that a function stands for."""
    return Library.named(name.removeprefix(PREFIX))


def call_solve(body: Body, library: Library, sizes: Sequence[str], flags: Sequence[str], a: Matrix, b: Matrix) -> None:
    """The instruction: sizes m and n, whether A is lower and whether its diagonal is of ones."""
    parts = [f"i64 {size}" for size in sizes] + [f"i1 {flag}" for flag in flags]
    parts += [f"ptr {each.base}, i64 {each.row}, i64 {each.column}" for each in (a, b)]
    body.put(f"call void @{PREFIX}{library.name}({', '.join(parts)})")


def with_steps(text: str) -> str:
    """A program with the definitions of the solves and products that it calls."""
    names = dict.fromkeys(_NAMED.findall(text))
    return with_products("\n".join((text, *map(_plain, names))) if names else text)


_TYPES = ["i64", "i64", "i1", "i1", "ptr", "i64", "i64", "ptr", "i64", "i64"]


def _header(name: str, words: str = "", linkage: str = "internal") -> str:
    attributes = {"a": " noalias captures(none) readonly", "b": " noalias captures(none)"}
    listed = (f"{t}{attributes.get(p, '')} %{p}" for t, p in zip(_TYPES, PARAMETERS, strict=True))
    return f"define {linkage} void @{name}({', '.join(listed)}) nounwind willreturn {words} {{"


def _plain(name: str) -> str:
    """The loops that say what a solve is."""
    library = Library.named(name)
    body = Body(library.type)
    a, b = (Matrix(body, f"%{each}", f"%{each}row", f"%{each}column") for each in "ab")
    with body.loop("%n") as j, body.loop("%m") as i:
        row = _row(body, i)
        rest = body.local(b.get(row, j))
        with body.loop(i) as p:
            before = _row(body, p)
            known = body.arithmetic("fmul", a.get(row, before), b.get(before, j))
            body.store(body.arithmetic("fsub", body.load(rest), known), rest)
        diagonal = body.choose("%ones", "1.0", a.get(row, row))
        body.store(body.arithmetic("fdiv", body.load(rest), diagonal), b.at(row, j))
    return "\n".join((_header(PREFIX + name, "noinline", "available_externally"), *body.finished("ret void"), "}"))


def _row(body: Body, i: str) -> str:
    """The i-th row in the order of the substitution."""
    return body.pick("%lower", i, body.minus(body.minus("%m", "1"), i))


# --- in the finished program -----------------------------------------------------------------------------------------


def finished_name(name: str) -> str:
    """The name of the function that solves, by the name of the one that stands for it."""
    return _DONE + name.removeprefix(PREFIX)


def finished_text(name: str) -> str:
    """A module with that function."""
    library = library_of(name)
    body = Body(library.type, "reassoc contract")
    a, b = (Matrix(body, f"%{each}", f"%{each}row", f"%{each}column") for each in "ab")

    def loops() -> None:
        together = body.both(body.equal(a.row, "1"), body.equal(b.row, "1"))
        body.either(
            together,
            lambda: _by_columns(body, Matrix(body, a.base, "1", a.column), Matrix(body, b.base, "1", b.column)),
            lambda: body.either(
                body.both(body.equal(a.column, "1"), body.equal(b.row, "1")),
                lambda: _by_rows(body, Matrix(body, a.base, a.row, "1"), Matrix(body, b.base, "1", b.column)),
                lambda: _by_columns(body, a, b),
            ),
        )

    declared = ""
    if library.symbol:
        straight = body.both(body.equal(a.row, "1"), body.reaches(a.column, "%m"))
        turned = body.both(body.equal(a.column, "1"), body.reaches(a.row, "%m"))
        left = body.both(body.equal(b.row, "1"), body.reaches(b.column, "%m"))
        right = body.both(body.equal(b.column, "1"), body.reaches(b.row, "%n"))
        fits = body.both(body.value(f"or i1 {straight}, {turned}"), body.value(f"or i1 {left}, {right}"))
        work = body.times(body.times("%m", "%m"), "%n")
        large = body.both(body.value(f"icmp sgt i64 {work}, {LARGE}"), body.value("icmp sgt i64 %n, 1"))
        large = body.both(body.both(large, fits), library.is_there(body))

        def by_library() -> None:
            # Where B lies by rows, the same memory holds its transposed, which is solved for from the right, with A
            # transposed: A as it lies is transposed then where it is not else.
            side = library.flag(body, left, (141, "L"), (142, "R"))
            uplo = library.flag(body, body.differ("%lower", body.differ(straight, "true")), (122, "L"), (121, "U"))
            trans = library.flag(body, body.differ(straight, body.differ(left, "true")), *NOT_TURNED)
            diagonal = library.flag(body, "%ones", (132, "U"), (131, "N"))
            sizes = [("n", body.pick(left, "%m", "%n")), ("n", body.pick(left, "%n", "%m"))]
            step = body.pick(straight, a.column, a.row)
            rest = [(body.type, "1.0"), ("ptr", a.base), ("n", step), ("ptr", b.base)]
            along = body.pick(left, b.column, b.row)
            library.call(body, [side, uplo, trans, diagonal], [*sizes, *rest, ("n", along)])

        body.either(large, by_library, loops)
        declared = f"\n{library.declaration}"
    else:
        loops()
    return "\n".join((_header(finished_name(name)), *body.finished("ret void"), "}")) + declared


def _by_columns(body: Body, a: Matrix, b: Matrix) -> None:
    """What is found is taken off all that waits for it, along a column of A."""
    with body.loop("%n") as column, body.loop("%m") as q:
        j = _row(body, q)
        place = b.at(j, column)
        found = body.arithmetic("fdiv", body.load(place), body.choose("%ones", "1.0", a.get(j, j)))
        body.store(found, place)
        start = body.pick("%lower", body.plus(j, "1"), "0")
        with body.loop(body.minus(body.minus("%m", "1"), q)) as t:
            i = body.plus(start, t)
            taken = body.arithmetic("fmul", a.get(i, j), found)
            rest = b.at(i, column)
            body.store(body.arithmetic("fsub", body.load(rest), taken), rest)


def _by_rows(body: Body, a: Matrix, b: Matrix) -> None:
    """What has been found is taken off each that waits for it, along a row of A."""
    with body.loop("%n") as column, body.loop("%m") as q:
        j = _row(body, q)
        total = body.local("0.0")
        start = body.pick("%lower", "0", body.plus(j, "1"))
        with body.loop(q) as t:
            p = body.plus(start, t)
            body.increase(total, body.arithmetic("fmul", a.get(j, p), b.get(p, column)))
        place = b.at(j, column)
        rest = body.arithmetic("fsub", body.load(place), body.load(total))
        body.store(body.arithmetic("fdiv", rest, body.choose("%ones", "1.0", a.get(j, j))), place)


# --- beside them -----------------------------------------------------------------------------------------------------


@contextmanager
def _strips(body: Body) -> Iterator[tuple[str, str, str, str]]:
    """Columns of the triangle, some at a time: the first of them, how many, and the first row with something in them
    and how many rows."""
    with strips(body, "%m", _STRIP) as (first, count, behind):
        top = body.pick("%lower", first, "0")
        yield first, count, top, body.pick("%lower", body.plus(count, behind), body.plus(first, count))


@contextmanager
def _inside(body: Body, j: str, top: str, rows: str) -> Iterator[str]:
    """The rows from ``top`` on in which column j has an element of the triangle, without a diagonal of ones."""
    skipped = body.value("zext i1 %ones to i64")
    first = body.pick("%lower", body.plus(body.minus(j, top), skipped), "0")
    behind = body.pick("%lower", rows, body.minus(body.plus(body.minus(j, top), "1"), skipped))
    with body.loop(body.minus(behind, first)) as t:
        yield body.plus(first, t)


def _function(name: str, body: Body, library: Library, matrices: str) -> str:
    parameters = ["i64 %m", "i64 %n", "i1 %lower", "i1 %ones"]
    parameters += [f"ptr noalias %{each}, i64 %{each}row, i64 %{each}column" for each in matrices]
    header = f"define internal void @{name}({', '.join(parameters)}) nounwind willreturn {{"
    declared = declared_product(library), "declare ptr @malloc(i64)", "declare void @free(ptr)"
    return "\n".join((header, *body.finished("ret void"), "}", *declared))


def adjoint_text(name: str) -> tuple[str, str]:
    """The name of a function that takes S X^T off the triangle of a matrix, and a module with it. Its parameters are
    those of a solve in front of the matrices, then S, X and the matrix."""
    library = library_of(name).of("gemm")
    made = f"enzyme.solve_adjoint.{library.name}"
    body = Body(library.type, "reassoc contract")
    s, x, a = (Matrix(body, f"%{each}", f"%{each}row", f"%{each}column") for each in "sxa")

    def few() -> None:
        with body.loop("%n") as column, body.loop("%m") as j:
            factor = x.get(j, column)
            with _inside(body, j, "0", "%m") as i:
                place = a.at(i, j)
                taken = body.arithmetic("fmul", s.get(i, column), factor)
                body.store(body.arithmetic("fsub", body.load(place), taken), place)

    def many() -> None:
        room = body.block("%m", str(_STRIP))
        with _strips(body) as (first, count, top, rows):
            strip = Matrix(body, room, "1", rows)
            strip.clear(rows, count)
            left, right = s.from_on(top, "0"), x.from_on(first, "0").transposed
            call_product(body, library, (rows, count, "%n"), "1.0", left, right, strip)
            with body.loop(count) as column:
                j = body.plus(first, column)
                with _inside(body, j, top, rows) as i:
                    place = a.at(body.plus(top, i), j)
                    body.store(body.arithmetic("fsub", body.load(place), strip.get(i, column)), place)
        body.free(room)

    is_small = body.value("icmp slt i64 %m, 16")
    body.either(body.value(f"or i1 {is_small}, {body.value('icmp slt i64 %n, 4')}"), few, many)
    return made, _function(made, body, library, "sxa")


def tangent_text(name: str) -> tuple[str, str]:
    """The name of a function that takes the product of the triangle of a matrix with X off B, and a module with it. Its
    parameters are those of a solve in front of the matrices, then the matrix, X and B."""
    library = library_of(name).of("gemm")
    made = f"enzyme.solve_tangent.{library.name}"
    body = Body(library.type, "reassoc contract")
    a, x, b = (Matrix(body, f"%{each}", f"%{each}row", f"%{each}column") for each in "axb")
    room = body.block("%m", str(_STRIP))
    with _strips(body) as (first, count, top, rows):
        strip = Matrix(body, room, "1", rows)
        strip.clear(rows, count)
        with body.loop(count) as column:
            j = body.plus(first, column)
            with _inside(body, j, top, rows) as i:
                body.store(a.get(body.plus(top, i), j), strip.at(i, column))
        right, to = x.from_on(first, "0"), b.from_on(top, "0")
        call_product(body, library, (rows, "%n", count), "-1.0", strip, right, to)
    body.free(room)
    return made, _function(made, body, library, "axb")
