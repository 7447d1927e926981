"""Small blocks of derivatives come from lists of the thread; what derivatives give is the same."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from threading import Barrier, Thread

import numpy as np
import pytest

import enzyme
from enzyme.cli import main
from enzyme.llvm.block_lists import (
    HELD,
    LISTS,
    MOST,
    OF_DERIVATIVE,
    THREADS,
    bytes_on_lists,
    threads_with_lists,
    with_block_lists,
)
from enzyme.llvm.kept_blocks import OF_TAPE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there are lists on Linux")

PROGRAM = """
#include <math.h>
#include <stdlib.h>
void __enzyme_autodiff(void *, ...);
extern int enzyme_const;
struct node { double value; struct node *next; char more[LONG]; };
// nodes that live until the end, and a recursion whose frames do
static double half(const double *x, long n) {
  if (n < 2) return sin(x[0]);
  double a = half(x, n / 2), b = half(x + n / 2, n - n / 2);
  return a * b + x[n / 2] * a;
}
double f(const double *x, long n) {
  struct node *head = 0;
  double s = 0;
  for (long i = 0; i < n; i++) {
    struct node *one = i % 2 ? malloc(sizeof *one) : calloc(1, sizeof *one);
    one->value = x[i] * x[(i * 7) % n] + one->more[0] * (i % 2 ? 0 : 1), one->next = head, head = one;
  }
  for (struct node *p = head; p; p = p->next) s = s * 0.5 + sin(p->value) * p->value;
  while (head) { struct node *next = head->next; free(head); head = next; }
  return s + half(x, n);
}
void gradient(const double *x, double *dx, long n) { __enzyme_autodiff((void *)f, x, dx, enzyme_const, n); }
"""


@cache
def program(length: int = 1, on: bool = True) -> enzyme.Module:
    return enzyme.compile(PROGRAM.replace("LONG", str(length)), config=enzyme.Config(block_lists=on))


def gradient(module: enzyme.Module, n: int, seed: int = 3) -> np.ndarray:
    x, dx = np.random.default_rng(seed).uniform(0.1, 0.9, n), np.zeros(n)
    module["gradient"](x, dx, n)
    return dx


@pytest.mark.thinned(8)
@pytest.mark.parametrize("length", [1, 8, 9, 100, 990, 1000, 1100, 5000, 60_000, 114_660, 114_670, 131_050])
def test_calls_of_many_sizes(length: int) -> None:
    lists, plain = program(length), program(length, False)
    assert f"@{LISTS} " in lists.ir("optimised") and "enzyme.rt.lists" not in plain.ir("optimised")
    for seed, n in enumerate((5, 300, 40, 1, 301, 2000 if length < 5000 else 30, 40, 5)):
        np.testing.assert_array_equal(gradient(lists, n, seed), gradient(plain, n, seed))


def test_threads() -> None:
    modules = [program(length) for length in (1, 100, 2000)]
    work = [(module, n, seed) for seed in range(12) for module in modules for n in (5, 300, 2000)]
    expected = [gradient(*each) for each in work]
    for count in (8, 3):
        with ThreadPoolExecutor(count) as pool:
            for found, one in zip(pool.map(lambda each: gradient(*each), work), expected, strict=True):
                np.testing.assert_array_equal(found, one)


def test_more_threads_than_lists() -> None:
    """All at once, so that no two have one address: those that find no place ask the allocator."""
    module = program()
    expected, found = gradient(module, 300), []
    together = [
        Thread(target=lambda: found.extend(gradient(module, 300) for _ in range(20))) for _ in range(2 * THREADS)
    ]
    for each in together:
        each.start()
    for each in together:
        each.join()
    assert len(found) == 40 * THREADS
    for one in found:
        np.testing.assert_array_equal(one, expected)


def soon(holds: Callable[[], bool]) -> bool:
    """Python's threads say that they have ended a little before the system's have."""
    until = time.monotonic() + 60
    while not holds() and time.monotonic() < until:
        time.sleep(0.001)
    return holds()


def test_threads_that_end_leave_nothing() -> None:
    """As many as there are places, all at once, and then as many again, at other addresses or not."""
    module, together = program(), Barrier(THREADS)
    gradient(module, 300)
    assert soon(lambda: threads_with_lists() == 1)
    before, seen = bytes_on_lists(), []

    def work() -> None:
        gradient(module, 300)
        together.wait()
        seen.append((threads_with_lists(), bytes_on_lists()))
        together.wait()

    for _ in range(3):
        threads = [Thread(target=work) for _ in range(THREADS)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert soon(lambda: (threads_with_lists(), bytes_on_lists()) == (1, before))
    assert min(count for count, _ in seen) > THREADS // 2
    assert min(held for _, held in seen) - before > THREADS // 2 * 300 * 2 * 24


AT_EXIT = """
import sys, threading, time
import numpy as np, enzyme
module = enzyme.compile(sys.argv[1])
def work(ready, stay):
    x, dx = np.full(300, 0.5), np.zeros(300)
    module["gradient"](x, dx, 300)
    ready.set()
    time.sleep(stay)
