"""Bodies of LAPACK routines that a program calls and does not define: what their derivatives are made of.

As for BLAS (:mod:`enzyme.gradient.blas`): only the copy of the program that derivatives are made from gets them.
Routines: Cholesky and LU factorisations and the solves with them, and triangular solves, of real numbers, in Fortran
(``dpotrf_``) and in C (``LAPACKE_dpotrf``). They take the steps of the textbook in the order of columns, some columns
together, so that most of the work is products and solves whose derivatives are products and solves
(:mod:`enzyme.gradient.matrix_rules`). A factorisation's rows are exchanged as the standard says, so that the choice of
pivots is the library's but for rounding.
"""

from __future__ import annotations

import re

from enzyme.gradient.blas import Given, Triangular, add_to_triangle, header_of, needed_intrinsics
from enzyme.gradient.body_text import STRIP, Body, Matrix, strips
from enzyme.gradient.products import Library, call_product
from enzyme.gradient.solves import call_solve

_ROUTINES = {
    "potrf": "order uplo n a lda info",
    "potrs": "order uplo n nrhs a lda b ldb info",
    "trtrs": "order uplo trans diag n nrhs a lda b ldb info",
    "getrf": "order m n a lda ipiv info",
    "getrs": "order trans n nrhs a lda ipiv b ldb info",
    "gesv": "order n nrhs a lda ipiv b ldb info",
}
"""The parameters of each routine; Fortran has no order, and in C ``info`` is the result."""

_POINTERS = ("a", "b", "ipiv", "info")
_WRITTEN = {
    "potrf": ("a", "info"), "potrs": ("b", "info"), "trtrs": ("b", "info"), "getrf": ("a", "ipiv", "info"),
    "getrs": ("b", "info"), "gesv": ("a", "ipiv", "b", "info"),
}  # fmt: skip
_LETTERS = {"uplo": ("eq", "l"), "trans": ("ne", "n"), "diag": ("eq", "u")}
_ROW_MAJOR = 101

_NAMES = "|".join(_ROUTINES)
_NAME = re.compile(rf"LAPACKE_([sd])({_NAMES})(?:_64)?|([sd])({_NAMES})_(64_)?")
_DECLARED = re.compile(rf"^declare ([^@\n]*)@({_NAME.pattern})\(([^\n]*)\)([^\n]*)$", re.MULTILINE)


def is_factorisation(name: str | None) -> bool:
    """Whether there is a body for a function of this name."""
    return name is not None and _NAME.fullmatch(name) is not None


def with_factorisations(text: str, products: bool = True) -> str:
    """A program with bodies in place of the declarations of LAPACK routines; ``products``: as for BLAS."""
    changed = _DECLARED.sub(lambda declared: _defined(declared, products), text)
    return text if changed is text else needed_intrinsics(changed)


def _defined(declared: re.Match[str], products: bool) -> str:
    """The definition, or the declaration where it is not that of the routine."""
    name, parameters = declared[2], declared[8]
    found = _NAME.fullmatch(name)
    assert found is not None
    c = found[1] is not None
    letter, routine = (found[1], found[2]) if c else (found[3], found[4])
    words = [word for word in _ROUTINES[routine].split() if word != ("info" if c else "order")]
    have = [each.strip().split(" ")[0] for each in parameters.split(",")]
    result = declared[1].split()
    if len(have) < len(words) or (c and len(have) != len(words)):
        return declared[0]
    if any((given == "ptr") != (not c or word in _POINTERS) for word, given in zip(words, have, strict=False)):
        return declared[0]
    integer = ("i64" if found[5] else "i32") if not c else have[0]
    if c and (integer not in result or integer not in ("i32", "i64")):
        return declared[0]
    body = Body("double" if letter == "d" else "float")
    values = {word: _value(body, word, have[index], c, integer) for index, word in enumerate(words)}
    info = _Info(body)
    library = None
    if products:
        wide = "64_" if found[5] or name.endswith("_64") else ""
        hidden = have[len(words)] if len(have) > len(words) else ""
        library = Library(body.type, f"{letter}gemm_{wide}", integer, hidden)
    _KERNELS[routine](_Job(body, Given(body, values, library), info, integer))
    end = info.finish(None if c else "%info", integer)
    header = header_of(integer if c else "void", name, words, have, _WRITTEN[routine])
    return "\n".join((header, *body.finished(end), "}"))


