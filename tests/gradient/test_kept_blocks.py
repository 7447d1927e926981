"""Large blocks of tapes are kept for the next call; what derivatives give is the same."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import enzyme
from enzyme.cli import main
from enzyme.llvm.kept_blocks import LEAST, LIST, OF_TAPE, kept_sizes, with_kept_blocks

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="blocks are kept on Linux")

PROGRAM = """
#include <math.h>
void __enzyme_autodiff(void *, ...);
extern int enzyme_const;
// n numbers for each of m steps, and a bit for each of them
double f(const double *x, double *y, long n, long m) {
  double s = 0;
  for (long k = 0; k < m; k++)
    for (long i = 0; i < n; i++) {
      if (y[i] * x[i] > 0.3) y[i] = sin(y[i]) * 0.9; else y[i] = exp(-y[i] * x[i]) + 0.1 * s;
      s += y[i] * x[i] / n;
    }
  return s;
}
// how many steps there are nobody knows before, nor in the loop inside
double g(const double *x, double *y, long n, long m) {
  double s = y[0], t = 0.5;
  for (long k = 0; s < 1e9 && k < m; k++) {
    s = s * 0.7 + sin(s * x[k % n]) + 1;
    for (long j = 0; t < 8 && j < k % 5; j++) t = t * 1.1 + s * 0.01 * t;
    t = cos(t) + 1.5;
  }
  return s * t;
}
void gradient_f(const double *x, double *dx, double *y, double *dy, long n, long m) {
  __enzyme_autodiff((void *)f, x, dx, y, dy, enzyme_const, n, enzyme_const, m);
}
void gradient_g(const double *x, double *dx, double *y, double *dy, long n, long m) {
  __enzyme_autodiff((void *)g, x, dx, y, dy, enzyme_const, n, enzyme_const, m);
}
"""
SIZES = [
    (50, 40),
    (3000, 30),
    (3000, 30),
    (40, 3),
    (3000, 90),
    (2000, 70),
    (30_000, 20),
    (3000, 30),
    (1, 1),
    (30_001, 20),
]


def gradient(program: enzyme.Module, name: str, n: int, m: int, seed: int = 3) -> np.ndarray:
    x, y = np.random.default_rng(seed).uniform(0.1, 0.9, (2, n))
    dx, dy = np.zeros((2, n))
    program[f"gradient_{name}"](x, dx, y, dy, n, m)
    return np.concatenate([dx, dy])


@pytest.mark.thinned(8)
@pytest.mark.parametrize("off", ["", "remember_rooms", "one_block", "stack_rooms", "entries_together", "large_pages"])
@pytest.mark.parametrize("name", ["f", "g"])
def test_calls_of_many_sizes(name: str, off: str) -> None:
    enzyme.free_tapes()
    more = {off: False} if off else {}
    kept = enzyme.compile(PROGRAM, config=enzyme.Config(**more))  # type: ignore[arg-type]
    fresh = enzyme.compile(PROGRAM, config=enzyme.Config(kept_blocks=False, **more))  # type: ignore[arg-type]
    assert f"@{LIST}" in kept.ir("optimised") and "enzyme.rt.kept" not in fresh.ir("optimised")
    for seed, (n, m) in enumerate(SIZES):
        for each in (n, m), (m, n):
            np.testing.assert_array_equal(gradient(kept, name, *each, seed), gradient(fresh, name, *each, seed))
    assert kept_sizes()


@pytest.mark.thinned(2)
@pytest.mark.parametrize("tape_limit", [100_000, 3_000_000])
def test_checkpoints(tape_limit: int) -> None:
    kept, fresh = (
        enzyme.compile(PROGRAM, config=enzyme.Config(tape_limit=tape_limit, kept_blocks=on)) for on in (True, False)
    )
    for n, m in SIZES:
        np.testing.assert_array_equal(gradient(kept, "f", n, m), gradient(fresh, "f", n, m))


def test_threads() -> None:
    program = enzyme.compile(PROGRAM)
    work = [(name, *size, seed) for seed, size in enumerate(SIZES * 4) for name in ("f", "g")]
    expected = [gradient(program, *each) for each in work]
    with ThreadPoolExecutor(8) as pool:
        for found, one in zip(pool.map(lambda each: gradient(program, *each), work), expected, strict=True):
            np.testing.assert_array_equal(found, one)


def test_what_is_kept() -> None:
    program = enzyme.compile(PROGRAM)
    enzyme.free_tapes()
    assert kept_sizes() == [] and enzyme.free_tapes() == 0
    gradient(program, "f", 100, 10)
    assert kept_sizes() == []  # a small tape is left to the allocator
    gradient(program, "f", 3000, 100)
    few = kept_sizes()
    assert few and min(few) >= LEAST and max(few) >= 8 * 3000 * 100
    gradient(program, "f", 3000, 100)
    assert sorted(kept_sizes()) == sorted(few)
    gradient(program, "f", 30_000, 100)
    many = kept_sizes()
    assert max(many) >= 8 * 30_000 * 100
    assert sum(many) < 9.6 * sum(few) + sum(few) / 2  # those that had become too small are gone
    other = enzyme.compile(PROGRAM.replace("0.3", "0.31"))  # its own code, the same blocks
    gradient(other, "f", 30_000, 100)
    assert sorted(kept_sizes()) == sorted(many)
    assert sum(many) <= enzyme.free_tapes() <= sum(many) + 100_000  # and what is on lists (block_lists.py)
    assert kept_sizes() == []


@pytest.mark.thinned(2)
@pytest.mark.parametrize("n", [55, 58, 60])
def test_the_smallest_that_are_kept(n: int) -> None:
    """They do not go to the lists of smaller blocks."""
    program = enzyme.compile(PROGRAM)
    enzyme.free_tapes()
    for _ in range(3):
        gradient(program, "f", n, 100)
        (size,) = kept_sizes()
        assert LEAST <= 24 * n * 100 <= size < 27 * n * 100


COUNTING = """
#include <stdio.h>
#include <stdlib.h>
void gradient_f(const double *, double *, double *, double *, long, long);
void gradient_g(const double *, double *, double *, double *, long, long);
void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
static int fresh;
void *__wrap_malloc(size_t size) { return fresh += size >= 131072, __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return fresh += count * size >= 131072, __real_calloc(count, size); }
void *__wrap_realloc(void *old, size_t size) { return fresh += size >= 131072, __real_realloc(old, size); }
int main(void) {
  static double x[3000], y[3000], dx[3000], dy[3000];
  for (int call = 0; call < 8; call++) {
    for (int i = 0; i < 3000; i++) x[i] = 0.1 + i % 7 * 0.1, y[i] = 0.2 + i % 5 * 0.1, dx[i] = dy[i] = 0;
    fresh = 0;
    (call % 2 ? gradient_g : gradient_f)(x, dx, y, dy, 3000, call % 2 ? 100000 : 100);
    printf("%d ", fresh);
  }
}
"""


def test_the_system_is_asked_once(tmp_path: Path) -> None:
    """Two files that have derivatives share one list."""
    (tmp_path / "main.c").write_text(COUNTING)
    for name, other in ("fg", "gf"):
        text = PROGRAM.replace(f"void gradient_{other}", f"static void gradient_{other}")
        (tmp_path / f"{name}.c").write_text(
            text.replace("double f(", "static double f(").replace("double g(", "static double g(")
        )
    files = [str(tmp_path / f"{name}.c") for name in ("main", "f", "g")]
    wrap = "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc"
    counts = []
    for off in ("", "kept_blocks"):
        made = [*files, "-o", str(tmp_path / "program"), wrap, "-Wno-enzyme", "-lm", f"--enzyme-off={off}"]
        assert main(["cc", "-O2", *made]) == 0
        run = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=True)
        counts.append([*map(int, run.stdout.split())])
    kept, fresh = counts
    assert kept[0] > 0 and kept[4:] == [0] * 4, kept
    assert all(fresh), fresh
    names = subprocess.run(["nm", str(tmp_path / "program")], capture_output=True, text=True).stdout
    assert names.count("enzyme.rt.kept.1") <= 1


def test_who_keeps_nothing() -> None:
    def keeps(source: str = PROGRAM, level: int = 2, **settings: object) -> bool:
        return LIST in enzyme.compile(source, opt_level=level, config=enzyme.Config(**settings)).ir("optimised")  # type: ignore[arg-type]

    assert keeps() and keeps(level=3)
    assert not keeps(kept_blocks=False)
    assert not keeps(count_tape=True)
    assert not keeps(level=0) and not keeps(level=1)


def test_other_systems_and_allocators() -> None:
    program = f"""target triple = "x86_64-unknown-linux-gnu"
