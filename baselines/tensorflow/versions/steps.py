"""Loops of TensorFlow's graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf


def repeat(step: Callable[[Any], Any], state: Any, count: int) -> Any:
    """The state after ``count`` steps, a loop in the graph."""

    def going(number: Any, _: Any) -> Any:
        return number < count

    def move(number: Any, state: Any) -> tuple[Any, Any]:
        return number + 1, step(state)

    return tf.while_loop(going, move, (tf.constant(0), state), maximum_iterations=count)[1]
