"""Complex numbers that an ABI packs: the x86-64 convention passes a ``float _Complex`` as ``<2 x float>`` and a
``long double _Complex`` through memory.

Calls of the C library's functions on them are rewritten into calls of a function of plain numbers, for which the
derivative tables have rows; that function, made when all is done, packs and calls the library.
"""

from __future__ import annotations

from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import PTR, FloatType, FunctionType, StructType, Type, VectorType
from enzyme.ir.values import CallBase, ConstantToken, Function, Value
from enzyme.rules.names import PACKED, canonical


def unpack_complex(module: Module) -> None:
    """Rewrite the calls in every function of a module that is going to be differentiated."""
    targets = {name: plain for name, each in module.functions.items() if (plain := _plain_type(each)) is not None}
    if not targets:
        return
    for function in list(module.functions.values()):
        for inst in list(function.instructions()) if not function.is_declaration else ():
            if isinstance(inst, CallBase) and isinstance(inst.callee, Function) and inst.callee.name in targets:
                _unpack(module, inst, inst.callee, targets[inst.callee.name])


def define_packed(module: Module) -> None:
    """Bodies for the functions that :func:`unpack_complex` has named, in the finished program."""
    for name, function in list(module.functions.items()):
        library = module.get_function(name.removeprefix(PACKED))
        if name.startswith(PACKED) and function.is_declaration and library is not None:
            _define(function, library)


def _plain_type(function: Function) -> FunctionType | None:
    """The type of the function of plain numbers, when ``function`` is a packed one that the tables know."""
    if not function.is_declaration or function.name is None or function.name.startswith(PACKED):
        return None
    params: list[Type] = []
    for argument in function.args:
        if _is_pair(argument.type):
            params += [argument.type.scalar] * 2
        elif argument.type is PTR and any(word.startswith("byval(") for word in argument.attrs):
            params += [FloatType("x86_fp80")] * 2
        else:
            params.append(argument.type)
    result = function.result_type
    if _is_pair(result):
        result = StructType.literal((result.scalar, result.scalar))
    plain = FunctionType(result, tuple(params))
    changed = plain is not function.function_type
    return plain if changed and canonical(PACKED + function.name, plain) is not None else None


def _is_pair(type: Type) -> bool:
    return isinstance(type, VectorType) and type.count == 2 and isinstance(type.element, FloatType)


def _unpack(module: Module, call: CallBase, library: Function, plain: FunctionType) -> None:
    target = module.declare_function(PACKED + (library.name or ""), plain)
    build = Builder(call.block, before=call)  # type: ignore[arg-type]
    operands: list[Value] = []
    for actual in call.args:
        if _is_pair(actual.type):
            operands += [build.extract_element(actual, 0), build.extract_element(actual, 1)]
        elif actual.type is PTR:
            number = plain.params[len(operands)]
            offset = module.datalayout.alloc_size(number)
            operands += [build.load(number, actual), build.load(number, build.offset(actual, offset))]
        else:
            operands.append(actual)
    made: Value = build.call(target, operands)
    if "dbg" in call.metadata:
        made.metadata = {"dbg": call.metadata["dbg"]}  # type: ignore[attr-defined]
    if _is_pair(call.type):
        pair: Value = ConstantToken(call.type, "zeroinitializer")
        for lane in (0, 1):
            pair = build.insert_element(pair, build.extract_value(made, lane), lane)
        made = pair
    call.replace_all_uses_with(made)
    call.erase()


def _define(function: Function, library: Function) -> None:
    """Pack the numbers, call the library, unpack its result."""
    assert function.module is not None
    layout = function.module.datalayout
    function.prefix = ("internal",)
    build = Builder(function.append_block("entry"))
    given: list[Value] = list(function.args)
    operands: list[Value] = []
    for argument in library.args:
        if _is_pair(argument.type):
            pair: Value = ConstantToken(argument.type, "zeroinitializer")
            for lane in (0, 1):
                pair = build.insert_element(pair, given.pop(0), lane)
            operands.append(pair)
        elif argument.type is PTR:
            number = given[0].type
            memory = build.alloca(StructType.literal((number, number)), align=16)
            build.store(given.pop(0), memory)
            build.store(given.pop(0), build.offset(memory, layout.alloc_size(number)))
            operands.append(memory)
        else:
            operands.append(given.pop(0))
    made = build.call(library, operands)
    assert isinstance(made, CallBase)
    made.arg_attrs = tuple(argument.attrs for argument in library.args)
    result: Value = made
    if _is_pair(made.type):
        result = ConstantToken(function.result_type, "zeroinitializer")
        for lane in (0, 1):
            result = build.insert_value(result, build.extract_element(made, lane), lane)
    build.ret(result)
