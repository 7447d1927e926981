"""Derivatives of functions compiled by Numba, as functions that Numba compiles.

    @numba.njit
    def loss(w, x): ...

    gradient = enzyme.grad(loss)
    gradient(w, x)               # from Python, and inside other njit functions

What a function here returns is called with the arguments of the function that it was made of. It is compiled when it is
first called with arguments of some types, as functions of Numba are. Numbers and arrays of float32, float64, complex64
and complex128, and tuples of them, have derivatives; everything else is constant. Exceptions of the function are its
derivative's, too. A derivative runs the function: what that writes into its arguments is written.

A function that was compiled for several threads (``parallel=True``) is differentiated as it runs in one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

try:
    import numba
except ImportError as error:
    raise ImportError("derivatives of Python functions need Numba: pip install numba") from error
import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher
from numba.extending import typeof_impl
from numba.np.ufunc.dufunc import DUFunc

from enzyme.bindings.numba_calls import Subject, native_call
from enzyme.bindings.numba_parts import contiguous_type, in_numba, written
from enzyme.frontends.numba import REALS, has_floats
from enzyme.records import describe
from enzyme.support.config import Config
from enzyme.support.diagnostics import EnzymeError, UsageError

LANES = 4
"""Columns of a Jacobian or a Hessian that are computed in one run."""


class NumbaDerivative:
    """A derivative of a function of Numba: a function of Numba itself.

    ``write`` gives for the types of its arguments the text of ``entry(args)``, in which ``names`` are known;
    ``parameters`` are its own ones where they are not the function's."""

    def __init__(
        self,
        function: Dispatcher,
        what: str,
        write: Callable[[tuple[Any, ...]], str],
        names: dict[str, Any],
        parameters: Sequence[str] | None = None,
    ) -> None:
        self.function, self.what, self._is_called_alike = function, what, parameters is None
        self.__name__ = f"{what} of {function.__name__}"
        self.__doc__ = f"The {what} of {function.__name__}.\n\n{function.__doc__ or ''}"
        self.__wrapped__ = function

        def entry(args: Any) -> Any: ...

        @in_numba(entry)
        def entry_numba(args: Any) -> Any:
            return written(write(tuple(args)), "entry", names)

        # Numba passes variable arguments slowly.
        taken = _parameters(function) if parameters is None else parameters
        head, whole = (
            ("*args", "args") if taken is None else (", ".join(taken), f"({''.join(f'{n}, ' for n in taken)})")
        )
        source = f"def derivative({head}):\n    return enzyme_entry({whole})\n"
        self.dispatcher: Any = numba.njit(written(source, "derivative", {"enzyme_entry": entry}))

    def __repr__(self) -> str:
        return f"<{self.__name__}>"

    def __call__(self, *args: Any, **named: Any) -> Any:
        if self._is_called_alike and (named or len(args) < self.function.py_func.__code__.co_argcount):
            args, named = self._bound(args, named), {}
        try:
            return self.dispatcher(*args, **named)
        except EnzymeError as error:  # a hundred calls of Numba's compiler lie between
            raise error.with_traceback(None) from None

    def _bound(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """Arguments by position. Raises :class:`UsageError`."""
        try:
            bound = inspect.signature(self.function.py_func).bind(*args, **named)
        except TypeError as error:
            raise UsageError(f"{self.__name__}: {error}", hint="it is called as the function is") from None
        bound.apply_defaults()
        return bound.args


def _parameters(function: Dispatcher) -> list[str] | None:
    """The names of a function's parameters; None where it takes any number of arguments."""
    parameters = inspect.signature(function.py_func).parameters.values()
    if any(each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) for each in parameters):
        return None
    return [each.name for each in parameters]


@typeof_impl.register(NumbaDerivative)  # type: ignore[untyped-decorator]
def _typeof(value: NumbaDerivative, context: Any) -> Any:
    return typeof_impl(value.dispatcher, context)


