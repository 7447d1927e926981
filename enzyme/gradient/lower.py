"""From a program with ``__enzyme_*`` calls to a program without: the entry point of the engine on text.

A call ``__enzyme_autodiff(f, arguments...)`` becomes a call of the combined reverse derivative of ``f``,
``__enzyme_fwddiff`` one of the forward derivative. Only the functions that ``f`` reaches are prepared and read; the
rest of the program passes through as text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from enzyme.gradient.apply import is_float
from enzyme.gradient.engine import Engine
from enzyme.gradient.extract import Importer, extract, reachable_functions
from enzyme.gradient.normalise import attribute_type
from enzyme.gradient.request import Request
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_instruction, print_module
from enzyme.ir.types import FloatType, IntType, StructType, Type, VectorType
from enzyme.ir.values import (
    CallBase,
    ConstantExpr,
    ConstantFloat,
    Function,
    GlobalVariable,
    Instruction,
    Load,
    Value,
    zero,
)
from enzyme.ir.verifier import verify_function
from enzyme.support.config import Config
from enzyme.support.diagnostics import EnzymeError, UsageError

ENTRY_POINTS = {"__enzyme_autodiff": "reverse", "__enzyme_fwddiff": "forward"}
RESERVED = (
    "__enzyme_fwdsplit",
    "__enzyme_augmentfwd",
    "__enzyme_reverse",
    "__enzyme_augmentsize",
    "__enzyme_virtualreverse",
    "__enzyme_batch",
    "__enzyme_truncate",
    "__enzyme_register_",
    "__enzyme_inactive",
    "__enzyme_function_like",
    "__enzyme_allocation_like",
    "__enzyme_ignore_derivatives",
    "__enzyme_nofree",
    "__enzyme_shouldrecompute",
    "__enzyme_todense",
)
MARKERS = {"enzyme_const": "const", "enzyme_dup": "dup", "enzyme_dupnoneed": "dupnoneed", "enzyme_out": "out"}
OTHER_MARKERS = (
    "enzyme_width",
    "enzyme_dupv",
    "enzyme_dupnoneedv",
    "enzyme_tape",
    "enzyme_allocated",
    "enzyme_nofree",
    "enzyme_primal_return",
    "enzyme_noret",
    "enzyme_runtime_activity",
    "enzyme_strong_zero",
    "enzyme_interleave",
    "enzyme_byref",
)


@dataclass
class Lowering:
    """What :func:`lower` did: the new text, the derivatives by name, the engine with its plans."""

    text: str
    engine: Engine | None = None
    derivatives: list[str] = field(default_factory=list)


@dataclass
class _Site:
    call: CallBase
    caller: Function
    request: Request
    operands: list[Value]
    subject: Function
    returned_through: Value | None = None
    inferred_constant: tuple[int, ...] = ()


def lower_module(text: str, config: Config, prepare: Callable[[str], str] | None = None) -> str:
    """Replace every ``__enzyme_*`` call in a program. Raises :class:`EnzymeError` with the place and the way out."""
    return lower(text, config, prepare).text


def lower(text: str, config: Config, prepare: Callable[[str], str] | None = None) -> Lowering:
    """Like :func:`lower_module`, and give what was made."""
    if not any(name in text for name in (*ENTRY_POINTS, *RESERVED)):
        return Lowering(text)
    module = parse_module(text)
    entry_points = {name: mode for name in module.functions for key, mode in ENTRY_POINTS.items() if key in name}
    for name in (*module.functions, *module.globals):
        for reserved in RESERVED:
            if reserved in name and not any(key in name for key in ENTRY_POINTS):
                raise UsageError(
                    f"'{name}' asks for something that is not supported yet",
                    why="of Enzyme's interface this version has __enzyme_autodiff and __enzyme_fwddiff; "
                    "to ignore the rest could give wrong derivatives",
                    hint="take it out of the program",
                )
    callers = [
        function
        for function in module.functions.values()
        if not function.is_declaration and any(name in (function.body_text or "") for name in entry_points)
    ]
    sites: list[_Site] = []
    for caller in callers:
        for inst in list(caller.instructions()):
            if isinstance(inst, CallBase) and inst.callee_name in entry_points:
                sites.append(_read_call(module, caller, inst, entry_points[inst.callee_name]))
    if not sites:
        return Lowering(text)
    names = reachable_functions(module, dict.fromkeys(site.subject.name or "" for site in sites))
    for name in names:
        if module.functions[name] in callers:
            raise UsageError(
                f"'{name}' is differentiated and itself asks for a derivative",
                function=name,
                why="derivatives of derivatives are not supported yet",
                hint="differentiate only functions that do not call __enzyme_autodiff or __enzyme_fwddiff",
            )
    engine, importer = _engine(module, names, config, prepare)
    for site in sites:
        engine.refuse_hidden_numbers(site.request, site.inferred_constant)
    made = [engine.derivative(site.request) for site in sites]
    _take_all(engine, importer, config)
    for site, function in zip(sites, made, strict=True):
        _replace(module, site, function)
    for name in entry_points:
        declared = module.functions[name]
        if declared.is_declaration and not declared.users:
            module.remove(declared)
    return Lowering(print_module(module), engine, [f.name or "" for f in made])


def synthesize(
    text: str,
    function: str,
    mode: str,
    args: tuple[str, ...],
    ret: str,
    config: Config,
    prepare: Callable[[str], str] | None = None,
    inferred: bool = False,
) -> tuple[str, str]:
    """Add the derivative of one function to a program: the new text and the derivative's name.

    The signature is described in :mod:`enzyme.gradient.request`; ``ret`` is "active" for a float result. ``inferred``:
    the activities are guesses from the types, so an integer that turns out to carry numbers is refused.
    """
    module = parse_module(text)
    subject = module.get_function(function)
    if subject is None or subject.is_declaration:
        raise UsageError(
            f"there is no function '{function}' to differentiate",
            why="the program does not define it",
            hint="check the name; C++ names are mangled",
        )
    request = Request(function, "forward" if mode == "forward" else "reverse", tuple(args), ret)
    _check_shape(request, subject, None)
    names = reachable_functions(module, [function])
    engine, importer = _engine(module, names, config, prepare)
    guessed = tuple(i for i, kind in enumerate(request.args) if inferred and kind == "const")
    engine.refuse_hidden_numbers(request, guessed)
    made = engine.derivative(request)
    _take_all(engine, importer, config)
    made.prefix = ()
    return print_module(module), made.name or ""


def _take_all(engine: Engine, importer: Importer, config: Config) -> None:
    """Move what was made into the program; with ``verify_each``, look at every function first."""
    if config.verify_each:
        for function in engine.made:
            verify_function(function)
    for function in engine.made:
        importer.take(function)


def _engine(
    module: Module, names: list[str], config: Config, prepare: Callable[[str], str] | None
) -> tuple[Engine, Importer]:
    if prepare is None:
        from enzyme.llvm.pipelines import prepare as default_prepare

        prepare = default_prepare
    prepared = parse_module(prepare(extract(module, names)))
    return Engine(prepared, config), Importer(prepared, module)


# --- reading a call --------------------------------------------------------------------------------------------------


def _usage(module: Module, caller: Function, call: Instruction, what: str, why: str, hint: str) -> UsageError:
    return UsageError(
        what,
        function=caller.name,
        instruction=print_instruction(call),
        location=module.debug_location(call),
        why=why,
        hint=hint,
    )


def _function_of(value: Value) -> Function | None:
    while isinstance(value, ConstantExpr) and value.opcode in ("bitcast", "addrspacecast"):
        value = value.args[0]
    return value if isinstance(value, Function) else None


def marker(value: Value) -> str | None:
    """The marker a call argument stands for: a load of ``enzyme_dup`` and the like, or its address."""
    if isinstance(value, Load):
        value = value.pointer
    if isinstance(value, GlobalVariable):
        name = value.name or ""
        for known in sorted((*MARKERS, *OTHER_MARKERS), key=len, reverse=True):
            if name == known or f"L{len(known)}{known}" in name or name.endswith(known):
                return known
    return None


def _infer(type: Type, mode: str) -> str:
    if type.is_pointer:
        return "dup"
    if is_float(type):
        return "dup" if mode == "forward" else "out"
    return "const"


def _read_call(module: Module, caller: Function, call: CallBase, mode: str) -> _Site:
    def wrong(what: str, why: str, hint: str) -> UsageError:
        return _usage(module, caller, call, what, why, hint)

    entry = "__enzyme_autodiff" if mode == "reverse" else "__enzyme_fwddiff"
    args = list(call.args)
    returned_through: Value | None = None
    if args and any(a.startswith("sret") for a in call.arg_attrs[0]):
        returned_through = args.pop(0)
    subject = _function_of(args[0]) if args else None
    if subject is None:
        raise wrong(
            f"the first argument of {entry} must be a function",
            "its value is not known at compile time" if args else "there is no argument",
            "name the function directly",
        )
    if subject.is_declaration:
        raise wrong(
            f"cannot differentiate '{subject.name}': it has no definition in this program",
            "only a function whose body is at hand can be differentiated",
            "compile its source together with this call; a library function has to be called in a function of yours",
        )
    activities: list[str] = []
    operands: list[Value] = []
    inferred: list[int] = []
    position = 1

    def following(what: str) -> Value:
        nonlocal position
        if position >= len(args):
            raise wrong(
                f"{entry}: too few arguments for '{subject.name}'",
                f"{what} is missing",
                "pass every argument of the function, each enzyme_dup argument followed by its shadow",
            )
        position += 1
        return args[position - 1]

    def fitted(value: Value, type: Type, what: str, number: int) -> Value:
        """Undo C's promotions of variadic arguments: char, short and bool to int, float to double."""
        have = value.type
        if have is type or (have.is_pointer and type.is_pointer):
            return value
        build = Builder(call.block, before=call)  # type: ignore[arg-type]
        if isinstance(have, IntType) and isinstance(type, IntType) and have.bits > type.bits:
            return build.trunc(value, type)
        if isinstance(have, FloatType) and isinstance(type, FloatType) and have.bits > type.bits:
            return build.float_cast(value, type)
        raise wrong(
            f"{entry}: {what} has type {have}, parameter {number} of '{subject.name}' has type {type}",
            "arguments of a variadic call are not converted to the parameter's type",
            "cast the argument to the parameter's type",
        )

    def unsupported(name: str | None) -> UsageError:
        return wrong(
            f"'{name}' is not supported yet",
            "this version knows enzyme_const, enzyme_dup, enzyme_dupnoneed and enzyme_out",
            "leave it out",
        )

    for parameter in subject.args:
        first = following(f"parameter {parameter.index + 1}")
        known = marker(first)
        if known in OTHER_MARKERS:
            raise unsupported(known)
        if known is not None:
            activity = MARKERS[known]
            first = following(f"the value after {known}")
        else:
            activity = _infer(parameter.type, mode)
            if activity == "const":
                inferred.append(parameter.index)
        activities.append(activity)
        first = fitted(first, parameter.type, f"argument {position}", parameter.index + 1)
        operands.append(first)
        if activity in ("dup", "dupnoneed"):
            shadow = following(f"the shadow of parameter {parameter.index + 1}")
            shadow = fitted(shadow, parameter.type, "the shadow", parameter.index + 1)
            operands.append(shadow)
    if position != len(args):
        left = marker(args[position])
        if left in OTHER_MARKERS:
            raise unsupported(left)
        excess = len(args) - position
        raise wrong(
            f"{entry}: {excess} argument{'s' if excess > 1 else ''} too many for '{subject.name}'",
            f"the function takes {len(subject.args)} parameters: {', '.join(activities)}",
            "pass a shadow only after enzyme_dup arguments",
        )
    result = subject.result_type
    # In reverse mode a vector is a small struct of floats in the C ABI: there is no one number to start from.
    ret = "active" if isinstance(result, FloatType) or (mode == "forward" and is_float(result)) else "const"
    request = Request(subject.name or "", "forward" if mode == "forward" else "reverse", tuple(activities), ret)
    try:
        _check_shape(request, subject, call)
    except UsageError as error:
        raise wrong(error.what, error.why or "", error.hint or "") from None
    return _Site(call, caller, request, operands, subject, returned_through, tuple(inferred))


