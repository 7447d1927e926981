"""Source to IR: what the compiler is given, what comes back, and how it fails."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from enzyme.frontends.clang import compile_to_ir, is_source_text, run_front_end, strip_target
from enzyme.frontends.compiler import _global_cache, clean_messages, find_compiler, spelled
from enzyme.gradient.loop_pragmas import KEEP, NUMBERS, RECOMPUTE
from enzyme.ir.parser import parse_module
from enzyme.support.diagnostics import CompileError, UsageError

LOOP = """#include <math.h>
double total(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += sin(x[i]) * x[i];
  return sum;
}
"""


def test_post_is_optimised_but_not_vectorised_or_unrolled() -> None:
    ir = compile_to_ir(LOOP, "c", 3)
    assert "alloca" not in ir
    assert "<2 x double>" not in ir
    assert ir.count("@sin(double") == 2  # one call and the declaration: not unrolled


def test_pre_is_the_raw_output_with_type_based_alias_information() -> None:
    ir = compile_to_ir(LOOP, "c", 2, "pre")
    assert "alloca double" in ir
    assert "!tbaa" in ir
    assert "optnone" not in ir


def test_level_zero_can_still_be_optimised_later() -> None:
    ir = compile_to_ir(LOOP, "c", 0)
    assert "alloca double" in ir
    assert "optnone" not in ir


def test_no_function_carries_a_cpu_or_instrumentation() -> None:
    ir = compile_to_ir(LOOP, "c", 2)
    for word in ("target-features", "target-cpu", "tune-cpu", "__ubsan", "sspstrong", "frame-pointer"):
        assert f'"{word}"' not in ir and f" {word} " not in ir


def test_source_text_has_lines_and_a_readable_name() -> None:
    module = parse_module(compile_to_ir(LOOP, "c", 2))
    call = next(i for i in module.functions["total"].instructions() if i.opcode == "call")
    location = module.debug_location(call)
    assert location is not None and (location.file, location.line) == ("source.c", 5)
    assert module.source_filename == "source.c"


def test_values_keep_their_names() -> None:
    module = parse_module(compile_to_ir(LOOP, "c", 2))
    assert [argument.name for argument in module.functions["total"].args] == ["x", "n"]


def test_asserts_stay_unless_the_program_turns_them_off() -> None:
    source = "#include <assert.h>\nint f(int x) { assert(x > 0); return x; }\n"
    assert "__assert" in compile_to_ir(source, "c", 2)
    assert "__assert" not in compile_to_ir(source, "c", 2, cflags=["-DNDEBUG"])


def test_cxx_source(tmp_path: Path) -> None:
    path = tmp_path / "area.cpp"
    path.write_text("template <class T> T twice(T x) { return x + x; }\ndouble f(double x) { return twice(x); }\n")
    assert "@_Z1fd" in compile_to_ir(path)


def test_include_folders_and_definitions(tmp_path: Path) -> None:
    (tmp_path / "scale.h").write_text("#define SCALE 3.0\n")
    ir = compile_to_ir(
        '#include "scale.h"\ndouble f(double x) { return SCALE * N * x; }',
        "c",
        cflags=["-DN=2"],
        include_dirs=[tmp_path],
    )
    assert "6.000000e+00" in ir


def test_the_shipped_header_is_found() -> None:
    ir = compile_to_ir("#include <enzyme/enzyme.h>\nint f(void) { return enzyme_dup; }", "c", 0)
    assert "@enzyme_dup = external" in ir


def test_an_error_names_the_users_line() -> None:
    with pytest.raises(CompileError) as caught:
        compile_to_ir("int f(int x) {\n  return y;\n}\n")
    assert "source.c:2:10: error: use of undeclared identifier 'y'" in str(caught.value)
    assert "argument unused" not in str(caught.value)
    assert "generated." not in str(caught.value)


def test_an_error_in_a_file_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "broken.c"
    path.write_text("int f( {\n}\n")
    with pytest.raises(CompileError, match=r"broken\.c:1:8"):
        compile_to_ir(path)


def test_warnings_are_given_and_are_not_noise() -> None:
    done = run_front_end("int f(int x) { int unused; return x; }\n", "c", cflags=["-Wall"])
    assert "unused variable 'unused'" in done.warnings
    assert "argument unused" not in done.warnings
    assert run_front_end("int f(int x) { return x; }\n", "c").warnings == ""


def test_missing_file_and_unknown_suffix(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file"):
        compile_to_ir(tmp_path / "nothing.c")
    with pytest.raises(UsageError, match="cannot tell the language"):
        compile_to_ir(tmp_path / "program.pas")
    with pytest.raises(UsageError, match="unknown language"):
        compile_to_ir("int f;\n", "cobol")


def test_text_or_path() -> None:
    assert is_source_text("int f(void) { return 1; }")
    assert is_source_text("int x;\n")
    assert not is_source_text("folder/program.c")
    assert not is_source_text(Path("odd{name}.c"))


def _fake(folder: Path, script: str) -> str:
    path = folder / "my clang"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_another_compiler_must_be_a_clang_of_a_version_that_can_be_read(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="cannot start"):
        find_compiler(str(tmp_path / "nothing"))
    with pytest.raises(CompileError, match="is not a clang"):
        find_compiler(_fake(tmp_path, "echo 'cc (Some) 12.2.0'"))


def test_a_newer_clang_is_refused_by_name_of_its_version(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="clang 99, too new"):
        find_compiler(_fake(tmp_path, "echo 'clang version 99.0.1'"))


def test_another_clang_gets_its_own_words(tmp_path: Path) -> None:
    compiler = find_compiler(_fake(tmp_path, "echo 'Debian clang version 19.1.7'"))
    assert not compiler.zig
    assert compiler.for_language("c++")[-1] == "--driver-mode=g++"


def test_the_default_compiler_is_the_wheels() -> None:
    compiler = find_compiler()
    assert compiler.zig
    assert Path(compiler.for_language("c")[-2]).name in ("zig", "ziglang")
    assert [compiler.for_language(each)[-1] for each in ("c", "c++")] == ["cc", "c++"]


def test_a_function_with_features_of_its_own_keeps_them() -> None:
    text = (
        "define void @a() #0 {\n  ret void\n}\n"
        '\nattributes #0 = { nounwind "target-cpu"="x" "target-features"="+a,-b" "tune-cpu"="y" }\n'
        'attributes #1 = { "target-features"="+a,+b" }\n'
    )
    stripped = strip_target(text)
    assert "attributes #0 = { nounwind }" in stripped
    assert '"target-features"="+a,+b"' in stripped


def test_messages_are_cleaned_and_renamed() -> None:
    text = (
        "zig: warning: argument unused during compilation: '-c' [-Wunused-command-line-argument]\n"
        "/somewhere/source.c:1:2: error: no\n1 error generated.\n"
    )
    assert clean_messages(text, {"/somewhere/": ""}) == "source.c:1:2: error: no"


def test_an_environment_has_a_cache_of_zig_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two installations that share one throw each other's libc++ out of it."""
    choose = _global_cache.__wrapped__
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "venv"))
    assert choose() == str(tmp_path / "venv" / ".cache" / "zig")
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "file"))  # nothing can be made below it
    assert choose() == str(tmp_path / "user" / "zig")
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    assert choose() == str(tmp_path / "user" / "zig")


