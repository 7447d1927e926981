"""Moving functions between modules: out of a program to be prepared, and derivatives back into it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from enzyme.gradient.candidates import AddressIndex, has_indirect_calls, text_of
from enzyme.gradient.other_names import definition_of, weak_attribute
from enzyme.gradient.registrations import mentioned_by_rules
from enzyme.gradient.sorting import COMPARATOR, calls_sort
from enzyme.ir.module import Module, in_order
from enzyme.ir.printer import print_module
from enzyme.ir.values import CallBase, Function, GlobalAlias, GlobalVariable, Instruction, MetadataOperand, Value
from enzyme.rules.known_cxx import stays_call
from enzyme.rules.like import own_name
from enzyme.rules.names import PACKED

_GLOBAL_NAME = re.compile(r'@([-A-Za-z$._0-9]+|"[^"]*")')
_MUST = re.compile(r"\bmusttail call\b(?![^\n]*\.\.\.)")
"""What is differentiated returns to its caller. (LLVM gives functions one exit without a look at such calls.)"""
_METADATA_NODE = re.compile(r"!(\d+)")


def mentioned(text: str) -> set[str]:
    """Names of globals that a piece of IR text mentions."""
    return {name.strip('"') for name in _GLOBAL_NAME.findall(text)}


def reachable_functions(module: Module, roots: Iterable[str], index: AddressIndex | None = None) -> list[str]:
    """Names of the defined functions that ``roots`` mention, directly or through others, in order of discovery.

    A call through a pointer mentions every function it may lead to (``index`` tells), library functions included.
    """
    index = index if index is not None else AddressIndex(module)
    found: dict[str, None] = {}
    library: dict[str, None] = {}
    work = list(roots)
    while work:
        name = work.pop()
        function = module.functions.get(name)
        if name in found or function is None or function.is_declaration or name.startswith(PACKED):
            continue
        if stays_call(name):
            continue
        found[name] = None
        work += _mentions(module, function)
        sorts = calls_sort(text_of(function))
        if sorts or has_indirect_calls(function):
            targets = {t for i in function.instructions() if isinstance(i, CallBase) for t in index.of(i, module)}
            targets |= set(index.of_type(COMPARATOR, module) if sorts else ())
            work += sorted(targets)
            library |= dict.fromkeys(t for t in sorted(targets) if module.functions[t].is_declaration)
    return [*found, *library]


def mentioned_functions(module: Module, roots: Iterable[str]) -> list[str]:
    """The same without what pointers lead to."""
    found: dict[str, None] = {}
    work = list(roots)
    while work:
        name = work.pop()
        function = module.functions.get(name)
        if name not in found and function is not None and not function.is_declaration and not stays_call(name):
            found[name] = None
            work += _mentions(module, function)
    return list(found)


def _mentions(module: Module, function: Function) -> list[str]:
    """Functions that a body names; by a weak name the one that it was defined as."""
    names = mentioned(text_of(function))
    weak = {definition_of(module.aliases[name]) for name in names & module.aliases.keys()}
    return sorted((names | weak) & module.functions.keys())


def users_of(module: Module, names: Iterable[str]) -> set[str]:
    """``names`` and the functions that mention them, directly or through others."""
    mentions = {f.name or "": mentioned(text_of(f)) for f in module.functions.values() if not f.is_declaration}
    found, grown = set(names), True
    while grown:
        more = {name for name, others in mentions.items() if name not in found and not others.isdisjoint(found)}
        found, grown = found | more, bool(more)
    return found


def extract(module: Module, names: Iterable[str], roots: Iterable[str] = ()) -> str:
    """A module text with the named definitions, all globals and types, and declarations of everything else in use:
    what they mention, ``roots``, and the functions that registered rules need."""
    wanted = set(names)
    sub = Module(module.name)
    sub.source_filename, sub.datalayout, sub.triple = module.source_filename, module.datalayout, module.triple
    sub.named_types, sub.comdats = module.named_types, module.comdats
    sub.attribute_groups, sub.metadata = module.attribute_groups, _needed_metadata(module, wanted)
    used: set[str] = set(roots)
    for name in wanted:
        used |= mentioned(text_of(module.functions[name])) | mentioned(module.functions[name].suffix)
    work = list(used)
    while work:  # globals' initialisers mention further globals
        variable = module.globals.get(work.pop())
        more = mentioned(variable.entity or "") - used if variable is not None else set()
        used |= more
        work += more
    for name in [*wanted, *used]:
        used.update(mentioned_by_rules(module, name))
    for entity in module.entities:
        if isinstance(entity, Function):
            if entity.name in wanted and not entity.is_declaration:
                sub.entities.append(entity)
            elif entity.name in used or entity.name in wanted:
                sub.entities.append(_declaration(entity))
        elif isinstance(entity, str) or entity.name in used:
            sub.entities.append(_declared_alias(module, entity) if isinstance(entity, GlobalAlias) else entity)
    return _MUST.sub("tail call", print_module(sub))


def _declared_alias(module: Module, alias: GlobalAlias) -> Function | GlobalAlias:
    """A weak name of a function (others are not left) as one that is only declared: it may be another file's."""
    function = module.functions.get(definition_of(alias))
    if function is None:
        return alias
    made = _declaration(function, alias.name)
    made.attrs = (*made.attrs, weak_attribute(function))
    return made


def _declaration(function: Function, name: str | None = None) -> Function:
    made = Function(name or function.name or "", function.function_type)
    for mine, theirs in zip(made.args, function.args, strict=True):
        mine.attrs = theirs.attrs
    made.attrs, made.result_attrs = function.attrs, function.result_attrs
    made.prefix = tuple(w for w in function.prefix if w.endswith("cc") or w.startswith("cc ") or w == "extern_weak")
    return made


