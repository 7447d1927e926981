"""Values that are integers whatever memory they meet.

Type analysis lets what memory holds and what values hold flow both ways, so that bytes which only travel as integers
are found to be numbers. Where offsets of memory cannot be told apart (a block that an allocator hands out in pieces, a
struct that is walked by a variable index), a loop counter stored beside numbers would be taken for a piece of one. This
analysis knows such values by how they are made: by arithmetic on integers alone, as members that the types of the
program declare as integers (TBAA), or by their use as indices. It looks at one function and at what its callees return.

Lattice: a set of values, greatest fixed point of "every operand is in the set"; arguments and loads are in it only for
reasons of their own.

A member declared as an integer as wide as a pointer (``uintptr_t``) holds no number, but it may hold an address. Such
members, and what is made of them as addresses are made, are kept apart: type analysis lets pointers, and nothing else,
flow through them.
"""

from __future__ import annotations

from collections.abc import Iterable

from enzyme.analysis.activity_callees import Callees
from enzyme.analysis.type_tree import INT
from enzyme.analysis.types_tbaa import TypeMetadata
from enzyme.ir.types import IntType
from enzyme.ir.values import (
    Alloca,
    Argument,
    BinaryOp,
    CallBase,
    Cast,
    Compare,
    ConstantInt,
    ConstantToken,
    ExtractValue,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Return,
    Select,
    Switch,
    Value,
)

LARGEST = 1 << 20  # constants up to this are counts and masks, not the bits of a number
_SMALL = 8  # bits below which nothing can carry a number


class Integers:
    """The integers of the functions of one module."""

    def __init__(self, metadata: TypeMetadata, callees: Callees, pointer_bits: int = 64) -> None:
        self.metadata, self.callees, self.pointer_bits = metadata, callees, pointer_bits
        self._found: dict[Function, frozenset[Value]] = {}
        self._addresses: dict[Function, frozenset[Value]] = {}
        self._open: set[Function] = set()

    def of(self, function: Function) -> frozenset[Value]:
        """The values of ``function`` (arguments, instructions) that are integers and no addresses."""
        return self._no_numbers(function) - self._addresses[function]

    def addresses(self, function: Function) -> frozenset[Value]:
        """Values of ``function`` that are integers or addresses, and no numbers."""
        self._no_numbers(function)
        return self._addresses[function]

    def _no_numbers(self, function: Function) -> frozenset[Value]:
        found = self._found.get(function)
        if found is None:
            self._open.add(function)
            found = self._found[function] = frozenset(self._solve(function))
            self._addresses[function] = frozenset(self._solve_addresses(found))
            self._open.discard(function)
        return found

    def _solve_addresses(self, found: Iterable[Value]) -> set[Value]:
        """Members of pointer width that are not used as indices, and what address arithmetic makes of them."""
        work = [v for v in found if self._is_wide(v) and self._is_address(v)]
        addresses = set(work)
        inside = set(found)
        while work:
            for user in work.pop().users:
                if user in inside and user not in addresses and self._is_wide(user) and _keeps_address(user):
                    addresses.add(user)
                    work.append(user)
        return addresses

    def _is_wide(self, value: Value) -> bool:
        return isinstance(value.type, IntType) and value.type.bits >= self.pointer_bits

    def _is_address(self, value: Value) -> bool:
        if isinstance(value, Load):
            return not _is_index(value)
        callee = self.callees.facts(value).callee if isinstance(value, CallBase) else None
        if callee is None or callee.is_declaration:
            return False
        ends = (i.operands[0] for i in callee.instructions() if isinstance(i, Return) and i.operands)
        return any(end in self.addresses(callee) for end in ends)

    def _solve(self, function: Function) -> set[Value]:
        values: list[Value] = [v for v in [*function.args, *function.instructions()] if _is_candidate(v)]
        if not values:
            return set()
        seeds: set[Value] = {v for v in values if isinstance(v, Load) and self._declared(v)}
        seeds |= {v for v in values if isinstance(v, (Argument, Load)) and _is_index(v)}
        found = set(values)
        changed = True
        while changed:
            wrong = [v for v in found if v not in seeds and not self._made_of(v, found)]
            found.difference_update(wrong)
            changed = bool(wrong)
        return found

    def _declared(self, load: Load) -> bool:
        """A member of a struct that is declared as an integer of this size."""
        tag = load.metadata.get("tbaa")
        if tag is None or not isinstance(load.type, IntType) or not self.metadata.names_member(tag):
            return False
        return any(
            at == 0 and kind == INT and size * 8 == load.type.bits for at, kind, size in self.metadata.access(tag)
        )

    def _made_of(self, value: Value, found: set[Value]) -> bool:
        match value:
            case Phi():
                return self._all((v for v, _ in value.incoming), found)
            case Select():
                return self._all(value.operands[1:], found)
            case BinaryOp():
                return all(isinstance(v, ConstantInt) or self._is(v, found) for v in value.operands)
            case Cast():
                if value.opcode in ("fptosi", "fptoui"):
                    return True
                return value.opcode in ("trunc", "zext", "sext") and self._is(value.operands[0], found)
            case CallBase():
                return self._call(value, found)
            case ExtractValue():
                whole = value.operands[0]
                name = whole.callee_name if isinstance(whole, CallBase) else None
                return bool(name) and ".with.overflow." in str(name) and self._all(whole.args, found)  # type: ignore[attr-defined]
        return isinstance(value, Instruction) and value.opcode == "freeze" and self._is(value.operands[0], found)

    def _call(self, call: CallBase, found: set[Value]) -> bool:
        facts = self.callees.facts(call)
        if facts.status == "defined" and facts.callee is not None:
            if facts.callee in self._open:
                return False
            inside = self._no_numbers(facts.callee)
            ends = [i for i in facts.callee.instructions() if isinstance(i, Return) and i.operands]
            return bool(ends) and self._all((i.operands[0] for i in ends), set(inside))
        name = call.callee_name or ""
        if name.startswith("llvm."):
            return all(isinstance(a.type, IntType) for a in call.args) and self._all(call.args, found)
        return facts.inactive

    def _all(self, values: Iterable[Value], found: set[Value]) -> bool:
        return all(self._is(v, found) for v in values)

    @staticmethod
    def _is(value: Value, found: set[Value]) -> bool:
        if isinstance(value, ConstantInt):
            return abs(value.value) <= LARGEST
        if isinstance(value, ConstantToken) or value in found:
            return True
        return isinstance(value.type, IntType) and value.type.bits < _SMALL


