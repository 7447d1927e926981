"""Target machines, objects and assembly."""

from __future__ import annotations

import os
import re
import tempfile
from functools import cache

import llvmlite
import llvmlite.binding as llvm

from enzyme.llvm.constructors import with_initialisers
from enzyme.llvm.context import LLVMModule, initialise, parse
from enzyme.llvm.conversions import with_conversions
from enzyme.llvm.legacy_sse import asks_for_sse4a, functions_without, without_sse4a
from enzyme.support.devices import is_gpu
from enzyme.support.diagnostics import UsageError


def versions() -> tuple[str, str]:
    """Of llvmlite, and of the LLVM inside it."""
    return llvmlite.__version__, ".".join(str(number) for number in llvm.llvm_version_info)


def triple_of(text: str) -> str:
    """The target that a module's text names; "" where it names none."""
    found = re.search(r'(?m)^target triple = "([^"]*)"', text)
    return found[1] if found else ""


def host_cpu() -> tuple[str, str]:
    """Name and features of the machine this runs on."""
    name = llvm.get_host_cpu_name()
    try:
        features = llvm.get_host_cpu_features().flatten()
    except RuntimeError:
        return name, ""
    return named_by(name, features), features


def cpu_and_features(cpu: str, triple: str, sse4a: bool = False) -> tuple[str, str]:
    """What code generation is told of a CPU, "native" or a name. ``sse4a``: that it has these instructions, too, where
    it has AVX (:mod:`enzyme.llvm.legacy_sse`)."""
    name, features = host_cpu() if cpu == "native" else (cpu, "")
    if not sse4a and name.startswith(_AMD) and vector_bytes(name, triple) > 16:
        features = without_sse4a(features)
    return name, features


_FIRST = "sapphirerapids"
_NEW = {"+amx-tile", "+avx512fp16"}
_OF_NEW = {_FIRST, "emeraldrapids", "graniterapids", "graniterapids-d", "diamondrapids"}


def named_by(name: str, features: str) -> str:
    """The name of a host's CPU, where its features do not contradict it; else that of the first CPU that had them.

    LLVM reads names off numbers of models, and takes the one of a model that it does not know for an older CPU's: in
    virtual machines, Intel's servers from Sapphire Rapids on are called ``rocketlake``. From the name LLVM has how long
    instructions take and how often loops are unrolled."""
    return _FIRST if set(features.split(",")) >= _NEW and name not in _OF_NEW else name


_SUM = """define <8 x double> @f(<8 x double> %a, <8 x double> %b) {
  %sum = fadd <8 x double> %a, %b
  ret <8 x double> %sum
}"""


def works_on_halves(cpu: str, triple: str = "") -> bool:
    """Whether a CPU has registers of 64 bytes and works on their halves, one after the other."""
    name = llvm.get_host_cpu_name() if cpu == "native" else cpu
    return name == "znver4" and (triple or llvm.get_process_triple()).startswith("x86_64")


_LOOP = """define void @f(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr double, ptr %a, i64 %i
  %value = load double, ptr %place
  %twice = fadd double %value, %value
  store double %twice, ptr %place
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}"""


@cache
def makes_whole_vectors(cpu: str, triple: str = "") -> bool:
    """Whether a CPU works on registers of 64 bytes at once, and LLVM makes its loops run in vectors of that size: it
    does for AMD's from Zen 5 on, and for Intel's it prefers halves."""
    triple = triple or llvm.get_process_triple()
    if vector_bytes(cpu, triple) < 64:
        return False
    module = parse(f'target triple = "{triple}"\n{_LOOP}')
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    builder = llvm.create_pass_builder(target_machine(module, cpu), options)
    builder.getModulePassManager().run(module.handle, builder)
    return "<8 x double>" in str(module)


_AMD = ("znver", "bdver", "btver", "amdfam", "athlon", "opteron", "k8", "barcelona")
_FUSED = """define double @f(double %a, double %b) {
  %product = call double @llvm.fma.f64(double %a, double %b, double %b)
  ret double %product
}
declare double @llvm.fma.f64(double, double, double)"""


@cache
def has_fused(cpu: str, triple: str) -> bool:
    """Whether a CPU of x86-64 has fused multiply-adds."""
    return "vfmadd" in _assembly(_FUSED, cpu, triple)


@cache
def is_slow_with_subnormals(cpu: str, triple: str = "") -> bool:
    """Whether a CPU of x86-64 with fused multiply-adds takes a hundred cycles for a product with a subnormal factor or
    result: Intel's do (measured on a Xeon with AMX: 39 ns, where others take 0.3), AMD's Zen does not."""
    triple = triple or llvm.get_process_triple()
    name = llvm.get_host_cpu_name() if cpu == "native" else cpu
    return triple.startswith("x86_64") and not name.startswith(_AMD) and has_fused(cpu, triple)


_HALF_PRECISION = """define <32 x half> @f(<32 x half> %a, <32 x half> %b) {
  %sum = fadd <32 x half> %a, %b
  ret <32 x half> %sum
}"""


