"""Are the derivatives right? Random programs, and a check for users' own functions."""

from enzyme.verify.check import Comparison, DerivativeMismatch, check_gradients, directional_difference

__all__ = ["Comparison", "DerivativeMismatch", "check_gradients", "directional_difference", "fuzz_main"]


def __getattr__(name: str) -> object:
    """``fuzz_main`` on first use: it brings the whole engine along."""
    if name == "fuzz_main":
        from enzyme.verify.fuzz import fuzz_main

        return fuzz_main
    raise AttributeError(name)
