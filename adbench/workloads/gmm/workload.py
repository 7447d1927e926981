"""The GMM workload: its cases, its inputs and how its C sources are entered."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from adbench.workloads.base import Array, Case, CType, Inputs, NativeField, NativeInterface, Role, Size, Workload
from adbench.workloads.data_files import find_cases
from adbench.workloads.gmm import files
from adbench.workloads.gmm.reference import gmm_objective

DIMENSIONS = (2, 10, 20, 32, 64, 128)
COMPONENTS = (5, 10, 25, 50, 100, 200)
POINTS = (1_000, 10_000)

SMALL = ((2, 5), (2, 25), (10, 5), (10, 25), (20, 10), (32, 5))
"""(d, K) of the small class, all at n = 1,000."""

MEDIUM_WORK = 10_000 * 25 * 32 * 33 // 2
"""The medium class takes every case whose objective does at most this many multiplications (n K d (d + 1) / 2)."""

FIELDS = (
    *(NativeField(name, CType.INT, Role.INPUT, name) for name in ("d", "k", "n", "m")),
    NativeField("gamma", CType.DOUBLE, Role.INPUT, "gamma"),
    *(NativeField(name, CType.POINTER, Role.INPUT, name) for name in ("alphas", "means", "icf", "x")),
    NativeField("err", CType.POINTER, Role.OBJECTIVE, "objective"),
    *(NativeField(f"d{name}", CType.POINTER, Role.JACOBIAN, name) for name in ("alphas", "means", "icf")),
    *(NativeField(f"t{name}", CType.POINTER, Role.DIRECTION, name) for name in ("alphas", "means", "icf")),
    NativeField("derr", CType.POINTER, Role.TANGENT, "tangent"),
)


def factor_size(d: int) -> int:
    """Numbers in one packed triangular factor."""
    return d * (d + 1) // 2


def make_case(d: int, k: int, n: int, path: Path | None = None) -> Case:
    return Case(f"d{d}_K{k}_n{n}", {"d": d, "k": k, "n": n}, path)


class GMM(Workload):
    """ADBench's Gaussian mixture: parameters ``alphas`` (k), ``means`` (k, d), ``icf`` (k, d (d + 1) / 2)."""

    name = "gmm"
    title = "Gaussian mixture, log posterior with Wishart prior"
    parameters = ("alphas", "means", "icf")
    data_pattern = "gmm_*.txt"
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
        if size is Size.SMALL:
            triples = [(d, k, 1_000) for d, k in SMALL]
        else:
            triples = [(d, k, n) for n in POINTS for d in DIMENSIONS for k in COMPONENTS]
        if size is Size.MEDIUM:
            triples = [(d, k, n) for d, k, n in triples if n * k * factor_size(d) <= MEDIUM_WORK]
        return [make_case(d, k, n) for d, k, n in sorted(triples, key=lambda t: t[2] * t[1] * factor_size(t[0]))]

    def generate(self, case: Case, seed: int) -> Inputs:
        d, k, n = (case.dimensions[name] for name in ("d", "k", "n"))
        random = np.random.default_rng([seed, d, k, n])
        return {
            "d": d,
            "k": k,
            "n": n,
            "alphas": random.standard_normal(k),
            "means": random.standard_normal((k, d)),
            "icf": random.standard_normal((k, factor_size(d))),
            "x": random.standard_normal((n, d)),
            "gamma": 1.0,
            "m": 0,
        }

    def data_cases(self, directory: Path, size: Size | None) -> list[Case]:
        wanted = None if size is None else {case.name for case in self.cases(size)}

        def read(path: Path) -> Case:
            return make_case(*files.read_dimensions(path), path)

        found = find_cases(directory, self.data_pattern, read, wanted)
        return sorted(found, key=lambda case: (self.problem_size(case), case.dimensions.get("n", 0), case.name))

    def load(self, path: Path) -> Inputs:
        return files.read_gmm(path)

    def objective(self, inputs: Inputs) -> Array:
        return gmm_objective(inputs)

    def problem_size(self, case: Case) -> int:
        d, k = (case.dimensions.get(name, 0) for name in ("d", "k"))
        return k * (1 + d + factor_size(d))

    def panel(self, case: Case) -> str:
        return f"{case.dimensions.get('n', 0):,} points"
