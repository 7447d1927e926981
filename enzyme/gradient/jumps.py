"""Jumps that C allows and structured analyses do not: made plain before a function is differentiated.

:func:`number_labels` takes the labels-as-values extension out of a program's text: the address of a label becomes its
number, and a computed jump a switch on it. (LLVM's own expansion does the same for targets without indirect jumps.)

:func:`make_reducible` gives every loop one entry. A strongly connected region that is entered at several blocks gets a
block in front of them: all edges to any of them go there first, with the number of the block they mean in a local, and
a switch leads on. Values that no longer dominate their uses pass through locals, which ``sroa`` promotes again.
"""

from __future__ import annotations

import re

from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree
from enzyme.ir.builder import Builder
from enzyme.ir.instructions import Switch
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.ir.types import I32, Type
from enzyme.ir.values import Block, ConstantInt, Function, Instruction, Phi
from enzyme.llvm.pipelines import RESTORE, run_passes
from enzyme.support.graphs import strong_components

_NAME = r'(?:"[^"]*"|[-\w$.\\]+)'
_ADDRESS = re.compile(rf"blockaddress\(@({_NAME}), %({_NAME})\)")
_JUMP = re.compile(r"^  indirectbr ptr ([^,]+), \[([^\]]*)\](.*)$", re.MULTILINE)
_DEFINE = re.compile(rf"^define [^@\n]*@({_NAME})\(", re.MULTILINE)


def number_labels(text: str) -> str:
    """A program without ``blockaddress`` and ``indirectbr``; the same text where it has none."""
    if "indirectbr ptr" not in text:
        return text
    numbers: dict[tuple[str, str], int] = {}
    for function, label in _ADDRESS.findall(text):
        numbers.setdefault((function, label), len(numbers) + 1)
    starts = [(found.start(), found[1]) for found in _DEFINE.finditer(text)]
    made = 0

    def jump(found: re.Match[str]) -> str:
        nonlocal made
        function = next(name for start, name in reversed(starts) if start < found.start())
        labels = [word.split("%", 1)[1].strip() for word in found[2].split(",") if "%" in word]
        if not labels:
            return f"  unreachable{found[3]}"
        made += 1
        # A label that nobody takes the address of, or that is there again, keeps its edge under a number of no label.
        taken = {labels[0]}
        cases = []
        for position, label in enumerate(labels[1:], 1):
            found_number = -position if label in taken else numbers.get((function, label), -position)
            taken.add(label)
            cases.append(f"i64 {found_number}, label %{label}")
        number = f"%label.number.{made}"
        return (
            f"  {number} = ptrtoint ptr {found[1]} to i64\n"
            f"  switch i64 {number}, label %{labels[0]} [ {'  '.join(cases)} ]{found[3]}"
        )

    text = _JUMP.sub(jump, text)
    return _ADDRESS.sub(lambda found: f"inttoptr (i64 {numbers[found[1], found[2]]} to ptr)", text)


def read_prepared(text: str) -> Module:
    """The module of a prepared text, every loop of it with one entry."""
    module = parse_module(text)
    if make_reducible(module):
        module = parse_module(run_passes(print_module(module), RESTORE))
    return module


def make_reducible(module: Module) -> bool:
    """Rewrite every function that has a loop with several entries; whether there was one."""
    changed = False
    for function in module.functions.values():
        if function.is_declaration:
            continue
        while region := _entered_twice(function):
            _one_entry(function, region)
            changed = True
    return changed


def _entered_twice(function: Function) -> list[Block]:
    """The entries of an outermost strongly connected region that has several; empty when there is none."""
    cfg = ControlFlowGraph(function)
    work = [list(range(len(cfg.blocks)))]
    while work:
        inside = work.pop()
        place = {node: i for i, node in enumerate(inside)}
        graph = [[place[s] for s in cfg.graph[node] if s in place] for node in inside]
        for component in strong_components(graph):
            nodes = {inside[i] for i in component}
            if len(nodes) < 2:
                continue
            entries = [n for n in sorted(nodes) if any(p not in nodes for p in cfg.reverse_graph[n])]
            if len(entries) > 1:
                return [cfg.blocks[n] for n in entries]
            work.append(sorted(nodes - set(entries)))
    return []


def _one_entry(function: Function, entries: list[Block]) -> None:
    head = function.entry.instructions[0]
    build = Builder(function.entry, before=head)
    chosen = build.alloca(I32, name="entry.chosen")
    dispatch = function.append_block(Block(name="entry.dispatch"))
    sources = {entry: list(dict.fromkeys(entry.predecessors)) for entry in entries}
    for number, entry in enumerate(entries):
        slots = [(phi, build.alloca(phi.type, name=f"{phi.name or 'phi'}.slot")) for phi in entry.phis]
        for source in sources[entry]:
            assert source.terminator is not None
            edge = function.append_block(Block(name="entry.edge"))
            on_edge = Builder(edge)
            for phi, slot in slots:
                on_edge.store(phi.value_from(source), slot, _align(function, phi.type))
            on_edge.store(ConstantInt(I32, number), chosen, 4)
            on_edge.br(dispatch)
            source.terminator.replace_operand(entry, edge)
        for phi, slot in slots:
            first = next(i for i in entry.instructions if not isinstance(i, Phi))
            loaded = Builder(entry, before=first).load(phi.type, slot, _align(function, phi.type), name=phi.name)
            phi.replace_all_uses_with(loaded)
            phi.erase()
    leading = Builder(dispatch)
    which = leading.load(I32, chosen, 4)
    cases = [(ConstantInt(I32, number), entry) for number, entry in enumerate(entries) if number]
    leading.insert(Switch(which, entries[0], cases))
    _demote(function)


def _demote(function: Function) -> None:
    """Through a local, every value that does not dominate all of its uses any more."""
    cfg = ControlFlowGraph(function)
    dominators = DominatorTree(cfg)
    lost = [
        inst
        for block in cfg.blocks
        for inst in block.instructions
        if any(not _reaches(dominators, inst, user, index) for user, index in _uses(inst))
    ]
    for inst in lost:
        align = _align(function, inst.type)
        slot = Builder(function.entry, before=function.entry.instructions[0]).alloca(inst.type, align=align)
        block = inst.block
        assert block is not None
        uses = _uses(inst)
        after = block.instructions[block.instructions.index(inst) + 1 :]
        place = next(i for i in after if not isinstance(i, Phi)) if isinstance(inst, Phi) else after[0]
        Builder(block, before=place).store(inst, slot, align)
        for user, index in uses:
            before: Instruction = user
            if isinstance(user, Phi):
                source = user.operands[index + 1]
                assert isinstance(source, Block) and source.terminator is not None
                before = source.terminator
            assert before.block is not None
            user.set_operand(index, Builder(before.block, before=before).load(inst.type, slot, align))


def _uses(inst: Instruction) -> list[tuple[Instruction, int]]:
    users = dict.fromkeys(user for user in inst.users if isinstance(user, Instruction))
    return [(user, index) for user in users for index, operand in enumerate(user.operands) if operand is inst]


def _reaches(dominators: DominatorTree, inst: Instruction, user: Instruction, index: int) -> bool:
    cfg = dominators.cfg
    if user.block is None or not cfg.is_reachable(user.block):
        return True
    if isinstance(user, Phi) and not cfg.is_reachable(user.operands[index + 1]):  # type: ignore[arg-type]
        return True
    return dominators.dominates_use(inst, user, index)


def _align(function: Function, type: Type) -> int:
    assert function.module is not None
    return function.module.datalayout.abi_align(type)


__all__ = ["make_reducible", "number_labels", "read_prepared"]
