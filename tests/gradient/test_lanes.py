"""Derivatives of several lanes against as many derivatives of one lane: every kernel, as one function and called."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import enzyme
from enzyme.support.diagnostics import UsageError
from tests.gradient.numeric import WIDTH, Setting, kernels, point, program

SETTINGS = {
    "O0": Setting(0),
    "O2": Setting(2),
    "O0 called": Setting(0, called=True),
    "O2 called": Setting(2, called=True),
}
FEW = ("in_place", "struct_returned", "pointer_result", "malloc_in_loop")  # where there is no time for all


def lanes(name: str, width: int) -> list[np.ndarray]:
    random = np.random.default_rng(sum(name.encode()) + width)
    return [random.uniform(-1, 1, WIDTH) for _ in range(width)]


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_lanes_are_derivatives(mode: str, setting: str) -> None:
    compare(mode, SETTINGS[setting], kernels(SETTINGS[setting]))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_lanes_of_some(mode: str) -> None:
    compare(mode, SETTINGS["O0 called"], FEW)


def compare(mode: str, chosen: Setting, names: Sequence[str]) -> None:
    module = program(chosen)
    wrong: list[str] = []
    for index, name in enumerate(names):
        primal = f"outer_{name}" if chosen.called else name
        width = (2, 3, 4)[index % 3]
        one = module.autodiff(primal, ["dup", "const"], mode)
        all = module.autodiff(primal, ["dup", "const"], mode, width=width)
        for n in (7, 1):
            seeds = np.linspace(1, 2, width)
            given = {"seed": seeds} if mode == "reverse" else {}
            shadows = lanes(name, width)
            result = all((point(name), *shadows), n, **given)
            for lane, shadow in enumerate(lanes(name, width)):
                given = {"seed": seeds[lane]} if mode == "reverse" else {}
                tangent = one((point(name), shadow), n, **given)
                rounded = 1e-12 + 1e-15 * np.abs(shadow).max()  # what is left where large numbers cancel
                same = np.allclose(shadow, shadows[lane], 1e-12, rounded)
                if mode == "forward":
                    same = same and np.isclose(tangent, result[lane], 1e-12, 1e-12)
                if not same:
                    wrong.append(f"{name}, n = {n}, lane {lane} of {width}: {shadow} and {shadows[lane]}")
    assert not wrong, "\n".join(wrong)


def test_numbers_by_value() -> None:
    module = enzyme.compile("double f(double x, float y) { return x * x * y; }")
    assert module.autodiff("f", width=3)(2.0, 3.0, seed=[1, 2, 0.5]) == ((12, 24, 6), (4, 8, 2))
    assert module.autodiff("f", mode="forward", width=2)((2.0, 1, 0), (3.0, 0, 1)) == (12, 4)
    assert module.autodiff("f", ["const", "out"], width=2)(2.0, 3.0) == (4, 4)


def test_wrong_lanes() -> None:
    module = enzyme.compile("double f(double *x) { return x[0] * x[1]; }")
    x, dx, dy = np.ones(2), np.zeros(2), np.zeros(2)
    derivative = module.autodiff("f", width=2)
    with pytest.raises(UsageError, match=r"takes a pair \(x, dx1, ..., dx2\)"):
        derivative((x, dx))
    with pytest.raises(UsageError, match="two of the shadows share memory"):
        derivative((x, dx, dx))
    with pytest.raises(UsageError, match="one seed for each of 2 lanes"):
        derivative((x, dx, dy), seed=[1, 2, 3])
    with pytest.raises(UsageError, match="no width 0"):
        module.autodiff("f", width=0)
