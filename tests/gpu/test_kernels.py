"""Derivatives of GPU kernels, run by many threads: adjoints against tangents, and both against differences. They run on
threads of this machine's processor everywhere, and on its GPU where it has one and CUDA's libdevice is there."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from enzyme.llvm.ptx import emit_ptx, find_libdevice
from tests.gpu.cases import CASES, Case, Kernels, disagreements
from tests.gpu.device import DeviceKernels, processor
from tests.gpu.simt import HERE, build, compile_to_ir, differentiate

LEVELS = (0, 1, 2, 3)
Compiled = Callable[[str, int], Kernels]


@pytest.fixture(scope="module")
def threads(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    def made(file: str, level: int) -> Kernels:
        out = tmp_path_factory.mktemp(file)
        return build(_derived(file, level, out), out)

    return cache(made)


def _derived(file: str, level: int, out: Path) -> str:
    return differentiate(compile_to_ir(HERE / "kernels" / f"{file}.c", level, out), level)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_adjoints_are_tangents_and_differences(case: Case, level: int, threads: Compiled) -> None:
    assert max(disagreements(threads(case.file, level), case)) <= 1


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    found = processor()
    if found is None or find_libdevice() is None:
        pytest.skip("there is no GPU of NVIDIA, or no libdevice (CUDA_HOME)")

    def made(file: str, level: int) -> Kernels:
        return DeviceKernels(emit_ptx(_derived(file, level, tmp_path_factory.mktemp(file)), found))

    return cache(made)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_same_on_a_gpu(case: Case, level: int, device: Compiled) -> None:
    assert max(disagreements(device(case.file, level), case)) <= 1
