"""Operations of TensorFlow, against its own derivatives of the same formulas."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

if importlib.util.find_spec("torch"):
    # The tests of PyTorch need this; where it is loaded behind TensorFlow the process ends (2.14 and 2.21).
    importlib.import_module("torch._dynamo")

tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed: pip install '.[frameworks]'")

import enzyme  # noqa: E402
from enzyme import UsageError  # noqa: E402
from enzyme.bindings.tensorflow import Operation  # noqa: E402

RNG = np.random.default_rng(5)
X, V, Y = RNG.uniform(0.2, 1, 4), RNG.uniform(0.2, 1, 4), RNG.uniform(0.2, 1, 2)
K = tf.constant([1, 0, 1, 1], tf.int32)


def _waves(x: Any, a: Any) -> Any:
    return tf.reduce_sum(a * x * tf.roll(x, -1, 0) * tf.sin(x))


def _mixed(x: Any, y: Any) -> Any:
    x = x * x * tf.gather(y, K)
    w = tf.sin(x)
    x = x * w
    return tf.reduce_sum(x * w), x, w


def _same(found: Any, expected: Any) -> None:
    for one, other in zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True):
        np.testing.assert_allclose(tf.convert_to_tensor(one), tf.convert_to_tensor(other), rtol=1e-10, atol=1e-12)


def _gradients(f: Callable[..., Any], *args: Any) -> Any:
    variables = [tf.Variable(each) for each in args]
    with tf.GradientTape() as tape:
        found = f(*variables)
        total = tf.add_n([tf.reduce_sum(each * each) for each in tf.nest.flatten(found)])
    return found, tape.gradient(total, variables)


def test_gradients(waves: Operation, mixed: Callable[..., Any]) -> None:
    _same(_gradients(waves, X, np.array(1.5)), _gradients(_waves, X, np.array(1.5)))
    _same(_gradients(mixed, X, Y), _gradients(_mixed, X, Y))
    _same(_gradients(tf.function(mixed), X, Y), _gradients(_mixed, X, Y))


def _hessian(f: Callable[..., Any], pfor: bool) -> Any:
    x = tf.Variable(X)
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            value = f(x)
        slope = inner.gradient(value, x)
    return outer.jacobian(slope, x, experimental_use_pfor=pfor)


@pytest.mark.parametrize("pfor", [False, True])
def test_hessians(waves: Operation, mixed: Callable[..., Any], pfor: bool) -> None:
    _same(_hessian(lambda x: waves(x, 1.5), pfor), _hessian(lambda x: _waves(x, 1.5), pfor))
    _same(
        _hessian(lambda x: tf.reduce_sum(mixed(x, tf.constant(Y))[1] ** 2), pfor),
        _hessian(lambda x: tf.reduce_sum(_mixed(x, tf.constant(Y))[1] ** 2), pfor),
    )


def test_a_function_with_both_tapes(waves: Operation) -> None:
    def run(f: Callable[..., Any]) -> Any:
        x = tf.Variable(X)

        def whole() -> Any:
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    value = f(x, 1.5)
                slope = inner.gradient(value, x)
            return value, slope, outer.gradient(slope, x, tf.constant(V))

        return tf.function(whole)()

    _same(run(waves), run(_waves))


def test_forward_accumulators(waves: Operation, mixed: Callable[..., Any]) -> None:
    def along(f: Callable[..., Any]) -> Any:
        x = tf.constant(X)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(V)) as accumulator:
            with tf.GradientTape() as tape:
                tape.watch(x)
                found = f(x)
            slope = tape.gradient(found, x)
        return [accumulator.jvp(each) for each in [*tf.nest.flatten(found), slope]]

    _same(along(lambda x: waves(x, 1.5)), along(lambda x: _waves(x, 1.5)))
    _same(along(lambda x: mixed(x, tf.constant(Y))), along(lambda x: _mixed(x, tf.constant(Y))))


def test_vectorized_map(waves: Operation) -> None:
    rows = tf.constant(np.stack([X, V]))
    found = tf.vectorized_map(lambda x: waves(x, 1.5), rows)
    _same(found, tf.vectorized_map(lambda x: _waves(x, 1.5), rows))


def test_single_precision(program: enzyme.Module) -> None:
    single = Operation(program, "single", sizes={"n": "x"})
    x = tf.Variable(X.astype(np.float32))
    with tf.GradientTape() as tape:
        value = single(x, 2.0)
    assert value.dtype == tf.float32
    np.testing.assert_allclose(tape.gradient(value, x), 4 * X.astype(np.float32), rtol=1e-6)


def test_what_is_refused(waves: Operation) -> None:
    for args, match in (
        ((tf.constant(X, tf.float32), 1.5), "'x' holds float32, the function works on float64"),
        (([1.0], 1.5), "'x' is an array, and a list was given"),
        ((tf.constant(X), tf.constant(X)), r"'a' is a number, and an array of shape \(4,\) was given"),
    ):
        with pytest.raises(UsageError, match=match):
            waves(*args)
    unknown = tf.function(lambda x: waves(x, 1.0), input_signature=[tf.TensorSpec([None], tf.float64)])
    with pytest.raises(Exception, match=r"has the shape \(None,\), which is not known yet"):
        unknown(X)
