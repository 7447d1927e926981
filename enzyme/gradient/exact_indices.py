"""The program stops where an index wraps that the plan took for a number.

Which these are, says analysis/dependences.py. It is asked where such a number is used: an optimiser computes it in
front of the condition under which it is, ``n - 2`` where ``n > 2``, and what it is where nothing uses it does not
matter. A use is an access of memory, a comparison, or the begin of a loop; other arithmetic hands it on. Uses in loops
that come to them whenever they run are asked for in front of these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from enzyme.gradient import words
from enzyme.gradient.primal import PrimalCopy
from enzyme.gradient.subject import Subject
from enzyme.ir.builder import Builder
from enzyme.ir.instructions import Freeze
from enzyme.ir.types import I64
from enzyme.ir.values import BinaryOp, Block, Cast, Compare, GetElementPtr, Instruction, Phi, Select, Value

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine

_WRAPS = "enzyme: an index does not fit its 32 bits; make it 64, or turn the optimisation 'dependences' off: {where}"
_OTHER = {"sext": "zext", "zext": "sext"}


def insist_exact(engine: Engine, copy: PrimalCopy) -> None:
    """Let the forward sweep insist on what the plan took for numbers."""
    found = copy.subject.alias.overwrites.dependences
    for inst, how in found.assumed if found is not None else ():
        made = copy.values.get(inst)
        if not isinstance(made, Instruction) or made.block is None:
            continue
        for use in _uses(copy.subject, inst, how):
            assert use.block is not None
            block, place = copy.blocks.get(use.block), copy.values.get(use)
            if block is None:
                continue
            if not isinstance(place, Instruction) or place.block is None:
                place = block.terminator
            assert isinstance(place, Instruction) and place.block is not None
            build = Builder(place.block, before=place)
            words.insist(engine, copy.subject, build, inst, _is_exact(build, inst, made, how), _WRAPS)


def _is_exact(build: Builder, inst: Instruction, made: Instruction, how: str) -> Value:
    number = build.cast(how, made, I64) if made.type is not I64 else made
    if inst.opcode == "and":
        exact: Value = made.operands[0]
    elif isinstance(inst, BinaryOp):
        exact = build.insert(BinaryOp(inst.opcode, *[build.cast("sext", each, I64) for each in made.operands]))
    else:
        (source,) = made.operands
        exact = source if source.type is I64 else build.cast("sext", source, I64)
    return build.icmp("eq", number, exact)


def _uses(subject: Subject, inst: Instruction, how: str) -> dict[Instruction, None]:
    """In front of which instructions a number is to be exact, read with its sign (``sext``) or without (``zext``)."""
    found: dict[Instruction, None] = {}
    work: list[Instruction] = [inst]
    seen: set[Instruction] = {inst}
    while work:
        value = work.pop()
        for user in value.users:
            if not isinstance(user, Instruction) or user.block not in subject.cfg.index:
                continue
            if value is inst and value.type is not I64 and _reads_otherwise(user, how):
                continue
            if isinstance(user, Phi):
                ends = (source.terminator for each, source in user.incoming if each is value)
                found.update((_in_front(subject, inst, end), None) for end in ends if end is not None)
            elif not isinstance(user, (BinaryOp, Cast, Freeze, GetElementPtr, Select)):
                found[_in_front(subject, inst, user)] = None
            elif user not in seen and not user.type.scalar.is_float:  # what a number is made of it does not matter
                seen.add(user)
                work.append(user)
    return found


def _reads_otherwise(user: Instruction, how: str) -> bool:
    """Whether a use takes the number with its sign where it is asked for without, or the other way round."""
    if isinstance(user, Cast):
        return user.opcode == _OTHER[how] and "nneg" not in user.flags
    if isinstance(user, Compare):
        return user.predicate[0] == ("u" if how == "sext" else "s")
    return how == "zext" and isinstance(user, GetElementPtr)


def _in_front(subject: Subject, inst: Instruction, use: Instruction) -> Instruction:
    """The use, or the end of what stands in front of loops in which the number is the same, and that come to the use
    in all of their rounds."""
    while True:
        block: Block | None = use.block
        loop = subject.loops.loop_of(block)
        if block is None or loop is None or loop.contains(inst) or loop.preheader is None:
            return use
        end = loop.preheader.terminator
        passed = {*loop.latches, *loop.exiting_blocks}
        if end is None or not all(subject.dominators.dominates(block, each) for each in passed):
            return use
        use = end


__all__ = ["insist_exact"]
