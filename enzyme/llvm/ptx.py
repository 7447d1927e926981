"""The last step of a program for NVIDIA's GPUs: from IR to PTX, with the functions of libdevice that it calls."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

import llvmlite.binding as llvm

from enzyme.llvm.codegen import machine_of, target_machine
from enzyme.llvm.context import LLVMModule, parse
from enzyme.support.devices import is_gpu
from enzyme.support.diagnostics import UsageError

_INSIDE = "nvvm/libdevice/libdevice.10.bc"
_WHERE = ("CUDA_HOME", "CUDA_PATH")
_MARKERS = re.compile(r"(?m)^(@enzyme_\w+) = external .*?global i32\b")
"""``enzyme_dup`` and its kin, which code that is not optimised reads and nobody looks at."""
_PROCESSOR = re.compile(r"sm_\d+[af]?")


def find_libdevice(environment: Mapping[str, str] | None = None) -> Path | None:
    """CUDA's library of mathematics as bitcode: in ``CUDA_HOME``, ``CUDA_PATH`` or /usr/local/cuda*, the newest."""
    env = os.environ if environment is None else environment
    folders = [Path(env[name]) for name in _WHERE if env.get(name)]
    folders += sorted(Path("/usr/local").glob("cuda*"), reverse=True)
    return next((each / _INSIDE for each in folders if (each / _INSIDE).is_file()), None)


def check_processor(name: str) -> None:
    """Refuse what is no processor of NVIDIA that LLVM knows."""
    if not _PROCESSOR.fullmatch(name):
        raise UsageError(f"'{name}' is no processor of NVIDIA", hint="write it like sm_80 or sm_90")
    machine_of("nvptx64-nvidia-cuda", name)


def emit_ptx(text: str, processor: str, libdevice: Path | None = None, level: int = 3) -> str:
    """PTX of a module of IR for a processor (``sm_90``). What the module calls of libdevice (``__nv_*``) becomes a part
    of it. Raises :class:`UsageError` where the module is for another target, or libdevice is asked for and not there.
    """
    check_processor(processor)
    module = parse(_MARKERS.sub(r"\1 = internal global i32 0", text))
    if not is_gpu(module.handle.triple):
        raise UsageError(
            f"PTX is made of modules for nvptx64, and this one is for '{module.handle.triple or 'no target'}'",
            hint="compile the kernels for the GPU: clang -x cuda --cuda-device-only --cuda-gpu-arch="
            f"{processor} -S -emit-llvm, or --target=nvptx64-nvidia-cuda for C",
        )
    wanted = [f.name for f in module.handle.functions if f.is_declaration and f.name.startswith("__nv_")]
    if wanted:
        _link(module, libdevice or find_libdevice(), wanted)
    machine = target_machine(module, processor, level)
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module.handle, builder)
    return str(machine.emit_assembly(module.handle))


def _link(module: LLVMModule, libdevice: Path | None, wanted: list[str]) -> None:
    """Put those functions of libdevice in that a module calls, as its own."""
    if libdevice is None or not libdevice.is_file():
        missing = f"'{libdevice}' is not there" if libdevice is not None else "it is nowhere to be found"
        raise UsageError(
            f"the kernels call '{wanted[0]}' of libdevice, and {missing}",
            why=f"it belongs to CUDA, and lies in {_INSIDE} there",
            hint="set CUDA_HOME, or give --libdevice FILE",
        )
    before = {f.name for f in module.handle.functions}
    before |= {g.name for g in module.handle.global_variables}
    context = module.handle._context
    library = llvm.parse_bitcode(libdevice.read_bytes(), context)
    library.triple, library.data_layout = module.handle.triple, module.handle.data_layout
    module.handle.link_in(library)
    for each in (*module.handle.functions, *module.handle.global_variables):
        if not each.is_declaration and (each.name not in before or each.name in wanted):
            each.linkage = "internal"
