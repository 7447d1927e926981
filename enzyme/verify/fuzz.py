"""The fuzzer: programs by the thousand through every optimisation level and both pipelines."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from multiprocessing import get_context

from enzyme.support.config import Config
from enzyme.verify.build import EngineToolchain, PlainToolchain, Toolchain
from enzyme.verify.driver import source
from enzyme.verify.features import ALL
from enzyme.verify.generator import generate
from enzyme.verify.oracle import Outcome, examine, shrink
from enzyme.verify.program import FuzzFunction

Generator = Callable[[int, int, frozenset[str]], FuzzFunction]
"""Makes the function of a seed and a number out of no more than some features."""
BATCH = 25
"""Functions in one translation unit: the compiler's start is paid once for all of them."""
FURTHER = 2
"""Toolchains under which one function's lanes and second derivatives are made: they take much time, and the turn goes
round over the functions, so that every toolchain gets its part."""
_NAMES = re.compile(r"'[^']*'|\d+")
"""What differs between refusals of one kind."""
SHRUNK = 6
"""Failures that are made small in one run; the rest are reported by seed and number."""


@dataclass(frozen=True)
class Finding:
    """A function that failed, and under which toolchain."""

    outcome: Outcome
    toolchain: Toolchain
    seed: int

    def line(self) -> str:
        """Which function it is, and what it said first."""
        first = self.outcome.message.split("\n")[0][:140]
        return f"{self.outcome.kind}: {self.outcome.function.name} at {self.toolchain.label}: {first}"

    def report(self) -> str:
        """The program and what was wrong with it."""
        function = self.outcome.function
        checks = "".join(f"// check: {check}\n" for check in function.checks)
        return (
            f"--- {self.outcome.kind} at {self.toolchain.label}: seed {self.seed}, {function.name}\n"
            f"{self.outcome.message}\n{checks}{function.render()}"
        )


def toolchains(levels: Iterable[int], pipelines: Iterable[str], config: Config) -> list[EngineToolchain]:
    """Every combination that differs: at level 0 there is nothing to order."""
    made: list[EngineToolchain] = []
    for level in levels:
        for pipeline in ["post"] if level == 0 else pipelines:
            made.append(EngineToolchain(level, pipeline, config))
    return made


def fuzz_batch(
    seed: int,
    numbers: range,
    chains: Sequence[Toolchain],
    features: frozenset[str] = ALL,
    share: int | None = None,
    make: Generator = generate,
) -> tuple[Counter[str], list[Finding]]:
    """Examine some functions of a seed: how often each kind came, and what failed. Each function comes under ``share``
    of the toolchains (None: all), its lanes and second derivatives under :data:`FURTHER`."""
    functions = [make(seed, number, features) for number in numbers]
    kinds: Counter[str] = Counter()
    findings: list[Finding] = []
    for place, chain in enumerate(chains):
        given: list[FuzzFunction] = []
        for number, function in zip(numbers, functions, strict=True):
            turn = (number + place) % len(chains)
            if share is None or turn < share:
                given.append(function if turn < FURTHER else replace(function, checks=()))
        for outcome in examine(given, chain) if given else ():
            kinds[outcome.kind] += 1
            if not outcome.passed:
                findings.append(Finding(outcome, chain, seed))
    return kinds, findings


