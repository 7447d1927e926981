"""Automatic differentiation of LLVM IR: compile a program, call it, differentiate it.

    import enzyme

    program = enzyme.compile("double square(double x) { return x * x; }")
    program.square(3.0)                    # 9.0
    program.autodiff("square")(3.0)        # 6.0

Names are loaded when first used, so that ``python -m enzyme`` starts fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from enzyme.api import Module, compile
    from enzyme.bindings.numba import (
        grad as grad,
    )
    from enzyme.bindings.numba import (
        hessian as hessian,
    )
    from enzyme.bindings.numba import (
        hvp as hvp,
    )
    from enzyme.bindings.numba import (
        jacfwd as jacfwd,
    )
    from enzyme.bindings.numba import (
        jacrev as jacrev,
    )
    from enzyme.bindings.numba import (
        jvp as jvp,
    )
    from enzyme.bindings.numba import (
        pullback as pullback,
    )
    from enzyme.bindings.numba import (
        pushforward as pushforward,
    )
    from enzyme.bindings.numba import (
        value_and_grad as value_and_grad,
    )
    from enzyme.bindings.numba import (
        vjp as vjp,
    )
    from enzyme.derivatives import Derivative, Gradient
    from enzyme.jit import free_tapes
    from enzyme.native import NativeFunction
    from enzyme.support.cache import Cache
    from enzyme.support.config import Config
    from enzyme.support.diagnostics import (
        ActivityError,
        CompileError,
        EnzymeError,
        ParseError,
        TypeUnknownError,
        UnsupportedError,
        UsageError,
        VerificationError,
    )

_HOME = {
    "compile": "enzyme.api",
    "Module": "enzyme.api",
    **dict.fromkeys(
        (
            "grad",
            "hessian",
            "hvp",
            "jacfwd",
            "jacrev",
            "jvp",
            "pullback",
            "pushforward",
            "value_and_grad",
            "vjp",
        ),
        "enzyme.bindings.numba",
    ),
    "Derivative": "enzyme.derivatives",
    "Gradient": "enzyme.derivatives",
    "NativeFunction": "enzyme.native",
    "free_tapes": "enzyme.jit",
    "Cache": "enzyme.support.cache",
    "Config": "enzyme.support.config",
    **dict.fromkeys(
        (
            "ActivityError",
            "CompileError",
            "EnzymeError",
            "ParseError",
            "TypeUnknownError",
            "UnsupportedError",
            "UsageError",
            "VerificationError",
        ),
        "enzyme.support.diagnostics",
    ),
}


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'enzyme' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})


__all__ = [
    "ActivityError",
    "Cache",
    "CompileError",
    "Config",
    "Derivative",
    "EnzymeError",
    "Gradient",
    "Module",
    "NativeFunction",
    "ParseError",
    "TypeUnknownError",
    "UnsupportedError",
    "UsageError",
    "VerificationError",
    "__version__",
    "compile",
    "free_tapes",
]
