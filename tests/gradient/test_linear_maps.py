"""Linear maps behind the loop: what is said of them, where they are found, and the same numbers either way."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pytest

import enzyme
from enzyme.cli import main
from enzyme.support.config import Config

Array: TypeAlias = npt.NDArray[np.float64]

SOURCE = """
#include <stdlib.h>
__attribute__((annotate("enzyme_loops=recompute")))
double f(const double *restrict m, const double *restrict q, const double *restrict p, int d, int n) {
    double *c = malloc(sizeof(double) * d), *y = malloc(sizeof(double) * d), s = 0;
    for (int i = 0; i < n; i++) {
        double r = 0;
        for (int j = 0; j < d; j++) c[j] = CENTER;
        for (int j = 0; j < d; j++) y[j] = q[j * d + j] * c[j];
        for (int j = 0; j < d; j++) for (int l = j + 1; l < d; l++) y[l] += q[j * d + l] * c[j];
        for (int j = 0; j < d; j++) r += y[j] * y[j];
        s += r * r;
    }
    free(c), free(y);
    return s;
}
"""
POINT = "p[i * d + j] - m[j]"
D, N = 4, 21


def gradients(config: Config, pipeline: str, q: Array) -> list[Array]:
    module = enzyme.compile(SOURCE.replace("CENTER", POINT), config=config, pipeline=pipeline)
    m, p = np.linspace(-0.4, 0.7, D), np.cos(np.arange(N * D))
    shadows = [np.zeros_like(m), np.zeros_like(q)]
    module.autodiff("f", ["dup", "dup", "const", "const", "const"])((m, shadows[0]), (q, shadows[1]), p, D, N)
    return shadows


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("config", "pipeline"),
    [(Config(), "pre"), (Config(), "post"), (Config(check_plan=True, count_tape=True, fuse=False), "post")],
)
def test_numbers_are_the_same(config: Config, pipeline: str) -> None:
    q = np.sin(np.arange(D * D) + 1.0)
    expected = gradients(Config(linear_maps=False), pipeline, q)
    for found, wanted in zip(gradients(config, pipeline, q), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-13)


def test_infinities_that_meet_are_no_number_either_way() -> None:
    q = np.ones(D * D)
    q[1] = np.inf
    for found, wanted in zip(
        gradients(Config(), "post", q), gradients(Config(linear_maps=False), "post", q), strict=True
    ):
        np.testing.assert_array_equal(np.isfinite(found), np.isfinite(wanted))


@pytest.mark.parametrize(
    ("center", "off", "said"),
    [
        (POINT, "", True),
        (POINT, "linear_maps", False),
        ("p[i * d + j] * m[j]", "", False),
        ("p[i * d + j] - m[(i + j) % d]", "", False),
    ],
)
def test_explain_tells_what_is_left_to_the_last_iteration(
    center: str,
    off: str,
    said: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "f.c"
    path.write_text(SOURCE.replace("CENTER", center))
    words = ["explain", str(path), "--function", "f", "--args", "dup,dup,const,const,const"]
    monkeypatch.setenv("ENZYME_OFF", off)
    assert main(words) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "runs its iterations in the reverse sweep" in text
    assert ("products at line 9, 10 are left to the last one" in text) == said
