"""Functions that get another signature: the body moves to a new function, the old one goes on as a wrapper of it; or a
copy of the body does."""

from __future__ import annotations

from collections.abc import Sequence

from enzyme.gradient.exceptions import personality
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import FunctionType, Type
from enzyme.ir.values import Block, CallBase, DebugRecord, Function, Instruction, Value

_BY_ABI = ("byval", "sret", "inalloca", "preallocated", "inreg", "nest", "swift")


def direct_calls(function: Function) -> list[CallBase]:
    """The calls of a function by its name (with the bodies of all its users read)."""
    return [user for user in function.users if isinstance(user, CallBase) and user.callee is function]


def calls_inside(function: Function) -> list[CallBase]:
    """A function's calls of functions with a body, by name."""
    return [
        inst
        for inst in function.instructions()
        if isinstance(inst, CallBase) and isinstance(inst.callee, Function) and not inst.callee.is_declaration
    ]


def callee_of(call: CallBase) -> Function:
    """What a call by name calls."""
    assert isinstance(call.callee, Function)
    return call.callee


def hands_on(function: Function) -> bool:
    """Whether another function may hand its parameters on as they are."""
    words = (word for argument in function.args for word in argument.attrs)
    return not function.function_type.vararg and not any(word.startswith(_BY_ABI) for word in words)


def call_version(build: Builder, version: Function, given: Sequence[Value]) -> CallBase:
    """Call a function of the program's own making, with what both sides of a call must say of its numbers."""
    call = build.call(version, list(given))
    assert isinstance(call, CallBase)
    call.arg_attrs = tuple(_extended(argument.attrs) for argument in version.args)
    call.result_attrs = _extended(version.result_attrs)
    return call


def _extended(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for word in words if word in ("zeroext", "signext"))


def read_bodies(module: Module) -> None:
    """Read every body, so that all uses are there."""
    for function in list(module.functions.values()):
        _ = function.blocks


def move_body(
    module: Module, function: Function, word: str, type: FunctionType, names: Sequence[str | None]
) -> Function:
    """A new internal function ``<name>.<word>`` of another type with the blocks of ``function``, which is left without
    any. What the parameters are to be, inside, is for the caller to say."""
    made = Function(module.unique_name(f"{function.name}.{word}"), type, tuple(names))
    made.prefix = ("internal",)
    made.attrs, made.result_attrs = function.attrs, function.result_attrs
    made.suffix, function.suffix = personality(function), ""
    blocks = list(function.blocks)
    function.blocks.clear()
    function.body_text = None
    for block in blocks:
        made.append_block(block)
    module.add_function(made)
    return made


def copy_function(
    module: Module,
    function: Function,
    name: str,
    attrs: Sequence[str] | None = None,
    further: Sequence[tuple[str, Type]] = (),
    places: dict[Instruction, Instruction] | None = None,
) -> Function:
    """A new internal function that does what ``function`` does, with its attributes or ``attrs`` and ``further``
    parameters (name and type); :func:`call_copy` calls it. Its name is ``name``, or begins so where that is taken.
    ``places`` is told the copy of each instruction."""
    type = FunctionType(function.result_type, (*function.function_type.params, *(each for _, each in further)))
    names = (*(argument.name for argument in function.args), *(each for each, _ in further))
    made = Function(module.unique_name(name), type, names)
    made.prefix, made.result_attrs = ("internal",), function.result_attrs
    words = function.attrs if attrs is None else attrs
    made.attrs = tuple(word for word in words if not word.endswith("unnamed_addr"))  # its address may be asked for
    _ = function.blocks
    made.suffix = personality(function)
    for mine, theirs in zip(made.args, function.args, strict=False):
        mine.attrs = theirs.attrs
    module.add_function(made)
    copy_body(function, made, places)
    return made


def call_copy(call: CallBase, made: Function) -> None:
    """Call a copy: it has the C calling convention, whatever the optimiser gave to the function it was copied from."""
    call.callee, call.cc = made, ""


def copy_body(function: Function, made: Function, places: dict[Instruction, Instruction] | None = None) -> None:
    """Give a new function, whose first parameters are those of ``function``, a copy of its blocks."""
    new: dict[Value, Value] = dict(zip(function.args, made.args, strict=False))
    for block in function.blocks:
        new[block] = made.append_block(block.name or "block")
    copies: list[Instruction] = []
    for block in function.blocks:
        into = new[block]
        assert isinstance(into, Block)
        for inst in block.instructions:
            if not isinstance(inst, DebugRecord):
                new[inst] = copied = inst.clone()
                into.append(copied)
                copies.append(copied)
                if places is not None:
                    places[inst] = copied
    for copied in copies:
        for index, operand in enumerate(copied.operands):
            if operand in new:
                copied.set_operand(index, new[operand])
