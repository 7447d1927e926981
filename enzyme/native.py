"""Native functions called with numpy arrays and Python numbers."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from enzyme.ir.types import FloatType, IntType, Type
from enzyme.ir.values import Function
from enzyme.jit import Program, Record, native_call, sample
from enzyme.pointers import only_read, pointer_elements
from enzyme.records import Parameter, describe, read_result, write_pointer, write_scalar
from enzyme.support.diagnostics import UsageError

_TARGET_SAMPLE_NS = 20_000
"""Samples of fast functions cover several calls, so that reading the clock (some 30 ns) stays below a percent."""


class NativeFunction:
    """One function of a compiled program.

    Takes one argument per parameter of the function's IR signature (a struct passed by value is one argument if the
    ABI passes it in memory, one per part if it is passed in registers): floats and ints for numbers; for pointers a
    numpy array (contiguous, of the element type the code reads, writable unless the code only reads it), a ctypes
    object, an address, or None. Returns a float, an int, an address, or a tuple for a struct.

    LLVM IR does not say which integers are unsigned: results of 32 and 64 bits are read as signed
    (``result % 2**32`` is what C calls ``unsigned``), smaller ones as the C function declares them.

    ``labels`` names the arguments in messages, ``readonly`` says of each that its memory is only read.

    Raises :class:`UsageError` for arguments that do not fit. Sizes of arrays are not checked: C does not say them.
    """

    def __init__(
        self,
        program: Program,
        name: str,
        label: str | None = None,
        labels: Sequence[str] | None = None,
        readonly: Sequence[bool] | None = None,
    ) -> None:
        self._program = program
        self._signature = program.signature(name)
        self._label = label or name
        self._call: Any = None
        self._labels, self._readonly = labels, readonly
        self._elements: dict[int, frozenset[Type]] = {}
        self._read: dict[int, bool] = {}
        self.name = self._signature.name
        self.__name__ = self._label

    def __repr__(self) -> str:
        kinds = ", ".join(str(parameter.slot.type) for parameter in self._signature.parameters)
        result = self._signature.result
        return f"<native function {self._label}({kinds}) -> {result.type if result else 'void'}>"

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters, in order."""
        return self._signature.parameters

    @property
    def address(self) -> int:
        """Native address of the function itself, with its own C signature."""
        return self._program.address(self.name)

    @property
    def packed_address(self) -> int:
        """Native address of the function that takes the address of a record with all arguments (see
        :mod:`enzyme.records`)."""
        return self._program.address(self._signature.wrapper)

    @property
    def fingerprint(self) -> bytes:
        """What decides the machine code, in the same way in every process."""
        return self._program.fingerprint

    def compile(self) -> NativeFunction:
        """Compile now what is otherwise compiled by the first call."""
        if self._call is None:
            self._call = native_call(self.packed_address)
        return self

    def __call__(self, *args: Any) -> Any:
        record = self._pack(args)
        self.compile()
        self._call(record.address)
        result = self._signature.result
        if result is None:
            return None
        layout = self._program.module.datalayout
        return read_result(layout, record.view, result, self._signature.result_unsigned)

    def measure(self, *args: Any, min_runs: int = 10, min_seconds: float = 0.1, max_runs: int = 10_000) -> list[int]:
        """Nanoseconds per call, one number per sample; only the native calls are timed.

        At least ``min_runs`` samples and ``min_seconds`` altogether, at most ``max_runs`` samples. A sample of a fast
        function is the mean of several calls. The arguments are the same in every call: what the function adds to
        (a shadow) goes on growing.
        """
        if min_runs < 1 or max_runs < min_runs:
            raise UsageError(f"measure: min_runs={min_runs} and max_runs={max_runs} make no sense together")
        record = self._pack(args)
        self.compile()
        wrapper = self.packed_address
        sample(wrapper, record.address, 1, 1)  # caches and lazily bound symbols
        once = max(1, min(sample(wrapper, record.address, 1, 2)))
        inner = max(1, _TARGET_SAMPLE_NS // once)
        samples: list[int] = []
        end = time.perf_counter() + min_seconds
        while len(samples) < min_runs or (time.perf_counter() < end and len(samples) < max_runs):
            count = max(1, min(max_runs - len(samples), max(min_runs - len(samples), int(1e7 // (once * inner)))))
            samples += (each // inner for each in sample(wrapper, record.address, inner, count))
        return samples

    # --- arguments

    def _pack(self, args: tuple[Any, ...]) -> Record:
        parameters = self._signature.parameters
        if len(args) != len(parameters):
            raise UsageError(
                f"{self._label} takes {len(parameters)} arguments, {len(args)} were given",
                why=f"its parameters are ({', '.join(f'{p.slot.type} {p.name}' for p in parameters)})",
            )
        record = Record(self._signature.size, self._signature.align)
        for position, (parameter, value) in enumerate(zip(parameters, args, strict=True)):
            named = self._labels[position] if self._labels else f"argument {position + 1} ('{parameter.name}')"
            what = f"{self._label}: {named}"
            if parameter.slot.type.is_pointer:
                address = self._address(parameter, position, value, what)
                write_pointer(record.view, parameter.slot, address)
            else:
                write_scalar(record.view, parameter.slot, value, what)
        return record

    def _address(self, parameter: Parameter, position: int, value: Any, what: str) -> int:
        if isinstance(value, np.ndarray):
            self._check_array(parameter, position, value, what)
            return int(value.ctypes.data)
        if value is None:
            return 0
        if isinstance(value, (bool, np.bool_)):
            raise UsageError(f"{what} is a pointer and takes an array, not a bool")
        if isinstance(value, (int, np.integer)):
            return int(value)
        if isinstance(value, (ctypes.Array, ctypes.Structure, ctypes.Union, ctypes._SimpleCData)):
            if isinstance(value, ctypes.c_void_p):
                return value.value or 0
            self._check_size(parameter, ctypes.sizeof(value), what)
            return ctypes.addressof(value)
        if isinstance(value, ctypes._Pointer):
            return ctypes.cast(value, ctypes.c_void_p).value or 0
        raise UsageError(
            f"{what} is a pointer and takes a numpy array, not {describe(value)}",
            hint="numpy.asarray(...) makes an array of a list; a single number needs an array of one element",
        )

    def _check_size(self, parameter: Parameter, size: int, what: str) -> None:
        if size < parameter.least_bytes:
            raise UsageError(f"{what}: {size} bytes were given, the function reads at least {parameter.least_bytes}")

    def _check_array(self, parameter: Parameter, position: int, array: np.ndarray[Any, Any], what: str) -> None:
        if array.dtype.hasobject:
            raise UsageError(f"{what}: arrays of Python objects cannot be passed to native code")
        if not array.flags.c_contiguous:
            fortran = " (it is in Fortran order)" if array.flags.f_contiguous else ""
            raise UsageError(
                f"{what}: the array is not contiguous{fortran}",
                why="native code sees one block of memory in C order",
                hint="pass numpy.ascontiguousarray(...); results written into it are then in the copy",
            )
        if not array.dtype.isnative:
            raise UsageError(f"{what}: the array's byte order is not this machine's", hint="use array.astype(...)")
        if not array.flags.writeable and not parameter.readonly and not self._only_reads(position):
            raise UsageError(
                f"{what}: the array is read-only and the function may write it", hint="pass a copy of the array"
            )
        self._check_size(parameter, array.nbytes, what)
        wanted = self._mismatch(position, array.dtype)
        if wanted:
            raise UsageError(
                f"{what}: the array holds {array.dtype}, the function works on {wanted}",
                hint=f"pass array.astype(numpy.{_NUMPY_NAMES.get(wanted, wanted)})",
            )

    def _mismatch(self, position: int, dtype: np.dtype[Any]) -> str | None:
        """The element type the code works on, where the array's is certainly another one."""
        kind, size = dtype.kind, dtype.itemsize
        if kind not in "fiu" or (kind == "u" and size == 1):  # structured arrays and bytes are raw memory
            return None
        if position not in self._elements:
            self._elements[position] = self._pointee(position)
        floats = {t for t in self._elements[position] if isinstance(t, FloatType)}
        ints = {t for t in self._elements[position] if isinstance(t, IntType)}
        if kind == "f" and floats:
            if all(_array_bytes(t) != size for t in floats):
                return str(min(floats, key=str))
        elif kind in "iu" and floats and not ints:
            return str(min(floats, key=str))
        elif ints and all(t.bits > 8 and t.bits != 8 * size for t in ints):
            return str(min(ints, key=str))
        return None

    def _only_reads(self, position: int) -> bool:
        if self._readonly is not None:
            return self._readonly[position]
        if position not in self._read:
            with self._program.lock:
                self._read[position] = only_read(*self._argument(position))
        return self._read[position]

    def _pointee(self, position: int) -> frozenset[Type]:
        with self._program.lock:
            return pointer_elements(*self._argument(position))

    def _argument(self, position: int) -> tuple[Function, int]:
        function = self._program.module.functions[self.name]
        # sret parameters are not among ours.
        indices = [a.index for a in function.args if not any(word.startswith("sret") for word in a.attrs)]
        return function, indices[position]


_NUMPY_NAMES = {
    "double": "float64",
    "float": "float32",
    "half": "float16",
    "x86_fp80": "longdouble",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
}


def _array_bytes(type: FloatType) -> int:
    return 16 if type.kind == "x86_fp80" else type.bits // 8
