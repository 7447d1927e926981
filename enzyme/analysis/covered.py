"""Whether a function reads only such bytes behind a pointer parameter as it has written itself before.

Then the memory is scratch: what it held when the function was called does not matter, and to run the function again
gives the same results whatever has happened to that memory in between.

A read is covered by a write in front of it: by a store or a fill that dominates it, or by a loop that is run to its end
in front of it and in each of whose rounds a store writes the next element. Addresses are linear forms in the counters
of loops and in values that do not change between the write and the read; that the read lies between the ends of what
is written is shown by the signs of what is left when the forms are subtracted. All forms are residues modulo 2**64.
A loop's counter is at least 0, the number of its rounds at least 1, and no program gets to count to 2**56.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from enzyme.analysis.alias import AliasAnalysis
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.loops import Loop, LoopForest
from enzyme.analysis.symbolic import Sym, SymConst, SymValue
from enzyme.analysis.tripcount import backedge_count
from enzyme.ir.layout import DataLayout
from enzyme.ir.types import X86_FP80, IntType, StructType, Type
from enzyme.ir.values import (
    Argument,
    BinaryOp,
    CallBase,
    Cast,
    ConstantInt,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Store,
    Value,
)

_WORD = 1 << 64
_DEPTH = 12  # instructions opened one below the other
_SMALL = 1 << 6  # sum of the factors of counters in a form whose sign is told

Key: TypeAlias = tuple[str, object]


@dataclass(frozen=True)
class Form:
    """``constant`` plus the sum of ``factor * key``; a key is a loop's counter or an SSA value, widened or not."""

    constant: int
    factors: tuple[tuple[Key, int], ...] = ()

    @staticmethod
    def of(constant: int, factors: dict[Key, int]) -> Form:
        kept = {key: _signed(factor) for key, factor in factors.items() if factor % _WORD}
        return Form(_signed(constant), tuple(sorted(kept.items(), key=lambda each: (each[0][0], id(each[0][1])))))

    def plus(self, other: Form, times: int = 1) -> Form:
        factors = dict(self.factors)
        for key, factor in other.factors:
            factors[key] = factors.get(key, 0) + times * factor
        return Form.of(self.constant + times * other.constant, factors)

    def factor(self, key: Key) -> int:
        return dict(self.factors).get(key, 0)


ZERO = Form(0)


def _signed(value: int) -> int:
    value %= _WORD
    return value - _WORD if value >> 63 else value


def _counter(loop: Loop) -> Key:
    return ("counter", loop)


@dataclass(frozen=True)
class _Written:
    """Bytes from ``first`` on, ``length`` of them, complete once ``block`` has been left at ``instruction`` or, where
    there is a ``loop``, once that has ended."""

    instruction: Instruction
    loop: Loop | None
    first: Form
    length: Form


