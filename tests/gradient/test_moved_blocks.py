"""Rust's realloc has a body in the copy that is differentiated: it moves numbers, and their adjoints back."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import enzyme
from enzyme.gradient.moved_blocks import with_moved_blocks
from enzyme.llvm.context import parse

MANGLED = "_RNvCs3ab_7___rustc{}___rust_{}"
PLAIN = "__rust_{}"
DECLARED = """
declare noalias ptr @{realloc}(ptr allocptr, i64, i64 allocalign, i64) #0
attributes #0 = {{ nounwind allockind("realloc,aligned") allocsize(3) "alloc-family"="__rust_alloc" }}
"""


@pytest.mark.parametrize("mangled", [True, False])
def test_body(mangled: bool) -> None:
    names = {
        word: MANGLED.format(len(word) + 7, word) if mangled else PLAIN.format(word)
        for word in ("alloc", "dealloc", "realloc")
    }
    text = DECLARED.format(**names)
    made = with_moved_blocks(text)
    parse(made)
    assert f"define available_externally noalias ptr @{names['realloc']}(" in made
    for name in ("alloc", "dealloc"):
        assert f"@{names[name]}(" in made
    assert with_moved_blocks(made) == made  # once


def test_others_stay() -> None:
    text = "declare ptr @realloc(ptr, i64)\ndeclare ptr @my__rust_realloc(ptr, i64, i64, i64)\n"
    assert with_moved_blocks(text) == text


GROWING = """
#include <stdlib.h>
#include <string.h>
void *__rust_alloc(size_t n, size_t align);
void *__rust_realloc(void *p, size_t had, size_t align, size_t n);
void __rust_dealloc(void *p, size_t n, size_t align);
double f(const double *x, int n) {
  size_t room = 1, have = 0;
  double *v = __rust_alloc(8, 8), s = 0;
  for (int i = 0; i < n; i++) {
    if (have == room) v = __rust_realloc(v, 8 * room, 8, 16 * room), room *= 2;
    v[have++] = x[i] * x[i];
    v[0] += 0.1 * v[have - 1];
  }
  for (size_t i = 0; i < have; i++) s += v[i] * v[i] * (i + 1);
  v = __rust_realloc(v, 8 * room, 8, 8);
  s += v[0];
  __rust_dealloc(v, 8, 8);
  return s;
}
"""
LIBRARY = """
#include <stdlib.h>
void *__rust_alloc(size_t n, size_t align) { return malloc(n); }
void *__rust_realloc(void *p, size_t had, size_t align, size_t n) { return realloc(p, n); }
void __rust_dealloc(void *p, size_t n, size_t align) { free(p); }
"""


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_growing(level: int, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    from enzyme.cli import main

    (tmp_path / "library.c").write_text(LIBRARY)
    assert main(["cc", "-O1", "-shared", "-fPIC", str(tmp_path / "library.c"), "-o", str(tmp_path / "library.so")]) == 0
    ctypes.CDLL(str(tmp_path / "library.so"), mode=ctypes.RTLD_GLOBAL)
    module = enzyme.compile(GROWING, opt_level=level)
    rng = np.random.default_rng(level)
    for n in (1, 2, 3, 9, 40):
        x, v = rng.uniform(-1, 1, (2, n))
        gradient = module.gradient("f")(x, n)
        tangent = module.autodiff("f", ["dup", "const"], mode="forward")((x, v), n)
        assert gradient @ v == pytest.approx(tangent, rel=1e-10)
        h = 1e-6
        slope = (module.f(x + h * v, n) - module.f(x - h * v, n)) / (2 * h)
        assert tangent == pytest.approx(slope, rel=1e-6, abs=1e-8)
