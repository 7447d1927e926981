"""The flow graph of floating-point data in one function: what may differ when what differs.

Nodes are SSA values and abstract memory objects; the function itself stands for its return value. An edge u -> v, kept
with the instruction that makes it, says that an infinitesimal change of u may change v. "May vary with an input" is
reachability along the edges, "may influence an output" reachability against them, so both directions of activity
analysis, and the summaries of callees, come from this one graph. It does not depend on what is asked to be active.

Cuts, where no edge is made although data flows: comparisons, conversions between floating point and integer, integers
that type analysis proves to be integers, addresses, and calls of functions known to be inactive.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from enzyme.analysis.activity_bits import uses_mantissa
from enzyme.analysis.activity_callees import CUSTOM, OPAQUE, CallFacts
from enzyme.analysis.activity_memo import RecursiveMemo
from enzyme.analysis.activity_text import (
    TextGraph,
    TextPair,
    ends,
    is_standard,
    opens_for_reading,
    opens_for_writing,
    outside,
    outside_of,
)
from enzyme.analysis.dispatched import is_dispatch, is_rest
from enzyme.analysis.modref import ModuleSummaries
from enzyme.analysis.pointer_alias import no_known_callee
from enzyme.analysis.points_to import OWN, Place, PointsTo, PointsToSummaries
from enzyme.analysis.points_to_objects import IN_FLIGHT, THROW, Obj, has_pointer
from enzyme.analysis.rounding import rounds
from enzyme.ir.types import ArrayType, FloatType, IntType, StructType, Type, VectorType
from enzyme.ir.values import (
    Argument,
    AtomicRMW,
    BinaryOp,
    CallBase,
    Cast,
    Compare,
    CompareExchange,
    Constant,
    Function,
    GetElementPtr,
    GlobalVariable,
    Instruction,
    Load,
    Phi,
    Return,
    Select,
    Store,
    Value,
)

_CHARACTER = 8  # bits

_SEVERAL = ("deref", "global deref", "unknown")
"""Places that stand for several objects of a caller: what one of them holds may go to another."""

Node = Value | Obj
FlowPair = tuple[Place, Place]


@dataclass(frozen=True)
class FlowSummary:
    """Pairs (from, to) of places: what a call may make of what it is given. ``certain`` leaves out what only functions
    without a definition might do, ``followed`` what only functions that are not part of the program might: there no
    derivative goes on, ``plain`` what only goes on between objects of one place. ``writes``: places that it may write,
    whatever with. ``text``: what goes through text."""

    pairs: frozenset[FlowPair] = frozenset()
    certain: frozenset[FlowPair] = frozenset()
    followed: frozenset[FlowPair] = frozenset()
    plain: frozenset[FlowPair] = frozenset()
    writes: frozenset[Place] = frozenset()
    text: frozenset[TextPair] = frozenset()


@dataclass(frozen=True)
class CallEffect:
    """One pair of a callee's summary in terms of the caller's nodes."""

    source: Node
    target: Node
    certain: bool


class FloatTypes(Protocol):
    """What activity analysis asks of type analysis. "May" answers are False only on proof."""

    def value_may_carry_float(self, value: Value) -> bool: ...
    def value_may_carry_pointer(self, value: Value) -> bool: ...
    def value_is_pointer(self, value: Value) -> bool: ...
    def value_carries_float(self, value: Value) -> bool: ...
    def float_bits(self, value: Value) -> FloatType | None: ...
    def memory_may_carry_float(self, pointer: Value, size: int | None) -> bool: ...
    def memory_carries_float(self, pointer: Value) -> bool: ...
    def object_may_hold_pointer(self, pointer: Value) -> bool: ...
    def object_may_hold_float(self, pointer: Value) -> bool: ...


HasRule = Callable[[CallBase], bool]
TypesOf = Callable[[Function], FloatTypes | None]


def may_hold_float(type: Type) -> bool:
    """Whether a value of this type can carry floating-point bits at all (integers below 16 bits cannot)."""
    if isinstance(type, FloatType):
        return True
    if isinstance(type, IntType):
        return type.bits >= 8
    if isinstance(type, (VectorType, ArrayType)):
        return may_hold_float(type.element)
    if isinstance(type, StructType):
        return any(map(may_hold_float, type.elements or ()))
    return False


def has_float(type: Type) -> bool:
    """Whether the type has a floating-point part (integers do not count)."""
    if isinstance(type, (VectorType, ArrayType)):
        return has_float(type.element)
    if isinstance(type, StructType):
        return any(map(has_float, type.elements or ()))
    return isinstance(type, FloatType)


@dataclass(frozen=True)
class OpaqueCall:
    """A call of a function of which only attributes are known, with the nodes it may read and write."""

    call: CallBase
    inputs: tuple[Node, ...]
    outputs: tuple[Node, ...]


@dataclass(frozen=True)
class Beside:
    """A pointer in a callee may lead to ``objects``, or through pointers in them to what does not exist here, and to
    the callee's own memory: where one of ``sources`` is active, that is active there."""

    sources: frozenset[Node]
    objects: frozenset[Obj]


