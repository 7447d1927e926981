"""Memory objects: what a pointer may point into, and where an object's address is given away.

``ObjectFinder.objects`` is a may-analysis: the pointer points into one of the objects named (or nowhere). ``UNKNOWN``
stands for every object there is, local ones included. Two objects are told apart by kind:

    alloca, allocation     storage made by this call of the function (allocation: malloc and everything like it)
    noalias_argument       what a ``noalias`` or ``byval`` argument points to
    argument               what any other pointer argument points to; such arguments may point to the same storage
    global                 a variable or function of the module
    loaded, call_result    what a pointer read from memory, or returned by an unknown call, points to
    null                   nothing
    unknown                anything
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from enzyme.ir.types import PointerType
from enzyme.ir.values import (
    Alloca,
    Argument,
    AtomicRMW,
    BinaryOp,
    CallBase,
    Cast,
    Compare,
    CompareExchange,
    ConstantExpr,
    ConstantInt,
    ConstantToken,
    DebugRecord,
    Freeze,
    Function,
    GetElementPtr,
    GlobalAlias,
    GlobalVariable,
    Instruction,
    Load,
    Phi,
    Return,
    Select,
    Store,
    Value,
)

IDENTIFIED = frozenset(("alloca", "allocation", "noalias_argument", "global"))
LOCAL = frozenset(("alloca", "allocation", "noalias_argument"))
ESCAPED_ONLY = frozenset(("loaded", "call_result"))  # never point to a local object that was not captured


class KnownEffect(Protocol):
    """Memory that a known callee touches; see :class:`enzyme.rules.known.MemoryEffect`."""

    @property
    def reads(self) -> tuple[int, ...]: ...
    @property
    def writes(self) -> tuple[int, ...]: ...
    @property
    def variadic(self) -> str: ...
    @property
    def errno(self) -> bool: ...
    @property
    def inaccessible(self) -> bool: ...
    @property
    def unknown(self) -> bool: ...


class KnownAllocation(Protocol):
    @property
    def stored_in(self) -> int | None: ...
    @property
    def reallocates(self) -> int | None: ...


class KnownTransfer(Protocol):
    @property
    def destination(self) -> int: ...
    @property
    def source(self) -> int | None: ...
    @property
    def length(self) -> int: ...


class Known(Protocol):
    """What is known of a library function: the shape of :class:`enzyme.rules.known.KnownCallee` that is used here."""

    @property
    def effect(self) -> KnownEffect: ...
    @property
    def allocation(self) -> KnownAllocation | None: ...
    @property
    def transfer(self) -> KnownTransfer | None: ...
    @property
    def free(self) -> int | None: ...
    @property
    def returns_argument(self) -> int | None: ...
    @property
    def captures(self) -> tuple[int, ...]: ...


KnownOf = Callable[[CallBase], "Known | None"]

ParameterCaptures = Callable[[CallBase, int], str | None]
"""For a call and argument position: "none", "return", or None when the callee may keep the address."""


@dataclass(frozen=True)
class MemoryObject:
    """An abstract object; ``value`` is the SSA value that names it (None for null and unknown)."""

    kind: str
    value: Value | None

    def __str__(self) -> str:
        name = self.value.name if self.value is not None else None
        sigil = "@" if self.kind == "global" else "%"
        return f"{self.kind} {sigil}{name}" if name else self.kind


UNKNOWN = MemoryObject("unknown", None)
NULL = MemoryObject("null", None)
UNKNOWN_SET = frozenset((UNKNOWN,))

_THROUGH = (
    "llvm.launder.invariant.group", "llvm.strip.invariant.group", "llvm.ptrmask", "llvm.ptr.annotation",
    "llvm.threadlocal.address", "llvm.preserve.array.access.index", "llvm.preserve.struct.access.index",
    "llvm.preserve.union.access.index", "llvm.ssa.copy",
)  # fmt: skip


def argument_attributes(call: CallBase, index: int) -> tuple[str, ...]:
    """Attributes of an argument: those at the call and those of the called function's parameter."""
    own = call.arg_attrs[index] if index < len(call.arg_attrs) else ()
    callee = call.callee
    if isinstance(callee, Function) and index < len(callee.args):
        return (*own, *callee.args[index].attrs)
    return own


def result_attributes(call: CallBase) -> tuple[str, ...]:
    callee = call.callee
    return (*call.result_attrs, *callee.result_attrs) if isinstance(callee, Function) else call.result_attrs


