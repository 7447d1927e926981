"""The GMM objective in plain numpy: shares no code with the C source, and accepts complex parameters."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import multigammaln

from adbench.workloads.base import Array, Inputs


def logsumexp(values: Array) -> Array:
    """log(sum(exp(values))) over the last axis; the shift is by the largest real part, so that it stays analytic."""
    largest = values.real.max(axis=-1, keepdims=True)
    return np.asarray(np.log(np.exp(values - largest).sum(axis=-1)) + largest[..., 0])


def unpack_factor(icf: Array, d: int) -> Array:
    """The lower triangular matrix (d, d) that one packed factor stands for."""
    matrix = np.zeros((d, d), dtype=icf.dtype)
    columns, rows = np.triu_indices(d, 1)
    matrix[rows, columns] = icf[d:]
    matrix[np.arange(d), np.arange(d)] = np.exp(icf[:d])
    return matrix


def gmm_objective(inputs: Inputs) -> Array:
    """The log posterior, a 0-d array."""
    alphas, means, icf, x = (np.asarray(inputs[name]) for name in ("alphas", "means", "icf", "x"))
    (n, d), k, gamma, m = x.shape, len(alphas), float(inputs["gamma"]), int(inputs["m"])
    terms = np.empty((n, k), dtype=np.result_type(alphas, means, icf))
    prior = np.zeros((), dtype=terms.dtype)
    for component in range(k):
        factor = unpack_factor(icf[component], d)
        residual = (x - means[component]) @ factor.T
        log_determinant = icf[component, :d].sum()
        # Not abs(): the sum of squares without conjugation is the analytic one.
        terms[:, component] = alphas[component] + log_determinant - 0.5 * (residual * residual).sum(axis=1)
        prior = prior + 0.5 * gamma**2 * (factor * factor).sum() - m * log_determinant
    degrees = d + m + 1
    normaliser = degrees * d * (math.log(gamma) - 0.5 * math.log(2.0)) - float(multigammaln(0.5 * degrees, d))
    return np.asarray(
        -0.5 * n * d * math.log(2.0 * math.pi) + logsumexp(terms).sum() - n * logsumexp(alphas) + prior - k * normaliser
    )
