"""Block copies that stand in front of the loop that reads what they copy are made by that loop.

An optimiser takes ``a[i] = b[i]`` out of a loop and calls ``memcpy`` in front of it. Reversed, that is one pass more
over the shadows of both arrays. With the copy back in the loop, the adjoints of one element of ``b`` are added up in a
register, and what is overwritten or read for the last time is seen in that loop (last_reads.py). In the forward sweep,
too, one pass does what took two.

A copy goes back where the loop loads, in each of its rounds, the next number of all that is copied, and nothing between
the copy and the end of the loop writes what is copied or touches what it is copied to.
"""

from __future__ import annotations

from collections.abc import Iterable

from enzyme.analysis.alias import AliasAnalysis, MemoryLocation, ModuleSummaries
from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.covered import CoveredReads
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.loops import Loop, LoopForest
from enzyme.analysis.polynomials import Polynomial, counter
from enzyme.gradient.kept_loads import beside_its_load
from enzyme.gradient.primal import builder_after
from enzyme.ir.module import Module
from enzyme.ir.types import FloatType
from enzyme.ir.values import CallBase, ConstantInt, Function, GetElementPtr, Instruction, Invoke, Load
from enzyme.rules.known import known_callee
from enzyme.rules.scalar import lookup_instruction

_COPY = "llvm.memcpy."


def copy_in_loops(module: Module, stay: bool = True) -> None:
    """In every function of a prepared module; whether such copies are to ``stay`` in their loops (kept_loads.py), and
    not to be taken out again by LLVM."""
    if not any(name.startswith(_COPY) for name in module.functions):
        return
    summaries: ModuleSummaries | None = None
    for function in list(module.functions.values()):
        if not function.is_declaration and any(map(_is_copy, function.instructions())):
            summaries = summaries or ModuleSummaries(module, known_callee)
            if _Copies(function, module, summaries, stay).rewrite():
                summaries = None  # they are of the functions as they were


def _is_copy(inst: Instruction) -> bool:
    """A copy of as many bytes as only the running program knows."""
    if not isinstance(inst, CallBase) or not (inst.callee_name or "").startswith(_COPY):
        return False
    _, _, length, volatile = inst.args
    return not isinstance(length, ConstantInt) and isinstance(volatile, ConstantInt) and not volatile.value


class _Copies:
    """Those of one function."""

    def __init__(self, function: Function, module: Module, summaries: ModuleSummaries, stay: bool) -> None:
        self.stay = stay
        cfg = ControlFlowGraph(function)
        self.layout = module.datalayout
        self.dominators = DominatorTree(cfg)
        self.loops = LoopForest(cfg, self.dominators)
        self.alias = AliasAnalysis(function, module, known_callee, summaries)
        self.forms = CoveredReads(self.alias, self.dominators, self.loops, self.layout)

    def rewrite(self) -> bool:
        found = [pair for loop in self.loops.loops for pair in self._of(loop)]
        for copy, load in found:
            self._move(copy, load)
        return bool(found)

    def _of(self, loop: Loop) -> list[tuple[CallBase, Load]]:
        """The copies in front of a loop that go into it, each with the load of what it copies."""
        if loop.preheader is None or loop.children or loop.exiting_blocks != loop.latches:
            return []
        behind = [inst for block in loop.order for inst in block.instructions]
        found: list[tuple[CallBase, Load]] = []
        for inst in reversed(loop.preheader.instructions):
            if isinstance(inst, CallBase) and _is_copy(inst):
                load = self._load_of(loop, inst)
                if load is not None and self._may_wait(inst, behind):
                    found.append((inst, load))
            behind.append(inst)
        return found

    def _load_of(self, loop: Loop, copy: CallBase) -> Load | None:
        """The load in a loop that reads all that is copied, one element each round."""
        _, source, length, _ = copy.args
        rounds = self.forms.rounds(loop)
        if rounds is None:
            return None
        for block in loop.order:
            for inst in block.instructions if self.dominators.dominates(block, loop.latches[0]) else ():
                if not isinstance(inst, Load) or not isinstance(inst.type, FloatType) or _is_special(inst):
                    continue
                if not isinstance(inst.pointer, GetElementPtr) or inst.pointer.base is not source:
                    continue
                size = Polynomial.number(inst.type.bits // 8)
                each = Polynomial.variable(counter(loop)).times(size)
                if self._is_dense(inst.type) and self.forms.address(inst.pointer, source) == each:
                    return inst if self.forms.integer(length) == rounds.times(size) else None
        return None

    def _is_dense(self, type: FloatType) -> bool:
        """Whether numbers of a type lie side by side with nothing between them."""
        return type.bits == 8 * self.layout.alloc_size(type)

    def _may_wait(self, copy: CallBase, behind: list[Instruction]) -> bool:
        """Whether the copy may be made in pieces by what runs ``behind`` it."""
        effect = self.alias.effect(copy)
        read, written = (_only(each.location for each in accesses) for accesses in (effect.reads, effect.writes))
        if read is None or written is None:
            return False
        for inst in behind:
            if isinstance(inst, CallBase) and not _returns(inst):
                return False
            if self.alias.mod_ref(inst, read, same_iteration=False).may_write:
                return False
            touched = self.alias.mod_ref(inst, written, same_iteration=False)
            if touched.may_write or touched.may_read:
                return False
        return True

    def _move(self, copy: CallBase, load: Load) -> None:
        pointer = load.pointer
        assert isinstance(pointer, GetElementPtr)
        words = copy.arg_attrs[0] if copy.arg_attrs else ()
        known = next((int(word.split()[1]) for word in words if word.startswith("align ")), 1)
        build = builder_after(load)
        place = build.gep(pointer.source_type, copy.args[0], pointer.indices, pointer.flags)
        value = beside_its_load(build, load) if self.stay else load
        stored = build.store(value, place, min(known, self.layout.alloc_size(load.type)))
        if "dbg" in load.metadata:
            stored.metadata["dbg"] = load.metadata["dbg"]
        copy.erase()


def _only(locations: Iterable[MemoryLocation | None]) -> MemoryLocation | None:
    found = list(locations)
    return found[0] if len(found) == 1 else None


def _is_special(load: Load) -> bool:
    return bool(load.ordering) or "volatile" in load.flags


def _returns(call: CallBase) -> bool:
    """Whether a call is known to come back, so that the loop runs to its end."""
    if isinstance(call, Invoke):
        return False
    return lookup_instruction(call) is not None or (call.callee_name or "").startswith("llvm.")
