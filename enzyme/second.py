"""Second derivatives as Python callables: products of the Hessian with a direction, and the whole Hessian.

Both are forward mode over reverse mode: the gradient's own code is differentiated along the direction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from enzyme.ir.values import Function
from enzyme.native import NativeFunction
from enzyme.records import describe
from enzyme.support.diagnostics import UsageError

Array = np.ndarray[Any, Any]
LANES = 4
"""Columns of a Hessian that are computed in one run."""


class HessianProduct:
    """``hvp(*args, v)``: the Hessian of a function's float result with respect to one array argument, times ``v``.

    ``hessian(*args)`` gives all of it, as an array of ``x.size`` rows and columns. Other arguments are constant.
    """

    def __init__(self, make: Callable[[int], NativeFunction], function: Function, wrt: int) -> None:
        self._make, self._function, self.wrt = make, function, wrt
        self._native: dict[int, NativeFunction] = {}
        self._name = function.name or ""

    def __repr__(self) -> str:
        return f"<Hessian of {self._name} with respect to argument {self.wrt}>"

    def __call__(self, *args: Any) -> Array:
        if not args:
            raise UsageError(f"the Hessian of {self._name} times a direction takes the direction as its last argument")
        x = self._checked(args[:-1])
        direction = args[-1]
        if not isinstance(direction, np.ndarray) or direction.shape != x.shape or direction.dtype != x.dtype:
            raise UsageError(
                f"the direction is {describe(direction)}, the argument is {describe(x)}",
                hint="pass an array of the argument's shape and element type",
            )
        made = np.zeros_like(x, order="C")
        self._run(1, args[:-1], [np.array(direction, order="C")], [made])  # a function that overwrites x does so here
        return made

    def hessian(self, *args: Any) -> Array:
        """The whole matrix, ``LANES`` columns at a time."""
        x = self._checked(args)
        n = x.size
        result = np.zeros((n, n), dtype=x.dtype)
        lanes = min(LANES, n)
        for start in range(0, n, lanes):
            directions = [np.zeros_like(x, order="C") for _ in range(lanes)]
            products = [np.zeros_like(x, order="C") for _ in range(lanes)]
            for lane in range(min(lanes, n - start)):
                directions[lane].reshape(-1)[start + lane] = 1
            last = start + lanes >= n  # a function that overwrites what it is given does so once
            given = args if last else tuple(each.copy() if isinstance(each, np.ndarray) else each for each in args)
            self._run(lanes, given, directions, products)
            for lane in range(min(lanes, n - start)):
                result[:, start + lane] = products[lane].reshape(-1)
        return result

    def _checked(self, args: tuple[Any, ...]) -> Array:
        count = len(self._function.args)
        if len(args) != count:
            raise UsageError(
                f"'{self._name}' takes {count} argument{'s' if count != 1 else ''}, {len(args)} were given"
            )
        x = args[self.wrt]
        if not isinstance(x, np.ndarray) or x.dtype.kind != "f":
            raise UsageError(
                f"Hessian of {self._name}: argument {self.wrt + 1} is {describe(x)}, not an array of floats"
            )
        return x

    def _run(self, width: int, args: tuple[Any, ...], directions: list[Array], products: list[Array]) -> None:
        native = self._native.get(width)
        if native is None:
            native = self._native[width] = self._make(width)
        flat: list[Any] = []
        for position, value in enumerate(args):
            flat.append(value)
            if position == self.wrt:
                flat += [*directions, np.zeros_like(value, order="C"), *products]
        native(*flat, 1.0)
