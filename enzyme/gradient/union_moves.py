"""Words that are kept as doubles and are not numbers only are kept as integers.

Where a program takes a union for a number, LLVM keeps all of it in doubles, pointers too: ``bitcast i64 %word to
double``, a choice between that and others, and back; or it loads a double and makes a pointer of its bits, takes them
for an integer, or moves it to a place of the stack where pointers are loaded. Addresses are followed through integers,
not through numbers.
"""

from __future__ import annotations

from collections.abc import Container

from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import DOUBLE, I64, Type
from enzyme.ir.values import Alloca, Cast, Freeze, Instruction, Load, Phi, Select, Store, Value


def words_as_integers(module: Module) -> None:
    """Rewrite every such way in the module."""
    for function in list(module.functions.values()):
        if function.is_declaration:
            continue
        made: dict[Value, Value] = {}
        loads = [inst for inst in function.instructions() if isinstance(inst, Load)]
        addresses = {load.pointer for load in loads if load.type.is_pointer and isinstance(load.pointer, Alloca)}
        for load in loads:
            if load.type is DOUBLE and _may_be_no_number(load, addresses):
                _load_integer(load)
        for inst in list(function.instructions()):
            if isinstance(inst, Cast) and _is_cast(inst, I64, DOUBLE) and _comes_from_integer(inst.operands[0]):
                inst.replace_all_uses_with(_integer(inst.operands[0], inst, made))
                inst.erase()


def _is_cast(value: Value, to: Type, source: Type) -> bool:
    if not isinstance(value, Cast) or value.opcode != "bitcast":
        return False
    return value.type is to and value.operands[0].type is source


def _may_be_no_number(load: Load, addresses: Container[Value]) -> bool:
    """Whether a loaded double becomes a pointer, or its bits a number as an integer does, or is moved to one of the
    places of the stack that ``addresses`` are loaded from."""
    seen: set[Value] = set()
    work: list[Value] = [load]
    while work:
        value = work.pop()
        for user in value.users:
            if isinstance(user, Cast) and user.opcode in ("inttoptr", "sitofp", "uitofp"):
                return True
            if isinstance(user, Store) and user.value is value and user.pointer in addresses:
                return True
            passed = isinstance(user, (Phi, Select, Freeze)) or _is_cast(user, I64, DOUBLE)
            if passed and user not in seen:
                seen.add(user)
                work.append(user)
    return False


def _load_integer(load: Load) -> None:
    """Load an integer instead; what is computed, and what is moved with numbers, is made of it."""
    assert load.block is not None
    build = Builder(load.block, before=load)
    word = load.clone()
    word.type = I64
    build.insert(word)
    for user in list(load.users):
        if isinstance(user, Store) and user.value is load:
            user.set_operand(0, word)
        elif _is_cast(user, I64, DOUBLE):
            user.replace_all_uses_with(word)
            user.erase()
    if load.users:
        load.replace_all_uses_with(build.bitcast(word, DOUBLE))
    load.erase()


def _comes_from_integer(number: Value) -> bool:
    seen: set[Value] = set()
    work = [number]
    while work:
        value = work.pop()
        if _is_cast(value, DOUBLE, I64):
            return True
        if value not in seen and isinstance(value, (Phi, Select, Freeze)):
            seen.add(value)
            work += value.operands
    return False


def _integer(number: Value, before: Instruction, made: dict[Value, Value]) -> Value:
    """The bits of a number, in front of ``before``."""
    if isinstance(number, Cast) and _is_cast(number, DOUBLE, I64):
        return number.operands[0]
    found = made.get(number)
    if found is not None:
        return found
    assert before.block is not None
    if isinstance(number, Phi):
        assert number.block is not None
        phi = made[number] = Phi(I64, (), name=number.name)
        number.block.insert(number.block.instructions.index(number), phi)
        for incoming, source in number.incoming:
            assert source.terminator is not None
            phi.add_incoming(_integer(incoming, source.terminator, made), source)
        return phi
    if isinstance(number, (Select, Freeze)):
        assert number.block is not None
        build = Builder(number.block, before=number)
        if isinstance(number, Freeze):
            made[number] = build.insert(Freeze(_integer(number.operands[0], number, made)))
        else:
            condition, left, right = number.operands
            whole = [_integer(operand, number, made) for operand in (left, right)]
            made[number] = build.select(condition, whole[0], whole[1])
        return made[number]
    return Builder(before.block, before=before).bitcast(number, I64)
