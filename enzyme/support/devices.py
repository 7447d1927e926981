"""What holds for programs that run on graphics processors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from enzyme.support.config import Config, switches
from enzyme.support.diagnostics import UnsupportedError

_ALSO_ON_GPU = frozenset(
    "recompute reload dependences reassociate stack_rooms small_frames late_frames share_bytes keep_once quotients "
    "squares reciprocals simplify_again inline_derivatives direct_frees small_blocks "
    "iterations fuse stored_results".split()
)
"""Optimisations that are one thread's own business; the others make vectors, know one thread alone adds to a shadow,
or ask the allocator of a CPU."""


def is_gpu(triple: str | None) -> bool:
    """Whether a target is a graphics processor of NVIDIA."""
    return (triple or "").startswith("nvptx")


def for_target(config: Config, triple: str) -> Config:
    """``config`` as it holds for a target: on a GPU many threads run the same derivative. Raises
    :class:`UnsupportedError` for the GPUs of others."""
    if triple.startswith(("amdgcn", "r600", "spirv")):
        raise UnsupportedError(
            f"derivatives of programs for '{triple.partition('-')[0]}' are not made yet",
            why="threads add to one shadow at the same time, and how this processor does that is not known here",
            hint="compile for nvptx64, or for a CPU",
        )
    if not is_gpu(triple):
        return config
    if config.count_tape:
        raise UnsupportedError(
            "tapes are not counted on GPUs",
            why="the counters are variables of all threads, and ask the allocator of a CPU how large blocks are",
            hint="leave --enzyme-count-tape (count_tape) off; explain says what loops keep",
        )
    changes: dict[str, Any] = {name: False for name in switches() if name not in _ALSO_ON_GPU}
    return replace(config, bits=False, **changes)
