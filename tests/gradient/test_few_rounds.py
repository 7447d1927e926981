"""Derivatives of time steps have versions for few components, where these are all that a step goes over."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import enzyme
from enzyme import Config
from enzyme.gradient.few_rounds import MANY, MANY_ON_INTEL, SHIFTED, TRIANGLE

_HEAD = """
#include <math.h>
#include <stdlib.h>
void __enzyme_autodiff(void *, ...);
"""
_SLOPE = """
void slope(const double *x, double *dx, int n, int m, int steps) {
    __enzyme_autodiff((void *)f, x, dx, n, m, steps);
}
"""
STEPS = """
double f(const double *restrict x, int n, int m, int steps) {
    double *y = malloc(sizeof(double) * (n + m + 1) * (n + 1)), *z = malloc(sizeof(double) * (n + 1) * (n + 1)), s = 0;
    for (int i = 0; i < n; i++) y[i] = x[i];
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++) {
            double r = 0;
            for (int j = 0; j < n; j++) r += x[n + i * n + j] * y[j];
            z[i] = r;
        }
        for (int i = 0; i < n; i++) y[i] += 0.01 * z[i];
    }
    for (int i = 0; i < n; i++) s += y[i] * y[i];
    free(y), free(z);
    return s;
}
"""
_VERSION = re.compile(r"^define .*\.few\.(\d)\(", re.MULTILINE)


def _module(source: str, **options: Any) -> enzyme.Module:
    return enzyme.compile(_HEAD + source + _SLOPE, config=Config(**options))


def _slope(module: enzyme.Module, x: np.ndarray, *counts: int) -> np.ndarray:
    dx = np.zeros_like(x)
    module["slope"](x, dx, *counts)
    return dx


def _versions(source: str, **options: Any) -> str:
    return "".join(_VERSION.findall(_module(source, **options).ir()))


def test_versions() -> None:
    assert _versions(STEPS) == "1234"
    assert _versions(STEPS, few_rounds=False) == ""


def test_results_are_what_they_were() -> None:
    """To the last bit, for any number of components and steps."""
    modules = [_module(STEPS, few_rounds=on, reassociate=False) for on in (True, False)]
    for n in range(7):
        for steps in (0, 1, 2, 17):
            x = np.random.default_rng(n).uniform(-1, 1, n * (n + 1) + 1)
            first, second = (_slope(module, x, n, 3, steps) for module in modules)
            np.testing.assert_array_equal(first, second)
            assert n == 0 or first[0] != 0


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("t < steps", "t < steps && y[0] < 1e9"),  # how many steps only they know
        ("r += x", "r += (j > i ? 2 : 1) * x"),
        ("int j = 0; j < n", "int j = 1; j < n"),
        ("z[i] = r;", "for (int k = 0; k < 3; k++) r *= 0.5 + 0.1 * k; z[i] = r;"),
    ],
)
def test_other_steps(old: str, new: str) -> None:
    assert _versions(STEPS.replace(old, new)) == "1234"


def _changed(changes: list[tuple[str, str]]) -> str:
    source = STEPS
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    return source


UPDATE = "y[i] += 0.01 * z[i]"


@pytest.mark.thinned(4)
@pytest.mark.parametrize(
    "changes",
    [
        [("t < steps", "t < n")],  # short, where the components are few
        [("j < n", "j < m")],  # two numbers of components
        [("j < n", "j < (int)y[0]")],
        [("z[i] = r", "z[i + t * n] = r"), (UPDATE, "y[i + t * n] += 0.01 * z[i]")],  # each step has places of its own
        [(UPDATE, "for (int j = 0; j < n; j++) y[i * n + j] += 0.01 * z[j]")],  # a table
        [(UPDATE, f"{{ {'y[i] += 1 / (2 + y[i] / z[i]);' * 30} }}")],  # much work
    ],
)
def test_steps_that_gain_little(changes: list[tuple[str, str]]) -> None:
    assert _versions(_changed(changes)) == ""


def test_steps_in_a_function_that_is_called() -> None:
    """Its derivative is in two functions, which stay as they are."""
    source = STEPS.replace("double f(", "__attribute__((noinline)) double g(")
    source += (
        "double f(const double *x, int n, int m, int steps) { return g(x, n, m, steps) * g(x, n, m, 2 * steps); }\n"
    )
    assert _versions(source, at_once=False) == ""


_MANY = re.compile(r"^define .*\.many\(.*#(\d+)", re.MULTILINE)


def _wide(source: str, cpu: str = "znver5", **options: Any) -> bool:
    """Whether there is a version for many components, in whole registers."""
    text = _module(source, cpu=cpu, **options).ir()
    found = _MANY.search(text)
    if found is None:
        return False
    line = re.search(rf"^attributes #{found[1]} = .*$", text, re.MULTILINE)
    assert line is not None and '"prefer-vector-width"="512"' in line[0]
    return True


TABLE = [("z[i] = r", "z[i + t * n] = r"), (UPDATE, "y[i + t * n] += 0.01 * z[i]")]


@pytest.mark.slow
def test_version_for_many_components() -> None:
    assert _wide(STEPS) and _wide(STEPS, few_rounds=False)
    assert _wide(_changed(TABLE))  # of which there are none for few
    assert not _wide(STEPS, half_vectors=False)
    assert not _wide(STEPS.replace("j < n", "j < m"))
    assert _wide(STEPS, "sapphirerapids") and not _wide(STEPS, "icelake-server") and not _wide(STEPS, "znver4")


def test_how_many_components_are_many() -> None:
    def least(cpu: str) -> int:
        found = re.search(r"^rest.*\n.*= icmp sgt i32 %n, (\d+)", _module(STEPS, cpu=cpu).ir(), re.MULTILINE)
        assert found is not None
        return int(found[1]) + 1

    assert least("znver5") == MANY and least("sapphirerapids") == MANY_ON_INTEL


def test_results_for_many_components(monkeypatch: pytest.MonkeyPatch) -> None:
    """On either side of where the versions part, and what is not a count."""
    monkeypatch.setattr("enzyme.gradient.half_vectors.works_on_halves", lambda *_: False)
    monkeypatch.setattr("enzyme.gradient.half_vectors.works_on_whole", lambda *_: True)
    monkeypatch.setenv("ENZYME_CACHE", "off")
    module, plain = _module(STEPS, reassociate=False), _module(STEPS, half_vectors=False, reassociate=False)
    assert _MANY.search(module.ir()) and not _MANY.search(plain.ir())
    for n in (-3, 0, 1, 5, MANY_ON_INTEL - 1, MANY_ON_INTEL, MANY - 1, MANY, MANY + 9):
        x = np.random.default_rng(9).uniform(-1, 1, max(n, 0) * (max(n, 0) + 1) + 1)
        first, second = _slope(module, x, n, 3, 4), _slope(plain, x, n, 3, 4)
        np.testing.assert_allclose(first, second, rtol=1e-12, atol=1e-14)
        assert n <= 0 or first[0] != 0


NEIGHBOURS = """
double f(const double *restrict x, int n, int m, int steps) {
    double *y = malloc(sizeof(double) * (n + 2)), *z = malloc(sizeof(double) * (n + 2)), s = 0;
    for (int i = 0; i < n; i++) y[i] = z[i] = x[i];
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) z[i] = y[i] + 0.1 * (y[i + 1] - y[i - 1]) * y[i];
        for (int i = 0; i < n; i++) y[i] += 0.01 * z[i] * x[i];
    }
    for (int i = 0; i < n; i++) s += y[i] * y[i];
    free(y), free(z);
    return s;
}
"""
PAIRS = """
double f(const double *restrict x, int n, int m, int steps) {
    double *y = malloc(sizeof(double) * (n + 1)), *z = malloc(sizeof(double) * (n + 1)), s = 0;
    for (int i = 0; i < n; i++) y[i] = x[i], z[i] = 0;
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++) {
                double d = y[j] - y[i], pull = d / (0.1 + d * d);
                z[i] += pull, z[j] -= pull;
            }
        for (int i = 0; i < n; i++) y[i] += 0.01 * z[i];
    }
    for (int i = 0; i < n; i++) s += y[i] * y[i];
    free(y), free(z);
    return s;
}
"""
_SOME = re.compile(r"^define .*\.some\(.*#(\d+)", re.MULTILINE)


def _without_vectors(source: str, **options: Any) -> bool:
    """Whether there is a version for some components, without vectors."""
    text = _module(source, **options).ir()
    found = _SOME.search(text)
    if found is None:
        return False
    line = re.search(rf"^attributes #{found[1]} = .*$", text, re.MULTILINE)
    assert line is not None and "noimplicitfloat" in line[0]
    return True


@pytest.fixture
def intel(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done for Intel's processors alone, on any."""
    monkeypatch.setattr("enzyme.llvm.codegen.prefers_halves", lambda *_: True)


