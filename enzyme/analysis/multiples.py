"""What integers are multiples of: an index in bytes that is eight times something steps from number to number."""

from __future__ import annotations

from math import gcd, lcm

from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.distances import apart
from enzyme.analysis.dominators import DominatorTree
from enzyme.ir.layout import DataLayout
from enzyme.ir.types import IntType
from enzyme.ir.values import (
    BinaryOp,
    Block,
    Branch,
    Cast,
    Compare,
    ConstantInt,
    Freeze,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Switch,
    Value,
)

_DEPTH = 8  # instructions opened one below the other
_ROUNDS = 8  # for loops whose steps lose divisors
_USERS = 32  # of a quotient, looked at


class Multiples:
    """The divisors of the integers of one module."""

    def __init__(self, layout: DataLayout) -> None:
        self.layout = layout
        self._dominators: dict[Function, DominatorTree] = {}
        self._steps: dict[GetElementPtr, int] = {}

    def divisor(self, value: Value, at: Block | None) -> int:
        """A number that divides ``value``, read as a signed integer, where control is in ``at``; 0 when it is zero, 1
        when nothing is known.

        Operations that may wrap keep powers of two alone. Around a loop the most is assumed first and taken back until
        it holds, or nothing where that takes long."""
        assumed: dict[Phi, int] = {}
        for _ in range(_ROUNDS):
            before = dict(assumed)
            result = self._divisor(value, at, assumed, _DEPTH)
            for phi in list(assumed):
                parts = (self._divisor(part, edge, assumed, _DEPTH) for part, edge in phi.incoming)
                assumed[phi] = gcd(assumed[phi], *parts)
            if assumed == before:
                return result
        return self._divisor(value, at, None, _DEPTH)

    def _divisor(self, value: Value, at: Block | None, assumed: dict[Phi, int] | None, depth: int) -> int:
        if isinstance(value, ConstantInt):
            return abs(value.value)
        if depth == 0 or not isinstance(value.type, IntType):
            return 1
        if isinstance(value, Phi):
            return assumed.setdefault(value, 0) if assumed is not None else 1
        if isinstance(value, Select):
            return gcd(*(self._divisor(part, at, assumed, depth - 1) for part in value.operands[1:]))
        if isinstance(value, Freeze):
            return 1
        if isinstance(value, Cast):
            inner = self._divisor(value.operands[0], at, assumed, depth - 1)
            if value.opcode == "sext" or (value.opcode == "zext" and "nneg" in value.flags):
                return inner
            return _power_of_two(inner) if value.opcode in ("zext", "trunc") else 1
        if isinstance(value, BinaryOp):
            parts = [self._divisor(part, at, assumed, depth - 1) for part in value.operands]
            found = lcm(_operation(value, parts[0], parts[1]), self._exact_divisor(value, at))
            if value.opcode == "sub" and found and value.type.bits >= self.layout.pointer_bits():
                found = lcm(found, apart(value.operands[0], value.operands[1], self._step))
            return found
        return 1

    def _step(self, step: GetElementPtr) -> int:
        """A number that divides the bytes of a step from a pointer."""
        if step not in self._steps:
            self._steps[step] = 1  # what it is where a step hangs on itself
            divide = self.layout.gep_divisor
            found = divide(step.source_type, step.indices, lambda index: self.divisor(index, step.block))
            self._steps[step] = found if "inbounds" in step.flags or "nusw" in step.flags else _power_of_two(found)
        return self._steps[step]

    def _exact_divisor(self, value: BinaryOp, at: Block | None) -> int:
        """What the program divides ``value`` by without a rest on its way to ``at``, 1 when it does not: where there is
        a rest, all that is computed of the quotient is undefined. The distance between two pointers into an array is
        divided like this, by the size of an element."""
        found = 1
        for user in value.users:
            if isinstance(user, BinaryOp) and "exact" in user.flags and user.operands[0] is value:
                amount = user.operands[1]
                if isinstance(amount, ConstantInt) and amount.value > 0 and self._counts(user, at):
                    found = lcm(found, amount.value if user.opcode in ("sdiv", "udiv") else 1 << amount.value)
        return found

    def _counts(self, quotient: BinaryOp, at: Block | None) -> bool:
        """Whether the program's behaviour hangs on a quotient on its way to ``at``. A compiler may compute one before
        it is known to be wanted, or whether it is exact."""
        work: list[Value] = [quotient]
        for value in work:
            for user in value.users:
                if not isinstance(user, Instruction) or not self._is_on_the_way(user, at):
                    continue
                if isinstance(user, (Branch, Switch)) or (isinstance(user, (Load, Store)) and user.pointer is value):
                    return True
                if isinstance(user, (BinaryOp, Cast, Compare, GetElementPtr)) and user not in work[:_USERS]:
                    work.append(user)
            if len(work) > _USERS:
                return False
        return False

    def _is_on_the_way(self, inst: Instruction, at: Block | None) -> bool:
        if inst.block is None or at is None:
            return False
        if inst.block is at:
            return True
        function = at.function
        if function is None:
            return False
        if function not in self._dominators:
            self._dominators[function] = DominatorTree(ControlFlowGraph(function))
        return self._dominators[function].dominates(inst.block, at)


def _operation(value: BinaryOp, left: int, right: int) -> int:
    assert isinstance(value.type, IntType)
    shift = value.operands[1]
    if value.opcode in ("add", "sub"):
        found = gcd(left, right)
    elif value.opcode == "mul":
        found = left * right
    elif value.opcode == "shl" and isinstance(shift, ConstantInt) and 0 <= shift.value < value.type.bits:
        found = left << shift.value
    elif value.opcode in ("or", "xor"):
        return gcd(_power_of_two(left), _power_of_two(right))
    elif value.opcode == "and":
        powers = _power_of_two(left), _power_of_two(right)
        return 0 if 0 in powers else max(powers)
    else:
        return 1
    return found if "nsw" in value.flags else _power_of_two(found)


def _power_of_two(number: int) -> int:
    return number & -number
