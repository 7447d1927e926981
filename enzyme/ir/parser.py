"""From LLVM's text to a :class:`Module`.

The module is split into its top-level entities in one pass over the text; headers of functions and globals are read
at once, bodies only when ``Function.blocks`` is first asked for (see :mod:`enzyme.ir.bodies`). Input is what LLVM
itself prints.
"""

from __future__ import annotations

import re

from enzyme.ir.bodies import address_taken_name, load_body
from enzyme.ir.layout import DataLayout
from enzyme.ir.lexer import END, join_tokens, plain_name, read_attribute, split_attributes, tokenize
from enzyme.ir.module import Module
from enzyme.ir.reader import Reader, reading
from enzyme.ir.types import FunctionType, PointerType, Type
from enzyme.ir.values import Argument, Function, GlobalAlias, GlobalVariable, Value
from enzyme.support.diagnostics import ParseError

_MODULE_ID = re.compile(r"; ModuleID = '([^'\n]*)'")
_QUOTED = re.compile(r'"([^"]*)"')
_TYPE_DEFINITION = re.compile(r'(%(?:"[^"]*"|[-\w$.\\]+)) = type (.*)')
_GLOBAL = re.compile(r'(@(?:"[^"]*"|[-\w$.\\]+)) = (.*?\b)(global|constant|alias|ifunc) (.*)')
_ATTRIBUTE_GROUP = re.compile(r"attributes #(\d+) = \{(.*)\}")
_BLOCK_ADDRESS = re.compile(r'blockaddress\((@(?:"[^"]*"|[-\w$.\\]+)), (%\d+)\)')
_ADDRESS_SPACE = re.compile(r"\baddrspace\((\d+)\)")
_POINTER_SPACE = re.compile(r", ptr addrspace\((\d+)\)")
_LINKAGES = frozenset(
    "private internal available_externally linkonce weak common appending extern_weak linkonce_odr weak_odr "
    "external".split()
)
_PREFIX_WORDS = _LINKAGES | frozenset(
    "dso_local dso_preemptable default hidden protected dllimport dllexport cc distinct".split()
)
_SUFFIX_WORDS = frozenset("section partition code_model comdat align gc prefix prologue personality".split())


def is_calling_convention(word: str) -> bool:
    return word.endswith("cc") or word.startswith(("amdgpu_", "ptx_", "spir_", "aarch64_", "riscv_", "cc "))


def parse_module(text: str) -> Module:
    """Read a module. Bodies stay text until they are looked at."""
    module = Module()
    module.types_open = True
    if "blockaddress(" in text:
        text = _name_taken_blocks(module, text)
    at, size = 0, len(text)
    definitions: list[tuple[str, int, int]] = []
    while at < size:
        end = text.find("\n", at)
        if end < 0:
            end = size
        first = text[at : at + 1]
        if first == "d":
            line = text[at:end]
            if line.startswith("define"):
                close = text.find("\n}", end)
                if close < 0:
                    raise ParseError("a function body is not closed", instruction=line)
                definitions.append((line, end + 1, close + 1))
                at = text.find("\n", close + 1) + 1 or size
                module.entities.append(line)
                continue
            module.entities.append(line)
        elif first == "@":
            module.entities.append(text[at:end])
        elif first == "!":
            key, _, value = text[at + 1 : end].partition(" = ")
            module.metadata[key] = value
        elif first == ";":
            if at == 0 and (found := _MODULE_ID.match(text)):
                module.name = found[1]
        elif first and first != "\n":
            with reading(text[at:end]):
                _read_top_level(module, text[at:end])
        at = end + 1
    module.types_open = False
    _read_entities(module, text, definitions)
    return module


def _name_taken_blocks(module: Module, text: str) -> str:
    """Give numbered blocks whose address is taken a name: their numbers may change, mentions elsewhere do not."""

    def named(found: re.Match[str]) -> str:
        module.address_taken.setdefault(plain_name(found[1]), set()).add(found[2])
        return f"blockaddress({found[1]}, %{address_taken_name(found[2])})"

    return _BLOCK_ADDRESS.sub(named, text)


def _read_top_level(module: Module, line: str) -> None:
    """Whatever is not a function, a global or metadata."""
    if line.startswith("%"):
        _read_type(module, line)
    elif line.startswith("attributes"):
        group = _ATTRIBUTE_GROUP.match(line)
        if group is None:
            raise ParseError("cannot read this attribute group", instruction=line)
        module.attribute_groups[int(group[1])] = split_attributes(group[2])
    elif line.startswith("source_filename"):
        module.source_filename = _quoted(line)
    elif line.startswith("target datalayout"):
        module.datalayout = DataLayout(_quoted(line))
    elif line.startswith("target triple"):
        module.triple = _quoted(line)
    elif line.startswith("module asm"):
        module.assembly.append(line)
    elif line.startswith("$"):
        module.comdats.append(line)
    elif line.startswith("uselistorder"):
        return  # an order of use lists is no part of the meaning and would not fit changed bodies
    elif line.startswith("^"):
        module.entities.append(line)
    else:
        raise ParseError("cannot read this top-level line of LLVM IR", instruction=line[:300])


def _quoted(line: str) -> str:
    found = _QUOTED.search(line)
    if found is None:
        raise ParseError("expected a string", instruction=line[:300])
    return found[1]


