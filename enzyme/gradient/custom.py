"""Derivatives that the program brings along: wrappers that give registered functions the engine's own signatures.

For ``T f(a, p, n)`` with a float ``a``, a pointer ``p`` and an integer ``n``, the convention of registered functions is

- augmented primal ``(a, p, p', n) -> [tape] [, T [, shadow of a pointer T]]``: the tape is what comes before the
  result, nothing at all, one value or several;
- reverse ``(a, p, p', n [, seed: T] [, tape]) -> gradients of the float parameters`` in order;
- forward ``(a, a', p, p', n) -> T'`` or ``{T, T'}``;
- split forward ``(a, a', p, p', n [, tape]) -> T'``, after the augmented primal.

A structure that a C ABI returns through memory, or packs into vectors of floats, is put together and taken apart here.
A shadow that the derivative at hand does not have (a constant argument) is a null pointer, a missing tangent or seed
is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from enzyme.analysis.activity_callees import OPAQUE
from enzyme.gradient.aggregates import assembled, get_part, leaves, path_offset
from enzyme.gradient.lanes import packed
from enzyme.gradient.normalise import attribute_type
from enzyme.gradient.registrations import Rule, marks, mentioned_by_rules, rule_for, rule_of, variants_of
from enzyme.gradient.request import Request
from enzyme.gradient.signatures import return_parts
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I64, PTR, ArrayType, FloatType, StructType, Type, VectorType
from enzyme.ir.values import CallBase, ConstantToken, Function, Value, zero
from enzyme.support.diagnostics import UnsupportedError, UsageError

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine, SplitPair


def is_number(type: Type) -> bool:
    return isinstance(type, FloatType) or (isinstance(type, VectorType) and isinstance(type.element, FloatType))


def covers(rule: Rule | None, mode: str) -> bool:
    """Whether a rule answers requests of this mode."""
    if rule is None:
        return False
    if mode == "forward":
        return rule.forward is not None or rule.split_forward is not None
    return rule.augmented is not None and rule.reverse is not None


# --- what is expected ------------------------------------------------------------------------------------------------


def _spelled(type: Type) -> str:
    """A type as a C programmer would write it."""
    names = {"void": "void", "ptr": "T *", "i32": "int", "i64": "long", "i8": "char", "i16": "short", "i1": "bool"}
    if isinstance(type, FloatType):
        return {"x86_fp80": "long double", "half": "_Float16", "fp128": "long double"}.get(type.kind, type.kind)
    return names.get(str(type), str(type))


class Convention:
    """The registered functions' parameters and results for one function."""

    def __init__(self, engine: Engine, function: Function, rule: Rule, letters: str | None = None) -> None:
        self.engine, self.module, self.function, self.rule = engine, engine.module, function, rule
        self.letters = letters
        for words in engine.custom.parameter_attributes[function.name or ""]:
            if any(word.startswith(("sret", "byval", "inalloca")) for word in words):
                raise UnsupportedError(
                    f"'{function.name}' cannot have a registered derivative",
                    function=function.name,
                    why="it takes or returns a struct through memory that the compiler makes for it",
                    hint="pass the struct by pointer",
                )
        if isinstance(function.result_type, (StructType, ArrayType)):
            raise UnsupportedError(
                f"'{function.name}' cannot have a registered derivative",
                function=function.name,
                why=f"it returns {function.result_type}, and the convention has one number or pointer",
                hint="write the results through a pointer",
            )
        if function.function_type.vararg:
            raise UnsupportedError(
                f"'{function.name}' cannot have a registered derivative",
                function=function.name,
                why="it takes a variable number of arguments",
                hint="give it a fixed list of parameters",
            )

    def parameters(self, forward: bool) -> list[tuple[int, bool]]:
        """(index of f's parameter, whether it is the shadow or tangent) in order."""
        listed: list[tuple[int, bool]] = []
        for argument in self.function.args:
            listed.append((argument.index, False))
            shadowed = argument.type.is_pointer and (self.letters is None or self.letters[argument.index] == "d")
            if shadowed or (forward and is_number(argument.type)):
                listed.append((argument.index, True))
        return listed

    def types(self, forward: bool) -> list[Type]:
        return [self.function.args[index].type for index, _ in self.parameters(forward)]

    @property
    def result(self) -> Type:
        return self.function.result_type

    def gradients(self) -> list[Type]:
        return [a.type for a in self.function.args if is_number(a.type)]

    def wrong(self, name: str, what: str, expected: str, why: str) -> UsageError:
        have = self.engine.module.functions[name]
        return UsageError(
            f"'{name}' cannot be {what} of '{self.function.name}'",
            function=self.function.name,
            why=f"{why}; it has the signature {self._shown(have)}",
            hint=f"expected ({self.rule.where}): {expected}",
        )

    def _shown(self, function: Function) -> str:
        params = ", ".join(_spelled(p) for p in function.function_type.params)
        return f"{_spelled(function.result_type)} ({params or 'void'})"

    def expected(self, kind: str) -> str:
        """The signature of the augmented primal, the reverse or the forward derivative."""
        forward = kind in ("forward", "split forward")
        words = []
        for index, shadow in self.parameters(forward):
            spelled = _spelled(self.function.args[index].type)
            space = "" if spelled.endswith("*") else " "
            words.append(f"{spelled}{space}{'d' if shadow else ''}{_name(self.function, index)}")
        result, tape = _spelled(self.result), "[, tape]"
        if kind == "augmented":
            shadow_part = f", {result} shadow" if self.result.is_pointer else ""
            given = (
                "void or the tape" if self.result.is_void else f"{result}, or struct {{tape; {result}{shadow_part}}}"
            )
            return f"{given}  ({', '.join(words) or 'void'})"
        if kind == "reverse":
            words += [f"{result} seed"] if is_number(self.result) else []
            gradients = [_spelled(t) for t in self.gradients()]
            given = (
                "void"
                if not gradients
                else gradients[0]
                if len(gradients) == 1
                else f"struct {{{'; '.join(gradients)}}}"
            )
            return f"{given}  ({', '.join(words)}{tape})"
        if not is_number(self.result) and not self.result.is_pointer:
            given = result
        else:
            given = f"{result}, or struct {{{result} value; {result} derivative}}"
        return f"{given}  ({', '.join(words)}{tape if kind == 'split forward' else ''})"


