"""Entry points that need no derivative: batches of plain calls, the size of a tape, shadows of functions."""

from __future__ import annotations

from enzyme.gradient.arguments import CallReader, parameter_groups, usage_error
from enzyme.gradient.convention import WITHOUT_DERIVATIVE, calls_of, entry_point, function_of
from enzyme.gradient.replace import remove_call
from enzyme.gradient.results import CallResult
from enzyme.gradient.sites import returns_through_memory
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I64, IntType
from enzyme.ir.values import Argument, CallBase, ConstantInt, Function, Value

TAPE_BYTES = 8
"""A tape is handed over as one pointer."""


def replace_ahead(module: Module) -> bool:
    """Replace all calls of these entry points; whether there were any."""
    found = calls_of(module, WITHOUT_DERIVATIVE)
    for caller, call, kind in found:
        if kind == "batch":
            _batch(module, caller, call)
        else:
            _size_or_shadow(module, caller, call, kind)
    for name, declared in list(module.functions.items()):
        if entry_point(name) in WITHOUT_DERIVATIVE and declared.is_declaration and not declared.users:
            module.remove(declared)
    return bool(found)


def _size_or_shadow(module: Module, caller: Function, call: CallBase, kind: str) -> None:
    memory = call.args[0] if returns_through_memory(call) else None
    args = call.args[memory is not None :]
    assert call.block is not None
    build = Builder(call.block, before=call)
    result: Value
    if kind == "augmentsize":
        if not args or function_of(args[0]) is None:
            raise usage_error(
                module,
                caller,
                call,
                "the first argument of __enzyme_augmentsize must be a function",
                "its value is not known at compile time" if args else "there is no argument",
                "name the function directly",
            )
        if not isinstance(call.type, IntType):
            raise usage_error(
                module,
                caller,
                call,
                f"__enzyme_augmentsize is declared to return {call.type}",
                "it is a number of bytes",
                "declare it to return size_t",
            )
        result = ConstantInt(call.type, TAPE_BYTES)
    else:
        if len(args) != 1 or not args[0].type.is_pointer or not call.type.is_pointer:
            raise usage_error(
                module,
                caller,
                call,
                "__enzyme_virtualreverse takes a function and returns its shadow, a pointer",
                f"it is called with {len(args)} argument{'s' if len(args) != 1 else ''} and returns {call.type}",
                "declare it as void *__enzyme_virtualreverse(void *)",
            )
        result = args[0]  # calls through pointers find the derivative by the function's own address
    CallResult(module, caller, call, memory, "this entry point").give(build, [result])
    remove_call(call)


def _batch(module: Module, caller: Function, call: CallBase) -> None:
    memory = call.args[0] if returns_through_memory(call) else None
    skip = int(memory is not None)
    subject = function_of(call.args[skip]) if len(call.args) > skip else None
    if subject is None:
        raise usage_error(
            module,
            caller,
            call,
            "the first argument of __enzyme_batch must be a function",
            "its value is not known at compile time" if len(call.args) > skip else "there is no argument",
            "name the function directly",
        )
    reader = CallReader(module, caller, call, "batch", subject, skip + 1)
    lanes: list[list[Value]] | None = None
    for group in parameter_groups(subject):
        columns = _column(reader, group)
        lanes = [[] for _ in columns] if lanes is None else lanes
        for lane, column in zip(lanes, columns, strict=True):
            lane += column
    if lanes is None:
        reader.markers()
        lanes = [[] for _ in range(reader.options.width)]
    reader.finish()
    build = reader.builder()
    made = [build.call(subject, lane) for lane in lanes]
    for each in made:
        each.metadata = {k: v for k, v in call.metadata.items() if k == "dbg"}
    parts: list[Value] = [] if subject.result_type.is_void else list(made)
    CallResult(module, caller, call, memory, f"{len(lanes)} calls of '{subject.name}'").give(build, parts)
    remove_call(call)


def _column(reader: CallReader, group: list[Argument]) -> list[list[Value]]:
    """One source argument in all lanes."""
    name = reader.markers()
    width = reader.options.width
    first = group[0]
    number = first.index + 1
    if name not in (None, "enzyme_scalar", "enzyme_vector", "enzyme_buffer"):
        raise reader.wrong(
            f"__enzyme_batch does not know '{name}' (parameter {number} of '{reader.subject.name}')",
            "a batch calls the function several times, it differentiates nothing",
            "use enzyme_scalar, enzyme_vector or enzyme_buffer",
        )
    what = f"parameter {number}"
    if name == "enzyme_scalar":
        return [reader.pieces(group, what, "argument")] * width
    if name != "enzyme_buffer":
        return [reader.pieces(group, f"{what} in lane {lane}", "argument") for lane in range(width)]
    stride, base = reader.following(f"the distance for {what}"), reader.following(f"the buffer for {what}")
    if not isinstance(stride.type, IntType) or not base.type.is_pointer or len(group) > 1:
        raise reader.wrong(
            f"__enzyme_batch: enzyme_buffer takes a distance in bytes and an address (parameter {number})",
            f"it is followed by {stride.type} and {base.type}",
            "pass the distance of the lanes, then the address of the first",
        )
    build = reader.builder()
    made: list[list[Value]] = []
    for lane in range(width):
        address = build.offset(base, build.mul(build.sext(stride, I64), ConstantInt(I64, lane)))
        made.append([address if first.type.is_pointer else build.load(first.type, address, 1)])
    return made