def _checked(function: Any) -> Dispatcher:
    """A function of Numba. Raises :class:`UsageError`."""
    if isinstance(function, Dispatcher):
        return function
    if isinstance(function, NumbaDerivative):
        raise UsageError(
            f"{function} cannot be differentiated again in this way",
            hint="second derivatives are enzyme.hessian(f) and enzyme.hvp(f) of the function itself",
        )
    if isinstance(function, DUFunc):
        raise UsageError(
            f"'{function.__name__}' is a function of numba.vectorize",
            hint="call it in a function that numba.njit compiles, and differentiate that",
        )
    if inspect.isfunction(function):
        raise UsageError(
            f"'{function.__name__}' is a function that Python interprets",
            hint="compile it: decorate it with numba.njit",
        )
    raise UsageError(
        f"a function compiled by numba.njit is differentiated, not {describe(function)}",
        hint="functions of C, C++, Fortran and Rust are in a module: enzyme.compile(source).gradient(name)",
    )


def _subject(function: Dispatcher, config: Config | None) -> Subject:
    """One for each function, which keeps its derivatives."""
    found: dict[Config | None, Subject] = function.__dict__.setdefault("_enzyme_subjects", {})
    if config not in found:
        found[config] = Subject(function, function.__name__, config)
    return found[config]


def _positions(argnums: int | Sequence[int], count: int, name: str) -> tuple[int, ...]:
    wanted = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    for each in wanted:
        if not -count <= each < count:
            raise UsageError(
                f"'{name}' was called with {count} arguments, so there is none at position {each}",
                hint="argnums counts arguments from 0",
            )
    return tuple(each % count for each in wanted)


def _row(count: int, entries: dict[int, str]) -> str:
    """A column as text."""
    return f"({''.join(f'{entries.get(index)}, ' for index in range(count))})"


def _arguments(count: int, where: str, wanted: Sequence[int], how: str) -> list[str]:
    return [f"x{i} = {f'{how}({where}[{i}])' if i in wanted else f'{where}[{i}]'}" for i in range(count)]


def _taken(subject: Subject, types: Sequence[Any], wanted: Sequence[int], kind: str, only: str = "") -> list[int]:
    """Positions of the arguments that have something behind them in the call of a derivative: those ``wanted``, and
    what the function writes into. ``only``: the order of their arrays."""
    given = [contiguous_type(each, only) if i in wanted else each for i, each in enumerate(types)]
    return sorted([*wanted, *subject.scratch(given, wanted, kind)])


def _source(lines: Sequence[str]) -> str:
    return "def entry(args):\n    " + "\n    ".join(lines) + "\n"


def _result(argnums: int | Sequence[int], parts: Sequence[str]) -> str:
    return parts[0] if isinstance(argnums, int) else f"({''.join(f'{each}, ' for each in parts)})"


def _gradient(function: Any, argnums: int | Sequence[int], config: Config | None, value: bool) -> NumbaDerivative:
    function = _checked(function)
    subject = _subject(function, config)

    def write(args: tuple[Any, ...]) -> str:
        wanted = _positions(argnums, len(args), subject.name)
        taken = _taken(subject, args, wanted, "valued" if value else "reverse")
        row = _row(len(args), {i: f"zeros(x{i})" for i in taken})
        given = _row(len(args), {i: f"x{i}" for i in range(len(args))})
        result = _result(argnums, [f"after[0][{i}]" for i in wanted])
        return _source(
            [
                *_arguments(len(args), "args", taken, "contiguous"),
                f"done, after = native({given}, ({row},))",
                f"return {f'done[0], {result}' if value else result}",
            ]
        )

    names = {"native": native_call(subject, "valued" if value else "reverse")}
    return NumbaDerivative(function, "value and gradient" if value else "gradient", write, names)


def grad(function: Any, argnums: int | Sequence[int] = 0, *, config: Config | None = None) -> NumbaDerivative:
    """The gradient of a function of Numba that returns a float: a function of the same arguments.

    It returns an array, a number or a tuple like the argument at position ``argnums``, with the derivatives by what is
    in it; for several positions a tuple of these. Of a complex number z the derivative is dL/dRe z + i dL/dIm z.

    Raises :class:`UsageError` for arguments or results that have no derivative (float32, float64, complex64 and
    complex128 have one), other :class:`EnzymeError` for what cannot be differentiated, and what the function raises.
    """
    return _gradient(function, argnums, config, False)


