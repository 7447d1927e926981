"""Checks that a function is well formed; every transformation must leave it so.

Structure (blocks, terminators, phis), use lists, operand types (:mod:`enzyme.ir.type_rules`) and dominance of
definitions over uses. Dominators are computed here, since analyses lie above this layer: the iterative algorithm of
Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
"""

from __future__ import annotations

from collections import Counter

from enzyme.ir.module import Module
from enzyme.ir.printer import print_instruction
from enzyme.ir.type_rules import RULES
from enzyme.ir.values import (
    Argument,
    Block,
    Constant,
    DebugRecord,
    Function,
    GlobalValue,
    Instruction,
    Invoke,
    MetadataValue,
    Phi,
    Value,
)
from enzyme.support.diagnostics import VerificationError


def verify_module(module: Module) -> None:
    """Check every function whose body is loaded, and that the tables agree with the objects."""
    tables: tuple[dict[str, GlobalValue], ...]
    tables = ({**module.functions}, {**module.globals}, {**module.aliases})
    listed = {id(entity) for entity in module.entities}
    for table in tables:
        for name, value in table.items():
            if value.name != name:
                raise VerificationError(f"the module lists '{value.name}' under the name '{name}'")
            if value.module is not module or id(value) not in listed:
                raise VerificationError(f"the global '{name}' does not belong to the module that lists it")
    for function in module.functions.values():
        if not function.is_declaration and function.is_loaded:
            verify_function(function)


def verify_function(function: Function) -> None:
    """Raise VerificationError at the first broken invariant; a declaration is always well formed."""
    if function.is_declaration:
        return
    _Verifier(function).run()


class _Verifier:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.blocks = function.blocks
        self.known_blocks = set(self.blocks)
        self.position: dict[Instruction, int] = {}

    def fail(self, what: str, inst: Instruction | None = None, why: str | None = None) -> VerificationError:
        text = print_instruction(inst) if inst is not None else None
        return VerificationError(what, function=self.function.name, instruction=text, why=why)

    def run(self) -> None:
        self.structure()
        for block in self.blocks:
            for inst in block.instructions:
                self.operands(inst)
                self.types(inst)
        self.use_lists()
        self.edges()
        self.dominance()

    # --- structure

    def structure(self) -> None:
        if len(self.known_blocks) != len(self.blocks):
            raise self.fail("a block stands in the function twice")
        for block in self.blocks:
            if block.function is not self.function:
                raise self.fail(f"the block '{block.name}' says that it belongs to another function")
            if block.terminator is None:
                raise self.fail(f"the block '{block.name or self.blocks.index(block)}' has no terminator")
            after_phis = False
            for index, inst in enumerate(block.instructions):
                if inst in self.position:
                    raise self.fail("an instruction stands in the function twice", inst)
                self.position[inst] = index
                if inst.block is not block:
                    raise self.fail("an instruction says that it belongs to another block", inst)
                if inst.is_terminator and index + 1 != len(block.instructions):
                    raise self.fail("a terminator inside a block", inst)
                if isinstance(inst, Phi):
                    if after_phis:
                        raise self.fail("a phi behind other instructions", inst)
                elif not isinstance(inst, DebugRecord):
                    after_phis = True

    # --- operands

    def operands(self, inst: Instruction) -> None:
        for operand in inst.operands:
            self.operand(inst, operand.inner if isinstance(operand, MetadataValue) else operand)

    def operand(self, inst: Instruction, operand: Value) -> None:
        if isinstance(operand, Instruction):
            if operand not in self.position:
                raise self.fail("uses an instruction that is not in this function", inst, self.describe(operand))
        elif isinstance(operand, Block):
            if operand not in self.known_blocks:
                raise self.fail("refers to a block that is not in this function", inst, f"block '{operand.name}'")
        elif isinstance(operand, Argument):
            if operand.function is not self.function:
                raise self.fail("uses an argument of another function", inst, f"argument '{operand.name}'")
        elif isinstance(operand, GlobalValue):
            if operand.module is not self.function.module:
                raise self.fail("uses a global of another module", inst, f"global '{operand.name}'")
        elif not isinstance(operand, Constant):
            raise self.fail("uses a value that is never defined", inst, repr(operand))

    @staticmethod
    def describe(inst: Instruction) -> str:
        where = f"in function '{inst.function.name}'" if inst.function is not None else "in no function"
        return f"{print_instruction(inst)} ({where})"

    def types(self, inst: Instruction) -> None:
        rule = RULES.get(inst.opcode)
        problem = rule(inst) if rule is not None else None
        if problem is not None:
            raise self.fail(f"wrong types in a {inst.opcode}", inst, problem)

    # --- use lists

    def use_lists(self) -> None:
        """Every operand slot is counted in its value's use list, and every local's use list is true."""
        for inst in self.position:
            for operand, count in _uses(inst).items():
                if operand.users.get(inst, 0) != count:
                    why = f"{count} operand slots, {operand.users.get(inst, 0)} in the use list of {operand!r}"
                    raise self.fail("a use list lacks a use", inst, why)
        locals: list[Value] = [*self.function.args, *self.blocks, *self.position]
        for value in locals:
            for user, count in value.users.items():
                if _uses(user).get(value, 0) != count:
                    raise self.fail("a use list names an instruction that does not use the value", user, repr(value))

    # --- control flow

    def edges(self) -> None:
        incoming: dict[Block, Counter[Block]] = {block: Counter() for block in self.blocks}
        for block in self.blocks:
            for successor in block.successors:
                incoming[successor][block] += 1
        entry = self.blocks[0]
        if incoming[entry]:
            raise self.fail("the entry block has a predecessor", next(iter(incoming[entry])).terminator)
        for block in self.blocks:
            for phi in block.phis:
                self.phi(phi, incoming[block])

    def phi(self, phi: Phi, predecessors: Counter[Block]) -> None:
        given: Counter[Block] = Counter()
        value_of: dict[Block, Value] = {}
        for value, block in phi.incoming:
            given[block] += 1
            first = value_of.setdefault(block, value)
            if first is not value and not _same_constant(first, value):
                raise self.fail("a phi has two values for one predecessor", phi)
        if given != predecessors:
            missing = [b.name for b in predecessors if given[b] < predecessors[b]]
            extra = [b.name for b in given if given[b] > predecessors[b]]
            raise self.fail("a phi does not match the predecessors", phi, f"missing {missing}, too many {extra}")

    # --- dominance

    def dominance(self) -> None:
        order = _reverse_postorder(self.blocks[0])
        tree = _DominatorTree(order)
        for block in order:
            for inst in block.instructions:
                for index, operand in enumerate(inst.operands):
                    value = operand.inner if isinstance(operand, MetadataValue) else operand
                    if not isinstance(value, Instruction) or isinstance(inst, DebugRecord):
                        continue
                    if isinstance(inst, Phi):
                        source = inst.operands[index + 1]
                        assert isinstance(source, Block)
                        good = source not in tree.number or self.reaches_end(tree, value, source, block)
                    else:
                        good = self.available(tree, value, block, self.position[inst])
                    if not good:
                        raise self.fail("a definition does not dominate its use", inst, print_instruction(value))

    def available(self, tree: _DominatorTree, value: Instruction, block: Block, position: int) -> bool:
        """Whether ``value`` is defined on every path to ``position`` in ``block``."""
        home = value.block
        assert home is not None
        if isinstance(value, Invoke):
            return self.edge_dominates(tree, value, block)
        if home is block:
            return self.position[value] < position
        return tree.dominates(home, block)

    def reaches_end(self, tree: _DominatorTree, value: Instruction, source: Block, target: Block) -> bool:
        """Whether ``value`` is defined on the edge from ``source`` to ``target``."""
        if isinstance(value, Invoke) and value.block is source:
            return value.operands[-2] is target and value.operands[-1] is not target
        return self.available(tree, value, source, len(source.instructions))

    def edge_dominates(self, tree: _DominatorTree, invoke: Invoke, block: Block) -> bool:
        """An invoke's result exists only behind its normal edge."""
        normal = invoke.operands[-2]
        assert isinstance(normal, Block)
        if not tree.dominates(normal, block):
            return False
        return all(p is invoke.block or tree.dominates(normal, p) for p in normal.predecessors if p in tree.number)