def fuzz_main(
    count: int,
    seed: int = 0,
    levels: Sequence[int] = (0, 1, 2, 3),
    pipelines: Sequence[str] = ("post", "pre"),
    config: Config | None = None,
    progress: Callable[[str], None] = print,
    jobs: int | None = None,
    features: frozenset[str] = ALL,
    share: int | None = None,
    make: Generator = generate,
) -> int:
    """Make ``count`` functions and check all their derivatives; the number of functions that failed, 0 when none did.

    Each function is compiled under ``share`` of the toolchains, in turn; under all when it is None. A refusal with a
    named error is reported and counted apart: it is no wrong answer. ``make`` says which programs: those of
    :mod:`enzyme.verify.generator`, or :func:`enzyme.verify.nests.generate_nests`.

    ``progress`` gets the lines of the report. Each failure names its seed and number, from which :func:`reproduce`
    makes the program again; the first few are shrunk and printed whole.
    """
    chains = toolchains(levels, pipelines, config or Config())
    jobs = jobs or os.cpu_count() or 1
    # Where a function comes under few of the toolchains, each toolchain's program should hold a good many all the same.
    many = 4 * BATCH if share is not None and 4 * share <= len(chains) and count >= 4 * BATCH * jobs else BATCH
    batches = [range(start, min(start + many, count)) for start in range(0, count, many)]
    kinds: Counter[str] = Counter()
    findings: list[Finding] = []
    done = 0
    for size, (part, found) in _results(seed, batches, chains, jobs, features, share, make):
        done += size
        kinds += part
        findings += found
        for finding in found:
            progress(finding.line())
        progress(f"{done}/{count} functions, {_tally(kinds)}")
    failed = {f.outcome.function.name for f in findings if f.outcome.kind != "refused"}
    refused = {f.outcome.function.name for f in findings} - failed
    for finding in _representatives(findings):
        smaller = shrink(finding.outcome, finding.toolchain)
        progress(Finding(smaller, finding.toolchain, seed).report())
    for finding in findings:
        if finding.outcome.kind != "refused":
            progress(finding.line())
    for line in refusals(findings, count):
        progress(line)
    progress(
        f"seed {seed}: {count} functions under {f'{share} of ' if share else ''}{', '.join(c.label for c in chains)}: "
        f"{len(failed)} failed, {len(refused)} refused ({100 * len(refused) / count:.1f} %) "
        f"({_tally(kinds)})"
    )
    return len(failed)


def _results(
    seed: int,
    batches: list[range],
    chains: Sequence[Toolchain],
    jobs: int,
    features: frozenset[str],
    share: int | None,
    make: Generator,
) -> Iterable[tuple[int, tuple[Counter[str], list[Finding]]]]:
    if jobs == 1 or len(batches) == 1:
        for batch in batches:
            yield len(batch), fuzz_batch(seed, batch, chains, features, share, make)
        return
    with ProcessPoolExecutor(min(jobs, len(batches)), mp_context=get_context("spawn")) as pool:
        pending = {pool.submit(fuzz_batch, seed, batch, chains, features, share, make): len(batch) for batch in batches}
        for future in as_completed(pending):
            yield pending[future], future.result()


def refusals(findings: list[Finding], count: int) -> list[str]:
    """Refused functions by reason, the most frequent first, with an example to look at."""
    reasons: dict[str, dict[str, Finding]] = {}
    for finding in findings:
        if finding.outcome.kind == "refused":
            reason = _NAMES.sub("_", finding.outcome.message.split("\n")[0])
            reasons.setdefault(reason, {}).setdefault(finding.outcome.function.name, finding)
    lines = []
    for reason, found in sorted(reasons.items(), key=lambda item: -len(item[1])):
        example = next(iter(found.values()))
        share = 100 * len(found) / count
        label = f"{example.outcome.function.name} at {example.toolchain.label}"
        lines.append(f"refused: {len(found)} ({share:.1f} %) {reason[:140]} (e.g. {label})")
    return lines


def _tally(kinds: Counter[str]) -> str:
    return ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items())) or "none"


def _representatives(findings: list[Finding]) -> list[Finding]:
    """The findings worth shrinking: one for each kind and message, the gravest kinds first."""
    order = {kind: rank for rank, kind in enumerate(("wrong", "crash", "timeout", "broken", "refused"))}
    chosen: dict[tuple[str, str], Finding] = {}
    for finding in sorted(findings, key=lambda f: order.get(f.outcome.kind, 9)):
        words = finding.outcome.message.split("\n")[0].split("'")[0].split()[:4]
        chosen.setdefault((finding.outcome.kind, " ".join(words)), finding)
    return list(chosen.values())[:SHRUNK]


def reproduce(seed: int, number: int, features: frozenset[str] = ALL, make: Generator = generate) -> str:
    """The whole C program of one function, as the fuzzer compiled it."""
    return source([make(seed, number, features)])


def validate(count: int, seed: int = 0, level: int = 1, make: Generator = generate) -> list[Outcome]:
    """The generator checked by itself: programs without the engine, under the compiler's checks of undefined behaviour,
    differences with two step sizes against each other. What failed."""
    chain = PlainToolchain(level, sanitize=True)
    outcomes: list[Outcome] = []
    for start in range(0, count, BATCH):
        outcomes += examine([make(seed, n, ALL) for n in range(start, min(start + BATCH, count))], chain)
    return [o for o in outcomes if not o.passed]
