"""Vector versions of mathematical functions: glibc's libmvec, for calls whose own flags allow approximations, and
those of :mod:`enzyme.llvm.exact_vectors`, which give what the scalar function gives, for other calls without effects.

A call that carries ``afn`` (code compiled with -ffast-math or -fapprox-func, or relaxed by ``Config(math="relaxed")``)
is told the names of the function's vector versions by the attribute ``vector-function-abi-variant``; LLVM's
vectorisers know what that costs and call them. Calls of intrinsics for vectors, of which code generation would make
one call for each lane, become calls of vector versions, of several where registers hold fewer lanes. The versions are
within 4 units in the last place, where the scalar functions are within 1. Other calls stay as they are.

The names are those of the x86 vector function ABI, as glibc's ``<bits/math-vector.h>`` uses it: ``_ZGV``, a letter for
the instruction set, ``N`` for unmasked, the number of lanes, one ``v`` per vector parameter, and the function's name.
"""

from __future__ import annotations

import ctypes
import platform
import re
from functools import cache

import llvmlite.binding as llvm

from enzyme.llvm.codegen import has_fused, target_machine, triple_of
from enzyme.llvm.context import initialise, parse
from enzyme.llvm.exact_vectors import EXACT, FUNCTIONS, declaration, exact_functions, exact_name
from enzyme.llvm.library_file import loaded_library

LIBRARY = "libmvec.so.1"
UNARY = (
    "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 log10 log1p "
    "cbrt erf erfc"
).split()
BINARY = ("pow", "atan2", "hypot")
_LETTERS = {2: "b", 4: "d", 8: "e"}
"""Doubles in a register: SSE, AVX2 and AVX-512."""

_FLAGS = "(?:(?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc) )*"
_ATTRIBUTES = r"(?:noundef |nofpclass\([^)]*\) )*"
_CALL = re.compile(
    rf"(?m)^(?P<head>  %(?:\"[^\"]*\"|\S+) = (?:tail |notail )?call (?P<flags>{_FLAGS}){_ATTRIBUTES})"
    r"(?P<type>double|float) @(?P<name>llvm\.[a-z0-9]+\.f(?:32|64)|[a-z0-9]+)"
    r"(?P<given>\((?:[^()\n]|\([^()\n]*\))*\)(?: [^,\n]*)?)(?P<rest>,[^\n]*)?$"
)
_VECTOR = r"<(?P<lanes>\d+) x (?P<type>double|float)>"
_VECTOR_CALL = re.compile(
    rf"(?m)^  (?P<result>%(?:\"[^\"]*\"|\S+)) = (?P<call>(?:tail |notail )?call (?P<flags>{_FLAGS})){_VECTOR} "
    r"@llvm\.(?P<name>[a-z0-9]+)\.v\d+f\d+\((?P<given>(?:[^()\n]|\([^()\n]*\))*)\)(?P<rest>[^\n]*)$"
)
_ASKED = re.compile(rf"^<\d+ x (?:double|float)> {_ATTRIBUTES}")
"""In front of what a vector function is given."""
_NEXT = re.compile(r", (?=<\d+ x (?:double|float)> )")
_KEPT = re.compile(
    r"(?m)^@llvm\.compiler\.used = appending global \[(\d+) x ptr\] \[(.*)\], section \"llvm.metadata\"$"
)
_OURS = re.compile(rf"ptr @(?:_ZGV[bcde]N\w+|{re.escape(EXACT)}\.[\w.]+)")
"""Of the list of what is kept: what this module put in."""
_GROUP = re.compile(r"(?m)^attributes #(\d+) = (\{.*\})")
_MAY_BE_EXACT = re.compile(rf"@(?:llvm\.)?(?:{'|'.join(FUNCTIONS)})[.(]")
_PART = "enzyme.vector.part"
"""Names of parts of vectors begin with this."""
_PROBE = """\
define void @probe(ptr %x, ptr %y) {
  %a = load <8 x i32>, ptr %x
  %b = add <8 x i32> %a, splat (i32 7)
  store <8 x i32> %b, ptr %x
  %c = load <8 x double>, ptr %y
  %d = fadd <8 x double> %c, %c
  store <8 x double> %d, ptr %y
  ret void
}
"""


