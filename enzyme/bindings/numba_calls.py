"""Calls of derivatives in code that Numba makes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.dispatcher import Dispatcher

from enzyme.api import Module
from enzyme.api import compile as compile_module
from enzyme.bindings.numba_parts import written_in_llvm
from enzyme.derivatives import Derivative
from enzyme.frontends.numba import NAME, REALS, has_floats, ir_of, leaves, register_libraries, returned
from enzyme.native import NativeFunction
from enzyme.pointers import only_read
from enzyme.support.config import Config
from enzyme.support.diagnostics import UsageError

_WORD = ir.IntType(64)
_BYTES = ir.IntType(8).as_pointer()

_machine_code: list[NativeFunction | Derivative] = []
"""It stays: code of Numba's has its addresses."""


class Subject:
    """A function of Numba, and the machine code of its derivatives by the types of the arguments."""

    def __init__(self, function: Dispatcher, name: str, config: Config | None) -> None:
        self.function, self.name, self.config = function, name, config
        self._modules: dict[Any, tuple[Module, tuple[str, ...]]] = {}
        self._natives: dict[Any, NativeFunction | Derivative] = {}

    def native(self, arguments: tuple[Any, ...], active: tuple[bool, ...], kind: str, lanes: int) -> int:
        """The address of a derivative: ``reverse``, ``valued`` (the same, which gives the value, too), ``forward`` or
        ``second`` (forward over reverse)."""
        asked = (arguments, active, kind, lanes)
        if asked not in self._natives:
            made = self._natives[asked] = self._derived(*asked)
            _machine_code.append(made)
        return self._natives[asked].address

    def _derived(
        self, arguments: tuple[Any, ...], active: tuple[bool, ...], kind: str, lanes: int
    ) -> NativeFunction | Derivative:
        module, kinds = self._module(arguments, active, kind)
        if kind == "second":
            wrt = tuple(index for index, each in enumerate(kinds) if each in ("number", "elements"))
            return module.native_hessian(module.resolve(NAME), wrt, lanes)
        activity = ["const" if each in ("const", "array") else "dup" for each in kinds]
        return module.autodiff(NAME, activity, "forward" if kind == "forward" else "reverse", width=lanes)

    def scratch(self, arguments: Sequence[Any], wanted: Sequence[int], kind: str) -> list[int]:
        """Positions of arguments that are constant and that the function may write numbers into which are not: they
        need a shadow while it runs."""
        active = tuple(index in wanted for index in range(len(arguments)))
        self.require(arguments, active, kind)
        written = iter(self.written(tuple(arguments), active, kind))
        found = []
        for index, type in enumerate(arguments):
            into = [next(written) for each in leaves(self.function.targetctx, type) if each == "elements"]
            if any(into) and index not in wanted:
                found.append(index)
        return found

    def written(self, arguments: tuple[Any, ...], active: tuple[bool, ...], kind: str) -> list[bool]:
        """Of every array of floats among the arguments, whether the function may write into it."""
        module, kinds = self._module(arguments, active, kind)
        function = module.resolve(NAME)
        return [not only_read(function, i) for i, each in enumerate(kinds) if each in ("array", "elements")]

    def _module(
        self, arguments: tuple[Any, ...], active: tuple[bool, ...], kind: str
    ) -> tuple[Module, tuple[str, ...]]:
        form = "written" if kind in ("forward", "valued") else "scalar"
        key = (arguments, active, form)
        if key not in self._modules:
            register_libraries()
            found = ir_of(self.function, arguments, active, form)
            self._modules[key] = compile_module(found.text, language="llvm", config=self.config), found.kinds
        return self._modules[key]

    def returned(self, arguments: tuple[Any, ...]) -> Any:
        """The type of the function's result."""
        return returned(self.function, arguments)

    def require(self, arguments: Sequence[Any], active: Sequence[bool], kind: str) -> None:
        """Refuse what has no derivative. Raises :class:`UsageError`."""
        for index, (type, wanted) in enumerate(zip(arguments, active, strict=True)):
            if wanted and not has_floats(type):
                raise UsageError(
                    f"argument {index + 1} of '{self.name}' has no derivative: it is of type {type}",
                    why="numbers and arrays of float32, float64, complex64 and complex128, and tuples of them, do",
                    hint="pass floats (2.0, x.astype(numpy.float64)), or choose other arguments with argnums",
                )
        result = self.returned(tuple(arguments))
        if kind == "forward" and not has_floats(result):
            raise UsageError(
                f"the result of '{self.name}' has no derivative: it is of type {result}",
                hint="return a float or an array",
            )
        if kind != "forward" and result not in REALS:
            raise UsageError(
                f"'{self.name}' returns {result}, so it has no gradient",
                why="a gradient is that of one number of type float32 or float64",
                hint="return a float, as the sum of an array, or use enzyme.jacfwd, jacrev, jvp or vjp",
            )


