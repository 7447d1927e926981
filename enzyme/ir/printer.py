"""From objects back to LLVM's text.

A body that was never loaded is printed as it was read. Everything else is printed from the objects: unnamed values
are numbered in order, and of two locals with one name the later gets a suffix, so any well-formed function prints as
text that LLVM reads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from enzyme.ir.module import Entity, Module
from enzyme.ir.types import I32, VOID, StructType
from enzyme.ir.values import (
    Alloca,
    Argument,
    AtomicRMW,
    CallBase,
    Cast,
    Compare,
    CompareExchange,
    Constant,
    ConstantInt,
    DebugRecord,
    ExtractValue,
    Fence,
    Function,
    GetElementPtr,
    GlobalAlias,
    GlobalVariable,
    InsertValue,
    Instruction,
    Load,
    MetadataValue,
    OtherInstruction,
    Phi,
    Store,
    Switch,
    Value,
    quote_name,
)

_MARK = re.compile(r"\{(=?)(\d+)\}")


def local_text(name: str) -> str:
    """A local's name as printed after the percent sign or before the colon of a label."""
    return f'"{name}"' if name.isdigit() else quote_name(name)


class Names:
    """The printed name of every local of one function."""

    def __init__(self, function: Function | None) -> None:
        self.of: dict[Value, str] = {}
        self._taken: dict[str, int] = {}  # each name with the number of suffixes tried on it
        self._number = 0
        if function is not None:
            self._enter_all(function.args)
            for block in function.blocks:
                self._enter(block)
                self._enter_all(i for i in block.instructions if i.type is not VOID)

    def _enter_all(self, values: Iterable[Value]) -> None:
        for value in values:
            self._enter(value)

    def _enter(self, value: Value) -> None:
        name = value.name
        if not name:
            self.of[value] = str(self._number)
            self._number += 1
            return
        if name in self._taken:
            base = name
            while name in self._taken:
                self._taken[base] += 1
                name = f"{base}.{self._taken[base]}"
        self._taken[name] = 0
        self.of[value] = local_text(name)

    def reference(self, value: Value) -> str:
        """The value as an operand, without its type."""
        found = self.of.get(value)
        if found is not None:
            return "%" + found
        if isinstance(value, Constant):
            return value.text
        if isinstance(value, MetadataValue):
            return self.typed(value.inner)
        return "%" + (local_text(value.name) if value.name else "?")  # of another function, or of none

    def typed(self, value: Value) -> str:
        return f"{value.type.text} {self.reference(value)}"

    def list(self, values: Iterable[Value]) -> str:
        return ", ".join(map(self.typed, values))


# --- instructions ----------------------------------------------------------------------------------------------------


def _words(*words: str) -> str:
    return " ".join(filter(None, words))


def _head(inst: Instruction) -> str:
    return f"{inst.opcode} {' '.join(inst.flags)} " if inst.flags else inst.opcode + " "


def _same_type(inst: Instruction, names: Names) -> str:
    """``opcode flags TYPE a, b``."""
    left, right = inst.operands
    return f"{_head(inst)}{names.typed(left)}, {names.reference(right)}"


def _typed_operands(inst: Instruction, names: Names) -> str:
    """``opcode flags TYPE a, TYPE b, ...``."""
    return _head(inst) + names.list(inst.operands)


def _cast(inst: Instruction, names: Names) -> str:
    assert isinstance(inst, Cast)
    return f"{_head(inst)}{names.typed(inst.operands[0])} to {inst.type.text}"


def _compare(inst: Instruction, names: Names) -> str:
    assert isinstance(inst, Compare)
    left, right = inst.operands
    return f"{_head(inst)}{inst.predicate} {names.typed(left)}, {names.reference(right)}"


def _phi(inst: Instruction, names: Names) -> str:
    assert isinstance(inst, Phi)
    pairs = [f"[ {names.reference(value)}, {names.reference(block)} ]" for value, block in inst.incoming]
    return f"{_head(inst)}{inst.type.text} {', '.join(pairs)}"


def _alloca(inst: Instruction, names: Names) -> str:
    assert isinstance(inst, Alloca)
    count = inst.operands[0]
    parts = [_head(inst) + inst.allocated_type.text]
    if not (isinstance(count, ConstantInt) and count.value == 1 and count.type is I32):
        parts.append(names.typed(count))
    if inst.align:
        parts.append(f"align {inst.align}")
    if inst.type.text != "ptr":
        parts.append(inst.type.text.removeprefix("ptr "))
    return ", ".join(parts)


