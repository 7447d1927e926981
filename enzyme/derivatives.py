"""Derivatives as Python callables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from enzyme.ir.values import Function
from enzyme.native import NativeFunction
from enzyme.pointers import only_read
from enzyme.records import describe
from enzyme.support.diagnostics import UsageError

if TYPE_CHECKING:
    from enzyme.api import Module


def default_activity(function: Function, mode: str) -> list[str]:
    """What ``__enzyme_autodiff`` assumes for arguments without a marker."""
    float_activity = "dup" if mode == "forward" else "out"
    return [
        "dup" if argument.type.is_pointer else float_activity if argument.type.scalar.is_float else "const"
        for argument in function.args
    ]


class Derivative:
    """The derivative of one function for one choice of activities.

    Called with the function's own arguments; a ``dup`` argument is a pair ``(x, dx)``. In reverse mode gradients are
    added to the shadows ``dx``, and the gradients of ``out`` arguments are returned (one number, or a tuple of
    several, or None). ``seed`` is the adjoint of the function's float result. In forward mode the pairs hold
    tangents, tangents of memory are written to ``dx``, and the tangent of the float result is returned.

    A derivative made ``with_value`` returns the function's own result first: ``(value, ...)``, in reverse mode the
    value alone where no gradient is returned.

    With ``width`` N > 1 a ``dup`` argument is ``(x, dx1, ..., dxN)``, each gradient or tangent that is returned is a
    tuple of N, and ``seed`` is one number or N of them.
    """

    def __init__(
        self,
        native: NativeFunction,
        function: Function,
        mode: str,
        activity: tuple[str, ...],
        ret: str,
        width: int = 1,
    ) -> None:
        self.native, self.mode, self.activity, self.width = native, mode, activity, width
        self.function_name = function.name or ""
        self._seeded = mode == "reverse" and ret == "active"
        # A small struct in a vector register is one argument of several numbers.
        self._several = [argument.type.is_vector for argument in function.args]
        self._pointers = [argument.type.is_pointer for argument in function.args]

    def __repr__(self) -> str:
        return f"<{self.mode} derivative of {self.function_name}({', '.join(self.activity)})>"

    @property
    def address(self) -> int:
        """Native address; the C signature is the one that :mod:`enzyme.gradient.request` describes."""
        return self.native.address

    def compile(self) -> Derivative:
        """Compile now what is otherwise compiled by the first call."""
        self.native.compile()
        return self

    def __call__(self, *args: Any, seed: float | Sequence[float] = 1.0) -> Any:
        return self.native(*self._flatten(args, seed))

    def measure(self, *args: Any, seed: float | Sequence[float] = 1.0, **limits: Any) -> list[int]:
        """Nanoseconds per call; see :meth:`NativeFunction.measure`."""
        return self.native.measure(*self._flatten(args, seed), **limits)

    def _flatten(self, args: tuple[Any, ...], seed: float | Sequence[float]) -> list[Any]:
        name = f"derivative of {self.function_name}"
        if len(args) != len(self.activity):
            raise UsageError(
                f"{name} takes {len(self.activity)} arguments, {len(args)} were given",
                why=f"one for each parameter of '{self.function_name}': {', '.join(self.activity)}",
                hint=f"a dup argument and its shadow are one pair: {self._pair()}",
            )
        flat: list[Any] = []
        for position, (value, activity) in enumerate(zip(args, self.activity, strict=True)):
            what = f"{name}: argument {position + 1}"
            if activity in ("dup", "dupnoneed"):
                if not isinstance(value, (tuple, list)) or len(value) != 1 + self.width:
                    raise UsageError(
                        f"{what} is {activity} and takes a pair {self._pair()}, not {describe(value)}",
                        hint="pass the shadow beside the value, or declare the argument 'const' in autodiff(...)",
                    )
                primal, *shadows = value
                if self._pointers[position]:
                    self._check_shadows(primal, shadows, f"{what} is {activity}", what)
                flat += value
            else:
                if isinstance(value, tuple) and not self._several[position]:
                    raise UsageError(f"{what} is {activity} and takes no shadow", hint="pass the value alone")
                flat.append(value)
        if self._seeded:
            flat += self._seeds(seed)
        elif not isinstance(seed, (int, float)) or seed != 1.0:
            raise UsageError(
                f"{name} takes no seed",
                why="it has no float result" if self.mode == "reverse" else "forward mode is driven by tangents",
                hint="seed the shadow of what the function writes",
            )
        return flat

    def _pair(self) -> str:
        return "(x, dx)" if self.width == 1 else f"(x, dx1, ..., dx{self.width})"

    def _check_shadows(self, primal: Any, shadows: list[Any], is_kind: str, what: str) -> None:
        for index, shadow in enumerate(shadows):
            if shadow is None and primal is not None:
                raise UsageError(
                    f"{is_kind} and has no shadow: it is None",
                    hint="make the shadow with numpy.zeros_like(x), or declare the argument 'const'",
                )
            _check_pair(primal, shadow, what)
            for other in shadows[:index]:
                arrays = isinstance(shadow, np.ndarray) and isinstance(other, np.ndarray)
                if arrays and shadow.size and np.may_share_memory(shadow, other):
                    raise UsageError(
                        f"{what}: two of the shadows share memory", hint="each lane has a shadow of its own"
                    )

    def _seeds(self, seed: float | Sequence[float]) -> list[Any]:
        if self.width == 1:
            return [seed]
        if np.ndim(seed) == 0:
            return [seed] * self.width
        if np.shape(seed) != (self.width,):
            raise UsageError(
                f"derivative of {self.function_name} takes one seed for each of {self.width} lanes",
                hint="pass one number for all, or one for each",
            )
        return list(seed)  # type: ignore[arg-type]


def _check_pair(primal: Any, shadow: Any, what: str) -> None:
    if not isinstance(primal, np.ndarray) or not isinstance(shadow, np.ndarray):
        return
    if primal.dtype != shadow.dtype or primal.shape != shadow.shape:
        raise UsageError(
            f"{what}: the shadow is {describe(shadow)}, the value is {describe(primal)}",
            hint="make the shadow with numpy.zeros_like(x)",
        )
    if primal.size and np.may_share_memory(primal, shadow):
        raise UsageError(
            f"{what}: the shadow shares memory with the value", hint="make the shadow with numpy.zeros_like(x)"
        )


def argument_labels(function: Function, activity: Sequence[str], seeded: bool, width: int = 1) -> list[str]:
    """How messages call what a derivative takes: by the function's own arguments."""
    labels: list[str] = []
    for argument, chosen in zip(function.args, activity, strict=True):
        name = f" ('{argument.name}')" if argument.name else ""
        labels.append(f"argument {argument.index + 1}{name}")
        if chosen in ("dup", "dupnoneed"):
            labels += [f"the shadow of argument {argument.index + 1}{name}"] * width
    return labels + ["the seed"] * width if seeded else labels


