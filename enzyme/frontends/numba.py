"""Functions of Numba to LLVM IR in the form that derivatives are made of.

A function is compiled once more, and what it calls with it, without vectors and unrolled loops, which come after the
derivative. What Numba's code calls of its runtime libraries gets bodies (``numba_runtime.cpp``). Around the function
stands another one whose parameters are numbers, sizes and addresses of elements:

- ``scalar``: ``T (ptr excinfo, ptr status, parameters)`` for a function that returns a float;
- ``written``: ``void (ptr result, ptr excinfo, ptr status, parameters)`` for any other.

Numba passes an array as owner, parent, numbers of elements and bytes, address, extents and strides; owners are not
parameters here (counting references to what the caller holds does nothing), and a number that a derivative is asked for
is passed by its address. ``status`` is what Numba's function returns, ``excinfo`` what it raised.
"""

from __future__ import annotations

import ctypes
import re
import types as python
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from enzyme.gradient.extract import extract, reachable_functions
from enzyme.ir.parser import parse_module
from enzyme.ir.values import quote_name
from enzyme.rules.hints import movable_hints
from enzyme.support.diagnostics import UnsupportedError

NAME = "enzyme_numba"
"""What the function is called that stands around a function of Numba."""
_SOURCE = Path(__file__).with_name("numba_runtime.cpp")
_FLOATS = (types.Float, types.Complex)
REALS = (types.float32, types.float64)

# --- parameters -------------------------------------------------------------------------------------------------------


def leaves(context: Any, type: Any) -> list[str]:
    """What Numba's parameters of one argument are, in order: an ``owner``, a ``number``, the address of ``elements``
    that are floats, or ``fixed``."""
    if isinstance(type, types.Array):
        elements = "elements" if isinstance(type.dtype, _FLOATS) else "fixed"
        return ["owner", "owner", "fixed", "fixed", elements, *["fixed"] * (2 * type.ndim)]
    if isinstance(type, types.Float):
        return ["number"]
    if isinstance(type, types.Complex):
        return ["number", "number"]
    if isinstance(type, types.BaseTuple):
        return [leaf for each in type for leaf in leaves(context, each)]
    if isinstance(type, types.UnicodeType):
        return [*["fixed"] * 5, "owner", "owner"]
    return ["fixed"] * len(context.get_arg_packer([type]).argument_types)


def has_floats(type: Any) -> bool:
    """Whether an argument of this type can have a derivative."""
    if isinstance(type, types.Array):
        return isinstance(type.dtype, _FLOATS)
    if isinstance(type, types.BaseTuple):
        return any(map(has_floats, type))
    return isinstance(type, _FLOATS)


# --- compiling --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NumbaIR:
    """``text`` defines :data:`NAME`; ``kinds`` says of each of its parameters what it is: ``result``, ``const``,
    ``number`` and ``elements`` (of arguments that a derivative is asked for), ``array`` (elements of others)."""

    text: str
    kinds: tuple[str, ...]


_WITHOUT = {"owner": "owner", "elements": "array"}
"""What leaves are where no derivative is asked for."""


def returned(function: Dispatcher, arguments: Sequence[Any]) -> Any:
    """The type that a function returns; Numba raises its own errors where it cannot compile it."""
    return _compiled(function, tuple(arguments))[0].signature.return_type


def ir_of(function: Dispatcher, arguments: Sequence[Any], active: Sequence[bool], form: str) -> NumbaIR:
    """IR of a function for arguments of some types (Numba's); ``active`` says of which ones derivatives are asked
    for."""
    result, text = _compiled(function, tuple(arguments))
    kinds: list[str] = []
    for type, wanted in zip(arguments, active, strict=True):
        found = leaves(result.target_context, type)
        kinds += found if wanted else [_WITHOUT.get(each, "fixed") for each in found]
    text = _with_environments(text, result.target_context.codegen())
    text = _without_runtime(text)
    parameters = [str(each.type) for each in parse_module(text).functions[result.fndesc.mangled_name].args]
    around, made = _around(result, parameters, kinds, form)
    return NumbaIR(_with_bodies(f"{text}\n{around}"), tuple(made))


