"""Shadow pointers: beside every pointer that may lead to active memory stands the pointer to its derivative.

A shadow is built by the same address computation as its primal, right after it, on demand. Allocations get a zeroed
shadow allocation of the same size. Integers and aggregates that carry pointers have shadows of their own type.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from enzyme.analysis.dispatched import is_rest
from enzyme.analysis.points_to_objects import is_distance
from enzyme.gradient.alignment import loosen_access
from enzyme.gradient.exceptions import plain_call
from enzyme.gradient.globals import is_code
from enzyme.gradient.led import STRUCTURAL, guard_load, guard_phi
from enzyme.gradient.primal import (
    PrimalCopy,
    builder_after,
    first_builder,
    insert_after,
    rebuild_constant,
)
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I64, PTR, VOID, FunctionType, Type
from enzyme.ir.values import (
    Alloca,
    Argument,
    BinaryOp,
    CallBase,
    Cast,
    Constant,
    ConstantAggregate,
    ConstantExpr,
    ConstantFloat,
    ConstantInt,
    ConstantString,
    ConstantToken,
    ExtractElement,
    Function,
    GetElementPtr,
    GlobalAlias,
    GlobalVariable,
    InsertElement,
    InsertValue,
    Instruction,
    Load,
    Phi,
    Select,
    Value,
    zero,
)
from enzyme.rules.known import known_callee
from enzyme.support.diagnostics import ActivityError, TypeUnknownError, UnsupportedError

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine


class Shadows:
    """Shadows of the values of one primal copy, in the selected lane. ``of`` takes values of the *subject*."""

    def __init__(self, engine: Engine, copy: PrimalCopy) -> None:
        self.engine = engine
        self.copy = copy
        self.lanes = copy.lanes
        self._made: list[dict[Value, Value]] = [{} for _ in range(copy.lanes.width)]
        self._tests: list[dict[tuple[Value, Value], Value]] = [{} for _ in self._made]
        self._choices: list[dict[tuple[Value, Value, Value], Value]] = [{} for _ in self._made]
        self.fills: dict[Value, Instruction] = {}
        """What fills shadows of allocations with zeros (of the last lane)."""
        # Shadow phis whose incoming values are to be filled in: they may come from calls not yet given a shadow result.
        self._open: list[tuple[Phi, Phi, int]] | None = []

    @property
    def made(self) -> dict[Value, Value]:
        """Shadows there are, by value of the subject."""
        return self._made[self.lanes.current]

    def needed(self, value: Value) -> bool:
        """Whether the pointer may lead to active memory."""
        return self.copy.activity.needs_shadow(value)

    def of(self, value: Value) -> Value:
        """The shadow of a pointer (or of a value that carries pointers) of the subject, as a value of the copy."""
        found = self.made.get(value)
        if found is None:
            if isinstance(value, Phi):
                return self._phi(value)
            found = self.made[value] = self._make(value)
        return found

    def of_or_primal(self, value: Value) -> Value:
        """The shadow where there is one; the primal itself for a pointer that leads to nothing active."""
        return self.of(value) if self.needed(value) else self.copy.of(value)

    # memory that turns out to be inactive when the program runs

    @property
    def at_run_time(self) -> bool:
        return self.copy.request.at_run_time

    def inactive(self, inst: Instruction, pointer: Value) -> Value:
        """Whether the shadow of ``pointer`` is the memory itself, as a value of the copy made in front of ``inst``."""
        known = self._tests[self.lanes.current]
        found = known.get((inst, pointer))
        if found is None:
            shadow, primal = self.of(pointer), self.copy.of(pointer)
            if not shadow.type.is_pointer:
                raise self.copy.subject.refuse(
                    inst,
                    "cannot look at the activity of a vector of pointers at run time",
                    "each of them may lead to active or to inactive memory",
                    "compile this code without vectorisation",
                )
            found = known[inst, pointer] = self._before(inst).icmp("eq", shadow, primal)
        return found

    def address(self, inst: Instruction, pointer: Value, dummy: str) -> Value:
        """Where ``inst`` finds the shadow of what ``pointer`` points to; the ``dummy`` (``Engine.dummy``) for memory
        that turns out to be inactive."""
        if not self.at_run_time:
            return self.of(pointer)
        return self.chosen(inst, pointer, self.engine.dummy(dummy))

    def chosen(self, inst: Instruction, pointer: Value, instead: Value) -> Value:
        """The shadow of ``pointer``, or something else for memory that turns out to be inactive."""
        known = self._choices[self.lanes.current]
        found = known.get((inst, pointer, instead))
        if found is None:
            test = self.inactive(inst, pointer)
            found = known[inst, pointer, instead] = self._before(inst).select(test, instead, self.of(pointer))
        return found

    def active_length(self, inst: Instruction, pointers: Sequence[Value], length: Value) -> Value:
        """``length``, or zero when one of the pointers leads to inactive memory: what a block copy moves."""
        build = self._before(inst)
        for pointer in pointers if self.at_run_time else ():
            length = build.select(self.inactive(inst, pointer), zero(length.type), length)
        return length

    def _before(self, inst: Instruction) -> Builder:
        place = self.copy.of(inst)
        assert isinstance(place, Instruction) and place.block is not None
        return Builder(place.block, before=place)

    def _phi(self, phi: Phi) -> Value:
        made = Phi(phi.type, (), name=_name(phi))
        self.made[phi] = made
        block = self.copy.blocks[phi.block]  # type: ignore[index]
        block.insert(len(block.phis), made)
        if self._open is None:
            self._fill(phi, made)
        else:
            self._open.append((phi, made, self.lanes.current))
        return made

    def settle(self) -> None:
        """All calls have been visited: fill in the phis."""
        while self._open:
            phi, made, lane = self._open.pop()
            for _ in self.lanes.at(lane):
                self._fill(phi, made)
        self._open = None

    def _fill(self, phi: Phi, made: Phi) -> None:
        for incoming, source in phi.incoming:
            if source in self.copy.blocks:
                made.add_incoming(self._operand(incoming), self.copy.blocks[source])
        guard_phi(self, phi, made)

    def _operand(self, value: Value) -> Value:
        """Shadow of an operand of a pointer computation: indices and other integers stay as they are."""
        if isinstance(value, (ConstantInt, ConstantFloat, ConstantString)):
            return value
        if isinstance(value, Constant) and not isinstance(
            value, (GlobalVariable, GlobalAlias, Function, ConstantExpr, ConstantAggregate)
        ):
            return value
        if _pointer_like(value.type) or self.needed(value):
            return self.of(value)
        return self.copy.of(value)

    def _make(self, value: Value) -> Value:
        copy = self.copy
        if isinstance(value, Argument):
            shadow = copy.shadow_argument(value)
            if shadow is None and self.at_run_time:
                return copy.of(value)
            if shadow is None:
                raise copy.subject.refuse(
                    None,
                    f"parameter {value.index + 1} ({value.name or 'unnamed'}) of '{copy.subject.function.name}' "
                    f"needs a shadow but is declared "
                    f"{copy.request.args[value.index]}",
                    "a pointer that may lead to it also leads to active memory, or active data is stored through it",
                    "pass it as enzyme_dup with a shadow of the same size (a zeroed scratch buffer will do)",
                    ActivityError,
                )
            return shadow
        if isinstance(value, Constant):
            return self._constant(value)
        assert isinstance(value, Instruction)
        if is_distance(value):
            return copy.of(value)
        if isinstance(value, Cast) and value.opcode == "inttoptr":
            stepped = self._stepped(value)
            if stepped is not None:
                return stepped
        if isinstance(value, STRUCTURAL):
            operands = [self._structural_operand(value, i, op) for i, op in enumerate(value.operands)]
            made = value.clone(operands)
            made.metadata = {}
            made.name = _name(value)
            return insert_after(copy.of(value), made)
        if isinstance(value, BinaryOp) and value.opcode in ("add", "sub", "and", "or", "xor"):
            made_of_it = self._address(value)
            if made_of_it is not None:
                return made_of_it
        if isinstance(value, Load):
            made = value.clone([self.of(value.pointer)])
            loosen_access(self.copy.subject.module.datalayout, made)
            made.metadata = {k: v for k, v in value.metadata.items() if k == "tbaa"}
            made.name = _name(value)
            copy.shadow_origin[made] = value
            insert_after(copy.of(value), made)
            guard_load(self, value, made)
            return made
        if isinstance(value, Alloca):
            return self._alloca(value)
        if isinstance(value, CallBase):
            return self._call(value)
        raise copy.subject.refuse(
            value,
            f"cannot follow the pointer made by '{value.opcode}' to its shadow",
            "the engine knows no way to build the shadow of this computation",
            "compute the pointer by ordinary indexing",
            UnsupportedError if _pointer_like(value.type) else TypeUnknownError,  # an integer need not be one
        )

    def _stepped(self, value: Cast) -> Value | None:
        """The shadow of a pointer made of an integer that was a pointer: a step from that one's shadow, so that
        optimisers see which memory it is in, and do not take it for the primal's by the integers that come in."""
        origin, steps = value.operands[0], 0
        while isinstance(origin, BinaryOp) and origin.opcode in ("add", "sub", "and", "or", "xor"):
            needed = [operand for operand in origin.operands if self.needed(operand)]
            if len(needed) != 1 or (origin.opcode == "sub" and needed[0] is not origin.operands[0]):
                return None
            origin, steps = needed[0], steps + 1
        if not steps or not isinstance(origin, Cast) or origin.opcode != "ptrtoint" or not value.type.is_pointer:
            return None
        build = builder_after(self.copy.of(value))  # type: ignore[arg-type]
        distance = build.sub(self.copy.of(value.operands[0]), self.copy.of(origin))
        return build.offset(self.of(origin.operands[0]), distance)

    def _address(self, value: BinaryOp) -> Value | None:
        """The shadow of an address in an integer: as far from the shadow as the address is from what it is made of,
        whatever bits were set or cleared on the way. Two addresses added, or put in one by exclusive or, are taken
        apart again the same way as they were put together."""
        copy = self.copy
        left, right = value.operands
        needed = [operand for operand in (left, right) if self.needed(operand)]
        if len(needed) == 1 and (needed[0] is left or value.opcode != "sub"):
            build = builder_after(copy.of(value))  # type: ignore[arg-type]
            return build.add(self.of(needed[0]), build.sub(copy.of(value), copy.of(needed[0])))
        if len(needed) == 2 and value.opcode in ("add", "sub", "xor"):
            made = value.clone([self.of(left), self.of(right)])
            made.metadata, made.name, made.flags = {}, _name(value), ()
            return insert_after(copy.of(value), made)
        return None

    def _structural_operand(self, user: Instruction, index: int, operand: Value) -> Value:
        if isinstance(user, GetElementPtr) and index > 0:
            return self.copy.of(operand)
        if isinstance(user, Select) and index == 0:
            return self.copy.of(operand)
        if isinstance(user, (InsertElement,)) and index == 2 or isinstance(user, ExtractElement) and index == 1:
            return self.copy.of(operand)
        if isinstance(user, (InsertValue, InsertElement)) and index == 1 and not self.needed(operand):
            return self.copy.of(operand)
        return self._operand(operand)

    def _constant(self, value: Constant) -> Value:
        if isinstance(value, ConstantToken):
            return value
        if isinstance(value, (ConstantExpr, ConstantAggregate)):
            kinds = (GlobalVariable, GlobalAlias, Function, ConstantExpr, ConstantAggregate)
            operands = [self.of(op) if isinstance(op, kinds) else op for op in value.constant_operands()]
            return rebuild_constant(value, operands)
        if isinstance(value, GlobalVariable):
            return self.engine.global_shadow(value, self.copy)
        if isinstance(value, GlobalAlias) and not is_code(value):
            return self._renamed(value)
        return value  # the shadow of a function is the function: calls through pointers look at the primal pointer

    def _renamed(self, alias: GlobalAlias) -> Value:
        """The shadow of a weak name of a variable, which may turn out to be another file's: that stops the program."""
        definition = alias.aliasee
        assert definition is not None
        build = first_builder(self.copy.target.blocks[0])
        text = f"enzyme: the weak name '{alias.name}' is another variable than the one it was defined as"
        fine = build.icmp("eq", alias, definition)
        build.call(self.engine.runtime("insist"), [fine, self.engine.message(text)])
        return self.of(definition)

    # allocations

    def _alloca(self, value: Alloca) -> Value:
        copy = self.copy
        primal = copy.of(value)
        assert isinstance(primal, Instruction)
        if isinstance(primal, CallBase):  # on the heap, because the reverse sweep outlives the stack frame
            on_heap = insert_after(primal, primal.clone())
            self.fills[value] = self.engine.memset_zero(builder_after(on_heap), on_heap, primal.args[-1], 8)
            return on_heap
        unit = ConstantInt(I64, copy.subject.module.datalayout.alloc_size(value.allocated_type))
        build = builder_after(primal)
        count = copy.of(value.operands[0])
        align = max(value.align, 8)
        made = build.alloca(value.allocated_type, count, align, name=_name(value))
        size = build.mul(build.zext(count, I64), unit)
        self.fills[value] = self.engine.memset_zero(build, made, size, align)
        return made

    def _call(self, value: CallBase) -> Value:
        copy = self.copy
        primal = copy.of(value)
        known = known_callee(value.callee_name, value.callee_type) if value.callee_name else None
        returned = self.engine.returned_argument(value)
        if returned is not None:
            inner = self.of(value.args[returned])
            if (value.callee_name or "").startswith("llvm.threadlocal.address") and isinstance(primal, CallBase):
                made = primal.clone([inner, primal.callee])
                return insert_after(primal, made)
            return inner
        if is_rest(value):
            return zero(value.type)  # a derivative that gets there has stopped
        if known is not None and known.allocation is not None:
            assert isinstance(primal, CallBase)
            made = plain_call(primal)
            made.name = _name(value)
            insert_after(primal, made)
            build = builder_after(made)
            size = self.engine.allocation_size(build, known, [copy.of(a) for a in value.args])
            if size is None and known.inactive:  # a copy of a string: as long as that one is
                build.call(self.engine.runtime("zero"), [made])
                return made
            if size is None:
                raise copy.subject.refuse(
                    value,
                    f"cannot make a zeroed shadow of what '{value.callee_name}' allocates",
                    "its size is not known from its arguments",
                    "allocate with malloc or calloc",
                )
            if self.engine.reallocates and known.allocation.deallocator == "free":
                build.call(self.engine.runtime("zero"), [made])
            elif not known.allocation.zeroed:
                self.fills[value] = self.engine.memset_zero(build, made, size, 1)
            return made
        if known is not None and known.returns_argument is not None and value.type.is_pointer:
            return self._inside(value, known.returns_argument)
        if self.at_run_time:
            return primal
        raise copy.subject.refuse(
            value,
            f"the pointer returned by '{value.callee_name or 'an indirect call'}' has no shadow",
            "nothing is known of where it points",
            "define the function in the same module, or register how its shadow is made",
        )

    def _inside(self, value: CallBase, position: int) -> Value:
        """The shadow of a pointer into what an argument points to, a base of an object or a character found: as far
        from the argument's shadow, and null where nothing was found."""
        primal, given = self.copy.of(value), value.args[position]
        build = builder_after(primal)  # type: ignore[arg-type]
        start, end = (build.cast("ptrtoint", each, I64) for each in (self.copy.of(given), primal))
        stepped = build.offset(self.of(given), build.sub(end, start))
        return build.select(build.icmp("eq", primal, zero(value.type)), zero(value.type), stepped)


def _name(value: Value) -> str | None:
    return f"{value.name}.shadow" if value.name else None


def _pointer_like(type: Type) -> bool:
    return type.scalar.is_pointer


def heap_function(module: Module, name: str) -> Function:
    """Declarations of the allocator functions that derivative code calls."""
    types = {
        "malloc": FunctionType(PTR, (I64,)),
        "calloc": FunctionType(PTR, (I64, I64)),
        "realloc": FunctionType(PTR, (PTR, I64)),
        "free": FunctionType(VOID, (PTR,)),
    }
    return module.declare_function(name, types[name])
