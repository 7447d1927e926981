"""Addresses that meet as integers meet as pointers.

An optimiser that takes a struct apart which was copied by words leaves its pointers as integers: where ways meet, and
from one iteration to the next, the pointer of a ``Vec`` in Rust is a number that is made of an address, and that an
address is made of again. Which memory that is, and that two vectors are swapped in each step, nobody sees any more. A
group of such phis and selects becomes one of pointers, where all that comes into it is an address, loaded as a word, or
a constant, and something of it is taken for an address. What else is done to the integers is done to the pointers'. A
loaded word may be a number's bits in another case: then it is put somewhere as a word, and stays one.
"""

from __future__ import annotations

import re

from enzyme.gradient.jumps import read_prepared
from enzyme.gradient.sums import is_simple_access
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.printer import print_module
from enzyme.ir.types import PTR, IntType
from enzyme.ir.values import (
    Cast,
    Compare,
    Constant,
    ConstantExpr,
    ConstantInt,
    ConstantToken,
    Function,
    Instruction,
    Load,
    Phi,
    Select,
    Value,
)

_MAY_BE = re.compile(r"= (?:phi|select i1 [^,\n]*,) i(?:64|32)\b")


def with_pointer_phis(text: str) -> str:
    """Prepared functions with pointers in place of such integers."""
    if " = inttoptr " not in text or _MAY_BE.search(text) is None:
        return text
    module = read_prepared(text)
    return print_module(module) if as_pointers(module) else text


def as_pointers(module: Module) -> bool:
    """Rewrite every function; whether there was one to rewrite."""
    word = IntType(module.datalayout.pointer_bits())
    rewritten = [_rewrite(each, word) for each in module.functions.values() if not each.is_declaration]
    return any(rewritten)


def _rewrite(function: Function, word: IntType) -> bool:
    seen: set[Value] = set()
    changed = False
    casts = [each for each in function.instructions() if isinstance(each, Cast) and each.opcode == "inttoptr"]
    for start in dict.fromkeys(cast.operands[0] for cast in casts if cast.type is PTR):
        if start.type is not word or start in seen or not isinstance(start, (Phi, Select)):
            continue
        group = _group(start)
        seen.update(group)
        if _comes_of_addresses(group):
            _convert(group)
            changed = True
    return changed


def _values(member: Instruction) -> list[Value]:
    return [value for value, _ in member.incoming] if isinstance(member, Phi) else list(member.operands[1:])


def _group(start: Instruction) -> dict[Instruction, None]:
    """The phis and selects that an integer is handed on through, in both directions, in the order they are met."""
    group: dict[Instruction, None] = {}
    work = [start]
    while work:
        member = work.pop()
        if member in group:
            continue
        group[member] = None
        beside = [*_values(member), *(user for user in member.users if member in _handed(user))]
        work += [each for each in beside if isinstance(each, (Phi, Select))]
    return group


def _handed(user: Instruction) -> list[Value]:
    return _values(user) if isinstance(user, (Phi, Select)) else []


def _comes_of_addresses(group: dict[Instruction, None]) -> bool:
    """Whether all that comes into a group is a pointer, and some of it is known to be one."""
    coming = [value for member in group for value in _values(member) if value not in group]
    words = [value for value in coming if not isinstance(value, Constant) and not _is_address(value)]
    users = [user for member in group for user in member.users if user not in group] if words else []
    return any(map(_is_address, coming)) and all(map(_is_word, words)) and all(map(_takes_address, users))


def _is_address(value: Value) -> bool:
    """Whether an integer is made of a pointer."""
    if isinstance(value, ConstantExpr):
        return value.opcode == "ptrtoint" and value.args[0].type is PTR
    return isinstance(value, Cast) and value.opcode == "ptrtoint" and value.operands[0].type is PTR


def _is_word(value: Value) -> bool:
    return isinstance(value, Load) and is_simple_access(value)


def _takes_address(user: Value) -> bool:
    return isinstance(user, Compare) or (isinstance(user, Cast) and user.opcode == "inttoptr")


def _convert(group: dict[Instruction, None]) -> None:
    made: dict[Value, Value] = {}
    for member in group:
        assert member.block is not None
        if isinstance(member, Phi):
            made[member] = Builder(member.block, before=member).phi(PTR, name=_name(member))
        else:
            none = ConstantToken(PTR, "null")
            made[member] = Builder(member.block, before=member).select(member.operands[0], none, none)
    for member in group:
        values = [made[each] if each in made else _pointer(each) for each in _values(member)]
        pointer = made[member]
        if isinstance(member, Phi) and isinstance(pointer, Phi):
            for value, (_, source) in zip(values, member.incoming, strict=True):
                pointer.add_incoming(value, source)
        else:
            assert isinstance(pointer, Instruction)
            for at, value in enumerate(values, 1):
                pointer.set_operand(at, value)
    for member in group:
        for cast in list(member.users):
            if isinstance(cast, Cast) and cast.opcode == "inttoptr" and cast.type is PTR:
                cast.replace_all_uses_with(made[member])
                cast.erase()
    for member in group:
        if all(user in group for user in member.users):
            continue
        assert member.block is not None
        first = next(each for each in member.block.instructions if not isinstance(each, Phi))
        build = Builder(member.block, before=first if isinstance(member, Phi) else member)
        bits = build.cast("ptrtoint", made[member], member.type)
        for user in list(member.users):
            if user not in group:
                for at, operand in enumerate(user.operands):
                    if operand is member:
                        user.set_operand(at, bits)
    words = {value: None for member in group for value in _values(member) if isinstance(value, Load)}
    for member in group:
        member.drop_operands()
    for member in group:
        assert member.block is not None
        member.erase()
    for word in words:
        if not word.users:
            word.erase()


def _name(member: Instruction) -> str | None:
    return f"{member.name}.at" if member.name else None


def _pointer(value: Value) -> Value:
    """What comes into a group, as a pointer."""
    if isinstance(value, Cast):
        return value.operands[0]
    if isinstance(value, Load):
        return Builder(value.block, before=value).load(PTR, value.pointer, value.align)  # type: ignore[arg-type]
    if isinstance(value, ConstantToken):
        return ConstantToken(PTR, value.keyword)
    if isinstance(value, ConstantExpr) and _is_address(value):
        return value.args[0]
    assert isinstance(value, Constant)
    if isinstance(value, ConstantInt) and not value.value:
        return ConstantToken(PTR, "null")
    return ConstantExpr(PTR, "inttoptr", (value,))
