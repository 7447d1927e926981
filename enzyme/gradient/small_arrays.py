"""Loops over small arrays of a function's own are unrolled before it is differentiated.

A program that computes with two or three components, or with 3x3 matrices, has them in local arrays and goes over them
in loops of two or three rounds. While there are such loops the arrays are memory: what they hold is overwritten in the
next iteration of the loop around, so it goes on the tape, number by number, each little loop with a tape of its own.
Without them each element is a value like any other, computed again, handed on in registers, kept only where that pays.

An optimiser that unrolls does so behind the differentiation (loops are what the engine looks at). Here it is told to
unroll these loops, and only them, in front of it: an array of the function's own, of at most ``LARGEST`` bytes, all of
whose elements are named by constants and by counters of loops that run a few times, as many as is known. Nests in which
the lanes of vectors are filled, and those that would make much code, stay loops where one of the arrays that they go
over stays memory, or hands numbers from one iteration around them to the next: there vectors are worth more.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from math import prod

from enzyme.analysis.activity_flow import has_float
from enzyme.analysis.loops import Loop
from enzyme.gradient.short_loops import ShortLoops
from enzyme.ir.module import Module
from enzyme.ir.values import (
    Alloca,
    CallBase,
    Compare,
    ConstantInt,
    DebugRecord,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Value,
)
from enzyme.rules.known import known_call

LARGEST = 128
"""Bytes of an array whose loops are unrolled: four numbers in four rows."""
LARGE = 27
"""How often the innermost body of a nest of such loops is there then, at most, where some of the arrays stay."""
_LANES = 4


def mark_small_loops(module: Module) -> list[str]:
    """Ask LLVM to unroll such loops in a prepared module. Returns the functions that have some."""
    found: list[str] = []
    for function in module.functions.values():
        if not function.is_declaration and any(_is_small(module, inst) for inst in function.instructions()):
            if _Small(module, function).marked():
                found.append(function.name or "")
    return found


def _is_small(module: Module, inst: Instruction) -> bool:
    if not isinstance(inst, Alloca) or not isinstance(inst.operands[0], ConstantInt) or inst.operands[0].value != 1:
        return False
    size = module.datalayout.alloc_size(inst.allocated_type)
    return size <= LARGEST and has_float(inst.allocated_type)


def become_registers(module: Module, function: Function, blocks: Iterable[CallBase]) -> list[CallBase]:
    """Which of some blocks, if they were arrays of the function's own, would be none once short loops are unrolled."""
    small = _Small(module, function)
    return [each for each in blocks if small.become_registers(each)]


