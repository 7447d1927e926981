"""Programs in this process: IR text is optimised and compiled when something of it is first called."""

from __future__ import annotations

import ctypes
import hashlib
import re
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from enzyme.gradient.extract import extract, reachable_functions
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.values import Function, quote_name
from enzyme.kept import kept
from enzyme.optimise import optimise_program
from enzyme.records import Signature, signature_of
from enzyme.support.cache import Entry
from enzyme.support.config import Config
from enzyme.support.diagnostics import UsageError
from enzyme.symbols import missing_symbols

if TYPE_CHECKING:
    from enzyme.llvm.jit import JITObject

_HIDDEN_LINKAGES = ("internal", "private", "available_externally", "linkonce", "linkonce_odr")
"""Functions that are not wrapped: a wrapper would keep every inline function of every C++ header alive."""

_START = "enzyme.start"

_EMISSION = re.compile(r"!DICompileUnit\(.*\bemissionKind: (\w+)")
_LINES = (re.compile(r', !dbg !\d+(?=[^"\n]*$)', re.MULTILINE), re.compile(r' !dbg !\d+(?=[^"\n]*$)', re.MULTILINE))
"""Where an instruction or a function is from; no text in quotes stands behind it on its line, so it is in none."""

_HANDLE = re.compile(r"^@__dso_handle = [^\n]*$", re.MULTILINE)
_AT_EXIT = re.compile(r"^declare [^\n]*@__cxa_atexit\([^\n]*$", re.MULTILINE)
_DESTROYED = re.compile(r'(@__cxa_atexit\()ptr (?:nonnull )?(?:@"[^"]*"|@[^,\s]+),')
_NEVER = "define internal i32 @__cxa_atexit(ptr %destroy, ptr %object, ptr %handle) {\n  ret i32 0\n}"

_TIMER = """\
declare i32 @clock_gettime(i32, ptr)

define internal i64 @now(ptr %spec) {
  %status = call i32 @clock_gettime(i32 1, ptr %spec)
  %seconds = load i64, ptr %spec
  %at = getelementptr i64, ptr %spec, i64 1
  %rest = load i64, ptr %at
  %scaled = mul i64 %seconds, 1000000000
  %sum = add i64 %scaled, %rest
  ret i64 %sum
}

define void @enzyme.measure(ptr %call, ptr %record, i64 %inner, i64 %count, ptr %samples) {
entry:
  %spec = alloca [2 x i64]
  br label %sample
sample:
  %i = phi i64 [ 0, %entry ], [ %i.next, %done ]
  %start = call i64 @now(ptr %spec)
  br label %again
again:
  %j = phi i64 [ 0, %sample ], [ %j.next, %again ]
  call void %call(ptr %record)
  %j.next = add i64 %j, 1
  %more = icmp ult i64 %j.next, %inner
  br i1 %more, label %again, label %done
done:
  %stop = call i64 @now(ptr %spec)
  %elapsed = sub i64 %stop, %start
  %place = getelementptr i64, ptr %samples, i64 %i
  store i64 %elapsed, ptr %place
  %i.next = add i64 %i, 1
  %rest = icmp ult i64 %i.next, %count
  br i1 %rest, label %sample, label %end
end:
  ret void
}
"""
"""``count`` samples of ``inner`` calls each, in nanoseconds; nothing but the calls and the clock is timed."""


@dataclass
class Seconds:
    """Time spent per stage, added up; ``saved`` is what it took to make the results that were found in the cache."""

    stages: dict[str, float] = field(default_factory=dict)
    saved: float = 0.0

    def time(self, stage: str) -> _Stage:
        return _Stage(self, stage)


class _Stage:
    def __init__(self, seconds: Seconds, stage: str) -> None:
        self.seconds, self.stage = seconds, stage
        self.start = 0.0

    def __enter__(self) -> None:
        self.start = time.perf_counter()

    def __exit__(self, *exception: object) -> None:
        spent = time.perf_counter() - self.start
        self.seconds.stages[self.stage] = self.seconds.stages.get(self.stage, 0.0) + spent


