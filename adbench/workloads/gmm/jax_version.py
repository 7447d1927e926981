"""The GMM objective in JAX, vectorised over points and components."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
from jax.scipy.special import logsumexp


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """The log posterior from arrays ``alphas``, ``means``, ``icf`` and data ``x``, ``gamma``, ``m``."""
    alphas, means, icf = parameters["alphas"], parameters["means"], parameters["icf"]
    x, gamma, m = data["x"], float(data["gamma"]), int(data["m"])
    (n, d), k = x.shape, alphas.shape[0]
    log_diagonal = icf[:, :d]
    sum_qs = log_diagonal.sum(1)
    columns, rows = jnp.triu_indices(d, 1)
    factor = jnp.zeros((k, d, d), dtype=icf.dtype).at[:, rows, columns].set(icf[:, d:])
    factor = factor + jax.vmap(jnp.diag)(jnp.exp(log_diagonal))
    centered = x[None, :, :] - means[:, None, :]
    residual = jnp.einsum("kni,kji->knj", centered, factor)
    terms = alphas[:, None] + sum_qs[:, None] - 0.5 * jnp.square(residual).sum(2)
    prior = 0.5 * gamma**2 * jnp.square(factor).sum() - m * sum_qs.sum()
    degrees = d + m + 1
    log_gamma = 0.25 * d * (d - 1) * math.log(math.pi) + sum(math.lgamma(0.5 * (degrees - j)) for j in range(d))
    normaliser = degrees * d * (math.log(gamma) - 0.5 * math.log(2.0)) - log_gamma
    constant = -0.5 * n * d * math.log(2.0 * math.pi) - k * normaliser
    return logsumexp(terms, axis=0).sum() - n * logsumexp(alphas) + prior + constant
