"""LLVM types: immutable and interned, so that equality is identity.

Every type prints as LLVM prints it. Sizes and offsets live in :mod:`enzyme.ir.layout`, because they depend on the
module's data layout. Named structs carry their body in the object (``None`` while opaque) and belong to one module.
"""

from __future__ import annotations

from typing import Any, ClassVar


class Type:
    """Base class. ``str(type)`` is LLVM's spelling."""

    __slots__ = ("text",)
    _interned: ClassVar[dict[tuple[Any, ...], Type]] = {}

    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{self.text}>"

    @property
    def is_void(self) -> bool:
        return self is VOID

    @property
    def is_int(self) -> bool:
        return isinstance(self, IntType)

    @property
    def is_float(self) -> bool:
        return isinstance(self, FloatType)

    @property
    def is_pointer(self) -> bool:
        return isinstance(self, PointerType)

    @property
    def is_vector(self) -> bool:
        return isinstance(self, VectorType)

    @property
    def scalar(self) -> Type:
        """The element type of a vector, else the type itself."""
        return self.element if isinstance(self, VectorType) else self


def _intern(key: tuple[Any, ...], make: Any) -> Any:
    found = Type._interned.get(key)
    if found is None:
        found = Type._interned[key] = make()
    return found


class SimpleType(Type):
    """``void``, ``label``, ``metadata``, ``token``, ``x86_amx`` and the like: a name is all there is."""

    __slots__ = ()

    def __new__(cls, text: str) -> SimpleType:
        def make() -> SimpleType:
            self = object.__new__(cls)
            self.text = text
            return self

        return _intern((cls, text), make)  # type: ignore[no-any-return]


class IntType(Type):
    __slots__ = ("bits",)
    bits: int

    def __new__(cls, bits: int) -> IntType:
        def make() -> IntType:
            self = object.__new__(cls)
            self.bits, self.text = bits, f"i{bits}"
            return self

        return _intern((cls, bits), make)  # type: ignore[no-any-return]


class FloatType(Type):
    """``kind`` is LLVM's spelling: half, bfloat, float, double, x86_fp80, fp128, ppc_fp128."""

    __slots__ = ("kind", "bits")
    kind: str
    bits: int
    BITS: ClassVar[dict[str, int]] = {
        "half": 16, "bfloat": 16, "float": 32, "double": 64, "x86_fp80": 80, "fp128": 128, "ppc_fp128": 128,
    }  # fmt: skip

    def __new__(cls, kind: str) -> FloatType:
        def make() -> FloatType:
            self = object.__new__(cls)
            self.kind, self.bits, self.text = kind, cls.BITS[kind], kind
            return self

        return _intern((cls, kind), make)  # type: ignore[no-any-return]


class PointerType(Type):
    __slots__ = ("addrspace",)
    addrspace: int

    def __new__(cls, addrspace: int = 0) -> PointerType:
        def make() -> PointerType:
            self = object.__new__(cls)
            self.addrspace = addrspace
            self.text = f"ptr addrspace({addrspace})" if addrspace else "ptr"
            return self

        return _intern((cls, addrspace), make)  # type: ignore[no-any-return]


class ArrayType(Type):
    __slots__ = ("count", "element")
    count: int
    element: Type

    def __new__(cls, count: int, element: Type) -> ArrayType:
        def make() -> ArrayType:
            self = object.__new__(cls)
            self.count, self.element, self.text = count, element, f"[{count} x {element}]"
            return self

        return _intern((cls, count, element), make)  # type: ignore[no-any-return]


class VectorType(Type):
    __slots__ = ("count", "element", "scalable")
    count: int
    element: Type
    scalable: bool

    def __new__(cls, count: int, element: Type, scalable: bool = False) -> VectorType:
        def make() -> VectorType:
            self = object.__new__(cls)
            self.count, self.element, self.scalable = count, element, scalable
            self.text = f"<{'vscale x ' if scalable else ''}{count} x {element}>"
            return self

        return _intern((cls, count, element, scalable), make)  # type: ignore[no-any-return]


class StructType(Type):
    """A struct. Literal structs are interned; named ones (``name`` not None) are made once per module by the parser.

    ``elements`` is None for an opaque named struct.
    """

    __slots__ = ("elements", "packed", "name")
    elements: tuple[Type, ...] | None
    packed: bool
    name: str | None

    @classmethod
    def literal(cls, elements: tuple[Type, ...], packed: bool = False) -> StructType:
        def make() -> StructType:
            self = object.__new__(cls)
            self.elements, self.packed, self.name = elements, packed, None
            self.text = cls.body_text(elements, packed)
            return self

        return _intern((cls, elements, packed), make)  # type: ignore[no-any-return]

    @classmethod
    def named(cls, quoted_name: str) -> StructType:
        """A fresh named struct, opaque until ``set_body``; ``quoted_name`` as printed, with the percent sign."""
        self = object.__new__(cls)
        self.elements, self.packed, self.name, self.text = None, False, quoted_name, quoted_name
        return self

    def set_body(self, elements: tuple[Type, ...], packed: bool) -> None:
        assert self.name is not None
        self.elements, self.packed = elements, packed

    @staticmethod
    def body_text(elements: tuple[Type, ...], packed: bool) -> str:
        inner = f"{{ {', '.join(map(str, elements))} }}" if elements else "{}"
        return f"<{inner}>" if packed else inner


class FunctionType(Type):
    __slots__ = ("result", "params", "vararg")
    result: Type
    params: tuple[Type, ...]
    vararg: bool

    def __new__(cls, result: Type, params: tuple[Type, ...], vararg: bool = False) -> FunctionType:
        def make() -> FunctionType:
            self = object.__new__(cls)
            self.result, self.params, self.vararg = result, params, vararg
            shown = [str(p) for p in params] + (["..."] if vararg else [])
            self.text = f"{result} ({', '.join(shown)})"
            return self

        return _intern((cls, result, params, vararg), make)  # type: ignore[no-any-return]


class TargetType(Type):
    """``target("spirv.Image", ...)``: kept as text, never looked into."""

    __slots__ = ()

    def __new__(cls, text: str) -> TargetType:
        def make() -> TargetType:
            self = object.__new__(cls)
            self.text = text
            return self

        return _intern((cls, text), make)  # type: ignore[no-any-return]


VOID = SimpleType("void")
LABEL = SimpleType("label")
METADATA = SimpleType("metadata")
TOKEN = SimpleType("token")
I1, I8, I16, I32, I64 = IntType(1), IntType(8), IntType(16), IntType(32), IntType(64)
HALF, FLOAT, DOUBLE = FloatType("half"), FloatType("float"), FloatType("double")
X86_FP80, FP128 = FloatType("x86_fp80"), FloatType("fp128")
PTR = PointerType(0)
