"""The LSTM workload: its cases, its inputs and how its C sources are entered."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from adbench.workloads.base import Array, Case, CType, Inputs, NativeField, NativeInterface, Role, Size, Workload
from adbench.workloads.data_files import find_cases
from adbench.workloads.lstm import files
from adbench.workloads.lstm.reference import lstm_objective

LAYERS = (2, 4)
LENGTHS = (1024, 4096)
WIDTH = 14
"""Units of a layer: ADBench writes a character as 14 bits."""

PARAMETERS = ("main_params", "extra_params")
FIELDS = (
    *(NativeField(name, CType.INT, Role.INPUT, name) for name in ("l", "c", "b")),
    *(NativeField(name, CType.POINTER, Role.INPUT, name) for name in (*PARAMETERS, "state", "sequence")),
    NativeField("loss", CType.POINTER, Role.OBJECTIVE, "objective"),
    *(NativeField(f"d{name}", CType.POINTER, Role.JACOBIAN, name) for name in PARAMETERS),
    *(NativeField(f"t{name}", CType.POINTER, Role.DIRECTION, name) for name in PARAMETERS),
    NativeField("dloss", CType.POINTER, Role.TANGENT, "tangent"),
)


def make_case(layers: int, length: int, width: int = WIDTH, path: Path | None = None) -> Case:
    name = f"l{layers}_c{length}" if width == WIDTH else f"l{layers}_c{length}_b{width}"
    return Case(name, {"l": layers, "c": length, "b": width}, path)


class LSTM(Workload):
    """A diagonal LSTM: parameters ``main_params`` (2 l, 4 b) and ``extra_params`` (3, b)."""

    name = "lstm"
    title = "Diagonal LSTM, loss of predicting a sequence"
    parameters = PARAMETERS
    data_pattern = "lstm_*.txt"
    size_label = "characters times layers"
    native = NativeInterface(
        FIELDS,
        Path(__file__).parent,
        {
            "primal": "primal.c",
            "manual": "manual.c",
            "enzyme": "enzyme_gradient.c",
            "tangent": "enzyme_tangent.c",
            "vector": "enzyme_vector.c",
            "overload": "overload.cpp",
        },
    )

    def cases(self, size: Size) -> list[Case]:
        lengths = LENGTHS[:1] if size is Size.SMALL else LENGTHS
        return [make_case(layers, length) for length in lengths for layers in LAYERS]

    def generate(self, case: Case, seed: int) -> Inputs:
        """Random weights and start, and a sequence of bits."""
        layers, length, width = (case.dimensions[name] for name in ("l", "c", "b"))
        random = np.random.default_rng([seed, layers, length, width])
        inputs: Inputs = dict(case.dimensions)
        for name, shape in files.shapes(layers, length, width).items():
            inputs[name] = random.standard_normal(shape)
        inputs["sequence"] = random.integers(0, 2, (length, width)).astype(np.float64)
        return inputs

    def data_cases(self, directory: Path, size: Size | None) -> list[Case]:
        wanted = None if size is None else {case.name for case in self.cases(size)}

        def read(path: Path) -> Case:
            return make_case(*files.read_dimensions(path), path)

        found = find_cases(directory, self.data_pattern, read, wanted)
        return sorted(found, key=lambda case: (self.problem_size(case), case.name))

    def load(self, path: Path) -> Inputs:
        return files.read_lstm(path)

    def objective(self, inputs: Inputs) -> Array:
        return lstm_objective(inputs)

    def problem_size(self, case: Case) -> int:
        return case.dimensions.get("l", 0) * case.dimensions.get("c", 0)
