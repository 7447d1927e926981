"""What a function says of its processor holds for its derivatives, too."""

from __future__ import annotations

import pytest

from enzyme.gradient.engine import Engine
from enzyme.gradient.request import Request
from enzyme.ir.parser import parse_module
from enzyme.support.config import Config

TEXT = """
define double @square(double %x) #0 {
  %y = fmul double %x, %x
  ret double %y
}
attributes #0 = { nounwind "prefer-vector-width"="512" "target-cpu"="sapphirerapids" "no-trapping-math"="true" }
"""


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_of_the_processor_and_its_vectors(mode: str) -> None:
    activity = "dup" if mode == "forward" else "out"
    made = Engine(parse_module(TEXT), Config()).derivative(Request("square", mode, (activity,), "active"))  # type: ignore[arg-type]
    assert made.attrs == ('"prefer-vector-width"="512"', '"target-cpu"="sapphirerapids"')
