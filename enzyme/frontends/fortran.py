"""What programs in Fortran call of the library of their compiler, flang: bodies that can be differentiated.

An assignment to an allocatable array, ``pack``, ``norm2`` and what is done with derived types are calls of that
library, which is not in the program. ``flang_runtime.cpp`` says them again; what a program in IR declares and finds
there is linked into it. What is done with elements of a derived type is written for each type of the program, from the
tables that flang puts beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from enzyme.gradient.extract import mentioned
from enzyme.ir.constants import ConstantAggregate, ConstantExpr, ConstantInt, Value
from enzyme.ir.containers import GlobalValue, GlobalVariable
from enzyme.ir.module import Module
from enzyme.rules.hints import movable_hints

RUNTIME = "_FortranA"
"""How the names begin of what flang's library has."""
_SOURCE = Path(__file__).with_name("flang_runtime.cpp")
_DECLARED = re.compile(rf"^declare (?P<result>[^@\n]*)@(?P<name>{RUNTIME}\w+)\((?P<parameters>.*)\)", re.MULTILINE)
_DEFINED = re.compile(
    r"^define (?P<result>[^@\n]*)@(?P<name>\w+)\((?P<parameters>[^\n]*?)\) [^()\n]*\{\n.*?^\}\n",
    re.MULTILINE | re.DOTALL,
)
_OURS = re.compile(rf"^define (?:dso_local )?(?=[^@\n]*@{RUNTIME}\w+\()", re.MULTILINE)
_TYPE = re.compile(r"\b(?:void|ptr|double|float|i\d+)\b|\{[^}]*\}")
_WITH_ARGUMENTS = re.compile(r"\b\w+\((?:[^()]|\([^()]*\))*\)")
_TABLE = "%_QM__fortran_type_infoTderivedtype"
_LAYOUT = re.compile(rf"^{_TABLE} = type .*, i32, i8, i8, i8, i8, i8, \[3 x i8\] \}}$", re.MULTILINE)
_MANY_DIMENSIONS = re.compile(r"\[(?:[89]|1\d) x \[3 x i64\]\]")
_OF_DERIVED_TYPES = re.compile(
    rf"{RUNTIME}(?:\w*Assign\w*|\w*Allocat\w*|\w*Deallocat\w*|Initialize|Destroy\w*|Finalize|MoveAlloc|\w*Derived\w*|"
    r"ClassIs|SameTypeAs|ExtendsTypeOf|Pointer\w*)"
)
"""Functions that read the tables of derived types, or would call what a program defines for one."""
_MARK = "; bodies\n"


def with_runtime(text: str) -> str:
    """A program in IR with the bodies of what it calls of flang's library; the program itself if it calls nothing."""
    names = {found["name"]: _signature(found) for found in _DECLARED.finditer(text)} if f"@{RUNTIME}" in text else {}
    if not names or _MANY_DIMENSIONS.search(text) is not None:
        return text
    types = _types(text)
    bodies, rest = _bodies(_code(types or {}))
    wanted = [name for name, signature in names.items() if name in bodies and bodies[name][0] == signature]
    if types is None:
        wanted = [name for name in wanted if not _OF_DERIVED_TYPES.fullmatch(name)]
    if not wanted:
        return text
    needed: dict[str, str] = {}
    while wanted:
        name = wanted.pop()
        if name in bodies and name not in needed:
            needed[name] = bodies[name][1]
            wanted += sorted(mentioned(needed[name]))
    from enzyme.llvm.context import link_texts

    part = rest.replace(_MARK, "".join(needed.values()), 1)
    return _OURS.sub("define internal ", link_texts([_BYTES.sub(_byte_by_byte, text), part]))


_BYTES = re.compile(
    r"^  store <\d+ x i8> <(?P<bytes>[^>]*)>, ptr (?P<place>%\S+), align \d+(?P<rest>.*)$", re.MULTILINE
)
"""Vectors of bytes that are stored at once: rank, type and attribute of a descriptor, with -O2."""


def _byte_by_byte(found: re.Match[str]) -> str:
    """Single stores in the place of one vector, so that each of them can become a constant."""
    name, lines = f"%bytes{found.start()}", []
    for number, byte in enumerate(found["bytes"].split(", ")):
        place = found["place"] if number == 0 else f"{name}.{number}"
        if number > 0:
            lines.append(f"  {place} = getelementptr i8, ptr {found['place']}, i64 {number}")
        lines.append(f"  store {byte}, ptr {place}, align 1{found['rest']}")
    return "\n".join(lines)