def _name(function: Function, index: int) -> str:
    return function.args[index].name or f"p{index + 1}"


# --- calling a C function with leaves --------------------------------------------------------------------------------


@dataclass
class CFunction:
    """A registered function, with the struct that it returns through memory made explicit."""

    engine: Engine
    function: Function

    @property
    def attributes(self) -> list[tuple[str, ...]]:
        """Of the parameters."""
        return self.engine.custom.parameter_attributes[self.function.name or ""]

    @property
    def returned(self) -> Type | None:
        """The struct behind a hidden first parameter."""
        return attribute_type(self.engine.module, self.attributes[0], "sret") if self.attributes else None

    @property
    def params(self) -> list[Type]:
        params = list(self.function.function_type.params)
        return params[1:] if self.returned is not None else params

    @property
    def result_leaves(self) -> list[Type]:
        type = self.returned or self.function.result_type
        return [] if type.is_void else [leaf for _, leaf in leaves(type, True)]

    def parameter_leaves(self, start: int) -> list[Type]:
        """The values that the parameters from ``start`` on stand for."""
        result: list[Type] = []
        hidden = 0 if self.returned is None else 1
        for argument in self.function.args[start + hidden :]:
            inner = attribute_type(self.engine.module, self.attributes[argument.index], "byval")
            result += [leaf for _, leaf in leaves(inner if inner is not None else argument.type, True)]
        return result

    def call(self, build: Builder, arguments: Sequence[Value], rest: Sequence[Value] = ()) -> list[Value]:
        """Call with ``arguments`` as they are and ``rest``, leaves that fill the parameters behind; the result's
        leaves."""
        module = self.engine.module
        operands: list[Value] = []
        place: Value | None = None
        if self.returned is not None:
            place = self._local(build, self.returned)
            operands.append(place)
        operands += arguments
        queue = list(rest)
        for argument in self.function.args[len(operands) :]:
            inner = attribute_type(module, self.attributes[argument.index], "byval")
            type = inner if inner is not None else argument.type
            if inner is not None:
                memory = self._local(build, type)
                for path, _ in leaves(type, True):
                    build.store(queue.pop(0), build.offset(memory, path_offset(module.datalayout, type, path)), 1)
                operands.append(memory)
            else:
                count = len(leaves(type, True))
                operands.append(assembled(build, type, queue[:count]))
                del queue[:count]
        made = _call(build, self.function, operands)
        made.arg_attrs = tuple(map(_calling, self.attributes))
        if place is not None and self.returned is not None:
            return [
                build.load(leaf, build.offset(place, path_offset(module.datalayout, self.returned, path)), 1)
                for path, leaf in leaves(self.returned, True)
            ]
        return [] if made.type.is_void else [get_part(build, made, path) for path, _ in leaves(made.type, True)]

    def _local(self, build: Builder, type: Type) -> Value:
        return build.alloca(type, align=16)


