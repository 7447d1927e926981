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
    found: set[Type] = set()
    _follow(function.args[index], found, set(), 0)
    return frozenset(found)


def _follow(value: Value, found: set[Type], seen: set[int], depth: int) -> None:
    if isinstance(value, Argument) and value.function is not None:
        _ = value.function.blocks  # reads the body, so that users are known
    for user in list(value.users):
        if id(user) in seen and not isinstance(user, CallBase):
            continue
        seen.add(id(user))
        if isinstance(user, Load):
            if user.type.is_int or user.type.is_float or user.type.is_vector:
                found.add(user.type.scalar)
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


def _follow_store(store: Store, value: Value, found: set[Type], seen: set[int], depth: int) -> None:
    if store.pointer is value:
        stored = store.value.type
        if stored.is_int or stored.is_float or stored.is_vector:
            found.add(stored.scalar)
        return
    # Unoptimised code keeps parameters in stack slots.
    slot = store.pointer
    if isinstance(slot, Instruction) and slot.opcode == "alloca":
        for user in list(slot.users):
            if isinstance(user, Load) and user.type.is_pointer and id(user) not in seen:
                seen.add(id(user))
                _follow(user, found, seen, depth)
