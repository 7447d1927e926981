"""Random nests of loops over matrices and vectors are sound, and a few have derivatives that are right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from enzyme.support.config import Config
from enzyme.verify.build import EngineToolchain
from enzyme.verify.features import ALL
from enzyme.verify.fuzz import reproduce, validate
from enzyme.verify.nest_kinds import NESTS
from enzyme.verify.nest_place import KINDS
from enzyme.verify.nests import SHAPES, generate_nests, length
from enzyme.verify.oracle import examine


def test_generation_is_deterministic() -> None:
    assert generate_nests(3, 5, ALL) == generate_nests(3, 5, ALL)
    assert generate_nests(3, 5, ALL).render() != generate_nests(4, 5, ALL).render()
    assert "double f5(" in reproduce(3, 5, make=generate_nests)
    assert not any(generate_nests(2, n, frozenset()).checks for n in range(40))
    assert any(generate_nests(2, n, ALL).checks for n in range(40))


def test_arrays_fill_the_blocks() -> None:
    for rows, cols in SHAPES:
        lengths = [eval(size, {"r": rows, "c": cols}) for size in KINDS.values()]
        assert sum(lengths) == length(rows, cols)


def test_what_is_made_is_sound() -> None:
    """No undefined behaviour, and differences with two step sizes agree."""
    assert [(o.function.name, o.kind, o.message) for o in validate(40, seed=20, make=generate_nests)] == []


def test_every_kind_of_nest_is_made() -> None:
    text = "".join(generate_nests(2, n, ALL).render() for n in range(200))
    assert len(NESTS) > 20
    for construct in (
        "restrict ", "memcpy(", "memset(", "calloc(", "malloc(", "[r];", "[r * c];", "index[", "% r]", "break;",
        "continue;", "--) {", "exp(", "log(", "[4][4]", "[2][2]", "1e30", "/ sqrt(0.3", "NOINLINE void", " e += ",
        "cols % 3", "== r - 1 ? 0 :", "[abs(", "< 0 ? 0 :", "> 2 ?", " && ", "% (r * c / 8)", "% (r * c - 12 + 1)",
    ):  # fmt: skip
        assert construct in text, construct


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("level", "pipeline", "first"), [(2, "post", 0), (3, "post", 4), (1, "pre", 8), (0, "post", 12)]
)
def test_derivatives_are_right(level: int, pipeline: str, first: int) -> None:
    functions = [generate_nests(1, number, ALL) for number in range(first, first + 4)]
    outcomes = examine(functions, EngineToolchain(level, pipeline, Config(cache=None)))
    assert [(o.function.name, o.kind, o.message) for o in outcomes if not o.passed] == []


def test_a_wrong_derivative_is_seen() -> None:
    """Many lanes are compared as well as one."""
    number = next(n for n in range(100) if "wide" in generate_nests(1, n, ALL).checks)
    function = generate_nests(1, number, ALL)

    class Wrong(EngineToolchain):
        def build(self, source: str, output: Path) -> None:
            lanes = f"return __enzyme_autodiff_many((void *){function.name},"
            assert lanes in source
            super().build(source.replace(lanes, f"xs[n + 1] += 1e-3; {lanes}"), output)

    (outcome,) = examine([function], Wrong(2, "post", Config(cache=None)))
    assert outcome.kind == "wrong"
    assert re.match(r"reverse-wide 10\d\d\d ", outcome.message), outcome.message  # of the second lane
