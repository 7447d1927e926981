"""Pointers that a global held before the derivative began have no shadows: going through one stops the program.

What is looked at is the pointer that is followed: a load that is followed itself, and where two ways meet, the pointer
that was chosen. A buffer that is too small is loaded, too, and then replaced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from enzyme.gradient.primal import builder_after, first_builder
from enzyme.ir.builder import Builder
from enzyme.ir.values import (
    AtomicRMW,
    CallBase,
    Cast,
    CompareExchange,
    ExtractElement,
    ExtractValue,
    Freeze,
    GetElementPtr,
    InsertElement,
    InsertValue,
    Instruction,
    Load,
    Phi,
    Return,
    Select,
    ShuffleVector,
    Store,
    Value,
)
from enzyme.rules.known import known_callee

if TYPE_CHECKING:
    from enzyme.gradient.shadows import Shadows

STRUCTURAL = (
    GetElementPtr,
    Select,
    Freeze,
    Cast,
    ExtractValue,
    InsertValue,
    ExtractElement,
    InsertElement,
    ShuffleVector,
)
"""Instructions whose shadow is the same instruction of shadows."""


def guard_load(shadows: Shadows, load: Load, shadow: Instruction) -> None:
    """Guard a pointer loaded from such a global, where it is followed."""
    name = _held_by(shadows, load)
    if name is not None and load.type.is_pointer and _is_followed(shadows, load):
        _insist(shadows, builder_after(shadow), load, shadow, name)


def guard_phi(shadows: Shadows, phi: Phi, shadow: Phi) -> None:
    """Guard a pointer that may have been loaded from such a global and is followed from here on: on the way from
    there, where that leads nowhere else."""
    if not shadows.copy.leading_globals or not phi.type.is_pointer or not _is_followed(shadows, phi):
        return
    for (incoming, _), (made, block) in zip(phi.incoming, shadow.incoming, strict=True):
        name = _origin(shadows, incoming, phi)
        end = block.terminator
        if name is not None and end is not None and len(block.successors) == 1:
            _insist(shadows, Builder(block, before=end), incoming, made, name)
        elif name is not None and shadow.block is not None:
            _insist(shadows, first_builder(shadow.block), phi, shadow, name)


def _insist(shadows: Shadows, build: Builder, pointer: Value, shadow: Value, name: str) -> None:
    text = f"enzyme: a pointer in global '{name}' leads to memory without a shadow (it was stored before)"
    build.call(shadows.engine.runtime("led"), [shadows.copy.of(pointer), shadow, shadows.engine.message(text)])


def _held_by(shadows: Shadows, load: Load) -> str | None:
    """The global that a pointer is loaded from, if pointers in it may have no shadow."""
    guarded = shadows.copy.leading_globals - shadows.copy.inert_globals
    if not guarded:
        return None
    held = (o.value for o in shadows.copy.activity.objects(load.pointer) if o.kind == "global")
    return next((v.name for v in held if v is not None and v.name in guarded), None)


def _origin(shadows: Shadows, pointer: Value, phi: Phi) -> str | None:
    """The global that a pointer may have been loaded from and not been guarded since."""
    seen: set[Value] = {phi}
    work = [pointer]
    while work:
        at = work.pop()
        if at in seen:
            continue
        seen.add(at)
        if isinstance(at, Load):
            name = _held_by(shadows, at)
            if name is not None and not _is_followed(shadows, at):
                return name
        elif isinstance(at, Phi):
            work += [] if _is_followed(shadows, at) else [incoming for incoming, _ in at.incoming]
        elif isinstance(at, STRUCTURAL):
            work += at.operands
    return None


def _only_globals(shadows: Shadows, pointer: Value) -> bool:
    """Whether a pointer leads to globals alone: what is stored there is guarded when it is loaded again."""
    return all(o.kind == "global" for o in shadows.copy.activity.objects(pointer))


def _is_followed(shadows: Shadows, pointer: Value) -> bool:
    """Whether memory is read or written through a pointer, or somebody else gets it; not when it is stored where it is
    guarded again, nor behind a place where another may be taken."""

    def counts(access: Load | Store, at: Value) -> bool:
        return isinstance(access, Load) or access.pointer is at or not _only_globals(shadows, access.pointer)

    return is_followed(pointer, counts)


def is_followed(
    pointer: Value, counts: Callable[[Load | Store, Value], bool], through: tuple[type[Instruction], ...] = STRUCTURAL
) -> bool:
    """Whether somebody else gets a pointer, other than to free it, or it is used by a load or store that ``counts``
    (given that and the pointer as it is there); ``through``: instructions whose results are the pointer still."""
    seen: set[Value] = set()
    work = [pointer]
    while work:
        at = work.pop()
        for user in at.users:
            if isinstance(user, CallBase):
                known = known_callee(user.callee_name, user.callee_type) if user.callee_name else None
                if known is None or (known.free is None and not known.inactive):
                    return True
            elif isinstance(user, (Load, Store)):
                if counts(user, at):
                    return True
            elif isinstance(user, (AtomicRMW, CompareExchange, Return)):
                return True
            elif isinstance(user, through) and user not in seen:
                seen.add(user)
                work.append(user)
    return False
