"""Activity analysis: which values, memory objects and instructions take part in a derivative.

*Varied*: may change with an active input; reachable in the flow graph from the active inputs. *Useful*: may influence
an active output; the graph reaches an active output from it. *Active*: both (Griewank and Walther 2008, chapter 6;
Hascoet, Naumann and Pascual 2005 call the two analyses varied and useful). Both are least fixed points of a
distributive problem, so plain reachability finds them, and the edge by which a node was first reached is its reason.

Active inputs and outputs: ``out`` arguments and ``dup`` floating-point arguments are inputs; memory behind ``dup``
arguments, everything reachable through it, and globals in ``shadowed_globals`` are both; the return value is an output
when ``ret_active``.

Shadows: an object has a shadow when it is active or holds pointers, directly or not, to objects that have one. A
pointer that may point both to memory with and without a shadow would need to know at run time which it is; therefore
local memory and constant globals that meet shadowed memory in one pointer are *promoted*: they get a shadow and count
as varied and useful, until nothing changes. What cannot be promoted (memory declared constant, globals, memory unknown
to the function) is reported in ``problems`` where active data goes through such a pointer.

Globals in which the function (or what it calls) stores pointers to memory with a shadow are *leading*: what their
pointers lead to counts as active. A pointer that was there before has no shadow in the global's, which the derivative
code checks. *Inert* are those of them behind which only functions outside of the program could put anything active,
where a derivative stops: tables and objects that the first call makes of constants, and calls through pointers use.

Assumed: memory behind ``dup`` arguments does not overlap memory behind ``const`` arguments, nor globals that are not
in ``shadowed_globals``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from enzyme.analysis.activity_callees import KnownTable
from enzyme.analysis.activity_flow import CallEffect, FloatTypes, FlowAnalysis, FlowGraph, HasRule, Node, TypesOf
from enzyme.analysis.activity_problems import find_problems
from enzyme.analysis.activity_result import ActivityResult, Problem, Reason
from enzyme.analysis.dispatched import data_arguments
from enzyme.analysis.points_to import PointsToSummaries
from enzyme.analysis.points_to_objects import Obj, has_pointer
from enzyme.ir.module import Module
from enzyme.ir.values import Argument, CallBase, Function, GlobalVariable, Instruction, Return

__all__ = ["ActivityAnalysis", "ActivityResult", "Obj", "Problem", "analyze_activity"]


@dataclass(frozen=True)
class GlobalRoles:
    """Mutable globals by what they may be: ``active`` here for certain, without what their pointers lead to unless
    they are ``leading``, too; ``twinned``: given a shadow where they turn out to need one; ``ignored``: inactive
    because the program says so. ``everything``: any memory may have a shadow, whatever it is; the program tells when
    it runs."""

    everything: bool = False
    active: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset()
    twinned: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()


NO_GLOBALS = GlobalRoles()
ACTIVE_ARGUMENTS = frozenset({"dup", "dupnoneed", "out"})


class ActivityAnalysis:
    """Activity of the functions of one module; flow graphs and summaries are shared between requests."""

    def __init__(
        self,
        module: Module,
        types_of: TypesOf | None = None,
        known: KnownTable | None = None,
        has_rule: HasRule | None = None,
    ) -> None:
        types_of = types_of if types_of is not None else (lambda function: None)
        self.flow = FlowAnalysis(PointsToSummaries(module, known, types_of), has_rule, types_of)

    def analyze(
        self,
        function: Function,
        arg_activity: Sequence[str],
        ret_active: bool,
        shadowed_globals: frozenset[str] = frozenset(),
        mode: str = "reverse",
        globals: GlobalRoles = NO_GLOBALS,
    ) -> ActivityResult:
        graph = self.flow.graph(function)
        return _Solver(graph, tuple(arg_activity), ret_active, shadowed_globals, mode, globals).solve()


def analyze_activity(
    function: Function,
    module: Module,
    arg_activity: Sequence[str],
    ret_active: bool,
    types: Any = None,
    known: KnownTable | None = None,
    has_rule: HasRule | None = None,
    shadowed_globals: frozenset[str] = frozenset(),
    mode: str = "reverse",
    globals: GlobalRoles = NO_GLOBALS,
) -> ActivityResult:
    """Activity of ``function`` for one request.

    ``arg_activity``: "const", "dup", "dupnoneed" or "out" per parameter. ``types``: the function's ``TypeResult`` or
    None (then every integer of 16 bits or more may carry floating-point data). When ``types`` belongs to a
    ``TypeAnalysis``, callees are typed by it and the flow graphs are kept there for the next request.
    """
    owner = getattr(types, "owner", None)
    cache: dict[Any, Any] = owner.shared if owner is not None else {}
    key = ("activity", known, has_rule)
    found = cache.get(key)
    if found is None:

        def types_of(asked: Function) -> FloatTypes | None:
            if owner is not None:
                return owner.analyze(asked)  # type: ignore[no-any-return]
            return types if asked is function else None

        found = cache[key] = ActivityAnalysis(module, types_of, known, has_rule)
    assert isinstance(found, ActivityAnalysis)
    return found.analyze(function, arg_activity, ret_active, shadowed_globals, mode, globals)


class _Solver:
    def __init__(
        self,
        graph: FlowGraph,
        arg_activity: tuple[str, ...],
        ret_active: bool,
        shadowed_globals: frozenset[str],
        mode: str,
        globals: GlobalRoles = NO_GLOBALS,
    ) -> None:
        if len(arg_activity) != len(graph.function.args):
            raise ValueError(f"{len(graph.function.args)} parameters, {len(arg_activity)} activities")
        self.graph, self.function, self.points_to = graph, graph.function, graph.points_to
        self.arg_activity, self.ret_active, self.mode = arg_activity, ret_active, mode
        self.shadowed_globals, self.globals = shadowed_globals, globals
        self.roots = {o for o in self.points_to.objects if self._is_root(o)}
        self.ignored = frozenset(o for o in self.points_to.objects if self._is_ignored(o))
        self.promoted: dict[Obj, str] = {}
        self.varied: dict[Node, Reason] = {}
        self.useful: dict[Node, Reason] = {}
        self.active: set[Obj] = set()
        self.shadowed: set[Obj] = set()
        self.leading: set[GlobalVariable] = set()

    def solve(self) -> ActivityResult:
        while True:
            self.varied = self._spread(self._inputs(), self.graph.successors, "from")
            self.useful = self._spread(self._outputs(), self.graph.predecessors, "into")
            self._find_shadows()
            before = len(self.promoted), len(self.leading)
            self._find_leading()
            self._promote()
            if (len(self.promoted), len(self.leading)) == before:
                break
        result = ActivityResult(
            self.function,
            self.graph,
            self.arg_activity,
            self.ret_active,
            self.varied,
            self.useful,
            frozenset(self.shadowed),
            frozenset(self.active),
            frozenset(self.leading),
            self._inert(),
        )
        result.problems = find_problems(result, self.can_have_shadow, self.globals.ignored)
        return result

    def _is_root(self, obj: Obj) -> bool:
        if isinstance(obj.value, Argument) and obj.kind in ("arg", "deref"):
            return self.arg_activity[obj.value.index] in ACTIVE_ARGUMENTS
        if isinstance(obj.value, GlobalVariable) and obj.kind in ("global", "deref"):
            if obj.value.name in (self.globals.active if obj.kind == "global" else self.globals.leading):
                return True
            return obj.value.name in self.shadowed_globals
        return False

    def _is_ignored(self, obj: Obj) -> bool:
        return obj.kind == "global" and isinstance(obj.value, GlobalVariable) and obj.value.name in self.globals.ignored

    def can_have_shadow(self, obj: Obj) -> bool:
        """Declared active, local, or constant data of the module, of which a shadow can be made."""
        if obj in self.roots or obj.is_local or (self.globals.everything and obj.kind != "function"):
            return True
        if obj.kind == "global" and obj.value is not None and obj.value.name in self.globals.twinned:
            return True
        if obj.kind == "deref" and obj.value in self.leading:
            return True
        return (
            obj.kind == "global"
            and isinstance(obj.value, GlobalVariable)
            and obj.value.is_constant
            and obj.value.initializer is not None
        )

    def _inputs(self) -> dict[Node, str]:
        seeds: dict[Node, str] = {}
        for argument in self.function.args:
            if self.arg_activity[argument.index] in ACTIVE_ARGUMENTS and not argument.type.is_pointer:
                seeds[argument] = f"declared {self.arg_activity[argument.index]}"
        seeds |= {o: "declared active" for o in self.roots}
        return seeds | dict(self.promoted)

    def _outputs(self) -> dict[Node, str]:
        seeds: dict[Node, str] = {}
        if self.ret_active:
            seeds[self.function] = "the active result"
            seeds |= {o: "reachable from the active result" for o in self._returned_objects()}
        seeds |= {o: "declared active" for o in self.roots}
        return seeds | dict(self.promoted)

    def _returned_objects(self) -> list[Obj]:
        """Memory that a returned pointer leads to."""
        returned: list[Obj] = []
        for inst in self.function.instructions():
            if isinstance(inst, Return) and inst.operands and has_pointer(inst.operands[0].type):
                returned += self.points_to.reach(self.points_to.pts(inst.operands[0]))
        return returned

    def _find_shadows(self) -> None:
        objects = [o for o in self.points_to.objects if self.can_have_shadow(o)]
        self.active = {o for o in objects if o in self.varied and o in self.useful}
        self.shadowed = set(self.active)
        grown = True
        while grown:
            grown = False
            for obj in objects:
                if obj not in self.shadowed and not self.shadowed.isdisjoint(self.points_to.contents(obj)):
                    self.shadowed.add(obj)
                    grown = True

    def _find_leading(self) -> None:
        for obj in self.shadowed:
            if obj.kind == "global" and isinstance(obj.value, GlobalVariable) and not obj.value.is_constant:
                if not self.shadowed.isdisjoint(self.points_to.stored_in(obj.value)):
                    self.leading.add(obj.value)

    def _inert(self) -> frozenset[GlobalVariable]:
        if not self.leading or not self.graph.stopping:
            return frozenset()
        seeds = [node for node in self._inputs() if node not in self.promoted]
        varied = self.graph.reachable(seeds, self.graph.stopping)
        return frozenset(g for g in self.leading if varied.isdisjoint(self._behind(g)))

    def _behind(self, variable: GlobalVariable) -> set[Obj]:
        own = [found for kind in ("global", "deref") if (found := self.points_to.find(kind, variable)) is not None]
        return set(self.points_to.reach([*own, *self.points_to.stored_in(variable)]))

    def _spread(
        self, seeds: Mapping[Node, str], edges: Mapping[Node, Mapping[Node, Instruction]], word: str
    ) -> dict[Node, Reason]:
        """Everything reachable from ``seeds`` other than through ignored objects, breadth first, with the first edge
        that led there. Of objects that a callee reaches through one parameter, those without shadows are not meant: the
        program finds out, when it runs, which of them have one."""
        reached: dict[Node, Reason] = {node: (None, None, why) for node, why in seeds.items()}
        frontier: list[Node] = list(seeds)
        for node in frontier:  # grows while it is read
            for target, inst in edges.get(node, {}).items():
                if target in reached or target in self.ignored:
                    continue
                edge = (node, target) if word == "from" else (target, node)
                if edge in self.graph.within and isinstance(target, Obj) and not self.can_have_shadow(target):
                    continue
                reached[target] = (node, inst, word)
                frontier.append(target)
        return reached

    # --- promotion -------------------------------------------------------------------------------------------------

    def _promote(self) -> None:
        for value in self.function.instructions():
            if has_pointer(value.type):
                self._promote_mixed(self.points_to.pts(value), f"shares pointer %{value.name} with active memory")
        for obj in list(self.shadowed):
            if not obj.is_local:
                for held in self.points_to.reach(self.points_to.contents(obj)):
                    self._promote_object(held, f"its address is stored in {obj.label}, where the caller finds it")
        for held in self._returned_objects() if self.ret_active else ():
            self._promote_object(held, "its address is returned")
        for call, effects in self.graph.call_effects.items():
            self._promote_at_call(call, effects)
        for variable in self.leading:
            behind = self.points_to.find("deref", variable)
            if behind is not None:
                self._promote_object(behind, f"pointers to active memory are stored in @{variable.name}")
        for beside in self.graph.beside:
            if not beside.sources.isdisjoint(self.varied):
                for obj in beside.objects:
                    self._promote_object(obj, "the callee reaches it and active memory of its own through one pointer")

    def _promote_mixed(self, objects: Iterable[Obj], why: str) -> None:
        objects = set(objects)
        if self.shadowed.isdisjoint(objects):
            return
        for obj in objects - self.shadowed:
            self._promote_object(obj, why)

    def _promote_object(self, obj: Obj, why: str) -> None:
        if self.can_have_shadow(obj) and obj not in self.promoted and obj not in self.active:
            self.promoted[obj] = why

    def _promote_at_call(self, call: CallBase, effects: list[CallEffect]) -> None:
        """Make the caller's view agree with the callee's, where a shadowed argument is active as a whole."""
        for argument in data_arguments(call):
            if not has_pointer(argument.type):
                continue
            objects = self.points_to.pts(argument)
            if not self.shadowed.isdisjoint(objects):
                for obj in self.points_to.reach(objects):
                    self._promote_object(obj, "reachable from an argument that has a shadow")
        for _, group in self.points_to.mixed_at(call):
            self._promote_mixed(group, "the callee reaches it and active memory through one pointer")
        for effect in effects:
            if effect.source in self.varied and isinstance(effect.target, Obj):
                self._promote_object(effect.target, "the callee writes active data into it")