_results: dict[tuple[Dispatcher, tuple[Any, ...]], tuple[Any, str]] = {}


def _compiled(function: Dispatcher, arguments: tuple[Any, ...]) -> tuple[Any, str]:
    """Numba's result, and the IR of its library."""
    with global_compiler_lock:
        key = (function, arguments)
        if key not in _results:
            if not function._can_compile:  # Numba converts arguments to what it was compiled for
                function = numba.njit(_calling(function))
            with _plain(function.targetctx) as texts:
                copy = _copied(function, {})
                taken = tuple(copy.fold_argument_types(arguments, {})[1])
                copy.compile(taken)
            result = copy.overloads[taken]
            library = result.library
            _results[key] = result, texts.get(library.name) or library.get_llvm_str()
        return _results[key]


def _calling(function: Dispatcher) -> Any:
    def calling(*args: Any) -> Any:
        return function(*args)

    return calling


@contextmanager
def _plain(context: Any) -> Iterator[dict[str, str]]:
    """Numba's own passes, without those that make vectors and unroll loops; gives the text of every library that is
    made meanwhile, as it is before machine code is made of it."""
    code, texts = context.codegen(), {}
    add, made = code._add_module, code._library_class

    class Library(made):  # type: ignore[misc, valid-type]
        def _optimize_final_module(self) -> None:
            for function in self._final_module.functions:
                if _only_raises(function.name):
                    function.add_function_attribute("noinline")
            super()._optimize_final_module()

    def builder(**asked: Any) -> Any:
        from enzyme.llvm.pipelines import plain_passes

        return plain_passes(code._tm, min(int(asked.get("opt", 2)), 2))

    def added(module: Any) -> Any:
        texts[module.name] = str(module)
        return add(module)

    code._pass_builder, code._add_module, code._library_class = builder, added, Library
    try:
        yield texts
    finally:
        del code._pass_builder, code._add_module, code._library_class


def _only_raises(name: str) -> bool:
    """Functions of Numba that write the text of an exception, a good part of many programs, and raise it."""
    return "raise_with_shape_context" in name


def _copied(function: Dispatcher, done: dict[Dispatcher, Dispatcher]) -> Dispatcher:
    """A function that has not been compiled yet, nor has any that it calls by a name of its module or around it."""
    if function in done:
        return done[function]
    source = function.py_func
    options = {name: value for name, value in function.targetoptions.items() if name != "parallel"}
    cells = tuple(python.CellType() for _ in source.__closure__ or ())
    names = dict(source.__globals__)
    new = python.FunctionType(source.__code__, names, source.__name__, source.__defaults__, cells or None)
    new.__kwdefaults__, new.__qualname__, new.__module__ = source.__kwdefaults__, source.__qualname__, source.__module__
    copy = done[function] = type(function)(
        new, locals=function.locals, targetoptions=options, pipeline_class=function._compiler.pipeline_class
    )
    for name in _global_names(source.__code__):
        if isinstance(names.get(name), Dispatcher):
            names[name] = _copied(names[name], done)
    for cell, old in zip(cells, source.__closure__ or (), strict=True):
        try:
            content = old.cell_contents
        except ValueError:  # a variable that has no value yet
            continue
        cell.cell_contents = _copied(content, done) if isinstance(content, Dispatcher) else content
    if not function._can_compile:
        for signature in function.nopython_signatures:
            copy.compile(signature)
        copy.disable_compile()
    return copy


def _global_names(code: python.CodeType) -> set[str]:
    """Names that a function and those inside it look up."""
    inner = [each for each in code.co_consts if isinstance(each, python.CodeType)]
    return {*code.co_names, *(name for each in inner for name in _global_names(each))}


# --- text -------------------------------------------------------------------------------------------------------------

_ENVIRONMENT = re.compile(
    r'^@("?)(_ZN08NumbaEnv[^\s"]*)\1 = common (?:local_unnamed_addr )?global ptr null[^\n]*$', re.MULTILINE
)


