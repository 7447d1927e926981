"""What a workload is: cases, inputs, an objective everyone shares, and the sources each kind of tool starts from.

A workload is one folder under ``adbench/workloads``; its ``__init__`` defines ``WORKLOAD``. Nothing else has to be
changed to add one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from adbench.errors import DataFileError

Array: TypeAlias = npt.NDArray[Any]
Inputs: TypeAlias = dict[str, Any]
"""Everything one evaluation needs: integers, floats and C-ordered float64 arrays by name."""
Outputs: TypeAlias = dict[str, Array]
"""What an evaluation gives: ``{"objective": ()}`` or one array per differentiated parameter, shaped like it."""


class Size(StrEnum):
    """Size classes of cases: ``small`` ends in minutes, ``medium`` is what figures are made from, ``full`` is all."""

    SMALL = "small"
    MEDIUM = "medium"
    FULL = "full"


class Function(StrEnum):
    """What a tool can be asked to evaluate."""

    OBJECTIVE = "objective"
    JACOBIAN = "jacobian"
    TANGENT = "tangent"
    SOLUTION = "solution"
    """What a workload computes besides: a whole state, or the point that an optimisation with derivatives finds."""


@dataclass(frozen=True)
class Case:
    """One input of a workload: its name, its dimensions and, where it was read from a file, that file."""

    name: str
    dimensions: Mapping[str, int] = field(hash=False)
    path: Path | None = None


class CType(StrEnum):
    INT = "int"
    DOUBLE = "double"
    POINTER = "pointer"


class Role(StrEnum):
    """Where the value of a struct field comes from."""

    INPUT = "input"
    OBJECTIVE = "objective"
    JACOBIAN = "jacobian"
    DIRECTION = "direction"
    TANGENT = "tangent"
    SOLUTION = "solution"


@dataclass(frozen=True)
class NativeField:
    """One field of the C struct that every compiled entry point takes.

    ``key`` is the name of the input, parameter or output that the field carries; a pointer field points to its data.
    """

    name: str
    ctype: CType
    role: Role
    key: str


@dataclass(frozen=True)
class NativeInterface:
    """How compiled tools enter a workload: ``void adbench_primal(struct *)`` and its derivatives, and their sources.

    ``sources`` maps a style to a C or C++ file, relative to the workload's folder, which is on the include path:
    "primal", "manual" and "solution" as they are named; "enzyme", "tangent" and "vector" for Enzyme's derivative, its
    tangent along a direction and its derivative by forward mode in lanes; "overload" for tools that overload operators,
    or "second" for those of them that take second derivatives. Entry points are named ``adbench_primal``,
    ``adbench_derivative``, ``adbench_tangent`` and ``adbench_solution``. "enzyme-pre", where it is there, is used in
    place of "enzyme" with the pipeline "pre".
    """

    fields: tuple[NativeField, ...]
    folder: Path
    sources: Mapping[str, str] = field(hash=False)

    def source(self, style: str) -> Path | None:
        name = self.sources.get(style)
        return None if name is None else self.folder / name


@dataclass(frozen=True)
class Columns:
    """Columns of a Jacobian that differences of the objective give, and where they lie.

    Each of ``moves`` differences moves the entries ``j``, ``j + apart``, ``j + 2 apart``, ... of the flat ``parameter``
    at once (only ``j`` where ``apart`` is 0): no output depends on two of them. Their effect on the objective's flat
    ``outputs`` goes to ``jacobian[key].flat[offset + j column_step + i row_step]``, where i counts the outputs.
    """

    parameter: str
    moves: int
    outputs: slice
    key: str
    offset: int
    column_step: int
    row_step: int
    apart: int = 0


class Workload(ABC):
    """One benchmark problem."""

    name: str
    title: str
    parameters: tuple[str, ...]
    """Names of the inputs that are differentiated, in the order of the objective's parameters."""
    native: NativeInterface
    data_pattern: str = ""
    """Names of the data files that ``--data`` reads, as a glob; empty where there are none."""
    size_label: str = "differentiated parameters"
    """What ``problem_size`` counts, for the x axis of figures."""

    @abstractmethod
    def cases(self, size: Size) -> list[Case]:
        """The generated cases of a size class, smallest first."""

    @abstractmethod
    def generate(self, case: Case, seed: int) -> Inputs:
        """The inputs of a generated case; the same seed gives the same bits."""

    def data_cases(self, directory: Path, size: Size | None) -> list[Case]:
        """The cases found in a folder of ADBench's data files, limited to a size class if one is given."""
        return []

    def load(self, path: Path) -> Inputs:
        """The inputs in one of ADBench's data files; a malformed one raises DataFileError with line and column."""
        raise DataFileError(f"workload {self.name} has no data files", where=str(path))

    @abstractmethod
    def objective(self, inputs: Inputs) -> Array:
        """The objective in plain numpy. Parameters may be complex: it is analytic in them, for complex-step checks."""

    def inputs(self, case: Case, seed: int) -> Inputs:
        return self.generate(case, seed) if case.path is None else self.load(case.path)

    @abstractmethod
    def problem_size(self, case: Case) -> int:
        """The x axis of figures over problem size: what ``size_label`` says."""

    def panel(self, case: Case) -> str:
        """Which panel of a figure over problem size shows this case; "" where one panel shows all."""
        return ""

    def objective_shape(self, inputs: Inputs) -> tuple[int, ...]:
        """Shape of the objective's value; () for a scalar."""
        return ()

    def jacobian_shapes(self, inputs: Inputs) -> dict[str, tuple[int, ...]]:
        """Shape of each array of the derivative; a gradient's arrays are shaped like its parameters."""
        return {name: np.shape(inputs[name]) for name in self.parameters}

    def solution_shape(self, inputs: Inputs) -> tuple[int, ...]:
        """Shape of what the function ``solution`` gives, for workloads that have one."""
        return ()

    def jvp(self, inputs: Inputs, jacobian: Outputs, direction: Outputs) -> Array:
        """The derivative times a direction, shaped like the objective; here for the gradient of a scalar."""
        return np.asarray(sum(float(np.sum(jacobian[name] * direction[name])) for name in self.parameters))

    def columns(self, inputs: Inputs) -> list[Columns]:
        """How differences give the derivative; here one after the other, for the gradient of a scalar."""
        return [Columns(name, np.size(inputs[name]), slice(0, 1), name, 0, 1, 1) for name in self.parameters]
