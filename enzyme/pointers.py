"""What a function's pointer parameters point to, as far as its loads and stores tell.

Used to check the element types of arrays before a call: a float array handed to code that reads doubles gives wrong
numbers without a word. The answer is a set of types seen; an empty set means nothing is known.
"""

from __future__ import annotations

from enzyme.ir.types import Type
from enzyme.ir.values import Argument, CallBase, Function, Instruction, Load, Store, Value

_THROUGH = frozenset(("getelementptr", "phi", "select", "bitcast", "freeze", "addrspacecast"))
_DEPTH = 6


def pointer_elements(function: Function, index: int) -> frozenset[Type]:
    """Types of the loads and stores through parameter ``index``, followed into callees."""
    return frozenset(each for each in _accessed(function, index) if not each.is_pointer)


def points_to_pointers(function: Function, index: int) -> bool:
    """Whether a load or store of a pointer goes through parameter ``index``."""
    return any(each.is_pointer for each in _accessed(function, index))


def _accessed(function: Function, index: int) -> set[Type]:
    found: set[Type] = set()
    _follow(function.args[index], found, set(), 0)
    return found


def _follow(value: Value, found: set[Type], seen: set[int], depth: int) -> None:
    if isinstance(value, Argument) and value.function is not None:
        _ = value.function.blocks  # reads the body, so that users are known
    for user in list(value.users):
        if id(user) in seen and not isinstance(user, CallBase):
            continue
        seen.add(id(user))
        if isinstance(user, Load):
            _note(user.type, found)
        elif isinstance(user, Store):
            _follow_store(user, value, found, seen, depth)
        elif isinstance(user, CallBase):
            callee = user.callee
            if isinstance(callee, Function) and not callee.is_declaration and depth < _DEPTH:
                for position, operand in enumerate(user.args):
                    if operand is value and position < len(callee.args):
                        argument = callee.args[position]
                        if id(argument) not in seen:
                            seen.add(id(argument))
                            _follow(argument, found, seen, depth + 1)
        elif isinstance(user, Instruction) and user.opcode in _THROUGH:
            _follow(user, found, seen, depth)


def _note(type: Type, found: set[Type]) -> None:
    if type.is_int or type.is_float or type.is_pointer or type.is_vector:
        found.add(type.scalar)


def _follow_store(store: Store, value: Value, found: set[Type], seen: set[int], depth: int) -> None:
    if store.pointer is value:
        _note(store.value.type, found)
        return
    # Unoptimised code keeps parameters in stack slots.
    slot = store.pointer
    if isinstance(slot, Instruction) and slot.opcode == "alloca":
        for user in list(slot.users):
            if isinstance(user, Load) and user.type.is_pointer and id(user) not in seen:
                seen.add(id(user))
                _follow(user, found, seen, depth)


def only_read(function: Function, index: int) -> bool:
    """Whether it is certain that nothing is written through parameter ``index``, followed into callees."""
    return _only_read(function.args[index], set(), 0)


def _only_read(value: Value, seen: set[int], depth: int) -> bool:
    if isinstance(value, Argument):
        if any(word in ("readonly", "readnone") for word in value.attrs):
            return True
        if value.function is not None:
            _ = value.function.blocks
    for user in list(value.users):
        if isinstance(user, CallBase):
            if not _call_only_reads(user, value, seen, depth):
                return False
            continue
        if id(user) in seen:
            continue
        seen.add(id(user))
        if isinstance(user, Load) or (isinstance(user, Instruction) and user.opcode == "icmp"):
            continue
        if isinstance(user, Store):
            if user.pointer is value or not _slot_only_read(user, seen, depth):
                return False
        elif not isinstance(user, Instruction) or user.opcode not in _THROUGH or not _only_read(user, seen, depth):
            return False
    return True


def _call_only_reads(call: CallBase, value: Value, seen: set[int], depth: int) -> bool:
    callee = call.callee
    if callee is value or not isinstance(callee, Function):
        return False
    for position, operand in enumerate(call.args):
        if operand is not value:
            continue
        if callee.name is not None and callee.name.startswith("llvm.mem"):
            if position == 0:
                return False
        elif position >= len(callee.args):
            return False
        elif callee.is_declaration:
            if not any(word in ("readonly", "readnone") for word in callee.args[position].attrs):
                return False
        elif id(callee.args[position]) not in seen:
            seen.add(id(callee.args[position]))
            if depth >= _DEPTH or not _only_read(callee.args[position], seen, depth + 1):
                return False
    return True


def _slot_only_read(store: Store, seen: set[int], depth: int) -> bool:
    """A pointer kept in a stack slot of unoptimised code, which nothing but loads and stores touch."""
    slot = store.pointer
    if not isinstance(slot, Instruction) or slot.opcode != "alloca":
        return False
    for user in list(slot.users):
        if isinstance(user, Load):
            if id(user) not in seen:
                seen.add(id(user))
                if not _only_read(user, seen, depth):
                    return False
        elif not (isinstance(user, Store) and user.pointer is slot):
            return False
    return True
