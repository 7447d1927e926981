"""Memory that a function writes from its first byte to its last before it reads of it at an address nobody knows.

What a program reads lies inside the memory that its pointer leads to. Where a function is given the start of a block,
and has written all of the block, a read behind that finds what the function has written, wherever it looks.
"""

from __future__ import annotations

from collections.abc import Callable

from enzyme.analysis.covered import at_most
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import Polynomial
from enzyme.gradient.primal import is_static_alloca
from enzyme.ir.types import I64
from enzyme.ir.values import (
    Alloca,
    CallBase,
    Cast,
    DebugRecord,
    Freeze,
    GetElementPtr,
    Instruction,
    Phi,
    Select,
    Value,
)
from enzyme.rules.known import known_call

_FACTOR = 1 << 31
WRITTEN_FIRST = '"enzyme_written_first"'
"""The attribute of pointers behind which a function reads only what it has written itself."""


def fills_block(forms: FunctionForms, call: CallBase, position: int) -> Callable[[Polynomial], bool] | None:
    """What tells whether so many bytes, in terms of the called function's parameters, are all that the pointer at a
    ``position`` leads to; None where it does not lead to the start of a block whose size is known. The ``forms`` are
    those of the caller."""
    block, offset = forms.from_base(call.args[position])
    size = _size(forms, block)
    if size is None or offset.constant != 0:
        return None

    def fills(length: Polynomial) -> bool:
        given = forms.of_called(length, call)
        if given is None:
            return False
        length = given
        for what in _not_negative(size):
            length = length.replaced((what, "zext"), Polynomial.variable((what, "sext")))
        return at_most(size.minus(length), 0)

    return fills


def begins_anew(loop: Loop, dominators: DominatorTree, memory: Value | None) -> bool:
    """Whether a local is declared inside of a loop: what it holds is nobody's when an iteration begins, for the mark
    with which its life begins, which the compiler has left, comes in front of all that touches it in the loop."""
    if not isinstance(memory, Alloca):
        return False
    touching = [each for each in _users_of(memory) if each.block in loop.blocks]
    marks = [each for each in touching if isinstance(each, CallBase) and _begins_life(each, memory)]
    return any(all(mark is each or dominators.instruction_dominates(mark, each) for each in touching) for mark in marks)


def _begins_life(call: CallBase, memory: Alloca) -> bool:
    return (call.callee_name or "").startswith("llvm.lifetime.start") and call.args[-1] is memory


def _users_of(memory: Alloca) -> list[Instruction]:
    """What touches a local, by any address made of its own, without what only makes addresses."""
    found: dict[Instruction, None] = {}
    seen: set[Value] = set()
    work: list[Value] = [memory]
    while work:
        pointer = work.pop()
        for user in pointer.users if pointer not in seen else ():
            if isinstance(user, (GetElementPtr, Phi, Select, Cast, Freeze)):
                work.append(user)
                continue
            if isinstance(user, CallBase) and user.type.is_pointer:
                work.append(user)  # it may be what it was given
            if not isinstance(user, DebugRecord):
                found[user] = None
        seen.add(pointer)
    return list(found)


def _not_negative(size: Polynomial) -> list[Value]:
    """Integers of less than 64 bits that are not negative where there is a block of this size: of one that is times a
    factor there is none where the product is negative, for no block has so many bytes as that would stand for."""
    if len(size.varying) != 1 or size.offset > 0:
        return []
    (product, factor), *_ = size.varying
    what, how = product[0]
    single = len(product) == 1 and how == "sext" and 0 < factor < _FACTOR
    return [what] if single and isinstance(what, Value) and what.type is not I64 else []


def _size(forms: FunctionForms, block: Value) -> Polynomial | None:
    """The bytes of a block that is allocated or a local of one size."""
    if isinstance(block, Alloca):
        number = forms.integer(block.operands[0])
        bytes = Polynomial.number(forms.layout.size_of(block.allocated_type))
        return bytes.times(number) if number is not None and is_static_alloca(block) else None
    known = known_call(block) if isinstance(block, CallBase) else None
    made = known.allocation if known is not None else None
    if made is None or not made.is_plain:
        return None
    assert isinstance(block, CallBase)
    size = Polynomial.number(1)
    for each in made.sizes:
        factor = forms.integer(block.args[each])
        if factor is None:
            return None
        size = size.times(factor)
    return size
