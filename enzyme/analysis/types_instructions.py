"""The transfer table of type analysis, instruction by instruction; see :mod:`enzyme.analysis.types_transfer`."""

from __future__ import annotations

from collections.abc import Callable

from enzyme.analysis.activity_callees import CallFacts
from enzyme.analysis.bit_patterns import cut_for_significand, is_masked, no_number, rounds, significand
from enzyme.analysis.counted import is_counted
from enzyme.analysis.dispatched import is_dispatch
from enzyme.analysis.pointer_walks import walk_of
from enzyme.analysis.points_to_objects import is_distance
from enzyme.analysis.type_tree import INT
from enzyme.analysis.types_classes import table_at
from enzyme.analysis.types_reasons import Note, Reason, inside
from enzyme.analysis.types_regions import Place, Region
from enzyme.analysis.types_transfer import LONGEST_COPY, Derived, Facts, Move, ValueTypes
from enzyme.analysis.types_views import moving_pointers
from enzyme.analysis.zero_bytes import is_zero
from enzyme.ir.lexer import tokenize
from enzyme.ir.reader import Reader
from enzyme.ir.types import ArrayType, FloatType, IntType, PointerType, StructType, Type, VectorType
from enzyme.ir.values import (
    Alloca,
    AtomicRMW,
    BinaryOp,
    CallBase,
    Cast,
    Compare,
    CompareExchange,
    Constant,
    ConstantAggregate,
    ConstantInt,
    ConstantToken,
    ExtractElement,
    ExtractValue,
    Function,
    GetElementPtr,
    InsertElement,
    InsertValue,
    Instruction,
    Load,
    Phi,
    Return,
    Select,
    ShuffleVector,
    Store,
    Switch,
    Value,
    without_steps,
)

STRING_BYTES = 24
"""What any std::string has; some have more."""

CallHandler = Callable[["InstructionTypes", CallBase, Function], None]


