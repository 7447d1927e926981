"""Functions that ask for many derivatives call the large ones: they do not become all of them."""

from __future__ import annotations

import re

import pytest

from enzyme.frontends.clang import run_front_end
from enzyme.gradient import large_callers
from enzyme.gradient.lower import lower_module
from enzyme.llvm.pipelines import prepare
from enzyme.support.config import Config

_DECLARED = """
#include <math.h>
extern void __enzyme_autodiff(void *, ...);
extern double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;
"""
_LARGE = """
static double NAME(double *x, int n) {
  double s = 0;
  for (int i = 1; i + 1 < n; i++) s += sin(x[i] * x[i - 1]) * exp(-x[i + 1] * x[i]) / (1 + x[i] * x[i]) + NUMBER;
  return s;
}
"""
_SMALL = "static double little(double *x, int n) { return x[0] * x[n - 1]; }\n"
_ASK = "__enzyme_autodiff((void *)NAME, enzyme_dup, x, dx, enzyme_const, n);"


def _functions(count: int) -> str:
    return _SMALL + "".join(_LARGE.replace("NAME", f"f{k}").replace("NUMBER", str(k)) for k in range(count))


def _kept(source: str) -> dict[str, list[str]]:
    """By function, what it calls and is to go on calling."""
    ir = run_front_end(_DECLARED + source, "c", 2, "post", None, (), ()).ir
    text = lower_module(ir.replace(" noinline ", " "), Config(cache=None), prepare)
    groups = {number for number, words in re.findall(r"attributes #(\d+) = \{ (.*) \}", text) if "noinline" in words}
    found: dict[str, list[str]] = {}
    at: list[str] = []
    for line in text.splitlines():
        if line.startswith("define "):
            at = found.setdefault(re.findall(r"@([\w.]+)\(", line)[0], [])
        called = re.search(r"call .*@([\w.]+)\(", line)
        said = re.search(r"\) #(\d+)", line)
        if called and (" noinline" in line.rsplit(")", 1)[1] or (said is not None and said[1] in groups)):
            at.append(called[1].split(".")[0])
    return {name: calls for name, calls in found.items() if calls}


def _driver(*names: str) -> str:
    asked = "".join(_ASK.replace("NAME", name) for name in names)
    return f"void driver(double *x, double *dx, int n) {{ {asked} }}"


@pytest.fixture(autouse=True)
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_callers, "ALTOGETHER", 300)


def test_one_alone_is_llvms_to_weigh() -> None:
    assert _kept(_functions(1) + _driver("f0")) == {}


def test_what_is_beyond_stays_a_call() -> None:
    kept = _kept(_functions(4) + _driver("f0", "f1", "little", "f2", "f3"))
    assert set(kept) == {"driver"}
    assert "little" not in kept["driver"]
    assert 1 < len(kept["driver"]) <= 4


def test_wrappers_count_with_what_is_inside_them() -> None:
    wrappers = "".join(
        f"static void g{k}(double *x, double *dx, int n) {{ {_ASK.replace('NAME', f'f{k}')} dx[0] += {k}; }}\n"
        for k in range(4)
    )
    calls = "".join(f"g{k}(x, dx, n);" for k in range(4))
    hidden = wrappers.replace("static void", "__attribute__((noinline)) static void")  # clang leaves them alone
    kept = _kept(_functions(4) + hidden + f"void driver(double *x, double *dx, int n) {{ {calls} }}")
    assert set(kept) == {"driver"} and all(name.startswith("g") for name in kept["driver"])


def test_what_the_program_says_of_a_function_stays() -> None:
    wrapper = f"__attribute__((always_inline)) static inline void g(double *x, double *dx, int n) {{ {_ASK} }}\n"
    ask = wrapper.replace("NAME", "f0") + f"void driver(double *x, double *dx, int n) {{ {_ASK} g(x, dx, n); }}"
    kept = _kept(_functions(2) + ask.replace("NAME", "f1"))
    assert set(kept) == {"driver"} and not any(name.startswith("g") for name in kept["driver"])


def test_what_others_call_too_is_left_alone() -> None:
    both = _driver("f0", "f1") + _driver("f0", "f1").replace("driver", "other")
    assert _kept(_functions(2) + both) == {}


def test_functions_that_call_one_another() -> None:
    circle = """
static void b(double *x, double *dx, int n);
__attribute__((noinline)) static void a(double *x, double *dx, int n) { ASK0 if (n > 3) b(x, dx, n - 1); }
__attribute__((noinline)) static void b(double *x, double *dx, int n) { ASK1 ASK2 if (n > 3) a(x, dx, n - 1); }
void driver(double *x, double *dx, int n) { a(x, dx, n); }
"""
    for k in range(3):
        circle = circle.replace(f"ASK{k}", _ASK.replace("NAME", f"f{k}"))
    kept = _kept(_functions(3) + circle)
    assert kept and "driver" not in kept