def _with_environments(text: str, code: Any) -> str:
    """What functions know of Python, to raise exceptions with values of their own, is Numba's."""
    from enzyme.llvm.jit import register

    def external(found: re.Match[str]) -> str:
        address = code._engine.get_global_value_address(found[2])
        if not address:
            return found[0]
        register(found[2], address)
        return f"@{found[1]}{found[2]}{found[1]} = external global ptr"

    return _ENVIRONMENT.sub(external, text)


_OWN = re.compile(
    r"^define [^@\n]*@(NRT_(?:incref|decref|MemInfo_data_fast))\([^\n]*\{\n.*?^\}\n", re.MULTILINE | re.DOTALL
)
_DECLARATIONS = {
    "NRT_incref": "declare void @NRT_incref(ptr)",
    "NRT_decref": "declare void @NRT_decref(ptr)",
    "NRT_MemInfo_data_fast": "declare ptr @NRT_MemInfo_data_fast(ptr)",
}
_DESTRUCTOR = r"(@NRT_MemInfo_\w+_dtor\w*\(i64 [^,\n]*, ptr [^@\n]*)"
_WITH_DESTRUCTOR = re.compile(_DESTRUCTOR + r'(@(?:"[^"]*"|[\w.$]+))\)')


def _without_runtime(text: str) -> str:
    """Without Numba's bodies of what has others here."""
    text = _OWN.sub("", text)
    lacking = [line for each, line in _DECLARATIONS.items() if f"@{each}(" in text and line.split("(")[0] not in text]
    return _with_whole_destructors("\n".join([text, *lacking, ""]))


def _with_whole_destructors(text: str) -> str:
    """A destructor that takes the address alone is given the parameters it is called with; one that does nothing goes,
    so that what is known of a block is known to have none."""
    for token in {found[2] for found in _WITH_DESTRUCTOR.finditer(text)}:
        head = rf"^define [^@\n]*{re.escape(token)}\((ptr[^,()\n]*(?:\([^()]*\)[^,()\n]*)*)\)"
        defined = re.search(head + r"([^\n]*\{\n)(.*?)^\}", text, re.MULTILINE | re.DOTALL)
        if defined is None:
            continue
        if re.fullmatch(r"(?:[^\n]*:[^\n]*\n)?\s*ret void\s*", defined[3]):
            text = re.sub(rf"{_DESTRUCTOR}{re.escape(token)}\)", r"\1null)", text)
        else:
            text = f"{text[: defined.end(1)]}, i64, ptr{text[defined.end(1) :]}"
    return text


def _around(result: Any, parameters: Sequence[str], kinds: Sequence[str], form: str) -> tuple[str, list[str]]:
    """The function around Numba's, and what its parameters are."""
    name = result.fndesc.mangled_name
    scalar = {types.float64: "double", types.float32: "float"}.get(result.signature.return_type)
    have, made, call, lines = [], [], [], []

    def parameter(type: str, name: str, kind: str) -> None:
        have.append(f"{type} %{name}")
        made.append(kind)

    if form == "written":
        parameter("ptr", "result", "result")
    else:
        lines += [f"%result = alloca {scalar}", f"store {scalar} 0.0, ptr %result"]
    parameter("ptr", "excinfo", "const")
    parameter("ptr", "status", "const")
    if len(parameters) != len(kinds) + 2:
        raise UnsupportedError(
            f"'{result.fndesc.qualname}' takes arguments that Numba passes in a way that is not known here",
            why=f"{len(parameters)} parameters were found where {len(kinds) + 2} were expected",
        )
    for index, (type, kind) in enumerate(zip(parameters[2:], kinds, strict=True)):
        if kind == "owner":
            call.append("ptr null")
        elif kind == "number":
            parameter("ptr", f"p{index}", "number")
            lines.append(f"%v{index} = load {type}, ptr %p{index}")
            call.append(f"{type} %v{index}")
        else:
            parameter(type, f"p{index}", "const" if kind == "fixed" else kind)
            call.append(f"{type} %p{index}")
    lines += _stated(result.signature.args, result.target_context)
    lines += [
        f"%s = call i32 @{quote_name(name)}(ptr %result, ptr %excinfo, {', '.join(call)})",
        "store i32 %s, ptr %status",
    ]
    if form == "scalar":
        lines.append(f"%r = load {scalar}, ptr %result")
    lines.append(f"ret {scalar} %r" if form == "scalar" else "ret void")
    body = "\n  ".join(lines)
    head = f"define {scalar if form == 'scalar' else 'void'} @{NAME}({', '.join(have)})"
    hints = "".join(f"declare void @__enzyme_{each}(ptr, i64)\n" for each in ("double", "float", "integer"))
    return f"{hints}{head} {{\n  {body}\n}}\n", made


