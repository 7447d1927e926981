"""Loops whose iterations go different ways, or read what other iterations' records hold, and run several at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from llvmlite.binding import parse_assembly

import enzyme
from enzyme.cli import main
from enzyme.gradient.joined_stores import join_stores
from enzyme.gradient.straightened import straighten
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.support.config import Config

HEAD = "double a = x[i], b = z[i], c = sqrt(1 + a * a + b * b) / (2 + a), r = 1 / (3 + c * c) + a / (1 + b * b);"
MORE = "r += c / (4 + r * r);"


ASKED = """
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
"""


def explained(path: Path, capsys: pytest.CaptureFixture[str], body: str) -> str:
    path.write_text(f"""
#include <math.h>
{ASKED}
void f(double *restrict x, double *restrict y, double *restrict z, const int *restrict k, int n) {{
    for (int i = 0; i < n; i++) {{ {HEAD} {MORE} {body} }}
}}
void g(double **x, double **d, const int *k, int n) {{
    __enzyme_autodiff((void *)f, enzyme_dup, x[0], d[0], enzyme_dup, x[1], d[1], enzyme_dup, x[2], d[2],
                      enzyme_const, k, enzyme_const, n);
}}
""")
    assert main(["explain", str(path)]) == 0
    return " ".join(capsys.readouterr().out.split())


WAYS = [
    "if (a > b) r = r / (1 + b * b); else r = c * b - a; y[i] = r;",
    "if (a > b) y[i] = r / (1 + b * b); else if (a > 1) y[i] = c * b - a; else y[i] = r * b;",
    "if (a > b) { y[2 * i] = r / b; y[2 * i + 1] = a; } else { y[2 * i] = c * b; y[2 * i + 1] = r * a; }",
    "switch (k[i]) { case 0: r = r / b; break; case 1: c = a * a - b * r; case 2: r += c * b; } y[i] = r * c;",
    "if (a > b) { if (r > c) r = r * b / (1 + c * c); else r -= a * b * c / (2 + c); } y[i] = r;",
]
NOT = [
    "if (a > b) y[i] = r * c / (1 + b * b);",  # a store on one way alone
    "if (a > b) r += z[n + i] / (1 + c * c); y[i] = r;",  # which may not be there
    "if (a > b) { r = exp(r) + exp(c); c = sin(r) / cos(c); r += pow(a, c); } y[i] = r + c;",  # seldom, perhaps
    "if (a > b) y[k[i]] += r; else y[k[i]] += c / (1 + b);",
]


@pytest.mark.parametrize("body", WAYS)
def test_several_at_once(body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = "runs its iterations in the reverse sweep, 8 at once, as they go different ways"
    assert said in explained(tmp_path / "f.c", capsys, body)


@pytest.mark.parametrize("body", NOT)
def test_not_several(body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "8 at once" not in explained(tmp_path / "f.c", capsys, body)


RECORDS = """
#include <math.h>
double f(double (*u)[3], double (*f)[3], int n) {
    for (int i = 1; i < n - 2; i++) {
        double q = sqrt(u[i][0] * u[i + 1][0]), r = u[i - 1][1] / (1 + u[i + 2][2] * u[i + 2][2]);
        double a = (u[i + 1][0] - u[i][0]) * q / (2 + r * r), b = (u[i + 1][1] - u[i][1]) / (3 + q), c = u[i][2] * r;
        f[i][0] = a * r + b / (1 + q), f[i][1] = b * r + c / (2 + q), f[i][2] = c * r + a * b;
    }
    double s = 0;
    for (int i = 2; i < n - 2; i++) for (int k = 0; k < 3; k++) s += (k + 1) * (f[i][k] - f[i - 1][k]) * f[i][k];
    return s;
}
double g(double *u, int n) { return f((double (*)[3])u, (double (*)[3])u + n, n); }
"""


def test_records() -> None:
    """Also where both arrays are one: that the one ends where the other begins, the ends of the loop say."""
    configs = (Config(), Config(records_together=False), Config(dependences=False))
    gradients = [enzyme.compile(RECORDS, config=config).autodiff("g", ["dup", "const"]) for config in configs]
    for n in (3, 4, 12, 27):
        u = np.random.default_rng(n).uniform(0.5, 1.5, (2 * n, 3))
        u[n:] = 0
        found = []
        for gradient in gradients:
            shadow = np.zeros_like(u)
            gradient((u.copy(), shadow), n)
            found.append(shadow)
        assert np.isfinite(found[0]).all()
        np.testing.assert_allclose(found[0], found[1], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(found[0], found[2], rtol=1e-12, atol=1e-12)


def test_records_run_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.c"
    path.write_text(f"""{ASKED}{RECORDS}
