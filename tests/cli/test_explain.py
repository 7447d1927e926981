"""``python -m enzyme explain``, and the warnings about costs."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from enzyme import cli
from enzyme.explain.choice import GROUPS, Choice

PROGRAM = """\
#include <math.h>
double __enzyme_autodiff(void *, ...);
extern int enzyme_const;
static double step(double h, const double *w) {
  double u = h * h * w[0], v = sin(u) * w[1], q = exp(v * u), r = tan(q * v * h), z = cos(r * h);
  return 0.5 * h * z;
}
__attribute__((noinline)) double settle(const double *w, double x) {
  double h = x, y = 0;
  while (fabs(h) > 1e-3) {
    h = step(h, w);
    y += h * h;
  }
  return y;
}
double model(const double *w, double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    a[i] = a[i] * s + w[1];
    s += log(2 + a[i]);
  }
  return s * settle(w, s);
}
double ask(double *w, double *dw, double *a, double *da) {
  return __enzyme_autodiff((void *)model, w, dw, a, da, enzyme_const, 5);
}
"""


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "model.c"
    path.write_text(PROGRAM)
    return path


def _shown(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    assert cli.main(["explain", "model.c", *words]) == status
    return capsys.readouterr().out


def test_calls_of_the_program_are_explained(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = _shown(capsys, "-O1")
    assert "gradient of model  model.reverse.ddcr  model.c:16" in said
    assert "asked for in ask at model.c:25" in said
    assert "gradient of settle  settle.reverse" in said
    assert "w: dup, pointer to double at byte 0, double at byte 8" in said
    line = said.partition("   19 |     a[i] = a[i] * s + w[1];\n")[2].partition("\n     2")[0]
    assert "keep      " in line and "overwritten" in line and "memory    reads memory with a shadow (double)" in line
    assert "settle: reversed in the forward sweep, where its adjoint is known already" in said
    assert re.search(r"loop at line 18 \(depth 1\): \d+ bytes per iteration; one allocation of the exact size", said)
    assert "log: derivative rule (log' = 1/x)" in said
    assert "array doubled as the loop runs" in said
    assert "\x1b" not in said


def test_calls_in_two_parts_are_explained(
    source: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENZYME_OFF", "at_once")
    said = _shown(capsys, "-O1")
    assert "gradient of settle, in two parts" in said
    assert "settle: replaced by its augmented primal and its reverse" in said


def test_one_function_in_forward_mode(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = _shown(capsys, "--function", "settle", "--mode", "forward", "--args", "const,enzyme_dup")
    assert said.count("gradient") == 0 and "forward derivative of settle" in said
    assert "w: const, pointer" in said and "tape: none" in said
    assert "depends on argument x" in said


def test_verbose_gives_the_reasons(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    short, whole = _shown(capsys), _shown(capsys, "-v")
    assert len(whole) > 2 * len(short)
    assert "it varies:" in whole and "recompute" in whole


class _Page(HTMLParser):
    VOID = frozenset({"meta", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.count: dict[str, int] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1
        assert not {name for name, _ in attrs} & {"src", "onload"}
        assert not any((value or "").startswith("http") for _, value in attrs)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_page_stands_alone(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "model.c", "--html", "model.html"]) == 0
    text = Path("model.html").read_text()
    page = _Page()
    page.feed(text)
    assert page.open == []
    assert page.count["section"] == 2 and page.count["details"] > 10 and "link" not in page.count
    assert "http" not in text
    for words in ("prefers-color-scheme: dark", 'name="viewport"', "a[i] = a[i] * s + w[1];", "&lt;math.h&gt;"):
        assert words in text or words == "&lt;math.h&gt;"


def test_refusals_are_part_of_the_report(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source.write_text("double ext(double);\ndouble f(double x) {\n  double y = x * x;\n  return ext(y) * y;\n}\n")
    said = _shown(capsys, "--function", "f", status=1)
    assert "refused: cannot differentiate a call to '@ext'" in said
    assert "  at: model.c:4:10 in function 'f'" in said
    assert "active    " in said and "    4 |   return ext(y) * y;" in said


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--function", "nothing"], "there is no function 'nothing' in this program"),
        (["--args", "dup"], "--args and --mode go with --function"),
        (["--function", "settle", "--args", "dup,maybe"], "there is no activity 'maybe'"),
    ],
)
def test_wrong_command_lines(source: Path, capsys: pytest.CaptureFixture[str], words: list[str], what: str) -> None:
    assert cli.main(["explain", "model.c", *words]) in (1, 2)
    assert what in capsys.readouterr().err


def test_warnings_name_the_line_and_can_be_turned_off(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["cc", "-c", "-O1", "model.c", "-o", "model.o"]
    assert cli.main(words) == 0
    said = capsys.readouterr().err
    assert re.search(r"^model\.c:10:\d+: warning: the derivative of this loop keeps \d+ bytes", said)
    assert said.count("[-Wenzyme-tape]") == 1
    for quiet in ("-w", "-Wno-enzyme", "-Wno-enzyme-tape"):
        assert cli.main([*words, quiet]) == 0
        assert capsys.readouterr().err == ""
    assert cli.main([*words, "-Werror=enzyme-tape"]) == 1
    assert "-Werror=enzyme-tape makes an error of it" in capsys.readouterr().err
    assert cli.main([*words, "-Wenzyme-nothing"]) == 2


def test_flags_of_warnings() -> None:
    default = Choice()
    assert default.on == {"tape", "indirect", "loop", "limit", "types"} and default.changed("-O2") is None
    assert default.changed("-Wenzyme") == Choice(frozenset(GROUPS))
    assert default.changed("-Wno-enzyme-tape") == Choice(frozenset({"indirect", "loop", "limit", "types"}))
    strict = default.changed("-Werror=enzyme")
    assert strict is not None and strict.errors == set(GROUPS)
    assert strict.changed("-Wno-error=enzyme-tape") == Choice(frozenset(GROUPS), frozenset(GROUPS) - {"tape"})


def test_the_size_of_the_tape(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.c"
    path.write_text(
        "double f(double *x, int n, double end) {\n"
        "  double s = 0;\n"
        "  for (int i = 0; i < n; i++) { x[i] = x[i] * x[i]; s += x[i]; }\n"
        "  while (s > end) s = s * s * 0.1;\n"
        "  return s;\n"
        "}\n"
    )
    words = ["explain", str(path), "--function", "f", "--args", "dup,const,const"]
    assert cli.main([*words, "--sizes", "n=100"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "8 * %n" in said and "8 * doubled(64, %line4)" in said and "no size is given for line4" in said
    assert cli.main([*words, "--sizes", "n=100,line4=7"]) == 0
    found = re.search(r"= (\d+) bytes", " ".join(capsys.readouterr().out.split()))
    assert found is not None and 8 * (100 + 64) <= int(found[1]) <= 8 * (100 + 64) + 40
    assert cli.main([*words, "--sizes", "n"]) == 2


def test_of_loops_of_which_one_runs_the_larger_tape_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.c"
    path.write_text(
        "double f(double *x, int n, int turned) {\n"
        "  double s = 0;\n"
        "  if (turned) for (int i = 0; i < n; i++) { x[i] = x[i] * x[i]; s += x[i]; }\n"
        "  else for (int i = n - 1; i >= 0; i--) { x[i] = 1 / (x[i] + s); s += x[i] * x[i]; }\n"
        "  for (int i = 0; i < n; i++) { x[i] = x[i] * x[i]; s *= x[i]; }\n"
        "  return s;\n"
        "}\n"
    )
    words = ["explain", str(path), "--function", "f", "--args", "dup,const,const", "--sizes", "n=1000"]
    assert cli.main(words) == 0
    said = capsys.readouterr().out
    kept = {int(line): int(size) for line, size in re.findall(r"loop at line (\d) .*: (\d+) bytes per iteration", said)}
    found = re.search(r"tape at its largest: .* = (\d+) bytes", said)
    assert found is not None and set(kept) == {3, 4, 5}
    assert 0 <= int(found[1]) - 1000 * (kept[5] + max(kept[3], kept[4])) < 40


def test_versions_of_several_loops_count_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.c"
    path.write_text(
        "static double f(double *restrict x, double *restrict y, int n) {\n"
        "  double s = 0;\n"
        "  for (int i = 0; i < n; i++) { y[i] = x[i] * x[(i + n - 2) % n]; s += y[i] * y[i]; }\n"
        "  for (int i = 0; i < n; i++) x[i] = 0;\n"
        "  return s;\n"
        "}\n"
        "void __enzyme_autodiff(void *, ...);\n"
        "extern int enzyme_dup, enzyme_const;\n"
        "void g(double *x, double *dx, double *y, double *dy, int n) {\n"
        "  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);\n"
        "}\n"
    )
    words = ["explain", str(path), "--sizes", "n=1000"]
    assert cli.main(words) == 0
    said = capsys.readouterr().out
    kept = [int(size) for size in re.findall(r"loop at line 3 .*: (\d+) bytes per iteration", said)]
    found = re.findall(r"tape at its largest: .* = (\d+) bytes", said)
    assert len(kept) > 2 and found
    assert all(1000 * min(kept) <= int(size) < 1000 * max(kept) + 600 for size in found[-1:])


def test_products_that_were_taken_apart_are_still_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A complex product that is computed again: its fused operations are two operations each in the derivative."""
    source = tmp_path / "product.c"
    source.write_text(
        """void __enzyme_autodiff(void *, ...);
        static double f(const double *x) {
          double re = x[0] * x[2] - x[1] * x[3], im = x[0] * x[3] + x[1] * x[2];
          double a = re * re - im * im, b = re * im + im * re;
          return a * a * b * b;
        }
        void g(const double *x, double *dx) { __enzyme_autodiff((void *)f, x, dx); }
        """
    )
    assert cli.main(["explain", "-v", str(source)]) == 0
    said = capsys.readouterr().out
    assert "recompute" in said and "@llvm.fmuladd.f64(" in said
