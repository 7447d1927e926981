"""Derivatives of products of matrices (:mod:`enzyme.gradient.products`) and of solves with triangular ones
(:mod:`enzyme.gradient.solves`): products and solves.

For C += alpha A B the tangent is C' += alpha A' B + alpha A B' + alpha' A B, the adjoints are A' += alpha C' B^T,
B' += alpha A^T C' and alpha' += the sum of C' times A B, element by element.

For X = A^-1 B, which overwrites B, the tangent is X' = A^-1 (B' - A' X), the adjoints are B' = A^-T X' and A' -= B' X^T
on the triangle that A has (Giles, Collected matrix derivative results for forward and reverse mode algorithmic
differentiation, 2008).

What the reverse sweep needs of the matrices goes on the tape only where the program overwrites it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from enzyme.analysis.symbolic import Sym, constant, leaf, operation
from enzyme.gradient import products, solves
from enzyme.gradient.lanes import packed
from enzyme.gradient.matrix_steps import kind_of
from enzyme.gradient.request import Request
from enzyme.gradient.signatures import return_parts
from enzyme.gradient.tape_count import TapeCounter
from enzyme.ir.builder import Builder
from enzyme.ir.parser import parse_module
from enzyme.ir.types import I1, I64, PTR
from enzyme.ir.values import ConstantInt, ConstantToken, Function, Value

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine, SplitPair

_NONE = ConstantInt(I64, 0)


@dataclass(frozen=True)
class _Matrix:
    """A matrix of a call: its address, its strides, how many rows and columns it has."""

    base: Value
    row: Value
    column: Value
    rows: Value
    columns: Value

    @property
    def transposed(self) -> _Matrix:
        return _Matrix(self.base, self.column, self.row, self.columns, self.rows)

    @property
    def parts(self) -> tuple[Value, Value, Value]:
        return self.base, self.row, self.column

    def at(self, base: Value) -> _Matrix:
        """Another matrix of the same form."""
        return _Matrix(base, self.row, self.column, self.rows, self.columns)


class _Call:
    """The arguments of a derivative, by the names of the step's parameters: its own, and shadows for each lane."""

    def __init__(self, words: Sequence[str], function: Function, request: Request) -> None:
        self.request, self.words = request, words
        self.own: dict[str, Value] = {}
        self.shadows: dict[str, list[Value]] = {}
        at = 0
        for word, duplicated in zip(words, request.duplicated, strict=True):
            self.own[word] = function.args[at]
            at += 1
            if duplicated:
                self.shadows[word] = list(function.args[at : at + request.width])
                at += request.width

    def __getitem__(self, word: str) -> Value:
        return self.own[word]

    def matrix(self, word: str, rows: str, columns: str) -> _Matrix:
        own = self.own
        return _Matrix(own[word], own[f"{word}row"], own[f"{word}column"], own[rows], own[columns])

    def lane(self, lane: int, *words: str) -> list[Value] | None:
        """The shadows of a lane, where there are all of these."""
        if any(word not in self.shadows for word in words):
            return None
        return [self.shadows[word][lane] for word in words]

    def apart(self, build: Builder, size: Value, lane: int, *words: str) -> Value:
        """A size, or none where a shadow is what it is the shadow of: that is constant then."""
        for word in words if self.request.at_run_time else ():
            size = build.select(build.icmp("eq", self.shadows[word][lane], self.own[word]), _NONE, size)
        return size


@dataclass(frozen=True)
class KeptMatrices:
    """How many bytes an augmented primal of ``function`` keeps, over its parameters."""

    function: Function
    size: Sym


