"""Names of functions that a program says are like others.

Where derivatives are made, such a function goes by a name that says so, ``enzyme.like$log1p$f``, and is known by that
name alone: nobody looks into its body. The last part is its own name, by which derivative code calls it again.
"""

from __future__ import annotations

_LIKE = "enzyme.like$"
_ALLOCATES = "enzyme.allocates$"
_DEALLOCATES = "enzyme.deallocates$"


def like_name(name: str, like: str) -> str:
    return f"{_LIKE}{like}${name}"


def allocator_name(name: str, size: int, deallocator: str) -> str:
    return f"{_ALLOCATES}{size}${deallocator}${name}"


def deallocator_name(name: str) -> str:
    return f"{_DEALLOCATES}{name}"


def plain_like(name: str) -> str:
    """What a function is like: the name to look up in the tables."""
    return name.split("$", 2)[1] if name.startswith(_LIKE) else name


def allocation_of(name: str) -> tuple[int, str] | None:
    """(argument that is the size, deallocator) of a registered allocator."""
    if not name.startswith(_ALLOCATES):
        return None
    _, size, deallocator, _ = name.split("$", 3)
    return int(size), deallocator


def deallocates(name: str) -> bool:
    return name.startswith(_DEALLOCATES)


def own_name(name: str) -> str:
    """The function's name in the program."""
    if name.startswith(_LIKE):
        return name.split("$", 2)[2]
    if name.startswith(_ALLOCATES):
        return name.split("$", 3)[3]
    return name.removeprefix(_DEALLOCATES)