def _needed_metadata(module: Module, wanted: set[str]) -> dict[str, str]:
    work = [key for key in module.metadata if not key.isdigit() and key != "llvm.dbg.cu"]
    work += [
        key
        for name in wanted
        for text in (text_of(module.functions[name]), module.functions[name].suffix)
        for key in _METADATA_NODE.findall(text)
    ]
    work += ["llvm.dbg.cu"] if "llvm.dbg.cu" in module.metadata else []
    for entity in module.entities:
        text = entity if isinstance(entity, str) else getattr(entity, "entity", None) or ""
        work += _METADATA_NODE.findall(text)
        if isinstance(entity, Function):
            work += _METADATA_NODE.findall(entity.suffix)
    seen: set[str] = set()
    while work:
        key = work.pop()
        if key not in seen and key in module.metadata:
            seen.add(key)
            work += _METADATA_NODE.findall(module.metadata[key])
    return {key: text for key, text in module.metadata.items() if key in seen}


class Importer:
    """Takes functions made in one module over into another that has the same globals and types."""

    def __init__(self, source: Module, target: Module) -> None:
        self.source, self.target = source, target
        self._nodes: dict[str, str] = {}
        self._identities: dict[tuple[str, ...], str] | None = None

    def take(self, function: Function) -> Function:
        """Move ``function``, with the metadata it refers to, and declarations or definitions of the globals it uses. A
        runtime function that is there already takes its place: they go by their names."""
        if function.module is self.target:
            return function
        name = function.name or ""
        there = self.target.get_function(name) if name.startswith("enzyme.rt.") else None
        if there is not None and not there.is_declaration:
            function.replace_all_uses_with(there)
            return there
        function.name = self.target.unique_name(function.name or "")
        function.module = None
        self.target.add_function(function)
        for inst in function.instructions():
            if inst.metadata:
                inst.metadata = {kind: self._metadata(text) for kind, text in inst.metadata.items()}
            if isinstance(inst, CallBase):
                inst.attrs = self._plain(inst.attrs)
            for index, operand in enumerate(inst.operands):
                operand = self._by_own_name(inst, index, operand)
                if isinstance(operand, MetadataOperand) and "!" in operand.spelling:
                    inst.set_operand(index, MetadataOperand(self._metadata(operand.spelling)))
                self._need(operand)
        function.attrs = self._plain(function.attrs)
        function.suffix = self._metadata(function.suffix)
        return function

    def _by_own_name(self, inst: Instruction, index: int, operand: Value) -> Value:
        """A function that has a name of the engine's making in the prepared module goes by its own again."""
        if isinstance(operand, Function) and (own := own_name(operand.name or "")) != operand.name:
            operand = self.target.functions[own]
            inst.set_operand(index, operand)
        return operand

    def _plain(self, words: tuple[str, ...]) -> tuple[str, ...]:
        return in_order(self.source.resolve_attributes(words)) if any(w.startswith("#") for w in words) else words

    def _need(self, value: Value) -> None:
        if isinstance(value, Function):
            if value.name not in self.target.functions and not value.is_declaration:
                self.take(value)  # a runtime function that a rule brought along
            elif not self.target.has_symbol(value.name or ""):  # it may be a weak name
                made = self.target.declare_function(value.name or "", value.function_type, self._plain(value.attrs))
                made.result_attrs = value.result_attrs
                made.prefix = tuple(word for word in value.prefix if word == "extern_weak")
        elif isinstance(value, GlobalVariable):
            if value.name not in self.target.globals:
                initializer = value.initializer
                added = self.target.add_global(
                    value.name or "", value.value_type, initializer, value.linkage or "internal", value.is_constant
                )
                added.entity = value.entity
                if initializer is not None:
                    self._need(initializer)  # the twin of a table leads to those of its entries
        else:
            for part in getattr(value, "constant_operands", tuple)():
                self._need(part)

    def _metadata(self, text: str) -> str:
        return _METADATA_NODE.sub(lambda m: self._node(m.group(1)), text)

    def _node(self, key: str) -> str:
        found = self._nodes.get(key)
        if found is None:
            found = self._twin(key)
        if found is None:
            found = self._nodes[key] = self.target.add_metadata("!{}")  # reserved first: nodes may refer to themselves
            self.target.metadata[found[1:]] = self._metadata(self.source.metadata[key])
        return self._nodes.setdefault(key, found)

    def _twin(self, key: str) -> str | None:
        """The target's own node for a compile unit or subprogram: a unit must not be there twice, and what a
        subprogram says of its types need not be."""
        if not self.source.metadata[key].startswith(_IDENTIFIED):
            return None
        if self._identities is None:
            self._identities = {}
            for other, text in self.target.metadata.items():
                if text.startswith(_IDENTIFIED):
                    self._identities.setdefault(_identity(self.target, text), f"!{other}")
        return self._identities.get(_identity(self.source, self.source.metadata[key]))


_IDENTIFIED = ("distinct !DICompileUnit(", "distinct !DISubprogram(")
_NAMES = re.compile(r'\b(?:name|linkageName|line|scopeLine|producer|filename|directory): (?:"[^"]*"|\d+)')
_FILE = re.compile(r"\bfile: (!\d+)")


def _identity(module: Module, text: str) -> tuple[str, ...]:
    """What tells a compile unit or subprogram from others: its names and numbers, and those of its file."""
    file = _FILE.search(text)
    return (
        text[: text.find("(")],
        *_NAMES.findall(text),
        *_NAMES.findall(module.metadata_text(file[1]) if file else ""),
    )
