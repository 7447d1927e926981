"""The GMM objective in plain numpy: shares no code with the C source, and accepts complex parameters."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import multigammaln

from adbench.workloads.base import Array, Inputs

CHUNK = 1 << 14
"""Points taken at a time, so that memory stays small for ADBench's files of 2.5 million points."""


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
    factors = [unpack_factor(packed, d) for packed in icf]
    log_determinants = icf[:, :d].sum(axis=1)
    likelihood = np.zeros((), dtype=np.result_type(alphas, means, icf))
    for start in range(0, n, CHUNK):
        points = x[start : start + CHUNK]
        terms = np.empty((len(points), k), dtype=likelihood.dtype)
        for component, factor in enumerate(factors):
            residual = (points - means[component]) @ factor.T
            # Not abs(): the sum of squares without conjugation is the analytic one.
            squares = (residual * residual).sum(axis=1)
            terms[:, component] = alphas[component] + log_determinants[component] - 0.5 * squares
        likelihood = likelihood + logsumexp(terms).sum()
    squares = sum((factor * factor).sum() for factor in factors)
    prior = 0.5 * gamma**2 * squares - m * log_determinants.sum()
    degrees = d + m + 1
    normaliser = degrees * d * (math.log(gamma) - 0.5 * math.log(2.0)) - float(multigammaln(0.5 * degrees, d))
    return np.asarray(
        -0.5 * n * d * math.log(2.0 * math.pi) + likelihood - n * logsumexp(alphas) + prior - k * normaliser
    )
