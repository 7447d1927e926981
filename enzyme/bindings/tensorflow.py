"""Compiled functions as operations of TensorFlow, on the processor.

Tapes go through them, in tapes too, and so do forward accumulators and ``tf.function``. Derivatives of every order are
the engine's own. In graphs, calls go through Python: such graphs are neither saved nor compiled by XLA. TensorFlow
itself refuses a tape in a tape around a ``tf.function``, with gradients of anybody's own; in the function both work.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from enzyme.bindings import operation
from enzyme.bindings.operation import Shaped, Step, contiguous, plain_number
from enzyme.support.diagnostics import UsageError

Tensor = Any


class Operation(operation.Operation):
    """A compiled function as an operation of TensorFlow: it takes tensors, gives new ones, and has derivatives.

    What it is made of, and what it takes and gives, says :class:`enzyme.bindings.operation.Operation`; arrays are
    tensors and variables whose shapes are known.
    """

    def __call__(self, *args: Any, **named: Any) -> Any:
        inputs, call = self.bind(args, named, _as_tensor)
        return self.as_given(_TENSORS.apply(Step(self, call), inputs))


class _Tensors:
    """Tensors, to the rules of :class:`Step`."""

    def apply(self, step: Step, operands: Sequence[Tensor]) -> Sequence[Tensor]:
        @tf.custom_gradient  # type: ignore[untyped-decorator, unused-ignore]
        def apply(*operands: Tensor) -> Any:
            def adjoints(*cotangents: Tensor) -> list[Any]:
                needed = [each.dtype.is_floating for each in operands]
                return step.adjoints(operands, cotangents, needed, self)

            return _run(step, operands), adjoints

        return apply(*operands)  # type: ignore[no-any-return]

    def zeros(self, shaped: Shaped) -> Tensor:
        return tf.zeros(shaped.shape, shaped.dtype)


_TENSORS = _Tensors()


def _run(step: Step, operands: Sequence[Tensor]) -> tuple[Tensor, ...]:
    plan = step.plan

    def native(*arrays: Any) -> list[Any]:
        return step.operation.run(plan, list(map(contiguous, arrays)))

    results = tf.numpy_function(native, operands, [tf.as_dtype(each.dtype) for each in plan.results])
    results = [results] if tf.is_tensor(results) else results  # one alone comes without a list
    return tuple(tf.ensure_shape(each, shaped.shape) for each, shaped in zip(results, plan.results, strict=True))


def _as_tensor(value: Any, dtype: str | None, what: str) -> Tensor:
    if isinstance(value, (tf.Tensor, tf.Variable)):
        if not value.shape.is_fully_defined():
            raise UsageError(
                f"{what} has the shape {value.shape}, which is not known yet",
                hint="tell tf.function of it: input_signature, or tf.ensure_shape(...)",
            )
        return tf.convert_to_tensor(value)
    return tf.constant(plain_number(value, dtype, what, "tf.convert_to_tensor(...)"), dtype)
