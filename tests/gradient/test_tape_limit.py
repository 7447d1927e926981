"""A limit on the tape: where states are kept, how often steps run again, what is said where it cannot be."""

from __future__ import annotations

import ctypes
from functools import cache
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import enzyme
from enzyme.cli import main
from enzyme.gradient.checkpoint_runtime import ADVANCE, CHECKPOINTS, DERIVE, KEEP, RESTORE, repetitions
from enzyme.llvm.jit import JITModule, emit_for_jit
from enzyme.support.config import Config, config_from_environment, read_bytes
from enzyme.support.diagnostics import UsageError

BYTES = 8
PLACES = 48 + BYTES
"""What one state costs."""


@cache
def runtime() -> tuple[JITModule, dict[str, Any]]:
    """What checkpointed loops call, compiled; the module has to stay."""
    word, address = ctypes.c_int64, ctypes.c_void_p
    types = {
        "begin": (address, word, word, word),
        "due": (address, address, word),
        "end": (None, address, word, ctypes.c_int32),
        "next": (word, address),
        "finish": (None, address),
    }
    module = JITModule(emit_for_jit(CHECKPOINTS.replace("define internal", "define")))
    found = module.load([f"enzyme.rt.checkpoint.{name}" for name in types])
    return module, {
        name: ctypes.CFUNCTYPE(*signature)(found[f"enzyme.rt.checkpoint.{name}"]) for name, signature in types.items()
    }


def reversal(steps: int, places: int, expected: int) -> tuple[int, int, int]:
    """Play a loop and its reversal: steps that were run on the way back and there, the most of one step, states kept
    at a time. Every state that is put back has to be the one of the step that is run then, and steps are reversed in
    order."""
    call = runtime()[1]
    frame = call["begin"](PLACES * (places + 1), BYTES, expected)
    kept: dict[int, int] = {}
    ran = [0] * steps
    for step in range(steps):
        place = call["due"](frame, step)
        if place:
            kept[place] = step
        ran[step] += 1
    call["end"](frame, steps, 1)
    at, left = -1, steps
    words = ctypes.cast(frame, ctypes.POINTER(ctypes.c_int64))
    while asked := call["next"](frame):
        place = words[8]
        if asked == RESTORE:
            at = kept[place]
        elif asked == KEEP:
            kept[place] = at
        elif asked == ADVANCE:
            ran[at] += 1
            at += 1
        else:
            assert asked == DERIVE
            left -= 1
            assert at == left
            at = -1
    assert left == 0
    call["finish"](frame)
    return sum(ran), max(ran), len(kept)


@settings(max_examples=60, deadline=None)
@given(steps=st.integers(1, 400), places=st.integers(1, 12))
def test_known_numbers_of_steps_take_what_revolve_takes(steps: int, places: int) -> None:
    total, most, kept = reversal(steps, places, steps + 1)
    runs = repetitions(steps + 1, places)
    assert kept <= places
    assert total == runs * (steps + 1) - comb(places + runs, runs - 1)  # Griewank and Walther, of one step more
    assert most <= runs


@settings(max_examples=60, deadline=None)
@given(steps=st.integers(1, 400), places=st.integers(1, 12))
def test_unknown_numbers_of_steps_are_reversed(steps: int, places: int) -> None:
    total, _, kept = reversal(steps, places, 0)
    assert kept <= places
    if places >= 4:
        half = repetitions(steps, places // 2)
        assert total <= (half + 2) * steps


def test_more_places_than_steps() -> None:
    assert reversal(9, 12, 10)[:2] == (9, 1)


LOOP = """
double f(double *u, int n, int steps) {
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n; i++) u[i] = u[i] * 0.99 + 0.01 * u[i] * u[(i + 1) % 5];
  return u[0] + u[n - 1];
}
"""


@pytest.mark.parametrize("steps", [0, 1, 2, 57])
def test_numbers_are_the_same(steps: int) -> None:
    found = []
    for limit in (0, 400):
        module = enzyme.compile(LOOP, config=Config(tape_limit=limit))
        x, shadow = np.linspace(0.1, 1.3, 5), np.zeros(5)
        module.autodiff("f", ["dup", "const", "const"])((x, shadow), 5, steps)
        found.append((x, shadow))
    np.testing.assert_array_equal(found[0], found[1])


def test_explain_tells_the_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.c"
    path.write_text("double f(double x) { for (int i = 0; i < 1000; i++) x = x * 0.9 + 0.1 * x * x; return x; }\n")
    assert main(["explain", "--function", "f", "--tape-limit", "1KiB", str(path)]) == 0
    said = capsys.readouterr().out
    assert "keeps states in place of a tape" in said
    assert "of 1000 steps runs at most" in said


def test_what_cannot_be_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.c"
    path.write_text(
        "#include <stdio.h>\nextern double __enzyme_autodiff(void *, double);\n"
        'double f(double x) { for (int i = 0; i < 99; i++) { x = x * x; printf("."); } return x; }\n'
        "int main() { return __enzyme_autodiff((void *)f, 1.0) == 0; }\n"
    )
    assert main(["cc", "-c", "--tape-limit=64", str(path), "-o", str(tmp_path / "f.o")]) == 0
    assert "-Wenzyme-limit" in capsys.readouterr().err


def test_bytes_are_read_as_people_write_them() -> None:
    words = {"": 0, "0": 0, "4096": 4096, "64K": 65536, "64KiB": 65536, "2MB": 2_000_000, "1.5 gib": 3 << 29}
    assert {word: read_bytes(word) for word in words} == words
    assert config_from_environment({"ENZYME_TAPE_LIMIT": "1M"}).tape_limit == 1 << 20
    with pytest.raises(UsageError, match="no number of bytes"):
        read_bytes("much")