for stay in (0.0, 1000.0, 0.3, 0.02):
    ready = threading.Event()
    threading.Thread(target=work, args=(ready, stay), daemon=True).start()
    ready.wait()
    module = enzyme.compile(sys.argv[1] + f"double other(double x) {{ return {stay} * x; }}")
print("done")
"""


def test_threads_that_end_when_the_process_does() -> None:
    command = [sys.executable, "-c", AT_EXIT, PROGRAM.replace("LONG", "1")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_what_is_held() -> None:
    def held(n: int, length: int = 1) -> int:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(enzyme.free_tapes).result()
            before = bytes_on_lists()
            first, second = (pool.submit(lambda: (gradient(program(length), n), bytes_on_lists())[1]) for _ in range(2))
            assert second.result() < 1.3 * first.result()  # not all of them have the same neighbours
            freed = pool.submit(enzyme.free_tapes).result()
            assert freed >= second.result() - before and bytes_on_lists() == before
            return second.result() - before

    enzyme.free_tapes()
    assert soon(lambda: threads_with_lists() <= 1)
    few = held(300)
    assert 300 * 2 * 24 < few < 300 * 600
    assert few < held(600) < 3 * few
    assert 0.9 * HELD < held(700_000, 40) <= HELD
    assert held(20, 200_000) < few  # its nodes are no small blocks


def test_another_derivative_gets_none_of_many() -> None:
    def held() -> list[int]:
        found = []
        for module, n in ((program(), 40_000), (program(), 40_000), (program(8), 10), (program(8), 10)):
            gradient(module, n)
            found.append(bytes_on_lists())
        return found

    enzyme.free_tapes()
    assert soon(lambda: threads_with_lists() <= 1)
    with ThreadPoolExecutor(1) as pool:
        before = bytes_on_lists()
        many, again, few, as_few = pool.submit(held).result()
        pool.submit(enzyme.free_tapes).result()
    assert many - before > 2 << 20 and again < 1.3 * many
    assert few - before < 20_000 and as_few < 1.3 * few


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_valgrind_finds_nothing(tmp_path: Path) -> None:
    """Its allocator has blocks of as many bytes as were asked for, also of one."""
    programs = Path(__file__).parents[1] / "programs"
    words = [
        "cc",
        "-O2",
        "-g",
        "-march=x86_64",
        "-w",
        f"-I{programs}",
        str(programs / "memory" / "block_lists.c"),
        "-lm",
    ]
    assert main([*words, "-o", str(tmp_path / "program")]) == 0
    command = ["valgrind", "-q", "--leak-check=full", "--errors-for-leak-kinds=definite,possible", "--error-exitcode=9"]
    done = subprocess.run([*command, tmp_path / "program"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("ok "), done.stdout[-2000:] + done.stderr[:4000]


OWN = """
#include <stdio.h>
#include <stdlib.h>
void gradient(const double *, double *, long);
void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
static int fresh;
void *__wrap_malloc(size_t size) { return fresh++, __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return fresh++, __real_calloc(count, size); }
int main(void) {
  static double x[500], dx[500];
  for (int call = 0; call < 4; call++) {
    for (int i = 0; i < 500; i++) x[i] = 0.1 + i % 7 * 0.1, dx[i] = 0;
    fresh = 0;
    gradient(x, dx, 500);
    printf("%d ", fresh);
  }
}
"""


def test_the_allocator_is_asked_once(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(OWN)
    (tmp_path / "f.c").write_text(PROGRAM.replace("LONG", "30"))
    files = [str(tmp_path / f"{name}.c") for name in ("main", "f")]
    counts = []
    for off in ("", "block_lists"):
        made = [*files, "-o", str(tmp_path / "program"), "-Wl,--wrap=malloc,--wrap=calloc", "-Wno-enzyme", "-lm"]
        assert main(["cc", "-O2", *made, f"--enzyme-off={off}"]) == 0
        run = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=True)
        counts.append([*map(int, run.stdout.split())])
    lists, plain = counts
    assert plain[0] > 1000 and len(set(plain)) == 1
    assert lists[0] > 1000 and max(lists[1:]) < 10


THREADED = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef LIBRARY
#include <dlfcn.h>
#endif
void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void __real_free(void *);
static _Atomic long alive;
void *__wrap_malloc(size_t size) { return alive++, __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return alive++, __real_calloc(count, size); }
void __wrap_free(void *block) { if (block) alive--; __real_free(block); }
typedef void gradient_of(const double *, double *, long);
static gradient_of *at, *behind;
gradient_of gradient, second;
static pthread_barrier_t together;
static void *work(void *apart) {
  double x[400], dx[400];
  for (int call = 0; call < 3; call++) {
    for (int i = 0; i < 400; i++) x[i] = 0.1 + i % 7 * 0.1, dx[i] = 0;
    at(x, dx, 400), behind(x, dx, 400);
  }
  if (!apart) pthread_barrier_wait(&together), pthread_barrier_wait(&together);
  return 0;
}
int main(int argc, char **argv) {
#ifdef LIBRARY
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library) return puts(dlerror()), 1;
  at = (gradient_of *)dlsym(library, "gradient"), behind = (gradient_of *)dlsym(library, "second");
#else
  at = gradient, behind = second;
#endif
  static pthread_t threads[40];
  long least = 1 << 30;
  for (int round = 0; round < 4; round++) {
    pthread_barrier_init(&together, 0, 41);
    for (int i = 0; i < 40; i++) pthread_create(&threads[i], 0, work, 0);
    pthread_barrier_wait(&together);
    if (alive < least) least = alive;
#ifdef LIBRARY
    if (round == 3) dlclose(library);  // threads that have lists end when the code is gone
#endif
    pthread_barrier_wait(&together);
    for (int i = 0; i < 40; i++) pthread_join(threads[i], 0);
#ifndef LIBRARY
    // glibc keeps a few for the next threads, which can be seen where it is linked statically
    if (alive > 100) return printf("%ld blocks are left\\n", (long)alive), 1;
    for (int i = 0; i < 200; i++) pthread_create(threads, 0, work, threads), pthread_join(*threads, 0);
    if (alive > 100) return printf("%ld blocks are left of threads one by one\\n", (long)alive), 1;
#endif
  }
  printf("%s\\n", least > 20000 ? "ok" : "no lists");
}
"""


