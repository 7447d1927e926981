"""What one call may do to memory and to derivatives, from three sources put into one form.

Sources: the definition (then a summary of it is used and nothing here matters), an injected table of known functions,
and LLVM's own attributes of the call and of the callee. The table lives in a higher layer, so it comes as a callable
``known(name, function_type)`` whose answers have the attributes of :class:`KnownFacts`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from enzyme.analysis.dispatched import is_rest
from enzyme.analysis.points_to_objects import has_pointer
from enzyme.ir.module import Module
from enzyme.ir.types import FunctionType, Type
from enzyme.ir.values import CallBase, Function, GlobalAlias, Value


class KnownFacts(Protocol):
    """The part of ``enzyme.rules.known.KnownCallee`` that the analyses read."""

    @property
    def inactive(self) -> bool: ...
    @property
    def effect(self) -> Any: ...
    @property
    def math(self) -> Any: ...
    @property
    def allocation(self) -> Any: ...
    @property
    def free(self) -> int | None: ...
    @property
    def transfer(self) -> Any: ...
    @property
    def returns_argument(self) -> int | None: ...
    @property
    def self_contained(self) -> bool: ...
    @property
    def captures(self) -> tuple[int, ...]: ...
    @property
    def text(self) -> bool: ...
    @property
    def own(self) -> int: ...
    @property
    def states(self) -> Type | None: ...
    @property
    def integers(self) -> tuple[int, ...]: ...
    def texts(self, name: str) -> tuple[Any, ...]: ...


INACTIVE = '"enzyme_inactive"'
CUSTOM = '"enzyme_custom"'
"""Attributes of functions: declared inactive by the program; with a derivative of the program's own."""

OPAQUE = "enzyme.opaque."
"""Stands in front of the name where a function with a derivative of the program's own has no body: it works on the
memory it is given, and stores no pointers."""

KnownTable = Callable[[str, FunctionType], KnownFacts | None]


@dataclass(frozen=True)
class Transfer:
    """A block copy or fill; positions of arguments (``source`` None for fills)."""

    kind: str
    destination: int
    source: int | None
    length: int


@dataclass(frozen=True)
class CallFacts:
    """``reads``, ``writes``, ``captures``: argument positions whose objects the callee may read, write or keep.

    ``reads_other`` and ``writes_other``: memory that no argument leads to (globals). ``status``: "defined" (a summary
    must be used instead of the rest), "known" (the table or an intrinsic), "unknown". ``ignored``: the program declares
    the function inactive, whatever it does. ``text``: it works on the strings in the memory it is given and on nothing
    else there, and what it returns leads to characters. ``texts``: where it makes text of numbers or numbers of text.
    ``own``: bytes of the object behind its first argument, which holds no numbers; it works on nothing else.
    ``states``: the type of what its first argument points to; it does nothing else. ``integers``: arguments that point
    to a C ``int`` which it writes.
    """

    status: Literal["defined", "known", "unknown"]
    callee: Function | None
    inactive: bool = False
    math: bool = False
    reads: frozenset[int] = frozenset()
    writes: frozenset[int] = frozenset()
    captures: frozenset[int] = frozenset()
    reads_other: bool = False
    writes_other: bool = False
    fresh: bool = False
    fresh_stored_in: int | None = None
    reallocates: int | None = None
    free: int | None = None
    transfer: Transfer | None = None
    returns_argument: int | None = None
    ignored: bool = False
    text: bool = False
    own: int = 0
    states: Type | None = None
    texts: tuple[Any, ...] = ()
    integers: tuple[int, ...] = ()


BLOCK_SIZE = "enzyme.rt.usable"
"""What derivatives ask for the size of a block: the allocator's answer, which derivatives of them meet again."""


def resolve_callee(callee: Value) -> Function | None:
    """The function a callee operand names, through aliases of plain functions."""
    while isinstance(callee, GlobalAlias) and callee.aliasee is not None:
        callee = callee.aliasee
    return callee if isinstance(callee, Function) else None