def returned_arguments(call: CallBase, known: Known | None) -> list[Value]:
    """Arguments that the call's value is, or points into."""
    if (call.callee_name or "").startswith(_THROUGH):
        return [call.args[0]]
    if known is not None and known.returns_argument is not None:
        return [call.args[known.returns_argument]]
    return [arg for i, arg in enumerate(call.args) if "returned" in argument_attributes(call, i)]


class ObjectFinder:
    """Underlying objects of the pointers of one function, remembered per pointer."""

    LIMIT = 128

    def __init__(self, known_of: KnownOf, parameter: ParameterCaptures, null_is_valid: bool = False) -> None:
        self._known_of, self._parameter = known_of, parameter
        self._null = UNKNOWN if null_is_valid else NULL
        self._cache: dict[Value, frozenset[MemoryObject]] = {}

    def objects(self, pointer: Value) -> frozenset[MemoryObject]:
        found = self._cache.get(pointer)
        if found is None:
            found = self._cache[pointer] = self._search(pointer)
        return found

    def _search(self, pointer: Value) -> frozenset[MemoryObject]:
        if not isinstance(pointer.type, PointerType):
            return UNKNOWN_SET
        found: set[MemoryObject] = set()
        seen = {pointer}
        work = [pointer]
        while work:
            for source in self._step(work.pop()):
                if source is UNKNOWN:
                    return UNKNOWN_SET
                if isinstance(source, MemoryObject):
                    found.add(source)
                elif source not in seen:
                    seen.add(source)
                    work.append(source)
            if len(seen) > self.LIMIT:
                return UNKNOWN_SET
        return frozenset(found)

    def _step(self, value: Value) -> Sequence[MemoryObject | Value]:
        """The object a value is the address of, or the values it is made from."""
        if not isinstance(value.type, PointerType):
            return (UNKNOWN,)
        if isinstance(value, GetElementPtr):
            return (value.base,)
        if isinstance(value, (Cast, Freeze)):
            return (value.operands[0] if value.opcode in ("bitcast", "addrspacecast", "freeze") else UNKNOWN,)
        if isinstance(value, Phi):
            return [v for v, _ in value.incoming]
        if isinstance(value, Select):
            return value.operands[1:]
        if isinstance(value, Alloca):
            return (MemoryObject("alloca", value),)
        if isinstance(value, Load):
            return (MemoryObject("loaded", value),)
        if isinstance(value, Argument):
            owned = value.has_attr("noalias") or value.has_attr("byval")
            return (MemoryObject("noalias_argument" if owned else "argument", value),)
        if isinstance(value, CallBase):
            return self._call(value)
        return (self._constant(value),)

    def _call(self, call: CallBase) -> Sequence[MemoryObject | Value]:
        known = self._known_of(call)
        through = returned_arguments(call, known)
        if through:
            return through[:1]
        if known is not None and known.allocation is not None and known.allocation.stored_in is None:
            return (MemoryObject("allocation", call),)
        if "noalias" in result_attributes(call):
            return (MemoryObject("allocation", call),)
        # an argument that the callee may return without keeping it is not captured: name it here
        returned = [
            arg
            for index, arg in enumerate(call.args)
            if isinstance(arg.type, PointerType) and argument_capture(call, index, known, self._parameter) == "return"
        ]
        return (MemoryObject("call_result", call), *returned)

    def _constant(self, value: Value) -> MemoryObject | Value:
        if isinstance(value, (GlobalVariable, Function)):
            return MemoryObject("global", value)
        if isinstance(value, GlobalAlias):
            replaceable = any(f" {word} " in value.entity for word in ("weak", "linkonce", "extern_weak", "ifunc"))
            return UNKNOWN if value.aliasee is None or replaceable else value.aliasee
        if isinstance(value, ConstantExpr):
            return value.args[0] if value.opcode in ("getelementptr", "bitcast", "addrspacecast") else UNKNOWN
        if isinstance(value, ConstantToken):
            if value.keyword in ("undef", "poison"):
                return NULL
            assert isinstance(value.type, PointerType)
            return self._null if value.type.addrspace == 0 else UNKNOWN
        return UNKNOWN


# --- capture ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Captures:
    """Where an object's address is given away: ``points`` are the instructions, ``reason`` tells of the first.

    ``returned``: the function returns the address (which gives it to nobody while the function runs).
    """

    points: tuple[Instruction, ...]
    returned: bool
    reason: str

    @property
    def captured(self) -> bool:
        return bool(self.points)


