"""What activity analysis found, as its users ask for it; the terms are those of :mod:`enzyme.analysis.activity`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from enzyme.analysis.activity_flow import FlowGraph, Node, describe, may_hold_float, rest_nodes
from enzyme.analysis.dispatched import data_arguments, is_rest
from enzyme.analysis.points_to_objects import Obj, has_pointer
from enzyme.ir.printer import print_instruction
from enzyme.ir.values import Alloca, CallBase, Function, GlobalVariable, Instruction, Return, Store, Value


@dataclass(frozen=True)
class Problem:
    """A place where activity cannot be given a sound meaning. ``kind`` is one of those that
    :mod:`enzyme.analysis.activity_problems` has a way out for."""

    kind: str
    instruction: Instruction
    what: str
    why: str
    hint: str


Reason = tuple[Node | None, Instruction | None, str]
"""The node this one was reached from and by which instruction, or why it is a starting point."""


@dataclass
class ActivityResult:
    """What the analysis found; see the module docstring for the terms."""

    function: Function
    graph: FlowGraph
    arg_activity: tuple[str, ...]
    ret_active: bool
    varied: Mapping[Node, Reason]
    useful: Mapping[Node, Reason]
    shadowed: frozenset[Obj]
    active_objects: frozenset[Obj]
    leading: frozenset[GlobalVariable] = frozenset()
    inert: frozenset[GlobalVariable] = frozenset()
    problems: list[Problem] = field(default_factory=list)

    def active_value(self, value: Value) -> bool:
        """Whether ``value`` (float, vector, struct, or integer that carries a float) needs an adjoint or tangent."""
        return value in self.varied and value in self.useful and not isinstance(value, Function)

    @property
    def mutable_globals(self) -> frozenset[str]:
        """Names of the mutable global variables that have shadows."""
        return frozenset(
            o.value.name or ""
            for o in self.shadowed
            if o.kind == "global" and isinstance(o.value, GlobalVariable) and not o.value.is_constant
        )

    @property
    def leading_globals(self) -> frozenset[str]:
        """Names of the mutable global variables in which pointers to memory with a shadow are stored."""
        return frozenset(variable.name or "" for variable in self.leading)

    @property
    def inert_globals(self) -> frozenset[str]:
        """Names of those of them that nothing active gets behind, in a derivative that goes on."""
        return frozenset(variable.name or "" for variable in self.inert)

    def objects(self, pointer: Value) -> frozenset[Obj]:
        return self.graph.points_to.pts(pointer)

    def needs_shadow(self, pointer: Value) -> bool:
        """Whether ``pointer`` may point to memory that has a shadow."""
        if not has_pointer(pointer.type) and not isinstance(pointer, Instruction):
            return False
        return any(o in self.shadowed for o in self.objects(pointer))

    def touches_active_memory(self, pointer: Value) -> bool:
        """Whether ``pointer`` may point to an active object."""
        return any(o in self.active_objects for o in self.objects(pointer))

    def active_instruction(self, inst: Instruction) -> bool:
        """Whether the derivative program has anything to do for ``inst``."""
        if isinstance(inst, Store):
            if has_pointer(inst.value.type) or self.needs_shadow(inst.value):  # a pointer, or (a part of) its bits
                return any(o in self.shadowed for o in self.objects(inst.pointer))
            # An active value stored where nothing useful reads it passes nothing on; a store into active memory clears.
            return may_hold_float(inst.value.type) and self.touches_active_memory(inst.pointer)
        if isinstance(inst, CallBase):
            return self._active_call(inst)
        if isinstance(inst, Return):
            return bool(inst.operands) and self.ret_active and self.active_value(inst.operands[0])
        if isinstance(inst, Alloca):
            return self.needs_shadow(inst)
        if self.active_value(inst):
            return True
        if inst.opcode in ("atomicrmw", "cmpxchg") and self.touches_active_memory(inst.operands[0]):
            return True
        return has_pointer(inst.type) and self.needs_shadow(inst)

    def _active_call(self, call: CallBase) -> bool:
        facts = self.graph.points_to.callees.facts(call)
        if self.active_value(call) or (has_pointer(call.type) and self.needs_shadow(call)):
            return True
        if facts.ignored or facts.text or facts.own or (facts.inactive and not facts.writes):
            return False
        if facts.transfer is not None:
            return any(o in self.shadowed for o in self.objects(call.args[facts.transfer.destination]))
        if is_rest(call):
            nodes = rest_nodes(self.graph.points_to, call)
            return any(n in self.shadowed if isinstance(n, Obj) else self.active_value(n) for n in nodes)
        if any(o in self.shadowed for o in self.graph.written.get(call, ())):
            return True
        given = data_arguments(call)
        return any(self.active_value(a) or (has_pointer(a.type) and self.needs_shadow(a)) for a in given)

    def reason_chain(self, value: Node) -> str:
        """Why ``value`` is active, or what keeps it from being so: one step a line."""
        lines = [f"{describe(value, self.function)} is {'active' if self._is_active(value) else 'inactive'}"]
        for title, facts, missing in (
            ("it varies", self.varied, "no active input reaches it"),
            ("it is useful", self.useful, "no active output depends on it"),
        ):
            if value not in facts:
                cut = self.graph.cuts.get(value) if isinstance(value, Value) and facts is self.varied else None
                lines.append(f"  not {title.removeprefix('it ')}: {cut or missing}")
                continue
            lines.append(f"  {title}:")
            node: Node | None = value
            while node is not None:
                origin, inst, why = facts[node]
                step = why if origin is None else f"through '{_shown(inst)}' {why} {describe(origin, self.function)}"
                lines.append(f"    {describe(node, self.function)}: {step}")
                node = origin
        return "\n".join(lines)

    def _is_active(self, node: Node) -> bool:
        return node in self.active_objects if isinstance(node, Obj) else self.active_value(node)

    def dump(self) -> str:
        """One line per value, instruction and object, with v (varied), u (useful), A (active), S (needs a shadow)."""
        lines = [f"activity of @{self.function.name}({', '.join(self.arg_activity)})"]
        for value in [*self.function.args, *self.function.instructions()]:
            lines.append(f"  [{self._marks(value)}] {_shown(value)}")
        for obj in self.graph.points_to.objects:
            marks = "".join(
                letter if test else "-"
                for letter, test in (
                    ("v", obj in self.varied),
                    ("u", obj in self.useful),
                    ("A", obj in self.active_objects),
                    ("S", obj in self.shadowed),
                )
            )
            lines.append(f"  [{marks}] {obj.label}")
        lines += [f"  problem {p.kind}: {p.what}: {p.why}" for p in self.problems]
        return "\n".join(lines)

    def _marks(self, value: Value) -> str:
        active = self.active_instruction(value) if isinstance(value, Instruction) else self.active_value(value)
        shadow = has_pointer(value.type) and self.needs_shadow(value)
        tests = (("v", value in self.varied), ("u", value in self.useful), ("A", active), ("S", shadow))
        return "".join(letter if test else "-" for letter, test in tests)


def _shown(value: Value | None) -> str:
    if isinstance(value, Instruction):
        return print_instruction(value).strip()
    return f"%{value.name}" if value is not None else "?"
