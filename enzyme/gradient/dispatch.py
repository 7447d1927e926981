"""Calls through pointers become calls of known functions before anything is differentiated.

``call T %p(arguments)`` turns into a call of a made function ``enzyme.dispatch.N(%p, arguments)``, which compares
``%p`` with every function that it may lead to and calls that one directly; the derivative of a dispatch is then that
of any function with branches. Where all of them are known (a constant table, an argument that every caller names) there
is no other case, and with one of them left no dispatch. Else the last case keeps the call through the pointer: it does
what the program does where no derivative is asked for, and in a derivative it aborts the program with a message.

A call by a weak name becomes the same: what was defined by that name is compared with what goes by it.

A pointer to a function has no shadow: a dispatch passes none on, and the shadow of a function is the function.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from enzyme.analysis.dispatched import CODE, DISPATCH, REST, is_dispatch
from enzyme.gradient.callbacks import copy_for_callbacks
from enzyme.gradient.candidates import AddressIndex, has_indirect_calls, indirect_callee, may_be_called
from enzyme.gradient.exceptions import plain_call, replace_call
from enzyme.gradient.other_names import weakly_named
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import PTR, FunctionType
from enzyme.ir.values import (
    Argument,
    CallBase,
    Constant,
    Function,
    GlobalVariable,
    Instruction,
    Load,
    Phi,
    Select,
    Value,
    without_steps,
)

MOST_ARGUMENT_STEPS = 100  # actual arguments looked at to know all that one pointer may be


def dispatch_calls(module: Module, index: AddressIndex | None, roots: Collection[str]) -> None:
    """Rewrite every call through a pointer in a prepared module. ``index`` knows the whole program; ``roots`` are
    functions that are called from outside of the module."""
    functions = [f for f in module.functions.values() if not f.is_declaration]
    _ask_for_weak(module)
    if not any(has_indirect_calls(f) for f in functions):
        return
    index = index if index is not None else AddressIndex(module)
    functions += copy_for_callbacks(module, functions)
    calls = [i for f in functions for i in f.instructions() if indirect_callee(i) is not None]
    targets = _Targets(module, index, frozenset(roots))
    _mark_code(functions, index, frozenset(roots))
    for number, call in enumerate(calls):
        assert isinstance(call, CallBase)
        if is_dispatch(call.function):  # made before the program was prepared
            call.attrs = (*call.attrs, REST)
            continue
        found, complete = targets.of(call)
        if complete and len(found) == 1:
            call.callee = found[0]
        elif found:
            replace_by_dispatch(module, call, number, found, complete)
        else:
            call.attrs = (*call.attrs, REST)  # refused where it turns out to be active


def _ask_for_weak(module: Module) -> None:
    """Let calls by a weak name ask whether it is the definition at hand or another file's."""
    for function in list(module.functions.values()):
        definition = weakly_named(function, module)
        if definition is None:
            continue
        for number, call in enumerate([user for user in function.users if isinstance(user, CallBase)]):
            if call.callee is function and call.callee_type is definition.function_type and call.tail != "musttail":
                replace_by_dispatch(module, call, number, [definition], False)


def replace_by_dispatch(
    module: Module, call: CallBase, number: int, targets: list[Function], complete: bool
) -> Function:
    """Let a dispatch choose among ``targets``, which are all there can be if they are ``complete``."""
    made = _make(module, f"{DISPATCH}{number}", call, targets, complete)
    _replace(call, made)
    return made


class _Targets:
    """What the pointers of one module may lead to."""

    def __init__(self, module: Module, index: AddressIndex, roots: frozenset[str]) -> None:
        self.module, self.index, self.roots = module, index, roots

    def of(self, call: CallBase) -> tuple[list[Function], bool]:
        """Functions, and whether there can be no other."""
        callee = indirect_callee(call)
        assert callee is not None
        exact = self._trace(callee)
        if exact is not None:
            found = [f for f in exact if f.function_type is call.callee_type]
            if found and all(may_be_called(f, call.callee_type) for f in found):
                return found, True
        return [self.module.functions[name] for name in self.index.of(call, self.module)], False

    def _trace(self, callee: Value) -> list[Function] | None:
        """Every function the pointer may be, as far as values, constant tables and callers in the module tell."""
        found: dict[Function, None] = {}
        seen: set[Value] = set()
        work: list[Value] = [callee]
        while work:
            value = work.pop()
            if value in seen:
                continue
            seen.add(value)
            if len(seen) > MOST_ARGUMENT_STEPS:
                return None
            if isinstance(value, Function):
                found[value] = None
            elif isinstance(value, Phi):
                work += [each for each, _ in value.incoming]
            elif isinstance(value, Select):
                work += value.operands[1:]
            elif isinstance(value, Load):
                table = without_steps(value.pointer)
                if not isinstance(table, GlobalVariable) or not table.is_constant or table.initializer is None:
                    return None
                found |= dict.fromkeys(_functions_in(table.initializer))
            elif isinstance(value, Argument):
                given = self._actuals(value)
                if given is None:
                    return None
                work += given
            elif not (isinstance(value, Constant) and getattr(value, "keyword", "") in ("null", "poison", "undef")):
                return None
        return list(found)

    def _actuals(self, argument: Argument) -> list[Value] | None:
        """What the callers pass for a parameter; None when some are not known."""
        function = argument.function
        if function is None or function.name in self.roots or function.name in self.index.taken:
            return None
        actuals: list[Value] = []
        for user in function.users:
            if not isinstance(user, CallBase) or user.callee is not function or function in user.args:
                return None
            if argument.index >= len(user.args):
                return None
            actuals.append(user.args[argument.index])
        return actuals


