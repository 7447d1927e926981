"""Memory whose shadows nobody but the derivative sees, so that it may lay them out as it likes.

The lanes of a derivative of width N come through pointers of the program's own, one block of memory a lane. What a
function allocates itself and lets nobody else see has shadows that are the derivative's own: there the lanes of each
number can lie side by side, where one vector load or store takes them all. A number at byte ``o`` of the memory has its
``s`` lanes at byte ``s * o`` of such a shadow.

That is right where every number is read as it was written, so a block of memory qualifies only if every use of its
address is understood: loads and stores of floating-point scalars of one format, address steps, choices between such
addresses, block copies between such blocks, fills, and its release.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from enzyme.analysis.activity import ActivityResult
from enzyme.gradient.calls import facts
from enzyme.gradient.primal import is_dropped
from enzyme.gradient.subject import Subject
from enzyme.ir.types import FloatType, Type
from enzyme.ir.values import (
    Alloca,
    CallBase,
    Compare,
    ConstantInt,
    Freeze,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Value,
)
from enzyme.rules.known import KnownCallee

ALIGNMENT = 64
"""Of the blocks that shadows begin in: no vector register is wider."""


@dataclass
class Interleaved:
    """``owners``: the addresses in memory of this kind, with the allocation each comes from (one of several where a
    choice was made); ``formats``: of the numbers in it, by allocation."""

    owners: dict[Value, Instruction] = field(default_factory=dict)
    formats: dict[Instruction, Type] = field(default_factory=dict)

    def __contains__(self, pointer: Value) -> bool:
        return pointer in self.owners


class _Search:
    """Follows the addresses of all candidates; those that share an address share their fate."""

    def __init__(self, subject: Subject, activity: ActivityResult) -> None:
        self.subject, self.activity = subject, activity
        self.owners: dict[Value, Instruction] = {}
        self.bad: set[Instruction] = set()
        self.formats: dict[Instruction, set[Type]] = {}
        self.leaders: dict[Instruction, Instruction] = {}
        self.joins: list[Phi | Select] = []
        self.transfers: list[CallBase] = []

    def run(self) -> Interleaved:
        roots = [inst for inst in self.subject.function.instructions() if self._is_candidate(inst)]
        for root in roots:
            self.leaders[root], self.formats[root] = root, set()
            self.owners[root] = root
        for root in roots:
            self._follow(root)
        for join in self.joins:
            for value in choices(join):
                if value in self.owners:
                    self._join(self.owners[join], self.owners[value])
                else:
                    self._reject(self.owners[join])
        for call in self.transfers:
            self._transfer(call)
        found = Interleaved()
        for root in roots:
            formats = {f for r in roots if self._leader(r) is self._leader(root) for f in self.formats[r]}
            if len(formats) == 1 and not any(self._leader(bad) is self._leader(root) for bad in self.bad):
                (found.formats[root],) = formats
        found.owners = {value: root for value, root in self.owners.items() if root in found.formats}
        return found

    def _is_candidate(self, inst: Instruction) -> bool:
        if isinstance(inst, Alloca):
            return self.activity.needs_shadow(inst)
        if not isinstance(inst, CallBase) or not self.activity.needs_shadow(inst):
            return False
        known = facts(inst)
        made = known.allocation if known is not None else None
        return made is not None and made.is_plain

    # what shares its fate

    def _leader(self, root: Instruction) -> Instruction:
        while self.leaders[root] is not root:
            root = self.leaders[root]
        return root

    def _join(self, one: Instruction, other: Instruction) -> None:
        self.leaders[self._leader(one)] = self._leader(other)

    def _reject(self, root: Instruction) -> None:
        self.bad.add(root)

    # uses

    def _follow(self, root: Instruction) -> None:
        work: list[Value] = [root]
        while work:
            pointer = work.pop()
            for user in pointer.users:
                if isinstance(user, (GetElementPtr, Phi, Select, Freeze)) and self._is_step(user, pointer):
                    known = self.owners.get(user)
                    if known is None:
                        self.owners[user] = root
                        work.append(user)
                        if isinstance(user, (Phi, Select)):
                            self.joins.append(user)
                    elif known is not root:
                        self._join(known, root)
                elif not self._is_understood(user, pointer, root):
                    self._reject(root)
                    return

    def _is_step(self, user: Instruction, pointer: Value) -> bool:
        if not user.type.is_pointer:
            return False
        return not isinstance(user, GetElementPtr) or user.base is pointer

    def _is_understood(self, user: Value, pointer: Value, root: Instruction) -> bool:
        if isinstance(user, Load):
            self.formats[root].add(user.type)
            return isinstance(user.type, FloatType) and not user.ordering and "volatile" not in user.flags
        if isinstance(user, Store):
            self.formats[root].add(user.value.type)
            plain = user.value is not pointer and not user.ordering and "volatile" not in user.flags
            return plain and isinstance(user.value.type, FloatType)
        if isinstance(user, Compare):
            return True
        if not isinstance(user, CallBase) or user.bundles:
            return False
        if is_dropped(user):
            return True
        known = facts(user)
        if known is not None and known.free is not None:
            return pointer is root and isinstance(root, CallBase) and len(user.args) == 1
        if known is not None and known.transfer is not None and pointer in transferred(user, known):
            self.transfers.append(user)
            return True
        return False

    def _transfer(self, call: CallBase) -> None:
        """A block copy: from one such block to another, or from memory without a shadow."""
        known = facts(call)
        assert known is not None and known.transfer is not None
        ends = transferred(call, known)
        inside = [self.owners[end] for end in ends if end in self.owners]
        outside = [end for end in ends if end not in self.owners]
        for root in inside[1:]:
            self._join(inside[0], root)
        length = call.args[known.transfer.length]
        whole = all(
            not isinstance(length, ConstantInt) or length.value % self.subject.module.datalayout.size_of(format) == 0
            for root in inside
            for format in self.formats[root]
        )
        if not whole or any(self.activity.needs_shadow(end) for end in outside):
            self._reject(inside[0])


def choices(join: Phi | Select) -> list[Value]:
    """The values one of which a phi or a select is."""
    return [value for value, _ in join.incoming] if isinstance(join, Phi) else list(join.operands[1:])


def transferred(call: CallBase, known: KnownCallee) -> list[Value]:
    """The addresses that a block copy or fill goes to and comes from."""
    assert known.transfer is not None
    ends = [call.args[known.transfer.destination]]
    return ends if known.transfer.source is None else [*ends, call.args[known.transfer.source]]


def find_interleaved(subject: Subject, activity: ActivityResult) -> Interleaved:
    """The memory of a function whose shadows may be interleaved."""
    return _Search(subject, activity).run()
