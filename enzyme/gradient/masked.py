"""Masked loads and stores, gathers and scatters, lane by lane.

A lane that is switched off loads from, or stores to, a cell of its own: the address is a choice between the memory and
that cell, which holds what the lane is when nothing is loaded. No branch is needed, and what remains are loads and
stores like any others.
"""

from __future__ import annotations

from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I1, I64, Type, VectorType
from enzyme.ir.values import (
    Alloca,
    CallBase,
    Constant,
    ConstantAggregate,
    ConstantInt,
    ConstantToken,
    Instruction,
    Value,
    zero,
)
from enzyme.rules.names import intrinsic_base

_KINDS = frozenset(f"llvm.masked.{kind}" for kind in "load store gather scatter expandload compressstore".split())


def plain_masked(module: Module) -> None:
    """Rewrite the masked operations of every function."""
    names = {name for name in module.functions if name.startswith("llvm.masked.") and intrinsic_base(name) in _KINDS}
    if not names:
        return
    for function in list(module.functions.values()):
        for inst in list(function.instructions()) if not function.is_declaration else ():
            if isinstance(inst, CallBase) and inst.callee_name in names:
                _Masked(module, inst).run()


def keep_place(call: Instruction, start: int) -> None:
    """What was put in front of ``call`` from position ``start`` of its block on is at its place in the source."""
    if "dbg" in call.metadata and call.block is not None:
        for made in call.block.instructions[start : call.block.position(call)]:
            made.metadata.setdefault("dbg", call.metadata["dbg"])


class _Masked:
    """One operation being rewritten."""

    def __init__(self, module: Module, call: CallBase) -> None:
        assert call.block is not None and call.function is not None and call.callee_name is not None
        self.module, self.call = module, call
        self.kind = intrinsic_base(call.callee_name).removeprefix("llvm.masked.")
        self.stores = self.kind in ("store", "scatter", "compressstore")
        # load, gather, expandload: (pointer, mask, otherwise); store, scatter, compressstore: (value, pointer, mask)
        first, second, third = call.args
        self.value: Value = first if self.stores else third
        self.pointer: Value = second if self.stores else first
        self.mask: Value = third if self.stores else second
        self.build = Builder(call.block, before=call)

    def run(self) -> None:
        type = self.value.type
        if not isinstance(type, VectorType) or type.scalable:
            return
        block = self.build.block
        start = block.position(self.call)
        result = self._lanes(type)
        keep_place(self.call, start)
        if not self.stores:
            self.call.replace_all_uses_with(result)
        self.call.erase()

    def _lanes(self, type: VectorType) -> Value:
        build, element = self.build, type.element
        align = self._align(element)
        result: Value = self.value
        position: Value = ConstantInt(I64, 0)
        for lane in range(type.count):
            on = self._on(lane)
            if isinstance(on, ConstantInt) and not on.value:
                continue
            address = self._address(lane, position, element)
            if self.kind in ("expandload", "compressstore"):
                position = build.add(position, build.zext(on, I64))
            if not isinstance(on, ConstantInt):
                cell = self._cell(element)
                if not self.stores:
                    build.store(self._piece(lane), cell, align)
                address = build.select(on, address, cell)
            if self.stores:
                build.store(self._piece(lane), address, align)
            else:
                result = build.insert_element(result, build.load(element, address, align), lane)
        return result

    def _piece(self, lane: int) -> Value:
        if isinstance(self.value, ConstantToken):
            return zero(self.value.type.scalar)  # zeroinitializer; poison may be anything
        return self.build.extract_element(self.value, lane)

    def _address(self, lane: int, position: Value, element: Type) -> Value:
        if self.kind in ("gather", "scatter"):
            return self.build.extract_element(self.pointer, lane)
        at = position if self.kind in ("expandload", "compressstore") else ConstantInt(I64, lane)
        return self.build.gep(element, self.pointer, [at])

    def _on(self, lane: int) -> Value:
        mask = self.mask
        if isinstance(mask, Constant):
            if isinstance(mask, ConstantAggregate):
                each = mask.elements[0 if mask.splat else lane]
                return each if isinstance(each, ConstantInt) else ConstantInt(I1, 0)
            return ConstantInt(I1, 0)
        return self.build.extract_element(mask, lane)

    def _align(self, element: Type) -> int:
        """What the call promises of each lane's address, and no more than the element's own alignment."""
        words = self.call.arg_attrs[1 if self.stores else 0]
        known = next((int(word.split()[1]) for word in words if word.startswith("align ")), 1)
        return min(known, self.module.datalayout.abi_align(element))

    def _cell(self, element: Type) -> Instruction:
        function = self.call.function
        assert function is not None
        made = Alloca(element, ConstantInt(I64, 1), align=max(self.module.datalayout.abi_align(element), 8))
        made.name = None
        function.entry.insert(0, made)
        return made
