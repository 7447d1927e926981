"""Arrays whose address stays in the function that makes them, so that all that reads and writes them is known."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from enzyme.gradient.subject import Subject
from enzyme.ir.types import FloatType
from enzyme.ir.values import (
    Alloca,
    Block,
    CallBase,
    Compare,
    DebugRecord,
    GetElementPtr,
    Instruction,
    Load,
    Store,
)

COPIES = ("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")
_QUIET = ("llvm.lifetime.", "llvm.assume")


def homes(subject: Subject) -> Iterator[Instruction]:
    """Locals and blocks of memory, and other results that may be one, that are made once in a call."""
    for block in subject.live_blocks:
        if subject.loops.loop_of(block) is None:
            for inst in block.instructions:
                if isinstance(inst, Alloca) or (isinstance(inst, CallBase) and inst.type.is_pointer):
                    objects = subject.alias.underlying_objects(inst)
                    if all(each.kind in ("alloca", "allocation") and each.value is inst for each in objects):
                        yield inst


def touching(subject: Subject, home: Instruction, live: Collection[Block]) -> set[Instruction] | None:
    """What reads and writes an array in the ``live`` blocks, by addresses that are steps from its own; None where it
    may be touched otherwise."""
    found: set[Instruction] = set()
    work: list[Instruction] = [home]
    while work:
        pointer = work.pop()
        for user in pointer.users:
            if user.block not in live or isinstance(user, (DebugRecord, Compare)):
                continue
            if isinstance(user, GetElementPtr) and user.base is pointer and user.type.is_pointer:
                work.append(user)
            elif isinstance(user, Load) or (isinstance(user, Store) and user.value is not pointer):
                found.add(user)
            elif isinstance(user, CallBase):
                name = user.callee_name or ""
                if name.startswith(COPIES):
                    found.add(user)
                elif not name.startswith(_QUIET) and subject.freed_pointer(user) is not pointer:
                    return None
            else:
                return None
    return found


def plain_number(inst: Instruction) -> FloatType | None:
    """The type of what is loaded or stored, where that is a float or a double in an ordinary access."""
    if not isinstance(inst, (Load, Store)) or inst.flags or inst.ordering:
        return None
    type = inst.value.type if isinstance(inst, Store) else inst.type
    return type if isinstance(type, FloatType) and type.kind in ("float", "double") else None