@dataclass
class FlowGraph:
    """Edges both ways; ``cuts`` says for values without inflow why there is none.

    ``doubtful`` are edges that only functions without a definition may make, somewhere below, and ``stopping`` those of
    functions that are not part of the program, where a derivative stops. ``written`` are objects
    that an instruction may write: a call that is given nothing writes globals. ``beside`` says what callees
    reach by a pointer that may also lead to memory of their own. ``selves`` are objects of which one part may change
    another with no value in between: by a copy, or a call. ``within`` are edges between objects that a callee reaches
    through one parameter: any of them may be meant, or none.
    """

    function: Function
    points_to: PointsTo
    types: FloatTypes | None = None
    successors: dict[Node, dict[Node, Instruction]] = field(default_factory=dict)
    predecessors: dict[Node, dict[Node, Instruction]] = field(default_factory=dict)
    selves: set[Node] = field(default_factory=set)
    cuts: dict[Value, str] = field(default_factory=dict)
    opaque_calls: list[OpaqueCall] = field(default_factory=list)
    call_effects: dict[CallBase, list[CallEffect]] = field(default_factory=dict)
    doubtful: set[tuple[Node, Node]] = field(default_factory=set)
    stopping: set[tuple[Node, Node]] = field(default_factory=set)
    within: set[tuple[Node, Node]] = field(default_factory=set)
    beside: list[Beside] = field(default_factory=list)
    bit_conversions: list[Cast] = field(default_factory=list)
    written: dict[Instruction, frozenset[Obj]] = field(default_factory=dict)
    text: TextGraph = field(default_factory=TextGraph)

    def connect(
        self,
        source: Node,
        target: Node,
        inst: Instruction,
        certain: bool = True,
        stopping: bool = False,
        within: bool = False,
    ) -> None:
        if isinstance(source, Constant) and not isinstance(source, Function):
            return
        if source is target and not isinstance(source, Obj):
            return
        known = source in self.selves if source is target else target in self.successors.get(source, ())
        for edges, listed in ((self.doubtful, not certain), (self.stopping, stopping), (self.within, within)):
            if not listed:
                edges.discard((source, target))
            elif not known:
                edges.add((source, target))
        if source is target:
            self.selves.add(source)
            return
        self.successors.setdefault(source, {}).setdefault(target, inst)
        self.predecessors.setdefault(target, {}).setdefault(source, inst)

    def connect_all(
        self,
        sources: Iterable[Node],
        targets: Iterable[Node],
        inst: Instruction,
        certain: bool = True,
        stopping: bool = False,
    ) -> None:
        targets = list(targets)
        for source in sources:
            for target in targets:
                self.connect(source, target, inst, certain, stopping)

    def reachable(self, seeds: Iterable[Node], without: Collection[tuple[Node, Node]] = ()) -> set[Node]:
        """Nodes that ``seeds`` flow into, by other edges than some."""
        seen = set(seeds)
        work = list(seen)
        while work:
            node = work.pop()
            for target in self.successors.get(node, ()):
                if target not in seen and (node, target) not in without:
                    seen.add(target)
                    work.append(target)
        return seen

    def comes_back(self, node: Node, without: Collection[tuple[Node, Node]] = ()) -> bool:
        """Whether a change of a part of an object may change another part of it, by other edges than some."""
        if node in self.selves and (node, node) not in without:
            return True
        following = [target for target in self.successors.get(node, ()) if (node, target) not in without]
        return node in self.reachable(following, without)


