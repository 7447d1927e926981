"""Which functions a call through a pointer may lead to."""

from __future__ import annotations

from enzyme.gradient.candidates import AddressIndex
from enzyme.ir.parser import parse_module
from enzyme.ir.values import CallBase

VISITORS = """
@_ZTV4Leaf = constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr @_ZTI4Leaf, ptr @accept] }
@_ZTV5Stamp = constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr @_ZTI5Stamp, ptr @visit] }
@_ZTI4Leaf = constant ptr null
@_ZTI5Stamp = constant ptr null
define void @accept(ptr dereferenceable(24) %this, ptr dereferenceable(8) %visitor) {
  ret void
}
define void @visit(ptr dereferenceable(40) %this, ptr dereferenceable(24) %leaf) {
  ret void
}
define void @f(ptr %p, ptr %q, i1 %c) {
  %vtable = load ptr, ptr %p
  %method = load ptr, ptr %vtable
  call void %method(ptr dereferenceable(8) %p, ptr ARGUMENT)
  ret void
}
"""


def reached(argument: str, insert: str = "") -> list[str]:
    text = VISITORS.replace("ARGUMENT", argument).replace("%vtable", f"{insert}\n  %vtable", 1)
    module = parse_module(text)
    call = next(inst for inst in module.functions["f"].instructions() if isinstance(inst, CallBase))
    return AddressIndex(module).of(call, module)


def test_virtual_calls_by_what_their_parameters_refer_to() -> None:
    """A method whose parameter refers to more than the call promises is of another class; where nothing is promised,
    or one call was made of two, all may be meant."""
    assert reached("dereferenceable(8) %q") == ["accept"]
    assert reached("dereferenceable(24) %q") == ["accept", "visit"]
    assert reached("%q") == ["accept", "visit"]
    assert reached("dereferenceable(8) %s", "%s = select i1 %c, ptr %p, ptr %q") == ["accept", "visit"]