def _read_type(module: Module, line: str) -> None:
    found = _TYPE_DEFINITION.match(line)
    if found is None:
        raise ParseError("cannot read this type definition", instruction=line[:300])
    struct = module.type_named(found[1])
    # A type used before its definition was entered at its first use; it is printed where it is defined.
    module.named_types[found[1]] = module.named_types.pop(found[1])
    if found[2] == "opaque":
        return
    body = Reader(module, tokenize(found[2])).type()
    elements = getattr(body, "elements", None)
    if elements is None:
        raise ParseError("a named type that is not a struct", instruction=line[:300])
    struct.set_body(elements, getattr(body, "packed", False))


def _read_entities(module: Module, text: str, definitions: list[tuple[str, int, int]]) -> None:
    """Turn the lines collected in ``module.entities`` into objects; every type is known by now."""
    lines, module.entities = module.entities, []
    bodies = iter(definitions)
    for line in lines:
        assert isinstance(line, str)
        with reading(line):
            if line.startswith("define"):
                _, start, close = next(bodies)
                function = _read_header(module, line)
                function.body_text = text[start:close]
                function._loader = load_body
                module.add_function(function)
            elif line.startswith("declare"):
                module.add_function(_read_header(module, line))
            elif line.startswith("@"):
                _read_global(module, line)
            else:
                module.entities.append(line)


def _read_global(module: Module, line: str) -> None:
    found = _GLOBAL.match(line)
    if found is None:
        raise ParseError("cannot read this global", instruction=line[:300])
    name, before, kind, rest = plain_name(found[1]), found[2], found[3], found[4]
    if kind in ("alias", "ifunc"):
        alias = GlobalAlias(name, None, line)
        alias.module = module
        alias._loader = _load_aliasee
        if space := _POINTER_SPACE.search(rest):
            alias.type = PointerType(int(space[1]))
        module.aliases[name] = alias
        module.entities.append(alias)
        return
    words = before.split()
    linkage = words[0] if words and words[0] in _LINKAGES else ""
    address = _ADDRESS_SPACE.search(before)
    reader = Reader(module, tokenize(rest))
    type = reader.type()
    made = GlobalVariable(
        name, type, None, kind == "constant", linkage, PointerType(int(address[1]) if address else 0), line
    )
    made.module = module
    if reader.tokens[reader.at] not in (END, ","):
        made._loader = _load_initializer
    module.globals[name] = made
    module.entities.append(made)


def _entity_reader(value: GlobalVariable | GlobalAlias) -> Reader:
    """A reader behind the ``global``, ``constant`` or ``alias`` keyword of a global's line."""
    assert value.module is not None and value.entity is not None
    found = _GLOBAL.match(value.entity)
    assert found is not None
    return Reader(value.module, tokenize(found[4]))


def _load_initializer(variable: GlobalVariable) -> Value:
    with reading(variable.entity or ""):
        return _entity_reader(variable).typed_value()


def _load_aliasee(alias: GlobalAlias) -> Value:
    with reading(alias.entity):
        reader = _entity_reader(alias)
        result = reader.type()
        if reader.tokens[reader.at] == "(":
            reader.function_type(result)
        reader.expect(",")
        return reader.typed_value()


# --- function headers ------------------------------------------------------------------------------------------------


def _read_header(module: Module, line: str) -> Function:
    """``define`` or ``declare`` up to the brace."""
    reader = Reader(module, tokenize(line))
    tokens = reader.tokens
    reader.at = 1
    prefix: list[str] = []
    while True:
        token = tokens[reader.at]
        if token[:1] == "!":  # a declaration's metadata stands in front
            reader.at += 1
            prefix.append(f"{token} {reader.metadata_node()}")
        elif token == "cc":
            prefix.append(f"cc {tokens[reader.at + 1]}")
            reader.at += 2
        elif token in _PREFIX_WORDS or is_calling_convention(token):
            word, reader.at = read_attribute(tokens, reader.at)
            prefix.append(word)
        else:
            break
    result_attrs = reader.attributes_before_type()
    result = reader.type()
    name = plain_name(reader.take())
    arguments, vararg = _read_parameters(reader)
    function = Function(name, FunctionType(result, tuple(a.type for a in arguments), vararg))
    function.args = arguments
    for argument in arguments:
        argument.function = function
    function.prefix, function.result_attrs = tuple(prefix), result_attrs
    attrs: list[str] = []
    while (
        tokens[reader.at] not in (END, "{") and tokens[reader.at] not in _SUFFIX_WORDS and tokens[reader.at][0] != "!"
    ):
        word, reader.at = read_attribute(tokens, reader.at)
        attrs.append(word)
        if space := _ADDRESS_SPACE.match(word):
            function.type = PointerType(int(space[1]))
    function.attrs = tuple(attrs)
    end = len(tokens) - (2 if tokens[-2] == "{" else 1)
    function.suffix = join_tokens(tokens[reader.at : end])
    return function


def _read_parameters(reader: Reader) -> tuple[list[Argument], bool]:
    reader.expect("(")
    arguments: list[Argument] = []
    vararg = False
    while not reader.accept(")"):
        if reader.accept("..."):
            vararg = True
            continue
        type: Type = reader.type()
        attrs = reader.attributes()
        name = None
        if reader.tokens[reader.at][:1] == "%":
            token = reader.take()
            name = None if token[1:].isdigit() else plain_name(token)
        arguments.append(Argument(type, name, len(arguments), attrs))
        reader.accept(",")
    return arguments, vararg
