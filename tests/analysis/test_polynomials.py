"""Integers as polynomials, against what the instructions compute."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.loops import LoopForest
from enzyme.analysis.polynomials import INNER, OUTER, IntegerForms, NestForms, Polynomial, Variable
from enzyme.ir.layout import DataLayout
from enzyme.ir.parser import parse_module
from enzyme.ir.values import Function, Value

WORD = 1 << 64
LOOPS = """
define void @f(i32 %a, i32 %b, i16 %c, i64 %w, i64 %x) {{
entry:
{front}
  br label %outer
outer:
  %i = phi i32 [ {start}, %entry ], [ %i2, %after ]
  br label %inner
inner:
  %j = phi i64 [ %w, %outer ], [ %j2, %inner ]
{body}
  %j2 = add i64 %j, {step}
  %again = icmp eq i64 %j2, %x
  br i1 %again, label %after, label %inner
after:
  %i2 = add {flags} i32 %i, {move}
  %more = icmp ne i32 %i2, %b
  br i1 %more, label %outer, label %end
end:
  ret void
}}
"""


def signed(value: int, bits: int) -> int:
    value %= 1 << bits
    return value - (1 << bits) if value >> (bits - 1) else value


class Maker:
    """Random instructions, and what they compute: a residue, or None where it is poison."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.types: dict[str, int] = {}
        self.values: dict[str, int | None] = {}

    def given(self, name: str, bits: int, value: int | None) -> None:
        self.types[name], self.values[name] = bits, None if value is None else value % (1 << bits)

    def operand(self, bits: int) -> tuple[str, int | None]:
        names = [name for name, each in self.types.items() if each == bits]
        if not names or self.random.random() < 0.25:
            number = self.random.choice([-1, 0, 1, 2, 3, 5, 8, -3, self.random.randrange(-100, 100)])
            return str(number), number % (1 << bits)
        name = self.random.choice(names)
        return f"%{name}", self.values[name]

    def make(self, name: str) -> None:
        if self.random.random() < 0.35:
            self.cast(name)
        else:
            self.operation(name)

    def cast(self, name: str) -> None:
        widths = sorted(set(self.types.values()))
        source, target = self.random.choice(widths), self.random.choice([16, 32, 64])
        if source == target:
            self.operation(name)
            return
        text, value = self.operand(source)
        opcode = "trunc" if target < source else self.random.choice(["sext", "zext"])
        flags = [f for f in {"trunc": ["nuw", "nsw"], "zext": ["nneg"]}.get(opcode, []) if self.random.random() < 0.6]
        result: int | None = None
        if value is not None:
            plain, number = value, signed(value, source)
            result = (number if opcode == "sext" else plain) % (1 << target)
            if "nneg" in flags and number < 0:
                result = None
            if "nuw" in flags and plain >> target:
                result = None
            if "nsw" in flags and number != signed(number, target):
                result = None
        self.add(name, f"{opcode} {' '.join(flags)} i{source} {text} to i{target}", target, result)

    def operation(self, name: str) -> None:
        bits = self.random.choice(sorted(set(self.types.values())))
        opcode = self.random.choice(["add", "sub", "mul", "shl", "or", "xor"])
        (left, a), (right, b) = self.operand(bits), self.operand(bits)
        if opcode == "shl":
            b = self.random.randrange(0, 5)
            right = str(b)
        if opcode == "xor" and self.random.random() < 0.7:
            right, b = "-1", (1 << bits) - 1
        choice = {"or": ["disjoint"], "xor": []}.get(opcode, ["nuw", "nsw"])
        flags = [f for f in choice if self.random.random() < 0.6]
        result: int | None = None
        if a is not None and b is not None:
            kinds = [(a, b, 0)] if opcode in ("or", "xor") else [(a, b, 0), (signed(a, bits), signed(b, bits), 1)]
            exact = [self.exact(opcode, p, q) for p, q, _ in kinds]
            result = exact[0] % (1 << bits)
            if "disjoint" in flags and a & b:
                result = None
            if "nuw" in flags and not 0 <= exact[0] < 1 << bits:
                result = None
            if "nsw" in flags and exact[-1] != signed(exact[-1], bits):
                result = None
        self.add(name, f"{opcode} {' '.join(flags)} i{bits} {left}, {right}", bits, result)

    @staticmethod
    def exact(opcode: str, a: int, b: int) -> int:
        if opcode == "shl":
            return a << b
        return {"add": a + b, "sub": a - b, "mul": a * b, "or": a | b, "xor": a ^ b}[opcode]

    def add(self, name: str, text: str, bits: int, value: int | None) -> None:
        self.lines.append(f"  %{name} = {text}")
        self.types[name], self.values[name] = bits, value


