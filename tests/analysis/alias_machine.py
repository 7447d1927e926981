"""An interpreter that watches every byte: a load whose proof says "kept" must never see its bytes written again before
its function returns, and a loop must take its back edge as often as its count says.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable
from typing import Any

from enzyme.analysis.alias import AliasAnalysis, ModRef, ModuleSummaries
from enzyme.analysis.loops import Loop
from enzyme.analysis.tripcount import Sym, canonical_counter, evaluate_sym, trip_count
from enzyme.ir.module import Module
from enzyme.ir.types import FloatType, IntType, PointerType, Type
from enzyme.ir.values import (
    Alloca,
    BinaryOp,
    Block,
    Branch,
    Call,
    Cast,
    Compare,
    Constant,
    ConstantExpr,
    ConstantFloat,
    ConstantInt,
    ConstantToken,
    DebugRecord,
    Freeze,
    Function,
    GetElementPtr,
    GlobalVariable,
    Instruction,
    Load,
    Phi,
    Return,
    Select,
    Store,
    Switch,
    UnaryOp,
    Value,
)
from enzyme.rules.known import known_callee


class Unsupported(Exception):
    """An instruction the interpreter does not know, or a program that runs too long."""


class Frame:
    def __init__(self, machine: Machine, function: Function) -> None:
        self.analysis = machine.analysis_of(function)
        self.env: dict[Value, Any] = {}
        self.kept: dict[int, Load] = {}
        self.loops: dict[Loop, tuple[int, int | None, int | None]] = {}
        self.accesses: list[tuple[Instruction, range]] = []  # loads and stores in this run of the block


class Machine:
    """Runs functions of a module on a flat memory that is never reused."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.summaries = ModuleSummaries(module, known_callee)
        self.memory = bytearray(1 << 16)
        self.top = 64
        self.globals: dict[Value, int] = {}
        self.frames: list[Frame] = []
        self.fuel = 60_000
        self.proved = 0
        self.counted = 0
        self._analyses: dict[Function, AliasAnalysis] = {}
        self._proofs: dict[Load, bool] = {}
        self._counts: dict[Loop, tuple[Sym | None, Sym | None, Sym | None]] = {}
        self._relations: dict[tuple[Instruction, Instruction], str] = {}
        self._effects: dict[tuple[Instruction, Instruction], ModRef] = {}
        self.watching: list[tuple[set[int], set[int]]] = []  # bytes read and written by the calls in progress

    def analysis_of(self, function: Function) -> AliasAnalysis:
        found = self._analyses.get(function)
        if found is None:
            found = self._analyses[function] = AliasAnalysis(function, self.module, known_callee, self.summaries)
        return found

    def allocate(self, size: int) -> int:
        address = self.top
        self.top += (size + 31) & ~15
        if self.top > 1 << 22:
            raise Unsupported("memory")
        if self.top > len(self.memory):
            self.memory.extend(bytes(self.top))
        return address

    # memory

    def read(self, address: int, type: Type) -> Any:
        size = self.module.datalayout.size_of(type)
        raw = bytes(self.memory[address : address + size])
        for read, _ in self.watching:
            read.update(range(address, address + size))
        if isinstance(type, FloatType) and type.kind in ("double", "float"):
            return struct.unpack("<d" if size == 8 else "<f", raw)[0]
        if isinstance(type, (IntType, PointerType)):
            return int.from_bytes(raw, "little")
        raise Unsupported(str(type))

    def write(self, address: int, raw: bytes, by: Instruction) -> None:
        if not 64 <= address <= len(self.memory) - len(raw):
            raise Unsupported("outside memory")
        for frame in self.frames:
            if frame.kept:
                for byte in range(address, address + len(raw)):
                    load = frame.kept.get(byte)
                    assert load is None, f"{load!r} in {load.function!r} is overwritten by {by!r} in {by.function!r}"
        for _, written in self.watching:
            written.update(range(address, address + len(raw)))
        self.memory[address : address + len(raw)] = raw

    # what one run of a block shows

    def compare_with_block(self, frame: Frame, inst: Instruction, bytes_touched: range) -> None:
        """Alias answers for one iteration, against the addresses of this run of the block."""
        analysis = frame.analysis
        for other, theirs in frame.accesses:
            answer = self._relations.get((inst, other))
            if answer is None:
                answer = analysis.alias(analysis.location(inst), analysis.location(other)).kind
                self._relations[(inst, other)] = answer
            overlap = bytes_touched.start < theirs.stop and theirs.start < bytes_touched.stop
            assert answer != "no" or not overlap, f"{inst!r} and {other!r} in {inst.function!r} overlap"
            assert answer != "must" or bytes_touched == theirs
        frame.accesses.append((inst, bytes_touched))

    def watched_call(self, frame: Frame, inst: Call, callee: Function, args: list[Any]) -> Any:
        """Run a call and compare what it touched with the mod/ref answers for earlier accesses of the block."""
        watch: tuple[set[int], set[int]] = (set(), set())
        self.watching.append(watch)
        result = self.call(callee, args)
        self.watching.pop()
        for other, theirs in frame.accesses:
            answer = self._effects.get((inst, other))
            if answer is None:
                answer = frame.analysis.mod_ref(inst, frame.analysis.location(other))
                self._effects[(inst, other)] = answer
            assert answer.may_read or watch[0].isdisjoint(theirs), f"{inst!r} reads what {other!r} touched"
            assert answer.may_write or watch[1].isdisjoint(theirs), f"{inst!r} writes what {other!r} touched"
        return result

    def encode(self, value: Any, type: Type) -> bytes:
        size = self.module.datalayout.size_of(type)
        if isinstance(type, FloatType) and type.kind in ("double", "float"):
            return struct.pack("<d" if size == 8 else "<f", value)
        if isinstance(type, (IntType, PointerType)):
            return int(value).to_bytes(8, "little")[:size]
        raise Unsupported(str(type))

    # values

    def value(self, frame: Frame, value: Value) -> Any:
        if isinstance(value, ConstantInt):
            assert isinstance(value.type, IntType)
            return value.value % (1 << value.type.bits)
        if isinstance(value, ConstantFloat):
            return value.value
        if isinstance(value, ConstantToken):
            if isinstance(value.type, FloatType):
                return 0.0
            if isinstance(value.type, (IntType, PointerType)):
                return 0
            raise Unsupported(value.keyword)
        if isinstance(value, GlobalVariable):
            if value not in self.globals:
                self.globals[value] = self.allocate(self.module.datalayout.alloc_size(value.value_type))
            return self.globals[value]
        if isinstance(value, ConstantExpr) and value.opcode == "getelementptr" and value.source_type:
            offset = self.module.datalayout.gep_offset(value.source_type, value.args[1:])
            return self.value(frame, value.args[0]) + offset
        if isinstance(value, Constant):
            raise Unsupported(repr(value))
        return frame.env[value]

    # control

    def call(self, function: Function, args: list[Any]) -> Any:
        frame = Frame(self, function)
        self.frames.append(frame)
        frame.env.update(zip(function.args, args, strict=True))
        block, previous = function.entry, None
        while True:
            self.enter(frame, block, previous)
            frame.accesses.clear()
            phis = [(phi, self.value(frame, phi.value_from(previous))) for phi in block.phis] if previous else []
            frame.env.update(phis)
            for inst in block.instructions[len(phis) :]:
                self.fuel -= 1
                if self.fuel < 0:
                    raise Unsupported("fuel")
                if isinstance(inst, Return):
                    result = self.value(frame, inst.operands[0]) if inst.operands else None
                    self.frames.pop()
                    return result
                if isinstance(inst, (Branch, Switch)):
                    following = self.target(frame, inst)
                    break
                made = self.step(frame, inst)
                if not inst.type.is_void:
                    frame.env[inst] = made
            else:
                raise Unsupported("no terminator")
            self.leave(frame, block, following)
            previous, block = block, following

    def target(self, frame: Frame, inst: Instruction) -> Block:
        chosen: Value
        if isinstance(inst, Branch):
            chosen = inst.operands[0]
            if inst.is_conditional:
                chosen = inst.operands[1 if self.value(frame, inst.operands[0]) else 2]
        else:
            assert isinstance(inst, Switch)
            key = self.value(frame, inst.operands[0])
            chosen = next((b for c, b in inst.cases if self.value(frame, c) == key), inst.operands[1])
        assert isinstance(chosen, Block)
        return chosen

    def enter(self, frame: Frame, block: Block, previous: Block | None) -> None:
        """Count iterations; when a loop is entered, evaluate its count with the values of that moment."""
        forest = frame.analysis.pointers.forest
        if not forest.is_header(block):
            return
        loop = forest.loop_of(block)
        assert loop is not None
        if previous in loop.blocks:
            done, count, bound = frame.loops[loop]
            frame.loops[loop] = (done + 1, count, bound)
            return
        if loop not in self._counts:
            found = trip_count(loop)
            self._counts[loop] = (found.count, found.maximum, found.guarded)
        values = [
            None if sym is None else evaluate_sym(sym, lambda v: self.value(frame, v)) for sym in self._counts[loop]
        ]
        assert values[2] is None or values[2] == values[0]  # the loop is entered
        frame.loops[loop] = (0, values[0], values[1])

    def leave(self, frame: Frame, block: Block, following: Block) -> None:
        loop = frame.analysis.pointers.forest.loop_of(block)
        while loop is not None and following not in loop.blocks:
            done, count, bound = frame.loops[loop]
            assert count is None or count == done, f"{loop!r}: {done} back edges, said {count}"
            assert bound is None or done <= bound, f"{loop!r}: {done} back edges, bound {bound}"
            self.counted += count is not None
            counter = canonical_counter(loop)
            assert counter is None or frame.env[counter] == done
            loop = loop.parent

    def step(self, frame: Frame, inst: Instruction) -> Any:
        if isinstance(inst, DebugRecord):
            return None
        ops = inst.operands
        if isinstance(inst, Load):
            address = self.value(frame, inst.pointer)
            if inst not in self._proofs:
                self._proofs[inst] = frame.analysis.overwrite_proof(inst).ok
            if self._proofs[inst]:
                self.proved += 1
                for byte in range(address, address + self.module.datalayout.size_of(inst.type)):
                    frame.kept[byte] = inst
            size = self.module.datalayout.size_of(inst.type)
            self.compare_with_block(frame, inst, range(address, address + size))
            return self.read(address, inst.type)
        if isinstance(inst, Store):
            address, raw = self.value(frame, inst.pointer), self.encode(self.value(frame, inst.value), inst.value.type)
            self.compare_with_block(frame, inst, range(address, address + len(raw)))
            self.write(address, raw, inst)
            return None
        if isinstance(inst, Alloca):
            count = self.value(frame, ops[0])
            return self.allocate(self.module.datalayout.alloc_size(inst.allocated_type) * count)
        if isinstance(inst, GetElementPtr):
            return self.gep(frame, inst)
        if isinstance(inst, Call):
            return self.intrinsic_or_call(frame, inst)
        if isinstance(inst, Select):
            return self.value(frame, ops[1 if self.value(frame, ops[0]) else 2])
        if isinstance(inst, (Freeze, UnaryOp)):
            plain = self.value(frame, ops[0])
            return -plain if isinstance(inst, UnaryOp) else plain
        if isinstance(inst, Phi):
            raise Unsupported("phi")
        return arithmetic(inst, [self.value(frame, op) for op in ops])

    def gep(self, frame: Frame, inst: GetElementPtr) -> int:
        numbers: list[Value | int] = []
        for index in inst.indices:
            if not isinstance(index.type, IntType):
                raise Unsupported("vector gep")
            numbers.append(signed(self.value(frame, index), index.type.bits))
        offset = self.module.datalayout.gep_offset(inst.source_type, numbers)
        assert offset is not None
        return int((self.value(frame, inst.base) + offset) % (1 << 64))

    def intrinsic_or_call(self, frame: Frame, inst: Call) -> Any:
        callee = inst.callee
        if not isinstance(callee, Function):
            raise Unsupported("indirect call")
        name = callee.name or ""
        if name.startswith(("llvm.lifetime", "llvm.assume", "llvm.experimental.noalias", "llvm.dbg")) or name == "free":
            return None
        args = [self.value(frame, a) for a in inst.args]
        if not callee.is_declaration:
            return self.watched_call(frame, inst, callee, args)
        if name == "malloc":
            return self.allocate(args[0])
        if name.startswith(("llvm.memcpy", "llvm.memmove")) or name in ("memcpy", "memmove"):
            if args[2] > 4096:
                raise Unsupported("length")
            for read, _ in self.watching:
                read.update(range(args[1], args[1] + args[2]))
            self.write(args[0], bytes(self.memory[args[1] : args[1] + args[2]]), inst)
            return args[0]
        if name.startswith("llvm.memset") or name == "memset":
            self.write(args[0], bytes([args[1] & 255]) * args[2], inst)
            return args[0]
        if name == "exp":
            return 1.0 + args[0] if abs(args[0]) < 1e30 else 1.0  # any function will do
        if name.startswith("llvm.fmuladd"):
            return args[0] * args[1] + args[2]
        for word, better in (("smax", 1), ("smin", -1), ("umax", 1), ("umin", -1)):
            if name.startswith(f"llvm.{word}."):
                assert isinstance(inst.type, IntType)
                bits = inst.type.bits
                key = [signed(a, bits) if word[0] == "s" else a for a in args]
                return args[0] if (key[0] - key[1]) * better >= 0 else args[1]
        raise Unsupported(name)


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


