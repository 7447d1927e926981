"""The engine: makes each requested derivative once, and holds what syntheses share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from enzyme.analysis.activity import GlobalRoles
from enzyme.analysis.alias import ModuleSummaries
from enzyme.analysis.covered import CoveredReads
from enzyme.analysis.modref import FunctionSummary
from enzyme.analysis.types_analysis import TypeAnalysis
from enzyme.gradient.before import begin_pointers
from enzyme.gradient.calls import facts
from enzyme.gradient.candidates import AddressIndex
from enzyme.gradient.checkpoints import Checkpoints
from enzyme.gradient.custom import CustomRules
from enzyme.gradient.deferred import frees_foreign_memory
from enzyme.gradient.dispatch import dispatch_calls
from enzyme.gradient.exceptions import personality
from enzyme.gradient.forward_lanes import build_forward
from enzyme.gradient.frame_values import IN_A_LOOP, LARGEST
from enzyme.gradient.globals import GlobalShadows
from enzyme.gradient.impossible_guards import drop_impossible_guards
from enzyme.gradient.iterations import Iteration
from enzyme.gradient.kept_loads import AUGMENTED
from enzyme.gradient.likes import rename_likes
from enzyme.gradient.linear_maps import LinearMaps
from enzyme.gradient.lines import attach_lines
from enzyme.gradient.loop_costs import Key, LoopChoice, StepChoice
from enzyme.gradient.matrix_rules import MatrixRules
from enzyme.gradient.normalise import normalise
from enzyme.gradient.plan import TapePlan
from enzyme.gradient.preconditions import checked_activity, mixed_places
from enzyme.gradient.primal import PrimalCopy, first_builder
from enzyme.gradient.reallocation import reallocates
from enzyme.gradient.recursion import OneIsEnough, handed_on, is_alone
from enzyme.gradient.request import Request
from enzyme.gradient.runtime import STOP, runtime_text
from enzyme.gradient.runtime_gpu import for_gpu
from enzyme.gradient.shadows import heap_function
from enzyme.gradient.signatures import augmented_result, derivative_type, forward_result, gradient_type, reverse_result
from enzyme.gradient.sorting import replace_sorts
from enzyme.gradient.strays import guard_strays
from enzyme.gradient.subject import Subject
from enzyme.gradient.synthesis import Synthesis
from enzyme.gradient.threads import clear_shared, functions_with_barriers
from enzyme.gradient.time_loops import TimeLoop
from enzyme.ir.builder import Builder
from enzyme.ir.intrinsics import MEMSET
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.ir.types import I1, I8, I64, PTR, ArrayType, FunctionType, Type
from enzyme.ir.values import (
    CallBase,
    ConstantInt,
    ConstantString,
    Function,
    GlobalVariable,
    Value,
    zero,
)
from enzyme.llvm.codegen import vector_bytes
from enzyme.rules.known import KnownCallee, known_callee
from enzyme.support.config import Config
from enzyme.support.devices import is_gpu
from enzyme.support.diagnostics import ActivityError, EnzymeError, UsageError, internal_fault

DUMMY_BYTES = 4096


@dataclass
class SplitPair:
    """An augmented primal and its reverse. ``complete`` once both have their bodies; until then it is known of the
    parameters ``unasked`` alone that the reverse does not use them. Where their frame has no more than
    ``most_values`` bytes, ``values`` says how many numbers the first returns in place of it, and the second takes; then
    it has as many bytes as ``most_values`` says."""

    request: Request
    augmented: Function
    reverse: Function
    complete: bool = False
    unasked: frozenset[int] = frozenset()
    most_values: int = 0
    values: int | None = None


@dataclass
class Engine:
    """Derivatives of the functions of one prepared module, which receives them.

    ``index`` knows whose addresses the whole program takes, ``roots`` are the functions that it calls from outside of
    the module (all, when not given). ``made`` are the functions added, in order; ``plans`` the tape plans by name of
    the derivative, ``copies`` the forward sweeps of all derivatives by name, for ``explain``. ``replayed`` says for a
    derivative and a function whose calls are to be replayed in it why they are not ("" where they are), ``dropped`` in
    which of them the forward sweep does without these calls, ``at_once`` in which of them they are reversed in the
    forward sweep, ``maps`` in which of them what is left to the iteration
    that is reversed last, ``iterations`` which loops' bodies these functions are,
    ``choices`` what was decided for loops, ``time_loops`` which loops keep states in place of a tape, ``whole``
    which cannot, and why, ``versions`` are functions of whose arrays more is known (arrays_apart.py). ``again``: what
    is made is going to be differentiated itself.
    """

    module: Module
    config: Config
    index: AddressIndex | None = None
    roots: tuple[str, ...] | None = None
    made: list[Function] = field(default_factory=list)
    plans: dict[str, tuple[TapePlan, PrimalCopy]] = field(default_factory=dict)
    copies: dict[str, PrimalCopy] = field(default_factory=dict)
    replayed: dict[tuple[str, str], str] = field(default_factory=dict)
    dropped: set[tuple[str, str]] = field(default_factory=set)
    at_once: set[tuple[str, str]] = field(default_factory=set)
    maps: dict[tuple[str, str], LinearMaps] = field(default_factory=dict)
    iterations: tuple[Iteration, ...] = ()
    choices: tuple[LoopChoice | StepChoice, ...] = ()
    time_loops: tuple[TimeLoop, ...] = ()
    whole: dict[Key, str] = field(default_factory=dict)
    versions: tuple[Function, ...] = ()
    again: bool = False

    def __post_init__(self) -> None:
        trace = self.config.trace
        self.on_gpu = is_gpu(self.module.triple)
        self.vector_bytes = self.config.vector_bytes or vector_bytes(self.config.cpu, self.module.triple)
        self.pairs_together = self.config.pairs_together and self.vector_bytes >= 32
        self._messages: dict[str, GlobalVariable] = {}
        self.made += [each.made for each in self.iterations]
        self.made += [each.together for each in self.iterations if each.together is not None]
        self.made += [function for each in self.time_loops for function in (each.step, each.driver)]
        roots = self.roots if self.roots is not None else tuple(self.module.functions)
        rename_likes(self.module)
        self.custom = CustomRules(self)
        self.matrices = MatrixRules(self)
        self.checkpoints = Checkpoints(self, self.time_loops, self.config.tape_limit)
        with trace.step("normalise"):
            replace_sorts(self.module, self._adopt)
            dispatch_calls(self.module, self.index, roots)
            normalise(self.module, self.runtime, self.message)
            if self.config.simplify_again:
                drop_impossible_guards(self.module)
        trace.program("normalise", lambda: print_module(self.module))
        self._subjects: dict[str, Subject] = {}
        self._functions: dict[Request, Function] = {}
        self.frees_foreign: dict[Function, bool] = {}  # whether a function, or one it calls, frees what it is given
        self.covered: dict[Function, CoveredReads] = {}  # what functions read and have written (replay.py)
        self._pairs: dict[Request, SplitPair] = {}
        self._in_values: dict[Request, SplitPair] = {}
        with trace.step("types"):
            self._types = TypeAnalysis(self.module, known=known_callee, entries=roots)
        with trace.step("aliases"):
            self.summaries = ModuleSummaries(self.module, known_callee)
        self._flags: dict[str, tuple[str, ...]] = {}
        self.with_barriers = functions_with_barriers(self.module) if self.on_gpu else frozenset()
        self.globals = GlobalShadows(self, self.index.module if self.index is not None else self.module)
        self._failed: dict[Request, EnzymeError] = {}
        self._defers: dict[str, bool] = {}
        self.reallocates = reallocates(self.module)

    def attempt(self, request: Request) -> Function | SplitPair | EnzymeError:
        """The derivative, or why there is none; a failed attempt leaves nothing behind."""
        failed = self._failed.get(request)
        if failed is not None:
            return failed
        before, functions = len(self.made), set(self._functions)
        pairs, in_values = set(self._pairs), set(self._in_values)
        try:
            return self.split(request) if request.mode == "split" else self.derivative(request)
        except EnzymeError as error:
            made, self.made[before:] = self.made[before:], []
            for function in made:
                if (function.name or "").startswith("enzyme.rt."):
                    self.made.append(function)  # complete, and of use to others
                    continue
                self._erase(function)
            self._functions = {r: f for r, f in self._functions.items() if r in functions}
            self._pairs = {r: p for r, p in self._pairs.items() if r in pairs}
            self._in_values = {r: p for r, p in self._in_values.items() if r in in_values}
            self._failed[request] = error
            return error

    def message(self, text: str) -> GlobalVariable:
        """A string constant of the program made."""
        found = self._messages.get(text)
        if found is None:
            plain = "".join(c if 32 <= ord(c) < 127 and c not in '"\\' else "?" for c in text)
            type = ArrayType(len(plain) + 1, I8)
            name = self.unused("enzyme.rt.name")
            found = self.module.add_global(name, type, ConstantString(type, f'c"{plain}\\00"'), "internal", True)
            self._messages[text] = found
        return found

    def unused(self, base: str) -> str:
        """A name for a global that neither this module nor the program has one of."""
        name, count = self.module.unique_name(base), 0
        while self.index is not None and (self.module.has_symbol(name) or self.index.module.has_symbol(name)):
            count += 1
            name = f"{base}.{count}"
        return name

    def emit_abort(self, build: Builder, text: str) -> None:
        """Stop the program here with a message, rather than go on with a wrong derivative."""
        build.call(self.runtime("stop"), [self.message(text)])

    # what syntheses share

    def subject(self, name: str) -> Subject:
        found = self._subjects.get(name)
        if found is None:
            function = self.module.get_function(name)
            if function is None or function.is_declaration:
                raise UsageError(
                    f"cannot differentiate '{name}': it has no definition in this program",
                    why="only a function whose body is at hand can be differentiated",
                    hint="give its file to the same command, or compile all files with -flto",
                )
            known = self.globals
            found = self._subjects[name] = Subject(
                self.module,
                function,
                self._types,
                self.summaries,
                frozenset(known.named),
                GlobalRoles(twinned=known.twinned, ignored=known.ignored),
                self.config.dependences,
            )
        return found

    def extra_flags(self, subject: Subject) -> tuple[str, ...]:
        """``contract`` for code whose own multiplications and additions may be fused."""
        name = subject.function.name or ""
        if name not in self._flags:
            fused = any(
                "contract" in inst.flags
                or "fast" in inst.flags
                or (isinstance(inst, CallBase) and (inst.callee_name or "").startswith("llvm.fmuladd"))
                for inst in subject.function.instructions()
            )
            self._flags[name] = ("contract",) if fused else ()
        return self._flags[name]

    def heap(self, name: str) -> Function:
        return heap_function(self.module, name)

    def runtime(self, name: str) -> Function:
        """The runtime function ``enzyme.rt.<name>``, defined in the module on first use."""
        full = f"enzyme.rt.{name}"
        found = self.module.get_function(full)
        return found if found is not None else self.define(full, runtime_text(name, self.module.triple))

    def define(self, full: str, text: str) -> Function:
        """The function of this name, from the text of a module that defines it unless it is there already."""
        found = self.module.get_function(full)
        if found is None:
            library = parse_module(for_gpu(text, STOP) if self.on_gpu else text)
            for variable in library.globals.values():
                if (variable.name or "") in self.module.globals:
                    continue
                self.module.add_global(variable.name or "", variable.value_type, variable.initializer, "internal", True)
            for function in library.functions.values():
                if function.is_declaration:
                    self.module.declare_function(function.name or "", function.function_type)
            for function in list(library.functions.values()):
                if not function.is_declaration and self.module.get_function(function.name or "") is None:
                    self._adopt(function)
            found = self.module.get_function(full)
            assert found is not None
        return found

    def _adopt(self, function: Function) -> None:
        self.adopt(function)
        self.made.append(function)

    def adopt(self, function: Function) -> None:
        """Take a function of another module over; the globals it mentions are looked up by name in this one. It goes
        into the program when something that does calls it."""
        for inst in function.instructions():
            for index, operand in enumerate(inst.operands):
                if isinstance(operand, (Function, GlobalVariable)) and operand is not function:
                    name = operand.name or ""
                    found = self.module.functions.get(name) or self.module.globals.get(name)
                    if found is None and isinstance(operand, Function):
                        found = self.module.declare_function(name, operand.function_type)
                        found.prefix = operand.prefix
                    assert found is not None
                    inst.set_operand(index, found)
        function.body_text = None
        self.module.add_function(function)

    def effects_of(self, function: Function) -> FunctionSummary | None:
        """What a call of a defined function may do to memory."""
        return self.summaries.summary(function)

    def dummy(self, kind: str) -> GlobalVariable:
        """Memory that stands for the shadow of inactive memory: "sink" takes what is added and is never read for what
        it holds, "zero" always holds zeros."""
        name = f"enzyme.rt.dummy.{kind}"
        found = self.module.globals.get(name)
        if found is None:
            type = ArrayType(DUMMY_BYTES, I8)
            found = self.module.add_global(name, type, zero(type), "internal", align=64)
        return found

    def memset_zero(self, build: Builder, pointer: Value, size: Value, align: int) -> CallBase:
        memset = self.module.declare_function(*MEMSET)
        pointer = build.cast("addrspacecast", pointer, PTR)
        call = build.call(memset, [pointer, ConstantInt(I8, 0), build.zext(size, I64), ConstantInt(I1, 0)])
        assert isinstance(call, CallBase)
        if align > 1:
            call.arg_attrs = ((f"align {align}",), (), (), ())
        return call

    def allocation_size(self, build: Builder, known: KnownCallee, args: list[Value]) -> Value | None:
        """Bytes asked for by an allocating call."""
        assert known.allocation is not None
        if not known.allocation.sizes:
            return None
        total: Value | None = None
        for position in known.allocation.sizes:
            size = args[position]
            wide = build.zext(size, I64)
            total = wide if total is None else build.mul(total, wide)
        return total

    def returned_argument(self, call: CallBase) -> int | None:
        """The argument a call returns unchanged, if it is known to."""
        known = facts(call)
        if known is not None and known.returns_argument is not None and not known.returns_inside:
            return known.returns_argument
        return next((i for i, attrs in enumerate(call.arg_attrs) if "returned" in attrs), None)

    def global_shadow(self, variable: GlobalVariable, copy: PrimalCopy) -> Value:
        """The shadow of a global (see :mod:`enzyme.gradient.globals`)."""
        name = variable.name or ""
        shadowed = copy.shadowed_globals - copy.inert_globals
        unknown = not variable.is_constant and name not in self.globals.named and name not in shadowed
        if unknown and copy.request.at_run_time:
            return variable
        if unknown:
            raise copy.subject.refuse(
                None,
                f"global variable '{variable.name}' is used with active data",
                "it has no shadow: it is declared inactive, or its size is not known",
                "declare the global with its size, or name its shadow",
                ActivityError,
            )
        if name in self.globals.named and copy.lanes.width > 1:
            raise copy.subject.refuse(
                None,
                f"global variable '{variable.name}' has one shadow for {copy.lanes.width} derivatives taken at once",
                f"each lane needs a shadow of its own; the program names '{self.globals.named[name]}' for all",
                "take one derivative at a time, or do not name a shadow",
                ActivityError,
            )
        return self.globals.of(variable, copy.lanes.current, copy.request.mode == "forward")

    def clear_globals(self, copy: PrimalCopy) -> None:
        """Begin a derivative; in one that the program asked for, the shadows of globals are zero."""
        guard_strays(self, copy)
        if not copy.request.nested:
            build = first_builder(copy.target.blocks[0])
            for lane in copy.lanes:
                self.globals.clear(build, copy.shadowed_globals - copy.inert_globals, lane)
                begin_pointers(self, build, copy)
            clear_shared(self, build, copy, copy.shadowed_globals - copy.inert_globals)

    # derivatives

    def rules_for(self, request: Request) -> CustomRules | MatrixRules | None:
        """What has the derivative without a look at the function's body: the program's own rules, or the engine's."""
        return next((rules for rules in (self.custom, self.matrices) if rules.answers(request)), None)

    def defers_outside(self, request: Request) -> bool:
        """Whether the augmented primal of a nested request takes the list of the outermost derivative, to put frees of
        memory there that its function did not allocate."""
        if request.mode != "split" or not request.nested or self.rules_for(request) is not None:
            return False
        if request.function not in self._defers:
            function = self.subject(request.function).function
            self._defers[request.function] = frees_foreign_memory(self, function)
        return self._defers[request.function]

    def derivative(self, request: Request) -> Function:
        """The function that answers a combined reverse or a forward request."""
        with self._guarded(request):
            request = self.configured(request)
            return self._functions.get(request) or self._make_derivative(request)

    def split(self, request: Request) -> SplitPair:
        """The augmented primal and the reverse for a split request."""
        with self._guarded(request):
            request = self.configured(request)
            return self._pairs.get(request) or self._make_split(request)

    def split_for_call(self, request: Request, in_loop: bool) -> SplitPair:
        """The same for a call that keeps what the first one returns, be it a tape or numbers (frame_values.py)."""
        most = IN_A_LOOP if in_loop else LARGEST
        with self._guarded(request):
            request = self.configured(request)
            found = self._in_values.get(request)
            if found is None or found.most_values > most:
                found = self._pairs.get(request)
            if found is not None:
                return found
            plain = not (request.keep_tape or request.renewable or request.apart or self.again)
            pair = self._make_split(request, most if plain and self.config.small_frames else 0)
            if pair.values is not None:
                del self._pairs[request]
                self._in_values[request] = pair
            return pair

    def is_in_values(self, name: str) -> bool:
        """Whether the derivative of this name returns numbers in place of a tape."""
        return any(pair.augmented.name == name for pair in self._in_values.values())

    def configured(self, request: Request) -> Request:
        """The request with what holds for every derivative of this run."""
        strong, at_run_time = self.config.strong_zero, self.config.runtime_activity
        if (strong and not request.strong_zero) or (at_run_time and not request.runtime_activity):
            return replace(
                request,
                strong_zero=strong or request.strong_zero,
                runtime_activity=at_run_time or request.runtime_activity,
            )
        if request.at_run_time or self.rules_for(request) is not None:
            return request
        subject = self.subject(request.function)
        if subject.loops.irreducible_edges:
            return request
        activity = subject.activity(request)
        mixed = activity.inert and not request.nested or mixed_places(activity, request)
        return replace(request, mixed=True) if mixed else request

    @contextmanager
    def _guarded(self, request: Request) -> Iterator[None]:
        """Synthesis is timed, and what breaks in it names the function."""
        try:
            with self.config.trace.step("derivative"):
                yield
        except EnzymeError:
            self._note_refused(request)
            raise
        except Exception as error:
            raise internal_fault(error, request.function) from error

    def _note_refused(self, request: Request) -> None:
        """What is known of a derivative that was refused before its forward sweep was begun, for ``explain``."""
        if not any(copy.request == request for copy in self.copies.values()):
            subject = self._subjects.get(request.function)
            if subject is not None and not subject.loops.irreducible_edges:
                activity = subject.activity(request)
                self.copies[request.label()] = PrimalCopy(subject, request, activity, subject.function)

    def _make_derivative(self, request: Request) -> Function:
        subject = self.subject(request.function)
        if request.mode == "forward":
            result = forward_result(subject, request)
            function = self._declare(request.label(), derivative_type(subject.function, request, (), result), subject)
            self._functions[request] = function
            rules = self.rules_for(request)
            if rules is not None:
                rules.forward(function, request)
                return function
            checked_activity(self.config, subject, request)
            build_forward(self, subject, request, function)
            attach_lines(self.module, subject.function, function)
            return function
        extra: tuple[Type, ...] = (subject.function.result_type,) * request.width if request.ret == "active" else ()
        if request.behind:
            extra = (*extra, PTR)
        result = reverse_result(subject, request)
        function = self._declare(request.label(), derivative_type(subject.function, request, extra, result), subject)
        self._functions[request] = function
        if self.rules_for(request) is not None or self.checkpoints.answers(request):
            self.custom.combined(function, self.split(replace(request, mode="split")))
            return function
        Synthesis(self, subject, request).combined(function)
        return function

    def foreign_memory(self, name: str) -> str | None:
        """What memory a function uses beside its own locals and constants, in words; None if it uses no other."""
        function = self.subject(name).function
        if function.result_type.is_pointer or any(argument.type.is_pointer for argument in function.args):
            return "takes or returns a pointer"
        known = self.summaries.summary(function)
        if known is None or known.reads_other or known.writes_other or known.frees_other or known.writes_globals:
            return "uses memory that is not its own"
        changing = [variable.name for variable in known.reads_globals if not variable.is_constant]
        return f"reads the global variable '{changing[0]}'" if changing else None

    def _make_split(self, request: Request, most_values: int = 0) -> SplitPair:
        pair = self._split_without(request, frozenset(), most_values)
        if not self.config.small_frames or pair.request != request:
            return pair
        unasked = handed_on(pair, len(pair.augmented.args) - self.defers_outside(request))
        if unasked and is_alone(pair):
            self._give_up(pair)
            pair = self._split_without(request, unasked)
            if any(pair.reverse.args[at].users for at in unasked):
                self._give_up(pair)
                pair = self._split_without(request, frozenset())
        return pair

    def _split_without(self, request: Request, unasked: frozenset[int], most_values: int = 0) -> SplitPair:
        """Make the two functions, whose reverse is not going to use the parameters ``unasked``."""
        subject = self.subject(request.function)
        label = request.label().replace(".split.", AUGMENTED)
        listed = (PTR,) if self.defers_outside(request) else ()
        augmented = self._declare(
            label, derivative_type(subject.function, request, listed, augmented_result(subject, request)), subject
        )
        seeds = (subject.function.result_type,) * request.width if request.ret == "active" else ()
        label = request.label().replace(".split.", ".reverse.")
        reverse = self._declare(
            label, derivative_type(subject.function, request, (*seeds, PTR), gradient_type(subject, request)), subject
        )
        pair = self._pairs[request] = SplitPair(request, augmented, reverse, unasked=unasked, most_values=most_values)
        rules = self.rules_for(request)
        if rules is not None:
            rules.split(pair)
        elif self.checkpoints.answers(request):
            self.checkpoints.split(pair)
        else:
            try:
                Synthesis(self, subject, request).split(pair)
            except OneIsEnough as found:
                self._give_up(pair)
                self._pairs[request] = self.split(found.request)
                return self._pairs[request]
        pair.complete = True
        return pair

    def being_made(self, request: Request) -> SplitPair | None:
        pair = self._pairs.get(request)
        return pair if pair is not None and not pair.complete else None

    def _give_up(self, pair: SplitPair) -> None:
        """Take out what is there of functions that nothing refers to, also where they serve for another request."""
        self._pairs = {request: kept for request, kept in self._pairs.items() if kept is not pair}
        for function in (pair.augmented, pair.reverse):
            name = function.name or ""
            self.made.remove(function)
            self.copies.pop(name, None)
            for table in (self.replayed, self.maps):
                for key in [key for key in table if key[0] == name]:
                    del table[key]
            self.dropped = {key for key in self.dropped if key[0] != name}
            self.at_once = {key for key in self.at_once if key[0] != name}
            self._erase(function)

    def _erase(self, function: Function) -> None:
        self.plans.pop(function.name or "", None)
        for inst in list(function.instructions()):
            inst.drop_operands()
        self.module.remove(function)

    def _declare(self, label: str, type: FunctionType, subject: Subject) -> Function:
        made = Function(self.module.unique_name(label), type)
        made.prefix = ("internal",)
        made.attrs = self.module.target_attributes(subject.function)
        if self.on_gpu:
            made.attrs = (*made.attrs, "convergent")
        made.suffix = personality(subject.function)
        self.module.add_function(made)
        self.made.append(made)
        return made
