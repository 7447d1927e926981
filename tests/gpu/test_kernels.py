"""Derivatives of GPU kernels, run by many threads: adjoints against tangents, and both against differences. They run on
threads of this machine's processor everywhere, and on its GPU where it has one and CUDA's libdevice is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from enzyme.cli import main
from enzyme.llvm.ptx import emit_ptx, find_libdevice
from tests.gpu.cases import CASES, FILES, Kernels, disagreements
from tests.gpu.device import DeviceKernels, processor
from tests.gpu.simt import HERE, build

WARPS = "--enzyme-warp-tapes"
SETTINGS = ("-O0", "-O1", "-O2", "-O3", "-O2 --enzyme-pipeline=pre", f"-O0 {WARPS}", f"-O2 {WARPS}")
everywhere = pytest.mark.parametrize(
    ("file", "setting"),
    [
        pytest.param(file, setting, id=f"{file}{re.sub(' --enzyme-(pipeline=)?', '-', setting)}")
        for file in FILES
        for setting in SETTINGS
        if WARPS not in setting or file in ("loops", "tapes", "blocks")
    ],
)


def _derived(file: str, setting: str, out: Path) -> str:
    """A file of kernels with their derivatives, as the compiler command makes them."""
    made = out / "made.ll"
    words = ["-target", "nvptx64-cuda", "-march=sm_90", *setting.split(), "-S", "-emit-llvm", "-w"]
    assert main(["cc", *words, str(HERE / "kernels" / f"{file}.c"), "-o", str(made)]) == 0
    return made.read_text()


def _wrong(kernels: Kernels, file: str) -> dict[str, tuple[float, float]]:
    """The kernels of a file whose derivatives are not what they should be, and how far they are from it."""
    found = {f"{case.name}, n = {case.n}": disagreements(kernels, case) for case in CASES if case.file == file}
    assert found
    return {name: far for name, far in found.items() if not max(far) <= 1}


@pytest.mark.thinned(4)
@everywhere
def test_adjoints_are_tangents_and_differences(file: str, setting: str, tmp_path: Path) -> None:
    assert not _wrong(build(_derived(file, setting, tmp_path), tmp_path), file)


@everywhere
def test_the_same_on_a_gpu(file: str, setting: str, tmp_path: Path) -> None:
    found = processor()
    if found is None or find_libdevice() is None:
        pytest.skip("there is no GPU of NVIDIA, or no libdevice (CUDA_HOME)")
    assert not _wrong(DeviceKernels(emit_ptx(_derived(file, setting, tmp_path), found)), file)
