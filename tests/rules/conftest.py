"""The primal functions of the derivative tables in mpmath: an oracle that shares no code with the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import mpmath as mp
import pytest


def _sign(x: Any) -> Any:
    return mp.mpf(-1) if x < 0 else mp.mpf(1)


def _step(x: Any) -> Any:
    return mp.nint(x)


def _remainder(x: Any, y: Any) -> Any:
    return x - y * mp.nint(x / y)


def _fmod(x: Any, y: Any) -> Any:
    quotient = x / y
    return x - y * (mp.floor(quotient) if quotient >= 0 else mp.ceil(quotient))


def _maximum(x: Any, y: Any) -> Any:
    return y if mp.isnan(x) or y > x else x


def _minimum(x: Any, y: Any) -> Any:
    return y if mp.isnan(x) or y < x else x


def _power_of_two(x: Any, n: int) -> Any:
    return x * mp.mpf(2) ** n


def _norm(*xs: Any) -> Any:
    return mp.sqrt(sum(x * x for x in xs))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "exp": mp.exp, "exp2": lambda x: mp.mpf(2) ** x, "exp10": lambda x: mp.mpf(10) ** x, "expm1": mp.expm1,
    "exp2m1": lambda x: mp.mpf(2) ** x - 1, "exp10m1": lambda x: mp.mpf(10) ** x - 1,
    "log": mp.log, "log2": lambda x: mp.log(x, 2), "log10": lambda x: mp.log(x, 10), "log1p": mp.log1p,
    "log2p1": lambda x: mp.log(1 + x, 2), "log10p1": lambda x: mp.log(1 + x, 10),
    "pow": mp.power, "powr": mp.power, "powi": mp.power, "pown": mp.power,
    "rootn": lambda x, n: mp.power(x, mp.mpf(1) / n), "compoundn": lambda x, n: (1 + x) ** n,
    "sqrt": mp.sqrt, "rsqrt": lambda x: 1 / mp.sqrt(x), "cbrt": lambda x: _sign(x) * mp.cbrt(abs(x)),
    "rcp": lambda x: 1 / x, "hypot": _norm, "cabs": _norm,
    "carg": lambda x, y: mp.atan2(y, x), "norm3d": _norm, "norm4d": _norm, "rhypot": lambda x, y: 1 / _norm(x, y),
    "sin": mp.sin, "cos": mp.cos, "tan": mp.tan, "asin": mp.asin, "acos": mp.acos, "atan": mp.atan, "atan2": mp.atan2,
    "sinpi": mp.sinpi, "cospi": mp.cospi, "tanpi": lambda x: mp.tan(mp.pi * x), "asinpi": lambda x: mp.asin(x) / mp.pi,
    "acospi": lambda x: mp.acos(x) / mp.pi, "atanpi": lambda x: mp.atan(x) / mp.pi,
    "atan2pi": lambda y, x: mp.atan2(y, x) / mp.pi,
    "sinh": mp.sinh, "cosh": mp.cosh, "tanh": mp.tanh, "asinh": mp.asinh, "acosh": mp.acosh, "atanh": mp.atanh,
    "erf": mp.erf, "erfc": mp.erfc, "erfcx": lambda x: mp.exp(x * x) * mp.erfc(x), "erfinv": mp.erfinv,
    "erfcinv": lambda x: mp.erfinv(1 - x), "normcdf": mp.ncdf,
    "normcdfinv": lambda x: mp.sqrt(2) * mp.erfinv(2 * x - 1),
    "tgamma": mp.gamma, "lgamma": lambda x: mp.log(abs(mp.gamma(x))), "digamma": mp.digamma, "polygamma": mp.psi,
    "j0": mp.j0, "j1": mp.j1, "jn": mp.besselj, "y0": lambda x: mp.bessely(0, x), "y1": lambda x: mp.bessely(1, x),
    "yn": mp.bessely, "cyl_bessel_i0": lambda x: mp.besseli(0, x), "cyl_bessel_i1": lambda x: mp.besseli(1, x),
    "fmod": _fmod, "remainder": _remainder, "fma": lambda x, y, z: x * y + z, "fmuladd": lambda x, y, z: x * y + z,
    "fabs": abs, "copysign": lambda x, y: abs(x) * _sign(y), "fdim": lambda x, y: x - y if x > y else mp.mpf(0),
    "fmin": _minimum, "fmax": _maximum, "fminimum": _minimum, "fmaximum": _maximum,
    "fminimum_num": _minimum, "fmaximum_num": _maximum,
    "floor": mp.floor, "ceil": mp.ceil, "trunc": _step, "round": _step, "roundeven": _step, "rint": _step,
    "nearbyint": _step, "logb": lambda x: mp.floor(mp.log(abs(x), 2)),
    "canonicalize": mp.mpf, "arithmetic.fence": mp.mpf, "nextup": mp.mpf, "nextdown": mp.mpf,
    "nextafter": lambda x, y: mp.mpf(x), "nexttoward": lambda x, y: mp.mpf(x),
    "ldexp": _power_of_two, "scalbn": _power_of_two, "scalbln": _power_of_two,
    "fadd": lambda x, y: x + y, "fsub": lambda x, y: x - y, "fmul": lambda x, y: x * y, "fdiv": lambda x, y: x / y,
    "fneg": lambda x: -x, "frem": _fmod, "fptrunc": mp.mpf, "fpext": mp.mpf, "sitofp": mp.mpf, "uitofp": mp.mpf,
}  # fmt: skip

_ANYWHERE: list[tuple[float | int, ...]] = [(-2.7,), (-0.8125,), (-0.3,), (0.15625,), (0.9,), (1.75,), (3.3,)]
_POSITIVE: list[tuple[float | int, ...]] = [(1e-3,), (0.2,), (0.875,), (1.0,), (2.5,), (40.0,)]
_UNIT: list[tuple[float | int, ...]] = [(-0.96875,), (-0.4,), (0.01,), (0.6,), (0.99,)]
_PAIRS: list[tuple[float | int, ...]] = [(1.2, 2.5), (-0.75, 2.5), (3.5, -1.3), (-2.25, -0.4), (0.1, 7.7)]
_WITH_INT: list[tuple[float | int, ...]] = [(1.25, 3), (0.5, -2), (2.75, 1), (0.9, 0), (3.25, 7)]

POINTS: dict[str, list[tuple[float | int, ...]]] = {
    **dict.fromkeys("log log2 log10 sqrt rsqrt rcp cbrt digamma y0 y1 log1p log2p1 log10p1".split(), _POSITIVE),
    **dict.fromkeys("asin acos asinpi acospi atanh erfinv".split(), _UNIT),
    **dict.fromkeys("erfcinv normcdfinv".split(), [(0.01,), (0.3,), (0.75,), (0.97,)]),
    "acosh": [(1.03125,), (1.5,), (9.0,)],
    "tgamma": [(-2.3,), (-0.6,), (0.1,), (1.2,), (3.7,), (11.5,)],
    "lgamma": [(-3.7,), (-0.2,), (0.05,), (1.1,), (2.6,), (50.0,)],
    "pow": [(1.5, 2.5), (0.3, -1.25), (4.0, 0.5), (7.0, 3.0), (0.01, 1.75)],
    "powr": [(1.5, 2.5), (0.3, -1.25)],
    **dict.fromkeys("powi pown ldexp scalbn scalbln compoundn".split(), _WITH_INT),
    "rootn": [(1.5, 3), (2.0, -2), (0.3, 5)],
    **dict.fromkeys("jn yn".split(), [(0, 0.7), (1, 1.3), (2, 0.4), (5, 3.7), (3, 12.0)]),
    "polygamma": [(1, 0.3), (1, 4.5), (2, 1.7), (3, 12.0)],
    "norm3d": [(1.0, -2.0, 0.5), (0.25, 0.25, 3.0)],
    "norm4d": [(1.0, -2.0, 0.5, 4.0)],
    **dict.fromkeys("fma fmuladd".split(), [(1.5, -2.25, 0.7), (-0.3, -0.4, 5.0)]),
    **dict.fromkeys(
        "hypot cabs carg rhypot atan2 atan2pi fmod remainder frem copysign fmin fmax fminimum fmaximum "
        "fminimum_num fmaximum_num "
        "fdim nextafter nexttoward fadd fsub fmul fdiv".split(),
        _PAIRS,
    ),
}  # fmt: skip


def points_of(name: str) -> list[tuple[float | int, ...]]:
    return POINTS.get(name, _ANYWHERE)


@pytest.fixture(scope="session")
def primal() -> Mapping[str, Callable[..., Any]]:
    return FUNCTIONS


@pytest.fixture(scope="session")
def points() -> Callable[[str], list[tuple[float | int, ...]]]:
    return points_of


@pytest.fixture(autouse=True)
def _precision() -> Any:
    with mp.workdps(40):
        yield
