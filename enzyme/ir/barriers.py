"""Barriers of GPUs, at which threads wait for one another."""

from __future__ import annotations

import re

from enzyme.ir.instructions import CallBase, Instruction

NAMES = (
    "nvvm.barrier0 nvvm.bar.sync nvvm.barrier nvvm.barrier.sync nvvm.barrier.sync.cnt nvvm.bar.warp.sync "
    "nvvm.barrier.cta.sync.all nvvm.barrier.cta.sync.count nvvm.barrier.cta.sync.aligned.all "
    "nvvm.barrier.cta.sync.aligned.count nvvm.membar.cta nvvm.membar.gl nvvm.membar.sys"
)
"""Intrinsics (without ``llvm.``) for barriers of a block or a warp, and for fences, which order what a thread does."""

_NAMES = frozenset(f"llvm.{name}" for name in NAMES.split())
_WAITS = re.compile(r"llvm\.nvvm\.bar")


def is_barrier(inst: Instruction) -> bool:
    """Whether an instruction is such a call: what other threads did before it may be seen behind it."""
    return isinstance(inst, CallBase) and inst.callee_name in _NAMES


def waits(inst: Instruction) -> bool:
    """Whether it is one at which all threads of a block, or a warp, wait."""
    return is_barrier(inst) and _WAITS.match(inst.callee_name or "") is not None  # type: ignore[attr-defined]
