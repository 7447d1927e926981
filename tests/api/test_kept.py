"""Compiled derivatives that are kept: what decides whether one is used again, in this process and by the command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import enzyme
from enzyme.support.cache import Cache
from enzyme.support.config import Config, switches, turned_off
from enzyme.support.trace import Trace

SOURCE = "double f(double x) { return x * x * x; }\nint count; double g(double x) { count++; return 2 * x; }\n"


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return Config(cache=Cache(tmp_path / "kept"))


def entries(config: Config) -> int:
    assert config.cache is not None
    return config.cache.size()[0]


def cube(config: Config, source: str = SOURCE, **settings: Any) -> enzyme.Module:
    module = enzyme.compile(source, config=config, **settings)
    assert module.f(2.0) == 8.0
    assert module.autodiff("f")(2.0) == 12.0
    return module


def test_second_time_nothing_is_made(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    first = cube(config)
    assert first.saved_seconds == 0.0
    made = entries(config)
    assert made == 4  # the program and the derivative, each as IR and as machine code

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("the engine or LLVM's passes ran")

    for place in (
        "enzyme.gradient.lower.lower_module",
        "enzyme.gradient.lower.synthesize",
        "enzyme.jit.optimise_program",
    ):
        monkeypatch.setattr(place, fail)
    monkeypatch.setattr("enzyme.llvm.jit.emit_for_jit", fail)
    second = cube(config)
    assert entries(config) == made
    assert second.saved_seconds > 0.0
    assert second.g(1.0) == 2.0 and second.g(1.0) == 2.0


def test_hessians_are_kept(config: Config) -> None:
    source = """double q(const double *x, int n) {
        double s = 0; for (int i = 0; i < n; i++) s += x[i] * x[i] * x[i]; return s; }
    """
    x = np.array([1.0, 2.0])
    for _ in range(2):
        module = enzyme.compile(source, config=config)
        np.testing.assert_allclose(module.hessian("q")(x, 2), np.diag(6 * x))
    assert module.saved_seconds > 0.0
    assert "optimise" not in module.compile_seconds


CHANGES: dict[str, Callable[[Config], tuple[Config, dict[str, Any]]]] = {
    "level": lambda c: (c, {"opt_level": 1}),
    "pipeline": lambda c: (c, {"pipeline": "pre"}),
    "flags": lambda c: (c, {"cflags": ["-ffast-math"]}),
    "source": lambda c: (c, {"source": SOURCE.replace("2 * x", "3 * x")}),
    "check_plan": lambda c: (replace(c, check_plan=True), {}),
    "strong_zero": lambda c: (replace(c, strong_zero=True), {}),
    "runtime_activity": lambda c: (replace(c, runtime_activity=True), {}),
    "cpu": lambda c: (replace(c, cpu=""), {}),
    **{name: (lambda c, name=name: (turned_off(c, name), {})) for name in switches()},  # type: ignore[misc]
}


@pytest.mark.thinned(3)
@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_the_result_is_in_the_key(config: Config, change: str) -> None:
    cube(config)
    before = entries(config)
    other, settings = CHANGES[change](config)
    module = cube(other, **settings)
    assert entries(config) > before
    assert "codegen" in module.compile_seconds and "optimise" in module.compile_seconds


def test_request_is_in_the_key(config: Config) -> None:
    source = "double h(const double *x, double y) { return x[0] * x[1] * y; }\n"
    x, dx = np.array([2.0, 3.0]), np.zeros(2)
    for _ in range(2):
        module = enzyme.compile(source, config=config)
        assert module.autodiff("h", ["const", "out"])(x, 5.0) == 6.0
        dx[:] = 0.0
        assert module.autodiff("h", ["dup", "out"])((x, dx), 5.0) == 6.0
        np.testing.assert_array_equal(dx, [15.0, 10.0])
        dx[:] = 1.0, 0.0
        assert module.autodiff("h", ["dup", "const"], "forward")((x, dx), 5.0) == 15.0


def test_another_engine_keeps_its_own(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    cube(config)
    monkeypatch.setattr("enzyme.kept.engine_version", lambda: "another")
    assert cube(config).saved_seconds == 0.0


def test_damaged_entries_are_made_again(config: Config, capsys: pytest.CaptureFixture[str]) -> None:
    cube(config)
    assert config.cache is not None
    for path in config.cache.folder.iterdir():
        path.write_bytes(path.read_bytes()[:-7])
    assert cube(config).saved_seconds == 0.0
    assert capsys.readouterr().err.count("is damaged") == 4
    assert cube(config).saved_seconds > 0.0


def test_state_is_not_shared_between_programs(config: Config) -> None:
    source = "static double total = 0; double add(double x) { total += x; return total; }\n"
    for _ in range(2):
        module = enzyme.compile(source, config=config)
        assert [module.add(1.0), module.add(2.0)] == [1.0, 3.0]
        assert module.autodiff("add")(1.0) == 1.0
        assert module.add(0.0) == 4.0


def test_nothing_is_kept_where_steps_are_shown(config: Config) -> None:
    cube(replace(config, trace=Trace(timing=True)))
    assert entries(config) == 0


# --- the command -----------------------------------------------------------------------------------------------------

PROGRAM = """#include <math.h>
#include <stdio.h>
#include "scale.h"
extern double __enzyme_autodiff(void *, ...);
static double twice(double x) { return SCALE * x * x; }
static double wave(double x) { return SCALE * sin(x); }
double (*table[])(double) = {twice, wave};
__attribute__((noinline)) double f(double *x, int n) { return table[n & 1](x[0]) * table[n > 5](x[1]); }
int main(void) {
  double x[2] = {0.5, 0.25}, d[2] = {0};
  __enzyme_autodiff((void *)f, x, d, 2);
  printf("%.6f %.6f\\n", d[0], d[1]);
  return 0;
}
"""


def build(folder: Path, *words: str, **environment: str) -> str:
    command = [sys.executable, "-m", "enzyme", "cc", "-O2", *words, "main.c", "-o", "program", "-lm"]
    known = {**os.environ, "ENZYME_CACHE": str(folder / "kept"), **environment}
    done = subprocess.run(command, cwd=folder, env=known, capture_output=True, text=True, check=True)
    return done.stderr


def run(folder: Path) -> str:
    return subprocess.run([str(folder / "program")], capture_output=True, text=True, check=True).stdout


def test_command(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(PROGRAM)
    (tmp_path / "scale.h").write_text("#define SCALE 1.0\n")
    store = Cache(tmp_path / "kept")
    said = build(tmp_path)
    assert "-Wenzyme-indirect" in said
    answer, made = run(tmp_path), store.size()[0]
    assert made > 0
    # The same again: same answer, same warning, nothing new.
    assert build(tmp_path) == said
    assert run(tmp_path) == answer
    assert store.size()[0] == made
    # Warnings are chosen when they are said.
    assert "-Wenzyme-indirect" not in build(tmp_path, "-Wno-enzyme-indirect")
    # A header changes the result.
    (tmp_path / "scale.h").write_text("#define SCALE 2.0\n")
    build(tmp_path)
    assert run(tmp_path) != answer
    (tmp_path / "scale.h").write_text("#define SCALE 1.0\n")
    build(tmp_path)
    assert run(tmp_path) == answer
    # Off: nothing is read or written.
    store.clear()
    build(tmp_path, ENZYME_CACHE="off")
    assert store.size()[0] == 0


def test_warning_made_an_error_is_one_the_second_time(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(PROGRAM)
    (tmp_path / "scale.h").write_text("#define SCALE 1.0\n")
    for _ in range(2):
        with pytest.raises(subprocess.CalledProcessError) as failed:
            build(tmp_path, "-Werror=enzyme-indirect")
        assert "-Werror=enzyme-indirect makes an error of it" in failed.value.stderr


def test_assembly_that_reads_files_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("1")
    (tmp_path / "scale.h").write_text(
        '#define SCALE 1.0\n__asm__(".pushsection .rodata\\n.incbin \\"data.txt\\"\\n.popsection");\n'
    )
    (tmp_path / "main.c").write_text(PROGRAM)
    build(tmp_path)
    assert Cache(tmp_path / "kept").size()[0] == 0


def test_cache_command(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(PROGRAM)
    (tmp_path / "scale.h").write_text("#define SCALE 1.0\n")
    build(tmp_path)

    def say(*words: str, **environment: str) -> str:
        known = {**os.environ, "ENZYME_CACHE": str(tmp_path / "kept"), **environment}
        command = [sys.executable, "-m", "enzyme", "cache", *words]
        return subprocess.run(command, env=known, capture_output=True, text=True, check=True).stdout

    entries = Cache(tmp_path / "kept").size()[0]
    assert f"{tmp_path / 'kept'}: {entries} entries" in say()
    assert f"{entries} entries removed" in say("--clear")
    assert ": 0 entries" in say()
    assert say(ENZYME_CACHE="off").startswith("off")
