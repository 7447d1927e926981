"""ADBench's text format of GMM problems.

``d k n``; k lines with one alpha each; k lines of d numbers (means); k lines of d (d + 1) / 2 numbers (icf); n lines of
d numbers (x), or one such line that stands for n equal points (ADBench's ``2.5M`` files); ``gamma m``.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from adbench.workloads.base import Array, Inputs
from adbench.workloads.textfile import TextReader


def read_dimensions(path: Path) -> tuple[int, int, int]:
    """(d, k, n) from the first line."""
    reader = TextReader(path, only_lines=1)
    d, k, n = reader.integers(3, "d k n", least=1)
    return d, k, n


def read_gmm(path: Path) -> Inputs:
    """The inputs in the file; a single x line followed by the prior is repeated n times."""
    reader = TextReader(path)
    d, k, n = reader.integers(3, "d k n", least=1)
    alphas = reader.block(k, 1, "alpha")[:, 0]
    means = reader.block(k, d, "mean")
    icf = reader.block(k, d * (d + 1) // 2, "inverse covariance factor")
    if n > 1 and reader.remaining_lines() == 2:
        x = np.tile(reader.line(d, "the replicated point"), (n, 1))
    else:
        x = reader.block(n, d, "point")
    number = reader.line_number
    gamma, m = reader.line(2, "gamma and m of the Wishart prior")
    if gamma <= 0.0 or m != int(m) or m < 0:
        raise reader.fault("expected a positive gamma and an integer m of at least 0", number, 1)
    reader.end()
    return {
        "d": d,
        "k": k,
        "n": n,
        "alphas": np.ascontiguousarray(alphas),
        "means": means,
        "icf": icf,
        "x": x,
        "gamma": float(gamma),
        "m": int(m),
    }


def write_gmm(path: Path, inputs: Inputs, replicate: bool = False) -> None:
    """Write a problem so that reading it gives the same bits; ``replicate`` writes the first point only."""

    def row(values: Array) -> str:
        return " ".join(repr(float(value)) for value in np.atleast_1d(values))

    points = inputs["x"][:1] if replicate else inputs["x"]
    lines = [f"{inputs['d']} {inputs['k']} {inputs['n']}"]
    lines += [row(alpha) for alpha in inputs["alphas"]]
    lines += [row(values) for name in ("means", "icf") for values in inputs[name]]
    lines += [row(point) for point in points]
    lines.append(f"{float(inputs['gamma'])!r} {int(inputs['m'])}")
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
