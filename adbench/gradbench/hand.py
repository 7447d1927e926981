"""GradBench's module of hand tracking: the model nested in the data, and the derivative as rows."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from adbench.gradbench.large import LargeModule
from adbench.gradbench.module import Fields, MessageError, flat
from adbench.workloads.base import Array, Function, Inputs, Outputs
from adbench.workloads.ht.reference import LEAST_BONES, THETA


class HtModule(LargeModule):
    """Columns of the derivative are, as in ADBench, the two of the points' own parameters (if any), then theta's 26."""

    name: ClassVar[str] = "ht"

    def read(self, function: str, fields: Fields) -> Inputs:
        # Nested in ``data`` or beside it.
        data = Fields(fields.values.get("data", fields.values), self.name)
        model = self._model(Fields(data.get("model"), self.name))
        which = self._whole(data, "correspondences")
        count = len(which)
        us = fields.array("us", shape=(-1, 2)) if fields.values.get("us") else np.zeros((0, 2))
        if len(us) not in (0, count):
            raise MessageError(f"'us' of module ht has {len(us)} rows in place of {count}")
        limit = len(model["triangles"]) if len(us) else model["vertices"]
        if count == 0 or which.min() < 0 or which.max() >= limit:
            raise MessageError(f"'correspondences' of module ht are not numbers from 0 to {limit - 1}")
        return {
            "n": count,
            "complicated": int(len(us) > 0),
            **model,
            "correspondences": which,
            "points": np.ascontiguousarray(rows(data, "points", count)),
            "theta": fields.array("theta", shape=(THETA,)),
            "us": us,
        }

    def _model(self, model: Fields) -> Inputs:
        parents = self._whole(model, "parents")
        bones = len(parents)
        if bones < LEAST_BONES or (parents >= np.arange(bones)).any() or parents.min() < -1:
            raise MessageError(f"'parents' of module ht are not {LEAST_BONES} bones or more, each after its parent")
        vertices = flat(model.get("weights")).size // bones
        rest = np.ones((4, vertices))
        rest[:3] = rows(model, "base_positions", vertices)[:, :3].T
        triangles = flat(model.get("triangles")).astype(np.int32).reshape(-1, 3)
        if triangles.size and (triangles.min() < 0 or triangles.max() >= vertices):
            raise MessageError(f"'triangles' of module ht name vertices that are not from 0 to {vertices - 1}")
        return {
            "bones": bones,
            "vertices": vertices,
            "mirrored": int(bool(model.values.get("is_mirrored"))),
            "parents": parents,
            "relatives": model.array("base_relatives", shape=(bones, 4, 4)),
            "inverses": model.array("inverse_base_absolutes", shape=(bones, 4, 4)),
            "rest": rest,
            "weights": np.ascontiguousarray(rows(model, "weights", vertices).T),
            "triangles": triangles,
        }

    def _whole(self, fields: Fields, name: str) -> Array:
        values = fields.array(name)
        if (values != np.floor(values)).any():
            raise MessageError(f"{name!r} of module ht are not integers")
        return values.astype(np.int32)

    def write(self, inputs: Inputs) -> Any:
        model = {
            "bone_count": inputs["bones"],
            "bone_names": [f"bone{bone}" for bone in range(inputs["bones"])],
            "parents": inputs["parents"],
            "base_relatives": inputs["relatives"],
            "inverse_base_absolutes": inputs["inverses"],
            "base_positions": inputs["rest"].T,
            "weights": inputs["weights"].T,
            "triangles": inputs["triangles"],
            "is_mirrored": bool(inputs["mirrored"]),
        }
        data = {"model": model, "correspondences": inputs["correspondences"], "points": inputs["points"]}
        return {"data": data, "theta": inputs["theta"], "us": inputs["us"]}

    def answer(self, function: Function, fields: Fields, inputs: Inputs, outputs: Outputs) -> Any:
        if function is Function.OBJECTIVE:
            return outputs[function.value].ravel().tolist()
        n3 = 3 * int(inputs["n"])
        columns = [outputs[name].reshape(-1, n3) for name in ("us", "theta") if outputs[name].size]
        return np.concatenate(columns).T.tolist()

    def parse(self, function: Function, inputs: Inputs, output: Any) -> Any:
        shapes, n3 = self.workload.jacobian_shapes(inputs), 3 * int(inputs["n"])
        if function is Function.OBJECTIVE:
            return flat(output).reshape(self.workload.objective_shape(inputs))
        values, own = flat(output), 2 if inputs["complicated"] else 0
        if values.size != n3 * (own + THETA):
            raise MessageError(f"module ht: the derivative has {values.size} numbers in place of {n3 * (own + THETA)}")
        # Nested rows, or ADBench's matrix column after column.
        nested = isinstance(output, list) and len(output) == n3
        columns = values.reshape(n3, -1).T if nested else values.reshape(-1, n3)
        return {"theta": columns[own:].reshape(shapes["theta"]), "us": columns[:own].reshape(shapes["us"])}


def rows(fields: Fields, name: str, count: int) -> Array:
    """A matrix with ``count`` rows, whichever way it is nested; flat numbers stand row after row."""
    value = fields.get(name)
    values = flat(value)
    if count == 0 or values.size % count:
        raise MessageError(f"{name!r} of module ht has {values.size} numbers, which are no {count} rows")
    turned = isinstance(value, list) and len(value) != count and isinstance(value[0], list)
    return values.reshape(-1, count).T if turned else values.reshape(count, -1)
