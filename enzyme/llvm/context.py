"""LLVM modules: parsing, verifying, printing, linking. One context each, so that nothing leaks between modules."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import llvmlite.binding as llvm

from enzyme.support.diagnostics import ParseError, VerificationError

_MANY_BLOCKS = 300
"""Blocks of a function, from which on the code generator goes once more only over those that it has changed. LLVM
does that from 10000 on, and below it begins at the first block again after each change: that took up to half of the
time in which the code of a derivative is made. The code is as fast: some conversions stand in other blocks."""
_BITCODE_MAGIC = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")


@cache
def initialise() -> None:
    """Register LLVM's targets, once per process."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.initialize_native_asmparser()
    # Blocks are named after inlined functions, with C++ names of any length; LLVM prints more than it reads by default.
    llvm.set_option("enzyme", "-non-global-value-max-name-size=1048576")
    llvm.set_option("enzyme", f"-cgpp-huge-func={_MANY_BLOCKS}")


class LLVMModule:
    """A parsed LLVM module. ``handle`` is llvmlite's."""

    def __init__(self, handle: llvm.ModuleRef) -> None:
        self.handle = handle

    def __str__(self) -> str:
        return str(self.handle)

    def bitcode(self) -> bytes:
        return bytes(self.handle.as_bitcode())

    def verify(self) -> None:
        """LLVM's own verifier."""
        try:
            self.handle.verify()
        except RuntimeError as error:
            raise VerificationError(
                "LLVM's verifier rejects the module",
                why=str(error).strip(),
                hint="this is a fault of the engine: please report the program",
            ) from None


def is_bitcode(data: bytes) -> bool:
    return data.startswith(_BITCODE_MAGIC)


def parse(source: str | bytes) -> LLVMModule:
    """IR text or bitcode. Raises :class:`ParseError` with LLVM's message."""
    initialise()
    context = llvm.create_context()
    try:
        if isinstance(source, bytes):
            if is_bitcode(source):
                return LLVMModule(llvm.parse_bitcode(source, context))
            source = source.decode("utf-8", errors="surrogateescape")
        return LLVMModule(llvm.parse_assembly(source, context))
    except RuntimeError as error:
        raise ParseError(
            "LLVM cannot read this module", why=str(error).strip(), hint="IR must be of LLVM 22 or older"
        ) from None


def canonical(source: str | bytes) -> str:
    """The text LLVM prints for a module given as text or bitcode."""
    return str(parse(source))


def to_bitcode(text: str) -> bytes:
    return parse(text).bitcode()


def link_texts(texts: list[str], names: Sequence[str] = ()) -> str:
    """One module of several; ``names`` is what errors call them."""
    initialise()
    context = llvm.create_context()
    done = 0
    try:
        whole = llvm.parse_assembly(texts[0], context)
        for text in texts[1:]:
            done += 1
            whole.link_in(llvm.parse_assembly(text, context))
    except RuntimeError as error:
        known = done < len(names)
        which = f"{names[done]} cannot be linked with the files before it" if known else "modules cannot be linked"
        raise ParseError(which, why=str(error).strip(), hint="check for symbols defined twice") from None
    return str(whole)


_LOCAL = ("internal", "private")


def symbols_of(source: str | bytes) -> tuple[set[str], set[str]]:
    """Names that a module defines for others, and names that it uses and does not define."""
    module = parse(source).handle
    defined: set[str] = set()
    undefined: set[str] = set()
    for value in (*module.functions, *module.global_variables):
        if value.name.startswith("llvm."):
            continue
        if value.is_declaration:
            undefined.add(value.name)
        elif value.linkage.name not in _LOCAL:
            defined.add(value.name)
    return defined, undefined