class CoveredReads:
    """The answer for each pointer parameter of one function."""

    def __init__(self, alias: AliasAnalysis, dominators: DominatorTree, loops: LoopForest, layout: DataLayout) -> None:
        self.alias, self.dominators, self.loops, self.layout = alias, dominators, loops, layout

    def exposed(self, argument: Argument) -> Instruction | None:
        """An instruction that may read what was behind the parameter when the function was called; None if none."""
        writes: list[_Written] | None = None
        for inst in self._instructions():
            touched = self._reads(inst, argument)
            if touched is None:
                continue
            if writes is None:
                writes = list(self._writes(argument))
            pointer, length = touched
            if pointer is None or length is None or not self._is_covered(inst, argument, pointer, length, writes):
                return inst
        return None

    def _instructions(self) -> Iterator[Instruction]:
        for block in self.dominators.cfg.blocks:
            yield from block.instructions

    def _reads(self, inst: Instruction, argument: Argument) -> tuple[Value | None, Form | None] | None:
        """Where an instruction may read behind the parameter, and how many bytes; None if it does not."""
        if isinstance(inst, Load):
            if not self.alias.points_into(inst.pointer, argument):
                return None
            return inst.pointer, Form(self.layout.size_of(inst.type))
        if isinstance(inst, Store):
            return None
        if isinstance(inst, CallBase):
            name = inst.callee_name or ""
            inside = [i for i, a in enumerate(inst.args) if a.type.is_pointer and self.alias.points_into(a, argument)]
            if not inside or name.startswith(("llvm.lifetime.", "llvm.memset.", "llvm.assume", "llvm.experimental.")):
                return None
            if name.startswith("llvm.memcpy."):
                return (inst.args[1], self.form(inst.args[2])) if 1 in inside else None
            return None, None
        effect = self.alias.effect(inst)
        return (None, None) if effect.reads else None

    def _writes(self, argument: Argument) -> Iterator[_Written]:
        for inst in self._instructions():
            if isinstance(inst, Store):
                first = self.address(inst.pointer, argument)
                if first is None or inst.value.type.scalar is X86_FP80:
                    continue
                size = self.layout.size_of(inst.value.type)
                yield _Written(inst, None, first, Form(size))
                loop = self.loops.loop_of(inst.block)
                rounds = self.rounds(loop) if loop is not None else None
                if loop is None or rounds is None or not self._every_round(inst, loop):
                    continue
                key = _counter(loop)
                start = first.plus(Form.of(0, {key: first.factor(key)}), -1)
                if first.factor(key) == size and self._is_steady(start, loop):
                    yield _Written(inst, loop, start, ZERO.plus(rounds, size))
            elif isinstance(inst, CallBase) and (inst.callee_name or "").startswith(("llvm.memset.", "llvm.memcpy.")):
                first, length = self.address(inst.args[0], argument), self.form(inst.args[2])
                if first is not None and length is not None:
                    yield _Written(inst, None, first, length)

    def _every_round(self, inst: Instruction, loop: Loop) -> bool:
        """Whether the loop is left only behind the instruction, at its latch."""
        latch = loop.latch
        assert inst.block is not None
        return latch is not None and loop.exiting_blocks == [latch] and self.dominators.dominates(inst.block, latch)

    def _is_steady(self, form: Form, loop: Loop) -> bool:
        """Whether a form is the same in every round of the loop."""
        for (kind, what), _ in form.factors:
            if kind == "counter":
                assert isinstance(what, Loop)
                if loop.contains(what):
                    return False
            else:
                assert isinstance(what, tuple)
                if isinstance(what[0], Instruction) and what[0].block in loop.blocks:
                    return False
        return True

    def _is_covered(
        self, inst: Instruction, argument: Argument, pointer: Value, length: Form, writes: list[_Written]
    ) -> bool:
        first = self.address(pointer, argument)
        if first is None:
            return False
        last = first.plus(length)
        for each in writes:
            if not self._is_behind(inst, each):
                continue
            shared = self.loops.common_loop(each.instruction.block, inst.block)  # type: ignore[arg-type]
            if not (self._same_round(each.first, shared) and self._same_round(each.length, shared)):
                continue
            below = first.plus(each.first, -1)
            above = each.first.plus(each.length).plus(last, -1)
            entered = [each.loop] if each.loop is not None else []
            around = self.loops.loop_of(inst.block)
            entered += around.ancestors() if around is not None else []
            if all(self._never_negative(form, entered, inst) for form in (below, above)):
                return True
        return False

    def _is_behind(self, inst: Instruction, written: _Written) -> bool:
        at, place = inst.block, written.instruction.block
        assert at is not None and place is not None
        if written.loop is not None:
            return at not in written.loop.blocks and self.dominators.dominates(written.loop.header, at)
        if at is place:
            return at.position(written.instruction) < at.position(inst)
        return self.dominators.dominates(place, at)

    def _same_round(self, form: Form, shared: Loop | None) -> bool:
        """Whether what a form speaks of is the same at the write and at a read behind it in the same round of the
        loops around both: counters of those loops, and values from in front of all other loops around the write."""
        for (kind, what), _ in form.factors:
            if kind == "counter":
                assert isinstance(what, Loop)
                if shared is None or not what.contains(shared):
                    return False
            else:
                assert isinstance(what, tuple)
                value = what[0]
                if isinstance(value, Instruction):
                    home = self.loops.loop_of(value.block)
                    if home is not None and (shared is None or not home.contains(shared)):
                        return False
        return True

    def _never_negative(self, form: Form, entered: list[Loop], inst: Instruction) -> bool:
        """Whether a form is at least 0 at ``inst`` whatever the counters in it are. The loops ``entered`` have run."""
        if any(kind == "counter" and not what.contains(inst) for (kind, what), _ in form.factors):  # type: ignore[attr-defined]
            return False
        for _ in range(_DEPTH):
            falling = [what for (kind, what), factor in form.factors if kind == "counter" and factor < 0]
            if not falling:
                break
            loop = max(falling, key=lambda each: each.depth)  # type: ignore[attr-defined]
            assert isinstance(loop, Loop)
            rounds = self.rounds(loop)
            if rounds is None:
                return False
            factor = form.factor(_counter(loop))  # the counter is at most rounds - 1, where the form is least
            form = form.plus(Form.of(0, {_counter(loop): factor}), -1).plus(rounds.plus(Form(1), -1), factor)
        for loop in entered:
            rounds = self.rounds(loop)
            if rounds is not None and rounds.factors and form.factors:
                key, factor = rounds.factors[0]
                times, rest = divmod(form.factor(key), factor) if key[0] != "counter" else (0, 1)
                if times > 0 and not rest:  # so many rounds at least
                    less = form.plus(rounds, -times).plus(Form(times))
                    if len(less.factors) < len(form.factors):
                        form = less
        small = sum(abs(factor) for _, factor in form.factors) <= _SMALL * _SMALL
        return small and form.constant >= 0 and all(kind == "counter" and f >= 0 for (kind, _), f in form.factors)

    # linear forms

    def rounds(self, loop: Loop) -> Form | None:
        """How often the body of a loop runs when it is entered."""
        count = backedge_count(loop, self.dominators)
        found = self._of_sym(count) if count is not None else None
        return found.plus(Form(1)) if found is not None else None

    def _of_sym(self, sym: Sym) -> Form | None:
        if isinstance(sym, SymConst):
            return Form(_signed(sym.value)) if sym.bits == 64 else None
        if isinstance(sym, SymValue):
            return self.form(sym.value) if sym.bits == 64 else None
        if sym.bits == 64 and sym.op in ("add", "sub"):
            left, right = (self._of_sym(each) for each in sym.args)
            if left is None or right is None:
                return None
            return left.plus(right, 1 if sym.op == "add" else -1)
        if sym.bits == 64 and sym.op in ("zext", "sext") and isinstance(sym.args[0], SymValue):
            return self._narrow(sym.args[0].value, sym.op, _DEPTH)
        return None

    def address(self, pointer: Value, argument: Value) -> Form | None:
        """The distance of a pointer from the parameter, or other pointer, that it was made of, in bytes."""
        total = ZERO
        for _ in range(_DEPTH):
            if pointer is argument:
                return total
            if isinstance(pointer, GetElementPtr):
                step = self._step(pointer)
                if step is None:
                    return None
                total, pointer = total.plus(step), pointer.base
            elif isinstance(pointer, Phi):
                walk = self._walk(pointer)
                if walk is None:
                    return None
                start, by, loop = walk
                total, pointer = total.plus(Form.of(0, {_counter(loop): by})), start
            else:
                return None
        return None

    def _walk(self, phi: Phi) -> tuple[Value, int, Loop] | None:
        """Start and step of a pointer that is moved by the same distance in every round."""
        found = self._header_phi(phi)
        if found is None:
            return None
        start, following, loop = found
        if isinstance(following, GetElementPtr) and following.base is phi:
            step = self._step(following)
            if step is not None and not step.factors:
                return start, step.constant, loop
        return None

    def _header_phi(self, phi: Phi) -> tuple[Value, Value, Loop] | None:
        loop = self.loops.loop_of(phi.block)
        latch = loop.latch if loop is not None else None
        if loop is None or latch is None or loop.header is not phi.block or len(phi.incoming) != 2:
            return None
        (start,) = (value for value, source in phi.incoming if source is not latch)
        return start, phi.value_from(latch), loop

    def _step(self, gep: GetElementPtr) -> Form | None:
        """The bytes that a getelementptr adds."""
        total, type = ZERO, gep.source_type
        for position, index in enumerate(gep.indices):
            if position and isinstance(type, StructType):
                if not isinstance(index, ConstantInt) or type.elements is None:
                    return None
                total = total.plus(Form(self.layout.struct_offsets(type)[index.value]))
                type = type.elements[index.value]
                continue
            if position:
                inner: Type | None = getattr(type, "element", None)
                if inner is None:
                    return None
                type = inner
            form = self.form(index) if index.type.scalar.is_int else None
            if form is None:
                return None
            total = total.plus(form, self.layout.alloc_size(type))
        return total

    def form(self, value: Value, depth: int = _DEPTH) -> Form | None:
        """An integer as a linear form; narrow ones as they are when widened with their sign."""
        if not isinstance(value.type, IntType) or value.type.bits > 64:
            return None
        if value.type.bits < 64:
            return self._narrow(value, "sext", depth)
        if isinstance(value, ConstantInt):
            return Form(_signed(value.value))
        whole = Form.of(0, {("value", (value, "")): 1})
        if depth == 0:
            return whole
        if isinstance(value, Cast) and value.opcode in ("zext", "sext"):
            signed = value.opcode == "sext" or "nneg" in value.flags
            return self._narrow(value.operands[0], "sext" if signed else "zext", depth - 1)
        if isinstance(value, BinaryOp):
            return self._sum(value, depth) or whole
        if isinstance(value, Phi):
            return self._counted(value, depth) or whole
        return whole

    def _sum(self, value: BinaryOp, depth: int, widened: str = "") -> Form | None:
        left, right = value.operands

        def part(operand: Value) -> Form | None:
            return self._narrow(operand, widened, depth - 1) if widened else self.form(operand, depth - 1)

        if value.opcode in ("add", "sub") or (value.opcode == "or" and "disjoint" in value.flags):
            first, second = part(left), part(right)
            if first is None or second is None:
                return None
            return first.plus(second, -1 if value.opcode == "sub" else 1)
        if value.opcode in ("mul", "shl") and isinstance(right, ConstantInt):
            times = right.value if value.opcode == "mul" else 1 << right.value if 0 <= right.value < 32 else None
            if widened == "zext" and times is not None:
                times %= 1 << value.type.bits  # type: ignore[attr-defined]
            first = part(left)
            return ZERO.plus(first, times) if first is not None and times is not None else None
        return None

    def _counted(self, phi: Phi, depth: int, widened: str = "") -> Form | None:
        """A header phi that advances by a constant."""
        found = self._header_phi(phi)
        if found is None:
            return None
        start, following, loop = found
        if not isinstance(following, BinaryOp) or following.opcode != "add":
            return None
        left, right = following.operands
        if left is not phi or not isinstance(right, ConstantInt):
            return None
        if widened and not (_keeps(following, widened) and (widened == "sext" or right.value > 0)):
            return None
        begin = self._narrow(start, widened, depth - 1) if widened else self.form(start, depth - 1)
        return begin.plus(Form.of(0, {_counter(loop): right.value})) if begin is not None else None

    def _narrow(self, value: Value, widened: str, depth: int) -> Form | None:
        """The form of an integer widened to 64 bits; sums are opened where they do not wrap."""
        if not isinstance(value.type, IntType):
            return None
        if value.type.bits == 64:
            return self.form(value, depth)
        if isinstance(value, ConstantInt):
            return Form(value.value if widened == "sext" else value.value % (1 << value.type.bits))
        whole = Form.of(0, {("value", (value, widened)): 1})
        if depth == 0:
            return whole
        if isinstance(value, BinaryOp) and _keeps(value, widened):
            return self._sum(value, depth, widened) or whole
        if isinstance(value, Phi):
            return self._counted(value, depth, widened) or whole
        return whole


def _keeps(value: BinaryOp, widened: str) -> bool:
    """Whether an operation and its widening may change places."""
    if value.opcode == "or":
        return "disjoint" in value.flags and widened == "zext"
    return ("nsw" if widened == "sext" else "nuw") in value.flags
