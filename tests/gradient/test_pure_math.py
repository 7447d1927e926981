"""Which calls of mathematical functions are kept only for errno, and where."""

from __future__ import annotations

import re

import pytest

import enzyme

CUBES = """
#include <math.h>
double cubes(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += pow(x[i], 3.0);
  return s;
}
"""
CALL = "double __enzyme_autodiff(void *, ...);\nvoid ask(double *x, double *dx, int n) { "
CALL += "__enzyme_autodiff((void *)cubes, x, dx, n); }\n"
LOOKS = {
    "errno": "#include <errno.h>\nint look(void) { return errno; }\n" + CUBES,
    "perror": "#include <stdio.h>\nvoid look(void) { perror(0); }\n" + CUBES,
    "format": '#include <stdio.h>\nvoid look(void) { printf("%s: %m\\n", ""); }\n' + CUBES,
    "environment": "#include <fenv.h>\nint look(void) { return fetestexcept(FE_ALL_EXCEPT); }\n" + CUBES,
    "elsewhere": 'void elsewhere(void) __attribute__((annotate("enzyme_inactive")));\n'
    + CUBES.replace("return s;", "elsewhere();\n  return s;"),
}
PURE = re.compile(r"call [^\n]*@pow\([^\n]* memory\(none\)")


def powers(program: enzyme.Module) -> list[int]:
    """Calls of ``pow`` in the program's own function and in what asks for the derivative."""
    bodies = {m[1]: m[0] for m in re.finditer(r"(?ms)^define [^\n]*@(\w[\w.]*)\(.*?^}", program.ir())}
    return [len(re.findall(r"@(?:llvm\.)?pow\b", bodies[name])) for name in ("cubes", "ask")]


def test_what_nobody_uses_is_dropped() -> None:
    own, asked = powers(enzyme.compile(CUBES + CALL))
    assert own and not asked, "the program's own calls stay"
    own, asked = powers(enzyme.compile(CUBES + CALL, config=enzyme.Config(pure_math=False)))
    assert own and asked


@pytest.mark.parametrize("way", LOOKS)
def test_a_program_that_may_look_at_errno(way: str) -> None:
    assert PURE.search(enzyme.compile(CUBES + CALL).ir("differentiated"))
    assert not PURE.search(enzyme.compile(LOOKS[way] + CALL).ir("differentiated"))


def test_the_cosine_beside_the_sine_is_called_once() -> None:
    source = """
    #include <math.h>
    double turned(double x) { return sin(x) * cos(x) * x; }
    double __enzyme_fwddiff(void *, ...);
    double ask(double x) { return __enzyme_fwddiff((void *)turned, x, 1.0); }
    """
    body = re.search(r"(?ms)^define [^\n]*@ask\(.*?^}", enzyme.compile(source).ir())
    assert body is not None
    for name in ("sin", "cos"):
        assert len(re.findall(rf"call[^\n]*@(?:llvm\.)?{name}\b", body[0])) == 1
