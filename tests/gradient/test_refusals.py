"""What the engine cannot do it refuses in words: what, the place in the source, why, and the way out."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from enzyme.frontends.clang import compile_to_ir
from enzyme.gradient.lower import lower_module, synthesize
from enzyme.gradient.refusals import stop_message
from enzyme.ir.parser import parse_module
from enzyme.ir.values import CallBase
from enzyme.support.config import Config
from enzyme.support.diagnostics import ActivityError, EnzymeError, TypeUnknownError, UnsupportedError, UsageError

HEAD = """#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
double __enzyme_autodiff(void *, ...); double __enzyme_fwddiff(void *, ...); int __enzyme_autodiff_int(void *, ...);
double __enzyme_reverse(void *, ...);
struct R { double a, b, c; }; struct R __enzyme_autodiff_struct(void *, ...); void *__enzyme_augmentfwd(void *, ...);
extern int enzyme_const, enzyme_dup, enzyme_dupnoneed, enzyme_out, enzyme_width, enzyme_tape;
double mystery(double); void mystery_memory(double *); double *pool(int); extern double table[8]; double state;
#line 1
"""
# Calls of a derivative that many cases share. "HERE" marks the line that the error must name.
X = "double g(double x) { return __enzyme_autodiff((void *)f, x); }"
P = "double g(double *x, double *dx) { return __enzyme_autodiff((void *)f, x, dx); }"
XN = "double g(double x, int n) { return __enzyme_autodiff((void *)f, x, n); }"
PN = "double g(double *x, double *dx, int n) { return __enzyme_autodiff((void *)f, x, dx, n); }"

FLAGS = (
    "struct flags { unsigned state : 3, armed : 1; unsigned : 0; unsigned ticks : 20; double acc; };\n"
    "struct sums { double sum, sq; };\n__attribute__((noinline)) void tick(void *p, double v) {\n"
    "  struct flags *f = p;\n  CHANGE; // HERE\n  f->acc += v * f->ticks;\n}\n"
    "__attribute__((noinline)) void add(void *p, double v) { struct sums *s = p; s->sum += v; s->sq += v * v; }\n"
    "double f(double x, int n) {\n  struct flags a = {0, 0, 0, 0}; struct sums b = {0, 0};\n"
    "  void *each[2] = {&a, &b}, *volatile kept = n > 3 ? (void *)&a : (void *)&b;\n"
    "  for (int i = 0; i < n; i++) if (i & 1) tick(each[0], x * i); else add(each[1], x * x);\n"
    f"  if (n < 0) *(double *)kept = x;\n  return a.acc * b.sum + b.sq;\n}}\n{XN}"
)


@dataclass(frozen=True)
class Refusal:
    kind: type[EnzymeError]
    what: str
    why: str
    help: str
    source: str
    level: int = 2
    placed: bool = True


CASES = {
    # --- calls
    "unknown function": Refusal(
        ActivityError, "a call to '@mystery'", "no definition is at hand", "define it in the same program",
        f"double f(double x) {{\n  return x * mystery(x); // HERE\n}}\n{X}",
    ),
    "unknown function that may write": Refusal(
        ActivityError, "a call to '@mystery_memory'", "may write active memory", "enzyme_const",
        f"double f(double *x) {{\n  mystery_memory(x); // HERE\n  return x[0];\n}}\n{P}",
    ),
    "function pointer": Refusal(
        ActivityError, "a call through a pointer", "not known which function", "enzyme_const",
        "double f(double x, double (*h)(double)) {\n  return h(x); // HERE\n}\n"
        "double g(double x, double (*h)(double)) { return __enzyme_autodiff((void *)f, x, enzyme_const, h); }",
    ),
    "inline assembly": Refusal(
        ActivityError, "a call of inline assembly", "no rules for machine instructions", "",
        f'double f(double x) {{\n  double y;\n  __asm__("movsd %1, %0" : "=x"(y) : "x"(x)); // HERE\n'
        f"  return y * x;\n}}\n{X}",
    ),
    # --- memory
    "bit fields where another struct has a number": Refusal(  # for want of types: what is not optimised has them
        TypeUnknownError, "cannot tell what numbers this i32 carries", "half of one may be as small",
        "allocate integers",
        FLAGS.replace("CHANGE", "f->ticks++"),
    ),
    "bits exchanged where another struct has a number": Refusal(
        TypeUnknownError, "cannot follow the pointer made by 'or'", "no way to build the shadow", "",
        FLAGS.replace("CHANGE", "f->ticks ^= 5"),
    ),
    "lists in one block with numbers": Refusal(
        TypeUnknownError, "cannot tell what numbers this i32 carries", "double", "allocate integers and numbers apart",
        "double f(double x, int n) {\n"
        "  double *v = malloc(12 * n); int *next = (int *)(v + n), *head = next + n;\n"
        "  for (int i = 0; i < n; i++) {\n    v[i] = x * i;\n"
        "    next[i] = head[i % 3]; // HERE\n    head[i % 3] = i;\n  }\n"
        f"  return v[next[n - 1]];\n}}\n{XN}",
    ),
    "store into constant memory": Refusal(
        ActivityError, "active data is stored in memory behind argument 'y', which is declared constant",
        "derivative would be lost", "enzyme_dup",
        "void f(double *x, double *y) {\n  y[0] = x[0] * x[1]; // HERE\n}\n"
        "void g(double *x, double *dx, double *y) { __enzyme_autodiff((void *)f, x, dx, enzyme_const, y); }",
    ),
    "pointer to either": Refusal(
        ActivityError, "active data is stored in memory behind argument 'y'", "no shadow", "enzyme_dup",
        "double f(double *x, double *y, int n) { double s = 0;\n  for (int i = 0; i < n; i++) {\n"
        "    double *p = i & 1 ? x : y; p[i] *= 2; s += p[i]; // HERE\n  }\n  return s; }\n"
        "double g(double *x, double *dx, double *y, int n) {\n"
        " return __enzyme_autodiff((void *)f, x, dx, enzyme_const, y, n); }",
    ),
    "global without size": Refusal(
        ActivityError, "active data is stored in global '@endless'", "no shadow", "__enzyme_register_shadow",
        "extern double endless[];\n"
        f"double f(double *x) {{\n  endless[0] = x[0]; // HERE\n  return x[0] * endless[1];\n}}\n{P}",
    ),
    "memory of an unknown allocator": Refusal(
        ActivityError, "memory that this function does not know", "no shadow", "argument declared enzyme_dup",
        f"double f(double x) {{\n  double *p = pool(3);\n  p[0] = x; // HERE\n  return p[0] * x;\n}}\n{X}",
    ),
    "block copy of unknown contents": Refusal(
        TypeUnknownError, "cannot tell what this block copy moves", "bytes 0 to 23", "element by element",
        "void f(char *x, char *y) {\n  memcpy(y, x, 24); // HERE\n}\n"
        "void g(char *x, char *dx, char *y, char *dy) { __enzyme_autodiff((void *)f, x, dx, y, dy); }",
    ),
    "block copy of unknown length of mixed contents": Refusal(
        TypeUnknownError, "this block copy of unknown length moves",
        "it begins with .0, 4. int, .4, 16. unknown", "in a loop",
        "void f(char *x, char *y, unsigned long n) {\n  *(int *)x += 1; memcpy(y, x, n); // HERE\n}\n"
        "void g(char *x, char *dx, char *y, char *dy, unsigned long n) {"
        " __enzyme_autodiff((void *)f, x, dx, y, dy, n); }",
    ),
    "atomic update of an integer that carries numbers": Refusal(
        UnsupportedError, "cannot differentiate 'atomicrmw' of active memory", "order of atomic updates", "ordinary",
        "double f(double *x) {\n  __atomic_fetch_xor((unsigned long *)x, 1ul << 63, __ATOMIC_RELAXED); // HERE\n"
        f"  return x[0] * x[1];\n}}\n{P}",
    ),
    # --- computations
    "bits that are masked": Refusal(
        UnsupportedError, "cannot differentiate 'and'", "there is no rule for it", "floating-point operations",
        "double f(double *x) { union { double d; unsigned long long u; } b = {0}; double s = 0;\n"
        "  for (int i = 0; i < 3; i++) { b.d = (x[i] * x[i] + s) * 2;\n    b.u &= 0xffffffffffffff0full; // HERE\n"
        "    s += b.d * x[0]; }\n  return s; }\n" + P,
    ),
    "bits that are added to": Refusal(
        EnzymeError, "", "", "floating-point",
        "double f(double x) { union { double d; unsigned long long u; } b = {x};\n"
        f"  b.u += 0x0008000000000000ull; // HERE\n  return b.d; }}\n{X}",
    ),
    "no return": Refusal(
        UnsupportedError, "'f': it never returns", "endless loop", "path that returns",
        "double f(double *x) { for (;;) x[0] *= x[1]; }\n" + P, placed=False,
    ),
    # --- the call of __enzyme_autodiff
    "too few arguments": Refusal(
        UsageError, "too few arguments for 'f'", "parameter 2 is missing", "followed by its shadow",
        "double f(double *x, int n) { return x[n]; }\n"
        "double g(double *x, double *dx, int n) { return __enzyme_autodiff((void *)f, x, dx); } // HERE",
    ),
    "too many arguments": Refusal(
        UsageError, "1 argument too many for 'f'", "2 parameters: dup, const", "only after enzyme_dup",
        "double f(double *x, int n) { return x[n]; }\n"
        "double g(double *x, double *dx, int n) { return __enzyme_autodiff((void *)f, x, dx, n, n); } // HERE",
    ),
    "shadow after a constant": Refusal(
        UsageError, "1 argument too many", "dup, const", "only after enzyme_dup",
        "double f(double *x, double *y) { return x[0] * y[0]; }\n"
        "double g(double *x, double *dx, double *y, double *dy) {\n"
        "  return __enzyme_autodiff((void *)f, x, dx, enzyme_const, y, dy); } // HERE",
    ),
    "shadow of another type": Refusal(
        UsageError, "the shadow has type i32, parameter 1 of 'f' has type ptr", "not converted", "cast",
        "double f(double *x, int n) { return x[n]; }\n"
        "double g(double *x, int n) { return __enzyme_autodiff((void *)f, x, 0, n); } // HERE",
    ),
    "no shadow": Refusal(
        UsageError, "'enzyme_const' stands where the shadow for parameter 1 of 'f' is expected", "missing", "shadow",
        "double f(double *x, int n) { return x[n]; }\n"
        "double g(double *x, int n) { return __enzyme_autodiff((void *)f, enzyme_dup, x, enzyme_const, n); } // HERE",
    ),
    "no shadow of a second lane": Refusal(
        UsageError, "'enzyme_const' stands where the shadow for parameter 1 of 'f' is expected", "missing", "each lane",
        "double f(double *x, int n) { return x[n]; }\n"
        "void g(double *x, double *dx, int n) {\n"
        "  __enzyme_autodiff((void *)f, enzyme_width, 2, enzyme_dup, x, dx, enzyme_const, n); } // HERE",
    ),
    "pointer as out": Refusal(
        UsageError, "parameter 1 of 'f' is a pointer and cannot be enzyme_out", "shadow", "enzyme_dup",
        "double f(double *x, int n) { return x[n]; }\n"
        "double g(double *x, int n) { return __enzyme_autodiff((void *)f, enzyme_out, x, n); } // HERE",
    ),
    "integer as out": Refusal(
        UsageError, "parameter 2 of 'f' is an integer and cannot be enzyme_out", "no derivative", "enzyme_const",
        "double f(double x, int n) { return x * n; }\n"
        "double g(double x, int n) { return __enzyme_autodiff((void *)f, x, enzyme_out, n); }", placed=False,
    ),
    "number as dup": Refusal(
        UsageError, "passed by value and cannot be enzyme_dup", "come back as a result", "enzyme_out",
        "double f(double x) { return x; }\n"
        "double g(double x) { return __enzyme_autodiff((void *)f, enzyme_dup, x, 1.0); } // HERE",
    ),
    "out in forward mode": Refusal(
        UsageError, "enzyme_out makes no sense in forward mode", "tangents of inputs", "enzyme_dup",
        "double f(double x) { return x; }\n"
        "double g(double x) { return __enzyme_fwddiff((void *)f, enzyme_out, x); } // HERE",
    ),
    "not a function": Refusal(
        UsageError, "the first argument of __enzyme_autodiff must be a function", "not known at compile",
        "name the function directly",
        "double g(double x, void *f) {\n  return __enzyme_autodiff(f, x); // HERE\n}",
    ),
    "function without a body": Refusal(
        UsageError, "cannot differentiate 'mystery': it has no definition", "body is at hand", "give its file to",
        "double g(double x) {\n  return __enzyme_autodiff((void *)mystery, x); // HERE\n}",
    ),
    "library function": Refusal(
        UsageError, "cannot differentiate 'sin'", "body is at hand", "called in a function of yours",
        "double g(double x) {\n  return __enzyme_autodiff((void *)sin, x); // HERE\n}",
    ),
    "result of another type": Refusal(
        UsageError, "declared to return i32, the derivative of 'f' returns void", r"\(dup\)", "declare the result",
        "double f(double *x) { return x[0]; }\n"
        "int g(double *x, double *dx) { return __enzyme_autodiff_int((void *)f, x, dx); } // HERE",
    ),
    "two numbers as the result": Refusal(
        UsageError, "'f' returns <2 x float>, numbers that depend on active inputs", "one number",
        "through a pointer",
        "typedef struct { float a, b; } Two;\nTwo f(float x) { Two t = {x, x * x}; return t; }\n"
        "double g(float x) { return __enzyme_autodiff((void *)f, x); }", placed=False,
    ),
    "struct of another shape": Refusal(
        UsageError, "declared to return %struct.R, the derivative of 'f' returns { double, double }", "out, out",
        "or a struct",
        "double f(double x, double y) { return x * y; }\ndouble g(double x, double y) {\n"
        "  struct R r = __enzyme_autodiff_struct((void *)f, x, y); // HERE\n  return r.a + r.b + r.c; }",
    ),
    "derivative made of itself": Refusal(
        UsageError, "the derivative of 'f' is made of itself",
        "'df' asks for the derivative of 'h'; 'h' asks for the derivative of 'f', which calls 'df'",
        "that the others do not call",
        "double h(double);\ndouble df(double);\ndouble f(double x) { return df(x) * x; }\n"
        "double df(double x) { return __enzyme_autodiff((void *)h, x); }\n"
        "double h(double x) { return __enzyme_autodiff((void *)f, x) * x; }", placed=False, level=0,
    ),
    "enzyme_width that is not constant": Refusal(
        UsageError, "what follows enzyme_width must be a constant", "code for that many", "write the number itself",
        "double f(double x) { return x; }\ndouble g(double x, int n) {\n"
        "  return __enzyme_fwddiff((void *)f, enzyme_width, n, enzyme_dup, x, 1.0, 2.0); } // HERE",
    ),
    "enzyme_tape": Refusal(
        UsageError, "__enzyme_autodiff takes no tape", "__enzyme_augmentfwd leaves", "leave the marker",
        "double f(double x) { return x; }\ndouble g(double x, void *t) {\n"
        "  return __enzyme_autodiff((void *)f, enzyme_out, x, enzyme_tape, t); } // HERE",
    ),
    "reverse without its tape": Refusal(
        UsageError, "__enzyme_reverse: too few arguments for 'f'", "the tape that __enzyme_augmentfwd returned", "",
        "double f(double x) { return x; }\nvoid *a(double x) { return __enzyme_augmentfwd((void *)f, x); }\n"
        "double g(double x, void *t) {\n  return __enzyme_reverse((void *)f, x, 1.0); } // HERE",
    ),
    "halves of different activities": Refusal(
        UsageError, "no call of __enzyme_augmentfwd fits this __enzyme_reverse of 'f'", r"\(out, const\); there is",
        "the same markers",
        "double f(double x, double y) { return x * y; }\n"
        "void *a(double x, double y) { return __enzyme_augmentfwd((void *)f, x, y); }\n"
        "double g(double x, double y, void *t) {\n"
        "  return __enzyme_reverse((void *)f, x, enzyme_const, y, 1.0, t); } // HERE",
    ),
    "two markers in a row": Refusal(
        UsageError, "'enzyme_dup' is followed by 'enzyme_const'", "what the next argument is", "write one of them",
        "double f(double x) { return x; }\ndouble g(double x) {\n"
        "  return __enzyme_autodiff((void *)f, enzyme_dup, enzyme_const, x); } // HERE",
    ),
    "a marker there is not": Refusal(
        UsageError, "there is no marker 'enzyme_active'", "kept for markers", "docs/calling-convention.md",
        "extern int enzyme_active;\ndouble f(double x) { return x; }\ndouble g(double x) {\n"
        "  return __enzyme_autodiff((void *)f, enzyme_active, x); } // HERE",
    ),
    "a marker that has become a number": Refusal(
        UsageError, "argument 2 has type i32, parameter 1 of 'f' has type double", "a marker that is static or",
        "declare markers as in <enzyme/enzyme.h>",
        "static int enzyme_mine;\ndouble f(double x) { return x; }\ndouble g(double x) {\n"
        "  return __enzyme_autodiff((void *)f, enzyme_mine, x); } // HERE",
    ),
    "a marker of batches": Refusal(
        UsageError, "__enzyme_autodiff does not know 'enzyme_buffer'", "how __enzyme_batch passes", "use enzyme_const",
        "extern int enzyme_buffer;\ndouble f(double x) { return x; }\ndouble g(double x) {\n"
        "  return __enzyme_autodiff((void *)f, enzyme_buffer, 8, &x); } // HERE",
    ),
    "a distance that is none": Refusal(
        UsageError, "enzyme_dupv takes a distance in bytes", "that is not what follows", "pass the arguments in this",
        "extern int enzyme_dupv;\ndouble f(double *x) { return *x; }\ndouble g(double *x, double *d) {\n"
        "  return __enzyme_autodiff((void *)f, enzyme_dupv, x, d, d); } // HERE",
    ),
    "a size that does not fit": Refusal(
        UsageError, "enzyme_byref 4 does not fit parameter 1 of 'f'", "the parameter has 8 bytes", "pass the size",
        "extern int enzyme_byref;\ndouble f(double x) { return x; }\ndouble g(double *x) {\n"
        "  return __enzyme_autodiff((void *)f, enzyme_byref, 4, enzyme_out, x); } // HERE",
    ),
    "primal of a function without result": Refusal(
        UsageError, "enzyme_primal_return, and there is no result", "'f' returns nothing", "leave the marker out",
        "extern int enzyme_primal_return;\nvoid f(double *x) { *x *= *x; }\ndouble g(double *x, double *d) {\n"
        "  return __enzyme_autodiff((void *)f, enzyme_primal_return, x, d); } // HERE",
    ),
    "one of several functions": Refusal(
        UsageError, "the first argument of __enzyme_autodiff must be a function", "none is known that fits",
        "name the function directly",
        "double f(double *x) { return *x; }\ndouble h(double *x) { return *x * *x; }\ndouble g(double x, int n) {\n"
        "  return __enzyme_autodiff(n ? (void *)f : (void *)h, x); } // HERE",
    ),
    "a batch of what is no function": Refusal(
        UsageError, "the first argument of __enzyme_batch must be a function", "not known at compile time", "name the",
        "struct R __enzyme_batch_r(void *, ...);\nextern int enzyme_vector;\n"
        "double g(double x, void *p) {\n"
        "  return __enzyme_batch_r(p, enzyme_width, 2, enzyme_vector, x, x).a; } // HERE",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_refusal(name: str) -> None:
    case = CASES[name]
    text = compile_to_ir(HEAD + case.source, opt_level=case.level, cflags=["-w"])
    with pytest.raises(case.kind) as caught:
        lower_module(text, Config())
    error = caught.value
    assert re.search(case.what, error.what) or case.what in error.what, error
    assert re.search(case.why, error.why or ""), error
    assert re.search(case.help, error.hint or ""), error
    lines = str(error).split("\n")
    assert len(lines) <= 12 and max(map(len, lines)) <= 260, error
    assert "!dbg" not in str(error) and "!tbaa" not in str(error), error
    if case.placed:
        line = next(i for i, each in enumerate(case.source.split("\n"), 1) if "HERE" in each)
        assert error.location is not None and error.location.line == line, error
        assert error.function and error.instruction, error


def test_synthesize_refuses() -> None:
    text = compile_to_ir("double f(double *x, int n) { return x[n]; }", opt_level=1)
    for function, args, message in (
        ("nothing", ("dup", "const"), "there is no function 'nothing'"),
        ("f", ("dup",), "'f' takes 2 arguments, 1 activities were given"),
        ("f", ("out", "const"), "is a pointer and cannot be enzyme_out"),
        ("f", ("dup", "out"), "is an integer and cannot be"),
    ):
        with pytest.raises(UsageError, match=message):
            synthesize(text, function, "reverse", args, "active", Config())


def test_what_stops_the_running_program_names_the_way_out_too() -> None:
    module = parse_module("declare void @g()\ndefine void @f() {\n  call void @g()\n  ret void\n}\n")
    call = next(i for i in module.functions["f"].instructions() if isinstance(i, CallBase))
    error = TypeUnknownError("cannot tell", why="nobody says", hint="say it")
    assert stop_message(call, error) == (
        "enzyme: no derivative of 'g', reached through a pointer: cannot tell; nobody says; say it"
    )