def attribute_captures(attributes: Iterable[str]) -> str | None:
    """What parameter attributes say: "none", "return" (only through the result), or None (nothing said)."""
    for word in attributes:
        if word == "nocapture":
            return "none"
        if word.startswith("captures("):
            inside = word[len("captures(") : -1]
            plain, returns = [], False
            for part in inside.split(","):
                name = part.strip()
                if name.startswith("ret:"):
                    returns, name = True, name[4:].strip()
                    returned_parts = [name]
                    continue
                if returns:
                    returned_parts.append(name)
                else:
                    plain.append(name)
            # an address alone, without provenance, gives no access
            harmless = {"none", "address", "address_is_null"}
            if not set(plain) <= harmless:
                return None
            return "return" if returns and not set(returned_parts) <= harmless else "none"
    return None


def find_captures(root: Value, known_of: KnownOf, parameter: ParameterCaptures, limit: int = 2000) -> Captures:
    """Follow every use of the address ``root`` within its function."""
    points: dict[Instruction, None] = {}
    returned = False
    reason = ""
    seen: set[Value] = {root}
    work: list[Value] = [root]

    def follow(value: Value) -> None:
        if value not in seen:
            seen.add(value)
            work.append(value)

    while work:
        value = work.pop()
        for user in value.users:
            if len(seen) > limit:
                points[user] = None
                return Captures(tuple(points), returned, "too many derived pointers")
            why = _use(value, user, known_of, parameter, follow)
            if why == "return":
                returned = True
            elif why:
                points[user] = None
                reason = reason or why
    return Captures(tuple(points), returned, reason)


def _use(
    value: Value, user: Instruction, known_of: KnownOf, parameter: ParameterCaptures, follow: Callable[[Value], None]
) -> str:
    """Why this use gives the address away; "" when it does not, "return" for a return."""
    if isinstance(user, (Load, DebugRecord)):
        return ""
    if isinstance(user, (GetElementPtr, Phi, Select, Freeze)):
        follow(user)
        return ""
    if isinstance(user, Cast):
        if user.opcode in ("bitcast", "addrspacecast"):
            follow(user)
            return ""
        return "" if user.opcode == "ptrtoaddr" or _is_only_compared(user) else "converted to an integer"
    if isinstance(user, Compare):
        return ""
    if isinstance(user, Store):
        return "stored in memory" if user.value is value else ""
    if isinstance(user, AtomicRMW):
        return "stored in memory" if user.operands[1] is value else ""
    if isinstance(user, CompareExchange):
        return "stored in memory" if value in user.operands[1:] else ""
    if isinstance(user, Return):
        return "return"
    if isinstance(user, CallBase):
        return _call_use(value, user, known_of, parameter, follow)
    return f"used by {user.opcode}"


def _is_only_compared(number: Cast, limit: int = 64) -> bool:
    """Whether an address that is made a number goes nowhere but, by arithmetic, into comparisons."""
    seen: set[Value] = {number}
    work: list[Value] = [number]
    while work:
        for user in work.pop().users:
            if isinstance(user, (BinaryOp, Select, Freeze, Phi)) or (isinstance(user, Cast) and user.type.is_int):
                if user not in seen:
                    seen.add(user)
                    work.append(user)
            elif not isinstance(user, (Compare, DebugRecord)):
                return False
        if len(seen) > limit:
            return False
    return True


def argument_capture(call: CallBase, index: int, known: Known | None, parameter: ParameterCaptures) -> str | None:
    """What a call does with the address in an argument: "none", "return" (it may be the result), or None (anything)."""
    name = call.callee_name or ""
    attributes = argument_attributes(call, index)
    said = attribute_captures(attributes)
    if said is not None:
        return said
    if any(a.startswith("byval") for a in attributes):
        return "none"
    if name.startswith(_THROUGH) or name in ("llvm.assume", "llvm.fake.use"):
        return "none"
    if known is not None and not known.effect.unknown and index not in known.captures:
        return "none"
    return parameter(call, index)


def _call_use(
    value: Value, call: CallBase, known_of: KnownOf, parameter: ParameterCaptures, follow: Callable[[Value], None]
) -> str:
    if call.callee is value:
        return ""
    known = known_of(call)
    name = call.callee_name or ""
    through = returned_arguments(call, known)
    for index, argument in enumerate(call.args):
        if argument is not value:
            continue  # also metadata arguments, which only describe
        if any(argument is t for t in through):
            follow(call)
        said = argument_capture(call, index, known, parameter)
        if said is None:
            return f"passed to {name or 'an unknown function'}"
        if said == "return":
            follow(call)
    return ""


def is_constant_size(value: Value) -> int | None:
    """The number of a constant length argument."""
    return value.value if isinstance(value, ConstantInt) else None