def _call(build: Builder, function: Function, operands: list[Value]) -> CallBase:
    made = build.call(function, operands)
    assert isinstance(made, CallBase)
    made.result_attrs = _calling(function.result_attrs)
    made.cc = _convention(function)
    return made


def _calling(words: tuple[str, ...]) -> tuple[str, ...]:
    """Attributes that belong to the calling convention."""
    return tuple(w for w in words if w.startswith(("sret", "byval", "align")) or w in ("zeroext", "signext", "inreg"))


def _convention(function: Function) -> str:
    return next((w for w in function.prefix if w.endswith("cc") or w.startswith("cc ")), "")


def _opaque_body(module: Module, function: Function) -> None:
    """A body for a function that is only declared: it works on the memory it is given, and keeps none of it."""
    unknown = Function(f"{OPAQUE}{function.name}", function.function_type)
    unknown.attrs = ("memory(argmem: readwrite, inaccessiblemem: readwrite)", "nounwind", "willreturn")
    for mine, theirs in zip(unknown.args, function.args, strict=True):
        kept = ("captures(none)",) if theirs.type.is_pointer else ()
        mine.attrs = (*kept, *(word for word in theirs.attrs if word in ("readonly", "readnone", "writeonly")))
    unknown.result_attrs = function.result_attrs  # noalias: C says it with __attribute__((malloc))
    module.add_function(unknown)
    build = Builder(function.append_block("entry"))
    result = build.call(unknown, list(function.args))
    if result.type.is_void:
        build.ret()
    else:
        build.ret(result)


# --- wrappers --------------------------------------------------------------------------------------------------------


