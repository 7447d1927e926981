"""Which symbols of a program this process cannot supply, and which functions that concerns."""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Iterable
from functools import cache

from enzyme.gradient.extract import mentioned
from enzyme.ir.module import Module
from enzyme.ir.values import Function, GlobalAlias, GlobalVariable

_CXX = ("_Zn", "_Zd", "__cxa_", "__gxx_", "_ZSt", "_ZNSt", "_ZNKSt", "_ZTVN10__cxxabiv1", "_ZTI", "_ZTS")
"""How names begin that the runtime of C++ has."""


@cache
def _libraries() -> tuple[ctypes.CDLL, ...]:
    # The compiler's own library multiplies complex numbers; what is loaded globally is where the JIT looks, too.
    names = (None, *(ctypes.util.find_library(name) for name in ("m", "c", "gcc_s")))
    return tuple(ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL) for name in dict.fromkeys(names))


@cache
def _of_cxx() -> tuple[ctypes.CDLL, ...]:
    """The runtime of C++, which has operators new and delete, and exceptions; none where there is none."""
    try:
        name = ctypes.util.find_library("stdc++")
        return (ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL),) if name is not None else ()
    except OSError:
        return ()


def in_process(name: str) -> bool:
    """Whether the dynamic linker finds the symbol, or LLVM has been told of it."""
    from enzyme.llvm.jit import registered

    if _is_in(_libraries(), name) or (name.startswith(_CXX) and _is_in(_of_cxx(), name)):
        return True
    return registered(name) is not None


def _is_in(libraries: Iterable[ctypes.CDLL], name: str) -> bool:
    for library in libraries:
        try:
            library[name]
        except (AttributeError, ValueError):
            continue
        return True
    return False


def missing_symbols(module: Module, imports: Iterable[str]) -> dict[str, str]:
    """For every defined function that needs, directly or through others, a symbol that is nowhere: that symbol.

    A C++ program that uses parts of the standard library that are not in headers is the usual case. Its other
    functions can be run.
    """
    known = set(imports)
    uses: dict[str, set[str]] = {}
    absent: dict[str, str] = {}
    for name, entity in _entities(module):
        if isinstance(entity, Function) and not entity.is_declaration:
            uses[name] = mentioned(entity.body_text or "")
        elif isinstance(entity, Function):
            optional = name.startswith("llvm.") or "extern_weak" in entity.prefix
            if not optional and name not in known and not in_process(name):
                absent[name] = name
        elif isinstance(entity, GlobalVariable) and _declared(entity):
            if name not in known and not in_process(name) and "extern_weak" not in (entity.entity or ""):
                absent[name] = name
        else:
            uses[name] = mentioned(entity.entity or "") - {name}
    if not absent:
        return {}
    users: dict[str, list[str]] = {}
    for name, used in uses.items():
        for each in used:
            users.setdefault(each, []).append(name)
    work = list(absent)
    while work:
        name = work.pop()
        for user in users.get(name, ()):
            if user not in absent:
                absent[user] = absent[name]
                work.append(user)
    return {name: symbol for name, symbol in absent.items() if name in uses}


def _entities(module: Module) -> Iterable[tuple[str, Function | GlobalVariable | GlobalAlias]]:
    yield from module.functions.items()
    yield from module.globals.items()
    yield from module.aliases.items()


def _declared(variable: GlobalVariable) -> bool:
    words = (variable.entity or "").split(" = ", 1)[-1].split(" ", 3)
    return "external" in words or "extern_weak" in words
