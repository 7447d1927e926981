"""Numbers that loops with calls hand on: which of them have a place on the stack."""

from __future__ import annotations

import pytest

from enzyme.llvm.context import parse
from enzyme.llvm.handed_on import with_slots
from enzyme.optimise import optimise_program
from enzyme.support.config import Config

TEXT = """target triple = "x86_64-unknown-linux-gnu"
declare double @exp(double)
declare double @llvm.fabs.f64(double)
declare double @llvm.arithmetic.fence.f64(double)
define double @sum(ptr %x, i64 %n, double %0) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %1 = phi double [ FIRST, %entry ], [ %3, %loop ]
  %at = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %at
  BEFORE
  %2 = call double @NAME(double %v)
  %3 = fadd double %1, %2
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret double %3
}
"""


def program(name: str = "exp", before: str = "", first: str = "%0") -> str:
    return TEXT.replace("NAME", name).replace("BEFORE", before).replace("FIRST", first)


def slotted(text: str) -> str:
    made = with_slots(text)
    parse(made).verify()
    return made


@pytest.mark.parametrize("first", ["%0", "0.000000e+00"])
def test_a_sum_beside_a_call(first: str) -> None:
    made = slotted(program(first=first))
    assert made.count(" alloca double") == 1 and " = phi double" not in made
    read, added, written = (made.index(words) for words in ("load volatile", "= fadd", "store volatile double %3"))
    assert made.index("@exp(double %v)") < read < added < written
    assert f"store volatile double {first}, ptr %handed.on.0" in made


@pytest.mark.parametrize(
    ("name", "before"),
    [
        ("llvm.fabs.f64", ""),
        ("llvm.arithmetic.fence.f64", ""),
        ("exp", "%used = fadd double %1, %v"),
        ("exp", "store double %1, ptr %x"),
    ],
)
def test_others_stay(name: str, before: str) -> None:
    text = program(name, before)
    assert slotted(text) == text


def test_names_that_are_taken() -> None:
    text = program(first="%handed.on.0").replace("entry:", "entry:\n  %handed.on.0 = fadd double %0, %0")
    assert "%handed.on.beside.0 = alloca" in slotted(text)
    once = slotted(program())
    assert slotted(once) == once


def test_other_machines() -> None:
    text = program().replace("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu")
    assert with_slots(text) == text


def test_the_switch() -> None:
    config = Config(cpu="")
    assert "volatile" in optimise_program(program(), 2, "post", config)
    assert "volatile" not in optimise_program(program(), 2, "post", Config(cpu="", stack_sums=False))
    assert "volatile" not in optimise_program(program(), 1, "post", config)
