"""logsumexp in autograd."""

from __future__ import annotations

from typing import Any

from autograd.scipy.special import logsumexp


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """log(sum(exp(x)))."""
    return logsumexp(parameters["x"])
