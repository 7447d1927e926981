"""A saved reference of the engine's own benchmarks, and what has changed since: ``python -m benchmarks.reference``.

``save`` runs the suite of pytest-benchmark (generated code and compile time) on one core and writes the least time of
each benchmark to results/benchmarks.json; ``compare`` runs it again and prints both side by side, with their ratio and,
where a benchmark knows it, derivative over primal then and now. What looks slower is measured again, by itself, before
it is called slower. On another machine than the reference's the times stand there, with a warning, and nothing is
judged. ``-k`` picks benchmarks by name; ``save -k`` replaces those and leaves the others as they are.

The file is pytest-benchmark's JSON without samples and without what names the machine or its folders, so
``pytest --benchmark-compare`` and ``python -m adbench compare`` read it as well.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from rich.markup import escape
from rich.table import Table

from adbench.identity import decisive_features, machine, machine_difference
from adbench.sources import load_run
from adbench.terminal import EXIT_WRONG, console

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "results" / "benchmarks.json"
THRESHOLD = 0.25
"""A benchmark that takes so much longer is slower: what compiles is measured a few times only."""
RATIO = "derivative_over_primal"
KEPT = ("min", "median", "rounds")

Report = dict[str, Any]


def measured(chosen: Sequence[str], pick: str) -> Report:
    """Run the suite, or the benchmarks named in ``chosen``, on one core; what it says, reduced."""
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        out = Path(folder) / "out.json"
        words = [sys.executable, "-m", "pytest", "-q", "--benchmark-only", "--benchmark-columns=min,median"]
        words += [f"--benchmark-json={out}", *(["-k", pick] if pick else []), *(chosen or ["benchmarks"])]
        before = os.sched_getaffinity(0) if hasattr(os, "sched_setaffinity") else None
        if before:
            os.sched_setaffinity(0, {max(before)})
        try:
            done = subprocess.run(words, cwd=ROOT, check=False)
        finally:
            if before:
                os.sched_setaffinity(0, before)
        if done.returncode or not out.exists():
            raise SystemExit(f"the benchmarks failed (exit status {done.returncode}): see above")
        return reduced(json.loads(out.read_text(encoding="utf-8")), machine())


def reduced(report: Mapping[str, Any], here: Mapping[str, Any]) -> Report:
    """Of pytest-benchmark's report what is worth keeping: no samples, no names of machines, branches or folders."""
    commit = report.get("commit_info") or {}
    return {
        "machine_info": {
            "machine": here["architecture"],
            "system": here["system"],
            "python_version": here["python"],
            "cpu": {
                "brand_raw": here["cpu"],
                "count": here["cores"],
                "flags": sorted(decisive_features(here)),
            },
        },
        "commit_info": {key: commit.get(key) for key in ("id", "time", "dirty")},
        "datetime": report["datetime"],
        "version": report["version"],
        "benchmarks": [_benchmark(each) for each in report["benchmarks"]],
    }


def _benchmark(item: Mapping[str, Any]) -> dict[str, Any]:
    stats = {key: _short(item["stats"][key]) for key in KEPT}
    more = {key: _short(value) for key, value in item["extra_info"].items() if isinstance(value, (int, float))}
    return {key: item[key] for key in ("group", "name", "fullname")} | {"extra_info": more, "stats": stats}


def _short(value: float) -> float:
    """Four digits are more than a benchmark knows."""
    return value if isinstance(value, int) else float(f"{value:.4g}")


def replaced(old: Report, new: Report) -> Report:
    """``new``, and what it does not measure from ``old``."""
    names = {each["fullname"] for each in new["benchmarks"]}
    kept = [each for each in old["benchmarks"] if each["fullname"] not in names]
    return {**new, "benchmarks": sorted([*kept, *new["benchmarks"]], key=lambda each: str(each["fullname"]))}


def least(reports: Sequence[Report]) -> Report:
    """Of several runs, each benchmark's faster one."""
    best: dict[str, Any] = {}
    for report in reports:
        for each in report["benchmarks"]:
            known = best.get(each["fullname"])
            if known is None or each["stats"]["min"] < known["stats"]["min"]:
                best[each["fullname"]] = each
    return {**reports[0], "benchmarks": list(best.values())}


@dataclass(frozen=True)
class Change:
    """A benchmark then and now, in seconds; None where it was not measured."""

    name: str
    then: float | None
    now: float | None
    ratio_then: float | None = None
    ratio_now: float | None = None

    @property
    def factor(self) -> float | None:
        return self.now / self.then if self.now and self.then else None


