"""How many bytes of tape a derivative has at its largest, as the plan says, with those of the derivatives it calls."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

from enzyme.analysis.loops import Loop
from enzyme.analysis.symbolic import (
    Sym,
    SymConst,
    SymOp,
    SymValue,
    constant,
    evaluate_sym,
    expand,
    leaf,
    operation,
    substitute,
    sym_values,
)
from enzyme.gradient.engine import Engine
from enzyme.gradient.linear_maps import linear_maps
from enzyme.gradient.loop_costs import StepChoice
from enzyme.gradient.places import loop_place
from enzyme.gradient.plan import LoopTape, Origins, TapePlan
from enzyme.gradient.primal import PrimalCopy
from enzyme.gradient.runtime_arrays import LEAST_IN_CALLS, LEAST_ROOM
from enzyme.gradient.together import LANES, ROOM
from enzyme.ir.types import I64
from enzyme.ir.values import Alloca, Argument, Block, CallBase, Function, Instruction, Load, Phi, Select, Value

_AT_ONCE = ""
"""The key of calls that are reversed at once."""
_POINTER = 8
_MOST = 4000
"""Leaves and operations of a size beyond which it is no longer spelt out."""


class Sizes:
    """The tapes of an engine's derivatives. A size is a tree over the parameters of the derivative's function, and over
    numbers that only the running program knows: ``line12`` says how often the loop at line 12 runs in all, and
    ``recursion`` how many bytes the tapes of a recursive call take. ``doubled(a, b)`` is a, doubled until it is b or
    more: the room in arrays that grow."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._open: dict[str, Argument] = {}
        self._known: dict[str, Sym] = {}
        self._under_way: set[str] = set()

    def of(self, name: str) -> Sym:
        """The size of a derivative's tape."""
        found = self._known.get(name)
        if found is None:
            if name in self._under_way:
                return self._unknown("recursion")  # each call has a tape of its own
            self._under_way.add(name)
            kept = self.engine.matrices.kept.get(name)
            found = self._known[name] = kept.size if kept is not None else self._find(*self.engine.plans[name])
            self._under_way.discard(name)
        return found

    def _find(self, plan: TapePlan, copy: PrimalCopy) -> Sym:
        split = copy.request.mode == "split"
        in_caller = split and self.engine.is_in_values(copy.target.name or "")  # what is once per call
        fixed = sum(plan.sizes[value] for value in plan.scalars) if not in_caller else 0
        if split and not in_caller:  # the frame holds a pointer for each array, and where a loop's entries begin
            fixed += sum(_POINTER * (len(tape.values) + 1) for tape in plan.tapes)
        size: Sym = constant(fixed, 64)
        origins = Origins(copy, self.engine.config)
        name = copy.subject.function.name
        spare = {each.header for each in self.engine.iterations if each.function == name}
        nests: dict[Block, Sym] = {}
        for tape in plan.tapes:
            chain = list(tape.loop.ancestors())
            if any(each.header.name in spare for each in chain):
                continue  # the loop as it was, for the odd case in which its iterations do not run again
            rounds, bits = self._rounds(copy, tape), sum(value in plan.bits for value in tape.values)
            each_one = constant(plan.bytes_per_iteration(tape) - bits, 64)
            kept = _times(rounds, each_one if tape.snapshot is None else tape.snapshot.extent)
            if bits:
                kept = _plus(kept, _times(operation("udiv", rounds, constant(8, 64)), constant(bits, 64)))
            outermost = chain[-1].header
            nests[outermost] = _plus(nests[outermost], kept) if outermost in nests else kept
        size = functools.reduce(_plus, _one_of_each(copy, nests), size)
        for choice in self.engine.choices:
            if isinstance(choice, StepChoice) and choice.key[0] == name and not choice.reason:
                known = choice.places is not None and not choice.open
                size = _plus(
                    size, constant(choice.places * choice.state if known and choice.places else choice.limit, 64)
                )
        if copy.request.behind:
            size = _plus(size, self._sums(origins, copy))
        counted: list[tuple[Block, Sym]] = []
        plain = {each.together.name: each.made.name for each in self.engine.iterations if each.together is not None}
        in_turns: dict[str | None, Sym] = {}
        """By the function for one iteration: what its derivative has on the tape, or that for several at once. Calls
        that are reversed at once have theirs one after the other."""
        for inst, callee in copy.callees.items():
            has_tape = callee in self.engine.plans or callee in self.engine.matrices.kept
            if has_tape and isinstance(inst, CallBase) and inst.block is not None:
                theirs = self._called(origins, inst, callee)
                called = self._function_of(callee).name
                one = _AT_ONCE if inst in copy.at_once else plain.get(called, called)
                if one is _AT_ONCE or one in plain.values():
                    in_turns[one] = _larger(in_turns[one], theirs) if one in in_turns else theirs
                    continue
                if any(theirs == other and _apart(copy, inst.block, block) for block, other in counted):
                    continue  # one call that optimisers made two of
                counted.append((inst.block, theirs))
                size = _plus(size, theirs)
        return functools.reduce(_plus, in_turns.values(), size)

    def room(self, name: str) -> Sym:
        """By how much scratch is larger, shadows included, where loops run several iterations at once (together.py), in
        a derivative and in those that it calls."""
        found: Sym = constant(0, 64)
        if name not in self.engine.plans or name in self._under_way:
            return found  # none in forward mode, and one for a recursion
        self._under_way.add(name)
        copy = self.engine.plans[name][1]
        for inst in copy.subject.function.instructions():
            if (inst.name or "").startswith(ROOM):
                found = _plus(found, _growth(copy, inst))
        for call, callee in copy.callees.items():
            theirs = self.room(callee)
            if theirs != constant(0, 64) and isinstance(call, CallBase):
                found = _plus(found, self._in_caller(theirs, call, callee))
        self._under_way.discard(name)
        return found

    def _in_caller(self, size: Sym, call: CallBase, callee: str) -> Sym:
        """A size over the parameters of what a derivative is called for, over what the call gives it."""
        theirs = self._function_of(callee).args
        given: dict[Value, Value] = dict(zip(theirs, call.args, strict=False))
        found = substitute(size, lambda value: _plain(given[value]) if value in given else leaf(value))
        assert found is not None
        return found

    def _function_of(self, callee: str) -> Function:
        """What a derivative with a tape is the derivative of."""
        kept = self.engine.matrices.kept.get(callee)
        return kept.function if kept is not None else self.engine.plans[callee][1].subject.function

    def _sums(self, origins: Origins, copy: PrimalCopy) -> Sym:
        """The sums of what is left to the last iteration, which the caller has beside the loop."""
        maps = linear_maps(self.engine, copy.subject, copy.request)
        total: Sym = constant(0, 64)
        for home in maps.homes if maps is not None else ():
            counts = (origins.count(loop) for loop in home.loops)
            numbers = _product([_iterations(count) for count in counts if count is not None])
            size = copy.subject.module.datalayout.size_of(home.type)
            total = _plus(total, _times(numbers, constant(size, 64)))
        return total

    def _rounds(self, copy: PrimalCopy, tape: LoopTape) -> Sym:
        """How often a loop's body runs in all."""
        if tape.total is not None:
            return constant(tape.total, 64)
        if tape.sizing.startswith("grow"):
            return operation("doubled", self._first(copy, tape), self._of_loop(copy, tape.loop))
        return _product([_iterations(count) for count in tape.counts if count is not None])

    def _first(self, copy: PrimalCopy, tape: LoopTape) -> Sym:
        """How many entries the arrays have room for that are doubled as they grow, before they are first."""
        called = copy.request.mode == "split"
        least, count = constant(LEAST_IN_CALLS if called else LEAST_ROOM, 64), tape.counts[0]
        if tape.sizing != "grow per entry" or count is None:
            return least
        found = _iterations(count)
        return _larger(least, found) if all(isinstance(each, Argument) for each in sym_values(found)) else least

    def _called(self, origins: Origins, call: CallBase, callee: str) -> Sym:
        """The tapes of a call's derivative: one at a time where the call is replayed, else one for each time."""
        copy = origins.copy
        size = self._in_caller(self.of(callee), call, callee)
        loop = copy.subject.loops.loop_of(call.block) if call.block is not None else None
        once = callee in self.engine.plans and self.engine.plans[callee][1].request.mode != "split"
        if loop is None or once:
            return size
        counts = [origins.count(each) for each in loop.ancestors()]
        if None in counts:
            return _times(size, self._of_loop(copy, loop))
        return _times(size, _product([_iterations(count) for count in counts if count is not None]))

    def _of_loop(self, copy: PrimalCopy, loop: Loop) -> Sym:
        place = loop_place(copy.subject, loop)
        return self._unknown(f"line{place.line}" if place is not None else f"loop.{loop.header.name or '?'}")

    def _unknown(self, name: str) -> Sym:
        return leaf(self._open.setdefault(name, Argument(I64, name, len(self._open))))