class _Call:
    """Writes the call of a derivative into code that Numba makes.

    ``columns`` are tuples like the arguments, None for what is constant: what stands behind every argument that a
    derivative is asked for, as shadows or tangents.
    """

    def __init__(self, context: Any, builder: ir.IRBuilder, arguments: Any, columns: Any) -> None:
        self.context, self.builder, self.arguments, self.columns = context, builder, arguments, columns
        self.flat: list[ir.Value] = []
        self._slots: dict[tuple[int, int, int], ir.Value] = {}
        self._arrays: list[tuple[int, bool, ir.Value, ir.Value]] = []

    def add_out(self, type: ir.Type, copies: int) -> list[ir.Value]:
        """Room for a result and for what stands behind it."""
        made = [cgutils.alloca_once(self.builder, type, zfill=True) for _ in range(1 + copies)]
        self.flat += made
        return made

    def add_arguments(self, values: ir.Value, columns: ir.Value) -> None:
        for index, type in enumerate(self.arguments):
            value = self.builder.extract_value(values, index)
            behind = [
                (each[index], self.builder.extract_value(self.builder.extract_value(columns, number), index))
                for number, each in enumerate(self.columns)
                if not isinstance(each[index], types.NoneType)
            ]
            kinds = leaves(self.context, type)
            parts = [self._parts(*each) for each in [(type, value), *behind]]
            for leaf, kind in enumerate(kinds):
                if kind == "owner":
                    continue
                if kind == "elements":
                    start = self.builder.ptrtoint(parts[0][leaf], _WORD)
                    size = self.builder.mul(parts[0][leaf - 2], parts[0][leaf - 1])
                    self._arrays.append((index, bool(behind), start, self.builder.add(start, size)))
                if not behind or kind == "fixed":
                    self.flat.append(parts[0][leaf])
                elif kind == "elements":
                    self.flat += [each[leaf] for each in parts]
                else:
                    for number, each in enumerate(parts):
                        slot = cgutils.alloca_once_value(self.builder, each[leaf])
                        self._slots[index, number - 1, leaf] = slot
                        self.flat.append(slot)

    def refuse_shared(self, written: Sequence[bool]) -> None:
        """Raise an exception where two arrays share memory, one of which is written and one has a shadow: memory has
        one derivative."""
        for (i, first), (j, second) in combinations(enumerate(self._arrays), 2):
            if (written[i] or written[j]) and (first[1] or second[1]):
                builder = self.builder
                ahead = builder.icmp_unsigned("<", first[2], second[3])
                shared = builder.and_(ahead, builder.icmp_unsigned("<", second[2], first[3]))
                with builder.if_then(shared, likely=False):
                    text = f"arguments {first[0] + 1} and {second[0] + 1} share memory, and the function writes into it"
                    self.context.call_conv.return_user_exc(builder, ValueError, (f"{text}: pass copies",))

    def _parts(self, type: Any, value: ir.Value) -> Sequence[ir.Value]:
        return tuple(self.context.get_arg_packer([type]).as_arguments(self.builder, [value]))

    def column_after(self, number: int, column: ir.Value) -> ir.Value:
        """A column as the call has left it: numbers are other ones, arrays are the same and hold others."""
        type = self.columns[number]
        found = []
        for index, each in enumerate(type):
            value = self.builder.extract_value(column, index)
            if not isinstance(each, types.NoneType):
                parts = list(self._parts(each, value))
                for leaf in range(len(parts)):
                    slot = self._slots.get((index, number, leaf))
                    parts[leaf] = parts[leaf] if slot is None else self.builder.load(slot)
                (value,) = self.context.get_arg_packer([each]).from_arguments(self.builder, parts)
                self.context.nrt.incref(self.builder, each, value)
            found.append(value)
        return self.context.make_tuple(self.builder, type, found)

    def run(self, address: int) -> None:
        """Without result; an exception of the function is raised."""
        builder = self.builder
        function = ir.FunctionType(ir.VoidType(), [each.type for each in self.flat]).as_pointer()
        builder.call(builder.inttoptr(_WORD(address), function), self.flat)