def argument_readonly(
    function: Function, activity: Sequence[str], mode: str, seeded: bool, width: int = 1
) -> list[bool]:
    """What a derivative only reads: the arguments that the function only reads, and in forward mode their tangents."""
    readonly: list[bool] = []
    for argument, chosen in zip(function.args, activity, strict=True):
        reads = argument.type.is_pointer and only_read(function, argument.index)
        readonly.append(reads)
        if chosen in ("dup", "dupnoneed"):
            readonly += [reads and mode == "forward"] * width
    return readonly + [False] * width if seeded else readonly


class Gradient:
    """A callable that returns fresh gradients; see :meth:`Module.gradient`."""

    def __init__(
        self, module: Module, name: str, function: Function, wrt: tuple[int, ...] | None, with_value: bool = False
    ) -> None:
        self._module, self._name, self._wrt, self._with_value = module, name, wrt, with_value
        self._types = [argument.type for argument in function.args]
        for position in wrt or ():
            if not isinstance(position, int) or not 0 <= position < len(self._types):
                raise UsageError(f"'{name}' has no argument {position!r}", hint="wrt counts arguments from 0")

    def __repr__(self) -> str:
        return f"<gradient of {self._name}>"

    def __call__(self, *args: Any, seed: float = 1.0) -> Any:
        activity = self._activity(args)
        shadows: list[Any] = []
        given: list[Any] = []
        for value, chosen in zip(args, activity, strict=True):
            if chosen == "dup":
                shadow = np.zeros_like(value, order="C")
                shadows.append(shadow)
                given.append((value, shadow))
            else:
                given.append(value)
        outs = self._module.autodiff(self._name, activity, with_value=self._with_value)(*given, seed=seed)
        rest = iter(outs if isinstance(outs, tuple) else (outs,))
        value = next(rest) if self._with_value else None
        arrays = iter(shadows)
        results = [next(arrays) if each == "dup" else next(rest) for each in activity if each != "const"]
        if not results:
            raise UsageError(f"gradient of {self._name}: no argument is a float or an array of floats")
        found = results[0] if len(results) == 1 else tuple(results)
        return (value, found) if self._with_value else found

    def _activity(self, args: Sequence[Any]) -> list[str]:
        if len(args) != len(self._types):
            raise UsageError(f"gradient of {self._name} takes {len(self._types)} arguments, {len(args)} were given")
        chosen: list[str] = []
        for position, (value, type) in enumerate(zip(args, self._types, strict=True)):
            wanted = self._wrt is None or position in self._wrt
            if type.is_pointer:
                is_float = isinstance(value, np.ndarray) and value.dtype.kind == "f"
                if self._wrt is not None and wanted and not is_float:
                    raise UsageError(f"gradient of {self._name}: argument {position + 1} is not an array of floats")
                chosen.append("dup" if wanted and is_float else "const")
            elif type.scalar.is_float:
                chosen.append("out" if wanted else "const")
            else:
                if self._wrt is not None and wanted:
                    raise UsageError(f"gradient of {self._name}: argument {position + 1} is an integer")
                chosen.append("const")
        return chosen
