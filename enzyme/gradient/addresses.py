"""Addresses that go through calls as integers (``uintptr_t``) go through them as pointers.

Memory has shadows by the pointers that lead to it. A parameter of pointer width that a function turns into a pointer,
or that a caller makes of one, becomes a pointer parameter, and a result likewise; the conversions stand at the call and
at the entry instead. Where a program makes pointers of integers at all, type analysis says what goes through memory
as an integer in between. Under its own name the function goes on with its own signature.

A parameter that is an address at some times and the bits of a number at others, a union passed by value, goes through
memory: its word is stored in a local of the caller's (:mod:`enzyme.gradient.words`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from enzyme.analysis.types_analysis import TypeAnalysis, TypeResult
from enzyme.gradient.exceptions import replace_call
from enzyme.gradient.moved_bodies import direct_calls, move_body, read_bodies
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import PTR, FunctionType, IntType, Type
from enzyme.ir.values import (
    Argument,
    BinaryOp,
    CallBase,
    Cast,
    Constant,
    ConstantInt,
    Freeze,
    Function,
    Load,
    Phi,
    Return,
    Select,
    Store,
    Value,
)
from enzyme.rules.known import known_callee

_STEPS = ("add", "sub", "and", "or", "xor")


def addresses_as_pointers(module: Module) -> set[Function]:
    """Rewrite every defined function of that kind that another function of the module calls. Those are returned whose
    results are addresses at some times and numbers at others."""
    wide = IntType(module.datalayout.pointer_bits())
    functions = [
        f
        for f in module.functions.values()
        if not (f.is_declaration or f.function_type.vararg) and wide in (f.result_type, *f.function_type.params)
    ]
    if not functions:
        return set()
    read_bodies(module)
    flow = _Flow(module, functions, wide)
    flow.follow_types()
    places = {place: direct_calls(_function_of(place)) for place in flow.addresses}
    words = {p for p, calls in places.items() if calls and (p in flow.words or _may_be_number(p, calls))}
    results = {place for place in words if isinstance(place, Function)}
    for function in functions:
        calls = direct_calls(function)
        parameters = {a.index: a in words for a in function.args if a in flow.addresses}
        result = function in flow.addresses and function not in results
        if calls and (parameters or result):
            made = _convert(module, function, calls, parameters, result, wide)
            if function in results:
                results.add(made)
    return results


class _Flow:
    """Which parameters and results of ``functions`` are addresses (a function stands for its result)."""

    def __init__(self, module: Module, functions: list[Function], wide: Type) -> None:
        self.module, self.functions, self.wide = module, frozenset(functions), wide
        self.addresses: set[Argument | Function] = set()
        self.words: set[Argument | Function] = set()  # of them, what type analysis finds to be numbers at other times
        self._from: set[Value] = set()  # made of a pointer
        self._into: set[Value] = set()  # becomes a pointer
        for function in module.functions.values():
            for inst in function.instructions():
                if isinstance(inst, Cast) and inst.opcode == "ptrtoint" and inst.type is wide:
                    self._spread(inst)
                elif isinstance(inst, Cast) and inst.opcode == "inttoptr" and inst.operands[0].type is wide:
                    self._trace(inst.operands[0])

    def follow_types(self) -> None:
        """What type analysis finds to be pointers among the integers that calls pass and return."""
        if all(value in self._from or self._is_followed(value) for value in self._into):
            return  # no integer out of memory becomes a pointer
        callers = [f for f in self.module.functions.values() if not f.is_declaration]
        wanted = {caller: calls for caller in callers if (calls := self._unknown(caller))}
        types = TypeAnalysis(self.module, known_callee)
        seen: set[Function] = set()
        alone: list[Function] = []
        for root in sorted(callers if wanted else (), key=lambda f: bool(direct_calls(f))):  # what nothing calls first
            if root in seen:
                continue
            for found in (whole := types.analyze(root), *whole.callees()):
                seen.add(found.function)
                if self._take(found, wanted.get(found.function, ())) and found is not whole:
                    alone.append(found.function)
        for caller in dict.fromkeys(alone):
            self._take(types.analyze(caller), wanted[caller])

    def _unknown(self, caller: Function) -> list[CallBase]:
        """The calls in ``caller`` that pass or return integers which may be addresses."""
        calls = [i for i in caller.instructions() if isinstance(i, CallBase) and i.callee in self.functions]
        return [c for c in calls if any(v.type is self.wide and not isinstance(v, ConstantInt) for v in (c, *c.args))]

    def _take(self, found: TypeResult, calls: Iterable[CallBase]) -> bool:
        """Note the pointers that ``found`` sees in ``calls``; whether it sees numbers too (of other calls, maybe)."""
        numbers = False
        for call in calls:
            assert isinstance(call.callee, Function)
            for value in dict.fromkeys(v for v in (call, *call.args) if v.type is self.wide):
                either = found.segments(value)[0].either
                if not (either or found.value_is_pointer(value)):
                    numbers = numbers or found.value_carries_float(value)
                    continue
                places: list[Argument | Function] = [*self._parameters(call, value)]
                if value is call:
                    places.append(call.callee)
                for place in places:
                    self._found(place)
                    if either:
                        self.words.add(place)
        return numbers

    def _is_followed(self, value: Value) -> bool:
        """Whether :meth:`_trace` has gone on to all that a value is made of."""
        match value:
            case Argument():
                return value in self.addresses
            case CallBase():
                return value.callee in self.addresses
            case BinaryOp():
                return value.opcode in _STEPS and isinstance(value.operands[1], ConstantInt)
        return isinstance(value, (Constant, Phi, Select, Freeze))

    def _spread(self, value: Value) -> None:
        """``value`` is made of a pointer: so is what is computed of it."""
        work = [value]
        while work:
            value = work.pop()
            if value in self._from:
                continue
            self._from.add(value)
            for user in value.users:
                if isinstance(user, (Phi, Select, Freeze)) or self._is_step(user, value):
                    work.append(user)
                elif isinstance(user, CallBase):
                    for parameter in self._parameters(user, value):
                        self._found(parameter)
                elif isinstance(user, Return) and user.function in self.functions:
                    self._found(user.function)

    @staticmethod
    def _is_step(user: Value, value: Value) -> bool:
        """A step from an address; the difference of two is none."""
        if not isinstance(user, BinaryOp) or user.opcode not in _STEPS:
            return False
        return user.opcode != "sub" or (user.operands[0] is value and isinstance(user.operands[1], ConstantInt))

    def _trace(self, value: Value) -> None:
        """``value`` becomes a pointer: so does what it is computed of, where that is one thing only."""
        work = [value]
        while work:
            value = work.pop()
            if value in self._into or value.type is not self.wide:
                continue
            self._into.add(value)
            match value:
                case Argument():
                    if value.function in self.functions:
                        self._found(value)
                case Phi():
                    work += [v for v, _ in value.incoming]
                case Select():
                    work += value.operands[1:]
                case Freeze():
                    work += value.operands
                case BinaryOp():
                    if value.opcode in _STEPS and isinstance(value.operands[1], ConstantInt):
                        work.append(value.operands[0])
                case CallBase():
                    if isinstance(value.callee, Function) and value.callee in self.functions:
                        self._found(value.callee)

    def _parameters(self, call: CallBase, value: Value) -> Iterator[Argument]:
        callee = call.callee
        if isinstance(callee, Function) and callee in self.functions and callee.function_type is call.callee_type:
            for parameter, actual in zip(callee.args, call.args, strict=True):
                if actual is value:
                    yield parameter

    def _found(self, place: Argument | Function) -> None:
        """Inside, a parameter is made of a pointer and outside it becomes one; a result the other way round."""
        if place in self.addresses:
            return
        self.addresses.add(place)
        if isinstance(place, Argument):
            self._spread(place)
            assert place.function is not None
            for call in direct_calls(place.function):
                if call.callee_type is place.function.function_type:
                    self._trace(call.args[place.index])
        else:
            for call in direct_calls(place):
                self._spread(call)
            for end in _returned(place):
                self._trace(end)


def _returned(function: Function) -> Iterable[Value]:
    return [i.operands[0] for i in function.instructions() if isinstance(i, Return) and i.operands]


def _function_of(place: Argument | Function) -> Function:
    function = place if isinstance(place, Function) else place.function
    assert function is not None
    return function


def _may_be_number(place: Argument | Function, calls: list[CallBase]) -> bool:
    """Whether an address may be the bits of a number at other times: it is taken for them or kept for somebody who may,
    and it comes from memory or from elsewhere, or is made of a number."""
    if isinstance(place, Argument):
        received: list[Value] = [place]
        given = [call.args[place.index] for call in calls if place.index < len(call.args)]
    else:
        received, given = [*calls], [*_returned(place)]
    users = [user for value in _passed_on(received, forward=True) for user in value.users]
    if not any(isinstance(u, (Store, CallBase, Return)) or _is_bitcast(u) for u in users):
        return False
    return any(
        _is_bitcast(value) or isinstance(value, (Argument, CallBase, Load))
        for value in _passed_on(given, forward=False)
    )


def _passed_on(values: Iterable[Value], forward: bool) -> set[Value]:
    """``values``, and what they become or are by choices alone."""
    seen: set[Value] = set()
    work = [*values]
    while work:
        value = work.pop()
        if value not in seen:
            seen.add(value)
            if forward:
                work += [user for user in value.users if isinstance(user, (Phi, Select, Freeze))]
            elif isinstance(value, (Phi, Select, Freeze)):
                work += value.operands
    return seen


def _is_bitcast(value: Value) -> bool:
    return isinstance(value, Cast) and value.opcode == "bitcast"


def _convert(
    module: Module, function: Function, calls: list[CallBase], parameters: dict[int, bool], result: bool, wide: Type
) -> Function:
    """``parameters`` become pointers, or, where True, pointers to a word of their caller's."""
    types = [PTR if i in parameters else p for i, p in enumerate(function.function_type.params)]
    type = FunctionType(PTR if result else function.result_type, tuple(types))
    made = move_body(module, function, "addressed", type, [a.name for a in function.args])
    entry = Builder(made.entry, before=made.entry.instructions[0])
    for mine, theirs in zip(made.args, function.args, strict=True):
        if parameters.get(mine.index):
            mine.attrs = ("noalias", "nonnull", "readonly")
            theirs.replace_all_uses_with(entry.load(wide, mine, 8))
        elif mine.index in parameters:
            theirs.replace_all_uses_with(entry.cast("ptrtoint", mine, wide))
        else:
            mine.attrs = theirs.attrs
            theirs.replace_all_uses_with(mine)
    if result:
        made.result_attrs = ()
        for end in [i for i in made.instructions() if isinstance(i, Return)]:
            assert end.block is not None
            end.set_operand(0, _as_pointer(Builder(end.block, before=end), end.operands[0]))
    build = Builder(function.append_block("entry"))
    whole = build.call(made, _passed(build, build, parameters, function.args))
    build.ret(None if type.result.is_void else build.cast("ptrtoint", whole, wide) if result else whole)
    for call in calls:
        if call.callee_type is function.function_type:
            _redirect(call, made, parameters, result, wide)
    return made