void h(double *u, double *du, int n) {{ __enzyme_autodiff((void *)g, enzyme_dup, u, du, enzyme_const, n); }}
""")
    assert main(["explain", str(path)]) == 0
    assert "8 at once, as they read the records of others" in " ".join(capsys.readouterr().out.split())


CHOICES = """
define double @f(double %x, double %y, i32 %k) {
entry:
  %c = fcmp ogt double %x, %y
  br i1 %c, label %a, label %b
a:
  %p = fdiv double %x, %y
  %p.more = fmul double %p, %x
  switch i32 %k, label %other [ i32 3, label %end
                                i32 5, label %b
                                i32 7, label %b ]
other:
  %q = fadd double %p, %y
  br label %end
b:
  %from = phi double [ %x, %entry ], [ %p.more, %a ], [ %p, %a ]
  %r = fmul double %from, %y
  %r.more = fsub double %r, %x
  br label %end
end:
  %v = phi double [ %p.more, %a ], [ %q, %other ], [ %r.more, %b ]
  ret double %v
}
"""


def test_one_block() -> None:
    module = parse_module(CHOICES.replace("[ %p.more, %a ], [ %p, %a ]", "[ %p.more, %a ], [ %p.more, %a ]"))
    function = module.get_function("f")
    assert function is not None
    made = straighten(module, function)
    assert made is not None and len(made.blocks) == 1
    made.name = "g"
    module.add_function(made)
    built = enzyme.compile(print_module(module), language="llvm")
    for x, y in ((2.0, 1.5), (1.0, 1.5), (2.0, -0.5)):
        for k in (3, 5, 7, 8):
            found = [built.autodiff(name, ["out", "out", "const"])(x, y, k) for name in ("f", "g")]
            assert found[0] == found[1]
    x, nothing = 2.0, 0.0  # the way that divides by it is not gone
    assert built.autodiff("g", ["out", "out", "const"])(-x, nothing, 3) == built.autodiff("f", ["out", "out", "const"])(
        -x, nothing, 3
    )


STORES = """
define void @f(ptr %y, double %x, i1 %c, i1 %d) {
entry:
  br i1 %c, label %a, label %more
more:
  br i1 %d, label %b, label %e
a:
  store double %x, ptr %y
  %a.next = getelementptr i8, ptr %y, i64 8
  store double 1.0, ptr %a.next
  br label %end
b:
  %s = fadd double %x, %x
  store double %s, ptr %y
  %b.next = getelementptr i8, ptr %y, i64 8
  %t = call double @llvm.sqrt.f64(double %x)
  store double %t, ptr %b.next
  br label %end
e:
  store double 3.0, ptr %y
  %e.next = getelementptr i8, ptr %y, i64 PLACE
  store double 4.0, ptr %e.next
  br label %end
end:
  ret void
}
declare double @llvm.sqrt.f64(double)
"""


@pytest.mark.parametrize(("place", "joined"), [("8", True), ("16", False)])
def test_stores_at_the_end_of_all_ways(place: str, joined: bool) -> None:
    module = parse_module(STORES.replace("PLACE", place))
    assert join_stores(module) == joined
    function = module.get_function("f")
    assert function is not None
    stores = [inst for inst in function.instructions() if inst.opcode == "store"]
    assert len(stores) == (2 if joined else 6)
    assert all(inst.block.name == "end" for inst in stores if inst.block) == joined
    parse_assembly(print_module(module)).verify()


def test_no_stores_into_a_loop() -> None:
    text = """
define void @f(ptr %y, i64 %n) {
entry:
  store i64 0, ptr %y
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %back ]
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %back, label %end
back:
  store i64 %next, ptr %y
  br label %loop
end:
  ret void
}
"""
    assert not join_stores(parse_module(text))
