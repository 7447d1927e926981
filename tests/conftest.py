"""What all tests share."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zlib
from collections import defaultdict
from pathlib import Path

import pytest

# Test files import one another as `tests.<layer>.<file>`. The project's root goes to the end of the path, so that under
# tox it is the installed package that is tested and not the working tree.
ROOT = str(Path(__file__).resolve().parent.parent)
if ROOT not in sys.path:
    sys.path.append(ROOT)

# Nothing is kept from one run of the tests to the next: what is tested is the engine, not what it said before.
os.environ["ENZYME_CACHE"] = "off"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """``thinned(k)``: of the cases of a test the plain run has one in k, chosen by their names; the others are slow. So
    the plain run compiles each kind of program, and the slow run all of them."""
    cases: defaultdict[tuple[str, int], list[pytest.Item]] = defaultdict(list)
    for item in items:
        mark = item.get_closest_marker("thinned")
        if mark is not None and item.get_closest_marker("slow") is None:
            cases[item.nodeid.partition("[")[0], mark.args[0]].append(item)
    for (_, k), found in cases.items():
        found.sort(key=lambda item: zlib.crc32(item.name.encode()))
        for item in found[-(-len(found) // k) :]:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def rustc() -> str:
    """The compiler of Rust, where there is one whose IR this LLVM reads."""
    found = shutil.which("rustc")
    if found is None:
        pytest.skip("no Rust compiler here")
    version = subprocess.run([found, "--version", "--verbose"], capture_output=True, text=True, check=True).stdout
    if "LLVM version: 22." not in version:
        pytest.skip("the Rust compiler here is of another LLVM")
    return found


@pytest.fixture(scope="session")
def flang() -> str:
    """A compiler of Fortran, where there is one whose IR this LLVM reads and whose library is the one known."""
    found = shutil.which("flang-22") or shutil.which("flang")
    if found is None:
        pytest.skip("no Fortran compiler here")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    if "flang version 22." not in version:
        pytest.skip("the Fortran compiler here is of another LLVM")
    return found
