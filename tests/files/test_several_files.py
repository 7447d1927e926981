"""Programs of several files: given together, compiled one by one, from static libraries, in both languages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.files.build import ROOT, answer, archive, compiler, write

CUBE = "double cube(double x) { return x * x * x; }\n"
MAIN = """#include <stdio.h>
#include <enzyme/enzyme.h>
double cube(double);
static double f(double x) { return cube(x) * x; }
int main(void) {
  printf("%g %g", __enzyme_autodiff((void *)f, 2.0), __enzyme_fwddiff((void *)cube, 2.0, 1.0));
  return 0;
}
"""
ANSWER = "32 12"
SETTINGS = [("-O0", "post"), ("-O1", "post"), ("-O2", "post"), ("-O3", "pre")]


@pytest.fixture
def cube(tmp_path: Path) -> Path:
    write(tmp_path, cube_c=CUBE, main_c=MAIN)
    return tmp_path


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("level", "pipeline"), SETTINGS)
def test_sources_together(cube: Path, level: str, pipeline: str) -> None:
    compiler("cc", level, f"--enzyme-pipeline={pipeline}", "cube.c", "main.c", "-o", "prog", cwd=cube)
    assert answer(cube / "prog") == ANSWER


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("level", "pipeline"), SETTINGS)
def test_compiled_one_by_one(cube: Path, level: str, pipeline: str) -> None:
    for name in ("cube", "main"):
        compiler("cc", level, "-flto", "-c", f"{name}.c", cwd=cube)
    compiler("cc", f"--enzyme-pipeline={pipeline}", "-flto", "cube.o", "main.o", "-o", "prog", cwd=cube)
    assert answer(cube / "prog") == ANSWER


def test_bitcode_objects_link_without_the_flag(cube: Path) -> None:
    compiler("cc", "-O2", "-flto", "-c", "cube.c", "main.c", cwd=cube)
    compiler("cc", "main.o", "cube.o", "-o", "prog", cwd=cube)
    assert answer(cube / "prog") == ANSWER


def test_one_file_alone_names_the_way_out(cube: Path) -> None:
    message = compiler("cc", "-O2", "-c", "main.c", cwd=cube, fails=True)
    assert "no definition" in message and "-flto" in message


def test_not_together_when_told_so(cube: Path) -> None:
    message = compiler("cc", "-O2", "-fno-lto", "main.c", "cube.c", cwd=cube, fails=True)
    assert "no definition" in message


def test_static_library_by_path_and_by_name(cube: Path) -> None:
    (cube / "lib").mkdir()
    compiler("cc", "-O1", "-flto", "-c", "cube.c", cwd=cube)
    archive("lib/libcube.a", "cube.o", cwd=cube)
    compiler("cc", "-O1", "main.c", "lib/libcube.a", "-o", "path", cwd=cube)
    compiler("cc", "-O1", "main.c", "-Llib", "-lcube", "-o", "name", cwd=cube)
    assert answer(cube / "path") == answer(cube / "name") == ANSWER


def test_static_library_gives_only_what_is_needed(cube: Path) -> None:
    write(
        cube,
        other_c="int main_is_not_here; double unused(double x) { return not_defined_anywhere(x); }\n",
        inner_c="double square(double x) { return x * x; }\n",
        cube_c="double square(double); double cube(double x) { return square(x) * x; }\n",
    )
    compiler("cc", "-w", "-std=gnu89", "-O2", "-flto", "-c", "cube.c", "inner.c", "other.c", cwd=cube)
    archive("libparts.a", "inner.o", "other.o", "cube.o", cwd=cube)
    compiler("cc", "-O2", "main.c", "libparts.a", "-o", "prog", cwd=cube)
    assert answer(cube / "prog") == ANSWER


def test_static_library_of_bitcode_and_ordinary_objects(cube: Path) -> None:
    write(
        cube,
        plain_c='#include <stdio.h>\nint shown; void show(double x) { shown++; printf("%g ", x); }\n',
        helper_c="double helper(double x) { return 10 * x; }\n",
        uses_c="double helper(double); double by_plain(double x) { return helper(x); }\n",
        main_c=MAIN.replace(
            "int main(void) {", "void show(double); double by_plain(double);\nint main(void) {\n  show(by_plain(1));"
        ),
    )
    compiler("cc", "-O2", "-flto", "-c", "cube.c", "helper.c", cwd=cube)
    compiler("cc", "-O2", "-c", "plain.c", "uses.c", cwd=cube)
    archive("libmixed.a", "plain.o", "uses.o", "cube.o", "helper.o", cwd=cube)
    compiler("cc", "-O2", "main.c", "libmixed.a", "-o", "prog", cwd=cube)
    assert answer(cube / "prog") == f"10 {ANSWER}"


def test_ordinary_objects_beside(cube: Path) -> None:
    write(cube, plain_c="int counter = 7; int plain(void) { return counter; }\n")
    (cube / "main.c").write_text(
        MAIN.replace("int main(void) {", "int plain(void);\nint main(void) {\n  if (plain() != 7) return 1;")
    )
    compiler("cc", "-O2", "-c", "plain.c", cwd=cube)
    compiler("cc", "-O2", "main.c", "plain.o", "cube.c", "-o", "prog", cwd=cube)
    assert answer(cube / "prog") == ANSWER


def test_main_in_an_ordinary_object_calls_a_gradient_in_a_library(cube: Path) -> None:
    write(
        cube,
        gradient_c="#include <enzyme/enzyme.h>\ndouble cube(double);\n"
        "double gradient(double x) { return __enzyme_autodiff((void *)cube, x); }\n",
        app_c='#include <stdio.h>\ndouble gradient(double);\nint main(void) { printf("%g", gradient(2)); return 0; }\n',
    )
    compiler("cc", "-O2", "-flto", "-c", "gradient.c", "cube.c", cwd=cube)
    archive("libgradient.a", "gradient.o", "cube.o", cwd=cube)
    compiler("cc", "-O2", "-c", "app.c", cwd=cube)
    compiler("cc", "-O2", "app.o", "libgradient.a", "-o", "prog", cwd=cube)
    assert answer(cube / "prog") == "12"


def test_same_named_statics_stay_apart(tmp_path: Path) -> None:
    write(
        tmp_path,
        a_c="static double k = 2; static double g(double x) { return k * x; } double a(double x) { "
        "return g(x) * x; }\n",
        b_c="static double k = 3; static double g(double x) { return k * x * x; } double b(double x) { "
        "return g(x); }\n",
        main_c="#include <stdio.h>\n#include <enzyme/enzyme.h>\ndouble a(double), b(double);\n"
        "static double g(double x) { return a(x) + b(x); }\n"
        'int main(void) { printf("%g", __enzyme_autodiff((void *)g, 5.0)); return 0; }\n',
    )
    compiler("cc", "-O2", "main.c", "a.c", "b.c", "-o", "prog", cwd=tmp_path)
    assert answer(tmp_path / "prog") == "50"


def test_a_strong_definition_replaces_a_weak_one(tmp_path: Path) -> None:
    write(
        tmp_path,
        weak_c="__attribute__((weak)) double g(double x) { return 100 * x; } double f(double x) { return g(x) * x; }\n",
        strong_c="double g(double x) { return x * x; }\n",
        main_c="#include <stdio.h>\n#include <enzyme/enzyme.h>\ndouble f(double);\n"
        'int main(void) { printf("%g %g", f(2), __enzyme_autodiff((void *)f, 2.0)); return 0; }\n',
    )
    for order in (("weak.c", "strong.c"), ("strong.c", "weak.c")):
        compiler("cc", "-O2", *order, "main.c", "-o", "prog", cwd=tmp_path)
        assert answer(tmp_path / "prog") == "8 12"


@pytest.mark.thinned(2)
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_what_goes_by_a_weak_name_is_compared_when_the_program_runs(tmp_path: Path, level: str) -> None:
    """An ordinary object may hold another definition, which is the one that is called then."""
    write(
        tmp_path,
        strong_c="double g(double x) { return x * x * x; }\n",
        named_c="double named(double x) { return x * x; }\n",
        main_c="#include <stdio.h>\n#include <enzyme/enzyme.h>\n"
        "__attribute__((weak)) double g(double x) { return 100 * x; }\n"
        "static double own(double x) { return 3 * x; }\n"
        'double named(double x) __attribute__((weak, alias("own")));\n'
        "static double f(double x, int n) {\n"
        "  double (*p)(double) = n > 3 ? named : g;\n"
        "  return (n & 1 ? g(x) : 1) * (n & 2 ? named(x) : 1) * (n > 2 ? p(x) : 1);\n}\n"
        "int main(int n, char **words) {\n"
        '  printf("%g ", f(2, n));\n'
        '  printf("%g", n > 4 ? __enzyme_autodiff((void *)g, 2.0) : __enzyme_autodiff((void *)f, 2.0, n));\n'
        "  return 0;\n}\n",
    )
    for name in ("strong", "named"):
        compiler("cc", "-O1", "-c", f"{name}.c", "-o", f"{name}.o", cwd=tmp_path)
    expected = {"": ("200 100", "6 3", "240000 360000", "6 3", "1200 100")}
    expected["strong.o"] = ("", "6 3", "", "6 3", "")
    expected["named.o"] = ("200 100", "", "", "", "800 100")
    for strong, answers in expected.items():
        compiler("cc", level, "main.c", *strong.split(), "-o", "prog", cwd=tmp_path)
        for count, wanted in enumerate(answers):
            run = subprocess.run([tmp_path / "prog", *["more"] * count], capture_output=True, text=True)
            assert run.stdout == wanted if wanted else run.returncode != 0 and "enzyme: " in run.stdout + run.stderr


def test_inline_functions_and_templates_in_several_units(tmp_path: Path) -> None:
    write(
        tmp_path,
        shared_h="template <typename T> T sq(T x) { return x * x; }\ninline double half(double x) { static "
        "int n; n++; return x / 2; }\n",
        one_cpp='#include "shared.h"\ndouble one(double x) { return sq(x) + half(x); }\n',
        two_cpp='#include "shared.h"\ndouble two(double x) { return sq(sq(x)) + half(x); }\n',
        main_cpp="#include <cstdio>\n#include <enzyme/enzyme.h>\ndouble one(double); double two(double);\n"
        "static double f(double x) { return one(x) * two(x); }\n"
        'int main() { std::printf("%g", __enzyme_autodiff<double>((void *)f, 1.0)); }\n',
    )
    compiler("c++", "-O2", "main.cpp", "one.cpp", "two.cpp", "-o", "prog", cwd=tmp_path)
    assert answer(tmp_path / "prog") == f"{2.5 * 1.5 + 1.5 * 4.5:g}"


def test_c_and_cpp_together(tmp_path: Path) -> None:
    write(
        tmp_path,
        c_c="double in_c(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i] "
        "* x[i]; return s; }\n",
        cpp_cpp='#include <vector>\nextern "C" double in_c(const double *, int);\n'
        'extern "C" double in_cpp(const double *x, int n) {\n'
        "  std::vector<double> v(x, x + n);\n  return in_c(v.data(), n) * v[0];\n}\n",
        main_c="#include <stdio.h>\n#include <enzyme/enzyme.h>\ndouble in_cpp(const double *, int);\n"
        "int main(void) { double x[2] = {2, 3}, dx[2] = {0}; __enzyme_autodiff((void *)in_cpp, x, dx, 2);\n"
        '  printf("%g %g", dx[0], dx[1]); return 0; }\n',
    )
    compiler("cc", "-O2", "-flto", "-c", "c.c", "main.c", cwd=tmp_path)
    compiler("c++", "-O2", "-flto", "-c", "cpp.cpp", cwd=tmp_path)
    compiler("c++", "-O2", "c.o", "main.o", "cpp.o", "-o", "prog", cwd=tmp_path)
    assert answer(tmp_path / "prog") == "21 12"


def test_objects_of_different_levels(cube: Path) -> None:
    compiler("cc", "-O0", "-flto", "-c", "cube.c", cwd=cube)
    compiler("cc", "-O3", "-flto", "-c", "main.c", cwd=cube)
    compiler("cc", "cube.o", "main.o", "-o", "prog", cwd=cube)
    assert answer(cube / "prog") == ANSWER


def test_the_level_of_the_objects_holds_when_the_link_names_none(cube: Path) -> None:
    from enzyme.commands.whole import read_stamps, stamped
    from enzyme.llvm.context import canonical, link_texts

    empty = "define void @{}() {{\n  ret void\n}}\n"
    linked = link_texts([stamped(empty.format(n), level, "") for n, level in (("a", 0), ("b", 2), ("c", 1))])
    assert read_stamps(linked) == (2, "")
    assert read_stamps(canonical(stamped(empty.format("a"), 1, "znver3"))) == (1, "znver3")
    assert read_stamps(empty.format("a")) is None


def test_shared_library(cube: Path) -> None:
    import ctypes

    write(
        cube,
        gradient_c="#include <enzyme/enzyme.h>\ndouble cube(double);\n"
        "double gradient(double x) { return __enzyme_autodiff((void *)cube, x); }\n",
    )
    compiler("cc", "-O2", "-fPIC", "-shared", "gradient.c", "cube.c", "-o", "libgradient.so", cwd=cube)
    gradient = ctypes.CDLL(str(cube / "libgradient.so")).gradient
    gradient.restype, gradient.argtypes = ctypes.c_double, [ctypes.c_double]
    assert gradient(3.0) == 27.0


def test_assembly_and_ir_of_each_file(cube: Path) -> None:
    write(
        cube,
        two_c="#include <enzyme/enzyme.h>\nstatic double f(double x) { return x * x; }\n"
        "double g(double x) { return __enzyme_autodiff((void *)f, x); }\n",
    )
    compiler("cc", "-O1", "-S", "cube.c", "two.c", cwd=cube)
    compiler("cc", "-O1", "-S", "-emit-llvm", "cube.c", "two.c", cwd=cube)
    assert "cube" in (cube / "cube.s").read_text() and "double @g(" in (cube / "two.ll").read_text()


def test_dependencies_of_each_file(cube: Path) -> None:
    write(cube, kind_h="#define KIND 3\n")
    (cube / "cube.c").write_text('#include "kind.h"\n' + CUBE)
    compiler("cc", "-O1", "-flto", "-MD", "-c", "cube.c", "main.c", cwd=cube)
    assert "kind.h" in (cube / "cube.d").read_text() and "enzyme.h" in (cube / "main.d").read_text()


def test_response_file(cube: Path) -> None:
    (cube / "words.rsp").write_text('-O2 main.c\n"cube.c" -o prog\n')
    compiler("cc", "@words.rsp", cwd=cube)
    assert answer(cube / "prog") == ANSWER


def test_make(cube: Path) -> None:
    (cube / "Makefile").write_text(
        "CFLAGS = -O2 -flto -MMD\nprog: main.o libcube.a\n\t$(CC) $(CFLAGS) -o $@ main.o -L. -lcube\n"
        "libcube.a: cube.o\n\t$(AR) rcs $@ $^\n%.o: %.c\n\t$(CC) $(CFLAGS) -c $< -o $@\n"
    )
    done = subprocess.run(
        ["make", f"CC={sys.executable} -m enzyme cc", f"AR={sys.executable} -m ziglang ar"],
        cwd=cube,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert answer(cube / "prog") == ANSWER


def test_a_rule_registered_in_another_file_than_the_function(tmp_path: Path) -> None:
    write(
        tmp_path,
        f_c="double g(double x) { return x * x; }\ndouble f(double x) { return g(x) * x; }\n",
        rule_c="double g(double);\nstatic double up(double x) { return g(x); }\n"
        "static double back(double x, double seed) { return 100 * seed; }\n"
        "void *__enzyme_register_gradient_g[] = {(void *)g, (void *)up, (void *)back};\n",
        main_c="#include <stdio.h>\n#include <enzyme/enzyme.h>\ndouble f(double);\n"
        'int main(void) { printf("%g", __enzyme_autodiff((void *)f, 3.0)); return 0; }\n',
    )
    for level in ("-O0", "-O2"):
        compiler("cc", level, "-flto", "-c", "f.c", "rule.c", "main.c", cwd=tmp_path)
        compiler("cc", "main.o", "f.o", "rule.o", "-o", "prog", cwd=tmp_path)
        assert answer(tmp_path / "prog") == "309"


def test_symbols_defined_twice(cube: Path) -> None:
    (cube / "again.c").write_text(CUBE)
    message = compiler("cc", "-O1", "main.c", "cube.c", "again.c", cwd=cube, fails=True)
    assert "again.c cannot be linked" in message and "cube" in message


def test_files_without_derivatives(tmp_path: Path) -> None:
    write(
        tmp_path,
        a_c="int a(void) { return 1; }\n",
        main_c='#include <stdio.h>\nint a(void);\nint main(void) { printf("%d", a()); return 0; }\n',
    )
    compiler("cc", "-O2", "a.c", "main.c", "-o", "prog", cwd=tmp_path)
    assert answer(tmp_path / "prog") == "1"
