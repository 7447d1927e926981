"""The second oracle's own parts; the package itself is rarely installed, and asked only by hand."""

from __future__ import annotations

import numpy as np
import pytest

from enzyme.verify import original
from enzyme.verify.generator import generate

X = np.array([1.0, -2.0, 0.5])


@pytest.mark.parametrize(
    ("ours", "theirs", "kind"),
    [
        (X, X, "agree"),
        (X, X * (1 + 1e-5), "differ a little"),
        (X, -X, "theirs wrong"),
        (-X, X, "ours wrong"),
        (-X, 2 * X, "both wrong"),
        (X, "status -11", "theirs refused"),
    ],
)
def test_differences_decide(ours: np.ndarray, theirs: np.ndarray | str, kind: str) -> None:
    assert original._judge(ours, theirs, X) == kind


def test_without_the_package_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(original, "PACKAGE", "no_such_package_anywhere")
    lines: list[str] = []
    assert original.compare(3, 0, 2, lines.append) == 0
    assert len(lines) == 1
    assert "not installed" in lines[0]


def test_a_kernel_says_what_the_function_says() -> None:
    function = generate(7, 1, frozenset())
    text = original.kernel(function, np.ones(2 * original.POINT), [0, 1, 2, 3])
    assert function.render() in text
    assert "__enzyme_autodiff" not in text
    assert "#define NOINLINE\n" in text


def test_our_gradient_agrees_with_differences() -> None:
    made = (generate(7, number, frozenset()) for number in range(20))
    function = next(f for f in made if not f.mixed)  # differences of numbers of single precision say little
    z = np.linspace(-1, 1, 2 * original.POINT + 1)
    ours, slope = original.our_gradient(function, z, np.ones(2 * original.POINT), [0, 1, 2, 3], 1)
    np.testing.assert_allclose(ours, slope, rtol=1e-5, atol=1e-6)