def _stated(arguments: Sequence[Any], context: Any) -> list[str]:
    """What Numba knows of the elements of arrays: as stated by calls."""
    lines: list[str] = []
    position = 0

    def visit(type: Any) -> None:
        nonlocal position
        if isinstance(type, types.BaseTuple):
            for each in type:
                visit(each)
            return
        name = _element(type.dtype) if isinstance(type, types.Array) else None
        if name is not None:
            lines.append(f"%n{position} = mul i64 %p{position + 2}, %p{position + 3}")
            lines.append(f"call void @__enzyme_{name}(ptr %p{position + 4}, i64 %n{position})")
        position += len(leaves(context, type))

    for each in arguments:
        visit(each)
    return lines


def _element(type: Any) -> str | None:
    """How the numbers that elements are made of are stated."""
    if isinstance(type, types.Complex):
        type = type.underlying_float
    if isinstance(type, (types.Integer, types.Boolean)):
        return "integer"
    return {types.float64: "double", types.float32: "float"}.get(type)


_OF_TEXT = re.compile(
    r"^(define [^@\n]*@[^\n(]*(?:raise_with_shape_context|\.dtor\.list\.unicode_type)[^\n(]*\(.*\)[^()\n]*?)"
    r"( #\d+ \{| \{)$",
    re.MULTILINE,
)
"""Functions that have to do with text alone, as that of exceptions."""
_LINKAGE = r"(?:(?:weak_odr|linkonce_odr|internal|private|weak|dso_local) )*"
_DEFINED = re.compile(rf"^define (?![^@\n]*@{NAME}\(){_LINKAGE}", re.MULTILINE)


def _with_bodies(text: str) -> str:
    """The program of one function alone, with bodies, optimised as programs in C are before derivatives are made;
    twice, since what is constant shows itself at the end of the first time."""
    from enzyme.frontends.clang import optimise_first
    from enzyme.llvm.context import canonical, link_texts

    module = parse_module(link_texts([canonical(text), _bodies(_WITH_DESTRUCTOR.search(text) is not None)]))
    text = extract(module, reachable_functions(module, [NAME]))
    text = _OF_TEXT.sub(r'\1 noinline "enzyme_inactive"\2', _DEFINED.sub("define internal ", text))
    text = movable_hints(text)
    return optimise_first(optimise_first(text, 2), 2)


@cache
def _bodies(destructors: bool) -> str:
    from enzyme.frontends.clang import run_front_end

    source = _SOURCE.read_text(encoding="utf-8")
    flags = ["-fno-exceptions", *(["-DWITH_DESTRUCTORS"] if destructors else [])]
    return run_front_end(source, "c++", debug=False, cflags=flags, untouched=True).ir


# --- libraries --------------------------------------------------------------------------------------------------------


@cache
def register_libraries() -> None:
    """Tell LLVM where BLAS and LAPACK are that Numba's programs use, SciPy's, under their own names (``dgemm_``)."""
    from enzyme.llvm.jit import register

    try:
        from scipy.linalg import cython_blas, cython_lapack
    except ImportError:  # then Numba compiles nothing that calls them
        return
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    for library in (cython_blas, cython_lapack):
        for name, capsule in library.__pyx_capi__.items():
            if re.fullmatch(r"[sdcz](dot|nrm2|gemv|gemm|trsm|getrf|getrs|getri|gesv|potrf)", name):
                address = api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))
                register(f"{name}_", address)
