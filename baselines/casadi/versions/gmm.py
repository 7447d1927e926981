"""The GMM objective in CasADi: matrices of all points, one component after the other."""

from __future__ import annotations

import functools
from typing import Any

import casadi as ca
import numpy as np
from scipy.special import multigammaln


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """The log posterior."""
    alphas, means, icf, x = parameters["alphas"], parameters["means"], parameters["icf"], data["x"]
    (n, d), k, gamma, m = x.shape, alphas.shape[0], data["gamma"], data["m"]
    columns, rows = np.triu_indices(d, 1)
    below = ca.Sparsity.triplet(d, d, rows.tolist(), columns.tolist())
    terms, prior = [], 0.0
    for component in range(k):
        logarithms = icf[component, :d].T
        # Both the packing and a sparsity pattern go column after column.
        factor = ca.diag(ca.exp(logarithms)) + ca.MX(below, icf[component, d:].T)
        residual = factor @ (x - ca.repmat(means[component, :], n, 1)).T
        sum_q = ca.sum1(logarithms)
        terms.append(alphas[component] + sum_q - 0.5 * ca.sum1(residual**2))
        prior += 0.5 * gamma**2 * ca.sumsqr(factor) - m * sum_q
    largest = functools.reduce(ca.fmax, terms)
    likelihood = ca.sum2(ca.log(sum(ca.exp(term - largest) for term in terms)) + largest)
    degrees = d + m + 1
    normaliser = degrees * d * (np.log(gamma) - 0.5 * np.log(2.0)) - multigammaln(0.5 * degrees, d)
    constant = -0.5 * n * d * np.log(2.0 * np.pi) - k * normaliser
    return likelihood - n * ca.logsumexp(alphas) + prior + constant
