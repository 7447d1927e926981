"""The sparse Jacobian of BA in compressed rows: where each of the values in its blocks belongs."""

from __future__ import annotations

import numpy as np
import scipy.sparse

from adbench.workloads.base import Array, Inputs, Outputs

CAMERA, POINT = 11, 3
BLOCK = CAMERA + POINT + 1
"""Columns of a residual's row that are not zero: a camera, a point and a weight."""


def structure(inputs: Inputs) -> tuple[Array, Array]:
    """(row starts, columns) of the CSR matrix.

    Rows are the 2 p residuals and the p errors of weights; columns are n cameras of 11, m points of 3 and p weights.
    """
    obs = np.asarray(inputs["obs"], dtype=np.int64)
    n, m, p = len(inputs["cams"]), len(inputs["X"]), len(obs)
    observation = np.arange(p)
    block = np.empty((p, 2, BLOCK), dtype=np.int64)
    block[:, :, :CAMERA] = (obs[:, :1] * CAMERA + np.arange(CAMERA))[:, None, :]
    block[:, :, CAMERA : CAMERA + POINT] = (n * CAMERA + obs[:, 1:] * POINT + np.arange(POINT))[:, None, :]
    weights = n * CAMERA + m * POINT + observation
    block[:, :, -1] = weights[:, None]
    starts = np.concatenate([np.arange(2 * p) * BLOCK, 2 * p * BLOCK + np.arange(p + 1)])
    return starts, np.concatenate([block.ravel(), weights])


def csr(inputs: Inputs, jacobian: Outputs) -> scipy.sparse.csr_matrix:
    """The whole Jacobian, shape (3 p, 11 n + 3 m + p), from the values of its blocks."""
    starts, columns = structure(inputs)
    values = np.concatenate([jacobian["reprojection"].ravel(), jacobian["weight"]])
    width = sum(np.size(inputs[name]) for name in ("cams", "X", "w"))
    return scipy.sparse.csr_matrix((values, columns, starts), shape=(len(starts) - 1, width))
