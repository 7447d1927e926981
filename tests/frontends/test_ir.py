"""IR as input: whether an optimiser has been over it, and what is done where none has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import enzyme
from enzyme.frontends.clang import compile_to_ir
from enzyme.frontends.ir import as_optimised, is_optimised
from enzyme.gradient import lower

SOURCE = """
double f(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) { double y = x[i]; s += y * y; }
  return s;
}
"""
LOCAL = """
define double @f(double %x) {
  %v = alloca double
  store double %x, ptr %v
  BETWEEN
  %y = load KINDdouble, ptr %v
  ret double %y
}
declare void @llvm.lifetime.start.p0(ptr)
declare void @use(ptr)
"""


@pytest.mark.parametrize(
    ("between", "kind", "optimised"),
    [
        ("", "", False),
        ("call void @llvm.lifetime.start.p0(ptr %v)", "", False),
        ("call void @use(ptr %v)", "", True),  # a variable whose address is known elsewhere stays one
        ("store ptr %v, ptr %v", "", True),
        ("", "volatile ", True),
        ("", "atomic ", True),
    ],
)
def test_locals_tell(between: str, kind: str, optimised: bool) -> None:
    text = LOCAL.replace("BETWEEN", between).replace("KIND", kind)
    if kind == "atomic ":
        text = text.replace("ptr %v\n  ret", "ptr %v seq_cst, align 8\n  ret")
    assert is_optimised(text) is optimised


def test_what_compilers_give() -> None:
    raw = compile_to_ir(SOURCE, pipeline="pre")
    assert not is_optimised(raw)
    made, optimised = as_optimised(raw, 2, "post")
    assert optimised and is_optimised(made) and "alloca" not in made
    assert as_optimised(made, 2, "post") == (made, True)
    assert as_optimised(raw, 2, "pre") == (raw, False)
    assert as_optimised(raw, 0, "post") == (raw, False)
    left = LOCAL.replace("BETWEEN", "").replace("KIND", "").replace("%x) {", "%x) noinline optnone {")
    assert not as_optimised(left, 2, "post")[1]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """Whether derivatives were made of what is said to have been optimised."""
    found: list[bool] = []
    shapes = lower._shapes

    def recorded(text, config, optimised, reverse):  # type: ignore[no-untyped-def]
        found.append(optimised)
        return shapes(text, config, optimised, reverse)

    monkeypatch.setattr(lower, "_shapes", recorded)
    yield found


@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.parametrize(("level", "pipeline"), [(2, "post"), (2, "pre"), (0, "post")])
def test_derivatives_asked_for_in_python(raw: bool, level: int, pipeline: str, asked: list[bool], tmp_path) -> None:  # type: ignore[no-untyped-def]
    """Of a source and of its IR alike, in each mode."""
    path = tmp_path / "f.ll"
    path.write_text(compile_to_ir(SOURCE, pipeline="pre" if raw else "post"))
    x = np.linspace(0.1, 1, 7)
    for source in (SOURCE, path):
        module = enzyme.compile(source, opt_level=level, pipeline=pipeline)
        np.testing.assert_allclose(module.gradient("f")(x, 7), 2 * x)
        assert module.autodiff("f", ["dup", "const"], mode="forward")((x, x.copy()), 7) == pytest.approx(2 * x @ x)
        np.testing.assert_allclose(module.hvp("f")(x, 7, x.copy()), 2 * x)
    assert asked and set(asked) == {pipeline == "post" and level > 0}
