"""The result of a derivative as the type that the call was declared to return."""

from __future__ import annotations

from enzyme.gradient.apply import is_float
from enzyme.gradient.normalise import attribute_type
from enzyme.gradient.sites import Site, usage_error
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import FloatType, StructType, Type, VectorType
from enzyme.ir.values import ConstantToken, Instruction, Value, zero
from enzyme.support.diagnostics import UsageError


def store_result(module: Module, site: Site, build: Builder, made: Instruction) -> None:
    """The gradients written to the memory of a struct that the C ABI returns through a pointer."""
    (word,) = (a for a in site.call.arg_attrs[0] if a.startswith("sret"))
    token = word[len("sret(") : -1]
    type = attribute_type(module, (word,), "sret")
    leaves = _leaves(type) if type is not None else []
    have = _leaves(made.type)
    if type is None or [t for _, t in leaves] != [t for _, t in have]:
        raise _result_mismatch(module, site, token, made.type)
    for (source, piece), (target, _) in zip(have, leaves, strict=True):
        address = build.offset(site.returned_through, _path_offset(module, type, target))  # type: ignore[arg-type]
        build.store(_get(build, made, source), address, min(module.datalayout.abi_align(piece), 8))


def _path_offset(module: Module, type: Type, path: tuple[int, ...]) -> int:
    if not path:
        return 0
    if isinstance(type, StructType):
        inner = (type.elements or ())[path[0]]
        return module.datalayout.struct_offsets(type)[path[0]] + _path_offset(module, inner, path[1:])
    element: Type = type.element  # type: ignore[attr-defined]
    return path[0] * module.datalayout.alloc_size(element) + _path_offset(module, element, path[1:])


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


def _leaves(type: Type, path: tuple[int, ...] = ()) -> list[tuple[tuple[int, ...], Type]]:
    if isinstance(type, StructType):
        return [leaf for i, part in enumerate(type.elements or ()) for leaf in _leaves(part, (*path, i))]
    if isinstance(type, VectorType):
        return [((*path, i), type.element) for i in range(type.count)]
    element = getattr(type, "element", None)
    if element is not None:
        return [leaf for i in range(type.count) for leaf in _leaves(element, (*path, i))]  # type: ignore[attr-defined]
    return [(path, type)]


def _restructure(build: Builder, made: Value, want: Type) -> Value | None:
    """Two aggregates (structs, arrays, or vectors that an ABI packs floats into) with the same numbers in order."""
    have_leaves, want_leaves = _leaves(made.type), _leaves(want)
    if [t for _, t in have_leaves] != [t for _, t in want_leaves]:
        return None
    result: Value = ConstantToken(want, "poison")
    for (source, _), (target, _) in zip(have_leaves, want_leaves, strict=True):
        piece = _get(build, made, source)
        result = _put(build, result, piece, target) if target else piece
    return result


def _get(build: Builder, value: Value, path: tuple[int, ...]) -> Value:
    for index in path:
        value = build.extract_element(value, index) if value.type.is_vector else build.extract_value(value, index)
    return value


def _put(build: Builder, whole: Value, piece: Value, path: tuple[int, ...]) -> Value:
    if not path:
        return piece
    if whole.type.is_vector:
        return build.insert_element(whole, piece, path[0])
    if len(path) == 1:
        return build.insert_value(whole, piece, path[0])
    inner = _put(build, build.extract_value(whole, path[0]), piece, path[1:])
    return build.insert_value(whole, inner, path[0])
