"""Expression trees as LLVM IR.

:class:`IRExprBuilder` is the :class:`enzyme.rules.expr.ExprBuilder` over :class:`enzyme.ir.builder.Builder`. A function
is called through LLVM's intrinsic where there is one, else through the library of the ``family``: the C library, or
CUDA's libdevice for kernels. half and bfloat are computed in float; a vector argument of a library function is taken
apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import DOUBLE, FLOAT, FloatType, FunctionType, IntType, Type, VectorType
from enzyme.ir.values import ConstantAggregate, ConstantFloat, ConstantInt, ConstantToken, Function, Value
from enzyme.rules import runtime
from enzyme.rules.literals import literal
from enzyme.rules.names import MathName
from enzyme.rules.scalar import FUNCTIONS
from enzyme.support.diagnostics import UnsupportedError

# canonical name -> LLVM intrinsic, where code generation knows it on every CPU target
_INTRINSICS = {
    name: name
    for name in (
        "sqrt sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 exp10 log log2 log10 pow powi fabs copysign "
        "floor ceil trunc rint nearbyint round roundeven fma fmuladd ldexp"
    ).split()
} | {
    "fmin": "minnum", "fmax": "maxnum", "fminimum": "minimum", "fmaximum": "maximum",
    "fminimum_num": "minimumnum", "fmaximum_num": "maximumnum",
}  # fmt: skip
# what NVPTX lowers itself; everything else on a GPU is libdevice's
_GPU_INTRINSICS = frozenset(
    "sqrt fabs copysign floor ceil trunc rint nearbyint round roundeven fma fmuladd fmin fmax".split()
)
# exact in any format, so half and bfloat need no detour over float
_EXACT = frozenset("fabs copysign floor ceil trunc rint nearbyint round roundeven fmin fmax fminimum fmaximum".split())
_RUNTIME = frozenset({"digamma", "polygamma"})
_MANGLED = {
    "half": "f16",
    "bfloat": "bf16",
    "float": "f32",
    "double": "f64",
    "x86_fp80": "f80",
    "fp128": "f128",
    "ppc_fp128": "ppcf128",
}
PURE = ("nounwind", "willreturn", "memory(none)")
"""A derivative may not depend on errno, so the calls of its own set none."""


def mangle(type: Type) -> str:
    """How an overloaded intrinsic's name spells ``type``."""
    if isinstance(type, VectorType):
        return f"{'nx' if type.scalable else ''}v{type.count}{mangle(type.element)}"
    if isinstance(type, FloatType):
        return _MANGLED[type.kind]
    assert isinstance(type, IntType)
    return f"i{type.bits}"


def vector_intrinsic(math: MathName | None, type: VectorType) -> str | None:
    """The intrinsic that computes a function of numbers of one type in each lane of a vector, if there is one."""
    if math is None or math.family not in ("libm", "llvm") or math.name in ("powi", "ldexp"):
        return None
    return f"llvm.{_INTRINSICS[math.name]}.{mangle(type)}" if math.name in _INTRINSICS else None


