"""The derivative check finds what is wrong and accepts what is right."""

from __future__ import annotations

import numpy as np
import pytest

from enzyme.support.diagnostics import UsageError
from enzyme.verify import DerivativeMismatch, check_gradients, directional_difference

X = np.array([[0.3, -1.2], [0.8, 0.1]])


def scalar(x: np.ndarray) -> float:
    return float(np.sum(np.sin(x) * x) + x[0, 0] ** 3 * x[1, 1])


def gradient(x: np.ndarray) -> np.ndarray:
    g = np.cos(x) * x + np.sin(x)
    g[0, 0] += 3 * x[0, 0] ** 2 * x[1, 1]
    g[1, 1] += x[0, 0] ** 3
    return g


def vector(x: np.ndarray) -> np.ndarray:
    return np.array([np.sum(x**2), np.prod(x), x[0, 1] / x[1, 0]])


def jacobian(x: np.ndarray) -> np.ndarray:
    a, b, c, d = x.reshape(-1)
    return np.array(
        [[2 * a, 2 * b, 2 * c, 2 * d], [b * c * d, a * c * d, a * b * d, a * b * c], [0, 1 / c, -b / c**2, 0]]
    )


def vjp(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    return (jacobian(x).T @ w).reshape(x.shape)


def jvp(x: np.ndarray, v: np.ndarray) -> np.ndarray:
    return jacobian(x) @ v.reshape(-1)


def test_right_derivatives_pass() -> None:
    assert len(check_gradients(scalar, X, gradient=gradient)) == 3
    made = check_gradients(vector, X, vjp=vjp, jvp=jvp, directions=2)
    assert [c.what for c in made[:3]] == ["jvp against differences", "vjp against differences", "vjp against jvp"]
    assert max(c.error for c in made) < 1e-9


@pytest.mark.parametrize("place", range(4))
def test_one_wrong_entry_is_found(place: int) -> None:
    def wrong(x: np.ndarray) -> np.ndarray:
        g = gradient(x)
        g.reshape(-1)[place] *= 1 + 1e-4
        return g

    with pytest.raises(DerivativeMismatch, match="gradient against differences"):
        check_gradients(scalar, X, gradient=wrong)


def test_tiny_disagreement_of_the_modes_is_found() -> None:
    """Too small for differences to see, not for the inner product."""
    with pytest.raises(DerivativeMismatch) as caught:
        check_gradients(vector, X, vjp=lambda x, w: vjp(x, w) * (1 + 1e-7), jvp=jvp)
    assert {c.what for c in caught.value.comparisons if not c.agrees} == {"vjp against jvp"}


def test_zero_and_nan_are_found() -> None:
    with pytest.raises(DerivativeMismatch):
        check_gradients(scalar, X, gradient=np.zeros_like)
    with pytest.raises(DerivativeMismatch):
        check_gradients(scalar, X, gradient=lambda x: x * np.nan)


def test_difference_knows_its_error() -> None:
    value, error = directional_difference(np.sin, np.array([0.7]), np.array([1.0]))
    assert abs(value[0] - np.cos(0.7)) < 1e-11
    assert error[0] < 1e-9
    _, at_kink = directional_difference(np.abs, np.array([1e-4]), np.array([1.0]))
    assert at_kink[0] > 1e-3


def test_misuse_is_named() -> None:
    with pytest.raises(UsageError, match="nothing to check"):
        check_gradients(scalar, X)
    with pytest.raises(UsageError, match="one number"):
        check_gradients(vector, X, gradient=gradient)
    with pytest.raises(UsageError, match="shape"):
        check_gradients(vector, X, jvp=lambda x, v: np.zeros(2))
