"""Compiled functions as operations of JAX, on the processor.

``jit``, ``grad``, ``jvp``, ``vjp``, ``vmap``, ``jacfwd``, ``jacrev`` and ``hessian`` go through them. Derivatives of
every order are the engine's own. Compiled computations call native code directly, through XLA's interface for foreign
functions: no Python runs in them.
"""

from __future__ import annotations

import ctypes
import hashlib
import threading
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from importlib.resources import files
from itertools import chain
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from enzyme.api import Module, compile
from enzyme.bindings import operation
from enzyme.bindings.operation import Plan, Shaped, Step, plain_number
from enzyme.native import NativeFunction
from enzyme.support.diagnostics import UsageError

_TARGET = "enzyme_xla_call"
_KEPT_STEPS = 1024


class Operation(operation.Operation):
    """A compiled function as an operation of JAX: it takes arrays, gives new ones, and has derivatives.

    What it is made of, and what it takes and gives, says :class:`enzyme.bindings.operation.Operation`. Doubles need
    ``jax_enable_x64``; with ``jit`` integers are static arguments. Operations are taken to be pure: JAX decides how
    often each call is made.
    """

    def __call__(self, *args: Any, **named: Any) -> Any:
        inputs, call = self.bind(args, named, _as_array)
        return self.as_given(_STEP.bind(*inputs, step=Step(self, call)))


class _Arrays:
    """Arrays of JAX, to the rules of :class:`Step`."""

    def apply(self, step: Step, operands: Sequence[Any]) -> Sequence[Any]:
        shapes = chain(*step.groups)  # plain numbers are cotangents, too
        arrays = [jnp.asarray(each, shaped.dtype) for each, shaped in zip(operands, shapes, strict=True)]
        return _STEP.bind(*arrays, step=step)  # type: ignore[no-any-return]

    def zeros(self, shaped: Shaped) -> Any:
        return jnp.zeros(shaped.shape, shaped.dtype)


_ARRAYS = _Arrays()


# --- the primitive ---------------------------------------------------------------------------------------------------


def _shapes(*operands: Any, step: Step) -> list[Any]:
    for operand, shaped in zip(operands, chain(*step.groups), strict=True):
        if operand.shape != shaped.shape or operand.dtype != np.dtype(shaped.dtype):
            raise TypeError(f"enzyme: the {step} was given {operand.str_short()} in place of {shaped}")
    return [jax.core.ShapedArray(each.shape, np.dtype(each.dtype)) for each in step.results]


def _at_once(*operands: Any, step: Step) -> Any:
    return _compiled(step)(*operands)


@lru_cache(_KEPT_STEPS)
def _compiled(step: Step) -> Callable[..., Any]:
    return jax.jit(partial(_STEP.bind, step=step))  # type: ignore[no-any-return]


def _tangents(primals: Sequence[Any], moves: Sequence[Any], *, step: Step) -> tuple[Any, Any]:
    moving = [None if _is_zero(each) else each for each in moves]
    return _STEP.bind(*primals, step=step), step.tangents(primals, moving, _ARRAYS)


def _adjoints(cotangents: Sequence[Any], *operands: Any, step: Step) -> list[Any]:
    given = [None if _is_zero(each) else each for each in cotangents]
    needed = [ad.is_undefined_primal(each) for each in operands]
    return step.adjoints(operands, given, needed, _ARRAYS)


def _is_zero(tangent: Any) -> bool:
    return type(tangent) is ad.Zero or getattr(tangent, "dtype", None) == jax.dtypes.float0


def _batches(operands: Sequence[Any], dims: Sequence[Any], *, step: Step) -> tuple[Any, list[int]]:
    mapped = [isinstance(dim, int) for dim in dims]
    rows = tuple(jnp.moveaxis(each, dim, 0) for each, dim, is_row in zip(operands, dims, mapped, strict=True) if is_row)

    def one(row: tuple[Any, ...]) -> Any:
        rest = iter(row)
        return _STEP.bind(
            *(next(rest) if is_row else each for each, is_row in zip(operands, mapped, strict=True)), step=step
        )

    return jax.lax.map(one, rows), [0] * len(step.results)


