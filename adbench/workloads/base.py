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

    ``sources`` maps a style ("primal", "manual", "enzyme", "tangent") to a C file in the workload's folder. Entry
    points are named ``adbench_primal``, ``adbench_derivative`` and ``adbench_tangent``.
    """

    fields: tuple[NativeField, ...]
    folder: Path
    sources: Mapping[str, str] = field(hash=False)

    def source(self, style: str) -> Path | None:
        name = self.sources.get(style)
        return None if name is None else self.folder / name


class Workload(ABC):
    """One benchmark problem."""

    name: str
    title: str
    parameters: tuple[str, ...]
    """Names of the inputs that are differentiated, in the order of the objective's parameters."""
    native: NativeInterface

    @abstractmethod
    def cases(self, size: Size) -> list[Case]:
        """The generated cases of a size class, smallest first."""

    @abstractmethod
    def generate(self, case: Case, seed: int) -> Inputs:
        """The inputs of a generated case; the same seed gives the same bits."""

    @abstractmethod
    def data_cases(self, directory: Path, size: Size | None) -> list[Case]:
        """The cases found in a folder of ADBench's data files, limited to a size class if one is given."""

    @abstractmethod
    def load(self, path: Path) -> Inputs:
        """The inputs in one of ADBench's data files; a malformed one raises DataFileError with line and column."""

    @abstractmethod
    def objective(self, inputs: Inputs) -> Array:
        """The objective in plain numpy. Parameters may be complex: it is analytic in them, for complex-step checks."""

    def inputs(self, case: Case, seed: int) -> Inputs:
        return self.generate(case, seed) if case.path is None else self.load(case.path)

    @abstractmethod
    def problem_size(self, case: Case) -> int:
        """Number of differentiated parameters, the x axis of ADBench's figures."""

    def panel(self, case: Case) -> str:
        """Which panel of a figure over problem size shows this case; "" where one panel shows all."""
        return ""

    def objective_shape(self, inputs: Inputs) -> tuple[int, ...]:
        """Shape of the objective's value; () for a scalar."""
        return ()

    def jacobian_shapes(self, inputs: Inputs) -> dict[str, tuple[int, ...]]:
        """Shape of each array of the derivative; a gradient's arrays are shaped like its parameters."""
        return {name: np.shape(inputs[name]) for name in self.parameters}
