"""Target machines, objects and assembly."""

from __future__ import annotations

import llvmlite
import llvmlite.binding as llvm

from enzyme.llvm.constructors import with_initialisers
from enzyme.llvm.context import LLVMModule, initialise, parse
from enzyme.llvm.conversions import with_conversions
from enzyme.support.diagnostics import UsageError


def versions() -> tuple[str, str]:
    """Of llvmlite, and of the LLVM inside it."""
    return llvmlite.__version__, ".".join(str(number) for number in llvm.llvm_version_info)


def host_cpu() -> tuple[str, str]:
    """Name and features of the machine this runs on."""
    try:
        return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    except RuntimeError:
        return llvm.get_host_cpu_name(), ""


def vector_bytes(cpu: str) -> int:
    """How many bytes one arithmetic instruction of a CPU takes at most, as far as its name tells."""
    features = ""
    if cpu == "native":
        cpu, features = host_cpu()
    if cpu == "znver4":
        return 32  # it works on the halves of wider registers one after the other
    if "+avx512f" in features or "avx512" in cpu or cpu == "x86-64-v4":
        return 64
    return 32 if "+avx" in features or cpu in ("x86-64-v3", "haswell", "znver1", "znver2", "znver3") else 16


def target_machine(module: LLVMModule, cpu: str = "native", level: int = 3, pic: bool = True) -> llvm.TargetMachine:
    """A machine for the module's triple; ``cpu`` is "native", "" for the target's generic CPU, or a name."""
    return machine_of(module.handle.triple, cpu, level, pic)


def machine_of(triple: str, cpu: str = "native", level: int = 3, pic: bool = True) -> llvm.TargetMachine:
    """The same for a triple; "" is that of this process."""
    initialise()
    triple = triple or llvm.get_default_triple()
    try:
        target = llvm.Target.from_triple(triple)
    except RuntimeError as error:
        raise UsageError(f"no code generator for target '{triple}'", why=str(error)) from None
    features = ""
    if cpu == "native":
        host = llvm.get_process_triple().split("-")[0]
        cpu, features = host_cpu() if triple.split("-")[0] == host else ("", "")
    return target.create_target_machine(
        cpu=cpu, features=features, opt=level, reloc="pic" if pic else "default", codemodel="default"
    )


def _prepared(source: str | bytes) -> LLVMModule:
    text = source if isinstance(source, str) else str(parse(source))
    return parse(with_initialisers(with_conversions(text)))


def emit_object(source: str | bytes, level: int = 3, cpu: str = "", pic: bool = True) -> bytes:
    """An object file of a module."""
    module = _prepared(source)
    return bytes(target_machine(module, cpu, level, pic).emit_object(module.handle))


def emit_assembly(source: str | bytes, level: int = 3, cpu: str = "") -> str:
    """Assembly of a module."""
    module = _prepared(source)
    return str(target_machine(module, cpu, level).emit_assembly(module.handle))