def native_call(subject: Subject, kind: str, lanes: int = 1) -> Callable[..., Any]:
    """``f(arguments, columns)`` in Numba: calls a derivative, and gives a tuple of results and the columns as it leaves
    them. The results: of ``valued`` the function's, of ``forward`` the function's and ``lanes`` tangents of it."""

    @written_in_llvm
    def native(typing: Any, arguments: Any, columns: Any) -> Any:
        active = tuple(not isinstance(each, types.NoneType) for each in columns[0])
        subject.require(arguments, active, kind)
        address = subject.native(tuple(arguments), active, kind, lanes)
        written = subject.written(tuple(arguments), active, kind)
        result = subject.returned(tuple(arguments))
        results = {"valued": [result], "forward": [result] * (1 + lanes)}.get(kind, [])
        made = types.Tuple((types.Tuple(results), columns))

        def emit(context: Any, builder: ir.IRBuilder, signature: Any, values: Any) -> ir.Value:
            call = _Call(context, builder, arguments, columns)
            out = context.data_model_manager[result].get_return_type()
            room = call.add_out(out, lanes) if kind in ("forward", "valued") else []
            excinfo = cgutils.alloca_once(builder, _BYTES, zfill=True)
            status = cgutils.alloca_once(builder, ir.IntType(32), zfill=True)
            call.flat += [excinfo, status]
            call.add_arguments(*values)
            call.refuse_shared(written)
            if kind == "valued":
                builder.store(ir.Constant(out, 1.0), room[1])
            elif kind != "forward":
                call.flat.append(ir.Constant(out, 1.0))
            call.run(address)
            _raise(context, builder, builder.load(status), excinfo)
            found = [context.get_returned_value(builder, result, builder.load(each)) for each in room]
            if kind == "forward":
                found[1:] = [_tangent(context, builder, result, found[0], each) for each in found[1:]]
            else:
                found = found[:1]
            after = [call.column_after(i, builder.extract_value(values[1], i)) for i in range(len(columns))]
            return context.make_tuple(
                builder,
                made,
                [context.make_tuple(builder, made[0], found), context.make_tuple(builder, columns, after)],
            )

        return made(arguments, columns), emit

    return native


def _raise(context: Any, builder: ir.IRBuilder, code: ir.Value, excinfo: ir.Value) -> None:
    """An exception that the function has raised goes on."""
    convention = context.call_conv
    pointer = builder.bitcast(builder.load(excinfo), convention._get_excinfo_argument(builder.function).type.pointee)
    status = convention._get_return_status(builder, code, pointer)
    with builder.if_then(status.is_error, likely=False):
        convention.return_status_propagate(builder, status)


# --- results in forward mode ------------------------------------------------------------------------------------------


def _tangent(context: Any, builder: ir.IRBuilder, type: Any, value: ir.Value, tangent: ir.Value) -> ir.Value:
    """A tangent as a value of Numba's, from what forward mode writes: sizes are the result's, counts of references
    those of its memory, whole numbers have none. An array without memory of its own says that it is zero."""
    if isinstance(type, types.BaseTuple):
        parts = [
            _tangent(context, builder, each, builder.extract_value(value, i), builder.extract_value(tangent, i))
            for i, each in enumerate(type)
        ]
        return context.make_tuple(builder, type, parts)
    if isinstance(type, types.Array):
        have, found = (context.make_array(type)(context, builder, value=each) for each in (value, tangent))
        made = context.make_array(type)(context, builder, value=value)
        is_none = _is_no_shadow(builder, have.data, found.data)
        without = builder.and_(builder.not_(is_none), _is_no_shadow(builder, have.meminfo, found.meminfo))
        with builder.if_then(without, likely=False):
            message = "the tangent of an array of the result has no memory of its own: please report this"
            context.call_conv.return_user_exc(builder, SystemError, (message,))
        made.meminfo = builder.select(is_none, cgutils.get_null_value(made.meminfo.type), found.meminfo)
        made.data = builder.select(is_none, cgutils.get_null_value(made.data.type), found.data)
        made.parent = cgutils.get_null_value(made.parent.type)
        _adopt(builder, have.meminfo, made.meminfo)
        return made._getvalue()
    if isinstance(type, (types.Float, types.Complex)):
        return tangent
    return cgutils.get_null_value(value.type)


_FREE = ctypes.cast(ctypes.CDLL(None).free, ctypes.c_void_p).value or 0
"""What Numba calls with the address of elements, their size and a third word when nobody refers to them any more: under
the C conventions of the machines that Numba runs on, a function of one parameter does not see the others."""


def _is_no_shadow(builder: ir.IRBuilder, address: ir.Value, shadow: ir.Value) -> ir.Value:
    """What has no shadow is its own, or has none."""
    same = builder.icmp_unsigned("==", builder.ptrtoint(address, _WORD), builder.ptrtoint(shadow, _WORD))
    return builder.or_(same, cgutils.is_null(builder, shadow))


_MADE_HERE = 1 << 63


def _adopt(builder: ir.IRBuilder, owner: ir.Value, shadow: ir.Value) -> None:
    """Make what numba_runtime.cpp has allocated blocks of Numba's: {references, destructor, info, data, size, ...}. The
    shadow may be null; so that it is seen once, the block of the result says no more that it was made there."""

    def word(block: ir.Value, index: int) -> ir.Value:
        return builder.gep(builder.bitcast(block, _WORD.as_pointer()), [_WORD(index)])

    def settle(block: ir.Value) -> None:
        for index, content in ((0, references), (1, _WORD(_FREE)), (2, _WORD(0)), (4, size), (5, _WORD(0))):
            builder.store(content, word(block, index))

    references, said = builder.load(word(owner, 0)), builder.load(word(owner, 4))
    size = builder.and_(said, _WORD(_MADE_HERE - 1))
    with builder.if_then(builder.icmp_signed("<", said, _WORD(0))):
        settle(owner)
    with builder.if_then(cgutils.is_not_null(builder, shadow)):
        settle(shadow)
