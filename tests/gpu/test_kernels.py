"""Derivatives of GPU kernels, run by many threads: adjoints against tangents, and both against differences. They run on
threads of this machine's processor everywhere, and on its GPU where it has one and CUDA's libdevice is there."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from enzyme.cli import main
from enzyme.llvm.ptx import emit_ptx, find_libdevice
from tests.gpu.cases import CASES, Case, Kernels, disagreements
from tests.gpu.device import DeviceKernels, processor
from tests.gpu.simt import HERE, build

SETTINGS = ("-O0", "-O1", "-O2", "-O3", "-O2 --enzyme-pipeline=pre")
Compiled = Callable[[str, str], Kernels]


@pytest.fixture(scope="module")
def threads(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    def made(file: str, setting: str) -> Kernels:
        out = tmp_path_factory.mktemp(file)
        return build(_derived(file, setting, out), out)

    return cache(made)


def _derived(file: str, setting: str, out: Path) -> str:
    """A file of kernels with their derivatives, as the compiler command makes them."""
    made = out / "made.ll"
    words = ["-target", "nvptx64-cuda", "-march=sm_90", *setting.split(), "-S", "-emit-llvm", "-w"]
    assert main(["cc", *words, str(HERE / "kernels" / f"{file}.c"), "-o", str(made)]) == 0
    return made.read_text()


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.replace(" --enzyme-pipeline=", ""))
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_adjoints_are_tangents_and_differences(case: Case, setting: str, threads: Compiled) -> None:
    assert max(disagreements(threads(case.file, setting), case)) <= 1


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    found = processor()
    if found is None or find_libdevice() is None:
        pytest.skip("there is no GPU of NVIDIA, or no libdevice (CUDA_HOME)")

    def made(file: str, setting: str) -> Kernels:
        return DeviceKernels(emit_ptx(_derived(file, setting, tmp_path_factory.mktemp(file)), found))

    return cache(made)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.replace(" --enzyme-pipeline=", ""))
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_same_on_a_gpu(case: Case, setting: str, device: Compiled) -> None:
    assert max(disagreements(device(case.file, setting), case)) <= 1