class InstructionTypes(ValueTypes):
    """One instance of a function's body turned into facts. ``on_call`` connects calls of defined functions."""

    def __init__(self, facts: Facts, function: Function, on_call: CallHandler) -> None:
        super().__init__(facts, function)
        self._on_call = on_call
        self.returned: list[Value] = []

    def read_body(self) -> None:
        self._declared_parameters()
        self._moving = moving_pointers(self.function)
        for inst in self.function.instructions():
            self._visit(inst)

    def _declared_parameters(self) -> None:
        """Structs that are passed or returned through memory: attributes of the parameter name their type."""
        for argument in self.function.args:
            for word in argument.attrs:
                if word.startswith(("byval(", "sret(")):
                    text = word[word.index("(") + 1 : -1]
                    type = Reader(self.facts.callees.module, tokenize(text)).type()  # type: ignore[arg-type]
                    note = f"declared type of parameter {argument.index + 1}"
                    self.hard_type(self.address(argument), type, note)
                    self.declared_type(self.address(argument), type, note)

    def _visit(self, inst: Instruction) -> None:
        match inst:
            case Load():
                self._access(inst.pointer, inst, inst)
            case Store():
                self._store(inst)
            case GetElementPtr():
                self._gep(inst)
            case Phi():
                self._one_of(inst, [value for value, _ in inst.incoming])
            case Select():
                self._one_of(inst, inst.operands[1:])
            case Cast():
                self._cast(inst)
            case BinaryOp():
                if isinstance(inst.type.scalar, IntType) and not self._is_small(inst.type):
                    self._arithmetic(inst)
            case Compare():
                self._compare(inst)
            case CallBase():
                self._call(inst)
            case Alloca():
                self._alloca(inst)
            case ExtractValue() | InsertValue():
                self._aggregate(inst)
            case ExtractElement() | InsertElement() | ShuffleVector():
                self._vector(inst)
            case AtomicRMW() | CompareExchange():
                self._atomic(inst)
            case Return():
                self.returned += inst.operands[:1]
            case Switch():
                self.weak_int(inst.operands[0], "a switch condition")
            case _:
                if inst.opcode == "freeze":
                    self.same(inst, inst.operands[0], Note(inst))

    # --- memory ----------------------------------------------------------------------------------------------------

    def _access(self, pointer: Value, value: Value, inst: Instruction) -> None:
        place = self.address(pointer)
        self.facts.views.spans.append((place, self.size(value.type)))
        self.link(place, value, Note(inst), self.is_integer_access(pointer, value.type, inst))
        tag = inst.metadata.get("tbaa")
        if tag is not None:
            self.fields(place, self.facts.metadata.access(tag), Note(inst, "TBAA of '{}'"))

    def _store(self, store: Store) -> None:
        value = store.value
        if isinstance(value.type, PointerType):
            table = table_at(self.layout, value)
            if table is not None:
                self.regions.add_table(self.address(store.pointer), table)
            elif not isinstance(value, Constant):
                seen = self._seen_in_table(value) if _is_in_table(store.pointer) else self.seen(value)
                if seen != self.address(value):
                    place = self.address(store.pointer)
                    self.facts.views.spans.append((place, self.size(value.type)))
                    self.regions.add_pointer(place, seen, Note(store))
                    return
        self._access(store.pointer, value, store)

    def _seen_in_table(self, value: Value) -> Place:
        """What is stored in a local table of pointers: one that is read by an index may lead to each of those places,
        which does not make them one (:mod:`enzyme.analysis.types_views`)."""
        view = (Region(), 0)
        self.facts.views.add(view, self.address(value))
        return view

    def is_integer_access(self, pointer: Value, type: Type, inst: Instruction) -> bool:
        """Whether the tag or the declared member says that an integer is meant; for the four bytes and less that no
        pointer fits into, the type of the access."""
        if not isinstance(type, IntType):
            return False
        if type.bits <= 32:
            return True
        tag = inst.metadata.get("tbaa")
        if tag is not None:
            return any(f[0] == 0 and f[1] == INT for f in self.facts.metadata.access(tag))
        if not isinstance(pointer, GetElementPtr) or "union" in str(pointer.source_type):
            return False
        member: Type | None = pointer.source_type
        for index in pointer.indices[1:]:
            if isinstance(member, StructType) and isinstance(index, ConstantInt):
                member = (member.elements or ())[index.value]
            else:
                member = member.element if isinstance(member, ArrayType) else None
            if "union" in str(member):
                return False
        return isinstance(pointer.source_type, StructType) and _first_scalar(member) is type

    def _gep(self, inst: GetElementPtr) -> None:
        if isinstance(inst.source_type, StructType):
            self.hard_type(self.address(inst.base), inst.source_type, Note(inst, "declared type in '{}'"))
            self.declared_type(self.address(inst.base), inst.source_type, Note(inst, "declared type in '{}'"))
        if isinstance(inst.type, PointerType):
            self.address(inst)
        else:  # a vector of pointers
            region, _ = self.register(inst)
            target, _ = self._walk(inst.base, inst.source_type, inst.indices, inst.block)
            self.regions.fold((region, 0), self.size(inst.type.scalar))
            self.regions.add_pointer((region, 0), target, Note(inst))
        for index in inst.indices:
            self.weak_int(index, "an index")

    def _alloca(self, inst: Alloca) -> None:
        note = Note(inst, "declared type of '{}'")
        place = self.address(inst)
        if not isinstance(inst.operands[0], ConstantInt):
            self.regions.fold(place, self.layout.alloc_size(inst.allocated_type))
            self.weak_int(inst.operands[0], "an element count")
        self.hard_type(place, inst.allocated_type, note)
        self.declared_type(place, inst.allocated_type, note)

    def _atomic(self, inst: AtomicRMW | CompareExchange) -> None:
        place = self.address(inst.operands[0])
        for value in inst.operands[1:]:
            self.link(place, value, Note(inst))
        if isinstance(inst, AtomicRMW):
            self.link(place, inst, Note(inst))
            if inst.operation in ("add", "sub", "and", "or", "max", "min", "umax", "umin"):
                self.weak_int(inst.operands[1], "atomic integer arithmetic")
        else:
            size = self.size(inst.operands[1].type)
            self.facts.moves.append(Move(place, self.register(inst), size, True, Note(inst)))

    # --- values ----------------------------------------------------------------------------------------------------

    def _cast(self, inst: Cast) -> None:
        source = inst.operands[0]
        note = Note(inst)
        match inst.opcode:
            case "bitcast":
                if isinstance(source.type, PointerType) or isinstance(inst.type, PointerType):
                    return
                size = self.size(inst.type)
                self.facts.moves.append(Move(self.register(source), self.register(inst), size, True, note))
            case "fptosi" | "fptoui":
                region, base = self.register(inst)
                if not self._is_small(inst.type):
                    self.regions.add_int((region, base), self.size(inst.type), note)
            case "sitofp" | "uitofp":
                self.weak_int(source, "converted to floating point")
            case "ptrtoint" | "ptrtoaddr":
                if self.size(inst.type) >= 8 and isinstance(source.type, PointerType):
                    self.regions.add_pointer(self.register(inst), self.address(source), note)
            case "inttoptr":
                if isinstance(inst.type, PointerType) and self.size(source.type) >= 8:
                    self.regions.add_pointer(self.register(source), self.address(inst), note)
            case "trunc" | "zext" | "sext":
                self._resize(inst, source, note)

    def _resize(self, inst: Cast, source: Value, note: Reason) -> None:
        if isinstance(inst.type, VectorType) or self._is_small(inst.type):
            if not self._is_small(inst.type) and isinstance(inst.type.scalar, IntType):
                self._derived(inst, [source], None, note)
            return
        size = self.size(inst.type)
        if self._is_small(source.type):
            self.weak_int(inst, "extended from a truth value")
            return
        common = min(size, self.size(source.type))
        self.facts.moves.append(Move(self.register(source), self.register(inst), common, True, note))
        if size > common:
            region, base = self.register(inst)
            self.facts.weak.append(((region, base + common), size - common, inside("extension in '{}'", note)))

    def _arithmetic(self, inst: BinaryOp) -> None:
        note = Note(inst)
        left, right = inst.operands
        size = self.size(inst.type)
        whole = not isinstance(inst.type, VectorType)
        match inst.opcode:
            case "mul" | "udiv" | "sdiv" | "urem" | "srem" | "add" | "sub":
                low = self._disjoint(left, right) if whole and inst.opcode == "add" else 0
                if low:
                    self._merge(inst, low, note)
                    return
                for value in (inst, left, right):
                    self.weak_int(value, inside("integer arithmetic in '{}'", note))
                if is_counted(inst):  # what it is made of is looked at when the program runs
                    places = [place for place, _ in self._sources([left, right])]
                    self.facts.moves += [Move(place, self.register(inst), size, False, note) for place in places]
                else:
                    self._derived(inst, [left, right], None, note)
                if inst.opcode in ("add", "sub"):
                    self._pointer_arithmetic(inst, left, right, note)
            case "shl" | "lshr" | "ashr":
                self.weak_int(right, "a shift distance")
                if inst.flags and set(inst.flags) & {"nuw", "nsw"}:
                    self.weak_int(left, inside("integer arithmetic in '{}'", note))
                distance = right.value if isinstance(right, ConstantInt) else None
                if whole and distance is not None and distance % 8 == 0 and inst.opcode != "ashr":
                    self._byte_shift(inst, left, distance // 8, note)
                drops = distance if inst.opcode in ("lshr", "ashr") else None
                if not (whole and distance is not None and distance % 8 == 0 and inst.opcode == "shl"):
                    self._derived(inst, [left], drops, note)
            case "and" | "or" | "xor":
                self._logic(inst, note)

    def _pointer_arithmetic(self, inst: BinaryOp, left: Value, right: Value, note: Reason) -> None:
        """Pointers in integers keep pointing to the same memory (at an offset that is not followed)."""
        if self.size(inst.type) < 8 or is_distance(inst):
            return
        for value in (left, right):
            if not isinstance(value, (ConstantInt, ConstantToken)) and value not in self.integers:
                size = self.size(inst.type)
                self.facts.moves.append(Move(self.register(value), self.register(inst), size, False, note))

    def _byte_shift(self, inst: BinaryOp, source: Value, distance: int, note: Reason) -> None:
        size = self.size(inst.type)
        (to, base), (origin, start) = self.register(inst), self.register(source)
        if distance >= size:
            return
        if inst.opcode == "lshr":
            move = Move((origin, start + distance), (to, base), size - distance, True, note)
            empty: Place = (to, base + size - distance)
        else:
            move = Move((origin, start), (to, base + distance), size - distance, True, note)
            empty = (to, base)
        self.facts.moves.append(move)
        if distance:
            self.facts.weak.append((empty, distance, inside("zeros shifted in by '{}'", note)))

    def _logic(self, inst: BinaryOp, note: Reason) -> None:
        """Masks keep what they let through; the sign tricks on floating-point bits keep the number's kind."""
        size = self.size(inst.type)
        if inst.opcode == "and" and cut_for_significand(inst):
            return  # no number by itself; the one it becomes is what it was cut out of
        exchanged = significand(inst)
        if exchanged is not None:
            self._keep(inst, exchanged.number, [True] * size, note, True)
            return
        if no_number(inst):
            self.facts.weak.append((self.register(inst), size, inside("a mask or a sign by '{}'", note)))
            return
        values = [v for v in inst.operands if not no_number(v)]
        constants = [v for v in inst.operands if isinstance(v, ConstantInt)]
        if inst.opcode == "and" and constants and 0 <= constants[0].value < 1 << 16:
            self.weak_int(inst, inside("masked in '{}'", note))
        mask = constants[0].value if inst.opcode == "and" and constants else -1
        kept = [bool(mask >> (8 * byte) & 255) for byte in range(size)]
        whole = len(values) == 1 or all(map(is_masked, values))  # a number changed in its sign, or one of several
        rounded = rounds(inst, 8 * size)
        for value in values:
            self._keep(inst, value, kept, note, whole, rounded)

    def _keep(
        self, inst: BinaryOp, value: Value, kept: list[bool], note: Reason, both: bool = False, rounded: bool = False
    ) -> None:
        """Bytes of an operand that go into the result, beside zeros; ``both``: the result is of the operand's kind;
        ``rounded``: what the zeros end may be a number."""
        region, base = self.register(inst)
        if value in self.integers or self._is_small(value.type):
            self.facts.weak += [((region, base + byte), 1, note) for byte in range(len(kept))]
            return
        origin, start = self.register(value)
        byte = 0
        while byte < len(kept):
            end = byte
            while end < len(kept) and kept[end] == kept[byte]:
                end += 1
            if kept[byte]:
                place: Place = (origin, start + byte)
                cleared = byte if rounded else 0
                self.facts.moves.append(Move(place, (region, base + byte), end - byte, both, note, cleared=cleared))
                loaded = self._loaded([value])
                rule = Derived((region, base + byte), end - byte, ((place, end - byte),), 1 << 30, note, loaded)
                self.facts.derived.append(rule)
            else:
                self.facts.weak += [((region, base + at), 1, note) for at in range(byte, end)]
            byte = end

    def _disjoint(self, left: Value, right: Value) -> int:
        """How many bytes, from the lowest on, of a sum come from one side, because the other is zero there."""
        size, count = self.size(left.type), 0
        while count < size and (is_zero(left, count, 1) or is_zero(right, count, 1)):
            count += 1
        return count

    def _merge(self, inst: BinaryOp, low: int, note: Reason) -> None:
        """A sum of which the ``low`` bytes are not added at all."""
        size = self.size(inst.type)
        values = [v for v in inst.operands if not isinstance(v, (ConstantInt, ConstantToken))]
        for value in values:
            self._keep(inst, value, [byte < low and not is_zero(value, byte, 1) for byte in range(size)], note)
        if low < size and values:
            region, base = self.register(inst)
            sources = tuple(((r, b + low), size - low) for r, b in map(self.register, values))
            self.facts.derived.append(Derived((region, base + low), size - low, sources, None, note, {}))

    def _derived(self, inst: Instruction, operands: list[Value], drops: int | None, note: Reason) -> None:
        sources = self._sources(operands)
        rule = Derived(self.register(inst), self.size(inst.type), sources, drops, note, self._loaded(operands))
        self.facts.derived.append(rule)

    def _loaded(self, values: list[Value]) -> dict[Place, Place]:
        """Where integers that are loads come from."""
        return {
            self.register(v): self.address(v.pointer)
            for v in values
            if isinstance(v, Load) and isinstance(v.type, IntType) and not self._is_small(v.type)
        }

    def _sources(self, operands: list[Value]) -> tuple[tuple[Place, int], ...]:
        values = [v for v in operands if not isinstance(v, (ConstantInt, ConstantToken, ConstantAggregate))]
        return tuple((self.register(v), self.size(v.type)) for v in values if not self._is_small(v.type))

    def _compare(self, inst: Compare) -> None:
        left, right = inst.operands
        if inst.opcode != "icmp" or not isinstance(left.type.scalar, IntType):
            return
        if isinstance(right, ConstantInt):
            sign_test = right.value in (0, -1) or abs(right.value) > 1 << 32
            if not sign_test:
                self.weak_int(left, "compared with an integer constant")
        elif inst.predicate not in ("eq", "ne"):
            self.weak_int(left, "compared in order with an integer")
            self.weak_int(right, "compared in order with an integer")
        elif left in self.integers or right in self.integers:
            self.weak_int(left, "compared with an integer")
            self.weak_int(right, "compared with an integer")
        else:
            self.same(left if not isinstance(left, ConstantInt) else right, right, Note(inst))

    # --- aggregates and vectors ------------------------------------------------------------------------------------

    def _one_of(self, inst: Phi | Select, values: list[Value]) -> None:
        if isinstance(inst.type, PointerType) and inst not in self._moving and not is_dispatch(self.function):
            places = [self.address(value) for value in values if not isinstance(value, ConstantToken)]
            if len(set(map(self.regions.find, places))) > 1:
                self._view(inst, places)
                return
        walk = walk_of(inst, self.layout) if isinstance(inst, Phi) and inst in self._moving else None
        if walk is not None:
            self.regions.index(self.address(walk.start), walk.step, walk.extent)
            values = [walk.start]
        for value in values:
            self.same(inst, value, Note(inst))

    def _view(self, inst: Phi | Select, places: list[Place]) -> None:
        own = self.address(inst)
        for place in dict.fromkeys(places):
            self.facts.views.add(own, place)

    def _aggregate(self, inst: ExtractValue | InsertValue) -> None:
        aggregate = inst.operands[0]
        offset, type = self._inside(aggregate.type, inst.indices)
        note = Note(inst)
        if isinstance(inst, ExtractValue):
            region, base = self.register(aggregate)
            self.link((region, base + offset), inst, note)
            return
        region, base = self.register(inst)
        self.link((region, base + offset), inst.operands[1], note)
        if isinstance(aggregate, ConstantToken):
            return
        whole, hole = self.size(aggregate.type), self.size(type)
        origin, start = self.register(aggregate)
        for at, length in ((0, offset), (offset + hole, whole - offset - hole)):
            if length > 0:
                self.facts.moves.append(Move((origin, start + at), (region, base + at), length, True, note))

    def _inside(self, type: Type, indices: tuple[int, ...]) -> tuple[int, Type]:
        offset = 0
        for index in indices:
            if isinstance(type, StructType):
                assert type.elements is not None
                offset += self.layout.struct_offsets(type)[index]
                type = type.elements[index]
            elif isinstance(type, ArrayType):
                offset += self.layout.alloc_size(type.element) * index
                type = type.element
        return offset, type

    def _vector(self, inst: Instruction) -> None:
        vector = inst.operands[0]
        assert isinstance(vector.type, VectorType)
        if isinstance(vector.type.element, FloatType) or self._is_small(vector.type):
            return
        stride = self.size(vector.type.element)
        note = Note(inst)
        if isinstance(inst, ShuffleVector):
            for lane in inst.operands[:2]:
                if not isinstance(lane, ConstantToken):
                    region, base = self.register(inst)
                    origin, start = self.register(lane)
                    self.regions.fold((region, base), stride)
                    self.regions.fold((origin, start), stride)
                    self.facts.moves.append(Move((origin, start), (region, base), stride, True, note))
            return
        holder = inst if isinstance(inst, InsertElement) else vector
        index = inst.operands[-1]
        region, base = self.register(holder)
        if isinstance(index, ConstantInt):
            place = (region, base + stride * index.value)
        else:
            self.regions.fold((region, base), stride)
            place = (region, base)
        self.link(place, inst.operands[1] if isinstance(inst, InsertElement) else inst, note)
        if isinstance(inst, InsertElement) and not isinstance(vector, ConstantToken):
            self.same(inst, vector, note)

    # --- calls -----------------------------------------------------------------------------------------------------

    def _call(self, call: CallBase) -> None:
        facts = self.facts.callees.facts(call)
        if facts.status == "defined" and facts.callee is not None:
            self._on_call(self, call, facts.callee)
            return
        name = facts.callee.name or "" if facts.callee is not None else ""
        if facts.text:
            self._text(call)
            return
        if facts.own:
            self._own(call, facts.own)
            return
        if facts.states is not None:
            self._stated(call, facts.states)
            return
        if facts.transfer is not None:
            self._transfer(call, facts)
        if facts.math:
            self._math(call, facts)
        if facts.returns_argument is not None:
            self.same(call, call.args[facts.returns_argument], Note(call))
        if facts.reallocates is not None and isinstance(call.type, PointerType):
            self.regions.unify(self.address(call), self.address(call.args[facts.reallocates]))
        if name.startswith("llvm.masked.load"):
            self._access(call.args[0], call, call)
        elif name.startswith("llvm.masked.store"):
            self._access(call.args[1], call.args[0], call)
        elif name.startswith(("llvm.ptrmask", "llvm.launder", "llvm.strip")):
            self.same(call, call.args[0], Note(call))
        elif facts.inactive and isinstance(call.type.scalar, IntType):
            self._integer_call(call, name)

    def _stated(self, call: CallBase, type: Type) -> None:
        """The program says what lies behind a pointer: one value, or as many bytes of them as a second argument has,
        which may be any number where it is not a constant."""
        place, note = self.address(call.args[0]), inside("what is stated by '{}'", Note(call))
        bytes = call.args[1] if len(call.args) > 1 else None
        unit = self.size(type)
        count = max(bytes.value // unit, 1) if isinstance(bytes, ConstantInt) else 1
        if bytes is not None and not isinstance(bytes, ConstantInt):
            self.regions.fold(place, unit)
        if isinstance(type, IntType):
            self.regions.add_int(place, count, note)
        else:
            self.hard_type(place, ArrayType(count, type), note)

    def _text(self, call: CallBase) -> None:
        """Strings are words that are no numbers; what a member returns leads to characters."""
        note = inside("a string in '{}'", Note(call))
        if call.args and isinstance(call.args[0].type, PointerType):
            region, base = self.address(call.args[0])
            self.facts.weak += [((region, base + word), 8, note) for word in range(0, STRING_BYTES, 8)]
        if isinstance(call.type, PointerType):
            place = self.address(call)
            self.regions.fold(place, 1)
            self.regions.add_int(place, 1, inside("characters from '{}'", Note(call)))
        elif isinstance(call.type, IntType):
            self.weak_int(call, note)

    def _own(self, call: CallBase, size: int) -> None:
        """What the library works on behind an argument is no number."""
        (region, base), note = self.address(call.args[0]), inside("what '{}' works on", Note(call))
        self.facts.weak += [((region, base + word), 8, note) for word in range(0, size, 8)]
        if isinstance(call.type, PointerType):
            self.same(call, call.args[0], note)
        elif isinstance(call.type, IntType):
            self.weak_int(call, note)

    def _integer_call(self, call: CallBase, name: str) -> None:
        """Integer results of inactive functions; intrinsics on integers also derive from their operands."""
        self.weak_int(call, f"the result of @{name}")
        if name.startswith("llvm.") and name.split(".")[1] not in ("is", "objectsize", "expect"):
            values = [a for a in call.args if isinstance(a.type.scalar, IntType)]
            if values:
                self._derived(call, values, None, Note(call))

    def _math(self, call: CallBase, facts: CallFacts) -> None:
        """Integers that mathematical functions take, return and write: exponents, orders, quotients."""
        for value in (call, *call.args):
            self.weak_int(value, inside("an integer of '{}'", Note(call)))
        for position in facts.integers:
            self.regions.add_int(self.address(call.args[position]), 4, inside("an int that '{}' writes", Note(call)))

    def _transfer(self, call: CallBase, facts: CallFacts) -> None:
        transfer = facts.transfer
        assert transfer is not None
        length = call.args[transfer.length]
        self.weak_int(length, "a length in bytes")
        destination = self.address(call.args[transfer.destination])
        constant = isinstance(length, ConstantInt) and 0 <= length.value <= LONGEST_COPY
        if not constant:
            self.facts.views.blocks.append(destination)
        if transfer.source is None:
            return
        source = self.address(call.args[transfer.source])
        if isinstance(length, ConstantInt) and 0 <= length.value <= LONGEST_COPY:
            self.facts.moves.append(Move(destination, source, length.value, True, Note(call)))
        else:
            self.regions.unify(destination, source)
        self._copied_fields(call, (destination, source))

    def _copied_fields(self, call: CallBase, places: tuple[Place, Place]) -> None:
        reference = call.metadata.get("tbaa.struct")
        if reference is None:
            return
        fields, end = self.facts.metadata.copied(reference)
        note = Note(call, "tbaa.struct of '{}'")
        described = [False] * end
        for offset, _, size in fields:
            described[offset : offset + size] = [True] * size
        for place in places:
            self.fields(place, fields, note)
            for byte in range(end):
                if not described[byte]:
                    self.facts.weak.append(((place[0], place[1] + byte), 1, inside("padding by {}", note)))


def _first_scalar(type: Type | None) -> Type | None:
    """What lies at the front of a type, as far as unions do not leave that open."""
    while isinstance(type, (StructType, ArrayType)) and "union" not in str(type):
        type = type.element if isinstance(type, ArrayType) else next(iter(type.elements or ()), None)
    return type


def _is_in_table(pointer: Value) -> bool:
    """Whether ``pointer`` leads into a local variable that has an array of pointers."""
    pointer = without_steps(pointer)
    return isinstance(pointer, Alloca) and _has_table(pointer.allocated_type)


def _has_table(type: Type) -> bool:
    if isinstance(type, ArrayType):
        return type.count > 1 and isinstance(type.element, PointerType)
    return isinstance(type, StructType) and any(map(_has_table, type.elements or ()))