class MatrixRules:
    """Makes the functions for requests on products and solves."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._counter = TapeCounter(engine)
        self.kept: dict[str, KeptMatrices] = {}
        """By name of an augmented primal."""

    def answers(self, request: Request) -> bool:
        if request.strong_zero or request.behind:
            return False
        kind = kind_of(request.function)
        numbers = ("a", "b", "c", "alpha")
        return kind is not None and all(
            activity == "const" or word in numbers for word, activity in zip(kind.PARAMETERS, request.args, strict=True)
        )

    def finish(self, functions: Iterable[Function]) -> None:
        """Let functions call what computes, in place of what stands for it."""
        module = self.engine.module
        steps = {name: kind for name in module.functions if (kind := kind_of(name)) is not None}
        for function in functions if steps else ():
            for inst in function.instructions():
                for index, operand in enumerate(inst.operands):
                    kind = steps.get(operand.name or "") if isinstance(operand, Function) else None
                    if kind is not None:
                        name = kind.finished_name(operand.name or "")
                        if module.get_function(name) is None:
                            self.engine.adopt(parse_module(kind.finished_text(operand.name or "")).functions[name])
                        inst.set_operand(index, module.functions[name])

    def forward(self, function: Function, request: Request) -> None:
        """Body of a forward derivative."""
        build = Builder(function.append_block("entry"))
        if products.is_step(request.function):
            self._product_forward(build, _Call(products.PARAMETERS, function, request))
        else:
            self._solve_forward(build, _Call(solves.PARAMETERS, function, request))
        build.ret()

    def split(self, pair: SplitPair) -> None:
        """Bodies of an augmented primal and a reverse."""
        if products.is_step(pair.request.function):
            self._product_split(pair)
        else:
            self._solve_split(pair)

    # what is kept

    def _keep(self, build: Builder, kept: Sequence[_Matrix], type: str) -> Value:
        """Copies of matrices, in one block of memory."""
        if not kept:
            return ConstantToken(PTR, "null")
        first = self._bytes(build, kept[0], type)
        size = first if len(kept) == 1 else build.add(first, self._bytes(build, kept[1], type))
        tape = build.call(self.engine.heap("malloc"), [size])
        self._counter.take(build, tape)
        self._copy(build, kept[0], tape, type)
        if len(kept) > 1:
            self._copy(build, kept[1], build.offset(tape, first), type)
        return tape

    def _note(self, pair: SplitPair, places: dict[Value, int], kept: Sequence[_Matrix], type: str) -> None:
        """For ``explain``: how many bytes these are; ``places`` are the numbers of parameters."""
        function = self.engine.subject(pair.request.function).function
        size: Sym = constant(0, 64)
        for each in kept:
            rows, columns = (leaf(function.args[places[side]]) for side in (each.rows, each.columns))
            bytes = operation("mul", operation("mul", rows, columns), constant(8 if type == "double" else 4, 64))
            size = operation("add", size, bytes)
        self.kept[pair.augmented.name or ""] = KeptMatrices(function, size)

    def _copy(self, build: Builder, each: _Matrix, to: Value, type: str) -> None:
        copy = self.engine.define(*products.copy_text(type))
        build.call(copy, [*each.parts, each.rows, each.columns, to])

    def _kept(self, build: Builder, kept: Sequence[_Matrix], tape: Value, type: str) -> list[_Matrix]:
        """Those copies, in the reverse sweep: the columns one behind the other where the matrix has neighbours in its
        columns, and else the rows."""
        found: list[_Matrix] = []
        one = ConstantInt(I64, 1)
        for each in kept:
            by_columns = build.icmp("eq", each.row, one)
            row = build.select(by_columns, one, each.columns)
            column = build.select(by_columns, each.rows, one)
            found.append(_Matrix(tape, row, column, each.rows, each.columns))
            if each is not kept[-1]:
                tape = build.offset(tape, self._bytes(build, each, type))
        return found

    def _bytes(self, build: Builder, each: _Matrix, type: str) -> Value:
        return build.mul(build.mul(each.rows, each.columns), ConstantInt(I64, 8 if type == "double" else 4))

    def _sweeps(
        self,
        pair: SplitPair,
        words: Sequence[str],
        type: str,
        matrices: Callable[[_Call], list[_Matrix]],
        run: Callable[[Builder, _Call], None],
    ) -> tuple[Builder, _Call, list[_Matrix], Callable[[list[Value]], None]]:
        """The augmented primal, which runs and copies what of its ``matrices`` is to be kept; and the beginning of the
        reverse, with these matrices as they were, and its end, given the gradients."""
        request = pair.request
        build = Builder(pair.augmented.append_block("entry"))
        call = _Call(words, pair.augmented, request)
        run(build, call)
        names = {each: word for word, each in call.own.items()}
        keep = [names[each.base] for each in matrices(call)]
        keep = [word for word in keep if words.index(word) in request.overwritten]
        kept = [each for each in matrices(call) if names[each.base] in keep]
        tape = self._keep(build, kept, type)
        self._note(pair, {value: words.index(word) for value, word in names.items()}, kept, type)
        build.ret(build.insert_value(ConstantToken(pair.augmented.result_type, "poison"), tape, 0))

        build = Builder(pair.reverse.append_block("entry"))
        call = _Call(words, pair.reverse, request)
        names = {each: word for word, each in call.own.items()}
        own = [each for each in matrices(call) if names[each.base] in keep]
        there = {each.base: as_it_was for each, as_it_was in zip(
            own, self._kept(build, own, pair.reverse.args[-1], type), strict=True
        )}  # fmt: skip

        def end(gradients: list[Value]) -> None:
            if keep and not request.keep_tape:
                self._counter.give(build, pair.reverse.args[-1])
                build.call(self.engine.heap("free"), [pair.reverse.args[-1]])
            return_parts(build, pair.reverse, gradients)

        return build, call, [there.get(each.base, each) for each in matrices(call)], end

    # products

    def _multiply(
        self, build: Builder, call: _Call, rows: Value, alpha: Value, a: _Matrix, b: _Matrix, c: _Matrix
    ) -> None:
        product = self.engine.module.functions[call.request.function]
        build.call(product, [rows, c.columns, a.columns, alpha, *a.parts, *b.parts, *c.parts])

    def _product_matrices(self, call: _Call) -> tuple[_Matrix, _Matrix, _Matrix]:
        return call.matrix("a", "m", "k"), call.matrix("b", "k", "n"), call.matrix("c", "m", "n")

    def _product_forward(self, build: Builder, call: _Call) -> None:
        a, b, c = self._product_matrices(call)
        for lane in range(call.request.width):
            if found := call.lane(lane, "a", "c"):
                rows = call.apart(build, c.rows, lane, "a", "c")
                self._multiply(build, call, rows, call["alpha"], a.at(found[0]), b, c.at(found[1]))
            if found := call.lane(lane, "b", "c"):
                rows = call.apart(build, c.rows, lane, "b", "c")
                self._multiply(build, call, rows, call["alpha"], a, b.at(found[0]), c.at(found[1]))
            if found := call.lane(lane, "alpha", "c"):
                rows = call.apart(build, c.rows, lane, "c")
                self._multiply(build, call, rows, found[0], a, b, c.at(found[1]))
        self._multiply(build, call, c.rows, call["alpha"], a, b, c)

    def _product_split(self, pair: SplitPair) -> None:
        request = pair.request
        kinds = dict(zip(products.PARAMETERS, request.args, strict=True))
        live, by_alpha = kinds["c"] != "const", kinds["alpha"] == "out"
        type = products.library_of(request.function).type

        def needed(call: _Call) -> list[_Matrix]:
            a, b, _ = self._product_matrices(call)
            return [
                each
                for each, other in ((a, "b"), (b, "a"))
                if live and (by_alpha or kinds[other] != "const")
            ]  # fmt: skip

        def run(build: Builder, call: _Call) -> None:
            a, b, c = self._product_matrices(call)
            self._multiply(build, call, c.rows, call["alpha"], a, b, c)

        build, call, kept, end = self._sweeps(pair, products.PARAMETERS, type, needed, run)
        a, b, c = self._product_matrices(call)
        as_they_were = dict(zip((each.base for each in needed(call)), kept, strict=True))
        old_a, old_b = (as_they_were.get(each.base, each) for each in (a, b))
        sums: list[Value] = []
        for lane in range(request.width):
            if found := call.lane(lane, "a", "c"):
                rows = call.apart(build, a.rows, lane, "a", "c")
                shadow, seed = a.at(found[0]), c.at(found[1])
                self._multiply(build, call, rows, call["alpha"], seed, old_b.transposed, shadow)
            if found := call.lane(lane, "b", "c"):
                rows = call.apart(build, b.rows, lane, "b", "c")
                shadow, seed = b.at(found[0]), c.at(found[1])
                self._multiply(build, call, rows, call["alpha"], old_a.transposed, seed, shadow)
            if by_alpha and (found := call.lane(lane, "c")):
                add = self.engine.define(*products.sum_text(type))
                rows = call.apart(build, c.rows, lane, "c")
                parts = [*old_a.parts, *old_b.parts, *c.at(found[0]).parts]
                sums.append(build.call(add, [rows, c.columns, a.columns, *parts]))
        gradients: list[Value] = []
        if by_alpha:
            zeros: list[Value] = [build.const_float(call["alpha"].type, 0.0)] * request.width
            gradients.append(packed(build, sums or zeros))
        end(gradients)

    # solves

    def _solve(
        self, build: Builder, call: _Call, rows: Value, a: _Matrix, b: _Matrix, lower: Value | None = None
    ) -> None:
        solve = self.engine.module.functions[call.request.function]
        flags = [lower if lower is not None else call["lower"], call["ones"]]
        build.call(solve, [rows, b.columns, *flags, *a.parts, *b.parts])

    def _helper(self, build: Builder, call: _Call, text: tuple[str, str], rows: Value, *matrices: _Matrix) -> None:
        helper = self.engine.define(*text)
        parts = [part for each in matrices for part in each.parts]
        build.call(helper, [rows, call["n"], call["lower"], call["ones"], *parts])

    def _solve_matrices(self, call: _Call) -> tuple[_Matrix, _Matrix]:
        return call.matrix("a", "m", "m"), call.matrix("b", "m", "n")

    def _solve_forward(self, build: Builder, call: _Call) -> None:
        a, b = self._solve_matrices(call)
        self._solve(build, call, b.rows, a, b)
        for lane in range(call.request.width):
            if found := call.lane(lane, "a", "b"):
                rows = call.apart(build, b.rows, lane, "a", "b")
                text = solves.tangent_text(call.request.function)
                self._helper(build, call, text, rows, a.at(found[0]), b, b.at(found[1]))
            if found := call.lane(lane, "b"):
                self._solve(build, call, call.apart(build, b.rows, lane, "b"), a, b.at(found[0]))

    def _solve_split(self, pair: SplitPair) -> None:
        request = pair.request
        kinds = dict(zip(solves.PARAMETERS, request.args, strict=True))
        live, by_a = kinds["b"] != "const", kinds["a"] != "const"
        type = solves.library_of(request.function).type

        def needed(call: _Call) -> list[_Matrix]:
            a, b = self._solve_matrices(call)
            return ([a] if live else []) + ([b] if live and by_a else [])

        def run(build: Builder, call: _Call) -> None:
            a, b = self._solve_matrices(call)
            self._solve(build, call, b.rows, a, b)

        build, call, kept, end = self._sweeps(pair, solves.PARAMETERS, type, needed, run)
        a, b = self._solve_matrices(call)
        for lane in range(request.width):
            if found := call.lane(lane, "b"):
                rows = call.apart(build, b.rows, lane, "b")
                upper = build.xor(call["lower"], ConstantInt(I1, 1))
                seed = b.at(found[0])
                self._solve(build, call, rows, kept[0].transposed, seed, upper)
                if found := call.lane(lane, "a"):
                    rows = call.apart(build, rows, lane, "a")
                    text = solves.adjoint_text(request.function)
                    self._helper(build, call, text, rows, seed, kept[1], a.at(found[0]))
        end([])
