"""Native functions called from Python: every kind of argument and result, and what is refused."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import enzyme
from enzyme.support.diagnostics import CompileError, UsageError

SOURCE = """
#include <stdbool.h>
#include <math.h>
struct big { double a[4]; int k; };
struct two { double x, y; };
struct three { float a, b, c; };
static int counter = 3;
static double table[2] = {1, 2};
double member(struct big s, const double *p, bool b, unsigned char c) { counter++; return s.a[1] * p[c] + b; }
struct big make(struct two d, int n) { struct big s = {{d.x, d.y, 1, 1}, n}; return s; }
struct three triple(float z) { struct three s = {z, z + 1, z + 2}; return s; }
bool above(int x) { return x > counter; }
long double twice(long double x) { return x * 2; }
double norm(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * x[i]; return sqrt(s); }
void scale(double *x, int n, double by) { for (int i = 0; i < n; i++) x[i] *= by; }
float single(const float *x) { return x[0] + x[1]; }
int pick(const int *x, long long i) { return x[i]; }
signed char narrow(signed char x) { return x; }
unsigned char wide(unsigned char x) { return x; }
double *entry(int i) { return &table[i]; }
void set_entry(int i, double v) { table[i] = v; }
double get_entry(int i) { return table[i]; }
double sum_two(const struct two *p) { return p->x + p->y; }
int logged(const char *format, ...) { return 0; }
static double hidden(double x) { return x; }
double use(double x) { return hidden(x); }
"""


@pytest.fixture(scope="module", params=[(2, "post"), (2, "pre"), (0, "post"), (1, "post")], ids=str)
def program(request: pytest.FixtureRequest) -> enzyme.Module:
    level, pipeline = request.param
    return enzyme.compile(SOURCE, opt_level=level, pipeline=pipeline)


def test_numbers(program: enzyme.Module) -> None:
    assert program.above(100) is True and program["above"](-5) is False
    assert program.twice(1.25) == 2.5
    assert program.narrow(-1) == -1 and program.wide(255) == 255
    assert program.single(np.array([1.5, 2], dtype=np.float32)) == 3.5
    assert program.norm(np.array([3.0, 4.0]), np.int32(2)) == 5.0


def test_structs_by_value_in_registers_and_in_memory(program: enzyme.Module) -> None:
    assert program.make(1.5, 2.5, 7) == ((1.5, 2.5, 1.0, 1.0), 7)
    result = program.triple(1.0)
    assert [float(x) for part in result for x in (part if isinstance(part, tuple) else (part,))] == [1.0, 2.0, 3.0]
    big = np.zeros(1, np.dtype([("a", "f8", 4), ("k", "i4")], align=True))
    big["a"][0, 1] = 5
    assert program.member(big, np.arange(4.0), True, 2) == 11.0


def test_arrays_are_written_in_place(program: enzyme.Module) -> None:
    x = np.array([1.0, 2.0, 3.0])
    assert program.scale(x, 2, 10.0) is None
    assert x.tolist() == [10.0, 20.0, 3.0]


def test_pointers_of_other_kinds(program: enzyme.Module) -> None:
    assert program.norm((ctypes.c_double * 2)(3, 4), 2) == 5.0
    address = program.entry(1)
    assert ctypes.c_double.from_address(address).value == program.get_entry(1)
    assert program.norm(address, 0) == 0.0 and program.norm(None, 0) == 0.0

    class Two(ctypes.Structure):
        _fields_ = [("x", ctypes.c_double), ("y", ctypes.c_double)]

    assert program.sum_two(Two(1, 2)) == 3.0
    assert program.sum_two(ctypes.pointer(Two(1, 2))) == 3.0


def test_state_lives_between_calls(program: enzyme.Module) -> None:
    program.set_entry(0, 7.0)
    assert program.get_entry(0) == 7.0


def test_measure_gives_native_nanoseconds_per_call(program: enzyme.Module) -> None:
    samples = program.norm.measure(np.ones(1000), 1000, min_runs=7, min_seconds=0.0)
    assert len(samples) >= 7 and all(isinstance(each, int) for each in samples)
    assert max(samples) < 1_000_000_000 and min(samples) > 0
    assert len(program.norm.measure(np.ones(2), 2, min_runs=2, max_runs=3, min_seconds=0.2)) <= 3


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((np.ones(3),), "takes 2 arguments, 1 were given"),
        ((np.ones(3, np.float32), 3), "holds float32, the function works on double"),
        ((np.ones(3, np.int64), 3), "holds int64, the function works on double"),
        ((np.ones(6)[::2], 3), "not contiguous"),
        ((np.ones((2, 3)).T, 3), "Fortran order"),
        (([1.0, 2.0], 2), "takes a numpy array, not a list"),
        (("text", 2), "takes a numpy array, not a str"),
        ((np.array([1, "x"], dtype=object), 2), "arrays of Python objects"),
        ((np.ones(3).astype(">f8"), 3), "byte order"),
        ((np.ones(3), 2.0), "takes an int, not a float"),
        ((np.ones(3), 2**40), "does not fit an integer of 32 bits"),
        ((True, 2), "not a bool"),
    ],
)
def test_arguments_that_do_not_fit(program: enzyme.Module, arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        program.norm(*arguments)


def test_more_arguments_that_do_not_fit(program: enzyme.Module) -> None:
    with pytest.raises(UsageError, match="takes a real number, not a str"):
        program.scale(np.ones(2), 2, "1")
    with pytest.raises(UsageError, match="takes a real number, not a bool"):
        program.scale(np.ones(2), 2, True)
    with pytest.raises(UsageError, match="works on i32"):
        program.pick(np.ones(4), 1)
    with pytest.raises(UsageError, match="at least 40"):
        program.member(np.zeros(1), np.ones(2), True, 1)
    frozen = np.ones(3)
    frozen.flags.writeable = False
    with pytest.raises(UsageError, match="read-only"):
        program.scale(frozen, 3, 2.0)


def test_read_only_arrays_may_be_read() -> None:
    frozen = np.array([3.0, 4.0])
    frozen.flags.writeable = False
    assert enzyme.compile(SOURCE).norm(frozen, 2) == 5.0


def test_functions_that_cannot_be_called(program: enzyme.Module) -> None:
    assert "norm" in program.functions and "norm" in dir(program)
    assert not hasattr(program, "nothing")
    with pytest.raises(UsageError, match="there is no function 'nothing'"):
        program["nothing"]
    with pytest.raises(UsageError, match="variable arguments"):
        program["logged"]


def test_static_functions_are_not_callable() -> None:
    program = enzyme.compile(SOURCE, opt_level=0)
    with pytest.raises(UsageError, match="static"):
        program["hidden"]


def test_cxx_by_plain_name_with_constructors() -> None:
    program = enzyme.compile(
        """
        static double seed() { return 5; }
        struct Counter { double value; Counter() : value(seed()) {} };
        Counter counter;
        double f(double x) { return x * counter.value; }
        double g(double x) { return x; }
        double g(float x) { return x; }
        inline double h(double x) { return x; }
        """,
        language="c++",
    )
    assert program.f(2.0) == 10.0
    assert program["_Z1gf"](2.0) == 2.0
    with pytest.raises(UsageError, match="there are 2 functions 'g'"):
        program["g"]


def test_ir_and_bitcode_as_input(tmp_path: object) -> None:
    from pathlib import Path

    from enzyme.llvm.context import to_bitcode

    folder = Path(str(tmp_path))
    text = "define double @f(double %x) {\n  %y = fadd double %x, 1.0\n  ret double %y\n}\n"
    assert enzyme.compile(text, language="llvm").f(1.0) == 2.0
    (folder / "f.ll").write_text(text)
    (folder / "f.bc").write_bytes(to_bitcode(text))
    assert enzyme.compile(folder / "f.ll").f(1.0) == 2.0
    assert enzyme.compile(str(folder / "f.bc")).f(1.0) == 2.0
    with pytest.raises(enzyme.ParseError):
        enzyme.compile("define nonsense {\n", language="llvm")
    with pytest.raises(UsageError, match="cannot read"):
        enzyme.compile(folder / "g.ll")


def test_options_are_checked() -> None:
    with pytest.raises(UsageError, match="pipeline"):
        enzyme.compile("int x;\n", pipeline="middle")
    with pytest.raises(UsageError, match="optimisation level"):
        enzyme.compile("int x;\n", opt_level=7)
    with pytest.raises(UsageError, match="list of flags"):
        enzyme.compile("int x;\n", cflags="-DA -DB")
    with pytest.raises(CompileError, match="did not compile"):
        enzyme.compile("int x\n")


def test_a_program_with_undefined_functions_names_them() -> None:
    program = enzyme.compile(
        """
        double nowhere(double);
        static int calls;
        double f(double x) { return nowhere(x); }
        double g(double x) { return f(x); }
        double h(double x) { calls++; return 2 * x; }
        """
    )
    with pytest.raises(UsageError, match="it needs 'nowhere'"):
        program["g"]
    assert program.functions == ["h"] and program.h(1.0) == 2.0
    assert program.autodiff("h")(1.0) == 2.0


def test_thread_local_variables_are_refused() -> None:
    program = enzyme.compile("_Thread_local double t = 3;\ndouble f(double x) { return x * t; }\n")
    with pytest.raises(UsageError, match="'t' is thread-local"):
        program.f(1.0)


def test_stages_and_seconds() -> None:
    program = enzyme.compile(SOURCE)
    assert set(program.compile_seconds) == {"frontend", "differentiate"}
    assert "define" in program.ir("source") and "enzyme.call.norm" in program.ir()
    program["norm"].compile()
    assert set(program.compile_seconds) == {"frontend", "differentiate", "optimise", "codegen"}
    with pytest.raises(UsageError, match="no stage"):
        program.ir("middle")


def test_importing_enzyme_is_light() -> None:
    import subprocess
    import sys

    code = "import sys, enzyme, enzyme.cli; print(any(m.split('.')[0] in ('numpy', 'llvmlite') for m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("level", [0, 2])
def test_a_read_only_array_is_taken_where_it_is_only_read(level: int) -> None:
    program = enzyme.compile(SOURCE, opt_level=level)
    fixed = np.array([3.0, 4.0])
    fixed.flags.writeable = False
    assert program.norm(fixed, 2) == 5.0
    assert program.sum_two(fixed) == 7.0
    gradient = np.zeros(2)
    program.autodiff("norm")((fixed, gradient), 2)
    assert gradient == pytest.approx([0.6, 0.8])
    with pytest.raises(UsageError, match="read-only"):
        program.scale(fixed, 2, 2.0)
    with pytest.raises(UsageError, match=r"the shadow of argument 1 \('x'\): the array is read-only"):
        program.autodiff("norm")((gradient, fixed), 2)


@pytest.mark.parametrize("level", [0, 2])
def test_integers_of_another_width_are_refused(level: int) -> None:
    program = enzyme.compile(SOURCE, opt_level=level)
    assert program.pick(np.array([1, 2, 3], dtype=np.int32), 1) == 2
    with pytest.raises(UsageError, match="holds int64, the function works on i32"):
        program.pick(np.array([1, 2, 3], dtype=np.int64), 1)


def test_what_is_no_program_or_no_name() -> None:
    program = enzyme.compile(SOURCE)
    for wrong in (3, None, b"int f(void);"):
        with pytest.raises(UsageError, match="a program is text or a path"):
            enzyme.compile(wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="the program is empty"):
        enzyme.compile("")
    with pytest.raises(UsageError, match="named by a str"):
        program.autodiff(3)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="has no shadow"):
        program.autodiff(program.norm)((np.ones(2), None), 2)
    assert program.gradient("norm", wrt=0)(np.array([3.0, 4.0]), 2) == pytest.approx([0.6, 0.8])


def test_a_processor_that_llvm_does_not_know() -> None:
    config = enzyme.Config(cpu="bogus", cache=None)
    with pytest.raises(UsageError, match="no processor 'bogus'"):
        enzyme.compile("double f(double x) { return x * x; }", config=config).gradient("f")(3.0)
