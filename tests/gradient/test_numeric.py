"""Reverse mode against forward mode (1e-10) and both against differences: every kernel, at every level, before and
after optimising, as one function and as a function that another one calls, and with every kind of tape plan.

One test a program, because compiling it is what takes time; the failures of all its kernels are reported together.
"""

from __future__ import annotations

import numpy as np
import pytest

from enzyme.support.config import Config
from enzyme.verify.check import DerivativeMismatch, check_gradients
from tests.gradient.numeric import Case, Setting, kernels, point, program

COUNTS = (7, 0, 1, -3, 13)
SETTINGS = {
    "O0": Setting(0),
    "O1": Setting(1),
    "O2": Setting(2),
    "O3": Setting(3),
    "pre": Setting(2, "pre"),
    "O0 called": Setting(0, called=True),
    "O2 called": Setting(2, called=True),
    # the plan checker agrees with every plan, and what is kept, recomputed or reloaded does not change a gradient
    "check_plan": Setting(1, config=Config(check_plan=True)),
    "check_plan called": Setting(1, called=True, config=Config(check_plan=True)),
    "recompute=False": Setting(0, called=True, config=Config(recompute=False)),
    "reload=False": Setting(1, config=Config(reload=False)),
}
# Single precision inside: rounding to 24 bits is what the modes and the differences see differently.
COARSE = {"mixed_formats": {"relative": 1e-3, "exact": 1e-6}}
SLOW = ("O1", "O2", "check_plan", "reload=False")  # near to others that are not


@pytest.mark.thinned(6)
@pytest.mark.parametrize("setting", [pytest.param(s, marks=[pytest.mark.slow] if s in SLOW else []) for s in SETTINGS])
def test_derivatives(setting: str) -> None:
    chosen = SETTINGS[setting]
    module = program(chosen)
    wrong: list[str] = []
    for name in kernels(chosen):
        for n in COUNTS:
            case = Case(module, name, n, chosen.called)
            tolerances = {"exact": 1e-10, **COARSE.get(name, {})}
            try:
                check_gradients(case.primal, point(name), vjp=case.vjp, jvp=case.jvp, directions=1, **tolerances)
            except DerivativeMismatch as mismatch:
                wrong.append(f"{name}, n = {n}: {mismatch}")
    assert not wrong, "\n".join(wrong)


def test_every_kernel_matters() -> None:
    """A kernel whose result did not depend on x would test nothing."""
    module = program(SETTINGS["O0"])
    for name in kernels(SETTINGS["O0"]):
        assert np.count_nonzero(Case(module, name, 7).vjp(point(name), np.ones(17))) >= 4, name
