"""How the time to compile a derivative grows with the program: ``python -m benchmarks.compile_time [SHAPE ...]``.

For each program of :mod:`benchmarks.shapes`: seconds in the front end (clang), in LLVM's passes before differentiation,
in the engine's own part (reading, analysing, differentiating, printing), and after it (LLVM's passes and code
generation, with ``--total``). They are seconds of this process's CPU, but for clang. ``--forward`` adds a forward
derivative, ``--level`` sets -O0 to -O3, ``--limit`` leaves out sizes above it, ``--profile FILE`` writes the engine's
own part of the last program for :mod:`pstats`.
"""

from __future__ import annotations

import argparse
import cProfile
import time
from collections.abc import Collection

from benchmarks.shapes import SHAPES
from enzyme.frontends.clang import run_front_end
from enzyme.gradient.lower import lower_module
from enzyme.jit import Program
from enzyme.llvm.pipelines import prepare
from enzyme.support.config import Config


class _Prepare:
    """LLVM's part of the lowering, timed."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self, text: str, keep: Collection[str]) -> str:
        start = time.process_time()
        try:
            return prepare(text, keep)
        finally:
            self.seconds += time.process_time() - start


def measure(source: str, level: int, pipeline: str, total: bool, profile: str | None) -> list[float]:
    """Seconds: front end, LLVM before, own part, LLVM after (0 unless ``total``)."""
    start = time.perf_counter()
    text = run_front_end(source, "c", level, pipeline, None, (), ()).ir
    front = time.perf_counter() - start
    before = _Prepare()
    profiler = cProfile.Profile() if profile else None
    start = time.process_time()
    if profiler is not None:
        profiler.enable()
    config = Config(cache=None)
    lowered = lower_module(text, config, before)
    if profiler is not None:
        profiler.disable()
        profiler.dump_stats(profile or "")
    own = time.process_time() - start - before.seconds
    after = 0.0
    if total:
        start = time.process_time()
        program = Program(lowered, config, level, pipeline)
        assert program.address("reverse_mode")
        after = time.process_time() - start
    return [front, before.seconds, own, after]


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("shape", nargs="*", default=[], metavar="SHAPE", help=f"of {', '.join(SHAPES)}")
    options.add_argument("--forward", action="store_true")
    options.add_argument("--total", action="store_true")
    options.add_argument("--level", type=int, default=2)
    options.add_argument("--pipeline", default="post")
    options.add_argument("--limit", type=int, default=1 << 30)
    options.add_argument("--profile")
    chosen = options.parse_args()
    print(
        f"{'program':<12}{'size':>8}{'clang':>10}{'LLVM':>10}{'own':>10}{'own/size':>12}{'after':>10}   (seconds; ms)"
    )
    for name in chosen.shape or SHAPES:
        make, sizes = SHAPES[name]
        for size in sizes:
            if size > chosen.limit:
                continue
            source = make(size, chosen.forward)
            front, before, own, after = measure(source, chosen.level, chosen.pipeline, chosen.total, chosen.profile)
            print(
                f"{name:<12}{size:>8}{front:>10.2f}{before:>10.2f}{own:>10.2f}{1e3 * own / size:>12.3f}{after:>10.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
