"""The GMM objective in autograd, vectorised over points and components."""

from __future__ import annotations

from typing import Any

import autograd.numpy as np
from autograd.scipy.special import logsumexp
from scipy.special import multigammaln


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """The log posterior."""
    alphas, means, icf, x = parameters["alphas"], parameters["means"], parameters["icf"], data["x"]
    (n, d), k, gamma, m = x.shape, len(alphas), data["gamma"], data["m"]
    logarithms, below = icf[:, :d], icf[:, d:]
    sum_qs = np.sum(logarithms, axis=1)
    # Where each number of the packed triangle, or none, stands in the factor.
    columns, rows = np.triu_indices(d, 1)
    place = np.full((d, d), len(rows))
    place[rows, columns] = np.arange(len(rows))
    packed = np.concatenate((below, np.zeros((k, 1))), axis=1)
    factor = packed[:, place] + np.exp(logarithms)[:, :, None] * np.eye(d)
    centered = x[None, :, :] - means[:, None, :]
    residual = np.matmul(centered, np.transpose(factor, (0, 2, 1)))
    terms = alphas[:, None] + sum_qs[:, None] - 0.5 * np.sum(residual**2, axis=2)
    prior = 0.5 * gamma**2 * np.sum(factor**2) - m * np.sum(sum_qs)
    degrees = d + m + 1
    normaliser = degrees * d * (np.log(gamma) - 0.5 * np.log(2.0)) - multigammaln(0.5 * degrees, d)
    constant = -0.5 * n * d * np.log(2.0 * np.pi) - k * normaliser
    return np.sum(logsumexp(terms, axis=0)) - n * logsumexp(alphas) + prior + constant
