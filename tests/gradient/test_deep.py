"""Programs deeper than Python recurses: long chains of calls, deep expressions."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme
from enzyme.support.deep import deeply


def test_chain_of_calls() -> None:
    depth = 80
    functions = ["__attribute__((noinline)) double f0(double x) { return x * x; }"]
    functions += [
        f"__attribute__((noinline)) double f{i}(double x) {{ return x * 0.5 + f{i - 1}(x * 1.01); }}"
        for i in range(1, depth)
    ]
    module = enzyme.compile("\n".join(functions))
    value, slope, factor = 0.0, 0.0, 1.0
    for _ in range(1, depth):
        value, slope, factor = value + 0.5 * 1.2 * factor, slope + 0.5 * factor, factor * 1.01
    assert module.autodiff(f"f{depth - 1}")(1.2) == pytest.approx(slope + 2 * 1.2 * factor**2)
    assert module.autodiff(f"f{depth - 1}", mode="forward")((1.2, 1.0)) == pytest.approx(slope + 2 * 1.2 * factor**2)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("level", [0, 2])
def test_deep_expression(level: int) -> None:
    """Values recomputed one from the other, and decisions that hang on one another."""
    terms = 500
    sums = "".join(f"  s = s * x[{i % 8}] + 0.25;\n" for i in range(terms))
    least = "".join(f"  t = t < x[{i % 8}] * {i % 7 + 1} ? t * 1.0001 : x[{i % 8}];\n" for i in range(terms))
    module = enzyme.compile(
        f"double f(const double *x) {{\n  double s = x[0], t = x[1];\n{sums}{least}  return s * t;\n}}\n",
        opt_level=level,
    )
    x = np.linspace(0.5, 0.9, 8)
    gradient = module.gradient("f")(x)
    v = np.cos(np.arange(8.0))
    tangent = module.autodiff("f", mode="forward")((x, v))
    assert gradient @ v == pytest.approx(tangent, rel=1e-12)


def test_deeply_gives_room_and_hands_errors_on() -> None:
    def down(levels: int) -> int:
        return 0 if levels == 0 else 1 + max(map(down, [levels - 1]))

    assert deeply(100, lambda: down(5000)) == 5000
    with pytest.raises(ZeroDivisionError):
        deeply(100, lambda: 1 // 0)
    assert deeply(1, lambda: down(50)) == 50
