"""Sums over lanes that are added to neighbours: where four become one vector, and that they are the same sums."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import enzyme
from enzyme.gradient.lane_sums import with_lane_sums
from enzyme.llvm.context import parse
from enzyme.optimise import optimise_program
from enzyme.support.config import Config

SUM = """
  %v{k} = getelementptr TYPE, ptr %v, i64 {k}
  %l{k} = load TYPE, ptr %v{k}, align 8
  %r{k} = call FLAGS ELEMENT @llvm.vector.reduce.fadd.NAME(ELEMENT START, TYPE %l{k})
  %i{k} = add i64 %i, {at}
  %p{k} = getelementptr ELEMENT, ptr %x, i64 %i{k}
  %o{k} = load ELEMENT, ptr %p{k}, align 8
  %s{k} = fadd ELEMENT %o{k}, %r{k}
  store ELEMENT %s{k}, ptr %p{k}, align 8
"""


def program(
    places: str = "0 1 2 3",
    between: str = "",
    given: str = "noalias",
    lanes: int = 8,
    element: str = "double",
    flags: str = "reassoc nsz",
    start: str = "-0.0",
    behind: str = "",
) -> str:
    sums = between.join(SUM.format(k=k, at=at) for k, at in enumerate(places.split()))
    name = f"v{lanes}{'f64' if element == 'double' else 'f32'}"
    text = f"""
define void @f(ptr {given} %x, ptr %v, i64 %i, ptr %y) {{
{sums}{behind}
  ret void
}}
declare ELEMENT @llvm.vector.reduce.fadd.NAME(ELEMENT, TYPE)
"""
    spelled = {"TYPE": f"<{lanes} x {element}>", "ELEMENT": element, "NAME": name, "FLAGS": flags, "START": start}
    for word, meaning in spelled.items():
        text = text.replace(word, meaning)
    return text


def reduces(text: str) -> int:
    return text.count("call") and text.count("@llvm.vector.reduce.fadd.") - 1


@pytest.mark.parametrize("places", ["0 1 2 3", "3 2 1 0", "-1 -2 -3 -4", "2 0 3 1"])
@pytest.mark.parametrize(("lanes", "element"), [(4, "double"), (8, "double"), (16, "double"), (8, "float")])
def test_four_become_one(places: str, lanes: int, element: str, tmp_path: Path) -> None:
    made = with_lane_sums(program(places, lanes=lanes, element=element))
    parse(made).verify()
    assert reduces(made) == 0
    assert made.count(f"load <4 x {element}>, ptr %p") == made.count(f"store <4 x {element}>") == 1
    (tmp_path / "f.ll").write_text(made)
    type = np.float64 if element == "double" else np.float32
    vectors = np.sin(np.arange(4 * lanes) + 1).astype(type).reshape(4, lanes)
    numbers = np.linspace(1, 2, 9).astype(type)
    expected = numbers.copy()
    for place, vector in zip(places.split(), vectors, strict=True):
        expected[4 + int(place)] += vector.sum()
    enzyme.compile(tmp_path / "f.ll")["f"](numbers, vectors, 4, numbers)
    np.testing.assert_allclose(numbers, expected, rtol=1e-5 if element == "float" else 1e-14)


def test_eight_become_two_and_others_stay() -> None:
    made = with_lane_sums(program("7 6 5 4 3 2 1 0"))
    assert (reduces(made), made.count("store <4 x double>")) == (0, 2)
    made = with_lane_sums(program("9 3 2 1 0 12 4"))
    assert (reduces(made), made.count("store <4 x double>")) == (3, 1)


@pytest.mark.parametrize(
    "change",
    [
        {"places": "0 1 2"},
        {"places": "0 1 2 4"},
        {"places": "0 2 4 6"},
        {"places": "0 1 1 2"},
        {"flags": ""},
        {"flags": "reassoc"} | {"start": "0.0"},  # the sign of a zero
        {"start": "1.0"},
        {"lanes": 2},
        {"given": ""},  # %v may be where %x is
        {"between": "  store double 0.0, ptr %x, align 8\n"},
        {"between": "  %n{} = load volatile double, ptr %x, align 8\n"},
        {"between": "  call void @g(ptr %x)\n"},
        {"behind": "  %again = fadd double %r1, %r2\n  store double %again, ptr %y\n"},
    ],
)
def test_what_stays(change: dict[str, str]) -> None:
    text = program(**change)  # type: ignore[arg-type]
    while "%n{}" in text:
        text = text.replace("%n{}", f"%n{text.count('%n{}')}", 1)
    text += "declare void @g(ptr)\n" if "@g" in text else ""
    if change.get("given") != "":
        parse(text).verify()
    assert with_lane_sums(text) == text


def test_what_lies_between_may_touch_other_memory() -> None:
    assert reduces(with_lane_sums(program(between="  store double 0.0, ptr %y, align 8\n"))) == 0


@pytest.mark.parametrize(("order", "found"), [((0, 1, 2, 3), True), ((2, 0, 3, 1), True), ((0, 1, 2, 2), False)])
def test_elements_of_a_vector(order: tuple[int, ...], found: bool, tmp_path: Path) -> None:
    sums = "".join(line + "\n" for line in program().splitlines() if re.match(r"  %[vlr]\d", line))
    links = ["poison", "%c0", "%c1", "%c2"]
    put = "".join(
        f"  %c{k} = insertelement <4 x double> {links[k]}, double %r{k}, i64 {at}\n" for k, at in enumerate(order)
    )
    text = f"""
define void @f(ptr %x, ptr %v) {{
{sums}{put}  store <4 x double> %c3, ptr %x, align 8
  ret void
}}
declare double @llvm.vector.reduce.fadd.v8f64(double, <8 x double>)
"""
    made = with_lane_sums(text)
    parse(made).verify()
    assert reduces(made) == (0 if found else 4)
    if found:
        (tmp_path / "f.ll").write_text(made)
        vectors, numbers = np.sin(np.arange(32) + 1.0).reshape(4, 8), np.zeros(4)
        enzyme.compile(tmp_path / "f.ll")["f"](numbers, vectors)
        np.testing.assert_allclose(numbers[list(order)], vectors.sum(axis=1), rtol=1e-14)


@pytest.mark.parametrize(
    ("config", "left"), [(Config(), 0), (Config(lane_sums=False), 4), (Config(reassociate=False), 4)]
)
def test_the_switch(config: Config, left: int) -> None:
    assert reduces(optimise_program(program(), 2, "post", config)) == left