def _memory(inst: Instruction, names: Names) -> str:
    assert isinstance(inst, (Load, Store))
    shown = names.list(inst.operands)
    if isinstance(inst, Load):
        shown = f"{inst.type.text}, {shown}"
    ordering = f" {inst.ordering}" if inst.ordering else ""
    align = f", align {inst.align}" if inst.align else ""
    return f"{_head(inst)}{shown}{ordering}{align}"


def _getelementptr(inst: Instruction, names: Names) -> str:
    assert isinstance(inst, GetElementPtr)
    return f"{_head(inst)}{inst.source_type.text}, {names.list(inst.operands)}"


def _indexed(inst: Instruction, names: Names) -> str:
    assert isinstance(inst, (ExtractValue, InsertValue))
    return f"{_head(inst)}{names.list(inst.operands)}, {', '.join(map(str, inst.indices))}"


def _atomic(inst: Instruction, names: Names) -> str:
    assert isinstance(inst, (AtomicRMW, CompareExchange))
    operation = f"{inst.operation} " if isinstance(inst, AtomicRMW) else ""
    return f"{_head(inst)}{operation}{names.list(inst.operands)} {inst.tail}"


def _fence(inst: Instruction, names: Names) -> str:
    assert isinstance(inst, Fence)
    return f"fence {inst.tail}"


def _call(inst: Instruction, names: Names) -> str:
    assert isinstance(inst, CallBase)
    shown = []
    for argument, attrs in zip(inst.args, inst.arg_attrs, strict=True):
        text = " ".join((argument.type.text, *attrs)) if attrs else argument.type.text
        shown.append(f"{text} {names.reference(argument)}")
    if inst.tail == "musttail" and inst.function is not None and inst.function.function_type.vararg:
        shown.append("...")
    type = inst.callee_type.text if inst.callee_type.vararg else inst.callee_type.result.text
    callee = f"{names.reference(inst.callee)}({', '.join(shown)})"
    bundles = _fill(inst.bundles, inst.bundle_operands, names) if inst.bundles else ""
    head = _words(inst.tail, inst.opcode, *inst.flags, inst.cc, *inst.result_attrs, type)
    text = _words(head, callee, *inst.attrs, bundles)
    if inst.opcode == "invoke":
        normal, unwind = inst.operands[-2:]
        return f"{text}\n          to {names.typed(normal)} unwind {names.typed(unwind)}"
    return text


def _ret(inst: Instruction, names: Names) -> str:
    return f"ret {names.typed(inst.operands[0])}" if inst.operands else "ret void"


def _switch(inst: Instruction, names: Names) -> str:
    assert isinstance(inst, Switch)
    cases = "".join(f"    {names.typed(value)}, {names.typed(block)}\n" for value, block in inst.cases)
    return f"switch {names.list(inst.operands[:2])} [\n{cases}  ]"


def _bare(inst: Instruction, names: Names) -> str:
    return inst.opcode


def _fill(template: str, operands: Sequence[Value], names: Names) -> str:
    def operand(found: re.Match[str]) -> str:
        value = operands[int(found[2])]
        return names.reference(value) if found[1] else names.typed(value)

    return _MARK.sub(operand, template)


def _template(inst: Instruction, names: Names) -> str:
    assert isinstance(inst, (OtherInstruction, DebugRecord))
    return _fill(inst.template, inst.operands, names)


_PRINTERS: dict[str, Callable[[Instruction, Names], str]] = {
    **dict.fromkeys(("icmp", "fcmp"), _compare),
    **dict.fromkeys(("load", "store"), _memory),
    **dict.fromkeys(("extractvalue", "insertvalue"), _indexed),
    **dict.fromkeys(("atomicrmw", "cmpxchg"), _atomic),
    **dict.fromkeys(("call", "invoke"), _call),
    **dict.fromkeys(
        ("select", "freeze", "fneg", "extractelement", "insertelement", "shufflevector", "br"), _typed_operands
    ),
    "phi": _phi,
    "alloca": _alloca,
    "getelementptr": _getelementptr,
    "fence": _fence,
    "ret": _ret,
    "switch": _switch,
    "unreachable": _bare,
}


def instruction_text(inst: Instruction, names: Names) -> str:
    """One instruction with names that were made once for the whole function."""
    if isinstance(inst, (OtherInstruction, DebugRecord)):
        text = _template(inst, names)
    elif isinstance(inst, Cast):
        text = _cast(inst, names)
    else:
        text = _PRINTERS.get(inst.opcode, _same_type)(inst, names)
    if inst.type is not VOID:
        text = f"%{names.of.get(inst) or (local_text(inst.name) if inst.name else '?')} = {text}"
    if inst.metadata:
        text += "".join(f", !{kind} {node}" for kind, node in inst.metadata.items())
    return text


