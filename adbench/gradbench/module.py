"""What a GradBench module is to us: one of our workloads in other words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, TypeAlias

import numpy as np

from adbench.errors import BenchError
from adbench.workloads.base import Array, Function, Inputs, Outputs, Workload

Functions: TypeAlias = Mapping[str, Function]
Questions: TypeAlias = Mapping[Function, str]

MEASURING = ("min_runs", "min_seconds")
"""Fields of every module's input that say how often to evaluate."""


class MessageError(BenchError):
    """A message that lacks something or has it in a wrong shape."""


class Fields:
    """The input of an ``evaluate`` message, read by name; names that differ between versions are alternatives."""

    def __init__(self, value: object, module: str) -> None:
        self.values: Mapping[str, Any] = value if isinstance(value, dict) else {}
        self.bare = None if isinstance(value, dict) else value
        """The input itself where it is no object."""
        self.module = module

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def get(self, *names: str) -> Any:
        """The first field that is there under one of the names, else the bare input."""
        for name in names:
            if name in self.values:
                return self.values[name]
        if self.bare is not None:
            return self.bare
        raise MessageError(f"the input of module {self.module} has no field {' or '.join(map(repr, names))}")

    def array(self, *names: str, shape: tuple[int, ...] = (-1,)) -> Array:
        """Numbers, nested or flat, as float64 in a shape; -1 stands for what is left."""
        try:
            return np.ascontiguousarray(np.asarray(self.get(*names), dtype=np.float64).reshape(shape))
        except (TypeError, ValueError) as error:
            raise MessageError(f"{names[0]!r} of module {self.module} is not {shape} numbers", why=str(error)) from None

    def number(self, *names: str) -> float:
        values = self.array(*names)
        if values.size != 1:
            raise MessageError(f"{names[0]!r} of module {self.module} is not one number")
        return float(values[0])

    def integer(self, *names: str) -> int:
        value = self.number(*names)
        if value != int(value):
            raise MessageError(f"{names[0]!r} of module {self.module} is not an integer")
        return int(value)


class Module(ABC):
    """One module of GradBench and the workload that stands behind it.

    ``functions`` are GradBench's names of functions, with ours; ``asks`` are the ones that our harness asks a foreign
    tool for.
    """

    name: ClassVar[str]
    workload: Workload
    functions: ClassVar[Functions]
    asks: ClassVar[Questions]

    @abstractmethod
    def read(self, function: str, fields: Fields) -> Inputs:
        """Our inputs from GradBench's."""

    @abstractmethod
    def write(self, inputs: Inputs) -> Any:
        """GradBench's input from ours, without what says how often to evaluate."""

    @abstractmethod
    def answer(self, function: Function, fields: Fields, inputs: Inputs, outputs: Outputs) -> Any:
        """GradBench's output from ours."""

    @abstractmethod
    def parse(self, function: Function, inputs: Inputs, output: Any) -> Any:
        """Our output, as an ``evaluate`` response carries it, from a foreign tool's."""


def flat(value: Any) -> Array:
    """All numbers in nested lists, in order."""
    if isinstance(value, dict):
        return np.concatenate([flat(part) for part in value.values()]) if value else np.zeros(0)
    if isinstance(value, (list, tuple)) and value and not all(isinstance(part, (int, float)) for part in value):
        return np.concatenate([flat(part) for part in value])
    return np.atleast_1d(np.asarray(value, dtype=np.float64))


def split(values: Array, shapes: Mapping[str, tuple[int, ...]], module: str) -> Outputs:
    """Numbers that stand one after the other as the arrays that they are."""
    wanted = sum(int(np.prod(shape)) for shape in shapes.values())
    if values.size != wanted:
        raise MessageError(f"module {module}: the derivative has {values.size} numbers in place of {wanted}")
    found, start = {}, 0
    for name, shape in shapes.items():
        size = int(np.prod(shape))
        found[name] = values[start : start + size].reshape(shape)
        start += size
    return found
