"""What neighbouring iterations call with the same numbers is called once, where eight run at once."""

from __future__ import annotations

import re

import pytest

import enzyme
from tests.gradient.loop_sums import compiled, same_gradients

SHARED = {
    "trapezoid": ("for (int i = 1; i < n; i++) s += (x[i] - x[i - 1]) * (sin(x[i]) + sin(x[i - 1]));", 1),
    "keeps nothing": ("for (int i = 0; i + 1 < n; i++) s += cos(x[i]) + cos(x[i + 1]);", 1),
    "downwards": ("for (int i = n - 1; i > 2; i--) s += x[i] * sin(x[i - 1]) * sin(x[i - 3]);", 2),
    "every second": ("for (int i = 0; i + 2 < n; i += 2) s += x[i] * atan(x[i]) * atan(x[i + 2]);", 1),
    "through a product": ("for (int i = 1; i < n; i++) s += sin(2 * x[i] + 1) * sin(2 * x[i - 1] + 1) * x[i];", 1),
    "of two": ("for (int i = 2; i < n; i++) s += pow(x[i], x[i - 1]) * pow(x[i - 1], x[i - 2]) * x[i];", 1),
    "of one number": ("for (int i = 1; i < n; i++) s += pow(x[i], x[2]) * pow(x[i - 1], x[2]) * x[i];", 1),
}
APART = {
    "another step": "for (int i = 0; i + 1 < n; i += 2) s += x[i] * sin(x[i]) * sin(x[i + 1]);",
    "far away": "for (int i = 8; i < n; i++) s += x[i] * sin(x[i]) * sin(x[i - 8]);",
    "other sums": "for (int i = 1; i < n; i++) s += x[i] * sin(x[i] + 1) * sin(x[i - 1] + 2);",
    "other functions": "for (int i = 1; i < n; i++) s += x[i] * sin(x[i]) * atan(x[i - 1]);",
    "other numbers": "for (int i = 3; i < n; i++) s += pow(x[i], x[i - 1]) * pow(x[i - 1], x[i - 3]) * x[i];",
    "other iterations": "for (int i = 3; i < n; i++) s += pow(x[i], x[i - 1]) * pow(x[i - 1], x[i]) * x[i];",
    "the counter": "for (int i = 1; i < n; i++) s += pow(x[i], i) * pow(x[i - 1], i) * x[i];",
}


def _calls(module: enzyme.Module) -> tuple[int, int]:
    """Of an iteration for eight: how many calls are for all of them, and how many for one."""
    text = module.ir("differentiated")
    found = re.search(r"(?ms)^define [^\n]*@f\.iteration\.together\(.*?^\}", text)
    if found is None:
        return 0, 0
    names = r"(?:llvm\.)?(?:sin|cos|atan|pow)"
    return tuple(len(re.findall(rf" call {type} @{names}\b", found[0])) for type in ("<8 x double>", "double"))  # type: ignore[return-value]


@pytest.mark.parametrize("name", SHARED)
def test_shared(name: str) -> None:
    body, alone = SHARED[name]
    assert _calls(compiled(body)) == (1, alone)
    assert _calls(compiled(body, neighbour_calls=False))[1] == 0


@pytest.mark.parametrize("name", APART)
def test_apart(name: str) -> None:
    several, one = _calls(compiled(APART[name], loops="recompute"))
    assert several > 1 and one == 0


@pytest.mark.thinned(4)
@pytest.mark.parametrize("body", [*(body for body, _ in SHARED.values()), *APART.values()])
def test_the_same_numbers(body: str) -> None:
    same_gradients(compiled(body), compiled(body, neighbour_calls=False), (0, 1, 2, 8, 9, 10, 17, 40))


def test_not_where_the_forward_sweep_makes_them_too() -> None:
    kept = "double w[64]; for (int i = 0; i < n - 1; i++) w[i] = cos(x[i]) + cos(x[i + 1]);"
    module = compiled(f"{kept} for (int i = 0; i < n - 1; i++) s += w[i] * w[i];")
    assert _calls(module) == (0, 0)


def test_functions_for_vectors_are_called_for_all() -> None:
    body = SHARED["trapezoid"][0]
    assert _calls(compiled(body, math="relaxed"))[1] == 0


def test_counters_become_one() -> None:
    """``i + 1 < n`` gives LLVM two counters; an iteration is given one number."""
    text = compiled(SHARED["keeps nothing"][0]).ir("differentiated")
    head = re.search(r"(?m)^define [^\n]*@f\.iteration\(([^\n]*)\)", text)
    assert head is not None and head[1].count("i64 %") == 1
