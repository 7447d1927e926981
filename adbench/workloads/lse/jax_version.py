"""logsumexp in JAX."""

from __future__ import annotations

from typing import Any

import jax
from jax.scipy.special import logsumexp


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """log(sum(exp(x)))."""
    return logsumexp(parameters["x"])
