"""The result of a derivative as the type that the call was declared to return."""

from __future__ import annotations

from collections.abc import Sequence

from enzyme.gradient.aggregates import assembled, get_part, leaves, path_offset
from enzyme.gradient.apply import is_float
from enzyme.gradient.arguments import usage_error
from enzyme.gradient.normalise import attribute_type
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import FloatType, StructType, Type
from enzyme.ir.values import CallBase, Function, Value, zero
from enzyme.support.diagnostics import UsageError


class CallResult:
    """What a call is declared to return. ``source`` says what returns, for messages, and ``why`` why it is that; a
    ``prefix`` of it will do for calls that return several things of which the first may be all that is wanted."""

    def __init__(
        self,
        module: Module,
        caller: Function,
        call: CallBase,
        memory: Value | None,
        source: str,
        why: str = "that is what there is to return",
        prefix: bool = False,
    ) -> None:
        self.module, self.caller, self.call, self.memory = module, caller, call, memory
        self.source, self.why, self.prefix = source, why, prefix

    def give(self, build: Builder, parts: Sequence[Value]) -> Value | None:
        """Let the call's users have ``parts``, one after the other; as one value, unless they are in memory."""
        if self.memory is not None:
            self._store(build, parts, self.memory)
        elif self.call.users:
            result = self._value(build, parts)
            self.call.replace_all_uses_with(result)
            return result
        return None

    def _store(self, build: Builder, parts: Sequence[Value], memory: Value) -> None:
        """Written to the memory of a struct that the C ABI returns through a pointer."""
        (word,) = (a for a in self.call.arg_attrs[0] if a.startswith("sret"))
        type = attribute_type(self.module, (word,), "sret")
        want = leaves(type, vectors=True) if type is not None else []
        have = _numbers(parts)
        if type is None or not self._match([t for _, t in want], have):
            raise self._mismatch(word[len("sret(") : -1], parts)
        layout = self.module.datalayout
        for (target, piece), (value, source, _) in zip(want, have, strict=False):
            address = build.offset(memory, path_offset(layout, type, target))
            build.store(get_part(build, value, source), address, min(layout.abi_align(piece), 8))

    def _value(self, build: Builder, parts: Sequence[Value]) -> Value:
        want = self.call.type
        if not parts:
            if is_float(want):  # declared double by habit, nothing to return: the value is documented as zero
                return zero(want)
            raise self._mismatch(str(want), parts)
        first = parts[0]
        if len(parts) == 1 or self.prefix:
            if first.type is want:
                return first
            if isinstance(want, FloatType) and isinstance(first.type, FloatType):
                return build.float_cast(first, want)
        have = _numbers(parts)
        wanted = leaves(want, vectors=True)
        if not self._match([t for _, t in wanted], have):
            raise self._mismatch(str(want), parts)
        pieces = [get_part(build, value, path) for value, path, _ in have[: len(wanted)]]
        return assembled(build, want, pieces)

    def _match(self, want: list[Type], have: list[tuple[Value, tuple[int, ...], Type]]) -> bool:
        types = [type for _, _, type in have]
        return types[: len(want)] == want if self.prefix else types == want

    def _mismatch(self, want: str, parts: Sequence[Value]) -> UsageError:
        types = [part.type for part in parts]
        have = "void" if not types else types[0] if len(types) == 1 else StructType.literal(tuple(types))
        return usage_error(
            self.module,
            self.caller,
            self.call,
            f"the call is declared to return {want}, {self.source} returns {have}",
            self.why,
            "declare the result to match: void, the type of the one enzyme_out argument, or a struct of them in order",
        )


def _numbers(parts: Sequence[Value]) -> list[tuple[Value, tuple[int, ...], Type]]:
    """The leaves of several values in order: where each is, and its type."""
    return [(part, path, type) for part in parts for path, type in leaves(part.type, vectors=True)]
