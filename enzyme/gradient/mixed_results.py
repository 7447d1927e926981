"""Functions whose result is a struct that holds pointers write it to memory instead.

Pointers have shadows and numbers have adjoints; a value that is both at once would need both. So a function that
returns, say, ``{ ptr, double }`` is turned into one that stores the parts through a parameter, and its callers load
them from a local. Augmented primals are such functions, when derivatives of derivatives are made; so are C functions
that return small structs in registers. Under its own name the function goes on with its own signature, for requests.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeVar

from enzyme.analysis.dispatched import is_dispatch
from enzyme.gradient.aggregates import Path, leaves, path_offset, put_part
from enzyme.gradient.exceptions import replace_call
from enzyme.gradient.moved_bodies import direct_calls, move_body, read_bodies
from enzyme.ir.builder import Builder
from enzyme.ir.layout import DataLayout
from enzyme.ir.module import Module
from enzyme.ir.types import PTR, VOID, ArrayType, FunctionType, IntType, StructType, Type
from enzyme.ir.values import (
    Block,
    CallBase,
    ConstantAggregate,
    ConstantToken,
    ExtractValue,
    Function,
    InsertValue,
    Instruction,
    Phi,
    Return,
    Select,
    Value,
    zero,
)

T = TypeVar("T")
_PACKED = 64
_ABOUT_MEMORY = ("memory(", "readnone", "readonly", "writeonly", "speculatable")


def results_to_memory(module: Module, words: Collection[Function] = ()) -> None:
    """Rewrite every defined function of that kind that another function of the module calls, and those that return
    ``words`` which are addresses at some times and numbers at others."""
    for function in list(module.functions.values()):
        _take_apart(function)
    mixed = [f for f in module.functions.values() if not f.is_declaration and (_is_mixed(f.result_type) or f in words)]
    if not mixed:
        return
    read_bodies(module)
    for function in mixed:
        calls = direct_calls(function)
        if calls and not function.function_type.vararg:
            _convert(module, function, calls)


def _take_apart(function: Function) -> None:
    """What is taken out of such a struct where it was put together in the same function, as inlining leaves it, is
    what was put in."""
    extractions = [
        inst
        for inst in function.instructions()
        if isinstance(inst, ExtractValue)
        and isinstance(inst.operands[0], (InsertValue, Select, Phi))
        and _is_mixed(inst.operands[0].type)
        and not isinstance(inst.type, (StructType, ArrayType))
    ]
    parts = _Parts()
    for inst in extractions:
        inst.replace_all_uses_with(parts.at(inst.operands[0], tuple(inst.indices), inst.type, inst))
        inst.erase()
    while extractions and sum(_drop_dead(block) for block in reversed(function.blocks)):
        pass


def _is_mixed(type: Type) -> bool:
    """Whether there are pointers in the struct, or integers in which several numbers may be packed."""
    return isinstance(type, (StructType, ArrayType)) and any(
        leaf.scalar.is_pointer or (isinstance(leaf, IntType) and leaf.bits >= _PACKED) for _, leaf in leaves(type)
    )


def _convert(module: Module, function: Function, calls: list[CallBase]) -> None:
    type = function.result_type
    at = _place(function)
    parameters: list[Type] = [PTR if a is None else a.type for a in _with(at, function.args)]
    names = ["result" if a is None else a.name for a in _with(at, function.args)]
    made = move_body(module, function, "memory", FunctionType(VOID, tuple(parameters)), names)
    made.attrs, made.result_attrs = without_memory(module, function), ()
    slot = made.args[at]
    slot.attrs = ("noalias", "nonnull")
    for mine, theirs in zip((a for a in made.args if a is not slot), function.args, strict=True):
        mine.attrs = tuple(w for w in theirs.attrs if w != "returned")
        theirs.replace_all_uses_with(mine)
    blocks = made.blocks
    for block in blocks:
        end = block.terminator
        if isinstance(end, Return):
            _store_result(module.datalayout, end, slot)
    _wrap(module, function, made, type)
    for call in calls:
        _load_result(module, call, made, type)
    while sum(_drop_dead(block) for block in reversed(blocks)):
        pass


def _place(function: Function) -> int:
    """Where the parameter for the result goes: in front, but the first one of a dispatch stays the pointer that it
    compares, so that the others are those of what it calls."""
    return 1 if is_dispatch(function) else 0


def _with(at: int, each: Sequence[T]) -> list[T | None]:
    """The items with None for the result among them."""
    return [*each[:at], None, *each[at:]]


def without_memory(module: Module, holder: Function | CallBase) -> tuple[str, ...]:
    """The attributes of a function or call but for what it does to memory."""
    words = module.fn_attributes(holder)  # of a function, what its definition alone may say as well
    return tuple(sorted(w for w in words if not w.startswith(_ABOUT_MEMORY) and not w.endswith("unnamed_addr")))


def _store_result(layout: DataLayout, end: Return, slot: Value) -> None:
    whole = end.operands[0]
    block = end.block
    assert block is not None
    parts = _Parts()
    for path, leaf in leaves(whole.type):
        piece = parts.at(whole, path, leaf, end)
        if not isinstance(piece, ConstantToken) or piece.keyword not in ("undef", "poison"):
            build = Builder(block, before=end)
            address = build.offset(slot, path_offset(layout, whole.type, path))
            build.store(piece, address, layout.abi_align(leaf))
    end.erase()
    Builder(block).ret()


def _wrap(module: Module, function: Function, made: Function, type: Type) -> None:
    build = Builder(function.append_block("entry"))
    slot = build.alloca(type, align=module.datalayout.abi_align(type), name="result")
    build.call(made, [slot if a is None else a for a in _with(_place(function), function.args)])
    whole: Value = ConstantToken(type, "poison")
    for path, leaf in leaves(type):
        whole = put_part(build, whole, _load(module.datalayout, build, slot, type, path, leaf), path)
    build.ret(whole)


def _load_result(module: Module, call: CallBase, made: Function, type: Type) -> None:
    assert call.block is not None and call.function is not None
    entry = call.function.entry
    layout = module.datalayout
    head = Builder(entry, before=entry.instructions[0])
    slot = head.alloca(type, align=layout.abi_align(type), name=f"{call.name}.result" if call.name else None)
    at = _place(made)
    new, build = replace_call(call, made, [slot if a is None else a for a in _with(at, call.args)])
    new.attrs = without_memory(module, call)
    new.arg_attrs = tuple(words or () for words in _with(at, call.arg_attrs))
    new.metadata = {kind: text for kind, text in call.metadata.items() if kind == "dbg"}
    known: dict[Path, Value] = {}
    replaced: list[Instruction] = []
    for user in list(call.users):
        if not isinstance(user, ExtractValue):
            continue
        path = tuple(user.indices)
        found = next((leaf for at, leaf in leaves(type) if at == path), None)
        if found is None:
            continue
        if path not in known:
            known[path] = _load(layout, build, slot, type, path, found)
        user.replace_all_uses_with(known[path])
        replaced.append(user)
    for extraction in replaced:
        if build.before is extraction:
            following = build.block.instructions[build.block.instructions.index(extraction) + 1 :]
            build.before = following[0]
        extraction.erase()
    if call.users:
        whole: Value = ConstantToken(type, "poison")
        for path, leaf in leaves(type):
            if path not in known:
                known[path] = _load(layout, build, slot, type, path, leaf)
            whole = put_part(build, whole, known[path], path)
        call.replace_all_uses_with(whole)
    call.erase()


def _load(layout: DataLayout, build: Builder, slot: Value, type: Type, path: Path, leaf: Type) -> Value:
    return build.load(leaf, build.offset(slot, path_offset(layout, type, path)), layout.abi_align(leaf))


class _Parts:
    """Leaves of aggregate values, found where they were put in, through phis and selects."""

    def __init__(self) -> None:
        self._phis: dict[tuple[Value, Path], Phi] = {}

    def at(self, value: Value, path: Path, leaf: Type, before: Instruction) -> Value:
        while isinstance(value, InsertValue):
            indices = tuple(value.indices)
            if path[: len(indices)] == indices:
                value, path = value.operands[1], path[len(indices) :]
            else:
                value = value.operands[0]
        if not path:
            return value
        if isinstance(value, ConstantToken):
            undefined = value.keyword in ("undef", "poison")
            return ConstantToken(leaf, value.keyword) if undefined else zero(leaf)
        if isinstance(value, ConstantAggregate):
            return self.at(list(value.constant_operands())[path[0]], path[1:], leaf, before)
        assert before.block is not None
        if isinstance(value, Phi):
            made = self._phis.get((value, path))
            if made is None:
                home = value.block
                assert home is not None
                made = self._phis[value, path] = Phi(leaf, (), name=value.name)
                home.insert(home.instructions.index(value), made)
                for incoming, source in value.incoming:
                    assert source.terminator is not None
                    made.add_incoming(self.at(incoming, path, leaf, source.terminator), source)
            return made
        if isinstance(value, Select):
            left = self.at(value.operands[1], path, leaf, value)
            right = self.at(value.operands[2], path, leaf, value)
            assert value.block is not None
            return Builder(value.block, before=value).select(value.operands[0], left, right)
        build = Builder(before.block, before=before)
        return build.extract_value(value, *path)


def _drop_dead(block: Block) -> int:
    """Erase aggregates that nobody looks at any more; how many there were."""
    dead = [
        inst
        for inst in block.instructions
        if isinstance(inst, (InsertValue, Select, Phi)) and _is_mixed(inst.type) and not inst.users
    ]
    for inst in dead:
        inst.erase()
    return len(dead)