def value_and_grad(function: Any, argnums: int | Sequence[int] = 0, *, config: Config | None = None) -> NumbaDerivative:
    """As :func:`grad`, but it returns a pair: what the function returns, and the gradient."""
    return _gradient(function, argnums, config, True)


def pushforward(function: Any, *, config: Config | None = None) -> NumbaDerivative:
    """``pushforward(f)(primals, tangents)`` is a pair: what ``f(*primals)`` returns, and its derivative along the
    tangents. Both are tuples; a tangent is like its argument, or None where the argument is constant."""
    function = _checked(function)
    subject = _owned(function, config)

    def write(args: tuple[Any, ...]) -> str:
        _require_pair(args, subject.name, "tangents")
        primals, tangents = args
        if len(primals) != len(tangents):
            raise UsageError(
                f"'{subject.name}' is given {len(primals)} arguments and {len(tangents)} tangents",
                hint="each argument has a tangent, which is None where the argument is constant",
            )
        wanted = [i for i, each in enumerate(tangents) if not isinstance(each, types.NoneType)]
        if not wanted:
            raise UsageError(f"'{subject.name}' has no argument with a tangent", hint="pass a tangent that is not None")
        count = len(primals)
        taken = _taken(subject, primals, wanted, "forward")
        row = _row(count, {i: f"like(x{i}, args[1][{i}])" if i in wanted else f"zeros(x{i})" for i in taken})
        given = _row(count, {i: f"x{i}" for i in range(count)})
        return _source(
            [
                *_arguments(count, "args[0]", taken, "contiguous"),
                f"done, after = native({given}, ({row},))",
                "return done[0], settled(done[0], done[1])",
            ]
        )

    return NumbaDerivative(
        function, "pushforward", write, {"native": native_call(subject, "forward")}, ["primals", "tangents"]
    )


def pullback(function: Any, argnums: int | Sequence[int] = 0, *, config: Config | None = None) -> NumbaDerivative:
    """``pullback(f)(primals, cotangent)`` is the gradient of the sum of what ``f(*primals)`` returns times a cotangent,
    which is like the result; see :func:`grad` for what is returned."""
    function = _checked(function)
    subject = _weighted(function, config)

    def write(args: tuple[Any, ...]) -> str:
        _require_pair(args, subject.name, "a cotangent")
        count = len(args[0])
        wanted = _positions(argnums, count, subject.name)
        taken = [each for each in _taken(subject, (*args[0], args[1]), wanted, "reverse") if each < count]
        row = _row(count + 1, {i: f"zeros(x{i})" for i in taken})
        given = _row(count + 1, {**{i: f"x{i}" for i in range(count)}, count: "args[1]"})
        return _source(
            [
                *_arguments(count, "args[0]", taken, "contiguous"),
                f"done, after = native({given}, ({row},))",
                f"return {_result(argnums, [f'after[0][{i}]' for i in wanted])}",
            ]
        )

    return NumbaDerivative(
        function, "pullback", write, {"native": native_call(subject, "reverse")}, ["primals", "cotangent"]
    )


def _owned(function: Dispatcher, config: Config | None) -> Subject:
    """A function whose results are no arguments."""
    source = "def owned(*args):\n    return own(function(*args))\n"
    return Subject(numba.njit(written(source, "owned", {"function": function})), function.__name__, config)


def _weighted(function: Dispatcher, config: Config | None) -> Subject:
    source = "def weighted(*args):\n    return inner(function(*args[:-1]), args[-1])\n"
    return Subject(numba.njit(written(source, "weighted", {"function": function})), function.__name__, config)