@cache
def library_path() -> str | None:
    """Where this machine's libmvec is; None where there is none (it is glibc's, for x86-64 here)."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return None
    try:
        ctypes.CDLL(LIBRARY)
    except OSError:
        return None
    return loaded_library("libmvec")


def load() -> None:
    """Let programs compiled in this process find the library."""
    if library_path() is not None:
        llvm.load_library_permanently(LIBRARY)


@cache
def _registers(triple: str, cpu: str) -> tuple[tuple[int, ...], bool]:
    """Doubles that the CPU's registers hold, for the registers that code generation uses, and whether it has fused
    multiply-adds; none for other targets than x86-64 with glibc."""
    initialise()
    machine = triple or llvm.get_process_triple()
    if not machine.startswith("x86_64") or "linux" not in machine or "musl" in machine:
        return (), False
    module = parse(f'target triple = "{machine}"\n{_PROBE}')
    made = str(target_machine(module, cpu).emit_assembly(module.handle))
    wide = re.search(r"vaddpd\s.*zmm", made) is not None
    middle = re.search(r"vpaddd\s.*ymm", made) is not None
    return (2, *((4,) if middle else ()), *((8,) if wide else ())), has_fused(cpu, machine)


@cache
def _exists(name: str) -> bool:
    return hasattr(ctypes.CDLL(LIBRARY), name)


class _Variants:
    """The versions that calls of one program may become."""

    def __init__(
        self, widths: tuple[int, ...], library: bool, exact: frozenset[str], defined: set[str], first_group: int
    ) -> None:
        self.widths, self.library, self.exact = widths, library, exact
        self.defined, self.first_group = defined, first_group
        self.groups: dict[str, int] = {}
        self.declared: dict[str, str] = {}
        """Vector functions by name, as declarations."""
        self.used = False
        """Whether one of them is called."""
        self.made = 0

    def group(self, callee: str, scalar: str, approximable: bool) -> int | None:
        """Number of the attribute group that names the versions of a function; None where it has none."""
        if callee in self.defined:
            return None
        plain = callee.split(".")[1] if callee.startswith("llvm.") else callee
        if scalar == "float" and plain == callee:
            plain = plain.removesuffix("f") if plain.endswith("f") and plain != "erf" else ""
        parameters = 1 if plain in UNARY else 2 if plain in BINARY else 0
        if not parameters:
            return None
        found = self._versions(plain, scalar, parameters, approximable)
        if not found:
            return None
        names = ",".join(
            f"{f'_ZGV_LLVM_N{lanes}v' if made.startswith(EXACT) else made.rpartition('_')[0]}_{callee}({made})"
            for lanes, made in found.items()
        )
        return self.groups.setdefault(names, self.first_group + len(self.groups))

    def _versions(self, plain: str, scalar: str, parameters: int, approximable: bool) -> dict[int, str]:
        """The versions of a function by their lanes, declared."""
        found = {}
        if not (approximable and self.library):
            if scalar == "double" and plain in self.exact:
                for width in self.widths:
                    found[width] = made = exact_name(plain, width)
                    self.declared[made] = declaration(plain, width)
            return found
        for width in self.widths:
            lanes = width * 2 if scalar == "float" else width
            made = f"_ZGV{_LETTERS[width]}N{lanes}{'v' * parameters}_{plain}{'f' if scalar == 'float' else ''}"
            if _exists(made):
                vector = f"<{lanes} x {scalar}>"
                given = ", ".join([vector] * parameters)
                self.declared[made] = f"declare {vector} @{made}({given}) nounwind willreturn memory(none)"
                found[lanes] = made
        return found

    def called(self, call: re.Match[str]) -> str:
        """The call of an intrinsic for vectors as calls of versions."""
        lanes, scalar, name = int(call["lanes"]), call["type"], call["name"]
        given = [_ASKED.sub("", each) for each in _NEXT.split(call["given"])]
        if len(given) != (name in UNARY) + 2 * (name in BINARY):
            return call[0]
        versions = self._versions(name, scalar, len(given), _approximable(call))
        found = {each: made for each, made in versions.items() if lanes % each == 0}
        if not found:
            return call[0]
        self.used = True
        width = max(found)
        result, whole, part = call["result"], f"<{lanes} x {scalar}>", f"<{width} x {scalar}>"

        def made(result: str, parts: list[str]) -> str:
            values = ", ".join(f"{part} {each}" for each in parts)
            return f"  {result} = {call['call']}{part} @{found[width]}({values}){call['rest']}"

        if width == lanes:
            return made(result, given)
        lines, done = [], "poison"
        for first in range(0, lanes, width):
            parts = []
            for value in given:
                parts.append(self._name())
                taken = ", ".join(f"i32 {lane}" for lane in range(first, first + width))
                lines.append(
                    f"  {parts[-1]} = shufflevector {whole} {value}, {whole} poison, <{width} x i32> <{taken}>"
                )
            computed, spread = self._name(), self._name()
            lines.append(made(computed, parts))
            places = [lane - first if first <= lane < first + width else -1 for lane in range(lanes)]
            mask = ", ".join("i32 poison" if place < 0 else f"i32 {place}" for place in places)
            lines.append(f"  {spread} = shufflevector {part} {computed}, {part} poison, <{lanes} x i32> <{mask}>")
            mask = ", ".join(f"i32 {lane if place < 0 else lanes + lane}" for lane, place in enumerate(places))
            last = first + width == lanes
            joined = result if last else self._name()
            lines.append(f"  {joined} = shufflevector {whole} {done}, {whole} {spread}, <{lanes} x i32> <{mask}>")
            done = joined
        return "\n".join(lines)

    def _name(self) -> str:
        self.made += 1
        return f"%{_PART}{self.made}"


def _approximable(call: re.Match[str]) -> bool:
    return bool({"fast", "afn"} & set(call["flags"].split()))


def with_vector_functions(text: str, cpu: str, library: bool = True, exact: bool = True) -> str:
    """The program, its calls told of their vector versions; :func:`without_leftovers` undoes the rest. ``library``:
    approximable calls of those of libmvec; ``exact``: others, if without effects, of those that give the same."""
    library = library and re.search(r" call (?:\w+ )*(?:fast|afn) ", text) is not None
    exact = exact and _MAY_BE_EXACT.search(text) is not None
    if not library and not exact:
        return text
    widths, fused = _registers(triple_of(text), cpu)
    library = library and library_path() is not None
    functions = exact_functions() if exact and fused else frozenset()
    if not widths or not library and not functions:
        return text
    defined = set(re.findall(r"(?m)^define [^@\n]*@([a-z0-9]+)\(", text))
    groups = dict(_GROUP.findall(text))
    pure = {number for number, attributes in groups.items() if "memory(none)" in attributes}
    variants = _Variants(widths, library, functions, defined, max(map(int, groups), default=-1) + 1)

    def told(call: re.Match[str]) -> str:
        approximable = _approximable(call)
        if not approximable and not call["name"].startswith("llvm."):
            if "memory(none)" not in call["given"] and pure.isdisjoint(re.findall(r"#(\d+)", call["given"])):
                return call[0]
        group = variants.group(call["name"], call["type"], approximable)
        if group is None:
            return call[0]
        return f"{call['head']}{call['type']} @{call['name']}{call['given']} #{group}{call['rest'] or ''}"

    given = text
    text = _CALL.sub(told, text)
    if _PART not in text:
        text = _VECTOR_CALL.sub(variants.called, text)
    if not variants.groups and not variants.used:
        return text
    declared = {name: line for name, line in variants.declared.items() if f"@{name}(" not in given}
    text = _keep(text, list(declared))
    made = [
        f'attributes #{number} = {{ nounwind willreturn memory(none) "vector-function-abi-variant"="{names}" }}'
        for names, number in variants.groups.items()
    ]
    return "\n".join([text.rstrip("\n"), *declared.values(), *made, ""])


def _keep(text: str, names: list[str]) -> str:
    """Declarations that nothing calls yet are not dropped."""
    items = [f"ptr @{name}" for name in names]
    found = _KEPT.search(text)
    if found is not None:
        items = [found[2], *items]
        text = text[: found.start()] + text[found.end() + 1 :]
    count = int(found[1]) + len(names) if found is not None else len(names)
    listed = ", ".join(items)
    return f'{text}\n@llvm.compiler.used = appending global [{count} x ptr] [{listed}], section "llvm.metadata"'


def without_leftovers(text: str) -> str:
    """An optimised program without the list that kept unused vector functions declared."""
    found = _KEPT.search(text) if "@llvm.compiler.used = " in text else None
    if found is None:
        return text
    items = [each for each in found[2].split(", ") if _OURS.fullmatch(each) is None]
    made = f'@llvm.compiler.used = appending global [{len(items)} x ptr] [{", ".join(items)}], section "llvm.metadata"'
    return text[: found.start()] + (made if items else "") + text[found.end() :]
