"""What is known about functions that are not defined in the module, beside their derivatives.

``known_callee(name, type)`` answers for the C and C++ libraries, language runtimes and LLVM intrinsics: whether a
derivative can flow through a call, what memory the call may touch, whether it allocates, frees, copies or never
returns. It looks at the name and the type only: the caller makes sure that the module does not define the function.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from enzyme.ir.types import VOID, FloatType, FunctionType, IntType, PointerType, Type
from enzyme.ir.values import CallBase, Function
from enzyme.rules.hints import type_hint
from enzyme.rules.hooks import memory_hooks
from enzyme.rules.known_text import TextFlow, text_flows
from enzyme.rules.like import allocation_of, deallocates, plain_like
from enzyme.rules.names import COMPLEX, MathName, canonical, intrinsic_base
from enzyme.rules.scalar import rule_for


@dataclass(frozen=True)
class MemoryEffect:
    """Memory that a call may touch. ``reads`` and ``writes`` are positions of pointer arguments whose objects it reads
    or writes; ``variadic`` the same for every pointer behind the fixed parameters (``r``, ``w`` or nothing). ``errno``:
    it may write errno. ``inaccessible``: memory that no pointer of the program reaches (heap lists, stream buffers,
    clocks), so that calls keep their order among themselves. ``unknown``: anything at all.
    """

    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    variadic: str = ""
    errno: bool = False
    inaccessible: bool = False
    unknown: bool = False

    @property
    def none(self) -> bool:
        """True when the call touches no memory at all."""
        return self == MemoryEffect()

    @property
    def only_errno(self) -> bool:
        """True when nothing but errno may change and nothing is read."""
        return replace(self, errno=False) == MemoryEffect()


NO_MEMORY = MemoryEffect()
ERRNO = MemoryEffect(errno=True)
INACCESSIBLE = MemoryEffect(inaccessible=True)
UNKNOWN = MemoryEffect(unknown=True)


@dataclass(frozen=True)
class Allocation:
    """A call that returns fresh memory.

    ``sizes``: positions of the arguments whose product is the size in bytes (empty: unknown, as in strdup).
    ``alignment``: position of the alignment argument. ``stored_in``: position of the ``void **`` argument through
    which the address is handed over (posix_memalign), else it is the call's value. ``reallocates``: position of the old
    block, which is released and whose bytes are carried over. ``deallocator``: the function that frees such a block,
    taking its address as the only argument (Rust's takes size and alignment too).
    """

    sizes: tuple[int, ...]
    zeroed: bool = False
    alignment: int | None = None
    stored_in: int | None = None
    reallocates: int | None = None
    deallocator: str = "free"

    @property
    def is_plain(self) -> bool:
        """Whether the call's value is a new block of a known size, with nothing carried over."""
        return bool(self.sizes) and self.stored_in is None and self.reallocates is None


@dataclass(frozen=True)
class Transfer:
    """A block copy or fill: ``kind`` is copy (no overlap), move or set. Positions of arguments; ``source`` is None for
    fills, ``value`` is None for copies and for fills with zero (bzero)."""

    kind: str
    destination: int
    source: int | None
    value: int | None
    length: int


@dataclass(frozen=True)
class KnownCallee:
    """Facts about a function.

    ``inactive``: no derivative flows through a call, neither to its value nor to memory: what it writes is constant
    data. ``math``: a mathematical function whose derivative is in the tables and not zero. ``free``: position of the
    block it releases. ``returns_argument``: the call's value is this argument, or points into the object it points to
    when ``returns_inside``. ``self_contained``: whatever memory it touches, it moves no pointer by which the program
    could come to numbers. No known function keeps a pointer argument after it returns unless ``captures`` says so.
    ``text``: it works on strings and streams, and whatever else is in the memory it is given stays as it is; the bytes
    of a string are the business of such functions alone, so that it needs no shadow, and pointers that they return
    lead to characters. ``own``: it works on an object of its own kind behind its first argument, of at least so many
    bytes, none of which is part of a number, and on nothing else that the program sees (a lock, a pointer to an
    exception); a pointer that it returns leads there. ``states``: the type of what its first argument points to; such a
    call is a word for the engine. ``integers``: arguments that point to a C ``int`` which it writes.
    """

    name: str
    effect: MemoryEffect
    inactive: bool = False
    math: MathName | None = None
    allocation: Allocation | None = None
    free: int | None = None
    transfer: Transfer | None = None
    noreturn: bool = False
    returns_argument: int | None = None
    returns_inside: bool = False
    captures: tuple[int, ...] = ()
    self_contained: bool = False
    text: bool = False
    own: int = 0
    states: Type | None = None
    integers: tuple[int, ...] = ()

    def texts(self, name: str) -> tuple[TextFlow, ...]:
        """What it does to numbers as text, under the name it is called by."""
        return text_flows(name) if self.inactive else ()


@dataclass(frozen=True)
class Row:
    """A table entry: a callee and its ``shape``, e.g. ``p:pi`` for ``void *f(void *, size_t)``; letters p, i, f, v and
    ``*`` (anything); a trailing ``.`` allows further parameters or variadic ones; an empty shape is not checked."""

    shape: str
    callee: KnownCallee


class Rows(dict[str, Row]):
    """A table of known functions by name."""

    def add(self, names: str, shape: str, effect: MemoryEffect, **facts: object) -> None:
        """The functions of these names, of which the same is known."""
        for name in names.split():
            assert name not in self, name
            self[name] = Row(shape, KnownCallee(name, effect, **facts))  # type: ignore[arg-type]

    def inactive(self, names: str, shape: str, effect: MemoryEffect, **facts: object) -> None:
        self.add(names, shape, effect, inactive=True, **facts)


def _letter_matches(letter: str, type: Type) -> bool:
    scalar = type.scalar
    match letter:
        case "p":
            return isinstance(scalar, PointerType)
        case "i":
            return isinstance(scalar, IntType)
        case "f":
            return isinstance(scalar, FloatType)
        case "v":
            return type is VOID
    return letter == "*"


def shape_matches(shape: str, type: FunctionType) -> bool:
    if not shape:
        return True
    result, _, parameters = shape.partition(":")
    open_ended = parameters.endswith(".")
    letters = parameters.removesuffix(".")
    if not _letter_matches(result, type.result):
        return False
    if len(type.params) < len(letters) or (not open_ended and (len(type.params) > len(letters) or type.vararg)):
        return False
    return all(map(_letter_matches, letters, type.params))


# Functions of the C library whose domain errors are reported in errno; the others touch no memory at all.
_WITHOUT_ERRNO = (
    frozenset(
        "fabs copysign floor ceil trunc round roundeven rint nearbyint fmin fmax fminimum fmaximum fminimum_num "
        "fmaximum_num cbrt atan asinh tanh erf nextup nextdown fadd fsub fmul fdiv fneg rcp powi muldc3 divdc3 modf "
        "frexp".split()
    )
    | COMPLEX
)
_WITHOUT_MEMORY_FAMILIES = frozenset({"llvm", "libdevice", "ocml", "runtime"})


def _math_callee(math: MathName) -> KnownCallee:
    silent = math.family in _WITHOUT_MEMORY_FAMILIES or math.name in _WITHOUT_ERRNO
    effect = INACCESSIBLE if math.family == "constrained" else NO_MEMORY if silent else ERRNO
    hook = memory_hooks().get(math.name)
    integers: tuple[int, ...] = ()
    if hook is not None:
        behind = [r for r in hook.results if r.place == "pointer"]
        effect = replace(effect, writes=tuple(r.index for r in behind))
        integers = tuple(r.index for r in behind if r.element == "int")
    elif math.name == "lgamma" and math.family == "libm":
        effect = replace(effect, inaccessible=True)  # the C library stores the sign in its global signgam
    rule = rule_for(math)
    if rule is not None and rule.inactive:  # floor and its kin
        return KnownCallee(math.name, effect, inactive=True)
    return KnownCallee(math.name, effect, math=math, integers=integers)


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, Row], tuple[tuple[re.Pattern[str], Row], ...], dict[str, Row]]:
    from enzyme.rules import known_cxx, known_intrinsics, known_libc

    rows = known_libc.ROWS | known_cxx.ROWS | known_intrinsics.SHUFFLES
    return rows, (*known_libc.PATTERNS, *known_cxx.PATTERNS), known_intrinsics.ROWS


