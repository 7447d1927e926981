"""Compiled functions as operations of PyTorch, on tensors in the machine's memory.

``autograd`` and ``torch.func`` go through them: ``backward`` with and without ``create_graph``, forward mode, ``vmap``,
``hessian``. Derivatives of every order are the engine's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from enzyme.bindings import operation
from enzyme.bindings.operation import ADJOINT, Plan, Shaped, Step, plain_number
from enzyme.support.diagnostics import UsageError

Tensor = Any

_TRANSFORMED = getattr(torch._C, "_are_functorch_transforms_active", lambda: True)
"""Whether a transform of ``torch.func`` is at work, which asks more of a function than ``backward`` does."""

_OF_OLDER_VMAP = getattr(getattr(torch._C, "_functorch", None), "is_legacy_batchedtensor", lambda tensor: False)


class Operation(operation.Operation):
    """A compiled function as an operation of PyTorch: it takes tensors, gives new ones, and has derivatives.

    What it is made of, and what it takes and gives, says :class:`enzyme.bindings.operation.Operation`; arrays are dense
    tensors in the machine's memory, and those of other devices are refused.
    """

    def __call__(self, *args: Any, **named: Any) -> Any:
        inputs, call = self.bind(args, named, _as_tensor)
        if self.is_objective and torch.is_grad_enabled() and not _TRANSFORMED():
            active = tuple(index for index in call.active if inputs[index].requires_grad)
            if active:
                return _Objective.apply(Step(self, call), active, *inputs)
        return self.as_given(_Apply.apply(Step(self, call), *inputs))


def _on_tensors(operation: operation.Operation, plan: Plan, operands: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """One native call on tensors without a history."""
    if any(map(_OF_OLDER_VMAP, operands)):
        raise UsageError(
            f"{operation.name} has no batches of PyTorch's older kind",
            why="is_grads_batched=True and vectorize=True make such",
            hint="torch.func has vmap, jacrev, jacfwd and hessian, which go through it",
        )
    arrays = [each.detach().resolve_neg().contiguous().numpy() for each in operands]
    return tuple(torch.from_numpy(each) for each in operation.run(plan, arrays))


class _Tensors:
    """Tensors, to the rules of :class:`Step`."""

    def apply(self, step: Step, operands: Sequence[Tensor]) -> Sequence[Tensor]:
        return _Apply.apply(step, *operands)  # type: ignore[no-any-return]

    def zeros(self, shaped: Shaped) -> Tensor:
        return torch.zeros(shaped.shape, dtype=getattr(torch, shaped.dtype))


_TENSORS = _Tensors()


class _Apply(torch.autograd.Function):  # type: ignore[misc]
    """A step on tensors."""

    @staticmethod
    def forward(step: Step, *operands: Tensor) -> tuple[Tensor, ...]:
        return _on_tensors(step.operation, step.plan, operands)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
        ctx.step = inputs[0]
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*inputs[1:])
        ctx.save_for_forward(*inputs[1:])

    @staticmethod
    def backward(ctx: Any, *cotangents: Tensor | None) -> tuple[Any, ...]:
        needed = ctx.needs_input_grad[1:]
        return (None, *ctx.step.adjoints(ctx.saved_tensors, cotangents, needed, _TENSORS))

    @staticmethod
    def jvp(ctx: Any, *moves: Tensor | None) -> tuple[Tensor, ...]:
        return tuple(ctx.step.tangents(ctx.saved_tensors, moves[1:], _TENSORS))

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], step: Step, *operands: Tensor) -> tuple[Any, Any]:
        rows = [
            _Apply.apply(
                step,
                *(
                    each if dim is None else each.select(dim, index)
                    for each, dim in zip(operands, in_dims[1:], strict=True)
                ),
            )
            for index in range(info.batch_size)
        ]
        results = [torch.stack(each) for each in zip(*rows, strict=True)]
        if not rows:
            results = [_TENSORS.zeros(Shaped((0, *each.shape), each.dtype)) for each in step.results]
        return tuple(results), (0,) * len(results)


class _Objective(torch.autograd.Function):  # type: ignore[misc]
    """A single number, with its gradient from the same run."""

    @staticmethod
    def forward(ctx: Any, step: Step, active: tuple[int, ...], *inputs: Tensor) -> Tensor:
        plan = step.operation.plan(ADJOINT, active, step.call, with_value=True)
        one = torch.ones((), dtype=getattr(torch, step.call.results[0].dtype))
        value, *gradients = _on_tensors(step.operation, plan, [*inputs, one])
        ctx.step, ctx.active, ctx.gradients = step, active, gradients
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)
        return value

    @staticmethod
    def backward(ctx: Any, cotangent: Tensor) -> tuple[Any, ...]:
        inputs = ctx.saved_tensors
        if torch.is_grad_enabled():  # this will be differentiated
            return (None, None, *ctx.step.adjoints(inputs, [cotangent], ctx.needs_input_grad[2:], _TENSORS))
        found: list[Any] = [None] * len(inputs)
        for index, gradient in zip(ctx.active, ctx.gradients, strict=True):
            found[index] = gradient * cotangent.to(gradient.dtype)
        return (None, None, *found)

    @staticmethod
    def jvp(ctx: Any, *moves: Tensor | None) -> Tensor:
        (tangent,) = ctx.step.tangents(ctx.saved_tensors, moves[2:], _TENSORS)
        return tangent


def _as_tensor(value: Any, dtype: str | None, what: str) -> Tensor:
    if isinstance(value, torch.Tensor):
        if value.device.type != "cpu":
            raise UsageError(
                f"{what} is on the device '{value.device}', and the function is the processor's",
                hint="pass it with .cpu(); kernels for GPUs are differentiated by python -m enzyme cc",
            )
        if value.layout != torch.strided:
            raise UsageError(f"{what} is of the layout {value.layout}", hint="pass it with .to_dense()")
        return value
    number = plain_number(value, dtype, what, "torch.as_tensor(...)")
    return torch.tensor(number, dtype=getattr(torch, str(dtype)))
