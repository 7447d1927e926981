"""Loops with several ends are left from one place, and do the same as before."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

import enzyme
from enzyme.analysis.loops import analyse_loops
from enzyme.cli import main
from enzyme.gradient.one_exit import leave_once
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.llvm.pipelines import prepare

# Three ways through an iteration, by bits: each hands on another number, and leaves to another place.
THREE_ENDS = """
define double @f(i64 %n, i64 %bits, double %x) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %sum = phi double [ %x, %entry ], [ %made, %latch ]
  %shifted = lshr i64 %bits, ASKED
  %one = and i64 %shifted, 1
  %first = icmp eq i64 %one, 1
  br i1 %first, label %a, label %rest
rest:
  %two = and i64 %shifted, 2
  %second = icmp eq i64 %two, 2
  br i1 %second, label %b, label %c
a:
  %a.made = fmul double %sum, 1.5
  %a.next = add nuw nsw i64 %i, 1
  %a.end = icmp eq i64 %a.next, %n
  br i1 %a.end, label %to.a, label %latch
b:
  %b.made = fadd double %sum, 2.0
  %b.next = add nuw nsw i64 %i, 1
  %b.end = icmp eq i64 %b.next, B_LIMIT
  br i1 %b.end, label %to.b, label %latch
c:
  %c.made = fneg double %sum
  %c.next = add nuw nsw i64 %i, 1
  %c.end = icmp eq i64 %c.next, %n
  br i1 %c.end, label %to.a, label %latch
latch:
  %next = phi i64 [ %a.next, %a ], [ %b.next, %b ], [ %c.next, %c ]
  %made = phi double [ %a.made, %a ], [ %b.made, %b ], [ %c.made, %c ]
  br label %head
to.a:
  %left = phi double [ %a.made, %a ], [ 7.0, %c ]
  %at = phi i64 [ %i, %a ], [ %c.next, %c ]
  %so = sitofp i64 %at to double
  %r.a = fmul double %left, %so
  ret double %r.a
to.b:
  %kept = phi double [ %sum, %b ]
  %r.b = fsub double %kept, 0.25
  ret double %r.b
}
"""


def exits(module: Module) -> list[int]:
    return [len(loop.exits) for loop in analyse_loops(module.functions["f"]).loops]


def made(text: str) -> tuple[Module, bool]:
    module = parse_module(prepare(text))
    return module, leave_once(module)


def same_results(before: str, after: str, folder: Path) -> None:
    files = [folder / name for name in ("before.ll", "after.ll")]
    for file, program in zip(files, (before, after), strict=True):
        file.write_text(program)
    one, other = (enzyme.compile(file)["f"] for file in files)
    for n, bits in itertools.product((1, 2, 3, 7), (0, 1, 2, 3, 0b10010, 0b1011010, 0b101101)):
        assert one(n, bits, 0.5) == other(n, bits, 0.5)


@pytest.mark.parametrize("asked", ["%i", "0"])
def test_three_ends(asked: str, tmp_path: Path) -> None:
    """What hangs on the iteration, and what is the same in all of them."""
    text = THREE_ENDS.replace("ASKED", asked).replace("B_LIMIT", "%n")
    module, changed = made(text)
    assert changed and exits(module) == [1]
    same_results(text, print_module(module), tmp_path)


WAYS_BACK = {
    "a step": ("add i64 %k.1, 1", "and i64 %k.2, 15", True),
    "a quotient": ("udiv i64 90, %next", "and i64 %k.2, 15", False),
    "a number": ("add i64 %k.1, 1", "fdiv double %made, 1.25", False),
}


@pytest.mark.parametrize("name", WAYS_BACK)
def test_what_the_way_back_computes(name: str, tmp_path: Path) -> None:
    """It is run where the loop is left, too: what may stop the program is not, nor what has a derivative."""
    step, last, joined = WAYS_BACK[name]
    number = "double" in last
    text = THREE_ENDS.replace("ASKED", "%k").replace("B_LIMIT", "%n")
    if number:
        text = text.replace("[ %made, %latch ]", "[ %back, %latch ]")
    counter = f"  %k = phi i64 [ 0, %entry ], [ {'%k.2' if number else '%back'}, %latch ]\n"
    text = text.replace("  %sum = phi", counter + "  %sum = phi")
    back = f"  %k.1 = mul i64 %k, 3\n  %k.2 = {step}\n  %back = {last}\n"
    text = text.replace("  br label %head\nto.a:", back + "  br label %head\nto.a:")
    module, changed = made(text)
    assert changed == joined and exits(module) == [1 if joined else 3]
    same_results(text, print_module(module), tmp_path)


def test_tests_that_are_not_the_same() -> None:
    module, changed = made(THREE_ENDS.replace("ASKED", "%i").replace("B_LIMIT", "5"))
    assert not changed and exits(module) == [3]


def test_the_test_of_two_copies_is_made_of_what_both_have() -> None:
    """``next`` is no phi any more: the counter is one that loops are told by."""
    module, _ = made(THREE_ENDS.replace("ASKED", "%i").replace("B_LIMIT", "%n"))
    (loop,) = analyse_loops(module.functions["f"]).loops
    assert loop.latch is not None
    stepped = next(phi for phi in loop.header.phis if phi.name == "i").value_from(loop.latch)
    assert stepped.opcode == "add"  # type: ignore[attr-defined]


STEPS = """
double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
static double f(double *a, double *b, int n) {
  double s = 0;
  for (int t = 0; t < 10; t++) {
    for (int i = 0; i < n; i++) b[i] = 0;
    for (int i = 0; i < 3 * n; i++) b[i / 3] += a[i % 2] * a[i % 3] * b[i % 5];
    for (int i = 0; i < n; i++) a[i] += 0.1 * b[i];
  }
  for (int i = 0; i < n; i++) s += a[i];
  return s;
}
void gradient(double *a, double *da, double *b, double *db, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, a, da, enzyme_dup, b, db, enzyme_const, n);
}
"""


@pytest.mark.parametrize(
    "steps",
    [
        "int t = 0; t < 10; t++",
        "int t = 10; t > 0; t--",
        "int t = 0; t < 20; t += 2",
        "unsigned long t = 1; t <= 10; t++",
    ],
)
def test_steps_are_counted(steps: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How often the loop in time runs is known, so what the loops in it keep has its size in front of them. Of some an
    optimiser has each end make the next number and ask it, of others it leaves that to the latch."""
    program = STEPS.replace("int t = 0; t < 10; t++", steps)
    source = tmp_path / "steps.c"
    source.write_text(program)
    assert main(["explain", str(source), "-O2"]) == 0
    said = capsys.readouterr().out
    assert "one allocation of the exact size" in said and "enlarged" not in said
    kept = {on: enzyme.compile(program, config=enzyme.Config(one_exit=on)).ir("differentiated") for on in (True, False)}
    assert "enzyme.used" not in kept[True] and "enzyme.used" in kept[False]
