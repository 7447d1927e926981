"""The engine: makes each requested derivative once, and holds what syntheses share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from enzyme.analysis.activity import ActivityResult, GlobalRoles
from enzyme.analysis.alias import ModuleSummaries
from enzyme.analysis.modref import FunctionSummary
from enzyme.analysis.types_analysis import TypeAnalysis
from enzyme.gradient.calls import Augmentation, facts, same_bits
from enzyme.gradient.candidates import AddressIndex
from enzyme.gradient.carried import adjoint_type
from enzyme.gradient.custom import CustomRules
from enzyme.gradient.deferred import frees_foreign_memory
from enzyme.gradient.dispatch import dispatch_calls
from enzyme.gradient.exceptions import personality
from enzyme.gradient.forward import build_forward
from enzyme.gradient.globals import GlobalShadows
from enzyme.gradient.lanes import lanes_type
from enzyme.gradient.likes import rename_likes
from enzyme.gradient.lines import attach_lines
from enzyme.gradient.normalise import normalise
from enzyme.gradient.plan import Origins, TapePlan, make_plan
from enzyme.gradient.primal import PrimalCopy, copy_primal, derivative_type
from enzyme.gradient.reallocation import reallocates
from enzyme.gradient.request import Request
from enzyme.gradient.reverse import ReverseSweep
from enzyme.gradient.runtime import runtime_text
from enzyme.gradient.shadows import Shadows, heap_function
from enzyme.gradient.sorting import replace_sorts
from enzyme.gradient.subject import Subject
from enzyme.gradient.tape import Frame, Tape
from enzyme.gradient.undo import undo
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.ir.types import I1, I8, I64, PTR, VOID, ArrayType, FloatType, FunctionType, IntType, StructType, Type
from enzyme.ir.values import (
    Argument,
    Block,
    CallBase,
    ConstantInt,
    ConstantString,
    ConstantToken,
    Function,
    GlobalVariable,
    Return,
    Value,
    zero,
)
from enzyme.rules.known import KnownCallee, known_callee
from enzyme.support.config import Config
from enzyme.support.diagnostics import ActivityError, EnzymeError, UsageError, internal_fault

DUMMY_BYTES = 4096


@dataclass
class SplitPair:
    """An augmented primal and its reverse. ``complete`` once both have their bodies."""

    request: Request
    augmented: Function
    reverse: Function
    complete: bool = False


@dataclass
class Engine:
    """Derivatives of the functions of one prepared module, which receives them.

    ``index`` knows whose addresses the whole program takes, ``roots`` are the functions that it calls from outside of
    the module (all, when not given). ``made`` are the functions added, in order; ``plans`` the tape plans by name of
    the derivative, ``copies`` the forward sweeps of all derivatives by name, for ``explain``.
    """

    module: Module
    config: Config
    index: AddressIndex | None = None
    roots: tuple[str, ...] | None = None
    made: list[Function] = field(default_factory=list)
    plans: dict[str, tuple[TapePlan, PrimalCopy]] = field(default_factory=dict)
    copies: dict[str, PrimalCopy] = field(default_factory=dict)

    def __post_init__(self) -> None:
        trace = self.config.trace
        roots = self.roots if self.roots is not None else tuple(self.module.functions)
        rename_likes(self.module)
        self.custom = CustomRules(self)
        with trace.step("normalise"):
            replace_sorts(self.module, self._adopt)
            dispatch_calls(self.module, self.index, roots)
            normalise(self.module)
        trace.program("normalise", lambda: print_module(self.module))
        self._subjects: dict[str, Subject] = {}
        self._functions: dict[Request, Function] = {}
        self.frees_foreign: dict[Function, bool] = {}  # whether a function, or one it calls, frees what it is given
        self._pairs: dict[Request, SplitPair] = {}
        with trace.step("types"):
            self._types = TypeAnalysis(self.module, known=known_callee, entries=roots)
        with trace.step("aliases"):
            self._summaries = ModuleSummaries(self.module, known_callee)
        self._flags: dict[str, tuple[str, ...]] = {}
        self.globals = GlobalShadows(self, self.index.module if self.index is not None else self.module)
        self._failed: dict[Request, EnzymeError] = {}
        self._messages: dict[str, GlobalVariable] = {}
        self._defers: dict[str, bool] = {}
        self.reallocates = reallocates(self.module)

    def attempt(self, request: Request) -> Function | SplitPair | EnzymeError:
        """The derivative, or why there is none; a failed attempt leaves nothing behind."""
        failed = self._failed.get(request)
        if failed is not None:
            return failed
        before, functions, pairs = len(self.made), set(self._functions), set(self._pairs)
        try:
            return self.split(request) if request.mode == "split" else self.derivative(request)
        except EnzymeError as error:
            made, self.made[before:] = self.made[before:], []
            for function in made:
                if (function.name or "").startswith("enzyme.rt."):
                    self.made.append(function)  # complete, and of use to others
                    continue
                self.plans.pop(function.name or "", None)
                for inst in list(function.instructions()):
                    inst.drop_operands()
                self.module.remove(function)
            self._functions = {r: f for r, f in self._functions.items() if r in functions}
            self._pairs = {r: p for r, p in self._pairs.items() if r in pairs}
            self._failed[request] = error
            return error

    def message(self, text: str) -> GlobalVariable:
        """A string constant of the program made."""
        found = self._messages.get(text)
        if found is None:
            plain = "".join(c if 32 <= ord(c) < 127 and c not in '"\\' else "?" for c in text)
            type = ArrayType(len(plain) + 1, I8)
            name = self.module.unique_name("enzyme.rt.name")
            found = self.module.add_global(name, type, ConstantString(type, f'c"{plain}\\00"'), "internal", True)
            self._messages[text] = found
        return found

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
                self._summaries,
                frozenset(known.named),
                GlobalRoles(False, frozenset(), known.twinned, known.ignored),
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
        return heap_function(self, name)

    def runtime(self, name: str) -> Function:
        """The runtime function ``enzyme.rt.<name>``, defined in the module on first use."""
        full = f"enzyme.rt.{name}"
        found = self.module.get_function(full)
        return found if found is not None else self.define(full, runtime_text(name, self.module.triple))

    def define(self, full: str, text: str) -> Function:
        """The function of this name, from the text of a module that defines it unless it is there already."""
        found = self.module.get_function(full)
        if found is None:
            library = parse_module(text)
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
        """Take a function of another module over; the globals it mentions are looked up by name in this one."""
        for inst in function.instructions():
            for index, operand in enumerate(inst.operands):
                if isinstance(operand, (Function, GlobalVariable)) and operand is not function:
                    name = operand.name or ""
                    inst.set_operand(index, self.module.functions.get(name) or self.module.globals[name])
        function.body_text = None
        self.module.add_function(function)
        self.made.append(function)

    def effects_of(self, function: Function) -> FunctionSummary | None:
        """What a call of a defined function may do to memory."""
        return self._summaries.summary(function)

    def dummy(self, kind: str) -> GlobalVariable:
        """Memory that stands for the shadow of inactive memory: "sink" takes what is added and is never read for what
        it holds, "zero" always holds zeros."""
        name = f"enzyme.rt.{kind}"
        found = self.module.globals.get(name)
        if found is None:
            type = ArrayType(DUMMY_BYTES, I8)
            found = self.module.add_global(name, type, zero(type), "internal", align=64)
        return found

    def memset_zero(self, build: Builder, pointer: Value, size: Value, align: int) -> None:
        type = FunctionType(VOID, (PTR, I8, I64, I1))
        memset = self.module.declare_function("llvm.memset.p0.i64", type)
        call = build.call(memset, [pointer, ConstantInt(I8, 0), build.zext(size, I64), ConstantInt(I1, 0)])
        assert isinstance(call, CallBase)
        if align > 1:
            call.arg_attrs = ((f"align {align}",), (), (), ())

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
        unknown = not variable.is_constant and name not in self.globals.named and name not in copy.shadowed_globals
        if unknown and copy.request.runtime_activity:
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
        """Begin a derivative that the program asked for: the shadows of globals are zero."""
        if not copy.request.nested and copy.shadowed_globals:
            entry = copy.target.blocks[0]
            build = Builder(entry, before=entry.instructions[0])
            for lane in copy.lanes:
                self.globals.clear(build, copy.shadowed_globals, lane)

    def emit_check(self, build: Builder, made: Value, kept: Value, what: str, exact: bool) -> None:
        """Compare, at run time, a value that was recomputed with the same value kept (``Config.check_plan``): bit by
        bit, or to a few roundings where LLVM may have fused the one computation and not the other."""
        if exact:
            differs = _differs(build, made, kept, self.module.datalayout.size_of(made.type))
        else:
            differs = _differs_much(build, made, kept)
        if differs is None:
            return
        build.call(self.runtime("check"), [differs, self.message(what)])

    # derivatives

    def defers_outside(self, request: Request) -> bool:
        """Whether the augmented primal of a nested request takes the list of the outermost derivative, to put frees of
        memory there that its function did not allocate."""
        if request.mode != "split" or not request.nested or self.custom.answers(request):
            return False
        if request.function not in self._defers:
            function = self.subject(request.function).function
            self._defers[request.function] = frees_foreign_memory(self, function)
        return self._defers[request.function]

    def derivative(self, request: Request) -> Function:
        """The function that answers a combined reverse or a forward request."""
        request = self._configured(request)
        found = self._functions.get(request)
        if found is not None:
            return found
        with self._guarded(request):
            return self._make_derivative(request)

    def split(self, request: Request) -> SplitPair:
        """The augmented primal and the reverse for a split request."""
        request = self._configured(request)
        found = self._pairs.get(request)
        if found is not None:
            return found
        with self._guarded(request):
            return self._make_split(request)

    def _configured(self, request: Request) -> Request:
        """The request with what holds for every derivative of this run."""
        strong, at_run_time = self.config.strong_zero, self.config.runtime_activity
        if (strong and not request.strong_zero) or (at_run_time and not request.runtime_activity):
            return replace(
                request,
                strong_zero=strong or request.strong_zero,
                runtime_activity=at_run_time or request.runtime_activity,
            )
        return request

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
            if self.custom.answers(request):
                self.custom.forward(function, request)
                return function
            self._checked_activity(subject, request)
            build_forward(self, subject, request, function)
            attach_lines(self.module, subject.function, function)
            return function
        seed = (subject.function.result_type,) * request.width if request.ret == "active" else ()
        function = self._declare(
            request.label(), derivative_type(subject.function, request, seed, reverse_result(subject, request)), subject
        )
        self._functions[request] = function
        if self.custom.answers(request):
            pair = self.split(replace(request, mode="split"))
            self.custom.combined(function, pair)
            return function
        _Synthesis(self, subject, request).combined(function)
        return function

    def foreign_memory(self, name: str) -> str | None:
        """What memory a function uses beside its own locals and constants, in words; None if it uses no other."""
        function = self.subject(name).function
        if function.result_type.is_pointer or any(argument.type.is_pointer for argument in function.args):
            return "takes or returns a pointer"
        known = self._summaries.summary(function)
        if known is None or known.reads_other or known.writes_other or known.frees_other or known.writes_globals:
            return "uses memory that is not its own"
        changing = [variable.name for variable in known.reads_globals if not variable.is_constant]
        return f"reads the global variable '{changing[0]}'" if changing else None

    def refuse_hidden_numbers(self, request: Request, inferred: tuple[int, ...], quiet: bool = False) -> None:
        """Refuse a request that would drop numbers an ABI packs into integers: parameters of integer type that were
        taken for constants (``inferred``), and a result that gets no seed without being said to (``quiet``)."""
        subject = self.subject(request.function)
        for index in inferred:
            argument = subject.function.args[index]
            if subject.types.value_carries_float(argument):
                raise UsageError(
                    f"parameter {index + 1} of '{request.function}' is an integer that carries numbers",
                    function=request.function,
                    why="a small struct passed by value is packed into an integer; its derivative would be dropped",
                    hint="write enzyme_const or enzyme_out before the argument, or pass the struct by pointer",
                )
        for block in () if quiet else subject.live_blocks:
            end = block.terminator
            if request.ret == "const" and isinstance(end, Return) and end.operands:
                value = end.operands[0]
                if not value.type.is_pointer and value in subject.activity(request).varied:
                    raise UsageError(
                        f"'{request.function}' returns {value.type}, numbers that depend on active inputs",
                        function=request.function,
                        why="a derivative needs one number to start from; it does not know what to do with a struct",
                        hint="return the number to differentiate, or write the results through a pointer (enzyme_dup)",
                    )

    def _make_split(self, request: Request) -> SplitPair:
        subject = self.subject(request.function)
        parts: list[Type] = [PTR]
        if request.return_primal:
            parts.append(subject.function.result_type)
        if request.ret == "dup":
            parts.append(lanes_type(subject.function.result_type, request.width))
        label = request.label().replace(".split.", ".augmented.")
        listed = (PTR,) if self.defers_outside(request) else ()
        augmented = self._declare(
            label, derivative_type(subject.function, request, listed, StructType.literal(tuple(parts))), subject
        )
        seeds = (subject.function.result_type,) * request.width if request.ret == "active" else ()
        label = request.label().replace(".split.", ".reverse.")
        reverse = self._declare(
            label, derivative_type(subject.function, request, (*seeds, PTR), gradient_type(subject, request)), subject
        )
        pair = self._pairs[request] = SplitPair(request, augmented, reverse)
        if self.custom.answers(request):
            self.custom.split(pair)
        else:
            _Synthesis(self, subject, request).split(pair)
        pair.complete = True
        return pair

    def _declare(self, label: str, type: FunctionType, subject: Subject) -> Function:
        made = Function(self.module.unique_name(label), type)
        made.prefix = ("internal",)
        words = self.module.fn_attributes(subject.function)
        made.attrs = tuple(
            sorted(w for w in words if w.startswith(('"target-cpu"', '"target-features"', '"tune-cpu"')))
        )
        made.suffix = personality(subject.function)
        self.module.add_function(made)
        self.made.append(made)
        return made

    def _checked_activity(self, subject: Subject, request: Request) -> ActivityResult:
        if subject.loops.irreducible_edges:
            raise subject.refuse(
                subject.loops.irreducible_edges[0][0].terminator,
                f"cannot differentiate '{request.function}': its control flow is irreducible",
                "a loop is entered at two places (goto into a loop)",
                "restructure the jump, so that the loop has one entry",
            )
        for loop in subject.loops.loops:
            if not loop.is_simple and any(b in subject.live_blocks for b in loop.blocks):
                raise subject.refuse(
                    loop.header.terminator,
                    f"cannot differentiate '{request.function}': a loop has no simple form",
                    "a computed jump (indirect goto) enters or leaves it",
                    "use ordinary loops and branches",
                )
        for inst in subject.function.instructions():
            if isinstance(inst, CallBase) and "returns_twice" in self.module.fn_attributes(inst):
                raise subject.refuse(
                    inst,
                    f"cannot differentiate '{request.function}': it calls '{inst.callee_name}'",
                    "control may come back to this call a second time, by a way the reverse sweep cannot go",
                    "return error codes instead of jumping",
                )
        with self.config.trace.step("types"):
            assert subject.types is not None
        with self.config.trace.step("activity"):
            activity = subject.activity(request)
        for problem in activity.problems:
            if request.nested and problem.kind == "inactive-global":
                continue  # the outermost function has found that nothing active goes through this global
            if request.nested and problem.kind == "constant-structure":
                continue  # likewise: it has looked at what every argument leads to
            if request.nested and not request.strict and problem.kind == "constant-memory":
                continue  # the caller's analysis, which saw this store, has found that nothing depends on it
            raise subject.refuse(problem.instruction, problem.what, problem.why, problem.hint, ActivityError)
        return activity


def gradient_type(subject: Subject, request: Request) -> Type:
    """What a reverse function returns: the gradients of the ``out`` parameters."""
    for argument, kind in zip(subject.function.args, request.args, strict=True):
        if kind == "out" and argument.type.is_int and not subject.types.value_carries_float(argument):
            raise UsageError(
                f"parameter {argument.index + 1} of '{request.function}' is an integer and cannot be enzyme_out",
                function=request.function,
                why="integers have no derivative",
                hint="use enzyme_const",
            )
    return _one_or_struct(_gradient_types(subject, request))


def _gradient_types(subject: Subject, request: Request) -> list[Type]:
    return [
        lanes_type(adjoint_type(subject, a), request.width)
        for a, kind in zip(subject.function.args, request.args, strict=True)
        if kind == "out"
    ]


def _one_or_struct(parts: list[Type]) -> Type:
    if not parts:
        return VOID
    return parts[0] if len(parts) == 1 else StructType.literal(tuple(parts))


def reverse_result(subject: Subject, request: Request) -> Type:
    """What a combined reverse function returns."""
    gradients = gradient_type(subject, request)
    if not request.return_primal:
        return gradients
    return _one_or_struct([subject.function.result_type, *_gradient_types(subject, request)])


def forward_result(subject: Subject, request: Request) -> Type:
    """What a forward function returns."""
    result = subject.function.result_type
    parts = [result] if request.return_primal else []
    if request.ret != "const":
        parts.append(lanes_type(result, request.width))
    return _one_or_struct(parts)


def _differs(build: Builder, made: Value, kept: Value, size: int) -> Value | None:
    type = made.type
    if isinstance(type, IntType) or type.is_pointer:
        return build.icmp("ne", made, kept)
    if isinstance(type, FloatType) and type.kind in ("float", "double", "half", "bfloat"):
        bits = IntType(type.bits)
        return build.icmp("ne", build.bitcast(made, bits), build.bitcast(kept, bits))
    if type.is_vector and not type.scalar.is_pointer:
        bits = IntType(size * 8)
        return build.icmp("ne", build.bitcast(made, bits), build.bitcast(kept, bits))
    return None


def _differs_much(build: Builder, made: Value, kept: Value) -> Value | None:
    type = made.type
    if not isinstance(type, FloatType) or type.kind not in ("float", "double"):
        return None
    gap = build.fsub(made, kept, ())
    size = build.fadd(build.fmul(made, made, ()), build.fmul(kept, kept, ()), ())
    tolerance = 1e-8 if type.kind == "float" else 1e-20  # of the squares: 1e-4 and 1e-10 relative
    return build.fcmp("ogt", build.fmul(gap, gap, ()), build.fmul(size, build.const_float(type, tolerance), ()), ())


class _Synthesis:
    """One reverse derivative being made: copy, dry run, plan, tape, reverse sweep."""

    def __init__(self, engine: Engine, subject: Subject, request: Request) -> None:
        self.engine, self.subject, self.request = engine, subject, request
        self.activity = engine._checked_activity(subject, request)
        if not subject.live_blocks:
            raise subject.refuse(
                None,
                f"cannot differentiate '{request.function}': it never returns",
                "every path ends in an endless loop or a call that does not return",
                "give the function a path that returns",
            )

    def adjoint_type(self, value: Value) -> Type:
        return adjoint_type(self.subject, value)

    def combined(self, function: Function) -> None:
        self._forward(function, split=False)
        block = function.append_block("reverse")
        assert self.copy.return_block is not None
        end = Builder(self.copy.return_block)
        self._close(end)
        end.br(block)
        arguments: dict[Value, Value] = {a: a for a in function.args}
        seeds = function.args[-self.request.width :] if self.request.ret == "active" else []
        self._reverse(function, function.blocks[0], block, arguments, seeds)
        self.frame.finish()
        self.tape.scopes.attach([function])
        attach_lines(self.engine.module, self.subject.function, function)

    def split(self, pair: SplitPair) -> None:
        self._forward(pair.augmented, split=True)
        assert self.copy.return_block is not None
        end = Builder(self.copy.return_block)
        self._close(end)
        self.tape.initialise_fields()
        self._return_augmented(pair, end)
        entry = pair.reverse.append_block("entry")
        start = pair.reverse.append_block("reverse")
        self.frame.reverse_tape = pair.reverse.args[-1]
        shared = len(pair.augmented.args) - self.engine.defers_outside(self.request)
        arguments: dict[Value, Value] = dict(zip(pair.augmented.args[:shared], pair.reverse.args[:shared], strict=True))
        seeds = pair.reverse.args[shared:-1]
        self._reverse(pair.reverse, entry, start, arguments, seeds)
        Builder(entry).br(start)
        self.frame.finish()
        self.tape.scopes.attach([pair.augmented, pair.reverse])
        for made in (pair.augmented, pair.reverse):
            attach_lines(self.engine.module, self.subject.function, made)

    def _return_augmented(self, pair: SplitPair, end: Builder) -> None:
        type = pair.augmented.result_type
        result: Value = ConstantToken(type, "poison")
        assert self.frame.allocation is not None
        tape = self.frame.allocation if self.frame.size else ConstantToken(PTR, "null")
        result = end.insert_value(result, tape, 0)
        at = 1
        if self.request.return_primal:
            result = end.insert_value(result, self._result(), at)
            at += 1
        if self.request.ret == "dup":
            returned = self._returned_value()
            assert returned is not None
            shadow = self.copy.lanes.pack(end, lambda: self.shadows.of_or_primal(returned))
            result = end.insert_value(result, shadow, at)
        end.ret(result)

    def _returned_value(self) -> Value | None:
        """The subject's return operand."""
        block = self.copy.back[self.copy.return_block]  # type: ignore[index]
        operands = block.terminator.operands if block.terminator is not None else []
        return operands[0] if operands else None

    def _result(self) -> Value:
        """What the forward sweep returns. Asked for at the end: calls have been replaced by then."""
        returned = self._returned_value()
        assert returned is not None
        return self.copy.of(returned)

    def _forward(self, function: Function, split: bool) -> None:
        engine, subject, request = self.engine, self.subject, self.request
        self.copy = copy_primal(subject, request, self.activity, function)
        engine.clear_globals(self.copy)
        engine.copies[function.name or ""] = self.copy
        self.shadows = Shadows(engine, self.copy)
        self.frame = Frame(engine, split, function.blocks[0])
        self.augmentation = Augmentation(engine, self.copy, self.shadows, self.frame)
        self.augmentation.run()
        if request.ret == "dup":
            returned = self._returned_value()
            if returned is not None:
                for _ in self.copy.lanes:
                    self.shadows.of_or_primal(returned)
        self.origins = Origins(self.copy, engine.config)
        needed = self._dry_run(function)
        with engine.config.trace.step("plan"):
            plan = make_plan(self.copy, self.origins, needed, needed if engine.config.check_plan else ())
        engine.plans[function.name or ""] = (plan, self.copy)
        self.tape = Tape(engine, self.copy, plan, self.origins, self.frame)
        self.tape.emit_forward()

    def _dry_run(self, function: Function) -> list[Value]:
        scratch = Function("scratch", FunctionType(VOID, ()))
        entry, start = scratch.append_block("entry"), scratch.append_block("reverse")
        sweep = self._sweep(scratch, entry, {a: a for a in function.args}, None)
        sweep.emit(start)
        for block in scratch.blocks:
            for inst in block.instructions:
                inst.drop_operands()
        return list(sweep.needed)

    def _close(self, end: Builder) -> None:
        self.tape.close_forward(end)
        self.augmentation.deferred.close_forward(end)

    def _sweep(
        self, function: Function, slots: Block, arguments: dict[Value, Value], tape: Tape | None
    ) -> ReverseSweep:
        sweep = ReverseSweep(
            self.engine,
            self.copy,
            self.shadows,
            self.origins,
            function,
            slots,
            arguments,
            tape,
            self.adjoint_type,
            undo,
        )
        sweep.augmentation = self.augmentation
        return sweep

    def _reverse(
        self, function: Function, slots: Block, start: Block, arguments: dict[Value, Value], seeds: Sequence[Argument]
    ) -> None:
        """Emit the reverse sweep; ``seeds`` has one for each lane, or none."""
        sweep = self._sweep(function, slots, arguments, self.tape)
        build = Builder(start)
        self.tape.emit_reverse_entry(build, slots)
        returned = self._returned_value()
        if seeds and returned is not None and self.activity.active_value(returned):
            for lane in sweep.lanes:
                sweep.adjoints.add(build, returned, self._seed(build, returned, seeds[lane]))
        sweep.emit(start)
        leave = Builder(sweep.leave)
        if not self.request.keep_tape:
            self.augmentation.deferred.release(leave)
            self.tape.release(leave)  # last: it frees the frame
        outs = [a for a, kind in zip(self.subject.function.args, self.request.args, strict=True) if kind == "out"]
        gradients = [sweep.lanes.pack(leave, lambda a=a: sweep.adjoints.read(leave, a)) for a in outs]  # type: ignore[misc]
        if self.request.mode == "reverse" and self.request.return_primal:
            gradients.insert(0, self._result())  # the forward sweep is in this function, in front of this block
        if not gradients:
            leave.ret()
        elif len(gradients) == 1:
            leave.ret(gradients[0])
        else:
            result: Value = ConstantToken(function.result_type, "poison")
            for index, gradient in enumerate(gradients):
                result = leave.insert_value(result, gradient, index)
            leave.ret(result)

    def _seed(self, build: Builder, returned: Value, seed: Argument) -> Value:
        return same_bits(build, seed, self.adjoint_type(returned))
