"""Blocks that the primal frees live on until the reverse sweep is over: they go to a list of what to free then.

Each derivative has a list of its own for blocks that its function allocated. A block that comes from elsewhere may be
looked at by the reverse sweep of whoever allocated it; it goes to the list of the outermost derivative, whose head is
passed down to the augmented primals that can free such blocks (:func:`frees_foreign_memory`). An entry holds the block,
the function that frees it (0 for ``free``, else a number made of its name) and that function's further arguments.

What a call outside of loops frees needs no list where one function holds both sweeps: a slot has the block, or null. It
becomes a register, and LLVM goes on to know that nothing else leads to the block.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from enzyme.gradient.adjoints import entry_slot
from enzyme.gradient.primal import PrimalCopy
from enzyme.gradient.runtime_lists import release_text
from enzyme.ir.builder import Builder
from enzyme.ir.types import I64, PTR, VOID, FunctionType, IntType, Type
from enzyme.ir.values import Argument, CallBase, ConstantInt, ConstantToken, Function, Value, zero
from enzyme.llvm.block_lists import OF_DERIVATIVE
from enzyme.rules.known import KnownCallee, known_call, known_callee

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine
    from enzyme.gradient.frames import Field, Frame
    from enzyme.gradient.shadows import Shadows
    from enzyme.gradient.subject import Subject

_NULL_IS_NOTHING = ("free", "_ZdlPv", "_ZdaPv")
"""How the names of deallocators begin that may be given a null pointer."""
_MORE = 2  # arguments of a deallocator behind the block: a size and an alignment


def freed_position(known: KnownCallee | None) -> int | None:
    """The argument that a call releases, for good or to move it."""
    if known is None or known.free is not None:
        return known.free if known is not None else None
    return known.allocation.reallocates if known.allocation is not None else None


def frees_foreign_memory(engine: Engine, function: Function) -> bool:
    """Whether the function, or one it calls, may free a block that it did not allocate itself."""
    seen: set[Function] = set()
    work = [function]
    while work:
        at = work.pop()
        if at in seen or at.is_declaration or engine.frees_foreign.get(at) is False:
            continue
        if engine.frees_foreign.get(at):
            return True
        seen.add(at)
        subject = engine.subject(at.name or "")
        for inst in at.instructions():
            if not isinstance(inst, CallBase):
                continue
            callee = inst.callee
            if isinstance(callee, Function) and not callee.is_declaration:
                work.append(callee)
                continue
            position = freed_position(known_call(inst))
            if position is not None and is_foreign(subject, inst.args[position]):
                engine.frees_foreign[function] = True
                return True
    engine.frees_foreign.update(dict.fromkeys(seen, False))
    return False


def is_foreign(subject: Subject, pointer: Value) -> bool:
    """Whether a block may come from outside of the function."""
    return any(m.kind not in ("allocation", "null") for m in subject.alias.underlying_objects(pointer))


class DeferredFrees:
    """The frees that one augmented or combined derivative puts off."""

    def __init__(
        self, engine: Engine, copy: PrimalCopy, shadows: Shadows, frame: Frame, outer: Argument | None
    ) -> None:
        self.engine, self.copy, self.shadows, self.frame = engine, copy, shadows, frame
        self.outer = outer  # where the head of the outermost derivative's list is, when it is passed down
        self._field: Field | None = None
        self._slot: Value | None = None
        self._single: list[tuple[Value, FunctionType, list[tuple[Type, Value]]]] = []

    def outermost(self) -> Value:
        """The address of the head of the outermost derivative's list."""
        return self.outer if self.outer is not None else self._own()

    def _own(self) -> Value:
        if self._slot is None:
            null = ConstantToken(PTR, "null")
            self._field = self.frame.field(PTR, null)
            self._slot = self._field.slot
            if self._slot is None:
                self._slot = entry_slot(self.frame.forward_entry, PTR, null, "deferred")
        return self._slot

    def put_off(self, build: Builder, pointer: Value, call: CallBase | None) -> None:
        """Put off what ``call`` of the subject would free: the block and its shadow."""
        foreign = is_foreign(self.copy.subject, pointer)
        self.add(build, self.copy.of(pointer), call, foreign)
        if self.copy.activity.needs_shadow(pointer):
            for _ in self.copy.lanes:
                shadow = self.shadows.of(pointer)
                if call is not None and self.shadows.at_run_time:
                    shadow = self.shadows.chosen(call, pointer, ConstantToken(PTR, "null"))
                self.add(build, shadow, call, foreign)

    def add(self, build: Builder, block: Value, call: CallBase | None = None, foreign: bool = False) -> None:
        """Put one block on a list; ``call`` says how it is freed (by ``free`` when there is none)."""
        known = known_call(call) if call is not None else None
        name = call.callee_name if call is not None and known is not None and known.free is not None else "free"
        assert name is not None
        if not foreign and name.startswith(_NULL_IS_NOTHING) and self._at_most_once(build):
            self._add_single(build, block, None if name == "free" else call)
            return
        head = self.outermost() if foreign else self._own()
        old = build.load(PTR, head)
        kind, rest = 0, list[Value]()
        if call is not None and name != "free" and known is not None:
            kind = deallocator_number(name)
            rest = [_as_word(build, self.copy.of(a)) for i, a in enumerate(call.args) if i != known.free]
        rest += [ConstantInt(I64, 0)] * (_MORE - len(rest))
        defer = self.engine.runtime("defer.one" if self.engine.again else "defer")
        made = build.call(defer, [old, block, ConstantInt(I64, kind), *rest])
        build.store(made, head)

    def _at_most_once(self, build: Builder) -> bool:
        """Whether code goes where it runs once at most, and the reverse sweep follows in the same function."""
        block = self.copy.back.get(build.block)
        if block is None or self.frame.split or not self.engine.config.direct_frees:
            return False
        return self.copy.subject.loops.loop_of(block) is None

    def _add_single(self, build: Builder, block: Value, call: CallBase | None) -> None:
        """Put off what one call frees, once at most; without ``call``, it is ``free``."""
        callee: Value = self.engine.heap("free") if call is None else call.callee
        args, type = [block], FunctionType(VOID, (PTR,))
        if call is not None:
            known = known_call(call)
            assert known is not None
            args = [block if i == known.free else self.copy.of(a) for i, a in enumerate(call.args)]
            type = call.callee_type
        slots = []
        for arg in args:
            slot = entry_slot(self.frame.forward_entry, arg.type, zero(arg.type), "deferred")
            build.store(arg, slot)
            slots.append((arg.type, slot))
        self._single.append((callee, type, slots))

    def close_forward(self, build: Builder) -> None:
        """Hand the list over to the reverse sweep."""
        if self._field is not None and self._field.slot is None:
            assert self._slot is not None
            self._field.write(self.frame, build, build.load(self._field.type, self._slot))

    def release(self, build: Builder) -> None:
        """Free everything the primal wanted freed."""
        for callee, type, slots in self._single:
            args = [build.load(each, slot) for each, slot in slots]
            build.call(callee, args, type, attrs=(OF_DERIVATIVE,) if callee is self.engine.heap("free") else ())
        if self._field is not None:
            build.call(release_function(self.engine), [self._field.read(self.frame, build)])