define ptr @f(i64 %n) {{
  %p = tail call noalias ptr @malloc(i64 %n) #1, !x !0
  %small = tail call noalias ptr @malloc(i64 800) #1
  %own = tail call noalias ptr @malloc(i64 %n) #0
  call void @free(ptr %small) #1
  ret ptr %p
}}
declare noalias ptr @malloc(i64)
declare void @free(ptr)
attributes #0 = {{ nounwind }}
attributes #1 = {{ nounwind {OF_TAPE} }}
!0 = !{{}}
"""
    made = with_kept_blocks(program)
    assert "%p = tail call noalias ptr @enzyme.rt.kept.take(i64 %n) #1, !x !0" in made
    assert "%small = tail call noalias ptr @malloc(i64 800)" in made
    assert "%own = tail call noalias ptr @malloc(i64 %n)" in made
    assert "call void @enzyme.rt.kept.give(ptr %small)" in made
    assert with_kept_blocks(made) == made
    for triple in ("x86_64-apple-macosx", "x86_64-pc-windows-msvc", "nvptx64-nvidia-cuda"):
        other = program.replace("x86_64-unknown-linux-gnu", triple)
        assert with_kept_blocks(other) == other
    own = program.replace("declare noalias ptr @malloc(i64)", "define ptr @malloc(i64 %n) {\n  ret ptr null\n}")
    assert with_kept_blocks(own) == own
    checked = program.replace("@f(i64 %n) {", "@f(i64 %n) sanitize_address {")
    assert with_kept_blocks(checked) == checked