@pytest.mark.thinned(2)
@pytest.mark.parametrize("how", ["program", "static", "library"])
def test_threads_end(how: str, tmp_path: Path) -> None:
    second = PROGRAM.replace("LONG", "40").replace(" f(", " g(").replace(")f,", ")g,").replace("gradient", "second")
    for name, text in (("main", THREADED), ("f", PROGRAM.replace("LONG", "1")), ("g", second)):
        (tmp_path / f"{name}.c").write_text(text)
    for name in "fg":
        assert main(["cc", "-O2", "-fPIC", "-c", str(tmp_path / f"{name}.c"), "-o", str(tmp_path / f"{name}.o")]) == 0
    files, options = [str(tmp_path / f"{name}.o") for name in "fg"], ["-O2", "-Wno-enzyme", "-lm", "-lpthread"]
    program, library = str(tmp_path / "program"), str(tmp_path / "library.so")
    wrapped = ["-Wl,--wrap=malloc,--wrap=calloc,--wrap=free"]
    if how == "library":
        assert main(["cc", *files, "-shared", "-fPIC", "-o", library, *options]) == 0
        files, wrapped = [], [*wrapped, "-DLIBRARY"]
    elif how == "static":
        wrapped += ["-static"]
    assert main(["cc", str(tmp_path / "main.c"), *files, "-o", program, *wrapped, *options, "-ldl"]) == 0
    done = subprocess.run([program, library], capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stdout) == (0, "ok\n" if how != "library" else "no lists\n"), done.stdout


