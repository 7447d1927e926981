"""What LLVM demands of the operand types of each instruction, as a table from opcode to rule.

A rule gives None when the instruction is well typed, else one sentence that says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable

from enzyme.ir.types import (
    I1,
    VOID,
    ArrayType,
    FloatType,
    FunctionType,
    IntType,
    PointerType,
    StructType,
    Type,
    VectorType,
)
from enzyme.ir.values import (
    CAST_OPCODES,
    FLOAT_BINARY_OPCODES,
    INT_BINARY_OPCODES,
    Alloca,
    AtomicRMW,
    Block,
    CallBase,
    Compare,
    ConstantInt,
    ConstantToken,
    ExtractValue,
    GetElementPtr,
    InsertValue,
    Instruction,
    Load,
    Store,
    Switch,
    Value,
    bool_like,
)

Rule = Callable[[Instruction], "str | None"]

INT_PREDICATES = frozenset("eq ne ugt uge ult ule sgt sge slt sle".split())
FLOAT_PREDICATES = frozenset("false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true".split())


def shape(type: Type) -> tuple[int, bool] | None:
    """Lane count of a vector, None of a scalar."""
    return (type.count, type.scalable) if isinstance(type, VectorType) else None


def _is_int(type: Type) -> bool:
    return type.scalar.is_int


def _is_float(type: Type) -> bool:
    return type.scalar.is_float


def _is_pointer(type: Type) -> bool:
    return type.scalar.is_pointer


def _arithmetic(accepts: Callable[[Type], bool], what: str) -> Rule:
    def rule(inst: Instruction) -> str | None:
        if any(operand.type is not inst.type for operand in inst.operands):
            return f"operands of type {_types(inst)} for a result of type {inst.type}"
        return None if accepts(inst.type) else f"needs {what}, not {inst.type}"

    return rule


def _types(inst: Instruction) -> str:
    return ", ".join(str(operand.type) for operand in inst.operands)


def _compare(inst: Instruction) -> str | None:
    assert isinstance(inst, Compare)
    left, right = inst.operands
    if left.type is not right.type:
        return f"compares {left.type} with {right.type}"
    if inst.type is not bool_like(left.type):
        return f"the result is {inst.type}"
    if inst.opcode == "fcmp":
        good, known = _is_float(left.type), inst.predicate in FLOAT_PREDICATES
    else:
        good, known = _is_int(left.type) or _is_pointer(left.type), inst.predicate in INT_PREDICATES
    if not good:
        return f"cannot compare {left.type}"
    return None if known else f"unknown predicate {inst.predicate!r}"


# For each cast: what it takes, what it gives, and how their widths must compare (source - target).
_CASTS: dict[str, tuple[Callable[[Type], bool], Callable[[Type], bool], str]] = {
    "trunc": (_is_int, _is_int, ">"),
    "zext": (_is_int, _is_int, "<"),
    "sext": (_is_int, _is_int, "<"),
    "fptrunc": (_is_float, _is_float, ">"),
    "fpext": (_is_float, _is_float, "<"),
    "fptoui": (_is_float, _is_int, ""),
    "fptosi": (_is_float, _is_int, ""),
    "uitofp": (_is_int, _is_float, ""),
    "sitofp": (_is_int, _is_float, ""),
    "ptrtoint": (_is_pointer, _is_int, ""),
    "ptrtoaddr": (_is_pointer, _is_int, ""),
    "inttoptr": (_is_int, _is_pointer, ""),
    "addrspacecast": (_is_pointer, _is_pointer, ""),
}


def _width(type: Type) -> int:
    scalar = type.scalar
    return scalar.bits if isinstance(scalar, (IntType, FloatType)) else 0


def _total_width(type: Type) -> int:
    return _width(type) * (type.count if isinstance(type, VectorType) else 1)


def _cast(inst: Instruction) -> str | None:
    source, target = inst.operands[0].type, inst.type
    said = f"from {source} to {target}"
    if inst.opcode == "bitcast":
        if _is_pointer(source) or _is_pointer(target):
            return None if source.scalar is target.scalar else said
        same = _total_width(source) == _total_width(target) != 0 or source.text == target.text
        return None if same or "x86_amx" in (source.text, target.text) else f"different sizes: {said}"
    takes, gives, order = _CASTS[inst.opcode]
    if not takes(source) or not gives(target) or shape(source) != shape(target):
        return said
    if inst.opcode == "addrspacecast":
        return None if source is not target else said
    if order == ">" and _width(source) <= _width(target):
        return f"does not narrow: {said}"
    if order == "<" and _width(source) >= _width(target):
        return f"does not widen: {said}"
    return None


def _select(inst: Instruction) -> str | None:
    condition, if_true, if_false = inst.operands
    if if_true.type is not inst.type or if_false.type is not inst.type:
        return f"chooses between {if_true.type} and {if_false.type} for {inst.type}"
    if condition.type is I1 or condition.type is bool_like(inst.type):
        return None
    return f"the condition is {condition.type}"


def _phi(inst: Instruction) -> str | None:
    operands = inst.operands
    if len(operands) % 2:
        return "values and blocks do not pair up"
    for value, block in zip(operands[::2], operands[1::2], strict=True):
        if not isinstance(block, Block):
            return "an incoming edge that is not a block"
        if value.type is not inst.type:
            return f"an incoming value of type {value.type} for {inst.type}"
    return None


def _alloca(inst: Instruction) -> str | None:
    assert isinstance(inst, Alloca)
    if not inst.operands[0].type.is_int:
        return f"the count is {inst.operands[0].type}"
    return None if _is_power_of_two(inst.align) else f"align {inst.align}"


def _is_power_of_two(align: int) -> bool:
    return align & (align - 1) == 0


def _load(inst: Instruction) -> str | None:
    assert isinstance(inst, Load)
    if not inst.pointer.type.is_pointer:
        return f"the address is {inst.pointer.type}"
    if inst.type is VOID or isinstance(inst.type, FunctionType):
        return f"cannot load {inst.type}"
    if not _is_power_of_two(inst.align):
        return f"align {inst.align}"
    return None if bool(inst.ordering) == ("atomic" in inst.flags) else "atomic and ordering go together"


def _store(inst: Instruction) -> str | None:
    assert isinstance(inst, Store)
    if not inst.pointer.type.is_pointer:
        return f"the address is {inst.pointer.type}"
    if inst.value.type is VOID or isinstance(inst.value, Block):
        return f"cannot store {inst.value.type}"
    if not _is_power_of_two(inst.align):
        return f"align {inst.align}"
    return None if bool(inst.ordering) == ("atomic" in inst.flags) else "atomic and ordering go together"


def _getelementptr(inst: Instruction) -> str | None:
    assert isinstance(inst, GetElementPtr)
    if not _is_pointer(inst.base.type):
        return f"the base is {inst.base.type}"
    if not _is_pointer(inst.type):
        return f"the result is {inst.type}"
    type: Type = inst.source_type
    for position, index in enumerate(inst.indices):
        if not _is_int(index.type):
            return f"an index is {index.type}"
        if position == 0:
            continue
        if isinstance(type, StructType):
            number = _constant_index(index)
            if type.elements is None or number is None or not 0 <= number < len(type.elements):
                return f"{type} has no element {getattr(index, 'text', 'that is not constant')}"
            type = type.elements[number]
        elif isinstance(type, (ArrayType, VectorType)):
            type = type.element
        else:
            return f"{type} has no elements"
    lanes = {shape(operand.type) for operand in inst.operands} - {None}
    if len(lanes) > 1 or (shape(inst.type) != next(iter(lanes), None)):
        return f"vector operands {_types(inst)} for {inst.type}"
    return None


def _constant_index(index: Value) -> int | None:
    if isinstance(index, ConstantInt):
        return index.value
    if isinstance(index, ConstantToken) and index.keyword == "zeroinitializer":
        return 0
    splat = getattr(index, "elements", None)
    return _constant_index(splat[0]) if splat else None


def _path(type: Type, indices: tuple[int, ...]) -> Type | None:
    for index in indices:
        if isinstance(type, StructType) and type.elements is not None and 0 <= index < len(type.elements):
            type = type.elements[index]
        elif isinstance(type, ArrayType) and 0 <= index < type.count:
            type = type.element
        else:
            return None
    return type


def _extractvalue(inst: Instruction) -> str | None:
    assert isinstance(inst, ExtractValue)
    found = _path(inst.operands[0].type, inst.indices)
    return None if inst.indices and found is inst.type else f"{inst.operands[0].type} has no such {inst.type}"


def _insertvalue(inst: Instruction) -> str | None:
    assert isinstance(inst, InsertValue)
    aggregate, element = inst.operands
    if aggregate.type is not inst.type:
        return f"changes {aggregate.type} to {inst.type}"
    found = _path(aggregate.type, inst.indices)
    return None if inst.indices and found is element.type else f"{aggregate.type} has no such {element.type}"


def _extractelement(inst: Instruction) -> str | None:
    vector, index = inst.operands
    good = isinstance(vector.type, VectorType) and vector.type.element is inst.type and index.type.is_int
    return None if good else f"{inst.type} from {_types(inst)}"


def _insertelement(inst: Instruction) -> str | None:
    vector, element, index = inst.operands
    good = isinstance(vector.type, VectorType) and vector.type.element is element.type and index.type.is_int
    return None if good and vector.type is inst.type else f"{inst.type} from {_types(inst)}"


def _shufflevector(inst: Instruction) -> str | None:
    first, second, mask = inst.operands
    if first.type is not second.type or not isinstance(first.type, VectorType):
        return f"shuffles {first.type} with {second.type}"
    if not isinstance(mask.type, VectorType) or mask.type.element.text != "i32":
        return f"the mask is {mask.type}"
    return (
        None
        if inst.type is VectorType(mask.type.count, first.type.element, mask.type.scalable)
        else f"gives {inst.type}"
    )


def _atomicrmw(inst: Instruction) -> str | None:
    assert isinstance(inst, AtomicRMW)
    pointer, value = inst.operands
    if not pointer.type.is_pointer or value.type is not inst.type:
        return f"{_types(inst)} for {inst.type}"
    needs_float = inst.operation.startswith("f") and inst.operation != "fence"
    return f"{inst.operation} of {value.type}" if needs_float and not _is_float(value.type) else None


def _cmpxchg(inst: Instruction) -> str | None:
    pointer, expected, new = inst.operands
    good = pointer.type.is_pointer and expected.type is new.type and (expected.type.is_int or expected.type.is_pointer)
    return None if good else _types(inst)


def _call(inst: Instruction) -> str | None:
    assert isinstance(inst, CallBase)
    type, args = inst.callee_type, inst.args
    if inst.type is not type.result:
        return f"a result of type {inst.type} from a function type {type}"
    if not isinstance(inst.callee.type, PointerType):
        return f"the callee is {inst.callee.type}"
    if len(args) != len(type.params) and not (type.vararg and len(args) >= len(type.params)):
        return f"{len(args)} arguments for {type}"
    for number, (argument, param) in enumerate(zip(args, type.params, strict=False), 1):
        if argument.type is not param:
            return f"argument {number} is {argument.type}, the callee takes {param}"
    if len(inst.arg_attrs) != len(args):
        return f"attributes of {len(inst.arg_attrs)} arguments for {len(args)}"
    return None


def _ret(inst: Instruction) -> str | None:
    function = inst.function
    if function is None:
        return None
    given = inst.operands[0].type if inst.operands else VOID
    return None if given is function.result_type else f"returns {given} from a function of {function.result_type}"


def _br(inst: Instruction) -> str | None:
    operands = inst.operands
    targets = operands if len(operands) == 1 else operands[1:]
    if len(operands) not in (1, 3) or not all(isinstance(target, Block) for target in targets):
        return "needs a block, or a condition and two blocks"
    return None if len(operands) == 1 or operands[0].type is I1 else f"the condition is {operands[0].type}"


def _switch(inst: Instruction) -> str | None:
    assert isinstance(inst, Switch)
    condition = inst.operands[0]
    if not condition.type.is_int or not isinstance(inst.operands[1], Block) or len(inst.operands) % 2:
        return "needs an integer, a default block and pairs of constant and block"
    seen: set[int] = set()
    for value, block in inst.cases:
        if not isinstance(value, ConstantInt) or value.type is not condition.type or not isinstance(block, Block):
            return f"a case that is no {condition.type} constant with a block"
        if value.value in seen:
            return f"the case {value.value} twice"
        seen.add(value.value)
    return None


def _same(inst: Instruction) -> str | None:
    return None if inst.operands[0].type is inst.type else f"{inst.operands[0].type} to {inst.type}"


RULES: dict[str, Rule] = {
    **dict.fromkeys(INT_BINARY_OPCODES, _arithmetic(_is_int, "integers")),
    **dict.fromkeys(FLOAT_BINARY_OPCODES | {"fneg"}, _arithmetic(_is_float, "floating-point values")),
    **dict.fromkeys(CAST_OPCODES, _cast),
    "icmp": _compare,
    "fcmp": _compare,
    "select": _select,
    "freeze": _same,
    "phi": _phi,
    "alloca": _alloca,
    "load": _load,
    "store": _store,
    "getelementptr": _getelementptr,
    "extractvalue": _extractvalue,
    "insertvalue": _insertvalue,
    "extractelement": _extractelement,
    "insertelement": _insertelement,
    "shufflevector": _shufflevector,
    "atomicrmw": _atomicrmw,
    "cmpxchg": _cmpxchg,
    "call": _call,
    "invoke": _call,
    "ret": _ret,
    "br": _br,
    "switch": _switch,
}
"""Opcodes that are not here (exception handling, va_arg, fence, ...) have operands the parser already fixed."""
