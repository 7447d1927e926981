"""Every GradBench module that stands on one of our workloads."""

from __future__ import annotations

from functools import cache

from adbench.gradbench.hand import HtModule
from adbench.gradbench.large import BaModule, GmmModule, LstmModule
from adbench.gradbench.module import Module
from adbench.gradbench.small import (
    DetModule,
    HelloModule,
    KmeansModule,
    LlsqModule,
    LseModule,
    OdeModule,
    ParticleModule,
    SaddleModule,
)

CLASSES: tuple[type[Module], ...] = (
    HelloModule,
    GmmModule,
    BaModule,
    LstmModule,
    HtModule,
    OdeModule,
    DetModule,
    KmeansModule,
    LlsqModule,
    LseModule,
    ParticleModule,
    SaddleModule,
)


@cache
def all_modules() -> dict[str, Module]:
    """Modules by GradBench's name, which is the workload's too."""
    return {made.name: made() for made in CLASSES}
