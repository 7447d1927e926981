"""What is not done on GPUs is said, and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from enzyme.cli import main
from enzyme.llvm.ptx import emit_ptx, find_libdevice
from enzyme.support.config import Config
from enzyme.support.diagnostics import EnzymeError, UsageError
from tests.gpu.simt import HERE, compile_to_ir, differentiate

HEADER = '#include "gpu.h"\n'


def _differentiated(source: str, tmp_path: Path, level: int = 2) -> str:
    path = HERE / "kernels" / "gpu.h"
    (tmp_path / "gpu.h").write_text(path.read_text())
    file = tmp_path / "program.c"
    file.write_text(HEADER + source)
    return differentiate(compile_to_ir(file, level, tmp_path), level)


REFUSED = {
    "a barrier in a function that is called": (
        "static NOINLINE void meet(double *p) { WAIT(); p[THREAD] *= 2; WAIT(); }\n"
        "static void f(double *x, double *y, int n) { y[HERE] = x[HERE] * x[HERE]; meet(y); }\nDERIVED(f)",
        "in which threads wait for one another",
    ),
    "shared memory without a barrier": (
        "static void f(double *x, double *y, int n) {\n  SHARED volatile double s[32];\n  s[THREAD] = x[HERE];\n"
        "  y[HERE] = s[THREAD ^ 1] * x[0];\n}\nDERIVED(f)",
        "has no barrier",
    ),
    "an active result of an atomic addition": (
        "static void f(double *x, double *y, int n) { x[HERE] *= ATOMIC_ADD(y, x[HERE]); }\nDERIVED(f)",
        "cannot differentiate 'atomicrmw' of active memory",
    ),
    "a half of a number that threads of a warp hand to one another": (
        "static void f(double *x, double *y, int n) {\n  long long bits = __builtin_bit_cast(long long, x[HERE]);\n"
        "  unsigned low = __nvvm_shfl_sync_bfly_i32(-1, (int)bits, 1, 31);\n"
        "  y[HERE] = __builtin_bit_cast(double, (bits & ~0xffffffffll) | low);\n}\nDERIVED(f)",
        "cannot tell what numbers this i64 carries",
    ),
    "a barrier in inline assembly": (
        "static void f(double *x, double *y, int n) {\n  y[HERE] = x[HERE] * x[HERE];\n"
        '  asm volatile("bar.sync 0;" ::: "memory");\n  y[HERE] *= y[HERE];\n}\nDERIVED(f)',
        "threads may wait for one another in inline assembly",
    ),
    "the same in a function that is called": (
        'static NOINLINE void meet(void) { asm volatile("bar.sync 0;" ::: "memory"); }\n'
        "static void f(double *x, double *y, int n) {\n  y[HERE] = x[HERE] * x[HERE];\n  meet();\n"
        "  y[HERE] *= y[HERE];\n}\nDERIVED(f)",
        "in which threads wait for one another",
    ),
    "a function that is not there, where threads may wait": (
        "void meet(void);\nstatic void f(double *x, double *y, int n) {\n  y[HERE] = x[HERE] * x[HERE];\n  meet();\n"
        "  y[HERE] *= y[HERE];\n}\nDERIVED(f)",
        "threads may wait for one another in a call to 'meet'",
    ),
    "a barrier that counts": (
        "static void f(double *x, double *y, int n) {\n  y[HERE] = x[HERE] * x[HERE];\n"
        "  if (__nvvm_bar0_popc(n > 3) > 2) y[HERE] *= y[HERE];\n}\nDERIVED(f)",
        "threads may wait for one another in a call to 'llvm.nvvm.barrier.cta.red.popc",
    ),
    "a variable of all blocks": (
        "double table[64];\nstatic void f(double *x, double *y, int n) {\n  table[HERE % 64] = x[HERE] * x[HERE];\n"
        "  y[HERE] = table[(HERE + n) % 64] * x[0];\n}\nDERIVED(f)",
        "global variable 'table' is used with active data by all threads",
    ),
    "shared memory of the launch's size": (
        "extern __attribute__((address_space(3))) double buffer[];\nstatic void f(double *x, double *y, int n) {\n"
        "  buffer[THREAD] = x[HERE];\n  WAIT();\n  y[HERE] = buffer[THREAD ^ 1] * x[0];\n}\nDERIVED(f)",
        "active data is stored in global '@buffer'",
    ),
}

TAKEN = {
    "a call that does not come back": (
        "void __assertfail(const char *, const char *, unsigned, const char *, unsigned long)\n"
        "    __attribute__((noreturn));\n"
        'static void f(double *x, double *y, int n) {\n  if (n < 0) __assertfail("n", "f", 1, "f", 1);\n'
        "  y[HERE] = x[HERE] * x[0];\n}\nDERIVED(f)"
    ),
    "a function that the program declares inactive": (
        "void note(int);\nvoid *__enzyme_inactivefn[] = {(void *)note};\n"
        "static void f(double *x, double *y, int n) {\n  note(n);\n  y[HERE] = x[HERE] * x[0];\n}\nDERIVED(f)"
    ),
    "a vote": (
        "static void f(double *x, double *y, int n) {\n  int any = __nvvm_vote_any_sync(-1, x[HERE] > 1);\n"
        "  y[HERE] = x[HERE] * (any ? x[HERE] : 2);\n}\nDERIVED(f)"
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, tmp_path: Path) -> None:
    source, said = REFUSED[name]
    with pytest.raises(EnzymeError) as refused:
        _differentiated(source, tmp_path)
    assert said in str(refused.value)


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str, level: int, tmp_path: Path) -> None:
    assert "@reverse_f" in _differentiated(TAKEN[name], tmp_path, level)


def test_what_is_wide_enough_for_a_thread_is_on_its_stack(tmp_path: Path) -> None:
    text = _differentiated(
        "static void f(double *x, double *y, int n) {\n  double a = x[HERE];\n"
        "  for (int k = 0; k < n; k++) a = __nv_sin(a) * a;\n  y[HERE] = a;\n}\nDERIVED(f)",
        tmp_path,
        0,
    )
    assert "@enzyme.rt.scratch" in text and "@enzyme.rt.room" in text
    assert "raise cudaLimitMallocHeapSize" in text


LONG = (
    "static void f(double *x, double *y, int n) {\n  double a = x[HERE];\n"
    "  while (a < n) a += __nv_sin(a) * a * 0.1;\n  y[HERE] = a;\n}\nDERIVED(f)"
)


def test_threads_of_a_warp_share_blocks_only_where_that_is_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    (tmp_path / "gpu.h").write_text((HERE / "kernels" / "gpu.h").read_text())
    file.write_text(HEADER + LONG)

    def made(*words: str) -> str:
        assert (
            main(["cc", "-target", "nvptx64-cuda", *words, "-O1", "-S", "-emit-llvm", str(file), "-o", str(out)]) == 0
        )
        return out.read_text()

    out = tmp_path / "out.ll"
    assert "@enzyme.rt.take" in made("-march=sm_70", "--enzyme-warp-tapes")
    assert "@enzyme.rt.take" not in made("-march=sm_70")
    assert "@enzyme.rt.take" not in made("-march=sm_60", "--enzyme-warp-tapes")  # threads cannot ask who is there


def test_tapes_are_not_counted(tmp_path: Path) -> None:
    (tmp_path / "gpu.h").write_text((HERE / "kernels" / "gpu.h").read_text())
    (tmp_path / "program.c").write_text(HEADER + LONG)
    text = compile_to_ir(tmp_path / "program.c", 1, tmp_path)
    with pytest.raises(EnzymeError, match="not counted on GPUs"):
        differentiate(text, 1, Config(count_tape=True))


AMD = """target triple = "amdgcn-amd-amdhsa"
define void @f(ptr %p) {
  ret void
}
declare void @__enzyme_autodiff(...)
define void @g(ptr %p, ptr %d) {
  call void (...) @__enzyme_autodiff(ptr @f, ptr %p, ptr %d)
  ret void
}
"""


def test_other_gpus_are_refused() -> None:
    with pytest.raises(EnzymeError, match="'amdgcn' are not made yet"):
        differentiate(AMD)


def _opt(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    status = main(["opt", *words])
    return status, capsys.readouterr().err


def test_ptx_of_a_kernel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = HEADER + ("static void f(double *x, double *y, int n) { y[HERE] = x[0] * x[HERE] * x[HERE]; }\nDERIVED(f)")
    (tmp_path / "gpu.h").write_text((HERE / "kernels" / "gpu.h").read_text())
    (tmp_path / "program.c").write_text(source)
    module, made = tmp_path / "program.ll", tmp_path / "program.ptx"
    module.write_text(compile_to_ir(tmp_path / "program.c", 2, tmp_path))
    status, said = _opt(capsys, str(module), "--ptx", "sm_90", "-o", str(made))
    assert status == 0, said
    text = made.read_text()
    assert ".target sm_90" in text and ".entry reverse_f" in text
    assert "atom.global.add.f64" in text and "enzyme_dup" not in text
    status, said = _opt(capsys, str(module), "--ptx", "sm_1", "-o", str(made))
    assert status == 2 and "no processor 'sm_1'" in said
    status, said = _opt(capsys, str(module), "--ptx", "h100", "-o", str(made))
    assert status == 2 and "write it like sm_80" in said
    status, said = _opt(capsys, str(module), "--libdevice", "x.bc", "-o", str(made))
    assert status == 2 and "--libdevice goes with --ptx" in said


def test_the_compiler_command_writes_ptx(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = HERE.parents[1] / "docs" / "gpu.md"
    program = source.read_text().split("```c\n")[1].split("```")[0]
    file, made = tmp_path / "square.c", tmp_path / "square.ptx"
    file.write_text(program)
    words = ["cc", "-target", "nvptx64-cuda", "-O2", str(file), "-o", str(made)]
    assert main([*words, "-march=sm_90", "-S"]) == 0, capsys.readouterr().err
    text = made.read_text()
    assert ".target sm_90" in text and "match.all.sync" in text and ".entry square_gradient" in text
    assert main([*words, "-S"]) == 0, capsys.readouterr().err
    assert "match.all.sync" not in made.read_text()  # nothing says that threads can ask one another
    assert main([*words, "-march=sm_90", "-c"]) == 1
    assert "write PTX" in capsys.readouterr().err


def test_ptx_needs_libdevice_and_a_module_for_a_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = compile_to_ir(HERE / "kernels" / "reads.c", 2, tmp_path)
    with pytest.raises(UsageError, match="give --libdevice FILE"):
        emit_ptx(differentiate(text), "sm_90", tmp_path / "nothing.bc")
    with pytest.raises(UsageError, match="PTX is made of modules for nvptx64"):
        emit_ptx('target triple = "x86_64-pc-linux-gnu"\n', "sm_90")


@pytest.mark.skipif(find_libdevice() is None, reason="CUDA's libdevice is not there (CUDA_HOME)")
def test_libdevice_becomes_a_part_of_it(tmp_path: Path) -> None:
    made = emit_ptx(differentiate(compile_to_ir(HERE / "kernels" / "loops.c", 2, tmp_path)), "sm_80")
    assert ".entry reverse_newton" in made and "__nv_" not in made.replace("__nv_sin_f64", "")
