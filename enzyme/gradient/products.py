"""Products of matrices as single steps of a program: C += alpha A B, which derivatives make of themselves again.

The bodies of BLAS routines (:mod:`enzyme.gradient.blas`) call ``enzyme.product.<library>`` where they multiply
matrices. What is differentiated sees its plain loops; but its derivative is not made of them, it is two more products
(:mod:`enzyme.gradient.matrix_rules`). In the finished program another function takes its place: large products go to
the library that the program calls itself, those with a vector and small ones run in loops of which each goes along
neighbouring numbers.

Matrices have a row stride and a column stride, in numbers, so that a transposed matrix is the same memory with its
strides exchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from enzyme.gradient.body_text import Body, Matrix

PREFIX = "enzyme.product."
NOT_TURNED = (111, "N"), (112, "T")
"""Flags of a matrix as it is, and of one that is transposed."""
_SMALL = "enzyme.small_product."
_DONE = "enzyme.matrix_product."
PARAMETERS = "m n k alpha a arow acolumn b brow bcolumn c crow ccolumn".split()
"""C has m rows and n columns, A k columns."""
LARGE = 4096
"""Multiplications from which on the library is called."""
_UNROLLED = 512
"""Multiplications, known when the program is compiled, up to which a product is part of the code around it."""
_ROUTINE = re.compile(r"(?<=[sd])(?:gemm|trsm)")
LIBRARY = r"((?:double|float)(?:\.\w+(?:\.i\d+){1,2})?)"
_NAME = re.compile(rf"{re.escape(PREFIX)}{LIBRARY}")
_CALL = re.compile(rf"@{_NAME.pattern}\(i64 (\d+), i64 (\d+), i64 (\d+), ")
_NAMED = re.compile(rf"@{_NAME.pattern}\(")


@dataclass(frozen=True)
class Library:
    """What works on large matrices: a routine by the name of ``symbol``, or nothing but loops where that is "".

    ``integer`` is the type of its integers, ``hidden`` that of the lengths of flags that Fortran compilers pass at the
    end, "" where they do not.
    """

    type: str
    symbol: str = ""
    integer: str = "i32"
    hidden: str = ""

    @property
    def name(self) -> str:
        parts = (self.type, self.symbol, self.integer, self.hidden) if self.symbol else (self.type,)
        return ".".join(filter(None, parts))

    @classmethod
    def named(cls, name: str) -> Library:
        return cls(*name.split("."))

    @property
    def is_c(self) -> bool:
        return self.symbol.startswith("cblas_")

    def is_there(self, body: Body) -> str:
        """Whether the program has the routine."""
        return body.value(f"icmp ne ptr @{self.symbol}, null")

    def of(self, routine: str) -> Library:
        """What the same library has by the name of another routine."""
        return replace(self, symbol=_ROUTINE.sub(routine, self.symbol))

    def call(self, body: Body, flags: Sequence[str], arguments: Sequence[tuple[str, str]]) -> None:
        """The call for matrices that lie by columns: ``flags`` from :meth:`flag`, and types and values of what comes
        behind them, where "n" is the type of a value of 64 bits that the library has as its integer."""
        given = []
        for type, value in arguments:
            if type == "n":
                type = self.integer
                value = value if type == "i64" else body.value(f"trunc i64 {value} to {type}")
            given.append((type, value))
        if self.is_c:
            parts = [("i32", "102"), *(("i32", flag) for flag in flags), *given]
        else:
            parts = [("ptr", body.room("i8", flag)) for flag in flags]
            parts += [(t, v) if t == "ptr" else ("ptr", body.room(t, v)) for t, v in given]
            parts += [(self.hidden, "1") for _ in flags if self.hidden]
        body.put(f"call void @{self.symbol}({', '.join(f'{t} {v}' for t, v in parts)})")

    def flag(self, body: Body, condition: str, yes: tuple[int, str], no: tuple[int, str]) -> str:
        """One of two flags, each C's number and Fortran's letter."""
        if self.is_c:
            return body.value(f"select i1 {condition}, i32 {yes[0]}, i32 {no[0]}")
        return body.value(f"select i1 {condition}, i8 {ord(yes[1])}, i8 {ord(no[1])}")

    @property
    def declaration(self) -> str:
        """Of the routine: it need not be there where the program does not call it itself."""
        i, t = self.integer, self.type
        kind = "gemm" if "gemm" in self.symbol else "trsm"
        if self.is_c:
            types = {
                "gemm": ["i32"] * 3 + [i, i, i, t, "ptr", i, "ptr", i, t, "ptr", i],
                "trsm": ["i32"] * 5 + [i, i, t, "ptr", i, "ptr", i],
            }[kind]
        else:
            count, flags = {"gemm": (13, 2), "trsm": (11, 4)}[kind]
            types = ["ptr"] * count + ([self.hidden] * flags if self.hidden else [])
        return f"declare extern_weak void @{self.symbol}({', '.join(types)})"


def is_step(name: str) -> bool:
    """Whether a function of this name stands for a product."""
    return _NAME.fullmatch(name) is not None


def library_of(name: str) -> Library:
    """What computes the product that a function stands for."""
    return Library.named(name.removeprefix(PREFIX))


def call_product(body: Body, library: Library, sizes: Sequence[str], alpha: str, *matrices: Matrix) -> None:
    """The instruction: sizes m, n and k, matrices A, B and C."""
    parts = [f"i64 {size}" for size in sizes] + [f"{body.type} {alpha}"]
    parts += [f"ptr {each.base}, i64 {each.row}, i64 {each.column}" for each in matrices]
    body.put(f"call void @{PREFIX}{library.name}({', '.join(parts)})")


def declared_product(library: Library) -> str:
    """The declaration of what :func:`call_product` calls."""
    return f"declare void @{PREFIX}{library.name}({', '.join(_types(library.type))})"


def with_products(text: str) -> str:
    """A program with the definitions of the products that it calls."""
    names = dict.fromkeys(_NAMED.findall(text))
    return "\n".join((text, *map(_plain, names))) if names else text


def with_small_products(text: str) -> str | None:
    """A program with loops, to be inlined, in place of products of which it is known that they are small; None where
    there are none."""
    names: dict[str, None] = {}

    def small(call: re.Match[str]) -> str:
        if int(call[2]) * int(call[3]) * int(call[4]) > _UNROLLED:
            return call[0]
        names[call[1]] = None
        return call[0].replace(PREFIX, _SMALL, 1)

    changed = _CALL.sub(small, text)
    return "\n".join((changed, *(_plain(name, _SMALL) for name in names))) if names else None


def _types(type: str) -> list[str]:
    return [type if each == "alpha" else "ptr" if each in ("a", "b", "c") else "i64" for each in PARAMETERS]


def _header(name: str, type: str, words: str, linkage: str = "internal") -> str:
    attributes = {"a": " noalias captures(none) readonly", "b": " noalias captures(none) readonly"}
    attributes["c"] = " noalias captures(none)"
    listed = (f"{t}{attributes.get(p, '')} %{p}" for t, p in zip(_types(type), PARAMETERS, strict=True))
    return f"define {linkage} void @{name}({', '.join(listed)}) nounwind willreturn {words} {{"


def _matrices(body: Body) -> list[Matrix]:
    return [Matrix(body, f"%{each}", f"%{each}row", f"%{each}column") for each in "abc"]


def _plain(name: str, prefix: str = PREFIX) -> str:
    """The loops that say what a product is."""
    library = Library.named(name)
    body = Body(library.type)
    a, b, c = _matrices(body)
    with body.loop("%n") as j, body.loop("%k") as p:
        factor = body.arithmetic("fmul", "%alpha", b.get(p, j))
        with body.loop("%m") as i:
            body.increase(c.at(i, j), body.arithmetic("fmul", a.get(i, p), factor))
    words, linkage = ("noinline", "available_externally") if prefix == PREFIX else ("alwaysinline", "internal")
    return "\n".join((_header(prefix + name, library.type, words, linkage), *body.finished("ret void"), "}"))


# --- in the finished program -----------------------------------------------------------------------------------------


def finished_name(name: str) -> str:
    """The name of the function that computes a product, by the name of the one that stands for it."""
    return _DONE + name.removeprefix(PREFIX)


def finished_text(name: str) -> str:
    """A module with that function."""
    library = library_of(name)
    body = Body(library.type, "reassoc contract")
    a, b, c = _matrices(body)
    # C by columns; where it is not, the same memory holds the transposed matrices, and C' = B' A'.
    by_columns = body.both(body.equal(c.row, "1"), body.reaches(c.column, "%m"))
    straight = body.value(f"or i1 {by_columns}, {body.differ(body.equal(c.column, '1'), 'true')}")
    m, n, k = body.pick(straight, "%m", "%n"), body.pick(straight, "%n", "%m"), "%k"
    left, right = _picked(body, straight, a, b.transposed), _picked(body, straight, b, a.transposed)
    down, along = body.pick(straight, c.row, c.column), body.pick(straight, c.column, c.row)
    dense = Matrix(body, c.base, "1", along)
    plain = Matrix(body, c.base, down, along)
    unit = body.equal(down, "1")

    def loops() -> None:
        body.either(
            body.both(unit, body.equal(left.row, "1")),
            lambda: _columns(body, (m, n, k), Matrix(body, left.base, "1", left.column), right, dense),
            lambda: body.either(
                body.both(body.equal(left.column, "1"), body.equal(right.row, "1")),
                lambda: _dots(
                    body,
                    (m, n, k),
                    Matrix(body, left.base, left.row, "1"),
                    Matrix(body, right.base, "1", right.column),
                    plain,
                ),
                lambda: _columns(body, (m, n, k), left, right, plain),
            ),
        )

    declared = ""
    if library.symbol:
        fits = body.both(unit, body.reaches(along, m))
        flags = []
        for matrix, rows, columns in ((left, m, k), (right, k, n)):
            straight = body.both(body.equal(matrix.row, "1"), body.reaches(matrix.column, rows))
            turned = body.both(body.equal(matrix.column, "1"), body.reaches(matrix.row, columns))
            fits = body.both(fits, body.value(f"or i1 {straight}, {turned}"))
            flags.append((straight, body.pick(straight, matrix.column, matrix.row)))
        for size in (m, n, k):
            fits = body.both(fits, body.value(f"icmp sgt i64 {size}, 1"))
        work = body.times(body.times(m, n), k)
        large = body.both(fits, body.value(f"icmp sgt i64 {work}, {LARGE}"))
        large = body.both(large, library.is_there(body))
        given = [(left.base, *flags[0]), (right.base, *flags[1])]
        body.either(large, lambda: _by_library(body, library, (m, n, k), given, c.base, along), loops)
        declared = f"\n{library.declaration}"
    else:
        loops()
    header = _header(finished_name(name), library.type, "")
    return "\n".join((header, *body.finished("ret void"), "}")) + declared


def _picked(body: Body, flag: str, yes: Matrix, no: Matrix) -> Matrix:
    base = body.value(f"select i1 {flag}, ptr {yes.base}, ptr {no.base}")
    return Matrix(body, base, body.pick(flag, yes.row, no.row), body.pick(flag, yes.column, no.column))


def _columns(body: Body, sizes: tuple[str, str, str], a: Matrix, b: Matrix, c: Matrix) -> None:
    """Columns of C, to which four columns of A are added at a time."""
    m, n, k = sizes
    with body.loop(n) as j:

        def add(columns: Sequence[str]) -> None:
            factors = [body.arithmetic("fmul", "%alpha", b.get(p, j)) for p in columns]
            with body.loop(m) as i:
                place = c.at(i, j)
                total = body.load(place)
                for p, factor in zip(columns, factors, strict=True):
                    total = body.arithmetic("fadd", total, body.arithmetic("fmul", a.get(i, p), factor))
                body.store(total, place)

        _by_fours(body, k, add)


def _dots(body: Body, sizes: tuple[str, str, str], a: Matrix, b: Matrix, c: Matrix) -> None:
    """Elements of C, for four rows of A at a time."""
    m, n, k = sizes
    with body.loop(n) as j:

        def add(rows: Sequence[str]) -> None:
            sums = [body.local("0.0") for _ in rows]
            with body.loop(k) as p:
                other = b.get(p, j)
                for i, each in zip(rows, sums, strict=True):
                    body.increase(each, body.arithmetic("fmul", a.get(i, p), other))
            for i, each in zip(rows, sums, strict=True):
                body.increase(c.at(i, j), body.arithmetic("fmul", "%alpha", body.load(each)))

        _by_fours(body, m, add)


def _by_fours(body: Body, count: str, run: Callable[[Sequence[str]], None]) -> None:
    fours = body.value(f"ashr i64 {count}, 2")
    with body.loop(fours) as four:
        first = body.value(f"shl i64 {four}, 2")
        run([first, *(body.plus(first, str(step)) for step in (1, 2, 3))])
    done = body.value(f"shl i64 {fours}, 2")
    with body.loop(body.minus(count, done)) as rest:
        run([body.plus(done, rest)])


def _by_library(
    body: Body,
    library: Library,
    sizes: Sequence[str],
    given: Sequence[tuple[str, str, str]],
    c: str,
    step: str,
) -> None:
    """Call the library; ``given`` has for A and B the address, whether it lies by columns, and the step from one to
    the next."""
    flags = [library.flag(body, straight, *NOT_TURNED) for _, straight, _ in given]
    (a, _, left), (b, _, right) = given
    numbers = [("n", each) for each in sizes]
    others = [(body.type, "%alpha"), ("ptr", a), ("n", left), ("ptr", b), ("n", right)]
    library.call(body, flags, [*numbers, *others, (body.type, "1.0"), ("ptr", c), ("n", step)])


# --- beside them -----------------------------------------------------------------------------------------------------


def copy_text(type: str) -> tuple[str, str]:
    """The name of a function that copies a matrix, column by column where these have neighbours, or row by row; and a
    module with it."""
    name = f"enzyme.product_copy.{type}"
    body = Body(type)
    by_columns = body.equal("%row", "1")
    inner, outer = body.pick(by_columns, "%rows", "%columns"), body.pick(by_columns, "%columns", "%rows")
    lies = Matrix(body, "%from", "%row", "%column").transposed_where(body.differ(by_columns, "true"))
    with body.loop(outer) as j, body.loop(inner) as i:
        body.store(lies.get(i, j), Matrix(body, "%to", "1", inner).at(i, j))
    parameters = "ptr noalias readonly %from, i64 %row, i64 %column, i64 %rows, i64 %columns, ptr noalias %to"
    header = f"define internal void @{name}({parameters}) nounwind willreturn {{"
    return name, "\n".join((header, *body.finished("ret void"), "}"))


def sum_text(type: str) -> tuple[str, str]:
    """The name of a function that adds up the elements of A B times those of a matrix of the same form; and a module
    with it."""
    name = f"enzyme.product_sum.{type}"
    body = Body(type, "reassoc contract")
    a, b, c = _matrices(body)
    total = body.local("0.0")
    with body.loop("%n") as j, body.loop("%k") as p:
        part = body.local("0.0")
        with body.loop("%m") as i:
            body.increase(part, body.arithmetic("fmul", a.get(i, p), c.get(i, j)))
        body.increase(total, body.arithmetic("fmul", body.load(part), b.get(p, j)))
    listed = (
        f"{t}{' readonly' if t == 'ptr' else ''} %{p}"
        for t, p in zip(_types(type), PARAMETERS, strict=True)
        if p != "alpha"
    )
    result = body.load(total)
    header = f"define internal {type} @{name}({', '.join(listed)}) nounwind willreturn {{"
    return name, "\n".join((header, *body.finished(f"ret {type} {result}"), "}"))
