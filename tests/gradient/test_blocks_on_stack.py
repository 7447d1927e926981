"""Small blocks of the heap that nobody else sees are locals of what is differentiated."""

from __future__ import annotations

import ctypes
import ctypes.util

import numpy as np
import pytest

import enzyme
from enzyme import Config
from enzyme.gradient.blocks_on_stack import put_on_stack
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.llvm.context import parse

SOURCE = """
#include <cmath>
#include <vector>
extern "C" double f(const double *x, int n) {
  double s = 0;
  for (int i = 0; i + 1 < n; i++) {
    std::vector<double> d(3);
    for (int k = 0; k < 3; k++) d[k] = x[3 * i + 3 + k] - x[3 * i + k];
    double r = 0.1;
    for (double each : d) r += each * each;
    s += std::sqrt(r) + 1 / r;
  }
  return s;
}
"""


def test_vectors_in_a_loop() -> None:
    library = ctypes.util.find_library("stdc++")
    if library is None:
        pytest.skip("no library of C++ here")
    ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
    rng = np.random.default_rng(1)
    x, v = rng.uniform(-1, 1, (2, 30))
    found = []
    for on in (True, False):
        module = enzyme.compile(SOURCE, language="c++", config=Config(blocks_on_stack=on))
        gradient = module.gradient("f")(x, 10)
        tangent = module.autodiff("f", ["dup", "const"], mode="forward")((x, v), 10)
        assert gradient @ v == pytest.approx(tangent, rel=1e-12)
        found.append(gradient)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-13)


def test_no_block_is_asked_for() -> None:
    asking = (
        SOURCE
        + """
    extern "C" void __enzyme_autodiff(void *, ...);
    extern int enzyme_dup, enzyme_const;
    extern "C" void g(const double *x, double *dx, int n) {
      __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n);
    }
    """
    )
    for on in (True, False):
        text = enzyme.compile(asking, language="c++", config=Config(blocks_on_stack=on)).ir("differentiated")
        derivative = text[text.index("define internal void @f.reverse") :]
        assert ("@_Znwm(" in derivative[: derivative.index("\n}")]) is not on


TEXT = """
define double @f(ptr %x, i64 %n, i1 %some) {
start:
  br label %loop
loop:
  %i = phi i64 [ 0, %start ], [ %next, %behind ]
  %s = phi double [ 0.0, %start ], [ %t, %behind ]
  HEAD
  %p = call ptr ASKED
  %at = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %at
  store double %v, ptr %p
  USE
  br label %behind
behind:
  BEHIND
  %w = load double, ptr %p
  %t = fadd double %s, %w
  call void GIVEN
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  ret double %t
}
declare ptr @malloc(i64)
declare ptr @calloc(i64, i64)
declare ptr @_Znwm(i64)
declare ptr @aligned_alloc(i64, i64)
declare ptr @__rust_alloc(i64, i64)
declare void @__rust_dealloc(ptr, i64, i64)
declare void @free(ptr)
declare void @_ZdlPv(ptr)
declare void @use(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.assume(i1)
"""


def _put(
    asked: str = "@malloc(i64 24)", use: str = "", behind: str = "", given: str = "@free(ptr %p)", head: str = ""
) -> str | None:
    text = TEXT.replace("ASKED", asked).replace("USE", use).replace("BEHIND", behind)
    module = parse_module(text.replace("GIVEN", given).replace("HEAD", head))
    changed = put_on_stack(module)
    made = print_module(module)
    parse(made)
    assert changed == (["f"] if "alloca" in made else [])
    return made if changed else None


def test_which_blocks_are_locals() -> None:
    made = _put()
    assert made is not None and "call ptr" not in made and "@free(ptr %p)" not in made
    assert made.index("alloca [24 x i8], i64 1, align 16") < made.index("loop:")
    assert 0 < made.index("lifetime.start") < made.index("store double") < made.index("lifetime.end")
    assert _put("@_Znwm(i64 24)", given="@_ZdlPv(ptr %p)")
    assert _put("@__rust_alloc(i64 24, i64 8)", given="@__rust_dealloc(ptr %p, i64 24, i64 8)")
    assert _put("@aligned_alloc(i64 16, i64 32)")
    assert not _put("@aligned_alloc(i64 64, i64 64)")
    assert not _put("@malloc(i64 %n)")
    assert not _put("@malloc(i64 0)")
    assert not _put("@malloc(i64 136)")


def test_cleared_blocks() -> None:
    made = _put("@calloc(i64 3, i64 8)")
    assert made is not None and "@llvm.memset.p0.i64(ptr %p, i8 0, i64 24, i1 false)" in made


def test_what_is_done_with_them() -> None:
    assert _put(use="%q = getelementptr i8, ptr %p, i64 8\n  store double 1.0, ptr %q")
    assert _put(use="%c = icmp eq ptr %p, null")
    assert _put(use='call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 8) ]')
    assert not _put(use="%a = ptrtoint ptr %p to i64\n  store i64 %a, ptr %x")
    assert not _put(use="%a = ptrtoint ptr %p to i64\n  %l = sub i64 %a, %n")
    assert not _put(use="call void @use(ptr %p)")
    assert not _put(use="store ptr %p, ptr %x")
    assert not _put(use="%u = load volatile double, ptr %p")
    assert not _put(use="%q = getelementptr double, ptr %p, i64 %n\n  %u = load double, ptr %q")  # stays memory
    assert not _put(given="@use(ptr null)")  # is never given back


def test_calls_that_are_said_to_touch_no_locals() -> None:
    made = _put(use="tail call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 24, i1 false)")
    assert made is not None and "tail call void @llvm.memset" not in made


@pytest.mark.parametrize("rounds", ["%n", "3"])
def test_blocks_that_live_on(rounds: str) -> None:
    """What the next iteration has of the last one's block is not in its own, also where the loop is unrolled."""
    last = "%last = phi ptr [ null, %start ], [ %p, %behind ]"
    text = TEXT.replace("  HEAD\n", f"  {last}\n  HEAD\n").replace("HEAD", "%o = icmp eq ptr %last, null")
    text = text.replace("ASKED", "@malloc(i64 24)").replace("USE", "").replace("BEHIND", "")
    text = text.replace("icmp eq i64 %next, %n", f"icmp eq i64 %next, {rounds}")
    module = parse_module(text.replace("GIVEN", "@free(ptr %p)"))
    assert put_on_stack(module) == []


def test_given_back_as_one_of_two() -> None:
    assert not _put(behind="%r = select i1 %some, ptr %p, ptr %x", given="@free(ptr %r)")
