"""Replacing the call of an entry point by a call of the derivative."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from enzyme.gradient.arguments import usage_error
from enzyme.gradient.choices import Unfit, is_choice
from enzyme.gradient.engine import Engine
from enzyme.gradient.exceptions import own_normal_edge, replace_call
from enzyme.gradient.request import Request
from enzyme.gradient.results import CallResult
from enzyme.gradient.sites import Site
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import PTR, FloatType, StructType
from enzyme.ir.values import CallBase, Function, Instruction, Value, zero
from enzyme.support.diagnostics import EnzymeError


def derivative_of(engine: Engine, site: Site) -> Function:
    """The function that answers a call."""
    try:
        return _derivative_of(engine, site)
    except EnzymeError as error:
        error.asked_in = error.asked_in or site.caller.name
        raise


def _derivative_of(engine: Engine, site: Site) -> Function:
    if site.kind == "fwdsplit":
        _refuse_memory(engine, site)
        if not site.request.keep_tape:
            site.release = engine.split(_release_request(site)).reverse
    if site.request.mode != "split":
        return engine.derivative(site.request)
    pair = engine.split(site.request)
    return pair.augmented if site.kind == "augmentfwd" else pair.reverse


@contextmanager
def optional(site: Site) -> Iterator[None]:
    """Where a site is one of several cases, what cannot be done is said to whoever makes the others."""
    try:
        yield
    except EnzymeError as error:
        if is_choice(site.caller):
            raise Unfit(site.caller.name or "", site.subject.name or "", error) from error
        raise


def _release_request(site: Site) -> Request:
    """The split derivative whose tape a call of __enzyme_fwdsplit is given: its reverse function frees the tape."""
    request = site.request
    args = tuple("out" if a in ("dup", "dupnoneed") else a for a in request.args)
    result = site.subject.result_type
    return replace(
        request,
        mode="split",
        args=args,
        ret="active" if isinstance(result, FloatType) and request.ret != "const" else "const",
        stable_memory=False,
        return_primal=not result.is_void,
        width=1,
    )


def _release_tape(site: Site, build: Builder) -> None:
    """Run the reverse sweep for an adjoint of zero, which frees what it goes along."""
    if site.release is None:
        return
    assert site.tape is not None
    operands: list[Value] = []
    at = 0
    for duplicated in site.request.duplicated:
        operands.append(site.operands[at])
        at += 1 + (site.request.width if duplicated else 0)
    seeds = site.release.args[len(operands) : -1]
    tape = build.load(PTR, site.tape, 1) if site.tape_in_memory else site.tape
    build.call(site.release, [*operands, *(zero(seed.type) for seed in seeds), tape])


def _refuse_memory(engine: Engine, site: Site) -> None:
    """The tangents are computed by running the function again, which must give what it gave before."""
    reason = engine.foreign_memory(site.subject.name or "")
    if reason is not None:
        raise usage_error(
            engine.module,
            site.caller,
            site.call,
            f"__enzyme_fwdsplit: '{site.subject.name}' {reason}",
            "it is run again for its tangents, and would not find there what it found the first time",
            "use __enzyme_fwddiff, or let the function work on numbers it gets by value",
        )


def replace_sites(module: Module, sites: list[Site], derivatives: list[Function]) -> None:
    """Replace the calls of a round. What one call returns may be an argument of another."""
    results: dict[Value, Value] = {}
    for site, derivative in zip(sites, derivatives, strict=True):
        site.operands = [results.get(value, value) for value in site.operands]
        site.seeds = [results.get(value, value) for value in site.seeds]
        if site.tape is not None:
            site.tape = results.get(site.tape, site.tape)
        with optional(site):
            result = _replace(module, site, derivative)
        if result is not None:
            results[site.call] = result


def _replace(module: Module, site: Site, derivative: Function) -> Value | None:
    """Call ``derivative``, and let the users of the site's call have what it returns."""
    call = site.call
    assert call.block is not None
    build = Builder(call.block, before=call)
    operands = [*site.operands, *site.seeds]
    if site.kind == "reverse":
        assert site.tape is not None
        operands.append(build.load(PTR, site.tape, 1) if site.tape_in_memory else site.tape)
    own_normal_edge(call)
    made, build = replace_call(call, derivative, operands)
    made.metadata = {k: v for k, v in call.metadata.items() if k == "dbg"}
    _release_tape(site, build)
    parts = _parts(module, site, build, made)
    arguments = ", ".join(site.request.args)
    shown = CallResult(
        module,
        site.caller,
        call,
        site.returned_through,
        f"the derivative of '{site.subject.name}'",
        f"with these arguments ({arguments}) that is what there is to return",
        prefix=site.kind == "augmentfwd",
    )
    result = shown.give(build, parts)
    call.erase()
    return result


def _parts(module: Module, site: Site, build: Builder, made: Instruction) -> list[Value]:
    """What a call has to return, in order."""
    if site.kind == "augmentfwd":
        assert isinstance(made.type, StructType)
        fields: list[Value] = [build.extract_value(made, i) for i in range(len(made.type.elements or ()))]
        tape = fields.pop(0)
        if site.tape is not None:
            build.store(tape, site.tape, 1)
        shown = fields if site.primal_return else []
        return shown if site.tape is not None else [tape, *shown]
    parts: list[Value] = []
    if site.result_memory is not None:
        type, memory = site.result_memory
        loaded = memory if site.primal_return else memory[1:]
        if site.kind == "autodiff":
            loaded = memory[:1] if site.primal_return else []
        parts += [build.load(type, slot, module.datalayout.abi_align(type)) for slot in loaded]
    if site.structs:
        parts += _with_structs(module, site, build, made)
    elif not made.type.is_void:
        parts.append(made)
    return parts


def _with_structs(module: Module, site: Site, build: Builder, made: Instruction) -> list[Value]:
    """What a combined derivative returns, with the gradients of structs that were passed through memory among those of
    the other arguments."""
    request = site.request
    count = int(request.return_primal) + request.args.count("out")
    fields: list[Value] = [made] if count == 1 else [build.extract_value(made, i) for i in range(count)]
    parts = [fields.pop(0)] if request.return_primal else []
    for index, activity in enumerate(request.args):
        if index in site.structs:
            type, memory = site.structs[index]
            parts.append(build.load(type, memory, module.datalayout.abi_align(type)))
        elif activity == "out":
            parts.append(fields.pop(0))
    return parts


def remove_call(call: CallBase) -> None:
    """Erase a call whose result nobody uses any more. An invoke becomes a jump."""
    if call.is_terminator:
        assert call.block is not None
        normal, unwind = call.operands[-2], call.operands[-1]
        for phi in unwind.phis:  # type: ignore[attr-defined]
            pairs = [(v, b) for v, b in phi.incoming if b is not call.block]
            phi.drop_operands()
            for value, block in pairs:
                phi.add_incoming(value, block)
        Builder(call.block, before=call).br(normal)  # type: ignore[arg-type]
    call.erase()
