"""Small blocks of the heap that a function gives back itself are locals of it, in the program that is differentiated.

``std::vector<double> d(3)`` in a loop, a ``Vec`` of three numbers: the loops over it are short, and behind an optimiser
that unrolls them nothing is left of the block. The engine is in front of that: it sees a block for each iteration, kept
until the reverse sweep has been there, with a shadow beside it, and little loops that overwrite memory. A local array
that is declared in the loop is none of that (small_arrays.py unrolls its loops).

So a block of a known size, at most ``LARGEST`` bytes, becomes a local where that makes registers of its numbers, and
all that is done with its address can be seen: it is stepped from, loaded, stored and copied through, compared, and
given back, but put nowhere, so that nobody has it when the next one is made. Where it would have been made the local's
life begins, and it ends where it is given back. The program itself goes on with its heap.
"""

from __future__ import annotations

from collections.abc import Iterator

from enzyme.analysis.activity_flow import has_float
from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree
from enzyme.gradient.exceptions import end_invoke
from enzyme.gradient.small_arrays import LARGEST, become_registers
from enzyme.gradient.sums import is_simple_access
from enzyme.ir.builder import Builder
from enzyme.ir.intrinsics import MEMSET
from enzyme.ir.module import Module
from enzyme.ir.types import I1, I8, I64, PTR, VOID, ArrayType, FunctionType
from enzyme.ir.values import (
    Block,
    CallBase,
    Compare,
    Constant,
    ConstantInt,
    DebugRecord,
    Function,
    GetElementPtr,
    Instruction,
    Invoke,
    Load,
    Phi,
    Select,
    Store,
    Value,
)
from enzyme.rules.known import known_call
from enzyme.support.devices import is_gpu

_IN_ALL = 1024
"""Bytes of a function's blocks: each call of it has them."""
_ALIGN = 16
_QUIET = ("llvm.lifetime.", "llvm.dbg.")
_TRANSFERS = ("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")


def put_on_stack(module: Module) -> list[str]:
    """Rewrite every function of a prepared module. Returns those that have been changed."""
    if is_gpu(module.triple):
        return []
    functions = [each for each in module.functions.values() if not each.is_declaration]
    return [each.name or "" for each in functions if _put(module, each)]


def _put(module: Module, function: Function) -> bool:
    sizes = dict(_blocks(function))
    found = [(call, sizes[call]) for call in become_registers(module, function, sizes)] if sizes else []
    if not found:
        return False
    dominators = DominatorTree(ControlFlowGraph(function))
    total = 0
    for call, size in found:
        uses = _Uses(call, dominators)
        if total + size <= _IN_ALL and uses.are_known():
            total += size
            _rewrite(module, function, call, size, uses)
    return total > 0


def _blocks(function: Function) -> Iterator[tuple[CallBase, int]]:
    """Blocks that a function asks for whose sizes are known, and not large."""
    for inst in function.instructions():
        known = known_call(inst) if isinstance(inst, CallBase) and inst.type is PTR else None
        allocation = known.allocation if known is not None else None
        if not isinstance(inst, CallBase) or allocation is None or not allocation.is_plain:
            continue
        size = 1
        for at in allocation.sizes:
            factor = inst.args[at]
            size *= factor.value if isinstance(factor, ConstantInt) else LARGEST + 1
        aligned = inst.args[allocation.alignment] if allocation.alignment is not None else None
        if aligned is not None and not (isinstance(aligned, ConstantInt) and 0 < aligned.value <= _ALIGN):
            continue
        if 0 < size <= LARGEST:
            yield inst, size


class _Uses:
    """What is done with the address of a block."""

    def __init__(self, call: CallBase, dominators: DominatorTree) -> None:
        self.call, self.dominators = call, dominators
        self.frees: list[CallBase] = []
        self.assumed: list[CallBase] = []
        self.reached: list[CallBase] = []
        self.numbers = False

    def are_known(self) -> bool:
        """Whether nothing keeps the address, and numbers go through it."""
        work: list[Value] = [self.call]
        seen: set[Value] = {self.call}
        while work:
            pointer = work.pop()
            for user in pointer.users:
                if not isinstance(user, Instruction) or not self._is_known(user, pointer):
                    return False
                if isinstance(user, (GetElementPtr, Phi, Select)) and user not in seen:
                    seen.add(user)
                    work.append(user)
        return self.numbers and bool(self.frees)

    def _is_known(self, user: Instruction, pointer: Value) -> bool:
        match user:
            case DebugRecord() | Compare():
                return True
            case GetElementPtr():
                return user.base is pointer and all(each is not pointer for each in user.operands[1:])
            case Phi() | Select():
                return self._is_behind(user)
            case Load():
                self.numbers |= has_float(user.type)
                return is_simple_access(user)
            case Store():
                self.numbers |= has_float(user.operands[0].type)
                return user.operands[0] is not pointer and is_simple_access(user)
            case CallBase():
                return self._is_known_call(user, pointer)
        return False

    def _is_behind(self, user: Instruction) -> bool:
        """Whether a choice is made behind the call: one that is made in front of it has the block of the last time."""
        below = self.call.operands[-2] if isinstance(self.call, Invoke) else self.call.block
        assert isinstance(below, Block) and user.block is not None
        if isinstance(user, Phi) and user.block is self.call.block:
            return False
        return self.dominators.dominates(below, user.block)

    def _is_known_call(self, call: CallBase, pointer: Value) -> bool:
        name = call.callee_name or ""
        if name.startswith("llvm.assume") and isinstance(call.args[0], Constant):
            self.assumed.append(call)
            return True
        if name.startswith(_QUIET) or (name.startswith(_TRANSFERS) and isinstance(call.args[-1], ConstantInt)):
            self.reached.append(call)
            return True
        known = known_call(call)
        if known is None or known.free is None or isinstance(call, Invoke) or pointer is not self.call:
            return False
        self.frees.append(call)
        return [at for at, each in enumerate(call.args) if each is pointer] == [known.free]


def _rewrite(module: Module, function: Function, call: CallBase, size: int, uses: _Uses) -> None:
    block = call.block
    assert block is not None
    known = known_call(call)
    assert known is not None and known.allocation is not None
    front = Builder(function.entry, before=function.entry.instructions[0])
    local = front.alloca(ArrayType(size, I8), ConstantInt(I64, 1), _ALIGN, name=call.name)
    for kind, places in (("start", [call]), ("end", uses.frees)):
        marker = module.declare_function(f"llvm.lifetime.{kind}.p0", FunctionType(VOID, (PTR,)))
        for place in places:
            assert place.block is not None
            Builder(place.block, before=place).call(marker, [local])
    if known.allocation.zeroed:
        fill = module.declare_function(*MEMSET)
        Builder(block, before=call).call(fill, [local, ConstantInt(I8, 0), ConstantInt(I64, size), ConstantInt(I1, 0)])
    for each in uses.reached:
        each.tail = ""  # which says that no local is touched
    for each in dict.fromkeys((*uses.frees, *uses.assumed)):
        each.erase()
    call.replace_all_uses_with(local)
    if isinstance(call, Invoke):
        end_invoke(call)
    else:
        call.erase()
