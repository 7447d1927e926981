"""The LSTM objective in JAX: a scan over characters, vectorised over the units of a layer."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """The loss from arrays ``main_params``, ``extra_params`` and data ``state``, ``sequence``."""
    main, extra = parameters["main_params"], parameters["extra_params"]
    state, sequence = data["state"], data["sequence"]
    layers, b = state.shape[0] // 2, sequence.shape[1]
    weights, biases = (main[index::2].reshape(layers, 4, b) for index in (0, 1))

    def step(carried: tuple[jax.Array, jax.Array], x: jax.Array) -> tuple[tuple[jax.Array, jax.Array], jax.Array]:
        hidden, cells = carried
        for layer in range(layers):
            gates = jnp.stack([x, hidden[layer], x, hidden[layer]]) * weights[layer] + biases[layer]
            forget, enter, leave = jax.nn.sigmoid(gates[:3])
            cell = cells[layer] * forget + enter * jnp.tanh(gates[3])
            x = leave * jnp.tanh(cell)
            hidden, cells = hidden.at[layer].set(x), cells.at[layer].set(cell)
        return (hidden, cells), x

    _, last = jax.lax.scan(step, (state[0::2], state[1::2]), sequence[:-1] * extra[0])
    y = last * extra[1] + extra[2]
    normaliser = jnp.log(2.0 + jnp.exp(y).sum(1, keepdims=True))
    return -(sequence[1:] * (y - normaliser)).mean()