@cache
def _bodies(types: str) -> tuple[dict[str, tuple[list[str], str]], str]:
    """Signature and definition of every function, and the module without them, a mark in their place."""
    from enzyme.frontends.clang import run_front_end

    source = _SOURCE.read_text(encoding="utf-8") + types
    made = run_front_end(source, "c++", debug=False, cflags=["-fno-exceptions"], untouched=True).ir
    made = movable_hints(made)
    bodies = {found["name"]: (_signature(found), found[0]) for found in _DEFINED.finditer(made)}
    first = next(_DEFINED.finditer(made)).start()
    return bodies, made[:first] + _MARK + _DEFINED.sub("", made[first:])


def _signature(found: re.Match[str]) -> list[str]:
    return _TYPE.findall(_WITH_ARGUMENTS.sub("", f"{found['result']}, {found['parameters']}"))


# --- derived types ----------------------------------------------------------------------------------------------------

_DATA, _POINTER, _ALLOCATABLE, _AUTOMATIC = 1, 2, 3, 4
_CODES = {0: {1: 7, 2: 8, 4: 9, 8: 10, 16: 11}, 1: {1: 45, 2: 46, 4: 47, 8: 48, 16: 49},
          2: {2: 25, 3: 26, 4: 27, 8: 28, 10: 29, 16: 31}, 3: {2: 32, 3: 33, 4: 34, 8: 35, 10: 36, 16: 38},
          4: {1: 40, 2: 43, 4: 44}, 5: {1: 39, 2: 14, 4: 14, 8: 15}}  # fmt: skip
"""How descriptors name intrinsic types: by category (integer, unsigned, real, complex, character, logical), kind."""
_DERIVED, _STRUCT = 6, 42
_INPUT_AND_OUTPUT = 0b1111000
"""Procedures of a type that are no assignments and no finalisers, as a table's bits of what there is."""


@dataclass(frozen=True)
class _Component:
    """One row of the table of a type: where it lies in an element, and what it is."""

    genre: int
    category: int
    kind: int
    rank: int
    offset: int
    characters: int
    inner: str | None
    """The table of its own type."""
    extents: tuple[int, ...]
    initial: str | None

    def length(self, types: dict[str, _Type]) -> int:
        """Bytes of one element."""
        if self.inner is not None:
            return types[self.inner].size
        if self.category == 4:
            return self.kind * self.characters
        one = {3: 2, 10: 16}.get(self.kind, self.kind)
        return 2 * one if self.category == 3 else one

    @property
    def count(self) -> int:
        found = 1
        for extent in self.extents:
            found *= extent
        return found

    @property
    def is_allocatable(self) -> bool:
        return self.genre in (_ALLOCATABLE, _AUTOMATIC)

    @property
    def code(self) -> int:
        """What descriptors call the type of its elements."""
        return _STRUCT if self.category == _DERIVED else _CODES[self.category][self.kind]

    @property
    def descriptor(self) -> int:
        """Bytes of its descriptor."""
        return 24 + 24 * self.rank + (16 if self.inner is not None else 0)


@dataclass(frozen=True)
class _Type:
    """A table: components, and the offsets of procedure pointers with what they are at first."""

    size: int
    components: tuple[_Component, ...]
    procedures: tuple[tuple[int, str | None], ...]
    has_parent: bool
    no_initialisation: bool
    no_destruction: bool


def _types(text: str) -> dict[str, _Type] | None:
    """The derived types of a program; None where the tables are not as expected, or where a type has a finaliser or
    an assignment that the program defines."""
    if _TABLE not in text:
        return {}
    if _LAYOUT.search(text) is None:
        return None
    from enzyme.ir.parser import parse_module

    module = parse_module(text)
    tables = {name: each for name, each in module.globals.items() if str(each.value_type) == _TABLE}
    try:
        found = {name: _type(each, module) for name, each in tables.items()}
    except _Unexpected:
        return None
    known = all(c.inner is None or c.inner in found for each in found.values() for c in each.components)
    return found if known else None


class _Unexpected(Exception):
    """A table says what is not read here."""


def _type(variable: GlobalVariable, module: Module) -> _Type:
    parts = _parts(variable.initializer, 15)
    if _number(parts[9]) & ~_INPUT_AND_OUTPUT:
        raise _Unexpected
    procedures = [_parts(each, 3) for each in _rows(parts[7], module)]
    return _Type(
        _number(parts[2]),
        tuple(_component(each, module) for each in _rows(parts[6], module)),
        tuple((_number(each[1]), _symbol(each[2])) for each in procedures),
        *(_number(each) != 0 for each in parts[10:13]),
    )