def _as_word(build: Builder, value: Value) -> Value:
    return build.cast("ptrtoint", value, I64) if value.type.is_pointer else build.zext(value, I64)


def deallocator_number(name: str) -> int:
    """What stands for a deallocator in a list; ``free`` is 0."""
    return zlib.crc32(name.encode()) | 1 << 32


def release_function(engine: Engine) -> Function:
    """The function that frees a list, for the deallocators this module mentions."""
    found: dict[str, FunctionType] = {}
    for function in engine.module.functions.values():
        name = function.name or ""
        if not function.is_declaration or name == "free" or name.startswith("llvm."):
            continue
        known = known_callee(name, function.function_type)
        if known is not None and known.free is not None and len(function.function_type.params) <= 1 + _MORE:
            found[name] = function.function_type
    names = sorted(found)
    label = f"release.{zlib.crc32(' '.join(names).encode()):x}" if names else "release"
    label += ".one" if engine.again else ""
    return engine.define(f"enzyme.rt.{label}", _release_text(label, {n: found[n] for n in names}, not engine.again))


def _release_text(label: str, deallocators: dict[str, FunctionType], pages: bool) -> str:
    cases, bodies, declared = [], [], []
    for index, (name, type) in enumerate(deallocators.items()):
        known = known_callee(name, type)
        assert known is not None
        cases.append(f"    i64 {deallocator_number(name)}, label %by{index}")
        lines, args, words = [f"by{index}:"], [], iter(("first", "second"))
        for position, param in enumerate(type.params):
            if position == known.free:
                args.append("ptr %block")
                continue
            word = next(words)
            value = f"%{word}"
            if param.is_pointer:
                value = f"%arg{index}.{word}"
                lines.append(f"  {value} = inttoptr i64 %{word} to ptr")
            elif isinstance(param, IntType) and param.bits < 64:
                value = f"%arg{index}.{word}"
                lines.append(f"  {value} = trunc i64 %{word} to {param}")
            args.append(f"{param} {value}")
        bodies += [*lines, f"  call void @{name}({', '.join(args)})", "  br label %freed"]
        declared.append(f"declare void @{name}({', '.join(str(p) for p in type.params)})")
    return release_text(label, cases, bodies, declared, pages)