class CustomRules:
    """Makes the engine's functions for requests on functions with a registered rule."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.rules: dict[str, Rule] = {}
        self.variants: dict[str, list[str]] = {}
        self.parameter_attributes: dict[str, list[tuple[str, ...]]] = {}
        module = engine.module
        for name, function in list(module.functions.items()):
            rule = rule_of(module, function)
            if rule is not None:
                self.rules[name] = rule
                variants = variants_of(marks(module, function))
                if variants:
                    self.variants[name] = variants
                for each in {name, *rule.functions, *mentioned_by_rules(module, name)}:
                    self.parameter_attributes[each] = [a.attrs for a in module.functions[each].args]
                if function.is_declaration:
                    _opaque_body(module, function)

    def answers(self, request: Request) -> bool:
        return covers(self.rules.get(request.function), "forward" if request.mode == "forward" else "reverse")

    def _convention(self, request: Request) -> tuple[Convention, Rule]:
        rule, letters = self.rules[request.function], None
        if request.function in self.variants:
            letters = self._variant(request)
            rule = rule_for(request.function, letters, rule.where)
        return Convention(self.engine, self.engine.module.functions[request.function], rule, letters), rule

    def _variant(self, request: Request) -> str:
        """Which of the derivatives made ahead of time has the activities asked for."""
        function = self.engine.module.functions[request.function]
        asked = [
            ("d" if duplicated else "c") if a.type.is_pointer else "o" if is_number(a.type) else "c"
            for a, duplicated in zip(function.args, request.duplicated, strict=True)
        ]
        found = self.variants[request.function]
        if "".join(asked) in found:
            return "".join(asked)
        words = {"d": "dup", "c": "const", "o": "out"}
        have = "; ".join(", ".join(words[each] for each in letters) for letters in found)
        raise UnsupportedError(
            f"the derivative of '{request.function}' asked for has not been made ahead of time",
            function=request.function,
            why=f"its arguments are {', '.join(words[e] for e in asked)}; there is {have}",
            hint=f'write ENZYME_AHEAD_AS({request.function}, "{" ".join(words[e] for e in asked)}") in its header',
        )

    def _c_function(self, name: str) -> CFunction:
        return CFunction(self.engine, self.engine.module.functions[name])

    # split and combined reverse

    def split(self, pair: SplitPair) -> None:
        """Bodies of an augmented primal and a reverse."""
        request = pair.request
        convention, rule = self._convention(request)
        self._refuse_lanes(convention, request)
        tape_leaves = self._augmented(convention, rule, pair.augmented, request)
        self._refuse_lanes(convention, request, tape_leaves)
        self._reverse(convention, rule, pair.reverse, request, tape_leaves)
        for made in (pair.augmented, pair.reverse):
            made.attrs = (*made.attrs, "alwaysinline")

    def combined(self, function: Function, pair: SplitPair) -> None:
        """The augmented primal and the reverse, one after the other."""
        build = Builder(function.append_block("entry"))
        count = len(pair.augmented.args)
        made = build.call(pair.augmented, list(function.args[:count]))
        tape = build.extract_value(made, 0)
        result = build.call(pair.reverse, [*function.args, tape])
        parts: list[Value] = [build.extract_value(made, 1)] if pair.request.return_primal else []
        if isinstance(result.type, StructType):
            parts += [build.extract_value(result, index) for index in range(len(result.type.elements or ()))]
        elif not result.type.is_void:
            parts.append(result)
        return_parts(build, function, parts)

    def _augmented(self, convention: Convention, rule: Rule, made: Function, request: Request) -> list[Type]:
        name = rule.augmented or ""
        callee = self._c_function(name)
        expected = convention.expected("augmented")
        if callee.params != convention.types(False):
            raise convention.wrong(
                name,
                "the augmented primal",
                expected,
                "its parameters are those of the function, a shadow after each pointer",
            )
        results = callee.result_leaves
        given = 0 if convention.result.is_void else 2 if convention.result.is_pointer else 1
        want = [leaf for _ in range(given) for _, leaf in leaves(convention.result, True)]
        if given and results[len(results) - len(want) :] != want:
            raise convention.wrong(name, "the augmented primal", expected, "it returns the function's own result, last")
        tape_leaves = results[: len(results) - len(want)]
        build = Builder(made.append_block("entry"))
        values = callee.call(build, self._arguments(build, convention, request, made, False))
        whole: Value = ConstantToken(made.result_type, "poison")
        whole = build.insert_value(whole, self._boxed(build, values[: len(tape_leaves)]), 0)
        per = len(want) // given if given else 0
        pieces = [values[len(tape_leaves) + i * per : len(tape_leaves) + (i + 1) * per] for i in range(given)]
        at = 1
        if request.return_primal and given:
            whole = build.insert_value(whole, assembled(build, convention.result, pieces[0]), at)
            at += 1
        if request.ret == "dup":
            whole = build.insert_value(whole, assembled(build, convention.result, pieces[1]), at)
        build.ret(whole)
        return tape_leaves

    def _boxed(self, build: Builder, tape: list[Value]) -> Value:
        """The tape as one pointer: itself, or the address of a block that holds it."""
        if not tape:
            return ConstantToken(PTR, "null")
        if len(tape) == 1 and tape[0].type is PTR:
            return tape[0]
        type, offsets, size = self._box([value.type for value in tape])
        assert type is not None
        block = build.call(self.engine.heap("malloc"), [build.const_int(I64, size)])
        for value, offset in zip(tape, offsets, strict=True):
            build.store(value, build.offset(block, offset), 1)
        return block

    def _box(self, types: list[Type]) -> tuple[StructType, list[int], int]:
        type = StructType.literal(tuple(types))
        layout = self.engine.module.datalayout
        return type, list(layout.struct_offsets(type)), layout.alloc_size(type)

    def _unboxed(self, build: Builder, tape: Value, types: list[Type], keep: bool) -> list[Value]:
        if not types:
            return []
        if types == [PTR]:
            return [tape]
        _, offsets, _ = self._box(types)
        values = [build.load(t, build.offset(tape, o), 1) for t, o in zip(types, offsets, strict=True)]
        if not keep:
            build.call(self.engine.heap("free"), [tape])
        return values

    def _reverse(
        self, convention: Convention, rule: Rule, made: Function, request: Request, tape_leaves: list[Type]
    ) -> None:
        name = rule.reverse or ""
        callee = self._c_function(name)
        expected = convention.expected("reverse")
        fixed = convention.types(False) + ([convention.result] if is_number(convention.result) else [])
        if callee.params[: len(fixed)] != fixed:
            raise convention.wrong(
                name, "the reverse", expected, "its parameters are those of the augmented primal, the seed and the tape"
            )
        if callee.parameter_leaves(len(fixed)) != tape_leaves:
            shown = ", ".join(map(_spelled, tape_leaves)) or "no tape"
            raise convention.wrong(
                name, "the reverse", expected, f"the augmented primal '{rule.augmented}' returns {shown}"
            )
        want = [leaf for type in convention.gradients() for _, leaf in leaves(type, True)]
        if callee.result_leaves != want:
            raise convention.wrong(
                name, "the reverse", expected, "it returns the gradient of every float parameter, in order"
            )
        build = Builder(made.append_block("entry"))
        tape = self._unboxed(build, made.args[-1], tape_leaves, request.keep_tape)
        lanes: list[list[Value]] = []
        for lane in range(request.width):
            arguments = self._arguments(build, convention, request, made, False, lane)
            if is_number(convention.result):
                seeded = request.ret == "active"
                arguments.append(made.args[lane - request.width - 1] if seeded else zero(convention.result))
            lanes.append(callee.call(build, arguments, tape))
        gradients: list[Value] = []
        at = 0
        for argument, kind in zip(convention.function.args, request.args, strict=True):
            if is_number(argument.type):
                start, at = at, at + len(leaves(argument.type, True))
                if kind == "out":
                    wholes = [assembled(build, argument.type, values[start:at]) for values in lanes]
                    gradients.append(packed(build, wholes))
            elif kind == "out":
                raise UnsupportedError(
                    f"parameter {argument.index + 1} of '{request.function}' has no gradient",
                    function=request.function,
                    why=f"its type is {argument.type}; a registered derivative has gradients of numbers alone",
                    hint="pass structs by pointer",
                )
        return_parts(build, made, gradients)

    def _arguments(
        self,
        build: Builder,
        convention: Convention,
        request: Request,
        made: Function,
        forward: bool,
        lane: int = 0,
    ) -> list[Value]:
        """The wrapper's own arguments, with the shadows and tangents of one lane, in the order of the convention."""
        own: dict[tuple[int, bool], Value] = {}
        at = 0
        for argument, duplicated in zip(convention.function.args, request.duplicated, strict=True):
            own[argument.index, False] = made.args[at]
            at += 1
            if duplicated:
                shadow: Value = made.args[at + lane]
                if request.at_run_time and argument.type.is_pointer:  # the memory itself: it is constant
                    same = build.icmp("eq", shadow, own[argument.index, False])
                    shadow = build.select(same, zero(argument.type), shadow)
                own[argument.index, True] = shadow
                at += request.width
        return [own.get(key) or zero(convention.function.args[key[0]].type) for key in convention.parameters(forward)]

    def _refuse_lanes(self, convention: Convention, request: Request, tape: Sequence[Type] = ()) -> None:
        """Functions of numbers are called once for each direction; a tape may be freed by the first call."""
        types = (*convention.function.function_type.params, convention.result, *tape)
        if request.width > 1 and any(type.scalar.is_pointer for type in types):
            raise UnsupportedError(
                f"the registered derivative of '{request.function}' is for one direction, not {request.width}",
                function=request.function,
                why="to call it once for each would also repeat what the function does to memory",
                hint="ask for the directions one by one",
            )

    # forward

    def forward(self, function: Function, request: Request) -> None:
        """Body of a forward derivative."""
        convention, rule = self._convention(request)
        self._refuse_lanes(convention, request)
        build = Builder(function.append_block("entry"))
        split = rule.forward is None
        name = (rule.split_forward if split else rule.forward) or ""
        kind = "split forward" if split else "forward"
        callee = self._c_function(name)
        expected = convention.expected(kind)
        fixed = convention.types(True)
        if callee.params[: len(fixed)] != fixed or (not split and len(callee.params) != len(fixed)):
            raise convention.wrong(
                name,
                f"the {kind} derivative",
                expected,
                "its parameters are those of the function, a tangent after each float and a shadow after each pointer",
            )
        primal: Value | None = None
        tape: list[Value] = []
        if split:
            primal, tape = self._primal_of_split(build, convention, rule, request, function)
            if callee.parameter_leaves(len(fixed)) != [value.type for value in tape]:
                raise convention.wrong(name, f"the {kind} derivative", expected, "the tape is another one")
            self._refuse_lanes(convention, request, [value.type for value in tape])
        lanes = [
            callee.call(build, self._arguments(build, convention, request, function, True, lane), tape)
            for lane in range(request.width)
        ]
        values = lanes[0]
        own = [] if convention.result.is_void else [leaf for _, leaf in leaves(convention.result, True)]
        have = [value.type for value in values]
        differentiable = is_number(convention.result) or convention.result.is_pointer
        tangents: list[Value] = []
        if own and differentiable and have == own:
            tangents = [assembled(build, convention.result, each) for each in lanes]
        elif own and differentiable and have == own + own:
            primal = assembled(build, convention.result, values[: len(own)])
            tangents = [assembled(build, convention.result, each[len(own) :]) for each in lanes]
        elif not differentiable and have == own:
            primal = assembled(build, convention.result, values) if own else None
        elif have:
            raise convention.wrong(name, f"the {kind} derivative", expected, "it returns something else")
        elif differentiable and own:
            raise convention.wrong(name, f"the {kind} derivative", expected, "it returns nothing")
        if request.return_primal and own and primal is None:
            primal = self._primal_alone(build, convention, request, function, name, expected)
        parts = [primal] if request.return_primal and primal is not None else []
        if request.ret != "const":
            parts.append(packed(build, tangents or [zero(convention.result)] * request.width))
        return_parts(build, function, parts)
        function.attrs = (*function.attrs, "alwaysinline")

    def _primal_of_split(
        self, build: Builder, convention: Convention, rule: Rule, request: Request, function: Function
    ) -> tuple[Value | None, list[Value]]:
        callee = self._c_function(rule.split_augmented or "")
        expected = convention.expected("augmented")
        if callee.params != convention.types(False):
            raise convention.wrong(
                rule.split_augmented or "",
                "the augmented primal",
                expected,
                "its parameters are those of the function, a shadow after each pointer",
            )
        values = callee.call(build, self._arguments(build, convention, request, function, False))
        given = 0 if convention.result.is_void else 2 if convention.result.is_pointer else 1
        want = [leaf for _ in range(given) for _, leaf in leaves(convention.result, True)]
        if given and [v.type for v in values[len(values) - len(want) :]] != want:
            raise convention.wrong(
                rule.split_augmented or "",
                "the augmented primal",
                expected,
                "it returns the function's own result, last",
            )
        tape, results = values[: len(values) - len(want)], values[len(values) - len(want) :]
        own = len(want) // given if given else 0
        return (assembled(build, convention.result, results[:own]) if given else None), tape

    def _primal_alone(
        self, build: Builder, convention: Convention, request: Request, made: Function, name: str, expected: str
    ) -> Value:
        """The function's own result by a call of it, where its derivative gives only the tangent."""
        function = convention.function
        summary = self.engine.effects_of(function)
        if summary is None or summary.writes_args or summary.writes_globals or summary.writes_other:
            raise convention.wrong(
                name,
                "the forward derivative",
                expected.replace(f"{_spelled(convention.result)}, or ", ""),
                "the function writes memory, so its value must come from the one call of the derivative",
            )
        own: list[Value] = []
        at = 0
        for duplicated in request.duplicated:
            own.append(made.args[at])
            at += 1 + request.width if duplicated else 1
        return _call(build, function, own)
