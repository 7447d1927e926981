"""What an iteration makes linearly of the numbers that it was handed by the one before: as sums of products.

A form has for each of those numbers the factor by which it goes into a value, and under None what comes on top. The
factors are expressions over values that do not depend on the numbers themselves. They are kept as nodes, equal ones
once, and become instructions when the form is emitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from enzyme.analysis.loops import Loop
from enzyme.gradient.sums import is_fused
from enzyme.ir.builder import Builder
from enzyme.ir.types import Type
from enzyme.ir.values import (
    BinaryOp,
    Block,
    Compare,
    ConstantFloat,
    Instruction,
    Phi,
    Select,
    UnaryOp,
    Value,
)

FLAGS = ("nsz", "contract")
"""Of what is made here: adding to a zero and fusing products with sums are allowed in derivatives anyway."""
_UNEQUAL, _EQUAL = ("une", "one"), ("oeq", "ueq")


@dataclass(frozen=True, eq=False)
class Node:
    """``op`` of ``parts``: nodes, for "value" a value of the program, for "select" a condition in front of two nodes
    (None: zero), for "merge" a node for each block that a merge comes from. ``block`` is the block of the loop in which
    it can be made, ``number`` puts them in order."""

    op: str
    parts: tuple[object, ...] = ()
    block: Block | None = None
    number: int = 0


ONE = Node("one")
Form = Mapping[Phi | None, Node]


class Nodes:
    """Makes nodes, equal ones of a ``block`` once. A missing node is zero."""

    def __init__(self) -> None:
        self.block: Block | None = None
        self._made: dict[tuple[str, Block | None, tuple[int, ...]], Node] = {}

    def node(self, op: str, *parts: object) -> Node:
        block = self.block if op != "value" else None
        key = op, block, tuple(map(id, parts))
        if key not in self._made:
            self._made[key] = Node(op, parts, block, len(self._made) + 1)
        return self._made[key]

    def value(self, value: Value) -> Node | None:
        if isinstance(value, ConstantFloat) and value.value in (0.0, 1.0):
            return ONE if value.value else None
        return self.node("value", value)

    def negative(self, node: Node) -> Node:
        if node.op == "neg":
            (inner,) = node.parts
            assert isinstance(inner, Node)
            return inner
        return self.node("neg", node)

    def product(self, left: Node, right: Node) -> Node:
        if left is ONE or right is ONE:
            return left if right is ONE else right
        if left.op == "neg" or right.op == "neg":
            sign = (left.op == "neg") != (right.op == "neg")
            plain = self.product(*(self.negative(each) if each.op == "neg" else each for each in (left, right)))
            return self.negative(plain) if sign else plain
        return self.node("mul", *sorted((left, right), key=_number))

    def sum(self, left: Node | None, right: Node | None) -> Node | None:
        if left is None or right is None:
            return left or right
        if right.op == "neg":
            return self.node("sub", left, self.negative(right))
        if left.op == "neg":
            return self.node("sub", right, self.negative(left))
        return self.node("add", *sorted((left, right), key=_number))

    def quotient(self, node: Node, divisor: Value) -> Node:
        if node.op == "neg":
            return self.negative(self.quotient(self.negative(node), divisor))
        return self.node("div", node, divisor)

    def choice(self, condition: Value, true: Node | None, false: Node | None) -> Node | None:
        if true is false:
            return true
        return self.node("select", condition, true, false)

    def merge(self, incoming: Sequence[tuple[Node | None, Block]]) -> Node | None:
        first, _ = incoming[0]
        if all(node is first for node, _ in incoming):
            return first
        return self.node("merge", *(part for pair in incoming for part in pair))


class LinearForms:
    """The forms of what the body of an innermost loop makes of the phis ``roots``.

    A choice that leaves out a product of zero, as derivatives do where a factor may be infinite, is taken for the
    product: that is the same where all factors are finite, which whoever uses a form has to ask."""

    def __init__(self, loop: Loop, roots: Iterable[Phi]) -> None:
        self.nodes = nodes = Nodes()
        self.kind: Type | None = None
        self.forms: dict[Value, Form | None] = {}
        """By value, for all that depends on the roots; None: not linear."""
        self._products: dict[Value, set[Value]] = {}
        """Of which values a value is the product with something that does not depend on the roots."""
        for root in roots:
            self.kind = root.type
            self.forms[root] = {root: ONE}
        for block in loop.order:
            nodes.block = block
            for inst in block.instructions:
                if inst not in self.forms and any(each in self.forms for each in inst.operands):
                    self.forms[inst] = self._form(inst) if inst.type is self.kind else None

    def of(self, value: Value) -> Form | None:
        """The form of a value, also of one that does not depend on the roots."""
        if value in self.forms:
            return self.forms[value]
        node = self.nodes.value(value)
        return {} if node is None else {None: node}

    def _form(self, inst: Instruction) -> Form | None:
        nodes = self.nodes
        if isinstance(inst, UnaryOp) and inst.opcode == "fneg":
            self._is_product(inst, inst.operands[0])
            return self._each(self.of(inst.operands[0]), nodes.negative)
        if isinstance(inst, Select):
            return self._choice(inst)
        if isinstance(inst, Phi):
            return self._merge(inst)
        if is_fused(inst):
            left, right, added = inst.operands[:3]
            return self._sum(self._product(None, left, right), self.of(added))
        if not isinstance(inst, BinaryOp):
            return None
        left, right = inst.operands
        if inst.opcode == "fadd":
            return self._sum(self.of(left), self.of(right))
        if inst.opcode == "fsub":
            return self._sum(self.of(left), self._each(self.of(right), nodes.negative))
        if inst.opcode == "fmul":
            return self._product(inst, left, right)
        if inst.opcode == "fdiv" and right not in self.forms:
            self._is_product(inst, left)
            return self._each(self.of(left), lambda node: nodes.quotient(node, right))
        return None

    def _choice(self, inst: Select) -> Form | None:
        condition, true, false = inst.operands
        if condition in self.forms:
            product = self._kept(condition, true, false)
            if product is not None:
                self._is_product(inst, product)
            return None if product is None else self.forms[product]
        first, second = self.of(true), self.of(false)
        if first is None or second is None:
            return None
        made: dict[Phi | None, Node] = {}
        for key in dict.fromkeys((*first, *second)):
            node = self.nodes.choice(condition, first.get(key), second.get(key))
            assert node is not None
            made[key] = node
        return made

    def _merge(self, inst: Phi) -> Form | None:
        forms = [(self.of(value), source) for value, source in inst.incoming]
        made: dict[Phi | None, Node] = {}
        for key in dict.fromkeys(key for form, _ in forms for key in form or ()):
            node = self.nodes.merge([((form or {}).get(key), source) for form, source in forms])
            assert node is not None
            made[key] = node
        return None if any(form is None for form, _ in forms) else made

    def _kept(self, condition: Value, true: Value, false: Value) -> Value | None:
        """What a choice leaves out where another number is zero and it is a multiple of that."""
        if not isinstance(condition, Compare) or condition.predicate not in (*_UNEQUAL, *_EQUAL):
            return None
        product, rest = (true, false) if condition.predicate in _UNEQUAL else (false, true)
        zeros = [each for each in condition.operands if isinstance(each, ConstantFloat) and each.value == 0.0]
        if not zeros or not isinstance(rest, ConstantFloat) or rest.value != 0.0:
            return None
        (compared,) = (each for each in condition.operands if each is not zeros[0])
        return product if compared in self._products.get(product, ()) else None

    def _product(self, inst: Instruction | None, left: Value, right: Value) -> Form | None:
        if left in self.forms and right in self.forms:
            return None
        linear, factor = (left, right) if left in self.forms else (right, left)
        if inst is not None:
            self._is_product(inst, linear)
        node = self.nodes.value(factor) or self.nodes.node("value", factor)  # zero times infinity is no zero
        return self._each(self.of(linear), lambda each: self.nodes.product(each, node))

    def _is_product(self, inst: Instruction, of: Value) -> None:
        self._products[inst] = {of, *self._products.get(of, ())}

    def _sum(self, left: Form | None, right: Form | None) -> Form | None:
        if left is None or right is None:
            return None
        made: dict[Phi | None, Node] = {}
        for key in dict.fromkeys((*left, *right)):
            node = self.nodes.sum(left.get(key), right.get(key))
            assert node is not None
            made[key] = node
        return made

    @staticmethod
    def _each(form: Form | None, change: Callable[[Node], Node]) -> Form | None:
        return None if form is None else {key: change(node) for key, node in form.items()}


def _number(node: Node) -> int:
    return node.number


class Emitter:
    """Makes instructions of nodes, once for each; ``build`` is where. Of values of the program in ``made`` those are
    taken, and so for blocks."""

    def __init__(self, build: Builder, kind: Type, made: Mapping[Value, Value]) -> None:
        self.build, self.kind, self.made = build, kind, made
        self._done: dict[Node, Value] = {}

    def value(self, node: Node) -> Value:
        for each in nodes_under((node,)):
            if each not in self._done:
                self._done[each] = self._emit(each)
        return self._done[node]

    def _part(self, part: object) -> Value:
        if isinstance(part, Node):
            return self._done[part]
        if isinstance(part, Value):
            return self.made.get(part, part)
        assert part is None
        return self.build.const_float(self.kind, 0.0)

    def _emit(self, node: Node) -> Value:
        build = self.build
        if node is ONE:
            return build.const_float(self.kind, 1.0)
        first, *more = (self._part(each) for each in node.parts)
        match node.op:
            case "value":
                return first
            case "neg":
                return build.fneg(first, FLAGS)
            case "select":
                return build.select(first, more[0], more[1])
            case "mul":
                return build.fmul(first, more[0], FLAGS)
            case "add":
                return build.fadd(first, more[0], FLAGS)
            case "sub":
                return build.fsub(first, more[0], FLAGS)
            case "merge":
                parts = [first, *more]
                return build.phi(
                    self.kind, [(v, b) for v, b in zip(parts[::2], parts[1::2], strict=True) if _is_block(b)]
                )
        assert node.op == "div", node
        return build.fdiv(first, more[0], FLAGS)


def _is_block(value: Value) -> TypeGuard[Block]:
    return isinstance(value, Block)


def nodes_under(roots: Iterable[Node]) -> list[Node]:
    """All nodes that nodes are made of, themselves included, each behind its parts."""
    found: dict[Node, None] = {}
    order = list(roots)
    while order:
        last = order[-1]
        waiting = [each for each in last.parts if isinstance(each, Node) and each not in found]
        if waiting:
            order += waiting
        else:
            found[order.pop()] = None
    return list(found)