@cache
def works_on_whole(cpu: str, triple: str = "") -> bool:
    """Whether a CPU works on registers of 64 bytes at once, at no lower clock: those for which LLVM makes vectors of
    that size, and Intel's from Sapphire Rapids on, the first with numbers of 16 bits, for which it prefers halves."""
    triple = triple or llvm.get_process_triple()
    if makes_whole_vectors(cpu, triple):
        return True
    return vector_bytes(cpu, triple) == 64 and "vaddph" in _assembly(_HALF_PRECISION, cpu, triple)


def prefers_halves(cpu: str, triple: str = "") -> bool:
    """Whether LLVM makes vectors of half the size that a CPU works on at once: for Intel's of which that is true."""
    return works_on_whole(cpu, triple) and not makes_whole_vectors(cpu, triple)


@cache
def vector_bytes(cpu: str, triple: str = "") -> int:
    """How many bytes one arithmetic instruction of a CPU takes at most: what LLVM adds eight numbers with on it."""
    initialise()
    triple = triple or llvm.get_process_triple()
    if not triple.startswith("x86_64"):
        return 16
    if works_on_halves(cpu, triple):
        return 32
    text = _assembly(_SUM, cpu, triple)
    return 64 if "%zmm" in text else 32 if "%ymm" in text else 16


def _assembly(text: str, cpu: str, triple: str) -> str:
    """What a few lines become on a CPU of x86-64."""
    initialise()
    name, features = host_cpu() if cpu == "native" else (cpu, "")
    if name and cpu != "native":
        _check_cpu(triple, name)
    machine = llvm.Target.from_triple(triple).create_target_machine(cpu=name, features=features or "+64bit")
    return str(machine.emit_assembly(llvm.parse_assembly(text)))


def target_machine(module: LLVMModule, cpu: str = "native", level: int = 3, pic: bool = True) -> llvm.TargetMachine:
    """A machine for the module's triple; ``cpu`` is "native", "" for the target's generic CPU, or a name."""
    if is_gpu(module.handle.triple) and cpu in ("native", ""):
        cpu = processor_of(str(module.handle))
    return machine_of(module.handle.triple, cpu, level, pic, bool(cpu) and asks_for_sse4a(module))


def processor_of(text: str) -> str:
    """The GPU that the functions of a module are for, as it was given to the compiler; "" where none says."""
    found = re.search(r'"target-cpu"="(sm_\w+)"', text)
    return found[1] if found else ""


@cache
def _check_cpu(triple: str, cpu: str) -> None:
    """Refuse a CPU that LLVM does not know: it says so on the standard error only, and then ends the process."""
    with tempfile.TemporaryFile() as said:
        before = os.dup(2)
        try:
            os.dup2(said.fileno(), 2)
            llvm.Target.from_triple(triple).create_target_machine(cpu=cpu)
        finally:
            os.dup2(before, 2)
            os.close(before)
        said.seek(0)
        if b"not a recognized processor" in said.read():
            hint = 'use "native", "" for the generic one, or a name that clang takes for -march, like x86-64-v3'
            raise UsageError(f"no processor '{cpu}' of {triple}", why="LLVM does not know the name", hint=hint)


def machine_of(
    triple: str, cpu: str = "native", level: int = 3, pic: bool = True, sse4a: bool = False
) -> llvm.TargetMachine:
    """The same for a triple; "" is that of this process. ``sse4a``: as the CPU has it, also beside AVX."""
    initialise()
    triple = triple or llvm.get_default_triple()
    try:
        target = llvm.Target.from_triple(triple)
    except RuntimeError as error:
        raise UsageError(f"no code generator for target '{triple}'", why=str(error)) from None
    if cpu == "native" and triple.split("-")[0] != llvm.get_process_triple().split("-")[0]:
        cpu = ""
    elif cpu != "native" and cpu:
        _check_cpu(triple, cpu)
    cpu, features = cpu_and_features(cpu, triple, sse4a)
    return target.create_target_machine(
        cpu=cpu, features=features, opt=level, reloc="pic" if pic else "default", codemodel="default"
    )


def _prepared(source: str | bytes) -> LLVMModule:
    text = source if isinstance(source, str) else str(parse(source))
    return parse(functions_without(with_initialisers(with_conversions(text))))


def emit_object(source: str | bytes, level: int = 3, cpu: str = "", pic: bool = True) -> bytes:
    """An object file of a module."""
    module = _prepared(source)
    if is_gpu(module.handle.triple):
        raise UsageError(
            f"there are no object files for '{module.handle.triple.partition('-')[0]}'",
            why="a GPU's driver takes PTX, which is text",
            hint="write PTX: -march=sm_90 -S -o OUT.ptx",
        )
    return bytes(target_machine(module, cpu, level, pic).emit_object(module.handle))


def emit_assembly(source: str | bytes, level: int = 3, cpu: str = "") -> str:
    """Assembly of a module; that of a GPU is PTX, with what it calls of libdevice."""
    module = _prepared(source)
    if is_gpu(module.handle.triple):
        from enzyme.llvm.ptx import emit_ptx

        text = str(module)
        return emit_ptx(text, processor_of(text) or "sm_70", level=level)
    return str(target_machine(module, cpu, level).emit_assembly(module.handle))