def _check_shape(request: Request, subject: Function, call: CallBase | None) -> None:
    """Activities that make no sense for the parameter they stand for."""
    if len(request.args) != len(subject.args):
        raise UsageError(
            f"'{subject.name}' takes {len(subject.args)} arguments, {len(request.args)} activities were given",
            why="there is one activity for each parameter",
            hint="give one of const, dup, dupnoneed, out for each",
        )
    for parameter, activity in zip(subject.args, request.args, strict=True):
        number = parameter.index + 1
        if activity == "out" and parameter.type.is_pointer:
            raise UsageError(
                f"parameter {number} of '{subject.name}' is a pointer and cannot be enzyme_out",
                why="the gradient of what a pointer points to is added to a shadow",
                hint="use enzyme_dup and pass the shadow",
            )
        if activity == "out" and request.mode == "forward":
            raise UsageError(
                f"enzyme_out makes no sense in forward mode (parameter {number} of '{subject.name}')",
                why="forward mode takes tangents of inputs",
                hint="use enzyme_dup and pass the tangent after the value",
            )
        if activity in ("dup", "dupnoneed") and request.mode != "forward" and is_float(parameter.type):
            raise UsageError(
                f"parameter {number} of '{subject.name}' is passed by value and cannot be enzyme_dup in reverse mode",
                why="its gradient has to come back as a result",
                hint="use enzyme_out",
            )
        if activity == "out" and parameter.type.is_int and call is None:
            raise UsageError(
                f"parameter {number} of '{subject.name}' is an integer and cannot be 'out'",
                why="integers have no derivative",
                hint="use 'const'",
            )