def _mark_code(functions: list[Function], index: AddressIndex, roots: frozenset[str]) -> None:
    """Mark parameters that are given functions by every caller: nothing active is behind them."""
    marked: dict[Argument, list[Value]] = {}
    for function in functions:
        if function.name in roots or function.name in index.taken:
            continue
        calls = [u for u in function.users if isinstance(u, CallBase) and u.callee is function]
        if not calls or len(calls) != len(function.users):
            continue
        for argument in function.args:
            given = [c.args[argument.index] for c in calls if argument.index < len(c.args)]
            if argument.type.is_pointer and function not in given:
                marked[argument] = given
    shrunk = True
    while shrunk:
        kept = {a: given for a, given in marked.items() if all(_is_code(v) or v in marked for v in given)}
        shrunk, marked = len(kept) < len(marked), kept
    for argument, given in marked.items():
        if any(isinstance(v, (Function, Argument)) for v in given):
            argument.attrs = (*argument.attrs, CODE)


def _is_code(value: Value) -> bool:
    return isinstance(value, Function) or getattr(value, "keyword", "") in ("null", "undef", "poison")


def _functions_in(value: Value) -> Iterable[Function]:
    if isinstance(value, Function):
        yield value
    elif isinstance(value, Constant):
        for part in value.constant_operands():
            yield from _functions_in(part)


def _make(module: Module, name: str, call: CallBase, targets: list[Function], complete: bool) -> Function:
    """The function that compares its first argument with the targets and calls the one it is."""
    type = FunctionType(call.type, (PTR, *(a.type for a in call.args)))
    made = Function(module.unique_name(name), type, ("callee",))
    made.prefix = ("internal",)
    caller = call.function
    if caller is not None:
        made.attrs = module.target_attributes(caller)
    module.add_function(made)
    pointer, arguments = made.args[0], made.args[1:]
    test = made.append_block("entry")
    done = made.append_block("done")
    results: list[tuple[Value, Instruction]] = []

    def case(target: Value, builder: Builder) -> Instruction:
        inner = plain_call(call)
        for index, argument in enumerate((*arguments, *inner.bundle_operands, target)):
            inner.set_operand(index, argument)
        inner.tail, inner.name = "", None
        inner.metadata = {k: v for k, v in call.metadata.items() if k == "dbg" and made.suffix}
        if target is pointer:
            inner.attrs = (*inner.attrs, REST)
        builder.insert(inner)
        results.append((inner, builder.br(done)))
        return inner

    for position, target in enumerate(targets):
        if complete and position == len(targets) - 1:
            case(target, Builder(test))
            break
        hit, other = made.append_block(f"case.{position}"), made.append_block(f"test.{position + 1}")
        build = Builder(test)
        build.cond_br(build.icmp("eq", pointer, target), hit, other)
        case(target, Builder(hit))
        test = other
    else:
        case(pointer, Builder(test))
    end = Builder(done)
    if call.type.is_void:
        end.ret()
    else:
        incoming = [(value, branch.block) for value, branch in results if branch.block is not None]
        end.ret(end.phi(call.type, incoming))
    made._blocks.remove(done)
    made._blocks.append(done)
    return made


def _replace(call: CallBase, dispatch: Function) -> None:
    """Call the dispatch instead. What the convention says of arguments (byval, sret) holds for the inner calls."""
    assert call.block is not None
    made, _ = replace_call(call, dispatch, [call.callee, *call.args])
    made.flags = call.flags
    made.metadata = {k: v for k, v in call.metadata.items() if k == "dbg"}
    made.name = call.name
    call.replace_all_uses_with(made)
    call.erase()