FLOATS: dict[str, Callable[[float, float], float]] = {
    "fadd": operator.add, "fsub": operator.sub, "fmul": operator.mul, "fdiv": operator.truediv,
}  # fmt: skip


def arithmetic(inst: Instruction, args: list[Any]) -> Any:
    if isinstance(inst.type.scalar, FloatType) and isinstance(inst, BinaryOp):
        a, b = args
        try:
            made = FLOATS[inst.opcode](a, b)
        except (KeyError, ZeroDivisionError, OverflowError) as error:
            raise Unsupported(inst.opcode) from error
        return made
    if isinstance(inst, Compare) and inst.opcode == "fcmp":
        a, b = args
        answers = {"gt": a > b, "lt": a < b, "ge": a >= b, "le": a <= b, "eq": a == b, "ne": a != b}
        if inst.predicate[1:] not in answers or a != a or b != b:
            raise Unsupported(inst.predicate)
        return int(answers[inst.predicate[1:]])
    kind = inst.operands[0].type
    if isinstance(kind, PointerType):
        kind = IntType(64)
    if isinstance(inst, Cast):
        to = inst.type.bits if isinstance(inst.type, (IntType, FloatType)) else 64
        if inst.opcode in ("zext", "trunc", "ptrtoint", "inttoptr"):
            return args[0] & ((1 << to) - 1)
        if inst.opcode == "sext" and isinstance(kind, IntType):
            return signed(args[0], kind.bits) & ((1 << to) - 1)
        if inst.opcode == "sitofp" and isinstance(kind, IntType):
            return float(signed(args[0], kind.bits))
        if inst.opcode == "uitofp":
            return float(args[0])
        if inst.opcode in ("fptosi", "fptoui") and abs(args[0]) < 1e9:
            return int(args[0]) & ((1 << to) - 1)
        raise Unsupported(inst.opcode)
    if not isinstance(kind, IntType):
        raise Unsupported(str(kind))
    bits, (a, b) = kind.bits, args
    x, y = signed(a, bits), signed(b, bits)
    if isinstance(inst, Compare):
        if inst.predicate[0] == "s":
            a, b = x, y
        name = inst.predicate if len(inst.predicate) == 2 else inst.predicate[1:]
        return int({"gt": a > b, "lt": a < b, "ge": a >= b, "le": a <= b, "eq": a == b, "ne": a != b}[name])
    mask = (1 << bits) - 1
    table = {
        "add": a + b, "sub": a - b, "mul": a * b, "and": a & b, "or": a | b, "xor": a ^ b,
        "shl": a << min(b, 64), "lshr": a >> min(b, 64), "ashr": x >> min(b, 64),
    }  # fmt: skip
    if inst.opcode in table:
        return table[inst.opcode] & mask
    if inst.opcode in ("udiv", "urem") and b:
        return a // b if inst.opcode == "udiv" else a % b
    if inst.opcode in ("sdiv", "srem") and y:
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        return (quotient if inst.opcode == "sdiv" else x - quotient * y) & mask
    raise Unsupported(inst.opcode)
