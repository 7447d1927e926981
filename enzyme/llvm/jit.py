"""Running a module in this process (LLJIT)."""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from threading import Lock

import llvmlite.binding as llvm

from enzyme.llvm import block_lists, kept_blocks, vector_math
from enzyme.llvm.codegen import machine_of, target_machine
from enzyme.llvm.context import initialise, parse
from enzyme.llvm.legacy_sse import functions_without
from enzyme.support.diagnostics import UsageError

_serial = count()
_one_at_a_time = Lock()


def registered(name: str) -> int | None:
    """The address of a symbol that somebody in this process has told LLVM of (``llvmlite.binding.add_symbol``), as
    Numba does with the functions that its programs call; also what the dynamic linker finds."""
    initialise()
    address = llvm.address_of_symbol(name)
    return None if address is None else int(address)


def freeing_lists() -> int:
    """The address of what frees the lists of a thread (block_lists.py). The code stays: it has made the key by which
    threads say that they end."""
    with _one_at_a_time:
        return _freeing_lists()[0]


@cache
def _freeing_lists() -> tuple[int, JITModule]:
    module = JITModule(emit_for_jit(block_lists.FREEING))
    names = [block_lists.FREE_OWN, block_lists.MAKE_KEY]
    addresses = module.load(names, {block_lists.LISTS: block_lists.lists_of_process()})
    if not ctypes.CFUNCTYPE(ctypes.c_int64)(addresses[block_lists.MAKE_KEY])():
        block_lists.take_no_key()
    return addresses[block_lists.FREE_OWN], module


def _lists_of_process() -> int:
    freeing_lists()
    return block_lists.lists_of_process()


_SHARED = {
    kept_blocks.LIST: (kept_blocks.of_process, kept_blocks.list_of_process),
    block_lists.LISTS: (block_lists.of_process, _lists_of_process),
}
"""What all code compiled at run time has in common, as a module without it, and where it is."""


@dataclass(frozen=True)
class JITObject:
    """Machine code for this process: an object file, its target, and the functions and variables that it lacks."""

    data: bytes
    triple: str
    missing: Sequence[str]


def emit_for_jit(text: str, cpu: str = "native", level: int = 3) -> JITObject:
    """Machine code of a module, which has been optimised already."""
    shared = [each for each in _SHARED if each in text]
    for each in shared:
        text = _SHARED[each][0](text)
    module = parse(functions_without(text))
    # Position-independent: what lies in another library may be out of reach of 32-bit displacements.
    machine = target_machine(module, cpu, level, pic=True)
    missing = [f.name for f in module.handle.functions if f.is_declaration and not f.name.startswith("llvm.")]
    missing += [g.name for g in module.handle.global_variables if g.is_declaration and g.name not in shared]
    missing += shared
    return JITObject(bytes(machine.emit_object(module.handle)), module.handle.triple, missing)


class JITModule:
    """Code being loaded. Symbols it lacks are looked up in this process and in the C and mathematics libraries."""

    def __init__(self, compiled: JITObject) -> None:
        initialise()
        for library in ("m", "c"):
            found = ctypes.util.find_library(library)
            if found:
                llvm.load_library_permanently(found)
        if any(name.startswith("_ZGV") for name in compiled.missing):
            vector_math.load()
        machine = machine_of(compiled.triple, pic=True)
        # The older linker puts sections wherever there is place: in a crowded process out of reach of each other.
        self._jit = llvm.create_lljit_compiler(machine, use_jit_link=True, suppress_errors=True)
        self._missing = compiled.missing
        self._builder = llvm.JITLibraryBuilder().add_object_img(compiled.data).add_current_process()
        self._name = f"enzyme.{next(_serial)}"
        self._library: llvm.ResourceTracker | None = None

    def load(self, names: list[str], imports: Mapping[str, int] | None = None) -> dict[str, int]:
        """Link once and give the addresses of ``names``; ``imports`` are addresses of symbols that it lacks."""
        builder = self._builder
        imports = imports or {}
        for name in _SHARED.keys() & set(self._missing) - imports.keys():
            builder = builder.import_symbol(name, _SHARED[name][1]())
        for name in sorted(set(self._missing) - _SHARED.keys() - imports.keys()):
            address = None if _found_by_linker(name) else registered(name)
            if address is not None:
                builder = builder.import_symbol(name, address)
        for name, address in imports.items():
            builder = builder.import_symbol(name, address)
        for name in names:
            builder = builder.export_symbol(name)
        try:
            self._library = builder.link(self._jit, self._name)
        except RuntimeError as error:
            raise UsageError(
                "the program cannot be linked",
                why=_shortened(str(error).strip()),
                hint=f"it uses functions defined nowhere: check {', '.join(self._missing[:8])}",
            ) from None
        return {name: self._library[name] for name in names}


@cache
def _process() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def _found_by_linker(name: str) -> bool:
    try:
        _process()[name]
    except (AttributeError, ValueError):
        return False
    return True


def register(name: str, address: int) -> None:
    """Tell LLVM of a symbol, for all that is loaded from now on."""
    initialise()
    llvm.add_symbol(name, address)


def _shortened(message: str, most: int = 300) -> str:
    """The linker lists every symbol of the program, mangled: the first ones tell enough."""
    return message if len(message) <= most else f"{message[:most].rstrip()} ... ({len(message) - most} more characters)"