@lru_cache(maxsize=4096)
def known_callee(name: str, function_type: FunctionType) -> KnownCallee | None:
    """What is known about a function of this name and type; None when nothing is."""
    math = canonical(name, function_type)
    if math is not None:
        return _math_callee(math)
    stated = type_hint(name)
    if stated is not None:
        return KnownCallee(name, INACCESSIBLE, inactive=True, states=stated)
    allocation = allocation_of(name)
    if allocation is not None:
        return KnownCallee(name, INACCESSIBLE, allocation=Allocation((allocation[0],), deallocator=allocation[1]))
    if deallocates(name):
        return KnownCallee(name, MemoryEffect(writes=(0,), inaccessible=True), free=0)
    name = plain_like(name)
    rows, patterns, _ = _tables()
    if name.startswith("llvm."):
        row = intrinsic_row(name)
        return row.callee if row is not None and shape_matches(row.shape, function_type) else None
    row = rows.get(name)
    if row is None:
        row = next((row for pattern, row in patterns if pattern.match(name)), None)
    if row is None or not shape_matches(row.shape, function_type):
        return None
    return row.callee


def intrinsic_row(name: str) -> Row | None:
    """The table row of an intrinsic; rows ending in ``.*`` cover a family (``llvm.dbg.*``)."""
    rows = _tables()[2]
    base = intrinsic_base(name)
    if base in rows:
        return rows[base]
    parts = name.split(".")
    families = (".".join(parts[:count]) + ".*" for count in range(len(parts) - 1, 1, -1))
    return next((rows[family] for family in families if family in rows), None)


def known_call(call: CallBase) -> KnownCallee | None:
    """:func:`known_callee` of a call's callee; None for indirect calls and functions that the module defines."""
    callee = call.callee
    if not isinstance(callee, Function) or callee.name is None:
        return None
    if not callee.is_declaration and not callee.name.startswith("__enzyme_"):
        return None
    return known_callee(callee.name, call.callee_type)