class _Small:
    """Those of one function."""

    def __init__(self, module: Module, function: Function) -> None:
        self.module, self.function = module, function
        self.short = ShortLoops(module, function)
        self.forest = self.short.forest

    def marked(self) -> bool:
        """Ask for its loops to be unrolled; whether there are any."""
        loops = self.loops()
        self.short.unroll(loops)
        return bool(loops)

    def become_registers(self, block: Instruction) -> bool:
        """Whether each element of a block is named by itself once short loops are unrolled, none of which is large."""
        loops = self._around(block)
        return loops is not None and not any(map(self._is_large, loops))

    def loops(self) -> list[Loop]:
        arrays = [inst for inst in self.function.instructions() if isinstance(inst, Alloca)]
        around = {array: self._around(array) if _is_small(self.module, array) else None for array in arrays}
        accesses = {array: _accesses(array) for array in arrays}
        known = -1
        while known != (known := sum(loops is not None for loops in around.values())):
            stays: set[Loop] = set()
            for array, loops in around.items():
                for each in self._over(accesses[array]):
                    if loops is None or not self._are_within(accesses[array], each):
                        stays.add(each)
            for array, loops in around.items():
                if loops is not None and any(self._is_large(each) and each in stays for each in loops):
                    around[array] = None
        return list(dict.fromkeys(loop for loops in around.values() for loop in loops or ()))

    def _over(self, accesses: list[Instruction]) -> dict[Loop, None]:
        """The loops that go over an array, element by element."""
        inside = (self.forest.loop_of(each.block) for each in accesses if not isinstance(each, CallBase))
        return dict.fromkeys(loop for each in inside if each is not None for loop in each.ancestors())

    def _are_within(self, accesses: list[Instruction], loop: Loop) -> bool:
        """Whether an array is used in nothing but what stands around short loops, so that it hands nothing on."""
        around: Loop | None = loop
        while around is not None and self.short.length(around) is not None:
            around = around.parent
        return around is None or all(around.contains(each) for each in accesses)

    def _is_large(self, loop: Loop) -> bool:
        """Whether a loop is better left than unrolled, where one of the arrays that it goes over stays memory."""
        for each in (loop, *loop.inside()):
            lengths = [length or 0 for length in takewhile(bool, map(self.short.length, each.ancestors()))]
            if len(lengths) > 1 and (_LANES in lengths or prod(lengths) > LARGE):
                return True
        return False

    def _around(self, array: Instruction) -> list[Loop] | None:
        """The loops that are to be unrolled for an array to become registers; None where it cannot."""
        found: dict[Loop, None] = {}
        work, seen = [array], {array}
        while work:
            pointer = work.pop()
            for user in pointer.users:
                if isinstance(user, GetElementPtr) and user.operands[0] is pointer:
                    if not self._is_named(user, found):
                        return None
                elif isinstance(user, (Phi, Select)):
                    loop = self.forest.loop_of(user.block) if isinstance(user, Phi) else None
                    if loop is not None and loop.header is user.block and not self._add(loop, found):
                        return None
                elif not _may_be_promoted(user, pointer):
                    return None
                else:
                    continue
                if user not in seen:
                    seen.add(user)
                    work.append(user)
        return list(found)

    def _is_named(self, element: GetElementPtr, found: dict[Loop, None]) -> bool:
        """Whether which element it is hangs on counters of short loops only; these are added."""
        return all(self._counts(index, found) for index in element.operands[1:])

    def _counts(self, index: Value, found: dict[Loop, None], depth: int = 6) -> bool:
        if isinstance(index, ConstantInt):
            return True
        if not isinstance(index, Instruction) or not depth:
            return False
        if isinstance(index, Phi):
            loop = self.forest.loop_of(index.block)
            return loop is not None and loop.header is index.block and self._add(loop, found)
        if index.opcode not in ("add", "sub", "mul", "shl", "or", "zext", "sext", "trunc"):
            return False
        return all(self._counts(operand, found, depth - 1) for operand in index.operands)

    def _add(self, loop: Loop, found: dict[Loop, None]) -> bool:
        """A loop and those inside of it, if they are as short as that."""
        nest = self.short.nest(loop)
        found.update(dict.fromkeys(nest or ()))
        return nest is not None


def _accesses(array: Instruction) -> list[Instruction]:
    """What reads or writes an array, or a part of it."""
    found: list[Instruction] = []
    work, seen = [array], {array}
    while work:
        for user in work.pop().users:
            if not isinstance(user, Instruction) or isinstance(user, DebugRecord) or user in seen:
                continue
            seen.add(user)
            if isinstance(user, (GetElementPtr, Phi, Select)):
                work.append(user)
            elif not (isinstance(user, CallBase) and (user.callee_name or "").startswith("llvm.lifetime.")):
                found.append(user)
    return found


def _may_be_promoted(user: Instruction, pointer: Value) -> bool:
    """Whether a use of an array is one that registers take the place of."""
    if isinstance(user, DebugRecord):
        return True
    if isinstance(user, Load):
        return not user.ordering and "volatile" not in user.flags
    if isinstance(user, Store):
        return user.operands[0] is not pointer and not user.ordering and "volatile" not in user.flags
    name = user.callee_name or "" if isinstance(user, CallBase) else ""
    if name.startswith(("llvm.lifetime.", "llvm.dbg.", "llvm.assume")) or isinstance(user, Compare):
        return True
    known = known_call(user) if isinstance(user, CallBase) else None
    if known is not None and known.free is not None:  # of a block that is to become an array
        return True
    return name.startswith(("llvm.memset.", "llvm.memcpy.")) and isinstance(user.operands[2], ConstantInt)