class Program:
    """A program without ``__enzyme_*`` calls, compiled on first use.

    ``text`` is its IR before the last optimisation, ``module`` the same parsed. ``only`` names the functions that can
    be called (everything else becomes internal and is dropped when unused); None means all that are visible.
    ``imports`` are addresses of symbols that this program shares with one already compiled.
    """

    def __init__(
        self,
        text: str,
        config: Config,
        opt_level: int = 2,
        pipeline: str = "post",
        seconds: Seconds | None = None,
        only: Iterable[str] | None = None,
        imports: dict[str, int] | None = None,
    ) -> None:
        self.text = _with_own_handle(text)
        self.config, self.opt_level, self.pipeline = config, opt_level, pipeline
        self.seconds = seconds or Seconds()
        self.imports = imports or {}
        self._only = None if only is None else set(only)
        self._module: Module | None = None
        self._signatures: dict[str, Signature] | None = None
        self._missing: dict[str, str] | None = None
        self._optimised: str | None = None
        self._addresses: dict[str, int] | None = None
        self._keep: Any = None
        self.lock = threading.RLock()

    @property
    def module(self) -> Module:
        if self._module is None:
            self._module = parse_module(self.text)
        return self._module

    @property
    def missing(self) -> dict[str, str]:
        """Functions that cannot run in this process, each with a symbol that it needs and that is nowhere."""
        if self._missing is None:
            self._missing = missing_symbols(self.module, self.imports)
        return self._missing

    @property
    def signatures(self) -> dict[str, Signature]:
        """Signatures of the functions that can be called, by name."""
        if self._signatures is None:
            self._signatures = {}
            for name, function in self.module.functions.items():
                if self._callable(function):
                    signature = signature_of(self.module, function)
                    if signature is not None:
                        self._signatures[name] = signature
        return self._signatures

    def _callable(self, function: Function) -> bool:
        if function.is_declaration or function.prefix[:1] and function.prefix[0] in _HIDDEN_LINKAGES:
            return False
        if function.name in self.missing:
            return False
        return self._only is None or function.name in self._only

    def resolve(self, name: str) -> Function:
        """The defined function of this name; for C++ also by its plain name, where only one function has it."""
        function = self.module.functions.get(name)
        if function is not None and not function.is_declaration:
            return function
        functions = self.module.functions.items()
        mangled = [f for n, f in functions if n.startswith(f"_Z{len(name)}{name}") and not f.is_declaration]
        if len(mangled) == 1:
            return mangled[0]
        if mangled:
            raise UsageError(
                f"there are {len(mangled)} functions '{name}' in this program",
                why=f"C++ overloads: {', '.join(f.name or '' for f in mangled[:12])}",
                hint="use one of these names",
            )
        raise UsageError(
            f"there is no function '{name}' in this program",
            why="its functions are " + (", ".join(list(self.signatures)[:12]) or "none that can be called"),
            hint="check the name",
        )

    def signature(self, name: str) -> Signature:
        found = self.signatures.get(name)
        if found is not None:
            return found
        function = self.resolve(name)
        if function.name in self.signatures:
            return self.signatures[function.name]
        symbol = self.missing.get(function.name or "")
        if symbol is not None:
            raise _undefined(f"'{name}' cannot be called from Python", symbol)
        if self._callable(function):
            raise UsageError(
                f"'{name}' cannot be called from Python",
                why="it takes variable arguments, or a type that has no counterpart here",
                hint="write a C function around it that takes numbers and pointers",
            )
        raise UsageError(
            f"'{name}' cannot be called from Python",
            why="it is static or inline, and not kept as a function of its own",
            hint="declare it without 'static' and 'inline'",
        )

    @property
    def shared_globals(self) -> list[str]:
        """Variables that hold state: whatever else is compiled from this program has to use these very ones."""
        # Without some functions (see missing), variables that only those use are not there either.
        variables = parse_module(self._runnable()).globals if self.missing else self.module.globals
        return [
            name
            for name, variable in variables.items()
            if not variable.is_constant
            and not name.startswith("llvm.")
            and name not in self.imports
            and (variable.entity is None or not _is_external(variable.entity))
        ]

    def ir(self) -> str:
        """The optimised IR, with the wrappers that calls from Python go through."""
        with self.lock:
            if self._optimised is None:
                with self.seconds.time("optimise"):
                    self._optimised = optimise_program(self._whole(), self.opt_level, self.pipeline, self.config)
            return self._optimised

    def _whole(self) -> str:
        """The program as it is optimised: with wrappers, with variables that others can link to, and without lines."""
        text = _open_globals(_without_lines(self._runnable()), self.shared_globals)
        wrappers = [signature.wrapper_text for signature in self.signatures.values()]
        return "\n\n".join([text, *wrappers, *self._start_text()])

    def _object(self) -> JITObject:
        """Machine code, from the cache where it is there."""
        from enzyme.llvm.jit import JITObject, emit_for_jit

        def make() -> Entry:
            text = self.ir()
            _refuse_thread_locals(text)
            with self.seconds.time("codegen"):
                level = min(3, self.opt_level + 1 if self.opt_level else 0)
                made = emit_for_jit(text, self.config.cpu, level)
            return Entry(made.data, {"triple": made.triple, "missing": list(made.missing)})

        found, saved = kept(self.config, "code in this process", self._decisive(), make)
        self.seconds.saved += saved
        return JITObject(found.data, found.facts["triple"], found.facts["missing"])

    def _decisive(self) -> list[str]:
        """What decides the machine code, beside the settings."""
        return [self._whole(), str(self.opt_level), self.pipeline]

    @property
    def fingerprint(self) -> bytes:
        """A digest of the program as it is compiled, the same in every process."""
        return hashlib.sha256("\0".join(self._decisive()).encode("utf-8", errors="surrogateescape")).digest()

    def _runnable(self) -> str:
        """The program without what cannot be linked or is not asked for."""
        if self._only is not None:
            return _close_functions(self.text, self.module, self._only)
        if not self.missing:
            return self.text
        for token in self._constructors():
            symbol = self.missing.get(token[1:].strip('"'))
            if symbol is not None:
                raise _undefined("the program's static objects cannot be initialised", symbol)
        roots = [*self.signatures, *(token[1:].strip('"') for token in self._constructors())]
        return extract(self.module, reachable_functions(self.module, roots))

    def _constructors(self) -> list[str]:
        """Functions that run before anything else (C++ initialisation of static objects), in order of priority."""
        variable = self.module.globals.get("llvm.global_ctors")
        if variable is None or self.imports:
            return []
        found = re.findall(r"\{ i32 (\d+), ptr (@[^,\s]+|@\"[^\"]*\"), ptr", variable.entity or "")
        return [token for _, token in sorted(found, key=lambda each: int(each[0]))]

    def _start_text(self) -> list[str]:
        calls = "\n".join(f"  call void {token}()" for token in self._constructors())
        return [f"define void @{_START}() {{\n{calls}\n  ret void\n}}"] if calls else []

    def address(self, name: str) -> int:
        """Native address of a function, a wrapper or a shared variable."""
        with self.lock:
            if self._addresses is None:
                from enzyme.llvm.jit import JITModule

                code = self._object()
                with self.seconds.time("codegen"):
                    compiled = JITModule(code)
                    names = [*self.signatures, *(s.wrapper for s in self.signatures.values()), *self.shared_globals]
                    start = [_START] if self._constructors() else []
                    self._addresses = compiled.load([*names, *start], self.imports)
                    self._keep = compiled
                for each in start:
                    ctypes.CFUNCTYPE(None)(self._addresses[each])()
        return self._addresses[name]