def _passed(head: Builder, build: Builder, parameters: dict[int, bool], actuals: Sequence[Value]) -> list[Value]:
    """The arguments for the made function; ``head`` builds locals."""
    args: list[Value] = []
    for index, actual in enumerate(actuals):
        if parameters.get(index):
            slot = head.alloca(actual.type, align=8)
            build.store(actual, slot, 8)
            args.append(slot)
        else:
            args.append(_as_pointer(build, actual) if index in parameters else actual)
    return args


def _redirect(call: CallBase, made: Function, parameters: dict[int, bool], result: bool, wide: Type) -> None:
    assert call.block is not None and call.function is not None
    before = Builder(call.block, before=call)
    entry = call.function.entry
    args = _passed(Builder(entry, before=entry.instructions[0]), before, parameters, call.args)
    new, build = replace_call(call, made, args)
    new.arg_attrs = tuple(() if i in parameters else words for i, words in enumerate(call.arg_attrs))
    new.result_attrs = () if result else call.result_attrs
    new.attrs, new.name, new.metadata = call.attrs, call.name, dict(call.metadata)
    call.replace_all_uses_with(build.cast("ptrtoint", new, wide) if result else new)
    call.erase()


def _as_pointer(build: Builder, value: Value) -> Value:
    if isinstance(value, Cast) and value.opcode == "ptrtoint" and value.operands[0].type is PTR:
        return value.operands[0]
    return build.cast("inttoptr", value, PTR)