class FlowAnalysis:
    """Flow graphs and callee summaries of one module, made once each."""

    def __init__(self, points_to: PointsToSummaries, has_rule: HasRule | None, types_of: TypesOf) -> None:
        self.points_to = points_to
        self.has_rule = has_rule if has_rule is not None else (lambda call: False)
        self.types_of = types_of
        self._graphs: dict[Function, FlowGraph] = {}
        callees = points_to.callees
        known: Any = callees.known if callees.known is not None else no_known_callee  # one table, two views of it
        self.effects = ModuleSummaries(callees.module, known) if callees.module is not None else None
        self._memo: RecursiveMemo[Function, FlowSummary] = RecursiveMemo(self._summarise, lambda _: FlowSummary())

    @cached_property
    def opens_for_writing(self) -> bool:
        module = self.points_to.callees.module
        return module is None or opens_for_writing(module)

    def summary(self, function: Function) -> FlowSummary:
        return self._memo.get(function)

    def graph(self, function: Function) -> FlowGraph:
        """The graph with final summaries of its callees in it."""
        self.summary(function)
        return self._graphs[function]

    def _summarise(self, function: Function) -> FlowSummary:
        graph = self._graphs[function] = _GraphMaker(self, function).graph
        points_to = graph.points_to
        returned = [i.operands[0] for i in function.instructions() if isinstance(i, Return) and i.operands]
        visible = points_to.reach(
            [o for o in points_to.objects if not o.is_local] + [o for v in returned for o in points_to.pts(v)]
        )
        outputs: dict[Node, Place] = {function: ("return", None)}
        outputs |= {o: place for o in visible if (place := points_to.places_of(o)) is not None}
        seeds: list[tuple[Place, Node]] = [(("value", a.index), a) for a in function.args if may_hold_float(a.type)]
        seeds += [(place, o) for o, place in outputs.items() if isinstance(o, Obj) and not o.is_local]

        def pairs(without: Collection[tuple[Node, Node]] = ()) -> frozenset[FlowPair]:
            found = set()
            for place, seed in seeds:
                reached = {outputs[node] for node in graph.reachable([seed], without) if node in outputs}
                if place[0] not in _SEVERAL or not graph.comes_back(seed, without):
                    reached.discard(place)
                found |= {(place, target) for target in reached}
            return frozenset(found)

        everything = pairs()
        certain = pairs(graph.doubtful) if graph.doubtful else everything
        followed = pairs(graph.stopping) if graph.stopping else everything
        plain = pairs(graph.within) if graph.within else everything
        written = {place for objects in graph.written.values() for o in objects if (place := _outside(points_to, o))}
        writes = frozenset(written)
        text = graph.text.pairs(seeds, outputs, graph.successors)
        if function.module is not None and CUSTOM in function.module.fn_attributes(function):
            own = self._custom_pairs(function)
            # Of what is only declared it is not known which parameters it writes: constant memory is the caller's word.
            values = {pair for pair in own if pair[0][0] == "value" and pair[1] == ("return", None)}
            sure = values if graph.opaque_calls else own
            return FlowSummary(everything | own, certain | sure, followed | own, plain | own, writes, text)
        return FlowSummary(everything, certain, followed, plain, writes, text)

    def _custom_pairs(self, function: Function) -> set[FlowPair]:
        """What a derivative of the program's own may make of a function: everything it is given may change everything
        that it returns or writes, whatever its body says."""
        summary = self.effects.summary(function) if self.effects is not None else None
        pointers = [a.index for a in function.args if has_pointer(a.type)]
        sources: list[Place] = [("value", a.index) for a in function.args if may_hold_float(a.type)]
        sources += [(kind, index) for index in pointers for kind in ("arg", "deref")]
        targets: list[Place] = [("return", None)]
        for index in pointers:
            if summary is None or index in summary.writes_args:
                targets.append(("arg", index))
            if summary is None or summary.writes_other:
                targets.append(("deref", index))
        pairs = {(source, target) for source in sources for target in targets}
        return {(source, target) for source, target in pairs if source != target or source[0] in _SEVERAL}