# --- replacing a call ------------------------------------------------------------------------------------------------


def _replace(module: Module, site: _Site, derivative: Function) -> None:
    call, request = site.call, site.request
    assert call.block is not None
    build = Builder(call.block, before=call)
    operands = list(site.operands)
    if request.mode == "reverse" and request.ret == "active":
        operands.append(ConstantFloat.of(site.subject.result_type, 1.0))
    made = build.call(derivative, operands)
    made.metadata = {k: v for k, v in call.metadata.items() if k == "dbg"}
    if site.returned_through is not None:
        _store_result(module, site, build, made)
    elif call.users:
        result = _fit(module, site, build, made)
        call.replace_all_uses_with(result)
    if call.is_terminator:  # an invoke: derivative code does not throw
        normal = call.operands[-2]
        unwind = call.operands[-1]
        for phi in unwind.phis:  # type: ignore[attr-defined]
            pairs = [(v, b) for v, b in phi.incoming if b is not call.block]
            phi.drop_operands()
            for value, block in pairs:
                phi.add_incoming(value, block)
        build.br(normal)  # type: ignore[arg-type]
    call.erase()


def _store_result(module: Module, site: _Site, build: Builder, made: Instruction) -> None:
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


def _fit(module: Module, site: _Site, build: Builder, made: Instruction) -> Value:
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


def _result_mismatch(module: Module, site: _Site, want: str, have: Type) -> UsageError:
    return _usage(
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
    from enzyme.ir.values import ConstantToken

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


__all__ = ["EnzymeError", "Lowering", "lower", "lower_module", "marker", "synthesize"]
