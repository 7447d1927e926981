"""The verifier accepts what LLVM accepts and names what is broken."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.types import DOUBLE, FLOAT, I1, I8, I32, I64, PTR, VOID, FunctionType, StructType, VectorType
from enzyme.ir.values import (
    Argument,
    BinaryOp,
    Block,
    Branch,
    Call,
    Cast,
    Compare,
    ConstantFloat,
    ConstantInt,
    ConstantToken,
    ExtractElement,
    ExtractValue,
    Function,
    GetElementPtr,
    InsertValue,
    Instruction,
    Load,
    Phi,
    Return,
    Select,
    Store,
    Switch,
    Value,
)
from enzyme.ir.verifier import verify_function, verify_module
from enzyme.support.diagnostics import VerificationError

DIAMOND = """define double @f(i1 %c, double %x, i64 %n, ptr %p) {
entry:
  br i1 %c, label %left, label %right

left:
  %a = fadd double %x, %x
  br label %join

right:
  %b = fmul double %x, %x
  br label %join

join:
  %m = phi double [ %a, %left ], [ %b, %right ]
  ret double %m
}
"""


class Case:
    """The diamond with its parts by name."""

    def __init__(self) -> None:
        self.module = parse_module(DIAMOND)
        self.function = self.module.functions["f"]
        self.entry, self.left, self.right, self.join = self.function.blocks
        self.at: dict[str, Instruction] = {i.name: i for i in self.function.instructions() if i.name}
        self.c, self.x, self.n, self.p = self.function.args
        verify_module(self.module)

    def add(self, inst: Instruction) -> None:
        """Put an instruction in front of the return."""
        self.join.insert(len(self.join.instructions) - 1, inst)

    def refused(self, what: str) -> VerificationError:
        with pytest.raises(VerificationError, match=what) as caught:
            verify_function(self.function)
        assert caught.value.function == "f"
        return caught.value


@pytest.fixture
def case() -> Case:
    return Case()


ONE = ConstantFloat.of(DOUBLE, 1.0)
PAIR = StructType.literal((DOUBLE, I32))
V4 = VectorType(4, FLOAT)


def retyped(inst: Instruction, type: object) -> Instruction:
    inst.type = type  # type: ignore[assignment]
    return inst


ILL_TYPED: dict[str, Callable[[Case], Instruction]] = {
    "mixed operands": lambda k: BinaryOp("fadd", k.x, k.n),
    "integer opcode on floats": lambda k: BinaryOp("add", k.x, k.x),
    "float opcode on integers": lambda k: BinaryOp("fmul", k.n, k.n),
    "comparison of two types": lambda k: Compare("icmp", "eq", k.n, k.p),
    "integer comparison of floats": lambda k: Compare("icmp", "eq", k.x, k.x),
    "predicate of the other comparison": lambda k: Compare("fcmp", "slt", k.x, k.x),
    "comparison result": lambda k: retyped(Compare("fcmp", "olt", k.x, k.x), I8),
    "widening trunc": lambda k: Cast("trunc", k.n, I64),
    "narrowing zext": lambda k: Cast("zext", k.n, I8),
    "fpext to the same": lambda k: Cast("fpext", k.x, DOUBLE),
    "fptrunc of an integer": lambda k: Cast("fptrunc", k.n, FLOAT),
    "bitcast of another size": lambda k: Cast("bitcast", k.x, I32),
    "bitcast of a pointer": lambda k: Cast("bitcast", k.p, I64),
    "inttoptr to an integer": lambda k: Cast("inttoptr", k.n, I64),
    "scalar to vector": lambda k: Cast("sitofp", k.n, VectorType(2, DOUBLE)),
    "addrspacecast to the same": lambda k: Cast("addrspacecast", k.p, PTR),
    "select between types": lambda k: retyped(Select(k.c, k.x, k.n), DOUBLE),
    "select on an integer": lambda k: Select(k.n, k.x, k.x),
    "load from a number": lambda k: Load(DOUBLE, k.n),
    "load of void": lambda k: Load(VOID, k.p),
    "odd alignment": lambda k: Load(DOUBLE, k.p, 3),
    "atomic without ordering": lambda k: Load(DOUBLE, k.p, 8, flags=["atomic"]),
    "store to a number": lambda k: Store(k.x, k.x),
    "store of a block": lambda k: Store(k.join, k.p),
    "gep from a number": lambda k: GetElementPtr(I8, k.n, [k.n]),
    "gep by a float": lambda k: GetElementPtr(I8, k.p, [k.x]),
    "gep into a scalar": lambda k: GetElementPtr(DOUBLE, k.p, [k.n, k.n]),
    "gep by a variable field": lambda k: GetElementPtr(PAIR, k.p, [k.n, k.n]),
    "gep past the struct": lambda k: GetElementPtr(PAIR, k.p, [k.n, ConstantInt(I32, 2)]),
    "gep with vector result": lambda k: GetElementPtr(I8, k.p, [k.n], VectorType(4, PTR)),
    "extractvalue of another type": lambda k: retyped(ExtractValue(ConstantToken(PAIR, "undef"), [0]), I32),
    "insertvalue of another type": lambda k: InsertValue(ConstantToken(PAIR, "undef"), k.x, [1]),
    "insertvalue without path": lambda k: InsertValue(ConstantToken(PAIR, "undef"), k.x, []),
    "extractelement by a float": lambda k: ExtractElement(ConstantToken(V4, "undef"), k.x),
    "call with too few arguments": lambda k: Call(callee(k), [k.x]),
    "call with too many arguments": lambda k: Call(callee(k), [k.x, k.n, k.n]),
    "call with a wrong argument": lambda k: Call(callee(k), [k.x, k.x]),
    "call of a number": lambda k: Call(k.n, [], FunctionType(VOID, ())),
    "call with another result": lambda k: retyped(Call(callee(k), [k.x, k.n]), I32),
}


def callee(case: Case) -> Function:
    return case.module.declare_function("g", FunctionType(DOUBLE, (DOUBLE, I64)))


@pytest.mark.parametrize("name", ILL_TYPED)
def test_ill_typed(name: str, case: Case) -> None:
    case.add(ILL_TYPED[name](case))
    problem = case.refused("wrong types in a")
    assert problem.why and problem.instruction


def test_well_typed_additions_pass(case: Case) -> None:
    bits = Cast("bitcast", case.x, I64)
    for inst in (
        bits,
        Cast("bitcast", bits, VectorType(2, I32)),
        Select(case.c, case.p, case.p),
        GetElementPtr(PAIR, case.p, [case.n, ConstantInt(I32, 1)]),
        GetElementPtr(I8, case.p, [ConstantToken(VectorType(4, I64), "zeroinitializer")], VectorType(4, PTR)),
        Load(DOUBLE, case.p, 8, "seq_cst", flags=["atomic"]),
        Call(callee(case), [case.x, case.n]),
        InsertValue(ConstantToken(PAIR, "poison"), case.x, [0]),
    ):
        case.add(inst)
    verify_module(case.module)


def test_return_of_another_type(case: Case) -> None:
    case.join.instructions[-1].set_operand(0, case.n)
    case.refused("wrong types in a ret")


def test_branch_on_an_integer(case: Case) -> None:
    case.entry.instructions[-1].set_operand(0, case.n)
    case.refused("wrong types in a br")


def test_switch_with_equal_cases(case: Case) -> None:
    case.entry.instructions[-1].erase()
    one = ConstantInt(I64, 1)
    case.entry.append(Switch(case.n, case.left, [(one, case.right), (ConstantInt(I64, 1), case.right)]))
    problem = case.refused("wrong types in a switch")
    assert problem.why == "the case 1 twice"


def test_missing_terminator(case: Case) -> None:
    case.left.instructions[-1].erase()
    case.refused("no terminator")


def test_terminator_in_the_middle(case: Case) -> None:
    case.left.insert(0, Branch(case.join))
    case.refused("a terminator inside a block")


def test_phi_behind_others(case: Case) -> None:
    case.add(Phi(DOUBLE, [(case.x, case.left), (case.x, case.right)]))
    case.add(BinaryOp("fadd", case.x, case.x))
    case.add(Phi(DOUBLE, [(case.x, case.left), (case.x, case.right)]))
    case.refused("a phi behind other instructions")


def test_phi_lacks_a_predecessor(case: Case) -> None:
    phi = case.at["m"]
    phi.drop_operands()
    phi.add_operand(case.at["a"])
    phi.add_operand(case.left)
    assert "missing ['right']" in (case.refused("does not match the predecessors").why or "")


def test_phi_of_a_removed_edge(case: Case) -> None:
    case.right.instructions[-1].erase()
    case.right.append(Return(case.x))
    assert "too many ['right']" in (case.refused("does not match the predecessors").why or "")


def test_phi_with_two_values_for_one_edge(case: Case) -> None:
    case.entry.instructions[-1].erase()
    case.entry.append(Switch(case.n, case.left, [(ConstantInt(I64, 1), case.join), (ConstantInt(I64, 2), case.join)]))
    case.right.instructions[-1].erase()
    case.right.append(Return(case.x))
    phi = case.at["m"]
    phi.set_operand(3, case.entry)
    phi.set_operand(2, case.x)
    phi.add_operand(ONE)
    phi.add_operand(case.entry)
    case.refused("two values for one predecessor")
    phi.set_operand(4, case.x)
    verify_function(case.function)


def test_phi_with_another_type(case: Case) -> None:
    case.at["m"].set_operand(0, case.n)
    case.refused("wrong types in a phi")


def test_entry_with_a_predecessor(case: Case) -> None:
    case.right.instructions[-1].erase()
    case.right.append(Branch(case.entry))
    phi = case.at["m"]
    phi.drop_operands()
    phi.add_operand(case.x)
    phi.add_operand(case.left)
    case.refused("the entry block has a predecessor")


def test_use_before_definition(case: Case) -> None:
    late = BinaryOp("fadd", case.x, ONE, name="late")
    case.add(BinaryOp("fadd", late, ONE))
    case.add(late)
    problem = case.refused("a definition does not dominate its use")
    assert problem.why and "%late = fadd" in problem.why


def test_use_on_another_path(case: Case) -> None:
    case.add(BinaryOp("fadd", case.at["a"], ONE))
    case.refused("a definition does not dominate its use")


def test_phi_value_from_the_wrong_edge(case: Case) -> None:
    case.at["m"].set_operand(0, case.at["b"])
    case.refused("a definition does not dominate its use")


def test_unreachable_code_may_use_anything(case: Case) -> None:
    dead = case.function.append_block("dead")
    dead.append(BinaryOp("fadd", case.at["a"], case.at["b"]))
    dead.append(Branch(case.join))
    phi = case.at["m"]
    phi.add_operand(case.at["b"])
    phi.add_operand(dead)
    verify_function(case.function)


def test_foreign_values(case: Case) -> None:
    other = Case()
    foreign = {
        "uses an instruction that is not": other.at["a"],
        "uses an argument of another": other.x,
        "uses a value that is never defined": Value(DOUBLE, "ghost"),
    }
    for what, value in foreign.items():
        inst = BinaryOp("fadd", case.x, value)
        case.add(inst)
        case.refused(what)
        inst.erase()
    case.add(Store(other.module.declare_function("h", FunctionType(VOID, ())), case.p))
    case.refused("uses a global of another module")


def test_foreign_block(case: Case) -> None:
    case.left.instructions[-1].set_operand(0, Block("elsewhere"))
    case.refused("refers to a block that is not")


def test_use_lists(case: Case) -> None:
    del case.x.users[case.at["a"]]
    case.refused("a use list lacks a use")
    case.x.users[case.at["a"]] = 2
    case.n.users[case.at["a"]] = 1
    case.refused("a use list names an instruction that does not use the value")


def test_ownership(case: Case) -> None:
    case.at["a"].block = case.right
    case.refused("says that it belongs to another block")
    case.at["a"].block = case.left
    case.left.insert(0, case.at["a"])
    case.refused("stands in the function twice")
    del case.left.instructions[0]
    case.left.function = None
    case.refused("belongs to another function")
    case.left.function = case.function
    case.function._blocks.append(case.left)
    case.refused("a block stands in the function twice")


def test_module_tables(case: Case) -> None:
    case.module.functions["g"] = case.module.functions["f"]
    with pytest.raises(VerificationError, match="under the name 'g'"):
        verify_module(case.module)
    del case.module.functions["g"]
    case.module.entities.remove(case.function)
    with pytest.raises(VerificationError, match="does not belong to the module"):
        verify_module(case.module)


INVOKE = """declare i32 @g()
declare i32 @__gxx_personality_v0(...)
define i32 @f(i1 %c) personality ptr @__gxx_personality_v0 {
  %r = invoke i32 @g()
          to label %normal unwind label %pad

normal:
  ret i32 0

pad:
  %l = landingpad { ptr, i32 }
          cleanup
  ret i32 1
}
"""


def test_invoke_results_exist_behind_the_normal_edge_only() -> None:
    for block, good in (("normal", True), ("pad", False)):
        module = parse_module(INVOKE)
        f = module.functions["f"]
        result = f.blocks[0].instructions[0]
        at = next(b for b in f.blocks if b.name == block)
        at.instructions[-1].set_operand(0, result)
        if good:
            verify_module(module)
        else:
            with pytest.raises(VerificationError, match="does not dominate"):
                verify_module(module)


def test_declarations_and_unread_bodies_are_left_alone() -> None:
    module = parse_module("declare void @d()\ndefine void @broken() {\n  nonsense\n}\n")
    verify_module(module)
    assert not module.functions["broken"].is_loaded


def test_argument_of_no_function() -> None:
    module = Module()
    f = Function("f", FunctionType(I1, ()))
    module.add_function(f)
    f.append_block("entry").append(Return(Argument(I1, "loose", 0)))
    with pytest.raises(VerificationError, match="argument of another function"):
        verify_function(f)
