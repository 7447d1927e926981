"""Questions of the running program, in front of loops, that are told from polynomials."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from enzyme.analysis.polynomials import Polynomial, Variable, widened
from enzyme.gradient.held_pointers import ahead
from enzyme.ir.builder import Builder
from enzyme.ir.types import I1, I64
from enzyme.ir.values import ConstantInt, Freeze, Value


class Question:
    """Polynomials as instructions where ``build`` stands; ``is_there``: whether a value is computed in front of that.
    What they are made of else is computed again."""

    def __init__(self, build: Builder, is_there: Callable[[Value], bool]) -> None:
        self.build, self.is_there = build, is_there
        self._made: dict[Value, Value] = {}
        self._wide: dict[Variable, Value] = {}

    def holds(self, rooms: Iterable[Polynomial], small: Iterable[tuple[Variable, int]]) -> Value:
        """Whether no form is negative, and each variable is from minus a number up to that number."""
        build = self.build
        result: Value = ConstantInt(I1, 1)
        for form in rooms:
            result = build.and_(result, build.icmp("sge", self.emit(form), ConstantInt(I64, 0)))
        for variable, limit in small:
            shifted = build.add(self.of(variable), ConstantInt(I64, limit))
            result = build.and_(result, build.icmp("ult", shifted, ConstantInt(I64, 2 * limit)))
        return build.insert(Freeze(result))  # what is computed ahead of its guards may be poison

    def emit(self, form: Polynomial) -> Value:
        return form.emit(self.build, self.of)

    def of(self, variable: Variable) -> Value:
        """A variable as an i64."""
        value, how = variable
        if variable not in self._wide:
            assert isinstance(value, Value)
            self._wide[variable] = widened(self.build, ahead(self.build, value, self._made, self.is_there), how)
        return self._wide[variable]
