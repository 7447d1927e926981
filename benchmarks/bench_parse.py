"""Reading and printing IR: splitting a module into its entities, parsing bodies, printing, the verifier."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.clock import processor_seconds
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.ir.verifier import verify_module

pytestmark = pytest.mark.benchmark(timer=processor_seconds)


def parse_all(text: str) -> Module:
    """The module with every body read, which :func:`parse_module` alone leaves as text."""
    module = parse_module(text)
    for function in module.functions.values():
        for _ in function.instructions():
            pass
    return module


@pytest.fixture(params=["gmm", "large"])
def text(request: pytest.FixtureRequest, gmm_ir: Callable[[str], str], large_ir: Callable[[bool], str]) -> str:
    return gmm_ir("post") if request.param == "gmm" else large_ir(False)


def bench_split(benchmark: BenchmarkFixture, text: str) -> None:
    benchmark.extra_info["ir_lines"] = text.count("\n")
    module = benchmark.pedantic(parse_module, args=(text,), rounds=5)
    assert module.functions


def bench_parse_bodies(benchmark: BenchmarkFixture, text: str) -> None:
    benchmark.extra_info["ir_lines"] = text.count("\n")
    benchmark.pedantic(parse_all, args=(text,), rounds=3)


def bench_print_parsed(benchmark: BenchmarkFixture, text: str) -> None:
    module = parse_all(text)
    printed = benchmark.pedantic(print_module, args=(module,), rounds=3)
    assert printed.count("\ndefine ") == text.count("\ndefine ")


def bench_verify(benchmark: BenchmarkFixture, text: str) -> None:
    module = parse_all(text)
    benchmark.pedantic(verify_module, args=(module,), rounds=3)
