"""The result of a derivative as the type that the call was declared to return."""

from __future__ import annotations

from enzyme.gradient.aggregates import assembled, get_part, leaves, path_offset
from enzyme.gradient.apply import is_float
from enzyme.gradient.normalise import attribute_type
from enzyme.gradient.sites import Site, usage_error
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import FloatType, Type
from enzyme.ir.values import Instruction, Value, zero
from enzyme.support.diagnostics import UsageError


def store_result(module: Module, site: Site, build: Builder, made: Instruction) -> None:
    """The gradients written to the memory of a struct that the C ABI returns through a pointer."""
    (word,) = (a for a in site.call.arg_attrs[0] if a.startswith("sret"))
    token = word[len("sret(") : -1]
    type = attribute_type(module, (word,), "sret")
    want = leaves(type, vectors=True) if type is not None else []
    have = leaves(made.type, vectors=True)
    if type is None or [t for _, t in want] != [t for _, t in have]:
        raise _result_mismatch(module, site, token, made.type)
    for (source, piece), (target, _) in zip(have, want, strict=True):
        address = build.offset(site.returned_through, path_offset(module.datalayout, type, target))  # type: ignore[arg-type]
        build.store(get_part(build, made, source), address, min(module.datalayout.abi_align(piece), 8))


def fit(module: Module, site: Site, build: Builder, made: Instruction) -> Value:
    """The derivative's result as the type the call was declared to return."""
    want, have = site.call.type, made.type
    if want is have:
        return made
    if have.is_void:
        if is_float(want):  # declared double by habit, nothing to return: the value is documented as zero
            return zero(want)
    elif isinstance(want, FloatType) and isinstance(have, FloatType):
        return build.float_cast(made, want)
    else:
        fitted = _restructure(build, made, want)
        if fitted is not None:
            return fitted
    raise _result_mismatch(module, site, str(want), have)


def _result_mismatch(module: Module, site: Site, want: str, have: Type) -> UsageError:
    return usage_error(
        module,
        site.caller,
        site.call,
        f"the call is declared to return {want}, the derivative of '{site.subject.name}' returns {have}",
        f"with these arguments ({', '.join(site.request.args)}) that is what there is to return",
        "declare the result to match: void, the type of the one enzyme_out argument, or a struct of them in order",
    )


def _restructure(build: Builder, made: Value, want: Type) -> Value | None:
    """Two aggregates (structs, arrays, or vectors that an ABI packs floats into) with the same numbers in order."""
    have_leaves, want_leaves = leaves(made.type, vectors=True), leaves(want, vectors=True)
    if [t for _, t in have_leaves] != [t for _, t in want_leaves]:
        return None
    return assembled(build, want, [get_part(build, made, path) for path, _ in have_leaves])