def _component(row: Value, module: Module) -> _Component:
    parts = _parts(row, 12)
    genre, category, kind, rank = (_number(each) for each in parts[1:5])
    inner = _symbol(_parts(parts[8], 1)[0]) if category == _DERIVED else None
    if category == _DERIVED and inner is None or category != _DERIVED and kind not in _CODES.get(category, {}):
        raise _Unexpected  # class(*), or a kind that is not known
    limits: list[int] = []
    if genre == _DATA and rank > 0:
        limits = [_number(_parts(each, 3)[2]) for each in _rows(parts[10], module)]
        if len(limits) != 2 * rank:
            raise _Unexpected
    return _Component(
        genre,
        category,
        kind,
        rank,
        _number(parts[6]),
        _number(_parts(parts[7], 3)[2]),
        inner,
        tuple(max(upper - lower + 1, 0) for lower, upper in zip(limits[::2], limits[1::2], strict=True)),
        _symbol(parts[11]),
    )


def _parts(value: Value | None, least: int) -> tuple[Value, ...]:
    if not isinstance(value, ConstantAggregate) or len(value.elements) < least:
        raise _Unexpected
    return value.elements


def _number(value: Value) -> int:
    if isinstance(value, ConstantInt):
        return value.value
    if _is_zero(value):
        return 0
    raise _Unexpected


def _symbol(value: Value) -> str | None:
    """The global that a pointer, or one as an integer, leads to; None for a null pointer."""
    while isinstance(value, ConstantAggregate) and len(value.elements) == 1:
        (value,) = value.elements
    if isinstance(value, ConstantExpr) and value.opcode == "ptrtoint":
        (value,) = value.args
    if isinstance(value, GlobalValue):
        return value.name
    if _is_zero(value):
        return None
    raise _Unexpected


def _is_zero(value: Value) -> bool:
    return (
        getattr(value, "keyword", "") in ("zeroinitializer", "null")
        or isinstance(value, ConstantInt)
        and not value.value
    )


def _rows(descriptor: Value, module: Module) -> list[Value]:
    """The elements of the constant array that a descriptor leads to, as many as it says."""
    head = _parts(descriptor, 8)
    symbol = _symbol(head[0])
    if symbol is None:
        return []
    if symbol not in module.globals:
        raise _Unexpected
    found: list[Value] = []
    work: list[Value | None] = [module.globals[symbol].initializer]
    while work:
        value = work.pop(0)
        if value is not None and str(value.type).startswith("["):
            work[:0] = _parts(value, 1)
        elif value is not None:
            found.append(value)
    count = 1
    for dimension in _parts(head[7], 1):
        count *= _number(_parts(dimension, 3)[1])
    if len(found) != count:
        raise _Unexpected
    return found


def _code(known: dict[str, _Type]) -> str:
    """C++: what is done with one element of each derived type, and which of that for a table."""
    order = {name: number for number, name in enumerate(known)}
    linkage = {name: "static" if _is_recursive(known, name) else "INLINE" for name in known}
    lines: list[str] = []
    for name, number in order.items():
        lines.append(f'extern "C" const Type type{number} __asm__("{name}");')
        lines += [f"{linkage[name]} void {what}{number}({_PARAMETERS[what]});" for what in _PARAMETERS]
        lines.append(_ELEMENTS.format(number))
    symbols = dict.fromkeys(s for each in known.values() for s in _initial(each))
    lines += [f'extern "C" const char initial{n} __asm__("{symbol}");' for n, symbol in enumerate(symbols)]
    numbers = {symbol: f"&initial{n}" for n, symbol in enumerate(symbols)}
    for name, each in known.items():
        for what, made in (("initialise", _initialise), ("destroy", _destroy), ("copy", _copy)):
            body = "".join(f"  {line}\n" for line in made(each, known, order, numbers))
            lines.append(f"{linkage[name]} void {what}{order[name]}({_PARAMETERS[what]}) {{\n{body}}}")
    for what, parameters in _PARAMETERS.items():
        given = ", ".join(word.split("*")[-1].split()[-1] for word in parameters.split(", "))
        skipped = "no_initialisation" if what == "initialise" else "no_destruction"
        chosen = "".join(
            f"  if (type == &type{number}) return {what}{number}({given});\n"
            for name, number in order.items()
            if not getattr(known[name], skipped)
        )
        lines.append(f"INLINE void {what}_one({parameters}, const Type *type) {{\n{chosen}}}")
    parents = "".join(
        f"  if (type == &type{order[name]}) return &type{order[each.components[0].inner or name]};\n"
        for name, each in known.items()
        if each.has_parent
    )
    lines.append(f"INLINE const Type *parent_of(const Type *type) {{\n{parents}  return NULL;\n}}")
    pointed = (c.inner for each in known.values() for c in each.components if c.genre == _POINTER)
    has_parts = any(inner is not None and not known[inner].no_destruction for inner in pointed)
    lines.append(f"INLINE bool points_to_parts() {{ return {'true' if has_parts else 'false'}; }}")
    return "\n".join(lines) + "\n"


