"""Memory that is two functions: ``__enzyme_todense(load, store, arguments...)`` as a shadow.

What is read through such a pointer is ``load(offset in bytes, arguments...)``, what is written goes to
``store(value, offset in bytes, arguments...)``: derivatives are put where the program wants them, a sparse matrix say,
and tangents come from no memory. Once the derivatives are made, the pointer is followed from the call that makes it
into the functions it is passed to, copies of which take the arguments of both functions in addition. It becomes its own
offset, from null.
"""

from __future__ import annotations

from collections.abc import Sequence

from enzyme.gradient.arguments import usage_error
from enzyme.gradient.convention import calls_to, function_of
from enzyme.gradient.exceptions import erase_call, replace_call
from enzyme.gradient.moved_bodies import copy_function
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I64, IntType
from enzyme.ir.values import (
    CallBase,
    Cast,
    Compare,
    ConstantToken,
    Freeze,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Value,
)
from enzyme.support.diagnostics import UsageError

NAMES = ("__enzyme_todense", "__enzyme_post_sparse_todense")


def replace_dense(module: Module) -> None:
    """Take every such call out of a program whose derivatives have all been made."""
    names = {name for name, function in module.functions.items() if any(each in name for each in NAMES)}
    followed = _Followed(module)
    for caller, call in calls_to(module, names):
        functions = [function_of(each) for each in call.args[:2]]
        load, store = functions if len(functions) == 2 else (None, None)
        if load is None or store is None:
            raise _wrong(module, caller, call, "its first two arguments are not functions that are named directly")
        followed.follow(caller, call, load, store, call.args[2:])
        erase_call(call)
    for name in names:
        if not module.functions[name].users:
            module.remove(module.functions[name])


def _wrong(module: Module, caller: Function, inst: Instruction, why: str) -> UsageError:
    return usage_error(
        module,
        caller,
        inst,
        "a pointer of __enzyme_todense cannot be followed",
        why,
        "pass it as a shadow to a derivative that reads and writes single numbers through it: "
        "__enzyme_todense((void *)load, (void *)store, arguments...)",
    )


class _Followed:
    """The copies of functions that take such pointers."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.made: dict[tuple[Function, int, Function, Function], Function] = {}

    def follow(self, caller: Function, root: Value, load: Function, store: Function, given: Sequence[Value]) -> None:
        """Replace what is done through ``root``, in ``caller``."""
        null = ConstantToken(root.type, "null")
        inside: dict[Value, None] = {root: None}
        work = [root]
        while work:
            for user in list(work.pop().users):
                if isinstance(user, (Phi, Select, Freeze)) or (isinstance(user, GetElementPtr) and user not in inside):
                    if user not in inside:
                        inside[user] = None
                        work.append(user)
        for value in inside:
            if isinstance(value, (Phi, Select)):
                sources = [v for v, _ in value.incoming] if isinstance(value, Phi) else value.operands[1:]
                if any(v not in inside and not isinstance(v, ConstantToken) for v in sources):
                    raise _wrong(self.module, caller, value, "it may be another pointer, too")
            elif isinstance(value, GetElementPtr):
                value.flags = ()  # a step from null, not one inside of an object
        for value in inside:
            for user in list(value.users):
                if user not in inside and not isinstance(user, Compare):
                    self._use(caller, user, value, load, store, given, null)
        root.replace_all_uses_with(null)

    def _use(
        self,
        caller: Function,
        user: Instruction,
        pointer: Value,
        load: Function,
        store: Function,
        given: Sequence[Value],
        null: Value,
    ) -> None:
        assert user.block is not None
        build = Builder(user.block, before=user)
        if isinstance(user, Load):
            result = self._call(build, caller, user, load, [self._offset(build, pointer, load, 0)], given)
            if result.type is not user.type:
                raise _wrong(self.module, caller, user, f"'{load.name}' returns {result.type}, {user.type} is read")
            user.replace_all_uses_with(result)
            user.erase()
        elif isinstance(user, Store) and user.value is not pointer:
            self._call(build, caller, user, store, [user.value, self._offset(build, pointer, store, 1)], given)
            user.erase()
        elif isinstance(user, CallBase) and (user.callee_name or "").startswith(("llvm.lifetime", "llvm.dbg")):
            user.erase()
        elif isinstance(user, CallBase) and isinstance(user.callee, Function) and not user.callee.is_declaration:
            self._enter(user, [i for i, each in enumerate(user.args) if each is pointer], load, store, given, null)
        elif not (isinstance(user, Cast) and user.opcode == "ptrtoint"):
            raise _wrong(self.module, caller, user, "something else than loads, stores and calls is done with it")

    def _offset(self, build: Builder, pointer: Value, function: Function, index: int) -> Value:
        types = function.function_type.params
        type = types[index] if index < len(types) and isinstance(types[index], IntType) else I64
        return build.cast("ptrtoint", pointer, type)

    def _call(
        self,
        build: Builder,
        caller: Function,
        user: Instruction,
        function: Function,
        own: list[Value],
        given: Sequence[Value],
    ) -> Value:
        arguments = [*own, *given]
        types = tuple(each.type for each in arguments)
        if types != function.function_type.params:
            wanted, have = (", ".join(map(str, each)) for each in (function.function_type.params, types))
            raise _wrong(self.module, caller, user, f"'{function.name}' takes ({wanted}), it would be given ({have})")
        made = build.call(function, arguments)
        assert isinstance(made, CallBase)
        made.metadata = {k: v for k, v in user.metadata.items() if k == "dbg"}
        return made

    def _enter(
        self, call: CallBase, indices: list[int], load: Function, store: Function, given: Sequence[Value], null: Value
    ) -> None:
        """Call a copy that does the same with its parameter."""
        while indices:
            index = indices.pop()
            callee = call.callee
            assert isinstance(callee, Function)
            copy = self._copy(callee, index, load, store, given)
            operands = [*(null if i == index else each for i, each in enumerate(call.args)), *given]
            new, _ = replace_call(call, copy, operands)
            words = list(call.arg_attrs) + [()] * (len(operands) - len(call.arg_attrs))
            words[index] = ()
            new.arg_attrs, new.result_attrs, new.name = tuple(words), call.result_attrs, call.name
            new.metadata = {k: v for k, v in call.metadata.items() if k == "dbg"}
            call.replace_all_uses_with(new)
            call.drop_operands()
            call = new

    def _copy(self, callee: Function, index: int, load: Function, store: Function, given: Sequence[Value]) -> Function:
        key = callee, index, load, store
        if key in self.made:
            return self.made[key]
        # it calls what the program wrote
        words = self.module.target_attributes(callee)
        further = [(f"given.{i}", each.type) for i, each in enumerate(given)]
        made = self.made[key] = copy_function(self.module, callee, f"{callee.name}.dense", words, further)
        made.args[index].attrs = ()
        self.follow(made, made.args[index], load, store, made.args[len(callee.args) :])
        return made