_OF_RUST = re.compile(r"_R[NIMXYv]|_ZN(?:3std|4core|5alloc)|__rust_|rust_eh_")


def _undefined(what: str, symbol: str) -> UsageError:
    hint = "give its source, too, load its library with ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL), "
    hint += "or build a program with python -m enzyme cc"
    if _OF_RUST.match(symbol):
        hint = (
            "it is in Rust's library: have rustc make a library of the same source (--crate-type=dylib), and load that "
        )
        hint += "first with ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)"
    return UsageError(what, why=f"it needs '{symbol}', which neither the program nor this process defines", hint=hint)


def _refuse_thread_locals(text: str) -> None:
    """LLVM's loader would end the whole process."""
    found = re.search(r"(?m)^@(\S+) = [^\n]*?\bthread_local\b", text) if "thread_local" in text else None
    if found:
        raise UsageError(
            f"the variable '{found[1]}' is thread-local, and such variables cannot be loaded into this process",
            hint="build a shared library with python -m enzyme cc -shared, or drop _Thread_local",
        )


def _close_functions(text: str, module: Module, only: set[str]) -> str:
    """Make every other function internal, so that it goes away once it is inlined."""
    hidden = {*_HIDDEN_LINKAGES, "hidden", "protected", "weak", "weak_odr"}
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if line.startswith("define "):
            name = re.search(r'@("[^"]*"|[^\s(]+)\(', line)
            function = module.functions.get(name[1].strip('"')) if name else None
            if function is not None and function.name not in only and not hidden.intersection(function.prefix):
                lines[index] = f"define internal {line[7:]}"
    return "\n".join(lines)


