"""What a function says of its processor holds for its derivatives, too."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from enzyme.gradient.engine import Engine
from enzyme.gradient.lower import lower_module
from enzyme.gradient.request import Request
from enzyme.ir.parser import parse_module
from enzyme.llvm.codegen import named_by
from enzyme.support.config import Config

TEXT = """
define double @square(double %x) #0 {
  %y = fmul double %x, %x
  ret double %y
}
attributes #0 = { nounwind "prefer-vector-width"="512" "target-cpu"="sapphirerapids" "no-trapping-math"="true" }
"""


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_of_the_processor_and_its_vectors(mode: str) -> None:
    activity = "dup" if mode == "forward" else "out"
    made = Engine(parse_module(TEXT), Config()).derivative(Request("square", mode, (activity,), "active"))  # type: ignore[arg-type]
    assert made.attrs == ('"prefer-vector-width"="512"', '"target-cpu"="sapphirerapids"')


HALF = '"prefer-vector-width"="256"'
PROGRAM = """
target triple = "TRIPLE"
define double @square(double %x) SAYS {
  %y = fmul double %x, %x
  ret double %y
}
define double @slope(double %x) SAYS {
  %y = call double @__enzyme_autodiff(ptr @square, double %x)
  ret double %y
}
define double @twice(double %x) {
  %y = call double @slope(double %x)
  %z = fadd double %y, %y
  ret double %z
}
declare double @__enzyme_autodiff(ptr, ...)
"""


def halved(config: Config, says: str = "", triple: str = "x86_64-unknown-linux-gnu") -> set[str]:
    """The functions of a program that are to be vectorised for halves of registers."""
    module = parse_module(lower_module(PROGRAM.replace("SAYS", says).replace("TRIPLE", triple), config))
    found = {name for name, function in module.functions.items() if HALF in module.fn_attributes(function)}
    return {"derivative" if "reverse" in name else name for name in found}


def test_halves_where_the_processor_works_on_them() -> None:
    """A derivative, and who asks for it, also through others: it may become part of them."""
    config = Config(cpu="znver4")
    assert halved(config) == {"derivative", "slope", "twice"}
    assert not halved(replace(config, half_vectors=False))
    assert not halved(replace(config, cpu="icelake-server"))
    assert not halved(config, triple="aarch64-unknown-linux-gnu")


def test_what_the_program_says_of_its_vectors_goes_before() -> None:
    assert halved(Config(cpu="znver4"), '"prefer-vector-width"="512"') == {"twice"}


LOOP = """
target triple = "x86_64-unknown-linux-gnu"
define double @sum(ptr %x, i64 %n, i64 %m) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %end ]
  %s = phi double [ 0.0, %entry ], [ %s.next, %end ]
  BODY
end:
  %s.next = fadd double %s, %v
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret double %s.next
}
define void @slope(ptr %x, ptr %dx, i64 %n, i64 %m) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @sum, ptr %x, ptr %dx, i64 %n, i64 %m)
  ret void
}
define void @both(ptr %x, ptr %dx, i64 %n, i64 %m) {
  call void @slope(ptr %x, ptr %dx, i64 %n, i64 %m)
  ret void
}
declare void @__enzyme_autodiff(ptr, ...)
"""
PLAIN = """
  %at = getelementptr double, ptr %x, i64 %i
  %u = load double, ptr %at
  %v = fmul double %u, %u
  br label %end
"""
INNER = """
  br label %inner
inner:
  %j = phi i64 [ 0, %loop ], [ %j.next, %inner ]
  %t = phi double [ 0.0, %loop ], [ %v, %inner ]
  %k = add i64 %i, %j
  %at = getelementptr double, ptr %x, i64 %k
  %u = load double, ptr %at
  %w = fmul double %u, %u
  %v = fadd double %t, %w
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j.next, MOST
  br i1 %again, label %inner, label %end
"""


def in_halves(body: str, cpu: str = "znver5", optimised: bool = True, **options: bool) -> set[str]:
    module = parse_module(lower_module(LOOP.replace("BODY", body), Config(cpu=cpu, **options), optimised=optimised))
    found = {name for name, function in module.functions.items() if HALF in module.fn_attributes(function)}
    return {"derivative" if "reverse" in name else name for name in found}


def test_halves_where_loops_may_be_short() -> None:
    """On a processor that works on whole registers; not by LLVM alone, before anything is optimised."""
    nested = INNER.replace("MOST", "%m")
    assert in_halves(nested) == {"derivative", "slope", "both"}
    assert in_halves(nested, half_vectors=False) == set()
    assert in_halves(nested, optimised=False) == set()
    assert in_halves(nested, "sapphirerapids") == {"derivative", "slope", "both"}  # there are no others there, as yet
    assert in_halves(nested, "icelake-server") == set()  # LLVM makes halves there, and is to


@pytest.mark.parametrize("body", [PLAIN, INNER.replace("MOST", "3")])
def test_loops_in_no_other_are_long(body: str) -> None:
    assert in_halves(body) == set()


def test_derivatives_in_halves_are_differentiated_like_others() -> None:
    """What is said of a derivative does not keep it from becoming part of the function that is differentiated next."""
    again = """
define void @curve(ptr %x, ptr %v, ptr %dx, ptr %dv, i64 %n, i64 %m) {
  call void (ptr, ...) @__enzyme_fwddiff(ptr @slope, ptr %x, ptr %v, ptr %dx, ptr %dv, i64 %n, i64 %m)
  ret void
}
declare void @__enzyme_fwddiff(ptr, ...)
"""
    text = LOOP.replace("BODY", INNER.replace("MOST", "%m")) + again
    texts = [lower_module(text, Config(cpu="znver5", half_vectors=half), optimised=True) for half in (True, False)]
    assert HALF in texts[0] and HALF not in texts[1]
    calls = [sorted(re.findall(r"call [^@]*@([\w.]+)", each)) for each in texts]
    assert calls[0] == calls[1]


@pytest.mark.parametrize(
    ("name", "features", "found"),
    [
        ("rocketlake", "+avx512f,+avx512fp16,+amx-tile", "sapphirerapids"),
        ("rocketlake", "+avx512f,-avx512fp16,-amx-tile", "rocketlake"),
        ("icelake-server", "+avx512f,-avx512fp16,+amx-tile", "icelake-server"),
        ("graniterapids", "+avx512f,+avx512fp16,+amx-tile", "graniterapids"),
        ("znver5", "+avx512f,+avx512fp16,-amx-tile", "znver5"),
        ("rocketlake", "", "rocketlake"),
    ],
)
def test_a_name_that_features_contradict(name: str, features: str, found: str) -> None:
    assert named_by(name, features) == found
