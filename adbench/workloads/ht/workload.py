"""The HT workload: its cases, its inputs and how its C sources are entered."""

from __future__ import annotations

from pathlib import Path

import numpy as np

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
from adbench.workloads.ht import files
from adbench.workloads.ht.hand import make_hand
from adbench.workloads.ht.reference import FINGERS, SHARED, THETA, corresponding, ht_objective

POINTS = (100, 192, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 51200, 100000)
"""Correspondences of ADBench's twelve files of each kind."""

SMALL, MEDIUM = 1, 9
"""How many of them, from the first, the size classes take."""

MODELS = {544: "small", 10001: "big"}
"""Vertices of ADBench's two models, and its names for them."""

NOISE = 0.1
"""Standard deviation of measured points, in centimetres."""

FIELDS = (
    *(NativeField(name, CType.INT, Role.INPUT, name) for name in ("n", "bones", "vertices", "complicated", "mirrored")),
    *(
        NativeField(name, CType.POINTER, Role.INPUT, name)
        for name in ("parents", "relatives", "inverses", "rest", "weights", "triangles", "correspondences", "points")
    ),
    *(NativeField(name, CType.POINTER, Role.INPUT, name) for name in ("theta", "us")),
    NativeField("err", CType.POINTER, Role.OBJECTIVE, "objective"),
    *(NativeField(f"j{name}", CType.POINTER, Role.JACOBIAN, name) for name in ("theta", "us")),
    *(NativeField(f"t{name}", CType.POINTER, Role.DIRECTION, name) for name in ("theta", "us")),
    NativeField("derr", CType.POINTER, Role.TANGENT, "tangent"),
)


def make_case(count: int, complicated: bool, vertices: int, path: Path | None = None) -> Case:
    kind = "complicated" if complicated else "simple"
    model = MODELS.get(vertices, f"v{vertices}")
    dimensions = {"n": count, "complicated": int(complicated), "vertices": vertices}
    return Case(f"{kind}_{model}_c{count}", dimensions, path)


class HT(Workload):
    """Hand tracking: parameters ``theta`` (26,) and, in the complicated case, ``us`` (n, 2), two of each point's own.

    The derivative's arrays hold columns: ``theta`` (26, n, 3), and ``us`` (2, n, 3), the two columns of each point's
    own parameters; it is empty in the simple case.
    """

    name = "ht"
    title = "Hand tracking, Jacobian of an articulated skinned model"
    parameters = ("theta", "us")
    data_pattern = "hand*.txt"
    size_label = "correspondences"
    native = NativeInterface(
        FIELDS,
        Path(__file__).parent,
        {
            "primal": "primal.c",
            "manual": "manual.c",
            "enzyme": "enzyme_jacobian.c",
            "enzyme-pre": "enzyme_jacobian_few.c",
            "tangent": "enzyme_tangent.c",
            "overload": "overload.cpp",
        },
    )

    def cases(self, size: Size) -> list[Case]:
        count = {Size.SMALL: SMALL, Size.MEDIUM: MEDIUM, Size.FULL: len(POINTS)}[size]
        return [
            make_case(points, complicated, vertices)
            for complicated in (False, True)
            for vertices in MODELS
            for points in POINTS[:count]
        ]

    def generate(self, case: Case, seed: int) -> Inputs:
        """A bent hand, and points measured with a little noise from random places on its skin."""
        count, complicated, vertices = (case.dimensions[name] for name in ("n", "complicated", "vertices"))
        model = make_hand(vertices, seed)
        random = np.random.default_rng([seed, vertices, count, complicated])
        theta = np.empty(THETA)
        theta[:3] = 0.4 * random.standard_normal(3)
        theta[3:SHARED] = 3.0 * random.standard_normal(3)
        fingers = theta[SHARED:].reshape(FINGERS, 4)
        fingers[:] = random.uniform(0.0, 1.2, (FINGERS, 4))
        fingers[:, 1] = 0.1 * random.standard_normal(FINGERS)
        us = random.dirichlet(np.ones(3), count)[:, :2].copy() if complicated else np.zeros((0, 2))
        inputs = {
            "n": count,
            "complicated": complicated,
            **model,
            "correspondences": random.integers(
                0, len(model["triangles"]) if complicated else vertices, count, dtype=np.int32
            ),
            "theta": theta,
            "us": us,
        }
        inputs["points"] = corresponding(inputs) + NOISE * random.standard_normal((count, 3))
        return inputs

    def data_cases(self, directory: Path, size: Size | None) -> list[Case]:
        wanted = None if size is None else {case.name for case in self.cases(size)}

        def read(path: Path) -> Case:
            return make_case(*files.read_dimensions(path), path)

        found = find_cases(directory, self.data_pattern, read, wanted)
        return sorted(found, key=lambda case: (*case.dimensions.values(), case.name))

    def load(self, path: Path) -> Inputs:
        return files.read_ht(path)

    def objective(self, inputs: Inputs) -> Array:
        return ht_objective(inputs)

    def problem_size(self, case: Case) -> int:
        return case.dimensions.get("n", 0)

    def panel(self, case: Case) -> str:
        kind = "complicated" if case.dimensions.get("complicated") else "simple"
        return f"{kind}, {case.dimensions.get('vertices', 0):,} vertices"

    def objective_shape(self, inputs: Inputs) -> tuple[int, ...]:
        return (len(inputs["points"]), 3)

    def jacobian_shapes(self, inputs: Inputs) -> dict[str, tuple[int, ...]]:
        return {"theta": (THETA, len(inputs["points"]), 3), "us": (2, len(inputs["us"]), 3)}

    def jvp(self, inputs: Inputs, jacobian: Outputs, direction: Outputs) -> Array:
        moved = np.einsum("kni,k->ni", jacobian["theta"], direction["theta"])
        if len(inputs["us"]):
            moved = moved + np.einsum("kni,nk->ni", jacobian["us"], direction["us"])
        return np.asarray(moved)

    def columns(self, inputs: Inputs) -> list[Columns]:
        """The parameters of points move together: each residual depends on those of its own point alone."""
        numbers = 3 * len(inputs["points"])
        shared = Columns("theta", THETA, slice(0, numbers), "theta", 0, numbers, 1)
        own = Columns("us", 2, slice(0, numbers), "us", 0, numbers, 1, apart=2)
        return [shared, own] if len(inputs["us"]) else [shared]
