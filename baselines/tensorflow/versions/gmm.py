"""The GMM objective in TensorFlow, vectorised over points and components."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
from scipy.special import multigammaln


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """The log posterior."""
    alphas, means, icf, x = parameters["alphas"], parameters["means"], parameters["icf"], data["x"]
    (n, d), k, gamma, m = x.shape, alphas.shape[0], data["gamma"], data["m"]
    logarithms = icf[:, :d]
    sum_qs = tf.reduce_sum(logarithms, axis=1)
    # Where each number of the packed triangle, or the zero behind them, stands in the factor.
    columns, rows = np.triu_indices(d, 1)
    place = np.full((d, d), len(rows))
    place[rows, columns] = np.arange(len(rows))
    packed = tf.pad(icf[:, d:], [[0, 0], [0, 1]])
    factor = tf.linalg.set_diag(tf.gather(packed, place, axis=1), tf.exp(logarithms))
    centered = x[None, :, :] - means[:, None, :]
    residual = tf.matmul(centered, factor, transpose_b=True)
    terms = alphas[:, None] + sum_qs[:, None] - 0.5 * tf.reduce_sum(residual**2, axis=2)
    prior = 0.5 * gamma**2 * tf.reduce_sum(factor**2) - m * tf.reduce_sum(sum_qs)
    degrees = d + m + 1
    normaliser = degrees * d * (np.log(gamma) - 0.5 * np.log(2.0)) - multigammaln(0.5 * degrees, d)
    constant = -0.5 * n * d * np.log(2.0 * np.pi) - k * normaliser
    likelihood = tf.reduce_sum(tf.reduce_logsumexp(terms, axis=0)) - n * tf.reduce_logsumexp(alphas)
    return likelihood + prior + constant
