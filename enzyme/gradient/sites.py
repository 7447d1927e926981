"""Reading a call of an entry point: which function, which derivative, which operands."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from enzyme.gradient.aggregates import assembled, leaves
from enzyme.gradient.apply import is_float
from enzyme.gradient.arguments import CallReader, parameter_groups, usage_error
from enzyme.gradient.blas import is_routine
from enzyme.gradient.convention import function_of, settled
from enzyme.gradient.lapack import is_factorisation
from enzyme.gradient.normalise import attribute_type
from enzyme.gradient.registrations import rule_of
from enzyme.gradient.request import Request
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import ArrayType, FloatType, StructType, Type, VectorType
from enzyme.ir.values import Argument, CallBase, ConstantFloat, Function, Phi, Select, Value, zero
from enzyme.support.diagnostics import UsageError


@dataclass
class Site:
    """A call that asks for a derivative, as read.

    kind: the entry point, without its prefix. operands: of the function that answers the request, in front of seeds.
    seeds: adjoints of the result, one for each lane. tape: what the call passes for one; tape_in_memory: that is the
    address of the user's buffer (enzyme_tape). returned_through: the memory for a struct that the call returns.
    quiet: the call says that the result is not differentiated.
    result_memory: primal and shadows of a struct that the function itself returns through memory. release: the function
    that frees the tape when __enzyme_fwdsplit is done with it. structs: by parameter, what is returned of enzyme_out
    structs that are passed by value through memory: their types, and where their gradients are collected.
    """

    call: CallBase
    caller: Function
    kind: str
    request: Request
    operands: list[Value]
    subject: Function
    returned_through: Value | None = None
    inferred_constant: tuple[int, ...] = ()
    seeds: list[Value] = field(default_factory=list)
    tape: Value | None = None
    tape_in_memory: bool = False
    primal_return: bool = False
    quiet: bool = False
    result_memory: tuple[Type, list[Value]] | None = None
    release: Function | None = None
    structs: dict[int, tuple[Type, Value]] = field(default_factory=dict)


def returns_through_memory(call: CallBase) -> bool:
    return bool(call.args) and any(a.startswith("sret") for a in call.arg_attrs[0])


def names_subject(call: CallBase) -> bool:
    """Whether a call says outright which function it asks the derivative of."""
    args = call.args[returns_through_memory(call) :]
    return bool(args) and function_of(args[0]) is not None


def read_subject(module: Module, caller: Function, call: CallBase, kind: str) -> Function:
    """The function that a call asks the derivative of."""
    args = call.args[returns_through_memory(call) :]
    subject = function_of(args[0]) if args else None
    if subject is None:
        raise unknown_function(module, caller, call, kind)
    of_library = is_routine(subject.name) or is_factorisation(subject.name)
    if subject.is_declaration and rule_of(module, subject) is None and not of_library:
        raise usage_error(
            module,
            caller,
            call,
            f"cannot differentiate '{subject.name}': it has no definition in this program",
            "only a function whose body is at hand can be differentiated",
            "give its file to the same command, or compile both files with -flto; a library function has to be called "
            "in a function of yours",
        )
    return subject


def unknown_function(module: Module, caller: Function, call: CallBase, kind: str) -> UsageError:
    """The error for a call whose first argument is no function that is known."""
    args = call.args[returns_through_memory(call) :]
    found = settled(args[0]) if args else None
    if found is None:
        why = "there is no argument"
    elif isinstance(found, (Select, Phi)):
        why = "it is one of several functions, chosen when the program runs, and none is known that fits the arguments"
    elif isinstance(found, Argument):
        why = (
            f"its value is not known at compile time: it is parameter {found.index + 1} of '{caller.name}', and no "
            "function is known that fits the arguments"
        )
    else:
        why = "its value is not known at compile time, and no function is known that fits the arguments"
    return usage_error(
        module,
        caller,
        call,
        f"the first argument of __enzyme_{kind} must be a function",
        why,
        "name the function directly",
    )


def read_site(module: Module, caller: Function, call: CallBase, kind: str, subject: Function) -> Site:
    """The arguments of a call, by the parameters of its function."""
    skip = int(returns_through_memory(call))
    reader = CallReader(module, caller, call, kind, subject, skip + 1)
    record = attribute_type(module, subject.args[0].attrs, "sret") if subject.args else None
    for group in parameter_groups(subject, int(record is not None)):
        reader.parameter(group)
    reader.parameters_read()
    if reader.markers() is not None:
        reader.finish()
    site = Site(
        call,
        caller,
        kind,
        Request("", "reverse", ()),
        reader.operands,
        subject,
        call.args[0] if skip else None,
        tuple(reader.inferred),
        tape=reader.options.tape,
        tape_in_memory=reader.options.tape is not None,
    )
    site.structs = reader.structs
    site.request = _request(reader, site, record)
    if record is not None:
        _result_memory(reader, site, record)
    elif kind in ("autodiff", "reverse") and site.request.ret == "active":
        site.seeds = _seeds(reader, site)
    if kind in ("reverse", "fwdsplit") and site.tape is None:
        site.tape = _tape(reader)
    elif kind in ("autodiff", "fwddiff") and site.tape is not None:
        raise reader.wrong(
            f"{reader.entry} takes no tape",
            "enzyme_tape says where __enzyme_augmentfwd leaves what __enzyme_reverse needs",
            "leave the marker and the value behind it out",
        )
    reader.finish()
    try:
        check_shape(site.request, subject, call)
    except UsageError as error:
        raise reader.wrong(error.what, error.why or "", error.hint or "") from None
    return site


def _request(reader: CallReader, site: Site, record: Type | None) -> Request:
    subject, options, kind = reader.subject, reader.options, reader.kind
    flags = options.flags
    result = subject.result_type if record is None else record
    quiet = bool(flags & {"enzyme_noret", "enzyme_const_return"})
    wants = "enzyme_primal_return" in flags
    if wants and (result.is_void or kind not in ("autodiff", "fwddiff", "fwdsplit")):
        raise reader.wrong(
            f"{reader.entry}: enzyme_primal_return, and there is no result to return",
            f"'{subject.name}' returns nothing"
            if result.is_void
            else "the result is in what __enzyme_augmentfwd returns",
            "leave the marker out",
        )
    site.quiet = quiet
    site.primal_return = wants if kind != "augmentfwd" else not quiet and not result.is_void
    activities = tuple(reader.activities)
    primal = site.primal_return
    mode = "reverse"
    if reader.forward:
        mode = "forward"
        ret = "const" if quiet or result.is_void else _forward_return(result, reader.call)
        if record is not None and not quiet:
            ret = "active"
    elif kind == "autodiff":
        ret = "active" if not quiet and (isinstance(result, FloatType) or _numbers_given(reader, result)) else "const"
    else:
        mode, primal = "split", not result.is_void
        ret = "const"
        if not quiet:
            ret = "dup" if result.is_pointer else "active" if isinstance(result, FloatType) else "const"
            if (
                kind == "reverse"
                and _numbers_given(reader, result, tape=site.tape is None)
                or kind == "augmentfwd"
                and record is None
                and _compound(result)
            ):
                ret = "active"
        activities = tuple("dup" if a == "dupnoneed" else a for a in activities)
    if record is not None:
        if mode == "split":
            raise reader.wrong(
                f"{reader.entry}: '{subject.name}' returns {record} through memory",
                "the shadow of that memory would have to be kept between the two calls",
                "let the function write to a struct of yours that it gets by pointer (enzyme_dup)",
            )
        activities, ret, primal = ("const" if ret == "const" else "dup", *activities), "const", False
    overwritten = frozenset(i for i, p in enumerate(subject.args) if p.type.is_pointer and mode == "split")
    return Request(
        subject.name or "",
        mode,  # type: ignore[arg-type]
        activities,
        ret,
        overwritten=overwritten,
        stable_memory=mode != "split",
        return_primal=primal,
        width=options.width,
        runtime_activity="enzyme_runtime_activity" in flags,
        strong_zero="enzyme_strong_zero" in flags,
        keep_tape="enzyme_nofree" in flags and kind in ("reverse", "fwdsplit"),
        apart=mode == "split",
    )


def _forward_return(result: Type, call: CallBase) -> str:
    if result.is_pointer:
        return "dup" if call.users or returns_through_memory(call) else "const"
    return "active" if is_float(result) or _all_numbers(result) else "const"


def _all_numbers(type: Type) -> bool:
    """A struct or array of numbers only, or a vector that an ABI packs some into."""
    found = leaves(type)
    return bool(found) and all(is_float(leaf) for _, leaf in found) and not type.is_void


def _numbers_given(reader: CallReader, result: Type, tape: bool = False) -> bool:
    """Whether the result is a struct of numbers and the call goes on with adjoints for them."""
    return _compound(result) and reader.left > int(tape)


def _compound(result: Type) -> bool:
    return isinstance(result, (StructType, ArrayType, VectorType)) and _all_numbers(result)


def _seeds(reader: CallReader, site: Site) -> list[Value]:
    """Adjoints of the result: 1 where the call has none, for a number and the combined derivative."""
    type, width = site.subject.result_type, site.request.width
    if reader.kind == "autodiff" and isinstance(type, FloatType):
        return [ConstantFloat.of(type, 1.0)] * width
    return [_seed(reader, type) for _ in range(width)]


def _seed(reader: CallReader, type: Type) -> Value:
    parts = leaves(type)
    attrs = reader.attrs[reader.position] if reader.left else ()
    what = f"the adjoint of the result of '{reader.subject.name}'"
    build = reader.builder()
    if len(parts) > 1 and any(w.startswith("byval(") for w in attrs):
        return build.load(type, reader.following(what), 1)
    pieces = [reader.fitted(reader.following(what), part, "the adjoint of the result", 0) for _, part in parts]
    if len(pieces) == 1 and not parts[0][0]:
        return pieces[0]
    flat = [
        build.extract_element(piece, lane) if isinstance(piece.type, VectorType) else piece
        for piece in pieces
        for lane in range(piece.type.count if isinstance(piece.type, VectorType) else 1)
    ]
    return assembled(build, type, flat)


def _tape(reader: CallReader) -> Value:
    tape = reader.following("the tape that __enzyme_augmentfwd returned")
    if not tape.type.is_pointer:
        raise reader.wrong(
            f"{reader.entry}: the tape has type {tape.type}",
            "the last argument is the tape that __enzyme_augmentfwd returned, a pointer",
            "pass it behind the adjoint of the result, or after enzyme_tape",
        )
    return tape


def _result_memory(reader: CallReader, site: Site, record: Type) -> None:
    """A struct that the function returns through memory: room for it and for its shadows, which hold the adjoints the
    call gives (reverse mode) or receive the tangents (forward mode)."""
    entry = site.caller.entry
    layout = reader.module.datalayout
    align = max(layout.abi_align(record), 8)
    given = reader.kind == "autodiff" and site.request.args[0] == "dup"
    if reader.kind == "autodiff" and not given:
        raise reader.wrong(
            f"'{site.subject.name}' returns {record}, and the call gives no adjoint for it",
            "a derivative needs one number to start from; it does not know what to do with a struct",
            "pass the adjoint of the result behind the arguments, or write the results through a pointer (enzyme_dup)",
        )
    count = 1 + (site.request.width if site.request.args[0] == "dup" else 0)
    memory = [
        Builder(entry, before=entry.instructions[0]).alloca(record, align=align, name="result") for _ in range(count)
    ]
    build = reader.builder()
    for slot in memory[1:]:
        build.store(_seed(reader, record) if given else zero(record), slot, align)
    site.operands[:0] = memory
    site.result_memory = record, memory


def share_layout(sites: list[Site]) -> None:
    """Where some reverse function of a split derivative can run again, its tape is laid out for that in all of them."""
    again = {site.subject for site in sites if site.kind == "reverse" and site.request.keep_tape}
    for site in sites:
        if site.subject in again and site.kind in ("augmentfwd", "reverse", "fwdsplit"):
            site.request = replace(site.request, renewable=True)


def refuse_unmatched(module: Module, sites: list[Site]) -> None:
    """The two halves of a split derivative must be asked for with the same activities: the tape has its layout by
    them. Where a program has only one half, the other is somewhere else."""
    first = [site for site in sites if site.kind == "augmentfwd"]
    for site in sites:
        fitting = [each for each in first if each.subject is site.subject]
        if site.kind == "reverse" and site.request.keep_tape and not fitting:
            raise usage_error(
                module,
                site.caller,
                site.call,
                f"__enzyme_reverse of '{site.subject.name}' with enzyme_nofree, and no __enzyme_augmentfwd",
                "a tape that is used again has another layout, which the first half has to know of",
                "put both calls in one file, or compile the files together (or with -flto)",
            )
        if site.kind != "reverse" or not fitting:
            continue
        wanted = replace(site.request, keep_tape=False)
        if all(each.request != wanted for each in fitting):
            raise usage_error(
                module,
                site.caller,
                site.call,
                f"no call of __enzyme_augmentfwd fits this __enzyme_reverse of '{site.subject.name}'",
                f"this call has {_shape(wanted)}; there is {'; '.join(_shape(each.request) for each in fitting)}",
                "write the same markers in both calls",
            )


def _shape(request: Request) -> str:
    lanes = f", width {request.width}" if request.width > 1 else ""
    seed = "" if request.ret != "const" else ", no adjoint of the result"
    return f"({', '.join(request.args)}{seed}{lanes})"


def check_shape(request: Request, subject: Function, call: CallBase | None) -> None:
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
