"""What a function says of its processor holds for its derivatives, too."""

from __future__ import annotations

from dataclasses import replace

import pytest

from enzyme.gradient.engine import Engine
from enzyme.gradient.lower import lower_module
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


HALF = '"prefer-vector-width"="256"'
PROGRAM = """
target triple = "TRIPLE"
define double @square(double %x) SAYS {
  %y = fmul double %x, %x
  ret double %y
}
define double @slope(double %x) SAYS {
  %y = call double @__enzyme_autodiff(ptr @square, double %x)
  ret double %y
}
define double @twice(double %x) {
  %y = call double @slope(double %x)
  %z = fadd double %y, %y
  ret double %z
}
declare double @__enzyme_autodiff(ptr, ...)
"""


def halved(config: Config, says: str = "", triple: str = "x86_64-unknown-linux-gnu") -> set[str]:
    """The functions of a program that are to be vectorised for halves of registers."""
    module = parse_module(lower_module(PROGRAM.replace("SAYS", says).replace("TRIPLE", triple), config))
    found = {name for name, function in module.functions.items() if HALF in module.fn_attributes(function)}
    return {"derivative" if "reverse" in name else name for name in found}


def test_halves_where_the_processor_works_on_them() -> None:
    """A derivative, and who asks for it, also through others: it may become part of them."""
    config = Config(cpu="znver4")
    assert halved(config) == {"derivative", "slope", "twice"}
    assert not halved(replace(config, half_vectors=False))
    assert not halved(replace(config, cpu="icelake-server"))
    assert not halved(config, triple="aarch64-unknown-linux-gnu")


def test_what_the_program_says_of_its_vectors_goes_before() -> None:
    assert halved(Config(cpu="znver4"), '"prefer-vector-width"="512"') == {"twice"}
