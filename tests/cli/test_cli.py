"""The command line, run as users run it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from llvmlite.binding import get_host_cpu_features

from enzyme.cli import main
from enzyme.commands.cc_line import read_line
from enzyme.support.diagnostics import UsageError

PROGRAM = """#include <stdio.h>
#include <math.h>
#include <enzyme/enzyme.h>
double f(double x) { return sin(x) * x; }
double total(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * x[i]; return s; }
int main(void) {
  double x[2] = {1, 2}, dx[2] = {0};
  double d = __enzyme_autodiff((void *)f, 2.0), t = __enzyme_fwddiff((void *)f, 2.0, 1.0);
  __enzyme_autodiff((void *)total, enzyme_dup, x, dx, enzyme_const, 2);
  printf("%d %d %g %g\\n", fabs(d - (cos(2) * 2 + sin(2))) < 1e-14, fabs(t - d) < 1e-14, dx[0], dx[1]);
  return 0;
}
"""
ANSWER = "1 1 2 4"


def enzyme_command(
    *words: str, cwd: Path | None = None, stdin: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "enzyme", *words]
    return subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, check=False)


def good(*words: str, cwd: Path, stdin: bytes | None = None) -> str:
    done = enzyme_command(*words, cwd=cwd, stdin=stdin)
    assert done.returncode == 0, done.stderr.decode()
    assert b"Traceback" not in done.stderr
    return done.stdout.decode()


def bad(*words: str, cwd: Path, status: int = 1, stdin: bytes | None = None) -> str:
    done = enzyme_command(*words, cwd=cwd, stdin=stdin)
    message = done.stderr.decode()
    assert done.returncode == status, message
    assert "Traceback" not in message
    return message


def answer(program: Path) -> str:
    return subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "demo.c").write_text(PROGRAM)
    return tmp_path


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "flags",
    [
        "-O0",
        "-O1",
        "-O2",
        "-O3 -march=native",
        "-O2 --enzyme-pipeline=pre",
        "-O1 --pipeline pre --tape-limit 1MiB",
        "-g -O2 -Wall",
    ],
)
def test_a_program_at_every_level(folder: Path, flags: str) -> None:
    good("cc", *flags.split(), "demo.c", "-o", "demo", cwd=folder)
    assert answer(folder / "demo") == ANSWER


def test_checks_alone_leave_nothing_behind(folder: Path) -> None:
    (folder / "wrong.c").write_text("int f(void) { return y; }\n")
    before = sorted(folder.iterdir())
    good("cc", "-fsyntax-only", "--pipeline=pre", "--tape-limit", "1MiB", "demo.c", "demo.c", cwd=folder)
    assert "undeclared identifier 'y'" in bad("cc", "-fsyntax-only", "demo.c", "wrong.c", cwd=folder)
    assert sorted(folder.iterdir()) == before


def test_objects_are_linked_by_us_or_others(folder: Path) -> None:
    good("cc", "-c", "-O2", "demo.c", cwd=folder)
    good("cc", "demo.o", "-lm", "-pthread", cwd=folder)
    assert answer(folder / "a.out") == ANSWER


def test_several_inputs_of_several_kinds(folder: Path) -> None:
    (folder / "half.c").write_text("double half(double x) { return x / 2; }\n")
    (folder / "more.cpp").write_text(
        'extern "C" double half(double);\nextern "C" double more(double x) { return half(x) + 1; }\n'
    )
    (folder / "main.c").write_text(
        '#include <stdio.h>\ndouble more(double);\nint main(void) { printf("%g %d", more(3), N); return 0; }\n'
    )
    good("cc", "-c", "-emit-llvm", "half.c", cwd=folder)
    good("c++", "-S", "-emit-llvm", "-O1", "more.cpp", cwd=folder)
    good("cc", "-O1", "-DN=5", "half.bc", "more.ll", "main.c", "-o", "all", cwd=folder)
    assert answer(folder / "all") == "2.5 5"


def test_lto_differentiates_across_files(folder: Path) -> None:
    (folder / "f.c").write_text("double f(double x) { return x * x * x; }\n")
    (folder / "main.c").write_text(
        "#include <stdio.h>\n#include <enzyme/enzyme.h>\ndouble f(double);\n"
        'int main(void) { printf("%g", __enzyme_autodiff((void *)f, 2.0)); return 0; }\n'
    )
    message = bad("cc", "-O2", "-fno-lto", "f.c", "main.c", "-o", "apart", cwd=folder)
    assert "no definition" in message and "-flto" in message
    good("cc", "-O2", "-flto", "-c", "f.c", cwd=folder)
    good("cc", "-O2", "-flto", "f.o", "main.c", "-o", "whole", cwd=folder)
    assert answer(folder / "whole") == "12"


def test_assembly_and_dependencies(folder: Path) -> None:
    assert "main" in good("cc", "-S", "-O1", "demo.c", "-o", "-", cwd=folder)
    good("cc", "-c", "-MMD", "-MP", "demo.c", "-o", "out.o", cwd=folder)
    assert (folder / "out.d").read_text().startswith("out.o: demo.c")
    assert (folder / "out.o").exists()


def test_source_from_standard_input(folder: Path) -> None:
    good("cc", "-x", "c", "-", "-o", "piped", cwd=folder, stdin=PROGRAM.encode())
    assert answer(folder / "piped") == ANSWER


def test_jobs_of_the_compiler_are_left_to_it(folder: Path) -> None:
    assert "clang version" in good("cc", "--version", cwd=folder)
    assert "sin(x) * x" in good("cc", "-E", "demo.c", cwd=folder)


def test_the_compilers_messages_are_shown_as_they_are(folder: Path) -> None:
    (folder / "broken.c").write_text("int f(int x) {\n  return y;\n}\n")
    message = bad("cc", "-c", "broken.c", cwd=folder)
    assert message.startswith("broken.c:2:10: error: use of undeclared identifier 'y'")
    assert not (folder / "broken.o").exists()
    (folder / "warned.c").write_text("int f(int x) { int unused; return x; }\n")
    done = enzyme_command("cc", "-Wall", "-c", "warned.c", cwd=folder)
    assert done.returncode == 0 and b"unused variable" in done.stderr


def test_what_cannot_be_differentiated_is_named_with_its_line(folder: Path) -> None:
    (folder / "unknown.c").write_text(
        "#include <enzyme/enzyme.h>\ndouble mystery(double);\n"
        "double f(double x) {\n  return mystery(x);\n}\n"
        "double df(double x) { return __enzyme_autodiff((void *)f, x); }\n"
    )
    message = bad("cc", "-O1", "-c", "unknown.c", cwd=folder)
    assert message.startswith("error: ") and "unknown.c:4:10" in message and "mystery" in message
    assert not (folder / "unknown.o").exists()


@pytest.mark.parametrize(
    "words, message",
    [
        ("cc", "no input files"),
        ("cc -o", "a value is missing after '-o'"),
        ("cc -c a.c b.c -o c.o", "multiple output files"),
        ("cc -emit-llvm a.c", "-emit-llvm cannot be used when linking"),
        ("cc -Omost a.c", "no optimisation level '-Omost'"),
        ("cc -x fortran a.c", "language 'fortran' is not compiled here"),
        ("cc --enzyme-pipeline=middle a.c", "no pipeline 'middle'"),
        ("cc --enzyme-magic a.c", "no option '--enzyme-magic'"),
        ("cc --enzyme-strongzero a.c", "use --enzyme-strong-zero"),
        ("cc --pipeline middle a.c", "use --pipeline=post or =pre"),
        ("cc -", "standard input needs a language"),
        ("opt", "the following arguments are required"),
        ("opt --function f x.ll", "--function goes with"),
        ("sing", "no command 'sing'"),
        ("", "usage: python -m enzyme"),
    ],
)
def test_command_lines_that_make_no_sense(tmp_path: Path, words: str, message: str) -> None:
    assert message in bad(*words.split(), cwd=tmp_path, status=2)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    assert "there is no file 'nothing.c'" in bad("cc", "nothing.c", cwd=tmp_path)
    assert "there is no file 'nothing.o'" in bad("cc", "nothing.o", cwd=tmp_path)
    assert "cannot read 'nothing.ll'" in bad("opt", "nothing.ll", cwd=tmp_path)
    assert "'.' is a directory" in bad("cc", ".", cwd=tmp_path)
    (tmp_path / "empty.c").write_text("")
    assert "cannot start" in bad("cc", "--cc", "no-such-clang", "empty.c", cwd=tmp_path)


def test_an_output_that_is_a_link_stays_one(folder: Path) -> None:
    good("cc", "-S", "-emit-llvm", "-O9", "demo.c", "-o", "demo.ll", cwd=folder)
    (folder / "real.ll").write_text("")
    (folder / "link.ll").symlink_to("real.ll")  # as /dev/stdout is one
    good("opt", "demo.ll", "-S", "-o", "link.ll", cwd=folder)
    assert (folder / "link.ll").is_symlink()
    assert (folder / "real.ll").read_text().startswith("; ModuleID = 'demo.ll'")


VECTORS = """
#include <math.h>
#include <stdio.h>
extern double __enzyme_fwddiff(void *, ...);
double sq(double x) { return x * x; }
int main(void) {
    double a[37], sum = 0, alone = 0;
    for (int i = 0; i < 37; i++) a[i] = sin(1 + 1.7 * i) + 0.02 * i;
    for (int i = 0; i < 37; i++) {
        volatile double y = 1 + 1.7 * i;
        sum += a[i], alone += sin(y) + 0.02 * i;
    }
    printf("%d %g", fabs(sum - alone) < 1e-9, __enzyme_fwddiff((void *)sq, 3.0, 1.0));
    return 0;
}
"""
"""A loop that calls a function of mathematics that takes four numbers in one register."""


def test_what_is_compiled_further_says_which_cpu_it_is_for(folder: Path) -> None:
    (folder / "vectors.c").write_text(VECTORS)
    flags = ["-O2", "-ffast-math", "-fvectorize", "-march=x86_64_v3"]
    good("cc", "-S", "-emit-llvm", *flags, "vectors.c", cwd=folder)
    assert '"target-cpu"="x86-64-v3"' in (folder / "vectors.ll").read_text()
    good("cc", "-S", "-emit-llvm", "-O2", "vectors.c", "-o", "plain.ll", cwd=folder)
    assert "target-cpu" not in (folder / "plain.ll").read_text()


@pytest.mark.skipif(shutil.which("gcc") is None, reason="the runtime library of AddressSanitizer is GCC's")
@pytest.mark.skipif(get_host_cpu_features().get("avx2") is not True, reason="needs AVX2")
def test_checks_of_addresses_leave_vectors_whole(folder: Path) -> None:
    (folder / "vectors.c").write_text(VECTORS)
    flags = ["-O2", "-ffast-math", "-fvectorize", "-march=x86_64_v3", "-fsanitize=address"]
    good("cc", *flags, "vectors.c", "-o", "checked", "-lm", cwd=folder)
    assert answer(folder / "checked") == "1 6"


def test_an_empty_pipe(tmp_path: Path) -> None:
    assert "standard input is empty" in bad("opt", "-", "-S", cwd=tmp_path, stdin=b"")


def test_opt_sits_in_a_pipe(folder: Path) -> None:
    (folder / "call.c").write_text(
        "#include <enzyme/enzyme.h>\ndouble f(double x) { return x * x; }\n"
        "double df(double x) { return __enzyme_autodiff((void *)f, x); }\n"
    )
    (folder / "none.c").write_text("double f(double x) { return x * x; }\n")
    from enzyme.frontends.clang import compile_to_ir

    (folder / "call.ll").write_text(compile_to_ir(folder / "call.c"))
    good("opt", "call.ll", "-S", "-o", "out.ll", cwd=folder)
    text = (folder / "out.ll").read_text()
    assert "__enzyme_autodiff" not in text and "define double @df" in text
    bitcode = enzyme_command("opt", "-", cwd=folder, stdin=(folder / "call.ll").read_bytes())
    assert bitcode.returncode == 0 and bitcode.stdout.startswith(b"BC\xc0\xde")
    again = enzyme_command("opt", "-", "-S", cwd=folder, stdin=bitcode.stdout)
    assert again.returncode == 0 and b"define double @df" in again.stdout


@pytest.mark.parametrize("analysis", ["types", "activity", "alias", "loops", "tripcount", "plan"])
def test_analyses_are_printed_alone(folder: Path, analysis: str) -> None:
    from enzyme.frontends.clang import compile_to_ir

    (folder / "demo.ll").write_text(compile_to_ir(folder / "demo.c"))
    text = good("opt", "demo.ll", "--print-analysis", analysis, "--function", "total", cwd=folder)
    assert "total" in text or "tape plan" in text
    message = bad("opt", "demo.ll", "--print-analysis", analysis, "--function", "nothing", cwd=folder)
    assert "there is no function 'nothing'" in message


def test_input_that_is_not_ir(tmp_path: Path) -> None:
    (tmp_path / "noise.ll").write_bytes(b"\x00\xff not ir\n")
    assert "'noise.ll' is not LLVM IR" in bad("opt", "noise.ll", cwd=tmp_path)
    (tmp_path / "wrong.ll").write_text("define nothing\n")
    assert "LLVM cannot read this module: 'wrong.ll'" in bad("opt", "wrong.ll", cwd=tmp_path)


def test_an_output_that_cannot_be_written(folder: Path) -> None:
    assert "cannot write" in bad("cc", "-c", "demo.c", "-o", "no/such/folder/demo.o", cwd=folder)
    if Path("/dev/full").exists():
        assert "No space left" in bad("cc", "-S", "demo.c", "-o", "/dev/full", cwd=folder)


def test_include_prints_a_folder_with_the_header(tmp_path: Path) -> None:
    assert (Path(good("include", cwd=tmp_path).strip()) / "enzyme" / "enzyme.h").is_file()


def test_flags_go_where_they_belong() -> None:
    line = read_line("-O2 -std=c11 -DA -I inc a.c -Wl,-z,now -Lx -ly b.o -fPIC -march=x86_64_v3 -lz".split(), "cc")
    assert line.front == ["-std=c11", "-DA", "-I", "inc", "-fPIC", "-march=x86_64_v3"]
    assert [w if isinstance(w, str) else w.path for w in line.link] == [
        "a.c", "-Wl,-z,now", "-Lx", "-ly", "b.o", "-fPIC", "-march=x86_64_v3", "-lz",
    ]  # fmt: skip
    assert (line.opt_level, line.cpu, line.output) == (2, "x86-64-v3", "program")


@pytest.mark.parametrize("name", ["x86-64-v3", "x86_64_v3", "icelake-server", "skylake_avx512"])
def test_processors_by_the_names_of_clang_and_of_zig(folder: Path, name: str) -> None:
    made = good("cc", "-O2", "-S", f"-march={name}", "demo.c", "-o", "-", cwd=folder)
    assert re.search(r"\tv(mul|add|fmadd\d+)sd", made)


def test_a_processor_that_does_not_exist(folder: Path) -> None:
    assert "unknown CPU" in bad("cc", "-O2", "-c", "-march=x86-64-v9", "demo.c", cwd=folder)


def test_sizes_of_vectors(folder: Path) -> None:
    assert read_line(["--enzyme-vector-bytes=64", "a.c"], "cc").vector_bytes == 64
    message = bad("cc", "--enzyme-vector-bytes=48", "demo.c", cwd=folder, status=2)
    assert "no vectors of '48' bytes" in message and "=16, =32 or =64" in message


def test_languages_of_inputs() -> None:
    line = read_line("a.c -x c++ b -x none c.cc d.ll e.a".split(), "cc")
    assert [each.kind for each in line.inputs] == ["c", "c++", "c++", "ir", "link"]
    assert [each.kind for each in read_line(["a.c"], "c++").inputs] == ["c++"]
    with pytest.raises(UsageError):
        read_line(["-x"], "cc")


def test_a_response_file(folder: Path) -> None:
    (folder / "words").write_text("-O1 demo.c\n-o 'a demo'")
    good("cc", "@words", cwd=folder)
    assert answer(folder / "a demo") == ANSWER


def test_sanitizers_do_not_go_with_derivatives(folder: Path) -> None:
    message = bad("cc", "-fsanitize=memory", "-c", "demo.c", cwd=folder)
    assert "demo.c asks for derivatives and cannot be compiled with -fsanitize=memory" in message


@pytest.mark.skipif(shutil.which("gcc") is None, reason="the runtime library of AddressSanitizer is GCC's")
def test_address_sanitizer_checks_derivatives(folder: Path) -> None:
    """The primal writes inside of its shadowed block; the caller's shadow is one number too short."""
    (folder / "short.c").write_text(
        "#include <enzyme/enzyme.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
        "static double f(double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * x[i]; return s; }\n"
        "int main(int count, char **words) {\n"
        "  double *x = calloc(4, 8), *dx = calloc(count > 1 ? 3 : 4, 8);\n"
        "  x[3] = 2;\n"
        "  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, 4);\n"
        '  printf("%g\\n", dx[3]);\n  free(x), free(dx);\n  return 0;\n}\n'
    )
    good("cc", "-O0", "-fsanitize=address", "short.c", "-o", "short", cwd=folder)
    right = subprocess.run([folder / "short"], capture_output=True, text=True, check=False)
    assert (right.returncode, right.stdout) == (0, "4\n")
    wrong = subprocess.run([folder / "short", "more"], capture_output=True, text=True, check=False)
    assert wrong.returncode != 0
    assert "heap-buffer-overflow" in wrong.stderr


def test_options_that_make_no_sense_are_refused_in_one_line(folder: Path) -> None:
    for words in (["opt"], ["opt", "a.ll", "b.ll"], ["opt", "a.ll", "-O7"], ["verify", "--fuzz", "many"]):
        message = bad(*words, cwd=folder, status=2)
        assert message.startswith("error: ")
        assert "usage" not in message


def test_explain_for_a_processor_that_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ENZYME_CPU", "bogus")
    source = tmp_path / "a.c"
    source.write_text("double f(double x) { return x * x; }\n")
    assert main(["explain", str(source), "--function", "f"]) == 1
    said = capsys.readouterr().err
    assert "no processor 'bogus'" in said and "internal fault" not in said