def _require_pair(args: tuple[Any, ...], name: str, second: str) -> None:
    several = args if second == "tangents" else args[:1]
    if len(args) != 2 or not all(isinstance(each, types.BaseTuple) for each in several):
        raise UsageError(
            f"a derivative of '{name}' takes the tuple of the function's arguments and {second}, not "
            f"({', '.join(map(str, args))})",
            hint="as in pushforward(f)((x, y), (dx, None)) and pullback(f)((x, y), w)",
        )


def jvp(
    function: Any, primals: tuple[Any, ...], tangents: tuple[Any, ...], *, config: Config | None = None
) -> tuple[Any, Any]:
    """What a function returns, and its derivative along tangents: a product with its Jacobian. See
    :func:`pushforward`, which is for use in Numba's code and for many calls."""
    made: Any = _kept(function, "pushforward", config, lambda: pushforward(function, config=config))
    value, tangent = made(primals, tangents)
    return value, tangent


def vjp(function: Any, *primals: Any, config: Config | None = None) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """What a function returns, and a function that gives for a cotangent the products with the Jacobian transposed, a
    tuple with one for each argument; for whole numbers and what else has no derivative, None. See :func:`pullback`."""
    function = _checked(function)
    given = _copies(primals)  # as they are now: the function may overwrite them, and who calls may
    active = tuple(i for i, each in enumerate(primals) if has_floats(numba.typeof(each)))
    pull: Any = _kept(function, ("pullback", active), config, lambda: pullback(function, active, config=config))

    def products(cotangent: Any) -> tuple[Any, ...]:
        found = dict(zip(active, pull(_copies(given), cotangent), strict=True))
        return tuple(map(found.get, range(len(primals))))

    return function(*primals), products


def _copies(value: Any) -> Any:
    """What a function may overwrite in its arguments."""
    if isinstance(value, np.ndarray):
        return value.copy(order="K")
    if isinstance(value, tuple):
        made = map(_copies, value)
        return type(value)(*made) if hasattr(value, "_fields") else tuple(made)
    return value


def _kept(function: Any, kind: Any, config: Config | None, make: Callable[[], NumbaDerivative]) -> NumbaDerivative:
    found: dict[Any, NumbaDerivative] = _checked(function).__dict__.setdefault("_enzyme_derivatives", {})
    if (kind, config) not in found:
        found[kind, config] = make()
    return found[kind, config]


def _each_position(
    function: Any, argnums: int | Sequence[int], what: str, make: Callable[[int], NumbaDerivative]
) -> NumbaDerivative:
    """A derivative by several arguments: the tuple of those by each of them."""
    if isinstance(argnums, int):
        return make(argnums)
    names = {f"part{i}": make(each) for i, each in enumerate(argnums)}

    def write(args: tuple[Any, ...]) -> str:
        parts = ", ".join(f"args[{i}]" for i in range(len(args)))
        return _source([f"return ({''.join(f'{name}({parts}), ' for name in names)})"])

    return NumbaDerivative(_checked(function), what, write, names)


