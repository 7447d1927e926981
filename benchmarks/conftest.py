"""IR that the benchmarks start from: what the C and C++ compilers print, made once and not timed."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from enzyme.frontends.clang import compile_to_ir

os.environ["ENZYME_CACHE"] = "off"  # compiling is what is measured
SOURCES = Path(__file__).parent / "sources"


@pytest.fixture(scope="session")
def gmm_ir() -> Callable[[str], str]:
    """Pipeline -> IR of the GMM objective together with the call that asks for its gradient."""

    @cache
    def compiled(pipeline: str) -> str:
        with as_file(files("adbench.workloads.gmm")) as folder:
            return compile_to_ir(folder / "enzyme_gradient.c", pipeline=pipeline)

    return compiled


@pytest.fixture(scope="session")
def large_ir() -> Callable[[bool], str]:
    """With debug information or without -> IR of a C++ translation unit at -O2, of 24,000 lines without."""

    @cache
    def compiled(debug: bool) -> str:
        text = compile_to_ir(SOURCES / "large_unit.cpp", debug=debug)
        assert text.count("\n") >= 20_000
        return text

    return compiled
