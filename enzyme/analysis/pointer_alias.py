"""May two memory locations of one function overlap? By objects, type metadata, scopes and offsets, in this order.

When may two SSA values be compared? A value defined inside a loop is another number in every iteration. An address is
therefore compared by offset only as far as its parts are known to be the same number in both accesses: values outside
every cycle always; values in loops only when both accesses are known to be in the same iteration of all those loops,
either by promise of the caller (``same_iteration``) or because the base is an allocation made in these loops, so that
other iterations have other objects.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from enzyme.analysis.addresses import Address, Term, compare, decompose
from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.loops import Loop, LoopForest
from enzyme.analysis.memory_objects import (
    ESCAPED_ONLY,
    IDENTIFIED,
    LOCAL,
    UNKNOWN,
    Captures,
    Known,
    MemoryObject,
    ObjectFinder,
    ParameterCaptures,
    find_captures,
)
from enzyme.analysis.tbaa import ScopeTree, TypeTree, declares_scope
from enzyme.analysis.turns import take_turns
from enzyme.ir.layout import DataLayout
from enzyme.ir.types import FunctionType, Type
from enzyme.ir.values import (
    CallBase,
    Function,
    GlobalVariable,
    Instruction,
    Load,
    MetadataOperand,
    Phi,
    Store,
    Value,
)

if TYPE_CHECKING:
    from enzyme.ir.module import Module

KnownTable = Callable[[str, FunctionType], "Known | None"]


@dataclass(frozen=True)
class MemoryLocation:
    """``size`` bytes (None: unknown) at ``pointer``; with ``whole`` any byte of the objects it points into, which have
    at least ``size``.

    ``tbaa`` is the access tag; ``instruction`` the access, which gives scopes, block and loop; ``type`` the type of the
    value accessed.
    """

    pointer: Value
    size: int | None
    tbaa: str | None = None
    instruction: Instruction | None = None
    whole: bool = False
    type: Type | None = None


@dataclass(frozen=True)
class AliasResult:
    """``kind`` is "no", "may" or "must" (the same bytes); the reason is for people."""

    kind: str
    reason: str

    @property
    def disjoint(self) -> bool:
        return self.kind == "no"


_NO_OBJECTS = AliasResult("no", "distinct objects")
_NO_TBAA = AliasResult("no", "types cannot overlap (tbaa)")
_NO_SCOPE = AliasResult("no", "noalias scopes")
_NO_EMPTY = AliasResult("no", "no bytes")
_NO_TURNS = AliasResult("no", "buffers that take turns")
_MAY_OBJECTS = AliasResult("may", "may point into the same object")
_MAY_WHOLE = AliasResult("may", "any byte of the object")
_EXACT_LINKAGE_BREAKERS = frozenset(("weak", "linkonce", "extern_weak", "common"))


def no_known_callee(name: str, type: FunctionType) -> Known | None:
    """The empty table."""
    return None


def is_exact_definition(function: Function) -> bool:
    """Whether the body at hand is what runs. One-definition-rule linkage counts: any copy means the same."""
    return not function.is_declaration and not _EXACT_LINKAGE_BREAKERS.intersection(function.prefix)


class PointerAnalysis:
    """Pointer questions about one function. A snapshot: it holds until the function is changed.

    ``parameter_captures`` answers for calls of defined functions; by default the callee may keep everything.
    """

    def __init__(
        self,
        function: Function,
        module: Module,
        known: KnownTable = no_known_callee,
        parameter_captures: ParameterCaptures | None = None,
        trees: tuple[TypeTree, ScopeTree] | None = None,
    ) -> None:
        self.function, self.module, self.known = function, module, known
        self.layout: DataLayout = module.datalayout
        self.cfg = ControlFlowGraph(function)
        self._domtree: DominatorTree | None = None
        self._forest: LoopForest | None = None
        self.types, self.scopes = trees or (TypeTree(module.metadata_text), ScopeTree(module.metadata_text))
        null_is_valid = "null_pointer_is_valid" in module.fn_attributes(function)
        self._parameter_captures = parameter_captures or (lambda call, index: None)
        self.finder = ObjectFinder(self.known_of, self._parameter_captures, null_is_valid)
        self._known: dict[CallBase, Known | None] = {}
        self._captures: dict[Value, Captures] = {}
        self._bundles: bool | None = None
        self._addresses: dict[Value, Address] = {}
        self._disjoint: dict[tuple[MemoryObject, MemoryObject], str] = {}
        self._pairs: dict[tuple[frozenset[MemoryObject], frozenset[MemoryObject]], str] = {}
        self._scope_pairs: dict[tuple[str | None, str | None], bool] = {}
        self._loops_of: dict[Value, frozenset[Loop] | None] = {}
        self._scope_homes: dict[str, Instruction] | None = None

    @property
    def domtree(self) -> DominatorTree:
        if self._domtree is None:
            self._domtree = DominatorTree(self.cfg)
        return self._domtree

    @property
    def forest(self) -> LoopForest:
        if self._forest is None:
            self._forest = LoopForest(self.cfg, self.domtree)
        return self._forest

    # --- objects

    def known_of(self, call: CallBase) -> Known | None:
        """What the table knows of a call of a function that this module does not define."""
        if call in self._known:
            return self._known[call]
        callee = call.callee
        found = None
        if isinstance(callee, Function) and callee.name and callee.is_declaration:
            found = self.known(callee.name, call.callee_type)
        self._known[call] = found
        return found

    def underlying_objects(self, pointer: Value) -> frozenset[MemoryObject]:
        """The objects that ``pointer`` may point into."""
        return self.finder.objects(pointer)

    def captures(self, obj: MemoryObject) -> Captures:
        """Where the address of a local object is given away."""
        value = obj.value
        assert obj.kind in LOCAL and value is not None, obj
        return self.value_captures(value)

    def value_captures(self, value: Value) -> Captures:
        """Where the address ``value`` and what is derived from it is given away."""
        found = self._captures.get(value)
        if found is None:
            if self._has_bundles:
                found = Captures(tuple(self.function.instructions())[:1], True, "operand bundles hide uses")
            else:
                found = find_captures(value, self.known_of, self._parameter_captures)
            self._captures[value] = found
        return found

    def escapes(self, obj: MemoryObject) -> bool:
        """Whether something but the pointers derived from the object in this function may reach it while it runs."""
        return obj.kind not in LOCAL or self.captures(obj).captured

    @property
    def _has_bundles(self) -> bool:
        """Operands in bundles are kept as text and are in no use list; those of assumptions do no harm."""
        if self._bundles is None:
            self._bundles = any(
                isinstance(inst, CallBase) and inst.bundles and inst.callee_name != "llvm.assume"
                for inst in self.function.instructions()
            )
        return self._bundles

    def captured_before(self, obj: MemoryObject, instruction: Instruction | None) -> bool:
        """Whether the object's address may have been given away when ``instruction`` runs (by itself, too)."""
        points = self.captures(obj).points
        if instruction is None or instruction.block is None or not self.cfg.is_reachable(instruction.block):
            return bool(points)
        if self._has_bundles:
            return True
        return any(p is instruction or self.may_follow(p, instruction) for p in points)

    def may_follow(self, first: Instruction, second: Instruction) -> bool:
        """Whether ``second`` may be executed after ``first`` in one call of the function."""
        a, b = first.block, second.block
        assert a is not None and b is not None
        if not (self.cfg.is_reachable(a) and self.cfg.is_reachable(b)):
            return False
        if self.cfg.leads_to(a, b):
            return True
        return a is b and self.cfg.position(first) < self.cfg.position(second)

    # --- locations

    def location(self, instruction: Instruction) -> MemoryLocation:
        """The location that a load or store touches."""
        tag = instruction.metadata.get("tbaa")
        if isinstance(instruction, Load):
            kind = instruction.type
            return MemoryLocation(instruction.pointer, self.size_of(kind), tag, instruction, type=kind)
        assert isinstance(instruction, Store), instruction
        kind = instruction.value.type
        return MemoryLocation(instruction.pointer, self.size_of(kind), tag, instruction, type=kind)

    def size_of(self, type: Type) -> int | None:
        """The store size of a type; None for scalable vectors."""
        scalable = getattr(type, "scalable", False)
        return None if scalable else self.layout.size_of(type)

    def is_constant_memory(self, location: MemoryLocation) -> bool:
        """Whether writing the location would be undefined behaviour."""
        access = location.instruction
        if isinstance(access, Load) and "invariant.load" in access.metadata:
            return True
        if self.types.is_constant(location.tbaa):
            return True
        objects = self.underlying_objects(location.pointer)
        return all(
            o.kind == "null"
            or (o.kind == "global" and (not isinstance(o.value, GlobalVariable) or o.value.is_constant))
            for o in objects
        )

    # --- alias

    def alias(self, a: MemoryLocation, b: MemoryLocation, same_iteration: bool = True) -> AliasResult:
        """Whether the locations may overlap.

        ``same_iteration``: both accesses happen in the same iteration of every loop that contains both (and, for a
        location without an instruction, at one and the same moment). Otherwise the answer holds for any two
        executions of them in one call of the function.
        """
        if a.size == 0 or b.size == 0:
            return _NO_EMPTY
        left, right = self.finder.objects(a.pointer), self.finder.objects(b.pointer)
        kind = self._relation(left, right)
        if kind == "no":
            return _NO_OBJECTS
        if kind == "captured" and self._uncaptured_apart(left, right, a.instruction, b.instruction):
            return _NO_OBJECTS
        if a.tbaa is not None and b.tbaa is not None and not self.types.may_alias(a.tbaa, b.tbaa):
            return _NO_TBAA
        if self._apart_by_scope(a.instruction, b.instruction, same_iteration):
            return _NO_SCOPE
        if a.whole or b.whole:
            return _MAY_WHOLE
        return self._by_offset(a, b, same_iteration)

    def apart_at_any_offset(self, a: MemoryLocation, b: MemoryLocation) -> bool:
        """Whether any two executions touch different memory, and so would any accesses of the same objects with the
        same TBAA tags and scopes."""
        if self.apart_as_objects(a, b):
            return True
        if a.tbaa is not None and b.tbaa is not None and not self.types.may_alias(a.tbaa, b.tbaa):
            return True
        return self._apart_by_scope(a.instruction, b.instruction, same_iteration=False)

    def apart_as_objects(self, a: MemoryLocation, b: MemoryLocation) -> bool:
        """Whether no object that one of them may be in is one that the other may be in, whatever the offsets."""
        return self._relation(self.finder.objects(a.pointer), self.finder.objects(b.pointer)) == "no"

    def is_exposed(self, obj: MemoryObject) -> bool:
        """Whether code outside the function can reach the object at some time."""
        return obj.kind != "null" and (obj.kind not in LOCAL or self.captures(obj).captured)

    def _relation(self, left: frozenset[MemoryObject], right: frozenset[MemoryObject]) -> str:
        kind = self._pairs.get((left, right))
        if kind is None:
            kind = self._pairs[(left, right)] = self._relate_sets(left, right)
        return kind

    def _relate_sets(self, left: frozenset[MemoryObject], right: frozenset[MemoryObject]) -> str:
        """The worst relation of any pair: "may", "captured" (apart unless captured before), or "no"."""
        worst = "no"
        for x in left:
            for y in right:
                found = self._relate(x, y)
                if found == "may":
                    return "may"
                if found == "captured":
                    worst = found
        return worst

    def _relate(self, x: MemoryObject, y: MemoryObject) -> str:
        if x.kind == "null" or y.kind == "null":
            return "no"
        if x == y or UNKNOWN in (x, y):
            return "may"
        if x.kind in IDENTIFIED and y.kind in IDENTIFIED:
            return "no"
        if y.kind in LOCAL:
            x, y = y, x
        if x.kind in LOCAL:
            if y.kind == "argument":
                return "no"  # the argument was made before the object, or the noalias promise covers it
            if y.kind in ESCAPED_ONLY:
                return "captured" if self.captures(x).captured else "no"
        return "may"

    def _uncaptured_apart(
        self,
        left: frozenset[MemoryObject],
        right: frozenset[MemoryObject],
        at_left: Instruction | None,
        at_right: Instruction | None,
    ) -> bool:
        """Whether every local object met by an outside pointer is captured only after that pointer's access."""
        for x in left:
            for y in right:
                if self._relate(x, y) != "captured":
                    continue
                local, access = (x, at_right) if x.kind in LOCAL else (y, at_left)
                if self.captured_before(local, access):
                    return False
        return True

    def _apart_by_scope(self, a: Instruction | None, b: Instruction | None, same_iteration: bool) -> bool:
        if a is None or b is None:
            return False
        if same_iteration and self.forest.loop_of(a.block) is not self.forest.loop_of(b.block):
            same_iteration = False  # one of them repeats where the other does not
        for one, other in ((a, b), (b, a)):
            noalias = one.metadata.get("noalias")
            scopes = other.metadata.get("alias.scope")
            if noalias is None or scopes is None:
                continue
            key = (noalias, scopes) if same_iteration else (noalias + "*", scopes)
            answer = self._scope_pairs.get(key)
            if answer is None:
                usable = self.scopes.scopes(noalias)
                if not same_iteration:
                    usable = frozenset(s for s in usable if self._scope_is_single(s))
                answer = self._scope_pairs[key] = self.scopes.excludes(self.scopes.scopes(scopes), usable)
            if answer:
                return True
        return False

    def apart_in(self, loop: Loop, a: Instruction, b: Instruction) -> bool:
        """Whether scopes that begin outside of a loop keep two accesses in it apart, in any two of its iterations."""
        for one, other in ((a, b), (b, a)):
            noalias, scopes = one.metadata.get("noalias"), other.metadata.get("alias.scope")
            if noalias is not None and scopes is not None:
                homes = {scope: self._scope_home(scope) for scope in self.scopes.scopes(noalias)}
                usable = frozenset(s for s, home in homes.items() if home is not None and not loop.contains(home))
                if self.scopes.excludes(self.scopes.scopes(scopes), usable):
                    return True
        return False

    def _scope_is_single(self, scope: str) -> bool:
        """Whether a scope means one thing during the whole call: it is declared outside every cycle."""
        home = self._scope_home(scope)
        return home is not None and home.block is not None and not self.cfg.in_cycle(home.block)

    def _scope_home(self, scope: str) -> Instruction | None:
        """Where a scope begins; one without such a place, or with several, is not trusted across iterations."""
        if self._scope_homes is None:
            self._scope_homes = {}
            repeated: set[str] = set()
            for inst in self.function.instructions():
                if isinstance(inst, CallBase) and declares_scope(inst):
                    operand = inst.args[0]
                    text = operand.spelling if isinstance(operand, MetadataOperand) else ""
                    for declared in self.scopes.scopes(text.removeprefix("metadata ").strip()):
                        if declared in self._scope_homes:
                            repeated.add(declared)
                        self._scope_homes[declared] = inst
            for declared in repeated:
                del self._scope_homes[declared]
        home = self._scope_homes.get(scope)
        return home if home is not None and home.block is not None and self.cfg.is_reachable(home.block) else None

    # --- offsets

    def address(self, pointer: Value) -> Address:
        """The pointer opened to base, offset and terms; pointer induction variables become multiples of their step."""
        found = self._addresses.get(pointer)
        if found is None:
            found = decompose(pointer, self.layout)
            for _ in range(4):
                opened = self._open_induction(found)
                if opened is None:
                    break
                found = opened
            self._addresses[pointer] = found
        return found

    def _open_induction(self, address: Address) -> Address | None:
        phi = address.base
        if not isinstance(phi, Phi) or phi.block is None or not self.cfg.is_reachable(phi.block):
            return None
        if not self.forest.is_header(phi.block):
            return None
        loop = self.forest.loop_of(phi.block)
        assert loop is not None
        starts = {v for v, source in phi.incoming if source not in loop.blocks}
        nexts = {v for v, source in phi.incoming if source in loop.blocks}
        if len(starts) != 1 or len(nexts) != 1:
            return None
        step = decompose(nexts.pop(), self.layout)
        if step.base is not phi or step.terms or step.offset == 0:
            return None
        start = decompose(starts.pop(), self.layout)
        return Address(
            start.base,
            address.offset + start.offset,
            (*address.terms, *start.terms, Term(phi, "iteration", step.offset)),
            address.exact and start.exact and step.exact,
        )

    def _by_offset(self, a: MemoryLocation, b: MemoryLocation, same_iteration: bool) -> AliasResult:
        x, y = self.address(a.pointer), self.address(b.pointer)
        together = self.loops_in_step(x.base, a.instruction, b.instruction, same_iteration)
        if x.base is not y.base:
            return _NO_TURNS if self.take_turns(x.base, y.base, together) else _MAY_OBJECTS
        if not self.is_same(x.base, together):
            return _MAY_OBJECTS
        found = compare(x, a.size, y, b.size, lambda value: self.is_same(value, together))
        return AliasResult(found.kind, found.reason)

    def take_turns(self, a: Value, b: Value, together: frozenset[Loop] | None) -> bool:
        """Whether two pointers are in different objects wherever both are in one iteration of the given loops."""
        loop = self.forest.loop_of(a.block) if isinstance(a, Phi) and isinstance(b, Phi) else None
        if loop is None or (together is not None and all(each.header is not loop.header for each in together)):
            return False

        def apart(one: Value, other: Value) -> bool:
            return self._relation(self.finder.objects(one), self.finder.objects(other)) == "no"

        return take_turns(loop, a, b, apart)

    def loops_in_step(
        self, base: Value, a: Instruction | None, b: Instruction | None, same_iteration: bool
    ) -> frozenset[Loop] | None:
        """Loops of which both accesses may be assumed to be in one iteration; None means all of them."""
        if same_iteration and (a is None or b is None):
            return None
        fresh = self._enclosing(base) if self.is_allocation(base) else frozenset()
        loops = fresh if fresh is not None else frozenset()
        if same_iteration:
            assert a is not None and b is not None
            shared = self.forest.common_loop(a.block, b.block) if a.block and b.block else None
            if shared is not None:
                loops = loops | frozenset(shared.ancestors())
        return loops

    def is_allocation(self, value: Value) -> bool:
        """Whether the value is the address of an object made anew each time the instruction runs."""
        return any(o.value is value and o.kind in ("alloca", "allocation") for o in self.finder.objects(value))

    def is_same(self, value: Value, together: frozenset[Loop] | None) -> bool:
        """Whether ``value`` is one number in two accesses that are in step in the given loops."""
        if together is None or not isinstance(value, Instruction):
            return True
        loops = self._enclosing(value)
        return loops is not None and loops <= together

    def _enclosing(self, value: Value) -> frozenset[Loop] | None:
        """The loops around a value; None when it lies in a cycle that is no loop (or in dead code)."""
        if not isinstance(value, Instruction):
            return frozenset()
        if value in self._loops_of:
            return self._loops_of[value]
        block = value.block
        found: frozenset[Loop] | None
        if block is None or not self.cfg.is_reachable(block):
            found = None
        elif not self.cfg.in_cycle(block):
            found = frozenset()
        else:
            loop = self.forest.loop_of(block)
            # an irreducible cycle may cross loops in ways that iteration numbers do not describe
            found = None if loop is None or self.forest.irreducible_edges else frozenset(loop.ancestors())
        self._loops_of[value] = found
        return found
