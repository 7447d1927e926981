"""Kernels for NVPTX, differentiated, and run on this machine's processor by a driver that is a GPU of threads."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from enzyme.gradient.lower import lower_module
from enzyme.optimise import optimise_program
from enzyme.support.config import Config
from tests.gpu.cases import Arrays

HERE = Path(__file__).resolve().parent

_REGISTERS = re.compile(r"@llvm\.nvvm\.read\.ptx\.sreg\.(tid|ctaid|ntid|nctaid)\.x\b")
_SPELLED = (
    (re.compile(r"@llvm\.nvvm\.barrier\.cta\.sync\.aligned\.all\b"), "@simt_wait"),
    (re.compile(r"@llvm\.nvvm\.isspacep\.local\b"), "@simt_is_local"),
    (re.compile(r"@llvm\.nvvm\.activemask\b"), "@simt_activemask"),
    (re.compile(r"@llvm\.nvvm\.match\.all\.sync\.i64p\b"), "@simt_match"),
    (re.compile(r"@llvm\.nvvm\.match\.any\.sync\.i32\b"), "@simt_match_any"),
    (re.compile(r"@llvm\.nvvm\.shfl\.sync\.(\w+)\.(i32|f32)\b"), r"@simt_\1_\2"),
    (re.compile(r"@llvm\.nvvm\.bar\.warp\.sync\b"), "@simt_warp_wait"),
    (re.compile(r"@llvm\.nvvm\.read\.ptx\.sreg\.laneid\b"), "@simt_lane"),
    (re.compile(r"@__assertfail\b"), "@simt_stop"),
    (_REGISTERS, r"@simt_\1_x"),
    (re.compile(r"@__nv_"), "@"),
    (re.compile(r" addrspace\(3\)"), ""),
    (re.compile(r"\.p3\b"), ".p0"),
    (re.compile(r' syncscope\("device"\)'), ""),
    (re.compile(r"\bptx_kernel "), ""),
    (re.compile(r"(?m)\bconvergent( |$)"), ""),
    (re.compile(r'"(?:target-cpu|target-features|uniform-work-group-size)"="[^"]*" ?'), ""),
    (re.compile(r"(?m)^target (?:triple|datalayout) = .*\n"), ""),
    (re.compile(r"addrspacecast \((ptr @[\w.$]+) to ptr\)"), r"bitcast (\1 to ptr)"),
    (re.compile(r"addrspacecast (ptr [^ ]+) to ptr"), r"bitcast \1 to ptr"),
    (re.compile(r" range\(i32 -?\d+, -?\d+\)"), ""),
    (re.compile(r"declare noundef (i32 @simt)"), r"declare \1"),
    (re.compile(r"(?m)^(declare [^@\n]*@simt_[^\n]*?) (?:#\d+|(?:nocallback |nounwind |memory).*)$"), r"\1"),
    (re.compile(r"(?m)^(attributes #\d+ = \{) *\}"), r"\1 nounwind }"),
)


def compile_to_ir(source: Path, level: int, out: Path) -> str:
    """The IR of a file of kernels."""
    made = out / f"{source.stem}.{level}.ll"
    words = ["-target", "nvptx64-cuda", f"-O{level}", "-S", "-emit-llvm", "-fno-sanitize=all", "-w"]
    for each in ("-target-cpu", "sm_90", "-target-feature", "+sm_90", "-target-feature", "+ptx80"):
        words += ["-Xclang", each]
    command = [sys.executable, "-m", "ziglang", "cc", *words, str(source), "-o", str(made)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return made.read_text()


def differentiate(text: str, level: int = 0, config: Config | None = None) -> str:
    """The module with its derivatives."""
    config = config or Config()
    made = lower_module(text, config)
    return optimise_program(made, level, "post", config) if level else made


def on_this_processor(text: str) -> str:
    """IR for NVPTX as IR that calls the driver (simt.c) where it asks a GPU."""
    for pattern, by in _SPELLED:
        text = pattern.sub(by, text)
    declared: set[str] = set()
    kept = []
    for line in text.split("\n"):  # one memory is copied from and to, in place of several
        name = re.match(r"declare .*?@([\w.]+)\(", line)
        if name is None or name[1] not in declared:
            kept.append(line)
        declared |= {name[1]} if name is not None else set()
    return "\n".join(kept)


@dataclass
class ThreadKernels:
    """Kernels that have been compiled for this processor."""

    library: ctypes.CDLL

    def launch(self, name: str, grid: int, block: int, arrays: Arrays, n: int) -> None:
        """Run a kernel in place."""
        kernel = ctypes.cast(getattr(self.library, name), ctypes.c_void_p)
        pointers = [each.ctypes.data_as(ctypes.c_void_p) for each in arrays]
        self.library.launch(kernel, grid, block, *pointers, n)


def build(text: str, out: Path) -> ThreadKernels:
    """Kernels of a module of IR for NVPTX, made in a folder of their own."""
    module, library = out / "simt.ll", out / "simt.so"
    module.write_text(on_this_processor(text))
    command = [sys.executable, "-m", "ziglang", "cc", "-shared", "-fPIC", "-O1", "-w", "-fno-sanitize=all"]
    command += [str(module), str(HERE / "simt.c"), "-o", str(library), "-lm", "-lpthread"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return ThreadKernels(ctypes.CDLL(str(library)))
