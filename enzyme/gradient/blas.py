"""Bodies of BLAS routines that a program calls and does not define: what their derivatives are made of.

Only the copy of the program that derivatives are made from gets them; the program itself goes on calling the library.
A body states the routine's arithmetic in plain loops over elements at strides, so that activity, tape, forward mode and
derivatives of derivatives are the engine's usual ones. As the standard demands, what a routine writes overlaps nothing
else that it is given. Routines: level 1 to 3 of real numbers, in C (``cblas_dgemm``) and in Fortran (``dgemm_``), with
integers of 32 or 64 bits. The arithmetic is that of the reference, in another order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from enzyme.gradient.body_text import STRIP, Body, Matrix, strips
from enzyme.gradient.products import Library, call_product
from enzyme.gradient.solves import call_solve

ROUTINES = {
    "dot": "n x incx y incy",
    "axpy": "n alpha x incx y incy",
    "scal": "n alpha x incx",
    "copy": "n x incx y incy",
    "swap": "n x incx y incy",
    "nrm2": "n x incx",
    "asum": "n x incx",
    "rot": "n x incx y incy cosine sine",
    "gemv": "order trans m n alpha a lda x incx beta y incy",
    "ger": "order m n alpha x incx y incy a lda",
    "symv": "order uplo n alpha a lda x incx beta y incy",
    "syr": "order uplo n alpha x incx a lda",
    "trmv": "order uplo trans diag n a lda x incx",
    "trsv": "order uplo trans diag n a lda x incx",
    "gemm": "order transa transb m n k alpha a lda b ldb beta c ldc",
    "symm": "order side uplo m n alpha a lda b ldb beta c ldc",
    "syrk": "order uplo trans n k alpha a lda beta c ldc",
    "trmm": "order side uplo transa diag m n alpha a lda b ldb",
    "trsm": "order side uplo transa diag m n alpha a lda b ldb",
}
"""The parameters of each routine; Fortran has no order."""

_WITH_RESULT = ("dot", "nrm2", "asum")
_SCALARS = ("alpha", "beta", "cosine", "sine")
_ARRAYS = ("x", "y", "a", "b", "c")
_FLAGS = {"order": (101, ""), "trans": (111, "n"), "side": (142, "r"), "uplo": (122, "l"), "diag": (132, "u")}
"""What a flag is compared with, in C and in Fortran: row-major, *not* transposed, right, lower, a diagonal of ones."""
_WRITTEN = {
    "axpy": "y", "scal": "x", "copy": "y", "swap": "xy", "rot": "xy", "gemv": "y", "ger": "a", "symv": "y", "syr": "a",
    "trmv": "x", "trsv": "x", "gemm": "c", "symm": "c", "syrk": "c", "trmm": "b", "trsm": "b",
}  # fmt: skip

INSIDE = "alwaysinline"
"""Of short bodies: where the flags are known, nothing of them is left, and sizes are seen where they are computed."""
_SHORT = 120
"""Lines of such a body."""
_NAME = re.compile(rf"(?:(cblas_)([sd])({'|'.join(ROUTINES)})(?:64_?)?|([sd])({'|'.join(ROUTINES)})_(64_)?)")
_SHORT_BODY = re.compile(rf"^define available_externally .*@({_NAME.pattern})\(.* {INSIDE} {{$", re.MULTILINE)
_DECLARED = re.compile(rf"^declare ([^@\n]*)@({_NAME.pattern})\(([^\n]*)\)([^\n]*)$", re.MULTILINE)


def is_routine(name: str | None) -> bool:
    """Whether there is a body for a function of this name."""
    return name is not None and _NAME.fullmatch(name) is not None


def with_routines(text: str, products: bool = True) -> str:
    """A program with bodies in place of the declarations of BLAS routines; ``products``: those of matrices are steps of
    their own (:mod:`enzyme.gradient.products`)."""
    changed = _DECLARED.sub(lambda declared: _defined(declared, products), text)
    return text if changed is text else needed_intrinsics(changed)


def bodies_inside(text: str) -> list[str]:
    """The names of the routines whose bodies are to go into the functions that call them."""
    return [found[1] for found in _SHORT_BODY.finditer(text)]


def needed_intrinsics(changed: str) -> str:
    """A program with declarations of what bodies call."""
    for name, head in (("malloc", "ptr @malloc(i64"), ("free", "void @free(ptr")):
        if f"call {head}" in changed and re.search(rf"^(?:declare|define) .*@{name}\(", changed, re.MULTILINE) is None:
            changed += f"\ndeclare {head})\n"
    for type, suffix in (("double", "f64"), ("float", "f32")):
        for name in ("sqrt", "fabs"):
            head = f"{type} @llvm.{name}.{suffix}({type}"
            if f"call {head}" in changed and f"declare {head}" not in changed:
                changed += f"\ndeclare {head})\n"
    return changed


def _defined(declared: re.Match[str], products: bool) -> str:
    """The definition, or the declaration where it is not that of the routine."""
    result, name, parameters = declared[1], declared[2], declared[9]
    found = _NAME.fullmatch(name)
    assert found is not None
    c = found[1] is not None
    letter, routine = (found[2], found[3]) if c else (found[4], found[5])
    type = "double" if letter == "d" else "float"
    words = [word for word in ROUTINES[routine].split() if c or word != "order"]
    have = [each.strip().split(" ")[0] for each in parameters.split(",")]
    if len(have) < len(words) or (c and len(have) != len(words)):
        return declared[0]
    wanted = type if routine in _WITH_RESULT else "void"
    if wanted not in result.split():
        return declared[0]
    for word, given in zip(words, have, strict=False):
        fits = given == "ptr" if not c or word in _ARRAYS else given == type if word in _SCALARS else given[0] == "i"
        if not fits:
            return declared[0]
    body = Body(type)
    values = {word: _value(body, word, have[index], c, bool(found[6])) for index, word in enumerate(words)}
    library = None
    if products:
        library = Library(type)
        if routine in ("gemm", "symm", "syrk", "trmm", "trsm") and (not c or have[0] == "i32"):
            integer = have[words.index("n")] if c else "i64" if found[6] else "i32"
            hidden = have[len(words)] if len(have) > len(words) else ""
            library = Library(type, name.replace(routine, "gemm"), integer, hidden)
    returned = _KERNELS[routine](body, Given(body, values, library))
    end = f"ret {type} {returned}" if returned is not None else "ret void"
    header = header_of(wanted, name, words, have, _WRITTEN.get(routine, ""))
    lines = body.finished(end)
    if products and len(lines) <= _SHORT:
        header = f"{header[:-1]}{INSIDE} {{"
    return "\n".join((header, *lines, "}"))


def header_of(result: str, name: str, words: list[str], have: list[str], written: Collection[str]) -> str:
    """The first line of a definition whose parameters have the types ``have``, those of ``words`` and hidden ones."""

    def attributes(word: str, given: str) -> str:
        return f"noalias captures(none) {'' if word in written else 'readonly '}" if given == "ptr" else ""

    listed = [f"{given} {attributes(word, given)}%{word}" for word, given in zip(words, have, strict=False)]
    listed += [f"{given} %hidden{index}" for index, given in enumerate(have[len(words) :])]
    return f"define available_externally {result} @{name}({', '.join(listed)}) nounwind willreturn {{"


def _value(body: Body, word: str, given: str, c: bool, wide: bool) -> str:
    """What a parameter stands for: an address, a number, an integer of 64 bits, or a flag."""
    if word in _ARRAYS or (c and word in _SCALARS):
        return f"%{word}"
    if word in _SCALARS:
        return body.value(f"load {body.type}, ptr %{word}")
    flag = next((key for key in _FLAGS if word.startswith(key)), None)
    if flag is not None:
        number, letter = _FLAGS[flag]
        test = "ne" if flag == "trans" else "eq"
        if c:
            return body.value(f"icmp {test} {given} %{word}, {number}")
        lower = body.value(f"or i8 {body.value(f'load i8, ptr %{word}')}, 32")
        return body.value(f"icmp {test} i8 {lower}, {ord(letter)}")
    if not c:
        given = "i64" if wide else "i32"
        return body.wide(given, body.value(f"load {given}, ptr %{word}"))
    return body.wide(given, f"%{word}")


class Given:
    """The arguments of a routine; ``library`` is given where products of matrices are steps of their own."""

    def __init__(self, body: Body, values: dict[str, str], library: Library | None = None) -> None:
        self.body, self.values, self.library = body, values, library

    def __getitem__(self, word: str) -> str:
        return self.values[word]

    def vector(self, word: str, count: str) -> Matrix:
        """A vector; a negative increment walks it from its end."""
        body, step = self.body, self[f"inc{word}"]
        back = body.times(body.minus("1", count), step)
        start = body.pick(body.value(f"icmp slt i64 {step}, 0"), back, "0")
        base = body.value(f"getelementptr inbounds {body.type}, ptr {self[word]}, i64 {start}")
        return Matrix(body, base, step, count)

    def matrix(self, word: str) -> Matrix:
        step = self[f"ld{word}"]
        row_major = self.values.get("order")
        by_columns = Matrix(self.body, self[word], "1", step)
        return by_columns if row_major is None else by_columns.transposed_where(row_major)


# --- routines --------------------------------------------------------------------------------------------------------


def _sum(body: Body, count: str, term: Callable[[str], str]) -> str:
    total = body.local("0.0")
    with body.loop(count) as i:
        body.increase(total, term(i))
    return body.load(total)


def _dot(body: Body, given: Given) -> str:
    n = given["n"]
    x, y = given.vector("x", n), given.vector("y", n)
    return _sum(body, n, lambda i: body.arithmetic("fmul", x.get(i), y.get(i)))


def _nrm2(body: Body, given: Given) -> str:
    x = given.vector("x", given["n"])

    def square(i: str) -> str:
        value = x.get(i)
        return body.arithmetic("fmul", value, value)

    return body.call("sqrt", _sum(body, given["n"], square))


def _asum(body: Body, given: Given) -> str:
    n = _forwards(body, given)
    x = given.vector("x", n)
    return _sum(body, n, lambda i: body.call("fabs", x.get(i)))


def _forwards(body: Body, given: Given) -> str:
    """How many elements there are for the routines that do nothing where the increment is not positive."""
    return body.pick(body.value(f"icmp sgt i64 {given['incx']}, 0"), given["n"], "0")


def _axpy(body: Body, given: Given) -> None:
    n = given["n"]
    x, y = given.vector("x", n), given.vector("y", n)
    with body.loop(n) as i:
        body.increase(y.at(i), body.arithmetic("fmul", given["alpha"], x.get(i)))


def _scal(body: Body, given: Given) -> None:
    n = _forwards(body, given)
    x = given.vector("x", n)
    with body.loop(n) as i:
        place = x.at(i)
        body.store(body.arithmetic("fmul", given["alpha"], body.load(place)), place)


def _copy(body: Body, given: Given) -> None:
    n = given["n"]
    x, y = given.vector("x", n), given.vector("y", n)
    with body.loop(n) as i:
        body.store(x.get(i), y.at(i))


def _swap(body: Body, given: Given) -> None:
    n = given["n"]
    x, y = given.vector("x", n), given.vector("y", n)
    with body.loop(n) as i:
        here, there = x.at(i), y.at(i)
        a, b = body.load(here), body.load(there)
        body.store(b, here)
        body.store(a, there)


def _rot(body: Body, given: Given) -> None:
    n, cosine, sine = given["n"], given["cosine"], given["sine"]
    x, y = given.vector("x", n), given.vector("y", n)
    with body.loop(n) as i:
        here, there = x.at(i), y.at(i)
        a, b = body.load(here), body.load(there)
        mul = body.arithmetic
        body.store(mul("fadd", mul("fmul", cosine, a), mul("fmul", sine, b)), here)
        body.store(mul("fsub", mul("fmul", cosine, b), mul("fmul", sine, a)), there)


def _scaled(body: Body, place: str, beta: str) -> str:
    """What was there times beta; with a beta of zero it may be anything."""
    none = body.value(f"fcmp oeq {body.type} {beta}, 0.0")
    return body.choose(none, "0.0", body.arithmetic("fmul", beta, body.load(place)))


def _scale(body: Body, matrix: Matrix, rows: str, columns: str, beta: str) -> None:
    with body.loop(columns) as j, body.loop(rows) as i:
        place = matrix.at(i, j)
        body.store(_scaled(body, place, beta), place)


def _product(body: Body, given: Given, rows: str, inner: str, element: Callable[[str, str], str]) -> None:
    """y = alpha A x + beta y."""
    x, y = given.vector("x", inner), given.vector("y", rows)
    with body.loop(rows) as i:
        total = _sum(body, inner, lambda j: body.arithmetic("fmul", element(i, j), x.get(j)))
        place = y.at(i)
        old = _scaled(body, place, given["beta"])
        body.store(body.arithmetic("fadd", body.arithmetic("fmul", given["alpha"], total), old), place)


def _gemv(body: Body, given: Given) -> None:
    flag, m, n = given["trans"], given["m"], given["n"]
    a = given.matrix("a").transposed_where(flag)
    rows, inner = body.pick(flag, n, m), body.pick(flag, m, n)
    if given.library is None:
        _product(body, given, rows, inner, a.get)
        return
    x, y = given.vector("x", inner), given.vector("y", rows)
    _scale(body, y, rows, "1", given["beta"])
    call_product(body, given.library, (rows, "1", inner), given["alpha"], a, x, y)


def _symmetric(body: Body, a: Matrix, lower: str) -> Callable[[str, str], str]:
    """Elements of a symmetric matrix of which one triangle is there."""

    def element(i: str, j: str) -> str:
        below = body.value(f"icmp sge i64 {i}, {j}")
        there = body.value(f"icmp eq i1 {below}, {lower}")
        return a.get(body.pick(there, i, j), body.pick(there, j, i))

    return element


def _by_elements(body: Body, rows: str, columns: str, element: Callable[[str, str], str]) -> Matrix:
    """A matrix in memory of its own, to be freed."""
    made = Matrix(body, body.block(rows, columns), "1", rows)
    with body.loop(columns) as j, body.loop(rows) as i:
        body.store(element(i, j), made.at(i, j))
    return made


def _symv(body: Body, given: Given) -> None:
    if given.library is not None:
        n = given["n"]
        whole = _by_elements(body, n, n, _symmetric(body, given.matrix("a"), given["uplo"]))
        x, y = given.vector("x", n), given.vector("y", n)
        _scale(body, y, n, "1", given["beta"])
        call_product(body, given.library, (n, "1", n), given["alpha"], whole, x, y)
        body.free(whole.base)
        return
    _product(body, given, given["n"], given["n"], _symmetric(body, given.matrix("a"), given["uplo"]))


def _ger(body: Body, given: Given) -> None:
    m, n = given["m"], given["n"]
    x, y, a = given.vector("x", m), given.vector("y", n), given.matrix("a")
    if given.library is not None:
        call_product(body, given.library, (m, n, "1"), given["alpha"], x, y.transposed, a)
        return
    with body.loop(n) as j:
        scaled = body.arithmetic("fmul", given["alpha"], y.get(j))
        with body.loop(m) as i:
            body.increase(a.at(i, j), body.arithmetic("fmul", x.get(i), scaled))


@contextmanager
def _triangle(body: Body, n: str, lower: str) -> Iterator[tuple[str, str, str, str]]:
    """Pairs j <= i, and the row and column that they are in one triangle."""
    with body.loop(n) as j, body.loop(body.minus(n, j)) as distance:
        i = body.plus(j, distance)
        yield i, j, body.pick(lower, i, j), body.pick(lower, j, i)


def _syr(body: Body, given: Given) -> None:
    n = given["n"]
    x, a = given.vector("x", n), given.matrix("a")
    if given.library is not None:
        lower = a.transposed_where(body.differ(given["uplo"], "true"))
        add_to_triangle(body, given.library, lower, x, (n, "1"), given["alpha"])
        return
    with _triangle(body, n, given["uplo"]) as (i, j, row, column):
        product = body.arithmetic("fmul", x.get(i), x.get(j))
        body.increase(a.at(row, column), body.arithmetic("fmul", given["alpha"], product))


def _syrk(body: Body, given: Given) -> None:
    a, c = given.matrix("a").transposed_where(given["trans"]), given.matrix("c")
    if given.library is not None:
        n, lower = given["n"], c.transposed_where(body.differ(given["uplo"], "true"))
        with body.loop(n) as j, body.loop(body.minus(n, j)) as distance:
            place = lower.at(body.plus(j, distance), j)
            body.store(_scaled(body, place, given["beta"]), place)
        add_to_triangle(body, given.library, lower, a, (n, given["k"]), given["alpha"])
        return
    with _triangle(body, given["n"], given["uplo"]) as (i, j, row, column):
        total = _sum(body, given["k"], lambda p: body.arithmetic("fmul", a.get(i, p), a.get(j, p)))
        place = c.at(row, column)
        old = _scaled(body, place, given["beta"])
        body.store(body.arithmetic("fadd", body.arithmetic("fmul", given["alpha"], total), old), place)


def add_to_triangle(body: Body, library: Library, c: Matrix, a: Matrix, sizes: tuple[str, str], alpha: str) -> None:
    """C += alpha A A^T, where only the lower triangle of C is there; A has n rows and k columns."""
    n, k = sizes
    width = body.least(n, str(STRIP))
    room = body.block(width, width)
    with strips(body, n) as (first, count, behind):
        right = a.transposed.from_on("0", first)
        square = Matrix(body, room, "1", count)
        square.clear(count, count)
        call_product(body, library, (count, count, k), alpha, a.from_on(first, "0"), right, square)
        with body.loop(count) as j, body.loop(body.minus(count, j)) as distance:
            i = body.plus(j, distance)
            body.increase(c.at(body.plus(first, i), body.plus(first, j)), square.get(i, j))
        below = body.plus(first, count)
        call_product(body, library, (behind, count, k), alpha, a.from_on(below, "0"), right, c.from_on(below, first))
    body.free(room)


def _gemm(body: Body, given: Given) -> None:
    m, n, k = given["m"], given["n"], given["k"]
    if given.library is not None:
        a, b = (given.matrix(word).transposed_where(given[f"trans{word}"]) for word in "ab")
        by_rows = given.values.get("order")
        c = Matrix(body, given["c"], "1", given["ldc"])
        outer, inner = (n, m) if by_rows is None else (body.pick(by_rows, m, n), body.pick(by_rows, n, m))
        _scale(body, c, inner, outer, given["beta"])
        call_product(body, given.library, (m, n, k), given["alpha"], a, b, given.matrix("c"))
        return

    def columns(m: str, n: str, a: Matrix, b: Matrix, c: Matrix) -> None:
        """Column by column of c, whose elements lie side by side."""
        with body.loop(n) as j:
            with body.loop(m) as i:
                place = c.at(i, j)
                body.store(_scaled(body, place, given["beta"]), place)
            with body.loop(k) as p:
                factor = body.arithmetic("fmul", given["alpha"], b.get(p, j))
                with body.loop(m) as i:
                    body.increase(c.at(i, j), body.arithmetic("fmul", a.get(i, p), factor))

    a, b, c = (Matrix(body, given[word], "1", given[f"ld{word}"]) for word in "abc")

    def in_columns() -> None:
        columns(m, n, a.transposed_where(given["transa"]), b.transposed_where(given["transb"]), c)

    def in_rows() -> None:  # the same memory holds the transposed matrices, and C' = B' A'
        columns(n, m, b.transposed_where(given["transb"]), a.transposed_where(given["transa"]), c)

    if "order" in given.values:
        body.either(given["order"], in_rows, in_columns)
    else:
        in_columns()


def _symm(body: Body, given: Given) -> None:
    m, n, right = given["m"], given["n"], given["side"]
    element = _symmetric(body, given.matrix("a"), given["uplo"])
    b, c = (given.matrix(word).transposed_where(right) for word in "bc")
    rows, columns = body.pick(right, n, m), body.pick(right, m, n)
    if given.library is not None:
        whole = _by_elements(body, rows, rows, element)
        _scale(body, c, rows, columns, given["beta"])
        call_product(body, given.library, (rows, columns, rows), given["alpha"], whole, b, c)
        body.free(whole.base)
        return
    with body.loop(columns) as j, body.loop(rows) as i:
        total = _sum(body, rows, lambda p: body.arithmetic("fmul", element(i, p), b.get(p, j)))
        place = c.at(i, j)
        old = _scaled(body, place, given["beta"])
        body.store(body.arithmetic("fadd", body.arithmetic("fmul", given["alpha"], total), old), place)


@dataclass(frozen=True)
class Triangular:
    """A triangular matrix of ``size`` rows; ``lower`` is a flag, a diagonal of ones is not there. ``library`` is given
    where products and solves are steps of their own."""

    body: Body
    a: Matrix
    size: str
    lower: str
    ones: str
    library: Library | None = None

    def row(self, i: str, from_start: bool) -> str:
        """The i-th row in the order of a substitution, where the columns in front are known; or the other way."""
        last = self.body.minus(self.body.minus(self.size, "1"), i)
        return self.body.pick(self.lower, i, last) if from_start else self.body.pick(self.lower, last, i)

    def diagonal(self, row: str) -> str:
        return self.body.choose(self.ones, "1.0", self.a.get(row, row))

    def solve(self, b: Matrix, columns: str, alpha: str | None) -> None:
        """b = alpha A^-1 b."""
        body = self.body
        if self.library is not None:
            if alpha is not None:
                with body.loop(columns) as j, body.loop(self.size) as i:
                    place = b.at(i, j)
                    body.store(body.arithmetic("fmul", alpha, body.load(place)), place)
            sizes = (self.size, columns)
            call_solve(body, self.library.of("trsm"), sizes, (self.lower, self.ones), self.a, b)
            return
        with body.loop(columns) as j, body.loop(self.size) as i:
            row = self.row(i, True)
            place = b.at(row, j)
            start = body.load(place)
            rest = body.local(start if alpha is None else body.arithmetic("fmul", alpha, start))
            with body.loop(i) as p:
                before = self.row(p, True)
                known = body.arithmetic("fmul", self.a.get(row, before), b.get(before, j))
                body.store(body.arithmetic("fsub", body.load(rest), known), rest)
            body.store(body.arithmetic("fdiv", body.load(rest), self.diagonal(row)), place)

    def multiply(self, b: Matrix, columns: str, alpha: str | None) -> None:
        """b = alpha A b."""
        body = self.body
        if self.library is not None:

            def element(i: str, j: str) -> str:
                same, below = body.equal(i, j), body.reaches(i, j)
                inside = body.value(f"icmp eq i1 {below}, {self.lower}")
                inside = body.value(f"or i1 {inside}, {same}")
                there = body.choose(inside, self.a.get(i, j), "0.0")
                return body.choose(body.both(same, self.ones), "1.0", there)

            whole = _by_elements(body, self.size, self.size, element)
            old = _by_elements(body, self.size, columns, b.get)
            b.clear(self.size, columns)
            call_product(body, self.library, (self.size, columns, self.size), alpha or "1.0", whole, old, b)
            body.free(whole.base)
            body.free(old.base)
            return
        with body.loop(columns) as j, body.loop(self.size) as i:
            row = self.row(i, False)
            place = b.at(row, j)
            total = body.local(body.arithmetic("fmul", self.diagonal(row), body.load(place)))
            with body.loop(body.minus(body.minus(self.size, "1"), i)) as p:
                other = self.row(p, True)
                body.increase(total, body.arithmetic("fmul", self.a.get(row, other), b.get(other, j)))
            sum = body.load(total)
            body.store(sum if alpha is None else body.arithmetic("fmul", alpha, sum), place)


def _triangular(body: Body, given: Given, a: Matrix, size: str, turned: str) -> Triangular:
    return Triangular(body, a, size, body.differ(given["uplo"], turned), given["diag"], given.library)


def _triangular_vector(body: Body, given: Given) -> tuple[Triangular, Matrix]:
    n, flag = given["n"], given["trans"]
    a = given.matrix("a").transposed_where(flag)
    return _triangular(body, given, a, n, flag), given.vector("x", n)


def _trsv(body: Body, given: Given) -> None:
    triangular, x = _triangular_vector(body, given)
    triangular.solve(x, "1", None)


def _trmv(body: Body, given: Given) -> None:
    triangular, x = _triangular_vector(body, given)
    triangular.multiply(x, "1", None)


def _triangular_matrix(body: Body, given: Given) -> tuple[Triangular, Matrix, str]:
    """From the right, the transposed matrices are worked on from the left."""
    m, n, right = given["m"], given["n"], given["side"]
    flag = body.differ(given["transa"], right)
    a, b = given.matrix("a").transposed_where(flag), given.matrix("b").transposed_where(right)
    size, columns = body.pick(right, n, m), body.pick(right, m, n)
    return _triangular(body, given, a, size, flag), b, columns


def _trsm(body: Body, given: Given) -> None:
    triangular, b, columns = _triangular_matrix(body, given)
    triangular.solve(b, columns, given["alpha"])


def _trmm(body: Body, given: Given) -> None:
    triangular, b, columns = _triangular_matrix(body, given)
    triangular.multiply(b, columns, given["alpha"])


_KERNELS: dict[str, Callable[[Body, Given], str | None]] = {
    "dot": _dot, "axpy": _axpy, "scal": _scal, "copy": _copy, "swap": _swap, "nrm2": _nrm2, "asum": _asum, "rot": _rot,
    "gemv": _gemv, "ger": _ger, "symv": _symv, "syr": _syr, "trmv": _trmv, "trsv": _trsv, "gemm": _gemm, "symm": _symm,
    "syrk": _syrk, "trmm": _trmm, "trsm": _trsm,
}  # fmt: skip