class Callees:
    """Facts of calls in one module, memoised by call."""

    def __init__(self, module: Module | None, known: KnownTable | None = None) -> None:
        self.module = module
        self.known = known
        self._facts: dict[CallBase, CallFacts] = {}

    def facts(self, call: CallBase) -> CallFacts:
        found = self._facts.get(call)
        if found is None:
            found = self._facts[call] = self._make(call)
        return found

    def attributes(self, call: CallBase) -> frozenset[str]:
        """Function attributes that hold at the call: its own and its callee's, groups resolved."""
        words = frozenset(call.attrs)
        callee = resolve_callee(call.callee)
        if self.module is not None:
            words = words | self.module.fn_attributes(call)
            if callee is not None:
                words = words | self.module.fn_attributes(callee)
        return words

    def _make(self, call: CallBase) -> CallFacts:
        if is_rest(call):
            touched = frozenset(i for i, a in enumerate(call.args) if has_pointer(a.type))
            return CallFacts("known", None, reads=touched, writes=touched, fresh=has_pointer(call.type))
        callee = resolve_callee(call.callee)
        ignored = INACTIVE in self.attributes(call)
        if callee is not None and callee.name == BLOCK_SIZE:
            return CallFacts("known", callee, inactive=True, reads=frozenset({0}))
        if callee is not None and not callee.is_declaration and not (ignored and self._touches_nothing(call)):
            return CallFacts("defined", callee, inactive=ignored, ignored=ignored)
        if ignored:
            return replace(self._from_attributes(call, callee), inactive=True, ignored=True)
        if callee is not None and callee.name:
            known = self.known(callee.name, call.callee_type) if self.known is not None else None
            if known is not None:
                return _from_table(call, callee, known)
            builtin = _builtin(callee)
            if builtin is not None:
                return builtin
        return self._from_attributes(call, callee)

    def _touches_nothing(self, call: CallBase) -> bool:
        """Its attributes say so. What it calls may not: of what asks the system for pages, a block seems to escape."""
        return memory_effects(self.attributes(call)) == ("", "")

    def _from_attributes(self, call: CallBase, callee: Function | None) -> CallFacts:
        words = self.attributes(call)
        argument_effect, other_effect = memory_effects(words)
        reads, writes, captures = set(), set(), set()
        pure_result = "noalias" in call.result_attrs or (callee is not None and "noalias" in callee.result_attrs)
        for index, argument in enumerate(call.args):
            if not has_pointer(argument.type):
                continue
            marks = set(call.arg_attrs[index]) if index < len(call.arg_attrs) else set()
            if callee is not None and index < len(callee.args):
                marks |= set(callee.args[index].attrs)
            if "r" in argument_effect and not marks & {"readnone", "writeonly"}:
                reads.add(index)
            if "w" in argument_effect and not marks & {"readnone", "readonly"}:
                writes.add(index)
            if not marks & {"nocapture", "captures(none)"}:
                captures.add(index)
        if "w" not in other_effect and "w" not in argument_effect:
            captures = set()  # kept at most in the result
        return CallFacts(
            "unknown",
            callee,
            reads=frozenset(reads),
            writes=frozenset(writes),
            captures=frozenset(captures),
            reads_other="r" in other_effect,
            writes_other="w" in other_effect,
            fresh=pure_result,
        )


def _from_table(call: CallBase, callee: Function, known: KnownFacts) -> CallFacts:
    effect = known.effect
    pointers = [i for i, a in enumerate(call.args) if has_pointer(a.type)]
    fixed = len(call.callee_type.params)
    reads, writes = set(effect.reads), set(effect.writes)
    for index in pointers:
        if index >= fixed:
            if "r" in effect.variadic:
                reads.add(index)
            if "w" in effect.variadic:
                writes.add(index)
    if effect.unknown:
        reads.update(pointers)
        writes.update(pointers)
    transfer = known.transfer
    allocation = known.allocation
    return CallFacts(
        "known",
        callee,
        inactive=known.inactive,
        math=known.math is not None,
        reads=frozenset(reads),
        writes=frozenset(writes),
        captures=frozenset(known.captures),
        reads_other=effect.unknown and not known.self_contained,
        writes_other=effect.unknown and not known.self_contained,
        fresh=allocation is not None and allocation.stored_in is None,
        fresh_stored_in=allocation.stored_in if allocation is not None else None,
        reallocates=allocation.reallocates if allocation is not None else None,
        free=known.free,
        transfer=Transfer(transfer.kind, transfer.destination, transfer.source, transfer.length)
        if transfer is not None
        else None,
        returns_argument=known.returns_argument,
        text=known.text,
        own=known.own,
        states=known.states,
        texts=known.texts(callee.name or ""),
        integers=known.integers,
    )


_INERT = re.compile(
    r"llvm\.(dbg|lifetime|assume|sideeffect|donothing|invariant|experimental\.noalias|pseudoprobe|var\.annotation)"
)


def _builtin(callee: Function) -> CallFacts | None:
    """The few intrinsics that the analyses understand without any table."""
    name = callee.name or ""
    if name.startswith(("llvm.memcpy", "llvm.memmove")):
        kind = "copy" if name.startswith("llvm.memcpy") else "move"
        return CallFacts("known", callee, reads=frozenset({1}), writes=frozenset({0}), transfer=Transfer(kind, 0, 1, 2))
    if name.startswith("llvm.memset"):
        return CallFacts("known", callee, writes=frozenset({0}), transfer=Transfer("set", 0, None, 2))
    return CallFacts("known", callee, inactive=True) if _INERT.match(name) else None


def memory_effects(words: frozenset[str]) -> tuple[str, str]:
    """(effect on argument memory, effect on other memory) as "", "r", "w" or "rw", from function attributes.

    Call and callee may each carry a ``memory(...)``; both hold, so their meet is taken. Memory that the program cannot
    reach (``inaccessiblemem``) and errno do not count.
    """
    argument, other = "rw", "rw"
    for word in words:
        parts = _memory_parts(word)
        if parts is not None:
            argument = "".join(c for c in argument if c in parts[0])
            other = "".join(c for c in other if c in parts[1])
    return argument, other


_ACCESS = {"none": "", "read": "r", "write": "w", "readwrite": "rw"}


def _memory_parts(word: str) -> tuple[str, str] | None:
    if word == "readnone":
        return "", ""
    if word == "readonly":
        return "r", "r"
    if not word.startswith("memory(") or not word.endswith(")"):
        return None
    argument = other = ""
    for part in word[len("memory(") : -1].split(","):
        place, colon, access = part.strip().partition(":")
        if not colon:
            argument = other = _ACCESS.get(place, "rw")
        elif place == "argmem":
            argument = _ACCESS.get(access.strip(), "rw")
        elif place not in ("inaccessiblemem", "errnomem", "target_mem0", "target_mem1"):
            other = _ACCESS.get(access.strip(), "rw")
    return argument, other
