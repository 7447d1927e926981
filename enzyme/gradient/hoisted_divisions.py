"""Integer divisions in branches of loops, by what does not change there, made in front of the loop.

``x[k % n]`` in a branch of a loop: LLVM leaves the division where it is, because n may be zero where the branch is not
taken. Its vectoriser (22.1, for processors with AVX-512) then takes the address for one that all lanes share, and
divides only where the *first* lane takes the branch: the other lanes read from an address that is garbage. So what the
vectoriser gets has no such division: it stands in front of the loop, with a divisor made 1 where the division would
stop the program. Only runs in which the branch is taken use the result, and those divide as before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.loops import Loop
from enzyme.gradient.candidates import AddressIndex
from enzyme.gradient.extract import mentioned
from enzyme.gradient.other_names import definition_of
from enzyme.gradient.read_once import read_once
from enzyme.ir.builder import Builder
from enzyme.ir.instructions import Freeze
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.ir.types import IntType
from enzyme.ir.values import BinaryOp, Block, ConstantInt, Function, Instruction, Value
from enzyme.support.graphs import strong_components

_OPCODES = frozenset(("udiv", "urem", "sdiv", "srem"))
_BY_VARIABLE = re.compile(r"= [us](?:div|rem) (?:exact )?i\d+ \S+, %")


def may_divide(text: str) -> bool:
    """Whether any integer is divided by what is no constant."""
    return _BY_VARIABLE.search(text) is not None


def may_divide_in_loops(text: str) -> bool:
    """Whether such a division may stand in a loop once the program has been optimised: it does so now, or the function
    that it is in is called in a loop, calls itself, or is called through pointers. Parsing what divides, and its
    callers, takes less time than optimising a whole program to find that there is nothing to do."""
    if not may_divide(text):
        return False
    module = parse_module(text)
    bodies = {name: f.body_text for name, f in module.functions.items() if f.body_text is not None}
    names = {name: mentioned(body) for name, body in bodies.items()}
    anywhere = {*AddressIndex(module).taken, *map(definition_of, module.aliases.values())}
    found = [name for name, body in bodies.items() if may_divide(body)]
    number = {name: index for index, name in enumerate(found)}
    callers: list[list[int]] = []
    for name in found:  # grows
        function = module.functions[name]
        if name in anywhere or _divides_in_cycle(function):
            return True
        callers.append([])
        for other in (each for each, mentions in names.items() if name in mentions):
            cycles = _cycles(module.functions[other])  # and read, so that its calls are among the users
            if any(inst.block in cycles for inst in function.users):
                return True
            if other not in number:
                number[other] = len(found)
                found.append(other)
            callers[-1].append(number[other])
    return any(len(each) > 1 or each[0] in callers[each[0]] for each in strong_components(callers))


def _divides_in_cycle(function: Function) -> bool:
    if function.body_text is not None and not may_divide(function.body_text):
        return False
    return any(_division(inst) is not None for block in _cycles(function) for inst in block.instructions)


def _cycles(function: Function) -> set[Block]:
    """Blocks that may run more than once in a call."""
    cfg = ControlFlowGraph(function)
    parts = strong_components(cfg.graph)
    return {cfg.blocks[i] for part in parts for i in part if len(part) > 1 or i in cfg.graph[i]}


def with_hoisted_divisions(text: str) -> str | None:
    """The program with such divisions in front of their loops; None where there are none. The text must have been
    optimised (what is divided in every iteration is then in front of its loop already) and its loops simplified."""
    program = read_once(text)
    changed = False
    for function, body in program.bodies:
        if not may_divide(body):
            continue
        for loop in program.loops(function).loops:
            while not loop.children and (division := next(_divisions(loop), None)) is not None:
                _hoist(division, loop)
                function.body_text = None
                changed = True
    return print_module(program.module) if changed else None


def _divisions(loop: Loop) -> Iterator[BinaryOp]:
    """Those of a loop that do not change there."""
    if loop.preheader is None:
        return
    for block in loop.order:
        for each in block.instructions:
            division = _division(each)
            if division is not None and all(map(loop.is_invariant, division.operands)):
                yield division


def _division(inst: Instruction) -> BinaryOp | None:
    """A division of integers by what is no constant."""
    if isinstance(inst, BinaryOp) and inst.opcode in _OPCODES and isinstance(inst.type, IntType):
        return inst if not isinstance(inst.operands[1], ConstantInt) else None
    return None


def _hoist(division: BinaryOp, loop: Loop) -> None:
    assert loop.preheader is not None and division.block is not None
    build = Builder(loop.preheader, before=loop.preheader.instructions[-1])
    dividend, divisor = division.operands
    divisor = build.insert(Freeze(divisor))
    stops: Value = build.icmp("eq", divisor, ConstantInt(division.type, 0))
    if division.opcode in ("sdiv", "srem"):
        dividend = build.insert(Freeze(dividend))
        assert isinstance(division.type, IntType)
        least = ConstantInt(division.type, -(1 << (division.type.bits - 1)))
        leaves = build.icmp("eq", divisor, ConstantInt(division.type, -1))
        stops = build.or_(stops, build.and_(leaves, build.icmp("eq", dividend, least)))
    safe = build.select(stops, ConstantInt(division.type, 1), divisor)
    division.replace_all_uses_with(build.insert(BinaryOp(division.opcode, dividend, safe, flags=division.flags)))
    division.erase()