def _is_recursive(types: dict[str, _Type], name: str) -> bool:
    """Whether elements of a type have parts of their own type, as the nodes of a tree do: then what is done with them
    is a recursion, and else it stands in the place of each call, which keeps their types apart."""
    seen: set[str] = set()
    work = [name]
    while work:
        parts = {c.inner for c in types[work.pop()].components if c.inner is not None and c.genre != _POINTER}
        work += sorted(parts - seen)
        seen |= parts
    return name in seen


_ELEMENTS = """struct Elements{0} {{
  INLINE void initialise(char *at, const Type *type) {{ initialise{0}(at); }}
  INLINE void destroy(char *at, const Type *type) {{ destroy{0}(at); }}
  INLINE void copy(char *to, const char *from, size_t length, const Type *type) {{ copy{0}(to, from); }}
}};"""
_PARAMETERS = {"initialise": "char *at", "destroy": "char *at", "copy": "char *to, const char *from"}


def _initial(each: _Type) -> list[str]:
    found = [c.initial for c in each.components if c.initial is not None]
    return found + [initial for _, initial in each.procedures if initial is not None]


def _initialise(each: _Type, types: dict[str, _Type], order: dict[str, int], numbers: dict[str, str]) -> Iterable[str]:
    for c in each.components:
        at, inner = f"at + {c.offset}", _table(c, order)
        if c.is_allocatable or (c.genre == _POINTER and c.initial is None):
            kind = "POINTER" if c.genre == _POINTER else "ALLOCATABLE"
            yield f"describe((Desc *)({at}), {c.length(types)}, {c.rank}, {c.code}, {inner}, {kind});"
        elif c.initial is not None:
            size = c.descriptor if c.genre == _POINTER else c.count * c.length(types)
            yield f"memcpy({at}, {numbers[c.initial]}, {size});"
        elif c.inner is not None and not types[c.inner].no_initialisation:
            yield _repeated(c, types, f"initialise{order[c.inner]}(at + {c.offset} + i)")
    for offset, initial in each.procedures:
        yield f"*(const char **)(at + {offset}) = {numbers[initial] if initial is not None else 'NULL'};"


def _destroy(each: _Type, types: dict[str, _Type], order: dict[str, int], numbers: dict[str, str]) -> Iterable[str]:
    for c in each.components:
        if c.is_allocatable:
            yield f"drop_part<{_elements(c, types, order)}>(at + {c.offset}, {c.rank}, {_table(c, order)});"
        elif c.genre == _DATA and c.inner is not None and not types[c.inner].no_destruction:
            yield _repeated(c, types, f"destroy{order[c.inner]}(at + {c.offset} + i)")


def _copy(each: _Type, types: dict[str, _Type], order: dict[str, int], numbers: dict[str, str]) -> Iterable[str]:
    for c in each.components:
        to, source = f"to + {c.offset}", f"from + {c.offset}"
        if c.is_allocatable:
            what, other = _elements(c, types, order), "true" if _is_extended(c, types) else "false"
            known = f"{c.length(types)}, {c.rank}, {c.code}, {_table(c, order)}, {other}"
            yield f"copy_part<{what}>({to}, {source}, {known});"
        elif c.genre == _POINTER:
            yield f"memcpy({to}, {source}, {c.descriptor});"
        elif c.inner is not None and not types[c.inner].no_destruction:
            yield _repeated(c, types, f"copy{order[c.inner]}({to} + i, {source} + i)")
        else:
            yield f"memcpy({to}, {source}, {c.count * c.length(types)});"
    for offset, _ in each.procedures:
        yield f"memcpy(to + {offset}, from + {offset}, sizeof(void *));"


def _table(c: _Component, order: dict[str, int]) -> str:
    return f"&type{order[c.inner]}" if c.inner is not None else "NULL"


def _is_extended(c: _Component, types: dict[str, _Type]) -> bool:
    """Whether the type of what is there may be another one than the table says: where another extends it. The table
    does not tell ``class(t)`` from ``type(t)``."""
    return c.inner is not None and any(
        each.has_parent and each.components[0].inner == c.inner for each in types.values()
    )


def _elements(c: _Component, types: dict[str, _Type], order: dict[str, int]) -> str:
    """What is done with single elements of a part, as C++ calls it."""
    if c.inner is None:
        return "Plain"
    return "Dynamic" if _is_extended(c, types) else f"Elements{order[c.inner]}"


def _repeated(c: _Component, types: dict[str, _Type], statement: str) -> str:
    """A statement for every element of a component, with ``i`` for the place of that among them in bytes. A loop only
    where there are many: its elements and what lies behind them would be one array to the analysis of types."""
    size = c.length(types)
    if c.count <= _UNROLLED:
        return " ".join(f"{re.sub(r'[+] i(?=[,)])', f'+ {number * size}', statement)};" for number in range(c.count))
    return f"for (int64_t i = 0; i < {c.count * size}; i += {size}) {statement};"


_UNROLLED = 64
