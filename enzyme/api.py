"""The Python interface: compile a program, call its functions, differentiate them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from enzyme.derivatives import Derivative, Gradient, argument_labels, argument_readonly, default_activity
from enzyme.frontends.clang import is_source_text, run_front_end
from enzyme.frontends.foreign import compile_foreign, foreign_language
from enzyme.frontends.ir import as_optimised, load_ir
from enzyme.gradient.hints import without_hints
from enzyme.ir.values import Function
from enzyme.jit import Program, Seconds, import_globals
from enzyme.kept import kept, kept_text
from enzyme.native import NativeFunction
from enzyme.operands import in_memory, operands_of, operation_name
from enzyme.records import describe
from enzyme.relaxed import as_configured
from enzyme.second import HessianProduct
from enzyme.support.cache import Entry
from enzyme.support.config import Config, config_from_environment
from enzyme.support.diagnostics import UsageError
from enzyme.unoptimised import or_unoptimised

Array = np.ndarray[Any, Any]

PIPELINES = ("post", "pre")
_IR_SUFFIXES = (".ll", ".bc")
_SHADOWS = {"forward": "tangent", "reverse": "adjoint"}


def compile(
    source: str | Path,
    *,
    language: str | None = None,
    opt_level: int = 2,
    pipeline: str = "post",
    cc: str | None = None,
    cflags: Sequence[str] = (),
    include_dirs: Sequence[str | Path] = (),
    config: Config | None = None,
) -> Module:
    """Compile C, C++, Fortran, Rust or LLVM IR and give its functions.

    ``source`` is the program itself (anything with a line break or a brace) or a path: ``.c .cc .cpp .cxx .f90 .rs .ll
    .bc`` and the like. ``language`` is ``"c"``, ``"c++"``, ``"fortran"``, ``"rust"`` or ``"llvm"`` where the suffix
    does not say it; program text is C by default.
    ``pipeline``: ``"post"`` optimises before and after differentiation, ``"pre"`` only after; a program whose types are
    lost in optimisation is compiled as with ``"pre"``, which the module's ``pipeline`` says. ``opt_level`` 0 to 3.
    ``cc`` names another clang than the one of the ziglang package, or another flang or rustc than the one on the path;
    ``cflags`` and ``include_dirs`` are passed to it.

    Calls of ``__enzyme_autodiff`` and ``__enzyme_fwddiff`` in the program are replaced by derivatives.
    Raises :class:`CompileError` with the compiler's messages and other :class:`EnzymeError` for what cannot be
    differentiated.
    """
    config = config or config_from_environment()
    if not isinstance(source, (str, Path)):
        raise UsageError(f"a program is text or a path, not {describe(source)}", hint="pass a str or a pathlib.Path")
    if not str(source).strip() or source == Path():
        raise UsageError("the program is empty", hint="pass source text or the path of a file")
    if pipeline not in PIPELINES:
        raise UsageError(f"there is no pipeline '{pipeline}'", hint="use 'post' or 'pre'")
    if opt_level not in (0, 1, 2, 3):
        raise UsageError(f"there is no optimisation level {opt_level!r}", hint="use 0, 1, 2 or 3")
    if isinstance(cflags, str):
        raise UsageError("cflags is a list of flags, not one string", hint=f"cflags={cflags.split()!r}")

    def made(pipeline: str) -> Module:
        seconds = Seconds()
        optimised = may_wait and pipeline == "post"
        with seconds.time("frontend"):
            text = _read(source, language, opt_level, pipeline, cc, config, cflags, include_dirs)
            if _is_ir(source, language) or foreign_language(source, language) is not None:
                text, optimised = as_optimised(text, opt_level, pipeline)
            text = as_configured(text, config)
        return Module(text, config, opt_level, pipeline, seconds, optimised)

    may_wait = pipeline == "post" and opt_level > 0
    return or_unoptimised(lambda: made(pipeline), (lambda: made("pre")) if may_wait else None)[0]


def _read(
    source: str | Path,
    language: str | None,
    opt_level: int,
    pipeline: str,
    cc: str | None,
    config: Config,
    cflags: Sequence[str],
    include_dirs: Sequence[str | Path],
) -> str:
    foreign = foreign_language(source, language)
    if foreign is not None:
        return compile_foreign(source, foreign, opt_level, pipeline, cc, cflags, include_dirs)
    if _is_ir(source, language):
        if is_source_text(source):
            return load_ir(str(source), "the program")
        path = Path(source)
        try:
            return load_ir(path.read_bytes(), str(path))
        except OSError as error:
            raise UsageError(f"cannot read '{path}'", why=error.strerror) from None
    cc = cc or config.cc
    text = run_front_end(source, language, opt_level, pipeline, cc, cflags, include_dirs).ir
    # The default compiler prints IR the way our LLVM does; another version may not.
    return load_ir(text, "the compiler's output") if cc else text


def _is_ir(source: str | Path, language: str | None) -> bool:
    is_llvm = language in ("llvm", "ll", "ir")
    return is_llvm or (not is_source_text(source) and Path(source).suffix in _IR_SUFFIXES)


def _lowered(text: str, config: Config, optimised: bool) -> str:
    from enzyme.gradient.lower import lower_module
    from enzyme.markers import settle_markers

    return settle_markers(lower_module(text, config, optimised=optimised, more=True))


class Module:
    """A compiled program. ``module["f"]`` or ``module.f`` is a function of it, ready to be called."""

    def __init__(
        self, text: str, config: Config, opt_level: int, pipeline: str, seconds: Seconds, optimised: bool = False
    ) -> None:
        self.config, self.opt_level, self.pipeline = config, opt_level, pipeline
        self._seconds = seconds
        self._source, self._optimised = text, optimised
        with seconds.time("differentiate"):
            lowered, saved = kept_text(
                config, "lowered", [text, str(optimised)], lambda: _lowered(text, config, optimised)
            )
        seconds.saved += saved
        self._differentiable = lowered  # with what the program states of types
        self._program = Program(without_hints(lowered), config, opt_level, pipeline, seconds)
        self._functions: dict[str, NativeFunction] = {}
        self._derivatives: dict[tuple[str, str, tuple[str, ...], str, bool, int, bool], Derivative] = {}
        self._operations: dict[tuple[str, tuple[str, ...], tuple[int, ...]], NativeFunction] = {}

    @property
    def functions(self) -> list[str]:
        """Names of the functions that can be called."""
        return list(self._program.signatures)

    @property
    def compile_seconds(self) -> dict[str, float]:
        """Seconds spent so far per stage: frontend, differentiate, optimise, codegen."""
        return dict(self._seconds.stages)

    @property
    def saved_seconds(self) -> float:
        """Seconds that it took, some other time, to make what was found in the cache."""
        return self._seconds.saved

    def ir(self, stage: str = "optimised") -> str:
        """IR text: ``"source"`` as the front end gave it, ``"differentiated"``, or ``"optimised"``."""
        if stage == "source":
            return self._source
        if stage == "differentiated":
            return self._program.text
        if stage == "optimised":
            return self._program.ir()
        raise UsageError(f"there is no stage '{stage}'", hint="use 'source', 'differentiated' or 'optimised'")

    def __getitem__(self, name: str) -> NativeFunction:
        if not isinstance(name, str):
            raise UsageError(f"a function is named by a str, not by {describe(name)}")
        with self._program.lock:
            if name not in self._functions:
                self._functions[name] = NativeFunction(self._program, name)
        return self._functions[name]

    def __getattr__(self, name: str) -> NativeFunction:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except UsageError as error:
            raise AttributeError(str(error)) from None

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.functions})

    def __repr__(self) -> str:
        return f"<enzyme.Module of {', '.join(self.functions) or 'no functions'}>"

    def autodiff(
        self,
        function: str | NativeFunction,
        activity: Sequence[str] | None = None,
        mode: str = "reverse",
        *,
        width: int = 1,
        with_value: bool = False,
    ) -> Derivative:
        """The derivative of a function, as a callable.

        ``activity`` says for every parameter ``"const"``, ``"dup"`` (with a shadow), ``"dupnoneed"`` or ``"out"``
        (its gradient is returned); by default pointers are dup, integers const, floats out in reverse and dup in
        forward mode. ``width``: how many derivatives are carried through one run. ``with_value``: the function's own
        float result is returned before them. See :class:`Derivative` for how it is called.
        """
        if mode not in ("reverse", "forward"):
            raise UsageError(f"there is no mode '{mode}'", hint="use 'reverse' or 'forward'")
        if isinstance(width, bool) or not isinstance(width, int) or width < 1:
            raise UsageError(f"a derivative has no width {width!r}", hint="pass a small positive integer, as 4 or 8")
        subject = self.resolve(function)
        name = subject.name or ""
        if with_value and not subject.result_type.is_float:
            raise UsageError(
                f"'{name}' returns {subject.result_type}, so there is no value beside its derivative",
                hint="what it writes is there, too: leave out with_value",
            )
        inferred = activity is None
        if activity is None:
            activity = default_activity(subject, mode)
        elif isinstance(activity, str) or any(not isinstance(each, str) for each in activity):
            raise UsageError("activity is a list with one of const, dup, dupnoneed, out for each parameter")
        chosen = tuple(str(each).removeprefix("enzyme_") for each in activity)
        for each in chosen:
            if each not in ("const", "dup", "dupnoneed", "out"):
                raise UsageError(f"there is no activity '{each}'", hint="use const, dup, dupnoneed or out")
        ret = "active" if subject.result_type.is_float else "const"
        key = (name, mode, chosen, ret, inferred, width, with_value)
        with self._program.lock:  # analyses read function bodies on demand, into the one module
            if key not in self._derivatives:
                self._derivatives[key] = self._derive(*key)
        return self._derivatives[key]

    def resolve(self, function: str | NativeFunction) -> Function:
        """The function of this program that is named or given."""
        name = function.name if isinstance(function, NativeFunction) else function
        if not isinstance(name, str):
            raise UsageError(f"a function is named by a str, not by {describe(function)}")
        return self._program.resolve(name)

    def _derive(
        self,
        function: str,
        mode: str,
        activity: tuple[str, ...],
        ret: str,
        inferred: bool,
        width: int,
        with_value: bool,
    ) -> Derivative:

        def make() -> tuple[str, str]:
            from enzyme.gradient.lower import synthesize

            derive = partial(synthesize, config=self.config, optimised=self._optimised, with_value=with_value)
            return derive(self._differentiable, function, mode, activity, ret, inferred=inferred, width=width)

        asked = (function, mode, *activity, ret, str(inferred), str(width), *(["with value"] if with_value else []))
        text, name = self._synthesized("derivative", asked, make)
        subject = self._program.module.functions[function]
        seeded = mode == "reverse" and ret == "active"
        labels = argument_labels(subject, activity, seeded, width)
        readonly = argument_readonly(subject, activity, mode, seeded, width)
        native = self._native(text, name, f"derivative of {function}", labels, readonly)
        return Derivative(native, subject, mode, activity, ret, width)

    def _native(self, text: str, name: str, what: str, labels: list[str], readonly: list[bool]) -> NativeFunction:
        """One function of a program, compiled by itself; globals are those of this program."""
        from enzyme.ir.parser import parse_module

        primal = self._program
        with self._seconds.time("differentiate"):
            present = parse_module(text).globals
            shared = [each for each in primal.shared_globals if each in present]
            part = import_globals(text, shared)
        imports = {each: primal.address(each) for each in shared}
        program = Program(part, self.config, self.opt_level, self.pipeline, self._seconds, [name], imports)
        return NativeFunction(program, name, what, labels, readonly)

    def _synthesized(self, kind: str, asked: Sequence[str], make: Callable[[], tuple[str, str]]) -> tuple[str, str]:
        """A function that ``make`` adds to this program, with what it reaches, and its name; ``asked`` is all that
        decides what it is."""

        def part() -> Entry:
            from enzyme.gradient.extract import extract, reachable_functions
            from enzyme.ir.parser import parse_module

            text, name = make()
            whole = parse_module(text)
            text = without_hints(extract(whole, reachable_functions(whole, [name])))
            return Entry(text.encode("utf-8", errors="surrogateescape"), {"name": name})

        with self._program.lock, self._seconds.time("differentiate"):
            found, saved = kept(self.config, kind, [self._differentiable, str(self._optimised), *asked], part)
        self._seconds.saved += saved
        return found.data.decode("utf-8", errors="surrogateescape"), str(found.facts["name"])

    def hvp(self, function: str | NativeFunction, wrt: int = 0) -> HessianProduct:
        """Second derivatives with respect to one array argument (``wrt``, counted from 0): ``hvp(f)(*args, v)`` is the
        Hessian times ``v``, ``hvp(f).hessian(*args)`` the matrix. Forward mode over reverse mode, no differences."""
        subject = self.resolve(function)
        name = subject.name or ""
        if not subject.result_type.is_float:
            raise UsageError(
                f"'{name}' returns {subject.result_type}, so it has no Hessian", hint="return the objective as a float"
            )
        if isinstance(wrt, bool) or not isinstance(wrt, int) or not 0 <= wrt < len(subject.args):
            raise UsageError(f"'{name}' has no argument {wrt!r}", hint="wrt counts arguments from 0")
        if not subject.args[wrt].type.is_pointer:
            raise UsageError(f"argument {wrt + 1} of '{name}' is not an array", hint="pass the numbers as an array")
        return HessianProduct(lambda width: self.native_hessian(subject, (wrt,), width), subject, wrt)

    def hessian(self, function: str | NativeFunction, wrt: int = 0) -> Callable[..., Array]:
        """A callable that takes the function's arguments and returns the Hessian; see :meth:`hvp`."""
        return self.hvp(function, wrt).hessian

    def native_hessian(self, subject: Function, wrt: Sequence[int], width: int) -> NativeFunction:
        """The Hessian of a function's float result with respect to what some of its arguments point to, times ``width``
        directions: behind each of these arguments come its directions, its gradient and the products, and last the
        seed."""
        name = subject.name or ""
        first = tuple("dup" if index in wrt else "const" for index in range(len(subject.args)))
        second = tuple(each for kind in first for each in ((kind,) if kind == "const" else (kind, kind)))

        def make() -> tuple[str, str]:
            from enzyme.gradient.lower import synthesize

            derive = partial(synthesize, config=self.config, optimised=self._optimised)
            text, gradient = derive(self._differentiable, name, "reverse", first, "active", again=True)
            return derive(text, gradient, "forward", (*second, "const"), "const", width=width)

        text, made = self._synthesized("Hessian", (name, *first, str(width)), make)
        labels, reads = argument_labels(subject, first, False), argument_readonly(subject, first, "reverse", False)
        for index in sorted(wrt, reverse=True):
            at = index + sum(other < index for other in wrt) + 1
            labels[at : at + 1] = ["the direction"] * width + ["the gradient"] + ["the product"] * width
            reads[at : at + 1] = [True] * width + [False] * (1 + width)
        return self._native(text, made, f"Hessian of {name}", [*labels, "the seed"], [*reads, False])

    def native_operation(self, subject: Function, ways: Sequence[str], active: Sequence[int]) -> NativeFunction:
        """A function with all of its operands in memory (see :mod:`enzyme.operands`), differentiated in each of the
        ``ways``, "forward" or "reverse", one after the other. ``active`` are positions among its operands: behind each
        of these come its shadow, and with two ways then the second shadows of both."""
        key = (subject.name or "", tuple(ways), tuple(active))
        with self._program.lock:
            if key not in self._operations:
                self._operations[key] = self._operation(subject, *key)
        return self._operations[key]

    def _operation(
        self, subject: Function, name: str, ways: tuple[str, ...], active: tuple[int, ...]
    ) -> NativeFunction:
        operands = operands_of(subject)

        def make() -> tuple[str, str]:
            from enzyme.gradient.lower import synthesize
            from enzyme.llvm.pipelines import always_inlined

            text = always_inlined(f"{self._differentiable}\n\n{in_memory(subject)}\n")
            made = operation_name(name)
            kinds = ["dup" if index in active else "const" for index in range(len(operands))]
            derive = partial(synthesize, config=self.config, optimised=self._optimised)
            for number, way in enumerate(ways, 1):
                text, made = derive(text, made, way, tuple(kinds), "const", again=number < len(ways))
                kinds = [each for kind in kinds for each in ([kind] if kind == "const" else [kind, kind])]
            return text, made

        text, made = self._synthesized("operation", (name, *ways, "of", *map(str, active)), make)
        rows = [(f"'{each.name}'", not each.written, index in active) for index, each in enumerate(operands)]
        for way in ways:
            rows = [
                row
                for label, reads, moves in rows
                for row in (
                    (label, reads, moves),
                    *([(f"the {_SHADOWS[way]} of {label}", reads and way == "forward", moves)] if moves else []),
                )
            ]
        return self._native(text, made, name, [label for label, _, _ in rows], [reads for _, reads, _ in rows])

    def gradient(self, function: str | NativeFunction, wrt: Sequence[int] | int | None = None) -> Gradient:
        """A callable that takes the function's own arguments and returns fresh gradients of its float result.

        One gradient for every float array and float argument, in order (a tuple if there are several); ``wrt``
        names positions, counted from 0, to leave the others constant. Integers and integer arrays are constant.
        """
        return self._gradient(function, wrt, False)

    def value_and_gradient(self, function: str | NativeFunction, wrt: Sequence[int] | int | None = None) -> Gradient:
        """The same as :meth:`gradient`, with the function's float result before it: ``(value, gradient)``."""
        return self._gradient(function, wrt, True)

    def _gradient(self, function: str | NativeFunction, wrt: Sequence[int] | int | None, with_value: bool) -> Gradient:
        subject = self.resolve(function)
        if not subject.result_type.is_float:
            raise UsageError(
                f"'{subject.name}' returns {subject.result_type}, so it has no single gradient",
                hint="use autodiff(...) with a shadow for what it writes, or return the objective as a float",
            )
        positions = None if wrt is None else (wrt,) if isinstance(wrt, int) else tuple(wrt)
        return Gradient(self, subject.name or "", subject, positions, with_value)
