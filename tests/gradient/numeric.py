"""The functions of kernels.c with a derivative of each beside them, compiled as one program."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import enzyme
from enzyme.support.config import Config

SOURCE = Path(__file__).with_name("kernels.c").read_text(encoding="utf-8")
_DEFINITION = re.compile(r"^double (\w+)\(double \*x, int n\)", re.MULTILINE)
NAMES = tuple(_DEFINITION.findall(SOURCE))
# A function that is called may not free what it got from another call: refused, see test_refusals.py.
NOT_CALLED = {"returned_table"}
WIDTH = 16

_HEAD = """
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
"""
_WHOLE = """
void reverse_{f}(double *x, double *dx, int n) {{ __enzyme_autodiff((void *){f}, x, dx, n); }}
double forward_{f}(double *x, double *dx, int n) {{ return __enzyme_fwddiff((void *){f}, x, dx, n); }}
"""
# What is differentiated calls the function, then changes x: an augmented primal, a tape and a reverse are made.
_CALLED = """
double outer_{f}(double *x, int n) {{
  double r = {f}(x, n);
  for (int i = 0; i < 16; i++) x[i] = 0.9 * x[i] + 0.1 * x[i] * x[i];
  return r;
}}
void reverse_{f}(double *x, double *dx, int n) {{ __enzyme_autodiff((void *)outer_{f}, x, dx, n); }}
double forward_{f}(double *x, double *dx, int n) {{ return __enzyme_fwddiff((void *)outer_{f}, x, dx, n); }}
"""


@dataclass(frozen=True)
class Setting:
    """How the program is compiled; ``called``: each kernel is noinline, and called by what is differentiated."""

    level: int
    pipeline: str = "post"
    called: bool = False
    config: Config | None = None


def kernels(setting: Setting) -> list[str]:
    return [name for name in NAMES if not (setting.called and name in NOT_CALLED)]


@cache
def program(setting: Setting) -> enzyme.Module:
    text = _DEFINITION.sub(r"SOLID \g<0>", SOURCE) if setting.called else SOURCE
    template = _CALLED if setting.called else _WHOLE
    text += _HEAD + "".join(template.format(f=name) for name in kernels(setting))
    return enzyme.compile(text, opt_level=setting.level, pipeline=setting.pipeline, config=setting.config)


class Case:
    """One kernel at one n: primal and both derivatives of x -> (result, x afterwards)."""

    def __init__(self, module: enzyme.Module, name: str, n: int, called: bool = False) -> None:
        self.module, self.name, self.n = module, name, n
        self.primal_name = f"outer_{name}" if called else name

    def primal(self, x: np.ndarray) -> np.ndarray:
        after = np.array(x)
        result = self.module[self.primal_name](after, self.n)
        return np.concatenate(([result], after))

    def vjp(self, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        dx = w[1:] / w[0]  # the result's own seed is 1
        self.module[f"reverse_{self.name}"](np.array(x), dx, self.n)
        return dx * w[0]

    def jvp(self, x: np.ndarray, v: np.ndarray) -> np.ndarray:
        dx = np.array(v)
        tangent = self.module[f"forward_{self.name}"](np.array(x), dx, self.n)
        return np.concatenate(([tangent], dx))


def point(name: str) -> np.ndarray:
    """Inputs between 0.5 and 1.3, the same for a name each time, no two within reach of a difference."""
    random = np.random.default_rng(sum(name.encode()))
    return random.permutation(np.linspace(0.5, 1.3, WIDTH) + random.uniform(-0.01, 0.01, WIDTH))
