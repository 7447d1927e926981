"""One prepared function with everything known about it, as the synthesis reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from enzyme.analysis.activity import NO_GLOBALS, ActivityResult, GlobalRoles, analyze_activity
from enzyme.analysis.alias import AliasAnalysis, MemoryLocation, ModuleSummaries
from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop, LoopForest
from enzyme.analysis.symbolic import Sym
from enzyme.analysis.tripcount import backedge_count, hoist_count
from enzyme.analysis.types_analysis import TypeAnalysis, TypeResult
from enzyme.gradient.handed_loads import HandedLoad, handed_loads
from enzyme.gradient.reciprocals import Quotients, quotients
from enzyme.gradient.request import Request
from enzyme.ir.module import Module
from enzyme.ir.printer import print_instruction
from enzyme.ir.values import Block, CallBase, Function, Instruction, Phi, Value
from enzyme.rules.known import known_callee
from enzyme.rules.scalar import lookup_instruction
from enzyme.support.diagnostics import EnzymeError, UnsupportedError


@dataclass
class Subject:
    """A function to differentiate; analyses that do not depend on the request are made once."""

    module: Module
    function: Function
    type_analysis: TypeAnalysis
    summaries: ModuleSummaries
    named_shadows: frozenset[str] = frozenset()
    roles: GlobalRoles = NO_GLOBALS
    dependences: bool = False
    _activity: dict[tuple[Any, ...], ActivityResult] = field(default_factory=dict)
    _counts: dict[Loop, Sym | None] = field(default_factory=dict)
    _hoisted: dict[tuple[Loop, Loop], Sym | None] = field(default_factory=dict)
    _handed: dict[Loop, dict[Phi, HandedLoad]] = field(default_factory=dict)

    @cached_property
    def cfg(self) -> ControlFlowGraph:
        return ControlFlowGraph(self.function)

    @cached_property
    def dominators(self) -> DominatorTree:
        return DominatorTree(self.cfg)

    @cached_property
    def loops(self) -> LoopForest:
        return LoopForest(self.cfg, self.dominators)

    @cached_property
    def forms(self) -> FunctionForms:
        return FunctionForms(self.dominators, self.loops, self.module.datalayout)

    @cached_property
    def alias(self) -> AliasAnalysis:
        return AliasAnalysis(self.function, self.module, known_callee, self.summaries, self.dependences)

    @cached_property
    def types(self) -> TypeResult:
        return self.type_analysis.analyze(self.function)

    @cached_property
    def quotients(self) -> dict[tuple[Value, Block | None], Quotients]:
        """Its divisions, by what they divide by, in which block."""
        return quotients(self.function)

    @cached_property
    def live_blocks(self) -> list[Block]:
        """Reachable blocks that can reach the return, in reverse postorder: the ones the reverse sweep visits."""
        return [block for block in self.cfg.blocks if block in self.cfg.returning]

    def handed_loads(self, loop: Loop) -> dict[Phi, HandedLoad]:
        """What a loop of :attr:`loops` hands from one iteration to the next of what it loads."""
        if loop not in self._handed:
            self._handed[loop] = handed_loads(self.forms, loop)
        return self._handed[loop]

    def backedge_count(self, loop: Loop) -> Sym | None:
        """The symbolic back-edge count of a loop of :attr:`loops`."""
        if loop not in self._counts:
            self._counts[loop] = backedge_count(loop, self.dominators)
        return self._counts[loop]

    def hoist_count(self, loop: Loop, outer: Loop) -> Sym | None:
        """That count as a tree to evaluate in front of ``outer``, a loop around it."""
        if (loop, outer) not in self._hoisted:
            self._hoisted[loop, outer] = hoist_count(loop, outer, self.dominators)
        return self._hoisted[loop, outer]

    def activity(self, request: Request) -> ActivityResult:
        mode = "forward" if request.mode == "forward" else "reverse"
        globals = (request.globals, request.leading)
        key = (request.args, request.ret, mode, request.nested, globals, request.runtime_activity)
        found = self._activity.get(key)
        if found is None:
            found = self._activity[key] = analyze_activity(
                self.function,
                self.module,
                request.args,
                request.ret != "const",
                self.types,
                known=known_callee,
                has_rule=has_rule,
                mode=mode,
                shadowed_globals=self.named_shadows,
                globals=self._roles_in(request),
            )
        return found

    def _roles_in(self, request: Request) -> GlobalRoles:
        if request.nested:
            known, leading = request.globals, request.leading
            return GlobalRoles(request.runtime_activity, known, leading, frozenset(), self.roles.ignored)
        return replace(self.roles, everything=request.runtime_activity)

    def overwrites(self, location: MemoryLocation, puts_off: Callable[[Instruction], bool]) -> tuple[str, int]:
        """Why what is at ``location`` may change after the instruction it names, until the function returns ("" when it
        cannot), and how many writes were considered. Calls of ``free`` that ``puts_off`` says are made only when the
        reverse sweep is over do not count."""
        assert location.instruction is not None
        conflict = self.alias.overwritten(location, True, puts_off)
        return conflict.reason if conflict else "", self.alias.overwrites.later_count(location.instruction)

    def freed_pointer(self, inst: Instruction) -> Value | None:
        """The block that a call of a known deallocator frees."""
        if not isinstance(inst, CallBase) or inst.callee_name is None:
            return None
        callee = inst.callee
        if isinstance(callee, Function) and not callee.is_declaration:
            return None
        known = known_callee(inst.callee_name, inst.callee_type)
        if known is None or known.free is None or known.allocation is not None:
            return None
        return inst.args[known.free]

    def may_be_overwritten_after(
        self, inst: Instruction, pointer: Value, puts_off: Callable[[Instruction], bool]
    ) -> bool:
        """Whether anything that runs after ``inst`` may write the object behind ``pointer``."""
        return bool(self.overwrites(MemoryLocation(pointer, None, None, inst, whole=True), puts_off)[0])

    def exited_loops(self, source: Block, target: Block) -> list[Loop]:
        """Loops left by the edge source -> target, outermost first."""
        inner = self.loops.loop_of(source)
        return [loop for loop in reversed(inner.ancestors() if inner else []) if not loop.contains(target)]

    def refuse(
        self,
        inst: Instruction | None,
        what: str,
        why: str,
        hint: str,
        kind: type[EnzymeError] = UnsupportedError,
    ) -> EnzymeError:
        """An error at an instruction of this function, with its source line when debug info has it."""
        return kind(
            what,
            function=self.function.name,
            instruction=print_instruction(inst) if inst is not None else None,
            location=self.module.place_of(inst, self.function),
            reached_from=self.module.reached_from(inst, self.function),
            why=why,
            hint=hint,
        )


def has_rule(inst: Instruction) -> bool:
    """Whether the derivative tables know an instruction or a called function."""
    return lookup_instruction(inst) is not None