def test_pragmas_are_read_in_macros_and_in_headers_from_named_folders(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "steps.h").write_text(
        """#define AGAIN _Pragma("enzyme loop recompute")
static inline double power(double x, int n) {
  double p = 1;
#pragma enzyme loop keep
  for (int i = 0; i < n; i++) p *= x;
  AGAIN for (int i = 0; i < n; i++) p = p * p - x;
  return p;
}
void note(void) __attribute__((enzyme_inactive));
"""
    )
    source = tmp_path / "f.c"
    source.write_text("#include <steps.h>\ndouble f(double x, int n) { note(); return power(x, n); }\n")
    ir = compile_to_ir(source, "c", 1, include_dirs=[tmp_path / "inner"])
    assert str(NUMBERS[KEEP]) in ir and str(NUMBERS[RECOMPUTE]) in ir
    assert "enzyme_inactive" in ir
    source.write_text(
        '#define LATER _Pragma("enzyme loop later")\nvoid g(int n) { LATER for (int i = 0; i < n; i++); }\n'
    )
    with pytest.raises(CompileError, match="#pragma enzyme takes 'loop keep'"):
        compile_to_ir(source, "c", 1)


def test_names_of_processors_are_the_compilers_own() -> None:
    words = ["-O2", "-march=x86-64-v3", "-mtune=icelake-server", "-march=native+avx512f", "-mno-avx", "a-b.c"]
    assert spelled(["zig", "cc", *words]) == [
        "zig", "cc", "-O2", "-march=x86_64_v3", "-mtune=icelake_server", "-march=native+avx512f", "-mno-avx", "a-b.c",
    ]  # fmt: skip
    assert spelled(["clang", "-x", "c", *words])[3:] == words
