"""A compiled function as a pure function of arrays, with all that frameworks ask of one: values, tangents, adjoints and
the derivatives of these.

The bindings for PyTorch, JAX and TensorFlow stand on :class:`Operation`, which knows nothing of them; called by itself
it works on numpy arrays. What one native call takes and gives is a :class:`Plan`: a list of slots, one for each
parameter of the native function, which numpy or XLA's runtime fills.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, islice
from typing import Any, Literal, Protocol

import numpy as np

from enzyme.api import Module
from enzyme.native import NativeFunction
from enzyme.operands import Operand, operands_of
from enzyme.records import describe
from enzyme.support.diagnostics import UsageError

Array = np.ndarray[Any, Any]
Way = Literal["forward", "reverse"]
Ways = tuple[Way, ...]

VALUE: Ways = ()
TANGENT: Ways = ("forward",)
ADJOINT: Ways = ("reverse",)
"""What is computed, and with more ways of "forward" its derivatives along further directions."""

INTEGER, OPERAND, ZEROS, COPY, RESULT, STARTED = range(6)
"""What a slot is filled with: a number; the place of an operand; memory that is cleared, or begins as a copy of an
operand; a result that does."""

_DTYPES = {"half": "float16", "float": "float32", "double": "float64", "x86_fp80": "longdouble"}
_KEPT_PLANS = 256


@dataclass(frozen=True)
class Shaped:
    """The shape and element type of an array."""

    shape: tuple[int, ...]
    dtype: str

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize

    def zeros(self) -> Array:
        return np.zeros(self.shape, self.dtype)


@dataclass(frozen=True)
class Slot:
    """How one parameter of the native function is filled: ``code`` is one of the above, ``index`` the number, or which
    operand or result it is, ``source`` the operand that is copied, ``nbytes`` the size of the memory."""

    code: int
    index: int = 0
    source: int = 0
    nbytes: int = 0


@dataclass(frozen=True)
class Plan:
    """One native call: what fills its parameters, and what it gives."""

    native: NativeFunction
    slots: tuple[Slot, ...]
    results: tuple[Shaped, ...]


@dataclass(frozen=True)
class Call:
    """What is known of the arguments of one call without their numbers: shapes and types of the inputs and of the
    results, the values of integer parameters by position, and which of the inputs can have derivatives."""

    inputs: tuple[Shaped, ...]
    results: tuple[Shaped, ...]
    integers: tuple[tuple[int, int], ...]
    active: tuple[int, ...]


@dataclass(frozen=True)
class _Parameter:
    """One parameter of the function. ``role``: "integer", "input", "in place" or "output"; ``place``: where it is among
    the inputs, ``result`` where among the results."""

    operand: Operand
    role: str
    place: int = -1
    result: int = -1

    @cached_property
    def wanted(self) -> tuple[str, ...]:
        """Element types that fit, as numpy calls them; none where anything may."""
        return _wanted(self.operand.elements)


class Operation:
    """A compiled function as a pure function of arrays, which has derivatives.

    ``outputs`` names the arrays that the function fills, with their shapes: the name of another parameter for its
    shape, a number, a tuple of numbers and of names of integer parameters, or a function of the arguments by their
    names. They start as zeros. ``in_place`` names arrays that the function overwrites: the final contents are results,
    the arrays that were passed stay as they are. Memory that the function writes to and that is named in neither is a
    copy, too, and what is left there is dropped.

    ``sizes`` gives values of integer parameters, which then are not passed: the name of an array for its number of
    elements, ``(name, axis)``, a number, or a function of the arguments. ``constant`` names what is not differentiated;
    integers, and arrays of integers, never are.

    An operation takes the remaining parameters, in order or by name: arrays of the function's own element types
    (float64 for ``double *``), numbers, and for integers ``int``. Its results are what the function returns, then
    outputs and arrays in place in the order of the parameters; one array or a tuple.

    Raises :class:`UsageError` for names that do not exist, functions that have structs by value, pointers to pointers
    or integer results, and element types that do not fit. What cannot be differentiated is refused when a derivative is
    first asked for.

    This class takes and gives numpy arrays, and :meth:`jvp` and :meth:`vjp` are its derivatives. Those of the same name
    in ``enzyme.bindings.torch``, ``.jax`` and ``.tensorflow`` are parts of their frameworks.
    """

    def __init__(
        self,
        program: Module,
        function: str | NativeFunction,
        outputs: Mapping[str, Any] | None = None,
        *,
        in_place: Sequence[str] | str = (),
        sizes: Mapping[str, Any] | None = None,
        constant: Sequence[str] | str = (),
    ) -> None:
        if not isinstance(program, Module):
            raise UsageError(
                f"an operation is made of a compiled program, not of {describe(program)}",
                hint="Operation(enzyme.compile(...), 'function')",
            )
        subject = program.resolve(function)
        self.program, self.subject, self.name = program, subject, subject.name or ""
        operands = operands_of(subject)
        self._outputs, self._sizes = dict(outputs or {}), dict(sizes or {})
        in_place = (in_place,) if isinstance(in_place, str) else tuple(in_place)
        constant = (constant,) if isinstance(constant, str) else tuple(constant)
        self._check_names(operands, in_place, constant)
        self._returns = not subject.result_type.is_void
        self._constant = frozenset(constant)
        self.parameters = self._with_roles(operands, in_place)
        self.inputs = [each for each in self.parameters if each.place >= 0]
        self.results = [*([self.parameters[-1]] if self._returns else [])]
        self.results += [each for each in self.parameters[: len(subject.args)] if each.result >= 0]
        if not self.results:
            raise UsageError(
                f"'{self.name}' returns nothing, and no parameter is said to hold a result",
                hint="name the arrays that it fills, outputs={'y': 'x'} for one of the shape of x, or those that it "
                "overwrites, in_place=['x']",
            )
        self._asked = [
            each.operand.name
            for each in self.parameters[: len(subject.args)]
            if each.role != "output" and each.operand.name not in self._sizes
        ]
        self._takes = f"it takes {', '.join(self._asked) or 'nothing'}"
        self._by_name = {each.operand.name: each.operand for each in self.parameters}
        self._planned = lru_cache(_KEPT_PLANS)(self._plan)
        self.__name__ = self.name

    def __repr__(self) -> str:
        return f"<operation {self.name}({', '.join(self._asked)})>"

    @property
    def is_objective(self) -> bool:
        """Whether the only result is a single number."""
        return self._returns and len(self.results) == 1

    # --- what the function is

    def _check_names(self, operands: Sequence[Operand], in_place: Iterable[str], constant: Iterable[str]) -> None:
        kinds = {each.name: each.kind for each in operands[: len(self.subject.args)]}
        named = chain(
            ((name, "outputs", "array") for name in self._outputs),
            ((name, "in_place", "array") for name in in_place),
            ((name, "sizes", "integer") for name in self._sizes),
            ((name, "constant", "array or number") for name in constant),
        )
        for name, option, kind in named:
            if name not in kinds:
                raise UsageError(
                    f"'{self.name}' has no parameter {name!r}, which {option} names",
                    why=f"its parameters are {', '.join(kinds) or 'none'}",
                    hint="names are those of the source; where the compiler dropped them they are '1', '2', ...",
                )
            if kinds[name] not in kind:
                raise UsageError(
                    f"{option} names {name!r} of '{self.name}', whose kind is {kinds[name]} and not {kind}"
                )
        read = {each.name for each in operands if not each.written}
        for name in (*self._outputs, *in_place):
            if name in read:
                raise UsageError(
                    f"{name!r} of '{self.name}' is named as a result, and the function only reads it",
                    hint="pass it as an argument",
                )
        for name in in_place:
            if name in self._outputs:
                raise UsageError(
                    f"{name!r} of '{self.name}' is named as an output and as overwritten in place",
                    hint="an output starts as zeros; an array in place starts as the argument",
                )

    def _with_roles(self, operands: Sequence[Operand], in_place: tuple[str, ...]) -> list[_Parameter]:
        found: list[_Parameter] = []
        place, result = 0, int(self._returns)
        for index, operand in enumerate(operands):
            if index == len(self.subject.args):
                found.append(_Parameter(operand, "output", result=0))
            elif operand.kind == "integer":
                found.append(_Parameter(operand, "integer"))
            elif operand.name in self._outputs:
                found.append(_Parameter(operand, "output", result=result))
                result += 1
            elif operand.name in in_place:
                found.append(_Parameter(operand, "in place", place, result))
                place, result = place + 1, result + 1
            else:
                found.append(_Parameter(operand, "input", place))
                place += 1
        return found

    # --- what one call is

    def bind(
        self, args: Sequence[Any], named: Mapping[str, Any], convert: Callable[[Any, str | None, str], Any]
    ) -> tuple[list[Any], Call]:
        """The inputs of a call, in order, and what is known of them. ``convert(value, dtype, what)`` makes an array of
        an argument, of the element type ``dtype`` if it is a plain number; a dtype of None leaves it as it is."""
        given = self._given(args, named)
        values: dict[str, Any] = {}
        inputs: list[Any] = []
        shaped: list[Shaped] = []
        for parameter in self.parameters[: len(self.subject.args)]:
            name = parameter.operand.name
            what = f"{self.name}: '{name}'"
            if parameter.role == "integer":
                if name in given:
                    values[name] = _fitting(_integer(given[name], what), parameter.operand, what)
            elif parameter.role != "output":
                number = parameter.wanted[0] if parameter.operand.kind == "number" else None
                array = convert(given[name], number, what)
                found = Shaped(tuple(map(int, array.shape)), _dtype_name(array.dtype))
                self._check(parameter, found, what)
                values[name] = array
                inputs.append(array)
                shaped.append(found)
        for name, spec in self._sizes.items():
            size = self._size(name, spec, values)
            values[name] = _fitting(size, self._by_name[name], f"sizes of {self.name}: {name!r}")
        integers = tuple(
            (index, values[each.operand.name]) for index, each in enumerate(self.parameters) if each.role == "integer"
        )
        active = tuple(
            each.place
            for each in self.inputs
            if _kind(shaped[each.place].dtype) == "f" and each.operand.name not in self._constant
        )
        return inputs, Call(tuple(shaped), self._result_shapes(values, shaped), integers, active)

    def _given(self, args: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
        if len(args) > len(self._asked):
            raise UsageError(f"{self.name} takes {len(self._asked)} arguments, {len(args)} were given", why=self._takes)
        given = dict(zip(self._asked, args, strict=False))
        for name, value in named.items():
            if name not in self._asked:
                raise UsageError(f"{self.name} has no argument {name!r}", why=self._takes)
            if name in given:
                raise UsageError(f"{self.name}: {name!r} was given twice")
            given[name] = value
        for name in self._asked:
            if name not in given:
                raise UsageError(f"{self.name}: the argument {name!r} is missing", why=self._takes)
        return given

    def _check(self, parameter: _Parameter, found: Shaped, what: str) -> None:
        wanted = parameter.wanted
        if parameter.operand.kind == "number" and found.shape:
            raise UsageError(f"{what} is a number, and an array of shape {found.shape} was given")
        if wanted and found.dtype not in wanted:
            raise UsageError(
                f"{what} holds {found.dtype}, the function works on {' or '.join(wanted)}",
                hint=f"convert it to {wanted[0]}, which an operation does not do behind its caller's back",
            )
        if _kind(found.dtype) not in "fiub":
            raise UsageError(
                f"{what} holds {found.dtype}, which the function's parameters do not tell apart from other numbers",
                hint="pass real and imaginary parts as an array of floats" if "complex" in found.dtype else None,
            )
        if parameter.role == "in place" and _kind(found.dtype) != "f":
            raise UsageError(f"{what} is overwritten and holds {found.dtype}: results are floats")

    def _size(self, name: str, spec: Any, values: Mapping[str, Any]) -> int:
        what = f"sizes of {self.name}: {name!r}"
        axis = None
        if isinstance(spec, tuple) and len(spec) == 2 and isinstance(spec[0], str):
            spec, axis = spec
        if isinstance(spec, str):
            array: Any = values.get(spec)
            if not hasattr(array, "shape"):
                raise UsageError(f"{what} is that of {spec!r}, which is no array among the arguments")
            shape = tuple(int(each) for each in array.shape)
            if axis is None:
                return math.prod(shape)
            if not isinstance(axis, int) or not -len(shape) <= axis < len(shape):
                raise UsageError(f"{what} is that of axis {axis} of {spec!r}, whose shape is {shape}")
            return shape[axis]
        return _integer(_called(spec, values, what), what)

    def _result_shapes(self, values: Mapping[str, Any], inputs: Sequence[Shaped]) -> tuple[Shaped, ...]:
        first = next((each.dtype for each in inputs if _kind(each.dtype) == "f"), "float64")
        found: list[Shaped] = []
        for parameter in self.results:
            name = parameter.operand.name
            if parameter.role == "in place":
                found.append(inputs[parameter.place])
                continue
            wanted = parameter.wanted
            if wanted and _kind(wanted[0]) != "f":
                raise UsageError(
                    f"{self.name}: the output '{name}' holds {wanted[0]}: results are floats",
                    hint="write a function around it that gives them as floats",
                )
            dtype = first if not wanted or first in wanted else wanted[0]
            is_result = parameter is self.parameters[-1] and self._returns
            found.append(Shaped(() if is_result else self._shape(name, self._outputs[name], values), dtype))
        return tuple(found)

    def _shape(self, name: str, spec: Any, values: Mapping[str, Any]) -> tuple[int, ...]:
        what = f"outputs of {self.name}: the shape of {name!r}"
        spec = _called(spec, values, what)
        if isinstance(spec, str):
            value = values.get(spec)
            if value is None:
                raise UsageError(f"{what} is that of {spec!r}, which is not among the arguments")
            return tuple(int(each) for each in value.shape) if hasattr(value, "shape") else (_length(value, what),)
        if isinstance(spec, (tuple, list)):
            return tuple(_length(values.get(each, each) if isinstance(each, str) else each, what) for each in spec)
        return (_length(spec, what),)

    # --- native calls

    def plan(self, ways: Ways, active: tuple[int, ...], call: Call, with_value: bool = False) -> Plan:
        """The native call for a derivative with respect to some of the inputs.

        Operands are the inputs; for each "forward" the tangents of active inputs; and, with "reverse" in front, the
        cotangents of all results. The results are those of the function or their tangents, of as many directions as
        there are; with "reverse" the gradients of active inputs or their tangents. ``with_value``: the function's own
        results come first.
        """
        return self._planned(ways, active, call, with_value)

    def _plan(self, ways: Ways, active: tuple[int, ...], call: Call, with_value: bool) -> Plan:
        layers = _layers(len(ways))
        operands: dict[tuple[tuple[int, ...], int], int] = {}  # in a layer, of an input or of a result
        for layer in layers:
            if len(layer) > 1:  # directions and cotangents do not move themselves
                continue
            if _is_adjoint(ways, layer):
                incoming: Sequence[int] = range(len(call.results))
            else:
                incoming = active if layer else range(len(call.inputs))
            for index in incoming:
                operands[layer, index] = len(operands)
        kept = {layers[-1], *([()] if with_value else [])}
        results: dict[tuple[tuple[int, ...], int], int] = {}
        shapes: list[Shaped] = []
        for layer in layers:
            if layer in kept:
                outgoing = active if _is_adjoint(ways, layer) else range(len(call.results))
                for index in outgoing:
                    results[layer, index] = len(results)
                    shapes.append((call.inputs if _is_adjoint(ways, layer) else call.results)[index])
        moving = self._moving(active, call)
        integers = dict(call.integers)
        slots: list[Slot] = []
        for position, parameter in enumerate(self.parameters):
            if parameter.role == "integer":
                slots.append(Slot(INTEGER, integers[position]))
                continue
            shaped = call.results[parameter.result] if parameter.place < 0 else call.inputs[parameter.place]
            for layer in layers if position in moving else layers[:1]:
                came, goes = parameter.place, parameter.result
                if _is_adjoint(ways, layer):
                    came, goes = goes, came
                source, made = operands.get((layer, came)), results.get((layer, goes))
                reads = parameter.role == "input" and not parameter.operand.written and not _is_adjoint(ways, layer)
                slots.append(_slot(source, made, reads, shaped.nbytes))
        native = self.program.native_operation(self.subject, ways, sorted(moving) if ways else ())
        return Plan(native, tuple(slots), tuple(shapes))

    def _moving(self, active: tuple[int, ...], call: Call) -> set[int]:
        """Positions of what has shadows: active inputs, results, and memory that may hold what is made of them."""
        return {
            position
            for position, each in enumerate(self.parameters)
            if each.result >= 0
            or each.place in active
            or (each.place >= 0 and each.operand.written and _kind(call.inputs[each.place].dtype) == "f")
        }

    # --- by itself, on numpy arrays

    def run(self, plan: Plan, operands: Sequence[Array]) -> list[Array]:
        """One native call on numpy arrays, which are contiguous and of the shapes that the plan was made for."""
        results = [each.zeros() for each in plan.results]
        given: list[Any] = []
        for slot in plan.slots:
            if slot.code == INTEGER:
                given.append(slot.index)
            elif slot.code == OPERAND:
                given.append(operands[slot.index])
            elif slot.code == ZEROS:
                given.append(np.zeros(slot.nbytes, np.uint8))
            elif slot.code == COPY:
                given.append(operands[slot.index].copy())
            else:
                if slot.code == STARTED:
                    results[slot.index][...] = operands[slot.source]
                given.append(results[slot.index])
        plan.native(*given)
        return results

    def __call__(self, *args: Any, **named: Any) -> Any:
        inputs, call = self.bind(args, named, _as_numpy)
        return self.as_given(self.run(self.plan(VALUE, (), call), inputs))

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
        """``(results, tangents of the results)`` at ``primals``, the arguments of a call, along ``tangents``: one for
        each input that is an array or number of floats and not constant, in order."""
        inputs, call = self.bind(primals, {}, _as_numpy)
        moves = self._alike(tangents, [call.inputs[index] for index in call.active], "tangent")
        found = self.run(self.plan(TANGENT, call.active, call, with_value=True), [*inputs, *moves])
        count = len(call.results)
        return self.as_given(found[:count]), self.as_given(found[count:])

    def vjp(self, primals: Sequence[Any], cotangents: Any) -> tuple[Any, tuple[Array, ...]]:
        """``(results, gradients)`` at ``primals``: the gradients of each input that is an array or number of floats and
        not constant, in order. ``cotangents``: one for the result, or a tuple where there are several."""
        inputs, call = self.bind(primals, {}, _as_numpy)
        given = (cotangents,) if len(call.results) == 1 else tuple(cotangents)
        seeds = self._alike(given, call.results, "cotangent")
        found = self.run(self.plan(ADJOINT, call.active, call, with_value=True), [*inputs, *seeds])
        count = len(call.results)
        return self.as_given(found[:count]), tuple(found[count:])

    def as_given(self, results: Sequence[Any]) -> Any:
        """The only result, or a tuple of them."""
        return results[0] if len(self.results) == 1 else tuple(results)

    def _alike(self, given: Sequence[Any], shapes: Sequence[Shaped], what: str) -> list[Array]:
        if len(given) != len(shapes):
            count = f"1 {what} is" if len(shapes) == 1 else f"{len(shapes)} {what}s are"
            raise UsageError(f"{self.name}: {count} needed, {len(given)} were given")
        found: list[Array] = []
        for value, shaped in zip(given, shapes, strict=True):
            array = np.array(value, dtype=shaped.dtype, order="C")
            if array.shape != shaped.shape:
                raise UsageError(f"{self.name}: a {what} of shape {array.shape} stands where {shaped.shape} is needed")
            found.append(array)
        return found


class Framework(Protocol):
    """What the rules of :class:`Step` need of a framework. Arrays of it can be added with ``+``."""

    def apply(self, step: Step, operands: Sequence[Any]) -> Sequence[Any]: ...

    def zeros(self, shaped: Shaped) -> Any: ...


@dataclass(frozen=True)
class Step:
    """Something computed of an operation's inputs and of what stands behind them: its value, its tangents
    ``J(x) t``, the gradients ``J(x)^T c``, or derivatives of these along directions. It is linear in each group of
    operands behind the inputs, and its own derivatives are steps, too.
    """

    operation: Operation
    call: Call
    ways: Ways = VALUE
    active: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{' over '.join(reversed(self.ways)) or 'value'} of {self.operation.name}"

    @property
    def plan(self) -> Plan:
        return self.operation.plan(self.ways, self.active, self.call)

    @property
    def reverse(self) -> bool:
        return "reverse" in self.ways

    @property
    def groups(self) -> list[list[Shaped]]:
        """Shapes of the operands: inputs, directions, and cotangents."""
        directions = [self.call.inputs[index] for index in self.active]
        seeds = [list(self.call.results)] if self.reverse else []
        return [list(self.call.inputs), *([directions] * self.ways.count("forward")), *seeds]

    @property
    def results(self) -> list[Shaped]:
        return [self.call.inputs[index] for index in self.active] if self.reverse else list(self.call.results)

    def tangents(self, operands: Sequence[Any], moves: Sequence[Any], framework: Framework) -> list[Any]:
        """The tangents of the results, given one of each operand, or None for zero."""
        x, directions, seeds = self._parts(operands)
        along, *others = self._split(moves)
        terms: list[Sequence[Any]] = []
        for number, part in enumerate(others):
            if any(each is not None for each in part):
                moved = [*directions, *seeds]
                moved[number] = _filled(part, self.groups[number + 1], framework)
                terms.append(framework.apply(self, [*x, *chain(*moved)]))
        moving = {index: along[index] for index in self.call.active if along[index] is not None}
        if moving:
            wide = self._wider(moving, (*self.ways, "forward"))
            spread = [wide.spread(values, framework) for values in (*map(self._by_input, directions), moving)]
            found = framework.apply(wide, [*x, *chain(*spread, *seeds)])
            terms.append(wide.chosen(found, self.active) if self.reverse else found)
        if not terms:
            return [framework.zeros(each) for each in self.results]
        return [sum(parts[1:], parts[0]) for parts in zip(*terms, strict=True)]

    def adjoints(
        self, operands: Sequence[Any], cotangents: Sequence[Any], needed: Sequence[bool], framework: Framework
    ) -> list[Any]:
        """The cotangents of the operands that are needed, and None for the others, given one of each result, or
        None for zero."""
        given = _filled(cotangents, self.results, framework)
        x, directions, seeds = self._parts(operands)
        # Derivatives do not depend on the order of their directions, so a gradient's cotangent is one of them.
        along = [*directions, given] if self.reverse else directions
        seed = seeds[0] if self.reverse else given
        for_x, *for_others = self._split(needed)
        found: list[list[Any]] = [[None] * len(group) for group in self.groups]
        wanted = [index for index in self.call.active if for_x[index]]
        if wanted:
            wide = self._wider(wanted, ("reverse", *(TANGENT * len(along))))
            spread = [wide.spread(self._by_input(each), framework) for each in along]
            gradients = framework.apply(wide, [*x, *chain(*spread), *seed])
            for index, gradient in zip(wanted, wide.chosen(gradients, wanted), strict=True):
                found[0][index] = gradient
        for number, asked in enumerate(for_others):
            if any(asked) and number < len(directions):
                others = along[:number] + along[number + 1 :]
                step = self._with(("reverse", *(TANGENT * len(others))))
                found[number + 1] = list(framework.apply(step, [*x, *chain(*others), *seed]))
            elif any(asked):
                step = self._with(TANGENT * len(along))
                found[number + 1] = list(framework.apply(step, [*x, *chain(*along)]))
        return [each if asked else None for each, asked in zip(chain(*found), needed, strict=True)]

    def _with(self, ways: Ways) -> Step:
        return Step(self.operation, self.call, ways, self.active)

    def _wider(self, indices: Iterable[int], ways: Ways) -> Step:
        """Another step, with respect to these inputs, too."""
        return Step(self.operation, self.call, ways, tuple(sorted({*self.active, *indices})))

    def spread(self, values: Mapping[int, Any], framework: Framework) -> list[Any]:
        """One for each active input, zero where there is none."""
        return [values[index] if index in values else framework.zeros(self.call.inputs[index]) for index in self.active]

    def chosen(self, found: Sequence[Any], indices: Iterable[int]) -> list[Any]:
        by_input = self._by_input(found)
        return [by_input[index] for index in indices]

    def _by_input(self, values: Sequence[Any]) -> dict[int, Any]:
        return dict(zip(self.active, values, strict=True))

    def _parts(self, operands: Sequence[Any]) -> tuple[list[Any], list[list[Any]], list[list[Any]]]:
        """The inputs, the groups of directions, and the cotangents as one group or none."""
        x, *behind = self._split(operands)
        return (x, behind[:-1], behind[-1:]) if self.reverse else (x, behind, [])

    def _split(self, values: Sequence[Any]) -> list[list[Any]]:
        found: list[list[Any]] = []
        rest = iter(values)
        for group in self.groups:
            found.append(list(islice(rest, len(group))))
        return found


def _filled(values: Sequence[Any], shapes: Sequence[Shaped], framework: Framework) -> list[Any]:
    return [framework.zeros(shaped) if value is None else value for value, shaped in zip(values, shapes, strict=True)]


def _layers(ways: int) -> list[tuple[int, ...]]:
    """The memory that a native function takes of each parameter, in order: sets of the ways of which it is a shadow."""
    layers: list[tuple[int, ...]] = [()]
    for way in range(ways):
        layers = [each for layer in layers for each in (layer, (*layer, way))]
    return layers


def _is_adjoint(ways: Ways, layer: tuple[int, ...]) -> bool:
    return any(ways[way] == "reverse" for way in layer)


def _slot(source: int | None, made: int | None, reads: bool, nbytes: int) -> Slot:
    if made is not None:
        return Slot(RESULT, made, 0, nbytes) if source is None else Slot(STARTED, made, source, nbytes)
    if source is None:
        return Slot(ZEROS, 0, 0, nbytes)
    return Slot(OPERAND if reads else COPY, source, source, nbytes)


def _wanted(elements: frozenset[str]) -> tuple[str, ...]:
    floats = sorted((_DTYPES[each] for each in elements if each in _DTYPES), reverse=True)
    if floats:
        return tuple(floats)
    bits = {int(each[1:]) for each in elements if each[0] == "i" and each[1:].isdigit()}
    if not bits or min(bits) < 16:
        return ()
    return tuple(f"{kind}{each}" for each in sorted(bits) if each <= 64 for kind in ("int", "uint"))


def _integer(value: Any, what: str) -> int:
    if not isinstance(value, (bool, np.bool_)):
        try:
            return operator.index(value)
        except Exception:  # frameworks raise errors of their own for values that they do not have yet
            pass
    raise UsageError(
        f"{what} is an integer, and {describe(value)} was given",
        hint="integers are known when an operation is called: pass a Python int",
    )


def _fitting(value: int, operand: Operand, what: str) -> int:
    bits = next(int(each[1:]) for each in operand.elements)
    if not -(2 ** (bits - 1)) <= value < 2**bits:
        raise UsageError(f"{what} is an integer of {bits} bits, which {value} does not fit in")
    return value


def _length(value: Any, what: str) -> int:
    found = _integer(value, what)
    if found < 0:
        raise UsageError(f"{what} has the negative length {found}")
    return found


def _called(spec: Any, values: Mapping[str, Any], what: str) -> Any:
    """A size or shape that is computed from the arguments by their names."""
    if not callable(spec):
        return spec
    names = list(inspect.signature(spec).parameters)
    for name in names:
        if name not in values:
            raise UsageError(f"{what} is computed from {name!r}, which is not among the arguments")
    return spec(*(values[name] for name in names))


@lru_cache
def _kind(dtype: str) -> str:
    """numpy's letter for a kind of numbers, or a question mark for what it does not have, as bfloat16."""
    try:
        return np.dtype(dtype).kind
    except TypeError:
        return "?"


@lru_cache
def _dtype_name(dtype: Any) -> str:
    """numpy's name of a framework's element type."""
    name = getattr(dtype, "name", None)
    return str(name) if name is not None else str(dtype).rsplit(".", 1)[-1]


def contiguous(array: Any) -> Array:
    """The array as native code sees it, of the same shape."""
    return np.ascontiguousarray(array).reshape(np.shape(array))


def plain_number(value: Any, dtype: str | None, what: str, maker: str) -> Any:
    """A number that stands for an array of no dimensions, where the function takes one (``dtype`` is its element type,
    None for arrays). ``maker`` makes an array of anything else."""
    if dtype is None or isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise UsageError(
            f"{what} is {'an array' if dtype is None else 'a number'}, and {describe(value)} was given",
            hint=f"{maker} makes an array of it",
        )
    return value


def _as_numpy(value: Any, dtype: str | None, what: str) -> Array:
    if isinstance(value, np.ndarray):
        return contiguous(value)
    return np.array(plain_number(value, dtype, what, "numpy.asarray(...)"), dtype)
