"""Loops whose indices are checked get a second version without the checks, where none of them can fail.

``v.at(i)`` throws, and in Rust ``v[i]`` ends the program, if i is no index of v; ``assert(i < n)`` does that in C. A
loop with such checks can be left in the middle of an iteration: how often it runs is not known in front of it, and
nothing that is made for loops (iterations that run again, sums at once, vectors) is made for it. Where an optimiser
cannot tell that no check fails, the running program can, in front of the outermost loop: an index is linear in the
counters of the loops, and so least and greatest where these are.

A check is a branch that asks which of two integers is less, and goes to where the function does not return from on one
side. Its difference is a polynomial in the counters and in what does not change in the nest. If it is large enough at
all corners, which is computed in numbers that are asked to be small enough for products to be right, the version runs
in which the branch is none. Else the nest runs as it was, and so throws where it did.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop, LoopForest
from enzyme.analysis.polynomials import Polynomial, counter, in_program_order
from enzyme.gradient.asked_ahead import Question
from enzyme.gradient.exceptions import forget_edge
from enzyme.gradient.held_pointers import is_ahead
from enzyme.gradient.jumps import read_prepared
from enzyme.gradient.loop_versions import add_version, leaves_by_phis
from enzyme.ir.builder import Builder
from enzyme.ir.layout import DataLayout
from enzyme.ir.module import Module
from enzyme.ir.printer import print_module
from enzyme.ir.types import I1, FloatType
from enzyme.ir.values import (
    BinaryOp,
    Block,
    Branch,
    Compare,
    ConstantInt,
    Function,
    Instruction,
    Select,
    Value,
)
from enzyme.llvm.pipelines import shaped, simplified

_LONGEST = 1000
"""Instructions of a nest that gets another version."""
_MOST_NESTS = 32
"""Nests of a function that are looked at."""
_MOST_CORNERS = 96
"""Differences that are computed in front of one nest."""
_DEGREE = 4
_ROOM = 40
"""Bits of a product of numbers in a difference; factors before it have at most half as many."""
_FACTOR = 1 << (_ROOM // 2)
_TERMS = 8
_INVERSE = {
    "sgt": "sle", "sge": "slt", "slt": "sge", "sle": "sgt",
    "ugt": "ule", "uge": "ult", "ult": "uge", "ule": "ugt", "eq": "ne",
}  # fmt: skip
_LESS = {"lt": 1, "le": 0}
_GREATER = {"gt": 1, "ge": 0}


def with_checks_ahead(text: str) -> str | None:
    """Optimised functions, their nests with a version without checks where that can be; None if none has any."""
    if "unreachable" not in text:
        return None
    module = read_prepared(text)
    changed = [function.name or "" for function in list(module.functions.values()) if _divide(module, function)]
    if not changed:
        return None
    return shaped(simplified(print_module(module), changed))


def _divide(module: Module, function: Function) -> bool:
    """Give the nests of a function that qualify their other version; whether there was one."""
    if function.is_declaration:
        return False
    changed = False
    seen: set[Block] = set()
    for _ in range(_MOST_NESTS):
        cfg = ControlFlowGraph(function)
        lost = set(cfg.blocks) - cfg.returning if cfg.returning else set()
        forest = LoopForest(cfg, DominatorTree(cfg)) if lost else None
        found = next(filter(None, (_checked(loop, lost, seen) for loop in _outermost_first(forest))), None)
        if found is None:
            break
        seen.add(found.loop.header)
        made = _Versions(module.datalayout, function, found).make()
        if made:
            changed = True
            seen |= found.loop.blocks
            seen |= made
    return changed


def _outermost_first(forest: LoopForest | None) -> list[Loop]:
    if forest is None or forest.irreducible_edges:
        return []
    return sorted(forest.loops, key=lambda loop: loop.depth)


@dataclass
class _Checked:
    """A nest that is left in the middle by checks only: of each, the branch and where it goes on."""

    loop: Loop
    checks: dict[Block, Block]


_Asked: TypeAlias = tuple[Compare, str]
"""A comparison, and how it turns out where the loop goes on."""


def _checked(loop: Loop, lost: set[Block], seen: set[Block]) -> _Checked | None:
    if loop.header in seen or loop.header in lost or not loop.is_simple or not _is_worth_it(loop):
        return None
    checks: dict[Block, Block] = {}
    for inside, outside in loop.exits:
        if outside not in lost:
            continue
        end = inside.terminator
        if not isinstance(end, Branch) or not end.is_conditional:
            return None
        stays = [each for each in end.operands[1:] if each is not outside]
        if len(stays) != 1 or not isinstance(stays[0], Block) or stays[0] not in loop.blocks:
            return None
        if not _asked(end.operands[0], end.operands[1] is stays[0]):
            return None
        checks[inside] = stays[0]
    front = loop.preheader
    plain = front is not None and isinstance(front.terminator, Branch) and not front.terminator.is_conditional
    return _Checked(loop, checks) if checks and plain and leaves_by_phis(loop) else None


def _is_worth_it(loop: Loop) -> bool:
    """Whether a loop works on numbers, and is not too long."""
    instructions = [inst for block in loop.order for inst in block.instructions]
    return len(instructions) <= _LONGEST and any(isinstance(inst.type.scalar, FloatType) for inst in instructions)


@dataclass
class _Versions:
    """The version without checks, made first, for what is asked is told from its own loops; it is taken away again
    where that cannot be told."""

    layout: DataLayout
    function: Function
    found: _Checked
    rooms: list[Polynomial] = field(default_factory=list)
    """What must not be negative for no check to fail."""

    def make(self) -> set[Block]:
        """The blocks of the version; none where it cannot be."""
        loop = self.found.loop
        front = loop.preheader
        assert front is not None
        asked: dict[_Asked, None] = {}
        for block, stay in self.found.checks.items():
            end = block.terminator
            assert end is not None
            asked.update(dict.fromkeys(_asked(end.operands[0], end.operands[1] is stay)))
        copies = add_version(self.function, loop, front, ConstantInt(I1, 1))
        for block, stay in self.found.checks.items():
            copied, going_on = copies[block], copies[stay]
            assert isinstance(copied, Block) and isinstance(going_on, Block) and copied.terminator is not None
            for target in copied.successors:
                if target is not going_on:
                    forget_edge(target, copied)
            copied.terminator.erase()
            Builder(copied).br(going_on)
        header = copies[loop.header]
        assert isinstance(header, Block)
        version = [block for block in map(copies.__getitem__, loop.order) if isinstance(block, Block)]
        if self._are_known(header, [(copies.get(each, each), how) for each, how in asked]):
            condition = self._question(Builder(front, before=front.terminator), set(version))
            assert front.terminator is not None
            front.terminator.set_operand(0, condition)
            return set(version)
        self._take_away(front, version)
        return set()

    def _question(self, build: Builder, version: set[Block]) -> Value:
        """Whether no difference is negative, and their products are small."""
        products = [product for form in self.rooms for product, _ in in_program_order(form.varying)]
        small = {(variable, 1 << (_ROOM // len(product))): None for product in products for variable in product}
        return Question(build, lambda it: isinstance(it, Instruction) and it.block not in version).holds(
            self.rooms, small
        )

    def _take_away(self, front: Block, copied: list[Block]) -> None:
        for block in copied:
            for target in dict.fromkeys(block.successors):
                if target not in copied:
                    forget_edge(target, block)
        for block in copied:
            for inst in block.instructions:
                inst.drop_operands()
        for block in copied:
            self.function.blocks.remove(block)
        assert front.terminator is not None
        front.terminator.erase()
        Builder(front).br(self.found.loop.header)

    def _are_known(self, header: Block, asked: list[tuple[Value, str]]) -> bool:
        """Whether all checks of the version, whose first block is given, can be told in front of it."""
        dominators = DominatorTree(cfg := ControlFlowGraph(self.function))
        forest = LoopForest(cfg, dominators)
        nest = next((each for each in forest.loops if each.header is header), None)
        if nest is None:
            return False
        forms = FunctionForms(dominators, forest, self.layout)
        for compare, predicate in asked:
            assert isinstance(compare, Compare)
            for room in self._rooms(forms, predicate, compare.operands[0], compare.operands[1]):
                if room is None or not self._add(forms, room, forest.loop_of(compare.block), nest):
                    return False
        return len(self.rooms) <= _MOST_CORNERS

    def _rooms(self, forms: FunctionForms, predicate: str, left: Value, right: Value) -> Iterator[Polynomial | None]:
        """What is not negative if the numbers compare so."""
        sign, order = predicate[:1], predicate[1:]
        if predicate == "ne":  # as optimisers ask of a counter, which comes by all numbers: here it does not get there
            sign, order = "s", "lt"
            if _falls(forms.integer(left)):
                left, right = right, left
        if order in _GREATER:
            left, right, order = right, left, {"gt": "lt", "ge": "le"}[order]
        how = "zext" if sign == "u" else "sext"
        less, more = forms.integer(left, how), forms.integer(right, how)
        if order not in _LESS or less is None or more is None:
            yield None
            return
        yield more.minus(less).plus(Polynomial.number(-_LESS[order]))
        if sign == "u":
            yield less

    def _add(self, forms: FunctionForms, form: Polynomial, loop: Loop | None, nest: Loop) -> bool:
        """Note a form where it is least and greatest; whether that can be told in front of the nest."""
        while loop is not None and nest.contains(loop) and not form.degree(counter(loop)):
            loop = loop.parent
        if loop is None or not nest.contains(loop):
            if not self._is_plain(form, nest):
                return False
            if form.constant is None and form not in self.rooms:
                self.rooms.append(form)
            return form.constant is None or form.constant >= 0
        rounds = forms.rounds(loop)
        if rounds is None or form.degree(counter(loop)) > 1 or len(self.rooms) > _MOST_CORNERS:
            return False
        last = rounds.minus(Polynomial.number(1))
        ends = (form.replaced(counter(loop), each) for each in (Polynomial(()), last))
        return all(self._add(forms, each, loop.parent, nest) for each in ends)

    def _is_plain(self, form: Polynomial, nest: Loop) -> bool:
        """Whether a form is made of what does not change in the nest, and of products that are small."""
        return (
            len(form.terms) <= _TERMS
            and abs(form.offset) < 1 << _ROOM
            and all(len(product) <= _DEGREE and abs(factor) < _FACTOR for product, factor in form.varying)
            and all(
                isinstance(what, Value) and not isinstance(what, Loop) and is_ahead(what, nest.is_invariant)
                for what, _ in form.variables
            )
        )


def _asked(condition: Value, holds: bool) -> list[_Asked]:
    """The comparisons that all turn out in a certain way if and only if a condition holds, or does not; none if it is
    not made of such."""
    if isinstance(condition, Compare) and condition.opcode == "icmp":
        predicate = condition.predicate if holds else _INVERSE.get(condition.predicate, "")
        return [(condition, predicate)] if predicate in _INVERSE or predicate == "ne" else []
    parts: list[Value] = []
    if isinstance(condition, BinaryOp) and condition.opcode == ("and" if holds else "or"):
        parts = list(condition.operands)
    elif isinstance(condition, BinaryOp) and condition.opcode == "xor" and _is_flag(condition.operands[1], True):
        return _asked(condition.operands[0], not holds)
    elif isinstance(condition, Select):
        given, if_true, if_false = condition.operands
        if _is_flag(if_false, False) if holds else _is_flag(if_true, True):
            parts = [given, if_true if holds else if_false]
    found = [_asked(each, holds) for each in parts]
    return [each for some in found for each in some] if all(found) else []


def _is_flag(value: Value, what: bool) -> bool:
    return isinstance(value, ConstantInt) and value.type is I1 and bool(value.value) is what


def _falls(form: Polynomial | None) -> bool:
    """Whether a number is less in each round of some loop."""
    return form is not None and any(
        isinstance(what, Loop) and (form.stride((what, how)) or 0) < 0 for what, how in form.variables
    )
