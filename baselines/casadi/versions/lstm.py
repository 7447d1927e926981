"""The LSTM objective in CasADi: a fold over characters, vectorised over units."""

from __future__ import annotations

from typing import Any

import casadi as ca


def sigmoid(x: Any) -> Any:
    return 1.0 / (1.0 + ca.exp(-x))


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """The loss."""
    main, extra, sequence = parameters["main_params"], parameters["extra_params"], data["sequence"]
    layers, b = data["state"].shape[0] // 2, sequence.shape[1]
    state = ca.MX.sym("state", b, 2 * layers + 1)
    here, after, scales, shared = (
        ca.MX.sym(*each) for each in (("here", b), ("after", b), ("scales", b, 3), ("shared", 4 * b, 2 * layers))
    )
    x, moved = here * scales[:, 0], []
    for layer in range(layers):
        hidden, cell = state[:, 2 * layer], state[:, 2 * layer + 1]
        weights, biases = shared[:, 2 * layer], shared[:, 2 * layer + 1]
        gates = ca.vertcat(x, hidden, x, hidden) * weights + biases
        forget, enter, leave, change = ca.vertsplit(gates, b)
        cell = cell * sigmoid(forget) + sigmoid(enter) * ca.tanh(change)
        x = sigmoid(leave) * ca.tanh(cell)
        moved += [x, cell]
    y = x * scales[:, 1] + scales[:, 2]
    gain = after * (y - ca.log(2.0 + ca.sum1(ca.exp(y))))
    # The last column gathers what each character gains.
    step = ca.Function("step", [state, here, after, scales, shared], [ca.horzcat(*moved, state[:, -1] + gain)])
    count = sequence.shape[0] - 1
    first = ca.horzcat(data["state"].T, ca.MX.zeros(b))
    last = step.fold(count)(
        first, sequence[:-1, :].T, sequence[1:, :].T, ca.repmat(extra.T, 1, count), ca.repmat(main.T, 1, count)
    )
    return -ca.sum1(last[:, -1]) / (count * b)
