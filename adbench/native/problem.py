"""A workload's inputs and outputs laid out as the C struct its entry points take."""

from __future__ import annotations

import ctypes

import numpy as np

from adbench.workloads.base import Array, CType, Inputs, NativeField, Outputs, Role, Workload

CTYPES: dict[CType, type[ctypes.c_int] | type[ctypes.c_double] | type[ctypes.c_void_p]] = {
    CType.INT: ctypes.c_int,
    CType.DOUBLE: ctypes.c_double,
    CType.POINTER: ctypes.c_void_p,
}


def struct_type(fields: tuple[NativeField, ...]) -> type[ctypes.Structure]:
    """The ctypes structure with the layout that a C compiler gives to ``fields``."""
    return type("Problem", (ctypes.Structure,), {"_fields_": [(f.name, CTYPES[f.ctype]) for f in fields]})


class NativeProblem:
    """One problem in memory: the struct, the arrays it points to, and the outputs that entry points fill.

    The input arrays are private copies, so that a tool that writes into them harms nobody else.
    """

    def __init__(self, workload: Workload, inputs: Inputs) -> None:
        self.workload = workload
        self.struct = struct_type(workload.native.fields)()
        self.objective = np.zeros(workload.objective_shape(inputs))
        self.tangent = np.zeros_like(self.objective)
        self.jacobian = {name: np.zeros(shape) for name, shape in workload.jacobian_shapes(inputs).items()}
        self.solution = np.zeros(workload.solution_shape(inputs))
        self.direction = {name: np.zeros(np.shape(inputs[name])) for name in workload.parameters}
        self.inputs: dict[str, Array] = {}
        for field in workload.native.fields:
            if field.ctype is not CType.POINTER:
                setattr(self.struct, field.name, inputs[field.key])
            else:
                setattr(self.struct, field.name, self._array(field, inputs).ctypes.data)

    def _array(self, field: NativeField, inputs: Inputs) -> Array:
        if field.role is Role.INPUT:
            value = inputs[field.key]
            dtype = np.int32 if np.asarray(value).dtype.kind in "iu" else np.float64
            self.inputs[field.key] = np.array(value, dtype=dtype, order="C", copy=True)
            return self.inputs[field.key]
        if field.role is Role.JACOBIAN:
            return self.jacobian[field.key]
        if field.role is Role.DIRECTION:
            return self.direction[field.key]
        return {Role.OBJECTIVE: self.objective, Role.TANGENT: self.tangent, Role.SOLUTION: self.solution}[field.role]

    @property
    def address(self) -> int:
        return ctypes.addressof(self.struct)

    def set_direction(self, direction: Outputs) -> None:
        for name, values in direction.items():
            self.direction[name][...] = values
