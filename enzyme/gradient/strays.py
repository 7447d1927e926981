"""Pointers out of memory that a derivative knows nothing of may lead to a global that has a twin in it.

``table->cells = held``, stored before the derivative began, somewhere on the heap: what is read by that pointer would
be taken for constant, and written by it, would not clear the twin. No analysis of the functions that are differentiated
can know, so the program looks at such pointers where it loads them, and stops. Functions that are called as they are,
since nothing active is seen to go in, are called as copies that look at theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from enzyme.gradient.led import STRUCTURAL, is_followed
from enzyme.gradient.lines import attach_lines
from enzyme.gradient.mixed_results import without_memory
from enzyme.gradient.moved_bodies import call_copy, copy_function
from enzyme.gradient.primal import PrimalCopy, builder_after
from enzyme.ir.types import I64
from enzyme.ir.values import (
    Alloca,
    CallBase,
    Constant,
    ConstantInt,
    Function,
    GlobalVariable,
    Instruction,
    Load,
    Phi,
    Store,
    Value,
    without_steps,
)

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine

_LOOKING, _WATCHING = ".looking", ".watching"
"""Behind the name of a function: its copy that looks at the pointers it loads, or at those it writes through."""


def guard_strays(engine: Engine, copy: PrimalCopy) -> None:
    """Guard the pointers that lead from unknown memory to unknown memory, in a derivative whose primal is copied and
    nothing else done."""
    activity, known = copy.activity, engine.globals
    held = (o for o in activity.graph.points_to.objects if o.kind == "global" and o in activity.varied)
    variables = [each.value for each in held if isinstance(each.value, GlobalVariable)]
    variables = [each for each in variables if known.may_change(each) and each.name not in known.ignored]
    if not variables:
        return

    def is_stray(pointer: Value) -> bool:
        return any(o.kind in ("deref", "unknown") and o not in activity.shadowed for o in activity.objects(pointer))

    def counts(load: Load) -> bool:
        return load in activity.useful and copy.subject.types.value_may_carry_float(load)

    guards = _Guards(engine, variables)
    for block in copy.subject.live_blocks:
        for inst in block.instructions:
            if isinstance(inst, Load) and inst.type.is_pointer and is_stray(inst.pointer) and is_stray(inst):
                if _is_used(inst, counts):
                    guards.look_at(inst, copy.of(inst), copy.subject.function)
            elif isinstance(inst, CallBase) and not activity.active_instruction(inst):
                made = copy.values.get(inst)
                if isinstance(made, CallBase):  # not what is left out
                    guards.call(made, inst in activity.useful)


class _Guards:
    def __init__(self, engine: Engine, variables: list[GlobalVariable]) -> None:
        self.engine, self.variables = engine, variables
        self.module = engine.module

    def look_at(self, load: Load, made: Value, function: Function) -> None:
        """Stop the program where a loaded pointer leads into one of the globals."""
        assert isinstance(made, Instruction)
        build = builder_after(made)
        where = self.module.place_of(load, function)
        place = f"{where.file}:{where.line}" if where is not None else f"in {function.name}"
        word = build.cast("ptrtoint", made, I64)
        for variable in self.variables:
            size = ConstantInt(I64, self.module.datalayout.alloc_size(variable.value_type))
            begin = build.cast("ptrtoint", self.engine.globals.address(build, variable), I64)
            text = f"enzyme: a pointer from before leads to global '{variable.name}', which is active: {place}"
            fine = build.icmp("uge", build.sub(word, begin), size)
            build.call(self.engine.runtime("insist"), [fine, self.engine.message(text)])

    def call(self, call: CallBase, reads: bool) -> None:
        """Call the copy that looks; ``reads``: at pointers through which numbers are read, too, not only written."""
        callee = call.callee
        looking = self._looking(callee, reads) if isinstance(callee, Function) else None
        if looking is not None and looking is not callee:
            call_copy(call, looking)
            call.attrs = self._words(call)

    def _words(self, holder: Function | CallBase) -> tuple[str, ...]:
        """Attributes that hold although the program may stop there."""
        return tuple(word for word in without_memory(self.module, holder) if word != "willreturn")

    def _looking(self, function: Function, reads: bool) -> Function:
        ruled = any("enzyme" in word for word in self.module.fn_attributes(function))
        if function.is_declaration or ruled or function.function_type.vararg or not self._loads_pointers([function]):
            return function
        names = ".".join(each.name or "" for each in self.variables)
        name = f"{function.name}{_LOOKING if reads else _WATCHING}.{names}"
        found = self.module.get_function(name)
        if found is not None:
            return found
        made = copy_function(self.module, function, name, self._words(function))
        for inst in list(made.instructions()):
            inst.metadata.pop("llvm.loop", None)  # it has places in the function that was copied
            if isinstance(inst, CallBase):
                self.call(inst, reads)
            elif _leads_away(inst) and _is_used(inst, lambda load: reads and load.type.scalar.is_float):
                assert isinstance(inst, Load)
                self.look_at(inst, inst, function)
        attach_lines(self.module, function, made)
        return made

    def _loads_pointers(self, functions: Iterable[Function]) -> bool:
        """Whether one of some functions, or what they call, loads a pointer that is to be looked at."""
        seen = set(functions)
        work = list(seen)
        while work:
            for inst in work.pop().instructions():
                if _leads_away(inst):
                    return True
                callee = inst.callee if isinstance(inst, CallBase) else None
                if isinstance(callee, Function) and not callee.is_declaration and callee not in seen:
                    seen.add(callee)
                    work.append(callee)
        return False


def _leads_away(inst: Instruction) -> bool:
    """Whether a pointer is loaded that is not in a local or in constant memory."""
    if not isinstance(inst, Load) or not inst.type.is_pointer:
        return False
    base = without_steps(inst.pointer)
    return not isinstance(base, Alloca) and not (isinstance(base, Constant) and getattr(base, "is_constant", False))


def _is_used(pointer: Value, counts: Callable[[Load], bool]) -> bool:
    """Whether numbers that count are read through a pointer, it is written through, or somebody else gets it."""
    return is_followed(pointer, lambda access, _: isinstance(access, Store) or counts(access), (*STRUCTURAL, Phi))
