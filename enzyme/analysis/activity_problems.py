"""Places where activity has no sound meaning, found after the analysis: nothing active is dropped silently."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from enzyme.analysis.activity_callees import CUSTOM
from enzyme.analysis.activity_flow import may_hold_float
from enzyme.analysis.activity_result import ActivityResult, Problem
from enzyme.analysis.counted import is_counted
from enzyme.analysis.dispatched import data_arguments
from enzyme.analysis.points_to_objects import THROW, Obj, has_pointer
from enzyme.ir.types import IntType
from enzyme.ir.values import Argument, CallBase, Function, GlobalVariable, InlineAsm, Instruction, Load, Store, Value

CanShadow = Callable[[Obj], bool]

_HINTS = {
    "constant-memory": "declare the argument enzyme_dup (or enzyme_dupnoneed) and give it a shadow",
    "inactive-global": "declare the global with its size, or name its shadow: "
    "void *__enzyme_register_shadow_g[] = {&g, &dg};",
    "unknown-memory": "pass the memory through an argument declared enzyme_dup",
    "mixed-pointer": "declare all of them enzyme_dup, or copy the constant data into local memory first",
    "constant-structure": "declare the constant memory enzyme_dup too, or pass the pointers as separate arguments",
    "mixed-structure": "declare the constant memory enzyme_dup too, or pass the pointers as separate arguments",
    "unknown-callee": "define it in the same program (with -flto where files are compiled one by one), "
    "or pass what it works on as enzyme_const",
    "exception": "throw an exception without such numbers, or return them",
    "stray-pointer": "keep the address in a pointer, or in a uintptr_t that is only stepped, masked and copied; "
    "mark what has nothing to do with the derivative inactive: void *__enzyme_inactivefn[] = {(void *)f};",
    "distance": "keep a pointer, or put both into one object",
    "integer-address": "pass a pointer (void *)",
    "text": "use the number itself, or declare what writes or reads the text inactive (__enzyme_inactivefn)",
    "float-bits": "write the computation in floating-point operations; an integer in a union with a number: make it as "
    "wide as the number, or keep it beside the union",
}


def find_problems(
    result: ActivityResult, can_have_shadow: CanShadow, ignored: frozenset[str] = frozenset()
) -> list[Problem]:
    """Every problem of the function, in instruction order. ``ignored`` are globals that the program declares inactive:
    what is lost there is lost by its own word."""
    return list(_Finder(result, can_have_shadow, ignored).find())


class _Finder:
    def __init__(self, result: ActivityResult, can_have_shadow: CanShadow, ignored: frozenset[str]) -> None:
        self.ignored = ignored
        self.result, self.graph, self.points_to = result, result.graph, result.graph.points_to
        self.can_have_shadow = can_have_shadow
        self.opaque = {o.call: o for o in self.graph.opaque_calls}

    def find(self) -> Iterator[Problem]:
        for inst in self.result.function.instructions():
            if isinstance(inst, Store):
                yield from self._stored(inst, inst.value, inst.pointer)
                # A store of inactive data clears the shadow, so it too must know whether there is one.
                clears = may_hold_float(inst.value.type) and self.result.touches_active_memory(inst.pointer)
                yield from self._mixed(inst, inst.pointer, clears)
            elif isinstance(inst, Load):
                active = self.result.active_value(inst)
                yield from self._mixed(inst, inst.pointer, active)
            elif inst.opcode in ("atomicrmw", "cmpxchg"):
                yield from self._stored(inst, inst.operands[-1], inst.operands[0])
            elif isinstance(inst, CallBase):
                yield from self._call(inst)
            yield from self._stray(inst)
            yield from self._distance(inst)
        yield from self._globals()
        yield from self._text()
        for cast in self.graph.bit_conversions:
            if cast.operands[0] in self.result.varied and cast in self.result.useful and not is_counted(cast):
                yield self._problem(
                    "float-bits",
                    cast,
                    "the bits of an active floating-point number are used as an integer and converted back",
                    "this is not piecewise constant, and no derivative rule sees through the bits",
                )

    def _stray(self, inst: Instruction) -> Iterator[Problem]:
        found = self.points_to.stray_at(inst)
        if found is None:
            return
        what = "a pointer is made of an integer that no address can be followed into"
        if isinstance(found, CallBase):
            what = f"a pointer is made of text, by '@{found.callee_name}'"
        elif found is not inst and found.function is not None:
            what = f"'@{found.function.name}', which is called here, makes a pointer of an integer of unknown origin"
        yield self._problem("stray-pointer", inst, what, "it may lead to active memory, whose shadow cannot be found")

    def _distance(self, inst: Instruction) -> Iterator[Problem]:
        for left, right in self.points_to.distances_at(inst):
            told_apart = (
                bool(left and right)
                and all(o.kind not in ("unknown", "deref") for o in left | right)
                and (all(o.is_local for o in left) or all(o.is_local for o in right))
            )
            if told_apart and any(o in self.result.shadowed or o in self.result.varied for o in left | right):
                names = [next((o.label for o in end), "nothing") for end in (left, right)]
                what = f"the distance between {names[0]} and {names[1]} is kept in an integer"
                yield self._problem("distance", inst, what, "between their shadows it is another one")
                return

    def _text(self) -> Iterator[Problem]:
        inst = self.graph.text.lost(self.result.varied, self.result.useful, self.graph.successors)
        if inst is not None:
            name = inst.callee_name if isinstance(inst, CallBase) else None
            what = f"numbers are made of text that was written with active numbers, by '@{name}'"
            yield self._problem("text", inst, what, "text, files and the environment carry no derivatives")

    # --- what is written where -------------------------------------------------------------------------------------

    def _stored(self, inst: Instruction, value: Value, pointer: Value) -> Iterator[Problem]:
        targets = self.points_to.pts(pointer)
        if value in self.result.varied:
            yield from self._written(inst, targets, "active data is stored")
        elif has_pointer(value.type) and any(o in self.result.shadowed for o in self.points_to.pts(value)):
            outside = [o for o in targets if not self.can_have_shadow(o) and o.kind != "function"]
            yield from self._written(inst, outside, "a pointer to active memory is stored")

    def _written(self, inst: Instruction, targets: Iterable[Obj], what: str) -> Iterator[Problem]:
        for obj in targets:
            if self.can_have_shadow(obj) or obj.kind == "function" or self._is_ignored(obj):
                continue
            kind, place = _place(obj)
            yield self._problem(kind, inst, f"{what} in {place}", "it has no shadow, so the derivative would be lost")
            return

    def _is_ignored(self, obj: Obj) -> bool:
        return isinstance(obj.value, GlobalVariable) and obj.value.name in self.ignored

    def _mixed(self, inst: Instruction, pointer: Value, active: bool) -> Iterator[Problem]:
        objects = [o for o in self.points_to.pts(pointer) if o.kind != "function" and not self._is_ignored(o)]
        shadowed = [o for o in objects if o in self.result.shadowed]
        others = [o for o in objects if o not in self.result.shadowed]
        if active and objects and not shadowed:
            kind, place = _place(objects[0])
            yield self._problem(kind, inst, f"active data is read from or written to {place}", f"{place} has no shadow")
        elif active and others:
            yield self._problem(
                "mixed-pointer",
                inst,
                "active data goes through a pointer that may also point to memory without a shadow",
                f"it may point to {shadowed[0].label} (active) and to {others[0].label} (not)",
            )

    def _globals(self) -> Iterator[Problem]:
        """Functions that find pointers in a global cannot tell which of them lead to memory with a shadow."""
        for variable in self.result.leading:
            reach = self.points_to.reach(self.points_to.stored_in(variable))
            others = [o for o in reach if o not in self.result.shadowed and o.kind != "function"]
            others = [o for o in others if self._may_hold_float(o)]
            if others:
                yield self._problem(
                    "mixed-structure",
                    self.result.function.entry.instructions[0],
                    f"global '@{variable.name}' leads both to active memory and to memory without a shadow",
                    f"it reaches {others[0].label}, which has no shadow",
                )

    # --- calls -----------------------------------------------------------------------------------------------------

    def _call(self, call: CallBase) -> Iterator[Problem]:
        facts = self.points_to.callees.facts(call)
        if call.callee_name == THROW:
            if any(o in self.result.varied and o.is_local for o in self.points_to.pts(call.args[0])):
                what = "an exception carries a number that depends on active inputs"
                yield self._problem("exception", call, what, "what catches it would get it without its derivative")
        elif call in self.opaque:
            yield from self._opaque(call)
        elif call in self.graph.call_effects:
            yield from self._addresses(call)
            yield from self._effects(call)
        elif facts.transfer is not None and facts.transfer.source is not None and call not in self.graph.cuts:
            source = call.args[facts.transfer.source]
            destination = call.args[facts.transfer.destination]
            varied = any(o in self.result.varied for o in self.points_to.pts(source))
            if varied:
                yield from self._written(call, self.points_to.pts(destination), "active data is copied")
            active = self.result.touches_active_memory(destination)
            yield from self._mixed(call, destination, active)
            yield from self._mixed(call, source, active and varied)
        elif facts.transfer is not None:
            destination = call.args[facts.transfer.destination]
            yield from self._mixed(call, destination, self.result.touches_active_memory(destination))

    def _opaque(self, call: CallBase) -> Iterator[Problem]:
        opaque = self.opaque[call]
        memory = [o for o in opaque.outputs if isinstance(o, Obj) and o in self.result.active_objects]
        if not self.result.active_value(call) and not memory:
            return
        name = call.callee_name
        callee, assembly = call.callee, isinstance(call.callee, InlineAsm)
        target = f"to '@{name}'" if name else "through a pointer"
        if isinstance(callee, Function) and not callee.is_declaration:
            why = "it takes a variable number of arguments, or is called by another type than its own"
        elif assembly:
            target, why = "of inline assembly", "there are no rules for machine instructions"
        else:
            why = (
                "no definition is at hand and no rule is known" if name else "it is not known which function is called"
            )
        if memory:
            why += f"; it may write active memory ({memory[0].label})"
        yield self._problem("unknown-callee", call, f"cannot differentiate a call {target}", why)

    def _effects(self, call: CallBase) -> Iterator[Problem]:
        """The callee's own analysis sees only its arguments; what its effects mean here is checked here."""
        callees = self.points_to.callees
        custom = CUSTOM in callees.attributes(call)
        for effect in self.graph.call_effects[call]:
            source, target = effect.source, effect.target
            if custom and not effect.certain:
                continue  # what only a registered function without a body might do
            lost = isinstance(source, Obj) and source in self.result.varied and not self.can_have_shadow(source)
            lost = lost and isinstance(source, Obj) and not self._is_ignored(source)
            if lost and effect.certain and isinstance(source, Obj) and target in self.result.useful:
                kind, place = _place(source)
                what = f"'@{call.callee_name}' reads active data from {place}"
                yield self._problem(kind, call, what, f"{place} has no shadow")
                break
            if not effect.certain or effect.source not in self.result.varied or not isinstance(target, Obj):
                continue
            if not self.can_have_shadow(target):
                yield from self._written(call, [target], f"'@{call.callee_name}' stores active data")
                break
        for argument in data_arguments(call):
            if not has_pointer(argument.type):
                continue
            objects = self.points_to.pts(argument)
            if not any(o in self.result.shadowed for o in objects):
                continue
            reach = [o for o in self.points_to.reach(objects) if o.kind != "function"]
            others = [o for o in reach if o not in self.result.shadowed and self._may_hold_float(o)]
            if others:
                given = all(isinstance(o.value, Argument) for o in others)
                yield self._problem(
                    "constant-structure" if given else "mixed-structure",
                    call,
                    "an argument leads both to active memory and to memory without a shadow",
                    f"it reaches {others[0].label}, which has no shadow",
                )
                return

    def _addresses(self, call: CallBase) -> Iterator[Problem]:
        """Addresses of active memory that a call passes as integers: the callee does not get the shadow."""
        types = self.graph.types
        for index, argument in enumerate(call.args):
            if types is None or not isinstance(argument.type, IntType) or not types.value_is_pointer(argument):
                continue
            if any(o in self.result.shadowed for o in self.points_to.pts(argument)):
                yield self._problem(
                    "integer-address",
                    call,
                    f"argument {index + 1} of a call is the address of active memory, as an integer",
                    "the function called does not turn it into a pointer by itself, so it gets no shadow beside it",
                )
                return

    def _may_hold_float(self, obj: Obj) -> bool:
        """False when types prove that the memory holds no floating-point data, so that no shadow of it is ever used."""
        types = self.graph.types
        if types is None or obj.value is None or obj.kind not in ("arg", "global"):
            return True
        return types.object_may_hold_float(obj.value)

    def _problem(self, kind: str, inst: Instruction, what: str, why: str) -> Problem:
        return Problem(kind, inst, what, why, _HINTS[kind])


def _place(obj: Obj) -> tuple[str, str]:
    """(problem kind, words) for an object that has no shadow."""
    if isinstance(obj.value, Argument):
        name = obj.value.name or str(obj.value.index)
        reach = "memory behind" if obj.kind == "arg" else "memory reachable from"
        return "constant-memory", f"{reach} argument '{name}', which is declared constant"
    if isinstance(obj.value, GlobalVariable):
        return "inactive-global", f"global '@{obj.value.name}'"
    return "unknown-memory", "memory that this function does not know"