def _lowered(*operands: Any, step: Step) -> Any:
    plan = step.plan
    _register_target()
    call = jax.ffi.ffi_call(_TARGET, [jax.ShapeDtypeStruct(each.shape, each.dtype) for each in plan.results])
    return call(*operands, key=np.int64(_key(plan.native)), slots=_numbers(plan))


def _elsewhere(*_: Any, step: Step, **__: Any) -> Any:
    raise UsageError(
        f"{step.operation.name} is the processor's, and the computation is for another device",
        hint="run it under jax.default_device(jax.devices('cpu')[0]), with its arguments there",
    )


_STEP = Primitive("enzyme")
_STEP.multiple_results = True
_STEP.def_impl(_at_once)
_STEP.def_abstract_eval(_shapes)
ad.primitive_jvps[_STEP] = _tangents
ad.primitive_transposes[_STEP] = _adjoints
batching.primitive_batchers[_STEP] = _batches
mlir.register_lowering(_STEP, _elsewhere)
mlir.register_lowering(_STEP, mlir.lower_fun(_lowered, multiple_results=True), platform="cpu")


# --- native calls from XLA -------------------------------------------------------------------------------------------

_lock = threading.Lock()
_keys: dict[NativeFunction, int] = {}
_made: dict[bytes, int] = {}


def _numbers(plan: Plan) -> np.ndarray[Any, Any]:
    rows = [(each.code, each.index, each.source, each.nbytes) for each in plan.slots]
    return np.array(rows, dtype=np.int64).reshape(-1)


@cache
def _calls() -> Module:
    """The code that XLA calls, for the XLA of this process."""
    source = files("enzyme.bindings").joinpath("xla_call.c").read_text(encoding="utf-8")
    return compile(source, language="c", include_dirs=[jax.ffi.include_dir()])


@cache
def _register_target() -> None:
    handler = ctypes.cast(_calls()["enzyme_xla_call"].address, ctypes.c_void_p)
    jax.ffi.register_ffi_target(_TARGET, jax.ffi.pycapsule(handler), platform="cpu")


def _key(native: NativeFunction) -> int:
    """The name under which XLA finds a function. It is made of the program, not of an address: what is compiled in one
    process may be run in another, where something else can be at that address. The function stays loaded."""
    with _lock:
        found = _keys.get(native)
        if found is None:
            digest = native.fingerprint
            count = _made[digest] = _made.get(digest, 0) + 1  # a program that is compiled twice has its state twice
            found = int.from_bytes(hashlib.sha256(digest + str(count).encode()).digest()[:8], "little", signed=True)
            _calls()["enzyme_xla_register"](found, native.packed_address)
            _keys[native] = found
    return found


def _as_array(value: Any, dtype: str | None, what: str) -> Any:
    if dtype is not None and getattr(value, "weak_type", False):
        return jnp.asarray(value, dtype)  # a number of Python's, seen by a transformation
    if isinstance(value, (jax.Array, np.ndarray)):
        if str(value.dtype) in ("float64", "int64", "uint64") and not jax.config.jax_enable_x64:
            raise _narrow(what, str(value.dtype))
        return jnp.asarray(value)
    number = plain_number(value, dtype, what, "jax.numpy.asarray(...)")
    if dtype == "float64" and not jax.config.jax_enable_x64:
        raise _narrow(what, dtype)
    return jnp.asarray(number, dtype)


def _narrow(what: str, dtype: str) -> UsageError:
    return UsageError(
        f"{what} is {dtype}, which JAX makes single precision of",
        hint="jax.config.update('jax_enable_x64', True), first of all",
    )