def jacfwd(function: Any, argnums: int | Sequence[int] = 0, *, config: Config | None = None) -> NumbaDerivative:
    """The Jacobian of a function of Numba, by columns (forward mode): a function of the same arguments.

    It returns an array of the result's shape followed by that of the argument at position ``argnums`` (a float or an
    array of floats); for a tuple of results a tuple, and for several positions a tuple of all these. Columns are
    computed several in one run. The function is run on copies of its arrays."""
    function = _checked(function)
    subject = _owned(function, config)

    def make(position: int) -> NumbaDerivative:
        def write(args: tuple[Any, ...]) -> str:
            (at,) = _positions(position, len(args), subject.name)
            _require_real(args, at, subject.name)
            count = len(args)
            given = _row(count, {i: f"copy(x{i})" for i in range(count)})
            taken = _taken(subject, args, [at], "forward", "C")
            other = {i: f"zeros(x{i})" for i in taken if i != at}
            lines = _arguments(count, "args", taken, "rows")
            if not isinstance(args[at], types.Array):
                row = _row(count, {**other, at: f"like(x{at}, 1.0)"})
                return _source([*lines, f"done, after = one({given}, ({row},))", "return settled(done[0], done[1])"])
            rows = "".join(f"{_row(count, {**other, at: f't{lane}'})}, " for lane in range(LANES))
            values = ", ".join(f"copy(x{i})" for i in range(count))
            return _source(
                [
                    *lines,
                    f"value = owned({values})",
                    f"room = matrix_for(value, x{at}.size)",
                    *(f"t{lane} = np.zeros_like(x{at})" for lane in range(LANES)),
                    f"for start in range(0, x{at}.size, {LANES}):",
                    *(f"    t{lane}[...] = 0.0" for lane in range(LANES)),
                    *(
                        f"    if start + {lane} < x{at}.size: t{lane}.reshape(-1)[start + {lane}] = 1.0"
                        for lane in range(LANES)
                    ),
                    f"    done, after = several({given}, ({rows}))",
                    *(
                        f"    if start + {lane} < x{at}.size: "
                        f"put(room, start + {lane}, settled(done[0], done[{lane + 1}]))"
                        for lane in range(LANES)
                    ),
                    f"return shaped(room, value, x{at}.shape)",
                ]
            )

        names = {
            "one": native_call(subject, "forward"),
            "several": native_call(subject, "forward", LANES),
            "owned": subject.function,
        }
        return NumbaDerivative(function, "Jacobian", write, names)

    return _each_position(function, argnums, "Jacobian", make)


def jacrev(function: Any, argnums: int | Sequence[int] = 0, *, config: Config | None = None) -> NumbaDerivative:
    """As :func:`jacfwd`, by rows (reverse mode): for functions of few results and many arguments. The function returns
    a float or an array of floats."""
    function = _checked(function)
    subject, plain = _weighted(function, config), _subject(function, config)

    def make(position: int) -> NumbaDerivative:
        def write(args: tuple[Any, ...]) -> str:
            (at,) = _positions(position, len(args), subject.name)
            _require_real(args, at, subject.name)
            count, result = len(args), plain.returned(tuple(args))
            if isinstance(result, types.Complex) or isinstance(result, types.Array) and result.dtype not in REALS:
                raise UsageError(f"'{subject.name}' returns {result}", hint="enzyme.jacfwd takes complex results")
            if not isinstance(result, (types.Array, types.Float)):
                raise UsageError(
                    f"'{subject.name}' returns {result}", hint="enzyme.jacfwd takes functions of several results"
                )
            taken = [each for each in _taken(subject, (*args, result), [at], "reverse", "C") if each < count]
            lines = _arguments(count, "args", taken, "rows")
            is_array = isinstance(args[at], types.Array)
            given = {i: f"copy(x{i})" for i in range(count)}
            row = _row(count + 1, {i: f"zeros(x{i})" for i in taken})
            if isinstance(result, types.Float):
                one = _row(count + 1, {**given, count: "1.0"})
                return _source([*lines, f"done, after = native({one}, ({row},))", f"return after[0][{at}]"])
            whole = _row(count + 1, {**given, count: "weights"})
            values = ", ".join(given.values())
            return _source(
                [
                    *lines,
                    f"value = np.ascontiguousarray(function({values}))",
                    "weights = np.zeros_like(value)",
                    f"room = np.zeros((value.size, {f'x{at}.size' if is_array else '1'}), value.dtype)",
                    "for i in range(value.size):",
                    "    weights.reshape(-1)[i] = 1.0",
                    f"    done, after = native({whole}, ({row},))",
                    "    weights.reshape(-1)[i] = 0.0",
                    f"    room[i, :] = after[0][{at}]{'.reshape(-1)' if is_array else ''}",
                    f"return room.reshape(value.shape{f' + x{at}.shape' if is_array else ''})",
                ]
            )

        return NumbaDerivative(
            function, "Jacobian", write, {"native": native_call(subject, "reverse"), "function": function}
        )

    return _each_position(function, argnums, "Jacobian", make)