def _uses(inst: Instruction) -> Counter[Value]:
    """Tracked operands with their number of slots."""
    found: Counter[Value] = Counter()
    for operand in inst.operands:
        value = operand.inner if isinstance(operand, MetadataValue) else operand
        if value.tracked:
            found[value] += 1
    return found


def _same_constant(left: Value, right: Value) -> bool:
    return isinstance(left, Constant) and isinstance(right, Constant) and left.text == right.text


def _reverse_postorder(entry: Block) -> list[Block]:
    """Blocks reachable from ``entry``, each before its successors where no cycle forbids it."""
    order: list[Block] = []
    seen = {entry}
    stack = [(entry, iter(entry.successors))]
    while stack:
        block, successors = stack[-1]
        for successor in successors:
            if successor not in seen:
                seen.add(successor)
                stack.append((successor, iter(successor.successors)))
                break
        else:
            order.append(block)
            stack.pop()
    return order[::-1]


class _DominatorTree:
    """Immediate dominators as numbers in reverse postorder."""

    def __init__(self, order: list[Block]) -> None:
        self.number = {block: index for index, block in enumerate(order)}
        predecessors: list[list[int]] = [[] for _ in order]
        for block in order:
            for successor in block.successors:
                predecessors[self.number[successor]].append(self.number[block])
        idom = [-1] * len(order)
        idom[0] = 0
        changed = True
        while changed:
            changed = False
            for index in range(1, len(order)):
                new = -1
                for p in predecessors[index]:
                    if idom[p] >= 0:
                        new = p if new < 0 else self._meet(idom, p, new)
                if idom[index] != new:
                    idom[index] = new
                    changed = True
        self.idom = idom

    @staticmethod
    def _meet(idom: list[int], a: int, b: int) -> int:
        while a != b:
            while a > b:
                a = idom[a]
            while b > a:
                b = idom[b]
        return a

    def dominates(self, a: Block, b: Block) -> bool:
        if a not in self.number or b not in self.number:
            return False
        target, at = self.number[a], self.number[b]
        while at > target:
            at = self.idom[at]
        return at == target