def _with_own_handle(text: str) -> str:
    """With what a library has of its own for its static objects. They live as long as the process: their destructors
    are not called, for code that is loaded at run time may be gone before the process ends."""
    if "@__dso_handle" not in text:
        return text
    text = _HANDLE.sub("@__dso_handle = internal constant i8 0", text, count=1)
    return _AT_EXIT.sub(_NEVER, _DESTROYED.sub(r"\1ptr null,", text), count=1)


def _is_external(entity: str) -> bool:
    words = entity.split(" = ", 1)[-1].split(" ", 3)
    return "external" in words or "extern_weak" in words


def _without_lines(text: str) -> str:
    """Without the source lines of instructions, which the engine's messages needed: passes would carry them on, and
    the code would have tables of them. A program that was compiled with ``-g`` keeps them, for debuggers."""
    kinds = set(_EMISSION.findall(text))
    if kinds == {"LineTablesOnly"}:
        for each in _LINES:
            text = each.sub("", text)
    return text


def _open_globals(text: str, names: list[str]) -> str:
    """Give internal variables that hold state a symbol, so that derivatives compiled later can share them."""
    for name in names:
        token = re.escape(f"@{quote_name(name)}")
        text = re.sub(rf"(?m)^({token} = )(?:internal|private) ", r"\1", text, count=1)
    return text


def import_globals(text: str, names: Iterable[str]) -> str:
    """Turn definitions of the named variables into declarations."""
    module = parse_module(text)
    lines = text.split("\n")
    for name in names:
        variable = module.globals.get(name)
        if variable is None or variable.entity is None or _is_external(variable.entity):
            continue
        token = f"@{quote_name(name)}"
        local = "thread_local " if "thread_local" in variable.entity.split(" global ")[0] else ""
        for index, line in enumerate(lines):
            if line.startswith(f"{token} = "):
                lines[index] = f"{token} = external {local}global {variable.value_type}"
                break
    return "\n".join(lines)


# --- calling ---------------------------------------------------------------------------------------------------------

_CALL = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_MEASURE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)


class Record:
    """Aligned memory for one call."""

    def __init__(self, size: int, align: int) -> None:
        self.memory = ctypes.create_string_buffer(size + align)
        start = ctypes.addressof(self.memory)
        skip = -start % align
        self.address = start + skip
        self.view = memoryview(self.memory).cast("B")[skip : skip + size]


def native_call(address: int) -> Any:
    """A ctypes callable of the wrapper at ``address``."""
    return _CALL(address)


@cache
def _timer() -> tuple[Any, Any]:
    from enzyme.llvm.jit import JITModule, emit_for_jit

    compiled = JITModule(emit_for_jit(_TIMER))
    return _MEASURE(compiled.load(["enzyme.measure"])["enzyme.measure"]), compiled


def sample(wrapper: int, record: int, inner: int, count: int) -> list[int]:
    """Nanoseconds of ``count`` times ``inner`` calls."""
    samples = (ctypes.c_int64 * count)()
    _timer()[0](wrapper, record, inner, count, ctypes.addressof(samples))
    return list(samples)


@cache
def _freeing() -> tuple[Any, ...]:
    from enzyme.llvm import kept_blocks
    from enzyme.llvm.jit import JITModule, emit_for_jit, freeing_lists

    kept = JITModule(emit_for_jit(kept_blocks.FREEING))
    free_all = kept.load([kept_blocks.FREE_ALL])[kept_blocks.FREE_ALL]
    return ctypes.CFUNCTYPE(ctypes.c_int)(free_all), ctypes.CFUNCTYPE(ctypes.c_int64)(freeing_lists()), kept


def free_tapes() -> int:
    """Free the blocks of memory that are kept for derivatives compiled at run time, those for tapes (``kept_blocks``)
    and the small ones of this thread (``block_lists``), and give the number of bytes. Derivatives that run in other
    threads meanwhile are not disturbed; next to them, tapes may be left."""
    from enzyme.llvm.block_lists import bytes_on_lists
    from enzyme.llvm.kept_blocks import kept_sizes

    sizes, freed = kept_sizes(), 0
    if sizes and _freeing()[0]():
        freed += sum(sizes)
    return freed + (_freeing()[1]() if bytes_on_lists() else 0)