def _require_real(args: Sequence[Any], position: int, name: str) -> None:
    type = args[position]
    if (type.dtype if isinstance(type, types.Array) else type) not in REALS:
        raise UsageError(
            f"argument {position + 1} of '{name}' has no Jacobian here: it is of type {type}",
            hint="pass a float or an array of float32 or float64; enzyme.jvp and vjp take tuples and complex numbers",
        )


def hvp(function: Any, argnums: int = 0, *, config: Config | None = None) -> NumbaDerivative:
    """``hvp(f)(*args, v)``: the Hessian of a function of Numba that returns a float, times a direction ``v`` that is
    like the argument at position ``argnums``. Forward mode over reverse mode."""
    function = _checked(function)
    subject = _subject(function, config)

    def write(args: tuple[Any, ...]) -> str:
        if not args:
            raise UsageError("a Hessian times a direction takes the direction as its last argument")
        count = len(args) - 1
        (at,) = _positions(argnums, count, subject.name)
        taken = _taken(subject, args[:-1], [at], "second")
        other = {i: f"zeros(x{i})" for i in taken if i != at}
        columns = [f"like(x{at}, args[{count}])", f"zeros(x{at})", f"zeros(x{at})"]
        rows = "".join(f"{_row(count, {**other, at: each})}, " for each in columns)
        return _source(
            [
                *_arguments(count, "args", taken, "contiguous"),
                f"done, after = native({_row(count, {i: f'x{i}' for i in range(count)})}, ({rows}))",
                f"return after[2][{at}]",
            ]
        )

    names, taken = {"native": native_call(subject, "second")}, _parameters(function)
    return NumbaDerivative(function, "Hessian times a direction", write, names, taken and [*taken, "the_direction"])


def hessian(function: Any, argnums: int = 0, *, config: Config | None = None) -> NumbaDerivative:
    """The Hessian of a function of Numba that returns a float, by the argument at position ``argnums``, a float or an
    array of floats: an array of its shape twice. The function is run on copies of its arrays."""
    function = _checked(function)
    subject = _subject(function, config)

    def write(args: tuple[Any, ...]) -> str:
        (at,) = _positions(argnums, len(args), subject.name)
        _require_real(args, at, subject.name)
        count = len(args)
        taken = _taken(subject, args, [at], "second", "C")
        other = {i: f"zeros(x{i})" for i in taken if i != at}
        lines = _arguments(count, "args", taken, "rows")
        given = _row(count, {i: f"copy(x{i})" for i in range(count)})

        def rows(columns: Sequence[str]) -> str:
            return "".join(f"{_row(count, {**other, at: each})}, " for each in columns)

        if not isinstance(args[at], types.Array):
            columns = [f"like(x{at}, 1.0)", f"zeros(x{at})", f"zeros(x{at})"]
            return _source([*lines, f"done, after = one({given}, ({rows(columns)}))", f"return after[2][{at}]"])
        lanes = range(LANES)
        columns = [*(f"t{lane}" for lane in lanes), f"zeros(x{at})", *(f"zeros(x{at})" for _ in lanes)]
        return _source(
            [
                *lines,
                f"room = np.zeros((x{at}.size, x{at}.size), x{at}.dtype)",
                *(f"t{lane} = np.zeros_like(x{at})" for lane in lanes),
                f"for start in range(0, x{at}.size, {LANES}):",
                *(f"    t{lane}[...] = 0.0" for lane in lanes),
                *(f"    if start + {lane} < x{at}.size: t{lane}.reshape(-1)[start + {lane}] = 1.0" for lane in lanes),
                f"    done, after = several({given}, ({rows(columns)}))",
                *(
                    f"    if start + {lane} < x{at}.size: "
                    f"room[start + {lane}, :] = after[{LANES + 1 + lane}][{at}].reshape(-1)"
                    for lane in lanes
                ),
                f"return room.reshape(x{at}.shape + x{at}.shape)",
            ]
        )

    names = {"one": native_call(subject, "second"), "several": native_call(subject, "second", LANES)}
    return NumbaDerivative(function, "Hessian", write, names)