class _GraphMaker:
    """Builds the graph of one function, instruction by instruction."""

    def __init__(self, analysis: FlowAnalysis, function: Function) -> None:
        self.analysis = analysis
        self.function = function
        self.types = analysis.types_of(function)
        self.points_to = analysis.points_to.of(function)
        self.graph = FlowGraph(function, self.points_to, self.types)
        self._characters: set[Value] = set()
        self._name_globals()
        for inst in function.instructions():
            self._visit(inst)

    def _name_globals(self) -> None:
        """Make the objects of globals that only callees mention: unknown code called here may touch them too."""
        for inst in self.function.instructions():
            if isinstance(inst, CallBase):
                facts = self.analysis.points_to.callees.facts(inst)
                if facts.status == "defined" and facts.callee is not None:
                    for pair in self.analysis.summary(facts.callee).pairs:
                        for place in pair:
                            self._nodes(inst, place)

    def _carries(self, value: Value) -> bool:
        if isinstance(value, Constant) or not may_hold_float(value.type):
            return False
        if isinstance(value.type.scalar, FloatType) or self.types is None:
            return True
        return self.types.value_may_carry_float(value)

    def _flow_in(self, inst: Instruction, operands: Iterable[Value]) -> None:
        """Operands flow into the result, if the result can carry a derivative."""
        if not may_hold_float(inst.type):
            return
        if not self._carries(inst):
            self._move_characters(operands, inst, inst)
            self.graph.cuts[inst] = "type analysis proves it an integer or address"
            return
        self.graph.connect_all((o for o in operands if self._carries(o)), [inst], inst)

    def _visit(self, inst: Instruction) -> None:
        graph = self.graph
        if touched := frozenset(self._written(inst)):
            graph.written[inst] = touched
        match inst:
            case Load():
                self._load(inst, inst.pointer)
            case Store():
                if self._carries(inst.value):
                    graph.connect_all([inst.value], self.points_to.pts(inst.pointer), inst)
                elif inst.value in self._characters:
                    graph.text.add("copy", [inst.value], self.points_to.pts(inst.pointer), inst)
            case Phi():
                self._flow_in(inst, [value for value, _ in inst.incoming])
            case Select():
                self._flow_in(inst, inst.operands[1:])
            case CallBase():
                self._call(inst)
            case Return():
                if inst.operands and self._carries(inst.operands[0]):
                    graph.connect(inst.operands[0], self.function, inst)
            case Cast():
                self._cast(inst)
            case Compare():
                graph.cuts[inst] = "a comparison has no derivative"
            case AtomicRMW() | CompareExchange():
                self._load(inst, inst.operands[0])
                written = inst.operands[-1]
                if self._carries(written):
                    graph.connect_all([written], self.points_to.pts(inst.operands[0]), inst)
            case GetElementPtr():
                graph.cuts[inst] = "an address"
            case BinaryOp() if rounds(inst):
                graph.cuts[inst] = "a sum that rounds is piecewise constant"
            case BinaryOp() | _:
                if not inst.is_terminator:
                    self._flow_in(inst, inst.operands)

    def _written(self, inst: Instruction) -> Iterable[Obj]:
        """Objects that an instruction may write."""
        if isinstance(inst, Store):
            return self.points_to.pts(inst.pointer)
        if isinstance(inst, (AtomicRMW, CompareExchange)):
            return self.points_to.pts(inst.operands[0])
        if not isinstance(inst, CallBase):
            return ()
        facts = self.analysis.points_to.callees.facts(inst)
        if facts.ignored or facts.free is not None:
            return ()
        if facts.status == "defined" and facts.callee is not None:
            places = self.analysis.summary(facts.callee).writes
            return [o for place in places for o in self.points_to.place_objects(inst, place)]
        written = [o for i in facts.writes if i < len(inst.args) for o in self.points_to.pts(inst.args[i])]
        return [*written, *self._mutable_globals()] if facts.writes_other and facts.status == "unknown" else written

    def _load(self, inst: Instruction, pointer: Value) -> None:
        if not may_hold_float(inst.type):
            return
        if self._carries(inst):
            self.graph.connect_all(self.points_to.pts(pointer), [inst], inst)
        else:
            self.graph.cuts[inst] = "type analysis proves it an integer or address"
            if isinstance(inst.type, IntType) and inst.type.bits == _CHARACTER:
                self._characters.add(inst)
                self.graph.text.add("copy", self.points_to.pts(pointer), [inst], inst)

    def _move_characters(self, sources: Iterable[Value], target: Value, inst: Instruction) -> None:
        """Characters are integers; where the text they are of comes from is followed."""
        moved = [source for source in sources if source in self._characters]
        if moved:
            self._characters.add(target)
            self.graph.text.add("copy", moved, [target], inst)

    def _cast(self, inst: Cast) -> None:
        match inst.opcode:
            case "fptosi" | "fptoui":
                self.graph.cuts[inst] = "a conversion to integer is piecewise constant"
            case "sitofp" | "uitofp":
                self.graph.cuts[inst] = "converted from an integer"
                if self.types is not None and uses_mantissa(inst.operands[0], self.types.float_bits):
                    self.graph.bit_conversions.append(inst)
            case "ptrtoint" | "ptrtoaddr" | "inttoptr" | "addrspacecast":
                self.graph.cuts[inst] = "an address"
            case _:
                self._flow_in(inst, inst.operands)

    # --- calls -----------------------------------------------------------------------------------------------------

    def _call(self, call: CallBase) -> None:
        facts = self.analysis.points_to.callees.facts(call)
        for flow in facts.texts:
            if flow.stream is None or not self._leads_nowhere(call.args[flow.stream]):
                self._text(call, flow.kind, flow.source, flow.target)
        if is_rest(call):
            self._rest(call)
        elif self.analysis.has_rule(call) or facts.math:
            self._mathematics(call)
        elif facts.ignored:
            self.graph.cuts[call] = "declared inactive"
        elif facts.status == "defined" and facts.callee is not None and facts.callee.function_type.vararg:
            self._variadic(call)
        elif facts.status == "defined" and facts.callee is not None:
            self._defined(call, facts.callee)
        elif call.callee_name == THROW:
            thrown = [o for o in self.points_to.pts(call.args[0]) if o.is_local]
            self.graph.connect_all(thrown, self.points_to.place_objects(call, ("global", IN_FLIGHT)), call)
        elif facts.inactive and not self._works_on_bits(call):
            self.graph.cuts[call] = f"@{facts.callee.name} is known to be inactive" if facts.callee else "inactive"
        elif facts.transfer is not None:
            self._transfer(call, facts)
        elif facts.status == "known":
            self._known(call, facts)
        else:
            self._unknown(call, facts)

    def _leads_nowhere(self, stream: Value) -> bool:
        """Whether nothing that the program has written comes from a stream, and nobody reads what goes there."""
        return is_standard(stream) or (opens_for_reading(stream) and not self.analysis.opens_for_writing)

    def _text(self, call: CallBase, kind: str, source: int | str, target: int | str) -> None:
        """Text that a library function makes, moves or reads."""
        sources: list[Node] = outside_of(source)
        targets: list[Node] = outside_of(target)
        for value in ends(call, source):
            held = self.points_to.pts(value)
            if kind == "raw" and held and self.types is not None and not self.types.memory_carries_float(value):
                continue
            sources += self.points_to.reach(held) if kind == "write" else held
            sources += [value] if kind in ("write", "raw") and self._carries(value) or value in self._characters else []
        for value in ends(call, target):
            targets += self.points_to.pts(value)
            if value is call and not has_pointer(call.type):
                targets.append(call)
                if kind == "copy":
                    self._characters.add(call)
        self.graph.text.add(kind, sources, targets, call)

    def _opaque_text(self, call: CallBase, sources: Iterable[Node], targets: Iterable[Node]) -> None:
        """A function of which nothing is known may make numbers of what it is given as text, and text of numbers."""
        if (call.callee_name or "").startswith(OPAQUE):
            return
        reached = self.points_to.reach([o for a in call.args for o in self.points_to.pts(a)])
        behind = [n for n in targets if isinstance(n, Obj) and n in reached]
        given = Obj("unknown", call)
        self.graph.text.add("guess", sources, behind, call)
        self.graph.text.add("copy", sources, [given], call)
        self.graph.text.add("copy", [given], behind, call)
        self.graph.text.add("read", [given], [*self._results_of(call), *behind], call)

    def _works_on_bits(self, call: CallBase) -> bool:
        """Integer intrinsics (shifts, byte swaps, maxima) applied to the bits of floating-point data."""
        if not isinstance(call.type.scalar, IntType) or self.types is None or not self._carries(call):
            return False
        values = [a for a in call.args if isinstance(a.type.scalar, IntType)]
        return any(self._carries(a) for a in values)

    def _values_of(self, call: CallBase) -> list[Value]:
        return [a for a in call.args if self._carries(a)]

    def _results_of(self, call: CallBase) -> list[Node]:
        return [call] if self._carries(call) else []

    def _mathematics(self, call: CallBase) -> None:
        behind: list[Node] = [o for a in call.args if has_pointer(a.type) for o in self.points_to.pts(a)]
        self.graph.connect_all(self._values_of(call), [*self._results_of(call), *behind], call)

    def _transfer(self, call: CallBase, facts: CallFacts) -> None:
        transfer = facts.transfer
        assert transfer is not None
        if transfer.source is None:
            return
        source, destination = call.args[transfer.source], call.args[transfer.destination]
        size = getattr(call.args[transfer.length], "value", None)
        if self.types is not None and not self.types.memory_may_carry_float(source, size):
            self.graph.cuts[call] = "type analysis proves that no floating-point data is copied"
            return
        self.graph.connect_all(self.points_to.pts(source), self.points_to.pts(destination), call)

    def _known(self, call: CallBase, facts: CallFacts) -> None:
        if facts.free is not None and facts.reallocates is None:
            return
        inputs: list[Node] = list(self._values_of(call))
        outputs = self._results_of(call)
        for index, argument in enumerate(call.args):
            objects = self.points_to.pts(argument) if has_pointer(argument.type) else ()
            if index in facts.reads or index == facts.reallocates:
                inputs += objects
            if index in facts.writes:
                outputs += objects
        if facts.reallocates is not None:
            outputs += self.points_to.pts(call)
        self.graph.connect_all(inputs, outputs, call)

    def _variadic(self, call: CallBase) -> None:
        """A defined function of the kind f(n, ...): what it takes from the list, and where to, is not followed."""
        behind: list[Node] = [o for a in call.args for o in self.points_to.reach(self.points_to.pts(a))]
        everywhere: list[Node] = [*behind, self.points_to.unknown, *self._mutable_globals()]
        inputs = [n for n in dict.fromkeys([*self._values_of(call), *everywhere]) if not _is_code(n)]
        outputs = [n for n in dict.fromkeys([*self._results_of(call), *everywhere]) if not _is_code(n)]
        self.graph.opaque_calls.append(OpaqueCall(call, tuple(inputs), tuple(outputs)))
        self.graph.connect_all(inputs, outputs, call, certain=False)
        self._opaque_text(call, inputs, outputs)

    def _rest(self, call: CallBase) -> None:
        """A function that is not part of the program: it may make anything of what it is given, and of globals that
        other programs see. Where that turns out active, the derivative ends (gradient/augmentation.py)."""
        nodes = [n for n in rest_nodes(self.points_to, call) if not isinstance(n, Value) or self._carries(n)]
        outputs = [*self._results_of(call), *(n for n in nodes if isinstance(n, Obj))]
        self.graph.connect_all(nodes, outputs, call, certain=False, stopping=True)

    def _unknown(self, call: CallBase, facts: CallFacts) -> None:
        if "noreturn" in self.analysis.points_to.callees.attributes(call):
            self.graph.cuts[call] = "it never returns"
            return
        inputs: list[Node] = list(self._values_of(call))
        outputs: list[Node] = self._results_of(call)
        for index, argument in enumerate(call.args):
            if index in facts.reads:
                inputs += self.points_to.reach(self.points_to.pts(argument))
            if index in facts.writes:
                outputs += self.points_to.reach(self.points_to.pts(argument))
        if facts.reads_other:
            inputs += [self.points_to.unknown, *self._mutable_globals()]
        if facts.writes_other:
            outputs += [self.points_to.unknown, *self._mutable_globals()]
        inputs, outputs = [n for n in inputs if not _is_code(n)], [n for n in outputs if not _is_code(n)]
        inputs, outputs = list(dict.fromkeys(inputs)), list(dict.fromkeys(outputs))
        self.graph.opaque_calls.append(OpaqueCall(call, tuple(inputs), tuple(outputs)))
        self.graph.connect_all(inputs, outputs, call, certain=False)
        self._opaque_text(call, inputs, outputs)

    def _mutable_globals(self) -> list[Obj]:
        return [
            o
            for o in self.points_to.objects
            if o.kind == "global" and isinstance(o.value, GlobalVariable) and not o.value.is_constant
        ]

    def _defined(self, call: CallBase, callee: Function) -> None:
        effects = self.graph.call_effects.setdefault(call, [])
        summary = self.analysis.summary(callee)
        for kind, source, target in summary.text:
            self.graph.text.add(kind, self._text_nodes(call, source), self._text_nodes(call, target), call)
        for pair in summary.pairs:
            # Which case of a dispatch is meant is not known: one that cannot be differentiated stops the program.
            certain = pair in summary.certain and not is_dispatch(callee)
            within = pair[0] == pair[1] or pair not in summary.plain
            for left in self._nodes(call, pair[0]):
                for right in self._nodes(call, pair[1]):
                    if left is not right:
                        effects.append(CallEffect(left, right, certain and not within))
                    self.graph.connect(left, right, call, certain, pair not in summary.followed, within)
        for places, objects in self.points_to.mixed_at(call):
            self._beside(call, places, objects, summary)

    def _beside(self, call: CallBase, places: frozenset[Place], objects: frozenset[Obj], summary: FlowSummary) -> None:
        holders: set[Obj] = set()
        for kind, index in places:
            if kind == "deref" and isinstance(index, int) and not self.points_to.place_objects(call, (kind, index)):
                holders |= self.points_to.place_objects(call, ("arg", index))
        if not holders and OWN not in places:
            return
        reached = {target for source, target in summary.pairs if source in places} | places
        sources = {n for a, b in summary.pairs if b in reached and a != b for n in self._nodes(call, a)}
        self.graph.beside.append(Beside(frozenset(sources), objects | holders))

    def _text_nodes(self, call: CallBase, place: Place) -> list[Node]:
        there = outside(place)
        return [there] if there is not None else self._nodes(call, place)

    def _nodes(self, call: CallBase, place: Place) -> list[Node]:
        kind, what = place
        if kind == "return":
            return self._results_of(call)
        if kind == "value" and isinstance(what, int):
            return [call.args[what]] if what < len(call.args) and self._carries(call.args[what]) else []
        return [o for o in self.points_to.place_objects(call, place) if not _is_code(o)]


def rest_nodes(points_to: PointsTo, call: CallBase) -> list[Node]:
    """Values and memory that a function outside of the program may use when it is called here."""
    nodes: list[Node] = [a for a in call.args if may_hold_float(a.type)]
    nodes += points_to.reach([o for a in call.args for o in points_to.pts(a)])
    nodes += [
        o
        for o in points_to.objects
        if isinstance(o.value, GlobalVariable)
        and o.kind in ("global", "deref")
        and not o.value.is_constant
        and o.value.linkage not in ("internal", "private")
    ]
    return [n for n in dict.fromkeys(nodes) if not _is_code(n)]


def _outside(points_to: PointsTo, obj: Obj) -> Place | None:
    """How callers see an object; None for what begins to exist here, and for code."""
    return None if obj.is_local or obj.kind == "function" else points_to.places_of(obj)


def _is_code(node: Node) -> bool:
    return isinstance(node, Obj) and node.kind == "function"


def describe(node: Node, function: Function) -> str:
    """A node as shown in reason chains."""
    if isinstance(node, Obj):
        return f"memory ({node.label})"
    if node is function:
        return "the return value"
    if isinstance(node, Argument):
        return f"argument %{node.name or node.index}"
    return f"%{node.name}" if node.name else "an unnamed value"
