"""One canonical name for a mathematical function, however a platform or a language spells it.

``canonical("sinf", float(float))``, ``canonical("llvm.sin.v4f32", ...)``, ``canonical("__nv_sinf", ...)`` all answer
``sin``. A name alone proves nothing: the function's type must be the one its spelling promises, so that a user's own
``double remainder(double, int)`` is left alone. Whether the module *defines* the function is for the caller to see
(:func:`callee_math_name` does): a definition is differentiated as what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from enzyme.ir.types import VOID, FloatType, FunctionType, IntType, PointerType, StructType, Type, VectorType
from enzyme.ir.values import CallBase, Function
from enzyme.rules import arithmetic, complex_functions, elementary, special
from enzyme.rules.hooks import memory_hooks
from enzyme.rules.like import plain_like

_ANY = frozenset(FloatType.BITS)
_DOUBLE, _FLOAT = frozenset({"double"}), frozenset({"float"})
_LONG = frozenset({"x86_fp80", "fp128", "ppc_fp128", "double"})
_QUAD, _HALF = frozenset({"fp128"}), frozenset({"half"})


@dataclass(frozen=True)
class MathName:
    """``name`` is canonical; ``type`` the floating-point type it works in (a vector for vector spellings); ``family``
    the library: libm, llvm, constrained, compiler-rt, libdevice, ocml, fortran, runtime (the engine's own)."""

    name: str
    type: Type
    family: str

    @property
    def precision(self) -> str:
        """half, bfloat, float, double, x86_fp80, fp128 or ppc_fp128."""
        scalar = self.type.scalar
        assert isinstance(scalar, FloatType)
        return scalar.kind


# Parameter shapes by canonical name; see ScalarRule.shape. A result other than f stands before a colon.
SHAPES: dict[str, str] = {
    **{
        name: rule.shape
        for table in (arithmetic, elementary, special, complex_functions)
        for name, rule in table.TABLE.rows.items()
    },
    **{name: hook.shape for name, hook in memory_hooks().items()},
}
_INSTRUCTION_SHAPES = {name: rule.shape for name, rule in arithmetic.INSTRUCTIONS.rows.items()}

# Functions of the C library (C23 and glibc) that may be spelled NAME, NAMEf, NAMEl, NAMEf128, ...
_NOT_IN_LIBM = frozenset(
    "rcp norm3d norm4d rhypot erfcx erfinv erfcinv normcdf normcdfinv cyl_bessel_i0 cyl_bessel_i1 digamma polygamma "
    "powi fmuladd arithmetic.fence canonicalize fadd fsub fmul fdiv fneg muldc3 divdc3".split()
)
LIBM = frozenset(n for n in SHAPES if n not in _NOT_IN_LIBM and not n.startswith("llvm."))

# Where LLVM, other libraries or old names differ from the canonical name.
_LLVM_ALIASES = {
    "minnum": "fmin", "maxnum": "fmax", "minimum": "fminimum", "maximum": "fmaximum",
    "minimumnum": "fminimum_num", "maximumnum": "fmaximum_num",
    "sincos": "llvm.sincos", "sincospi": "llvm.sincospi", "modf": "llvm.modf", "frexp": "llvm.frexp",
}  # fmt: skip
_LLVM_MATH = frozenset(
    "sqrt sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 exp10 log log2 log10 pow powi fabs copysign floor "
    "ceil trunc rint nearbyint round roundeven fma fmuladd ldexp canonicalize arithmetic.fence".split()
) | frozenset(_LLVM_ALIASES)
_LIBM_ALIASES = {
    "pow10": "exp10", "drem": "remainder", "__exp10": "exp10", "__sinpi": "sinpi", "__cospi": "cospi",
    "__tanpi": "tanpi", "__sincos": "sincos", "__sincospi": "sincospi", "logp1": "log1p",
    **{"_" + name: name for name in "hypot copysign logb nextafter j0 j1 jn y0 y1 yn".split()},
}  # fmt: skip
_LIBDEVICE_ALIASES = {
    "fast_sin": "sin", "fast_cos": "cos", "fast_tan": "tan", "fast_exp": "exp", "fast_exp10": "exp10",
    "fast_log": "log", "fast_log2": "log2", "fast_log10": "log10", "fast_pow": "pow", "fast_fdivide": "fdiv",
    "fast_sincos": "sincos",
}  # fmt: skip
_LIBDEVICE_OPERATION = re.compile(r"__nv_([fd])(add|sub|mul|div|sqrt|rsqrt|rcp|ma)_r[nzud]$")
_X86_APPROXIMATION = re.compile(r"llvm\.x86\.(?:sse|avx)\.(rsqrt|rcp)\.ps(?:\.256)?$")
_LIBDEVICE_FMA = re.compile(r"__nv_fma(f?)_r[nzud]$")
_FINITE = re.compile(r"__(\w+?)(f|l|f128)?_finite$")
_LGAMMA_R = re.compile(r"lgamma(f|l|f128)?_r$")
_MANGLED = re.compile(r"_ZSt(\d+)(\w+)$")
_VECTOR_ABI = re.compile(r"_ZGV[a-z]N\d+v+_(\w+)$")
_PGMATH = re.compile(r"__[frp]([sd])_(\w+?)_(\d+)$")
_FLANG = {
    "_FortranAFPow4i": ("powi", _FLOAT), "_FortranAFPow4k": ("powi", _FLOAT), "_FortranAFPow8i": ("powi", _DOUBLE),
    "_FortranAFPow8k": ("powi", _DOUBLE), "_FortranAFPow10i": ("powi", _LONG), "_FortranAFPow16i": ("powi", _QUAD),
    "_FortranAErfcScaled4": ("erfcx", _FLOAT), "_FortranAErfcScaled8": ("erfcx", _DOUBLE),
    "_FortranAErfcScaled10": ("erfcx", _LONG), "_FortranAErfcScaled16": ("erfcx", _QUAD),
    "_FortranAModReal4": ("fmod", _FLOAT), "_FortranAModReal8": ("fmod", _DOUBLE),
    "_FortranAModReal10": ("fmod", _LONG), "_FortranAModReal16": ("fmod", _QUAD),
    "_FortranAModuloReal4": ("fmod", _FLOAT), "_FortranAModuloReal8": ("fmod", _DOUBLE),
    "_FortranAModuloReal10": ("fmod", _LONG), "_FortranAModuloReal16": ("fmod", _QUAD),
}  # fmt: skip
_JULIA = re.compile(r"(?:julia|j|jlplt|ijl)_(\w+?)_\d+$")
_OCML = re.compile(r"__ocml_(?:native_)?(\w+?)_(f16|f32|f64)$")
_COMPILER_RT = {
    "__powisf2": ("powi", _FLOAT), "__powidf2": ("powi", _DOUBLE), "__powixf2": ("powi", _LONG),
    "__powitf2": ("powi", _QUAD), "__powikf2": ("powi", _QUAD),
}  # fmt: skip
_COMPLEX = {"__muldc3": "muldc3", "__divdc3": "divdc3", "__mulxc3": "muldc3", "__divxc3": "divdc3"}
PACKED = "enzyme.packed."
"""Stands before the name of a function of complex numbers whose ABI packs them, in calls that do not."""
COMPLEX = frozenset(
    "cexp clog cpow csqrt csin ccos ctan csinh ccosh ctanh casin cacos catan casinh cacosh catanh conj cproj cabs "
    "carg".split()
)
_RUNTIME = re.compile(r"__enzyme_(digamma|polygamma)(?:_\w+)?$")
_SUFFIXES: tuple[tuple[str, frozenset[str]], ...] = (
    ("f128", _QUAD), ("f16", _HALF), ("f32x", _DOUBLE), ("f32", _FLOAT), ("f64", _DOUBLE), ("f", _FLOAT),
    ("l", _LONG), ("q", _QUAD),
)  # fmt: skip

# What LLVM appends to the name of an overloaded intrinsic: .f64 .v4f32 .nxv2f64 .i32 .p0 .p1i8 .bf16 .ppcf128 ...
_OVERLOAD = re.compile(r"\.(?:(?:nx)?v\d+)?(?:f16|bf16|f32|f64|f80|f128|ppcf128|x86amx|isVoid|i\d+|p\d+)(?:[ipf]\d+)?$")
_OVERLOAD_AGGREGATE = re.compile(r"\.(?:s_|sl_|a\d+|f_|t)[\w.]*$")


@lru_cache(maxsize=4096)
def intrinsic_base(name: str) -> str:
    """``llvm.sin`` for ``llvm.sin.v4f64``: the intrinsic's name without the types it is overloaded on."""
    while (shorter := _OVERLOAD.sub("", name)) != name:
        name = shorter
    if name.startswith(("llvm.sincos.", "llvm.modf.", "llvm.frexp.")):
        return _OVERLOAD_AGGREGATE.sub("", name)
    return name


def _with_suffixes(name: str) -> Iterator[tuple[str, frozenset[str]]]:
    yield name, _DOUBLE
    for suffix, kinds in _SUFFIXES:
        if name.endswith(suffix):
            yield name[: -len(suffix)], kinds


def _packed_candidates(name: str) -> Iterator[tuple[str, frozenset[str], str]]:
    base = {"__mulsc3": "muldc3", "__divsc3": "divdc3"}.get(name)
    if base is not None:
        yield base, _FLOAT, "runtime"
        return
    for candidate, kinds in _with_suffixes(name):
        if candidate in COMPLEX:
            yield candidate, kinds, "runtime"


def _libm_candidates(name: str) -> Iterator[tuple[str, frozenset[str], str]]:
    match = _LGAMMA_R.match(name)
    if match:
        kinds = {None: _DOUBLE, "f": _FLOAT, "l": _LONG, "f128": _QUAD}[match[1]]
        yield "lgamma_r", kinds, "libm"
    match = _FINITE.match(name)
    if match:
        kinds = {None: _DOUBLE, "f": _FLOAT, "l": _LONG, "f128": _QUAD}[match[2]]
        yield match[1], kinds, "libm"
    for base, kinds in _with_suffixes(name):
        yield _LIBM_ALIASES.get(base, base), kinds, "libm"


def spelling_candidates(name: str) -> Iterator[tuple[str, frozenset[str], str]]:
    """(canonical name, admissible formats, family) that the spelling may mean; the type decides."""
    if name.startswith("llvm."):
        base = intrinsic_base(name)
        if base.startswith("llvm.experimental.constrained."):
            short = base.removeprefix("llvm.experimental.constrained.")
            yield _LLVM_ALIASES.get(short, short), _ANY, "constrained"
        elif match := _X86_APPROXIMATION.match(base):
            yield match[1], _FLOAT, "llvm"
        elif base == "llvm.fptrunc.round":
            yield "fptrunc", _ANY, "llvm"
        elif base.removeprefix("llvm.") in _LLVM_MATH:
            short = base.removeprefix("llvm.")
            yield _LLVM_ALIASES.get(short, short), _ANY, "llvm"
        return
    if match := _RUNTIME.match(name):
        yield match[1], _ANY, "runtime"
    elif name.startswith(PACKED):
        yield from _packed_candidates(name.removeprefix(PACKED))
    elif name in _COMPLEX:
        yield _COMPLEX[name], _LONG if "x" in name else _DOUBLE, "compiler-rt"
    elif name in _COMPILER_RT:
        yield *_COMPILER_RT[name], "compiler-rt"
    elif name.startswith("__nv_"):
        yield from _libdevice_candidates(name)
    elif match := _OCML.match(name):
        yield match[1], {"f16": _HALF, "f32": _FLOAT, "f64": _DOUBLE}[match[2]], "ocml"
    elif name in _FLANG:
        yield *_FLANG[name], "fortran"
    elif match := _PGMATH.match(name):
        yield match[2], _FLOAT if match[1] == "s" else _DOUBLE, "fortran"
    elif match := _MANGLED.match(name):
        base = match[2][: int(match[1])]
        if len(base) == int(match[1]) and re.fullmatch(r"[fdeilmxyP]+", match[2][len(base) :]):
            yield "fabs" if base == "abs" else base, _ANY, "libm"
            yield from _libm_candidates(base)
    elif match := _VECTOR_ABI.match(name):
        yield from _libm_candidates(match[1])
    elif match := _JULIA.match(name):
        yield "fabs" if match[1] == "abs" else match[1], _ANY, "libm"
    yield from _libm_candidates(name)


def _libdevice_candidates(name: str) -> Iterator[tuple[str, frozenset[str], str]]:
    if match := _LIBDEVICE_FMA.match(name):
        yield "fma", _FLOAT if match[1] else _DOUBLE, "libdevice"
        return
    if match := _LIBDEVICE_OPERATION.match(name):
        operation = match[2]
        canonical_name = operation if operation in ("sqrt", "rsqrt", "rcp") else "f" + operation
        yield canonical_name, _FLOAT if match[1] == "f" else _DOUBLE, "libdevice"
        return
    for base, kinds in _with_suffixes(name.removeprefix("__nv_")):
        yield _LIBDEVICE_ALIASES.get(base, base), kinds, "libdevice"


_PARAMETER_CLASSES: dict[str, type[Type]] = {"l": FloatType, "i": IntType, "p": PointerType}


def _matches(shape: str, type: FunctionType, kinds: frozenset[str], family: str) -> Type | None:
    """The function's floating-point type when ``type`` has the shape and one of the formats, else None."""
    result_shape, _, parameters = shape.rpartition(":")
    params = type.params
    if type.vararg or len(params) < len(parameters) or (len(params) > len(parameters) and family not in _EXTRA):
        return None
    own: Type | None = None
    for letter, param in zip(parameters, params, strict=False):
        scalar = param.scalar
        if letter == "f":
            own = own or param
            if param is not own or not isinstance(scalar, FloatType) or scalar.kind not in kinds:
                return None
        elif letter in _PARAMETER_CLASSES and not isinstance(scalar, _PARAMETER_CLASSES[letter]):
            return None
    if own is None or not _result_matches(result_shape or "f", type.result, own):
        return None
    return own


# Families whose spellings carry further arguments: rounding mode and exception metadata, Fortran source positions.
_EXTRA = frozenset({"constrained", "fortran"})


def _result_matches(letter: str, result: Type, own: Type) -> bool:
    if letter == "f":
        return result is own
    if letter == "v":
        return result is VOID
    if not isinstance(result, StructType) or not result.elements:
        return False
    return result.elements[0] is own and len(result.elements) == 2


def _conversion_matches(name: str, type: FunctionType) -> Type | None:
    """Conversions change format, so their shape is their own: the result's type is the rule's."""
    if not type.params or not isinstance(type.result.scalar, FloatType):
        return None
    source = type.params[0].scalar
    wanted = IntType if name in ("sitofp", "uitofp") else FloatType
    return type.result if isinstance(source, wanted) else None


_CONVERSIONS = frozenset({"fptrunc", "fpext", "sitofp", "uitofp"})
# Vector types are meant only where the spelling says so.
_VECTOR_FAMILIES = frozenset({"llvm", "constrained"})


@lru_cache(maxsize=4096)
def canonical(name: str, type: FunctionType) -> MathName | None:
    """What mathematical function ``name`` of this type is, or None."""
    name = plain_like(name)
    for base, kinds, family in spelling_candidates(name):
        if family in _VECTOR_FAMILIES and base in _CONVERSIONS:
            own = _conversion_matches(base, type)
        else:
            shape = SHAPES.get(base)
            if family == "constrained" and base in _INSTRUCTION_SHAPES:
                shape = _INSTRUCTION_SHAPES[base]
            if shape is None or (family == "libm" and base not in LIBM):
                continue
            own = _matches(shape, type, kinds, family)
        if own is None:
            continue
        vector_spelling = family in _VECTOR_FAMILIES or bool(_VECTOR_ABI.match(name) or _PGMATH.match(name))
        if isinstance(own, VectorType) and not vector_spelling:
            continue
        return MathName(base, own, family)
    return None


def callee_math_name(call: CallBase) -> MathName | None:
    """The mathematical function that ``call`` calls, or None: also when the module itself defines the callee (the
    engine's own runtime functions excepted)."""
    callee = call.callee
    if not isinstance(callee, Function) or callee.name is None:
        return None
    found = canonical(callee.name, call.callee_type)
    if found is None or (found.family != "runtime" and not callee.is_declaration):
        return None
    return found
