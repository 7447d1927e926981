"""Iterations that run again, several at once: where that is done, and the same numbers either way."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pytest

import enzyme
from enzyme.cli import main
from enzyme.gradient import augmentation, replay
from enzyme.gradient.lower import synthesize
from enzyme.support.config import Config
from enzyme.support.diagnostics import EnzymeError

Array: TypeAlias = npt.NDArray[np.float64]

SOURCE = """
#include <math.h>
#include <stdlib.h>
__attribute__((annotate("enzyme_loops=recompute")))
double f(const double *restrict m, const double *restrict q, const double *restrict p, int d, int n) {
    double *c = malloc(sizeof(double) * d), *y = malloc(sizeof(double) * d), s = 0;
    for (int i = 0; i < n; i++) {
        double r = 0, largest = -1e300;
        for (int j = 0; j < d; j++) c[j] = p[i * d + j] - m[j];
        for (int j = 0; j < d; j++) y[j] = q[j * d + j] * c[j];
        for (int j = 0; j < d; j++) for (int l = j + 1; l < d; l++) y[l] += q[j * d + l] * c[j];
        for (int j = 0; j < d; j++) largest = y[j] > largest ? y[j] : largest;
        for (int j = 0; j < d; j++) r += WHAT;
        s += log(r) + largest;
    }
    free(c), free(y);
    return s;
}
"""
PLAIN = "exp(y[j] - largest)"
D = 4


def gradients(module: enzyme.Module, n: int) -> list[Array]:
    m, q, p = np.linspace(-0.4, 0.7, D), np.sin(np.arange(D * D) + 1.0), np.cos(np.arange(max(n, 1) * D))
    shadows = [np.zeros_like(m), np.zeros_like(q)]
    module.autodiff("f", ["dup", "dup", "const", "const", "const"])((m, shadows[0]), (q, shadows[1]), p, D, n)
    return shadows


@pytest.mark.thinned(4)
@pytest.mark.parametrize(
    ("config", "pipeline"),
    [
        (Config(), "pre"),
        (Config(), "post"),
        (Config(cpu=""), "post"),
        (Config(check_plan=True, count_tape=True, fuse=False, verify_each=True), "post"),
    ],
)
def test_numbers_are_the_same(config: Config, pipeline: str) -> None:
    source = SOURCE.replace("WHAT", PLAIN)
    together, alone = (
        enzyme.compile(source, config=each, pipeline=pipeline) for each in (config, Config(iterations_together=False))
    )
    for n in (0, 1, 7, 8, 9, 16, 30):
        for found, wanted in zip(gradients(together, n), gradients(alone, n), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14, err_msg=f"n = {n}")


def explained(path: Path, capsys: pytest.CaptureFixture[str], source: str) -> str:
    path.write_text(source)
    assert main(["explain", str(path), "--function", "f", "--args", "dup,dup,const,const,const"]) == 0
    return " ".join(capsys.readouterr().out.split())


def of_outer_loop(text: str) -> str:
    """What is said of the loop around all others."""
    said = re.findall(r"loop at line (\d+) ((?:keeps|runs|reverses)(?:(?! loop at)[^(])*)", text)
    return min(said, key=lambda each: int(each[0]))[1]


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("what", "off", "at_once"),
    [
        (PLAIN, "", True),
        ("exp(y[j]) * (i % 3 ? y[j] : 2.0)", "", True),
        ("erf(y[j]) * q[(int)(p[i] * p[i])]", "", True),
        (PLAIN, "iterations_together", False),
        (PLAIN, "reassociate", False),
        ("y[j] > 0 ? exp(y[j]) : sin(y[j])", "", False),
    ],
)
def test_explain_tells_where_it_is_done(
    what: str,
    off: str,
    at_once: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ENZYME_OFF", off)
    text = explained(tmp_path / "f.c", capsys, SOURCE.replace("WHAT", what))
    assert "runs its iterations in the reverse sweep" in text
    assert ("in the reverse sweep, 8 at once" in text) == at_once


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "change",
    [
        ("free(c)", "for (int j = 0; j < d; j++) s += y[j];\nfree(c)"),  # scratch is read behind the loop
        ("for (int i = 0; i < n; i++)", "for (int i = 0; i < n; i += i + 1)"),  # no even steps
        ("for (int i = 0; i < n; i++)", "for (int i = 0; s < n; i++)"),  # nobody knows how many
        ("free(c)", "extern void free_sized(void *, size_t); free_sized(c, sizeof(double) * d)"),  # has to be that size
    ],
)
def test_loops_that_have_to_run_one_by_one(
    change: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = explained(tmp_path / "f.c", capsys, SOURCE.replace("WHAT", PLAIN).replace(*change))
    assert "at once" not in of_outer_loop(text)


def test_one_by_one_where_several_cannot_be_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENZYME_CACHE", "off")

    def refuse(*arguments: object) -> str:
        callee = arguments[3]
        return "of a test" if (callee.name or "").endswith(".together") else replay.why_not(*arguments)  # type: ignore

    monkeypatch.setattr(augmentation, "why_not", refuse)
    text = explained(tmp_path / "f.c", capsys, SOURCE.replace("WHAT", PLAIN))
    assert "runs its iterations in the reverse sweep as the function asks" in text


def test_one_by_one_where_several_have_no_derivative(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENZYME_CACHE", "off")

    def refuse(*arguments: object) -> str:
        if (arguments[3].name or "").endswith(".together"):  # type: ignore[attr-defined]
            raise EnzymeError("nothing comes of it")
        return replay.why_not(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(augmentation, "why_not", refuse)
    text = explained(tmp_path / "f.c", capsys, SOURCE.replace("WHAT", PLAIN))
    assert "runs its iterations in the reverse sweep as the function asks" in text


LOOKED_UP = """
#include <math.h>
#include <stdlib.h>
__attribute__((annotate("enzyme_loops=recompute")))
double f(const double *restrict m, const double *restrict q, const double *restrict p, int d, int n) {
    double *y = malloc(sizeof(double) * (d MORE)), s = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < d; j++) {
            double r = m[j];
            for (int l = 0; l < d; l++) r += q[j * d + l] * p[ROW + l];
            y[j] = tanh(r);
        }
        y[(int)p[i] & 1] *= 0.5;
        double r = 0;
        for (int j = 0; j < d; j++) r += exp(y[j]);
        s += log(r) - y[(int)p[i] & 3];
    }
    free(y);
    return s;
}
"""


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("more", "row", "at_once"),
    [
        ("", "i * d", True),
        ("", "(n - 1 - i) * d", True),
        ("+ 1", "i * d", False),  # y[d] would be what an earlier iteration left, for all one knows
        ("- 0", "i", True),
    ],
)
def test_scratch_in_which_each_iteration_looks_elsewhere(
    more: str, row: str, at_once: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = LOOKED_UP.replace("MORE", more).replace("ROW", row)
    assert ("8 at once" in of_outer_loop(explained(tmp_path / "f.c", capsys, source))) == at_once


@pytest.mark.thinned(4)
@pytest.mark.parametrize("row", ["i * d", "(n - 1 - i) * d", "i", "0"])
def test_rows_side_by_side(row: str) -> None:
    source = LOOKED_UP.replace("MORE", "").replace("ROW", row)
    settings = ({}, {"packed_rows": False}, {"iterations_together": False}, {"check_plan": True})
    modules = [enzyme.compile(source, config=Config(**each)) for each in settings]  # type: ignore[arg-type]
    for n in (0, 1, 7, 8, 9, 30):
        found = []
        for module in modules:
            m, q, p = np.linspace(-0.4, 0.7, D), np.sin(np.arange(D * D) + 1.0), 2 + np.cos(np.arange(32.0 * D))
            shadows = [np.zeros_like(each) for each in (m, q, p)]
            module.autodiff("f", ["dup", "dup", "dup", "const", "const"])(*zip((m, q, p), shadows, strict=True), D, n)
            found.append(np.concatenate(shadows))
        for each in found[:-1]:
            np.testing.assert_allclose(each, found[-1], rtol=1e-12, atol=1e-14, err_msg=f"n = {n}")


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("change", "packed"),
    [
        (("", ""), True),
        (("for (int l = 0; l < d; l++) r +=", "for (int l = 0; l < j + 1; l++) r +="), False),  # a triangle
        (("for (int l = 0; l < d; l++) r +=", "if (m[j] > 0) for (int l = 0; l < d; l++) r +="), False),
        (("p[ROW + l]", "p[ROW + 2 * l]"), False),
        (("p[ROW + l]", "p[i * d]"), False),
        (("double r = m[j];", "double r = m[j] * p[ROW + j];"), True),  # that one is read once
    ],
)
def test_which_rows_are_laid_side_by_side(change: tuple[str, str], packed: bool) -> None:
    source = LOOKED_UP.replace(*change).replace("MORE", "").replace("ROW", "i * d")
    text = enzyme.compile(source + CALL).ir("differentiated")
    assert ".together" in text
    assert ("pack" in text) == packed


CALL = """
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
void gradient(const double *m, double *dm, const double *q, double *dq, const double *p, int d, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, m, dm, enzyme_dup, q, dq, enzyme_const, p, enzyme_const, d, enzyme_const, n);
}
"""
VECTORS = """
define double @f(ptr noalias %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %largest = phi <8 x double> [ zeroinitializer, %entry ], [ %larger, %loop ]
  %at = getelementptr <8 x double>, ptr %x, i64 %i
  %v = load <8 x double>, ptr %at, align 8
  %decided = fcmp olt <8 x double> %largest, %v
  %larger = select <8 x i1> %decided, <8 x double> %v, <8 x double> %largest
  store <8 x double> zeroinitializer, ptr %at, align 8
  %next = add nuw nsw i64 %i, 1
  %over = icmp eq i64 %next, %n
  br i1 %over, label %done, label %loop
done:
  %s = call double @llvm.vector.reduce.fadd.v8f64(double 0.0, <8 x double> %larger)
  ret double %s
}
declare double @llvm.vector.reduce.fadd.v8f64(double, <8 x double>)
"""


def test_decisions_of_vectors_have_a_byte_for_each_eight(tmp_path: Path) -> None:
    """They had one bit for all eight, and were written behind the end of the tape."""
    path = tmp_path / "f.ll"
    path.write_text(VECTORS)
    module = enzyme.compile(path)
    rows = np.random.default_rng(3).normal(size=(3000, 8))
    shadow, chosen = np.zeros_like(rows), np.zeros_like(rows)
    chosen[rows.argmax(axis=0), np.arange(8)] = 1
    module.autodiff("f", ["dup", "const"])((rows.copy(), shadow), 3000)
    np.testing.assert_array_equal(shadow, chosen)
    text, _ = synthesize(VECTORS, "f", "reverse", ("dup", "const"), "active", Config())
    assert "tape.bits" not in text
