"""Steps from the null pointer: ``(char *)0 + address``.

A step from a pointer has that pointer's shadow. Where the pointer is null and the step is an address in an integer, it
is the other way round: what is reached is what the integer is the address of. Where the pointer is null in the text,
the step becomes a pointer made of the integer. Where it may be null when the program runs and the step is made of an
address, the program chooses between the two. Where the step is an integer of unknown origin, in a program that keeps
addresses in integers, an access by way of a null pointer stops the program: memory is there, or the program itself
would have faulted, and the shadow cannot be found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from enzyme.analysis.types_analysis import TypeAnalysis
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I64, PTR, IntType
from enzyme.ir.values import (
    Alloca,
    Argument,
    BinaryOp,
    CallBase,
    Cast,
    ConstantExpr,
    ConstantInt,
    ConstantToken,
    ExtractValue,
    Freeze,
    Function,
    GetElementPtr,
    GlobalVariable,
    Instruction,
    Load,
    Phi,
    Return,
    Select,
    Store,
    Value,
    without_steps,
    zero,
)
from enzyme.rules.known import known_callee

_ADDRESS, _OTHER, _OPAQUE = "an address", "made of addresses", "of unknown origin"
_Kinds = frozenset[str]
_FIRST = ConstantExpr(PTR, "inttoptr", (ConstantInt(I64, 1 << 16),))
"""The least address that memory has: what is below it is null, and the members of an object that is not there."""
_PLAIN: _Kinds = frozenset()
_ALIGNMENTS = 1 << 16
"""Masks below this one leave of an address how it is aligned, or where in a page it is."""


def steps_from_null(module: Module) -> None:
    """A step from the null pointer by an address in an integer is a pointer made of that integer."""
    wide = IntType(module.datalayout.pointer_bits())
    kinds = _KindsOfIntegers()
    for step in list(_steps(module)):
        start = _constant(step.base)
        if start is None or isinstance(step.indices[0], ConstantInt):
            continue
        elements = module.datalayout.alloc_size(step.source_type) > 1 or _counts_bytes(step.indices[0], kinds)
        if elements and not kinds.of(step.indices[0]) & {_ADDRESS, _OTHER}:
            continue  # so many elements behind null, which are none: the end of an empty range
        build = Builder(step.block, before=step)  # type: ignore[arg-type]
        bytes = _bytes(module, build, step)
        made = build.cast("inttoptr", build.add(bytes, ConstantInt(wide, start)) if start else bytes, PTR)
        _replace(step, made)


def steps_that_may_be(module: Module, insist: Callable[[], Function]) -> None:
    """The same where only the running program knows whether the pointer is null; ``insist`` gives the function that
    stops it. Called when all integers that calls pass on as addresses are pointers."""
    kinds = _KindsOfIntegers()
    keeps = None
    types: TypeAnalysis | None = None
    for step in list(_steps(module)):
        index = step.indices[0]
        if _is_somewhere(step.base):
            continue
        found = kinds.of(index)
        if not found:
            continue
        if _OPAQUE in found and keeps is None:
            keeps = _keeps_addresses(module, kinds)
            types = TypeAnalysis(module, known_callee) if keeps else None
        if _ADDRESS not in found and types is not None and _OPAQUE in found and step.function is not None:
            if types.analyze(step.function).value_is_pointer(index):
                found = frozenset((_ADDRESS,))
        if _ADDRESS in found and module.datalayout.alloc_size(step.source_type) == 1:
            _choose(module, step)
        elif found & {_ADDRESS, _OTHER} or keeps:  # so many elements as an address has bytes lead nowhere
            _insist(step, insist)


def _steps(module: Module) -> Iterator[GetElementPtr]:
    wide = IntType(module.datalayout.pointer_bits())
    for function in list(module.functions.values()):
        for inst in function.instructions():
            if isinstance(inst, GetElementPtr) and inst.type is PTR and len(inst.indices) == 1:
                if inst.indices[0].type is wide:
                    yield inst


def _constant(base: Value) -> int | None:
    """The address that a pointer is in the text of the program."""
    if isinstance(base, ConstantToken) and base.keyword == "null":
        return 0
    if isinstance(base, ConstantExpr) and base.opcode == "inttoptr" and isinstance(base.args[0], ConstantInt):
        return base.args[0].value
    return None


def _is_somewhere(base: Value) -> bool:
    """Whether a pointer leads to an object, by what it is."""
    return isinstance(without_steps(base), (Alloca, GlobalVariable, Function))


def _counts_bytes(index: Value, kinds: _KindsOfIntegers) -> bool:
    """Whether an index in bytes is a number of elements times their size, or the distance of two pointers."""
    return isinstance(index, BinaryOp) and index.opcode in ("shl", "mul", "sub") and not kinds.of(index)


def _bytes(module: Module, build: Builder, step: GetElementPtr) -> Value:
    index, size = step.indices[0], module.datalayout.alloc_size(step.source_type)
    return index if size == 1 else build.mul(index, ConstantInt(index.type, size))


def _replace(step: GetElementPtr, made: Value) -> None:
    made.name = step.name
    step.replace_all_uses_with(made)
    step.erase()


def _choose(module: Module, step: GetElementPtr) -> None:
    block = step.block
    assert block is not None
    build = Builder(block, before=block.instructions[block.position(step) + 1])
    users = list(step.users)
    other = build.cast("inttoptr", _bytes(module, build, step), PTR)
    chosen = build.select(build.icmp("eq", step.base, ConstantToken(PTR, "null")), other, step)
    for user in users:
        user.replace_operand(step, chosen)


def _insist(step: GetElementPtr, insist: Callable[[], Function]) -> None:
    for user in _accesses(step):
        build = Builder(user.block, before=user)  # type: ignore[arg-type]
        # Compared here: as an argument of the one function, all such pointers would have one memory, to type analysis.
        # A step of nothing from null is how the end of an empty range is found.
        index = step.indices[0]
        moved = build.icmp("ne", index, zero(index.type))
        call = build.call(insist(), [build.and_(moved, build.icmp("ult", step.base, _FIRST))])
        call.metadata = {k: v for k, v in user.metadata.items() if k == "dbg"}


def _accesses(step: GetElementPtr) -> list[Instruction]:
    """Where memory is read or written by way of ``step``, or where it is passed on to be."""
    found: list[Instruction] = []
    work = [step]
    while work:
        pointer = work.pop()
        for user in pointer.users:
            if isinstance(user, GetElementPtr):
                work.append(user)
            elif isinstance(user, (Load, Store, CallBase)) and user not in found:
                found.append(user)
    return found


class _KindsOfIntegers:
    """What integers of pointer width are made of: nothing for numbers and for distances between addresses."""

    def __init__(self) -> None:
        self._known: dict[Value, _Kinds] = {}

    def of(self, value: Value) -> _Kinds:
        found = self._known.get(value)
        if found is None:
            self._known[value] = _PLAIN  # in a circle, what comes in from outside decides
            found = self._known[value] = self._find(value)
        return found

    def _find(self, value: Value) -> _Kinds:
        match value:
            case ConstantExpr() if value.opcode == "ptrtoint":
                return frozenset((_ADDRESS,))
            case Cast():
                return frozenset((_ADDRESS,)) if value.opcode == "ptrtoint" else _PLAIN
            case Argument() | Load() | CallBase() | ExtractValue():
                return frozenset((_OPAQUE,))
            case Phi():
                return self._any([v for v, _ in value.incoming])
            case Select():
                return self._any(value.operands[1:])
            case Freeze():
                return self.of(value.operands[0])
            case BinaryOp():
                return self._arithmetic(value)
        return _PLAIN

    def _any(self, values: list[Value] | tuple[Value, ...]) -> _Kinds:
        return frozenset().union(*(self.of(v) for v in values))

    def _arithmetic(self, value: BinaryOp) -> _Kinds:
        left, right = value.operands
        first, second = self.of(left), self.of(right)
        if value.opcode in ("add", "or", "xor"):
            return first | second
        if value.opcode == "sub":
            return first - second if _ADDRESS in second else first
        if value.opcode == "and":
            small = isinstance(right, ConstantInt) and 0 <= right.value < _ALIGNMENTS
            return _PLAIN if small else first if isinstance(right, ConstantInt) else (first | second) - {_ADDRESS}
        made = frozenset((_OTHER,)) if _ADDRESS in first or _OTHER in first else _PLAIN
        return made if value.opcode in ("shl", "lshr", "ashr", "mul") else _PLAIN


def _keeps_addresses(module: Module, kinds: _KindsOfIntegers) -> bool:
    """Whether addresses are stored, returned or passed on as integers."""
    for function in module.functions.values():
        for inst in function.instructions():
            values: tuple[Value, ...] = ()
            if isinstance(inst, Store):
                values = (inst.value,)
            elif isinstance(inst, (CallBase, Return)):
                values = tuple(inst.operands)
            for value in values:
                if isinstance(value.type, IntType) and kinds.of(value) & {_ADDRESS, _OTHER}:
                    return True
    return False
