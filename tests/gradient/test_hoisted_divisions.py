"""Divisions in branches of loops: LLVM's vectoriser makes garbage of some of them (see hoisted_divisions.py)."""

import subprocess
from pathlib import Path

import pytest

from enzyme.analysis.loops import analyse_loops
from enzyme.frontends.clang import compile_to_ir
from enzyme.gradient.hoisted_divisions import may_divide, may_divide_in_loops, with_hoisted_divisions
from enzyme.ir.parser import parse_module
from enzyme.llvm.pipelines import optimise, run_passes
from enzyme.support.config import Config
from enzyme.verify.build import EngineToolchain

N = 17
CASES = {
    "remainder": "x[a % n]",
    "quotient": "x[j] + x[a / n]",
    "masked": "x[(a / n) & 7]",
    "chain": "x[a / n % k]",
    "of_outer": "x[i * 3 % n]",
    "of_inner": "x[(j + a) % n]",
    "number": "(double)(a % n)",
    "signed_remainder": "x[(int)a % (int)n]",
    "signed_quotient": "x[(int)a / (int)n]",
}
NESTS = "".join(
    f"""
__attribute__((noinline))
void {name}(double *restrict m, unsigned n, const double *restrict x, unsigned a, unsigned k) {{
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n; j++) m[i * n + j] = i < j ? {each} : 0.25 * ((int)i - (int)j);
}}
double {name}_once(unsigned i, unsigned j, unsigned n, const double *x, unsigned a, unsigned k) {{
  return i < j ? {each} : 0.25 * ((int)i - (int)j);
}}"""
    for name, each in CASES.items()
)
CHECK = "".join(
    f"""
  {name}(m, {N}, x, 21, 5);
  for (unsigned i = 0; i < {N}; i++)
    for (unsigned j = 0; j < {N}; j++)
      if (m[i * {N} + j] != {name}_once(i, j, {N}, x, 21, 5)) {{ puts("{name}"); i = j = {N}; }}"""
    for name in CASES
)
UNTAKEN = """
__attribute__((noinline)) double untaken(const double *x, int n, int limit, int a, int d) {
  double sum = 0;
  for (int j = 0; j < n; j++) sum += j > limit ? x[a / d] + x[a % d] : x[j];
  return sum;
}"""
PROGRAM = f"""
#include <limits.h>
#include <stdio.h>
{NESTS}{UNTAKEN}
int main(void) {{
  double m[{N * N}], x[64];
  for (int i = 0; i < 64; i++) x[i] = i + 1;{CHECK}
  if (untaken(x, {N}, {N}, 1, 0) != 153 || untaken(x, {N}, {N}, INT_MIN, -1) != 153) puts("untaken");
  if (untaken(x, {N}, 14, -9, -1) != 142) puts("taken");
}}
"""


@pytest.mark.parametrize("pipeline", ["post", "pre"])
def test_vectorised_loops_divide_in_every_lane(tmp_path: Path, pipeline: str) -> None:
    EngineToolchain(2, pipeline, Config()).build(PROGRAM, tmp_path / "a")
    done = subprocess.run([tmp_path / "a"], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, "")


def test_what_does_not_change_is_divided_in_front_of_the_loop() -> None:
    text = optimise(compile_to_ir(PROGRAM, "c", 2, "post", None, debug=False), 2, vectorise=False, unroll=False)
    changed = with_hoisted_divisions(run_passes(text, ("loop_simplify",)))
    assert changed is not None
    assert with_hoisted_divisions(changed) is None
    inside = {
        name
        for name, function in parse_module(changed).functions.items()
        for loop in analyse_loops(function).loops
        if not loop.children
        for block in loop.blocks
        for each in block.instructions
        if name in CASES and each.opcode in ("udiv", "urem", "sdiv", "srem")
    }
    assert inside == {"of_inner"}


def test_programs_without_divisions_are_left_alone() -> None:
    assert not may_divide(compile_to_ir("int f(int n) { return n / 3; }", "c", 2, "post", None, debug=False))
    assert may_divide(compile_to_ir("int f(int n, int k) { return n / k; }", "c", 2, "post", None, debug=False))


F = "static int f(int a, int b) { return a / b; } "
APART = {
    "alone": "int g(int n, int k) { return n / k; }",
    "behind": "int g(int *x, int n, int k) { for (int i = 0; i < n; i++) x[i] = i; return n / k; }",
    "called": F + "int g(int n, int k) { return f(n, k) + f(k, n); } int h(int n, int k) { return g(n, k) + f(n, n); }",
}
IN_LOOPS = {
    "here": "void g(int *x, int n, int k) { for (int i = 0; i < n; i++) x[i] = n / k; }",
    "called": F + "void g(int *x, int n, int k) { for (int i = 0; i < n; i++) x[i] = f(n, k); }",
    "called by what is called": F
    + "static int h(int a, int b) { return f(a, b) + 1; }"
    + "void g(int *x, int n, int k) { for (int i = 0; i < n; i++) x[i] = h(n, k); }",
    "recursion": "int g(int n, int k) { return n < 2 ? 1 : g(n - 1, k) + n / k; }",
    "recursion of two": "int h(int n, int k); int g(int n, int k) { return n < 2 ? 1 : h(n - 1, k) + n / k; }"
    "int h(int n, int k) { return g(n - 1, k) * 2; }",
    "pointer": F + "int (*const p)(int, int) = f;",
    "argument": F + "void h(int (*)(int, int)); void g(void) { h(f); }",
    "other name": 'int f(int a, int b) { return a / b; } int h(int, int) __attribute__((alias("f")));',
}


@pytest.mark.parametrize("name", APART)
def test_divisions_apart_from_loops_are_not_looked_for(name: str) -> None:
    text = compile_to_ir(APART[name] + "\n", "c", 0, "post", None, debug=False)
    assert may_divide(text)
    assert not may_divide_in_loops(text)


@pytest.mark.parametrize("name", IN_LOOPS)
def test_divisions_that_may_come_into_loops_are_seen(name: str) -> None:
    assert may_divide_in_loops(compile_to_ir(IN_LOOPS[name] + "\n", "c", 0, "post", None, debug=False))
