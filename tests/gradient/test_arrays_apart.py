"""Functions have a version for arrays that are apart, where that may save something and can be asked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import enzyme
from enzyme import Config
from enzyme.cli import main
from enzyme.gradient.arrays_apart import version_of

_HEAD = """
#include <math.h>
extern double __enzyme_autodiff(void *, ...);
extern double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;
extern long enzyme_tape_peak;
struct layer { double *w, *b; int in, out; };
"""
ROWS = """
void f(double *a, double *x, double *y, int n) {
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j < n; j++) s += a[i * n + j] * x[j] * x[j];
        y[i] = sin(s);
    }
}
"""
CALL = """
void gradient(double *a, double *da, double *x, double *dx, double *y, double *dy, int n) {
    __enzyme_autodiff((void *)f, enzyme_dup, a, da, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}
long peak(void) { return enzyme_tape_peak; }
"""


def _versions(body: str, call: str = CALL, **settings: object) -> set[str]:
    """The names of the versions that derivatives are made of."""
    config = Config(count_tape=True, **settings)  # type: ignore[arg-type]
    text = enzyme.compile(_HEAD + body + call, opt_level=2, config=config).ir("differentiated")
    return {version for version in ("apart", "otherwise") if f"@f.{version}.reverse" in text}


def test_versions_are_made_where_nothing_is_promised() -> None:
    assert _versions(ROWS) == {"apart", "otherwise"}
    assert _versions(ROWS, arrays_apart=False) == set()


@pytest.mark.parametrize(
    "body",
    [
        ROWS.replace("double *", "double *restrict "),
        ROWS.replace("y[i] = sin(s)", "x[i] = sin(s)").replace("a[i * n + j]", "0.5"),  # one array
        ROWS.replace("x[j] * x[j]", "x[(int)a[j]]"),  # an index that is not known
        ROWS.replace("i < n;", "y[i] > 0;"),  # nor how often the loop runs
        "static __attribute__((noinline)) double g(double *y) { return sin(*y) * *y; }"
        + ROWS.replace("y[i] = sin(s);", "y[i] = g(x) * s;"),  # nor what another function touches
    ],
)
def test_nothing_is_asked_where_nothing_is_gained_or_known(body: str) -> None:
    assert _versions(body) == set()


ONE_LOOP = "void f(double *a, double *x, double *y, int n) { for (int i = 0; i < n; i++) y[i] = WHAT; }"


@pytest.mark.parametrize(
    ("what", "asked"),
    [
        ("a[2 * i] * sin(a[2 * i + 1]) * x[i]", True),
        ("a[i] * sin(a[i + 1])", True),  # what neighbours add to stays in registers
        ("a[i] * sin(a[i + 5])", False),
        ("a[i] * sin(x[i])", False),  # copies of two numbers cost less than to ask
        ("a[i] * sin(x[i]) * y[i]", False),  # what is overwritten is kept in any case
    ],
)
def test_loops_that_read_several_numbers(what: str, asked: bool) -> None:
    assert bool(_versions(ONE_LOOP.replace("WHAT", what))) is asked


@pytest.mark.parametrize(("n", "kept"), [(100, True), (60000, False)])
def test_large_arrays_are_not_copied(n: int, kept: bool) -> None:
    body = ONE_LOOP.replace("WHAT", "a[2 * i] * a[2 * i + 1] * x[i]")
    found = []
    for config in (Config(count_tape=True), Config(arrays_apart=False)):
        module = enzyme.compile(_HEAD + body + CALL, opt_level=2, config=config)
        random = np.random.default_rng(1)
        a, x, y = random.normal(size=2 * n), random.normal(size=n), np.zeros(n)
        shadows = [np.zeros(2 * n), np.zeros(n), random.normal(size=n)]
        module["gradient"](a, shadows[0], x, shadows[1], y, shadows[2], n)
        found.append(shadows)
        if config.count_tape:
            assert (module["peak"]() > 8 * n) is kept
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)


def test_forward_mode_has_no_tape() -> None:
    call = """
void gradient(double *a, double *da, double *x, double *dx, double *y, double *dy, int n) {
    __enzyme_fwddiff((void *)f, enzyme_dup, a, da, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}
"""
    text = enzyme.compile(_HEAD + ROWS + call, opt_level=2).ir("differentiated")
    assert "@f.forward" in text
    assert ".apart" not in text


@pytest.mark.thinned(2)
@pytest.mark.parametrize("level", [1, 2, 3])
def test_tape_and_gradient(level: int) -> None:
    """Apart, each row leaves its sum; where the result lies upon what is read, each element."""
    module = enzyme.compile(_HEAD + ROWS + CALL, opt_level=level, config=Config(count_tape=True))
    plain = enzyme.compile(
        _HEAD + ROWS + CALL, opt_level=level, config=Config(count_tape=True, recompute=False, arrays_apart=False)
    )
    n = 40
    found = []
    for at in (n * n + n, n * n + 1):  # behind x, and upon it
        values = []
        for each in (module, plain):
            memory = np.linspace(0.1, 0.9, n * n + 3 * n)
            shadow = np.full(n * n + 3 * n, 0.01)
            given = [array[k:] for k in (0, n * n, at) for array in (memory, shadow)]
            each["gradient"](*given, n)
            values.append((memory, shadow))
        np.testing.assert_allclose(values[0][0], values[1][0], rtol=1e-13)
        np.testing.assert_allclose(values[0][1], values[1][1], rtol=1e-10)
        found.append(module["peak"]())
    assert found[0] <= 24 * n < 8 * n * n <= found[1]


LAYER = """
void f(const struct layer *l, double *x, double *y) {
    for (int i = 0; i < l->out; i++) {
        double s = l->b[i];
        for (int j = 0; j < l->in; j++) s += l->w[i * l->in + j] * x[j] * x[j];
        y[i] = tanh(s);
    }
}
void gradient(struct layer *l, struct layer *dl, double *x, double *dx, double *y, double *dy) {
    __enzyme_autodiff((void *)f, enzyme_dup, l, dl, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
"""


def test_arrays_of_a_struct(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """``tanh`` may set ``errno``, an int as the ends of the loops are."""
    path = tmp_path / "layer.c"
    path.write_text(_HEAD + LAYER)
    assert main(["explain", "-O2", str(path)]) == 0
    said = capsys.readouterr().out
    assert "asks, when it is called, whether the arrays that l, x, y and pointers in l lead to are apart" in said
    apart = said.split("gradient of f, where its arrays are apart")[1].split("gradient of")[0]
    assert "8 bytes per iteration; one allocation of the exact size before the loop" in apart
    assert "enlarged" not in apart
    assert "gradient of f, where its arrays may overlap" in said
    assert "loop at line 12 (depth 2)" in said.split("may overlap")[1]


CPP = """
#include <cmath>
#include <vector>
extern "C" void __enzyme_autodiff(void *, ...);
extern int enzyme_dup;
void f(const std::vector<double> &a, const std::vector<double> &x, std::vector<double> &y) {
    for (std::size_t i = 0; i < y.size(); i++) {
        double s = 0;
        for (std::size_t j = 0; j < x.size(); j++) s += a[i * x.size() + j] * x[j] * x[j];
        y[i] = std::tanh(s);
    }
}
void gradient(std::vector<double> *a, std::vector<double> *da, std::vector<double> *x, std::vector<double> *dx,
              std::vector<double> *y, std::vector<double> *dy) {
    __enzyme_autodiff((void *)f, enzyme_dup, a, da, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
"""


def test_elements_of_vectors(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "vectors.cpp"
    path.write_text(CPP)
    assert main(["explain", "-O2", str(path)]) == 0
    said = capsys.readouterr().out
    apart = said.split("where its arrays are apart")[1].split("gradient of")[0]
    assert "(depth 1): 8 bytes per iteration" in apart
    assert "(depth 2)" not in apart


WRAPPED = """
static __attribute__((noinline)) void inner(double *x, int n) {
    for (int i = 0; i < n; i++) x[i] = sin(x[i]) * x[i];
}
void f(double *x, int n) {
    x[0] *= x[1];
    inner(x, n);
}
void gradient(double *x, double *dx, int n) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx, n); }
"""


def test_the_last_call_is_reversed_where_it_is_made() -> None:
    """It writes what its caller reads, and keeps nothing."""
    texts = [
        enzyme.compile(_HEAD + body, opt_level=2).ir("differentiated")
        for body in (WRAPPED, WRAPPED.replace("inner(x, n);", "inner(x, n); x[1] *= x[0];"))
    ]
    assert "@inner.reverse.dc(" in texts[0]
    assert "@inner.augmented.dc(" not in texts[0]
    assert "@inner.augmented.dc(" in texts[1]


def test_refusals_name_what_the_program_names() -> None:
    body = "__attribute__((const)) double unknown(double);" + ROWS.replace("sin(s)", "unknown(s)")
    with pytest.raises(enzyme.EnzymeError) as caught:
        enzyme.compile(_HEAD + body + CALL, opt_level=2).ir("differentiated")
    assert "apart" not in str(caught.value)
    assert "otherwise" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("f", ("f", "")),
        ("f.apart", ("f", "apart")),
        ("f.otherwise.1", ("f", "otherwise")),
        ("_Z1fPd.apart", ("_Z1fPd", "apart")),
        ("f.apart.reverse.dd", ("f.apart.reverse.dd", "")),
    ],
)
def test_names(name: str, meant: tuple[str, str]) -> None:
    assert version_of(name) == meant
