"""Reading the arguments of an entry point's call, one parameter of the differentiated function after the other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from enzyme.gradient.aggregates import leaves, path_offset
from enzyme.gradient.apply import is_float
from enzyme.gradient.convention import (
    FLAGS,
    MARKERS,
    WITH_STRIDE,
    WITH_VALUE,
    constant_of,
    looks_like_marker,
    marker,
)
from enzyme.gradient.normalise import attribute_type
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.printer import print_instruction
from enzyme.ir.types import FloatType, IntType, StructType, Type
from enzyme.ir.values import Argument, CallBase, ConstantInt, ConstantToken, Function, Instruction, Value, zero
from enzyme.support.diagnostics import MarkerLostError, UsageError

_PIECE = re.compile(r"^(.*)\.coerce(\d+)$")
MAX_WIDTH = 1024


def usage_error(
    module: Module,
    caller: Function,
    call: Instruction,
    what: str,
    why: str,
    hint: str,
    kind: type[UsageError] = UsageError,
) -> UsageError:
    return kind(
        what,
        function=caller.name,
        instruction=print_instruction(call),
        location=module.debug_location(call),
        why=why,
        hint=hint,
    )


@dataclass
class Options:
    """What markers that stand between the arguments ask for."""

    width: int = 1
    flags: set[str] = field(default_factory=set)
    tape: Value | None = None


def parameter_groups(function: Function, skip: int = 0) -> list[list[Argument]]:
    """Parameters by the argument of the source program they belong to: an ABI may pass a small struct in two."""
    groups: list[list[Argument]] = []
    for argument in function.args[skip:]:
        piece = _PIECE.match(argument.name or "")
        if piece is not None and piece.group(2) != "0" and groups:
            before = _PIECE.match(groups[-1][0].name or "")
            if before is not None and before.group(1) == piece.group(1):
                groups[-1].append(argument)
                continue
        groups.append([argument])
    return groups


class CallReader:
    """A cursor over the arguments behind the function. ``subject`` is that function."""

    def __init__(
        self, module: Module, caller: Function, call: CallBase, kind: str, subject: Function, skip: int
    ) -> None:
        self.module, self.caller, self.call, self.subject = module, caller, call, subject
        self.kind, self.entry = kind, f"__enzyme_{kind}"
        self.args, self.attrs = call.args[skip:], list(call.arg_attrs[skip:])
        self.position = 0
        self._apart = self._shadows_apart()
        self.options = Options()
        self.activities: list[str] = []
        self.operands: list[Value] = []
        self.inferred: list[int] = []
        self.structs: dict[int, tuple[Type, Value]] = {}
        """By parameter: what is the gradient of a struct passed by value through memory, and where it is collected."""
        self._byref = 0

    @property
    def forward(self) -> bool:
        return self.kind in ("fwddiff", "fwdsplit")

    def wrong(self, what: str, why: str, hint: str, kind: type[UsageError] = UsageError) -> UsageError:
        return usage_error(self.module, self.caller, self.call, what, why, hint, kind)

    def builder(self) -> Builder:
        assert self.call.block is not None
        return Builder(self.call.block, before=self.call)

    # shadows behind all arguments

    def _shadows_apart(self) -> tuple[list[Value], list[tuple[str, ...]]] | None:
        """What stands behind enzyme_interleave, taken away from the arguments."""
        found = [index for index, value in enumerate(self.args) if marker(value) == "enzyme_interleave"]
        if not found:
            return None
        shadows = self.args[found[0] + 1 :], self.attrs[found[0] + 1 :]
        self.args, self.attrs = self.args[: found[0]], self.attrs[: found[0]]
        return shadows

    @contextmanager
    def _among_shadows(self) -> Iterator[None]:
        """Inside, what follows is a shadow: the next arguments, or what stands behind all of them."""
        if self._apart is None:
            yield
            return
        place = self.args, self.attrs, self.position
        (self.args, self.attrs), self.position = self._apart, 0
        yield
        self._apart = self.args[self.position :], self.attrs[self.position :]
        self.args, self.attrs, self.position = place

    def parameters_read(self) -> None:
        """All parameters have been read: adjoints and a tape may stand behind the shadows, too."""
        if self._apart is not None:
            self.args = [*self.args, *self._apart[0]]
            self.attrs = [*self.attrs, *self._apart[1]]
            self._apart = None

    # one argument after the other

    @property
    def left(self) -> int:
        return len(self.args) - self.position

    def following(self, what: str) -> Value:
        if not self.left:
            raise self.wrong(
                f"{self.entry}: too few arguments for '{self.subject.name}'",
                f"{what} is missing",
                "pass every argument of the function, each enzyme_dup argument followed by its shadow",
            )
        self.position += 1
        return self.args[self.position - 1]

    def markers(self) -> str | None:
        """Read markers up to a value: options are noted, the marker of the argument that follows is returned."""
        found: str | None = None
        while self.left:
            value = self.args[self.position]
            name = marker(value)
            if name is None:
                unknown = looks_like_marker(value)
                if unknown is not None:
                    raise self.wrong(
                        f"there is no marker '{unknown}'",
                        f"argument {self.position + 2} is a variable of that name, and names like this are kept for "
                        "markers",
                        "see docs/calling-convention.md for those there are",
                    )
                return found
            self.position += 1
            if name in FLAGS:
                self.options.flags.add(name)
            elif name in WITH_VALUE:
                self._option(name)
            elif found is not None:
                raise self.wrong(
                    f"{self.entry}: '{found}' is followed by '{name}'",
                    "each of them says what the next argument is",
                    "write one of them in front of an argument",
                )
            else:
                found = name
        return found

    def _option(self, name: str) -> None:
        value = self.following(f"the value after {name}")
        if name == "enzyme_tape":
            self.options.tape = value
            return
        if name == "enzyme_allocated":
            return  # the size of the user's buffer, which is that of a pointer: __enzyme_augmentsize
        number = constant_of(value)
        if number is None or number < 1 or (name == "enzyme_width" and number > MAX_WIDTH):
            raise self.wrong(
                f"{self.entry}: what follows {name} must be a constant between 1 and {MAX_WIDTH}",
                "code for that many derivatives is made"
                if name == "enzyme_width"
                else "it is the size of the argument, in bytes",
                "write the number itself",
            )
        if name == "enzyme_width":
            self.options.width = number
        else:
            self._byref = number

    def parameter(self, group: list[Argument]) -> None:
        """Read what stands for the parameters of one source argument."""
        name = self.markers()
        first = group[0]
        number = first.index + 1
        if name is not None and name not in MARKERS:
            raise self.wrong(
                f"{self.entry} does not know '{name}' (parameter {number} of '{self.subject.name}')",
                "it says how __enzyme_batch passes an argument",
                "use enzyme_const, enzyme_dup, enzyme_dupnoneed or enzyme_out",
            )
        stride: Value | None = None
        if name in WITH_STRIDE and self.left and self._is_stride(self.args[self.position], first.type):
            stride = self.following("")
        what = f"the value after {name}" if name is not None else f"parameter {number}"
        values = self.pieces(group, what, "argument")
        activities = [self._activity(name, argument, group) for argument in group]
        record = attribute_type(self.module, first.attrs, "byval")
        if record is not None and activities == ["out"] and self._is_collected(record):
            self.activities.append("dup")
            self.operands += [*values, self._collected(first, record)]
            self._byref = 0
            return
        shadows: list[list[Value]] = []
        if any(activity in ("dup", "dupnoneed") for activity in activities):
            with self._among_shadows():
                if name in WITH_STRIDE:
                    shadows = self._strided(group, stride)
                else:
                    for lane in range(self.options.width):
                        which = f" in lane {lane}" if self.options.width > 1 else ""
                        shadows.append(self.pieces(group, f"the shadow of parameter {number}{which}", "shadow"))
        self._byref = 0
        for index, (value, activity) in enumerate(zip(values, activities, strict=True)):
            self.activities.append(activity)
            self.operands.append(value)
            if activity in ("dup", "dupnoneed"):
                self.operands += [shadow[index] for shadow in shadows]

    def _is_collected(self, record: Type) -> bool:
        """Whether the gradient of a struct in memory can be a result; that of what pointers in it lead to cannot."""
        plain = not any(leaf.is_pointer for _, leaf in leaves(record))
        return plain and self.kind == "autodiff" and self.options.width == 1

    def _collected(self, parameter: Argument, record: Type) -> Value:
        """Memory for the gradient of a struct that is passed by value through memory, zero in front of the call."""
        entry, align = self.caller.entry, max(self.module.datalayout.abi_align(record), 8)
        memory = Builder(entry, before=entry.instructions[0]).alloca(record, align=align, name="gradient")
        self.builder().store(zero(record), memory, align)
        self.structs[parameter.index] = record, memory
        return memory

    def _is_stride(self, value: Value, type: Type) -> bool:
        return isinstance(value.type, IntType) and not isinstance(type, IntType)

    def _activity(self, name: str | None, argument: Argument, group: list[Argument]) -> str:
        type = argument.type
        if name is None:
            if any(each.type.is_pointer for each in group):
                guess = "dup" if type.is_pointer or (self.forward and is_float(type)) else "const"
            elif is_float(type):
                guess = "dup" if self.forward else "out"
            else:
                guess = "const"
            if guess == "const" and not is_float(type):
                self.inferred.append(argument.index)
            elif guess == "const":
                return MARKERS["enzyme_dup"]  # a number beside a pointer: refused below, it needs both
            return guess
        activity = MARKERS[name]
        if len(group) > 1 and activity != "const" and isinstance(type, IntType) and not self.forward:
            self.inferred.append(argument.index)
            return "const"
        return activity

    def _strided(self, group: list[Argument], stride: Value | None) -> list[list[Value]]:
        """Shadows that lie at a fixed distance from one another."""
        number = group[0].index + 1
        if stride is None:
            stride = self.following(f"the distance of the shadows of parameter {number}")
        base = self.following(f"the shadows of parameter {number}")
        if len(group) > 1 or not isinstance(stride.type, IntType) or not base.type.is_pointer:
            raise self.wrong(
                f"{self.entry}: enzyme_dupv takes a distance in bytes, the argument, the address of a shadow",
                f"that is not what follows it for parameter {number} of '{self.subject.name}'",
                "pass the arguments in this order: enzyme_dupv, distance, argument, address",
            )
        build = self.builder()
        made: list[list[Value]] = []
        for lane in range(self.options.width):
            wide = build.sext(stride, IntType(64))
            address = build.offset(base, build.mul(wide, ConstantInt(IntType(64), lane)))
            type = group[0].type
            made.append([address if type.is_pointer else build.load(type, address, 1)])
        return made

    # values as the parameters want them

    def pieces(self, group: list[Argument], what: str, short: str) -> list[Value]:
        """The values of one source argument."""
        first = group[0]
        if self._byref:
            return self._by_reference(group, what)
        record = attribute_type(self.module, first.attrs, "byval")
        if record is not None:
            return [self._in_memory(first, record, what)]
        by_value = self.left and any(w.startswith("byval(") for w in self.attrs[self.position])
        if by_value and (len(group) > 1 or not first.type.is_pointer):
            address = self.following(what)
            return self._loaded(address, [argument.type for argument in group])
        values = []
        for argument in group:
            value = self.following(what)
            label = f"argument {self.position + 1}" if short == "argument" else "the shadow"
            values.append(self.fitted(value, argument.type, label, argument.index + 1))
        return values

    def _loaded(self, address: Value, types: list[Type]) -> list[Value]:
        build = self.builder()
        record = StructType.literal(tuple(types))
        layout = self.module.datalayout
        return [
            build.load(type, build.offset(address, path_offset(layout, record, (index,))), 1)
            for index, type in enumerate(types)
        ]

    def _by_reference(self, group: list[Argument], what: str) -> list[Value]:
        address = self.following(what)
        types = [argument.type for argument in group]
        size = self.module.datalayout.size_of(types[0] if len(types) == 1 else StructType.literal(tuple(types)))
        if not address.type.is_pointer or size != self._byref:
            raise self.wrong(
                f"{self.entry}: enzyme_byref {self._byref} does not fit parameter {group[0].index + 1} of "
                f"'{self.subject.name}'",
                f"the parameter has {size} bytes, and {what} is {address.type}",
                "pass the size of the argument and its address",
            )
        return self._loaded(address, types)

    def _in_memory(self, parameter: Argument, record: Type, what: str) -> Value:
        """A struct that the function takes in memory, and that this call may have been given in registers."""
        layout = self.module.datalayout
        size = layout.alloc_size(record)
        attrs = self.attrs[self.position] if self.left else ()
        if any(w.startswith("byval(") for w in attrs) or size > 16:
            return self.fitted(self.following(what), parameter.type, what, parameter.index + 1)
        build = self.builder()
        entry = self.caller.entry
        local = Builder(entry, before=entry.instructions[0]).alloca(record, align=max(layout.abi_align(record), 8))
        for offset in range(0, size, 8):  # an eightbyte is one register
            build.store(self.following(what), build.offset(local, offset), 1)
        return local

    def fitted(self, value: Value, type: Type, what: str, number: int) -> Value:
        """Undo C's promotions of variadic arguments: char, short and bool to int, float to double."""
        name = marker(value)
        if name is not None:
            parameter = f"parameter {number} of '{self.subject.name}'"
            raise self.wrong(
                f"{self.entry}: '{name}' stands where {what} for {parameter} is expected",
                "one is missing in front of it",
                "behind enzyme_dup and enzyme_dupnoneed come the argument and its shadow (one for each lane), behind "
                "enzyme_const and enzyme_out the argument alone",
            )
        have = value.type
        if have is type or (have.is_pointer and type.is_pointer):
            return value
        build = self.builder()
        if isinstance(have, IntType) and isinstance(type, IntType) and have.bits > type.bits:
            return build.trunc(value, type)
        if isinstance(value, ConstantInt) and isinstance(type, IntType):
            return ConstantInt(type, value.value)  # a literal, written without its suffix
        if isinstance(have, FloatType) and isinstance(type, FloatType) and have.bits > type.bits:
            return build.float_cast(value, type)
        is_number = isinstance(value, (ConstantInt, ConstantToken))
        for_marker = what.startswith("argument") and is_number and isinstance(have, IntType) and have.bits == 32
        raise self.wrong(
            f"{self.entry}: {what} has type {have}, parameter {number} of '{self.subject.name}' has type {type}",
            "a marker that is static or constant is a plain number when the program has been optimised"
            if for_marker
            else "arguments of a variadic call are not converted to the parameter's type",
            "declare markers as in <enzyme/enzyme.h>, or cast the argument to the parameter's type"
            if for_marker
            else "cast the argument to the parameter's type",
            MarkerLostError if for_marker else UsageError,
        )

    def finish(self) -> None:
        """Nothing may be left."""
        if self.markers() is not None or self.left:
            left = max(self.left, 1)
            raise self.wrong(
                f"{self.entry}: {left} argument{'s' if left > 1 else ''} too many for '{self.subject.name}'",
                f"the function takes {len(self.subject.args)} parameters: {', '.join(self.activities)}",
                "pass a shadow only after enzyme_dup arguments",
            )
