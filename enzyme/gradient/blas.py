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

_NAME = re.compile(rf"(?:(cblas_)([sd])({'|'.join(ROUTINES)})(?:64_?)?|([sd])({'|'.join(ROUTINES)})_(64_)?)")
_DECLARED = re.compile(rf"^declare ([^@\n]*)@({_NAME.pattern})\(([^\n]*)\)([^\n]*)$", re.MULTILINE)


def is_routine(name: str | None) -> bool:
    """Whether there is a body for a function of this name."""
    return name is not None and _NAME.fullmatch(name) is not None


def with_routines(text: str) -> str:
    """A program with bodies in place of the declarations of BLAS routines."""
    changed = _DECLARED.sub(_defined, text)
    return text if changed is text else needed_intrinsics(changed)


def needed_intrinsics(changed: str) -> str:
    """A program with declarations of what bodies call."""
    for type, suffix in (("double", "f64"), ("float", "f32")):
        for name in ("sqrt", "fabs"):
            head = f"{type} @llvm.{name}.{suffix}({type}"
            if f"call {head}" in changed and f"declare {head}" not in changed:
                changed += f"\ndeclare {head})\n"
    return changed


def _defined(declared: re.Match[str]) -> str:
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
    returned = _KERNELS[routine](body, Given(body, values))
    end = f"ret {type} {returned}" if returned is not None else "ret void"
    header = header_of(wanted, name, words, have, _WRITTEN.get(routine, ""))
    return "\n".join((header, *body.finished(end), "}"))


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


# --- code ------------------------------------------------------------------------------------------------------------


class Body:
    """The text of a function that computes with numbers of one ``type``, integers of 64 bits and flags."""

    def __init__(self, type: str) -> None:
        self.type = type
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

    # numbers

    def arithmetic(self, opcode: str, a: str, b: str) -> str:
        return self.value(f"{opcode} reassoc {self.type} {a}, {b}")

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
    """Elements at ``row`` and ``column`` strides behind an address; a vector has column stride 0."""

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

    @property
    def transposed(self) -> Matrix:
        return Matrix(self.body, self.base, self.column, self.row)

    def transposed_where(self, flag: str) -> Matrix:
        row = self.body.pick(flag, self.column, self.row)
        return Matrix(self.body, self.base, row, self.body.pick(flag, self.row, self.column))


class Given:
    """The arguments of a routine."""

    def __init__(self, body: Body, values: dict[str, str]) -> None:
        self.body, self.values = body, values

    def __getitem__(self, word: str) -> str:
        return self.values[word]

    def vector(self, word: str, count: str) -> Matrix:
        """A vector; a negative increment walks it from its end."""
        body, step = self.body, self[f"inc{word}"]
        back = body.times(body.minus("1", count), step)
        start = body.pick(body.value(f"icmp slt i64 {step}, 0"), back, "0")
        base = body.value(f"getelementptr inbounds {body.type}, ptr {self[word]}, i64 {start}")
        return Matrix(body, base, step, "0")

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
    _product(body, given, body.pick(flag, n, m), body.pick(flag, m, n), a.get)


def _symmetric(body: Body, a: Matrix, lower: str) -> Callable[[str, str], str]:
    """Elements of a symmetric matrix of which one triangle is there."""

    def element(i: str, j: str) -> str:
        below = body.value(f"icmp sge i64 {i}, {j}")
        there = body.value(f"icmp eq i1 {below}, {lower}")
        return a.get(body.pick(there, i, j), body.pick(there, j, i))

    return element


def _symv(body: Body, given: Given) -> None:
    _product(body, given, given["n"], given["n"], _symmetric(body, given.matrix("a"), given["uplo"]))


def _ger(body: Body, given: Given) -> None:
    m, n = given["m"], given["n"]
    x, y, a = given.vector("x", m), given.vector("y", n), given.matrix("a")
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
    with _triangle(body, n, given["uplo"]) as (i, j, row, column):
        product = body.arithmetic("fmul", x.get(i), x.get(j))
        body.increase(a.at(row, column), body.arithmetic("fmul", given["alpha"], product))


def _syrk(body: Body, given: Given) -> None:
    a, c = given.matrix("a").transposed_where(given["trans"]), given.matrix("c")
    with _triangle(body, given["n"], given["uplo"]) as (i, j, row, column):
        total = _sum(body, given["k"], lambda p: body.arithmetic("fmul", a.get(i, p), a.get(j, p)))
        place = c.at(row, column)
        old = _scaled(body, place, given["beta"])
        body.store(body.arithmetic("fadd", body.arithmetic("fmul", given["alpha"], total), old), place)


def _gemm(body: Body, given: Given) -> None:
    m, n, k = given["m"], given["n"], given["k"]

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

    def by_columns() -> None:
        columns(m, n, a.transposed_where(given["transa"]), b.transposed_where(given["transb"]), c)

    def by_rows() -> None:  # the same memory holds the transposed matrices, and C' = B' A'
        columns(n, m, b.transposed_where(given["transb"]), a.transposed_where(given["transa"]), c)

    if "order" in given.values:
        body.either(given["order"], by_rows, by_columns)
    else:
        by_columns()


def _symm(body: Body, given: Given) -> None:
    m, n, right = given["m"], given["n"], given["side"]
    element = _symmetric(body, given.matrix("a"), given["uplo"])
    b, c = (given.matrix(word).transposed_where(right) for word in "bc")
    rows, columns = body.pick(right, n, m), body.pick(right, m, n)
    with body.loop(columns) as j, body.loop(rows) as i:
        total = _sum(body, rows, lambda p: body.arithmetic("fmul", element(i, p), b.get(p, j)))
        place = c.at(i, j)
        old = _scaled(body, place, given["beta"])
        body.store(body.arithmetic("fadd", body.arithmetic("fmul", given["alpha"], total), old), place)


@dataclass(frozen=True)
class Triangular:
    """A triangular matrix of ``size`` rows; ``lower`` is a flag, a diagonal of ones is not there."""

    body: Body
    a: Matrix
    size: str
    lower: str
    ones: str

    def row(self, i: str, from_start: bool) -> str:
        """The i-th row in the order of a substitution, where the columns in front are known; or the other way."""
        last = self.body.minus(self.body.minus(self.size, "1"), i)
        return self.body.pick(self.lower, i, last) if from_start else self.body.pick(self.lower, last, i)

    def diagonal(self, row: str) -> str:
        return self.body.choose(self.ones, "1.0", self.a.get(row, row))

    def solve(self, b: Matrix, columns: str, alpha: str | None) -> None:
        """b = alpha A^-1 b."""
        body = self.body
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
        with body.loop(columns) as j, body.loop(self.size) as i:
            row = self.row(i, False)
            place = b.at(row, j)
            total = body.local(body.arithmetic("fmul", self.diagonal(row), body.load(place)))
            with body.loop(body.minus(body.minus(self.size, "1"), i)) as p:
                other = self.row(p, True)
                body.increase(total, body.arithmetic("fmul", self.a.get(row, other), b.get(other, j)))
            sum = body.load(total)
            body.store(sum if alpha is None else body.arithmetic("fmul", alpha, sum), place)


def _triangular_vector(body: Body, given: Given) -> tuple[Triangular, Matrix]:
    n, flag = given["n"], given["trans"]
    a = given.matrix("a").transposed_where(flag)
    return Triangular(body, a, n, body.differ(given["uplo"], flag), given["diag"]), given.vector("x", n)


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
    return Triangular(body, a, size, body.differ(given["uplo"], flag), given["diag"]), b, columns


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
