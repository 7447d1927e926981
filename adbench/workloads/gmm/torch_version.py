"""The GMM objective in torch, vectorised over points and components."""

from __future__ import annotations

import math
from typing import Any

import torch


def objective(inputs: dict[str, Any]) -> torch.Tensor:
    """The log posterior from tensors ``alphas``, ``means``, ``icf``, ``x`` and numbers ``gamma``, ``m``."""
    alphas, means, icf, x = inputs["alphas"], inputs["means"], inputs["icf"], inputs["x"]
    (n, d), k, gamma, m = x.shape, alphas.shape[0], inputs["gamma"], inputs["m"]
    log_diagonal = icf[:, :d]
    sum_qs = log_diagonal.sum(1)
    columns, rows = torch.triu_indices(d, d, 1)
    factor = torch.zeros((k, d, d), dtype=icf.dtype, device=icf.device)
    factor[:, rows, columns] = icf[:, d:]
    factor = factor + torch.diag_embed(log_diagonal.exp())
    centered = x[None, :, :] - means[:, None, :]
    residual = torch.bmm(centered, factor.transpose(1, 2))
    terms = alphas[:, None] + sum_qs[:, None] - 0.5 * residual.square().sum(2)
    prior = 0.5 * gamma**2 * factor.square().sum() - m * sum_qs.sum()
    degrees = d + m + 1
    normaliser = degrees * d * (math.log(gamma) - 0.5 * math.log(2.0)) - math_multigamma(0.5 * degrees, d)
    constant = -0.5 * n * d * math.log(2.0 * math.pi) - k * normaliser
    return torch.logsumexp(terms, 0).sum() - n * torch.logsumexp(alphas, 0) + prior + constant


def math_multigamma(a: float, p: int) -> float:
    """Logarithm of the p-variate gamma function at a."""
    return 0.25 * p * (p - 1) * math.log(math.pi) + sum(math.lgamma(a - 0.5 * j) for j in range(p))
