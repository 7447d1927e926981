"""The fuzzer's own parts, and a slice of a second of what ``python -m enzyme verify --fuzz`` does at length."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from enzyme.support.config import Config
from enzyme.support.diagnostics import UnsupportedError
from enzyme.verify.build import EngineToolchain, PlainToolchain
from enzyme.verify.driver import source
from enzyme.verify.features import ALL
from enzyme.verify.fuzz import Finding, fuzz_main, refusals, reproduce, toolchains, validate
from enzyme.verify.generator import generate
from enzyme.verify.oracle import Outcome, examine, shrink
from enzyme.verify.program import FuzzFunction, Line, Loop, reductions, size


def small(name: str, statement: str, result: str = "x[0] * x[0] + p") -> FuzzFunction:
    """A function of one loop and one marked statement."""
    body = (Line("d0 = 0.5 * d0;"), Loop("for (int i = 0; i < n; i++) {", (Line("y[i] = x[i];"), Line(statement)), "}"))
    return FuzzFunction(name, 0, (), ("double d0 = p;",), body, (), result)


class WrongDerivative:
    """A toolchain whose reverse derivative is doubled: compiled by the C compiler, with differences inside."""

    label = "wrong on purpose"
    reference = False

    def __init__(self, error: str) -> None:
        self.error = error

    def build(self, text: str, output: Path) -> None:
        if "REFUSED" in text:
            raise UnsupportedError("cannot differentiate 'REFUSED'")
        faked = re.sub(r"(?s)  return __enzyme_fwddiff\(.*?\);", "  return 0;", text)
        faked = re.sub(r"(?s)  return __enzyme_autodiff\(.*?\);", f"  {self.error}", faked)
        PlainToolchain().build(faked, output)


def test_features_can_be_left_out() -> None:
    plain = "".join(generate(2, n, frozenset()).render() for n in range(60))
    for construct in ("struct node", "struct inner", "goto", "long double", "ops["):
        assert construct not in plain
    assert not any(generate(2, n, ALL - {"second", "width"}).checks for n in range(40))
    assert any(generate(2, n, ALL).checks for n in range(40))


def test_refusals_are_counted_by_reason() -> None:
    function = small("f0", "d0 = d0;")
    said = ("UnsupportedError: cannot differentiate 'f0'", "UnsupportedError: cannot differentiate 'f7'")
    findings = [Finding(Outcome(function, "refused", message), PlainToolchain(), 0) for message in said]
    (line,) = refusals(findings, 4)
    assert line.startswith("refused: 1 (25.0 %) UnsupportedError: cannot differentiate _ (e.g. f0")


def test_generation_is_deterministic() -> None:
    assert generate(3, 5) == generate(3, 5)
    assert generate(3, 5).render() != generate(4, 5).render()
    assert "double f5(" in reproduce(3, 5)


def test_twins_differ_in_precision_only() -> None:
    mixed = [f for f in (generate(1, n) for n in range(60)) if f.mixed]
    assert mixed
    for function in mixed:
        assert "float" in function.render()
        assert "float" not in function.render(twin=True)
        assert "sinf(" not in function.render(twin=True)


def test_twin_that_goes_another_way_does_not_judge() -> None:
    statement = "if (x[0] > (@R)x[0]) d0 += 3 * x[0]; if (x[0] < (@R)x[0]) d0 -= 3 * x[0];"
    function = replace(small("f0", statement, "x[0] * x[0] + p * d0"), mixed=True)
    assert examine([function], PlainToolchain())[0].kind == "soft"
    same = replace(small("f0", "d0 += (@R)(2 * x[0]);"), mixed=True)
    assert examine([same], PlainToolchain())[0].kind == "ok"


def test_generated_programs_are_sound() -> None:
    """No undefined behaviour, and differences with two step sizes agree."""
    assert [(o.function.name, o.kind, o.message) for o in validate(50, seed=20)] == []


def test_generated_programs_use_the_language() -> None:
    text = "".join(generate(2, n).render() for n in range(400))
    for construct in (
        "while (", "do {", "switch (", "continue;", "break;", "return ", "memcpy(", "memmove(", "memset(", "malloc(",
        "calloc(", "free(", "struct pack", "uint64_t", "index[", "float ", "double v0[n]", "g0[4][8]", "else if",
        "struct node *", "struct tree *", "struct grow ", "struct inner ", "struct outer ", "struct two ",
        "union both ", "goto again", "for (;;)", "uint8_t ", "long double ", "ops[", "snprintf(",
        "double **", "choose(", "uintptr_t ", "struct carry ", "union pair_or_array ", "union { double d;",
        "char b", "struct mixed ", "qsort(", "board[", "current_scale(", "repeat(", "struct operation ",
        "struct view ", "first_above(", "quadratic(", "_Complex ", "struct node **", "join_float(",
        "? x : ", "NOINLINE void", "--) {", "+= 2", "fma(", "fmax(", "pow(",
    ):  # fmt: skip
        assert construct in text, construct


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("return 1e30;", "wrong"),
        ("dx[0] = 1; return 0;", "wrong"),
        ("__builtin_trap();", "crash"),
        ("for (volatile int k = 0; k < 1;) n = k;", "timeout"),
    ],
)
def test_every_failure_is_seen(error: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("enzyme.verify.oracle.TIME_LIMIT", 2.0)
    outcomes = examine([small("f0", "d0 = d0;"), small("f1", "d0 = d0;")], WrongDerivative(error))
    assert [o.kind for o in outcomes] == [kind, kind]


def test_one_refusal_does_not_hide_the_others() -> None:
    functions = [small("f0", "d0 = d0;"), small("f1", "/* REFUSED */;"), small("f2", "this is not C;")]
    kinds = [o.kind for o in examine(functions, WrongDerivative("return 0;"))]
    assert kinds == ["wrong", "refused", "broken"]


def test_shrinking_keeps_what_fails() -> None:
    """The failure hangs on one statement in a loop: the rest goes."""

    def judge(functions: object, chain: object) -> list[Outcome]:
        (function,) = functions  # type: ignore[misc]
        text = function.render()
        return [Outcome(function, "wrong" if "y[i] = x[i];" in text and "int i" in text else "ok")]

    start = Outcome(small("f0", "d0 = sin(d0);"), "wrong")
    found = shrink(start, PlainToolchain(), 10.0, judge)
    assert size(found.function) == 2
    assert found.function.declarations == ()
    assert "y[i] = x[i];" in found.function.render()


def test_reductions_are_smaller_or_flatter() -> None:
    function = generate(6, 3)
    variants = list(reductions(function))
    assert len(variants) > 5
    assert all(size(v) <= size(function) + 1 for v in variants)


def test_toolchains_do_not_repeat() -> None:
    labels = [c.label for c in toolchains((0, 2), ("post", "pre"), Config())]
    assert labels == ["-O0 post", "-O2 post", "-O2 pre"]


def test_reference_program_does_not_call_the_engine() -> None:
    assert "f0_reverse" not in source([generate(1, 0)], reference=True)
    assert "f0_reverse" in source([generate(1, 0)])


@pytest.mark.fuzz
@pytest.mark.parametrize("level", [0, 2])
def test_slice(level: int) -> None:
    """A few functions through the engine. What it refuses by name is not wrong; a number that differs is."""
    outcomes = examine([generate(2026, n) for n in range(6)], EngineToolchain(level, "post"))
    assert [(o.function.name, o.kind, o.message) for o in outcomes if not o.passed and o.kind != "refused"] == []
    assert sum(o.passed for o in outcomes) >= 4


@pytest.mark.fuzz
def test_main_reports(capsys: pytest.CaptureFixture[str]) -> None:
    lines: list[str] = []
    assert fuzz_main(2, seed=2027, levels=(1,), pipelines=("post",), progress=lines.append, jobs=1) == 0
    assert "2/2 functions" in lines[0]
    assert lines[-1].startswith("seed 2027: 2 functions under -O1 post: 0 failed, 0 refused")
