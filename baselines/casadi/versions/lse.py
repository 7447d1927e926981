"""logsumexp in CasADi."""

from __future__ import annotations

from typing import Any

import casadi as ca


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """log(sum(exp(x)))."""
    return ca.logsumexp(parameters["x"])