def _value(body: Body, word: str, given: str, c: bool, integer: str) -> str:
    """What a parameter stands for: an address, an integer of 64 bits, or a flag."""
    if word in _POINTERS:
        return f"%{word}"
    if word in _LETTERS:
        test, letter = _LETTERS[word]
        type = given if c else "i8"
        lower = body.value(f"or {type} {f'%{word}' if c else body.value(f'load i8, ptr %{word}')}, 32")
        return body.value(f"icmp {test} {type} {lower}, {ord(letter)}")
    if word == "order":
        return body.value(f"icmp eq {given} %{word}, {_ROW_MAJOR}")
    return body.wide(integer, f"%{word}" if c else body.value(f"load {integer}, ptr %{word}"))


class _Info:
    """What a routine says of its success: 0, or the first column, counted from 1, where it failed."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.place = body.integer("0")

    def is_fine(self) -> str:
        return self.body.value(f"icmp eq i64 {self.body.read(self.place)}, 0")

    def fail_where(self, flag: str, column: str) -> None:
        """The failure of a column, where none before it has failed."""
        body = self.body
        first = body.value(f"and i1 {flag}, {self.is_fine()}")
        body.write(body.pick(first, body.plus(column, "1"), body.read(self.place)), self.place)

    def finish(self, address: str | None, integer: str) -> str:
        body = self.body
        value = body.read(self.place)
        narrow = value if integer == "i64" else body.value(f"trunc i64 {value} to {integer}")
        if address is None:
            return f"ret {integer} {narrow}"
        body.put(f"store {integer} {narrow}, ptr {address}")
        return "ret void"


class _Job:
    """One call of a routine."""

    def __init__(self, body: Body, given: Given, info: _Info, integer: str) -> None:
        self.body, self.given, self.info, self.integer = body, given, info, integer

    def row_of(self, index: str) -> str:
        """The row, counted from 0, that was exchanged with this one."""
        body = self.body
        place = body.value(f"getelementptr inbounds {self.integer}, ptr {self.given['ipiv']}, i64 {index}")
        return body.minus(body.wide(self.integer, body.value(f"load {self.integer}, ptr {place}")), "1")

    def note_row(self, index: str, row: str) -> None:
        body = self.body
        place = body.value(f"getelementptr inbounds {self.integer}, ptr {self.given['ipiv']}, i64 {index}")
        value = body.plus(row, "1")
        if self.integer != "i64":
            value = body.value(f"trunc i64 {value} to {self.integer}")
        body.put(f"store {self.integer} {value}, ptr {place}")

    def exchange(self, matrix: Matrix, row: str, other: str, columns: str) -> None:
        body = self.body
        with body.loop(columns) as k:
            _swap(body, matrix.at(row, k), matrix.at(other, k))


def _nothing() -> None:
    pass


def _potrf(job: _Job) -> None:
    body, given, info = job.body, job.given, job.info
    n = given["n"]
    a = given.matrix("a").transposed_where(body.differ(given["uplo"], "true"))

    if given.library is not None:
        _cholesky(body, info, given.library, a, n)
        return
    _cholesky_by_elements(body, info, a, n, "0")


def _cholesky(body: Body, info: _Info, library: Library, a: Matrix, n: str) -> None:
    """Strip by strip; what is behind a strip is brought up to date at once. The square at its head is worked on in
    memory of its own, where its rows lie one behind the other."""
    width = body.least(n, str(STRIP))
    room = body.block(width, width)
    with strips(body, n) as (first, count, behind):
        below = body.plus(first, count)
        diagonal, panel = a.from_on(first, first), a.from_on(below, first)
        square = Matrix(body, room, count, "1")

        def factorise() -> None:
            _copy_lower(body, diagonal, square, count)
            _cholesky_by_elements(body, info, square, count, first)
            _copy_lower(body, square, diagonal, count)

        def rest() -> None:
            call_solve(body, library.of("trsm"), (count, behind), ("true", "false"), square, panel.transposed)
            kept = Matrix(body, body.block(behind, count), "1", behind)
            with body.loop(count) as j, body.loop(behind) as i:
                body.store(panel.get(i, j), kept.at(i, j))
            add_to_triangle(body, library, a.from_on(below, below), kept, (behind, count), "-1.0")
            body.free(kept.base)

        body.either(info.is_fine(), factorise, _nothing)
        body.either(body.both(info.is_fine(), body.value(f"icmp sgt i64 {behind}, 0")), rest, _nothing)
    body.free(room)


def _copy_lower(body: Body, source: Matrix, to: Matrix, n: str) -> None:
    with body.loop(n) as j, body.loop(body.minus(n, j)) as distance:
        i = body.plus(j, distance)
        body.store(source.get(i, j), to.at(i, j))


def _cholesky_by_elements(body: Body, info: _Info, a: Matrix, n: str, first: str) -> None:
    """Column by column; ``first`` is the number of the first one."""

    def rest(i: str, j: str) -> str:
        """What is left of an element when the columns before j are taken off."""
        total = body.local(a.get(i, j))
        with body.loop(j) as p:
            taken = body.arithmetic("fmul", a.get(i, p), a.get(j, p))
            body.store(body.arithmetic("fsub", body.load(total), taken), total)
        return body.load(total)

    with body.loop(n) as j:

        def column(j: str = j) -> None:
            square = rest(j, j)
            positive = body.value(f"fcmp ogt {body.type} {square}, 0.0")
            info.fail_where(body.differ(positive, "true"), body.plus(first, j))

            def below() -> None:
                root = body.call("sqrt", square)
                body.store(root, a.at(j, j))
                with body.loop(body.minus(body.minus(n, "1"), j)) as distance:
                    i = body.plus(body.plus(j, distance), "1")
                    body.store(body.arithmetic("fdiv", rest(i, j), root), a.at(i, j))

            body.either(positive, below, lambda: body.store(square, a.at(j, j)))

        body.either(info.is_fine(), column, _nothing)


def _potrs(job: _Job) -> None:
    body, given = job.body, job.given
    n, b = given["n"], given.matrix("b")
    lower = given.matrix("a").transposed_where(body.differ(given["uplo"], "true"))
    Triangular(body, lower, n, "true", "false", given.library).solve(b, given["nrhs"], None)
    Triangular(body, lower.transposed, n, "false", "false", given.library).solve(b, given["nrhs"], None)


def _trtrs(job: _Job) -> None:
    body, given, info = job.body, job.given, job.info
    n, flag, whole = given["n"], given["trans"], given.matrix("a")
    with body.loop(n) as j:
        zero = body.value(f"fcmp oeq {body.type} {whole.get(j, j)}, 0.0")
        info.fail_where(body.value(f"and i1 {zero}, {body.differ(given['diag'], 'true')}"), j)
    lower = body.differ(given["uplo"], flag)
    triangular = Triangular(body, whole.transposed_where(flag), n, lower, given["diag"], given.library)
    body.either(info.is_fine(), lambda: triangular.solve(given.matrix("b"), given["nrhs"], None), _nothing)


def _factorise(job: _Job, m: str, n: str) -> None:
    body, a = job.body, job.given.matrix("a")
    least = body.least(m, n)
    if job.given.library is None:
        with body.loop(least) as j:
            _eliminate(job, a, "0", j, m, n)
        return
    with strips(body, least) as (first, count, _):
        _factorise_strip(job, job.given.library, a, (first, count), (m, n))


def _factorise_strip(job: _Job, library: Library, a: Matrix, place: tuple[str, str], sizes: tuple[str, str]) -> None:
    """Some columns, and all that follows of them for the columns on both sides."""
    body, (first, count), (m, n) = job.body, place, sizes
    panel = a.from_on(first, first)
    rows = body.minus(m, first)
    with body.loop(count) as j:
        _eliminate(job, panel, first, j, rows, count, library)
    with body.loop(body.minus(n, count)) as other:
        column = body.pick(body.value(f"icmp slt i64 {other}, {first}"), other, body.plus(other, count))
        with body.loop(count) as step:
            row = body.plus(first, step)
            _swap(body, a.at(row, column), a.at(job.row_of(row), column))
    behind = body.plus(first, count)
    right = body.minus(n, behind)

    def rest() -> None:
        beside = a.from_on(first, behind)
        call_solve(body, library.of("trsm"), (count, right), ("true", "true"), panel, beside)
        below = body.minus(rows, count)
        factors, left = panel.from_on(count, "0"), a.from_on(behind, behind)
        call_product(body, library, (below, right, count), "-1.0", factors, beside, left)

    body.either(body.value(f"icmp sgt i64 {right}, 0"), rest, _nothing)


def _eliminate(job: _Job, a: Matrix, first: str, j: str, m: str, n: str, library: Library | None = None) -> None:
    """Column j of a matrix whose own first row is the row ``first`` of all: choose a pivot, divide, and take the column
    off those behind it."""
    body, info = job.body, job.info
    below = body.minus(body.minus(m, "1"), j)
    largest, row = body.local(body.call("fabs", a.get(j, j))), body.integer(j)
    with body.loop(below) as distance:
        i = body.plus(body.plus(j, distance), "1")
        size, most = body.call("fabs", a.get(i, j)), body.load(largest)
        larger = body.value(f"fcmp ogt {body.type} {size}, {most}")
        body.store(body.choose(larger, size, most), largest)
        body.write(body.pick(larger, i, body.read(row)), row)
    pivot = body.read(row)
    job.note_row(body.plus(first, j), body.plus(first, pivot))
    zero = body.value(f"fcmp oeq {body.type} {a.get(pivot, j)}, 0.0")
    info.fail_where(zero, body.plus(first, j))

    def column() -> None:
        same = body.value(f"icmp eq i64 {pivot}, {j}")
        body.either(same, _nothing, lambda: job.exchange(a, j, pivot, n))
        divisor = a.get(j, j)
        following = body.plus(j, "1")
        further = body.minus(body.minus(n, "1"), j)
        with body.loop(below) as distance:
            place = a.at(body.plus(following, distance), j)
            factor = body.arithmetic("fdiv", body.load(place), divisor)
            body.store(factor, place)
            if library is None:
                with body.loop(further) as more:
                    k = body.plus(following, more)
                    element = a.at(body.plus(following, distance), k)
                    taken = body.arithmetic("fmul", factor, a.get(j, k))
                    body.store(body.arithmetic("fsub", body.load(element), taken), element)
        if library is not None:
            left, up, rest = a.from_on(following, j), a.from_on(j, following), a.from_on(following, following)
            call_product(body, library, (below, further, "1"), "-1.0", left, up, rest)

    body.either(zero, _nothing, column)


def _swap(body: Body, here: str, there: str) -> None:
    a, b = body.load(here), body.load(there)
    body.store(b, here)
    body.store(a, there)


def _getrf(job: _Job) -> None:
    _factorise(job, job.given["m"], job.given["n"])


def _solve(job: _Job) -> None:
    body, given = job.body, job.given
    n, columns, a, b = given["n"], given["nrhs"], given.matrix("a"), given.matrix("b")
    with body.loop(n) as i:
        job.exchange(b, i, job.row_of(i), columns)
    Triangular(body, a, n, "true", "true", given.library).solve(b, columns, None)
    Triangular(body, a, n, "false", "false", given.library).solve(b, columns, None)


def _getrs(job: _Job) -> None:
    body, given = job.body, job.given
    n, columns, a, b = given["n"], given["nrhs"], given.matrix("a").transposed, given.matrix("b")

    def transposed() -> None:
        Triangular(body, a, n, "true", "false", given.library).solve(b, columns, None)
        Triangular(body, a, n, "false", "true", given.library).solve(b, columns, None)
        with body.loop(n) as step:
            i = body.minus(body.minus(n, "1"), step)
            job.exchange(b, i, job.row_of(i), columns)

    body.either(given["trans"], transposed, lambda: _solve(job))


def _gesv(job: _Job) -> None:
    _factorise(job, job.given["n"], job.given["n"])
    job.body.either(job.info.is_fine(), lambda: _solve(job), _nothing)


_KERNELS = {
    "potrf": _potrf,
    "potrs": _potrs,
    "trtrs": _trtrs,
    "getrf": _getrf,
    "getrs": _getrs,
    "gesv": _gesv,
}