def evaluated(form: Polynomial, function: Function, maker: Maker, counters: Mapping[Variable, int]) -> int | None:
    total = 0
    for product, factor in form.terms:
        for variable in product:
            what, widened = variable
            if isinstance(what, Value):
                value = maker.values[what.name or ""]
                if value is None:
                    return None
                bits = maker.types[what.name or ""]
                factor *= signed(value, bits) if widened == "sext" else value
            else:
                factor *= counters[variable]
        total += factor
    return total % WORD


@pytest.mark.parametrize("block", range(8))
def test_integers_are_what_they_are_read_as(block: int) -> None:
    opened = 0
    for seed in range(block * 60, block * 60 + 60):
        maker = Maker(seed)
        draw = maker.random
        for name, bits in (("a", 32), ("b", 32), ("c", 16), ("w", 64), ("x", 64)):
            small = draw.random() < 0.7
            maker.given(name, bits, draw.randrange(-20, 120) if small else draw.getrandbits(bits))
        for number in range(6):
            maker.make(f"f{number}")
        front, maker.lines = maker.lines, []
        outer, inner = draw.randrange(0, 9), draw.randrange(0, 9)
        start, begin = maker.operand(32)
        move, step = draw.choice([1, 2, -1, -3]), draw.choice([1, 4, -2])
        flags = [f for f in ("nuw", "nsw") if draw.random() < 0.6]
        at: int | None = begin
        for _ in range(outer):
            if at is not None:
                exact, sign = at + move % (1 << 32), signed(at, 32) + move
                wraps = ("nuw" in flags and exact >> 32) or ("nsw" in flags and sign != signed(sign, 32))
                at = None if wraps else exact % (1 << 32)
        first = maker.values["w"]
        assert first is not None
        maker.given("i", 32, at)
        maker.given("j", 64, first + inner * step)
        for number in range(10):
            maker.make(f"v{number}")
        text = LOOPS.format(
            front="\n".join(front),
            body="\n".join(maker.lines),
            start=start,
            step=step,
            move=move,
            flags=" ".join(flags),
        )
        function = parse_module(text).functions["f"]
        dominators = DominatorTree(ControlFlowGraph(function))
        forest = LoopForest(dominators.cfg, dominators)
        around = next(each for each in forest.loops if each.children)
        forms: list[IntegerForms] = [
            NestForms(around, around.children[0], DataLayout()),
            IntegerForms(DataLayout()),
        ]
        for inst in [each for b in function.blocks for each in b.instructions if each.name in maker.values]:
            value = maker.values[inst.name or ""]
            bits = maker.types[inst.name or ""]
            for form, widened in [(each, way) for each in forms for way in ("sext", "zext")]:
                found = form.integer(inst, widened)
                if found is None or value is None:
                    continue
                expected = (signed(value, bits) if widened == "sext" else value) % WORD
                got = evaluated(found, function, maker, {OUTER: outer, INNER: inner})
                assert got in (expected, None), f"{seed}: %{inst.name} as {widened}\n{text}"
                opened += (inst, widened) not in found.variables
    assert opened > 500