def _is_candidate(value: Value) -> bool:
    return isinstance(value.type, IntType) and value.type.bits >= _SMALL


def _keeps_address(user: Value) -> bool:
    """Whether an instruction makes an address of an address: by a step, a mask or a choice."""
    if isinstance(user, BinaryOp):
        return user.opcode in ("add", "sub", "and", "or", "xor")
    return isinstance(user, (Phi, Select)) or (isinstance(user, Instruction) and user.opcode == "freeze")


def _is_index(value: Value) -> bool:
    """Whether a value picks an element, a case or a size, directly or extended."""
    for user in value.users:
        match user:
            case GetElementPtr():
                if value is not user.base:
                    return True
            case Switch() | Alloca():
                return True
            case Cast(opcode="sext" | "zext"):
                if _is_index(user):
                    return True
            case Compare():
                other = user.operands[1] if user.operands[0] is value else user.operands[0]
                if user.predicate not in ("eq", "ne") and _counts(other):
                    return True
    return False


def _counts(value: Value) -> bool:
    """A loop counter: a phi that starts at a small constant and goes up or down by one."""
    if isinstance(value, BinaryOp) and value.opcode == "add" and isinstance(value.operands[0], Phi):
        value = value.operands[0]
    if not isinstance(value, Phi):
        return False
    starts = [v for v, _ in value.incoming if isinstance(v, ConstantInt)]
    steps = [
        v
        for v, _ in value.incoming
        if isinstance(v, BinaryOp) and v.operands[0] is value and isinstance(v.operands[1], ConstantInt)
    ]
    return bool(starts) and bool(steps) and len(starts) + len(steps) == len(value.incoming)