class IRExprBuilder:
    """Builds at the end of ``builder``'s block; declares what it calls in ``module``.

    ``call_attributes(name, type)`` may add attributes to the call of an intrinsic or library function ``name`` (names
    of vector variants, for instance). ``family`` is ``libm`` or ``libdevice``.
    """

    def __init__(
        self,
        builder: Builder,
        module: Module,
        family: str = "libm",
        call_attributes: Callable[[str, Type], tuple[str, ...]] | None = None,
    ) -> None:
        self.builder, self.module, self.family = builder, module, family
        self.call_attributes = call_attributes

    # arithmetic
    def const(self, value: float | Fraction, type: Type) -> Value:
        if isinstance(value, float):
            return self.builder.const_float(type, value)
        scalar = type.scalar
        assert isinstance(scalar, FloatType)
        made = ConstantFloat(scalar, literal(value, scalar.kind))
        return ConstantAggregate(type, [made], splat=True) if isinstance(type, VectorType) else made

    def int_const(self, value: int) -> Value:
        return ConstantInt(IntType(32), value)

    def add(self, left: Value, right: Value) -> Value:
        return self.builder.fadd(left, right)

    def sub(self, left: Value, right: Value) -> Value:
        return self.builder.fsub(left, right)

    def mul(self, left: Value, right: Value) -> Value:
        return self.builder.fmul(left, right)

    def div(self, left: Value, right: Value) -> Value:
        return self.builder.fdiv(left, right)

    def neg(self, value: Value) -> Value:
        return self.builder.fneg(value)

    def cmp(self, predicate: str, left: Value, right: Value) -> Value:
        # No fast-math flags: the conditions of the tables ask about exact zeros and NaN.
        return self.builder.fcmp(predicate, left, right, flags=())

    def select(self, condition: Value, if_true: Value, if_false: Value) -> Value:
        return self.builder.select(condition, if_true, if_false)

    def int_add(self, value: Value, amount: int) -> Value:
        return self.builder.add(value, self.builder.const_int(value.type, amount))

    def int_to_float(self, value: Value, type: Type) -> Value:
        if isinstance(type, VectorType) and not isinstance(value.type, VectorType):
            return self.builder.splat(self.builder.cast("sitofp", value, type.element), type)
        return self.builder.cast("sitofp", value, type)

    # functions
    def fn(self, name: str, args: Sequence[Value], type: Type) -> Value:
        """A call of the canonical function ``name``; floating-point arguments and the result have type ``type``."""
        scalar = type.scalar
        assert isinstance(scalar, FloatType)
        if scalar.kind in ("half", "bfloat") and name not in _EXACT:
            wide = VectorType(type.count, FLOAT, type.scalable) if isinstance(type, VectorType) else FLOAT
            widened = [self.builder.float_cast(a, wide) if a.type.scalar.is_float else a for a in args]
            return self.builder.float_cast(self.fn(name, widened, wide), type)
        if name in ("scalbn", "scalbln") and not _is_wide_int(args[1].type):
            name = "ldexp"
        if name == "powi" and not self._takes(name, args) and (self.family == "libm" or _is_wide_int(args[1].type)):
            return self.fn("pow", [args[0], self.int_to_float(args[1], type)], type)
        if name in _INTRINSICS and (self.family == "libm" or name in _GPU_INTRINSICS) and self._takes(name, args):
            return self._intrinsic(name, args, type)
        if isinstance(type, VectorType):
            return self._by_lanes(name, args, type)
        if name in _RUNTIME:
            if scalar.kind == "float":
                widened = [self.builder.float_cast(a, DOUBLE) if a.type.is_float else a for a in args]
                return self.builder.float_cast(self.fn(name, widened, DOUBLE), type)
            callee = runtime.ensure(self.module, name, scalar)
            return self._call(callee, args)
        return self._library(name, args, scalar)

    def _takes(self, name: str, args: Sequence[Value]) -> bool:
        """llvm.powi is a call to the compiler's runtime (absent from a process that compiles at run time), unless the
        exponent is a small constant; integers wider than i32 have no library function behind the intrinsic."""
        if name == "powi":
            return isinstance(args[1], ConstantInt) and _expands(args[1].value)
        return name != "ldexp" or not _is_wide_int(args[1].type)

    def _intrinsic(self, name: str, args: Sequence[Value], type: Type) -> Value:
        overloads = [mangle(type)] + [mangle(a.type) for a in args if not a.type.scalar.is_float]
        params = tuple(a.type for a in args)
        full = ".".join(("llvm", _INTRINSICS[name], *overloads))
        return self._call(self.module.declare_function(full, FunctionType(type, params)), args, intrinsic=True)

    def _library(self, name: str, args: Sequence[Value], type: FloatType) -> Value:
        spelled = self.spelling(name, type)
        params = tuple(a.type for a in args)
        return self._call(self.module.declare_function(spelled, FunctionType(type, params)), args)

    def spelling(self, name: str, type: FloatType) -> str:
        """The library's name of a canonical function in a format."""
        if name not in FUNCTIONS:
            raise UnsupportedError(f"no library function computes '{name}'", why="a derivative rule asks for it")
        if self.family == "libdevice":
            if type.kind not in ("float", "double"):
                raise UnsupportedError(f"libdevice has no '{name}' for {type}", hint="use float or double on the GPU")
            return f"__nv_{name}{'f' if type.kind == 'float' else ''}"
        x86 = not self.module.triple or self.module.triple.startswith(("x86_64", "i386", "i686"))
        suffixes = {"float": "f", "double": "", "x86_fp80": "l", "ppc_fp128": "l", "fp128": "f128" if x86 else "l"}
        return name + suffixes[type.kind]

    def _by_lanes(self, name: str, args: Sequence[Value], type: VectorType) -> Value:
        if type.scalable:
            raise UnsupportedError(
                f"'{name}' on {type}",
                why="a derivative needs a library function in every lane, and the number of lanes is not known",
                hint="compile without scalable vectors",
            )
        made: Value = ConstantToken(type, "poison")
        for lane in range(type.count):
            lanes = [self.builder.extract_element(a, lane) if isinstance(a.type, VectorType) else a for a in args]
            made = self.builder.insert_element(made, self.fn(name, lanes, type.element), lane)
        return made

    def _call(self, callee: Function, args: Sequence[Value], intrinsic: bool = False) -> Value:
        attrs: tuple[str, ...] = () if intrinsic else PURE
        if self.call_attributes is not None:
            attrs += self.call_attributes(callee.name or "", callee.function_type)
        return self.builder.call(callee, args, attrs=attrs, flags=self.builder.flags)


def _is_wide_int(type: Type) -> bool:
    scalar = type.scalar
    return isinstance(scalar, IntType) and scalar.bits > 32


def _expands(exponent: int) -> bool:
    """Code generation turns llvm.powi with this constant into multiplications."""
    size = abs(exponent)
    return size == 0 or size.bit_count() + size.bit_length() - 1 < 7
