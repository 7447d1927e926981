"""Workloads whose objective is one number of one parameter array ``x``: a table of sizes and an ``objective.hpp``.

The entry points that all of them share are in ``adbench/native/scalar``.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, TypeAlias

import numpy as np

from adbench.workloads.base import Case, CType, Inputs, NativeField, NativeInterface, Role, Size, Workload

SHARED = Path(__file__).resolve().parents[1] / "native" / "scalar"
PARAMETER = "x"
Dimensions: TypeAlias = Mapping[str, int]


def scalar_interface(
    folder: Path, integers: Sequence[str], numbers: Sequence[str], arrays: Sequence[str]
) -> NativeInterface:
    """The struct ``problem``: integers, doubles, x, constant arrays, value, dx, tx, dvalue, in this order.

    A workload with a ``solution.cpp`` has a field ``solution`` behind them.
    """
    fields = (
        *(NativeField(name, CType.INT, Role.INPUT, name) for name in integers),
        *(NativeField(name, CType.DOUBLE, Role.INPUT, name) for name in numbers),
        *(NativeField(name, CType.POINTER, Role.INPUT, name) for name in (PARAMETER, *arrays)),
        NativeField("value", CType.POINTER, Role.OBJECTIVE, "objective"),
        NativeField("dx", CType.POINTER, Role.JACOBIAN, PARAMETER),
        NativeField("tx", CType.POINTER, Role.DIRECTION, PARAMETER),
        NativeField("dvalue", CType.POINTER, Role.TANGENT, "tangent"),
    )
    shared = {"primal": "primal.cpp", "enzyme": "enzyme_gradient.cpp", "tangent": "enzyme_tangent.cpp"}
    # These differentiate the objective as it stands, which is not what a workload with sources of its own asks for.
    if not (folder / shared["enzyme"]).is_file():
        shared |= {"vector": "enzyme_vector.cpp", "overload": "overload.cpp"}
    sources = {style: str(SHARED / name) for style, name in shared.items()}
    # What a workload's folder has goes before what is shared.
    own = {"manual": "manual.cpp", "solution": "solution.cpp", "second": "overload_second.cpp", **shared}
    sources |= {style: name for style, name in own.items() if (folder / name).is_file()}
    if "solution" in sources:
        fields = (*fields, NativeField("solution", CType.POINTER, Role.SOLUTION, "solution"))
    return NativeInterface(fields, folder, sources)


def by_size(
    small: Sequence[Dimensions], medium: Sequence[Dimensions] = (), full: Sequence[Dimensions] = ()
) -> Mapping[Size, Sequence[Dimensions]]:
    return {Size.SMALL: small, Size.MEDIUM: medium, Size.FULL: full}


class ScalarWorkload(Workload):
    """Base of the small workloads: a subclass states tables, inputs and the numpy objective."""

    parameters = (PARAMETER,)
    integers: ClassVar[tuple[str, ...]] = ()
    """Integer fields of the struct; those that are dimensions of the case need not be generated."""
    numbers: ClassVar[tuple[str, ...]] = ()
    """Fields that are doubles."""
    arrays: ClassVar[tuple[str, ...]] = ()
    """Constant arrays."""
    sizes: ClassVar[Mapping[Size, Sequence[Dimensions]]]
    """Dimensions of the cases that each size class adds to the smaller ones; made by ``by_size``."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        folder = Path(str(sys.modules[cls.__module__].__file__)).resolve().parent
        cls.native = scalar_interface(folder, cls.integers, cls.numbers, cls.arrays)

    def cases(self, size: Size) -> list[Case]:
        wanted = list(Size)[: list(Size).index(size) + 1]
        return [self.make_case(dimensions) for part in wanted for dimensions in self.sizes.get(part, ())]

    def make_case(self, dimensions: Dimensions) -> Case:
        return Case(self.case_name(dimensions), dict(dimensions))

    def case_name(self, dimensions: Dimensions) -> str:
        return "_".join(f"{name}{value}" for name, value in dimensions.items())

    def generate(self, case: Case, seed: int) -> Inputs:
        random = np.random.default_rng([seed, *case.dimensions.values()])
        fixed = {name: value for name, value in case.dimensions.items() if name in self.integers}
        return {**fixed, **self.make_inputs(case.dimensions, random)}

    @abstractmethod
    def make_inputs(self, dimensions: Dimensions, random: np.random.Generator) -> Inputs:
        """``x``, the constant arrays, and numbers that are not dimensions of the case."""
