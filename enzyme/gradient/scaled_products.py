"""Products of very small numbers that are added to others, computed scaled where a processor is slow with subnormals.

A factor such as ``exp(x[k] - largest)`` of a mixture or of a softmax is 1 for one k and next to nothing for most: the
adjoints of those are tiny, a few of them subnormal (below 2**-1022), and what they are multiplied by makes more of them
so. Intel's processors take a hundred cycles for each product with a subnormal factor or result, and a vector is as slow
as its slowest lane: of numbers spread evenly from 1e-400 to 1 one in 25 is subnormal, and of vectors of eight lanes a
quarter have one. All that for numbers that hardly ever change anything where they are added.

In reversed loops that add sums over lanes of products (several iterations at once, together.py) to memory, another
version of the loop splits them. With T = 2**-980 and S = 2**128, lanes with a factor below T are multiplied by S (by
integer operations, for any with a subnormal is slow), the products are summed up apart from the others, and what they
sum up to goes to memory by ``fma(sum, 1 / S, number + others)``: that is fast where the result is not subnormal itself.
It runs where one of the lanes of the first iteration has such a factor other than zero. Both versions give the same
sums for any numbers, infinite ones and NaNs too, but for their order and for products that would have been rounded to a
subnormal, and are not, as where a product and a sum are contracted; no product of a factor below T times S overflows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

from enzyme.analysis.loops import Loop
from enzyme.analysis.symbolic import Sym, constant_value, emit_sym
from enzyme.analysis.tripcount import backedge_count
from enzyme.gradient.kept_loads import has_reversed_loops
from enzyme.gradient.lane_sums import REDUCE, is_lane_sum
from enzyme.gradient.loop_versions import add_version, leaves_by_phis
from enzyme.gradient.read_once import read_once
from enzyme.gradient.sums import Sum, find_sums, is_simple_access
from enzyme.ir.builder import Builder
from enzyme.ir.instructions import Freeze
from enzyme.ir.module import Module
from enzyme.ir.printer import print_module
from enzyme.ir.types import DOUBLE, FLOAT, I1, FunctionType, IntType, Type, VectorType
from enzyme.ir.values import (
    BinaryOp,
    Block,
    CallBase,
    Cast,
    Constant,
    ConstantInt,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    ShuffleVector,
    Value,
)
from enzyme.rules.emit import mangle

_MAKES_SMALL = re.compile(r"@(?:llvm\.)?(?:exp|pow)")
_DEPTH = 8
_LEAST = 8
"""Iterations of a loop for which it is asked how small factors are."""


@dataclass(frozen=True)
class _Format:
    """Of a type of numbers: bits of the fraction and of the exponent, and the exponents of T and S."""

    fraction: int
    exponent: int
    threshold: int
    scale: int

    @property
    def bias(self) -> int:
        return (1 << (self.exponent - 1)) - 1

    @property
    def sign(self) -> int:
        return 1 << (self.fraction + self.exponent)

    def bits(self, power: int) -> int:
        """The representation of a power of two."""
        return (power + self.bias) << self.fraction


_FORMATS = {DOUBLE: _Format(52, 11, -980, 128), FLOAT: _Format(23, 8, -100, 40)}


def may_scale(text: str) -> bool:
    """Whether a program may have such loops, and calls functions whose results are often very small."""
    return REDUCE in text and _MAKES_SMALL.search(text) is not None and has_reversed_loops(text)


def with_scaled_products(text: str) -> str | None:
    """The program with such versions of its loops; None where there are none. The text must have been optimised, with
    its loops simplified and in LCSSA form."""
    program = read_once(text)
    module, changed = program.module, False
    for function, body in program.bodies:
        if REDUCE not in body or not has_reversed_loops(body):
            continue
        found = [each for each in map(_read, program.loops(function).loops) if each is not None]
        for each in found:
            _Version(module, function, each).emit()
            function.body_text = None
            changed = True
    return print_module(module) if changed else None


@dataclass(frozen=True)
class _Product:
    """``sum``: to a number in memory the sum ``reduction`` over the lanes of ``product`` is added."""

    sum: Sum
    reduction: CallBase
    product: BinaryOp


@dataclass(frozen=True)
class _Products:
    """A loop with such sums, and factors of theirs that can be asked for in front of it."""

    loop: Loop
    products: tuple[_Product, ...]
    asked: tuple[Value, ...]
    rounds: Sym
    """How often control goes back."""


def _read(loop: Loop) -> _Products | None:
    body, ahead = loop.header, loop.preheader
    if loop.blocks != {body} or ahead is None or ahead.successors != [body] or not leaves_by_phis(loop):
        return None
    if any(isinstance(inst, CallBase) and not _returns(inst) for inst in body.instructions):
        return None
    products = tuple(_products(loop))
    factors = dict.fromkeys(factor for each in products for factor in each.product.operands)
    asked = tuple(factor for factor in factors if not isinstance(factor, Constant) and _can_ask(loop, factor))
    rounds = backedge_count(loop, loop.forest.domtree) if products and asked and loop.forest is not None else None
    if rounds is None:
        return None
    known = constant_value(rounds)
    return _Products(loop, products, asked, rounds) if known is None or known >= _LEAST - 1 else None


def _returns(call: CallBase) -> bool:
    """Whether what stands behind a call in the first iteration is surely run."""
    return (call.callee_name or "").startswith("llvm.")


def _products(loop: Loop) -> Iterator[_Product]:
    for each in find_sums(loop.header):
        reduction = each.amount
        if is_lane_sum(reduction) and reduction.block is loop.header and len(reduction.users) == 1:
            product = reduction.args[1]
            if (
                isinstance(product, BinaryOp)
                and product.opcode == "fmul"
                and product.block is loop.header
                and product.type.scalar in _FORMATS
                and len(product.users) == 1
            ):
                yield _Product(each, reduction, product)


def _can_ask(loop: Loop, value: Value, depth: int = _DEPTH) -> bool:
    """Whether what a value is in the first iteration can be computed in front of the loop. (It need not be that: what
    the iteration stores is not looked at. Both versions do the same.)"""
    if not isinstance(value, Instruction) or value.block is not loop.header or isinstance(value, Phi):
        return True
    plain = isinstance(value, (BinaryOp, Cast, GetElementPtr, ShuffleVector)) or (
        isinstance(value, Load) and is_simple_access(value)
    )
    return depth > 0 and plain and all(_can_ask(loop, each, depth - 1) for each in value.operands)


class _Version:
    """The change itself; where there are few iterations, nothing is asked."""

    def __init__(self, module: Module, function: Function, found: _Products) -> None:
        self.module, self.function, self.found = module, function, found

    def emit(self) -> None:
        loop, function = self.found.loop, self.function
        ahead = loop.preheader
        assert ahead is not None and ahead.terminator is not None
        rounds = emit_sym(self.found.rounds, Builder(ahead, before=ahead.terminator))
        is_short = Builder(ahead, before=ahead.terminator).icmp("ult", rounds, ConstantInt(rounds.type, _LEAST - 1))
        ask = function.append_block(Block("small.ask"))
        build = Builder(ask)
        known: dict[Value, Value] = {}
        answers = [self._is_tiny_anywhere(build, self._early(build, each, known)) for each in self.found.asked]
        build.br(loop.header)
        scaled = add_version(function, loop, ask, reduce(Builder(ask, before=ask.terminator).or_, answers))
        assert ask.terminator is not None
        ask.terminator.metadata["prof"] = self.module.add_metadata('!{!"branch_weights", i32 1, i32 2000}')
        for phi in loop.header.phis:
            copy = scaled[phi]
            assert isinstance(copy, Phi)
            copy.replace_operand(ahead, ask)
            phi.add_incoming(phi.value_from(ahead), ask)
        ahead.terminator.erase()
        Builder(ahead).cond_br(is_short, loop.header, ask)
        for each in self.found.products:
            self._scale(each, scaled)

    def _early(self, build: Builder, value: Value, known: dict[Value, Value]) -> Value:
        """A value as it is in the first iteration."""
        loop = self.found.loop
        if not isinstance(value, Instruction) or value.block is not loop.header:
            return value
        if value not in known:
            if isinstance(value, Phi):
                assert loop.preheader is not None
                known[value] = value.value_from(loop.preheader)
            else:
                made = value.clone([self._early(build, each, known) for each in value.operands])
                made.name, made.metadata = None, {}
                known[value] = build.insert(made)
        return known[value]

    def _is_tiny_anywhere(self, build: Builder, value: Value) -> Value:
        """Whether one lane is below T and not zero."""
        format, _, integers = _described(value)
        magnitude = build.and_(
            build.bitcast(build.insert(Freeze(value)), integers), build.const_int(integers, format.sign - 1)
        )
        less = build.sub(magnitude, build.const_int(integers, 1))
        lanes = build.icmp("ult", less, build.const_int(integers, format.bits(format.threshold) - 1))
        declared = self.module.declare_function(
            f"llvm.vector.reduce.or.{mangle(lanes.type)}", FunctionType(I1, (lanes.type,))
        )
        return build.call(declared, [lanes])

    def _scale(self, each: _Product, copies: dict[Value, Value]) -> None:
        product, add, reduction = (copies[one] for one in (each.product, each.sum.add, each.reduction))
        assert isinstance(product, BinaryOp) and isinstance(add, BinaryOp) and isinstance(reduction, CallBase)
        assert add.block is not None
        format, type, _ = _described(product)
        build = Builder(add.block, before=add)
        (left, small), (right, other) = (self._scaled(build, operand) for operand in product.operands)
        tiny = build.or_(small, other)
        scaled, none = build.fmul(left, right), build.const_float(type, -0.0)
        total, rest = (
            build.insert(reduction.clone([*reduction.operands[:1], lanes, *reduction.operands[2:]]))
            for lanes in (build.select(tiny, scaled, none), build.select(tiny, none, scaled))
        )
        old = copies[each.sum.load]
        number = total.type
        whole = each.sum.to(build, old, rest)
        factor = 2.0**-format.scale if each.sum.add.opcode == "fadd" else -(2.0**-format.scale)
        fma = self.module.declare_function(f"llvm.fma.{mangle(number)}", FunctionType(number, (number,) * 3))
        made = build.call(fma, [total, build.const_float(number, factor), whole])
        for inst in (total, rest, whole, made):
            assert isinstance(inst, Instruction)
            inst.name = None
            inst.metadata.update({key: value for key, value in add.metadata.items() if key == "dbg"})
        add.replace_all_uses_with(made)
        for inst in (add, reduction, product):
            inst.erase()

    def _scaled(self, build: Builder, value: Value) -> tuple[Value, Value]:
        """The lanes of a factor, with S in those that are below T, and which these are."""
        format, type, integers = _described(value)
        bits = build.bitcast(value, integers)
        magnitude = build.and_(bits, build.const_int(integers, format.sign - 1))
        # The fraction of a subnormal is a whole number of the smallest there are. As the fraction of 2**52 it is that
        # number and 2**52.
        even = build.or_(magnitude, build.const_int(integers, format.bits(format.fraction)))
        whole = build.fsub(build.bitcast(even, type), build.const_float(type, 2.0**format.fraction))
        unit = 2.0 ** (1 - format.bias - format.fraction + format.scale)
        below = build.bitcast(build.fmul(whole, build.const_float(type, unit)), integers)
        above = build.add(magnitude, build.const_int(integers, format.scale << format.fraction))
        subnormal = build.icmp("ult", magnitude, build.const_int(integers, format.bits(1 - format.bias)))
        larger = build.or_(
            build.select(subnormal, below, above), build.and_(bits, build.const_int(integers, format.sign))
        )
        tiny = build.icmp("ult", magnitude, build.const_int(integers, format.bits(format.threshold)))
        return build.select(tiny, build.bitcast(larger, type), value), tiny


def _described(value: Value) -> tuple[_Format, Type, VectorType]:
    """The format of a vector's numbers, its type, and that of integers as wide."""
    type = value.type
    assert isinstance(type, VectorType)
    format = _FORMATS[type.element]  # type: ignore[index]
    return format, type, VectorType(type.count, IntType(format.fraction + format.exponent + 1))