def shown(size: Sym) -> str:
    """A size in words."""
    text = _show(_loose(size)) if _weight(size) < _MOST else "a sum too long to be of use"
    return f"{text} bytes"


def evaluated(size: Sym, sizes: Mapping[str, int]) -> tuple[int | None, tuple[str, ...]]:
    """The bytes, with numbers for the names in a size; or None, and the names that are missing."""
    names = [value.name or "" for value in sym_values(size)]
    missing = tuple(dict.fromkeys(name for name in names if name not in sizes))
    return (None, missing) if missing else (evaluate_sym(size, lambda value: sizes[value.name or ""]), ())


def _growth(copy: PrimalCopy, inst: Instruction) -> Sym:
    """How many bytes more a piece of scratch takes for several iterations, with its shadows."""
    size: Sym
    memory: Instruction = inst
    if isinstance(inst, Alloca):
        bytes = copy.subject.module.datalayout.alloc_size(inst.allocated_type)
        size = constant(bytes - bytes // LANES, 64)
    elif isinstance(inst, CallBase):  # rows side by side, which the program does not have
        size = _plain(inst.args[0])
    else:
        assert isinstance(inst, Select)
        made = next(user for user in inst.users if isinstance(user, CallBase))
        memory, size = made, operation("sub", _plain(inst.operands[1]), _plain(inst.operands[2]))
        for other in made.args:
            size = _times(size, _plain(other)) if other is not inst else size
    times = 1 + copy.request.width if copy.activity.needs_shadow(memory) else 1
    return _times(size, constant(times, 64)) if times > 1 else size


def _apart(copy: PrimalCopy, left: Block, right: Block) -> bool:
    """Whether no run of the function comes through both blocks."""
    cfg = copy.subject.cfg
    return left is not right and not cfg.leads_to(left, right) and not cfg.leads_to(right, left)


def _one_of_each(copy: PrimalCopy, nests: Mapping[Block, Sym]) -> list[Sym]:
    """The tapes of a function's nests; of ways of which a run takes one, the largest: optimisers make two loops of one
    where a branch in it always goes the same way, and versions of loops are several loops one after the other."""
    alone = functools.cache(functools.partial(_apart, copy))

    def in_turn(blocks: list[Block]) -> list[Sym]:
        return [largest(group) for group in _connected(blocks, alone)]

    def largest(blocks: list[Block]) -> Sym:
        ways = _connected(blocks, lambda left, right: not alone(left, right)) if len(blocks) > 1 else []
        if len(ways) < 2:
            return functools.reduce(_plus, (nests[block] for block in blocks))
        sizes = [functools.reduce(_plus, in_turn(way)) for way in ways]
        return functools.reduce(lambda one, other: one if one == other else _larger(one, other), sizes)

    return in_turn(list(nests))


def _connected(blocks: list[Block], related: Callable[[Block, Block], bool]) -> list[list[Block]]:
    """Blocks in groups of those that are related, each to some other one of its group."""
    groups: list[list[Block]] = []
    for block in blocks:
        near = [group for group in groups if any(related(block, other) for other in group)]
        if not near:
            groups.append([block])
            continue
        near[0] += [other for group in near[1:] for other in group] + [block]
        groups = [group for group in groups if not any(group is each for each in near[1:])]
    return groups


def _iterations(count: Sym) -> Sym:
    """How often a body runs whose way back is taken so often."""
    found = substitute(count, _plain)
    assert found is not None
    return _plus(operation("zext", found, bits=64), constant(1, 64))


def _plain(value: Value) -> Sym:
    """A value made of parameters and of what is read, as far as it is; the largest where it is one of several."""
    ways = [each for each, _ in value.incoming] if isinstance(value, Phi) else [value]
    found = [expand(each, lambda other: isinstance(other, (Argument, Load)), 16) for each in ways]
    known = list(dict.fromkeys(each for each in found if each is not None))
    if len(known) < len(set(found)):
        return leaf(value)
    return functools.reduce(_larger, known)


def _larger(left: Sym, right: Sym) -> Sym:
    return left if left == right else operation("select", operation("icmp.ult", left, right), right, left)


def _plus(left: Sym, right: Sym) -> Sym:
    return operation("add", left, right)


def _times(left: Sym, right: Sym) -> Sym:
    if isinstance(left, SymConst):
        left, right = right, left
    return operation("mul", left, right)


def _product(counts: Sequence[Sym]) -> Sym:
    found: Sym = constant(1, 64)
    for count in counts:
        found = _times(found, count) if found != constant(1, 64) else count
    return found


def _weight(size: Sym) -> int:
    seen, work = 0, [size]
    while work and seen < _MOST:
        seen += 1
        top = work.pop()
        if isinstance(top, SymOp):
            work += top.args
    return seen


# --- for readers: widths do not matter to them


def _loose(sym: Sym) -> Sym:
    """A tree without casts, every number taken as a long one."""
    if isinstance(sym, SymConst):
        return constant(int(str(sym)), 64)
    if isinstance(sym, SymValue):
        return SymOp("long", (sym,), 64)
    if sym.op in ("zext", "sext", "trunc", "ptrtoint"):
        return _loose(sym.args[0])
    args = [_loose(each) for each in sym.args]
    if sym.op == "icmp.slt" and isinstance(args[0], SymConst):
        return operation("icmp.sle", constant(args[0].value + 1, 64), args[1], bits=64)
    if sym.op == "select" and isinstance(inner := args[1], SymOp) and inner.op == "select":
        if (inner.args[0], inner.args[2]) == (args[0], args[2]):
            return inner  # the same asked twice
    return operation(sym.op, *args, bits=64)


def _show(sym: Sym) -> str:
    if not isinstance(sym, SymOp):
        return str(sym)
    if sym.op == "long":
        return str(sym.args[0])
    at_least = _at_least_one(sym)
    if at_least is not None:
        return f"max({_show(at_least)}, 1)"
    if sym.op == "select" and isinstance(test := sym.args[0], SymOp) and test.args == (sym.args[2], sym.args[1]):
        if test.op == "icmp.ult":
            return f"max({_show(sym.args[1])}, {_show(sym.args[2])})"
    if sym.op == "mul" and isinstance(sym.args[1], SymConst):
        return f"{sym.args[1]} * {_factor(sym.args[0])}"
    if sym.op == "mul":
        return " * ".join(map(_factor, sym.args))
    if sym.op in ("add", "sub"):
        sign = " - " if sym.op == "sub" else " + "
        return sign.join((_show(sym.args[0]), _factor(sym.args[1]) if sym.op == "sub" else _show(sym.args[1])))
    if sym.op == "doubled":
        return f"doubled({', '.join(map(_show, sym.args))})"
    if sym.op in ("udiv", "sdiv"):
        return " / ".join(map(_factor, sym.args))
    return f"{sym.op}({', '.join(map(_show, sym.args))})"


def _factor(sym: Sym) -> str:
    text = _show(sym)
    sums = isinstance(sym, SymOp) and sym.op in ("add", "sub", "udiv", "sdiv") and _at_least_one(sym) is None
    return f"({text})" if sums else text


def _at_least_one(sym: Sym) -> Sym | None:
    """Of ``select(a <= x, x - a, 0) + 1``, x - a + 1: a loop that is left out has room for one iteration."""
    one = constant(1, 64)
    if not isinstance(sym, SymOp) or sym.op != "add" or sym.args[1] != one:
        return None
    choice = sym.args[0]
    if not isinstance(choice, SymOp) or choice.op != "select" or choice.args[2] != constant(0, 64):
        return None
    test = choice.args[0]
    if not isinstance(test, SymOp) or test.op not in ("icmp.sle", "icmp.ule"):
        return None
    fits = choice.args[1] == operation("sub", test.args[1], test.args[0])
    return operation("add", choice.args[1], one) if fits else None
