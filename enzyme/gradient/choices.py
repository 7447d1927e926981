"""Derivatives of functions that are only known when the program runs.

``__enzyme_autodiff(p, arguments...)`` of a pointer turns into a call of a made function that compares ``p`` with every
function whose address the program takes and that fits the arguments, and asks for the derivative of that one by name.
Wrappers that get the function as a parameter are of this kind where they are not inlined. A function that cannot be
differentiated, or that would need itself, is a case that ends the program with a message; so does any other function.
"""

from __future__ import annotations

from enzyme.gradient.candidates import AddressIndex
from enzyme.gradient.convention import (
    ENTRY_POINTS,
    WITHOUT_DERIVATIVE,
    calls_of,
    constant_of,
    entry_point,
    function_of,
    marker,
    settled,
    weak_name,
)
from enzyme.gradient.exceptions import own_normal_edge, replace_call
from enzyme.gradient.other_names import definition_of
from enzyme.gradient.sites import read_site, read_subject, returns_through_memory, unknown_function
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I8, I32, PTR, VOID, ArrayType, FunctionType
from enzyme.ir.values import (
    Block,
    Call,
    CallBase,
    Constant,
    ConstantInt,
    ConstantString,
    ConstantToken,
    Function,
    GlobalVariable,
    Load,
    Value,
)
from enzyme.support.diagnostics import EnzymeError, UsageError

CHOICE = "enzyme.choice."
MOST = 200


class Unfit(Exception):
    """A case of a choice that has no derivative."""

    def __init__(self, choice: str, subject: str, error: EnzymeError) -> None:
        super().__init__(choice, subject)
        self.choice, self.subject, self.error = choice, subject, error


def is_choice(function: Function) -> bool:
    return (function.name or "").startswith(CHOICE)


def make_choices(module: Module) -> bool:
    """Replace every call that asks for the derivative of a function not known by name, or known by a weak one, which
    may be another file's; whether there were any."""
    index: AddressIndex | None = None
    made = False
    for caller, call, kind in calls_of(module, set(ENTRY_POINTS.values()) - set(WITHOUT_DERIVATIVE)):
        skip = int(returns_through_memory(call))
        if len(call.args) <= skip or not call.args[skip].type.is_pointer:
            continue  # refused when it is read
        weak = weak_name(call.args[skip])
        if weak is not None:
            candidates = [definition_of(weak)]
        elif function_of(call.args[skip]) is not None or isinstance(settled(call.args[skip]), Constant):
            continue
        else:
            index = index or AddressIndex(module)
            candidates = list(index.taken)
        _choose(module, caller, call, kind, skip, candidates)
        made = True
    return made


def _choose(module: Module, caller: Function, call: CallBase, kind: str, skip: int, names: list[str]) -> None:
    candidates = [module.functions[name] for name in names if name in module.functions]
    candidates = [f for f in candidates if not f.is_declaration and not f.function_type.vararg]
    fitting: list[Function] = []
    refused: UsageError | None = None
    for candidate in candidates:
        trial, cases, _ = _build(call, skip, [candidate])
        try:
            read_site(module, trial, cases[0], kind, read_subject(module, trial, cases[0], kind))
            fitting.append(candidate)
        except UsageError as error:
            refused = refused or error
        for block in trial.blocks:
            for inst in block.instructions:
                inst.drop_operands()
    if not fitting or len(fitting) > MOST:
        raise unknown_function(module, caller, call, kind) from refused
    made, _, given = _build(call, skip, fitting)
    made.name = module.unique_name(CHOICE + (caller.name or ""))
    made.prefix = ("internal",)
    module.add_function(made)
    _end_program(module, made.blocks[-1], f"{call.callee_name} of a function that is not known in this program")
    own_normal_edge(call)
    new, _ = replace_call(call, made, given)
    new.metadata = {k: v for k, v in call.metadata.items() if k == "dbg"}
    call.replace_all_uses_with(new)
    call.erase()


def _build(call: CallBase, skip: int, candidates: list[Function]) -> tuple[Function, list[Call], list[Value]]:
    """The function, its calls of the entry point, and what it is called with. Its last block is empty."""
    given: list[Value] = []
    for position, argument in enumerate(call.args):
        if position == skip or not _known(argument):
            given.append(argument)
    made = Function("choice", FunctionType(call.type, tuple(value.type for value in given)))
    parameters: dict[int, Value] = {}
    at = iter(made.args)
    for position, argument in enumerate(call.args):
        if position == skip or not _known(argument):
            parameters[position] = next(at)
    test = made.append_block("entry")
    cases: list[Call] = []
    for candidate in candidates:
        case, following = Block(), Block()
        build = Builder(test)
        build.cond_br(build.icmp("eq", parameters[skip], candidate), made.append_block(case), following)
        build = Builder(case)
        operands = [
            candidate if i == skip else parameters[i] if i in parameters else _again(build, argument)
            for i, argument in enumerate(call.args)
        ]
        inner = Call(call.callee, operands, call.callee_type)
        inner.arg_attrs = call.arg_attrs
        build.insert(inner)
        cases.append(inner)
        build.ret(None if call.type.is_void else inner)
        test = made.append_block(following)
    return made, cases, given


def _known(argument: Value) -> bool:
    """Whether an argument says something to the reader of the call, and can be said again elsewhere."""
    return marker(argument) is not None or constant_of(argument) is not None


def _again(build: Builder, argument: Value) -> Value:
    number = constant_of(argument)
    if number is not None:
        return ConstantInt(argument.type, number)
    found = settled(argument)
    if isinstance(found, Load):
        variable = settled(found.pointer)
        assert isinstance(variable, GlobalVariable)
        return build.load(found.type, variable)
    return found


def _end_program(module: Module, block: Block, what: str) -> None:
    """Say what is missing and abort."""
    build = Builder(block)
    text = "".join(c if 32 <= ord(c) < 127 and c not in '"\\' else "?" for c in f"enzyme: {what}")
    type = ArrayType(len(text) + 1, I8)
    message = module.add_global(
        module.unique_name("enzyme.rt.missing"), type, ConstantString(type, f'c"{text}\\00"'), "internal", True
    )
    build.call(module.declare_function("puts", FunctionType(I32, (PTR,))), [message])
    build.call(module.declare_function("fflush", FunctionType(I32, (PTR,))), [ConstantToken(PTR, "null")])
    build.call(module.declare_function("abort", FunctionType(VOID, ())), [])
    build.unreachable()


def give_up(module: Module, unfit: Unfit) -> None:
    """Make a case end the program. Raises the error where no other case has, or had, a derivative."""
    function = module.functions[unfit.choice]
    made = [inst for inst in function.instructions() if isinstance(inst, CallBase)]
    calls = [inst for inst in made if entry_point(inst.callee_name) is not None]
    others = [inst for inst in made if inst not in calls and inst.callee_name not in ("puts", "fflush", "abort")]
    if len(calls) <= 1 and not others:
        raise unfit.error
    for call in calls:
        skip = int(returns_through_memory(call))
        subject = function_of(call.args[skip])
        if subject is None or subject.name != unfit.subject:
            continue
        block = call.block
        assert block is not None
        for inst in reversed(block.instructions[block.instructions.index(call) :]):
            inst.erase()
        _end_program(module, block, f"no derivative of '{unfit.subject}': {unfit.error.what}")
