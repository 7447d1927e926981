"""GradBench's small modules: one parameter array, or a start and a nesting."""

from __future__ import annotations

from typing import Any, ClassVar

from adbench.gradbench.hello.workload import Hello
from adbench.gradbench.module import Fields, Functions, Module, Questions, flat, split
from adbench.workloads import get_workload
from adbench.workloads.base import Array, Function, Inputs, Outputs
from adbench.workloads.nestings import NESTINGS, nesting_name

PRIMAL: Functions = {"primal": Function.OBJECTIVE, "gradient": Function.JACOBIAN}
ASK_PRIMAL: Questions = {Function.OBJECTIVE: "primal", Function.JACOBIAN: "gradient"}


class VectorModule(Module):
    """A number and its gradient by one parameter array."""

    functions = PRIMAL
    asks = ASK_PRIMAL

    def __init__(self) -> None:
        self.workload = get_workload(self.name)

    def answer(self, function: Function, fields: Fields, inputs: Inputs, outputs: Outputs) -> Any:
        return outputs["x"].tolist() if function is Function.JACOBIAN else outputs[function.value].tolist()

    def parse(self, function: Function, inputs: Inputs, output: Any) -> Any:
        if function is Function.OBJECTIVE:
            return float(self._number(flat(output)))
        return split(flat(output), {"x": inputs["x"].shape}, self.name)

    def _number(self, values: Array) -> float:
        return float(values[0])


class HelloModule(VectorModule):
    """`square`, and `double`, which is its derivative; inputs and outputs are bare numbers."""

    name = "hello"
    functions: ClassVar[Functions] = {"square": Function.OBJECTIVE, "double": Function.JACOBIAN}
    asks: ClassVar[Questions] = {Function.OBJECTIVE: "square", Function.JACOBIAN: "double"}

    def __init__(self) -> None:
        self.workload = Hello()

    def read(self, function: str, fields: Fields) -> Inputs:
        x = fields.array("x")
        return {"n": len(x), "x": x}

    def write(self, inputs: Inputs) -> Any:
        return float(inputs["x"][0])

    def answer(self, function: Function, fields: Fields, inputs: Inputs, outputs: Outputs) -> Any:
        return float(outputs["x"][0]) if function is Function.JACOBIAN else outputs[function.value].tolist()


class OdeModule(VectorModule):
    """Its primal is the whole state, its gradient that of the last component."""

    name = "ode"
    functions: ClassVar[Functions] = {"primal": Function.SOLUTION, "gradient": Function.JACOBIAN}

    def read(self, function: str, fields: Fields) -> Inputs:
        x = fields.array("x")
        return {"n": len(x), "s": fields.integer("s", "n_step"), "x": x}

    def write(self, inputs: Inputs) -> Any:
        return {"x": inputs["x"], "s": inputs["s"]}

    def _number(self, values: Array) -> float:
        return float(values[-1])


class DetModule(VectorModule):
    name = "det"

    def read(self, function: str, fields: Fields) -> Inputs:
        x = fields.array("A", "a")
        ell = fields.integer("ell") if "ell" in fields else round(len(x) ** 0.5)
        return {"ell": ell, "x": fields.array("A", "a", shape=(ell * ell,))}

    def write(self, inputs: Inputs) -> Any:
        return {"A": inputs["x"], "ell": inputs["ell"]}


class LlsqModule(VectorModule):
    name = "llsq"

    def read(self, function: str, fields: Fields) -> Inputs:
        x = fields.array("x")
        return {"n": fields.integer("n"), "m": len(x), "x": x}

    def write(self, inputs: Inputs) -> Any:
        return {"x": inputs["x"], "n": inputs["n"]}


class LseModule(VectorModule):
    name = "lse"

    def read(self, function: str, fields: Fields) -> Inputs:
        x = fields.array("x")
        return {"n": len(x), "x": x}

    def write(self, inputs: Inputs) -> Any:
        return {"x": inputs["x"]}


class KmeansModule(VectorModule):
    """`cost`, and `dir`, the Newton direction of the centroids."""

    name = "kmeans"
    functions: ClassVar[Functions] = {"cost": Function.OBJECTIVE, "dir": Function.JACOBIAN}
    asks: ClassVar[Questions] = {Function.OBJECTIVE: "cost", Function.JACOBIAN: "dir"}

    def read(self, function: str, fields: Fields) -> Inputs:
        k, n = len(fields.get("centroids")), len(fields.get("points"))
        points, x = fields.array("points", shape=(n, -1)), fields.array("centroids")
        return {"n": n, "k": k, "d": points.shape[1], "points": points, "x": x}

    def write(self, inputs: Inputs) -> Any:
        return {"points": inputs["points"], "centroids": inputs["x"].reshape(-1, inputs["points"].shape[1])}

    def answer(self, function: Function, fields: Fields, inputs: Inputs, outputs: Outputs) -> Any:
        if function is Function.JACOBIAN:
            return outputs["x"].reshape(inputs["k"], inputs["d"]).tolist()
        return outputs[function.value].tolist()


class NestingModule(VectorModule):
    """The functions are nestings, the outer mode first, and each gives what the optimisation finds."""

    functions: ClassVar[Functions] = {nesting_name(nesting): Function.SOLUTION for nesting in NESTINGS}
    asks: ClassVar[Questions] = {}
    START: ClassVar[tuple[str, ...]] = ()

    def read(self, function: str, fields: Fields) -> Inputs:
        nesting = next(nesting for nesting in NESTINGS if nesting_name(nesting) == function)
        return {**nesting, "h": 0.1, "x": fields.array(*self.START)}

    def write(self, inputs: Inputs) -> Any:
        return {self.START[0]: inputs["x"]}


class ParticleModule(NestingModule):
    """The control that steers the particle; input and output are numbers."""

    name = "particle"
    START = ("w0", "w", "start")

    def answer(self, function: Function, fields: Fields, inputs: Inputs, outputs: Outputs) -> Any:
        return float(outputs[function.value][0])


class SaddleModule(NestingModule):
    """The saddle point as four numbers x1, y1, x2, y2."""

    name = "saddle"
    START = ("start", "x")
