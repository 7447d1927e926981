"""The reverse derivative of a loop whose steps are run again from states that were kept (checkpoints).

The forward sweep runs the steps and keeps some states; the reverse sweep goes back step by step: it puts a state back,
runs steps up to the one that is next, keeping states where places are free, and calls that step's combined derivative.
What the memory held when the reverse sweep came is there again at its end.

Where a step, run again, might do something else, the driver is differentiated like any other function, and
``why_not`` says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from enzyme.analysis.activity_callees import BLOCK_SIZE
from enzyme.gradient.arrays_apart import APART, OTHERWISE, version_of
from enzyme.gradient.carried import is_count, moved_parts
from enzyme.gradient.checkpoint_runtime import ADVANCE, CHECKPOINTS, DERIVE, FINAL, KEEP, PLACE, RESTORE, WAY
from enzyme.gradient.lines import attach_lines
from enzyme.gradient.primal import is_dropped
from enzyme.gradient.request import Request
from enzyme.gradient.signatures import return_parts
from enzyme.gradient.time_loops import TimeLoop
from enzyme.ir.builder import Builder
from enzyme.ir.intrinsics import MEMCPY
from enzyme.ir.types import I1, I32, I64, PTR, IntType, Type
from enzyme.ir.values import CallBase, ConstantInt, ConstantToken, Function, Store, Switch, Value
from enzyme.rules.known import known_call
from enzyme.support.diagnostics import TypeUnknownError

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine, SplitPair


class Checkpoints:
    """Answers requests for the derivatives of drivers. ``refused`` says which are made like others, and why."""

    def __init__(self, engine: Engine, loops: tuple[TimeLoop, ...], limit: int) -> None:
        self.engine = engine
        self.loops = {each.driver.name or "": each for each in loops}
        self.limits = {name: limit // share for name, share in _shares(engine, self.loops).items()}
        self.refused: dict[str, str] = {}
        self.answered: set[str] = set()

    def answers(self, request: Request) -> bool:
        loop = self.loops.get(request.function)
        if loop is None or request.mode == "forward":
            return False
        reason = self._why_not(loop, request)
        if reason:
            self.refused[request.function] = reason
        else:
            self.answered.add(request.function)
        return not reason

    def _why_not(self, loop: TimeLoop, request: Request) -> str:
        """Why the steps cannot be run again for a derivative."""
        if "out" in request.args or request.ret != "const":
            return "a number goes into it in an integer"
        if request.keep_tape or request.renewable:
            return "its derivative may be run several times"
        if any(request.args[index] == "const" for index in loop.released & request.overwritten):
            return "it writes memory without a shadow that may be freed before the reverse sweep"
        summary = self.engine.effects_of(loop.step)
        if summary is None:
            return "it may be replaced when the program is linked"
        if summary.writes_other or summary.frees_other or summary.frees_args or summary.captures:
            return "it writes, frees or keeps memory that cannot be told"
        if any((each.name or "") not in loop.covered for each in summary.writes_globals):
            return "it writes a global variable that cannot be told"
        if summary.reads_other and not request.stable_memory:
            return "it reads memory through pointers that it loads, which may be overwritten"
        for each in summary.reads_globals:
            if not each.is_constant and (each.name or "") not in loop.covered:
                return f"it reads the global variable '{each.name}', which may be overwritten"
        for index in sorted(summary.reads_args & request.overwritten):
            if index not in loop.restored:
                name = loop.step.args[index].name
                return f"it reads what {f'%{name}' if name else 'a pointer'} points to, which may be overwritten"
        return self._why_pointers(loop.step, set())

    def _why_pointers(self, function: Function, seen: set[Function]) -> str:
        """Whether a step may move pointers, whose shadows would have to be kept, too."""
        if function in seen:
            return ""
        seen.add(function)
        subject = self.engine.subject(function.name or "")
        layout = subject.module.datalayout
        for inst in function.instructions():
            if isinstance(inst, Store) and isinstance(inst.value.type, IntType):
                if inst.value.type.bits == layout.pointer_bits() and not isinstance(inst.value, ConstantInt):
                    kinds = subject.types.memory_kinds(inst.pointer, layout.size_of(inst.value.type))
                    if any(each.kind.may_be_pointer for each in kinds) and not is_count(inst.value):
                        return "it may store a pointer as an integer"
            elif isinstance(inst, CallBase) and not is_dropped(inst):
                callee = inst.callee
                if isinstance(callee, Function) and not callee.is_declaration and callee.name != BLOCK_SIZE:
                    reason = self._why_pointers(callee, seen)
                    if reason:
                        return reason
                known = known_call(inst)
                if known is not None and known.transfer is not None and known.transfer.kind != "set":
                    to, source = inst.args[known.transfer.destination], inst.args[known.transfer.source or 0]
                    try:
                        moved = moved_parts(subject, inst, source, to, inst.args[known.transfer.length])
                    except TypeUnknownError:
                        return "it copies a block of which it is not known what it holds"
                    if moved.pointers:
                        return "it copies a block that holds pointers"
        return ""

    def split(self, pair: SplitPair) -> None:
        """The bodies of the two halves."""
        loop = self.loops[pair.request.function]
        request = replace(
            pair.request,
            function=loop.step.name or "",
            mode="reverse",
            args=pair.request.args[: len(loop.step.args)],
            overwritten=frozenset(),
            stable_memory=True,
            return_primal=True,
            apart=False,
        )
        reverse = self.engine.derivative(request)
        self._forward(loop, pair)
        self._reverse(loop, pair, reverse)
        for made in (pair.augmented, pair.reverse):
            attach_lines(self.engine.module, loop.driver, made)

    def _runtime(self, name: str) -> Function:
        return self.engine.define(f"enzyme.rt.checkpoint.{name}", CHECKPOINTS)

    def _forward(self, loop: TimeLoop, pair: SplitPair) -> None:
        function, request = pair.augmented, pair.request
        entry, step, keep, run, done = (function.append_block(n) for n in ("entry", "step", "keep", "run", "done"))
        actuals = [function.args[at] for at in _positions(request)]
        build = Builder(entry)
        one = ConstantInt(I64, 1)  # what comes behind the loop is reversed first, like one step more
        expected = build.add(actuals[loop.steps], one) if loop.steps is not None else ConstantInt(I64, 0)
        limit = ConstantInt(I64, self.limits[loop.driver.name or ""])
        frame = build.call(self._runtime("begin"), [limit, self._size(build, loop, actuals), expected], name="kept")
        build.br(step)
        build = Builder(step)
        at = build.phi(I64, [(ConstantInt(I64, 0), entry)], name="at")
        place = build.call(self._runtime("due"), [frame, at], name="place")
        build.cond_br(build.icmp("eq", place, ConstantToken(PTR, "null")), run, keep)
        build = Builder(keep)
        self._copy(build, loop, actuals, place, back=False)
        build.br(run)
        build = Builder(run)
        way = build.call(loop.step, actuals[: len(loop.step.args)], name="way")
        following = build.add(at, ConstantInt(I64, 1))
        at.add_incoming(following, run)
        build.cond_br(build.icmp("eq", way, ConstantInt(I32, 0)), step, done)
        build = Builder(done)
        build.call(self._runtime("end"), [frame, following, way])
        return_parts(build, function, [frame, way] if request.return_primal else [frame])

    def _reverse(self, loop: TimeLoop, pair: SplitPair, derivative: Function) -> None:
        function, engine = pair.reverse, self.engine
        names = ("entry", "next", "restore", "keep", "advance", "derive", "differs", "derived", "done")
        entry, around, restore, keep, advance, derive, differs, derived, done = map(function.append_block, names)
        actuals = [function.args[at] for at in _positions(pair.request)]
        frame = function.args[-1]
        build = Builder(entry)
        final = _word(build, frame, FINAL, PTR)
        self._copy(build, loop, actuals, final, back=False)
        build.br(around)
        build = Builder(around)
        asked = build.call(self._runtime("next"), [frame], name="asked")
        cases = ((RESTORE, restore), (KEEP, keep), (ADVANCE, advance), (DERIVE, derive))
        around.append(Switch(asked, done, [(ConstantInt(I64, number), block) for number, block in cases]))
        for block, back in ((restore, True), (keep, False)):
            build = Builder(block)
            self._copy(build, loop, actuals, _word(build, frame, PLACE, PTR), back)
            build.br(around)
        build = Builder(advance)
        build.call(loop.step, actuals[: len(loop.step.args)])
        build.br(around)
        build = Builder(derive)
        count = len(derivative.args)
        way = build.call(derivative, list(function.args[:count]), name="way")
        assert way.type is I32
        before = _word(build, frame, WAY, I64)
        build.cond_br(build.icmp("eq", build.zext(way, I64), before), derived, differs)
        build = Builder(differs)
        engine.emit_abort(build, f"a step of a loop in '{loop.function}' went another way when it was run again")
        build.unreachable()
        build = Builder(derived)
        build.store(ConstantInt(I64, 0), build.offset(frame, 8 * WAY))
        build.br(around)
        build = Builder(done)
        self._copy(build, loop, actuals, _word(build, frame, FINAL, PTR), back=True)
        build.call(self._runtime("finish"), [frame])
        build.ret()

    def _size(self, build: Builder, loop: TimeLoop, actuals: Sequence[Value]) -> Value:
        total: Value = ConstantInt(I64, 0)
        for _, size, bytes in loop.pieces:
            total = build.add(total, actuals[size] if size is not None else ConstantInt(I64, bytes))
        return total

    def _copy(self, build: Builder, loop: TimeLoop, actuals: Sequence[Value], place: Value, back: bool) -> None:
        """Keep the state at a place, or put it back."""
        memcpy = self.engine.module.declare_function(*MEMCPY)
        for base, size, bytes in loop.pieces:
            length = actuals[size] if size is not None else ConstantInt(I64, bytes)
            pair = [actuals[base], place] if back else [place, actuals[base]]
            build.call(memcpy, [*pair, length, ConstantInt(I1, 0)])
            place = build.offset(place, length)


def _shares(engine: Engine, loops: dict[str, TimeLoop]) -> dict[str, int]:
    """How many loops the limit is for, by driver: those that one derivative that is asked for can reach. Of the
    versions of a function one runs."""
    shares = dict.fromkeys(loops, 1)
    functions = engine.module.functions
    roots = engine.roots if engine.roots is not None else tuple(functions)
    for root, without in product(roots if loops else (), (APART, OTHERWISE)):
        seen: set[Function] = set()
        work = [functions[root]] if root in functions else []
        while work:
            at = work.pop()
            if at not in seen and not at.is_declaration and version_of(at.name or "")[1] != without:
                seen.add(at)
                work += [each for i in at.instructions() for each in i.operands if isinstance(each, Function)]
        reached = [name for name in loops if functions[name] in seen]
        for name in reached:
            shares[name] = max(shares[name], len(reached))
    return shares


def _positions(request: Request) -> list[int]:
    """Where the parameters of the driver are among those of its derivative, with shadows between."""
    found, at = [], 0
    for duplicated in request.duplicated:
        found.append(at)
        at += 1 + (request.width if duplicated else 0)
    return found


def _word(build: Builder, frame: Value, number: int, type: Type) -> Value:
    return build.load(type, build.offset(frame, 8 * number))