def print_instruction(instruction: Instruction) -> str:
    """One instruction as LLVM would print it, without indentation; unattached unnamed values show as ``%?``."""
    return instruction_text(instruction, Names(instruction.function))


# --- functions -------------------------------------------------------------------------------------------------------


def _parameter(argument: Argument, name: str) -> str:
    return _words(argument.type.text, *argument.attrs, name)


def _header(function: Function, names: Names | None) -> str:
    """``define``/``declare`` line; parameters are named when ``names`` is given."""
    shown = [_parameter(a, f"%{names.of[a]}" if names is not None else "") for a in function.args]
    if function.function_type.vararg:
        shown.append("...")
    prefix, metadata = list(function.prefix), ""
    if not function.is_declaration:  # metadata stands in front of a declaration and behind a definition
        metadata = " ".join(word for word in prefix if word[0] == "!")
        prefix = [word for word in prefix if word[0] != "!"]
    return _words(
        "declare" if function.is_declaration else "define",
        *prefix,
        *function.result_attrs,
        function.function_type.result.text,
        f"{function.text}({', '.join(shown)})",
        *function.attrs,
        function.suffix,
        metadata,
    )


def print_function(function: Function) -> str:
    """A definition or declaration with a line feed at its end."""
    if function.is_declaration:
        return _header(function, None) + "\n"
    module = function.module
    if not function.is_loaded and module is not None and function.name in module.address_taken:
        function.blocks  # noqa: B018  (the text has numbers where the module now refers to names)
    if not function.is_loaded:
        header_names = Names(None)
        header_names._enter_all(function.args)
        return f"{_header(function, header_names)} {{\n{function.body_text}}}\n"
    names = Names(function)
    lines = [_header(function, names) + " {"]
    for index, block in enumerate(function.blocks):
        if index:
            lines.append(f"\n{names.of[block]}:")
        elif block.name:
            lines.append(f"{names.of[block]}:")
        for inst in block.instructions:
            lines.append(("    " if isinstance(inst, DebugRecord) else "  ") + instruction_text(inst, names))
    lines.append("}\n")
    return "\n".join(lines)


# --- modules ---------------------------------------------------------------------------------------------------------


def _global_text(value: GlobalVariable) -> str:
    if value.entity is not None:
        return value.entity
    space = value.type.text.removeprefix("ptr").strip()
    initializer = value.initializer
    shown = f" {initializer.text}" if isinstance(initializer, Constant) else ""
    linkage = value.linkage or ("external" if initializer is None else "")
    kind = "constant" if value.is_constant else "global"
    return f"{value.text} = {_words(linkage, space, kind, value.value_type.text)}{shown}"


def _entity_text(entity: Entity) -> str:
    if isinstance(entity, Function):
        return "\n" + print_function(entity)
    if isinstance(entity, GlobalVariable):
        return _global_text(entity) + "\n"
    if isinstance(entity, GlobalAlias):
        return entity.entity + "\n"
    return entity + "\n"


def _type_text(struct: StructType) -> str:
    body = "opaque" if struct.elements is None else StructType.body_text(struct.elements, struct.packed)
    return f"{struct.name} = type {body}\n"


def print_module(module: Module) -> str:
    """The module as text that LLVM reads."""
    bodies = [_entity_text(entity) for entity in module.entities]
    parts: list[str] = [f"; ModuleID = '{module.name}'\n"]
    if module.source_filename:
        parts.append(f'source_filename = "{module.source_filename}"\n')
    if module.datalayout.text:
        parts.append(f'target datalayout = "{module.datalayout.text}"\n')
    if module.triple:
        parts.append(f'target triple = "{module.triple}"\n')
    parts.append("\n")
    parts += [line + "\n" for line in module.assembly]
    parts += map(_type_text, module.named_types.values())
    parts += [line + "\n" for line in module.comdats]
    parts += bodies
    parts.append("\n")
    for number, words in module.attribute_groups.items():
        parts.append(f"attributes #{number} = {{ {_words(*words)} }}\n")
    parts.append("\n")
    parts += [f"!{key} = {value}\n" for key, value in module.metadata.items()]
    return "".join(parts)


__all__ = ["Names", "instruction_text", "print_function", "print_instruction", "print_module"]
