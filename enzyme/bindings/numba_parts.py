"""What derivatives of functions of Numba are made with, in Numba's code: a function without a body here, and beside it
what Numba is to take for it, by the types of its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from enzyme.frontends.numba import REALS, has_floats
from enzyme.support.diagnostics import UsageError


def in_numba(function: Any) -> Callable[[Callable[..., Any]], Any]:
    """Says what a function is in Numba's code."""
    made: Callable[[Callable[..., Any]], Any] = overload(function, strict=False)
    return made


def _each(type: Any, text: str, parameters: str = "value") -> Callable[..., Any]:
    """A function that gives a tuple of what the text says for each position of a tuple."""
    parts = "".join(f"{text.format(index)}, " for index in range(len(type)))
    return written(f"def each({parameters}):\n    return ({parts})\n", "each", {})


def written_in_llvm(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of Numba's code that says what it is in LLVM's."""
    made: Callable[..., Any] = intrinsic(function)
    return made


def written(source: str, name: str, names: dict[str, Any]) -> Callable[..., Any]:
    """A function of some text, in which the functions of this module and ``names`` are known."""
    space = {**globals(), **names}
    exec(source, space)
    made: Callable[..., Any] = space[name]
    return made


# --- results ----------------------------------------------------------------------------------------------------------


@written_in_llvm
def is_owned(typing: Any, array: Any) -> Any:
    """Whether the memory of an array counts references: that of an argument of a derivative does not."""

    def emit(context: Any, builder: ir.IRBuilder, signature: Any, values: Any) -> ir.Value:
        owner = context.make_array(array)(context, builder, value=values[0]).meminfo
        return cgutils.is_not_null(builder, owner)

    return types.boolean(array), emit


def own(value: Any) -> Any: ...


@in_numba(own)
def _own_numba(value: Any) -> Any:
    """A result whose arrays are contiguous and have memory of their own."""
    if isinstance(value, types.Array):
        if value.layout == "A":
            return lambda value: value.copy()

        def owned(value: Any) -> Any:
            return value if is_owned(value) else value.copy()

        return owned
    if isinstance(value, types.BaseTuple):
        return _each(value, "own(value[{0}])")
    return lambda value: value


def settled(value: Any, tangent: Any) -> Any: ...


@in_numba(settled)
def _settled_numba(value: Any, tangent: Any) -> Any:
    """A tangent whose arrays all have memory."""
    if isinstance(value, types.Array):
        if not has_floats(value):
            return lambda value, tangent: np.zeros_like(value)

        def settled(value: Any, tangent: Any) -> Any:
            return tangent if is_owned(tangent) else np.zeros_like(value)

        return settled
    if isinstance(value, types.BaseTuple):
        return _each(value, "settled(value[{0}], tangent[{0}])", "value, tangent")
    return lambda value, tangent: tangent


# --- arguments in Numba's code ----------------------------------------------------------------------------------------


def contiguous_type(type: Any, only: str = "") -> Any:
    """The type of what :func:`contiguous` gives; ``only`` is the one order that arrays have (:func:`rows`)."""
    if isinstance(type, types.BaseTuple) and has_floats(type):
        return types.Tuple([contiguous_type(each, only) for each in type])
    if isinstance(type, types.Array) and (type.layout == "A" or only and type.layout != only):
        return type.copy(layout="C", readonly=False)
    return type


def contiguous(value: Any) -> Any: ...


@in_numba(contiguous)
def _contiguous_numba(value: Any) -> Any:
    """Arrays in the order of C or Fortran: a shadow has the strides of its array."""
    if isinstance(value, types.Array) and value.layout == "A":
        return lambda value: value.copy()
    if isinstance(value, types.BaseTuple) and has_floats(value):
        return _each(value, "contiguous(value[{0}])")
    return lambda value: value


def rows(value: Any) -> Any: ...


@in_numba(rows)
def _rows_numba(value: Any) -> Any:
    """Arrays in the order of C."""
    if isinstance(value, types.Array) and value.layout != "C":
        return lambda value: np.ascontiguousarray(value)
    if isinstance(value, types.BaseTuple) and has_floats(value):
        return _each(value, "rows(value[{0}])")
    return lambda value: value


def copy(value: Any) -> Any: ...


@in_numba(copy)
def _copy_numba(value: Any) -> Any:
    """What a function may overwrite that is run several times."""
    if isinstance(value, types.Array):
        return lambda value: value.copy()
    if isinstance(value, types.BaseTuple):
        return _each(value, "copy(value[{0}])")
    return lambda value: value


_ZEROS = {each: np.dtype(str(each)).type(0) for each in (*REALS, types.complex64, types.complex128)}


def zeros(value: Any) -> Any: ...


@in_numba(zeros)
def _zeros_numba(value: Any) -> Any:
    """A shadow of zeros."""
    if isinstance(value, types.Array):
        return lambda value: np.zeros_like(value)
    if isinstance(value, types.BaseTuple) and has_floats(value):
        return _each(value, "zeros(value[{0}])")
    if isinstance(value, types.Boolean):
        return lambda value: False
    if isinstance(value, types.Number):
        scalar = value
        return lambda value: scalar(0)
    return lambda value: value


def like(value: Any, given: Any) -> Any: ...


@in_numba(like)
def _like_numba(value: Any, given: Any) -> Any:
    """A tangent or a direction of the type and the shape of a value."""
    if isinstance(value, types.Array):
        if not isinstance(given, types.Array) or given.ndim != value.ndim:
            raise _unlike(value, given)

        def like(value: Any, given: Any) -> Any:
            if given.shape != value.shape:
                raise ValueError("a tangent has another shape than its argument")
            made = np.zeros_like(value)
            made[...] = given
            return made

        return like
    if isinstance(value, types.BaseTuple) and has_floats(value):
        if not isinstance(given, types.BaseTuple) or len(given) != len(value):
            raise _unlike(value, given)
        return _each(value, "like(value[{0}], given[{0}])", "value, given")
    zero = _ZEROS.get(value)
    if zero is None:
        return lambda value, given: value
    if not isinstance(given, types.Number) or (
        isinstance(given, types.Complex) and not isinstance(value, types.Complex)
    ):
        raise _unlike(value, given)
    scalar = value
    return lambda value, given: scalar(given)


def _unlike(value: Any, given: Any) -> UsageError:
    return UsageError(
        f"a tangent of type {given} does not fit an argument of type {value}",
        hint="a tangent has the shape of its argument; None says that an argument is constant",
    )


def inner(value: Any, weights: Any) -> Any: ...


@in_numba(inner)
def _inner_numba(value: Any, weights: Any) -> Any:
    """The sum of a result's numbers times weights: its gradient is a product with the Jacobian transposed."""
    if isinstance(value, types.Array) and has_floats(value):
        if not isinstance(weights, types.Array) or weights.ndim != value.ndim:
            raise _unfit(value, weights)
        zero = _ZEROS[value.dtype.underlying_float if isinstance(value.dtype, types.Complex) else value.dtype]

        def inner(value: Any, weights: Any) -> Any:
            if weights.shape != value.shape:
                raise ValueError("a cotangent has another shape than the result")
            left, right = np.ascontiguousarray(value).reshape(-1), np.ascontiguousarray(weights).reshape(-1)
            total = zero
            for i in range(left.size):
                total += product(left[i], right[i])
            return total

        return inner
    if isinstance(value, types.BaseTuple) and has_floats(value):
        if not isinstance(weights, types.BaseTuple) or len(weights) != len(value):
            raise _unfit(value, weights)
        parts = " + ".join(f"inner(value[{i}], weights[{i}])" for i, each in enumerate(value) if has_floats(each))
        return written(f"def summed(value, weights):\n    return {parts}\n", "summed", {})
    if not isinstance(value, (types.Float, types.Complex)) or not isinstance(weights, types.Number):
        raise _unfit(value, weights)
    return lambda value, weights: product(value, weights)


def _unfit(value: Any, weights: Any) -> UsageError:
    return UsageError(
        f"a cotangent of type {weights} does not fit a result of type {value}",
        hint="a cotangent has the shape of the result, which has to be of floats",
    )


def product(value: Any, weight: Any) -> Any: ...


@in_numba(product)
def _product_numba(value: Any, weight: Any) -> Any:
    if isinstance(value, types.Complex):
        return lambda value, weight: value.real * weight.real + value.imag * weight.imag
    return lambda value, weight: value * weight


# --- Jacobians in Numba's code ----------------------------------------------------------------------------------------


def matrix_for(value: Any, columns: Any) -> Any: ...


@in_numba(matrix_for)
def _matrix_for_numba(value: Any, columns: Any) -> Any:
    """A matrix with a row for each number of a result."""
    if isinstance(value, types.Array):
        dtype = value.dtype
        return lambda value, columns: np.zeros((value.size, columns), dtype)
    if isinstance(value, types.BaseTuple):
        return _each(value, "matrix_for(value[{0}], columns)", "value, columns")
    scalar = value if value in _ZEROS else types.float64
    return lambda value, columns: np.zeros((1, columns), scalar)


def put(room: Any, column: Any, tangent: Any) -> Any: ...


@in_numba(put)
def _put_numba(room: Any, column: Any, tangent: Any) -> Any:
    if isinstance(tangent, types.Array):

        def put(room: Any, column: Any, tangent: Any) -> Any:
            room[:, column] = tangent.reshape(-1)

        return put
    if isinstance(tangent, types.BaseTuple):
        return _each(tangent, "put(room[{0}], column, tangent[{0}])", "room, column, tangent")

    def put_number(room: Any, column: Any, tangent: Any) -> Any:
        room[0, column] = tangent

    return put_number


def shaped(room: Any, value: Any, shape: Any) -> Any: ...


@in_numba(shaped)
def _shaped_numba(room: Any, value: Any, shape: Any) -> Any:
    """A Jacobian: the shape of the result, then that of the argument."""
    if isinstance(value, types.Array):
        return lambda room, value, shape: room.reshape(value.shape + shape)
    if isinstance(value, types.BaseTuple):
        return _each(value, "shaped(room[{0}], value[{0}], shape)", "room, value, shape")
    return lambda room, value, shape: room.reshape(shape)