def changes(reference: Report, now: Report) -> list[Change]:
    """Every benchmark of the run, in its order, and what the reference knows of it."""
    known = {each["fullname"]: each for each in reference["benchmarks"]}
    found = []
    for each in now["benchmarks"]:
        old = known.get(each["fullname"])
        found.append(
            Change(
                each["fullname"].removeprefix("benchmarks/"),
                old and old["stats"]["min"],
                each["stats"]["min"],
                old and old["extra_info"].get(RATIO),
                each["extra_info"].get(RATIO),
            )
        )
    return found


def slower(found: Sequence[Change], threshold: float) -> list[Change]:
    return [each for each in found if each.factor is not None and each.factor > 1 + threshold]


def verdict(change: Change, threshold: float) -> str:
    if change.factor is None:
        return "new"
    if change.factor > 1 + threshold:
        return "slower"
    return "faster" if change.factor < 1 / (1 + threshold) else ""


def table(found: Sequence[Change], threshold: float | None) -> Table:
    """Side by side; without verdicts where there is no threshold."""
    drawn = Table(box=None)
    drawn.add_column("benchmark", overflow="fold")
    for head in ("reference", "now", "now / then", "d/p then", "d/p now", ""):
        drawn.add_column(head, justify="right")
    for each in found:
        drawn.add_row(
            escape(each.name),
            _seconds(each.then),
            _seconds(each.now),
            f"{each.factor:.2f}" if each.factor else "",
            f"{each.ratio_then:.2f}" if each.ratio_then else "",
            f"{each.ratio_now:.2f}" if each.ratio_now else "",
            verdict(each, threshold) if threshold is not None else "",
        )
    return drawn


def _seconds(value: float | None) -> str:
    if not value:
        return ""
    return f"{value:.3f} s " if value >= 1 else f"{value * 1e3:.3f} ms" if value >= 1e-3 else f"{value * 1e6:.2f} us"


def save(asked: argparse.Namespace) -> int:
    report = least([measured((), asked.pick) for _ in range(asked.passes)])
    if asked.pick and asked.file.exists():
        differs = machine_difference(load_run(asked.file).machine, machine())
        if differs:
            raise SystemExit(f"{asked.file} is of another machine ({differs}): save all of it, without -k")
        report = replaced(json.loads(asked.file.read_text(encoding="utf-8")), report)
    asked.file.parent.mkdir(parents=True, exist_ok=True)
    asked.file.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    console().print(f"{len(report['benchmarks'])} benchmarks: {asked.file}", soft_wrap=True)
    return 0


def compare(asked: argparse.Namespace) -> int:
    if not asked.file.exists():
        raise SystemExit(f"there is no reference {asked.file}: python -m benchmarks.reference save")
    reference = json.loads(asked.file.read_text(encoding="utf-8"))
    differs = machine_difference(load_run(asked.file).machine, machine())
    reports = [measured((), asked.pick)]
    for _ in range(0 if differs else asked.again):
        names = [f"benchmarks/{each.name}" for each in slower(changes(reference, least(reports)), asked.threshold)]
        if not names:
            break
        reports.append(measured(names, ""))
    found = changes(reference, least(reports))
    console().print(table(found, None if differs else asked.threshold))
    factors = [each.factor for each in found if each.factor]
    if factors:
        console().print(f"geometric mean of {len(factors)}: {geometric_mean(factors):.3f} times the reference's")
    if differs:
        console(stderr=True).print(
            f"warning: the reference is of another machine ({differs}): times differ, d/p can be compared",
            soft_wrap=True,
        )
        return 0
    worse = slower(found, asked.threshold)
    if worse:
        console(stderr=True).print(f"slower: {', '.join(each.name for each in worse)}", soft_wrap=True)
    return EXIT_WRONG if worse else 0


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = options.add_subparsers(dest="command", required=True)
    for name, run, what in (("save", save, "make the reference"), ("compare", compare, "run, and compare with it")):
        command = commands.add_parser(name, help=what)
        command.set_defaults(run=run)
        command.add_argument(
            "--file", type=Path, default=REFERENCE, help="the reference (default results/benchmarks.json)"
        )
        command.add_argument("-k", dest="pick", default="", metavar="EXPRESSION", help="benchmarks, as pytest's -k")
        if name == "save":
            command.add_argument("--passes", type=int, default=1, help="runs of which the least counts (default 1)")
        else:
            command.add_argument(
                "--threshold", type=float, default=THRESHOLD, help=f"slower by more than this (default {THRESHOLD})"
            )
            command.add_argument("--again", type=int, default=2, help="how often to measure again what looks slower")
    asked = options.parse_args()
    status: int = asked.run(asked)
    return status


if __name__ == "__main__":
    sys.exit(main())
