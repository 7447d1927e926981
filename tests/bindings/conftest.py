"""What the tests of operations in frameworks share: each module has its own ``Operation`` and indices ``K``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import enzyme
from tests.bindings import operations


@pytest.fixture(scope="module", params=[0, 2], ids=lambda level: f"O{level}")
def program(request: pytest.FixtureRequest) -> enzyme.Module:
    return enzyme.compile(operations.SOURCE, opt_level=request.param)


@pytest.fixture(scope="module")
def waves(program: enzyme.Module, request: pytest.FixtureRequest) -> Any:
    return request.module.Operation(program, "waves", sizes={"n": "x"})


@pytest.fixture(scope="module")
def mixed(program: enzyme.Module, request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Of the array and the factors; the indices are always the same."""
    operation = request.module.Operation(program, "mixed", outputs={"w": "n"}, in_place="x", sizes={"n": "x"})
    return lambda x, y: operation(x, request.module.K, y)