FEW = """
#include <math.h>
__attribute__((noinline)) static void ways(const double *p, double *out) {
  for (int i = 0; i < 12; i++) out[i] = sin(p[i] * p[0]);
  for (int k = 0; k < 6; k++)
    for (int i = 1; i < 12; i++) out[i] = 0.5 * out[i] * out[i - 1] + 0.4 * out[(i + k) % 12];
}
double f(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double a[12];
    ways(x + i, a);
    s += sin(a[3]) + a[5];
  }
  return s;
}
"""


def test_blocks_of_tapes_that_come_back_are_taken_again() -> None:
    """Those whose size is known, and small, came from the allocator and went to the lists, until these were full."""
    derivative = enzyme.compile(FEW).autodiff("f", ["dup", "const"])
    x, found = np.linspace(0.3, 0.7, 1020), []
    for _ in range(3):
        derivative((x, np.zeros(1020)), 1000)
        found.append(bytes_on_lists())
    assert found[1] == found[2]
    assert found[2] - found[0] < 1 << 14


def test_who_has_lists() -> None:
    def has(level: int = 2, **settings: object) -> bool:
        source = PROGRAM.replace("LONG", "1")
        return LISTS in enzyme.compile(source, opt_level=level, config=enzyme.Config(**settings)).ir("optimised")  # type: ignore[arg-type]

    assert has() and has(3) and has(kept_blocks=False)
    assert not has(block_lists=False) and not has(count_tape=True) and not has(0) and not has(1)


def test_other_systems_and_allocators() -> None:
    program = f"""target triple = "x86_64-unknown-linux-gnu"
define ptr @f(i64 %n) {{
  %p = tail call noalias ptr @malloc(i64 %n) #1, !x !0
  %large = tail call noalias ptr @malloc(i64 {MOST + 1})
  %own = tail call noalias ptr @calloc(i64 %n, i64 8) #0
  call void @free(ptr %own)
  ret ptr %p
}}
define ptr @g(i64 %n) {{
  %p = tail call noalias ptr @malloc(i64 %n) #0
  ret ptr %p
}}
define ptr @h(i64 %n) {{
  %p = tail call ptr @enzyme.rt.kept.take(i64 %n) #0
  ret ptr %p
}}
define ptr @small(i64 %n) {{
  %p = tail call noalias ptr @malloc(i64 192) #2
  ret ptr %p
}}
declare ptr @enzyme.rt.kept.take(i64)
declare noalias ptr @malloc(i64)
declare noalias ptr @calloc(i64, i64)
declare void @free(ptr)
attributes #0 = {{ nounwind }}
attributes #1 = {{ nounwind {OF_DERIVATIVE} }}
attributes #2 = {{ nounwind {OF_TAPE} }}
!0 = !{{}}
"""
    made = with_block_lists(program)
    assert "%p = tail call noalias ptr @enzyme.rt.lists.take(i64 %n) #1, !x !0" in made
    assert f"@malloc(i64 {MOST + 1})" in made
    assert "%own = tail call noalias ptr @enzyme.rt.lists.clear(i64 %n, i64 8) #0" in made
    assert "call void @enzyme.rt.lists.give(ptr %own)" in made
    assert "%p = tail call noalias ptr @malloc(i64 %n) #0" in made  # of a function that has no derivative inside
    assert "%p = tail call ptr @enzyme.rt.lists.take.tape(i64 %n) #0" in made
    assert "%p = tail call noalias ptr @enzyme.rt.lists.take(i64 192) #2" in made  # what gives it back may know no size
    assert with_block_lists(made) == made
    for triple in ("x86_64-apple-macosx", "x86_64-pc-windows-msvc", "nvptx64-nvidia-cuda"):
        other = program.replace("x86_64-unknown-linux-gnu", triple)
        assert with_block_lists(other) == other
    own = program.replace("declare noalias ptr @malloc(i64)", "define ptr @malloc(i64 %n) {\n  ret ptr null\n}")
    assert with_block_lists(own) == own
    checked = program.replace("(i64 %n) {", "(i64 %n) sanitize_address {")
    assert with_block_lists(checked) == checked
