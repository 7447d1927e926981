"""The BA workload: its cases, its inputs and how its C sources are entered."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from adbench.workloads.ba import files
from adbench.workloads.ba.reference import ba_objective, project
from adbench.workloads.ba.sparse import BLOCK, CAMERA, POINT, csr
from adbench.workloads.base import (
    Array,
    Case,
    Columns,
    CType,
    Inputs,
    NativeField,
    NativeInterface,
    Outputs,
    Role,
    Size,
    Workload,
)
from adbench.workloads.data_files import find_cases

DIMENSIONS = (
    (49, 7776, 31843),
    (73, 11032, 46122),
    (161, 48126, 182072),
    (372, 47423, 204472),
    (257, 65132, 225911),
    (539, 65220, 277273),
    (93, 61203, 287451),
    (88, 64298, 383937),
    (810, 88814, 393775),
    (1197, 126327, 563734),
    (1723, 156502, 678718),
    (253, 163691, 899155),
    (245, 198739, 1091386),
    (356, 226730, 1255268),
    (1102, 780462, 4052340),
    (1544, 942409, 4750193),
    (1778, 993923, 5001946),
    (1936, 649673, 5213733),
    (4585, 1324582, 9125125),
    (13682, 4456117, 2987644),
)
"""(n, m, p) of ADBench's twenty problems, which are those of Agarwal et al., Bundle Adjustment in the Large (2010)."""

SMALL, MEDIUM = 2, 11
"""How many of them, from the first, the size classes take."""

PARAMETERS = ("cams", "X", "w")
FIELDS = (
    *(NativeField(name, CType.INT, Role.INPUT, name) for name in ("n", "m", "p")),
    *(NativeField(name, CType.POINTER, Role.INPUT, name) for name in (*PARAMETERS, "obs", "feats")),
    NativeField("err", CType.POINTER, Role.OBJECTIVE, "objective"),
    *(NativeField(f"j{name}", CType.POINTER, Role.JACOBIAN, name) for name in ("reprojection", "weight")),
    *(NativeField(f"t{name}", CType.POINTER, Role.DIRECTION, name) for name in PARAMETERS),
    NativeField("derr", CType.POINTER, Role.TANGENT, "tangent"),
)


def make_case(n: int, m: int, p: int, path: Path | None = None) -> Case:
    return Case(f"n{n}_m{m}_p{p}", {"n": n, "m": m, "p": p}, path)


class BA(Workload):
    """Bundle adjustment: parameters ``cams`` (n, 11), ``X`` (m, 3) and ``w`` (p,).

    The derivative is the values of the sparse Jacobian: ``reprojection`` (p, 2, 15) and ``weight`` (p,).
    """

    name = "ba"
    title = "Bundle adjustment, sparse Jacobian of reprojection errors"
    parameters = PARAMETERS
    data_pattern = "ba*.txt"
    native = NativeInterface(
        FIELDS,
        Path(__file__).parent,
        {
            "primal": "primal.c",
            "manual": "manual.c",
            "enzyme": "enzyme_jacobian.c",
            "tangent": "enzyme_tangent.c",
            "overload": "overload.cpp",
        },
    )

    def cases(self, size: Size) -> list[Case]:
        count = {Size.SMALL: SMALL, Size.MEDIUM: MEDIUM, Size.FULL: len(DIMENSIONS)}[size]
        return [make_case(*dimensions) for dimensions in DIMENSIONS[:count]]

    def generate(self, case: Case, seed: int) -> Inputs:
        """Cameras at about eight units from a cloud of points, which they see with a noise of one pixel."""
        n, m, p = (case.dimensions[name] for name in ("n", "m", "p"))
        random = np.random.default_rng([seed, n, m, p])
        cams = np.empty((n, CAMERA))
        cams[:, :3] = 0.2 * random.standard_normal((n, 3))
        cams[:, 3:6] = 0.5 * random.standard_normal((n, 3))
        cams[:, 6] = 500.0 + 50.0 * random.standard_normal(n)
        cams[:, 7:9] = 5.0 * random.standard_normal((n, 2))
        cams[:, 9:] = 0.05 * random.standard_normal((n, 2))
        points = np.array([0.0, 0.0, 8.0]) + random.uniform(-1.5, 1.5, (m, POINT))
        obs = files.observations(n, m, p)
        feats = random.standard_normal((p, 2))
        feats += project(cams[obs[:, 0]], points[obs[:, 1]])
        w = 1.0 + 0.1 * random.standard_normal(p)
        return {"n": n, "m": m, "p": p, "cams": cams, "X": points, "w": w, "obs": obs, "feats": feats}

    def data_cases(self, directory: Path, size: Size | None) -> list[Case]:
        wanted = None if size is None else {case.name for case in self.cases(size)}

        def read(path: Path) -> Case:
            return make_case(*files.read_dimensions(path), path)

        found = find_cases(directory, self.data_pattern, read, wanted)
        return sorted(found, key=lambda case: (case.dimensions.get("p", 0), case.name))

    def load(self, path: Path) -> Inputs:
        return files.read_ba(path)

    def objective(self, inputs: Inputs) -> Array:
        return ba_objective(inputs)

    def problem_size(self, case: Case) -> int:
        n, m, p = (case.dimensions.get(name, 0) for name in ("n", "m", "p"))
        return CAMERA * n + POINT * m + p

    def objective_shape(self, inputs: Inputs) -> tuple[int, ...]:
        return (3 * len(inputs["w"]),)

    def jacobian_shapes(self, inputs: Inputs) -> dict[str, tuple[int, ...]]:
        p = len(inputs["w"])
        return {"reprojection": (p, 2, BLOCK), "weight": (p,)}

    def jvp(self, inputs: Inputs, jacobian: Outputs, direction: Outputs) -> Array:
        flat = np.concatenate([direction[name].ravel() for name in PARAMETERS])
        return np.asarray(csr(inputs, jacobian) @ flat)

    def columns(self, inputs: Inputs) -> list[Columns]:
        """No residual depends on two cameras, points or weights: one number of all of them moves at once."""
        p = len(inputs["w"])
        residuals, weights = slice(0, 2 * p), slice(2 * p, 3 * p)
        return [
            Columns("cams", CAMERA, residuals, "reprojection", 0, 1, BLOCK, apart=CAMERA),
            Columns("X", POINT, residuals, "reprojection", CAMERA, 1, BLOCK, apart=POINT),
            Columns("w", 1, residuals, "reprojection", CAMERA + POINT, 1, BLOCK, apart=1),
            Columns("w", 1, weights, "weight", 0, 1, 1, apart=1),
        ]