def test_pairs_keep_their_vectors_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("enzyme.llvm.codegen.prefers_halves", lambda *_: False)
    assert _without_vectors(NEIGHBOURS) and not _without_vectors(PAIRS)


@pytest.mark.usefixtures("intel")
def test_version_without_vectors() -> None:
    assert _without_vectors(NEIGHBOURS) and _without_vectors(PAIRS)
    assert not _without_vectors(NEIGHBOURS, few_rounds=False) and not _without_vectors(PAIRS, few_rounds=False)
    assert not _without_vectors(STEPS)  # read as they were written
    kept = NEIGHBOURS.replace("double *y = ", "double before = x[0], *y = ").replace("y[i - 1]", "before")
    assert _without_vectors(kept.replace("* y[i];", "* y[i], before = y[i];"))


@pytest.mark.usefixtures("intel")
@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        (NEIGHBOURS, "i < n - 1", "i < m"),  # two numbers of components
        (NEIGHBOURS, "(y[i + 1] - y[i - 1])", "(y[i] - x[i])"),
        (NEIGHBOURS, "t < steps", "t < n"),
        (PAIRS, "j < n", "j < m"),
        (PAIRS, "z[j] -= pull", "z[i * n + j] -= pull"),  # a table
    ],
)
def test_steps_that_keep_their_vectors(source: str, old: str, new: str) -> None:
    assert old in source
    assert not _without_vectors(source.replace(old, new))


@pytest.mark.thinned(4)
@pytest.mark.usefixtures("intel")
@pytest.mark.parametrize("level", [0, 1, 2, 3])
@pytest.mark.parametrize(("source", "most"), [(NEIGHBOURS, SHIFTED), (PAIRS, TRIANGLE)])
def test_results_without_vectors(source: str, most: int, level: int) -> None:
    """On either side of where the versions part, for no step and some, and what is not a count."""
    flags = [f"-O{level}"]
    text = _HEAD + source + _SLOPE
    module = enzyme.compile(text, config=Config(reassociate=False), cflags=flags)
    plain = enzyme.compile(text, config=Config(few_rounds=False, reassociate=False), cflags=flags)
    for n in (-1, 0, 1, 2, 3, 4, 5, 6, most - 1, most, most + 1, 40):
        for steps in (0, 1, 2, 7):
            x = np.random.default_rng(n + 5).uniform(-1, 1, max(n, 0) + 2)
            first, second = _slope(module, x, n, n - 1, steps), _slope(plain, x, n, n - 1, steps)
            np.testing.assert_allclose(first, second, rtol=1e-12, atol=1e-14)
            assert n <= 0 or first[0] != 0
