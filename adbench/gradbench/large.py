"""GradBench's modules of ADBench's problems."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from adbench.gradbench.module import Fields, Functions, MessageError, Module, Questions, flat, split
from adbench.tools.base import Unsupported
from adbench.workloads import get_workload
from adbench.workloads.ba import files as ba_files
from adbench.workloads.ba.sparse import CAMERA, POINT, csr, structure
from adbench.workloads.base import Array, Function, Inputs, Outputs


class LargeModule(Module):
    """`objective` and `jacobian`."""

    functions: ClassVar[Functions] = {"objective": Function.OBJECTIVE, "jacobian": Function.JACOBIAN}
    asks: ClassVar[Questions] = {Function.OBJECTIVE: "objective", Function.JACOBIAN: "jacobian"}

    def __init__(self) -> None:
        self.workload = get_workload(self.name)

    def parse(self, function: Function, inputs: Inputs, output: Any) -> Any:
        if function is Function.OBJECTIVE:
            return float(flat(output)[0])
        return split(flat(output), self.workload.jacobian_shapes(inputs), self.name)


class GmmModule(LargeModule):
    """Two vocabularies: alpha, mu, q and l with a derivative by name, or ADBench's arrays with a flat one."""

    name = "gmm"

    def read(self, function: str, fields: Fields) -> Inputs:
        d, k, n = (fields.integer(name) for name in ("d", "k", "n"))
        triangle = d * (d - 1) // 2
        if "icf" in fields:
            icf = fields.array("icf", shape=(k, d + triangle))
        else:
            parts = [fields.array("q", shape=(k, d)), fields.array("l", shape=(k, triangle))]
            icf = np.concatenate(parts, axis=1)
        return {
            "d": d,
            "k": k,
            "n": n,
            "alphas": fields.array("alpha", "alphas", shape=(k,)),
            "means": fields.array("mu", "means", shape=(k, d)),
            "icf": icf,
            "x": fields.array("x", shape=(n, d)),
            "gamma": fields.number("gamma"),
            "m": fields.integer("m"),
        }

    def write(self, inputs: Inputs) -> Any:
        d, icf = int(inputs["d"]), inputs["icf"]
        # Both vocabularies: a tool takes the one that it knows.
        names = {"alpha": "alphas", "alphas": "alphas", "mu": "means", "means": "means"}
        kept = {name: inputs[name] for name in ("d", "k", "n", "x", "m", "gamma", "icf")}
        return {**kept, **{name: inputs[ours] for name, ours in names.items()}, "q": icf[:, :d], "l": icf[:, d:]}

    def answer(self, function: Function, fields: Fields, inputs: Inputs, outputs: Outputs) -> Any:
        if function is Function.OBJECTIVE:
            return outputs[function.value].tolist()
        alphas, means, icf = (outputs[name] for name in ("alphas", "means", "icf"))
        if "q" in fields:
            d = int(inputs["d"])
            parts = {"alpha": alphas, "mu": means, "q": icf[:, :d], "l": icf[:, d:]}
            return {name: values.tolist() for name, values in parts.items()}
        return np.concatenate([values.ravel() for values in (alphas, means, icf)]).tolist()

    def parse(self, function: Function, inputs: Inputs, output: Any) -> Any:
        if isinstance(output, dict) and "q" in output:
            k = int(inputs["k"])
            parts = [flat(output[name]).reshape(k, -1) for name in ("alpha", "mu", "q", "l")]
            output = [*parts[0].ravel(), *parts[1].ravel(), *np.concatenate(parts[2:], axis=1).ravel()]
        return super().parse(function, inputs, output)


class LstmModule(LargeModule):
    """Its derivative is flat: main parameters, then extra parameters."""

    name = "lstm"
    ARRAYS: ClassVar[tuple[str, ...]] = ("main_params", "extra_params", "state", "sequence")

    def read(self, function: str, fields: Fields) -> Inputs:
        rows = {name: len(fields.get(name)) for name in self.ARRAYS}
        arrays = {name: fields.array(name, shape=(rows[name], -1)) for name in self.ARRAYS}
        layers, width = rows["main_params"] // 2, arrays["sequence"].shape[1]
        wanted = {"main_params": 4 * width, "extra_params": width, "state": width}
        for name, columns in wanted.items():
            if arrays[name].shape[1] != columns:
                raise MessageError(f"{name!r} of module lstm has {arrays[name].shape[1]} columns in place of {columns}")
        return {"l": layers, "c": rows["sequence"], "b": width, **arrays}

    def write(self, inputs: Inputs) -> Any:
        return {name: inputs[name] for name in self.ARRAYS}

    def answer(self, function: Function, fields: Fields, inputs: Inputs, outputs: Outputs) -> Any:
        if function is Function.OBJECTIVE:
            return outputs[function.value].tolist()
        return np.concatenate([outputs[name].ravel() for name in ("main_params", "extra_params")]).tolist()


class BaModule(LargeModule):
    """One camera, point, weight and feature, repeated; the derivative as a sparse matrix in compressed rows."""

    name = "ba"

    def read(self, function: str, fields: Fields) -> Inputs:
        n, m, p = (fields.integer(name) for name in ("n", "m", "p"))
        return {
            "n": n,
            "m": m,
            "p": p,
            "cams": np.tile(fields.array("cam", "cams", shape=(CAMERA,)), (n, 1)),
            "X": np.tile(fields.array("x", "X", shape=(POINT,)), (m, 1)),
            "w": np.full(p, fields.number("w")),
            "obs": ba_files.observations(n, m, p),
            "feats": np.tile(fields.array("feat", "feats", shape=(2,)), (p, 1)),
        }

    def write(self, inputs: Inputs) -> Any:
        names = {"cam": "cams", "x": "X", "w": "w", "feat": "feats"}
        for ours in names.values():
            if (inputs[ours] != inputs[ours][0]).any():
                raise Unsupported("GradBench's module ba has one camera and one point for all; take them from a file")
        return {key: inputs[key] for key in ("n", "m", "p")} | {name: inputs[ours][0] for name, ours in names.items()}

    def answer(self, function: Function, fields: Fields, inputs: Inputs, outputs: Outputs) -> Any:
        p = int(inputs["p"])
        if function is Function.OBJECTIVE:
            errors = outputs[function.value]
            return {
                "reproj_error": {"elements": errors[:2].tolist(), "repeated": p},
                "w_err": {"element": float(errors[2 * p]), "repeated": p},
            }
        matrix = csr(inputs, outputs)
        starts, columns = structure(inputs)
        values = {"rows": starts, "cols": columns, "vals": matrix.data}
        return {"BASparseMat": {name: part.tolist() for name, part in values.items()}}

    def parse(self, function: Function, inputs: Inputs, output: Any) -> Any:
        p = int(inputs["p"])
        if function is Function.OBJECTIVE:
            return self._errors(p, output)
        matrix = output.get("BASparseMat", output) if isinstance(output, dict) else {"vals": output}
        return split(flat(matrix["vals"]), self.workload.jacobian_shapes(inputs), self.name)

    def _errors(self, p: int, output: Any) -> Array:
        """The residuals of all observations and then the errors of weights."""
        if not isinstance(output, dict):
            return flat(output)
        residuals = flat(output["reproj_error"]["elements"])
        weights = flat(output["w_err"].get("element", output["w_err"].get("elements")))
        return np.concatenate([np.resize(residuals, 2 * p), np.resize(weights, p)])
