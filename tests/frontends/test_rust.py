"""Programs as people write them in Rust: their IR is differentiated, optimised by rustc or not."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest

import enzyme
from enzyme import Config

SOURCE = Path(__file__).parent / "sources" / "everyday.rs"
SIZES = {
    "norm": 40, "logistic": 8 + 9 * 7, "mlp": 256, "mixture": 24 + 60, "heat": 30, "image": 9 + 64, "bodies": 15,
    "pendulum": 25, "roots": 20, "cholesky": 36, "shapes": 20, "by_key": 30, "trimmed": 40, "moving": 30, "rough": 30,
    "spectrum": 32, "tree": 20, "list": 20, "product": 50, "warping": 24,
}  # fmt: skip
FLAGS = {
    "first by the engine": ["-C", "panic=abort", "-C", "no-prepopulate-passes"],
    "by rustc": ["-C", "panic=abort"],
    "that unwind": [],
}
KEYS_NEED_ABORT = "by_key"
"""A tree that is left by unwinding has nodes of words of which nobody says what they are."""


@pytest.fixture(scope="module")
def modules(rustc: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, enzyme.Module]:
    folder = tmp_path_factory.mktemp("rust")

    def compiled(*words: str) -> None:
        subprocess.run([rustc, "-O", "-C", "codegen-units=1", *words, str(SOURCE)], check=True, capture_output=True)

    library = folder / "libeveryday.so"
    compiled("--crate-type=dylib", "-o", str(library))
    ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    made = {}
    for name, flags in FLAGS.items():
        path = folder / f"{name.replace(' ', '-')}.ll"
        compiled("--crate-type=lib", "--emit=llvm-ir", *flags, "-o", str(path))
        made[name] = enzyme.compile(path, config=Config(cache=None))
    return made


@pytest.mark.parametrize("how", FLAGS)
@pytest.mark.parametrize("name", SIZES)
def test_gradients(name: str, how: str, modules: dict[str, enzyme.Module]) -> None:
    """Reverse mode against forward mode and differences."""
    if name == KEYS_NEED_ABORT and how == "that unwind":
        pytest.skip("refused: types are lost")
    module, n = modules[how], SIZES[name]
    rng = np.random.default_rng(n)
    x, v = rng.uniform(0.1, 0.9, (2, n))
    gradient = module.gradient(name)(x, n)
    tangent = module.autodiff(name, ["dup", "const"], mode="forward")((x, v), n)
    assert gradient @ v == pytest.approx(tangent, rel=1e-9, abs=1e-12)
    h = 1e-6
    slope = (module[name](x + h * v, n) - module[name](x - h * v, n)) / (2 * h)
    assert tangent == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_missing_library(tmp_path: Path) -> None:
    """What to do is said where Rust's library is not there."""
    path = tmp_path / "f.ll"
    path.write_text(
        "define double @f(double %x) {\n  call void @_RNvNtCs1_4core9panicking9not_there()\n  ret double %x\n}\n"
        "declare void @_RNvNtCs1_4core9panicking9not_there()\n"
    )
    module = enzyme.compile(path)
    with pytest.raises(AttributeError, match="--crate-type=dylib"):
        getattr(module, "f")  # noqa: B009


def test_source(rustc: str) -> None:
    """A program in Rust is compiled, and what it calls of Rust's library is loaded."""
    module = enzyme.compile(SOURCE, config=Config(cache=None))
    x = np.random.default_rng(1).uniform(0.1, 0.9, 20)
    for name in ("norm", "roots", "list"):
        v = np.random.default_rng(2).uniform(-1, 1, 20)
        tangent = module.autodiff(name, ["dup", "const"], mode="forward")((x, v), 20)
        assert module.gradient(name)(x, 20) @ v == pytest.approx(tangent, rel=1e-9)
    with pytest.raises(enzyme.CompileError, match=r"source.rs:1:"):
        enzyme.compile("fn f() -> f64 { x }\n", language="rust")
