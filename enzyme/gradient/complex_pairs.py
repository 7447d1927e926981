"""Products of complex numbers, whose parts lie side by side, are made part by part in one register.

A complex number is two numbers in turn, and so is a product, ``(a c - b d, a d + b c)``: LLVM puts both parts into one
register of two numbers, whose products are added in one lane and subtracted in the other, which processors do in one
instruction. Two things keep it from that.

- Where a program's products may be fused with sums, the front end says so by one operation for both, ``fmuladd``, of
  which LLVM makes no pairs when one of two subtracts. In derivatives they are taken apart: a product and a sum, both of
  which may be contracted. That is the same permission, and what is left of it alone becomes one instruction as before.
- A loop over such products is made into vectors over its iterations first, if that can be: each part of the numbers is
  picked out of what is loaded, and put back. That pays where all numbers lie in a row. Where some of them are so far
  apart as only the running program knows, as the roots of unity of a Fourier transform are, each part is gathered
  number by number, which takes longer than to multiply one complex number after the other. Such loops, and their
  reversals, are left to be made into pairs.

The second is for loops of one block in which whatever is read and written comes in such pairs, of numbers of 64 bits,
on x86-64: a register of 16 bytes has one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeGuard

from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import Polynomial, counter
from enzyme.analysis.tripcount import constant_value
from enzyme.gradient.subject import Subject
from enzyme.gradient.sums import is_fused
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import DOUBLE
from enzyme.ir.values import BinaryOp, Block, CallBase, Function, Instruction, Load, Store, UnaryOp, Value

_LONGEST = 64
"""Instructions of a loop, and fused operations of a block, that are looked at."""
TOGETHER = "enzyme.pairs"
"""Marks loops that pairs_together.py may run two iterations of at once."""
_PART = 8
"""Bytes from one part of a number to the other."""

_Product = tuple[Value, Value]


class _Two:
    """``left`` and ``right`` added up, or, where they are ``apart``, the one subtracted from the other."""

    def __init__(self, left: _Product, right: _Product, apart: bool) -> None:
        self.left, self.right, self.apart = left, right, apart


def split_products(functions: Iterable[Function]) -> None:
    """Take the fused operations apart that make products of complex numbers."""
    for function in functions:
        for block in function.blocks:
            for inst in list(_in_products(block)):
                if _may_fuse(inst):
                    _take_apart(inst)


def _take_apart(call: CallBase) -> None:
    assert call.block is not None
    flags = call.fast_math if "fast" in call.fast_math else tuple(dict.fromkeys((*call.fast_math, "contract")))
    build = Builder(call.block, flags, before=call)
    left, right, addend = call.args
    addend, minus = _unsigned(addend)
    product = build.fmul(left, right)
    total = build.fsub(product, addend) if minus else build.fadd(product, addend)
    for made in (product, total):
        assert isinstance(made, Instruction)
        made.metadata = {kind: text for kind, text in call.metadata.items() if kind in ("dbg", "fpmath")}
    operands = list(call.operands)
    call.replace_all_uses_with(total)
    call.erase()
    call.operands = operands  # for what explain says of it


def paired_loops(subject: Subject) -> dict[Loop, bool]:
    """The loops that LLVM should not make vectors of over iterations; and whether it is open how often they run, else
    LLVM does not unroll them but takes them apart."""
    if not subject.module.triple.startswith("x86_64"):
        return {}
    forms = FunctionForms(subject.dominators, subject.loops, subject.module.datalayout)
    return {
        loop: count is None or constant_value(count) is None
        for loop in subject.loops.loops
        if loop.blocks == {loop.header} and len(loop.header.instructions) <= _LONGEST and _in_pairs(loop, forms)
        for count in (subject.backedge_count(loop),)
    }


def keep_pairs(module: Module, together: bool, *ends: Instruction | None) -> None:
    """Say so at the branch back, or the branches that may become it. ``together``: two iterations are to run at once,
    which is done to loops that are not unrolled."""
    said = ['"llvm.loop.vectorize.enable", i1 false']
    if together:
        said += ['"llvm.loop.unroll.disable"', f'"{TOGETHER}"']
    node = module.add_loop_metadata(*said)
    for end in ends:
        if end is not None:
            end.metadata["llvm.loop"] = node


def _in_pairs(loop: Loop, forms: FunctionForms) -> bool:
    """Whether an iteration multiplies complex numbers, some of them at distances that LLVM does not know, and touches
    nothing but complex numbers."""
    accesses = [inst for inst in loop.header.instructions if isinstance(inst, (Load, Store))]
    if not any(True for _ in _in_products(loop.header)) or any(_type(each) is not DOUBLE for each in accesses):
        return False
    places: dict[Instruction, tuple[Value, Polynomial]] = {each: forms.from_base(each.pointer) for each in accesses}
    for one in accesses:
        base, place = places[one]
        kind = type(one)
        if not any(
            type(other) is kind
            and places[other][0] is base
            and places[other][1].minus(place).constant in (_PART, -_PART)
            for other in accesses
        ):
            return False
    return any(isinstance(each, Load) and _scattered(*places[each], loop) for each in accesses)


def _scattered(base: Value, place: Polynomial, loop: Loop) -> bool:
    """Whether a place moves by what is no constant from one iteration to the next."""
    number = counter(loop)
    if place.degree(number) == 0 or not loop.is_invariant(base):
        return False
    return place.stride(number) is None


def _type(access: Load | Store) -> object:
    return access.accessed


def _in_products(block: Block) -> Iterator[Instruction]:
    """The parts of products of complex numbers: one adds two products of two numbers each, one subtracts, and they
    have these numbers in common."""
    found = [(inst, two) for inst in block.instructions if (two := _two_products(inst)) is not None]
    if len(found) > _LONGEST:
        return
    done: set[Instruction] = set()
    for inst, two in found:
        for other, others in found:
            if two.apart and not others.apart and inst not in done and other not in done and _crossed(two, others):
                done |= {inst, other}
                yield inst
                yield other


def _crossed(one: _Two, other: _Two) -> bool:
    """Whether the products of the one, ``a c`` and ``b d``, and those of the other, ``a d`` and ``b c``, are of the
    same numbers."""
    a, c = one.left
    return any(a is not b and c is not d and _same(other, (a, d), (b, c)) for b, d in (one.right, one.right[::-1]))


def _same(two: _Two, left: _Product, right: _Product) -> bool:
    def alike(one: _Product, other: _Product) -> bool:
        return (one[0] is other[0] and one[1] is other[1]) or (one[0] is other[1] and one[1] is other[0])

    return (alike(two.left, left) and alike(two.right, right)) or (alike(two.left, right) and alike(two.right, left))


def _two_products(inst: Instruction) -> _Two | None:
    """What an instruction makes of two products of two numbers each."""
    if inst.type is not DOUBLE:
        return None
    if _may_fuse(inst):
        left = _product(inst.args[0], inst.args[1])
        right = _of_product(inst.args[2])
        return _Two(left[0], right[0], left[1] != right[1]) if right is not None else None
    if isinstance(inst, BinaryOp) and inst.opcode in ("fadd", "fsub"):
        first, second = map(_of_product, inst.operands)
        if first is not None and second is not None:
            return _Two(first[0], second[0], (first[1] != second[1]) != (inst.opcode == "fsub"))
    return None


def _of_product(value: Value) -> tuple[_Product, bool] | None:
    """The factors of a product, and whether it is negative."""
    value, minus = _unsigned(value)
    if not isinstance(value, BinaryOp) or value.opcode != "fmul":
        return None
    factors, negative = _product(*value.operands)
    return factors, negative != minus


def _product(left: Value, right: Value) -> tuple[_Product, bool]:
    (left, one), (right, other) = _unsigned(left), _unsigned(right)
    return (left, right), one != other


def _unsigned(value: Value) -> tuple[Value, bool]:
    """A number, and whether its sign was changed."""
    if isinstance(value, UnaryOp) and value.opcode == "fneg":
        return value.operands[0], True
    return value, False


def _may_fuse(inst: Instruction) -> TypeGuard[CallBase]:
    return is_fused(inst) and (inst.callee_name or "").startswith("llvm.fmuladd.")
